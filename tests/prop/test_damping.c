/* SPDX-License-Identifier: GPL-3.0-or-later */
/* test_damping.c - damping of any form: what is read, reduced, converted and written is D itself,
 * neither symmetrised nor transposed nor averaged.
 *
 * The dampings are random, so that D_ij and D_ji differ everywhere. What is wanted is computed
 * here: T'DT entry by entry, with T as the stream shows it (row k of the dataset is coordinate k)
 * and D_ij the force on i by the velocity of j. */
#include "export/writer.h"
#include "mnfparse/reader.h"
#include "reduce/modal.h"
#include "reduce/verdict.h"
#include "tests/model/full.h"
#include "tests/model/generic.h"
#include "tests/model/reduced.h"
#include "tests/suites.h"
#include <math.h>

#define OK(call) ck_assert_msg((call) == FB_OK, "%s", e.msg)
static const char *const method[] = {"cb", "guyan", "imr", "irs", "krylov", "lsmr", "mdm"};
enum { NMETHOD = sizeof method / sizeof *method };

static fb_err e;
static char file_name[] = "a.txt";

/* [n,n] by rows, no two entries alike. */
static double *random_matrix(int64_t n, uint64_t seed)
{
    double *D = fb_alloc((size_t)(n * n), sizeof *D);
    ck_assert_ptr_nonnull(D);
    for (int64_t k = 0; k < n * n; k++)
        D[k] = random_real(&seed);
    return D;
}

/* Every fourth entry of a random matrix, as a model holds it: D and its dense form by rows. */
static double *random_sparse(fb_model *b, uint64_t seed)
{
    int64_t n = b->ndof, nnz = 0;
    double *D = random_matrix(n, seed), *x = malloc(sizeof *x * (size_t)(n * n));
    int64_t *i = malloc(sizeof *i * (size_t)(n * n)), *j = malloc(sizeof *j * (size_t)(n * n));
    for (int64_t k = 0; k < n * n; k++) {
        if (random_real(&seed) > -0.5)
            D[k] = 0;
        if (D[k] != 0) {
            i[nnz] = k / n;
            j[nnz] = k % n;
            x[nnz++] = D[k];
        }
    }
    OK(fb_csc_from_triplets(&b->D, n, n, nnz, i, j, x, 0, &e));
    free(i);
    free(j);
    free(x);
    return D;
}

/* got [m,m] by rows against T'DT, row k of T [m,n] a coordinate. What modes of unit mass add to
 * round-off is the square of their size beside that of the basis. */
static void congruent(const double *got, const double *T, int64_t m, const double *D, int64_t n,
                      const char *what)
{
    const double tol = strcmp(what, "orthonormal") ? 1e-12 : 1e-9;
    double *DT = malloc(sizeof *DT * (size_t)n), top = 0, worst = 0;
    for (int64_t k = 0; k < m; k++) {
        for (int64_t i = 0; i < n; i++) {
            DT[i] = 0;
            for (int64_t j = 0; j < n; j++)
                DT[i] += D[i * n + j] * T[k * n + j];
        }
        for (int64_t l = 0; l < m; l++) {
            double want = 0;
            for (int64_t i = 0; i < n; i++)
                want += T[l * n + i] * DT[i];
            top = fmax(top, fabs(want));
            worst = fmax(worst, fabs(got[l * m + k] - want));
        }
    }
    free(DT);
    ck_assert_msg(worst <= tol * top, "%s: |T'DT - D| is %.3g of %.3g", what, worst, top);
    ck_assert(top > 0);
}

START_TEST(full_models_keep_it)
{
    const char *name = method[_i % NMETHOD];
    fb_model b;
    fb_log log = {0};
    fb_reduction r = {0};
    full_any(&b, _i / NMETHOD);
    double *D = random_sparse(&b, (uint64_t)_i);
    const int64_t nb = 3 * (b.ndof / b.nn);
    const int masters = fb_method_find(name)->masters;
    fb_reduceopt o = {
        .order = nb + (masters ? 0 : 8), .modes = -1, .at = "3", .interface = "1,2,6"};
    if (masters)
        o.masters = o.interface;
    OK(fb_method_full(fb_method_find(name), &b, &o, &r, &log, &e));
    congruent(r.D, r.T.x, r.nr, D, b.ndof, name);
    OK(fb_reduction_orthonormalize(&b, &r, &e));
    congruent(r.D, r.T.x, r.nr, D, b.ndof, "orthonormal");
    fb_reduction_free(&r);
    fb_log_free(&log);
    free(D);
    fb_model_free(&b);
}
END_TEST

