/* SPDX-License-Identifier: GPL-3.0-or-later */
/* factor.c - sparse factors. Definite matrices and counts: CHOLMOD's analysis, the fronts of
 * front.c, the solves of snode.c. Indefinite matrices, and counts that are not sure: MUMPS.
 *
 * Equations  S = K - sigma M, symmetric; P a nested dissection order (order.c)
 *   (FA.1) P S P' = L L'            definite; supernodes, so that dense kernels do the work
 *   (FA.2) P S P' = L D L'          indefinite; D with 1x1 and 2x2 blocks, chosen by size
 *   (FA.3) inertia(S) = inertia(D)  Sylvester; the negative ones are the roots of K x = lambda M x
 *                                   below sigma
 *   (FA.4) r_j = L_jj^2 / S_jj      what elimination left of a diagonal entry; scaling does not
 *                                   change it. r_j = c eps: all digits of pivot j are lost.
 *   (FA.5) max |x - y| sqrt(S_jj) / max |y| sqrt(S_jj),  S y = b, S x = S y, b_j = random
 *                                   sqrt(S_jj) error of a solve in the direction that S holds least
 * Source  Chen, Davis, Hager, Rajamanickam, ACM TOMS 35 (2008) 22 (CHOLMOD); Amestoy, Duff,
 *         Koster, L'Excellent, SIAM J. Matrix Anal. Appl. 23 (2001) 15-41 (MUMPS); Parlett, The
 *         Symmetric Eigenvalue Problem (1998), sec. 3.3 (inertia and counts)
 * Cost    (FA.1) known before the numeric work: fb_factor_forecast; (FA.2) about twice that
 */
#include "blas.h"
#include "dense.h"
#include "factor.h"
#include "sparse_ops.h"
#include "memory.h"
#include "random.h"
#include "rows.h"
#include <dmumps_c.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <suitesparse/cholmod.h>

enum {
    SOLVE_BLOCK = 64,      /* right-hand sides a call of MUMPS                                   */
    MUMPS_WORLD = -987654, /* MPI_COMM_WORLD in MUMPS' words                                     */
    MUMPS_SLACK = 60,      /* per cent of workspace above MUMPS' estimate, for delayed pivots    */
    MUMPS_TRIES = 4        /* the slack is doubled after each failure for lack of workspace      */
};

/* (FA.4) below LOST a pivot is round-off; below WEAK it may be, because round-off grows along a
 * chain of eliminations (1e-11 after 70,000, measured): there (FA.5) decides. */
static const double PIVOT_LOST = 1e-14, PIVOT_WEAK = 1e-7;
/* (FA.5) no digit is right in a singular system; three are asked for. */
static const double ANSWER_LOST = 1e-3;

struct fb_factor {
    int64_t n;
    fb_forecast forecast;
    fb_inertia_count inertia;
    cholmod_common c;
    cholmod_factor *L;        /* (FA.1) or NULL */
    fb_plan *plan;            /* of the solves with L */
    double *rows;             /* [n x FB_WIDE] right-hand sides, row-major, in L's order */
    cholmod_dense *X, *Y, *E; /* workspace of the solves, kept from one to the next */
    DMUMPS_STRUC_C *mumps;    /* (FA.2) or NULL */
    fb_csc S;                 /* MUMPS borrows its values */
    int *irn, *jcn, *place;
};

/* ---- what both share ------------------------------------------------------------------- */

/* S = K - sigma M; with own = 0 a view of K that must not be freed. */
static fb_status shifted(const fb_csc *K, const fb_csc *M, double sigma, fb_csc *S, int *own,
                         fb_err *e)
{
    if (!K->upper || (M && !M->upper)) {
        fb_fail(e, FB_EFORMAT, "a factor needs symmetric matrices, upper triangle");
        return FB_EFORMAT;
    }
    *own = M != NULL;
    if (M)
        return fb_csc_add(K, -sigma, M, S, e);
    *S = *K;
    return FB_OK;
}

static double memory_limit(const fb_factor_opts *opts)
{
    return opts && opts->memory > 0 ? opts->memory : fb_memory_available();
}

