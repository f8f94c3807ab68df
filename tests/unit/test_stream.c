/* SPDX-License-Identifier: GPL-3.0-or-later */
/* test_stream.c - a model through an HDF5 file: all datasets, partial reads, passing on, and
 * hostile files. HDF5 is used directly to make what the library would never write. */
#include "tests/model/body.h"
#include "tests/suites.h"
#include <fcntl.h>
#include <hdf5.h>
#include <math.h>
#include <unistd.h>

static char path[] = "/tmp/flexbody-test-XXXXXX"; /* a fresh name for each test */

static void fresh(void)
{
    strcpy(path, "/tmp/flexbody-test-XXXXXX");
    int fd = mkstemp(path);
    ck_assert_int_ge(fd, 0);
    close(fd);
}

static void gone(void)
{
    /* what was opened is closed, by readers that refuse too */
    ck_assert_int_eq(H5Fget_obj_count((hid_t)H5F_OBJ_ALL, H5F_OBJ_ALL), 0);
    unlink(path);
}

static fb_status save(const fb_model *b, fb_err *e)
{
    fb_stream st = FB_STREAM_NONE;
    fb_status s = fb_stream_create(&st, path, e);
    if (!s)
        s = fb_model_write(&st, b, NULL, e);
    if (!s)
        s = fb_stream_commit(&st, e);
    fb_stream_abandon(&st);
    return s;
}

static fb_status load(fb_model *b, const char *const *want, fb_err *e)
{
    fb_stream st = FB_STREAM_NONE;
    fb_status s = fb_stream_open(&st, path, e);
    if (!s)
        s = fb_model_read(&st, b, want, e);
    fb_stream_abandon(&st);
    return s;
}

/* A small full model beside the modal arrays: K and M upper, D general. */
static void add_matrices(fb_model *b)
{
    fb_err e;
    int64_t i[] = {0, 0, 1, 2}, j[] = {0, 1, 1, 2}, k[] = {1, 0}, l[] = {0, 2};
    double x[] = {2, -1, 2, 5}, y[] = {3, 4};
    ck_assert_int_eq(fb_csc_from_triplets(&b->K, b->ndof, b->ndof, 4, i, j, x, 1, &e), FB_OK);
    ck_assert_int_eq(fb_csc_from_triplets(&b->M, b->ndof, b->ndof, 4, i, j, x, 1, &e), FB_OK);
    ck_assert_int_eq(fb_csc_from_triplets(&b->D, b->ndof, b->ndof, 2, k, l, y, 0, &e), FB_OK);
}

static size_t bytes(unsigned char **d)
{
    FILE *f = fopen(path, "rb");
    *d = malloc(1 << 24);
    size_t n = fread(*d, 1, 1 << 24, f);
    fclose(f);
    return n;
}

START_TEST(write_read_write_gives_the_same_bytes)
{
    fb_model a, b = {0};
    fb_err e = {0};
    unsigned char *x, *y;
    make_body(&a, 5, 8, 3);
    add_matrices(&a);
    ck_assert_msg(save(&a, &e) == FB_OK, "%s", e.msg);
    size_t n = bytes(&x);
    ck_assert_msg(load(&b, NULL, &e) == FB_OK, "%s", e.msg);
    ck_assert_int_eq(b.nn, 5);
    ck_assert_int_eq(b.D.upper, 0);
    ck_assert_double_eq(b.D.x[1], 4);
    ck_assert_mem_eq(a.shape, b.shape, (size_t)(8 * 5 * 6 * 8));
    ck_assert_str_eq(b.units.name[FB_MASS], "kg");
    ck_assert_int_eq(save(&b, &e), FB_OK);
    ck_assert_uint_eq(bytes(&y), n);
    ck_assert_mem_eq(x, y, n);
    free(x);
    free(y);
    fb_model_free(&a);
    fb_model_free(&b);
}
END_TEST

START_TEST(parts_can_be_read_alone)
{
    static const char *const want[] = {"/reduced", "/nodes/id", NULL};
    fb_model a, b = {0};
    fb_err e = {0};
    make_body(&a, 5, 8, 3);
    ck_assert_int_eq(save(&a, &e), FB_OK);
    ck_assert_int_eq(load(&b, want, &e), FB_OK);
    ck_assert_ptr_nonnull(b.Kr);
    ck_assert_ptr_nonnull(b.node_id);
    ck_assert_ptr_null(b.xyz);
    ck_assert_ptr_null(b.shape);
    ck_assert_int_eq(b.nr, 8);
    fb_model_free(&a);
    fb_model_free(&b);
}
END_TEST

