/* SPDX-License-Identifier: GPL-3.0-or-later */
/* test_lu.c - LU factors of sums of matrices by UMFPACK against LAPACK's dense solution. */
#include "tests/model/model.h"
#include "tests/suites.h"
#include <math.h>

#define OK(call) ck_assert_msg((call) == FB_OK, "%s", e.msg)

static fb_err e;

/* A skew matrix on the pattern of a mass matrix, of its size. */
static fb_csc skew_of(const fb_csc *M)
{
    fb_csc G = {0};
    int64_t nnz = 0;
    int64_t *i = NULL, *j = NULL;
    double *x = NULL;
    OK(fb_new(&i, 2 * M->p[M->n], sizeof *i, "rows", &e));
    OK(fb_new(&j, 2 * M->p[M->n], sizeof *j, "columns", &e));
    OK(fb_new(&x, 2 * M->p[M->n], sizeof *x, "values", &e));
    for (int64_t c = 0; c < M->n; c++)
        for (int64_t q = M->p[c]; q < M->p[c + 1]; q++)
            if (M->i[q] != c)
                for (int half = 0; half < 2; half++) {
                    i[nnz] = half ? c : M->i[q];
                    j[nnz] = half ? M->i[q] : c;
                    x[nnz++] = half ? -M->x[q] : M->x[q];
                }
    OK(fb_csc_from_triplets(&G, M->n, M->n, nnz, i, j, x, 0, &e));
    free(i);
    free(j);
    free(x);
    return G;
}

/* Z += c A, pairs. */
static void add_dense(double *Z, double re, double im, const fb_csc *A)
{
    const int64_t n = A->n;
    for (int64_t j = 0; j < n; j++)
        for (int64_t q = A->p[j]; q < A->p[j + 1]; q++)
            for (int half = 0; half < (A->upper && A->i[q] != j ? 2 : 1); half++) {
                double *z = Z + 2 * (half ? j + A->i[q] * n : A->i[q] + j * n);
                z[0] += re * A->x[q];
                z[1] += im * A->x[q];
            }
}

/* The largest difference of A(c) \ b from LAPACK's, over the largest entry. */
static double against_dense(const fb_csc *const *A, int terms, int complex, const double *c)
{
    const int64_t n = A[0]->n;
    const int w = complex ? 2 : 1;
    fb_lu *L = NULL;
    fb_lu_factor *F = NULL;
    double *b = NULL, *x = NULL, *Z = NULL, *y = NULL, wrong = 0, size = 0;
    uint64_t state = fb_random_start(3);
    OK(FB_NEW(&b, w * n, &e));
    OK(FB_NEW(&x, w * n, &e));
    OK(FB_NEW(&y, 2 * n, &e));
    OK(FB_NEW(&Z, 2 * n * n, &e));
    fb_random_fill(&state, b, w * n);
    for (int64_t k = 0; k < n; k++)
        for (int part = 0; part < w; part++)
            y[2 * k + part] = b[w * k + part];
    for (int k = 0; k < terms; k++)
        add_dense(Z, c[w * k], complex ? c[2 * k + 1] : 0, A[k]);
    OK(fb_lu_new(&L, A, terms, complex, NULL, &e));
    ck_assert_int_ge(fb_lu_room(L), 1);
    OK(fb_lu_factor_new(&F, L, c, &e));
    OK(fb_lu_solve(F, b, x, &e));
    OK(fb_solve_complex(n, Z, 1, y, "Z", &e));
    for (int64_t k = 0; k < n; k++)
        for (int part = 0; part < w; part++) {
            wrong = fmax(wrong, fabs(x[w * k + part] - y[2 * k + part]));
            size = fmax(size, fabs(y[2 * k + part]));
        }
    fb_lu_factor_free(F);
    fb_lu_free(L);
    free(b);
    free(x);
    free(y);
    free(Z);
    return wrong / size;
}

/* K (1 + 0.02 i) - w^2 M + i w G between the modes of a solid, condition about 1e6: 1e-9 leaves
 * three digits. */
