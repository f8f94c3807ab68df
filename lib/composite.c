/* SPDX-License-Identifier: GPL-3.0-or-later */
/* composite.c - the inertia of rigid and elastic motion together, as a simulator builds it from the
 * invariants.
 *
 * Symbols  V elastic eigenvectors of K, M (V'MV = 1, rigid motions left out), w their roots, q = V
 *          p, c = I2 / I1
 * Equations, positions counted from c (a congruence: the sign does not depend on the origin)
 *   (CO.1) [ I1 1, d~', I3 V ; d~, J, Cr V ; ., ., 1 ]   d = I3 q,  Cr = I4 + sum q_i I5_i,
 *          J = I7 - sum q_i (I8_i + I8_i') - sum q_i q_j I9_ij
 *   (CO.2) measured by the lowest eigenvalue of (CO.1) scaled to a unit diagonal, which is that of
 *          [ D A D, B ; B', 1 ] [12 x 12],  A = [I1 1, d~'; d~, J],  D = diag(I1, I1, I1, J)^-1/2,
 *          B B' = D F F' D,  F = [I3 V; Cr V]: all others are one. No choice of coordinates changes
 *          it, for V are none of the user's; at rest no frame does but for turns
 *   (CO.3) shapes  q = V w^-1 V'S_a', S_a a principal direction of the flexibility S V w^-1 V'S' of
 *          a connector, scaled so that the largest displacement of a node is 2, 5, 10 % of the
 *          diagonal of the box of the nodes, of either sign
 * At rest (q = 0) (CO.1) of a set from one mass matrix is [R T]'M[R T] and never negative;
 * deflected it may be, where I5, I8..I11 rest on another mass than I4, I6, I7 (full.c, IN.4).
 */
#include "linalg/dense.h"
#include "memory.h"
#include "model.h"
#include "status.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

const double fb_composite_zero = 1e-10;
static const double deflection[4] = {0, 0.02, 0.05, 0.1};
/* A direction so much stiffer than the softest one of its connector breaks long before it is bent
 * that far. */
static const double soft_enough = 1e-2;
/* Eigenvalues of M, scaled to a unit diagonal, that are none: coordinates without mass. */
static const double massless = 1e-12;

typedef struct {
    const fb_model *b;
    fb_inertia_set at;      /* about the origin */
    int64_t m, ne;          /* coordinates, elastic eigenvectors */
    fb_mat V;               /* [m x ne] */
    double *w;              /* [ne]     */
    double worst;           /* lowest eigenvalue of M, scaled to a unit diagonal, below zero */
    double *I4, *I8, I7[9]; /* about c */
    fb_mat H, F;            /* [6 x m] [I3; Cr], [6 x ne] */
} composite;

static void composite_free(composite *t)
{
    FB_FREE_BY(fb_mat_free, &t->V, &t->H, &t->F);
    FB_FREE(t->w, t->I4, t->I8);
}

/* Z [m x n] of the directions that M moves, Z'MZ = 1; *worst: the lowest eigenvalue of M scaled to
 * a unit diagonal. */
static fb_status massive(const composite *t, fb_mat *Z, double *worst, fb_err *e)
{
    const int64_t m = t->m;
    const double *M = t->at.M;
    fb_mat S = {0};
    double *mu = NULL;
    fb_status s = FB_OK;
    FB_TRY(fb_mat_new(&S, m, m, e));
    FB_TRY(fb_new(&mu, m, 8, "eigenvalues", e));
    for (int64_t j = 0; j < m; j++)
        for (int64_t i = 0; i < m; i++) {
            const double d = M[i + i * m] * M[j + j * m];
            S.x[i + j * m] = M[i + i * m] > 0 && d > 0 ? M[i + j * m] / sqrt(d) : 0;
        }
    FB_TRY(fb_eig_symmetric(&S, mu, e));
    FB_TRY(fb_mat_new(Z, m, m, e));
    Z->n = 0;
    *worst = m ? fmin(mu[0], 0) : 0;
    for (int64_t k = 0; k < m; k++) {
        if (mu[k] <= massless)
            continue;
        for (int64_t i = 0; i < m; i++)
            Z->x[i + Z->n * m] =
                M[i + i * m] > 0 ? S.x[i + k * m] / sqrt(M[i + i * m]) / sqrt(mu[k]) : 0;
        Z->n++;
    }
out:
    fb_mat_free(&S);
    free(mu);
    return s;
}

