/* SPDX-License-Identifier: GPL-3.0-or-later */
/* test_modal.c - bodies held by modes as they come: modes that depend on each other, coordinates of
 * any unit, boundary dofs that hardly move independently, negative and soft stiffness, equal roots.
 * The right values are known by construction: the body is made of modes with Mr = 1, Kr =
 * diag(lambda) (tests/model/body.h), then given other coordinates. */
#include "reduce/modal.h"
#include "tests/model/body.h"
#include "tests/suites.h"
#include <float.h>
#include <math.h>

static fb_reduceopt order(int64_t n)
{
    return (fb_reduceopt){.order = n, .modes = -1};
}

static int said(const fb_log *log, const char *word)
{
    for (int64_t k = 0; k < log->nwarning; k++)
        if (strstr(log->warning[k], word))
            return 1;
    return 0;
}

/* The body in coordinates p, q = X p: shapes Phi X, X'KX, X'MX. X [nm x n]. */
static void recast(fb_model *b, const fb_mat *X)
{
    const fb_mat Phi = {b->ndof, b->nm, b->shape}, K = {b->nm, b->nm, b->Kr},
                 M = {b->nm, b->nm, b->Mr};
    fb_mat S = {0}, Kx = {0}, Mx = {0};
    fb_err e = {0};
    ck_assert_int_eq(fb_mat_new(&S, b->ndof, X->n, &e), FB_OK);
    ck_assert_int_eq(fb_gemm(0, 0, 1, &Phi, X, 0, &S, &e), FB_OK);
    ck_assert_int_eq(fb_congruence(&K, X, &Kx, &e), FB_OK);
    ck_assert_int_eq(fb_congruence(&M, X, &Mx, &e), FB_OK);
    free(b->shape);
    free(b->Kr);
    free(b->Mr);
    free(b->mode_number);
    b->shape = S.x;
    b->Kr = Kx.x;
    b->Mr = Mx.x;
    b->nm = b->nr = X->n;
    ck_assert_int_eq(fb_new(&b->mode_number, X->n, 8, "mode numbers", &e), FB_OK);
    for (int64_t k = 0; k < X->n; k++)
        b->mode_number[k] = k + 1;
}

static void own(fb_model *b, fb_log *log)
{
    fb_mat N = {0};
    fb_err e = {0};
    ck_assert_msg(fb_modal_own(b, &N, log, &e) == FB_OK, "%s", e.msg);
    fb_mat_free(&N);
}

/* Roots of a body in its own coordinates against those it was made of. */
static void roots_are(const fb_model *b, const double *lambda, int64_t n, double tol)
{
    ck_assert_int_eq(b->nm, n);
    for (int64_t k = 0; k < n; k++) {
        const double is = b->Kr[k + k * n];
        if (k < 6)
            ck_assert_msg(!(is < 0) && !(is > 0), "rigid mode %d: %g", (int)k + 1, is);
        else
            ck_assert_msg(fabs(is / lambda[k] - 1) < tol, "root %d: %.15g, wanted %.15g",
                          (int)k + 1, is, lambda[k]);
    }
}

/* One mode more, that is two others together and a share `off` of a shape of its own: below 1e-8
 * nothing of that is left in the mass matrix (1e-16), above 1e-4 it is a mode like others. */
START_TEST(dependent_modes_leave)
{
    static const int64_t size[] = {7, 8, 12, 25, 60};
    static const double off[] = {0, 1e-12, 1e-9, 1e-4};
    const int64_t n = size[_i % 5] + 1;
    const double d = off[_i / 5];
    double lambda[61];
    fb_model b;
    fb_log log = {0};
    fb_err e = {0};
    fb_mat X = {0};
    make_body(&b, 20, n, (uint64_t)_i);
    for (int64_t k = 0; k < n; k++)
        lambda[k] = b.Kr[k + k * n];
    ck_assert_int_eq(fb_mat_new(&X, n, n, &e), FB_OK);
    for (int64_t k = 0; k < n - 1; k++)
        X.x[k + k * n] = 1;
    X.x[1 + (n - 1) * n] = 0.6;
    X.x[n - 2 + (n - 1) * n] = 0.8;
    X.x[n - 1 + (n - 1) * n] = d;
    recast(&b, &X);
    own(&b, &log);
    ck_assert_int_eq(said(&log, "1 of the"), d < 1e-6);
    ck_assert_int_eq(said(&log, "depend on the others and are left out: "), d < 1e-6);
    roots_are(&b, lambda, d < 1e-6 ? n - 1 : n, d < 1e-6 ? 1e-10 : 1e-4);
    fb_mat_free(&X);
    fb_log_free(&log);
    fb_model_free(&b);
}
END_TEST

