/* SPDX-License-Identifier: GPL-3.0-or-later */
/* factor_cholmod.c - definite factors and counts: CHOLMOD's order and analysis, the fronts of
 * front.c, the solves of snode.c.
 *
 * Equations  S = K - sigma M, symmetric; P a nested dissection order (order.c)
 *   (FA.1) P S P' = L L'            definite; supernodes, so that dense kernels do the work
 *   (FA.4) r_j = L_jj^2 / S_jj      what elimination left of a diagonal entry; scaling does not
 *                                   change it. r_j = c eps: all digits of pivot j are lost.
 *   (FA.5) max |x - y| sqrt(S_jj) / max |y| sqrt(S_jj),  S y = b, S x = S y, b_j = random
 *                                   sqrt(S_jj) error of a solve in the direction that S holds least
 * Source  Chen, Davis, Hager, Rajamanickam, ACM TOMS 35 (2008) 22 (CHOLMOD)
 * Cost    known before the numeric work: fb_factor_forecast
 */
#include "blas.h"
#include "factor_engine.h"
#include "far.h"
#include "front.h"
#include "memory.h"
#include "dense.h"
#include "rows.h"
#include "sparse_ops.h"
#include "symbolic.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <suitesparse/cholmod.h>

/* (FA.4) below LOST a pivot is round-off; below WEAK it may be, because round-off grows along a
 * chain of eliminations (1e-11 after 70,000, measured): there (FA.5) decides. */
static const double PIVOT_LOST = 1e-14, PIVOT_WEAK = 1e-7;
/* (FA.5) no digit is right in a singular system; three are asked for. */
static const double ANSWER_LOST = 1e-3;

typedef struct {
    fb_factor base;
    cholmod_common c;
    cholmod_factor *L;
    fb_plan *plan;            /* of the solves with L */
    double *rows;             /* [n x FB_WIDE] right-hand sides, row-major, in L's order */
    cholmod_dense *X, *Y, *E; /* workspace of the solves, kept from one to the next */
} definite;

static definite *own(fb_factor *F)
{
    return (definite *)F;
}

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
static fb_status cholmod_failure(const definite *F, const char *what, fb_err *e)
{
    long long n = (long long)F->base.n;
    if (F->c.status == CHOLMOD_OUT_OF_MEMORY) {
        fb_fail(e, FB_ESYS, "out of memory while %s %lld equations (forecast: %.3g GiB)", what, n,
                F->base.forecast.gib);
        return FB_ESYS;
    }
    if (F->c.status == CHOLMOD_TOO_LARGE)
        fb_fail(e, FB_ESOLVE,
                "%s %lld equations exceeds the integers of CHOLMOD or its BLAS: reduce the model "
                "in parts",
                what, n);
    else
        fb_fail(e, FB_ESOLVE, "CHOLMOD failed while %s %lld equations (code %d)", what, n,
                F->c.status);
    return FB_ESOLVE;
}

static fb_snodes supernodes(const definite *F)
{
    const cholmod_factor *L = F->L;
    return (fb_snodes){F->base.n, (int64_t)L->nsuper, L->super, L->pi, L->px, L->s, L->x};
}

/* Memory of the numeric phase: the factor, its indices, the fronts. */
static fb_status forecast_spd(definite *F, const fb_csc *S, const fb_factor_opts *opts, fb_err *e)
{
    const cholmod_factor *L = F->L;
    const fb_snodes nodes = supernodes(F);
    const fb_fronts f = {.L = &nodes, .K = S, .values = 1, .threads = fb_threads()};
    double words = 0;
    fb_status s = fb_fronts_words(&f, &words, e);
    words += (double)L->xsize + (double)L->ssize;
    F->base.forecast = (fb_forecast){.nnz = (double)L->xsize,
                                     .flops = F->c.fl,
                                     .gib = 8 * words / (1024. * 1024 * 1024),
                                     .limit = fb_factor_limit(opts)};
    for (int k = 0, threads = 4; !s && k < 3; k++, threads *= 2) {
        fb_schedule z = {0};
        s = fb_front_schedule(&nodes, threads, &z, e);
        if (!s && z.path > 0)
            F->base.forecast.efficiency[k] = z.work / (threads * z.path);
    }
    return s;
}

