/* SPDX-License-Identifier: GPL-3.0-or-later */
/* test_front.c - the multifrontal factorisation: its values, its counts, and what it says of
 * itself. */
#include "lib/linalg/front.h"
#include "lib/linalg/symbolic.h"
#include "tests/model/model.h"
#include "tests/suites.h"
#include <math.h>

#define OK(call) ck_assert_msg((call) == FB_OK, "%s", e.msg)

static fb_err e;

static void solid(test_model *t, int large)
{
    OK(test_solid(t, large ? (int64_t[]){5, 3, 3} : (int64_t[]){4, 3, 2}, (double[]){0.7, 0.4, 0.3},
                  20, &e));
}

/* The k lowest roots of the free solid at least; all of them by dense LAPACK. */
static void roots(const test_model *t, int64_t k, double **lambda, fb_mat *X)
{
    fb_eig_opts o = {.k = k, .engine = k == t->K.n ? "dense" : "lanczos", .no_sturm = 1};
    fb_eig r = {0};
    OK(fb_eig_sparse(&t->K, &t->M, &o, &r, &e));
    ck_assert_int_ge(r.n, k);
    *lambda = r.lambda;
    *X = r.X;
    r.lambda = NULL;
    r.X = (fb_mat){0};
    fb_eig_free(&r);
}

/* In every gap of the spectrum, and below it and above, the count is the number of roots below, and
 * the modes that are known are reproduced. MUMPS counts the same. */
START_TEST(counts_between_all_roots)
{
    test_model t = {0};
    fb_factor *F = NULL;
    double *lambda = NULL;
    fb_mat X = {0};
    solid(&t, _i);
    roots(&t, t.K.n, &lambda, &X);
    OK(fb_factor_analyse(&F, &t.K, &t.M, &(fb_factor_opts){.node = t.node}, &e));
    int tried = 0;
    for (int64_t k = 6; k <= t.K.n; k += k < 60 ? 1 : 41) {
        double low = k > 6 ? lambda[k - 1] : 0, high = k < t.K.n ? lambda[k] : 2 * low,
               s = (low + high) / 2;
        if (high - low < 1e-5 * high)
            continue;
        fb_inertia_count mine = {0}, mumps = {0};
        int sure = 0;
        OK(fb_factor_count(F, &t.K, &t.M, s, &X, lambda, &mine, &sure, &e));
        OK(fb_inertia(&t.K, &t.M, s, NULL, &mumps, &e));
        ck_assert_int_eq(mine.negative, k);
        ck_assert_int_eq(mumps.negative, k);
        ck_assert_int_eq(mine.zero, 0);
        ck_assert_int_eq(sure, 1);
        tried++;
    }
    ck_assert_int_gt(tried, 40);
    fb_factor_free(F);
    fb_mat_free(&X);
    free(lambda);
    test_model_free(&t);
}
END_TEST

/* What is not a mode is not reproduced, nor is a mode said to lie elsewhere: then the count is not
 * sure. */
START_TEST(unsure_without_true_modes)
{
    test_model t = {0};
    fb_factor *F = NULL;
    double *lambda = NULL;
    fb_mat X = {0};
    fb_inertia_count c = {0};
    int sure = 1;
    solid(&t, _i);
    roots(&t, 30, &lambda, &X);
    OK(fb_factor_analyse(&F, &t.K, &t.M, NULL, &e));
    double s = (lambda[9] + lambda[10]) / 2;
    X.n = 30;
    OK(fb_factor_count(F, &t.K, &t.M, s, NULL, NULL, &c, &sure, &e));
    ck_assert_int_eq(sure, 0);
    ck_assert_int_eq(c.negative, 10);
    lambda[10] *= 1.01;
    OK(fb_factor_count(F, &t.K, &t.M, s, &X, lambda, &c, &sure, &e));
    ck_assert_int_eq(sure, 0);
    lambda[10] /= 1.01;
    for (int64_t i = 0; i < t.K.n; i++)
        X.x[9 * t.K.n + i] *= 1.001;
    OK(fb_factor_count(F, &t.K, &t.M, s, &X, lambda, &c, &sure, &e));
    ck_assert_int_eq(sure, 0);
    fb_factor_free(F);
    fb_mat_free(&X);
    free(lambda);
    test_model_free(&t);
}
END_TEST

/* A without some of its entries, here and there: the dofs of a node do not have the same ones any
 * more. Diagonally dominant, or without some diagonal entries. */
