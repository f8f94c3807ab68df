/* SPDX-License-Identifier: GPL-3.0-or-later */
/* test_full.c - laws of the reductions of full models. */
#include "invariants/inertia.h"
#include "reduce/errors.h"
#include "reduce/full.h"
#include "reduce/method.h"
#include "reduce/verdict.h"
#include "tests/model/full.h"
#include "tests/model/near.h"
#include "tests/model/triplets.h"
#include "tests/suites.h"
#include <math.h>

#define OK(call) ck_assert_msg((call) == FB_OK, "%s", e.msg)
enum { NMETHOD = 5 };

static fb_err e;

static fb_reduceopt order(int64_t n, const char *boundary)
{
    return (fb_reduceopt){.order = n, .modes = -1, .interface = boundary};
}

static void reduce(const fb_model *b, const char *method, fb_reduceopt o, fb_reduction *r)
{
    fb_log log = {0};
    OK(fb_method_full(fb_method_find(method), b, &o, r, &log, &e));
    fb_log_free(&log);
}

/* Eigenvalues of the reduced pair. */
static double *roots(const fb_reduction *r)
{
    const fb_mat K = {r->nr, r->nr, r->K}, M = {r->nr, r->nr, r->M};
    double *w = malloc(sizeof *w * (size_t)r->nr);
    fb_mat V = {0};
    OK(fb_eig_dense(&K, &M, w, &V, &e));
    fb_mat_free(&V);
    return w;
}

static int64_t dofs_per_node(const fb_model *b)
{
    return b->ndof / b->nn;
}

static fb_eig modes(const fb_model *b, int64_t k)
{
    fb_eig q = {0};
    OK(fb_eig_sparse(&b->K, &b->M, &(fb_eig_opts){.k = k, .engine = "dense"}, &q, &e));
    return q;
}

/* K, M and T say the same; K and M are symmetric to the last bit; T has unit rows at the boundary.
 * */
START_TEST(reduced_matrices_are_congruences)
{
    static const char *const method[NMETHOD] = {"cb", "guyan", "imr", "lsmr", "mdm"};
    fb_model b;
    fb_reduction r = {0};
    fb_mat K = {0}, M = {0};
    const char *m = method[_i % NMETHOD];
    full_any(&b, _i / NMETHOD);
    const int64_t nb = 3 * dofs_per_node(&b);
    fb_reduceopt o = order(strcmp(m, "guyan") ? nb + 8 : nb, "1,2,6");
    if (!strcmp(m, "guyan") || !strcmp(m, "lsmr")) {
        o.masters = o.interface;
        o.order = nb;
    }
    int loads = _i / NMETHOD % 2;
    if (loads)
        o.loads = "4:2,5:13";
    reduce(&b, m, o, &r);
    OK(fb_csc_congruence(&b.K, &r.T, &K, &e));
    OK(fb_csc_congruence(&b.M, &r.T, &M, &e));
    /* a thin plate bends far more easily than it stretches */
    near_all(r.K, K.x, r.nr * r.nr, _i / NMETHOD % 3 == 2 ? 1e-9 : 1e-11, m);
    near_all(r.M, M.x, r.nr * r.nr, 1e-10, m);
    for (int64_t i = 0; i < r.nr; i++)
        for (int64_t j = 0; j < r.nr; j++)
            ck_assert(r.K[i * r.nr + j] == r.K[j * r.nr + i] &&
                      r.M[i * r.nr + j] == r.M[j * r.nr + i]);
    for (int64_t k = 0; k < r.nb; k++)
        for (int64_t j = 0; j < r.nr; j++)
            ck_assert(r.T.x[r.boundary[k] + j * b.ndof] == (j == k));
    ck_assert_int_eq(r.nr, o.order + (loads ? 3 : 0));
    fb_mat_free(&K);
    fb_mat_free(&M);
    fb_reduction_free(&r);
    fb_model_free(&b);
}
END_TEST

/* All modes kept: the full spectrum. Rayleigh: from above, and falling as modes are added. */
START_TEST(spectrum_from_above_to_exact)
{
    fb_model b;
    fb_reduction r = {0};
    double *last = NULL;
    full_any(&b, _i);
    fb_eig q = modes(&b, b.ndof);
    for (int64_t n = 3 * dofs_per_node(&b); n <= b.ndof;
         n = n < b.ndof && n + 7 > b.ndof ? b.ndof : n + 7) {
        reduce(&b, "cb", order(n, "1,2,6"), &r);
        double *w = roots(&r);
        int64_t full = r.nr == b.ndof;
        for (int64_t k = 6; k < r.nr; k++) {
            ck_assert_msg(w[k] >= q.lambda[k] * (1 - 1e-8), "mode %d of %d: %.12g below %.12g",
                          (int)k, (int)r.nr, w[k], q.lambda[k]);
            ck_assert(!full || fabs(w[k] / q.lambda[k] - 1) < 1e-8);
            ck_assert(!last || k >= r.nr - 7 || w[k] <= last[k] * (1 + 1e-8));
        }
        free(last);
        last = w;
        fb_reduction_free(&r);
    }
    free(last);
    fb_eig_free(&q);
    fb_model_free(&b);
}
END_TEST

START_TEST(without_modes_craig_bampton_is_guyan)
{
    fb_model b;
    fb_reduction c = {0}, g = {0};
    full_any(&b, _i);
    const int64_t nb = 3 * dofs_per_node(&b);
    fb_reduceopt o = order(nb, "1,2,6"), p = {.order = -1, .modes = -1, .masters = "1,2,6"};
    reduce(&b, "cb", o, &c);
    reduce(&b, "guyan", p, &g);
    ck_assert_int_eq(c.nr, g.nr);
    ck_assert_int_eq(c.nr, nb);
    ck_assert_mem_eq(c.K, g.K, sizeof(double) * (size_t)(nb * nb));
    ck_assert_mem_eq(c.M, g.M, sizeof(double) * (size_t)(nb * nb));
    fb_reduction_free(&c);
    fb_reduction_free(&g);
    fb_model_free(&b);
}
END_TEST

/* Rigid motion: no strain, all of the mass, in every method that holds it. */
START_TEST(rigid_motion_survives)
{
    static const char *const method[NMETHOD] = {"cb", "guyan", "imr", "lsmr", "mdm"};
    fb_model b;
    fb_reduction r = {0};
    fb_log log = {0};
    full_any(&b, _i / NMETHOD);
    const int64_t nb = 3 * dofs_per_node(&b);
    fb_reduceopt o = order(nb + 3, "1,2,6");
    if (_i % NMETHOD == 1 || _i % NMETHOD == 3)
        o.order = nb;
    if (_i % NMETHOD == 3) /* masters by K_jj/M_jj */
        o.interface = NULL;
    reduce(&b, method[_i % NMETHOD], o, &r);
    OK(fb_reduction_apply_take(&b, &r, &o, "x", NULL, &e));
    OK(fb_verdict(&b, &r.check, NULL, 0, &log, &e));
    ck_assert_int_eq(log.nwarning, 0);
    const double strain =
        _i % NMETHOD == 1 ? 1e-9 : 1e-10; /* condensed: the norm of Kr is far below that of K */
    for (int c = 0; c < 6; c++) {
        ck_assert_double_lt(b.v_rigid_full[c], 1e-14);
        ck_assert_msg(b.v_rigid_reduced[c] < strain, "%s: %g", method[_i % NMETHOD],
                      b.v_rigid_reduced[c]);
        ck_assert_double_eq_tol(b.v_mass_reduced[7 * c] / b.v_mass_full[7 * c], 1, 1e-9);
    }
    ck_assert_double_gt(b.v_definite[0], 0);
    ck_assert(b.v_definite[1] == 0 && b.v_definite[2] == 0);
    double total[6] = {
        0}; /* effective masses add up to the mass where the modes hold the rigid motion */
    for (int64_t k = 0; k < b.nr; k++)
        for (int c = 0; c < 6; c++)
            total[c] += b.p_mass[6 * k + c];
    for (int c = 0; c < 6; c++)
        ck_assert_double_eq_tol(total[c] / b.v_mass_full[7 * c], 1, 1e-8);
    fb_reduction_free(&r);
    fb_log_free(&log);
    fb_model_free(&b);
}
END_TEST

