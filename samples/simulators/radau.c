/* SPDX-License-Identifier: GPL-3.0-or-later */
/* radau.c - Radau IIA of three stages, order 5: A- and L-stable, for chains with stiff modes.
 *
 *   (36) Z_i = h sum_j A_ij f(t + c_j h, y + Z_j),  y_1 = y + Z_3;  with T^-1 A^-1 T = diag(mu, [a, b;
 *        -b, a]) and W = T^-1 Z the Newton steps are (mu/h E - J) dW_1 = .., ((a - i b)/h E - J)
 *        (dW_2 + i dW_3) = ..
 *   (37) error = (mu/h E - J)^-1 (f(t, y) + sum_i e_i Z_i / h)
 * Source  E. Hairer and G. Wanner, Solving Ordinary Differential Equations II, sect. IV.8
 */
#include "run.h"
#include <complex.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define S6 2.449489742783178
static const double node[3] = {(4 - S6) / 10, (4 + S6) / 10, 1};
static const double e[3] = {(-13 - 7 * S6) / 3, (-13 + 7 * S6) / 3, -1.0 / 3};
static const double mu = 3.637834252744496;
static const double complex nu = 2.681082873627752 - 3.050430199247411 * I;
static const double T[3][3] = {
    {0.09443876248897524, -0.14125529502095421, 0.03002919410514742},
    {0.25021312296533332, 0.20412935229379994, -0.38294211275726192},
    {1, 1, 0},
};
static const double inverse[3][3] = {
    {4.17871859155190428, 0.32768282076106237, 0.52337644549944951},
    {-4.17871859155190428, -0.32768282076106237, 0.47662355450055044},
    {0.50287263494578682, -2.57192694985560522, 0.59603920482822492},
};

struct stiff {
    int n, fresh, *p, *q; /* J is of this y; pivots */
    double h, factored, *J, *L;
    double complex *U, *z;
    double *f, *F, *W, *Z, *next, *error, *size;
};

stiff *stiff_new(int n)
{
    stiff *s = array(1, sizeof *s);
    const size_t k = (size_t)n + 1;
    s->n = n;
    s->p = array(k, sizeof *s->p);
    s->q = array(k, sizeof *s->q);
    s->J = array(k * k, sizeof *s->J);
    s->L = array(k * k, sizeof *s->L);
    s->U = array(k * k, sizeof *s->U);
    s->z = array(k, sizeof *s->z);
    double **all[] = {&s->f, &s->F, &s->W, &s->Z, &s->next, &s->error, &s->size};
    for (size_t a = 0; a < sizeof all / sizeof *all; a++)
        *all[a] = array(3 * k, sizeof **all[a]);
    return s;
}

void stiff_restart(stiff *s)
{
    s->fresh = 0;
}

static double norm(const stiff *s, const double *x, int parts)
{
    double sum = 0;
    for (int k = 0; k < parts * s->n; k++)
        sum += x[k] / s->size[k % s->n] * (x[k] / s->size[k % s->n]);
    return sqrt(sum / (parts * s->n));
}

static void factor(stiff *s)
{
    int n = s->n, info;
    for (int i = 0; i < n; i++)
        for (int k = 0; k < n; k++) {
            s->L[k * n + i] = (i == k) * mu / s->h - s->J[i * n + k];
            s->U[k * n + i] = (i == k) * nu / s->h - s->J[i * n + k];
        }
    dgetrf_(&n, &n, s->L, &n, s->p, &info);
    zgetrf_(&n, &n, s->U, &n, s->q, &info);
    s->factored = s->h;
}

