/* SPDX-License-Identifier: GPL-3.0-or-later */
/* block.c - one flexible link in its floating frame, all in the link's axes.
 *
 *   (1)  Mass [a - g; w'; q''] = h - [0; 0; K q + D q'] + loads,  a the acceleration of the hub
 *   (6)  Mass = [ I1 E, d~', I3 ; d~, J, Cr ; I3', Cr', I6 ]
 *   (7)  d = I2 + I3 q
 *   (8)  Cr = I4 + sum_k q_k I5_k
 *   (9)  J = I7 - sum_k q_k (I8_k + B_k'),  B_k = I8_k + sum_j I9_kj q_j
 *   (10) h_r = -w~ w~ d - 2 w~ I3 q'
 *   (11) J' = -sum_k q'_k (B_k + B_k')
 *   (12) h_t = -w~ J w - J' w - w~ Cr q'
 *   (13) h_f,k = -w' B_k w + 2 w' I5_k q'
 *   (24) with geometric stiffness U_l per unit of load l, displacements are S q + 1/2 q'H q, and
 *        int rho H_a = -U_a, int rho (u0 x H)_a = -U_ra, int rho (tr(ww') u0 - ww'u0) H = -U_W:
 *        I3 := I3 - U_a q,  Cr := Cr - U_r q,  d := I2 + (I3 - 1/2 U_a q) q,  J := J - q'U_W q, and
 *        h_r += q''U_a q', h_t += q''U_r q' (q'' here: the transposed rates), h_f -= sum w_a w_b U_Wab q
 * Kinetic energy is kept exactly, since (11), (13) are derivatives of (9).
 * Source  Scaglioni, sect. 2.2, eq. (2.2)-(2.12); (13) without I10, I11
 */
#include "sim.h"
#include <string.h>

/* (9), (11), and the quadratic term of (13) into hf. */
static void inertia(const flex *b, const double w[3], const double *q, const double *qd,
                    double J[9], double Jd[9], double *hf)
{
    const int m = b->m;
    double B[9 * NCOORD], qI8[9], qB[9], rB[9], ww[9];
    copy(B, b->I8, 9 * m);
    gemm("NN", 9 * m, 1, m, 1, b->I9, q, 1, B);
    gemm("TN", 9, 1, m, 1, b->I8, q, 0, qI8);
    gemm("TN", 9, 1, m, 1, B, q, 0, qB);
    gemm("TN", 9, 1, m, 1, B, qd, 0, rB);
    for (int a = 0; a < 9; a++) {
        const int turned = a % 3 * 3 + a / 3;
        J[a] = b->I7[a] - qI8[a] - qB[turned];
        Jd[a] = -rB[a] - rB[turned];
        ww[a] = w[a / 3] * w[a % 3];
    }
    gemm("NN", m, 1, 9, -1, B, ww, 0, hf);
}

void stiffened(const flex *b, int first, int n, const double *rows, const double *q, double *out)
{
    const int m = b->m;
    copy(out, rows, n * m);
    if (b->U)
        gemm("NN", n * m, 1, m, -1, b->U + first * m * m, q, 1, out);
}

void mean_add(int n, int m, const double *rows, const double *out, const double *q, double *x)
{
    times_add(n, m, 0.5, rows, q, x);
    times_add(n, m, 0.5, out, q, x);
}

/* (24) into J, J', h. */
static void stiffen(const flex *b, const double w[3], const double *q, const double *qd,
                    double J[9], double Jd[9], double *h)
{
    const int m = b->m;
    double Uq[9 * NCOORD], Ur[6 * NCOORD];
    if (!b->U)
        return;
    gemm("NN", 9 * m, 1, m, 1, b->U + OF_W * m * m, q, 0, Uq);
    gemm("NN", 6 * m, 1, m, 1, b->U, qd, 0, Ur);
    times_add(9, m, -1, Uq, q, J);
    times_add(9, m, -2, Uq, qd, Jd);
    times_add(6, m, 1, Ur, qd, h);
    for (int a = 0; a < 9; a++)
        for (int k = 0; k < m; k++)
            h[6 + k] -= w[a / 3] * w[a % 3] * Uq[a * m + k];
}

void block(const flex *b, const double *q, const double *eta, double *Mass, double *h)
{
    const int m = b->m, n = 6 + m;
    const double *w = eta + 3, *qd = eta + 6;
    double d[3], dx[9], I3[3 * NCOORD], Cr[3 * NCOORD], J[9], Jd[9], x[3] = {0}, y[3],
                                                                     z[3 * NCOORD], *hf = h + 6;
    copy(d, b->I2, 3);
    stiffened(b, OF_A, 3, b->I3, q, I3);
    mean_add(3, m, b->I3, I3, q, d);     /* (7) */
    stiffened(b, OF_R, 3, b->I4, q, Cr); /* (8) */
    gemm("TN", 3 * m, 1, m, 1, b->I5, q, 1, Cr);
    memset(h, 0, 6 * sizeof *h);
    inertia(b, w, q, qd, J, Jd, hf); /* (9), (11) */
    stiffen(b, w, q, qd, J, Jd, h);

    skew(d, dx);
    for (int r = 0; r < 6; r++) { /* (6) */
        const double *modal = r < 3 ? I3 + r * m : Cr + (r - 3) * m;
        for (int c = 0; c < 3; c++) {
            Mass[r * n + c] = r < 3 ? (r == c) * b->I1 : dx[3 * (r - 3) + c];
            Mass[r * n + 3 + c] = r < 3 ? dx[3 * c + r] : J[3 * (r - 3) + c];
        }
        for (int k = 0; k < m; k++)
            Mass[r * n + 6 + k] = Mass[(6 + k) * n + r] = modal[k];
    }
    for (int k = 0; k < m; k++)
        copy(Mass + (6 + k) * n + 6, b->I6 + k * m, m);

    cross_add(1, w, d, x); /* (10): x = w~ d + 2 I3 q' */
    times_add(3, m, 2, I3, qd, x);
    cross_add(-1, w, x, h);
    turn(J, 0, w, x); /* (12): x = J w + Cr q' */
    times_add(3, m, 1, Cr, qd, x);
    turn(Jd, 0, w, y);
    for (int a = 0; a < 3; a++)
        h[3 + a] -= y[a];
    cross_add(-1, w, x, h + 3);
    gemm("NN", 3 * m, 1, m, 1, b->I5, qd, 0, z); /* (13) */
    times_add(m, 3, 2, z, w, hf);
    times_add(m, m, -1, b->K, q, hf); /* (1) */
    times_add(m, m, -1, b->D, qd, hf);
}