/* ---- supernodes in pieces ------------------------------------------------------------------ */

/* Columns of a piece, three panels of front.c. What lies above the diagonal of a supernode is
 * memory for nothing, a tenth of a factor of 100,000 dofs: of pieces it is less. */
enum { PIECE = 576 };

/* Pieces of nc columns, half of PIECE to one and a half of it wide. */
static int64_t pieces_of(int64_t nc)
{
    return nc < PIECE ? 1 : (nc + PIECE / 2) / PIECE;
}

/* The structure of the pieces: the rows of each begin with its own columns. */
static void cut(const fb_snodes *L, int64_t *super, int64_t *pi, int64_t *px, int64_t *s)
{
    int64_t n = 0;
    pi[0] = px[0] = 0;
    for (int64_t k = 0; k < L->nsuper; k++) {
        const int64_t nc = fb_snode_columns(L, k), nr = fb_snode_rows(L, k), p = pieces_of(nc);
        for (int64_t a = 0; a < p; a++, n++) {
            const int64_t from = a * PIECE, width = a + 1 < p ? PIECE : nc - from;
            super[n] = L->super[k] + from;
            memcpy(s + pi[n], L->s + L->pi[k] + from, sizeof *s * (size_t)(nr - from));
            pi[n + 1] = pi[n] + nr - from;
            px[n + 1] = px[n] + width * (nr - from);
        }
    }
    super[n] = L->n;
}

static void *replaced(definite *F, void *old, size_t n, void *by)
{
    cholmod_l_free(n, sizeof(int64_t), old, &F->c);
    return by;
}

static fb_status split(definite *F, fb_err *e)
{
    const fb_snodes old = supernodes(F);
    cholmod_factor *L = F->L;
    const size_t before = L->nsuper + 1, each = sizeof(int64_t);
    size_t n = 1, rows = 0;
    int64_t *a[4] = {0};
    for (int64_t k = 0; k < old.nsuper; k++) {
        const int64_t nr = fb_snode_rows(&old, k), p = pieces_of(fb_snode_columns(&old, k));
        n += (size_t)p;
        rows += (size_t)(p * nr - PIECE * (p * (p - 1) / 2));
    }
    if (n == before)
        return FB_OK;
    for (int k = 0; k < 4; k++)
        a[k] = cholmod_l_malloc(k < 3 ? n : rows, each, &F->c);
    if (F->c.status < CHOLMOD_OK) {
        for (int k = 0; k < 4; k++)
            cholmod_l_free(k < 3 ? n : rows, each, a[k], &F->c);
        return cholmod_failure(F, "analysing", e);
    }
    cut(&old, a[0], a[1], a[2], a[3]);
    L->super = replaced(F, L->super, before, a[0]);
    L->pi = replaced(F, L->pi, before, a[1]);
    L->px = replaced(F, L->px, before, a[2]);
    L->s = replaced(F, L->s, L->ssize, a[3]);
    L->nsuper = n - 1;
    L->ssize = rows;
    L->xsize = (size_t)a[2][n - 1];
    for (size_t k = 0; k + 1 < n; k++) { /* CHOLMOD's workspace of a solve */
        const size_t below = (size_t)(a[1][k + 1] - a[1][k] - a[0][k + 1] + a[0][k]);
        L->maxesize = below > L->maxesize ? below : L->maxesize;
    }
    return FB_OK;
}

