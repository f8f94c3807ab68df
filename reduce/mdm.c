/* SPDX-License-Identifier: GPL-3.0-or-later */
/* mdm.c - mode displacement method: the lowest modes of the whole body, rigid ones counted.
 *
 * Equations on a full model
 *   (MF.1) K Phi = M Phi diag(w2),  Phi' M Phi = I
 *   (MF.2) T = the m lowest columns of Phi, attachment vectors behind them;  Kr = diag(w2), Mr = I
 * Equations on a body held by modes, x = Phi0 q
 *   (MD.1) the body's own modes are its coordinates (modal.c): V = [ I ; 0 ], the m lowest of them
 * Laws     tests/prop/test_methods.c
 */
#include "memory.h"
#include "full.h"
#include "modal.h"
#include <stdlib.h>
#include <string.h>

static fb_status modal(const fb_model *b, const fb_reduceopt *o, fb_reduction *r, fb_log *log,
                       fb_err *e)
{
    int64_t m = 0;
    double *w2 = NULL;
    fb_mat V = {0};
    fb_status s = FB_OK;
    FB_TRY(fb_modal_eigenvalues(b, &w2, e));
    FB_TRY(fb_modal_wanted(b, o, w2, b->nm, 0, "", &m, log, e));
    int64_t rigid = fb_modal_rigid(w2, b->nm);
    fb_note(log, "mode displacement: %lld modes, %lld of them rigid", (long long)m,
            (long long)(rigid < m ? rigid : m));
    FB_TRY(fb_mat_new(&V, b->nm, m, e));
    for (int64_t k = 0; k < m; k++)
        V.x[k + k * b->nm] = 1; /* (MD.1) */
    s = fb_modal_reduction_take(b, &V, NULL, 0, FB_KIND_EIGEN, r, e);
out:
    fb_mat_free(&V);
    free(w2);
    return s;
}

static fb_status attach(fb_work *w, fb_err *e)
{
    const fb_full *f = &w->f;
    const fb_mat Z = {f->n, w->m.nrigid, w->m.X.x + f->n * w->m.nnegative};
    fb_status s = FB_OK;
    if (!fb_attach_wanted(f))
        return FB_OK;
    FB_TRY(fb_statics_new(&w->st, f, &f->K, &f->M, NULL, f->nmult, &Z, e));
    FB_TRY(fb_attach_new(&w->a, f, NULL, &w->st, e));
    s = fb_attach_residual(&w->a, f, &f->K, &f->M, &w->m.X, w->m.lambda, e);
    fb_statics_free(&w->st);
out:
    return s;
}

static fb_status full(fb_work *w, fb_err *e)
{
    const fb_full *f = &w->f;
    fb_eig *m = &w->m;
    int64_t k = 0, n = 0;
    FB_PASS(fb_full_wanted(f, 0, &k, e));
    FB_PASS(fb_full_modes(f, &f->K, &f->M, NULL, f->nmult, k, NULL, "modes", m, e)); /* (MF.1) */
    if (m->n == 0)
        return fb_fail(
            e, FB_EUSAGE,
            "no mode is asked for or none lies below the frequency: nothing is left of the body");
    FB_PASS(attach(w, e));
    n = m->n + w->a.na;
    FB_PASS(fb_full_append(&m->X, NULL, 0, &w->a.X, f->b->ndof, e)); /* (MF.2) */
    w->G = m->X;
    m->X = (fb_mat){0};
    FB_PASS(fb_new(&w->r.K, n * n, 8, "reduced stiffness", e));
    FB_PASS(fb_new(&w->r.M, n * n, 8, "reduced mass", e));
    for (int64_t c = 0; c < n; c++) {
        w->r.K[c + c * n] = c < m->n ? m->lambda[c] : w->a.w2[c - m->n];
        w->r.M[c + c * n] = 1;
    }
    w->r.nn = m->n;
    return fb_work_close(w, NULL, NULL, 0, FB_KIND_EIGEN, e);
}

const fb_method fb_method_mdm = {.name = "mdm",
                                 .doc = "mode displacement",
                                 .modal = modal,
                                 .full = full,
                                 .far = 1,
                                 .grows = FB_GROWS_AS_EIGEN};
