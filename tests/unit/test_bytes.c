/* SPDX-License-Identifier: GPL-3.0-or-later */
/* test_bytes.c - byte order of single words and of blocks, buffers with a spool, inputs given back.
 * */
#include "tests/suites.h"
#include <zlib.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/resource.h>
#include <unistd.h>

START_TEST(words_in_both_orders)
{
    static const unsigned char d[] = {0x01, 0x02, 0x03, 0xf4, 0x05, 0x06, 0x07, 0x88};
    fb_cursor c = {.data = d, .size = sizeof d, .little = _i};
    fb_err e = {0};
    int32_t i = 0;
    int64_t l = 0;
    ck_assert_int_eq(fb_get_i32(&c, &i, "", &e), FB_OK);
    ck_assert_int_eq(i, _i ? -201129471 : 0x010203f4);
    c.pos = 0;
    ck_assert_int_eq(fb_get_i64(&c, &l, "", &e), FB_OK);
    ck_assert_int_eq(l, _i ? (int64_t)0x88070605f4030201 : 0x010203f405060788);
    ck_assert_int_eq(fb_get_i32(&c, &i, "a word", &e), FB_EFORMAT);
    ck_assert_str_eq(e.msg, "byte 8: a word: 1 x 4 bytes needed, 0 left");
    ck_assert_int_eq((int64_t)c.pos, 8);
}
END_TEST

/* Blocks longer than the writer's own, from an odd address. */
START_TEST(blocks_come_back)
{
    enum { N = 10001 };
    fb_buf o = {.little = _i};
    fb_err e = {0};
    double *x = malloc(sizeof *x * N), *y = malloc(sizeof *y * N);
    for (int k = 0; k < N; k++)
        x[k] = 1.0 / (k - 5000.5);
    fb_put_bytes(&o, "!", 1);
    fb_put_f64(&o, x, N);
    fb_put_i32(&o, -7);
    ck_assert_int_eq(fb_buf_status(&o, &e), FB_OK);
    ck_assert_int_eq(o.size, 1 + 8 * N + 4);
    fb_cursor c = {.data = o.data, .size = (size_t)o.size, .pos = 1, .little = _i};
    int32_t i = 0;
    ck_assert_int_eq(fb_get_f64(&c, y, N, "", &e), FB_OK);
    ck_assert_int_eq(fb_get_i32(&c, &i, "", &e), FB_OK);
    ck_assert_mem_eq(x, y, sizeof *x * N);
    ck_assert_int_eq(i, -7);
    ck_assert_int_eq(o.data[1 + (_i ? 7 : 0)],
                     0xbf); /* the sign and exponent of x[0] = -1/5000.5 */
    free(x);
    free(y);
    fb_buf_free(&o);
}
END_TEST

START_TEST(a_spool_takes_what_is_full)
{
    char path[] = "/tmp/flexbody-test-XXXXXX";
    unsigned char got[4];
    fb_err e = {0};
    int fd = mkstemp(path);
    fb_buf o = {.spool = fd};
    ck_assert_int_ge(fd, 3);
    unlink(path);
    for (int k = 0; k < 1000000; k++)
        fb_put_i32(&o, k);
    ck_assert_int_lt(o.cap, 4 << 20);
    fb_buf_flush(&o);
    ck_assert_int_eq(fb_buf_status(&o, &e), FB_OK);
    ck_assert_int_eq(lseek(fd, 0, SEEK_END), 4000000);
    for (int k = 0; k < 1000000; k += 99999) {
        ck_assert_int_eq(pread(fd, got, 4, 4 * k), 4);
        ck_assert_int_eq(got[0] << 24 | got[1] << 16 | got[2] << 8 | got[3], k);
    }
    fb_buf_free(&o);
    close(fd);
}
END_TEST

START_TEST(a_full_disk_is_said)
{
    fb_err e = {0};
    int fd = open("/dev/full", O_WRONLY);
    if (fd < 0)
        return;
    fb_buf o = {.spool = fd};
    for (int k = 0; k < 1000000; k++)
        fb_put_i32(&o, k);
    ck_assert_int_eq(fb_buf_status(&o, &e), FB_ESYS);
    ck_assert_str_eq(e.msg, "writing the output: No space left on device");
    fb_buf_free(&o);
    close(fd);
}
END_TEST

