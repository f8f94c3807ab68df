/* SPDX-License-Identifier: GPL-3.0-or-later */
/* test_arrays.c - arrays of NumPy, SciPy and Octave, matrices as text: files written here by their
 * descriptions. tests/fuzz/corpus has some that the programs wrote. */
#include "mnfparse/join/assemble.h"
#include "mnfparse/reader.h"
#include "tests/model/near.h"
#include "tests/suites.h"
#include <math.h>
#include <zlib.h>

static fb_err e;
static fb_log hush;

static fb_status parse(const fb_reader *r, const char *name, const void *d, size_t n, fb_parts *p)
{
    return read_exactly(r, name, d, n, p, &hush, &e);
}

/* K = [2 -1 0; -1 2 -1; 0 -1 1.5], whatever the form. */
static void is_spring(const fb_parts *p, const char *name)
{
    static const double want[9] = {2, -1, 0, -1, 2, -1, 0, -1, 1.5};
    ck_assert_int_ge(p->nmatrix, 1);
    const fb_matrix *m = p->matrix;
    ck_assert_str_eq(m->name, name);
    ck_assert_int_eq(m->role, FB_ROLE_STIFFNESS);
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++)
            if (!m->A.upper || i <= j)
                ck_assert_double_eq_tol(entry_at(&m->A, i, j), want[3 * i + j], 1e-15);
}

/* ---- .npy -------------------------------------------------------------------------------- */

static size_t npy(unsigned char *o, const char *dict, const void *data, size_t bytes)
{
    static const unsigned char magic[] = {0x93, 'N', 'U', 'M', 'P', 'Y', 1, 0};
    const size_t n = strlen(dict);
    memcpy(o, magic, 8);
    o[8] = (unsigned char)n;
    o[9] = 0;
    memcpy(o + 10, dict, n);
    memcpy(o + 10 + n, data, bytes);
    return 10 + n + bytes;
}

#define DICT(type, order, shape) \
    "{'descr': '" type "', 'fortran_order': " order ", 'shape': " shape ", }  \n"

static const double spring[9] = {2, -1, 0, -1, 2, -1, 0, -1, 1.5};

START_TEST(arrays_of_every_type)
{
    static const float f4[9] = {2, -1, 0, -1, 2, -1, 0, -1, 1.5f};
    static const double c16[18] = {2, 0, -1, 0, 0, 0, -1, 0, 2, 0, -1, 0, 0, 0, -1, 0, 1.5, 0};
    unsigned char o[512], big[72];
    for (int k = 0; k < 9; k++)
        for (int b = 0; b < 8; b++)
            big[8 * k + b] = ((const unsigned char *)(spring + k))[7 - b];
    const struct {
        const char *dict;
        const void *data;
        size_t bytes;
    } row[] = {{DICT("<f8", "False", "(3, 3)"), spring, 72},
               {DICT("<f8", "True", "(3, 3)"), spring, 72},
               {DICT(">f8", "False", "(3, 3)"), big, 72},
               {DICT("<f4", "False", "(3,3)"), f4, 36},
               {DICT("<c16", "False", "(3, 3)"), c16, 144}};
    fb_parts p = {0};
    const size_t n = npy(o, row[_i].dict, row[_i].data, row[_i].bytes);
    ck_assert_msg(!parse(&fb_reader_npy, "x/K.npy", o, n, &p), "%s", e.msg);
    is_spring(&p, "K");
    fb_parts_free(&p);
    for (size_t cut = 0; cut < n; cut++) {
        ck_assert_int_eq(parse(&fb_reader_npy, "K.npy", o, cut, &p), FB_EFORMAT);
        fb_parts_free(&p);
    }
}
END_TEST

START_TEST(whole_numbers_have_signs)
{
    static const signed char i1[4] = {-100, 0, 0, 100};
    unsigned char o[256];
    fb_parts p = {0};
    size_t n = npy(o, DICT("|i1", "False", "(2, 2)"), i1, 4);
    ck_assert_msg(!parse(&fb_reader_npy, "K.npy", o, n, &p), "%s", e.msg);
    ck_assert_double_eq_tol(entry_at(&p.matrix[0].A, 0, 0), -100, 1e-300);
    ck_assert_double_eq_tol(entry_at(&p.matrix[0].A, 1, 1), 100, 1e-300);
    fb_parts_free(&p);
    n = npy(o, DICT("<U5", "False", "()"), i1, 4);
    ck_assert_int_eq(parse(&fb_reader_npy, "K.npy", o, n, &p), FB_EFORMAT);
    ck_assert_ptr_nonnull(strstr(e.msg, "no matrix, node or dof table"));
    fb_parts_free(&p);
    n = npy(o, DICT("|i1", "False", "(2 2)"), i1, 4);
    ck_assert_int_eq(parse(&fb_reader_npy, "K.npy", o, n, &p), FB_EFORMAT);
    ck_assert_ptr_nonnull(strstr(e.msg, "shape"));
    fb_parts_free(&p);
    n = npy(o, DICT("|i1", "False", "(2, 2)"), i1, 4);
    o[6] = 9;
    ck_assert_int_eq(parse(&fb_reader_npy, "K.npy", o, n, &p), FB_EFORMAT);
    ck_assert_ptr_nonnull(strstr(e.msg, "version 9"));
    fb_parts_free(&p);
    n = npy(o, DICT("<f8", "False", "(9000000000, 3)"), i1, 4);
    ck_assert_int_eq(parse(&fb_reader_npy, "K.npy", o, n, &p), FB_EFORMAT);
    ck_assert_ptr_nonnull(strstr(e.msg, "needs more than the 4 bytes"));
    fb_parts_free(&p);
}
END_TEST

