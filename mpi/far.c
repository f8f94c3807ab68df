/* SPDX-License-Identifier: GPL-3.0-or-later */
/* far.c - rank 0: what lib/linalg/far.h asks, as calls to the team. */
#include "linalg/far.h"
#include "linalg/factor_engine.h"
#include "memory.h"
#include "model.h"
#include "far.h"
#include "team.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int64_t object(const void *p)
{
    return fb_far_object(p, NULL);
}

/* Column of a block of m rows that an address is that of. */
static int64_t column(const double *x, int64_t m)
{
    int64_t at = 0;
    (void)fb_far_object(x, &at);
    return m > 0 ? at / (int64_t)sizeof *x / m : 0;
}

/* For functions that cannot say no: the call has nothing to fail by but memory, which ends the
 * run. */
static void surely(team_op op, team_work *w)
{
    fb_err e = {0};
    (void)!team_call(op, w, &e);
}

static void release(const void *x)
{
    team_work w = {.a = {fb_far_forget(x)}};
    if (w.a[0])
        surely(TEAM_release, &w);
}

/* ---- matrices ---------------------------------------------------------------------------- */

static fb_status matrix_at(int64_t id, int64_t m, int64_t n, int upper, fb_csc *A, fb_err *e)
{
    fb_csc B = {.m = m, .n = n, .upper = upper};
    team_work w = {.a = {id}};
    fb_status s = fb_far_address(id, 1, &B.p, e);
    if (s)
        surely(TEAM_release, &w);
    else
        *A = B;
    return s;
}

static fb_status read(const char *file, const char *name, int64_t n, const int64_t *p, int upper,
                      const fb_csc *like, fb_csc *A, fb_err *e)
{
    team_work w = {.a = {n, upper, like ? object(like->p) : 0}, .in = p};
    snprintf(w.text, sizeof w.text, "%s", file);
    snprintf(w.object, sizeof w.object, "%s", name);
    FB_PASS(team_call(TEAM_read, &w, e));
    return matrix_at(w.a[3], n, n, upper, A, e);
}

static void sums(const fb_csc *A, double *sum)
{
    team_work w = {.a = {object(A->p)}, .out = sum};
    surely(TEAM_sums, &w);
}

static void diagonal(const fb_csc *A, double *d)
{
    team_work w = {.a = {object(A->p)}, .out = d};
    surely(TEAM_diagonal, &w);
}

static fb_status sub(const fb_csc *A, const int64_t *rows, int64_t n, fb_csc *B, fb_err *e)
{
    team_work w = {.a = {object(A->p), n}, .in = rows};
    FB_PASS(team_call(TEAM_sub, &w, e));
    return matrix_at(w.a[2], n, n, A->upper, B, e);
}

static fb_status split(const fb_csc *A, const int64_t *b, int64_t nb, const int64_t *i, int64_t ni,
                       fb_blocks *P, fb_err *e)
{
    team_work w = {.a = {object(A->p), nb, ni}, .in = i, .in2 = b};
    FB_PASS(fb_mat_new(&P->Abb, nb, nb, e));
    w.out = P->Abb.x;
    FB_PASS(team_call(TEAM_split, &w, e));
    FB_PASS(matrix_at(w.a[3], ni, ni, 1, &P->Aii, e));
    return matrix_at(w.a[4], ni, nb, 0, &P->Aib, e);
}

static fb_status pin(const fb_csc *A, const int64_t *p, const double *x, int64_t n, fb_csc *C,
                     fb_err *e)
{
    team_work w = {.a = {object(A->p), n}, .in = p, .in2 = x};
    FB_PASS(team_call(TEAM_pin, &w, e));
    return matrix_at(w.a[2], A->m, A->n, A->upper, C, e);
}

