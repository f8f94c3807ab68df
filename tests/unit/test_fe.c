/* SPDX-License-Identifier: GPL-3.0-or-later */
/* test_fe.c - Abaqus, CalculiX and Ansys exports: every real file against the reference values that
 * come with the data, found by name in REFERENCE.txt. */
#include "mnfparse/join/assemble.h"
#include "mnfparse/reader.h"
#include "tests/model/near.h"
#include "tests/suites.h"
#include <math.h>

/* ---- reading --------------------------------------------------------------------------- */

static fb_err e;
static fb_log hush;

static const fb_reader *reader_of(const char *path)
{
    fb_input in = {0};
    const fb_reader *r = NULL;
    ck_assert_msg(!fb_input_open(&in, path, &e), "%s", e.msg);
    if (fb_reader_find(&in, NULL, &r, &e))
        r = NULL;
    fb_input_close(&in);
    return r;
}

/* Reads one file of the shared data; 0 where the data is not here. */
static int read_shared(const char *file, fb_parts *p)
{
    fb_input in = {0};
    const fb_reader *r = NULL;
    const char *path = shared_file(file);
    if (!path)
        return 0;
    ck_assert_msg(!fb_input_open(&in, path, &e), "%s", e.msg);
    ck_assert_msg(!fb_reader_find(&in, NULL, &r, &e) && !r->read(&in, p, &hush, &e), "%s: %s", file,
                  e.msg);
    fb_input_close(&in);
    for (int64_t k = 0; k < p->nmatrix; k++)
        ck_assert_msg(!fb_csc_check(&p->matrix[k].A, file, &e), "%s", e.msg);
    return 1;
}

/* ---- what REFERENCE.txt says ------------------------------------------------------------ */

typedef struct {
    int64_t m, n, nnz;
    double norm, trace, top;
} facts;

/* The line "  K: 14x14 nnz_full=..." behind the first line that begins with the words of `where`
 * (separated by '/'), or NULL where the data is not here. */
static const char *find_line(const char *where, const char *line)
{
    char word[80];
    const char *p = shared_reference();
    if (!p)
        return NULL;
    for (; *where; where += *where == '/') {
        size_t n = strcspn(where, "/");
        snprintf(word, sizeof word, "\n%.*s", (int)n, where);
        p = strstr(p, word);
        ck_assert_msg(p != NULL, "REFERENCE.txt has no %s", word);
        p += strlen(word);
        where += n;
    }
    p = strstr(p, line);
    ck_assert_ptr_nonnull(p);
    return p + strlen(line);
}

static int wanted(const char *where, const char *line, facts *f)
{
    long long m, n, nnz;
    const char *p = find_line(where, line);
    if (!p)
        return 0;
    ck_assert_int_eq(6, sscanf(p, " %lldx%lld nnz_full=%lld |.|F=%lf trace=%lf maxabs=%lf", &m, &n,
                               &nnz, &f->norm, &f->trace, &f->top));
    f->m = m;
    f->n = n;
    f->nnz = nnz;
    return 1;
}

/* Entries of dofs with a support are left out, as every user of such a matrix must. */
static facts found(const fb_matrix *m)
{
    const fb_csc *A = &m->A;
    facts f = {.m = 0};
    double sum = 0;
    for (int64_t j = 0; j < A->n; j++) {
        if (m->row.class && m->row.class[j] == FB_DOF_FIXED)
            continue;
        f.m = ++f.n;
        for (int64_t q = A->p[j]; q < A->p[j + 1]; q++) {
            int64_t i = A->i[q], twice = A->upper && i != j ? 2 : 1;
            double x = A->x[q];
            if (m->row.class && m->row.class[i] == FB_DOF_FIXED)
                continue;
            f.nnz += twice;
            sum += (double)twice * x * x;
            f.trace += i == j ? x : 0;
            f.top = fabs(x) > f.top ? fabs(x) : f.top;
        }
    }
    f.norm = sqrt(sum);
    return f;
}

static void close_to(double x, double ref, double tol, const char *what)
{
    ck_assert_msg(fabs(x - ref) <= tol * fabs(ref), "%s: %.15g, reference %.15g", what, x, ref);
}

/* ---- every file -------------------------------------------------------------------------- */

