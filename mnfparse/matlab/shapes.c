/* SPDX-License-Identifier: GPL-3.0-or-later */
/* shapes.c - mode shapes of a test, or of a model, from the variables of a .mat file.
 *
 * Shapes   [rows x modes], real or complex; row r is entry r of the dof table, or without one the
 *          nodes in turn, 3 or 6 rows each
 * Modes    one frequency each, in Hz
 */
#include "status.h"
#include "memory.h"
#include "mat.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define TWO_PI 6.283185307179586

void fb_mat_shapes_free(fb_mat_shapes *t)
{
    FB_FREE(t->re, t->im, t->hz);
    *t = (fb_mat_shapes){0};
}

static fb_status copy(const double *x, int64_t n, const char *what, double **out, fb_err *e)
{
    fb_status s = fb_new(out, n, sizeof **out, what, e);
    if (!s)
        memcpy(*out, x, (size_t)n * sizeof **out);
    return s;
}

fb_status fb_mat_shapes_set(fb_mat_shapes *t, const char *name, int64_t rows, int64_t nm,
                            const double *re, const double *im, fb_err *e)
{
    fb_status s = FB_OK;
    if (t->re)
        return FB_OK;
    FB_TRY(copy(re, rows * nm, "mode shapes", &t->re, e));
    if (im)
        FB_TRY(copy(im, rows * nm, "imaginary parts of mode shapes", &t->im, e));
    snprintf(t->name, sizeof t->name, "%.63s", name);
    t->rows = rows;
    t->nm = nm;
out:
    return s;
}

fb_status fb_mat_shapes_hz(fb_mat_shapes *t, int64_t n, const double *hz, fb_err *e)
{
    fb_status s = t->hz ? FB_OK : copy(hz, n, "frequencies", &t->hz, e);
    if (!s && !t->nhz)
        t->nhz = n;
    return s;
}

int fb_mat_shapes_labelled(const fb_mat_shapes *t, const fb_parts *p)
{
    return p->ntable == t->rows ||
           (!p->ntable && p->nn && (t->rows == 3 * p->nn || t->rows == 6 * p->nn));
}

/* Node and component 1..6 of each row. */
static fb_status labels(const fb_mat_shapes *t, const fb_parts *p, int64_t *node,
                        int64_t *component, fb_err *e)
{
    if (p->ntable == t->rows) {
        memcpy(node, p->table.node, (size_t)t->rows * sizeof *node);
        memcpy(component, p->table.component, (size_t)t->rows * sizeof *component);
        return FB_OK;
    }
    if (!fb_mat_shapes_labelled(t, p))
        return fb_fail(e, FB_EFORMAT,
                       "variable %s: which dof is a row? It has %lld; the dof table has %lld, and "
                       "there are %lld nodes "
                       "(3 or 6 rows each): a variable dofs of [node component] says it",
                       t->name, (long long)t->rows, (long long)p->ntable, (long long)p->nn);
    const int64_t each = t->rows == 3 * p->nn ? 3 : 6;
    for (int64_t r = 0; r < t->rows; r++) {
        node[r] = p->node_id[r / each];
        component[r] = 1 + r % each;
    }
    return FB_OK;
}

static fb_status eigenvalues(const fb_mat_shapes *t, fb_model *b, fb_err *e)
{
    if (t->nhz != t->nm)
        return fb_fail(e, FB_EFORMAT,
                       "variable %s has %lld mode shapes, and there are %lld frequencies: a vector "
                       "freq in Hz is "
                       "wanted",
                       t->name, (long long)t->nm, (long long)t->nhz);
    fb_status s = fb_new(&b->eigen, 5 * t->nm, sizeof *b->eigen, "eigenvalues", e);
    for (int64_t k = 0; !s && k < t->nm; k++) {
        const double f = t->hz[k], w = TWO_PI * f, row[5] = {w * w, f, w, 0, 0};
        if (!isfinite(w * w))
            return fb_fail(e, FB_EFORMAT, "frequency %lld is not finite", (long long)k + 1);
        memcpy(b->eigen + 5 * k, row, sizeof row);
    }
    return s;
}

