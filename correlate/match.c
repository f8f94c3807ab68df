/* SPDX-License-Identifier: GPL-3.0-or-later */
/* match.c - the dofs that two models share, by label or by position, and the assignment of
 * modes. */
#include "dofset.h"
#include "linalg/sparse_ops.h"
#include "memory.h"
#include "correlate.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct { /* one dof, sorted by label or by position */
    int64_t node, component, row;
    double x;
} entry;

static int by_label(const void *a, const void *b)
{
    const entry *p = a, *q = b;
    if (p->node != q->node)
        return p->node < q->node ? -1 : 1;
    if (p->component != q->component)
        return p->component < q->component ? -1 : 1;
    return (p->row > q->row) - (p->row < q->row);
}

static int by_position(const void *a, const void *b)
{
    const entry *p = a, *q = b;
    if (p->component != q->component)
        return p->component < q->component ? -1 : 1;
    if (p->x != q->x)
        return p->x < q->x ? -1 : 1;
    return (p->row > q->row) - (p->row < q->row);
}

static int placed(const fb_shapes *s, int64_t d)
{
    if (!s->xyz || s->component[d] <= 0)
        return 0;
    const double *x = s->xyz + 3 * d;
    return isfinite(x[0]) && isfinite(x[1]) && isfinite(x[2]);
}

/* The axis along which the nodes are spread most: a plane of nodes is not one run of equal keys. */
static int longest_axis(const fb_shapes *s)
{
    double lo[3] = {INFINITY, INFINITY, INFINITY}, hi[3] = {-INFINITY, -INFINITY, -INFINITY};
    int axis = 0;
    for (int64_t d = 0; d < s->nd; d++)
        for (int c = 0; placed(s, d) && c < 3; c++) {
            lo[c] = fmin(lo[c], s->xyz[3 * d + c]);
            hi[c] = fmax(hi[c], s->xyz[3 * d + c]);
        }
    for (int c = 1; c < 3; c++)
        if (hi[c] - lo[c] > hi[axis] - lo[axis])
            axis = c;
    return axis;
}

/* axis < 0: by label */
static fb_status sorted(const fb_shapes *s, int axis, entry **out, int64_t *n, fb_err *e)
{
    entry *t = NULL;
    int64_t k = 0;
    FB_PASS(fb_new(&t, s->nd, sizeof *t, "dofs to match", e));
    for (int64_t d = 0; d < s->nd; d++)
        if (axis < 0 || placed(s, d))
            t[k++] = (entry){s->node[d], s->component[d], d, axis < 0 ? 0 : s->xyz[3 * d + axis]};
    qsort(t, (size_t)k, sizeof *t, axis < 0 ? by_label : by_position);
    *out = t;
    *n = k;
    return FB_OK;
}

static double distance2(const fb_shapes *a, int64_t d, const fb_shapes *b, int64_t r)
{
    const double *u = a->xyz + 3 * d, *v = b->xyz + 3 * r;
    return pow(u[0] - v[0], 2) + pow(u[1] - v[1], 2) + pow(u[2] - v[2], 2);
}

/* Is row r of b nearer to dof d of a than `than` is? Of two at one place the one of the same
 * number is. */
static int nearer(const fb_shapes *a, int64_t d, const fb_shapes *b, int64_t r, int64_t than)
{
    double x = distance2(a, d, b, r), y = distance2(a, d, b, than);
    return x < y || (x == y && a->node[d] == b->node[r] && a->node[d] != b->node[than]);
}

/* The nearest row of b within the tolerance, or -1. t [n]: the dofs of b along the axis. */
static int64_t nearest(const fb_shapes *a, int64_t d, const fb_shapes *b, const entry *t, int64_t n,
                       int axis, double tolerance)
{
    const double x = a->xyz[3 * d + axis];
    const entry key = {0, a->component[d], -1, x - tolerance};
    int64_t lo = 0, hi = n, found = -1;
    while (lo < hi) {
        int64_t mid = lo + (hi - lo) / 2;
        if (by_position(t + mid, &key) < 0)
            lo = mid + 1;
        else
            hi = mid;
    }
    for (; lo < n && t[lo].component == a->component[d] && t[lo].x <= x + tolerance; lo++)
        if (distance2(a, d, b, t[lo].row) <= tolerance * tolerance &&
            (found < 0 || nearer(a, d, b, t[lo].row, found)))
            found = t[lo].row;
    return found;
}

