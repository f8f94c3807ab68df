/* SPDX-License-Identifier: GPL-3.0-or-later */
/* test_matrices.c - targets that hold K, M, D of labelled dofs: DMIG, Abaqus, Matrix Market,
 * MATLAB, Simscape. Each file is read by a few lines of its own and compared with the body. */
#include "export/body.h"
#include "matfile.h"
#include "export/writer.h"
#include "tests/model/generic.h"
#include "tests/model/mat5.h"
#include "tests/model/near.h"
#include "tests/model/reduced.h"
#include "tests/suites.h"
#include <math.h>

enum { NN = 6, NM = 3, N = 12 + NM };

static char *text_of(const fb_model *b, const fb_writer *w, const char *dialect, fb_log *log)
{
    const fb_export ask = {.dialect = dialect};
    fb_buf o = {.little = 1};
    fb_err e = {0};
    ck_assert_msg(w->write(b, &ask, &o, log, &e) == FB_OK, "%s", e.msg);
    fb_put_bytes(&o, "", 1);
    return (char *)o.data;
}

static void refused(const fb_model *b, const fb_writer *w, const char *dialect, const char *part)
{
    const fb_export ask = {.dialect = dialect};
    fb_buf o = {.little = 1};
    fb_log log = {0};
    fb_err e = {0};
    ck_assert_int_eq(w->write(b, &ask, &o, &log, &e), FB_EFORMAT);
    ck_assert_msg(strstr(e.msg, part) != NULL, "'%s' lacks '%s'", e.msg, part);
    fb_buf_free(&o);
}

/* The coordinate of a label of the generic body: modal ones are nodes above all others, with one
 * component. */
static int64_t coordinate(int64_t node, int64_t component, int64_t modal)
{
    for (int64_t k = 0; k < N; k++)
        if (generic_label[k][0] ? generic_label[k][0] == node && generic_label[k][1] == component
                                : 1310 + generic_label[k][1] == node && component == modal)
            return k;
    ck_abort_msg("no coordinate %lld.%lld", (long long)node, (long long)component);
    return -1;
}

/* In the displacements themselves. */
static void scaled(const double *A, double *out)
{
    for (int i = 0; i < N; i++)
        for (int j = 0; j < N; j++)
            out[i * N + j] = A[i * N + j] / (generic_scale[i] * generic_scale[j]);
}

START_TEST(boundary_coordinates_are_found)
{
    fb_model b;
    fb_coords c = {0};
    fb_units mm;
    fb_err e = {0};
    make_constrained(&b, NN, NM, (uint64_t)_i);
    if (_i % 2) { /* a change of units leaves K and M as they are: scale turns from 1 into 1000 */
        ck_assert_int_eq(fb_units_system(&mm, "mm-t-s", &e), FB_OK);
        ck_assert_msg(fb_model_convert(&b, &mm, &e) == FB_OK, "%s", e.msg);
    }
    ck_assert_msg(fb_coords_new(&b, "a test", &c, &e) == FB_OK, "%s", e.msg);
    ck_assert_int_eq(c.nb, 12);
    for (int k = 0; k < N; k++) {
        ck_assert_int_eq(c.node[k], k < 6 ? b.node_id[0] : k < 12 ? b.node_id[NN - 1] : 0);
        ck_assert_int_eq(c.component[k], k < 12 ? k % 6 + 1 : k - 11);
        ck_assert_double_eq_tol(c.scale[k], _i % 2 && k < 12 && k % 6 < 3 ? 1000 : 1, 1e-6);
    }
    fb_coords_free(&c);
    fb_model_free(&b);
}
END_TEST

START_TEST(dmig_holds_the_matrices)
{
    fb_model b;
    fb_log log = {0};
    double A[4][N * N] = {{0}}, want[N * N];
    int grids = 0, spoints = 0, form = 0;
    make_generic_boundary(&b, "mm-t-s", (uint64_t)_i);
    char *text = text_of(&b, &fb_writer_dmig, "nastran", &log);
    int which = -1;
    int64_t col = -1;
    for (char *p = text; *p; p = strchr(p, '\n') + 1) {
        char f[6][17] = {""};
        size_t n = strcspn(p, "\n");
        ck_assert_int_le((int)n, 72);
        spoints += !strncmp(p, "SPOINT", 6);
        for (size_t k = 0; k < 4 && 8 + 16 * k < n; k++)
            snprintf(f[k], sizeof f[k], "%.*s", (int)(n - 8 - 16 * k < 16 ? n - 8 - 16 * k : 16),
                     p + 8 + 16 * k);
        if (!strncmp(p, "DMIG    ", 8))
            form = atoi(p + 24);
        if (!strncmp(p, "GRID*", 5)) {
            char z[17];
            int at = 0;
            snprintf(z, sizeof z, "%.16s", strchr(p, '\n') + 9);
            while (b.node_id[at] != atoll(f[0]))
                at++;
            ck_assert_double_eq_tol(atof(f[2]), b.xyz[3 * at], 1e-9);
            ck_assert_double_eq_tol(atof(f[3]), b.xyz[3 * at + 1], 1e-9);
            ck_assert_double_eq_tol(atof(z), b.xyz[3 * at + 2], 1e-9);
            grids++;
        } else if (!strncmp(p, "DMIG*", 5)) {
            which = f[0][0] == 'K' ? 0 : f[0][0] == 'M' ? 1 : f[0][0] == 'B' ? 2 : 3;
            col = which == 3 ? atoll(f[1]) - 1 : coordinate(atoll(f[1]), atoll(f[2]), 0);
            ck_assert_int_lt((int)col, which == 3 ? (int)b.nload : N);
        } else if (*p == '*' && which >= 0) {
            int64_t row = coordinate(atoll(f[0]), atoll(f[1]), 0);
            char *d = strchr(f[2], 'D');
            ck_assert_ptr_nonnull(d);
            *d = 'E';
            /* the damping is of any form, loads are columns */
            ck_assert_int_eq(form, which == 3 ? 9 : which == 2 ? 1 : 6);
            A[which][row * N + col] = strtod(f[2], NULL);
            if (form == 6)
                A[which][col * N + row] = A[which][row * N + col];
        }
    }
    ck_assert_int_eq(grids, 3);
    ck_assert_int_eq(spoints, NM);
    const double *const of[3] = {b.Kr, b.Mr, b.Dr};
    for (int m = 0; m < 3; m++) {
        scaled(of[m], want);
        near_all(A[m], want, N * N, 1e-9, "DMIG");
    }
    memset(want, 0, sizeof want);
    ck_assert_int_gt((int)b.nload, 0);
    for (int64_t j = 0; j < b.nload; j++)
        for (int i = 0; i < N; i++)
            want[i * N + j] = b.load[j * N + i] / generic_scale[i];
    near_all(A[3], want, N * N, 1e-9, "PAX");
    free(text);
    fb_model_free(&b);
}
END_TEST

