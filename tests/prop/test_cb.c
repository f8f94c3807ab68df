/* SPDX-License-Identifier: GPL-3.0-or-later */
/* test_cb.c - Craig-Bampton on bodies held by modes: laws on random bodies and on a real export. */
#include "mnfparse/reader.h"
#include "reduce/method.h"
#include "reduce/modal.h"
#include "tests/model/body.h"
#include "tests/suites.h"
#include <math.h>

static fb_reduceopt order(int64_t n)
{
    return (fb_reduceopt){.order = n, .modes = -1};
}

static void reduce(const fb_model *b, fb_reduceopt o, fb_reduction *r)
{
    fb_log log = {0};
    fb_err e = {0};
    ck_assert_msg(fb_method_cb.modal(b, &o, r, &log, &e) == FB_OK, "%s", e.msg);
    fb_log_free(&log);
}

/* sqrt of the eigenvalues of the reduced pair. */
static void spectrum(const fb_reduction *r, double *w)
{
    const fb_mat K = {r->nr, r->nr, r->K}, M = {r->nr, r->nr, r->M};
    fb_mat V = {0};
    fb_err e = {0};
    ck_assert_msg(fb_eig_dense(&K, &M, w, &V, &e) == FB_OK, "%s", e.msg);
    for (int64_t k = 0; k < r->nr; k++)
        w[k] = sqrt(fabs(w[k]));
    fb_mat_free(&V);
}

/* All modes kept: elastic frequencies as they were; tol relative. */
static void exact(const fb_model *b, double tol)
{
    fb_reduction r = {0};
    double *w = malloc(sizeof *w * (size_t)b->nm);
    reduce(b, order(b->nm), &r);
    ck_assert_int_eq(r.nr, b->nm);
    ck_assert_int_eq(r.ndropped, 0);
    spectrum(&r, w);
    for (int64_t k = 6; k < b->nm; k++) {
        double want = sqrt(b->Kr[k * b->nm + k] / b->Mr[k * b->nm + k]);
        ck_assert_msg(fabs(w[k] / want - 1) < tol, "mode %d: %.15g, wanted %.15g", (int)k + 1, w[k],
                      want);
    }
    for (int64_t k = 0; k < 6; k++)
        ck_assert_double_lt(w[k], 1e-4 * w[6]);
    free(w);
    fb_reduction_free(&r);
}

/* V' Kq V computed here, entry by entry: no coupling of boundary and normal coordinates. */
static double coupling(const fb_model *b, const fb_reduction *r)
{
    double top = 0, worst = 0;
    for (int64_t i = 0; i < r->nr; i++)
        for (int64_t j = 0; j < r->nr; j++) {
            double sum = 0;
            for (int64_t k = 0; k < b->nm; k++)
                sum += r->V.x[k + i * b->nm] * b->Kr[k * b->nm + k] * r->V.x[k + j * b->nm];
            top = fmax(top, fabs(sum));
            if ((i < r->nb) != (j < r->nb))
                worst = fmax(worst, fabs(sum));
        }
    return worst / top;
}

START_TEST(full_order_is_a_change_of_basis)
{
    fb_model b;
    make_body(&b, 8, 14 + _i, (uint64_t)_i);
    exact(&b, 1e-9);
    fb_model_free(&b);
}
END_TEST

START_TEST(boundary_coordinates_are_the_boundary)
{
    fb_model b;
    fb_reduction r = {0};
    make_body(&b, 8, 20, (uint64_t)_i);
    reduce(&b, order(15), &r);
    ck_assert_int_eq(r.nb, 12);
    ck_assert_int_eq(r.ndropped, 5);
    ck_assert_double_lt(coupling(&b, &r), 1e-12);
    /* x_b = z_b: unit displacement at its own dof, none elsewhere; normal modes leave the boundary.
     * */
    for (int64_t j = 0; j < r.nr; j++)
        for (int64_t d = 0; d < 12; d++) {
            int64_t row = d < 6 ? d : b.ndof - 12 + d;
            double x = 0;
            for (int64_t k = 0; k < b.nm; k++)
                x += b.shape[row + k * b.ndof] * r.V.x[k + j * b.nm];
            ck_assert_double_eq_tol(x, j == d, 1e-10);
        }
    fb_reduction_free(&r);
    fb_model_free(&b);
}
END_TEST

