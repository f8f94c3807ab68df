/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Lists of nodes that Ansys prints and writes, and matrices of *EXPORT, MMF that lack held dofs. */
#include "mnfparse/join/assemble.h"
#include "mnfparse/reader.h"
#include "tests/suites.h"
#include <math.h>

static fb_parts p;
static fb_model b;
static fb_log warnings;
static fb_err err;

static void teardown(void)
{
    fb_parts_free(&p);
    fb_model_free(&b);
    fb_log_free(&warnings);
}

/* By the format that the bytes say. */
static fb_status read_text(const char *text, const char *format)
{
    char name[] = "list.txt";
    const fb_input in = {.data = (const unsigned char *)text, .size = strlen(text), .name = name};
    const fb_reader *r;
    fb_status s = fb_reader_find(&in, NULL, &r, &err);
    if (s)
        return s;
    ck_assert_str_eq(r->name, format);
    return r->read(&in, &p, &warnings, &err);
}

static void check_node(int64_t k, int64_t id, double x, double y, double z)
{
    ck_assert_int_eq(p.node_id[k], id);
    ck_assert_double_eq_tol(p.xyz[3 * k], x, 1e-15);
    ck_assert_double_eq_tol(p.xyz[3 * k + 1], y, 1e-15);
    ck_assert_double_eq_tol(p.xyz[3 * k + 2], z, 1e-15);
}

static const char pages[] =
    "\n"
    " LIST ALL SELECTED NODES.   DSYS=      0\n"
    " SORT TABLE ON  NODE  NODE  NODE\n"
    "\n"
    "   NODE        X             Y             Z         THXY    THYZ    THZX\r\n"
    "       1   0.0000        0.0000        0.0000          0.00    0.00    0.00\r\n"
    "       2   1.0000       0.25000E-01   -3.5000         90.00    0.00    0.00\n"
    "\n"
    " ***** ANSYS - ENGINEERING ANALYSIS SYSTEM  RELEASE 20.1 *****\n"
    " 2 beams and a plate\n"
    "\n"
    "   NODE        X             Y             Z         THXY    THYZ    THZX\n"
    "      12   2.0000        0.0000        0.0000          0.00    0.00    0.00\n";

START_TEST(pages_of_nlist)
{
    ck_assert_int_eq(read_text(pages, "ansys_nlist"), FB_OK);
    ck_assert_int_eq(p.nn, 3);
    check_node(0, 1, 0, 0, 0);
    check_node(1, 2, 1, 0.025, -3.5);
    check_node(2, 12, 2, 0, 0);
    ck_assert_double_eq_tol(p.frame[9 + 3], 1, 1e-15); /* its x is the basic y */
    ck_assert_int_eq(warnings.nwarning, 1);
    ck_assert(
        strstr(warnings.warning[0], "the axes of 1 nodes are turned by angles of two decimals"));
}
END_TEST

START_TEST(coordinates_alone)
{
    ck_assert_int_eq(
        read_text(" LIST NODES FROM     70 TO    190 BY      1\n\n"
                  "   NODE        X                   Y                   Z\n"
                  "       70    0.00000000000         0.00000000000         493.146230580\n"
                  "      190    0.00000000000         60.0000000000         493.146230580\n",
                  "ansys_nlist"),
        FB_OK);
    ck_assert_int_eq(p.nn, 2);
    check_node(1, 190, 0, 60, 493.146230580);
    ck_assert_ptr_null(p.frame);
    ck_assert_int_eq(warnings.nwarning, 0);
}
END_TEST

