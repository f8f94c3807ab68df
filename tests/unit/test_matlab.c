/* SPDX-License-Identifier: GPL-3.0-or-later */
/* test_matlab.c - MATLAB files of versions 5 and 7, element by element: both orders of bytes,
 * packed or not, cut off at every byte, sizes that lie. */
#include "mnfparse/matlab/mat.h"
#include "mnfparse/reader.h"
#include "tests/suites.h"
#include <zlib.h>

enum { INT8 = 1, UINT8 = 2, INT32 = 5, UINT32 = 6, DOUBLE = 9, MATRIX = 14, COMPRESSED = 15 };
enum { CELL = 1, STRUCT = 2, TEXT = 4, SPARSE = 5, REAL = 6, COMPLEX = 0x800, LOGICAL = 0x200 };
enum { N = 3 };

static fb_err e;
static const double K[N * N] = {4, -1, 0, -1, 4, -2, 0, -2, 5},
                          M[N * N] = {2, 0, 0, 0, 3, 0, 0, 0, 7};

static void header(fb_buf *o, int little)
{
    char text[116];
    memset(text, ' ', sizeof text);
    o->little = little;
    fb_put_bytes(o, text, sizeof text);
    fb_put_i32(o, 0);
    fb_put_i32(o, 0);
    fb_put_bytes(o, little ? "\0\1IM" : "\1\0MI", 4);
}

static void fill_up(fb_buf *o, int64_t bytes)
{
    for (; bytes % 8; bytes++)
        fb_put_bytes(o, "", 1);
}

static void put_ints(fb_buf *o, int type, int n, const int *v)
{
    fb_put_i32(o, type);
    fb_put_i32(o, 4 * n);
    for (int k = 0; k < n; k++)
        fb_put_i32(o, v[k]);
    fill_up(o, 4 * n);
}

static void put_text(fb_buf *o, const char *t, size_t n)
{
    fb_put_i32(o, INT8);
    fb_put_i32(o, (int64_t)n);
    fb_put_bytes(o, t, n);
    fill_up(o, (int64_t)n);
}

static void put_reals(fb_buf *o, const double *x, int n)
{
    fb_put_i32(o, DOUBLE);
    fb_put_i32(o, 8 * n);
    fb_put_f64(o, x, n);
}

/* A matrix element begins; what end() is given. */
static int64_t begin(fb_buf *o, int class, int m, int n, const char *name)
{
    const int64_t at = o->size;
    fb_put_i32(o, MATRIX);
    fb_put_i32(o, 0);
    put_ints(o, UINT32, 2, (int[]){class, 0});
    put_ints(o, INT32, 2, (int[]){m, n});
    put_text(o, name, strlen(name));
    return at;
}

static void set_word(fb_buf *o, int64_t at, int64_t v)
{
    fb_buf w = {.little = o->little};
    fb_put_i32(&w, v);
    memcpy(o->data + at, w.data, 4);
    fb_buf_free(&w);
}

static void end(fb_buf *o, int64_t at)
{
    set_word(o, at + 4, o->size - at - 8);
}

static void put_full(fb_buf *o, const char *name, const double *x)
{
    const int64_t at = begin(o, REAL, N, N, name);
    put_reals(o, x, N * N);
    end(o, at);
}

static void put_sparse(fb_buf *o, const char *name) /* K, room for 9 */
{
    static const double values[9] = {4, -1, -1, 4, -2, -2, 5, 0, 0};
    const int64_t at = begin(o, SPARSE, N, N, name);
    put_ints(o, INT32, 9, (int[]){0, 1, 0, 1, 2, 1, 2, 0, 0});
    put_ints(o, INT32, N + 1, (int[]){0, 2, 5, 7});
    put_reals(o, values, 9);
    end(o, at);
}

