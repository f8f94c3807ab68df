/* SPDX-License-Identifier: GPL-3.0-or-later */
/* test_loads.c - laws of load vectors: static answers by a factor of the whole, resultants of
 * fields by moments of mass, conversions, moves and cuts. */
#include "mnfparse/loads.h"
#include "mnfparse/reader.h"
#include "reduce/method.h"
#include "reduce/verdict.h"
#include "tests/model/full.h"
#include "tests/model/generic.h"
#include "tests/model/near.h"
#include "tests/suites.h"
#include <math.h>
#include <stdio.h>

#define OK(call) ck_assert_msg((call) == FB_OK, "%s", e.msg)

static fb_err e;

static double noise(uint64_t *s)
{
    *s = *s * 6364136223846793005u + 1442695040888963407u;
    return (double)(int64_t)(*s >> 11) / 4503599627370496.0 - 1;
}

/* Forces at all dofs, and at one node alone. */
static void two_loads(fb_model *b, uint64_t seed)
{
    double *P = fb_alloc((size_t)b->ndof, sizeof *P);
    for (int64_t d = 0; d < b->ndof; d++)
        P[d] = noise(&seed);
    OK(fb_model_add_vector(b, "all over", P, &e));
    for (int64_t d = 0; d < b->ndof; d++)
        P[d] = b->dof_node[d] == 4 ? noise(&seed) : 0;
    OK(fb_model_add_vector(b, "one", P, &e));
    free(P);
}

/* Held at four nodes. */
static void held_block(fb_model *b, int seed)
{
    full_block(b, seed);
    two_loads(b, (uint64_t)seed + 7);
    for (int64_t d = 0; d < b->ndof; d++)
        if (b->dof_node[d] == 1 || b->dof_node[d] == 3 || b->dof_node[d] == 5 ||
            b->dof_node[d] == b->nn)
            b->dof_class[d] = FB_DOF_FIXED;
}

static double log_share[8];
static int nshare;

static void listen(void *self, int is_warning, const char *line)
{
    const char *p = strstr(line, " of the static answer inside the boundary is missing");
    (void)self;
    (void)is_warning;
    if (!p || nshare == 8)
        return;
    while (p > line && p[-1] != ' ')
        p--;
    log_share[nshare++] = atof(p);
}

static void reduce(fb_model *b, const char *method, const fb_reduceopt *o)
{
    fb_reduction r = {0};
    fb_log log = {.verbose = 1, .sink = listen};
    nshare = 0;
    OK(fb_method_full(fb_method_find(method), b, o, &r, &log, &e));
    OK(fb_reduction_cut(b, o, &r, &log, &e));
    const fb_modecheck none = {.sturm = -1};
    const int64_t n = r.nload;
    int64_t *load = NULL;
    OK(fb_copy(&load, r.load, n, sizeof *load, "", &e));
    OK(fb_reduction_apply_take(b, &r, o, method, &log, &e));
    OK(fb_verdict(b, &none, load, n, &log, &e));
    free(load);
    fb_reduction_free(&r);
    fb_log_free(&log);
}

/* K x = P of the dofs that are free, X [ndof x n]. */
static void answers(const fb_model *b, fb_mat *X)
{
    int64_t *at = fb_alloc((size_t)b->ndof, 8), n = 0;
    fb_csc K = {0};
    fb_factor *F = NULL;
    fb_mat Y = {0};
    for (int64_t d = 0; d < b->ndof; d++)
        if (b->dof_class[d] != FB_DOF_FIXED)
            at[n++] = d;
    OK(fb_csc_sub(&b->K, at, n, at, n, &K, &e));
    OK(fb_mat_new(&Y, n, b->nvector, &e));
    OK(fb_mat_new(X, b->ndof, b->nvector, &e));
    for (int64_t q = 0; q < b->nvector; q++)
        for (int64_t k = 0; k < n; k++)
            Y.x[k + q * n] = b->vector[at[k] + q * b->ndof];
    OK(fb_factor_spd(&F, &K, NULL, 0, NULL, NULL, &e));
    OK(fb_factor_solve(F, &Y, &e));
    for (int64_t q = 0; q < b->nvector; q++)
        for (int64_t k = 0; k < n; k++)
            X->x[at[k] + q * b->ndof] = Y.x[k + q * n];
    fb_factor_free(F);
    fb_csc_free(&K);
    fb_mat_free(&Y);
    free(at);
}

