/* SPDX-License-Identifier: GPL-3.0-or-later */
/* runs.c - the order of the columns within supernodes.
 *
 * The columns of a supernode may come in any order: all have the same rows below. Those that are
 * rows of the same supernodes before it are put side by side: update matrices are then added to
 * their parents in longer runs (48 rows, not 13, of hexahedra with 26,478 dofs).
 * Equations  the columns of a supernode q in an ordered list of sets, one at first; s < q from the
 *            last to the first, R_s its rows in q
 *   (RU.1) a set A becomes A \ R_s, A & R_s, where the set behind has some of R_s; otherwise
 *          A & R_s, A \ R_s
 * Those of the last s are cut first: the rows of a supernode hold those of its children.
 * Source   Jacquelin, Ng & Peyton, SIAM Workshop on Combinatorial Scientific Computing (2018)
 *          76-86
 * Cost     O(rows of all supernodes)
 * Laws     tests/unit/test_front.c
 */
#include "memory.h"
#include "symbolic.h"

typedef struct {
    int64_t begin, end; /* in the list                                    */
    int64_t taken;      /* columns that R_s has                           */
    int64_t part, to;   /* they become this set, or -1; place of the next */
} set;

typedef struct {
    int64_t *list, *at; /* [n] columns, set by set; where each is     */
    int64_t *of;        /* [n] set of a column                        */
    set *sets;          /* [n] */
    int64_t count;      /* of sets                                    */
    int64_t *touched;   /* [n] sets of which R_s has some             */
} sets;

/* Takes column j to its part of the set. */
static void take(sets *z, int64_t j)
{
    set *a = &z->sets[z->of[j]];
    if (a->part < 0)
        return;
    const int64_t from = z->at[j], to = a->to++, other = z->list[to];
    z->list[from] = other;
    z->at[other] = from;
    z->list[to] = j;
    z->at[j] = to;
    z->of[j] = a->part;
}

/* (RU.1); r [n] is R_s, q's columns end at `end` */
static void refine(sets *z, const int64_t *r, int64_t n, int64_t end)
{
    int64_t m = 0;
    for (int64_t i = 0; i < n; i++)
        if (z->sets[z->of[r[i]]].taken++ == 0)
            z->touched[m++] = z->of[r[i]];
    for (int64_t k = 0; k < m; k++) {
        set *a = &z->sets[z->touched[k]];
        if (a->taken == a->end - a->begin)
            continue;
        const int behind = a->end < end && z->sets[z->of[z->list[a->end]]].taken > 0;
        a->to = behind ? a->end - a->taken : a->begin;
        a->part = z->count++;
        z->sets[a->part] = (set){.begin = a->to, .end = a->to + a->taken, .part = -1};
    }
    for (int64_t i = 0; i < n; i++)
        take(z, r[i]);
    for (int64_t k = 0; k < m; k++) {
        set *a = &z->sets[z->touched[k]];
        if (a->part >= 0 && z->sets[a->part].begin == a->begin)
            a->begin = z->sets[a->part].end;
        else if (a->part >= 0)
            a->end = z->sets[a->part].begin;
        a->taken = 0;
        a->part = -1;
    }
}

/* Columns of a set keep their order. */
static void places(sets *z, int64_t n, int64_t *place)
{
    for (int64_t k = 0; k < z->count; k++)
        z->sets[k].to = z->sets[k].begin;
    for (int64_t j = 0; j < n; j++)
        place[j] = z->sets[z->of[j]].to++;
}

fb_status fb_supernode_runs(const cholmod_factor *L, int64_t *place, fb_err *e)
{
    const int64_t n = (int64_t)L->n, nsuper = (int64_t)L->nsuper, *super = L->super, *pi = L->pi,
                  *row = L->s;
    sets z = {0};
    int64_t *super_of = NULL;
    fb_status s = FB_OK;
    FB_TRY(FB_NEW(&z.list, n, e));
    FB_TRY(FB_NEW(&z.at, n, e));
    FB_TRY(FB_NEW(&z.of, n, e));
    FB_TRY(FB_NEW(&z.sets, n, e));
    FB_TRY(FB_NEW(&z.touched, n, e));
    FB_TRY(FB_NEW(&super_of, n, e));
    for (z.count = 0; z.count < nsuper; z.count++) {
        const int64_t q = z.count;
        z.sets[q] = (set){.begin = super[q], .end = super[q + 1], .part = -1};
        for (int64_t j = super[q]; j < super[q + 1]; j++)
            z.list[j] = z.at[j] = j, z.of[j] = super_of[j] = q;
    }
    for (int64_t q = nsuper - 1; q >= 0; q--)
        for (int64_t k = pi[q] + super[q + 1] - super[q], next; k < pi[q + 1]; k = next) {
            const int64_t in = super_of[row[k]];
            for (next = k + 1; next < pi[q + 1] && super_of[row[next]] == in;)
                next++;
            refine(&z, row + k, next - k, super[in + 1]);
        }
    places(&z, n, place);
out:
    FB_FREE(z.list, z.at, z.of, z.sets, z.touched, super_of);
    return s;
}
