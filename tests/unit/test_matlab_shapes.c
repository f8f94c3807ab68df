/* SPDX-License-Identifier: GPL-3.0-or-later */
/* test_matlab_shapes.c - mode shapes of a test from the variables of a .mat file (version 4,
 * written here). */
#include "mnfparse/reader.h"
#include "tests/suites.h"
#include <math.h>

static fb_err e;

/* A full variable of little-endian doubles; im NULL: real. */
static void variable(fb_buf *o, const char *name, int64_t m, int64_t n, const double *re,
                     const double *im)
{
    o->little = 1;
    fb_put_i32(o, 0);
    fb_put_i32(o, m);
    fb_put_i32(o, n);
    fb_put_i32(o, im != NULL);
    fb_put_i32(o, (int64_t)strlen(name) + 1);
    fb_put_bytes(o, name, strlen(name) + 1);
    fb_put_f64(o, re, m * n);
    if (im)
        fb_put_f64(o, im, m * n);
}

static fb_status parse(fb_buf *o, fb_model *b, fb_log *log)
{
    char name[] = "test.mat";
    const fb_input in = {.data = o->data, .size = (size_t)o->size, .name = name};
    fb_parts p = {0};
    fb_status s = fb_reader_matlab.sniff(&in) ? FB_OK : fb_fail(&e, FB_EFORMAT, "not known");
    if (!s)
        s = fb_reader_matlab.read(&in, &p, log, &e);
    if (!s)
        s = fb_parts_assemble(&p, b, log, &e);
    fb_parts_free(&p);
    return s;
}

static const double phi[6] = {1, 2, 3, 4, 5, 6}, hz[2] = {10, 20}; /* three rows, two modes */
static const double dofs[6] = {7, 5, 5, 2, 1, 6};                  /* 7.2, 5.1, 5.6 */
static const double nodes[4] = {9, 0.5, 0.25, 0};

START_TEST(rows_by_a_dof_table)
{
    static const double one_column[3] = {7.02, 5.01, 5.06}, square[4] = {1, 0.5, 0.5, 1};
    for (int how = 0; how < 2; how++) {
        fb_buf o = {0};
        fb_model b = {0};
        fb_log log = {0};
        variable(&o, "Phi", 3, 2, phi, how ? phi : NULL);
        variable(&o, how ? "test.freq" : "Freq", 1, 2, hz, NULL);
        variable(&o, how ? "DOF" : "dofs", 3, how ? 1 : 2, how ? one_column : dofs, NULL);
        variable(&o, "mac", 2, 2, square, NULL); /* is no matrix of a model */
        ck_assert_msg(parse(&o, &b, &log) == FB_OK, "%s", e.msg);
        ck_assert_int_eq(b.nn, 2);
        ck_assert_int_eq(b.node_id[0], 5);
        ck_assert_int_eq(b.node_id[1], 7);
        ck_assert_int_eq(b.nm, 2);
        for (int k = 0; k < 2; k++) {
            ck_assert_int_eq(b.mode_number[k], k + 1);
            ck_assert_double_eq(b.eigen[5 * k + 1], hz[k]);
            ck_assert_double_eq(b.shape[12 * k + 6 + 1], phi[3 * k]);
            ck_assert_double_eq(b.shape[12 * k + 0], phi[3 * k + 1]);
            ck_assert_double_eq(b.shape[12 * k + 5], phi[3 * k + 2]);
            ck_assert_double_eq(b.shape[12 * k + 1], 0);
        }
        ck_assert_int_eq(b.shape_imag != NULL, how);
        if (how)
            ck_assert_double_eq(b.shape_imag[12 + 5], 6);
        fb_model_free(&b);
        fb_log_free(&log);
        fb_buf_free(&o);
    }
}
END_TEST

START_TEST(rows_by_the_nodes)
{
    fb_buf o = {0};
    fb_model b = {0};
    fb_log log = {0};
    variable(&o, "nodes", 1, 4, nodes, NULL);
    variable(&o, "modes", 3, 2, phi, NULL);
    variable(&o, "fn", 2, 1, hz, NULL);
    ck_assert_msg(parse(&o, &b, &log) == FB_OK, "%s", e.msg);
    ck_assert_int_eq(b.nn, 1);
    ck_assert_double_eq(b.xyz[1], 0.25);
    for (int c = 0; c < 6; c++)
        ck_assert_double_eq(b.shape[6 + c], c < 3 ? phi[3 + c] : 0);
    ck_assert_int_eq(log.nwarning, 0);
    fb_model_free(&b);
    fb_log_free(&log);
    fb_buf_free(&o);
}
END_TEST