START_TEST(modal_bodies_keep_it)
{
    const char *name = method[_i % NMETHOD];
    fb_model b;
    fb_log log = {0};
    fb_reduction r = {0};
    make_body(&b, 8, 20, (uint64_t)_i);
    double *D = random_matrix(20, (uint64_t)_i + 1000);
    b.Dr = fb_alloc(20 * 20, 8);
    memcpy(b.Dr, D, 20 * 20 * 8);
    fb_reduceopt o = {.order = fb_method_find(name)->masters ? 12 : 15, .modes = -1, .at = "3"};
    OK(fb_method_find(name)->modal(&b, &o, &r, &log, &e));
    congruent(r.D, r.V.x, r.nr, D, 20, name);
    o.orthonormalize = 1;
    OK(fb_reduction_apply_take(&b, &r, &o, name, &log, &e));
    congruent(b.Dr, b.V, b.nr, D, 20, "orthonormal");
    fb_reduction_free(&r);
    fb_log_free(&log);
    free(D);
    fb_model_free(&b);
}
END_TEST

/* --fix on a body held by modes: q = N z. */
START_TEST(held_bodies_keep_it)
{
    fb_model b;
    fb_mat N = {0};
    const int64_t dof[3] = {0, 7, 14};
    make_body(&b, 8, 20, (uint64_t)_i);
    double *D = random_matrix(20, (uint64_t)_i);
    b.Dr = fb_alloc(20 * 20, 8);
    memcpy(b.Dr, D, 20 * 20 * 8);
    OK(fb_modal_hold(&b, dof, 3, &N, &e));
    congruent(b.Dr, N.x, 17, D, 20, "held");
    fb_mat_free(&N);
    free(D);
    fb_model_free(&b);
}
END_TEST

/* What --rayleigh and --modal-damping add is symmetric; the skew part stays to round-off of what is
 * added. */
START_TEST(stated_damping_is_added)
{
    enum { M = 6 };
    fb_model b;
    fb_log log = {0};
    make_held(&b, 8, M, (uint64_t)_i);
    double *D = random_matrix(M, (uint64_t)_i);
    memcpy(b.Dr, D, M * M * 8);
    OK(fb_damping(&b, "3,0", "0.01", &log, &e));
    for (int i = 0; i < M; i++)
        for (int j = 0; j < M; j++) {
            double add = i == j ? 3 + 0.02 * sqrt(b.Kr[i * M + i]) : 0; /* Mr = 1, Kr = diag(w^2) */
            ck_assert_double_eq_tol(b.Dr[i * M + j], D[i * M + j] + add,
                                    1e-12 * (3 + 0.02 * sqrt(b.Kr[M * M - 1])));
        }
    free(D);
    fb_log_free(&log);
    fb_model_free(&b);
}
END_TEST

/* (DA.2) of a diagonal pair: D_kk = 2 zeta_k w_k; a later item holds. What is no ratio from 0 to 1
 * of modes that there are is refused. */