static const fb_buf *file_of(const fb_files *f, const char *name)
{
    for (int64_t k = 0; k < f->n; k++)
        if (!strcmp(f->file[k].name, name))
            return &f->file[k].bytes;
    ck_abort_msg("no file %s", name);
    return NULL;
}

/* A file of a folder as text. */
static char *text_in(const fb_model *b, const fb_writer *w, const char *dialect, const char *name,
                     fb_log *log)
{
    const fb_export ask = {.dialect = dialect};
    fb_files f = {0};
    fb_err e = {0};
    ck_assert_msg(w->files(b, &ask, &f, log, &e) == FB_OK, "%s", e.msg);
    const fb_buf *o = file_of(&f, name);
    char *text = strndup((const char *)o->data, (size_t)o->size);
    fb_files_free(&f);
    return text;
}

START_TEST(abaqus_input_holds_the_matrices)
{
    static const char *const name[3] = {"K.mtx", "M.mtx", "C.mtx"};
    fb_model b;
    fb_log log = {0};
    double want[N * N];
    make_generic_boundary(&b, "SI", (uint64_t)_i);
    const double *of[3] = {b.Kr, b.Mr, b.Dr};
    for (int m = 0; m < 3; m++) {
        double A[N * N] = {0};
        char *text = text_in(&b, &fb_writer_abaqus, "matrix", name[m], &log);
        for (char *p = text; *p; p = strchr(p, '\n') + 1) {
            long long i, d, j, f;
            double v;
            ck_assert_int_eq(sscanf(p, "%lld, %lld, %lld, %lld, %lf", &i, &d, &j, &f, &v), 5);
            int64_t row = coordinate(i, d, 1), col = coordinate(j, f, 1);
            A[row * N + col] = v;
            if (m < 2) /* symmetric: the lower half */
                A[col * N + row] = v;
        }
        scaled(of[m], want);
        near_all(A, want, N * N, 1e-15, name[m]);
        free(text);
    }
    char *text = text_in(&b, &fb_writer_abaqus, "matrix", "body.inp", &log),
         *p = strstr(text, "*NODE\n") + 6;
    ck_assert_ptr_nonnull(strstr(text,
                                 "*MATRIX INPUT, NAME=C, INPUT=C.mtx, TYPE=UNSYMMETRIC\n"
                                 "*MATRIX ASSEMBLE, STIFFNESS=K, MASS=M, VISCOUS DAMPING=C\n"));
    for (int n = 0; n < 6; n++, p = strchr(p, '\n') + 1) {
        long long id;
        double u[3];
        int at = 0;
        ck_assert_int_eq(sscanf(p, "%lld, %lf, %lf, %lf", &id, u, u + 1, u + 2), 4);
        while (at < b.nn && b.node_id[at] != id)
            at++;
        ck_assert(at < b.nn || (id > 1310 && id < 1314));
        for (int a = 0; a < 3; a++)
            ck_assert(fabs(u[a] - (at < b.nn ? b.xyz[3 * at + a] : 0)) <= 1e-13 * fabs(u[a]));
        for (const char *f = p, *end; f < strchr(p, '\n'); f = end + 1) { /* cut behind 20 */
            end = f + strcspn(f, ",\n");
            ck_assert_int_le(end - f - (*f == ' '), 20);
        }
    }
    ck_assert_int_eq(*p, '*');
    free(text);
    fb_model_free(&b);
}
END_TEST

/* CalculiX (mafillsm.f, mastruct.c): K.mtx alone makes the pattern, so each line of M.mtx has one
 * there, of the lower triangle; a sum over both halves gives the matrices. */
START_TEST(calculix_adds_mass_where_stiffness_is)
{
    static const char *const name[2] = {"M.mtx", "K.mtx"};
    static double A[2][N * N];
    static char there[2][N * N];
    double want[N * N];
    fb_model b;
    fb_log log = {0};
    make_generic_boundary(&b, "SI", (uint64_t)_i);
    memset(A, 0, sizeof A);
    memset(there, 0, sizeof there);
    for (int k = 0; k < N; k++) { /* the modal block of K is diagonal as a rule */
        b.Kr[5 * N + k] *= k == 5;
        b.Kr[k * N + 5] = b.Kr[5 * N + k];
    }
    const double *const of[2] = {b.Mr, b.Kr};
    for (int m = 0; m < 2; m++) {
        char *text = text_in(&b, &fb_writer_abaqus, "calculix", name[m], &log);
        for (char *p = text; *p; p = strchr(p, '\n') + 1) {
            long long i, ci, j, cj;
            double v;
            ck_assert_int_eq(sscanf(p, "%lld, %lld, %lld, %lld, %lf", &i, &ci, &j, &cj, &v), 5);
            int64_t row = coordinate(i, ci, 1), col = coordinate(j, cj, 1);
            ck_assert(!there[m][row * N + col] && (m == 1 || v != 0 || row == col));
            there[m][row * N + col] = there[m][col * N + row] = 1;
            A[m][row * N + col] = A[m][col * N + row] = v;
        }
        scaled(of[m], want);
        near_all(A[m], want, N * N, 1e-15, name[m]);
        free(text);
    }
    for (int k = 0; k < N * N; k++)
        ck_assert(there[1][k] || !there[0][k]);
    ck_assert_int_eq(log.nwarning, 2); /* of its damping, once a call */
    char *text = text_in(&b, &fb_writer_abaqus, "calculix", "body.inp", &log);
    ck_assert_ptr_nonnull(strstr(text, "\n*MATRIX ASSEMBLE, NAME=BODY, STIFFNESSFILE=K.mtx, "
                                       "MASSFILE=M.mtx\n"));
    free(text);
    fb_log_free(&log);
    fb_model_free(&b);
}
END_TEST

