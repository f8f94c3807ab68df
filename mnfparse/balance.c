/* SPDX-License-Identifier: GPL-3.0-or-later */
/* balance.c - the model as a rigid body: does K resist rigid motion, and what does M weigh?
 *
 *   (BA.1) r_a   = e_a at translations                                      a = x, y, z
 *          r_3+a = e_a x (u - o) at translations, e_a at rotations          o: middle of the nodes
 *   (BA.2) residual_k = max |K r_k| / max (|K| |r_k|)
 *   (BA.3) B = R' M R = [ m I, -m c~ ; m c~, J_o ] for a body that has all its translations
 *   (BA.4) J_c = J_o - m ((c.c) I - c c')
 * Only physical dofs of nodes with coordinates move; a row of K that joins others (modal, internal,
 * multipliers) says nothing and its K r is not looked at, but |K| |r| is: where modes hang on most rows, K may
 * be round-off in the others. */
#include "assemble.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define SUSPECT 1e-4    /* coordinates of 5 digits give 1e-5 */
#define SAME_MASS 1e-6
/* Supports in one direction take some mass from it; more than this ratio is another matrix. */
#define ODD_MASS 1.5
#define NOISE   1e-9    /* of sqrt(K_ii K_cc): no coupling, but what is left of one that cancels */

/* The six rigid motions at dof d; 0: not known. */
static int rigid_row(const fb_join *j, int64_t d, const double o[3], double r[6])
{
    int64_t c = j->component[d], p = j->place[d];
    memset(r, 0, 6 * sizeof *r);
    if (c < 1 || c > 6 || p < 0 || (j->class[d] != FB_DOF_PHYSICAL && j->class[d] != FB_DOF_FIXED) || j->repeated[d])
        return 0;
    r[c - 1] = 1;
    if (c > 3)
        return 1;
    double u[3];
    for (int a = 0; a < 3; a++)
        u[a] = j->b->xyz[3 * p + a] - o[a];
    int y = (int)c % 3, z = (int)(c + 1) % 3;                     /* (e_a x u)_c, a = y, z behind c */
    r[3 + y] = u[z];
    r[3 + z] = -u[y];
    return 1;
}

static void middle(const fb_join *j, double o[3])
{
    double lo[3], hi[3];
    fb_box(j->b->xyz, j->b->nn, lo, hi);
    for (int a = 0; a < 3; a++)
        o[a] = 0.5 * (lo[a] + hi[a]);
}

/* ---- K ---------------------------------------------------------------------------------- */

typedef struct {
    double *r, *y, *w; /* [n,6] motion, K r, |K| |r| */
    double *d;         /* [n] diagonal of K */
    char   *known, *blind; /* [n] */
} motion;

static void multiply(const fb_csc *K, motion *m)
{
    for (int64_t c = 0; c < K->n; c++)
        for (int64_t q = K->p[c]; q < K->p[c + 1]; q++) {
            int64_t i = K->i[q];
            int joined = fabs(K->x[q]) > NOISE * sqrt(fabs(m->d[i] * m->d[c]));
            m->blind[c] |= (char)(joined && !m->known[i]);
            m->blind[i] |= (char)(joined && !m->known[c]);
            for (int a = 0; a < 6; a++) {
                double up = K->x[q] * m->r[6 * c + a], low = K->x[q] * m->r[6 * i + a];
                m->y[6 * i + a] += up;
                m->w[6 * i + a] += fabs(up);
                if (i == c)
                    continue;
                m->y[6 * c + a] += low;
                m->w[6 * c + a] += fabs(low);
            }
        }
}

static fb_status residual(fb_join *j, motion *m, fb_err *e)
{
    double top[6] = {0}, scale[6] = {0}, worst = 0;
    int64_t seen = 0;
    fb_csc_diagonal(&j->A[FB_K], m->d);
    multiply(&j->A[FB_K], m);
    for (int64_t d = 0; d < j->n; d++) {
        if (!m->known[d] || j->class[d] == FB_DOF_FIXED)
            continue;
        seen += !m->blind[d];
        for (int a = 0; a < 6; a++) {
            top[a] = m->blind[d] ? top[a] : fmax(top[a], fabs(m->y[6 * d + a]));
            scale[a] = fmax(scale[a], m->w[6 * d + a]);
        }
    }
    if (!seen)
        return FB_OK;
    j->b->nmotion = 6;
    fb_status s = fb_new(&j->b->rigid_residual, 6, 8, "rigid motion", e);
    if (s)
        return s;
    for (int a = 0; a < 6; a++) {                                 /* (BA.2) */
        j->b->rigid_residual[a] = scale[a] > 0 ? top[a] / scale[a] : 0;
        worst = fmax(worst, j->b->rigid_residual[a]);
    }
    if (worst > SUSPECT && !j->role[FB_K]->condensed) /* its reader has said more about it */
        fb_warn(j->log,
                "K resists rigid motion by %.2g of its own size: the body is held by supports that are not in the "
                "matrices, or coordinates, frames or K are wrong", worst);
    return FB_OK;
}