START_TEST(an_input_given_back_can_be_read_again)
{
    char path[] = "/tmp/flexbody-test-XXXXXX";
    fb_input in = {0};
    fb_err e = {0};
    int fd = mkstemp(path);
    for (int k = 0; k < 30000; k++)
        ck_assert_int_eq(write(fd, &k, sizeof k), sizeof k);
    close(fd);
    ck_assert_int_eq(fb_input_open(&in, path, &e), FB_OK);
    unlink(path);
    ck_assert_int_eq(in.mapped, 1);
    fb_input_done(&in, 0);
    fb_input_done(&in, in.size);
    for (int k = 0; k < 30000; k++)
        ck_assert_mem_eq(in.data + 4 * k, &k, sizeof k);
    fb_input_close(&in);
}
END_TEST

/* Each 16 MB of the way, of the third of four passes over 50 of them; no byte is looked at. */
static double told[8];
static int ntold;

static void tell(void *self, const char *what, double done, double total, const char *unit)
{
    ck_assert_str_eq(unit, "GB");
    ck_assert_ptr_null(self);
    ck_assert_str_eq(what, "big");
    ck_assert_double_eq(total, 50 * 1048576.0 / 1e9);
    ck_assert_int_lt(ntold, 8);
    told[ntold++] = done;
}

START_TEST(the_way_through_an_input_is_told)
{
    static const double want[3] = {16, 32, 48};
    unsigned char *none = malloc(50 << 20);
    char name[] = "a/big";
    fb_input in = {.data = none, .size = 50 << 20, .name = name};
    fb_log log = {.progress = tell};
    fb_meter m;
    ck_assert_ptr_nonnull(none);
    fb_meter_start(&m, &log, &in, 2, 4);
    for (int mb = 0; mb <= 50; mb++)
        fb_meter_at(&m, none + ((size_t)mb << 20));
    ck_assert_int_eq(ntold, 3);
    for (int k = 0; k < 3; k++)
        ck_assert_double_eq_tol(told[k], (2 + want[k] / 50) / 4, 1e-15);
    in.size = 16 << 20; /* too small to speak of */
    fb_meter_start(&m, &log, &in, 0, 1);
    fb_meter_at(&m, none + (16 << 20));
    ck_assert_int_eq(ntold, 3);
    free(none);
}
END_TEST

static int nothing(void *arg)
{
    (void)arg;
    return 3;
}

/* Where no process can be made, that is said: it is no child that ended well. */
START_TEST(no_children_at_all)
{
    struct rlimit before, none;
    ck_assert(getuid() != 0 || setuid(65533) == 0);
    ck_assert_int_eq(getrlimit(RLIMIT_NPROC, &before), 0);
    none = (struct rlimit){1, before.rlim_max};
    ck_assert_int_eq(setrlimit(RLIMIT_NPROC, &none), 0);
    ck_assert_int_eq(fb_in_child(nothing, NULL, 10), FB_NO_CHILD);
    ck_assert_int_eq(setrlimit(RLIMIT_NPROC, &before), 0); /* who looks for leaks wants a thread */
}
END_TEST

/* Where the system keeps no children to wait for, that is said and not waited for. */
START_TEST(children_that_nobody_keeps)
{
    ck_assert_int_eq(fb_in_child(nothing, NULL, 10), 3);
    signal(SIGCHLD, SIG_IGN);
    ck_assert_int_eq(fb_in_child(nothing, NULL, 10), FB_NO_CHILD);
    signal(SIGCHLD, SIG_DFL);
}
END_TEST

/* ---- gzip -------------------------------------------------------------------------------- */

static fb_err e;

static size_t gzip(const unsigned char *from, size_t n, unsigned char *to, size_t room)
{
    z_stream z = {.next_in = (unsigned char *)(uintptr_t)from, .next_out = to};
    z.avail_in = (uInt)n;
    z.avail_out = (uInt)room;
    ck_assert_int_eq(deflateInit2(&z, 9, Z_DEFLATED, 31, 9, Z_DEFAULT_STRATEGY), Z_OK);
    ck_assert_int_eq(deflate(&z, Z_FINISH), Z_STREAM_END);
    const size_t size = room - z.avail_out;
    deflateEnd(&z);
    return size;
}

/* A copy of its own size, so that a sanitizer sees any byte too many. */
static fb_status in_place(fb_input *in)
{
    unsigned char *out = NULL;
    size_t n = 0;
    const fb_status s = fb_gunzip(in, &out, &n, &e);
    if (!s && out) {
        free((void *)(uintptr_t)in->data);
        in->data = out;
        in->size = n;
    }
    return s;
}