START_TEST(abaqus_element_holds_the_matrices)
{
    fb_model b;
    fb_log log = {0};
    double A[2][N * N] = {{0}};
    make_constrained(&b, NN, NM, (uint64_t)_i);
    char *text = text_in(&b, &fb_writer_abaqus, "element", "element.inp", &log), *p = text;
    ck_assert_ptr_nonnull(strstr(text, "*USER ELEMENT, NODES=5, TYPE=U1, LINEAR\n"));
    ck_assert_ptr_nonnull(strstr(text, "\n1, 2, 3, 4, 5, 6\n3, 1\n*MATRIX, TYPE=STIFFNESS\n"));
    ck_assert_int_eq(log.nwarning, 1);
    for (int m = 0; m < 2; m++) {
        p = strchr(strstr(p, m ? "*MATRIX, TYPE=MASS" : "*MATRIX, TYPE=STIFFNESS"), '\n') + 1;
        for (int i = 0; i < N; i++)
            for (int j = 0; j <= i; j++) {
                char *end;
                A[m][i * N + j] = A[m][j * N + i] = strtod(p, &end);
                ck_assert_ptr_ne(end, p);
                ck_assert(*end == ',' || *end == '\n');
                ck_assert_int_eq(end[0] == '\n' || end[1] == '\n', j == i || j % 4 == 3);
                p = end + strspn(end, ", \n");
            }
        ck_assert_int_eq(*p, m ? 0 : '*');
    }
    near_all(A[0], b.Kr, N * N, 1e-13, "K");
    near_all(A[1], b.Mr, N * N, 1e-13, "M");
    free(text);
    fb_log_free(&log);
    fb_model_free(&b);
}
END_TEST

/* Of nodes with 6, 4 and 2 dofs in no order: the element goes node by node, dofs ascending. */
START_TEST(abaqus_element_goes_node_by_node)
{
    static const int node[6] = {1310, 12, 6, 1311, 1312, 1313};
    static const int64_t of[6][7] = {{1, 2, 3, 4, 5, 6}, {1, 2, 4, 6}, {3, 5}, {1}, {1}, {1}};
    fb_model b;
    fb_log log = {0};
    double A[2][N * N] = {{0}}, want[N * N];
    int64_t at[N];
    int n = 0;
    make_generic_boundary(&b, "mm-t-s", (uint64_t)_i);
    for (int q = 0; q < 6; q++)
        for (int c = 0; of[q][c]; c++)
            at[n++] = coordinate(node[q], of[q][c], 1);
    ck_assert_int_eq(n, N);
    char *text = text_in(&b, &fb_writer_abaqus, "element", "element.inp", &log), *p = text;
    ck_assert_ptr_nonnull(strstr(text, "NODES=6, TYPE=U1, LINEAR\n** ELEMENT NODES\n"
                                       "** 1310, 12, 6, -1, -2, -3\n1, 2, 3, 4, 5, 6\n"
                                       "2, 1, 2, 4, 6\n3, 3, 5\n4, 1\n*MATRIX"));
    for (int m = 0; m < 2; m++) {
        p = strchr(strstr(p, m ? "*MATRIX, TYPE=MASS" : "*MATRIX, TYPE=STIFFNESS"), '\n') + 1;
        for (int i = 0; i < N; i++)
            for (int j = 0; j <= i; j++) {
                A[m][at[i] * N + at[j]] = A[m][at[j] * N + at[i]] = strtod(p, &p);
                p += strspn(p, ", \n");
            }
        scaled(m ? b.Mr : b.Kr, want);
        near_all(A[m], want, N * N, 1e-13, m ? "M" : "K");
    }
    free(text);
    text = text_in(&b, &fb_writer_abaqus, "element", "body.inp", &log);
    ck_assert_ptr_nonnull(strstr(text, "ELSET=BODY\n1, 1310, 12, 6, 1311, 1312, 1313\n*UEL"));
    free(text);
    fb_log_free(&log);
    fb_model_free(&b);
}
END_TEST

/* The second dof of the first node is a temperature, component 11: it stands behind its others. */
START_TEST(abaqus_element_has_all_components)
{
    static const int at[6] = {0, 2, 3, 4, 5, 1};
    fb_model b;
    fb_log log = {0};
    make_constrained(&b, NN, NM, 1);
    for (int64_t d = 0; d < b.ndof; d++)
        if (b.dof_node[d] == 10 && b.dof_component[d] == 2)
            b.dof_component[d] = 11;
    char *text = text_in(&b, &fb_writer_abaqus, "element", "element.inp", &log), *p = text;
    ck_assert_ptr_nonnull(strstr(text, "\n1, 3, 4, 5, 6, 11\n2, 1, 2, 3, 4, 5, 6\n3, 1\n*MATRIX"));
    p = strchr(strstr(p, "*MATRIX, TYPE=STIFFNESS"), '\n') + 1;
    for (int i = 0; i < N; i++)
        for (int j = 0; j <= i; j++) {
            const double want = b.Kr[(i < 6 ? at[i] : i) * N + (j < 6 ? at[j] : j)];
            ck_assert_double_eq_tol(strtod(p, &p), want, 1e-12 * fabs(b.Kr[0]));
            p += strspn(p, ", \n");
        }
    free(text);
    fb_log_free(&log);
    fb_model_free(&b);
}
END_TEST

/* Numbers of 24 characters do not touch: readers of Fortran would take two for one. */
START_TEST(openfast_numbers_are_apart)
{
    fb_model b;
    fb_buf o = {.little = 1};
    fb_log log = {0};
    fb_err e = {0};
    int64_t numbers = 0;
    make_constrained(&b, 4, 1, 1);
    for (int k = 6; k < 12; k++) /* of one interface node */
        b.kind[k] = FB_KIND_NORMAL;
    for (int64_t k = 1; k < b.nr; k++)
        b.Mr[k] = b.Mr[k * b.nr] = -1.25e-100;
    ck_assert_int_eq(fb_writer_openfast.write(&b, &(fb_export){.dialect = "flex5"}, &o, &log, &e),
                     FB_OK);
    fb_put_bytes(&o, "", 1);
    *strstr((char *)o.data, "!Loading") = 0;
    for (char *line = strstr((char *)o.data, "!Mass Matrix"); line; line = strchr(line + 1, '\n')) {
        char *p = line + (*line == '\n'), *end;
        for (p += strspn(p, " "); strchr("-0123456789", *p) && *p; p = end + strspn(end, " ")) {
            (void)strtod(p, &end);
            ck_assert(end > p && (*end == ' ' || *end == '\n'));
            numbers++;
        }
    }
    ck_assert_int_eq(numbers, 3 * b.nr * b.nr);
    fb_buf_free(&o);
    fb_log_free(&log);
    fb_model_free(&b);
}
END_TEST

