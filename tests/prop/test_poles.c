/* SPDX-License-Identifier: GPL-3.0-or-later */
/* test_poles.c - poles of reduced bodies against closed forms. */
#include "reduce/verdict.h"
#include "tests/model/body.h"
#include "tests/suites.h"
#include <math.h>

#define OK(call) ck_assert_msg((call) == FB_OK, "%s", e.msg)

static fb_err e;
static fb_log heard;

static void teardown(void)
{
    fb_log_free(&heard);
    heard = (fb_log){0};
}

static double *copy(const double *x, int64_t n)
{
    double *y = NULL;
    if (x)
        OK(fb_copy(&y, x, n, sizeof *y, "a matrix", &e));
    return y;
}

static fb_model body(int64_t n, const double *K, const double *M, const double *D, const double *G)
{
    fb_model b = {.nr = n};
    OK(fb_units_system(&b.units, "SI", &e));
    b.Kr = copy(K, n * n);
    b.Mr = copy(M, n * n);
    b.Dr = copy(D, n * n);
    b.Gr = copy(G, n * n);
    return b;
}

static void near(double got, double want, double off)
{
    ck_assert_msg(fabs(got - want) <= off, "%.17g is not %.17g", got, want);
}

/* m x'' + d x' + k x = 0: zeta = d / (2 sqrt(k m)), f = w sqrt(1 - zeta^2) / 2 pi; above 1 two real
 * poles -w (zeta -+ sqrt(zeta^2 - 1)). */
START_TEST(one_mass)
{
    const double k = 800, m = 2, w = 20;
    for (int q = 0; q < 3; q++) {
        const double zeta = (double[]){0.03, 1.7, -0.2}[q], d = 2 * zeta * w * m;
        fb_model b = body(1, &k, &m, &d, NULL);
        OK(fb_poles(&b, 0, &heard, &e));
        ck_assert_int_eq(b.npole, q == 1 ? 2 : 1);
        if (q == 1) {
            const double root = sqrt(zeta * zeta - 1);
            near(b.pole_real[0], -w * (zeta - root), 1e-12 * w);
            near(b.pole_real[1], -w * (zeta + root), 1e-12 * w);
            ck_assert(b.pole_frequency[0] == 0 && b.pole_damping[1] == 1);
        } else {
            near(b.pole_frequency[0], w * sqrt(1 - zeta * zeta) / (2 * M_PI), 1e-12 * w);
            near(b.pole_damping[0], zeta, 1e-13);
        }
        fb_model_free(&b);
    }
    ck_assert_int_eq(heard.nwarning, 1);
    ck_assert_ptr_nonnull(strstr(heard.warning[0], "1 of the 1 poles of the reduced body is "
                                                   "unstable: 1 (3.119 Hz, damping ratio -0.2)"));
}
END_TEST

/* A rigid disc on an isotropic shaft, tilts a, b about two axes of the fixed frame, diametral and
 * polar inertia Id, Ip, speed s:
 *   Id a'' + s Ip b' + k a = 0,   Id b'' - s Ip a' + k b = 0
 * With z = a + i b, z = exp(i w t): Id w^2 - s Ip w - k = 0, so that forward and backward whirl are
 *   w = (sqrt(s^2 Ip^2 + 4 Id k) +- s Ip) / (2 Id)
 * Units of mm, t, ms: what is in rad/s and Hz stays. */
START_TEST(whirl)
{
    const double Id = 0.012, Ip = 0.02, k = 900;
    const double K[4] = {k, 0, 0, k}, M[4] = {Id, 0, 0, Id}, G[4] = {0, Ip, -Ip, 0};
    for (int q = 0; q < 6; q++) {
        const double s = (double[]){0, 150, -150, 3000}[q % 4],
                     root = sqrt(s * s * Ip * Ip + 4 * Id * k), turn = fabs(s) * Ip;
        fb_model b = body(2, K, M, NULL, G);
        fb_units to;
        if (q > 3) {
            OK(fb_units_system(&to, "mm-kg-ms", &e));
            OK(fb_model_convert(&b, &to, &e));
        }
        OK(fb_poles(&b, s, &heard, &e));
        ck_assert_int_eq(b.npole, 2);
        near(b.pole_frequency[0], (root - turn) / (4 * M_PI * Id), 1e-10 * root / Id);
        near(b.pole_frequency[1], (root + turn) / (4 * M_PI * Id), 1e-10 * root / Id);
        ck_assert(b.pole_damping[0] == 0 && b.pole_damping[1] == 0);
        near(b.pole_speed[0], s * fb_units_time(&b.units), 1e-12 * fabs(s));
        fb_model_free(&b);
    }
    ck_assert_int_eq(heard.nwarning, 0);
}
END_TEST

