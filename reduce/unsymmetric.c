/* SPDX-License-Identifier: GPL-3.0-or-later */
/* unsymmetric.c - a stiffness that is not symmetric: friction, follower loads. Its constraint
 * modes, and what shapes of its symmetric part leave out.
 *
 * Symbols  K its symmetric part, N its skew part; b boundary, i interior; v, lambda of the reduced
 *          (K, M): x = T v; Z rigid motion
 * Equations
 *   (US.1) (Kii + Nii) Psi = -(Kib + Nib)
 *   (US.2) T = [I 0; Psi Phi], Phi normal modes of K;  T'(K + N)T
 * The interior's rows of (K + N)[I; Psi] are zero, so that T'(K + N)T couples modes to the boundary
 * in one direction alone, and static answers at the boundary are those of the full model.
 *   (US.3) f = (1 - M Z Z') N x_j,  d_j = (f'K^-1 f - sum_k (x_k'f)^2 / lambda_k) / 2 lambda_j
 * (US.3) is the second order of perturbation: sum n_jk^2 / lambda_k over the modes k that T lacks,
 * far above mode j; N couples with the opposite sign back, which raises lambda_j by the sum. d_j is
 * the share of the frequency that is missed.
 * Source   Craig & Bampton, AIAA J. 6 (1968) 1313-1319, with (US.1) in place of symmetric statics;
 *          Kato, Perturbation Theory for Linear Operators (1976), sec. II.2 (US.3)
 * Cost     one LU of Kii + Nii, nb solves; (US.3) a factor of K, a solve for every other mode
 */
#include "linalg/far.h"
#include "linalg/lu.h"
#include "memory.h"
#include "full.h"
#include <math.h>
#include <stdlib.h>

/* Of a frequency: more is worth a warning. */
static const double much = 1e-3;
/* Of the highest eigenvalue of the reduced body: below is rigid motion. */
static const double rigid = 1e-13;
enum { MOST = 64 }; /* modes that are judged */

/* The blocks ii and ib of N. */
static fb_status blocks(const fb_split *t, const fb_csc *N, fb_csc *Nii, fb_csc *Nib,
                        int64_t **node, fb_err *e)
{
    const int64_t *dof = t->f->dof;
    int64_t *i = NULL, *column = NULL, *b = NULL;
    fb_status s = FB_OK;
    FB_TRY(FB_NEW(&i, t->ni, e));
    FB_TRY(FB_NEW(&b, t->nb, e));
    for (int64_t k = 0; k < t->ni; k++)
        i[k] = dof[t->i[k]];
    for (int64_t k = 0; k < t->nb; k++)
        b[k] = dof[t->b[k]];
    FB_TRY(fb_copy(&column, i, t->ni, sizeof *i, "columns", e));
    FB_TRY(fb_csc_sub(N, i, t->ni, column, t->ni, Nii, e));
    FB_TRY(fb_csc_sub(N, i, t->ni, b, t->nb, Nib, e));
    s = fb_full_nodes(t->f, t->i, t->ni, node, e);
out:
    FB_FREE(i, column, b);
    return s;
}

static void minus_column(const fb_csc *A, int64_t j, double *x)
{
    for (int64_t q = A->p[j]; q < A->p[j + 1]; q++)
        x[A->i[q]] -= A->x[q];
}

fb_status fb_unsymmetric_statics(fb_work *w, fb_err *e)
{
    const fb_split *t = &w->t;
    const fb_csc *N = &w->f.b->N;
    fb_csc Nii = {0}, Nib = {0};
    const fb_csc *const term[] = {&t->K.Aii, &Nii};
    int64_t *node = NULL;
    double *x = NULL;
    fb_lu *L = NULL;
    fb_lu_factor *F = NULL;
    fb_status s = FB_OK;
    w->whole = N->p && t->ni && t->nb;
    if (!w->whole)
        return FB_OK;
    if (fb_is_far(w->G.x))
        return fb_fail(e, FB_EUSAGE,
                       "a stiffness that is not symmetric is for one machine: reduce has it");
    fb_step(w->f.log, "constraint modes of the unsymmetric stiffness");
    FB_TRY(blocks(t, N, &Nii, &Nib, &node, e));
    FB_TRY(FB_NEW(&x, t->ni, e));
    FB_TRY(fb_lu_new(&L, term, 2, 0, &(fb_factor_opts){.node = node, .memory = w->f.o->memory}, e));
    s = fb_lu_factor_new(&F, L, (double[]){1, 1}, e);
    if (s == FB_ESOLVE) {
        fb_warn(
            w->f.log,
            "static answers are those of the symmetric stiffness: with its skew part the interior "
            "%s",
            e->msg);
        *e = (fb_err){0};
        w->whole = 0;
        s = FB_OK;
        goto out;
    }
    if (s)
        goto out;
    for (int64_t j = 0; j < t->nb; j++) {
        for (int64_t k = 0; k < t->ni; k++)
            x[k] = 0;
        minus_column(&t->K.Aib, j, x);
        minus_column(&Nib, j, x);
        FB_TRY(fb_lu_solve(F, x, w->G.x + j * t->ni, e)); /* (US.1) */
    }
out:
    fb_lu_factor_free(F);
    fb_lu_free(L);
    FB_FREE_BY(fb_csc_free, &Nii, &Nib);
    FB_FREE(node, x);
    return s;
}

