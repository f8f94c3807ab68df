/* SPDX-License-Identifier: GPL-3.0-or-later */
/* mdm.c - mode displacement method: the lowest modes of the whole body, rigid ones counted.
 *
 * Equations on a body held by modes, x = Phi0 q
 *   (MD.1) Kq V = Mq V diag(w2),  V' Mq V = I
 *   (MD.2) the m lowest columns of V are kept
 * Laws     tests/prop/test_methods.c
 */
#include "modal.h"
#include <stdlib.h>

static fb_status modal(const fb_model *b, const fb_reduceopt *o, fb_reduction *r, fb_log *log, fb_err *e)
{
    int64_t m = 0;
    double *w2 = NULL;
    fb_mat V = {0};
    fb_status s = FB_OK;
    FB_TRY(fb_modal_eigen(b, &w2, &V, e)); /* (MD.1) */
    FB_TRY(fb_modal_wanted(b, o, w2, b->nm, 0, "", &m, log, e));
    int64_t rigid = fb_modal_rigid(w2, b->nm);
    fb_note(log, "mode displacement: %lld modes, %lld of them rigid", (long long)m, (long long)(rigid < m ? rigid : m));
    V.n = m; /* (MD.2) */
    s = fb_modal_reduction_take(b, &V, 0, FB_KIND_EIGEN, r, e);
out:
    fb_mat_free(&V);
    free(w2);
    return s;
}

const fb_method fb_method_mdm = {.name = "mdm", .doc = "mode displacement", .modal = modal};