static fb_status eigenvectors(composite *t, fb_err *e)
{
    const int64_t m = t->m;
    const fb_mat K = {m, m, t->b->Kr};
    fb_model pair = *t->b; /* borrowed, of the mass at hand */
    fb_mat Z = {0}, Y = {0};
    double *w = NULL;
    char *rigid = NULL;
    int64_t n;
    fb_status s = FB_OK;
    FB_TRY(massive(t, &Z, &t->worst, e));
    FB_TRY(fb_congruence(&K, &Z, &Y, e));
    FB_TRY(fb_new(&w, Z.n, 8, "eigenvalues", e));
    FB_TRY(fb_eig_symmetric(&Y, w, e));
    FB_TRY(fb_new(&t->w, Z.n, 8, "eigenvalues", e));
    FB_TRY(fb_new(&rigid, Z.n, 1, "rigid modes", e));
    FB_TRY(fb_mat_product(0, 0, &Z, &Y, &t->V, e));
    pair.Mr = (double *)(uintptr_t)t->at.M; /* only read */
    FB_TRY(fb_rigid_find(&pair, w, &t->V, rigid, &n, e));
    for (int64_t k = 0; k < Z.n; k++) {
        if (rigid[k] || w[k] <= 0)
            continue;
        memmove(t->V.x + t->ne * m, t->V.x + k * m, sizeof *w * (size_t)m);
        t->w[t->ne++] = w[k];
    }
    t->V.n = t->ne;
out:
    FB_FREE_BY(fb_mat_free, &Z, &Y);
    FB_FREE(rigid, w);
    return s;
}

static fb_status about_centre(composite *t, fb_err *e)
{
    const int64_t m = t->m;
    const double I1 = t->at.I1[0], *I3 = t->at.I3;
    double c[3], cc = 0;
    FB_PASS(fb_new(&t->I4, 3 * m, 8, "an invariant", e));
    FB_PASS(fb_new(&t->I8, 9 * m, 8, "an invariant", e));
    for (int a = 0; a < 3; a++) {
        c[a] = t->at.I2[a] / I1;
        cc += c[a] * c[a];
    }
    for (int a = 0; a < 3; a++)
        for (int d = 0; d < 3; d++)
            t->I7[3 * a + d] = t->at.I7[3 * a + d] - I1 * ((a == d) * cc - c[a] * c[d]);
    for (int64_t k = 0; k < m; k++) {
        const double x[3] = {I3[k], I3[m + k], I3[2 * m + k]},
                     cx = c[0] * x[0] + c[1] * x[1] + c[2] * x[2];
        for (int a = 0; a < 3; a++) {
            const int p = (a + 1) % 3, q = (a + 2) % 3;
            t->I4[a * m + k] = t->at.I4[a * m + k] - (c[p] * x[q] - c[q] * x[p]);
            for (int d = 0; t->at.I8 && d < 3; d++)
                t->I8[9 * k + 3 * a + d] =
                    t->at.I8[9 * k + 3 * a + d] - (x[a] * c[d] - (a == d) * cx);
        }
    }
    return FB_OK;
}

