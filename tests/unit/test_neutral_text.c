/* SPDX-License-Identifier: GPL-3.0-or-later */
/* test_neutral_text.c - small inputs of Matrix Market, Harwell-Boeing, MATLAB 4, universal files
 * and tables: border cases, every message, cuts at every byte, failing allocations. */
#include "mnfparse/reader.h"
#include "tests/suites.h"
#include <math.h>

static fb_err e;
static char warned[1024];

static void note_warning(void *self, int is_warning, const char *line)
{
    (void)self;
    if (is_warning)
        snprintf(warned, sizeof warned, "%s", line);
}

/* The bytes are copied to a block of their size, so that a sanitizer sees any over-read. */
static fb_status parse(const fb_reader *r, const void *data, size_t n, fb_parts *p)
{
    char name[] = "test";
    unsigned char *copy = malloc(n ? n : 1);
    ck_assert_ptr_nonnull(copy);
    memcpy(copy, data, n);
    fb_input in = {.data = copy, .size = n, .name = name};
    fb_log log = {.verbose = 1, .sink = note_warning};
    warned[0] = e.msg[0] = 0;
    fb_status s = n ? r->read(&in, p, &log, &e) : FB_EFORMAT;
    for (int64_t k = 0; !s && k < p->nmatrix; k++)
        if (p->matrix[k].role != FB_ROLE_OTHER)
            ck_assert_msg(!fb_csc_check(&p->matrix[k].A, "matrix", &e), "%s", e.msg);
    fb_log_free(&log);
    free(copy);
    return s;
}

static double at(const fb_matrix *a, int64_t i, int64_t j, int imag)
{
    if (a->A.upper && i > j) {
        int64_t t = i;
        i = j;
        j = t;
    }
    for (int64_t q = a->A.p[j]; q < a->A.p[j + 1]; q++)
        if (a->A.i[q] == i)
            return imag ? a->imag[q] : a->A.x[q];
    return 0;
}

/* ---- samples ------------------------------------------------------------------------------ */

#define MM       "%%MatrixMarket matrix "
#define HB_TITLE "Title                                                                   KEY\n"
#define HB4(total, ptr, ind, val) \
    "             " total "             " ptr "             " ind "             " val "\n"
#define HB_SIZE(type, m, n, nnz) \
    type "                        " m "             " n "             " nnz "             0\n"

static const char spring[] = MM "coordinate real symmetric\n% three in a chain\n3 3 5\n1 1 2e3\n2 "
                                "1 -1000\n\n2 2 2.0D+3\r\n3 2 -1000.\n"
                                "% late\n3 3 1000";
static const char rsa[] = HB_TITLE HB4("3", "1", "1", "1")
    HB_SIZE("RSA", "3", "3", "5") "(16I5)          (16I5)          (5E12.4)\n"
                                  "    1    3    5    6\n    1    2    2    3    3\n  2.0000E+03 "
                                  "-1.0000D+03  2.0000E+03-1.0000E+003  1.0000E+03\n";
static const char nodes[] = "node;x;y;z\r\n1;0,5;-1e-3;0,\r\n# c\n2;1;2;3\r\n";
static const char modes[] =
    "    -1\n  2411\n         1         1         1        11\n   0.0000000000000000D+00   "
    "0.0000000000000000D+00   0.0000000000000000D+00\n"
    "         2         1         1        11\n   1.0000000000000000D+00   0.0000000000000000D+00  "
    " 0.0000000000000000D+00\n    -1\n"
    "    -1\n    55\nmode 1\nNONE\nNONE\nNONE\nNONE\n         1         2         3         8      "
    "   2         6\n"
    "         2         4         1         1\n  1.25000E+01  2.00000E+00  0.00000E+00  "
    "0.00000E+00\n         1\n"
    "  0.00000E+00  0.00000E+00  0.00000E+00  0.00000E+00  0.00000E+00  0.00000E+00\n         2\n"
    " 1.00000E+000-2.00000E+000  0.00000E+00  0.00000E+00  1.00000E-01  0.00000E+00\n    -1\n";

/* ---- Matrix Market ------------------------------------------------------------------------ */

START_TEST(matrix_market_is_read_as_written)
{
    fb_parts p = {0};
    ck_assert_msg(!parse(&fb_reader_mm, spring, sizeof spring - 1, &p), "%s", e.msg);
    const fb_matrix *a = p.matrix;
    ck_assert_int_eq(a->A.upper, 1);
    ck_assert_int_eq(a->A.p[3], 5);
    ck_assert_double_eq(at(a, 0, 0, 0), 2000);
    ck_assert_double_eq(at(a, 0, 1, 0), -1000);
    ck_assert_double_eq(at(a, 2, 1, 0), -1000);
    ck_assert_double_eq(at(a, 2, 2, 0), 1000);
    ck_assert_int_eq(a->role, FB_ROLE_UNKNOWN);
    fb_parts_free(&p);
}
END_TEST

START_TEST(both_halves_are_taken_once)
{
    fb_parts p = {0};
    const char t[] = MM "coordinate real symmetric\n3 3 5\n1 2 -1\n2 1 -1\n2 2 3\n3 1 4\n2 3 7\n";
    ck_assert_msg(!parse(&fb_reader_mm, t, sizeof t - 1, &p), "%s", e.msg);
    ck_assert_double_eq(at(p.matrix, 0, 1, 0), -1);
    ck_assert_double_eq(at(p.matrix, 0, 2, 0), 4);
    ck_assert_double_eq(at(p.matrix, 1, 2, 0), 7);
    ck_assert_int_eq(p.matrix->A.p[3], 4);
    ck_assert_ptr_nonnull(strstr(warned, "(1 pairs twice)"));
    fb_parts_free(&p);
}
END_TEST

START_TEST(hermitian_and_skew_are_written_out)
{
    fb_parts p = {0};
    const char h[] = MM "coordinate complex hermitian\n2 2 2\n2 1 .5 -.25\n2 2 3 0\n",
               d[] = MM "coordinate complex hermitian\n2 2 2\n1 1 5 0\n2 2 3 .75\n",
               z[] = MM "array real skew-symmetric\n2 2\n3.5\n";
    ck_assert_msg(!parse(&fb_reader_mm, h, sizeof h - 1, &p), "%s", e.msg);
    ck_assert_double_eq(at(p.matrix, 1, 0, 1), -.25);
    ck_assert_double_eq(at(p.matrix, 0, 1, 1), .25);
    ck_assert_double_eq(at(p.matrix, 0, 1, 0), .5);
    ck_assert_str_eq(warned, "");
    fb_parts_free(&p);
    ck_assert_msg(!parse(&fb_reader_mm, d, sizeof d - 1, &p), "%s", e.msg);
    ck_assert_ptr_nonnull(strstr(warned, "line 4: imaginary part 0.75 on the diagonal"));
    ck_assert_double_eq(at(p.matrix, 1, 1, 1), 0);
    ck_assert_double_eq(at(p.matrix, 1, 1, 0), 3);
    fb_parts_free(&p);
    ck_assert_msg(!parse(&fb_reader_mm, z, sizeof z - 1, &p), "%s", e.msg);
    ck_assert_double_eq(at(p.matrix, 1, 0, 0), 3.5);
    ck_assert_double_eq(at(p.matrix, 0, 1, 0), -3.5);
    fb_parts_free(&p);
}
END_TEST

