/* SPDX-License-Identifier: GPL-3.0-or-later */
/* test_mnfdump.c - the ASCII dump of an .mnf: printed by the tests, read back, cut, damaged; real
 * dumps against the binary files they were made from and against their own invariants. */
#include "invariants/inertia.h"
#include "mnfparse/reader.h"
#include "tests/model/body.h"
#include "tests/model/dump.h"
#include "tests/suites.h"
#include <math.h>

static fb_log kept; /* warnings of the last parse */

static fb_status parse(const void *data, size_t n, fb_model *b, fb_err *e)
{
    char name[] = "test.mtx";
    fb_input in = {.data = data, .size = n, .name = name};
    fb_parts p = {0};
    fb_log_free(&kept);
    fb_status s = fb_reader_mnfdump.read(&in, &p, &kept, e);
    if (!s)
        s = fb_parts_assemble(&p, b, &kept, e);
    fb_parts_free(&p);
    return s;
}

static double *some(int64_t n)
{
    double *x = fb_alloc((size_t)n, 8);
    for (int64_t k = 0; k < n; k++)
        x[k] = 1.0 / (double)(3 + k);
    return x;
}

static void sample(fb_model *b, int digits, fb_buf *o)
{
    fb_err e = {0};
    make_body(b, 5, 7, 3);
    snprintf(b->comment[1], sizeof b->comment[1], "second of three");
    snprintf(b->date, sizeof b->date, "Fri Aug 20 10:52:47 2021");
    b->ref_mass = some(1);
    b->ref_com = some(3);
    b->ref_inertia = some(9);
    for (int64_t k = 0; k < b->nm; k++) {
        b->stat_node[13 * k + 1] = b->node_id[2];
        b->stat_node[13 * k + 2] = b->stress_node[0];
        for (int q = 0; q < 3; q++)
            b->stat_value[13 * k + q] = 1.5 + (double)k + q;
    }
    ck_assert_msg(fb_invariants_nodal(b, b->shape, &e) == FB_OK, "%s", e.msg);
    make_dump(b, digits, o);
}

#define SAME(field, n) ck_assert_mem_eq(a.field, c.field, (size_t)(n) * 8)

START_TEST(everything_comes_back)
{
    fb_model a, c = {0};
    fb_buf o = {0};
    fb_err e = {0};
    sample(&a, 16, &o);
    if (_i) { /* line ends of another system */
        fb_buf crlf = {0};
        for (int64_t k = 0; k < o.size; k++)
            fb_put_bytes(&crlf, o.data[k] == '\n' ? "\r\n" : (const char *)o.data + k,
                         o.data[k] == '\n' ? 2 : 1);
        fb_buf_free(&o);
        o = crlf;
    }
    fb_input in = {.data = o.data, .size = (size_t)o.size};
    ck_assert_int_eq(fb_reader_mnfdump.sniff(&in), 1);
    ck_assert_int_eq(fb_reader_mnf.sniff(&in), 0);
    ck_assert_msg(parse(o.data, (size_t)o.size, &c, &e) == FB_OK, "%s", e.msg);
    const int64_t m = a.nm;
    same_body(&a, &c);
    SAME(ref_mass, 1);
    SAME(ref_com, 3);
    SAME(ref_inertia, 9);
    const int64_t n[10] = {0, 1, 3, 3 * m, 3 * m, 3 * m * m, 0, 9, 9 * m, 9 * m * m};
    for (int k = 1; k <= 9; k++)
        if (n[k])
            ck_assert_mem_eq(c.ref_I[k], a.I[k], (size_t)n[k] * 8);
    ck_assert_str_eq(c.date, a.date);
    ck_assert_str_eq(c.comment[0], "");
    ck_assert_str_eq(c.comment[1], "second of three");
    ck_assert_str_eq(c.format, "mnfdump");
    ck_assert_int_eq(kept.nwarning, 0);
    fb_model_free(&a);
    fb_model_free(&c);
    fb_buf_free(&o);
}
END_TEST

