/* SPDX-License-Identifier: GPL-3.0-or-later */
/* eig_dense.c - all roots of a small model, by a dense matrix of the order of its mass.
 *
 * Sets     f dofs with mass (nf); r = rank of M
 * Equations  S = K - sigma M, factored
 *   (ED.1) Mff = D V mu V'D,  V'DV = I,  D = diag(Mff);  W = D V sqrt(mu), columns with mu > 0
 *   (ED.2) H y = theta y,  H = W' (S^-1)ff W  [r x r]
 *   (ED.3) lambda = sigma + 1/theta,  x = S^-1 W y / theta,  x'Mx = 1
 *   (ED.4) upper roots again, from X2'KX2 z = lambda X2'MX2 z: X2 the vectors of (ED.3) above
 *          root c, made M-orthogonal to those below. (ED.2) errs by
 *          eps (lambda - sigma)^2/(lambda_1 - sigma), (ED.4) by eps lambda_max; they cross where
 *          (lambda_c - sigma)^2 = (lambda_1 - sigma) lambda_max
 * Infinite roots have theta = 0 and lie outside the range of W: they never appear, whether M is
 * singular by massless dofs, multipliers or otherwise. Scaling by D keeps the rank free of units.
 * Source   Ericsson & Ruhe, Math. Comp. 35 (1980) 1251-1268; Golub & Van Loan, Matrix
 *          Computations (2013), sec. 8.7.2
 * Cost     r solves, about 25 nf^3 flops, memory N min(r, want) + 4 nf^2
 */
#include "dense.h"
#include "factor.h"
#include "modes.h"
#include "sparse.h"
#include "sparse_ops.h"
#include "memory.h"
#include "status.h"
#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { BLOCK = 32 };

static const double ZERO =
    64 * DBL_EPSILON; /* of the largest theta: round-off, where a zero is expected */
static const double TEXT =
    1e-8; /* negative masses that this is the most of: eight digits of a text */

typedef struct {
    fb_eigjob *j;
    int64_t *f, nf, r; /* dofs with mass; rank */
    fb_mat W;          /* [nf x r] */
    double *theta;     /* [r] ascending */
    fb_mat Y;          /* [r x r] */
} explicit_state;

static void state_free(explicit_state *t)
{
    FB_FREE(t->f, t->theta);
    FB_FREE_BY(fb_mat_free, &t->W, &t->Y);
}

static fb_status mass_rows(explicit_state *t, fb_err *e)
{
    const fb_csc *M = t->j->M;
    char *has = NULL;
    fb_status s = FB_OK;
    FB_TRY(FB_NEW(&has, M->n, e));
    for (int64_t j = 0; j < M->n; j++)
        for (int64_t q = M->p[j]; q < M->p[j + 1]; q++)
            if (M->x[q] < 0 || M->x[q] > 0)
                has[j] = has[M->i[q]] = 1;
    FB_TRY(fb_new(&t->f, M->n, sizeof *t->f, "dofs with mass", e));
    for (int64_t j = 0; j < M->n; j++)
        if (has[j])
            t->f[t->nf++] = j;
out:
    free(has);
    return s;
}

/* (ED.1) */
static fb_status mass_root(explicit_state *t, fb_err *e)
{
    int64_t nf = t->nf, first = 0;
    fb_mat A = {0}, D = {0}, V = {0};
    double *mu = NULL;
    fb_status s = FB_OK;
    FB_TRY(fb_csc_dense(t->j->M, t->f, nf, t->f, nf, &A, e));
    FB_TRY(fb_mat_new(&D, nf, nf, e));
    FB_TRY(FB_NEW(&mu, nf, e));
    for (int64_t k = 0; k < nf; k++) {
        D.x[k * (nf + 1)] = A.x[k * (nf + 1)];
        if (!(D.x[k * (nf + 1)] > 0))
            FB_TRY(fb_fail(e, FB_ESOLVE,
                           "the mass matrix is not semidefinite: a dof has the diagonal %.6g, but "
                           "its row is not zero",
                           D.x[k * (nf + 1)]));
    }
    FB_TRY(fb_eig_dense(&A, &D, mu, &V, e));
    /* mu lies in [0, nf]; what round-off leaves of a zero is a few nf eps, or what a text of few
     * digits leaves: then the negative ones show how much it is. */
    double zero = 10 * (double)nf * DBL_EPSILON * mu[nf - 1], lost = TEXT * mu[nf - 1];
    if (mu[0] < -zero && mu[0] >= -lost)
        zero = -2 * mu[0];
    if (mu[0] < -zero)
        FB_TRY(fb_fail(e, FB_ESOLVE,
                       "the mass matrix is not semidefinite: with a unit diagonal its lowest "
                       "eigenvalue is %.3g",
                       mu[0]));
    while (first < nf && mu[first] <= zero)
        first++;
    t->r = nf - first;
    FB_TRY(fb_mat_new(&t->W, nf, t->r, e));
    for (int64_t k = 0; k < t->r; k++)
        for (int64_t i = 0; i < nf; i++)
            t->W.x[i + k * nf] =
                D.x[i * (nf + 1)] * V.x[i + (first + k) * nf] * sqrt(mu[first + k]);
out:
    FB_FREE_BY(fb_mat_free, &A, &D, &V);
    free(mu);
    return s;
}

