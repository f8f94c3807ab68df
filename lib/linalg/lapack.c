/* SPDX-License-Identifier: GPL-3.0-or-later */
/* lapack.c - dense products, eigenproblems and decompositions by BLAS and LAPACK.
 *
 * Debian's BLAS and LAPACK take int: every size passes narrow() once. */
#include "blas.h"
#include "dense.h"
#include "far.h"
#include "memory.h"
#include "status.h"
#include <cblas.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

void dsygvd_(const int *itype, const char *jobz, const char *uplo, const int *n, double *a,
             const int *lda, double *b, const int *ldb, double *w, double *work, const int *lwork,
             int *iwork, const int *liwork, int *info);
void dsyevd_(const char *jobz, const char *uplo, const int *n, double *a, const int *lda, double *w,
             double *work, const int *lwork, int *iwork, const int *liwork, int *info);
void dgesdd_(const char *jobz, const int *m, const int *n, double *a, const int *lda, double *s,
             double *u, const int *ldu, double *vt, const int *ldvt, double *work, const int *lwork,
             int *iwork, int *info);
void dpstrf_(const char *uplo, const int *n, double *a, const int *lda, int *piv, int *rank,
             const double *tol, double *work, int *info);
void dposv_(const char *uplo, const int *n, const int *nrhs, double *a, const int *lda, double *b,
            const int *ldb, int *info);
void dgeev_(const char *jobvl, const char *jobvr, const int *n, double *a, const int *lda,
            double *wr, double *wi, double *vl, const int *ldvl, double *vr, const int *ldvr,
            double *work, const int *lwork, int *info);
void zgesv_(const int *n, const int *nrhs, double *a, const int *lda, int *ipiv, double *b,
            const int *ldb, int *info);
void dgesv_(const int *n, const int *nrhs, double *a, const int *lda, int *ipiv, double *b,
            const int *ldb, int *info);

enum { LARGE = 600 };           /* order from which LAPACK gets threads of the BLAS */
static const double LOW = 1e-6; /* of the largest root: below, ten digits are left at most */

static fb_status narrow(int64_t n, int *k, fb_err *e)
{
    if (n < 0 || n > INT32_MAX)
        return fb_fail(e, FB_ESOLVE, "a dense matrix of order %lld is beyond LAPACK's 32-bit sizes",
                       (long long)n);
    *k = (int)n;
    return FB_OK;
}

/* LAPACK counts its work space in int, too: 1 + 6 n + 2 n^2 of dsygvd and dsyevd, 4 k^2 + 7 k of
 * dgesdd. */
enum { EIG_ORDER = 32766, SVD_ORDER = 23169 };

static fb_status bounded(int64_t n, int64_t most, const char *routine, fb_err *e)
{
    if (n > most)
        return fb_fail(e, FB_ESOLVE,
                       "a dense matrix of order %lld is beyond the 32-bit work space of LAPACK's "
                       "%s (%lld at most)",
                       (long long)n, routine, (long long)most);
    return FB_OK;
}

/* C = alpha op(A) op(B) + beta C in parts, one a thread: of the rows or the columns of C, the
 * longer side, or of the inner sum where both are short; then `part` holds the sums of threads 1,
 * 2, ... */
typedef struct {
    CBLAS_TRANSPOSE ta, tb;
    int m, n, k, lda, ldb;
    double alpha, beta;
    const double *A, *B;
    double *C, *part;
    int threads;
    enum { BY_ROWS, BY_COLUMNS, BY_SUM } how;
} gemm;

static void gemm_part(void *arg, int t)
{
    const gemm *g = arg;
    int whole = g->how == BY_ROWS ? g->m : g->how == BY_COLUMNS ? g->n : g->k;
    int from = (int)((int64_t)whole * t / g->threads),
        to = (int)((int64_t)whole * (t + 1) / g->threads);
    int m = g->m, n = g->n, k = g->k;
    const double *A = g->A, *B = g->B;
    double *C = g->C, beta = g->beta;
    if (g->how == BY_ROWS) {
        A += g->ta == CblasTrans ? (int64_t)from * g->lda : from;
        C += from;
        m = to - from;
    } else if (g->how == BY_COLUMNS) {
        B += g->tb == CblasTrans ? from : (int64_t)from * g->ldb;
        C += (int64_t)from * g->m;
        n = to - from;
    } else {
        A += g->ta == CblasTrans ? from : (int64_t)from * g->lda;
        B += g->tb == CblasTrans ? (int64_t)from * g->ldb : from;
        C = t ? g->part + (int64_t)(t - 1) * g->m * g->n : g->C;
        beta = t ? 0 : g->beta;
        k = to - from;
    }
    if (m > 0 && n > 0)
        cblas_dgemm(CblasColMajor, g->ta, g->tb, m, n, k, g->alpha, A, g->lda, B, g->ldb, beta, C,
                    g->m);
}

