/* SPDX-License-Identifier: GPL-3.0-or-later */
/* test_mnf.c - the binary .mnf: written by the project, read back, cut, damaged; real exports. */
#include "export/writer.h"
#include "mnfparse/reader.h"
#include "tests/model/body.h"
#include "tests/suites.h"
#include <math.h>

enum { SUMMARY = 0x884, FIRST = 0xa14 };

static fb_status parse(const void *data, size_t n, fb_model *b, fb_err *e)
{
    char name[] = "test.mnf";
    fb_input in = {.data = data, .size = n, .name = name};
    fb_parts p = {0};
    fb_log log = {0};
    fb_status s = fb_reader_mnf.read(&in, &p, &log, e);
    if (!s) {
        *b = p.body;
        p.body = (fb_model){0};
    }
    fb_parts_free(&p);
    fb_log_free(&log);
    return s;
}

static void write(const fb_model *b, fb_buf *o)
{
    fb_err e = {0};
    fb_log log = {0};
    ck_assert_msg(fb_writer_mnf.write(b, NULL, o, &log, &e) == FB_OK, "%s", e.msg);
}

/* The bytes of a random body, stress and statistics filled by a pass through the reduced form. */
static void sample(fb_model *b, fb_buf *o)
{
    make_body(b, 7, 9, 1);
    write(b, o);
}

static void put_int(fb_buf *o, int64_t at, int64_t v)
{
    for (int k = 0; k < 4; k++)
        o->data[at + k] = (unsigned char)((uint64_t)v >> (24 - 8 * k));
}

START_TEST(everything_comes_back)
{
    fb_model a, c = {0};
    fb_buf o = {0}, again = {0};
    fb_err e = {0};
    sample(&a, &o);
    ck_assert_msg(parse(o.data, (size_t)o.size, &c, &e) == FB_OK, "%s", e.msg);
    same_body(&a, &c);
    write(&c, &again);
    ck_assert_int_eq(again.size, o.size);
    ck_assert_mem_eq(again.data, o.data, (size_t)o.size);
    fb_model_free(&a);
    fb_model_free(&c);
    fb_buf_free(&o);
    fb_buf_free(&again);
}
END_TEST

/* The generic writer of a reduced body: statistics pair 2 is the largest von Mises stress of block
 * 18, computed here by the invariants of the deviator, not by the writer's formula. */
START_TEST(statistics_hold_the_largest_von_mises_stress)
{
    fb_model b, c = {0};
    fb_buf o = {0};
    fb_err e = {0};
    make_body(&b, 8, 10, 4);
    b.T = b.shape; /* an orthonormal reduced body: T = the shapes, V = 1 */
    b.shape = NULL;
    b.V = fb_alloc((size_t)(b.nm * b.nm), 8);
    for (int64_t k = 0; k < b.nm; k++)
        b.V[k * b.nm + k] = 1;
    write(&b, &o);
    ck_assert_msg(parse(o.data, (size_t)o.size, &c, &e) == FB_OK, "%s", e.msg);
    for (int64_t k = 0; k < c.nm; k++) {
        double worst = -1, at = 0;
        for (int64_t p = 0; p < c.ns; p++) {
            const double *t = c.stress + (k * c.ns + p) * 6;
            double h = (t[0] + t[1] + t[2]) / 3;
            double J2 = 0.5 * (pow(t[0] - h, 2) + pow(t[1] - h, 2) + pow(t[2] - h, 2)) +
                        t[3] * t[3] + t[4] * t[4] + t[5] * t[5];
            if (sqrt(3 * J2) > worst) {
                worst = sqrt(3 * J2);
                at = (double)c.stress_node[p];
            }
        }
        ck_assert_double_eq_tol(c.stat_value[13 * k + 2], worst, 1e-14 * worst);
        ck_assert_int_eq(c.stat_node[13 * k + 2], (int64_t)at);
    }
    fb_model_free(&b);
    fb_model_free(&c);
    fb_buf_free(&o);
}
END_TEST

