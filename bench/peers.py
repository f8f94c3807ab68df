#!/usr/bin/python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""peers.py MODEL REDUCED MODES - the same reduction by scipy (SuperLU, eigsh) and, where they are installed, by
SLEPc with MUMPS, on the matrices of MODEL; frequencies against those of REDUCED. Each in a process of its own,
so that peak memory is its own."""
import glob
import os
import resource
import sys
import time

import h5py
import numpy as np
import scipy.sparse as sp
import scipy.sparse.linalg as sla


def matrix(f, name):
    g = f[name]
    n = len(g["p"]) - 1
    upper = sp.csc_matrix((g["x"][:], g["i"][:], g["p"][:]), shape=(n, n))
    return upper + sp.triu(upper, 1).T if g.attrs["symmetry"] in ("upper", b"upper") else upper


def load(model, reduced):
    with h5py.File(model) as f:
        K, M = matrix(f, "full/K").tocsc(), matrix(f, "full/M").tocsc()
    with h5py.File(reduced) as f:
        b = f["interface/dof"][:]
        w = np.diag(f["reduced/K"][:])[len(b):]
    i = np.setdiff1d(np.arange(K.shape[0]), b)
    return K, M, b, i, np.sort(w)


def finish(name, start, own, w, phases):
    worst = np.max(np.abs(np.sort(own)[: len(w)] / w - 1))
    print(f"{name}: {', '.join(phases)}, {time.time() - start:.1f} s in all, "
          f"{resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1048576:.2f} GiB, "
          f"eigenvalues differ by {worst:.1e}", flush=True)


def constraint_scipy(K, M, b, i):
    t = time.time()
    lu = sla.splu(K[i][:, i].tocsc(), permc_spec="MMD_AT_PLUS_A", diag_pivot_thresh=0.0, options={"SymmetricMode": True})
    t1 = time.time()
    Psi = -lu.solve(K[i][:, b].toarray())
    return lu, Psi, [f"factor {t1 - t:.1f} s", f"constraint modes {time.time() - t1:.1f} s"]


def scipy_way(K, M, b, i, w):
    start = time.time()
    lu, Psi, phases = constraint_scipy(K, M, b, i)
    t = time.time()
    op = sla.LinearOperator((len(i), len(i)), matvec=lu.solve)
    own = sla.eigsh(K[i][:, i], k=len(w), M=M[i][:, i], sigma=0, OPinv=op)[0]
    phases.append(f"modes {time.time() - t:.1f} s")
    finish("scipy", start, own, w, phases)


def debian_modules():
    """Debian keeps the modules of each build of PETSc and SLEPc in a folder of its own: the real ones, 32-bit indices."""
    for name in ("petsc", "slepc"):
        for folder in sorted(glob.glob(f"/usr/lib/{name}dir/{name}[0-9].*/*-real/lib/python3/dist-packages")):
            sys.path.append(folder)


def slepc_way(K, M, b, i, w):
    debian_modules()
    from petsc4py import PETSc
    from slepc4py import SLEPc
    start = time.time()

    def petsc(A):
        A = A.tocsr()
        return PETSc.Mat().createAIJ(A.shape, csr=(A.indptr.astype("int32"), A.indices.astype("int32"), A.data))

    Kii, Mii = petsc(K[i][:, i]), petsc(M[i][:, i])
    e = SLEPc.EPS().create()
    e.setOperators(Kii, Mii)
    e.setProblemType(SLEPc.EPS.ProblemType.GHEP)
    e.setDimensions(nev=len(w))
    e.setTarget(0)
    e.setWhichEigenpairs(SLEPc.EPS.Which.TARGET_REAL)
    st = e.getST()
    st.setType(SLEPc.ST.Type.SINVERT)
    pc = st.getKSP().getPC()
    st.getKSP().setType("preonly")
    pc.setType("cholesky")
    pc.setFactorSolverType("mumps")
    e.setUp()
    t = time.time()
    F = pc.getFactorMatrix()
    B = -K[i][:, b].toarray()
    x, rhs = Kii.createVecs()
    for c in range(B.shape[1]):
        rhs.setArray(B[:, c])
        F.solve(rhs, x)
    t1 = time.time()
    e.solve()
    own = np.array([e.getEigenvalue(k).real for k in range(e.getConverged())])
    finish("SLEPc", start, own, w, [f"factor {t - start:.1f} s", f"constraint modes {t1 - t:.1f} s", f"modes {time.time() - t1:.1f} s"])


def apart(way, *args):
    pid = os.fork()
    if pid == 0:
        code = 0
        try:
            way(*args)
        except ImportError as e:
            print(f"{way.__name__}: not installed ({e})", flush=True)
        except Exception as e:  # a peer that fails is a result, too
            print(f"{way.__name__}: {type(e).__name__}: {e}", flush=True)
            code = 1
        os._exit(code)
    os.waitpid(pid, 0)


if __name__ == "__main__":
    args = load(sys.argv[1], sys.argv[2])
    apart(scipy_way, *args)
    apart(slepc_way, *args)
