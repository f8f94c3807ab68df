/* SPDX-License-Identifier: GPL-3.0-or-later */
/* test_fe_text.c - readers of FE texts on inputs written here: layouts, border cases, messages,
 * truncation, lack of memory. */
#include "mnfparse/join/assemble.h"
#include "mnfparse/reader.h"
#include "mnfparse/text/lines.h"
#include "mnfparse/text/pieces.h"
#include "tests/suites.h"
#include <math.h>
#include <sys/stat.h>
#include <unistd.h>

static fb_err e;
static int warnings;
static char warning[512];

static void sink(void *self, int is_warning, const char *line)
{
    (void)self;
    if (is_warning) {
        warnings++;
        snprintf(warning, sizeof warning, "%s", line);
    }
}

/* From a block that ends with the text, so that a sanitizer sees any byte too many. */
static fb_status read_bytes(const fb_reader *r, const char *text, size_t n, fb_parts *p)
{
    unsigned char *d = malloc(n ? n : 1);
    char name[] = "model_STIF1.mtx";
    fb_log log = {.sink = sink};
    memcpy(d, text, n);
    fb_input in = {.data = d, .size = n, .name = name};
    warnings = 0;
    fb_status s = r->read(&in, p, &log, &e);
    fb_log_free(&log);
    free(d);
    for (int64_t k = 0; !s && k < p->nmatrix; k++)
        ck_assert_msg(!fb_csc_check(&p->matrix[k].A, "matrix", &e), "%s", e.msg);
    return s;
}

static fb_status read_text(const fb_reader *r, const char *text, fb_parts *p)
{
    return read_bytes(r, text, strlen(text), p);
}

static void must(const fb_reader *r, const char *text, fb_parts *p)
{
    fb_status s = read_text(r, text, p);
    ck_assert_msg(s == FB_OK, "%s", e.msg);
}

static double at(const fb_csc *A, int64_t i, int64_t j)
{
    if (A->upper && i > j) {
        int64_t k = i;
        i = j;
        j = k;
    }
    for (int64_t q = A->p[j]; q < A->p[j + 1]; q++)
        if (A->i[q] == i)
            return A->x[q];
    return 0;
}

/* ---- samples ------------------------------------------------------------------------------ */

#define UE_HEAD \
    "**\n** GENERATION OF SUBSTRUCTURE Z1\n*USER ELEMENT, NODES=         4, LINEAR\n" \
    "** ELEMENT NODES\n**         1,         2,\n**        -1,        -2\n" \
    "** NODE NUMBERS WHICH ARE NOT POSITIVE INDICATE INTERNAL NODES.\n1, 3\n  3, 1\n"
#define UE_K \
    "*MATRIX,TYPE=STIFFNESS\n 4.0 ,\n 1.0 , 5.0 ,\n -.5 , 0.0 , 6.0 ,\n .1 , .2 , .3 , 7.0\n" \
    " 0. , 0. , 0. , 0.\n 100. ,\n 0. , 0. , 0. , 0.\n 0. , 400.\n"
#define UE_M \
    "*MATRIX,TYPE=MASS\n 1., 0., 1., 0., 0., 1.\n 0., 0., 0., 1., .1, .2, .3, .4, 1.\n" \
    " .4, .3, .2, .1, 0., 1.\n*MATRIX,TYPE=SLOAD\n 1., 2.\n"
#define FRD \
    "    1C\n    2C                             2                                     1\n" \
    " -1         1 0.00000E+00 0.00000E+00 0.00000E+00\n" \
    " -1         2-1.00000E+00-2.50000E-01 3.00000E+00\n -3\n"
#define FRD_MODE(digit) \
    "    1PGK                1.880154E+05\n    1PMODE                         3\n" \
    "  100CL  101 69.01075709           2                     2    1MODAL      " digit "\n" \
    " -4  DISP        4    1\n -5  D1          1    2    1    0\n -5  ALL         1    2    0    " \
    "0    1ALL\n -1         1 1.00000E+00-2.00000E+00 3.00000E+00\n" \
    " -1         2 4.00000E+00 5.00000E+00-6.00000E-01\n -3\n"
#define FRD_STEP(digit) \
    "  100CL  102 1.000000000           2                     0    1           " digit "\n" \
    " -4  DISP        4    1\n -1         1 1.00000E+00 0.00000E+00 0.00000E+00\n" \
    " -1         2 0.00000E+00 0.00000E+00 0.00000E+00\n -3\n"
#define FRD_NAMES(name, last) \
    " -4  " name "      6    1\n -5  SXX         1    4    1    1\n" \
    " -5  SYY         1    4    2    2\n -5  SZZ         1    4    3    3\n" \
    " -5  SXY         1    4    1    2\n -5  SYZ         1    4    2    3\n" \
    " -5  SZX         1    4    " last "\n"
#define FRD_TENSOR(name) \
    FRD_NAMES(name, "3    1") \
    " -1         2 1.00000E+00 2.00000E+00 3.00000E+00 4.00000E+00 5.00000E+00-6.00000E+00\n" \
    " -1         1 7.00000E+00 8.00000E+00 9.00000E+00 1.00000E+01 1.10000E+01 1.20000E+01\n -3\n"
#define FRD_STRESSED \
    FRD FRD_STEP("1") FRD_TENSOR("STRESS  ") FRD_TENSOR("TOSTRAIN") FRD_MODE("1") \
        FRD_TENSOR("STRESS  ")
#define VECTOR \
    "%%MatrixMarket matrix array integer general \n%==\n% Creator: ANSYS Inc\n3 1\n5\n12\n7\n"
#define MAPPING \
    "    Matrix Eqn          Node    DOF     \n  2  51  UY\n  1  51  UX  \n  3  2  ROTZ\n  4  2  " \
    "TEMP\n"
#define NODES \
    "Knotennummer\tX (m)\tY (m)\tZ " \
    "(m)\t\r\n1\t-4,99e-016\t0,\t0,15\t\r\n12\t1,e-001\t.5\t1e3\t\r\n"
#define DECK \
    "*HEADING\na deck\n*Part, name=rod\n*Node, nset=all\n1, 0., 0., 0.\n2, 1., , 2.\n3, 2.\n" \
    "*Nset, nset=ends\n1, 3\n*Nset, nset=many, generate\n1, 3, 2\n*End Part\n*Assembly, name=A\n" \
    "*Instance, name=rod-1, part=rod\n1., 0., 0.\n0., 0., 0., 0., 0., 1., 90.\n*End Instance\n" \
    "*Node\n10, 5., 5., 5.\n*Nset, nset=tip, instance=rod-1\nENDS, 2\n*Nset, nset=\"my set\"\n" \
    "rod-1.3, rod-1.ends, 10\n*End Assembly\n*Rigid body, ref node=10,\n rot node=11\n"
#define HALF5 \
    "** Assembled operator Stiffness - 5 by 5, entries 8, symmetric\n-1,1, -1,1,  0.0\n" \
    "1,1, -1,1,  1.0e+05\n1,1, 1,1, 4.0e5\n2,1, 1,1,-2.0D5\n1,2, 1,2, 1e36\n2,1, 2,1, 4.0-2\n" \
    "2,2, 2,2, 3.5\n-1,1, 2,2, .25\n"
#define LOADS \
    "** Assembled nodal loads\n*CLOAD, REAL\n1,1, 10.\n2,3, -5.5\n*CLOAD, IMAGINARY\n2,3, 1.\n"

static const struct {
    const fb_reader *reader;
    const char *text;
} samples[] = {
    {&fb_reader_coordinate,
     "1 1 2.5\n2 1 -1.0\n1 2 -1.0\n2 2 4.\n5 2 1e36\n2 5 1.5-101\n3 3 1.0\n"},
    {&fb_reader_coordinate, "1\t1\t2.5\n2\t 1 \t-1.0\n2 2 4.\n"},
    {&fb_reader_coordinate, "1 1 2.5\n1 2 -1.0\n2 2 4.\n1 3 0.0\n3 3 1D+3\n"},
    {&fb_reader_abaqus_matrix, HALF5},
    {&fb_reader_abaqus_matrix, "1099511627776,1, 1099511627776,1, 2.\n1,1, 1,1, 3.\n"},
    {&fb_reader_abaqus_matrix, "1,1, 1,1, 2.\n1,1, 2,1, -1.\n2,1, 1,1, -1.5\n2,1, 2,1, 2."},
    {&fb_reader_abaqus_matrix, LOADS},
    {&fb_reader_user_element, UE_HEAD UE_K UE_M},
    {&fb_reader_user_element, "*USER ELEMENT, NODES=2, LINEAR, UNSYMM\n** ELEMENT NODES\n** 3, "
                              "4\n1\n*MATRIX, TYPE=STIFFNESS\n1., 2., 3., 4.\n"},
    {&fb_reader_inp, DECK},
    {&fb_reader_ccx_dof, "101.1\n101.2\n7.3\r\n7.1"},
    {&fb_reader_ccx_dof, "1.1\n1.2\n1.1\n2.1\n"},
    {&fb_reader_frd, FRD},
    {&fb_reader_frd, FRD_STRESSED},
    {&fb_reader_ansys_vector, VECTOR},
    {&fb_reader_ansys_mapping, MAPPING},
    {&fb_reader_ansys_nodes, NODES},
};
enum { NSAMPLES = sizeof samples / sizeof *samples };

