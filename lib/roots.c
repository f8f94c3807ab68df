/* SPDX-License-Identifier: GPL-3.0-or-later */
/* roots.c - eigenvalues of a body's own pair (Kr, Mr): coordinates that are dependent leave it,
 * rigid motion is zero.
 *
 * Symbols  n coordinates, T their shapes, S = D Mr D with unit diagonal, eps the unit round-off
 * Equations
 *   (RO.1) rank of S by Cholesky with pivoting, pivots above 1000 n eps: below, no three digits of
 *          what a coordinate adds to those before it are left in Mr
 *   (RO.2) D Kr D y = S y lambda,  v = D y,  v'Mr v = 1                        (scaled: any units
 *          of the coordinates)
 * Rigid motion (rigid_modes.c) is exactly zero.
 * Source   Higham, Accuracy and Stability of Numerical Algorithms (2002), sect. 10.3 (RO.1)
 */
#include "linalg/dense.h"
#include "memory.h"
#include "model.h"
#include "status.h"
#include "units.h"
#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const double digits = 1e3; /* (RO.1) */

void fb_roots_free(fb_roots *r)
{
    fb_mat_free(&r->V);
    FB_FREE(r->lambda, r->raw, r->kept);
    *r = (fb_roots){0};
}

/* ---- (RO.1) ---------------------------------------------------------------------------- */

/* Marks the first coordinates that are independent of those before them; returns their number. */
static int64_t in_order(fb_mat *S, double tol, char *keep)
{
    int64_t n = S->n, rank = 0;
    for (int64_t j = 0; j < n; j++) {
        double *x = S->x + j * n;
        for (int64_t i = 0; i < j; i++) { /* column j of the factor: rows kept so far */
            if (!keep[i])
                continue;
            for (int64_t k = 0; k < i; k++)
                if (keep[k])
                    x[i] -= S->x[k + i * n] * x[k];
            x[i] /= S->x[i + i * n];
            x[j] -= x[i] * x[i];
        }
        keep[j] = x[j] > tol;
        x[j] = keep[j] ? sqrt(x[j]) : 0;
        rank += keep[j];
    }
    return rank;
}

static fb_status semidefinite(const fb_mat *S, double tol, fb_err *e)
{
    fb_mat A = {0};
    double *mu = NULL;
    fb_status s = FB_OK;
    FB_TRY(FB_NEW(&mu, S->n, e));
    FB_TRY(fb_mat_copy(&A, S, e));
    FB_TRY(fb_eig_symmetric(&A, mu, e));
    if (mu[0] < -tol)
        s = fb_fail(e, FB_ESOLVE,
                    "the mass matrix of order %lld is not positive definite: scaled to a unit "
                    "diagonal, its lowest eigenvalue is %.3g",
                    (long long)S->n, mu[0]);
out:
    fb_mat_free(&A);
    free(mu);
    return s;
}

/* kept [n], the first *rank of it, ascending. */
static fb_status choose(const fb_mat *S, int64_t *kept, int64_t *rank, fb_err *e)
{
    const double tol = digits * (double)S->n * DBL_EPSILON;
    int64_t n = S->n, *pivot = NULL;
    char *keep = NULL;
    fb_mat L = {0};
    fb_status s = FB_OK;
    FB_TRY(FB_NEW(&pivot, n, e));
    FB_TRY(FB_NEW(&keep, n, e));
    FB_TRY(fb_mat_copy(&L, S, e));
    FB_TRY(fb_rank_spd(&L, tol, pivot, rank, e));
    memset(keep, 1, (size_t)n);
    if (*rank < n) {
        FB_TRY(semidefinite(S, tol, e));
        memcpy(L.x, S->x, sizeof *L.x * (size_t)(n * n));
        if (in_order(&L, tol, keep) != *rank) {
            memset(keep, 0, (size_t)n);
            for (int64_t k = 0; k < *rank; k++)
                keep[pivot[k]] = 1;
        }
    }
    for (int64_t k = 0, q = 0; k < n; k++)
        if (keep[k])
            kept[q++] = k;
out:
    fb_mat_free(&L);
    FB_FREE(pivot, keep);
    return s;
}

/* ---- the roots ------------------------------------------------------------------------- */

/* (RO.2) over the coordinates kept; V [n x rank] over all of them. */
static fb_status solve(const fb_model *b, const double *scale, fb_roots *r, fb_err *e)
{
    const int64_t n = b->nr, m = r->n;
    fb_mat K = {0}, M = {0}, Y = {0};
    fb_status s = FB_OK;
    FB_TRY(fb_mat_new(&K, m, m, e));
    FB_TRY(fb_mat_new(&M, m, m, e));
    FB_TRY(fb_mat_new(&r->V, n, m, e));
    for (int64_t j = 0; j < m; j++)
        for (int64_t i = 0; i < m; i++) {
            const int64_t p = r->kept[i], q = r->kept[j];
            K.x[i + j * m] = scale[p] * b->Kr[p + q * n] * scale[q];
            M.x[i + j * m] = p == q ? 1 : scale[p] * b->Mr[p + q * n] * scale[q];
        }
    FB_TRY(fb_eig_dense(&K, &M, r->lambda, &Y, e));
    for (int64_t j = 0; j < m; j++)
        for (int64_t i = 0; i < m; i++)
            r->V.x[r->kept[i] + j * n] = scale[r->kept[i]] * Y.x[i + j * m];
    fb_fix_signs(&r->V);
out:
    FB_FREE_BY(fb_mat_free, &K, &M, &Y);
    return s;
}