START_TEST(complex_agrees_with_dense)
{
    test_model t = {0};
    OK(test_solid(&t, (int64_t[]){3, 2, 2}, (double[]){0.3, 0.1, 0.08}, 20, &e));
    fb_csc G = skew_of(&t.M);
    const fb_csc *const A[] = {&t.K, &t.M, &G};
    const double w = 2e4;
    ck_assert_double_lt(against_dense(A, 3, 1, (double[]){1, 0.02, -w * w, 0, 0, 3 * w}), 1e-9);
    fb_csc_free(&G);
    test_model_free(&t);
}
END_TEST

START_TEST(real_unsymmetric_agrees_with_dense)
{
    test_model t = {0};
    OK(test_solid(&t, (int64_t[]){3, 2, 2}, (double[]){0.3, 0.1, 0.08}, 8, &e));
    fb_csc G = skew_of(&t.K);
    const fb_csc *const A[] = {&t.K, &t.M, &G};
    ck_assert_double_lt(against_dense(A, 3, 0, (double[]){1, 1e8, 0.3}), 1e-9);
    fb_csc_free(&G);
    test_model_free(&t);
}
END_TEST

/* Two of one analysis live at a time: 3 x = 6 and 5 x = 6. */
START_TEST(factors_are_independent)
{
    const fb_csc A = {
        .m = 1, .n = 1, .p = (int64_t[]){0, 1}, .i = (int64_t[]){0}, .x = (double[]){1}};
    const fb_csc *const terms[] = {&A};
    fb_lu *L = NULL;
    fb_lu_factor *F[2] = {NULL};
    double x[2];
    OK(fb_lu_new(&L, terms, 1, 0, NULL, &e));
    OK(fb_lu_factor_new(&F[0], L, (double[]){3}, &e));
    OK(fb_lu_factor_new(&F[1], L, (double[]){5}, &e));
    for (int k = 0; k < 2; k++)
        OK(fb_lu_solve(F[k], (double[]){6}, x + k, &e));
    ck_assert_double_eq(x[0], 2);
    ck_assert_double_eq_tol(x[1], 1.2, 1e-15);
    for (int k = 0; k < 2; k++)
        fb_lu_factor_free(F[k]);
    fb_lu_free(L);
}
END_TEST

/* A free body at rest: six pivots are round-off. A dof without any entry: a pivot is 0. */
START_TEST(singular_is_refused)
{
    test_model t = {0};
    fb_lu *L = NULL;
    fb_lu_factor *F = NULL;
    const fb_csc none = {.m = 2,
                         .n = 2,
                         .p = (int64_t[]){0, 1, 1},
                         .i = (int64_t[]){0},
                         .x = (double[]){1},
                         .upper = 1};
    OK(test_solid(&t, (int64_t[]){2, 2, 2}, (double[]){0.3, 0.1, 0.08}, 8, &e));
    const fb_csc *const A[] = {&t.K}, *const B[] = {&none};
    for (int k = 0; k < 2; k++) {
        OK(fb_lu_new(&L, k ? B : A, 1, 1, NULL, &e));
        ck_assert_int_eq(fb_lu_factor_new(&F, L, (double[]){1, 0}, &e), FB_ESOLVE);
        ck_assert_ptr_nonnull(strstr(e.msg, "is singular"));
        ck_assert_ptr_null(F);
        fb_lu_free(L);
    }
    test_model_free(&t);
}
END_TEST

static fb_status factor_of(const fb_csc *const *A, int terms, const double *c)
{
    fb_lu *L = NULL;
    fb_lu_factor *F = NULL;
    OK(fb_lu_new(&L, A, terms, 0, NULL, &e));
    const fb_status s = fb_lu_factor_new(&F, L, c, &e);
    fb_lu_factor_free(F);
    fb_lu_free(L);
    return s;
}

/* Second differences of n points along a line, K = B'B: a chain that bends, free (two motions
 * without strain), of whose pivots round-off leaves up to 1e-13, or held at its first two points,
 * which n^4 weakens to 1e-10. Of each length one is refused, and one is not. */
