/* SPDX-License-Identifier: GPL-3.0-or-later */
/* thin.c - flat rectangular plates and beams with six dofs a node, consistent mass.
 *
 * Plate, local x y in the plane, half edges a b, p = +-x/a and q = +-y/b, 1 at the node, thickness
 * t
 *   membrane  u, v bilinear, plane stress
 *   bending   w = sum N w_i + Ny rx_i - Nx ry_i,  rx = dw/dy, ry = -dw/dx (Adini, Clough, Melosh)
 *             N = (1+p)(1+q)(2+p+q-p^2-q^2)/8,  Nx = +-a (p^2-1)(1+p)(1+q)/8,  Ny likewise
 *   drilling  G t int (rz - (dv/dx - du/dy)/2)^2 dA: rigid motion stays free
 *   mass      rho t of u, v, w; rho t^3/12 of rz
 * Beam        Euler and Bernoulli, round section of radius R
 * Source      Zienkiewicz & Taylor, The Finite Element Method 2 (2000), sec. 4.5; Hughes & Brezzi,
 *             CMAME 72 (1989) 105-121 (drilling); Przemieniecki, Theory of Matrix Structural
 *             Analysis (1968), sec. 5.6 and 11.4
 */
#include "bench/mesh/mesh.h"
#include <math.h>
#include <string.h>

/* A := T'AT, T = diag(Q, Q, ..); the rows of Q are the local axes. */
static void rotate(int nd, const double Q[3][3], double *A)
{
    for (int r = 0; r < nd; r += 3)
        for (int c = 0; c < nd; c += 3) {
            double B[3][3] = {{0}}, C[3][3] = {{0}};
            for (int i = 0; i < 3; i++)
                for (int j = 0; j < 3; j++)
                    for (int k = 0; k < 3; k++)
                        B[i][j] += A[(r + i) * nd + c + k] * Q[k][j];
            for (int i = 0; i < 3; i++)
                for (int j = 0; j < 3; j++)
                    for (int k = 0; k < 3; k++)
                        C[i][j] += Q[k][i] * B[k][j];
            for (int i = 0; i < 3; i++)
                memcpy(A + (r + i) * nd + c, C[i], sizeof C[i]);
        }
}

static double unit(const double *from, const double *to, double *d)
{
    double n = 0;
    for (int i = 0; i < 3; i++) {
        d[i] = to[i] - from[i];
        n += d[i] * d[i];
    }
    n = sqrt(n);
    for (int i = 0; i < 3; i++)
        d[i] /= n;
    return n;
}

static void cross(const double *a, const double *b, double *c)
{
    for (int i = 0; i < 3; i++)
        c[i] = a[(i + 1) % 3] * b[(i + 2) % 3] - a[(i + 2) % 3] * b[(i + 1) % 3];
}

/* A += w v v' */
static void add(int nd, double w, const double *v, double *A)
{
    for (int i = 0; i < nd; i++)
        if (v[i] < 0 || v[i] > 0)
            for (int j = 0; j < nd; j++)
                A[i * nd + j] += w * v[i] * v[j];
}

enum { PLATE = 24 };

typedef struct { /* rows of the strain matrix and of the shape functions at one point [24] */
    double xx[PLATE], yy[PLATE], xy[PLATE]; /* membrane */
    double kx[PLATE], ky[PLATE], kxy[PLATE];
    double drill[PLATE], u[PLATE], v[PLATE], w[PLATE], rz[PLATE];
} plate_rows;

static void plate_point(double a, double b, double x, double y, plate_rows *r)
{
    static const int S[4][2] = {{-1, -1}, {1, -1}, {1, 1}, {-1, 1}};
    memset(r, 0, sizeof *r);
    for (int n = 0; n < 4; n++) {
        double s = S[n][0], t = S[n][1], p = s * x, q = t * y, st = s * t / (a * b);
        double N = (1 + p) * (1 + q) / 4, dx = s * (1 + q) / (4 * a), dy = t * (1 + p) / (4 * b);
        int d = 6 * n, w = d + 2, rx = d + 3, ry = d + 4;
        r->u[d] = r->v[d + 1] = r->rz[d + 5] = N;
        r->xx[d] = r->xy[d + 1] = dx;
        r->yy[d + 1] = r->xy[d] = dy;
        r->drill[d] = dy / 2;
        r->drill[d + 1] = -dx / 2;
        r->drill[d + 5] = N;
        r->w[w] = (1 + p) * (1 + q) * (2 + p + q - p * p - q * q) / 8;
        r->w[rx] = b * t * (q * q - 1) * (1 + q) * (1 + p) / 8;
        r->w[ry] = -a * s * (p * p - 1) * (1 + p) * (1 + q) / 8;
        r->kx[w] = -0.75 * p * (1 + q) / (a * a);
        r->ky[w] = -0.75 * q * (1 + p) / (b * b);
        r->kxy[w] = st * (4 - 3 * p * p - 3 * q * q) / 4; /* 2 w_xy */
        r->ky[rx] = t * (6 * q + 2) * (1 + p) / (8 * b);
        r->kxy[rx] = st * b * t * (3 * q * q + 2 * q - 1) / 4;
        r->kx[ry] = -s * (6 * p + 2) * (1 + q) / (8 * a);
        r->kxy[ry] = -st * a * s * (3 * p * p + 2 * p - 1) / 4;
    }
}