/* A cut is seen, except in what stands behind the last block with data. */
START_TEST(every_cut_is_seen)
{
    fb_model a, c = {0};
    fb_buf o = {0};
    fb_err e;
    sample(&a, 6, &o);
    fb_put_bytes(&o, "", 1);
    int64_t last = strstr((const char *)o.data, "Block  30") - (const char *)o.data;
    for (int64_t n = 1; n < last; n += 7) {
        unsigned char *cut = malloc((size_t)n); /* exact size: a sanitizer sees any over-read */
        memcpy(cut, o.data, (size_t)n);
        e = (fb_err){0};
        ck_assert_int_eq(parse(cut, (size_t)n, &c, &e), FB_EFORMAT);
        ck_assert_msg(strstr(e.msg, "line ") != NULL, "%s", e.msg);
        free(cut);
    }
    fb_model_free(&a);
    fb_buf_free(&o);
}
END_TEST

/* The first place of `from` behind `after` becomes `to`; then the message must hold `says`. */
static const struct {
    const char *after, *from, *to, *says;
} damages[] = {
    {"", "------------------------", "-----#------------------", "the frame of a block is wanted"},
    {"", "Block   1:", "Block  33:", "block 33 is not known"},
    {"Existence:", "Block   5:", "Block   4:", "block 4 (nodal coordinates) occurs twice"},
    {"", "Precision:", "Decision: ", "block 1 (version code): line 11: 'Decision:"},
    {"", "Input file name:", "Output file nam:", "a line of the header block is wanted"},
    {"", "Existence:", "Resistance", "where Existence: is wanted"},
    {"", "block_4 (4) Yes", "block_4 (4) Hum", "NAME (BLOCK) Yes or No is wanted"},
    {"", "block_9 (9) Yes", "block_9 (99)Yes", "NAME (BLOCK) Yes or No is wanted"},
    {"", "block_27 (27) No", "block_2 (27) Yes", "announces data, there are none"},
    {"Nodal Coords", "       13", "       10", "node 10 occurs twice"},
    {"Nodal Coords", "       13", "       1x", "'x"},
    {"Nodal Coords", "e-01", "eeee", "block 4 (nodal coordinates): line 85: 'eeee"},
    {"Global Body", "Center of", "Centre of", "where Center of Mass: is wanted"},
    {"Eigenvalues", "Natural Freq.", "Natural Freak", "where Natural Freq. is wanted"},
    {"Eigenvalues", "    2 ", "    1 ", "occurs twice"},
    {"Mode Shapes", "Shapes 7", "Shapes 8", "Number of Mode Shapes 8, block 7 has 7 modes"},
    {"Mode Shapes", "MODE NUMBER 2=", "MODE NUMBER 3=",
     "'MODE NUMBER 3===========================' where MODE NUMBER 2 is wanted"},
    {"Mode Shapes", "MODE NUMBER 2=", "MODE NUMBER 9=", "mode number 9 is not in block 7"},
    {"Mode Shapes", "~~~~~", "~~-~~", "where ~~~~~ is wanted"},
    {"Mode Shapes", "       13", "       16", "node 16, block 4 has node 13 at place 2"},
    {"Nodal Masses", "       13", "       16", "node 16 is out of place"},
    {"Nodal Masses", "       13", "       14", "node 14 is not in block 4"},
    {"Nodal Inertias", "0.000000e+00", "1.000000e+00", "node 10 has products of inertia"},
    {"Nodal Inertias", "Tensor of Node", "Tensor of Mode",
     "where Inertia Tensor of Node is wanted"},
    {"Generalized Stiffness", "    2       2", "    2       3", "modes 2 and 3 are coupled"},
    {"Generalized Mass", "1.000000e+00", "1.100000e+00", "mode 1 has 1.1, block 7 has 1"},
    {"Generalized Mass", "1.000000e+00", "1.000000e+0x", "where the end of the line is wanted"},
    {"Element Faces", "faces 4", "faces 5", "5 faces are announced, 4 found"},
    {"Element Faces", "        2", "        3", "face 3, 2 is wanted"},
    {"Generalized Damping", "No general", "So general", "block 15 (generalized damping): line"},
    {"Interface Nodes", "   2 ", "   3 ", "interface node 3, 2 is wanted"},
    {"Node Stress",
     "STRESS SHAPE NUMBER 2=", "STRESS SHAPE NUMBER 1=", "where STRESS SHAPE NUMBER 2 is wanted"},
    {"STRESS SHAPE NUMBER 2", "       13", "       16",
     "node 16, the first stress shape has node 13 here"},
    {"Invariant 3", "    2,", "    3,", "mode 3 is out of place"},
    {"Invariant 5", "Mode: 2", "Mode: 3", "'Mode: 3' where Mode: 2 is wanted"},
    {"Invariant 9", "Modes: 2 1", "Modes: 1 2", "modes 1 2 are out of place"},
    {"Modal Preload", "No ", "On ", "holds data whose layout is not known"},
    {"Modal Statistics", "Max. Trans", "Mix. Trans",
     "MODE NUMBER or a largest magnitude is wanted"},
    {"Modal Statistics", "Node ID", "Mode ID", "where Node ID = is wanted"},
};