/* FB_ESYS with the GiB needed when the forecast is above the limit. */
static fb_status fits(const fb_forecast *f, int64_t n, const char *what, fb_err *e)
{
    if (f->limit <= 0 || f->gib <= f->limit)
        return FB_OK;
    fb_fail(e, FB_ESYS,
            "%s of %lld equations needs %.3g GiB of memory (%.3g million entries), "
            "%.3g GiB may be used: allow more, free some, or reduce the model in parts",
            what, (long long)n, f->gib, f->nnz * 1e-6, f->limit);
    return FB_ESYS;
}

static fb_factor *factor_alloc(int64_t n, fb_err *e)
{
    fb_factor *F = NULL;
    if (fb_new(&F, 1, sizeof *F, "factor", e))
        return NULL;
    F->n = n;
    return F;
}

/* ---- CHOLMOD --------------------------------------------------------------------------- */

/* Not zeroed: CHOLMOD writes what it reads, and a large factor is touched once only. */
static void *hook_malloc(size_t n)
{
    return fb_realloc(NULL, n, 1);
}

static void *hook_realloc(void *p, size_t n)
{
    return fb_realloc(p, n, 1);
}

/* Fields up to SuiteSparse 5, functions from 6 on. */
#if SUITESPARSE_MAIN_VERSION >= 6
#define SET_HOOK(name, f) SuiteSparse_config_##name##_func_set(f)
#else
#define SET_HOOK(name, f) (SuiteSparse_config.name##_func = (f))
#endif

static void cholmod_open(cholmod_common *c)
{
    SET_HOOK(malloc, hook_malloc);
    SET_HOOK(calloc, fb_alloc);
    SET_HOOK(realloc, hook_realloc);
    SET_HOOK(free, free);
    SET_HOOK(printf, NULL);
    cholmod_l_start(c);
    c->print = 0;
    c->try_catch = 1; /* no error handler */
    c->supernodal = CHOLMOD_SUPERNODAL;
    c->nmethods = 1;
    c->method[0].ordering = CHOLMOD_GIVEN;
    c->postorder = 1;
}

static cholmod_sparse view(const fb_csc *A)
{
    return (cholmod_sparse){.nrow = (size_t)A->m,
                            .ncol = (size_t)A->n,
                            .nzmax = (size_t)A->p[A->n],
                            .p = A->p,
                            .i = A->i,
                            .x = A->x,
                            .stype = 1,
                            .itype = CHOLMOD_LONG,
                            .xtype = CHOLMOD_REAL,
                            .dtype = CHOLMOD_DOUBLE,
                            .sorted = 1,
                            .packed = 1};
}

/* CHOLMOD's codes that are not a verdict on the matrix, as sentences. */
static fb_status cholmod_failure(const fb_factor *F, const char *what, fb_err *e)
{
    long long n = (long long)F->n;
    if (F->c.status == CHOLMOD_OUT_OF_MEMORY) {
        fb_fail(e, FB_ESYS, "out of memory while %s %lld equations (forecast: %.3g GiB)", what, n,
                F->forecast.gib);
        return FB_ESYS;
    }
    if (F->c.status == CHOLMOD_TOO_LARGE)
        fb_fail(e, FB_ESOLVE,
                "%s %lld equations exceeds the integers of CHOLMOD or its BLAS: "
                "reduce the model in parts",
                what, n);
    else
        fb_fail(e, FB_ESOLVE, "CHOLMOD failed while %s %lld equations (code %d)", what, n,
                F->c.status);
    return FB_ESOLVE;
}

static fb_snodes supernodes(const fb_factor *F)
{
    const cholmod_factor *L = F->L;
    return (fb_snodes){F->n, (int64_t)L->nsuper, L->super, L->pi, L->px, L->s, L->x};
}

/* Memory of the numeric phase: the factor, its indices, the fronts. */
static fb_status forecast_spd(fb_factor *F, const fb_csc *S, const fb_factor_opts *opts, fb_err *e)
{
    const cholmod_factor *L = F->L;
    const fb_snodes nodes = supernodes(F);
    const fb_fronts f = {.L = &nodes, .K = S, .values = 1, .threads = fb_threads()};
    double words = 0;
    fb_status s = fb_fronts_words(&f, &words, e);
    words += (double)L->xsize + (double)L->ssize;
    F->forecast = (fb_forecast){.nnz = (double)L->xsize,
                                .flops = F->c.fl,
                                .gib = 8 * words / (1024. * 1024 * 1024),
                                .limit = memory_limit(opts)};
    return s;
}

