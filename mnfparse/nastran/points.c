/* SPDX-License-Identifier: GPL-3.0-or-later */
/* points.c - grid points, coordinate systems and named sets of a Nastran model.
 *
 * Equations  x basic, l local coordinates of a system with origin o and axes T
 *   (PT.1) x = o + T c(l)     c: (x, y, z); (r cos a, r sin a, z);
 *          (r sin a cos b, r sin a sin b, r cos a), angles in degrees
 *   (PT.2) T = [ e1 e2 e3 ]   e3 = (B - A)/|B - A|, e2 = e3 x (C - A) / |..|, e1 = e2 x e3
 *          of the three points A (origin), B (on z), C (in the xz plane)
 *   (PT.3) axes of a displacement frame at x: T for a rectangular system, and for the others on
 *          their z axis, where angles have no meaning; else e_r e_a e_z or e_r e_a e_b at the point
 * Source     MSC Nastran Quick Reference Guide, GRID, CORD1x, CORD2x; NASTRAN-95, TRANSS
 * Beware     Systems may refer to others that stand later, and CORD1 to grids that stand in other
 *            systems; a reference in a circle is an error. */
#include "memory.h"
#include "nastran.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_RANGE = 1000000, BASIC = 0 };

static const char *const set_names[] = {"ASET", "BSET", "CSET", "QSET",
                                        "RSET", "OSET", "PS",   "SPC"};
FB_ROWS(set_names, NAS_NSET);

void nas_points_init(nas_points *t)
{
    *t = (nas_points){
        .set_cp = NAS_UNSET, .set_cd = NAS_UNSET, .extrn.name = "EXTRN", .conct.name = "SECONCT"};
    for (int k = 0; k < NAS_NSET; k++)
        t->set[k].name = set_names[k];
}

void nas_points_free(nas_points *t)
{
    FB_FREE(t->grid, t->system, t->spoint, t->extrn.dof, t->conct.dof, t->range);
    FB_FREE(t->tied.dof, t->seqgp);
    for (int k = 0; k < NAS_NSET; k++)
        free(t->set[k].dof);
    nas_points_init(t);
}

/* ---- collecting ------------------------------------------------------------------------- */

fb_status nas_points_grid(nas_points *t, const nas_grid *g, fb_err *e)
{
    if (g->id < 1 || g->id > FB_NODE_MAX)
        return fb_fail(e, FB_EFORMAT, "GRID %lld: numbers are 1 to %lld", (long long)g->id,
                       (long long)FB_NODE_MAX);
    fb_status s = fb_grow(&t->grid, &t->cap_grid, t->ngrid + 1, sizeof *t->grid, e);
    if (!s)
        t->grid[t->ngrid++] = *g;
    return s;
}

fb_status nas_points_system(nas_points *t, const nas_system *y, fb_err *e)
{
    fb_status s = fb_grow(&t->system, &t->cap_system, t->nsystem + 1, sizeof *t->system, e);
    if (!s)
        t->system[t->nsystem++] = *y;
    return s;
}

fb_status nas_points_spoints(nas_points *t, int64_t first, int64_t last, fb_err *e)
{
    if (first < 1 || last > FB_NODE_MAX || last < first || last - first >= MAX_RANGE)
        return fb_fail(e, FB_EFORMAT,
                       "SPOINT %lld THRU %lld: numbers are 1 to %lld, at most %d in a range",
                       (long long)first, (long long)last, (long long)FB_NODE_MAX, MAX_RANGE);
    fb_status s =
        fb_grow(&t->spoint, &t->cap_spoint, t->nspoint + last - first + 1, sizeof *t->spoint, e);
    for (int64_t k = first; !s && k <= last; k++)
        t->spoint[t->nspoint++] = k;
    return s;
}

