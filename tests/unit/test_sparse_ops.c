/* SPDX-License-Identifier: GPL-3.0-or-later */
/* test_sparse_ops.c - parts and congruences against the same on dense matrices. */
#include "tests/model/model.h"
#include "tests/model/near.h"
#include "tests/suites.h"
#include <math.h>

#define OK(call) ck_assert_msg((call) == FB_OK, "%s", e.msg)

static fb_err e;

static int64_t *all_dofs(int64_t n)
{
    int64_t *set = malloc(sizeof *set * (size_t)n);
    for (int64_t k = 0; k < n; k++)
        set[k] = k;
    return set;
}

static fb_mat dense(const fb_csc *A)
{
    fb_mat D = {0};
    int64_t *rows = all_dofs(A->m), *cols = all_dofs(A->n);
    OK(fb_csc_dense(A, rows, A->m, cols, A->n, &D, &e));
    free(rows);
    free(cols);
    return D;
}

static fb_mat filled(int64_t m, int64_t n)
{
    fb_mat X = {0};
    OK(fb_mat_new(&X, m, n, &e));
    for (int64_t k = 0; k < m * n; k++)
        X.x[k] = cos(2.3 * (double)k);
    return X;
}

static void same(const fb_mat *A, const fb_mat *B, double tol)
{
    ck_assert_int_eq(A->m, B->m);
    ck_assert_int_eq(A->n, B->n);
    near_all(A->x, B->x, A->m * A->n, tol, "entry");
}

static void symmetric_to_the_bit(const fb_mat *A)
{
    for (int64_t j = 0; j < A->n; j++)
        for (int64_t i = 0; i < j; i++)
            ck_assert(memcmp(&A->x[i + j * A->n], &A->x[j + i * A->n], sizeof(double)) == 0);
}

static void solid(test_model *t)
{
    OK(test_solid(t, (int64_t[]){2, 1, 1}, (double[]){0.2, 0.1, 0.1}, 8, &e));
}

static const int64_t BOUNDARY[] = {31, 0, 17, 2, 1, 20}; /* in no order */
enum { NB = 6 };

START_TEST(parts_are_the_matrix)
{
    test_model t = {0};
    fb_blocks P = {0};
    int64_t *in = NULL;
    solid(&t);
    int64_t n = t.K.n, ni = n - NB;
    fb_mat A = dense(&t.K);
    OK(fb_complement(n, BOUNDARY, NB, &in, &e));
    if (_i) { /* the same in the matrix's own memory */
        OK(fb_csc_split_take(&t.K, BOUNDARY, NB, in, ni, &P, &e));
        ck_assert_ptr_null(t.K.p);
    } else {
        OK(fb_csc_split(&t.K, BOUNDARY, NB, in, ni, &P, &e));
    }
    OK(fb_csc_check(&P.Aii, "Kii", &e));
    OK(fb_csc_check(&P.Aib, "Kib", &e));
    ck_assert_int_eq(P.Aii.upper, 1);
    fb_mat Aii = dense(&P.Aii), Aib = dense(&P.Aib);
    for (int64_t j = 0; j < ni; j++)
        for (int64_t i = 0; i < ni; i++)
            ck_assert_double_eq(Aii.x[i + j * ni], A.x[in[i] + in[j] * n]);
    for (int64_t j = 0; j < NB; j++) {
        for (int64_t i = 0; i < ni; i++)
            ck_assert_double_eq(Aib.x[i + j * ni], A.x[in[i] + BOUNDARY[j] * n]);
        for (int64_t i = 0; i < NB; i++)
            ck_assert_double_eq(P.Abb.x[i + j * NB], A.x[BOUNDARY[i] + BOUNDARY[j] * n]);
    }
    fb_blocks_free(&P);
    fb_mat_free(&A);
    fb_mat_free(&Aii);
    fb_mat_free(&Aib);
    free(in);
    test_model_free(&t);
}
END_TEST

