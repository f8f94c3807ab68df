/* SPDX-License-Identifier: GPL-3.0-or-later */
/* turning.c - the matrix by which dofs, and coordinates that are dofs, turn with their body.
 *
 * Symbols  Q the turn of places, det its determinant; C the directions that a node has, of the
 *          three translations or of the three rotations
 * Equations
 *   (TU.1) translations u := Q u;  rotations, axial vectors, t := det Q t
 *   (TU.2) of C the block Q(C', C), C' the rows of Q(:, C) that are not zero: an orthogonal matrix
 *          where |C'| = |C|, and a body that lacks a direction of C' otherwise
 * Turns by right angles, and mirrors across a plane of the axes, only change C into C'.
 */
#include "memory.h"
#include "move.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct {
    int64_t node, component, at;
    int64_t
        nth; /* of the dofs of this label: the nodes of a solid that a beam was made share one */
} label;

static int by_label(const void *pa, const void *pb)
{
    const label *a = pa, *b = pb;
    const int ra = a->component > 3, rb = b->component > 3;
    if (a->node != b->node)
        return a->node < b->node ? -1 : 1;
    if (ra != rb)
        return ra - rb;
    if (a->nth != b->nth)
        return a->nth < b->nth ? -1 : 1;
    if (a->component != b->component)
        return a->component < b->component ? -1 : 1;
    return a->at < b->at ? -1 : a->at > b->at;
}

void fb_turning_free(fb_turning *t)
{
    free(t->block);
    *t = (fb_turning){0};
}

static fb_status add_block(fb_turning *t, fb_turnblock **out, fb_err *e)
{
    FB_PASS(fb_grow(&t->block, &t->cap, t->n + 1, sizeof *t->block, e));
    *out = t->block + t->n++;
    **out = (fb_turnblock){0};
    return FB_OK;
}

static fb_status partial(const fb_move *m, const char *what, const label *l, int n, fb_err *e)
{
    char has[120] = "", lacks[120] = "";
    const int first = l->component > 3 ? 4 : 1;
    for (int r = 0; r < 3; r++) {
        int there = 0, wanted = 0;
        for (int k = 0; k < n; k++) {
            const int c = (int)l[k].component - first;
            there = there || c == r;
            wanted = wanted || fabs(m->Q[3 * r + c]) > 0;
        }
        char *list = there ? has : wanted ? lacks : NULL;
        size_t at = list ? strlen(list) : 0;
        if (list)
            snprintf(list + at, 120 - at, " %s", fb_name_of(l->node, first + r).s);
    }
    return fb_fail(e, FB_EUSAGE,
                   "%s: the move mixes%s with%s, which is not there: turn the body by right "
                   "angles, or about another axis",
                   what, has, lacks);
}

/* (TU.2) for the n directions l of a node. */
static fb_status turn_node(fb_turning *t, const fb_move *m, const char *what, const label *l, int n,
                           int64_t *component, const int64_t *class, fb_err *e)
{
    const int first = l->component > 3 ? 4 : 1, sign = l->component > 3 ? m->det : 1;
    fb_turnblock *k = NULL;
    int row[3], rows = 0;
    for (int q = 1; q < n; q++)
        if (l[q].component == l[q - 1].component)
            return fb_fail(e, FB_EUSAGE, "%s: dof %s is there twice: a move can't turn it", what,
                           fb_name_of(l->node, l[q].component).s);
    for (int r = 0; r < 3; r++) {
        int any = 0;
        for (int q = 0; q < n; q++)
            any = any || fabs(m->Q[3 * r + l[q].component - first]) > 0;
        if (any)
            row[rows++] = r;
    }
    if (rows != n)
        return partial(m, what, l, n, e);
    FB_PASS(add_block(t, &k, e));
    k->n = n;
    for (int r = 0; r < n; r++) {
        k->at[r] = l[r].at;
        for (int q = 0; q < n; q++) {
            k->A[n * r + q] = sign * m->Q[3 * row[r] + l[q].component - first]; /* (TU.1) */
            if (class && fabs(k->A[n * r + q]) > 0 && class[l[r].at] != class[l[q].at])
                return fb_fail(e, FB_EUSAGE,
                               "%s: the move mixes dofs %s and %s, which are of different class",
                               what, fb_name_of(l->node, l[r].component).s,
                               fb_name_of(l->node, l[q].component).s);
        }
    }
    for (int r = 0; r < n; r++)
        component[l[r].at] = first + row[r];
    return FB_OK;
}

