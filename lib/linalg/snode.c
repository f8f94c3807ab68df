/* SPDX-License-Identifier: GPL-3.0-or-later */
/* snode.c - solves with a supernodal factor, 16 right-hand sides at a time, on several threads.
 *
 * Equations  P S P' = L L'; supernode s with diagonal block T_s and rows below L_s
 *   (SN.1) s ascending:  x_s := T_s \ x_s,  x_rows := x_rows - L_s x_s     X := L \ X
 *   (SN.2) s descending: x_s := T_s' \ (x_s - L_s' x_rows)                 X := L' \ X
 * Threads  Subtrees of the elimination tree are independent: each thread takes some, and what
 *          (SN.1) sends up to the rows of the rest of the tree, the top, it adds in a copy of its
 *          own. In the top they share each supernode's rows (SN.1) or columns (SN.2), block by
 *          block.
 * Source   Gupta & Kumar, IEEE Trans. Parallel Distrib. Syst. 6 (1995) (subtrees to processors);
 *          Chen, Davis, Hager, Rajamanickam, ACM TOMS 35 (2008) 22 (the layout)
 * Cost     4 nnz(L) flops a right-hand side, nnz(L) fetched twice for 16 of them
 * Laws     tests/unit/test_snode.c: equal to CHOLMOD's solves to round-off, any number of columns
 */
#include "blas.h"
#include "memory.h"
#include "snode.h"
#include <stdlib.h>
#include <string.h>

enum {
    STRIP = 32,      /* columns of a supernode solved before the rows behind them are updated  */
    BLOCK = 128,     /* the same where threads share the rows: a round of theirs a block       */
    GRAIN = 8,       /* rows that one thread takes at least: a line of L                       */
    PARTS = 8,       /* a subtree is at most this part of a thread's share: the shares even out */
    PARTS_FRONTS = 4 /* of a factorisation, where more of them take more memory, not less time */
};

struct fb_plan {
    int threads;
    int *owner;   /* [nsuper] thread, or FB_TOP */
    double **own; /* [threads] right-hand sides of a thread, [0] NULL: the caller's */
    const fb_kernels *wide, *narrow;
};

/* ---- one supernode --------------------------------------------------------------------- */

static int all_zero(const double *x, int64_t n)
{
    for (int64_t i = 0; i < n; i++)
        if (x[i] < 0 || x[i] > 0)
            return 0;
    return 1;
}

/* x := T \ x for the columns from..to-1 of a supernode. */
static void lower_triangle(const fb_snodes *L, int64_t s, int64_t from, int64_t to,
                           const fb_kernels *k, double *X)
{
    const int64_t *r = L->s + L->pi[s], nr = fb_snode_rows(L, s);
    double *x = X + L->super[s] * k->wide;
    for (int64_t q = from; q < to; q += STRIP) {
        int64_t b = to - q < STRIP ? to - q : STRIP, below = q + b;
        const double *T = L->x + L->px[s] + q * (nr + 1);
        k->lower(b, T, nr, x + q * k->wide, k->wide);
        k->down(to - below, b, T + b, nr, r + below, x + q * k->wide, X, k->wide);
    }
}

/* x := T' \ x */
static void upper_triangle(const fb_snodes *L, int64_t s, int64_t from, int64_t to,
                           const fb_kernels *k, double *X)
{
    const int64_t *r = L->s + L->pi[s], nr = fb_snode_rows(L, s);
    double *x = X + L->super[s] * k->wide;
    for (int64_t q = from + (to - from - 1) / STRIP * STRIP; q >= from; q -= STRIP) {
        int64_t b = to - q < STRIP ? to - q : STRIP, below = q + b;
        const double *T = L->x + L->px[s] + q * (nr + 1);
        k->up(to - below, b, T + b, nr, r + below, x + q * k->wide, X, k->wide);
        k->upper(b, T, nr, x + q * k->wide, k->wide);
    }
}