static void swap(double *x, double *y)
{
    double z = *x;
    *x = *y;
    *y = z;
}

/* Zeros may stand in another order than what they were: few do, and not far. */
static void ascending(fb_roots *r)
{
    const int64_t n = r->V.m;
    for (int64_t k = 1; k < r->n; k++)
        for (int64_t q = k; q > 0 && r->lambda[q] < r->lambda[q - 1]; q--) {
            swap(r->lambda + q, r->lambda + q - 1);
            swap(r->raw + q, r->raw + q - 1);
            for (int64_t i = 0; i < n; i++)
                swap(r->V.x + i + q * n, r->V.x + i + (q - 1) * n);
        }
}

static fb_status rigid(const fb_model *b, fb_roots *r, fb_err *e)
{
    char *is = NULL;
    fb_status s = FB_OK;
    FB_TRY(FB_NEW(&is, r->n, e));
    FB_TRY(fb_rigid_find(b, r->lambda, &r->V, is, &r->nrigid, e));
    for (int64_t k = 0; k < r->n; k++)
        r->lambda[k] = is[k] ? 0 : r->lambda[k];
    ascending(r);
out:
    free(is);
    return s;
}

fb_status fb_model_roots(const fb_model *b, fb_roots *out, fb_err *e)
{
    const int64_t n = b->nr;
    fb_roots r = {.n = n};
    fb_mat S = {0};
    double *scale = NULL;
    fb_status s = FB_OK;
    FB_TRY(fb_mat_new(&S, n, n, e));
    FB_TRY(FB_NEW(&scale, n, e));
    FB_TRY(FB_NEW(&r.kept, n, e));
    FB_TRY(FB_NEW(&r.lambda, n, e));
    FB_TRY(FB_NEW(&r.raw, n, e));
    for (int64_t k = 0; k < n; k++) {
        if (!(b->Mr[k + k * n] > 0))
            FB_TRY(fb_fail(e, FB_ESOLVE,
                           "the mass matrix is not positive definite: generalized coordinate %lld "
                           "has the mass %g",
                           (long long)k + 1, b->Mr[k + k * n]));
        scale[k] = 1 / sqrt(b->Mr[k + k * n]);
    }
    for (int64_t j = 0; j < n; j++)
        for (int64_t i = 0; i < n; i++)
            S.x[i + j * n] = i == j ? 1 : scale[i] * b->Mr[i + j * n] * scale[j];
    FB_TRY(choose(&S, r.kept, &r.n, e));
    FB_TRY(solve(b, scale, &r, e));
    memcpy(r.raw, r.lambda, sizeof *r.raw * (size_t)r.n);
    FB_TRY(rigid(b, &r, e));
    *out = r;
    r = (fb_roots){0};
out:
    fb_roots_free(&r);
    fb_mat_free(&S);
    free(scale);
    return s;
}

/* "6 rigid modes: 0 Hz; round-off made 1e-05 ... Hz of them" */
static void note_rigid(const fb_model *b, const fb_roots *r, fb_log *log)
{
    char list[400] = "";
    for (int64_t k = 0; k < r->n; k++) {
        size_t at = strlen(list);
        if (!(r->lambda[k] < 0 || r->lambda[k] > 0) && at < sizeof list - 24)
            snprintf(list + at, sizeof list - at, " %.3g", fb_hertz(&b->units, r->raw[k]));
    }
    if (r->nrigid && log)
        fb_note(log, "%lld rigid mode%s: 0 Hz, of which round-off made%s Hz", (long long)r->nrigid,
                r->nrigid > 1 ? "s" : "", list);
}

fb_status fb_model_frequencies(fb_model *b, fb_log *log, fb_err *e)
{
    fb_roots r = {0};
    double *f = NULL;
    fb_status s = FB_OK;
    FB_TRY(fb_model_roots(b, &r, e));
    note_rigid(b, &r, log);
    if (r.n == b->nr) {
        FB_TRY(fb_new(&f, b->nr, 8, "frequencies", e));
        for (int64_t k = 0; k < b->nr; k++)
            f[k] = fb_hertz(&b->units, r.lambda[k]);
    }
    free(b->frequency);
    b->frequency = f;
out:
    fb_roots_free(&r);
    return s;
}
