/* SPDX-License-Identifier: GPL-3.0-or-later */
/* expand.c - the solids that CalculiX makes of beams and shells: where the nodes are that stand for
 * one node of the deck.
 *
 *   (EX.1) shell   x_k = x + t n (c_k - o)                 c = -1/2 0 1/2, 0 at the corners of
 *          elements with middle nodes alone
 *   (EX.2) beam    x_k = x + t1 n1 (a_k - o1) + t2 n2 (b_k - o2)   four corners, and at the ends of
 *          elements with a middle node the middles of the four sides
 *   (EX.3) n   the mean of the elements' normals in the node, those within 20 degrees
 *   (EX.4) n2  the mean of t x n1 (n1 of the section) made normal to the mean tangent t, n1 = n2 x
 *          t
 * Elements that differ by more, or in thickness, offset or section, give a node several stacks: a
 * knot, in which they move as one rigid body (and, by a number of its own, swell). Its rotations
 * have the number behind the stacks, as every node takes new numbers above those of the deck: 3 a
 * shell's stack, 8 a beam's, and of a knot 2 more and one for each of its nodes.
 * Source   CalculiX 2.20 manual, sections 6.2.14 to 6.2.33; numbers and places as its results with
 *          OUTPUT=3D show them
 */
#include "expand.h"
#include "memory.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#define SAME_WAY 0.939693 /* cos 20 degrees */
#define SAME     1e-10    /* thicknesses and offsets */

