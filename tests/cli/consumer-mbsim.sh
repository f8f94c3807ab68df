# MBSim's import, as its source reads (ExternalFlexibleFfrBody::importData; GroupBase::getChildObjectNames and SimpleDataset of
# hdf5serie; SymMat of fmatvec): names in the order of creation, fixed dims, native types, symmetry to 1e-13. Then the mass
# matrix of the flying body as it sums it: the L-shaped frame bends in its plane as the free body does (rotary inertia, which
# MBSim does not know, is left out of the frame). Numbers: the free body reduced over both ends spans the same motions.
for py in python3 /usr/bin/python3 none; do $py -c 'import scipy.linalg, h5py' 2>/dev/null && break; done
[ $py = none ] && skip "no python3-scipy and python3-h5py"
frame --shape lshape --rotary 1e-20 -o l.h5
reduce --cb 18 -o free.h5 l.h5
reduce --cb 12 --fix 1 l.h5 | invariants | linkexport --mbsim --frame node:1 -o input_data.h5
cat >read.py <<'P'
import numpy as np, h5py
from scipy.linalg import eigh
f, names = h5py.File("input_data.h5"), []
f.id.links.iterate(lambda n: names.append(n.decode()), idx_type=h5py.h5.INDEX_CRT_ORDER)
def simple(name, rank, dtype="<f8"):
    d = f[names[names.index(name)]]
    assert d.maxshape == d.shape and len(d.shape) == rank and d.dtype == np.dtype(dtype), name
    return d[()]
def symmetric(name):
    A = simple(name, 2)
    assert (abs(A - A.T) <= abs(A * 1e-13 + 1e-13)).all(), name
    return A
m, s, rr, S1 = simple("mass", 0), simple("position integral", 1), symmetric("position position integral"), simple("shape function integral", 2)
K, N, W = symmetric("stiffness matrix"), simple("position shape function integral", 2), simple("shape function shape function integral", 2)
n = len(K)
phi, psi = simple("nodal shape matrix of translation", 2), simple("nodal shape matrix of rotation", 2)
r, number = simple("nodal relative position", 1), simple("node numbers", 1, "<i4")
print(n, len(number), phi.shape == psi.shape == (len(r), n), names.count("openmbv indices"))
skew = np.array([[0, -s[2], s[1]], [s[2], 0, -s[0]], [-s[1], s[0], 0]])
I4 = np.array([N[3 * a + b] - N[3 * b + a] for a, b in ((1, 2), (2, 0), (0, 1))])
M = np.block([[m * np.eye(3), -skew, S1], [skew, np.trace(rr) * np.eye(3) - rr, I4], [S1.T, I4.T, W[:n] + W[3 * n:4 * n] + W[5 * n:]]])
P = np.zeros_like(M)
P[6:, 6:] = K
got = np.sqrt(abs(eigh(P, M, eigvals_only=True))) / (2 * np.pi)
want = abs(h5py.File("free.h5")["reduced/frequency"][()])
plane = [w for w in want[6:] if min(abs(got / w - 1)) < 1e-9]
print(sum(got < 1e-3), ["%.5f" % w for w in plane])
P
$py read.py
# What MBSim cannot integrate is refused: rigid motion twice; a motion that is the rotary inertia of nodes alone.
mnfparse "$DATA/../../samples/beam.mnf" -o beam.h5
reduce --cb 18 beam.h5 | invariants | linkexport --mbsim >x.h5
reduce --cb 12 --fix 1 --interface 21 beam.h5 | invariants | linkexport --mbsim >x.h5
reduce --cb 10 --fix 1 --interface 21:1235 beam.h5 | invariants | linkexport --mbsim >x.h5 && echo without torsion
