# An .mnf that was read is written back byte for byte; a reduced one keeps its frequencies.
f="$DATA/../../samples/lshape.mnf"
mnfparse "$f" | linkexport --to mnf >a.mnf && cmp a.mnf "$f" && echo same
mnfparse "$f" | reduce --cb 18 --orthonormalize | linkexport --to mnf >b.mnf
for x in "$f" b.mnf; do mnfparse --info $x | awk '/interface/ { exit } $1 >= 7 && $1 <= 18 && NF == 4 { printf "%.5f\n", $2 }' >$(basename $x).f; done
cmp lshape.mnf.f b.mnf.f && wc -l <b.mnf.f
mnfparse "$f" | reduce --cb 15 | linkexport --to mnf >c.mnf
echo "exit $?"
# A full model through both kinds of MATLAB files: the same entries.
for dialect in 5 7.3; do frame | linkexport --to mat --dialect $dialect | mnfparse | linkexport --to mm -o mm$dialect; done
cmp mm5/K.mtx mm7.3/K.mtx && cmp mm5/M.mtx mm7.3/M.mtx && grep -c . mm5/K.mtx
# What Simscape gets is a body again: frames with positions, modal coordinates that are none of a node.
mnfparse "$DATA/../../samples/beam.mnf" | reduce --cb 18 | linkexport --to simscape --units SI >s.mat
mnfparse s.mat --input-units SI --info | grep -E '^(Nodes|Dofs|Mass x)|physical'
mnfparse s.mat --input-units SI >s.h5 && mnfparse s.h5 >none
echo "exit $?"
mnfparse "$DATA/../../samples/beam.mnf" | reduce --cb 18 --orthonormalize --modal-damping 0.02 | linkexport --to mnf >d.mnf
# A file with the full model and what it was reduced to is the full model.
frame --elements 4 | reduce --cb 8 --interface 1 2>/dev/null | linkexport --to mat | mnfparse --input-units SI --info | grep ^Matrices
# Units come along in the comments of text exports: known as they were, and of one kind in all files of a body.
frame --elements 4 -o f.h5 && linkexport --to mm --units mm-t-s -o mmt f.h5 && linkexport --to mm -o si f.h5
mnfparse mmt/K.mtx mmt/M.mtx mmt/dofs.txt mmt/nodes.txt --units SI | linkexport --to mm -o back
awk 'FNR <= 3 || $3 == 0 { next } FNR == NR { a[$1, $2] = $3; n++; next } { m++; d = a[$1, $2] / $3 - 1; if (d * d > 1e-28) bad = 1 } END { print bad || n != m ? "differ" : "the same K" }' si/K.mtx back/K.mtx
mnfparse si/K.mtx mmt/M.mtx si/dofs.txt si/nodes.txt >none
reduce --cb 12 f.h5 | linkexport --to dmig --units mm-t-s | mnfparse --info | grep ^Units
reduce --cb 12 f.h5 | linkexport --to abaqus --dialect element --units mm-t-s -o ab && mnfparse ab/element.inp ab/body.inp --info | grep ^Units
# A full model in a .mat keeps its units and its interface; what a reduced one has beside K and M is no damping.
linkexport --to mat --units mm-t-s f.h5 -o f.mat && mnfparse f.mat --info | grep -E '^(Units|Interface)'
linkexport --to mat --dialect 7.3 f.h5 -o f73.mat && mnfparse f73.mat --interface 1 --info | grep -E '^(Units|Interface)'
mnfparse "$DATA/../../samples/beam.mnf" | reduce --guyan 12 | linkexport --to mat -o g.mat && mnfparse -q g.mat --info | grep ^Matrices
