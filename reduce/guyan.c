/* SPDX-License-Identifier: GPL-3.0-or-later */
/* guyan.c - static condensation to master dofs.
 *
 * Equation on a body held by modes, x = Phi0 q (modal.c gives Psi, one vector a master)
 *   (GU.1) V = Psi        minimises q'Kq q with unit displacement at one master, none at the others
 * The order is the number of masters.
 * Source   Guyan, AIAA J. 3 (1965) 380
 * Laws     tests/prop/test_methods.c
 */
#include "modal.h"
#include <stdlib.h>

static fb_status modal(const fb_model *b, const fb_reduceopt *o, fb_reduction *r, fb_log *log, fb_err *e)
{
    int64_t *dof = NULL, n = 0;
    fb_modalsplit t = {0};
    fb_status s = FB_OK;
    if (o->modes >= 0 || o->fmax > 0) {
        s = fb_fail(e, FB_EUSAGE, "Guyan keeps no normal modes, %s has nothing to count; --cb N keeps some",
                    o->modes >= 0 ? "--modes" : "--fmax");
        goto out;
    }
    FB_TRY(fb_modal_masters(b, o, "Guyan", &dof, &n, log, e));
    FB_TRY(fb_modal_split(b, dof, n, &t, log, e));
    s = fb_modal_reduction_take(b, &t.Psi, n, FB_KIND_BOUNDARY, r, e); /* (GU.1) */
out:
    fb_modal_split_free(&t);
    free(dof);
    return s;
}

const fb_method fb_method_guyan = {
    .name = "guyan", .doc = "Guyan", .modal = modal, .uses = FB_USES_MASTERS | FB_ORDER_FREE};
