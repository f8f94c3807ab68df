# OpenFAST's ExtPtfm, as its source reads (ReadReducedFile, CheckReducedInputs): the FLEX 5 form of the releases, where a line
# stands between keyword and matrix and T/dt + 1 loads follow, and the form of 2026 with self-weight, where a free body must
# pass the checks of a floating one. Frequencies of what it takes are those of the reduced pair.
for py in python3 /usr/bin/python3 none; do $py -c 'import scipy.linalg, h5py' 2>/dev/null && break; done
[ $py = none ] && skip "no python3-scipy and python3-h5py"
frame --shape lshape -o l.h5
reduce --cb 12 --fix 1 --interface 21 --modal-damping 0.01 -o held.h5 l.h5
reduce --cb 12 --interface 21 -o free.h5 l.h5
linkexport --to openfast -o held.dat held.h5
linkexport --to openfast --dialect weight -o free.dat free.h5
cat >read.py <<'P'
import numpy as np, h5py
from scipy.linalg import eigh
def superelement(name, flex5):
    lines, p, dt = iter(open(name).read().splitlines()), {"n": -1}, 0
    rows = lambda m: np.array([[float(x) for x in next(lines).split()[:m]] for i in range(p["n"])])
    for line in lines:
        word = line.upper()
        if word.startswith("!DIMENSION"):
            p["n"] = int(line[11:])
        elif word.startswith("!TIME INCREMENT IN SIMULATION:"):
            dt = float(line[30:])
        elif word.startswith("!TOTAL SIMULATION TIME IN FILE:"):
            T = float(line[31:])
        elif word.startswith("!LOADING") and flex5:
            next(lines)
            p["loads"] = [[float(x) for x in next(lines)[:4096].split()[:p["n"] + 1]] for i in range(round(T / dt) + 1)]
        elif word.startswith("!WEIGHT CONSTANT"):
            p["W0"] = np.array([float(x) for x in next(lines).split()])
        else:
            for key in ("MASS", "STIFFNESS", "DAMPING", "WEIGHT STIFFNESS"):
                if word.startswith("!" + key):
                    if flex5:
                        next(lines)
                    p[key] = rows(p["n"])
    assert all(p[k].shape == (p["n"], p["n"]) for k in ("MASS", "STIFFNESS", "DAMPING"))
    return p
def compare(p, name):
    want = abs(h5py.File(name)["reduced/frequency"][()])
    got = np.sqrt(abs(eigh(p["STIFFNESS"], p["MASS"], eigvals_only=True))) / (2 * np.pi)
    r = sum(want == 0)
    print(p["n"], r, "rigid", max(abs(got[r:] / want[r:] - 1)) < 1e-9, max(got[:r], default=0) < 1e-3)
p = superelement("held.dat", True)
compare(p, "held.h5")
w, V = eigh(p["STIFFNESS"], p["MASS"])
zeta = np.diag(V.T @ p["DAMPING"] @ V) / 2 / np.sqrt(w)
print("damping %.6f to %.6f," % (min(zeta), max(zeta)), len(p["loads"]), "instants of", len(p["loads"][0]), "numbers, all zero:", not np.any(np.array(p["loads"])[:, 1:]))
p = superelement("free.dat", False)
compare(p, "free.h5")
M, K, W0, KW, tol = p["MASS"], p["STIFFNESS"], p["W0"], p["WEIGHT STIFFNESS"], 1e-4
near = lambda a, b: abs(a - b) <= max(1e-3 * abs(b), tol)
m = M[0, 0]
x, y, z = M[1, 5] / m, -M[0, 5] / m, M[0, 4] / m
print("mass %.6f, centre %.6f %.6f %.6f of node 21" % (m, x, y, z + 0))
assert abs(K[:6]).max() <= tol and near(M[0, 4], -M[1, 3]) and near(M[0, 5], -M[2, 3]) and near(M[1, 5], -M[2, 4])
assert near(W0[3], W0[2] * y) and near(W0[4], -W0[2] * x) and abs(W0[[0, 1, 5]]).max() <= tol and near(W0[2], -9.80665 * m)
want = np.zeros((6, 6))
want[0, 4], want[1, 3], want[3, 3], want[4, 4], want[5, 3], want[5, 4] = W0[2], -W0[2], W0[2] * z, W0[2] * z, -W0[2] * x, -W0[2] * y
assert all(near(a, b) for a, b in zip(KW[:6, :6].ravel(), want.ravel())) and abs(KW[:, [0, 1, 2, 5]]).max() <= tol
P
$py read.py
reduce --cb 18 l.h5 | linkexport --to openfast
linkexport --to openfast --units mm-t-s held.h5
reduce --cb 9 --interface 21:123 l.h5 2>/dev/null | linkexport --to openfast
echo "exit $?"
