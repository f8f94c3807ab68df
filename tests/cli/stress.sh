# Stress of a cantilever of 20-node solids, from modes and static answers of ccx: bending stress M y / I of Timoshenko's beam for a
# unit displacement of its tip (nu = 0: the clamp disturbs nothing), on coordinates as they are, turned, in mm, through .mnf and back.
command -v ccx >/dev/null || skip "no ccx (calculix-ccx)"
awk 'BEGIN { # 0.5 x 0.02 x 0.03 m, 20 x 1 x 2 bricks: lattice of half cells, points with at most one odd coordinate
    print "*NODE, NSET=NALL"
    for (i = 0; i <= 40; i++) for (j = 0; j <= 2; j++) for (k = 0; k <= 4; k++)
        if (i % 2 + j % 2 + k % 2 < 2) { id[i, j, k] = ++n; printf "%d, %.13e, %.13e, %.13e\n", n, i / 80, j / 100, k * 0.0075 }
    split("0 0 0 2 0 0 2 2 0 0 2 0 0 0 2 2 0 2 2 2 2 0 2 2 1 0 0 2 1 0 1 2 0 0 1 0 1 0 2 2 1 2 1 2 2 0 1 2 0 0 1 2 0 1 2 2 1 0 2 1", c, " ")
    print "*ELEMENT, TYPE=C3D20, ELSET=EALL"
    for (i = 0; i < 40; i += 2) for (k = 0; k < 4; k += 2) {
        printf "%d", ++e
        for (q = 0; q < 20; q++) printf ",%s%d", q == 10 ? "\n" : "", id[i + c[3 * q + 1], c[3 * q + 2], k + c[3 * q + 3]]
        print ""
    }
    for (s = 0; s < 2; s++) {
        print s ? "*NSET, NSET=TIP" : "*NSET, NSET=ROOT"
        for (j = 0; j <= 2; j++) for (k = 0; k <= 4; k++) if ((40 * s, j, k) in id) print id[40 * s, j, k]
    }
    print "*MATERIAL, NAME=S\n*ELASTIC\n210E9, 0\n*DENSITY\n7850.\n*SOLID SECTION, ELSET=EALL, MATERIAL=S"
}' >mesh.inp
ask='*NODE FILE
U
*EL FILE
S,E
*END STEP'
printf '%s\n' '*INCLUDE, INPUT=mesh.inp' '*STEP' '*FREQUENCY, SOLVER=MATRIXSTORAGE' '*END STEP' >k.inp
printf '%s\n' '*INCLUDE, INPUT=mesh.inp' '*BOUNDARY' 'ROOT,1,3' '*STEP' '*FREQUENCY' 9 "$ask" >modes.inp
printf '%s\n' '*INCLUDE, INPUT=mesh.inp' '*BOUNDARY' 'ROOT,1,3' '*STEP' '*STATIC' '*CLOAD' 'TIP,2,10.' "$ask" \
    '*STEP' '*STATIC' '*CLOAD, OP=NEW' 'TIP,3,10.' "$ask" >static.inp