/* The element that begins at `at`, packed. */
static void pack(fb_buf *o, int64_t at)
{
    uLongf n = compressBound((uLong)(o->size - at));
    Bytef *packed = calloc(n, 1);
    ck_assert_ptr_nonnull(packed);
    ck_assert_int_eq(compress(packed, &n, o->data + at, (uLong)(o->size - at)), Z_OK);
    o->size = at;
    fb_put_i32(o, COMPRESSED);
    fb_put_i32(o, (int64_t)n);
    fb_put_bytes(o, packed, n);
    free(packed);
}

/* K sparse or full at the top; M in a struct in a struct, beside a cell and a text, which mean
 * nothing. */
static void whole_file(fb_buf *o, int little, int packed, int sparse)
{
    static const char fields[] = "note\0\0\0\0M\0\0\0\0\0\0"; /* two names of 8 bytes */
    header(o, little);
    int64_t at = o->size, in, inner;
    if (sparse)
        put_sparse(o, "K");
    else
        put_full(o, "K", K);
    if (packed)
        pack(o, at);
    at = begin(o, STRUCT, 1, 1, "body");
    put_ints(o, INT32, 1, (int[]){8});
    put_text(o, "matrices", 8);
    in = begin(o, STRUCT, 1, 1, "");
    put_ints(o, INT32, 1, (int[]){8});
    put_text(o, fields, sizeof fields);
    inner = begin(o, TEXT, 1, 2, "");
    put_text(o, "ab", 2);
    end(o, inner);
    put_full(o, "", M);
    end(o, in);
    end(o, at);
    if (packed)
        pack(o, at);
    at = o->size;
    in = begin(o, CELL, 1, 1, "list");
    put_full(o, "", K);
    end(o, in);
    if (packed)
        pack(o, at);
}

static fb_status parse(const fb_buf *o, int64_t size, fb_parts *p)
{
    char name[] = "test.mat";
    /* a block of its own: a byte too many that is read is seen */
    unsigned char *data = malloc((size_t)size);
    ck_assert_ptr_nonnull(data);
    memcpy(data, o->data, (size_t)size);
    const fb_input in = {.data = data, .size = (size_t)size, .name = name};
    fb_log log = {0};
    fb_status s = fb_reader_matlab.sniff(&in) ? FB_OK : fb_fail(&e, FB_EFORMAT, "not known");
    if (!s)
        s = fb_reader_matlab.read(&in, p, &log, &e);
    free(data);
    fb_log_free(&log);
    return s;
}

static void is_matrix(const fb_matrix *a, const char *name, fb_role role, const double *x)
{
    double y[N * N] = {0};
    ck_assert_str_eq(a->name, name);
    ck_assert_int_eq(a->role, role);
    ck_assert_int_eq(a->A.n, N);
    for (int64_t j = 0; j < N; j++)
        for (int64_t q = a->A.p[j]; q < a->A.p[j + 1]; q++)
            y[j * N + a->A.i[q]] += a->A.x[q];
    for (int k = 0; k < N * N; k++)
        ck_assert_double_eq(y[k], x[k]);
}

START_TEST(both_orders_packed_or_not)
{
    fb_buf o = {0};
    fb_parts p = {0};
    whole_file(&o, _i & 1, _i & 2, _i & 4);
    ck_assert_msg(parse(&o, o.size, &p) == FB_OK, "%s", e.msg);
    ck_assert_int_eq(p.nmatrix, 2);
    is_matrix(p.matrix, "K", FB_ROLE_STIFFNESS, K);
    is_matrix(p.matrix + 1, "body.matrices.M", FB_ROLE_MASS, M);
    fb_parts_free(&p);
    fb_buf_free(&o);
}
END_TEST

/* A cut between two variables leaves a file that is whole; every other one is an error that names
 * the byte. */
START_TEST(cut_at_every_byte)
{
    fb_buf o = {0};
    int whole = 0;
    whole_file(&o, _i & 1, _i & 2, _i & 4);
    for (int64_t size = 128; size < o.size; size++) {
        fb_parts p = {0};
        const fb_status s = parse(&o, size, &p);
        ck_assert_int_eq(s, s ? FB_EFORMAT : FB_OK);
        whole += s == FB_OK;
        if (s && size > 128)
            ck_assert_msg(strstr(e.msg, "byte ") && strstr(e.msg, "cut off"), "%s", e.msg);
        fb_parts_free(&p);
    }
    ck_assert_int_eq(whole, 2); /* K alone; K and the struct */
    fb_buf_free(&o);
}
END_TEST

