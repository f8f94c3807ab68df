# SPDX-License-Identifier: GPL-3.0-or-later
# Load vectors of a model: read beside the matrices, made of the mass, reduced, converted, moved.
values() { h5dump -y -w 1 -m '%.12g' -d "$2" "$1" | awk '/ATTRIBUTE/ { exit } on { gsub(/[ ,}]/, ""); if ($0 != "") print } /DATA {/ { on = 1 }'; }
sums() { values "$1" /full/load | awk -v n="$2" '{ k = (NR - 1) % n; if (k < n / 6 * 6 && k % 6 < 3) s[int((NR - 1) / n), k % 6] += $1 }
    END { for (l = 0; l < NR / n; l++) printf "%.6f %.6f %.6f\n", s[l, 0], s[l, 1], s[l, 2] }'; }

# The frame under its weight: 1.696460033 kg (reduce -v) times 9.81 is 16.642273. It turns about z at 1 rad/s: m times the distance of
# its centre of mass. In millimetres and tonnes forces are the same numbers, T'P (force times length) a thousand times larger.
frame --shape lshape --elements 16 --mass consistent -o f.h5
mnfparse f.h5 --load gravity:0,0,-9.81 --load spin=centrifugal:0,0,1 -o l.h5
sums l.h5 102
reduce --cb 18 l.h5 -o r.h5
reduce --cb 18 --loads load:all,9:3 -v l.h5 2>log | mnfparse - --load gravity:1,0,0 --units mm-t-s -o mm.h5
grep 'static answer' log
sums mm.h5 102
values r.h5 /reduced/load | sed -n 3p >m
values mm.h5 /reduced/load | sed -n 3p | paste m - | awk '{ printf "%.6f\n", $2 / $1 }'
mnfparse --units SI mm.h5 -o si.h5 && values si.h5 /reduced/load | sed -n 3p | paste m - | awk '{ printf "%.6f\n", $2 / $1 }' # a stream, by units alone
h5dump -d /reduced/load_name mm.h5 | awk '/ATTRIBUTE/ { exit } /[(][0-9][)]: / { sub(/^.*: "/, ""); sub(/[\\"].*/, ""); print }'
h5dump -a /full/load/units l.h5 | grep -o '"kg.*"'
mnfparse l.h5 --rotate x:90 -o t.h5 # gravity turns with the body: along y
sums t.h5 102 | head -n 1

# A record with T has them by coordinates alone: less a mode, held, turned to eigenvectors it has the numbers of the body with its model.
reduce --cb 14 --fix 1 --interface 17 --loads load:all l.h5 -o at.h5
invariants -q at.h5 | linkexport --with-T -o record.h5
for o in "--drop 1" "--fix 17:2 --drop 3" "--drop 2,3 --orthonormalize"; do
    for k in at record; do # shellcheck disable=SC2086
        reduce -q $o $k.h5 -o cut.h5 && values cut.h5 /reduced/load | sed 's/^-//' >$k.txt
    done
    paste at.txt record.txt | awk -v o="$o" '{ d = ($1 - $2) ^ 2; w = d > w ? d : w; t = $1 ^ 2 > t ? $1 ^ 2 : t } END { print o, NR, w < 1e-16 * t ? "same" : w " of " t }'
done

printf '%s\n' '%%MatrixMarket matrix array real general' '102 1' >one.mtx && yes 1 | head -n 102 >>one.mtx
mnfparse record.h5 --load one.mtx -o no.h5 # whose loads it would replace
echo "exit $?"

# Names with what ends them in a list are quoted there; others are refused.
mnfparse f.h5 --load 'lift, left=gravity:0,0,1' --load lift=gravity:0,1,0 -o n.h5
reduce --cb 18 --loads 'load:"lift, left"' n.h5 | mnfparse --info | grep -c 'lift, left'
reduce --cb 18 --loads load:drag n.h5 -o no.h5
mnfparse n.h5 --load lift=gravity:0,2,0 -o no.h5 # has one of that name
echo "exit $?"
mnfparse f.h5 --load two=gravity:0,0,1 --load two=gravity:0,1,0 -o no.h5
echo "exit $?"
for name in all 'a"b' side/lift "$(printf %59s | tr ' ' x)"; do
    mnfparse f.h5 --load "$name=l.h5" -o no.h5
    echo "exit $?"
done

# Loads of another stream; a load on a slave is one on its frame, with its moment: 2 N along y at 0.3 m along x.
mnfparse f.h5 --load l.h5 -o again.h5
values l.h5 /full/load >a && values again.h5 /full/load | cmp a - && echo same
printf '1 0 0 0\n2 1 0 0\n3 1 1 0\n4 0.3 0 0\n' >n.txt
awk 'BEGIN { print "%%MatrixMarket matrix coordinate real symmetric\n12 12 12"; for (k = 1; k <= 12; k++) print k, k, k }' >K.mtx
cp K.mtx M.mtx
awk 'BEGIN { print "%%MatrixMarket matrix array real general\n12 1"; for (k = 1; k <= 12; k++) print k == 11 ? 2 : 0 }' >p.mtx
mnfparse --stiffness K.mtx --mass M.mtx --dofs-per-node 3 --nodes n.txt --rigid 9=1,3,4@0,0,0 --load push=p.mtx -o s.h5 2>/dev/null
values s.h5 /full/load | tr '\n' ' '
echo
model() { mnfparse --stiffness K.mtx --mass M.mtx --dofs-per-node 3 --nodes n.txt --rigid 9=1,3,4@0,0,0 --input-units SI "$@" 2>/dev/null; }
model --load push=p.mtx --units mm-t-s -o mm.h5
model --load push=mm.h5 -o s.h5 # named by the user before the other file's units are converted
values s.h5 /full/load | tr '\n' ' '
echo

# A stream's loads are basic, whatever axes (CD) the points of the model have; those of DMIG are along them: x of CORD2R 9 is y.
cat >cd.pch <<'X'
CORD2R,9,,0.,0.,0.,0.,0.,1.
,0.,1.,0.
GRID,1,,0.,0.,0.,9
GRID,2,,1.,0.,0.
DMIG,KAAX,0,6,2,0,,,6
DMIG,MAAX,0,6,2,0,,,6
DMIG,PAX,0,9,2,0,,,1
DMIG,PAX,1,,,1,1,5.
,2,2,3.
X
for n in 1 2; do for c in 1 2 3; do printf 'DMIG,KAAX,%s,%s,,%s,%s,9.\nDMIG,MAAX,%s,%s,,%s,%s,2.\n' $n $c $n $c $n $c $n $c; done; done >>cd.pch
mnfparse -q cd.pch --load gravity:0,3,0 --load cd.pch -o cd.h5 2>/dev/null
mnfparse -q cd.pch --load cd.h5 -o twice.h5 2>/dev/null
printf '1 0 0 0\n2 1 0 0\n' >list.txt # which knows no axes, and takes none away
mnfparse -q list.txt cd.pch --load cd.pch -o list.h5 2>/dev/null
for k in cd twice list; do values $k.h5 /full/load | tr '\n' ' '; done
echo

# Forces on sets of nodes, which the deck names; where two meet they add up, as in CalculiX.
printf '*NODE\n1,0.,0.,0.\n2,1.,0.,0.\n3,1.,1.,0.\n4,0.3,0.,0.\n*NSET,NSET=TIPS\n2,3\n*NSET,NSET=ONE\n1\n' >sets.inp
printf '*CLOAD\ntips,2,5.\n2,1,1.\n2,1,2.\n"ONE",3,7\n' >sets.load
printf '*CLOAD\nTOP,2,5.\n' >top.load
mnfparse -q K.mtx M.mtx sets.inp --dofs-per-node 3 --load sets.load -o sets.h5 2>/dev/null
mnfparse -q sets.h5 --load sets.load -o sets.h5 2>/dev/null
values sets.h5 /full/load | tr '\n' ' '
echo
mnfparse -q sets.h5 --load top.load -o no.h5
echo "exit $?"

# Refused, by name.
for args in "--load gravity:1,2" "--load none.mtx" "--load K.mtx" "--load p.mtx" "--load l.h5:x"; do
    mnfparse f.h5 $args -o no.h5
    echo "$args: exit $?"
done
for args in "--loads load:lift" "--loads load:all,99:1"; do
    reduce --cb 18 $args l.h5 -o no.h5
    echo "$args: exit $?"
done
reduce --guyan 12 --masters 1,17 l.h5 -o g.h5
echo "exit $?"

# pyYeti's inboard superelement: 30 loads of FORCE cards on its interior, of which two are (1.5, -1.5, 2) and (-1.5, 10, -2) each time.
# What its boundary gets of them (PX, constraint modes are rigid motion too) is their sum, 0 8.5 0, once node 11 is turned from CORD2R 10.
in=$FB_SHARED/data/nastran/01_nx9_extse_inboard
if [ -f "$in/inboard.op4" ]; then
    mnfparse "$in/inboard.op4" "$in/inboard.pch" --load "$in/inboard.op4" -o in.h5
    values in.h5 /reduced/load | awk '{ k = (NR - 1) % 32; if (k < 24 && k % 6 < 3) s[int((NR - 1) / 32), k % 6] += $1 }
        END { for (l = 0; l < NR / 32; l++) { a = s[l, 0]; b = s[l, 1] - 8.5; c = s[l, 2]; e = a * a + b * b + c * c; w = e > w ? e : w } print NR / 32, (w < 1e-12 ? "sums are right" : w) }'
    h5dump -d /reduced/load_name in.h5 | grep -c '"PX#'
else
    printf '30 sums are right\n30\n'
fi