/* (SN.1) A right-hand side of the boundary is zero in most supernodes: they are passed over. A NaN
 * does not occur: the factor and the right-hand sides are finite. */
static void forward(const fb_snodes *L, int64_t s, const fb_kernels *k, double *X)
{
    const int64_t *r = L->s + L->pi[s];
    int64_t nc = fb_snode_columns(L, s), nr = fb_snode_rows(L, s);
    double *x = X + L->super[s] * k->wide;
    if (all_zero(x, nc * k->wide))
        return;
    lower_triangle(L, s, 0, nc, k, X);
    k->down(nr - nc, nc, L->x + L->px[s] + nc, nr, r + nc, x, X, k->wide);
}

/* (SN.2) */
static void backward(const fb_snodes *L, int64_t s, const fb_kernels *k, double *X)
{
    const int64_t *r = L->s + L->pi[s];
    int64_t nc = fb_snode_columns(L, s), nr = fb_snode_rows(L, s);
    double *x = X + L->super[s] * k->wide;
    k->up(nr - nc, nc, L->x + L->px[s] + nc, nr, r + nc, x, X, k->wide);
    upper_triangle(L, s, 0, nc, k, X);
}

/* ---- the plan -------------------------------------------------------------------------- */

fb_status fb_snode_parents(const fb_snodes *L, int64_t *parent, fb_err *e)
{
    int64_t *of = NULL;
    FB_PASS(FB_NEW(&of, L->n, e));
    for (int64_t k = 0; k < L->nsuper; k++)
        for (int64_t j = L->super[k]; j < L->super[k + 1]; j++)
            of[j] = k;
    for (int64_t k = 0; k < L->nsuper; k++) {
        int64_t nc = fb_snode_columns(L, k);
        parent[k] = fb_snode_rows(L, k) > nc ? of[L->s[L->pi[k] + nc]] : -1;
    }
    free(of);
    return FB_OK;
}

typedef struct {
    double weight;
    int64_t root;
} subtree;

static int heavier_first(const void *a, const void *b)
{
    const subtree *x = a, *y = b;
    if (x->weight != y->weight)
        return x->weight > y->weight ? -1 : 1;
    return (x->root > y->root) - (x->root < y->root);
}

/* Of the subtree of every supernode: entries of L, or flops of its factorisation. */
static void subtree_weights(const fb_snodes *L, const int64_t *parent, int flops, double *weight)
{
    for (int64_t k = 0; k < L->nsuper; k++) {
        double c = (double)fb_snode_columns(L, k), r = (double)fb_snode_rows(L, k);
        weight[k] += flops ? fb_snode_flops(L, k) : c * (r - c / 2);
        if (parent[k] >= 0)
            weight[parent[k]] += weight[k];
    }
}

/* The largest subtrees that are small enough, the heaviest first, each to the thread with the least
 * work. */
fb_status fb_snode_owners(const fb_snodes *L, const int64_t *parent, int threads, int flops,
                          int *owner, fb_err *e)
{
    double *weight = NULL, *load = NULL, total = 0;
    subtree *list = NULL;
    int64_t n = 0;
    fb_status s = FB_OK;
    FB_TRY(FB_NEW(&weight, L->nsuper, e));
    FB_TRY(FB_NEW(&list, L->nsuper, e));
    FB_TRY(FB_NEW(&load, threads, e));
    subtree_weights(L, parent, flops, weight);
    for (int64_t k = 0; k < L->nsuper; k++)
        total += parent[k] < 0 ? weight[k] : 0;
    double most = total / ((flops ? PARTS_FRONTS : PARTS) * threads);
    for (int64_t k = 0; k < L->nsuper; k++) {
        owner[k] = FB_TOP;
        if (weight[k] <= most && (parent[k] < 0 || weight[parent[k]] > most))
            list[n++] = (subtree){weight[k], k};
    }
    qsort(list, (size_t)n, sizeof *list, heavier_first);
    for (int64_t q = 0; q < n; q++) {
        int least = 0;
        for (int t = 1; t < threads; t++)
            if (load[t] < load[least])
                least = t;
        owner[list[q].root] = least;
        load[least] += list[q].weight;
    }
    for (int64_t k = L->nsuper - 1; k >= 0; k--)
        if (owner[k] == FB_TOP && parent[k] >= 0)
            owner[k] = owner[parent[k]];
out:
    FB_FREE(weight, list, load);
    return s;
}

