/* SPDX-License-Identifier: GPL-3.0-or-later */
/* again.c - what can be done to a body that is reduced already, without reducing it anew.
 *
 * Held dofs   Boundary coordinates are displacements of dofs: held at zero, their rows and columns
 *             leave K, M and D, and their columns T. The other coordinates stay what they are.
 * Without the full model load vectors and stress are known by coordinates alone:
 *   (AG.1) z_before = W z:  p := W'p,  s_k := sum_j W_jk s_j
 */
#include "memory.h"
#include "method.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static double *steal(double **x)
{
    double *y = *x;
    *x = NULL;
    return y;
}

/* Is coordinate k what moves interface dof k most? Streams of earlier programs may have those
 * of the input beside coordinates of others. */
static int names_them(const fb_model *b, const fb_reduction *r)
{
    for (int64_t k = 0; k < b->nb; k++)
        for (int64_t j = 0; j < r->nr; j++) {
            const double *row = r->T.x + b->interface_dof[k];
            if (fabs(row[j * r->T.m]) > fabs(row[k * r->T.m]))
                return 0;
        }
    return 1;
}

fb_status fb_reduction_of_take(fb_model *b, fb_reduction *r, fb_err *e)
{
    if (!b->Kr || !b->Mr || !b->T || !b->kind || !b->dof_node)
        return fb_fail(e, FB_EUSAGE,
                       "--fix, --keep and --drop without a method change a body that is reduced "
                       "already; this one is not: give --cb N, or --method NAME with --order N, "
                       "--modes K or --fmax HZ");
    fb_reduction q = {.nr = b->nr, .check = {.sturm = -1}};
    if (b->nresidual && b->v_residual && b->v_sturm && b->v_shift) {
        q.check.n = b->nresidual;
        q.check.residual = steal(&b->v_residual);
        q.check.sturm = b->v_sturm[0];
        q.check.shift = b->v_shift[0];
    }
    q.T = (fb_mat){b->ndof, b->nr, steal(&b->T)};
    if (b->V)
        q.V = (fb_mat){b->nm, b->nr, steal(&b->V)};
    q.K = steal(&b->Kr);
    q.M = steal(&b->Mr);
    q.D = steal(&b->Dr);
    q.S = steal(&b->Sr);
    q.G = steal(&b->Gr);
    q.N = steal(&b->Nr);
    q.Kg = steal(&b->Kgr);
    q.nkg = b->nkg;
    q.kind = b->kind;
    b->kind = NULL;
    q.ranking = steal(&b->ranking);
    q.nranking = b->nranking;
    q.vector = b->vector;
    q.before = b->load;
    for (int64_t k = 0; k < q.nr; k++) {
        q.nb += q.kind[k] == FB_KIND_BOUNDARY;
        q.nn += q.kind[k] == FB_KIND_NORMAL || q.kind[k] == FB_KIND_EIGEN;
    }
    *r = q;
    FB_PASS(fb_mat_new(&r->W, r->nr, r->nr, e));
    for (int64_t k = 0; k < r->nr; k++)
        r->W.x[k * (r->nr + 1)] = 1;
    FB_PASS(fb_model_attached(b, &r->load, &r->nload, e));
    if (b->interface_dof && b->nb == q.nb && names_them(b, r))
        return fb_copy(&r->boundary, b->interface_dof, b->nb, 8, "boundary dofs", e);
    return FB_OK;
}

/* x [n before, size] becomes sum_j W_jk x_j of each coordinate k. */
static fb_status combine(const fb_mat *W, double **x, int64_t size, fb_err *e)
{
    const fb_mat A = {size, W->m, *x};
    fb_mat C = {0};
    if (!*x)
        return FB_OK;
    FB_PASS(fb_mat_product(0, 0, &A, W, &C, e));
    free(*x);
    *x = C.x;
    return FB_OK;
}

