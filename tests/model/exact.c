/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "tests/model/exact.h"
#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

real *real_new(int64_t n)
{
    real *x = calloc((size_t)(n > 0 ? n : 1), sizeof *x);
    if (!x)
        abort();
    return x;
}

real *real_of(const double *x, int64_t n)
{
    real *y = real_new(n);
    for (int64_t k = 0; k < n; k++)
        y[k] = x[k];
    return y;
}

void real_product(int transA, int64_t m, int64_t n, int64_t k, const real *A, const real *B,
                  real *C)
{
    memset(C, 0, sizeof *C * (size_t)(m * n));
    for (int64_t j = 0; j < n; j++)
        for (int64_t l = 0; l < (transA ? m : k); l++) {
            const real *a = A + l * (transA ? k : m);
            if (transA)
                for (int64_t i = 0; i < k; i++)
                    C[l + j * m] += a[i] * B[i + j * k];
            else
                for (int64_t i = 0; i < m; i++)
                    C[i + j * m] += a[i] * B[l + j * k];
        }
}

real *real_congruence(const real *A, int64_t n, const real *T, int64_t m)
{
    real *AT = real_new(n * m), *B = real_new(m * m);
    real_product(0, n, m, n, A, T, AT);
    real_product(1, m, m, n, T, AT, B);
    free(AT);
    return B;
}

static void swap(real *x, real *y)
{
    real t = *x;
    *x = *y;
    *y = t;
}

int real_solve(int64_t n, real *A, int64_t k, real *B)
{
    for (int64_t c = 0; c < n; c++) {
        int64_t p = c;
        for (int64_t i = c + 1; i < n; i++)
            if (fabsl(A[i + c * n]) > fabsl(A[p + c * n]))
                p = i;
        if (A[p + c * n] == 0)
            return 0;
        for (int64_t j = 0; j < n && p != c; j++)
            swap(A + c + j * n, A + p + j * n);
        for (int64_t j = 0; j < k && p != c; j++)
            swap(B + c + j * n, B + p + j * n);
        for (int64_t i = c + 1; i < n; i++)
            A[i + c * n] /= A[c + c * n];
        for (int64_t j = c + 1; j < n; j++)
            for (int64_t i = c + 1; i < n; i++)
                A[i + j * n] -= A[i + c * n] * A[c + j * n];
        for (int64_t j = 0; j < k; j++)
            for (int64_t i = c + 1; i < n; i++)
                B[i + j * n] -= A[i + c * n] * B[c + j * n];
    }
    for (int64_t j = 0; j < k; j++)
        for (int64_t c = n - 1; c >= 0; c--) {
            B[c + j * n] /= A[c + c * n];
            for (int64_t i = 0; i < c; i++)
                B[i + j * n] -= A[i + c * n] * B[c + j * n];
        }
    return 1;
}

/* A := Q'AQ tridiagonal, d and e its diagonals (e[i] between i and i+1), A becomes Q. */
static void tridiagonal(int64_t n, real *A, real *d, real *e)
{
    real *v = real_new(n), *p = real_new(n), *Q = real_new(n * n);
    for (int64_t i = 0; i < n; i++)
        Q[i + i * n] = 1;
    for (int64_t c = 0; c + 2 < n; c++) {
        real norm = 0, vv = 0, vp = 0;
        for (int64_t i = c + 1; i < n; i++) {
            v[i] = A[i + c * n];
            norm += v[i] * v[i];
        }
        if (norm == v[c + 1] * v[c + 1])
            continue;
        v[c + 1] += copysignl(sqrtl(norm), v[c + 1]);
        for (int64_t i = c + 1; i < n; i++)
            vv += v[i] * v[i];
        for (int64_t i = c; i < n; i++) {
            p[i] = 0;
            for (int64_t j = c + 1; j < n; j++)
                p[i] += A[j + i * n] * v[j];
            p[i] *= 2 / vv;
            vp += i > c ? v[i] * p[i] : 0;
        }
        v[c] = 0;
        for (int64_t i = c; i < n; i++)
            p[i] -= vp / vv * v[i];
        for (int64_t j = c; j < n; j++)
            for (int64_t i = c; i < n; i++)
                A[i + j * n] -= v[i] * p[j] + p[i] * v[j];
        memset(p, 0, sizeof *p * (size_t)n);
        for (int64_t j = c + 1; j < n; j++)
            for (int64_t i = 0; i < n; i++)
                p[i] += Q[i + j * n] * v[j];
        for (int64_t j = c + 1; j < n; j++)
            for (int64_t i = 0; i < n; i++)
                Q[i + j * n] -= 2 / vv * p[i] * v[j];
    }
    for (int64_t i = 0; i < n; i++) {
        d[i] = A[i + i * n];
        e[i] = i + 1 < n ? A[i + 1 + i * n] : 0;
    }
    memcpy(A, Q, sizeof *A * (size_t)(n * n));
    free(v);
    free(p);
    free(Q);
}