fb_status nas_points_row(nas_set *u, int64_t id, const char *components, fb_err *e)
{
    int scalar = components[0] == 0 || !strcmp(components, "0"), seen = 0;
    if (id < 1 || id > FB_NODE_MAX)
        return fb_fail(e, FB_EFORMAT, "point %lld: numbers are 1 to %lld", (long long)id,
                       (long long)FB_NODE_MAX);
    for (const char *c = components; !scalar && *c; c++) {
        if (*c < '1' || *c > '6')
            return fb_fail(
                e, FB_EFORMAT,
                "point %lld: components '%s'; digits 1 to 6, or 0 of a scalar point, are wanted",
                (long long)id, components);
        seen |= 1 << (*c - '0');
    }
    FB_PASS(fb_grow(&u->dof, &u->cap, u->n + 6, sizeof *u->dof, e));
    for (int c = scalar ? 0 : 1; c <= (scalar ? 0 : 6); c++)
        if (scalar || seen & 1 << c)
            u->dof[u->n++] = (nas_pair){id, c};
    return FB_OK;
}

fb_status nas_points_place(nas_points *t, int64_t id, double at, fb_err *e)
{
    fb_status s = fb_grow(&t->seqgp, &t->cap_seqgp, t->nseqgp + 1, sizeof *t->seqgp, e);
    if (!s)
        t->seqgp[t->nseqgp++] = (nas_place){id, at};
    return s;
}

/* Only points that exist are meant: they are known at the end. Four numbers a range: first and
 * last id, set, components as a bit mask (0: scalar). */
fb_status nas_points_set_range(nas_points *t, int set, int64_t first, int64_t last,
                               const char *components, fb_err *e)
{
    nas_set list = {0};
    int64_t mask = 0;
    fb_status s = FB_OK;
    FB_TRY(nas_points_row(&list, first, components, e));
    for (int64_t k = 0; k < list.n; k++)
        mask |= list.dof[k].component ? 1 << list.dof[k].component : 0;
    FB_TRY(fb_grow(&t->range, &t->cap_range, 2 * (t->nrange + 1), sizeof *t->range, e));
    t->range[2 * t->nrange] = (nas_pair){first, last};
    t->range[2 * t->nrange++ + 1] = (nas_pair){set, mask};
out:
    free(list.dof);
    return s;
}

/* ---- sorting and looking up ------------------------------------------------------------- */

int nas_by_id(const void *a, const void *b)
{
    int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;
    return (x > y) - (x < y);
}

static int by_pair(const void *a, const void *b)
{
    const nas_pair *x = a, *y = b;
    return x->id != y->id ? nas_by_id(&x->id, &y->id) : nas_by_id(&x->component, &y->component);
}

static int by_place(const void *a, const void *b)
{
    const nas_place *x = a, *y = b;
    return x->id != y->id ? nas_by_id(&x->id, &y->id) : (x->at > y->at) - (x->at < y->at);
}

static int is_scalar(const nas_points *t, int64_t id)
{
    return fb_sorted_find(t->spoint, t->nspoint, id) >= 0;
}

static nas_grid *find_grid(const nas_points *t, int64_t id)
{
    nas_grid key = {.id = id};
    return t->ngrid ? bsearch(&key, t->grid, (size_t)t->ngrid, sizeof key, nas_by_id) : NULL;
}

static nas_system *find_system(const nas_points *t, int64_t id)
{
    nas_system key = {.id = id};
    return t->nsystem ? bsearch(&key, t->system, (size_t)t->nsystem, sizeof key, nas_by_id) : NULL;
}

static int same_grid(const void *x, const void *y)
{
    const nas_grid *a = x, *b = y;
    return a->cp == b->cp && a->cd == b->cd && !strcmp(a->ps, b->ps) && a->x[0] == b->x[0] &&
           a->x[1] == b->x[1] && a->x[2] == b->x[2];
}

static int same_system(const void *x, const void *y)
{
    const nas_system *a = x, *b = y;
    return a->kind == b->kind && a->by_grids == b->by_grids && a->rid == b->rid &&
           !memcmp(a->g, b->g, sizeof a->g) && !memcmp(a->abc, b->abc, sizeof a->abc);
}