START_TEST(every_cut_is_seen)
{
    fb_model a, c = {0};
    fb_buf o = {0};
    fb_err e;
    sample(&a, &o);
    for (int64_t n = 1; n < o.size; n++) {
        unsigned char *cut = malloc((size_t)n); /* exact size: a sanitizer sees any over-read */
        memcpy(cut, o.data, (size_t)n);
        e = (fb_err){0};
        ck_assert_int_eq(parse(cut, (size_t)n, &c, &e), FB_EFORMAT);
        ck_assert_ptr_nonnull(strstr(e.msg, "byte "));
        free(cut);
    }
    fb_put_i32(&o, 7);
    ck_assert_int_eq(parse(o.data, (size_t)o.size, &c, &e), FB_EFORMAT);
    ck_assert_ptr_nonnull(strstr(e.msg, "4 bytes follow"));
    fb_model_free(&a);
    fb_buf_free(&o);
}
END_TEST

/* Every int of the file set to huge, negative and odd values: refused or read, never a crash. */
START_TEST(counts_are_never_believed)
{
    static const int64_t evil[] = {INT32_MAX, INT32_MIN, -1, 0, 1, 0x10000000};
    fb_model a, c = {0};
    fb_buf o = {0};
    fb_err e = {0};
    int64_t refused = 0, read = 0;
    sample(&a, &o);
    for (int64_t at = 0; at + 4 <= o.size; at += 4)
        for (size_t k = 0; k < sizeof evil / sizeof *evil; k++) {
            unsigned char keep[4];
            memcpy(keep, o.data + at, 4);
            put_int(&o, at, evil[k]);
            fb_status s = parse(o.data, (size_t)o.size, &c, &e);
            ck_assert(s == FB_OK || s == FB_EFORMAT || s == FB_ESOLVE);
            if (s == FB_OK) {
                read++;
                fb_model_free(&c);
            } else {
                refused++;
                ck_assert(e.msg[0] != 0);
            }
            memcpy(o.data + at, keep, 4);
        }
    ck_assert_int_gt(refused, 300);
    ck_assert_int_gt(read, 300); /* low halves of reals, text */
    fb_model_free(&a);
    fb_buf_free(&o);
}
END_TEST

static const struct {
    int64_t at, value;
    const char *says;
} refusals[] = {
    {0, 0x13b, "version word 0x13b"},
    {0, 0x03c, "version word 0x3c"},
    {SUMMARY + 4 * 1, 1, "byte 2184: the file holds block 5 (element topology)"},
    {SUMMARY + 4 * 7, 1, "byte 2208: content summary slot 7 is set"},
    {SUMMARY + 4 * 9, 1, "byte 2216: the file holds block"},
    {SUMMARY + 4 * 17, 1, "byte 2248: the file holds block 19 (invariant 1)"},
    {SUMMARY + 4 * 99, 1, "byte 2576: content summary slot 99 is set"},
    {SUMMARY, 2, "byte 2180: content summary slot 0 is 2"},
    {SUMMARY, 0, "no nodal coordinates"},
    {SUMMARY + 4 * 4, 0, "no mode shapes"},
    {FIRST, 1 << 30,
     "block 4 (nodal coordinates): byte 2584: number of nodes: 1073741824 x 28 bytes"},
    {FIRST, -1, "count -1 is negative"},
    {FIRST + 4, 2, "dimension of the coordinates is 2, 3 is wanted"},
};

START_TEST(what_is_not_known_is_refused_by_name)
{
    fb_model a, c = {0};
    fb_buf o = {0};
    fb_err e = {0};
    sample(&a, &o);
    put_int(&o, refusals[_i].at, refusals[_i].value);
    ck_assert_int_eq(parse(o.data, (size_t)o.size, &c, &e), FB_EFORMAT);
    ck_assert_msg(strstr(e.msg, refusals[_i].says) != NULL, "'%s' lacks '%s'", e.msg,
                  refusals[_i].says);
    fb_model_free(&a);
    fb_buf_free(&o);
}
END_TEST

