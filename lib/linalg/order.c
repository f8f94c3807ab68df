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
#include "blas.h"
#include "far.h"
#include "factor.h"
#include "sparse.h"
#include "memory.h"
#include "dense.h"
#include "process.h"
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

/* ---- dissection ------------------------------------------------------------------------ */

/* METIS takes no two graphs at a time: its random numbers are the process'. Of large graphs the
 * first separators are therefore sought here, as METIS does it, and what they part is ordered in
 * processes of their own, as many as there are threads. What comes out is the same for any number
 * of them: METIS starts its random numbers anew in every call. */
enum {
    LEVELS = 3,  /* separators of separators: up to 8 processes            */
    LEAST = 4000 /* vertices, 30 ms of METIS: below it one call orders all */
};

typedef struct { /* a graph as METIS wants it */
    idx_t nv;
    idx_t *xadj, *adj, *vwgt;
} net;

static void net_free(net *g)
{
    FB_FREE(g->xadj, g->adj, g->vwgt);
}

static fb_status metis_failure(int code, idx_t nv, fb_err *e)
{
    if (code == METIS_ERROR_MEMORY)
        return fb_fail(e, FB_ESYS, "out of memory while METIS orders %lld nodes", (long long)nv);
    return fb_fail(e, FB_ESOLVE, "METIS could not order the graph of %lld nodes (code %d)",
                   (long long)nv, code);
}

/* order[k] = the vertex that comes k-th. */
static fb_status order_alone(net *g, idx_t *options, idx_t *order, fb_err *e)
{
    idx_t *place = NULL;
    for (idx_t v = 0; v < g->nv; v++)
        order[v] = v;
    if (g->nv == 0 || g->xadj[g->nv] == 0) /* METIS wants an edge */
        return FB_OK;
    FB_PASS(fb_new(&place, g->nv, sizeof *place, "order", e));
    const int got = METIS_NodeND(&g->nv, g->xadj, g->adj, g->vwgt, options, order, place);
    free(place);
    return got == METIS_OK ? FB_OK : metis_failure(got, g->nv, e);
}

/* The vertices of one side, and the graph that they are; at [nv] is room. */
static fb_status side_of(const net *g, const idx_t *side, idx_t which, idx_t *at, idx_t *vertex,
                         net *h, fb_err *e)
{
    idx_t ne = 0;
    for (idx_t v = 0; v < g->nv; v++)
        if (side[v] == which) {
            at[v] = h->nv;
            vertex[h->nv++] = v;
            for (idx_t q = g->xadj[v]; q < g->xadj[v + 1]; q++)
                ne += side[g->adj[q]] == which;
        }
    FB_PASS(fb_new(&h->xadj, (int64_t)h->nv + 1, sizeof(idx_t), "ordering graph", e));
    FB_PASS(fb_new(&h->adj, ne, sizeof(idx_t), "ordering graph", e));
    FB_PASS(fb_new(&h->vwgt, h->nv, sizeof(idx_t), "ordering graph", e));
    ne = 0;
    for (idx_t k = 0; k < h->nv; k++) {
        const idx_t v = vertex[k];
        h->vwgt[k] = g->vwgt[v];
        for (idx_t q = g->xadj[v]; q < g->xadj[v + 1]; q++)
            if (side[g->adj[q]] == which)
                h->adj[ne++] = at[g->adj[q]];
        h->xadj[k + 1] = ne;
    }
    return FB_OK;
}

typedef struct { /* what is ordered, in how many more levels, in how many processes */
    net *g;
    idx_t *options, *order;
    int levels, processes;
} dissection;

static fb_status dissect(const dissection *d, fb_err *e);

static int in_child(void *arg)
{
    fb_err e = {0};
    return dissect(arg, &e) == FB_OK ? 0 : 1;
}

/* Two graphs, the second one in a child where there is one; what a child fails in is done here. */
static fb_status dissect_two(dissection *two, int processes, fb_err *e)
{
    const size_t bytes = sizeof(idx_t) * (size_t)two[1].g->nv;
    idx_t *shared = processes > 1 && bytes > 0 ? fb_shared_new(bytes) : NULL, *own = two[1].order;
    int64_t child = -1;
    int done = 0;
    if (shared) {
        two[1].order = shared;
        child = fb_child_start(in_child, &two[1], 0);
        two[1].order = own;
    }
    const fb_status s = dissect(&two[0], e);
    if (child > 0)
        done = fb_child_end(child) == 0;
    if (done)
        memcpy(own, shared, bytes);
    fb_shared_free(shared, bytes);
    return s || done ? s : dissect(&two[1], e);
}