static const struct {
    const char *file, *where, *line; /* line NULL: "K:" for a stiffness, "M:" for a mass */
} files[] = {
    {"01_abaqus_mi_beam_b33/model_STIF1.mtx", "01_abaqus_mi_beam_b33", "  K:"},
    {"01_abaqus_mi_beam_b33/model_MASS1.mtx", "01_abaqus_mi_beam_b33", "  M:"},
    {"03_abaqus_coord_block/blockC3D4_STIF1.mtx", "03_abaqus_coord_block/  C3D4", "  K:"},
    {"03_abaqus_coord_block/blockC3D4_MASS1.mtx", "03_abaqus_coord_block/  C3D4", "  M:"},
    {"03_abaqus_coord_block/blockC3D8_STIF1.mtx", "03_abaqus_coord_block/  C3D8", "  K:"},
    {"03_abaqus_coord_block/blockC3D8_MASS1.mtx", "03_abaqus_coord_block/  C3D8", "  M:"},
    {"03_abaqus_coord_block/blockC3D10_STIF1.mtx", "03_abaqus_coord_block/  C3D10", "  K:"},
    {"03_abaqus_coord_block/blockC3D10_MASS1.mtx", "03_abaqus_coord_block/  C3D10", "  M:"},
    {"04_abaqus_coord_rotor/rotorDiscTestSTIF1.mtx", "04_abaqus_coord_rotor", "  K:"},
    {"04_abaqus_coord_rotor/rotorDiscTestMASS1.mtx", "04_abaqus_coord_rotor", "  M:"},
    {"10_ccx_cant_c3d20/cant_c3d20_sto.sti", "10_ccx_cant_c3d20", "  K:"},
    {"10_ccx_cant_c3d20/cant_c3d20_sto.mas", "10_ccx_cant_c3d20", "  M:"},
    {"11_ccx_free_c3d8i/free_c3d8i_sto.sti", "11_ccx_free_c3d8i", "  K:"},
    {"11_ccx_free_c3d8i/free_c3d8i_sto.mas", "11_ccx_free_c3d8i", "  M:"},
    {"12_ccx_b32/b32_sto.sti", "12_ccx_b32", "  K:"},
    {"12_ccx_b32/b32_sto.mas", "12_ccx_b32", "  M:"},
    {"13_ccx_s8r/s8r_sto.sti", "13_ccx_s8r", "  K:"},
    {"13_ccx_s8r/s8r_sto.mas", "13_ccx_s8r", "  M:"},
    {"14_ccx_rigid_ends/rigid_ends_sto.sti", "14_ccx_rigid_ends", "  K:"},
    {"14_ccx_rigid_ends/rigid_ends_sto.mas", "14_ccx_rigid_ends", "  M:"},
    {"15_ccx_substructure/subsfull_sto.sti", "15_ccx_substructure", "  K:"},
    {"15_ccx_substructure/subsfull_sto.mas", "15_ccx_substructure", "  M:"},
    {"15_ccx_substructure/subs_ue_v220_UNCONDENSED.mtx", "15 substructure files/  subs_ue_v220",
     "  K:"},
    {"15_ccx_substructure/subs_ue_dev.mtx", "15 substructure files/  subs_ue_dev", "  K:"},
    {"15_ccx_substructure/subs_mi_dev.mtx", "15 substructure files/  subs_mi_dev", "  K:"},
    {"17_mbsim_ccx_beam/calculix.sti", "17_mbsim_ccx_beam", "  K:"},
    {"17_mbsim_ccx_beam/calculix.mas", "17_mbsim_ccx_beam", "  M:"},
    {"23_synthetic/bc1e36_STIF1.mtx", "23_synthetic/   bc1e36", "rows:"},
    {"23_synthetic/upper_D_crlf_STIF1.mtx", "23_synthetic/   upper_D", "  K:"},
    {"23_synthetic/square_STIF1.mtx", "23_synthetic/   square", "  K:"},
};
enum { NFILES = sizeof files / sizeof *files };

START_TEST(matrices_are_those_of_the_reference)
{
    char path[160];
    fb_parts p = {0};
    facts want;
    snprintf(path, sizeof path, "abaqus/%s", files[_i].file);
    if (!wanted(files[_i].where, files[_i].line, &want) || !read_shared(path, &p))
        return;
    ck_assert_int_eq(p.nmatrix, 1);
    const fb_matrix *m = p.matrix;
    facts f = found(m);
    ck_assert_int_eq(f.m, want.m);
    ck_assert_int_eq(f.n, want.n);
    ck_assert_int_eq(f.nnz, want.nnz);
    ck_assert_int_eq(m->A.upper, 1);
    close_to(f.norm, want.norm, 1e-12, path);
    close_to(f.trace, want.trace, 1e-12, path);
    close_to(f.top, want.top, 1e-9, path); /* ten digits in the reference */
    int mass = files[_i].line[2] == 'M';
    ck_assert_int_eq(m->role != FB_ROLE_UNKNOWN ? m->role
                     : m->hint                  ? m->hint
                                                : FB_ROLE_STIFFNESS,
                     mass ? FB_ROLE_MASS : FB_ROLE_STIFFNESS);
    fb_parts_free(&p);
}
END_TEST

static const struct {
    const char *file, *format;
} kinds[] = {
    {"01_abaqus_mi_beam_b33/model.inp", "inp"},
    {"01_abaqus_mi_beam_b33/model_STIF1.mtx", "abaqus_matrix"},
    {"03_abaqus_coord_block/blockC3D10.inp", "inp"},
    {"03_abaqus_coord_block/blockC3D10_MASS1.mtx", "coordinate"},
    {"03_abaqus_coord_block/blockC3D4_MASS1.mtx", "coordinate"},
    {"04_abaqus_coord_rotor/rotorDiscTestSTIF1.mtx", "coordinate"},
    {"05_ansys_mmf_rotor/rotorAnsysMatrixDofMappingVector.txt", "ansys_vector"},
    {"05_ansys_mmf_rotor/rotorAnsysNodalCoordinates.txt", "ansys_nodes"},
    {"10_ccx_cant_c3d20/cant_c3d20_sto.sti", "coordinate"},
    {"10_ccx_cant_c3d20/cant_c3d20_sto.dof", "ccx_dof"},
    {"10_ccx_cant_c3d20/cant_c3d20_sto.inp", "inp"},
    {"11_ccx_free_c3d8i/free_c3d8i_sto.dof", "ccx_dof"},
    {"12_ccx_b32/b32_sto.dof", "ccx_dof"},
    {"13_ccx_s8r/s8r_sto.dof", "ccx_dof"},
    {"15_ccx_substructure/subs_ue_dev.mtx", "user_element"},
    {"15_ccx_substructure/subs_ue_v220_UNCONDENSED.mtx", "user_element"},
    {"15_ccx_substructure/subs_mi_dev.mtx", "abaqus_matrix"},
    {"15_ccx_substructure/subs2.inp", "inp"},
    {"17_mbsim_ccx_beam/calculix.frd", "frd"},
    {"17_mbsim_ccx_beam/calculix.dof", "ccx_dof"},
    {"23_synthetic/bc1e36_STIF1.mtx", "abaqus_matrix"},
    {"23_synthetic/square_STIF1.mtx", "abaqus_matrix"},
    {"23_synthetic/upper_D_crlf_STIF1.mtx", "abaqus_matrix"},
};

