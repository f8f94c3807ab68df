/* SPDX-License-Identifier: GPL-3.0-or-later */
/* test_neutral.c - Matrix Market, Harwell-Boeing, MATLAB, universal files and tables: every real
 * file against the reference values that come with the data, or refused as its malformation
 * demands. */
#include "mnfparse/reader.h"
#include "tests/model/near.h"
#include "tests/suites.h"
#include <math.h>

static fb_err e;
static fb_log hush;

/* Reads one file of the shared data by the reader its bytes choose; -1 where the data is not here.
 * */
static int read_shared(const char *file, const char **reader, fb_parts *p)
{
    fb_input in = {0};
    const fb_reader *r = NULL;
    const char *path = shared_file(file);
    if (!path)
        return -1;
    ck_assert_msg(!fb_input_open(&in, path, &e), "%s", e.msg);
    fb_status s = fb_reader_find(&in, NULL, &r, &e);
    *reader = r ? r->name : "none";
    if (!s)
        s = r->read(&in, p, &hush, &e);
    fb_input_close(&in);
    for (int64_t k = 0; !s && k < p->nmatrix; k++)
        ck_assert_msg(!fb_csc_check(&p->matrix[k].A, file, &e), "%s", e.msg);
    return (int)s;
}

typedef struct {
    int64_t m, n, nnz;
    double norm, sum;
} facts;

static facts found(const fb_matrix *a)
{
    facts f = {.m = a->A.m, .n = a->A.n};
    for (int64_t j = 0; j < a->A.n; j++)
        for (int64_t q = a->A.p[j]; q < a->A.p[j + 1]; q++) {
            int twice = a->A.upper && a->A.i[q] != j ? 2 : 1;
            double x = a->A.x[q], y = a->imag ? a->imag[q] : 0;
            f.nnz += twice;
            f.norm += twice * (x * x + y * y);
            f.sum += twice * x;
        }
    f.norm = sqrt(f.norm);
    return f;
}

static void close_to(double x, double ref, double tol, const char *what)
{
    ck_assert_msg(fabs(x - ref) <= tol * fabs(ref), "%s: %.15g, reference %.15g", what, x, ref);
}

static const fb_matrix *matrix_called(const fb_parts *p, const char *name)
{
    for (int64_t k = 0; k < p->nmatrix; k++)
        if (!strcmp(p->matrix[k].name, name))
            return p->matrix + k;
    ck_abort_msg("no matrix '%s'", name);
    return NULL;
}

/* ---- against REFERENCE.txt ---------------------------------------------------------------- */

static const struct {
    const char *file, *reader, *where, *line, *name;
} full_lines[] = {
    {"05_ansys_mmf_rotor/rotorAnsysStiffnessMatrixSparse.txt", "mm", "\n05_ansys", "  K:", ""},
    {"05_ansys_mmf_rotor/rotorAnsysMassMatrixSparse.txt", "mm", "\n05_ansys", "  M:", ""},
#define KM(file) \
    {"20_mat/" file, "matlab", "\n   " file, "  K:", "K"}, \
        {"20_mat/" file, "matlab", "\n   " file, "  M:", "M"}
    KM("cant_KM_octave_v6.mat"),
    KM("cant_KM_octave_v7.mat"),
    KM("cant_KM_v5_plain.mat"),
    KM("cant_KM_v5_zlib.mat"),
};

START_TEST(norms_are_those_of_the_reference)
{
    fb_parts p = {0};
    const char *reader, *t = shared_reference();
    char file[256];
    long long m, n, nnz;
    double norm;
    snprintf(file, sizeof file, "abaqus/%s", full_lines[_i].file);
    if (!t || read_shared(file, &reader, &p) < 0)
        return;
    ck_assert_msg(*reader && !strcmp(reader, full_lines[_i].reader), "%s went to %s", file, reader);
    t = strstr(strstr(t, full_lines[_i].where), full_lines[_i].line);
    ck_assert_int_eq(4, sscanf(t + strlen(full_lines[_i].line), " %lldx%lld nnz_full=%lld |.|F=%lf",
                               &m, &n, &nnz, &norm));
    facts f = found(matrix_called(&p, full_lines[_i].name));
    ck_assert_int_eq(f.m, m);
    ck_assert_int_eq(f.n, n);
    ck_assert_int_eq(f.nnz, nnz);
    close_to(f.norm, norm, 1e-12, file);
    fb_parts_free(&p);
}
END_TEST

static const char *const synthetic[] = {"cant_M_sym",      "cant_M_general", "array_general",
                                        "array_symmetric", "skew",           "dup_sum"};

