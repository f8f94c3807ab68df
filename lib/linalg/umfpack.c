/* SPDX-License-Identifier: GPL-3.0-or-later */
/* umfpack.c - sparse LU of sums of matrices, real or complex, of any form: UMFPACK.
 *
 * Equations  A(c) = sum_k c_k A_k on the union of the patterns of all A_k and A_k'
 *   (LU.1) P R A(c) Q = L U      R scales rows, Q nested dissection (order.c), P near Q'
 *   (LU.2) x := x + A^-1 (b - A x)  until the backward error is round-off, twice at most
 *   (LU.3) max |x_j - y_j| s_j / max |y_j| s_j,  A y = b, A x = A y, b_j = random s_j, s_j =
 *          |A_jj|^1/2: error of a solve, as (FA.5) of factor_cholmod.c has it
 * Nested dissection is of the symmetric pattern, so pivots are taken from the diagonal where they
 * are not below a thousandth of their column; a saddle point (multipliers) leaves it there.
 * Source   Davis, ACM TOMS 30 (2004) 165-195, 196-199 (UMFPACK); Arioli, Demmel, Duff, SIAM J.
 *          Matrix Anal. Appl. 10 (1989) 165-190 (LU.2)
 * Cost     known before: twice the entries of the factor of (FA.1), of complex numbers four times
 */
#include "lu.h"
#include "dense.h"
#include "factor_engine.h"
#include "memory.h"
#include "sparse_ops.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <suitesparse/umfpack.h>

/* Fronts and indices beside the entries of the factor: 1.16 of them measured (26,478 dofs). */
static const double BESIDE = 1.25;
/* Of the smallest pivot over the largest, rows scaled to sum 1: below, nothing but round-off. */
static const double PIVOT_LOST = 1e-15;
/* Below, round-off along a chain of eliminations may be all that is left (1e-13 of a free body,
 * measured, as 1e-10 of a held one): there (LU.3) decides. No digit is right in a singular system;
 * two are asked for, which all but resonance without damping leaves. */
static const double PIVOT_WEAK = 1e-7, ANSWER_LOST = 1e-2;

struct fb_lu {
    int64_t n;
    int is_complex, terms;
    fb_csc P;   /* [n x n] the pattern, both triangles; no values */
    double **x; /* [terms] values of each A_k on it */
    void *symbolic;
    double control[UMFPACK_CONTROL];
    fb_forecast forecast;
};

struct fb_lu_factor {
    const fb_lu *L;
    double *x; /* values of A(c) */
    void *numeric;
};

/* UMFPACK's codes as sentences. The calls return `int` from SuiteSparse 7 on, a long before. */
static fb_status failure(const fb_lu *L, long code, const char *what, fb_err *e)
{
    const long long n = (long long)L->n;
    switch (code) {
    case UMFPACK_OK:
        return FB_OK;
    case UMFPACK_WARNING_singular_matrix:
        return fb_fail(e, FB_ESOLVE,
                       "the matrix of %lld equations is singular: a part or a mechanism that is "
                       "not held, dependent constraints, or a dof without stiffness and mass",
                       n);
    case UMFPACK_ERROR_out_of_memory:
        return fb_fail(e, FB_ESYS, "out of memory while %s %lld equations (forecast: %.3g GiB)",
                       what, n, L->forecast.gib);
    default:
        return fb_fail(e, FB_ESOLVE, "UMFPACK failed while %s %lld equations (code %ld)", what, n,
                       code);
    }
}

/* ---- the pattern --------------------------------------------------------------------------- */

/* U: ones in the upper triangle of the union of all A_k, A_k' and the diagonal. */
static fb_status upper_pattern(const fb_csc *const *A, int terms, fb_csc *U, fb_err *e)
{
    const int64_t n = A[0]->n;
    fb_fill f = {0};
    fb_status s = FB_OK;
    FB_TRY(fb_fill_new(&f, n, n, 1, e));
    for (int fill = 0; fill < 2; fill++) {
        for (int64_t j = 0; j < n; j++)
            if (fill)
                fb_fill_place(&f, j, j, 1);
            else
                fb_fill_count(&f, j);
        for (int k = 0; k < terms; k++)
            for (int64_t j = 0; j < n; j++)
                for (int64_t q = A[k]->p[j]; q < A[k]->p[j + 1]; q++) {
                    const int64_t i = A[k]->i[q], low = i < j ? i : j, high = i < j ? j : i;
                    if (fill)
                        fb_fill_place(&f, low, high, 1);
                    else
                        fb_fill_count(&f, high);
                }
        if (!fill)
            FB_TRY(fb_fill_start(&f, 0, e));
    }
    s = fb_fill_finish(&f, U, NULL, NULL, e);
out:
    fb_fill_free(&f);
    return s;
}

