/* SPDX-License-Identifier: GPL-3.0-or-later */
/* match.c - the dofs that two models share, by label or by position, and the assignment of modes. */
#include "correlate.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

typedef struct { /* one dof, sorted by label or by x */
    int64_t node, component, row;
    double  x;
} entry;

static int by_label(const void *a, const void *b)
{
    const entry *p = a, *q = b;
    if (p->node != q->node)
        return p->node < q->node ? -1 : 1;
    return (p->component > q->component) - (p->component < q->component);
}

static int by_x(const void *a, const void *b)
{
    const entry *p = a, *q = b;
    if (p->x != q->x)
        return p->x < q->x ? -1 : 1;
    return (p->row > q->row) - (p->row < q->row);
}

static fb_status sorted(const fb_shapes *s, int by_position, entry **out, int64_t *n, fb_err *e)
{
    entry *t = NULL;
    int64_t k = 0;
    fb_status r = fb_new(&t, s->nd, sizeof *t, "dofs to match", e);
    if (r)
        return r;
    for (int64_t d = 0; d < s->nd; d++)
        if (!by_position || (s->component[d] > 0 && isfinite(s->xyz[3 * d])))
            t[k++] = (entry){s->node[d], s->component[d], d, by_position ? s->xyz[3 * d] : 0};
    qsort(t, (size_t)k, sizeof *t, by_position ? by_x : by_label);
    *out = t;
    *n = k;
    return FB_OK;
}

/* For each dof of a its partner in b, or -1. */
static fb_status partners(const fb_shapes *a, const fb_shapes *b, double tolerance, int64_t *partner, fb_err *e)
{
    entry *t = NULL;
    int64_t n = 0;
    fb_status s = sorted(b, tolerance > 0, &t, &n, e);
    for (int64_t d = 0; !s && d < a->nd; d++) {
        partner[d] = -1;
        entry key = {a->node[d], a->component[d], -1, tolerance > 0 ? a->xyz[3 * d] - tolerance : 0};
        if (tolerance <= 0) {
            const entry *hit = bsearch(&key, t, (size_t)n, sizeof *t, by_label);
            partner[d] = hit ? hit->row : -1;
            continue;
        }
        int64_t lo = 0, hi = n;
        while (lo < hi) {
            int64_t mid = lo + (hi - lo) / 2;
            if (by_x(t + mid, &key) < 0)
                lo = mid + 1;
            else
                hi = mid;
        }
        double best = tolerance * tolerance;
        for (; lo < n && t[lo].x <= a->xyz[3 * d] + tolerance; lo++) {
            const double *u = a->xyz + 3 * d, *v = b->xyz + 3 * t[lo].row;
            double r2 = pow(u[0] - v[0], 2) + pow(u[1] - v[1], 2) + pow(u[2] - v[2], 2);
            if (t[lo].component == a->component[d] && r2 <= best && (partner[d] < 0 || r2 < best)) {
                best = r2;
                partner[d] = t[lo].row;
            }
        }
    }
    free(t);
    return s;
}

static fb_status keep_rows(fb_mat *X, const int64_t *row, int64_t n, fb_err *e)
{
    fb_mat Y = {0};
    fb_status s = fb_mat_new(&Y, n, X->n, e);
    if (s)
        return s;
    for (int64_t j = 0; j < X->n; j++)
        for (int64_t k = 0; k < n; k++)
            Y.x[k + j * n] = X->x[row[k] + j * X->m];
    fb_mat_free(X);
    *X = Y;
    return FB_OK;
}

fb_status fb_shapes_keep(fb_shapes *s, const int64_t *row, int64_t n, fb_err *e)
{
    fb_csc M = {0};
    int64_t *node = NULL, *component = NULL, same = 0;
    double *xyz = NULL;
    fb_status r = FB_OK;
    while (same < n && row[same] == same)
        same++;
    if (same == s->nd) /* all of them, as they are: large shapes are not copied */
        return FB_OK;
    s->normalised = 0;
    if ((r = FB_NEW(&node, n, e)) || (r = FB_NEW(&component, n, e)) || (s->xyz && (r = FB_NEW(&xyz, 3 * n, e))))
        goto out;
    if (s->M.p && (r = fb_csc_sub(&s->M, row, n, row, n, &M, e)))
        goto out;
    if ((r = keep_rows(&s->X, row, n, e)) || (s->Xi.x && (r = keep_rows(&s->Xi, row, n, e))))
        goto out;
    for (int64_t k = 0; k < n; k++) {
        node[k] = s->node[row[k]];
        component[k] = s->component[row[k]];
        if (xyz)
            memcpy(xyz + 3 * k, s->xyz + 3 * row[k], 3 * sizeof *xyz);
    }
    fb_csc_free(&s->M);
    free(s->node);
    free(s->component);
    free(s->xyz);
    s->xyz = xyz;
    s->nd = n;
    s->M = M;
    s->node = node;
    s->component = component;
    M = (fb_csc){0};
    node = NULL;
    component = NULL;
    xyz = NULL;
out:
    fb_csc_free(&M);
    free(node);
    free(component);
    free(xyz);
    return r;
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
    free(b.dof_class);
    free(dof);
    return s;
}

/* b in the unit of length of a, where both are known: positions, and translations beside rotations. */
static void same_units(const fb_shapes *a, fb_shapes *b)
{
    const double c = a->length > 0 && b->length > 0 ? b->length / a->length : 1;
    if (c == 1)
        return;
    for (int64_t k = 0; b->xyz && k < 3 * b->nd; k++)
        b->xyz[k] *= c;
    for (int64_t j = 0; j < b->n; j++)
        for (int64_t d = 0; d < b->nd; d++)
            if (b->component[d] >= 1 && b->component[d] <= 3) {
                b->X.x[d + j * b->nd] *= c;
                if (b->Xi.x)
                    b->Xi.x[d + j * b->nd] *= c;
            }
    b->length = a->length;
}