static fb_status product(const fb_csc *A, int64_t absolute, const fb_mat *X, fb_mat *Y, fb_err *e)
{
    team_work w = {.a = {object(A->p)}};
    w.a[5] = X->n;
    w.a[6] = absolute;
    if (fb_is_far(X->x)) {
        w.a[1] = object(X->x);
        w.a[2] = object(Y->x);
        w.a[3] = column(X->x, X->m);
        w.a[4] = column(Y->x, Y->m);
    } else {
        w.in = X->x;
        w.out = Y->x;
    }
    return X->n ? team_call(TEAM_multiply, &w, e) : FB_OK;
}

static fb_status residual(const fb_csc *A, const fb_mat *X, fb_mat *B, fb_err *e)
{
    team_work w = {.a = {object(A->p)}};
    w.a[5] = X->n;
    if (fb_is_far(X->x)) {
        w.a[1] = object(X->x);
        w.a[2] = object(B->x);
        w.a[3] = column(X->x, X->m);
        w.a[4] = column(B->x, B->m);
    } else {
        w.in = X->x;
        w.in2 = w.out = B->x;
    }
    return X->n ? team_call(TEAM_residual, &w, e) : FB_OK;
}

static fb_status multiply(const fb_csc *A, const fb_mat *X, fb_mat *Y, fb_err *e)
{
    return product(A, 0, X, Y, e);
}

static fb_status absolute(const fb_csc *A, const fb_mat *X, fb_mat *Y, fb_err *e)
{
    return product(A, 1, X, Y, e);
}

/* ---- blocks ------------------------------------------------------------------------------ */

static fb_status block_at(int64_t id, int64_t m, int64_t n, fb_mat *X, fb_err *e)
{
    fb_mat B = {m, n, NULL};
    team_work w = {.a = {id}};
    fb_status s = fb_far_address(id, m * n * (int64_t)sizeof *B.x, &B.x, e);
    if (s)
        surely(TEAM_release, &w);
    else
        *X = B;
    return s;
}

static fb_status negative(const fb_csc *Aib, fb_mat *X, fb_err *e)
{
    team_work w = {.a = {object(Aib->p)}};
    FB_PASS(team_call(TEAM_border_block, &w, e));
    return block_at(w.a[1], Aib->m, Aib->n, X, e);
}

static void border(const fb_csc *Aib, const double *x, int64_t k, double *y)
{
    team_work w = {.a = {object(Aib->p), object(x), column(x, Aib->m), k}, .out = y};
    surely(TEAM_border_times, &w);
}

static fb_status congruence(const fb_csc *A, const fb_csc *Aib, const fb_mat *G, fb_mat *C,
                            fb_err *e)
{
    team_work w = {
        .a = {object(A->p), Aib ? object(Aib->p) : 0, object(G->x), column(G->x, G->m), G->n},
        .out = C->x};
    return team_call(TEAM_congruence, &w, e);
}

static fb_status block(const void *like, int64_t m, int64_t k, fb_mat *X, fb_err *e)
{
    team_work w = {.a = {object(like), k}};
    FB_PASS(team_call(TEAM_block, &w, e));
    return block_at(w.a[2], m, k, X, e);
}

static void fetch(const fb_mat *X, double *near)
{
    team_work w = {.a = {object(X->x), column(X->x, X->m), X->n}, .out = near};
    if (X->n)
        surely(TEAM_fetch, &w);
}

static void put(const fb_mat *near, fb_mat *X)
{
    team_work w = {.a = {object(X->x), column(X->x, X->m), X->n, 1}, .in = near->x};
    if (X->n)
        surely(TEAM_fetch, &w);
}

/* C near = alpha A'B + beta C */
static fb_status inner(double alpha, const fb_mat *A, const fb_mat *B, double beta, fb_mat *C,
                       fb_err *e)
{
    const int64_t k = A->n, n = B->n;
    double *P = NULL;
    fb_status s = FB_OK;
    team_work w = {.a = {object(A->x), column(A->x, A->m), object(B->x),
                         fb_is_far(B->x) ? column(B->x, B->m) : 0, k, n},
                   .in = B->x};
    FB_TRY(fb_new(&P, k * n, sizeof *P, "product", e));
    w.out = P;
    FB_TRY(team_call(TEAM_inner, &w, e));
    for (int64_t q = 0; q < k * n; q++)
        C->x[q] = alpha * P[q] + (beta < 0 || beta > 0 ? beta * C->x[q] : 0);
out:
    free(P);
    return s;
}