/* Both triangles of U. */
static fb_status both_triangles(const fb_csc *U, fb_csc *P, fb_err *e)
{
    int64_t *row = NULL, *column = NULL;
    fb_status s = FB_OK;
    FB_TRY(FB_NEW(&row, U->n, e));
    for (int64_t j = 0; j < U->n; j++)
        row[j] = j;
    FB_TRY(fb_copy(&column, row, U->n, sizeof *column, "columns", e)); /* another pointer: all */
    FB_TRY(fb_csc_sub(U, row, U->n, column, U->n, P, e));
    free(P->x);
    P->x = NULL;
out:
    FB_FREE(row, column);
    return s;
}

/* Where (i, j) stands in the pattern, which has it. */
static int64_t place_of(const fb_csc *P, int64_t i, int64_t j)
{
    int64_t lo = P->p[j], hi = P->p[j + 1] - 1;
    while (lo < hi) {
        const int64_t mid = lo + (hi - lo) / 2;
        if (P->i[mid] < i)
            lo = mid + 1;
        else
            hi = mid;
    }
    return lo;
}

static void spread(const fb_csc *A, const fb_csc *P, double *x)
{
    for (int64_t j = 0; j < A->n; j++)
        for (int64_t q = A->p[j]; q < A->p[j + 1]; q++) {
            x[place_of(P, A->i[q], j)] += A->x[q];
            if (A->upper && A->i[q] != j)
                x[place_of(P, j, A->i[q])] += A->x[q];
        }
}

/* ---- analysis ------------------------------------------------------------------------------ */

/* Our order, and the memory of a factor: by the analysis of the symmetric pattern. */
static fb_status order(fb_lu *L, const fb_csc *U, const fb_factor_opts *opts, int64_t *perm,
                       fb_err *e)
{
    const double gib = 1024. * 1024 * 1024;
    fb_factor *F = NULL;
    FB_PASS(fb_factor_analyse(&F, U, NULL, opts, e));
    memcpy(perm, fb_factor_order(F), sizeof *perm * (size_t)L->n);
    L->forecast = fb_factor_forecast(F);
    fb_factor_free(F);
    const double words =
        (L->is_complex ? 4 : 2) * (L->forecast.nnz * BESIDE + (double)L->P.p[L->n]);
    L->forecast.gib = 8 * words / gib;
    return fb_factor_fits(&L->forecast, L->n, "the LU factor", e);
}

static fb_status analyse(fb_lu *L, const int64_t *perm, fb_err *e)
{
    double *c = L->control, *x = NULL;
    long code;
    (L->is_complex ? umfpack_zl_defaults : umfpack_dl_defaults)(c);
    c[UMFPACK_PRL] = 0;
    c[UMFPACK_STRATEGY] = UMFPACK_STRATEGY_SYMMETRIC;
    c[UMFPACK_ORDERING] = UMFPACK_ORDERING_GIVEN;
    c[UMFPACK_SINGLETONS] = 0; /* they would leave our order */
    /* The values are not looked at where the strategy is given, but must be there. */
    FB_PASS(fb_new(&x, (L->is_complex ? 2 : 1) * L->P.p[L->n], sizeof *x, "values", e));
    if (L->is_complex)
        code = (long)umfpack_zl_qsymbolic(L->n, L->n, L->P.p, L->P.i, x, NULL, perm, &L->symbolic,
                                          c, NULL);
    else
        code =
            (long)umfpack_dl_qsymbolic(L->n, L->n, L->P.p, L->P.i, x, perm, &L->symbolic, c, NULL);
    free(x);
    return failure(L, code, "analysing", e);
}