/* Two free masses m with spring k and dashpot d between: two poles at 0 of rigid motion, to the
 * last bit, and one of k / (m / 2). */
START_TEST(rigid_motion_is_zero)
{
    const double k = 3e5, m = 0.7, d = 4, w = sqrt(2 * k / m), zeta = d / (m * w);
    fb_model b =
        body(2, (double[]){k, -k, -k, k}, (double[]){m, 0, 0, m}, (double[]){d, -d, -d, d}, NULL);
    OK(fb_poles(&b, 0, &heard, &e));
    ck_assert_int_eq(b.npole, 3);
    for (int q = 0; q < 2; q++)
        ck_assert(b.pole_frequency[q] == 0 && b.pole_damping[q] == 0 && b.pole_real[q] == 0);
    near(b.pole_frequency[2], w * sqrt(1 - zeta * zeta) / (2 * M_PI), 1e-10 * w);
    near(b.pole_damping[2], zeta, 1e-12);
    fb_model_free(&b);
}
END_TEST

/* Mass damping a M of free bodies of 6 coordinates with M = L L' of any L: each has the poles 0 and
 * -a, six times, which round-off makes pairs of in some; a stiff mode beside them sets what is
 * round-off. */
START_TEST(equal_real_poles_stay_rows)
{
    enum { N = 7, SEEDS = 40 };
    const double a = 3, w = 1e4;
    for (uint64_t seed = 0; seed < SEEDS; seed++) {
        double K[N * N] = {0}, M[N * N] = {0}, D[N * N], L[N * N];
        uint64_t s = seed + 1;
        for (int k = 0; k < N * N; k++)
            L[k] = (k % (N + 1) == 0) + 0.3 * random_real(&s);
        for (int i = 0; i < N; i++)
            for (int j = 0; j < N; j++) {
                for (int k = 0; k < N; k++)
                    M[i * N + j] += L[i * N + k] * L[j * N + k];
                K[i * N + j] = w * w * L[i * N] * L[j * N]; /* of the first of L^-1 x alone */
                D[i * N + j] = a * M[i * N + j];
            }
        fb_model b = body(N, K, M, D, NULL);
        OK(fb_poles(&b, 0, &heard, &e));
        ck_assert_msg(b.npole == 13, "seed %d: %d poles", (int)seed, (int)b.npole);
        for (int k = 0; k < 12; k++)
            ck_assert_msg(fabs(b.pole_real[k] + (k < 6 ? 0 : a)) <= 1e-10 * w, "seed %d: %g",
                          (int)seed, b.pole_real[k]);
        fb_model_free(&b);
    }
}
END_TEST

/* Frequencies five decades apart, both of the ratio 0.01: the low one is known to 1e-16 1e5. */
START_TEST(low_poles_keep_their_digits)
{
    const double w[2] = {1, 1e5}, zeta = 0.01;
    fb_model b = body(2, (double[]){w[0] * w[0], 0, 0, w[1] * w[1]}, (double[]){1, 0, 0, 1},
                      (double[]){2 * zeta * w[0], 0, 0, 2 * zeta * w[1]}, NULL);
    OK(fb_poles(&b, 0, &heard, &e));
    ck_assert_int_eq(b.npole, 2);
    for (int q = 0; q < 2; q++) {
        near(b.pole_damping[q], zeta, 1e-10);
        near(b.pole_frequency[q] * 2 * M_PI / w[q], sqrt(1 - zeta * zeta), 1e-10);
    }
    fb_model_free(&b);
}
END_TEST