/* The lowest modes: exact in MDM and in LSMR, and the count by inertia agrees. */
START_TEST(exact_modes)
{
    fb_model b;
    fb_reduction r = {0}, l = {0};
    full_any(&b, _i);
    reduce(&b, "mdm", order(14, NULL), &r);
    reduce(&b, "lsmr", order(14, NULL), &l); /* masters by K_jj/M_jj */
    fb_eig q = modes(&b, 14);
    double *w = roots(&r), *v = roots(&l);
    for (int64_t k = 6; k < 14; k++) {
        ck_assert_double_eq_tol(w[k] / q.lambda[k], 1, 1e-10);
        ck_assert_msg(fabs(v[k] / q.lambda[k] - 1) < 1e-6, "LSMR mode %d: %.10g, %.10g", (int)k,
                      v[k], q.lambda[k]);
    }
    ck_assert_int_eq(r.check.sturm, r.check.n);
    free(w);
    free(v);
    fb_eig_free(&q);
    fb_reduction_free(&r);
    fb_reduction_free(&l);
    fb_model_free(&b);
}
END_TEST

/* Axes turned in space leave frequencies alone, and the mass and the trace of the inertia. */
START_TEST(axes)
{
    const double c = cos(0.3 + _i), s = sin(0.3 + _i), d = cos(1.1), h = sin(1.1);
    const double Q[3][3] = {{c, -s * d, s * h}, {s, c * d, -c * h}, {0, h, d}};
    fb_model b;
    fb_reduction r = {0};
    fb_log log = {0};
    double *w[2], trace[2];
    full_any(&b, _i);
    fb_reduceopt o = order(3 * dofs_per_node(&b) + 6, "1,2,6");
    for (int a = 0; a < 2; a++) {
        reduce(&b, "cb", o, &r);
        w[a] = roots(&r);
        OK(fb_reduction_apply_take(&b, &r, &o, "cb", NULL, &e));
        OK(fb_verdict(&b, &r.check, NULL, 0, &log, &e));
        for (int k = 0; k < 6; k++)
            ck_assert_double_lt(b.v_rigid_full[k], 1e-13);
        trace[a] = b.v_mass_reduced[21] + b.v_mass_reduced[28] + b.v_mass_reduced[35];
        fb_reduction_free(&r);
        fb_model_free(&b);
        full_any(&b, _i);
        OK(turn_blocks(&b.K, Q, &e));
        OK(turn_blocks(&b.M, Q, &e));
        for (int64_t p = 0; p < b.nn; p++) {
            const double *u = b.xyz + 3 * p;
            double v[3];
            for (int k = 0; k < 3; k++)
                v[k] = Q[k][0] * u[0] + Q[k][1] * u[1] + Q[k][2] * u[2];
            memcpy(b.xyz + 3 * p, v, sizeof v);
        }
    }
    for (int64_t k = 6; k < o.order; k++)
        ck_assert_msg(fabs(w[0][k] / w[1][k] - 1) < 1e-9, "root %d: %.12g, turned %.12g", (int)k,
                      w[0][k], w[1][k]);
    ck_assert_double_eq_tol(trace[0] / trace[1], 1, 1e-9);
    free(w[0]);
    free(w[1]);
    fb_log_free(&log);
    fb_model_free(&b);
}
END_TEST

/* Another system of units and another numbering leave frequencies alone. */
START_TEST(units_and_numbering)
{
    fb_model b;
    fb_reduction r = {0};
    fb_units mm;
    fb_csc K = {0}, M = {0};
    full_any(&b, _i);
    const int64_t per = dofs_per_node(&b), nr = 3 * per + 6;
    reduce(&b, "cb", order(nr, "1,2,6"), &r);
    double *w = roots(&r), *v;
    fb_reduction_free(&r);
    OK(fb_units_system(&mm, "mm-t-s", &e));
    OK(fb_model_convert(&b, &mm, &e));
    reduce(&b, "cb", order(nr, "1,2,6"), &r);
    v = roots(&r);
    for (int64_t k = 6; k < r.nr; k++)
        ck_assert_double_eq_tol(v[k] / w[k], 1, 1e-9);
    fb_reduction_free(&r);
    free(v);
    int64_t n = b.ndof, *p = malloc(sizeof *p * (size_t)n), *i = malloc(8 * (size_t)b.K.p[n]),
            *j = malloc(8 * (size_t)b.K.p[n]);
    for (int64_t k = 0; k < n; k++) /* backwards */
        p[k] = n - 1 - k;
    fb_csc *const A[] = {&b.K, &b.M}, *const B[] = {&K, &M};
    for (int a = 0; a < 2; a++) {
        for (int64_t c = 0; c < n; c++)
            for (int64_t q = A[a]->p[c]; q < A[a]->p[c + 1]; q++) {
                i[q] = p[c];
                j[q] = p[A[a]->i[q]];
            }
        OK(fb_csc_from_triplets(B[a], n, n, A[a]->p[n], i, j, A[a]->x, 1, &e));
        fb_csc_free(A[a]);
        *A[a] = *B[a];
    }
    for (int64_t k = 0; k < n; k++) {
        b.dof_node[k] = (n - 1 - k) / per + 1;
        b.dof_component[k] = (n - 1 - k) % per + 1;
    }
    reduce(&b, "cb", order(nr, "1,2,6"), &r);
    v = roots(&r);
    for (int64_t k = 6; k < r.nr; k++)
        ck_assert_double_eq_tol(v[k] / w[k], 1, 1e-9);
    free(p);
    free(i);
    free(j);
    free(v);
    free(w);
    fb_reduction_free(&r);
    fb_model_free(&b);
}
END_TEST

/* A unit load at a dof that has an attachment vector: its own displacement, boundary held, is the
 * full one. */
START_TEST(attachment_vectors_hold_the_static_answer)
{
    fb_model b;
    fb_reduction r = {0};
    fb_reduceopt o = order(11, "1,2,6");
    fb_factor *F = NULL;
    fb_mat X = {0};
    full_block(&b, _i);
    o.loads = "4:3";
    reduce(&b, "cb", o, &r);
    ck_assert_int_eq(r.nr, 12);
    ck_assert_int_eq(r.kind[11], FB_KIND_ATTACHMENT);
    for (int64_t d = 0; d < b.ndof; d++) /* the full answer: boundary held by penalty */
        if (b.dof_node[d] <= 2 || b.dof_node[d] == 6)
            for (int64_t q = b.K.p[d]; q < b.K.p[d + 1]; q++)
                if (b.K.i[q] == d)
                    b.K.x[q] *= 1e12;
    OK(fb_factor_spd(&F, &b.K, NULL, 0, NULL, NULL, &e));
    OK(fb_mat_new(&X, b.ndof, 1, &e));
    int64_t at = 3 * 3 + 2;
    X.x[at] = 1;
    OK(fb_factor_solve(F, &X, &e));
    double u = 0;
    for (int64_t k = r.nb; k < r.nr; k++)
        u += r.T.x[at + k * b.ndof] * r.T.x[at + k * b.ndof] / r.K[k + k * r.nr];
    ck_assert_msg(fabs(u / X.x[at] - 1) < 1e-8, "%.12g, %.12g wanted", u, X.x[at]);
    fb_mat_free(&X);
    fb_factor_free(F);
    fb_reduction_free(&r);
    fb_model_free(&b);
}
END_TEST

