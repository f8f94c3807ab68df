/* SPDX-License-Identifier: GPL-3.0-or-later */
/* denoc.c - the recursion of the decoupled natural orthogonal complements, O(n m^3).
 *
 * Twists t_i = [v; w; q'] of link i in its axes, x_i = [theta; q] (no theta if rigid or driven)
 *   (27) t_i' = A_i t_i-1' + P_i x_i'' + c_i,  A_i = [ C'[E, -r~, S_o ; 0, E, Ts] ; 0 ],
 *        P_i = [0, 0; a, 0; 0, E];  c_i the velocity terms of (16), a theta'' where driven, -g at i = 1
 *   (30) inward, n .. 1: Mhat_i = Mass_i + A_i+1' Mbar_i+1 A_i+1,
 *        hhat_i = h_i - [0; 0; K q + D q'] + A_i+1' fbar_i+1,
 *        Psi = Mhat P,  Ihat = P'Psi,  phi = P'(hhat - Mhat c) + [tau; 0]
 *   (31) Mbar = Mhat - Psi Ihat^-1 Psi',  fbar = hhat - Mhat c - Psi Ihat^-1 phi, of which the first
 *        six rows go inward, since A has zeros below
 *   (33) outward: x'' = Ihat^-1 (phi - Psi' mu),  mu = A_i t_i-1',  t_i' = P x'' + mu + c
 * A driven joint's torque is what is missing of (30) in its row.
 * Source  A. Mohan and S. K. Saha, recursive DeNOC dynamics of flexible robots; sign of (20a), indices
 *         of (32) and (33) corrected
 */
#include "sim.h"
#include <string.h>

enum { NT = 6 + NMODE, NX = 1 + NMODE };

typedef struct { /* of a link, between the two recursions */
    double A[6 * NT], Psi[NT * NX], phi[NX], I[NX * NX], M[NT * NT], h[NT];
} half;

/* A_i of (27), its six rows: columns of the link before. */
static void transfer(const flex *b, const pose *s, double *A)
{
    const int n = 6 + b->m;
    double column[3], rx[9];
    skew(s->r, rx);
    memset(A, 0, sizeof *A * 6 * (size_t)n);
    for (int k = 0; k < n; k++)
        for (int part = 0; part < 2; part++) {
            for (int a = 0; a < 3; a++) {
                if (k < 3)
                    column[a] = part == 0 && a == k;
                else if (k < 6)
                    column[a] = part == 0 ? -rx[3 * a + k - 3] : a == k - 3;
                else
                    column[a] = (part ? s->Ts : b->S)[a * b->m + k - 6];
            }
            double turned[3];
            turn_back(s->C, column, turned);
            for (int a = 0; a < 3; a++)
                A[(3 * part + a) * n + k] = turned[a];
        }
}

/* (30): Psi [n,p] = Mhat P, Ihat = P'Psi; P has the axis in rows 3..5 if `hinge`, then E. */
static void project(const joint *j, int hinge, half *l)
{
    const int m = j->link.m, n = 6 + m, p = hinge + m;
    for (int r = 0; r < n; r++) {
        const double *M = l->M + r * n;
        if (hinge)
            l->Psi[r * p] = dot(M + 3, j->axis);
        memcpy(l->Psi + r * p + hinge, M + 6, sizeof *M * (size_t)m);
    }
    for (int c = 0; c < p; c++) {
        if (hinge)
            l->I[c] = j->axis[0] * l->Psi[3 * p + c] + j->axis[1] * l->Psi[4 * p + c] +
                      j->axis[2] * l->Psi[5 * p + c];
        for (int k = 0; k < m; k++)
            l->I[(hinge + k) * p + c] = l->Psi[(6 + k) * p + c];
    }
}