static fb_status combine(double alpha, const fb_mat *A, const fb_mat *S, double beta, fb_mat *C,
                         fb_err *e)
{
    team_work w = {
        .a = {object(A->x), column(A->x, A->m), object(C->x), column(C->x, C->m), A->n, C->n},
        .d = {alpha, beta},
        .in = S->x};
    return team_call(TEAM_combine, &w, e);
}

/* A far and C near. */
static fb_status bring(double alpha, const fb_mat *A, const fb_mat *S, double beta, fb_mat *C,
                       fb_err *e)
{
    fb_mat F = {0}, N = {0};
    fb_status s = FB_OK;
    FB_TRY(block(A->x, A->m, C->n, &F, e));
    FB_TRY(combine(alpha, A, S, 0, &F, e));
    FB_TRY(fb_mat_near(&F, &N, e));
    for (int64_t q = 0; q < C->m * C->n; q++)
        C->x[q] = N.x[q] + (beta < 0 || beta > 0 ? beta * C->x[q] : 0);
out:
    FB_FREE_BY(fb_mat_free, &F, &N);
    return s;
}

static fb_status gemm(int ta, int tb, double alpha, const fb_mat *A, const fb_mat *B, double beta,
                      fb_mat *C, fb_err *e)
{
    fb_mat T = {0};
    fb_status s = FB_OK;
    if (A->n == 0 && !ta)
        return FB_OK;
    if (ta && !tb && !fb_is_far(C->x) && fb_is_far(A->x))
        return inner(alpha, A, B, beta, C, e);
    if (ta && !tb && !fb_is_far(C->x)) { /* (B'A)', B far */
        FB_TRY(fb_mat_new(&T, B->n, A->n, e));
        FB_TRY(inner(alpha, B, A, 0, &T, e));
        for (int64_t j = 0; j < C->n; j++)
            for (int64_t i = 0; i < C->m; i++)
                C->x[i + j * C->m] =
                    T.x[j + i * T.m] + (beta < 0 || beta > 0 ? beta * C->x[i + j * C->m] : 0);
        goto out;
    }
    if (!ta && !tb && fb_is_far(A->x) && !fb_is_far(B->x))
        return fb_is_far(C->x) ? combine(alpha, A, B, beta, C, e) : bring(alpha, A, B, beta, C, e);
    s = fb_fail(e, FB_ESOLVE, "a product of this kind is not made of rows on other ranks");
out:
    fb_mat_free(&T);
    return s;
}

static void without(const fb_mat *Y, const double *z, double *x)
{
    team_work w = {.a = {object(Y->x), column(Y->x, Y->m), Y->n}, .in = z, .out = x};
    surely(TEAM_without, &w);
}

static void row(const fb_mat *X, int64_t i, double *y)
{
    team_work w = {.a = {object(X->x), column(X->x, X->m), X->n, i}, .out = y};
    surely(TEAM_row, &w);
}

static fb_status restriction(const fb_mat *X, const int64_t *rows_of, const fb_mat *Y, fb_err *e)
{
    team_work w = {.a = {object(X->x), object(Y->x)}, .in = rows_of};
    return team_call(TEAM_restriction, &w, e);
}

static fb_status pick(const fb_mat *X, const double *weight, double slack, int64_t given,
                      int64_t want, int64_t *p, fb_err *e)
{
    team_work w = {
        .a = {object(X->x), X->n, given, want}, .d = {slack}, .in = weight, .in2 = p, .out = p};
    return team_call(TEAM_pick, &w, e);
}

static void unit(const fb_mat *X, const int64_t *where, int64_t n)
{
    team_work w = {.a = {object(X->x), X->n, n}, .in = where};
    surely(TEAM_unit, &w);
}

