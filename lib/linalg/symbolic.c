/* SPDX-License-Identifier: GPL-3.0-or-later */
/* symbolic.c - the structure of a sparse factor from the graph of the nodes.
 *
 * All dofs of a node have the same rows below them in the factor: it is found for one of them, and
 * each row and column is written as often as its node has dofs.
 * Equations  node v of weight w_v, its rows below those of the nodes in R_v
 *   (SY.1) rows below dof t of v (of 0 .. w_v - 1):  w_v - 1 - t + sum of w over R_v
 * Source   Ashcraft, SIAM J. Sci. Comput. 16 (1995) 1404-1411; Chen, Davis, Hager, Rajamanickam,
 *          ACM TOMS 35 (2008) 22 (CHOLMOD, supernodes)
 * Cost     O(nnz) for the graph; CHOLMOD has 9 to 36 times fewer entries to look at
 */
#include "graph.h"
#include "memory.h"
#include "symbolic.h"
#include <stdlib.h>
#include <string.h>

/* Below this share of their entries full blocks would fill the factor with zeros that CHOLMOD, dof
 * by dof, leaves out. At 0.94, of plates, it is 0.8 % of the entries, at 0.88, of frames, 6 %
 * (measured). */
static const double FULL = 0.9;

/* Entries of the upper triangle where all blocks are full. */
static double entries_of_blocks(const fb_graph *g)
{
    double twice = 0;
    for (int64_t v = 0; v < g->nv; v++) {
        double row = (double)g->vwgt[v] + 1;
        for (idx_t q = g->xadj[v]; q < g->xadj[v + 1]; q++)
            row += (double)g->vwgt[g->adj[q]];
        twice += row * (double)g->vwgt[v];
    }
    return twice / 2;
}

/* order[k] = the node that comes k-th */
static fb_status order_of_nodes(const fb_graph *g, const int64_t *perm, int64_t n, int64_t *order,
                                fb_err *e)
{
    char *seen = NULL;
    int64_t k = 0;
    FB_PASS(fb_new(&seen, g->nv, 1, "nodes", e));
    for (int64_t q = 0; q < n; q++) {
        const int64_t v = g->vertex[perm[q]];
        if (!seen[v])
            order[k++] = v;
        seen[v] = 1;
    }
    free(seen);
    return FB_OK;
}

/* CHOLMOD's analysis of the graph itself. It joins supernodes by numbers of columns: those of
 * `each` dofs. */
static fb_status of_nodes(const fb_graph *g, const int64_t *order, double each, cholmod_common *c,
                          cholmod_factor **L, fb_err *e)
{
    int64_t *p = NULL, *i = NULL, k = 0;
    size_t relax[3];
    fb_status s = FB_OK;
    FB_TRY(FB_NEW(&p, g->nv + 1, e));
    FB_TRY(FB_NEW(&i, g->nv + g->xadj[g->nv] / 2, e));
    for (int64_t v = 0; v < g->nv; v++) {
        for (idx_t q = g->xadj[v]; q < g->xadj[v + 1]; q++)
            if (g->adj[q] < v)
                i[k++] = g->adj[q];
        i[k++] = v;
        p[v + 1] = k;
    }
    cholmod_sparse A = {.nrow = (size_t)g->nv,
                        .ncol = (size_t)g->nv,
                        .nzmax = (size_t)k,
                        .p = p,
                        .i = i,
                        .stype = 1,
                        .itype = CHOLMOD_LONG,
                        .xtype = CHOLMOD_PATTERN,
                        .dtype = CHOLMOD_DOUBLE,
                        .packed = 1};
    memcpy(relax, c->nrelax, sizeof relax);
    for (int q = 0; q < 3; q++)
        c->nrelax[q] = (size_t)((double)relax[q] / each + 0.5);
    *L = cholmod_l_analyze_p(&A, (int64_t *)(uintptr_t)order, NULL, 0, c);
    memcpy(c->nrelax, relax, sizeof relax);
out:
    FB_FREE(p, i);
    return s;
}

static int ascending(const void *a, const void *b)
{
    const int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;
    return (x > y) - (x < y);
}

/* The columns of each supernode in the order of runs.c. Their counts are those of their places. */
static fb_status lengthen_runs(cholmod_factor *N, fb_err *e)
{
    const int64_t n = (int64_t)N->n, *super = N->super, *pi = N->pi;
    int64_t *place = NULL, *old = NULL, *perm = N->Perm, *row = N->s;
    fb_status s = FB_OK;
    FB_TRY(FB_NEW(&place, n, e));
    FB_TRY(FB_NEW(&old, n, e));
    FB_TRY(fb_supernode_runs(N, place, e));
    memcpy(old, perm, sizeof *perm * (size_t)n);
    for (int64_t k = 0; k < n; k++)
        perm[place[k]] = old[k];
    for (int64_t q = 0; q < (int64_t)N->nsuper; q++) {
        const int64_t below = pi[q] + super[q + 1] - super[q];
        for (int64_t k = below; k < pi[q + 1]; k++)
            row[k] = place[row[k]];
        qsort(row + below, (size_t)(pi[q + 1] - below), sizeof *row, ascending);
    }
out:
    FB_FREE(place, old);
    return s;
}