/* F = N X over the equations, X [ndof x k] over /dofs. */
static fb_status forces(const fb_full *f, const fb_mat *X, fb_mat *F, fb_err *e)
{
    fb_mat all = {0};
    fb_status s = FB_OK;
    FB_TRY(fb_mat_new(&all, X->m, X->n, e));
    fb_csc_mul(&f->b->N, X->x, X->m, all.x, X->m, X->n);
    FB_TRY(fb_mat_new(F, f->n, X->n, e));
    s = fb_mat_rows(&all, f->dof, F, e);
out:
    fb_mat_free(&all);
    return s;
}

/* (US.3) of the modes from the first elastic one on: d [F->n]. */
static fb_status missed(const fb_work *w, const fb_mat *X, const double *lambda, int64_t first,
                        int64_t k, double *d, fb_err *e)
{
    const fb_full *f = &w->f;
    const fb_mat judged = fb_mat_columns(X, first, k);
    fb_statics st = {0};
    fb_mat F = {0}, Y = {0}, all = {0}, C = {0};
    fb_status s = FB_OK;
    FB_TRY(fb_statics_new(&st, f, &f->K, &f->M, NULL, f->nmult, NULL, e));
    FB_TRY(forces(f, &judged, &F, e));
    FB_TRY(fb_statics_balance(&st, &F, e));
    FB_TRY(fb_mat_copy(&Y, &F, e));
    FB_TRY(fb_statics_solve(&st, &Y, e));
    FB_TRY(fb_mat_new(&all, f->n, X->n, e));
    FB_TRY(fb_mat_rows(X, f->dof, &all, e));
    FB_TRY(fb_mat_product(1, 0, &all, &F, &C, e));
    for (int64_t j = 0; j < k; j++) {
        double left = fb_dot(F.x + j * f->n, Y.x + j * f->n, f->n);
        for (int64_t i = first; i < X->n; i++)
            left -= C.x[i + j * C.m] * C.x[i + j * C.m] / lambda[i];
        d[j] = fmax(left, 0) / (2 * lambda[first + j]);
    }
out:
    fb_statics_free(&st);
    FB_FREE_BY(fb_mat_free, &F, &Y, &all, &C);
    return s;
}

static void tell(const fb_work *w, const double *lambda, int64_t first, int64_t k, const double *d)
{
    int64_t worst = 0;
    for (int64_t j = 1; j < k; j++)
        worst = d[j] > d[worst] ? j : worst;
    (d[worst] > much ? fb_warn : fb_note)(
        w->f.log,
        "the shapes are those of the symmetric stiffness: what its skew part moves beyond them is "
        "missing, by which the frequency of mode %lld (%.4g Hz) is off by %.2g of itself, the most "
        "of the %lld lowest elastic modes%s",
        (long long)(first + worst) + 1, fb_hertz(&w->f.b->units, lambda[first + worst]), d[worst],
        (long long)k,
        d[worst] > much ? "; a higher order has less of it, cb answers the whole stiffness at its "
                          "boundary"
                        : "");
}

fb_status fb_unsymmetric_bound(const fb_work *w, fb_err *e)
{
    const fb_reduction *r = &w->r;
    const fb_mat K = {r->nr, r->nr, r->K}, M = {r->nr, r->nr, r->M};
    double *lambda = NULL, d[MOST] = {0};
    fb_mat V = {0}, X = {0};
    int64_t first = 0;
    fb_status s = FB_OK;
    if (!r->N || w->whole || !w->f.K.p)
        return FB_OK;
    fb_step(w->f.log, "what the skew part of the stiffness moves beyond the shapes");
    FB_TRY(FB_NEW(&lambda, r->nr, e));
    FB_TRY(fb_eig_dense(&K, &M, lambda, &V, e));
    while (first < r->nr && !(lambda[first] > rigid * lambda[r->nr - 1]))
        first++;
    const int64_t half = (r->nr - first + 1) / 2, k = half < MOST ? half : MOST;
    if (k < 1)
        goto out;
    FB_TRY(fb_mat_product(0, 0, &r->T, &V, &X, e));
    s = missed(w, &X, lambda, first, k, d, e);
    if (s == FB_ESOLVE) {
        fb_warn(w->f.log,
                "the shapes are those of the symmetric stiffness: what its skew part moves beyond "
                "them is missing, and not measured: %s",
                e->msg);
        *e = (fb_err){0};
        s = FB_OK;
    } else if (!s) {
        tell(w, lambda, first, k, d);
    }
out:
    FB_FREE_BY(fb_mat_free, &V, &X);
    free(lambda);
    return s;
}
