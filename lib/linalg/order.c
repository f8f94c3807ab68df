/* SPDX-License-Identifier: GPL-3.0-or-later */
/* order.c - fill-reducing order by nested dissection of the compressed graph: the same fill as of
 * the graph of all dofs (measured), and METIS' 32-bit indices hold for models that many times
 * larger.
 *
 * Source   Karypis & Kumar, SIAM J. Sci. Comput. 20 (1998) 359-392
 * Cost     METIS is about linear in the edges
 */
#include "blas.h"
#include "far.h"
#include "factor.h"
#include "graph.h"
#include "memory.h"
#include "process.h"
#include "status.h"
#include <metis.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>

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
 * interrupts, memory allocation included: one from outside waits until METIS has done. No other
 * thread takes it: those of the BLAS are ended (blas.c), ours block it (parallel.c). METIS puts
 * the handler back by signal() as System V has it, good for one signal only: the whole action is
 * put back here. */
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
    fb_graph g = {0};
    idx_t *order = NULL;
    int64_t k = 0;
    fb_status s = FB_OK;
    if (A->n == 0)
        return FB_OK;
    FB_TRY(fb_graph_new(&g, A, node, e));
    FB_TRY(fb_new(&order, g.nv, sizeof(idx_t), "order", e));
    FB_TRY(dissect_whole(&(net){(idx_t)g.nv, g.xadj, g.adj, g.vwgt}, order, e));
    for (int64_t v = 0; v < g.nv; v++)
        for (int64_t a = g.start[order[v]]; a < g.start[order[v] + 1]; a++)
            perm[k++] = g.member[a];
out:
    fb_graph_free(&g);
    free(order);
    return s;
}
