/* SPDX-License-Identifier: GPL-3.0-or-later */
/* statics.c - static answers of the interior, also where rigid motion of it is free.
 *
 * Symbols  K, M of the interior; Z [ni x nz] its rigid motion, K Z = 0, Z'MZ = I; p nz dofs, E
 * their unit vectors Equations
 *   (ST.1) K x = f - M Z Z'f                 nothing drives the rigid motion (inertia relief); f =
 *          -Kib: Z'f = 0
 *   (ST.2) (K + E diag(s) E') y = f - M Z Z'f,  Z'E nonsingular: E'y = 0, so that K y = f - M Z Z'f
 *   (ST.3) x = y - Z Z'M y
 *   (ST.4) x := x + (ST.1..3) of r = f - M Z Z'f - K x, r summed in twice the digits: what is left
 *          of the error is its square, not eps cond(K), whatever the order of elimination
 *   (ST.5) Z := Z - (K + E diag(s) E')^-1 (K Z - M Z Z'K Z), K Z summed likewise; Z'MZ = I anew by
 *          Z (3 - Z'MZ) / 2
 * The dofs p are the rows of diag(sqrt(K_jj)) Z that a Gram-Schmidt process with pivots picks: s =
 * K_pp.
 * Source   Felippa, Park & Justino, Int. J. Solids Struct. 35 (1998) 3937 (ST.1, ST.3); (ST.2) from
 *          Z'(ST.2); Wilkinson, Rounding Errors in Algebraic Processes (1963), sec. 3.9; Demmel et
 *          al., ACM TOMS 32 (2006) 325-351 (ST.4)
 * Cost     (ST.4) a solve and a product an answer. Of many answers to sparse loads, as constraint
 *          modes are, what the factor left is sought in the span of the errors of few (errors.c);
 *          of others those at both ends tell whether the factor left less than 1e-11
 */
#include "memory.h"
#include "errors.h"
#include "full.h"
#include "linalg/blas.h"
#include "linalg/far.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    SAMPLE = 8, /* answers at both ends of a block tell whether the factor is enough for all */
    TOGETHER = 2 * SAMPLE, /* answers that are refined at a time */
    STEPS = 4
};
static const double ENOUGH = 1e-11, EXACT = 1e-15; /* of an answer, relative */
enum { FIRST = 8 }; /* modes looked at for rigid motion, doubled until one is not rigid */

/* All rigid motion of K and M: their lowest modes, as many as are rigid. */
static fb_status find_rigid(const fb_full *f, const fb_csc *K, const fb_csc *M, const int64_t *eq,
                            int64_t nmult, fb_mat *Z, fb_err *e)
{
    fb_log quiet = {.progress = f->log->progress, .self = f->log->self};
    fb_reduceopt o = {.order = -1, .modes = -1, .memory = f->o->memory, .no_sturm = 1};
    fb_full g = *f;
    fb_eig r = {0};
    fb_status s = FB_OK;
    g.log = &quiet;
    g.o = &o;
    for (int64_t k = FIRST;; k *= 2) {
        fb_eig_free(&r);
        FB_TRY(fb_full_modes(&g, K, M, eq, nmult, k, NULL, "rigid motion of the interior", &r, e));
        if (r.nnegative + r.nrigid < r.n || r.n < k)
            break;
    }
    const fb_mat rigid = fb_mat_columns(&r.X, r.nnegative, r.nrigid);
    s = fb_mat_copy(Z, &rigid, e);
out:
    fb_log_free(&quiet);
    fb_eig_free(&r);
    return s;
}