static fb_status analyse(fb_factor **out, const fb_csc *S, const fb_factor_opts *opts, fb_err *e)
{
    int64_t *perm = NULL;
    fb_factor *F = factor_alloc(S->n, e);
    fb_status s = F ? FB_OK : FB_ESYS;
    if (s)
        return s;
    cholmod_open(&F->c);
    FB_TRY(FB_NEW(&perm, S->n, e));
    FB_TRY(fb_order(S, opts ? opts->node : NULL, perm, e));
    cholmod_sparse A = view(S);
    F->L = cholmod_l_analyze_p(&A, perm, NULL, 0, &F->c);
    if (!F->L || F->c.status < CHOLMOD_OK) {
        s = cholmod_failure(F, "analysing", e);
        goto out;
    }
    FB_TRY(forecast_spd(F, S, opts, e));
    FB_TRY(fits(&F->forecast, F->n, "the factor", e));
    *out = F;
    F = NULL;
out:
    free(perm);
    fb_factor_free(F);
    return s;
}

fb_status fb_factor_analyse(fb_factor **F, const fb_csc *K, const fb_csc *M,
                            const fb_factor_opts *opts, fb_err *e)
{
    fb_csc S = {0};
    int own = 0;
    fb_status s = shifted(K, M, 1, &S, &own, e);
    if (!s)
        s = analyse(F, &S, opts, e);
    if (own)
        fb_csc_free(&S);
    return s;
}

fb_forecast fb_factor_forecast(const fb_factor *F)
{
    return F->forecast;
}

/* The smallest r_j of (FA.4) and the dof it belongs to. */
static void weakest_pivot(const fb_factor *F, const double *d, double *least, int64_t *dof)
{
    const fb_snodes L = supernodes(F);
    const int64_t *perm = F->L->Perm;
    *least = INFINITY;
    for (int64_t k = 0; k < L.nsuper; k++) {
        int64_t rows = fb_snode_rows(&L, k);
        for (int64_t j = L.super[k]; j < L.super[k + 1]; j++) {
            double p = L.x[L.px[k] + (j - L.super[k]) * (rows + 1)], r = p * p / d[perm[j]];
            if (r < *least) {
                *least = r;
                *dof = perm[j];
            }
        }
    }
}

/* y := (K - sigma M) x */
static void shifted_product(const fb_csc *K, const fb_csc *M, double sigma, const double *x,
                            double *y)
{
    int64_t n = K->n;
    memset(y, 0, sizeof *y * (size_t)n);
    if (M) {
        fb_csc_mul(M, x, n, y, n, 1);
        for (int64_t i = 0; i < n; i++)
            y[i] *= -sigma;
    }
    fb_csc_mul(K, x, n, y, n, 1);
}

/* (FA.5); d the diagonal of S */
static fb_status answer_error(fb_factor *F, const fb_csc *K, const fb_csc *M, double sigma,
                              const double *d, double *error, fb_err *e)
{
    int64_t n = F->n;
    double wrong = 0, size = 0;
    uint64_t state = fb_random_start(1);
    fb_mat R = {0}, X = {0};
    fb_status s = FB_OK;
    FB_TRY(fb_mat_new(&R, n, 1, e));
    FB_TRY(fb_mat_new(&X, n, 1, e));
    fb_random_fill(&state, R.x,
                   n); /* signs alone sum to zero now and then, and rigid motion stays unseen */
    for (int64_t j = 0; j < n; j++)
        R.x[j] *= sqrt(d[j]);
    FB_TRY(fb_factor_solve(F, &R, e));
    shifted_product(K, M, sigma, R.x, X.x);
    FB_TRY(fb_factor_solve(F, &X, e));
    for (int64_t j = 0; j < n; j++) {
        wrong = fmax(wrong, fabs(X.x[j] - R.x[j]) * sqrt(d[j]));
        size = fmax(size, fabs(R.x[j]) * sqrt(d[j]));
    }
    *error = wrong / size;
out:
    fb_mat_free(&R);
    fb_mat_free(&X);
    return s;
}