fb_status fb_lu_new(fb_lu **out, const fb_csc *const *A, int terms, int is_complex,
                    const fb_factor_opts *opts, fb_err *e)
{
    int64_t *perm = NULL;
    fb_csc U = {0};
    fb_lu *L = NULL;
    fb_status s = FB_OK;
    for (int k = 0; k < terms; k++)
        if (A[k]->m != A[0]->n || A[k]->n != A[0]->n || A[0]->n < 1)
            FB_TRY(fb_fail(e, FB_ESOLVE, "an LU factor of %lld by %lld entries", (long long)A[k]->m,
                           (long long)A[k]->n));
    FB_TRY(FB_NEW(&L, 1, e));
    L->n = A[0]->n;
    L->is_complex = is_complex;
    FB_TRY(fb_new(&L->x, terms, sizeof *L->x, "matrices", e));
    FB_TRY(upper_pattern(A, terms, &U, e));
    FB_TRY(both_triangles(&U, &L->P, e));
    FB_TRY(FB_NEW(&perm, L->n, e));
    FB_TRY(order(L, &U, opts, perm, e));
    for (L->terms = 0; L->terms < terms; L->terms++) {
        FB_TRY(fb_new(&L->x[L->terms], L->P.p[L->n], sizeof **L->x, "matrices", e));
        spread(A[L->terms], &L->P, L->x[L->terms]);
    }
    FB_TRY(analyse(L, perm, e));
    *out = L;
    L = NULL;
out:
    free(perm);
    fb_csc_free(&U);
    fb_lu_free(L);
    return s;
}

int fb_lu_room(const fb_lu *L)
{
    const fb_forecast *f = &L->forecast;
    const double most = f->limit > 0 && f->gib > 0 ? f->limit / f->gib : 1;
    return most < 1 ? 1 : most > 64 ? 64 : (int)most;
}

void fb_lu_free(fb_lu *L)
{
    if (!L)
        return;
    if (L->symbolic)
        (L->is_complex ? umfpack_zl_free_symbolic : umfpack_dl_free_symbolic)(&L->symbolic);
    for (int k = 0; L->x && k < L->terms; k++)
        free(L->x[k]);
    free(L->x);
    fb_csc_free(&L->P);
    free(L);
}

/* ---- factors and solves -------------------------------------------------------------------- */

static void add(const fb_lu *L, const double *c, double *x)
{
    const int64_t nnz = L->P.p[L->n];
    for (int k = 0; k < L->terms; k++)
        for (int64_t q = 0; q < nnz; q++)
            if (L->is_complex) {
                x[2 * q] += c[2 * k] * L->x[k][q];
                x[2 * q + 1] += c[2 * k + 1] * L->x[k][q];
            } else {
                x[q] += c[k] * L->x[k][q];
            }
}

/* y := A x */
static void product(const fb_lu_factor *F, const double *x, double *y)
{
    const fb_csc *P = &F->L->P;
    const int z = F->L->is_complex;
    memset(y, 0, sizeof *y * (size_t)((z ? 2 : 1) * P->n));
    for (int64_t j = 0; j < P->n; j++)
        for (int64_t q = P->p[j]; q < P->p[j + 1]; q++) {
            const double *a = F->x + (z ? 2 * q : q);
            double *to = y + (z ? 2 * P->i[q] : P->i[q]);
            if (z) {
                to[0] += a[0] * x[2 * j] - a[1] * x[2 * j + 1];
                to[1] += a[0] * x[2 * j + 1] + a[1] * x[2 * j];
            } else {
                to[0] += a[0] * x[j];
            }
        }
}

/* scale [words]: |A_jj|^1/2, 1 where there is none. */
static void scales(const fb_lu_factor *F, double *scale)
{
    const fb_csc *P = &F->L->P;
    const int64_t w = F->L->is_complex ? 2 : 1;
    for (int64_t j = 0; j < P->n; j++) {
        const double *a = F->x + w * place_of(P, j, j);
        const double size = w == 2 ? hypot(a[0], a[1]) : fabs(a[0]);
        for (int64_t k = 0; k < w; k++)
            scale[w * j + k] = size > 0 ? sqrt(size) : 1;
    }
}