/* A model that lends K and M is without them afterwards, and its reduction the same to the last
 * bit, with a held dof (K and M of the equations are copies then) and without. */
START_TEST(lent_matrices_change_nothing)
{
    fb_model b;
    fb_reduction kept = {0}, lent = {0};
    fb_reduceopt o = order(40, "1,2,3,4");
    full_block(&b, 1);
    if (_i)
        b.dof_class[b.ndof - 1] = FB_DOF_FIXED;
    reduce(&b, "cb", o, &kept);
    ck_assert(b.K.p && b.M.p);
    o.lender = &b;
    reduce(&b, "cb", o, &lent);
    ck_assert(!b.K.p && !b.M.p);
    ck_assert_int_eq(lent.nr, kept.nr);
    const size_t square = sizeof(double) * (size_t)(kept.nr * kept.nr);
    ck_assert_mem_eq(lent.K, kept.K, square);
    ck_assert_mem_eq(lent.M, kept.M, square);
    ck_assert_mem_eq(lent.T.x, kept.T.x, sizeof(double) * (size_t)(kept.T.m * kept.T.n));
    fb_reduction_free(&kept);
    fb_reduction_free(&lent);
    fb_model_free(&b);
}
END_TEST

static void warned(const fb_model *b, const char *method, fb_reduceopt o, fb_reduction *r,
                   const char *text)
{
    fb_log log = {0};
    int found = 0;
    OK(fb_method_full(fb_method_find(method), b, &o, r, &log, &e));
    for (int64_t k = 0; k < log.nwarning; k++)
        found |= strstr(log.warning[k], text) != NULL;
    ck_assert_msg(found, "no warning '%s'; the first of %d is: %s", text, (int)log.nwarning,
                  log.nwarning ? log.warning[0] : "-");
    fb_log_free(&log);
}

/* Boundaries that let rigid motion through: all modes kept are the full spectrum all the same. */
START_TEST(loose_boundary)
{
    static const char *const boundary[] = {"1", "1:1", "1,2"};
    static const char *const says[] = {"lets 3 rigid motions through, which move most at",
                                       "lets 5 rigid motions through",
                                       "lets 1 rigid motion through"};
    fb_model b;
    fb_reduction r = {0};
    full_block(&b, 1);
    warned(&b, "cb", order(b.ndof, boundary[_i]), &r, says[_i]);
    fb_eig q = modes(&b, b.ndof);
    double *w = roots(&r);
    ck_assert_int_eq(r.nr, b.ndof);
    for (int64_t k = 6; k < r.nr; k++)
        ck_assert_msg(fabs(w[k] / q.lambda[k] - 1) < 1e-8, "mode %d: %.12g, %.12g", (int)k, w[k],
                      q.lambda[k]);
    free(w);
    fb_eig_free(&q);
    fb_reduction_free(&r);
    fb_model_free(&b);
}
END_TEST

/* A part that nothing ties to the boundary, and dofs without mass. */
START_TEST(floating_part_and_massless_dofs)
{
    fb_model b;
    test_model one = {0}, two = {0};
    fb_reduction r = {0};
    OK(test_chain(&one, 6, 250, 0.5, 0, &e));
    OK(test_twice(&two, &one, &e));
    test_model_free(&one);
    full_body(&b, &two);
    warned(&b, "cb", order(12, "1,6"), &r,
           "nothing ties to it the dofs 7.1 8.1 9.1 10.1 11.1 12.1");
    fb_reduction_free(&r);
    for (int64_t k = 0; k < 12; k += 2) /* every second mass goes: six roots are left */
        b.M.x[k] = 0;
    warned(&b, "mdm", order(9, NULL), &r, "6 modes instead of 9");
    double *w = roots(&r);
    ck_assert_int_eq(r.nr, 6);
    /* springs in series: masses 1, 3, 5 of k/2 between them, and the ends loose */
    for (int64_t k = 0; k < 3; k++)
        for (int c = 0; c < 2; c++)
            ck_assert_msg(fabs(w[2 * k + c] - 4 * 125 / 0.5 * pow(sin((double)k * M_PI / 6), 2)) <
                              1e-9 * 1000,
                          "%.15g", w[2 * k + c]);
    free(w);
    fb_reduction_free(&r);
    fb_model_free(&b);
}
END_TEST

/* u_3 = u_7 by a multiplier in the last row; the same by joining the two masses. */
START_TEST(multipliers)
{
    int64_t n = 10, i[64], j[64], nk = 0, nm = 0, nj = 0, ij[64], jj[64];
    double x[64], xj[64], mass[16];
    fb_model b;
    test_model t = {0}, u = {0};
    fb_reduction r = {0};
    for (int64_t k = 0; k + 1 < n; k++) {
        const int64_t at[3][2] = {{k, k}, {k + 1, k + 1}, {k, k + 1}};
        for (int c = 0; c < 3; c++) {
            int64_t a = at[c][0] == 7 ? 3 : at[c][0] > 7 ? at[c][0] - 1 : at[c][0];
            int64_t z = at[c][1] == 7 ? 3 : at[c][1] > 7 ? at[c][1] - 1 : at[c][1];
            i[nk] = at[c][0];
            j[nk] = at[c][1];
            ij[nj] = a < z ? a : z;
            jj[nj] = a < z ? z : a;
            xj[nj++] = x[nk++] = c < 2 ? 1000 : -1000;
        }
    }
    i[nk] = 3, j[nk] = n, x[nk++] = 1000;
    i[nk] = 7, j[nk] = n, x[nk++] = -1000;
    OK(fb_csc_from_triplets(&t.K, n + 1, n + 1, nk, i, j, x, 1, &e));
    OK(fb_csc_from_triplets(&u.K, n - 1, n - 1, nj, ij, jj, xj, 1, &e));
    for (; nm < n; nm++) {
        i[nm] = nm;
        mass[nm] = 2;
    }
    OK(fb_csc_from_triplets(&t.M, n + 1, n + 1, nm, i, i, mass, 1, &e));
    mass[3] = 4;
    OK(fb_csc_from_triplets(&u.M, n - 1, n - 1, n - 1, i, i, mass, 1, &e));
    full_body(&b, &t);
    b.dof_class[n] = FB_DOF_MULTIPLIER;
    fb_eig q = {0};
    OK(fb_eig_sparse(&u.K, &u.M, &(fb_eig_opts){.k = n - 1}, &q, &e));
    static const char *const how[] = {"cb", "mdm", "cb", "cb", "krylov"};
    for (int c = 0; c < 5; c++) {
        fb_reduceopt o = order(n - 1, c == 1 ? NULL : "1,10");
        o.free_boundary = c == 2 ? "1,10" : c == 3 ? "10" : NULL;
        o.at = "1.3";
        reduce(&b, how[c], o, &r);
        double *w = roots(&r);
        /* masses between 3 and 7 swing at 2 k/m unseen by the ends: no vector of a load there */
        int unseen = c == 4;
        ck_assert_int_eq(r.nr, n - 1 - unseen);
        for (int64_t k = 1, at = 1; k < n - 1; k++) {
            if (unseen && fabs(q.lambda[k] / 1000 - 1) < 1e-9) {
                unseen = 0; /* another root is there */
                continue;
            }
            ck_assert_msg(fabs(w[at] / q.lambda[k] - 1) < 1e-9, "%d, %s, mode %d: %.12g, %.12g", c,
                          how[c], (int)k, w[at], q.lambda[k]);
            at++;
        }
        free(w);
        fb_reduction_free(&r);
    }
    fb_eig_free(&q);
    test_model_free(&u);
    fb_model_free(&b);
}
END_TEST

