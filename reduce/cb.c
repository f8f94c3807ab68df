/* SPDX-License-Identifier: GPL-3.0-or-later */
/* cb.c - Craig-Bampton reduction with fixed-interface modes.
 *
 * Sets     b boundary, i interior; nb boundary dofs, k normal modes kept, order m = nb + k
 * Equations on a full model (work.c, finish.c)
 *   (CF.1) Kii Psi = -Kib                     constraint modes
 *   (CF.2) Kii Phi = Mii Phi diag(w2),  Phi' Mii Phi = I, the k lowest
 *   (CF.3) T = [ I 0 ; Psi Phi ]              attachment vectors stand behind Phi (attach.c)
 *   (CF.4) Kr = diag(Kbb + Kbi Psi, w2),  Mr = T'MT
 * Equations on a body held by modes, x = Phi0 q (modal.c gives Psi, Phi, w2)
 *   (CB.1) V = [ Psi  Phi_k ]                 q = V z
 *   (CB.2) Kr = diag(Psi' Kq Psi, w2_k)       no stiffness couples b and normal modes
 *   (CB.3) Mr = V' Mq V
 * With m equal to the number of modes this is an exact change of basis. Free and mixed interfaces:
 * mixed.c.
 * Units    K energy, M mass length^2, w2 1/time^2
 * Source   Craig & Bampton, AIAA J. 6 (1968) 1313-1319
 * Laws     tests/prop/test_cb.c
 */
#include "memory.h"
#include "full.h"
#include "modal.h"
#include <math.h>
#include <stddef.h>
#include <string.h>

/* Of column c of V: (sum |w2| V^2)^1/2 + 1e-5 w_max (sum V^2)^1/2, what K may hold as round-off;
 * Kq = diag(w2). */
static double stiffness_size(const fb_model *b, const fb_mat *V, int64_t c)
{
    double top = 0, energy = 0;
    const double *v = V->x + c * V->m;
    for (int64_t k = 0; k < b->nm; k++) {
        const double w2 = fabs(b->Kr[k + k * b->nm]);
        top = fmax(top, w2);
        energy += w2 * v[k] * v[k];
    }
    return sqrt(energy) + 1e-5 * sqrt(top * fb_dot(v, v, V->m));
}

/* (CB.2) by structure; the coupling that round-off leaves is measured, and must be round-off. */
static fb_status structure(const fb_model *b, fb_reduction *r, const double *w2,
                           const int64_t *keep, fb_log *log, fb_err *e)
{
    int64_t m = r->nr, nb = r->nb;
    double coupling = 0, *size = NULL;
    FB_PASS(fb_new(&size, m, 8, "sizes", e));
    for (int64_t j = 0; j < m; j++)
        size[j] = stiffness_size(b, &r->V, j);
    for (int64_t j = 0; j < m; j++)
        for (int64_t i = 0; i < m; i++) {
            double *x = r->K + i + j * m;
            if ((i < nb) != (j < nb) && fabs(*x) > 0)
                coupling = fmax(coupling, fabs(*x) / (size[i] * size[j]));
            if (i >= nb || j >= nb)
                *x = i == j ? w2[keep ? keep[j - nb] : j - nb] : 0;
        }
    FB_FREE(size);
    fb_note(log,
            "stiffness between boundary and normal coordinates before it is set to zero: %.2g of "
            "the strain energies",
            coupling);
    if (coupling > 1e-5)
        return fb_fail(e, FB_ESOLVE,
                       "constraint modes failed: stiffness couples boundary and normal coordinates "
                       "by %.2g of the strain energies (round-off wanted)",
                       coupling);
    return FB_OK;
}