/* A += w D of plane stress (times c), x and y strains coupled by Poisson's ratio */
static void add_elastic(double w, const double *x, const double *y, const double *xy, double *A)
{
    double sum[PLATE];
    for (int i = 0; i < PLATE; i++)
        sum[i] = x[i] + y[i];
    add(PLATE, w * (1 - MESH_NU), x, A);
    add(PLATE, w * (1 - MESH_NU), y, A);
    add(PLATE, w * MESH_NU, sum, A);
    add(PLATE, w * (1 - MESH_NU) / 2, xy, A);
}

void mesh_plate(int nodes, const double (*X)[3], double *Ke, double *Me)
{
    /* 4 Gauss points a direction: exact for the mass, degree 6 */
    static const double pt[] = {-0.86113631159405258, -0.33998104358485626, 0.33998104358485626,
                                0.86113631159405258},
                        wt[] = {0.34785484513745386, 0.65214515486254614, 0.65214515486254614,
                                0.34785484513745386};
    const double t = MESH_PLATE_T, plane = MESH_E * t / (1 - MESH_NU * MESH_NU),
                 G = MESH_E / (2 * (1 + MESH_NU));
    double Q[3][3], a = unit(X[0], X[1], Q[0]) / 2, b = unit(X[0], X[3], Q[1]) / 2;
    plate_rows r;
    (void)nodes;
    cross(Q[0], Q[1], Q[2]);
    memset(Ke, 0, sizeof *Ke * PLATE * PLATE);
    memset(Me, 0, sizeof *Me * PLATE * PLATE);
    for (int q = 0; q < 16; q++) {
        double w = wt[q % 4] * wt[q / 4] * a * b;
        plate_point(a, b, pt[q % 4], pt[q / 4], &r);
        add_elastic(w * plane, r.xx, r.yy, r.xy, Ke);
        add_elastic(w * plane * t * t / 12, r.kx, r.ky, r.kxy, Ke);
        add(PLATE, w * G * t, r.drill, Ke);
        add(PLATE, w * MESH_RHO * t, r.u, Me);
        add(PLATE, w * MESH_RHO * t, r.v, Me);
        add(PLATE, w * MESH_RHO * t, r.w, Me);
        add(PLATE, w * MESH_RHO * t * t * t / 12, r.rz, Me);
    }
    rotate(PLATE, (const double(*)[3])Q, Ke);
    rotate(PLATE, (const double(*)[3])Q, Me);
}

enum { BEAM = 12 };

static void both(double *A, int i, int j, double x)
{
    A[i * BEAM + j] = A[j * BEAM + i] = x;
}

/* Bending in one plane: deflection d, rotation r of the first node; s: sign of dw/dx in r. */
static void bend(double *K, double *M, int d, int r, double s, double L, double EI, double m)
{
    const int at[] = {d, r, d + 6, r + 6};
    const double f[] = {1, s * L, 1, s * L};
    static const double k[4][4] = {
        {12, 6, -12, 6}, {6, 4, -6, 2}, {-12, -6, 12, -6}, {6, 2, -6, 4}};
    static const double c[4][4] = {
        {156, 22, 54, -13}, {22, 4, 13, -3}, {54, 13, 156, -22}, {-13, -3, -22, 4}};
    for (int i = 0; i < 4; i++)
        for (int j = 0; j < 4; j++) {
            K[at[i] * BEAM + at[j]] = EI / (L * L * L) * k[i][j] * f[i] * f[j];
            M[at[i] * BEAM + at[j]] = m / 420 * c[i][j] * f[i] * f[j];
        }
}

void mesh_beam(int nodes, const double (*X)[3], double *Ke, double *Me)
{
    const double pi = 3.14159265358979323846, R = MESH_BEAM_R, A = pi * R * R, I = A * R * R / 4;
    const double G = MESH_E / (2 * (1 + MESH_NU));
    double Q[3][3], L = unit(X[0], X[1], Q[0]), m = MESH_RHO * A * L, side[3] = {0}, zero[3] = {0};
    int least = 0;
    (void)nodes;
    for (int i = 1; i < 3; i++)
        least = fabs(Q[0][i]) < fabs(Q[0][least]) ? i : least;
    side[least] = 1;
    cross(Q[0], side, Q[1]);
    unit(zero, Q[1], Q[1]);
    cross(Q[0], Q[1], Q[2]);
    memset(Ke, 0, sizeof *Ke * BEAM * BEAM);
    memset(Me, 0, sizeof *Me * BEAM * BEAM);
    for (int k = 0; k < 2; k++) { /* tension and torsion */
        double stiff = k ? G * 2 * I / L : MESH_E * A / L, mass = k ? MESH_RHO * 2 * I * L : m;
        for (int n = 3 * k; n < BEAM; n += 6) {
            both(Ke, n, n, stiff);
            both(Me, n, n, mass / 3);
        }
        both(Ke, 3 * k, 3 * k + 6, -stiff);
        both(Me, 3 * k, 3 * k + 6, mass / 6);
    }
    bend(Ke, Me, 1, 5, 1, L, MESH_E * I, m);
    bend(Ke, Me, 2, 4, -1, L, MESH_E * I, m);
    rotate(BEAM, (const double(*)[3])Q, Ke);
    rotate(BEAM, (const double(*)[3])Q, Me);
}
