/* SPDX-License-Identifier: GPL-3.0-or-later */
/* test_hostile.c - every dataset of a stream spoiled in every way that HDF5 allows: read, or
 * refused with a message; never a crash, a huge allocation, or a second file opened. */
#include "lib/schema.h"
#include "tests/model/reduced.h"
#include "tests/suites.h"
#include <hdf5.h>
#include <math.h>
#include <sys/stat.h>
#include <unistd.h>

static char path[64], victim[80], outside[80];

static void fresh(void)
{
    strcpy(path, "/tmp/flexbody-test-XXXXXX");
    int fd = mkstemp(path);
    ck_assert_int_ge(fd, 0);
    close(fd);
    snprintf(victim, sizeof victim, "%s.bad", path);
    snprintf(outside, sizeof outside, "%s.fifo", path);
}

static void gone(void)
{
    /* what was opened is closed, by readers that refuse too */
    ck_assert_int_eq(H5Fget_obj_count((hid_t)H5F_OBJ_ALL, H5F_OBJ_ALL), 0);
    unlink(path);
    unlink(victim);
    unlink(outside);
}

/* Zeros for each dataset that the model lacks. */
static void fill(fb_model *b)
{
    fb_err e = {0};
    b->nrigid = b->nmotion = 3;
    b->nset1 = 2;
    for (int q = 0; q < fb_nrows; q++) {
        const fb_row *r = fb_rows + q;
        void *data, *field = (char *)b + r->offset;
        memcpy(&data, field, sizeof data);
        if (r->type == 'c' || data)
            continue;
        for (int k = 0; k < 4 && r->dim[k] > 0; k++)
            if (*fb_dim_of(b, r->dim[k]) == 0)
                *fb_dim_of(b, r->dim[k]) = 1;
        data = fb_alloc((size_t)fb_row_count(b, r), 8);
        memcpy(field, &data, sizeof data);
    }
    for (int64_t k = 0; k < b->nm; k++)
        b->mode_number[k] = k + 1;
    b->stress_node[0] = b->node_id[0];
    if (b->nf1 == 1)
        b->nfi = 0;
    b->set_offset[1] = b->nsetnode;
    if (!b->G.p)
        ck_assert_int_eq(fb_csc_from_triplets(&b->G, b->na, b->ndof, 1, (int64_t[]){0},
                                              (int64_t[]){0}, (double[]){1}, 0, &e),
                         FB_OK);
    ck_assert_msg(fb_model_check(b, &e) == FB_OK, "%s", e.msg);
}

/* A stream with every dataset of the schema. */
static void whole_stream(void)
{
    fb_model b;
    fb_stream st = FB_STREAM_NONE;
    fb_err e = {0};
    int64_t i[] = {0, 0, 1, 2}, j[] = {0, 1, 1, 2};
    double x[] = {2, -1, 2, 5};
    make_constrained(&b, 5, 3, 1);
    fb_csc *A[] = {&b.K, &b.M, &b.D};
    for (int k = 0; k < 3; k++)
        if (!A[k]->p)
            ck_assert_int_eq(fb_csc_from_triplets(A[k], b.ndof, b.ndof, 4, i, j, x, 1, &e), FB_OK);
    fill(&b);
    ck_assert_msg(fb_stream_create(&st, path, &e) == FB_OK, "%s", e.msg);
    ck_assert_msg(fb_model_write(&st, &b, NULL, &e) == FB_OK, "%s", e.msg);
    ck_assert_msg(fb_stream_commit(&st, &e) == FB_OK, "%s", e.msg);
    fb_model_free(&b);
}

static void copy_to_victim(void)
{
    static unsigned char d[1 << 22];
    FILE *in = fopen(path, "rb"), *out = fopen(victim, "wb");
    size_t n = fread(d, 1, sizeof d, in);
    ck_assert_uint_eq(fwrite(d, 1, n, out), n);
    fclose(in);
    fclose(out);
}

/* ---- ways to spoil ---------------------------------------------------------------------- */

