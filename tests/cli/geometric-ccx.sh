# Geometric stiffness by CalculiX: a bar of solids that turns about z, the supports released in the step that writes the matrices, with
# the centrifugal load there (its own stiffness, the softening, is in the matrix then) and without. Both give the same geometric stiffness,
# and so does a body that hangs on its supports in both steps, away from them;
# and with it w^2 of the lowest bending grows by 1.1887 and 0.1888 of the speed's square out of the plane and in it (beams: Wright et
# al., J. Appl. Mech. 49 (1982); 0.01 for the solids' section and shear).
command -v ccx >/dev/null || skip "no ccx"
for py in python3 /usr/bin/python3 none; do $py -c 'import scipy.linalg, h5py' 2>/dev/null && break; done
[ $py = none ] && skip "no python3-scipy and python3-h5py"
deck() { # loads of the static step; cards of the next; supports without loads
    awk -v load="$1" -v cards="$2" -v held="$3" 'function id(i, j, k) { if (!((i, j, k) in n)) { n[i, j, k] = ++m
            printf "*NODE\n%d, %.10g, %.10g, %.10g\n", m, i / 24, (j - 1) / 100, (k - 1) / 100
            if (i == 0) hub = hub m ",\n"; if (i == 24) tip = tip m ",\n" } return n[i, j, k] }
        BEGIN { corners = "000 200 220 020 002 202 222 022 100 210 120 010 102 212 122 012 001 201 221 021"; split(corners, c, " ")
            for (e = 0; e < 12; e++) { list = ""
                for (a = 1; a <= 20; a++) list = list (a > 1 ? "," : "") (a == 11 ? "\n" : "") id(2 * e + substr(c[a], 1, 1), substr(c[a], 2, 1), substr(c[a], 3))
                printf "*ELEMENT,TYPE=C3D20,ELSET=EALL\n%d,%s\n", e + 1, list }
            printf "*NSET,NSET=HUB\n%s*NSET,NSET=TIP\n%s*MATERIAL,NAME=M\n*ELASTIC\n7e10,0.33\n*DENSITY\n2700\n", hub, tip
            print "*SOLID SECTION,ELSET=EALL,MATERIAL=M"
            if (load) printf "*BOUNDARY\nHUB,1,3\n*STEP,NLGEOM\n*STATIC\n*DLOAD\n%s\n*END STEP\n*STEP,PERTURBATION\n%s", load, cards
            else printf "%s*STEP\n", held
            printf "*FREQUENCY,SOLVER=MATRIXSTORAGE\n2\n*END STEP\n" }'
}
spin='EALL,CENTRIF,1e4,0.,0.,0.,0.,0.,1.'
deck >plain.inp && deck "$spin" '*BOUNDARY,OP=NEW\n' >soft.inp && deck "" "" '*BOUNDARY\nHUB,1,3\n' >hung.inp && deck "$spin" "" >held.inp && deck "$spin" '*BOUNDARY,OP=NEW\n*DLOAD,OP=NEW\n' >wz2.inp
deck 'EALL,CENTRIF,1e4,0.,0.05,0.,0.,0.,1.' '*BOUNDARY,OP=NEW\n*DLOAD,OP=NEW\n' >beside.inp
for job in plain hung held soft wz2 beside; do OMP_NUM_THREADS=1 ccx $job >$job.log 2>&1 || tail -3 $job.log; done
for job in soft wz2; do
    mnfparse --input-units SI -v plain.sti plain.mas plain.dof plain.inp --rigid root=HUB@0,0,0 --rigid end=TIP@1,0,0 --geometric $job.sti:wz2=1e4 -o b.h5 2>log
    grep -c 'softening of a turning mass' log
    grep -c 'warning: --geometric' log
    reduce --cb 16 --fix root --interface end b.h5 | invariants -o $job.h5
done
mnfparse --input-units SI -v hung.sti hung.mas hung.dof hung.inp --rigid end=TIP@1,0,0 --geometric held.sti:wz2=1e4 -o b.h5 2>log
grep -c 'softening of a turning mass' log
grep -c 'warning: --geometric' log
reduce -q --cb 16 b.h5 | invariants -q -o held.h5
# An axis beside the bar's line bends it: 128 instead of 24 Hz in the plane (0.05 of the length, 100 rad/s), which the warning foretells.
mnfparse --input-units SI plain.sti plain.mas plain.dof plain.inp --rigid root=HUB@0,0,0 --rigid end=TIP@1,0,0 --geometric beside.sti:wz2=1e4 -o b.h5
$py - <<'P'
import h5py, numpy as np
from scipy.linalg import eigh
speed, kg = np.sqrt(7e10 * 0.02 ** 2 / 12 / 2700), []
for job in "soft", "wz2", "held":
    f = h5py.File(job + ".h5")
    K, M, W = f["reduced/K"][()], f["reduced/M"][()], f["invariants/I11"][()]
    kg.append(f["reduced/Kg"][0])
    w0, w = (eigh(K + y * (kg[-1] - W[0, 0] - W[1, 1]), M, eigvals_only=True)[:2] / speed ** 2 for y in (0, 4 * speed ** 2))
    print(abs((w - w0) / 4 - [0.1888, 1.1887]).max() < 0.01)
print(abs(kg[0] - kg[1]).max() < 1e-5 * abs(kg[1]).max())
P
