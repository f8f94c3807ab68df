# Cuts and held dofs of bodies that are reduced already, of full models and of bodies held by modes.
for py in python3 /usr/bin/python3 none; do $py -c 'import numpy, h5py' 2>/dev/null && break; done
[ $py = none ] && skip "no python3-numpy and python3-h5py"
f="$DATA/../../samples/beam.mnf"
frame --shape lshape -o l.h5 && reduce --cb 24 l.h5 -o cb.h5 && reduce --fix 1 cb.h5 -o after.h5 && reduce --fix 1 --interface 21 --cb 18 -q l.h5 -o before.h5 &&
reduce --keep mass:0.05 cb.h5 -o mass.h5 && reduce --drop energy:0.02 cb.h5 -o energy.h5 && reduce --keep=-200Hz cb.h5 -o low.h5 &&
reduce --method cb --keep 2,5-7 l.h5 -o named.h5 && reduce --method imr --select 2,5-7 l.h5 -o select.h5 &&
mnfparse "$f" | reduce --cb 18 -o m.h5 && reduce --drop 1-2 m.h5 | invariants -o m2.h5 && reduce --fix 1 m.h5 -o m3.h5 &&
mnfparse "$f" | reduce --fix 1 --cb 12 --interface 21 -q -o m4.h5 && reduce -q --cb 12 --fix 1 --interface 21 m.h5 -o m5.h5 &&
$py - <<'P'
import numpy as np, h5py
h = lambda n: h5py.File(n + ".h5")
near = lambda a, b, tol: a.shape == b.shape and bool(np.all(abs(a - b) <= tol * abs(b).max()))
a, b, cb = h("after"), h("before"), h("cb")
print("held", near(a["reduced/frequency"][:], b["reduced/frequency"][:len(a["reduced/frequency"])], 1e-8), a["reduced/K"].shape, a["reduced/held_component"][:], a["interface/dof"].shape)
print("connectors", a["connectors/node"][:], abs(a["connectors/S"][0]).max(), "residuals stay", a["verdict/sturm"][:].tolist() == cb["verdict/sturm"][:].tolist())
g, K, M = cb["reduced/gravity"][:, 12:], np.diag(cb["reduced/K"][:])[12:], cb["verdict/mass_full"][0, 0]
mass, energy = (g ** 2).max(0) / M, ((g ** 2 / K) / (g ** 2 / K).sum(1, keepdims=True)).max(0)
keep = lambda n: sorted(np.sqrt(np.diag(h(n)["reduced/K"][:])[12:]))
w = np.sqrt(K)
print("mass", near(np.array(keep("mass")), w[mass >= .05], 1e-12), "energy", near(np.array(keep("energy")), w[energy < .02], 1e-12))
print("200 Hz", near(np.array(keep("low")), w[w <= 400 * np.pi], 1e-12))
print("named", near(np.array(keep("named")), w[[1, 4, 5, 6]], 1e-9), near(h("select")["reduced/K"][:], h("named")["reduced/K"][:], 0))
m, m2, m3 = h("m"), h("m2"), h("m3")
i = [k for k in range(18) if k not in (12, 13)]
print("modal", near(m2["reduced/M"][:], m["reduced/M"][:][np.ix_(i, i)], 0), m2["invariants/I3"].shape, near(m2["reduced/V"][:], m["reduced/V"][:][i], 0))
print("held modal", m3["reduced/K"].shape, near(h("m5")["reduced/frequency"][:], h("m4")["reduced/frequency"][:], 1e-6))
V, T, phi = h("m5")["reduced/V"][:], h("m5")["reduced/T"][:], h("m5")["modes/shape"][:].reshape(18, -1)
print("T = V Phi", near(V @ phi, T, 1e-8))
P
try() { reduce "$@" >x; echo "exit $?$([ -s x ] && echo ", a stream")"; }
try --fix 5 cb.h5
try --fix 1 l.h5
try --keep 13 cb.h5
try --keep 1 --drop 2 cb.h5
try --drop 2 --interface 1 cb.h5
try --method cb --drop 2 l.h5
try --method cb --keep mass:0.1 l.h5
try --cb 18 --fix 1 cb.h5
try --cb 12 m.h5
try --fix 1,21 --drop 1-12 cb.h5
for o in "--accurate-to 3" "--free-boundary 1" "--masters 1" "--no-sturm"; do try --drop 1 $o cb.h5; done
# All dofs at the boundary: an order above them is lowered with a warning.
frame --elements 1 -o two.h5 && reduce --cb 14 --interface 1,2 two.h5 -o x && h5dump -H -d /reduced/K x | grep -c '( 12, 12 )'
# Of a body held by modes, too, the interface is that of the reduction: --fix holds what it names.
frame --elements 6 --modal | reduce -q --cb 18 --interface 3,5 -o x && h5dump -d /interface/dof x | grep -o '(0): [0-9].*'
reduce --fix 3 x -o h.h5 && h5dump -d /reduced/held_node h.h5 | grep -o '(0): [0-9].*' && h5dump -d /interface/dof h.h5 | grep -o '(0): [0-9].*'
mv x modal.h5 && try --fix 1 modal.h5
