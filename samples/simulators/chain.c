/* SPDX-License-Identifier: GPL-3.0-or-later */
/* chain.c - kinematics, loads and energy of a serial chain.
 *
 *   (14) r = u_o - u_h + S_o q,  phi = Shat_o q,  C = exp(phi~) B exp(a~ theta),
 *        R_i+1 = R_i C,  p_i+1 = p_i + R_i r
 *   (15) a force f at the tip, own axes, loads (1) by [f; r~ f; S_o' f]
 *   (16) v_o = v + w~ r + S_o q',  w_o = w + Ts q',  Ts = Tphi Shat_o
 *        a_o = a + w'~ r + w~ w~ r + 2 w~ S_o q' + S_o q''
 *        w_o' = w' + w~ Ts q' + Tphi' Shat_o q' + Ts q''
 *        the next link: w = C'w_o + a theta',  w' = C'w_o' + (C'w_o)~ a theta' + a theta''
 *        S_o and Shat_o at q where there is geometric stiffness: (24) of block.c, with their rates
 *        Tphi = E + c1 phi~ + c2 phi~^2,  c1 = (1 - cos f) / f^2,  c2 = (f - sin f) / f^3,
 *        f = |phi|
 *   (19) 1/2 q'Kq - g'(I1 p + R d) potential, 1/2 eta' Mass eta kinetic energy
 *   (27) of sim.h is (16):  A = C' [E, -r~, S_o; 0, E, Ts],  P = [0; a],  c the terms without
 *        accelerations, but -g for a at link 1: (1) needs no other weight
 *   (17) eta_i = N_i x',  eta_i' = N_i x'' + n_i  of (27):  N_i = A_i N_i-1 + P_i,
 *        n_i = A_i n_i-1 + c_i in the rows that lead; the others are rows of E
 *   (18) sum N_i'Mass_i N_i x'' = tau + sum N_i'(h_i - [0; K q + D q'] - Mass_i n_i)
 *        Known angles have their x'' in n; their rows and columns in the sum become those of E
 *   (23) tau of a known angle: its row of (18) as it was
 * As printed (--printed): E + phi~ for exp(phi~), Tphi = E: right to first order; energy drifts.
 * Source  Scaglioni, ch. 3; the factor 2 of (16) lacks in its (3.6), (3.63)
 */
#include "sim.h"
#include <gsl/gsl_spline.h>
#include <math.h>
#include <string.h>

/* Angle, rate and acceleration, or a torque; 0 outside of a table. */
static void law_at(const curve *l, double t, double y[3])
{
    const double s = l->T > 0 ? fmin(t / l->T, 1) : 1, k = l->turns * 3.141592653589793;
    const double a = l->a, T = l->T;
    const int on = T > 0 && t <= T;
    const double ramp[] = {a * (s - on * sin(k * s) / k), on ? a / T * (1 - cos(k * s)) : 0,
                           on ? a / (T * T) * k * sin(k * s) : 0};
    y[0] = y[1] = y[2] = 0;
    if (l->kind == SPINUP) { /* Scaglioni (2.29): its rate is the ramp of one turn */
        copy(y + 1, ramp, 2);
        y[0] = a * T * (s * s / 2 + (cos(k * s) - 1) / (k * k)) + a * (t - s * T);
    } else if (l->kind == RAMP) { /* Mohan and Saha (44) */
        copy(y, ramp, 3);
    } else if (l->kind == TABLE && t >= l->t[0] && t <= l->t[l->n - 1]) { /* may jump */
        int i = 1;
        while (i < l->n - 1 && l->t[i] <= t)
            i++;
        const double dt = l->t[i] - l->t[i - 1], part = dt > 0 ? (t - l->t[i - 1]) / dt : 1;
        y[0] = l->value[i - 1] + part * (l->value[i] - l->value[i - 1]);
    } else if (l->kind == SPLINE) {
        const double in = fmin(fmax(t, l->t[0]), l->t[l->n - 1]);
        y[0] = gsl_spline_eval(l->spline, in, NULL);
        y[1] = in == t ? gsl_spline_eval_deriv(l->spline, in, NULL) : 0;
        y[2] = in == t ? gsl_spline_eval_deriv2(l->spline, in, NULL) : 0;
    }
}

double next_corner(const chain *c, double t, double end)
{
    for (int i = 0; i < 2 * c->n; i++) {
        const body *s = c->body + i / 2;
        const curve *l = i % 2 ? &s->drive : &s->torque;
        for (int k = 0; k <= l->n; k++) {
            const double corner = k < l->n ? l->t[k] : l->T;
            end = corner > t && corner < end ? corner : end;
        }
    }
    return end;
}