START_TEST(real16_fits_and_is_right)
{
    static const double v[] = {0,        1,     -1,      1.0 / 3,    -1.0 / 3,       6.02214076e23,
                               -1.6e-19, 1e100, -1e-100, 123456.789, 9.9999999999996};
    for (size_t k = 0; k < sizeof v / sizeof *v; k++) {
        char out[17], *d;
        fb_real16(v[k], 'D', out);
        ck_assert_int_le((int)strlen(out), 16);
        ck_assert_ptr_nonnull(d = strchr(out, 'D'));
        *d = 'E';
        ck_assert_msg(fabs(strtod(out, NULL) - v[k]) <= 6e-10 * fabs(v[k]), "%s for %.17g", out,
                      v[k]);
    }
}
END_TEST

START_TEST(matrix_market_folder)
{
    static const char *const name[3] = {"K.mtx", "M.mtx", "D.mtx"};
    fb_model b;
    fb_files f = {0};
    fb_log log = {0};
    fb_err e = {0};
    make_generic_boundary(&b, "SI", (uint64_t)_i);
    const double *want[3] = {b.Kr, b.Mr, b.Dr};
    ck_assert_msg(fb_writer_mm.files(&b, NULL, &f, &log, &e) == FB_OK, "%s", e.msg);
    for (int m = 0; m < 3; m++) {
        const fb_buf *o = file_of(&f, name[m]);
        char *text = strndup((char *)o->data, (size_t)o->size),
             *p = strchr(strchr(text, '\n') + 1, '\n') + 1;
        double A[N * N] = {0};
        long long rows, cols, nnz, i, j;
        const char *banner = m < 2 ? "%%MatrixMarket matrix coordinate real symmetric\n"
                                   : "%%MatrixMarket matrix coordinate real general\n";
        ck_assert_int_eq(strncmp(text, banner, strlen(banner)), 0);
        ck_assert_int_eq(sscanf(p, "%lld %lld %lld", &rows, &cols, &nnz), 3);
        ck_assert(rows == N && cols == N);
        for (p = strchr(p, '\n') + 1; *p; p = strchr(p, '\n') + 1, nnz--) {
            double v;
            ck_assert_int_eq(sscanf(p, "%lld %lld %lf", &i, &j, &v), 3);
            ck_assert(m == 2 || i >= j);
            A[(i - 1) * N + j - 1] = v;
            if (m < 2)
                A[(j - 1) * N + i - 1] = v;
        }
        ck_assert_int_eq(nnz, 0);
        near_all(A, want[m], N * N, 0, name[m]);
        free(text);
    }
    const fb_buf *T = file_of(&f, "T.mtx");
    char *text = strndup((char *)T->data, (size_t)T->size), *p = strstr(text, "\n48 15\n") + 7;
    for (int64_t k = 0; k < b.ndof * b.nr; k++, p = strchr(p, '\n') + 1)
        ck_assert(strtod(p, NULL) == b.T[k]);
    free(text);
    ck_assert_int_eq(strncmp((char *)file_of(&f, "dofs.txt")->data,
                             "407 1\n407 2\n407 3\n407 4\n407 5\n407 6\n12 1\n", 41),
                     0);
    const fb_buf *n = file_of(&f, "nodes.txt");
    text = strndup((char *)n->data, (size_t)n->size);
    p = text;
    for (int q = 0; q < GENERIC_NODES; q++) {
        ck_assert_int_eq(strtoll(p, &p, 10), b.node_id[q]);
        for (int a = 0; a < 3; a++)
            ck_assert(strtod(p, &p) == b.xyz[3 * q + a]);
    }
    free(text);
    fb_files_free(&f);
    fb_model_free(&b);
}
END_TEST

START_TEST(sparse_models_are_written_too)
{
    fb_model b = {.ndof = 2};
    fb_files f = {0};
    fb_log log = {0};
    fb_err e = {0};
    fb_units_unnamed(&b.units);
    ck_assert_int_eq(fb_writer_mm.files(&b, NULL, &f, &log, &e), FB_EFORMAT);
    const int64_t i[] = {0, 0, 1}, j[] = {0, 1, 1};
    ck_assert_int_eq(fb_csc_from_triplets(&b.K, 2, 2, 3, i, j, (const double[]){2, -1, 2}, 1, &e),
                     FB_OK);
    ck_assert_int_eq(fb_csc_from_triplets(&b.M, 2, 2, 3, i, j, (const double[]){2, -1, 2}, 0, &e),
                     FB_OK);
    ck_assert_int_eq(fb_writer_mm.files(&b, NULL, &f, &log, &e), FB_OK);
    ck_assert_int_eq(f.n, 2);
    fb_put_bytes(&f.file[0].bytes, "", 1);
    fb_put_bytes(&f.file[1].bytes, "", 1);
    ck_assert_str_eq((char *)f.file[0].bytes.data,
                     "%%MatrixMarket matrix coordinate real symmetric\n"
                     "% units mass, length, time, force\n2 2 3\n1 1 2.0000000000000000e+00\n"
                     "2 1 -1.0000000000000000e+00\n2 2 2.0000000000000000e+00\n");
    ck_assert_str_eq((char *)f.file[1].bytes.data,
                     "%%MatrixMarket matrix coordinate real general\n"
                     "% units mass, length, time, force\n2 2 3\n1 1 2.0000000000000000e+00\n"
                     "1 2 -1.0000000000000000e+00\n2 2 2.0000000000000000e+00\n");
    fb_files_free(&f);
    fb_model_free(&b);
}
END_TEST

/* ---- MATLAB ------------------------------------------------------------------------------------
 * */

