/* SPDX-License-Identifier: GPL-3.0-or-later */
/* schedule.c - how well a factorisation fills so many threads, by counting.
 *
 * Equations  c_i work of piece i of a round of the top of the tree, taken in their order by the
 *            thread that is free first; so are the subtrees, the heaviest first
 *   (SC.1) path = sum over rounds of the last end in it + what one thread does alone
 *   (SC.2) efficiency on T threads = work / (T path)
 * Work is flops; an addition of an update matrix to a front, which waits for memory, counts as
 * ADDITION of them (measured: 2e8 of them took an eighth of the products' time). Nothing else is
 * counted: no memory bandwidth that the threads share, no time to wake them.
 * Source   Graham, SIAM J. Appl. Math. 17 (1969) 416-429 (list schedules)
 * Cost     O(pieces T)
 * Laws     tests/unit/test_front.c
 */
#include "front.h"
#include "memory.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

static const double ADDITION = 90;

typedef struct {
    int threads;
    double *busy; /* [threads] of the round at hand */
    double work, path;
} clock;

static void alone(clock *c, double work)
{
    c->work += work;
    c->path += work;
}

/* A piece for the thread that is free first. */
static void piece(clock *c, double work)
{
    int first = 0;
    for (int t = 1; t < c->threads; t++)
        if (c->busy[t] < c->busy[first])
            first = t;
    c->busy[first] += work;
    c->work += work;
}

static void end_round(clock *c)
{
    double last = 0;
    for (int t = 0; t < c->threads; t++) {
        last = fmax(last, c->busy[t]);
        c->busy[t] = 0;
    }
    c->path += last;
}

/* product of front_panel.c: C := C - A B', of C [m x m] the lower triangle, in tiles. */
static void product(clock *c, int64_t m, int64_t k)
{
    const int64_t tall = fb_front_rows(c->threads, m, FB_FRONT_TALL), grain = FB_FRONT_GRAIN;
    for (int64_t j = 0; j < m; j += FB_FRONT_SLICE) {
        const int64_t wide = m - j < FB_FRONT_SLICE ? m - j : FB_FRONT_SLICE;
        for (int64_t i = 0; i < m - j; i += tall) {
            const int64_t end = m - j - i < tall ? m - j : i + tall;
            double entries = i ? (double)wide * (double)(end - i) : 0;
            for (int64_t s = 0; i == 0 && s < wide; s += FB_FRONT_TILE)
                entries += (double)(end - s / grain * grain) *
                           (double)(wide - s < FB_FRONT_TILE ? wide - s : FB_FRONT_TILE);
            piece(c, 2 * entries * (double)k);
        }
    }
    end_round(c);
}

/* fb_front_cholesky of front_panel.c */
static void eliminate(clock *c, int64_t nc, int64_t nr)
{
    for (int64_t p = 0; p < nc; p += FB_FRONT_WIDE) {
        const int64_t q = nc - p < FB_FRONT_WIDE ? nc : p + FB_FRONT_WIDE, k = q - p, rows = nr - q,
                      each = fb_front_rows(c->threads, rows, FB_FRONT_CHUNK);
        alone(c, pow((double)k, 3) / 3);
        for (int64_t i = 0; i < rows; i += each)
            piece(c, (double)(rows - i < each ? rows - i : each) * (double)(k * k));
        end_round(c);
        product(c, rows, k);
    }
}

/* extend_add of front.c for an update matrix of order m */
static void extend(clock *c, int64_t m)
{
    for (int64_t j = 0; j < m; j += FB_FRONT_STRIP) {
        const double n = (double)(m - j < FB_FRONT_STRIP ? m - j : FB_FRONT_STRIP);
        piece(c, ADDITION * n * ((double)(m - j) - n / 2));
    }
    end_round(c);
}

static int64_t below(const fb_snodes *L, int64_t s)
{
    return fb_snode_rows(L, s) - fb_snode_columns(L, s);
}

/* (SC.1); own [nsuper] zero before */
static void count(const fb_snodes *L, const int64_t *parent, const int *number, double *own,
                  clock *top)
{
    double one = 0;
    clock single = {.threads = 1, .busy = &one};
    for (int64_t s = 0; s < L->nsuper; s++) {
        const double before = single.work;
        clock *c = number[s] == FB_TOP ? top : &single;
        eliminate(c, fb_snode_columns(L, s), fb_snode_rows(L, s));
        if (parent[s] >= 0 && number[parent[s]] != FB_TOP)
            extend(c, below(L, s));
        else if (parent[s] >= 0)
            extend(top, below(L, s));
        if (number[s] != FB_TOP)
            own[number[s]] += single.work - before;
    }
    for (int64_t k = 0; k < L->nsuper; k++)
        piece(top, own[k]);
    end_round(top);
}

fb_status fb_front_schedule(const fb_snodes *L, int threads, fb_schedule *z, fb_err *e)
{
    int64_t *parent = NULL;
    int *number = NULL;
    double *own = NULL;
    clock top = {.threads = threads};
    fb_status s = FB_OK;
    FB_TRY(FB_NEW(&parent, L->nsuper, e));
    FB_TRY(FB_NEW(&number, L->nsuper, e));
    FB_TRY(FB_NEW(&own, L->nsuper, e));
    FB_TRY(FB_NEW(&top.busy, threads, e));
    FB_TRY(fb_snode_parents(L, parent, e));
    FB_TRY(fb_snode_subtrees(L, parent, threads, 1, number, e));
    count(L, parent, number, own, &top);
    *z = (fb_schedule){top.work, top.path};
out:
    FB_FREE(parent, number, own, top.busy);
    return s;
}