/* order := the first side, the second, the separator, each in its own order; room for both sides */
static void put_together(const idx_t *side, const dissection *two, idx_t *const vertex[2], idx_t nv,
                         idx_t *order)
{
    idx_t k = 0;
    for (int which = 0; which < 2; which++)
        for (idx_t q = 0; q < two[which].g->nv; q++)
            order[k++] = vertex[which][two[which].order[q]];
    for (idx_t v = 0; v < nv; v++)
        if (side[v] == 2)
            order[k++] = v;
}

static fb_status dissect(const dissection *d, fb_err *e)
{
    net *g = d->g, part[2] = {{0}};
    idx_t *side = NULL, *at = NULL, *vertex[2] = {0}, separator = 0;
    dissection two[2] = {{0}};
    fb_status s = FB_OK;
    if (d->levels == 0 || g->nv < LEAST || g->xadj[g->nv] == 0)
        return order_alone(g, d->options, d->order, e);
    FB_TRY(fb_new(&side, g->nv, sizeof *side, "separator", e));
    const int got = METIS_ComputeVertexSeparator(&g->nv, g->xadj, g->adj, g->vwgt, d->options,
                                                 &separator, side);
    if (got != METIS_OK)
        FB_TRY(metis_failure(got, g->nv, e));
    FB_TRY(fb_new(&at, g->nv, sizeof *at, "separator", e));
    for (int k = 0; k < 2; k++) {
        FB_TRY(fb_new(&vertex[k], g->nv, sizeof *vertex[k], "separator", e));
        FB_TRY(side_of(g, side, k, at, vertex[k], &part[k], e));
        two[k] = (dissection){.g = &part[k],
                              .options = d->options,
                              .levels = d->levels - 1,
                              .processes = (d->processes + 1 - k) / 2};
        FB_TRY(fb_new(&two[k].order, part[k].nv, sizeof(idx_t), "order", e));
    }
    FB_TRY(dissect_two(two, d->processes, e));
    put_together(side, two, vertex, g->nv, d->order);
out:
    FB_FREE(side, at, vertex[0], vertex[1], two[0].order, two[1].order);
    FB_FREE_BY(net_free, &part[0], &part[1]);
    return s;
}

/* Twice as many as threads: sides are not equally heavy, and the system evens out. None beside the
 * ranks of several machines, which do not like to be forked. */
static int processes(void)
{
    const int threads = fb_far ? 1 : fb_threads();
    return threads > 1 ? 2 * threads : 1;
}

/* METIS catches SIGTERM, which it raises for its own errors, and jumps out of whatever that
 * interrupts, memory allocation included: one from outside waits until METIS has done. No other thread takes it: those of the BLAS are ended (blas.c), ours block
 * it (parallel.c). METIS puts the handler back by signal() as System V has it, good for one signal
 * only: the whole action is put back here. */
static fb_status dissect_whole(net *g, idx_t *order, fb_err *e)
{
    idx_t options[METIS_NOPTIONS];
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
    const fb_status s = dissect(&(dissection){g, options, order, LEVELS, processes()}, e);
    for (int k = 0; k < 2; k++)
        sigaction(caught[k], &ours[k], NULL);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    return s;
}

fb_status fb_order(const fb_csc *A, const int64_t *node, int64_t *perm, fb_err *e)
{
    graph g = {0};
    idx_t *order = NULL;
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
    for (int64_t v = 0; v < g.nv; v++)
        g.vwgt[v] = (idx_t)(g.start[v + 1] - g.start[v]);
    FB_TRY(dissect_whole(&(net){(idx_t)g.nv, g.xadj, g.adj, g.vwgt}, order, e));
    for (int64_t v = 0; v < g.nv; v++)
        for (int64_t a = g.start[order[v]]; a < g.start[order[v] + 1]; a++)
            perm[k++] = g.member[a];
out:
    graph_free(&g);
    free(order);
    return s;
}