/* V'Dr V is diagonal: 2 zeta w + alpha + beta w^2. */
START_TEST(damping)
{
    fb_model b;
    fb_reduction r = {0};
    fb_log log = {0};
    fb_mat V = {0}, D = {0};
    fb_reduceopt o = order(13, "1,2,6");
    full_block(&b, 2);
    OK(fb_csc_add(&b.K, 0, &b.M, &b.D, &e));
    for (int64_t q = 0; q < b.D.p[b.D.n]; q++)
        b.D.x[q] *= 1e-6;
    reduce(&b, "cb", o, &r);
    OK(fb_reduction_apply_take(&b, &r, &o, "cb", NULL, &e));
    for (int64_t k = 0; k < 13 * 13; k++)
        ck_assert_double_eq_tol(b.Dr[k], 1e-6 * b.Kr[k], 1e-9 * 1e-6 * fabs(b.Kr[0]));
    OK(fb_damping(&b, "3,2e-6", "7-13:0.01", &log, &e));
    const fb_mat K = {13, 13, b.Kr}, M = {13, 13, b.Mr}, Dr = {13, 13, b.Dr};
    double w2[13];
    OK(fb_eig_dense(&K, &M, w2, &V, &e));
    OK(fb_congruence(&Dr, &V, &D, &e));
    for (int64_t i = 0; i < 13; i++)
        for (int64_t j = 0; j < 13; j++) {
            double want = i != j ? 0 : 3 + 3e-6 * w2[i] + (i < 6 ? 0 : 0.02 * sqrt(w2[i]));
            ck_assert_double_eq_tol(D.x[i + 13 * j], want, 1e-6 * (3 + 3e-6 * w2[12]));
        }
    /* A list, the last one given counts; modes that none names have none. */
    static const double zeta[13] = {0, 0, 0.03, 0, 0, 0, 0.01, 0.02, 0.02, 0.05, 0, 0, 0.07};
    memset(b.Dr, 0, sizeof *b.Dr * 13 * 13);
    OK(fb_damping(&b, NULL, "3:0.03,7-10:0.01,8-9:0.02,10:0.05,13:0.07", &log, &e));
    fb_mat_free(&D);
    OK(fb_congruence(&Dr, &V, &D, &e));
    for (int64_t i = 0; i < 13; i++)
        for (int64_t j = 0; j < 13; j++)
            ck_assert_double_eq_tol(D.x[i + 13 * j],
                                    i != j ? 0 : 2 * zeta[i] * sqrt(fmax(w2[i], 0)),
                                    1e-9 * sqrt(w2[12]));
    const char *const bad[] = {"1", "1,2,3", "-1,0", "x,1"};
    for (size_t k = 0; k < sizeof bad / sizeof *bad; k++)
        ck_assert_int_eq(fb_damping(&b, bad[k], NULL, &log, &e), FB_EUSAGE);
    const char *const worse[] = {"2", "7:1.5", "14:0.1", "3-2:0.1", "a", "1:", "0.1x"};
    for (size_t k = 0; k < sizeof worse / sizeof *worse; k++)
        ck_assert_msg(fb_damping(&b, NULL, worse[k], &log, &e) == FB_EUSAGE, "%s", worse[k]);
    fb_log_free(&log);
    fb_mat_free(&V);
    fb_mat_free(&D);
    fb_reduction_free(&r);
    fb_model_free(&b);
}
END_TEST

/* Held dofs: no rows in T, none of them on the boundary; the spectrum is that of the held model. */
START_TEST(held_dofs)
{
    fb_model b;
    fb_reduction r = {0};
    fb_log log = {0};
    full_block(&b, 1);
    for (int64_t d = 0; d < 9; d++)
        b.dof_class[d] = FB_DOF_FIXED;
    reduce(&b, "mdm", order(10, NULL), &r);
    double *w = roots(&r);
    ck_assert_double_gt(w[0], 1e3);
    for (int64_t k = 0; k < r.nr; k++)
        for (int64_t d = 0; d < 9; d++)
            ck_assert(r.T.x[d + k * b.ndof] == 0);
    fb_reduction_free(&r);
    fb_reduceopt o = order(12, "3:1,6");
    ck_assert_int_eq(fb_method_full(&fb_method_cb, &b, &o, &r, &log, &e), FB_EUSAGE);
    ck_assert_msg(strstr(e.msg, "3.1 is held") != NULL, "%s", e.msg);
    o.interface = "6";
    o.loads = "2:1";
    ck_assert_int_eq(fb_method_full(&fb_method_cb, &b, &o, &r, &log, &e), FB_EUSAGE);
    ck_assert_msg(strstr(e.msg, "2.1 is held") != NULL, "%s", e.msg);
    free(w);
    fb_log_free(&log);
    fb_model_free(&b);
}
END_TEST

/* Rods whose middles alone have mass: M = sum of m/4 [1 1; 1 1] has no massless dof and one motion
 * without mass. The boundary and all fixed-interface modes hold one more than M has rank for: it
 * follows statically, and no root moves. */
START_TEST(motions_without_mass_follow_statically)
{
    enum { N = 12 };
    static const char *const boundary[] = {"1", "1,12", "1,2,6"};
    fb_model b;
    test_model t = {0};
    fb_reduction r = {0};
    int64_t i[3 * N], j[3 * N], n = 0;
    double x[3 * N];
    OK(test_chain(&t, N, 4e5, 1, _i / 3, &e));
    fb_csc_free(&t.M);
    for (int64_t k = 0; k + 1 < N; k++)
        for (int c = 0; c < 3; c++) {
            i[n] = k + (c == 2);
            j[n] = k + (c > 0);
            x[n++] = 0.25 * (1 + 0.1 * (double)k);
        }
    OK(fb_csc_from_triplets(&t.M, N, N, n, i, j, x, 1, &e));
    full_body(&b, &t);
    warned(&b, "cb", order(N, boundary[_i % 3]), &r,
           "without mass, which follow the others statically");
    fb_eig q = modes(&b, N);
    ck_assert_int_eq(q.n, N - 1);
    ck_assert_int_eq(r.nr, N - 1);
    double *w = roots(&r);
    for (int64_t k = _i < 3; k < r.nr; k++)
        ck_assert_msg(fabs(w[k] / q.lambda[k] - 1) < 1e-9, "root %d: %.12g, %.12g", (int)k, w[k],
                      q.lambda[k]);
    for (int64_t k = 0; k < r.nb; k++)
        for (int64_t c = 0; c < r.nr; c++)
            ck_assert(r.T.x[r.boundary[k] + c * b.ndof] == (c == k));
    fb_reduction_free(&r);
    fb_reduceopt o = order(N, boundary[_i % 3]);
    fb_status s;
    long fails;
    o.no_sturm = 1;
    EVERY_ALLOCATION_FAILS_ONCE(s, fails, {
        fb_log log = {0};
        s = fb_method_full(&fb_method_cb, &b, &o, &r, &log, &e);
        if (s == FB_OK &&
            fb_alloc_fail_after < 0) { /* a warning that finds no memory is lost, no error */
            s = FB_ESYS;
            fb_reduction_free(&r);
        }
        fb_log_free(&log);
    });
    ck_assert_int_ge(fails, 20);
    free(w);
    fb_eig_free(&q);
    fb_reduction_free(&r);
    fb_model_free(&b);
}
END_TEST

/* Boundary dofs 1 to 3 have no mass and reach nothing that has; 3 is the stiffest, then 1: they are
 * named, all three and no other. */