static fb_status analyse(fb_factor **out, const fb_csc *S, const fb_factor_opts *opts, fb_err *e)
{
    int64_t *perm = NULL;
    fb_factor *base = NULL;
    fb_status s = fb_factor_alloc(&base, sizeof(definite), &fb_factor_cholmod, S->n, e);
    if (s)
        return s;
    definite *F = own(base);
    base->log = opts ? opts->log : NULL;
    fb_step(base->log, "%sanalysis of %lld equations", opts && opts->order ? "" : "order and ",
            (long long)S->n);
    cholmod_open(&F->c);
    FB_TRY(FB_NEW(&perm, S->n, e));
    if (opts && opts->order)
        memcpy(perm, opts->order, sizeof *perm * (size_t)S->n);
    else
        FB_TRY(fb_order(S, opts ? opts->node : NULL, perm, e));
    if (opts && opts->node)
        FB_TRY(fb_symbolic_by_nodes(S, opts->node, perm, &F->c, &F->L, e));
    cholmod_sparse A = view(S);
    if (!F->L && F->c.status >= CHOLMOD_OK)
        F->L = cholmod_l_analyze_p(&A, perm, NULL, 0, &F->c);
    if (!F->L || F->c.status < CHOLMOD_OK) {
        s = cholmod_failure(F, "analysing", e);
        goto out;
    }
    FB_TRY(split(F, e));
    FB_TRY(forecast_spd(F, S, opts, e));
    FB_TRY(fb_factor_fits(&F->base.forecast, F->base.n, "the factor", e));
    *out = base;
    base = NULL;
out:
    free(perm);
    fb_factor_free(base);
    return s;
}

/* 1: K has an entry wherever M has one, as it has in all but odd models. */
static int covers(const fb_csc *K, const fb_csc *M)
{
    for (int64_t j = 0; j < M->n; j++)
        for (int64_t q = M->p[j], k = K->p[j]; q < M->p[j + 1]; q++) {
            while (k < K->p[j + 1] && K->i[k] < M->i[q])
                k++;
            if (k == K->p[j + 1] || K->i[k] != M->i[q])
                return 0;
        }
    return 1;
}

fb_status fb_factor_analyse(fb_factor **F, const fb_csc *K, const fb_csc *M,
                            const fb_factor_opts *opts, fb_err *e)
{
    fb_csc S = {0};
    int own = 0;
    if (fb_is_far(K->p))
        return fb_far->analyse(F, K, M, 1, opts, e);
    const int alone = M && K->upper && M->upper && K->n == M->n && covers(K, M);
    fb_status s = fb_factor_shifted(K, alone ? NULL : M, 1, &S, &own, e);
    if (!s)
        s = analyse(F, &S, opts, e);
    if (own)
        fb_csc_free(&S);
    return s;
}

/* The smallest r_j of (FA.4) and the dof it belongs to. */
static void weakest_pivot(const definite *F, const double *d, double *least, int64_t *dof)
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
static fb_status answer_error(definite *F, const fb_csc *K, const fb_csc *M, double sigma,
                              const double *d, double *error, fb_err *e)
{
    int64_t n = F->base.n;
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
    FB_TRY(fb_factor_solve(&F->base, &R, e));
    shifted_product(K, M, sigma, R.x, X.x);
    FB_TRY(fb_factor_solve(&F->base, &X, e));
    for (int64_t j = 0; j < n; j++) {
        wrong = fmax(wrong, fabs(X.x[j] - R.x[j]) * sqrt(d[j]));
        size = fmax(size, fabs(R.x[j]) * sqrt(d[j]));
    }
    *error = wrong / size;
out:
    FB_FREE_BY(fb_mat_free, &R, &X);
    return s;
}

/* A pivot without digits, or a system whose solution has none, is an error. */
static fb_status not_singular(definite *F, const fb_csc *K, const fb_csc *M, double sigma,
                              int64_t *column, fb_err *e)
{
    int64_t dof = -1;
    double least = 1, error = 0, *d = NULL, *dM = NULL;
    fb_status s = FB_OK;
    FB_TRY(fb_new(&d, F->base.n, sizeof *d, "diagonal", e));
    FB_TRY(fb_new(&dM, F->base.n, sizeof *d, "diagonal", e));
    fb_csc_diagonal(K, d);
    if (M)
        fb_csc_diagonal(M, dM);
    for (int64_t j = 0; j < F->base.n; j++)
        d[j] -= sigma * dM[j];
    weakest_pivot(F, d, &least, &dof);
    if (least < PIVOT_WEAK && least > PIVOT_LOST)
        FB_TRY(answer_error(F, K, M, sigma, d, &error, e));
    if (least > PIVOT_LOST && error < ANSWER_LOST)
        goto out;
    *column = dof;
    s = fb_fail(e, FB_ESOLVE,
                "the matrix K - (%.6g) M of %lld equations is singular: elimination leaves %.1e of "
                "a diagonal entry, nothing but round-off: a part or a mechanism that is not held",
                sigma, (long long)F->base.n, least);
out:
    FB_FREE(d, dM);
    return s;
}

