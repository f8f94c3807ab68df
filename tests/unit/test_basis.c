/* SPDX-License-Identifier: GPL-3.0-or-later */
/* test_basis.c - shapes of a file beside the matrices of a model: rows by label and by order, what
 * lacks, what fits. */
#include "mnfparse/basis.h"
#include "mnfparse/reader.h"
#include "tests/model/full.h"
#include "tests/suites.h"
#include <stdio.h>
#include <unistd.h>

static fb_err e;

#define OK(call) ck_assert_msg((call) == FB_OK, "%s", e.msg)

/* Five dofs, one a node. */
static void chain(fb_model *b)
{
    test_model t = {0};
    OK(test_chain(&t, 5, 100, 1, 1, &e));
    full_body(b, &t);
}

static fb_status matrix_market(const char *text, const char *name, const fb_model *b, fb_basis *t)
{
    char file[] = "b.mtx";
    const fb_input in = {.data = (const unsigned char *)text, .size = strlen(text), .name = file};
    fb_parts p = {0};
    fb_log log = {0};
    snprintf(t->name, sizeof t->name, "b.mtx");
    fb_status s = fb_reader_mm.read(&in, &p, &log, &e);
    if (!s)
        s = fb_basis_of_parts(&p, name, b, t, &e);
    fb_parts_free(&p);
    fb_log_free(&log);
    return s;
}

static const char two[] = "%%MatrixMarket matrix array real general\n"
                          "5 2\n1\n2\n3\n4\n5\n1\n0\n-1\n0\n2\n";

static void joined(const char *text, fb_model *b)
{
    fb_basis t = {0};
    fb_log log = {0};
    OK(matrix_market(text, NULL, b, &t));
    OK(fb_basis_join(&t, b, &log, &e));
    fb_basis_free(&t);
    fb_log_free(&log);
}

static void refused(fb_basis *t, fb_model *b, const char *words)
{
    fb_log log = {0};
    const fb_status s = fb_basis_join(t, b, &log, &e);
    ck_assert_msg(s != FB_OK && strstr(e.msg, words), "%s", s ? e.msg : "taken");
    fb_log_free(&log);
}

START_TEST(rows_in_the_order_of_the_dofs)
{
    static const double want[] = {1, 2, 3, 4, 5, 1, 0, -1, 0, 2};
    fb_model b;
    fb_basis t = {0};
    chain(&b);
    joined(two, &b);
    ck_assert_int_eq(b.nbasis, 2);
    ck_assert_mem_eq(b.basis, want, sizeof want);
    joined(two, &b); /* again in its place */
    ck_assert_int_eq(b.nbasis, 2);
    ck_assert_int_eq(
        matrix_market("%%MatrixMarket matrix array real general\n4 1\n1\n2\n3\n4\n", NULL, &b, &t),
        FB_EFORMAT);
    ck_assert_msg(strstr(e.msg, "4 rows without labels, the model has 5 dofs:") != NULL, "%s",
                  e.msg);
    OK(matrix_market(two, NULL, &b, &t));
    t.m = 4;
    refused(&t, &b, "4 rows without labels, the model has 5 dofs: give shapes in its order");
    fb_basis_free(&t);
    fb_model_free(&b);
}
END_TEST

/* Of six dofs of the input two are left out: rows of all six, by the order of these. */
START_TEST(rows_of_the_input)
{
    static const double want[] = {2, 3, 4, 5, 0};
    fb_model b;
    chain(&b);
    b.na = 6;
    OK(fb_new(&b.all_node, 6, 8, "", &e));
    OK(fb_new(&b.all_component, 6, 8, "", &e));
    memcpy(b.all_node, (int64_t[]){9, 1, 2, 3, 4, 8}, 48);
    memcpy(b.all_component, (int64_t[]){1, 1, 1, 1, 1, 1}, 48);
    fb_basis t = {0};
    OK(matrix_market("%%MatrixMarket matrix array real general\n6 1\n1\n2\n3\n4\n5\n6\n", NULL, &b,
                     &t));
    refused(&t, &b, "say nothing of 1 dofs of the model: 5.1");
    b.dof_class[4] = FB_DOF_MULTIPLIER;
    fb_log log = {0};
    OK(fb_basis_join(&t, &b, &log, &e));
    ck_assert_mem_eq(b.basis, want, sizeof want);
    fb_basis_free(&t);
    fb_log_free(&log);
    fb_model_free(&b);
}
END_TEST