static uint64_t draw(uint64_t *state)
{
    uint64_t z = *state += UINT64_C(0x9e3779b97f4a7c15);
    z = (z ^ z >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ z >> 27) * UINT64_C(0x94d049bb133111eb);
    return z ^ z >> 31;
}

/* Complex coordinates are read in two passes, real ones in one: with imaginary parts of 0 the
 * matrix, the warning or the message must be the same. */
START_TEST(one_pass_finds_what_two_find)
{
    enum { MOST = 60 };
    static char text[2][MOST * 64];
    static const char *const symmetry[] = {"general", "symmetric"};
    uint64_t state = (uint64_t)_i;
    int n = 1 + (int)(draw(&state) % 9), count = (int)(draw(&state) % MOST),
        lower = (int)(draw(&state) % 2), first = 1;
    int announced = count + (draw(&state) % 8 == 0),
        wrong = draw(&state) % 4 == 0 ? (int)(draw(&state) % MOST) : -1;
    int len[2] = {0};
    for (int c = 0; c < 2; c++)
        len[c] = snprintf(text[c], sizeof text[c], MM "coordinate %s %s\n%d %d %d\n",
                          c ? "complex" : "real", symmetry[_i % 2], n, n, announced);
    for (int k = 0; k < count; k++) {
        int i = (int)(draw(&state) % (uint64_t)n), j = (int)(draw(&state) % (uint64_t)n);
        double x = (double)(int64_t)draw(&state) * 0x1p-40;
        if (_i % 2 && lower && i < j) {
            int t = i;
            i = j;
            j = t;
        }
        for (int c = 0; c < 2; c++)
            len[c] += snprintf(text[c] + len[c], sizeof text[c] - (size_t)len[c],
                               "%d %d %.*e%s%s\n", i + (k == wrong ? 100 : 1), j + 1,
                               first + k % 16, x, k == wrong + 1 ? "x" : "", c ? " 0" : "");
    }
    fb_parts p[2];
    char told[2][sizeof e.msg] = {"", ""};
    fb_status s[2];
    memset(p, 0, sizeof p);
    for (int c = 0; c < 2; c++) {
        s[c] = parse(&fb_reader_mm, text[c], (size_t)len[c], p + c);
        snprintf(told[c], sizeof told[c], "%s", s[c] ? e.msg : warned);
    }
    ck_assert_int_eq(s[0], s[1]);
    if (!s[0] || wrong < 0 || announced > count) /* else the line itself is quoted */
        ck_assert_str_eq(told[0], told[1]);
    for (int i = 0; !s[0] && i < n; i++)
        for (int j = 0; j < n; j++)
            ck_assert_double_eq(at(p[0].matrix, i, j, 0), at(p[1].matrix, i, j, 0));
    fb_parts_free(p);
    fb_parts_free(p + 1);
}
END_TEST

/* A full column, so that unordered rows go through both ways to sort; values to the last bit. */
START_TEST(values_are_those_of_strtod)
{
    enum { N = 300 };
    static char text[N * 64];
    static double want[N];
    static const char *const form[] = {"%lld 1 %.17g\n", "%lld 1 %.16e\n", "%lld\t1   %.12g \r\n"};
    uint64_t state = (uint64_t)_i;
    int n = snprintf(text, sizeof text, MM "coordinate real general\n%d 1 %d\n", N, N);
    for (int k = 0; k < N; k++) {
        int row = (int)((k * 7 + _i) % N);
        double x = ldexp((double)(int64_t)draw(&state), (int)(draw(&state) % 200) - 150);
        int m = snprintf(text + n, sizeof text - n, form[draw(&state) % 3], (long long)row + 1, x);
        want[row] = strtod(text + n + strcspn(text + n, " \t") + 2, NULL); /* behind "row 1" */
        n += m;
    }
    fb_parts p = {0};
    ck_assert_msg(!parse(&fb_reader_mm, text, (size_t)n, &p), "%s", e.msg);
    for (int k = 0; k < N; k++)
        ck_assert_msg(!memcmp(&want[k], &p.matrix->A.x[k], 8), "row %d: %.17g, strtod %.17g", k + 1,
                      p.matrix->A.x[k], want[k]);
    fb_parts_free(&p);
}
END_TEST

/* ---- Harwell-Boeing ----------------------------------------------------------------------- */

START_TEST(harwell_boeing_fields_are_cut_by_width)
{
    fb_parts p = {0};
    ck_assert_msg(!parse(&fb_reader_hb, rsa, sizeof rsa - 1, &p), "%s", e.msg);
    ck_assert_int_eq(p.matrix->A.upper, 1);
    ck_assert_double_eq(at(p.matrix, 1, 2, 0), -1000);
    ck_assert_double_eq(at(p.matrix, 2, 2, 0), 1000);
    fb_parts_free(&p);
}
END_TEST

START_TEST(scale_factors_and_implied_points_count)
{
    fb_parts p = {0};
    const char t[] = HB_TITLE HB4("4", "1", "1", "2")
        HB_SIZE("RUA", "2", "2", "4") "(1X,8I9)        (2(1X,I3))      (2(1P,F8.2))        \n"
                                      "         1        3        5\n   1   2\n   1   2\n    1000  "
                                      "200.50\n  -7.5E0     1.0\n";
    ck_assert_msg(!parse(&fb_reader_hb, t, sizeof t - 1, &p), "%s", e.msg);
    ck_assert_double_eq(at(p.matrix, 0, 0, 0), 1);     /* 10.00 by F8.2, a tenth by 1P */
    ck_assert_double_eq(at(p.matrix, 1, 0, 0), 20.05); /* a tenth */
    ck_assert_double_eq(at(p.matrix, 0, 1, 0), -7.5);  /* with an exponent P does nothing */
    ck_assert_double_eq(at(p.matrix, 1, 1, 0), .1);
    fb_parts_free(&p);
}
END_TEST