/* (ST.2) A = K + E diag(s) E' */
static fb_status pin(const fb_csc *K, const int64_t *p, int64_t n, fb_csc *A, fb_err *e)
{
    double *d = NULL, *x = NULL, scale = 0;
    fb_status s = FB_OK;
    FB_TRY(fb_new(&d, K->n, 8, "diagonal", e));
    FB_TRY(fb_new(&x, n, 8, "pins", e));
    fb_csc_diagonal(K, d);
    FB_TRY(fb_csc_norm(K, &scale, e));
    for (int64_t k = 0; k < n; k++)
        x[k] = d[p[k]] > 0 ? d[p[k]] : scale > 0 ? scale : 1;
    s = fb_csc_add_diagonal(K, 1, x, p, n, A, e);
out:
    FB_FREE(d, x);
    return s;
}

/* Of what MUMPS is given to factorise it keeps this much, with the places of its solves (measured:
 * 0.81 to 0.96 at 11,000 to 44,000 equations on 1, 2, 4 ranks). */
static const double KEPT = 0.85;

/* What the run will take: the factorisation, or later the values of the factor beside the
 * constraint modes and the vectors of the eigensolver, whatever is more. */
static void note_forecast(const fb_full *f, int64_t ni, const fb_forecast *c)
{
    const double gib = 1024. * 1024 * 1024;
    int64_t nb = f->n - ni, k = f->o->order > nb  ? f->o->order - nb
                                : f->o->modes > 0 ? f->o->modes
                                                  : 0;
    const double beside =
        8 * ((double)ni * (double)nb + (k ? fb_eig_lanczos_words(ni, ni, k, 0) : 0)) / gib;
    const double later =
        c->ranks ? KEPT * c->gib + beside / (double)c->ranks : 8 * c->nnz / gib + beside;
    char limit[48] = "";
    if (c->limit > 0)
        snprintf(limit, sizeof limit, " of the %.3g that may be used", c->limit);
    fb_note(f->log, "factor of %lld equations: %.4g million entries, %.3g Gflop, %.3g GiB%s%s",
            (long long)ni, c->nnz * 1e-6, c->flops * 1e-9, c->gib,
            c->ranks ? " on the rank that has most" : "", limit);
    if (c->efficiency[0] > 0)
        fb_note(f->log,
                "factor on 4, 8 and 16 threads: busy for %.2f, %.2f and %.2f of the time, by "
                "counting",
                c->efficiency[0], c->efficiency[1], c->efficiency[2]);
    fb_note(f->log, "memory forecast: %.3g GiB in all%s", fb_memory_used() + fmax(c->gib, later),
            c->ranks ? " on that rank" : "");
}

/* The pattern of M is analysed too, so that the factor serves the modes. */
static fb_status factorise(fb_statics *t, const fb_full *f, const fb_csc *A, const fb_csc *M,
                           const int64_t *eq, int64_t nmult, int64_t *column, fb_err *e)
{
    int64_t *node = NULL, *order = NULL;
    fb_factor_opts o = {.memory = f->o->memory, .log = f->log};
    fb_status s = FB_OK;
    *column = -1;
    FB_TRY(fb_full_nodes(f, eq, A->n, &node, e));
    FB_TRY(fb_full_order_of_rest(f, eq, A->n, &order, e));
    o.node = node;
    o.order = order;
    if (nmult) {
        s = fb_factor_indefinite(&t->F, A, NULL, 0, &o, e);
        if (s == FB_ESOLVE)
            *column = A->n;
        goto out;
    }
    FB_TRY(fb_factor_analyse(&t->F, A, M, &o, e));
    fb_forecast c = fb_factor_forecast(t->F);
    note_forecast(f, A->n, &c);
    fb_memory_trim();
    s = fb_factor_numeric(t->F, A, NULL, 0, column, e);
out:
    FB_FREE(node, order);
    return s;
}

