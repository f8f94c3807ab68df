# SPDX-License-Identifier: GPL-3.0-or-later
# linkexport --self-test: what is written beside an export loads it and finds the displacement and the first frequency. Run here are
# Python, Octave, and where they are installed MBDyn and CalculiX (from 2.21 on); Modelica's is looked at.
for py in python3 /usr/bin/python3 none; do $py -c 'import numpy, h5py' 2>/dev/null && break; done
[ $py = none ] && skip "no python3-numpy and python3-h5py"
frame --shape lshape --elements 16 --mass consistent -o l.h5
reduce --cb 12 --fix 1 --interface 17 l.h5 | invariants -o held.h5
reduce --cb 12 --fix 1 --interface 17 --orthonormalize l.h5 | invariants -o modes.h5
reduce --cb 20 --interface 1,17 l.h5 | invariants -o free.h5
mnfparse l.h5 --load gravity:0,0,1 --input-units SI --units mm-t-s | reduce --cb 20 --interface 1,17 --orthonormalize -o mm.h5
run() { # target body: runs what Python or Octave takes
    linkexport -q --to "$1" --self-test -o "$1.$2" "$2.h5" || return
    for t in "$1.$2".test.py; do [ -f "$t" ] && echo "$1 $2: $($py "$t" | sed 's/,.*: /: /')"; done
    for t in "$1.$2".test.m; do [ -f "$t" ] && command -v octave-cli >/dev/null && { HOME=. octave-cli -q "$t" >octave.log 2>/dev/null || echo "$t is wrong"; }; done
    rm -f "$1.$2".test.py
}
for body in held modes free mm; do
    case $body in
    held) targets="link mm mat dmig openfast exudyn erls" ;;
    modes) targets="link mm mat sid exudyn erls mnf" ;;
    free) targets="link mm mat dmig simscape" ;;
    mm) targets="mm mat mnf" ;;
    esac
    for to in $targets; do run $to $body; done
done
# A wrong number is found: the stiffness along z made twice as large.
linkexport -q --to mm --self-test -o w held.h5 && awk 'NF == 3 && FNR > 3 && $1 == 3 && $2 == 3 { $3 *= 2 } { print }' w/K.mtx >k && mv k w/K.mtx
$py w.test.py | sed 's/.*: //'
# MBDyn: the node of the last instant, and eigenvalues p = (L - 1) / (L + 1) / dCoef of L = (alphar + i alphai) / beta.
linkexport -q --to mbdyn --self-test -o b.fem held.h5
want=$(awk '/To be seen/ { print $7, $(NF - 1) }' b.fem.test.mbd)
if command -v mbdyn >/dev/null; then
    mbdyn -f b.fem.test.mbd -o mb >log 2>&1 || tail -5 log
    got="$(tail -n 1 mb.mov | awk '{ print $4 }') $(awk '/^dCoef/ { sub(/;/, ""); d = $3 } /^alpha = / { on = 1; sub(/.*\[/, "") } on && NF == 3 { sub(/;/, "")
        x = $1 / $3; y = $2 / $3; f = sqrt(((x - 1) ^ 2 + y ^ 2) / ((x + 1) ^ 2 + y ^ 2)) / d / 8 / atan2(1, 1); if (!low || f < low) low = f } /^\];/ { on = 0 } END { print low }' mb_0.m)"
    echo "$want $got" | awk '!(($1 / $3 - 1) ^ 2 < 1e-11 && ($2 / $4 - 1) ^ 2 < 1e-9) { print "mbdyn is WRONG", $0 }'
fi
# CalculiX: the static displacement to the seven digits it prints, the frequency too.
linkexport -q --to abaqus --dialect calculix --self-test -o body held.h5
want=$(awk '/To be seen/ { print $7, $(NF - 1) }' body.test.inp)
if [ "$(ccx -v 2>/dev/null | awk '/Version/ { sub(/.* /, ""); print ($0 + 0 >= 2.21) }')" = 1 ]; then
    (cd body && OMP_NUM_THREADS=1 ccx ../body.test >log 2>&1 || tail -5 log)
    got=$(awk '/E I G E N V A L U E/ { on = 1 } on && $1 == 1 && NF == 5 && !f { f = $4 } $1 == 17 && NF > 3 { u = $4 } END { print u, f }' body.test.dat)
    echo "$want $got" | awk '!(($1 / $3 - 1) ^ 2 < 1e-11 && ($2 / $4 - 1) ^ 2 < 1e-11) { print "calculix is WRONG", $0 }'
fi
linkexport -q --to abaqus --self-test -o deck free.h5 && grep -c STATIC deck.test.inp
linkexport -q --to modelica --self-test -o B.mo modes.h5 && sed -n '1,5p;/assert/p' B.mo.test.mo | sed 's/[0-9.]*[0-9]\{6,\}[-e0-9]*/N/'
for args in "--to html -o x.html" "--to dmig" "--to dmig -o a/" "--to link -o x.h5"; do
    b=held.h5
    [ "$args" = "--to link -o x.h5" ] && b=l.h5
    linkexport --self-test $args $b >std
    echo "$args: exit $?, $(ls x.* 2>/dev/null | wc -l) files"
done
