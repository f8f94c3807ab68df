#!/usr/bin/python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""peers.py MODEL REDUCED SECONDS CPU GIB [PEER]... - the work of `reduce` by its peers, scipy (SuperLU, eigsh) and SLEPc
(MUMPS, Krylov-Schur), on the matrices of MODEL: factor, constraint modes, fixed-interface modes and, with MUMPS, their
count by inertia. The eigenvalues stand against those of REDUCED, which took SECONDS, CPU seconds and GIB; a busy machine
spoils the elapsed time more than the CPU time. Each peer runs in a process of its own, so that peak memory is its own;
OPENBLAS_CORETYPE must be that of `reduce` (reduce.sh)."""
import ctypes
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


def peak():
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1048576


def core():
    """The core whose kernels this process's OpenBLAS runs."""
    with open("/proc/self/maps") as maps:
        paths = {line.split()[-1] for line in maps if "blas" in line}
    for path in sorted(paths):
        try:
            name = ctypes.CDLL(path).openblas_get_corename
        except (AttributeError, OSError):
            continue
        name.restype = ctypes.c_char_p
        return name().decode()
    return "unknown"


class Phases:
    """Time and peak memory of the phases of one peer, a line each."""

    def __init__(self, name):
        self.name, self.start = name, time.time()
        self.last = self.start
        self.cpu = time.process_time()

    def done(self, what):
        now = time.time()
        print(f"{self.name}: {what}: {now - self.last:.3g} s, memory at most {peak():.3g} GiB so far", flush=True)
        self.last = time.time()

    def finish(self, own, w, flexbody):
        n = min(len(own), len(w))
        worst = np.max(np.abs(np.sort(own)[:n] / w[:n] - 1))
        equal = n == len(w) and worst < 1e-8
        took = [time.time() - self.start, time.process_time() - self.cpu, peak()]
        print(f"{self.name} in all: {took[0]:.1f} s, CPU {took[1]:.1f} s, {took[2]:.3g} GiB, core {core()}; {n} of {len(w)} "
              f"eigenvalues, largest relative difference {worst:.1e}{'' if equal else ': NOT EQUAL'}")
        ratio = [t / f for t, f in zip(took, flexbody)]
        print(f"{self.name} / flexbody: time {ratio[0]:.2f}, CPU time {ratio[1]:.2f}, memory {ratio[2]:.2f}", flush=True)


def scipy_way(K, M, b, i, w, flexbody):
    phases = Phases("scipy")
    Kii = K[i][:, i].tocsc()
    lu = sla.splu(Kii, permc_spec="MMD_AT_PLUS_A", diag_pivot_thresh=0.0, options={"SymmetricMode": True})
    phases.done("factor for static solutions")
    lu.solve(-K[i][:, b].toarray())
    phases.done("constraint modes")
    op = sla.LinearOperator(Kii.shape, matvec=lu.solve)
    own = sla.eigsh(Kii, k=len(w), M=M[i][:, i], sigma=0, OPinv=op)[0]
    phases.done("fixed-interface modes")
    phases.finish(own, w, flexbody)


def slepc_path():
    """Debian finds its real build by a link that only the -dev packages make."""
    for lib in ("petsc", "slepc"):
        sys.path += sorted(glob.glob(f"/usr/lib/{lib}dir/{lib}*/*-real/lib/python3/dist-packages"))[-1:]


def slepc_way(K, M, b, i, w, flexbody):
    slepc_path()
    from petsc4py import PETSc
    from slepc4py import SLEPc

    def petsc(A):
        A = A.tocsr()
        B = PETSc.Mat().createAIJ(A.shape, csr=(A.indptr.astype("int32"), A.indices.astype("int32"), A.data))
        B.setOption(PETSc.Mat.Option.SYMMETRIC, True)
        B.setOption(PETSc.Mat.Option.SPD, True)
        return B

    phases = Phases("SLEPc")
    Kii, Mii = petsc(K[i][:, i]), petsc(M[i][:, i])
    e = SLEPc.EPS().create()
    e.setOperators(Kii, Mii)
    e.setProblemType(SLEPc.EPS.ProblemType.GHEP)
    e.setDimensions(nev=len(w))
    e.setTarget(0)
    e.setWhichEigenpairs(SLEPc.EPS.Which.TARGET_MAGNITUDE)
    st = e.getST()
    st.setType(SLEPc.ST.Type.SINVERT)
    ksp = st.getKSP()
    ksp.setType("preonly")
    ksp.getPC().setType("cholesky")
    ksp.getPC().setFactorSolverType("mumps")
    e.setUp()
    phases.done("factor for static solutions")
    B = PETSc.Mat().createDense((len(i), len(b)), array=np.asfortranarray(-K[i][:, b].toarray()))
    X = PETSc.Mat().createDense((len(i), len(b)))
    X.setUp()
    ksp.getPC().getFactorMatrix().matSolve(B, X)
    phases.done("constraint modes")
    e.solve()
    own = np.array([e.getEigenvalue(k).real for k in range(e.getConverged())])
    phases.done("fixed-interface modes")
    e.destroy()
    Kii.axpy(-w[-1] * (1 + 1e-6), Mii, structure=PETSc.Mat.Structure.DIFFERENT_NONZERO_PATTERN)
    Kii.setOption(PETSc.Mat.Option.SPD, False)
    pc = PETSc.PC().create()
    pc.setOperators(Kii)
    pc.setType("cholesky")
    pc.setFactorSolverType("mumps")
    pc.setFactorSetUpSolverType()
    pc.getFactorMatrix().setMumpsIcntl(24, 1)  # PETSc gives no inertia without
    pc.setUp()
    below = pc.getFactorMatrix().getInertia()[0]
    phases.done(f"count by inertia ({below} roots)")
    phases.finish(own, w, flexbody)


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
    ways = {"scipy": scipy_way, "slepc": slepc_way}
    args = load(sys.argv[1], sys.argv[2])
    took = [float(x) for x in sys.argv[3:6]]
    for peer in sys.argv[6:] or ways:
        apart(ways[peer], *args, took)
