/* SPDX-License-Identifier: GPL-3.0-or-later */
/* test_response.c - frequency responses against closed forms and LAPACK on dense matrices. */
#include "correlate/response.h"
#include "tests/model/model.h"
#include "tests/suites.h"
#include <math.h>
#include <unistd.h>

#define OK(call) ck_assert_msg((call) == FB_OK, "%s", e.msg)

static fb_err e;
static char path[] = "/tmp/flexbody-test-XXXXXX";

static void setup(void)
{
    strcpy(path + sizeof path - 7, "XXXXXX");
    int fd = mkstemp(path);
    ck_assert_int_ge(fd, 0);
    close(fd);
}

static void teardown(void)
{
    unlink(path);
}

static void save(const fb_model *b)
{
    fb_run r = {.out = path, .line = "test"};
    OK(fb_publish(&r, NULL, b, NULL, NULL, &e));
    fb_log_free(&r.log);
}

/* The matrix of n x n entries by rows, upper triangle or, with both, all of it. */
static fb_csc sparse(int64_t n, const double *a, int both)
{
    fb_csc A = {0};
    int64_t i[400], j[400], nnz = 0;
    double x[400];
    ck_assert_int_le(n * n, 400);
    for (int64_t c = 0; c < n; c++)
        for (int64_t r = 0; r < (both ? n : c + 1); r++)
            if (a[r * n + c] != 0) {
                i[nnz] = r;
                j[nnz] = c;
                x[nnz++] = a[r * n + c];
            }
    OK(fb_csc_from_triplets(&A, n, n, nnz, i, j, x, !both, &e));
    return A;
}

/* Dof k is component 3 of node k + 1. */
static fb_model labelled(int64_t n)
{
    fb_model b = {.ndof = n};
    OK(fb_units_system(&b.units, "SI", &e));
    OK(FB_NEW(&b.dof_node, n, &e));
    OK(FB_NEW(&b.dof_component, n, &e));
    OK(FB_NEW(&b.dof_class, n, &e));
    for (int64_t k = 0; k < n; k++) {
        b.dof_node[k] = k + 1;
        b.dof_component[k] = 3;
    }
    return b;
}

static fb_frf responses(fb_frf_ask *a, const char *list, const char *range, int full)
{
    fb_frf f = {0};
    fb_log log = {0};
    OK(fb_frf_paths(a, list, &e));
    OK(fb_frf_frequencies(a, range, &e));
    OK(fb_frf_load(path, full, 1, a, &f, &log, &e));
    fb_log_free(&log);
    return f;
}

static void near(double complex got, double complex want, double share)
{
    ck_assert_msg(cabs(got - want) <= share * cabs(want), "%.12g%+.12gi is not %.12g%+.12gi",
                  creal(got), cimag(got), creal(want), cimag(want));
}

/* Wall - (k1, c1) - m1 - (k2, c2) - m2 with structural damping h k1 of the first spring, a
 * gyroscopic coupling g of unit speed and a circulatory one between both: the 2 x 2 system by
 * Cramer's rule. */
