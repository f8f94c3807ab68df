/* SPDX-License-Identifier: GPL-3.0-or-later */
/* test_eig.c - laws of the modes of sparse models. */
#include "tests/model/model.h"
#include "tests/suites.h"
#include <math.h>

#define OK(call) ck_assert_msg((call) == FB_OK, "%s", e.msg)

static fb_err e;
static const char *const ENGINE[] = {"lanczos", "arpack", "dense"};
enum { DENSE = 2, NENGINE = 3 };

/* Blocks of many shapes; every seed another one. */
static void body(test_model *t, int seed)
{
    int64_t cells[] = {2 + seed % 4, 1 + seed % 3, 1 + seed % 2};
    double size[] = {0.3 + 0.1 * seed, 0.05 + 0.02 * (seed % 5), 0.03};
    OK(test_solid(t, cells, size, seed % 2 ? 20 : 8, &e));
}

static void ratio(double a, double b, double tol, const char *what)
{
    ck_assert_msg(fabs(a - b) <= tol * fabs(b), "%s: %.15g, %.15g wanted", what, a, b);
}

static double worst(const double *x, int64_t n)
{
    double w = 0;
    for (int64_t k = 0; k < n; k++)
        w = fmax(w, fabs(x[k]));
    return w;
}

static void sound(const fb_eig *r)
{
    /* Both iterations stop at 1e-9 theta, by a residual r of A; K x - lambda M x = (lambda - sigma)
     * S r, which is no more of ||K|| than r of theta: how far below they end depends on the BLAS
     * (1e-10 was seen). */
    ck_assert_double_lt(worst(r->residual, r->n), 1e-9);
    ck_assert_double_lt(r->orthogonality, 1e-10);
    for (int64_t k = 1; k < r->n; k++)
        ck_assert(r->lambda[k - 1] <= r->lambda[k]);
    for (int64_t k = 0; k < r->n; k++) { /* the stated sign */
        double most = 0, least = 0;
        for (int64_t i = 0; i < r->X.m; i++) {
            most = fmax(most, r->X.x[i + k * r->X.m]);
            least = fmin(least, r->X.x[i + k * r->X.m]);
        }
        ck_assert(most >= (1 - 1e-6) * -least);
    }
}

/* 4 k/m sin^2(j pi/(2n)): free; the rigid mode is told apart. */
START_TEST(chain_in_closed_form)
{
    const double pi = acos(-1);
    int64_t n = 30 + 70 * (_i / NENGINE);
    test_model t = {0};
    fb_eig r = {0};
    OK(test_chain(&t, n, 250, 0.5, 0, &e));
    OK(fb_eig_sparse(&t.K, &t.M, &(fb_eig_opts){.k = 10, .engine = ENGINE[_i % NENGINE]}, &r, &e));
    ck_assert_int_eq(r.n, 10);
    ck_assert_int_eq(r.nrigid, 1);
    ck_assert_int_eq(r.sturm, 10);
    ck_assert_int_eq(r.missed, 0);
    ck_assert_double_lt(fabs(r.lambda[0]), 1e-9);
    /* The shift is 1e-3 below the rigid mode, so that eps theta_1/theta_j is up to 1e-10. */
    for (int64_t j = 1; j < 10; j++)
        ratio(r.lambda[j], 2000 * pow(sin((double)j * pi / (2 * (double)n)), 2), 1e-9, "chain");
    sound(&r);
    fb_eig_free(&r);
    test_model_free(&t);
}
END_TEST

/* A slender body, whose factor alone leaves eps lambda_n/lambda_1 = 1e-6 of the lowest root: (MO.7)
 * leaves the square of the vectors' error. */
START_TEST(strip_in_closed_form)
{
    const double pi = acos(-1);
    const int64_t n = 600;
    test_model t = {0};
    fb_eig r = {0};
    OK(test_strip(&t, n, 1, &e));
    OK(fb_eig_sparse(&t.K, &t.M, &(fb_eig_opts){.k = 12, .engine = ENGINE[_i]}, &r, &e));
    ck_assert_int_eq(r.nrigid, 0);
    for (int64_t j = 1; j <= 12; j++)
        ratio(r.lambda[j - 1], 16 * pow(sin((double)j * pi / (2 * (double)n + 2)), 4), 1e-12,
              ENGINE[_i]);
    sound(&r);
    fb_eig_free(&r);
    test_model_free(&t);
}
END_TEST

/* More modes than the basis holds: they are locked one after another. Roots of order 1e-4 of the
 * largest, known from the closed form. */