/* (ST.5), and MZ. */
static fb_status refine_rigid(fb_statics *t, const fb_csc *M, fb_err *e)
{
    const int64_t n = t->Z.n;
    fb_mat R = {0}, L = {0}, G = {0}, one = {0};
    fb_status s = FB_OK;
    FB_TRY(fb_mat_like(&t->Z, n, &t->MZ, e));
    FB_TRY(fb_csc_mul_many(M, &t->Z, &t->MZ, e));
    FB_TRY(fb_mat_like(&t->Z, n, &R, e));
    FB_TRY(fb_csc_residual(t->K, &t->Z, &R, e));
    FB_TRY(fb_mat_product(1, 0, &t->Z, &R, &L, e));
    FB_TRY(fb_gemm(0, 0, -1, &t->MZ, &L, 1, &R, e));
    FB_TRY(fb_factor_solve(t->F, &R, e));
    FB_TRY(fb_mat_unit(&one, n, e));
    FB_TRY(fb_gemm(0, 0, 1, &R, &one, 1, &t->Z, e));
    FB_TRY(fb_csc_mul_many(M, &t->Z, &t->MZ, e));
    FB_TRY(fb_mat_product(1, 0, &t->Z, &t->MZ, &G, e));
    fb_mat_symmetrise(&G);
    for (int64_t k = 0; k < n * n; k++) /* a step of Newton's for its inverse square root */
        G.x[k] = ((k % (n + 1) ? 0 : 3) - G.x[k]) / 2;
    FB_TRY(fb_mat_times(&t->Z, &G, e));
    s = fb_csc_mul_many(M, &t->Z, &t->MZ, e);
out:
    FB_FREE_BY(fb_mat_free, &R, &L, &G, &one);
    return s;
}

/* The factor of a singular K by its rigid motion Z. */
static fb_status factorise_pinned(fb_statics *t, const fb_full *f, const fb_csc *K, const fb_csc *M,
                                  const int64_t *eq, int64_t nmult, fb_err *e)
{
    int64_t *p = NULL, column = -1;
    fb_csc A = {0};
    fb_mat Z = {0};
    char one[48];
    fb_status s = FB_OK;
    FB_TRY(fb_new(&p, t->Z.n, 8, "pins", e));
    FB_TRY(fb_mat_near(&t->Z, &Z, e));
    FB_TRY(fb_full_pins(K, &Z, p, e));
    FB_TRY(pin(K, p, t->Z.n, &A, e));
    s = factorise(t, f, &A, NULL, eq, nmult, &column, e);
    if (s && column >= 0 && column < A.n)
        s = fb_context(e, "with its %lld rigid motions held, at dof %s", (long long)t->Z.n,
                       fb_full_name(f, eq ? eq[column] : column, one));
    if (!s)
        s = refine_rigid(t, M, e);
out:
    free(p);
    fb_csc_free(&A);
    fb_mat_free(&Z);
    return s;
}

fb_status fb_statics_new(fb_statics *out, const fb_full *f, const fb_csc *K, const fb_csc *M,
                         const int64_t *eq, int64_t nmult, const fb_mat *Z, fb_err *e)
{
    fb_statics t = {.K = K};
    int64_t column = -1;
    char one[48] = "";
    fb_watch w = fb_watch_start();
    fb_err first = {0};
    fb_status s = FB_OK;
    if (!Z || Z->n == 0) {
        s = factorise(&t, f, K, M, eq, nmult, &column, &first);
        if (s && column < 0)
            *e = first;
    }
    if (s && column < 0)
        goto out;
    if (s || (Z && Z->n)) {
        fb_factor_free(t.F);
        t.F = NULL;
        if (Z && Z->n) {
            FB_TRY(fb_mat_copy(&t.Z, Z, e));
        } else {
            FB_TRY(find_rigid(f, K, M, eq, nmult, &t.Z, e));
        }
        if (t.Z.n == 0) { /* it is not rigid motion that the factor failed by */
            *e = first;
            s = column < K->n
                    ? fb_context(e, "dof %s", fb_full_name(f, eq ? eq[column] : column, one))
                    : first.status;
            goto out;
        }
        FB_TRY(factorise_pinned(&t, f, K, M, eq, nmult, e));
    }
    t.definite = nmult == 0;
    t.lendable = t.Z.n == 0 && nmult == 0;
    fb_watch_note(&w, f->log, "factor for static solutions");
    *out = t;
    t = (fb_statics){0};
out:
    fb_statics_free(&t);
    return s;
}