START_TEST(formats_are_told_from_the_bytes)
{
    char file[160];
    snprintf(file, sizeof file, "abaqus/%s", kinds[_i].file);
    const char *path = shared_file(file);
    if (!path)
        return;
    const fb_reader *r = reader_of(path);
    ck_assert_ptr_nonnull(r);
    ck_assert_str_eq(r->name, kinds[_i].format);
}
END_TEST

/* Files of other kinds, many of them .mtx too: none is taken by a reader of this group. */
static const char *const others[] = {
    "abaqus/05_ansys_mmf_rotor/rotorAnsysStiffnessMatrixSparse.txt",
    "abaqus/05_ansys_mmf_rotor/rotorAnsysElements.txt",
    "abaqus/10_ccx_cant_c3d20/cant_c3d20_frq.dat",
    "abaqus/14_ccx_rigid_ends/rigid6x6.txt",
    "abaqus/19_matrix_market_hb/3by0.mtx",
    "abaqus/19_matrix_market_hb/bcsstk01.rsa",
    "abaqus/19_matrix_market_hb/can___24.mtx",
    "abaqus/19_matrix_market_hb/fullcrud.mtx",
    "abaqus/19_matrix_market_hb/fullcrud1.mtx",
    "abaqus/19_matrix_market_hb/lp_afiro.rra",
    "abaqus/20_mat/cant_KM_v5_plain.mat",
    "abaqus/20_mat/cant_KM_v73_imitation.mat",
    "abaqus/20_mat/testsparse_4.2c_SOL2.mat",
    "abaqus/21_unv/cant_modes_synthetic.unv",
    "abaqus/21_unv/binary8byte.uff",
    "abaqus/23_synthetic/array_general.mtx",
    "abaqus/23_synthetic/cant_M_general.mtx",
    "abaqus/23_synthetic/dup_sum.mtx",
    "abaqus/REFERENCE.txt",
    "cases/g04_k6_m3.pch",
    "cases/g07_interface.txt",
    "cases/g09_real_forms.dmig",
    "cases/g12_K.mtx",
    "cases/g13_nodes_m.csv",
    "cases/g14_nodes.csv",
};

START_TEST(other_formats_are_left_alone)
{
    static const char *const mine[] = {"frd",         "ansys_vector", "ansys_mapping",
                                       "ansys_nodes", "user_element", "abaqus_matrix",
                                       "inp",         "ccx_dof",      "coordinate"};
    const char *path = shared_file(others[_i]);
    const fb_reader *r = path ? reader_of(path) : NULL;
    for (size_t k = 0; r && k < sizeof mine / sizeof *mine; k++)
        ck_assert_msg(strcmp(r->name, mine[k]) != 0, "%s taken by %s", others[_i], r->name);
}
END_TEST

/* ---- frequencies ------------------------------------------------------------------------ */

static void dense(const fb_csc *A, int64_t n, double shift, fb_mat *out)
{
    if (!out->x)
        ck_assert_int_eq(fb_mat_new(out, n, n, &e), FB_OK);
    for (int64_t j = 0; j < A->n; j++)
        for (int64_t q = A->p[j]; q < A->p[j + 1]; q++) {
            out->x[A->i[q] + j * n] += shift * A->x[q];
            if (A->upper && A->i[q] != j)
                out->x[j + A->i[q] * n] += shift * A->x[q];
        }
}

static int descending(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x < y) - (x > y);
}

/* (FE.1) M x = mu (K + s M) x, lambda = 1/mu - s: K and M may be singular. Ascending, in Hz. */
static void frequencies(const fb_csc *K, const fb_csc *M, double s, int64_t count, double *hz)
{
    int64_t n = K->n;
    fb_mat Md = {0}, Ks = {0}, V = {0};
    double *mu = NULL;
    dense(M, n, 1, &Md);
    dense(K, n, 1, &Ks);
    dense(M, n, s, &Ks);
    ck_assert_int_eq(fb_new(&mu, n, sizeof *mu, "mu", &e), FB_OK);
    ck_assert_msg(!fb_eig_dense(&Md, &Ks, mu, &V, &e), "%s", e.msg);
    qsort(mu, (size_t)n, sizeof *mu, descending);
    for (int64_t k = 0; k < count; k++) {
        double lambda = 1 / mu[k] - s;
        hz[k] = (lambda < 0 ? -1 : 1) * sqrt(fabs(lambda)) / 6.283185307179586;
    }
    free(mu);
    fb_mat_free(&Md);
    fb_mat_free(&Ks);
    fb_mat_free(&V);
}