START_TEST(files_of_nwrite)
{
    static const char today[] =
        "        1\n"
        "        2 0.1000000000000E+001\n"
        "       30 0.0000000000000E+000-0.2500000000000E+000 0.0000000000000E+000"
        " 0.3000000000000E+002\n"
        "       31  2.500000000000       1.000000000000      -7.000000000000     \n",
                      old[] = "       1\n"
                              "       2  1.000000000000    -0.2500000000000E-01\n";
    ck_assert_msg(read_text(today, "ansys_nwrite") == FB_OK, "%s", err.msg);
    ck_assert_int_eq(p.nn, 4);
    check_node(0, 1, 0, 0, 0);
    check_node(1, 2, 1, 0, 0);
    check_node(2, 30, 0, -0.25, 0);
    check_node(3, 31, 2.5, 1, -7);
    ck_assert_double_eq_tol(p.frame[9 * 2], cos(M_PI / 6), 1e-15);
    ck_assert_double_eq_tol(p.frame[9 * 2 + 3], 0.5, 1e-15);
    ck_assert_double_eq(p.frame[9 * 3], 1);
    teardown();
    ck_assert_int_eq(read_text(old, "ansys_nwrite"), FB_OK);
    ck_assert_int_eq(p.nn, 2);
    check_node(1, 2, 1, -0.025, 0);
}
END_TEST

/* Tables with blanks between columns are what they were. */
START_TEST(other_tables)
{
    static const char *const text[] = {"1 0.0 0.0 0.0\n2 1.0 0.0 0.0\n",
                                       "NODE X Y Z\n1 0.0 0.0 0.0\n2 1.0 0.0 0.0\n",
                                       "        1 0.5 0.25 0.125\n        2 1.5 0.0 0.0\n",
                                       "        1        2\n        3        1\n"};
    ck_assert_int_eq(read_text(text[_i], "table"), FB_OK);
}
END_TEST

START_TEST(lists_that_are_refused)
{
    static const struct {
        const char *text, *format, *error;
    } t[] = {
        {" LIST ALL SELECTED NODES.   DSYS=      1\n NODE X Y Z\n 1 0 0 0\n", "ansys_nlist",
         "coordinates in system 1"},
        {" LIST ALL SELECTED NODES.   DSYS=      0\n", "ansys_nlist",
         "no nodes below a heading NODE X Y Z"},
        {" LIST ALL SELECTED NODES.\n NODE X Y Z\n 1 0 0\n", "ansys_nlist",
         "line 3 '1 0 0': a node, its coordinates are wanted"},
        {" NODE X Y Z THXY THYZ THZX\n 1 0 0 0 0 0 0\n 2 0 0 0\n", "ansys_nlist",
         "line 3 '2 0 0 0': a node, its coordinates and three angles are wanted"},
        {" LIST ALL SELECTED NODES.\n NODE X Y Z\n 1.5 0 0 0\n", "ansys_nlist",
         "line 3 '1.5 0 0 0'"},
    };
    ck_assert_int_eq(read_text(t[_i].text, t[_i].format), FB_EFORMAT);
    ck_assert_msg(strstr(err.msg, t[_i].error) != NULL, "%s", err.msg);
}
END_TEST

/* The last line of a file of NWRITE is in no columns. */
START_TEST(nwrite_that_is_cut)
{
    char text[400], name[] = "job.node";
    memset(text, 0, sizeof text);
    for (int k = 0; k < 4; k++)
        snprintf(text + strlen(text), sizeof text - strlen(text), "%9d 0.1000000000000E+001\n",
                 k + 1);
    snprintf(text + strlen(text), sizeof text - strlen(text), "        5 0.1000000000000E+");
    const fb_input in = {.data = (unsigned char *)text, .size = strlen(text), .name = name};
    ck_assert_int_eq(fb_reader_ansys_nwrite.read(&in, &p, &warnings, &err), FB_EFORMAT);
    ck_assert_msg(strstr(err.msg, "line 5 '5 0.1000000000000E+'") != NULL, "%s", err.msg);
}
END_TEST

/* ---- *EXPORT, MMF of a model with supports ------------------------------------------------ */

/* Nodes 30 10 20, of which 10.1, 20.2 and all of 30 are held: four of nine rows are left, and their
 * diagonal is 1 .. 4. */