/* A pivot without digits, or a system whose solution has none, is an error. */
static fb_status not_singular(fb_factor *F, const fb_csc *K, const fb_csc *M, double sigma,
                              int64_t *column, fb_err *e)
{
    int64_t dof = -1;
    double least = 1, error = 0, *d = NULL, *dM = NULL;
    fb_status s = FB_OK;
    FB_TRY(fb_new(&d, F->n, sizeof *d, "diagonal", e));
    FB_TRY(fb_new(&dM, F->n, sizeof *d, "diagonal", e));
    fb_csc_diagonal(K, d);
    if (M)
        fb_csc_diagonal(M, dM);
    for (int64_t j = 0; j < F->n; j++)
        d[j] -= sigma * dM[j];
    weakest_pivot(F, d, &least, &dof);
    if (least < PIVOT_WEAK && least > PIVOT_LOST)
        FB_TRY(answer_error(F, K, M, sigma, d, &error, e));
    if (least > PIVOT_LOST && error < ANSWER_LOST)
        goto out;
    *column = dof;
    s = fb_fail(
        e, FB_ESOLVE,
        "the matrix K - (%.6g) M of %lld equations is singular: elimination leaves "
        "%.1e of a diagonal entry, nothing but round-off: a part or a mechanism that is not held",
        sigma, (long long)F->n, least);
out:
    free(d);
    free(dM);
    return s;
}

/* Room for L's values, kept from one numeric phase to the next. */
static fb_status room_for_values(fb_factor *F, fb_err *e)
{
    cholmod_factor *L = F->L;
    if (L->x)
        return FB_OK;
    /* Not zeroed: each page is touched first by the thread that works in it. */
    L->x = fb_realloc(NULL, L->xsize, sizeof(double));
    if (!L->x)
        return fb_fail(e, FB_ESYS, "out of memory: %.3g GiB for the factor of %lld equations",
                       8 * (double)L->xsize / (1024. * 1024 * 1024), (long long)F->n);
    L->xtype = CHOLMOD_REAL;
    L->dtype = CHOLMOD_DOUBLE;
    L->is_ll = 1;
    return FB_OK;
}

fb_status fb_factor_numeric(fb_factor *F, const fb_csc *K, const fb_csc *M, double sigma,
                            int64_t *column, fb_err *e)
{
    int64_t where = -1;
    fb_snodes L = supernodes(F);
    fb_status s = FB_OK;
    if (column)
        *column = -1;
    if (F->n == 0)
        return FB_OK;
    FB_TRY(room_for_values(F, e));
    fb_fronts f = {.L = &L,
                   .perm = F->L->Perm,
                   .K = K,
                   .M = M,
                   .sigma = sigma,
                   .values = 1,
                   .x = F->L->x,
                   .threads = fb_threads()};
    FB_TRY(fb_fronts_run(&f, e));
    where = f.failed;
    if (where >= 0)
        s = fb_fail(
            e, FB_ESOLVE,
            "the matrix K - (%.6g) M of %lld equations is not positive definite: "
            "elimination fails: a part that is not held, a multiplier, or a negative stiffness",
            sigma, (long long)F->n);
    else
        s = not_singular(F, K, M, sigma, &where, e);
out:
    if (column)
        *column = where;
    return s;
}

fb_status fb_factor_spd(fb_factor **F, const fb_csc *K, const fb_csc *M, double sigma,
                        const fb_factor_opts *opts, int64_t *column, fb_err *e)
{
    fb_factor *G = NULL;
    fb_status s = FB_OK;
    if (column)
        *column = -1;
    FB_TRY(fb_factor_analyse(&G, K, M, opts, e));
    FB_TRY(fb_factor_numeric(G, K, M, sigma, column, e));
    *F = G;
    G = NULL;
out:
    fb_factor_free(G);
    return s;
}

/* ---- solves with L --------------------------------------------------------------------- */

enum { FORWARD = 1, BACKWARD = 2 };

static fb_status definite_only(const fb_factor *F, fb_err *e)
{
    return F->L ? FB_OK : fb_fail(e, FB_ESOLVE, "half solves need a definite factor");
}

/* Rows that are in the order of elimination. */
static fb_status solve_rows(fb_factor *F, int what, double *R, int64_t k, fb_err *e)
{
    const fb_snodes L = supernodes(F);
    fb_status s = F->plan ? FB_OK : fb_plan_new(&F->plan, &L, fb_threads(), e);
    if (s)
        return s;
    if (what & FORWARD)
        fb_plan_forward(F->plan, &L, R, k);
    if (what & BACKWARD)
        fb_plan_backward(F->plan, &L, R, k);
    return FB_OK;
}

