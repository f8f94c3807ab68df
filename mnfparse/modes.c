/* SPDX-License-Identifier: GPL-3.0-or-later */
/* modes.c - mode shapes as readers find them, node by node, become a body: a reference for
 * correlate. */
#include "memory.h"
#include "parts.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define TWO_PI 6.283185307179586

fb_status fb_modes_begin(fb_modes *x, int64_t number, double hz, double mass, fb_err *e)
{
    FB_PASS(fb_grow(&x->mode, &x->cap_mode, x->n + 1, sizeof *x->mode, e));
    x->mode[x->n++] = (fb_mode_head){number, x->nrow, hz, mass, 0};
    return FB_OK;
}

fb_status fb_modes_row(fb_modes *x, int64_t node, const double v[6], fb_err *e)
{
    FB_PASS(fb_grow(&x->node, &x->cap_node, x->nrow + 1, sizeof *x->node, e));
    FB_PASS(fb_grow(&x->v, &x->cap_v, 6 * (x->nrow + 1), sizeof *x->v, e));
    memcpy(x->v + 6 * x->nrow, v, 6 * sizeof *v);
    x->node[x->nrow++] = node;
    return FB_OK;
}

/* The rows of mode k, which has each node once. */
static fb_status fill_shape(const fb_modes *x, int64_t k, const fb_index *at, double *shape,
                            fb_log *log, fb_err *e)
{
    const int64_t end = k + 1 < x->n ? x->mode[k + 1].first : x->nrow;
    int64_t had = 0;
    char *seen = NULL;
    fb_status s = FB_OK;
    FB_TRY(fb_new(&seen, at->n, 1, "nodes of a mode shape", e));
    for (int64_t r = x->mode[k].first; r < end; r++) {
        const int64_t q = fb_index_find(at, x->node[r]);
        if (seen[q]++)
            FB_TRY(fb_fail(e, FB_EFORMAT, "mode %lld has values for node %lld twice",
                           (long long)x->mode[k].number, (long long)x->node[r]));
        memcpy(shape + 6 * q, x->v + 6 * r, 6 * sizeof *shape);
        had++;
    }
    if (had < at->n)
        fb_warn(log, "mode %lld has no values at %lld of %lld nodes: taken as 0",
                (long long)x->mode[k].number, (long long)(at->n - had), (long long)at->n);
out:
    free(seen);
    return s;
}

static fb_status fill_nodes(const fb_modes *x, fb_model *b, fb_err *e)
{
    FB_PASS(fb_copy(&b->node_id, x->node, x->nrow, 8, "node numbers", e));
    b->nn = fb_unique(b->node_id, x->nrow);
    return FB_OK;
}

/* Has every mode the same nodes in the same order? Then how many, else 0. */
static int64_t in_step(const fb_modes *x)
{
    const int64_t nn = x->n ? x->nrow / x->n : 0;
    for (int64_t k = 0; k < x->n; k++)
        if (x->mode[k].first != k * nn || x->nrow != x->n * nn ||
            memcmp(x->node + k * nn, x->node, (size_t)nn * sizeof *x->node) != 0)
            return 0;
    return nn;
}

/* The rows as they stand are the shapes. */
static fb_status take(fb_modes *x, int64_t nn, fb_model *b, fb_err *e)
{
    fb_index at = {0};
    FB_PASS(fb_index_new(&at, x->node, nn, "the nodes of a mode", e));
    fb_index_free(&at);
    FB_PASS(fb_copy(&b->node_id, x->node, nn, 8, "node numbers", e));
    b->nn = nn;
    b->shape = x->v;
    x->v = NULL;
    return FB_OK;
}

static fb_status spread(const fb_modes *x, fb_model *b, fb_log *log, fb_err *e)
{
    fb_index at = {0};
    fb_status s = FB_OK;
    FB_TRY(fill_nodes(x, b, e));
    FB_TRY(fb_index_new(&at, b->node_id, b->nn, "the nodes", e));
    FB_TRY(fb_new(&b->shape, x->n * b->nn * 6, 8, "mode shapes", e));
    for (int64_t k = 0; k < x->n; k++)
        FB_TRY(fill_shape(x, k, &at, b->shape + k * b->nn * 6, log, e));
out:
    fb_index_free(&at);
    return s;
}

fb_status fb_modes_fill(fb_modes *x, fb_model *b, fb_log *log, fb_err *e)
{
    const int64_t nn = in_step(x);
    return nn ? take(x, nn, b, e) : spread(x, b, log, e);
}

fb_status fb_modes_body(fb_modes *x, fb_parts *p, const char *format, fb_log *log, fb_err *e)
{
    fb_model *b = &p->body;
    int masses = 1;
    if (b->nn)
        return fb_fail(e, FB_EUSAGE, "a second body with modes: one is wanted");
    if (!b->format[0])
        snprintf(b->format, sizeof b->format, "%s", format);
    if (!b->units.name[0][0])
        fb_units_unnamed(&b->units);
    FB_PASS(fb_modes_fill(x, b, log, e));
    FB_PASS(fb_new(&b->mode_number, x->n, 8, "mode numbers", e));
    FB_PASS(fb_new(&b->eigen, 5 * x->n, 8, "eigenvalues", e));
    b->nm = x->n;
    for (int64_t k = 0; k < x->n; k++) {
        const fb_mode_head *m = x->mode + k;
        const double w = TWO_PI * m->hz, lambda = w * fabs(w),
                     row[5] = {lambda, m->hz, w, m->mass, m->mass * lambda};
        b->mode_number[k] = m->number;
        memcpy(b->eigen + 5 * k, row, sizeof row);
        masses = masses && m->mass > 0;
    }
    if (masses) {
        FB_PASS(fb_model_diagonal(b, e));
        FB_PASS(fb_model_frequencies(b, NULL, e));
        FB_PASS(fb_model_nodal_dofs(b, e));
    }
    p->modes_yield = 1;
    return FB_OK;
}

/* Numbers that are not all different, or not all there, become 1, 2, ... */
static void number(fb_modes *x)
{
    int distinct = 1;
    for (int64_t k = 0; k < x->n; k++)
        distinct = distinct && x->mode[k].number > (k ? x->mode[k - 1].number : 0);
    for (int64_t k = 0; !distinct && k < x->n; k++)
        x->mode[k].number = k + 1;
}

fb_status fb_modes_results(fb_modes *x, fb_parts *p, const char *format, const char *file,
                           const char *date, int along_axes, fb_log *log, fb_err *e)
{
    number(x);
    FB_PASS(fb_modes_body(x, p, format, log, e));
    snprintf(p->results, sizeof p->results, "%.240s%s%s", fb_base_name(file), date[0] ? " of " : "",
             date);
    p->along_axes = along_axes;
    return FB_OK;
}