/* T = [I 0; G] made dense, with the rows where they belong. */
START_TEST(congruence_by_parts)
{
    test_model t = {0};
    fb_blocks P = {0};
    fb_mat T = {0}, byparts = {0}, sparse = {0}, plain = {0};
    int64_t *in = NULL;
    solid(&t);
    int64_t n = t.K.n, ni = n - NB, nr = NB + 4;
    fb_mat A = dense(&t.K), G = filled(ni, nr);
    OK(fb_complement(n, BOUNDARY, NB, &in, &e));
    OK(fb_csc_split(&t.K, BOUNDARY, NB, in, ni, &P, &e));
    OK(fb_mat_new(&T, n, nr, &e));
    for (int64_t j = 0; j < nr; j++) {
        for (int64_t i = 0; i < ni; i++)
            T.x[in[i] + j * n] = G.x[i + j * ni];
        if (j < NB)
            T.x[BOUNDARY[j] + j * n] = 1;
    }
    OK(fb_blocks_congruence(&P, &G, &byparts, &e));
    OK(fb_csc_congruence(&t.K, &T, &sparse, &e));
    OK(fb_congruence(&A, &T, &plain, &e));
    same(&byparts, &plain, 1e-13);
    same(&sparse, &plain, 1e-13);
    symmetric_to_the_bit(&byparts);
    symmetric_to_the_bit(&sparse);
    fb_mat_free(&byparts);
    ck_assert_int_eq(fb_blocks_congruence(&P, &T, &byparts, &e), FB_ESOLVE);
    fb_blocks_free(&P);
    fb_mat_free(&A);
    fb_mat_free(&G);
    fb_mat_free(&T);
    fb_mat_free(&sparse);
    fb_mat_free(&plain);
    free(in);
    test_model_free(&t);
}
END_TEST

/* More columns than a block of the sparse product. */
START_TEST(bilinear)
{
    test_model t = {0};
    fb_mat B = {0}, AV = {0}, C = {0};
    solid(&t);
    fb_mat U = filled(t.K.n, 3), V = filled(t.K.n, 70), A = dense(&t.K);
    OK(fb_csc_bilinear(&U, &t.K, &V, &B, &e));
    OK(fb_mat_new(&AV, t.K.n, 70, &e));
    OK(fb_mat_new(&C, 3, 70, &e));
    OK(fb_gemm(0, 0, 1, &A, &V, 0, &AV, &e));
    OK(fb_gemm(1, 0, 1, &U, &AV, 0, &C, &e));
    same(&B, &C, 1e-12);
    fb_mat_free(&B);
    ck_assert_int_eq(fb_csc_bilinear(&B, &t.K, &V, &C, &e), FB_ESOLVE);
    fb_mat_free(&U);
    fb_mat_free(&V);
    fb_mat_free(&A);
    fb_mat_free(&AV);
    fb_mat_free(&C);
    test_model_free(&t);
}
END_TEST

/* Columns that are rigid motion and little else: a sum of them without the rigid motion has the
 * energy that long double finds, to round-off of one large column, not of two (SB.2). */
START_TEST(small_motions_of_large_columns)
{
    enum { N = 2000, NV = 20 };
    const double large = 1e5;
    fb_csc K = {0};
    fb_mat V = {0}, C = {0};
    double a[NV] = {0};
    long double x[N] = {0}, want = 0, have = 0;
    OK(fb_csc_new(&K, N, N, 2 * N - 1, 1, &e));
    for (int64_t j = 0, q = 0; j < N; j++) {
        if (j > 0) {
            K.i[q] = j - 1;
            K.x[q++] = -(1 + fabs(sin((double)j)));
        }
        K.i[q] = j;
        K.x[q++] = (j > 0 ? 1 + fabs(sin((double)j)) : 0) +
                   (j + 1 < N ? 1 + fabs(sin((double)(j + 1))) : 0);
        K.p[j + 1] = q;
    }
    OK(fb_mat_new(&V, N, NV, &e));
    for (int64_t k = 0; k < NV; k++) {
        a[k] = k % 2 ? -1 : 1;
        for (int64_t i = 0; i < N; i++) {
            V.x[i + k * N] = large + cos(2.3 * (double)(i + k * N));
            x[i] += (long double)a[k] * V.x[i + k * N];
        }
    }
    for (int64_t j = 0; j < N; j++)
        for (int64_t q = K.p[j]; q < K.p[j + 1]; q++)
            want += (K.i[q] == j ? 1 : 2) * x[K.i[q]] * K.x[q] * x[j];
    OK(fb_csc_congruence(&K, &V, &C, &e));
    for (int64_t k = 0; k < NV * NV; k++)
        have += (long double)a[k / NV] * C.x[k] * a[k % NV];
    /* N^1/2 terms of eps |x| |K| |V||a|: 4 * 4 * 20e5 eps N^1/2 */
    ck_assert_msg(fabsl(have - want) < 3e-7L, "%Lg off %Lg", have - want, want);
    fb_csc_free(&K);
    fb_mat_free(&V);
    fb_mat_free(&C);
}
END_TEST