/* Room for L's values, kept from one numeric phase to the next. */
static fb_status room_for_values(definite *F, fb_err *e)
{
    cholmod_factor *L = F->L;
    if (L->x)
        return FB_OK;
    /* Not zeroed: each page is touched first by the thread that works in it. */
    L->x = fb_realloc(NULL, L->xsize, sizeof(double));
    if (!L->x)
        return fb_fail(e, FB_ESYS, "out of memory: %.3g GiB for the factor of %lld equations",
                       8 * (double)L->xsize / (1024. * 1024 * 1024), (long long)F->base.n);
    L->xtype = CHOLMOD_REAL;
    L->dtype = CHOLMOD_DOUBLE;
    L->is_ll = 1;
    return FB_OK;
}

fb_status fb_factor_numeric(fb_factor *F, const fb_csc *K, const fb_csc *M, double sigma,
                            int64_t *column, fb_err *e)
{
    if (fb_is_far(K->p))
        return fb_far->numeric(F, sigma, column, e);
    int64_t where = -1;
    definite *f = own(F);
    fb_snodes L = supernodes(f);
    fb_status s = FB_OK;
    if (column)
        *column = -1;
    if (F->n == 0)
        return FB_OK;
    FB_TRY(room_for_values(f, e));
    fb_fronts z = {.L = &L,
                   .perm = f->L->Perm,
                   .K = K,
                   .M = M,
                   .sigma = sigma,
                   .values = 1,
                   .x = f->L->x,
                   .threads = fb_threads(),
                   .log = F->log,
                   .what = "factorisation"};
    fb_step(F->log, "factorisation of %lld equations, %.3g Gflop", (long long)F->n,
            F->forecast.flops * 1e-9);
    FB_TRY(fb_fronts_run(&z, e));
    where = z.failed;
    if (where >= 0)
        s = fb_fail(
            e, FB_ESOLVE,
            "the matrix K - (%.6g) M of %lld equations is not positive definite: elimination "
            "fails: a part that is not held, a multiplier, or a negative stiffness",
            sigma, (long long)F->n);
    else
        s = not_singular(f, K, M, sigma, &where, e);
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

static fb_status planned(definite *F, const fb_snodes *L, fb_err *e)
{
    return F->plan ? FB_OK : fb_plan_new(&F->plan, L, fb_threads(), e);
}

/* Rows that are in the order of elimination. */
static fb_status solve_rows(definite *F, int what, double *R, int64_t k, fb_err *e)
{
    const fb_snodes L = supernodes(F);
    FB_PASS(planned(F, &L, e));
    if (what & FB_FORWARD)
        fb_plan_forward(F->plan, &L, R, k);
    if (what & FB_BACKWARD)
        fb_plan_backward(F->plan, &L, R, k);
    return FB_OK;
}

/* FB_WIDE columns at a time; a last block that is not full is filled up with zeros. */
static fb_status solve_many(definite *F, int what, fb_mat *X, fb_err *e)
{
    fb_status s =
        F->rows ? FB_OK
                : fb_new(&F->rows, F->base.n * FB_WIDE, sizeof(double), "right-hand sides", e);
    for (int64_t j = 0; !s && j < X->n; j += FB_WIDE) {
        fb_turn z = {.x = X->x + j * F->base.n, .R = F->rows, .n = F->base.n};
        z.k = X->n - j < FB_WIDE ? X->n - j : FB_WIDE;
        z.width = fb_row_width(z.k);
        z.perm = what & FB_FORWARD ? F->L->Perm : NULL;
        fb_turn_all(&z, fb_threads());
        s = solve_rows(F, what, F->rows, z.k, e);
        if (s)
            break;
        z.back = 1;
        z.perm = what & FB_BACKWARD ? F->L->Perm : NULL;
        fb_turn_all(&z, fb_threads());
        fb_progress(F->base.log, "solutions", (double)(j + z.k) / (double)X->n, (double)X->n,
                    "right-hand sides");
    }
    return s;
}

/* One right-hand side: CHOLMOD's, which runs at the speed of the memory. */
static fb_status solve_one(definite *F, int what, fb_mat *X, fb_err *e)
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
    return X->n > 1 ? solve_many(own(F), what, X, e) : solve_one(own(F), what, X, e);
}

