/* SPDX-License-Identifier: GPL-3.0-or-later */
/* equations.c - dofs that a solver has eliminated by linear equations before it wrote its matrices.
 *
 *   (EQ.1) u_s = sum_i a_i u_i       slave s; column s of E holds a, no u_i is a slave
 *   (EQ.2) K = T'K0 T, M = T'M0 T    as the inputs have them: rows of slaves are empty
 *   (EQ.3) u = Tt' u_kept            column s of Tt is Tt E_s: frames and what is left out apply to
 *                                    what the slave follows
 * Equations are along the axes of the nodes: where these are turned, u_i = sum of the basic
 * ones. */
#include "assemble.h"
#include "memory.h"
#include <stdlib.h>
#include <string.h>

static int64_t find(const fb_ranked *t, int64_t n, int64_t node, int64_t component)
{
    int64_t lo = 0, hi = n;
    while (lo < hi) {
        const int64_t mid = lo + (hi - lo) / 2;
        if (t[mid].node < node || (t[mid].node == node && t[mid].component < component))
            lo = mid + 1;
        else
            hi = mid;
    }
    return lo < n && t[lo].node == node && t[lo].component == component ? t[lo].at : -1;
}

static fb_status unknown(const fb_labels *l, int64_t k, const char *what, fb_err *e)
{
    return fb_fail(e, FB_EFORMAT,
                   "a constraint equation has the %s %s, which is no dof of the matrices", what,
                   fb_name_of(l->node[k], l->component[k]).s);
}

static fb_status slaves(fb_join *j, const fb_ranked *t, fb_err *e)
{
    const fb_equations *q = &j->p->equations;
    for (int64_t k = 0; k < q->n; k++) {
        const int64_t d = find(t, j->n, q->slave.node[k], q->slave.component[k]);
        if (d < 0)
            return unknown(&q->slave, k, "slave", e);
        if (j->slave[d]++)
            return fb_fail(e, FB_EFORMAT, "dof %s is the slave of two constraint equations",
                           fb_name_of(j->node[d], j->component[d]).s);
        j->follow[k] = d;
    }
    return FB_OK;
}

fb_status fb_join_equations(fb_join *j, fb_err *e)
{
    const fb_equations *q = &j->p->equations;
    fb_ranked *t = NULL;
    int64_t *row = NULL, *column = NULL;
    fb_status s = FB_OK;
    if (!q->n)
        return FB_OK;
    j->nfollow = q->n;
    FB_TRY(fb_ranked_new(&t, j->node, j->component, j->n, e));
    FB_TRY(fb_new(&j->slave, j->n, 1, "slaves", e));
    FB_TRY(fb_new(&j->follow, q->n, 8, "slaves", e));
    FB_TRY(fb_new(&row, q->nterm, 8, "constraint equations", e));
    FB_TRY(fb_new(&column, q->nterm, 8, "constraint equations", e));
    FB_TRY(slaves(j, t, e));
    for (int64_t k = 0, i = 0; k < q->n; k++)
        for (; i < q->last[k]; i++) { /* (EQ.1) */
            row[i] = find(t, j->n, q->term.node[i], q->term.component[i]);
            column[i] = k;
            if (row[i] < 0)
                FB_TRY(unknown(&q->term, i, "term", e));
            if (j->slave[row[i]])
                FB_TRY(fb_fail(e, FB_EFORMAT,
                               "dof %s is the slave of a constraint equation and a term of another",
                               fb_name_of(q->term.node[i], q->term.component[i]).s));
        }
    FB_TRY(fb_csc_from_triplets(&j->E, j->n, q->n, q->nterm, row, column, q->a, 0, e));
    fb_note(j->log, "%lld dofs follow others by constraint equations", (long long)q->n);
out:
    FB_FREE(t, row, column);
    return s;
}

/* C = A B, columns from..to-1 of it put behind what C has; x [A.m] is zero before and after. */
typedef struct {
    fb_csc C;
    double *x;
    int64_t *touched, cap_i, cap_x;
    char *seen;
} product;

static void product_free(product *w)
{
    fb_csc_free(&w->C);
    FB_FREE(w->x, w->touched, w->seen);
}

static fb_status product_new(product *w, int64_t m, int64_t n, fb_err *e)
{
    w->C = (fb_csc){.m = m, .n = n};
    FB_PASS(fb_new(&w->C.p, n + 1, 8, "constraint equations", e));
    FB_PASS(fb_new(&w->x, m, 8, "constraint equations", e));
    FB_PASS(fb_new(&w->touched, m, 8, "constraint equations", e));
    return fb_new(&w->seen, m, 1, "constraint equations", e);
}

/* Column `at` of C: A times the column of n entries i, x. */
static fb_status product_column(product *w, int64_t at, const fb_csc *A, const int64_t *i,
                                const double *x, int64_t n, fb_err *e)
{
    int64_t count = 0, to = w->C.p[at];
    for (int64_t k = 0; k < n; k++)
        for (int64_t q = A->p[i[k]]; q < A->p[i[k] + 1]; q++) {
            const int64_t r = A->i[q];
            if (!w->seen[r]) {
                w->seen[r] = 1;
                w->touched[count++] = r;
            }
            w->x[r] += A->x[q] * x[k];
        }
    count = fb_unique(w->touched, count);
    FB_PASS(fb_grow(&w->C.i, &w->cap_i, to + count, 8, e));
    FB_PASS(fb_grow(&w->C.x, &w->cap_x, to + count, 8, e));
    for (int64_t k = 0; k < count; k++) {
        const int64_t r = w->touched[k];
        w->C.i[to] = r;
        w->C.x[to] = w->x[r];
        to += w->x[r] != 0;
        w->x[r] = 0;
        w->seen[r] = 0;
    }
    w->C.p[at + 1] = to;
    return FB_OK;
}

fb_status fb_turn_equations(fb_join *j, const fb_csc *Tt, fb_err *e)
{
    product w = {0};
    fb_status s = FB_OK;
    if (!j->slave)
        return FB_OK;
    FB_TRY(product_new(&w, Tt->m, j->nfollow, e));
    for (int64_t k = 0; k < j->nfollow; k++)
        FB_TRY(product_column(&w, k, Tt, j->E.i + j->E.p[k], j->E.x + j->E.p[k],
                              j->E.p[k + 1] - j->E.p[k], e));
    fb_csc_free(&j->E);
    j->E = w.C;
    w.C = (fb_csc){0};
out:
    product_free(&w);
    return s;
}

fb_status fb_follow_equations(fb_join *j, fb_err *e)
{
    static const double one = 1;
    product w = {0};
    int64_t *number = NULL;
    fb_status s = FB_OK;
    if (!j->slave)
        return FB_OK;
    FB_TRY(product_new(&w, j->Tt.m, j->n, e));
    FB_TRY(fb_new(&number, j->n, 8, "constraint equations", e));
    for (int64_t k = 0; k < j->nfollow; k++)
        number[j->follow[k]] = k;
    for (int64_t d = 0; d < j->n; d++) { /* (EQ.3) */
        const int64_t from = j->E.p[number[d]], n = j->E.p[number[d] + 1] - from;
        if (j->slave[d])
            FB_TRY(product_column(&w, d, &j->Tt, j->E.i + from, j->E.x + from, n, e));
        else
            FB_TRY(product_column(&w, d, &j->Tt, &d, &one, 1, e));
    }
    fb_csc_free(&j->Tt);
    j->Tt = w.C;
    w.C = (fb_csc){0};
out:
    product_free(&w);
    FB_FREE(number);
    return s;
}