/* Sorts the *n entries by number; equal repetitions (the .asm and .pch of one export) are one. */
static fb_status unite(void *list, int64_t *n, size_t size, int (*same)(const void *, const void *),
                       const char *what, const char *why, fb_err *e)
{
    char *v = list, *last = NULL;
    if (*n == 0)
        return FB_OK;
    qsort(v, (size_t)*n, size, nas_by_id);
    for (char *b = v, *end = v + size * (size_t)*n; b < end; b += size) {
        if (last && !nas_by_id(last, b)) {
            if (!same(last, b))
                return fb_fail(e, FB_EFORMAT, "%s %lld is given twice, and differently%s", what,
                               (long long)*(int64_t *)(void *)b, why);
            continue;
        }
        last = last ? last + size : v;
        memmove(last, b, size);
    }
    *n = last ? (last - v) / (int64_t)size + 1 : 0;
    return FB_OK;
}

/* GRDSET fills the blank fields. */
static fb_status sort_grids(nas_points *t, fb_err *e)
{
    int64_t cp = t->set_cp == NAS_UNSET ? BASIC : t->set_cp,
            cd = t->set_cd == NAS_UNSET ? BASIC : t->set_cd;
    for (int64_t q = 0; q < t->ngrid; q++) {
        if (t->grid[q].cp == NAS_UNSET)
            t->grid[q].cp = cp;
        if (t->grid[q].cd == NAS_UNSET)
            t->grid[q].cd = cd;
        if (!t->grid[q].ps[0])
            memcpy(t->grid[q].ps, t->set_ps, sizeof t->set_ps);
    }
    return unite(t->grid, &t->ngrid, sizeof *t->grid, same_grid, "GRID",
                 " (in two superelements?); a body has one point of that number", e);
}

/* A point has one place. */
static fb_status sort_sequence(nas_points *t, fb_err *e)
{
    if (t->nseqgp)
        qsort(t->seqgp, (size_t)t->nseqgp, sizeof *t->seqgp, by_place);
    for (int64_t k = 1; k < t->nseqgp; k++)
        if (t->seqgp[k].id == t->seqgp[k - 1].id && t->seqgp[k].at > t->seqgp[k - 1].at)
            return fb_fail(e, FB_EFORMAT, "SEQGP gives point %lld two places, %g and %g",
                           (long long)t->seqgp[k].id, t->seqgp[k - 1].at, t->seqgp[k].at);
    return FB_OK;
}

/* ---- geometry --------------------------------------------------------------------------- */

static void to_basic(const nas_system *y, const double l[3], double x[3]) /* (PT.1) */
{
    const double rad = 3.14159265358979323846 / 180;
    double c[3] = {l[0], l[1], l[2]};
    if (y->kind == 2) {
        c[0] = l[0] * cos(l[1] * rad);
        c[1] = l[0] * sin(l[1] * rad);
    } else if (y->kind == 3) {
        c[0] = l[0] * sin(l[1] * rad) * cos(l[2] * rad);
        c[1] = l[0] * sin(l[1] * rad) * sin(l[2] * rad);
        c[2] = l[0] * cos(l[1] * rad);
    }
    for (int i = 0; i < 3; i++)
        x[i] = y->o[i] + y->t[3 * i] * c[0] + y->t[3 * i + 1] * c[1] + y->t[3 * i + 2] * c[2];
}

static int cross_unit(const double a[3], const double b[3], double c[3])
{
    c[0] = a[1] * b[2] - a[2] * b[1];
    c[1] = a[2] * b[0] - a[0] * b[2];
    c[2] = a[0] * b[1] - a[1] * b[0];
    double n = sqrt(c[0] * c[0] + c[1] * c[1] + c[2] * c[2]);
    if (!(n > 0) || !isfinite(n))
        return 0;
    for (int i = 0; i < 3; i++)
        c[i] /= n;
    return 1;
}

static int axes(nas_system *y) /* (PT.2) */
{
    double e1[3], e2[3], e3[3], ac[3], n = 0;
    for (int i = 0; i < 3; i++) {
        y->o[i] = y->abc[i];
        e3[i] = y->abc[3 + i] - y->abc[i];
        ac[i] = y->abc[6 + i] - y->abc[i];
        n += e3[i] * e3[i];
    }
    n = sqrt(n);
    if (!(n > 0) || !isfinite(n))
        return 0;
    for (int i = 0; i < 3; i++)
        e3[i] /= n;
    if (!cross_unit(e3, ac, e2) || !cross_unit(e2, e3, e1))
        return 0;
    for (int i = 0; i < 3; i++) {
        y->t[3 * i] = e1[i];
        y->t[3 * i + 1] = e2[i];
        y->t[3 * i + 2] = e3[i];
    }
    return 1;
}

