/* SPDX-License-Identifier: GPL-3.0-or-later */
/* exchanged.c - stiffness and mass in each other's place.
 *
 * Symbols  e_a the translation of all nodes along a = x, y, z; s_a(A) = sum of |A_ij| over its dofs
 * Equations
 *   (XC.1) r_a(A) = |e_a'A e_a| / s_a(A)      stiffness: 0 of a free body, of a held one the share
 *          of what holds it; mass: 1 where no entry is negative, 0.05 of 20-node solids
 *   (XC.2) f_max >= max_j (K_jj/M_jj)^1/2 / 2 pi          of a mesh kHz and more, and 1/w when
 *          exchanged: below 1e-4 Hz
 * Either is odd and worth a warning; both at once have no other explanation.
 */
#include "full.h"
#include "linalg/far.h"
#include "memory.h"
#include <math.h>
#include <stdlib.h>

static const double share = 0.1;     /* of (XC.1): M's in K's; as they should stand: 3 and more */
static const double strained = 1e-3; /* K's, at least: less is a body that is nearly free      */
static const double lowest = 1e-3;   /* Hz, of (XC.2): below the first mode of any bridge      */

/* The sums of (XC.1) by products with a matrix that other processes hold. */
static fb_status shares_far(const fb_full *f, const fb_csc *A, double *sum, double *size, fb_err *e)
{
    fb_mat E = {0}, Y = {0};
    fb_status s = FB_OK;
    FB_TRY(fb_mat_new(&E, f->n, 3, e));
    FB_TRY(fb_mat_new(&Y, f->n, 3, e));
    for (int64_t k = 0; k < 3 * f->n; k++)
        E.x[k] = f->b->dof_component[f->dof[k % f->n]] == k / f->n + 1;
    for (int which = 0; which < 2; which++) {
        FB_TRY(which ? fb_far->absolute(A, &E, &Y, e) : fb_far->multiply(A, &E, &Y, e));
        for (int a = 0; a < 3; a++)
            (which ? size : sum)[a] = fb_dot(E.x + a * f->n, Y.x + a * f->n, f->n);
    }
out:
    FB_FREE_BY(fb_mat_free, &E, &Y);
    return s;
}

/* (XC.1) */
static fb_status shares(const fb_full *f, const fb_csc *A, double r[3], fb_err *e)
{
    const int64_t *c = f->b->dof_component;
    double sum[3] = {0}, size[3] = {0};
    if (fb_is_far(A->p))
        FB_PASS(shares_far(f, A, sum, size, e));
    for (int64_t j = 0; !fb_is_far(A->p) && j < A->n; j++)
        for (int64_t q = A->p[j]; q < A->p[j + 1]; q++) {
            const int64_t a = c[f->dof[j]] - 1, i = A->i[q];
            if (a < 0 || a > 2 || c[f->dof[i]] - 1 != a)
                continue;
            sum[a] += (i == j ? 1 : 2) * A->x[q];
            size[a] += (i == j ? 1 : 2) * fabs(A->x[q]);
        }
    for (int a = 0; a < 3; a++)
        r[a] = size[a] > 0 ? fabs(sum[a]) / size[a] : -1;
    return FB_OK;
}

/* (XC.2) in Hz; 0: there is no mass */
static fb_status highest(const fb_full *f, double *hz, fb_err *e)
{
    double root = 0;
    FB_PASS(fb_full_largest(&f->K, &f->M, fb_csc_diagonal, 1, &root, e));
    *hz = fb_hertz(&f->b->units, root);
    return FB_OK;
}

fb_status fb_full_exchanged(const fb_full *f, fb_err *e)
{
    static const char remedy[] = "exchange the files of mnfparse's --stiffness and --mass";
    double rK[3], rM[3], hz = 0;
    int odd = 3, axes = 0, worst = 0;
    FB_PASS(highest(f, &hz, e));
    FB_PASS(shares(f, &f->K, rK, e));
    FB_PASS(shares(f, &f->M, rM, e));
    for (int a = 0; a < 3; a++) {
        if (rK[a] < 0 || rM[a] < 0)
            continue;
        axes++;
        worst = a;
        odd &= rK[a] > strained && rM[a] < share * rK[a] ? 3 : 2;
    }
    if (axes == 0)
        odd &= 2;
    if (!(hz > 0 && hz < lowest))
        odd &= 1;
    if (odd == 3)
        return fb_fail(e, FB_EFORMAT,
                       "stiffness and mass are exchanged: moving all nodes along %c leaves %.2g of "
                       "the mass matrix and %.2g of the stiffness, and no frequency would be far "
                       "above %.2g Hz: %s",
                       'x' + worst, rM[worst], rK[worst], hz, remedy);
    if (odd == 1)
        fb_warn(f->log,
                "moving all nodes along %c leaves %.2g of the mass matrix and %.2g of the "
                "stiffness: are they exchanged?",
                'x' + worst, rM[worst], rK[worst]);
    if (odd == 2)
        fb_warn(f->log,
                "no frequency would be far above %.2g Hz: are stiffness and mass exchanged, or "
                "units wrong?",
                hz);
    return FB_OK;
}