START_TEST(boundary_dofs_without_mass_are_named)
{
    static const int64_t i[] = {0, 1, 2, 0, 1, 3, 4, 3}, j[] = {0, 1, 2, 1, 2, 3, 4, 4};
    static const double k[] = {2e3, 70, 5e6, -20, -30, 9, 8, -2};
    fb_model b;
    test_model t = {0};
    fb_reduction r = {0};
    fb_log log = {0};
    OK(test_chain(&t, 5, 1, 1, 0, &e));
    fb_csc_free(&t.K);
    fb_csc_free(&t.M);
    OK(fb_csc_from_triplets(&t.K, 5, 5, 8, i, j, k, 1, &e));
    OK(fb_csc_from_triplets(&t.M, 5, 5, 2, i + 5, j + 5, (double[]){1, 2}, 1, &e));
    full_body(&b, &t);
    fb_reduceopt o = order(5, "1-3");
    ck_assert_int_eq(fb_method_full(&fb_method_cb, &b, &o, &r, &log, &e), FB_ESOLVE);
    ck_assert_msg(strstr(e.msg, "singular in 3 directions") && strstr(e.msg, " 1.1") &&
                      strstr(e.msg, " 2.1") && strstr(e.msg, " 3.1"),
                  "%s", e.msg);
    /* A mass that counts their sum alone leaves two directions: of each the stiffest dof. */
    static const int64_t p[] = {0, 0, 0, 1, 1, 2, 3, 4}, q[] = {0, 1, 2, 1, 2, 2, 3, 4};
    fb_csc_free(&b.M);
    OK(fb_csc_from_triplets(&b.M, 5, 5, 8, p, q, (double[]){1, 1, 1, 1, 1, 1, 1, 2}, 1, &e));
    ck_assert_int_eq(fb_method_full(&fb_method_cb, &b, &o, &r, &log, &e), FB_ESOLVE);
    ck_assert_msg(strstr(e.msg, "singular in 2 directions") && strstr(e.msg, " 1.1") &&
                      !strstr(e.msg, " 2.1") && strstr(e.msg, " 3.1"),
                  "%s", e.msg);
    fb_log_free(&log);
    fb_model_free(&b);
}
END_TEST

/* The -v notes of a run. */
typedef struct {
    char text[16384];
} notes;

static void take_note(void *self, int is_warning, const char *line)
{
    notes *t = self;
    const size_t at = strlen(t->text);
    if (!is_warning)
        snprintf(t->text + at, sizeof t->text - at, "%s\n", line);
}

/* What is said of a run is of that run: the masters by name, seconds that are neither negative nor
 * years. The boundary becomes the interface. */
START_TEST(notes_tell_the_run)
{
    fb_model b;
    test_model t = {0};
    fb_reduction r = {0};
    notes said = {""};
    fb_log log = {.verbose = 1, .sink = take_note, .self = &said};
    OK(test_solid(&t, (int64_t[]){3, 2, 2}, (double[]){0.6, 0.4, 0.4}, 20, &e));
    full_body(&b, &t);
    fb_reduceopt o = order(12, "1");
    OK(fb_method_full(fb_method_find("lsmr"), &b, &o, &r, &log, &e));
    const char *p = strstr(said.text, "9 masters chosen by");
    ck_assert_ptr_nonnull(p);
    for (int64_t k = 3; k < 12; k++) { /* and none other */
        char name[40];
        snprintf(name, sizeof name, " %lld.%lld", (long long)b.dof_node[r.boundary[k]],
                 (long long)b.dof_component[r.boundary[k]]);
        ck_assert_msg(strstr(p, name) != NULL, "%.200s lacks%s", p, name);
    }
    int names = 0;
    for (const char *q = strchr(p, ':'); *q != '\n'; q++)
        names += *q == '.';
    ck_assert_int_eq(names, 9);
    fb_reduction_free(&r);
    said.text[0] = 0;
    o = order(30, "1-4");
    OK(fb_method_full(fb_method_find("cb"), &b, &o, &r, &log, &e));
    const int64_t n = b.ndof, nb = r.nb;
    int timed = 0;
    for (p = said.text; (p = strstr(p, " s, memory at most ")); p++, timed++) {
        const char *from = p;
        while (from[-1] != ' ')
            from--;
        const double seconds = atof(from);
        ck_assert_msg(seconds >= 0 && seconds < 1e5, "%g s", seconds);
    }
    ck_assert_int_gt(timed, 0);
    OK(fb_reduction_apply_take(&b, &r, &o, "cb", &log, &e)); /* the boundary is the interface now */
    ck_assert_int_eq(b.nb, nb);
    for (int64_t k = 0; k < nb; k++)
        for (int64_t c = 0; c < 20; c++)
            ck_assert(b.T[b.interface_dof[k] + c * n] == (c == k));
    double step = 0;
    OK(fb_verdict(&b, &r.check, NULL, 0, &log, &e));
    p = strstr(said.text, "central differences are stable up to a step of ");
    ck_assert_ptr_nonnull(p);
    ck_assert_int_eq(sscanf(p, "central differences are stable up to a step of %lf s", &step), 1);
    ck_assert_double_eq_tol(step * M_PI * b.frequency[b.nr - 1], 1, 1e-3);
    fb_log_free(&log);
    fb_reduction_free(&r);
    fb_model_free(&b);
}
END_TEST

/* A load at a boundary dof has its answer already, one inside makes a coordinate. */
START_TEST(loads_at_the_boundary_and_inside)
{
    static const char *const loads[] = {"1", "9", "1,5", "5,9,7"};
    static const int more[] = {0, 0, 1, 2}, at_boundary[] = {1, 1, 1, 1};
    fb_model b;
    test_model t = {0};
    fb_reduction r = {0};
    notes said = {""};
    fb_log log = {.verbose = 1, .sink = take_note, .self = &said};
    OK(test_chain(&t, 9, 4e5, 1, 1, &e));
    full_body(&b, &t);
    fb_reduceopt o = order(4, "1,9");
    o.loads = loads[_i];
    OK(fb_method_full(fb_method_find("cb"), &b, &o, &r, &log, &e));
    ck_assert_int_eq(r.nr, 4 + more[_i]);
    int n = 0;
    for (const char *p = said.text; (p = strstr(p, " is a boundary dof, ")); p++)
        n++;
    ck_assert_int_eq(n, at_boundary[_i]);
    fb_log_free(&log);
    fb_reduction_free(&r);
    fb_model_free(&b);
}
END_TEST

/* Of 900 nodes every third is asked, and the last: 299 + 1 beside the one named. */
START_TEST(masters_of_many_dofs_are_sought_evenly)
{
    fb_model b;
    test_model t = {0};
    fb_reduction r = {0};
    notes said = {""};
    fb_log log = {.verbose = 1, .sink = take_note, .self = &said};
    OK(test_chain(&t, 900, 4e5, 1, 1, &e));
    full_body(&b, &t);
    fb_reduceopt o = order(4, "1");
    OK(fb_method_full(fb_method_find("guyan"), &b, &o, &r, &log, &e));
    ck_assert_msg(strstr(said.text, "3 masters chosen by the lowest K_jj/M_jj of 301 dofs:") !=
                      NULL,
                  "%s", said.text);
    for (int64_t k = 1; k < 4; k++)
        ck_assert(r.boundary[k] % 3 == 0 || r.boundary[k] == 899);
    fb_log_free(&log);
    fb_reduction_free(&r);
    fb_model_free(&b);
}
END_TEST

/* A dof without mass whose stiffness pushes: no shift makes that definite, and no motion is free of
 * both, so that the dof is named. */
START_TEST(a_negative_stiffness_without_mass_is_named)
{
    static const int64_t i[] = {0, 1, 2, 3, 4, 0, 2}, j[] = {0, 1, 2, 3, 4, 1, 3};
    static const double k[] = {100, 200, -50, 300, 400, -10, -5};
    fb_model b;
    test_model t = {0};
    fb_reduction r = {0};
    fb_log log = {0};
    OK(test_chain(&t, 5, 1, 1, 0, &e));
    fb_csc_free(&t.K);
    fb_csc_free(&t.M);
    OK(fb_csc_from_triplets(&t.K, 5, 5, 7, i, j, k, 1, &e));
    OK(fb_csc_from_triplets(&t.M, 5, 5, 5, i, j, (double[]){1, 1, 0, 1, 1}, 1, &e));
    full_body(&b, &t);
    fb_reduceopt o = order(2, NULL);
    ck_assert_int_eq(fb_method_full(fb_method_find("mdm"), &b, &o, &r, &log, &e), FB_ESOLVE);
    ck_assert_msg(strstr(e.msg, ", at dof 3.1: ") != NULL, "%s", e.msg);
    fb_log_free(&log);
    fb_model_free(&b);
}
END_TEST