START_TEST(many_modes_are_locked)
{
    const double pi = acos(-1);
    const int64_t n = 3000, k = 260;
    test_model t = {0};
    fb_eig r = {0};
    OK(test_chain(&t, n, 250, 0.5, 0, &e));
    OK(fb_eig_sparse(&t.K, &t.M, &(fb_eig_opts){.k = k, .engine = "lanczos"}, &r, &e));
    ck_assert_int_eq(r.n, k);
    ck_assert_int_eq(r.sturm, k);
    ck_assert_int_eq(r.missed, 0);
    ck_assert_double_lt(r.orthogonality, 1e-10);
    ck_assert_double_lt(worst(r.residual, r.n), 1e-10);
    for (int64_t j = 1; j < k; j++)
        ratio(r.lambda[j], 2000 * pow(sin((double)j * pi / (2 * (double)n)), 2), 1e-9, "chain");
    fb_eig_free(&r);
    test_model_free(&t);
}
END_TEST

START_TEST(engines_agree)
{
    test_model t = {0};
    fb_eig r[NENGINE] = {{0}};
    body(&t, _i);
    for (int a = 0; a < NENGINE; a++) {
        fb_eig_opts o = {.k = 14, .engine = ENGINE[a], .factor = {.node = t.node}};
        OK(fb_eig_sparse(&t.K, &t.M, &o, &r[a], &e));
        sound(&r[a]);
        ck_assert_int_eq(r[a].nrigid, 6);
        ck_assert_int_eq(r[a].missed, 0);
    }
    for (int a = 0; a < DENSE; a++) {
        ck_assert_int_eq(r[a].n, r[DENSE].n);
        for (int64_t k = 6; k < r[a].n; k++)
            ratio(r[a].lambda[k], r[DENSE].lambda[k], 1e-8, ENGINE[a]);
        for (int64_t k = 0; k < 6; k++)
            ck_assert_double_lt(fabs(r[a].lambda[k]), 1e-9 * r[a].lambda[6]);
    }
    for (int a = 0; a < NENGINE; a++)
        fb_eig_free(&r[a]);
    test_model_free(&t);
}
END_TEST

/* The whole spectrum of a free body, by LAPACK on K and M themselves; span of ten decades. */
START_TEST(all_modes)
{
    test_model t = {0};
    fb_eig r = {0};
    fb_mat K = {0}, M = {0}, V = {0};
    OK(test_solid(&t, (int64_t[]){3, 1, 1}, (double[]){1, 0.05, 0.03}, 8, &e));
    int64_t n = t.K.n;
    int64_t *all = malloc(sizeof *all * (size_t)n);
    double *lambda = calloc((size_t)n, sizeof *lambda);
    for (int64_t k = 0; k < n; k++)
        all[k] = k;
    OK(fb_csc_dense(&t.K, all, n, all, n, &K, &e));
    OK(fb_csc_dense(&t.M, all, n, all, n, &M, &e));
    OK(fb_eig_dense(&K, &M, lambda, &V, &e));
    OK(fb_eig_sparse(&t.K, &t.M, &(fb_eig_opts){.k = n}, &r, &e));
    ck_assert_int_eq(r.n, n);
    ck_assert_int_eq(r.nfinite, n);
    ck_assert_int_eq(r.sturm, n);
    for (int64_t k = 0; k < n; k++) /* LAPACK errs by eps times the largest */
        ck_assert_double_eq_tol(r.lambda[k], lambda[k],
                                1e-8 * fabs(lambda[k]) + 1e-13 * lambda[n - 1]);
    sound(&r);
    fb_eig_free(&r);
    fb_mat_free(&K);
    fb_mat_free(&M);
    fb_mat_free(&V);
    free(all);
    free(lambda);
    test_model_free(&t);
}
END_TEST

/* K R = 0, and R lies in the span of the six rigid modes: R - X (X'M R) = 0. */
START_TEST(rigid_modes_are_rigid)
{
    test_model t = {0};
    fb_mat R = {0}, C = {0}, Y = {0};
    fb_eig r = {0};
    double norm = 0;
    body(&t, _i);
    OK(test_rigid(&t, &R, &e));
    OK(fb_mat_new(&Y, R.m, 6, &e));
    fb_csc_mul(&t.K, R.x, R.m, Y.x, R.m, 6);
    OK(fb_csc_norm(&t.K, &norm, &e));
    ck_assert_double_lt(fb_mat_max(&Y), 1e-13 * norm);
    OK(fb_eig_sparse(&t.K, &t.M, &(fb_eig_opts){.k = 4, .factor = {.node = t.node}}, &r, &e));
    ck_assert_int_eq(r.n, 6); /* a group of equal roots, whole */
    ck_assert_int_eq(r.nrigid, 6);
    OK(fb_csc_bilinear(&r.X, &t.M, &R, &C, &e));
    OK(fb_gemm(0, 0, -1, &r.X, &C, 1, &R, &e));
    ck_assert_double_lt(fb_mat_max(&R), 1e-8);
    fb_eig_free(&r);
    fb_mat_free(&R);
    fb_mat_free(&C);
    fb_mat_free(&Y);
    test_model_free(&t);
}
END_TEST