START_TEST(damages_are_named_by_line)
{
    fb_model a, c = {0};
    fb_buf o = {0};
    fb_err e = {0};
    sample(&a, 6, &o);
    fb_put_bytes(&o, "", 1);
    char *text = (char *)o.data, *at = strstr(strstr(text, damages[_i].after), damages[_i].from);
    ck_assert_ptr_nonnull(at);
    memcpy(at, damages[_i].to, strlen(damages[_i].to));
    fb_status s = parse(text, (size_t)o.size - 1, &c, &e);
    ck_assert_int_eq(s, FB_EFORMAT);
    ck_assert_msg(strstr(e.msg, damages[_i].says) != NULL, "%s", e.msg);
    ck_assert_msg(strstr(e.msg, "line ") || strstr(e.msg, "twice"), "%s", e.msg);
    fb_model_free(&a);
    fb_model_free(&c);
    fb_buf_free(&o);
}
END_TEST

START_TEST(warnings)
{
    static const struct {
        const char *from, *to, *says;
    } w[] = {
        {"version: 6.0", "version: 5.0", "version 5.0: only 6.0 was ever checked"},
        {"sketched mesh: No ", "sketched mesh: Yes", "coarsened or sketched"},
        {"METER", "CUBIT", "unit of length 'CUBIT' is not known"},
    };
    fb_model a, c = {0};
    fb_buf o = {0};
    fb_err e = {0};
    sample(&a, 6, &o);
    fb_put_bytes(&o, "", 1);
    memcpy(strstr((char *)o.data, w[_i].from), w[_i].to, strlen(w[_i].to));
    ck_assert_msg(parse(o.data, (size_t)o.size - 1, &c, &e) == FB_OK, "%s", e.msg);
    ck_assert_int_eq(kept.nwarning, 1);
    ck_assert_msg(strstr(kept.warning[0], w[_i].says) != NULL, "%s", kept.warning[0]);
    fb_model_free(&a);
    fb_model_free(&c);
    fb_buf_free(&o);
}
END_TEST

/* A block that the summary announces must come. */
START_TEST(missing_blocks_are_named)
{
    fb_model a, c = {0};
    fb_buf o = {0};
    fb_err e = {0};
    sample(&a, 6, &o);
    fb_put_bytes(&o, "", 1);
    char *rule = strstr((char *)o.data, "Block  30");
    while (strncmp(rule, "\n\n---", 5))
        rule--;
    ck_assert_int_eq(parse(o.data, (size_t)(rule - (char *)o.data), &c, &e), FB_EFORMAT);
    ck_assert_msg(strstr(e.msg, "the dump ends without block 30 (modal statistics)") != NULL, "%s",
                  e.msg);
    fb_model_free(&a);
    fb_buf_free(&o);
}
END_TEST