START_TEST(modes_of_frd)
{
    static const struct {
        const char *text, *says;
    } row[] = {
        {FRD FRD_MODE("1"), NULL},
        {FRD FRD_MODE("2"), "binary .frd is not read"},
        {FRD FRD_MODE("1") " -4  DISP        4    1\n -1         1 1.0\n", "three displacements"},
        {FRD FRD_MODE("1") " -4  DISP        4    1\n", "end early"},
        {FRD "    1PMODE   x\n", "number of a mode"},
        {FRD FRD_STEP("2"), "binary .frd is not read"},
        {FRD FRD_STEP("1") FRD_NAMES("STRESS  ", "3    4"), "six components of a tensor is wanted"},
        {FRD FRD_STEP("1") FRD_NAMES("STRESS  ", "2    3"), "six components of a tensor are"},
        {FRD FRD_STEP("1") FRD_NAMES("STRESS  ", "3    1") " -1         1 1.0\n", "six values"},
        {FRD FRD_STEP("1") FRD_NAMES("TOSTRAIN", "3    1"), "strain ends early"},
    };
    fb_parts p = {0};
    fb_model b = {0};
    fb_status s = read_text(&fb_reader_frd, row[_i].text, &p);
    if (row[_i].says) {
        ck_assert_int_eq(s, FB_EFORMAT);
        ck_assert_msg(strstr(e.msg, row[_i].says) != NULL, "%s", e.msg);
    } else {
        fb_log log = {0};
        ck_assert_msg(!s && !fb_parts_assemble(&p, &b, &log, &e), "%s", e.msg);
        ck_assert_int_eq(b.nm, 1);
        ck_assert_int_eq(b.mode_number[0], 3);
        ck_assert_double_eq_tol(b.eigen[1], 69.01075709, 1e-12);
        ck_assert_double_eq_tol(b.shape[1], -2, 1e-15);
        ck_assert_double_eq_tol(b.shape[8], -0.6, 1e-15);
        ck_assert_double_eq_tol(b.xyz[5], 3, 1e-15); /* from the node block */
        ck_assert_ptr_null(b.Kr);
        fb_log_free(&log);
    }
    fb_model_free(&b);
    fb_parts_free(&p);
}
END_TEST

/* The modes of a body bring their stress, by the axes that the file names; the static answer before
 * them is none. */
START_TEST(stress_of_frd)
{
    static const double want[12] = {1, 2, 3, 4, -6, 5, 7, 8, 9, 10, 12, 11};
    for (int stressed = 0; stressed < 2; stressed++) {
        fb_parts p = {.stressed = stressed};
        fb_model b = {0};
        fb_log log = {0};
        ck_assert_msg(!read_text(&fb_reader_frd, FRD_STRESSED, &p), "%s", e.msg);
        ck_assert_int_eq(p.result[FB_MOVED].n, 2);
        ck_assert_int_eq(p.result[FB_MOVED].nrow, stressed ? 4 : 0);
        ck_assert_int_eq(p.result[FB_STRESS].nrow, stressed ? 4 : 2);
        ck_assert_int_eq(p.result[FB_STRAIN].nrow, stressed ? 2 : 0);
        ck_assert_msg(!fb_parts_assemble(&p, &b, &log, &e), "%s", e.msg);
        ck_assert_int_eq(b.nm, 1);
        ck_assert_int_eq(b.ns, 2);
        ck_assert_int_eq(b.stress_node[0], 2);
        ck_assert_int_eq(b.stress_node[1], 1);
        for (int k = 0; k < 12; k++)
            ck_assert_double_eq_tol(b.stress[k], want[k], 1e-15);
        fb_log_free(&log);
        fb_model_free(&b);
        fb_parts_free(&p);
    }
}
END_TEST

START_TEST(samples_are_recognised)
{
    fb_input in = {.data = (const unsigned char *)samples[_i].text,
                   .size = strlen(samples[_i].text)};
    const fb_reader *r = NULL;
    ck_assert_int_eq(fb_reader_find(&in, NULL, &r, &e), FB_OK);
    ck_assert_str_eq(r->name, samples[_i].reader->name);
}
END_TEST

/* Cut anywhere, a text is read or refused with a message. */
START_TEST(cut_samples_are_read_or_refused)
{
    const char *t = samples[_i].text;
    for (size_t n = 0; n <= strlen(t); n++) {
        fb_parts p = {0};
        e = (fb_err){0};
        fb_status s = read_bytes(samples[_i].reader, t, n, &p);
        ck_assert_msg(s == FB_OK || (s == FB_EFORMAT && strlen(e.msg) > 4), "%zu bytes: %d %s", n,
                      s, e.msg);
        ck_assert_msg(n < strlen(t) || s == FB_OK, "%s", e.msg);
        fb_parts_free(&p);
    }
}
END_TEST

/* Not EVERY_ALLOCATION_FAILS_ONCE: a warning that finds no memory is not kept, and that is no
 * failure. */
START_TEST(every_allocation_fails_once)
{
    for (long k = 0, left = -1; left < 0; k++) {
        fb_parts p = {0};
        fb_alloc_fail_after = k;
        fb_status s = read_text(samples[_i].reader, samples[_i].text, &p);
        left = fb_alloc_fail_after;
        fb_alloc_fail_after = -1;
        ck_assert_msg(s == FB_ESYS || s == FB_OK, "allocation %ld: %s", k, e.msg);
        ck_assert(s == FB_OK || left < 0);
        ck_assert(k > 0 || s == FB_ESYS);
        fb_parts_free(&p);
    }
}
END_TEST

/* ---- triangles ---------------------------------------------------------------------------- */

START_TEST(halves_and_squares_give_one_matrix)
{
    static const char *const text[] = {
        "1 1 2.\n1 2 -1.\n2 2 3.\n2 3 -.5\n3 3 4.\n",                   /* upper, by columns */
        "1 1 2.\n2 1 -1.\n2 2 3.\n3 2 -.5\n3 3 4.\n",                   /* lower */
        "3 3 4.\n1 2 -1.\n1 1 2.\n3 2 -.5\n2 2 3.\n",                   /* half, mixed */
        "1 1 2.\n1 2 -1.\n2 1 -1.\n2 2 3.\n2 3 -.5\n3 2 -.5\n3 3 4.\n", /* pairs side by side */
        "1 1 2.\n2 1 -1.\n1 2 -1.\n2 2 3.\n3 2 -.5\n2 3 -.5\n3 3 4.\n", /* full, by columns */
        "2 1 -1.\n3 2 -.5\n3 3 4.\n2 2 3.\n1 1 2.\n2 3 -.5\n1 2 -1.\n", /* full, any order */
        /* pairs and others */
        "3 2 -.5\n2 3 -.5\n1 2 -1.\n2 2 3.\n2 1 -1.\n1 1 2.\n1 3 0.\n3 1 0.\n3 3 4.\n",
    };
    fb_parts p = {0};
    must(&fb_reader_coordinate, text[_i], &p);
    const fb_csc *A = &p.matrix[0].A;
    ck_assert_int_eq(A->upper, 1);
    ck_assert_int_eq(A->n, 3);
    ck_assert_int_eq(A->p[3], 5);
    ck_assert_double_eq(at(A, 0, 0), 2);
    ck_assert_double_eq(at(A, 0, 1), -1);
    ck_assert_double_eq(at(A, 1, 1), 3);
    ck_assert_double_eq(at(A, 1, 2), -.5);
    ck_assert_double_eq(at(A, 2, 2), 4);
    ck_assert_int_eq(p.matrix[0].by_rank, _i >= 3);
    ck_assert_int_eq(p.matrix[0].hint, FB_ROLE_STIFFNESS);
    fb_parts_free(&p);
}
END_TEST

