/* SPDX-License-Identifier: GPL-3.0-or-later */
/* blas.c - the two functions of BLAS that MUMPS solves with, for its few right-hand sides.
 *
 * The linker finds these before those of the BLAS, which gets all calls that are not narrow: there
 * it spends half of its time on copies of the factor (lib/linalg/narrow.c).
 */
#define _GNU_SOURCE /* RTLD_NEXT */
#include "linalg/narrow.h"
#include <dlfcn.h>
#include <string.h>

typedef void gemm(const char *ta, const char *tb, const int *m, const int *n, const int *k,
                  const double *alpha, const double *A, const int *lda, const double *B,
                  const int *ldb, const double *beta, double *C, const int *ldc);
typedef void trsm(const char *side, const char *uplo, const char *ta, const char *diag,
                  const int *m, const int *n, const double *alpha, const double *A, const int *lda,
                  double *B, const int *ldb);
gemm dgemm_;
trsm dtrsm_;

/* The BLAS' own; f: a pointer to a function. */
static void find(const char *name, void *f)
{
    void *p = dlsym(RTLD_NEXT, name);
    memcpy(f, &p, sizeof p); /* C knows no conversion from void * to a function */
}

static int is(const char *given, char word)
{
    return (*given | 0x20) == word;
}

void dgemm_(const char *ta, const char *tb, const int *m, const int *n, const int *k,
            const double *alpha, const double *A, const int *lda, const double *B, const int *ldb,
            const double *beta, double *C, const int *ldc)
{
    static gemm *blas;
    if (is(tb, 'n') && fb_narrow_pays(*m, *n, *k)) {
        fb_narrow_times(!is(ta, 'n'), *m, *n, *k, *alpha, A, *lda, B, *ldb, *beta, C, *ldc);
        return;
    }
    if (!blas)
        find("dgemm_", &blas);
    blas(ta, tb, m, n, k, alpha, A, lda, B, ldb, beta, C, ldc);
}

void dtrsm_(const char *side, const char *uplo, const char *ta, const char *diag, const int *m,
            const int *n, const double *alpha, const double *A, const int *lda, double *B,
            const int *ldb)
{
    static trsm *blas;
    if (is(side, 'l') && *n > 1 && *n <= FB_NARROW_MOST && !(*alpha < 1 || *alpha > 1)) {
        fb_narrow_divide(is(uplo, 'u'), !is(ta, 'n'), is(diag, 'u'), *m, *n, A, *lda, B, *ldb);
        return;
    }
    if (!blas)
        find("dtrsm_", &blas);
    blas(side, uplo, ta, diag, m, n, alpha, A, lda, B, ldb);
}