for k in k modes static; do OMP_NUM_THREADS=1 ccx $k >$k.log 2>&1; done
model="k.sti k.mas k.dof mesh.inp --average HUB=TIP --input-units SI"
# The tip's mean displacement in y and z, 4 normal modes held there. M y / I at x = 0.25, z = 0.03: 6e-4 (mesh of 40 half cells).
values() { h5dump -m '%.9g' -y -w 1 "$@" | awk '/ATTRIBUTE/ { exit } on { gsub(/[ ,}]/, ""); if ($0 != "") print } /DATA {/ { on = 1 }'; }
bend() { # stream, coordinate, dataset
    node=$(values -d /nodes/xyz "$1" | paste - - - | awk '$1 == 0.25 && $2 == 0.01 && $3 == 0.03 { print NR }')
    node=$(values -d /stress/node "$1" | awk -v node="$node" '$1 == node { print NR - 1 }')
    values -d "$3" -s "$2,${node:-0},0" -c 1,1,6 "$1" | paste - - - - - - | awk '{
        E = 210e9; L = 0.5; b = 0.02; h = 0.03; I = b * h ^ 3 / 12; G = E / 2
        F = 1 / (L ^ 3 / 3 / E / I + L / (5 / 6 * G * b * h))
        want = -F * (L - 0.25) * h / 2 / I
        for (q = 2; q <= 6; q++) off += $q < 0 ? -$q : $q
        d = $1 / want - 1
        print (d < 1e-3 && d > -1e-3 ? "M y / I" : $1 " is not " want), off < 2e-2 * ($1 < 0 ? -$1 : $1) ? "alone" : "and " off
    }'
}
# shellcheck disable=SC2086
mnfparse -q $model --stress modes.frd --stress static.frd -o m.h5
reduce --method cb --modes 4 --fix nset:ROOT --interface HUB:23 m.h5 -o r.h5 && mnfparse --info r.h5 | sed -n 's/lack [0-9.]* %/lack some %/p'
bend r.h5 1 /stress/coordinate
values -d /stress/residual r.h5 | awk '{ w = $1 > w ? $1 : w } END { print NR, w < 0.05 ? "residuals below 5 %" : w }'
mnfparse r.h5 --translate 0,0,1 --units mm-t-s -o mm.h5 && mnfparse mm.h5 --translate 0,0,-1000 --units SI -o si.h5 && bend si.h5 1 /stress/coordinate
mnfparse r.h5 --rotate z:90 --rotate x:90 -o turned.h5 && mnfparse turned.h5 --rotate x:-90 --rotate z:-90 -o back.h5 && bend back.h5 1 /stress/coordinate
# --drop and --orthonormalize: eigenvectors, whose stress an .mnf holds; read back, it is that of the coordinates.
reduce --drop 3,4 r.h5 -o dropped.h5 && bend dropped.h5 1 /stress/coordinate
reduce --method cb --modes 4 --fix nset:ROOT --interface HUB:23 --orthonormalize m.h5 -o o.h5
linkexport --to mnf -o o.mnf o.h5 && mnfparse -q o.mnf -o o2.h5
values -d /stress/coordinate o.h5 >a && values -d /stress/value o2.h5 | paste a - | awk '{ d = $1 - $2; n++
    if (d * d > w) w = d * d
    if ($1 * $1 > t) t = $1 * $1 } END { print n, w < 1e-16 * t ? "block 18" : w " of " t }'
# A record with T has it by coordinates alone, which are cut and turned.
invariants -q r.h5 | linkexport --with-T -o record.h5
for o in "--drop 3,4" "--drop 1 --orthonormalize"; do
    for k in r record; do # shellcheck disable=SC2086
        reduce $o $k.h5 -o cut.h5 && values -d /stress/coordinate cut.h5 | sed 's/^-//' >$k.txt && mnfparse --info cut.h5 | grep -c '^Stress'
    done
    paste r.txt record.txt | awk '{ d = ($1 - $2) ^ 2; w = d > w ? d : w; t = $1 ^ 2 > t ? $1 ^ 2 : t } END { print NR, w < 1e-12 * t ? "same" : w " of " t }'
done
invariants r.h5 | linkexport --mbsim -o l.h5 && h5ls l.h5 | sed -n 's/.*stress. matrix *//p'
h5ls -r l.h5 | sed -n 's,^/stress/\([a-z_]*\) .*,\1,p' | tr '\n' ' ' && echo
linkexport --to vtu --dialect single -o r.vtu r.h5 && grep -c 'Name="\(stress\|von_Mises\)_00' r.vtu
# The modes alone: their stress comes with them. Six dofs at the tip: what turns and stretches it is not among the shapes.
mnfparse -q modes.frd | mnfparse --info | grep Stress
reduce --method cb --modes 4 --fix nset:ROOT --interface HUB m.h5 >x.h5 || echo refused
reduce -q --method cb --modes 4 --fix nset:ROOT --interface HUB --stress-tolerance 1 m.h5 | mnfparse --info | grep Stress
# The .mnf as the source of stress: its six modes span the coordinates.
# shellcheck disable=SC2086
mnfparse -q $model --stress o.mnf | reduce --method cb --modes 4 --fix nset:ROOT --interface HUB:23 --stress-tolerance 1e-3 -o a.h5 && bend a.h5 1 /stress/coordinate
mnfparse -q m.h5 --stress "$DATA/../../samples/beam.mnf" >x.h5
# A rigid tip under a force and a moment: the shapes name the nodes that follow the frame, not the frame; a load acts on it, so that its
# stiffness does not tell how it moves. Two answers span what the two dofs of the frame do, to the six digits of the file.
printf '%s\n' '*INCLUDE, INPUT=mesh.inp' '*NODE' '1001, 0.5, 0.01, 0.015' '1002, 0.5, 0.01, 0.015' '*RIGID BODY, NSET=TIP, REF NODE=1001, ROT NODE=1002' \
    '*BOUNDARY' 'ROOT,1,3' '*STEP' '*STATIC' '*CLOAD' '1001,2,10.' "$ask" '*STEP' '*STATIC' '*CLOAD, OP=NEW' '1002,3,1.' "$ask" >loaded.inp