/* Axes of the displacement frame of system y at basic position x. */
static void frame_at(const nas_system *y, const double x[3], double frame[9]) /* (PT.3) */
{
    double c[3], q[9] = {1, 0, 0, 0, 1, 0, 0, 0, 1};
    for (int j = 0; j < 3; j++)
        c[j] = y->t[j] * (x[0] - y->o[0]) + y->t[3 + j] * (x[1] - y->o[1]) +
               y->t[6 + j] * (x[2] - y->o[2]);
    const double r = hypot(c[0], c[1]), R = hypot(r, c[2]);
    /* Rounding of the product above leaves some 1e-16 where the point is on the axis. */
    if (y->kind != 1 && r > 1e-12 * R) {
        const double ca = c[0] / r, sa = c[1] / r, st = r / R, ct = c[2] / R;
        if (y->kind == 2)
            memcpy(q, (double[9]){ca, -sa, 0, sa, ca, 0, 0, 0, 1}, sizeof q);
        else
            memcpy(q, (double[9]){st * ca, ct * ca, -sa, st * sa, ct * sa, ca, ct, -st, 0},
                   sizeof q);
    }
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++)
            frame[3 * i + j] =
                y->t[3 * i] * q[j] + y->t[3 * i + 1] * q[3 + j] + y->t[3 * i + 2] * q[6 + j];
}

/* ---- resolving -------------------------------------------------------------------------- */

enum { NEW, OPEN, DONE };

/* The k-th system that y rests on, by number; -1: no more. */
static fb_status rests_on(const nas_points *t, const nas_system *y, int k, int64_t *id, fb_err *e)
{
    *id = -1;
    if (!y->by_grids) {
        *id = k == 0 ? y->rid : -1;
        return FB_OK;
    }
    if (k == 3)
        return FB_OK;
    const nas_grid *g = find_grid(t, y->g[k]);
    if (!g)
        return fb_fail(e, FB_EFORMAT, "coordinate system %lld: its GRID %lld is not in the file",
                       (long long)y->id, (long long)y->g[k]);
    *id = g->cp;
    return FB_OK;
}

static fb_status place(const nas_points *t, int64_t cp, const double l[3], double x[3],
                       const char *what, int64_t id, fb_err *e)
{
    if (cp == BASIC) {
        memcpy(x, l, 3 * sizeof *x);
        return FB_OK;
    }
    const nas_system *y = find_system(t, cp);
    if (!y)
        return fb_fail(e, FB_EFORMAT, "%s %lld: coordinate system %lld is not in the file", what,
                       (long long)id, (long long)cp);
    to_basic(y, l, x);
    return FB_OK;
}

static fb_status compute(const nas_points *t, nas_system *y, fb_err *e)
{
    double abc[9];
    for (int k = 0; k < 3; k++) {
        const nas_grid *g = y->by_grids ? find_grid(t, y->g[k]) : NULL;
        FB_PASS(place(t, g ? g->cp : y->rid, g ? g->x : y->abc + 3 * k, abc + 3 * k,
                      "coordinate system", y->id, e));
    }
    memcpy(y->abc, abc, sizeof abc);
    y->state = DONE;
    return axes(y)
               ? FB_OK
               : fb_fail(e, FB_EFORMAT, "coordinate system %lld: its three points lie on a line",
                         (long long)y->id);
}

