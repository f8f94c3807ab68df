# Sets of a deck and frames keep their names: in the stream, for --interface and --fix of every tool, to what simulators load.
frame --elements 4 --shape beam | linkexport --to mm -o beam
cat >deck.inp <<'END'
*NODE, NSET=ALL
1,0,0,0
2,0.25,0,0
3,0.5,0,0
4,0.75,0,0
5,1,0,0
*NSET, NSET=LEFT
1
*NSET, NSET=RIGHT END
5
*NSET, NSET=BOTH
1,5
END
read_it() { mnfparse --stiffness beam/K.mtx --mass beam/M.mtx --dofs-per-node 6 "$@"; }
read_it deck.inp -o full.h5
h5dump -d /sets/name -y full.h5 | grep -o "\"[A-Z][A-Z ]*"
h5dump -d /sets/offset -y full.h5 | grep -m 1 '^ *0,'
h5dump -d /sets/node -y full.h5 | grep -m 1 '^ *1,'
# The names do what the numbers do, up to the command line in /history.
reduce --cb 10 --fix left --interface '"right end"' full.h5 | invariants -o names.h5
reduce --cb 10 --fix 1 --interface 5 full.h5 | invariants -o numbers.h5
for to in mbdyn modelica text; do
    linkexport --to $to names.h5 | grep -v '^ *reduce 0' >names.txt
    linkexport --to $to numbers.h5 | grep -v '^ *reduce 0' >numbers.txt
    cmp names.txt numbers.txt && echo "$to: the same"
done
# So do places.
reduce --cb 10 --fix x=min --interface near:0.9,0,0 full.h5 | linkexport --to text | grep -v '^ *reduce 0' >places.txt
reduce --cb 10 --fix 1 --interface 5 full.h5 | linkexport --to text | grep -v '^ *reduce 0' >numbers.txt
cmp places.txt numbers.txt && echo "places: the same"
reduce --cb 10 --fix x=min --interface 'x>1' full.h5 -o x.h5
reduce --cb 10 --fix MIDDLE full.h5 -o x.h5
echo "exit $?"
reduce --cb 10 --fix 1 --interface MIDDLE full.h5 -o x.h5
echo "exit $?"
read_it deck.inp --interface MIDDLE -o x.h5
echo "exit $?"
read_it --nodes deck.inp --interface both -o both.h5
h5dump -d /connectors/node both.h5 | grep -m 1 '(0)'
# To whom connectors are named, and how
linkexport --to mbdyn names.h5 | grep -A 1 '^REV0'
linkexport --to mbdyn names.h5 | grep '^\*\* *NODE [15]:'
linkexport --to modelica names.h5 | grep String
linkexport --to html names.h5 | grep -o '"name":"RIGHT END"'
linkexport --to text names.h5 | grep 'of connector'
linkexport --connectors BOTH names.h5 -o two.h5
h5dump -d /connectors/node two.h5 | grep -m 1 '(0)'
linkexport names.h5 -o link.h5
mnfparse --info link.h5 | sed -n '/interface node/,/^Checks/p'
# New numbers keep the names.
linkexport --to mbdyn --renumber names.h5 | grep '^\*\* *NODE'
linkexport --renumber names.h5 -o new.h5 && for d in /connectors/node /sets/node; do h5dump -d $d -y new.h5 | grep -m 1 '^ *[0-9]'; done
# A frame is called as its option says; nodes of a solid that follow it are still in their set.
cat >cube.inp <<'END'
*NODE
1,0,0,0
2,1,0,0
3,0,1,0
4,0,0,1
*NSET, NSET=FACE
1,2,3
END
printf '%%%%MatrixMarket matrix coordinate real symmetric\n12 12 12\n' >I.mtx
for k in 1 2 3 4 5 6 7 8 9 10 11 12; do echo "$k $k 1"; done >>I.mtx
cp I.mtx M.mtx
mnfparse -q --stiffness I.mtx --mass M.mtx --dofs-per-node 3 cube.inp --rigid HUB=FACE -o hub.h5
mnfparse --strict --stiffness I.mtx --mass M.mtx --dofs-per-node 3 cube.inp --rigid face=FACE 2>&1 | grep 'frame face'
mnfparse --info hub.h5 | sed -n '/interface node/,/Checks/p'
reduce -q --guyan 6 --interface hub hub.h5 | mnfparse --info | grep -A 1 'interface node'
