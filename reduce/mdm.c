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
    s = fb_modal_reduction_take(b, &V, 0, FB_KIND_EIGEN, r, e);
out:
    fb_mat_free(&V);
    free(w2);
    return s;
}

/* (MF.2): X consumed, w2 [X->n]; nn of them modes. */
static fb_status diagonal_take(const fb_full *f, fb_mat *X, const double *w2, int64_t nn,
                               fb_reduction *r, fb_err *e)
{
    int64_t n = X->n;
    fb_status s = FB_OK;
    FB_TRY(fb_new(&r->kind, n, 8, "kinds", e));
    FB_TRY(fb_new(&r->K, n * n, 8, "reduced stiffness", e));
    FB_TRY(fb_new(&r->M, n * n, 8, "reduced mass", e));
    for (int64_t k = 0; k < n; k++) {
        r->kind[k] = k < nn ? FB_KIND_EIGEN : FB_KIND_ATTACHMENT;
        r->K[k + k * n] = w2[k];
        r->M[k + k * n] = 1;
    }
    r->nr = n;
    r->nn = nn;
    r->ndropped = f->n - n;
    fb_full_expand_take(f, X, NULL, NULL, 0, &r->T);
    s = fb_full_damping(f, r, e);
out:
    return s;
}

static fb_status attach(const fb_full *f, const fb_eig *m, fb_attach *a, fb_err *e)
{
    const fb_mat Z = {f->n, m->nrigid, m->X.x + f->n * m->nnegative};
    fb_statics st = {0};
    fb_status s = FB_OK;
    if (!f->o->loads)
        return FB_OK;
    FB_TRY(fb_statics_new(&st, f, &f->K, &f->M, NULL, f->nmult, &Z, e));
    FB_TRY(fb_attach_new(a, f, NULL, &st, e));
    s = fb_attach_residual(a, f, &f->K, &f->M, &m->X, m->lambda, e);
out:
    fb_statics_free(&st);
    return s;
}

static fb_status full(const fb_model *b, const fb_reduceopt *o, fb_reduction *out, fb_log *log,
                      fb_err *e)
{
    fb_full f = {0};
    fb_eig m = {0};
    fb_attach a = {0};
    fb_reduction r = {0};
    double *w2 = NULL;
    int64_t k = 0;
    fb_status s = FB_OK;
    FB_TRY(fb_full_new(&f, b, o, log, e));
    FB_TRY(fb_full_wanted(&f, 0, &k, e));
    FB_TRY(fb_full_modes(&f, &f.K, &f.M, NULL, f.nmult, k, NULL, "modes", &m, e)); /* (MF.1) */
    if (m.n == 0) {
        s = fb_fail(
            e, FB_EUSAGE,
            "no mode is asked for or none lies below the frequency: nothing is left of the body");
        goto out;
    }
    FB_TRY(attach(&f, &m, &a, e));
    FB_TRY(fb_new(&w2, m.n + a.na, 8, "eigenvalues", e));
    for (int64_t c = 0; c < m.n + a.na; c++)
        w2[c] = c < m.n ? m.lambda[c] : a.w2[c - m.n];
    FB_TRY(fb_full_append(&m.X, NULL, 0, &a.X, b->ndof, e));
    FB_TRY(diagonal_take(&f, &m.X, w2, m.n, &r, e));
    FB_TRY(fb_full_record(&f, &m, NULL, 0, &a, &r, e));
    *out = r;
    r = (fb_reduction){0};
out:
    fb_reduction_free(&r);
    fb_attach_free(&a);
    fb_eig_free(&m);
    fb_full_free(&f);
    free(w2);
    return s;
}

const fb_method fb_method_mdm = {
    .name = "mdm", .doc = "mode displacement", .modal = modal, .full = full};
