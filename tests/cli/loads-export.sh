# SPDX-License-Identifier: GPL-3.0-or-later
# Loads in every target that has a place for them: the same numbers as in /reduced/load, to the digits of the target.
values() { h5dump -y -w 1 -m '%.17g' -d "$2" "$1" | awk '/ATTRIBUTE/ { exit } on { gsub(/[ ,}]/, ""); if ($0 != "") print } /DATA {/ { on = 1 }'; }
same() { # what, digits: numbers of got against those of want, which count the same
    paste want got | awk -v what="$1" -v tol="$2" '{ d = $1 - $2; d = d < 0 ? -d : d; m = $1 < 0 ? -$1 : $1; if (d > w) w = d; if (m > top) top = m }
        NF != 2 { w = 1e300 } END { print what ": " NR " numbers, " (w <= tol * top ? "the same" : "off by " w) }'
}
frame --shape lshape --elements 16 --mass consistent -o f.h5
mnfparse f.h5 --load gravity:0,0,-9.81 --load spin=centrifugal:0,0,10 | reduce --cb 10 --fix 1 --interface 17 --loads load:all | invariants -o b.h5
values b.h5 /reduced/load >want
linkexport --to link b.h5 -o link.h5 && values link.h5 /reduced/load >got && same link 0
values link.h5 /reduced/load_dof | tr '\n' ' '
linkexport --to mm -o mm b.h5 && sed 1,3d mm/P.mtx >got && same mm 1e-15 && cat mm/loads.txt
linkexport --to mm -o full f.h5 && ls full | grep -c P.mtx
linkexport --to exudyn -o body.hdf5 b.h5 2>/dev/null && values body.hdf5 /loadVectors >got && same exudyn 0
linkexport --to mbdyn -o body.fem b.h5 && sed -n 's/^\*\*     const, \([^,;]*\)[,;]*$/\1/p' body.fem >got && same mbdyn 1e-15 && grep 'LOAD' body.fem
linkexport --to dmig -o body.pch b.h5 && mnfparse body.pch --load body.pch 2>/dev/null >again.h5 && values again.h5 /reduced/load >got && same dmig 1e-9
grep -A1 'PAX' body.pch | sed -n 1,5p
linkexport --to abaqus -o deck b.h5 && mnfparse deck/body.inp deck/K.mtx deck/M.mtx --load deck/load1.inp --load deck/load2.inp 2>/dev/null >again.h5
values again.h5 /full/load >got && same abaqus 1e-12
linkexport --to openfast -o of.dat b.h5 && sed -n '/!Loading/,$p' of.dat | sed -n 3p
linkexport --to openfast --load lift -o of.dat b.h5
echo "exit $?"
linkexport --to openfast --load spin -o of.dat b.h5 && sed -n '/!Loading/,$p' of.dat | sed -n 4p | tr ' ' '\n' | sed 1d >got && tail -n 12 want >w && mv w want && same openfast 1e-15
linkexport --to text b.h5 | grep -A3 "^Loads T'P"
for to in sid modelica simscape mnf erls; do linkexport --to $to --dialect none b.h5 >/dev/null 2>&1; linkexport --to $to b.h5 -o $to.out 2>&1 | grep 'load vectors'; done
if command -v octave-cli >/dev/null; then
    linkexport --to mat -o b.mat b.h5 && values b.h5 /reduced/load >want
    HOME=. octave-cli -q --eval 'load b.mat; printf("%.17g\n", P)' >got 2>/dev/null && same mat 1e-15 | grep -v 'the same'
fi
exit 0