/* A mass matrix of zeros that are stored is none: no modes, and that is said. */
START_TEST(stored_zeros_are_no_mass)
{
    fb_model b;
    test_model t = {0};
    fb_reduction r = {0};
    OK(test_chain(&t, 9, 4e5, 1, 1, &e));
    for (int64_t q = 0; q < t.M.p[9]; q++)
        t.M.x[q] *= t.M.i[q] == 0; /* the boundary has the only mass */
    full_body(&b, &t);
    warned(&b, "cb", order(4, "1"), &r, "no mass, so there are no modes");
    ck_assert_int_eq(r.nr, 1);
    fb_reduction_free(&r);
    fb_model_free(&b);
}
END_TEST

/* Twelve names, and how many more. */
START_TEST(long_lists_are_cut)
{
    fb_model b;
    test_model t = {0};
    fb_reduction r = {0};
    notes said = {""};
    fb_log log = {.verbose = 1, .sink = take_note, .self = &said};
    OK(test_chain(&t, 40, 4e5, 1, 1, &e));
    full_body(&b, &t);
    for (int more = 0; more < 3; more++) { /* 12, 13 and 16 chosen ones */
        fb_reduceopt o = order(more == 0 ? 13 : more == 1 ? 14 : 17, "1");
        said.text[0] = 0;
        OK(fb_method_full(fb_method_find("guyan"), &b, &o, &r, &log, &e));
        const char *p = strstr(said.text, " masters chosen by");
        ck_assert_ptr_nonnull(p);
        int names = 0;
        for (p = strchr(p, ':'); *p != '\n'; p++)
            names += *p == '.' && p[1] == '1';
        ck_assert_int_eq(names, 12);
        fb_reduction_free(&r);
    }
    fb_log_free(&log);
    fb_model_free(&b);
}
END_TEST

/* What a boundary does not hold of the rigid motion is said, but not of a body on springs, which
 * has none. */
START_TEST(rigid_motion_that_is_lost_is_said)
{
    fb_model b;
    fb_reduction r = {0};
    fb_log log = {0};
    fb_reduceopt o = order(5, "1,2:1,6:2"); /* one rigid motion moves none of them */
    full_block(&b, 1);
    for (int64_t d = 0; _i && d < b.ndof; d++)
        b.K.x[b.K.p[d + 1] - 1] *= 2; /* the diagonal ends a column of the upper triangle */
    reduce(&b, "cb", o, &r);
    OK(fb_reduction_apply_take(&b, &r, &o, "cb", NULL, &e));
    OK(fb_verdict(&b, &r.check, NULL, 0, &log, &e));
    int said = 0;
    for (int64_t k = 0; k < log.nwarning; k++)
        said += strstr(log.warning[k], "do not hold the rigid motion") != NULL;
    ck_assert_int_eq(said, !_i);
    ck_assert(_i ? b.v_rigid_full[0] > 1e-3 : b.v_rigid_full[0] < 1e-14);
    fb_log_free(&log);
    fb_reduction_free(&r);
    fb_model_free(&b);
}
END_TEST

/* G_ij of test_strip. */
static double hat(int64_t n, int64_t i, int64_t j)
{
    const int64_t a = i < j ? i : j, b = i < j ? j : i;
    return (double)(a + 1) * (double)(n - b) / (double)(n + 1);
}

/* The constraint mode of a strip of 600 masses in bending, in closed form. Held: G^2 e_b over its
 * own entry. Free: it turns about b by itself, so that 1 + a (i - b) is orthogonal to i - b, which
 * is the first normal mode. The factor alone leaves eps cond(K) = 1e-6 of it; (ST.4), (ST.5)
 * nothing but the rounding of T. */
START_TEST(constraint_modes_of_a_slender_body)
{
    enum { N = 600, B = 200 };
    test_model t = {0};
    fb_model b;
    fb_reduction r = {0};
    double want[N] = {0}, turn[2] = {0};
    OK(test_strip(&t, N, !_i, &e));
    full_body(&b, &t);
    for (int64_t i = 0; i < N; i++) {
        turn[0] += (double)(i - B);
        turn[1] += (double)((i - B) * (i - B));
    }
    for (int64_t i = 0; i < N; i++) {
        for (int64_t j = 0; !_i && j < N; j++)
            want[i] += hat(N, i, j) * hat(N, j, B);
        if (_i)
            want[i] = 1 - turn[0] / turn[1] * (double)(i - B);
    }
    reduce(&b, "cb", order(6, "201"), &r);
    for (int64_t i = 0; i < N; i++)
        ck_assert_msg(fabs(r.T.x[i] - want[i] / want[B]) <= 1e-13 * 2,
                      "row %d: %.17g, %.17g wanted", (int)i, r.T.x[i], want[i] / want[B]);
    const double *z = r.T.x + r.T.m;
    for (int64_t i = 0; _i && i < N; i++)
        ck_assert_msg(fabs(z[i] / (z[N - 1] - z[0]) - (double)(i - B) / (N - 1)) <= 1e-13,
                      "row %d of the rigid mode: %.17g", (int)i, z[i]);
    fb_reduction_free(&r);
    fb_model_free(&b);
}
END_TEST

/* Answers of a held strip to 40 single loads, in closed form: G^2. The factor leaves eps cond(K) of
 * them, 5e-11 of 60 masses and 1e-6 of 600. The errors of 16 sums of all answers span those of each
 * where these lie in few soft motions, as of 60: 2e-14 is left of them; of 600 more than 1e-11
 * could be, so all are refined. */
START_TEST(many_answers_of_a_slender_body)
{
    enum { LOADS = 40 };
    const int64_t n = _i ? 600 : 60;
    const fb_reduceopt o = {.order = -1, .modes = -1};
    test_model t = {0};
    fb_model b;
    fb_full f = {0};
    fb_statics st = {0};
    fb_log log = {0};
    fb_mat X = {0};
    double worst = 0;
    OK(test_strip(&t, n, 1, &e));
    full_body(&b, &t);
    OK(fb_full_new(&f, &b, &o, &log, &e));
    OK(fb_statics_new(&st, &f, &f.K, &f.M, NULL, 0, NULL, &e));
    OK(fb_mat_new(&X, n, LOADS, &e));
    for (int64_t c = 0; c < LOADS; c++)
        X.x[c * n / LOADS + c * n] = 1;
    OK(fb_statics_solve(&st, &X, &e));
    for (int64_t c = 0; c < LOADS; c++) {
        double wrong = 0, size = 0;
        for (int64_t i = 0; i < n; i++) {
            double want = 0;
            for (int64_t j = 0; j < n; j++)
                want += hat(n, i, j) * hat(n, j, c * n / LOADS);
            wrong += (X.x[i + c * n] - want) * (X.x[i + c * n] - want);
            size += want * want;
        }
        worst = fmax(worst, sqrt(wrong / size));
    }
    ck_assert_msg(worst < (_i ? 1e-14 : 1e-12), "%.3g of an answer is wrong", worst);
    fb_mat_free(&X);
    fb_statics_free(&st);
    fb_full_free(&f);
    fb_log_free(&log);
    fb_model_free(&b);
}
END_TEST

/* A := A so many times along its diagonal */
static void repeat(fb_csc *A, int64_t times)
{
    const int64_t n = A->n, entries = A->p[n];
    fb_csc B = {0};
    OK(fb_csc_new(&B, times * n, times * n, times * entries, 1, &e));
    for (int64_t t = 0; t < times; t++) {
        for (int64_t j = 0; j < n; j++)
            B.p[t * n + j + 1] = t * entries + A->p[j + 1];
        for (int64_t q = 0; q < entries; q++) {
            B.i[t * entries + q] = t * n + A->i[q];
            B.x[t * entries + q] = A->x[q];
        }
    }
    fb_csc_free(A);
    *A = B;
}

