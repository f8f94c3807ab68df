/* SPDX-License-Identifier: GPL-3.0-or-later */
/* test_adamsmat.c - ADAMSMAT files of full matrices in fixed Fortran fields. */
#include "mnfparse/reader.h"
#include "tests/model/body.h"
#include "tests/suites.h"

static fb_status parse(const char *text, fb_parts *p, fb_err *e)
{
    char name[] = "test.mtx";
    fb_log log = {0};
    size_t n = strlen(text);
    unsigned char *exact = malloc(n ? n : 1); /* a sanitizer sees any over-read */
    memcpy(exact, text, n);
    fb_input in = {.data = exact, .size = n, .name = name};
    *e = (fb_err){0};
    fb_status s = fb_reader_adamsmat.read(&in, p, &log, e);
    fb_log_free(&log);
    free(exact);
    return s;
}

/* As the documented example, whose fields touch. */
static const char example[] = "ADAMSMAT Floating platform example\n"
                              "2\n"
                              "TRF VALK\n"
                              "TRF FULL RORDER 4 2 8 ( 8F8.5 )\n"
                              " 1.36400 0.00000 0.00000 0.00000-3.54600 4.00800 0.00000 0.79900\n"
                              "VALK FULL CORDER 3 3 9 ( 3F6.3 )\n"
                              " 1.970 0.000-3.440\n"
                              " 0.000 4.510 6.020\n"
                              "-3.440 6.020-1.000\n";

static double at(const fb_matrix *m, int64_t i, int64_t j)
{
    ck_assert_int_eq(m->A.i[m->A.p[j] + i], i);
    return m->A.x[m->A.p[j] + i];
}

START_TEST(fields_are_cut_by_width)
{
    fb_parts p = {0};
    fb_err e;
    make_body(&p.body, 3, 6, 1);
    ck_assert_msg(parse(example, &p, &e) == FB_OK, "%s", e.msg);
    ck_assert_int_eq(p.nmatrix, 2);
    const fb_matrix *t = p.matrix, *v = p.matrix + 1;
    ck_assert_str_eq(t->name, "TRF");
    ck_assert_str_eq(t->origin, "test.mtx");
    ck_assert_int_eq(t->role, FB_ROLE_OTHER);
    ck_assert_int_eq(t->A.m, 4);
    ck_assert_int_eq(t->A.n, 2);
    ck_assert_int_eq(fb_csc_check(&t->A, "TRF", &e), FB_OK);
    ck_assert_double_eq(at(t, 0, 0), 1.364); /* by rows: 1.364 0 / 0 0 / -3.546 4.008 / 0 .799 */
    ck_assert_double_eq(at(t, 0, 1), 0);
    ck_assert_double_eq(at(t, 2, 0), -3.546);
    ck_assert_double_eq(at(t, 2, 1), 4.008);
    ck_assert_double_eq(at(t, 3, 1), 0.799);
    ck_assert_double_eq(at(v, 2, 0), -3.44); /* by columns */
    ck_assert_double_eq(at(v, 1, 1), 4.51);
    ck_assert_double_eq(at(v, 2, 2), -1);
    fb_parts_free(&p);
}
END_TEST

START_TEST(formats)
{
    static const struct {
        const char *format, *values;
    } good[] = {
        {"(F4.1)", "-1.5\n 2.5"},
        {"(2F4.1)", "-1.5 2.5"},
        {"(2F4.1)", "-1.5 2.5   \r"},
        {"(2E12.4)", " -1.5000E+00  2.5000E+00"},
        {"(1P2D12.4)", " -1.5000D+00  2.5000D+00"},
        {"( 2 G8.3 )", "-1.5     2.5"},
        {"(2F4.1)", " -15  25"},
        {"(2f3.0)", "-1.2.5"},
    };
    fb_parts p = {0};
    fb_err e;
    char text[200];
    make_body(&p.body, 3, 6, 1);
    snprintf(text, sizeof text, "ADAMSMAT2\n1\nA\nA FULL RORDER 1 2 2 %s\n%s\n", good[_i].format,
             good[_i].values);
    ck_assert_msg(parse(text, &p, &e) == FB_OK, "%s", e.msg);
    ck_assert_double_eq(p.matrix[0].A.x[0], _i == 7 ? -1 : -1.5);
    ck_assert_double_eq(p.matrix[0].A.x[1], 2.5);
    fb_parts_free(&p);
}
END_TEST

