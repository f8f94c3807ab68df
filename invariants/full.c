/* SPDX-License-Identifier: GPL-3.0-or-later */
/* full.c - inertia invariants of a body that has a mass matrix.
 *
 * Symbols  R rigid motion about the origin [ndof x 6] (lib/rigid.c), T shapes [ndof x m], u
 *          positions, ~ skew, Ms isotropic part of M [nn x nn] (RI.3), phi translation rows of all
 *          nodes (SH.1)
 * Equations
 *   (IN.1) R'MR = [I1 1, I2~'; I2~, I7],  R'MT = [I3; I4],  T'MT = I6           exact for any
 *          element
 *   (IN.2) translations that a node lacks (planar models, supports) move by R all the same, with
 *          the mass Ms, along axes that M gives less mass than others; not in bodies condensed
 *          before, whose nodes stand for the rest
 *   (IN.3) rows of R of dofs without geometry: -Kii^-1 Kib R_b, the static answer to the motion of
 *          the others
 *   (IN.4) I5_i = sum Ms_nm phi_n,i~ phi_m;  I9, I11 likewise;  I8, I10 with u - c, c = I2 / I1,
 *          then moved: I8_k += c~ (I3_k)~,  I10_ab += c_a I3_b                               I3 of
 *          (IN.1) With frames on nodes: Ms of the model before them (/recovery/Ms) and phi = G T,
 *                 exact for solids
 *   (IN.5) lumping error: of I4, I6, I7 about c what the sums of (IN.4) make of them misses, in
 *          2-norms
 * At rest a simulator builds [R T]'M[R T], which is never indefinite.
 * Source   Zwoelfer & Gerstmayr, Multibody Syst. Dyn. (2021), nodal-based invariants: M = Ms x 1
 *          for solids, where all eleven are exact
 */
#include "linalg/factor.h"
#include "linalg/sparse_ops.h"
#include "memory.h"
#include "inertia.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const int next[3] = {1, 2, 0}, after[3] = {2, 0, 1};

/* Masses along two axes that differ by less, in shares, are one. */
static const double same_mass = 1e-9;

static int has_place(const fb_model *b, int64_t d)
{
    const int64_t c = b->dof_component[d];
    return c >= 1 && c <= 6 &&
           (!b->dof_class || b->dof_class[d] == FB_DOF_PHYSICAL || b->dof_class[d] == FB_DOF_FIXED);
}

int fb_invariants_need_stiffness(const fb_model *b)
{
    for (int64_t d = 0; d < b->ndof; d++)
        if (!has_place(b, d))
            return 1;
    return 0;
}

/* (IN.3); where K leaves these dofs loose they stay at rest. */
static fb_status extend(const fb_model *b, fb_mat *R, fb_log *log, fb_err *e)
{
    const int64_t n = b->ndof;
    fb_mat KR = {0}, X = {0};
    fb_csc Kii = {0};
    fb_factor *F = NULL;
    int64_t *in = NULL, ni = 0;
    fb_status s = FB_OK;
    if (!b->K.p || !fb_invariants_need_stiffness(b))
        return FB_OK;
    FB_TRY(fb_new(&in, n, 8, "dofs without geometry", e));
    for (int64_t d = 0; d < n; d++)
        if (!has_place(b, d))
            in[ni++] = d;
    FB_TRY(fb_mat_new(&KR, n, 6, e));
    FB_TRY(fb_csc_mul_many(&b->K, R, &KR, e));
    FB_TRY(fb_mat_new(&X, ni, 6, e));
    for (int c = 0; c < 6; c++)
        for (int64_t k = 0; k < ni; k++)
            X.x[k + c * ni] = -KR.x[in[k] + c * n];
    if (fb_mat_max(&X) == 0) /* fixed-interface modes */
        goto out;
    FB_TRY(fb_csc_sub(&b->K, in, ni, in, ni, &Kii, e));
    s = fb_factor_spd(&F, &Kii, NULL, 0, NULL, NULL, e);
    if (s == FB_ESOLVE) {
        fb_note(log,
                "%lld dofs have no geometry, and no stiffness tells how they follow rigid motion: "
                "they are taken to rest",
                (long long)ni);
        s = FB_OK;
        goto out;
    }
    FB_TRY(s);
    FB_TRY(fb_factor_solve(F, &X, e));
    for (int c = 0; c < 6; c++)
        for (int64_t k = 0; k < ni; k++)
            R->x[in[k] + c * n] = X.x[k + c * ni];
out:
    fb_mat_free(&KR);
    fb_mat_free(&X);
    fb_csc_free(&Kii);
    fb_factor_free(F);
    free(in);
    return s;
}

