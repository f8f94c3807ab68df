/* SPDX-License-Identifier: GPL-3.0-or-later */
/* test_cut.c - laws of cuts: modes kept and dropped by number, frequency and share, and held dofs
 * of bodies that are reduced already. */
#include "reduce/method.h"
#include "tests/model/body.h"
#include "tests/model/full.h"
#include "tests/model/near.h"
#include "tests/suites.h"
#include <math.h>

#define OK(call) ck_assert_msg((call) == FB_OK, "%s", e.msg)

static fb_err e;
static const fb_reduceopt none = {.order = -1, .modes = -1};

/* A block, frame or shell as Craig-Bampton leaves it, with its ends as boundary. */
static void reduced(int seed, const char *fix, const char *boundary, int64_t modes, fb_model *b,
                    fb_reduction *r)
{
    fb_reduceopt o = none;
    fb_log log = {0};
    int64_t *dof = NULL, n = 0;
    full_any(b, seed);
    if (fix) {
        OK(fb_dofset(b, "--fix", fix, &dof, &n, &log, &e));
        for (int64_t k = 0; k < n; k++)
            b->dof_class[dof[k]] = FB_DOF_FIXED;
        free(dof);
    }
    o.modes = modes;
    o.interface = boundary;
    OK(fb_method_full(fb_method_find("cb"), b, &o, r, &log, &e));
    fb_log_free(&log);
}

static fb_status cut(const fb_model *b, const char *keep, const char *drop, fb_reduction *r)
{
    fb_log log = {0};
    fb_reduceopt o = none;
    o.keep = keep;
    o.drop = drop;
    const fb_status s = fb_reduction_cut(b, &o, r, &log, &e);
    fb_log_free(&log);
    return s;
}

/* Numbers: rows and columns of what was there, the boundary whole; the other option the rest. */
START_TEST(by_number)
{
    static const int64_t left[] = {1, 2, 5, 6, 7};
    fb_model b, c;
    fb_reduction r = {0}, q = {0}, p = {0};
    reduced(_i, NULL, "1,2", 9, &b, &r);
    reduced(_i, NULL, "1,2", 9, &c, &q);
    OK(cut(&b, "1,2,5-7", NULL, &q));
    const int64_t nb = r.nb, n = nb + 5;
    ck_assert(q.nr == n && q.nb == nb && q.nn == 5);
    for (int64_t i = 0; i < n; i++)
        for (int64_t j = 0; j < n; j++) {
            const int64_t a = i < nb ? i : nb + left[i - nb] - 1,
                          z = j < nb ? j : nb + left[j - nb] - 1;
            ck_assert_double_eq(q.K[i * n + j], r.K[a * r.nr + z]);
            ck_assert_double_eq(q.M[i * n + j], r.M[a * r.nr + z]);
        }
    for (int64_t i = 0; i < n; i++)
        ck_assert_mem_eq(q.T.x + i * b.ndof, r.T.x + (i < nb ? i : nb + left[i - nb] - 1) * b.ndof,
                         8 * (size_t)b.ndof);
    fb_model_free(&c);
    reduced(_i, NULL, "1,2", 9, &c, &p);
    char drop[40];
    snprintf(drop, sizeof drop, "3,4,8-%d", (int)p.nn); /* a group may have made them more than 9 */
    OK(cut(&c, NULL, drop, &p));
    ck_assert_int_eq(p.nr, n);
    ck_assert_mem_eq(p.K, q.K, 8 * (size_t)(n * n));
    fb_reduction_free(&r);
    fb_reduction_free(&q);
    fb_reduction_free(&p);
    fb_model_free(&b);
    fb_model_free(&c);
}
END_TEST

/* Up to a frequency is what --fmax makes. */
START_TEST(by_frequency)
{
    fb_model b, c;
    fb_reduction r = {0}, q = {0};
    fb_log log = {0};
    fb_reduceopt o = none;
    char band[60];
    reduced(_i, NULL, "1,2", 9, &b, &r);
    const int64_t k = r.nb + 4;
    const double f = fb_hertz(&b.units, (r.K[k * (r.nr + 1)] + r.K[(k + 1) * (r.nr + 1)]) / 2);
    full_any(&c, _i);
    o.interface = "1,2";
    o.fmax = f;
    OK(fb_method_full(fb_method_find("cb"), &c, &o, &q, &log, &e));
    snprintf(band, sizeof band, "-%.17gHz", f);
    OK(cut(&b, band, NULL, &r));
    ck_assert_int_eq(r.nr, q.nr);
    near_all(r.K, q.K, r.nr * r.nr, 1e-9, "K");
    fb_reduction_free(&r);
    fb_reduction_free(&q);
    fb_model_free(&b);
    fb_model_free(&c);
    fb_log_free(&log);
}
END_TEST

