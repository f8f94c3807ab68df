# A stiffness that is not symmetric: refused, or kept; static answers at the boundary, poles and responses against numpy.
for py in python3 /usr/bin/python3 none; do $py -c 'import numpy, scipy.io, h5py' 2>/dev/null && break; done
[ $py = none ] && skip "no python3-numpy, python3-scipy and python3-h5py"
frame --elements 6 | linkexport --to mm -o free
$py - <<'P'
import numpy as np, scipy.io as io
K, M = (io.mmread("free/%s.mtx" % x).toarray()[6:, 6:] for x in "KM")  # node 1 held
W = np.zeros_like(K)
for k in range(0, 36, 6):  # a load that follows: forces across z by rotations about y, and across y by motions z
    W[k + 2, k + 4], W[k + 1, k + 2], W[k + 2, k + 1] = 40., 300., -300.
for name, A in (("K.mtx", K + W), ("M.mtx", M)):
    with open(name, "w") as f:
        f.write("%%MatrixMarket matrix array real general\n36 36\n" + "".join("%.17g\n" % x for x in A.T.ravel()))
open("table", "w").writelines("%d %d\n" % (k // 6 + 2, k % 6 + 1) for k in range(36))
open("nodes", "w").writelines("%d %.17g 0 0\n" % (k + 1, k / 6) for k in range(7))
np.savez("m.npz", K=K + W, M=M)
with open("strong.mtx", "w") as f:  # the skew part 40 times: it moves the lowest pole by much
    A = K + 20 * (W - W.T)
    f.write("%%MatrixMarket matrix array real general\n36 36\n" + "".join("%.17g\n" % x for x in A.T.ravel()))
P
in="--nodes nodes --dof-table table --stiffness K.mtx --mass M.mtx --input-units SI"
mnfparse $in; echo "exit $?"
mnfparse -q $in --unsymmetric -o b.h5 && reduce -q --cb 12 --interface 7 b.h5 -o cb.h5 && reduce -q --mdm 36 b.h5 -o all.h5 &&
reduce -q --guyan 6 --masters 7 b.h5 -o guyan.h5 || exit
for r in cb guyan; do correlate --frf 7.3:7.3,7.2:7.3,7.3:7.2 --frequencies 0,0,1 $r.h5 --max-db 1e-6 --csv $r.csv >page; echo "exit $?"; done
linkexport --to mm cb.h5 -o mm && head -1 mm/K.mtx
linkexport --to mm b.h5 -o full && mnfparse -q full/K.mtx full/M.mtx --unsymmetric -o again.h5 && for d in K N; do h5diff -d 1e-9 b.h5 again.h5 /full/$d; done && echo same
reduce --method cb --accurate-to 300 --tolerance 1e-7 --interface 7 b.h5 2>&1 >enough.h5 | grep accurate | cut -c 1-110
mnfparse --info cb.h5 | grep -E '^(Circulatory|Poles)'
linkexport -q --to mat cb.h5 >cb.mat
linkexport --to openfast cb.h5 >x 2>err; grep -c 'skew part is left out' err
$py - <<'P'
import csv, numpy as np, scipy.io as io, h5py
m = np.load("m.npz")
K, M, f = m["K"], m["M"], h5py.File("all.h5")
p = np.sqrt(np.linalg.eigvals(-np.linalg.solve(M, K)).astype(complex))
p = np.concatenate([p, -p])
p = p[p.imag > 1e-6 * abs(p).max()]
hz, zeta = f["poles/frequency"][:], f["poles/damping"][:]
print(len(hz), np.allclose(np.sort(hz[hz > 0]), np.sort(p.imag) / (2 * np.pi), rtol=1e-6), (zeta < -1e-9).sum() == (p.real > 1e-6).sum())
x = np.linalg.solve(K, np.eye(36)[:, 32])  # a force along z at node 7
for r in csv.DictReader(open("cb.csv")):
    if r["response"] in ("7.3:7.3", "7.2:7.3"):
        want = x[32 if r["response"] == "7.3:7.3" else 31]
        assert abs(float(r["real"]) / want - 1) < 1e-9, (r, want)
b, T = io.loadmat("cb.mat"), h5py.File("cb.h5")["reduced/T"][:].T
print(np.allclose(b["K"], T.T @ K @ T, atol=1e-9 * abs(K).max()))
P
# What shapes of the symmetric part miss: measured, and the lowest poles against numpy's.
mnfparse -q --nodes nodes --dof-table table --stiffness strong.mtx --mass M.mtx --input-units SI --unsymmetric -o strong.h5
for m in mdm irs lsmr; do
    o="--mdm 12"; [ $m = mdm ] || o="--method $m --masters 4:23,7:23"
    reduce $o strong.h5 -o $m.h5 2>err; grep -o 'frequency of mode .* off by [^ ]*' err >$m.said; grep -c 'beyond them is missing' err
done
reduce -v --mdm 36 strong.h5 2>&1 >all.h5 | grep -c 'off by .* of itself, the most of the 18 lowest elastic modes$'
$py - <<'P'
import numpy as np, scipy.io as io, h5py
K, M = (io.mmread(x + ".mtx") for x in ("strong", "M"))
def lowest(K, M):  # the two lowest squares of frequencies, which N couples: their mean
    r = np.linalg.eigvals(np.linalg.solve(M, K))
    return r[np.argsort(abs(r))][:2].real.mean()
for m in "mdm", "irs", "lsmr":
    h = h5py.File(m + ".h5")
    off = lowest(K, M) - lowest(h["reduced/K"][:] + h["reduced/N"][:], h["reduced/M"][:])
    said = float(open(m + ".said").read().split()[-1]) * 2 * lowest((K + K.T) / 2, M)
    print(m, 0.3 * said < off < 1.05 * said or (off, said))
P