/* FB_WIDE columns at a time; a last block that is not full is filled up with zeros. */
static fb_status solve_many(fb_factor *F, int what, fb_mat *X, fb_err *e)
{
    fb_status s =
        F->rows ? FB_OK : fb_new(&F->rows, F->n * FB_WIDE, sizeof(double), "right-hand sides", e);
    for (int64_t j = 0; !s && j < X->n; j += FB_WIDE) {
        fb_turn z = {.x = X->x + j * F->n, .R = F->rows, .n = F->n};
        z.k = X->n - j < FB_WIDE ? X->n - j : FB_WIDE;
        z.width = fb_row_width(z.k);
        z.perm = what & FORWARD ? F->L->Perm : NULL;
        fb_turn_all(&z, fb_threads());
        s = solve_rows(F, what, F->rows, z.k, e);
        if (s)
            break;
        z.back = 1;
        z.perm = what & BACKWARD ? F->L->Perm : NULL;
        fb_turn_all(&z, fb_threads());
    }
    return s;
}

/* One right-hand side: CHOLMOD's, which runs at the speed of the memory. */
static fb_status solve_one(fb_factor *F, int what, fb_mat *X, fb_err *e)
{
    static const int systems[][2] = {
        {0, 0}, {CHOLMOD_P, CHOLMOD_L}, {CHOLMOD_Lt, CHOLMOD_Pt}, {CHOLMOD_A, -1}};
    size_t n = (size_t)X->m;
    cholmod_dense B = {.nrow = n,
                       .ncol = 1,
                       .nzmax = n,
                       .d = n,
                       .x = X->x,
                       .xtype = CHOLMOD_REAL,
                       .dtype = CHOLMOD_DOUBLE};
    /* When Y finds no memory, but E does, cholmod_l_solve2 goes on without Y. */
    if (!cholmod_l_ensure_dense(&F->Y, n, 1, n, CHOLMOD_REAL, &F->c))
        return cholmod_failure(F, "solving for", e);
    for (int a = 0; a < 2 && systems[what][a] >= 0; a++) {
        if (!cholmod_l_solve2(systems[what][a], F->L, &B, NULL, &F->X, NULL, &F->Y, &F->E, &F->c))
            return cholmod_failure(F, "solving for", e);
        memcpy(X->x, F->X->x, n * sizeof *X->x);
    }
    return FB_OK;
}

static fb_status solve(fb_factor *F, int what, fb_mat *X, fb_err *e)
{
    if (X->m != F->n)
        return fb_fail(e, FB_ESOLVE, "a factor of %lld equations and a right-hand side of %lld",
                       (long long)F->n, (long long)X->m);
    if (X->m == 0 || X->n == 0)
        return FB_OK;
    return X->n > 1 ? solve_many(F, what, X, e) : solve_one(F, what, X, e);
}

fb_status fb_factor_forward(fb_factor *F, fb_mat *X, fb_err *e)
{
    fb_status s = definite_only(F, e);
    return s ? s : solve(F, FORWARD, X, e);
}

fb_status fb_factor_backward(fb_factor *F, fb_mat *X, fb_err *e)
{
    fb_status s = definite_only(F, e);
    return s ? s : solve(F, BACKWARD, X, e);
}

fb_status fb_factor_forward_rows(fb_factor *F, double *R, int64_t k, fb_err *e)
{
    fb_status s = definite_only(F, e);
    return s ? s : solve_rows(F, FORWARD, R, k, e);
}

fb_status fb_factor_backward_rows(fb_factor *F, double *R, int64_t k, fb_err *e)
{
    fb_status s = definite_only(F, e);
    return s ? s : solve_rows(F, BACKWARD, R, k, e);
}

const int64_t *fb_factor_order(const fb_factor *F)
{
    return F->L ? F->L->Perm : NULL;
}

/* ---- MUMPS ----------------------------------------------------------------------------- */