START_TEST(synthetic_files_are_those_of_the_reference)
{
    fb_parts p = {0};
    const char *reader, *t = shared_reference();
    char file[256], line[64];
    long long m, n;
    double norm, sum;
    snprintf(file, sizeof file, "abaqus/23_synthetic/%s.mtx", synthetic[_i]);
    snprintf(line, sizeof line, "\n   %s (", synthetic[_i]);
    if (!t || read_shared(file, &reader, &p) < 0)
        return;
    ck_assert_str_eq(reader, "mm");
    t = strstr(t, line);
    ck_assert_ptr_nonnull(t);
    ck_assert_int_eq(4, sscanf(t + strlen(line), "%lld, %lld) F=%lf sum=%lf", &m, &n, &norm, &sum));
    facts f = found(p.matrix);
    ck_assert_int_eq(f.m, m);
    ck_assert_int_eq(f.n, n);
    close_to(f.norm, norm, 1e-12, file);
    ck_assert_double_eq_tol(f.sum, sum, 1e-12 * norm);
    fb_parts_free(&p);
}
END_TEST

/* What the files themselves say (size lines, entries added by hand) and README.md; 0: not checked.
 * */
static const struct {
    const char *file, *reader, *name;
    facts f;
} others[] = {
    {"19_matrix_market_hb/bcsstk01.rsa", "hb", "", {48, 48, 400, 7.521821564358e9, 0}},
    {"19_matrix_market_hb/lp_afiro.rra", "hb", "", {27, 51, 102, 0, 0}},
    {"19_matrix_market_hb/3by0.mtx", "mm", "", {3, 0, 0, 0, 0}},
    {"19_matrix_market_hb/c.mtx", "mm", "", {3, 3, 7, 42.355637169094745, 0}}, /* sqrt 1794 */
    {"19_matrix_market_hb/cha.mtx", "mm", "", {3, 3, 9, 0, 0}},
    {"19_matrix_market_hb/pts5ldd03.mtx", "mm", "", {161, 161, 745, 0, 0}},
    {"19_matrix_market_hb/rza.mtx", "mm", "", {3, 3, 6, 54.442630355264806, 0}},     /* sqrt 2964 */
    {"19_matrix_market_hb/fullrsa.mtx", "mm", "", {2, 2, 4, 9.1706052144883, 15.8}}, /* sqrt 84.1 */
    {"19_matrix_market_hb/fullcsa.mtx",
     "mm",
     "",
     {2, 2, 4, 12.616259350536513, 0}}, /* sqrt 159.17 */
    {"19_matrix_market_hb/fullrza.mtx", "mm", "", {2, 2, 2, 4.808326112068523, 0}}, /* 3.4 sqrt 2 */
    {"20_mat/cant_KM_v73_imitation.mat", "matlab", "K", {288, 288, 22380, 3.012801109313e11, 0}},
    {"20_mat/cant_KM_v73_imitation.mat", "matlab", "M", {288, 288, 7488, 8.757397928743e-1, 0}},
    {"20_mat/rofs_beam.mat", "matlab", "K", {18, 18, 324, 6.928205541865e8, 0}},
    {"20_mat/rofs_beam.mat", "matlab", "M", {18, 18, 324, 3.977256756883, 0}},
    {"20_mat/rofs_beam.mat", "matlab", "C", {18, 18, 324, 0, 0}},
    {"20_mat/big_endian.mat", "matlab", "floats", {2, 2, 4, 0, 0}},
    {"20_mat/logical_sparse.mat", "matlab", "sp_log_5_4", {5, 4, 5, 2.23606797749979, 5}},
    {"20_mat/testhdf5_7.4_GLNX86.mat", "matlab", "testdouble", {1, 9, 0, 0, 0}},
    {"20_mat/testmatrix_7.4_GLNX86.mat", "matlab", "testmatrix", {3, 5, 0, 0, 0}},
    {"20_mat/testsparse_4.2c_SOL2.mat", "matlab", "testsparse", {3, 5, 7, 8.246211251235321, 0}},
    {"20_mat/testsparse_6.5.1_GLNX86.mat", "matlab", "testsparse", {3, 5, 7, 8.246211251235321, 0}},
    {"20_mat/testsparse_7.4_GLNX86.mat", "matlab", "testsparse", {3, 5, 7, 8.246211251235321, 0}},
    {"20_mat/testsparsecomplex_7.4_GLNX86.mat", "matlab", "testsparsecomplex", {3, 5, 7, 0, 0}},
    {"20_mat/testsparsefloat_7.4_GLNX86.mat", "matlab", "testsparsefloat", {1, 6, 3, 0, 0}},
};

