# A link record with shapes says the same as the body it was made of: nodes that follow frames move (they were at rest: /recovery
# was left behind), record 9 of MBDyn fits record 11, supports are told once. ERLS wants the mass matrix.
numbers() { # file, dataset
    h5dump -y -m %.12e -d "$2" "$1" | awk '/ATTRIBUTE/ { exit } on && !/}/ { gsub(/,/, " "); for (k = 1; k <= NF; k++) print $k } /DATA \{/ { on = 1 }'
}
same() { # what, file, file, dataset
    numbers "$2" "$4" >one
    numbers "$3" "$4" >two
    paste one two | awk -v what="$1" 'NF != 2 { bad++ } { d = $1 - $2; if (d < 0) d = -d; if (d > w) w = d; if ($1 * $1 > t) t = $1 * $1 }
        END { print what ":", (NR > 9 && !bad && w < 1e-12 * sqrt(t) ? "the same" : w " of " sqrt(t)) }'
}
frame --elements 6 | linkexport -q --to mm -o f &&
    awk 'BEGIN { print "*NODE" } { print $1 ",", $2 ",", $3 ",", $4 } END { print "*ELEMENT, TYPE=B31"; for (k = 1; k < NR; k++) print k ",", k ",", k + 1 }' \
        f/nodes.txt >mesh.inp &&
    mnfparse -q f/K.mtx f/M.mtx --dof-table f/dofs.txt --nodes mesh.inp --rigid HUB=1-2 --rigid TIP=6-7 --input-units SI |
    reduce -q --fix HUB --interface TIP --cb 10 | invariants -q -o b.h5
linkexport --with-T b.h5 -o r.h5 && linkexport --to exudyn b.h5 -o b.exu && linkexport --to exudyn r.h5 -o r.exu
same "nodes of a frame" b.exu r.exu /modeBasis
linkexport --to erls --connectors TIP b.h5 -o b.erls && linkexport --to erls --connectors TIP r.h5 -o r.erls
same ERLS b.erls r.erls /W
linkexport --with-T r.h5 -o again.h5
same "written again" r.h5 again.h5 /recovery/G/x
# The simulators draw these nodes, too: at rest in the shape of the first mode all but the hub's would stay.
echo "link r.h5 hub $(numbers r.h5 /reduced/held_node | sed 1q) tip $(numbers r.h5 /connectors/node | sed 1q)
gravity 0 0 -9.81 time 0.01 step 0.01" >c.txt
. "$DATA/sim"
ffr --frames 2 c.txt >run.h5 && numbers run.h5 /motion/position | awk '{ x[NR] = $1 } END { n = NR / 2; for (k = 3; k <= n; k += 3) if (x[n + k] != x[k]) moved++; print moved, "of", n / 3, "nodes move" }'
# A consistent mass matrix, of which nodal masses tell less.
frame --elements 12 --mass consistent | reduce --fix 1 --cb 12 | invariants -q | linkexport --with-T -o c.h5
frame --elements 12 --mass consistent | reduce --fix 1 --cb 12 | invariants -q | linkexport -q --to mbdyn --connectors 13 -o one.fem &&
    linkexport -q --to mbdyn c.h5 -o two.fem && cmp one.fem two.fem && echo MBDyn: the same
linkexport --to erls c.h5 -o c.erls
echo "exit $?"
invariants c.h5 -o again.h5
echo "exit $?"
