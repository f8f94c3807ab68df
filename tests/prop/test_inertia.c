/* SPDX-License-Identifier: GPL-3.0-or-later */
/* test_inertia.c - the invariants against direct sums over the nodes with skew matrices, against
 * the inertia of a deformed body, and against Adams' identities. Seed = loop index. */
#include "invariants/inertia.h"
#include "tests/model/body.h"
#include "tests/suites.h"
#include <math.h>

typedef struct {
    double a[3][3];
} mat3;

static mat3 skew(const double *v)
{
    return (mat3){{{0, -v[2], v[1]}, {v[2], 0, -v[0]}, {-v[1], v[0], 0}}};
}

static mat3 times(mat3 x, mat3 y)
{
    mat3 z = {{{0}}};
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++)
            for (int k = 0; k < 3; k++)
                z.a[i][j] += x.a[i][k] * y.a[k][j];
    return z;
}

static const double *phi(const fb_model *b, int64_t mode, int64_t node)
{
    return b->shape + (mode * b->nn + node) * 6;
}

/* max |got - want|, where want is summed here with three nested loops and nothing shared. */
static double worst[12], size[12];

static void compare(int k, double got, double want)
{
    worst[k] = fmax(worst[k], fabs(got - want));
    size[k] = fmax(size[k], fabs(want));
}

static void rigid_sums(const fb_model *b)
{
    double m = 0, s[3] = {0};
    mat3 J = {{{0}}};
    for (int64_t p = 0; p < b->nn; p++) {
        mat3 u = skew(b->xyz + 3 * p), uu = times(u, u);
        m += b->node_mass[p];
        for (int i = 0; i < 3; i++) {
            s[i] += b->node_mass[p] * b->xyz[3 * p + i];
            for (int j = 0; j < 3; j++)
                J.a[i][j] += -b->node_mass[p] * uu.a[i][j] + b->node_inertia[9 * p + 3 * i + j];
        }
    }
    compare(1, b->I[1][0], m);
    for (int i = 0; i < 3; i++) {
        compare(2, b->I[2][i], s[i]);
        for (int j = 0; j < 3; j++)
            compare(7, b->I[7][3 * i + j], J.a[i][j]);
    }
}

static void linear_sums(const fb_model *b)
{
    for (int64_t k = 0; k < b->nr; k++)
        for (int i = 0; i < 3; i++) {
            double I3 = 0, I4 = 0, I8[3] = {0}, I10[3] = {0};
            for (int64_t p = 0; p < b->nn; p++) {
                const double *f = phi(b, k, p), *u = b->xyz + 3 * p, m = b->node_mass[p];
                mat3 us = skew(u), x = times(us, skew(f));
                I3 += m * f[i];
                for (int j = 0; j < 3; j++) {
                    I4 += m * us.a[i][j] * f[j] + b->node_inertia[9 * p + 3 * i + j] * f[3 + j];
                    I8[j] += m * x.a[i][j];
                    I10[j] += m * u[i] * f[j];
                }
            }
            compare(3, b->I[3][i * b->nr + k], I3);
            compare(4, b->I[4][i * b->nr + k], I4);
            for (int j = 0; j < 3; j++) {
                compare(8, b->I[8][9 * k + 3 * i + j], I8[j]);
                compare(10, b->I[10][(3 * i + j) * b->nr + k], I10[j]);
            }
        }
}

static void quadratic_sums(const fb_model *b, int64_t i, int64_t j)
{
    int64_t m = b->nr;
    double I5[3] = {0}, I6 = 0, I9[3][3] = {{0}}, I11[3][3] = {{0}};
    for (int64_t p = 0; p < b->nn; p++) {
        const double *f = phi(b, i, p), *g = phi(b, j, p), mass = b->node_mass[p];
        mat3 fs = skew(f), x = times(fs, skew(g));
        for (int a = 0; a < 3; a++) {
            I6 += mass * f[a] * g[a];
            for (int c = 0; c < 3; c++) {
                I5[a] += mass * fs.a[a][c] * g[c];
                I6 += f[3 + a] * b->node_inertia[9 * p + 3 * a + c] * g[3 + c];
                I9[a][c] += mass * x.a[a][c];
                I11[a][c] += mass * f[a] * g[c];
            }
        }
    }
    compare(6, b->I[6][i * m + j], I6);
    for (int a = 0; a < 3; a++) {
        compare(5, b->I[5][(3 * i + a) * m + j], I5[a]);
        for (int c = 0; c < 3; c++) {
            compare(9, b->I[9][9 * (i * m + j) + 3 * a + c], I9[a][c]);
            compare(11, b->I[11][((3 * a + c) * m + i) * m + j], I11[a][c]);
        }
    }
}