static const struct {
    const char *K, *M, *where;
} pairs[] = {
    {"01_abaqus_mi_beam_b33/model_STIF1.mtx", "01_abaqus_mi_beam_b33/model_MASS1.mtx",
     "01_abaqus_mi_beam_b33"},
    {"04_abaqus_coord_rotor/rotorDiscTestSTIF1.mtx", "04_abaqus_coord_rotor/rotorDiscTestMASS1.mtx",
     "04_abaqus_coord_rotor"},
    {"10_ccx_cant_c3d20/cant_c3d20_sto.sti", "10_ccx_cant_c3d20/cant_c3d20_sto.mas",
     "10_ccx_cant_c3d20"},
    {"11_ccx_free_c3d8i/free_c3d8i_sto.sti", "11_ccx_free_c3d8i/free_c3d8i_sto.mas",
     "11_ccx_free_c3d8i"},
    {"12_ccx_b32/b32_sto.sti", "12_ccx_b32/b32_sto.mas", "12_ccx_b32"},
    {"13_ccx_s8r/s8r_sto.sti", "13_ccx_s8r/s8r_sto.mas", "13_ccx_s8r"},
    {"14_ccx_rigid_ends/rigid_ends_sto.sti", "14_ccx_rigid_ends/rigid_ends_sto.mas",
     "14_ccx_rigid_ends"},
    {"15_ccx_substructure/subsfull_sto.sti", "15_ccx_substructure/subsfull_sto.mas",
     "15_ccx_substructure"},
    {"03_abaqus_coord_block/blockC3D8_STIF1.mtx", "03_abaqus_coord_block/blockC3D8_MASS1.mtx",
     "03_abaqus_coord_block/  C3D8"},
    {"17_mbsim_ccx_beam/calculix.sti", "17_mbsim_ccx_beam/calculix.mas", "17_mbsim_ccx_beam"},
};

/* Against the first ten of the list; rigid-body modes there are round-off and only must stay small.
 * */
START_TEST(frequencies_are_those_of_the_reference)
{
    enum { COUNT = 10 };
    char K[160], M[160];
    double hz[COUNT], want[COUNT], top = 0;
    fb_parts p = {0};
    snprintf(K, sizeof K, "abaqus/%s", pairs[_i].K);
    snprintf(M, sizeof M, "abaqus/%s", pairs[_i].M);
    const char *line = find_line(pairs[_i].where, "f[Hz] = [");
    if (!line || !read_shared(K, &p) || !read_shared(M, &p))
        return;
    for (int k = 0; k < COUNT; k++) {
        char *end;
        want[k] = strtod(line, &end);
        ck_assert_ptr_ne(end, line);
        line = end;
        top = fabs(want[k]) > top ? fabs(want[k]) : top;
    }
    /* A shift near the roots that are wanted: 1/mu - s loses little. */
    frequencies(&p.matrix[0].A, &p.matrix[1].A, 4e1 * fabs(want[7]) * fabs(want[7]), COUNT, hz);
    for (int k = 0; k < COUNT; k++) {
        if (fabs(want[k]) < 0.5)
            ck_assert_msg(fabs(hz[k]) < 1e-4 * top, "%s: mode %d at %g Hz", pairs[_i].where, k + 1,
                          hz[k]);
        else
            close_to(hz[k], want[k], 1e-6, pairs[_i].where);
    }
    fb_parts_free(&p);
}
END_TEST

/* ---- whole models: files, labels, checks, and the sparse engine -------------------------- */

static const struct {
    const char *where; /* in REFERENCE.txt */
    const char *folder, *file[5];
    int64_t ndof;
    double mass;         /* of each direction; 0: dofs repeat or have rotations of their own */
    const char *refused; /* what the engine says instead */
} models[] = {
    {"01_abaqus_mi_beam_b33",
     "01_abaqus_mi_beam_b33",
     {"model_STIF1.mtx", "model_MASS1.mtx", "model.inp"},
     14,
     0,
     NULL},
    {"03_abaqus_coord_block/  C3D4",
     "03_abaqus_coord_block",
     {"blockC3D4_STIF1.mtx", "blockC3D4_MASS1.mtx", "blockC3D4.inp"},
     642,
     11600,
     NULL},
    {"03_abaqus_coord_block/  C3D8",
     "03_abaqus_coord_block",
     {"blockC3D8_STIF1.mtx", "blockC3D8_MASS1.mtx", "blockC3D8.inp"},
     528,
     11600,
     NULL},
    {"03_abaqus_coord_block/  C3D10",
     "03_abaqus_coord_block",
     {"blockC3D10_MASS1.mtx", "blockC3D10.inp", "blockC3D10_STIF1.mtx"},
     771,
     11600,
     NULL},
    {"04_abaqus_coord_rotor",
     "04_abaqus_coord_rotor",
     {"rotorDiscTestSTIF1.mtx", "rotorDiscTestMASS1.mtx", "rotorDiscTest.inp"},
     345,
     0,
     NULL},
    {"05_ansys_mmf_rotor",
     "05_ansys_mmf_rotor",
     {"rotorAnsysStiffnessMatrixSparse.txt", "rotorAnsysMassMatrixSparse.txt",
      "rotorAnsysMatrixDofMappingVector.txt", "rotorAnsysNodalCoordinates.txt"},
     345,
     0,
     NULL},
    {"10_ccx_cant_c3d20",
     "10_ccx_cant_c3d20",
     {"cant_c3d20_sto.sti", "cant_c3d20_sto.mas", "cant_c3d20_sto.dof", "cant_c3d20_sto.inp"},
     288,
     2.296125,
     NULL},
    {"11_ccx_free_c3d8i",
     "11_ccx_free_c3d8i",
     {"free_c3d8i_sto.sti", "free_c3d8i_sto.mas", "free_c3d8i_sto.dof", "free_c3d8i_sto.inp"},
     405,
     4.71,
     NULL},
    {"12_ccx_b32",
     "12_ccx_b32",
     {"b32_sto.sti", "b32_sto.mas", "b32_sto.dof", "b32_sto.inp"},
     294,
     0,
     NULL},
    {"13_ccx_s8r",
     "13_ccx_s8r",
     {"s8r_sto.sti", "s8r_sto.mas", "s8r_sto.dof", "s8r_sto.inp"},
     233,
     0,
     NULL},
    {"14_ccx_rigid_ends",
     "14_ccx_rigid_ends",
     {"rigid_ends_sto.sti", "rigid_ends_sto.mas", "rigid_ends_sto.dof", "rigid_ends_sto.inp"},
     204,
     2.355,
     NULL},
    {"15_ccx_substructure",
     "15_ccx_substructure",
     {"subsfull_sto.sti", "subsfull_sto.mas", "subsfull_sto.dof", "subsfull_sto.inp"},
     168,
     2.355,
     "is singular"}, /* C3D20R: five hourglass motions have neither stiffness nor mass */
    {"17_mbsim_ccx_beam",
     "17_mbsim_ccx_beam",
     {"calculix.sti", "calculix.mas", "calculix.dof", "calculix.frd"},
     783,
     93600,
     NULL},
};

