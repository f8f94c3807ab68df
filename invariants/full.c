/* SPDX-License-Identifier: GPL-3.0-or-later */
/* full.c - inertia invariants of a body that has a mass matrix.
 *
 * Symbols  R rigid motion about the origin [ndof x 6] (lib/rigid_motion.c), T shapes [ndof x m], u
 *          positions, ~ skew, Ms isotropic part of M [nn x nn] (RI.3), phi translation rows of all
 *          nodes (SH.1)
 * Equations
 *   (IN.1) R'MR = [I1 1, I2~'; I2~, I7],  R'MT = [I3; I4],  T'MT = I6           exact for any
 *          element
 *   (IN.2) translations that a node lacks (planar models, supports) move by R all the same, with
 *          the mass Ms (RI.6)
 *   (IN.3) rows of R of dofs without geometry: -Kii^-1 Kib R_b, the static answer to the motion of
 *          the others (RE.3)
 *   (IN.4) I5_i = sum Ms_nm phi_n,i~ phi_m;  I9, I11 likewise;  I8, I10 with u - c, c = I2 / I1,
 *          then moved: I8_k += c~ (I3_k)~,  I10_ab += c_a I3_b                               I3 of
 *          (IN.1) With frames on nodes: Ms of the model before them (/recovery/Ms) and phi = G T,
 *                 exact for solids
 *   (IN.5) lumping error: of I4, I6, I7 about c what the sums of (IN.4) make of them misses, in
 *          2-norms, coordinates scaled to the generalized mass 1
 * At rest a simulator builds [R T]'M[R T], which is never indefinite.
 * Source   Zwoelfer & Gerstmayr, Multibody Syst. Dyn. (2021), nodal-based invariants: M = Ms x 1
 *          for solids, where all eleven are exact
 */
#include "linalg/sparse_ops.h"
#include "memory.h"
#include "inertia.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const int next[3] = {1, 2, 0}, after[3] = {2, 0, 1};

/* (IN.2): B += R'MsR [6,6] and C += T'MsR [m,6] of the entries that M lacks. */
static fb_status complete(const fb_model *b, const fb_gaps *g, fb_mat *B, fb_mat *C, fb_err *e)
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
            fb_rigid_row(b->xyz + 3 * g->p[t], a + 1, r);
            fb_rigid_row(b->xyz + 3 * g->q[t], a + 1, v);
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

/* (IN.1) and (IN.3); where nothing tells how dofs without geometry follow, they stay at rest. */
static fb_status rigid(const fb_model *b, fb_mat *R, fb_log *log, fb_err *e)
{
    fb_rigid_motion r = {0};
    fb_status s = FB_OK;
    FB_TRY(fb_rigid_motion_new(b, INT64_MAX, &r, e));
    if (r.move != FB_RIGID_UNKNOWN && r.turn != FB_RIGID_UNKNOWN) {
        *R = r.R;
        r.R = (fb_mat){0};
        goto out;
    }
    fb_warn(log, "dofs have no geometry, and no stiffness tells how they follow rigid motion: they "
                 "are taken to rest");
    FB_TRY(fb_model_rigid(b, R, e));
out:
    fb_rigid_motion_free(&r);
    return s;
}