/* The widest field that is read, and one that is wider; the most digits, and more. */
START_TEST(widths_of_fields)
{
    static const int width[] = {1000, 1001, 20, 20}, digits[] = {1, 1, 100, 101};
    static char text[2200];
    fb_parts p = {0};
    fb_err e;
    make_body(&p.body, 3, 6, 1);
    snprintf(text, sizeof text, "ADAMSMAT2\n1\nA\nA FULL RORDER 1 2 2 (F%d.%d)\n%*s\n%*s\n",
             width[_i], digits[_i], width[_i], "-1.5", width[_i], "2.5");
    ck_assert_int_eq(parse(text, &p, &e), _i % 2 ? FB_EFORMAT : FB_OK);
    if (_i % 2) {
        ck_assert_ptr_nonnull(strstr(e.msg, "(nGw.d) is wanted"));
    } else {
        ck_assert_double_eq(p.matrix[0].A.x[0], -1.5);
        ck_assert_double_eq(p.matrix[0].A.x[1], 2.5);
    }
    fb_parts_free(&p);
}
END_TEST

static const struct {
    const char *text, *says;
} bad[] = {
    {"ADAMSMATH\n1\nA\n", "line 1: the first word is neither ADAMSMAT nor ADAMSMAT2"},
    {"ADAMSMAT x", "line 2: the number of matrices is missing"},
    {"ADAMSMAT\nmany\n", "line 2: number of matrices is 'many'; a number from 1 to 1 is wanted"},
    {"ADAMSMAT\n99\nA\n", "line 2: number of matrices is '99'; a number from 1 to 2 is wanted"},
    {"ADAMSMAT\n2\nA \n",
     "line 3: 2 matrices are announced, 1 names of at most 79 characters follow"},
    {"ADAMSMAT\n1\nA\n", "line 3: the file ends before matrix A"},
    {"ADAMSMAT\n1\nA\nB FULL RORDER 1 1 1 (F4.1)\n 1.0\n",
     "line 4: matrix 'B', but the list of names has 'A' here"},
    {"ADAMSMAT\n1\nSTL\nSTL SPARSE RORDER 3 3 2 (F4.1)\n",
     "line 4: matrix STL is SPARSE, whose records are not documented: write it FULL"},
    {"ADAMSMAT\n1\nA\nA FULL UPPER 1 1 1 (F4.1)\n 1.0\n",
     "line 4: matrix A: 'FULL UPPER' where FULL and RORDER or CORDER are wanted"},
    {"ADAMSMAT\n1\nA\nA FULL RORDER 0 1 1 (F4.1)\n 1.0\n", "line 4: number of rows is '0'"},
    {"ADAMSMAT\n1\nA\nA FULL RORDER 9 1 1 (F4.1)\n 1.0\n",
     "line 4: number of rows is '9'; a number from 1 to 5 is wanted"},
    {"ADAMSMAT\n1\nA\nA FULL RORDER 2 1 3 (F4.1)\n 1.0\n",
     "line 4: matrix A: 3 values for 2 rows and 1 columns"},
    {"ADAMSMAT\n1\nA\nA FULL RORDER 1 1 1 (I4)\n   1\n",
     "line 4: matrix A: format '(I4)'; (nFw.d)"},
    {"ADAMSMAT\n1\nA\nA FULL RORDER 1 1 1 (1PF4.1)\n 1.0\n", "format '(1PF4.1)'"},
    {"ADAMSMAT\n1\nA\nA FULL RORDER 1 1 1 (F0.1)\n 1.0\n", "format '(F0.1)'"},
    {"ADAMSMAT\n1\nA\nA FULL RORDER 1 1 1 (F4.1,X)\n 1.0\n", "format '(F4.1,X)'"},
    {"ADAMSMAT\n1\nA\nA FULL RORDER 1 1 1\n 1.0\n", "format ''"},
    {"ADAMSMAT\n1\nA\nA FULL RORDER 1 2 2 (2F4.1)\n 1.0\n",
     "line 5: matrix A: '' in a field of 4 characters is not a number"},
    {"ADAMSMAT\n1\nA\nA FULL RORDER 1 2 2 (2F4.1)\n 1.0 nan\n",
     "line 5: matrix A: 'nan' in a field of 4 characters is not a number"},
    {"ADAMSMAT\n1\nA\nA FULL RORDER 1 2 2 (1F4.1)\n 1.0\n",
     "line 5: matrix A ends after 1 of 2 values: cut short?"},
    {"ADAMSMAT\n1\nA\nA FULL RORDER 1 1 1 (1F4.1)\n 1.0 2.0\n",
     "line 5: matrix A: '2.0' behind its last value"},
    {"ADAMSMAT\n1\nA\nA FULL RORDER 1 1 1 (1F4.1)\n 1.0\n\nB\n",
     "line 7: 'B' behind the last matrix"},
};