enum { /* up to FOREIGN: what no reader may take for good data, whatever the dataset */
       GROUP,
       NAMED_TYPE,
       NULL_SPACE,
       ABSURD,
       OVERFLOWING,
       TEXT,
       VLEN_TEXT,
       COMPOUND,
       REFERENCE,
       OPAQUE,
       ENUM,
       ARRAY,
       BITFIELD,
       CHUNKED,
       BOMB,
       EXTERNAL,
       VIRTUAL,
       UNWRITTEN,
       FRACTIONS,
       SOFT,
       FOREIGN,
       MISSING,
       DEEPER,
       SCALAR,
       ONE_MORE,
       ONE_LESS,
       EMPTY,
       SWAPPED,
       WIDE,
       HUGE_VALUES,
       LOW_VALUES,
       NO_NUMBERS,
       NWAY
};

typedef struct { /* what stood there */
    hid_t f;
    char name[96];
    int rank;
    hsize_t dim[5];
    hsize_t n;
    int is_real;
} target;

static hid_t space_of(const target *t, int way)
{
    hsize_t dim[6];
    int rank = t->rank;
    memcpy(dim, t->dim, sizeof t->dim);
    if (way == SCALAR)
        return H5Screate(H5S_SCALAR);
    if (way == NULL_SPACE)
        return H5Screate(H5S_NULL);
    if (rank == 0 || way == DEEPER)
        dim[rank++] = 1;
    if (way == ONE_MORE || way == ONE_LESS)
        dim[0] = way == ONE_MORE ? dim[0] + 1 : dim[0] - (dim[0] > 0);
    if (way == EMPTY)
        dim[rank - 1] = 0;
    if (way == ABSURD || way == BOMB)
        dim[0] = (hsize_t)1 << 50;
    for (int k = 0; k < rank && way == OVERFLOWING; k++)
        dim[k] = (hsize_t)1 << 40;
    return H5Screate_simple(rank, dim, NULL);
}

static hid_t type_of(const target *t, int way)
{
    hid_t d = t->is_real ? H5T_IEEE_F64LE : H5T_STD_I64LE, r;
    switch (way) {
    case TEXT:
        r = H5Tcopy(H5T_C_S1);
        H5Tset_size(r, 8);
        return r;
    case VLEN_TEXT:
        r = H5Tcopy(H5T_C_S1);
        H5Tset_size(r, H5T_VARIABLE);
        return r;
    case COMPOUND:
        r = H5Tcreate(H5T_COMPOUND, 16);
        H5Tinsert(r, "a", 0, d);
        H5Tinsert(r, "b", 8, d);
        return r;
    case REFERENCE:
        return H5Tcopy(H5T_STD_REF_OBJ);
    case OPAQUE:
        return H5Tcreate(H5T_OPAQUE, 8);
    case ENUM:
        r = H5Tenum_create(H5T_STD_I64LE);
        H5Tenum_insert(r, "one", &(int64_t){1});
        return r;
    case ARRAY:
        return H5Tarray_create2(d, 1, (hsize_t[]){2});
    case BITFIELD:
        return H5Tcopy(H5T_STD_B64LE);
    case FRACTIONS:
        return H5Tcopy(t->is_real ? H5T_C_S1 : H5T_IEEE_F64LE);
    case SWAPPED:
        return H5Tcopy(t->is_real ? H5T_IEEE_F32BE : H5T_STD_I16BE);
    case WIDE:
        return H5Tcopy(H5T_NATIVE_LDOUBLE);
    default:
        return H5Tcopy(d);
    }
}

static hid_t storage_of(const target *t, int way, hid_t space)
{
    hid_t c = H5Pcreate(H5P_DATASET_CREATE);
    hsize_t chunk[6] = {1, 1, 1, 1, 1, 1};
    int rank = t->rank ? t->rank : 1;
    if (way == CHUNKED || way == BOMB || way == OVERFLOWING) {
        chunk[0] = way == BOMB ? 65536 : 1;
        H5Pset_chunk(c, rank, chunk);
        H5Pset_deflate(c, 9);
    }
    if (way == EXTERNAL)
        H5Pset_external(c, outside, 0, H5F_UNLIMITED);
    if (way == VIRTUAL)
        H5Pset_virtual(c, space, outside, "/x", space);
    return c;
}