/* (36): turns of Newton's method, 0 if it does not converge; *rate of the last. */
static int collocate(stiff *s, run *r, double t, const double *y, double *rate)
{
    const double tolerance = fmax(1e-15 / r->rtol, fmin(0.03, sqrt(r->rtol)));
    int n = s->n, one = 1, info;
    double before = 0;
    *rate = 0;
    memset(s->W, 0, sizeof *s->W * 3 * (size_t)n);
    memset(s->Z, 0, sizeof *s->Z * 3 * (size_t)n);
    for (int turn = 1; turn <= 7; turn++) {
        for (int i = 0; i < 3; i++) {
            for (int k = 0; k < n; k++)
                s->next[k] = y[k] + s->Z[i * n + k];
            if (rates(t + node[i] * s->h, s->next, s->F + i * n, r))
                return 0;
        }
        for (int k = 0; k < n; k++) {
            double g[3] = {0};
            for (int i = 0; i < 3; i++)
                for (int l = 0; l < 3; l++)
                    g[i] += inverse[i][l] * s->F[l * n + k];
            s->error[k] = g[0] - mu / s->h * s->W[k];
            s->z[k] = g[1] + g[2] * I - nu / s->h * (s->W[n + k] + s->W[2 * n + k] * I);
        }
        dgetrs_("N", &n, &one, s->L, &n, s->p, s->error, &n, &info);
        zgetrs_("N", &n, &one, s->U, &n, s->q, s->z, &n, &info);
        for (int k = 0; k < n; k++) {
            s->W[k] += s->error[k];
            s->W[n + k] += s->error[n + k] = creal(s->z[k]);
            s->W[2 * n + k] += s->error[2 * n + k] = cimag(s->z[k]);
            for (int i = 0; i < 3; i++)
                s->Z[i * n + k] =
                    T[i][0] * s->W[k] + T[i][1] * s->W[n + k] + T[i][2] * s->W[2 * n + k];
        }
        const double now = norm(s, s->error, 3);
        *rate = turn > 1 ? now / before : 0;
        if (now == 0 || (turn > 1 && *rate < 1 && *rate / (1 - *rate) * now < tolerance))
            return turn;
        if (!isfinite(now) || *rate >= 1 ||
            (turn > 1 && pow(*rate, 7 - turn) / (1 - *rate) * now > tolerance))
            return 0;
        before = now;
    }
    return 0;
}

/* (37), in units of the tolerance. */
static double error_of(stiff *s, run *r, double t, const double *y, int again)
{
    int n = s->n, one = 1, info;
    if (again) {
        for (int k = 0; k < n; k++)
            s->next[k] = y[k] + s->error[k];
        if (rates(t, s->next, s->F, r))
            return INFINITY;
    }
    for (int k = 0; k < n; k++) {
        s->error[k] = again ? s->F[k] : s->f[k];
        for (int i = 0; i < 3; i++)
            s->error[k] += e[i] * s->Z[i * n + k] / s->h;
    }
    dgetrs_("N", &n, &one, s->L, &n, s->p, s->error, &n, &info);
    return norm(s, s->error, 1);
}

int stiff_to(stiff *s, run *r, double *t, double goal, double *y)
{
    const int n = s->n;
    double wish = s->h > 0 ? s->h : 1e-4 * (goal - *t), rate = 0;
    int rejected = 0;
    while (*t < goal) {
        const double left = goal - *t, before = s->factored;
        s->h = wish < 0.999 * left ? fmin(wish, left / ceil(left / wish)) : left;
        if (s->h < 1e-14 * goal || rates(*t, y, s->f, r))
            return -1;
        const int exact = s->fresh;
        if (!s->fresh && jacobian(*t, y, s->J, s->error, r))
            return -1;
        if (!s->fresh || before != s->h)
            factor(s);
        s->fresh = 1;
        for (int k = 0; k < n; k++)
            s->size[k] = r->rtol * (r->scale[k] + fabs(y[k]));
        const int turns = collocate(s, r, *t, y, &rate);
        if (!turns) {
            wish = exact ? s->h : s->h / 2; /* first with a new J */
            s->fresh = 0;
            continue;
        }
        double error = error_of(s, r, *t, y, 0);
        if (error > 1 && rejected)
            error = error_of(s, r, *t, y, 1);
        const double grow = 0.9 * 15 / (14.0 + turns) * pow(fmax(error, 1e-8), -0.25);
        rejected = !(error <= 1);
        if (rejected) {
            wish = s->h * fmax(0.2, fmin(grow, 0.9));
            continue;
        }
        *t = s->h == left ? goal : *t + s->h;
        for (int k = 0; k < n; k++)
            y[k] += s->Z[2 * n + k];
        s->fresh = rate < 1e-3;
        wish = grow > 1.2 || grow < 1 ? s->h * fmin(grow, 8) : s->h;
    }
    s->h = wish;
    return 0;
}