/* Rayleigh: each reduced frequency is above the body's, and falls as modes are added. */
START_TEST(frequencies_fall_from_above)
{
    fb_model b;
    double last[24], w[24];
    make_body(&b, 8, 24, (uint64_t)_i);
    for (int64_t n = 12; n <= 24; n++) {
        fb_reduction r = {0};
        reduce(&b, order(n), &r);
        spectrum(&r, w);
        for (int64_t k = 6; k < n; k++) {
            ck_assert_double_ge(w[k], sqrt(b.Kr[k * 24 + k]) * (1 - 1e-9));
            if (n > 12 && k < n - 1)
                ck_assert_double_le(w[k], last[k] * (1 + 1e-9));
        }
        memcpy(last, w, sizeof w);
        fb_reduction_free(&r);
    }
    fb_model_free(&b);
}
END_TEST

START_TEST(order_count_and_cut)
{
    fb_model b;
    fb_reduction r = {0}, q = {0};
    fb_log log = {0};
    fb_err e = {0};
    make_body(&b, 8, 20, 5);
    reduce(&b, order(15), &r);
    reduce(&b, (fb_reduceopt){.order = -1, .modes = 3}, &q);
    ck_assert_int_eq(q.nr, 15);
    ck_assert_mem_eq(q.V.x, r.V.x, sizeof(double) * 20 * 15);
    fb_reduction_free(&q);
    double f =
        sqrt(r.K[14 * 15 + 14]) / (2 * M_PI); /* between the third interior mode and the next */
    reduce(&b, (fb_reduceopt){.order = -1, .modes = -1, .fmax = f * 1.0001}, &q);
    ck_assert_int_eq(q.nr, 15);
    fb_reduction_free(&q);
    fb_reduceopt few = order(11), many = order(99);
    ck_assert_int_eq(fb_method_cb.modal(&b, &few, &q, &log, &e), FB_EUSAGE);
    ck_assert_str_eq(e.msg, "order 11 is below the 12 boundary dofs: ask for at least 12, or name "
                            "a smaller --interface");
    ck_assert_int_eq(fb_method_cb.modal(&b, &many, &q, &log, &e), FB_OK);
    ck_assert_int_eq(q.nr, 20);
    ck_assert_int_eq(log.nwarning, 1);
    ck_assert_ptr_nonnull(strstr(log.warning[0], "87 normal modes are asked for, the body has 8"));
    fb_log_free(&log);
    fb_reduction_free(&q);
    fb_reduction_free(&r);
    fb_model_free(&b);
}
END_TEST

START_TEST(dependent_boundary_dofs_are_named)
{
    fb_model b;
    fb_reduction r = {0};
    fb_log log = {0};
    fb_err e = {0};
    make_body(&b, 8, 20, 5);
    for (int64_t k = 0; k < b.nm; k++) /* 31.2 moves as 10.1 does */
        b.shape[b.ndof - 5 + k * b.ndof] = b.shape[k * b.ndof];
    fb_reduceopt o = order(15);
    ck_assert_int_eq(fb_method_cb.modal(&b, &o, &r, &log, &e), FB_ESOLVE);
    ck_assert_msg(strstr(e.msg, "dependent are 31.2;") != NULL, "%s", e.msg);
    o.interface = "10-12";
    o.order = 30;
    ck_assert_int_eq(fb_method_cb.modal(&b, &o, &r, &log, &e), FB_EUSAGE); /* 11..12 do not exist */
    ck_assert_msg(strstr(e.msg, "no node 11") != NULL, "%s", e.msg);
    o.interface = "10,13,16,19";
    ck_assert_int_eq(fb_method_cb.modal(&b, &o, &r, &log, &e), FB_ESOLVE); /* 24 dofs, 20 modes */
    ck_assert_msg(strstr(e.msg, "20 modes of the body cannot move its 24") != NULL, "%s", e.msg);
    fb_model_free(&b);
}
END_TEST

START_TEST(a_loose_interface_is_said)
{
    fb_model b;
    fb_reduction r = {0};
    fb_log log = {0};
    fb_err e = {0};
    make_body(&b, 8, 20, 5);
    fb_reduceopt o = order(20);
    o.interface = "10:123"; /* the body can still turn about node 10 */
    ck_assert_msg(fb_method_cb.modal(&b, &o, &r, &log, &e) == FB_OK, "%s", e.msg);
    ck_assert_int_eq(log.nwarning, 1);
    ck_assert_ptr_nonnull(strstr(log.warning[0], "3 rigid motions"));
    double w[20];
    spectrum(&r, w);
    for (int64_t k = 6; k < 20; k++)
        ck_assert_double_eq_tol(w[k] / sqrt(b.Kr[k * 20 + k]), 1, 1e-8);
    fb_log_free(&log);
    fb_reduction_free(&r);
    fb_model_free(&b);
}
END_TEST