/* Each word of the file in turn is made larger, smaller, huge: an error or another matrix, never a
 * crash or a byte that is not of the file. */
START_TEST(sizes_that_lie)
{
    static const int64_t lies[] = {-8, 8, 1, 0x7fffffff, -1};
    fb_buf o = {0};
    whole_file(&o, 1, 0, _i);
    for (int64_t at = 128; at + 4 <= o.size; at += 4)
        for (size_t k = 0; k < sizeof lies / sizeof *lies; k++) {
            fb_parts p = {0};
            int32_t was;
            memcpy(&was, o.data + at, 4);
            set_word(&o, at, k < 3 ? was + lies[k] : lies[k]);
            const fb_status s = parse(&o, o.size, &p);
            ck_assert_msg(s == FB_OK || s == FB_EFORMAT, "byte %d: %s", (int)at, e.msg);
            set_word(&o, at, was);
            fb_parts_free(&p);
        }
    fb_buf_free(&o);
}
END_TEST

static void refused(fb_buf *o, const char *what)
{
    fb_parts p = {0};
    ck_assert_int_eq(parse(o, o->size, &p), FB_EFORMAT);
    ck_assert_msg(strstr(e.msg, what) != NULL, "\"%s\" in \"%s\"", what, e.msg);
    fb_parts_free(&p);
    fb_buf_free(o);
    *o = (fb_buf){0};
}

START_TEST(named_faults)
{
    fb_buf o = {0};
    int64_t at;
    header(&o, 1);
    at = begin(&o, REAL, N, N, "K");
    put_reals(&o, K, N * N - 1);
    end(&o, at);
    refused(&o, "byte 256, variable K: values: 8, wanted: 9");
    header(&o, 1);
    at = begin(&o, REAL | COMPLEX, N, N, "K"); /* and no imaginary part */
    put_reals(&o, K, N * N);
    end(&o, at);
    refused(&o, "variable K: bytes where an element begins: 0, wanted: 8");
    header(&o, 1);
    at = begin(&o, REAL, 1 << 30, 1 << 30, "K");
    end(&o, at);
    refused(&o, "variable K: bytes left for the values");
    header(&o, 1);
    at = begin(&o, SPARSE, N, N, "K");
    put_ints(&o, INT32, 2, (int[]){0, 1});
    put_ints(&o, INT32, N + 1, (int[]){0, 1, 2, 3});
    put_reals(&o, K, 2);
    end(&o, at);
    refused(&o, "variable K: row indices: 2, wanted: 3");
    header(&o, 1);
    put_full(&o, "K", K);
    pack(&o, 128);
    o.data[o.size - 1] ^= 1; /* its check sum */
    refused(&o, "of a packed variable");
    header(&o, 1);
    put_full(&o, "K", K);
    set_word(&o, 132, 0x7ffffff0); /* packed: 2 GB out of 100 bytes */
    pack(&o, 128);
    refused(&o, "bytes that may be packed here");
    header(&o, 1);
    at = begin(&o, STRUCT, 1, 1, "body");
    put_ints(&o, INT32, 1, (int[]){8});
    put_text(&o, "K\0\0\0\0\0\0", 8);
    put_full(&o, "", K);
    end(&o, at);
    set_word(&o, at + 4, 160); /* the field is longer than its struct */
    refused(&o, "variable body: bytes left for an element");
    header(&o, 1);
    put_ints(&o, INT32, 2, (int[]){1, 2});
    refused(&o, "type of an element: 5, wanted: 14");
}
END_TEST

