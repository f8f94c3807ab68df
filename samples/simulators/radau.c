/* SPDX-License-Identifier: GPL-3.0-or-later */
/* radau.c - Radau IIA of three stages, order 5: A- and L-stable, for chains with stiff modes.
 *
 *   (36) stages X_i = x + h sum_j A_ij V_j,  V_i = v + h sum_j A_ij a_j,
 *        a_i = x''(t + c_i h, X_i, V_i): the last is the end of the step. Newton:
 *        (E - h A o Jv - h^2 A A o Jx) da = x'' - a,  [Jx, Jv] = d x'' / d [x, v] of the start,
 *        o a block of J for each number of A
 *   (37) error = (mu/h E - J)^-1 (f(t, y) + sum_i e_i (Y_i - y) / h),  Y = [X; V]
 * Source  E. Hairer and G. Wanner, Solving Ordinary Differential Equations II, sect. IV.8
 */
#include "sim.h"
#include <math.h>
#include <string.h>

#define S6 2.449489742783178
static const double node[3] = {(4 - S6) / 10, (4 + S6) / 10, 1};
static const double A[9] = {(88 - 7 * S6) / 360,     (296 - 169 * S6) / 1800, (-2 + 3 * S6) / 225,
                            (296 + 169 * S6) / 1800, (88 + 7 * S6) / 360,     (-2 - 3 * S6) / 225,
                            (16 - S6) / 36,          (16 + S6) / 36,          1.0 / 9};
static const double e[3] = {(-13 - 7 * S6) / 3, (-13 + 7 * S6) / 3, -1.0 / 3};
static const double mu = 3.637834252744496;

static struct { /* of the step; Z = Y - y: of x in three stages, of v in three */
    int fresh;  /* J is of this y */
    double h, factored, *a, *da, *Z, *dZ, *next, *f, *F, *error, *size;
    double *M, *L, *newton, *filter; /* matrices of (36), (37), and their inverses */
} s;

static void make_room(int nx)
{
    double **all[] = {&s.a, &s.da, &s.Z, &s.dZ, &s.next, &s.f, &s.F, &s.error, &s.size};
    double **square[] = {&s.M, &s.L, &s.newton, &s.filter};
    for (size_t k = 0; k < sizeof all / sizeof *all; k++)
        *all[k] = array(6 * nx);
    for (int k = 0; k < 4; k++)
        *square[k] = array((k % 2 ? 4 : 9) * nx * nx);
}

/* Of steps of x and v, in `n` stages. */
static double norm(const double *dy, int n, int nx)
{
    double sum = 0;
    for (int k = 0; k < 2 * n * nx; k++) {
        const double part = dy[k] / s.size[k / (n * nx) * nx + k % nx];
        sum += part * part;
    }
    return sqrt(sum / (2 * n * nx));
}

static void invert(int n, double *matrix, double *inverse)
{
    for (int k = 0; k < n * n; k++)
        inverse[k] = k % (n + 1) == 0;
    solve('L', n, n, matrix, inverse);
}

static void factor(const double *J, int n)
{
    double AA[9];
    mul(A, A, AA);
    for (int r = 0; r < 3 * n; r++)
        for (int k = 0; k < 3 * n; k++) {
            const double *x = J + k % n * 2 * n + n + r % n, *v = x + 2 * n * n;
            const int at = r / n * 3 + k / n;
            s.M[r * 3 * n + k] = (r == k) - s.h * A[at] * *v - s.h * s.h * AA[at] * *x;
        }
    for (int k = 0; k < 4 * n * n; k++)
        s.L[k] = (k % (2 * n + 1) == 0) * mu / s.h - J[k];
    invert(3 * n, s.M, s.newton);
    invert(2 * n, s.L, s.filter); /* by columns, as J */
    s.factored = s.h;
}