START_TEST(unequal_halves_stay_general)
{
    static const char *const text[] = {
        "1 1 2.\n2 1 -1.\n1 2 -1.5\n2 2 3.\n1 3 7.\n3 1 7.\n",
        "1 3 7.\n3 1 7.\n1 2 -1.5\n1 1 2.\n2 1 -1.\n2 2 3.\n",
        "1 1 2.\n2 1 -1.\n1 2 -1.5\n1 3 7.\n2 2 3.\n3 1 7.\n",
    };
    fb_parts p = {0};
    must(&fb_reader_coordinate, text[_i], &p);
    const fb_csc *A = &p.matrix[0].A;
    ck_assert_int_eq(A->upper, 0);
    ck_assert_int_eq(A->p[3], 6);
    ck_assert_double_eq(at(A, 1, 0), -1);
    ck_assert_double_eq(at(A, 0, 1), -1.5);
    ck_assert_double_eq(at(A, 0, 2), 7);
    ck_assert_double_eq(at(A, 2, 0), 7);
    fb_parts_free(&p);
}
END_TEST

START_TEST(repeated_entries)
{
    fb_parts p = {0};
    must(&fb_reader_coordinate, "1 1 2.\n1 2 -1.\n1 2 -1.\n2 2 3.\n", &p);
    ck_assert_int_eq(warnings, 1);
    ck_assert_double_eq(at(&p.matrix[0].A, 0, 1), -1);
    fb_parts_free(&p);
    ck_assert_int_eq(read_text(&fb_reader_coordinate, "1 1 2.\n1 2 -1.\n1 2 -1.5\n2 2 3.\n", &p),
                     FB_EFORMAT);
    ck_assert_ptr_nonnull(strstr(e.msg, "row 1 and row 2 comes twice"));
    ck_assert_int_eq(read_text(&fb_reader_abaqus_matrix, "7,1, 7,1, 2.\n7,1, 7,1, 3.\n", &p),
                     FB_EFORMAT);
    ck_assert_ptr_nonnull(strstr(e.msg, "7.1 and 7.1 comes twice"));
    fb_parts_free(&p);
}
END_TEST

static uint64_t state;

static uint64_t draw(void)
{
    uint64_t z = state += UINT64_C(0x9e3779b97f4a7c15);
    z = (z ^ z >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ z >> 27) * UINT64_C(0x94d049bb133111eb);
    return z ^ z >> 31;
}

/* A random matrix with random labels, entries shuffled, one half (each entry in either triangle) or
 * both: what is read is what was written, at the place of its labels. */
START_TEST(random_lists)
{
    enum { N = 12, MOST = N * N };
    int64_t node[N], component[N], label = -7;
    double A[N][N] = {{0}};
    struct {
        int i, j;
    } list[MOST];
    int n = 0, both = _i % 2, general = _i % 4 == 3;
    char text[MOST * 64];
    size_t len = 0;
    state = (uint64_t)_i;
    for (int k = 0; k < N; k++) {
        label += (int64_t)(draw() % 3);
        node[k] = label;
        component[k] = k && node[k - 1] == label ? component[k - 1] + 1 : 1;
    }
    for (int i = 0; i < N; i++)
        for (int j = 0; j <= i; j++) {
            if (i != j && draw() % 3)
                continue;
            A[i][j] = A[j][i] = (double)(1 + draw() % 1000);
            if (general && i != j)
                A[i][j] += 0.5;
            if (i == j || both) {
                list[n].i = i, list[n++].j = j;
                if (i != j)
                    list[n].i = j, list[n++].j = i;
            } else {
                int flip = draw() % 2;
                list[n].i = flip ? i : j, list[n++].j = flip ? j : i;
            }
        }
    for (int k = n - 1; k > 0; k--) {
        int q = (int)(draw() % (uint64_t)(k + 1)), i = list[k].i, j = list[k].j;
        list[k] = list[q];
        list[q].i = i, list[q].j = j;
    }
    for (int k = 0; k < n; k++)
        len += (size_t)snprintf(text + len, sizeof text - len, "%lld,%lld, %lld,%lld, %.1f\n",
                                (long long)node[list[k].i], (long long)component[list[k].i],
                                (long long)node[list[k].j], (long long)component[list[k].j],
                                A[list[k].i][list[k].j]);
    fb_parts p = {0};
    must(&fb_reader_abaqus_matrix, text, &p);
    const fb_matrix *m = p.matrix;
    ck_assert_int_eq(m->A.n, N);
    for (int i = 0; i < N; i++) {
        ck_assert_int_eq(m->row.node[i], node[i]);
        ck_assert_int_eq(m->row.component[i], component[i]);
        for (int j = 0; j < N; j++)
            ck_assert_double_eq(at(&m->A, i, j), A[i][j]);
    }
    fb_parts_free(&p);
}
END_TEST

/* ---- what each reader gives --------------------------------------------------------------- */

START_TEST(matrix_input_with_header)
{
    fb_parts p = {0};
    must(&fb_reader_abaqus_matrix, HALF5, &p);
    const fb_matrix *m = p.matrix;
    ck_assert_str_eq(m->name, "Stiffness");
    ck_assert_int_eq(m->role, FB_ROLE_STIFFNESS);
    ck_assert_int_eq(m->row.class[0], FB_DOF_INTERNAL);
    ck_assert_int_eq(m->row.class[1], FB_DOF_PHYSICAL);
    ck_assert_int_eq(m->row.class[2], FB_DOF_FIXED);
    ck_assert_double_eq(at(&m->A, 1, 3), -2e5);
    ck_assert_double_eq(at(&m->A, 3, 3), 4e-2);
    ck_assert_double_eq(at(&m->A, 0, 4), .25);
    fb_parts_free(&p);
    must(&fb_reader_abaqus_matrix,
         "** Assembled operator Viscous Damping - 1 by 1, entries 1, unsymmetric\n1,1 1,1 2.0\n",
         &p);
    ck_assert_int_eq(p.matrix[0].role, FB_ROLE_DAMPING);
    fb_parts_free(&p);
    must(&fb_reader_abaqus_matrix,
         "** Assembled operator Mass - 2 by 2, entries 3, unsymmetric\n1,1, 1,1, 2.0\n"
         "1,2, 1,1, 3.\n1,2, 1,2, 1.\n",
         &p);
    ck_assert_int_eq(p.matrix[0].role, FB_ROLE_MASS);
    ck_assert_int_eq(p.matrix[0].A.upper, 0);
    ck_assert_double_eq(at(&p.matrix[0].A, 0, 1), 0);
    fb_parts_free(&p);
}
END_TEST

/* Labels with the same beginning, and separators that change from line to line. */
START_TEST(labels_that_repeat)
{
    fb_parts p = {0};
    must(&fb_reader_abaqus_matrix,
         "1 1 1 1 1.\n1 2 1 1 , 2.\n1 3 1 1   3.\n1 4 1 1,4.\n1 5 1 1, 5.\n1 6 1 1,6.\n"
         "2 1 1 11 7.\n2 2 1 1 8.\n11,1 11,1, 9.\n11,2 11,11 10.\n",
         &p);
    const fb_matrix *m = p.matrix;
    ck_assert_int_eq(m->A.n, 12);
    for (int k = 0; k < 6; k++)
        ck_assert_double_eq(at(&m->A, k, 0), k + 1);
    ck_assert_int_eq(m->row.component[6], 11);
    ck_assert_double_eq(at(&m->A, 6, 7), 7);
    ck_assert_double_eq(at(&m->A, 8, 0), 8);
    ck_assert_double_eq(at(&m->A, 9, 9), 9);
    ck_assert_double_eq(at(&m->A, 10, 11), 10);
    fb_parts_free(&p);
}
END_TEST

START_TEST(load_vectors)
{
    fb_parts p = {0};
    must(&fb_reader_abaqus_matrix, LOADS, &p);
    ck_assert_int_eq(p.nmatrix, 2);
    ck_assert_int_eq(p.matrix[0].role, FB_ROLE_OTHER);
    ck_assert_int_eq(p.matrix[0].A.n, 1);
    ck_assert_int_eq(p.matrix[0].row.component[1], 3);
    ck_assert_double_eq(at(&p.matrix[0].A, 1, 0), -5.5);
    ck_assert_str_eq(p.matrix[1].name, "LOAD imaginary");
    fb_parts_free(&p);
}
END_TEST