START_TEST(every_allocation_may_fail)
{
    fb_model a, c = {0};
    fb_buf o = {0};
    fb_err e = {0};
    fb_status s;
    long fails;
    sample(&a, 6, &o);
    EVERY_ALLOCATION_FAILS_ONCE(s, fails, s = parse(o.data, (size_t)o.size, &c, &e));
    ck_assert_int_ge(fails, 40);
    fb_model_free(&a);
    fb_model_free(&c);
    fb_buf_free(&o);
}
END_TEST

/* ---- real exports ------------------------------------------------------------------------- */

static const char *const real_files[] = {"siso_beam", "siso_block"};

static int real(const char *name, const char *ext, const fb_reader *rd, fb_model *b)
{
    char file[80];
    snprintf(file, sizeof file, "mnf/%s.%s", name, ext);
    const char *path = shared_file(file);
    fb_input in = {0};
    fb_parts p = {0};
    fb_log log = {0};
    fb_err e = {0};
    if (!path)
        return 0;
    ck_assert_int_eq(fb_input_open(&in, path, &e), FB_OK);
    const fb_reader *found = NULL;
    ck_assert_msg(fb_reader_find(&in, NULL, &found, &e) == FB_OK, "%s", e.msg);
    ck_assert_ptr_eq(found, rd);
    ck_assert_msg(rd->read(&in, &p, &log, &e) == FB_OK &&
                      fb_parts_assemble(&p, b, &log, &e) == FB_OK,
                  "%s", e.msg);
    ck_assert_int_eq(log.nwarning, 0);
    fb_parts_free(&p);
    fb_input_close(&in);
    return 1;
}

/* Equal to half a unit of the last printed digit: rel of each value (%e), or abs (%f). */
static void close_to(const char *what, const double *x, const double *y, int64_t n, double rel,
                     double abs)
{
    ck_assert_ptr_nonnull(x);
    ck_assert_ptr_nonnull(y);
    for (int64_t k = 0; k < n; k++) {
        double digit =
            fabs(y[k]) > 0 ? pow(10, floor(log10(fabs(y[k])))) : 1; /* of the leading digit */
        ck_assert_msg(fabs(x[k] - y[k]) <= 0.5001 * rel * digit + 0.5001 * abs,
                      "%s[%d]: %.17g and %.17g", what, (int)k, x[k], y[k]);
    }
}

START_TEST(real_dumps_equal_their_binaries)
{
    fb_model a = {0}, c = {0};
    if (!real(real_files[_i], "mtx", &fb_reader_mnfdump, &a))
        return;
    real(real_files[_i], "mnf", &fb_reader_mnf, &c);
    int64_t nn = c.nn, m = c.nm;
    ck_assert_int_eq(a.nn, nn);
    ck_assert_int_eq(a.nm, m);
    SAME(node_id, nn);
    SAME(mode_number, m);
    ck_assert_int_eq(a.nf1, c.nf1);
    SAME(face_offset, c.nf1);
    SAME(face_index, c.nfi);
    SAME(connector_node, c.nc);
    SAME(stat_node, 13 * m);
    ck_assert_int_eq(a.ns, 0);
    ck_assert_mem_eq(&a.units, &c.units, sizeof a.units);
    ck_assert_str_eq(a.producer, c.producer);
    ck_assert_int_eq(strncmp(a.date, c.date, strlen(a.date)),
                     0); /* the binary has a blank behind it */
    ck_assert_str_eq(a.source, c.source);
    close_to("xyz", a.xyz, c.xyz, 3 * nn, 1e-10, 0);
    close_to("mass", a.ref_mass, c.ref_mass, 1, 0, 1e-10);
    close_to("centre", a.ref_com, c.ref_com, 3, 0, 1e-10);
    close_to("inertia", a.ref_inertia, c.ref_inertia, 9, 0, 1e-10);
    close_to("eigen", a.eigen, c.eigen, 5 * m, 1e-10, 0);
    close_to("shape", a.shape, c.shape, m * nn * 6, 1e-9, 0);
    close_to("masses", a.node_mass, c.node_mass, nn, 1e-6, 0);
    close_to("inertias", a.node_inertia, c.node_inertia, 9 * nn, 0, 1e-10);
    close_to("transform", a.mode_transform, c.mode_transform, m * m, 1e-5, 0);
    close_to("statistics", a.stat_value, c.stat_value, 13 * m, 1e-6, 0);
    fb_model_free(&a);
    fb_model_free(&c);
}
END_TEST

