/* SPDX-License-Identifier: GPL-3.0-or-later */
/* dmig.c - a Nastran punch file: GRID, SPOINT and DMIG cards.
 *
 * Layout   bulk data in 16-column fields: GRID cards of the interface nodes (basic system), SPOINT
 *          cards of the modal coordinates, then KAAX, MAAX and, with damping, BAAX: DMIG header
 *          (form 6 symmetric, 1 square for damping that is not; type 2 double), one DMIG* card a
 *          column (node, component), one * card a row, upper triangle or every row, zeros left out.
 *          Modal coordinates have component 0.
 * Digits   11 (10 with a two-digit exponent): frequencies come back to about 1e-10.
 * Assumed  coordinates that are displacements of interface dofs (constraint modes), then modal
 *          ones; any units; any normalisation. Read by Nastran (K2GG, M2GG, B2GG), OptiStruct,
 *          MYSTRAN; OpenRadioss' /FXBODY takes KAAX and MAAX of bodies without modal coordinates.
 * Source   MSC Nastran Quick Reference Guide, DMIG
 */
#include "memory.h"
#include "body.h"
#include "writer.h"
#include <stdlib.h>
#include <string.h>

enum { MOST_NODE = 99999999 }; /* of 8 digits */
static const char who[] = "a DMIG punch file";

static fb_status grids(const fb_model *b, const fb_labelled *l, fb_buf *o, fb_err *e)
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
        const double *u = fb_position(b, &x, node[k]);
        char c[3][17];
        for (int a = 0; a < 3; a++)
            fb_real16(u ? u[a] : 0, 'E', c[a]);
        fb_put_text(o, "GRID*   %16lld%16s%16s%16s\n*       %16s\n", (long long)node[k], "0", c[0],
                    c[1], c[2]);
    }
    for (int64_t k = 0; k < b->nr; k++)
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
    const int half = fb_mat_is_symmetric(&(fb_mat){n, n, (double *)(uintptr_t)A});
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

static fb_status write_dmig(const fb_model *b, const fb_export *ask, fb_buf *o, fb_log *log,
                            fb_err *e)
{
    fb_labelled l = {0};
    fb_status s = FB_OK;
    (void)ask;
    (void)log;
    FB_TRY(fb_labelled_new(b, who, 0, MOST_NODE, &l, e));
    fb_put_text(o, "$ flexbody: %lld coordinates, %lld of them interface dofs; %s, %s, %s, %s\n",
                (long long)b->nr, (long long)l.c.nb, b->units.name[FB_MASS],
                b->units.name[FB_LENGTH], b->units.name[FB_TIME], b->units.name[FB_FORCE]);
    FB_TRY(grids(b, &l, o, e));
    matrix(o, "KAAX", l.K, &l);
    matrix(o, "MAAX", l.M, &l);
    if (l.D)
        matrix(o, "BAAX", l.D, &l);
    s = fb_buf_status(o, e);
out:
    fb_labelled_free(&l);
    return s;
}

const fb_writer fb_writer_dmig = {
    .name = "dmig",
    .doc = "Nastran DMIG punch",
    .write = write_dmig,
};