/* The largest error of T Kr^-1 p against X, over the largest of X. */
static double worst(const fb_model *b, const fb_mat *X, int64_t q)
{
    const fb_mat T = {b->ndof, b->nr, b->T}, K = {b->nr, b->nr, b->Kr};
    fb_mat A = {0}, z = {0}, x = {0};
    double error = 0, top = 0;
    OK(fb_mat_copy(&A, &K, &e));
    OK(fb_mat_new(&z, b->nr, 1, &e));
    memcpy(z.x, b->load + q * b->nr, sizeof(double) * (size_t)b->nr);
    OK(fb_solve(&A, &z, "statics", &e));
    OK(fb_mat_product(0, 0, &T, &z, &x, &e));
    for (int64_t d = 0; d < b->ndof; d++) {
        error = fmax(error, fabs(x.x[d] - X->x[d + q * b->ndof]));
        top = fmax(top, fabs(X->x[d + q * b->ndof]));
    }
    fb_mat_free(&A);
    fb_mat_free(&z);
    fb_mat_free(&x);
    return error / top;
}

typedef struct {
    const char *method;
    fb_reduceopt o;
} how;

static const how hows[] = {
    {"cb", {.order = -1, .modes = 4, .interface = "2,6"}},
    {"cb", {.order = -1, .modes = 5, .interface = "2,6", .free_boundary = "6"}},
    {"imr", {.order = -1, .modes = 4, .interface = "2,6"}},
    {"guyan", {.order = -1, .modes = -1, .masters = "2,6"}},
    {"krylov", {.order = -1, .modes = 8, .interface = "2,6", .at = "0"}},
    {"mdm", {.order = 6, .modes = -1}},
};
enum { NHOW = sizeof hows / sizeof *hows };

/* The law of attachment vectors: the static answer of the reduced body to each load is that of the
 * full one, here of a factor of the whole; without them it is not. 1e-10: solves of condition 1e5
 * in double. */
START_TEST(static_answers_are_exact)
{
    const how *h = hows + _i % NHOW;
    fb_reduceopt o = h->o;
    fb_model b;
    fb_mat X = {0};
    held_block(&b, _i / NHOW);
    answers(&b, &X);
    o.loads = "load:all";
    reduce(&b, h->method, &o);
    ck_assert_int_eq(b.nload, 2);
    for (int64_t q = 0; q < 2; q++) {
        ck_assert_int_eq(b.load_dof[q], FB_LOAD_ATTACHED);
        ck_assert_msg(worst(&b, &X, q) < 1e-10, "%s, load %s: %.3g", h->method, b.load_name[q],
                      worst(&b, &X, q));
    }
    if (strcmp(h->method, "krylov")) { /* whose vectors grow with the loads */
        fb_model_free(&b);
        held_block(&b, _i / NHOW);
        o.loads = NULL;
        reduce(&b, h->method, &o);
        for (int64_t q = 0; q < 2; q++) {
            ck_assert_int_eq(b.load_dof[q], FB_LOAD_VECTOR);
            ck_assert_msg(worst(&b, &X, q) > 1e-6, "%s", h->method);
        }
    }
    fb_mat_free(&X);
    fb_model_free(&b);
}
END_TEST

/* What is said to be missing: ||x - T z|| / ||x|| in M of the body whose boundary is held, from the
 * reduced matrices without the boundary. */
START_TEST(the_error_is_told)
{
    fb_reduceopt o = {.order = -1, .modes = 3, .interface = "2,6"};
    fb_model b;
    fb_mat X = {0};
    held_block(&b, _i);
    reduce(&b, "cb", &o);
    ck_assert_int_eq(nshare, 2);
    for (int64_t d = 0; d < b.ndof; d++)
        if (b.dof_node[d] == 2 || b.dof_node[d] == 6)
            b.dof_class[d] = FB_DOF_FIXED;
    answers(&b, &X);
    for (int64_t q = 0; q < 2; q++) {
        fb_mat y = {0}, Y = {0};
        double norm[2];
        OK(fb_mat_new(&y, b.ndof, 2, &e));
        OK(fb_mat_new(&Y, b.ndof, 2, &e));
        for (int64_t d = 0; d < b.ndof; d++)
            y.x[d] = y.x[d + b.ndof] = X.x[d + q * b.ndof];
        for (int64_t k = b.nb; k < b.nr; k++)
            fb_axpy(-b.load[q * b.nr + k] / b.Kr[k * (b.nr + 1)], b.T + k * b.ndof, y.x, b.ndof);
        OK(fb_csc_mul_many(&b.M, &y, &Y, &e));
        for (int k = 0; k < 2; k++)
            norm[k] = sqrt(fb_dot(y.x + k * b.ndof, Y.x + k * b.ndof, b.ndof));
        ck_assert_msg(fabs(log_share[q] - norm[0] / norm[1]) < 0.006 * log_share[q],
                      "%.4g is told, %.4g wanted", log_share[q], norm[0] / norm[1]);
        fb_mat_free(&y);
        fb_mat_free(&Y);
    }
    fb_mat_free(&X);
    fb_model_free(&b);
}
END_TEST

