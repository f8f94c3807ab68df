/* SPDX-License-Identifier: GPL-3.0-or-later */
/* block.c - one flexible link in its floating frame, all in the link's axes.
 *
 *   (1)  Mass [a - g; w'; q''] = h - [0; 0; K q + D q'] + loads,  a the acceleration of the hub
 *   (6)  Mass = [ I1 E, d~', I3 ; d~, J, Cr ; I3', Cr', I6 ]
 *   (7)  d = I2 + I3 q
 *   (8)  Cr = I4 + sum_k q_k I5_k
 *   (9)  J = I7 - sum_k q_k (I8_k + I8_k' + A_k),  A_k = sum_j I9_kj q_j
 *   (10) h_r = -w~ w~ d - 2 w~ I3 q'
 *   (11) J' = -sum_k q'_k (I8_k + I8_k' + A_k + A_k')
 *   (12) h_t = -w~ J w - J' w - w~ Cr q'
 *   (13) h_f,k = -w' (I8_k + A_k) w + 2 w' I5_k q'
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
    memcpy(J, b->I7, 9 * sizeof *J);
    memset(Jd, 0, 9 * sizeof *Jd);
    for (int k = 0; k < m; k++) {
        const double *I8 = b->I8 + 9 * k;
        double A[9], B[9];
        for (int c = 0; c < 9; c++) {
            const double *I9 = b->I9 + (9 * k + c) * m;
            A[c] = 0;
            for (int j = 0; j < m; j++)
                A[c] += I9[j] * q[j];
            B[c] = I8[c] + A[c];
        }
        double wBw = 0;
        for (int r = 0; r < 3; r++)
            for (int c = 0; c < 3; c++) {
                J[3 * r + c] -= q[k] * (I8[3 * r + c] + B[3 * c + r]);
                Jd[3 * r + c] -= qd[k] * (B[3 * r + c] + B[3 * c + r]);
                wBw += w[r] * B[3 * r + c] * w[c];
            }
        hf[k] = -wBw;
    }
}

void block(const flex *b, const double w[3], const double *q, const double *qd, double *Mass,
           double *h)
{
    const int m = b->m, n = 6 + m;
    double d[3], dx[9], Cr[3 * NCOORD], J[9], Jd[9], x[3], y[3], *hf = h + 6;
    memcpy(d, b->I2, sizeof d);
    times_add(1, b->I3, q, m, d);                  /* (7) */
    memcpy(Cr, b->I4, sizeof *Cr * 3 * (size_t)m); /* (8) */
    for (int k = 0; k < m; k++)
        for (int j = 0; j < 3 * m; j++)
            Cr[j] += q[k] * b->I5[3 * m * k + j];
    inertia(b, w, q, qd, J, Jd, hf); /* (9), (11) */

    skew(d, dx);
    memset(Mass, 0, sizeof *Mass * (size_t)(n * n)); /* (6) */
    for (int r = 0; r < 3; r++) {
        Mass[r * n + r] = b->I1;
        for (int c = 0; c < 3; c++) {
            Mass[r * n + 3 + c] = Mass[(3 + c) * n + r] = dx[3 * c + r];
            Mass[(3 + r) * n + 3 + c] = J[3 * r + c];
        }
        for (int k = 0; k < m; k++) {
            Mass[r * n + 6 + k] = Mass[(6 + k) * n + r] = b->I3[r * m + k];
            Mass[(3 + r) * n + 6 + k] = Mass[(6 + k) * n + 3 + r] = Cr[r * m + k];
        }
    }
    for (int k = 0; k < m; k++)
        memcpy(Mass + (6 + k) * n + 6, b->I6 + k * m, sizeof *Mass * (size_t)m);

    memset(h, 0, 6 * sizeof *h);
    cross(w, d, x); /* (10): x = w~ d + 2 I3 q' */
    times_add(2, b->I3, qd, m, x);
    cross_add(-1, w, x, h);
    turn(J, w, x); /* (12): x = J w + Cr q' */
    times_add(1, Cr, qd, m, x);
    turn(Jd, w, y);
    for (int a = 0; a < 3; a++)
        h[3 + a] = -y[a];
    cross_add(-1, w, x, h + 3);
    for (int k = 0; k < m; k++) { /* (13), (1) */
        times(b->I5 + 3 * m * k, qd, m, x);
        hf[k] += 2 * dot(w, x);
        for (int j = 0; j < m; j++)
            hf[k] -= b->K[k * m + j] * q[j] + b->D[k * m + j] * qd[j];
    }
}