/* at[k] = the row of the first dof of the node that is eliminated k-th; at[nv] = n */
static void first_rows(const fb_graph *g, const int64_t *order, int64_t *at)
{
    at[0] = 0;
    for (int64_t k = 0; k < g->nv; k++)
        at[k + 1] = at[k] + g->vwgt[order[k]];
}

/* Order and counts of the dofs, (SY.1) with the mean weight; flops and entries for c. */
static void write_columns(const fb_graph *g, const cholmod_factor *N, const int64_t *at,
                          cholmod_factor *L, cholmod_common *c)
{
    const int64_t *order = N->Perm, *count = N->ColCount;
    const double each = (double)at[g->nv] / (double)g->nv;
    int64_t *perm = L->Perm, *rows = L->ColCount;
    c->fl = c->lnz = 0;
    for (int64_t k = 0; k < g->nv; k++)
        for (int64_t a = g->start[order[k]], j = at[k]; a < g->start[order[k] + 1]; a++, j++) {
            const double r = (double)(at[k + 1] - j) + (double)(count[k] - 1) * each;
            perm[j] = g->member[a];
            rows[j] = (int64_t)r;
            c->lnz += r;
            c->fl += r * r;
        }
}

/* The supernodes of the dofs from those of the nodes. */
static void write_supernodes(const cholmod_factor *N, const int64_t *at, cholmod_factor *L)
{
    const int64_t *super = N->super, *pi = N->pi, *s = N->s;
    int64_t *to_super = L->super, *to_pi = L->pi, *to_px = L->px, *to = L->s, k = 0, x = 0;
    for (size_t q = 0; q < N->nsuper; q++) {
        const int64_t from = k;
        to_super[q] = at[super[q]];
        to_pi[q] = k;
        to_px[q] = x;
        for (int64_t r = pi[q]; r < pi[q + 1]; r++)
            for (int64_t i = at[s[r]]; i < at[s[r] + 1]; i++)
                to[k++] = i;
        const int64_t columns = at[super[q + 1]] - at[super[q]], below = k - from - columns;
        x += columns * (k - from);
        L->maxesize = (size_t)below > L->maxesize ? (size_t)below : L->maxesize;
    }
    to_super[N->nsuper] = at[super[N->nsuper]];
    to_pi[N->nsuper] = k;
    to_px[N->nsuper] = x;
    L->xsize = (size_t)x;
}

/* A supernodal factor without values; N has its rows. NULL: no memory, says c. */
static cholmod_factor *expanded(const fb_graph *g, const cholmod_factor *N, const int64_t *at,
                                cholmod_common *c)
{
    const int64_t *s = N->s, *pi = N->pi;
    const size_t n = N->nsuper + 1, each = sizeof(int64_t);
    size_t rows = 0;
    for (int64_t q = 0; q < pi[N->nsuper]; q++) /* ssize is 1 where there are none */
        rows += (size_t)(at[s[q] + 1] - at[s[q]]);
    cholmod_factor *L = cholmod_l_allocate_factor((size_t)at[g->nv], c);
    if (!L)
        return NULL;
    L->is_super = L->is_ll = L->is_monotonic = 1;
    L->ordering = CHOLMOD_GIVEN;
    L->nsuper = N->nsuper;
    L->ssize = rows;
    L->super = cholmod_l_malloc(n, each, c);
    L->pi = cholmod_l_malloc(n, each, c);
    L->px = cholmod_l_malloc(n, each, c);
    L->s = cholmod_l_malloc(rows, each, c);
    if (c->status < CHOLMOD_OK) {
        cholmod_l_free_factor(&L, c);
        return NULL;
    }
    write_columns(g, N, at, L, c);
    write_supernodes(N, at, L);
    return L;
}

fb_status fb_symbolic_by_nodes(const fb_csc *S, const int64_t *node, const int64_t *perm,
                               cholmod_common *c, cholmod_factor **L, fb_err *e)
{
    fb_graph g = {0};
    int64_t *order = NULL, *at = NULL;
    cholmod_factor *N = NULL;
    fb_status s = FB_OK;
    *L = NULL;
    FB_TRY(fb_graph_new(&g, S, node, e));
    if (2 * g.nv > S->n || (double)S->p[S->n] < FULL * entries_of_blocks(&g))
        goto out;
    FB_TRY(FB_NEW(&order, g.nv, e));
    FB_TRY(FB_NEW(&at, g.nv + 1, e));
    FB_TRY(order_of_nodes(&g, perm, S->n, order, e));
    FB_TRY(of_nodes(&g, order, (double)S->n / (double)g.nv, c, &N, e));
    if (!N || c->status < CHOLMOD_OK)
        goto out;
    FB_TRY(lengthen_runs(N, e));
    first_rows(&g, N->Perm, at);
    *L = expanded(&g, N, at, c);
out:
    cholmod_l_free_factor(&N, c);
    FB_FREE(order, at);
    fb_graph_free(&g);
    return s;
}