/* One value, then by / three in the next line. */
START_TEST(a_slash_ends_the_line)
{
    fb_parts p = {0};
    const char t[] = HB_TITLE HB4("4", "1", "1", "2")
        HB_SIZE("RUA", "2", "2", "4") "(8I9)           (2I4)           (F8.2/3F8.2)        \n"
                                      "        1        3        5\n   1   2\n   1   2\n"
                                      "    1.25\n    2.50    3.75    5.00\n";
    ck_assert_msg(!parse(&fb_reader_hb, t, sizeof t - 1, &p), "%s", e.msg);
    for (int k = 0; k < 4; k++)
        ck_assert_double_eq(at(p.matrix, k % 2, k / 2, 0), 1.25 * (k + 1));
    fb_parts_free(&p);
}
END_TEST

/* Ansys writes the full square of some matrices that it calls symmetric. */
START_TEST(a_full_square_called_symmetric_is_not_mirrored)
{
    fb_parts p = {0};
    const char t[] = HB_TITLE HB4("3", "1", "1", "1") HB_SIZE(
        "RSA", "2", "2", "4") "(3I4)           (4I4)           (4d8.1)             \n"
                              "   1   3   5\n   1   2   1   2\n 2.0d+00-1.0d+00-1.0d+00 3.0d+00\n";
    ck_assert_msg(!parse(&fb_reader_hb, t, sizeof t - 1, &p), "%s", e.msg);
    ck_assert_double_eq(at(p.matrix, 0, 1, 0), -1);
    ck_assert_int_eq(p.matrix->A.p[2], 3);
    ck_assert_ptr_nonnull(strstr(warned, "entries of both halves"));
    fb_parts_free(&p);
}
END_TEST

/* ---- MATLAB 4 ----------------------------------------------------------------------------- */

/* One full variable of doubles or, with type 2, the rows (i, j, x) of a sparse one. */
static size_t put_v4(unsigned char *o, int type, int m, int n, const char *name, const double *x)
{
    const int32_t h[5] = {type, m, n, 0, (int32_t)strlen(name) + 1};
    memcpy(o, h, sizeof h);
    memcpy(o + 20, name, strlen(name) + 1);
    memcpy(o + 21 + strlen(name), x, (size_t)(m * n) * 8);
    return 21 + strlen(name) + (size_t)(m * n) * 8;
}

static size_t matlab_4(unsigned char *o)
{
    /* the lower half of [2 -1; -1 3], and [1 0; 0 1] in full */
    static const double sparse[12] = {1, 2, 2, 2, 1, 1, 2, 2, 2, -1, 3, 0}, full[4] = {1, 0, 0, 1},
                        table[8] = {7, 9, 0, 1, 0, 0, 0, 0};
    size_t n = put_v4(o, 2, 4, 3, "K", sparse);
    n += put_v4(o + n, 0, 2, 2, "mass", full);
    return n + put_v4(o + n, 0, 2, 4, "nodes", table);
}

/* Ansys writes the title into 72 columns; that of the stiffness fills them, those of mass and
 * damping stand at the right. */
START_TEST(titles_of_ansys_give_roles)
{
    static const char *const what[] = {"Stiffness", "Mass", "Damping"};
    static const fb_role want[] = {FB_ROLE_STIFFNESS, FB_ROLE_MASS, FB_ROLE_DAMPING};
    for (int k = 0; k < 6; k++) {
        char title[100], text[1000];
        fb_parts p = {0};
        snprintf(title, sizeof title,
                 "%s matrix from ANSYS FULL file dumped into Harwell-Boeing format", what[k % 3]);
        snprintf(text, sizeof text, k < 3 ? "%72s\n%s" : "%-72s\n%s", title, strchr(rsa, '\n') + 1);
        ck_assert_msg(!parse(&fb_reader_hb, text, strlen(text), &p), "%s", e.msg);
        ck_assert_int_eq(p.matrix[0].role, want[k % 3]);
        fb_parts_free(&p);
    }
}
END_TEST

START_TEST(matlab_4_names_give_roles)
{
    fb_parts p = {0};
    unsigned char o[512];
    size_t n = matlab_4(o);
    ck_assert_msg(!parse(&fb_reader_matlab, o, n, &p), "%s", e.msg);
    ck_assert_int_eq(p.nmatrix, 2);
    ck_assert_int_eq(p.matrix[0].role, FB_ROLE_STIFFNESS);
    ck_assert_int_eq(p.matrix[1].role, FB_ROLE_MASS);
    ck_assert_double_eq(at(p.matrix, 0, 1, 0), -1);
    ck_assert_double_eq(at(p.matrix, 1, 0, 0), -1);
    ck_assert_int_eq(p.nn, 2);
    ck_assert_int_eq(p.node_id[1], 9);
    ck_assert_double_eq(p.xyz[3], 1);
    fb_parts_free(&p);
}
END_TEST

START_TEST(matlab_4_sizes_are_not_trusted)
{
    fb_parts p = {0};
    unsigned char o[512];
    size_t n = matlab_4(o);
    const int32_t huge = 0x7fffffff;
    memcpy(o + 4, &huge, 4);
    ck_assert_int_eq(parse(&fb_reader_matlab, o, n, &p), FB_EFORMAT);
    ck_assert_ptr_nonnull(strstr(e.msg, "needs more than"));
    fb_parts_free(&p);
    matlab_4(o);
    const double far = 1e12;
    memcpy(o + 22 + 7 * 8, &far, 8); /* columns of K */
    ck_assert_int_eq(parse(&fb_reader_matlab, o, n, &p), FB_EFORMAT);
    ck_assert_ptr_nonnull(strstr(e.msg, "does not fit into the file"));
    fb_parts_free(&p);
}
END_TEST

/* ---- universal file, tables --------------------------------------------------------------- */

START_TEST(touching_fields_of_a_universal_file_are_cut)
{
    fb_parts p = {0};
    ck_assert_msg(!parse(&fb_reader_unv, modes, sizeof modes - 1, &p), "%s", e.msg);
    ck_assert_int_eq(p.body.nn, 2);
    ck_assert_int_eq(p.body.nm, 1);
    ck_assert_double_eq(p.body.shape[6], 1);
    ck_assert_double_eq(p.body.shape[7], -2);
    ck_assert_double_eq(p.body.shape[10], .1);
    ck_assert_double_eq(p.body.eigen[3], 2);
    ck_assert_double_eq_tol(p.body.frequency[0], 12.5, 1e-12);
    ck_assert_double_eq_tol(p.body.Kr[0], 2 * pow(2 * 3.14159265358979324 * 12.5, 2), 1e-9);
    fb_parts_free(&p);
}
END_TEST