/* The held body's modes do not move the held dofs, span what is left, and keep mass and stiffness.
 * */
START_TEST(held_dofs_stay)
{
    enum { NN = 5, M = 14, H = 7 };
    static const int64_t dof[H] = {0, 1, 2, 3, 4, 5, 15};
    fb_model b, c;
    fb_mat N = {0};
    fb_err e = {0};
    make_body(&b, NN, M, (uint64_t)_i);
    make_body(&c, NN, M, (uint64_t)_i);
    ck_assert_msg(fb_modal_hold(&b, dof, H, &N, &e) == FB_OK, "%s", e.msg);
    ck_assert(b.nm == M - H && N.m == M && N.n == M - H);
    for (int64_t k = 0; k < b.nm; k++) {
        for (int q = 0; q < H; q++)
            ck_assert(b.shape[dof[q] + k * b.ndof] == 0);
        for (int64_t d = 0; d < b.ndof; d++) {
            double x = 0;
            for (int64_t j = 0; j < M; j++)
                x += c.shape[d + j * c.ndof] * N.x[j + k * M];
            ck_assert_double_eq_tol(b.shape[d + k * b.ndof], x, 1e-13);
        }
        for (int64_t l = 0; l < b.nm; l++) {
            double m = 0;
            for (int64_t j = 0; j < M; j++)
                m += N.x[j + k * M] * N.x[j + l * M];
            ck_assert_double_eq_tol(b.Mr[k * b.nm + l], m, 1e-12);
            ck_assert_double_eq_tol(m, k == l, 1e-12);
        }
    }
    ck_assert_int_eq(b.dof_class[5], FB_DOF_FIXED);
    ck_assert_int_eq(b.dof_class[6], FB_DOF_PHYSICAL);
    fb_mat_free(&N);
    ck_assert_int_eq(fb_modal_hold(&b, dof, b.nm, &N, &e), FB_EUSAGE);
    ck_assert_str_eq(e.msg, "--fix holds 7 dofs, the body has only 7 modes");
    ck_assert_int_eq(fb_modal_hold(&c, (int64_t[]){0, 0}, 2, &N, &e), FB_ESOLVE);
    fb_model_free(&b);
    fb_model_free(&c);
}
END_TEST

START_TEST(every_allocation_may_fail)
{
    fb_model b;
    fb_reduction r = {0};
    fb_log log = {0};
    fb_err e = {0};
    fb_status s;
    long fails;
    fb_reduceopt o = order(15);
    make_body(&b, 8, 20, 5);
    EVERY_ALLOCATION_FAILS_ONCE(s, fails, s = fb_method_cb.modal(&b, &o, &r, &log, &e));
    ck_assert_int_ge(fails, 40);
    fb_reduction_free(&r);
    fb_log_free(&log);
    fb_model_free(&b);
}
END_TEST

START_TEST(real_bodies_keep_their_spectrum)
{
    static const char *const files[] = {"mnf/siso_beam.mnf", "mnf/siso_block.mnf"};
    const char *path = shared_file(files[_i]);
    if (!path)
        return;
    fb_input in = {0};
    fb_parts p = {0};
    fb_log log = {0};
    fb_err e = {0};
    fb_reduction r = {0};
    ck_assert_int_eq(fb_input_open(&in, path, &e), FB_OK);
    ck_assert_msg(fb_reader_mnf.read(&in, &p, &log, &e) == FB_OK, "%s", e.msg);
    exact(&p.body, 1e-9);
    reduce(&p.body, order(18), &r);
    ck_assert_double_lt(coupling(&p.body, &r), 1e-12);
    fb_reduction_free(&r);
    fb_parts_free(&p);
    fb_input_close(&in);
}
END_TEST

Suite *suite_cb(void)
{
    Suite *s = suite_create("cb");
    TCase *t = tcase_create("modal");
    tcase_set_timeout(t, 120);
    tcase_add_loop_test(t, full_order_is_a_change_of_basis, 0, 6);
    tcase_add_loop_test(t, boundary_coordinates_are_the_boundary, 0, 6);
    tcase_add_loop_test(t, frequencies_fall_from_above, 0, 4);
    tcase_add_test(t, order_count_and_cut);
    tcase_add_test(t, dependent_boundary_dofs_are_named);
    tcase_add_test(t, a_loose_interface_is_said);
    tcase_add_loop_test(t, held_dofs_stay, 0, 5);
    tcase_add_test(t, every_allocation_may_fail);
    tcase_add_loop_test(t, real_bodies_keep_their_spectrum, 0, 2);
    suite_add_tcase(s, t);
    return s;
}