/* ---- .npz -------------------------------------------------------------------------------- */

typedef struct {
    unsigned char d[8192], dir[2048];
    size_t n, ndir, count;
    int packed;
} zip;

static void le(unsigned char *o, uint64_t x, int bytes)
{
    for (int k = 0; k < bytes; k++)
        o[k] = (unsigned char)(x >> 8 * k);
}

/* Sizes stand in the directory alone, as behind a streamed member. */
static void add(zip *z, const char *name, const unsigned char *data, size_t n)
{
    unsigned char body[2048];
    size_t size = n;
    const size_t length = strlen(name);
    memcpy(body, data, n);
    if (z->packed) {
        z_stream s = {.next_in = (unsigned char *)(uintptr_t)data, .next_out = body};
        s.avail_in = (uInt)n;
        s.avail_out = sizeof body;
        ck_assert_int_eq(deflateInit2(&s, 9, Z_DEFLATED, -15, 9, Z_DEFAULT_STRATEGY), Z_OK);
        ck_assert_int_eq(deflate(&s, Z_FINISH), Z_STREAM_END);
        size = sizeof body - s.avail_out;
        deflateEnd(&s);
    }
    unsigned char *l = z->d + z->n, *c = z->dir + z->ndir;
    memset(l, 0, 30);
    memcpy(l, "PK\3\4", 4);
    le(l + 8, z->packed ? 8 : 0, 2);
    le(l + 26, length, 2);
    memset(c, 0, 46);
    memcpy(c, "PK\1\2", 4);
    le(c + 10, z->packed ? 8 : 0, 2);
    le(c + 16, crc32(0, data, (uInt)n), 4);
    le(c + 20, size, 4);
    le(c + 24, n, 4);
    le(c + 28, length, 2);
    le(c + 42, z->n, 4);
    memcpy(l + 30, name, length);
    memcpy(c + 46, name, length);
    memcpy(l + 30 + length, body, size);
    z->n += 30 + length + size;
    z->ndir += 46 + length;
    z->count++;
}

static size_t close_zip(zip *z)
{
    unsigned char *o = z->d + z->n;
    memcpy(o, z->dir, z->ndir);
    memset(o + z->ndir, 0, 22);
    memcpy(o + z->ndir, "PK\5\6", 4);
    le(o + z->ndir + 10, z->count, 2);
    le(o + z->ndir + 12, z->ndir, 4);
    le(o + z->ndir + 16, z->n, 4);
    return z->n + z->ndir + 22;
}

static void put_array(zip *z, const char *name, const char *dict, const void *data, size_t bytes)
{
    unsigned char o[1024];
    add(z, name, o, npy(o, dict, data, bytes));
}

static size_t plain(zip *z)
{
    static const int64_t dofs[6] = {7, 1, 7, 2, 7, 3};
    put_array(z, "K.npy", DICT("<f8", "False", "(3, 3)"), spring, 72);
    put_array(z, "dofs.npy", DICT("<i8", "False", "(3, 2)"), dofs, 48);
    return close_zip(z);
}

START_TEST(zips_of_arrays)
{
    zip z = {.packed = _i};
    fb_parts p = {0};
    const size_t n = plain(&z);
    ck_assert_msg(!parse(&fb_reader_npz, "job.npz", z.d, n, &p), "%s", e.msg);
    is_spring(&p, "K");
    ck_assert_int_eq(p.ntable, 3);
    ck_assert_int_eq(p.table.node[2], 7);
    ck_assert_int_eq(p.table.component[2], 3);
    fb_parts_free(&p);
    for (size_t cut = 0; cut < n; cut++) { /* the directory stands at the end */
        ck_assert_int_eq(parse(&fb_reader_npz, "job.npz", z.d, cut, &p), FB_EFORMAT);
        fb_parts_free(&p);
    }
    const size_t head = 30 + strlen("K.npy"),
                 within = _i ? 45 : head + 10 + strlen(DICT("<f8", "False", "(3, 3)")) + 6;
    z.d[within] ^= 0x55; /* of what is deflated; of a number */
    ck_assert_int_eq(parse(&fb_reader_npz, "job.npz", z.d, n, &p), FB_EFORMAT);
    ck_assert_ptr_nonnull(strstr(e.msg, "damaged"));
    fb_parts_free(&p);
}
END_TEST