/* Row (p, a) of R for a node that may lack the dof. */
static void rigid_row(const fb_model *b, int64_t p, int a, double r[6])
{
    memset(r, 0, 6 * sizeof *r);
    r[a] = 1;
    r[3 + next[a]] = b->xyz[3 * p + after[a]];
    r[3 + after[a]] = -b->xyz[3 * p + next[a]];
}

typedef struct { /* entries of Ms, by axis, that M lacks */
    int64_t *p, *q, n;
    int *axis;
    double *x;
} gaps;

static void gaps_free(gaps *g)
{
    free(g->p);
    free(g->q);
    free(g->axis);
    free(g->x);
}

/* Along axes of which short_of says so. */
static fb_status find_gaps(const fb_csc *Ms, const int64_t *has, const int short_of[3], gaps *g,
                           fb_err *e)
{
    fb_status s = FB_OK;
    for (int pass = 0; pass < 2; pass++) {
        int64_t n = 0;
        for (int64_t q = 0; q < Ms->n; q++)
            for (int64_t t = Ms->p[q]; t < Ms->p[q + 1]; t++)
                for (int a = 0; a < 3; a++) {
                    if (!short_of[a] || has[Ms->i[t]] >> a & has[q] >> a & 1)
                        continue;
                    if (pass) {
                        g->p[n] = Ms->i[t];
                        g->q[n] = q;
                        g->axis[n] = a;
                        g->x[n] = Ms->x[t];
                    }
                    n++;
                }
        if (pass || (g->n = n) == 0)
            break;
        FB_TRY(fb_new(&g->p, n, 8, "translations that nodes lack", e));
        FB_TRY(fb_new(&g->q, n, 8, "translations that nodes lack", e));
        FB_TRY(fb_new(&g->axis, n, sizeof *g->axis, "translations that nodes lack", e));
        FB_TRY(fb_new(&g->x, n, 8, "translations that nodes lack", e));
    }
out:
    return s;
}

/* (IN.2): B += R'MsR [6,6] and C += T'MsR [m,6] of the entries that M lacks. */
static fb_status complete(const fb_model *b, const gaps *g, fb_mat *B, fb_mat *C, fb_err *e)
{
    fb_shaper z = {0};
    double *y = NULL, r[6], v[6];
    fb_status s = FB_OK;
    if (!g->n)
        return FB_OK;
    FB_TRY(fb_shaper_new(&z, b, b->T, b->node_id, b->nn, e));
    FB_TRY(fb_new(&y, 6 * b->nn, 8, "a shape", e));
    for (int64_t k = -1; k < b->nr; k++) {
        if (k >= 0)
            fb_shaper_column(&z, k, y);
        for (int64_t t = 0; t < g->n; t++) {
            const int a = g->axis[t], twice = g->p[t] != g->q[t];
            rigid_row(b, g->p[t], a, r);
            rigid_row(b, g->q[t], a, v);
            for (int c = 0; c < 6; c++) {
                for (int d = 0; k < 0 && d < 6; d++)
                    B->x[c + 6 * d] += g->x[t] * (r[c] * v[d] + (twice ? v[c] * r[d] : 0));
                if (k >= 0)
                    C->x[k + c * C->m] += g->x[t] * (y[6 * g->p[t] + a] * v[c] +
                                                     (twice ? y[6 * g->q[t] + a] * r[c] : 0));
            }
        }
    }
out:
    free(y);
    fb_shaper_free(&z);
    return s;
}

/* The mass between the nodes, and the axes [nn] that they have in it: of before the frames, where
 * there are any. */
static fb_status node_mass(const fb_model *b, fb_csc *own, const fb_csc **Ms, int64_t **has,
                           fb_err *e)
{
    fb_index x = {0};
    fb_status s = FB_OK;
    *Ms = b->Ms.p ? &b->Ms : own;
    if (!b->Ms.p || !b->all_node || !b->all_component)
        return fb_model_isotropic(b, own, has, e);
    FB_TRY(fb_index_new(&x, b->node_id, b->nn, "/nodes/id", e));
    FB_TRY(fb_new(has, b->nn, 8, "axes of the nodes", e));
    for (int64_t d = 0; d < b->na; d++) {
        const int64_t p = fb_index_find(&x, b->all_node[d]), c = b->all_component[d];
        if (p >= 0 && c >= 1 && c <= 3 && (!b->all_class || b->all_class[d] == FB_DOF_PHYSICAL))
            (*has)[p] |= (int64_t)1 << (c - 1);
    }
out:
    fb_index_free(&x);
    return s;
}