/* (15) of what pulls at the tip. */
static void load(body *s)
{
    const int m = s->link.m;
    const double *S = s->rows + OF_F * m, *spring = s->spring;
    double v[3], u[3], world[3], f[3];
    copy(s->tip, s->p, 3);
    times_add(3, 3, 1, s->R, s->r, s->tip);
    copy(u, s->eta, 3);
    cross_add(1, s->eta + 3, s->r, u);
    times_add(3, m, 1, S, s->eta + 6, u);
    turn(s->R, 0, u, v);
    const double pull = -spring[3] * dot(spring, s->tip) - spring[4] * dot(spring, v);
    for (int a = 0; a < 3; a++)
        world[a] = s->force[a] + pull * spring[a];
    turn(s->R, 1, world, f);
    for (int a = 0; a < 3; a++)
        s->h[a] += f[a];
    cross_add(1, s->r, f, s->h + 3);
    gemm("TN", m, 1, 3, 1, S, f, 1, s->h + 6);
}

void place(chain *c, double t, double *x)
{
    const int lead = program.lead;
    double *v = x + c->nx;
    for (int i = 0; i < c->n; i++) {
        body *s = c->body + i;
        const int own = s->nx - s->revolute, at = s->at + s->revolute;
        double E[9], phi[3], torque[3];
        memset((char *)s + offsetof(body, R), 0, offsetof(body, A) - offsetof(body, R));
        s->known = s->revolute && (s->drive.kind || c->hold);
        law_at(&s->torque, t, torque);
        s->tau = s->known ? 0 : torque[0];
        copy(s->law, s->start, 2);
        if (s->drive.kind)
            law_at(&s->drive, t, s->law);
        if (s->known) {
            x[s->at] = s->law[0];
            v[s->at] = s->law[1];
        }
        for (int a = 0; a < 3; a++)
            phi[a] = s->revolute ? x[s->at] * s->axis[a] : 0;
        s->rate = s->revolute ? v[s->at] : 0;
        copy(s->q + lead - 6, x + at, own);
        copy(s->eta + lead, v + at, own);
        copy(s->P + 3, s->axis, 3);
        rotation(phi, E);
        mul(s->B, E, s->C);
        program.link(c, i);
        block(s);
        load(s);
    }
}

void joined(chain *c, int i, const double r[3], const double bias[6], double *X)
{
    body *s = c->body + i, *o = s - 1;
    const int lead = program.lead, n = i ? 6 + o->link.m : 0;
    double rx[9];
    if (i) {
        skew(r, rx);
        for (int a = 0; a < 3; a++) { /* C' [E, -r~; 0, E] */
            X[a * n + a] = X[(3 + a) * n + 3 + a] = 1;
            for (int b = 0; b < 3; b++)
                X[a * n + 3 + b] = -rx[3 * a + b];
        }
        for (int row = 0; row < lead; row += 3)
            gemm("TN", 3, n, 3, 1, s->C, X + row * n, 0, s->A + row * n);
        mul(o->R, s->C, s->R);
        copy(s->p, o->p, 3);
        times_add(3, 3, 1, o->R, r, s->p);
        times_add(lead, n, 1, s->A, o->eta, s->eta);
        turn(s->C, 1, bias, s->c);
        turn(s->C, 1, bias + 3, s->c + 3);
    } else {
        copy(s->R, s->C, 9);
        turn(s->R, 1, (double[3]){-c->gravity[0], -c->gravity[1], -c->gravity[2]}, s->c);
    }
    cross_add(s->rate, s->eta + 3, s->axis, s->c + 3);
    for (int k = 0; k < lead; k++) {
        s->eta[k] += s->P[k] * s->rate;
        s->c[k] += s->known * s->P[k] * s->law[2];
    }
}

/* c1, c2 of (16) and their derivatives by f, over f; by series, since f is small. */
static void coefficients(double ff, double c[4])
{
    double term = 1; /* (-1)^k f^2k / (2k+1)! */
    c[0] = 1.0 / 2;
    c[1] = 1.0 / 6;
    for (int k = 1; k < 14; k++) {
        const double before = -term / (2 * k * (2 * k + 1)); /* of f^(2k-2) */
        term = before * ff;
        c[0] += term / (2 * k + 2);
        c[1] += term / ((2 * k + 2) * (2 * k + 3));
        c[2] += 2 * k * before / (2 * k + 2);
        c[3] += 2 * k * before / ((2 * k + 2) * (2 * k + 3));
    }
}

