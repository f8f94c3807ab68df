/* SPDX-License-Identifier: GPL-3.0-or-later */
/* test_mbdyn.c - the .fem file of MBDyn: written, read by a parser of its own, read back, cut,
 * damaged; both published files. */
#include "export/writer.h"
#include "invariants/inertia.h"
#include "mnfparse/reader.h"
#include "tests/model/generic.h"
#include "tests/model/reduced.h"
#include "tests/suites.h"
#include <math.h>

static fb_status parse(const void *data, size_t n, fb_model *b, fb_log *log, fb_err *e)
{
    char name[] = "test.fem";
    fb_input in = {.data = data, .size = n, .name = name};
    fb_parts p = {0};
    fb_status s = fb_reader_mbdyn.read(&in, &p, log, e);
    if (!s) {
        *b = p.body;
        p.body = (fb_model){0};
    }
    fb_parts_free(&p);
    return s;
}

static fb_status write(const fb_model *b, const char *dialect, fb_buf *o, fb_err *e)
{
    fb_log log = {0};
    const fb_export ask = {.dialect = dialect};
    fb_status s = fb_writer_mbdyn.write(b, &ask, o, &log, e);
    fb_log_free(&log);
    return s;
}

/* The numbers of record n, as a reader that knows nothing but lines would find them. */
static int64_t record(const fb_buf *o, int n, double *x, int64_t cap)
{
    char head[40], *text = strndup((const char *)o->data, (size_t)o->size);
    int64_t k = 0;
    snprintf(head, sizeof head, "** RECORD GROUP %d,", n);
    char *p = strstr(text, head);
    ck_assert_msg(p != NULL, "record %d is missing", n);
    for (p = strchr(p, '\n') + 1; *p; p = strchr(p, '\n') + 1) {
        if (!strncmp(p, "** RECORD", 9) || !strncmp(p, "** END", 6))
            break;
        if (!strncmp(p, "**", 2))
            continue;
        for (char *end = p; *p != '\n'; p = end) {
            double v = strtod(p, &end);
            if (end == p)
                break;
            ck_assert_int_lt(k, cap);
            x[k++] = v;
        }
    }
    free(text);
    return k;
}

START_TEST(both_dialects_hold_the_body)
{
    enum { NN = GENERIC_NODES, NC = GENERIC_CONNECTORS, M = GENERIC_ORDER };
    static const int64_t connector[NC] = {4, 1, 6},
                         all[NN] = {0, 1, 2, 3, 4, 5, 6, 7}; /* places of 1310, 12, 6 */
    fb_model b;
    fb_err e = {0};
    static double x[9 * 6 * M * M * 10];
    make_generic(&b, _i % 2 ? "mm-t-s" : "SI", (uint64_t)_i);
    generic_invariants(&b, b.I);
    for (int d = 0; d < 2; d++) {
        fb_buf o = {0};
        const int64_t nodes = d ? NC : NN, *at = d ? connector : all;
        ck_assert_msg(write(&b, d ? "develop" : "1.7", &o, &e) == FB_OK, "%s", e.msg);
        ck_assert_int_eq(record(&o, 2, x, 100), nodes);
        for (int64_t p = 0; p < nodes; p++)
            ck_assert_int_eq((int64_t)x[p], b.node_id[at[p]]);
        for (int a = 0; a < 3; a++) {
            ck_assert_int_eq(record(&o, 5 + a, x, 100), nodes);
            for (int64_t p = 0; p < nodes; p++)
                ck_assert(x[p] == b.xyz[3 * at[p] + a]);
        }
        ck_assert_int_eq(record(&o, 8, x, 100000), nodes * 6 * M);
        for (int64_t k = 0; k < M; k++)
            for (int64_t p = 0; p < nodes; p++)
                for (int c = 0; c < 6; c++)
                    ck_assert(x[(k * nodes + p) * 6 + c] == b.T[k * b.ndof + 6 * at[p] + c]);
        ck_assert_int_eq(record(&o, 9, x, 100), M * M);
        ck_assert_mem_eq(x, b.Mr, 8 * M * M);
        ck_assert_int_eq(record(&o, 10, x, 100), M * M);
        ck_assert_mem_eq(x, b.Kr, 8 * M * M);
        ck_assert_int_eq(record(&o, 13, x, 100), M * M);
        ck_assert_mem_eq(x, b.Dr, 8 * M * M);
        if (!d) { /* lumps; their inertias have products: 12 comes along */
            ck_assert_int_eq(record(&o, 11, x, 100), 6 * NN);
            for (int p = 0; p < NN; p++)
                for (int c = 0; c < 6; c++)
                    ck_assert(x[6 * p + c] ==
                              (c < 3 ? b.node_mass[p] : b.node_inertia[9 * p + 4 * (c - 3)]));
            ck_assert_int_eq(record(&o, 12, x, 20), 13);
            ck_assert(x[0] == b.I[1][0]);
        }
        fb_buf_free(&o);
    }
    fb_model_free(&b);
}
END_TEST