/* (IN.1): B = R'MR [6,6], C = T'MR [m,6]. */
static fb_status products(const fb_model *b, const fb_csc *Ms, const int64_t *has, fb_mat *B,
                          fb_mat *C, fb_log *log, fb_err *e)
{
    const fb_mat T = {b->ndof, b->nr, b->T};
    fb_mat R = {0}, MR = {0};
    gaps g = {0};
    int short_of[3];
    fb_status s = FB_OK;
    FB_TRY(fb_model_rigid(b, &R, e));
    FB_TRY(extend(b, &R, log, e));
    FB_TRY(fb_mat_new(&MR, b->ndof, 6, e));
    FB_TRY(fb_csc_mul_many(&b->M, &R, &MR, e));
    FB_TRY(fb_mat_new(B, 6, 6, e));
    FB_TRY(fb_mat_new(C, b->nr, 6, e));
    FB_TRY(fb_gemm(1, 0, 1, &R, &MR, 0, B, e));
    FB_TRY(fb_gemm(1, 0, 1, &T, &MR, 0, C, e));
    const double most = fmax(fmax(B->x[0], B->x[7]), B->x[14]);
    const int condensed = fb_invariants_need_stiffness(b);
    for (int a = 0; a < 3;
         a++) /* all the mass is there: nodes that lack an axis stand for others */
        short_of[a] = !condensed && B->x[7 * a] < (1 - same_mass) * most;
    FB_TRY(find_gaps(Ms, has, short_of, &g, e));
    FB_TRY(complete(b, &g, B, C, e));
    fb_mat_symmetrise(B);
out:
    gaps_free(&g);
    fb_mat_free(&R);
    fb_mat_free(&MR);
    return s;
}

/* Moves the inertia J about the origin to c, or back (by = 1) of mass m with its centre there. */
static void steiner(double J[9], double m, const double c[3], double by)
{
    const double cc = c[0] * c[0] + c[1] * c[1] + c[2] * c[2];
    for (int a = 0; a < 3; a++)
        for (int d = 0; d < 3; d++)
            J[3 * a + d] += by * m * ((a == d) * cc - c[a] * c[d]);
}

/* ||x - want|| / ||want||, which no turn of the axes changes */
static double off(const double *x, const double *want, int64_t n)
{
    double most = 0, size = 0;
    for (int64_t k = 0; k < n; k++) {
        most += (x[k] - want[k]) * (x[k] - want[k]);
        size += want[k] * want[k];
    }
    return size > 0 ? sqrt(most / size) : 0;
}

/* Sums over Ms about c, for those who want all from one: I2, I3, I7 about the origin. */
static fb_status keep_sums(fb_model *b, const double c[3], fb_err *e)
{
    const int64_t n[8] = {0, 0, 3, 3 * b->nr, 0, 0, 0, 9};
    const double m = b->I[1][0], *S = b->I[2], cS = c[0] * S[0] + c[1] * S[1] + c[2] * S[2];
    fb_status s = FB_OK;
    for (int k = 2; k < 8; k++) {
        free(b->Is[k]);
        b->Is[k] = NULL;
        if (!n[k])
            continue;
        FB_TRY(fb_new(&b->Is[k], n[k], 8, "an inertia invariant", e));
        memcpy(b->Is[k], b->I[k], sizeof(double) * (size_t)n[k]);
    }
    steiner(b->Is[7], m, c, 1);
    for (int a = 0; a < 3; a++) {
        for (int d = 0; d < 3; d++)
            b->Is[7][3 * a + d] += (a == d) * 2 * cS - c[a] * S[d] - S[a] * c[d];
        b->Is[2][a] += m * c[a];
    }
out:
    return s;
}