START_TEST(faults_are_named_by_line)
{
    fb_parts p = {0};
    fb_err e;
    make_body(&p.body, 3, 6, 1);
    ck_assert_int_eq(parse(bad[_i].text, &p, &e), FB_EFORMAT);
    ck_assert_msg(strstr(e.msg, bad[_i].says) != NULL, "%s", e.msg);
    fb_parts_free(&p);
}
END_TEST

START_TEST(such_a_file_alone_is_no_body)
{
    fb_parts p = {0};
    fb_err e;
    ck_assert_int_eq(parse(example, &p, &e), FB_EFORMAT);
    ck_assert_str_eq(
        e.msg,
        "matrices of a body in modal coordinates (TRF, ...), but no nodes, mode shapes or masses: "
        "name the body's .mnf before this file");
    fb_parts_free(&p);
}
END_TEST

START_TEST(every_cut_and_every_allocation)
{
    fb_parts p = {0};
    fb_err e;
    char cut[sizeof example];
    for (size_t n = 0; n < sizeof example - 7; n++) {
        memcpy(cut, example, n);
        cut[n] = 0;
        make_body(&p.body, 3, 6, 1);
        ck_assert_int_eq(parse(cut, &p, &e), FB_EFORMAT);
        fb_parts_free(&p);
    }
    make_body(&p.body, 3, 6, 1);
    long fails = 0, left = -1;
    for (long k = 0; left < 0;
         k++) { /* the last two are the warning's: it is printed all the same */
        fb_alloc_fail_after = k;
        fb_status s = parse(example, &p, &e);
        left = fb_alloc_fail_after;
        fb_alloc_fail_after = -1;
        ck_assert(s == FB_ESYS || (s == FB_OK && fails >= 7));
        fails += s == FB_ESYS;
    }
    fb_parts_free(&p);
}
END_TEST

START_TEST(only_its_own_files_are_recognised)
{
    static const struct {
        const char *text;
        int yes;
    } t[] = {{"ADAMSMAT\n", 1}, {"ADAMSMAT2 x\n", 1}, {"ADAMSMAT x", 1},
             {"ADAMSMAT", 0},   {"ADAMSMAT3\n", 0},   {"adamsmat\n", 0}};
    for (size_t k = 0; k < sizeof t / sizeof *t; k++) {
        fb_input in = {.data = (const unsigned char *)t[k].text, .size = strlen(t[k].text)};
        ck_assert_int_eq(fb_reader_adamsmat.sniff(&in), t[k].yes);
    }
}
END_TEST

Suite *suite_adamsmat(void)
{
    Suite *s = suite_create("adamsmat");
    TCase *t = tcase_create("full");
    tcase_add_test(t, fields_are_cut_by_width);
    tcase_add_loop_test(t, formats, 0, 8);
    tcase_add_loop_test(t, widths_of_fields, 0, 4);
    tcase_add_loop_test(t, faults_are_named_by_line, 0, sizeof bad / sizeof *bad);
    tcase_add_test(t, such_a_file_alone_is_no_body);
    tcase_add_test(t, every_cut_and_every_allocation);
    tcase_add_test(t, only_its_own_files_are_recognised);
    suite_add_tcase(s, t);
    return s;
}