static fb_status rows(fb_factor *F, int what, double *R, int64_t k, fb_err *e)
{
    return solve_rows(own(F), what, R, k, e);
}

/* The right-hand sides go, until columns are solved for again: M takes their memory. */
static fb_status couple(fb_factor *base, const fb_csc *M, fb_coupling **c, fb_err *e)
{
    definite *F = own(base);
    const fb_snodes L = supernodes(F);
    FB_FREE(F->rows);
    FB_PASS(planned(F, &L, e));
    return fb_plan_couple(c, F->plan, &L, M, F->L->Perm, e);
}

static void congruence(fb_factor *base, const fb_coupling *c, double *X, double *Y)
{
    const fb_snodes L = supernodes(own(base));
    fb_plan_congruence(own(base)->plan, &L, c, X, Y);
}

static const int64_t *order(const fb_factor *F)
{
    return ((const definite *)F)->L->Perm;
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

static void drop_values(definite *F)
{
    FB_FREE(F->L->x);
    F->L->xtype = CHOLMOD_PATTERN;
    fb_plan_free(F->plan);
    F->plan = NULL;
    FB_FREE(F->rows);
}

fb_status fb_factor_count(fb_factor *F, const fb_csc *K, const fb_csc *M, double sigma,
                          const fb_mat *X, const double *lambda, fb_inertia_count *count, int *sure,
                          fb_err *e)
{
    int64_t first = 0, k = X ? nearest_roots(lambda, X->n, sigma, &first) : 0, n = F->n;
    double G[PROBES * PROBES] = {0}, words = 0;
    fb_mat B = {0};
    fb_snodes L = supernodes(own(F));
    fb_fronts f = {.L = &L,
                   .perm = own(F)->L->Perm,
                   .K = K,
                   .M = M,
                   .sigma = sigma,
                   .nb = k,
                   .G = G,
                   .threads = fb_threads(),
                   .log = F->log,
                   .what = "count of modes"};
    fb_status s = FB_OK;
    *sure = 0;
    *count = (fb_inertia_count){0};
    if (n == 0)
        return FB_OK;
    drop_values(own(F));
    FB_TRY(fb_fronts_words(&f, &words, e));
    fb_forecast c = F->forecast;
    c.gib = 8 * (words + (double)own(F)->L->ssize + (double)(n * k)) / (1024. * 1024 * 1024);
    FB_TRY(fb_factor_fits(&c, n, "the count", e));
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

static void version(char *out, size_t n)
{
    snprintf(out, n, "CHOLMOD %d.%d.%d", CHOLMOD_MAIN_VERSION, CHOLMOD_SUB_VERSION,
             CHOLMOD_SUBSUB_VERSION);
}

static void release(fb_factor *F)
{
    definite *f = own(F);
    fb_plan_free(f->plan);
    free(f->rows);
    if (!f->L && f->c.itype != CHOLMOD_LONG) /* CHOLMOD was never opened */
        return;
    cholmod_l_free_dense(&f->X, &f->c);
    cholmod_l_free_dense(&f->Y, &f->c);
    cholmod_l_free_dense(&f->E, &f->c);
    cholmod_l_free_factor(&f->L, &f->c);
    cholmod_l_finish(&f->c);
}

const fb_factor_engine fb_factor_cholmod = {.solve = solve,
                                            .rows = rows,
                                            .couple = couple,
                                            .congruence = congruence,
                                            .order = order,
                                            .free = release,
                                            .version = version};
