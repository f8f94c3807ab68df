/* SPDX-License-Identifier: GPL-3.0-or-later */
/* solid.c - blocks of hexahedra with 8 or 20 nodes, linear elasticity, consistent mass.
 *
 * Local axes r in [-1,1]^3; node a at R_a, components -1, 0, 1
 *   8 nodes   N_a = prod (1 + R_ai r_i)/8
 *   20 nodes  corners: that times (sum R_ai r_i - 2); mid-edge, R_ak = 0:
 *             N_a = (1 - r_k^2) prod_(i != k) (1 + R_ai r_i)/4
 *   K_ab = sum w (lam grad N_a grad N_b' + mu (grad N_b grad N_a' + (grad N_a . grad N_b) I))
 * Source   Hughes, The Finite Element Method (2000), sec. 3.5-3.8; Gauss points 2^3 and 3^3
 */
#include "model.h"
#include "tests/model/triplets.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

static const double E = 210e9, NU = 0.3, RHO = 7850; /* steel, SI */

/* Corners first, then the middles of the edges. */
static const int LOCAL[20][3] = {{-1, -1, -1}, {1, -1, -1}, {1, 1, -1}, {-1, 1, -1}, {-1, -1, 1},
                                 {1, -1, 1},   {1, 1, 1},   {-1, 1, 1}, {0, -1, -1}, {1, 0, -1},
                                 {0, 1, -1},   {-1, 0, -1}, {0, -1, 1}, {1, 0, 1},   {0, 1, 1},
                                 {-1, 0, 1},   {-1, -1, 0}, {1, -1, 0}, {1, 1, 0},   {-1, 1, 0}};

/* N[a] and dN[a][i] = dN_a/dr_i */
static void shape(int nodes, const double r[3], double *N, double (*dN)[3])
{
    for (int a = 0; a < nodes; a++) {
        double f[3], df[3], scale = 1. / 8, bend = 0;
        for (int i = 0; i < 3; i++) {
            double R = LOCAL[a][i];
            f[i] = LOCAL[a][i] ? 1 + R * r[i] : 1 - r[i] * r[i];
            df[i] = LOCAL[a][i] ? R : -2 * r[i];
            bend += R * r[i];
            if (!LOCAL[a][i])
                scale = 1. / 4;
        }
        double corner = nodes == 20 && a < 8 ? bend - 2 : 1;
        N[a] = scale * f[0] * f[1] * f[2] * corner;
        for (int i = 0; i < 3; i++) {
            double rest = f[(i + 1) % 3] * f[(i + 2) % 3];
            dN[a][i] =
                scale * rest * (df[i] * corner + (nodes == 20 && a < 8 ? f[i] * LOCAL[a][i] : 0));
        }
    }
}

/* Ke [3 nodes]^2 and Me [nodes]^2 of a brick with half edges h. */
static void element(int nodes, const double h[3], double *Ke, double *Me)
{
    const double p3[] = {-sqrt(0.6), 0, sqrt(0.6)}, w3[] = {5. / 9, 8. / 9, 5. / 9};
    const double p2[] = {-1 / sqrt(3), 1 / sqrt(3)}, w2[] = {1, 1};
    const double *p = nodes == 20 ? p3 : p2, *w = nodes == 20 ? w3 : w2;
    double lam = E * NU / ((1 + NU) * (1 - 2 * NU)), mu = E / (2 * (1 + NU));
    int np = nodes == 20 ? 3 : 2, nd = 3 * nodes;
    memset(Ke, 0, sizeof *Ke * (size_t)(nd * nd));
    memset(Me, 0, sizeof *Me * (size_t)(nodes * nodes));
    for (int g = 0; g < np * np * np; g++) {
        int gi[3] = {g % np, g / np % np, g / np / np};
        double r[3] = {p[gi[0]], p[gi[1]], p[gi[2]]}, N[20], d[20][3];
        double wg = w[gi[0]] * w[gi[1]] * w[gi[2]] * h[0] * h[1] * h[2];
        shape(nodes, r, N, d);
        for (int a = 0; a < nodes; a++)
            for (int i = 0; i < 3; i++)
                d[a][i] /= h[i];
        for (int a = 0; a < nodes; a++)
            for (int b = 0; b < nodes; b++) {
                double dot = d[a][0] * d[b][0] + d[a][1] * d[b][1] + d[a][2] * d[b][2];
                Me[a * nodes + b] += RHO * wg * N[a] * N[b];
                for (int i = 0; i < 3; i++)
                    for (int j = 0; j < 3; j++)
                        Ke[(3 * a + i) * nd + 3 * b + j] +=
                            wg * (lam * d[a][i] * d[b][j] +
                                  mu * (d[a][j] * d[b][i] + (i == j ? dot : 0)));
            }
    }
}