/* [1 2 .; 2 . 3; . 3 4] + 2 [. . 5; . 6 .; 5 . .] = [1 2 10; 2 12 3; 10 3 4] */
START_TEST(add_norm_diagonal)
{
    fb_csc A = {0}, B = {0}, C = {0};
    double norm = 0, d[3];
    OK(fb_csc_from_triplets(&A, 3, 3, 4, (int64_t[]){0, 0, 1, 2}, (int64_t[]){0, 1, 2, 2},
                            (double[]){1, 2, 3, 4}, 1, &e));
    OK(fb_csc_from_triplets(&B, 3, 3, 2, (int64_t[]){0, 1}, (int64_t[]){2, 1}, (double[]){5, 6}, 1,
                            &e));
    OK(fb_csc_add(&A, 2, &B, &C, &e));
    OK(fb_csc_check(&C, "C", &e));
    fb_mat D = dense(&C);
    for (int k = 0; k < 9; k++)
        ck_assert_double_eq(D.x[k], ((const double[]){1, 2, 10, 2, 12, 3, 10, 3, 4})[k]);
    OK(fb_csc_norm(&C, &norm, &e));
    ck_assert_double_eq(norm, 17);
    fb_csc_diagonal(&C, d);
    ck_assert(d[0] == 1 && d[1] == 12 && d[2] == 4);
    B.upper = 0;
    ck_assert_int_eq(fb_csc_add(&A, 1, &B, &C, &e), FB_EFORMAT);
    fb_csc_free(&A);
    fb_csc_free(&B);
    fb_csc_free(&C);
    fb_mat_free(&D);
}
END_TEST

/* By hand: dof 1 of 4, dof 2 of 9, a multiplier on dof 1 and on dof 4, which has nothing of its
 * own: the roots of a are 2, 3, 1/2 and 5/(1/2); dof 5 is empty, dof 6 negative, and of dofs 7 and
 * 8, which tie each other alone, nothing tells the scale. Dofs in other units scale r as A_ii. */
START_TEST(balanced_sums)
{
    static const int64_t i[] = {0, 0, 1, 0, 2, 5, 6}, j[] = {0, 1, 1, 2, 3, 5, 7};
    static const double x[] = {4, -2, 9, 1, 5, -16, 3}, d[] = {1e-3, 25.4, 7e5, 0.3, 1, 1e-7, 1, 1};
    static const double right[8] = {4 + 4. / 3 + 4, 12, 0.5, 100, 0, 16, 3, 3};
    for (int scaled = 0; scaled < 2; scaled++) {
        double y[7], r[8];
        fb_csc A = {0};
        for (int k = 0; k < 7; k++)
            y[k] = scaled ? x[k] * d[i[k]] * d[j[k]] : x[k];
        OK(fb_csc_from_triplets(&A, 8, 8, 7, i, j, y, 1, &e));
        OK(fb_csc_balanced_sums(&A, r, &e));
        for (int k = 0; k < 8; k++)
            ck_assert_double_eq_tol(r[k], right[k] * (scaled ? d[k] * d[k] : 1),
                                    1e-14 * r[k] + 1e-300);
        fb_csc_free(&A);
    }
}
END_TEST