static fb_status arrange(const double *const *x, int64_t n, int64_t m, fb_mat *Y, fb_err *e)
{
    int64_t *from = NULL;
    fb_status s = FB_OK;
    FB_TRY(fb_new(&from, 2 * n, 8, "columns", e));
    for (int64_t k = 0; k < n; k++) {
        from[2 * k] = object(x[k]);
        from[2 * k + 1] = column(x[k], m);
    }
    team_work w = {.a = {n ? from[0] : 0, n}, .in = from};
    FB_TRY(team_call(TEAM_arrange, &w, e));
    s = block_at(w.a[2], m, n, Y, e);
out:
    free(from);
    return s;
}

static void weigh(const fb_mat *X, const double *weight, double *y)
{
    team_work w = {.a = {object(X->x), column(X->x, X->m), X->n}, .in = weight, .out = y};
    if (X->n)
        surely(TEAM_weigh, &w);
}

static fb_status expand(const fb_mat *G, const int64_t *row, const int64_t *unit, int64_t n,
                        const void *like, int64_t m, fb_mat *T, fb_err *e)
{
    team_work w = {.a = {object(G->x), object(like), n}, .in = row, .in2 = unit};
    FB_PASS(team_call(TEAM_expand, &w, e));
    return block_at(w.a[3], m, G->n, T, e);
}

static fb_status judge(const fb_csc *K, const fb_csc *M, const fb_mat *X, const double *lambda,
                       double *y, double *worst, fb_err *e)
{
    team_work w = {.a = {object(K->p), object(M->p), object(X->x), X->n}, .in = lambda, .out = y};
    FB_PASS(team_call(TEAM_judge, &w, e));
    *worst = w.d[0];
    return FB_OK;
}

static void rows(const fb_mat *X, double *y)
{
    team_work w = {.a = {object(X->x), X->n}, .out = y};
    surely(TEAM_rows, &w);
}

static fb_status pairs(const fb_csc *M, double slack, fb_pair *worst, int *plain, fb_err *e)
{
    team_work w = {.a = {object(M->p)}, .d = {slack}};
    FB_PASS(team_call(TEAM_pairs, &w, e));
    *worst = (fb_pair){w.a[1], w.a[2], w.d[1], w.d[2]};
    *plain = (int)w.a[3];
    return FB_OK;
}

static fb_status lump(const fb_csc *M, const int64_t *label, const int64_t *axes, int64_t nn,
                      double *y, fb_err *e)
{
    team_work w = {.a = {object(M->p), nn}, .in = label, .in2 = axes, .out = y};
    return team_call(TEAM_lump, &w, e);
}

static void signs(const fb_mat *X)
{
    team_work w = {.a = {object(X->x), X->n}};
    if (X->n)
        surely(TEAM_signs, &w);
}

/* ---- factors ----------------------------------------------------------------------------- */

typedef struct {
    fb_factor base;
    int64_t id;
    double least; /* a motion with less strain over its mass is free; 0: not asked */
} far_factor;

static fb_status solve(fb_factor *base, int halves, fb_mat *X, fb_err *e)
{
    team_work w = {.a = {((far_factor *)base)->id, 0, 0, X->n}};
    (void)halves;
    if (fb_is_far(X->x)) {
        w.a[1] = object(X->x);
        w.a[2] = column(X->x, X->m);
    } else {
        w.in = w.out = X->x;
    }
    return team_call(TEAM_solve, &w, e);
}

static void drop(fb_factor *F)
{
    team_work w = {.a = {((far_factor *)F)->id}};
    if (w.a[0])
        surely(TEAM_release, &w);
}

static const fb_factor_engine mumps = {.solve = solve, .free = drop};

/* Numbers the nodes 0, 1, ... as they come; those of no node one by one. */
static fb_status number_nodes(const int64_t *node, int64_t n, int64_t *vertex, int64_t *nv,
                              fb_err *e)
{
    int64_t *all = NULL;
    fb_status s = FB_OK;
    *nv = n;
    for (int64_t k = 0; k < n; k++)
        vertex[k] = k;
    if (!node)
        return FB_OK;
    FB_TRY(fb_copy(&all, node, n, 8, "nodes", e));
    *nv = fb_unique(all, n);
    for (int64_t k = 0; k < n; k++)
        vertex[k] = fb_sorted_find(all, *nv, node[k]);
out:
    free(all);
    return s;
}