/* Load vectors are known by their names alone, unit loads by their dofs: a stream that lost the
 * names, or the loads, is refused and not read without them. */
START_TEST(loads_without_their_names_are_refused)
{
    static const int64_t dofs[] = {-1, 3};
    static const char *const without[] = {"/reduced/K", "/reduced/M", "/reduced/load",
                                          "/reduced/load_dof", NULL};
    fb_model a, b = {0};
    fb_err e = {0};
    make_body(&a, 5, 8, 3);
    a.nload = 2;
    ck_assert_int_eq(fb_copy(&a.load_dof, dofs, 2, sizeof *dofs, "", &e), FB_OK);
    ck_assert_int_eq(FB_NEW(&a.load, 2 * a.nr, &e), FB_OK);
    ck_assert_int_eq(save(&a, &e), FB_OK);
    ck_assert_int_eq(load(&b, NULL, &e), FB_EFORMAT);
    ck_assert_msg(strstr(e.msg, "a load vector (row 1), but /reduced/load_name is missing"), "%s",
                  e.msg);
    ck_assert_msg(load(&b, without, &e) == FB_OK, "%s", e.msg); /* who does not ask for them */
    fb_model_free(&b);
    a.load_dof[0] = 2;
    ck_assert_int_eq(save(&a, &e), FB_OK);
    ck_assert_msg(load(&b, NULL, &e) == FB_OK, "%s", e.msg); /* unit loads of older releases */
    fb_model_free(&b);
    ck_assert_int_eq(FB_NEW(&a.load_name, 2, &e), FB_OK);
    strcpy(a.load_name[0], "lift");
    FB_FREE(a.load);
    a.load = NULL;
    ck_assert_int_eq(save(&a, &e), FB_OK);
    ck_assert_int_eq(load(&b, NULL, &e), FB_EFORMAT);
    ck_assert_msg(strstr(e.msg, "/reduced/load is missing"), "%s", e.msg);
    fb_model_free(&a);
}
END_TEST

START_TEST(every_allocation_may_fail)
{
    fb_model a, b = {0};
    fb_err e = {0};
    fb_status s;
    long fails;
    make_body(&a, 4, 7, 3);
    add_matrices(&a);
    EVERY_ALLOCATION_FAILS_ONCE(s, fails, s = save(&a, &e));
    ck_assert_int_ge(fails, 2);
    EVERY_ALLOCATION_FAILS_ONCE(s, fails, s = load(&b, NULL, &e));
    ck_assert_int_gt(fails, 30);
    fb_model_free(&a);
    fb_model_free(&b);
}
END_TEST

START_TEST(every_cut_is_seen)
{
    fb_model a, b = {0};
    fb_err e = {0};
    unsigned char *d;
    make_body(&a, 4, 7, 3);
    ck_assert_int_eq(save(&a, &e), FB_OK);
    size_t n = bytes(&d);
    for (size_t k = 0; k < 300; k++) {
        FILE *f = fopen(path, "wb");
        ck_assert_uint_eq(fwrite(d, 1, n * k / 300, f), n * k / 300);
        fclose(f);
        ck_assert_int_eq(load(&b, NULL, &e), FB_EFORMAT);
    }
    FILE *f = fopen(path, "wb");
    fwrite(d, 1, n, f);
    fwrite("tail", 1, 4, f);
    fclose(f);
    ck_assert_int_eq(load(&b, NULL, &e), FB_EFORMAT);
    ck_assert_ptr_nonnull(strstr(e.msg, "followed by other data"));
    free(d);
    fb_model_free(&a);
}
END_TEST

/* Each 8th byte turned over: read, or refused; never a crash or an endless loop. */
START_TEST(flipped_bytes)
{
    fb_model a, b = {0};
    fb_err e = {0};
    unsigned char *d;
    make_body(&a, 3, 6, 3);
    ck_assert_int_eq(save(&a, &e), FB_OK);
    size_t n = bytes(&d);
    for (size_t k = _i; k < n; k += 97) {
        d[k] ^= 0xff;
        FILE *f = fopen(path, "wb");
        fwrite(d, 1, n, f);
        fclose(f);
        d[k] ^= 0xff;
        fb_status s = load(&b, NULL, &e);
        ck_assert(s == FB_OK || s == FB_EFORMAT);
        fb_model_free(&b);
    }
    free(d);
    fb_model_free(&a);
}
END_TEST

