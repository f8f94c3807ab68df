#!/usr/bin/python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""peers.py PEER MODEL MODES ROOTS - the work of `reduce --method cb --modes MODES` by a peer, on the matrices and the
boundary of MODEL, a stream or the name of a job (JOB_STIF1.mtx and JOB_MASS1.mtx by Abaqus, 3 dofs a node, the boundary in
the set HELD of JOB.inp): factor, constraint modes, fixed-interface modes, reduced matrices T'KT and T'MT; with
slepc-mumps the count of the modes by inertia, too. PEER:
  scipy          eigsh with SuperLU, minimum degree, no pivoting
  scipy-cholmod  eigsh with CHOLMOD's solve as operator (Debian has no scikit-sparse)
  slepc-mumps    Krylov-Schur with MUMPS
  slepc-cholmod  Krylov-Schur with CHOLMOD
Prints "NAME SECONDS" for each phase (read and start: not the work itself) and the core of the BLAS; the eigenvalues go to ROOTS. Exit status 77: not
installed."""
import ctypes
import glob
import os
import sys
import time

NOT_INSTALLED = 77

try:
    import h5py
    import numpy as np
    import scipy.sparse as sp
    import scipy.sparse.linalg as sla
except ImportError as missing:
    print(missing)
    sys.exit(NOT_INSTALLED)


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


class Clock:
    def __init__(self):
        self.last = time.time()

    def done(self, what):
        print(f"{what} {time.time() - self.last:.4g}", flush=True)
        self.last = time.time()


def matrix(f, name):
    g = f[name]
    n = len(g["p"]) - 1
    upper = sp.csc_matrix((g["x"][:], g["i"][:], g["p"][:]), shape=(n, n))
    return (upper + sp.triu(upper, 1).T).tocsc() if g.attrs["symmetry"] in ("upper", b"upper") else upper


class Parts:
    """The blocks of a symmetric matrix for boundary and interior."""

    def __init__(self, A, b, i):
        self.ii, self.ib, self.bb = A[i][:, i].tocsc(), A[i][:, b].toarray(), A[b][:, b].toarray()

    def reduced(self, Psi, Phi):
        """T'AT with T = [I 0; Psi Phi]."""
        G = np.hstack([Psi, Phi])
        nb = self.bb.shape[0]
        A = G.T @ (self.ii @ G)
        coupled = G.T @ self.ib
        A[:, :nb] += coupled
        A[:nb, :] += coupled.T
        A[:nb, :nb] += self.bb
        return A


def abaqus_matrix(path):
    """Lines "node,dof, node,dof, value" of one half; a scan of separated numbers is numpy's fastest reader."""
    with open(path) as f:
        v = np.fromstring(f.read().replace(",", " "), sep=" ").reshape(-1, 5)
    row, column = (3 * (v[:, k] - 1) + v[:, k + 1] - 1 for k in (0, 2))
    n = int(row.max()) + 1
    lower = sp.csc_matrix((v[:, 4], (row.astype("int32"), column.astype("int32"))), shape=(n, n))
    return (lower + sp.tril(lower, -1).T).tocsc()


def held_nodes(deck):
    with open(deck) as f:
        text = f.read().split("*NSET,NSET=HELD\n")[1].split("*")[0]
    return np.fromstring(text.replace(",", " "), sep=" ").astype(int)


def load(model):
    if model.endswith(".h5"):
        with h5py.File(model) as f:
            b = f["interface/dof"][:]
            K, M = matrix(f, "full/K"), matrix(f, "full/M")
    else:
        b = np.array([3 * (node - 1) + k for node in held_nodes(model + ".inp") for k in range(3)])
        K, M = abaqus_matrix(model + "_STIF1.mtx"), abaqus_matrix(model + "_MASS1.mtx")
    i = np.setdiff1d(np.arange(K.shape[0]), b)
    return Parts(K, b, i), Parts(M, b, i)


class Cholmod:
    """CHOLMOD by its C interface, ordering and method as it chooses; counts of 64 bits."""

    class Sparse(ctypes.Structure):
        _fields_ = ([(k, ctypes.c_size_t) for k in ("nrow", "ncol", "nzmax")] +
                    [(k, ctypes.c_void_p) for k in ("p", "i", "nz", "x", "z")] +
                    [(k, ctypes.c_int) for k in ("stype", "itype", "xtype", "dtype", "sorted", "packed")])

    class Dense(ctypes.Structure):
        _fields_ = ([(k, ctypes.c_size_t) for k in ("nrow", "ncol", "nzmax", "d")] +
                    [(k, ctypes.c_void_p) for k in ("x", "z")] + [(k, ctypes.c_int) for k in ("xtype", "dtype")])

    LONG, REAL, SOLVE_A = 2, 1, 0

    def __init__(self, A):
        try:
            self.lib = ctypes.CDLL("libcholmod.so.3")
        except OSError as missing:
            raise ImportError(missing) from missing
        for name in ("analyze", "solve"):
            getattr(self.lib, "cholmod_l_" + name).restype = ctypes.c_void_p
        self.common = ctypes.create_string_buffer(1 << 16)  # cholmod_common, 2.7 kB in this version
        self.lib.cholmod_l_start(self.common)
        lower = sp.tril(A).tocsc()
        lower.sort_indices()
        self.n = A.shape[0]
        self.keep = [lower.indptr.astype(np.int64), lower.indices.astype(np.int64), lower.data]
        p, i, x = (a.ctypes.data for a in self.keep)
        S = self.Sparse(self.n, self.n, len(lower.data), p, i, None, x, None, -1, self.LONG, self.REAL, 0, 1, 1)
        self.L = ctypes.c_void_p(self.lib.cholmod_l_analyze(ctypes.byref(S), self.common))
        if not self.lib.cholmod_l_factorize(ctypes.byref(S), self.L, self.common):
            raise RuntimeError("CHOLMOD cannot factorise the matrix")

    def solve(self, b):
        b = np.asfortranarray(b, dtype=float)
        k = 1 if b.ndim == 1 else b.shape[1]
        B = self.Dense(self.n, k, self.n * k, self.n, b.ctypes.data, None, self.REAL, 0)
        X = ctypes.c_void_p(self.lib.cholmod_l_solve(self.SOLVE_A, self.L, ctypes.byref(B), self.common))
        at = ctypes.cast(ctypes.cast(X, ctypes.POINTER(self.Dense)).contents.x, ctypes.POINTER(ctypes.c_double))
        x = np.array(np.ctypeslib.as_array(at, (k, self.n)).T if k > 1 else np.ctypeslib.as_array(at, (self.n,)))
        self.lib.cholmod_l_free_dense(ctypes.byref(X), self.common)
        return x