START_TEST(two_masses)
{
    const double m[2] = {2, 0.5}, k[2] = {3e4, 1e4}, c[2] = {5, 2}, s1 = 0.05 * k[0], g = 0.3;
    fb_model b = labelled(2);
    b.K = sparse(2, (double[]){k[0] + k[1], -k[1], -k[1], k[1]}, 0);
    b.M = sparse(2, (double[]){m[0], 0, 0, m[1]}, 0);
    b.D = sparse(2, (double[]){c[0] + c[1], -c[1], -c[1], c[1]}, 0);
    b.S = sparse(2, (double[]){s1, 0, 0, 0}, 0);
    b.gyroscopic = sparse(2, (double[]){0, g, -g, 0}, 1);
    b.N = sparse(2, (double[]){0, -90, 90, 0}, 1);
    save(&b);
    fb_frf_ask a = {.speed = 40};
    fb_frf f = responses(&a, "2.3:1.3,1.3:1.3,1.3:2.3", "0,50,101", 1);
    ck_assert_str_eq(a.path[0].unit, "m/N");
    for (int64_t q = 0; q < a.nf; q++) {
        const double w = 2 * M_PI * a.hz[q];
        const double complex z11 = k[0] + k[1] + I * s1 - w * w * m[0] + I * w * (c[0] + c[1]),
                             z22 = k[1] - w * w * m[1] + I * w * c[1],
                             z12 = -k[1] - 90 - I * w * c[1] + I * w * a.speed * g,
                             z21 = -k[1] + 90 - I * w * c[1] - I * w * a.speed * g,
                             det = z11 * z22 - z12 * z21;
        near(f.H[q], -z21 / det, 1e-12);
        near(f.H[a.nf + q], z22 / det, 1e-12);
        near(f.H[2 * a.nf + q], -z12 / det, 1e-12);
    }
    fb_frf_free(&f);
    fb_frf_ask_free(&a);
    fb_model_free(&b);
}
END_TEST

/* A cantilever of Bernoulli elements with a loss factor: at the tip
 *   H = (sin x cosh x - cos x sinh x) / (E* I b^3 (1 + cos x cosh x)),  x = b L,
 *   b^4 = rho A w^2 / (E* I), E* = E (1 + i h)
 * (Bishop & Johnson, The Mechanics of Vibration, 1960). Elements of length l put w^2 of a mode too
 * high by (b l)^4 / 720, 7e-5 for the second of ten elements; over the loss factor 0.05 that is
 * 1.4e-3 of its amplitude. */
START_TEST(damped_cantilever)
{
    enum { N = 10, DOFS = 2 * N };
    const double L = 0.5, EI = 12, rhoA = 0.9, h = 0.05, l = L / N;
    const double ke[16] = {12,  6 * l,  -12, 6 * l,  6 * l, 4 * l * l, -6 * l, 2 * l * l,
                           -12, -6 * l, 12,  -6 * l, 6 * l, 2 * l * l, -6 * l, 4 * l * l};
    const double me[16] = {156, 22 * l, 54,  -13 * l, 22 * l,  4 * l * l,  13 * l,  -3 * l * l,
                           54,  13 * l, 156, -22 * l, -13 * l, -3 * l * l, -22 * l, 4 * l * l};
    double K[DOFS * DOFS] = {0}, M[DOFS * DOFS] = {0};
    for (int q = 0; q < N; q++)
        for (int r = 0; r < 4; r++)
            for (int c = 0; c < 4; c++) {
                const int i = 2 * q + r - 2, j = 2 * q + c - 2; /* the first node is held */
                if (i < 0 || j < 0)
                    continue;
                K[i * DOFS + j] += EI / (l * l * l) * ke[4 * r + c];
                M[i * DOFS + j] += rhoA * l / 420 * me[4 * r + c];
            }
    fb_model b = labelled(DOFS);
    for (int k = 0; k < DOFS; k++) {
        b.dof_node[k] = k / 2 + 2;
        b.dof_component[k] = k % 2 ? 5 : 3;
    }
    b.K = sparse(DOFS, K, 0);
    b.M = sparse(DOFS, M, 0);
    save(&b);
    fb_frf_ask a = {.loss = h};
    fb_frf f = responses(&a, "11.3:11.3,11.5:11.3", "0.5,60,120", 1);
    ck_assert_str_eq(a.path[1].unit, "rad/N");
    for (int64_t q = 0; q < a.nf; q++) {
        const double w = 2 * M_PI * a.hz[q];
        const double complex E = EI * (1 + I * h), beta = cpow(rhoA * w * w / E, 0.25),
                             x = beta * L;
        near(f.H[q],
             (csin(x) * ccosh(x) - ccos(x) * csinh(x)) /
                 (E * beta * beta * beta * (1 + ccos(x) * ccosh(x))),
             1.4e-3);
    }
    fb_frf_free(&f);
    fb_frf_ask_free(&a);
    fb_model_free(&b);
}
END_TEST

