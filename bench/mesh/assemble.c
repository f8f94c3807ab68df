/* SPDX-License-Identifier: GPL-3.0-or-later */
/* assemble.c - K and M of a mesh straight into compressed columns: the graph of the nodes says
 * where every entry goes, and no entry is kept twice.
 *
 * Node r has the neighbours q <= r, ascending, itself the last: below[start[r] .. start[r+1]-1].
 * Column (r, j) of a matrix with d x d blocks: the rows (q, i) of each q < r, then (r, 0..j). With
 * one value a block (masses of solids, d dofs alike): the row (q, j) of each q <= r.
 */
#include "bench/mesh/mesh.h"
#include "memory.h"
#include <stdlib.h>
#include <string.h>

typedef struct {
    int64_t *start; /* [nn+1] */
    int64_t *below; /* [start[nn]] */
} graph;

/* Elements of each node: list[start[k] .. start[k+1]-1]. */
static fb_status elements_of(const mesh *m, int64_t **start, int64_t **list, fb_err *e)
{
    int64_t *p = NULL, *v = NULL, per = m->kind->nodes, n = m->ne * per;
    fb_status s = FB_OK;
    FB_TRY(fb_new(&p, m->nn + 2, 8, "elements of nodes", e));
    FB_TRY(fb_new(&v, n, 8, "elements of nodes", e));
    for (int64_t q = 0; q < n; q++)
        p[m->v[q] + 2]++;
    for (int64_t k = 0; k < m->nn; k++)
        p[k + 2] += p[k + 1];
    for (int64_t q = 0; q < n; q++)
        v[p[m->v[q] + 1]++] = q / per;
    *start = p;
    *list = v;
    p = v = NULL;
out:
    FB_FREE(p, v);
    return s;
}

static int ascending(const void *a, const void *b)
{
    const int64_t *x = a, *y = b;
    return *x < *y ? -1 : *x > *y;
}

static fb_status graph_new(const mesh *m, graph *g, fb_err *e)
{
    int64_t *start = NULL, *list = NULL, *mark = NULL, cap = 0, n = 0, per = m->kind->nodes;
    fb_status s = FB_OK;
    FB_TRY(elements_of(m, &start, &list, e));
    FB_TRY(fb_new(&mark, m->nn, 8, "marks", e)); /* k + 1: seen by node k */
    FB_TRY(fb_new(&g->start, m->nn + 1, 8, "graph", e));
    for (int64_t k = 0; k < m->nn; k++) {
        FB_TRY(fb_grow(&g->below, &cap, n + (start[k + 1] - start[k]) * per, 8, e));
        for (int64_t q = start[k]; q < start[k + 1]; q++)
            for (int64_t a = 0; a < per; a++) {
                int64_t r = m->v[list[q] * per + a];
                if (r > k || mark[r] == k + 1)
                    continue;
                mark[r] = k + 1;
                g->below[n++] = r;
            }
        qsort(g->below + g->start[k], (size_t)(n - g->start[k]), 8, ascending);
        g->start[k + 1] = n;
    }
out:
    FB_FREE(start, list, mark);
    return s;
}

static void graph_free(graph *g)
{
    FB_FREE(g->start, g->below);
}

/* The pattern, all values zero; scalar: one value a block. */
static fb_status pattern(const graph *g, int64_t nn, int64_t d, int scalar, fb_csc *A, fb_err *e)
{
    int64_t pairs = g->start[nn] - nn;
    fb_status s = FB_OK;
    FB_TRY(fb_csc_new(A, d * nn, d * nn,
                      scalar ? d * (pairs + nn) : d * d * pairs + nn * d * (d + 1) / 2, 1, e));
    int64_t n = 0;
    for (int64_t r = 0; r < nn; r++)
        for (int64_t j = 0; j < d; j++) {
            A->p[d * r + j] = n;
            for (int64_t q = g->start[r]; q < g->start[r + 1]; q++)
                for (int64_t i = scalar ? j : 0; i <= (scalar || g->below[q] == r ? j : d - 1); i++)
                    A->i[n++] = d * g->below[q] + i;
        }
    A->p[d * nn] = n;
out:
    return s;
}

static int64_t neighbour(const graph *g, int64_t r, int64_t q)
{
    int64_t lo = g->start[r], hi = g->start[r + 1] - 1;
    while (lo < hi) {
        int64_t mid = (lo + hi) / 2;
        if (g->below[mid] < q)
            lo = mid + 1;
        else
            hi = mid;
    }
    return lo - g->start[r];
}

/* Adds the blocks of one element; values of a block below the diagonal of the matrix are not
 * stored. */
static void add(const mesh *m, const graph *g, int64_t element, const double *Ke, const double *Me,
                fb_csc *K, fb_csc *M)
{
    int64_t d = m->kind->dofs, per = m->kind->nodes, nd = d * per;
    const int64_t *v = m->v + element * per;
    for (int64_t a = 0; a < per; a++)
        for (int64_t b = 0; b < per; b++) {
            int64_t q = v[a], r = v[b];
            if (q > r)
                continue;
            int64_t at = neighbour(g, r, q);
            for (int64_t j = 0; j < d; j++) {
                double *k = K->x + K->p[d * r + j] + d * at;
                for (int64_t i = 0; i <= (q == r ? j : d - 1); i++)
                    k[i] += Ke[(d * a + i) * nd + d * b + j];
                if (d == 3) {
                    M->x[M->p[d * r + j] + at] += Me[d * a * nd + d * b];
                    continue;
                }
                double *x = M->x + M->p[d * r + j] + d * at;
                for (int64_t i = 0; i <= (q == r ? j : d - 1); i++)
                    x[i] += Me[(d * a + i) * nd + d * b + j];
            }
        }
}

/* What is zero is not stored. */
static void squeeze(fb_csc *A)
{
    int64_t n = 0;
    for (int64_t j = 0; j < A->n; j++) {
        int64_t q = A->p[j];
        A->p[j] = n;
        for (; q < A->p[j + 1]; q++)
            if (A->x[q] < 0 || A->x[q] > 0) {
                A->i[n] = A->i[q];
                A->x[n++] = A->x[q];
            }
    }
    A->p[A->n] = n;
}

fb_status mesh_assemble(const mesh *m, fb_csc *K, fb_csc *M, fb_err *e)
{
    graph g = {0};
    double Ke[MESH_DOFS * MESH_DOFS], Me[MESH_DOFS * MESH_DOFS], X[MESH_NODES][3];
    int64_t d = m->kind->dofs, per = m->kind->nodes;
    fb_csc A = {0}, B = {0};
    fb_status s = FB_OK;
    FB_TRY(graph_new(m, &g, e));
    FB_TRY(pattern(&g, m->nn, d, 0, &A, e));
    FB_TRY(pattern(&g, m->nn, d, d == 3, &B, e));
    for (int64_t k = 0; k < m->ne; k++) {
        for (int64_t a = 0; a < per; a++)
            memcpy(X[a], m->xyz + 3 * m->v[k * per + a], sizeof X[a]);
        m->kind->matrices((int)per, (const double(*)[3])X, Ke, Me);
        add(m, &g, k, Ke, Me, &A, &B);
    }
    squeeze(&A);
    squeeze(&B);
    *K = A;
    *M = B;
    A = B = (fb_csc){0};
out:
    graph_free(&g);
    FB_FREE_BY(fb_csc_free, &A, &B);
    return s;
}