/* Where several dofs of a have one partner, the nearest keeps it. */
static fb_status one_to_one(const fb_shapes *a, const fb_shapes *b, int64_t *partner, fb_err *e)
{
    int64_t *claim = NULL;
    fb_status s = fb_new(&claim, b->nd, sizeof *claim, "partners", e);
    for (int64_t d = 0; !s && d < a->nd; d++) {
        const int64_t r = partner[d];
        if (r < 0)
            continue;
        const int64_t other = claim[r] - 1; /* 0: nobody's */
        if (other >= 0 && !nearer(b, r, a, d, other)) {
            partner[d] = -1;
            continue;
        }
        if (other >= 0)
            partner[other] = -1;
        claim[r] = d + 1;
    }
    free(claim);
    return s;
}

/* How many entries from t on have the label of the first. */
static int64_t alike(const entry *t, int64_t n)
{
    int64_t k = 1;
    while (k < n && t[k].node == t->node && t[k].component == t->component)
        k++;
    return k;
}

/* A label may stand for several dofs (beams that a program expands to solids): the k-th of it is
 * the k-th of the other model, where both have as many. */
static fb_status by_labels(const fb_shapes *a, const entry *t, int64_t n, int64_t *partner,
                           fb_err *e)
{
    entry *own = NULL;
    int64_t m = 0;
    FB_PASS(sorted(a, -1, &own, &m, e));
    for (int64_t i = 0, j = 0; i < m;) {
        const entry key = {own[i].node, own[i].component, -1, 0};
        const int64_t mine = alike(own + i, m - i);
        while (j < n && by_label(t + j, &key) < 0)
            j++;
        const int there = j < n && t[j].node == key.node && t[j].component == key.component &&
                          alike(t + j, n - j) == mine;
        for (int64_t k = 0; k < mine; k++, i++)
            partner[own[i].row] = there ? t[j + k].row : -1;
    }
    free(own);
    return FB_OK;
}

/* For each dof of a its partner in b, or -1. */
static fb_status partners(const fb_shapes *a, const fb_shapes *b, double tolerance,
                          int64_t *partner, fb_err *e)
{
    entry *t = NULL;
    int64_t n = 0;
    const int axis = tolerance > 0 ? longest_axis(b) : -1;
    fb_status s = FB_OK;
    FB_TRY(sorted(b, axis, &t, &n, e));
    if (axis < 0) {
        s = by_labels(a, t, n, partner, e);
        goto out;
    }
    for (int64_t d = 0; d < a->nd; d++)
        partner[d] = placed(a, d) ? nearest(a, d, b, t, n, axis, tolerance) : -1;
    s = one_to_one(a, b, partner, e);
out:
    free(t);
    return s;
}

/* Marks the dofs of the list in `chosen`. */
static fb_status choose(const fb_shapes *a, const char *list, char *chosen, fb_err *e)
{
    fb_model b = {.ndof = a->nd, .dof_node = a->node, .dof_component = a->component};
    int64_t *dof = NULL, n = 0;
    fb_log log = {0};
    fb_status s = fb_new(&b.dof_class, a->nd, 8, "dof classes", e);
    if (!s)
        s = fb_dofset(&b, "--dofs", list, &dof, &n, &log, e);
    for (int64_t k = 0; !s && k < n; k++)
        chosen[dof[k]] = 1;
    fb_log_free(&log);
    FB_FREE(b.dof_class, dof);
    return s;
}

static int translates(const fb_shapes *s, int64_t d)
{
    return s->component[d] >= 1 && s->component[d] <= 3;
}

/* b in the unit of length of a, where both are known: positions, and translations beside
 * rotations. */