START_TEST(every_allocation_may_fail)
{
    fb_model a, c = {0};
    fb_buf o = {0}, again = {0};
    fb_err e = {0};
    fb_log log = {0};
    fb_status s;
    long fails;
    sample(&a, &o);
    EVERY_ALLOCATION_FAILS_ONCE(s, fails, s = parse(o.data, (size_t)o.size, &c, &e));
    ck_assert_int_gt(fails, 30);
    EVERY_ALLOCATION_FAILS_ONCE(s, fails, {
        fb_buf_free(&again);
        s = fb_writer_mnf.write(&c, NULL, &again, &log, &e);
    });
    ck_assert_int_gt(fails, 5);
    ck_assert_mem_eq(again.data, o.data, (size_t)o.size);
    fb_model_free(&a);
    fb_model_free(&c);
    fb_buf_free(&o);
    fb_buf_free(&again);
}
END_TEST

START_TEST(off_diagonal_inertia_is_refused)
{
    fb_model a, c = {0};
    fb_buf o = {0};
    fb_err e = {0};
    sample(&a, &o);
    /* The second index of the first nodal inertia record, found from the sizes of the blocks
     * before. */
    int64_t N = a.nn, M = a.nm,
            at = FIRST + 8 + 28 * N + 104 + 4 + 44 * M + 8 + 4 * N + M * (4 + 48 * N) + 8 + 12 * N +
                 4 + 8;
    put_int(&o, at, 5);
    ck_assert_int_eq(parse(o.data, (size_t)o.size, &c, &e), FB_EFORMAT);
    ck_assert_ptr_nonnull(strstr(e.msg, "inertia J(4,5) of node 10"));
    fb_model_free(&a);
    fb_buf_free(&o);
}
END_TEST

/* What the format cannot hold, or nobody knows how, is refused or told. */
START_TEST(nothing_is_lost_silently)
{
    fb_model a;
    fb_buf o = {0};
    fb_err e = {0};
    fb_log log = {0};
    make_body(&a, 7, 9, 1);
    a.mode_damping = calloc((size_t)a.nm, sizeof *a.mode_damping);
    a.strain = calloc((size_t)(6 * a.nm * a.ns), sizeof *a.strain);
    ck_assert_int_eq(fb_writer_mnf.write(&a, NULL, &o, &log, &e), FB_OK);
    ck_assert_int_eq(log.nwarning, 2);
    ck_assert_ptr_nonnull(strstr(log.warning[0], "strain"));
    ck_assert_ptr_nonnull(strstr(log.warning[1], "damping ratios"));
    for (int k = 0; k < 3; k++) {
        static const char *const says[] = {"place of connector 12345",
                                           "generalized mass of each mode", "complex"};
        if (k == 0)
            a.connector_node[0] = 12345;
        else if (k == 1)
            a.eigen[5 * 2 + 3] = 0;
        else
            a.shape_imag = calloc((size_t)(6 * a.nm * a.nn), sizeof *a.shape_imag);
        fb_buf_free(&o);
        ck_assert_int_eq(fb_writer_mnf.write(&a, NULL, &o, &log, &e), FB_EFORMAT);
        ck_assert_msg(strstr(e.msg, says[k]) != NULL, "'%s' lacks '%s'", e.msg, says[k]);
    }
    fb_buf_free(&o);
    fb_log_free(&log);
    fb_model_free(&a);
}
END_TEST

static const char *const real_files[] = {"mnf/siso_beam.mnf", "mnf/siso_block.mnf"};

/* Bytes behind the NUL of a text field are uninitialised memory in the original: zero them. */
static void wipe(unsigned char *d, size_t at, int chars)
{
    int ended = 0;
    for (int k = 0; k < chars; k++) {
        ended |= d[at + 4 * (size_t)k + 3] == 0;
        if (ended)
            memset(d + at + 4 * (size_t)k, 0, 4);
    }
}