START_TEST(ratios_by_mode)
{
    enum { M = 6 };
    static const double zeta[M] = {0.01, 0.5, 0.5, 0.01, 0, 0.9};
    static const char *const bad[] = {"-0.1",  "1",       "1:-0.5",  "2:1.5", "nan",
                                      "1:inf", "2-1:0.1", "0:0.1",   "7:0.1", "1-7:0.1",
                                      "1:",    "1-:0.1",  "1:0.1x2", "x:0.1", "-1:0.1"};
    fb_model b;
    fb_log log = {0};
    make_held(&b, 8, M, 1);
    memset(b.Dr, 0, M * M * 8);
    OK(fb_damping(&b, NULL, "0.01,2-3:0.5,5:0,6:0.9", &log, &e));
    for (int i = 0; i < M; i++)
        for (int j = 0; j < M; j++)
            ck_assert_double_eq_tol(b.Dr[i * M + j],
                                    i == j ? 2 * zeta[i] * sqrt(b.Kr[i * M + i]) : 0,
                                    1e-12 * sqrt(b.Kr[M * M - 1]));
    for (size_t k = 0; k < sizeof bad / sizeof *bad; k++) {
        ck_assert_msg(fb_damping(&b, NULL, bad[k], &log, &e) == FB_EUSAGE, "'%s' is taken", bad[k]);
        ck_assert_ptr_nonnull(strstr(e.msg, "with modes from 1 to 6 and a damping ratio"));
    }
    static const char *const rayleigh[] = {"-1,0", "0,-1", "-1,-1", "1", "1,2,3", "1,x"};
    for (size_t k = 0; k < sizeof rayleigh / sizeof *rayleigh; k++) {
        ck_assert_msg(fb_damping(&b, rayleigh[k], NULL, &log, &e) == FB_EUSAGE, "'%s' is taken",
                      rayleigh[k]);
        ck_assert_ptr_nonnull(strstr(e.msg, "is not ALPHA,BETA, both at least 0"));
    }
    fb_log_free(&log);
    fb_model_free(&b);
}
END_TEST

/* Of a full pair the ratios are those of its modes: phi_j'D phi_k = 2 zeta_k w_k where j = k, 0
 * elsewhere, phi'M phi = 1; the modes are checked by K phi = w^2 M phi. */
START_TEST(ratios_of_coupled_coordinates)
{
    enum { N = GENERIC_COORDINATES };
    fb_model b;
    fb_log log = {0};
    fb_mat V = {0};
    double w2[N];
    make_generic_boundary(&b, "SI", (uint64_t)_i);
    memset(b.Dr, 0, N * N * 8);
    OK(fb_damping(&b, NULL, "0.03,2:0.1,4-5:0.2", &log, &e));
    const fb_mat K = {N, N, b.Kr}, M = {N, N, b.Mr};
    OK(fb_eig_dense(&K, &M, w2, &V, &e));
    for (int j = 0; j < N; j++)
        for (int k = 0; k < N; k++) {
            const double zeta = k == 1 ? 0.1 : k == 3 || k == 4 ? 0.2 : 0.03;
            double d = 0, m = 0, s = 0;
            for (int p = 0; p < N; p++)
                for (int q = 0; q < N; q++) {
                    const double x = V.x[p + j * N] * V.x[q + k * N];
                    d += x * b.Dr[p * N + q];
                    m += x * b.Mr[p * N + q];
                    s += x * b.Kr[p * N + q];
                }
            ck_assert_double_eq_tol(m, j == k, 1e-9);
            ck_assert_double_eq_tol(s, j == k ? w2[k] : 0, 1e-9 * w2[N - 1]);
            ck_assert_double_eq_tol(d, j == k ? 2 * zeta * sqrt(w2[k]) : 0, 1e-9 * sqrt(w2[N - 1]));
        }
    fb_mat_free(&V);
    fb_log_free(&log);
    fb_model_free(&b);
}
END_TEST

/* There and back: 1 mW = 1e-3 W is the unit of z' D z in mm, t and s (t mm^2/s^3 = 1e-3 kg
 * m^2/s^3). */
START_TEST(units_scale_every_entry_alike)
{
    enum { M = 6 };
    fb_model b;
    fb_units mm;
    make_held(&b, 8, M, (uint64_t)_i);
    double *D = random_matrix(M, (uint64_t)_i);
    memcpy(b.Dr, D, M * M * 8);
    OK(fb_units_system(&mm, "mm-t-s", &e));
    OK(fb_model_convert(&b, &mm, &e));
    for (int k = 0; k < M * M; k++)
        ck_assert_double_eq_tol(b.Dr[k], 1e3 * D[k], 1e-10);
    free(D);
    fb_model_free(&b);
}
END_TEST

/* ---- joining ------------------------------------------------------------------------------ */

static void add(fb_parts *p, fb_role role, int64_t n, const double *x, const fb_labels *row)
{
    fb_matrix *m = NULL;
    OK(fb_parts_matrix(p, "", "a", role, &m, &e));
    OK(fb_csc_new(&m->A, n, n, n * n, 0, &e));
    for (int64_t j = 0; j < n; j++) {
        for (int64_t i = 0; i < n; i++) {
            m->A.i[i + j * n] = i;
            m->A.x[i + j * n] = x[i * n + j];
        }
        m->A.p[j + 1] = (j + 1) * n;
    }
    OK(fb_new(&m->row.node, n, 8, "labels", &e));
    OK(fb_new(&m->row.component, n, 8, "labels", &e));
    memcpy(m->row.node, row->node, (size_t)n * 8);
    memcpy(m->row.component, row->component, (size_t)n * 8);
}

