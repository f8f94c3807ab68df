/* SPDX-License-Identifier: GPL-3.0-or-later */
/* test_component.c - laws of the checks of component modes: a sound body passes all of them, its
 * mass is that of the mesh; each kind of damage is found where it is.
 */
#include "lib/component.h"
#include "reduce/full.h"
#include "tests/model/full.h"
#include "tests/suites.h"
#include <math.h>

#define OK(call) ck_assert_msg((call) == FB_OK, "%s", e.msg)

static fb_err e;

/* A free body by Craig and Bampton: of solids (three nodes, 3 dofs each), or a frame (two nodes of
 * 6). */
static void reduced(fb_model *b, int seed)
{
    char interface[64];
    fb_reduceopt o = {.order = -1, .modes = 5, .interface = interface};
    fb_reduction r = {0};
    fb_log log = {0};
    full_any(b, seed);
    if (b->dof_component[b->ndof - 1] > 3)
        snprintf(interface, sizeof interface, "1,%lld", (long long)b->nn);
    else
        snprintf(interface, sizeof interface, "1:123,2:123,%lld:123", (long long)b->nn);
    OK(fb_method_full(fb_method_find("cb"), b, &o, &r, &log, &e));
    OK(fb_reduction_apply_take(b, &r, &o, "cb", &log, &e));
    fb_reduction_free(&r);
    fb_log_free(&log);
}

static int says_no(const fb_model *b, char *page, size_t size)
{
    fb_buf o = {0};
    int no = -1;
    OK(fb_component_page(b, &o, &no, &e));
    ck_assert_int_lt(o.size, (int64_t)size);
    memcpy(page, o.data, (size_t)o.size);
    page[o.size] = 0;
    fb_buf_free(&o);
    return no;
}

/* R'MR of the three ways is that of the full model: by dofs with places, 1e-9; places by the
 * stiffness 1e-7 of the extent, which is what the solution of Kaa loses. */
START_TEST(sound_bodies_pass)
{
    static char page[20000];
    fb_model b;
    fb_component c = {0};
    fb_mat R = {0}, G = {0};
    reduced(&b, _i);
    ck_assert_msg(says_no(&b, page, sizeof page) == 0, "%s", page);
    OK(fb_component_new(&b, &c, &e));
    ck_assert_int_eq(c.nb + c.nq, b.nr);
    ck_assert_int_eq(c.nq, 5);
    OK(fb_model_rigid(&b, &R, &e));
    OK(fb_csc_congruence(&b.M, &R, &G, &e));
    for (int by = 0; by < FB_NBY; by++)
        for (int a = 0; a < 3; a++) {
            const double m = G.x[7 * a];
            ck_assert_double_eq_tol(c.of[by].mass[a], m, 1e-6 * m);
            const int i = (a + 1) % 3, k = (a + 2) % 3;
            ck_assert_double_eq_tol(c.of[by].center[a],
                                    (G.x[i + 6 * (3 + k)] - G.x[k + 6 * (3 + i)]) / (2 * m),
                                    1e-6 * c.size);
        }
    for (int64_t p = 0; p < 3 * c.nnode; p++)
        ck_assert_double_eq_tol(c.place[p], c.u[3 * c.first[p / 3] + p % 3], 1e-6 * c.size);
    for (int k = 0; k < 6; k++) /* round-off of K beside the first mode */
        ck_assert_double_lt(fabs(c.raw[k]), 1e-3 * c.hz[0]);
    fb_component_free(&c);
    FB_FREE_BY(fb_mat_free, &R, &G);
    fb_model_free(&b);
}
END_TEST

/* With all its fixed-interface modes a body's effective masses are all of R'MR but for what the
 * boundary itself weighs: the sum of shares is what the modal rows of M can be moved by,
 * R'Mbq Mqq^-1 Mqb R, here by another way. */
