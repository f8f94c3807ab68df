# Bad input is named, with exit status 3 and no output; wrong options 2.
. "$DATA/sim"
records f1
frame --elements 4 -o full.h5
try() { # what, chain file's text
    echo "== $1"
    printf '%s\n' "$2" >c.txt
    for p in ffr erls denoc; do
        $p c.txt >out 2>said
        s=$?
        [ $p = ffr ] && sed 's/^/   /' said
        [ $s = 3 ] && [ ! -s out ] || echo "$p: exit $s, $(wc -c <out) bytes"
    done
}
try "a missing hub" "link f1.h5 hub 2 tip 17 axis 0 1 0"
reduce --cb 6 --fix 1:12346 --interface 5 full.h5 2>warned | invariants 2>>warned | linkexport -o pinned.h5 2>>warned
try "rigid motion left" "link pinned.h5 hub 5 tip 5 axis 0 1 0"
reduce --cb 6 --fix 1 --interface 5 full.h5 | invariants | linkexport -o held.h5
try "held elsewhere" "link held.h5 hub 5 tip 1 axis 0 1 0"
mnfparse --units mm-t-s "$DATA/../../samples/beam.mnf" | reduce --cb 18 | invariants | linkexport -o mm.h5
try "units that differ" "link f1.h5 hub 1 tip 17 axis 0 1 0
link mm.h5 hub 1 tip 21 axis 0 1 0"
perl -e 'local $/; open F, $ARGV[0]; $_ = <F>; sub wide { join "", map { "\0\0\0$_" } split //, pack("a16", $_[0]) }
    substr($_, index($_, wide("METER")), 64) = wide("MILLIMETER"); print' "$DATA/../../samples/beam.mnf" >mixed.mnf
mnfparse -q mixed.mnf | reduce -q --cb 18 | invariants -q | linkexport -q -o mixed.h5
try "kg, mm, s and N" "link mixed.h5 hub 1 tip 21 axis 0 1 0"
spoiled() { # dataset, bytes that perl makes of its own, x: f1.h5 with these
    h5dump -d "$1" -b LE -o bytes f1.h5 >log
    perl -e 'local $/; open F, "bytes"; $x = <F>; open F, "f1.h5"; $_ = <F>; substr($_, index($_, $x), length $x) = '"$2"'; print'
}
# a tenth of its rotary inertia about the hub: less than its mass has at its centre
spoiled /invariants/I7 'pack("d<9", map { $_ / 10 } unpack("d<9", $x))' >light.h5
try "indefinite inertia" "link light.h5 hub 1 tip 17 axis 0 1 0"
spoiled /reduced/K 'pack("d<", "nan") . substr($x, 8)' >nan.h5
try "a number that is none" "link nan.h5 hub 1 tip 17 axis 0 1 0"
spoiled /faces/offset 'substr($x, 0, -8) . pack("q<", 1 << 40)' >faces.h5
try "faces that end elsewhere" "link faces.h5 hub 1 tip 17 axis 0 1 0"
try "no record" "link full.h5 hub 1 tip 5 axis 0 1 0"
try "no HDF5" "link c.txt hub 1 tip 5 axis 0 1 0"
head -c 5000 f1.h5 >cut.h5
try "a record cut short" "link cut.h5 hub 1 tip 17 axis 0 1 0"
try "more modes than there are" "link f1.h5 hub 1 tip 17 axis 0 1 0 modes 13"
try "a word" "link f1.h5 hub 1 tip 17 axes 0 1 0"
try "no number" "gravity 0 0 down"
try "a direction of zeros" "link f1.h5 hub 1 tip 17 axis 0 0 0"
try "times backwards" "link f1.h5 hub 1 tip 17 axis 0 1 0 torque 0 1 2 1 1 1"
echo "0 1 1 x" >t.txt
try "a file in itself" "file c.txt"
try "a word of a table's file" "link f1.h5 hub 1 tip 17 axis 0 1 0 torque file t.txt"
try "nothing" "# nothing"
echo "== usage, a missing file, a full disk"
echo "link f1.h5 hub 1 tip 17" >held.txt
echo "link none.h5 hub 1 tip 17" >none.txt
denoc --time x c.txt 2>&1; echo $?
denoc --nonsense c.txt 2>&1; echo $?
denoc --axis c.txt 2>&1; echo $?
denoc --step c.txt 2>&1; echo $?
denoc 2>&1; echo $?
denoc missing.txt 2>&1; echo $?
denoc none.txt 2>&1; echo $?
denoc held.txt >/dev/full; echo $?
