#!/usr/bin/python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""peers_mpi.py MODEL MODES - under mpirun: the fixed-interface modes of the stream MODEL by SLEPc's Krylov-Schur on MUMPS, each rank
with its rows. Prints the seconds of factor and iteration, and the highest root. Exit status 77: not installed."""
import glob
import sys
import time

sys.path += glob.glob("/usr/lib/*dir/*/*-real/lib/python3/dist-packages")  # where Debian keeps them
try:
    import slepc4py
    slepc4py.init(sys.argv[:1])
    import h5py
    import numpy as np
    import scipy.sparse as sp
    from petsc4py import PETSc
    from slepc4py import SLEPc
except ImportError as missing:
    print(missing)
    sys.exit(77)

comm = PETSc.COMM_WORLD


def part(f, name, inner):
    """Our rows of the interior, both triangles."""
    g = f[name]
    n = len(g["p"]) - 1
    upper = sp.csc_matrix((g["x"][:], g["i"][:], g["p"][:]), shape=(n, n))
    whole = (upper + sp.triu(upper, 1).T).tocsr()[inner][:, inner].tocsr()
    size, rank = comm.getSize(), comm.getRank()
    r0, r1 = len(inner) * rank // size, len(inner) * (rank + 1) // size
    rows = whole[r0:r1]
    A = PETSc.Mat().createAIJ(size=((r1 - r0, len(inner)), (r1 - r0, len(inner))),
                              csr=(rows.indptr.astype(np.int32), rows.indices.astype(np.int32), rows.data), comm=comm)
    A.setOption(PETSc.Mat.Option.SYMMETRIC, True)
    A.setOption(PETSc.Mat.Option.SPD, True)
    return A


with h5py.File(sys.argv[1], "r") as f:
    n = len(f["full/K/p"]) - 1
    inner = np.setdiff1d(np.arange(n), f["interface/dof"][:])
    K, M = part(f, "full/K", inner), part(f, "full/M", inner)
E = SLEPc.EPS().create(comm)
E.setOperators(K, M)
E.setProblemType(SLEPc.EPS.ProblemType.GHEP)
E.setDimensions(int(sys.argv[2]))
E.setTarget(0.0)
E.setWhichEigenpairs(SLEPc.EPS.Which.TARGET_MAGNITUDE)
E.setTolerances(1e-9)
st = E.getST()
st.setType(SLEPc.ST.Type.SINVERT)
ksp = st.getKSP()
ksp.setType("preonly")
pc = ksp.getPC()
pc.setType("cholesky")
pc.setFactorSolverType("mumps")
comm.barrier()
start = time.time()
E.setUp()
comm.barrier()
factor = time.time()
E.solve()
comm.barrier()
end = time.time()
if comm.getRank() == 0:
    k = int(sys.argv[2]) - 1
    print(f"{factor - start:.4g} {end - factor:.4g} {E.getEigenvalue(k).real:.12g}" if E.getConverged() > k else "not converged")