static void same_units(const fb_shapes *a, fb_shapes *b)
{
    const double c = a->length > 0 && b->length > 0 ? b->length / a->length : 1;
    if (c == 1)
        return;
    for (int64_t k = 0; b->xyz && k < 3 * b->nd; k++)
        b->xyz[k] *= c;
    for (int64_t j = 0; j < b->n; j++)
        for (int64_t d = 0; d < b->nd; d++)
            if (translates(b, d)) {
                b->X.x[d + j * b->nd] *= c;
                if (b->Xi.x)
                    b->Xi.x[d + j * b->nd] *= c;
            }
    b->length = a->length;
}

/* How far the nodes of matched dofs lie apart at most, as a share of the extent of a; 0 where it
 * is not known. */
static double apart(const fb_shapes *a, const fb_shapes *b, const int64_t *ra, const int64_t *rb,
                    int64_t n)
{
    double most = 0, size = 0;
    for (int64_t k = 0; a->xyz && b->xyz && k < n; k++)
        for (int c = 0; c < 3; c++) {
            double u = a->xyz[3 * ra[k] + c], v = b->xyz[3 * rb[k] + c];
            if (isfinite(u) && isfinite(v)) {
                most = fmax(most, fabs(u - v));
                size = fmax(size, fabs(u - a->xyz[3 * ra[0] + c]));
            }
        }
    return size > 0 ? most / size : 0;
}

/* Where one of the two states no units, and they count. */
static void doubt_units(const fb_shapes *a, const fb_shapes *b, const int64_t *ra, int64_t n,
                        fb_log *log)
{
    const int lengths = (a->length > 0) != (b->length > 0), times = a->timeless != b->timeless;
    const fb_shapes *blind = times ? a->timeless ? a : b : lengths ? a->length > 0 ? b : a : NULL;
    int64_t moved = 0;
    for (int64_t k = 0; k < n; k++)
        moved += translates(a, ra[k]);
    const int mixed = lengths && moved && moved < n;
    if (times || mixed)
        fb_warn(log,
                "%s states no units: its %s%s%s are compared as they are; mnfparse --input-units "
                "SYSTEM states them",
                blind->name, times ? "frequencies" : "", times && mixed ? " and " : "",
                mixed ? "translations beside rotations" : "");
}

/* Labels say little where two files number their nodes alike: what looks like two bodies is
 * said. */
static void doubt(const fb_shapes *a, const fb_shapes *b, const fb_matching *how, const int64_t *ra,
                  const int64_t *rb, int64_t n, fb_log *log)
{
    const double far = how->tolerance > 0 ? 0 : apart(a, b, ra, rb, n);
    const int64_t fewer = a->nd < b->nd ? a->nd : b->nd;
    doubt_units(a, b, ra, n, log);
    if (far > 1e-3)
        fb_warn(log,
                "%s and %s: nodes of one number lie up to %.2g of the body's extent apart: are "
                "they two bodies, or in two units?",
                a->name, b->name, far);
    if (!how->dofs && !how->weight && 2 * n < fewer)
        fb_warn(log, "%s and %s share %lld dofs, less than half of the %lld of the smaller",
                a->name, b->name, (long long)n, (long long)fewer);
}

typedef struct { /* one dof that takes part: its rows in the first model, the second, the weight */
    int64_t a, b, w;
} shared;

static int by_weight(const void *a, const void *b)
{
    const shared *p = a, *q = b;
    return (p->w > q->w) - (p->w < q->w);
}

/* The weight in a's units: of translations u_w = c u_a and of energies E_w = c^2 E_a / m, so that
 * M_ij takes m, and 1/c for each rotation among i and j. */