/* MATLAB writes the values of a logical sparse matrix as bytes and calls them doubles. */
START_TEST(logical_sparse)
{
    static const double ones[N * N] = {1, 0, 0, 0, 1, 0, 0, 0, 1};
    fb_buf o = {0};
    fb_parts p = {0};
    header(&o, 1);
    const int64_t at = begin(&o, SPARSE | LOGICAL, N, N, "A");
    static const int room[] = {N, 8 * N, 100}, rows[100] = {0, 1, 2};
    put_ints(&o, INT32, room[_i], rows);
    put_ints(&o, INT32, N + 1, (int[]){0, 1, 2, 3});
    fb_put_i32(&o, DOUBLE);
    fb_put_i32(&o, room[_i]);
    for (int k = 0; k < room[_i]; k++)
        fb_put_bytes(&o, "\1", 1);
    fill_up(&o, room[_i]);
    end(&o, at);
    ck_assert_msg(parse(&o, o.size, &p) == FB_OK, "%s", e.msg);
    is_matrix(p.matrix, "A", FB_ROLE_UNKNOWN, ones);
    fb_parts_free(&p);
    fb_buf_free(&o);
}
END_TEST

static void heard(void *self, int is_warning, const char *line)
{
    char *said = self;
    size_t n = strlen(said);
    snprintf(said + n, 2000 - n, "%s%s\n", is_warning ? "warning: " : "", line);
}

/* Variables of no meaning may hold anything, and are not in the way; matrices of the model that
 * cannot be read are named. */
START_TEST(results_beside_the_model)
{
    char name[] = "test.mat", said[2000] = "";
    static const double triplets[15] = {1, 2, 3, 1, 2, 1, 2, 3, 2, 1, 5, 5, 5, 1, 1};
    double nan[N * N];
    fb_buf o = {0};
    fb_parts p = {0};
    fb_log log = {.verbose = 1, .sink = heard, .self = said};
    int64_t at;
    for (int k = 0; k < N * N; k++)
        nan[k] = k % 2 ? 1 : 0.0 / 0.0;
    header(&o, 1);
    put_full(&o, "K", K);
    put_full(&o, "results", nan);
    at = begin(&o, REAL | COMPLEX, 5, 3, "M");
    put_reals(&o, triplets, 15);
    put_reals(&o, triplets, 15);
    end(&o, at);
    at = begin(&o, STRUCT, 1, 2, "D");
    end(&o, at);
    const fb_input file = {.data = o.data, .size = (size_t)o.size, .name = name};
    ck_assert_msg(fb_reader_matlab.read(&file, &p, &log, &e) == FB_OK, "%s", e.msg);
    ck_assert_int_eq(p.nmatrix, 2);
    is_matrix(p.matrix, "K", FB_ROLE_STIFFNESS, K);
    ck_assert_int_eq(p.matrix[1].role, FB_ROLE_MASS);
    ck_assert_ptr_nonnull(p.matrix[1].imag);
    ck_assert_double_eq(p.matrix[1].imag[0], 5);
    ck_assert_msg(strstr(said, "results holds values that are not finite: not used") != NULL, "%s",
                  said);
    ck_assert_msg(strstr(said, "warning: test.mat: D is not used: an array of structs") != NULL,
                  "%s", said);
    fb_log_free(&log);
    fb_parts_free(&p);
    fb_buf_free(&o);
}
END_TEST