/* Modes that go leave their share of the answer to the attachment vectors, beside a unit load. */
START_TEST(cuts_keep_the_answers)
{
    fb_reduceopt o = {
        .order = -1, .modes = 8, .interface = "2,6", .loads = "load:one,8:2", .keep = "1-3"};
    fb_model b;
    fb_mat X = {0};
    held_block(&b, _i);
    answers(&b, &X);
    reduce(&b, "cb", &o);
    ck_assert_int_eq(b.nload, 3);
    ck_assert_int_eq(b.load_dof[0], FB_LOAD_VECTOR);
    ck_assert_int_eq(b.load_dof[1], FB_LOAD_ATTACHED);
    ck_assert_int_ge(b.load_dof[2], 0);
    ck_assert_str_eq(b.load_name[2], "8.2");
    ck_assert_double_lt(worst(&b, &X, 1), 1e-10);
    ck_assert_double_gt(worst(&b, &X, 0), 1e-6);
    fb_mat_free(&X);
    fb_model_free(&b);
}
END_TEST

/* Reduced and converted is converted and reduced; Guyan knows no signs. Forces, moments and unit
 * loads, in another unit of force, too. */
START_TEST(conversion_and_reduction_commute)
{
    static const char *const to[] = {"mm-t-s", "mm-kg-ms", "in-lbf-s"};
    const fb_reduceopt o = {.order = -1, .modes = -1, .masters = "1,6", .loads = "1:2,6:1"};
    fb_model a, b;
    fb_units u;
    full_any(&a, _i);
    full_any(&b, _i);
    two_loads(&a, 3);
    two_loads(&b, 3);
    OK(fb_units_system(&a.units, "SI", &e));
    b.units = a.units;
    OK(fb_units_system(&u, to[_i % 3], &e));
    reduce(&a, "guyan", &o);
    OK(fb_model_convert(&a, &u, &e));
    OK(fb_model_convert(&b, &u, &e));
    reduce(&b, "guyan", &o);
    ck_assert_int_eq(a.nload, 4);
    for (int64_t k = 0; k < a.nr; k++) { /* a coordinate is the displacement of its dof in a unit */
        const double of = a.T[a.interface_dof[k] + k * a.ndof];
        for (int64_t q = 0; q < a.nload; q++)
            a.load[q * a.nr + k] /= of;
    }
    for (int64_t q = 0; q < a.nload; q++)
        near_all(a.load + q * a.nr, b.load + q * b.nr, a.nr, 1e-9, a.load_name[q]);
    near_all(a.vector, b.vector, a.nvector * a.ndof, 1e-12, "vector");
    fb_model_free(&a);
    fb_model_free(&b);
}
END_TEST

/* So do turns and mirrors. The work p'z of a load is the same in the turned body. */
START_TEST(moves_and_reduction_commute)
{
    const fb_reduceopt o = {.order = -1, .modes = -1, .masters = "1,2", .loads = "1,2"};
    fb_move m = fb_move_none();
    fb_model a, b;
    if (_i % 2)
        OK(fb_move_mirror(&m, "way", "y", &e));
    OK(fb_move_rotate(&m, "way", "1,2,3:40", &e));
    OK(fb_move_translate(&m, "way", "1,-2,0.5", &e));
    full_any(&a, _i);
    full_any(&b, _i);
    two_loads(&a, 5);
    two_loads(&b, 5);
    OK(fb_model_move(&a, &m, &e));
    reduce(&a, "guyan", &o);
    reduce(&b, "guyan", &o);
    OK(fb_model_move(&b, &m, &e));
    near_all(b.vector, a.vector, a.nvector * a.ndof, 1e-12, "vector");
    ck_assert_int_eq(a.nload, b.nload);
    near_all(b.load, a.load, 2 * a.nr, 1e-9, "load vectors");
    near_all(b.load + 2 * a.nr, a.load + 2 * a.nr, (a.nload - 2) * a.nr, 1e-9, "unit loads");
    ck_assert_mem_eq(a.load_dof, b.load_dof, sizeof *a.load_dof * (size_t)a.nload);
    fb_model_free(&a);
    fb_model_free(&b);
}
END_TEST

