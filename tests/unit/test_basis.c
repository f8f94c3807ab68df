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
    OK(matrix_market("%%MatrixMarket matrix array real general\n4 1\n1\n2\n3\n4\n", NULL, &b, &t));
    refused(&t, &b, "4 rows without labels, the model has 5 dofs:");
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
    ck_assert_msg(strstr(e.msg, "no matrix of the name") != NULL, "%s", e.msg);
    OK(matrix_market(two, NULL, &b, &t));
    refused(&t, &none, "the input has neither");
    t.n = 0;
    refused(&t, &b, "no shapes");
    fb_basis_free(&t);
    fb_model_free(&b);
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
    tcase_add_test(t, what_is_no_basis);
    tcase_add_test(t, shapes_of_a_stream);
    suite_add_tcase(s, t);
    return s;
}