OMP_NUM_THREADS=1 ccx loaded >loaded.log 2>&1
mnfparse -q k.sti k.mas k.dof mesh.inp --rigid HUB=TIP@0.5,0.01,0.015 --input-units SI --stress loaded.frd |
    reduce -q --guyan 2 --fix nset:ROOT --interface HUB:26 --stress-tolerance 1 -o f.h5
values -d /stress/residual f.h5 | awk '{ w = $1 > w ? $1 : w } END { print NR, w < 0.02 ? "told by what follows the frame" : w }'
# The same shapes and their stress as unlabelled matrices, OUTPUT4 in text: rows of SHAPES in the order of the stiffness matrix, of SIG
# six a node of the list, here in an order of its own. The numbers are those of the .frd, to 17 digits.
op4() { # name, rows, columns: the numbers, columns one after the other
    awk -v name="$1" -v m="$2" -v n="$3" '{ v[NR] = $1 } END {
        printf "%8d%8d%8d%8d%-8s%s\n", n, m, 2, 2, name, "1P,3E24.16"
        for (c = 1; c <= n; c++) {
            printf "%8d%8d%8d\n", c, 1, m
            for (r = 1; r <= m; r++) printf "%24.16E%s", v[(c - 1) * m + r], r % 3 == 0 || r == m ? "\n" : ""
        }
        printf "%8d%8d%8d\n%24.16E\n", n + 1, 1, 1, 1
    }'
}
backwards() { awk -v n="$ns" '{ v[NR] = $1 } END { for (k = 0; k < NR / 6; k++) { at = 6 * (k - k % n + n - 1 - k % n); for (c = 1; c <= 6; c++) print v[at + c] } }'; }
full() { h5dump -m '%.17g' -y -w 1 "$@" | awk '/ATTRIBUTE/ { exit } on { gsub(/[ ,}]/, ""); if ($0 != "") print } /DATA {/ { on = 1 }'; }
mnfparse -q k.sti k.mas k.dof mesh.inp --input-units SI --stress modes.frd --stress static.frd -o plain.h5
values -d /stress/node plain.h5 | tac >nodes
ns=$(wc -l <nodes) && ndof=$(values -d /dofs/node plain.h5 | wc -l) && full -d /stress/shape plain.h5 >shapes && n=$(($(wc -l <shapes) / ndof))
full -d /stress/shape_stress plain.h5 | backwards >sig
{ op4 SHAPES "$ndof" "$n" <shapes && op4 SIG $((6 * ns)) "$n" <sig && op4 SHORT $((6 * ns - 6)) "$n" <sig; } >run.op4
# shellcheck disable=SC2086
mnfparse -q $model --stress run.op4:SHAPES,SIG,@nodes -o t.h5
reduce --method cb --modes 4 --fix nset:ROOT --interface HUB:23 t.h5 -o tr.h5 && bend tr.h5 1 /stress/coordinate
values -d /stress/coordinate r.h5 >a && values -d /stress/coordinate tr.h5 | backwards | paste a - | awk '{ d = $1 - $2; n++
    if (d * d > w) w = d * d
    if ($1 * $1 > t) t = $1 * $1 } END { print n, w < 1e-24 * t ? "as from the .frd" : w " of " t }'
for names in SHAPES,SIG SHAPES,SIG,1-9 SHAPES,SHORT,@nodes SHAPES, SHAPES,OTHER,@nodes SIG,SHAPES,@nodes SHAPES,SIG,@nodes,7 SHAPES,SIG,9999; do
    mnfparse -q m.h5 --stress "run.op4:$names" >x.h5 || echo "$names: exit $?"