/* J of (CO.1) and the lower half of H. */
static void deflected(composite *t, const double *q, double J[9])
{
    const fb_model *b = t->b;
    const int64_t m = t->m;
    memcpy(J, t->I7, sizeof t->I7);
    for (int64_t k = 0; k < m; k++)
        for (int a = 0; a < 3; a++) {
            t->H.x[a + 6 * k] = t->at.I3[a * m + k];
            t->H.x[3 + a + 6 * k] = t->I4[a * m + k];
        }
    for (int64_t i = 0; i < m; i++) {
        if (q[i] == 0)
            continue;
        for (int a = 0; a < 3; a++) {
            for (int64_t k = 0; k < m; k++)
                t->H.x[3 + a + 6 * k] += q[i] * b->I[5][(3 * i + a) * m + k];
            for (int d = 0; d < 3; d++) {
                J[3 * a + d] -= q[i] * (t->I8[9 * i + 3 * a + d] + t->I8[9 * i + 3 * d + a]);
                for (int64_t j = 0; j < m; j++)
                    J[3 * a + d] -= q[i] * q[j] * b->I[9][9 * (i * m + j) + 3 * a + d];
            }
        }
    }
}

/* Factors that give A [6 x 6] a unit diagonal; of masses and inertias that are none, of the largest
 * one. */
static void scaling(const double A[6][6], double scale[6])
{
    const double most = fmax(fmax(fabs(A[3][3]), fabs(A[4][4])), fabs(A[5][5]));
    for (int a = 0; a < 6; a++)
        scale[a] = A[a][a] > 1e-12 * (a < 3 ? A[0][0] : most) ? 1 / sqrt(A[a][a])
                   : a < 3                                    ? 0
                                                              : 1 / sqrt(most > 0 ? most : 1);
}

/* (CO.2) of q [m]. */
static fb_status lowest(composite *t, const double *q, double *low, fb_err *e)
{
    double J[9], d[3] = {0}, A[6][6] = {{0}}, G[36], C[144] = {0}, scale[6], mu[12];
    fb_mat FF = {6, 6, G}, S = {12, 12, C};
    deflected(t, q, J);
    fb_status s = fb_gemm(0, 0, 1, &t->H, &t->V, 0, &t->F, e);
    if (!s)
        s = fb_gemm(0, 1, 1, &t->F, &t->F, 0, &FF, e);
    if (s)
        return s;
    for (int a = 0; a < 3; a++) {
        for (int64_t k = 0; k < t->m; k++)
            d[a] += t->at.I3[a * t->m + k] * q[k];
        A[a][a] = t->at.I1[0];
        for (int c = 0; c < 3; c++)
            A[3 + a][3 + c] = J[3 * a + c];
    }
    for (int a = 0; a < 3; a++) {
        const int p = (a + 1) % 3, r = (a + 2) % 3;
        A[3 + p][r] = A[r][3 + p] = -d[a];
        A[3 + r][p] = A[p][3 + r] = d[a];
    }
    scaling((const double(*)[6])A, scale);
    for (int a = 0; a < 6; a++)
        for (int c = 0; c < 6; c++) {
            C[a + 12 * c] = A[a][c] * scale[a] * scale[c];
            G[a + 6 * c] *= scale[a] * scale[c];
        }
    s = fb_eig_symmetric(&FF, mu, e);
    for (int k = 0; !s && k < 6; k++) {
        C[13 * (6 + k)] = 1;
        for (int a = 0; a < 6; a++)
            C[a + 12 * (6 + k)] = C[6 + k + 12 * a] = G[a + 6 * k] * sqrt(fmax(mu[k], 0));
    }
    fb_mat_symmetrise(&S);
    if (!s)
        s = fb_eig_symmetric(&S, mu, e);
    *low = s ? 0 : mu[0];
    return s;
}

/* ---- the shapes of unit loads -------------------------------------------------------------- */

/* Rows of the displacement of connector c, in p: L [3 x ne] = S V. */
static void rows_of(const composite *t, int64_t c, double *L)
{
    const double *S = t->b->connector_S + 3 * c * t->m;
    memset(L, 0, sizeof *L * (size_t)(3 * t->ne));
    for (int64_t k = 0; k < t->ne; k++)
        for (int a = 0; a < 3; a++)
            for (int64_t i = 0; i < t->m; i++)
                L[a + 3 * k] += S[a * t->m + i] * t->V.x[i + k * t->m];
}