/* Every pair i != j of the square net is double: the twins are there, and a cut takes both. */
START_TEST(twins_of_a_square)
{
    const double pi = acos(-1);
    enum { N = 14 };
    test_model t = {0};
    fb_eig r = {0};
    double root[N * N], a[N];
    int64_t count = 0, k = 12 + _i / NENGINE;
    OK(test_net(&t, N, 1e4, 2, &e));
    for (int j = 0; j < N; j++)
        a[j] = 2e4 * pow(sin((j + 1) * pi / (2 * (N + 1))), 2);
    for (int i = 0; i < N; i++)
        for (int j = 0; j < N; j++) {
            int64_t q = count++;
            for (; q > 0 && root[q - 1] > a[i] + a[j]; q--)
                root[q] = root[q - 1];
            root[q] = a[i] + a[j];
        }
    OK(fb_eig_sparse(&t.K, &t.M, &(fb_eig_opts){.k = k, .engine = ENGINE[_i % NENGINE]}, &r, &e));
    ck_assert_int_ge(r.n, k);
    ck_assert_double_gt(root[r.n] / root[r.n - 1], 1 + 1e-6); /* no group is cut */
    ck_assert(r.n == k || root[r.n - 1] / root[k - 1] < 1 + 1e-6);
    ck_assert_int_eq(r.sturm, r.n);
    for (int64_t j = 0; j < r.n; j++)
        ratio(r.lambda[j], root[j], 1e-9, "net");
    sound(&r);
    fb_eig_free(&r);
    test_model_free(&t);
}
END_TEST

/* Two equal bodies that do not touch: one start vector alone sees one of each pair, but for
 * round-off. */
START_TEST(two_equal_bodies)
{
    test_model one = {0}, two = {0};
    fb_eig a = {0}, b = {0};
    OK(test_solid(&one, (int64_t[]){4, 2, 2}, (double[]){0.4, 0.11, 0.07}, 8, &e));
    OK(test_twice(&two, &one, &e));
    OK(fb_eig_sparse(&one.K, &one.M, &(fb_eig_opts){.k = 15, .engine = "dense"}, &a, &e));
    OK(fb_eig_sparse(&two.K, &two.M, &(fb_eig_opts){.k = 30, .engine = ENGINE[_i]}, &b, &e));
    ck_assert_int_eq(b.nrigid, 12);
    ck_assert_int_eq(b.sturm, 30);
    for (int64_t k = 12; k < 30; k++)
        ratio(b.lambda[k], a.lambda[k / 2], 1e-8, "two bodies");
    sound(&b);
    fb_eig_free(&a);
    fb_eig_free(&b);
    test_model_free(&one);
    test_model_free(&two);
}
END_TEST

/* Twelve tuned oscillators on a chain: eleven equal roots, all of them just below fmax. */
START_TEST(a_root_eleven_times)
{
    const double pi = acos(-1);
    test_model t = {0};
    fb_eig r = {0};
    int64_t equal = 0;
    OK(test_tuned(&t, 800, 1e6, 1, 12, 40, 2, &e));
    fb_eig_opts o = {.fmax = sqrt(20) / (2 * pi) * 1.001, .engine = ENGINE[_i]};
    OK(fb_eig_sparse(&t.K, &t.M, &o, &r, &e));
    ck_assert_int_eq(r.sturm, r.n);
    for (int64_t k = 0; k < r.n; k++)
        equal += fabs(r.lambda[k] - 20) < 1e-8;
    ck_assert_int_eq(equal, 11);
    sound(&r);
    fb_eig_free(&r);
    o = (fb_eig_opts){.k = 3, .engine = ENGINE[_i]}; /* the cut falls among them */
    OK(fb_eig_sparse(&t.K, &t.M, &o, &r, &e));
    ck_assert_double_gt(r.lambda[r.n - 1], 20 - 1e-8);
    ck_assert_int_ge(r.n, 11);
    ck_assert_ptr_nonnull(strstr(r.text[0], "taken whole"));
    sound(&r);
    fb_eig_free(&r);
    test_model_free(&t);
}
END_TEST

/* 64 equal chains: Lanczos from one vector sees a part of each group, the count finds the rest. */
START_TEST(the_count_completes_a_large_group)
{
    const double pi = acos(-1);
    test_model t = {0}, u = {0};
    fb_eig r = {0};
    OK(test_chain(&t, 40, 1e3, 1, 1, &e));
    for (int k = 0; k < 6; k++) {
        OK(test_twice(&u, &t, &e));
        test_model_free(&t);
        t = u;
    }
    OK(fb_eig_sparse(&t.K, &t.M, &(fb_eig_opts){.k = 10, .engine = "arpack"}, &r, &e));
    ck_assert_int_eq(r.n, 64);
    ck_assert_int_eq(r.sturm, 64);
    for (int64_t k = 0; k < 64; k++)
        ratio(r.lambda[k], 4e3 * pow(sin(pi / 82), 2), 1e-9, "64 chains");
    sound(&r);
    fb_eig_free(&r);
    test_model_free(&t);
}
END_TEST

