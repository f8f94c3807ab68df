/* SPDX-License-Identifier: GPL-3.0-or-later */
/* ffr.c - Newton-Euler chain in the floating frame, in closed form, O(n^3 m^2).
 *
 * World axes; V_i = [a; w'] of the hub of link i, V all of them; x = [theta; q] of the links in turn
 *   (17) P'V = B x'' + V'',  P' unit lower block bidiagonal with -P_i = -[E, -(R r)~; 0, E],
 *        B_i = [0; axis] of the joint, in row i + 1 [R S_o; R Ts] of the tip; V'' the velocity terms
 *        of (16), V''_1 = [-g; 0]. No inverse is needed: W = P'^-1 B, row by row
 *   (18) M = W'Ivv W + W'Ivq + Ivq'W + I6,  Ivv, Ivq the blocks of (6) turned to world axes:
 *        M x'' = tau - W'(Ivv V'' - Cv) - Ivq'V'' + Cf - K q - D q',
 *        Cv = [R h_r; R h_t], Cf = h_f;  V'' here after P'^-1
 * Driven joints: their columns move to the right-hand side. Rigid joints have none.
 * Source  B. Scaglioni, PhD thesis, Politecnico di Milano 2016, sect. 3.1, eq. (3.41)-(3.56), which
 *         orders V as [w'; a] and x as all theta, then all q
 */
#include "sim.h"
#include <stdlib.h>
#include <string.h>

/* Rows r .. r+2 of the world: R times rows of A [3,m], into columns from `at` of W [.,n]. */
static void put(const double R[9], const double *A, int m, double *W, int n, int at)
{
    for (int k = 0; k < m; k++) {
        const double s[3] = {A[k], A[m + k], A[2 * m + k]};
        double world[3];
        turn(R, s, world);
        for (int a = 0; a < 3; a++)
            W[a * n + at + k] += world[a];
    }
}

/* y = P x for one column (stride n): a - (R r)~ w', w'. */
static void shift(const double Rr[3], const double *x, double *y, int n)
{
    const double a[3] = {x[0], x[n], x[2 * n]}, w[3] = {x[3 * n], x[4 * n], x[5 * n]};
    double b[3];
    cross(w, Rr, b);
    for (int k = 0; k < 3; k++) {
        y[k * n] = a[k] + b[k];
        y[(3 + k) * n] = w[k];
    }
}

/* (17): the rows of link i of W and V'', from those of the link before. */
static void kinematic_rows(const chain *c, int i, double *W, double *V)
{
    const joint *j = c->joint + i;
    const pose *s = c->pose + i;
    const int n = c->nx;
    double bias[3], Rr[3];
    memset(W, 0, sizeof *W * 6 * (size_t)n);
    memset(V, 0, sizeof *V * 6);
    if (i) {
        const flex *b = &j[-1].link;
        turn(s[-1].R, s[-1].r, Rr);
        for (int k = 0; k < j->at; k++)
            shift(Rr, W - 6 * n + k, W + k, n);
        shift(Rr, V - 6, V, 1);
        put(s[-1].R, b->S, b->m, W, n, j[-1].at + j[-1].revolute);
        put(s[-1].R, s[-1].Ts, b->m, W + 3 * n, n, j[-1].at + j[-1].revolute);
    }
    if (j->revolute)
        put(s->R, j->axis, 1, W + 3 * n, n, j->at);
    for (int part = 0; part < 2; part++) {
        turn(s->R, s->c + 3 * part, bias);
        for (int a = 0; a < 3; a++)
            V[3 * part + a] += bias[a];
    }
}

/* I = diag(R, R) of rows and, where `square`, of columns: blocks of (6) in world axes; A [6,k] is
 * rows 0..5 of Mass [.,n] from column `at` on. */
static void to_world(const double R[9], const double *Mass, int n, int at, int k, double *I)
{
    for (int c = 0; c < k; c++)
        for (int part = 0; part < 2; part++) {
            const double *x = Mass + 3 * part * n + at + c;
            const double column[3] = {x[0], x[n], x[2 * n]};
            double world[3];
            turn(R, column, world);
            for (int a = 0; a < 3; a++)
                I[(3 * part + a) * k + c] = world[a];
        }
}

/* Ivv, Ivq and Cv of (18). */
static void world_block(const pose *s, const double *Mass, const double *h, int m, double *Ivv,
                        double *Ivq, double *Cv)
{
    const int n = 6 + m;
    double half[36];
    to_world(s->R, Mass, n, 0, 6, half);
    for (int r = 0; r < 6; r++) {
        turn(s->R, half + 6 * r, Ivv + 6 * r);
        turn(s->R, half + 6 * r + 3, Ivv + 6 * r + 3);
    }
    to_world(s->R, Mass, n, 6, m, Ivq);
    turn(s->R, h, Cv);
    turn(s->R, h + 3, Cv + 3);
}

/* What link i adds to M and f of (18): W [6,n], V'' its rows of (17). */
static void add_link(const chain *c, int i, const double *W, const double *V, double *M, double *f)
{
    static double Mass[(6 + NMODE) * (6 + NMODE)], Y[6 * NDOF];
    const joint *j = c->joint + i;
    const int m = j->link.m, n = c->nx, at = j->at + j->revolute;
    double h[6 + NMODE], Ivv[36], Ivq[6 * NMODE], F[6];
    loaded_block(c, i, Mass, h);
    world_block(c->pose + i, Mass, h, m, Ivv, Ivq, F);
    for (int r = 0; r < 6; r++)
        for (int k = 0; k < 6; k++)
            F[r] -= Ivv[6 * r + k] * V[k]; /* Cv - Ivv V'' */
    product(6, n, 6, Ivv, W, Y, 0);
    for (int r = 0; r < 6; r++)
        for (int k = 0; k < m; k++)
            Y[r * n + at + k] += Ivq[r * m + k];
    product(n, n, 6, W, Y, M, 1);            /* W'Ivv W + W'Ivq */
    product(m, n, 6, Ivq, W, M + at * n, 1); /* Ivq'W */
    product(n, 1, 6, W, F, f, 1);
    for (int k = 0; k < m; k++) {
        for (int l = 0; l < m; l++)
            M[(at + k) * n + at + l] += Mass[(6 + k) * (6 + m) + 6 + l];
        f[at + k] += h[6 + k]; /* Cf - K q - D q' */
        for (int r = 0; r < 6; r++)
            f[at + k] -= Ivq[r * m + k] * V[r];
    }
}

static int accelerate(chain *c, double t, const double *x, const double *v, double *a, double *tau)
{
    static double *M, *W, V[6 * NLINK], f[NDOF];
    const int n = c->nx;
    if (!M) {
        M = array((size_t)(n * n), sizeof *M);
        W = array((size_t)(6 * c->n * n), sizeof *W);
    }
    memset(M, 0, sizeof *M * (size_t)(n * n));
    memset(f, 0, sizeof *f * (size_t)n);
    floating_frames(c, t, x, v);
    for (int i = 0; i < c->n; i++) {
        kinematic_rows(c, i, W + 6 * n * i, V + 6 * i);
        add_link(c, i, W + 6 * n * i, V + 6 * i, M, f);
    }
    return solve(c, t, M, f, a, tau);
}

int main(int argc, char **argv)
{
    static const formulation f = {"ffr", "closed form in the floating frame", 0, floating_frames,
                                  accelerate};
    return simulate(&f, argc, argv);
}
