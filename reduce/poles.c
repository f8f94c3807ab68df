/* SPDX-License-Identifier: GPL-3.0-or-later */
/* poles.c - poles of the reduced body, and structural damping as viscous.
 *
 * Symbols  s speed, D, G, S damping, gyroscopic and structural matrix; V, w of the reduced pair
 *          (the symmetric part of K): V'MV = 1, V'KV = diag(w^2); N skew part of the stiffness
 * Equations
 *   (PO.1) (p^2 M + p (D + s G) + K + N) x = 0
 *   (PO.2) y = [R q; q'],  y' = [0 R; -(diag(w^2) + V'NV) R^-1, -V'(D + s G)V] y,  x = V q,  R =
 *          diag(|w|), the lowest |w| in the place of 0: half of the matrix is skew but for N, so
 *          that low poles are known to round-off of the highest
 *   (PO.3) f = Im p / 2 pi,  zeta = -Re p / |p|;  of a pair the pole above the real axis
 *   (PO.4) D := D + M V diag(v'S v / w) V'M    the same loss in a period of each mode alone
 * A real pole has the frequency 0 and the damping ratio 1 (it decays) or -1 (it grows), and is a
 * row of its own: an overdamped mode has two of them; the two poles 0 of rigid motion have the
 * ratio 0. What is lost in round-off of the largest pole is 0.
 * Source   Tisseur & Meerbergen, SIAM Review 43 (2001) 235-286; Clough & Penzien, Dynamics of
 *          Structures (1993), sec. 3-7 (PO.4)
 * Cost     LAPACK's dgeev of order 2 n
 */
#include "linalg/dense.h"
#include "memory.h"
#include "verdict.h"
#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST = 2000, SHOWN = 12 }; /* coordinates; poles on -v */

typedef struct {
    double re, im, f, zeta;
} pole;

static int by_frequency(const void *a, const void *b)
{
    const pole *p = a, *q = b;
    if (p->f != q->f)
        return p->f < q->f ? -1 : 1;
    return p->re > q->re ? -1 : p->re < q->re;
}

/* V'(D + s G)V and V'NV, n by n. */
static fb_status in_modes(const fb_model *b, const fb_roots *r, double speed, fb_mat *C, fb_mat *N,
                          fb_err *e)
{
    const int64_t n = b->nr;
    fb_mat D = {0}, DV = {0};
    fb_status s = FB_OK;
    FB_TRY(fb_mat_new(&D, n, n, e));
    for (int64_t i = 0; i < n; i++)
        for (int64_t j = 0; j < n; j++)
            D.x[i + j * n] =
                (b->Dr ? b->Dr[i * n + j] : 0) + (b->Gr ? speed * b->Gr[i * n + j] : 0);
    FB_TRY(fb_mat_product(0, 0, &D, &r->V, &DV, e));
    FB_TRY(fb_mat_product(1, 0, &r->V, &DV, C, e));
    for (int64_t i = 0; b->Nr && i < n; i++)
        for (int64_t j = 0; j < n; j++)
            D.x[i + j * n] = b->Nr[i * n + j];
    if (b->Nr) {
        FB_TRY(fb_gemm(0, 0, 1, &D, &r->V, 0, &DV, e));
        FB_TRY(fb_mat_product(1, 0, &r->V, &DV, N, e));
    }
out:
    FB_FREE_BY(fb_mat_free, &D, &DV);
    return s;
}

/* (PO.2) */
static fb_status state(const fb_roots *r, const fb_mat *C, const fb_mat *N, fb_mat *A, fb_err *e)
{
    const int64_t n = r->n, m = 2 * n;
    double lowest = INFINITY;
    for (int64_t k = 0; k < n; k++)
        if (r->lambda[k] != 0)
            lowest = fmin(lowest, sqrt(fabs(r->lambda[k])));
    FB_PASS(fb_mat_new(A, m, m, e));
    for (int64_t k = 0; k < n; k++) {
        const double w = r->lambda[k] != 0  ? sqrt(fabs(r->lambda[k]))
                         : isfinite(lowest) ? lowest
                                            : 1;
        A->x[k + (n + k) * m] = w;
        A->x[n + k + k * m] = -r->lambda[k] / w;
        for (int64_t i = 0; i < n; i++)
            A->x[n + i + (n + k) * m] = -C->x[i + k * n];
        for (int64_t i = 0; N->x && i < n; i++)
            A->x[n + i + k * m] -= N->x[i + k * n] / w;
    }
    return FB_OK;
}

/* (PO.3); what is left of p [2n]: n poles. A pair that round-off makes of two equal real poles is
 * two rows. */
static int64_t sorted(pole *p, int64_t m, double hertz)
{
    double most = 0;
    int64_t n = 0;
    for (int64_t k = 0; k < m; k++)
        most = fmax(most, hypot(p[k].re, p[k].im));
    const double noise = 64 * DBL_EPSILON * most;
    for (int64_t k = 0; k < m; k++) {
        pole q = p[k];
        if (q.im < -noise)
            continue;
        q.re = fabs(q.re) > noise ? q.re : 0;
        q.im = q.im > noise ? q.im : 0;
        const double size = hypot(q.re, q.im);
        q.f = q.im * hertz;
        q.zeta = size > 0 ? -q.re / size + 0. : 0;
        p[n++] = q;
    }
    qsort(p, (size_t)n, sizeof *p, by_frequency);
    return n;
}