/* All roots equal, more wanted than a basis holds: each block spans a space of its own, and when
 * the basis is full no vector of it is left that is no mode yet. By default and by "auto" a group
 * that ends nowhere is the dense engine's. */
START_TEST(a_basis_of_modes_alone)
{
    const int64_t n = 1000;
    fb_csc K = {0}, M = {0};
    fb_factor *F = NULL;
    OK(fb_csc_new(&K, n, n, n, 1, &e));
    OK(fb_csc_new(&M, n, n, n, 1, &e));
    for (int64_t k = 0; k <= n; k++)
        K.p[k] = M.p[k] = k;
    for (int64_t k = 0; k < n; k++) {
        K.i[k] = M.i[k] = k;
        K.x[k] = 1000;
        M.x[k] = 1;
    }
    OK(fb_factor_analyse(&F, &K, &M, &(fb_factor_opts){0}, &e));
    OK(fb_factor_numeric(F, &K, &M, 0, NULL, &e));
    fb_eigjob j = {.K = &K, .M = &M, .F = F, .want = 420, .room = n, .tol = 1e-9, .seed = 1};
    OK(fb_eig_lanczos(&j, &e));
    ck_assert_int_eq(j.n, 420);
    for (int64_t k = 0; k < j.n; k++)
        ratio(j.lambda[k], 1000, 1e-12, "equal");
    fb_eigjob_free(&j);
    fb_factor_free(F);
    const char *engine[] = {NULL, "auto"};
    for (int k = 0; k < 2; k++) {
        fb_eig r = {0};
        OK(fb_eig_sparse(&K, &M, &(fb_eig_opts){.k = 100, .engine = engine[k]}, &r, &e));
        ck_assert_int_eq(r.n, n);
        fb_eig_free(&r);
    }
    fb_csc_free(&K);
    fb_csc_free(&M);
}
END_TEST

/* An engine that keeps some roots to itself when it is asked first. */
static int hide_from, hide_to;

static fb_status forgetful(fb_eigjob *j, fb_err *err)
{
    fb_status s = fb_eig_arpack(j, err);
    if (s || j->found->n > 0)
        return s;
    for (int64_t k = hide_to; k < j->n; k++) {
        int64_t at = k - hide_to + hide_from;
        j->lambda[at] = j->lambda[k];
        memcpy(j->X.x + at * j->X.m, j->X.x + k * j->X.m, sizeof(double) * (size_t)j->X.m);
    }
    j->n -= hide_to - hide_from;
    j->X.n = j->n;
    return FB_OK;
}

static const fb_eigengine FORGETFUL = {.name = "forgetful", .lowest = forgetful};

START_TEST(the_count_brings_missed_modes_back)
{
    test_model t = {0};
    fb_eig r[2] = {{0}};
    fb_eig_opts o = {.k = 16};
    hide_from = 2 + _i; /* a rigid or an elastic one */
    hide_to = hide_from + 1;
    OK(test_solid(&t, (int64_t[]){4, 2, 1}, (double[]){0.4, 0.15, 0.07}, 20, &e));
    o.factor.node = t.node;
    OK(fb_eig_sparse(&t.K, &t.M, &o, &r[0], &e));
    o.own = &FORGETFUL;
    OK(fb_eig_sparse(&t.K, &t.M, &o, &r[1], &e));
    ck_assert_int_eq(r[0].missed, 0);
    ck_assert_int_eq(r[1].missed, 1);
    ck_assert_int_eq(r[1].n, r[0].n);
    ck_assert_int_ge(r[1].sturm, r[1].n);
    for (int64_t k = 6; k < r[0].n; k++)
        ratio(r[1].lambda[k], r[0].lambda[k], 1e-8, "brought back");
    sound(&r[1]);
    fb_eig_free(&r[1]);
    o.no_sturm = 1; /* and without the count nobody notices, but it is said */
    OK(fb_eig_sparse(&t.K, &t.M, &o, &r[1], &e));
    ck_assert_int_eq(r[1].sturm, -1);
    ck_assert_ptr_nonnull(strstr(r[1].text[r[1].ntext - 1], "not checked"));
    fb_eig_free(&r[0]);
    fb_eig_free(&r[1]);
    test_model_free(&t);
}
END_TEST

/* An engine that never finds them. */
static fb_status blind(fb_eigjob *j, fb_err *err)
{
    fb_status s = forgetful(j, err);
    if (!s && j->found->n > 0)
        j->n = j->X.n = 0;
    return s;
}

START_TEST(a_mode_that_stays_lost_is_an_error)
{
    static const fb_eigengine engine = {.name = "blind", .lowest = blind};
    test_model t = {0};
    fb_eig r = {0};
    hide_from = 3;
    hide_to = 4;
    OK(test_chain(&t, 600, 1e3, 1, 1, &e));
    ck_assert_int_eq(fb_eig_sparse(&t.K, &t.M, &(fb_eig_opts){.k = 6, .own = &engine}, &r, &e),
                     FB_ESOLVE);
    ck_assert_ptr_nonnull(strstr(e.msg, "counts 7"));
    test_model_free(&t);
}
END_TEST

