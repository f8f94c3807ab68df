# Poles, structural damping and rotation from the input to the page: a cantilever of 18 dofs with a dashpot of 40 at its tip against
# numpy; a gyroscopic matrix; what a target cannot hold.
for py in python3 /usr/bin/python3 none; do $py -c 'import numpy, h5py' 2>/dev/null && break; done
[ $py = none ] && skip "no python3-numpy and python3-h5py"
$py - <<'P'
import numpy as np
E, I, A, rho, G, J, L, n = 2.1e11, 8e-10, 1e-4, 7800, 8e10, 1.6e-9, 0.6, 3
l, N = L / n, 6 * (n + 1)
K, M = np.zeros((N, N)), np.zeros((N, N))
b = E * I / l**3 * np.array([[12, 6 * l, -12, 6 * l], [6 * l, 4 * l * l, -6 * l, 2 * l * l], [-12, -6 * l, 12, -6 * l], [6 * l, 2 * l * l, -6 * l, 4 * l * l]])
m = rho * A * l / 420 * np.array([[156, 22 * l, 54, -13 * l], [22 * l, 4 * l * l, 13 * l, -3 * l * l], [54, 13 * l, 156, -22 * l], [-13 * l, -3 * l * l, -22 * l, 4 * l * l]])
bar, mass = np.array([[1, -1], [-1, 1]]), np.array([[2, 1], [1, 2]]) / 6
for e in range(n):
    at = 6 * e
    for dofs, sign, k, w in (([1, 5, 7, 11], 1, b, m), ([2, 4, 8, 10], -1, b, m), ([0, 6], 1, E * A / l * bar, rho * A * l * mass), ([3, 9], 1, G * J / l * bar, rho * 2 * I * l * mass)):
        s = np.ones(len(dofs))
        if len(dofs) == 4:
            s[1::2] = sign
        d = [at + q for q in dofs]
        K[np.ix_(d, d)] += k * np.outer(s, s)
        M[np.ix_(d, d)] += w * np.outer(s, s)
K, M = K[6:, 6:], M[6:, 6:]  # held at node 1
D, S = np.zeros_like(K), 0.01 * K
D[13, 13] = 40  # node 4, component 2
R = np.zeros_like(K)
R[16, 17], R[17, 16] = 3e-3, -3e-3  # a disc at the tip about x
def write(name, A, kind):
    with open(name, "w") as f:
        f.write("%%%%MatrixMarket matrix array real %s\n18 18\n" % kind)
        for j in range(18):
            for i in range(j if kind == "symmetric" else 0, 18):
                f.write("%.17g\n" % A[i, j])
for name, A, kind in (("K.mtx", K, "symmetric"), ("M.mtx", M, "symmetric"), ("D.mtx", D, "symmetric"), ("S.mtx", S, "symmetric"), ("R.mtx", R, "general")):
    write(name, A, kind)
open("table", "w").writelines("%d %d\n" % (k // 6 + 2, k % 6 + 1) for k in range(18))
open("nodes", "w").writelines("%d %.17g 0 0\n" % (k + 1, 0.2 * k) for k in range(1, 4))
with open("Kc.mtx", "w") as f:  # K + i S
    f.write("%%MatrixMarket matrix array complex symmetric\n18 18\n" + "".join("%.17g %.17g\n" % (K[i, j], S[i, j]) for j in range(18) for i in range(j, 18)))
np.savez("m.npz", K=K, M=M, D=D, R=R, S=S)
P
in="--nodes nodes --dof-table table --stiffness K.mtx --mass M.mtx --damping D.mtx --input-units SI"
mnfparse $in -o viscous.h5 && reduce --mdm 18 viscous.h5 -o poles.h5 &&
mnfparse $in --gyroscopic R.mtx --structural-damping S.mtx -o rotor.h5 &&
mnfparse --nodes nodes --dof-table table --stiffness Kc.mtx --mass M.mtx --input-units SI -o complex.h5 && h5diff rotor.h5 complex.h5 /full/S && echo complex &&
reduce --mdm 18 --speed 500 rotor.h5 -o turning.h5 &&
reduce --mdm 18 --structural-as-viscous rotor.h5 -o loss.h5 || exit
$py - <<'P'
import numpy as np, h5py
m = np.load("m.npz")
def poles(D):
    n = len(D)
    A = np.block([[np.zeros((n, n)), np.eye(n)], [-np.linalg.solve(m["M"], m["K"]), -np.linalg.solve(m["M"], D)]])
    p = np.linalg.eigvals(A)
    p = p[p.imag >= 0]
    return p[np.lexsort((-p.real, p.imag))]
V = np.linalg.inv(np.linalg.cholesky(m["M"]).T)
w2, Q = np.linalg.eigh(V.T @ m["K"] @ V)
V = V @ Q
loss = m["D"] + m["M"] @ V @ np.diag(np.diag(V.T @ m["S"] @ V) / np.sqrt(w2)) @ V.T @ m["M"]
for name, D in (("poles.h5", m["D"]), ("turning.h5", m["D"] + 500 * m["R"]), ("loss.h5", loss)):
    f, p = h5py.File(name), poles(D)
    hz, zeta = f["poles/frequency"][:], f["poles/damping"][:]
    near = np.allclose(hz, p.imag / (2 * np.pi), rtol=1e-7, atol=1e-7 * hz[-1] * 1e-3) and np.allclose(zeta, -p.real / abs(p), rtol=1e-6, atol=1e-9)
    print(name, len(hz), len(p), near)
P
mnfparse --info poles.h5 | sed -n '/^Poles/,$p' | head -4
mnfparse --info turning.h5 | grep -E '^(Poles|Structural|Gyroscopic)'
reduce --cb 12 -v --speed 500 --interface 4 rotor.h5 2>&1 >r.h5 | grep -c ': pole '
h5dump -d /poles/speed r.h5 | grep -c '(0): 500'
linkexport --to text r.h5 | grep -cE '^(Poles|Reduced gyroscopic|Reduced structural)'
linkexport --to html r.h5 | grep -c '"pole_hz"'
linkexport --to dmig r.h5 | grep -E '^DMIG .* (6|1) '
linkexport --to mm r.h5 -o mm && ls mm | tr '\n' ' ' && echo
linkexport --to mm rotor.h5 -o full && mnfparse full/[KM].mtx --damping full/D.mtx full/structural.mtx --gyroscopic full/gyroscopic.mtx --input-units SI -o again.h5 && h5diff rotor.h5 again.h5 /full/G && h5diff rotor.h5 again.h5 /full/S && echo same
linkexport --to mat rotor.h5 -o full.mat && mnfparse full.mat -o again.h5 && h5diff rotor.h5 again.h5 /full/G && h5diff rotor.h5 again.h5 /full/S && echo same
linkexport --to exudyn r.h5 -o x.h5
mnfparse $in --gyroscopic S.mtx; echo "exit $?"
reduce --mdm 4 --speed 5 viscous.h5; echo "exit $?"
reduce --mdm 4 --structural-as-viscous viscous.h5; echo "exit $?"
reduce --speed 5 r.h5; echo "exit $?"