/* What a dump's own digits leave in an invariant: nodal inertias have 10 decimals, shapes 10
 * digits. */
static double from_digits(const fb_model *b, int k)
{
    double sum = 0;
    for (int64_t q = 0; k == 4 && q < b->nm; q++) {
        double s = 0;
        for (int64_t p = 0; p < b->nn; p++)
            for (int a = 3; a < 6; a++)
                s += 0.5e-10 * fabs(b->shape[(q * b->nn + p) * 6 + a]);
        sum = fmax(sum, s);
    }
    return k == 7 ? 0.5e-10 * (double)b->nn : sum;
}

START_TEST(real_invariants_are_those_printed)
{
    for (int binary = 0; binary < 2; binary++) {
        fb_model a = {0}, c = {0};
        fb_err e = {0};
        if (!real(real_files[_i], "mtx", &fb_reader_mnfdump, &a))
            return;
        real(real_files[_i], "mnf", &fb_reader_mnf, &c);
        fb_model *b = binary ? &c : &a;
        int64_t m = b->nm;
        const int64_t n[10] = {0, 1, 3, 3 * m, 3 * m, 3 * m * m, 0, 9, 9 * m, 9 * m * m};
        ck_assert_msg(fb_invariants_nodal(b, b->shape, &e) == FB_OK, "%s", e.msg);
        for (int k = 1; k <= 9; k++) {
            double worst = 0, size = 0;
            for (int64_t q = 0; q < n[k]; q++) {
                worst = fmax(worst, fabs(b->I[k][q] - a.ref_I[k][q]));
                size = fmax(size, fabs(a.ref_I[k][q]));
            }
            double allowed = binary ? 1e-10 * size : 5e-10 * size + from_digits(&a, k);
            ck_assert_msg(worst <= allowed, "I%d: off by %.2g, %.2g allowed", k, worst, allowed);
        }
        if (!binary) {
            double error = 1;
            ck_assert_int_ne(fb_invariants_reference(&a, &error), 0);
            ck_assert_double_lt(error, 1e-5);
        }
        fb_model_free(&a);
        fb_model_free(&c);
    }
}
END_TEST

Suite *suite_mnfdump(void)
{
    Suite *s = suite_create("mnfdump");
    TCase *t = tcase_create("made"), *r = tcase_create("real");
    tcase_set_timeout(t, 120);
    tcase_set_timeout(r, 120);
    tcase_add_loop_test(t, everything_comes_back, 0, 2);
    tcase_add_test(t, every_cut_is_seen);
    tcase_add_loop_test(t, damages_are_named_by_line, 0, sizeof damages / sizeof *damages);
    tcase_add_loop_test(t, warnings, 0, 3);
    tcase_add_test(t, missing_blocks_are_named);
    tcase_add_test(t, every_allocation_may_fail);
    tcase_add_loop_test(r, real_dumps_equal_their_binaries, 0, 2);
    tcase_add_loop_test(r, real_invariants_are_those_printed, 0, 2);
    suite_add_tcase(s, t);
    suite_add_tcase(s, r);
    return s;
}