/* All modes below a frequency, with the count before and without it. */
START_TEST(by_frequency)
{
    const double pi = acos(-1);
    enum { N = 700 };
    int no_sturm = _i / 6 % 2, j = _i % 6 * 4;
    test_model t = {0};
    fb_eig r = {0};
    OK(test_chain(&t, N, 1e6, 1, 1, &e));
    double f = sqrt(4e6) * sin((j + 0.5) * pi / (2 * (N + 1))) / (2 * pi);
    fb_eig_opts o = {.fmax = f, .no_sturm = no_sturm, .engine = ENGINE[_i / 12]};
    OK(fb_eig_sparse(&t.K, &t.M, &o, &r, &e));
    ck_assert_int_eq(r.n, j);
    ck_assert_int_eq(r.sturm, no_sturm ? -1 : j);
    for (int64_t k = 0; k < r.n; k++)
        ratio(r.lambda[k], 4e6 * pow(sin((double)(k + 1) * pi / (2 * (N + 1))), 2), 1e-9,
              "below fmax");
    fb_eig_free(&r);
    test_model_free(&t);
}
END_TEST

/* Every second mass removed: the roots are those of the masses left, on springs of half the
 * stiffness. */
START_TEST(massless_dofs)
{
    const double pi = acos(-1);
    int64_t n = 2 * 40 + 1;
    test_model t = {0};
    fb_eig r = {0};
    OK(test_chain(&t, n, 100, 1, 1, &e));
    for (int64_t j = 0; j < n; j += 2)
        t.M.x[j] = 0;
    int64_t k = _i % NENGINE == DENSE ? 50 : 8;
    OK(fb_eig_sparse(&t.K, &t.M, &(fb_eig_opts){.k = k, .engine = ENGINE[_i % NENGINE]}, &r, &e));
    ck_assert_int_eq(r.n, k < 40 ? k : 40);
    for (int64_t j = 0; j < r.n; j++)
        ratio(r.lambda[j], 200 * pow(sin((double)(j + 1) * pi / 82), 2), 1e-10, "massless dofs");
    if (k > 40) {
        ck_assert_int_eq(r.nfinite, 40);
        ck_assert_ptr_nonnull(strstr(r.text[0], "no more finite ones"));
    }
    sound(&r);
    fb_eig_free(&r);
    test_model_free(&t);
}
END_TEST

/* A multiplier ties the last mass of a held chain of n to a wall: the chain of n-1, held. */
START_TEST(multipliers)
{
    const double pi = acos(-1);
    enum { N = 61 };
    test_model c = {0};
    fb_csc K = {0}, M = {0};
    fb_eig r = {0};
    OK(test_chain(&c, N, 100, 1, 1, &e));
    int64_t nk = c.K.p[N];
    OK(fb_csc_new(&K, N + 1, N + 1, nk + 1, 1, &e));
    OK(fb_csc_new(&M, N + 1, N + 1, N, 1, &e));
    memcpy(K.p, c.K.p, sizeof(int64_t) * (N + 1));
    memcpy(K.i, c.K.i, sizeof(int64_t) * (size_t)nk);
    memcpy(K.x, c.K.x, sizeof(double) * (size_t)nk);
    K.i[nk] = N - 1;
    K.x[nk] = 1;
    K.p[N + 1] = nk + 1;
    memcpy(M.p, c.M.p, sizeof(int64_t) * (N + 1));
    memcpy(M.i, c.M.i, sizeof(int64_t) * N);
    memcpy(M.x, c.M.x, sizeof(double) * N);
    M.p[N + 1] = N;
    fb_eig_opts o = {.k = 7, .engine = ENGINE[_i]};
    ck_assert_int_eq(fb_eig_sparse(&K, &M, &o, &r, &e), FB_ESOLVE);
    o.multipliers = 1;
    if (_i < DENSE) { /* the fast engine wants a definite factor, and is not chosen */
        o.engine = ENGINE[0];
        ck_assert_int_eq(fb_eig_sparse(&K, &M, &o, &r, &e), FB_EUSAGE);
        ck_assert_ptr_nonnull(strstr(e.msg, "arpack or dense"));
        o.engine = ENGINE[1];
    }
    OK(fb_eig_sparse(&K, &M, &o, &r, &e));
    ck_assert_int_eq(r.n, 7);
    ck_assert_int_eq(r.sturm, 7);
    for (int64_t j = 0; j < 7; j++)
        ratio(r.lambda[j], 400 * pow(sin((double)(j + 1) * pi / (2 * N)), 2), 1e-9, "multiplier");
    fb_eig_free(&r);
    o.multipliers = 2;
    ck_assert_int_eq(fb_eig_sparse(&K, &M, &o, &r, &e), FB_ESOLVE);
    ck_assert_ptr_nonnull(strstr(e.msg, "1 negative roots, the model 2 multipliers"));
    fb_csc_free(&K);
    fb_csc_free(&M);
    test_model_free(&c);
}
END_TEST