/* Has the dof a direction? Multipliers and generalized coordinates have none, nor have internal
 * dofs that no node places. */
static fb_status directed(const fb_move *m, const fb_index *x, const char *what, int64_t node,
                          int64_t component, int64_t class, int *is, fb_err *e)
{
    *is = component >= 1 && component <= 6 && class != FB_DOF_GENERALIZED &&
          class != FB_DOF_MULTIPLIER && (class != FB_DOF_INTERNAL || fb_index_find(x, node) >= 0);
    if (class == FB_DOF_PHYSICAL && component < 1)
        return fb_fail(
            e, FB_EUSAGE,
            "%s: dof %lld has no component, so where it points to is not known (mnfparse "
            "--dofs-per-node N or --dof-table FILE)",
            what, (long long)node);
    if (component > 6 && m->det < 0)
        return fb_fail(e, FB_EUSAGE, "%s: what a mirror makes of dof %s is not known", what,
                       fb_name_of(node, component).s);
    return FB_OK;
}

/* The k-th internal dofs of the three components of a label belong together. */
static void number_repeated(label *l, int64_t n, const int64_t *class)
{
    int repeated = 0;
    for (int64_t k = 1; class && k < n; k++)
        if (l[k].node == l[k - 1].node && l[k].component == l[k - 1].component &&
            class[l[k].at] == FB_DOF_INTERNAL) {
            l[k].nth = l[k - 1].nth + 1;
            repeated = 1;
        }
    if (repeated)
        qsort(l, (size_t)n, sizeof *l, by_label);
}

fb_status fb_turn_labels(fb_turning *t, const fb_model *b, const fb_move *m, const char *what,
                         const int64_t *node, int64_t *component, const int64_t *class, int64_t n,
                         fb_err *e)
{
    label *l = NULL;
    int64_t nl = 0;
    fb_index x = {0};
    fb_status s = FB_OK;
    FB_TRY(fb_index_new(&x, b->node_id, b->node_id ? b->nn : 0, "/nodes/id", e));
    FB_TRY(FB_NEW(&l, n, e));
    for (int64_t k = 0; k < n; k++) {
        int is = 0;
        FB_TRY(directed(m, &x, what, node[k], component[k],
                        class     ? class[k]
                        : node[k] ? FB_DOF_PHYSICAL
                                  : FB_DOF_GENERALIZED,
                        &is, e));
        if (is)
            l[nl++] = (label){node[k], component[k], k, 0};
    }
    if (nl)
        qsort(l, (size_t)nl, sizeof *l, by_label);
    number_repeated(l, nl, class);
    for (int64_t k = 0, q = 0; k < nl; k = q) {
        while (q < nl && l[q].node == l[k].node && l[q].nth == l[k].nth &&
               (l[q].component > 3) == (l[k].component > 3))
            q++;
        if (q - k > 3)
            FB_TRY(fb_fail(e, FB_EUSAGE, "%s: node %lld has a dof twice: a move can't turn it",
                           what, (long long)l[k].node));
        FB_TRY(turn_node(t, m, what, l + k, (int)(q - k), component, class, e));
    }
out:
    fb_index_free(&x);
    free(l);
    return s;
}

