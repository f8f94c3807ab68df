/* SPDX-License-Identifier: GPL-3.0-or-later */
/* openfast.c - the superelement file of OpenFAST's ExtPtfm, text.
 *
 * Symbols  n = 6 + modal coordinates, W0 and KW self-weight, G_a = T'M r_a (/reduced/gravity), g
 *          9.80665 m/s^2 along -z
 * Layout   comments begin with an exclamation mark, and some of them are keywords; numbers stand
 *          row by row. Coordinates: the three displacements and three rotations of the interface
 *          node, then the modal ones.
 *          dialect flex5:   "!Dimension: n", time increment and total time, !Mass, !Stiffness,
 *                           !Damping Matrix with a line that repeats the dimension, and !Loading, a
 *                           row an instant: time, n forces (none: zeros at 0 and 1 s)
 *          dialect weight:  no loads, no repeated lines; "!Weight constant" W0 and "!Weight
 *                           stiffness" KW
 * Equations
 *   (OF.1) W0 = -g G_z
 *   (OF.2) of a free body, whose axes follow the interface:  KW = [0 0 0, g G_y, -g G_x, 0 ...],
 *          columns of the rotations about x and y; of a held one KW = 0
 * Assumed  by ExtPtfm: SI units, one interface node with six dofs, z up.
 * Source   OpenFAST, ExtPtfm_MCKF_IO.f90 (ReadReducedFile, CheckReducedInputs) and its manual
 */
#include "status.h"
#include "memory.h"
#include "body.h"
#include "writer.h"
#include <stdlib.h>
#include <string.h>

static const char who[] = "an ExtPtfm file of OpenFAST";
static const double standard_gravity = 9.80665; /* m/s^2 */

/* The coordinates in its order: components 1 to 6 of the one node, then the others. */
static fb_status order_of(const fb_coords *c, int64_t *order, fb_err *e)
{
    int64_t n = 0, node = 0;
    for (int64_t k = 0; k < c->nr; k++) {
        if (node && c->node[k] && c->node[k] != node)
            return fb_fail(e, FB_EFORMAT,
                           "%s holds one interface node, the body has %lld and %lld: reduce it "
                           "with --interface %lld alone",
                           who, (long long)node, (long long)c->node[k], (long long)node);
        node = c->node[k] ? c->node[k] : node;
    }
    for (int64_t comp = 1; comp <= 6; comp++) {
        int64_t k = 0;
        while (k < c->nr && !(c->node[k] == node && c->component[k] == comp))
            k++;
        if (k == c->nr)
            return fb_fail(
                e, FB_EFORMAT,
                "%s wants all six dofs of the interface node, %s is missing: give reduce "
                "an --interface of a whole node with rotations",
                who, fb_name_of(node, comp).s);
        order[n++] = k;
    }
    for (int64_t k = 0; k < c->nr; k++)
        if (!c->node[k])
            order[n++] = k;
    return FB_OK;
}

static void matrix(fb_buf *o, const char *name, const double *A, int64_t n, int repeat)
{
    fb_put_text(o, "\n!%s\n", name);
    if (repeat)
        fb_put_text(o, "!Dimension: %lld\n", (long long)n);
    for (int64_t i = 0; i < n; i++)
        for (int64_t j = 0; j < n; j++)
            fb_put_text(o, "%24.16e%s", A ? A[i + j * n] : 0.0, j + 1 < n ? "" : "\n");
}

static void no_loads(fb_buf *o, int64_t n)
{
    fb_put_text(o,
                "\n!Loading and Wave Elevation\n!Dimension: 1 time column - %lld force columns\n",
                (long long)n);
    for (int t = 0; t < 2; t++) {
        fb_put_text(o, "%d", t);
        for (int64_t k = 0; k < n; k++)
            fb_put_text(o, " 0");
        fb_put_text(o, "\n");
    }
}

static fb_status weight(fb_buf *o, const fb_model *b, const fb_coords *c, const int64_t *order,
                        fb_log *log, fb_err *e)
{
    const int64_t n = b->nr;
    const double g = standard_gravity;
    int64_t rigid = 0;
    double *KW = NULL;
    fb_status s = FB_OK;
    FB_TRY(fb_new(&KW, n * n, 8, "self-weight", e));
    FB_TRY(fb_rigid_modes(b, &rigid, e));
    if (!b->gravity)
        fb_warn(log, "the body brings no gravity load (/reduced/gravity): its weight is left out");
    fb_put_text(o, "\n!Weight constant\n");
    for (int64_t i = 0; i < n; i++) {
        const int64_t k = order[i];
        double G[3] = {0};
        for (int a = 0; b->gravity && a < 3; a++)
            G[a] = b->gravity[a * n + k] / c->scale[k];
        fb_put_text(o, "%24.16e%s", 0 - g * G[2], i + 1 < n ? "" : "\n"); /* (OF.1) */
        KW[i + 3 * n] = rigid ? g * G[1] : 0;                             /* (OF.2) */
        KW[i + 4 * n] = rigid ? 0 - g * G[0] : 0;
    }
    matrix(o, "Weight stiffness", KW, n, 0);
out:
    free(KW);
    return s;
}

static fb_status write_openfast(const fb_model *b, const fb_export *ask, fb_buf *o, fb_log *log,
                                fb_err *e)
{
    const int flex5 = !strcmp(ask->dialect, "flex5");
    fb_coords c = {0};
    int64_t *order = NULL;
    double *A[3] = {0};
    fb_status s = FB_OK;
    FB_TRY(fb_need_modes(b, who, e));
    FB_TRY(fb_need_si(b, who, e));
    FB_TRY(fb_coords_new(b, who, &c, e));
    FB_TRY(fb_new(&order, b->nr, 8, "order of the coordinates", e));
    FB_TRY(order_of(&c, order, e));
    FB_TRY(fb_coords_matrix(&c, b->Mr, order, 1, A, e));
    FB_TRY(fb_coords_matrix(&c, b->Kr, order, 1, A + 1, e));
    if (b->Dr)
        FB_TRY(fb_coords_matrix(&c, b->Dr, order, 0, A + 2, e));
    fb_put_text(o, "!flexbody: interface node %lld, %lld modal coordinates; units %s\n",
                (long long)c.node[order[0]], (long long)(b->nr - 6), fb_units_list(&b->units).s);
    fb_put_text(o, "!%sDimension: %lld\n", flex5 ? "Comment Flex 5 Format\n!" : "",
                (long long)b->nr);
    if (flex5)
        fb_put_text(o, "!Time increment in simulation: 1\n!Total simulation time in file: 1\n");
    matrix(o, "Mass Matrix", A[0], b->nr, flex5);
    matrix(o, "Stiffness Matrix", A[1], b->nr, flex5);
    matrix(o, "Damping Matrix", A[2], b->nr, flex5);
    if (flex5)
        no_loads(o, b->nr);
    else
        FB_TRY(weight(o, b, &c, order, log, e));
    s = fb_buf_status(o, e);
out:
    for (int k = 0; k < 3; k++)
        free(A[k]);
    free(order);
    fb_coords_free(&c);
    return s;
}

static const fb_dialect dialects[] = {
    {"flex5", "FLEX 5 form with loads, here zeros: releases before 2026", 0},
    {"weight", "with self-weight: the development version of 2026", 0},
    {0},
};

const fb_writer fb_writer_openfast = {
    .name = "openfast",
    .doc = "OpenFAST ExtPtfm superelement",
    .dialects = dialects,
    .write = write_openfast,
};
