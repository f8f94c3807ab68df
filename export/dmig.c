/* SPDX-License-Identifier: GPL-3.0-or-later */
/* dmig.c - a Nastran punch file: GRID, SPOINT and DMIG cards.
 *
 * Layout   bulk data in 16-column fields: GRID cards of the interface nodes (basic system), SPOINT
 *          cards of the modal coordinates, then KAAX, MAAX and, with damping, BAAX, with loads PAX
 *          (form 9, a column a load): DMIG header
 *          (form 6 symmetric, 1 square for damping that is not; type 2 double), one DMIG* card a
 *          column (node, component), one * card a row, upper triangle or every row, zeros left out.
 *          Modal coordinates have component 0.
 *          dialect openradioss: KAAX and MAAX alone. Its starter takes the first line that is no
 *          comment for the DMIG header, every label for a node of its deck, and refuses BAAX.
 * Digits   11 (10 with a two-digit exponent): frequencies come back to about 1e-10.
 * Assumed  coordinates that are displacements of interface dofs (constraint modes), then modal
 *          ones; any units; any normalisation. Read by Nastran (K2GG, M2GG, B2GG, P2G) and
 *          OptiStruct. OpenRadioss' /FXBODY: no modal coordinates, no damping matrix.
 * Source   MSC Nastran Quick Reference Guide, DMIG; OpenRadioss, read_pch_file.F
 */
#include "memory.h"
#include "body.h"
#include "selftest.h"
#include "writer.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_NODE = 99999999 }; /* of 8 digits */
static const char who[] = "a DMIG punch file";

/* Nodes of the interface: cards, or comments where the deck has them already. */
static fb_status grids(const fb_model *b, const fb_labelled *l, int cards, fb_buf *o, fb_err *e)
{
    int64_t *node = NULL, n = 0;
    fb_index x = {0};
    fb_status s = FB_OK;
    FB_TRY(fb_new(&node, b->nr, 8, "grids", e));
    for (int64_t k = 0; k < b->nr; k++)
        if (l->c.node[k])
            node[n++] = l->c.node[k];
    n = fb_unique(node, n);
    FB_TRY(fb_index_new(&x, b->node_id, b->nn, "/nodes/id", e));
    for (int64_t k = 0; k < n; k++) {
        const double *u;
        char c[3][17];
        FB_TRY(fb_need_position(b, &x, node[k], who, &u, e));
        for (int a = 0; a < 3; a++)
            fb_real16(u[a], 'E', c[a]);
        if (cards)
            fb_put_text(o, "GRID*   %16lld%16s%16s%16s\n*       %16s\n", (long long)node[k], "0",
                        c[0], c[1], c[2]);
        else
            fb_put_text(o, "$ node %lld at %s %s %s\n", (long long)node[k], c[0], c[1], c[2]);
    }
    for (int64_t k = 0; cards && k < b->nr; k++)
        if (!l->c.node[k])
            fb_put_text(o, "SPOINT  %8lld\n", (long long)l->node[k]);
out:
    fb_index_free(&x);
    free(node);
    return s;
}

static void matrix(fb_buf *o, const char *name, const double *A, const fb_labelled *l)
{
    int64_t n = l->c.nr;
    const int half = fb_symmetric(A, n);
    fb_put_text(o, "DMIG    %-8s%8d%8d%8d%8d\n", name, 0, half ? 6 : 1, 2, 0);
    for (int64_t j = 0; j < n; j++) {
        int begun = 0;
        for (int64_t i = 0; i < (half ? j + 1 : n); i++) {
            char v[17];
            if (A[i + j * n] == 0)
                continue;
            if (!begun)
                fb_put_text(o, "DMIG*   %-16s%16lld%16lld\n", name, (long long)l->node[j],
                            (long long)l->component[j]);
            begun = 1;
            fb_real16(A[i + j * n], 'D', v);
            fb_put_text(o, "*       %16lld%16lld%16s\n", (long long)l->node[i],
                        (long long)l->component[i], v);
        }
    }
}

/* A column a load: rectangular, its number where others have a node. */
static void loads(const fb_model *b, fb_buf *o, const fb_labelled *l)
{
    const int64_t n = l->c.nr;
    char name[FB_NAME], v[17];
    for (int64_t j = 0; j < b->nload; j++)
        fb_put_text(o, "$ column %lld of PAX: %s\n", (long long)j + 1, fb_load_name(b, j, name));
    fb_put_text(o, "DMIG    %-8s%8d%8d%8d%8d%8s%8s%8lld\n", "PAX", 0, 9, 2, 0, "", "",
                (long long)b->nload);
    for (int64_t j = 0; j < b->nload; j++) {
        int begun = 0;
        for (int64_t i = 0; i < n; i++) {
            if (!(fabs(l->P[i + j * n]) > 0))
                continue;
            if (!begun)
                fb_put_text(o, "DMIG*   %-16s%16lld%16d\n", "PAX", (long long)j + 1, 0);
            begun = 1;
            fb_real16(l->P[i + j * n], 'D', v);
            fb_put_text(o, "*       %16lld%16lld%16s\n", (long long)l->node[i],
                        (long long)l->component[i], v);
        }
    }
}