/* BLAS threads wait for each other spinning, which costs more than it brings on a busy machine:
 * ours split a product that is worth it. */
static fb_status run_gemm(gemm *g, fb_err *e)
{
    enum { SHORT = 32 };
    const double worth = 1e7; /* flops: less than a millisecond */
    int longest = g->m > g->n ? g->m : g->n;
    g->threads = fb_threads();
    if (2. * g->m * g->n * g->k < worth)
        g->threads = 1;
    g->how = g->m >= g->n ? BY_ROWS : BY_COLUMNS;
    if (g->threads > 1 && longest < SHORT * g->threads && g->k > longest) {
        g->how = BY_SUM;
        fb_status s =
            fb_new(&g->part, (int64_t)(g->threads - 1) * g->m * g->n, sizeof(double), "product", e);
        if (s)
            return s;
    }
    fb_parallel(g->threads, gemm_part, g);
    for (int t = 1; g->how == BY_SUM && t < g->threads; t++)
        for (int64_t i = 0; i < (int64_t)g->m * g->n; i++)
            g->C[i] += g->part[(int64_t)(t - 1) * g->m * g->n + i];
    free(g->part);
    return FB_OK;
}

fb_status fb_gemm(int transA, int transB, double alpha, const fb_mat *A, const fb_mat *B,
                  double beta, fb_mat *C, fb_err *e)
{
    int64_t m = transA ? A->n : A->m, ka = transA ? A->m : A->n;
    int64_t n = transB ? B->m : B->n, kb = transB ? B->n : B->m;
    gemm g = {.ta = transA ? CblasTrans : CblasNoTrans,
              .tb = transB ? CblasTrans : CblasNoTrans,
              .alpha = alpha,
              .beta = beta,
              .A = A->x,
              .B = B->x,
              .C = C->x};
    if (ka != kb || C->m != m || C->n != n)
        return fb_fail(e, FB_ESOLVE, "product of %lld by %lld and %lld by %lld into %lld by %lld",
                       (long long)m, (long long)ka, (long long)kb, (long long)n, (long long)C->m,
                       (long long)C->n);
    fb_status s = FB_OK;
    if (fb_is_far(A->x) || fb_is_far(B->x))
        return fb_far->gemm(transA, transB, alpha, A, B, beta, C, e);
    FB_TRY(narrow(m, &g.m, e));
    FB_TRY(narrow(n, &g.n, e));
    FB_TRY(narrow(ka, &g.k, e));
    FB_TRY(narrow(A->m > 0 ? A->m : 1, &g.lda, e));
    FB_TRY(narrow(B->m > 0 ? B->m : 1, &g.ldb, e));
    if (m && n)
        s = run_gemm(&g, e);
out:
    return s;
}

fb_status fb_mat_product(int transA, int transB, const fb_mat *A, const fb_mat *B, fb_mat *C,
                         fb_err *e)
{
    fb_mat R = {0};
    fb_status s = fb_mat_new(&R, transA ? A->n : A->m, transB ? B->m : B->n, e);
    if (!s)
        s = fb_gemm(transA, transB, 1, A, B, 0, &R, e);
    if (s)
        fb_mat_free(&R);
    else
        *C = R;
    return s;
}

enum { ROWS = 256 }; /* handled together by fb_mat_times */

/* A block of rows is copied out, so that no second A is needed: T may be most of the memory. */
fb_status fb_mat_times(fb_mat *A, const fb_mat *W, fb_err *e)
{
    int64_t m = A->m, k = W->m, n = W->n;
    fb_mat B = {0}, C = {0};
    fb_status s = FB_OK;
    if (fb_is_far(A->x)) {
        FB_TRY(fb_far->block(A->x, m, n, &C, e));
        FB_TRY(fb_gemm(0, 0, 1, A, W, 0, &C, e));
        B = *A;
        *A = C;
        C = (fb_mat){0};
        goto out;
    }
    FB_TRY(fb_mat_new(&B, ROWS, k, e));
    FB_TRY(fb_mat_new(&C, ROWS, n, e));
    for (int64_t r = 0; r < m; r += ROWS) {
        int64_t rows = m - r < ROWS ? m - r : ROWS;
        for (int64_t c = 0; c < k; c++)
            memcpy(B.x + c * ROWS, A->x + r + c * m, sizeof(double) * (size_t)rows);
        FB_TRY(fb_gemm(0, 0, 1, &B, W, 0, &C, e));
        for (int64_t c = 0; c < n; c++)
            memcpy(A->x + r + c * m, C.x + c * ROWS, sizeof(double) * (size_t)rows);
    }
    A->n = n;
out:
    FB_FREE_BY(fb_mat_free, &B, &C);
    return s;
}