/* Coordinates scaled by 1e-8 to 1e8 and mixed two by two: nothing is dependent, the roots stay. */
START_TEST(units_of_coordinates_do_not_matter)
{
    enum { N = 24 };
    uint64_t s = (uint64_t)_i + 99;
    double lambda[N];
    fb_model b;
    fb_log log = {0};
    fb_err e = {0};
    fb_mat X = {0};
    make_body(&b, 10, N, (uint64_t)_i);
    ck_assert_int_eq(fb_mat_new(&X, N, N, &e), FB_OK);
    for (int64_t k = 0; k < N; k++) {
        const double scale = pow(10, 8 * random_real(&s)), turn = 3 * random_real(&s);
        const int64_t twin = k ^ 1;
        lambda[k] = b.Kr[k + k * N];
        X.x[k + k * N] = cos(turn) * scale;
        X.x[twin + k * N] = (k < twin ? 1 : -1) * sin(turn) * scale * 0.5;
    }
    recast(&b, &X);
    own(&b, &log);
    ck_assert_int_eq(log.nwarning, 0);
    roots_are(&b, lambda, N, 1e-9);
    fb_mat_free(&X);
    fb_log_free(&log);
    fb_model_free(&b);
}
END_TEST

/* Elastic roots of the pair, by LAPACK alone, against those the body was made of; the worst
 * relative error in frequency. */
static double worst(const fb_reduction *r, const fb_model *b)
{
    const fb_mat K = {r->nr, r->nr, r->K}, M = {r->nr, r->nr, r->M};
    double w[64], most = 0;
    fb_mat V = {0};
    fb_err e = {0};
    if (fb_eig_dense(&K, &M, w, &V, &e))
        return 1;
    for (int64_t k = 6; k < r->nr; k++)
        most = fmax(most, fabs(sqrt(fabs(w[k]) / b->Kr[k + k * b->nm]) - 1));
    fb_mat_free(&V);
    return most;
}

/* 31.2 moves nearly as 10.1 does. All modes are kept, so the roots are the body's. The pair loses
 * eps / d^2 of them: it is refused or said where it shows; with --orthonormalize nothing is
 * squared, and they hold to eps / d. */
START_TEST(nearly_dependent_boundary_dofs_are_said)
{
    enum { N = 20 };
    static const char *const method[] = {"cb", "imr", "guyan", "lsmr"};
    static const char *const whole =
        "10,31,16:12,22:12,25:1234"; /* masters of Guyan and LSMR: as many as modes */
    const char *name = method[_i / 10];
    const double d = pow(10, -(_i % 10));
    fb_model b;
    fb_reduction r = {0};
    fb_log log = {0};
    fb_err e = {0};
    fb_reduceopt o = order(N);
    make_body(&b, 8, N, 3);
    if (_i / 10 > 1)
        o.masters = whole;
    for (int64_t k = 0; k < b.nm; k++)
        b.shape[b.ndof - 5 + k * b.ndof] =
            b.shape[k * b.ndof] + d * b.shape[b.ndof - 5 + k * b.ndof];
    fb_status s = fb_method_find(name)->modal(&b, &o, &r, &log, &e);
    if (!s) {
        s = fb_modal_prove(&b, &r, &log, &e);
        const double lost = worst(&r, &b);
        if (lost > 1e-3 * 3)
            ck_assert_msg(s == FB_ESOLVE && strstr(e.msg, "the coordinates are nearly dependent"),
                          "%s, %g: %g", name, d, lost);
        else if (lost > 1e-6 * 3)
            ck_assert_msg(s == FB_ESOLVE || said(&log, "the coordinates are nearly dependent"),
                          "%s, %g: %g", name, d, lost);
        else if (lost < 1e-7)
            ck_assert_msg(!s && log.nwarning == 0, "%s, %g: %g: %s", name, d, lost,
                          log.nwarning ? log.warning[0] : e.msg);
        ck_assert_msg(fb_modal_orthonormalize(&b, &r, &e) == FB_OK, "%s", e.msg);
        ck_assert_msg(worst(&r, &b) < 1e-13 / d + 1e-10, "%s, %g: %g", name, d, worst(&r, &b));
        ck_assert(fabs(r.K[0]) <= 0);
    }
    ck_assert_msg(d < 1e-2 || !s, "%s: %s", name, e.msg);
    ck_assert_msg(d > 2e-7 || s == FB_ESOLVE, "%s, %g: %s", name, d, "not refused");
    fb_reduction_free(&r);
    fb_log_free(&log);
    fb_model_free(&b);
}
END_TEST