/* The spring by rows, by columns and as entries in any order. */
static size_t sparse(zip *z, const char *format, int32_t bend)
{
    static const double x[7] = {2, -1, -1, 2, -1, -1, 1.5}, y[7] = {1.5, 2, -1, -1, 2, -1, -1};
    const int32_t ptr[4] = {0, 2, 5, 7 + bend}, index[7] = {0, 1, 0, 1, 2, 1, 2},
                  row[7] = {2, 0, 0, 1, 1, 1, 2}, col[7] = {2, 0, 1, 0, 1, 2, 1};
    const int64_t shape[2] = {3, 3};
    put_array(z, "format.npy", DICT("|S3", "False", "()"), format, 3);
    put_array(z, "shape.npy", DICT("<i8", "False", "(2,)"), shape, 16);
    if (strcmp(format, "coo")) {
        put_array(z, "indptr.npy", DICT("<i4", "False", "(4,)"), ptr, 16);
        put_array(z, "indices.npy", DICT("<i4", "False", "(7,)"), index, 28);
        put_array(z, "data.npy", DICT("<f8", "False", "(7,)"), x, 56);
    } else {
        put_array(z, "row.npy", DICT("<i4", "False", "(7,)"), row, 28);
        put_array(z, "col.npy", DICT("<i4", "False", "(7,)"), col, 28);
        put_array(z, "data.npy", DICT("<f8", "False", "(7,)"), y, 56);
    }
    return close_zip(z);
}

START_TEST(sparse_matrices_of_scipy)
{
    static const char *const format[] = {"csr", "csc", "coo"};
    zip z = {0};
    fb_parts p = {0};
    const size_t n = sparse(&z, format[_i], 0);
    ck_assert_msg(!parse(&fb_reader_npz, "K.npz", z.d, n, &p), "%s", e.msg);
    is_spring(&p, "K");
    fb_parts_free(&p);
    z = (zip){0};
    if (_i < 2) {
        ck_assert_int_eq(parse(&fb_reader_npz, "K.npz", z.d, sparse(&z, format[_i], -1), &p),
                         FB_EFORMAT);
        ck_assert_msg(strstr(e.msg, "does not end at 7") != NULL, "%s", e.msg);
    }
    fb_parts_free(&p);
    z = (zip){0};
    ck_assert_int_eq(parse(&fb_reader_npz, "K.npz", z.d, sparse(&z, "dia", 0), &p), FB_EFORMAT);
    ck_assert_msg(strstr(e.msg, "form 'dia'") != NULL, "%s", e.msg);
    fb_parts_free(&p);
}
END_TEST

/* ---- Octave, text ------------------------------------------------------------------------ */

#define HEAD_OF(name, type) "# name: " name "\n# type: " type "\n"
#define SPRING_ROWS         " 2 -1 0\n -1 2 -1\n 0 -1 1.5\n\n\n"
static const struct {
    const char *text, *says; /* NULL: the spring */
} saved[] = {
    {"# Created by Octave 7.3.0\n" HEAD_OF("K", "matrix") "# rows: 3\n# columns: 3\n" SPRING_ROWS,
     NULL},
    {HEAD_OF("t", "string") "# elements: 1\n# length: 5\nhello\n\n" HEAD_OF(
         "s",
         "scalar struct") "# ndims: 2\n 1 1\n# length: 1\n" HEAD_OF("K",
                                                                    "sparse matrix") "# nnz: 7\n# "
                                                                                     "rows: 3\n# "
                                                                                     "columns: "
                                                                                     "3\n1 1 2\n2 "
                                                                                     "1 -1\n1 2 "
                                                                                     "-1\n2 2 2\n3 "
                                                                                     "2 -1\n2 3 "
                                                                                     "-1\n"
                                                                                     "3 3 1.5\n\n",
     NULL},
    {HEAD_OF("K", "float matrix") "# ndims: 2\n 3 3\n 2\n -1\n 0\n -1\n 2\n -1\n 0\n -1\n 1.5\n",
     NULL},
    {HEAD_OF("K", "complex matrix") "# rows: 3\n# columns: 3\n (2,0) (-1,0) (0,0)\n (-1,0) (2,0) "
                                    "(-1,0)\n (0,0) (-1,0) (1.5,0)\n",
     NULL},
    {HEAD_OF("K", "matrix") "# rows: 3\n# columns: 3\n 2 -1 NaN\n -1 2 -1\n", "no matrix"},
    {HEAD_OF("K", "matrix") "# rows: 300\n# columns: 300\n 2 -1 0\n", "more values than bytes"},
    {HEAD_OF("K", "matrix") "# ndims: 3\n 2 2 2\n 1\n 1\n", "no matrix"},
    {HEAD_OF("K", "sparse matrix") "# rows: 3\n# columns: 3\n", "'# nnz: number' is wanted"},
    {HEAD_OF("K", "sparse matrix") "# nnz: 2\n# rows: 3\n# columns: 3\n1 2 5\n1 1 5\n",
     "column by column"},
    {HEAD_OF("K", "sparse matrix") "# nnz: 1\n# rows: 3\n# columns: 3\n4 1 5\n",
     "column by column"},
    {HEAD_OF("K", "sparse matrix") "# nnz: 900\n# rows: 3\n# columns: 3\n1 1 5\n",
     "more entries than bytes"},
    {HEAD_OF("K", "diagonal matrix") "# rows: 900000\n# columns: 3\n1\n1\n1\n", "sparse"},
};