/* Four nodes with six dofs and a random damping, node 2 in a frame of its own; rows of the damping
 * in another order. */
enum { NODES = 4, DOFS = 6 * NODES };

static void parts(fb_parts *p, double *D, const double F[9], uint64_t seed)
{
    static int64_t node[DOFS], component[DOFS], turned_node[DOFS], turned_component[DOFS];
    static double K[DOFS * DOFS], M[DOFS * DOFS], shuffled[DOFS * DOFS];
    const fb_labels row = {node, component, NULL}, other = {turned_node, turned_component, NULL};
    memset(K, 0, sizeof K);
    memset(M, 0, sizeof M);
    for (int d = 0; d < DOFS; d++) {
        node[d] = d / 6 + 1;
        component[d] = d % 6 + 1;
        turned_node[d] = (DOFS - 1 - d) / 6 + 1;
        turned_component[d] = (DOFS - 1 - d) % 6 + 1;
        M[d * DOFS + d] = 2;
        for (int g = 0; g < DOFS; g++) {
            K[d * DOFS + g] = d == g ? 100 : -1;
            D[d * DOFS + g] = random_real(&seed);
            shuffled[(DOFS - 1 - d) * DOFS + DOFS - 1 - g] = D[d * DOFS + g];
        }
    }
    for (int k = 1; k <= NODES; k++)
        OK(fb_parts_node(p, k, (const double[]){k, k * k, random_real(&seed)}, k == 2 ? F : NULL,
                         &e));
    add(p, FB_ROLE_STIFFNESS, DOFS, K, &row);
    add(p, FB_ROLE_MASS, DOFS, M, &row);
    add(p, FB_ROLE_DAMPING, DOFS, shuffled, &other);
}

/* x = G z: the dense G' C G of what the model says of itself, with C the damping in basic axes. */
START_TEST(joining_keeps_it)
{
    static double D[DOFS * DOFS], C[DOFS * DOFS], Q[DOFS * DOFS], G[DOFS * DOFS], got[DOFS * DOFS];
    const double c = 0.6, s = 0.8, F[9] = {c, -s, 0, s, c, 0, 0, 0, 1};
    fb_parts p = {0};
    fb_model b = {0};
    fb_log log = {0};
    parts(&p, D, F, (uint64_t)_i);
    p.how.force_symmetric = _i % 2; /* is about stiffness and mass */
    if (_i % 3 == 1)
        p.how.rigid = (fb_list){{"9=1,2@0,0,0"}, 1};
    if (_i % 3 == 2)
        p.how.average = (fb_list){{"9=1,2,3@0,0,0"}, 1};
    OK(fb_parts_assemble(&p, &b, &log, &e));
    ck_assert_int_eq(b.D.upper, 0);
    memset(Q, 0, sizeof Q); /* u_local = Q u, row k of the array: column k of Q */
    for (int d = 0; d < DOFS; d++)
        for (int g = 0; g < DOFS; g++)
            Q[g * DOFS + d] = d / 3 != g / 3 ? 0 : d / 6 == 1 ? F[3 * (g % 3) + d % 3] : d == g;
    for (int k = 0; k < DOFS; k++)
        for (int l = 0; l < DOFS; l++) {
            double sum = 0;
            for (int i = 0; i < DOFS; i++)
                for (int j = 0; j < DOFS; j++)
                    sum += Q[k * DOFS + i] * D[i * DOFS + j] * Q[l * DOFS + j];
            C[k * DOFS + l] = sum;
        }
    memset(G, 0, sizeof G);
    for (int64_t k = 0; k < b.ndof; k++)
        if (!b.G.p)
            G[k * DOFS + k] = 1;
        else
            for (int64_t q = b.G.p[k]; q < b.G.p[k + 1]; q++)
                G[k * DOFS + b.G.i[q]] = b.G.x[q];
    memset(got, 0, sizeof got);
    for (int64_t j = 0; j < b.ndof; j++)
        for (int64_t q = b.D.p[j]; q < b.D.p[j + 1]; q++)
            got[b.D.i[q] * b.ndof + j] = b.D.x[q];
    congruent(got, G, b.ndof, C, DOFS, "joined");
    fb_model_free(&b);
    fb_parts_free(&p);
    fb_log_free(&log);
}
END_TEST