/* Depth first with a stack of its own: a chain of systems may be as long as the deck. */
static fb_status resolve(nas_points *t, fb_err *e)
{
    int64_t *stack = NULL, n = 0;
    fb_status s = FB_OK;
    FB_TRY(fb_new(&stack, t->nsystem + 1, sizeof *stack, "coordinate systems", e));
    for (int64_t k = 0; k < t->nsystem; k++) {
        if (t->system[k].state == DONE)
            continue;
        stack[n++] = k;
        while (n > 0) {
            nas_system *y = t->system + stack[n - 1], *below = NULL;
            int64_t id = 0;
            y->state = OPEN;
            for (int q = 0; !below; q++) {
                FB_TRY(rests_on(t, y, q, &id, e));
                if (id < 0)
                    break;
                below = id == BASIC ? NULL : find_system(t, id);
                if (below && below->state == DONE)
                    below = NULL;
            }
            if (!below) {
                FB_TRY(compute(t, y, e));
                n--;
            } else if (below->state == OPEN) {
                FB_TRY(fb_fail(e, FB_EFORMAT, "coordinate systems %lld and %lld rest on each other",
                               (long long)y->id, (long long)below->id));
            } else {
                stack[n++] = below - t->system;
            }
        }
    }
out:
    free(stack);
    return s;
}

/* ---- handing over ----------------------------------------------------------------------- */

static fb_status give_grids(nas_points *t, const char *origin, fb_parts *p, fb_log *log, fb_err *e)
{
    int64_t left_out = 0;
    for (int64_t k = 0; k < t->ngrid; k++) {
        const nas_grid *g = t->grid + k;
        double x[3], frame[9];
        if (g->cd == -1) {
            fb_note(log, "%s: GRID %lld is a fluid point (CD -1): left out", origin,
                    (long long)g->id);
            continue;
        }
        const nas_system *y = g->cd == BASIC ? NULL : find_system(t, g->cd);
        fb_status s = place(t, g->cp, g->x, x, "GRID", g->id, e);
        if (!s && g->cd != BASIC && !y)
            s = fb_fail(e, FB_EFORMAT,
                        "GRID %lld: coordinate system %lld of its displacements is not in the file",
                        (long long)g->id, (long long)g->cd);
        if (s == FB_EFORMAT && t->lenient) {
            if (left_out++ < 5)
                fb_warn(log, "%s: %s; the point is left out", origin, e->msg);
            continue;
        }
        if (s)
            return s;
        if (y)
            frame_at(y, x, frame);
        FB_PASS(fb_parts_node(p, g->id, x, y ? frame : NULL, e));
        if (g->ps[0] && strcmp(g->ps, "0"))
            FB_PASS(nas_points_row(t->set + NAS_PS, g->id, g->ps, e));
    }
    if (left_out > 5)
        fb_warn(log, "%s: %lld points in all are left out for want of their coordinate systems",
                origin, (long long)left_out);
    return FB_OK;
}

static void compact(nas_set *u)
{
    int64_t k = 0;
    if (u->n == 0)
        return;
    qsort(u->dof, (size_t)u->n, sizeof *u->dof, by_pair);
    for (int64_t q = 0; q < u->n; q++)
        if (k == 0 || by_pair(u->dof + q, u->dof + k - 1))
            u->dof[k++] = u->dof[q];
    u->n = k;
}

/* The first of n entries, which begin with a number and ascend by it, that has id or more. */
static int64_t first(const void *entries, int64_t n, size_t size, int64_t id)
{
    int64_t a = 0, b = n;
    while (a < b) {
        const int64_t mid = a + (b - a) / 2;
        if (*(const int64_t *)(const void *)((const char *)entries + size * (size_t)mid) < id)
            a = mid + 1;
        else
            b = mid;
    }
    return a;
}

/* The points of id first..last that exist join the set of the range. */
static fb_status open_ranges(nas_points *t, fb_err *e)
{
    for (int64_t k = 0; k < t->nrange; k++) {
        nas_pair span = t->range[2 * k], what = t->range[2 * k + 1];
        char c[8];
        int n = 0;
        for (int q = 1; q <= 6; q++)
            if (what.component & 1 << q)
                c[n++] = (char)('0' + q);
        c[n] = 0;
        nas_set *u = t->set + what.id;
        for (int64_t g = first(t->grid, t->ngrid, sizeof *t->grid, span.id);
             n > 0 && g < t->ngrid && t->grid[g].id <= span.component; g++)
            FB_PASS(nas_points_row(u, t->grid[g].id, c, e));
        for (int64_t g = first(t->spoint, t->nspoint, sizeof *t->spoint, span.id);
             g < t->nspoint && t->spoint[g] <= span.component; g++)
            FB_PASS(nas_points_row(u, t->spoint[g], "", e));
        if (u->n > 16 * (t->ngrid + t->nspoint) + 4096) /* many ranges that overlap */
            compact(u);
    }
    return FB_OK;
}

