/* SPDX-License-Identifier: GPL-3.0-or-later */
/* simscape.c - a MATLAB 5 file for Simscape Multibody's block "Reduced Order Flexible Solid".
 *
 * Layout   one struct `body`: P [p x 3] origins of the interface frames, Q [p x 4] their
 *          orientations (unit quaternions, scalar first: parallel to the body's axes), K, M, C [N x
 *          N], dof [N x 2] (node, component; modal coordinates 0, 1 2 3 ...), nodes [p x 1],
 *          frequency [N x 1] in Hz. N = 6 p + m: node by node Tx Ty Tz Rx Ry Rz, then the m modal
 *          coordinates.
 * Assumed  every interface node keeps all six dofs; the body is free: K, M have exactly six rigid
 *          motions; symmetric matrices; the units of the block (SI unless it is told otherwise).
 *          The block makes the first interface frame its body frame. Any normalisation of the
 *          modes.
 * Source   MathWorks documentation of the block
 */
#include "status.h"
#include "memory.h"
#include "body.h"
#include "matfile.h"
#include "selftest.h"
#include "writer.h"
#include <string.h>

static const char who[] = "a Reduced Order Flexible Solid";

typedef struct {
    int64_t p, n;   /* frames, coordinates */
    int64_t *order; /* [n] */
    double *K, *M, *C, *P, *Q, *dof, *node;
} solid;

static void solid_free(solid *t)
{
    FB_FREE(t->order, t->K, t->M, t->C, t->P, t->Q, t->dof, t->node);
}

/* The interface nodes in the order in which their first coordinate appears. */
static fb_status frames(const fb_model *b, const fb_coords *c, solid *t, fb_err *e)
{
    fb_index x = {0};
    fb_status s = FB_OK;
    FB_TRY(fb_new(&t->node, c->nb, 8, "frames", e));
    FB_TRY(fb_new(&t->P, 3 * c->nb, 8, "frames", e));
    FB_TRY(fb_new(&t->Q, 4 * c->nb, 8, "frames", e));
    for (int64_t k = 0; k < c->nr; k++) {
        int64_t q = 0;
        while (q < t->p && t->node[q] != (double)c->node[k])
            q++;
        if (c->node[k] && q == t->p)
            t->node[t->p++] = (double)c->node[k];
    }
    FB_TRY(fb_index_new(&x, b->node_id, b->nn, "/nodes/id", e));
    for (int64_t q = 0; q < t->p; q++) {
        const double *u;
        FB_TRY(fb_need_position(b, &x, (int64_t)t->node[q], who, &u, e));
        memcpy(t->P + 3 * q, u, 3 * sizeof *u);
        t->Q[4 * q] = 1;
    }
out:
    fb_index_free(&x);
    return s;
}

static fb_status order(const fb_coords *c, solid *t, fb_err *e)
{
    t->n = 0;
    FB_PASS(fb_new(&t->order, c->nr, 8, "order of the coordinates", e));
    FB_PASS(fb_new(&t->dof, 2 * c->nr, 8, "order of the coordinates", e));
    for (int64_t q = 0; q < t->p; q++) {
        int64_t six[6];
        FB_PASS(fb_coords_six(c, (int64_t)t->node[q], who, six, e));
        for (int k = 0; k < 6; k++)
            t->order[t->n++] = six[k];
    }
    for (int64_t k = 0; k < c->nr; k++)
        if (!c->node[k])
            t->order[t->n++] = k;
    for (int64_t k = 0; k < t->n; k++) {
        t->dof[2 * k] = (double)c->node[t->order[k]];
        t->dof[2 * k + 1] = (double)c->component[t->order[k]];
    }
    return FB_OK;
}

static fb_status free_body(const fb_model *b, fb_err *e)
{
    int64_t rigid = 0;
    fb_status s = fb_rigid_modes(b, &rigid, e);
    if (s)
        return fb_context(e, "%s wants a positive definite mass", who);
    if (rigid != 6)
        return fb_fail(e, FB_EFORMAT,
                       "%s wants a free body with six rigid motions, this one has %lld: %s", who,
                       (long long)rigid,
                       rigid < 6 ? "run reduce without --fix; where supports are in the matrices "
                                   "(*BOUNDARY, SPC), export them without"
                                 : "parts of it hang on nothing");
    return FB_OK;
}

static fb_status emit(const fb_model *b, const solid *t, fb_buf *o, fb_err *e)
{
    const fb_matvar field[] = {
        {.name = "P", .rank = 2, .dim = {t->p, 3}, .x = t->P},
        {.name = "Q", .rank = 2, .dim = {t->p, 4}, .x = t->Q},
        {.name = "K", .rank = 2, .dim = {t->n, t->n}, .x = t->K},
        {.name = "M", .rank = 2, .dim = {t->n, t->n}, .x = t->M},
        {.name = "C", .rank = 2, .dim = {t->n, t->n}, .x = t->C, .by_column = 1},
        {.name = "dof", .rank = 2, .dim = {t->n, 2}, .x = t->dof},
        {.name = "nodes", .rank = 1, .dim = {t->p}, .x = t->node},
        {.name = "frequency", .rank = 1, .dim = {b->frequency ? t->n : 0}, .x = b->frequency},
    };
    return fb_matfile_write(o, 5, "body", field, sizeof field / sizeof *field, e);
}

static fb_status write_simscape(const fb_model *b, const fb_export *ask, fb_buf *o, fb_log *log,
                                fb_err *e)
{
    fb_coords c = {0};
    solid t = {0};
    fb_status s = FB_OK;
    (void)ask;
    FB_TRY(fb_need_modes(b, who, e));
    FB_TRY(fb_coords_new(b, who, &c, e));
    FB_TRY(frames(b, &c, &t, e));
    FB_TRY(order(&c, &t, e));
    FB_TRY(free_body(b, e));
    FB_TRY(fb_need_inertia(b, &(fb_inertia_set){.M = b->Mr}, who, 1, log, e));
    FB_TRY(fb_coords_matrix(&c, b->Kr, t.order, 1, &t.K, e));
    FB_TRY(fb_coords_matrix(&c, b->Mr, t.order, 1, &t.M, e));
    if (b->Dr)
        FB_TRY(fb_coords_matrix(&c, b->Dr, t.order, 0, &t.C, e));
    else
        FB_TRY(fb_new(&t.C, t.n * t.n, 8, "damping", e));
    for (int k = 0; k < FB_NUNIT; k++)
        if (b->units.factor[k] != 1)
            fb_note(log, "the block must be told the unit of %s: %s", fb_unit_kinds[k],
                    b->units.name[k]);
    s = emit(b, &t, o, e);
out:
    fb_coords_free(&c);
    solid_free(&t);
    return s;
}

static fb_status test(const fb_model *b, const fb_export *ask, const char *file, fb_buf *o,
                      fb_err *e)
{
    static const char load[] = "load(name, 'body');\n"
                               "K = body.K; M = body.M; f = double(body.dof(:, 1) == node & "
                               "body.dof(:, 2) == component);\n";
    (void)ask;
    return fb_test_octave(b, who, file, load, o, e);
}

const fb_writer fb_writer_simscape = {
    .name = "simscape",
    .doc = "Simscape Multibody, Reduced Order Flexible Solid (.mat)",
    .binary = 1,
    .write = write_simscape,
    .test = test,
    .test_ending = "m",
};