/* ---- fields of the mass matrix -------------------------------------------------------------- */

/* R'P: force and moment about the origin. */
static void resultant(const fb_model *b, const double *P, double f[6])
{
    fb_mat R = {0};
    OK(fb_model_rigid(b, &R, &e));
    for (int k = 0; k < 6; k++)
        f[k] = fb_dot(R.x + k * b->ndof, P, b->ndof);
    fb_mat_free(&R);
}

static void field(fb_model *b, const char *text)
{
    fb_log log = {0};
    int is = 0;
    OK(fb_loads_field(text, "", b, &is, &log, &e));
    ck_assert_int_eq(is, 1);
    fb_log_free(&log);
}

/* Where the mass matrix takes a linear field exactly: gravity pulls m g at the centre of mass;
 * about an axis through the origin the forces of a turn are m (w.w c - w (w.c)), and their moment
 * is -w x (J w), m, m c and J from R'MR. About an axis elsewhere -w x (w x -p) m more. */
static void resultants(fb_model *b)
{
    static const double w[3] = {0.3, -1.2, 2}, p[3] = {1, 2, -0.5}, g[3] = {1.5, -2, -9.81};
    fb_mat R = {0}, MR = {0}, J = {0};
    double f[6], h[6], c[3], Jw[3], ww = 0, wc = 0, wp = 0;
    field(b, "gravity:1.5,-2,-9.81");
    field(b, "centrifugal:0.3,-1.2,2");
    field(b, "centrifugal:0.3,-1.2,2@1,2,-0.5");
    ck_assert_int_eq(b->nvector, 3);
    ck_assert_str_eq(b->vector_name[2], "centrifugal#2");
    OK(fb_model_rigid(b, &R, &e));
    OK(fb_mat_new(&MR, b->ndof, 6, &e));
    OK(fb_csc_mul_many(&b->M, &R, &MR, &e));
    OK(fb_mat_product(1, 0, &R, &MR, &J, &e));
    const double m = J.x[0];
    c[0] = J.x[2 + 6 * 4] / m; /* int (e_y x r)_z = -x, of the moment of a force along z */
    c[0] = -c[0];
    c[1] = J.x[2 + 6 * 3] / m;
    c[2] = J.x[0 + 6 * 4] / m;
    for (int a = 0; a < 3; a++) {
        Jw[a] = 0;
        for (int k = 0; k < 3; k++)
            Jw[a] += J.x[3 + a + 6 * (3 + k)] * w[k];
        ww += w[a] * w[a];
        wc += w[a] * c[a];
        wp += w[a] * p[a];
    }
    resultant(b, b->vector, f);
    for (int a = 0; a < 3; a++) {
        const int q = (a + 1) % 3, r = (a + 2) % 3;
        ck_assert_double_eq_tol(f[a], m * g[a], 1e-12 * m * 10);
        ck_assert_double_eq_tol(f[3 + a], m * (c[q] * g[r] - c[r] * g[q]), 1e-11 * m * 10);
    }
    resultant(b, b->vector + b->ndof, f);
    resultant(b, b->vector + 2 * b->ndof, h);
    for (int a = 0; a < 3; a++) {
        const int q = (a + 1) % 3, r = (a + 2) % 3;
        ck_assert_double_eq_tol(f[a], m * (ww * c[a] - w[a] * wc), 1e-11 * m * 10);
        ck_assert_double_eq_tol(f[3 + a], -(w[q] * Jw[r] - w[r] * Jw[q]), 1e-10 * m * 10);
        ck_assert_double_eq_tol(h[a] - f[a], -m * (ww * p[a] - w[a] * wp), 1e-11 * m * 10);
    }
    fb_mat_free(&R);
    fb_mat_free(&MR);
    fb_mat_free(&J);
}

START_TEST(fields_have_their_resultants)
{
    fb_model b;
    full_any(&b, _i);
    resultants(&b);
    fb_model_free(&b);
}
END_TEST