/* A vector is a column in MATLAB; NumPy's have no direction, and savemat writes them as rows. */
START_TEST(dofs_in_a_row)
{
    static const struct {
        int64_t m, n;
        double x[6];
        const char *refused, *warned;
    } row[] = {
        {1, 3, {12.01, 12.06, 7.03}, NULL, NULL},
        {3, 1, {12.01, 12.06, 7.03}, NULL, NULL},
        {1,
         3,
         {1.1, 2.1, 3.1},
         "entry 1: 1.1 is no node.component: components 1 to 6 of node 12 are 12.01 to 12.06",
         NULL},
        {2,
         3,
         {1, 2, 3, 4, 5, 6},
         NULL,
         "dofs is 2 by 3: a row a dof, of node and component, or a column"},
    };
    for (size_t k = 0; k < sizeof row / sizeof *row; k++) {
        fb_parts p = {0};
        fb_log log = {0};
        fb_err er = {0};
        fb_mat_file r = {.p = &p, .origin = "t.mat", .log = &log};
        fb_status s =
            fb_mat_full(&r, &(fb_mat_array){"dofs", row[k].m, row[k].n, row[k].x, NULL}, &er);
        ck_assert_int_eq(s, row[k].refused ? FB_EFORMAT : FB_OK);
        if (row[k].refused)
            ck_assert_msg(strstr(er.msg, row[k].refused) != NULL, "%s", er.msg);
        ck_assert_int_eq(log.nwarning, row[k].warned != NULL);
        if (row[k].warned)
            ck_assert_msg(strstr(log.warning[0], row[k].warned) != NULL, "%s", log.warning[0]);
        if (!row[k].refused && !row[k].warned) {
            ck_assert_int_eq(p.ntable, 3);
            ck_assert(p.table.node[1] == 12 && p.table.component[1] == 6 && p.table.node[2] == 7 &&
                      p.table.component[2] == 3);
        }
        fb_parts_free(&p);
        fb_log_free(&log);
    }
}
END_TEST

/* 1.2 GB announced at the head of what is packed in 1.2 MB (zlib packs 1032 times at the most):
 * refused before a byte of it is unpacked. What a file may unpack to counts all its variables: 1
 * GiB, or a hundred times its size. */
START_TEST(packed_out_of_proportion)
{
    enum { BODY = 1200000000, JUNK = 1200000 };
    char name[] = "bomb.mat";
    fb_buf o = {0}, tag = {.little = 1};
    fb_parts p = {0};
    fb_log log = {0};
    uLongf n = 100;
    unsigned char packed[100];
    header(&o, 1);
    fb_put_i32(&tag, MATRIX);
    fb_put_i32(&tag, BODY);
    ck_assert_int_eq(compress(packed, &n, tag.data, (uLong)tag.size), Z_OK);
    fb_put_i32(&o, COMPRESSED);
    fb_put_i32(&o, JUNK);
    fb_put_bytes(&o, packed, n);
    for (int k = 0; k < JUNK / 16; k++)
        fb_put_bytes(&o, "0123456789abcdef", 16);
    fb_input in = {.data = o.data, .size = (size_t)o.size, .name = name};
    ck_assert_int_eq(fb_reader_matlab.read(&in, &p, &log, &e), FB_EFORMAT);
    ck_assert_msg(
        strstr(e.msg,
               "packed variables of 1.2e+03 MB in a file of 1.2 MB: 1 GB or 100 times the file") !=
            NULL,
        "%s", e.msg);
    for (int k = 0; k < 2; k++) {
        fb_mat_file r = {.size = k ? 50000000 : 1000};
        const double most = k ? 5e9 : 1073741824;
        ck_assert_int_eq(fb_mat_unpack(&r, most / 2, &e), FB_OK);
        ck_assert_int_eq(fb_mat_unpack(&r, most / 2, &e), FB_OK);
        ck_assert_int_eq(fb_mat_unpack(&r, 1, &e), FB_EFORMAT);
    }
    fb_parts_free(&p);
    fb_log_free(&log);
    fb_buf_free(&o);
    fb_buf_free(&tag);
}
END_TEST

Suite *suite_matlab(void)
{
    Suite *s = suite_create("matlab");
    TCase *t = tcase_create("elements");
    tcase_set_timeout(t, 120); /* a process for each file that the guard lets through */
    tcase_add_loop_test(t, both_orders_packed_or_not, 0, 8);
    tcase_add_loop_test(t, cut_at_every_byte, 0, 8);
    tcase_add_loop_test(t, sizes_that_lie, 0, 2);
    tcase_add_test(t, dofs_in_a_row);
    tcase_add_test(t, packed_out_of_proportion);
    tcase_add_test(t, named_faults);
    tcase_add_loop_test(t, logical_sparse, 0, 3);
    tcase_add_test(t, results_beside_the_model);
    suite_add_tcase(s, t);
    return s;
}
