# scipy, numpy and h5py load what linkexport writes for MATLAB and Matrix Market readers.
for py in python3 /usr/bin/python3 none; do $py -c 'import scipy.io, h5py' 2>/dev/null && break; done
[ $py = none ] && skip "no python3-scipy and python3-h5py"
mnfparse "$DATA/../../samples/beam.mnf" | reduce --cb 18 | invariants >b.h5 &&
linkexport --to simscape b.h5 >s.mat && linkexport --to mat b.h5 >a.mat && linkexport --to mat --dialect 7.3 b.h5 >h.mat &&
linkexport --to mm b.h5 -o mm && frame | linkexport --to mat >full.mat && frame | linkexport --to mm -o fullmm &&
linkexport --units mm-t-s --to simscape b.h5 >mm.mat &&
$py - <<'P'
import numpy as np, scipy.io as io, scipy.linalg as la, h5py
f = h5py.File("b.h5")
def spectrum(K, M):
    e = la.eigvalsh(K, M)
    return np.sort(np.sqrt(abs(e)) / (2 * np.pi))
def body(name, unit=1):
    b = io.loadmat(name)["body"][0, 0]
    w = spectrum(b["K"], b["M"])
    want = np.sort(abs(f["reduced/frequency"][:]))
    print(name, b["P"].shape, sum(w < 1e-3), np.allclose(w[6:], want[6:], rtol=1e-9), np.allclose(b["K"], b["K"].T))
    x = np.array([1, 0, 0, 0, 0, 0] * 2 + [0] * 6)  # a rigid translation of both frames weighs the mass
    print("%.6g" % (x @ b["M"] @ x / f["invariants/I1"][()] * unit))
body("s.mat")
body("mm.mat", 1000)
a, h = io.loadmat("a.mat"), h5py.File("h.mat")
for k in range(1, 12):
    want = np.atleast_1d(f["invariants/I%d" % k][()])
    assert np.array_equal(a["I%d" % k].reshape(want.shape), want)
    assert np.array_equal(h["I%d" % k][()].T.reshape(want.shape), want)
assert np.array_equal(a["T"], f["reduced/T"][:].T) and np.array_equal(h["T"][()].T, a["T"])
for n in "KM":
    assert np.array_equal(io.mmread("mm/%s.mtx" % n).toarray(), f["reduced/" + n][:])
    assert np.array_equal(io.loadmat("full.mat")[n + "_full"].toarray(), io.mmread("fullmm/%s.mtx" % n).toarray())
assert np.array_equal(io.mmread("mm/T.mtx"), a["T"])
label = np.column_stack([a["coordinate_node"], a["coordinate_component"]])  # of each boundary coordinate its dof, which is 1 in T
dof = list(map(tuple, np.column_stack([a["dof_node"], a["dof_component"]])))
kind = f["reduced/kind"][:]
assert all((l[0] > 0) == (kind[k] == 0) and (kind[k] or abs(a["T"][dof.index(tuple(l)), k] - 1) < 1e-9) for k, l in enumerate(label))
assert np.array_equal(np.loadtxt("mm/coordinates.txt")[:, 2:], label)
print("equal")
P
# A shaft with a rigid frame keeps the rotary inertia of its nodes: m a^2 / 6 about x of a square of side a, in what the invariants say, in
# an .mnf of nodal masses, and in ERLS matrices, of which (Y_1 + Y_2 + Y_3) / 2 is the generalized mass (m = 6.75 kg, a = 0.05 m).
frame --elements 8 --mass lumped --element hermite --square 0.05 | linkexport --to mm -o shaft &&
mnfparse -q --stiffness shaft/K.mtx --mass shaft/M.mtx --nodes shaft/nodes.txt --dof-table shaft/dofs.txt --input-units SI --rigid 99=9@1.2,0,0 --far-frames |
    reduce -q --cb 18 --interface 1,99 --orthonormalize | invariants -o shaft.h5 &&
linkexport --to mnf shaft.h5 -o shaft.mnf && mnfparse shaft.mnf | reduce -q --cb 18 | invariants -o again.h5 &&
linkexport --to erls shaft.h5 -o erls.h5 && $py - <<'P'
import numpy as np, h5py
print(["%.7g" % h5py.File(f)["invariants/I7"][0, 0] for f in ("shaft.h5", "again.h5")])
e = h5py.File("erls.h5")
print(np.allclose(e["Y"][:3].sum(0) / 2, e["M"][:], atol=1e-9))
P
