# SPDX-License-Identifier: GPL-3.0-or-later
# Bases beside fixed-interface modes, on the L-shaped frame (102 dofs, 12 of them at hub and tip). Errors of the free body's elastic
# frequencies 7 to 12 at equal order, in shares: those of numpy (scipy.linalg.eigh of T'KT, T'MT) with dense T are the same.
frame --shape lshape --elements 16 --mass consistent -o f.h5
hz() { h5dump -m '%.12g' -y -w 1 -d /reduced/frequency "$1" | awk '/ATTRIBUTE/ { exit } on { gsub(/[ ,}]/, ""); if ($0 != "") print } /DATA {/ { on = 1 }'; }
reduce --mdm 24 f.h5 -o m.h5 && hz m.h5 >full
errors() { # NAME OPTIONS
    name=$1
    shift
    reduce "$@" f.h5 -o r.h5 && hz r.h5 | paste full - | awk -v name="$name" '
        NR > 6 && NR < 13 { e = $2 / $1 - 1; f = f (e < 1e-9 ? "   exact" : sprintf(" %.1e", e)) } END { printf "%-22s%s\n", name, f }'
}
for n in 14 18 24 30; do
    errors "$n fixed" --cb $n
    errors "$n free" --cb $n --free-boundary 1,17
    errors "$n free at the tip" --cb $n --free-boundary 17
    errors "$n Krylov, 40 Hz" --krylov $n --at 40
done
errors "18 Guyan" --guyan 18 --masters 1,9,17
errors "18 IRS" --irs 18 --masters 1,9,17

# A basis of one's own: the coordinates of Craig and Bampton from a stream, a .mat file and Matrix Market, and modes of an .mnf.
reduce --cb 24 f.h5 -o cb.h5 && hz cb.h5 >want
linkexport --to mat cb.h5 -o cb.mat
linkexport --to mm cb.h5 -o mm
reduce --cb 24 --orthonormalize f.h5 | linkexport --to mnf -o cb.mnf
for b in cb.h5 cb.mat cb.mat:T mm/T.mtx cb.mnf; do
    mnfparse f.h5 --basis $b | reduce --method basis -o r.h5 && hz r.h5 | paste want - |
        awk -v b=$b 'NR > 6 { e = $2 / $1 - 1; w = e < 0 && -e > w ? -e : e > w ? e : w } END { print b ": " NR " coordinates, " (w < 1e-5 ? "the same" : w) }'
done
mnfparse f.h5 --basis cb.h5 -o b.h5
reduce --basis 20 b.h5 -o r.h5 && hz r.h5 | wc -l
# Shapes of a matrix are along the axes of their nodes (CD), as the matrices are: the reduced body is that of basic axes.
deck() { # CD of point 2
    printf 'CORD2R,10,,0.,0.,0.,0.6,0.,0.8\n,1.,0.,0.\nGRID,1,,0.,0.,0.\nGRID,2,,1.,0.,0.,%s\n' "$1"
    for m in K M; do
        echo "DMIG,${m}AAX,0,6,2,0"
        for c in 1 2 3 4 5 6; do for r in 1 2 3 4 5 6; do
            [ $r -le $c ] && echo "$m $c $r"
        done; done | awk '{ v = $1 == "M" ? ($2 == $3) * (1 + $2) : $2 == $3 ? 10 * $2 : 3 / ($2 + $3)
            if (v) printf "DMIG,%sAAX,%d,%d,,%d,%d,%.6f\n", $1, ($2 > 3) + 1, ($2 - 1) % 3 + 1, ($3 > 3) + 1, ($3 - 1) % 3 + 1, v }'
    done
}
printf '%s\n' '%%MatrixMarket matrix array real general' '6 2' 1 0 0 0 2 0 0 0 1 3 0 0 >two.mtx
for cd in '' 10; do
    deck "$cd" >cd.pch && mnfparse -q cd.pch --basis two.mtx | reduce -q --method basis -o "cd$cd.h5"
done
h5diff -d 1e-9 cd.h5 cd10.h5 /reduced/frequency && echo "as in basic axes"
h5diff cd.h5 cd10.h5 /reduced/T >/dev/null || echo "with other shapes"
# A variable that is called as mode shapes are is a basis without frequencies and labels, too.
printf '%s\n' '# name: phi' '# type: matrix' '# rows: 6' '# columns: 2' ' 1 0' ' 0 0' ' 0 1' ' 0 3' ' 2 0' ' 0 0' >phi.txt
deck '' >cd.pch
for b in phi.txt phi.txt:phi; do
    mnfparse -q cd.pch --basis "$b" | reduce -q --method basis -o phi.h5
    h5diff cd.h5 phi.h5 /reduced/K && h5diff cd.h5 phi.h5 /reduced/T && echo "$b: as from Matrix Market"
