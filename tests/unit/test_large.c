/* SPDX-License-Identifier: GPL-3.0-or-later */
/* test_large.c - sizes beyond 32 bits, on a small machine: what cannot be is forecast and refused
 * with its numbers, before any memory is taken for it. */
#include "tests/suites.h"
#include <math.h>

/* A random graph of n vertices, three edges each, has no small separator: whatever the order, its
 * factor holds about (n/2)^2 / 1.4 entries. So a pattern of some megabytes stands for a huge model.
 * */
static void random_graph(fb_csc *K, int64_t n)
{
    enum { EDGES = 3 };
    fb_fill f = {0};
    fb_err e = {0};
    uint64_t state = 1;
    ck_assert_int_eq(fb_fill_new(&f, n, n, 1, &e), FB_OK);
    for (int pass = 0; pass < 2; pass++) {
        state = 1;
        if (pass)
            ck_assert_int_eq(fb_fill_start(&f, 0, &e), FB_OK);
        for (int64_t j = 0; j < n; j++)
            for (int q = 0; q <= EDGES; q++) {
                state = state * 6364136223846793005u + 1442695040888963407u;
                int64_t i = q ? (int64_t)((state >> 33) % (uint64_t)n) : j, a = i < j ? i : j,
                        b = i < j ? j : i;
                if (pass)
                    (void)fb_fill_place(&f, a, b, q && i != j ? -1 : 100);
                else
                    fb_fill_count(&f, b);
            }
    }
    ck_assert_int_eq(fb_fill_finish(&f, K, NULL, NULL, &e), FB_OK);
    fb_fill_free(&f);
}

START_TEST(a_factor_of_more_than_2_31_entries)
{
    fb_csc K = {0};
    fb_factor *F = NULL;
    fb_factor_opts o = {.memory = 1};
    fb_err e = {0};
    double gib = 0, millions = 0;
    random_graph(&K, 160000);
    ck_assert_int_eq(fb_factor_analyse(&F, &K, NULL, &o, &e), FB_ESYS);
    ck_assert_ptr_null(F);
    const char *p = strstr(e.msg, " needs "), *q = strchr(e.msg, '(');
    ck_assert_msg(p && q && sscanf(p, " needs %lf GiB", &gib) == 1 &&
                      sscanf(q, "(%lf million entries)", &millions) == 1,
                  "%s", e.msg);
    ck_assert_msg(millions * 1e6 > ldexp(1, 31) && millions * 1e6 < 0.5 * 160000. * 160000, "%s",
                  e.msg);
    ck_assert_msg(gib > 8 * millions * 1e6 / ldexp(1, 30), "%s", e.msg);
    fb_csc_free(&K);
}
END_TEST

/* Sizes alone, without values: refused before they are looked at. */
START_TEST(dense_matrices_beyond_the_32_bits_of_lapack)
{
    static double one = 1;
    const int64_t big = (int64_t)INT32_MAX + 1;
    fb_mat A = {big, 1, &one}, B = {1, 1, &one}, C = {big, 1, &one}, S = {40000, 40000, &one},
           V = {0}, X = {0};
    fb_err e = {0};
    double s;
    ck_assert_int_eq(fb_gemm(0, 0, 1, &A, &B, 0, &C, &e), FB_ESOLVE);
    ck_assert_ptr_nonnull(strstr(e.msg, "2147483648"));
    ck_assert_int_eq(fb_eig_dense(&S, &S, &s, &V, &e), FB_ESOLVE);
    ck_assert_ptr_nonnull(strstr(e.msg, "order 40000"));
    ck_assert_int_eq(fb_svd(&S, NULL, &s, &V, 0, &e), FB_ESOLVE);
    ck_assert_ptr_nonnull(strstr(e.msg, "order 40000"));
    ck_assert_int_eq(fb_mat_new(&X, big << 16, big << 16, &e), FB_ESYS);
    ck_assert_int_eq(fb_mat_new(&X, -1, 2, &e), FB_ESYS);
}
END_TEST

/* What is wanted is named, and a long place leaves room for what happened there. */
START_TEST(messages_are_whole)
{
    fb_err err = {0};
    void *p = NULL;
    char place[sizeof err.msg + 10];
    ck_assert_int_eq(fb_new(&p, INT64_MAX / 32, 16, "&masses", &err), FB_ESYS);
    ck_assert_ptr_nonnull(strstr(err.msg, "out of memory: masses wants"));
    ck_assert_int_eq(fb_new(&p, INT64_MAX / 32, 16, "masses", &err), FB_ESYS);
    ck_assert_ptr_nonnull(strstr(err.msg, "out of memory: masses wants"));
    for (size_t n = sizeof err.msg / 2 - 3; n < sizeof err.msg / 2 + 3; n++) {
        memset(place, 'x', n);
        place[n] = 0;
        fb_status s = fb_fail(&err, FB_EFORMAT, "inner");
        ck_assert_int_eq(s, FB_EFORMAT);
        ck_assert_int_eq(fb_context(&err, "%s", place), FB_EFORMAT);
        const size_t kept = n < sizeof err.msg / 2 ? n : sizeof err.msg / 2 - 1;
        ck_assert_int_eq(strspn(err.msg, "x"), kept);
        ck_assert_str_eq(err.msg + kept, ": inner");
    }
}
END_TEST

START_TEST(counts_that_overflow)
{
    fb_csc A = {0};
    fb_err e = {0};
    int64_t cap = 0, *p = NULL;
    ck_assert_ptr_null(fb_alloc(SIZE_MAX / 2, 4));
    ck_assert_ptr_null(fb_realloc(NULL, SIZE_MAX / 4, 8));
    ck_assert_int_eq(fb_new(&p, INT64_MAX, 8, "p", &e), FB_ESYS);
    ck_assert_int_eq(fb_new(&p, -1, 8, "p", &e), FB_ESYS);
    ck_assert_int_eq(fb_grow(&p, &cap, INT64_MAX / 2, 8, &e), FB_ESYS);
    ck_assert_int_eq(fb_csc_new(&A, 1, (int64_t)1 << 60, 1, 0, &e), FB_ESYS);
    ck_assert_int_eq(fb_csc_new(&A, 1, 1, (int64_t)1 << 61, 0, &e), FB_ESYS);
    ck_assert_ptr_null(p);
}
END_TEST

Suite *suite_large(void)
{
    Suite *s = suite_create("large");
    TCase *t = tcase_create("large");
    tcase_set_timeout(t, 120);
    tcase_add_test(t, dense_matrices_beyond_the_32_bits_of_lapack);
    tcase_add_test(t, messages_are_whole);
    tcase_add_test(t, counts_that_overflow);
    suite_add_tcase(s, t);
    t = tcase_create("factor");
    tcase_set_tags(t, "slow");
    tcase_set_timeout(t, 300);
    tcase_add_test(t, a_factor_of_more_than_2_31_entries);
    suite_add_tcase(s, t);
    return s;
}