/* How far the nodes of matched dofs lie apart at most, as a share of the extent of a; 0 where it is not known. */
static double apart(const fb_shapes *a, const fb_shapes *b, const int64_t *ra, const int64_t *rb, int64_t n)
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

/* Labels say little where two files number their nodes alike: what looks like two bodies is said. */
static void doubt(const fb_shapes *a, const fb_shapes *b, const fb_matching *how, const int64_t *ra, const int64_t *rb, int64_t n,
                  fb_log *log)
{
    const double far = how->tolerance > 0 ? 0 : apart(a, b, ra, rb, n);
    const int64_t fewer = a->nd < b->nd ? a->nd : b->nd;
    if (far > 1e-3)
        fb_warn(log, "%s and %s: nodes of one number lie up to %.2g of the body's extent apart: are they two bodies, or in two "
                "units?", a->name, b->name, far);
    if (!how->dofs && 2 * n < fewer)
        fb_warn(log, "%s and %s share %lld dofs, less than half of the %lld of the smaller", a->name, b->name, (long long)n,
                (long long)fewer);
}

fb_status fb_shapes_match(fb_shapes *a, fb_shapes *b, const fb_matching *how, int64_t left_out[2], fb_log *log, fb_err *e)
{
    int64_t *partner = NULL, *ra = NULL, *rb = NULL, n = 0;
    char *chosen = NULL;
    fb_status s = FB_OK;
    if (how->tolerance > 0 && (!a->xyz || !b->xyz)) {
        s = fb_fail(e, FB_EFORMAT, "%s has no node positions: match by labels, without --nearest", a->xyz ? b->name : a->name);
        goto out;
    }
    same_units(a, b);
    FB_TRY(FB_NEW(&partner, a->nd, e));
    FB_TRY(FB_NEW(&ra, a->nd, e));
    FB_TRY(FB_NEW(&rb, a->nd, e));
    FB_TRY(FB_NEW(&chosen, a->nd, e));
    FB_TRY(partners(a, b, how->tolerance, partner, e));
    if (how->dofs)
        FB_TRY(choose(a, how->dofs, chosen, e));
    for (int64_t d = 0; d < a->nd; d++)
        if (partner[d] >= 0 && (!how->dofs || chosen[d])) {
            ra[n] = d;
            rb[n++] = partner[d];
        }
    if (n == 0) {
        s = fb_fail(e, FB_EFORMAT, "%s and %s have no dof in common (%lld and %lld dofs): are the node numbers the same? "
                    "--nearest TOL matches by position", a->name, b->name, (long long)a->nd, (long long)b->nd);
        goto out;
    }
    doubt(a, b, how, ra, rb, n, log);
    left_out[0] = a->nd - n;
    left_out[1] = b->nd - n;
    FB_TRY(fb_shapes_keep(a, ra, n, e));
    fb_csc_free(&b->M); /* the mass is the first model's */
    FB_TRY(fb_shapes_keep(b, rb, n, e));
out:
    free(partner);
    free(ra);
    free(rb);
    free(chosen);
    return s;
}

/* Shortest augmenting paths (Kuhn-Munkres with potentials), O(n^2 m); cost = -score.
 * Jonker & Volgenant, Computing 38 (1987) 325-340. */
fb_status fb_assign(const fb_mat *score, int64_t *pair, fb_err *e)
{
    int64_t n = score->m, m = score->n > n ? score->n : n; /* columns behind score->n stand for "none" */
    double *u = NULL, *v = NULL, *least = NULL;
    int64_t *row = NULL, *way = NULL;
    char *used = NULL;
    fb_status s = FB_OK;
    FB_TRY(FB_NEW(&u, n + 1, e));
    FB_TRY(FB_NEW(&v, m + 1, e));
    FB_TRY(FB_NEW(&least, m + 1, e));
    FB_TRY(FB_NEW(&row, m + 1, e));
    FB_TRY(FB_NEW(&way, m + 1, e));
    FB_TRY(FB_NEW(&used, m + 1, e));
    for (int64_t i = 1; i <= n; i++) {
        int64_t j0 = 0;
        row[0] = i;
        for (int64_t j = 0; j <= m; j++) {
            least[j] = INFINITY;
            used[j] = 0;
        }
        do { /* grow the tree of tight edges until a free column is reached */
            int64_t i0 = row[j0], j1 = 0;
            double delta = INFINITY;
            used[j0] = 1;
            for (int64_t j = 1; j <= m; j++) {
                if (used[j])
                    continue;
                double cost = j <= score->n ? -score->x[i0 - 1 + (j - 1) * n] : 0;
                if (cost - u[i0] - v[j] < least[j]) {
                    least[j] = cost - u[i0] - v[j];
                    way[j] = j0;
                }
                if (least[j] < delta) {
                    delta = least[j];
                    j1 = j;
                }
            }
            for (int64_t j = 0; j <= m; j++) {
                if (used[j]) {
                    u[row[j]] += delta;
                    v[j] -= delta;
                } else {
                    least[j] -= delta;
                }
            }
            j0 = j1;
        } while (row[j0]);
        for (; j0; j0 = way[j0])
            row[j0] = row[way[j0]];
    }
    for (int64_t j = 1; j <= m; j++)
        if (row[j])
            pair[row[j] - 1] = j <= score->n ? j - 1 : -1;
out:
    free(u);
    free(v);
    free(least);
    free(row);
    free(way);
    free(used);
    return s;
}