static int assembled(int k, fb_model *b)
{
    char path[160];
    fb_parts p = {0};
    for (int f = 0; models[k].file[f]; f++) {
        snprintf(path, sizeof path, "abaqus/%s/%s", models[k].folder, models[k].file[f]);
        if (!read_shared(path, &p))
            return 0;
    }
    ck_assert_msg(!fb_parts_assemble(&p, b, &hush, &e), "%s: %s", models[k].folder, e.msg);
    fb_parts_free(&p);
    return 1;
}

/* Every frequency that is listed; the roles come from the names, the rows from the labels. */
START_TEST(models_have_the_frequencies_of_the_reference)
{
    enum { MOST = 32 };
    fb_model b = {0};
    fb_eig r = {0};
    double want[MOST];
    int64_t n = 0;
    const char *line = find_line(models[_i].where, "f[Hz] = [");
    if (!line || !assembled(_i, &b))
        return;
    for (char *end; n < MOST; n++) {
        want[n] = strtod(line, &end);
        if (end == line)
            break;
        line = end;
    }
    n = n < b.ndof ? n : b.ndof;
    fb_eig_opts o = {.k = n};
    ck_assert_int_eq(b.ndof, models[_i].ndof);
    fb_status s = fb_eig_sparse(&b.K, &b.M, &o, &r, &e);
    if (models[_i].refused) {
        ck_assert_int_eq(s, FB_ESOLVE);
        ck_assert_msg(strstr(e.msg, models[_i].refused) != NULL, "%s", e.msg);
        n = 0;
    } else {
        ck_assert_msg(!s, "%s: %s", models[_i].where, e.msg);
        ck_assert_int_ge(r.n, n);
    }
    for (int64_t k = 0; k < n; k++) {
        double hz = sqrt(fmax(r.lambda[k], 0)) / 6.283185307179586;
        if (fabs(want[k]) < 0.5)
            ck_assert_int_lt(k, r.nrigid);
        else
            close_to(hz, want[k], 1e-6, models[_i].where);
    }
    for (int a = 0; models[_i].mass > 0 && a < 3; a++)
        close_to(b.total_mass[a], models[_i].mass, 1e-8, "mass");
    fb_eig_free(&r);
    fb_model_free(&b);
}
END_TEST

/* K r of bodies that are free, and of one that is clamped in its deck but not in its matrices. */
START_TEST(rigid_motion_tells_the_free_from_the_held)
{
    for (int k = 0; k < (int)(sizeof models / sizeof *models); k++) {
        fb_model b = {0};
        double worst = 0;
        int held =
            k >= 6 && strstr("10_ccx_cant_c3d20 12_ccx_b32 13_ccx_s8r", models[k].folder) != NULL;
        fb_log_free(&hush);
        if (!assembled(k, &b))
            return;
        for (int64_t a = 0; b.rigid_residual && a < b.nmotion; a++)
            worst = fmax(worst, b.rigid_residual[a]);
        ck_assert_msg(held == (worst > 1e-4) || !b.rigid_residual, "%s: %g", models[k].folder,
                      worst);
        for (int64_t w = 0; w < hush.nwarning; w++)
            ck_assert_msg(held || !strstr(hush.warning[w], "resists rigid motion"), "%s: %s",
                          models[k].folder, hush.warning[w]);
        fb_model_free(&b);
    }
    fb_log_free(&hush);
}
END_TEST

/* Craig-Bampton form with its modal coupling at round-off: every row is looked at, nothing is
 * alarmed. */
START_TEST(noise_is_no_coupling)
{
    fb_parts p = {0};
    fb_model b = {0};
    fb_log_free(&hush);
    if (!read_shared("abaqus/20_mat/rofs_beam.mat", &p))
        return;
    ck_assert_msg(!fb_parts_assemble(&p, &b, &hush, &e), "%s", e.msg);
    ck_assert_ptr_nonnull(b.rigid_residual);
    for (int a = 0; a < 6; a++)
        ck_assert_double_lt(b.rigid_residual[a], 1e-7);
    ck_assert_int_eq(hush.nwarning, 0);
    fb_parts_free(&p);
    fb_model_free(&b);
}
END_TEST