/* ---- files -------------------------------------------------------------------------------- */

enum { NM = 3, N = 12 + NM };

static void make(fb_model *b, double **D, uint64_t seed)
{
    make_constrained(b, 6, NM, seed);
    *D = random_matrix(N, seed);
    memcpy(b->Dr, *D, N * N * 8);
}

static char *text_of(const fb_model *b, const fb_writer *w, const char *dialect, size_t *size)
{
    const fb_export ask = {.dialect = dialect ? dialect : w->dialects ? w->dialects->name : NULL};
    fb_buf o = {.little = 1};
    fb_log log = {0};
    OK(w->write(b, &ask, &o, &log, &e));
    *size = (size_t)o.size;
    fb_put_bytes(&o, "", 1);
    fb_log_free(&log);
    return (char *)o.data;
}

static char *file_of(const fb_model *b, const fb_writer *w, const char *dialect, const char *name)
{
    const fb_export ask = {.dialect = dialect};
    fb_files f = {0};
    fb_log log = {0};
    char *text = NULL;
    OK(w->files(b, &ask, &f, &log, &e));
    for (int64_t k = 0; k < f.n; k++)
        if (!strcmp(f.file[k].name, name))
            text = strndup((const char *)f.file[k].bytes.data, (size_t)f.file[k].bytes.size);
    ck_assert_ptr_nonnull(text);
    fb_files_free(&f);
    fb_log_free(&log);
    return text;
}

static void entry_is(const double *D, int64_t i, int64_t j, double x, double tol, const char *what)
{
    ck_assert_msg(i >= 0 && i < N && j >= 0 && j < N && fabs(x - D[i * N + j]) <= tol,
                  "%s(%d,%d) is %g", what, (int)i + 1, (int)j + 1, x);
}

START_TEST(matrix_market_holds_it)
{
    fb_model b;
    double *D, x;
    long long i, j;
    int n = 0;
    make(&b, &D, (uint64_t)_i);
    char *text = file_of(&b, &fb_writer_mm, "folder", "D.mtx");
    ck_assert_int_eq(strncmp(text, "%%MatrixMarket matrix coordinate real general\n", 46), 0);
    char *p = strchr(strstr(text, "\n15 15 225\n") + 1, '\n') + 1;
    for (; *p; p = strchr(p, '\n') + 1, n++) {
        ck_assert_int_eq(sscanf(p, "%lld %lld %lf", &i, &j, &x), 3);
        entry_is(D, i - 1, j - 1, x, 0, "D.mtx");
    }
    ck_assert_int_eq(n, N * N);
    free(text);
    free(D);
    fb_model_free(&b);
}
END_TEST

/* Record 13 row by row: MBDyn puts the numbers that it reads into row 1 first. */
START_TEST(mbdyn_holds_it)
{
    enum { M = 5 };
    fb_model b;
    fb_parts parts = {0};
    fb_log log = {0};
    size_t size = 0;
    make_held(&b, 9, M, (uint64_t)_i);
    double *D = random_matrix(M, (uint64_t)_i);
    memcpy(b.Dr, D, M * M * 8);
    char *text = text_of(&b, &fb_writer_mbdyn, "1.7", &size),
         *p = strchr(strstr(text, "GROUP 13"), '\n');
    for (int k = 0; k < M * M; k++)
        ck_assert(strtod(p, &p) == D[k]);
    const fb_input in = {.data = (unsigned char *)text, .size = size, .name = file_name};
    OK(fb_reader_mbdyn.read(&in, &parts, &log, &e));
    ck_assert_mem_eq(parts.body.Dr, D, M * M * 8);
    fb_parts_free(&parts);
    fb_log_free(&log);
    free(text);
    free(D);
    fb_model_free(&b);
}
END_TEST

/* Records 9 and 10 must be symmetric: K_12 = 3, K_21 = 0 is refused, named, and averaged only if
 * asked. */