static fb_status congruence(const fb_mat *K, const fb_mat *V, int symmetric, fb_mat *Kr, fb_err *e)
{
    fb_mat KV = {0};
    fb_status s = FB_OK;
    FB_TRY(fb_mat_product(0, 0, K, V, &KV, e));
    FB_TRY(fb_mat_product(1, 0, V, &KV, Kr, e));
    if (symmetric)
        fb_mat_symmetrise(Kr);
out:
    fb_mat_free(&KV);
    return s;
}

fb_status fb_congruence(const fb_mat *K, const fb_mat *V, fb_mat *Kr, fb_err *e)
{
    return congruence(K, V, 1, Kr, e);
}

/* Rows read as columns are A'; V'A'V = (V'AV)' has V'AV as its rows. */
fb_status fb_congruence_rows(double **A, const fb_mat *V, fb_err *e)
{
    const fb_mat At = {V->m, V->m, *A};
    fb_mat R = {0};
    fb_status s = *A ? congruence(&At, V, fb_mat_is_symmetric(&At), &R, e) : FB_OK;
    if (s || !*A)
        return s;
    free(*A);
    *A = R.x;
    return FB_OK;
}

/* An eigenvector's sign is free. The rule: the first entry whose size is within 1e-6 of the
 * largest is positive; the slack keeps the choice stable when two entries differ by round-off. */
static void fix_sign(void *arg, int t)
{
    const fb_mat *V = arg;
    double *v = V->x + t * V->m, max = 0;
    int64_t i = 0;
    for (int64_t k = 0; k < V->m; k++)
        max = fabs(v[k]) > max ? fabs(v[k]) : max;
    while (i < V->m && fabs(v[i]) < (1 - 1e-6) * max)
        i++;
    if (i < V->m && v[i] < 0)
        for (int64_t k = 0; k < V->m; k++)
            v[k] = -v[k];
}

void fb_fix_signs(fb_mat *V)
{
    const double worth = 1e5; /* entries */
    if ((double)V->m * (double)V->n > worth)
        fb_parallel((int)V->n, fix_sign, V);
    else
        for (int t = 0; t < V->n; t++)
            fix_sign(V, t);
}

/* LAPACK's own: A becomes the vectors, B is spoiled. */
static fb_status generalized(fb_mat *A, fb_mat *B, double *lambda, fb_err *e)
{
    const int itype = 1;
    int n = 0, info = 0, lwork = -1, liwork = -1, iwant = 0;
    double want = 0, *work = NULL;
    int *iwork = NULL;
    fb_status s = FB_OK;
    FB_TRY(narrow(A->n, &n, e));
    if (n > 0) {
        dsygvd_(&itype, "V", "U", &n, A->x, &n, B->x, &n, lambda, &want, &lwork, &iwant, &liwork,
                &info);
        lwork = (int)want;
        liwork = iwant;
        FB_TRY(FB_NEW(&work, lwork, e));
        FB_TRY(FB_NEW(&iwork, liwork, e));
        int blas = fb_blas_threads(n > LARGE ? fb_threads() : 1);
        dsygvd_(&itype, "V", "U", &n, A->x, &n, B->x, &n, lambda, work, &lwork, iwork, &liwork,
                &info);
        fb_blas_threads(blas);
    }
    if (info > n)
        s = fb_fail(e, FB_ESOLVE,
                    "the mass matrix of order %d is not positive definite: it fails at row %d (a "
                    "generalized coordinate without mass, or two that are dependent)",
                    n, info - n);
    else if (info != 0)
        s = fb_fail(e, FB_ESOLVE, "LAPACK's dsygvd did not converge (order %d, info %d)", n, info);
out:
    FB_FREE(work, iwork);
    return s;
}

/* Roots err by eps lambda_max, small ones by all of their digits. The Rayleigh quotients of their
 * vectors do not: those below LOW of the largest are computed again in the space of their own
 * vectors, W. */