/* ---- labels, coordinates, sets ----------------------------------------------------------- */

START_TEST(internal_nodes_keep_their_class)
{
    fb_parts p = {0};
    if (!read_shared("abaqus/01_abaqus_mi_beam_b33/model_STIF1.mtx", &p))
        return;
    static const int64_t node[14] = {-1, -1, 1, 1, 1, 1, 1, 1, 2, 2, 2, 2, 2, 2};
    static const int64_t component[14] = {1, 2, 1, 2, 3, 4, 5, 6, 1, 2, 3, 4, 5, 6};
    const fb_labels *r = &p.matrix[0].row;
    for (int k = 0; k < 14; k++) {
        ck_assert_int_eq(r->node[k], node[k]);
        ck_assert_int_eq(r->component[k], component[k]);
        ck_assert_int_eq(r->class[k], node[k] < 0 ? FB_DOF_INTERNAL : FB_DOF_PHYSICAL);
    }
    fb_parts_free(&p);
}
END_TEST

START_TEST(supports_are_marked)
{
    fb_parts p = {0};
    int64_t fixed = 0;
    if (!read_shared("abaqus/23_synthetic/bc1e36_STIF1.mtx", &p))
        return;
    ck_assert_int_eq(p.matrix[0].role, FB_ROLE_STIFFNESS);
    for (int64_t k = 0; k < p.matrix[0].A.n; k++)
        fixed += p.matrix[0].row.class[k] == FB_DOF_FIXED;
    ck_assert_int_eq(fixed, 6);
    fb_parts_free(&p);
}
END_TEST

/* Case g05: component 2 has explicit zeros in both matrices; the rows stay, without entries. */
START_TEST(rows_of_zeros_stay)
{
    fb_parts p = {0};
    if (!read_shared("cases/g05_STIF.mtx", &p) || !read_shared("cases/g05_MASS.mtx", &p))
        return;
    for (int k = 0; k < 2; k++) {
        const fb_matrix *m = p.matrix + k;
        ck_assert_int_eq(m->A.n, 10);
        ck_assert_int_eq(m->hint, k ? FB_ROLE_MASS : FB_ROLE_STIFFNESS);
        for (int64_t r = 0; r < 10; r++)
            ck_assert_int_eq(m->A.p[r + 1] > m->A.p[r], m->row.component[r] == 1);
    }
    fb_parts_free(&p);
}
END_TEST

/* Case g06: rows of multipliers are internal and have no diagonal. */
START_TEST(multipliers_are_internal)
{
    fb_parts p = {0};
    if (!read_shared("cases/g06_STIF.mtx", &p))
        return;
    const fb_matrix *m = p.matrix;
    ck_assert_int_eq(m->A.n, 8);
    for (int64_t k = 0; k < 8; k++)
        ck_assert_int_eq(m->row.class[k], k < 2 ? FB_DOF_INTERNAL : FB_DOF_PHYSICAL);
    ck_assert_int_eq(m->row.node[0], -2);
    ck_assert_int_eq(m->A.p[2], 0);
    fb_parts_free(&p);
}
END_TEST

static double sum_of(const fb_matrix *M, const fb_labels *row, int64_t component, int64_t upto)
{
    double sum = 0;
    for (int64_t j = 0; j < M->A.n; j++)
        for (int64_t q = M->A.p[j]; q < M->A.p[j + 1]; q++) {
            int64_t i = M->A.i[q];
            if (row->component[i] == component && row->component[j] == component &&
                row->node[i] <= upto && row->node[j] <= upto)
                sum += M->A.x[q] * (i != j ? 2 : 1);
        }
    return sum;
}

/* Masses of REFERENCE.txt; C3D8I has internal nodes above the deck's. */
START_TEST(masses_by_the_dof_table)
{
    static const struct {
        const char *dof, *mas;
        int64_t upto;
        double mass;
    } row[] = {
        {"abaqus/10_ccx_cant_c3d20/cant_c3d20_sto.dof",
         "abaqus/10_ccx_cant_c3d20/cant_c3d20_sto.mas", INT64_MAX, 2.296125},
        {"abaqus/11_ccx_free_c3d8i/free_c3d8i_sto.dof",
         "abaqus/11_ccx_free_c3d8i/free_c3d8i_sto.mas", INT64_MAX, 42.39},
        {"abaqus/11_ccx_free_c3d8i/free_c3d8i_sto.dof",
         "abaqus/11_ccx_free_c3d8i/free_c3d8i_sto.mas", 287, 4.71},
        {"abaqus/15_ccx_substructure/subsfull_sto.dof",
         "abaqus/15_ccx_substructure/subsfull_sto.mas", INT64_MAX, 2.355},
        {"abaqus/17_mbsim_ccx_beam/calculix.dof", "abaqus/17_mbsim_ccx_beam/calculix.mas",
         INT64_MAX, 93600},
    };
    for (size_t k = 0; k < sizeof row / sizeof *row; k++) {
        fb_parts p = {0};
        if (!read_shared(row[k].dof, &p) || !read_shared(row[k].mas, &p))
            return;
        ck_assert_msg(!fb_table_fit(&p, p.matrix, &e), "%s", e.msg);
        for (int64_t c = 1; c <= 3; c++)
            close_to(sum_of(p.matrix, &p.table, c, row[k].upto), row[k].mass, 1e-10, row[k].mas);
        fb_parts_free(&p);
    }
}
END_TEST

