/* SPDX-License-Identifier: GPL-3.0-or-later */
/* test_narrow.c - products and triangles with few right-hand sides against plain loops. */
#include "lib/linalg/narrow.h"
#include "tests/suites.h"
#include <math.h>
#include <stdlib.h>

enum { MOST = 700, LD = MOST + 3 };
static const int64_t sizes[] = {1, 2, 8, 31, 33, 97, 300, 700}, widths[] = {1, 2, 7, 8, 9, 16};
enum { NSIZE = sizeof sizes / sizeof *sizes, NWIDTH = sizeof widths / sizeof *widths };
static double A[LD * MOST], B[LD * FB_NARROW_MOST], C[LD * FB_NARROW_MOST], R[LD * FB_NARROW_MOST];

static double value(int64_t k)
{
    return sin(1.7 * (double)k) + 0.1;
}

/* alpha op(A) B + beta C where beta 0 leaves C unread, as BLAS has it: NaN there must not show. A
 * sum of 700 terms below 1.1^2 each is right to 700 eps of their sum. */
START_TEST(products_agree_with_loops)
{
    const int64_t m = sizes[_i / NSIZE], k = sizes[_i % NSIZE];
    for (int64_t q = 0; q < LD * MOST; q++)
        A[q] = value(q);
    for (int64_t q = 0; q < LD * FB_NARROW_MOST; q++)
        B[q] = value(q + 5);
    for (int c = 0; c < 4 * NWIDTH; c++) {
        const int turned = c & 1, fresh = c >> 1 & 1;
        const int64_t n = widths[c / 4];
        const double alpha = fresh ? -1 : 0.7, beta = fresh ? 0 : 1.3;
        for (int64_t q = 0; q < LD * FB_NARROW_MOST; q++)
            C[q] = R[q] = fresh ? NAN : value(q + 11);
        for (int64_t j = 0; j < n; j++)
            for (int64_t i = 0; i < m; i++) {
                double sum = 0;
                for (int64_t q = 0; q < k; q++)
                    sum += (turned ? A[q + i * LD] : A[i + q * LD]) * B[q + j * LD];
                R[i + j * LD] = alpha * sum + (fresh ? 0 : beta * R[i + j * LD]);
            }
        fb_narrow_times(turned, m, n, k, alpha, A, LD, B, LD, beta, C, LD);
        for (int64_t j = 0; j < FB_NARROW_MOST; j++)
            for (int64_t i = 0; i < LD; i++) {
                const double x = C[i + j * LD], y = R[i + j * LD];
                ck_assert_msg((isnan(x) && isnan(y)) || fabs(x - y) <= 2e-13 * (double)k,
                              "m %d, n %d, k %d, turned %d: %g for %g at %d,%d", (int)m, (int)n,
                              (int)k, turned, x, y, (int)i, (int)j);
            }
    }
}
END_TEST

/* T times the solution is what was given, whatever the other triangle holds. The triangle's
 * diagonal outweighs its rows, so the solution is of the size of what was given. */
START_TEST(triangles_divide)
{
    const int64_t m = sizes[_i];
    for (int c = 0; c < 8 * NWIDTH; c++) {
        const int upper = c & 1, turned = c >> 1 & 1, unit = c >> 2 & 1;
        const int64_t n = widths[c / 8];
        for (int64_t j = 0; j < m; j++)
            for (int64_t i = 0; i < LD; i++)
                A[i + j * LD] = i == j ? (unit ? NAN : 2) : value(i + 3 * j) / (double)m;
        for (int64_t j = 0; j < m; j++)
            for (int64_t i = 0; i < m; i++)
                if (upper ? i > j : i < j)
                    A[i + j * LD] = NAN;
        for (int64_t q = 0; q < LD * FB_NARROW_MOST; q++)
            B[q] = C[q] = value(q + 5);
        fb_narrow_divide(upper, turned, unit, m, n, A, LD, B, LD);
        for (int64_t j = 0; j < FB_NARROW_MOST; j++)
            for (int64_t i = 0; i < LD; i++) {
                double sum = i < m && j < n ? 0 : B[i + j * LD];
                for (int64_t q = 0; q < m && i < m && j < n; q++) {
                    const int inside = upper == turned ? q < i : q > i;
                    if (inside)
                        sum += (turned ? A[q + i * LD] : A[i + q * LD]) * B[q + j * LD];
                    else if (q == i)
                        sum += (unit ? 1 : 2) * B[q + j * LD];
                }
                ck_assert_msg(fabs(sum - C[i + j * LD]) <= 1e-13,
                              "m %d, n %d, %s%s%s: %g for %g at %d,%d", (int)m, (int)n,
                              upper ? "upper" : "lower", turned ? ", turned" : "",
                              unit ? ", unit" : "", sum, C[i + j * LD], (int)i, (int)j);
            }
    }
}
END_TEST

Suite *suite_narrow(void)
{
    Suite *s = suite_create("narrow");
    TCase *tc = tcase_create("narrow");
    tcase_add_loop_test(tc, products_agree_with_loops, 0, NSIZE * NSIZE);
    tcase_add_loop_test(tc, triangles_divide, 0, NSIZE);
    suite_add_tcase(s, tc);
    return s;
}