START_TEST(variables_of_octave)
{
    fb_parts p = {0};
    const char *text = saved[_i].text;
    const fb_status s = parse(&fb_reader_octave, "a.txt", text, strlen(text), &p);
    if (saved[_i].says) {
        ck_assert_int_eq(s, FB_EFORMAT);
        ck_assert_msg(strstr(e.msg, saved[_i].says) != NULL, "%s", e.msg);
    } else {
        ck_assert_msg(!s, "%s", e.msg);
        is_spring(&p, "K");
    }
    fb_parts_free(&p);
}
END_TEST

/* ---- text, a row a line ------------------------------------------------------------------ */

START_TEST(matrices_as_text)
{
    static const struct {
        const char *text, *says;
    } row[] = {{"2,-1,0\n-1,2,-1\n0,-1,1.5\n", NULL},
               {"# K\n2; -1; 0\r\n-1; 2; -1\r\n0; -1; 1.5\r\n", NULL},
               {" 2.0e0 -1 0 \n\n-1\t2 -1\n0 -1 1.5", NULL},
               {"2,-1,0\n-1,2\n", "2 numbers, the first row has 3"},
               {"2,-1,0\n-1,x,2\n", "numbers between commas"},
               {"# nothing\n", "numbers between commas"}};
    fb_parts p = {0};
    const fb_status s = parse(&fb_reader_csv, "K.csv", row[_i].text, strlen(row[_i].text), &p);
    if (row[_i].says) {
        ck_assert_int_eq(s, FB_EFORMAT);
        ck_assert_msg(strstr(e.msg, row[_i].says) != NULL, "%s", e.msg);
    } else {
        ck_assert_msg(!s, "%s", e.msg);
        is_spring(&p, "K");
    }
    fb_parts_free(&p);
}
END_TEST

/* ---- all --------------------------------------------------------------------------------- */

START_TEST(without_memory)
{
    zip z = {.packed = 1};
    const size_t n = _i == 0 ? plain(&z) : sparse(&z, "coo", 0);
    fb_status last = FB_ESYS;
    for (long k = 0; last && k < 400; k++) {
        fb_parts p = {0};
        fb_alloc_fail_after = k;
        last = _i < 2 ? parse(&fb_reader_npz, "K.npz", z.d, n, &p)
                      : parse(_i == 2 ? &fb_reader_octave : &fb_reader_csv, "K.csv",
                              _i == 2 ? saved[1].text : "2,-1,0\n-1,2,-1\n0,-1,1.5\n",
                              _i == 2 ? strlen(saved[1].text) : 24, &p);
        fb_alloc_fail_after = -1;
        ck_assert_msg(!last || last == FB_ESYS, "%s", e.msg);
        fb_parts_free(&p);
    }
    ck_assert_int_eq(last, FB_OK);
}
END_TEST

static void done(void)
{
    fb_log_free(&hush);
}

Suite *suite_arrays(void)
{
    Suite *s = suite_create("arrays");
    TCase *c = tcase_create("arrays");
    tcase_add_checked_fixture(c, NULL, done);
    tcase_add_loop_test(c, arrays_of_every_type, 0, 5);
    tcase_add_test(c, whole_numbers_have_signs);
    tcase_add_loop_test(c, zips_of_arrays, 0, 2);
    tcase_add_loop_test(c, sparse_matrices_of_scipy, 0, 3);
    tcase_add_loop_test(c, variables_of_octave, 0, sizeof saved / sizeof *saved);
    tcase_add_loop_test(c, matrices_as_text, 0, 6);
    tcase_add_loop_test(c, without_memory, 0, 4);
    suite_add_tcase(s, c);
    return s;
}