/* The shares computed anew, from T and M by their definition. */
START_TEST(by_share)
{
    fb_model b;
    fb_reduction r = {0}, q = {0};
    fb_mat R = {0}, MR = {0}, L = {0};
    const double least = _i % 2 ? 0.02 : 0.1;
    const int energy = _i / 2 % 2;
    double sum[3] = {0}, total[3];
    char item[40];
    int64_t want = 0;
    reduced(_i, NULL, "1,2", 9, &b, &r);
    OK(fb_model_rigid(&b, &R, &e));
    OK(fb_mat_new(&MR, b.ndof, 6, &e));
    OK(fb_csc_mul_many(&b.M, &R, &MR, &e));
    OK(fb_mat_product(1, 0, &r.T, &MR, &L, &e));
    for (int a = 0; a < 3; a++) {
        total[a] = fb_dot(R.x + a * b.ndof, MR.x + a * b.ndof, b.ndof);
        for (int64_t k = r.nb; k < r.nr; k++)
            sum[a] += !(r.K[k * (r.nr + 1)] > 0)
                          ? 0
                          : L.x[k + a * r.nr] * L.x[k + a * r.nr] / r.K[k * (r.nr + 1)];
    }
    for (int64_t k = r.nb; k < r.nr; k++) {
        double share = energy && !(r.K[k * (r.nr + 1)] > 0); /* rigid: counts as all */
        for (int a = 0; share < 1 && a < 3; a++) {
            const double p = L.x[k + a * r.nr] * L.x[k + a * r.nr];
            share = fmax(share, energy ? p / r.K[k * (r.nr + 1)] / sum[a] : p / total[a]);
        }
        want += share >= least;
    }
    snprintf(item, sizeof item, "%s:%g", energy ? "energy" : "mass", least);
    OK(cut(&b, item, NULL, &r));
    ck_assert_int_eq(r.nn, want);
    ck_assert_int_eq(r.nr, r.nb + want);
    fb_reduction_free(&r);
    fb_reduction_free(&q);
    FB_FREE_BY(fb_mat_free, &R, &MR, &L);
    fb_model_free(&b);
}
END_TEST

/* Boundary 1 and 2 with node 1 held afterwards is the body that is held at node 1 with boundary 2:
 * the same modes, up to their signs. */
START_TEST(held_after_is_held_before)
{
    fb_model b, c;
    fb_reduction r = {0}, q = {0};
    fb_log log = {0};
    int64_t *dof = NULL, n = 0;
    reduced(_i, NULL, "1,2", 8, &b, &r);
    reduced(_i, "1", "2", 8, &c, &q);
    fb_reduceopt o = none;
    o.interface = "1,2";
    OK(fb_reduction_apply_take(&b, &r, &o, "cb", &log, &e));
    fb_reduction_free(&r);
    OK(fb_reduction_of_take(&b, &r, &e));
    OK(fb_dofset(&b, "--fix", "1", &dof, &n, &log, &e));
    OK(fb_reduction_hold(&b, dof, n, &r, &e));
    ck_assert_int_eq(r.nr, q.nr);
    ck_assert_int_eq(r.nb, q.nb);
    near_all(r.K, q.K, r.nr * r.nr, 1e-8, "K");
    for (int64_t k = 0; k < r.nr * r.nr; k++)
        r.M[k] = fabs(r.M[k]);
    for (int64_t k = 0; k < r.nr * r.nr; k++)
        q.M[k] = fabs(q.M[k]);
    if (_i % 3 == 1) /* equal roots of blocks mix their modes */
        near_all(r.M, q.M, r.nr * r.nr, 1e-6, "M");
    for (int64_t k = 0; k < r.nr; k++)
        for (int64_t d = 0; d < n; d++)
            ck_assert(fabs(r.T.x[dof[d] + k * b.ndof]) < 1e-300);
    for (int64_t k = 0; k < r.nb; k++)
        ck_assert_int_eq(r.boundary[k], q.boundary[k]);
    free(dof);
    fb_reduction_free(&r);
    fb_reduction_free(&q);
    fb_model_free(&b);
    fb_model_free(&c);
    fb_log_free(&log);
}
END_TEST

START_TEST(what_cannot_be_held)
{
    fb_model b;
    fb_reduction r = {0};
    fb_log log = {0};
    int64_t *dof = NULL, n = 0;
    reduced(1, NULL, "1", 3, &b, &r);
    OK(fb_dofset(&b, "--fix", "3:2", &dof, &n, &log, &e));
    ck_assert_int_eq(fb_reduction_hold(&b, dof, n, &r, &e), FB_EUSAGE);
    ck_assert_msg(strstr(e.msg, "dof 3.2 is no coordinate of the reduced body"), "%s", e.msg);
    free(dof);
    fb_reduction_free(&r);
    fb_model_free(&b);
    reduced(1, NULL, "1", 0, &b, &r);
    OK(fb_dofset(&b, "--fix", "1", &dof, &n, &log, &e));
    ck_assert_int_eq(fb_reduction_hold(&b, dof, n, &r, &e), FB_EUSAGE);
    ck_assert_msg(strstr(e.msg, "--fix holds all 6 coordinates"), "%s", e.msg);
    free(dof);
    fb_reduction_free(&r);
    ck_assert_int_eq(fb_reduction_of_take(&b, &r, &e), FB_EUSAGE);
    ck_assert_msg(strstr(e.msg, "this one is not"), "%s", e.msg);
    fb_model_free(&b);
}
END_TEST