static void thin_out(fb_csc *A, int dominant)
{
    int64_t to = 0;
    for (int64_t j = 0, from = 0; j < A->n; j++) {
        const int64_t end = A->p[j + 1];
        for (; from < end; from++) {
            const int64_t i = A->i[from];
            if ((i * 31 + j * 17) % 5 == 0 && (i != j || !dominant))
                continue;
            A->i[to] = i;
            A->x[to++] = A->x[from] * (dominant && i == j ? 300 : 1);
        }
        A->p[j + 1] = to;
    }
}

/* L L' times random vectors is P S P' times them. */
START_TEST(values_reproduce_the_matrix)
{
    test_model t = {0};
    fb_factor *F = NULL;
    fb_mat X = {0}, Y = {0};
    double sigma = -1e7, wrong = 0, most = 0;
    solid(&t, 1);
    int64_t n = t.K.n;
    if (_i) {
        thin_out(&t.K, 1);
        thin_out(&t.M, _i == 1);
    }
    OK(fb_factor_spd(&F, &t.K, &t.M, sigma, &(fb_factor_opts){.node = _i ? NULL : t.node}, NULL,
                     &e));
    OK(fb_mat_new(&X, n, 3, &e));
    OK(fb_mat_new(&Y, n, 3, &e));
    for (int64_t k = 0; k < 3 * n; k++)
        Y.x[k] = sin(0.7 * (double)k);
    fb_csc_mul(&t.M, Y.x, n, X.x, n, 3);
    for (int64_t k = 0; k < 3 * n; k++)
        X.x[k] *= -sigma;
    fb_csc_mul(&t.K, Y.x, n, X.x, n, 3);
    OK(fb_factor_solve(F, &X, &e));
    for (int64_t k = 0; k < 3 * n; k++) {
        wrong = fmax(wrong, fabs(X.x[k] - Y.x[k]));
        most = fmax(most, fabs(Y.x[k]));
    }
    ck_assert_double_lt(wrong, 1e-9 * most);
    fb_factor_free(F);
    fb_mat_free(&X);
    fb_mat_free(&Y);
    test_model_free(&t);
}
END_TEST

/* A diagonal, fronts of one column, and a full matrix, whose one front has many panels: signs
 * known. */
START_TEST(counts_of_known_signs)
{
    enum { N = 300 };
    fb_csc K = {0}, M = {0};
    fb_inertia_count c = {0};
    int sure = 0;
    int64_t nnz = _i ? N * (N + 1) / 2 : N, q = 0;
    OK(fb_csc_new(&K, N, N, nnz, 1, &e));
    OK(fb_csc_new(&M, N, N, N, 1, &e));
    for (int64_t j = 0; j < N; j++) {
        for (int64_t i = _i ? 0 : j; i <= j; i++) { /* D + a a', a small against D's gaps */
            K.i[q] = i;
            K.x[q++] =
                (i == j ? (double)(j * 7919 % N) : 0) + 1e-4 * sin((double)i) * sin((double)j) * _i;
        }
        K.p[j + 1] = q;
        M.i[j] = j;
        M.x[j] = 1;
        M.p[j + 1] = j + 1;
    }
    for (int k = 0; k < N; k += 13) {
        fb_factor *F = NULL;
        OK(fb_factor_analyse(&F, &K, &M, NULL, &e));
        OK(fb_factor_count(F, &K, &M, k + 0.5, NULL, NULL, &c, &sure, &e));
        ck_assert_int_eq(c.negative, k + 1);
        ck_assert_int_eq(c.zero, 0);
        fb_factor_free(F);
    }
    fb_csc_free(&K);
    fb_csc_free(&M);
}
END_TEST

/* Every set of kernels: tiles that are whole, at an edge, written and added to, rows there and
 * back, a triangle, and runs, against the sums written out. Small integers: exact in any order. */