/* Direct sums over the nodes for the records of the develop dialect. */
START_TEST(coupling_records_are_the_integrals)
{
    enum { NN = GENERIC_NODES, M = GENERIC_ORDER };
    fb_model b;
    fb_buf o = {0};
    fb_err e = {0};
    static double r14[100], r15[100], r16[200], r17[200], r18[1000];
    make_generic(&b, "SI", 3);
    generic_invariants(&b, b.I);
    ck_assert_msg(write(&b, "develop", &o, &e) == FB_OK, "%s", e.msg);
    ck_assert_int_eq(record(&o, 14, r14, 100), 3 * M);
    ck_assert_int_eq(record(&o, 15, r15, 100), 3 * M);
    ck_assert_int_eq(record(&o, 16, r16, 200), 9 * M);
    ck_assert_int_eq(record(&o, 17, r17, 200), 3 * M * M);
    ck_assert_int_eq(record(&o, 18, r18, 1000), 9 * M * M);
    for (int j = 0; j < M; j++)
        for (int k = 0; k < M; k++) {
            double s14[3] = {0}, s17[3] = {0}, s16[3][3] = {{0}}, s18[3][3] = {{0}};
            for (int p = 0; p < NN; p++) {
                const double m = b.node_mass[p], *u = b.xyz + 3 * p, *f = b.T + j * b.ndof + 6 * p,
                             *g = b.T + k * b.ndof + 6 * p;
                double dot = u[0] * f[0] + u[1] * f[1] + u[2] * f[2],
                       fg = f[0] * g[0] + f[1] * g[1] + f[2] * g[2];
                for (int a = 0; a < 3; a++) {
                    int q = (a + 1) % 3, r = (a + 2) % 3;
                    s14[a] += m * f[a];
                    s17[a] += m * (f[q] * g[r] - f[r] * g[q]);
                    for (int c = 0; c < 3; c++) { /* u~ f~ = f u' - (u.f) 1;  u~ f~' = -that */
                        s16[a][c] -= m * (f[a] * u[c] - (a == c) * dot);
                        s18[a][c] += m * (g[a] * f[c] - (a == c) * fg);
                    }
                }
            }
            for (int a = 0; a < 3; a++) {
                ck_assert_double_eq_tol(r14[a * M + j], s14[a], 1e-13);
                ck_assert_double_eq_tol(r17[(a * M + j) * M + k], s17[a], 1e-13);
                for (int c = 0; c < 3; c++) {
                    ck_assert_double_eq_tol(r16[(a * M + j) * 3 + c], s16[a][c], 1e-13);
                    ck_assert_double_eq_tol(r18[((a * M + j) * M + k) * 3 + c], s18[a][c], 1e-13);
                }
            }
        }
    fb_buf_free(&o);
    fb_model_free(&b);
}
END_TEST

/* Write, read, write: the same bytes; and the whole set of invariants comes back. */
START_TEST(what_was_read_is_written_again)
{
    fb_model b;
    fb_err e = {0};
    fb_log log = {0};
    make_held(&b, 7, 4, 11);
    for (int d = 0; d < 2; d++) {
        const char *dialect = d ? "develop" : "1.7";
        fb_buf o = {0}, again = {0};
        fb_model c = {0};
        ck_assert_msg(write(&b, dialect, &o, &e) == FB_OK, "%s", e.msg);
        ck_assert_msg(parse(o.data, (size_t)o.size, &c, &log, &e) == FB_OK, "%s", e.msg);
        ck_assert_int_eq(fb_model_check(&c, &e), FB_OK);
        if (d)
            for (int k = 1; k <= 11; k++) {
                static const int64_t n[12] = {0, 1, 3, 12, 12, 48, 16, 9, 36, 144, 36, 144};
                for (int64_t q = 0; q < n[k]; q++)
                    ck_assert_msg(fabs(c.I[k][q] - b.I[k][q]) < 1e-13 + (k == 6 ? 1e-10 : 0),
                                  "I%d[%d]: %g, %g", k, (int)q, c.I[k][q], b.I[k][q]);
            }
        else
            ck_assert_msg(fb_invariants_nodal(&c, c.shape, &e) == FB_OK, "%s", e.msg);
        ck_assert_msg(write(&c, dialect, &again, &e) == FB_OK, "%s", e.msg);
        if (!d) {
            ck_assert_int_eq(again.size, o.size);
            ck_assert_mem_eq(again.data, o.data, (size_t)o.size);
        }
        fb_buf_free(&o);
        fb_buf_free(&again);
        fb_model_free(&c);
    }
    ck_assert_int_eq(log.nwarning, 0);
    fb_log_free(&log);
    fb_model_free(&b);
}
END_TEST