START_TEST(equal_direct_sums)
{
    fb_model b;
    fb_err e = {0};
    make_body(&b, 5 + _i, 6 + _i, (uint64_t)_i);
    ck_assert_msg(fb_invariants_nodal(&b, b.shape, &e) == FB_OK, "%s", e.msg);
    memset(worst, 0, sizeof worst);
    memset(size, 0, sizeof size);
    rigid_sums(&b);
    linear_sums(&b);
    for (int64_t i = 0; i < b.nr; i++)
        for (int64_t j = 0; j < b.nr; j++)
            quadratic_sums(&b, i, j);
    for (int k = 1; k <= 11;
         k++) /* sums of a dozen terms: round-off of a few units in the last place */
        ck_assert_msg(worst[k] <= 1e-14 * fmax(size[k], 1), "I%d is off by %g of %g", k, worst[k],
                      size[k]);
    fb_model_free(&b);
}
END_TEST

/* J(q) = I7 - sum (I8_i + I8_i') q_i - sum I9_ij q_i q_j, J of the nodes moved to u0 + S q. */
START_TEST(inertia_of_the_deformed_body)
{
    fb_model b;
    fb_err e = {0};
    uint64_t seed = (uint64_t)_i;
    make_body(&b, 9, 8, seed);
    ck_assert_int_eq(fb_invariants_nodal(&b, b.shape, &e), FB_OK);
    double q[8], J[3][3] = {{0}}, top = 0;
    for (int k = 0; k < 8; k++)
        q[k] = random_real(&seed);
    for (int64_t p = 0; p < b.nn; p++) {
        double u[3];
        for (int a = 0; a < 3; a++) {
            u[a] = b.xyz[3 * p + a];
            for (int k = 0; k < 8; k++)
                u[a] += q[k] * phi(&b, k, p)[a];
        }
        for (int a = 0; a < 3; a++)
            for (int c = 0; c < 3; c++)
                J[a][c] += b.node_mass[p] * ((a == c) * (u[0] * u[0] + u[1] * u[1] + u[2] * u[2]) -
                                             u[a] * u[c]) +
                           b.node_inertia[9 * p + 3 * a + c];
    }
    for (int a = 0; a < 3; a++)
        for (int c = 0; c < 3; c++)
            top = fmax(top, fabs(J[a][c]));
    for (int a = 0; a < 3; a++)
        for (int c = 0; c < 3; c++) {
            double v = b.I[7][3 * a + c];
            for (int i = 0; i < 8; i++) {
                v -= (b.I[8][9 * i + 3 * a + c] + b.I[8][9 * i + 3 * c + a]) * q[i];
                for (int j = 0; j < 8; j++)
                    v -= b.I[9][9 * (8 * i + j) + 3 * a + c] * q[i] * q[j];
            }
            ck_assert_double_eq_tol(v, J[a][c], 1e-12 * top);
        }
    fb_model_free(&b);
}
END_TEST

START_TEST(generalized_mass_is_I6)
{
    fb_model b;
    fb_err e = {0};
    make_body(&b, 9, 10, (uint64_t)_i);
    ck_assert_int_eq(fb_invariants_nodal(&b, b.shape, &e), FB_OK);
    ck_assert_double_lt(fb_invariants_mass_error(&b), 1e-12);
    b.I[6][3] += 0.5;
    ck_assert_double_gt(fb_invariants_mass_error(&b), 0.4);
    b.I[6][3] -= 0.5;
    b.I[6][0] *= 1.5; /* a third of the larger mass, also where the coordinate is a millimetre */
    for (int64_t k = 0; k < 2 * b.nr; k++) {
        b.Mr[k < b.nr ? k : (k - b.nr) * b.nr] *= 1e-3;
        b.I[6][k < b.nr ? k : (k - b.nr) * b.nr] *= 1e-3;
    }
    ck_assert_double_eq_tol(fb_invariants_mass_error(&b), 1. / 3, 1e-12);
    fb_model_free(&b);
}
END_TEST

/* In new coordinates q = V z: I3 V, I4 V, V'I6 V, and I5, I8, I9, I10, I11 transformed mode by
 * mode. */