/* All coordinates of a solid kept, z = x but for a factor 2: reduced and full answers are one, and
 * both are LAPACK's of K (1 + i h) - w^2 M. Condition 1e7 at most. */
START_TEST(reduced_equals_full)
{
    test_model t = {0};
    OK(test_solid(&t, (int64_t[]){2, 1, 1}, (double[]){0.3, 0.1, 0.08}, 8, &e));
    const int64_t n = t.K.n;
    fb_model b = labelled(n);
    b.K = t.K;
    b.M = t.M;
    t.K = t.M = (fb_csc){0};
    b.nr = n;
    OK(FB_NEW(&b.Kr, n * n, &e));
    OK(FB_NEW(&b.Mr, n * n, &e));
    OK(FB_NEW(&b.T, n * n, &e));
    for (int64_t j = 0; j < n; j++) {
        b.T[j * n + j] = 2;
        for (int k = 0; k < 2; k++) {
            const fb_csc *A = k ? &b.M : &b.K;
            double *R = k ? b.Mr : b.Kr;
            for (int64_t q = A->p[j]; q < A->p[j + 1]; q++)
                R[A->i[q] * n + j] = R[j * n + A->i[q]] = 4 * A->x[q];
        }
    }
    save(&b);
    fb_frf_ask a = {.loss = 0.01}, again = {.loss = 0.01};
    fb_frf full = responses(&a, "7.3:3.3,9.3:3.3", "100,9000,25", 1),
           reduced = responses(&again, "7.3:3.3,9.3:3.3", "100,9000,25", 0);
    ck_assert_int_eq(full.order, 0);
    ck_assert_int_eq(reduced.order, n);
    double complex *Z = NULL, *x = NULL;
    OK(FB_NEW(&Z, n * n, &e));
    OK(FB_NEW(&x, n, &e));
    for (int64_t q = 0; q < a.nf; q++) {
        const double w = 2 * M_PI * a.hz[q];
        for (int64_t k = 0; k < n * n; k++)
            Z[k] = (b.Kr[k] * (1 + 0.01 * I) - w * w * b.Mr[k]) / 4;
        for (int64_t k = 0; k < n; k++)
            x[k] = k == 2;
        OK(fb_solve_complex(n, (double *)Z, 1, (double *)x, "Z", &e));
        near(full.H[q], x[6], 1e-8);
        near(full.H[a.nf + q], x[8], 1e-8);
        near(reduced.H[q], x[6], 1e-8);
    }
    const fb_frf_match m = fb_frf_compare(&a, &full, &reduced, 1);
    ck_assert_double_eq_tol(m.frac, 1, 1e-12);
    ck_assert_double_lt(fabs(m.error), 1e-7);
    FB_FREE(Z, x);
    fb_frf_free(&full);
    fb_frf_free(&reduced);
    fb_frf_ask_free(&a);
    fb_frf_ask_free(&again);
    fb_model_free(&b);
    test_model_free(&t);
}
END_TEST

/* FRAC of responses in phase is 1 at any scale, of orthogonal ones 0; twice as much is 6.02 dB. */
START_TEST(criteria)
{
    double hz[] = {1, 2};
    fb_path way = {.unit = "m/N"};
    fb_frf_ask a = {.path = &way, .npath = 1, .nf = 2, .hz = hz};
    double complex r[] = {1, 1 * I}, twice[] = {2 * I, -2}, other[] = {1, -1 * I}, none[] = {0, 0},
                   small[] = {1e-200, 1e-200 * I};
    fb_frf R = {.H = r}, T = {.H = twice}, O = {.H = other}, N = {.H = none}, S = {.H = small};
    fb_frf_match m = fb_frf_compare(&a, &R, &T, 0);
    ck_assert_double_eq_tol(m.frac, 1, 1e-15);
    ck_assert_double_eq_tol(m.error, 20 * log10(2), 1e-12);
    ck_assert_double_eq_tol(fb_frf_compare(&a, &R, &O, 0).frac, 0, 1e-15);
    ck_assert_double_eq(fb_frf_compare(&a, &R, &N, 0).frac, 0);
    ck_assert_double_eq_tol(fb_frf_compare(&a, &R, &N, 0).error, -160, 1e-9); /* the floor */
    ck_assert_double_eq(fb_frf_compare(&a, &N, &N, 0).frac, 1);
    ck_assert_double_eq_tol(fb_frf_compare(&a, &S, &R, 0).frac, 1, 1e-15);
}
END_TEST