START_TEST(transposed_product)
{
    fb_csc A = {0};
    double x[] = {1, 2, 3, 4}, y[] = {0, 0, 0, 100, 0, 0};
    OK(fb_csc_from_triplets(&A, 2, 3, 3, (int64_t[]){0, 1, 1}, (int64_t[]){0, 0, 2},
                            (double[]){5, 6, 7}, 0, &e));
    fb_csc_tmul(&A, x, 2, y, 3, 2);
    for (int k = 0; k < 6; k++)
        ck_assert_double_eq(y[k], ((const double[]){17, 0, 14, 139, 0, 28})[k]);
    fb_csc_free(&A);
}
END_TEST

/* A rectangle, and numbers of columns around the width of a pass. */
START_TEST(many_columns)
{
    test_model t = {0};
    fb_csc A = {0};
    fb_mat Y = {0}, Z = {0};
    int64_t k = 1 + _i * 7;
    solid(&t);
    OK(fb_csc_sub(&t.K, (int64_t[]){1, 4, 9}, 3, (int64_t[]){8, 2, 4, 5}, 4, &A, &e));
    fb_mat X = filled(4, k);
    OK(fb_mat_new(&Y, 3, k, &e));
    OK(fb_mat_new(&Z, 3, k, &e));
    OK(fb_csc_mul_many(&A, &X, &Y, &e));
    fb_csc_mul(&A, X.x, 4, Z.x, 3, k);
    same(&Y, &Z, 1e-15);
    ck_assert_int_eq(fb_csc_mul_many(&A, &Y, &Z, &e), FB_ESOLVE);
    fb_mat_free(&X);
    fb_mat_free(&Y);
    fb_mat_free(&Z);
    fb_csc_free(&A);
    test_model_free(&t);
}
END_TEST

/* Row 0: 2^53 (x_1 - x_2); row 1: -2^53 - (-2^53 x_1 + 3 x_2), of which doubles lose what is below
 * 1; by hand. Symmetric and not, and more columns than a line has. */
START_TEST(residual_in_twice_the_digits)
{
    enum { K = 9 };
    const double big = 0x1p53, small = 0x1p-52;
    fb_csc A = {0};
    fb_mat X = {0}, B = {0};
    OK(fb_csc_from_triplets(&A, 2, 2, _i ? 4 : 3, (int64_t[]){0, 0, 1, 1}, (int64_t[]){0, 1, 1, 0},
                            (double[]){big, -big, 3, -big}, !_i, &e));
    OK(fb_mat_new(&X, 2, K, &e));
    OK(fb_mat_new(&B, 2, K, &e));
    for (int64_t k = 0; k < K; k++) { /* A x = (2 - 4 k, -2^53 + 1 + 6 k small) */
        X.x[2 * k] = 1 + small;
        X.x[2 * k + 1] = 1 + 2 * (double)k * small;
        B.x[2 * k + 1] = -big;
    }
    OK(fb_csc_residual(&A, &X, &B, &e));
    for (int64_t k = 0; k < K; k++) {
        ck_assert_double_eq(B.x[2 * k], 4 * (double)k - 2);
        ck_assert_double_eq(B.x[2 * k + 1], -1 - 6 * (double)k * small);
    }
    B.n = 1;
    ck_assert_int_eq(fb_csc_residual(&A, &X, &B, &e), FB_ESOLVE);
    fb_mat_free(&X);
    fb_mat_free(&B);
    fb_csc_free(&A);
}
END_TEST