/* place[j]: when row j is eliminated. */
static fb_status places(const fb_csc *K, const fb_csc *M, const int64_t *node, int64_t *place,
                        fb_err *e)
{
    int64_t *vertex = NULL, nv = 0;
    fb_status s = FB_OK;
    if (K->n > INT32_MAX)
        return fb_fail(e, FB_ESOLVE, "%lld equations are beyond MUMPS' 32-bit integers",
                       (long long)K->n);
    FB_TRY(fb_new(&vertex, K->n, 8, "nodes", e));
    FB_TRY(number_nodes(node, K->n, vertex, &nv, e));
    team_work w = {.a = {object(K->p), M ? object(M->p) : 0, nv}, .in = vertex, .out = place};
    s = team_call(TEAM_order, &w, e);
out:
    free(vertex);
    return s;
}

static fb_status order(const fb_csc *K, const fb_csc *M, const int64_t *node, int64_t *perm,
                       fb_err *e)
{
    int64_t *place = NULL;
    fb_status s = FB_OK;
    FB_TRY(fb_new(&place, K->n, 8, "order", e));
    FB_TRY(places(K, M, node, place, e));
    for (int64_t j = 0; j < K->n; j++)
        perm[place[j]] = j;
out:
    free(place);
    return s;
}

/* The order of a factor, which K keeps: the one that is given, or one that is sought. */
static fb_status prepare(const fb_csc *K, const fb_csc *M, const fb_factor_opts *opts, fb_err *e)
{
    team_matrix *A = &team_get(object(K->p))->A;
    int64_t *place = NULL;
    fb_status s = FB_OK;
    if (A->order)
        return FB_OK;
    FB_TRY(fb_new(&place, K->n, 8, "order", e));
    if (!opts || !opts->order)
        FB_TRY(places(K, M, opts ? opts->node : NULL, place, e));
    for (int64_t k = 0; opts && opts->order && k < K->n; k++)
        place[opts->order[k]] = k;
    A->order = place;
    place = NULL;
out:
    free(place);
    return s;
}

