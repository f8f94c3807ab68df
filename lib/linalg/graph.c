/* SPDX-License-Identifier: GPL-3.0-or-later */
/* graph.c - the compressed graph of a symmetric matrix.
 *
 * Dofs of one node touch the same neighbours, so they are one vertex of the graph, weighted by
 * their number: 3 to 6 times fewer vertices, 9 to 36 times fewer edges.
 * Source   Ashcraft, SIAM J. Sci. Comput. 16 (1995) 1404-1411
 * Cost     O(nnz), read once, on all threads; what follows is as long as the edges are many
 */
#include "blas.h"
#include "dense.h"
#include "graph.h"
#include "memory.h"
#include <stdlib.h>
#include <string.h>

void fb_graph_free(fb_graph *g)
{
    FB_FREE(g->vertex, g->start, g->member, g->xadj, g->adj, g->vwgt);
    *g = (fb_graph){0};
}

typedef struct {
    int64_t label, dof;
} labelled;

static int by_label(const void *a, const void *b)
{
    const labelled *x = a, *y = b;
    if (x->label != y->label)
        return x->label < y->label ? -1 : 1;
    return (x->dof > y->dof) - (x->dof < y->dof);
}

/* head[dof] = the first dof with the same label. */
static fb_status heads_by_label(const int64_t *node, int64_t n, int64_t *head, fb_err *e)
{
    labelled *t = NULL;
    FB_PASS(fb_new(&t, n, sizeof *t, "labels", e));
    for (int64_t j = 0; j < n; j++)
        t[j] = (labelled){node[j], j};
    qsort(t, (size_t)n, sizeof *t, by_label);
    for (int64_t k = 0; k < n; k++)
        head[t[k].dof] = k > 0 && t[k].label == t[k - 1].label ? head[t[k - 1].dof] : t[k].dof;
    free(t);
    return FB_OK;
}

/* head[dof] = the first neighbour with an equal pattern. Patterns are compared by a 64-bit sum of
 * the mixed indices; a collision would cost fill, never correctness. */
static fb_status heads_by_pattern(const fb_csc *A, int64_t *head, fb_err *e)
{
    uint64_t *hash = NULL;
    int64_t n = A->n;
    FB_PASS(fb_new(&hash, n, sizeof *hash, "patterns", e));
    for (int64_t j = 0; j < n; j++) {
        hash[j] += fb_mix((uint64_t)j);
        for (int64_t q = A->p[j]; q < A->p[j + 1]; q++)
            if (A->i[q] != j) {
                hash[j] += fb_mix((uint64_t)A->i[q]);
                hash[A->i[q]] += fb_mix((uint64_t)j);
            }
    }
    for (int64_t j = 0; j < n; j++) {
        head[j] = j;
        for (int64_t q = A->p[j]; q < A->p[j + 1] && head[j] == j; q++)
            if (A->i[q] < j && hash[A->i[q]] == hash[j])
                head[j] = head[A->i[q]];
    }
    free(hash);
    return FB_OK;
}

/* Numbers the vertices in the order of their first dofs and lists their members. */
static fb_status vertices(const fb_csc *A, const int64_t *node, fb_graph *g, fb_err *e)
{
    int64_t n = A->n;
    FB_PASS(FB_NEW(&g->vertex, n, e));
    FB_PASS(FB_NEW(&g->start, n + 1, e));
    FB_PASS(FB_NEW(&g->member, n, e));
    FB_PASS(node ? heads_by_label(node, n, g->vertex, e) : heads_by_pattern(A, g->vertex, e));
    for (int64_t j = 0; j < n; j++) {
        int64_t head = g->vertex[j];
        g->vertex[j] = head == j ? g->nv++ : g->vertex[head];
        g->start[g->vertex[j] + 1]++;
    }
    fb_csc_starts(g->start, g->nv);
    for (int64_t j = n - 1; j >= 0; j--) /* backwards: the starts end where they belong */
        g->member[--g->start[g->vertex[j] + 1]] = j;
    for (int64_t v = 0; v < g->nv; v++)
        g->start[v] = g->start[v + 1];
    g->start[g->nv] = n;
    return FB_OK;
}

/* ---- edges ----------------------------------------------------------------------------- */

typedef struct {
    const fb_csc *A;
    const fb_graph *g;
    int64_t *first;      /* [parts+1] first vertex of each part                             */
    int64_t *room;       /* [parts] where the neighbours of a part begin: no more than entries */
    idx_t *mark;         /* [parts][nv] 1 + the vertex that found it last                   */
    idx_t *found;        /* neighbours                                                      */
    int64_t *from, *end; /* [nv] those of each vertex                                    */
} search;

/* Neighbours of the vertices of part t in the columns of their dofs, each once. */
static void neighbours(void *arg, int t)
{
    const search *z = arg;
    const fb_csc *A = z->A;
    const fb_graph *g = z->g;
    idx_t *mark = z->mark + t * g->nv;
    int64_t k = z->room[t];
    for (int64_t v = z->first[t]; v < z->first[t + 1]; v++) {
        z->from[v] = k;
        mark[v] = (idx_t)(v + 1);
        for (int64_t a = g->start[v]; a < g->start[v + 1]; a++) {
            const int64_t j = g->member[a];
            for (int64_t q = A->p[j]; q < A->p[j + 1]; q++) {
                const int64_t w = g->vertex[A->i[q]];
                if (mark[w] == v + 1)
                    continue;
                mark[w] = (idx_t)(v + 1);
                z->found[k++] = (idx_t)w;
            }
        }
        z->end[v] = k;
    }
}