/* The lattice of half cells; 20-node bricks use the points with at most one odd coordinate, 8-node
 * bricks those with none. id [lattice] = node or -1. */
static fb_status number_nodes(test_model *t, const int64_t c[3], const double size[3], int nodes,
                              int64_t **id, fb_err *e)
{
    int64_t n[3] = {2 * c[0] + 1, 2 * c[1] + 1, 2 * c[2] + 1};
    fb_status s = FB_OK;
    FB_TRY(fb_new(id, n[0] * n[1] * n[2], sizeof **id, "lattice", e));
    FB_TRY(FB_NEW(&t->xyz, 3 * n[0] * n[1] * n[2], e));
    for (int64_t k = 0; k < n[0] * n[1] * n[2]; k++) {
        int64_t at[3] = {k / n[2] / n[1], k / n[2] % n[1], k % n[2]};
        int64_t odd = at[0] % 2 + at[1] % 2 + at[2] % 2;
        (*id)[k] = -1;
        if (odd > (nodes == 20))
            continue;
        for (int i = 0; i < 3; i++)
            t->xyz[3 * t->nn + i] = size[i] * (double)at[i] / (double)(n[i] - 1);
        (*id)[k] = t->nn++;
    }
    FB_TRY(FB_NEW(&t->node, 3 * t->nn, e));
    for (int64_t j = 0; j < 3 * t->nn; j++)
        t->node[j] = j / 3;
out:
    return s;
}

static void put(triplets *t, int64_t i, int64_t j, double x)
{
    if (i > j)
        return;
    t->i[t->n] = i;
    t->j[t->n] = j;
    t->x[t->n++] = x;
}

/* Adds one brick whose nodes are v. */
static void assemble(triplets *K, triplets *M, const int64_t *v, int nodes, const double *Ke,
                     const double *Me)
{
    for (int a = 0; a < nodes; a++)
        for (int b = 0; b < nodes; b++)
            for (int i = 0; i < 3; i++) {
                put(M, 3 * v[a] + i, 3 * v[b] + i, Me[a * nodes + b]);
                for (int j = 0; j < 3; j++)
                    put(K, 3 * v[a] + i, 3 * v[b] + j, Ke[(3 * a + i) * 3 * nodes + 3 * b + j]);
            }
}

fb_status test_solid(test_model *t, const int64_t cells[3], const double size[3], int nodes,
                     fb_err *e)
{
    test_model u = {0};
    triplets K = {0}, M = {0};
    int64_t *id = NULL, ne = cells[0] * cells[1] * cells[2], nd = 3 * nodes;
    double h[3], Ke[60 * 60], Me[20 * 20];
    fb_status s = FB_OK;
    for (int i = 0; i < 3; i++)
        h[i] = size[i] / (double)(2 * cells[i]);
    element(nodes, h, Ke, Me);
    FB_TRY(number_nodes(&u, cells, size, nodes, &id, e));
    FB_TRY(triplets_new(&K, ne * nd * (nd + 1) / 2, e));
    FB_TRY(triplets_new(&M, ne * 3 * nodes * (nodes + 1) / 2, e));
    for (int64_t k = 0; k < ne; k++) {
        int64_t c[3] = {k / cells[2] / cells[1], k / cells[2] % cells[1], k % cells[2]}, v[20];
        for (int a = 0; a < nodes; a++)
            v[a] = id[((2 * c[0] + 1 + LOCAL[a][0]) * (2 * cells[1] + 1) + 2 * c[1] + 1 +
                       LOCAL[a][1]) *
                          (2 * cells[2] + 1) +
                      2 * c[2] + 1 + LOCAL[a][2]];
        assemble(&K, &M, v, nodes, Ke, Me);
    }
    FB_TRY(fb_csc_from_triplets(&u.K, 3 * u.nn, 3 * u.nn, K.n, K.i, K.j, K.x, 1, e));
    FB_TRY(fb_csc_from_triplets(&u.M, 3 * u.nn, 3 * u.nn, M.n, M.i, M.j, M.x, 1, e));
    *t = u;
    u = (test_model){0};
out:
    triplets_free(&K);
    triplets_free(&M);
    free(id);
    test_model_free(&u);
    return s;
}

fb_status test_rigid(const test_model *t, fb_mat *R, fb_err *e)
{
    int64_t n = 3 * t->nn;
    fb_status s = fb_mat_new(R, n, 6, e);
    for (int64_t p = 0; !s && p < t->nn; p++) {
        const double *x = t->xyz + 3 * p;
        for (int i = 0; i < 3; i++) {
            int a = (i + 1) % 3, b = (i + 2) % 3;
            R->x[3 * p + i + i * n] = 1;          /* translation along i */
            R->x[3 * p + b + (3 + i) * n] = x[a]; /* e_i x x             */
            R->x[3 * p + a + (3 + i) * n] = -x[b];
        }
    }
    return s;
}