START_TEST(level_5_values_in_column_order)
{
    static const double x[24] = {0,  1,  2,  3,  4,  5,  6,  7,  8,  9,  10, 11,
                                 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23};
    const fb_matvar v = {.name = "abc", .rank = 3, .dim = {2, 3, 4}, .x = x};
    fb_buf o = {.little = 1};
    fb_err e = {0};
    char name[40];
    int dim[4], class, n = 0;
    const double *y = NULL;
    ck_assert_int_eq(fb_matfile_write(&o, 5, NULL, &v, 1, &e), FB_OK);
    ck_assert_ptr_eq(mat5_variable(o.data + 128, name, dim, &class, &y, &n), o.data + o.size);
    ck_assert_str_eq(name, "abc");
    ck_assert(class == 6 && n == 24 && dim[0] == 2 && dim[1] == 3 && dim[2] == 4);
    for (int i = 0; i < 2; i++)
        for (int j = 0; j < 3; j++)
            for (int k = 0; k < 4; k++)
                ck_assert(y[i + 2 * (j + 3 * k)] == x[(i * 3 + j) * 4 + k]);
    fb_buf_free(&o);
}
END_TEST

START_TEST(level_5_sparse_has_both_triangles)
{
    fb_csc A = {0};
    fb_buf o = {.little = 1};
    fb_err e = {0};
    char name[40];
    int dim[4], class, n = 0, type, bytes;
    const double *y = NULL;
    const unsigned char *d;
    ck_assert_int_eq(fb_csc_from_triplets(&A, 3, 3, 3, (int64_t[]){0, 0, 2}, (int64_t[]){0, 1, 2},
                                          (double[]){5, 6, 7}, 1, &e),
                     FB_OK);
    const fb_matvar v = {.name = "K_full", .sparse = &A};
    ck_assert_int_eq(fb_matfile_write(&o, 5, NULL, &v, 1, &e), FB_OK);
    const unsigned char *end = mat5_variable(o.data + 128, name, dim, &class, &y, &n),
                        *p = (const unsigned char *)y;
    ck_assert(class == 5 && dim[0] == 3 && dim[1] == 3);
    p = mat5_element(p, &type, &bytes, &d);
    ck_assert(type == 6 && bytes == 16 && mat5_word(d) == 0 && mat5_word(d + 4) == 1 &&
              mat5_word(d + 8) == 0 && mat5_word(d + 12) == 2);
    p = mat5_element(p, &type, &bytes, &d);
    ck_assert(type == 6 && bytes == 16 && mat5_word(d + 4) == 2 && mat5_word(d + 8) == 3 &&
              mat5_word(d + 12) == 4);
    ck_assert_ptr_eq(mat5_element(p, &type, &bytes, &d), end);
    ck_assert(((const double *)(const void *)d)[1] == 6 &&
              ((const double *)(const void *)d)[2] == 6);
    fb_csc_free(&A);
    fb_buf_free(&o);
}
END_TEST

START_TEST(level_5_bounds)
{
    const fb_matvar v = {.name = "big", .rank = 2, .dim = {100000, 100000}};
    fb_buf o = {.little = 1};
    fb_err e = {0};
    ck_assert_int_eq(fb_matfile_write(&o, 5, NULL, &v, 1, &e), FB_EFORMAT);
    ck_assert_str_eq(
        e.msg,
        "big has 10000000000 values, a MATLAB 5 variable holds 2 GiB: use --to mat --dialect 7.3");
    for (int over = 0; over < 2; over++) { /* the last number that fits is tried, and no memory */
        const fb_matvar w = {.name = "big", .rank = 1, .dim = {(INT32_MAX - 512) / 8 + over}};
        fb_alloc_fail_after = 0;
        ck_assert_int_eq(fb_matfile_write(&o, 5, NULL, &w, 1, &e), over ? FB_EFORMAT : FB_ESYS);
        fb_alloc_fail_after = -1;
    }
    for (int third = 0; third < 2; third++) { /* fields that fit, in a struct that does not */
        const fb_matvar field[3] = {{.name = "K", .rank = 2, .dim = {11000, 11000}},
                                    {.name = "M", .rank = 2, .dim = {11000, 11000}},
                                    {.name = "C", .rank = 2, .dim = {11000, 11000}}};
        fb_alloc_fail_after = 0;
        ck_assert_int_eq(fb_matfile_write(&o, 5, "body", field, 2 + third, &e),
                         third ? FB_EFORMAT : FB_ESYS);
        fb_alloc_fail_after = -1;
    }
    ck_assert_ptr_nonnull(strstr(e.msg, "body has 363000000 values"));
    fb_buf_free(&o);
}
END_TEST

START_TEST(level_4_matrix)
{
    static const double x[6] = {1, 2, 3, 4, 5, 6};
    static const int32_t head[5] = {0, 2, 3, 0, 3};
    const fb_matvar v = {.name = "Me", .rank = 2, .dim = {2, 3}, .x = x};
    fb_buf o = {.little = 1};
    fb_err e = {0};
    ck_assert_int_eq(fb_matfile_write(&o, 4, NULL, &v, 1, &e), FB_OK);
    ck_assert_int_eq(o.size, 20 + 3 + 48);
    ck_assert_mem_eq(o.data, head, 20);
    ck_assert_mem_eq(o.data + 20, "Me", 3);
    ck_assert_mem_eq(o.data + 23, ((const double[]){1, 4, 2, 5, 3, 6}), 48);
    fb_buf_free(&o);
}
END_TEST