/* M += m N'N of a mass m, where N = [1, -[r]x] of two nodes with arms r and weights 1 - s, s: it is
 * on an arm of one node (s 0 or 1), or moves with the mean of two. P += N'm a(where it is). */
static void mass_on_arms(fb_mat *M, double *P, const double x[2][3], const double r[2][3], double s,
                         double m, const double w[3], const double c[3])
{
    double N[3][12] = {{0}}, u[3] = {0}, wu = 0, ww = 0;
    for (int k = 0; k < 2; k++)
        for (int a = 0; a < 3; a++) {
            const int q = (a + 1) % 3, z = (a + 2) % 3;
            const double share = k ? s : 1 - s;
            N[a][6 * k + a] = share;
            N[a][6 * k + 3 + q] = share * r[k][z]; /* (t x r)_a = t_q r_z - t_z r_q */
            N[a][6 * k + 3 + z] = -share * r[k][q];
            u[a] += share * (x[k][a] + r[k][a]);
        }
    for (int a = 0; a < 3; a++) {
        wu += w[a] * (u[a] - c[a]);
        ww += w[a] * w[a];
    }
    for (int i = 0; i < 12; i++)
        for (int a = 0; a < 3; a++) {
            P[i] += N[a][i] * m * (ww * (u[a] - c[a]) - w[a] * wu);
            for (int k = 0; k < 12; k++)
                M->x[i + 12 * k] += N[a][i] * m * N[a][k];
        }
}

static void of_dense(fb_csc *A, const fb_mat *M, int upper)
{
    int64_t q = 0;
    OK(fb_csc_new(A, M->n, M->n, M->n * M->n, upper, &e));
    for (int64_t k = 0; k < M->n; k++) {
        for (int64_t i = 0; i < (upper ? k + 1 : M->n); i++) {
            A->i[q] = i;
            A->x[q++] = M->x[i + k * M->n];
        }
        A->p[k + 1] = q;
    }
}

/* Point masses on rigid arms of two nodes with rotations, some between the two: what CONM2 with
 * offsets, RBE2 and rigid bodies are in the matrices of a solver. The forces are those at the
 * points. */
START_TEST(what_rides_on_arms_turns_too)
{
    static const double x[2][3] = {{0.3, -1, 2}, {1.5, 0.4, -0.7}}, w[3] = {0.3, -1.2, 2},
                        c[3] = {1, 2, -0.5};
    double P[12] = {0};
    uint64_t seed = 5;
    fb_mat M = {0};
    test_model t = {.nn = 2};
    fb_model b;
    OK(fb_mat_new(&M, 12, 12, &e));
    for (int k = 0; k < 12; k++) {
        const double r[2][3] = {{noise(&seed), noise(&seed), noise(&seed)},
                                {noise(&seed), noise(&seed), noise(&seed)}};
        mass_on_arms(&M, P, x, r, k < 4 ? 0 : k < 8 ? 1 : 0.5, 1 + 0.1 * k, w, c);
    }
    OK(fb_copy(&t.xyz, x[0], 6, sizeof *t.xyz, "", &e));
    of_dense(&t.M, &M, _i);
    of_dense(&t.K, &M, 1); /* any stiffness */
    full_body(&b, &t);
    field(&b, "centrifugal:0.3,-1.2,2@1,2,-0.5");
    near_all(b.vector, P, 12, 1e-13, "forces");
    FB_FREE(b.vector, b.vector_name);
    b.vector = NULL;
    b.vector_name = NULL;
    b.nvector = 0;
    resultants(&b);
    fb_mat_free(&M);
    fb_model_free(&b);
}
END_TEST

START_TEST(fields_that_are_none)
{
    static const char *const text[] = {"gravity:1,2", "gravity:1,2,x", "centrifugal:1,2,3@4,5"};
    fb_model b, none = {0};
    fb_log log = {0};
    int is = 0;
    full_block(&b, 0);
    for (int k = 0; k < 3; k++)
        ck_assert_int_eq(fb_loads_field(text[k], "", &b, &is, &log, &e), FB_EUSAGE);
    OK(fb_loads_field("gravity.mtx", "", &b, &is, &log, &e));
    ck_assert_int_eq(is, 0);
    ck_assert_int_eq(fb_loads_field("gravity:0,0,1", "", &none, &is, &log, &e), FB_EUSAGE);
    ck_assert_msg(strstr(e.msg, "mass matrix"), "%s", e.msg);
    free(b.xyz);
    b.xyz = NULL;
    ck_assert_int_eq(fb_loads_field("centrifugal:0,0,1", "", &b, &is, &log, &e), FB_EFORMAT);
    ck_assert_msg(strstr(e.msg, "coordinates"), "%s", e.msg);
    ck_assert_int_eq(b.nvector, 0);
    fb_log_free(&log);
    fb_model_free(&b);
}
END_TEST

