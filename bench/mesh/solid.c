/* SPDX-License-Identifier: GPL-3.0-or-later */
/* solid.c - hexahedra and tetrahedra: linear elasticity, isoparametric, consistent mass.
 *
 * Hexahedra, local axes r in [-1,1]^3, node a at R_a
 *   8 nodes   N_a = prod (1 + R_ai r_i)/8                                          2^3 Gauss points
 *   20 nodes  corners: that times (sum R_ai r_i - 2); mid-edge, R_ak = 0:
 *             N_a = (1 - r_k^2) prod_(i != k) (1 + R_ai r_i)/4                     3^3 Gauss points
 * Tetrahedra, volume coordinates L_0..L_3
 *   4 nodes   N_a = L_a;  10 nodes: corners L_a (2 L_a - 1), middle of the edge ab 4 L_a L_b
 *   stiffness: 4 points, exact; mass: int prod L_i^(n_i) dV = 6 V prod n_i! / (3 + sum n_i)!
 * Both       K_ab = sum w (lam grad N_a grad N_b' + mu (grad N_b grad N_a' + (grad N_a . grad N_b)
 *            I))
 * Source     Hughes, The Finite Element Method (2000), sec. 3.5-3.8 and 3.I
 */
#include "bench/mesh/mesh.h"
#include <math.h>
#include <string.h>

/* Corners first, then the middles of the edges: CalculiX' order. */
const int mesh_hex[20][3] = {{-1, -1, -1}, {1, -1, -1}, {1, 1, -1}, {-1, 1, -1}, {-1, -1, 1},
                             {1, -1, 1},   {1, 1, 1},   {-1, 1, 1}, {0, -1, -1}, {1, 0, -1},
                             {0, 1, -1},   {-1, 0, -1}, {0, -1, 1}, {1, 0, 1},   {0, 1, 1},
                             {-1, 0, 1},   {-1, -1, 0}, {1, -1, 0}, {1, 1, 0},   {-1, 1, 0}};

/* N[a] and d[a][i] = dN_a/dr_i */
static void hex_shape(int nodes, const double r[3], double *N, double (*d)[3])
{
    for (int a = 0; a < nodes; a++) {
        double f[3], df[3], scale = 1. / 8, bend = -2;
        int corner = nodes == 20 && a < 8;
        for (int i = 0; i < 3; i++) {
            double R = mesh_hex[a][i];
            f[i] = mesh_hex[a][i] ? 1 + R * r[i] : 1 - r[i] * r[i];
            df[i] = mesh_hex[a][i] ? R : -2 * r[i];
            bend += R * r[i];
            if (!mesh_hex[a][i])
                scale = 1. / 4;
        }
        if (!corner)
            bend = 1;
        N[a] = scale * f[0] * f[1] * f[2] * bend;
        for (int i = 0; i < 3; i++)
            d[a][i] = scale * f[(i + 1) % 3] * f[(i + 2) % 3] *
                      (df[i] * bend + (corner ? f[i] * mesh_hex[a][i] : 0));
    }
}

/* d := gradients in space; returns det J. */
static double gradients(int nodes, const double (*X)[3], double (*d)[3])
{
    double J[3][3] = {{0}}, C[3][3], det = 0;
    for (int a = 0; a < nodes; a++)
        for (int i = 0; i < 3; i++)
            for (int j = 0; j < 3; j++)
                J[i][j] += d[a][i] * X[a][j];
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++) {
            int p = (i + 1) % 3, q = (i + 2) % 3, s = (j + 1) % 3, t = (j + 2) % 3;
            C[i][j] = J[p][s] * J[q][t] - J[p][t] * J[q][s]; /* J^-1 = C'/det */
        }
    for (int j = 0; j < 3; j++)
        det += J[0][j] * C[0][j];
    for (int a = 0; a < nodes; a++) {
        double g[3] = {0};
        for (int i = 0; i < 3; i++)
            for (int j = 0; j < 3; j++)
                g[i] += C[j][i] / det * d[a][j];
        memcpy(d[a], g, sizeof g);
    }
    return det;
}

/* Ke += w B'DB, its upper blocks */
static void add_stiffness(int nodes, const double (*g)[3], double w, double *Ke)
{
    const double lam = MESH_E * MESH_NU / ((1 + MESH_NU) * (1 - 2 * MESH_NU)),
                 mu = MESH_E / (2 * (1 + MESH_NU));
    int nd = 3 * nodes;
    for (int a = 0; a < nodes; a++)
        for (int b = a; b < nodes; b++) {
            double dot = mu * (g[a][0] * g[b][0] + g[a][1] * g[b][1] + g[a][2] * g[b][2]);
            for (int i = 0; i < 3; i++)
                for (int j = 0; j < 3; j++)
                    Ke[(3 * a + i) * nd + 3 * b + j] +=
                        w * (lam * g[a][i] * g[b][j] + mu * g[a][j] * g[b][i] + (i == j ? dot : 0));
        }
}

static void mirror(int nd, double *A)
{
    for (int i = 0; i < nd; i++)
        for (int j = 0; j < i; j++)
            A[i * nd + j] = A[j * nd + i];
}