START_TEST(retained_modes)
{
    static const int64_t node[6] = {1, 1, 2, 2, -1, -2}, component[6] = {1, 3, 1, 3, 0, 0};
    fb_parts p = {0};
    must(&fb_reader_user_element, UE_HEAD UE_K UE_M, &p);
    ck_assert_int_eq(p.nmatrix, 2);
    for (int k = 0; k < 2; k++) {
        const fb_matrix *m = p.matrix + k;
        ck_assert_int_eq(m->role, k ? FB_ROLE_MASS : FB_ROLE_STIFFNESS);
        ck_assert_int_eq(m->condensed, 1);
        for (int r = 0; r < 6; r++) {
            ck_assert_int_eq(m->row.node[r], node[r]);
            ck_assert_int_eq(m->row.component[r], component[r]);
            ck_assert_int_eq(m->row.class[r], r < 4 ? FB_DOF_PHYSICAL : FB_DOF_GENERALIZED);
        }
    }
    ck_assert_double_eq(at(&p.matrix[0].A, 5, 5), 400);
    ck_assert_double_eq(at(&p.matrix[0].A, 3, 2), .3);
    ck_assert_double_eq(at(&p.matrix[1].A, 4, 1), .2);
    ck_assert_double_eq(at(&p.matrix[1].A, 5, 0), .4);
    fb_parts_free(&p);
}
END_TEST

/* The dampings of *SUBSTRUCTURE MATRIX OUTPUT are matrices of the model as well. */
START_TEST(dampings_of_a_substructure)
{
    fb_parts p = {0};
    must(
        &fb_reader_user_element,
        "*USER ELEMENT, NODES=1\n** ELEMENT NODES\n** 3\n1, 2\n*MATRIX,TYPE=STIFFNESS\n1.\n0., 1.\n"
        "*MATRIX,TYPE=VISCOUS DAMPING\n2.,\n3., 4.\n*MATRIX,TYPE=STRUCTURAL DAMPING\n5.,\n6., 7.\n",
        &p);
    ck_assert_int_eq(p.nmatrix, 3);
    ck_assert_int_eq(p.matrix[1].role, FB_ROLE_DAMPING);
    ck_assert_double_eq(at(&p.matrix[1].A, 0, 1), 3);
    ck_assert_int_eq(p.matrix[2].role, FB_ROLE_STRUCTURAL_DAMPING);
    ck_assert_double_eq(at(&p.matrix[2].A, 1, 1), 7);
    fb_parts_free(&p);
}
END_TEST

/* "Node numbers which are not positive indicate internal nodes": 0 too. */
START_TEST(node_zero_is_internal)
{
    fb_parts p = {0};
    must(&fb_reader_user_element,
         "*USER ELEMENT, NODES=2\n** ELEMENT NODES\n** 0, 3\n1\n*MATRIX, TYPE=STIFFNESS\n"
         "1.,\n2., 3.\n",
         &p);
    for (int r = 0; r < 2; r++) {
        ck_assert_int_eq(p.matrix->row.node[r], r ? 3 : 0);
        ck_assert_int_eq(p.matrix->row.component[r], r);
        ck_assert_int_eq(p.matrix->row.class[r], r ? FB_DOF_PHYSICAL : FB_DOF_GENERALIZED);
    }
    ck_assert_double_eq(at(&p.matrix->A, 0, 1), 2);
    fb_parts_free(&p);
}
END_TEST

static const double *node_xyz(const fb_parts *p, int64_t id)
{
    for (int64_t k = 0; k < p->nn; k++)
        if (p->node_id[k] == id)
            return p->xyz + 3 * k;
    ck_abort_msg("no node %lld", (long long)id);
}

static void xyz_is(const fb_parts *p, int64_t id, double x, double y, double z)
{
    const double *v = node_xyz(p, id), want[3] = {x, y, z};
    for (int k = 0; k < 3; k++)
        ck_assert_msg(fabs(v[k] - want[k]) < 1e-14, "node %lld: %g %g %g", (long long)id, v[0],
                      v[1], v[2]);
}

static void set_is(const fb_parts *p, const char *name, int64_t n, const int64_t *node)
{
    for (int64_t k = 0; k < p->nset; k++)
        if (!strcmp(p->set[k].name, name)) {
            ck_assert_int_eq(p->set[k].n, n);
            ck_assert_int_eq(memcmp(p->set[k].node, node, (size_t)n * sizeof *node), 0);
            return;
        }
    ck_assert_msg(n < 0, "no set %s", name);
}

START_TEST(deck_with_an_instance)
{
    fb_parts p = {0};
    must(&fb_reader_inp, DECK, &p);
    ck_assert_int_eq(p.nn, 4);
    xyz_is(&p, 1, 0, 1, 0); /* moved to (1,0,0), turned by 90 degrees about z */
    xyz_is(&p, 2, 0, 2, 2);
    xyz_is(&p, 3, 0, 3, 0);
    xyz_is(&p, 10, 5, 5, 5);
    set_is(&p, "rod-1.all", 3, (int64_t[]){1, 2, 3});
    set_is(&p, "ends", 2, (int64_t[]){1, 3});
    set_is(&p, "many", 2, (int64_t[]){1, 3});
    set_is(&p, "tip", 3, (int64_t[]){1, 2, 3});
    set_is(&p, "my set", 3, (int64_t[]){1, 3, 10});
    ck_assert_int_eq(p.nrot, 1);
    ck_assert_int_eq(p.rot[0].ref, 10);
    ck_assert_int_eq(p.rot[0].rot, 11);
    fb_parts_free(&p);
}
END_TEST

/* *BOUNDARY by node, set, instance, kind; temperatures and sets that are not there hold nothing. */
START_TEST(deck_with_supports)
{
    static const struct {
        const char *text, *held;
    } row[] = {
        {"*NODE,NSET=ALL\n1,0\n2,1\n*BOUNDARY\n 1 , 2, 3, 0.5\n2, 1\n1, 11, 11, 20.\n",
         "1.2 1.3 2.1"},
        {"*NODE,NSET=ALL\n1,0\n2,1\n*BOUNDARY, OP=NEW\nall, 0, 9\nNONE, 1, 3\n",
         "1.1 1.2 1.3 1.4 1.5 1.6 2.1 2.2 2.3 2.4 2.5 2.6"},
        {"*NODE\n1,0\n*BOUNDARY\n1, zsymm\n1, PINNED\n1, ODD\n,\n1,x\n", "1.3 1.4 1.5 1.1 1.2 1.3"},
        {"*PART,NAME=P\n*NODE,NSET=END\n7,0\n*END PART\n*INSTANCE,NAME=A,PART=P\n*END INSTANCE\n"
         "*NSET,NSET=FIX,INSTANCE=A\n7\n*BOUNDARY\nFIX, ENCASTRE\nA.7, 1\nA.END, 2, 2\n",
         "7.1 7.2 7.3 7.4 7.5 7.6 7.1 7.2"},
    };
    for (size_t k = 0; k < sizeof row / sizeof *row; k++) {
        fb_parts p = {0};
        char got[200] = "";
        must(&fb_reader_inp, row[k].text, &p);
        for (int64_t q = 0; q < p.nheld; q++)
            snprintf(got + strlen(got), sizeof got - strlen(got), "%s%lld.%lld", q ? " " : "",
                     (long long)p.held.node[q], (long long)p.held.component[q]);
        ck_assert_str_eq(got, row[k].held);
        fb_parts_free(&p);
    }
}
END_TEST

START_TEST(deck_with_systems)
{
    fb_parts p = {0};
    must(&fb_reader_inp,
         "** comment\n*SYSTEM\n-0.05, 0., -0.035, -0.05, 0., -1.035\n-0.05, 1., -0.035\n*NODE\n1, "
         "-0.04, 0.015, 0.01\n"
         "5, 1, 2, 3\n*SYSTEM\n1., 2., 3.\n*Node, System=C\n2, 2., 90., 1.\n*SYSTEM\n* NODE , "
         "SYSTEM = S\n3, 2., 90., 30.\n"
         "*SYSTEM\n0,0,0,0,1\n*NODE\n4, 1., 2., 3.\n*SYSTEM\n*NODE\n5, 7., 8., 9., 0., 0., 1.\n6\n",
         &p);
    ck_assert_int_eq(p.nn, 6);
    xyz_is(&p, 1, -0.04, 0.015, 0.005); /* as measured on a flattened deck */
    xyz_is(&p, 2, 1, 4, 4);
    xyz_is(&p, 3, 0, sqrt(3), 1);
    xyz_is(&p, 4, -2, 1, 3);
    xyz_is(&p, 5, 7, 8, 9); /* given twice: the last one counts */
    xyz_is(&p, 6, 0, 0, 0);
    fb_parts_free(&p);
}
END_TEST

