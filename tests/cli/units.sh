# Units: named by the input or the user, converted on the way in or out.
f="$DATA/../../samples/beam.mnf"
mnfparse "$f" --units mm-kg-ms --info | grep -E "^(Units|Sum)"
mnfparse "$f" --units mm-t-s | linkexport --to mnf --units SI >back.mnf
for x in "$f" back.mnf; do mnfparse --info $x | grep -v "^Inertia" >$(basename $x).txt; done
cmp beam.mnf.txt back.mnf.txt && echo same
mnfparse "$f" --input-units SI >a.h5 && echo named
mnfparse "$f" --input-units mm-t-s
echo "exit $?"
mnfparse "$f" --units furlong
echo "exit $?"
# A cube of 1 m and 7850 kg, its nodes in mm: the title of the list says so. Without it the units do not fit.
matrix() { awk -v x="$1" 'BEGIN { print "%%MatrixMarket matrix coordinate real symmetric\n24 24 24"; for (i = 1; i <= 24; i++) print i, i, x }'; }
corners() { awk -v l="$1" 'BEGIN { for (i = 0; i < 8; i++) print i + 1 "\t" i % 2 * l "\t" int(i / 2) % 2 * l "\t" int(i / 4) * l }'; }
show() { mnfparse K.mtx "$@" --dofs-per-node 3 --info 2>err | grep -E "^(Units|Box|Mass o)"; grep -o "the mass over .*" err; }
matrix 1 >K.mtx
matrix 981.25 >M.mtx
{ printf 'Node Number\tX Location (mm)\tY Location (mm)\tZ Location (mm)\n'; corners 1000; } >tabs.txt
{ printf '# exported coordinates\nid x[mm] y z\n'; corners 1000 | tr '\t' ' '; } >blanks.txt
corners 1000 >bare.txt
for list in tabs.txt blanks.txt bare.txt; do
    show M.mtx $list --input-units SI
done
show M.mtx tabs.txt
show M.mtx bare.txt
matrix 1e5 >M.mtx
corners 1 >bare.txt
show M.mtx bare.txt --input-units SI
# Nastran says it in a table of its own; what is no system of units is not believed.
for names in KG,N,M,S MGG,N,MM,S KG,N,MM,S; do
    { echo "DTI,UNITS,1,$names"; corners 1 | awk '{ printf "GRID,%d,,%.1f,%.1f,%.1f\n", $1, $2, $3, $4 }'; } >deck.bdf
    show M.mtx deck.bdf
    grep -o "DTI,UNITS.*system" err
done
# Adams' kg, mm, s, N: matrices in kg/s^2, so that 1 N of a load file is 1000 of their forces, which exports warn of.
sed 's/METER/MILLIMETER/' "$DATA/../fuzz/corpus/mnfdump/body.mtx" >mmks.mtx
printf '%s\n' '%%MatrixMarket matrix array real general' '18 1' 1 >one.mtx && yes 0 | head -n 17 >>one.mtx
mnfparse mmks.mtx --load one.mtx -o mmks.h5 && h5dump -d /full/load mmks.h5 | grep -o '(0,0): [0-9.]*'
linkexport --to mm -o kept mmks.h5
linkexport --to mm --units mm-t-s -o converted mmks.h5 && echo converted
linkexport --to mnf -o kept.mnf mmks.h5 && mnfparse --info kept.mnf | grep ^Units
# A model without units beside one with: numbers compared as they are, which is said.
frame --elements 4 >si.h5 && linkexport -q --to mm -o si si.h5
sed -i '/^% /d' si/K.mtx si/M.mtx
mnfparse -q --stiffness si/K.mtx --mass si/M.mtx --dofs-per-node 6 -o none.h5
for f in si none; do reduce -q --cb 12 --interface 1:12345,5:12345 $f.h5 -o $f.cb.h5; done
correlate si.cb.h5 none.cb.h5 >page
correlate --frf 5.3:5.3 --frequencies 1,9,3 none.cb.h5 si.cb.h5 >page
correlate --frf 5.3:5.3 --frequencies 1,9,3 none.cb.h5 none.cb.h5 >page && echo alike
