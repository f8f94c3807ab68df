/* SPDX-License-Identifier: GPL-3.0-or-later */
/* test_accurate.c - laws of --accurate-to: the order found is within the tolerance, the one below
 * is not, by frequencies and compliances from all modes of dense matrices; and of attachment
 * vectors that take over what modes had that are cut. */
#include "linalg/modes.h"
#include "reduce/accurate.h"
#include "reduce/modal.h"
#include "tests/model/body.h"
#include "tests/model/full.h"
#include "tests/suites.h"
#include <math.h>

#define OK(call) ck_assert_msg((call) == FB_OK, "%s", e.msg)

static fb_err e;

static fb_reduceopt up_to(double hz, double tolerance, const char *boundary)
{
    return (fb_reduceopt){
        .order = -1, .modes = -1, .accurate_to = hz, .tolerance = tolerance, .interface = boundary};
}

/* All modes of the full model, and e'x of unit loads at dofs: sums over the elastic ones. */
typedef struct {
    fb_eig q;
    int64_t *dof, n;
    double *C;
} truth;

static void truth_of(const fb_model *b, const char *boundary, truth *t)
{
    fb_log log = {0};
    *t = (truth){0};
    OK(fb_eig_sparse(&b->K, &b->M, &(fb_eig_opts){.k = b->ndof, .engine = "dense"}, &t->q, &e));
    OK(fb_dofset(b, "boundary", boundary, &t->dof, &t->n, &log, &e));
    OK(FB_NEW(&t->C, t->n, &e));
    for (int64_t j = 0; j < t->n; j++)
        for (int64_t k = t->q.nrigid; k < t->q.n; k++)
            t->C[j] += pow(t->q.X.x[t->dof[j] + k * b->ndof], 2) / t->q.lambda[k];
    fb_log_free(&log);
}

static void truth_free(truth *t)
{
    fb_eig_free(&t->q);
    FB_FREE(t->dof, t->C);
}

static double error_of(const fb_model *b, const truth *t, const fb_reduction *r, double hz)
{
    const fb_mat K = {r->nr, r->nr, r->K}, M = {r->nr, r->nr, r->M};
    double *mu = calloc((size_t)r->nr, 8), worst = 0;
    fb_mat V = {0}, TV = {0};
    OK(fb_eig_dense(&K, &M, mu, &V, &e));
    OK(fb_mat_product(0, 0, &r->T, &V, &TV, &e));
    for (int64_t k = t->q.nrigid; k < t->q.n && fb_hertz(&b->units, t->q.lambda[k]) <= hz; k++)
        worst = k < r->nr ? fmax(worst, fabs(sqrt(mu[k] / t->q.lambda[k]) - 1)) : INFINITY;
    for (int64_t j = 0; j < t->n; j++) {
        double c = 0;
        for (int64_t k = t->q.nrigid; k < r->nr; k++)
            c += pow(TV.x[t->dof[j] + k * b->ndof], 2) / mu[k];
        worst = fmax(worst, fabs(1 - c / t->C[j]));
    }
    free(mu);
    FB_FREE_BY(fb_mat_free, &V, &TV);
    return worst;
}

static const char *const methods[] = {"cb", "mdm", "imr"};

START_TEST(the_order_below_is_not_enough)
{
    const fb_method *m = fb_method_find(methods[_i % 3]);
    const double tolerance = _i % 2 ? 0.01 : 0.05;
    fb_model b;
    fb_log log = {0};
    fb_reduction r = {0}, less = {0};
    fb_accuracy a = {0};
    truth t;
    full_any(&b, 1 + 3 * (_i % 4)); /* frames, whose roots are single */
    truth_of(&b, "1,2", &t);
    const double hz = 1.0001 * fb_hertz(&b.units, t.q.lambda[t.q.nrigid + 3 + _i % 3]);
    const fb_reduceopt o = up_to(hz, tolerance, "1,2");
    OK(fb_accurate_full(m, &b, &o, &r, &a, &log, &e));
    ck_assert_msg(error_of(&b, &t, &r, hz) <= tolerance * (1 + 1e-6), "%s: %g", m->name,
                  error_of(&b, &t, &r, hz));
    ck_assert_int_eq(a.ncompared, t.q.nrigid + 4 + _i % 3);
    for (int64_t k = 1; k < a.n; k++)
        ck_assert(a.tries[3 * k] != a.tries[3 * k - 3]);
    fb_reduceopt p = {.order = -1, .modes = r.nr - 1 - r.nb, .interface = "1,2"};
    if (p.modes >= 0 && _i % 3 < 2) { /* imr ranks otherwise by another order */
        OK(fb_method_full(m, &b, &p, &less, &log, &e));
        ck_assert_msg(less.nr == r.nr || error_of(&b, &t, &less, hz) > tolerance * (1 - 1e-6),
                      "%s: %lld would do", m->name, (long long)less.nr);
    }
    fb_reduction_free(&r);
    fb_reduction_free(&less);
    fb_accuracy_free(&a);
    truth_free(&t);
    fb_model_free(&b);
    fb_log_free(&log);
}
END_TEST

