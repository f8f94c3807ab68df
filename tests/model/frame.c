/* SPDX-License-Identifier: GPL-3.0-or-later */
/* frame.c - a free frame of round rods between random points in space, six dofs a node.
 *
 * Rod      local x along it; axial EA/L, torsion GJ/L, bending by Hermite polynomials in both
 *   planes (ry = -dw/dx) EI/L^3 [12 6L -12 6L; . 4L^2 -6L 2L^2; . . 12 -6L; . . . 4L^2]
 *   mL/420 [156 22L 54 -13L; . 4L^2 13L -3L^2; . . 156 -22L; . . . 4L^2]
 *   rods and shafts: [1 -1; -1 1] and [2 1; 1 2]/6
 * Source   Przemieniecki, Theory of Matrix Structural Analysis (1968), sec. 5.6, 11.6
 */
#include "model.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

static const double E = 70e9, NU = 0.33, RHO = 2700, RADIUS = 0.01; /* aluminium, SI */

static double next(unsigned *state) /* in (0, 1) */
{
    *state = *state * 1664525u + 1013904223u;
    return ((*state >> 8) + 0.5) / 16777216.;
}

static void spread(double A[12][12], const int at[4], const int sign[4], int n, const double *x,
                   double scale)
{
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++)
            A[at[i]][at[j]] += scale * sign[i] * sign[j] * x[4 * i + j];
}

static void element(double L, double K[12][12], double M[12][12])
{
    const double pi = 3.14159265358979323846, A = pi * RADIUS * RADIUS, I = A * RADIUS * RADIUS / 4,
                 G = E / (2 * (1 + NU));
    const double kb[16] = {12,  6 * L,  -12, 6 * L,  6 * L, 4 * L * L, -6 * L, 2 * L * L,
                           -12, -6 * L, 12,  -6 * L, 6 * L, 2 * L * L, -6 * L, 4 * L * L};
    const double mb[16] = {156, 22 * L, 54,  -13 * L, 22 * L,  4 * L * L,  13 * L,  -3 * L * L,
                           54,  13 * L, 156, -22 * L, -13 * L, -3 * L * L, -22 * L, 4 * L * L};
    const double kr[8] = {1, -1, 0, 0, -1, 1, 0, 0}, mr[8] = {2, 1, 0, 0, 1, 2, 0, 0};
    const int rod[] = {0, 6, 0, 0}, shaft[] = {3, 9, 0, 0}, xy[] = {1, 5, 7, 11},
              xz[] = {2, 4, 8, 10};
    const int plus[] = {1, 1, 1, 1}, minus[] = {1, -1, 1, -1};
    memset(K, 0, sizeof(double) * 144);
    memset(M, 0, sizeof(double) * 144);
    spread(K, rod, plus, 2, kr, E * A / L);
    spread(M, rod, plus, 2, mr, RHO * A * L / 6);
    spread(K, shaft, plus, 2, kr, G * 2 * I / L);
    spread(M, shaft, plus, 2, mr, RHO * 2 * I * L / 6);
    spread(K, xy, plus, 4, kb, E * I / (L * L * L));
    spread(M, xy, plus, 4, mb, RHO * A * L / 420);
    spread(K, xz, minus, 4, kb, E * I / (L * L * L));
    spread(M, xz, minus, 4, mb, RHO * A * L / 420);
}

/* Rows: the rod's axes. */
static double axes(const double *a, const double *b, double R[3][3])
{
    double d[3] = {b[0] - a[0], b[1] - a[1], b[2] - a[2]};
    double L = sqrt(d[0] * d[0] + d[1] * d[1] + d[2] * d[2]);
    int thin = fabs(d[0]) < fabs(d[1]) ? (fabs(d[0]) < fabs(d[2]) ? 0 : 2)
                                       : (fabs(d[1]) < fabs(d[2]) ? 1 : 2);
    double up[3] = {thin == 0, thin == 1, thin == 2}, n = 0;
    for (int c = 0; c < 3; c++)
        R[0][c] = d[c] / L;
    for (int c = 0; c < 3; c++) {
        R[1][c] = up[(c + 1) % 3] * R[0][(c + 2) % 3] - up[(c + 2) % 3] * R[0][(c + 1) % 3];
        n += R[1][c] * R[1][c];
    }
    for (int c = 0; c < 3; c++)
        R[1][c] /= sqrt(n);
    for (int c = 0; c < 3; c++)
        R[2][c] = R[0][(c + 1) % 3] * R[1][(c + 2) % 3] - R[0][(c + 2) % 3] * R[1][(c + 1) % 3];
    return L;
}

/* The upper triangle of T' A T at nodes p and q. */
static void put(double A[12][12], double R[3][3], int64_t p, int64_t q, int64_t *i, int64_t *j,
                double *x, int64_t *n)
{
    for (int a = 0; a < 12; a++)
        for (int b = 0; b < 12; b++) {
            int64_t r = 6 * (a < 6 ? p : q) + a % 6, c = 6 * (b < 6 ? p : q) + b % 6;
            double sum = 0;
            for (int k = 0; k < 3; k++)
                for (int l = 0; l < 3; l++)
                    sum += R[k][a % 3] * A[a / 3 * 3 + k][b / 3 * 3 + l] * R[l][b % 3];
            if (r > c)
                continue;
            i[*n] = r;
            j[*n] = c;
            x[(*n)++] = sum;
        }
}

fb_status test_frame(test_model *t, int64_t nodes, unsigned seed, int flat, fb_err *e)
{
    test_model r = {.nn = nodes};
    int64_t most = 2 * nodes * 144, n[2] = {0, 0}, *i[2] = {0}, *j[2] = {0};
    double *x[2] = {0}, K[12][12], M[12][12], R[3][3];
    unsigned state = seed + 1;
    fb_status s = FB_OK;
    FB_TRY(fb_new(&r.xyz, 3 * nodes, 8, "points", e));
    FB_TRY(fb_new(&r.node, 6 * nodes, 8, "nodes", e));
    for (int64_t p = 0; p < nodes; p++) /* along x, so that no two meet */
        for (int c = 0; c < (flat ? 2 : 3); c++)
            r.xyz[3 * p + c] = 0.3 * ((c ? 0 : (double)p) + 0.6 * next(&state));
    for (int64_t d = 0; d < 6 * nodes; d++)
        r.node[d] = d / 6;
    for (int a = 0; a < 2; a++) {
        FB_TRY(fb_new(&i[a], most, 8, "entries", e));
        FB_TRY(fb_new(&j[a], most, 8, "entries", e));
        FB_TRY(fb_new(&x[a], most, 8, "entries", e));
    }
    for (int64_t step = 1; step <= 2; step++)
        for (int64_t p = 0; p + step < nodes; p++) {
            if (step == 2 && next(&state) < 0.5)
                continue;
            element(axes(r.xyz + 3 * p, r.xyz + 3 * (p + step), R), K, M);
            put(K, R, p, p + step, i[0], j[0], x[0], &n[0]);
            put(M, R, p, p + step, i[1], j[1], x[1], &n[1]);
        }
    FB_TRY(fb_csc_from_triplets(&r.K, 6 * nodes, 6 * nodes, n[0], i[0], j[0], x[0], 1, e));
    FB_TRY(fb_csc_from_triplets(&r.M, 6 * nodes, 6 * nodes, n[1], i[1], j[1], x[1], 1, e));
    *t = r;
    r = (test_model){0};
out:
    for (int a = 0; a < 2; a++) {
        free(i[a]);
        free(j[a]);
        free(x[a]);
    }
    test_model_free(&r);
    return s;
}