static const char *const method[] = {"cb", "guyan", "imr", "lsmr", "mdm"};

/* Every method with all that it can keep: six zeros, exact, and a negative root where the stiffness
 * has one. */
START_TEST(roots_keep_zero_and_sign)
{
    enum { N = 18 };
    const int negative = _i >= 5;
    const fb_method *m = fb_method_find(method[_i % 5]);
    fb_model b;
    fb_reduction r = {0};
    fb_mat Z = {0};
    fb_log log = {0};
    fb_err e = {0};
    make_body(&b, 8, N, (uint64_t)_i);
    double want[N], first = b.Kr[7 * (N + 1)];
    if (negative)
        b.Kr[9 * (N + 1)] = -first / 4;
    own(&b, &log);
    for (int64_t k = 0; k < N; k++)
        want[k] = b.Kr[k * (N + 1)];
    ck_assert_int_eq(want[0] < 0, negative);
    fb_reduceopt o = order(N);
    o.masters = !strcmp(m->name, "guyan") || !strcmp(m->name, "lsmr") ? "10,13,16" : NULL;
    ck_assert_msg(m->modal(&b, &o, &r, &log, &e) == FB_OK, "%s: %s", m->name, e.msg);
    ck_assert_msg(fb_modal_prove(&b, &r, &log, &e) == FB_OK, "%s: %s", m->name, e.msg);
    ck_assert_msg(fb_reduction_apply_take(&b, &r, &o, m->name, &log, &e) == FB_OK, "%s: %s",
                  m->name, e.msg);
    for (int64_t k = 0; k < N; k++)
        if (k >= negative && k < 6 + negative)
            ck_assert_msg(!(b.frequency[k] < 0) && !(b.frequency[k] > 0), "%s: %g Hz", m->name,
                          b.frequency[k]);
        else
            ck_assert_double_eq_tol(
                b.frequency[k] / copysign(sqrt(fabs(want[k])) / (2 * M_PI), want[k]), 1, 1e-8);
    fb_mat_free(&Z);
    fb_reduction_free(&r);
    fb_log_free(&log);
    fb_model_free(&b);
}
END_TEST

/* The body held at node 10 has no rigid motion, however soft it is: where eight elastic roots are
 * the share c of the largest, its eight lowest are proportional to c, but for a share c. */
static void soft_roots(uint64_t seed, double c, double *root)
{
    enum { N = 20 };
    fb_model b;
    fb_mat H = {0};
    fb_log log = {0};
    fb_roots q = {0};
    fb_err e = {0};
    make_body(&b, 8, N, seed);
    for (int64_t k = 6; k < 14; k++)
        b.Kr[k * (N + 1)] = b.Kr[19 * (N + 1)] * c * (double)(k - 5);
    own(&b, &log);
    ck_assert_msg(fb_modal_hold(&b, (int64_t[]){0, 1, 2, 3, 4, 5}, 6, &H, &e) == FB_OK, "%s",
                  e.msg);
    ck_assert_int_eq(b.nm, N - 6);
    ck_assert_msg(fb_model_roots(&b, &q, &e) == FB_OK, "%s", e.msg);
    ck_assert_int_eq(q.nrigid, 0);
    for (int k = 0; k < 8; k++)
        root[k] = q.lambda[k] / c;
    fb_roots_free(&q);
    fb_mat_free(&H);
    fb_log_free(&log);
    fb_model_free(&b);
}

START_TEST(soft_modes_of_a_held_body_are_not_rigid)
{
    double want[8], root[8];
    soft_roots((uint64_t)_i, 1e-9, want);
    soft_roots((uint64_t)_i, 1e-15, root);
    for (int k = 0; k < 8; k++)
        ck_assert_msg(fabs(root[k] / want[k] - 1) < 1e-5, "root %d: %g, wanted %g", k + 1, root[k],
                      want[k]);
}
END_TEST

/* Of twins at the cut, the masters choose; turning the twins' basis, or mixing the rigid one,
 * changes no shape. */