/* Round-off where symmetry makes zero is no difference; beside another unit it is a response. */
START_TEST(zero_by_symmetry)
{
    double hz[] = {1, 2};
    fb_path way[] = {{.unit = "m/N"}, {.unit = "m/N"}};
    fb_frf_ask a = {.path = way, .npath = 2, .nf = 2, .hz = hz};
    double complex r[] = {1, 1 * I, 1e-13, -1e-13}, m[] = {1, 1 * I, 1e-13 * I, 1e-13 * I};
    double complex large[] = {1, 1 * I, 1e-9, 1e-9};
    fb_frf R = {.H = r}, M = {.H = m}, L = {.H = large};
    fb_frf_match c[] = {fb_frf_compare(&a, &R, &M, 0), fb_frf_compare(&a, &R, &M, 1)};
    fb_frf_set set = {.ask = &a, .reference = R, .model = &M, .nmodel = 1, .match = c};
    ck_assert(!c[0].zero && c[1].zero);
    ck_assert_double_eq_tol(fb_frf_worst(&set, 0).frac, 1, 1e-15);
    ck_assert_double_eq(fb_frf_worst(&set, 0).error, 0);
    ck_assert(!fb_frf_compare(&a, &R, &L, 1).zero); /* what a model has and the reference has not */
    snprintf(way[1].unit, sizeof way[1].unit, "rad/N");
    ck_assert(!fb_frf_compare(&a, &R, &M, 1).zero);
    ck_assert_double_eq_tol(fb_frf_compare(&a, &R, &M, 1).frac, 0, 1e-15);
}
END_TEST

START_TEST(lists_are_strict)
{
    static const char *const bad[] = {
        "1.3",     "1.3:",     ":1.3",        "1.3:2.3x",        "1.3:2.3,,4:5",
        "1.b:c.3", "1.-3:2.3", "1.3:2.3:4.3", "1.3:2.3,1.3:2.3", ""};
    static const char *const off[] = {"",      "1",     "1,2",     "1,2,0",  "2,1,5",      "-1,2,5",
                                      "1,1,2", "1,2,1", "1,2,3,4", "1,2,3x", "1,2,2000000"};
    for (size_t k = 0; k < sizeof bad / sizeof *bad; k++) {
        fb_frf_ask a = {0};
        ck_assert_msg(fb_frf_paths(&a, bad[k], &e) == FB_EUSAGE, "%s", bad[k]);
        fb_frf_ask_free(&a);
    }
    for (size_t k = 0; k < sizeof off / sizeof *off; k++) {
        fb_frf_ask a = {0};
        ck_assert_msg(fb_frf_frequencies(&a, off[k], &e) == FB_EUSAGE, "%s", off[k]);
        fb_frf_ask_free(&a);
    }
    fb_frf_ask a = {0};
    OK(fb_frf_paths(&a, "5:7.1,-3.2:7.1", &e));
    OK(fb_frf_nodes(&a, &(fb_model){0}, &e));
    ck_assert_str_eq(a.path[0].name, "5:7.1");
    ck_assert_int_eq(a.path[1].out_node, -3);
    OK(fb_frf_frequencies(&a, "5,5,1", &e));
    ck_assert_double_eq(a.hz[0], 5);
    fb_frf_ask_free(&a);
}
END_TEST