START_TEST(deck_warnings)
{
    static const struct {
        const char *text, *warning;
        int64_t nodes, sets;
    } row[] = {
        {"*PART,NAME=P\n*NODE\n1,0\n*END PART\n*INSTANCE,NAME=A,PART=P\n*END "
         "INSTANCE\n*INSTANCE,NAME=B,PART=P\n"
         "*END INSTANCE\n*NSET,NSET=S\nA.1\n",
         "2 instances with nodes", 0, 0},
        {"*PART,NAME=P\n*END PART\n*INSTANCE,NAME=A,PART=P\n*NODE\n1,0\n*END "
         "INSTANCE\n*NODE\n1,5\n",
         "1 nodes of the assembly", 1, 0},
        {"*NODE\n1,0\n*NSET,NSET=S,ELSET=E\n",
         "node set S is left out: element set E in it is not known", 1, 0},
        {"*NODE\n1,0\n*NSET,NSET=S\n1, Q\n", "node set S is left out: set Q in it is not known", 1,
         0},
        {"*NODE\n1,0\n*TRANSFORM,NSET=S\n1,0,0\n", "line 3: *TRANSFORM", 1, 0},
    };
    for (size_t k = 0; k < sizeof row / sizeof *row; k++) {
        fb_parts p = {0};
        must(&fb_reader_inp, row[k].text, &p);
        ck_assert_int_eq(warnings, 1);
        ck_assert_msg(strstr(warning, row[k].warning) != NULL, "%s", warning);
        ck_assert_int_eq(p.nn, row[k].nodes);
        ck_assert_int_eq(p.nset, row[k].sets);
        fb_parts_free(&p);
    }
}
END_TEST

static void put(const char *folder, const char *file, const char *text)
{
    char path[300];
    snprintf(path, sizeof path, "%s/%s", folder, file);
    FILE *f = fopen(path, "w");
    ck_assert_ptr_nonnull(f);
    fputs(text, f);
    fclose(f);
}

static fb_status read_deck(const char *folder, const char *text, int outside, fb_parts *p)
{
    char path[300];
    fb_input in = {0};
    fb_log log = {.sink = sink};
    put(folder, "deck.inp", text);
    snprintf(path, sizeof path, "%s/deck.inp", folder);
    ck_assert_int_eq(fb_input_open(&in, path, &e), FB_OK);
    *p = (fb_parts){.include_outside = outside};
    fb_status s = fb_reader_inp.read(&in, p, &log, &e);
    fb_input_close(&in);
    return s;
}

START_TEST(included_files)
{
    static const struct {
        const char *text, *message;
        int outside;
    } row[] = {
        {"*NODE\n*INCLUDE, INPUT=sub/nodes.inp\n3, 3.\n", NULL, 0},
        {"*NODE, INPUT=sub/lines.txt\n3, 3.\n", NULL, 0},
        {"*INCLUDE, INPUT=sub/nested.inp\n*NODE\n3, 3.\n", NULL, 0},
        {"*INCLUDE, INPUT=../other.inp\n",
         "line 1: '../other.inp' leads outside the folder of the deck, ", 0},
        {"*INCLUDE, INPUT=../other.inp\n", NULL, 1},
        {"*HEADING\n*INCLUDE, INPUT=sub/../../other.inp\n",
         "line 2: 'sub/../../other.inp' leads outside", 0},
        {"*INCLUDE, INPUT=/etc/passwd\n", "--include-outside allows it", 0},
        {"*INCLUDE, INPUT=link.inp\n", "outside the folder of the deck", 0},
        {"*INCLUDE, INPUT=none.inp\n", "line 1: cannot find the included file 'none.inp'", 0},
        {"*INCLUDE\n", "line 1 '*INCLUDE': INPUT=file is wanted", 0},
        {"*INCLUDE, INPUT=self.inp\n", "self.inp: line 2: 'self.inp' includes itself", 0},
        {"*INCLUDE, INPUT=bad.inp\n", "bad.inp: line 2 'x': 'number, x, y, z'", 0},
        {"*INCLUDE, INPUT=sub\n", "is a directory", 0},
        {"*INCLUDE, INPUT=fifo\n", "line 1: ", 0},
        {"*NODE, INPUT=fifo\n", "is a pipe: only regular files are included", 0},
        /* 1 + 10 + 100 + ... files: as deep as is allowed, and more than 1000 in all. */
        {"*INCLUDE, INPUT=bomb1.inp\n", "more than 1000 files are included in all", 0},
        {"*INCLUDE, INPUT=bomb4.inp\n*NODE\n3,3.\n", NULL, 0},
    };
    char root[] = "/tmp/feXXXXXX", folder[200], path[300];
    ck_assert_ptr_nonnull(mkdtemp(root));
    put(root, "other.inp", "*NODE\n1,0.\n2,0.\n3,0.\n");
    snprintf(folder, sizeof folder, "%s/model", root);
    mkdir(folder, 0700);
    snprintf(path, sizeof path, "%s/sub", folder);
    mkdir(path, 0700);
    put(folder, "sub/nodes.inp", "1, 1.\n2, 2.\n");
    put(folder, "sub/lines.txt", "1, 1.\n2, 2.");
    put(folder, "sub/nested.inp", "*NODE\n*INCLUDE, INPUT=sub/lines.txt\n");
    put(folder, "self.inp", "*NODE\n*INCLUDE, INPUT=self.inp\n");
    put(folder, "bad.inp", "*NODE\nx\n");
    snprintf(path, sizeof path, "%s/fifo", folder);
    ck_assert_int_eq(mkfifo(path, 0600), 0);
    for (int k = 1; k < 6; k++) {
        char file[24], text[400] = "";
        snprintf(file, sizeof file, "bomb%d.inp", k);
        for (int q = 0; q < 10; q++)
            snprintf(text + strlen(text), sizeof text - strlen(text),
                     "*INCLUDE, INPUT=bomb%d.inp\n", k + 1);
        put(folder, file, text);
    }
    put(folder, "bomb6.inp", "*NODE\n1,1.\n2,2.\n");
    snprintf(path, sizeof path, "%s/link.inp", folder);
    ck_assert_int_eq(symlink("../other.inp", path), 0);
    for (size_t k = 0; k < sizeof row / sizeof *row; k++) {
        fb_parts p = {0};
        fb_status s = read_deck(folder, row[k].text, row[k].outside, &p);
        if (row[k].message) {
            ck_assert_int_ne(s, FB_OK);
            ck_assert_msg(strstr(e.msg, row[k].message) != NULL, "%s", e.msg);
        } else {
            ck_assert_msg(s == FB_OK, "%s", e.msg);
            ck_assert_int_eq(p.nn, 3);
        }
        fb_parts_free(&p);
    }
    snprintf(path, sizeof path, "rm -r %s", root);
    ck_assert_int_eq(system(path), 0);
}
END_TEST

START_TEST(columns_of_frd)
{
    fb_parts p = {0};
    must(&fb_reader_frd, FRD, &p);
    xyz_is(&p, 2, -1, -.25, 3);
    fb_parts_free(&p);
    must(&fb_reader_frd,
         "    1C\n    2C                             1                                     0\n"
         " -1    7 1.00000E+00-2.00000E+00 3.00000E+00\n -3\n",
         &p);
    xyz_is(&p, 7, 1, -2, 3);
    fb_parts_free(&p);
}
END_TEST

START_TEST(ansys_labels)
{
    fb_parts p = {0};
    must(&fb_reader_ansys_mapping, MAPPING, &p);
    static const int64_t node[4] = {51, 51, 2, 2}, component[4] = {1, 2, 6, 11};
    for (int k = 0; k < 4; k++) {
        ck_assert_int_eq(p.table.node[k], node[k]);
        ck_assert_int_eq(p.table.component[k], component[k]);
    }
    must(&fb_reader_ansys_nodes, NODES, &p);
    xyz_is(&p, 1, -4.99e-16, 0, .15);
    xyz_is(&p, 12, .1, .5, 1000);
    fb_parts_free(&p);
}
END_TEST

