/* SPDX-License-Identifier: GPL-3.0-or-later */
/* cb.c - Craig-Bampton reduction with fixed-interface modes.
 *
 * Sets     b boundary, i interior; nb boundary dofs, k normal modes kept, order m = nb + k
 * Equations on a body held by modes, x = Phi0 q (modal.c gives Psi, Phi, w2)
 *   (CB.1) V = [ Psi  Phi_k ]                 q = V z
 *   (CB.2) Kr = diag(Psi' Kq Psi, w2_k)       no stiffness couples b and normal modes
 *   (CB.3) Mr = V' Mq V
 * With m equal to the number of modes this is an exact change of basis.
 * Units    K energy, M mass length^2, w2 1/time^2
 * Source   Craig & Bampton, AIAA J. 6 (1968) 1313-1319
 * Laws     tests/prop/test_reduce.c
 */
#include "method.h"
#include "modal.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* How many of the ni interior modes, lowest first, the user's order, count or cut asks for. */
static fb_status wanted(const fb_model *b, const fb_reduceopt *o, const fb_modalsplit *t, int64_t nb, int64_t *k,
                        fb_log *log, fb_err *e)
{
    int64_t ni = b->nm - nb, want = ni;
    const double time = b->units.factor[FB_TIME] > 0 ? b->units.factor[FB_TIME] : 1;
    if (o->order >= 0) {
        if (o->order < nb)
            return fb_fail(e, FB_EUSAGE, "order %lld is below the %lld boundary dofs: ask for at least %lld, or name a "
                           "smaller --interface", (long long)o->order, (long long)nb, (long long)nb);
        want = o->order - nb;
    } else if (o->modes >= 0) {
        want = o->modes;
    } else if (o->fmax > 0) {
        double w = 6.283185307179586 * o->fmax * time;
        for (want = 0; want < ni && t->w2[want] <= w * w;)
            want++;
    }
    if (want > ni)
        fb_warn(log, "%lld normal modes are asked for, the body has %lld interior ones: order %lld", (long long)want,
                (long long)ni, (long long)b->nm);
    *k = want < ni ? want : ni;
    return FB_OK;
}

/* (CB.2) by structure; the coupling that round-off leaves is measured, and must be round-off. */
static fb_status stiffness(const fb_model *b, const fb_modalsplit *t, const fb_mat *V, int64_t nb, double *K,
                           fb_log *log, fb_err *e)
{
    const fb_mat Kq = {b->nm, b->nm, b->Kr};
    int64_t m = V->n;
    double coupling = 0;
    fb_mat R = {0};
    fb_status s = fb_congruence(&Kq, V, &R, e);
    if (s)
        return s;
    double top = fb_mat_max(&R);
    for (int64_t j = 0; j < m; j++)
        for (int64_t i = 0; i < m; i++) {
            double x = R.x[i + j * m];
            if (i < nb && j < nb)
                K[i + j * m] = x;
            else if (i < nb || j < nb)
                coupling = fmax(coupling, fabs(x));
        }
    for (int64_t k = nb; k < m; k++)
        K[k + k * m] = t->w2[k - nb];
    coupling = top > 0 ? coupling / top : 0;
    fb_note(log, "stiffness between boundary and normal coordinates before it is set to zero: %.2g of the largest entry",
            coupling);
    if (coupling > 1e-8)
        s = fb_fail(e, FB_ESOLVE, "constraint modes failed: stiffness couples boundary and normal coordinates by %.2g of "
                    "the largest entry (round-off wanted)", coupling);
    fb_mat_free(&R);
    return s;
}

static fb_status modal(const fb_model *b, const fb_reduceopt *o, fb_reduction *out, fb_log *log, fb_err *e)
{
    const fb_mat Mq = {b->nm, b->nm, b->Mr};
    int64_t *dof = NULL, nb = 0, k = 0, m0 = b->nm;
    fb_modalsplit t = {0};
    fb_reduction r = {0};
    fb_mat Mr = {0};
    fb_status s = FB_OK;
    FB_TRY(fb_modal_boundary(b, "--interface", o->interface, &dof, &nb, log, e));
    if (o->order >= 0 && o->order < nb) /* said before the work, and before a boundary that cannot be held */
        FB_TRY(wanted(b, o, NULL, nb, &k, log, e));
    FB_TRY(fb_modal_split(b, dof, nb, &t, log, e));
    FB_TRY(wanted(b, o, &t, nb, &k, log, e));
    r.nb = nb;
    r.nn = k;
    r.nr = nb + k;
    r.ndropped = m0 - r.nr;
    FB_TRY(fb_mat_new(&r.V, m0, r.nr, e)); /* (CB.1) */
    memcpy(r.V.x, t.Psi.x, sizeof(double) * (size_t)(m0 * nb));
    memcpy(r.V.x + m0 * nb, t.Phi.x, sizeof(double) * (size_t)(m0 * k));
    FB_TRY(fb_new(&r.kind, r.nr, 8, "kinds", e));
    for (int64_t c = 0; c < r.nr; c++)
        r.kind[c] = c < nb ? FB_KIND_BOUNDARY : FB_KIND_NORMAL;
    FB_TRY(fb_new(&r.K, r.nr * r.nr, 8, "reduced stiffness", e));
    FB_TRY(stiffness(b, &t, &r.V, nb, r.K, log, e));
    FB_TRY(fb_congruence(&Mq, &r.V, &Mr, e)); /* (CB.3) */
    r.M = Mr.x;
    Mr.x = NULL;
    *out = r;
    r = (fb_reduction){0};
out:
    fb_mat_free(&Mr);
    fb_modal_split_free(&t);
    fb_reduction_free(&r);
    free(dof);
    return s;
}

const fb_method fb_method_cb = {"cb", "Craig-Bampton", modal};