static const struct {
    const char *list, *says;
} bad[] = {
    {"", "--keep: names no mode"},
    {"x", "--keep: 'x' is not MODE, MODE-MODE, A-BHz"},
    {"0", "'0' is not"},
    {"3-2", "'3-2' is not"},
    {"1,,2", "'' is not"},
    {"9Hz", "'9Hz' is not"},
    {"9-3Hz", "'9-3Hz' is not"},
    {"-Hz", "'-Hz' is not"},
    {"energy:", "'energy:' is not"},
    {"energy:2", "'energy:2' is not"},
    {"mass:-1", "'mass:-1' is not"},
    {"mass:0.1x", "'mass:0.1x' is not"},
    {"99", "'99': the reduced body has 3 normal modes"},
};

START_TEST(lists_that_are_none)
{
    fb_model b;
    fb_reduction r = {0};
    reduced(1, NULL, "1", 3, &b, &r);
    ck_assert_int_eq(cut(&b, bad[_i].list, NULL, &r), FB_EUSAGE);
    ck_assert_msg(strstr(e.msg, bad[_i].says), "%s", e.msg);
    fb_reduction_free(&r);
    fb_model_free(&b);
}
END_TEST

/* How many modes a list asks for where nothing else does. */
START_TEST(as_far_as_it_reaches)
{
    static const struct {
        const char *list;
        int64_t modes;
        double fmax;
    } row[] = {
        {"4", 4, 0},         {"7,1-3", 7, 0},  {"-500Hz", -1, 500}, {"20-90Hz,5-10Hz", -1, 90},
        {"mass:0.1", -2, 0}, {"20-Hz", -2, 0}, {"3,-9Hz", -2, 0}};
    for (size_t k = 0; k < sizeof row / sizeof *row; k++) {
        fb_reduceopt o = none;
        o.keep = row[k].list;
        const fb_status s = fb_cut_reach(&o, &e);
        ck_assert_int_eq(s, row[k].modes == -2 ? FB_EUSAGE : FB_OK);
        ck_assert(s || (o.modes == row[k].modes && o.fmax == row[k].fmax && o.reach));
    }
}
END_TEST

/* Of nodal masses, as a body held by modes has them, and of one without. */
START_TEST(shares_of_a_body_held_by_modes)
{
    fb_model b;
    fb_reduction r = {0};
    fb_log log = {0};
    const fb_reduceopt o = {.order = 18, .modes = -1};
    make_body(&b, 8, 20, 1);
    OK(fb_method_modal(fb_method_find("cb"), &b, &o, &r, &log, &e));
    OK(cut(&b, "mass:1e-9", NULL, &r));
    ck_assert_int_gt(r.nn, 0);
    FB_FREE(b.node_mass);
    ck_assert_int_eq(cut(&b, "mass:1e-9", NULL, &r), FB_EUSAGE);
    ck_assert_msg(strstr(e.msg, "the body has none"), "%s", e.msg);
    fb_reduction_free(&r);
    fb_model_free(&b);
    fb_log_free(&log);
}
END_TEST

START_TEST(every_allocation_fails_once)
{
    int fails = 0;
    fb_status s = FB_OK;
    fb_model b = {0};
    fb_reduction r = {0};
    EVERY_ALLOCATION_FAILS_ONCE(s, fails, {
        const long left = fb_alloc_fail_after;
        fb_alloc_fail_after = -1;
        fb_reduction_free(&r);
        fb_model_free(&b);
        reduced(1, NULL, "1,2", 4, &b, &r);
        fb_alloc_fail_after = left;
        s = cut(&b, "mass:0.01", NULL, &r);
        if (!s)
            s = fb_reduction_hold(&b, (int64_t[]){0}, 1, &r, &e);
    });
    ck_assert_int_gt(fails, 8);
    fb_reduction_free(&r);
    fb_model_free(&b);
}
END_TEST

Suite *suite_cut(void)
{
    Suite *s = suite_create("cut");
    TCase *t = tcase_create("cuts");
    tcase_set_timeout(t, 60);
    tcase_add_loop_test(t, by_number, 0, 6);
    tcase_add_loop_test(t, by_frequency, 0, 6);
    tcase_add_loop_test(t, by_share, 0, 8);
    tcase_add_loop_test(t, held_after_is_held_before, 0, 6);
    tcase_add_test(t, what_cannot_be_held);
    tcase_add_loop_test(t, lists_that_are_none, 0, (int)(sizeof bad / sizeof *bad));
    tcase_add_test(t, as_far_as_it_reaches);
    tcase_add_test(t, shares_of_a_body_held_by_modes);
    tcase_add_test(t, every_allocation_fails_once);
    suite_add_tcase(s, t);
    return s;
}