/* (CO.3) of one connector: up to three columns of Q [m x n], n counted on. */
static fb_status loads_of(const composite *t, const double *L, fb_mat *Q, int64_t *n, fb_err *e)
{
    double F[9] = {0}, mu[3];
    fb_mat A = {3, 3, F};
    for (int64_t k = 0; k < t->ne; k++)
        for (int a = 0; a < 3; a++)
            for (int c = 0; c < 3; c++)
                F[a + 3 * c] += L[a + 3 * k] * L[c + 3 * k] / t->w[k];
    fb_status s = fb_eig_symmetric(&A, mu, e);
    for (int v = 2; !s && v >= 0; v--) {
        if (!(mu[v] > soft_enough * mu[2]))
            break;
        double *q = Q->x + (*n)++ * t->m;
        memset(q, 0, sizeof *q * (size_t)t->m);
        for (int64_t k = 0; k < t->ne; k++) {
            const double f = (A.x[3 * v] * L[3 * k] + A.x[3 * v + 1] * L[3 * k + 1] +
                              A.x[3 * v + 2] * L[3 * k + 2]) /
                             t->w[k];
            fb_axpy(f, t->V.x + k * t->m, q, t->m);
        }
    }
    return s;
}

/* The largest displacement of a node, by column of Q. */
static fb_status reach(const composite *t, const double *T, const fb_mat *Q, double *most,
                       fb_err *e)
{
    const fb_model *b = t->b;
    const fb_mat all = {b->ndof, t->m, (double *)(uintptr_t)T}; /* only read */
    fb_mat X = {0};
    fb_shaper z = {0};
    double *y = NULL;
    fb_status s = FB_OK;
    FB_TRY(fb_mat_product(0, 0, &all, Q, &X, e));
    FB_TRY(fb_shaper_new(&z, b, X.x, b->node_id, b->nn, e));
    FB_TRY(fb_new(&y, 6 * b->nn, 8, "a shape", e));
    for (int64_t k = 0; k < Q->n; k++) {
        most[k] = 0;
        fb_shaper_column(&z, k, y);
        for (int64_t p = 0; p < b->nn; p++) {
            const double *u = y + 6 * p;
            most[k] = fmax(most[k], fb_norm(u, 3));
        }
    }
out:
    fb_mat_free(&X);
    fb_shaper_free(&z);
    free(y);
    return s;
}

/* Unit loads at the connectors; where none of them moves, the softest eigenvector. */
static fb_status shapes(const composite *t, fb_mat *Q, fb_err *e)
{
    const fb_model *b = t->b;
    const int64_t nc = b->connector_S ? b->nc : 0;
    double *L = NULL;
    int64_t n = 0;
    fb_status s = FB_OK;
    FB_TRY(fb_mat_new(Q, t->m, 3 * nc + 1, e));
    FB_TRY(fb_new(&L, 3 * t->ne, 8, "loads", e));
    for (int64_t c = 0; t->ne && c < nc; c++) {
        rows_of(t, c, L);
        FB_TRY(loads_of(t, L, Q, &n, e));
    }
    if (!n && t->ne)
        memcpy(Q->x + n++ * t->m, t->V.x, sizeof *L * (size_t)t->m);
    Q->n = n;
out:
    free(L);
    return s;
}

static fb_status deflect(composite *t, const fb_mat *Q, const double *most, double *low, fb_err *e)
{
    const double size = fb_box_diagonal(t->b->xyz, t->b->nn);
    double *q = NULL, x;
    fb_status s = FB_OK;
    FB_TRY(fb_new(&q, t->m, 8, "a deflection", e));
    FB_TRY(lowest(t, q, low, e));
    low[0] = fmin(low[0], t->worst < -fb_composite_zero ? t->worst : low[0]);
    for (int d = 1; d < 4; d++) {
        low[d] = low[0];
        for (int64_t v = 0; v < 2 * Q->n; v++) {
            const double by =
                most[v / 2] > 0 ? (v % 2 ? -1 : 1) * deflection[d] * size / most[v / 2] : 0;
            for (int64_t i = 0; i < t->m; i++)
                q[i] = by * Q->x[i + v / 2 * t->m];
            FB_TRY(lowest(t, q, &x, e));
            low[d] = fmin(low[d], x);
        }
    }
out:
    free(q);
    return s;
}

