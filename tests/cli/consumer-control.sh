# Systems for pyMOR, python-control and MATLAB: M z'' + D z' + K z = B u, y = C z at the connectors. The static gain of a beam that is
# held at one end is its flexibility (closed form L^3/3EI and L/EI + shear; here that of the full matrices), the state-space form has the
# frequencies of the reduced pair. scipy reads what MATLAB and pyMOR (mmread) would.
for py in python3 /usr/bin/python3 none; do $py -c 'import scipy.signal, scipy.sparse.linalg, h5py' 2>/dev/null && break; done
[ $py = none ] && skip "no python3-scipy and python3-h5py"
frame -o full.h5 --elements 8
reduce --cb 12 --fix 1 --interface 9 --modal-damping 0.01 full.h5 -o r.h5
linkexport --to mm -o mm r.h5 && linkexport --to mat -o r.mat r.h5 && linkexport --to mat --dialect 7.3 -o r73.mat r.h5
linkexport --to mm -o fullmm full.h5 && linkexport --to mat -o full.mat full.h5
cat >read.py <<'P'
import numpy as np, scipy.io as io, scipy.signal as sig, h5py
load = lambda d, n: io.mmread("%s/%s.mtx" % (d, n)).toarray()
M, D, K, B, C = (load("mm", n) for n in "MDKBC")
ports = np.loadtxt("mm/ports.txt", int)
a, h = io.loadmat("r.mat"), h5py.File("r73.mat")
print(B.shape, C.shape, ports.tolist() == [[9, c] for c in range(1, 7)], np.array_equal(a["B"], B), np.array_equal(a["C"], C),
      np.array_equal(h["B"][()].T, B), np.array_equal(C, B.T), a["port_component"].ravel().tolist())
Kf, Bf, pf = load("fullmm", "K"), load("fullmm", "B"), np.loadtxt("fullmm/ports.txt", int)
dofs = np.loadtxt("fullmm/dofs.txt", int)
free = dofs[:, 0] != 1
tip = [k for k in range(len(pf)) if pf[k, 0] == 9]
want = Bf[free][:, tip].T @ np.linalg.solve(Kf[np.ix_(free, free)], Bf[free][:, tip])
got = C @ np.linalg.solve(K, B)
print(abs(got - want).max() < 1e-9 * abs(want).max(), np.array_equal(io.loadmat("full.mat")["B_full"].toarray(), Bf))
n = len(K)
A = np.block([[np.zeros((n, n)), np.eye(n)], [-np.linalg.solve(M, K), -np.linalg.solve(M, D)]])
w = np.sort(abs(np.linalg.eigvals(A)))[::2] / (2 * np.pi)
f = np.sort(abs(h5py.File("r.h5")["reduced/frequency"][()]))
print(max(abs(w / f - 1)) < 1e-6)
s = sig.StateSpace(A, np.vstack([0 * B, np.linalg.solve(M, B)]), np.hstack([C, 0 * C]), np.zeros((6, 6)))
gain = -s.C @ np.linalg.solve(s.A, s.B)
print(abs(gain - want).max() < 1e-8 * abs(want).max())
P
$py read.py