/* Set 2414 at nodes holds a mode, at elements none. */
#define SET_2414(place, hertz, first, second) \
    "    -1\n  2414\n         7\nresult\n         " place "\na\nb\nc\nd\ne\n" \
    "         1         2         3         8         2         6\n" \
    "         0         0         0         0         0         3         0         0\n" \
    "         0         0\n  0.00000E+00  " hertz "  0.00000E+00  4.00000E+00  0.00000E+00  " \
    "0.00000E+00\n  0.00000E+00  0.00000E+00  0.00000E+00  0.00000E+00  0.00000E+00  " \
    "0.00000E+00\n         1\n  " first "  0.00000E+00  0.00000E+00  0.00000E+00  0.00000E+00  " \
    "7.00000E+00\n         2\n  0.00000E+00  " second "  0.00000E+00  0.00000E+00  " \
    "0.00000E+00  0.00000E+00\n    -1\n"

START_TEST(results_of_a_universal_file_are_those_at_nodes)
{
    char text[4000];
    fb_parts p = {0};
    snprintf(text, sizeof text, "%.*s%s%s", (int)(strstr(modes, "    -1\n    55") - modes), modes,
             SET_2414("2", "9.90000E+01", "8.00000E+00", "8.00000E+00"),
             SET_2414("1", "2.50000E+01", "3.00000E+00", "5.00000E+00"));
    ck_assert_msg(!parse(&fb_reader_unv, text, strlen(text), &p), "%s", e.msg);
    ck_assert_int_eq(p.body.nm, 1);
    ck_assert_int_eq(p.body.mode_number[0], 3);
    ck_assert_double_eq_tol(p.body.eigen[1], 25, 1e-12);
    ck_assert_double_eq(p.body.eigen[3], 4);
    const double want[12] = {3, 0, 0, 0, 0, 7, 0, 5, 0, 0, 0, 0};
    for (int k = 0; k < 12; k++)
        ck_assert_double_eq(p.body.shape[k], want[k]);
    fb_parts_free(&p);
}
END_TEST

/* ---- coordinate systems of a universal file ------------------------------------------------ */

/* A mode with (1, 2, 3; .1 .2 .3) at node 1, whose displacements are in system `cs`. */
#define SYSTEM_18(label, type, to, points) \
    "    -1\n    18\n         " label "         " type "         " to \
    "         8         1\nSYS\n" points "    -1\n"
#define NODE_15(def, cs, place) \
    "    -1\n    15\n         1         " def "         " cs "         1" place "\n    -1\n"
#define MODE_55(analysis, reals) \
    "    -1\n    55\na\nb\nc\nd\ne\n         1         " analysis \
    "         3         8         2         6\n         2         4         1         1\n" reals \
    "\n         1\n  1.00000E+00  2.00000E+00  3.00000E+00  1.00000E-01  2.00000E-01  " \
    "3.00000E-01\n" \
    "    -1\n"
#define HEAD_55 MODE_55("2", "  1.00000E+01  0.00000E+00  2.00000E-02  0.00000E+00")
#define AT_O    "  0.00000E+00  0.00000E+00  0.00000E+00"
#define AT_X    "  1.00000E+00  0.00000E+00  0.00000E+00"
#define AT_Y    "  0.00000E+00  1.00000E+00  0.00000E+00"
#define AT_Z    "  0.00000E+00  0.00000E+00  1.00000E+00"
#define AT_34   "  3.00000E+00  4.00000E+00  5.00000E+00"
#define ROW(x)  "    " x "\n"
#define ROWS_2420(last) \
    "    -1\n  2420\n         1\npart\n         7         0         1\nCS\n" ROW("0. 1. 0.") \
        ROW("0. 0. 1.") ROW(last) ROW("1. 2. 3.") "    -1\n"

static const struct {
    const char *text;
    double x[3], v[6], damping; /* of node 1, global */
    const char *says;
} turned[] = {
    /* x is Y, z is X, so y is Z: (3, 1, 2) */
    {SYSTEM_18("7", "0", "0", AT_O AT_Y "\n" AT_X "\n") NODE_15("0", "7", AT_34) HEAD_55,
     {3, 4, 5},
     {3, 1, 2, .3, .1, .2},
     .02,
     NULL},
    /* the second system stands in the first, twice the same turn; its place moves along */
    {SYSTEM_18("7", "0", "0", AT_O AT_Y "\n" AT_X "\n") SYSTEM_18(
         "8", "0", "7",
         AT_X "  1.00000E+00  1.00000E+00  0.00000E+00\n"
              "  2.00000E+00  0.00000E+00  0.00000E+00\n") NODE_15("8", "8", AT_34) HEAD_55,
     {4, 6, 3},
     {2, 3, 1, .2, .3, .1},
     .02,
     NULL},
    /* rows are the axes: 1 along Y, 2 along Z, 3 along X */
    {ROWS_2420("1. 0. 0.") NODE_15("0", "7", AT_34) HEAD_55,
     {3, 4, 5},
     {3, 1, 2, .3, .1, .2},
     .02,
     NULL},
    /* cylindrical, (3, 4): e_r = (.6, .8, 0), e_theta = (-.8, .6, 0) */
    {SYSTEM_18("7", "1", "0", AT_O AT_X "\n" AT_Z "\n") NODE_15("0", "7", AT_34) HEAD_55,
     {3, 4, 5},
     {.6 - 1.6, .8 + 1.2, 3, .06 - .16, .08 + .12, .3},
     .02,
     NULL},
    /* spherical at (3, 4, 0): e_r = (.6, .8, 0), e_theta = -z, e_phi = (-.8, .6, 0) */
    {SYSTEM_18("7", "2", "0", AT_O AT_X "\n" AT_Z "\n")
         NODE_15("0", "7", "  3.00000E+00  4.00000E+00  0.00000E+00") HEAD_55,
     {3, 4, 0},
     {.6 - 2.4, .8 + 1.8, -2, .06 - .24, .08 + .18, -.2},
     .02,
     NULL},
    /* on the axis there is no direction but those of the system */
    {SYSTEM_18("7", "1", "0", AT_O AT_X "\n" AT_Z "\n") NODE_15("0", "7", AT_Z) HEAD_55,
     {0, 0, 1},
     {1, 2, 3, .1, .2, .3},
     .02,
     NULL},
    /* a complex root -3 + 4 i has the ratio 0.6; half of a hysteretic one is viscous at
     * resonance */
    {NODE_15("0", "0", AT_34) MODE_55("3", " -3.00000E+00  4.00000E+00  0.00000E+00  0.00000E+00"),
     {3, 4, 5},
     {1, 2, 3, .1, .2, .3},
     .6,
     NULL},
    {NODE_15("0", "0", AT_34) MODE_55("2", "  1.00000E+01  0.00000E+00  0.00000E+00  1.00000E-02"),
     {3, 4, 5},
     {1, 2, 3, .1, .2, .3},
     .005,
     NULL},
    {NODE_15("0", "0", AT_34) MODE_55("2", "  1.00000E+01  0.00000E+00  0.00000E+00  0.00000E+00"),
     {3, 4, 5},
     {1, 2, 3, .1, .2, .3},
     0,
     NULL},
    {SYSTEM_18("7", "0", "0", AT_O AT_Y "\n" AT_Y "\n"), {0}, {0}, 0, "not on a line"},
    {SYSTEM_18("7", "3", "0", AT_O AT_Y "\n" AT_X "\n"), {0}, {0}, 0, "a type 0, 1, 2"},
    {ROWS_2420("0. 1. 0."), {0}, {0}, 0, "normal to each other"},
    {SYSTEM_18("7", "0", "7", AT_O AT_Y "\n" AT_X "\n") NODE_15("0", "7", AT_34),
     {0},
     {0},
     0,
     "refers to itself"},
    {SYSTEM_18("7", "1", "0", AT_O AT_Y "\n" AT_X "\n") NODE_15("7", "0", AT_34),
     {0},
     {0},
     0,
     "is not rectangular: export in the global"},
    {SYSTEM_18("7", "1", "0", AT_O AT_Y "\n" AT_X "\n")
         SYSTEM_18("8", "0", "7", AT_O AT_Y "\n" AT_X "\n") NODE_15("0", "8", AT_34),
     {0},
     {0},
     0,
     "refers to one that is not rectangular"},
    {ROWS_2420("1. 0. 0.") "    -1\n  2411\n         1         7         0         1\n" AT_34
                           "\n    -1\n",
     {0},
     {0},
     0,
     "is placed in coordinate system 7, which is not the global one"},
};

