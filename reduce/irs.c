/* SPDX-License-Identifier: GPL-3.0-or-later */
/* irs.c - improved reduced system: Guyan's condensation, with the inertia of the slaves to first
 * order.
 *
 * Equations on a full model, m masters, s slaves; T_G = [ I ; Psi ], K_G, M_G Guyan's (guyan.c)
 *   (IR.1) Y = Kss^-1 (Mss Psi + Msm) M_G^-1 K_G     Kss x_s + Ksm x_m = w^2 (M T_G x_m)_s, in
 *          which w^2 x_m = M_G^-1 K_G x_m
 *   (IR.2) T = [ I ; Psi + Y ],  Kr = T'KT,  Mr = T'MT
 * Equations on a body held by modes, x = Phi0 q, Mq = 1 (modal.c gives Psi, Phi, w2)
 *   (IR.3) V = Psi + Phi diag(1/w2) Phi' Psi M_G^-1 K_G,  K_G = Psi'Kq Psi,  M_G = Psi'Psi
 * K_G of rigid motion is zero: it stays as Guyan's has it. Static answers do not.
 * Source   O'Callahan, Proc. 7th Int. Modal Analysis Conf. (1989) 17-21
 * Laws     tests/prop/test_bases.c
 */
#include "memory.h"
#include "full.h"
#include "linalg/far.h"
#include "modal.h"

/* The lowest eigenvalue of the improved mass matrix, scaled to a unit diagonal, that leaves three
 * digits. */
static const double independent = 1e-13;

static fb_status no_modes(const fb_reduceopt *o, fb_err *e)
{
    return fb_masters_alone(o, "IRS", e);
}

/* H = M_G^-1 K_G */
static fb_status rates(const fb_mat *K, const fb_mat *M, fb_mat *H, fb_err *e)
{
    FB_PASS(fb_mat_copy(H, K, e));
    return fb_solve_spd(M, H, "the condensed mass matrix", e);
}

/* Where slaves have modes far below what the masters' matrices tell of, their inertia (IR.1)
 * outweighs all else, and the improved shapes of all masters are the same few. */
static fb_status definite(const fb_mat *M, fb_err *e)
{
    fb_mat S = {0};
    double *mu = NULL;
    fb_status s = FB_OK;
    FB_TRY(fb_mat_unit_diagonal(M, NULL, &S, e));
    FB_TRY(fb_new(&mu, M->n, sizeof *mu, "eigenvalues", e));
    FB_TRY(fb_eig_symmetric(&S, mu, e));
    if (M->n && !(mu[0] > independent))
        s = fb_fail(e, FB_ESOLVE,
                    "the improved mass matrix is singular: with a unit diagonal its lowest "
                    "eigenvalue is %.3g; slaves have modes far below those of the masters: take "
                    "masters from what moves in them, or --method guyan",
                    mu[0]);
out:
    fb_mat_free(&S);
    FB_FREE(mu);
    return s;
}

static fb_status modal(const fb_model *b, const fb_reduceopt *o, fb_reduction *r, fb_log *log,
                       fb_err *e)
{
    int64_t *dof = NULL, n = 0;
    fb_modalsplit t = {0};
    fb_mat K = {0}, M = {0}, H = {0}, A = {0}, Y = {0}, R = {0};
    fb_status s = FB_OK;
    FB_TRY(fb_modal_masters(b, o, "IRS", &dof, &n, log, e));
    FB_TRY(fb_modal_split(b, dof, n, &t, log, e));
    const fb_mat Kq = {b->nm, b->nm, b->Kr};
    FB_TRY(fb_congruence(&Kq, &t.Psi, &K, e));
    FB_TRY(fb_mat_product(1, 0, &t.Psi, &t.Psi, &M, e));
    FB_TRY(rates(&K, &M, &H, e));
    FB_TRY(fb_mat_product(1, 0, &t.Phi, &t.Psi, &A, e));
    for (int64_t c = 0; c < A.n; c++)
        for (int64_t k = 0; k < A.m; k++)
            A.x[k + c * A.m] *= t.w2[k] > 0 || t.w2[k] < 0 ? 1 / t.w2[k] : 0;
    FB_TRY(fb_mat_product(0, 0, &A, &H, &Y, e));
    FB_TRY(fb_gemm(0, 0, 1, &t.Phi, &Y, 1, &t.Psi, e)); /* (IR.3) */
    FB_TRY(fb_mat_product(1, 0, &t.Psi, &t.Psi, &R, e));
    FB_TRY(definite(&R, e));
    s = fb_modal_reduction_take(b, &t.Psi, dof, n, FB_KIND_BOUNDARY, r, e);
out:
    fb_modal_split_free(&t);
    FB_FREE_BY(fb_mat_free, &K, &M, &H, &A, &Y, &R);
    FB_FREE(dof);
    return s;
}

