# --accurate-to: what it says of the orders that it tried, against numpy's modes of the full model; other methods and bodies; refusals.
for py in python3 /usr/bin/python3 none; do $py -c 'import numpy, h5py' 2>/dev/null && break; done
[ $py = none ] && skip "no python3-numpy and python3-h5py"
f="$DATA/../../samples/beam.mnf"
frame --shape lshape -o l.h5 && reduce --method cb --accurate-to 500 l.h5 -o a.h5 && reduce --method cb --accurate-to 500 --tolerance 0.001 l.h5 -o b.h5 &&
reduce --method imr --accurate-to 500 l.h5 -o imr.h5 && reduce --method mdm --accurate-to 500 --tolerance 0.05 l.h5 -o mdm.h5 &&
reduce --method cb --accurate-to 60 --fix 1 l.h5 -o held.h5 && mnfparse "$f" | reduce --method cb --accurate-to 300 -q -o m.h5 &&
reduce --method cb --accurate-to 200 --loads 5:3 --orthonormalize l.h5 -o o.h5 &&
for n in $($py -c 'import h5py; print(*(int(t[0]) for t in h5py.File("a.h5")["verdict/tries"]))'); do reduce -q --cb $n l.h5 -o cb$n.h5 || exit; done
$py - <<'P'
import numpy as np, h5py
def dense(f, name):
    g = f["full/" + name]; p, i, x = g["p"][:], g["i"][:], g["x"][:]; n = len(p) - 1
    A = np.zeros((n, n))
    for j in range(n):
        A[i[p[j]:p[j + 1]], j] = x[p[j]:p[j + 1]]
    return A + np.triu(A, 1).T
def modes(K, M):
    L = np.linalg.cholesky(M); Li = np.linalg.inv(L)
    w, V = np.linalg.eigh(Li @ K @ Li.T)
    return w, Li.T @ V
a = h5py.File("a.h5")
w, X = modes(dense(a, "K"), dense(a, "M"))
n, b = int((w <= (2 * np.pi * 500) ** 2).sum()), a["interface/dof"][:]
C = (X[b, 6:] ** 2 / w[6:]).sum(1)
for order, ef, es in a["verdict/tries"][:]:
    r = h5py.File("cb%d.h5" % order)
    mu, V = modes(r["reduced/K"][:], r["reduced/M"][:])
    T = r["reduced/T"][:].T[b] @ V
    f, s = abs(np.sqrt(mu[6:n] / w[6:n]) - 1).max(), abs(1 - (T[:, 6:] ** 2 / mu[6:]).sum(1) / C).max()
    print("order %d:" % order, abs(f - ef) < 1e-7, abs(s - es) < 1e-7, "within" if max(ef, es) <= 0.01 else "beyond")
print("taken", len(a["reduced/frequency"]), "of", n, "modes", np.allclose(a["verdict/check"][6:, 0], np.sqrt(w[6:n]) / 2 / np.pi, rtol=1e-9))
for k in ["b", "imr", "mdm", "held", "m", "o"]:
    r = h5py.File(k + ".h5"); t = r["verdict/tries"][:]; c = r["verdict/check"][:]; m = len(r["reduced/frequency"])
    ok = t[(t[:, 1] <= (0.001 if k == "b" else 0.05 if k == "mdm" else 0.01)) & (t[:, 2] <= (0.001 if k == "b" else 0.05 if k == "mdm" else 0.01)), 0].min()
    print(k, "order", m, "the smallest tried that will do is", int(ok), "frequencies", bool((abs(c[c[:, 0] > 0, 1] / c[c[:, 0] > 0, 0] - 1) <= 0.05).all()))
P
try() { reduce "$@" >x; echo "exit $?$([ -s x ] && echo ", a stream")"; }
try --method guyan --accurate-to 50 l.h5
try --cb 18 --accurate-to 50 l.h5
try --method cb --accurate-to 50 --no-sturm l.h5
try --method cb --accurate-to 50 --keep 1 l.h5
try --cb 18 --tolerance 0.1 l.h5
try --method cb --accurate-to 50 --tolerance 2 l.h5
frame --elements 120 | try --method mdm --accurate-to 10 --tolerance 1e-7 --interface 1,121
