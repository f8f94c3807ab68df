/* SPDX-License-Identifier: GPL-3.0-or-later */
/* shell.c - a free flat steel plate of shells with four nodes, six dofs a node, in the plane z =
 * 0.1.
 *
 * Strains  membrane u,x  v,y  u,y + v,x;  bending ry,x  -rx,y  ry,y - rx,x;  shear w,x + ry,
 *          w,y - rx;  drilling rz - (v,x - u,y)/2: all zero in rigid motion
 * Energy   plane stress E t/(1 - nu^2), the same by t^3/12, 5/6 G t, G t; mass rho t of
 *          translations, rho t^3/12 of rotations, both consistent; 2 x 2 Gauss points of bilinear
 *          shapes (shear locks, so that the plate is stiffer than a thin one)
 * Source   T. J. R. Hughes, The Finite Element Method (1987), ch. 5
 */
#include "model.h"
#include <math.h>
#include <stdlib.h>

static const double E = 210e9, NU = 0.3, RHO = 7850;
enum { NE = 24, NSTRAIN = 9 };

/* Of the element's four corners, counted around. */
static const double corner[4][2] = {{-1, -1}, {1, -1}, {1, 1}, {-1, 1}};

static void strains(double xi, double eta, const double edge[2], double N[4], double B[NSTRAIN][NE])
{
    for (int r = 0; r < NSTRAIN; r++)
        for (int c = 0; c < NE; c++)
            B[r][c] = 0;
    for (int p = 0; p < 4; p++) {
        const double x = 1 + corner[p][0] * xi, y = 1 + corner[p][1] * eta,
                     dx = corner[p][0] * y / (2 * edge[0]), dy = corner[p][1] * x / (2 * edge[1]);
        const int d = 6 * p;
        N[p] = x * y / 4;
        B[0][d] = B[2][d + 1] = B[3][d + 4] = B[6][d + 2] = dx;
        B[1][d + 1] = B[2][d] = B[5][d + 4] = B[7][d + 2] = dy;
        B[4][d + 3] = -dy;
        B[5][d + 3] = -dx;
        B[6][d + 4] = B[8][d + 5] = N[p];
        B[7][d + 3] = -N[p];
        B[8][d + 1] = -dx / 2;
        B[8][d] = dy / 2;
    }
}

static void element(const double edge[2], double t, double K[NE][NE], double M[NE][NE])
{
    const double G = E / (2 * (1 + NU)), s = E * t / (1 - NU * NU), f = t * t / 12,
                 w = edge[0] * edge[1] / 4;
    double D[NSTRAIN][NSTRAIN] = {{0}}, B[NSTRAIN][NE], N[4];
    for (int k = 0; k < 2; k++) {
        const double by = s * (k ? f : 1);
        D[3 * k][3 * k] = D[3 * k + 1][3 * k + 1] = by;
        D[3 * k][3 * k + 1] = D[3 * k + 1][3 * k] = NU * by;
        D[3 * k + 2][3 * k + 2] = by * (1 - NU) / 2;
    }
    D[6][6] = D[7][7] = 5. / 6 * G * t;
    D[8][8] = G * t;
    for (int g = 0; g < 4; g++) {
        strains(corner[g][0] / sqrt(3), corner[g][1] / sqrt(3), edge, N, B);
        for (int i = 0; i < NE; i++)
            for (int j = 0; j < NE; j++) {
                for (int r = 0; r < NSTRAIN; r++)
                    for (int c = 0; c < NSTRAIN; c++)
                        K[i][j] += w * B[r][i] * D[r][c] * B[c][j];
                if (i % 6 == j % 6)
                    M[i][j] += w * RHO * t * (i % 6 < 3 ? 1 : f) * N[i / 6] * N[j / 6];
            }
    }
}

fb_status test_shell(test_model *t, const int64_t cells[2], const double size[2], double thickness,
                     fb_err *e)
{
    const int64_t nx = cells[0] + 1, nn = nx * (cells[1] + 1), ne = cells[0] * cells[1];
    const double edge[2] = {size[0] / (double)cells[0], size[1] / (double)cells[1]};
    test_model r = {.nn = nn};
    int64_t n = 0, *i = NULL, *j = NULL;
    double *x = NULL, *y = NULL, K[NE][NE] = {{0}}, M[NE][NE] = {{0}};
    fb_status s = FB_OK;
    FB_TRY(fb_new(&r.xyz, 3 * nn, 8, "points", e));
    FB_TRY(fb_new(&r.node, 6 * nn, 8, "nodes", e));
    FB_TRY(fb_new(&i, ne * NE * NE, 8, "entries", e));
    FB_TRY(fb_new(&j, ne * NE * NE, 8, "entries", e));
    FB_TRY(fb_new(&x, ne * NE * NE, 8, "entries", e));
    FB_TRY(fb_new(&y, ne * NE * NE, 8, "entries", e));
    for (int64_t p = 0; p < nn; p++) {
        r.xyz[3 * p] = edge[0] * (double)(p % nx);
        r.xyz[3 * p + 1] = edge[1] * (double)(p / nx);
        r.xyz[3 * p + 2] = 0.1;
    }
    for (int64_t d = 0; d < 6 * nn; d++)
        r.node[d] = d / 6;
    element(edge, thickness, K, M);
    for (int64_t c = 0; c < ne; c++) {
        const int64_t p = c % cells[0] + nx * (c / cells[0]),
                      at[4] = {p, p + 1, p + 1 + nx, p + nx};
        for (int a = 0; a < NE; a++)
            for (int b = 0; b < NE; b++) {
                const int64_t row = 6 * at[a / 6] + a % 6, col = 6 * at[b / 6] + b % 6;
                if (row > col)
                    continue;
                i[n] = row;
                j[n] = col;
                x[n] = K[a][b];
                y[n++] = M[a][b];
            }
    }
    FB_TRY(fb_csc_from_triplets(&r.K, 6 * nn, 6 * nn, n, i, j, x, 1, e));
    FB_TRY(fb_csc_from_triplets(&r.M, 6 * nn, 6 * nn, n, i, j, y, 1, e));
    *t = r;
    r = (test_model){0};
out:
    free(i);
    free(j);
    free(x);
    free(y);
    test_model_free(&r);
    return s;
}
