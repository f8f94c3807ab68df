/* SPDX-License-Identifier: GPL-3.0-or-later */
/* inertia.c - inertia invariants I1..I11 from nodal masses, inertias and mode shapes.
 *
 * Symbols  p node, m_p mass, J_p rotary inertia, u its undeformed position, phi [3 x M] and
 *          phi* [3 x M] its translation and rotation rows, a,b,c axes, i,j,k modes, ~ the skew
 *          matrix (a~ b = a x b), d_ab the unit matrix
 * With a mass matrix Ms [nn x nn] between the nodes (full.c) sum m f g reads f'Ms g in all of
 * (INV.1)..(INV.4), and J is zero: exact for isoparametric elements.
 * Sums     everything follows from four of them:
 *   (INV.1)  I1 = sum m,  I2 = sum m u,  I7 = sum m ((u.u) 1 - u u') + J
 *   (INV.2)  I3 = sum m phi
 *   (INV.3)  I10_ab = sum m u_a phi_b                      [1 x M]
 *   (INV.4)  I11_ab = sum m phi_a' phi_b                   [M x M], I11_ba = I11_ab'
 *   (INV.5)  Jr = sum J phi*  [3 x M],  Jrr = sum phi*' J phi*  [M x M]
 * The rest, by u~ s~ = s u' - (u.s) 1:
 *   (INV.6)  I4_a = I10_bc - I10_cb + Jr_a                 (a,b,c) cyclic
 *   (INV.7)  (I5_i)_aj = (I11_bc - I11_cb)_ij              (a,b,c) cyclic
 *   (INV.8)  I6 = sum_a I11_aa + Jrr
 *   (INV.9)  (I8_k)_ab = (I10_ba)_k - d_ab sum_c (I10_cc)_k
 *   (INV.10) (I9_ij)_ab = (I11_ab)_ji - d_ab sum_c (I11_cc)_ij
 * J enters I4, I6 and I7 only.
 * Source   B. Scaglioni, PhD thesis, Politecnico di Milano 2016, sect. 2.2 and App. A (I8 is
 *          printed transposed there); agrees with the sums that Adams prints
 * Cost     three products [M x nn] [nn x M] and three more for the upper pairs: 6 nn M^2 mult-adds
 */
#include "linalg/blas.h"
#include "memory.h"
#include "inertia.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

static const int next[3] = {1, 2, 0}, after[3] = {2, 0, 1}; /* (a, next, after) is cyclic */

typedef struct {
    int64_t nn, m;
    const fb_csc *Ms;      /* NULL: the nodes' own masses */
    double c[3];           /* u is counted from here */
    double *w;             /* [nn] */
    fb_mat phi[3], rot[3]; /* [nn x m] translation and rotation rows by axis */
    double *I10, *I11;     /* [3,3,m], [3,3,m,m] */
    double *Jr, *Jrr;      /* [3,m], [m,m] */
} sums;

static void sums_free(sums *t)
{
    for (int a = 0; a < 3; a++)
        FB_FREE_BY(fb_mat_free, t->phi + a, t->rot + a);
    FB_FREE(t->Jr, t->Jrr, t->w);
}

/* w = Ms x, or m x node by node. */
static void weigh(const sums *t, const fb_model *b, const double *x, double *w)
{
    for (int64_t p = 0; p < t->nn; p++)
        w[p] = t->Ms ? 0 : b->node_mass[p] * x[p];
    if (t->Ms)
        fb_csc_mul(t->Ms, x, t->nn, w, t->nn, 1);
}