START_TEST(systems_of_a_universal_file)
{
    fb_parts p = {0};
    const char *text = turned[_i].text;
    const fb_status s = parse(&fb_reader_unv, text, strlen(text), &p);
    if (turned[_i].says) {
        ck_assert_int_eq(s, FB_EFORMAT);
        ck_assert_msg(strstr(e.msg, turned[_i].says) != NULL, "%s", e.msg);
    } else {
        ck_assert_msg(!s, "%s", e.msg);
        for (int k = 0; k < 3; k++)
            ck_assert_double_eq_tol(p.body.xyz[k], turned[_i].x[k], 1e-14);
        for (int k = 0; k < 6; k++)
            ck_assert_double_eq_tol(p.body.shape[k], turned[_i].v[k], 1e-14);
        if (turned[_i].damping > 0)
            ck_assert_double_eq_tol(p.body.mode_damping[0], turned[_i].damping, 1e-14);
        else
            ck_assert_ptr_null(p.body.mode_damping);
        ck_assert_double_eq_tol(p.body.eigen[3], 0, 1e-300); /* the modal mass is not known */
        ck_assert_ptr_null(p.body.Mr);
    }
    fb_parts_free(&p);
}
END_TEST

/* Labels above 1 that the file does not give; one given again; a chain as long as the file, each
 * system 1 further along x, without recursion. */
START_TEST(labels_of_systems)
{
    enum { N = 100000 };
    static const char *const same = SYSTEM_18("7", "0", "0", AT_O AT_Y "\n" AT_X "\n"),
                             *const node = NODE_15("0", "7", AT_34) HEAD_55;
    char *text = malloc((size_t)N * 140), *c = text;
    fb_parts p = {0};
    ck_assert_ptr_nonnull(text);
    ck_assert_int_eq(parse(&fb_reader_unv, node, strlen(node), &p), FB_OK);
    ck_assert_msg(strstr(warned, "1 nodes (the first is 1) are placed or move in coordinate "
                                 "systems that the file does not give") != NULL,
                  "%s", warned);
    fb_parts_free(&p);
    sprintf(text, "%s%s%s", same, same, node);
    ck_assert_int_eq(parse(&fb_reader_unv, text, strlen(text), &p), FB_OK);
    ck_assert_str_eq(warned, "");
    ck_assert_double_eq_tol(p.body.shape[0], 3, 1e-14);
    fb_parts_free(&p);
    sprintf(text, "%s%s%s", same, SYSTEM_18("7", "0", "0", AT_X AT_Y "\n" AT_O "\n"), node);
    ck_assert_int_eq(parse(&fb_reader_unv, text, strlen(text), &p), FB_EFORMAT);
    ck_assert_ptr_nonnull(strstr(e.msg, "coordinate system 7 is given again, and differently"));
    fb_parts_free(&p);
    sprintf(text, "%s%s", SYSTEM_18("7", "0", "9", AT_O AT_Y "\n" AT_X "\n"), node);
    ck_assert_int_eq(parse(&fb_reader_unv, text, strlen(text), &p), FB_EFORMAT);
    ck_assert_ptr_nonnull(strstr(e.msg, "refers to 9, which the file does not give"));
    fb_parts_free(&p);
    c += sprintf(c, "    -1\n    18\n");
    for (int k = 1; k <= N; k++)
        c += sprintf(c, "%10d%10d%10d%10d%10d\nS\n1. 0. 0. 2. 0. 0.\n1. 0. 1.\n", k + 10, 0,
                     k < N ? k + 11 : 0, 8, 1);
    sprintf(c, "    -1\n    -1\n    15\n%10d%10d%10d%10d%s\n    -1\n", 1, 11, 0, 1, AT_O);
    ck_assert_msg(!parse(&fb_reader_unv, text, strlen(text), &p), "%s", e.msg);
    ck_assert_double_eq_tol(p.xyz[0], N, 1e-9);
    fb_parts_free(&p);
    free(text);
}
END_TEST

/* Values that go on in the next line: as many are taken as the node has, others there are left. */
START_TEST(values_of_a_universal_file_go_on)
{
    char text[sizeof modes + 100];
    fb_parts p = {0};
    const char *cut = strstr(modes, "  0.00000E+00  1.00000E-01  0.00000E+00\n    -1");
    ck_assert_ptr_nonnull(cut);
    snprintf(text, sizeof text, "%.*s\n  3.00000E+00  1.00000E-01  4.00000E+00  5.00000E+00\n%s",
             (int)(cut - modes), modes, "    -1\n");
    ck_assert_msg(!parse(&fb_reader_unv, text, strlen(text), &p), "%s", e.msg);
    ck_assert_int_eq(p.body.nn, 2);
    ck_assert_double_eq(p.body.shape[6], 1);
    ck_assert_double_eq(p.body.shape[9], 3);
    ck_assert_double_eq(p.body.shape[10], .1);
    ck_assert_double_eq(p.body.shape[11], 4);
    fb_parts_free(&p);
}
END_TEST

