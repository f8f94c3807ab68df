# Exports of external superelements (Nastran EXTSEOUT) are reduced bodies: inertia invariants and exports take them
# as they are, and reduce takes them on or says why not. A matrix file alone has no labels: nothing but a warning.
real=$FB_SHARED/data/nastran
[ -f "$real/CHECKSUMS.txt" ] || skip "no exports of Nastran in FB_SHARED"
cd "$real" && files=$PWD && cd - >/dev/null || exit
body() { # name file...
    n=$1
    shift
    mnfparse "$@" -o $n.h5 && mnfparse --info "$@" 2>/dev/null | grep -E '^(Order|Mass x|Interface dofs)'
    invariants $n.h5 -o $n-inv.h5 && linkexport $n-inv.h5 -o $n-link.h5 && linkexport --to text $n-inv.h5 | wc -l >/dev/null && echo "$n: link"
}
hz() { h5dump -m '%.14g' -y -w 1 -d /reduced/frequency "$1" | awk '/ATTRIBUTE/ { exit } on { gsub(/[ ,}]/, ""); if ($0 + 0 > 0.1) printf "%.6g\n", $0 } /DATA {/ { on = 1 }' | head -"$2" | xargs; }
roots() { h5dump -m '%.14g' -y -w 1 -d /reduced/frequency "$1" | awk '/ATTRIBUTE/ { exit } on { gsub(/[ ,}]/, ""); w = 6.283185307179586 * $0; if (w * w > 1) printf "%.6g\n", w * w } /DATA {/ { on = 1 }' | head -"$2" | xargs; }
body 01 "$files"/01*/inboard.op4 "$files"/01*/inboard.pch
body 01asm "$files"/01*/inboard.op4 "$files"/01*/inboard.asm
body 03 "$files"/03*/*.op4 "$files"/03*/*.pch "$files"/03*/*.asm
body 05 "$files"/05*/*.op4 "$files"/05*/*.pch
mnfparse "$files"/03*/*.op4 "$files"/03*/*.asm | invariants
# With the boundary held: the first fixed-interface frequencies.
reduce --mdm 2 --fix 3,11,19,27 01.h5 -o held.h5 && hz held.h5 1
reduce --mdm 3 --fix 373,411,441,475 03.h5 -o held.h5 && hz held.h5 3
reduce --mdm 3 --fix 20110010,20110020,20110030-20110038 05.h5 -o held.h5 && hz held.h5 1
# Eight of the ten modes, and all.
reduce --cb 27 03.h5 | invariants | linkexport -o link.h5 && echo linked
reduce --mdm 29 03.h5 -o full.h5 && reduce --cb 29 03.h5 -o all.h5 && hz full.h5 3 && hz all.h5 3
reduce --cb 90 05.h5 -o 05cb.h5 && hz 05cb.h5 1
reduce --cb 32 01.h5 || echo "exit $?"
reduce --mdm 12 01.h5 | invariants | linkexport -o link.h5 && echo linked
# DMIG of a full model: refused until it is reduced.
mnfparse "$files"/08*/test_case.pch1 "$files"/08*/test_case.bdf | invariants
mnfparse "$files"/08*/test_case.pch1 "$files"/08*/test_case.bdf -o test.h5
reduce --mdm 10 test.h5 -o 08r.h5 && roots 08r.h5 5
mnfparse "$files"/08*/sol103_swept_plane.pch1 "$files"/08*/sol103_swept_plane.bdf -o 08.h5
reduce --mdm 10 08.h5 -o 08r.h5 && roots 08r.h5 4
reduce --mdm 10 --eigensolver arpack 08.h5 -o 08r.h5 && roots 08r.h5 4
reduce --mdm 10 08.h5 | invariants | linkexport --connectors 1-3 -o link.h5 && echo linked