static fb_status mumps_failure(const fb_factor *F, const char *what, fb_err *e)
{
    int code = F->mumps->infog[0], detail = F->mumps->infog[1];
    long long n = (long long)F->n;
    switch (code) {
    case -5:
    case -7:
    case -13:
    case -22:
        return fb_fail(e, FB_ESYS,
                       "out of memory while %s %lld equations with MUMPS (code %d, detail %d)",
                       what, n, code, detail);
    case -8:
    case -9:
    case -17:
    case -19:
    case -20:
        return fb_fail(e, FB_ESYS,
                       "MUMPS' workspace is too small while %s %lld equations, even with %d per "
                       "cent more than forecast (code %d): too many pivots are delayed",
                       what, n, F->mumps->icntl[13], code);
    case -6:
    case -10:
        return fb_fail(e, FB_ESOLVE,
                       "the matrix of %lld equations is singular: MUMPS finds rank %d", n, detail);
    case -51:
    case -52:
    case -53:
        return fb_fail(e, FB_ESOLVE, "the graph of %lld equations is beyond MUMPS' 32-bit integers",
                       n);
    default:
        return fb_fail(e, FB_ESOLVE, "MUMPS failed while %s %lld equations (code %d, detail %d)",
                       what, n, code, detail);
    }
}

static fb_status mumps_run(fb_factor *F, int job, const char *what, fb_err *e)
{
    int threads = fb_blas_threads(job == 2 ? fb_threads() : 1);
    F->mumps->job = job;
    dmumps_c(F->mumps);
    fb_blas_threads(threads);
    return F->mumps->infog[0] < 0 ? mumps_failure(F, what, e) : FB_OK;
}

/* The coordinates of S and the order, 1-based and 32-bit. */
static fb_status mumps_input(fb_factor *F, const int64_t *node, fb_err *e)
{
    const fb_csc *S = &F->S;
    int64_t n = S->n, nnz = S->p[n], *perm = NULL;
    fb_status s = FB_OK;
    if (n > INT32_MAX) {
        s = fb_fail(e, FB_ESOLVE, "%lld equations are beyond MUMPS' 32-bit integers", (long long)n);
        goto out;
    }
    FB_TRY(fb_new(&F->irn, nnz, sizeof(int), "row indices", e));
    FB_TRY(fb_new(&F->jcn, nnz, sizeof(int), "column indices", e));
    FB_TRY(fb_new(&F->place, n, sizeof(int), "order", e));
    FB_TRY(FB_NEW(&perm, n, e));
    FB_TRY(fb_order(S, node, perm, e));
    for (int64_t j = 0; j < n; j++) {
        F->place[perm[j]] = (int)(j + 1);
        for (int64_t q = S->p[j]; q < S->p[j + 1]; q++) {
            F->irn[q] = (int)(S->i[q] + 1);
            F->jcn[q] = (int)(j + 1);
        }
    }
out:
    free(perm);
    return s;
}

/* ICNTL(k) = value, in MUMPS' numbers. */
static void set(DMUMPS_STRUC_C *d, int k, int value)
{
    d->icntl[k - 1] = value;
}

static fb_status mumps_open(fb_factor *F, int keep, fb_err *e)
{
    fb_status s = fb_new(&F->mumps, 1, sizeof *F->mumps, "MUMPS", e);
    if (s)
        return s;
    DMUMPS_STRUC_C *d = F->mumps;
    d->par = 1;
    d->sym = 2; /* general symmetric: 2x2 pivots */
    d->comm_fortran = MUMPS_WORLD;
    s = mumps_run(F, -1, "starting", e);
    if (s)
        return s;
    set(d, 1, -1); /* says nothing                          */
    set(d, 2, -1);
    set(d, 3, -1);
    set(d, 4, 0);
    set(d, 6, 0);  /* no column exchange: it would undo     */
    set(d, 7, 1);  /* the order that we give                */
    set(d, 12, 1); /* of single dofs, not of 2x2 pairs      */
    set(d, 13, 1); /* no ScaLAPACK at the root: INFOG(12)   */
    set(d, 14, MUMPS_SLACK);
    set(d, 24, 1);            /* counts null pivots, goes on           */
    set(d, 31, keep ? 0 : 1); /* 1: entries of the factor are dropped */
    d->n = (int)F->n;
    d->nnz = F->S.p[F->n];
    d->irn = F->irn;
    d->jcn = F->jcn;
    d->a = F->S.x;
    d->perm_in = F->place;
    return FB_OK;
}

