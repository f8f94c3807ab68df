/* SPDX-License-Identifier: GPL-3.0-or-later */
/* test_golden.c - the files of past releases (tests/golden) are read forever, value by value; a
 * newer minor version is passed on untouched, a newer major one is refused. */
#include "lib/schema.h"
#include "tests/suites.h"
#include <hdf5.h>
#include <math.h>
#include <unistd.h>

#define GOLDEN "tests/golden/"

typedef struct { /* what the table says of the file that is open */
    char name[64];
    fb_stream st;
    fb_model b;
    int ndatasets;
} file;

static void open_file(file *f, const char *name)
{
    fb_err e = {0};
    *f = (file){.st = FB_STREAM_NONE};
    snprintf(f->name, sizeof f->name, "%s%.40s", GOLDEN, name);
    ck_assert_msg(fb_stream_open(&f->st, f->name, &e) == FB_OK, "%s", e.msg);
    ck_assert_msg(fb_model_read(&f->st, &f->b, NULL, &e) == FB_OK, "%s", e.msg);
}

/* Every dataset of the model must have had its line. */
static void close_file(file *f)
{
    int n = 0;
    if (!f->name[0])
        return;
    for (int q = 0; q < fb_nrows; q++) {
        void *p;
        memcpy(&p,
               (char *)&f->b + fb_rows[q].offset +
                   (fb_rows[q].type == 'c' ? offsetof(fb_csc, p) : 0),
               sizeof p);
        n += p ? fb_rows[q].type == 'c' ? 3 : 1 : 0;
    }
    ck_assert_int_eq(n, f->ndatasets);
    fb_model_free(&f->b);
    fb_stream_abandon(&f->st);
    f->name[0] = 0;
}

static int64_t values_of(const fb_model *b, const char *path, const int64_t **i, const double **x)
{
    for (int q = 0; q < fb_nrows; q++) {
        const fb_row *r = fb_rows + q;
        const size_t k = strlen(r->path);
        const char *field = (const char *)b + r->offset;
        if (strncmp(path, r->path, k) || (path[k] != 0 && r->type != 'c') ||
            (r->type == 'c' && path[k] != '/'))
            continue;
        if (r->type == 'i')
            memcpy(i, field, sizeof *i);
        else if (r->type == 'd')
            memcpy(x, field, sizeof *x);
        else {
            fb_csc A;
            memcpy(&A, field, sizeof A);
            *x = path[k + 1] == 'x' ? A.x : NULL;
            *i = path[k + 1] == 'p' ? A.p : path[k + 1] == 'i' ? A.i : NULL;
            return path[k + 1] == 'p' ? A.n + 1 : A.p[A.n];
        }
        return fb_row_count(b, r);
    }
    return 0;
}

static void compare(const fb_model *b, const char *path, int64_t n, double sum, double magnitude,
                    double last)
{
    const int64_t *i = NULL;
    const double *x = NULL;
    double s = 0, m = 0, v = 0;
    ck_assert_msg(values_of(b, path, &i, &x) == n, "%s: count", path);
    ck_assert_msg(i || x, "%s is not read", path);
    for (int64_t k = 0; k < n; k++) {
        v = i ? (double)i[k] : x[k];
        s += v;
        m += fabs(v);
    }
    const double tol = 1e-13 * magnitude;
    ck_assert_msg(fabs(s - sum) <= tol && fabs(m - magnitude) <= tol,
                  "%s: sums %.17g %.17g, not %.17g %.17g", path, s, m, sum, magnitude);
    ck_assert_msg(v == last, "%s ends with %.17g, not %.17g", path, v, last);
}

static void compare_text(const file *f, const char *object, const char *name, const char *want)
{
    for (int q = 0; q < fb_ntexts; q++)
        if (!strcmp(fb_texts[q].object, object) && !strcmp(fb_texts[q].name, name)) {
            ck_assert_str_eq((const char *)&f->b + fb_texts[q].offset, want);
            return;
        }
    if (!strcmp(name, "length_unit"))
        ck_assert_str_eq(f->b.units.name[FB_LENGTH], want);
    else if (!strcmp(name, "symmetry"))
        ck_assert_int_eq(f->b.K.upper, !strcmp(want, "upper"));
    else
        ck_abort_msg("%s %s", object, name);
}