/* The struct of Simscape: K in the order of dof, node by node. */
START_TEST(simscape_struct)
{
    fb_model b;
    fb_log log = {0};
    make_constrained(&b, NN, NM, (uint64_t)_i);
    const unsigned char *o = (const unsigned char *)text_of(&b, &fb_writer_simscape, NULL, &log),
                        *p, *d;
    char name[40], fields[8][32];
    int dim[4], class, n = 0, type, bytes;
    const double *y = NULL, *value[8];
    int count[8], rows[8];
    (void)mat5_variable(o + 128, name, dim, &class, &y, &n);
    ck_assert_str_eq(name, "body");
    ck_assert_int_eq(class, 2);
    p = mat5_element((const unsigned char *)y, &type, &bytes, &d);
    const int width = mat5_word(d);
    p = mat5_element(p, &type, &bytes, &d);
    ck_assert(width <= 32 && bytes == 8 * width);
    for (int k = 0; k < 8; k++)
        snprintf(fields[k], sizeof fields[k], "%.*s", width, (const char *)d + k * width);
    for (int k = 0; k < 8; k++) {
        p = mat5_variable(p, name, dim, &class, value + k, count + k);
        rows[k] = dim[0];
        ck_assert_str_eq(name, "");
    }
    ck_assert_str_eq(fields[0], "P");
    ck_assert(rows[0] == 2 && count[0] == 6 && value[0][2] == b.xyz[1] &&
              value[0][3] == b.xyz[3 * (NN - 1) + 1]);
    ck_assert(rows[1] == 2 && value[1][0] == 1 && value[1][2] == 0);
    ck_assert_str_eq(fields[2], "K");
    near_all(value[2], b.Kr, N * N, 1e-15, "K"); /* node by node is the order of reduce already */
    near_all(value[3], b.Mr, N * N, 1e-15, "M");
    near_all(value[4], b.Dr, N * N, 1e-15, "C");
    ck_assert_str_eq(fields[5], "dof");
    for (int k = 0; k < N; k++) {
        ck_assert(value[5][k] == (double)(k < 6 ? b.node_id[0] : k < 12 ? b.node_id[NN - 1] : 0));
        ck_assert(value[5][N + k] == (k < 12 ? k % 6 + 1 : k - 11));
    }
    ck_assert(count[7] == N && value[7][N - 1] == b.frequency[N - 1]);
    free((void *)(uintptr_t)o);
    fb_model_free(&b);
}
END_TEST

/* The files read by the project's readers: the same frequencies, to the format's digits. */
static void comes_back(const fb_model *b, const fb_reader *const *rd, const fb_buf *const *bytes,
                       int n, double tol)
{
    char name[4][8] = {"K.mtx", "M.mtx", "x", "y"};
    fb_parts p = {0};
    fb_model c = {0};
    fb_log log = {0};
    fb_err e = {0};
    for (int k = 0; k < n; k++) {
        fb_input in = {.data = bytes[k]->data, .size = (size_t)bytes[k]->size, .name = name[k]};
        ck_assert_msg(rd[k]->sniff(&in), "%s does not know it", rd[k]->name);
        ck_assert_msg(rd[k]->read(&in, &p, &log, &e) == FB_OK, "%s", e.msg);
    }
    if (n == 2) { /* matrices without names: K first */
        p.matrix[0].role = FB_ROLE_STIFFNESS;
        p.matrix[1].role = FB_ROLE_MASS;
    }
    ck_assert_msg(fb_parts_assemble(&p, &c, &log, &e) == FB_OK, "%s", e.msg);
    ck_assert_int_eq(c.ndof, N);
    fb_mat K = {0}, M = {0}, V = {0};
    double lambda[N];
    ck_assert_int_eq(fb_mat_new(&K, N, N, &e), FB_OK);
    ck_assert_int_eq(fb_mat_new(&M, N, N, &e), FB_OK);
    for (int64_t j = 0; j < N; j++) {
        for (int64_t q = c.K.p[j]; q < c.K.p[j + 1]; q++)
            K.x[c.K.i[q] + j * N] = K.x[j + c.K.i[q] * N] = c.K.x[q];
        for (int64_t q = c.M.p[j]; q < c.M.p[j + 1]; q++)
            M.x[c.M.i[q] + j * N] = M.x[j + c.M.i[q] * N] = c.M.x[q];
    }
    ck_assert_msg(fb_eig_dense(&K, &M, lambda, &V, &e) == FB_OK, "%s", e.msg);
    for (int k = 6; k < N; k++)
        ck_assert_double_eq_tol(sqrt(lambda[k]) / (2 * M_PI) / b->frequency[k], 1, tol);
    fb_mat_free(&K);
    fb_mat_free(&M);
    fb_mat_free(&V);
    fb_model_free(&c);
    fb_parts_free(&p);
    fb_log_free(&log);
}

/* A solid of Simscape without a list of its dofs: six of each frame in turn, then the modes, nodes
 * of their own behind. */
START_TEST(frames_label_the_rows)
{
    enum { F = 2, MODES = 3, ORDER = 6 * F + MODES };
    static double K[ORDER * ORDER];
    static const double P[3 * F] = {0, 0.1, 0.2, 1, 1.1, 1.2};
    const fb_matvar field[] = {{.name = "origins", .rank = 2, .dim = {F, 3}, .x = P},
                               {.name = "K", .rank = 2, .dim = {ORDER, ORDER}, .x = K},
                               {.name = "M", .rank = 2, .dim = {ORDER, ORDER}, .x = K}};
    char name[] = "solid.mat";
    fb_buf o = {.little = 1};
    fb_parts p = {0};
    fb_log log = {0};
    fb_err e = {0};
    for (int k = 0; k < ORDER; k++)
        K[k * (ORDER + 1)] = 1 + k;
    ck_assert_msg(fb_matfile_write(&o, 5, "body", field, 3, &e) == FB_OK, "%s", e.msg);
    fb_input in = {.data = o.data, .size = (size_t)o.size, .name = name};
    ck_assert_msg(fb_reader_matlab.read(&in, &p, &log, &e) == FB_OK, "%s", e.msg);
    ck_assert_int_eq(p.nmatrix, 2);
    ck_assert_ptr_nonnull(p.matrix[0].row.node);
    for (int k = 0; k < ORDER; k++) {
        ck_assert_int_eq(p.matrix[0].row.node[k], k < 6 * F ? 1 + k / 6 : F + 1 + k - 6 * F);
        ck_assert_int_eq(p.matrix[0].row.component[k], k < 6 * F ? 1 + k % 6 : 0);
    }
    fb_parts_free(&p);
    fb_log_free(&log);
    fb_buf_free(&o);
}
END_TEST

/* Matrix m of the parts is `want`, row by row as labelled; modal coordinates are nodes of their own
 * with `modal` as component. */
static void labelled(const fb_parts *p, int m, const double *want, int64_t modal, double tol)
{
    const fb_matrix *t = p->matrix + m;
    double A[N * N] = {0};
    int64_t at[N];
    ck_assert_int_eq(t->A.n, N);
    for (int k = 0; k < N; k++)
        at[k] = coordinate(t->row.node[k] < 0 ? 1310 - t->row.node[k] : t->row.node[k],
                           t->row.component[k], modal);
    for (int j = 0; j < N; j++)
        for (int64_t q = t->A.p[j]; q < t->A.p[j + 1]; q++) {
            const int64_t i = t->A.i[q];
            A[at[i] * N + at[j]] = t->A.x[q];
            if (t->A.upper)
                A[at[j] * N + at[i]] = t->A.x[q];
        }
    near_all(A, want, N * N, tol, t->name);
}

