/* SPDX-License-Identifier: GPL-3.0-or-later */
/* erls.c - equivalent rigid link system with component modes.
 *
 * The rigid chain moves by theta alone; a link's coordinates are [rho; z]: six rigid ones (small
 * displacement and rotation of its hub off the rigid chain) and elastic ones, in the basis of (4),
 * (5): link.c. x = [theta; z] of the links in turn.
 *   (20) compatibility: rho_1 = 0;  rho_o = [rho_t + rho_r~ u_o + S_o z; rho_r + Shat_o z] = [S; Shat]
 *        [rho; z] at the tip;  rho of the next link = diag(C', C') rho_o,  C = B exp(a~ theta);  rates
 *        rho'  = C' rho_o' - theta' O rho,
 *        rho'' = C' rho_o'' - 2 theta' O C' rho_o' + theta'^2 O O rho - theta'' O rho,  O = diag(a~, a~)
 *   (22) eta_i = [v; w; rho'; z'] = N_i x',  eta_i' = N_i x'' + n_i:
 *        sum N_i'Mass_i N_i x'' = tau + sum N_i'(h_i - [0; K z + D z'] - Mass_i n_i)
 * Displacements add in undeformed directions: chains agree with ffr to first order in deformation,
 * one link exactly.
 * Source  R. Vidoni et al., eq. (3), (4), (9)-(24), with all six components of each joint; L. Scalera,
 *         PhD thesis, University of Udine 2018, ch. 2. Their X, Y, Z, W are the same integrals as I1..I9
 */
#include "sim.h"
#include <stdlib.h>
#include <string.h>

/* y = diag(C', C') x for one column (stride n of both). */
static void turn_six(const double C[9], const double *x, double *y, int n)
{
    for (int part = 0; part < 2; part++, x += 3 * n, y += 3 * n) {
        const double s[3] = {x[0], x[n], x[2 * n]};
        double u[3];
        turn_back(C, s, u);
        for (int a = 0; a < 3; a++)
            y[a * n] = u[a];
    }
}

/* y += f O x */
static void rotate_six(double f, const double axis[3], const double *x, double *y)
{
    cross_add(f, axis, x, y);
    cross_add(f, axis, x + 3, y + 3);
}

/* diag(C', C') [S; Shat] y: what coordinates y of a link do to the rho of the next one. */
static void to_next(const flex *b, const double C[9], const double *y, double *rho)
{
    double u[6];
    times(b->S, y, b->m, u);
    times(b->Shat, y, b->m, u + 3);
    turn_six(C, u, rho, 1);
}

/* Velocity or acceleration of the rigid link's tip, in the axes of the next link. */
static void rigid_tip(const flex *b, const double C[9], const double *y, double *tip)
{
    double u[6];
    memcpy(u, y, sizeof u);
    cross_add(1, y + 3, b->tip, u);
    turn_six(C, u, tip, 1);
}

/* (20) with rho''; the rigid chain; velocity terms n [12] of a, w', rho'', from those before. */
static void next_link(const chain *c, int i, double t, const double *x, const double *v, double *n)
{
    const joint *j = c->joint + i;
    const double angle = j->revolute ? x[j->at] : 0, rate = j->revolute ? v[j->at] : 0;
    const int at = j->at + j->revolute, me = j->link.m - 6;
    pose *s = c->pose + i, *o = i ? s - 1 : NULL;
    double phi[3], E[9], law[3], y[NCOORD] = {0}, u[6] = {0}, *rho = s->q, *bend = n + 6;
    const double known = j->revolute && driven(c, j, t, law) ? law[2] : 0;
    memset(s, 0, sizeof *s);
    memcpy(s->q + 6, x + at, sizeof *x * (size_t)me);
    memcpy(s->qd + 6, v + at, sizeof *v * (size_t)me);
    for (int a = 0; a < 3; a++)
        phi[a] = angle * j->axis[a];
    rotation(phi, E);
    if (!o) {
        mul(j->B, E, s->R);
        turn_back(s->R, c->gravity, n);
        for (int a = 0; a < 12; a++)
            n[a] = a < 3 ? -n[a] : 0;
    } else {
        const flex *b = &j[-1].link;
        mul(j->B, E, o->C);
        mul(o->R, o->C, s->R);
        turn(o->R, b->tip, s->p);
        for (int a = 0; a < 3; a++)
            s->p[a] += o->p[a];
        memcpy(y, o->v, sizeof o->v);
        memcpy(y + 3, o->w, sizeof o->w);
        rigid_tip(b, o->C, y, u);
        memcpy(s->v, u, sizeof s->v);
        memcpy(s->w, u + 3, sizeof s->w);
        memcpy(y, n - 12, 6 * sizeof *y); /* a + w'~ r + w~ w~ r, w' */
        cross(o->w, b->tip, phi);
        cross_add(1, o->w, phi, y);
        rigid_tip(b, o->C, y, n);
        to_next(b, o->C, o->q, rho);
        to_next(b, o->C, o->qd, s->qd);
        memcpy(y, n - 6, 6 * sizeof *y);
        to_next(b, o->C, y, bend);
    }
    rotate_six(-2 * rate, j->axis, s->qd, bend);
    rotate_six(-rate, j->axis, rho, s->qd);
    memset(u, 0, sizeof u);
    rotate_six(rate, j->axis, rho, u);
    rotate_six(rate, j->axis, u, bend);
    rotate_six(-known, j->axis, rho, bend);
    cross_add(rate, s->w, j->axis, n + 3);
    for (int a = 0; a < 3; a++) {
        s->w[a] += rate * j->axis[a];
        n[3 + a] += known * j->axis[a];
    }
}