/* ---- columns of a file ---------------------------------------------------------------------- */

static fb_status joined(fb_model *b, const double *x, int64_t m, int64_t n, const int64_t *node,
                        const int64_t *component, const char *name)
{
    fb_basis t = {.name = "f/p.mtx",
                  .m = m,
                  .n = n,
                  .x = (double *)(uintptr_t)x,
                  .node = (int64_t *)(uintptr_t)node,
                  .component = (int64_t *)(uintptr_t)component,
                  .what = FB_COLUMN_LOAD};
    fb_log log = {0};
    const fb_status s = fb_loads_join(&t, NULL, name, b, &log, &e);
    fb_log_free(&log);
    return s;
}

/* Dofs 2.1 3.1 of the input follow dof 9.1: half of it, and twice; 4.1 is held. A load at them is
 * half and twice as much at 9.1. Rows by label, in the order of the input, and of the model. */
START_TEST(loads_go_where_the_dofs_went)
{
    static const int64_t all[] = {1, 2, 3, 4}, one[] = {1, 1, 1, 1};
    static const int64_t at[] = {3, 9, 1, 4}, missing[] = {3, 7};
    static const double by_label[] = {10, 1, 7, 5}, by_order[] = {7, 0, 10, 5, 1, 2, 3, 4};
    fb_model b = {.ndof = 2, .na = 4};
    OK(fb_copy(&b.dof_node, ((int64_t[]){1, 9}), 2, 8, "", &e));
    OK(fb_copy(&b.dof_component, one, 2, 8, "", &e));
    OK(fb_new(&b.dof_class, 2, 8, "", &e));
    OK(fb_copy(&b.all_node, all, 4, 8, "", &e));
    OK(fb_copy(&b.all_component, one, 4, 8, "", &e));
    OK(fb_new(&b.all_class, 4, 8, "", &e));
    OK(fb_csc_from_triplets(&b.G, 4, 2, 3, ((int64_t[]){0, 1, 2}), ((int64_t[]){0, 1, 1}),
                            ((double[]){1, 0.5, 2}), 0, &e));
    OK(joined(&b, by_label, 4, 1, at, one, "mine"));
    OK(joined(&b, by_order, 4, 2, NULL, NULL, ""));
    OK(joined(&b, by_order, 2, 1, NULL, NULL, ""));
    static const double want[] = {7, 21, 7, 20, 1, 7, 7, 0};
    static const char *const name[] = {"mine", "p#1", "p#2", "p"};
    ck_assert_int_eq(b.nvector, 4);
    for (int k = 0; k < 8; k++)
        ck_assert_double_eq(b.vector[k], want[k]);
    for (int k = 0; k < 4; k++)
        ck_assert_str_eq(b.vector_name[k], name[k]);
    ck_assert_int_eq(joined(&b, by_label, 2, 1, missing, one, ""), FB_EFORMAT);
    ck_assert_msg(strstr(e.msg, "at dofs that the model has not: 7.1"), "%s", e.msg);
    ck_assert_int_eq(joined(&b, by_label, 3, 1, NULL, NULL, ""), FB_EFORMAT);
    ck_assert_int_eq(joined(&b, ((double[]){1, NAN}), 2, 1, NULL, NULL, ""), FB_EFORMAT);
    ck_assert_msg(strstr(e.msg, "not finite"), "%s", e.msg);
    b.all_node[1] = 1;
    ck_assert_int_eq(joined(&b, by_label, 2, 1, at, one, ""), FB_EFORMAT);
    ck_assert_msg(strstr(e.msg, "label of several dofs"), "%s", e.msg);
    ck_assert_int_eq(b.nvector, 4);
    fb_model_free(&b);
}
END_TEST