START_TEST(a_stiffness_in_record_10_is_not_averaged_in_silence)
{
    enum { M = 5 };
    fb_model b;
    fb_parts parts = {0};
    fb_log log = {0};
    fb_buf text = {0};
    make_held(&b, 9, M, 1);
    size_t size = 0;
    char *t = text_of(&b, &fb_writer_mbdyn, "1.7", &size),
         *p = strchr(strstr(t, "GROUP 10"), '\n') + 1;
    p = strchr(p, ' '); /* behind K_11: K_12 is the next number */
    fb_put_bytes(&text, t, (size_t)(p - t));
    fb_put_text(&text, " %.17g", 0.25 * b.Kr[M * M - 1]);
    p = strchr(p + 1, ' ');
    fb_put_bytes(&text, p, size - (size_t)(p - t));
    const fb_input in = {.data = text.data, .size = (size_t)text.size, .name = file_name};
    ck_assert_int_eq(fb_reader_mbdyn.read(&in, &parts, &log, &e), FB_EFORMAT);
    ck_assert_str_eq(e.msg, "record 10 (stiffness) is not symmetric: entries (1,2) and (2,1) "
                            "differ by 0.25 of the largest, at "
                            "most 1e-08 is taken; --force-symmetric averages the halves");
    fb_parts_free(&parts);
    parts.how.force_symmetric = 1;
    OK(fb_reader_mbdyn.read(&in, &parts, &log, &e));
    ck_assert_double_eq_tol(parts.body.Kr[1], 0.125 * b.Kr[M * M - 1], 1e-12 * b.Kr[M * M - 1]);
    ck_assert_int_eq(log.nwarning, 1);
    ck_assert_ptr_nonnull(strstr(log.warning[0], "the halves are averaged"));
    fb_parts_free(&parts);
    fb_log_free(&log);
    fb_buf_free(&text);
    free(t);
    fb_model_free(&b);
}
END_TEST

/* Both text formats name row and column of an entry by labels; the reader's joining is tested with
 * them: what comes back is D in the order of the coordinates. */
static void comes_back(const fb_reader *rd, const char *text, const fb_model *b, const double *D,
                       double tol)
{
    fb_parts parts = {0};
    fb_model c = {0};
    fb_log log = {0};
    const fb_input in = {
        .data = (const unsigned char *)text, .size = strlen(text), .name = file_name};
    OK(rd->read(&in, &parts, &log, &e));
    OK(fb_parts_assemble(&parts, &c, &log, &e));
    ck_assert_int_eq(c.ndof, N);
    ck_assert_int_eq(c.D.upper, 0);
    int64_t n = 0;
    for (int64_t j = 0; j < N; j++)
        for (int64_t q = c.D.p[j]; q < c.D.p[j + 1]; q++, n++)
            entry_is(D, c.D.i[q], j, c.D.x[q], tol, rd->name);
    ck_assert_int_eq(n, N * N);
    for (int64_t k = 0; c.Dr && k < N * N; k++)
        entry_is(D, k / N, k % N, c.Dr[k], tol, "superelement");
    (void)b;
    fb_model_free(&c);
    fb_parts_free(&parts);
    fb_log_free(&log);
}

START_TEST(dmig_holds_it)
{
    fb_model b;
    double *D;
    size_t size = 0;
    make(&b, &D, (uint64_t)_i);
    char *text = text_of(&b, &fb_writer_dmig, NULL, &size),
         *at = strstr(text, "DMIG    BAAX           0       1       2");
    ck_assert_ptr_nonnull(at);
    /* Column by column: the second card of the first column is D_21. */
    char number[17] = "", *card = strstr(at, "\n*") + 1;
    card = strstr(card, "\n*") + 1;
    memcpy(number, card + 40, 16);
    *strchr(number, 'D') = 'E';
    ck_assert_double_eq_tol(strtod(number, NULL), D[N], 1e-9);
    comes_back(&fb_reader_bulk, text, &b, D, 1e-9);
    free(text);
    free(D);
    fb_model_free(&b);
}
END_TEST

