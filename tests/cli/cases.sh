# Inputs that other programs are reported to stumble over, from their files through the tools to the values of the
# table beside them, to 1e-6.
real=$FB_SHARED/data/cases
[ -f "$real/expected.json" ] || skip "no real exports in FB_SHARED"
# want CASE KEY: the numbers of one entry of the table, one a line; of an object its keys, too.
want() {
    awk -v c="$1" -v k="$2" '
        $0 ~ "^ \"" c "\": \\{" { in_case = 1; next }
        /^ }/ { in_case = 0 }
        in_case && $0 ~ "^  \"" k "\": " { line = $0; sub(/^[^:]*: /, "", line); on = line ~ /^[[{]/; sub(/,$/, "", line); if (!on) print line; next }
        /^  []}]/ { on = 0 }
        in_case && on { gsub(/[][,":{}]/, " "); if (NF) print $1 (NF > 1 ? " " $2 : "") }' "$real/expected.json"
}
# data FILE DATASET: its numbers, one a line
data() { h5dump -m '%.14g' -y -w 1 -d "$2" "$1" | awk '/ATTRIBUTE/ { exit } on { gsub(/[ ,}]/, ""); if ($0 != "") print } /DATA {/ { on = 1 }'; }
# compare TEXT SKIP ZERO: the file got against the file want, which may be shorter; what is below ZERO is zero
compare() {
    n=$(wc -l <want)
    tail -n "+$(($2 + 1))" got | head -n "$n" | paste - want | awk -v t="$1" -v n="$n" -v zero="$3" '
        NF == 2 { d = $1 - $2; d = d < 0 ? -d : d; s = $2 < 0 ? -$2 : $2
                  if (d <= (s < zero ? zero : 1e-6 * s)) k++; else print t ": " $1 ", not " $2 }
        END { print t ": " k + 0 (k == n && n ? "" : " of " n) " as listed" }'
}
# body NAME OPTIONS: the model of NAME_K.mtx and NAME_M.mtx; modes OPTIONS: its frequencies into got
body() { name=$1; shift; mnfparse -q --stiffness "$real/${name}_K.mtx" --mass "$real/${name}_M.mtx" "$@" -o body.h5; }
modes() { reduce -q "$@" body.h5 -o modes.h5 && data modes.h5 /reduced/frequency >got; }
# listed CASE KEY [SKIP [ZERO]]: got against that entry; rigid motion comes out below 0.01 Hz
listed() { want "$1" "$2" >want; compare "$1 $2" "${3:-0}" "${4:-0.01}"; }
# counts CASE KEY: how many modes lie at or below each of the frequencies; none is refused
counts() {
    want "$1" "$2" | while read -r f n; do
        k=0
        reduce -q --method mdm --fmax "$f" body.h5 -o modes.h5 2>err && k=$(data modes.h5 /reduced/frequency | wc -l)
        [ "$k" = "$n" ] || echo "$1: $k modes below $f Hz, not $n"
    done
    echo "$1 $2: $(want "$1" "$2" | wc -l) compared"
}

body g01
modes --mdm 11
listed g01 elastic_hz_first8 3
body g02
modes --mdm 16
listed g02 hz_first16
counts g02 count_below_hz
reduce --mdm 5 body.h5 -o modes.h5 # cuts a pair
body g03
modes --mdm 20
listed g03 hz_first6
listed g03 hz_last 19
reduce --mdm 25 body.h5 -o modes.h5
mnfparse -q "$real/g04_k6_m3.pch" -o body.h5
modes --mdm 9
listed g04 hz
mnfparse "$real/g05_STIF.mtx" "$real/g05_MASS.mtx" -o body.h5
modes --mdm 5
listed g05 hz
mnfparse -q "$real/g06_STIF.mtx" "$real/g06_MASS.mtx" -o body.h5
modes --mdm 4
listed g06 hz
body g07
modes --mdm 7
listed g07 full_hz
modes --fix "@$real/g07_interface.txt" --mdm 5
listed g07 fixed_interface_hz
reduce --method cb --modes 5 --interface "@$real/g07_interface.txt" body.h5 -o modes.h5
data modes.h5 /reduced/frequency >got
listed g07 full_hz
body g08 --dofs-per-node 3
modes --mdm 10
listed g08 full_elastic_hz 3
modes --fix "@$real/g08_interface_dup.txt" --mdm 4
listed g08 fixed_interface_hz
reduce --cb 10 --interface "@$real/g08_interface_dup.txt" body.h5 -o modes.h5
data modes.h5 /reduced/frequency >got
listed g08 reduced_elastic_hz 3
correlate --modes 7 --mac --min-diagonal 0.99 body.h5 modes.h5 >page && echo "g08: the same modes"
reduce --cb 10 --interface "@$real/g08_interface_unknown.txt" body.h5 -o none.h5
echo "exit $?"
mnfparse -q --stiffness "$real/g11_K_tiny_asym.mtx" --mass "$real/g11_M.mtx" -o body.h5
modes --mdm 5
listed g11 tiny_symmetrised_hz_first5
mnfparse --stiffness "$real/g11_K_gross_asym.mtx" --mass "$real/g11_M.mtx" -o none.h5 2>err
echo "g11: exit $?, $(grep -c -- '--force-symmetric' err)"
mnfparse -q --force-symmetric --stiffness "$real/g11_K_gross_asym.mtx" --mass "$real/g11_M.mtx" -o body.h5
reduce --mdm 5 body.h5 -o none.h5 # its mean is indefinite: lambda = -1.7098e10, 20811 Hz, listed there
echo "exit $?"
body g12
modes --mdm 8
listed g12 hz_first8
# One free beam in two systems of units, and with a mass in the wrong one.
beam() { mnfparse -q --stiffness "$real/$1" --mass "$real/$2" --nodes "$real/$3" --input-units "$4" --dofs-per-node 6 --units SI -o body.h5; }
beam g13_SI_K.mtx g13_SI_M.mtx g13_nodes_m.csv SI
modes --mdm 10
listed g13 elastic_hz 6
invariants -q modes.h5 -o inv.h5
data inv.h5 /invariants/I1 >got
listed g13 mass_kg 0 1e-9
{ cat got; data inv.h5 /invariants/I2; } | awk 'NR == 1 { m = $1; next } { printf "%.14g\n", $1 / m }' >got2
mv got2 got
listed g13 cg_m 0 1e-9
data modes.h5 /verdict/mass_full | awk '{ F[NR - 1] = $1 } END {
    m = F[0]; c[0] = F[6 * 1 + 5] / m; c[1] = F[6 * 2 + 3] / m; c[2] = F[6 * 0 + 4] / m; cc = c[0]^2 + c[1]^2 + c[2]^2
    for (i = 0; i < 3; i++) for (j = 0; j < 3; j++) # about the centre, by Steiner
        printf "%.14g\n", F[6 * (3 + i) + 3 + j] - m * ((i == j) * cc - c[i] * c[j]) }' >got
listed g13 inertia_about_cg_kgm2 0 1e-9
beam g13_mm_t_K.mtx g13_mm_t_M.mtx g13_nodes_mm.csv mm-t-s
modes --mdm 10
listed g13 elastic_hz_mm_tonne 6
beam g13_mm_t_K.mtx g13_mm_kg_M.mtx g13_nodes_mm.csv mm-t-s
modes --mdm 10
listed g13 elastic_hz_mm_kg_wrong 6
body g14 --nodes "$real/g14_nodes.csv" --dofs-per-node 3
modes --fix "@$real/g14_fixed_nodes.txt" --mdm 36
listed g14 hz_first6
data modes.h5 /participation/effective_mass >got
listed g14 eff_mass_base_excitation_first6 0 1e-9
awk '{ s[(NR - 1) % 6] += $1 } END { for (a = 0; a < 6; a++) printf "%.14g\n", s[a] }' got >sum
mv sum got
listed g14 sum_eff_base_all 0 1e-9
body g15
modes --mdm 26
listed g15 all_hz
counts g15 count_at_or_below