/* Sets of one node name it, as in the lists of other options. */
START_TEST(nodes_have_names)
{
    static const char names[][FB_NAME] = {"hub", "a.b, c", "ends"};
    static const int64_t offset[] = {0, 1, 2, 4}, node[] = {3, 7, 3, 7};
    const fb_model b = {.nset = 3,
                        .nset1 = 4,
                        .nsetnode = 4,
                        .set_name = (char(*)[FB_NAME])(uintptr_t)names,
                        .set_offset = (int64_t *)(uintptr_t)offset,
                        .set_node = (int64_t *)(uintptr_t)node};
    fb_frf_ask a = {0};
    OK(fb_frf_paths(&a, "HUB.2:\"A.B, c\".3,nset:hub.1:-4.6,5:hub", &e));
    OK(fb_frf_nodes(&a, &b, &e));
    ck_assert_int_eq(a.npath, 3);
    static const int64_t want[3][4] = {{3, 2, 7, 3}, {3, 1, -4, 6}, {5, 0, 3, 0}};
    for (int k = 0; k < 3; k++) {
        const fb_path *p = a.path + k;
        ck_assert(p->out_node == want[k][0] && p->out_component == want[k][1] &&
                  p->in_node == want[k][2] && p->in_component == want[k][3]);
    }
    ck_assert_str_eq(a.path[0].name, "HUB.2:\"A.B, c\".3");
    fb_frf_ask_free(&a);
    static const struct {
        const char *list, *says;
    } bad[] = {{"rim.1:hub.1", "no set 'rim'; it has hub, \"a.b, c\", ends"},
               {"hub.1:ends.1", "the set 'ends' has 2 nodes, one is wanted"}};
    for (int k = 0; k < 2; k++) {
        OK(fb_frf_paths(&a, bad[k].list, &e));
        ck_assert_int_eq(fb_frf_nodes(&a, &b, &e), FB_EUSAGE);
        ck_assert_msg(strstr(e.msg, bad[k].says) != NULL, "%s", e.msg);
        fb_frf_ask_free(&a);
    }
}
END_TEST

START_TEST(every_allocation_fails_once)
{
    fb_model b = labelled(2);
    b.K = sparse(2, (double[]){3, -1, -1, 1}, 0);
    b.M = sparse(2, (double[]){1, 0, 0, 1}, 0);
    save(&b);
    int failed = 0;
    for (long k = 0;; k++) {
        fb_frf_ask a = {.loss = 0.1};
        fb_frf f = {0};
        fb_log log = {0};
        fb_alloc_fail_after = k;
        fb_status s = fb_frf_paths(&a, "1.3:2.3", &e);
        s = s ? s : fb_frf_frequencies(&a, "1,2,1", &e) == FB_EUSAGE ? FB_OK : FB_ESYS;
        s = s ? s : fb_frf_frequencies(&a, "1,2,4", &e);
        s = s ? s : fb_frf_load(path, 1, 1, &a, &f, &log, &e);
        const int done = fb_alloc_fail_after >= 0;
        fb_alloc_fail_after = -1;
        failed += s == FB_ESYS;
        ck_assert_msg(!s || s == FB_ESYS, "allocation %ld: status %d, %s", k, s, e.msg);
        fb_frf_free(&f);
        fb_frf_ask_free(&a);
        fb_log_free(&log);
        if (done && !s)
            break;
        ck_assert_int_lt(k, 2000);
    }
    ck_assert_int_gt(failed, 20);
    fb_model_free(&b);
}
END_TEST

Suite *suite_response(void)
{
    Suite *s = suite_create("response");
    TCase *tc = tcase_create("response");
    tcase_set_timeout(tc, 60);
    tcase_add_checked_fixture(tc, setup, teardown);
    tcase_add_test(tc, two_masses);
    tcase_add_test(tc, damped_cantilever);
    tcase_add_test(tc, reduced_equals_full);
    tcase_add_test(tc, criteria);
    tcase_add_test(tc, zero_by_symmetry);
    tcase_add_test(tc, lists_are_strict);
    tcase_add_test(tc, nodes_have_names);
    tcase_add_test(tc, every_allocation_fails_once);
    suite_add_tcase(s, tc);
    return s;
}