static void weight_units(const fb_shapes *a, fb_shapes *w)
{
    const double c = a->length > 0 && w->length > 0 ? a->length / w->length : 1,
                 m = a->weighs > 0 && w->weighs > 0 ? w->weighs / a->weighs : 1;
    same_units(a, w);
    w->weighs = a->weighs;
    if (c == 1 && m == 1)
        return;
    for (int64_t j = 0; j < w->nd; j++)
        for (int64_t q = w->M.p[j]; q < w->M.p[j + 1]; q++)
            w->M.x[q] *= m / ((translates(w, j) ? 1 : c) * (translates(w, w->M.i[q]) ? 1 : c));
}

/* M of a := that of the weight over its rows `row`. */
static fb_status weigh(fb_shapes *a, const fb_shapes *w, const int64_t *row, fb_err *e)
{
    a->normalised = 0;
    a->own_mass = 1;
    snprintf(a->mass, sizeof a->mass, "%s", w->mass);
    return fb_csc_sub(&w->M, row, a->nd, row, a->nd, &a->M, e);
}

static void without_mass(fb_shapes *s)
{
    if (!s->borrowed || s->own_mass)
        fb_csc_free(&s->M);
    s->M = (fb_csc){0};
}

static fb_status none_shared(const fb_shapes *a, const fb_shapes *b, fb_err *e)
{
    return fb_fail(e, FB_EFORMAT,
                   "%s and %s have no dof in common (%lld and %lld dofs): are the node numbers the "
                   "same? --nearest TOL matches by position",
                   a->name, b->name, (long long)a->nd, (long long)b->nd);
}

/* The dofs that both have, that are chosen and that have a weight. */
static fb_status shared_dofs(const fb_shapes *a, const fb_shapes *b, const fb_matching *how,
                             shared **out, int64_t *n, fb_err *e)
{
    int64_t *pb = NULL, *pw = NULL, both = 0, k = 0;
    char *chosen = NULL;
    shared *t = NULL;
    fb_status s = FB_OK;
    FB_TRY(FB_NEW(&pb, a->nd, e));
    FB_TRY(FB_NEW(&pw, a->nd, e));
    FB_TRY(FB_NEW(&chosen, a->nd, e));
    FB_TRY(fb_new(&t, a->nd, sizeof *t, "dofs that take part", e));
    FB_TRY(partners(a, b, how->tolerance, pb, e));
    if (how->weight)
        FB_TRY(partners(a, how->weight, how->tolerance, pw, e));
    if (how->dofs)
        FB_TRY(choose(a, how->dofs, chosen, e));
    for (int64_t d = 0; d < a->nd; d++)
        if (pb[d] >= 0 && (!how->dofs || chosen[d])) {
            both++;
            if (pw[d] >= 0)
                t[k++] = (shared){d, pb[d], pw[d]};
        }
    if (both == 0)
        FB_TRY(none_shared(a, b, e));
    if (how->weight && k == 0)
        FB_TRY(none_shared(a, how->weight, e));
    if (how->weight) /* whose rows have to ascend */
        qsort(t, (size_t)k, sizeof *t, by_weight);
    *n = k;
    *out = t;
    t = NULL;
out:
    FB_FREE(pb, pw, chosen, t);
    return s;
}

fb_status fb_shapes_match(fb_shapes *a, fb_shapes *b, const fb_matching *how, int64_t left_out[2],
                          fb_log *log, fb_err *e)
{
    const fb_shapes *const blind = !a->xyz                            ? a
                                   : !b->xyz                          ? b
                                   : how->weight && !how->weight->xyz ? how->weight
                                                                      : NULL;
    shared *t = NULL;
    int64_t *ra = NULL, *rb = NULL, *rw = NULL, n = 0;
    fb_status s = FB_OK;
    if (how->tolerance > 0 && blind)
        return fb_fail(e, FB_EFORMAT,
                       "%s has no node positions: match by labels, without --nearest", blind->name);
    same_units(a, b);
    if (how->weight)
        weight_units(a, how->weight);
    FB_TRY(shared_dofs(a, b, how, &t, &n, e));
    FB_TRY(FB_NEW(&ra, n, e));
    FB_TRY(FB_NEW(&rb, n, e));
    FB_TRY(FB_NEW(&rw, n, e));
    for (int64_t k = 0; k < n; k++) {
        ra[k] = t[k].a;
        rb[k] = t[k].b;
        rw[k] = t[k].w;
    }
    doubt(a, b, how, ra, rb, n, log);
    left_out[0] = a->nd - n;
    left_out[1] = b->nd - n;
    without_mass(b); /* it is the first model's, or the weight's */
    if (how->weight)
        without_mass(a);
    FB_TRY(fb_shapes_keep(a, ra, n, e));
    FB_TRY(fb_shapes_keep(b, rb, n, e));
    if (how->weight)
        FB_TRY(weigh(a, how->weight, rw, e));
out:
    FB_FREE(t, ra, rb, rw);
    return s;
}

