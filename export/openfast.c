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
 *                           row an instant: time, n forces (constant; no load: zeros), 0 and 1 s
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
#include "selftest.h"
#include "dofset.h"
#include "writer.h"
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

static const char who[] = "an ExtPtfm file of OpenFAST";
static const double standard_gravity = 9.80665; /* m/s^2 */

/* The coordinates in its order: components 1 to 6 of the one node, then the others. */
static fb_status order_of(const fb_coords *c, int64_t *order, fb_err *e)
{
    int64_t n = 6, node = 0, six[6];
    for (int64_t k = 0; k < c->nr; k++) {
        if (node && c->node[k] && c->node[k] != node)
            return fb_fail(e, FB_EFORMAT,
                           "%s holds one interface node, the body has %lld and %lld: reduce it "
                           "with --interface %lld alone",
                           who, (long long)node, (long long)c->node[k], (long long)node);
        node = c->node[k] ? c->node[k] : node;
    }
    FB_PASS(fb_coords_six(c, node, who, six, e));
    memcpy(order, six, sizeof six);
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
            fb_put_text(o, "%s%.16e%s", j ? " " : "", A ? A[i + j * n] : 0.0,
                        j + 1 < n ? "" : "\n");
}

/* The load of --load, or the only one; -1: none. */
static fb_status which(const fb_model *b, const fb_export *ask, int64_t *load, fb_log *log,
                       fb_err *e)
{
    char name[FB_NAME], known[400] = "";
    const int64_t n = b->load ? b->nload : 0;
    *load = n == 1 && !ask->load ? 0 : -1;
    for (int64_t k = 0; k < n; k++) {
        const size_t at = strlen(known);
        (void)fb_load_name(b, k, name);
        if (ask->load && !strcasecmp(name, ask->load))
            *load = k;
        snprintf(known + at, sizeof known - at, "%s%s%s%s", at ? ", " : "", fb_name_quote(name),
                 name, fb_name_quote(name));
    }
    if (ask->load && *load < 0)
        return fb_fail(e, FB_EUSAGE, "--load %s: the body has %s%s", ask->load,
                       n ? "the loads " : "no loads", known);
    if (n > 1 && *load < 0)
        fb_warn(log,
                "an ExtPtfm file holds one load, the body has %s: none is written, --load NAME "
                "chooses",
                known);
    return FB_OK;
}

/* A constant load p in the displacements, NULL: none. */
static void loading(fb_buf *o, const double *p, const int64_t *order, int64_t n)
{
    fb_put_text(o,
                "\n!Loading and Wave Elevation\n!Dimension: 1 time column - %lld force columns\n",
                (long long)n);
    for (int t = 0; t < 2; t++) {
        fb_put_text(o, "%d", t);
        for (int64_t k = 0; k < n; k++)
            if (p)
                fb_put_text(o, " %.16e", p[order[k]]);
            else
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
        fb_put_text(o, "%s%.16e%s", i ? " " : "", 0 - g * G[2], i + 1 < n ? "" : "\n"); /* (OF.1) */
        KW[i + 3 * n] = rigid ? g * G[1] : 0;                                           /* (OF.2) */
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
    double *A[3] = {0}, *P = NULL;
    int64_t load = -1;
    fb_status s = FB_OK;
    FB_TRY(fb_need_modes(b, who, e));
    FB_TRY(fb_need_si(b, who, e));
    if (flex5)
        FB_TRY(which(b, ask, &load, log, e));
    else if (ask->load || (b->load && b->nload))
        fb_warn(log, "dialect weight holds no loads: they are left out");
    FB_TRY(fb_coords_new(b, who, &c, e));
    FB_TRY(fb_new(&order, b->nr, 8, "order of the coordinates", e));
    FB_TRY(order_of(&c, order, e));
    FB_TRY(fb_coords_loads(b, &c, &P, e));
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
        loading(o, load >= 0 ? P + load * b->nr : NULL, order, b->nr);
    else
        FB_TRY(weight(o, b, &c, order, log, e));
    s = fb_buf_status(o, e);
out:
    for (int k = 0; k < 3; k++)
        free(A[k]);
    FB_FREE(order, P);
    fb_coords_free(&c);
    return s;
}

static fb_status test(const fb_model *b, const fb_export *ask, const char *file, fb_buf *o,
                      fb_err *e)
{
    static const char load[] =
        "lines, n, A = iter(open(name).read().splitlines()), 0, {}\n"
        "for line in lines:\n"
        "    if line.startswith(\"!Dimension:\") and not n:\n"
        "        n = int(line[11:])\n"
        "    if line.startswith(\"!Mass Matrix\") or line.startswith(\"!Stiffness Matrix\"):\n"
        "        rows = []\n"
        "        while len(rows) < n:\n"
        "            text = next(lines)\n"
        "            if text.strip() and not text.startswith(\"!\"):\n"
        "                rows.append([float(x) for x in text.split()])\n"
        "        A[line[1]] = np.array(rows)\n"
        "K, M, p = A[\"S\"], A[\"M\"], np.eye(n)[component - 1]\n";
    (void)ask;
    return fb_test_python(b, who, file, "", load, 1e-8, o, e);
}

static const fb_dialect dialects[] = {
    {"flex5", "FLEX 5 form with one load, constant in time: releases before 2026", 0},
    {"weight", "with self-weight: the development version of 2026", 0},
    {0},
};

static const fb_own own_options[] = {
    {"load", FB_TEXT, offsetof(fb_export, load), "NAME",
     "openfast: the load vector that acts, constant in time; default: the only one", NULL},
    {0}};

const fb_writer fb_writer_openfast = {
    .name = "openfast",
    .doc = "OpenFAST ExtPtfm superelement",
    .loads = 1,
    .options = own_options,
    .dialects = dialects,
    .write = write_openfast,
    .test = test,
    .test_ending = "py",
};