/* The second set of `modes`, with a mesh in a file before it, behind it, or nowhere. */
START_TEST(shapes_take_their_places_from_another_file)
{
    const char *shapes = strstr(modes + 6, "    -1\n    55\n"),
               three[] = "3 1 1 1\n2 1 2 3\n1 0.5 -1e-3 0\n", one[] = "1 0 0 0\n3 1 1 1\n";
    const size_t n = strlen(shapes);
    for (int order = 0; order < 4; order++) {
        fb_parts p = {0};
        fb_model b = {0};
        fb_log log = {0};
        const char *mesh = order == 2 ? one : three;
        if (order == 0)
            ck_assert_msg(!parse(&fb_reader_table, mesh, strlen(mesh), &p), "%s", e.msg);
        ck_assert_msg(!parse(&fb_reader_unv, shapes, n, &p), "%s", e.msg);
        if (order == 1 || order == 2)
            ck_assert_msg(!parse(&fb_reader_table, mesh, strlen(mesh), &p), "%s", e.msg);
        fb_status s = fb_parts_assemble(&p, &b, &log, &e);
        ck_assert_int_eq(s, order == 2 ? FB_EFORMAT : FB_OK);
        if (order == 2)
            ck_assert_str_eq(
                e.msg, "the mode shapes move node 2, which is not among the 2 nodes of the mesh");
        if (order < 2) {
            ck_assert_int_eq(b.nn, 2);
            ck_assert_int_eq(b.node_id[1], 2);
            ck_assert_double_eq(b.xyz[0], 0.5);
            ck_assert_double_eq(b.xyz[5], 3);
            ck_assert_double_eq(b.shape[7], -2);
        }
        ck_assert_int_eq(log.nwarning, order == 3);
        fb_log_free(&log);
        fb_parts_free(&p);
        fb_model_free(&b);
    }
}
END_TEST

START_TEST(shapes_and_mesh_fail_for_every_allocation)
{
    const char *shapes = strstr(modes + 6, "    -1\n    55\n"),
               mesh[] = "1 0 0 0\n2 1 1 1\n3 1 0 0\n";
    fb_status s = FB_OK;
    int fails;
    EVERY_ALLOCATION_FAILS_ONCE(s, fails, {
        fb_parts p = {0};
        fb_model b = {0};
        fb_log log = {0};
        s = parse(&fb_reader_unv, shapes, strlen(shapes), &p);
        s = s ? s : parse(&fb_reader_table, mesh, sizeof mesh - 1, &p);
        s = s ? s : fb_parts_assemble(&p, &b, &log, &e);
        fb_log_free(&log);
        fb_parts_free(&p);
        fb_model_free(&b);
    });
    ck_assert_int_gt(fails, 8);
}
END_TEST

/* lambda = -3 + 4i: 5/(2 pi) Hz; no generalized matrices for complex shapes. */
START_TEST(complex_modes_keep_both_parts)
{
    fb_parts p = {0};
    const char text[] = "    -1\n    55\na\nb\nc\nd\ne\n         1         3         2         8   "
                        "      5         3\n"
                        "         2         6         1         4\n -3.00000E+00  4.00000E+00  "
                        "1.00000E+00  0.00000E+00  0.00000E+00  0.00000E+00\n"
                        "         7\n  1.00000E+00  2.00000E+00  0.00000E+00 -3.00000E+00  "
                        "0.00000E+00  0.00000E+00\n    -1\n";
    ck_assert_msg(!parse(&fb_reader_unv, text, sizeof text - 1, &p), "%s", e.msg);
    ck_assert_int_eq(p.body.nm, 1);
    ck_assert_ptr_null(p.body.Kr);
    ck_assert_double_eq_tol(p.body.eigen[1], 5 / (2 * 3.14159265358979324), 1e-15);
    ck_assert_double_eq(p.body.shape[0], 1);
    ck_assert_double_eq(p.body.shape_imag[0], 2);
    ck_assert_double_eq(p.body.shape_imag[1], -3);
    fb_parts_free(&p);
}
END_TEST

START_TEST(decimal_commas_and_titles_are_understood)
{
    fb_parts p = {0};
    const char blank[] = "Knotennummer\tX\tY\tZ\t\n3\t-4,99e-016\t1,e-001\t0,\t\n",
               dofs[] = "row dof\n\n1 UX\n  \n# x\n2 rotz\n\r\n3 0\n! y\n4 2\n";
    ck_assert_msg(!parse(&fb_reader_table, nodes, sizeof nodes - 1, &p), "%s", e.msg);
    ck_assert_int_eq(p.nn, 2);
    ck_assert_double_eq(p.xyz[0], .5);
    ck_assert_double_eq(p.xyz[1], -1e-3);
    ck_assert_msg(!parse(&fb_reader_table, blank, sizeof blank - 1, &p), "%s", e.msg);
    ck_assert_int_eq(p.node_id[2], 3);
    ck_assert_double_eq(p.xyz[6], -4.99e-16);
    ck_assert_double_eq(p.xyz[7], .1);
    ck_assert_msg(!parse(&fb_reader_table, dofs, sizeof dofs - 1, &p), "%s", e.msg);
    ck_assert_int_eq(p.ntable, 4);
    ck_assert_int_eq(p.table.component[0], 1);
    ck_assert_int_eq(p.table.component[1], 6);
    fb_parts_free(&p);
}
END_TEST

/* ---- messages ----------------------------------------------------------------------------- */

#define UNV_55(analysis, type, values) \
    "    -1\n    55\na\nb\nc\nd\ne\n         1         " analysis \
    "         2         8         " type "         " values \
    "\n         2         4         1         1\n  1.00000E+00  1.00000E+00  0.00000E+00  " \
    "0.00000E+00\n"

#define UNV_ROW "         1\n  1.00000E+00  1.00000E+00  1.00000E+00\n    -1\n"
#define UNV_STRESS \
    "    -1\n    55\na\nb\nc\nd\ne\n         1         2         4         2         2         " \
    "6\n" \
    "         2         4         1         1\n  1.00000E+00  1.00000E+00  0.00000E+00  " \
    "0.00000E+00\n         1\n  1.00000E+00  2.00000E+00  3.00000E+00  4.00000E+00  5.00000E+00  " \
    "6.00000E+00\n    -1\n"

