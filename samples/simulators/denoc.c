/* SPDX-License-Identifier: GPL-3.0-or-later */
/* denoc.c - the recursion of the decoupled natural orthogonal complements, O(n m^3).
 *
 * Twists t_i = eta_i = [v; w; q'] of link i in its axes, x_i = [theta; q] (no theta where rigid)
 *   (27) t_i' = A_i t_i-1' + P_i x_i'' + c_i: A and c of chain.c with rows of zeros below, P_i = [0, 0; a,
 *        0; 0, E]
 *   (30) inward, n .. 1: Mhat_i = Mass_i + A_i+1' Mbar_i+1 A_i+1,
 *        hhat_i = h_i - [0; 0; K q + D q'] + A_i+1' fbar_i+1,
 *        Psi = Mhat P,  Ihat = P'Psi,  phi = P'(hhat - Mhat c) + [tau; 0]
 *   (31) Mbar = Mhat - Psi Ihat^-1 Psi',  fbar = hhat - Mhat c - Psi Ihat^-1 phi, of which the first
 *        six rows go inward, since A has zeros below
 *   (33) outward: x'' = Ihat^-1 (phi - Psi' mu),  mu = A_i t_i-1',  t_i' = P x'' + mu + c
 * A known angle has no column in P, a 1 on the diagonal of Ihat, and its x'' in c.
 * Source  A. Mohan and S. K. Saha, recursive DeNOC dynamics of flexible robots; sign of (20a), indices
 *         of (32) and (33) corrected
 */
#include "sim.h"
#include <string.h>

enum { NT = 6 + NMODE, NX = 1 + NMODE };

typedef struct { /* of a link, between the two recursions */
    double P[NT * NX], Psi[NT * NX], phi[NX], I[NX * NX];
} half;

/* (30), (31) of link i; Mbar [6,6] and fbar [6] are those of the link behind, and become its own. */
static int inward(const chain *c, int i, half *l, double *Mbar, double *fbar)
{
    const joint *j = c->joint + i;
    const pose *s = c->pose + i;
    const int m = j->link.m, n = 6 + m, p = j->nx;
    double M[NT * NT], e[NT], bias[NT] = {0}, MA[6 * NT];
    double Y[NX * 7]; /* right-hand sides, Psi' of six rows, phi */
    copy(M, s->Mass, n * n);
    copy(e, s->h, n); /* hhat - Mhat c */
    if (i + 1 < c->n) {
        gemm("NN", 6, n, 6, 1, Mbar, s[1].A, 0, MA);
        gemm("TN", n, n, 6, 1, s[1].A, MA, 1, M);
        gemm("TN", n, 1, 6, 1, s[1].A, fbar, 1, e);
    }
    memset(l->P, 0, sizeof l->P);
    for (int a = 0; a < 3 && j->revolute && !s->known; a++)
        l->P[(3 + a) * p] = j->axis[a];
    for (int k = 0; k < m; k++)
        l->P[(6 + k) * p + j->revolute + k] = 1;
    copy(bias, s->c, 6);
    gemm("NN", n, 1, n, -1, M, bias, 1, e);
    gemm("NN", n, p, n, 1, M, l->P, 0, l->Psi);
    gemm("TN", p, p, n, 1, l->P, l->Psi, 0, l->I);
    gemm("TN", p, 1, n, 1, l->P, e, 0, l->phi);
    if (j->revolute) {
        l->phi[0] += s->torque;
        l->I[0] += s->known;
    }
    copy(Y, l->Psi, 6 * p);
    copy(Y + 6 * p, l->phi, p);
    const int bad = solve_positive(p, 7, l->I, Y);
    copy(fbar, e, 6);
    gemm("NN", 6, 1, p, -1, l->Psi, Y + 6 * p, 1, fbar);
    for (int r = 0; r < 6; r++)
        copy(Mbar + 6 * r, M + r * n, 6);
    gemm("NT", 6, 6, p, -1, l->Psi, Y, 1, Mbar);
    return bad;
}

/* (33) of link i; td [n] is t_i-1' before and t_i' after. */
static void outward(const chain *c, int i, half *l, double *td, double *a)
{
    const joint *j = c->joint + i;
    const pose *s = c->pose + i;
    const int n = 6 + j->link.m, p = j->nx;
    double mu[6], *x = a + j->at;
    gemm("NN", 6, 1, i ? 6 + j[-1].link.m : 0, 1, s->A, td, 0, mu);
    copy(x, l->phi, p);
    gemm("TN", p, 1, 6, -1, l->Psi, mu, 1, x);
    factored(p, l->I, x);
    gemm("NN", n, 1, p, 1, l->P, x, 0, td);
    for (int r = 0; r < 6; r++)
        td[r] += mu[r] + s->c[r];
    if (s->known)
        x[0] = s->law[2];
}

static int recursion(chain *c, double *a)
{
    static half l[NLINK];
    int bad = 0;
    double Mbar[36], fbar[6], td[NT];
    for (int i = c->n - 1; i >= 0; i--)
        bad |= inward(c, i, l + i, Mbar, fbar);
    for (int i = 0; i < c->n && !bad; i++)
        outward(c, i, l + i, td, a);
    return bad;
}

const formulation formulation_of_program = {
    "denoc", "recursive, by decoupled natural orthogonal complements", 6, floating_link, recursion};