/* Other units: K in N/mm, M in t, and lengths in mm scale both by the same power of ten each. */
START_TEST(units_leave_frequencies)
{
    test_model t = {0};
    fb_eig a = {0}, b = {0};
    body(&t, _i);
    OK(fb_eig_sparse(&t.K, &t.M, &(fb_eig_opts){.k = 12}, &a, &e));
    for (int64_t q = 0; q < t.K.p[t.K.n]; q++)
        t.K.x[q] *= 1e-12;
    for (int64_t q = 0; q < t.M.p[t.M.n]; q++)
        t.M.x[q] *= 1e-12;
    OK(fb_eig_sparse(&t.K, &t.M, &(fb_eig_opts){.k = 12}, &b, &e));
    ck_assert_int_eq(a.n, b.n);
    ck_assert_int_eq(b.nrigid, 6);
    for (int64_t k = 6; k < a.n; k++)
        ratio(b.lambda[k], a.lambda[k], 1e-9, "other units");
    fb_eig_free(&a);
    fb_eig_free(&b);
    test_model_free(&t);
}
END_TEST

/* Slender: the first elastic root is 1e-7 of the median K_jj/M_jj, the shift above it. */
START_TEST(slender_body)
{
    const double pi = acos(-1);
    enum { N = 5000 };
    test_model t = {0};
    fb_eig r = {0};
    OK(test_chain(&t, N, 1e9, 1, _i, &e));
    OK(fb_eig_sparse(&t.K, &t.M, &(fb_eig_opts){.k = 8}, &r, &e));
    ck_assert_int_eq(r.nrigid, !_i);
    for (int64_t j = !_i; j < 8; j++) {
        double held = sin((double)(j + 1) * pi / (2. * (N + 1))),
               freely = sin((double)j * pi / (2. * N));
        ratio(r.lambda[j], 4e9 * pow(_i ? held : freely, 2), 1e-6, "slender");
    }
    fb_eig_free(&r);
    test_model_free(&t);
}
END_TEST

/* Most dofs are stiff, so the median puts the shift far above the first elastic root: it is chosen
 * anew from the roots found, and the model is factored once more. The root is 5e-10 of the median:
 * round-off in K alone moves it by 1e-6. */
START_TEST(shift_is_chosen_anew)
{
    test_model t = {0};
    fb_eig r[NENGINE] = {{0}};
    OK(test_tuned(&t, 200, 10, 1, 350, 1e6, 1, &e));
    for (int a = 0; a < NENGINE; a++)
        OK(fb_eig_sparse(&t.K, &t.M, &(fb_eig_opts){.k = 8, .engine = ENGINE[a]}, &r[a], &e));
    for (int a = 0; a < DENSE; a++) {
        ck_assert_int_eq(r[a].factors, 3);
        ck_assert_double_gt(r[a].sigma, 0.1 * r[DENSE].sigma);
        ck_assert_int_eq(r[a].sturm, 8);
        for (int64_t k = 0; k < 8; k++)
            ratio(r[a].lambda[k], r[DENSE].lambda[k], 1e-4, "shift chosen anew");
    }
    for (int a = 0; a < NENGINE; a++)
        fb_eig_free(&r[a]);
    test_model_free(&t);
}
END_TEST

/* Two free chains whose rigid roots are a little below zero and a little above it, as few digits of
 * a stiffness leave them: no shift is put between them and zero, where all others would drown. */
START_TEST(shift_keeps_off_rigid_roots)
{
    const double pi = acos(-1), k = 250, m = 0.5, off = 1e-9;
    enum { N = 1000, MODES = 100 };
    test_model t = {0};
    fb_eig r = {0};
    OK(test_chain(&t, 2 * N, k, m, 0, &e));
    for (int64_t j = 0; j < 2 * N; j++)
        for (int64_t p = t.K.p[j]; p < t.K.p[j + 1]; p++) {
            const int cut = j == N || j == N - 1;
            if (t.K.i[p] == j)
                t.K.x[p] += (j < N ? -off : off) * m - (cut ? k : 0);
            else if (j == N)
                t.K.x[p] = 0;
        }
    OK(fb_eig_sparse(&t.K, &t.M, &(fb_eig_opts){.k = MODES, .engine = "lanczos"}, &r, &e));
    ck_assert_int_eq(r.n, MODES);
    ck_assert_int_eq(r.nnegative, 1);
    ck_assert_double_lt(worst(r.residual, r.n), 1e-9); /* eps, 1e7 times */
    ck_assert_double_lt(r.orthogonality, 1e-9);
    for (int64_t j = 2; j < MODES; j++) /* `off` and its opposite are 2e-7 of the first one */
        ratio(r.lambda[j], 4 * k / m * pow(sin((double)(j / 2) * pi / (2. * N)), 2), 1e-6, "chain");
    fb_eig_free(&r);
    test_model_free(&t);
}
END_TEST