done
mnfparse -q m.h5 --stress run.op4 >x.h5 || echo "exit $?"
# Not of this model, or without what is wanted.
sed '/2C/,/^ -3/s/5.00000E-01/5.10000E-01/' static.frd >longer.frd
mnfparse -q m.h5 --stress longer.frd >x.h5
sed s/STRESS/NOTHING/ static.frd >strain.frd && mnfparse -q m.h5 --stress strain.frd >x.h5
mnfparse -q k.sti k.mas k.dof mesh.inp --stress k.frd >x.h5
mnfparse -q modes.frd --stress static.frd >x.h5
frame | reduce --mdm 3 --stress-tolerance 0.2 >x.h5
# The same results as universal files: sets 2414 of static answers, 55 of modes, stress as xx xy yy xz yz zz.
universal() {
    awk 'function analysis(characteristic, quantity, n) {
            printf "    -1\n  2414\n%10d\nNONE\n%10d\n", ++label, 1; for (k = 0; k < 5; k++) print "NONE"
            printf "%10d%10d%10d%10d%10d%10d\n", 1, 1, characteristic, quantity, 2, n
            printf "%10d%10d%10d%10d%10d%10d%10d%10d\n%10d%10d\n", 0, 0, 1, 0, number, 0, 0, 0, 0, 0
            for (k = 0; k < 2; k++) printf "%13.5E%13.5E%13.5E%13.5E%13.5E%13.5E\n", 0, 0, 0, 0, 0, 0
        }
        function head(characteristic, quantity, n) {
            if (!modal) { analysis(characteristic, quantity, n); return }
            printf "    -1\n    55\n"; for (k = 0; k < 5; k++) print "NONE"
            printf "%10d%10d%10d%10d%10d%10d\n", 1, 2, characteristic, quantity, 2, n
            printf "%10d%10d%10d%10d\n%13.5E%13.5E%13.5E%13.5E\n", 2, 4, 1, number, hz, 0, 0, 0
        }
        /^  100C/ { modal = /MODAL/; hz = substr($0, 13, 12); number = substr($0, 8, 5) - 100 }
        /^ -4  DISP/ { head(2, 8, 3); on = 3 }
        /^ -4  STRESS/ { head(4, 2, 6); on = 6 }
        on && /^ -1/ {
            for (k = 1; k <= on; k++) v[k] = substr($0, 14 + 12 * (k - 1), 12)
            printf "%10d\n", substr($0, 4, 10)
            if (on == 3) printf "%13.5E%13.5E%13.5E\n", v[1], v[2], v[3]
            else printf "%13.5E%13.5E%13.5E%13.5E%13.5E%13.5E\n", v[1], v[4], v[2], v[6], v[5], v[3]
        }
        /^ -3/ { if (on) print "    -1"; on = 0 }' "$1"
}
universal modes.frd >modes.unv && universal static.frd >static.unv
# shellcheck disable=SC2086
mnfparse -q $model --stress modes.unv --stress static.unv -o u.h5
reduce --method cb --modes 4 --fix nset:ROOT --interface HUB:23 u.h5 -o ur.h5 && bend ur.h5 1 /stress/coordinate
values -d /stress/coordinate r.h5 >a && values -d /stress/coordinate ur.h5 | paste a - | awk '{ d = $1 - $2; n++
    if (d * d > w) w = d * d
    if ($1 * $1 > t) t = $1 * $1 } END { print n, w < 1e-24 * t ? "as from the .frd" : w " of " t }'
mnfparse -q modes.unv mesh.inp | mnfparse --info | grep Stress
true
# An .mnf in units of its own, m and N or mm and kN, beside matrices in mm and N: the same stress.
mnfparse -q k.sti k.mas k.dof mesh.inp --average HUB=TIP --input-units SI --units mm-t-s -o mt.h5
for u in mm-t-s mm-kg-ms SI; do
    mnfparse -q o.h5 --units $u -o ou.h5 && linkexport -q --to mnf -o ou.mnf ou.h5 && mnfparse -q mt.h5 --stress ou.mnf -o s.h5
    for d in shape shape_stress; do values -d /stress/$d s.h5; done >$u.txt
    paste mm-t-s.txt $u.txt | awk -v u=$u '{ d = $1 - $2; if (d * d > w) w = d * d; if ($1 * $1 > t) t = $1 * $1 }
        END { print u, (t && w < 1e-12 * t ? "same stress" : w " of " t) }'
done
# Where units are not consistent (kg, mm, s and N), K of Exudyn is in kg mm s^-2, and so is its stress: 1 kg/(mm s^2) is 1000 Pa.
perl -e 'local $/; open F, "o.mnf"; $_ = <F>; sub wide { join "", map { "\0\0\0$_" } split //, pack("a16", $_[0]) }
    substr($_, index($_, wide("METER")), 64) = wide("MILLIMETER"); print' >mixed.mnf
mnfparse -q mixed.mnf | reduce -q --mdm 3 | invariants -q -o mixed.h5
for u in "" "--units SI"; do linkexport -q $u --to exudyn mixed.h5 -o "m$u.exu" && values -d /postProcessingModes/matrix "m$u.exu" >"m$u.txt"; done
paste m.txt "m--units SI.txt" | awk '{ d = 1000 * $1 - $2; if (d * d > w) w = d * d; if ($2 * $2 > t) t = $2 * $2 } END { print (t && w < 1e-20 * t ? "the same stress" : w " of " t) }'