static void place(chain *c, double t, const double *x, const double *v)
{
    static double n[12 * NLINK];
    for (int i = 0; i < c->n; i++)
        next_link(c, i, t, x, v, n + 12 * i);
}

/* N_i of (22), its rows of v, w, rho' [12,nx], from those of the link before. */
static void rate_rows(const chain *c, int i, double *N)
{
    const joint *j = c->joint + i;
    const pose *o = c->pose + i - 1;
    const int nx = c->nx;
    double u[12];
    memset(N, 0, sizeof *N * 12 * (size_t)nx);
    for (int k = 0; i && k < j->at; k++) {
        const double *M = N - 12 * nx + k;
        const int own = k - j[-1].at - j[-1].revolute; /* the z that it is, of the link before */
        double y[NCOORD] = {0};
        for (int a = 0; a < 6; a++)
            y[a] = M[a * nx];
        rigid_tip(&j[-1].link, o->C, y, u);
        for (int a = 0; a < 6; a++)
            y[a] = M[(6 + a) * nx];
        if (own >= 0)
            y[6 + own] = 1;
        to_next(&j[-1].link, o->C, y, u + 6);
        for (int a = 0; a < 12; a++)
            N[a * nx + k] = u[a];
    }
    if (!j->revolute)
        return;
    memset(u, 0, sizeof u);
    memcpy(u + 3, j->axis, sizeof j->axis);
    rotate_six(-1, j->axis, c->pose[i].q, u + 6);
    for (int a = 0; a < 12; a++)
        N[a * nx + j->at] = u[a];
}

/* What link i adds to (22): N [12,nx], n [12]; z'' are columns of their own. */
static void add_link(const chain *c, int i, const double *N, const double *n, double *M, double *f)
{
    static double Mass[(6 + NCOORD) * (6 + NCOORD)], top[12 * 12], low[NMODE * 12], Y[12 * NDOF];
    const joint *j = c->joint + i;
    const int me = j->link.m - 6, nm = 12 + me, nx = c->nx, at = j->at + j->revolute;
    double h[6 + NCOORD];
    loaded_block(c, i, Mass, h);
    for (int r = 0; r < nm; r++) {
        memcpy(r < 12 ? top + 12 * r : low + 12 * (r - 12), Mass + r * nm, 12 * sizeof *top);
        for (int k = 0; k < 12; k++)
            h[r] -= Mass[r * nm + k] * n[k];
    }
    product(12, nx, 12, top, N, Y, 0);
    for (int r = 0; r < 12; r++)
        for (int k = 0; k < me; k++)
            Y[r * nx + at + k] += low[k * 12 + r];
    product(nx, nx, 12, N, Y, M, 1);
    product(nx, 1, 12, N, h, f, 1);
    for (int k = 0; k < me; k++) {
        double *row = M + (at + k) * nx;
        for (int r = 0; r < 12; r++)
            for (int l = 0; l < nx; l++)
                row[l] += low[k * 12 + r] * N[r * nx + l];
        for (int l = 0; l < me; l++)
            row[at + l] += Mass[(12 + k) * nm + 12 + l];
        f[at + k] += h[12 + k];
    }
}

static int accelerate(chain *c, double t, const double *x, const double *v, double *a, double *tau)
{
    static double *M, *N, n[12 * NLINK], f[NDOF];
    const int nx = c->nx;
    if (!M) {
        M = array((size_t)(nx * nx), sizeof *M);
        N = array((size_t)(12 * c->n * nx), sizeof *N);
    }
    memset(M, 0, sizeof *M * (size_t)(nx * nx));
    memset(f, 0, sizeof *f * (size_t)nx);
    for (int i = 0; i < c->n; i++) {
        next_link(c, i, t, x, v, n + 12 * i);
        rate_rows(c, i, N + 12 * nx * i);
        add_link(c, i, N + 12 * nx * i, n + 12 * i, M, f);
    }
    return solve(c, t, M, f, a, tau);
}

int main(int argc, char **argv)
{
    static const formulation f = {"erls", "equivalent rigid link system with component modes", 1,
                                  place, accelerate};
    return simulate(&f, argc, argv);
}