/* The dof of a label among l [n], sorted. */
static int64_t find(const label *l, int64_t n, int64_t node, int64_t component)
{
    const label want = {node, component, -1, 0};
    int64_t lo = 0, hi = n;
    while (lo < hi) {
        const int64_t mid = lo + (hi - lo) / 2;
        if (by_label(l + mid, &want) < 0)
            lo = mid + 1;
        else
            hi = mid;
    }
    return lo < n && l[lo].node == node && l[lo].component == component ? l[lo].at : -1;
}

fb_status fb_turn_places(fb_turning *t, const fb_model *b, const fb_move *m, const char *what,
                         int64_t *at, int64_t n, const int64_t *of, fb_err *e)
{
    int64_t *node = NULL, *component = NULL, *class = NULL;
    label *l = NULL;
    fb_status s = FB_OK;
    FB_TRY(FB_NEW(&node, n, e));
    FB_TRY(FB_NEW(&component, n, e));
    FB_TRY(FB_NEW(&class, n, e));
    FB_TRY(FB_NEW(&l, b->ndof, e));
    for (int64_t k = 0; k < n; k++) {
        node[k] = at[k] < 0 ? 0 : b->dof_node[at[k]];
        component[k] = at[k] < 0 ? 0 : b->dof_component[at[k]];
        class[k] = at[k] < 0 ? FB_DOF_GENERALIZED : b->dof_class[at[k]];
    }
    FB_TRY(fb_turn_labels(t, b, m, what, node, component, class, n, e));
    for (int64_t d = 0; d < b->ndof; d++)
        l[d] = (label){b->dof_node[d], of[d], d, 0};
    if (b->ndof)
        qsort(l, (size_t)b->ndof, sizeof *l, by_label);
    for (int64_t k = 0; k < n; k++)
        if (at[k] >= 0 && component[k] != b->dof_component[at[k]])
            at[k] = find(l, b->ndof, node[k], component[k]);
out:
    FB_FREE(node, component, class, l);
    return s;
}

fb_status fb_turn_matrix(const fb_turning *t, int64_t n, fb_csc *B, fb_err *e)
{
    int64_t *in = NULL; /* the block of each row, from 1 */
    fb_fill f = {0};
    fb_status s = FB_OK;
    FB_TRY(FB_NEW(&in, n, e));
    FB_TRY(fb_fill_new(&f, n, n, 0, e));
    for (int64_t k = 0; k < t->n; k++)
        for (int r = 0; r < t->block[k].n; r++)
            in[t->block[k].at[r]] = k + 1;
    for (int pass = 0; pass < 2; pass++) {
        if (pass)
            FB_TRY(fb_fill_start(&f, 0, e));
        for (int64_t j = 0; j < n; j++) {
            const fb_turnblock *k = in[j] ? t->block + in[j] - 1 : NULL;
            for (int r = 0; r < (k ? k->n : 1); r++) {
                int c = 0;
                while (k && k->at[c] != j)
                    c++;
                const double x = k ? k->A[k->n * r + c] : 1;
                if (!(fabs(x) > 0))
                    continue;
                if (pass)
                    (void)fb_fill_place(&f, k ? k->at[r] : j, j, x);
                else
                    fb_fill_count(&f, j);
            }
        }
    }
    s = fb_fill_finish(&f, B, NULL, NULL, e);
out:
    fb_fill_free(&f);
    free(in);
    return s;
}

void fb_turn_array(const fb_turning *t, double *x, int64_t outer, int64_t len, int64_t inner)
{
    for (int64_t o = 0; o < outer; o++)
        for (int64_t k = 0; k < t->n; k++) {
            const fb_turnblock *q = t->block + k;
            double *y = x + o * len * inner;
            for (int64_t i = 0; i < inner; i++) {
                double v[3];
                for (int c = 0; c < q->n; c++)
                    v[c] = y[q->at[c] * inner + i];
                for (int r = 0; r < q->n; r++) {
                    double sum = 0;
                    for (int c = 0; c < q->n; c++)
                        sum += q->A[q->n * r + c] * v[c];
                    y[q->at[r] * inner + i] = sum;
                }
            }
        }
}
