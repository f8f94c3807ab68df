/* SPDX-License-Identifier: GPL-3.0-or-later */
/* test_rows.c - a block of vectors as rows against a basis as columns: plain loops, and the laws.
 * */
#include "lib/linalg/rows.h"
#include "tests/model/model.h"
#include "tests/suites.h"
#include <math.h>

#define OK(call) ck_assert_msg((call) == FB_OK, "%s", e.msg)

enum { W8 = FB_NARROW };

static fb_err e;

static double value(int64_t k)
{
    return sin(1.7 * (double)k * (1 + 1e-3 * (double)(k % 97))) + 0.1;
}

typedef struct {
    int64_t n, k;
    double *Q, *W, *V, *c;
    fb_rows b;
} sample;

static sample filled(int64_t n, int64_t k)
{
    sample z = {.n = n, .k = k};
    z.Q = calloc((size_t)(n * k + 1), sizeof(double));
    z.W = calloc((size_t)(n * W8 + 1), sizeof(double));
    z.V = calloc((size_t)(n * W8 + 1), sizeof(double));
    z.c = calloc((size_t)(k * W8 + 1), sizeof(double));
    ck_assert(z.Q && z.W && z.V && z.c);
    for (int64_t q = 0; q < n * k; q++)
        z.Q[q] = value(q);
    for (int64_t q = 0; q < n * W8; q++)
        z.W[q] = z.V[q] = value(q + 7);
    OK(fb_rows_new(&z.b, n, k, &e));
    return z;
}

static void close_sample(sample *z)
{
    free(z->Q);
    free(z->W);
    free(z->V);
    free(z->c);
    fb_rows_free(&z->b);
}

/* One thread and several; sizes around the tiles, no column, one row. Round-off of a sum: n eps of
 * its terms. */
START_TEST(projections_agree_with_loops)
{
    static const int64_t size[][2] = {{1, 1},     {65, 7},   {300, 33},
                                      {9001, 45}, {5000, 0}, {20011, 100}};
    const int64_t n = size[_i][0], k = size[_i][1];
    sample z = filled(n, k);
    double norm[W8];
    fb_rows_project(&z.b, z.Q, k, z.W, z.c, norm);
    for (int a = 0; a < W8; a++) {
        double sum = 0;
        for (int64_t q = 0; q < k; q++) {
            double t = 0;
            for (int64_t i = 0; i < n; i++)
                t += z.Q[i + q * n] * z.V[i * W8 + a];
            ck_assert_double_le(fabs(t - z.c[q * W8 + a]), 1e-15 * (double)n);
        }
        for (int64_t i = 0; i < n; i++) {
            double w = z.V[i * W8 + a], size_of = fabs(w);
            for (int64_t q = 0; q < k; q++) {
                w -= z.Q[i + q * n] * z.c[q * W8 + a];
                size_of += fabs(z.Q[i + q * n] * z.c[q * W8 + a]);
            }
            ck_assert_double_le(fabs(w - z.W[i * W8 + a]), 1e-15 * (double)(k + 1) * size_of);
            sum += z.W[i * W8 + a] * z.W[i * W8 + a];
        }
        ck_assert_double_eq_tol(norm[a], sqrt(sum), 1e-13 * sqrt(sum));
    }
    close_sample(&z);
}
END_TEST

START_TEST(blocks_turn_and_move)
{
    const int64_t n = _i ? 9001 : 37;
    sample z = filled(n, 5);
    int64_t *place = malloc(sizeof *place * (size_t)n);
    double G[W8 * W8], X[W8 * W8], norm[W8];
    ck_assert_ptr_nonnull(place);
    for (int64_t i = 0; i < n; i++)
        place[i] = i * 5 % n; /* 5 divides neither 37 nor 9001 */
    fb_rows_to_columns(&z.b, z.W, 5, z.Q);
    for (int64_t q = 0; q < 5 * n; q++)
        ck_assert(fabs(z.Q[q] - z.W[q % n * W8 + q / n]) <= 0);
    fb_rows_move(&z.b, z.W, place, 0, z.V);
    for (int64_t i = 0; i < n; i++)
        ck_assert_mem_eq(z.V + place[i] * W8, z.W + i * W8, W8 * sizeof(double));
    memset(z.W, 0, sizeof(double) * (size_t)(n * W8));
    fb_rows_move(&z.b, z.V, place, 1, z.W);
    for (int64_t q = 0; q < n * W8; q++)
        ck_assert(fabs(z.W[q] - value(q + 7)) <= 0);
    fb_rows_norms(&z.b, z.W, norm);
    OK(fb_rows_gram(&z.b, z.W, G, &e));
    for (int a = 0; a < W8; a++)
        ck_assert_double_eq_tol(norm[a] * norm[a], G[a * (W8 + 1)], 1e-12 * G[a * (W8 + 1)]);
    for (int q = 0; q < W8 * W8; q++)
        X[q] = value(q + 3);
    OK(fb_rows_times(&z.b, z.W, X, z.V, &e));
    for (int64_t i = 0; i < n; i++)
        for (int b = 0; b < W8; b++) {
            double t = 0;
            for (int a = 0; a < W8; a++)
                t += z.W[i * W8 + a] * X[a + b * W8];
            ck_assert_double_eq_tol(t, z.V[i * W8 + b], 1e-14);
        }
    free(place);
    close_sample(&z);
}
END_TEST

/* Half solves of rows are those of columns, but for the order. */
START_TEST(half_solves_of_rows)
{
    test_model t = {0};
    fb_factor *F = NULL;
    fb_mat X = {0};
    OK(test_solid(&t, (int64_t[]){7, 4, 3}, (double[]){0.9, 0.5, 0.4}, 20, &e));
    OK(fb_factor_spd(&F, &t.K, &t.M, -1e6, &(fb_factor_opts){.node = t.node}, NULL, &e));
    const int64_t *order = fb_factor_order(F), n = t.K.n, k = _i / 2 ? 16 : 5, w = _i / 2 ? 16 : 8;
    double *R = calloc((size_t)(n * w), sizeof *R);
    ck_assert(order && R);
    OK(fb_mat_new(&X, n, k, &e));
    for (int64_t q = 0; q < n * k; q++)
        X.x[q] = value(q);
    for (int64_t i = 0; i < n; i++) /* forward: columns of dofs; backward: of the order */
        for (int64_t c = 0; c < k; c++)
            R[i * w + c] = X.x[(_i % 2 ? i : order[i]) + c * n];
    OK((_i % 2 ? fb_factor_backward_rows : fb_factor_forward_rows)(F, R, k, &e));
    OK((_i % 2 ? fb_factor_backward : fb_factor_forward)(F, &X, &e));
    const double most = fb_mat_max(&X);
    for (int64_t i = 0; i < n; i++)
        for (int64_t c = 0; c < w; c++)
            ck_assert_double_eq_tol(R[i * w + c], c < k ? X.x[(_i % 2 ? order[i] : i) + c * n] : 0,
                                    1e-13 * most);
    free(R);
    fb_factor_free(F);
    fb_mat_free(&X);
    test_model_free(&t);
}
END_TEST

Suite *suite_rows(void)
{
    Suite *s = suite_create("rows");
    TCase *c = tcase_create("rows");
    tcase_set_timeout(c, 120);
    tcase_add_loop_test(c, projections_agree_with_loops, 0, 6);
    tcase_add_loop_test(c, blocks_turn_and_move, 0, 2);
    tcase_add_loop_test(c, half_solves_of_rows, 0, 4);
    suite_add_tcase(s, c);
    return s;
}