START_TEST(files_of_past_releases_are_read)
{
    FILE *t = fopen(GOLDEN "values", "r");
    char line[512], a[128], b[128], v[256];
    double sum, magnitude, last;
    long long n;
    int lines = 0;
    file f = {.name = ""};
    ck_assert_msg(t != NULL, "run the tests in the project's folder");
    while (fgets(line, sizeof line, t)) {
        line[strcspn(line, "\n")] = 0;
        if (sscanf(line, "file %127s", a) == 1) {
            close_file(&f);
            open_file(&f, a);
        } else if (sscanf(line, "text %127s %127s %255[^\n]", a, b, v) == 3) {
            compare_text(&f, a, b, v);
        } else if (sscanf(line, "/%127s %lld %lf %lf %lf", b, &n, &sum, &magnitude, &last) == 5) {
            snprintf(a, sizeof a, "/%.120s", b);
            compare(&f.b, a, n, sum, magnitude, last);
            f.ndatasets++;
        } else {
            continue;
        }
        lines++;
    }
    close_file(&f);
    fclose(t);
    ck_assert_int_gt(lines, 150);
}
END_TEST

/* ---- versions to come -------------------------------------------------------------------- */

static char path[64], after[80];

static void fresh(void)
{
    strcpy(path, "/tmp/flexbody-test-XXXXXX");
    int fd = mkstemp(path);
    ck_assert_int_ge(fd, 0);
    close(fd);
    snprintf(after, sizeof after, "%s.out", path);
}

static void gone(void)
{
    /* what was opened is closed, by readers that refuse too */
    ck_assert_int_eq(H5Fget_obj_count((hid_t)H5F_OBJ_ALL, H5F_OBJ_ALL), 0);
    unlink(path);
    unlink(after);
}

static hid_t edit_copy(const char *name, double major, double minor)
{
    char from[96];
    unsigned char d[65536];
    snprintf(from, sizeof from, "%s%s", GOLDEN, name);
    FILE *in = fopen(from, "rb"), *out = fopen(path, "wb");
    ck_assert(in && out);
    size_t n = fread(d, 1, sizeof d, in);
    ck_assert_uint_eq(fwrite(d, 1, n, out), n);
    fclose(in);
    fclose(out);
    hid_t f = H5Fopen(path, H5F_ACC_RDWR, H5P_DEFAULT),
          a = H5Aopen(f, "format_version", H5P_DEFAULT);
    ck_assert_int_ge(H5Awrite(a, H5T_NATIVE_DOUBLE, (double[]){major, minor}), 0);
    H5Aclose(a);
    return f;
}