START_TEST(dof_table_fits_or_not)
{
    static const struct {
        const char *table;
        int64_t n;
        const char *message;
    } row[] = {
        {"1.1\n1.2\n1.3\n", 3, NULL},
        {"1.1\n1.2\n1.3\n", 2, "K has 2 rows, the dof table 3: are they of the same job?"},
        {"1.1\n1.2\n1.3\n", 4, "K has 4 rows, the dof table 3"},
        {"1.1\n1.2\n1.3\n", 6, "cyclic symmetry"},
        {NULL, 6, "K has no dof labels"},
        {VECTOR, 18, NULL},
        {VECTOR, 10, "K has 10 rows, the node vector 3 nodes: 3 or 6 rows a node are wanted"},
        {VECTOR, 12, "3 or 6 rows a node"},
    };
    for (size_t k = 0; k < sizeof row / sizeof *row; k++) {
        fb_parts p = {0};
        fb_matrix m = {.name = "K", .A = {.m = row[k].n, .n = row[k].n}};
        if (row[k].table)
            must(row[k].table[0] == '%' ? &fb_reader_ansys_vector : &fb_reader_ccx_dof,
                 row[k].table, &p);
        fb_status s = fb_table_fit(&p, &m, &e);
        ck_assert_int_eq(s == FB_OK, row[k].message == NULL);
        if (s)
            ck_assert_msg(strstr(e.msg, row[k].message) != NULL, "%s", e.msg);
        else if (row[k].table[0] == '%')
            ck_assert_int_eq(p.table.component[17], 6);
        fb_parts_free(&p);
    }
}
END_TEST

START_TEST(roles_from_file_names)
{
    static const struct {
        const char *path;
        fb_role role;
    } row[] = {
        {"a/job.sti", FB_ROLE_STIFFNESS},   {"job.MAS", FB_ROLE_MASS},
        {"x_STIF2.mtx", FB_ROLE_STIFFNESS}, {"rotorMASS1.mtx", FB_ROLE_MASS},
        {"j_DMPV1.mtx", FB_ROLE_DAMPING},   {"j_DMPS1.mtx", FB_ROLE_STRUCTURAL_DAMPING},
        {"mass/job.mtx", FB_ROLE_UNKNOWN},  {".sti", FB_ROLE_UNKNOWN},
        {"job.str", FB_ROLE_OTHER},         {"j.stiff", FB_ROLE_STIFFNESS},
    };
    for (size_t k = 0; k < sizeof row / sizeof *row; k++)
        ck_assert_msg(fb_role_of_file(row[k].path) == row[k].role, "%s", row[k].path);
}
END_TEST

#define X10  "xxxxxxxxxx"
#define X100 X10 X10 X10 X10 X10 X10 X10 X10 X10 X10

/* ---- messages ----------------------------------------------------------------------------- */

#define COO &fb_reader_coordinate
#define ABQ &fb_reader_abaqus_matrix
#define UE  &fb_reader_user_element
#define INP &fb_reader_inp
#define DOF &fb_reader_ccx_dof
#define FR  &fb_reader_frd
#define VEC &fb_reader_ansys_vector
#define MAP &fb_reader_ansys_mapping
#define NOD &fb_reader_ansys_nodes

