/* SPDX-License-Identifier: GPL-3.0-or-later */
/* order.c - fill-reducing order by nested dissection of the compressed graph.
 *
 * Dofs of one node touch the same neighbours, so they are one vertex of the graph, weighted by
 * their number: 3 to 6 times fewer vertices, 9 to 36 times fewer edges, the same fill (measured),
 * and METIS' 32-bit indices hold for models that many times larger.
 * Source   Karypis & Kumar, SIAM J. Sci. Comput. 20 (1998) 359-392; compression: Ashcraft, SIAM J.
 *          Sci. Comput. 16 (1995) 1404-1411
 * Cost     O(nnz) for the graph; METIS is about linear in its edges
 */
#include "factor.h"
#include "sparse.h"
#include "memory.h"
#include "dense.h"
#include "status.h"
#include <metis.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>

typedef struct { /* the compressed graph */
    int64_t nv;
    int64_t *vertex;          /* [n]    vertex of each dof            */
    int64_t *start, *member;  /* [nv+1], [n] dofs of each vertex      */
    idx_t *xadj, *adj, *vwgt; /* neighbours, as METIS wants them      */
} graph;

static void graph_free(graph *g)
{
    FB_FREE(g->vertex, g->start, g->member, g->xadj, g->adj, g->vwgt);
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
static fb_status vertices(const fb_csc *A, const int64_t *node, graph *g, fb_err *e)
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

/* Neighbours of vertex v in the columns of its members, each once; returns their number. */
static int64_t columns_of(const fb_csc *A, const graph *g, int64_t v, int64_t *mark, int64_t *list)
{
    int64_t k = 0;
    for (int64_t a = g->start[v]; a < g->start[v + 1]; a++) {
        int64_t j = g->member[a];
        for (int64_t q = A->p[j]; q < A->p[j + 1]; q++) {
            int64_t w = g->vertex[A->i[q]];
            if (w != v && mark[w] != v) {
                mark[w] = v;
                list[k++] = w;
            }
        }
    }
    return k;
}

/* The upper triangle gives every edge at least once, in one direction or both: v->w is kept as
 * min->max, sorted out by a mark, and written at both ends. */
static fb_status edges(const fb_csc *A, graph *g, fb_err *e)
{
    int64_t *mark = NULL, *list = NULL, *at = NULL, *half = NULL, *fill = NULL;
    int64_t nv = g->nv, ne = 0;
    fb_status s = FB_OK;
    FB_TRY(FB_NEW(&mark, nv, e));
    FB_TRY(FB_NEW(&list, nv, e));
    FB_TRY(FB_NEW(&at, nv + 1, e));
    for (int64_t v = 0; v < nv; v++)
        mark[v] = -1;
    for (int64_t v = 0; v < nv; v++) {
        int64_t k = columns_of(A, g, v, mark, list);
        for (int64_t a = 0; a < k; a++)
            at[(list[a] < v ? list[a] : v) + 1]++;
    }
    fb_csc_starts(at, nv);
    FB_TRY(FB_NEW(&half, at[nv], e));
    FB_TRY(FB_NEW(&fill, nv, e));
    for (int64_t v = 0; v < nv; v++)
        mark[v] = -1;
    for (int64_t v = 0; v < nv; v++) {
        int64_t k = columns_of(A, g, v, mark, list);
        for (int64_t a = 0; a < k; a++) {
            int64_t lo = list[a] < v ? list[a] : v, hi = list[a] < v ? v : list[a];
            half[at[lo] + fill[lo]++] = hi;
        }
    }
    FB_TRY(fb_new(&g->xadj, nv + 2, sizeof(idx_t), "ordering graph", e));
    memset(list, 0, sizeof *list * (size_t)nv); /* from here the degrees */
    for (int64_t v = 0; v < nv; v++)
        mark[v] = -1;
    for (int64_t v = 0; v < nv; v++)
        for (int64_t q = at[v]; q < at[v + 1]; q++) {
            if (mark[half[q]] == v) {
                half[q] = -1;
                continue;
            }
            mark[half[q]] = v;
            list[v]++;
            list[half[q]]++;
            ne += 2;
        }
    if (ne > INT32_MAX)
        FB_TRY(fb_fail(e, FB_ESOLVE,
                       "the graph of the model has %lld edges, METIS takes %d: the node of every "
                       "dof, if given, makes it smaller",
                       (long long)ne, INT32_MAX));
    FB_TRY(fb_new(&g->adj, ne, sizeof(idx_t), "ordering graph", e));
    for (int64_t v = 0; v < nv; v++)
        g->xadj[v + 2] = g->xadj[v + 1] + (idx_t)list[v];
    for (int64_t v = 0; v < nv; v++)
        for (int64_t q = at[v]; q < at[v + 1]; q++)
            if (half[q] >= 0) {
                g->adj[g->xadj[v + 1]++] = (idx_t)half[q];
                g->adj[g->xadj[half[q] + 1]++] = (idx_t)v;
            }
out:
    FB_FREE(mark, list, at, half, fill);
    return s;
}

/* order[k] = the vertex that comes k-th. METIS catches SIGTERM, which it raises for its own errors,
 * and jumps out of whatever that interrupts, memory allocation included: one from outside waits
 * until METIS has done. No other thread takes it: those of the BLAS are ended (blas.c), ours block
 * it (parallel.c). METIS puts the handler back by signal() as System V has it, good for one signal
 * only: the whole action is put back here. */
static fb_status dissect(graph *g, idx_t *order, idx_t *place, fb_err *e)
{
    idx_t nv = (idx_t)g->nv, options[METIS_NOPTIONS];
    METIS_SetDefaultOptions(options);
    options[METIS_OPTION_COMPRESS] = 0; /* done already */
    sigset_t term, before;
    static const int caught[] = {SIGTERM, SIGABRT};
    struct sigaction ours[2];
    sigemptyset(&term);
    sigaddset(&term, SIGTERM);
    pthread_sigmask(SIG_BLOCK, &term, &before);
    for (int k = 0; k < 2; k++)
        sigaction(caught[k], NULL, &ours[k]);
    int got = METIS_NodeND(&nv, g->xadj, g->adj, g->vwgt, options, order, place);
    for (int k = 0; k < 2; k++)
        sigaction(caught[k], &ours[k], NULL);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    if (got == METIS_ERROR_MEMORY)
        return fb_fail(e, FB_ESYS, "out of memory while METIS orders %lld nodes", (long long)g->nv);
    if (got != METIS_OK)
        return fb_fail(e, FB_ESOLVE, "METIS could not order the graph of %lld nodes (code %d)",
                       (long long)g->nv, got);
    return FB_OK;
}

fb_status fb_order(const fb_csc *A, const int64_t *node, int64_t *perm, fb_err *e)
{
    graph g = {0};
    idx_t *order = NULL, *place = NULL;
    int64_t k = 0;
    fb_status s = FB_OK;
    if (A->n == 0)
        return FB_OK;
    FB_TRY(vertices(A, node, &g, e));
    if (g.nv > INT32_MAX)
        FB_TRY(fb_fail(e, FB_ESOLVE, "the model has %lld nodes, METIS takes %d", (long long)g.nv,
                       INT32_MAX));
    FB_TRY(edges(A, &g, e));
    FB_TRY(fb_new(&g.vwgt, g.nv, sizeof(idx_t), "ordering graph", e));
    FB_TRY(fb_new(&order, g.nv, sizeof(idx_t), "order", e));
    FB_TRY(fb_new(&place, g.nv, sizeof(idx_t), "order", e));
    for (int64_t v = 0; v < g.nv; v++) {
        g.vwgt[v] = (idx_t)(g.start[v + 1] - g.start[v]);
        order[v] = (idx_t)v;
    }
    if (g.xadj[g.nv] > 0) /* METIS wants an edge */
        FB_TRY(dissect(&g, order, place, e));
    for (int64_t v = 0; v < g.nv; v++)
        for (int64_t a = g.start[order[v]]; a < g.start[order[v] + 1]; a++)
            perm[k++] = g.member[a];
out:
    graph_free(&g);
    FB_FREE(order, place);
    return s;
}
