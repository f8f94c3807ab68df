# Exudyn's ObjectFFRFreducedOrderInterface.LoadFromFile, as its source reads (advancedUtilities.py LoadDictFromHDF5, FEM.py
# SetWithDictionary), and its integrals, as its constructor writes them with the mass matrix of all nodes: equal to round-off for a
# frame of mass points (no rotary inertia, which three dofs a node do not hold). The body that flies by them has the frequencies
# of the free body reduced over both ends, which spans the same motions.
for py in python3 /usr/bin/python3 none; do $py -c 'import scipy.linalg, h5py' 2>/dev/null && break; done
[ $py = none ] && skip "no python3-scipy and python3-h5py"
frame --shape lshape -o l.h5 && linkexport --to mm -o mm l.h5
awk 'FNR == NR { c[FNR] = $2; next } FNR <= 3 { head[FNR] = $0; next } c[$1] <= 3 { row[++n] = $0 }
    END { print head[1]; print head[2]; split(head[3], f); print f[1], f[2], n; for (k = 1; k <= n; k++) print row[k] }' mm/dofs.txt mm/M.mtx >M.mtx
mnfparse -q mm/K.mtx M.mtx mm/dofs.txt mm/nodes.txt --interface 1,21 -o points.h5
reduce --cb 18 -o free.h5 points.h5
reduce --cb 12 --fix 1 --interface 21 points.h5 | invariants -o held.h5
linkexport --to exudyn --frame node:1 -o body.hdf5 held.h5
cat >read.py <<'P'
import numpy as np, h5py, scipy.io
from scipy.linalg import eigh
def load(group):
    kind = {"int": int, "float": float, "float64": float, "ndarray": np.array, "str": lambda v: v.decode("utf-8")}
    out = {}
    for key, item in group.items():
        t = item.attrs.get("datatype")
        assert isinstance(t, str)
        if isinstance(item, h5py.Group):
            assert t in ("dict", "list")
            out[key] = load(item) if t == "dict" else [load(item)["item_%d" % i] for i in range(len(item))]
        else:
            out[key] = kind[t](item[()])
    return out
d = load(h5py.File("body.hdf5"))
n, nn, dim, rot, rigid, size = d["infoList"]
print(d["fileVersion"], d["type"], d["rigidBodyNodeType"], n, nn, dim, rot, rigid, size, d["postProcessingModes"], d["trigList"])
def tilde(V):
    V = V.reshape(len(V), -1)
    T = np.zeros((len(V), 3 * V.shape[1]))
    for j in range(V.shape[1]):
        for i in range(0, len(V), 3):
            x, y, z = V[i:i + 3, j]
            T[i:i + 3, 3 * j:3 * j + 3] = [[0, -z, y], [z, 0, -x], [-y, x, 0]]
    return T
m = scipy.io.mmread("M.mtx").toarray().diagonal()
m = np.repeat([m[k] for k, c in enumerate(np.loadtxt("mm/dofs.txt", int)[:, 1]) if c == 1], 3)[:, None]
Psi, x, Phit = d["modeBasis"], d["xRef"], np.kron(np.ones(nn), np.eye(3)).T
xt, pt, c = tilde(x), tilde(Psi), (Phit * m).T @ x / m[::3].sum()
want = {"massMatrixReduced": Psi.T @ (m * Psi), "inertiaLocal": xt.T @ (m * xt), "Mtt": Phit.T @ (m * Phit), "totalMass": m[::3].sum(),
        "chiU": c, "chiUtilde": tilde(c), "mPsiTildePsi": pt.T @ (m * Psi), "mPsiTildePsiTilde": pt.T @ (m * pt), "mPhitTPsi": Phit.T @ (m * Psi),
        "mPhitTPsiTilde": Phit.T @ (m * pt), "mXRefTildePsi": xt.T @ (m * Psi), "mXRefTildePsiTilde": xt.T @ (m * pt)}
for key, w in want.items():
    assert np.shape(d[key]) == np.shape(w) and abs(d[key] - w).max() <= 1e-11 * abs(w).max(), key
S = d["totalMass"] * d["chiUtilde"]
M = np.block([[d["Mtt"], -S, d["mPhitTPsi"]], [S, d["inertiaLocal"], -d["mXRefTildePsi"]],
              [d["mPhitTPsi"].T, -d["mXRefTildePsi"].T, d["massMatrixReduced"]]])
K = np.zeros_like(M)
K[6:, 6:] = d["stiffnessMatrixReduced"]
got = np.sqrt(abs(eigh(K, M, eigvals_only=True))) / (2 * np.pi)
free = abs(h5py.File("free.h5")["reduced/frequency"][()])
print(len(want), "integrals;", sum(got < 1e-3), "rigid,", sum(abs(got[6:] / free[6:] - 1) < 1e-8), "of", len(got) - 6)
P
$py read.py
# Stress of the coordinates as its post-processing modes: of a node and coordinate xx yy zz yz xz xy (CObjectFFRFreducedOrder::
# GetOutputVariableSuperElement), of a node that has none 0. Shapes and stress are matrices here, the stress any linear map of the shapes.
cat >stress.py <<'P'
import h5py, numpy as np, sys
if len(sys.argv) > 1: # the shapes of all dofs, and six numbers of each node but the last
    f = h5py.File("points.h5")
    nd, nodes = len(f["dofs/node"]), f["nodes/id"][:-1]
    S = np.random.default_rng(1).normal(size=(6 * len(nodes), nd))
    for name, A in (("U", np.eye(nd)), ("S", S)):
        print("# name: %s\n# type: matrix\n# rows: %d\n# columns: %d" % (name, *A.shape))
        for row in A:
            print(*row)
    np.savetxt("nodes.lst", nodes, "%d")
    sys.exit()
d, f = h5py.File("stressed.hdf5")["postProcessingModes"], h5py.File("stressed.h5")
assert d.attrs["datatype"] == "dict" and d["matrix"].attrs["datatype"] == "ndarray" and d["outputVariableType"].attrs["datatype"] == "str"
c = f["stress/coordinate"][()]
n, ns, six = c.shape
at = {k: i for i, k in enumerate(f["stress/node"])}
want = np.zeros((len(f["nodes/id"]), 6 * n))
for p, k in enumerate(f["nodes/id"]):
    if k in at:
        want[p] = c[:, at[k]][:, [0, 1, 2, 5, 4, 3]].reshape(-1)
got = d["matrix"][()]
print(d["outputVariableType"][()].decode(), got.shape, len(at), "nodes", abs(got - want).max() <= 1e-12 * abs(want).max())
P
$py stress.py write >stress.txt
mnfparse -q points.h5 --stress stress.txt:U,S,@nodes.lst | reduce -q --cb 12 --fix 1 --interface 21 | invariants -o stressed.h5
linkexport --to exudyn --frame node:1 -o stressed.hdf5 stressed.h5 && $py stress.py
linkexport --to exudyn -o x.hdf5 free.h5
echo "exit $?"