static const struct {
    const fb_reader *reader;
    const char *text, *message;
} refused[] = {
    {COO, "** nothing\n", "no entries"},
    {COO, "1 1 2.\n1 x 3.\n", "line 2 '1 x 3.': a column index from 1 on is wanted"},
    {COO, "0 1 2.\n", "line 1 '0 1 2.': a row index from 1 on is wanted"},
    {COO, "1 1 2.\n1 2\n", "line 2 '1 2': 'row column value' is wanted"},
    {COO, "1 1 2. 3.\n", "one finite value is wanted"},
    {COO, "1 1 nan\n", "one finite value is wanted"},
    {COO, "1 1 1e999\n", "one finite value is wanted"},
    {COO, "1 2000000000 1.0\n",
     "column index 2000000000 is out of proportion to a file of 17 bytes"},
    {COO, "99999999999999999999 1 1.0\n", "a row index from 1 on"},
    {ABQ, "1,1, 1,1, 2.\n1,1, 1, 2.\n",
     "line 2 '1,1, 1, 2.': 'node,dof, node,dof, value' is wanted"},
    {ABQ, "1,77, 1,1, 2.\n", "'node,dof, node,dof, value' is wanted"},
    {ABQ, "9999999999999,1, 1,1, 2.\n", "'node,dof, node,dof, value' is wanted"},
    {ABQ, "1099511627777,1, 1,1, 2.\n", "'node,dof, node,dof, value' is wanted"}, /* 2^40 + 1 */
    {ABQ, "1,1, -1099511627777,1,               2.00000\n",
     "'node,dof, node,dof, value' is wanted"},
    {ABQ, "310231111111111108,1, 1,1, 2.\n", "'node,dof, node,dof, value' is wanted"},
    {ABQ, "1,1, 1,1, 2.\n9999999999999,1, 1,1, 2.\n1,1, 1,1, 2.\n1,1, 1,1, 2.\n",
     "line 2 '9999999999999,1, 1,1, 2.': 'node,dof"},
    {ABQ, "1,1, 1,1, 2.\n1;2, 1,1, 2.\n1,1, 1,1, 2.\n1,1, 1,1, 2.\n",
     "line 2 '1;2, 1,1, 2.': 'node,dof"},
    {ABQ, "1,1, 1,1, 2., 3.\n", "'node,dof, node,dof, value' is wanted"},
    {ABQ, "** x\n", "no entries"},
    {ABQ, "** Assembled operator Mass - 1 by 1, entries 2, symmetric\n1,1, 1,1, 2.\n",
     "announces 2 entries, 1 are here: was the file cut?"},
    {ABQ, "** Assembled operator Mass - 1 by 1, entries 1, symmetric\n1,1, 1,1, 2.\n1,2, 1,2, 2.\n",
     "announces 1 entries and 1 rows, 2 entries and 2 rows"},
    {ABQ, "*CLOAD\n1,1\n", "line 2 '1,1': 'node,dof, value' or 'set,dof, value' is wanted"},
    {ABQ, "*CLOAD\nTIP,1, 3.\n", "line 2 'TIP,1, 3.': a force on a set that is not known"},
    {ABQ, "*CLOAD\nTIP,0, 3.\n", "'set,dof, value' is wanted"},
    {ABQ, "*CLOAD\n1,1, 3.\n*DLOAD\n", "line 3 '*DLOAD': only *CLOAD is wanted"},
    {UE, "*USER ELEMENT, LINEAR\n", "NODES=number is wanted"},
    {UE, "*MATRIX, TYPE=MASS\n1.\n", "a matrix before *USER ELEMENT"},
    {UE, "*USER ELEMENT, NODES=1\n** ELEMENT NODES\n** 1\n1\n*MATRIX\n",
     "*MATRIX, TYPE=name is wanted"},
    {UE, "*USER ELEMENT, NODES=1\n1\n", "dofs without a node list"},
    {UE, "*USER ELEMENT, NODES=1\n** ELEMENT NODES\n** 1\n1\n2, 1\n",
     "position 2: the list has 1 nodes"},
    {UE, "*USER ELEMENT, NODES=1\n** ELEMENT NODES\n** 1\n1, x\n",
     "'position, dof, dof, ...' is wanted"},
    {UE, "*USER ELEMENT, NODES=2\n** ELEMENT NODES\n** 1\n1\n*MATRIX, TYPE=MASS\n1.\n",
     "NODES=2, but 1 nodes are listed"},
    {UE, "*USER ELEMENT, NODES=2\n** ELEMENT NODES\n** 1, 2\n1\n*MATRIX, TYPE=MASS\n1., 2., \n",
     "value 2 of column 2 of the matrix of order 2"},
    {UE, "*USER ELEMENT, NODES=1\n** ELEMENT NODES\n** 1\n1\n*MATRIX, TYPE=MASS\n1., 2.\n",
     "more values than a symmetric matrix of order 1"},
    {UE,
     "*USER ELEMENT, NODES=1\n** ELEMENT NODES\n** 1\n1, 2, 3, 4, 5, 6\n*MATRIX, TYPE=MASS\n1., "
     "2.\n",
     "a matrix of order 6 has 21 values, 7 bytes are left"},
    {UE, "*USER ELEMENT, NODES=1\n** ELEMENT NODES\n** 1\n1\n",
     "no *MATRIX, TYPE=STIFFNESS or TYPE=MASS"},
    {UE, "*USER ELEMENT, NODES=1\n*USER ELEMENT, NODES=1\n", "a second user element"},
    {INP, "*NODE\n1 2 3\n", "line 2 '1 2 3': 'number, x, y, z' of a node is wanted"},
    {INP, "*NODE\n1, 2, a\n", "'number, x, y, z' of a node is wanted"},
    {INP, "*NODE, SYSTEM=Q\n", "SYSTEM is R, C or S"},
    {INP, "*NODE\n1,0\n*NGEN\n1,5,1\n", "line 3 '*NGEN': *NGEN: generated nodes are not read"},
    {INP, "*NSET\n1\n", "NSET=name is wanted"},
    {INP, "*NSET, NSET=\n1\n", "the name of a set has 1 to 79 characters"},
    {INP,
     "*NSET, "
     "NSET=A1234567890123456789012345678901234567890123456789012345678901234567890123456789\n1\n",
     "the name of a set has 1 to 79 characters"},
    {INP, "*NSET, NSET=A\n1, " X100 X100 "\n", "labels or names of sets between commas are wanted"},
    {INP, "*NSET, NSET=A, INSTANCE=B\n1\n", "no instance of this name above"},
    {INP, "*NSET, NSET=A, GENERATE\n1\n", "'first, last, increment' is wanted"},
    {INP, "*NSET, NSET=A, GENERATE\n1, 2.5\n", "'first, last, increment' is wanted"},
    {INP, "*NSET, NSET=A, GENERATE\n1, 2000000000\n",
     "2000000000 labels, out of proportion to the nodes above"},
    {INP, "*PART\n", "NAME=part is wanted"},
    {INP, "*INSTANCE, NAME=A\n", "NAME=instance, PART=part are wanted"},
    {INP, "*INSTANCE, NAME=A, PART=P\n", "no part of this name above"},
    {INP, "*PART, NAME=P\n*END PART\n*INSTANCE, NAME=A, PART=P\n1\n2\n3\n",
     "line 6 '3': of an instance"},
    {INP, "*SYSTEM\n0,0,0,1,0,0\n2,0,0\n*NODE\n",
     "line 4 '*NODE': the points of the *SYSTEM above lie on a line"},
    {INP, "*SYSTEM\n0,0,0\n1,1,1\n", "points of the system"},
    {INP, "*NODE,\n*NODE\n", "ends with a comma"},
    {DOF, "1.1\nx\n", "line 2 'x': 'node.component' is wanted"},
    {DOF, "1.7\n", "component 7: a mechanical model has 1 to 6"},
    {DOF, "1.0\n", "component 0: a mechanical model has 1 to 6"},
    {DOF, "\n", "no dofs"},
    {FR, "    1C\n", "no node block"},
    {FR, "    1C\n    2C      1     2\n", "format 0 or 1 is wanted"},
    {FR, "    1C\n    2C      1     1\n -1         1 0.0\n", "in columns are wanted"},
    {FR, "    1C\n    2C      2     1\n -1         1 0.00000E+00 0.00000E+00 0.00000E+00\n -3\n",
     "2 nodes announced, 1 found"},
    {VEC, "%%MatrixMarket matrix array integer general\n% Creator: ANSYS Inc\n3 2\n5\n6\n7\n",
     "an integer vector in Matrix Market form is wanted"},
    {VEC, "%%MatrixMarket matrix array integer general\n% Creator: ANSYS Inc\n300 1\n5\n6\n7\n",
     "an integer vector in Matrix Market form is wanted"},
    {VEC, "%%MatrixMarket matrix array integer general\n% Creator: ANSYS Inc\n3 1\n5\n",
     "was the file cut?"},
    {VEC, "%%MatrixMarket matrix array integer general\n% Creator: ANSYS Inc\n3 1\n5\n111\n",
     "3 nodes announced, 2 found"},
    {VEC, "%%MatrixMarket matrix array integer general\n% Creator: ANSYS Inc\n1 1\n5\n6\n",
     "one of 1 node numbers is wanted"},
    {VEC, "%%MatrixMarket matrix array integer general\n% Creator: ANSYS Inc\n1 1\n-5\n",
     "one of 1 node numbers is wanted"},
    {MAP, "Matrix Eqn Node DOF\n", "no equations"},
    {MAP, "Matrix Eqn Node DOF\n1 2\n", "'equation node dof' is wanted"},
    {MAP, "Matrix Eqn Node DOF\n2 2 UX\n", "equation 2: the file has 1 lines"},
    {MAP, "Matrix Eqn Node DOF\n1 2 UX\n1 2 UY\n", "line 3 '1 2 UY': equation 1 comes twice"},
    {MAP, "Matrix Eqn Node DOF\n1 2 VOLT\n", "UX UY UZ ROTX ROTY ROTZ"},
    {NOD, "1\t0\t0\t0\n2\t0\t0\n",
     "line 2 '2 0 0': a node number and three coordinates between tabs"},
    {NOD, "1\t0\t0\t0x\n", "three coordinates between tabs"},
};
enum { NREFUSED = sizeof refused / sizeof *refused };

START_TEST(messages)
{
    fb_parts p = {0};
    ck_assert_int_eq(read_text(refused[_i].reader, refused[_i].text, &p), FB_EFORMAT);
    ck_assert_msg(strstr(e.msg, refused[_i].message) != NULL, "wanted: %s\nfound: %s",
                  refused[_i].message, e.msg);
    fb_parts_free(&p);
}
END_TEST

START_TEST(second_tables_are_refused)
{
    fb_parts p = {0};
    must(DOF, "1.1\n", &p);
    ck_assert_int_eq(read_text(DOF, "1.1\n", &p), FB_EUSAGE);
    ck_assert_int_eq(read_text(VEC, VECTOR, &p), FB_EUSAGE);
    ck_assert_int_eq(read_text(MAP, MAPPING, &p), FB_EUSAGE);
    ck_assert_str_eq(e.msg, "a second dof table");
    fb_parts_free(&p);
}
END_TEST

START_TEST(a_last_line_without_end_is_told)
{
    static const struct {
        const char *text;
        int warnings;
    } t[] = {{"1 1 2.\n1 2 1.2", 1},
             {"1 1 2.\n1 2 1.2\n", 0},
             {"GRID,1,,0.,0.,0.1", 1},
             {"*NODE\n1, 0.,", 1},
             {"1 2\n*END STEP", 0},
             {"GRID\nENDDATA", 0},
             {"2411\n    -1", 0},
             {"2411\n    -12", 1},
             {"*ELEMENT, TYPE=C3D8", 1},
             {"1 2\n  ", 0},
             {"", 0}};
    char name[] = "a.mtx";
    for (size_t k = 0; k < sizeof t / sizeof *t; k++) {
        fb_input in = {
            .name = name, .data = (const unsigned char *)t[k].text, .size = strlen(t[k].text)};
        fb_log log = {.sink = sink};
        warnings = 0;
        fb_warn_cut(&in, &log);
        fb_log_free(&log);
        ck_assert_msg(warnings == t[k].warnings, "%s: %d", t[k].text, warnings);
        fb_log_free(&log);
    }
    ck_assert_str_eq(warning, "a.mtx: the last line has no newline: was the file cut?");
}
END_TEST

/* ---- pieces ------------------------------------------------------------------------------- */

/* A made matrix over 40 nodes of 3 dofs, one of them the solver's own: value of rows i, j (from 0),
 * 0 where there is no entry. A hash: no two alike. */
enum { ROWS = 120 };

static double made(int i, int j, int skew)
{
    const int lo = i < j ? i : j, hi = i < j ? j : i;
    const uint32_t h = (uint32_t)(lo * 131 + hi) * 2654435761u;
    if (hi - lo > 9 && (h >> 20) % 7)
        return 0;
    const double x = (h >> 8) % 9 ? 1 + (h >> 12) / 4096. : 0; /* 15 digits hold it */
    return i > j && skew ? -x : x;
}

typedef enum { LOWER_COLUMNS, LOWER_ROWS, UPPER_COLUMNS, BESIDE, ALL_COLUMNS, KINDS } list_kind;