static const char
    vector[] =
        "%%MatrixMarket matrix array integer general \n% Creator: ANSYS Inc\n3 1\n30\n10\n20\n",
    matrix[] =
        "%%MatrixMarket matrix coordinate real symmetric\n4 4 4\n1 1 1\n2 2 2\n3 3 3\n4 4 4\n",
    deck[] =
        "/PREP7\nNBLOCK,3,,3\n(1i9,3e20.9e3)\n       10    0.000000000E+000    1.000000000E+000\n"
        "       20    0.000000000E+000    2.000000000E+000\n       30    1.000000000E+000\n"
        "N,R5.3,LOC,-1,\n";

static fb_status read_held(const char *supports)
{
    char text[800];
    snprintf(text, sizeof text, "%s%s", deck, supports);
    fb_status s = read_text(vector, "ansys_vector");
    s = s ? s : read_text(matrix, "mm");
    return s ? s : read_text(text, "cdb");
}

static fb_status held_model(const char *supports)
{
    fb_status s = read_held(supports);
    if (!s) {
        p.matrix[0].role = FB_ROLE_STIFFNESS;
        s = fb_parts_assemble(&p, &b, &warnings, &err);
    }
    return s;
}

START_TEST(held_dofs_have_no_rows)
{
    static const int64_t node[] = {10, 10, 20, 20}, component[] = {2, 3, 1, 3};
    ck_assert_msg(held_model("D,     30,ALL ,  0.00000000    ,  0.00000000    \n"
                             "D,     10,UX  ,  0.00000000    ,  0.00000000    \n"
                             "D,     20,UY  ,  0.00000000    \nD,20,TEMP,5\nd,all,uz\n") == FB_OK,
                  "%s", err.msg);
    ck_assert_int_eq(b.ndof, 4);
    for (int k = 0; k < 4; k++) {
        ck_assert_int_eq(b.dof_node[k], node[k]);
        ck_assert_int_eq(b.dof_component[k], component[k]);
        ck_assert_double_eq(b.K.x[k], k + 1);
    }
}
END_TEST

START_TEST(rows_that_do_not_fit)
{
    ck_assert_int_eq(held_model("D,30,ALL\nD,10,UX\n"), FB_EFORMAT);
    ck_assert_msg(strstr(err.msg, "has 4 rows, the node vector 3 nodes") != NULL, "%s", err.msg);
    ck_assert_msg(strstr(err.msg, "of which there are 2") != NULL, "%s", err.msg);
}
END_TEST

START_TEST(every_allocation_fails_once)
{
    int fails;
    fb_status s = FB_OK;
    EVERY_ALLOCATION_FAILS_ONCE(s, fails, {
        teardown();
        s = read_held("D,30,ALL\nD,10,UX\nD,20,UY\n");
        s = s ? s : fb_table_fit(&p, p.matrix, &err);
        s = s ? s : read_text(" LIST ALL SELECTED NODES.\nNODE X Y Z\n1 0 0 0\n", "ansys_nlist");
    });
    ck_assert_int_gt(fails, 15);
}
END_TEST

Suite *suite_ansys_lists(void)
{
    Suite *s = suite_create("ansys_lists");
    TCase *t = tcase_create("lists");
    tcase_add_checked_fixture(t, NULL, teardown);
    tcase_add_test(t, pages_of_nlist);
    tcase_add_test(t, coordinates_alone);
    tcase_add_test(t, files_of_nwrite);
    tcase_add_loop_test(t, other_tables, 0, 4);
    tcase_add_loop_test(t, lists_that_are_refused, 0, 5);
    tcase_add_test(t, nwrite_that_is_cut);
    tcase_add_test(t, held_dofs_have_no_rows);
    tcase_add_test(t, rows_that_do_not_fit);
    tcase_add_test(t, every_allocation_fails_once);
    suite_add_tcase(s, t);
    return s;
}