static void refused(const fb_model *b, const char *dialect, const char *part)
{
    fb_buf o = {0};
    fb_err e = {0};
    ck_assert_int_eq(write(b, dialect, &o, &e), FB_EFORMAT);
    ck_assert_msg(strstr(e.msg, part) != NULL, "'%s' lacks '%s'", e.msg, part);
    fb_buf_free(&o);
}

START_TEST(bodies_that_break_the_assumptions_are_refused)
{
    fb_model b;
    make_body(&b, 6, 8, 1);
    refused(&b, "1.7", "the body has 6: fix the node of the reference frame by reduce --fix NODE");
    fb_model_free(&b);
    make_held(&b, 6, 3, 1);
    double *I11 = b.I[11];
    b.I[11] = NULL;
    refused(&b, "develop", "I11 is missing: run the body through invariants first");
    b.I[11] = I11;
    free(b.node_mass);
    b.node_mass = NULL;
    refused(&b, "1.7", "the body has none: use --dialect develop");
    free(b.T);
    b.T = NULL;
    refused(&b, "1.7", "shapes (/reduced/T with /dofs)");
    fb_model_free(&b);
}
END_TEST

/* Off-diagonals of a nodal inertia do not fit into record 11: 12 comes with it. */
START_TEST(oblique_inertia_brings_record_12)
{
    fb_model b;
    fb_buf o = {0};
    fb_err e = {0};
    double x[20];
    make_held(&b, 5, 2, 4);
    b.node_inertia[1] = b.node_inertia[3] = 0.001;
    ck_assert_int_eq(write(&b, "1.7", &o, &e), FB_OK);
    ck_assert_int_eq(record(&o, 12, x, 20), 13);
    ck_assert(x[0] == b.I[1][0]);
    fb_buf_free(&o);
    fb_model_free(&b);
}
END_TEST

static const char tiny[] =
    "** RECORD GROUP 1, HEADER\n** x\nREV0 1 1 0 0 0\n** RECORD GROUP 2, N\n7\n"
    "** RECORD GROUP 5, X\n1\n** RECORD GROUP 6, Y\n2\n** RECORD GROUP 7, Z\n3\n"
    "** RECORD GROUP 8, SHAPES\n** 1\n1 2 3 4 5 6\n** RECORD GROUP 9, M\n2\n"
    "** RECORD GROUP 10, K\n8\n";

START_TEST(tiny_body)
{
    fb_model b = {0};
    fb_err e = {0};
    fb_log log = {0};
    ck_assert_msg(parse(tiny, sizeof tiny - 1, &b, &log, &e) == FB_OK, "%s", e.msg);
    ck_assert_int_eq(b.node_id[0], 7);
    ck_assert(b.xyz[1] == 2 && b.shape[5] == 6 && b.Kr[0] == 8 && b.Mr[0] == 2);
    ck_assert_double_eq_tol(b.frequency[0], 2 / (2 * M_PI), 1e-15);
    fb_model_free(&b);
    fb_log_free(&log);
}
END_TEST