/* Of the set or, where it has no I1, of the mass alone. */
static fb_status begin(composite *t, fb_err *e)
{
    fb_status s = FB_OK;
    FB_TRY(eigenvectors(t, e));
    if (!t->at.I1)
        goto out;
    FB_TRY(about_centre(t, e));
    FB_TRY(fb_mat_new(&t->H, 6, t->m, e));
    FB_TRY(fb_mat_new(&t->F, 6, t->ne, e));
out:
    return s;
}

fb_status fb_composite_rest(const fb_model *b, const fb_inertia_set *at, double *low, fb_err *e)
{
    composite t = {.b = b, .m = b->nr, .at = *at};
    double *q = NULL;
    fb_status s = FB_OK;
    t.at.I8 = NULL;
    FB_TRY(begin(&t, e));
    FB_TRY(fb_new(&q, t.m, 8, "a deflection", e));
    *low = t.worst;
    if (at->I1 && t.worst >= -fb_composite_zero)
        FB_TRY(lowest(&t, q, low, e));
out:
    composite_free(&t);
    free(q);
    return s;
}

fb_status fb_model_definite(const fb_model *b, double *low, double *asymmetry, fb_err *e)
{
    const int64_t n = b->nr;
    const fb_mat Mr = {n, n, b->Mr};
    fb_mat S = {0}, V = {0};
    double *mu = NULL;
    fb_status s = FB_OK;
    FB_TRY(fb_mat_unit_diagonal(&Mr, NULL, &S, e));
    FB_TRY(fb_new(&mu, n, 8, "eigenvalues", e));
    FB_TRY(fb_eig_dense(&S, NULL, mu, &V, e));
    *low = n ? mu[0] : 1;
    *asymmetry = 0;
    for (int64_t j = 0; j < n; j++)
        for (int64_t i = 0; i < j; i++)
            *asymmetry = fmax(*asymmetry, fabs(b->Kr[i + j * n] - b->Kr[j + i * n]) +
                                              fabs(b->Mr[i + j * n] - b->Mr[j + i * n]));
out:
    FB_FREE_BY(fb_mat_free, &S, &V);
    free(mu);
    return s;
}

fb_status fb_composite(fb_model *b, const double *T, fb_err *e)
{
    composite t = {
        .b = b, .m = b->nr, .at = {b->I[1], b->I[2], b->I[3], b->I[4], b->I[7], b->I[8], b->Mr}};
    fb_mat Q = {0};
    double *most = NULL;
    fb_status s = FB_OK;
    FB_FREE(b->v_composite, b->v_deflection);
    b->v_composite = b->v_deflection = NULL;
    FB_TRY(fb_new(&b->v_composite, 4, 8, "verdict", e));
    FB_TRY(fb_new(&b->v_deflection, 1, 8, "verdict", e));
    FB_TRY(begin(&t, e));
    FB_TRY(shapes(&t, &Q, e));
    FB_TRY(fb_new(&most, Q.n, 8, "shapes of unit loads", e));
    FB_TRY(reach(&t, T, &Q, most, e));
    FB_TRY(deflect(&t, &Q, most, b->v_composite, e));
    b->v_deflection[0] = -1;
    for (int d = 0; d < 4 && b->v_composite[d] >= -fb_composite_zero; d++)
        b->v_deflection[0] = deflection[d];
out:
    composite_free(&t);
    fb_mat_free(&Q);
    free(most);
    return s;
}