START_TEST(other_files_are_what_they_say)
{
    fb_parts p = {0};
    const char *reader;
    char file[256];
    const facts *want = &others[_i].f;
    snprintf(file, sizeof file, "abaqus/%s", others[_i].file);
    int s = read_shared(file, &reader, &p);
    if (s < 0)
        return;
    ck_assert_msg(s == 0, "%s: %s", file, e.msg);
    ck_assert_str_eq(reader, others[_i].reader);
    facts f = found(matrix_called(&p, others[_i].name));
    ck_assert_int_eq(f.m, want->m);
    ck_assert_int_eq(f.n, want->n);
    ck_assert_msg(!want->nnz || f.nnz == want->nnz, "%s: %lld entries", file, (long long)f.nnz);
    if (want->norm != 0)
        close_to(f.norm, want->norm, 1e-12, file);
    if (want->sum != 0)
        close_to(f.sum, want->sum, 1e-12, file);
    fb_parts_free(&p);
}
END_TEST

/* ---- refused ------------------------------------------------------------------------------ */

static const struct {
    const char *file, *message;
} refused[] = {
    {"19_matrix_market_hb/mangle1.mtx", "object of the banner is 'junk'"},
    {"19_matrix_market_hb/mangle2.mtx", "format of the banner is 'junk'"},
    {"19_matrix_market_hb/mangle3.mtx", "field of the banner is 'junk'"},
    {"19_matrix_market_hb/mangle4.mtx", "symmetry of the banner is 'junk'"},
    {"19_matrix_market_hb/fullcrud.mtx", "before the 2 by 2 array is full"},
    {"19_matrix_market_hb/fullcrud1.mtx", "not recognised"},
    {"19_matrix_market_hb/fullcrud2.mtx", "line 3: 'garbled' is not a finite number"},
    {"21_unv/binary8byte.uff", "its sets: 58"},
    {"21_unv/time-history-not-all-columns-filled.uff", "its sets: 58"},
    {"05_ansys_mmf_rotor/rotorAnsysElements.txt", "not recognised"},
};

START_TEST(malformed_files_are_refused)
{
    fb_parts p = {0};
    const char *reader;
    char file[256];
    snprintf(file, sizeof file, "abaqus/%s", refused[_i].file);
    int s = read_shared(file, &reader, &p);
    if (s < 0)
        return;
    ck_assert_msg(s == FB_EFORMAT && strstr(e.msg, refused[_i].message), "%s: %d %s", file, s,
                  s ? e.msg : "accepted");
    fb_parts_free(&p);
}
END_TEST

/* ---- nodes and modes ---------------------------------------------------------------------- */

static const struct {
    const char *file, *reader;
    int64_t nodes, dofs, modes;
    double frequency[3], top[3];
} bodies[] = {
    {"abaqus/20_mat/cant_KM_octave_v7.mat", "matlab", 104, 288, 0, {0}, {0}},
    {"abaqus/20_mat/cant_KM_v5_plain.mat", "matlab", 104, 288, 0, {0}, {0}},
    {"abaqus/20_mat/cant_KM_v73_imitation.mat", "matlab", 104, 288, 0, {0}, {0}},
    {"abaqus/21_unv/cant_modes_synthetic.unv",
     "unv",
     104,
     0,
     3,
     {67.89872529, 101.4085764, 425.6830911},
     {1.30809, 1.30591, 1.30652}},
    {"abaqus/21_unv/uff55_translation.uff",
     "unv",
     4,
     0,
     3,
     {10, 12, 13},
     {1.46518, 1.98289, 1.48845}},
    {"abaqus/21_unv/uff55_translation_rotation.uff", "unv", 43, 0, 1, {97.013}, {0}},
    {"abaqus/21_unv/groups_test.uff", "unv", 74, 0, 0, {0}, {0}},
    {"abaqus/21_unv/heat_engine_housing.uff", "unv", 10, 0, 0, {0}, {0}},
    {"abaqus/21_unv/mesh_Oros-modal_uff15_uff2412.uff", "unv", 96, 0, 0, {0}, {0}},
    {"cases/g13_nodes_m.csv", "table", 5, 0, 0, {0}, {0}},
    {"cases/g13_nodes_mm.csv", "table", 5, 0, 0, {0}, {0}},
    {"cases/g14_nodes.csv", "table", 16, 0, 0, {0}, {0}},
};