/* X -= A (B'X) */
static fb_status project(const fb_mat *A, const fb_mat *B, fb_mat *X, fb_err *e)
{
    fb_mat C = {0};
    fb_status s = fb_mat_product(1, 0, B, X, &C, e);
    if (!s)
        s = fb_gemm(0, 0, -1, A, &C, 1, X, e);
    fb_mat_free(&C);
    return s;
}

fb_status fb_statics_balance(const fb_statics *t, fb_mat *X, fb_err *e)
{
    return t->Z.n && X->m && X->n ? project(&t->MZ, &t->Z, X, e) : FB_OK; /* (ST.1) */
}

/* X := what X, balanced, strains, by the factor alone */
static fb_status plain(fb_statics *t, fb_mat *X, fb_err *e)
{
    FB_PASS(fb_factor_solve(t->F, X, e));
    return t->Z.n ? project(&t->Z, &t->MZ, X, e) : FB_OK; /* (ST.3) */
}

/* The largest length of a column of D beside that of X; columns without length do not count. */
static fb_status beside(const fb_mat *D, const fb_mat *X, double *most, fb_err *e)
{
    fb_mat d = {0}, x = {0};
    fb_status s = FB_OK;
    FB_TRY(fb_mat_product(1, 0, D, D, &d, e));
    FB_TRY(fb_mat_product(1, 0, X, X, &x, e));
    *most = 0;
    for (int64_t k = 0; k < D->n; k++)
        if (x.x[k * (x.m + 1)] > 0)
            *most = fmax(*most, sqrt(d.x[k * (d.m + 1)] / x.x[k * (x.m + 1)]));
out:
    FB_FREE_BY(fb_mat_free, &d, &x);
    return s;
}

/* (ST.4) of the answers X to B, balanced; *first: what the first step changed of them, relative. */
static fb_status improve(fb_statics *t, const fb_mat *B, fb_mat *X, double *first, fb_err *e)
{
    fb_mat R = {0}, one = {0};
    double before = 1, change = 0;
    fb_status s = FB_OK;
    FB_TRY(fb_mat_unit(&one, X->n, e));
    for (int step = 0; step < STEPS; step++) {
        fb_mat_free(&R);
        FB_TRY(fb_mat_copy(&R, B, e));
        FB_TRY(fb_csc_residual(t->K, X, &R, e));
        FB_TRY(fb_statics_balance(t, &R, e));
        FB_TRY(plain(t, &R, e));
        FB_TRY(beside(&R, X, &change, e));
        if (step == 0)
            *first = change;
        if (!(change < before / 2)) /* nothing is gained any more */
            break;
        FB_TRY(fb_gemm(0, 0, 1, &R, &one, 1, X, e));
        if (change * change / before < EXACT)
            break;
        before = change;
    }
out:
    FB_FREE_BY(fb_mat_free, &R, &one);
    return s;
}

/* X := the answer to X, balanced */
static fb_status refined(fb_statics *t, fb_mat *X, double *first, fb_err *e)
{
    fb_mat B = {0};
    fb_status s = FB_OK;
    FB_TRY(fb_mat_copy(&B, X, e));
    FB_TRY(plain(t, X, e));
    s = improve(t, &B, X, first, e);
out:
    fb_mat_free(&B);
    return s;
}

/* The columns first.. of X [n x SAMPLE] into those from `at` on of Y, or back. */
static fb_status sample(const fb_mat *X, int64_t first, int64_t at, int back, fb_mat *Y, fb_err *e)
{
    fb_mat part = fb_mat_columns(X, first, SAMPLE), into = fb_mat_columns(Y, at, SAMPLE), one = {0};
    fb_status s = FB_OK;
    FB_TRY(fb_mat_unit(&one, SAMPLE, e));
    s = back ? fb_gemm(0, 0, 1, &into, &one, 0, &part, e)
             : fb_gemm(0, 0, 1, &part, &one, 0, &into, e);
out:
    fb_mat_free(&one);
    return s;
}