START_TEST(same_bytes_again)
{
    test_model t = {0};
    fb_eig r[2] = {{0}};
    OK(test_solid(&t, (int64_t[]){4, 2, 1}, (double[]){0.4, 0.15, 0.07}, 20, &e));
    for (int k = 0; k < 2; k++)
        OK(fb_eig_sparse(&t.K, &t.M, &(fb_eig_opts){.k = 12, .engine = ENGINE[_i]}, &r[k], &e));
    ck_assert_int_eq(r[0].n, r[1].n);
    ck_assert_mem_eq(r[0].lambda, r[1].lambda, sizeof(double) * (size_t)r[0].n);
    ck_assert_mem_eq(r[0].X.x, r[1].X.x, sizeof(double) * (size_t)(r[0].n * r[0].X.m));
    fb_eig_free(&r[0]);
    fb_eig_free(&r[1]);
    test_model_free(&t);
}
END_TEST

/* Masses that nothing holds: all roots are 0, and their residuals no numbers by zero. */
START_TEST(no_stiffness_at_all)
{
    test_model t = {0};
    fb_eig r = {0};
    OK(test_chain(&t, 30, 250, 0.5, 0, &e));
    for (int64_t q = 0; q < t.K.p[t.K.n]; q++)
        t.K.x[q] = 0;
    OK(fb_eig_sparse(&t.K, &t.M, &(fb_eig_opts){.k = 5, .engine = "dense"}, &r, &e));
    ck_assert_int_eq(r.n, 30); /* the group whole */
    for (int k = 0; k < 30; k++) {
        ck_assert_double_eq(r.lambda[k], 0);
        ck_assert_double_eq(r.residual[k], 0);
    }
    fb_eig_free(&r);
    test_model_free(&t);
}
END_TEST

/* The scale of the roots is nobody's business: a chain whose stiffness is 1e-20 of another's, which
 * a search that compared unit vectors with the size of 1/lambda took for noise. */
START_TEST(tiny_roots)
{
    const double pi = acos(-1);
    const int64_t n = 900;
    test_model t = {0};
    fb_eig r = {0};
    OK(test_chain(&t, n, 1e-20, 1, 1, &e));
    OK(fb_eig_sparse(&t.K, &t.M, &(fb_eig_opts){.k = 12, .engine = ENGINE[_i]}, &r, &e));
    ck_assert_int_eq(r.n, 12);
    for (int k = 0; k < 12; k++) /* held at both ends */
        ratio(r.lambda[k], 4e-20 * pow(sin((k + 1) * pi / (2 * (n + 1))), 2), 1e-9, "root");
    fb_eig_free(&r);
    test_model_free(&t);
}
END_TEST

/* A chain whose stiffness and mass are exchanged: its lowest roots are 1/w2 of the highest, which
 * stand (pi/n)^2 apart. A basis of some hundred vectors takes hundreds of restarts for one. */
START_TEST(no_progress_is_an_end)
{
    test_model t = {0};
    fb_eig r = {0};
    OK(test_chain(&t, 20000, 1, 1, 1, &e));
    const fb_eig_opts o = {.k = 1, .engine = "lanczos"};
    ck_assert_int_eq(fb_eig_sparse(&t.M, &t.K, &o, &r, &e), FB_ESOLVE);
    ck_assert_ptr_nonnull(strstr(e.msg, "does not converge"));
    ck_assert_ptr_nonnull(strstr(e.msg, "exchanged"));
    test_model_free(&t);
}
END_TEST

/* Roots of 1e-200 have squares that no double holds: an end, not a search among random vectors. */
START_TEST(scales_too_far_apart)
{
    test_model t = {0};
    fb_eig r = {0};
    OK(test_chain(&t, 900, 1e-200, 1, 1, &e));
    const fb_eig_opts o = {.k = 12, .engine = "lanczos"};
    ck_assert_int_eq(fb_eig_sparse(&t.K, &t.M, &o, &r, &e), FB_ESOLVE);
    ck_assert_msg(strstr(e.msg, "scales so far apart") != NULL, "%s", e.msg);
    test_model_free(&t);
}
END_TEST

