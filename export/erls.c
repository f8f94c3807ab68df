/* SPDX-License-Identifier: GPL-3.0-or-later */
/* erls.c - constant inertia matrices of the ERLS-CMS formulation, plain HDF5.
 *
 * Symbols  U_p [6 x M] translation and rotation rows of node p; m_p, J_p its mass and inertia;
 *          A_1..A_3 the generators of infinitesimal rotations about x, y, z (A_k v = e_k x v),
 *          S_1..S_6 those of Omega'Omega = wx^2 S_1 + wy^2 S_2 + wz^2 S_3 + wx wy S_4 + wy wz S_5 +
 *          wx wz S_6; A and S act on translation and rotation rows alike; < P, Q > = sum_p m (P
 *          phi)'(Q phi) + (P phi*)' J (Q phi*)
 * Equations
 *   (ERL.1) X_k  = < 1, A_k >    [3,M,M]
 *   (ERL.2) Y_k  = < 1, S_k >    [6,M,M]
 *   (ERL.3) Z_rd = < A_r, A_d >  [3,3,M,M]
 *   (ERL.4) W_rt = < A_r, S_t >  [3,6,M,M]
 * Layout   datasets X, Y, Z, W as above, K, M, D [M,M], U [Nc,6,M] the rows of the connectors, node
 *          [Nc], u0 [Nc,3]; C order, float64, attributes units and description.
 * Assumed  nodal masses (U'MU by them must be the generalized mass); any frame, any normalisation.
 * Source   R. Vidoni et al.; L. Scalera, PhD thesis, University of Udine 2018, App. A
 */
#include "memory.h"
#include "body.h"
#include "writer.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char who[] = "an ERLS record";

/* 1, A_1..A_3, S_1..S_6 */
static const double generator[10][3][3] = {
    {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}},   {{0, 0, 0}, {0, 0, -1}, {0, 1, 0}},
    {{0, 0, 1}, {0, 0, 0}, {-1, 0, 0}},  {{0, -1, 0}, {1, 0, 0}, {0, 0, 0}},
    {{0, 0, 0}, {0, 1, 0}, {0, 0, 1}},   {{1, 0, 0}, {0, 0, 0}, {0, 0, 1}},
    {{1, 0, 0}, {0, 1, 0}, {0, 0, 0}},   {{0, -1, 0}, {-1, 0, 0}, {0, 0, 0}},
    {{0, 0, 0}, {0, 0, -1}, {0, -1, 0}}, {{0, 0, -1}, {0, 0, 0}, {-1, 0, 0}},
};
enum { A = 1, S = 4 };

typedef struct {
    int64_t nn, m;
    fb_mat phi[3], rot[3]; /* [nn x M] rows by axis */
} rows;

static void rows_free(rows *t)
{
    for (int a = 0; a < 3; a++) {
        fb_mat_free(t->phi + a);
        fb_mat_free(t->rot + a);
    }
}

static fb_status gather(rows *t, const fb_model *b, fb_err *e)
{
    fb_shaper z = {0};
    double *y = NULL;
    fb_status s = FB_OK;
    t->nn = b->nn;
    t->m = b->nr;
    for (int a = 0; a < 3; a++) {
        FB_TRY(fb_mat_new(t->phi + a, t->nn, t->m, e));
        FB_TRY(fb_mat_new(t->rot + a, t->nn, t->m, e));
    }
    FB_TRY(fb_new(&y, 6 * t->nn, sizeof *y, "a shape", e));
    FB_TRY(fb_shaper_new(&z, b, fb_shapes(b), b->node_id, b->nn, e));
    for (int64_t k = 0; k < t->m; k++) {
        fb_shaper_column(&z, k, y);
        for (int64_t p = 0; p < t->nn; p++)
            for (int a = 0; a < 3; a++) {
                t->phi[a].x[p + k * t->nn] = y[6 * p + a];
                t->rot[a].x[p + k * t->nn] = y[6 * p + 3 + a];
            }
    }
out:
    free(y);
    fb_shaper_free(&z);
    return s;
}

/* R_a = sum_b g_ab F_b, rows of one axis. */
static void turned(const rows *t, const fb_mat *F, const double g[3][3], int a, fb_mat *R)
{
    int64_t n = t->nn * t->m;
    for (int64_t q = 0; q < n; q++)
        R->x[q] = g[a][0] * F[0].x[q] + g[a][1] * F[1].x[q] + g[a][2] * F[2].x[q];
}

/* C += sum_a (P F)_a' (w Q F)_a with w the masses, or the inertias (F the rotation rows). */
static fb_status product(const rows *t, const fb_model *b, int rotation, const double P[3][3],
                         const double Q[3][3], fb_mat *work, fb_mat *C, fb_err *e)
{
    const fb_mat *F = rotation ? t->rot : t->phi;
    fb_mat *L = work, *R = work + 1, *part = work + 2;
    for (int a = 0; a < 3; a++) {
        memset(R->x, 0, sizeof(double) * (size_t)(t->nn * t->m));
        for (int c = 0; c < 3; c++) {
            if (!rotation && c != a)
                continue;
            turned(t, F, Q, c, part);
            for (int64_t k = 0; k < t->m; k++)
                for (int64_t p = 0; p < t->nn; p++) {
                    double w = rotation ? b->node_inertia[9 * p + 3 * a + c] : b->node_mass[p];
                    R->x[p + k * t->nn] += w * part->x[p + k * t->nn];
                }
        }
        turned(t, F, P, a, L);
        fb_status s = fb_gemm(1, 0, 1, R, L, 1, C, e); /* column-major C_lk: C order [k][l] */
        if (s)
            return s;
    }
    return FB_OK;
}