/* Both ends of X, refined together; *change: by how much. */
static fb_status refined_ends(fb_statics *t, const fb_mat *X, double *change, fb_err *e)
{
    const int64_t last = X->n - SAMPLE;
    fb_mat Y = {0};
    fb_status s = FB_OK;
    FB_TRY(fb_mat_like(X, TOGETHER, &Y, e));
    FB_TRY(sample(X, 0, 0, 0, &Y, e));
    FB_TRY(sample(X, last, SAMPLE, 0, &Y, e));
    FB_TRY(refined(t, &Y, change, e));
    FB_TRY(sample(X, 0, 0, 1, &Y, e));
    s = sample(X, last, SAMPLE, 1, &Y, e);
out:
    fb_mat_free(&Y);
    return s;
}

/* Those at both ends tell whether all are refined. */
static fb_status solve_by_ends(fb_statics *t, fb_mat *X, fb_err *e)
{
    const int64_t to = X->n - SAMPLE;
    double change = 0, first = 0;
    FB_PASS(refined_ends(t, X, &change, e));
    fb_mat Y = fb_mat_columns(X, SAMPLE, to - SAMPLE);
    if (change < ENOUGH)
        return plain(t, &Y, e);
    for (int64_t from = SAMPLE; from < to; from += TOGETHER) {
        Y = fb_mat_columns(X, from, to - from < TOGETHER ? to - from : TOGETHER);
        FB_PASS(refined(t, &Y, &first, e));
    }
    return FB_OK;
}

/* (ST.4) of all answers X to the loads L */
static fb_status improve_all(fb_statics *t, const fb_csc *L, fb_mat *X, fb_err *e)
{
    double first = 0;
    fb_mat B = {0};
    fb_status s = FB_OK;
    for (int64_t from = 0; from < X->n; from += TOGETHER) {
        const int64_t k = X->n - from < TOGETHER ? X->n - from : TOGETHER;
        fb_mat Y = fb_mat_columns(X, from, k);
        FB_TRY(fb_mat_new(&B, X->m, k, e));
        for (int64_t j = 0; j < k; j++)
            for (int64_t q = L->p[from + j]; q < L->p[from + j + 1]; q++)
                B.x[L->i[q] + j * X->m] = L->x[q];
        FB_TRY(improve(t, &B, &Y, &first, e));
        fb_mat_free(&B);
    }
out:
    fb_mat_free(&B);
    return s;
}

fb_status fb_statics_solve(fb_statics *t, fb_mat *X, fb_err *e)
{
    double change = 0;
    int good = 0;
    fb_csc L = {0};
    fb_status s = FB_OK;
    if (X->m == 0 || X->n == 0)
        return FB_OK;
    FB_PASS(fb_statics_balance(t, X, e));
    if (X->n <= TOGETHER)
        return refined(t, X, &change, e);
    if (t->definite && t->Z.n == 0 && !fb_is_far(X->x)) /* errors.c knows nothing of (ST.3) */
        FB_PASS(fb_loads_sparse(X, &L, e));
    if (!L.p)
        return solve_by_ends(t, X, e);
    FB_TRY(plain(t, X, e));
    FB_TRY(fb_answers_correct(t->K, t->F, &L, X, &good, e));
    if (!good)
        s = improve_all(t, &L, X, e);
out:
    fb_csc_free(&L);
    return s;
}

fb_factor **fb_statics_give_up(fb_statics *t)
{
    if (t->lendable)
        return &t->F;
    fb_factor_free(t->F); /* one factor at a time */
    t->F = NULL;
    return NULL;
}