START_TEST(abaqus_holds_it)
{
    fb_model b;
    double *D, x;
    make(&b, &D, (uint64_t)_i);
    char *deck = file_of(&b, &fb_writer_abaqus, "matrix", "body.inp"),
         *text = file_of(&b, &fb_writer_abaqus, "matrix", "C.mtx");
    ck_assert_ptr_nonnull(strstr(deck, "*MATRIX INPUT, NAME=C, INPUT=C.mtx, TYPE=UNSYMMETRIC\n"));
    ck_assert_ptr_nonnull(strstr(deck, "*MATRIX INPUT, NAME=K, INPUT=K.mtx\n"));
    char *second = strchr(text, '\n') + 1; /* row by row: D_12 */
    ck_assert_int_eq(sscanf(second, "%*d, %*d, %*d, %*d, %lf", &x), 1);
    ck_assert(x == D[1]);
    free(text);
    free(deck);
    free(D);
    fb_model_free(&b);
}
END_TEST

/* MATLAB's arrays run by columns: somewhere in the file D_11, D_21, D_31, ... follow each other. */
START_TEST(simscape_holds_it)
{
    fb_model b;
    double *D, column[N * N];
    size_t size = 0;
    make(&b, &D, (uint64_t)_i);
    char *o = text_of(&b, &fb_writer_simscape, NULL, &size);
    for (int i = 0; i < N; i++)
        for (int j = 0; j < N; j++)
            column[i + j * N] = D[i * N + j];
    ck_assert_ptr_nonnull(memmem(o, size, column, sizeof column));
    free(o);
    free(D);
    fb_model_free(&b);
}
END_TEST

/* De: structure 3 (every entry) where it was 2 (symmetric); m0(i,j) is D_ij. */
START_TEST(standard_input_data_hold_it)
{
    enum { M = 4 };
    fb_model b;
    size_t size = 0;
    make_held(&b, 8, M, (uint64_t)_i);
    double *D = random_matrix(M, (uint64_t)_i);
    memcpy(b.Dr, D, M * M * 8);
    char *text = text_of(&b, &fb_writer_sid, "morembs", &size), *p = strstr(text, "De\n");
    ck_assert_ptr_nonnull(p);
    char *end = strstr(p, "end De"), *s = strstr(p, "structure");
    int i, j, n = 0, structure = 0;
    double x;
    ck_assert_int_eq(sscanf(s, "structure = %d", &structure), 1);
    ck_assert_int_eq(structure, 3);
    for (p = strstr(p, "m0("); p && p < end; p = strstr(p + 1, "m0("), n++) {
        ck_assert_int_eq(sscanf(p, "m0(%d,%d) = %lf", &i, &j, &x), 3);
        ck_assert_double_eq_tol(x, D[(i - 1) * M + j - 1], 1e-9);
    }
    ck_assert_int_eq(n, M * M);
    free(text);
    free(D);
    fb_model_free(&b);
}
END_TEST

Suite *suite_damping(void)
{
    Suite *s = suite_create("damping");
    TCase *c = tcase_create("reduced");
    tcase_set_timeout(c, 120);
    tcase_add_loop_test(c, full_models_keep_it, 0, 4 * NMETHOD);
    tcase_add_loop_test(c, modal_bodies_keep_it, 0, 4 * NMETHOD);
    tcase_add_loop_test(c, held_bodies_keep_it, 0, 5);
    tcase_add_loop_test(c, stated_damping_is_added, 0, 5);
    tcase_add_test(c, ratios_by_mode);
    tcase_add_loop_test(c, ratios_of_coupled_coordinates, 0, 3);
    tcase_add_loop_test(c, units_scale_every_entry_alike, 0, 5);
    suite_add_tcase(s, c);
    c = tcase_create("joined");
    tcase_add_loop_test(c, joining_keeps_it, 0, 6);
    suite_add_tcase(s, c);
    c = tcase_create("files");
    tcase_add_loop_test(c, matrix_market_holds_it, 0, 3);
    tcase_add_loop_test(c, mbdyn_holds_it, 0, 3);
    tcase_add_test(c, a_stiffness_in_record_10_is_not_averaged_in_silence);
    tcase_add_loop_test(c, dmig_holds_it, 0, 3);
    tcase_add_loop_test(c, abaqus_holds_it, 0, 3);
    tcase_add_loop_test(c, simscape_holds_it, 0, 3);
    tcase_add_loop_test(c, standard_input_data_hold_it, 0, 3);
    suite_add_tcase(s, c);
    return s;
}