/* S = h K of a body of two modes: each gets the damping ratio h / 2; rigid motion none. */
START_TEST(structural_becomes_viscous)
{
    const double h = 0.06, K[9] = {4, -4, 0, -4, 13, -9, 0, -9, 9},
                 M[9] = {1, 0, 0, 0, 2, 0, 0, 0, 3};
    double S[9];
    for (int k = 0; k < 9; k++)
        S[k] = h * K[k];
    fb_model b = body(3, K, M, NULL, NULL);
    b.Sr = copy(S, 9);
    OK(fb_structural_as_viscous(&b, &heard, &e));
    ck_assert_ptr_null(b.Sr);
    OK(fb_poles(&b, 0, &heard, &e));
    ck_assert_int_eq(b.npole, 4);
    near(b.pole_damping[1], 0, 0);
    near(b.pole_damping[2], h / 2, 1e-12);
    near(b.pole_damping[3], h / 2, 1e-12);
    fb_model_free(&b);
    b = body(3, K, M, NULL, NULL);
    ck_assert_int_eq(fb_structural_as_viscous(&b, &heard, &e), FB_EUSAGE);
    ck_assert_int_eq(fb_poles(&b, 10, &heard, &e), FB_EUSAGE);
    OK(fb_poles(&b, 0, &heard, &e));
    ck_assert_ptr_null(b.pole_frequency);
    fb_model_free(&b);
}
END_TEST

/* A follower force: x'' + k x + n y = 0, y'' + k y - n x = 0, so that p^2 = -k +- i n: flutter. */
START_TEST(flutter)
{
    const double k = 400, n = 30, size = sqrt(sqrt(k * k + n * n)), half = atan2(n, -k) / 2;
    fb_model b = body(2, (double[]){k, 0, 0, k}, (double[]){1, 0, 0, 1}, NULL, NULL);
    b.Nr = copy((double[]){0, n, -n, 0}, 4);
    OK(fb_poles(&b, 0, &heard, &e));
    ck_assert_int_eq(b.npole, 2);
    for (int q = 0; q < 2; q++) {
        near(b.pole_frequency[q], size * sin(half) / (2 * M_PI), 1e-12 * size);
        near(fabs(b.pole_damping[q]), fabs(cos(half)), 1e-12);
    }
    near(b.pole_damping[0] + b.pole_damping[1], 0, 1e-12);
    ck_assert_int_eq(heard.nwarning, 1);
    fb_model_free(&b);
}
END_TEST

START_TEST(every_allocation_fails_once)
{
    int failed = 0;
    for (long k = 0;; k++) {
        const double K[4] = {2, -1, -1, 2}, M[4] = {1, 0, 0, 1};
        fb_model b = body(2, K, M, NULL, NULL);
        b.Sr = copy(K, 4);
        fb_alloc_fail_after = k;
        fb_status s = fb_structural_as_viscous(&b, &heard, &e);
        s = s ? s : fb_poles(&b, 0, &heard, &e);
        const int done = fb_alloc_fail_after >= 0;
        fb_alloc_fail_after = -1;
        failed += s == FB_ESYS;
        ck_assert_msg(!s || s == FB_ESYS, "allocation %ld: %s", k, e.msg);
        fb_model_free(&b);
        if (done && !s)
            break;
    }
    ck_assert_int_gt(failed, 10);
}
END_TEST

Suite *suite_poles(void)
{
    Suite *s = suite_create("poles");
    TCase *tc = tcase_create("poles");
    tcase_add_checked_fixture(tc, NULL, teardown);
    tcase_add_test(tc, one_mass);
    tcase_add_test(tc, whirl);
    tcase_add_test(tc, rigid_motion_is_zero);
    tcase_add_test(tc, equal_real_poles_stay_rows);
    tcase_add_test(tc, low_poles_keep_their_digits);
    tcase_add_test(tc, structural_becomes_viscous);
    tcase_add_test(tc, flutter);
    tcase_add_test(tc, every_allocation_fails_once);
    suite_add_tcase(s, tc);
    return s;
}
