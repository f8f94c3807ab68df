/* SPDX-License-Identifier: GPL-3.0-or-later */
/* test_hertz.c - what is said and kept in Hz and rad^2/s^2 is the same in every unit system.
 *
 * A block of solids has translations alone: another system multiplies all of K by one number and
 * all of M by another, so that every step of a reduction is the same but for round-off. The values
 * are those in SI, where the unit of time is the second. */
#include "reduce/method.h"
#include "reduce/verdict.h"
#include "tests/model/full.h"
#include "tests/suites.h"
#include <math.h>

#define OK(call) ck_assert_msg((call) == FB_OK, "%s", e.msg)
enum { MOST = 200 };

static fb_err e;

static const char *const systems[] = {"mm-t-s", "mm-kg-ms", "mm-g-ms",
                                      "cm-g-s", "in-lbf-s", "ft-lbf-s"};
enum { NSYSTEMS = sizeof systems / sizeof *systems };

static const struct {
    const char *method;
    fb_reduceopt o;
} ask[] = {
    {"cb", {.order = -1, .modes = 4, .interface = "1-3", .loads = "5:1,6:2", .check = 1}},
    {"cb", {.order = -1, .modes = -1, .fmax = 900, .interface = "1-3"}},
    {"imr", {.order = -1, .modes = 4, .interface = "1-3"}},
    {"mdm", {.order = -1, .modes = -1, .fmax = 900}},
    {"mdm", {.order = 10, .modes = -1, .loads = "5:1"}},
};
enum { NASK = sizeof ask / sizeof *ask };

typedef struct {
    double said[MOST], kept[MOST];
    int nsaid, nkept;
} values;

/* The number that stands before each unit; what round-off made is another one each time. */
static void collect(void *self, int is_warning, const char *line)
{
    static const char *const unit[] = {" Hz", " rad^2/s^2"};
    values *v = self;
    (void)is_warning;
    if (strstr(line, "round-off"))
        return;
    for (int k = 0; k < 2; k++)
        for (const char *p = strstr(line, unit[k]); p; p = strstr(p + 1, unit[k])) {
            const char *q = p;
            while (q > line && q[-1] != ' ')
                q--;
            ck_assert_int_lt(v->nsaid, MOST);
            v->said[v->nsaid++] = strtod(q, NULL);
        }
}

static void keep(values *v, const double *x, int64_t n, int64_t step)
{
    for (int64_t k = 0; x && k < n; k += step) {
        ck_assert_int_lt(v->nkept, MOST);
        v->kept[v->nkept++] = x[k];
    }
}

static void run(int which, const char *system, values *v)
{
    fb_log log = {.verbose = 1, .sink = collect, .self = v};
    fb_reduceopt o = ask[which].o;
    fb_reduction r = {0};
    fb_units to;
    fb_model b;
    *v = (values){0};
    full_block(&b, 1);
    if (system) {
        OK(fb_units_system(&to, system, &e));
        OK(fb_model_convert(&b, &to, &e));
    }
    OK(fb_method_full(fb_method_find(ask[which].method), &b, &o, &r, &log, &e));
    OK(fb_reduction_apply_take(&b, &r, &o, ask[which].method, &log, &e));
    OK(fb_verdict(&b, &r.check, r.load, r.nload, &log, &e));
    if (o.check)
        OK(fb_verdict_compare(&b, &o, &log, &e));
    keep(v, b.frequency, b.nr, 1);
    keep(v, b.v_check, 2 * b.ncheck, 1);
    keep(v, b.ranking ? b.ranking + 2 : NULL, 3 * b.nranking - 2, 3);
    fb_reduction_free(&r);
    fb_model_free(&b);
    fb_log_free(&log);
}

static void same(const double *a, const double *b, int n, double tol, const char *what)
{
    double top = 0;
    for (int k = 0; k < n; k++)
        top = fmax(top, fabs(a[k]));
    for (int k = 0; k < n; k++)
        ck_assert_msg(fabs(b[k] - a[k]) <= tol * fabs(a[k]) + 1e-9 * top,
                      "%s, value %d: %.9g in SI, %.9g here", what, k, a[k], b[k]);
}

START_TEST(the_same_in_every_system)
{
    const int which = _i % NASK;
    const char *system = systems[_i / NASK];
    values si, here;
    run(which, NULL, &si);
    run(which, system, &here);
    ck_assert_int_ge(si.nsaid, 3);
    ck_assert_int_eq(si.nsaid, here.nsaid);
    ck_assert_int_eq(si.nkept, here.nkept);
    same(si.said, here.said, si.nsaid, 1e-3, system); /* three digits are said at the least */
    same(si.kept, here.kept, si.nkept, 1e-6, system);
}
END_TEST

START_TEST(there_and_back)
{
    fb_units u = {0};
    ck_assert_double_eq(fb_units_time(&u), 1); /* not known */
    OK(fb_units_system(&u, "mm-kg-ms", &e));
    /* w = 2 pi rad/ms is 1000 Hz */
    ck_assert_double_eq_tol(fb_hertz(&u, 4 * M_PI * M_PI), 1000, 1e-9);
    ck_assert_double_eq_tol(fb_hertz(&u, -4 * M_PI * M_PI), -1000, 1e-9);
    ck_assert_double_eq_tol(fb_lambda(&u, 1000), 4 * M_PI * M_PI, 1e-12);
}
END_TEST

Suite *suite_hertz(void)
{
    Suite *s = suite_create("hertz");
    TCase *t = tcase_create("units");
    tcase_set_timeout(t, 120);
    tcase_add_test(t, there_and_back);
    tcase_add_loop_test(t, the_same_in_every_system, 0, NSYSTEMS * NASK);
    suite_add_tcase(s, t);
    return s;
}