def scipy_way(solver, K, M, modes, clock):
    clock.done("start")
    if solver == "cholmod":
        lu = Cholmod(K.ii)
    else:
        lu = sla.splu(K.ii, permc_spec="MMD_AT_PLUS_A", diag_pivot_thresh=0.0, options={"SymmetricMode": True})
    clock.done("factor")
    Psi = lu.solve(-K.ib)
    clock.done("constraint")
    op = sla.LinearOperator(K.ii.shape, matvec=lu.solve, dtype=float)
    own, Phi = sla.eigsh(K.ii, k=modes, M=M.ii, sigma=0, OPinv=op)
    clock.done("modes")
    return own, Psi, Phi


def slepc_path():
    """Debian finds its real build by a link that only the -dev packages make."""
    for lib in ("petsc", "slepc"):
        sys.path += sorted(glob.glob(f"/usr/lib/{lib}dir/{lib}*/*-real/lib/python3/dist-packages"))[-1:]


def slepc_count(PETSc, K, M, shift):
    """The roots below shift, by the signs of MUMPS' pivots."""
    K.axpy(-shift, M, structure=PETSc.Mat.Structure.DIFFERENT_NONZERO_PATTERN)
    K.setOption(PETSc.Mat.Option.SPD, False)
    pc = PETSc.PC().create()
    pc.setOperators(K)
    pc.setType("cholesky")
    pc.setFactorSolverType("mumps")
    pc.setFactorSetUpSolverType()
    pc.getFactorMatrix().setMumpsIcntl(24, 1)  # PETSc gives no inertia without
    pc.setUp()
    return pc.getFactorMatrix().getInertia()[0]


def slepc_way(solver, K, M, modes, clock):
    slepc_path()
    from petsc4py import PETSc
    from slepc4py import SLEPc

    def petsc(A):  # symmetric: columns are rows
        B = PETSc.Mat().createAIJ(A.shape, csr=(A.indptr.astype("int32"), A.indices.astype("int32"), A.data))
        B.setOption(PETSc.Mat.Option.SYMMETRIC, True)
        B.setOption(PETSc.Mat.Option.SPD, True)
        return B

    Kii, Mii = petsc(K.ii), petsc(M.ii)
    clock.done("start")
    e = SLEPc.EPS().create()
    e.setOperators(Kii, Mii)
    e.setProblemType(SLEPc.EPS.ProblemType.GHEP)
    e.setDimensions(nev=modes)
    e.setTarget(0)
    e.setWhichEigenpairs(SLEPc.EPS.Which.TARGET_MAGNITUDE)
    st = e.getST()
    st.setType(SLEPc.ST.Type.SINVERT)
    ksp = st.getKSP()
    ksp.setType("preonly")
    ksp.getPC().setType("cholesky")
    ksp.getPC().setFactorSolverType(solver)
    e.setUp()
    clock.done("factor")
    B = PETSc.Mat().createDense(K.ib.shape, array=np.asfortranarray(-K.ib))
    X = PETSc.Mat().createDense(K.ib.shape)
    X.setUp()
    ksp.getPC().getFactorMatrix().matSolve(B, X)
    Psi = X.getDenseArray().copy()
    clock.done("constraint")
    e.solve()
    n = e.getConverged()
    if n < modes:
        raise RuntimeError(f"{n} of {modes} modes converged")
    x = Kii.createVecRight()
    own, Phi = np.empty(modes), np.empty((K.ii.shape[0], modes), order="F")
    for k in range(modes):
        own[k] = e.getEigenpair(k, x).real
        Phi[:, k] = x.getArray()
    clock.done("modes")
    count = None
    if solver == "mumps":
        def count():
            below = slepc_count(PETSc, Kii, Mii, np.max(own) * (1 + 1e-6))
            if below != modes:
                print(f"# {below} roots counted below the last of {modes}")
    e.destroy()
    return own, Psi, Phi, count


def main():
    peer, model, modes, roots = sys.argv[1], sys.argv[2], int(sys.argv[3]), sys.argv[4]
    clock = Clock()
    K, M = load(model)
    clock.done("read")
    name, _, solver = peer.partition("-")
    try:
        own, Psi, Phi, *count = {"scipy": scipy_way, "slepc": slepc_way}[name](solver, K, M, modes, clock)
    except ImportError as missing:
        print(missing)
        sys.exit(NOT_INSTALLED)
    K.reduced(Psi, Phi)
    M.reduced(Psi, Phi)
    clock.done("reduce")
    if count and count[0]:
        count[0]()
        clock.done("count")
    print("core", core())
    np.savetxt(roots, np.sort(own), fmt="%.17g")


if __name__ == "__main__":
    main()
    sys.stdout.flush()
    os._exit(0)  # PETSc's farewell needs MPI's, which may wait