/* The sums about c in b->I become the invariants about the origin: (IN.1), (IN.4), (IN.5). */
static fb_status combine(fb_model *b, const fb_mat *B, const fb_mat *C, const double c[3],
                         fb_err *e)
{
    const int64_t m = b->nr;
    double *I4 = NULL, *I3 = b->I[3], I7[9], m0 = (B->x[0] + B->x[7] + B->x[14]) / 3;
    fb_status s = FB_OK;
    FB_TRY(fb_new(&I4, 3 * m, 8, "an inertia invariant", e));
    for (int a = 0; a < 3; a++)
        memcpy(I3 + a * m, C->x + a * m, sizeof *I3 * (size_t)m);
    for (int a = 0; a < 3; a++)
        for (int64_t k = 0; k < m; k++) /* about c */
            I4[a * m + k] = C->x[k + (3 + a) * m] -
                            (c[next[a]] * I3[after[a] * m + k] - c[after[a]] * I3[next[a] * m + k]);
    for (int a = 0; a < 3; a++)
        for (int d = 0; d < 3; d++)
            I7[3 * a + d] = B->x[3 + a + 6 * (3 + d)];
    steiner(I7, m0, c, -1);
    b->lumping_error[0] = off(b->I[4], I4, 3 * m); /* (IN.5) */
    b->lumping_error[1] = off(b->I[6], b->Mr, m * m);
    b->lumping_error[2] = off(b->I[7], I7, 9);
    for (int a = 0; a < 3; a++) {
        b->I[2][a] = m0 * c[a];
        memcpy(b->I[4] + a * m, C->x + (3 + a) * m, sizeof *I4 * (size_t)m);
    }
    steiner(I7, m0, c, 1);
    memcpy(b->I[7], I7, sizeof I7);
    memcpy(b->I[6], b->Mr, sizeof *I4 * (size_t)(m * m));
    b->I[1][0] = m0;
    for (int64_t k = 0; k < m; k++) { /* (IN.4) by c~ s~ = s c' - (c.s) 1 */
        const double t = c[0] * I3[k] + c[1] * I3[m + k] + c[2] * I3[2 * m + k];
        for (int a = 0; a < 3; a++)
            for (int d = 0; d < 3; d++) {
                b->I[8][9 * k + 3 * a + d] += I3[a * m + k] * c[d] - (a == d) * t;
                b->I[10][(3 * a + d) * m + k] += c[a] * I3[d * m + k];
            }
    }
out:
    free(I4);
    return s;
}

fb_status fb_invariants_full(fb_model *b, double mass[3], fb_log *log, fb_err *e)
{
    fb_csc own = {0};
    const fb_csc *Ms = NULL;
    fb_mat B = {0}, C = {0};
    int64_t *has = NULL;
    fb_status s = FB_OK;
    if (!b->node_id || !b->xyz) {
        s = fb_fail(e, FB_EFORMAT,
                    "the nodes have no coordinates (/nodes/xyz): mnfparse --nodes FILE gives them");
        goto out;
    }
    free(b->lumping_error);
    b->lumping_error = NULL;
    FB_TRY(fb_new(&b->lumping_error, 3, 8, "lumping error", e));
    FB_TRY(node_mass(b, &own, &Ms, &has, e));
    FB_TRY(products(b, Ms, has, &B, &C, log, e));
    const double m = (B.x[0] + B.x[7] + B.x[14]) / 3,
                 twice[3] = {B.x[1 + 6 * 5] - B.x[2 + 6 * 4], B.x[2 + 6 * 3] - B.x[6 * 5],
                             B.x[6 * 4] - B.x[1 + 6 * 3]};
    for (int a = 0; a < 3; a++)
        mass[a] = B.x[7 * a];
    if (!(m > 0)) {
        s = fb_fail(
            e, FB_EFORMAT,
            "/full/M gives rigid translation the mass %g: the invariants want a positive one", m);
        goto out;
    }
    const double c[3] = {twice[0] / (2 * m), twice[1] / (2 * m), twice[2] / (2 * m)};
    FB_TRY(fb_invariants_sums(b, b->T, Ms, c, e));
    FB_TRY(keep_sums(b, c, e));
    FB_TRY(combine(b, &B, &C, c, e));
    snprintf(b->mass_treatment, sizeof b->mass_treatment, "matrix");
    const double *x = b->lumping_error;
    fb_note(log,
            "I5 and I8 to I11 take the mean of the mass matrix over the axes: what they make of I4 "
            "is off by %.2g, of I6 by "
            "%.2g, of I7 by %.2g (rotary inertia, masses that differ by axis)",
            x[0], x[1], x[2]);
out:
    fb_csc_free(&own);
    fb_mat_free(&B);
    fb_mat_free(&C);
    free(has);
    return s;
}