/* An entry as the format has it; look: 0 as Abaqus writes, 1 wide, with D and carriage returns, 2
 * with commas at the end. */
static void put_made(fb_buf *b, int labelled, int look, int i, int j, int skew)
{
    static const char *const line[2][3] = {
        {"%d %d %.15e\n", "  %d   %d  %.15e\r\n", "%d\t%d %.15e\n"},
        {"%d,%d, %d,%d, %.15e\n", "       %d, %d,        %d, %d,%.15e\r\n",
         "%d,%d, %d,%d, %.15e,\n"}};
    const double x = made(i, j, skew);
    const int n = i / 3 ? 100 + i / 3 : -7, m = j / 3 ? 100 + j / 3 : -7;
    if (!(fabs(x) > 0) && abs(i - j) > 9)
        return;
    if (labelled)
        fb_put_text(b, line[1][look], n, i % 3 + 1, m, j % 3 + 1, x);
    else
        fb_put_text(b, line[0][look], i + 1, j + 1, x);
}

static void list(fb_buf *b, list_kind kind, int labelled, int look, int skew)
{
    for (int a = 0; a < ROWS; a++) {
        if (labelled && a == ROWS / 2)
            fb_put_text(b, "** Assembled operator Mass - %d by %d\n", ROWS, ROWS);
        for (int c = 0; c < ROWS; c++) {
            if ((kind == LOWER_COLUMNS && c >= a) || (kind == ALL_COLUMNS))
                put_made(b, labelled, look, c, a, skew);
            else if (kind == LOWER_ROWS && c <= a)
                put_made(b, labelled, look, a, c, skew);
            else if (kind == UPPER_COLUMNS && c <= a)
                put_made(b, labelled, look, c, a, skew);
            else if (kind == BESIDE && c <= a) {
                put_made(b, labelled, look, c, a, skew);
                if (c < a)
                    put_made(b, labelled, look, a, c, skew);
            }
        }
    }
}

static void same_matrix(const fb_matrix *a, const fb_matrix *b, const char *what)
{
    const int64_t n = a->A.n;
    ck_assert_msg(b->A.n == n && b->A.upper == a->A.upper && b->role == a->role &&
                      b->by_rank == a->by_rank && !strcmp(a->name, b->name),
                  "%s", what);
    ck_assert_msg(!memcmp(a->A.p, b->A.p, 8 * (size_t)(n + 1)), "%s: columns", what);
    ck_assert_msg(!memcmp(a->A.i, b->A.i, 8 * (size_t)a->A.p[n]), "%s: rows", what);
    ck_assert_msg(!memcmp(a->A.x, b->A.x, 8 * (size_t)a->A.p[n]), "%s: values", what);
    if (a->row.node) {
        ck_assert_msg(!memcmp(a->row.node, b->row.node, 8 * (size_t)n), "%s: nodes", what);
        ck_assert_msg(!memcmp(a->row.component, b->row.component, 8 * (size_t)n), "%s", what);
        ck_assert_msg(!memcmp(a->row.class, b->row.class, 8 * (size_t)n), "%s: classes", what);
    }
}

/* Against the values themselves, then any number of pieces against one. */
START_TEST(pieces_are_one_text)
{
    const int labelled = _i % 2, look = _i / 2 % 3, kind = _i / 6 % KINDS,
              skew = kind >= BESIDE && _i / 6 / KINDS;
    const fb_reader *r = labelled ? &fb_reader_abaqus_matrix : &fb_reader_coordinate;
    fb_buf b = {0};
    fb_parts one = {0};
    list(&b, (list_kind)kind, labelled, look, skew);
    fb_put_bytes(&b, "", 1);
    const char *text = (const char *)b.data;
    fb_piece_count = 1;
    must(r, text, &one);
    ck_assert_int_eq(one.matrix->A.n, ROWS);
    for (int j = 0; j < ROWS; j++)
        for (int i = 0; i <= j; i++) {
            ck_assert_double_eq(at(&one.matrix->A, i, j), made(i, j, skew));
            ck_assert_double_eq(at(&one.matrix->A, j, i), made(j, i, skew));
        }
    for (fb_piece_count = 2; fb_piece_count <= FB_PIECES; fb_piece_count++) {
        fb_parts p = {0};
        char what[80];
        snprintf(what, sizeof what, "list %d in %d pieces", _i, fb_piece_count);
        must(r, text, &p);
        same_matrix(one.matrix, p.matrix, what);
        fb_parts_free(&p);
    }
    fb_piece_count = 0;
    fb_parts_free(&one);
    fb_buf_free(&b);
}
END_TEST

/* One round of one part: within it the pieces are read one by one, and failures can be counted. */
static int one_round(void *arg)
{
    int *left = arg;
    return (*left)--;
}

static void fail_each_once(void *arg, int t)
{
    static const char text[] =
        "-1,1, -1,1, 1.\n2,1, -1,1, 2.\n2,1, 2,1, 3.\n2,2, 2,2, 4.\n3,1, 3,1, 5.\n4,1, 3,1, 6.\n";
    (void)arg;
    (void)t;
    for (long k = 0, left = -1; left < 0; k++) {
        fb_parts p = {0};
        fb_alloc_fail_after = k;
        const fb_status s = read_text(&fb_reader_abaqus_matrix, text, &p);
        left = fb_alloc_fail_after;
        fb_alloc_fail_after = -1;
        ck_assert_msg(s == (left < 0 ? FB_ESYS : FB_OK), "allocation %ld: %d %s", k, s, e.msg);
        fb_parts_free(&p);
    }
}

START_TEST(pieces_without_memory)
{
    int left = 1;
    fb_piece_count = 3;
    fb_rounds(one_round, fail_each_once, &left);
    fb_piece_count = 0;
}
END_TEST

/* The message of the whole, be the fault in the last piece or in several. */
START_TEST(messages_of_pieces)
{
    for (fb_piece_count = 2; fb_piece_count <= FB_PIECES; fb_piece_count++) {
        fb_parts p = {0};
        ck_assert_int_eq(read_text(refused[_i].reader, refused[_i].text, &p), FB_EFORMAT);
        ck_assert_msg(strstr(e.msg, refused[_i].message) != NULL, "wanted: %s\nfound: %s",
                      refused[_i].message, e.msg);
        fb_parts_free(&p);
    }
    fb_piece_count = 0;
}
END_TEST

Suite *suite_fe_text(void)
{
    Suite *s = suite_create("fe_text");
    TCase *t = tcase_create("samples");
    tcase_add_test(t, stress_of_frd);
    tcase_add_loop_test(t, samples_are_recognised, 0, NSAMPLES);
    tcase_add_loop_test(t, cut_samples_are_read_or_refused, 0, NSAMPLES);
    tcase_add_loop_test(t, every_allocation_fails_once, 0, NSAMPLES);
    tcase_add_loop_test(t, halves_and_squares_give_one_matrix, 0, 7);
    tcase_add_loop_test(t, unequal_halves_stay_general, 0, 3);
    tcase_add_loop_test(t, random_lists, 0, 60);
    tcase_add_loop_test(t, messages, 0, NREFUSED);
    tcase_add_test(t, repeated_entries);
    tcase_add_test(t, matrix_input_with_header);
    tcase_add_test(t, labels_that_repeat);
    tcase_add_test(t, load_vectors);
    tcase_add_test(t, retained_modes);
    tcase_add_test(t, dampings_of_a_substructure);
    tcase_add_test(t, node_zero_is_internal);
    tcase_add_test(t, deck_with_an_instance);
    tcase_add_test(t, deck_with_supports);
    tcase_add_test(t, deck_with_systems);
    tcase_add_test(t, deck_warnings);
    tcase_add_test(t, included_files);
    tcase_add_test(t, columns_of_frd);
    tcase_add_test(t, ansys_labels);
    tcase_add_test(t, dof_table_fits_or_not);
    tcase_add_test(t, roles_from_file_names);
    tcase_add_test(t, second_tables_are_refused);
    tcase_add_test(t, a_last_line_without_end_is_told);
    tcase_add_loop_test(t, modes_of_frd, 0, 10);
    tcase_add_loop_test(t, pieces_are_one_text, 0, 12 * KINDS);
    tcase_add_loop_test(t, messages_of_pieces, 0, NREFUSED);
    tcase_add_test(t, pieces_without_memory);
    suite_add_tcase(s, t);
    return s;
}