/* Of several coordinates the new one lacks at most what the worst lacks. */
static fb_status residuals(const fb_mat *W, double **x, fb_err *e)
{
    double *worst = NULL;
    if (!*x)
        return FB_OK;
    FB_PASS(FB_NEW(&worst, W->n, e));
    for (int64_t k = 0; k < W->n; k++) {
        const double *w = W->x + k * W->m;
        double top = 0;
        for (int64_t j = 0; j < W->m; j++)
            top = fmax(top, fabs(w[j]));
        for (int64_t j = 0; j < W->m; j++)
            worst[k] = fabs(w[j]) > 1e-12 * top ? fmax(worst[k], (*x)[j]) : worst[k];
    }
    free(*x);
    *x = worst;
    return FB_OK;
}

fb_status fb_reduction_carry(fb_model *b, const fb_mat *W, fb_err *e)
{
    if (b->load && !b->vector) {
        const fb_mat P = {W->m, b->nload, b->load};
        fb_mat Q = {0};
        FB_PASS(fb_mat_product(1, 0, W, &P, &Q, e));
        free(b->load);
        b->load = Q.x;
    }
    if (b->stress_shape)
        return FB_OK;
    FB_PASS(combine(W, &b->coordinate_stress, 6 * b->ns, e));
    FB_PASS(combine(W, &b->coordinate_strain, 6 * b->ns, e));
    return residuals(W, &b->stress_residual, e);
}

/* Which coordinate is dof d, -1: none; moved: some coordinate moves it. */
static int64_t coordinate_of(const fb_reduction *r, const int64_t *dof, int64_t d, int *moved)
{
    double most = 0, all = 0;
    for (int64_t k = 0; k < r->nr; k++) {
        for (int64_t i = 0; i < r->T.m; i++)
            all = fmax(all, fabs(r->T.x[i + k * r->T.m]));
        most = fmax(most, fabs(r->T.x[d + k * r->T.m]));
        if (dof[k] == d)
            return k;
    }
    *moved = most > 1e-12 * all;
    return -1;
}

static fb_status no_coordinate(const fb_model *b, int64_t d, fb_err *e)
{
    return fb_fail(e, FB_EUSAGE,
                   "--fix: dof %s is no coordinate of the reduced body: hold it when the body is "
                   "reduced (--method with --fix%s)",
                   fb_name_of(b->dof_node[d], b->dof_component[d]).s,
                   b->K.p ? ", which starts from the full model" : "");
}

fb_status fb_reduction_hold(fb_model *b, const int64_t *dof, int64_t n, fb_reduction *r, fb_err *e)
{
    int64_t *is = NULL, *keep = NULL, left = 0;
    char *out = NULL;
    fb_model view = *b; /* which has the coordinates still */
    fb_status s = FB_OK;
    view.kind = r->kind;
    view.nr = r->nr;
    FB_TRY(FB_NEW(&is, r->nr, e));
    FB_TRY(FB_NEW(&keep, r->nr, e));
    FB_TRY(FB_NEW(&out, r->nr, e));
    FB_TRY(fb_coordinate_dofs(&view, r->T.x, is, e));
    for (int64_t k = 0; r->boundary && k < r->nb; k++) /* named by the stream itself */
        is[k] = r->kind[k] == FB_KIND_BOUNDARY ? r->boundary[k] : is[k];
    for (int64_t q = 0; q < n; q++) {
        int moved = 0;
        const int64_t k = coordinate_of(r, is, dof[q], &moved);
        if (k < 0 && moved)
            FB_TRY(no_coordinate(b, dof[q], e));
        if (k >= 0)
            out[k] = 1;
        b->dof_class[dof[q]] = FB_DOF_FIXED;
    }
    for (int64_t k = 0; k < r->nr; k++)
        if (!out[k])
            keep[left++] = k;
    if (left == 0)
        FB_TRY(fb_fail(e, FB_EUSAGE, "--fix holds all %lld coordinates of the reduced body",
                       (long long)r->nr));
    s = fb_reduction_keep(r, keep, left, e);
out:
    FB_FREE(is, keep, out);
    return s;
}
