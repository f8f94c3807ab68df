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
 *        Tphi = E + c1 phi~ + c2 phi~^2,  c1 = (1 - cos f) / f^2,  c2 = (f - sin f) / f^3,  f = |phi|
 *   (17) 1/2 q'Kq - g'(I1 p + R d) potential, 1/2 [v; w; q']' Mass [v; w; q'] kinetic energy
 * As printed (--printed): E + phi~ for exp(phi~), Tphi = E: right to first order; energy drifts.
 * Source  Scaglioni, ch. 3; the factor 2 of (16) lacks in its (3.6), (3.63)
 */
#include "sim.h"
#include <gsl/gsl_spline.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- laws ---------------------------------------------------------------------------------- */

/* Angle, rate and acceleration. */
static void law_at(const curve *l, double t, double y[3])
{
    static const double pi = 3.141592653589793;
    const double s = l->T > 0 ? t / l->T : 2, k = l->turns * pi;
    y[0] = y[1] = y[2] = 0;
    if (l->kind == SPINUP && s < 1) { /* Scaglioni (2.29) */
        y[0] = l->a * l->T * (s * s / 2 + (cos(2 * pi * s) - 1) / (4 * pi * pi));
        y[1] = l->a * (s - sin(2 * pi * s) / (2 * pi));
        y[2] = l->a / l->T * (1 - cos(2 * pi * s));
    } else if (l->kind == SPINUP) {
        y[0] = l->a * (t - l->T / 2);
        y[1] = l->a;
    } else if (l->kind == RAMP && s <= 1) { /* Mohan and Saha (44) */
        y[0] = l->a * (s - sin(k * s) / k);
        y[1] = l->a / l->T * (1 - cos(k * s));
        y[2] = l->a / (l->T * l->T) * k * sin(k * s);
    } else if (l->kind == RAMP) {
        y[0] = l->a;
    } else if (l->kind == SPLINE) {
        const double in = fmin(fmax(t, l->t[0]), l->t[l->n - 1]);
        y[0] = gsl_spline_eval(l->spline, in, NULL);
        y[1] = in == t ? gsl_spline_eval_deriv(l->spline, in, NULL) : 0;
        y[2] = in == t ? gsl_spline_eval_deriv2(l->spline, in, NULL) : 0;
    }
}

int driven(const chain *c, const joint *j, double t, double value[3])
{
    const double start[3] = {j->angle, j->rate, 0};
    if (j->drive.kind)
        law_at(&j->drive, t, value);
    else
        memcpy(value, start, sizeof start);
    return j->drive.kind || c->hold;
}

/* Straight between the values of the table, 0 outside; a jump where two have the same time. */
double torque_at(const joint *j, double t)
{
    const curve *l = &j->torque;
    int k = 1;
    if (l->n < 2 || t < l->t[0] || t > l->t[l->n - 1])
        return 0;
    while (k < l->n - 1 && l->t[k] <= t)
        k++;
    const double dt = l->t[k] - l->t[k - 1];
    const double s = dt > 0 ? (t - l->t[k - 1]) / dt : 1;
    return l->value[k - 1] + s * (l->value[k] - l->value[k - 1]);
}

double next_corner(const chain *c, double t, double end)
{
    for (int i = 0; i < c->n; i++) {
        const curve *both[2] = {&c->joint[i].drive, &c->joint[i].torque};
        for (int w = 0; w < 2; w++) {
            for (int k = 0; k < both[w]->n; k++)
                if (both[w]->t[k] > t && both[w]->t[k] < end)
                    end = both[w]->t[k];
            if (both[w]->T > t && both[w]->T < end)
                end = both[w]->T;
        }
    }
    return end;
}

/* ---- kinematics ---------------------------------------------------------------------------- */

/* c1, c2 of (16) and their derivatives by f, over f; by series, since f is small. */
static void coefficients(double f, double c[4])
{
    double term = 1, ff = f * f;
    c[0] = c[1] = c[2] = c[3] = 0;
    for (int k = 0; k < 14; k++) { /* term = (-1)^k f^2k / (2k+1)! */
        const double before = k ? -term / (2 * k * (2 * k + 1)) : 0; /* of f^(2k-2) */
        term = k ? before * ff : 1;
        c[0] += term / (2 * k + 2);
        c[1] += term / ((2 * k + 2) * (2 * k + 3));
        c[2] += 2 * k * before / (2 * k + 2);
        c[3] += 2 * k * before / ((2 * k + 2) * (2 * k + 3));
    }
}

/* Ehat = exp(phi~), Ts = Tphi Shat, and z = Tphi' Shat q' of (16) */
static void tip_rotation(const flex *b, int printed, const double *q, const double *qd,
                         double Ehat[9], double *Ts, double z[3])
{
    const int m = b->m;
    double phi[3], rate[3], c[4], pr[3], ppr[3];
    times(b->Shat, q, m, phi);
    memcpy(Ts, b->Shat, sizeof *Ts * 3 * (size_t)m);
    z[0] = z[1] = z[2] = 0;
    if (printed) {
        skew(phi, Ehat);
        Ehat[0] = Ehat[4] = Ehat[8] = 1;
        return;
    }
    rotation(phi, Ehat);
    coefficients(sqrt(dot(phi, phi)), c);
    for (int k = 0; k < m; k++) {
        const double s[3] = {b->Shat[k], b->Shat[m + k], b->Shat[2 * m + k]};
        double ps[3], pps[3];
        cross(phi, s, ps);
        cross(phi, ps, pps);
        for (int a = 0; a < 3; a++)
            Ts[a * m + k] += c[0] * ps[a] + c[1] * pps[a];
    }
    times(b->Shat, qd, m, rate);
    cross(phi, rate, pr);
    cross(phi, pr, ppr);
    for (int a = 0; a < 3; a++)
        z[a] = dot(phi, rate) * (c[2] * pr[a] + c[3] * ppr[a]);
    cross_add(c[1], rate, pr, z);
}

static void ground(pose *s)
{
    memset(s, 0, sizeof *s);
    s->R[0] = s->R[4] = s->R[8] = 1;
}

/* The link's own part of its pose: from the pose of the one before, or of the ground. */
static void next_link(const chain *c, int i, double t, const double *x, const double *v)
{
    const joint *j = c->joint + i;
    const flex *b = &j->link, *before = i ? &c->joint[i - 1].link : NULL;
    pose *s = c->pose + i, *o = i ? s - 1 : NULL;
    double phi[3], A[9], E[9], Ehat[9], z[3], wo[3] = {0}, vo[3] = {0}, ao[3], wd[3], x3[3], y[3];
    double law[3] = {0};
    const double angle = j->revolute ? x[j->at] : 0, rate = j->revolute ? v[j->at] : 0;
    const int known = j->revolute && driven(c, j, t, law);
    ground(s);
    memcpy(s->q, x + j->at + j->revolute, sizeof *x * (size_t)b->m);
    memcpy(s->qd, v + j->at + j->revolute, sizeof *v * (size_t)b->m);
    for (int a = 0; a < 3; a++)
        phi[a] = angle * j->axis[a];
    rotation(phi, E);
    mul(j->B, E, A);
    if (!o) {
        memcpy(s->R, A, sizeof A);
        for (int a = 0; a < 3; a++)
            ao[a] = -c->gravity[a], wd[a] = 0; /* a_0 = -g: (1) needs no other weight */
        turn_back(A, ao, s->c);
    } else {
        memcpy(o->r, before->tip, sizeof o->r); /* (14) */
        times_add(1, before->S, o->q, before->m, o->r);
        tip_rotation(before, c->printed, o->q, o->qd, Ehat, o->Ts, z);
        mul(Ehat, A, o->C);
        mul(o->R, o->C, s->R);
        turn(o->R, o->r, s->p);
        for (int a = 0; a < 3; a++)
            s->p[a] += o->p[a];
        memcpy(vo, o->v, sizeof vo); /* (16) */
        cross_add(1, o->w, o->r, vo);
        times(before->S, o->qd, before->m, y);
        times(o->Ts, o->qd, before->m, x3);
        for (int a = 0; a < 3; a++) {
            vo[a] += y[a];
            wo[a] = o->w[a] + x3[a];
            wd[a] = z[a];
            y[a] *= 2;
            ao[a] = 0;
        }
        cross_add(1, o->w, x3, wd);
        cross_add(1, o->w, o->r, y);
        cross_add(1, o->w, y, ao);
        turn_back(o->C, ao, s->c);
        turn_back(o->C, wd, s->c + 3);
        turn_back(o->C, vo, s->v);
        turn_back(o->C, wo, s->w);
    }
    cross_add(rate, s->w, j->axis, s->c + 3);
    for (int a = 0; a < 3; a++) {
        s->w[a] += j->axis[a] * rate;
        s->c[3 + a] += known ? j->axis[a] * law[2] : 0;
    }
}

void floating_frames(chain *c, double t, const double *x, const double *v)
{
    for (int i = 0; i < c->n; i++)
        next_link(c, i, t, x, v);
}

/* ---- loads, energy ------------------------------------------------------------------------- */

void tip_of(const chain *c, int i, double p[3], double v[3])
{
    const flex *b = &c->joint[i].link;
    const pose *s = c->pose + i;
    double r[3], u[3];
    memcpy(r, b->tip, sizeof r);
    times_add(1, b->S, s->q, b->m, r);
    memcpy(u, s->v, sizeof u);
    cross_add(1, s->w, r, u);
    times_add(1, b->S, s->qd, b->m, u);
    turn(s->R, r, p);
    turn(s->R, u, v);
    for (int a = 0; a < 3; a++)
        p[a] += s->p[a];
}

/* (1) with (15) */
void loaded_block(const chain *c, int i, double *Mass, double *h)
{
    const joint *j = c->joint + i;
    const flex *b = &j->link;
    const pose *s = c->pose + i;
    double p[3], v[3], world[3], f[3], r[3];
    block(b, s->w, s->q, s->qd, Mass, h);
    if (!(dot(j->force, j->force) + dot(j->along, j->along) > 0))
        return;
    tip_of(c, i, p, v);
    const double pull = -j->spring[0] * dot(j->along, p) - j->spring[1] * dot(j->along, v);
    for (int a = 0; a < 3; a++)
        world[a] = j->force[a] + pull * j->along[a];
    turn_back(s->R, world, f);
    memcpy(r, b->tip, sizeof r);
    times_add(1, b->S, s->q, b->m, r);
    cross_add(1, r, f, h + 3);
    for (int a = 0; a < 3; a++) {
        h[a] += f[a];
        for (int k = 0; k < b->m; k++)
            h[6 + k] += b->S[a * b->m + k] * f[a];
    }
}

double kinetic_energy(const chain *c)
{
    double T = 0, Mass[(6 + NCOORD) * (6 + NCOORD)], h[6 + NCOORD], y[6 + NCOORD];
    for (int i = 0; i < c->n; i++) {
        const pose *s = c->pose + i;
        const int m = c->joint[i].link.m, n = 6 + m;
        block(&c->joint[i].link, s->w, s->q, s->qd, Mass, h);
        memcpy(y, s->v, sizeof s->v);
        memcpy(y + 3, s->w, sizeof s->w);
        memcpy(y + 6, s->qd, sizeof *y * (size_t)m);
        for (int r = 0; r < n; r++)
            for (int k = 0; k < n; k++)
                T += y[r] * Mass[r * n + k] * y[k] / 2;
    }
    return T;
}

/* Gravity, strain, springs at the tips. */
double potential_energy(const chain *c)
{
    double V = 0;
    for (int i = 0; i < c->n; i++) {
        const joint *j = c->joint + i;
        const flex *b = &j->link;
        const pose *s = c->pose + i;
        double d[3], Rd[3], p[3], v[3];
        memcpy(d, b->I2, sizeof d);
        times_add(1, b->I3, s->q, b->m, d);
        turn(s->R, d, Rd);
        V -= b->I1 * dot(c->gravity, s->p) + dot(c->gravity, Rd);
        for (int k = 0; k < b->m; k++)
            for (int l = 0; l < b->m; l++)
                V += s->q[k] * b->K[k * b->m + l] * s->q[l] / 2;
        tip_of(c, i, p, v);
        V += j->spring[0] * dot(j->along, p) * dot(j->along, p) / 2 - dot(j->force, p);
    }
    return V;
}

/* Rows of driven joints are put aside, the others move to the front of M. */
int solve(const chain *c, double t, double *M, double *f, double *a, double *tau)
{
    static double row[NLINK][NDOF];
    static int at[NDOF]; /* of the unknown accelerations */
    const int n = c->nx;
    int order = 0, one = 1, info = 0, known[NLINK] = {0};
    double law[3];
    for (int i = 0; i < c->n; i++) {
        const joint *j = c->joint + i;
        known[i] = j->revolute && driven(c, j, t, law);
        tau[i] = known[i] ? -f[j->at] : j->revolute ? torque_at(j, t) : 0;
        if (known[i])
            memcpy(row[i], M + j->at * n, sizeof *M * (size_t)n);
        else if (j->revolute)
            f[j->at] += tau[i];
        for (int k = known[i]; k < j->nx; k++)
            at[order++] = j->at + k;
    }
    for (int k = 0; k < order; k++) {
        f[k] = f[at[k]];
        for (int l = 0; l < order; l++)
            M[k * order + l] = M[at[k] * n + at[l]];
    }
    if (order)
        dposv_("U", &order, &one, M, &order, f, &order, &info);
    memset(a, 0, sizeof *a * (size_t)n);
    for (int k = 0; k < order; k++)
        a[at[k]] = f[k];
    for (int i = 0; i < c->n; i++) {
        for (int k = 0; known[i] && k < n; k++)
            tau[i] += row[i][k] * a[k];
    }
    for (int i = 0; i < c->n; i++)
        if (known[i] && driven(c, c->joint + i, t, law))
            a[c->joint[i].at] = law[2];
    return info;
}