static fb_status keep(fb_model *b, const pole *p, int64_t n, double speed, fb_err *e)
{
    FB_PASS(FB_NEW(&b->pole_frequency, n, e));
    FB_PASS(FB_NEW(&b->pole_damping, n, e));
    FB_PASS(FB_NEW(&b->pole_real, n, e));
    FB_PASS(FB_NEW(&b->pole_speed, 1, e));
    b->npole = n;
    b->pole_speed[0] = speed;
    for (int64_t k = 0; k < n; k++) {
        b->pole_frequency[k] = p[k].f;
        b->pole_damping[k] = p[k].zeta;
        b->pole_real[k] = p[k].re;
    }
    return FB_OK;
}

static void tell(const fb_model *b, fb_log *log)
{
    char list[200] = "";
    int64_t unstable = 0;
    for (int64_t k = 0; k < b->npole; k++) {
        if (k < SHOWN)
            fb_note(log, "pole %lld: %.6g Hz, damping ratio %.4g", (long long)k + 1,
                    b->pole_frequency[k], b->pole_damping[k]);
        if (b->pole_real[k] > 0 && ++unstable <= 4) {
            const size_t at = strlen(list);
            snprintf(list + at, sizeof list - at, "%s %lld (%.4g Hz, damping ratio %.3g)",
                     at ? "," : "", (long long)k + 1, b->pole_frequency[k], b->pole_damping[k]);
        }
    }
    if (unstable)
        fb_warn(log, "%lld of the %lld poles of the reduced body %s unstable:%s%s",
                (long long)unstable, (long long)b->npole, unstable > 1 ? "are" : "is", list,
                unstable > 4 ? ", ..." : "");
}

fb_status fb_poles(fb_model *b, double rad_s, fb_log *log, fb_err *e)
{
    const double time = fb_units_time(&b->units), speed = rad_s * time;
    fb_roots r = {0};
    fb_mat C = {0}, N = {0}, A = {0};
    double *re = NULL, *im = NULL;
    pole *p = NULL;
    fb_status s = FB_OK;
    if (rad_s != 0 && !b->Gr)
        return fb_fail(e, FB_EUSAGE,
                       "--speed: the body has no gyroscopic matrix: give one to mnfparse by "
                       "--gyroscopic FILE");
    if (!b->Dr && !b->Gr && !b->Nr)
        return FB_OK;
    if (b->nr > MOST) {
        fb_warn(log, "no poles are computed of more than %d coordinates", MOST);
        return FB_OK;
    }
    FB_TRY(fb_model_roots(b, &r, e));
    FB_TRY(in_modes(b, &r, speed, &C, &N, e));
    FB_TRY(state(&r, &C, &N, &A, e));
    FB_TRY(FB_NEW(&re, A.n, e));
    FB_TRY(FB_NEW(&im, A.n, e));
    FB_TRY(FB_NEW(&p, A.n, e));
    FB_TRY(fb_eig_general(&A, re, im, e));
    for (int64_t k = 0; k < A.n; k++)
        p[k] = (pole){.re = re[k], .im = im[k]};
    FB_TRY(keep(b, p, sorted(p, A.n, 1 / (2 * acos(-1) * time)), speed, e));
    tell(b, log);
out:
    fb_roots_free(&r);
    FB_FREE_BY(fb_mat_free, &C, &N, &A);
    FB_FREE(re, im, p);
    return s;
}

/* (PO.4) */
fb_status fb_structural_as_viscous(fb_model *b, fb_log *log, fb_err *e)
{
    const int64_t n = b->nr;
    const fb_mat M = {n, n, b->Mr};
    fb_roots r = {0};
    fb_mat S = {0}, SV = {0}, MV = {0}, W = {0}, D = {0};
    fb_status s = FB_OK;
    if (!b->Sr)
        return fb_fail(e, FB_EUSAGE,
                       "--structural-as-viscous: the body has no structural damping (/full/S)");
    FB_TRY(fb_mat_copy(&S, &(fb_mat){n, n, b->Sr}, e));
    FB_TRY(fb_model_roots(b, &r, e));
    FB_TRY(fb_mat_product(0, 0, &S, &r.V, &SV, e));
    FB_TRY(fb_mat_product(0, 0, &M, &r.V, &MV, e));
    FB_TRY(fb_mat_new(&W, n, r.n, e));
    for (int64_t k = 0; k < r.n; k++) {
        const double w = sqrt(fmax(r.lambda[k], 0)),
                     c = w > 0 ? fb_dot(r.V.x + k * n, SV.x + k * n, n) / w : 0;
        for (int64_t i = 0; i < n; i++)
            W.x[i + k * n] = MV.x[i + k * n] * c;
    }
    FB_TRY(fb_mat_product(0, 1, &W, &MV, &D, e));
    fb_mat_symmetrise(&D);
    if (!b->Dr)
        FB_TRY(fb_new(&b->Dr, n * n, 8, "reduced damping", e));
    fb_axpy(1, D.x, b->Dr, n * n);
    FB_FREE(b->Sr);
    b->Sr = NULL;
    fb_note(log, "structural damping has become viscous damping of the same loss at each mode");
out:
    fb_roots_free(&r);
    FB_FREE_BY(fb_mat_free, &S, &SV, &MV, &W, &D);
    return s;
}