/* (36): turns of Newton's method, 0 if it does not converge; *rate of the last. */
static int collocate(chain *c, double t, double *rate)
{
    const double tolerance = fmax(1e-7, 1e-16 / c->rtol);
    const int n = c->nx;
    double before = 0, one[] = {1};
    *rate = 0;
    memset(s.a, 0, sizeof *s.a * 3 * (size_t)n);
    memset(s.Z, 0, sizeof *s.Z * 6 * (size_t)n);
    for (int k = 0; k < 3 * n; k++)
        s.Z[k] = node[k / n] * s.h * c->y[n + k % n];
    for (int turn = 1; turn <= 7; turn++) {
        for (int i = 0; i < 3; i++) {
            for (int k = 0; k < 2 * n; k++)
                s.next[k] = c->y[k] + s.Z[(k / n * 3 + i) * n + k % n];
            if (rates(t + node[i] * s.h, s.next, s.F, c))
                return 0;
            for (int k = 0; k < n; k++)
                s.error[i * n + k] = s.F[n + k] - s.a[i * n + k];
        }
        gemm("NN", 3 * n, 1, 3 * n, 1, s.newton, s.error, 0, s.da);
        gemm("NN", 3, n, 3, s.h, A, s.da, 0, s.dZ + 3 * n);
        gemm("NN", 3, n, 3, s.h, A, s.dZ + 3 * n, 0, s.dZ);
        times_add(6 * n, 1, 1, s.dZ, one, s.Z);
        times_add(3 * n, 1, 1, s.da, one, s.a);
        const double now = norm(s.dZ, 3, n);
        *rate = turn > 1 ? now / before : 0;
        if (now == 0 || (turn > 1 && *rate < 1 && *rate / (1 - *rate) * now < tolerance))
            return turn;
        if (!(*rate < 1))
            return 0;
        before = now;
    }
    return 0;
}

/* (37), in units of the tolerance, with f at y or, `again`, at y and the error before. */
static double error_of(chain *c, double t, int again)
{
    const int n = c->nx;
    for (int k = 0; k < 2 * n && again; k++)
        s.next[k] = c->y[k] + s.error[k];
    if (again && rates(t, s.next, s.f, c))
        return INFINITY;
    copy(s.F, s.f, 2 * n);
    for (int half = 0; half < 2; half++)
        gemm("NN", 1, n, 3, 1 / s.h, e, s.Z + half * 3 * n, 1, s.F + half * n);
    gemm("TN", 2 * n, 1, 2 * n, 1, s.filter, s.F, 0, s.error);
    return norm(s.error, 1, n);
}

int stiff_to(chain *c, double *t, double goal, int again)
{
    const int nx = c->nx, n = 2 * nx;
    double wish = s.h > 0 ? s.h : 1e-4 * (goal - *t), rate = 0;
    int rejected = 0;
    if (!s.M)
        make_room(nx);
    s.fresh &= !again;
    while (*t < goal) {
        const double left = goal - *t;
        s.h = wish < 0.999 * left ? fmin(wish, left / ceil(left / wish)) : left;
        if (s.h < 1e-14 * goal || rates(*t, c->y, s.f, c))
            return -1;
        const int exact = s.fresh;
        if (!s.fresh && jacobian(c, *t))
            return -1;
        if (!s.fresh || s.factored != s.h)
            factor(c->J, nx);
        s.fresh = 1;
        for (int k = 0; k < n; k++)
            s.size[k] = c->rtol * (c->scale[k] + fabs(c->y[k]));
        const int turns = collocate(c, *t, &rate);
        if (!turns) {
            wish = exact ? s.h : s.h / 2; /* first with a new J */
            s.fresh = 0;
            continue;
        }
        double error = error_of(c, *t, 0);
        if (error > 1 && rejected)
            error = error_of(c, *t, 1);
        const double grow = 0.9 * 15 / (14.0 + turns) * pow(fmax(error, 1e-8), -0.25);
        rejected = !(error <= 1);
        if (rejected) {
            wish = s.h * fmax(0.2, fmin(grow, 0.9));
            continue;
        }
        *t = s.h == left ? goal : *t + s.h;
        for (int k = 0; k < n; k++)
            c->y[k] += s.Z[(k / nx * 3 + 2) * nx + k % nx];
        s.fresh = rate < 1e-3;
        wish = grow > 1.2 || grow < 1 ? s.h * fmin(grow, 8) : s.h;
    }
    s.h = wish;
    return 0;
}