START_TEST(change_of_coordinates)
{
    enum { M = 8, N = 5 };
    fb_model a, b;
    fb_err e = {0};
    uint64_t seed = (uint64_t)_i;
    make_body(&a, 9, M, seed);
    make_body(&b, 9, M, seed);
    double V[N][M], *T = calloc((size_t)(N * a.ndof), sizeof *T);
    for (int k = 0; k < N; k++)
        for (int i = 0; i < M; i++) {
            V[k][i] = random_real(&seed);
            for (int64_t d = 0; d < a.ndof; d++)
                T[k * a.ndof + d] += V[k][i] * a.shape[i * a.ndof + d];
        }
    b.nr = N;
    ck_assert_int_eq(fb_invariants_nodal(&a, a.shape, &e), FB_OK);
    ck_assert_int_eq(fb_invariants_nodal(&b, T, &e), FB_OK);
    for (int k = 0; k < N; k++)
        for (int c = 0; c < 9; c++) {
            double I3 = 0, I4 = 0, I8 = 0, I10 = 0;
            for (int i = 0; i < M; i++) {
                I3 += a.I[3][c % 3 * M + i] * V[k][i];
                I4 += a.I[4][c % 3 * M + i] * V[k][i];
                I8 += a.I[8][9 * i + c] * V[k][i];
                I10 += a.I[10][c * M + i] * V[k][i];
            }
            ck_assert_double_eq_tol(b.I[3][c % 3 * N + k], I3, 1e-12);
            ck_assert_double_eq_tol(b.I[4][c % 3 * N + k], I4, 1e-12);
            ck_assert_double_eq_tol(b.I[8][9 * k + c], I8, 1e-12);
            ck_assert_double_eq_tol(b.I[10][c * N + k], I10, 1e-12);
        }
    for (int k = 0; k < N; k++)
        for (int l = 0; l < N; l++)
            for (int c = 0; c < 9; c++) {
                double I5 = 0, I6 = 0, I9 = 0, I11 = 0;
                for (int i = 0; i < M; i++)
                    for (int j = 0; j < M; j++) {
                        double w = V[k][i] * V[l][j];
                        I5 += a.I[5][(3 * i + c % 3) * M + j] * w;
                        I6 += a.I[6][i * M + j] * w;
                        I9 += a.I[9][9 * (i * M + j) + c] * w;
                        I11 += a.I[11][(c * M + i) * M + j] * w;
                    }
                ck_assert_double_eq_tol(b.I[5][(3 * k + c % 3) * N + l], I5, 1e-12);
                ck_assert_double_eq_tol(b.I[6][k * N + l], I6, 1e-12);
                ck_assert_double_eq_tol(b.I[9][9 * (k * N + l) + c], I9, 1e-12);
                ck_assert_double_eq_tol(b.I[11][(c * N + k) * N + l], I11, 1e-12);
            }
    free(T);
    fb_model_free(&a);
    fb_model_free(&b);
}
END_TEST

/* One printed entry of each invariant in turn is wrong by a tenth of the largest: the first, the
 * last, and none. */
START_TEST(the_worst_printed_invariant_is_named)
{
    fb_model b;
    fb_err e = {0};
    double error = 1;
    make_body(&b, 7, 9, 2);
    const int64_t m = b.nr, n[10] = {0, 1, 3, 3 * m, 3 * m, 3 * m * m, 0, 9, 9 * m, 9 * m * m};
    ck_assert_int_eq(fb_invariants_nodal(&b, b.shape, &e), FB_OK);
    ck_assert_int_eq(fb_invariants_reference(&b, &error), 0);
    for (int k = 1; k <= 9; k++) {
        b.ref_I[k] = n[k] ? fb_alloc((size_t)n[k], 8) : NULL;
        for (int64_t q = 0; q < n[k]; q++)
            b.ref_I[k][q] = b.I[k][q];
    }
    fb_invariants_reference(&b, &error);
    ck_assert(error == 0);
    for (int k = 1; k <= 9; k++)
        for (int last = 0; last < 2 && n[k]; last++) {
            double top = 0, *x = b.ref_I[k] + (last ? n[k] - 1 : 0), was = *x;
            for (int64_t q = 0; q < n[k]; q++)
                top = fmax(top, fabs(b.ref_I[k][q]));
            *x = was > 0 ? was - 0.1 * top : was + 0.1 * top;
            double most = fabs(*x);
            for (int64_t q = 0; q < n[k]; q++)
                most = fmax(most, fabs(b.ref_I[k][q]));
            ck_assert_int_eq(fb_invariants_reference(&b, &error), k);
            ck_assert_double_eq_tol(error, 0.1 * top / most, 1e-14);
            *x = was;
        }
    fb_model_free(&b);
}
END_TEST

START_TEST(without_masses_there_are_none)
{
    fb_model b;
    fb_err e = {0};
    make_body(&b, 5, 6, 1);
    free(b.node_mass);
    b.node_mass = NULL;
    ck_assert_int_eq(fb_invariants_nodal(&b, b.shape, &e), FB_EFORMAT);
    ck_assert_ptr_nonnull(strstr(e.msg, "no nodal masses"));
    fb_model_free(&b);
}
END_TEST

START_TEST(every_allocation_may_fail)
{
    fb_model b;
    fb_err e = {0};
    fb_status s;
    long fails;
    make_body(&b, 5, 6, 1);
    EVERY_ALLOCATION_FAILS_ONCE(s, fails, s = fb_invariants_nodal(&b, b.shape, &e));
    ck_assert_int_gt(fails, 15);
    fb_model_free(&b);
}
END_TEST

Suite *suite_inertia(void)
{
    Suite *s = suite_create("inertia");
    TCase *t = tcase_create("invariants");
    tcase_add_loop_test(t, equal_direct_sums, 0, 8);
    tcase_add_loop_test(t, inertia_of_the_deformed_body, 0, 8);
    tcase_add_loop_test(t, generalized_mass_is_I6, 0, 4);
    tcase_add_loop_test(t, change_of_coordinates, 0, 4);
    tcase_add_test(t, the_worst_printed_invariant_is_named);
    tcase_add_test(t, without_masses_there_are_none);
    tcase_add_test(t, every_allocation_may_fail);
    suite_add_tcase(s, t);
    return s;
}