/* ---- M ---------------------------------------------------------------------------------- */

static void weigh(const fb_csc *M, const double *r, double B[6][6])
{
    for (int64_t c = 0; c < M->n; c++)
        for (int64_t q = M->p[c]; q < M->p[c + 1]; q++) {
            const double *u = r + 6 * M->i[q], *v = r + 6 * c, x = M->x[q];
            int diagonal = M->i[q] == c;
            for (int a = 0; a < 6; a++)
                for (int b = 0; b < 6; b++)
                    B[a][b] += diagonal ? u[a] * x * v[b] : u[a] * x * v[b] + v[a] * x * u[b];
        }
}

/* Each translation sees two coordinates of the centre; where both are there, their mean. */
static fb_status properties(fb_join *j, double B[6][6], const double o[3], fb_err *e)
{
    fb_model *b = j->b;
    const double m = B[0][0];
    double c[3];
    fb_status s = FB_OK;
    if (!(m > 0) || fabs(B[1][1] - m) > SAME_MASS * m || fabs(B[2][2] - m) > SAME_MASS * m)
        return FB_OK;
    FB_TRY(fb_new(&b->mass_center, 3, 8, "centre of mass", e));
    FB_TRY(fb_new(&b->mass_inertia, 9, 8, "inertia", e));
    for (int a = 0; a < 3; a++) {
        int y = (a + 1) % 3, z = (a + 2) % 3;                     /* (BA.3) row y: m (e_z x c)_y = m c_a */
        c[a] = (B[y][3 + z] - B[z][3 + y]) / (2 * m);
        b->mass_center[a] = o[a] + c[a];
    }
    const double cc = c[0] * c[0] + c[1] * c[1] + c[2] * c[2];
    for (int a = 0; a < 3; a++)
        for (int k = 0; k < 3; k++)                               /* (BA.4) */
            b->mass_inertia[3 * a + k] = B[3 + a][3 + k] - m * ((a == k) * cc - c[a] * c[k]);
out:
    return s;
}

static fb_status mass(fb_join *j, const double *r, const double o[3], int whole, fb_err *e)
{
    double B[6][6] = {{0}};
    weigh(&j->A[FB_M], r, B);
    fb_status s = fb_new(&j->b->total_mass, 3, 8, "total mass", e);
    if (s)
        return s;
    for (int a = 0; a < 3; a++)
        j->b->total_mass[a] = B[a][a];
    const double least = fmin(B[0][0], fmin(B[1][1], B[2][2])), most = fmax(B[0][0], fmax(B[1][1], B[2][2]));
    if (least > 0 && most > ODD_MASS * least)
        fb_warn(j->log, "the mass is %.6g in x, %.6g in y and %.6g in z: are stiffness and mass exchanged, or labels wrong?",
                B[0][0], B[1][1], B[2][2]);
    return whole ? properties(j, B, o, e) : FB_OK;
}

fb_status fb_join_balance(fb_join *j, fb_err *e)
{
    motion m = {0};
    double o[3];
    int64_t placed = 0, loose = 0;
    fb_status s = FB_OK;
    FB_TRY(fb_new(&m.r, 6 * j->n, 8, "rigid motion", e));
    FB_TRY(fb_new(&m.known, j->n, 1, "rigid motion", e));
    middle(j, o);
    for (int64_t d = 0; d < j->n; d++) {
        m.known[d] = (char)rigid_row(j, d, o, m.r + 6 * d);
        placed += m.known[d];
    }
    if (placed) {
        FB_TRY(fb_new(&m.y, 6 * j->n, 8, "rigid motion", e));
        FB_TRY(fb_new(&m.w, 6 * j->n, 8, "rigid motion", e));
        FB_TRY(fb_new(&m.d, j->n, 8, "rigid motion", e));
        FB_TRY(fb_new(&m.blind, j->n, 1, "rigid motion", e));
        FB_TRY(residual(j, &m, e));
    }
    /* Without coordinates, and for labels that repeat, the translations alone are known. */
    for (int64_t d = 0; d < j->n; d++)
        if (!m.known[d] && j->component[d] >= 1 && j->component[d] <= 3 &&
            (j->repeated[d] || (!placed && (j->class[d] == FB_DOF_PHYSICAL || j->class[d] == FB_DOF_FIXED)))) {
            m.r[6 * d + j->component[d] - 1] = 1;
            loose++;
        }
    if (j->A[FB_M].p && placed + loose)
        FB_TRY(mass(j, m.r, o, placed && !loose, e));
out:
    free(m.r);
    free(m.y);
    free(m.w);
    free(m.d);
    free(m.known);
    free(m.blind);
    return s;
}
