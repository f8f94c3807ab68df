/* SPDX-License-Identifier: GPL-3.0-or-later */
/* span.c - a space of interior motions that grows vector by vector, and its Ritz vectors.
 *
 * Equations
 *   (SP.1) x := x - X (X'M x), twice;  x / ||x||_M joins X: X'MX = I
 *   (SP.2) X'KX Y = Y diag(w2), Y'Y = I;  X := X Y:  X'KX = diag(w2), X'MX = I
 * A vector of which (SP.1) leaves no more than round-off is in the space already, and is dropped.
 * Source   Giraud, Langou, Rozloznik & van den Eshof, Numer. Math. 101 (2005) 87-100 (twice is
 *          enough)
 */
#include "span.h"
#include "linalg/far.h"
#include "linalg/sparse_ops.h"
#include "memory.h"
#include <math.h>
#include <string.h>

double fb_mass_norm(const fb_csc *M, const double *x, int64_t n, double *Mx)
{
    if (!M) {
        memcpy(Mx, x, sizeof *Mx * (size_t)n);
        return fb_norm(x, n);
    }
    memset(Mx, 0, sizeof *Mx * (size_t)n);
    if (fb_is_far(M->p)) {
        const fb_mat X = {n, 1, (double *)(uintptr_t)x};
        fb_mat Y = {n, 1, Mx};
        fb_err e;
        (void)!fb_far->multiply(M, &X, &Y,
                                &e); /* it cannot fail but by memory, which ends the run */
    } else {
        fb_csc_mul(M, x, n, Mx, n, 1);
    }
    return sqrt(fmax(fb_dot(x, Mx, n), 0));
}

void fb_mass_without(const fb_csc *M, const fb_mat *Y, double *x, double *Mx)
{
    if (Y->n > 0)
        (void)fb_mass_norm(M, x, Y->m, Mx);
    if (fb_is_far(Y->x)) {
        fb_far->without(Y, Mx, x);
        return;
    }
    for (int64_t c = 0; c < Y->n; c++)
        fb_axpy(-fb_dot(Y->x + c * Y->m, Mx, Y->m), Y->x + c * Y->m, x, Y->m);
}

fb_status fb_span_new(fb_span *v, int64_t n, const fb_csc *M, int64_t most, fb_err *e)
{
    fb_span t = {.M = M, .most = most};
    fb_status s = FB_OK;
    FB_TRY(fb_mat_new(&t.X, n, most, e));
    t.X.n = 0;
    FB_TRY(fb_new(&t.Mx, n, sizeof *t.Mx, "vector", e));
    *v = t;
    t = (fb_span){0};
out:
    fb_span_free(&t);
    return s;
}

int fb_span_add(fb_span *v, const double *x, double tolerance, double scale)
{
    const int64_t n = v->X.m;
    double *to = v->X.x + v->X.n * n, norm;
    if (v->X.n == v->most)
        return 0;
    norm = fb_mass_norm(v->M, x, n, v->Mx);
    scale = scale > 0 ? scale : norm;
    if (!(norm > 0))
        return 0;
    for (int64_t i = 0; i < n; i++)
        to[i] = x[i] / norm;
    for (int pass = 0; pass < 2; pass++) /* (SP.1) */
        fb_mass_without(v->M, &v->X, to, v->Mx);
    const double left = fb_mass_norm(v->M, to, n, v->Mx);
    if (!(left * norm > tolerance * scale))
        return 0;
    for (int64_t i = 0; i < n; i++)
        to[i] /= left;
    fb_mass_without(v->M, &v->X, to, v->Mx);
    const double unit = fb_mass_norm(v->M, to, n, v->Mx);
    if (!(unit > 0.5)) /* what was left was round-off of x */
        return 0;
    for (int64_t i = 0; i < n; i++)
        to[i] /= unit;
    v->X.n++;
    return 1;
}

fb_status fb_span_ritz(fb_span *v, const fb_csc *K, const double *k, double **w2, fb_err *e)
{
    fb_mat R = {0}, Y = {0};
    fb_status s = FB_OK;
    double *w = NULL;
    FB_TRY(fb_new(&w, v->X.n, sizeof *w, "eigenvalues", e));
    if (K) {
        FB_TRY(fb_csc_congruence(K, &v->X, &R, e));
    } else {
        FB_TRY(fb_mat_copy(&Y, &v->X, e));
        for (int64_t c = 0; c < Y.n; c++)
            for (int64_t i = 0; i < Y.m; i++)
                Y.x[i + c * Y.m] *= k[i];
        FB_TRY(fb_mat_product(1, 0, &v->X, &Y, &R, e));
        fb_mat_symmetrise(&R);
        fb_mat_free(&Y);
    }
    FB_TRY(fb_eig_dense(&R, NULL, w, &Y, e)); /* (SP.2) */
    FB_TRY(fb_mat_times(&v->X, &Y, e));
    fb_fix_signs(&v->X);
    *w2 = w;
    w = NULL;
out:
    FB_FREE(w);
    FB_FREE_BY(fb_mat_free, &R, &Y);
    return s;
}

void fb_span_free(fb_span *v)
{
    fb_mat_free(&v->X);
    FB_FREE(v->Mx);
    *v = (fb_span){0};
}