/* Of strips beside each other, loaded at every `step`-th mass of each and once by nothing, the
 * largest part of an answer that is wrong, by G^2. */
static double wrong_of_strips(const fb_mat *X, int64_t n, int64_t step)
{
    double worst = 0;
    for (int64_t c = 0; c < X->n; c++) {
        const int64_t load = c * step, first = load / n * n;
        double wrong = 0, size = 0;
        for (int64_t i = 0; i < X->m; i++) {
            double want = 0;
            for (int64_t j = 0; load < X->m && i >= first && i < first + n && j < n; j++)
                want += hat(n, i - first, j) * hat(n, j, load - first);
            wrong += pow(X->x[i + c * X->m] - want, 2);
            size += want * want;
        }
        worst = fmax(worst, sqrt(size > 0 ? wrong / size : wrong));
    }
    return worst;
}

/* (ER.1..3) of strips that do not know each other: the errors of each lie in motions of its own, so
 * that those of 4 are in the span of 16 sums, of 24 in that of 32, of 32 in that of 48 (what is
 * left of all answers: 6e-11, 2e-12 with 32; 7e-11, 2e-11, 7e-13 with 48), and of 60 in none
 * (5e-11). */
START_TEST(errors_of_many_parts)
{
    enum { N = 30, STEP = 3 };
    static const struct {
        int64_t parts;
        int good;
    } of[] = {{4, 1}, {24, 1}, {32, 1}, {60, 0}};
    const int64_t n = N * of[_i].parts;
    const fb_reduceopt o = {.order = -1, .modes = -1};
    test_model t = {0};
    fb_model b;
    fb_full f = {0};
    fb_statics st = {0};
    fb_log log = {0};
    fb_csc L = {0};
    fb_mat X = {0};
    int good = 0;
    OK(test_strip(&t, N, 1, &e));
    repeat(&t.K, of[_i].parts);
    repeat(&t.M, of[_i].parts);
    full_body(&b, &t);
    OK(fb_full_new(&f, &b, &o, &log, &e));
    OK(fb_statics_new(&st, &f, &f.K, &f.M, NULL, 0, NULL, &e));
    OK(fb_mat_new(&X, n, n / STEP + 1, &e));
    for (int64_t c = 0; c < n / STEP; c++)
        X.x[c * STEP + c * n] = 1;
    OK(fb_loads_sparse(&X, &L, &e));
    ck_assert_ptr_nonnull(L.p);
    OK(fb_factor_solve(st.F, &X, &e));
    const double before = wrong_of_strips(&X, N, STEP);
    OK(fb_answers_correct(&f.K, st.F, &L, &X, &good, &e));
    const double after = wrong_of_strips(&X, N, STEP);
    ck_assert_int_eq(good, of[_i].good);
    ck_assert_msg(good ? after < 1e-12 && after < before / 10 : !(after < before || after > before),
                  "%.3g of an answer is wrong, %.3g before", after, before);
    X.x[0] = NAN;
    OK(fb_answers_correct(&f.K, st.F, &L, &X, &good, &e));
    ck_assert_int_eq(good, 0);
    fb_mat_free(&X);
    fb_csc_free(&L);
    fb_statics_free(&st);
    fb_full_free(&f);
    fb_log_free(&log);
    fb_model_free(&b);
}
END_TEST

/* Attachment vectors that the modes kept already hold go, with a report. */
START_TEST(dependent_attachments_go)
{
    fb_model b;
    fb_reduction r = {0};
    fb_reduceopt o = order(0, NULL);
    full_block(&b, 1);
    o.order = b.ndof - 2; /* two answers are left for three loads */
    o.loads = "4:123";
    warned(&b, "mdm", o, &r, "attachment vector");
    ck_assert_int_le(r.nr, b.ndof);
    fb_reduction_free(&r);
    fb_model_free(&b);
}
END_TEST

/* A consistent mass, the same along all axes, of four nodes one of which has no dof along z: its
 * share of the mass moves with the others all the same. Of unit displacements (T = 1) the integrals
 * are I3 = sum_p m_pq e_a and I4 = sum_p m_pq u_p x e_a for dof a of node q. */
START_TEST(mass_of_a_direction_that_a_node_lacks)
{
    enum { P = 4, N = 11 };
    static const double m[P][P] = {
        {4, 1, 0.5, 0.2}, {1, 5, 0.7, 0.3}, {0.5, 0.7, 3, 0.4}, {0.2, 0.3, 0.4, 6}};
    static const double xyz[3 * P] = {0.3, 1.1, -0.4, 2, 0.2, 0.9, -1.3, 0.8, 1.7, 0.6, -0.5, 2.2};
    int64_t i[N * N], j[N * N], nnz = 0, node[N], axis[N], n = 0;
    double x[N * N], mass[3];
    fb_model b = {.nn = P, .ndof = N, .nr = N};
    fb_log log = {0};
    OK(fb_units_system(&b.units, "SI", &e));
    b.node_id = fb_alloc(P, 8);
    b.xyz = fb_alloc(3 * P, 8);
    memcpy(b.node_id, (int64_t[]){3, 7, 1, 9}, 32);
    memcpy(b.xyz, xyz, sizeof xyz);
    b.dof_node = fb_alloc(N, 8);
    b.dof_component = fb_alloc(N, 8);
    b.dof_class = fb_alloc(N, 8);
    b.T = fb_alloc(N * N, 8);
    b.Mr = fb_alloc(N * N, 8);
    b.Kr = fb_alloc(N * N, 8);
    b.kind = fb_alloc(N, 8);
    for (int p = 0; p < P; p++)
        for (int a = 0; a < 3; a++)
            if (p != 1 || a != 2) {
                node[n] = p;
                axis[n] = a;
                b.dof_node[n] = b.node_id[p];
                b.dof_component[n] = a + 1;
                b.kind[n] = FB_KIND_NORMAL;
                b.T[n * (N + 1)] = 1;
                b.Kr[n * (N + 1)] = (double)n + 1;
                n++;
            }
    for (int d = 0; d < N; d++)
        for (int c = 0; c < N; c++)
            if (axis[d] == axis[c]) {
                b.Mr[d * N + c] = m[node[d]][node[c]];
                if (d <= c) {
                    i[nnz] = d;
                    j[nnz] = c;
                    x[nnz++] = m[node[d]][node[c]];
                }
            }
    OK(fb_csc_from_triplets(&b.M, N, N, nnz, i, j, x, 1, &e));
    if (_i) { /* the same said by the mass and the labels of before the frames */
        nnz = 0;
        for (int p = 0; p < P; p++)
            for (int q = p; q < P; q++) {
                i[nnz] = p;
                j[nnz] = q;
                x[nnz++] = m[p][q];
            }
        OK(fb_csc_from_triplets(&b.Ms, P, P, nnz, i, j, x, 1, &e));
        b.na = N;
        b.all_node = fb_alloc(N, 8);
        b.all_component = fb_alloc(N, 8);
        b.all_class = fb_alloc(N, 8);
        memcpy(b.all_node, b.dof_node, N * 8);
        memcpy(b.all_component, b.dof_component, N * 8);
    }
    OK(fb_invariants_full(&b, mass, &log, &e));
    for (int a = 0; a < 3; a++) /* the same along all axes: the sum of m */
        ck_assert_double_eq_tol(mass[a], 24.2, 1e-12);
    for (int d = 0; d < N; d++) {
        const int a = (int)axis[d], y = (a + 1) % 3, z = (a + 2) % 3;
        double I3[3] = {0}, I4[3] = {0};
        for (int p = 0; p < P; p++) {
            const double w = m[p][node[d]], *u = xyz + 3 * p;
            I3[a] += w;
            I4[y] += w * u[z]; /* (u x e_a)_y = u_z, (u x e_a)_z = -u_y */
            I4[z] -= w * u[y];
        }
        for (int c = 0; c < 3; c++) {
            ck_assert_double_eq_tol(b.I[3][c * N + d], I3[c], 1e-12);
            ck_assert_double_eq_tol(b.I[4][c * N + d], I4[c], 1e-12);
        }
    }
    fb_log_free(&log);
    fb_model_free(&b);
}
END_TEST

