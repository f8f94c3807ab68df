/* SPDX-License-Identifier: GPL-3.0-or-later */
/* mass.c - a mass matrix that weighs the shapes, from a file of its own.
 *
 * Equation (MA.1) Mr = T'M T,  x = T z with T = [I; ...] over the dofs that z stands for
 *          Mr is a mass over these dofs, the one for shapes measured there alone: a submatrix of M
 *          would leave out the rest of the body
 * Source   Guyan, AIAA J. 3 (1965) 380; Kammer, "Test-analysis model development using an exact
 *          modal reduction", Int. J. Analytical and Experimental Modal Analysis 2 (1987) 174-179
 */
#include "memory.h"
#include "correlate.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* dof[k] = the dof that coordinate k is, (MA.1); 0 where one is none. */
static fb_status coordinates_are_dofs(const fb_model *b, int64_t *dof, int *all, fb_err *e)
{
    int64_t *count = NULL;
    fb_status s = FB_NEW(&count, b->ndof, e);
    *all = s == FB_OK && b->nr > 0;
    for (int64_t k = 0; !s && k < b->nr; k++)
        for (int64_t d = 0; d < b->ndof; d++)
            count[d] += b->T[k * b->ndof + d] != 0;
    for (int64_t k = 0; *all && k < b->nr; k++) {
        dof[k] = -1;
        for (int64_t d = 0; dof[k] < 0 && d < b->ndof; d++)
            if (b->T[k * b->ndof + d] == 1 && count[d] == 1)
                dof[k] = d;
        *all = dof[k] >= 0;
    }
    free(count);
    return s;
}

/* Labels and mass over the dofs of the coordinates alone. */
static fb_status condensed(fb_model *b, const int64_t *dof, fb_shapes *s, fb_err *e)
{
    const int64_t n = b->nr;
    fb_csc M = {0};
    int64_t q = 0;
    fb_csc_free(&b->M);
    fb_status r = fb_shapes_labels(b, s, e);
    if (!r)
        r = fb_csc_new(&M, n, n, n * (n + 1) / 2, 1, e);
    if (r)
        return r;
    for (int64_t j = 0; j < n; j++) {
        for (int64_t i = 0; i <= j; i++) {
            M.i[q] = i;
            M.x[q++] = b->Mr[i + j * n];
        }
        M.p[j + 1] = q;
    }
    fb_csc_free(&s->M);
    r = fb_shapes_keep(s, dof, n, e);
    s->M = M;
    return r;
}

fb_status fb_mass_load(const char *path, fb_shapes *out, fb_err *e)
{
    static const char *const want[] = {"/nodes", "/dofs", "/full/M", "/reduced", NULL};
    fb_stream in = FB_STREAM_NONE;
    fb_model b = {0};
    fb_shapes t = {0};
    int64_t *dof = NULL;
    int own = 0;
    fb_status s = FB_OK;
    fb_shapes_name(&t, path);
    FB_TRY(fb_stream_open(&in, path, e));
    FB_TRY(fb_model_read(&in, &b, want, e));
    FB_TRY(fb_stream_with_shapes(&in, e));
    if (b.node_id && !b.dof_node)
        FB_TRY(fb_model_nodal_dofs(&b, e));
    if (!b.dof_node || !b.dof_component)
        FB_TRY(fb_fail(e, FB_EFORMAT, "%s: no dof labels (/dofs)", in.name));
    FB_TRY(FB_NEW(&dof, b.nr, e));
    t.length = b.units.factor[FB_LENGTH];
    t.weighs = b.units.factor[FB_MASS];
    if (b.Mr && b.T)
        FB_TRY(coordinates_are_dofs(&b, dof, &own, e));
    FB_TRY(own ? condensed(&b, dof, &t, e) : fb_shapes_labels(&b, &t, e));
    if (!t.M.p)
        FB_TRY(fb_fail(
            e, FB_EFORMAT,
            "%s: neither a mass matrix, nor nodal masses, nor a body reduced to dofs of its own",
            in.name));
    char kind[24];
    snprintf(kind, sizeof kind, "%.23s", own ? "reduced mass" : t.mass);
    snprintf(t.mass, sizeof t.mass, "%s of %s", kind, t.name);
    *out = t;
    t = (fb_shapes){0};
out:
    free(dof);
    fb_shapes_free(&t);
    fb_model_free(&b);
    fb_stream_abandon(&in);
    return s;
}