static int by_value(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* 1e-10 of the median of Kjj/Mjj: far below every elastic root (modes.c), far above round-off. */
static fb_status soft_limit(const fb_csc *K, const fb_csc *M, double *least, fb_err *e)
{
    double *k = NULL, *m = NULL;
    int64_t n = 0;
    fb_status s = FB_OK;
    FB_TRY(fb_new(&k, K->n, 8, "diagonal", e));
    FB_TRY(fb_new(&m, K->n, 8, "diagonal", e));
    diagonal(K, k);
    diagonal(M, m);
    for (int64_t j = 0; j < K->n; j++)
        if (k[j] > 0 && m[j] > 0)
            k[n++] = k[j] / m[j];
    qsort(k, (size_t)n, sizeof *k, by_value);
    *least = n ? 1e-10 * k[n / 2] : 0;
out:
    FB_FREE(k, m);
    return s;
}

static fb_status analyse(fb_factor **out, const fb_csc *K, const fb_csc *M, int definite,
                         const fb_factor_opts *opts, fb_err *e)
{
    fb_factor *F = NULL;
    int64_t *vertex = NULL;
    fb_status s = FB_OK;
    FB_TRY(prepare(K, M, opts, e));
    FB_TRY(fb_factor_alloc(&F, sizeof(far_factor), &mumps, K->n, e));
    far_factor *f = (far_factor *)F;
    if (definite && M)
        FB_TRY(soft_limit(K, M, &f->least, e));
    team_work w = {.a = {object(K->p), M ? object(M->p) : 0, definite ? 1 : 2, 0, 1}};
    if (definite && opts && opts->node) { /* MUMPS scales no matrix that it analyses by nodes */
        FB_TRY(fb_new(&vertex, K->n, 8, "nodes", e));
        FB_TRY(number_nodes(opts->node, K->n, vertex, &w.a[5], e));
        w.in = vertex;
    }
    snprintf(w.text, sizeof w.text, "%s", team_out_of_core());
    s = team_call(TEAM_analyse, &w, e);
    f->id = w.a[3];
    F->forecast = (fb_forecast){.nnz = w.d[0],
                                .flops = w.d[1],
                                .gib = w.d[2],
                                .limit = opts && opts->memory > 0 ? opts->memory : 0,
                                .ranks = team_size};
    if (!s)
        s = fb_factor_fits(&F->forecast, K->n, "the part of a rank of the factor", e);
    if (s)
        goto out;
    *out = F;
    F = NULL;
out:
    fb_factor_free(F);
    free(vertex);
    return s;
}

static fb_status numeric(fb_factor *F, double sigma, int64_t *column, fb_err *e)
{
    far_factor *f = (far_factor *)F;
    team_work w = {.a = {f->id}, .d = {sigma, sigma < 0 || sigma > 0 ? 0 : f->least}};
    fb_status s = team_call(TEAM_factorise, &w, e);
    F->inertia = (fb_inertia_count){.negative = w.a[1], .zero = w.a[2]};
    if (column)
        *column = s == FB_ESOLVE || w.a[3] ? F->n : -1; /* which one MUMPS does not say */
    if (!s && w.a[3])
        s = fb_fail(e, FB_ESOLVE, "the matrix of %lld equations is singular to working precision",
                    (long long)F->n);
    return s;
}

static fb_status inertia(const fb_csc *K, const fb_csc *M, double sigma, const fb_factor_opts *opts,
                         fb_inertia_count *count, fb_err *e)
{
    FB_PASS(prepare(K, M, opts, e));
    team_work w = {.a = {object(K->p), M ? object(M->p) : 0}, .d = {sigma}};
    snprintf(w.text, sizeof w.text, "%s", team_out_of_core());
    FB_PASS(team_call(TEAM_count, &w, e));
    *count = (fb_inertia_count){.negative = w.a[2], .zero = w.a[3]};
    return FB_OK;
}

static fb_status lowest(fb_eigjob *j, fb_err *e)
{
    const int found = j->found && j->found->n;
    double *lambda = NULL;
    fb_status s = FB_OK;
    FB_TRY(fb_new(&lambda, j->want, sizeof *lambda, "eigenvalues", e));
    team_work w = {.a = {object(j->M->p), ((far_factor *)j->F)->id, found ? object(j->found->x) : 0,
                         found ? j->found->n : 0, j->want, j->room, (int64_t)j->seed},
                   .d = {j->sigma, j->tol},
                   .out = lambda};
    FB_TRY(team_call(TEAM_lanczos, &w, e));
    FB_TRY(block_at(w.a[7], j->K->n, w.a[8], &j->X, e));
    j->n = w.a[8];
    j->finite = w.a[9] ? w.a[9] + (found ? j->found->n : 0) : -1;
    j->solves = w.a[10];
    j->lambda = lambda;
    lambda = NULL;
out:
    free(lambda);
    return s;
}

const fb_far_calls team_far = {.read = read,
                               .release = release,
                               .sums = sums,
                               .diagonal = diagonal,
                               .sub = sub,
                               .split = split,
                               .pin = pin,
                               .multiply = multiply,
                               .residual = residual,
                               .absolute = absolute,
                               .negative = negative,
                               .border = border,
                               .congruence = congruence,
                               .block = block,
                               .gemm = gemm,
                               .without = without,
                               .row = row,
                               .restriction = restriction,
                               .pick = pick,
                               .unit = unit,
                               .arrange = arrange,
                               .fetch = fetch,
                               .put = put,
                               .weigh = weigh,
                               .expand = expand,
                               .judge = judge,
                               .signs = signs,
                               .rows = rows,
                               .pairs = pairs,
                               .lump = lump,
                               .order = order,
                               .analyse = analyse,
                               .numeric = numeric,
                               .inertia = inertia,
                               .engine = {.name = "lanczos on all ranks", .lowest = lowest}};