/* A block of steel: mass, centre, inertia in closed form; the redundancies of the set. */
START_TEST(invariants_of_a_solid)
{
    fb_model b;
    test_model t = {0};
    fb_reduction r = {0};
    fb_log log = {0};
    const int64_t cells[] = {3, 2, 2};
    const double L[] = {0.6, 0.2, 0.1}, m = 7850 * 0.6 * 0.2 * 0.1;
    double mass[3];
    OK(test_solid(&t, cells, L, _i ? 20 : 8, &e));
    full_body(&b, &t);
    fb_reduceopt o = order(14, "1,2,6");
    reduce(&b, "cb", o, &r);
    OK(fb_reduction_apply_take(&b, &r, &o, "cb", NULL, &e));
    OK(fb_invariants_full(&b, mass, &log, &e));
    ck_assert_str_eq(b.mass_treatment, "matrix");
    ck_assert_double_eq_tol(b.I[1][0], m, 1e-9 * m);
    for (int a = 0; a < 3; a++) {
        int p = (a + 1) % 3, q = (a + 2) % 3;
        ck_assert_double_eq_tol(b.I[2][a], m * L[a] / 2, 1e-9 * m);
        ck_assert_double_eq_tol(b.I[7][4 * a], m * (L[p] * L[p] + L[q] * L[q]) / 3, 1e-9 * m);
        ck_assert_double_eq_tol(b.I[7][3 * a + p], -m * L[a] * L[p] / 4, 1e-9 * m);
        ck_assert_double_lt(b.lumping_error[a], 1e-12);
    }
    ck_assert_double_lt(fb_invariants_mass_error(&b), 1e-11);
    fb_reduction_free(&r);
    fb_model_free(&b);
}
END_TEST

START_TEST(every_allocation_may_fail)
{
    static const char *const method[NMETHOD] = {"cb", "guyan", "imr", "lsmr", "mdm"};
    fb_model b;
    test_model t = {0};
    fb_reduction r = {0};
    fb_status s;
    long fails;
    OK(test_chain(&t, 9, 250, 0.5, 0, &e));
    full_body(&b, &t);
    fb_reduceopt o = order(4, "1,9");
    o.loads = "5";
    o.no_sturm = 1;
    if (_i % NMETHOD == 1 || _i % NMETHOD == 3)
        o.interface = "1,9,4";
    if (_i >= NMETHOD)
        o.interface = "1";
    if (_i % NMETHOD == 0 && _i >= NMETHOD) { /* a floating part, too */
        b.dof_class[4] = FB_DOF_FIXED;
        o.loads = "3";
    }
    EVERY_ALLOCATION_FAILS_ONCE(s, fails, {
        fb_log log = {0};
        s = fb_method_full(fb_method_find(method[_i % NMETHOD]), &b, &o, &r, &log, &e);
        fb_log_free(&log);
    });
    ck_assert_int_ge(fails, 20);
    fb_reduction_free(&r);
    fb_model_free(&b);
}
END_TEST

/* All that follows a method, on a model made anew each time; memory fails only behind the method.
 * */
static fb_status aftermath(long after)
{
    fb_model b;
    test_model t = {0};
    fb_reduction r = {0};
    fb_log log = {0};
    fb_reduceopt o = order(10, "1,2,6");
    const int64_t cells[] = {2, 1, 1}, load[] = {5, 7};
    const double size[] = {0.3, 0.1, 0.1};
    double mass[3];
    fb_status s = FB_OK;
    fb_alloc_fail_after = -1;
    OK(test_solid(&t, cells, size, 8, &e));
    full_body(&b, &t);
    o.no_sturm = 1;
    reduce(&b, "cb", o, &r);
    o.orthonormalize = 1;
    fb_alloc_fail_after = after;
    FB_TRY(fb_reduction_apply_take(&b, &r, &o, "cb", NULL, &e));
    FB_TRY(fb_damping(&b, "0,1e-6", "0.02", &log, &e));
    FB_TRY(fb_verdict(&b, &r.check, load, 2, &log, &e));
    FB_TRY(fb_verdict_compare(&b, &o, &log, &e));
    FB_TRY(fb_invariants_full(&b, mass, &log, &e));
    s = fb_composite(&b, b.T, &e);
out:;
    long left = fb_alloc_fail_after;
    fb_log_free(&log);
    fb_reduction_free(&r);
    fb_model_free(&b);
    fb_alloc_fail_after = left;
    return s;
}

START_TEST(what_follows_may_fail_too)
{
    fb_status s;
    long fails;
    EVERY_ALLOCATION_FAILS_ONCE(s, fails, s = aftermath(fb_alloc_fail_after));
    ck_assert_int_ge(fails, 100);
}
END_TEST

Suite *suite_full(void)
{
    Suite *s = suite_create("full");
    TCase *t = tcase_create("laws");
    tcase_set_timeout(t, 120);
    tcase_add_loop_test(t, reduced_matrices_are_congruences, 0, 6 * NMETHOD);
    tcase_add_loop_test(t, spectrum_from_above_to_exact, 0, 6);
    tcase_add_loop_test(t, without_modes_craig_bampton_is_guyan, 0, 6);
    tcase_add_loop_test(t, rigid_motion_survives, 0, 6 * NMETHOD);
    tcase_add_loop_test(t, exact_modes, 0, 6);
    tcase_add_loop_test(t, units_and_numbering, 0, 6);
    tcase_add_loop_test(t, axes, 0, 6);
    tcase_add_loop_test(t, attachment_vectors_hold_the_static_answer, 0, 3);
    tcase_add_loop_test(t, loose_boundary, 0, 3);
    tcase_add_test(t, floating_part_and_massless_dofs);
    tcase_add_test(t, multipliers);
    tcase_add_test(t, damping);
    tcase_add_test(t, held_dofs);
    tcase_add_loop_test(t, motions_without_mass_follow_statically, 0, 6);
    tcase_add_test(t, boundary_dofs_without_mass_are_named);
    tcase_add_test(t, notes_tell_the_run);
    tcase_add_loop_test(t, loads_at_the_boundary_and_inside, 0, 4);
    tcase_add_test(t, masters_of_many_dofs_are_sought_evenly);
    tcase_add_test(t, a_negative_stiffness_without_mass_is_named);
    tcase_add_test(t, stored_zeros_are_no_mass);
    tcase_add_test(t, long_lists_are_cut);
    tcase_add_loop_test(t, lent_matrices_change_nothing, 0, 2);
    tcase_add_loop_test(t, rigid_motion_that_is_lost_is_said, 0, 2);
    tcase_add_loop_test(t, constraint_modes_of_a_slender_body, 0, 2);
    tcase_add_loop_test(t, many_answers_of_a_slender_body, 0, 2);
    tcase_add_loop_test(t, errors_of_many_parts, 0, 4);
    tcase_add_test(t, dependent_attachments_go);
    tcase_add_loop_test(t, mass_of_a_direction_that_a_node_lacks, 0, 2);
    tcase_add_loop_test(t, invariants_of_a_solid, 0, 2);
    tcase_add_loop_test(t, every_allocation_may_fail, 0, 2 * NMETHOD);
    tcase_add_test(t, what_follows_may_fail_too);
    suite_add_tcase(s, t);
    return s;
}