static fb_status low_roots(const fb_mat *K, const fb_mat *M, double *lambda, fb_mat *V, fb_err *e)
{
    int64_t n = V->n, first = 0, k = 0;
    double top = n ? fmax(fabs(lambda[0]), fabs(lambda[n - 1])) : 0;
    fb_mat W = {0}, Kw = {0}, Mw = {0}, Z = {0};
    fb_status s = FB_OK;
    while (first < n && lambda[first] < -LOW * top)
        first++;
    while (first + k < n && lambda[first + k] <= LOW * top)
        k++;
    if (k == 0 || k == n)
        return FB_OK;
    fb_mat low = fb_mat_columns(V, first, k);
    FB_TRY(fb_mat_copy(&W, &low, e));
    FB_TRY(fb_congruence(K, &W, &Kw, e));
    FB_TRY(fb_congruence(M, &W, &Mw, e));
    FB_TRY(fb_eig_dense(&Kw, &Mw, lambda + first, &Z, e));
    s = fb_gemm(0, 0, 1, &W, &Z, 0, &low, e);
out:
    FB_FREE_BY(fb_mat_free, &W, &Kw, &Mw, &Z);
    return s;
}

fb_status fb_eig_dense(const fb_mat *K, const fb_mat *M, double *lambda, fb_mat *V, fb_err *e)
{
    fb_mat A = {0}, B = {0}, unit = {0};
    fb_status s = FB_OK;
    if (K->m != K->n || (M && (M->m != K->m || M->n != K->m)))
        return fb_fail(e, FB_ESOLVE, "eigenproblem of a %lld by %lld and a %lld by %lld matrix",
                       (long long)K->m, (long long)K->n, (long long)(M ? M->m : K->m),
                       (long long)(M ? M->n : K->m));
    FB_TRY(bounded(K->n, EIG_ORDER, "dsygvd", e));
    if (!M)
        FB_TRY(fb_mat_unit(&unit, K->n, e));
    M = M ? M : &unit;
    FB_TRY(fb_mat_copy(&A, K, e));
    FB_TRY(fb_mat_copy(&B, M, e));
    FB_TRY(generalized(&A, &B, lambda, e));
    FB_TRY(low_roots(K, M, lambda, &A, e));
    fb_fix_signs(&A);
    *V = A;
    A = (fb_mat){0};
out:
    FB_FREE_BY(fb_mat_free, &A, &B, &unit);
    return s;
}

fb_status fb_eig_symmetric(fb_mat *A, double *lambda, fb_err *e)
{
    int n = 0, lwork = -1, liwork = -1, iwant = 0, info = 0, *iwork = NULL;
    double want = 0, *work = NULL;
    fb_status s = FB_OK;
    FB_TRY(bounded(A->n, EIG_ORDER, "dsyevd", e));
    FB_TRY(narrow(A->n, &n, e));
    if (n == 0)
        goto out;
    dsyevd_("V", "U", &n, A->x, &n, lambda, &want, &lwork, &iwant, &liwork, &info);
    lwork = (int)want;
    liwork = iwant;
    FB_TRY(FB_NEW(&work, lwork, e));
    FB_TRY(FB_NEW(&iwork, liwork, e));
    dsyevd_("V", "U", &n, A->x, &n, lambda, work, &lwork, iwork, &liwork, &info);
    if (info != 0)
        s = fb_fail(e, FB_ESOLVE, "LAPACK's dsyevd did not converge (order %d, info %d)", n, info);
out:
    FB_FREE(work, iwork);
    return s;
}

fb_status fb_svd(const fb_mat *A, fb_mat *U, double *sv, fb_mat *V, int full_V, fb_err *e)
{
    int m = 0, n = 0, k, lwork = -1, info = 0, nv;
    int *iwork = NULL;
    double want = 0, *work = NULL;
    fb_mat C = {0}, L = {0}, Vt = {0}, R = {0};
    fb_status s = FB_OK;
    FB_TRY(narrow(A->m, &m, e));
    FB_TRY(narrow(A->n, &n, e));
    k = m < n ? m : n;
    FB_TRY(bounded(k, SVD_ORDER, "dgesdd", e));
    nv = full_V ? n : k;
    FB_TRY(fb_mat_copy(&C, A, e));
    FB_TRY(fb_mat_new(&L, m, full_V ? m : k, e));
    FB_TRY(fb_mat_new(&Vt, nv, n, e));
    FB_TRY(fb_mat_new(&R, n, nv, e));
    FB_TRY(FB_NEW(&iwork, 8 * (int64_t)k, e));
    if (k > 0) {
        const char *job = full_V ? "A" : "S";
        dgesdd_(job, &m, &n, C.x, &m, sv, L.x, &m, Vt.x, &nv, &want, &lwork, iwork, &info);
        lwork = (int)want;
        FB_TRY(FB_NEW(&work, lwork, e));
        dgesdd_(job, &m, &n, C.x, &m, sv, L.x, &m, Vt.x, &nv, work, &lwork, iwork, &info);
        if (info)
            FB_TRY(fb_fail(e, FB_ESOLVE, "LAPACK's dgesdd did not converge (%d by %d, info %d)", m,
                           n, info));
    }
    for (int64_t j = 0; j < nv; j++)
        for (int64_t i = 0; i < n; i++)
            R.x[i + j * n] = k > 0 ? Vt.x[j + i * nv] : i == j;
    if (U) {
        L.n = k; /* with full_V, the columns behind the k-th are not wanted */
        *U = L;
        L = (fb_mat){0};
    }
    *V = R;
    R = (fb_mat){0};
out:
    FB_FREE_BY(fb_mat_free, &C, &L, &Vt, &R);
    FB_FREE(work, iwork);
    return s;
}