/* (30), (31) of link i; Mbar [6,6] and fbar [6] go to the link before. */
static int inward(const chain *c, int i, int hinge, double tau, half *l, double *Mbar, double *fbar)
{
    const joint *j = c->joint + i;
    const int m = j->link.m, n = 6 + m, p = hinge + m;
    double e[NT], Y[NX * 7]; /* right-hand sides: Psi' of six rows, phi */
    project(j, hinge, l);
    for (int r = 0; r < n; r++) { /* hhat - Mhat c */
        e[r] = l->h[r];
        for (int k = 0; k < 6; k++)
            e[r] -= l->M[r * n + k] * c->pose[i].c[k];
    }
    if (hinge)
        l->phi[0] = dot(e + 3, j->axis) + tau;
    memcpy(l->phi + hinge, e + 6, sizeof *e * (size_t)m);
    memcpy(Y, l->Psi, sizeof *Y * (size_t)(6 * p));
    memcpy(Y + 6 * p, l->phi, sizeof *Y * (size_t)p);
    int order = p, seven = 7, info = 0;
    if (p)
        dposv_("U", &order, &seven, l->I, &order, Y, &order, &info);
    for (int r = 0; r < 6; r++) {
        fbar[r] = e[r];
        for (int k = 0; k < p; k++)
            fbar[r] -= l->Psi[r * p + k] * Y[6 * p + k];
        for (int s = 0; s < 6; s++) {
            Mbar[6 * r + s] = l->M[r * n + s];
            for (int k = 0; k < p; k++)
                Mbar[6 * r + s] -= l->Psi[r * p + k] * Y[s * p + k];
        }
    }
    return info;
}

/* Mhat_i, hhat_i of (30): what the links behind add, by A of link i + 1. */
static void carry(const flex *b, half *l, const double *A, const double *Mbar, const double *fbar)
{
    const int n = 6 + b->m;
    double MA[6 * NT];
    product(6, n, 6, Mbar, A, MA, 0); /* Mbar is symmetric */
    product(n, n, 6, A, MA, l->M, 1);
    product(n, 1, 6, A, fbar, l->h, 1);
}

/* (33) of link i; td [n] is t_i-1' before and t_i' after. */
static void outward(const chain *c, int i, int hinge, half *l, double *td, double *a, double *tau)
{
    const joint *j = c->joint + i;
    const int m = j->link.m, n = 6 + m, p = hinge + m;
    double mu[6] = {0}, x[NX];
    int order = p, one = 1, info = 0;
    if (i)
        for (int r = 0; r < 6; r++)
            for (int k = 0; k < 6 + j[-1].link.m; k++)
                mu[r] += l->A[r * (6 + j[-1].link.m) + k] * td[k];
    memcpy(x, l->phi, sizeof *x * (size_t)p);
    for (int k = 0; k < p; k++)
        for (int r = 0; r < 6; r++)
            x[k] -= l->Psi[r * p + k] * mu[r];
    if (p)
        dpotrs_("U", &order, &one, l->I, &order, x, &order, &info);
    for (int r = 0; r < 6; r++)
        td[r] = mu[r] + c->pose[i].c[r] + (hinge && r > 2 ? j->axis[r - 3] * x[0] : 0);
    memcpy(td + 6, x + hinge, sizeof *x * (size_t)m);
    memcpy(a + j->at + j->nx - p, x, sizeof *x * (size_t)p);
    for (int r = 3; j->revolute && !hinge && r < 6; r++) {
        *tau -= j->axis[r - 3] * l->h[r];
        for (int k = 0; k < n; k++)
            *tau += j->axis[r - 3] * l->M[r * n + k] * td[k];
    }
}

static int accelerate(chain *c, double t, const double *x, const double *v, double *a, double *tau)
{
    static half l[NLINK];
    int hinge[NLINK], bad = 0;
    double Mbar[36], fbar[6], td[NT], law[3];
    floating_frames(c, t, x, v);
    for (int i = c->n - 1; i >= 0; i--) {
        const joint *j = c->joint + i;
        const int known = j->revolute && driven(c, j, t, law);
        hinge[i] = j->revolute && !known;
        tau[i] = hinge[i] ? torque_at(j, t) : 0;
        if (known)
            a[j->at] = law[2];
        loaded_block(c, i, l[i].M, l[i].h);
        if (i + 1 < c->n)
            carry(&j->link, l + i, l[i + 1].A, Mbar, fbar);
        if (i)
            transfer(&j[-1].link, c->pose + i - 1, l[i].A);
        bad |= inward(c, i, hinge[i], tau[i], l + i, Mbar, fbar);
    }
    for (int i = 0; i < c->n && !bad; i++)
        outward(c, i, hinge[i], l + i, td, a, tau + i);
    return bad;
}

int main(int argc, char **argv)
{
    static const formulation f = {"denoc", "recursive, by decoupled natural orthogonal complements",
                                  0, floating_frames, accelerate};
    return simulate(&f, argc, argv);
}