static fb_status give_set(nas_set *u, const nas_points *t, fb_parts *p, fb_err *e)
{
    fb_set *out = NULL;
    if (u->n == 0)
        return FB_OK;
    for (int64_t q = 0; q < u->n; q++) /* component 1 of a scalar point is its only one */
        if (u->dof[q].component == 1 && is_scalar(t, u->dof[q].id))
            u->dof[q].component = 0;
    compact(u);
    FB_PASS(fb_parts_set(p, u->name, &out, e));
    FB_PASS(fb_new(&out->node, u->n, sizeof *out->node, "set", e));
    FB_PASS(fb_new(&out->component, u->n, sizeof *out->component, "set", e));
    for (int64_t q = 0; q < u->n; q++) {
        out->node[q] = u->dof[q].id;
        out->component[q] = u->dof[q].component;
    }
    out->n = u->n;
    return FB_OK;
}

static fb_status give_order(const nas_set *u, int rank, const nas_points *t, const char *origin,
                            fb_parts *p, fb_err *e)
{
    fb_row_order *o = NULL;
    if (u->n == 0)
        return FB_OK;
    FB_PASS(fb_parts_order(p, u->name, origin, rank, &o, e));
    FB_PASS(fb_labels_new(&o->dof, u->n, 0, e));
    o->n = u->n;
    for (int64_t k = 0; k < u->n; k++) {
        o->dof.node[k] = u->dof[k].id;
        o->dof.component[k] = is_scalar(t, u->dof[k].id) ? 0 : u->dof[k].component;
    }
    return FB_OK;
}

/* What GRID and the SPC cards hold, whichever of these the case chose. */
static fb_status give_held(const nas_points *t, fb_parts *p, fb_err *e)
{
    for (int q = NAS_PS; q <= NAS_SPC; q++)
        for (int64_t k = 0; k < t->set[q].n; k++)
            FB_PASS(fb_labels_add(&p->held, &p->nheld, &p->cap_held, t->set[q].dof[k].id,
                                  t->set[q].dof[k].component, 0, e));
    return FB_OK;
}

/* What follows others. */
static fb_status give_tied(const nas_points *t, fb_parts *p, fb_err *e)
{
    for (int64_t k = 0; k < t->tied.n; k++) {
        const nas_pair *u = t->tied.dof + k;
        FB_PASS(fb_labels_add(&p->tied, &p->ntied, &p->cap_tied, u->id,
                              is_scalar(t, u->id) ? 0 : u->component, 0, e));
    }
    return FB_OK;
}

/* SECONCT lists points only: all six dofs of the grids, then the scalar points. */
static fb_status give_connections(const nas_points *t, const char *origin, fb_parts *p, fb_err *e)
{
    nas_set row = {.name = t->conct.name};
    fb_status s = FB_OK;
    for (int scalar = 0; scalar < 2; scalar++)
        for (int64_t k = 0; k < t->conct.n; k++) {
            int64_t id = t->conct.dof[k].id;
            if (is_scalar(t, id) == scalar)
                FB_TRY(nas_points_row(&row, id, scalar ? "0" : "123456", e));
        }
    s = give_order(&row, 5, t, origin, p, e);
out:
    free(row.dof);
    return s;
}

static double place_of(const nas_points *t, int64_t id)
{
    const nas_place key = {.id = id}, *p = t->nseqgp ? bsearch(&key, t->seqgp, (size_t)t->nseqgp,
                                                               sizeof key, nas_by_id)
                                                     : NULL;
    return p ? p->at : (double)id;
}

typedef struct { /* a row and its place */
    nas_pair dof;
    double at;
} sequenced;