/* (LU.3) */
static fb_status answer_error(const fb_lu_factor *F, double *error, fb_err *e)
{
    const int64_t words = (F->L->is_complex ? 2 : 1) * F->L->n;
    double *scale = NULL, *b = NULL, *x = NULL, *y = NULL, wrong = 0, size = 0;
    uint64_t state = fb_random_start(1);
    fb_status s = FB_OK;
    FB_TRY(fb_new(&scale, words, sizeof *scale, "diagonal", e));
    FB_TRY(fb_new(&b, words, sizeof *b, "right-hand side", e));
    FB_TRY(fb_new(&x, words, sizeof *x, "solution", e));
    FB_TRY(fb_new(&y, words, sizeof *y, "solution", e));
    scales(F, scale);
    fb_random_fill(&state, b, words);
    for (int64_t k = 0; k < words; k++)
        b[k] *= scale[k];
    FB_TRY(fb_lu_solve(F, b, y, e));
    product(F, y, b);
    FB_TRY(fb_lu_solve(F, b, x, e));
    for (int64_t k = 0; k < words; k++) {
        wrong = fmax(wrong, fabs(x[k] - y[k]) * scale[k]);
        size = fmax(size, fabs(y[k]) * scale[k]);
    }
    *error = wrong / size;
out:
    FB_FREE(scale, b, x, y);
    return s;
}

fb_status fb_lu_factor_new(fb_lu_factor **out, const fb_lu *L, const double *c, fb_err *e)
{
    long code;
    double info[UMFPACK_INFO] = {0}, error = 0;
    fb_lu_factor *F = NULL;
    fb_status s = FB_OK;
    FB_TRY(FB_NEW(&F, 1, e));
    F->L = L;
    FB_TRY(fb_new(&F->x, (L->is_complex ? 2 : 1) * L->P.p[L->n], sizeof *F->x, "values", e));
    add(L, c, F->x);
    if (L->is_complex)
        code = (long)umfpack_zl_numeric(L->P.p, L->P.i, F->x, NULL, L->symbolic, &F->numeric,
                                        L->control, info);
    else
        code = (long)umfpack_dl_numeric(L->P.p, L->P.i, F->x, L->symbolic, &F->numeric, L->control,
                                        info); /* (LU.1) */
    if (code == UMFPACK_OK && !(info[UMFPACK_RCOND] > PIVOT_LOST))
        code = UMFPACK_WARNING_singular_matrix;
    FB_TRY(failure(L, code, "factorising", e));
    if (info[UMFPACK_RCOND] < PIVOT_WEAK)
        FB_TRY(answer_error(F, &error, e));
    if (!(error < ANSWER_LOST))
        FB_TRY(failure(L, UMFPACK_WARNING_singular_matrix, "factorising", e));
    *out = F;
    F = NULL;
out:
    fb_lu_factor_free(F);
    return s;
}

fb_status fb_lu_solve(const fb_lu_factor *F, const double *b, double *x, fb_err *e)
{
    const fb_lu *L = F->L;
    const int64_t words = (L->is_complex ? 2 : 1) * L->n;
    const long code = L->is_complex
                          ? (long)umfpack_zl_solve(UMFPACK_A, L->P.p, L->P.i, F->x, NULL, x, NULL,
                                                   b, NULL, F->numeric, L->control, NULL)
                          : (long)umfpack_dl_solve(UMFPACK_A, L->P.p, L->P.i, F->x, x, b,
                                                   F->numeric, L->control, NULL); /* (LU.2) */
    FB_PASS(failure(L, code, "solving", e));
    for (int64_t k = 0; k < words; k++)
        if (!isfinite(x[k]))
            return failure(L, UMFPACK_WARNING_singular_matrix, "solving", e);
    return FB_OK;
}

void fb_lu_factor_free(fb_lu_factor *F)
{
    if (!F)
        return;
    if (F->numeric)
        (F->L->is_complex ? umfpack_zl_free_numeric : umfpack_dl_free_numeric)(&F->numeric);
    FB_FREE(F->x, F);
}

void fb_lu_version(char *out, size_t n)
{
    snprintf(out, n, "UMFPACK %d.%d.%d", UMFPACK_MAIN_VERSION, UMFPACK_SUB_VERSION,
             UMFPACK_SUBSUB_VERSION);
}