START_TEST(real_files_are_written_back_byte_for_byte)
{
    static const struct {
        size_t at;
        int n;
    } text[] = {{4, 128},    {0x204, 32}, {0x284, 128}, {0x484, 16},
                {0x4c4, 80}, {0x604, 80}, {0x744, 80}};
    const char *path = shared_file(real_files[_i]);
    if (!path)
        return;
    fb_input in = {0};
    fb_model b = {0};
    fb_buf o = {0};
    fb_err e = {0};
    ck_assert_int_eq(fb_input_open(&in, path, &e), FB_OK);
    ck_assert_msg(parse(in.data, in.size, &b, &e) == FB_OK, "%s", e.msg);
    write(&b, &o);
    ck_assert_int_eq(o.size, (int64_t)in.size);
    unsigned char *d = malloc(in.size);
    memcpy(d, in.data, in.size);
    for (size_t k = 0; k < sizeof text / sizeof *text; k++)
        wipe(d, text[k].at, text[k].n);
    /* Units: block 11 follows the nodal inertias. */
    int64_t N = b.nn, M = b.nm, K = 0;
    for (int64_t q = 0; q < 9 * N; q++)
        K += b.node_inertia[q] != 0;
    size_t units = (size_t)(FIRST + 8 + 28 * N + 104 + 4 + 44 * M + 8 + 4 * N + M * (4 + 48 * N) +
                            8 + 12 * N + 4 + 20 * K);
    for (size_t k = 0; k < 4; k++)
        wipe(d, units + 64 * k, 16);
    ck_assert_mem_eq(o.data, d, in.size);
    free(d);
    fb_model_free(&b);
    fb_buf_free(&o);
    fb_input_close(&in);
}
END_TEST

/* At 200 places and at each block boundary, cut short: a message with the place, nothing read. */
START_TEST(real_files_cut_short)
{
    const char *path = shared_file(real_files[_i]);
    if (!path)
        return;
    fb_input in = {0};
    fb_model b = {0};
    fb_err e = {0};
    ck_assert_int_eq(fb_input_open(&in, path, &e), FB_OK);
    ck_assert_int_eq(parse(in.data, in.size, &b, &e), FB_OK);
    int64_t N = b.nn, M = b.nm;
    size_t at[220], n = 0, pos = FIRST;
    const int64_t block[] = {0,         8 + 28 * N, 104, 4 + 44 * M, 8 + 4 * N + M * (4 + 48 * N),
                             8 + 12 * N};
    for (size_t k = 0; k < sizeof block / sizeof *block; k++)
        at[n++] = pos += (size_t)block[k];
    at[n++] = in.size - (size_t)(4 + 156 * M);
    at[n++] = in.size - (size_t)(4 + 156 * M) - 12;
    for (size_t k = 0; k < 200; k++)
        at[n++] = 1 + (in.size - 2) * k / 199;
    fb_model_free(&b);
    for (size_t k = 0; k < n; k++) {
        unsigned char *cut = malloc(at[k]);
        memcpy(cut, in.data, at[k]);
        ck_assert_int_eq(parse(cut, at[k], &b, &e), FB_EFORMAT);
        ck_assert_ptr_nonnull(strstr(e.msg, "byte "));
        free(cut);
    }
    fb_input_close(&in);
}
END_TEST

Suite *suite_mnf(void)
{
    Suite *s = suite_create("mnf");
    TCase *t = tcase_create("own");
    tcase_set_timeout(t, 120);
    tcase_add_test(t, everything_comes_back);
    tcase_add_test(t, statistics_hold_the_largest_von_mises_stress);
    tcase_add_test(t, every_cut_is_seen);
    tcase_add_test(t, counts_are_never_believed);
    tcase_add_loop_test(t, what_is_not_known_is_refused_by_name, 0,
                        sizeof refusals / sizeof *refusals);
    tcase_add_test(t, every_allocation_may_fail);
    tcase_add_test(t, off_diagonal_inertia_is_refused);
    tcase_add_test(t, nothing_is_lost_silently);
    suite_add_tcase(s, t);
    t = tcase_create("real");
    tcase_set_timeout(t, 120);
    tcase_add_loop_test(t, real_files_are_written_back_byte_for_byte, 0, 2);
    tcase_add_loop_test(t, real_files_cut_short, 0, 2);
    suite_add_tcase(s, t);
    return s;
}