/* Z [N x k] = S^-1 [W_f; 0] for k columns given on the dofs with mass. */
static fb_status solve_columns(explicit_state *t, const fb_mat *Wf, fb_mat *Z, fb_err *e)
{
    memset(Z->x, 0, sizeof(double) * (size_t)(Z->m * Z->n));
    for (int64_t k = 0; k < Wf->n; k++)
        for (int64_t i = 0; i < t->nf; i++)
            Z->x[t->f[i] + k * Z->m] = Wf->x[i + k * t->nf];
    t->j->solves += Wf->n;
    return fb_factor_solve(t->j->F, Z, e);
}

/* (ED.2) */
static fb_status inverse_roots(explicit_state *t, fb_err *e)
{
    int64_t N = t->j->K->n, r = t->r;
    fb_mat Z = {0}, Zf = {0}, H = {0};
    fb_status s = FB_OK;
    FB_TRY(fb_mat_new(&Z, N, r < BLOCK ? r : BLOCK, e));
    FB_TRY(fb_mat_new(&Zf, t->nf, Z.n, e));
    FB_TRY(fb_mat_new(&H, r, r, e));
    FB_TRY(FB_NEW(&t->theta, r, e));
    for (int64_t c = 0; c < r; c += BLOCK) {
        int64_t k = r - c < BLOCK ? r - c : BLOCK;
        fb_mat Wk = {t->nf, k, t->W.x + c * t->nf}, Zk = {N, k, Z.x};
        fb_mat Zfk = {t->nf, k, Zf.x}, Hk = {r, k, H.x + c * r};
        FB_TRY(solve_columns(t, &Wk, &Zk, e));
        for (int64_t a = 0; a < k; a++)
            for (int64_t i = 0; i < t->nf; i++)
                Zfk.x[i + a * t->nf] = Zk.x[t->f[i] + a * N];
        FB_TRY(fb_gemm(1, 0, 1, &t->W, &Zfk, 0, &Hk, e));
    }
    fb_mat_symmetrise(&H);
    FB_TRY(fb_eig_symmetric(&H, t->theta, e));
    t->Y = H;
    H = (fb_mat){0};
out:
    FB_FREE_BY(fb_mat_free, &Z, &Zf, &H);
    return s;
}

/* (ED.3) for the roots from .. from+n-1, counted from the lowest. */
static fb_status recover(explicit_state *t, int64_t from, int64_t n, fb_mat *X, fb_err *e)
{
    int64_t N = t->j->K->n;
    fb_mat y = {0}, Wy = {0};
    fb_status s = FB_OK;
    FB_TRY(fb_mat_new(&y, t->r, BLOCK, e));
    FB_TRY(fb_mat_new(&Wy, t->nf, BLOCK, e));
    FB_TRY(fb_mat_new(X, N, n, e));
    for (int64_t c = 0; c < n; c += BLOCK) {
        int64_t k = n - c < BLOCK ? n - c : BLOCK;
        fb_mat yk = {t->r, k, y.x}, Wk = {t->nf, k, Wy.x}, Xk = {N, k, X->x + c * N};
        for (int64_t a = 0; a < k; a++) {
            int64_t at = t->r - 1 - from - c - a; /* theta ascends */
            for (int64_t i = 0; i < t->r; i++)
                yk.x[i + a * t->r] = t->Y.x[i + at * t->r] / t->theta[at];
        }
        FB_TRY(fb_gemm(0, 0, 1, &t->W, &yk, 0, &Wk, e));
        FB_TRY(solve_columns(t, &Wk, &Xk, e));
    }
out:
    FB_FREE_BY(fb_mat_free, &y, &Wy);
    return s;
}

