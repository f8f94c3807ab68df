/* SPDX-License-Identifier: GPL-3.0-or-later */
/* sum.c - a matrix of the model that is a sum: --stiffness K+KG, the elastic and the geometric
 * stiffness of a body under prestress.
 *
 * Equation  (SU.1) A := A + f B      rows of B joined to those of A by their labels; labels that A
 *                                    lacks follow behind
 */
#include "memory.h"
#include "linalg/sparse_ops.h"
#include "assemble.h"
#include <stdlib.h>
#include <string.h>

static int same(const fb_labels *a, const fb_labels *b, int64_t n)
{
    return !memcmp(a->node, b->node, (size_t)n * 8) &&
           !memcmp(a->component, b->component, (size_t)n * 8);
}

static int compare(const fb_ranked *x, const fb_ranked *y)
{
    return x->node != y->node             ? (x->node < y->node ? -1 : 1)
           : x->component != y->component ? (x->component < y->component ? -1 : 1)
                                          : 0;
}

/* map[r] of row r of b among the rows of a, whose labels *n grow by those that it lacks; the k-th
 * row of a label is the k-th of the other. */
static fb_status join_rows(fb_labels *a, int64_t *n, const fb_labels *b, int64_t nb, int64_t *map,
                           fb_err *e)
{
    fb_ranked *have = NULL, *want = NULL;
    int64_t cap = 0, q = 0;
    const int64_t na = *n;
    fb_labels l = {0};
    fb_status s = FB_OK;
    FB_TRY(fb_ranked_new(&have, a->node, a->component, na, e));
    FB_TRY(fb_ranked_new(&want, b->node, b->component, nb, e));
    for (int64_t k = 0; k < nb; k++) {
        while (q < na && compare(have + q, want + k) < 0)
            q++;
        map[want[k].at] = q < na && !compare(have + q, want + k) ? have[q++].at : -1;
    }
    *n = 0;
    for (int64_t r = 0; r < na; r++)
        FB_TRY(fb_labels_add(&l, n, &cap, a->node[r], a->component[r],
                             a->class ? a->class[r] : FB_DOF_PHYSICAL, e));
    for (int64_t r = 0; r < nb; r++)
        if (map[r] < 0) {
            map[r] = *n;
            FB_TRY(fb_labels_add(&l, n, &cap, b->node[r], b->component[r],
                                 b->class ? b->class[r] : FB_DOF_PHYSICAL, e));
        }
    fb_labels_free(a);
    *a = l;
    l = (fb_labels){0};
out:
    fb_labels_free(&l);
    FB_FREE(have, want);
    return s;
}

/* Both halves of a matrix of which one is stored. */
static fb_status unfold(fb_csc *A, fb_err *e)
{
    fb_csc At = {0}, C = {0};
    if (!A->upper)
        return FB_OK;
    A->upper = 0;
    FB_PASS(fb_csc_transposed(A, &At, e));
    for (int64_t c = 0; c < At.n; c++) /* its diagonal stands in A */
        for (int64_t q = At.p[c]; q < At.p[c + 1]; q++)
            if (At.i[q] == c)
                At.x[q] = 0;
    const fb_status s = fb_csc_add(A, 1, &At, &C, e);
    fb_csc_free(&At);
    if (s)
        return s;
    fb_csc_free(A);
    *A = C;
    return FB_OK;
}

static fb_status suits(const fb_matrix *a, const char *to, const fb_matrix *b, const char *name,
                       fb_err *e)
{
    if (a->imag || b->imag)
        return fb_fail(e, FB_EUSAGE, "%s + %s: complex matrices are not added", to, name);
    if (a->col.node || b->col.node || a->A.m != a->A.n || b->A.m != b->A.n)
        return fb_fail(e, FB_EUSAGE, "%s + %s: square matrices are wanted", to, name);
    if (!a->row.node != !b->row.node)
        return fb_fail(e, FB_EUSAGE,
                       "%s + %s: one has dof labels, the other none: which rows belong together is "
                       "not known",
                       to, name);
    if (!a->row.node && a->A.m != b->A.m)
        return fb_fail(e, FB_EUSAGE,
                       "%s + %s: %lld and %lld rows without labels: are they of the same job?", to,
                       name, (long long)a->A.m, (long long)b->A.m);
    return FB_OK;
}

fb_status fb_join_sum(fb_matrix *a, const char *to, fb_matrix *b, const char *name, double f,
                      fb_err *e)
{
    int64_t *map = NULL, n = a->A.n;
    fb_csc B = {0}, C = {0};
    fb_status s = FB_OK;
    FB_TRY(suits(a, to, b, name, e));
    if (a->A.upper != b->A.upper) {
        FB_TRY(unfold(&a->A, e));
        FB_TRY(unfold(&b->A, e));
    }
    if (a->row.node && (a->A.n != b->A.n || !same(&a->row, &b->row, n))) {
        FB_TRY(FB_NEW(&map, b->A.n, e));
        FB_TRY(join_rows(&a->row, &n, &b->row, b->A.n, map, e));
        FB_TRY(fb_csc_renumber_take(&b->A, map, map, n, b->A.upper, &B, e));
        b->A = B;
        FB_TRY(fb_csc_renumber_take(&a->A, NULL, NULL, n, a->A.upper, &B, e));
        a->A = B;
    }
    FB_TRY(fb_csc_add(&a->A, f, &b->A, &C, e)); /* (SU.1) */
    fb_csc_free(&a->A);
    a->A = C;
    a->every_row = a->every_row && b->every_row;
out:
    free(map);
    return s;
}