/* ---- what only a hostile or a foreign program writes ------------------------------------- */

/* Values that break what the sizes promise. */
static void spoil_values(hid_t f, int how)
{
    hid_t s, d;
    int64_t p[31] = {0, 1, (int64_t)1 << 40, 4};
    switch (how) {
    case 7: /* an index that points past the end */
        d = H5Dopen2(f, "/faces/index", H5P_DEFAULT);
        H5Dwrite(d, H5T_NATIVE_INT64, H5S_ALL, H5S_ALL, H5P_DEFAULT,
                 (int64_t[]){99, 0, 1, 2, 1, 2, 3, 3});
        H5Dclose(d);
        break;
    case 8:
        H5Adelete(f, "format");
        break;
    case 9:
        H5Adelete(f, "format_version");
        s = H5Screate_simple(1, (hsize_t[]){2}, NULL);
        d = H5Acreate2(f, "format_version", H5T_IEEE_F64LE, s, H5P_DEFAULT, H5P_DEFAULT);
        H5Awrite(d, H5T_NATIVE_DOUBLE, (double[]){2, 0});
        H5Aclose(d);
        H5Sclose(s);
        break;
    case 10: /* not a number */
        d = H5Dopen2(f, "/nodes/mass", H5P_DEFAULT);
        H5Dwrite(d, H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, (double[]){NAN, 1, 1, 1, 1});
        H5Dclose(d);
        break;
    case 11: /* a node twice */
        d = H5Dopen2(f, "/nodes/id", H5P_DEFAULT);
        H5Dwrite(d, H5T_NATIVE_INT64, H5S_ALL, H5S_ALL, H5P_DEFAULT,
                 (int64_t[]){10, 13, 16, 10, 22});
        H5Dclose(d);
        break;
    case 12: /* a matrix whose row index is out of range */
        d = H5Dopen2(f, "/full/K/i", H5P_DEFAULT);
        H5Dwrite(d, H5T_NATIVE_INT64, H5S_ALL, H5S_ALL, H5P_DEFAULT, (int64_t[]){0, 0, 1, 400});
        H5Dclose(d);
        break;
    case 13: /* column starts that jump out of the values */
        d = H5Dopen2(f, "/full/K/p", H5P_DEFAULT);
        for (int k = 4; k < 31; k++)
            p[k] = 4;
        H5Dwrite(d, H5T_NATIVE_INT64, H5S_ALL, H5S_ALL, H5P_DEFAULT, p);
        H5Dclose(d);
        break;
    default:
        break;
    }
}