/* One implicit QL step on rows l..m. */
static void ql_step(int64_t n, real *Q, real *d, real *e, int64_t l, int64_t m)
{
    real g = (d[l + 1] - d[l]) / (2 * e[l]), s = 1, c = 1, p = 0;
    g = d[m] - d[l] + e[l] / (g + copysignl(hypotl(g, 1), g));
    for (int64_t i = m - 1; i >= l; i--) {
        real f = s * e[i], b = c * e[i], r = hypotl(f, g);
        e[i + 1] = r;
        if (r == 0) {
            d[i + 1] -= p;
            e[m] = 0;
            return;
        }
        s = f / r;
        c = g / r;
        g = d[i + 1] - p;
        r = (d[i] - g) * s + 2 * c * b;
        p = s * r;
        d[i + 1] = g + p;
        g = c * r - b;
        for (int64_t k = 0; k < n; k++) {
            real t = Q[k + (i + 1) * n];
            Q[k + (i + 1) * n] = s * Q[k + i * n] + c * t;
            Q[k + i * n] = c * Q[k + i * n] - s * t;
        }
    }
    d[l] -= p;
    e[l] = g;
    e[m] = 0;
}

void real_eigen(int64_t n, real *A, real *w)
{
    real *e = real_new(n + 1);
    tridiagonal(n, A, w, e);
    for (int64_t l = 0; l < n; l++)
        for (int turn = 0;; turn++) {
            int64_t m = l;
            while (m + 1 < n && fabsl(e[m]) > LDBL_EPSILON * (fabsl(w[m]) + fabsl(w[m + 1])))
                m++;
            if (m == l)
                break;
            if (turn > 200)
                abort();
            ql_step(n, A, w, e, l, m);
        }
    for (int64_t k = 0; k < n; k++) { /* ascending */
        int64_t low = k;
        for (int64_t j = k + 1; j < n; j++)
            if (w[j] < w[low])
                low = j;
        if (low != k) {
            swap(w + k, w + low);
            for (int64_t i = 0; i < n; i++)
                swap(A + i + k * n, A + i + low * n);
        }
    }
    free(e);
}

/* The lower factor L of a positive definite A [n x n]; 0 where it is not. */
static int cholesky(int64_t n, real *A)
{
    for (int64_t c = 0; c < n; c++) {
        for (int64_t k = 0; k < c; k++)
            for (int64_t i = c; i < n; i++)
                A[i + c * n] -= A[i + k * n] * A[c + k * n];
        if (!(A[c + c * n] > 0))
            return 0;
        real root = sqrtl(A[c + c * n]);
        for (int64_t i = c; i < n; i++)
            A[i + c * n] /= root;
    }
    return 1;
}

/* X := L^-1 X, or L^-T X, X [n x k]. */
static void half_solve(int64_t n, const real *L, int trans, int64_t k, real *X)
{
    for (int64_t j = 0; j < k; j++) {
        real *x = X + j * n;
        for (int64_t q = 0; q < n; q++) {
            int64_t c = trans ? n - 1 - q : q;
            for (int64_t i = c + 1; trans && i < n; i++)
                x[c] -= L[i + c * n] * x[i];
            x[c] /= L[c + c * n];
            for (int64_t i = c + 1; !trans && i < n; i++)
                x[i] -= L[i + c * n] * x[c];
        }
    }
}