static fb_status unpack(const unsigned char *d, size_t n, fb_input *in)
{
    unsigned char *copy = malloc(n);
    memcpy(copy, d, n);
    *in = (fb_input){.data = copy, .size = n, .name = strdup("job.gz")};
    return in_place(in);
}

START_TEST(packed_inputs_are_unpacked)
{
    enum { N = 200000 };
    unsigned char *text = malloc(N), *packed = malloc(2 * N);
    fb_input in;
    for (int k = 0; k < N; k++)
        text[k] = (unsigned char)((int64_t)k * k % 251);
    size_t n = gzip(text, N, packed, N);
    n += gzip(text, 100, packed + n, N); /* a second member, and zeros behind it */
    memset(packed + n, 0, 20);
    ck_assert_msg(!unpack(packed, n + 20, &in), "%s", e.msg);
    ck_assert_uint_eq(in.size, N + 100);
    ck_assert(!memcmp(in.data, text, N) && !memcmp(in.data + N, text, 100));
    fb_input_close(&in);
    ck_assert_int_eq(unpack(text, 50, &in), FB_OK); /* no gzip: as it is */
    ck_assert_uint_eq(in.size, 50);
    fb_input_close(&in);
    const size_t first = gzip(text, 3000, packed, N);
    for (size_t cut = 3; cut < first; cut++) {
        ck_assert_int_eq(unpack(packed, cut, &in), FB_EFORMAT);
        ck_assert_msg(strstr(e.msg, "ends early") != NULL, "%zu: %s", cut, e.msg);
        fb_input_close(&in);
    }
    memcpy(packed + first, "junk", 4);
    ck_assert_int_eq(unpack(packed, first + 4, &in), FB_EFORMAT);
    ck_assert_ptr_nonnull(strstr(e.msg, "something else follows"));
    fb_input_close(&in);
    packed[first - 6] ^= 1; /* the sum */
    ck_assert_int_eq(unpack(packed, first, &in), FB_EFORMAT);
    ck_assert_ptr_nonnull(strstr(e.msg, "incorrect data check"));
    fb_input_close(&in);
    free(text);
    free(packed);
}
END_TEST

START_TEST(a_small_file_does_not_claim_all_memory)
{
    enum { N = 1 << 20 };
    unsigned char *zeros = calloc(N, 1), packed[4096];
    fb_input in;
    const size_t n = gzip(zeros, N, packed, sizeof packed);
    ck_assert_int_eq(unpack(packed, n, &in), FB_OK); /* 1000 times, but little */
    fb_input_close(&in);
    fb_unpack_free = 1000;
    ck_assert_int_eq(unpack(packed, n, &in), FB_EFORMAT);
    ck_assert_msg(strstr(e.msg, "100 times the file") != NULL, "%s", e.msg);
    fb_input_close(&in);
    fb_unpack_free = 1 << 30;
    fb_status last = FB_ESYS;
    for (long k = 0; last && k < 50; k++) {
        unsigned char *copy = malloc(n);
        memcpy(copy, packed, n);
        in = (fb_input){.data = copy, .size = n, .name = strdup("job.gz")};
        fb_alloc_fail_after = k;
        last = in_place(&in);
        fb_alloc_fail_after = -1;
        ck_assert(!last || last == FB_ESYS);
        fb_input_close(&in);
    }
    ck_assert_int_eq(last, FB_OK);
    free(zeros);
}
END_TEST

Suite *suite_bytes(void)
{
    Suite *s = suite_create("bytes");
    TCase *t = tcase_create("all");
    tcase_add_loop_test(t, words_in_both_orders, 0, 2);
    tcase_add_loop_test(t, blocks_come_back, 0, 2);
    tcase_add_test(t, a_spool_takes_what_is_full);
    tcase_add_test(t, a_full_disk_is_said);
    tcase_add_test(t, an_input_given_back_can_be_read_again);
    tcase_add_test(t, children_that_nobody_keeps);
    tcase_add_test(t, no_children_at_all);
    tcase_add_test(t, packed_inputs_are_unpacked);
    tcase_add_test(t, a_small_file_does_not_claim_all_memory);
    tcase_add_test(t, the_way_through_an_input_is_told);
    suite_add_tcase(s, t);
    return s;
}