/* Row r of every shape goes to its node and component; a dof twice is an error. */
static fb_status place(const fb_mat_shapes *t, const int64_t *node, const int64_t *component,
                       fb_model *b, fb_err *e)
{
    fb_index x = {0};
    char *seen = NULL;
    fb_status s = FB_OK;
    FB_TRY(fb_index_new(&x, b->node_id, b->nn, "the nodes", e));
    FB_TRY(FB_NEW(&seen, 6 * b->nn, e));
    for (int64_t r = 0; r < t->rows; r++) {
        if (component[r] < 1 || component[r] > 6) {
            s = fb_fail(e, FB_EFORMAT,
                        "variable %s, row %lld: component %lld of node %lld is no translation or "
                        "rotation",
                        t->name, (long long)r + 1, (long long)component[r], (long long)node[r]);
            goto out;
        }
        const int64_t at = 6 * fb_index_find(&x, node[r]) + component[r] - 1;
        if (seen[at]++) {
            s = fb_fail(e, FB_EFORMAT, "variable %s, row %lld: dof %s has a row already", t->name,
                        (long long)r + 1, fb_name_of(node[r], component[r]).s);
            goto out;
        }
        for (int64_t k = 0; k < t->nm; k++) {
            const double re = t->re[r + k * t->rows], im = t->im ? t->im[r + k * t->rows] : 0;
            if (!isfinite(re) || !isfinite(im)) {
                s = fb_fail(e, FB_EFORMAT, "variable %s, row %lld, column %lld: not finite",
                            t->name, (long long)r + 1, (long long)k + 1);
                goto out;
            }
            b->shape[at + 6 * k * b->nn] = re;
            if (t->im)
                b->shape_imag[at + 6 * k * b->nn] = im;
        }
    }
out:
    fb_index_free(&x);
    free(seen);
    return s;
}

/* A mass matrix of as many rows, beside the shapes, has theirs. */
static fb_status label_mass(fb_parts *p, const int64_t *node, const int64_t *component, int64_t n,
                            fb_err *e)
{
    for (int64_t k = 0; k < p->nmatrix; k++) {
        fb_matrix *m = p->matrix + k;
        if (m->row.node || m->role == FB_ROLE_OTHER || m->A.m != n || m->A.n != n)
            continue;
        FB_PASS(fb_labels_new(&m->row, n, 0, e));
        memcpy(m->row.node, node, (size_t)n * sizeof *node);
        memcpy(m->row.component, component, (size_t)n * sizeof *component);
    }
    return FB_OK;
}

fb_status fb_mat_shapes_body(const fb_mat_shapes *t, fb_parts *p, fb_err *e)
{
    fb_model b = {.nm = t->nm};
    int64_t *node = NULL, *component = NULL;
    fb_status s = FB_OK;
    if (p->body.nn) {
        s = fb_fail(e, FB_EUSAGE, "a second body with modes: one is wanted");
        goto out;
    }
    FB_TRY(FB_NEW(&node, t->rows, e));
    FB_TRY(FB_NEW(&component, t->rows, e));
    FB_TRY(labels(t, p, node, component, e));
    FB_TRY(fb_new(&b.node_id, t->rows, sizeof *b.node_id, "node numbers", e));
    memcpy(b.node_id, node, (size_t)t->rows * sizeof *node);
    b.nn = fb_unique(b.node_id, t->rows);
    FB_TRY(eigenvalues(t, &b, e));
    FB_TRY(fb_new(&b.mode_number, t->nm, sizeof *b.mode_number, "mode numbers", e));
    for (int64_t k = 0; k < t->nm; k++)
        b.mode_number[k] = k + 1;
    FB_TRY(fb_new(&b.shape, 6 * t->nm, sizeof *b.shape * (size_t)b.nn, "mode shapes", e));
    if (t->im)
        FB_TRY(fb_new(&b.shape_imag, 6 * t->nm, sizeof *b.shape * (size_t)b.nn,
                      "imaginary parts of mode shapes", e));
    FB_TRY(place(t, node, component, &b, e));
    FB_TRY(label_mass(p, node, component, t->rows, e));
    fb_units_unnamed(&b.units);
    snprintf(b.format, sizeof b.format, "matlab");
    FB_FREE(p->table.node, p->table.component, p->table.class);
    p->table = (fb_labels){0};
    p->ntable = 0;
    p->body = b;
    b = (fb_model){0};
out:
    FB_FREE(node, component);
    fb_model_free(&b);
    return s;
}