static const struct {
    const fb_reader *r;
    const char *text, *message;
} bad[] = {
    {&fb_reader_mm, "2 2 1\n1 1 1\n", "no %%MatrixMarket banner"},
    {&fb_reader_mm, MM "coordinate real\n", "symmetry of the banner is ''"},
    {&fb_reader_mm, MM "array pattern general\n1 1\n",
     "line 1: the banner says pattern: the file holds no values"},
    {&fb_reader_mm, MM "coordinate real general\n2 2\n1 1 1\n",
     "line 2: the size line '2 2' should hold three whole numbers"},
    {&fb_reader_mm, MM "coordinate real general\n2 2 1000000000000\n1 1 1\n",
     "does not fit into the"},
    {&fb_reader_mm, MM "coordinate real general\n2 -2 1\n1 1 1\n",
     "a matrix of 2 by -2 with 1 entries does not fit into the"},
    {&fb_reader_mm, MM "coordinate real general\n-2 2 1\n1 1 1\n",
     "a matrix of -2 by 2 with 1 entries does not fit into the"},
    {&fb_reader_mm, MM "coordinate real general\n2 2 -1\n1 1 1\n",
     "a matrix of 2 by 2 with -1 entries does not fit into the"},
    {&fb_reader_mm, MM "coordinate real symmetric\n2 3 1\n1 1 1\n", "2 by 3 is not square"},
    {&fb_reader_mm, MM "coordinate real general\n2 2 1\n1 1 1\n2 2 1\n",
     "line 4: more entries than the 1"},
    {&fb_reader_mm, MM "coordinate real general\n2 2 3\n1 1 1\n2 2 1\n",
     "announces 3 entries, the file has 2"},
    {&fb_reader_mm, MM "coordinate real general\n2 2 1\n3 1 1\n",
     "line 3: entry (3,1) is outside the 2 by 2 matrix"},
    {&fb_reader_mm, MM "coordinate real general\n2 2 1\n0 1 1\n", "indices count from 1"},
    {&fb_reader_mm, MM "coordinate real general\n2 2 1\n1 1\n",
     "line 3: 2 fields, an entry of this file has 3"},
    {&fb_reader_mm, MM "coordinate pattern general\n2 2 1\n1 1\n",
     "line 1: the banner says pattern: the file holds no values"},
    {&fb_reader_mm, MM "coordinate real general\n2 2 1\n1 1 nan\n",
     "line 3: 'nan' is not a finite number"},
    {&fb_reader_mm, MM "coordinate real general\n2 2 1\n1.5 1 2\n",
     "line 3: '1.5' is not a whole number"},
    {&fb_reader_mm, MM "coordinate real skew-symmetric\n2 2 1\n1 1 2\n",
     "on the diagonal of a skew-symmetric matrix"},
    {&fb_reader_mm, MM "coordinate real skew-symmetric\n2 2 2\n2 1 2\n1 2 -2\n",
     "entries of both halves"},
    {&fb_reader_mm, MM "coordinate real symmetric\n2 2 2\n1 2 -2\n2 1 -2.002\n",
     "said to be symmetric, but (2,1) is -2.002 and (1,2) is -2"},
    {&fb_reader_mm, MM "array real general\n1 1\n1\n2\n",
     "line 4: more values than the 1 by 1 array holds"},
    {&fb_reader_hb, HB_TITLE HB4("3", "1", "1", "1") HB_SIZE("RSE", "3", "3", "5") "(16I5)\n",
     "elemental (unassembled) matrices are not read"},
    {&fb_reader_hb,
     HB_TITLE HB4("2", "1", "1", "0")
         HB_SIZE("PSA", "1", "1", "1") "(16I5)          (16I5)\n    1    2\n    1\n",
     "line 3: type PSA: a pattern file holds no values, only where they would stand; write the "
     "matrix with its values (RSA)"},
    {&fb_reader_hb, HB_TITLE HB4("3", "1", "1", "1") HB_SIZE("RSA", "3", "4", "5") "(16I5)\n",
     "3 by 4 is not square"},
    {&fb_reader_hb,
     HB_TITLE HB4("3", "1", "1", "1")
         HB_SIZE("RSA", "3", "3", "5") "(16A5)          (16I5)          (5E12.4)\n",
     "'(16A5)': understood are"},
    {&fb_reader_hb,
     HB_TITLE HB4("3", "1", "1", "1")
         HB_SIZE("RSA", "3", "3", "5") "(16I5           (16I5)          (5E12.4)\n",
     "a parenthesis is not closed"},
    /* groups that repeat nothing 1e11 times, blanks beyond all lines: no end was in sight */
    {&fb_reader_hb,
     HB_TITLE HB4("3", "1", "1", "1")
         HB_SIZE("RSA", "3", "3", "5") "(16I5)          (16I5)          (9999(9999(999(X))))\n",
     "more repeats than are understood"},
    {&fb_reader_hb,
     HB_TITLE HB4("3", "1", "1", "1")
         HB_SIZE("RSA", "3", "3", "5") "(16I5)          (16I5)          (999(9999X)E12.4)\n",
     "more blanks than are understood"},
    {&fb_reader_hb,
     HB_TITLE HB4("3", "1", "1", "1")
         HB_SIZE("RSA", "3", "3", "5") "(4F5.1)         (16I5)          (5E12.4)\n",
     "I fields are wanted"},
    {&fb_reader_hb,
     HB_TITLE HB4("3", "1", "1", "1") HB_SIZE(
         "RSA", "1", "1", "1") "(2I2)           (1I2)           (E8.1)\n 1 3\n 1\n 1.0E+00\n",
     "line 5, column 4: 3 in the column starts is outside 1..2"},
    {&fb_reader_hb,
     HB_TITLE HB4("3", "1", "1", "1") HB_SIZE(
         "RSA", "1", "1", "1") "(2I2)           (1I2)           (E8.1)\n 1 2\n 2\n 1.0E+00\n",
     "2 in the row indices is outside 1..1"},
    {&fb_reader_hb,
     HB_TITLE HB4("3", "1", "1", "1") HB_SIZE(
         "RSA", "1", "1", "1") "(2I2)           (1I2)           (E8.1)\n 1 2\n 1\n 1,0E+00\n",
     "'1,0E+00' in the values is not a finite number"},
    {&fb_reader_hb,
     HB_TITLE HB4("3", "1", "1", "1")
         HB_SIZE("RSA", "1", "1", "1") "(2I2)           (1I2)           (E8.1)\n 1\n",
     "line 5, column 3: a blank field in the column starts"},
    {&fb_reader_unv, "text\n", "'    -1', which opens a set, is wanted"},
    {&fb_reader_unv, "    -1\n  2411\n         1         1         1        11\n",
     "the file ends within set 2411, opened in line 2"},
    {&fb_reader_unv, "    -1\n  2411\n         1         1         1        11\n 1.0 2.0\n    -1\n",
     "x, y, z of a node are wanted"},
    {&fb_reader_unv, "    -1\n  2412\n    -1\n", "its sets: 2412"},
    {&fb_reader_unv, "    -1\n  2412\n", "the file ends within set 2412"},
    {&fb_reader_unv, UNV_55("2", "2", "2") "         1\n  1.00000E+00  1.00000E+00\n    -1\n",
     "2 values a node"},
    {&fb_reader_unv, UNV_55("2", "2", "3") "    -1\n", "a mode shape without values"},
    {&fb_reader_unv, UNV_55("2", "2", "3") "         1\n  1.00000E+00  1.00000E+00\n    -1\n",
     "values of a node is missing"},
    {&fb_reader_unv, UNV_55("2", "2", "3") UNV_ROW UNV_55("2", "2", "3") UNV_ROW UNV_STRESS,
     "1 stress sets of 2 shapes whose numbers are not all different"},
    {&fb_reader_table, "# nothing\n", "no record"},
    {&fb_reader_table, "1 2 3\n", "3 fields: a node table has 4"},
    {&fb_reader_table, "id,x,y,z\n1,0,0,0\n2,0,,0\n",
     "line 3: '2,0,,0' is no record of a node table"},
    {&fb_reader_table, "1 1\n2 7\n", "line 2: '2 7' is no record of a dof table"},
    {&fb_reader_matlab, "nothing of the kind, but long enough for a header",
     "no header of a version 4 variable"},
};