START_TEST(every_allocation_fails_once)
{
    const fb_reduceopt o = {.order = -1, .modes = 2, .interface = "2,6", .loads = "load:all,8:2"};
    fb_reduction r = {0};
    fb_log log = {0};
    fb_model b;
    fb_status s = FB_OK;
    int fails = 0, is = 0;
    held_block(&b, 1);
    EVERY_ALLOCATION_FAILS_ONCE(s, fails, {
        fb_reduction_free(&r);
        s = fb_method_full(fb_method_find("cb"), &b, &o, &r, &log, &e);
    });
    ck_assert_int_gt(fails, 50);
    EVERY_ALLOCATION_FAILS_ONCE(s, fails, {
        s = fb_loads_field("centrifugal:0,1,2", "", &b, &is, &log, &e);
        s = s ? s : joined(&b, b.vector, b.ndof, 1, b.dof_node, b.dof_component, "x");
    });
    ck_assert_int_gt(fails, 8);
    fb_reduction_free(&r);
    fb_log_free(&log);
    fb_model_free(&b);
}
END_TEST

/* Positions of loads that no stream may bring. */
START_TEST(positions_are_checked)
{
    fb_model b;
    make_generic(&b, "SI", 1);
    const int64_t bad[] = {b.ndof, FB_LOAD_ATTACHED - 1};
    for (int k = 0; k < 2; k++) {
        b.load_dof[2] = bad[k];
        ck_assert_int_eq(fb_model_check(&b, &e), FB_EFORMAT);
        ck_assert_msg(strstr(e.msg, "/reduced/load_dof"), "%s", e.msg);
    }
    fb_model_free(&b);
}
END_TEST

/* Without /full/load only the rows before the first unit load are load vectors, and named. */
START_TEST(attached_rows_are_vectors)
{
    fb_model b;
    int64_t *load = NULL, n = 0;
    make_generic(&b, "SI", 1);
    FB_FREE(b.vector, b.vector_name);
    b.nvector = 0;
    ck_assert_int_ge(b.nload, 3);
    for (int64_t k = 0; k < b.nload; k++)
        b.load_dof[k] = FB_LOAD_ATTACHED;
    b.load_dof[1] = 5;
    OK(fb_model_attached(&b, &load, &n, &e));
    ck_assert_int_eq(n, 2);
    ck_assert_int_eq(load[0], -1);
    ck_assert_int_eq(load[1], 5);
    free(load);
    free(b.load_name);
    b.load_name = NULL;
    OK(fb_model_attached(&b, &load, &n, &e));
    ck_assert_int_eq(n, 1);
    free(load);
    fb_model_free(&b);
}
END_TEST

START_TEST(names_that_are_none)
{
    fb_reduceopt o = {.order = -1, .modes = 2, .interface = "2,6", .loads = "load:two"};
    fb_reduction r = {0};
    fb_log log = {0};
    fb_model b;
    held_block(&b, 0);
    ck_assert_int_eq(fb_method_full(fb_method_find("cb"), &b, &o, &r, &log, &e), FB_EUSAGE);
    ck_assert_msg(strstr(e.msg, "no load vector is called two: there are \"all over\", one"), "%s",
                  e.msg);
    o.loads = "load:\"all over\",load:ONE,load:all";
    OK(fb_method_full(fb_method_find("cb"), &b, &o, &r, &log, &e));
    ck_assert_int_eq(r.nload, 2);
    fb_reduction_free(&r);
    fb_log_free(&log);
    fb_model_free(&b);
}
END_TEST

Suite *suite_loads(void)
{
    Suite *s = suite_create("loads");
    TCase *t = tcase_create("laws");
    tcase_set_timeout(t, 60);
    tcase_add_loop_test(t, static_answers_are_exact, 0, 3 * NHOW);
    tcase_add_loop_test(t, the_error_is_told, 0, 3);
    tcase_add_loop_test(t, cuts_keep_the_answers, 0, 3);
    tcase_add_loop_test(t, conversion_and_reduction_commute, 0, 6);
    tcase_add_loop_test(t, moves_and_reduction_commute, 0, 6);
    tcase_add_loop_test(t, fields_have_their_resultants, 0, 9);
    tcase_add_loop_test(t, what_rides_on_arms_turns_too, 0, 2);
    tcase_add_test(t, fields_that_are_none);
    tcase_add_test(t, loads_go_where_the_dofs_went);
    tcase_add_test(t, names_that_are_none);
    tcase_add_test(t, positions_are_checked);
    tcase_add_test(t, attached_rows_are_vectors);
    tcase_add_test(t, every_allocation_fails_once);
    suite_add_tcase(s, t);
    return s;
}