/* Sorts the shapes by axis; a dof that the model lacks counts as held. */
static fb_status gather(sums *t, const fb_model *b, const double *T, fb_err *e)
{
    fb_shaper z = {0};
    double *y = NULL;
    fb_status s = FB_OK;
    for (int a = 0; a < 3; a++) {
        FB_TRY(fb_mat_new(t->phi + a, t->nn, t->m, e));
        FB_TRY(fb_mat_new(t->rot + a, t->nn, t->m, e));
    }
    FB_TRY(fb_shaper_new(&z, b, T, b->node_id, b->nn, e));
    FB_TRY(fb_new(&y, 6 * t->nn, 8, "a shape", e));
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

/* (INV.1) */
static void rigid_part(const sums *t, const fb_model *b, double *x[4])
{
    double Q[3][3], *I7 = b->I[7];
    for (int64_t p = 0; p < b->nn; p++) {
        x[3][p] = 1;
        for (int a = 0; a < 3; a++)
            x[a][p] = b->xyz[3 * p + a] - t->c[a];
    }
    weigh(t, b, x[3], t->w);
    b->I[1][0] = fb_dot(t->w, x[3], b->nn);
    for (int a = 0; a < 3; a++)
        b->I[2][a] = fb_dot(t->w, x[a], b->nn);
    for (int a = 0; a < 3; a++) {
        weigh(t, b, x[a], t->w);
        for (int c = 0; c < 3; c++)
            Q[c][a] = fb_dot(t->w, x[c], b->nn);
    }
    for (int a = 0; a < 3; a++)
        for (int c = 0; c < 3; c++)
            I7[3 * a + c] = (a == c) * (Q[0][0] + Q[1][1] + Q[2][2]) - (Q[a][c] + Q[c][a]) / 2;
    for (int64_t p = 0; p < b->nn && b->node_inertia && !t->Ms; p++)
        for (int k = 0; k < 9; k++)
            I7[k] += b->node_inertia[9 * p + k];
}

/* The weighted rows of axis c, and what is linear in them. */
typedef struct {
    const sums *t;
    const fb_model *b;
    double *const *x; /* [4] the coordinates and the unit vector, as rigid_part left them */
    int c;
    fb_mat W; /* [nn x m] */
} weighing;

static void weigh_shape(void *arg, int k)
{
    const weighing *z = arg;
    const sums *t = z->t;
    double *w = z->W.x + k * t->nn;
    weigh(t, z->b, t->phi[z->c].x + k * t->nn, w);
    z->b->I[3][z->c * t->m + k] = fb_dot(w, z->x[3], t->nn); /* (INV.2) */
    for (int a = 0; a < 3; a++)
        t->I10[(3 * a + z->c) * t->m + k] = fb_dot(w, z->x[a], t->nn); /* (INV.3) */
}

/* (INV.2), (INV.3), and (INV.4) for the six pairs a <= b. */
static fb_status shape_sums(const sums *t, const fb_model *b, double *const x[4], fb_err *e)
{
    int64_t m = t->m, nn = t->nn;
    weighing z = {.t = t, .b = b, .x = x};
    fb_status s = FB_OK;
    FB_TRY(fb_mat_new(&z.W, nn, m, e));
    for (z.c = 0; z.c < 3; z.c++) {
        const int c = z.c;
        fb_parallel((int)m, weigh_shape, &z);
        for (int a = 0; a <= c; a++) {
            fb_mat P = {m, m,
                        t->I11 + (3 * c + a) * m * m}; /* column-major P_lk = C-order [k][l] */
            FB_TRY(fb_gemm(1, 0, 1, t->phi + a, &z.W, 0, &P, e));
            if (a == c)
                fb_mat_symmetrise(&P);
            double *Q = t->I11 + (3 * a + c) * m * m;
            for (int64_t i = 0; a < c && i < m; i++)
                for (int64_t j = 0; j < m; j++)
                    Q[i * m + j] = P.x[j * m + i];
        }
    }
out:
    fb_mat_free(&z.W);
    return s;
}

static fb_status rotary_sums(sums *t, const fb_model *b, fb_err *e)
{
    int64_t m = t->m, nn = t->nn;
    fb_mat W = {0}, R = {m, m, NULL};
    fb_status s = FB_OK;
    FB_TRY(fb_new(&t->Jr, 3 * m, 8, "rotary sums", e));
    FB_TRY(fb_new(&t->Jrr, m * m, 8, "rotary sums", e));
    if (!b->node_inertia || t->Ms)
        goto out;
    FB_TRY(fb_mat_new(&W, nn, m, e));
    R.x = t->Jrr;
    for (int a = 0; a < 3; a++) {
        for (int64_t k = 0; k < m; k++)
            for (int64_t p = 0; p < nn; p++) {
                double q = 0;
                for (int c = 0; c < 3; c++)
                    q += b->node_inertia[9 * p + 3 * a + c] * t->rot[c].x[p + k * nn];
                W.x[p + k * nn] = q;
                t->Jr[a * m + k] += q; /* (INV.5) */
            }
        FB_TRY(fb_gemm(1, 0, 1, t->rot + a, &W, 1, &R, e));
    }
    fb_mat_symmetrise(&R);
out:
    fb_mat_free(&W);
    return s;
}

static void derive_linear(const sums *t, const fb_model *b)
{
    int64_t m = t->m;
    const double *I10 = t->I10;
    for (int a = 0; a < 3; a++)
        for (int64_t k = 0; k < m; k++) {
            int p = next[a], q = after[a];
            b->I[4][a * m + k] = I10[(3 * p + q) * m + k] - I10[(3 * q + p) * m + k] +
                                 t->Jr[a * m + k]; /* (INV.6) */
            double trace = I10[k] + I10[4 * m + k] + I10[8 * m + k];
            for (int c = 0; c < 3; c++)
                b->I[8][9 * k + 3 * a + c] =
                    I10[(3 * c + a) * m + k] - (a == c) * trace; /* (INV.9) */
        }
}

static void derive_quadratic(const sums *t, const fb_model *b)
{
    int64_t m = t->m, mm = m * m;
    const double *P = t->I11;
    for (int64_t i = 0; i < m; i++)
        for (int64_t j = 0; j < m; j++) {
            int64_t ij = i * m + j, ji = j * m + i;
            double trace = P[ij] + P[4 * mm + ij] + P[8 * mm + ij];
            b->I[6][ij] = trace + t->Jrr[ij]; /* (INV.8) */
            for (int a = 0; a < 3; a++) {
                int p = next[a], q = after[a];
                b->I[5][(3 * i + a) * m + j] =
                    P[(3 * p + q) * mm + ij] - P[(3 * q + p) * mm + ij]; /* (INV.7) */
                for (int c = 0; c < 3; c++)
                    b->I[9][9 * ij + 3 * a + c] =
                        P[(3 * a + c) * mm + ji] - (a == c) * trace; /* (INV.10) */
            }
        }
}

static fb_status allocate(fb_model *b, int64_t m, fb_err *e)
{
    const int64_t n[12] = {0,     1, 3,     3 * m,     3 * m, 3 * m * m,
                           m * m, 9, 9 * m, 9 * m * m, 9 * m, 9 * m * m};
    for (int k = 1; k <= 11; k++) {
        free(b->I[k]);
        b->I[k] = NULL;
        FB_PASS(fb_new(&b->I[k], n[k], 8, "an inertia invariant", e));
    }
    return FB_OK;
}

fb_status fb_invariants_sums(fb_model *b, const double *T, const fb_csc *Ms, const double c[3],
                             fb_err *e)
{
    sums t = {.nn = b->nn, .m = b->nr, .Ms = Ms, .c = {c[0], c[1], c[2]}};
    double *x[4] = {NULL};
    fb_status s = FB_OK;
    if (!(b->node_mass || Ms) || !b->xyz)
        FB_TRY(fb_fail(e, FB_EFORMAT,
                       "the body has no nodal %s, which the inertia invariants are sums over",
                       b->xyz ? "masses (/nodes/mass)" : "positions (/nodes/xyz)"));
    FB_TRY(allocate(b, t.m, e));
    t.I10 = b->I[10];
    t.I11 = b->I[11];
    FB_TRY(gather(&t, b, T, e));
    FB_TRY(fb_new(&t.w, t.nn, 8, "weighted shapes", e));
    for (int k = 0; k < 4; k++)
        FB_TRY(fb_new(&x[k], t.nn, 8, "coordinates", e));
    rigid_part(&t, b, x);
    FB_TRY(shape_sums(&t, b, x, e));
    FB_TRY(rotary_sums(&t, b, e));
    derive_linear(&t, b);
    derive_quadratic(&t, b);
out:
    for (int k = 0; k < 4; k++)
        free(x[k]);
    sums_free(&t);
    return s;
}

fb_status fb_invariants_nodal(fb_model *b, const double *T, fb_err *e)
{
    return fb_invariants_sums(b, T, NULL, (const double[3]){0, 0, 0}, e);
}

double fb_invariants_scale(const fb_model *b, int64_t k)
{
    const double m = fmax(fabs(b->Mr[k * (b->nr + 1)]), fabs(b->I[6][k * (b->nr + 1)]));
    return m > 0 ? 1 / sqrt(m) : 0;
}

double fb_invariants_mass_error(const fb_model *b)
{
    double worst = 0;
    for (int64_t i = 0; i < b->nr; i++)
        for (int64_t j = 0; j < b->nr; j++)
            worst = fmax(worst, fabs(b->I[6][i * b->nr + j] - b->Mr[i * b->nr + j]) *
                                    fb_invariants_scale(b, i) * fb_invariants_scale(b, j));
    return worst;
}

int fb_invariants_reference(const fb_model *b, double *error)
{
    const int64_t m = b->nr, n[10] = {0, 1, 3, 3 * m, 3 * m, 3 * m * m, 0, 9, 9 * m, 9 * m * m};
    int worst = 0;
    *error = 0;
    for (int k = 1; k <= 9; k++) {
        double off = 0, size = 0;
        for (int64_t q = 0; b->ref_I[k] && q < n[k]; q++) {
            off = fmax(off, fabs(b->I[k][q] - b->ref_I[k][q]));
            size = fmax(size, fabs(b->ref_I[k][q]));
        }
        off = size > 0 ? off / size : off;
        if (b->ref_I[k] && (worst == 0 || off > *error)) {
            worst = k;
            *error = off;
        }
    }
    return worst;
}