/* (IR.1), w->G += Y; K_G */
static fb_status improve(fb_work *w, fb_mat *K, fb_mat *Y, fb_err *e)
{
    const fb_split *t = &w->t;
    int64_t none = 0;
    fb_mat M = {0}, H = {0}, F = {0};
    fb_status s = FB_OK;
    FB_TRY(fb_blocks_congruence(&t->K, &w->G, K, e));
    FB_TRY(fb_blocks_congruence(&t->M, &w->G, &M, e));
    FB_TRY(fb_split_condense(t, &w->G, K, &M, &none, e)); /* names masters without mass */
    FB_TRY(rates(K, &M, &H, e));
    FB_TRY(fb_split_inertia(t, &w->G, 0, &F, e));
    FB_TRY(fb_statics_solve(&w->st, &F, e));
    FB_TRY(fb_mat_like(&F, H.n, Y, e));
    FB_TRY(fb_gemm(0, 0, 1, &F, &H, 0, Y, e));
    if (fb_is_far(Y->x))
        FB_TRY(fb_gemm(0, 0, 1, &F, &H, 1, &w->G, e));
    else
        fb_axpy(1, Y->x, w->G.x, Y->m * Y->n);
out:
    FB_FREE_BY(fb_mat_free, &M, &H, &F);
    return s;
}

/* (IR.2): K_G and [Y X] do not meet in K, as Kss Psi = -Ksm. */
static fb_status stiffness(const fb_work *w, const fb_mat *KG, fb_mat *Y, fb_mat *K, fb_err *e)
{
    FB_PASS(fb_full_append(Y, NULL, 0, &w->a.X, Y->m, e));
    FB_PASS(fb_csc_congruence(&w->t.K.Aii, Y, K, e));
    for (int64_t j = 0; j < KG->n; j++)
        fb_axpy(1, KG->x + j * KG->n, K->x + j * K->n, KG->n);
    return FB_OK;
}

static fb_status full(fb_work *w, fb_err *e)
{
    const fb_mat none = {0};
    const fb_split *t = &w->t;
    fb_mat KG = {0}, Y = {0}, K = {0}, M = {0};
    fb_status s = FB_OK;
    FB_TRY(fb_full_masters(&w->f, "IRS", &w->eq, &w->n, NULL, e));
    FB_TRY(fb_work_static(w, e));
    w->a.untold = 1; /* slaves are shapes of their own */
    FB_TRY(improve(w, &KG, &Y, e));
    fb_statics_free(&w->st);
    FB_TRY(fb_attach_residual(&w->a, &w->f, &t->K.Aii, &t->M.Aii, &none, NULL, e));
    FB_TRY(stiffness(w, &KG, &Y, &K, e));
    FB_TRY(fb_full_append(&w->G, NULL, 0, &w->a.X, w->f.b->ndof, e));
    FB_TRY(fb_blocks_congruence(&t->M, &w->G, &M, e));
    FB_TRY(definite(&M, e));
    w->r.K = K.x;
    w->r.M = M.x;
    K = M = (fb_mat){0};
    s = fb_work_close(w, t->i, t->b, t->nb, FB_KIND_NORMAL, e);
out:
    FB_FREE_BY(fb_mat_free, &KG, &Y, &K, &M);
    return s;
}

const fb_method fb_method_irs = {.name = "irs",
                                 .doc = "improved reduced system",
                                 .check = no_modes,
                                 .modal = modal,
                                 .full = full,
                                 .far = 1,
                                 .masters = 1,
                                 .options = fb_masters_options};
