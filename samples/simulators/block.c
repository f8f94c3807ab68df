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

void block(const flex *b, const double *q, const double *eta, double *Mass, double *h)
{
    const int m = b->m, n = 6 + m;
    const double *w = eta + 3, *qd = eta + 6;
    double d[3], dx[9], Cr[3 * NCOORD], J[9], Jd[9], x[3] = {0}, y[3], z[3 * NCOORD], *hf = h + 6;
    copy(d, b->I2, 3);
    times_add(3, m, 1, b->I3, q, d); /* (7) */
    copy(Cr, b->I4, 3 * m);          /* (8) */
    gemm("TN", 3 * m, 1, m, 1, b->I5, q, 1, Cr);
    inertia(b, w, q, qd, J, Jd, hf); /* (9), (11) */

    skew(d, dx);
    for (int r = 0; r < 6; r++) { /* (6) */
        const double *modal = r < 3 ? b->I3 + r * m : Cr + (r - 3) * m;
        for (int c = 0; c < 3; c++) {
            Mass[r * n + c] = r < 3 ? (r == c) * b->I1 : dx[3 * (r - 3) + c];
            Mass[r * n + 3 + c] = r < 3 ? dx[3 * c + r] : J[3 * (r - 3) + c];
        }
        for (int k = 0; k < m; k++)
            Mass[r * n + 6 + k] = Mass[(6 + k) * n + r] = modal[k];
    }
    for (int k = 0; k < m; k++)
        copy(Mass + (6 + k) * n + 6, b->I6 + k * m, m);

    memset(h, 0, 6 * sizeof *h);
    cross_add(1, w, d, x); /* (10): x = w~ d + 2 I3 q' */
    times_add(3, m, 2, b->I3, qd, x);
    cross_add(-1, w, x, h);
    turn(J, 0, w, x); /* (12): x = J w + Cr q' */
    times_add(3, m, 1, Cr, qd, x);
    turn(Jd, 0, w, y);
    for (int a = 0; a < 3; a++)
        h[3 + a] = -y[a];
    cross_add(-1, w, x, h + 3);
    gemm("NN", 3 * m, 1, m, 1, b->I5, qd, 0, z); /* (13) */
    times_add(m, 3, 2, z, w, hf);
    times_add(m, m, -1, b->K, q, hf); /* (1) */
    times_add(m, m, -1, b->D, qd, hf);
}
