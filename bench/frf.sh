#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# frf.sh - frequency responses of a mesh of 26,478 dofs with structural damping by `correlate --frf` and, of fewer
# frequencies, by scipy's splu (minimum degree, symmetric mode) on the same matrices: CPU and wall time a frequency, and
# whether the responses agree to 1e-8; fails where they do not. Tools and generators are in PATH (make bench).
#   BENCH_FREQUENCIES=N   of correlate; default 100
#   BENCH_PEER=N          of scipy; default 3
set -e
[ -x /usr/bin/time ] || { echo "frf: wants GNU time (Debian package time)"; exit 1; }
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
n=${BENCH_FREQUENCIES:-100} peer=${BENCH_PEER:-3}
core=$(reduce --version | sed -n 's/.*core \([^ ,]*\).*/\1/p')
mesh -v --nx 20 --ny 10 --nz 20 --thick 5 -o "$dir/m.h5" 2>&1 | sed 's/^mesh: //'
reduce --fix 1 --guyan 6 --masters 2000,2001 "$dir/m.h5" -o "$dir/r.h5"
/usr/bin/time -o "$dir/took" -f "%e %U %S %M" \
    correlate --frf 2000.3:2001.1 --frequencies "50,2000,$n" --loss-factor 0.02 "$dir/r.h5" --csv "$dir/f.csv" >"$dir/page"
for py in python3 /usr/bin/python3 none; do $py -c 'import scipy.sparse.linalg, h5py' 2>/dev/null && break; done
[ $py != none ] || { echo "frf: no python3-scipy and python3-h5py: correlate alone took $(cat "$dir/took")"; exit 0; }
OPENBLAS_CORETYPE=$core $py - "$dir" "$peer" <<'P'
import sys, time, csv, h5py, numpy as np, scipy.sparse as sp, scipy.sparse.linalg as sla
dir, peer = sys.argv[1], int(sys.argv[2])
def matrix(f, name):
    g = f[name]
    n = len(g["p"]) - 1
    u = sp.csc_matrix((g["x"][:], g["i"][:], g["p"][:]), shape=(n, n))
    return (u + sp.triu(u, 1).T).tocsc()
f = h5py.File(dir + "/r.h5")
node, comp = f["dofs/node"][:], f["dofs/component"][:]
keep = np.flatnonzero(node != 1)
K, M = (matrix(f, "full/" + x)[keep][:, keep].tocsc() for x in "KM")
at = {(a, b): k for k, (a, b) in enumerate(zip(node[keep], comp[keep]))}
rows = [r for r in csv.DictReader(open(dir + "/f.csv"))]
rows = rows[:len(rows) // 2]  # the reference, the full model
wall, user, system, kib = map(float, open(dir + "/took").read().split())
ours = (wall / len(rows), (user + system) / len(rows))
worst, times = 0, []
for r in [rows[k] for k in np.linspace(0, len(rows) - 1, peer).astype(int)]:
    w = 2 * np.pi * float(r["frequency_hz"])
    A = (K * (1 + 0.02j) - w * w * M).tocsc()
    start, cpu = time.time(), time.process_time()
    lu = sla.splu(A, permc_spec="MMD_AT_PLUS_A", diag_pivot_thresh=0.0, options={"SymmetricMode": True})
    b = np.zeros(A.shape[0], complex)
    b[at[2001, 1]] = 1
    x = lu.solve(b)
    times.append((time.time() - start, time.process_time() - cpu))
    h = complex(float(r["real"]), float(r["imaginary"]))
    worst = max(worst, abs(x[at[2000, 3]] - h) / abs(h))
theirs = np.mean(times, axis=0)
print("%d equations, %d frequencies by correlate, %d by splu" % (len(keep), len(rows), peer))
print("            wall s   CPU s  a frequency, start and files included; peak memory %.2f GiB" % (kib / 2**20))
print("correlate %8.3f %7.3f" % ours)
print("splu      %8.3f %7.3f" % tuple(theirs))
print("times     %8.2f %7.2f  (aim: 3)" % (theirs[0] / ours[0], theirs[1] / ours[1]))
print("largest difference %.1e" % worst)
sys.exit(int(worst > 1e-8))
P