/* (ED.4): X2 and its roots are replaced. */
static fb_status upper_roots(explicit_state *t, const fb_mat *X1, fb_mat *X2, double *lambda,
                             fb_err *e)
{
    fb_mat C = {0}, Kr = {0}, Mr = {0}, Z = {0}, Q = {0};
    fb_status s = FB_OK;
    for (int pass = 0; pass < 2; pass++) { /* X2 -= X1 (X1'M X2), twice for round-off */
        fb_mat_free(&C);
        FB_TRY(fb_csc_bilinear(X1, t->j->M, X2, &C, e));
        FB_TRY(fb_gemm(0, 0, -1, X1, &C, 1, X2, e));
    }
    FB_TRY(fb_csc_congruence(t->j->K, X2, &Kr, e));
    FB_TRY(fb_csc_congruence(t->j->M, X2, &Mr, e));
    FB_TRY(fb_eig_dense(&Kr, &Mr, lambda, &Z, e));
    FB_TRY(fb_mat_product(0, 0, X2, &Z, &Q, e));
    fb_mat_free(X2);
    *X2 = Q;
out:
    FB_FREE_BY(fb_mat_free, &C, &Kr, &Mr, &Z);
    return s;
}

/* Roots below which (ED.3) is the better one of the two. */
static int64_t crossing(const explicit_state *t, int64_t positive)
{
    if (positive == 0)
        return 0;
    double most = t->theta[t->r - 1], least = t->theta[t->r - positive];
    int64_t c = 0;
    while (c < positive && t->theta[t->r - 1 - c] > sqrt(most * least))
        c++;
    return c;
}

static fb_status roots(explicit_state *t, fb_err *e)
{
    fb_eigjob *j = t->j;
    int64_t positive = 0, N = j->K->n;
    fb_mat X1 = {0}, X2 = {0}, X = {0};
    double *lambda = NULL;
    fb_status s = FB_OK;
    while (positive < t->r && t->theta[t->r - 1 - positive] > 0)
        positive++;
    /* A multiplier may hold a motion that has mass: its theta is zero, by round-off of either sign.
     * */
    for (int64_t k = t->r - positive; k < j->multipliers && positive > 0; k++)
        if (t->theta[t->r - positive] <= ZERO * t->theta[t->r - 1])
            positive--;
    int64_t n = j->want < positive ? j->want : positive, c = crossing(t, positive);
    if (n <= c)
        c = n; /* the upper ones are not wanted */
    FB_TRY(FB_NEW(&lambda, t->r, e));
    for (int64_t k = 0; k < positive; k++)
        lambda[k] = j->sigma + 1 / t->theta[t->r - 1 - k];
    FB_TRY(recover(t, 0, c, &X1, e));
    if (n > c) {
        FB_TRY(recover(t, c, positive - c, &X2, e));
        FB_TRY(upper_roots(t, &X1, &X2, lambda + c, e));
    }
    FB_TRY(fb_mat_new(&X, N, n, e));
    memcpy(X.x, X1.x, sizeof(double) * (size_t)(N * c));
    if (n > c)
        memcpy(X.x + N * c, X2.x, sizeof(double) * (size_t)(N * (n - c)));
    j->n = n;
    j->finite = j->multipliers ? positive : t->r;
    j->lambda = lambda;
    j->X = X;
    lambda = NULL;
    X = (fb_mat){0};
out:
    free(lambda);
    FB_FREE_BY(fb_mat_free, &X1, &X2, &X);
    return s;
}

fb_status fb_eig_explicit(fb_eigjob *j, fb_err *e)
{
    explicit_state t = {.j = j};
    fb_status s = FB_OK;
    FB_TRY(mass_rows(&t, e));
    if (t.nf == 0)
        FB_TRY(fb_fail(e, FB_ESOLVE, "the model of %lld equations has no mass: it has no modes",
                       (long long)j->K->n));
    FB_TRY(mass_root(&t, e));
    FB_TRY(inverse_roots(&t, e));
    FB_TRY(roots(&t, e));
out:
    state_free(&t);
    return s;
}