START_TEST(messages_name_place_and_fault)
{
    fb_parts p = {0};
    fb_status s = parse(bad[_i].r, bad[_i].text, strlen(bad[_i].text), &p);
    ck_assert_msg(s == FB_EFORMAT && strstr(e.msg, bad[_i].message), "wanted '%s', got %d '%s'",
                  bad[_i].message, (int)s, e.msg);
    fb_parts_free(&p);
}
END_TEST

/* ---- cuts and memory ---------------------------------------------------------------------- */

static const struct {
    const fb_reader *r;
    const char *text;
    size_t n;
} samples[] = {
    {&fb_reader_mm, spring, sizeof spring - 1},
    {&fb_reader_hb, rsa, sizeof rsa - 1},
    {&fb_reader_unv, modes, sizeof modes - 1},
    {&fb_reader_table, nodes, sizeof nodes - 1},
    {&fb_reader_matlab, NULL, 0},
};

static size_t sample(int k, unsigned char *o)
{
    if (samples[k].r == &fb_reader_matlab)
        return matlab_4(o);
    memcpy(o, samples[k].text, samples[k].n);
    return samples[k].n;
}

START_TEST(cut_files_are_refused_or_whole)
{
    unsigned char o[4096];
    size_t n = sample(_i, o);
    for (size_t k = 0; k < n; k++) {
        fb_parts p = {0};
        fb_status s = parse(samples[_i].r, o, k, &p);
        ck_assert_msg(s == FB_OK || (s == FB_EFORMAT && (k == 0 || e.msg[0])), "cut at %zu: %d", k,
                      (int)s);
        fb_parts_free(&p);
    }
}
END_TEST

START_TEST(the_bytes_choose_the_reader)
{
    unsigned char o[4096];
    char name[] = "test";
    fb_input in = {.data = o, .size = sample(_i, o), .name = name};
    const fb_reader *r = NULL;
    ck_assert(!fb_reader_find(&in, NULL, &r, &e));
    ck_assert_str_eq(r->name, samples[_i].r->name);
}
END_TEST

START_TEST(every_allocation_may_fail)
{
    unsigned char o[4096];
    size_t n = sample(_i, o);
    char name[] = "test";
    fb_input in = {.data = o, .size = n, .name = name};
    fb_status s = FB_OK;
    long fails;
    EVERY_ALLOCATION_FAILS_ONCE(s, fails, {
        fb_parts p = {0};
        fb_log log = {0};
        s = samples[_i].r->read(&in, &p, &log, &e);
        fb_parts_free(&p);
        fb_log_free(&log);
    });
    ck_assert_int_gt(fails, 0);
}
END_TEST

#define ROWS(t) (int)(sizeof(t) / sizeof *(t))

Suite *suite_neutral_text(void)
{
    Suite *s = suite_create("neutral_text");
    TCase *t = tcase_create("small files");
    tcase_add_test(t, matrix_market_is_read_as_written);
    tcase_add_test(t, both_halves_are_taken_once);
    tcase_add_test(t, hermitian_and_skew_are_written_out);
    tcase_add_loop_test(t, one_pass_finds_what_two_find, 0, 60);
    tcase_add_loop_test(t, values_are_those_of_strtod, 0, 20);
    tcase_add_test(t, harwell_boeing_fields_are_cut_by_width);
    tcase_add_test(t, scale_factors_and_implied_points_count);
    tcase_add_test(t, a_slash_ends_the_line);
    tcase_add_test(t, a_full_square_called_symmetric_is_not_mirrored);
    tcase_add_test(t, titles_of_ansys_give_roles);
    tcase_add_test(t, matlab_4_names_give_roles);
    tcase_add_test(t, matlab_4_sizes_are_not_trusted);
    tcase_add_test(t, touching_fields_of_a_universal_file_are_cut);
    tcase_add_test(t, values_of_a_universal_file_go_on);
    tcase_add_test(t, results_of_a_universal_file_are_those_at_nodes);
    tcase_add_test(t, labels_of_systems);
    tcase_add_loop_test(t, systems_of_a_universal_file, 0, ROWS(turned));
    tcase_add_test(t, shapes_take_their_places_from_another_file);
    tcase_add_test(t, shapes_and_mesh_fail_for_every_allocation);
    tcase_add_test(t, decimal_commas_and_titles_are_understood);
    tcase_add_test(t, complex_modes_keep_both_parts);
    tcase_add_loop_test(t, messages_name_place_and_fault, 0, ROWS(bad));
    tcase_add_loop_test(t, cut_files_are_refused_or_whole, 0, ROWS(samples));
    tcase_add_loop_test(t, the_bytes_choose_the_reader, 0, ROWS(samples));
    tcase_add_loop_test(t, every_allocation_may_fail, 0, ROWS(samples));
    suite_add_tcase(s, t);
    return s;
}