void mesh_hexahedron(int nodes, const double (*X)[3], double *Ke, double *Me)
{
    const double p3[] = {-sqrt(0.6), 0, sqrt(0.6)}, w3[] = {5. / 9, 8. / 9, 5. / 9};
    const double p2[] = {-1 / sqrt(3), 1 / sqrt(3)}, w2[] = {1, 1};
    const double *p = nodes == 20 ? p3 : p2, *w = nodes == 20 ? w3 : w2;
    int np = nodes == 20 ? 3 : 2, nd = 3 * nodes;
    memset(Ke, 0, sizeof *Ke * (size_t)(nd * nd));
    memset(Me, 0, sizeof *Me * (size_t)(nd * nd));
    for (int q = 0; q < np * np * np; q++) {
        int i = q % np, j = q / np % np, k = q / np / np;
        double N[MESH_NODES], d[MESH_NODES][3];
        hex_shape(nodes, (double[]){p[i], p[j], p[k]}, N, d);
        double dV = w[i] * w[j] * w[k] * gradients(nodes, X, d);
        add_stiffness(nodes, (const double(*)[3])d, dV, Ke);
        for (int a = 0; a < nodes; a++)
            for (int b = a; b < nodes; b++)
                Me[3 * a * nd + 3 * b] += MESH_RHO * dV * N[a] * N[b];
    }
    mirror(nd, Ke);
    mirror(nd, Me);
}

/* Corners of the edges of a tetrahedron, in CalculiX' order. */
static const int EDGE[6][2] = {{0, 1}, {1, 2}, {2, 0}, {0, 3}, {1, 3}, {2, 3}};

/* One shape function as a sum of monomials c L_i L_j; j = 4: c L_i. Returns how many. */
static int tet_terms(int nodes, int a, double *c, int (*ij)[2])
{
    int corner = a < 4;
    ij[0][0] = corner ? a : EDGE[a - 4][0];
    ij[0][1] = corner ? (nodes == 4 ? 4 : a) : EDGE[a - 4][1];
    c[0] = corner ? (nodes == 4 ? 1 : 2) : 4;
    ij[1][0] = a;
    ij[1][1] = 4;
    c[1] = -1;
    return corner && nodes == 10 ? 2 : 1;
}

/* int prod L / (6 V) over the four (or fewer) coordinates named; 4 names none. */
static double tet_integral(const int *i)
{
    static const double factorial[] = {1, 1, 2, 6, 24, 120, 720, 5040};
    int n[5] = {0}, sum = 3;
    double f = 1;
    for (int k = 0; k < 4; k++)
        n[i[k]]++;
    for (int k = 0; k < 4; k++) {
        f *= factorial[n[k]];
        sum += n[k];
    }
    return f / factorial[sum];
}

static double tet_mass(int nodes, int a, int b)
{
    double ca[2], cb[2], sum = 0;
    int ta[2][2], tb[2][2], na = tet_terms(nodes, a, ca, ta), nb = tet_terms(nodes, b, cb, tb);
    for (int p = 0; p < na; p++)
        for (int q = 0; q < nb; q++)
            sum += ca[p] * cb[q] * tet_integral((int[]){ta[p][0], ta[p][1], tb[q][0], tb[q][1]});
    return sum;
}

/* d[a][i] = dN_a/dL_(i+1), L_0 = 1 - L_1 - L_2 - L_3 */
static void tet_shape(int nodes, const double L[4], double (*d)[3])
{
    for (int a = 0; a < nodes; a++) {
        double by[4] = {0};
        if (nodes == 4)
            by[a] = 1;
        else if (a < 4)
            by[a] = 4 * L[a] - 1;
        else {
            by[EDGE[a - 4][0]] = 4 * L[EDGE[a - 4][1]];
            by[EDGE[a - 4][1]] = 4 * L[EDGE[a - 4][0]];
        }
        for (int i = 0; i < 3; i++)
            d[a][i] = by[i + 1] - by[0];
    }
}

void mesh_tetrahedron(int nodes, const double (*X)[3], double *Ke, double *Me)
{
    const double far = (5 - sqrt(5)) / 20, near = (5 + 3 * sqrt(5)) / 20;
    int nd = 3 * nodes;
    double det = 0;
    memset(Ke, 0, sizeof *Ke * (size_t)(nd * nd));
    memset(Me, 0, sizeof *Me * (size_t)(nd * nd));
    for (int q = 0; q < 4; q++) {
        double L[4] = {far, far, far, far}, d[10][3];
        L[q] = near;
        tet_shape(nodes, L, d);
        det = gradients(nodes, X, d); /* 6 V */
        add_stiffness(nodes, (const double(*)[3])d, det / 24, Ke);
    }
    for (int a = 0; a < nodes; a++)
        for (int b = a; b < nodes; b++)
            Me[3 * a * nd + 3 * b] = MESH_RHO * det * tet_mass(nodes, a, b);
    mirror(nd, Ke);
    mirror(nd, Me);
}