START_TEST(wrong_questions)
{
    test_model t = {0};
    fb_eig r = {0};
    OK(test_chain(&t, 9, 1, 1, 1, &e));
    ck_assert_int_eq(fb_eig_sparse(&t.K, &t.M, &(fb_eig_opts){0}, &r, &e), FB_EUSAGE);
    ck_assert_int_eq(fb_eig_sparse(&t.K, &t.M, &(fb_eig_opts){.k = 2, .engine = "magic"}, &r, &e),
                     FB_EUSAGE);
    ck_assert_int_eq(fb_eig_sparse(&t.K, &t.M, &(fb_eig_opts){.k = 9, .engine = "arpack"}, &r, &e),
                     FB_ESOLVE);
    ck_assert_ptr_nonnull(strstr(e.msg, "dense engine"));
    ck_assert_int_eq(fb_eig_sparse(&t.K, &t.M, &(fb_eig_opts){.k = 9, .engine = "lanczos"}, &r, &e),
                     FB_ESOLVE);
    ck_assert_ptr_nonnull(strstr(e.msg, "dense engine"));
    t.M.x[4] = -1;
    ck_assert_int_eq(fb_eig_sparse(&t.K, &t.M, &(fb_eig_opts){.k = 2}, &r, &e), FB_ESOLVE);
    ck_assert_ptr_nonnull(strstr(e.msg, "semidefinite"));
    memset(t.M.x, 0, sizeof(double) * 9);
    ck_assert_int_eq(fb_eig_sparse(&t.K, &t.M, &(fb_eig_opts){.k = 2}, &r, &e), FB_ESOLVE);
    ck_assert_ptr_nonnull(strstr(e.msg, "no mass"));
    test_model_free(&t);
}
END_TEST

/* The factor fits, the Lanczos vectors beside it do not. */
START_TEST(refuses_what_does_not_fit)
{
    test_model t = {0};
    fb_factor *F = NULL;
    fb_eig r = {0};
    OK(test_chain(&t, 5000, 1e3, 1, 1, &e));
    OK(fb_factor_analyse(&F, &t.K, &t.M, NULL, &e));
    fb_eig_opts o = {.k = 300, .factor = {.memory = 1.5 * fb_factor_forecast(F).gib}};
    fb_factor_free(F);
    ck_assert_int_eq(fb_eig_sparse(&t.K, &t.M, &o, &r, &e), FB_ESYS);
    ck_assert_ptr_nonnull(strstr(e.msg, "ask for fewer modes"));
    test_model_free(&t);
}
END_TEST

START_TEST(every_allocation_fails_once)
{
    test_model t = {0};
    fb_eig r = {0};
    long left = -1;
    body(&t, 0);
    for (long k = 0; left < 0; k++) {
        fb_alloc_fail_after = k;
        fb_status s =
            fb_eig_sparse(&t.K, &t.M, &(fb_eig_opts){.k = 8, .engine = ENGINE[_i]}, &r, &e);
        left = fb_alloc_fail_after;
        fb_alloc_fail_after = -1;
        ck_assert_msg(left < 0 ? s == FB_OK || s == FB_ESYS : s == FB_OK, "%ld: %s", k, e.msg);
        fb_eig_free(&r);
    }
    test_model_free(&t);
}
END_TEST

Suite *suite_eig(void)
{
    Suite *s = suite_create("eig");
    TCase *c = tcase_create("eig"), *slow = tcase_create("eig-slow");
    tcase_set_tags(slow, "slow"); /* minutes under valgrind, which leaves them out */
    tcase_set_timeout(c, 300);
    tcase_set_timeout(slow, 300);
    tcase_add_loop_test(c, chain_in_closed_form, 0, 2 * NENGINE);
    tcase_add_loop_test(c, strip_in_closed_form, 0, NENGINE);
    tcase_add_test(c, many_modes_are_locked);
    tcase_add_test(c, all_modes);
    tcase_add_loop_test(c, massless_dofs, 0, NENGINE);
    tcase_add_loop_test(c, multipliers, 1, NENGINE);
    tcase_add_test(c, no_stiffness_at_all);
    tcase_add_loop_test(c, tiny_roots, 0, DENSE);
    tcase_add_test(c, wrong_questions);
    tcase_add_test(c, refuses_what_does_not_fit);
    tcase_add_loop_test(c, every_allocation_fails_once, 0, NENGINE);
    tcase_add_loop_test(slow, engines_agree, 0, 8);
    tcase_add_loop_test(slow, rigid_modes_are_rigid, 0, 8);
    tcase_add_loop_test(slow, twins_of_a_square, 0, 3 * NENGINE);
    tcase_add_loop_test(slow, two_equal_bodies, 0, DENSE);
    tcase_add_loop_test(slow, a_root_eleven_times, 0, DENSE);
    tcase_add_test(slow, the_count_completes_a_large_group);
    tcase_add_test(slow, a_basis_of_modes_alone);
    tcase_add_loop_test(slow, the_count_brings_missed_modes_back, 0, 8);
    tcase_add_test(slow, a_mode_that_stays_lost_is_an_error);
    tcase_add_loop_test(slow, by_frequency, 0, 24);
    tcase_add_loop_test(slow, units_leave_frequencies, 0, 4);
    tcase_add_loop_test(slow, slender_body, 0, 2);
    tcase_add_test(slow, shift_is_chosen_anew);
    tcase_add_test(slow, shift_keeps_off_rigid_roots);
    tcase_add_test(slow, no_progress_is_an_end);
    tcase_add_test(slow, scales_too_far_apart);
    tcase_add_loop_test(slow, same_bytes_again, 0, NENGINE);
    suite_add_tcase(s, slow);
    suite_add_tcase(s, c);
    return s;
}
