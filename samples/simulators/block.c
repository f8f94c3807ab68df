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
 *        h_r += q''U_a q', h_t += q''U_r q' (q'' here: the transposed rates),
 *        h_f -= sum w_a w_b U_Wab q
 * Kinetic energy is kept exactly, since (11), (13) are derivatives of (9).
 * Source  Scaglioni, sect. 2.2, eq. (2.2)-(2.12); (13) without I10, I11
 */
#include "sim.h"
#include <string.h>

/* (9), (11), and the quadratic terms of (13), (24) into hf. */
static void inertia(const body *s, double J[9], double Jd[9], double *hf)
{
    const flex *b = &s->link;
    const int m = b->m;
    const double *w = s->eta + 3, *qd = s->eta + 6, *U = s->rows + OF_W * m; /* -U_W q */
    double B[9 * NCOORD], qI8[9], qB[9], rB[9], ww[9];
    copy(B, b->I8, 9 * m);
    gemm("NN", 9 * m, 1, m, 1, b->I9, s->q, 1, B);
    gemm("TN", 9, 1, m, 1, b->I8, s->q, 0, qI8);
    gemm("TN", 9, 1, m, 1, B, s->q, 0, qB);
    gemm("TN", 9, 1, m, 1, B, qd, 0, rB);
    for (int a = 0; a < 9; a++) {
        const int turned = a % 3 * 3 + a / 3;
        J[a] = b->I7[a] - qI8[a] - qB[turned];
        Jd[a] = -rB[a] - rB[turned];
        ww[a] = w[a / 3] * w[a % 3];
    }
    gemm("NN", m, 1, 9, -1, B, ww, 0, hf);
    gemm("TN", m, 1, 9, 1, U, ww, 1, hf);
    times_add(9, m, 1, U, s->q, J);
    times_add(9, m, 2, U, qd, Jd);
}

void block(body *s)
{
    const flex *b = &s->link;
    const int m = b->m, n = 6 + m, lines = NUNIT * m;
    const double *w = s->eta + 3, *qd = s->eta + 6;
    double d[3], dx[9], Cr[3 * NCOORD], J[9], Jd[9], x[3] = {0}, z[3 * NCOORD];
    double *Mass = s->Mass, *h = s->h, *I3 = s->rows;

    copy(s->rows, b->rows, lines);
    memset(s->slope, 0, sizeof *s->slope * (size_t)lines);
    memset(s->u, 0, sizeof s->u);
    memset(h, 0, 6 * sizeof *h);
    if (b->U) { /* (24) */
        gemm("TN", lines, 1, m, -1, b->U, s->q, 1, s->rows);
        gemm("TN", lines, 1, m, -1, b->U, qd, 1, s->slope);
        times_add(6, m, -1, s->slope, qd, h);
    }
    times_add(NUNIT, m, 0.5, b->rows, s->q, s->u);
    times_add(NUNIT, m, 0.5, s->rows, s->q, s->u);
    for (int a = 0; a < 3; a++) {
        d[a] = b->I2[a] + s->u[OF_A + a];     /* (7) */
        s->r[a] = b->tip[a] + s->u[OF_F + a]; /* (14) */
    }
    copy(Cr, s->rows + OF_R * m, 3 * m); /* (8) */
    gemm("TN", 3 * m, 1, m, 1, b->I5, s->q, 1, Cr);
    inertia(s, J, Jd, h + 6); /* (9), (11) */

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
    cross_add(-1, w, x, h + 3);
    times_add(3, 3, -1, Jd, w, h + 3);
    gemm("NN", 3 * m, 1, m, 1, b->I5, qd, 0, z); /* (13) */
    times_add(m, 3, 2, z, w, h + 6);
    times_add(m, m, -1, b->K, s->q, h + 6); /* (1) */
    times_add(m, m, -1, b->D, qd, h + 6);
}
