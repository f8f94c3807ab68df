/* SPDX-License-Identifier: GPL-3.0-or-later */
/* node_mass.c - the mass between the nodes, whatever dofs they have.
 *
 * Symbols  Ms isotropic part of M (RI.3), p, q nodes, a axis
 *   (NM.1) gaps: entries Ms_pq along axes a that p or q lacks (planar models, supports), of axes
 *          along which M has less mass than along others; none in bodies condensed before, whose
 *          nodes stand for the rest
 */
#include "linalg/sparse.h"
#include "memory.h"
#include "model.h"
#include "status.h"
#include <math.h>
#include <stdlib.h>

/* Masses along two axes that differ by less, in shares, are one. */
static const double same_mass = 1e-9;

static int has_place(const fb_model *b, int64_t d)
{
    const int64_t c = b->dof_component[d];
    return c >= 1 && c <= 6 &&
           (!b->dof_class || b->dof_class[d] == FB_DOF_PHYSICAL || b->dof_class[d] == FB_DOF_FIXED);
}

int fb_model_condensed(const fb_model *b)
{
    for (int64_t d = 0; d < b->ndof; d++)
        if (!has_place(b, d))
            return 1;
    return 0;
}

/* Of (NM.1): which axes a. */
static void short_axes(const fb_model *b, int is[3])
{
    double m[3] = {0}, most;
    for (int64_t d = 0; d < b->M.n; d++)
        for (int64_t q = b->M.p[d]; q < b->M.p[d + 1]; q++) {
            const int64_t r = b->M.i[q], c = b->dof_component[d];
            if (c >= 1 && c <= 3 && b->dof_component[r] == c)
                m[c - 1] += b->M.x[q] * (b->M.upper && r != d ? 2 : 1);
        }
    most = fmax(fmax(m[0], m[1]), m[2]);
    for (int a = 0; a < 3; a++)
        is[a] = m[a] < (1 - same_mass) * most;
}

static fb_status find_gaps(const fb_csc *Ms, const int64_t *has, const int is_short[3], fb_gaps *g,
                           fb_err *e)
{
    for (int pass = 0; pass < 2; pass++) {
        int64_t n = 0;
        for (int64_t q = 0; q < Ms->n; q++)
            for (int64_t t = Ms->p[q]; t < Ms->p[q + 1]; t++)
                for (int a = 0; a < 3; a++) {
                    if (!is_short[a] || has[Ms->i[t]] >> a & has[q] >> a & 1)
                        continue;
                    if (pass) {
                        g->p[n] = Ms->i[t];
                        g->q[n] = q;
                        g->axis[n] = a;
                        g->x[n] = Ms->x[t];
                    }
                    n++;
                }
        if (pass || (g->n = n) == 0)
            break;
        FB_PASS(fb_new(&g->p, n, 8, "translations that nodes lack", e));
        FB_PASS(fb_new(&g->q, n, 8, "translations that nodes lack", e));
        FB_PASS(fb_new(&g->axis, n, sizeof *g->axis, "translations that nodes lack", e));
        FB_PASS(fb_new(&g->x, n, 8, "translations that nodes lack", e));
    }
    return FB_OK;
}

/* The axes [nn] that nodes have in the mass of before the frames. */
static fb_status axes_before(const fb_model *b, int64_t **has, fb_err *e)
{
    fb_index x = {0};
    fb_status s = FB_OK;
    FB_TRY(fb_index_new(&x, b->node_id, b->nn, "/nodes/id", e));
    FB_TRY(fb_new(has, b->nn, 8, "axes of the nodes", e));
    for (int64_t d = 0; d < b->na; d++) {
        const int64_t p = fb_index_find(&x, b->all_node[d]), c = b->all_component[d];
        if (p >= 0 && c >= 1 && c <= 3 && (!b->all_class || b->all_class[d] == FB_DOF_PHYSICAL))
            (*has)[p] |= (int64_t)1 << (c - 1);
    }
out:
    fb_index_free(&x);
    return s;
}

fb_status fb_node_mass_new(const fb_model *b, fb_node_mass *x, fb_err *e)
{
    const int before = b->Ms.p && b->all_node && b->all_component;
    int64_t *has = NULL;
    int is_short[3] = {0};
    fb_status s = FB_OK;
    if (before)
        FB_TRY(axes_before(b, &has, e));
    else
        FB_TRY(fb_model_isotropic(b, &x->own, &has, e));
    x->Ms = b->Ms.p ? &b->Ms : &x->own;
    if (!fb_model_condensed(b))
        short_axes(b, is_short);
    FB_TRY(find_gaps(x->Ms, has, is_short, &x->gaps, e));
out:
    free(has);
    return s;
}

void fb_node_mass_free(fb_node_mass *x)
{
    fb_csc_free(&x->own);
    free(x->gaps.p);
    free(x->gaps.q);
    free(x->gaps.axis);
    free(x->gaps.x);
    *x = (fb_node_mass){0};
}