static fb_status mumps_factorise(fb_factor *F, const fb_factor_opts *opts, fb_err *e)
{
    DMUMPS_STRUC_C *d = F->mumps;
    fb_status s = mumps_run(F, 1, "analysing", e);
    if (s)
        return s;
    double nnz = d->infog[2] < 0 ? -1e6 * d->infog[2] : d->infog[2]; /* negative: millions */
    F->forecast = (fb_forecast){.nnz = nnz,
                                .flops = d->rinfog[0],
                                .gib = d->infog[15] * 1e6 / (1024. * 1024 * 1024),
                                .limit = memory_limit(opts)};
    s = fits(&F->forecast, F->n, "the indefinite factor", e);
    for (int try = 0; !s && try < MUMPS_TRIES; try++) {
        s = mumps_run(F, 2, "factorising", e);
        int code = d->infog[0];
        if (code != -8 && code != -9)
            break;
        d->icntl[13] *= 2;
        if (try + 1 < MUMPS_TRIES)
            s = FB_OK;
    }
    if (!s)
        F->inertia = (fb_inertia_count){.negative = d->infog[11], .zero = d->infog[27]};
    return s;
}

static fb_status indefinite(fb_factor **out, const fb_csc *K, const fb_csc *M, double sigma,
                            int keep, const fb_factor_opts *opts, fb_err *e)
{
    int own = 0;
    fb_factor *F = factor_alloc(K->n, e);
    fb_status s = F ? FB_OK : FB_ESYS;
    if (s)
        return s;
    FB_TRY(shifted(K, M, sigma, &F->S, &own, e));
    if (F->n > 0) {
        FB_TRY(mumps_input(F, opts ? opts->node : NULL, e));
        FB_TRY(mumps_open(F, keep, e));
        FB_TRY(mumps_factorise(F, opts, e));
    }
    *out = F;
    if (!own)
        F->S = (fb_csc){0};
    F = NULL;
out:
    if (F && !own)
        F->S = (fb_csc){0};
    fb_factor_free(F);
    return s;
}

fb_status fb_factor_indefinite(fb_factor **F, const fb_csc *K, const fb_csc *M, double sigma,
                               const fb_factor_opts *opts, fb_err *e)
{
    fb_factor *G = NULL;
    fb_status s = indefinite(&G, K, M, sigma, 1, opts, e);
    if (s)
        return s;
    if (G->inertia.zero > 0) {
        s = fb_fail(e, FB_ESOLVE,
                    "the matrix K - (%.6g) M of %lld equations is singular: %lld pivots are "
                    "zero: a part or a mechanism that is not held, or dependent constraints",
                    sigma, (long long)G->n, (long long)G->inertia.zero);
        fb_factor_free(G);
        return s;
    }
    *F = G;
    return FB_OK;
}

fb_status fb_inertia(const fb_csc *K, const fb_csc *M, double sigma, const fb_factor_opts *opts,
                     fb_inertia_count *count, fb_err *e)
{
    fb_factor *F = NULL;
    fb_status s = indefinite(&F, K, M, sigma, 0, opts, e);
    if (s)
        return s;
    *count = F->inertia;
    fb_factor_free(F);
    return FB_OK;
}

fb_inertia_count fb_factor_inertia(const fb_factor *F)
{
    return F->inertia;
}

/* ---- the count ------------------------------------------------------------------------- */

enum { PROBES = 8 }; /* modes that a count must reproduce: those nearest to the shift */

/* Of a probe's B' S^-1 B, relative to 1/(lambda - sigma): far above what modes and factor leave
 * when they are right, far below what a root on the wrong side gives. */
static const double PROBE = 1e-4;

/* The roots nearest to sigma, of which there are at most PROBES: *first and their number. */
static int64_t nearest_roots(const double *lambda, int64_t n, double sigma, int64_t *first)
{
    int64_t lo = 0, hi;
    while (lo < n && lambda[lo] < sigma)
        lo++;
    hi = lo;
    while (hi - lo < PROBES && (lo > 0 || hi < n))
        if (hi == n || (lo > 0 && sigma - lambda[lo - 1] <= lambda[hi] - sigma))
            lo--;
        else
            hi++;
    *first = lo;
    return hi - lo;
}