done
for args in "--krylov 18 --at 0" "--krylov 18" "--krylov 11 --at 5" "--cb 18 --free-boundary 1,9" "--cb 18 --inertia-relief" "--cb 18 --at 5" \
    "--irs 18 --modes 3" "--method basis" "--basis 25"; do
    m=f.h5
    [ "$args" = "--basis 25" ] && m=b.h5
    reduce $args $m >out
    echo "$args: exit $?, $(wc -c <out) bytes"
done
for b in cb.mat:nothing missing.h5 "$DATA/bases.sh"; do
    mnfparse f.h5 --basis "$b" -o out.h5
    echo "exit $?"
done

# A dependent shape is dropped and named: the first three modes of 8 masses of 1 kg between walls on springs of 900 N/m,
# sin(j k pi / 9), and their sum as a fourth that depends on them; 2 sqrt(900) sin(j pi / 18) / 2 pi in closed form is
# 1.658218, 3.266052, 4.774648 Hz.
awk 'BEGIN { pi = atan2(0, -1); print "%%MatrixMarket matrix array real general\n8 4"
    for (j = 1; j <= 4; j++) for (k = 1; k <= 8; k++) { x = sin(j * k * pi / 9); if (j == 4) x = s[k]; else s[k] += x; printf "%.15g\n", x } }' >shapes.mtx
awk 'BEGIN { print "%%MatrixMarket matrix coordinate real symmetric\n8 8 8"; for (k = 1; k <= 8; k++) print k, k, 1 }' >M.mtx
awk 'BEGIN { print "%%MatrixMarket matrix coordinate real symmetric\n8 8 15"; for (k = 1; k <= 8; k++) print k, k, 1800; for (k = 2; k <= 8; k++) print k, k - 1, -900 }' >K.mtx
mnfparse --stiffness K.mtx --mass M.mtx --dofs-per-node 1 --basis shapes.mtx --input-units SI | reduce --method basis -o r.h5 && hz r.h5 | xargs printf '%.6f '
echo

# One shape of a universal file, 1 2 1 and 5 Hz by its own word: as a basis of three masses of 1 kg between walls on springs of
# 1 N/m it answers by Rayleigh's quotient, sqrt(4/6)/2 pi = 0.129949 Hz; with the mass alone by its word, 6 kg m^2 and 5 Hz.
{
    printf '    -1\n    55\nNONE\nNONE\nNONE\nNONE\nNONE\n'
    printf '%10d%10d%10d%10d%10d%10d\n' 1 2 3 8 2 3
    printf '%10d%10d%10d%10d\n%13.5e%13.5e%13.5e%13.5e\n' 2 4 0 1 5 1 0 0
    printf '%10d\n%13.5e%13.5e%13.5e\n' 1 1 0 0 2 2 0 0 3 1 0 0
    printf '    -1\n'
} >s.unv
printf '%s\n' '%%MatrixMarket matrix coordinate real symmetric' '3 3 5' '1 1 2' '2 1 -1' '2 2 2' '3 2 -1' '3 3 2' >K3.mtx
printf '%s\n' '%%MatrixMarket matrix coordinate real symmetric' '3 3 3' '1 1 1' '2 2 1' '3 3 1' >M3.mtx
printf '%s\n' '1 0 0 0' '2 1 0 0' '3 2 0 0' >nodes.txt
mnfparse --stiffness K3.mtx --mass M3.mtx --dofs-per-node 1 --basis s.unv --input-units SI | reduce --method basis -o r.h5 && hz r.h5
mnfparse s.unv --mass M3.mtx --dofs-per-node 1 --nodes nodes.txt --input-units SI -o s.h5 && mnfparse --info s.h5 | grep -e '^Matrices' -e '^Sum' -e '^ *1 '
reduce --mdm 1 s.h5 -o r.h5 && hz r.h5
# Shapes for another reduction of the full model do not go with link records, which are without it, and had no /dofs for them.
mnfparse f.h5 --basis cb.h5 | reduce --cb 14 --interface 1 | invariants -q >held.h5
for t in held "" --with-T; do
    if [ "$t" = held ]; then cp held.h5 link.h5; else linkexport -q $t held.h5 -o link.h5; fi
    h5dump -n link.h5 | awk '/[/]basis/ { n++ } END { print n + 0 }'
done