static int by_sequence(const void *a, const void *b)
{
    const sequenced *x = a, *y = b;
    return x->at < y->at ? -1 : x->at > y->at ? 1 : by_pair(&x->dof, &y->dof);
}

/* Ascending rows become those of the sequence of points. */
static fb_status resequence(const nas_points *t, nas_set *u, fb_err *e)
{
    sequenced *r = NULL;
    if (!t->nseqgp || !u->n)
        return FB_OK;
    FB_PASS(fb_new(&r, u->n, sizeof *r, "sequence of points", e));
    for (int64_t k = 0; k < u->n; k++)
        r[k] = (sequenced){u->dof[k], place_of(t, u->dof[k].id)};
    qsort(r, (size_t)u->n, sizeof *r, by_sequence);
    for (int64_t k = 0; k < u->n; k++)
        u->dof[k] = r[k].dof;
    free(r);
    return FB_OK;
}

/* The union of the sets that make the a-set, and all dofs of all points, in ascending order, or in
 * that of SEQGP: the rows of KAA and KGG. */
fb_status nas_points_orders(const nas_points *t, const char *origin, fb_parts *p, fb_err *e)
{
    static const int of_a[] = {NAS_ASET, NAS_BSET, NAS_CSET, NAS_QSET, NAS_RSET};
    nas_set a = {.name = "the a-set"}, g = {.name = "the g-set"};
    fb_status s = FB_OK;
    for (size_t k = 0; k < sizeof of_a / sizeof *of_a; k++) {
        const nas_set *u = t->set + of_a[k];
        for (int64_t q = 0; q < u->n; q++) {
            const char c[2] = {(char)('0' + u->dof[q].component), 0};
            FB_TRY(nas_points_row(&a, u->dof[q].id, c, e));
        }
    }
    for (int64_t k = 0; k < t->ngrid; k++)
        FB_TRY(nas_points_row(&g, t->grid[k].id, "123456", e));
    for (int64_t k = 0; t->ngrid && k < t->nspoint; k++)
        FB_TRY(nas_points_row(&g, t->spoint[k], "0", e));
    compact(&a);
    compact(&g);
    FB_TRY(resequence(t, &a, e));
    FB_TRY(resequence(t, &g, e));
    FB_TRY(give_order(&a, FB_RANK_DECK, t, origin, p, e));
    s = give_order(&g, FB_RANK_DECK + 1, t, origin, p, e);
out:
    FB_FREE(a.dof, g.dof);
    return s;
}

fb_status nas_points_finish(nas_points *t, const char *origin, fb_parts *p, fb_log *log, fb_err *e)
{
    t->nspoint = fb_unique(t->spoint, t->nspoint);
    for (int64_t k = 0; k < t->nspoint; k++) {
        fb_nodelist *u = &p->scalar;
        FB_PASS(fb_grow(&u->node, &u->cap, u->n + 1, sizeof *u->node, e));
        u->node[u->n++] = t->spoint[k];
    }
    FB_PASS(sort_grids(t, e));
    FB_PASS(sort_sequence(t, e));
    FB_PASS(
        unite(t->system, &t->nsystem, sizeof *t->system, same_system, "coordinate system", "", e));
    FB_PASS(resolve(t, e));
    FB_PASS(give_grids(t, origin, p, log, e));
    FB_PASS(open_ranges(t, e));
    for (int q = 0; q < NAS_NSET; q++)
        FB_PASS(give_set(t->set + q, t, p, e));
    FB_PASS(give_held(t, p, e));
    FB_PASS(give_tied(t, p, e));
    FB_PASS(give_order(&t->extrn, 0, t, origin, p, e));
    FB_PASS(give_connections(t, origin, p, e));
    if (t->nmass)
        fb_note(log, "%s: %lld CONM2, %.10g in all", origin, (long long)t->nmass, t->mass);
    if (t->ngrid || t->nspoint)
        fb_note(log, "%s: %lld GRID, %lld coordinate systems, %lld scalar points", origin,
                (long long)t->ngrid, (long long)t->nsystem, (long long)t->nspoint);
    return FB_OK;
}
