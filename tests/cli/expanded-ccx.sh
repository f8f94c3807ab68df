# CalculiX' beams and shells led back to the deck's nodes: with all modes the reduced body of a cantilever with six dofs at its tip has
# the frequencies that ccx prints (seven digits), one of a free body the mass of the drawing and no strain from rigid motion. A
# thin plate's digits are lost in the matrices: 1e-5 of the first.
command -v ccx >/dev/null || skip "no ccx (calculix-ccx)"
section='*MATERIAL,NAME=S
*ELASTIC
2.1E11,0.3
*DENSITY
7850.'
deck() { # name, model on stdin
    cat >"$1.inp"
    printf '%s\n' '*STEP' '*FREQUENCY,SOLVER=MATRIXSTORAGE' '*END STEP' | cat "$1.inp" - >"$1-m.inp"
    printf '%s\n' '*STEP' '*FREQUENCY' 12 '*NODE FILE, OUTPUT=2D' U '*END STEP' | cat "$1.inp" - >"$1-f.inp"
    for k in m f; do OMP_NUM_THREADS=1 ccx "$1-$k" >"$1-$k.log" 2>&1; done
}
beam() { # boundary
    echo '*NODE'
    for k in 0 1 2 3 4 5 6 7 8; do echo "$((10 + k)),$k.,0,0" | sed 's/,\([0-8]\)\.,/,0.\1,/'; done
    printf '%s\n' '21,.8,.1,.02' '22,.8,.2,.04' '*ELEMENT,TYPE=B32,ELSET=E' 1,10,11,12 2,12,13,14 3,14,15,16 4,16,17,18 5,18,21,22
    printf '%s\n' "$section" '*BEAM SECTION,ELSET=E,MATERIAL=S,SECTION=RECT,OFFSET1=.25' .02,.03 0,-.2,1 "$@"
}
plate() { # boundary
    printf '%s\n' '*NODE' 1,0,0,0 2,.5,0,0 3,1,0,0 4,0,.1,0 5,.5,.1,0 6,1,.1,0 7,.25,0,0 8,.75,0,0 9,.25,.1,0 10,.75,.1,0 11,0,.05,0 12,.5,.05,0 13,1,.05,0
    printf '%s\n' '*ELEMENT,TYPE=S8,ELSET=E' 1,1,2,5,4,7,12,9,11 2,2,3,6,5,8,13,10,12 '*NSET,NSET=TIP' 3,6,13
    printf '%s\n' "$section" '*SHELL SECTION,ELSET=E,MATERIAL=S' .02 "$@"
}
beam '*BOUNDARY' 10,1,6 | deck cantilever
beam | deck free
plate '*BOUNDARY' 1,1,6 4,1,6 11,1,6 | deck plate
plate | deck flat
worst() { # of the first eight
    awk '/REAL PART/ { f = 1 } f && $1 ~ /^[0-9]+$/ { print $4 }' "$1-f.dat" | head -8 >want
    h5dump -m %.9g -w 1 -d /reduced/frequency r.h5 | sed -n 's/.*([0-9]*): *\([0-9.]*\).*/\1/p' | head -8 | paste - want |
        awk -v t="$2" '{ d = ($1 - $2) / $2; m = d > m ? d : -d > m ? -d : m } END { print NR, m < t }'
}
files() { echo "$1-m.sti $1-m.mas $1-m.dof $1-m.inp --input-units SI"; }
mnfparse -q $(files cantilever) --interface 22 | reduce -q --cb 160 -o r.h5 && worst cantilever 2e-6
mnfparse -q $(files plate) --average 1001=nset:TIP | reduce -q --cb 60 -o r.h5 && worst plate 1e-5
for k in free flat; do
    mnfparse -v $(files $k) --info 2>&1 | awk '/led back/ { print $0 } /^Mass x/ { print $1, $2, $5, $6, $7, $8 }
        /^K r/ { for (i = 4; i <= 9; i++) bad += $i > 1e-11; print "strained:", bad + 0 }'
done
# The modes that ccx writes are those of the body led back (six digits; of an offset section it writes the mean, which is off the node).
for k in cantilever:0.99 plate:0.99999; do
    mnfparse -q $(files ${k%:*}) -o f.h5
    mnfparse -q ${k%:*}-f.frd -o ccx.h5
    correlate -q --mac -n 8 f.h5 ccx.h5 --min-diagonal ${k#*:} >page && grep -c . page
done
# The six modes of a thin free plate are rigid, in the full body that others are compared with, too, though stiffnesses across it cancel to its 14 digits: ccx' text leaves 0.03 to 0.1 Hz.
for t in .02 .005 .001; do
    awk -v t=$t 'BEGIN {
        print "*NODE"
        for (j = 0; j < 4; j++) for (i = 0; i < 9; i++) printf "%d,%.3f,%.1f,0\n", 9 * j + i + 1, i / 8, j / 10
        print "*ELEMENT,TYPE=S4,ELSET=E"
        for (j = 0; j < 3; j++) for (i = 0; i < 8; i++) { a = 9 * j + i + 1; print 8 * j + i + 1 "," a "," a + 1 "," a + 10 "," a + 9 }
        printf "*MATERIAL,NAME=S\n*ELASTIC\n2.1E11,0.3\n*DENSITY\n7850.\n*SHELL SECTION,ELSET=E,MATERIAL=S\n%s\n", t }' | deck thin
    mnfparse -q $(files thin) | reduce -q --mdm 8 -o r.h5
    h5dump -m %.9g -w 1 -d /reduced/frequency r.h5 | sed -n 's/.*([0-9]*): *\([-0-9.e]*\).*/\1/p' | head -7 | awk '{ zero += $1 == 0; last = $1 } END { print zero, (last > 1) }'
    mnfparse -q $(files thin) --average 1001=x=min --average 1002=x=max -o f.h5 && reduce -q --cb 18 --check f.h5 -o r.h5
    mnfparse --info r.h5 | grep -c 'rigid  '
    correlate -q --nco -n 40 f.h5 r.h5 | grep -c 'rigid  '
done