static void values_into(const target *t, int way, hid_t d)
{
    static const int64_t high[] = {INT64_MAX, 1, (int64_t)1 << 40, 7},
                         low[] = {INT64_MIN, -1, -2, 0};
    static const double big[] = {1.7e308, -1.7e308, 1e200, 0},
                        none[] = {NAN, INFINITY, -INFINITY, 1};
    union {
        int64_t i;
        double x;
    } v[4096];
    for (hsize_t k = 0; k < t->n && k < 4096; k++) {
        if (t->is_real)
            v[k].x = way == NO_NUMBERS    ? none[k % 4]
                     : way == HUGE_VALUES ? big[k % 4]
                     : way == LOW_VALUES  ? -1
                                          : 0;
        else
            v[k].i = way == HUGE_VALUES || way == NO_NUMBERS ? high[k % 4]
                     : way == LOW_VALUES                     ? low[k % 4]
                                                             : 1;
    }
    if (t->n <= 4096)
        H5Dwrite(d, t->is_real ? H5T_NATIVE_DOUBLE : H5T_NATIVE_INT64, H5S_ALL, H5S_ALL,
                 H5P_DEFAULT, v);
}

static void put(const target *t, int way)
{
    hid_t s = space_of(t, way), ty = type_of(t, way), c = storage_of(t, way, s);
    hid_t d = H5Dcreate2(t->f, t->name, ty, s, H5P_DEFAULT, c, H5P_DEFAULT);
    ck_assert_msg(d >= 0, "%s, way %d", t->name, way);
    if (way != ABSURD && way != OVERFLOWING && way != BOMB && way != EXTERNAL && way != VIRTUAL &&
        way != UNWRITTEN && way != ONE_MORE && way != DEEPER)
        values_into(t, way, d);
    if (way == ONE_MORE || way == DEEPER)
        H5Dwrite(d, H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, (double[8192]){1});
    H5Dclose(d);
    H5Pclose(c);
    H5Tclose(ty);
    H5Sclose(s);
}

