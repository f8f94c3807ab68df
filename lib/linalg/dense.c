/* SPDX-License-Identifier: GPL-3.0-or-later */
/* dense.c - dense matrices, column-major. */
#include "dense.h"
#include "far.h"
#include "memory.h"
#include "status.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

fb_status fb_mat_new(fb_mat *A, int64_t m, int64_t n, fb_err *e)
{
    if (m < 0 || n < 0 || (n > 0 && m > INT64_MAX / n))
        return fb_fail(e, FB_ESYS, "a dense matrix of %lld by %lld is too large", (long long)m,
                       (long long)n);
    fb_mat B = {.m = m, .n = n};
    fb_status s = fb_new(&B.x, m * n, sizeof *B.x, "dense matrix", e);
    if (!s)
        *A = B;
    return s;
}

fb_status fb_mat_unit(fb_mat *A, int64_t n, fb_err *e)
{
    fb_status s = fb_mat_new(A, n, n, e);
    for (int64_t k = 0; !s && k < n; k++)
        A->x[k + k * n] = 1;
    return s;
}

fb_status fb_mat_copy(fb_mat *B, const fb_mat *A, fb_err *e)
{
    if (fb_is_far(A->x)) {
        const double **x = NULL;
        FB_PASS(fb_new(&x, A->n, sizeof *x, "columns", e));
        for (int64_t c = 0; c < A->n; c++)
            x[c] = A->x + c * A->m;
        fb_status far = fb_far->arrange(x, A->n, A->m, B, e);
        free(x);
        return far;
    }
    fb_status s = fb_mat_new(B, A->m, A->n, e);
    if (!s && A->m > 0 && A->n > 0)
        memcpy(B->x, A->x, sizeof *A->x * (size_t)(A->m * A->n));
    return s;
}

void fb_mat_free(fb_mat *A)
{
    fb_far_free(A->x);
    *A = (fb_mat){0};
}

void fb_mat_skew(fb_mat *A)
{
    for (int64_t j = 0; j < A->n; j++)
        for (int64_t i = 0; i <= j; i++) {
            const double half = (A->x[i + j * A->n] - A->x[j + i * A->n]) / 2;
            A->x[i + j * A->n] = half;
            A->x[j + i * A->n] = -half;
        }
}

fb_status fb_mat_unit_diagonal(const fb_mat *A, const double *scale, fb_mat *S, fb_err *e)
{
    const int64_t n = A->n;
    FB_PASS(fb_mat_new(S, n, n, e));
    for (int64_t j = 0; j < n; j++)
        for (int64_t i = 0; i < n; i++) {
            const double p = scale ? scale[i] * scale[j] : A->x[i + i * n] * A->x[j + j * n];
            S->x[i + j * n] = p > 0 ? A->x[i + j * n] / sqrt(p) : 0;
        }
    return FB_OK;
}

double fb_mat_symmetrise(fb_mat *A)
{
    double worst = 0;
    int64_t n = A->n;
    for (int64_t j = 0; j < n; j++)
        for (int64_t i = 0; i < j; i++) {
            double a = A->x[i + j * n], b = A->x[j + i * n];
            worst = fmax(worst, fabs(a - b));
            A->x[i + j * n] = A->x[j + i * n] = 0.5 * (a + b);
        }
    return worst;
}

int fb_mat_is_symmetric(const fb_mat *A)
{
    for (int64_t j = 0; j < A->n; j++)
        for (int64_t i = 0; i < j; i++)
            if (A->x[i + j * A->n] != A->x[j + i * A->n])
                return 0;
    return A->m == A->n;
}

void fb_mat_transpose(fb_mat *A)
{
    for (int64_t j = 0; j < A->n; j++)
        for (int64_t i = 0; i < j; i++) {
            double a = A->x[i + j * A->n];
            A->x[i + j * A->n] = A->x[j + i * A->n];
            A->x[j + i * A->n] = a;
        }
}

double fb_mat_max(const fb_mat *A)
{
    double max = 0;
    for (int64_t k = 0; k < A->m * A->n; k++)
        max = fmax(max, fabs(A->x[k]));
    return max;
}

double fb_dot(const double *x, const double *y, int64_t n)
{
    double sum = 0;
    for (int64_t k = 0; k < n; k++)
        sum += x[k] * y[k];
    return sum;
}