static void read_into(const fb_reader *rd, const fb_buf *o, fb_parts *p)
{
    char name[] = "x.mtx";
    fb_log log = {0};
    fb_err e = {0};
    fb_input in = {.data = o->data, .size = (size_t)o->size, .name = name};
    ck_assert_msg(rd->sniff(&in) && rd->read(&in, p, &log, &e) == FB_OK, "%s: %s", rd->name, e.msg);
    fb_log_free(&log);
}

START_TEST(labels_come_back)
{
    fb_model b;
    fb_buf o = {.little = 1};
    fb_files f = {0};
    fb_parts p = {0};
    fb_log log = {0};
    fb_err e = {0};
    double want[3][N * N];
    make_generic_boundary(&b, "SI", (uint64_t)_i);
    scaled(b.Kr, want[0]);
    scaled(b.Mr, want[1]);
    scaled(b.Dr, want[2]);
    ck_assert_int_eq(fb_writer_dmig.write(&b, &(fb_export){.dialect = "nastran"}, &o, &log, &e),
                     FB_OK);
    read_into(&fb_reader_dmig, &o, &p);
    ck_assert_int_eq(p.nmatrix, 4); /* and the loads */
    for (int m = 0; m < 3; m++)
        labelled(&p, m, want[m], 0, 1e-9);
    fb_parts_free(&p);
    ck_assert_int_eq(fb_writer_abaqus.files(&b, &(fb_export){.dialect = "matrix"}, &f, &log, &e),
                     FB_OK);
    for (int m = 0; m < 3; m++)
        read_into(&fb_reader_abaqus_matrix,
                  file_of(&f, (const char *[]){"K.mtx", "M.mtx", "C.mtx"}[m]), &p);
    ck_assert_int_eq(p.nmatrix, 3);
    for (int m = 0; m < 3; m++)
        labelled(&p, m, want[m], 1, 1e-15);
    fb_parts_free(&p);
    fb_files_free(&f);
    ck_assert_int_eq(fb_writer_abaqus.files(&b, &(fb_export){.dialect = "element"}, &f, &log, &e),
                     FB_OK);
    read_into(&fb_reader_user_element, file_of(&f, "element.inp"), &p);
    ck_assert_int_eq(p.nmatrix, 2);
    for (int m = 0; m < 2; m++)
        labelled(&p, m, want[m], 0, 1e-13);
    fb_parts_free(&p);
    fb_files_free(&f);
    fb_buf_free(&o);
    fb_log_free(&log);
    fb_model_free(&b);
}
END_TEST

START_TEST(frequencies_come_back)
{
    fb_model b;
    fb_buf o = {.little = 1};
    fb_files f = {0};
    fb_log log = {0};
    fb_err e = {0};
    const fb_export matrix = {.dialect = "matrix"}, element = {.dialect = "element"};
    make_constrained(&b, NN, NM, (uint64_t)_i);
    ck_assert_int_eq(fb_writer_dmig.write(&b, &(fb_export){.dialect = "nastran"}, &o, &log, &e),
                     FB_OK);
    comes_back(&b, (const fb_reader *[]){&fb_reader_dmig}, (const fb_buf *[]){&o}, 1, 1e-8);
    ck_assert_int_eq(fb_writer_abaqus.files(&b, &matrix, &f, &log, &e), FB_OK);
    comes_back(&b, (const fb_reader *[]){&fb_reader_abaqus_matrix, &fb_reader_abaqus_matrix},
               (const fb_buf *[]){file_of(&f, "K.mtx"), file_of(&f, "M.mtx")}, 2, 1e-11);
    fb_files_free(&f);
    ck_assert_int_eq(fb_writer_abaqus.files(&b, &element, &f, &log, &e), FB_OK);
    comes_back(&b, (const fb_reader *[]){&fb_reader_user_element},
               (const fb_buf *[]){file_of(&f, "element.inp")}, 1, 1e-10);
    fb_files_free(&f);
    ck_assert_int_eq(fb_writer_mm.files(&b, NULL, &f, &log, &e), FB_OK);
    comes_back(&b, (const fb_reader *[]){&fb_reader_mm, &fb_reader_mm},
               (const fb_buf *[]){file_of(&f, "K.mtx"), file_of(&f, "M.mtx")}, 2, 1e-11);
    fb_files_free(&f);
    fb_buf_free(&o);
    fb_log_free(&log);
    fb_model_free(&b);
}
END_TEST

/* A coordinate more that is a warping of node 10: it has no place among six dofs a node. */
START_TEST(a_seventh_component_is_refused)
{
    fb_model b;
    int64_t d = -1, k = 12;
    make_constrained(&b, NN, NM, 1);
    for (int moved = 0; moved < 3;) { /* a dof inside */
        d++;
        moved = 0;
        for (int64_t q = 0; q < b.nr; q++)
            moved += fabs(b.T[d + q * b.ndof]) > 1e-6;
    }
    for (int64_t q = 0; q < b.nr; q++)
        b.T[d + q * b.ndof] = q == k;
    b.dof_node[d] = 10;
    b.dof_component[d] = 7;
    b.kind[k] = FB_KIND_BOUNDARY;
    refused(&b, &fb_writer_simscape, NULL, "displacements and rotations of interface nodes alone");
    for (int64_t q = 0; q < b.nr; q++) /* one node */
        b.kind[q] = q < 6 || q == k ? FB_KIND_BOUNDARY : FB_KIND_NORMAL;
    refused(&b, &fb_writer_openfast, "flex5", "no dof 10.7");
    fb_model_free(&b);
}
END_TEST