fb_status fb_plan_new(fb_plan **out, const fb_snodes *L, int threads, fb_err *e)
{
    fb_plan *p = NULL;
    int64_t *parent = NULL;
    fb_status s = fb_new(&p, 1, sizeof *p, "plan of the solves", e);
    if (s)
        return s;
    p->threads = threads < 1 ? 1 : threads;
    p->wide = fb_kernels_for(FB_WIDE, 0);
    p->narrow = fb_kernels_for(FB_NARROW, 0);
    FB_TRY(FB_NEW(&p->owner, L->nsuper, e));
    FB_TRY(FB_NEW(&p->own, p->threads, e));
    for (int t = 1; t < p->threads; t++)
        FB_TRY(fb_new(&p->own[t], L->n * FB_WIDE, sizeof(double), "right-hand sides", e));
    if (p->threads > 1) {
        FB_TRY(FB_NEW(&parent, L->nsuper, e));
        FB_TRY(fb_snode_parents(L, parent, e));
        FB_TRY(fb_snode_owners(L, parent, p->threads, 0, p->owner, e));
    }
    *out = p;
    p = NULL;
out:
    free(parent);
    fb_plan_free(p);
    return s;
}

void fb_plan_free(fb_plan *p)
{
    if (!p)
        return;
    for (int t = 1; p->own && t < p->threads; t++)
        free(p->own[t]);
    FB_FREE(p->own, p->owner, p);
}

/* ---- all of them ----------------------------------------------------------------------- */

typedef struct {
    fb_plan *p;
    const fb_snodes *L;
    double *X;
    const fb_kernels *k;   /* for all the right-hand sides there are */
    int64_t s, nc, nr;     /* supernode of the top at hand; its columns and rows              */
    int64_t from, to, end; /* its columns at hand; (SN.2): the rows to..end-1 are not used yet */
} solve;

static void forward_subtrees(void *arg, int t)
{
    const solve *z = arg;
    const fb_snodes *L = z->L;
    double *X = t ? z->p->own[t] : z->X;
    for (int64_t s = 0; t && s < L->nsuper; s++) {
        size_t bytes = sizeof *X * (size_t)(fb_snode_columns(L, s) * z->k->wide);
        double *x = X + L->super[s] * z->k->wide;
        if (z->p->owner[s] == t)
            memcpy(x, z->X + L->super[s] * z->k->wide, bytes);
        else if (z->p->owner[s] == FB_TOP)
            memset(x, 0, bytes);
    }
    for (int64_t s = 0; s < L->nsuper; s++)
        if (z->p->owner[s] == t)
            forward(L, s, z->k, X);
}

/* What the threads found for their own rows, and what they send to the top. */
static void gather(const solve *z)
{
    const fb_snodes *L = z->L;
    for (int64_t s = 0; s < L->nsuper; s++) {
        int64_t at = L->super[s] * z->k->wide, k = fb_snode_columns(L, s) * z->k->wide;
        int owner = z->p->owner[s];
        if (owner > 0)
            memcpy(z->X + at, z->p->own[owner] + at, sizeof(double) * (size_t)k);
        for (int t = 1; owner == FB_TOP && t < z->p->threads; t++)
            for (int64_t i = at; i < at + k; i++)
                z->X[i] += z->p->own[t][i];
    }
}

/* Thread t's part of from..to-1 among n threads. */
static int64_t part(int64_t from, int64_t to, int t, int n)
{
    int64_t grains = (to - from + GRAIN - 1) / GRAIN, at = from + grains * t / n * GRAIN;
    return at < to ? at : to;
}

