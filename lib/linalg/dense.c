/* SPDX-License-Identifier: GPL-3.0-or-later */
/* dense.c - dense matrices, column-major. */
#include "dense.h"
#include "memory.h"
#include "status.h"
#include <math.h>
#include <stdlib.h>

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

void fb_mat_free(fb_mat *A)
{
    free(A->x);
    *A = (fb_mat){0};
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
