/* SPDX-License-Identifier: GPL-3.0-or-later */
/* sparse.c - compressed-column matrices: check, assembly, product. */
#include "flexbody.h"
#include <math.h>
#include <stdlib.h>

fb_status fb_csc_new(fb_csc *A, int64_t m, int64_t n, int64_t nnz, int upper, fb_err *e)
{
    fb_csc B = {.m = m, .n = n, .upper = upper};
    fb_status s = FB_OK;
    FB_TRY(fb_new(&B.p, n + 1, sizeof *B.p, "column starts", e));
    FB_TRY(fb_new(&B.i, nnz, sizeof *B.i, "row indices", e));
    FB_TRY(fb_new(&B.x, nnz, sizeof *B.x, "matrix values", e));
    *A = B;
    B = (fb_csc){0};
out:
    fb_csc_free(&B);
    return s;
}

void fb_csc_free(fb_csc *A)
{
    free(A->p);
    free(A->i);
    free(A->x);
    *A = (fb_csc){0};
}

fb_status fb_csc_check(const fb_csc *A, const char *name, fb_err *e)
{
    if (A->m < 0 || A->n < 0 || !A->p || A->p[0] != 0)
        return fb_fail(e, FB_EFORMAT, "%s: bad shape or column starts", name);
    if (A->upper && A->m != A->n)
        return fb_fail(e, FB_EFORMAT, "%s: symmetric, but %lld by %lld", name, (long long)A->m,
                       (long long)A->n);
    for (int64_t j = 0; j < A->n; j++) {
        if (A->p[j + 1] < A->p[j])
            return fb_fail(e, FB_EFORMAT, "%s: column %lld ends before it starts", name, (long long)j);
        int64_t last = -1;
        for (int64_t q = A->p[j]; q < A->p[j + 1]; q++) {
            int64_t i = A->i[q];
            if (i <= last || i >= A->m || (A->upper && i > j))
                return fb_fail(e, FB_EFORMAT, "%s: column %lld: row index %lld out of order or range",
                               name, (long long)j, (long long)i);
            if (!isfinite(A->x[q]))
                return fb_fail(e, FB_EFORMAT, "%s(%lld,%lld) is not finite", name, (long long)i,
                               (long long)j);
            last = i;
        }
    }
    return FB_OK;
}

/* Counting sort of the triplets by one index; the order of equals is kept. */
static void sort_by(const int64_t *key, int64_t nkey, int64_t nnz, const int64_t *from, int64_t *to,
                    int64_t *start)
{
    for (int64_t k = 0; k <= nkey; k++)
        start[k] = 0;
    for (int64_t q = 0; q < nnz; q++)
        start[key[q] + 1]++;
    for (int64_t k = 0; k < nkey; k++)
        start[k + 1] += start[k];
    for (int64_t q = 0; q < nnz; q++) {
        int64_t t = from ? from[q] : q;
        to[start[key[t]]++] = t;
    }
}

/* Sorting by row and then, stably, by column gives the compressed columns in O(nnz + m + n); the
 * values of one place are added in the order of the input, so that sums are reproducible. */
fb_status fb_csc_from_triplets(fb_csc *A, int64_t m, int64_t n, int64_t nnz, const int64_t *i,
                               const int64_t *j, const double *x, int upper, fb_err *e)
{
    fb_csc B = {0};
    int64_t *by_row = NULL, *by_col = NULL, *start = NULL;
    fb_status s = FB_OK;
    for (int64_t q = 0; q < nnz; q++)
        if (i[q] < 0 || i[q] >= m || j[q] < 0 || j[q] >= n || (upper && i[q] > j[q])) {
            s = fb_fail(e, FB_EFORMAT, "entry %lld at (%lld,%lld) outside the %lld by %lld %s",
                        (long long)q, (long long)i[q], (long long)j[q], (long long)m, (long long)n,
                        upper ? "upper triangle" : "matrix");
            goto out;
        }
    FB_TRY(FB_NEW(&by_row, nnz, e));
    FB_TRY(FB_NEW(&by_col, nnz, e));
    FB_TRY(FB_NEW(&start, (m > n ? m : n) + 1, e));
    FB_TRY(fb_csc_new(&B, m, n, nnz, upper, e));
    sort_by(i, m, nnz, NULL, by_row, start);
    sort_by(j, n, nnz, by_row, by_col, start);
    int64_t k = 0, q = 0;
    for (int64_t c = 0; c < n; c++) {
        for (; q < nnz && j[by_col[q]] == c; q++) {
            int64_t t = by_col[q];
            if (k > B.p[c] && B.i[k - 1] == i[t]) {
                B.x[k - 1] += x[t];
            } else {
                B.i[k] = i[t];
                B.x[k++] = x[t];
            }
        }
        B.p[c + 1] = k;
    }
    *A = B;
    B = (fb_csc){0};
out:
    fb_csc_free(&B);
    free(by_row);
    free(by_col);
    free(start);
    return s;
}

void fb_csc_mul(const fb_csc *A, const double *x, int64_t ldx, double *y, int64_t ldy, int64_t k)
{
    for (int64_t c = 0; c < k; c++) {
        const double *xc = x + c * ldx;
        double *yc = y + c * ldy;
        for (int64_t j = 0; j < A->n; j++) {
            double sum = 0;
            for (int64_t q = A->p[j]; q < A->p[j + 1]; q++) {
                int64_t i = A->i[q];
                yc[i] += A->x[q] * xc[j];
                if (A->upper && i != j)
                    sum += A->x[q] * xc[i];
            }
            yc[j] += sum;
        }
    }
}