START_TEST(lsmr_cuts_a_group_by_the_masters)
{
    enum { N = 20 };
    static const char *const masters[] = {"10:123,13:123,16:12",
                                          "10:12,13:2"}; /* 8: twins 8 and 9; 3 of the rigid ones */
    fb_model b, c;
    fb_reduction r = {0}, q = {0};
    fb_log log = {0};
    fb_err e = {0};
    fb_reduceopt o = {.order = -1, .modes = -1, .masters = masters[_i % 2]};
    make_body(&b, 8, N, (uint64_t)_i);
    make_body(&c, 8, N, (uint64_t)_i);
    b.Kr[8 * (N + 1)] = c.Kr[8 * (N + 1)] = b.Kr[7 * (N + 1)];
    if (_i % 4 > 1) /* the last master sees nothing of the twins */
        for (int64_t k = 7; k < 9; k++) {
            const int64_t d = 6 * (_i % 2 ? 1 : 2) + 1;
            b.shape[k * b.ndof + d] = c.shape[k * b.ndof + d] = 0;
        }
    for (int64_t d = 0; d < c.ndof; d++) {
        static const int64_t pair[3][2] = {{7, 8}, {0, 4}, {2, 1}};
        for (int k = 0; k < 3; k++) {
            double *x = c.shape + d + pair[k][0] * c.ndof, *y = c.shape + d + pair[k][1] * c.ndof,
                   u = *x;
            *x = 0.28 * u + 0.96 * *y;
            *y = 0.28 * *y - 0.96 * u;
        }
    }
    ck_assert_msg(fb_method_lsmr.modal(&b, &o, &r, &log, &e) == FB_OK, "%s", e.msg);
    ck_assert_msg(said(&log, "a group of equal roots: "), "no word of the group");
    ck_assert_msg(fb_method_lsmr.modal(&c, &o, &q, &log, &e) == FB_OK, "%s", e.msg);
    const fb_mat B = {b.ndof, N, b.shape}, C = {c.ndof, N, c.shape};
    fb_mat T = {0};
    ck_assert_int_eq(fb_mat_new(&T, b.ndof, r.nr, &e), FB_OK);
    ck_assert_int_eq(fb_gemm(0, 0, 1, &B, &r.V, 0, &T, &e), FB_OK);
    const double size = fb_mat_max(&T);
    ck_assert_int_eq(fb_gemm(0, 0, -1, &C, &q.V, 1, &T, &e), FB_OK);
    ck_assert_msg(fb_mat_max(&T) < 1e-8 * size, "shapes differ by %g of %g", fb_mat_max(&T), size);
    fb_mat_free(&T);
    fb_reduction_free(&r);
    fb_reduction_free(&q);
    fb_log_free(&log);
    fb_model_free(&b);
    fb_model_free(&c);
}
END_TEST

START_TEST(an_indefinite_mass_is_refused)
{
    fb_model b;
    fb_mat N = {0};
    fb_log log = {0};
    fb_err e = {0};
    make_body(&b, 8, 12, 1);
    b.Mr[3 + 4 * 12] = b.Mr[4 + 3 * 12] = 1.25; /* eigenvalues 2.25 and -0.25 */
    ck_assert_int_eq(fb_modal_own(&b, &N, &log, &e), FB_ESOLVE);
    ck_assert_msg(strstr(e.msg, "lowest eigenvalue is -0.25") != NULL, "%s", e.msg);
    fb_model_free(&b);
}
END_TEST

static fb_status own_and_hold(long after, fb_log *log)
{
    fb_model b;
    fb_mat N = {0};
    fb_mat H = {0};
    fb_err e = {0};
    fb_alloc_fail_after = -1;
    make_body(&b, 6, 14, 2);
    fb_alloc_fail_after = after;
    fb_status s = fb_modal_own(&b, &N, log, &e);
    if (!s)
        s = fb_modal_hold(&b, (int64_t[]){0, 1, 2}, 3, &H, &e);
    fb_mat_free(&N);
    fb_mat_free(&H);
    fb_model_free(&b);
    return s;
}

START_TEST(every_allocation_may_fail)
{
    fb_log log = {0};
    fb_status s;
    long fails;
    EVERY_ALLOCATION_FAILS_ONCE(s, fails, s = own_and_hold(fb_alloc_fail_after, &log));
    ck_assert_int_ge(fails, 30);
    fb_log_free(&log);
}
END_TEST

Suite *suite_modal(void)
{
    Suite *s = suite_create("modal");
    TCase *t = tcase_create("bodies");
    tcase_set_timeout(t, 120);
    tcase_add_loop_test(t, dependent_modes_leave, 0, 20);
    tcase_add_loop_test(t, units_of_coordinates_do_not_matter, 0, 10);
    tcase_add_loop_test(t, nearly_dependent_boundary_dofs_are_said, 0, 40);
    tcase_add_loop_test(t, roots_keep_zero_and_sign, 0, 10);
    tcase_add_loop_test(t, soft_modes_of_a_held_body_are_not_rigid, 0, 4);
    tcase_add_loop_test(t, lsmr_cuts_a_group_by_the_masters, 0, 6);
    tcase_add_test(t, an_indefinite_mass_is_refused);
    tcase_add_test(t, every_allocation_may_fail);
    suite_add_tcase(s, t);
    return s;
}