/* Parts of about as many entries. */
static void share_out(search *z, int parts)
{
    const fb_graph *g = z->g;
    int64_t entries = 0, v = 0;
    for (int t = 0; t < parts; t++) {
        const int64_t until = z->A->p[z->A->n] / parts * (t + 1);
        z->first[t] = v;
        z->room[t] = entries;
        for (; v < g->nv && (entries < until || t + 1 == parts); v++)
            for (int64_t a = g->start[v]; a < g->start[v + 1]; a++)
                entries += z->A->p[g->member[a] + 1] - z->A->p[g->member[a]];
    }
    z->first[parts] = g->nv;
}

static fb_status search_new(search *z, fb_err *e)
{
    const int parts = fb_threads();
    const int64_t nv = z->g->nv, most = z->A->p[z->A->n];
    FB_PASS(FB_NEW(&z->first, parts + 1, e));
    FB_PASS(FB_NEW(&z->room, parts, e));
    FB_PASS(FB_NEW(&z->from, nv, e));
    FB_PASS(FB_NEW(&z->end, nv, e));
    FB_PASS(fb_new(&z->mark, parts * nv, sizeof(idx_t), "ordering graph", e));
    /* not zeroed: most of it is never touched */
    z->found = fb_realloc(NULL, (size_t)most + 1, sizeof(idx_t));
    if (!z->found)
        return fb_fail(e, FB_ESYS, "out of memory: a graph wants %.3g MB", 4e-6 * (double)most);
    share_out(z, parts);
    fb_parallel(parts, neighbours, z);
    return FB_OK;
}

/* Each edge was found once or twice: it is kept as lower->higher, in half [start[nv]], -1 where it
 * is there before; degree [nv]. */
static int64_t kept_once(const search *z, const int64_t *start, idx_t *fill, idx_t *half,
                         idx_t *degree)
{
    const int64_t nv = z->g->nv;
    int64_t ne = 0;
    for (int64_t v = 0; v < nv; v++)
        for (int64_t a = z->from[v]; a < z->end[v]; a++) {
            const int64_t w = z->found[a], lo = w < v ? w : v;
            half[start[lo] + fill[lo]++] = (idx_t)(w < v ? v : w);
        }
    memset(z->mark, 0, sizeof *z->mark * (size_t)nv);
    for (int64_t v = 0; v < nv; v++)
        for (int64_t q = start[v]; q < start[v + 1]; q++) {
            if (z->mark[half[q]] == v + 1) {
                half[q] = -1;
                continue;
            }
            z->mark[half[q]] = (idx_t)(v + 1);
            degree[v]++;
            degree[half[q]]++;
            ne += 2;
        }
    return ne;
}

static fb_status edges(const fb_csc *A, fb_graph *g, fb_err *e)
{
    search z = {.A = A, .g = g};
    int64_t *start = NULL;
    idx_t *half = NULL, *fill = NULL, *degree = NULL;
    const int64_t nv = g->nv;
    fb_status s = FB_OK;
    FB_TRY(search_new(&z, e));
    FB_TRY(FB_NEW(&start, nv + 1, e));
    for (int64_t v = 0; v < nv; v++)
        for (int64_t a = z.from[v]; a < z.end[v]; a++)
            start[(z.found[a] < v ? z.found[a] : v) + 1]++;
    fb_csc_starts(start, nv);
    FB_TRY(FB_NEW(&half, start[nv], e));
    FB_TRY(FB_NEW(&fill, nv, e));
    FB_TRY(FB_NEW(&degree, nv, e));
    const int64_t ne = kept_once(&z, start, fill, half, degree);
    if (ne > INT32_MAX)
        FB_TRY(fb_fail(e, FB_ESOLVE,
                       "the graph of the model has %lld edges, METIS takes %d: the node of every "
                       "dof, if given, makes it smaller",
                       (long long)ne, INT32_MAX));
    FB_TRY(fb_new(&g->xadj, nv + 2, sizeof(idx_t), "ordering graph", e));
    FB_TRY(fb_new(&g->adj, ne, sizeof(idx_t), "ordering graph", e));
    for (int64_t v = 0; v < nv; v++)
        g->xadj[v + 2] = g->xadj[v + 1] + degree[v];
    for (int64_t v = 0; v < nv; v++)
        for (int64_t q = start[v]; q < start[v + 1]; q++)
            if (half[q] >= 0) {
                g->adj[g->xadj[v + 1]++] = half[q];
                g->adj[g->xadj[half[q] + 1]++] = (idx_t)v;
            }
out:
    FB_FREE(z.first, z.room, z.from, z.end, z.mark, z.found);
    FB_FREE(start, half, fill, degree);
    return s;
}

fb_status fb_graph_new(fb_graph *out, const fb_csc *A, const int64_t *node, fb_err *e)
{
    fb_graph g = {0};
    fb_status s = FB_OK;
    FB_TRY(vertices(A, node, &g, e));
    if (g.nv > INT32_MAX - 1)
        FB_TRY(fb_fail(e, FB_ESOLVE, "the model has %lld nodes, METIS takes %d", (long long)g.nv,
                       INT32_MAX - 1));
    FB_TRY(edges(A, &g, e));
    FB_TRY(fb_new(&g.vwgt, g.nv, sizeof(idx_t), "ordering graph", e));
    for (int64_t v = 0; v < g.nv; v++)
        g.vwgt[v] = (idx_t)(g.start[v + 1] - g.start[v]);
    *out = g;
    g = (fb_graph){0};
out:
    fb_graph_free(&g);
    return s;
}