void floating_link(chain *c, int i)
{
    body *s = c->body + i, *o = s - 1;
    double bias[6] = {0}, rate[3] = {0}, k[4] = {0}, y[3] = {0}, z[3] = {0}, Tz[3];
    double X[9], XX[9], E[9], T[9], C[9], Ts[3 * NCOORD], columns[12 * NROW] = {0};
    if (!i) {
        joined(c, i, y, bias, columns);
        return;
    }
    const int m = o->link.m, n = 6 + m;
    const double *w = o->eta + 3, *qd = o->eta + 6, *phi = o->u + OF_T, ff = dot(phi, phi);
    const double *S = o->rows + OF_F * m, *Shat = o->rows + OF_T * m;
    if (c->printed == 0)
        coefficients(ff, k);
    skew(phi, X);
    mul(X, X, XX);
    for (int a = 0; a < 9; a++) { /* sin f / f = 1 - c2 f^2 */
        E[a] = (a % 4 == 0) + (1 - k[1] * ff) * X[a] + k[0] * XX[a];
        T[a] = (a % 4 == 0) + k[0] * X[a] + k[1] * XX[a];
    }
    copy(C, s->C, 9);
    mul(E, C, s->C);
    gemm("NN", 3, m, 3, 1, T, Shat, 0, Ts);
    for (int a = 0; a < 3; a++) {
        copy(columns + a * n + 6, S + a * m, m);
        copy(columns + (3 + a) * n + 6, Ts + a * m, m);
    }
    times_add(3, m, 1, o->slope + OF_F * m, qd, bias); /* rates of S and Shat */
    times_add(3, m, 1, o->slope + OF_T * m, qd, z);
    turn(T, 0, z, Tz);
    times_add(3, m, 2, S, qd, y); /* w~ (w~ r + 2 S q') */
    cross_add(1, w, o->r, y);
    cross_add(1, w, y, bias);
    times_add(3, m, 1, Shat, qd, rate);
    turn(X, 0, rate,
         y); /* Tphi' = phi'rate (c1'/f phi~ + c2'/f phi~^2) + c1 rate~ + c2 (rate~ phi~ + ..) */
    turn(X, 0, y, z);
    for (int a = 0; a < 3; a++)
        bias[3 + a] = dot(phi, rate) * (k[2] * y[a] + k[3] * z[a]) + Tz[a];
    cross_add(k[1], rate, y, bias + 3);
    turn(T, 0, rate, y); /* Ts q' */
    cross_add(1, w, y, bias + 3);
    joined(c, i, o->r, bias, columns);
}

void energies(const chain *c, double *kinetic, double *potential)
{
    double *T = kinetic, *V = potential;
    *T = *V = 0;
    for (int i = 0; i < c->n; i++) { /* gravity, strain, forces and springs at the tips */
        const body *s = c->body + i;
        const flex *b = &s->link;
        const int m = b->m, n = 6 + m;
        const double pull = dot(s->spring, s->tip);
        double g[3];
        turn(s->R, 1, c->gravity, g);
        *V -= b->I1 * dot(c->gravity, s->p) + dot(g, b->I2) + dot(g, s->u) + dot(s->force, s->tip);
        *V += s->spring[3] * pull * pull / 2;
        for (int k = 0; k < m * m; k++)
            *V += s->q[k / m] * b->K[k] * s->q[k % m] / 2;
        for (int k = 0; k < n * n; k++)
            *T += s->eta[k / n] * s->Mass[k] * s->eta[k % n] / 2;
    }
}

int closed_form(chain *c, double *a)
{
    static double *M, *N, *Y;
    const int lead = program.lead, nx = c->nx;
    double n[2][NROW] = {{0}}, h[NROW];
    if (!M) {
        M = array(nx * nx);
        N = array(2 * NROW * nx);
        Y = array(NROW * nx);
    }
    memset(M, 0, sizeof *M * (size_t)(nx * nx));
    memset(a, 0, sizeof *a * (size_t)nx);
    for (int i = 0; i < c->n; i++) {
        const body *s = c->body + i;
        const int rows = 6 + s->link.m, before = i ? 6 + s[-1].link.m : 0, at = s->at + s->revolute;
        double *Ni = N + i % 2 * NROW * nx, *No = N + (i + 1) % 2 * NROW * nx, *ni = n[i % 2];
        memset(Ni, 0, sizeof *Ni * (size_t)(NROW * nx)); /* (17) */
        memset(ni, 0, sizeof *ni * NROW);
        copy(ni, s->c, lead);
        gemm("NN", lead, nx, before, 1, s->A, No, 0, Ni);
        gemm("NN", lead, 1, before, 1, s->A, n[(i + 1) % 2], 1, ni);
        for (int r = 0; r < lead && s->revolute; r++)
            Ni[r * nx + s->at] = s->P[r];
        for (int k = 0; k < rows - lead; k++)
            Ni[(lead + k) * nx + at + k] = 1;
        copy(h, s->h, rows); /* (18) */
        gemm("NN", rows, 1, rows, -1, s->Mass, ni, 1, h);
        gemm("NN", rows, nx, rows, 1, s->Mass, Ni, 0, Y);
        gemm("TN", nx, nx, rows, 1, Ni, Y, 1, M);
        gemm("TN", nx, 1, rows, 1, Ni, h, 1, a);
        if (s->revolute)
            a[s->at] += s->tau;
    }
    for (body *s = c->body; s < c->body + c->n; s++)
        if (s->known) {
            const int j = s->at;
            s->tau = -a[j];
            a[j] = 0;
            for (int k = 0; k < nx; k++) /* dposv has this triangle; the other keeps row j */
                M[k < j ? j * nx + k : k * nx + j] = k == j;
        }
    const int bad = solve('P', nx, 1, M, a);
    for (body *s = c->body; s < c->body + c->n; s++)
        for (int k = 0, j = s->at; k < nx && s->known; k++) /* (23) */
            s->tau += k == j ? 0 : M[k < j ? k * nx + j : j * nx + k] * a[k];
    for (body *s = c->body; s < c->body + c->n; s++)
        if (s->known)
            a[s->at] = s->law[2];
    return bad;
}
