# Node numbers of nine digits: SID refuses them and names the option; renumbered, the body is the one whose numbers were small, but for
# the names, and in an order of its own connectors.
frame --shape lshape --elements 4 -o small.h5 && linkexport --to mm -o mm small.h5
awk '{ $1 += 201100030; print }' mm/nodes.txt >nodes.txt && awk '{ $1 += 201100030; print }' mm/dofs.txt >dofs.txt
for d in . mm; do mnfparse mm/K.mtx mm/M.mtx $d/dofs.txt $d/nodes.txt >$d/b.h5; done
reduce --cb 12 --fix 201100031 --interface 201100035 --orthonormalize b.h5 | invariants -o l.h5
reduce --cb 12 --fix 1 --interface 5 --orthonormalize mm/b.h5 | invariants -o s.h5
linkexport --to sid l.h5 >none
linkexport --to sid --renumber -v l.h5 -o l.sid 2>said
grep becomes said
linkexport --to sid --renumber -q s.h5 -o s.sid && cmp l.sid s.sid && grep 'new node' l.sid
linkexport --to mm --renumber --frame node:201100035 l.h5 -o lmm && cat lmm/nodes.txt | tr '\n' ';' && awk '{ n[$1]++ } END { for (k = 1; k <= 5; k++) printf " %d:%d", k, n[k]; print "" }' lmm/dofs.txt
linkexport --renumber --frame node:201100035,axes:z:90 l.h5 -o place.h5 && h5dump -a /frame/place place.h5 | grep '(0)'
linkexport --renumber --frame node:201100035,axes:nodes:201100033,201100031 l.h5 -o place.h5 && h5dump -a /frame/place place.h5 | grep '(0)'