START_TEST(kernels_by_definition)
{
    enum { K = 29, LD = 40 };
    static double A[64 * K], B[16 * K], C[16 * LD], F[64 * K], T[64];
    double *column[16];
    const fb_front_kernels *f = fb_front_kernels_for(_i);
    if (!f)
        return;
    const int64_t mr = f->rows, nr = f->columns;
    ck_assert_int_le(nr, FB_FRONT_TILE);
    ck_assert_int_eq(FB_FRONT_GRAIN % mr, 0);
    ck_assert_int_eq(mr % nr, 0);
    for (int64_t k = 0; k < 64 * K; k++)
        F[k] = (double)(k * 7 % 13) - 6;
    for (int64_t k = 0; k < 16 * K; k++)
        B[k] = (double)(k * 11 % 17) - 8;
    const fb_edge edge[] = {{mr, nr, -nr, nr},          {mr, nr, -nr, 0},
                            {mr, nr, -nr, 2},           {mr - 3, nr, 1, nr},
                            {mr, nr - 1, 1 - nr, -3},   {3, 2, 0, 1},
                            {mr, nr, mr - nr, 0},       {mr - nr + 1, nr - 1, 2, nr},
                            {mr / 2 + 1, nr, mr / 3, 3}};
    for (int n = -1; n < (int)(sizeof edge / sizeof *edge); n++) {
        const fb_edge z = n < 0 ? edge[0] : edge[n];
        f->pack(z.rows, K, F + 5, 64, A);
        for (int64_t c = 0; c < nr; c++) {
            column[c] = C + c * LD;
            for (int64_t r = 0; r < LD; r++)
                C[c * LD + r] = (double)(r + c);
        }
        f->multiply(K, A, B, 16, column, 7, n < 0 ? NULL : &edge[n]);
        for (int64_t c = 0; c < nr; c++)
            for (int64_t r = 0; r < LD; r++) {
                const int64_t i = r - 7;
                const int counts = c < z.columns && i >= z.diagonal + c && i >= 0 && i < z.rows;
                double want = counts && c >= z.fresh ? 0 : (double)(r + c);
                for (int64_t q = 0; counts && q < K; q++)
                    want -= F[5 + i + q * 64] * B[q * 16 + c];
                ck_assert_double_eq(C[c * LD + r], want);
            }
        memset(C, 0, sizeof C);
        f->unpack(z.rows, 3, A, C, LD);
        for (int64_t q = 0; q < 3; q++)
            for (int64_t r = 0; r < LD; r++)
                ck_assert_double_eq(C[q * LD + r], r < z.rows ? F[5 + r + q * 64] : 0);
    }
    for (int64_t c = 0; c < nr;
         c++) /* P T' given, T of small integers, 1/2 on the diagonal's place */
        for (int64_t d = 0; d < nr; d++)
            T[c * nr + d] = d == c ? 0.5 : (double)((c + 2 * d) % 5 - 2);
    for (int64_t c = 0; c < nr; c++)
        for (int64_t r = 0; r < mr; r++) {
            A[c * mr + r] = 0;
            for (int64_t d = 0; d <= c; d++)
                A[c * mr + r] += F[r + d * 64] * (d == c ? 2 : T[c * nr + d]);
        }
    f->solve(nr, T, A);
    for (int64_t c = 0; c < nr; c++)
        for (int64_t r = 0; r < mr; r++)
            ck_assert_double_eq(A[c * mr + r], F[r + c * 64]);
    const fb_rows_run run[] = {{0, 2, 1}, {4, 5, 3}, {9, 9, 21}};
    for (int64_t r = 0; r < LD; r++)
        C[r] = 100;
    f->extend(3, run, F, C);
    for (int64_t r = 0; r < LD; r++)
        ck_assert_double_eq(C[r], 100 + (r == 2             ? F[0]
                                         : r >= 5 && r < 8  ? F[r - 1]
                                         : r >= 9 && r < 30 ? F[r]
                                                            : 0));
}
END_TEST

/* Off the analysed pattern: an error, no count. */
START_TEST(foreign_entries_are_refused)
{
    fb_csc D = {0}, A = {0};
    fb_factor *F = NULL;
    int64_t i[] = {0, 1, 2, 3, 4, 0}, j[] = {0, 1, 2, 3, 4, 4};
    double x[] = {4, 4, 4, 4, 4, 1};
    OK(fb_csc_from_triplets(&D, 5, 5, 5, i, j, x, 1, &e));
    OK(fb_csc_from_triplets(&A, 5, 5, 6, i, j, x, 1, &e));
    OK(fb_factor_analyse(&F, &D, NULL, NULL, &e));
    ck_assert_int_eq(fb_factor_numeric(F, &A, NULL, 0, NULL, &e), FB_ESOLVE);
    ck_assert_ptr_nonnull(strstr(e.msg, "did not see"));
    fb_factor_free(F);
    fb_csc_free(&D);
    fb_csc_free(&A);
}
END_TEST

START_TEST(every_allocation_fails_once)
{
    test_model t = {0};
    fb_factor *F = NULL;
    fb_inertia_count c = {0};
    int fails = 0, sure = 0;
    fb_status s;
    OK(test_solid(&t, (int64_t[]){3, 2, 2}, (double[]){0.3, 0.2, 0.2}, 8, &e));
    EVERY_ALLOCATION_FAILS_ONCE(s, fails, {
        fb_factor_free(F);
        F = NULL;
        s = fb_factor_spd(&F, &t.K, &t.M, -1e6, NULL, NULL, &e);
        if (!s)
            s = fb_factor_count(F, &t.K, &t.M, 1e6, NULL, NULL, &c, &sure, &e);
    });
    ck_assert_int_eq(s, FB_OK);
    ck_assert_int_gt(fails, 20);
    ck_assert_int_eq(c.negative, 6);
    fb_factor_free(F);
    test_model_free(&t);
}
END_TEST