/* Two rows of dof 3.1: the first was taken. */
START_TEST(a_dof_twice)
{
    static const double x[] = {1, 2, 3, 30, 4, 5};
    fb_model b;
    fb_basis t = {.name = "b.h5", .m = 6, .n = 1};
    chain(&b);
    OK(fb_copy(&t.x, x, 6, sizeof *x, "", &e));
    OK(FB_NEW(&t.node, 6, &e));
    OK(FB_NEW(&t.component, 6, &e));
    for (int k = 0; k < 6; k++) {
        t.node[k] = k < 3 ? k + 1 : k;
        t.component[k] = 1;
    }
    refused(&t, &b, "b.h5: row 4 is of dof 3.1 again: which of the shapes is meant?");
    fb_basis_free(&t);
    fb_model_free(&b);
}
END_TEST

/* Adams' kg, mm, s, N: matrices in kg/s^2, so that 1 N is 1000 kg mm/s^2. Shapes have no force. */
START_TEST(loads_are_in_the_unit_of_force)
{
    fb_model b;
    chain(&b);
    ck_assert(fb_units_set(&b.units, FB_LENGTH, "mm"));
    for (int load = 0; load < 2; load++) {
        fb_basis t = {.what = load ? FB_COLUMN_LOAD : FB_COLUMN_BASIS};
        OK(matrix_market(two, NULL, &b, &t));
        ck_assert_double_eq_tol(t.x[4], load ? 5000 : 5, 1e-9);
        fb_basis_free(&t);
    }
    fb_model_free(&b);
}
END_TEST

START_TEST(what_is_no_basis)
{
    fb_model b, none = {0};
    fb_basis t = {0};
    chain(&b);
    ck_assert_int_eq(
        matrix_market("%%MatrixMarket matrix array real symmetric\n2 2\n1\n0\n1\n", NULL, &b, &t),
        FB_EFORMAT);
    ck_assert_msg(strstr(e.msg, "a symmetric matrix is no basis") != NULL, "%s", e.msg);
    ck_assert_int_eq(matrix_market("%%MatrixMarket matrix array complex general\n5 1\n"
                                   "1 1\n1 0\n1 0\n1 0\n1 0\n",
                                   NULL, &b, &t),
                     FB_EFORMAT);
    ck_assert_msg(strstr(e.msg, "a complex matrix is no basis") != NULL, "%s", e.msg);
    ck_assert_int_eq(matrix_market(two, "T", &b, &t), FB_EFORMAT);
    ck_assert_msg(strstr(e.msg, "no matrix of the name T; it holds one without a name (5 by 2)") !=
                      NULL,
                  "%s", e.msg);
    OK(matrix_market(two, NULL, &b, &t));
    refused(&t, &none, "the input has neither");
    t.n = 0;
    refused(&t, &b, "no shapes");
    fb_basis_free(&t);
    fb_model_free(&b);
}
END_TEST

/* Two nodes, three dofs each; the second has axes of its own (columns), and its third direction is
 * along z. */
static const double axes[9] = {0.6, -0.8, 0, 0.8, 0.6, 0, 0, 0, 1};

static void stiffness(fb_csc *K)
{
    int64_t i[21], j[21], n = 0;
    double x[21];
    for (int c = 0; c < 6; c++)
        for (int r = 0; r <= c; r++, n++) {
            i[n] = r;
            j[n] = c;
            x[n] = r == c ? 10 + r : 1.0 / (1 + r + c);
        }
    OK(fb_csc_from_triplets(K, 6, 6, n, i, j, x, 1, &e));
}

static void along_axes(fb_model *b)
{
    fb_parts p = {0};
    fb_log log = {0};
    for (int k = 0; k < 2; k++) {
        fb_matrix *m = NULL;
        const double at[3] = {k, 0, 0};
        OK(fb_parts_matrix(&p, k ? "M" : "K", "a.op4", k ? FB_ROLE_MASS : FB_ROLE_STIFFNESS, &m,
                           &e));
        OK(fb_labels_new(&m->row, 6, 0, &e));
        for (int r = 0; r < 6; r++) {
            m->row.node[r] = 1 + r / 3;
            m->row.component[r] = 1 + r % 3;
        }
        stiffness(&m->A);
        OK(fb_parts_node(&p, k + 1, at, k ? axes : NULL, &e));
    }
    OK(fb_parts_assemble(&p, b, &log, &e));
    fb_parts_free(&p);
    fb_log_free(&log);
}

static double energy(const fb_csc *K, const double *u)
{
    double y[6] = {0}, sum = 0;
    fb_csc_mul(K, u, 6, y, 6, 1);
    for (int k = 0; k < 6; k++)
        sum += u[k] * y[k];
    return sum;
}

/* Shapes along the axes of their nodes have the strain energy of the file's matrix; turned, that of
 * the model's. */