/* K x = w M x for M definite, M destroyed; K becomes X. Scaled to a unit diagonal of M first: units
 * do not matter. */
static int definite_pencil(int64_t n, real *K, real *M, real *w)
{
    real *scale = real_new(n);
    int good = 1;
    for (int64_t i = 0; i < n; i++) {
        good = good && M[i + i * n] > 0;
        scale[i] = good ? 1 / sqrtl(M[i + i * n]) : 1;
    }
    for (int64_t j = 0; j < n; j++)
        for (int64_t i = 0; i < n; i++) {
            M[i + j * n] *= scale[i] * scale[j];
            K[i + j * n] *= scale[i] * scale[j];
        }
    good = good && cholesky(n, M);
    if (good) {
        for (int turn = 0; turn < 2; turn++) { /* L^-1 K L^-T */
            half_solve(n, M, 0, n, K);
            for (int64_t j = 0; j < n; j++)
                for (int64_t i = 0; i < j; i++)
                    swap(K + i + j * n, K + j + i * n);
        }
        for (int64_t j = 0; j < n; j++)
            for (int64_t i = 0; i < j; i++)
                K[i + j * n] = K[j + i * n] = (K[i + j * n] + K[j + i * n]) / 2;
        real_eigen(n, K, w);
        half_solve(n, M, 1, n, K);
        for (int64_t j = 0; j < n; j++)
            for (int64_t i = 0; i < n; i++)
                K[i + j * n] *= scale[i];
    }
    free(scale);
    return good;
}

static real *part(const real *A, int64_t n, const int64_t *r, int64_t nr, const int64_t *c,
                  int64_t nc)
{
    real *B = real_new(nr * nc);
    for (int64_t j = 0; j < nc; j++)
        for (int64_t i = 0; i < nr; i++)
            B[i + j * nr] = A[r[i] + c[j] * n];
    return B;
}

int64_t real_pencil(int64_t n, const real *K, const real *M, real **w, real **X)
{
    int64_t *at = calloc((size_t)(2 * n + 1), sizeof *at), *zero = at + n, nf = 0, nz = 0, count;
    if (!at)
        abort();
    for (int64_t j = 0; j < n; j++) {
        int any = 0;
        for (int64_t i = 0; i < n; i++)
            any = any || M[i + j * n] != 0;
        if (any)
            at[nf++] = j;
        else
            zero[nz++] = j;
    }
    real *Kf = part(K, n, at, nf, at, nf), *Mf = part(M, n, at, nf, at, nf),
         *Kz = part(K, n, zero, nz, zero, nz), *S = part(K, n, zero, nz, at, nf),
         *Kfz = part(K, n, at, nf, zero, nz), *KS = real_new(nf * nf);
    *w = real_new(nf);
    *X = real_new(n * nf);
    count = real_solve(nz, Kz, nf, S) ? nf : -2; /* S = Kzz^-1 Kzf: x_z = -S x_f */
    if (count >= 0) {
        real_product(0, nf, nf, nz, Kfz, S, KS);
        for (int64_t k = 0; k < nf * nf; k++)
            Kf[k] -= KS[k];
        count = definite_pencil(nf, Kf, Mf, *w) ? nf : -1;
    }
    for (int64_t k = 0; k < count; k++) {
        for (int64_t i = 0; i < nf; i++)
            (*X)[at[i] + k * n] = Kf[i + k * nf];
        for (int64_t z = 0; z < nz; z++)
            for (int64_t i = 0; i < nf; i++)
                (*X)[zero[z] + k * n] -= S[z + i * nz] * Kf[i + k * nf];
    }
    free(at);
    free(Kf);
    free(Mf);
    free(Kz);
    free(S);
    free(Kfz);
    free(KS);
    return count;
}