/* The root has the columns 3 .. 10. By hand, (RU.1): 2 has 3 and 7 of them: 3 7, 4 5 6 8 9 10;
 * 1 has 4, 7 and 10: 3, 7, 4 10, 5 6 8 9; 0, which 1 holds, has 4 and 7: 3, 7, 4, 10, 5 6 8 9. */
START_TEST(rows_follow_each_other)
{
    int64_t super[] = {0, 1, 2, 3, 11}, pi[] = {0, 4, 8, 11, 19};
    int64_t rows[] = {0, 1, 4, 7, 1, 4, 7, 10, 2, 3, 7, 3, 4, 5, 6, 7, 8, 9, 10}, place[11];
    cholmod_factor L = {.n = 11, .nsuper = 4, .super = super, .pi = pi, .s = rows};
    OK(fb_supernode_runs(&L, place, &e));
    ck_assert_mem_eq(place, ((int64_t[]){0, 1, 2, 3, 5, 7, 8, 4, 9, 10, 6}), sizeof place);
}
END_TEST

/* A front of 192 columns and 512 rows below them, whose parent has those as columns, on two
 * threads, by hand. (SC.1): a panel alone; four chunks of 144 rows or what is left, of which the
 * first thread takes two whole ones; four slices of 144 columns in pieces of 264 rows or what is
 * left, whose tiles begin at every 24th row; four strips of additions. */
START_TEST(schedule_by_hand)
{
    enum { NC = 192, BELOW = 512, N = NC + BELOW };
    int64_t rows[N + BELOW], super[] = {0, NC, N}, pi[] = {0, N, N + BELOW}, px[3] = {0};
    fb_snodes both = {N, 2, super, pi, px, rows, NULL};
    fb_snodes parent = {BELOW, 1, (int64_t[]){0, BELOW}, (int64_t[]){0, BELOW}, px, rows, NULL};
    fb_schedule z = {0}, alone = {0}, one = {0};
    for (int64_t k = 0; k < N; k++)
        rows[k] = k;
    for (int64_t k = 0; k < BELOW; k++)
        rows[N + k] = NC + k;
    OK(fb_front_schedule(&both, 2, &z, &e));
    OK(fb_front_schedule(&parent, 2, &alone, &e));
    OK(fb_front_schedule(&both, 1, &one, &e));
    const double panel = 192. * 192 * 192 / 3, chunks = 2 * 144. * 192 * 192,
                 tiles = 35712 + 14976 + 23616, strips = 40960 + 24576;
    ck_assert_double_eq_tol(z.path - alone.path, panel + chunks + 2 * 192 * tiles + 90 * strips,
                            1e-9 * z.path);
    ck_assert_double_eq_tol(one.path, one.work, 1e-12 * one.work);
    ck_assert_double_eq_tol(z.work, one.work, 1e-12 * one.work);
    ck_assert_double_ge(2 * z.path, z.work);
}
END_TEST

Suite *suite_front(void)
{
    Suite *s = suite_create("front");
    TCase *t = tcase_create("fronts");
    tcase_set_timeout(t, 120);
    tcase_add_loop_test(t, counts_between_all_roots, 0, 1);
    tcase_add_loop_test(t, unsure_without_true_modes, 0, 1);
    tcase_add_loop_test(t, values_reproduce_the_matrix, 0, 3);
    tcase_add_loop_test(t, counts_of_known_signs, 0, 2);
    tcase_add_loop_test(t, kernels_by_definition, 0, 3);
    tcase_add_test(t, foreign_entries_are_refused);
    tcase_add_test(t, rows_follow_each_other);
    tcase_add_test(t, schedule_by_hand);
    tcase_add_test(t, every_allocation_fails_once);
    suite_add_tcase(s, t);
    t = tcase_create("fronts-large"); /* 960 roots by dense LAPACK: left out under valgrind */
    tcase_set_timeout(t, 120);
    tcase_set_tags(t, "slow");
    tcase_add_loop_test(t, counts_between_all_roots, 1, 2);
    tcase_add_loop_test(t, unsure_without_true_modes, 1, 2);
    suite_add_tcase(s, t);
    return s;
}
