/* SPDX-License-Identifier: GPL-3.0-or-later */
/* sum.c - a matrix of the model that is a sum: --stiffness K+KG, the elastic and the geometric
 * stiffness of a body under prestress.
 *
 * Equation  (SU.1) A := A + f B      rows of B joined to those of A by their labels; labels that A
 *                                    lacks follow behind
 *           (SU.2) N(q_A) n N(B) = N(A) n N(q_B) = {}     numbers N of two bodies A and B that are
 *                                    joined: modal coordinates q belong to one body alone
 * Source    Craig & Bampton, AIAA J. 6 (1968) 1313-1319: bodies are joined by boundary dofs alone
 */
#include "memory.h"
#include "linalg/sparse_ops.h"
#include "assemble.h"
#include <math.h>
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

/* ---- modal coordinates of two bodies ------------------------------------------------------ */

typedef struct {
    const fb_labels *l;
    int64_t n;
    fb_ranked *x;       /* [n] */
    char *modal;        /* [n] is row r a modal coordinate? */
    int solid, several; /* a node has three dofs and more; there are modal coordinates */
} listed;

static void listed_free(listed *t)
{
    FB_FREE(t->x, t->modal);
}

/* Dofs that nothing calls modal: component 1, alone at its number, with no stiffness but its own,
 * beside nodes with three dofs (modal.c, of a body that is read alone). */
static void lone_dofs(const fb_matrix *m, listed *t, char *lone)
{
    for (int64_t k = 0, end; k < t->n; k = end) {
        for (end = k + 1; end < t->n && t->x[end].node == t->x[k].node;)
            end++;
        t->solid |= end - k >= 3;
        lone[t->x[k].at] = end - k == 1 && t->x[k].component == 1;
    }
    for (int64_t c = 0; c < m->A.n; c++)
        for (int64_t q = m->A.p[c]; q < m->A.p[c + 1]; q++)
            if (m->A.i[q] != c && fabs(m->A.x[q]) > 0)
                lone[c] = lone[m->A.i[q]] = 0;
}

/* Of masses and springs alone no dof is modal: scalar points are joined by number as nodes are. */
static fb_status list(const fb_matrix *m, int bodies, listed *t, fb_err *e)
{
    const fb_labels *l = &m->row;
    char *lone = NULL;
    fb_status s = FB_OK;
    *t = (listed){.l = l, .n = m->A.m};
    FB_TRY(fb_ranked_new(&t->x, l->node, l->component, t->n, e));
    FB_TRY(fb_new(&t->modal, t->n, 1, "modal coordinates", e));
    FB_TRY(fb_new(&lone, t->n, 1, "modal coordinates", e));
    if (bodies && m->A.m == m->A.n && m->role == FB_ROLE_STIFFNESS)
        lone_dofs(m, t, lone);
    for (int64_t r = 0; r < t->n; r++) {
        const int named = l->class && l->class[r] == FB_DOF_GENERALIZED;
        t->several |= named || (t->solid && lone[r]);
        t->modal[r] = l->component[r] == 0 || named || (t->solid && lone[r]);
    }
out:
    free(lone);
    return s;
}

typedef struct { /* a number that two lists share: is it a modal coordinate of each? */
    int64_t number;
    int of_a, of_b;
} shared;

/* Walks the numbers of both, ascending, by (SU.2): how many are in both and modal in one of them,
 * and the first; *inside: b has no label that a lacks. */
static int64_t shared_modal(const listed *a, const listed *b, shared *first, int *inside)
{
    int64_t n = 0, p = 0, r = 0;
    *inside = 1;
    while (r < b->n) {
        shared one = {b->x[r].node, 1, 1};
        int met = 0, both = 0;
        while (p < a->n && a->x[p].node < one.number)
            p++;
        for (; r < b->n && b->x[r].node == one.number; r++) {
            const int64_t at = fb_ranked_find(a->x + p, a->n - p, one.number, b->x[r].component);
            *inside &= at >= 0;
            one.of_b &= b->modal[b->x[r].at];
            both |= at >= 0 && a->modal[at] && b->modal[b->x[r].at];
        }
        for (; p < a->n && a->x[p].node == one.number; p++, met = 1)
            one.of_a &= a->modal[a->x[p].at];
        if (both && !one.of_a && !one.of_b) /* of some dofs of a node */
            one.of_a = one.of_b = 1;
        if (met && (both || one.of_a != one.of_b) && !n++)
            *first = one;
    }
    return n;
}

/* Is it a node of the inputs? Of one dof it has component 0 where another input has a scalar point
 * of that number. */
static int is_node(const fb_parts *p, int64_t number)
{
    for (int64_t k = 0; k < p->nn; k++)
        if (p->node_id[k] == number)
            return 1;
    return 0;
}

static const char *of_which(const fb_parts *p, const shared *t)
{
    if (t->of_a != t->of_b)
        return t->of_a ? "the first and a node of the second"
                       : "the second and a node of the first";
    return is_node(p, t->number) ? "one and a node of the other" : "both";
}

fb_status fb_join_apart(const fb_parts *p, const fb_matrix *a, const char *to, const fb_matrix *b,
                        const char *name, int bodies, fb_err *e)
{
    listed x = {0}, y = {0};
    shared first = {0};
    int within = 0, around = 0;
    int64_t n = 0;
    fb_status s = FB_OK;
    if (a->input == b->input || !a->row.component || !b->row.component)
        return FB_OK;
    FB_TRY(list(a, bodies, &x, e));
    FB_TRY(list(b, bodies, &y, e));
    if (!x.several && !y.several)
        goto out;
    (void)shared_modal(&y, &x, &first, &around);
    n = shared_modal(&x, &y, &first, &within);
    if (n && (bodies || !(within || around)))
        s = fb_fail(e, FB_EUSAGE,
                    "%s + %s: number %lld is a modal coordinate (scalar point) of %s%s: bodies are "
                    "joined by nodes alone; give the coordinates of each numbers of their own by "
                    "linkexport --modal-base N",
                    to, name, (long long)first.number, of_which(p, &first),
                    n > 1 ? ", as others are" : "");
out:
    FB_FREE_BY(listed_free, &x, &y);
    return s;
}

/* ---- the sum ------------------------------------------------------------------------------ */

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