START_TEST(shapes_turn_as_the_matrices_did)
{
    static const double frame[18] = {1, 0, 0, 0, 1, 0, 0, 0, 1, 0.6, -0.8, 0, 0.8, 0.6, 0, 0, 0, 1};
    static const double u[6] = {1, -2, 3, 0.5, 4, -1};
    fb_csc K = {0};
    fb_model b = {0};
    fb_basis t = {.name = "a.op4", .m = 6, .n = 1};
    stiffness(&K);
    along_axes(&b);
    OK(fb_copy(&t.x, u, 6, sizeof *u, "", &e));
    OK(fb_basis_turn(&t, frame, 2, &b, &e));
    ck_assert_double_eq_tol(t.x[3], 0.6 * 0.5 - 0.8 * 4, 1e-15);
    ck_assert_double_eq_tol(energy(&b.K, t.x), energy(&K, u), 1e-12 * energy(&K, u));
    OK(FB_NEW(&t.node, 6, &e)); /* labelled, without the second direction of node 2 */
    OK(FB_NEW(&t.component, 6, &e));
    memcpy(t.node, (int64_t[]){2, 2, 1, 1, 1, 7}, 48);
    memcpy(t.component, (int64_t[]){3, 1, 3, 2, 1, 2}, 48);
    ck_assert_int_eq(fb_basis_turn(&t, frame, 2, &b, &e), FB_EFORMAT);
    ck_assert_msg(strstr(e.msg, "2 of the directions 1 to 3 of node 2") != NULL, "%s", e.msg);
    OK(fb_basis_turn(&t, frame, 1, &b, &e));
    fb_basis_free(&t);
    fb_csc_free(&K);
    fb_model_free(&b);
}
END_TEST

/* NAME#2 is the second matrix of a name, which counts without case. */
START_TEST(matrices_of_one_name)
{
    fb_matrix m = {.name = "Phi"};
    static const struct {
        const char *name;
        int is[3];
    } all[] = {{"PHI", {1, 1, 1}},   {"phi#2", {0, 1, 0}}, {"phi#1", {1, 0, 0}}, {"ph", {0}},
               {"phi#x", {0, 0, 0}}, {"#1", {0}},          {"phi#4", {0}}};
    for (size_t k = 0; k < sizeof all / sizeof *all; k++) {
        int64_t seen = 0;
        for (int q = 0; q < 3; q++)
            ck_assert_msg(fb_matrix_called(&m, all[k].name, &seen) == all[k].is[q], "%s %d",
                          all[k].name, q);
    }
}
END_TEST

/* A stream of a model in millimetres, its dofs in another order: places of rows and their lengths
 * follow. */
START_TEST(shapes_of_a_stream)
{
    char path[] = "/tmp/basis-XXXXXX";
    fb_model b, s;
    fb_units mm;
    fb_stream out = FB_STREAM_NONE;
    fb_input in = {0};
    fb_basis t = {0};
    fb_log log = {0};
    const int fd = mkstemp(path);
    ck_assert_int_ge(fd, 0);
    close(fd);
    chain(&b);
    chain(&s);
    s.nr = 2;
    OK(fb_new(&s.T, 10, 8, "", &e));
    for (int d = 0; d < 5; d++) {
        s.dof_node[d] = 5 - d;
        s.T[d] = 5 - d;
        s.T[5 + d] = d == 0;
    }
    OK(fb_units_system(&mm, "mm-t-s", &e));
    OK(fb_model_convert(&s, &mm, &e));
    OK(fb_stream_create(&out, path, &e));
    OK(fb_model_write(&out, &s, (const char *const[]){"/nodes", "/dofs", "/reduced/T", NULL}, &e));
    OK(fb_stream_commit(&out, &e));
    OK(fb_input_open(&in, path, &e));
    fb_status st;
    long fails;
    EVERY_ALLOCATION_FAILS_ONCE(st, fails, {
        fb_basis_free(&t);
        st = fb_basis_of_stream(&in, &b, &t, &e);
        if (!st)
            st = fb_basis_join(&t, &b, &log, &e);
    });
    ck_assert_int_ge(fails, 10);
    ck_assert_int_eq(b.nbasis, 2);
    for (int d = 0; d < 5; d++) {
        ck_assert_double_eq_tol(b.basis[d], d + 1, 1e-12);
        ck_assert_double_eq_tol(b.basis[5 + d], d == 4, 1e-12);
    }
    fb_input_close(&in);
    remove(path);
    fb_basis_free(&t);
    fb_log_free(&log);
    fb_model_free(&s);
    fb_model_free(&b);
}
END_TEST

Suite *suite_basis(void)
{
    Suite *s = suite_create("basis");
    TCase *t = tcase_create("files");
    tcase_add_test(t, rows_in_the_order_of_the_dofs);
    tcase_add_test(t, rows_of_the_input);
    tcase_add_test(t, loads_are_in_the_unit_of_force);
    tcase_add_test(t, a_dof_twice);
    tcase_add_test(t, what_is_no_basis);
    tcase_add_test(t, shapes_turn_as_the_matrices_did);
    tcase_add_test(t, matrices_of_one_name);
    tcase_add_test(t, shapes_of_a_stream);
    suite_add_tcase(s, t);
    return s;
}