fb_status fb_modal_hybrid(const fb_model *b, const fb_modalsplit *t, const int64_t *dof,
                          const int64_t *keep, int64_t k, fb_reduction *out, fb_log *log, fb_err *e)
{
    int64_t m0 = b->nm, nb = t->Psi.n;
    fb_mat V = {0};
    fb_reduction r = {0};
    fb_status s = FB_OK;
    FB_TRY(fb_mat_new(&V, m0, nb + k, e)); /* (CB.1) */
    memcpy(V.x, t->Psi.x, sizeof(double) * (size_t)(m0 * nb));
    for (int64_t c = 0; c < k; c++)
        memcpy(V.x + (nb + c) * m0, t->Phi.x + (keep ? keep[c] : c) * m0,
               sizeof(double) * (size_t)m0);
    FB_TRY(fb_modal_reduction_take(b, &V, dof, nb, FB_KIND_NORMAL, &r, e)); /* (CB.3) */
    FB_TRY(structure(b, &r, t->w2, keep, log, e));
    *out = r;
    r = (fb_reduction){0};
out:
    fb_mat_free(&V);
    fb_reduction_free(&r);
    return s;
}

static fb_status check(const fb_reduceopt *o, fb_err *e)
{
    if (o->inertia_relief && !o->free_boundary)
        return fb_fail(e, FB_EUSAGE,
                       "--inertia-relief is for a body that is free when its modes are computed: "
                       "name the dofs by --free-boundary");
    return FB_OK;
}

static fb_status modal(const fb_model *b, const fb_reduceopt *o, fb_reduction *r, fb_log *log,
                       fb_err *e)
{
    static const char interior[] = " interior ones";
    int64_t *dof = NULL, nb = 0, k = 0, nn = 0;
    fb_modalsplit t = {0};
    fb_status s = FB_OK;
    FB_TRY(fb_modal_boundary(b, "--interface", o->interface, &dof, &nb, log, e));
    FB_TRY(fb_order_holds(o, nb, e)); /* before the work, and a boundary that cannot be held */
    FB_TRY(fb_modal_split(b, dof, nb, &t, log, e));
    if (o->free_boundary) {
        FB_TRY(fb_modal_mixed(b, o, dof, &t, &nn, log, e));
        k = t.Phi.n;
    } else {
        FB_TRY(fb_modal_wanted(b, o, t.w2, b->nm - nb, nb, interior, &k, log, e));
        nn = k;
    }
    FB_TRY(fb_modal_hybrid(b, &t, dof, NULL, k, r, log, e));
    r->nn = nn;
    for (int64_t c = nb + nn; c < nb + k; c++)
        r->kind[c] = FB_KIND_ATTACHMENT;
out:
    fb_modal_split_free(&t);
    FB_FREE(dof);
    return s;
}

static fb_status full(fb_work *w, fb_err *e)
{
    int64_t k = 0;
    fb_status s = FB_OK;
    FB_TRY(fb_full_boundary(&w->f, &w->eq, &w->n, e));
    if (w->f.o->free_boundary)
        return fb_work_mixed(w, e);
    FB_TRY(fb_full_wanted(&w->f, w->n, &k, e));
    w->in_blocks = 1;
    FB_TRY(fb_work_static(w, e));           /* (CF.1) */
    FB_TRY(fb_work_modes(w, k, e));         /* (CF.2) */
    s = fb_work_finish(w, NULL, w->m.n, e); /* (CF.3), (CF.4) */
out:
    return s;
}

static const fb_own own_options[] = {
    {"free-boundary", FB_TEXT, offsetof(fb_reduceopt, free_boundary), "LIST",
     "boundary dofs of Craig-Bampton that are free when normal modes are computed (free or mixed "
     "interfaces), written as --interface",
     NULL},
    {"inertia-relief", FB_FLAG, offsetof(fb_reduceopt, inertia_relief), NULL,
     "with --free-boundary, for a body that is free then: the answers to rigid acceleration beside "
     "the order asked for",
     NULL},
    {0}};

const fb_method fb_method_cb = {.name = "cb",
                                .doc = "Craig-Bampton",
                                .check = check,
                                .modal = modal,
                                .full = full,
                                .far = 1,
                                .grows = FB_GROWS_NORMAL,
                                .options = own_options};
