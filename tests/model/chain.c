/* SPDX-License-Identifier: GPL-3.0-or-later */
/* chain.c - models with roots in closed form: chain, net, and any model twice. */
#include "model.h"
#include "tests/model/triplets.h"
#include <stdlib.h>
#include <string.h>

void test_model_free(test_model *t)
{
    fb_csc_free(&t->K);
    fb_csc_free(&t->M);
    free(t->xyz);
    free(t->node);
    *t = (test_model){0};
}

static void put(triplets *t, int64_t i, int64_t j, double x)
{
    t->i[t->n] = i < j ? i : j;
    t->j[t->n] = i < j ? j : i;
    t->x[t->n++] = x;
}

static void spring(triplets *t, int64_t i, int64_t j, double k)
{
    put(t, i, i, k);
    put(t, j, j, k);
    put(t, i, j, -k);
}

static fb_status masses(fb_csc *M, int64_t n, double m, fb_err *e)
{
    fb_status s = fb_csc_new(M, n, n, n, 1, e);
    for (int64_t j = 0; !s && j < n; j++) {
        M->i[j] = j;
        M->x[j] = m;
        M->p[j + 1] = j + 1;
    }
    return s;
}

fb_status test_chain(test_model *t, int64_t n, double k, double m, int held, fb_err *e)
{
    triplets a = {0};
    test_model u = {0};
    fb_status s = FB_OK;
    FB_TRY(triplets_new(&a, 3 * n + 2, e));
    for (int64_t j = 0; j + 1 < n; j++)
        spring(&a, j, j + 1, k);
    if (held) {
        put(&a, 0, 0, k);
        put(&a, n - 1, n - 1, k);
    }
    FB_TRY(fb_csc_from_triplets(&u.K, n, n, a.n, a.i, a.j, a.x, 1, e));
    FB_TRY(masses(&u.M, n, m, e));
    *t = u;
    u = (test_model){0};
out:
    triplets_free(&a);
    test_model_free(&u);
    return s;
}

/* D'D of the second differences D, of the rows that are whole or, held, of all. */
fb_status test_strip(test_model *t, int64_t n, int held, fb_err *e)
{
    static const double d[] = {1, -2, 1};
    triplets a = {0};
    test_model u = {0};
    fb_status s = FB_OK;
    FB_TRY(triplets_new(&a, 6 * n, e));
    for (int64_t row = held ? 0 : 1; row < n - (held ? 0 : 1); row++)
        for (int64_t p = 0; p < 3; p++)
            for (int64_t q = p; q < 3; q++)
                if (row + p >= 1 && row + q <= n)
                    put(&a, row + p - 1, row + q - 1, d[p] * d[q]);
    FB_TRY(fb_csc_from_triplets(&u.K, n, n, a.n, a.i, a.j, a.x, 1, e));
    FB_TRY(masses(&u.M, n, 1, e));
    *t = u;
    u = (test_model){0};
out:
    triplets_free(&a);
    test_model_free(&u);
    return s;
}

fb_status test_net(test_model *t, int64_t n, double k, double m, fb_err *e)
{
    triplets a = {0};
    test_model u = {0};
    fb_status s = FB_OK;
    FB_TRY(triplets_new(&a, 10 * n * n, e));
    for (int64_t r = 0; r < n; r++)
        for (int64_t c = 0; c < n; c++) {
            int64_t at = r * n + c, walls = (r == 0) + (r == n - 1) + (c == 0) + (c == n - 1);
            if (c + 1 < n)
                spring(&a, at, at + 1, k);
            if (r + 1 < n)
                spring(&a, at, at + n, k);
            put(&a, at, at, (double)walls * k);
        }
    FB_TRY(fb_csc_from_triplets(&u.K, n * n, n * n, a.n, a.i, a.j, a.x, 1, e));
    FB_TRY(masses(&u.M, n * n, m, e));
    *t = u;
    u = (test_model){0};
out:
    triplets_free(&a);
    test_model_free(&u);
    return s;
}

fb_status test_tuned(test_model *t, int64_t n, double k, double m, int64_t count, double ko,
                     double mo, fb_err *e)
{
    triplets a = {0};
    test_model u = {0};
    int64_t N = n + count;
    fb_status s = FB_OK;
    FB_TRY(triplets_new(&a, 3 * N + 2, e));
    put(&a, 0, 0, k);
    put(&a, n - 1, n - 1, k);
    for (int64_t j = 0; j + 1 < n; j++)
        spring(&a, j, j + 1, k);
    for (int64_t j = n; j < N; j++)
        spring(&a, n / 2, j, ko);
    FB_TRY(fb_csc_from_triplets(&u.K, N, N, a.n, a.i, a.j, a.x, 1, e));
    FB_TRY(masses(&u.M, N, m, e));
    for (int64_t j = n; j < N; j++)
        u.M.x[j] = mo;
    *t = u;
    u = (test_model){0};
out:
    triplets_free(&a);
    test_model_free(&u);
    return s;
}

static fb_status csc_twice(fb_csc *B, const fb_csc *A, fb_err *e)
{
    int64_t n = A->n, nnz = A->p[n];
    fb_status s = fb_csc_new(B, 2 * n, 2 * n, 2 * nnz, A->upper, e);
    if (s)
        return s;
    for (int64_t j = 0; j <= n; j++) {
        B->p[j] = A->p[j];
        B->p[n + j] = nnz + A->p[j];
    }
    for (int64_t q = 0; q < nnz; q++) {
        B->i[q] = A->i[q];
        B->i[nnz + q] = n + A->i[q];
        B->x[q] = B->x[nnz + q] = A->x[q];
    }
    return FB_OK;
}

fb_status test_twice(test_model *t, const test_model *a, fb_err *e)
{
    test_model u = {0};
    fb_status s = FB_OK;
    FB_TRY(csc_twice(&u.K, &a->K, e));
    FB_TRY(csc_twice(&u.M, &a->M, e));
    *t = u;
    u = (test_model){0};
out:
    test_model_free(&u);
    return s;
}