fb_status fb_solve_spd(const fb_mat *A, fb_mat *B, const char *name, fb_err *e)
{
    int n = 0, nrhs = 0, info = 0;
    fb_mat L = {0};
    fb_status s = FB_OK;
    FB_TRY(narrow(A->n, &n, e));
    FB_TRY(narrow(B->n, &nrhs, e));
    if (n == 0 || nrhs == 0)
        goto out;
    FB_TRY(fb_mat_copy(&L, A, e));
    dposv_("U", &n, &nrhs, L.x, &n, B->x, &n, &info);
    if (info)
        s = fb_fail(e, FB_ESOLVE, "%s is not positive definite: it fails at row %d of %d", name,
                    info, n);
out:
    fb_mat_free(&L);
    return s;
}

static fb_status solve_any(int pairs, int64_t order, double *A, int64_t k, double *B,
                           const char *name, fb_err *e)
{
    int n = 0, nrhs = 0, info = 0, *pivot = NULL;
    FB_PASS(narrow(order, &n, e));
    FB_PASS(narrow(k, &nrhs, e));
    if (n == 0 || nrhs == 0)
        return FB_OK;
    FB_PASS(FB_NEW(&pivot, order, e));
    (pairs ? zgesv_ : dgesv_)(&n, &nrhs, A, &n, pivot, B, &n, &info);
    free(pivot);
    return info ? fb_fail(e, FB_ESOLVE, "%s is singular: it fails at row %d of %d", name, info, n)
                : FB_OK;
}

fb_status fb_solve(fb_mat *A, fb_mat *B, const char *name, fb_err *e)
{
    return solve_any(0, A->n, A->x, B->n, B->x, name, e);
}

fb_status fb_solve_complex(int64_t order, double *A, int64_t k, double *B, const char *name,
                           fb_err *e)
{
    return solve_any(1, order, A, k, B, name, e);
}

fb_status fb_eig_general(const fb_mat *A, double *re, double *im, fb_err *e)
{
    int n = 0, lwork = -1, one = 1, info = 0;
    double want = 0, *work = NULL;
    fb_mat W = {0};
    fb_status s = FB_OK;
    FB_TRY(narrow(A->n, &n, e));
    if (n == 0)
        goto out;
    FB_TRY(fb_mat_copy(&W, A, e));
    dgeev_("N", "N", &n, W.x, &n, re, im, NULL, &one, NULL, &one, &want, &lwork, &info);
    lwork = (int)want;
    FB_TRY(FB_NEW(&work, lwork, e));
    dgeev_("N", "N", &n, W.x, &n, re, im, NULL, &one, NULL, &one, work, &lwork, &info);
    if (info)
        s = fb_fail(e, FB_ESOLVE, "LAPACK's dgeev did not converge (order %d, info %d)", n, info);
out:
    fb_mat_free(&W);
    free(work);
    return s;
}

fb_status fb_rank_spd(fb_mat *A, double tol, int64_t *pivot, int64_t *rank, fb_err *e)
{
    int n = 0, r = 0, info = 0, *piv = NULL;
    double *work = NULL;
    fb_status s = FB_OK;
    FB_TRY(narrow(A->n, &n, e));
    FB_TRY(FB_NEW(&piv, A->n, e));
    FB_TRY(FB_NEW(&work, 2 * A->n, e));
    if (n > 0)
        dpstrf_("U", &n, A->x, &n, piv, &r, &tol, work, &info);
    for (int k = 0; k < n; k++)
        pivot[k] = piv[k] - 1;
    *rank = r;
out:
    FB_FREE(piv, work);
    return s;
}