/* 1: at the next supernode of the top, in the direction of `step`; 0: there is none. */
static int enter_top(solve *z, int step)
{
    const fb_snodes *L = z->L;
    do
        z->s += step;
    while (z->s >= 0 && z->s < L->nsuper && z->p->owner[z->s] != FB_TOP);
    if (z->s < 0 || z->s >= L->nsuper)
        return 0;
    z->nc = fb_snode_columns(L, z->s);
    z->nr = fb_snode_rows(L, z->s);
    return 1;
}

static double *own_rows(const solve *z)
{
    return z->X + z->L->super[z->s] * z->k->wide;
}

/* Solves a block of columns; a round for the rows behind it. */
static int next_forward(void *arg)
{
    solve *z = arg;
    for (;;) {
        if (z->to == z->nc) {
            if (!enter_top(z, 1))
                return 0;
            z->to = all_zero(own_rows(z), z->nc * z->k->wide) ? z->nc : 0;
            continue;
        }
        z->from = z->to;
        z->to = z->nc - z->from < BLOCK ? z->nc : z->from + BLOCK;
        lower_triangle(z->L, z->s, z->from, z->to, z->k, z->X);
        if (z->nr > z->to)
            return z->p->threads;
    }
}

static void share_forward(void *arg, int t)
{
    const solve *z = arg;
    const fb_snodes *L = z->L;
    const int n = z->p->threads;
    const int64_t i = part(z->to, z->nr, t, n), end = part(z->to, z->nr, t + 1, n);
    z->k->down(end - i, z->to - z->from, L->x + L->px[z->s] + z->from * z->nr + i, z->nr,
               L->s + L->pi[z->s] + i, own_rows(z) + z->from * z->k->wide, z->X, z->k->wide);
}

/* A round for what the rows to..end-1, which are known, take from the columns before them; then the
 * last block of these is solved. */
static int next_backward(void *arg)
{
    solve *z = arg;
    for (;;) {
        if (z->to > 0) {
            z->from = (z->to - 1) / BLOCK * BLOCK;
            upper_triangle(z->L, z->s, z->from, z->to, z->k, z->X);
            z->end = z->to;
            z->to = z->from;
        }
        if (z->to == 0) {
            if (!enter_top(z, -1))
                return 0;
            z->to = z->nc;
            z->end = z->nr;
        }
        if (z->end > z->to)
            return z->p->threads;
    }
}

static void share_backward(void *arg, int t)
{
    const solve *z = arg;
    const fb_snodes *L = z->L;
    const int n = z->p->threads;
    const int64_t j = part(0, z->to, t, n), last = part(0, z->to, t + 1, n);
    z->k->up(z->end - z->to, last - j, L->x + L->px[z->s] + j * z->nr + z->to, z->nr,
             L->s + L->pi[z->s] + z->to, own_rows(z) + j * z->k->wide, z->X, z->k->wide);
}

static void backward_subtrees(void *arg, int t)
{
    const solve *z = arg;
    for (int64_t s = z->L->nsuper - 1; s >= 0; s--)
        if (z->p->owner[s] == t)
            backward(z->L, s, z->k, z->X);
}

void fb_plan_forward(fb_plan *p, const fb_snodes *L, double *X, int64_t k)
{
    solve z = {.p = p, .L = L, .X = X, .k = k > FB_NARROW ? p->wide : p->narrow};
    fb_parallel(p->threads, forward_subtrees, &z);
    if (p->threads == 1)
        return;
    gather(&z);
    z.s = -1;
    fb_rounds(next_forward, share_forward, &z);
}

void fb_plan_backward(fb_plan *p, const fb_snodes *L, double *X, int64_t k)
{
    solve z = {.p = p, .L = L, .X = X, .k = k > FB_NARROW ? p->wide : p->narrow};
    z.s = L->nsuper;
    if (p->threads > 1)
        fb_rounds(next_backward, share_backward, &z);
    fb_parallel(p->threads, backward_subtrees, &z);
}