fb_status fb_statics_rigid_modes(const fb_statics *t, fb_eig *m, fb_err *e)
{
    const int64_t k = m->nnegative, n = m->nrigid;
    fb_mat rigid = fb_mat_columns(&m->X, k, n), before = fb_mat_columns(&m->X, 0, k),
           elastic = fb_mat_columns(&m->X, k + n, m->n - k - n), one = {0};
    fb_status s = FB_OK;
    if (n == 0 || t->Z.n != n)
        return FB_OK;
    FB_TRY(fb_mat_unit(&one, n, e));
    FB_TRY(fb_gemm(0, 0, 1, &t->Z, &one, 0, &rigid, e));
    if (before.n)
        FB_TRY(project(&t->Z, &t->MZ, &before, e));
    if (elastic.n)
        FB_TRY(project(&t->Z, &t->MZ, &elastic, e));
out:
    fb_mat_free(&one);
    return s;
}

void fb_statics_free(fb_statics *t)
{
    fb_factor_free(t->F);
    FB_FREE_BY(fb_mat_free, &t->Z, &t->MZ);
    *t = (fb_statics){0};
}

/* ---- constraint modes ------------------------------------------------------------------ */

static int64_t root_of(int64_t *up, int64_t k)
{
    while (up[k] != k)
        k = up[k] = up[up[k]];
    return k;
}

static void join(int64_t *up, const fb_csc *A)
{
    for (int64_t j = 0; j < A->n; j++)
        for (int64_t q = A->p[j]; q < A->p[j + 1]; q++) {
            int64_t a = root_of(up, A->i[q]), b = root_of(up, j);
            if (A->x[q] < 0 || A->x[q] > 0)
                up[a > b ? a : b] = a > b ? b : a;
        }
}

/* The interior dofs in parts that neither K nor M ties to the boundary: eq [n]. */
static fb_status floating_parts(const fb_split *t, int64_t **eq, int64_t *n, fb_err *e)
{
    int64_t *up = NULL;
    char *tied = NULL;
    fb_status s = FB_OK;
    FB_TRY(fb_new(&up, t->ni, 8, "parts", e));
    FB_TRY(fb_new(&tied, t->ni, 1, "parts", e));
    FB_TRY(fb_new(eq, t->ni, 8, "parts", e));
    for (int64_t k = 0; k < t->ni; k++)
        up[k] = k;
    join(up, &t->K.Aii);
    join(up, &t->M.Aii);
    for (int which = 0; which < 2; which++) {
        const fb_csc *A = which ? &t->M.Aib : &t->K.Aib;
        for (int64_t q = 0; q < A->p[A->n]; q++)
            if (A->x[q] < 0 || A->x[q] > 0)
                tied[root_of(up, A->i[q])] = 1;
    }
    *n = 0;
    for (int64_t k = 0; k < t->ni; k++)
        if (!tied[root_of(up, k)])
            (*eq)[(*n)++] = t->i[k];
out:
    FB_FREE(up, tied);
    return s;
}

/* The same of matrices on other ranks: what is tied ties its neighbours. */
static fb_status floating_far(const fb_split *t, int64_t **eq, int64_t *n, fb_err *e)
{
    fb_mat tied = {0}, next = {0}, border = {0};
    fb_status s = FB_OK;
    FB_TRY(fb_mat_new(&tied, t->ni, 1, e));
    FB_TRY(fb_mat_new(&next, t->ni, 1, e));
    FB_TRY(fb_new(eq, t->ni, 8, "parts", e));
    int64_t more = t->nb;
    for (int turn = 0; more; turn++) {
        more = 0;
        for (int which = 0; which < 2; which++) {
            const fb_blocks *A = which ? &t->M : &t->K;
            if (turn) {
                FB_TRY(fb_far->absolute(&A->Aii, &tied, &next, e));
            } else {
                FB_TRY(fb_far->negative(&A->Aib, &border, e));
                fb_far->rows(&border, next.x);
                fb_mat_free(&border);
            }
            for (int64_t k = 0; k < t->ni; k++)
                if (next.x[k] > 0 && !(tied.x[k] > 0)) {
                    tied.x[k] = 1;
                    more++;
                }
        }
    }
    *n = 0;
    for (int64_t k = 0; k < t->ni; k++)
        if (!(tied.x[k] > 0))
            (*eq)[(*n)++] = t->i[k];
out:
    FB_FREE_BY(fb_mat_free, &tied, &next, &border);
    return s;
}