static fb_status for_openradioss(const fb_labelled *l, fb_log *log, fb_err *e)
{
    if (l->P)
        fb_warn(log, "OpenRadioss takes no loads (PAX): they are left out");
    if (l->c.nb < l->c.nr)
        return fb_fail(
            e, FB_EFORMAT,
            "OpenRadioss takes the displacements of nodes alone, the body has %lld modal "
            "coordinates: reduce it by --guyan %lld",
            (long long)(l->c.nr - l->c.nb), (long long)l->c.nb);
    if (l->D)
        fb_warn(log, "OpenRadioss takes no damping matrix (BAAX): damping is left out");
    if (l->S || l->G)
        fb_warn(log, "OpenRadioss takes no %s matrix: it is left out",
                !l->S   ? "gyroscopic"
                : !l->G ? "structural damping"
                        : "structural damping or gyroscopic");
    return FB_OK;
}

static fb_status write_dmig(const fb_model *b, const fb_export *ask, fb_buf *o, fb_log *log,
                            fb_err *e)
{
    const int radioss = !strcmp(ask->dialect, "openradioss");
    fb_labelled l = {0};
    fb_status s = FB_OK;
    FB_TRY(fb_labelled_new(b, who, 0, MOST_NODE, ask->base, &l, log, e));
    if (radioss)
        FB_TRY(for_openradioss(&l, log, e));
    fb_labelled_head(b, &l, "$", o);
    FB_TRY(grids(b, &l, !radioss, o, e));
    matrix(o, "KAAX", l.K, &l);
    matrix(o, "MAAX", l.M, &l);
    if (l.D && !radioss)
        matrix(o, "BAAX", l.D, &l);
    if (l.S && !radioss)
        matrix(o, "K4AAX", l.S, &l);
    if (l.G && !radioss)
        matrix(o, "GAAX", l.G, &l);
    if (l.P && !radioss)
        loads(b, o, &l);
    s = fb_buf_status(o, e);
out:
    fb_labelled_free(&l);
    return s;
}

static fb_status test(const fb_model *b, const fb_export *ask, const char *file, fb_buf *o,
                      fb_err *e)
{
    static const char load[] =
        "A, column = {\"KAAX\": {}, \"MAAX\": {}}, None\n"
        "for line in open(name):\n"
        "    if line.startswith(\"DMIG*\"):\n"
        "        matrix, column = line[8:24].strip(), (int(line[24:40]), int(line[40:56]))\n"
        "    elif line.startswith(\"*\") and column and matrix in A:\n"
        "        A[matrix][(int(line[8:24]), int(line[24:40])), column] = "
        "float(line[40:56].replace(\"D\", \"E\"))\n"
        "    elif not line.startswith(\"*\"):\n"
        "        column = None\n"
        "dofs = sorted({i for i, j in A[\"MAAX\"]} | {j for i, j in A[\"MAAX\"]})\n"
        "K, M = (np.zeros((len(dofs), len(dofs))) for n in \"KM\")\n"
        "for X, matrix in ((K, \"KAAX\"), (M, \"MAAX\")):\n"
        "    for (i, j), x in A[matrix].items():\n"
        "        X[dofs.index(i), dofs.index(j)] = X[dofs.index(j), dofs.index(i)] = x\n"
        "p = np.array([float(d == (node, component)) for d in dofs])\n";
    (void)ask;
    return fb_test_python(b, who, file, "", load, 1e-6, o, e);
}

static const fb_dialect dialects[] = {
    {"nastran", "GRID, SPOINT, KAAX, MAAX, BAAX, K4AAX, GAAX and PAX: Nastran, OptiStruct", 0},
    {"openradioss", "KAAX and MAAX of displacements alone: OpenRadioss' /FXBODY", 0},
    {0},
};

static const fb_own own_options[] = {FB_LABELLED_OPTION, {0}};

const fb_writer fb_writer_dmig = {
    .name = "dmig",
    .doc = "Nastran DMIG punch",
    .loads = 1,
    .whole = 1,
    .keeps = 1,
    .options = own_options,
    .dialects = dialects,
    .write = write_dmig,
    .test = test,
    .test_ending = "py",
};