START_TEST(nodes_and_modes_are_all_there)
{
    fb_parts p = {0};
    const char *reader;
    int s = read_shared(bodies[_i].file, &reader, &p);
    if (s < 0)
        return;
    ck_assert_msg(s == 0, "%s: %s", bodies[_i].file, e.msg);
    ck_assert_str_eq(reader, bodies[_i].reader);
    ck_assert_int_eq(p.body.nm ? p.body.nn : p.nn, bodies[_i].nodes);
    ck_assert_int_eq(p.ntable, bodies[_i].dofs);
    ck_assert_int_eq(p.body.nm, bodies[_i].modes);
    for (int64_t k = 0; k < p.body.nm; k++) {
        double top = 0;
        for (int64_t q = 0; q < 6 * p.body.nn; q++)
            top = fmax(top, fabs(p.body.shape[k * 6 * p.body.nn + q]));
        close_to(p.body.eigen[5 * k + 1], bodies[_i].frequency[k], 1e-5,
                 "frequency"); /* printed with six digits */
        if (bodies[_i].top[k] > 0)
            close_to(top, bodies[_i].top[k], 1e-12, "largest component");
    }
    fb_parts_free(&p);
}
END_TEST

START_TEST(millimetres_of_a_universal_file_are_known)
{
    fb_parts p = {0};
    const char *reader;
    if (read_shared("abaqus/21_unv/heat_engine_housing.uff", &reader, &p) < 0)
        return;
    ck_assert_str_eq(p.body.units.name[FB_LENGTH], "mm");
    ck_assert_double_eq_tol(p.body.units.factor[FB_LENGTH], 1e-3, 1e-18);
    ck_assert_str_eq(p.body.units.name[FB_FORCE], "mN");
    fb_parts_free(&p);
}
END_TEST

START_TEST(frames_of_a_reduced_solid_are_labelled)
{
    fb_parts p = {0};
    const char *reader;
    if (read_shared("abaqus/20_mat/rofs_beam.mat", &reader, &p) < 0)
        return;
    const fb_matrix *K = matrix_called(&p, "K");
    ck_assert_int_eq(p.nn, 2);
    ck_assert_int_eq(K->row.node[0], 1);
    ck_assert_int_eq(K->row.component[5], 6);
    ck_assert_int_eq(K->row.node[6], 2);
    ck_assert_int_eq(K->row.class[11], FB_DOF_PHYSICAL);
    ck_assert_int_eq(K->row.class[12], FB_DOF_GENERALIZED);
    fb_parts_free(&p);
}
END_TEST

/* Every .mtx of the cases that carries the banner, and those that do not. */
static const struct {
    const char *file, *reader;
} cases[] = {
    {"g01_K.mtx", "mm"},
    {"g02_M.mtx", "mm"},
    {"g03_K.mtx", "mm"},
    {"g05_STIF.mtx", "abaqus_matrix"},
    {"g06_MASS.mtx", "abaqus_matrix"},
    {"g07_K.mtx", "mm"},
    {"g08_M.mtx", "mm"},
    {"g11_K_tiny_asym.mtx", "mm"},
    {"g12_K.mtx", "mm"},
    {"g13_mm_t_K.mtx", "mm"},
    {"g14_K.mtx", "mm"},
    {"g15_M.mtx", "mm"},
};

START_TEST(cases_go_to_their_readers)
{
    fb_parts p = {0};
    const char *reader;
    char file[256];
    snprintf(file, sizeof file, "cases/%s", cases[_i].file);
    int s = read_shared(file, &reader, &p);
    if (s < 0)
        return;
    ck_assert_msg(s == 0, "%s: %s", file, e.msg);
    ck_assert_str_eq(reader, cases[_i].reader);
    ck_assert_int_eq(p.nmatrix, 1);
    fb_parts_free(&p);
}
END_TEST

#define ROWS(t) (int)(sizeof(t) / sizeof *(t))

Suite *suite_neutral(void)
{
    Suite *s = suite_create("neutral");
    TCase *t = tcase_create("real files");
    tcase_add_loop_test(t, norms_are_those_of_the_reference, 0, ROWS(full_lines));
    tcase_add_loop_test(t, synthetic_files_are_those_of_the_reference, 0, ROWS(synthetic));
    tcase_add_loop_test(t, other_files_are_what_they_say, 0, ROWS(others));
    tcase_add_loop_test(t, malformed_files_are_refused, 0, ROWS(refused));
    tcase_add_loop_test(t, nodes_and_modes_are_all_there, 0, ROWS(bodies));
    tcase_add_test(t, millimetres_of_a_universal_file_are_known);
    tcase_add_test(t, frames_of_a_reduced_solid_are_labelled);
    tcase_add_loop_test(t, cases_go_to_their_readers, 0, ROWS(cases));
    suite_add_tcase(s, t);
    return s;
}
