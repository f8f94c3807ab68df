/* SPDX-License-Identifier: GPL-3.0-or-later */
/* snode.c - solves with a supernodal factor, 16 right-hand sides at a time, on several threads.
 *
 * Equations  P S P' = L L'; supernode s with diagonal block T_s and rows below L_s
 *   (SN.1) s ascending:  x_s := T_s \ x_s,  x_rows := x_rows - L_s x_s     X := L \ X
 *   (SN.2) s descending: x_s := T_s' \ (x_s - L_s' x_rows)                 X := L' \ X
 *   (SN.3) Y := L \ (M (L' \ X)): rows of M couple a supernode with what is below and above it in
 *          the tree, as those of S do. So a subtree is solved by (SN.2), multiplied and solved by
 *          (SN.1) before the one beside it: what fits a cache is fetched once for both.
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
    GRAIN = 16,      /* rows that a part has at least: two lines of L                          */
    PART = 16384,    /* entries of L of a part: some 5 us                                      */
    PARTS = 8,       /* a subtree is at most this part of a thread's share: the shares even out */
    PARTS_FRONTS = 4 /* of a factorisation, where more of them take more memory, not less time */
};

struct fb_plan {
    int threads;
    int postordered;
    int64_t *parent; /* [nsuper] or -1 */
    int64_t *first; /* [nsuper] of the subtree of s, if postordered: the others follow up to s    */
    int *owner;     /* [nsuper] thread, or FB_TOP                                              */
    int64_t *inner; /* [nsuper] rows of s that belong to its subtree, the first; top: all      */
    int64_t *outer; /* [nsuper] where the others of s begin in `place`                         */
    int64_t *place; /* of each other row: its place in the top                                 */
    int64_t *top;   /* [ntop] the columns of the top                                           */
    int64_t ntop;
    double **own; /* [threads][ntop x FB_WIDE] what a thread's subtrees send to the top      */
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

/* ---- the plan -------------------------------------------------------------------------- */

/* 1: k's rows are those below k - 1, whose parent it is: two pieces of a supernode are so. */
static int continues(const fb_snodes *L, const int64_t *parent, int64_t k)
{
    return parent[k - 1] == k &&
           fb_snode_rows(L, k - 1) - fb_snode_columns(L, k - 1) == fb_snode_rows(L, k);
}

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
    for (int64_t k = L->nsuper - 1; k >= 0; k--) /* may be a piece: those before it have the rows */
        while (parent[k] > k + 1 && continues(L, parent, parent[k]))
            parent[k]--;
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

static double entries_of(const fb_snodes *L, int64_t s)
{
    const double c = (double)fb_snode_columns(L, s), r = (double)fb_snode_rows(L, s);
    return c * (r - c / 2);
}

/* Of the subtree of every supernode: entries of L, or flops of its factorisation. */
static void subtree_weights(const fb_snodes *L, const int64_t *parent, int flops, double *weight)
{
    for (int64_t k = 0; k < L->nsuper; k++) {
        weight[k] += flops ? fb_snode_flops(L, k) : entries_of(L, k);
        if (parent[k] >= 0)
            weight[parent[k]] += weight[k];
    }
}

fb_status fb_snode_subtrees(const fb_snodes *L, const int64_t *parent, int threads, int flops,
                            int *number, fb_err *e)
{
    double *weight = NULL, total = 0;
    subtree *list = NULL;
    int64_t n = 0;
    fb_status s = FB_OK;
    FB_TRY(FB_NEW(&weight, L->nsuper, e));
    FB_TRY(FB_NEW(&list, L->nsuper, e));
    subtree_weights(L, parent, flops, weight);
    for (int64_t k = 0; k < L->nsuper; k++)
        total += parent[k] < 0 ? weight[k] : 0;
    const double most = total / ((flops ? PARTS_FRONTS : PARTS) * threads);
    for (int64_t k = 0; k < L->nsuper; k++) {
        number[k] = FB_TOP;
        if (weight[k] <= most && (parent[k] < 0 || weight[parent[k]] > most))
            list[n++] = (subtree){weight[k], k};
    }
    qsort(list, (size_t)n, sizeof *list, heavier_first);
    for (int64_t q = 0; q < n; q++)
        number[list[q].root] = (int)q;
    for (int64_t k = L->nsuper - 1; k >= 0; k--)
        if (number[k] == FB_TOP && parent[k] >= 0)
            number[k] = number[parent[k]];
out:
    FB_FREE(weight, list);
    return s;
}

/* owner[s] [nsuper]: the thread that takes s, or FB_TOP: each subtree, the heaviest first, is for
 * the thread with the least work. */
static fb_status owners(const fb_snodes *L, const int64_t *parent, int threads, int *owner,
                        fb_err *e)
{
    double *weight = NULL, *load = NULL;
    int *thread = NULL, n = 0;
    fb_status s = FB_OK;
    FB_TRY(FB_NEW(&weight, L->nsuper, e));
    FB_TRY(FB_NEW(&thread, L->nsuper, e));
    FB_TRY(FB_NEW(&load, threads, e));
    FB_TRY(fb_snode_subtrees(L, parent, threads, 0, owner, e));
    for (int64_t k = 0; k < L->nsuper; k++)
        if (owner[k] != FB_TOP) {
            weight[owner[k]] += entries_of(L, k);
            n = owner[k] < n ? n : owner[k] + 1;
        }
    for (int q = 0; q < n; q++) {
        for (int t = 1; t < threads; t++)
            if (load[t] < load[thread[q]])
                thread[q] = t;
        load[thread[q]] += weight[q];
    }
    for (int64_t k = 0; k < L->nsuper; k++)
        owner[k] = owner[k] == FB_TOP ? FB_TOP : thread[owner[k]];
out:
    FB_FREE(weight, load, thread);
    return s;
}

/* Which rows of a subtree's supernodes lie above it, and where in the top. */
static fb_status map_top(fb_plan *p, const fb_snodes *L, fb_err *e)
{
    int64_t *of = NULL, *last = NULL, count = 0;
    fb_status s = FB_OK;
    FB_TRY(FB_NEW(&of, L->n, e));
    FB_TRY(FB_NEW(&last, L->nsuper, e));
    for (int64_t k = 0; k < L->nsuper; k++)
        for (int64_t j = L->super[k]; p->owner[k] == FB_TOP && j < L->super[k + 1]; j++)
            of[j] = p->ntop++;
    FB_TRY(FB_NEW(&p->top, p->ntop, e));
    for (int64_t k = L->nsuper - 1; k >= 0; k--) {
        const int64_t *r = L->s + L->pi[k], nr = fb_snode_rows(L, k);
        const int64_t up = p->parent[k];
        const int within = p->owner[k] != FB_TOP && up >= 0 && p->owner[up] != FB_TOP;
        last[k] = within ? last[up] : L->super[k + 1];
        for (int64_t j = L->super[k]; p->owner[k] == FB_TOP && j < L->super[k + 1]; j++)
            p->top[of[j]] = j;
        for (p->inner[k] = nr; p->owner[k] != FB_TOP && r[p->inner[k] - 1] >= last[k];)
            p->inner[k]--;
        p->outer[k] = count;
        count += nr - p->inner[k];
    }
    FB_TRY(FB_NEW(&p->place, count, e));
    for (int64_t k = 0; k < L->nsuper; k++)
        for (int64_t i = p->inner[k]; i < fb_snode_rows(L, k); i++)
            p->place[p->outer[k] + i - p->inner[k]] = of[L->s[L->pi[k] + i]];
out:
    FB_FREE(of, last);
    return s;
}

static fb_status find_subtrees(fb_plan *p, const fb_snodes *L, fb_err *e)
{
    int64_t *open = NULL, n = 0; /* subtrees whose parent did not come yet */
    FB_PASS(FB_NEW(&open, L->nsuper, e));
    for (int64_t k = 0; k < L->nsuper; k++) {
        p->first[k] = k;
        while (n > 0 && p->parent[open[n - 1]] == k)
            p->first[k] = p->first[open[--n]];
        open[n++] = k;
    }
    while (n > 0 && p->parent[open[n - 1]] < 0)
        n--;
    p->postordered = n == 0;
    free(open);
    return FB_OK;
}

fb_status fb_plan_new(fb_plan **out, const fb_snodes *L, int threads, fb_err *e)
{
    fb_plan *p = NULL;
    fb_status s = fb_new(&p, 1, sizeof *p, "plan of the solves", e);
    if (s)
        return s;
    p->threads = threads < 1 ? 1 : threads;
    p->wide = fb_kernels_for(FB_WIDE, 0);
    p->narrow = fb_kernels_for(FB_NARROW, 0);
    FB_TRY(FB_NEW(&p->owner, L->nsuper, e));
    FB_TRY(FB_NEW(&p->inner, L->nsuper, e));
    FB_TRY(FB_NEW(&p->outer, L->nsuper, e));
    FB_TRY(FB_NEW(&p->own, p->threads, e));
    FB_TRY(FB_NEW(&p->parent, L->nsuper, e));
    FB_TRY(FB_NEW(&p->first, L->nsuper, e));
    FB_TRY(fb_snode_parents(L, p->parent, e));
    if (p->threads > 1)
        FB_TRY(owners(L, p->parent, p->threads, p->owner, e));
    FB_TRY(find_subtrees(p, L, e));
    FB_TRY(map_top(p, L, e));
    for (int t = 0; t < p->threads; t++)
        FB_TRY(fb_new(&p->own[t], p->ntop * FB_WIDE, sizeof(double), "right-hand sides", e));
    *out = p;
    p = NULL;
out:
    fb_plan_free(p);
    return s;
}

void fb_plan_free(fb_plan *p)
{
    if (!p)
        return;
    for (int t = 0; p->own && t < p->threads; t++)
        free(p->own[t]);
    FB_FREE(p->own, p->parent, p->first, p->owner);
    FB_FREE(p->inner, p->outer, p->place, p->top, p);
}

/* ---- the subtrees ---------------------------------------------------------------------- */

typedef struct {
    int64_t s, from, to; /* columns of a supernode of the top */
} block;

typedef struct {
    const fb_plan *p;
    const fb_snodes *L;
    double *X;
    const fb_kernels *k; /* for all the right-hand sides there are */
    block now, next;     /* next.s beyond the last one: there is none */
    int solved, zero;    /* (SN.1) next: its triangle is done; nothing but zeros came out     */
    int64_t ahead;       /* (SN.1) the row of `now` behind those that `next` waits for        */
    int64_t end;         /* (SN.2) the rows now.to .. end-1 are known, and not used yet       */
} solve;

static double *columns_of(const solve *z, int64_t s)
{
    return z->X + z->L->super[s] * z->k->wide;
}

/* (SN.1) A right-hand side of the boundary is zero in most supernodes: they are passed over. A NaN
 * does not occur: the factor and the right-hand sides are finite. */
static void forward(const solve *z, int64_t s, double *top)
{
    const fb_snodes *L = z->L;
    const int64_t *r = L->s + L->pi[s], nc = fb_snode_columns(L, s), nr = fb_snode_rows(L, s),
                  inner = z->p->inner[s];
    const double *x = columns_of(z, s), *B = L->x + L->px[s];
    if (all_zero(x, nc * z->k->wide))
        return;
    lower_triangle(L, s, 0, nc, z->k, z->X);
    z->k->down(inner - nc, nc, B + nc, nr, r + nc, x, z->X, z->k->wide);
    z->k->down(nr - inner, nc, B + inner, nr, z->p->place + z->p->outer[s], x, top, z->k->wide);
}

/* (SN.2) */
static void backward(const solve *z, int64_t s)
{
    const fb_snodes *L = z->L;
    const int64_t nc = fb_snode_columns(L, s), nr = fb_snode_rows(L, s);
    z->k->up(nr - nc, nc, L->x + L->px[s] + nc, nr, L->s + L->pi[s] + nc, columns_of(z, s), z->X,
             z->k->wide);
    upper_triangle(L, s, 0, nc, z->k, z->X);
}

static void forward_subtrees(void *arg, int t)
{
    const solve *z = arg;
    memset(z->p->own[t], 0, sizeof(double) * (size_t)(z->p->ntop * z->k->wide));
    for (int64_t s = 0; s < z->L->nsuper; s++)
        if (z->p->owner[s] == t)
            forward(z, s, z->p->own[t]);
}

static void backward_subtrees(void *arg, int t)
{
    const solve *z = arg;
    for (int64_t s = z->L->nsuper - 1; s >= 0; s--)
        if (z->p->owner[s] == t)
            backward(z, s);
}

/* What the threads send to the top, in their order. */
static void gather(void *arg, int t)
{
    const solve *z = arg;
    const int64_t w = z->k->wide, n = z->p->ntop, parts = z->p->threads;
    for (int64_t q = n * t / parts; q < n * (t + 1) / parts; q++)
        for (int k = 0; k < parts; k++)
            for (int64_t c = 0; c < w; c++)
                z->X[z->p->top[q] * w + c] += z->p->own[k][q * w + c];
}

/* ---- the top --------------------------------------------------------------------------- */

/* Parts of a round for n rows or columns that meet k of the other kind. Which one a thread takes
 * changes nothing: each row of the result belongs to one part. */
static int64_t part_size(int64_t k)
{
    const int64_t n = PART / (k ? k : 1) / GRAIN * GRAIN;
    return n > GRAIN ? n : GRAIN;
}

static int parts_of(int64_t n, int64_t k)
{
    return (int)((n + part_size(k) - 1) / part_size(k));
}

/* The next supernode of the top in the direction of `step`; -1 or nsuper: there is none. */
static int64_t top_after(const solve *z, int64_t s, int step)
{
    do
        s += step;
    while (s >= 0 && s < z->L->nsuper && z->p->owner[s] != FB_TOP);
    return s;
}

static void next_block(solve *z)
{
    block *b = &z->next;
    b->from = b->to;
    if (b->s < 0 || b->to == fb_snode_columns(z->L, b->s)) {
        b->s = top_after(z, b->s, 1);
        b->from = 0;
    }
    const int64_t left = b->s < z->L->nsuper ? fb_snode_columns(z->L, b->s) - b->from : 0;
    b->to = b->from + (left < BLOCK ? left : BLOCK);
}

/* The triangle of z->next, whose rows nothing is added to any more. */
static void solve_next(solve *z)
{
    const block b = z->next;
    z->zero = all_zero(columns_of(z, b.s) + b.from * z->k->wide, (b.to - b.from) * z->k->wide);
    if (!z->zero)
        lower_triangle(z->L, b.s, b.from, b.to, z->k, z->X);
    z->solved = 1;
}

/* A round for the rows behind a block of columns. Its first part are the rows that the next block
 * waits for, and that block's triangle: nobody waits for it alone. */
static int next_forward(void *arg)
{
    solve *z = arg;
    while (z->next.s < z->L->nsuper) {
        if (!z->solved)
            solve_next(z);
        const int zero = z->zero;
        const int64_t nr = fb_snode_rows(z->L, z->next.s), *r = z->L->s + z->L->pi[z->next.s];
        z->now = z->next;
        z->solved = 0;
        next_block(z);
        if (zero || z->now.to == nr)
            continue;
        z->ahead = z->now.to;
        if (z->next.s < z->L->nsuper)
            while (z->ahead < nr && r[z->ahead] < z->L->super[z->next.s] + z->next.to)
                z->ahead++;
        return 1 + parts_of(nr - z->ahead, z->now.to - z->now.from);
    }
    return 0;
}

static void share_forward(void *arg, int t)
{
    solve *z = arg;
    const fb_snodes *L = z->L;
    const block b = z->now;
    const int64_t nr = fb_snode_rows(L, b.s), size = part_size(b.to - b.from),
                  i = t ? z->ahead + (t - 1) * size : b.to,
                  end = !t              ? z->ahead
                        : nr - i < size ? nr
                                        : i + size;
    z->k->down(end - i, b.to - b.from, L->x + L->px[b.s] + b.from * nr + i, nr,
               L->s + L->pi[b.s] + i, columns_of(z, b.s) + b.from * z->k->wide, z->X, z->k->wide);
    if (t == 0 && z->next.s < L->nsuper)
        solve_next(z);
}

/* A round for what the rows to..end-1, which are known, take from the columns before them. Its
 * first part is the last block of these, which is solved then. */
static int next_backward(void *arg)
{
    solve *z = arg;
    block *b = &z->now;
    z->end = b->to;
    b->to = b->from;
    if (b->to == 0) {
        b->s = top_after(z, b->s, -1);
        if (b->s < 0)
            return 0;
        b->to = fb_snode_columns(z->L, b->s);
        z->end = fb_snode_rows(z->L, b->s);
    }
    b->from = (b->to - 1) / BLOCK * BLOCK;
    return 1 + parts_of(b->from, z->end - b->to);
}

static void share_backward(void *arg, int t)
{
    const solve *z = arg;
    const fb_snodes *L = z->L;
    const block b = z->now;
    const int64_t nr = fb_snode_rows(L, b.s), rows = z->end - b.to, size = part_size(rows),
                  j = t ? (t - 1) * size : b.from,
                  end = !t                  ? b.to
                        : b.from - j < size ? b.from
                                            : j + size;
    z->k->up(rows, end - j, L->x + L->px[b.s] + j * nr + b.to, nr, L->s + L->pi[b.s] + b.to,
             columns_of(z, b.s) + j * z->k->wide, z->X, z->k->wide);
    if (t == 0)
        upper_triangle(L, b.s, b.from, b.to, z->k, z->X);
}

/* ---- all of them ----------------------------------------------------------------------- */

static solve opened(const fb_plan *p, const fb_snodes *L, double *X, int64_t k)
{
    return (solve){.p = p, .L = L, .X = X, .k = k > FB_NARROW ? p->wide : p->narrow};
}

/* From the subtrees up, by the threads' sums. */
static void forward_top(solve *z)
{
    if (z->p->ntop == 0)
        return;
    fb_parallel(z->p->threads, gather, z);
    z->next = (block){.s = -1};
    next_block(z);
    fb_rounds(next_forward, share_forward, z);
}

static void backward_top(solve *z)
{
    z->now = (block){.s = z->L->nsuper};
    if (z->p->ntop > 0)
        fb_rounds(next_backward, share_backward, z);
}

void fb_plan_forward(const fb_plan *p, const fb_snodes *L, double *X, int64_t k)
{
    solve z = opened(p, L, X, k);
    fb_parallel(p->threads, forward_subtrees, &z);
    forward_top(&z);
}

void fb_plan_backward(const fb_plan *p, const fb_snodes *L, double *X, int64_t k)
{
    solve z = opened(p, L, X, k);
    backward_top(&z);
    fb_parallel(p->threads, backward_subtrees, &z);
}

/* ---- with a product between the halves ------------------------------------------------- */

struct fb_coupling {
    double *d;  /* [n] the diagonal */
    int64_t *p; /* [2n + 1] column j: p[2j], of its subtree; p[2j+1], of the top: places there */
    int32_t *i; /* rows, which are eliminated after the column */
    double *x;
};

void fb_coupling_free(fb_coupling *c)
{
    if (c)
        FB_FREE(c->d, c->p, c->i, c->x);
    free(c);
}

typedef struct {
    const fb_plan *p;
    const int64_t *at, *of, *place; /* [n] where a dof is eliminated; supernode; place in the top */
} places;

/* Entry (a, b) of M: its column, twice, or once more for rows of the top, and its row there; -1:
 * the subtrees of both have nothing to do with each other. */
static int64_t place_entry(const places *z, int64_t a, int64_t b, int64_t *row)
{
    const int64_t i = z->at[a], j = z->at[b], first = i < j ? i : j, last = i < j ? j : i,
                  s = z->of[first], up = z->of[last];
    const int top = z->p->owner[up] == FB_TOP;
    *row = top ? z->place[last] : last;
    return z->p->first[up] <= s ? 2 * first + top : -1;
}

/* Counts the entries of the columns, or, with `fill`, moves them there; 0: M does not suit. */
static int spread(fb_coupling *c, const places *z, const fb_csc *M, int fill)
{
    for (int64_t b = 0; b < M->n; b++)
        for (int64_t q = M->p[b]; q < M->p[b + 1]; q++) {
            int64_t row;
            const int64_t a = M->i[q], column = place_entry(z, a, b, &row);
            if (column < 0)
                return 0;
            if (fill && a == b)
                c->d[z->at[a]] += M->x[q];
            if (fill && a != b) {
                c->i[c->p[column]] = (int32_t)row;
                c->x[c->p[column]] = M->x[q];
            }
            if (a != b)
                c->p[column + !fill]++;
        }
    return 1;
}

fb_status fb_plan_couple(fb_coupling **out, const fb_plan *p, const fb_snodes *L, const fb_csc *M,
                         const int64_t *perm, fb_err *e)
{
    fb_coupling *c = NULL;
    int64_t *at = NULL, *of = NULL, *place = NULL;
    const int64_t n = L->n;
    fb_status s = FB_OK;
    *out = NULL;
    if (!p->postordered || !M->upper || M->n != n || n > INT32_MAX)
        return FB_OK;
    FB_TRY(FB_NEW(&at, n, e));
    FB_TRY(FB_NEW(&of, n, e));
    FB_TRY(FB_NEW(&place, n, e));
    FB_TRY(FB_NEW(&c, 1, e));
    FB_TRY(FB_NEW(&c->d, n, e));
    FB_TRY(FB_NEW(&c->p, 2 * n + 1, e));
    for (int64_t k = 0; k < n; k++)
        at[perm[k]] = k;
    for (int64_t k = 0; k < L->nsuper; k++)
        for (int64_t j = L->super[k]; j < L->super[k + 1]; j++)
            of[j] = k;
    for (int64_t q = 0; q < p->ntop; q++)
        place[p->top[q]] = q;
    const places z = {p, at, of, place};
    if (!spread(c, &z, M, 0))
        goto out;
    fb_csc_starts(c->p, 2 * n);
    FB_TRY(FB_NEW(&c->i, c->p[2 * n], e));
    FB_TRY(fb_new(&c->x, c->p[2 * n], sizeof *c->x, "mass in the order of elimination", e));
    spread(c, &z, M, 1);
    fb_csc_rewind(c->p, 2 * n);
    *out = c;
    c = NULL;
out:
    FB_FREE(at, of, place);
    fb_coupling_free(c);
    return s;
}

typedef struct {
    solve x, y;
    const fb_coupling *c;
} congruence;

/* What column j of M has in the top. */
static void couple_top(const congruence *z, int64_t j, double d, double *s, double *top)
{
    const fb_coupling *c = z->c;
    const int64_t q = c->p[2 * j + 1], w = z->x.k->wide;
    z->x.k->couple(c->p[2 * j + 2] - q, c->x + q, c->i + q, z->x.p->top, d, z->x.X + j * w, s,
                   z->x.X, top, w);
}

static void couple(const congruence *z, int64_t s, double *top)
{
    const fb_coupling *c = z->c;
    const int64_t w = z->x.k->wide;
    for (int64_t j = z->x.L->super[s]; j < z->x.L->super[s + 1]; j++) {
        const int64_t q = c->p[2 * j];
        double *const y = z->y.X + j * w;
        z->x.k->couple(c->p[2 * j + 1] - q, c->x + q, c->i + q, NULL, c->d[j], z->x.X + j * w, y,
                       z->x.X, z->y.X, w);
        if (c->p[2 * j + 1] < c->p[2 * j + 2])
            couple_top(z, j, 0, y, top);
    }
}

/* (SN.3) A supernode is ready for the way up when the first one of its subtree is. */
static void there_and_back(void *arg, int t)
{
    const congruence *z = arg;
    const fb_plan *p = z->x.p;
    const fb_snodes *L = z->x.L;
    const int64_t w = z->x.k->wide, n = p->ntop;
    double *const top = p->own[t];
    memset(top, 0, sizeof *top * (size_t)(n * w));
    for (int64_t q = n * t / p->threads; q < n * (t + 1) / p->threads; q++) {
        memset(z->y.X + p->top[q] * w, 0, sizeof *top * (size_t)w);
        couple_top(z, p->top[q], z->c->d[p->top[q]], top + q * w, top);
    }
    for (int64_t s = L->nsuper - 1; s >= 0; s--) {
        if (p->owner[s] != t)
            continue;
        backward(&z->x, s);
        memset(columns_of(&z->y, s), 0, sizeof *top * (size_t)(fb_snode_columns(L, s) * w));
        for (int64_t b = s; b >= 0 && p->owner[b] == t && p->first[b] == s; b = p->parent[b]) {
            couple(z, b, top);
            forward(&z->y, b, top);
        }
    }
}

void fb_plan_congruence(const fb_plan *p, const fb_snodes *L, const fb_coupling *c, double *X,
                        double *Y)
{
    congruence z = {opened(p, L, X, FB_NARROW), opened(p, L, Y, FB_NARROW), c};
    backward_top(&z.x);
    fb_parallel(p->threads, there_and_back, &z);
    forward_top(&z.y);
}
