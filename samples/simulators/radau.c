/* SPDX-License-Identifier: GPL-3.0-or-later */
/* radau.c - Radau IIA of three stages, order 5: A- and L-stable, for chains with stiff modes.
 *
 *   (36) Z_i = h sum_j A_ij f(t + c_j h, y + Z_j),  y_1 = y + Z_3;  with T^-1 A^-1 T = diag(mu, [a, b;
 *        -b, a]) and W = T^-1 Z the Newton steps are (mu/h E - J) dW_1 = .., ((a - i b)/h E - J)
 *        (dW_2 + i dW_3) = ..
 *   (37) error = (mu/h E - J)^-1 (f(t, y) + sum_i e_i Z_i / h)
 * Source  E. Hairer and G. Wanner, Solving Ordinary Differential Equations II, sect. IV.8
 */
#include "sim.h"
#include <complex.h>
#include <math.h>
#include <string.h>

void dgetrf_(int *, int *, double *, int *, int *, int *);
void dgetrs_(const char *, int *, int *, const double *, int *, const int *, double *, int *,
             int *);
void zgetrf_(int *, int *, double _Complex *, int *, int *, int *);
void zgetrs_(const char *, int *, int *, const double _Complex *, int *, const int *,
             double _Complex *, int *, int *);

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

static struct {
    int n, fresh, *p, *q; /* J is of this y; pivots */
    double h, factored, *L;
    double complex *U, *z;
    double *f, *F, *W, *Z, *next, *error, *size;
} s;

static void make_room(int n)
{
    double **all[] = {&s.f, &s.F, &s.W, &s.Z, &s.next, &s.error, &s.size};
    s.n = n;
    s.p = array(n);
    s.q = array(n);
    s.L = array(n * n);
    s.U = array(2 * n * n);
    s.z = array(2 * n);
    for (size_t a = 0; a < sizeof all / sizeof *all; a++)
        *all[a] = array(3 * n);
}

static double norm(const double *x, int n)
{
    double sum = 0;
    for (int k = 0; k < n; k++)
        sum += x[k] / s.size[k % s.n] * (x[k] / s.size[k % s.n]);
    return sqrt(sum / n);
}

static void factor(const double *J)
{
    int n = s.n, info;
    for (int k = 0; k < n * n; k++) {
        const int unit = k % n == k / n;
        s.L[k] = unit * mu / s.h - J[k];
        s.U[k] = unit * nu / s.h - J[k];
    }
    dgetrf_(&n, &n, s.L, &n, s.p, &info);
    zgetrf_(&n, &n, s.U, &n, s.q, &info);
    s.factored = s.h;
}

/* (36): turns of Newton's method, 0 if it does not converge; *rate of the last. */
static int collocate(run *r, double t, double *rate)
{
    const double tolerance = fmax(1e-15 / r->c.rtol, fmin(0.03, sqrt(r->c.rtol)));
    int n = s.n, one = 1, info;
    double before = 0;
    *rate = 0;
    memset(s.W, 0, sizeof *s.W * 3 * (size_t)n);
    memset(s.Z, 0, sizeof *s.Z * 3 * (size_t)n);
    for (int turn = 1; turn <= 7; turn++) {
        for (int i = 0; i < 3; i++) {
            for (int k = 0; k < n; k++)
                s.next[k] = r->y[k] + s.Z[i * n + k];
            if (rates(t + node[i] * s.h, s.next, s.F + i * n, r))
                return 0;
        }
        gemm("NN", 3, n, 3, 1, *inverse, s.F, 0, s.error);
        for (int k = 0; k < n; k++) {
            s.error[k] -= mu / s.h * s.W[k];
            s.z[k] = s.error[n + k] + s.error[2 * n + k] * I -
                     nu / s.h * (s.W[n + k] + s.W[2 * n + k] * I);
        }
        dgetrs_("N", &n, &one, s.L, &n, s.p, s.error, &n, &info);
        zgetrs_("N", &n, &one, s.U, &n, s.q, s.z, &n, &info);
        for (int k = 0; k < n; k++) {
            s.error[n + k] = creal(s.z[k]);
            s.error[2 * n + k] = cimag(s.z[k]);
        }
        for (int k = 0; k < 3 * n; k++)
            s.W[k] += s.error[k];
        gemm("NN", 3, n, 3, 1, *T, s.W, 0, s.Z);
        const double now = norm(s.error, 3 * n);
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

/* (37), in units of the tolerance, with f at y or, `again`, at y and the error before. */
static double error_of(run *r, double t, int again)
{
    int n = s.n, one = 1, info;
    for (int k = 0; k < n && again; k++)
        s.next[k] = r->y[k] + s.error[k];
    if (again && rates(t, s.next, s.F, r))
        return INFINITY;
    copy(s.error, again ? s.F : s.f, n);
    gemm("NN", 1, n, 3, 1 / s.h, e, s.Z, 1, s.error);
    dgetrs_("N", &n, &one, s.L, &n, s.p, s.error, &n, &info);
    return norm(s.error, n);
}

int stiff_to(run *r, double *t, double goal, int again)
{
    double wish = s.h > 0 ? s.h : 1e-4 * (goal - *t), rate = 0;
    int rejected = 0;
    if (!s.n)
        make_room(2 * r->c.nx);
    s.fresh &= !again;
    while (*t < goal) {
        const double left = goal - *t;
        s.h = wish < 0.999 * left ? fmin(wish, left / ceil(left / wish)) : left;
        if (s.h < 1e-14 * goal || rates(*t, r->y, s.f, r))
            return -1;
        const int exact = s.fresh;
        if (!s.fresh && jacobian(r, *t))
            return -1;
        if (!s.fresh || s.factored != s.h)
            factor(r->J);
        s.fresh = 1;
        for (int k = 0; k < s.n; k++)
            s.size[k] = r->c.rtol * (r->scale[k] + fabs(r->y[k]));
        const int turns = collocate(r, *t, &rate);
        if (!turns) {
            wish = exact ? s.h : s.h / 2; /* first with a new J */
            s.fresh = 0;
            continue;
        }
        double error = error_of(r, *t, 0);
        if (error > 1 && rejected)
            error = error_of(r, *t, 1);
        const double grow = 0.9 * 15 / (14.0 + turns) * pow(fmax(error, 1e-8), -0.25);
        rejected = !(error <= 1);
        if (rejected) {
            wish = s.h * fmax(0.2, fmin(grow, 0.9));
            continue;
        }
        *t = s.h == left ? goal : *t + s.h;
        for (int k = 0; k < s.n; k++)
            r->y[k] += s.Z[2 * s.n + k];
        s.fresh = rate < 1e-3;
        wish = grow > 1.2 || grow < 1 ? s.h * fmin(grow, 8) : s.h;
    }
    s.h = wish;
    return 0;
}