static void spoil(const char *name, int way)
{
    target t = {.f = H5Fopen(victim, H5F_ACC_RDWR, H5P_DEFAULT)};
    ck_assert_int_ge(t.f, 0);
    snprintf(t.name, sizeof t.name, "%.95s", name);
    hid_t d = H5Dopen2(t.f, name, H5P_DEFAULT), s = H5Dget_space(d), ty = H5Dget_type(d);
    t.rank = H5Sget_simple_extent_dims(s, t.dim, NULL);
    t.n = (hsize_t)H5Sget_simple_extent_npoints(s);
    t.is_real = H5Tget_class(ty) == H5T_FLOAT;
    H5Tclose(ty);
    H5Sclose(s);
    H5Dclose(d);
    H5Ldelete(t.f, name, H5P_DEFAULT);
    switch (way) {
    case MISSING:
        break;
    case GROUP:
        H5Gclose(H5Gcreate2(t.f, name, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT));
        break;
    case NAMED_TYPE:
        ty = H5Tcopy(H5T_IEEE_F64LE);
        H5Tcommit2(t.f, name, ty, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
        H5Tclose(ty);
        break;
    case SOFT:
        H5Lcreate_soft("/nodes", t.f, name, H5P_DEFAULT, H5P_DEFAULT);
        break;
    case FOREIGN:
        H5Lcreate_external(outside, "/x", t.f, name, H5P_DEFAULT, H5P_DEFAULT);
        break;
    default:
        put(&t, way);
        break;
    }
    H5Fclose(t.f);
}

static fb_status load(fb_model *b, fb_err *e)
{
    fb_stream st = FB_STREAM_NONE;
    fb_status s = fb_stream_open(&st, victim, e);
    if (!s)
        s = fb_model_read(&st, b, NULL, e);
    fb_stream_abandon(&st);
    return s;
}

static herr_t one_name(hid_t g, const char *name, const H5O_info_t *info, void *data)
{
    char(*names)[96] = data;
    (void)g;
    int k = 0;
    if (info->type != H5O_TYPE_DATASET)
        return 0;
    while (names[k][0])
        k++;
    snprintf(names[k], 96, "/%s", name);
    return 0;
}

/* FAULT_ALL=1 takes every dataset. The fifo outside blocks for ever whoever opens it. */
START_TEST(every_dataset_spoiled)
{
    static char names[160][96];
    const int way = _i;
    int n = 0, read = 0;
    H5Eset_auto2(H5E_DEFAULT, NULL, NULL);
    whole_stream();
    hid_t f = H5Fopen(path, H5F_ACC_RDONLY, H5P_DEFAULT);
    H5Ovisit(f, H5_INDEX_NAME, H5_ITER_INC, one_name, names);
    H5Fclose(f);
    ck_assert_int_eq(mkfifo(outside, 0600), 0);
    for (int all = getenv("FAULT_ALL") != NULL, k = 0; names[k][0]; k++) {
        if (!all && (k + way) % 6) /* every pair takes minutes */
            continue;
        fb_model b = {0};
        fb_err e = {0};
        copy_to_victim();
        spoil(names[k], way);
        fb_status s = load(&b, &e);
        ck_assert_msg(s == FB_OK || s == FB_EFORMAT, "%s, way %d: status %d, %s", names[k], way, s,
                      e.msg);
        ck_assert_msg(s == FB_OK || strlen(e.msg) > strlen(victim) + 10, "%s, way %d: '%s'",
                      names[k], way, e.msg);
        ck_assert_msg(s != FB_OK || way > FOREIGN, "%s, way %d: read", names[k], way);
        ck_assert_msg(way < COMPOUND || way > BITFIELD ||
                          strstr(e.msg, "values are neither integers, reals nor texts") != NULL,
                      "%s, way %d: %s", names[k], way, e.msg);
        ck_assert_msg(s != FB_OK || fb_model_check(&b, &e) == FB_OK, "%s, way %d: %s", names[k],
                      way, e.msg);
        read += s == FB_OK;
        fb_model_free(&b);
        n++;
    }
    ck_assert_int_gt(n, 10);
    if (getenv("FAULT_TELL"))
        printf("hostile way %d: %d datasets, %d read\n", way, n, read);
}
END_TEST

/* HDF5 reads zeros for what was never written: chunks, all of a dataset. */
START_TEST(parts_that_were_never_written)
{
    static const struct {
        int chunked, rows; /* of 12 that are written, in chunks of 5 by 5 */
        int64_t status;
    } t[] = {{1, 12, FB_OK},     {1, 10, FB_EFORMAT}, {1, 5, FB_EFORMAT},
             {1, 0, FB_EFORMAT}, {0, 12, FB_OK},      {0, 0, FB_EFORMAT}};
    const hsize_t size[2] = {12, 12}, chunk[2] = {5, 5}, from[2] = {0, 0},
                  count[2] = {(hsize_t)t[_i].rows, 12};
    double x[144], y[144] = {0};
    int64_t file = -1;
    fb_h5shape sh;
    fb_err e = {0};
    for (int k = 0; k < 144; k++)
        x[k] = k + 1;
    H5Eset_auto2(H5E_DEFAULT, NULL, NULL);
    hid_t f = H5Fcreate(path, H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT),
          s = H5Screate_simple(2, size, NULL), c = H5Pcreate(H5P_DATASET_CREATE),
          m = H5Screate_simple(2, count, NULL);
    if (t[_i].chunked) {
        H5Pset_chunk(c, 2, chunk);
        H5Pset_deflate(c, 4);
    }
    hid_t d = H5Dcreate2(f, "K", H5T_NATIVE_DOUBLE, s, H5P_DEFAULT, c, H5P_DEFAULT);
    if (t[_i].rows) {
        ck_assert_int_ge(H5Sselect_hyperslab(s, H5S_SELECT_SET, from, NULL, count, NULL), 0);
        ck_assert_int_ge(H5Dwrite(d, H5T_NATIVE_DOUBLE, m, s, H5P_DEFAULT, x), 0);
    }
    H5Dclose(d);
    H5Pclose(c);
    H5Sclose(m);
    H5Sclose(s);
    H5Fclose(f);
    ck_assert_msg(fb_h5_open(&file, path, -1, path, &e) == FB_OK, "%s", e.msg);
    ck_assert_int_eq(fb_h5_foreign_shape(file, "/K", 1 << 20, &sh, &e), FB_OK);
    ck_assert_msg(fb_h5_foreign_read(file, "/K", 'd', 0, y, &e) == (fb_status)t[_i].status, "%s",
                  e.msg);
    if (t[_i].status == FB_OK)
        ck_assert_mem_eq(x, y, sizeof x);
    else
        ck_assert_ptr_nonnull(strstr(e.msg, "/K: a part of the values is not in the file"));
    ck_assert_int_eq(fb_h5_close(&file, &e), FB_OK);
}
END_TEST

/* Row numbers with something behind the point are not cut off. */
START_TEST(fractions_are_no_indices)
{
    const double x[3] = {0, 1.5, 2};
    const int32_t whole[3] = {0, 1, 2};
    const hsize_t size = 3;
    int64_t file = -1, y[3] = {0};
    fb_err e = {0};
    hid_t f = H5Fcreate(path, H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT),
          s = H5Screate_simple(1, &size, NULL);
    hid_t d = H5Dcreate2(f, "real", H5T_NATIVE_DOUBLE, s, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
    ck_assert_int_ge(H5Dwrite(d, H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, x), 0);
    H5Dclose(d);
    d = H5Dcreate2(f, "whole", H5T_STD_I16BE, s, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
    ck_assert_int_ge(H5Dwrite(d, H5T_NATIVE_INT32, H5S_ALL, H5S_ALL, H5P_DEFAULT, whole), 0);
    H5Dclose(d);
    H5Sclose(s);
    H5Fclose(f);
    ck_assert_msg(fb_h5_open(&file, path, -1, path, &e) == FB_OK, "%s", e.msg);
    ck_assert_int_eq(fb_h5_foreign_read(file, "/real", 'i', 0, y, &e), FB_EFORMAT);
    ck_assert_ptr_nonnull(strstr(e.msg, "/real: whole numbers are wanted"));
    ck_assert_msg(fb_h5_foreign_read(file, "/whole", 'i', 0, y, &e) == FB_OK, "%s", e.msg);
    for (int k = 0; k < 3; k++)
        ck_assert_int_eq(y[k], k);
    ck_assert_int_eq(fb_h5_close(&file, &e), FB_OK);
}
END_TEST

/* The bytes that a dataset announces stand in the file beside its shape and type (HDF5 file format,
 * data layout message 3: version, class 1, address, size): here for whoever reads them all. */
static void announce(hsize_t bytes, hsize_t more)
{
    static unsigned char d[6 << 20];
    FILE *f = fopen(path, "r+b");
    const size_t n = fread(d, 1, sizeof d, f);
    hsize_t size;
    int found = 0;
    for (size_t k = 0; k + 18 <= n; k++) {
        memcpy(&size, d + k + 10, 8);
        if (d[k] == 3 && d[k + 1] == 1 && size == bytes) {
            size += more;
            fseek(f, (long)k + 10, SEEK_SET);
            found += fwrite(&size, 8, 1, f) == 1;
        }
    }
    ck_assert_int_eq(found, 1);
    ck_assert_int_eq(fclose(f), 0);
}

/* Large ones are read by a plain call of the system, as many bytes as are announced. */
START_TEST(more_bytes_than_values)
{
    static const struct {
        hsize_t n, width, more; /* width 8: reals */
    } t[] = {{(4 << 20) / 8 + 1, 8, 7}, {65, 65534, 65533}, {(4 << 20) / 8 + 1, 8, 0}};
    const hsize_t n = t[_i].n, bytes = n * t[_i].width;
    fb_h5shape sh;
    fb_err e = {0};
    int64_t file = -1;
    char *x = calloc(n, t[_i].width);
    memset(x, 0x3f, bytes);
    H5Eset_auto2(H5E_DEFAULT, NULL, NULL);
    hid_t f = H5Fcreate(path, H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT),
          s = H5Screate_simple(1, &n, NULL), ty = H5Tcopy(H5T_NATIVE_DOUBLE);
    if (t[_i].width != 8) {
        H5Tclose(ty);
        ty = H5Tcopy(H5T_C_S1);
        H5Tset_size(ty, t[_i].width);
        H5Tset_strpad(ty, H5T_STR_NULLPAD);
    }
    hid_t d = H5Dcreate2(f, "x", ty, s, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
    ck_assert_int_ge(H5Dwrite(d, ty, H5S_ALL, H5S_ALL, H5P_DEFAULT, x), 0);
    H5Dclose(d);
    H5Tclose(ty);
    H5Sclose(s);
    H5Fclose(f);
    announce(bytes, t[_i].more);
    ck_assert_msg(fb_h5_open(&file, path, -1, path, &e) == FB_OK, "%s", e.msg);
    fb_status st = fb_h5_shape_of(file, "/x", &sh, &e);
    if (!st)
        st = fb_h5_read(file, "/x", &sh, x, &e);
    ck_assert_int_eq(st, t[_i].more ? FB_EFORMAT : FB_OK);
    if (st)
        ck_assert_msg(strstr(e.msg, "/x: ") && strstr(e.msg, "values announced"), "%s", e.msg);
    ck_assert_int_eq(fb_h5_close(&file, &e), FB_OK);
    free(x);
}
END_TEST

/* Nothing is in it, and its columns would not fit 64 bits of bytes. */
START_TEST(empty_and_absurd)
{
    const hsize_t size[2] = {0, (hsize_t)1 << 62};
    fb_h5shape sh;
    fb_err e = {0};
    int64_t file = -1;
    hid_t f = H5Fcreate(path, H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT),
          s = H5Screate_simple(2, size, NULL);
    H5Dclose(H5Dcreate2(f, "x", H5T_NATIVE_DOUBLE, s, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT));
    H5Sclose(s);
    H5Fclose(f);
    ck_assert_msg(fb_h5_open(&file, path, -1, path, &e) == FB_OK, "%s", e.msg);
    ck_assert_int_eq(fb_h5_shape_of(file, "/x", &sh, &e), FB_EFORMAT);
    ck_assert_str_eq(e.msg, "/x: absurd size");
    ck_assert_int_eq(fb_h5_foreign_shape(file, "/x", 1 << 20, &sh, &e), FB_EFORMAT);
    ck_assert_str_eq(e.msg, "/x: absurd size");
    ck_assert_int_eq(fb_h5_close(&file, &e), FB_OK);
}
END_TEST

Suite *suite_hostile(void)
{
    Suite *s = suite_create("hostile");
    TCase *parts = tcase_create("parts");
    tcase_add_checked_fixture(parts, fresh, gone);
    tcase_add_loop_test(parts, parts_that_were_never_written, 0, 6);
    tcase_add_test(parts, fractions_are_no_indices);
    tcase_add_loop_test(parts, more_bytes_than_values, 0, 3);
    tcase_add_test(parts, empty_and_absurd);
    suite_add_tcase(s, parts);
    TCase *t = tcase_create("datasets"); /* thousands of child processes: left out under valgrind */
    tcase_set_tags(t, "slow");
    tcase_set_timeout(t, 120);
    tcase_add_checked_fixture(t, fresh, gone);
    tcase_add_loop_test(t, every_dataset_spoiled, 0, NWAY);
    suite_add_tcase(s, t);
    return s;
}
