/* SPDX-License-Identifier: GPL-3.0-or-later */
/* shapes.c - shapes by node: what T says of the dofs of the model, and of those that it leaves out.
 *
 *   (SH.1) y_p = T_p for the dofs p of /dofs,  y_p = (G T)_p for those of /recovery: slaves of
 *          frames follow from what moves them; dofs that the model never had stay zero
 *   (SH.2) |u| <= 1e-6 |t| d, d the size of the body: less than any picture shows of what rotations
 *          t move, so displacements u of nodes that turn about themselves are taken for zero
 */
#include "linalg/far.h"
#include "linalg/sparse.h"
#include "memory.h"
#include "model.h"
#include "status.h"
#include <string.h>

/* Where the value of a dof goes: 6 p + c - 1, p the position of its node; -1: nowhere. */
static fb_status places(const fb_index *x, const int64_t *node, const int64_t *component,
                        const int64_t *class, int64_t n, int64_t **out, fb_err *e)
{
    int64_t *at = NULL;
    fb_status s = fb_new(&at, n, sizeof *at, "places of the dofs", e);
    for (int64_t d = 0; !s && d < n; d++) {
        const int64_t p = fb_index_find(x, node[d]), c = component[d];
        at[d] = p >= 0 && c >= 1 && c <= 6 && (!class || class[d] == FB_DOF_PHYSICAL)
                    ? 6 * p + c - 1
                    : -1;
    }
    *out = at;
    return s;
}

fb_status fb_shaper_new(fb_shaper *z, const fb_model *b, const double *T, const int64_t *node,
                        int64_t n, fb_err *e)
{
    fb_shaper t = {.b = b, .T = T, .n = n};
    fb_index x = {0};
    fb_status s = FB_OK;
    if (!t.T)
        return fb_fail(e, FB_EFORMAT,
                       "the body has no shapes (/reduced/T): reduce makes them, linkexport "
                       "--with-T keeps them");
    FB_TRY(fb_index_new(&x, node, n, "nodes", e));
    FB_TRY(places(&x, b->dof_node, b->dof_component, NULL, b->ndof, &t.place, e));
    if (b->G.p && b->G.m == b->na && b->G.n == b->ndof && b->all_node && b->all_component) {
        FB_TRY(places(&x, b->all_node, b->all_component, b->all_class, b->na, &t.all, e));
        FB_TRY(fb_new(&t.x, b->na, sizeof *t.x, "shape of all dofs", e));
    }
    if (fb_is_far(T))
        FB_TRY(fb_new(&t.near, b->ndof, sizeof *t.near, "shape", e));
    *z = t;
    t = (fb_shaper){0};
out:
    fb_index_free(&x);
    fb_shaper_free(&t);
    return s;
}

void fb_shaper_column(const fb_shaper *z, int64_t k, double *y)
{
    const fb_model *b = z->b;
    const double *T = z->T + k * b->ndof;
    if (z->near) {
        fb_far->fetch(&(fb_mat){b->ndof, 1, (double *)(uintptr_t)T}, z->near);
        T = z->near;
    }
    memset(y, 0, sizeof *y * (size_t)(6 * z->n));
    if (z->all) {
        memset(z->x, 0, sizeof *z->x * (size_t)b->na);
        fb_csc_mul(&b->G, T, b->ndof, z->x, b->na, 1); /* (SH.1) */
        for (int64_t d = 0; d < b->na; d++)
            if (z->all[d] >= 0)
                y[z->all[d]] = z->x[d];
    }
    for (int64_t d = 0; d < b->ndof; d++)
        if (z->place[d] >= 0)
            y[z->place[d]] = T[d];
}

void fb_shaper_free(fb_shaper *z)
{
    FB_FREE(z->place, z->all, z->x, z->near);
    *z = (fb_shaper){0};
}

int fb_only_turns(double most, double turn, double size)
{
    return most <= 1e-6 * turn * size; /* (SH.2) */
}