START_TEST(what_is_refused)
{
    static const double twice[6] = {7, 5, 7, 2, 1, 2}, scalar[6] = {7, 5, 5, 2, 0, 6},
                        bad[6] = {1, 2, 3, 4, NAN, 6}, endless[2] = {10, INFINITY};
    static const struct {
        const double *phi, *hz, *dofs;
        int64_t nhz;
        const char *want;
    } t[] = {
        {phi, hz, NULL, 2, "which dof is a row"},
        {phi, hz, dofs, 1, "2 mode shapes, and there are 1 freq"},
        {phi, NULL, dofs, 0, "a vector freq in Hz"},
        {phi, hz, twice, 2, "dof 7.2 has a row already"},
        {phi, hz, scalar, 2, "component 0 of node 5"},
        {bad, hz, dofs, 2, "row 2, column 2: not finite"},
        {phi, endless, dofs, 2, "frequency 2 is not finite"},
    };
    for (size_t k = 0; k < sizeof t / sizeof t[0]; k++) {
        fb_buf o = {0};
        fb_model b = {0};
        fb_log log = {0};
        variable(&o, "phi", 3, 2, t[k].phi, NULL);
        if (t[k].hz)
            variable(&o, "f", 1, t[k].nhz, t[k].hz, NULL);
        if (t[k].dofs)
            variable(&o, "dofs", 3, 2, t[k].dofs, NULL);
        ck_assert_int_eq(parse(&o, &b, &log), FB_EFORMAT);
        ck_assert_msg(strstr(e.msg, t[k].want) != NULL, "%s", e.msg);
        fb_log_free(&log);
        fb_buf_free(&o);
    }
}
END_TEST

/* Beside a stiffness they are left: the model is that of the matrices. */
START_TEST(matrices_come_first)
{
    static const double K[4] = {2, -1, -1, 2};
    fb_buf o = {0};
    fb_model b = {0};
    fb_log log = {0};
    variable(&o, "phi", 2, 2, phi, NULL);
    variable(&o, "f", 1, 2, hz, NULL);
    variable(&o, "K", 2, 2, K, NULL);
    ck_assert_msg(parse(&o, &b, &log) == FB_OK, "%s", e.msg);
    ck_assert_int_eq(b.ndof, 2);
    ck_assert_int_eq(b.nm, 0);
    fb_model_free(&b);
    fb_log_free(&log);
    fb_buf_free(&o);
}
END_TEST

START_TEST(every_allocation_may_fail)
{
    fb_buf o = {0};
    fb_model b = {0};
    fb_log log = {0};
    fb_status s;
    long fails;
    static const double both[8] = {7, 5, 1, 0, 0, 0, 0, 0};
    variable(&o, "nodes", 2, 4, both,
             NULL); /* a warning would lose its text, which is no failure */
    variable(&o, "phi", 3, 2, phi, phi);
    variable(&o, "f", 1, 2, hz, NULL);
    variable(&o, "dofs", 3, 2, dofs, NULL);
    EVERY_ALLOCATION_FAILS_ONCE(s, fails, s = parse(&o, &b, &log));
    ck_assert_int_gt(fails, 15);
    fb_model_free(&b);
    fb_log_free(&log);
    fb_buf_free(&o);
}
END_TEST

/* Shapes and a mass matrix make a body: Mq = Phi'M Phi, Kq = (w_i^2 + w_j^2)/2 Mq, by hand for
 * M = [2 1 0; 1 4 0; 0 0 3] and the columns 1 2 3, 4 5 6. */
START_TEST(shapes_with_a_mass_matrix)
{
    static const double M[9] = {2, 1, 0, 1, 4, 0, 0, 0, 3}, Mq[4] = {49, 115, 115, 280},
                        places[8] = {5, 7, 0, 1},
                        w2[2] = {4 * M_PI * M_PI * 100, 4 * M_PI * M_PI * 400};
    fb_buf o = {0};
    fb_model b = {0};
    fb_log log = {0};
    fb_status s;
    long fails;
    variable(&o, "Phi", 3, 2, phi, NULL);
    variable(&o, "M", 3, 3, M, NULL);
    variable(&o, "freq", 1, 2, hz, NULL);
    variable(&o, "dofs", 3, 2, dofs, NULL);
    variable(&o, "nodes", 2, 4, places, NULL); /* without, there is a warning */
    EVERY_ALLOCATION_FAILS_ONCE(s, fails, s = parse(&o, &b, &log));
    ck_assert_int_ge(fails, 20);
    ck_assert_int_eq(b.nr, 2);
    for (int k = 0; k < 4; k++) {
        ck_assert_double_eq_tol(b.Mr[k], Mq[k], 1e-12);
        ck_assert_double_eq_tol(b.Kr[k], Mq[k] * (w2[k / 2] + w2[k % 2]) / 2, 1e-8);
    }
    ck_assert_ptr_nonnull(b.dof_node);
    fb_model_free(&b);
    fb_log_free(&log);
    fb_buf_free(&o);

    variable(&o, "Phi", 3, 2, phi, NULL);
    variable(&o, "M", 2, 2, M, NULL); /* of other dofs */
    variable(&o, "freq", 1, 2, hz, NULL);
    variable(&o, "dofs", 3, 2, dofs, NULL);
    ck_assert_msg(parse(&o, &b, &log) == FB_OK, "%s", e.msg);
    ck_assert_ptr_null(b.Mr);
    ck_assert_int_eq(log.nwarning, 2); /* and that the nodes have no places */
    fb_model_free(&b);
    fb_log_free(&log);
    fb_buf_free(&o);
}
END_TEST

Suite *suite_matlab_shapes(void)
{
    Suite *s = suite_create("matlab_shapes");
    TCase *t = tcase_create("shapes");
    tcase_add_test(t, rows_by_a_dof_table);
    tcase_add_test(t, rows_by_the_nodes);
    tcase_add_test(t, what_is_refused);
    tcase_add_test(t, matrices_come_first);
    tcase_add_test(t, every_allocation_may_fail);
    tcase_add_test(t, shapes_with_a_mass_matrix);
    suite_add_tcase(s, t);
    return s;
}