START_TEST(repeated_labels_become_internal)
{
    static const struct {
        const char *file;
        int64_t n, physical;
    } row[] = {{"abaqus/12_ccx_b32/b32_sto.dof", 294, 0},
               {"abaqus/13_ccx_s8r/s8r_sto.dof", 233, 5}};
    for (int k = 0; k < 2; k++) {
        fb_parts p = {0};
        int64_t physical = 0;
        if (!read_shared(row[k].file, &p))
            return;
        ck_assert_int_eq(p.ntable, row[k].n);
        for (int64_t q = 0; q < p.ntable; q++)
            physical += p.table.class[q] == FB_DOF_PHYSICAL;
        ck_assert_int_eq(physical, row[k].physical);
        fb_parts_free(&p);
    }
}
END_TEST

/* Plates of 1 x 0.1 x 0.01 m of steel: 7.85 kg. S4 has incompatible modes, S8R rigid ends. */
START_TEST(shells_weigh_what_is_drawn)
{
    static const char *const name[] = {"s4x", "s8rb"}, *const end[] = {"sti", "mas", "dof", "inp"};
    fb_parts p = {0};
    fb_model b = {0};
    for (int k = 0; k < 4; k++) {
        char path[100];
        snprintf(path, sizeof path, "reports/f01_ccx_expanded_rigid_motion/%s.%s", name[_i],
                 end[k]);
        if (!read_shared(path, &p))
            return;
    }
    ck_assert_msg(!fb_parts_assemble(&p, &b, &hush, &e), "%s", e.msg);
    ck_assert_int_eq(b.nmotion, 6);
    for (int k = 0; k < 6; k++) /* K has 14 digits */
        ck_assert_double_lt(b.rigid_residual[k], 1e-11);
    for (int a = 0; a < 3; a++)
        close_to(b.total_mass[a], 7.85, 1e-9, name[_i]);
    close_to(b.mass_center[0], 0.5, 1e-9, name[_i]);
    fb_model_free(&b);
    fb_parts_free(&p);
}
END_TEST

static int64_t row_of(const fb_labels *t, int64_t n, int64_t node, int64_t component)
{
    for (int64_t k = 0; k < n; k++)
        if (t->node[k] == node && t->component[k] == component)
            return k;
    return -1;
}

static const double *xyz_of(const fb_parts *p, int64_t node)
{
    for (int64_t k = 0; k < p->nn; k++)
        if (p->node_id[k] == node)
            return p->xyz + 3 * k;
    ck_abort_msg("node %lld is missing", (long long)node);
}

/* CalculiX *RIGID BODY: with the rotation nodes renamed to rotations of the reference nodes, K R =
 * 0 and M R gives the mass 2.355. */
START_TEST(rotation_nodes_are_rotations)
{
    fb_parts p = {0};
    static const char *const file[] = {"dof", "inp", "sti", "mas"};
    for (int k = 0; k < 4; k++) {
        char path[100];
        snprintf(path, sizeof path, "abaqus/14_ccx_rigid_ends/rigid_ends_sto.%s", file[k]);
        if (!read_shared(path, &p))
            return;
    }
    ck_assert_int_eq(p.nrot, 2);
    ck_assert_msg(!fb_table_fit(&p, p.matrix, &e) && !fb_table_fit(&p, p.matrix + 1, &e), "%s",
                  e.msg);
    int64_t n = p.ntable;
    ck_assert_int_eq(row_of(&p.table, n, 1002, 1), -1);
    for (int64_t c = 1; c <= 6; c++)
        ck_assert_int_ge(row_of(&p.table, n, 2001, c), 0);
    double *R = calloc((size_t)(12 * n), sizeof *R), *KR = R + 6 * n, top = 0, worst = 0, mass = 0;
    for (int64_t k = 0; k < n; k++) {
        const double *x = xyz_of(&p, p.table.node[k]);
        int64_t c = p.table.component[k] - 1;
        R[c * n + k] = 1;
        if (c < 3) {
            R[(3 + (c + 1) % 3) * n + k] = x[(c + 2) % 3];
            R[(3 + (c + 2) % 3) * n + k] = -x[(c + 1) % 3];
        }
    }
    fb_csc_mul(&p.matrix[0].A, R, n, KR, n, 6);
    for (int64_t q = 0; q < p.matrix[0].A.p[n]; q++)
        top = fmax(top, fabs(p.matrix[0].A.x[q]));
    for (int64_t q = 0; q < 6 * n; q++)
        worst = fmax(worst, fabs(KR[q]));
    ck_assert_double_lt(worst / top, 1e-12);
    memset(KR, 0, (size_t)(6 * n) * sizeof *KR);
    fb_csc_mul(&p.matrix[1].A, R, n, KR, n, 6);
    for (int64_t k = 0; k < n; k++)
        mass += R[k] * KR[k];
    close_to(mass, 2.355, 1e-10, "mass");
    free(R);
    fb_parts_free(&p);
}
END_TEST

static int warnings;

static void count_warnings(void *self, int is_warning, const char *line)
{
    (void)self;
    (void)line;
    warnings += is_warning;
}