START_TEST(what_breaks_the_assumptions_is_refused)
{
    fb_model b;
    make_held(&b, 5, 3, 1);
    refused(&b, &fb_writer_dmig, "nastran", "run reduce --cb N without --orthonormalize");
    fb_files f = {0};
    fb_log log = {0};
    fb_err e = {0};
    ck_assert_int_eq(fb_writer_abaqus.files(&b, &(fb_export){.dialect = "matrix"}, &f, &log, &e),
                     FB_EFORMAT);
    ck_assert_ptr_nonnull(strstr(e.msg, "run reduce --cb N without --orthonormalize"));
    fb_files_free(&f);
    refused(&b, &fb_writer_simscape, NULL, "run reduce --cb N without --orthonormalize");
    fb_model_free(&b);
    make_constrained(&b, NN, NM, 1);
    b.frequency[0] = 1;
    refused(&b, &fb_writer_simscape, NULL, "wants a free body with six rigid motions");
    b.frequency[0] = 0;
    b.kind[5] = FB_KIND_NORMAL;
    refused(&b, &fb_writer_simscape, NULL, "all six dofs of each interface node, 10.6 is missing");
    b.kind[5] = FB_KIND_BOUNDARY;
    b.node_id[0] = b.node_id[0] == 10 ? 9999 : b.node_id[0];
    refused(&b, &fb_writer_dmig, "nastran", "interface node 10 has no coordinates");
    refused(&b, &fb_writer_simscape, NULL, "interface node 10 has no coordinates");
    ck_assert_int_eq(fb_writer_abaqus.files(&b, &(fb_export){.dialect = "matrix"}, &f, &log, &e),
                     FB_EFORMAT);
    ck_assert_ptr_nonnull(strstr(e.msg, "interface node 10 has no coordinates"));
    fb_files_free(&f);
    b.node_id[0] = 10;
    b.T[b.ndof * 5 + 5] = 0; /* its own dof stays where it is */
    refused(&b, &fb_writer_dmig, "nastran",
            "constraint mode 6 is the displacement of no single dof");
    fb_model_free(&b);
}
END_TEST

START_TEST(memory_runs_out)
{
    static const struct {
        const fb_writer *w;
        const char *dialect;
    } way[] = {{&fb_writer_dmig, "nastran"},   {&fb_writer_simscape, NULL},
               {&fb_writer_mm, NULL},          {&fb_writer_abaqus, "matrix"},
               {&fb_writer_abaqus, "element"}, {&fb_writer_abaqus, "calculix"},
               {&fb_writer_openfast, "weight"}};
    const fb_export ask = {.dialect = way[_i].dialect};
    fb_model b;
    fb_buf o = {.little = 1};
    fb_files f = {0};
    fb_log log = {0};
    fb_err e = {0};
    fb_status s = FB_OK;
    int fails = 0;
    make_constrained(&b, 4, 1, 1);
    free(b.Dr); /* the element dialect would warn that it is left out, and a warning may be lost */
    b.Dr = NULL;
    for (int k = 6; _i == 6 && k < 12; k++) /* of one interface node */
        b.kind[k] = FB_KIND_NORMAL;
    if (_i == 6) /* else its lack would be warned of */
        b.gravity = calloc((size_t)(3 * b.nr), sizeof *b.gravity);
    if (_i < 2 || _i == 6)
        EVERY_ALLOCATION_FAILS_ONCE(s, fails, {
            fb_buf_free(&o);
            o.little = 1;
            s = way[_i].w->write(&b, &ask, &o, &log, &e);
        });
    else
        EVERY_ALLOCATION_FAILS_ONCE(s, fails, {
            fb_files_free(&f);
            s = way[_i].w->files(&b, &ask, &f, &log, &e);
            for (int64_t k = 0; !s && k < f.n; k++)
                s = fb_buf_status(&f.file[k].bytes, &e);
        });
    ck_assert_int_gt(fails, 5);
    fb_buf_free(&o);
    fb_files_free(&f);
    fb_log_free(&log);
    fb_model_free(&b);
}
END_TEST

/* Above all nodes, or in the lowest gap that is wide enough where those numbers have too many
 * digits. */
START_TEST(free_node_numbers)
{
    static const struct {
        int64_t id[4], n, most, first;
    } row[] = {
        {{1, 2, 5, 99999999}, 2, 999999999, 100000000},
        {{1, 2, 5, 99999999}, 2, 99999999, 3},
        {{99999999, 1, 2, 5}, 3, 99999999, 6},
        {{2, 3, 4, 9}, 1, 9, 1},
        {{1, 4, 6, 8}, 3, 8, 0},
        {{-7, -3, 1, 2}, 2, 4, 3},
        {{1, 2, 3, 4}, 0, 4, 5},
    };
    for (size_t k = 0; k < sizeof row / sizeof *row; k++) {
        int64_t id[4], first = -1;
        fb_err e = {0};
        memcpy(id, row[k].id, sizeof id);
        fb_model b = {.nn = 4, .node_id = id};
        ck_assert_int_eq(fb_free_nodes(&b, row[k].n, row[k].most, &first, &e), FB_OK);
        ck_assert_msg(first == row[k].first, "%zu: %lld", k, (long long)first);
    }
}
END_TEST

Suite *suite_matrices(void)
{
    Suite *s = suite_create("matrices");
    TCase *t = tcase_create("matrices");
    tcase_add_test(t, free_node_numbers);
    tcase_add_loop_test(t, boundary_coordinates_are_found, 0, 6);
    tcase_add_loop_test(t, calculix_adds_mass_where_stiffness_is, 0, 3);
    tcase_add_loop_test(t, dmig_holds_the_matrices, 0, 4);
    tcase_add_loop_test(t, abaqus_input_holds_the_matrices, 0, 4);
    tcase_add_loop_test(t, abaqus_element_holds_the_matrices, 0, 4);
    tcase_add_loop_test(t, abaqus_element_goes_node_by_node, 0, 2);
    tcase_add_test(t, abaqus_element_has_all_components);
    tcase_add_test(t, openfast_numbers_are_apart);
    tcase_add_test(t, real16_fits_and_is_right);
    tcase_add_loop_test(t, matrix_market_folder, 0, 4);
    tcase_add_test(t, sparse_models_are_written_too);
    tcase_add_test(t, level_5_values_in_column_order);
    tcase_add_test(t, level_5_sparse_has_both_triangles);
    tcase_add_test(t, level_5_bounds);
    tcase_add_test(t, level_4_matrix);
    tcase_add_loop_test(t, simscape_struct, 0, 4);
    tcase_add_test(t, frames_label_the_rows);
    tcase_add_loop_test(t, labels_come_back, 0, 2);
    tcase_add_loop_test(t, frequencies_come_back, 0, 4);
    tcase_add_test(t, a_seventh_component_is_refused);
    tcase_add_test(t, what_breaks_the_assumptions_is_refused);
    tcase_add_loop_test(t, memory_runs_out, 0, 7);
    suite_add_tcase(s, t);
    return s;
}