/* The interior dof that moves most in each rigid motion, each named once. */
static int64_t most_moved(const fb_split *t, const fb_mat *Z, int64_t *eq)
{
    int64_t n = 0;
    for (int64_t c = 0; c < Z->n; c++) {
        int64_t top = 0, k = 0;
        for (int64_t i = 1; i < Z->m; i++)
            if (fabs(Z->x[i + c * Z->m]) > fabs(Z->x[top + c * Z->m]))
                top = i;
        while (k < n && eq[k] != t->i[top])
            k++;
        if (k == n)
            eq[n++] = t->i[top];
    }
    return n;
}

static fb_status warn_rigid(const fb_split *t, const fb_mat *Z, fb_err *e)
{
    int64_t *eq = NULL, *moved = NULL, n = 0;
    char list[400];
    fb_mat near = {0};
    fb_status s = FB_OK;
    FB_TRY(fb_is_far(Z->x) ? floating_far(t, &eq, &n, e) : floating_parts(t, &eq, &n, e));
    if (n) {
        fb_full_names(t->f, eq, n, list, sizeof list);
        fb_warn(t->f->log,
                "the boundary lets %lld rigid motion%s through; nothing ties to it the dof%s%s: "
                "they move by normal modes alone",
                (long long)Z->n, Z->n > 1 ? "s" : "", n > 1 ? "s" : "", list);
    } else {
        FB_TRY(fb_new(&moved, Z->n, 8, "dofs", e));
        FB_TRY(fb_mat_near(Z, &near, e));
        n = most_moved(t, &near, moved);
        fb_full_names(t->f, moved, n, list, sizeof list);
        fb_warn(t->f->log,
                "the boundary lets %lld rigid motion%s through, which move%s most at%s: constraint "
                "modes are free by as much",
                (long long)Z->n, Z->n > 1 ? "s" : "", Z->n > 1 ? "" : "s", list);
    }
out:
    fb_mat_free(&near);
    FB_FREE(eq, moved);
    return s;
}

/* X = -Kib */
static fb_status loads_of_boundary(const fb_split *t, fb_mat *X, fb_err *e)
{
    const fb_csc *Kib = &t->K.Aib;
    if (fb_is_far(Kib->p))
        return fb_far->negative(Kib, X, e);
    *X = (fb_mat){t->ni, t->nb, NULL};
    FB_PASS(fb_new_by_all(&X->x, t->ni * t->nb, sizeof *X->x, "constraint modes", e));
    for (int64_t j = 0; j < t->nb; j++)
        for (int64_t q = Kib->p[j]; q < Kib->p[j + 1]; q++)
            X->x[Kib->i[q] + j * t->ni] = -Kib->x[q];
    return FB_OK;
}

fb_status fb_split_constraint(const fb_split *t, fb_statics *st, fb_mat *Psi, fb_err *e)
{
    fb_watch w = fb_watch_start();
    fb_mat X = {0};
    fb_status s = FB_OK;
    fb_step(t->f->log, "constraint modes of %lld boundary dofs", (long long)t->nb);
    FB_TRY(loads_of_boundary(t, &X, e));
    if (st->Z.n)
        FB_TRY(warn_rigid(t, &st->Z, e));
    FB_TRY(fb_statics_solve(st, &X, e));
    fb_watch_note(&w, t->f->log, "constraint modes");
    *Psi = X;
    X = (fb_mat){0};
out:
    fb_mat_free(&X);
    return s;
}