/* What of the tiny file is replaced by what, and the message that follows. */
static const struct {
    const char *from, *to, *says;
} damage[] = {
    {"REV0 1 1", "REV0 0 1", "at least one of each is wanted"},
    {"REV0 1 1", "REV0 1 x", "line 3, record 1: five counts are wanted"},
    {"REV0 1 1 0 0 0", "REV0 1 -1 0 0 0", "five counts are wanted"},
    {"REV0 1 1", "REV0 2000000000 1", "2000000000 labels are wanted"},
    {"REV0 1 1", "REV0 1 2000000000", "2000000000 modes of 1 nodes do not fit"},
    {"\n7\n", "\nX7\n", "line 5, record 2: label 'X7'"},
    {"\n2\n** RECORD GROUP 7", "\n** RECORD GROUP 7", "record 6: a number is wanted"},
    {"** 1\n1 2", "1 2", "mode 1 wants one header line"},
    {"4 5 6", "4 5 nan", "record 8: a number is wanted"},
    {"GROUP 6, Y", "GROUP 5, Y", "record 5 occurs twice"},
    {"GROUP 6, Y", "GROUP 44, Y", "record number from 1 to 31 wanted"},
    {"** RECORD GROUP 1, HEADER", "** RECORD GROUP 2, HEADER", "record 1 must come first"},
    {"** RECORD GROUP 10, K\n8\n", "", "record 10 is missing"},
    {"M\n2\n", "M\n-2\n", "not positive definite"},
};

START_TEST(damaged_files_say_where)
{
    char text[1000];
    fb_model b = {0};
    fb_err e = {0};
    fb_log log = {0};
    const char *at = strstr(tiny, damage[_i].from);
    ck_assert_ptr_nonnull(at);
    snprintf(text, sizeof text, "%.*s%s%s", (int)(at - tiny), tiny, damage[_i].to,
             at + strlen(damage[_i].from));
    ck_assert_int_ne(parse(text, strlen(text), &b, &log, &e), FB_OK);
    ck_assert_msg(strstr(e.msg, damage[_i].says) != NULL, "'%s' lacks '%s'", e.msg,
                  damage[_i].says);
    fb_log_free(&log);
}
END_TEST

START_TEST(every_cut_is_noticed_or_harmless)
{
    fb_model b;
    fb_buf o = {0};
    fb_err e = {0};
    make_held(&b, 3, 2, 5);
    ck_assert_int_eq(write(&b, "develop", &o, &e), FB_OK);
    for (int64_t n = 0; n < o.size; n += 7) {
        fb_model c = {0};
        fb_log log = {0};
        unsigned char *copy = malloc((size_t)n + 1);
        memcpy(copy, o.data, (size_t)n);
        if (parse(copy, (size_t)n, &c, &log, &e) == FB_OK)
            ck_assert_int_eq(fb_model_check(&c, &e), FB_OK);
        free(copy);
        fb_model_free(&c);
        fb_log_free(&log);
    }
    fb_buf_free(&o);
    fb_model_free(&b);
}
END_TEST

START_TEST(half_a_set_of_invariants_is_told)
{
    fb_model b, c = {0};
    fb_buf o = {0};
    fb_err e = {0};
    fb_log log = {0};
    make_held(&b, 3, 2, 5);
    ck_assert_int_eq(write(&b, "develop", &o, &e), FB_OK);
    char *p = memmem(o.data, (size_t)o.size, "GROUP 17", 8);
    memcpy(p, "GROUP 19", 8);
    ck_assert_msg(parse(o.data, (size_t)o.size, &c, &log, &e) == FB_OK, "%s", e.msg);
    ck_assert_int_eq(log.nwarning, 2);
    ck_assert_str_eq(log.warning[0], "record 19 is not used");
    ck_assert_str_eq(log.warning[1], "records 14-18 are not used: 12 and all of 14-18 make a set");
    ck_assert_ptr_null(c.I[1]);
    fb_model_free(&b);
    fb_model_free(&c);
    fb_buf_free(&o);
    fb_log_free(&log);
}
END_TEST

START_TEST(memory_runs_out)
{
    fb_model b;
    fb_buf o = {0}, w = {0};
    fb_err e = {0};
    fb_log log = {0};
    fb_status s = FB_OK;
    int fails = 0;
    make_held(&b, 3, 2, 5);
    ck_assert_int_eq(write(&b, "develop", &o, &e), FB_OK);
    EVERY_ALLOCATION_FAILS_ONCE(s, fails, {
        fb_model c = {0};
        s = parse(o.data, (size_t)o.size, &c, &log, &e);
        fb_model_free(&c);
    });
    ck_assert_int_gt(fails, 10);
    EVERY_ALLOCATION_FAILS_ONCE(s, fails, {
        fb_buf_free(&w);
        s = write(&b, "develop", &w, &e);
    });
    ck_assert_int_gt(fails, 5);
    fb_buf_free(&o);
    fb_buf_free(&w);
    fb_model_free(&b);
}
END_TEST

/* ---- the published files -------------------------------------------------------------------- */

