# CalculiX, as its source reads (matrixassembles.f, mafillsm.f, mastruct.c, nodes.f): the entries of the stiffness file are the
# pattern, an entry of the mass file outside of it ends the run; fields of a deck are cut at 20 characters. Frequencies of what it
# takes are those of the reduced pair; where a ccx from 2.21 on is installed, those that it prints are, too, to its 7 digits.
for py in python3 /usr/bin/python3 none; do $py -c 'import scipy.linalg, h5py' 2>/dev/null && break; done
[ $py = none ] && skip "no python3-scipy and python3-h5py"
mnfparse "$DATA/../../samples/beam.mnf" | reduce --cb 18 -o r.h5
linkexport --to abaqus --dialect calculix -o body r.h5
linkexport --to abaqus -o abaqus r.h5
cat >read.py <<'P'
import sys, numpy as np, h5py
from scipy.linalg import eigh
def frequencies(folder):
    K, M = ({(int(f[0]), int(f[1]), int(f[2]), int(f[3])): float(f[4]) for f in (l.split(",") for l in open("%s/%s.mtx" % (folder, n)))} for n in "KM")
    outside = [k for k in M if k not in K]
    dofs = sorted({k[:2] for k in K} | {k[2:] for k in K})
    dense = []
    for A in (K, M):
        a = np.zeros((len(dofs), len(dofs)))
        for k, v in A.items():
            i, j = dofs.index(k[:2]), dofs.index(k[2:])
            a[i, j] = a[j, i] = v
        dense.append(a)
    return outside, np.sqrt(abs(eigh(*dense, eigvals_only=True))) / (2 * np.pi)
want = abs(h5py.File("r.h5")["reduced/frequency"][()])
outside, got = frequencies("body")
print(len(outside), len(got), max(abs(got[6:] / want[6:] - 1)) < 1e-9, max(got[:6]) < 1e-2)
print("lines of Abaqus' mass that would end it:", len(frequencies("abaqus")[0]) > 0)
deck = open("body/body.inp").read().splitlines()
print([l for l in deck if l.startswith("*") and not l.startswith("**")])
at, card = {}, ""
for l in deck:
    card = l.split(",")[0] if l.startswith("*") else card
    if card == "*NODE" and not l.startswith("*"):
        f = [x.strip()[:20] for x in l.split(",")]
        at[int(f[0])] = [float(x) for x in f[1:]]
print(at[1], at[21])
P
$py read.py
[ "$(ccx -v 2>/dev/null | awk '/Version/ { sub(/.* /, ""); print ($0 + 0 >= 2.21) }')" = 1 ] || exit 0
cd body && printf '*INCLUDE, INPUT=body.inp\n*STEP\n*FREQUENCY\n9\n*END STEP\n' >job.inp && OMP_NUM_THREADS=1 ccx job >log &&
    awk '$1 ~ /^[789]$/ && NF == 5 { print $4 }' job.dat >got &&
    $py -c 'import h5py; w = abs(h5py.File("../r.h5")["reduced/frequency"][6:9])
g = [float(x) for x in open("got")]; assert len(g) == 3 and all(abs(g / w - 1) < 1e-6), (g, w)'