START_TEST(round_off_is_told_from_soft)
{
    enum { LONGEST = 2000 };
    for (int64_t n = 100; n <= LONGEST; n += 100) {
        int64_t *i = NULL, *j = NULL, nnz = 0;
        double *x = NULL;
        fb_csc K = {0}, H = {0};
        OK(FB_NEW(&i, 6 * n, &e));
        OK(FB_NEW(&j, 6 * n, &e));
        OK(FB_NEW(&x, 6 * n, &e));
        for (int64_t k = 1; k + 1 < n; k++)
            for (int a = 0; a < 3; a++)
                for (int b = a; b < 3; b++) {
                    i[nnz] = k + a - 1;
                    j[nnz] = k + b - 1;
                    x[nnz++] = (a == 1 ? -2 : 1) * (b == 1 ? -2 : 1) * (1.3 + sin((double)k));
                }
        OK(fb_csc_from_triplets(&K, n, n, nnz, i, j, x, 1, &e));
        OK(fb_csc_add_diagonal(&K, 1, (double[]){1, 1}, (int64_t[]){0, 1}, 2, &H, &e));
        const fb_csc *const A[] = {&K}, *const B[] = {&H};
        ck_assert_msg(factor_of(A, 1, (double[]){1}) == FB_ESOLVE, "free, %d points", (int)n);
        ck_assert_msg(factor_of(B, 1, (double[]){1}) == FB_OK, "held, %d points: %s", (int)n,
                      e.msg);
        free(i);
        free(j);
        free(x);
        fb_csc_free(&K);
        fb_csc_free(&H);
    }
}
END_TEST

START_TEST(memory_is_forecast)
{
    test_model t = {0};
    fb_lu *L = NULL;
    OK(test_solid(&t, (int64_t[]){3, 3, 3}, (double[]){0.3, 0.1, 0.08}, 20, &e));
    const fb_csc *const A[] = {&t.K, &t.M};
    ck_assert_int_eq(fb_lu_new(&L, A, 2, 1, &(fb_factor_opts){.memory = 1e-3}, &e), FB_ESYS);
    ck_assert_ptr_nonnull(strstr(e.msg, "GiB of memory"));
    ck_assert_ptr_null(L);
    test_model_free(&t);
}
END_TEST

START_TEST(every_allocation_fails_once)
{
    test_model t = {0};
    int failed = 0;
    OK(test_solid(&t, (int64_t[]){2, 1, 1}, (double[]){0.3, 0.1, 0.08}, 8, &e));
    const fb_csc *const A[] = {&t.K, &t.M};
    double *b = NULL, *x = NULL;
    OK(FB_NEW(&b, 2 * t.K.n, &e));
    OK(FB_NEW(&x, 2 * t.K.n, &e));
    b[0] = 1;
    for (long k = 0;; k++) {
        fb_lu *L = NULL;
        fb_lu_factor *F = NULL;
        fb_alloc_fail_after = k;
        fb_status s = fb_lu_new(&L, A, 2, 1, NULL, &e);
        if (!s)
            s = fb_lu_factor_new(&F, L, (double[]){1, 0.02, -1e8, 0}, &e);
        if (!s)
            s = fb_lu_solve(F, b, x, &e);
        const int done = fb_alloc_fail_after >= 0;
        fb_alloc_fail_after = -1;
        fb_lu_factor_free(F);
        fb_lu_free(L);
        failed += s == FB_ESYS;
        ck_assert_msg(!s || s == FB_ESYS, "allocation %ld: %s", k, e.msg);
        if (done)
            break;
    }
    ck_assert_int_gt(failed, 20);
    free(b);
    free(x);
    test_model_free(&t);
}
END_TEST

Suite *suite_lu(void)
{
    Suite *s = suite_create("lu");
    TCase *tc = tcase_create("lu");
    tcase_add_test(tc, complex_agrees_with_dense);
    tcase_add_test(tc, real_unsymmetric_agrees_with_dense);
    tcase_add_test(tc, factors_are_independent);
    tcase_add_test(tc, singular_is_refused);
    tcase_add_test(tc, round_off_is_told_from_soft);
    tcase_add_test(tc, memory_is_forecast);
    tcase_add_test(tc, every_allocation_fails_once);
    suite_add_tcase(s, tc);
    return s;
}
