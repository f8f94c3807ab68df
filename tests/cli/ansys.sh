# Ansys' own files, from the export to a link record, against the values of their reference table.
real=$FB_SHARED/data/ansys
[ -f "$real/REFERENCE.txt" ] || skip "no files of Ansys in FB_SHARED"
cd "$real" && files=$PWD && cd - >/dev/null || exit
column() { h5dump -m '%.14g' -y -w 1 -d "$1" "$2" | awk '/ATTRIBUTE/ { exit } on { gsub(/[ ,}]/, ""); if ($0 != "") print } /DATA {/ { on = 1 }'; }
page() { mnfparse -q --info "$@" | awk '/^K r,/ { for (k = 4; k <= NF; k++) w = $k > w ? $k : w; print "K r " (w < 1e-12 ? "vanishes" : "is there"); next } { gsub(/-?[0-9.]+e-1[0-9]/, "0") } 1' | grep -E "^($keys)"; }
# Largest relative difference of the elastic frequencies, of $3 modes.
compare() {
    paste "$1" "$2" | head -"$3" | awk -v n="$3" -v most="$4" '$2 > 1 { d = $1 / $2 - 1; d = d < 0 ? -d : d; if (d > w) w = d; k++ }
        END { print k + 0 " frequencies " (w <= most ? "as listed" : "off by " w) }'
}
keys='Dofs|Faces|Mass x|Centre |K r|Mass as|Held|Units'
echo "01: a free body, its coordinates and 30 modes of the .rst, which had 27 dofs held"
page "$files"/01*/file.full "$files"/01*/file.rst
mnfparse "$files"/01*/file.full "$files"/01*/file.rst -o free.h5
mnfparse "$files"/01*/file.rst -o modes.h5
held=$(for node in 1 4 19 15 12 10 2 8 6; do printf '%s,' $node; done | sed 's/,$//')
reduce -q --mdm 30 --fix "$held" free.h5 -o held.h5
column /reduced/frequency held.h5 >got
column /modes/eigen modes.h5 | awk 'NR % 5 == 2' >want
compare got want 30 1e-11
reduce --mdm 15 free.h5 -o few.h5
column /reduced/frequency few.h5 | sed -n '7,$p' >got
printf '%s\n' 7270.11503 7270.11503 11228.0967 17032.2847 17032.2847 19877.4737 22447.7304 28395.022 >want
compare got want 8 3e-9
correlate held.h5 modes.h5 -n 29 --nco --min-diagonal 0.999999 >page && echo "the modes of the .rst are those of the body"
mnfparse "$files"/01*/file.full "$files"/01*/HexBeam.cdb --interface 2,12 | reduce -q --cb 30 | invariants -q | linkexport -o link.h5 && echo "a link record"
echo "02: supports in the .full, and an .rst of another run"
mnfparse "$files"/02*/file.full "$files"/02*/file.rst -o fixed.h5
page fixed.h5
reduce --mdm 8 fixed.h5 -o few.h5
column /reduced/frequency few.h5 >got
printf '%s\n' 1283.20037 1283.20037 5781.97486 6919.39888 6919.39888 10172.615 16497.857 16497.857 >want
compare got want 8 1e-8
echo "03: the rotor of data/abaqus/05, in MKS"
rotor=$files/../abaqus/05_ansys_mmf_rotor
page "$files"/03*/sparse.full "$rotor"/*Coordinates*
mnfparse -q "$files"/03*/sparse.full "$rotor"/*Coordinates* -o rotor.h5
reduce --mdm 14 rotor.h5 -o few.h5
column /reduced/frequency few.h5 | sed -n '7,$p' >got
printf '%s\n' 116.7331095 116.7331095 230.6053673 279.9873771 313.3021178 322.5739467 322.5739467 351.0831714 >want
compare got want 8 3e-9
mnfparse "$files"/03*/sparse.full --input-units mm-t-s >none
echo "exit $?"
echo "04: a superelement is a reduced body"
page "$files"/04*/cp56.sub
mnfparse "$files"/04*/cp56.sub -o super.h5
column /reduced/frequency super.h5 | sed -n '7,$p' >got
printf '%s\n' 51.12499588 51.74613517 65.41460205 66.02387068 71.13177244 71.5848413 >want
compare got want 6 1e-9
invariants super.h5 | linkexport -o link.h5 && echo "a link record"
echo "05: .mode and .rst of one run"
mnfparse -q "$files"/05*/msup.mode -o mode.h5
mnfparse -q "$files"/05*/msup.rst -o rst.h5
column /modes/shape mode.h5 >a
column /modes/shape rst.h5 | cmp - a && echo "the same shapes"
echo "06 and 07: what is not read, and damaged files"
for f in "$files"/06*/dist0.rst "$files"/06*/cyc12.rst "$files"/07*/corrupt_[ab].cdb; do
    mnfparse "$f" >none
    echo "exit $?, $(wc -c <none) bytes"
done