/* ---- assignment ------------------------------------------------------------------------- */

/* The linear assignment problem by shortest augmenting paths.
 *   (AS.1) minimise sum c(i, col_i),  c = -score; columns behind those of the score are "none", c =
 *          0
 *   (AS.2) d_j  shortest path from row i to column j over the costs c(k,j) - v_j, reduced so that
 *          those of assigned pairs are 0
 *   (AS.3) v_j := v_j + d_j - mu  for the columns nearer than the free one, at distance mu
 * O(n^2 m).  Source: Jonker & Volgenant, Computing 38 (1987) 325-340, their augmentation */
typedef struct {
    const fb_mat *score;
    int64_t m, *col, *row, *from; /* [n] of rows; [m] of columns, -1: free; [m] row before */
    double *v, *d;                /* [m] prices and distances */
    char *near;                   /* [m] column is nearer than the free one */
} assignment;

static double cost(const assignment *t, int64_t i, int64_t j)
{
    return j < t->score->n ? -t->score->x[i + j * t->score->m] : 0; /* (AS.1) */
}

static int64_t nearest_column(const assignment *t)
{
    int64_t best = -1;
    for (int64_t j = 0; j < t->m; j++)
        if (!t->near[j] && (best < 0 || t->d[j] < t->d[best]))
            best = j;
    return best;
}

static void augment(assignment *t, int64_t i)
{
    int64_t end, k;
    for (int64_t j = 0; j < t->m; j++) {
        t->d[j] = cost(t, i, j) - t->v[j];
        t->from[j] = i;
        t->near[j] = 0;
    }
    while (t->row[end = nearest_column(t)] >= 0) {
        t->near[end] = 1;
        k = t->row[end];
        const double h = cost(t, k, end) - t->v[end] - t->d[end];
        for (int64_t j = 0; j < t->m; j++) {
            const double d = cost(t, k, j) - t->v[j] - h; /* (AS.2) */
            if (!t->near[j] && d < t->d[j]) {
                t->d[j] = d;
                t->from[j] = k;
            }
        }
    }
    for (int64_t j = 0; j < t->m; j++)
        if (t->near[j])
            t->v[j] += t->d[j] - t->d[end]; /* (AS.3) */
    do {                                    /* the pairs along the path change over */
        k = t->row[end] = t->from[end];
        const int64_t before = t->col[k];
        t->col[k] = end;
        end = before;
    } while (k != i);
}

fb_status fb_assign(const fb_mat *score, int64_t *pair, fb_err *e)
{
    const int64_t n = score->m, m = score->n > n ? score->n : n;
    assignment t = {.score = score, .m = m, .col = pair};
    fb_status s = FB_OK;
    FB_TRY(FB_NEW(&t.row, m, e));
    FB_TRY(FB_NEW(&t.from, m, e));
    FB_TRY(FB_NEW(&t.v, m, e));
    FB_TRY(FB_NEW(&t.d, m, e));
    FB_TRY(FB_NEW(&t.near, m, e));
    for (int64_t j = 0; j < m; j++)
        t.row[j] = -1;
    for (int64_t i = 0; i < n; i++)
        augment(&t, i);
    for (int64_t i = 0; i < n; i++)
        if (pair[i] >= score->n)
            pair[i] = -1;
out:
    FB_FREE(t.row, t.from, t.v, t.d, t.near);
    return s;
}
