/* SPDX-License-Identifier: GPL-3.0-or-later */
/* guyan.c - static condensation to master dofs.
 *
 * Equations on a full model, m masters, s slaves (work.c, finish.c)
 *   (GF.1) Kss Psi = -Ksm
 *   (GF.2) T = [ I ; Psi ],  Kr = Kmm + Kms Psi,  Mr = T'MT
 * Equation on a body held by modes, x = Phi0 q (modal.c gives Psi, one vector a master)
 *   (GU.1) V = Psi        minimises q'Kq q with unit displacement at one master, none at the others
 * The order is the number of masters.
 * Source   Guyan, AIAA J. 3 (1965) 380
 * Laws     tests/prop/test_methods.c
 */
#include "full.h"
#include "modal.h"
#include <stdlib.h>

static fb_status no_modes(const fb_reduceopt *o, fb_err *e)
{
    return fb_masters_alone(o, "Guyan", e);
}

static fb_status modal(const fb_model *b, const fb_reduceopt *o, fb_reduction *r, fb_log *log,
                       fb_err *e)
{
    int64_t *dof = NULL, n = 0;
    fb_modalsplit t = {0};
    fb_status s = FB_OK;
    FB_TRY(fb_modal_masters(b, o, "Guyan", &dof, &n, log, e));
    FB_TRY(fb_modal_split(b, dof, n, &t, log, e));
    s = fb_modal_reduction_take(b, &t.Psi, dof, n, FB_KIND_BOUNDARY, r, e); /* (GU.1) */
out:
    fb_modal_split_free(&t);
    free(dof);
    return s;
}

static fb_status full(fb_work *w, fb_err *e)
{
    fb_status s = FB_OK;
    FB_TRY(fb_full_masters(&w->f, "Guyan", &w->eq, &w->n, NULL, e));
    FB_TRY(fb_work_static(w, e));      /* (GF.1) */
    s = fb_work_finish(w, NULL, 0, e); /* (GF.2) */
out:
    return s;
}

const fb_method fb_method_guyan = {.name = "guyan",
                                   .doc = "Guyan",
                                   .check = no_modes,
                                   .modal = modal,
                                   .full = full,
                                   .far = 1,
                                   .masters = 1,
                                   .options = fb_masters_options};