static double dot(const double a[3], const double b[3])
{
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

/* ---- what the deck says ---------------------------------------------------------------- */

static int family_nodes(const char *type, char *family)
{
    static const struct {
        const char *name;
        char family;
        int n;
    } known[] = {{"B31", 'B', 2}, {"B32", 'B', 3}, {"S3", 'S', 3},
                 {"S4", 'S', 4},  {"S6", 'S', 6},  {"S8", 'S', 8}};
    for (size_t k = 0; k < sizeof known / sizeof *known; k++) {
        const char *behind = type + strlen(known[k].name);
        if (strncasecmp(type, known[k].name, strlen(known[k].name)) ||
            (*behind && strcasecmp(behind, "R")))
            continue;
        *family = known[k].family;
        return known[k].n;
    }
    *family = 0;
    return 0;
}

fb_status aba_thin_add(aba_thins *x, int64_t id, const char *type, const int64_t *node, int n,
                       fb_err *e)
{
    FB_PASS(fb_grow(&x->thin, &x->cap, x->n + 1, sizeof *x->thin, e));
    aba_thin *t = x->thin + x->n++;
    *t = (aba_thin){.id = id, .section = -1};
    t->n = family_nodes(type, &t->family);
    if (t->n > n || !t->family) {
        t->family = 0;
        t->n = n < ABA_THIN ? n : ABA_THIN;
    }
    memcpy(t->node, node, sizeof *node * (size_t)t->n);
    return FB_OK;
}

fb_status aba_section_add(aba_thins *x, const char *set, const char *form, fb_err *e)
{
    FB_PASS(fb_grow(&x->section, &x->cap_section, x->nsection + 1, sizeof *x->section, e));
    aba_section *s = x->section + x->nsection++;
    *s = (aba_section){.n1 = {0, 0, -1}};
    snprintf(s->set, sizeof s->set, "%.79s", set);
    static const char *const known[] = {"RECT", "CIRC", "PIPE", "BOX", "SHELL"};
    for (size_t k = 0; form && k < sizeof known / sizeof *known; k++)
        if (!strcasecmp(form, known[k]))
            s->form = known[k][0];
    return FB_OK;
}

void aba_section_line(aba_section *s, const double *v, int n)
{
    double n1[3] = {v[0], v[1], v[2]};
    if (s->lines == 0) {
        s->t[0] = s->form == 'P' ? 2 * v[0] : v[0];
        s->t[1] = s->form == 'P' || n < 2 ? s->t[0] : v[1];
    } else if (s->lines == 1 && s->form != 'S' && fb_unit3(n1) > 0) {
        memcpy(s->n1, n1, sizeof n1);
    }
    s->lines++;
}

void aba_thins_free(aba_thins *x)
{
    FB_FREE(x->thin, x->section);
    *x = (aba_thins){0};
}

/* ---- normals --------------------------------------------------------------------------- */

typedef struct { /* an element at the node at hand */
    const aba_thin *t;
    const aba_section *s;
    int at;            /* its node of the element */
    double normal[3];  /* of a shell; n2 of a beam */
    double tangent[3]; /* of a beam */
    int64_t group;     /* 0: none yet */
} use;

/* d[0], d[1]: derivatives of the shape functions of an element with middle nodes in its node
 * `at`. */
static void slopes(int n, int at, double d[2][8])
{
    static const signed char square[8][2] = {{-1, -1}, {1, -1}, {1, 1}, {-1, 1},
                                             {0, -1},  {1, 0},  {0, 1}, {-1, 0}};
    static const double triangle[6][2] = {{0, 0}, {1, 0}, {0, 1}, {.5, 0}, {.5, .5}, {0, .5}};
    if (n == 6) {
        const double u = triangle[at][0], v = triangle[at][1], w = 1 - u - v;
        const double du[6] = {1 - 4 * w, 4 * u - 1, 0, 4 * (w - u), 4 * v, -4 * v};
        const double dv[6] = {1 - 4 * w, 0, 4 * v - 1, -4 * u, 4 * u, 4 * (w - v)};
        memcpy(d[0], du, sizeof du);
        memcpy(d[1], dv, sizeof dv);
        return;
    }
    const double u = square[at][0], v = square[at][1];
    for (int k = 0; k < 8; k++) {
        const double a = square[k][0], b = square[k][1];
        d[0][k] = k < 4          ? a * (1 + v * b) * (2 * u * a + v * b) / 4
                  : square[k][0] ? a * (1 - v * v) / 2
                                 : -u * (1 + v * b);
        d[1][k] = k < 4          ? b * (1 + u * a) * (2 * v * b + u * a) / 4
                  : square[k][1] ? b * (1 - u * u) / 2
                                 : -v * (1 + u * a);
    }
}

static int shell_normal(use *v, const double x[ABA_THIN][3])
{
    const int n = v->t->n, corners = n == 3 || n == 6 ? 3 : 4;
    double a[3] = {0}, b[3] = {0}, d[2][8];
    if (n > 4)
        slopes(n, v->at, d);
    for (int c = 0; c < 3; c++) {
        if (n <= 4) { /* flat in the corner */
            a[c] = x[(v->at + 1) % corners][c] - x[v->at][c];
            b[c] = x[(v->at + corners - 1) % corners][c] - x[v->at][c];
        }
        for (int k = 0; n > 4 && k < n; k++) {
            a[c] += d[0][k] * x[k][c];
            b[c] += d[1][k] * x[k][c];
        }
    }
    fb_cross(a, b, v->normal);
    return fb_unit3(v->normal) > 0;
}

static int beam_normal(use *v, const double x[ABA_THIN][3])
{
    const double xi = v->at - 1;
    for (int c = 0; c < 3; c++)
        v->tangent[c] = v->t->n == 2 ? x[1][c] - x[0][c]
                                     : (xi - .5) * x[0][c] - 2 * xi * x[1][c] + (xi + .5) * x[2][c];
    if (!(fb_unit3(v->tangent) > 0))
        return 0;
    fb_cross(v->tangent, v->s->n1, v->normal);
    return fb_unit3(v->normal) > 0;
}

/* ---- the stacks of one node ------------------------------------------------------------ */

static int alike(const use *a, const use *b)
{
    const double *n = a->normal, *m = b->normal;
    for (int k = 0; k < 2; k++)
        if (fabs(a->s->t[k] - b->s->t[k]) >= SAME ||
            fabs(a->s->offset[k] - b->s->offset[k]) >= SAME)
            return 0;
    return a->t->family == b->t->family && a->s->form == b->s->form && dot(n, m) > SAME_WAY &&
           (a->t->family == 'S' || dot(a->tangent, b->tangent) > SAME_WAY);
}

/* Numbers the groups of uses of a family; they come by ascending element. */
static int64_t make_groups(use *u, int64_t n, char family, int64_t groups)
{
    for (int64_t k = 0; k < n; k++) {
        if (u[k].t->family != family || u[k].group)
            continue;
        u[k].group = ++groups;
        for (int64_t q = k + 1; q < n; q++)
            if (u[q].t->family == family && !u[q].group && alike(u + k, u + q))
                u[q].group = groups;
    }
    return groups;
}

/* (EX.1), (EX.3) */
static void shell_stack(const use *u, int64_t n, fb_stack *s)
{
    int middle = 0;
    memset(s->normal, 0, sizeof s->normal);
    for (int64_t k = 0; k < n; k++) {
        middle |= u[k].t->n > 4 && u[k].at < u[k].t->n / 2;
        for (int c = 0; c < 3; c++)
            s->normal[c] += u[k].normal[c];
    }
    (void)fb_unit3(s->normal);
    s->n = 0;
    for (int k = 0; k < 3; k++) {
        if (k == 1 && !middle)
            continue;
        for (int c = 0; c < 3; c++)
            s->r[s->n][c] = u->s->t[0] * s->normal[c] * (0.5 * (k - 1) - u->s->offset[0]);
        s->n++;
    }
}

/* (EX.2), (EX.4) */
static void beam_stack(const use *u, int64_t n, fb_stack *s)
{
    static const signed char side[8][2] = {{-1, 1}, {-1, -1}, {1, -1}, {1, 1},
                                           {-1, 0}, {0, -1},  {1, 0},  {0, 1}};
    const double corner = u->s->form == 'C' ? 0.5 / sqrt(2.0) : 0.5;
    double n1[3], n2[3] = {0}, t[3] = {0};
    int end = 0;
    for (int64_t k = 0; k < n; k++) {
        end |= u[k].t->n == 3 && u[k].at != 1;
        for (int c = 0; c < 3; c++) {
            n2[c] += u[k].normal[c];
            t[c] += u[k].tangent[c];
        }
    }
    (void)fb_unit3(t);
    const double along = dot(n2, t);
    for (int c = 0; c < 3; c++)
        n2[c] -= along * t[c];
    (void)fb_unit3(n2);
    fb_cross(n2, t, n1);
    s->n = end ? 8 : 4;
    for (int k = 0; k < s->n; k++)
        for (int c = 0; c < 3; c++) {
            const double half = k < 4 ? corner : 0.5;
            s->r[k][c] = u->s->t[0] * n1[c] * (half * side[k][0] - u->s->offset[0]) +
                         u->s->t[1] * n2[c] * (half * side[k][1] - u->s->offset[1]);
        }
}

/* The stack of a node with n uses; *last: the number given last. What is not understood has no
 * stack, and after it no number is known: *last becomes -1. */
static fb_status one_node(use *u, int64_t n, int64_t node, int odd, int64_t *last, fb_parts *p,
                          fb_err *e)
{
    fb_stack s = {.node = node};
    if (odd) {
        *last = -1;
        return FB_OK;
    }
    const int64_t shells = make_groups(u, n, 'S', 0), all = make_groups(u, n, 'B', shells);
    const int64_t made = 3 * shells + 8 * (all - shells);
    if (*last >= 0)
        *last += made;
    if (all > 1) {
        s.rot = *last < 0 ? 0 : *last + 1;
        *last += *last < 0 ? 0 : 2 + made;
    } else if (shells) {
        shell_stack(u, n, &s);
    } else {
        beam_stack(u, n, &s);
    }
    FB_PASS(fb_grow(&p->stack, &p->cap_stack, p->nstack + 1, sizeof *p->stack, e));
    p->stack[p->nstack++] = s;
    return FB_OK;
}

/* ---- all of them ----------------------------------------------------------------------- */

typedef struct {
    const aba_thins *x;
    const fb_index *place;
    const double *xyz;
} geometry;

/* 0: an element or section that is not understood, or nodes without a place. */
static int find_use(const geometry *g, const aba_thin *t, int at, use *v)
{
    double x[ABA_THIN][3] = {{0}};
    *v = (use){.t = t, .at = at};
    if (!t->family || t->section < 0 || g->x->normals)
        return 0;
    v->s = g->x->section + t->section;
    if ((t->family == 'S') != (v->s->form == 'S') || !v->s->form || !(v->s->t[0] > 0) ||
        !(v->s->t[1] > 0))
        return 0;
    for (int k = 0; k < t->n; k++) {
        const int64_t q = fb_index_find(g->place, t->node[k]);
        if (q < 0)
            return 0;
        memcpy(x[k], g->xyz + 3 * q, sizeof x[k]);
    }
    return t->family == 'S' ? shell_normal(v, x) : beam_normal(v, x);
}

/* Every node of every element: by node, then by the number of the element. */
static fb_status uses_by_node(const aba_thins *x, fb_ranked **by, int64_t **where, int64_t *m,
                              fb_err *e)
{
    int64_t *node = NULL, *id = NULL, total = 0;
    fb_status s = FB_OK;
    for (int64_t k = 0; k < x->n; k++)
        total += x->thin[k].n;
    FB_TRY(fb_new(&node, total, 8, "nodes of beams and shells", e));
    FB_TRY(fb_new(&id, total, 8, "nodes of beams and shells", e));
    FB_TRY(fb_new(where, total, 8, "nodes of beams and shells", e));
    for (int64_t k = 0; k < x->n; k++)
        for (int q = 0; q < x->thin[k].n; q++) {
            node[*m] = x->thin[k].node[q];
            id[*m] = x->thin[k].id;
            (*where)[(*m)++] = ABA_THIN * k + q;
        }
    s = fb_ranked_new(by, node, id, total, e);
out:
    FB_FREE(node, id);
    return s;
}

fb_status aba_expand(const aba_thins *x, const int64_t *id, const double *xyz, int64_t nn,
                     fb_parts *p, fb_err *e)
{
    fb_ranked *by = NULL;
    int64_t *where = NULL, m = 0, last = 0;
    use *u = NULL;
    fb_index place = {0};
    fb_status s = FB_OK;
    if (!x->n)
        return FB_OK;
    FB_TRY(fb_index_new(&place, id, nn, "the deck", e));
    FB_TRY(uses_by_node(x, &by, &where, &m, e));
    FB_TRY(fb_new(&u, m, sizeof *u, "beams and shells", e));
    const geometry g = {x, &place, xyz};
    for (int64_t k = 0; k < nn; k++)
        last = id[k] > last ? id[k] : last;
    for (int64_t k = 0, q; k < m; k = q) {
        int odd = 0;
        for (q = k; q < m && by[q].node == by[k].node; q++) {
            const int64_t w = where[by[q].at];
            odd |= !find_use(&g, x->thin + w / ABA_THIN, (int)(w % ABA_THIN), u + (q - k));
        }
        FB_TRY(one_node(u, q - k, by[k].node, odd, &last, p, e));
    }
out:
    fb_index_free(&place);
    FB_FREE(by, where, u);
    return s;
}
