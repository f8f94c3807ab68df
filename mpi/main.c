/* SPDX-License-Identifier: GPL-3.0-or-later */
/* reduce-mpi - reduce, on the memory of several machines. Rank 0 runs the program, the others hold
 * their part of the matrices and work on it (team.h). */
#include "far.h"
#include "linalg/blas.h"
#include "linalg/factor_engine.h"
#include "reduce/tool.h"
#include "team.h"
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *folder;
static const fb_opt more[] = {
    {"out-of-core", 0, FB_TEXT, &folder, "DIR", 0, 0,
     "keep the factors in files of this folder, of the disk of each rank, not in memory, and "
     "there, "
     "while a rank factorises or iterates, what it does not need meanwhile"},
    {0},
};

/* Each rank has one thread, and one that waits gives way, where nothing else is said. */
static void defaults(void)
{
    static const char *const names[][2] = {{"OMPI_MCA_mpi_yield_when_idle", "1"},
                                           {"HDF5_USE_FILE_LOCKING", "FALSE"}};
    if (fb_threads_unless_told(1))
        (void)setenv("OMP_NUM_THREADS", "1", 1);
    for (size_t k = 0; k < sizeof names / sizeof *names; k++)
        (void)setenv(names[k][0], names[k][1], 0);
}

const char *team_out_of_core(void)
{
    return folder ? folder : "";
}

/* What the program says of itself needs no team, where mpirun has not made one. */
static int speaks_of_itself(int argc, char **argv)
{
    static const char *const words[] = {
        "--help", "-h", "--version", "-V", "--man-options", "--complete-options"};
    if (getenv("OMPI_COMM_WORLD_RANK") || getenv("PMIX_RANK") || getenv("PMI_RANK"))
        return 0;
    for (int k = 1; k < argc; k++)
        for (size_t q = 0; q < sizeof words / sizeof *words; q++)
            if (!strcmp(argv[k], words[q]))
                return 1;
    return 0;
}

int main(int argc, char **argv)
{
    int code = 0;
    team_work end = {0};
    fb_err e = {0};
    if (speaks_of_itself(argc, argv))
        return fb_reduce_main(argc, argv, "reduce-mpi", more);
    defaults();
    signal(SIGXFSZ, SIG_IGN); /* a file that grows too large is an error of write, on all ranks */
    fb_blas_setup(argv);      /* may start the program again: before MPI knows it */
    (void)fb_threads();       /* ends OpenBLAS' own, which look for work while we do it */
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &team_rank);
    MPI_Comm_size(MPI_COMM_WORLD, &team_size);
    fb_mumps_world = (int)MPI_Comm_c2f(MPI_COMM_SELF);
    if (team_rank) {
        team_serve();
    } else {
        fb_far = &team_far;
        code = fb_reduce_main(argc, argv, "reduce-mpi", more);
        (void)!team_call(TEAM_END, &end, &e);
    }
    MPI_Finalize();
    return code;
}