double fb_norm(const double *x, int64_t n)
{
    return sqrt(fb_dot(x, x, n));
}

void fb_axpy(double a, const double *x, double *y, int64_t n)
{
    for (int64_t k = 0; k < n; k++)
        y[k] += a * x[k];
}

void fb_to_unit(double *y, int64_t n)
{
    const double norm = fb_norm(y, n);
    for (int64_t k = 0; k < n; k++)
        y[k] = norm > 0 ? y[k] / norm : 0;
}

void fb_without(const fb_mat *Q, double *x)
{
    for (int64_t c = 0; c < Q->n; c++)
        fb_axpy(-fb_dot(Q->x + c * Q->m, x, Q->m), Q->x + c * Q->m, x, Q->m);
}

void fb_mat_orthonormalise(fb_mat *R)
{
    for (int64_t c = 0; c < R->n; c++) {
        const fb_mat Q = fb_mat_columns(R, 0, c);
        double *r = R->x + c * R->m;
        const double before = fb_dot(r, r, R->m);
        fb_without(&Q, r);
        fb_without(&Q, r);
        const double after = fb_dot(r, r, R->m);
        for (int64_t d = 0; d < R->m; d++)
            r[d] *= after > 1e-16 * before ? 1 / sqrt(after) : 0;
    }
}

int64_t fb_pick_columns(fb_mat *W, double slack, double least, int64_t given, int64_t want,
                        int64_t *p)
{
    double first = 0;
    for (int64_t k = 0; k < want; k++) {
        double most = 0;
        for (int64_t j = 0; k >= given && j < W->n; j++) {
            const double left = fb_dot(W->x + j * W->m, W->x + j * W->m, W->m);
            if (left > most * (1 + slack)) {
                most = left;
                p[k] = j;
            }
        }
        first = first > 0 ? first : most;
        if (k >= given && !(most > least * least * first))
            return k;
        double *q = W->x + p[k] * W->m;
        const fb_mat Q = {W->m, 1, q};
        fb_to_unit(q, W->m);
        for (int64_t j = 0; j < W->n; j++)
            if (j != p[k])
                fb_without(&Q, W->x + j * W->m);
        memset(q, 0, sizeof *q * (size_t)W->m);
    }
    return want;
}

int fb_cholesky_scaled(double *G, int64_t p, int64_t ld, double least)
{
    for (int64_t j = 0; j < p; j++) {
        for (int64_t i = 0; i <= j; i++) {
            double t = G[i + j * ld];
            for (int64_t k = 0; k < i; k++)
                t -= G[k + i * ld] * G[k + j * ld];
            if (i < j)
                G[i + j * ld] = t / G[i + i * ld];
            else if (!(t > least))
                return 0;
            else
                G[i + j * ld] = sqrt(t);
        }
    }
    return 1;
}

/* ---- numbers that look random: splitmix64 [Steele, Lea & Flood, OOPSLA 2014, 453-472] ------ */

static const uint64_t GOLDEN = 0x9e3779b97f4a7c15u; /* 2^64 over the golden ratio, odd */

uint64_t fb_mix(uint64_t k)
{
    uint64_t z = k + GOLDEN;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return z ^ (z >> 31);
}

uint64_t fb_random_start(uint64_t seed)
{
    return seed * GOLDEN + 0x1234567u;
}

void fb_random_fill(uint64_t *state, double *x, int64_t n)
{
    for (int64_t k = 0; k < n; k++, *state += GOLDEN)
        x[k] =
            (double)(fb_mix(*state) >> 11) / 4503599627370496. - 1; /* 53 bits over 2^52, minus 1 */
}

void fb_cross(const double a[3], const double b[3], double c[3])
{
    for (int k = 0; k < 3; k++)
        c[k] = a[(k + 1) % 3] * b[(k + 2) % 3] - a[(k + 2) % 3] * b[(k + 1) % 3];
}

double fb_unit3(double a[3])
{
    const double n = sqrt(a[0] * a[0] + a[1] * a[1] + a[2] * a[2]);
    for (int k = 0; k < 3 && n > 0; k++)
        a[k] /= n;
    return n;
}