/* Version 2.20 writes the block of the full stiffness: it resists rigid-body motion. */
START_TEST(uncondensed_substructures_are_seen)
{
    static const struct {
        const char *file;
        int warned;
    } row[] = {{"subs_ue_v220_UNCONDENSED", 1}, {"subs_ue_dev", 0}};
    for (int k = 0; k < 2; k++) {
        char path[100];
        fb_parts p = {0};
        fb_log log = {.sink = count_warnings};
        snprintf(path, sizeof path, "abaqus/15_ccx_substructure/%s.mtx", row[k].file);
        if (!read_shared(path, &p) || !read_shared("abaqus/15_ccx_substructure/subs.inp", &p))
            return;
        warnings = 0;
        ck_assert_int_eq(fb_substructure_check(&p, &log, &e), FB_OK);
        ck_assert_int_eq(warnings, row[k].warned);
        ck_assert_int_eq(p.matrix[0].row.node[23], 56);
        ck_assert_int_eq(p.matrix[0].row.component[23], 3);
        fb_log_free(&log);
        fb_parts_free(&p);
    }
}
END_TEST

static const struct {
    const char *file;
    int64_t nodes;
    const char *set;
    int64_t members, node;
    double xyz[3];
} decks[] = {
    {"01_abaqus_mi_beam_b33/model.inp", 2, NULL, 0, 2, {3, 0, 0}},
    {"03_abaqus_coord_block/blockC3D4.inp", 214, "block-1.Set-1", 214, 1, {0, 0, 0}},
    {"03_abaqus_coord_block/blockC3D8.inp", 176, "Set-1", 176, 2, {4, 0.666666687, 1}},
    {"04_abaqus_coord_rotor/rotorDiscTest.inp", 115, "BCleft", 1, 0, {0, 0, 0}},
    {"10_ccx_cant_c3d20/cant_c3d20_sto.inp", 104, "FIX", 8, 2, {0.03125, 0, 0}},
    {"14_ccx_rigid_ends/rigid_ends_sto.inp", 84, "ENDB", 8, 1001, {0, 0.01, 0.015}},
    {"17_mbsim_ccx_beam/calculix.frd", 261, NULL, 0, 12, {1, 0.375, 0}},
    {"05_ansys_mmf_rotor/rotorAnsysNodalCoordinates.txt",
     115,
     NULL,
     0,
     107,
     {0, 0.1959844447, 0.15}},
};

START_TEST(nodes_and_sets_of_real_decks)
{
    char path[160];
    fb_parts p = {0};
    snprintf(path, sizeof path, "abaqus/%s", decks[_i].file);
    if (!read_shared(path, &p))
        return;
    ck_assert_int_eq(p.nn, decks[_i].nodes);
    int64_t k = 0;
    while (decks[_i].set && k < p.nset && strcmp(p.set[k].name, decks[_i].set))
        k++;
    if (decks[_i].set) {
        ck_assert_int_lt(k, p.nset);
        ck_assert_int_eq(p.set[k].n, decks[_i].members);
    }
    if (decks[_i].node && strcmp(decks[_i].file, "03_abaqus_coord_block/blockC3D4.inp"))
        ck_assert_int_eq(memcmp(xyz_of(&p, decks[_i].node), decks[_i].xyz, sizeof decks[_i].xyz),
                         0);
    fb_parts_free(&p);
}
END_TEST

/* The node vector names blocks of three rows. */
START_TEST(node_vector_names_blocks)
{
    fb_parts p = {0};
    if (!read_shared("abaqus/05_ansys_mmf_rotor/rotorAnsysMatrixDofMappingVector.txt", &p))
        return;
    fb_matrix m = {.name = "K", .A = {.m = 345, .n = 345}};
    ck_assert_int_eq(p.table_blocks, 1);
    ck_assert_msg(!fb_table_fit(&p, &m, &e), "%s", e.msg);
    static const int64_t first[6] = {3, 31, 17, 10, 33, 32};
    for (int k = 0; k < 18; k++) {
        ck_assert_int_eq(p.table.node[k], first[k / 3]);
        ck_assert_int_eq(p.table.component[k], 1 + k % 3);
    }
    ck_assert_int_eq(p.ntable, 345);
    fb_parts_free(&p);
}
END_TEST

Suite *suite_fe(void)
{
    Suite *s = suite_create("fe");
    TCase *t = tcase_create("real files");
    tcase_set_timeout(t, 120);
    tcase_add_loop_test(t, matrices_are_those_of_the_reference, 0, NFILES);
    tcase_add_loop_test(t, formats_are_told_from_the_bytes, 0, (int)(sizeof kinds / sizeof *kinds));
    tcase_add_loop_test(t, other_formats_are_left_alone, 0, (int)(sizeof others / sizeof *others));
    tcase_add_loop_test(t, frequencies_are_those_of_the_reference, 0,
                        (int)(sizeof pairs / sizeof *pairs));
    tcase_add_loop_test(t, models_have_the_frequencies_of_the_reference, 0,
                        (int)(sizeof models / sizeof *models));
    tcase_add_test(t, rigid_motion_tells_the_free_from_the_held);
    tcase_add_test(t, noise_is_no_coupling);
    tcase_add_loop_test(t, nodes_and_sets_of_real_decks, 0, (int)(sizeof decks / sizeof *decks));
    tcase_add_test(t, internal_nodes_keep_their_class);
    tcase_add_test(t, supports_are_marked);
    tcase_add_test(t, rows_of_zeros_stay);
    tcase_add_test(t, multipliers_are_internal);
    tcase_add_test(t, masses_by_the_dof_table);
    tcase_add_test(t, repeated_labels_become_internal);
    tcase_add_loop_test(t, shells_weigh_what_is_drawn, 0, 2);
    tcase_add_test(t, rotation_nodes_are_rotations);
    tcase_add_test(t, uncondensed_substructures_are_seen);
    tcase_add_test(t, node_vector_names_blocks);
    suite_add_tcase(s, t);
    return s;
}