static int published(const char *name, fb_model *b)
{
    const char *path = shared_file(name);
    fb_input in = {0};
    fb_log log = {0};
    fb_err e = {0};
    if (!path)
        return 0;
    ck_assert_int_eq(fb_input_open(&in, path, &e), FB_OK);
    ck_assert(fb_reader_mbdyn.sniff(&in));
    ck_assert_msg(parse(in.data, in.size, b, &log, &e) == FB_OK, "%s", e.msg);
    ck_assert_int_eq(log.nwarning, 0);
    fb_input_close(&in);
    fb_log_free(&log);
    return 1;
}

/* I3, I4, I8, I5, I9 of the nodal masses equal the file that prints them. */
START_TEST(integrals_of_one_file_are_those_of_the_other)
{
    static const int which[] = {1, 2, 3, 4, 5, 7, 8, 9, 10, 11};
    static const int64_t n[12] = {0, 1, 3, 36, 36, 432, 144, 9, 108, 1296, 108, 1296};
    fb_model a = {0}, c = {0};
    fb_err e = {0};
    if (!published("consumers/mbdyn/beam_r11.fem", &a) ||
        !published("consumers/mbdyn/beam_r12inv.fem", &c))
        return;
    ck_assert_msg(fb_invariants_nodal(&a, a.shape, &e) == FB_OK, "%s", e.msg);
    for (size_t q = 0; q < sizeof which / sizeof *which; q++) {
        int k = which[q];
        double top = 0, worst = 0;
        for (int64_t i = 0; i < n[k]; i++) {
            top = fmax(top, fabs(c.I[k][i]));
            worst = fmax(worst, fabs(c.I[k][i] - a.I[k][i]));
        }
        ck_assert_msg(worst <= 1e-10 * top, "I%d: %g of %g", k, worst, top);
    }
    ck_assert_double_eq_tol(a.I[1][0], 0.84823, 5e-6);
    ck_assert_double_eq_tol(a.I[7][8], 0.283097, 5e-7);
    fb_model_free(&a);
    fb_model_free(&c);
}
END_TEST

START_TEST(published_files_come_back)
{
    static const char *const name[] = {"consumers/mbdyn/beam_r11.fem",
                                       "consumers/mbdyn/beam_r12inv.fem"};
    static double x[20000], y[20000];
    fb_model b = {0};
    fb_buf o = {0};
    fb_err e = {0};
    fb_input in = {0};
    if (!published(name[_i], &b))
        return;
    ck_assert_msg(write(&b, _i ? "develop" : "1.7", &o, &e) == FB_OK, "%s", e.msg);
    ck_assert_int_eq(fb_input_open(&in, shared_file(name[_i]), &e), FB_OK);
    fb_buf file = {.data = (unsigned char *)(uintptr_t)in.data, .size = (int64_t)in.size};
    static const int records[2][8] = {{2, 5, 6, 7, 8, 9, 10, 11}, {2, 5, 8, 14, 15, 16, 17, 18}};
    for (int q = 0; q < 8; q++) {
        int r = records[_i][q];
        int64_t n = record(&file, r, x, 20000);
        ck_assert_int_eq(record(&o, r, y, 20000), n);
        ck_assert_mem_eq(x, y, (size_t)n * 8);
    }
    fb_input_close(&in);
    fb_buf_free(&o);
    fb_model_free(&b);
}
END_TEST

Suite *suite_mbdyn(void)
{
    Suite *s = suite_create("mbdyn");
    TCase *t = tcase_create("mbdyn");
    tcase_add_loop_test(t, both_dialects_hold_the_body, 0, 5);
    tcase_add_test(t, coupling_records_are_the_integrals);
    tcase_add_test(t, what_was_read_is_written_again);
    tcase_add_test(t, bodies_that_break_the_assumptions_are_refused);
    tcase_add_test(t, oblique_inertia_brings_record_12);
    tcase_add_test(t, tiny_body);
    tcase_add_loop_test(t, damaged_files_say_where, 0, sizeof damage / sizeof *damage);
    tcase_add_test(t, every_cut_is_noticed_or_harmless);
    tcase_add_test(t, half_a_set_of_invariants_is_told);
    tcase_add_test(t, memory_runs_out);
    tcase_add_test(t, integrals_of_one_file_are_those_of_the_other);
    tcase_add_loop_test(t, published_files_come_back, 0, 2);
    suite_add_tcase(s, t);
    return s;
}