static void add_dataset(hid_t f, const char *name, const double *x, hsize_t n)
{
    hid_t s = H5Screate_simple(1, &n, NULL),
          d = H5Dcreate2(f, name, H5T_IEEE_F64LE, s, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
    hid_t one = H5Screate(H5S_SCALAR),
          a = H5Acreate2(d, "unit_to_come", H5T_STD_I32LE, one, H5P_DEFAULT, H5P_DEFAULT);
    ck_assert_int_ge(H5Dwrite(d, H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, x), 0);
    ck_assert_int_ge(H5Awrite(a, H5T_NATIVE_INT, (int[]){77}), 0);
    H5Aclose(a);
    H5Sclose(one);
    H5Dclose(d);
    H5Sclose(s);
}

static void add_number(hid_t f, const char *object, const char *name, double x)
{
    hid_t s = H5Screate(H5S_SCALAR);
    hid_t a = H5Acreate_by_name(f, object, name, H5T_IEEE_F64LE, s, H5P_DEFAULT, H5P_DEFAULT,
                                H5P_DEFAULT);
    ck_assert_int_ge(H5Awrite(a, H5T_NATIVE_DOUBLE, &x), 0);
    H5Aclose(a);
    H5Sclose(s);
}

static double number(hid_t f, const char *object, const char *name)
{
    double x = -1;
    hid_t a = H5Aopen_by_name(f, object, name, H5P_DEFAULT, H5P_DEFAULT);
    ck_assert_msg(a >= 0 && H5Aread(a, H5T_NATIVE_DOUBLE, &x) >= 0, "%s of %s is lost", name,
                  object);
    H5Aclose(a);
    return x;
}

static void same_values(hid_t f, const char *name, const double *x, size_t n)
{
    double y[8] = {0};
    hid_t d = H5Dopen2(f, name, H5P_DEFAULT);
    ck_assert_msg(d >= 0, "%s is lost", name);
    ck_assert_int_ge(H5Dread(d, H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, y), 0);
    ck_assert_mem_eq(x, y, n * sizeof *x);
    H5Dclose(d);
    ck_assert_double_eq(number(f, name, "unit_to_come"), 77);
}

/* A whole group, a dataset of a group that the tool does not touch, one of a group that it writes
 * anew in part, attributes of the file and of a group: all must come through. */
START_TEST(a_newer_minor_version_passes)
{
    static const double x[] = {1, 2.5, -3}, y[] = {7, 8};
    static const char *const mine[] = {"/nodes", "/reduced", NULL}, *const stale[] = {"/reduced",
                                                                                      NULL};
    fb_stream in = FB_STREAM_NONE;
    fb_model b = {0};
    fb_run r = {.out = after, .line = "test"};
    fb_err e = {0};
    hid_t f = edit_copy("full.h5", FB_FORMAT_MAJOR, FB_FORMAT_MINOR + 7);
    H5Gclose(H5Gcreate2(f, "/later", H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT));
    H5Gclose(H5Gcreate2(f, "/later/deep", H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT));
    add_dataset(f, "/later/deep/x", x, 3);
    add_dataset(f, "/full/y", y, 2);
    add_dataset(f, "/nodes/color", y, 2);
    add_number(f, "/", "later", 1.25);
    add_number(f, "/nodes", "later", 2.25);
    H5Fclose(f);
    ck_assert_msg(fb_stream_open(&in, path, &e) == FB_OK, "%s", e.msg);
    ck_assert_msg(fb_model_read(&in, &b, NULL, &e) == FB_OK, "%s", e.msg);
    ck_assert_msg(fb_publish(&r, &in, &b, mine, stale, &e) == FB_OK, "%s", e.msg);
    fb_stream_abandon(&in);
    fb_model_free(&b);
    ck_assert_msg(fb_stream_open(&in, after, &e) == FB_OK, "%s", e.msg);
    ck_assert_msg(fb_model_read(&in, &b, NULL, &e) == FB_OK, "%s", e.msg);
    fb_stream_abandon(&in);
    fb_model_free(&b);
    f = H5Fopen(after, H5F_ACC_RDONLY, H5P_DEFAULT);
    same_values(f, "/later/deep/x", x, 3);
    same_values(f, "/full/y", y, 2);
    same_values(f, "/nodes/color", y, 2);
    ck_assert_double_eq(number(f, "/", "later"), 1.25);
    ck_assert_double_eq(number(f, "/nodes", "later"), 2.25);
    H5Fclose(f);
}
END_TEST

START_TEST(a_newer_major_version_is_refused)
{
    static const double versions[][2] = {
        {FB_FORMAT_MAJOR + 1, 0}, {FB_FORMAT_MAJOR + 1, 3}, {0, 9}, {1e300, 0}, {-1, 0}, {NAN, 0}};
    fb_stream in = FB_STREAM_NONE;
    fb_model b = {0};
    fb_err e = {0};
    char want[128];
    H5Fclose(edit_copy("full.h5", versions[_i][0], versions[_i][1]));
    ck_assert_int_eq(fb_stream_open(&in, path, &e), FB_OK);
    ck_assert_int_eq(fb_model_read(&in, &b, NULL, &e), FB_EFORMAT);
    snprintf(want, sizeof want, "stream version %g.%g; this program reads version %d.x",
             versions[_i][0], versions[_i][1], FB_FORMAT_MAJOR);
    ck_assert_msg(strstr(e.msg, want) != NULL, "%s", e.msg);
    fb_stream_abandon(&in);
}
END_TEST

Suite *suite_golden(void)
{
    Suite *s = suite_create("golden");
    TCase *t = tcase_create("golden");
    tcase_set_timeout(t, 60);
    tcase_add_checked_fixture(t, fresh, gone);
    tcase_add_test(t, files_of_past_releases_are_read);
    tcase_add_test(t, a_newer_minor_version_passes);
    tcase_add_loop_test(t, a_newer_major_version_is_refused, 0, 6);
    suite_add_tcase(s, t);
    return s;
}