/* Of a body held by modes, whose own modes are the truth: all of them are exact. */
START_TEST(bodies_held_by_modes)
{
    const fb_method *m = fb_method_find(methods[_i % 3]);
    fb_model b;
    fb_log log = {0};
    fb_reduction r = {0};
    fb_accuracy a = {0};
    fb_mat N = {0};
    make_body(&b, 10, 26, (uint64_t)_i);
    OK(fb_modal_own(&b, &N, &log, &e));
    const double hz = 1.0001 * fb_hertz(&b.units, b.Kr[12 * (b.nm + 1)]);
    fb_reduceopt o = up_to(hz, 0.02, NULL);
    OK(fb_accurate_modal(m, &b, &o, &r, &a, &log, &e));
    const int64_t coarse = r.nr;
    ck_assert_int_eq(a.ncompared, 13);
    for (int k = 6; k < 13; k++)
        ck_assert(fabs(a.compared[2 * k + 1] / a.compared[2 * k] - 1) <= 0.02);
    fb_reduction_free(&r);
    fb_accuracy_free(&a);
    o.tolerance = 1e-7;
    OK(fb_accurate_modal(m, &b, &o, &r, &a, &log, &e));
    ck_assert(r.nr >= coarse && r.nr <= b.nm);
    fb_reduction_free(&r);
    fb_accuracy_free(&a);
    fb_mat_free(&N);
    fb_model_free(&b);
    fb_log_free(&log);
}
END_TEST

/* Loads at interior dofs: their static answers, the boundary held, are exact with attachment
 * vectors, and stay so when modes are cut; K and M of the vectors are diagonal and 1. */
START_TEST(attachments_take_over)
{
    fb_model b;
    fb_log log = {0};
    fb_reduction r = {0};
    fb_reduceopt o = {.order = -1, .modes = 8, .interface = "1,2", .loads = "4:1,5:2"};
    full_any(&b, 1 + 3 * _i);
    OK(fb_method_full(fb_method_find("cb"), &b, &o, &r, &log, &e));
    double was[2] = {0}, is[2] = {0};
    for (int turn = 0; turn < 2; turn++) {
        for (int j = 0; j < 2; j++)
            for (int64_t k = r.nb; k < r.nr; k++) {
                const double p = r.T.x[r.load[j] + k * b.ndof];
                (turn ? is : was)[j] += p * p / r.K[k * (r.nr + 1)];
            }
        o.keep = "2,4-5";
        if (!turn)
            OK(fb_reduction_cut(&b, &o, &r, &log, &e));
    }
    ck_assert_int_eq(r.nr, r.nb + 3 + 2);
    ck_assert_int_eq(r.nn, 3);
    for (int j = 0; j < 2; j++)
        ck_assert_double_eq_tol(is[j], was[j], 1e-9 * was[j]);
    for (int64_t i = r.nb; i < r.nr; i++)
        for (int64_t k = r.nb; k < r.nr; k++) {
            const double *K = r.K, top = sqrt(K[i * (r.nr + 1)] * K[k * (r.nr + 1)]);
            ck_assert_double_eq_tol(r.M[i + k * r.nr], i == k, 1e-9);
            ck_assert(i == k || fabs(K[i + k * r.nr]) <= 1e-9 * top);
        }
    for (int64_t k = 0; k < r.nr; k++)
        ck_assert_int_eq(r.kind[k], k < r.nb       ? FB_KIND_BOUNDARY
                                    : k < r.nb + 3 ? FB_KIND_NORMAL
                                                   : FB_KIND_ATTACHMENT);
    fb_reduction_free(&r);
    fb_model_free(&b);
    fb_log_free(&log);
}
END_TEST

START_TEST(every_allocation_fails_once)
{
    int fails = 0;
    fb_status s = FB_OK;
    fb_model b;
    fb_reduction r = {0};
    fb_accuracy a = {0};
    fb_log log = {0};
    make_body(&b, 8, 20, 1);
    fb_mat N = {0};
    OK(fb_modal_own(&b, &N, &log, &e));
    const fb_reduceopt o = up_to(1.0001 * fb_hertz(&b.units, b.Kr[9 * (b.nm + 1)]), 0.02, NULL);
    EVERY_ALLOCATION_FAILS_ONCE(s, fails, {
        fb_reduction_free(&r);
        fb_accuracy_free(&a);
        s = fb_accurate_modal(fb_method_find("cb"), &b, &o, &r, &a, &log, &e);
    });
    ck_assert_int_gt(fails, 30);
    fb_reduction_free(&r);
    fb_accuracy_free(&a);
    fb_mat_free(&N);
    fb_model_free(&b);
    fb_log_free(&log);
}
END_TEST

Suite *suite_accurate(void)
{
    Suite *s = suite_create("accurate");
    TCase *t = tcase_create("orders");
    tcase_set_timeout(t, 60);
    tcase_add_loop_test(t, the_order_below_is_not_enough, 0, 12);
    tcase_add_loop_test(t, bodies_held_by_modes, 0, 6);
    tcase_add_loop_test(t, attachments_take_over, 0, 3);
    tcase_add_test(t, every_allocation_fails_once);
    suite_add_tcase(s, t);
    return s;
}