/* (IN.1): B = R'MR [6,6], C = T'MR [m,6]. */
static fb_status products(const fb_model *b, const fb_gaps *g, fb_mat *B, fb_mat *C, fb_log *log,
                          fb_err *e)
{
    const fb_mat T = {b->ndof, b->nr, b->T};
    fb_mat R = {0}, MR = {0};
    fb_status s = FB_OK;
    FB_TRY(rigid(b, &R, log, e));
    FB_TRY(fb_mat_new(&MR, b->ndof, 6, e));
    FB_TRY(fb_csc_mul_many(&b->M, &R, &MR, e));
    FB_TRY(fb_mat_product(1, 0, &R, &MR, B, e));
    FB_TRY(fb_mat_product(1, 0, &T, &MR, C, e));
    FB_TRY(complete(b, g, B, C, e));
    fb_mat_symmetrise(B);
out:
    FB_FREE_BY(fb_mat_free, &R, &MR);
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

/* ||R (x - want) C|| / ||R want C|| of [n,m]; row, column: the diagonals of R and C, or NULL */
static double off(const double *x, const double *want, int64_t n, int64_t m, const double *row,
                  const double *column)
{
    double most = 0, size = 0;
    for (int64_t k = 0; k < n * m; k++) {
        const double scale = (row ? row[k / m] : 1) * (column ? column[k % m] : 1),
                     miss = scale * (x[k] - want[k]), all = scale * want[k];
        most += miss * miss;
        size += all * all;
    }
    return size > 0 ? sqrt(most / size) : 0;
}

/* Sums over Ms about c, for those who want all from one: I2, I3, I7 about the origin. */
static fb_status keep_sums(fb_model *b, const double c[3], fb_err *e)
{
    const int64_t n[8] = {0, 0, 3, 3 * b->nr, 0, 0, 0, 9};
    const double m = b->I[1][0], *S = b->I[2], cS = c[0] * S[0] + c[1] * S[1] + c[2] * S[2];
    for (int k = 2; k < 8; k++) {
        free(b->Is[k]);
        b->Is[k] = NULL;
        if (!n[k])
            continue;
        FB_PASS(fb_copy(&b->Is[k], b->I[k], n[k], 8, "an inertia invariant", e));
    }
    steiner(b->Is[7], m, c, 1);
    for (int a = 0; a < 3; a++) {
        for (int d = 0; d < 3; d++)
            b->Is[7][3 * a + d] += (a == d) * 2 * cS - c[a] * S[d] - S[a] * c[d];
        b->Is[2][a] += m * c[a];
    }
    return FB_OK;
}

/* The sums about c in b->I become the invariants about the origin: (IN.1), (IN.4), (IN.5). */
static fb_status combine(fb_model *b, const fb_mat *B, const fb_mat *C, const double c[3],
                         fb_err *e)
{
    const int64_t m = b->nr;
    double *I4 = NULL, *scale = NULL, *I3 = b->I[3], I7[9], m0 = (B->x[0] + B->x[7] + B->x[14]) / 3;
    fb_status s = FB_OK;
    FB_TRY(fb_new(&I4, 3 * m, 8, "an inertia invariant", e));
    FB_TRY(fb_new(&scale, m, 8, "coordinates of mass 1", e));
    for (int64_t k = 0; k < m; k++)
        scale[k] = fb_invariants_scale(b, k);
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
    b->lumping_error[0] = off(b->I[4], I4, 3, m, NULL, scale); /* (IN.5) */
    b->lumping_error[1] = off(b->I[6], b->Mr, m, m, scale, scale);
    b->lumping_error[2] = off(b->I[7], I7, 3, 3, NULL, NULL);
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
    FB_FREE(I4, scale);
    return s;
}

fb_status fb_invariants_full(fb_model *b, double mass[3], fb_log *log, fb_err *e)
{
    fb_node_mass x = {0};
    fb_mat B = {0}, C = {0};
    fb_status s = FB_OK;
    if (!b->node_id || !b->xyz)
        FB_TRY(fb_fail(
            e, FB_EFORMAT,
            "the nodes have no coordinates (/nodes/xyz): mnfparse --nodes FILE gives them"));
    FB_FREE(b->lumping_error);
    FB_TRY(fb_new(&b->lumping_error, 3, 8, "lumping error", e));
    FB_TRY(fb_node_mass_new(b, &x, e));
    FB_TRY(products(b, &x.gaps, &B, &C, log, e));
    const double m = (B.x[0] + B.x[7] + B.x[14]) / 3,
                 twice[3] = {B.x[1 + 6 * 5] - B.x[2 + 6 * 4], B.x[2 + 6 * 3] - B.x[6 * 5],
                             B.x[6 * 4] - B.x[1 + 6 * 3]};
    for (int a = 0; a < 3; a++)
        mass[a] = B.x[7 * a];
    if (!(m > 0))
        FB_TRY(fb_fail(
            e, FB_EFORMAT,
            "/full/M gives rigid translation the mass %g: the invariants want a positive one", m));
    const double c[3] = {twice[0] / (2 * m), twice[1] / (2 * m), twice[2] / (2 * m)};
    FB_TRY(fb_invariants_sums(b, b->T, x.Ms, c, e));
    FB_TRY(keep_sums(b, c, e));
    FB_TRY(combine(b, &B, &C, c, e));
    snprintf(b->mass_treatment, sizeof b->mass_treatment, "matrix");
    const double *off_by = b->lumping_error;
    fb_note(
        log,
        "I5 and I8 to I11 take the mean of the mass matrix over the axes: what they make of I4 is "
        "off by %.2g, of I6 by %.2g, of I7 by %.2g (rotary inertia, masses that differ by axis)",
        off_by[0], off_by[1], off_by[2]);
out:
    fb_node_mass_free(&x);
    FB_FREE_BY(fb_mat_free, &B, &C);
    return s;
}