START_TEST(shares_add_up)
{
    fb_model b;
    fb_component c = {0};
    fb_mat A = {0}, B = {0}, MR = {0}, G = {0};
    reduced(&b, _i);
    OK(fb_component_new(&b, &c, &e));
    OK(fb_mat_product(0, 0, &c.M, c.R + FB_BY_GEOMETRY, &MR, &e));
    OK(fb_congruence(&c.M, c.R + FB_BY_GEOMETRY, &G, &e));
    OK(fb_mat_new(&A, c.nq, c.nq, &e));
    OK(fb_mat_new(&B, c.nq, 6, &e));
    for (int64_t i = 0; i < c.nq; i++) {
        for (int64_t j = 0; j < c.nq; j++)
            A.x[i + j * c.nq] = c.M.x[c.nb + i + (c.nb + j) * c.n];
        for (int a = 0; a < 6; a++)
            B.x[i + a * c.nq] = MR.x[c.nb + i + a * c.n];
    }
    OK(fb_solve_spd(&A, &B, "Mqq", &e));
    for (int a = 0; a < 6; a++) {
        double sum = 0, want = 0;
        for (int64_t k = 0; k < c.nq; k++) {
            sum += c.share[6 * k + a];
            want += MR.x[c.nb + k + a * c.n] * B.x[k + a * c.nq] / G.x[7 * a];
        }
        ck_assert_double_eq_tol(sum, want, 1e-10);
        ck_assert_double_lt(sum, 1 + 1e-10);
    }
    fb_component_free(&c);
    FB_FREE_BY(fb_mat_free, &A, &B, &MR, &G);
    fb_model_free(&b);
}
END_TEST

/* A node that the file puts elsewhere, a spring to the ground, a negative mass: the page says which
 * check failed, and its last line and the count agree. */
START_TEST(damage_is_found)
{
    static char page[20000];
    static const struct {
        const char *line;
        int least;
    } want[] = {{"largest error, of the extent", 1},
                {"largest |K r| over largest |K||r|", 1},
                {"lowest eigenvalue of M", 1}};
    fb_model b;
    reduced(&b, 1);
    const int64_t n = b.nr;
    double top = 0;
    for (int64_t k = 0; k < n; k++)
        top = fmax(top, b.Kr[k * (n + 1)]);
    switch (_i) {
    case 0:
        b.xyz[3 * (b.nn - 1)] += 0.02 * fb_box_diagonal(b.xyz, b.nn);
        break;
    case 1:
        b.Kr[0] += 0.01 * top;
        break;
    default:
        b.Mr[0] = -b.Mr[0];
    }
    const int no = says_no(&b, page, sizeof page);
    ck_assert_msg(no >= want[_i].least && strstr(page, "Some checks say no."), "%s", page);
    const char *at = strstr(page, want[_i].line);
    int found = 0;
    for (; at && !found; at = strstr(at + 1, want[_i].line))
        found = !strncmp(at + strcspn(at, "\n") - 2, "no", 2);
    ck_assert_msg(found, "%s", page);
    fb_model_free(&b);
}
END_TEST

START_TEST(bodies_without_a_boundary_are_refused)
{
    fb_model b, bare = {0};
    fb_component c = {0};
    ck_assert_int_eq(fb_component_new(&bare, &c, &e), FB_EFORMAT);
    ck_assert_ptr_nonnull(strstr(e.msg, "wants a reduced body"));
    reduced(&b, 0);
    for (int64_t k = 0; k < b.nr; k++)
        b.kind[k] = FB_KIND_EIGEN;
    ck_assert_int_eq(fb_component_new(&b, &c, &e), FB_EFORMAT);
    ck_assert_ptr_nonnull(strstr(e.msg, "wants boundary coordinates"));
    for (int64_t k = 0; k < 4; k++)
        b.kind[k] = FB_KIND_BOUNDARY;
    ck_assert_int_eq(fb_component_new(&b, &c, &e), FB_EFORMAT);
    ck_assert_ptr_nonnull(strstr(e.msg, "hold 4 of the six"));
    fb_model_free(&b);
}
END_TEST

START_TEST(every_allocation_fails_once)
{
    fb_model b;
    long fails = 0;
    reduced(&b, 1);
    for (long k = 0, left = -1; left < 0; k++, fails++) {
        fb_buf o = {0};
        int no = 0;
        fb_alloc_fail_after = k;
        const fb_status s = fb_component_page(&b, &o, &no, &e);
        left = fb_alloc_fail_after;
        fb_alloc_fail_after = -1;
        ck_assert_msg(s == (left < 0 ? FB_ESYS : FB_OK), "allocation %ld: %s", k, e.msg);
        fb_buf_free(&o);
    }
    ck_assert_int_gt(fails, 30);
    fb_model_free(&b);
}
END_TEST

Suite *suite_component(void);
Suite *suite_component(void)
{
    Suite *s = suite_create("component");
    TCase *t = tcase_create("laws");
    tcase_add_loop_test(t, sound_bodies_pass, 0, 9);
    tcase_add_loop_test(t, shares_add_up, 0, 6);
    tcase_add_loop_test(t, damage_is_found, 0, 3);
    tcase_add_test(t, bodies_without_a_boundary_are_refused);
    tcase_add_test(t, every_allocation_fails_once);
    suite_add_tcase(s, t);
    return s;
}