/* 1: the factor holds the k modes that are known, (FR.5). */
static int reproduces(const double *G, int64_t k, const double *lambda, double sigma)
{
    for (int64_t a = 0; a < k; a++)
        for (int64_t b = 0; b < k; b++) {
            double da = lambda[a] - sigma, db = lambda[b] - sigma;
            double x = G[a + b * k] * sqrt(fabs(da)) * sqrt(fabs(db));
            double want = a == b ? (da < 0 ? -1 : 1) : 0;
            if (!(fabs(x - want) <= PROBE))
                return 0;
        }
    return 1;
}

static void drop_values(fb_factor *F)
{
    free(F->L->x);
    F->L->x = NULL;
    F->L->xtype = CHOLMOD_PATTERN;
    fb_plan_free(F->plan);
    F->plan = NULL;
    free(F->rows);
    F->rows = NULL;
}

fb_status fb_factor_count(fb_factor *F, const fb_csc *K, const fb_csc *M, double sigma,
                          const fb_mat *X, const double *lambda, fb_inertia_count *count, int *sure,
                          fb_err *e)
{
    int64_t first = 0, k = X ? nearest_roots(lambda, X->n, sigma, &first) : 0, n = F->n;
    double G[PROBES * PROBES] = {0}, words = 0;
    fb_mat B = {0};
    fb_snodes L = supernodes(F);
    fb_fronts f = {.L = &L,
                   .perm = F->L->Perm,
                   .K = K,
                   .M = M,
                   .sigma = sigma,
                   .nb = k,
                   .G = G,
                   .threads = fb_threads()};
    fb_status s = FB_OK;
    *sure = 0;
    *count = (fb_inertia_count){0};
    if (n == 0)
        return FB_OK;
    drop_values(F);
    FB_TRY(fb_fronts_words(&f, &words, e));
    fb_forecast c = F->forecast;
    c.gib = 8 * (words + (double)F->L->ssize + (double)(n * k)) / (1024. * 1024 * 1024);
    FB_TRY(fits(&c, n, "the count", e));
    FB_TRY(fb_mat_new(&B, n, k, e));
    if (k > 0)
        FB_TRY(fb_csc_mul_many(M, &(fb_mat){n, k, X->x + first * n}, &B, e));
    f.B = B.x;
    FB_TRY(fb_fronts_run(&f, e));
    *count = (fb_inertia_count){f.negative, f.zero};
    *sure = f.zero == 0 && k > 0 && reproduces(G, k, lambda + first, sigma);
out:
    fb_mat_free(&B);
    return s;
}

static fb_status mumps_solve(fb_factor *F, fb_mat *X, fb_err *e)
{
    fb_status s = FB_OK;
    for (int64_t j = 0; !s && j < X->n; j += SOLVE_BLOCK) {
        F->mumps->nrhs = (int)(X->n - j < SOLVE_BLOCK ? X->n - j : SOLVE_BLOCK);
        F->mumps->lrhs = (int)X->m;
        F->mumps->rhs = X->x + j * X->m;
        s = mumps_run(F, 3, "solving for", e);
    }
    return s;
}

fb_status fb_factor_solve(fb_factor *F, fb_mat *X, fb_err *e)
{
    if (F->L || X->m != F->n)
        return solve(F, FORWARD | BACKWARD, X, e);
    return F->n > 0 ? mumps_solve(F, X, e) : FB_OK;
}

void fb_sparse_version(char *out, size_t n)
{
    snprintf(out, n, "CHOLMOD %d.%d.%d, MUMPS %s", CHOLMOD_MAIN_VERSION, CHOLMOD_SUB_VERSION,
             CHOLMOD_SUBSUB_VERSION, MUMPS_VERSION);
}

void fb_factor_free(fb_factor *F)
{
    if (!F)
        return;
    if (F->mumps) {
        F->mumps->job = -2;
        dmumps_c(F->mumps);
        free(F->mumps);
    }
    fb_plan_free(F->plan);
    free(F->rows);
    if (F->L || F->c.itype == CHOLMOD_LONG) {
        cholmod_l_free_dense(&F->X, &F->c);
        cholmod_l_free_dense(&F->Y, &F->c);
        cholmod_l_free_dense(&F->E, &F->c);
        cholmod_l_free_factor(&F->L, &F->c);
        cholmod_l_finish(&F->c);
    }
    free(F->irn);
    free(F->jcn);
    free(F->place);
    fb_csc_free(&F->S);
    free(F);
}
