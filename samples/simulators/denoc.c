/* SPDX-License-Identifier: GPL-3.0-or-later */
/* denoc.c - the recursion of the decoupled natural orthogonal complements, O(n m^3).
 *
 * Twists t_i = eta_i = [v; w; q'] of link i in its axes, x_i = [theta; q] (no theta where rigid)
 *   (27) t_i' = A_i t_i-1' + P_i x_i'' + c_i: A and c of chain.c with rows of zeros below,
 *        P_i = [0, 0; a, 0; 0, E]
 *   (30) inward, n .. 1: Mhat_i = Mass_i + A_i+1' Mbar_i+1 A_i+1,
 *        hhat_i = h_i - [0; 0; K q + D q'] + A_i+1' fbar_i+1,
 *        Psi = Mhat P,  Ihat = P'Psi,  phi = P'(hhat - Mhat c) + [tau; 0]
 *   (31) Mbar = Mhat - Psi Ihat^-1 Psi',  fbar = hhat - Mhat c - Psi Ihat^-1 phi, of which the
 *        first six rows go inward, since A has zeros below
 *   (33) outward: x'' = Ihat^-1 (phi - Psi' mu),  mu = A_i t_i-1',  t_i' = P x'' + mu + c
 *   (23) tau of a known angle: about its axis, Mhat t' - hhat
 * A known angle has no column in P, a 1 on the diagonal of Ihat, and its x'' in c.
 * Source  A. Mohan and S. K. Saha, recursive DeNOC dynamics of flexible robots; sign of (20a),
 *         indices of (32) and (33) corrected
 */
#include "sim.h"
#include <string.h>

enum { NT = 6 + NMODE, NX = 1 + NMODE };

typedef struct { /* of a link, between the two recursions */
    double P[NT * NX], Psi[NT * NX], phi[NX], I[NX * NX], M[NT * NT], h[NT];
} half;

/* (30), (31) of link i; Mbar [6,6] and fbar [6] are of the link behind, and become its own. */
static int inward(const chain *c, int i, half *l, double *Mbar, double *fbar)
{
    const body *s = c->body + i;
    const int m = s->link.m, n = 6 + m, p = s->nx;
    double e[NT], bias[NT] = {0}, MA[6 * NT];
    double Y[NX * 7]; /* right-hand sides, Psi' of six rows, phi */
    copy(l->M, s->Mass, n * n);
    copy(l->h, s->h, n);
    if (i + 1 < c->n) {
        gemm("NN", 6, n, 6, 1, Mbar, s[1].A, 0, MA);
        gemm("TN", n, n, 6, 1, s[1].A, MA, 1, l->M);
        gemm("TN", n, 1, 6, 1, s[1].A, fbar, 1, l->h);
    }
    memset(l->P, 0, sizeof l->P);
    for (int a = 0; a < 3 && s->revolute && !s->known; a++)
        l->P[(3 + a) * p] = s->axis[a];
    for (int k = 0; k < m; k++)
        l->P[(6 + k) * p + s->revolute + k] = 1;
    copy(bias, s->c, 6);
    copy(e, l->h, n); /* hhat - Mhat c */
    gemm("NN", n, 1, n, -1, l->M, bias, 1, e);
    gemm("NN", n, p, n, 1, l->M, l->P, 0, l->Psi);
    gemm("TN", p, p, n, 1, l->P, l->Psi, 0, l->I);
    gemm("TN", p, 1, n, 1, l->P, e, 0, l->phi);
    if (s->revolute) {
        l->phi[0] += s->tau;
        l->I[0] += s->known;
    }
    copy(Y, l->Psi, 6 * p);
    copy(Y + 6 * p, l->phi, p);
    const int bad = solve('P', p, 7, l->I, Y);
    copy(fbar, e, 6);
    gemm("NN", 6, 1, p, -1, l->Psi, Y + 6 * p, 1, fbar);
    for (int r = 0; r < 6; r++)
        copy(Mbar + 6 * r, l->M + r * n, 6);
    gemm("NT", 6, 6, p, -1, l->Psi, Y, 1, Mbar);
    return bad;
}

/* (33) of link i; td [n] is t_i-1' before and t_i' after. */
static void outward(chain *c, int i, half *l, double *td, double *a)
{
    body *s = c->body + i;
    const int n = 6 + s->link.m, p = s->nx;
    double mu[6], F[3], *x = a + s->at;
    gemm("NN", 6, 1, i ? 6 + s[-1].link.m : 0, 1, s->A, td, 0, mu);
    copy(x, l->phi, p);
    gemm("TN", p, 1, 6, -1, l->Psi, mu, 1, x);
    solve('F', p, 1, l->I, x);
    gemm("NN", n, 1, p, 1, l->P, x, 0, td);
    for (int r = 0; r < 6; r++)
        td[r] += mu[r] + s->c[r];
    if (s->known) { /* (23) */
        copy(F, l->h + 3, 3);
        gemm("NN", 3, 1, n, 1, l->M + 3 * n, td, -1, F);
        s->tau = dot(s->axis, F);
        x[0] = s->law[2];
    }
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

const formulation program = {"denoc", "recursive, by decoupled natural orthogonal complements", 6,
                             floating_link, recursion};
