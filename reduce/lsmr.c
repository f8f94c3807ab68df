/* SPDX-License-Identifier: GPL-3.0-or-later */
/* lsmr.c - least-square model reduction: the lowest modes, fitted to master dofs.
 *
 * Symbols  m masters (rows B of Phi0), p lowest modes V_p of (Kq, Mq), + the pseudo-inverse
 * Equations on a body held by modes, x = Phi0 q
 *   (LS.1) C = B V_p = U diag(s) W'           [m x p], the modes at the masters
 *   (LS.2) A = C+ = W diag(1/s) U'            [p x m]
 *   (LS.3) V = V_p A + Psi (I - C A)          unit displacement at one master, none at the others
 * With p = m (the default) C A = I: V = V_p A spans the p lowest modes, none is spurious. With p < m the
 * constraint vectors Psi (modal.c) of the masters fill up what p modes cannot reach: p modes stay exact,
 * as V C = V_p, and m - p spurious ones lie above. The order is the number of masters.
 * Laws     tests/prop/test_methods.c
 */
#include "modal.h"
#include <math.h>
#include <stdlib.h>

/* Above this condition of C half the digits of a double are lost in V' K V, which squares it. */
static const double condition_warned = 1e6, condition_most = 1e12;

/* (LS.2), and the condition of C. */
static fb_status pseudo_inverse(const fb_mat *C, fb_mat *A, double *condition, fb_err *e)
{
    int64_t k = C->m < C->n ? C->m : C->n;
    double *sv = NULL;
    fb_mat U = {0}, W = {0};
    fb_status s = FB_OK;
    FB_TRY(fb_new(&sv, k, 8, "singular values", e));
    FB_TRY(fb_svd(C, &U, sv, &W, 0, e));
    *condition = k == 0 ? 1 : sv[k - 1] > 0 ? sv[0] / sv[k - 1] : INFINITY;
    if (*condition > condition_most) {
        s = fb_fail(e, FB_ESOLVE, "at the %lld masters the %lld lowest modes cannot be told apart (condition %.2g): choose masters "
                    "that move differently", (long long)C->m, (long long)C->n, *condition);
        goto out;
    }
    for (int64_t c = 0; c < k; c++)
        for (int64_t i = 0; i < W.m; i++)
            W.x[i + c * W.m] /= sv[c];
    FB_TRY(fb_mat_new(A, C->n, C->m, e));
    s = fb_gemm(0, 1, 1, &W, &U, 0, A, e);
out:
    fb_mat_free(&U);
    fb_mat_free(&W);
    free(sv);
    return s;
}

/* (LS.3) adds Psi (I - C A) to V. */
static fb_status fill_up(const fb_model *b, const int64_t *dof, const fb_mat *C, const fb_mat *A, fb_mat *V, fb_log *log,
                         fb_err *e)
{
    fb_modalsplit t = {0};
    fb_mat R = {0};
    fb_status s = FB_OK;
    FB_TRY(fb_modal_split(b, dof, C->m, &t, log, e));
    FB_TRY(fb_mat_new(&R, C->m, C->m, e));
    for (int64_t k = 0; k < C->m; k++)
        R.x[k + k * C->m] = 1;
    FB_TRY(fb_gemm(0, 0, -1, C, A, 1, &R, e));
    s = fb_gemm(0, 0, 1, &t.Psi, &R, 1, V, e);
out:
    fb_mat_free(&R);
    fb_modal_split_free(&t);
    return s;
}

/* p by --modes or --fmax, the number of masters by default. */
static fb_status fitted(const fb_model *b, const fb_reduceopt *o, const double *w2, int64_t m, int64_t *p, fb_log *log,
                        fb_err *e)
{
    fb_reduceopt by = *o;
    by.order = -1;
    if (by.modes < 0 && !(by.fmax > 0))
        by.modes = m;
    if (m > b->nm)
        return fb_fail(e, FB_EUSAGE, "%lld masters, but the body has %lld modes: name fewer by --masters LIST", (long long)m,
                       (long long)b->nm);
    fb_status s = fb_modal_wanted(b, &by, w2, b->nm, 0, "", p, log, e);
    if (!s && *p < 1)
        s = fb_fail(e, FB_EUSAGE, "no mode is left to fit to the masters: ask for more by --modes or --fmax");
    if (!s && *p < m)
        fb_warn(log, "%lld modes are fitted to %lld masters: %lld exact modes and %lld spurious ones above them", (long long)*p,
                (long long)m, (long long)*p, (long long)(m - *p));
    return s;
}

static fb_status modal(const fb_model *b, const fb_reduceopt *o, fb_reduction *r, fb_log *log, fb_err *e)
{
    int64_t *dof = NULL, m = 0, p = 0;
    double *w2 = NULL, condition = 0;
    fb_mat Vp = {0}, B = {0}, C = {0}, A = {0}, V = {0};
    fb_status s = FB_OK;
    FB_TRY(fb_modal_masters(b, o, "LSMR", &dof, &m, log, e));
    FB_TRY(fb_modal_eigen(b, &w2, &Vp, e));
    FB_TRY(fitted(b, o, w2, m, &p, log, e));
    Vp.n = p;
    FB_TRY(fb_modal_rows(b, dof, m, &B, e));
    FB_TRY(fb_mat_new(&C, m, p, e));
    FB_TRY(fb_gemm(0, 0, 1, &B, &Vp, 0, &C, e)); /* (LS.1) */
    FB_TRY(pseudo_inverse(&C, &A, &condition, e));
    fb_note(log, "%lld modes fitted to %lld masters, condition %.2g", (long long)p, (long long)m, condition);
    if (condition > condition_warned)
        fb_warn(log, "the masters hardly tell the modes apart: condition %.2g, results hold to about %.0e", condition,
                condition * condition * 1e-16);
    FB_TRY(fb_mat_new(&V, b->nm, m, e));
    FB_TRY(fb_gemm(0, 0, 1, &Vp, &A, 0, &V, e));
    if (p < m)
        FB_TRY(fill_up(b, dof, &C, &A, &V, log, e));
    s = fb_modal_reduction_take(b, &V, m, FB_KIND_BOUNDARY, r, e);
out:
    fb_mat_free(&Vp);
    fb_mat_free(&B);
    fb_mat_free(&C);
    fb_mat_free(&A);
    fb_mat_free(&V);
    free(w2);
    free(dof);
    return s;
}

const fb_method fb_method_lsmr = {
    .name = "lsmr", .doc = "least-square model reduction", .modal = modal, .uses = FB_USES_MASTERS | FB_ORDER_FREE};
