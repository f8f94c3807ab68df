/* SPDX-License-Identifier: GPL-3.0-or-later */
/* team.c - calls, objects and messages of the processes of reduce-mpi. */
#define _DEFAULT_SOURCE /* nanosleep */
#include "team.h"
#include "memory.h"
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

int team_rank, team_size = 1;

static team_object *objects[TEAM_MOST];

void *team_room(int64_t n, size_t size)
{
    void *p = n < 0 ? NULL : fb_alloc((size_t)n, size);
    if (!p) {
        fprintf(stderr, "reduce-mpi: rank %d of %d: out of memory: wants %.3g MB\n", team_rank,
                team_size, (double)n * (double)size / 1e6);
        MPI_Abort(MPI_COMM_WORLD, FB_ESYS);
        abort(); /* not reached */
    }
    return p;
}

/* For what may take long, as work of rank 0 alone does: MPI waits by asking again and again, which
 * takes a processor from those that work. */
static void wait_long(MPI_Request *q)
{
    enum { ASK = 5000 /* a few milliseconds */ };
    const struct timespec nap = {.tv_nsec = 50000};
    int done = 0;
    for (int k = 0; MPI_Test(q, &done, MPI_STATUS_IGNORE) == MPI_SUCCESS && !done; k++)
        if (k < ASK)
            sched_yield();
        else
            nanosleep(&nap, NULL);
}

fb_status team_agree(fb_status s, fb_err *e)
{
    int mine[2] = {(int)s, team_rank}, worst[2];
    MPI_Request q;
    MPI_Iallreduce(mine, worst, 1, MPI_2INT, MPI_MAXLOC, MPI_COMM_WORLD, &q); /* the lowest rank */
    wait_long(&q);
    if (!worst[0])
        return FB_OK;
    MPI_Bcast(e, (int)sizeof *e, MPI_BYTE, worst[1], MPI_COMM_WORLD);
    return (fb_status)worst[0];
}

/* ---- numbers to all, and back ------------------------------------------------------------ */

enum { PIECE = 1 << 28 }; /* bytes a message: counts are of 32 bits */

void *team_all(const void *in, int64_t n, size_t size)
{
    char *p = team_rank ? team_room(n, size) : (char *)(uintptr_t)in;
    for (int64_t at = 0, all = n * (int64_t)size; at < all; at += PIECE)
        MPI_Bcast(p + at, (int)(all - at < PIECE ? all - at : PIECE), MPI_BYTE, 0, MPI_COMM_WORLD);
    return p;
}

void team_done(const void *all)
{
    if (team_rank)
        free((void *)(uintptr_t)all);
}

void team_sum(double *x, int64_t n, int all)
{
    const int64_t piece = PIECE / (int64_t)sizeof *x;
    for (int64_t at = 0; at < n; at += piece) {
        const int k = (int)(n - at < piece ? n - at : piece);
        if (all)
            MPI_Allreduce(MPI_IN_PLACE, x + at, k, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
        else
            MPI_Reduce(team_rank ? x + at : MPI_IN_PLACE, x + at, k, MPI_DOUBLE, MPI_SUM, 0,
                       MPI_COMM_WORLD);
    }
}

static void part(const team_cut *r, int rank, int64_t *first, int *n)
{
    *first = r->start[rank];
    *n = (int)(r->start[rank + 1] - *first);
}

void team_scatter(const team_cut *r, const double *all, int64_t k, double *own)
{
    for (int64_t c = 0; c < k; c++) {
        for (int to = 1; !team_rank && to < team_size; to++) {
            int64_t first;
            int n;
            part(r, to, &first, &n);
            MPI_Send(all + c * r->n + first, n, MPI_DOUBLE, to, 0, MPI_COMM_WORLD);
        }
        if (team_rank)
            MPI_Recv(own + c * r->own, (int)r->own, MPI_DOUBLE, 0, 0, MPI_COMM_WORLD,
                     MPI_STATUS_IGNORE);
        else
            memcpy(own + c * r->own, all + c * r->n, sizeof *own * (size_t)r->own);
    }
}

void team_gather(const team_cut *r, const double *own, int64_t k, double *all)
{
    for (int64_t c = 0; c < k; c++) {
        if (team_rank) {
            MPI_Send(own + c * r->own, (int)r->own, MPI_DOUBLE, 0, 0, MPI_COMM_WORLD);
            continue;
        }
        memcpy(all + c * r->n, own + c * r->own, sizeof *own * (size_t)r->own);
        for (int from = 1; from < team_size; from++) {
            int64_t first;
            int n;
            part(r, from, &first, &n);
            MPI_Recv(all + c * r->n + first, n, MPI_DOUBLE, from, 0, MPI_COMM_WORLD,
                     MPI_STATUS_IGNORE);
        }
    }
}

/* ---- objects ----------------------------------------------------------------------------- */

team_object *team_new(team_kind kind, int64_t *id)
{
    int64_t k = 1; /* 0 is none */
    while (k < TEAM_MOST && objects[k])
        k++;
    if (k == TEAM_MOST) /* as on every rank */
        MPI_Abort(MPI_COMM_WORLD, FB_ESYS);
    objects[k] = team_room(1, sizeof **objects);
    objects[k]->kind = kind;
    *id = k;
    return objects[k];
}

team_object *team_get(int64_t id)
{
    return objects[id];
}

void team_drop(int64_t id)
{
    team_object *o = id > 0 && id < TEAM_MOST ? objects[id] : NULL;
    if (!o)
        return;
    team_matrix_free(&o->A);
    FB_FREE(o->B.p, o->B.i, o->B.x);
    fb_mat_free(&o->X);
    team_factor_free(o->F);
    FB_FREE(o->rows.start, o);
    objects[id] = NULL;
}

fb_status team_release(team_work *w, fb_err *e)
{
    (void)e;
    team_drop(w->a[0]);
    return FB_OK;
}

void team_cut_copy(team_cut *to, const team_cut *from)
{
    *to = *from;
    to->start = team_room(team_size + 1, sizeof *to->start);
    memcpy(to->start, from->start, sizeof *to->start * (size_t)(team_size + 1));
}

int team_owner(const team_cut *r, int64_t row)
{
    int lo = 0, hi = team_size - 1;
    while (lo < hi) {
        const int m = (lo + hi + 1) / 2;
        if (r->start[m] <= row)
            lo = m;
        else
            hi = m - 1;
    }
    return lo;
}

/* ---- calls ------------------------------------------------------------------------------- */

static fb_status (*const calls[])(team_work *, fb_err *) = {NULL,
#define X(name) team_##name,
                                                            TEAM_CALLS(X)
#undef X
};

static void tell(team_work *w)
{
    MPI_Request q;
    MPI_Ibcast(w, (int)offsetof(team_work, in), MPI_BYTE, 0, MPI_COMM_WORLD, &q);
    wait_long(&q);
}

fb_status team_call(team_op op, team_work *w, fb_err *e)
{
    w->op = op;
    tell(w);
    return op == TEAM_END ? FB_OK : team_agree(calls[op](w, e), e);
}

void team_serve(void)
{
    for (;;) {
        team_work w = {0};
        fb_err e = {0};
        tell(&w);
        if (w.op == TEAM_END)
            return;
        (void)!team_agree(calls[w.op](&w, &e), &e);
    }
}
