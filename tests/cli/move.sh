# Moves of bodies: against numpy, through an export, with other axes in a link record, and what is refused.
for py in python3 /usr/bin/python3 none; do $py -c 'import numpy, h5py' 2>/dev/null && break; done
[ $py = none ] && skip "no python3-numpy and python3-h5py"
f="$DATA/../../samples/beam.mnf"
frame --shape lshape -o l.h5 && mnfparse --mirror y --rotate 1,2,3:40 --rotate x:-15 --translate -1,2,0.5 l.h5 -o moved.h5 &&
mnfparse --translate 1,-2,-0.5 moved.h5 | mnfparse --rotate x:15 --rotate 1,2,3:-40 | mnfparse --mirror y -o back.h5 &&
reduce --cb 18 l.h5 | invariants | mnfparse --mirror y --rotate 1,2,3:40 --rotate x:-15 --translate -1,2,0.5 -o late.h5 &&
reduce --cb 18 moved.h5 | invariants -o early.h5 &&
mnfparse "$f" | linkexport --to mnf | mnfparse --mirror x --rotate 1,1,1:120 --translate 0,0,1 -o after.h5 &&
mnfparse --mirror x --rotate 1,1,1:120 --translate 0,0,1 "$f" | linkexport --to mnf | mnfparse -o before.h5 &&
reduce --cb 12 --fix 1 --interface 17 l.h5 | invariants >held.h5 && reduce --cb 12 --fix 1 --interface 17 moved.h5 >heldm.h5 &&
mnfparse --mirror y --rotate 1,2,3:40 --rotate x:-15 --translate -1,2,0.5 held.h5 -o mheld.h5 && linkexport --frame node:1,axes:nodes:17,9 held.h5 -o at.h5 &&
linkexport --frame com,axes:principal held.h5 -o principal.h5 && linkexport --frame axes:y:90 held.h5 -o quarter.h5 &&
$py - <<'P'
import numpy as np, h5py
def rot(n, deg):
    n = np.array(n, float); n /= np.linalg.norm(n); a = np.radians(deg)
    N = np.array([[0, -n[2], n[1]], [n[2], 0, -n[0]], [-n[1], n[0], 0]])
    return np.eye(3) + np.sin(a) * N + (1 - np.cos(a)) * N @ N
def dense(f, name):
    g = f["full/" + name]; p, i, x = g["p"][:], g["i"][:], g["x"][:]; n = len(p) - 1
    A = np.zeros((n, n))
    for j in range(n):
        A[i[p[j]:p[j + 1]], j] = x[p[j]:p[j + 1]]
    return A + np.triu(A, 1).T
def near(a, b, tol=1e-12):
    return bool(np.all(abs(a - b) <= tol * abs(b).max()))
l, m, back = h5py.File("l.h5"), h5py.File("moved.h5"), h5py.File("back.h5")
Q, t = rot([1, 0, 0], -15) @ rot([1, 2, 3], 40) @ np.diag([1, -1, 1]), np.array([-1, 2, 0.5])
B = np.kron(np.eye(len(l["nodes/id"])), np.block([[Q, np.zeros((3, 3))], [np.zeros((3, 3)), -Q]]))
print("places", near(m["nodes/xyz"][:], l["nodes/xyz"][:] @ Q.T + t))
for k in "KM":
    print(k, near(dense(m, k), B @ dense(l, k) @ B.T), "and back", near(dense(back, k), dense(l, k), 1e-13))
e, a = h5py.File("early.h5"), h5py.File("late.h5")
for k in ["verdict/mass_full", "verdict/mass_reduced", "reduced/frequency", "reduced/gravity", "connectors/S", "invariants/I2",
          "invariants/I7"]:
    x, y = e[k][:], a[k][:]
    if x.ndim and x.shape[-1] == 18:  # signs of normal modes are free
        x, y = x[..., :12], y[..., :12]
    print(k, near(y, x, 1e-7))
print("effective masses", near(h5py.File("mheld.h5")["participation/effective_mass"][:], h5py.File("heldm.h5")["participation/effective_mass"][:], 1e-7))
b, a = h5py.File("before.h5"), h5py.File("after.h5")
for k in ["nodes/xyz", "nodes/inertia", "modes/shape", "connectors/position", "faces/index", "reference/inertia"]:
    print(k, near(a[k][:], b[k][:], 1e-10))
h, r = h5py.File("held.h5"), h5py.File("at.h5")
A = r["frame/axes"][:]
print("axes", A.round(12).tolist(), r["frame/origin"][:].round(12).tolist(), r["frame"].attrs["place"])
print("S", near(r["connectors/S"][1, :, 6:], A.T @ h["connectors/S"][0, :, 6:]), "I3", near(r["invariants/I3"][:, 6:], A.T @ h["invariants/I3"][:, 6:]))
p = h5py.File("principal.h5")
J = p["invariants/I7"][:]
print("principal", near(J, np.diag(np.diag(J))), np.all(np.diff(np.diag(J)) >= 0), abs(p["invariants/I2"][:]).max() < 1e-14)
print("quarter", h5py.File("quarter.h5")["reduced/component"][:].tolist())
P
try() { "$@" >x && echo none; echo "exit $? $(wc -c <x)"; }
try mnfparse --rotate up "$f"
try mnfparse --mirror q "$f"
try mnfparse --translate 1,2 "$f"
linkexport held.h5 -o rec.h5 && try mnfparse --rotate z:3 rec.h5
try linkexport --frame node:1,axes:nodes:9,9 held.h5
try linkexport --frame node:1,axes:nodes:9 held.h5
frame --shape lshape | reduce --cb 8 --fix 1:12346 --interface 17 | invariants | (try linkexport --frame axes:z:20)
# A stream is a model already: what is about the files that a model is made of is refused, not passed over.
for o in "--interface 1" "--rigid 99=1-3" "--force-symmetric"; do try mnfparse --rotate z:30 $o l.h5; done