/* < generator P, generator Q > into out [M,M]. */
static fb_status bracket(const rows *t, const fb_model *b, int P, int Q, fb_mat *work, double *out,
                         fb_err *e)
{
    fb_mat C = {t->m, t->m, out};
    fb_status s = product(t, b, 0, generator[P], generator[Q], work, &C, e);
    if (!s && b->node_inertia)
        s = product(t, b, 1, generator[P], generator[Q], work, &C, e);
    return s;
}

static fb_status brackets(const rows *t, const fb_model *b, double *X, double *Y, double *Z,
                          double *W, fb_err *e)
{
    int64_t mm = t->m * t->m;
    fb_mat work[3] = {{0}, {0}, {0}};
    fb_status s = FB_OK;
    for (int k = 0; k < 3; k++)
        FB_TRY(fb_mat_new(work + k, t->nn, t->m, e));
    for (int k = 0; k < 3; k++)
        FB_TRY(bracket(t, b, 0, A + k, work, X + k * mm, e)); /* (ERL.1) */
    for (int k = 0; k < 6; k++)
        FB_TRY(bracket(t, b, 0, S + k, work, Y + k * mm, e)); /* (ERL.2) */
    for (int r = 0; r < 3; r++)
        for (int k = 0; k < 3; k++)
            FB_TRY(bracket(t, b, A + r, A + k, work, Z + (3 * r + k) * mm, e)); /* (ERL.3) */
    for (int r = 0; r < 3; r++)
        for (int k = 0; k < 6; k++)
            FB_TRY(bracket(t, b, A + r, S + k, work, W + (6 * r + k) * mm, e)); /* (ERL.4) */
out:
    for (int k = 0; k < 3; k++)
        fb_mat_free(work + k);
    return s;
}

static fb_status emit(fb_run *r, const fb_model *b, const fb_nodes *x, double *const B[4],
                      const double *U, fb_err *e)
{
    static const signed char mlen2[FB_NUNIT] = {1, 2, 0, 0}, energy[FB_NUNIT] = {1, 2, -2, 0},
                             power[FB_NUNIT] = {1, 2, -1, 0};
    int64_t m = b->nr;
    char unit[4][96];
    fb_units_text(&b->units, mlen2, unit[0], sizeof unit[0]);
    fb_units_text(&b->units, energy, unit[1], sizeof unit[1]);
    fb_units_text(&b->units, power, unit[2], sizeof unit[2]);
    snprintf(unit[3], sizeof unit[3], "%s (translations), rad (rotations)",
             b->units.name[FB_LENGTH]);
#define ABOUT(u, text) \
    { \
        {"units", u}, \
        { \
            "description", text \
        } \
    }
    fb_array a[] = {
        {"/X", 'd', 3, {3, m, m}, B[0], NULL, ABOUT(unit[0], "U'M A_k U"), 0},
        {"/Y", 'd', 3, {6, m, m}, B[1], NULL, ABOUT(unit[0], "U'M S_k U"), 0},
        {"/Z", 'd', 4, {3, 3, m, m}, B[2], NULL, ABOUT(unit[0], "U'A_r' M A_d U"), 0},
        {"/W", 'd', 4, {3, 6, m, m}, B[3], NULL, ABOUT(unit[0], "U'A_r' M S_t U"), 0},
        {"/M", 'd', 2, {m, m}, b->Mr, NULL, ABOUT(unit[0], "generalized mass"), 0},
        {"/K", 'd', 2, {m, m}, b->Kr, NULL, ABOUT(unit[1], "generalized stiffness"), 0},
        {"/U", 'd', 3, {x->n, 6, m}, U, NULL, ABOUT(unit[3], "shapes of the connectors"), 0},
        {"/node", 'i', 1, {x->n}, x->node, NULL, ABOUT("1", "node numbers of the connectors"), 0},
        {"/u0",
         'd',
         2,
         {x->n, 3},
         x->xyz,
         NULL,
         ABOUT(b->units.name[FB_LENGTH], "undeformed positions of the connectors"),
         0},
        {"/D", 'd', 2, {m, m}, b->Dr, NULL, ABOUT(unit[2], "generalized damping"), 0},
    };
#undef ABOUT
    return fb_publish_arrays(r, a, (int64_t)(sizeof a / sizeof *a) - !b->Dr, 0, e);
}

static fb_status publish(fb_run *r, fb_stream *in, fb_model *b, const fb_export *ask, fb_err *e)
{
    static const int64_t many[4] = {3, 6, 9, 18};
    int64_t mm = b->nr * b->nr;
    double *B[4] = {0}, *U = NULL;
    fb_nodes x = {0};
    rows t = {0};
    fb_status s = FB_OK;
    (void)in;
    (void)ask;
    FB_TRY(fb_need_modes(b, who, e));
    if (!b->node_mass) {
        s = fb_fail(e, FB_EFORMAT, "%s wants nodal masses (/nodes/mass), which the body lacks",
                    who);
        goto out;
    }
    for (int k = 0; k < 4; k++)
        FB_TRY(fb_new(&B[k], many[k] * mm, 8, "ERLS matrices", e));
    FB_TRY(gather(&t, b, e));
    FB_TRY(brackets(&t, b, B[0], B[1], B[2], B[3], e));
    FB_TRY(fb_exposed_nodes(b, 0, &x, e));
    FB_TRY(fb_node_shapes(b, x.node, x.n, &U, e));
    s = emit(r, b, &x, B, U, e);
out:
    rows_free(&t);
    fb_nodes_free(&x);
    free(U);
    for (int k = 0; k < 4; k++)
        free(B[k]);
    return s;
}

const fb_writer fb_writer_erls = {"erls", "ERLS-CMS inertia matrices (HDF5)", 1, NULL, NULL, NULL,
                                  publish};