/* Objects of the wrong kind, shape or place. */
static void spoil(int how)
{
    hid_t f = H5Fopen(path, H5F_ACC_RDWR, H5P_DEFAULT), s, d, c;
    hsize_t dim[4] = {5, 3, 0, 0}, big = (hsize_t)1 << 50, chunk = 1 << 16;
    switch (how) {
    case 0:
        H5Lcreate_soft("/nodes/id", f, "/soft", H5P_DEFAULT, H5P_DEFAULT);
        break;
    case 1:
        H5Lcreate_external("/etc/passwd", "/x", f, "/nodes/outside", H5P_DEFAULT, H5P_DEFAULT);
        break;
    case 2: /* wrong rank */
        H5Ldelete(f, "/nodes/mass", H5P_DEFAULT);
        s = H5Screate_simple(2, dim, NULL);
        d = H5Dcreate2(f, "/nodes/mass", H5T_IEEE_F64LE, s, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
        H5Dwrite(d, H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, (double[15]){1});
        H5Dclose(d);
        H5Sclose(s);
        break;
    case 3: /* a compressed bomb: petabytes announced, nothing stored */
        H5Ldelete(f, "/nodes/mass", H5P_DEFAULT);
        s = H5Screate_simple(1, &big, NULL);
        c = H5Pcreate(H5P_DATASET_CREATE);
        H5Pset_chunk(c, 1, &chunk);
        H5Pset_deflate(c, 9);
        H5Dclose(H5Dcreate2(f, "/nodes/mass", H5T_IEEE_F64LE, s, H5P_DEFAULT, c, H5P_DEFAULT));
        H5Pclose(c);
        H5Sclose(s);
        break;
    case 4: /* contiguous, announced but never written */
        H5Ldelete(f, "/nodes/mass", H5P_DEFAULT);
        s = H5Screate_simple(1, &big, NULL);
        H5Dclose(
            H5Dcreate2(f, "/nodes/mass", H5T_IEEE_F64LE, s, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT));
        H5Sclose(s);
        break;
    case 5: /* a group where a dataset is wanted */
        H5Ldelete(f, "/nodes/mass", H5P_DEFAULT);
        H5Gclose(H5Gcreate2(f, "/nodes/mass", H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT));
        break;
    case 6: /* other storage: values in a second file */
        H5Ldelete(f, "/nodes/mass", H5P_DEFAULT);
        s = H5Screate_simple(1, dim, NULL);
        c = H5Pcreate(H5P_DATASET_CREATE);
        H5Pset_external(c, "/etc/passwd", 0, 40);
        H5Dclose(H5Dcreate2(f, "/nodes/mass", H5T_IEEE_F64LE, s, H5P_DEFAULT, c, H5P_DEFAULT));
        H5Pclose(c);
        H5Sclose(s);
        break;
    default:
        spoil_values(f, how);
        break;
    }
    H5Fclose(f);
}

static const char *const says[] = {
    "/soft is a soft or external link",
    "/nodes/outside is a soft or external link",
    "/nodes/mass: 2 dimensions",
    "/nodes/mass: chunked, compressed or external storage",
    "/nodes/mass: 1125899906842624 values announced, 0 bytes stored",
    "/nodes/mass: not a dataset",
    "/nodes/mass: chunked, compressed or external storage",
    "/faces/index[0] is 99, outside 0..4",
    "its root attribute 'format' is ''",
    "stream version 2.0; this program reads version 1.x",
    "/nodes/mass: value 0 is not finite",
    "node 10 occurs twice",
    "column 2: row index 400",
    "/full/K/p[2]",
};

START_TEST(hostile_files_are_refused)
{
    fb_model a, b = {0};
    fb_err e = {0};
    make_body(&a, 5, 6, 3);
    add_matrices(&a);
    ck_assert_int_eq(save(&a, &e), FB_OK);
    H5Eset_auto2(H5E_DEFAULT, NULL, NULL);
    spoil(_i);
    ck_assert_int_eq(load(&b, NULL, &e), FB_EFORMAT);
    ck_assert_msg(strstr(e.msg, says[_i]) != NULL, "'%s' lacks '%s'", e.msg, says[_i]);
    fb_model_free(&a);
}
END_TEST

/* Half a stiffness, and masses below zero, as programs write them that know no better. With a mass
 * matrix beside them nodal masses may be row sums, which are negative at corners of quadratic
 * elements. */
START_TEST(foreign_numbers_are_refused)
{
    static const char *const nodes_alone[] = {"/nodes", NULL};
    fb_model a, b = {0};
    fb_err e = {0};
    for (int how = 0; how < 5; how++) {
        make_body(&a, 5, 8, 3);
        double *A = how == 1 ? a.Mr : a.Kr, top = fabs(A[0]);
        for (int64_t k = 0; k < a.nr * a.nr; k++)
            top = fmax(top, fabs(A[k]));
        if (how == 2) /* the digits of a printed matrix */
            A[1] += 5e-7 * top;
        else if (how < 2)
            A[2 * a.nr + 1] = (A[a.nr + 2] = 0.3 * top) + 1e-3 * top;
        else
            a.node_mass[2] = -0.25;
        if (how == 4)
            add_matrices(&a);
        ck_assert_int_eq(save(&a, &e), FB_OK);
        fb_status s = load(&b, how > 2 ? nodes_alone : NULL, &e);
        ck_assert_msg(s == (how == 2 || how == 4 ? FB_OK : FB_EFORMAT), "%d: %d", how, (int)s);
        char halves[80];
        snprintf(halves, sizeof halves, "is not symmetric: [2,1] is %g, [1,2] is %g",
                 A[2 * a.nr + 1], A[a.nr + 2]);
        ck_assert_msg(how > 1 || strstr(e.msg, halves), "'%s' lacks '%s'", e.msg, halves);
        if (s)
            ck_assert_msg(strstr(e.msg, how == 3 ? "/nodes/mass: node 16 has the mass -0.25"
                                        : how == 1
                                            ? "/reduced/M is not symmetric: [2,1] is"
                                            : "/reduced/K is not symmetric: [2,1] is") != NULL,
                          "%d: %s", how, e.msg);
        fb_model_free(&a);
        fb_model_free(&b);
    }
}
END_TEST

/* Three translations, six motions, or none. */
START_TEST(motions_are_three_or_six)
{
    fb_err e = {0};
    for (int n = 0; n <= 7; n++) {
        fb_model b;
        make_body(&b, 5, 6, 3);
        b.nmotion = n;
        b.rigid_residual = n ? fb_alloc((size_t)n, 8) : NULL;
        ck_assert_int_eq(fb_model_check(&b, &e), n % 3 ? FB_EFORMAT : FB_OK);
        ck_assert(n % 3 == 0 || strstr(e.msg, "rigid motions; 3 translations, or 6"));
        fb_model_free(&b);
    }
}
END_TEST

/* Formats of others have narrower numbers: HDF5 would write the nearest one, 2147483647. */
START_TEST(numbers_that_do_not_fit)
{
    static const struct {
        char type;
        int64_t v;
        fb_status s;
    } t[] = {{'w', INT32_MAX, FB_OK},
             {'w', INT32_MIN, FB_OK},
             {'w', INT64_C(3000000001), FB_EFORMAT},
             {'w', INT32_MIN - INT64_C(1), FB_EFORMAT},
             {'u', INT64_MAX, FB_OK},
             {'u', -1, FB_EFORMAT}};
    for (size_t k = 0; k < sizeof t / sizeof *t; k++) {
        const int64_t v[2] = {1, t[k].v};
        const fb_array a = {.path = "/node", .type = t[k].type, .rank = 1, .dim = {2}, .data = v};
        fb_run r = {.out = path};
        fb_err e = {0};
        int64_t back[2] = {0, 0};
        ck_assert_msg(fb_publish_many(&r, &(fb_output){path, NULL, &a, 1, NULL, 0}, 1, &e) ==
                          t[k].s,
                      "%s", e.msg);
        if (t[k].s) {
            ck_assert_ptr_nonnull(strstr(e.msg, "/node: "));
            ck_assert_ptr_nonnull(strstr(e.msg, "does not fit"));
            continue;
        }
        hid_t f = H5Fopen(path, H5F_ACC_RDONLY, H5P_DEFAULT), d = H5Dopen2(f, "/node", H5P_DEFAULT);
        ck_assert_int_ge(H5Dread(d, H5T_NATIVE_INT64, H5S_ALL, H5S_ALL, H5P_DEFAULT, back), 0);
        ck_assert_mem_eq(back, v, sizeof v);
        H5Dclose(d);
        H5Fclose(f);
    }
}
END_TEST

static void attribute(hid_t f, const char *obj, const char *name, hid_t t, hsize_t n,
                      const void *value)
{
    hid_t s = n ? H5Screate_simple(1, &n, NULL) : H5Screate(H5S_SCALAR);
    hid_t a = H5Acreate_by_name(f, obj, name, t, s, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
    ck_assert_int_ge(H5Awrite(a, t, value), 0);
    H5Aclose(a);
    H5Sclose(s);
}

/* What a user writes beside the data: h5py makes texts of any length. */
START_TEST(attributes_are_passed_on)
{
    static const char *const mine[] = {"/reduced", NULL};
    static double many[5000], back[5000];
    const char *one = "the left door",
               *two[] = {"steel", "K\xc3\xa4"
                                  "fer"},
               *got[2];
    fb_model a, b = {0};
    fb_err e = {0};
    fb_stream in = FB_STREAM_NONE;
    char line[] = "test 0";
    fb_run r = {.out = path, .line = line};
    for (int k = 0; k < 5000; k++)
        many[k] = sqrt(k);
    make_body(&a, 5, 6, 3);
    ck_assert_int_eq(save(&a, &e), FB_OK);
    hid_t f = H5Fopen(path, H5F_ACC_RDWR, H5P_DEFAULT), t = H5Tcopy(H5T_C_S1);
    H5Tset_size(t, H5T_VARIABLE);
    H5Tset_cset(t, H5T_CSET_UTF8);
    attribute(f, "/", "note", t, 0, &one);
    attribute(f, "/reduced", "list", t, 2, two);
    attribute(f, "/nodes", "many", H5T_NATIVE_DOUBLE, 5000, many);
    H5Fclose(f);
    for (int tools = 0; tools < 2; tools++) {
        ck_assert_msg(fb_stream_open(&in, path, &e) == FB_OK, "%s", e.msg);
        ck_assert_int_eq(fb_model_read(&in, &b, NULL, &e), FB_OK);
        ck_assert_msg(fb_publish(&r, &in, &b, mine, mine + 1, &e) == FB_OK, "%s", e.msg);
        fb_stream_abandon(&in);
        fb_model_free(&b);
    }
    f = H5Fopen(path, H5F_ACC_RDONLY, H5P_DEFAULT);
    hid_t at = H5Aopen_by_name(f, "/", "note", H5P_DEFAULT, H5P_DEFAULT);
    ck_assert_int_ge(H5Aread(at, t, got), 0);
    ck_assert_str_eq(got[0], one);
    H5free_memory((void *)(uintptr_t)got[0]);
    H5Aclose(at);
    at = H5Aopen_by_name(f, "/reduced", "list", H5P_DEFAULT, H5P_DEFAULT);
    ck_assert_int_ge(H5Aread(at, t, got), 0);
    for (int k = 0; k < 2; k++) {
        ck_assert_str_eq(got[k], two[k]);
        H5free_memory((void *)(uintptr_t)got[k]);
    }
    H5Aclose(at);
    at = H5Aopen_by_name(f, "/nodes", "many", H5P_DEFAULT, H5P_DEFAULT);
    ck_assert_int_ge(H5Aread(at, H5T_NATIVE_DOUBLE, back), 0);
    ck_assert_mem_eq(back, many, sizeof many);
    H5Aclose(at);
    H5Tclose(t);
    H5Fclose(f);
    fb_model_free(&a);
}
END_TEST

/* A reader of an older minor version hands on what it does not know. */
START_TEST(unknown_objects_are_passed_on)
{
    static const char *const mine[] = {"/reduced", NULL};
    fb_model a, b = {0};
    fb_err e = {0};
    fb_stream in = FB_STREAM_NONE;
    char line[] = "test 0";
    fb_run r = {.out = path, .line = line};
    make_body(&a, 5, 6, 3);
    ck_assert_int_eq(save(&a, &e), FB_OK);
    hid_t f = H5Fopen(path, H5F_ACC_RDWR, H5P_DEFAULT), s = H5Screate(H5S_SCALAR);
    H5Gclose(H5Gcreate2(f, "/later", H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT));
    hid_t d =
        H5Dcreate2(f, "/later/number", H5T_IEEE_F64LE, s, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
    H5Dwrite(d, H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, (double[]){42});
    H5Dclose(d);
    H5Sclose(s);
    H5Fclose(f);
    ck_assert_int_eq(fb_stream_open(&in, path, &e), FB_OK);
    ck_assert_int_eq(fb_model_read(&in, &b, NULL, &e), FB_OK);
    ck_assert_msg(fb_publish(&r, &in, &b, mine, mine, &e) == FB_OK, "%s", e.msg);
    fb_stream_abandon(&in);
    fb_model_free(&b);
    ck_assert_int_eq(fb_stream_open(&in, path, &e), FB_OK);
    ck_assert(fb_stream_has(&in, "/later/number"));
    ck_assert(fb_stream_has(&in, "/modes/shape"));
    ck_assert(fb_stream_has(&in, "/history"));
    ck_assert(!fb_stream_has(&in, "/no/such"));
    fb_stream_abandon(&in);
    fb_model_free(&a);
}
END_TEST

Suite *suite_stream(void)
{
    Suite *s = suite_create("stream");
    TCase *t = tcase_create("stream");
    tcase_set_timeout(t, 300);
    tcase_add_checked_fixture(t, fresh, gone);
    tcase_add_test(t, write_read_write_gives_the_same_bytes);
    tcase_add_test(t, parts_can_be_read_alone);
    tcase_add_test(t, loads_without_their_names_are_refused);
    tcase_add_test(t, every_allocation_may_fail);
    tcase_add_loop_test(t, hostile_files_are_refused, 0, sizeof says / sizeof *says);
    tcase_add_test(t, foreign_numbers_are_refused);
    tcase_add_test(t, motions_are_three_or_six);
    tcase_add_test(t, unknown_objects_are_passed_on);
    tcase_add_test(t, attributes_are_passed_on);
    tcase_add_test(t, numbers_that_do_not_fit);
    suite_add_tcase(s, t);
    t = tcase_create("damaged"); /* hundreds of child processes: left out under valgrind */
    tcase_set_tags(t, "slow");
    tcase_set_timeout(t, 300);
    tcase_add_checked_fixture(t, fresh, gone);
    tcase_add_test(t, every_cut_is_seen);
    tcase_add_loop_test(t, flipped_bytes, 0, 4);
    suite_add_tcase(s, t);
    return s;
}