/* Several threads, rows of one and of two lines, one column after the other. */
START_TEST(blocks_of_columns)
{
    enum { N = 12000, BAND = 88 };
    static const int64_t width[] = {1, 7, 8, 9, 16, 17, 33};
    fb_csc A = {0};
    fb_mat Y = {0}, Z = {0};
    int64_t q = 0, k = width[_i / 2];
    OK(fb_csc_new(&A, N, N, (int64_t)N * BAND, _i % 2, &e));
    for (int64_t j = 0; j < N; j++) {
        for (int64_t i = 0; i < N; i += i == j || j - i > 20 || i > j ? 180 : 1)
            if (i <= j || !A.upper) {
                A.i[q] = i;
                A.x[q++] = (double)((7 * i + 3 * j) % 19 - 9);
            }
        ck_assert_int_le(q, (int64_t)N * BAND);
        A.p[j + 1] = q;
    }
    fb_mat X = filled(N, k);
    OK(fb_mat_new(&Y, N, k, &e));
    OK(fb_mat_new(&Z, N, k, &e));
    OK(fb_csc_mul_many(&A, &X, &Y, &e));
    fb_csc_mul(&A, X.x, N, Z.x, N, k);
    for (int64_t d = 0; d < N * k; d++)
        Y.x[d] -= Z.x[d];
    ck_assert_double_le(fb_mat_max(&Y), 1e-13 * fb_mat_max(&Z));
    if (k == 8) {
        double *S = calloc(N * 8, sizeof *S), most = fb_mat_max(&Z);
        ck_assert_ptr_nonnull(S);
        for (int64_t i = 0; i < N; i++) /* Y: rows */
            for (int64_t c = 0; c < k; c++)
                Y.x[i * k + c] = X.x[i + c * N];
        OK(fb_csc_mul_rows(&A, Y.x, S, &e));
        for (int64_t d = 0; d < N * k; d++)
            ck_assert_double_eq_tol(S[d % N * k + d / N], Z.x[d], 1e-13 * most);
        free(S);
    }
    fb_mat_free(&X);
    fb_mat_free(&Y);
    fb_mat_free(&Z);
    fb_csc_free(&A);
}
END_TEST

START_TEST(wrong_sets)
{
    test_model t = {0};
    int64_t *in = NULL;
    fb_csc B = {0};
    OK(test_chain(&t, 5, 1, 1, 0, &e));
    ck_assert_int_eq(fb_complement(5, (int64_t[]){1, 1}, 2, &in, &e), FB_EFORMAT);
    ck_assert_ptr_nonnull(strstr(e.msg, "there twice"));
    ck_assert_int_eq(fb_complement(5, (int64_t[]){5}, 1, &in, &e), FB_EFORMAT);
    ck_assert_ptr_nonnull(strstr(e.msg, "outside the matrix"));
    ck_assert_int_eq(fb_csc_sub(&t.K, (int64_t[]){2, 1}, 2, (int64_t[]){0}, 1, &B, &e), FB_EFORMAT);
    ck_assert_ptr_nonnull(strstr(e.msg, "must ascend"));
    test_model_free(&t);
}
END_TEST

static fb_status split_and_reduce(const test_model *t, const fb_mat *G)
{
    fb_blocks P = {0};
    fb_mat R = {0};
    int64_t *in = NULL;
    fb_status s = FB_OK;
    FB_TRY(fb_complement(t->K.n, BOUNDARY, NB, &in, &e));
    FB_TRY(fb_csc_split(&t->K, BOUNDARY, NB, in, t->K.n - NB, &P, &e));
    FB_TRY(fb_blocks_congruence(&P, G, &R, &e));
out:
    free(in);
    fb_blocks_free(&P);
    fb_mat_free(&R);
    return s;
}

START_TEST(every_allocation_fails_once)
{
    test_model t = {0};
    fb_status s;
    long fails;
    solid(&t);
    fb_mat G = filled(t.K.n - NB, NB + 2);
    EVERY_ALLOCATION_FAILS_ONCE(s, fails, s = split_and_reduce(&t, &G));
    ck_assert_int_gt(fails, 10);
    fb_mat_free(&G);
    test_model_free(&t);
}
END_TEST

Suite *suite_sparse_ops(void)
{
    Suite *s = suite_create("sparse_ops");
    TCase *c = tcase_create("sparse_ops");
    tcase_add_loop_test(c, parts_are_the_matrix, 0, 2);
    tcase_add_test(c, congruence_by_parts);
    tcase_add_test(c, bilinear);
    tcase_add_test(c, small_motions_of_large_columns);
    tcase_add_test(c, add_norm_diagonal);
    tcase_add_test(c, balanced_sums);
    tcase_add_test(c, transposed_product);
    tcase_add_loop_test(c, many_columns, 0, 4);
    tcase_add_loop_test(c, residual_in_twice_the_digits, 0, 2);
    tcase_add_loop_test(c, blocks_of_columns, 0, 14);
    tcase_add_test(c, wrong_sets);
    tcase_add_test(c, every_allocation_fails_once);
    suite_add_tcase(s, c);
    return s;
}
