/* SPDX-License-Identifier: GPL-3.0-or-later */
/* run.c - the command line of the three simulators, integration, and run.h5.
 *
 * y = [x; x'], y' = [x'; x''] by a formulation. Driven joints follow their laws exactly: their part of
 * y is overwritten. explicit: Prince and Dormand, order 8(7), for soft links and tests of energy, with
 * steps of about 6 / w_max. implicit: Radau IIA (radau.c), for links with stiff modes. (BDF above order 2 is not stable for undamped vibration.)
 * Errors of a step are below rtol (|y| + scale), scale 1 rad for angles and sqrt(I1) |tip| for q; their
 * rates the same times 1/s, those of q times their own frequency where that is more. Steps end at the corners of torques and laws.
 *   (34) frequencies: eigenvalues of the Jacobian of y' at the start, by central differences
 *   (35) bend: x''(q) = 0 by Newton's method, all hinges held
 */
#include "sim.h"
#include <gsl/gsl_errno.h>
#include <gsl/gsl_odeiv2.h>
#include "run.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* ---- equations of motion ------------------------------------------------------------------- */

/* y with the angles and rates that laws know. */
static void follow_laws(const chain *c, double t, double *y)
{
    double law[3];
    for (int i = 0; i < c->n; i++) {
        const joint *j = c->joint + i;
        if (j->revolute && driven(c, j, t, law)) {
            y[j->at] = law[0];
            y[c->nx + j->at] = law[1];
        }
    }
}

int rates(double t, const double y[], double yd[], void *p)
{
    run *r = p;
    const int n = r->c.nx;
    memcpy(r->x, y, sizeof *y * 2 * (size_t)n);
    follow_laws(&r->c, t, r->x);
    if (r->f->accelerate(&r->c, t, r->x, r->x + n, r->a, r->tau))
        return GSL_FAILURE; /* a shorter step is tried */
    memcpy(yd, r->x + n, sizeof *y * (size_t)n);
    memcpy(yd + n, r->a, sizeof *y * (size_t)n);
    return GSL_SUCCESS;
}

/* J [2 nx, 2 nx] by central differences. */
int jacobian(double t, const double y[], double *J, double *dfdt, void *p)
{
    run *r = p;
    const int n = 2 * r->c.nx;
    double *z = array((size_t)(3 * n), sizeof *z), *up = z + n, *down = up + n;
    int bad = 0;
    memcpy(z, y, sizeof *z * (size_t)n);
    for (int k = 0; k < n && !bad; k++) {
        const double d = 1e-6 * r->scale[k];
        z[k] = y[k] + d;
        bad |= rates(t, z, up, p);
        z[k] = y[k] - d;
        bad |= rates(t, z, down, p);
        z[k] = y[k];
        for (int i = 0; i < n; i++)
            J[i * n + k] = (up[i] - down[i]) / (2 * d);
    }
    memset(dfdt, 0, sizeof *dfdt * (size_t)n);
    free(z);
    return bad ? GSL_FAILURE : GSL_SUCCESS;
}

/* ---- start --------------------------------------------------------------------------------- */

static void not_positive(const run *r, double t)
{
    fail(NUMERICAL,
         "%s: the mass matrix is not positive at t = %g: a motion without mass, or bending "
         "beyond what the record stands (/verdict/deflection)",
         r->c.file, t);
}

/* (35) */
static void bend(run *r)
{
    chain *c = &r->c;
    const int n = 2 * c->nx;
    int *at = array((size_t)c->nx + 1, sizeof *at),
        *pivot = array((size_t)c->nx + 1, sizeof *pivot);
    double *J = array((size_t)(n * n), 8), *A = array((size_t)(n * n), 8),
           *yd = array((size_t)n, 8);
    double *dt = array((size_t)n, 8), *b = array((size_t)n, 8), most = 1;
    int k = 0, one = 1, info = 0;
    c->hold = 1;
    for (int i = 0; i < c->n; i++)
        for (int d = c->joint[i].revolute; d < c->joint[i].nx; d++)
            at[k++] = c->joint[i].at + d;
    for (int turn = 0; k && turn < 30 && most > 1e-13; turn++) {
        if (jacobian(0, r->y, J, dt, r) || rates(0, r->y, yd, r))
            not_positive(r, 0);
        for (int i = 0; i < k; i++) {
            b[i] = -yd[c->nx + at[i]];
            for (int l = 0; l < k; l++)
                A[l * k + i] = J[(c->nx + at[i]) * n + at[l]];
        }
        dgesv_(&k, &one, A, &k, pivot, b, &k, &info);
        most = 0;
        for (int i = 0; i < k; i++) {
            r->y[at[i]] += b[i];
            most = fmax(most, fabs(b[i]) / r->scale[at[i]]);
        }
        if (info || !isfinite(most) || turn == 29)
            fail(NUMERICAL, "%s: no rest under gravity is found", c->file);
    }
    c->hold = 0;
    free(at);
    free(pivot);
    free(J);
    free(A);
    free(yd);
    free(dt);
    free(b);
}

/* By frequency, then the faster growth first. */
static int by_size(const void *a, const void *b)
{
    const double *x = a, *y = b;
    return x[0] != y[0] ? (x[0] > y[0]) - (x[0] < y[0]) : (x[1] < y[1]) - (x[1] > y[1]);
}

/* (34): pairs of Hz and growth of the eigenvalues with imaginary part >= 0, ascending. */
static void frequencies(run *r)
{
    static const double turn = 6.283185307179586;
    const chain *c = &r->c;
    int n = 0, all = 2 * c->nx, one = 1, info = 0, lwork = 20 * all + 1, found = 0;
    int *at = array((size_t)all, sizeof *at);
    double *J = array((size_t)(all * all), 8), *A = array((size_t)(all * all), 8), law[3];
    double *re = array((size_t)(4 * all), 8), *im = re + all, *pair = im + all;
    double *work = array((size_t)lwork, sizeof *work);
    if (jacobian(0, r->y, J, re, r))
        not_positive(r, 0);
    for (int half = 0; half < 2; half++)
        for (int i = 0; i < c->n; i++)
            for (int d = 0; d < c->joint[i].nx; d++)
                if (d || !c->joint[i].revolute || !driven(c, c->joint + i, 0, law))
                    at[n++] = half * c->nx + c->joint[i].at + d;
    for (int i = 0; i < n; i++)
        for (int k = 0; k < n; k++)
            A[k * n + i] = J[at[i] * all + at[k]];
    dgeev_("N", "N", &n, A, &n, re, im, NULL, &one, NULL, &one, work, &lwork, &info);
    if (info)
        fail(NUMERICAL, "%s: no eigenvalues are found", c->file);
    for (int k = 0; k < n; k++)
        if (im[k] >= 0) {
            pair[2 * found] = im[k] / turn;
            pair[2 * found++ + 1] = re[k];
        }
    qsort(pair, (size_t)found, 2 * sizeof *pair, by_size);
    r->hertz = array((size_t)found + 1, 8);
    r->growth = array((size_t)found + 1, 8);
    for (int k = 0; k < found; k++) {
        r->hertz[k] = pair[2 * k];
        r->growth[k] = pair[2 * k + 1];
    }
    r->nfrequency = found;
    free(at);
    free(J);
    free(A);
    free(re);
    free(work);
}

static void start(run *r)
{
    const chain *c = &r->c;
    const size_t n = 2 * (size_t)c->nx;
    r->y = array(n, sizeof *r->y);
    r->x = array(n, sizeof *r->x);
    r->a = array(n, sizeof *r->a);
    r->yd = array(n, sizeof *r->yd);
    r->scale = array(n, sizeof *r->scale);
    for (int i = 0; i < c->n; i++) {
        const joint *j = c->joint + i;
        const flex *b = &j->link;
        for (int k = 0; k < j->nx; k++) {
            const int angle = k < j->revolute;
            const double size = angle ? 1 : sqrt(b->I1 * dot(b->tip, b->tip));
            r->scale[j->at + k] = size;
            r->scale[c->nx + j->at + k] =
                size * (angle ? 1 : fmax(1, 6.2832 * b->hz[k - j->revolute]));
        }
        if (j->revolute) {
            r->y[j->at] = j->angle;
            r->y[c->nx + j->at] = j->rate;
        }
        r->nq += j->nx - j->revolute;
        r->np += b->picture.np;
    }
    follow_laws(c, 0, r->y);
    if (c->bend)
        bend(r);
    follow_laws(c, 0, r->y);
}

/* ---- what is kept -------------------------------------------------------------------------- */

/* Small deformations end where a link bends by half its length: why, as far as it is known. */
static void check_bending(const run *r, double t)
{
    static const double turn = 6.283185307179586;
    for (int i = 0; i < r->c.n; i++) {
        const flex *b = &r->c.joint[i].link;
        const pose *s = r->c.pose + i;
        double u[3];
        times(b->S, s->q, b->m, u);
        const double share = sqrt(dot(u, u) / dot(b->tip, b->tip)), w = sqrt(dot(s->w, s->w));
        const double first = b->hz[0] * turn;
        if (!(share >= 0.5) || r->f->rigid)
            continue;
        if (w > first)
            fail(NUMERICAL,
                 "%s: at t = %g link %d bends by %.0f %% of its length: it turns at %.4g "
                 "rad/s, above its first frequency with the hub held, %.4g rad/s. One linear body "
                 "does "
                 "not stiffen by turning: cut it into substructures (links without axis)",
                 r->c.file, t, i + 1, 100 * share, w, first);
        fail(NUMERICAL,
             "%s: at t = %g link %d bends by %.0f %% of its length, too far for shapes of "
             "small deformation",
             r->c.file, t, i + 1, 100 * share);
    }
}

static void keep_frame(run *r, double t)
{
    double *x = r->place + 3 * (size_t)r->drawn * (size_t)r->np;
    r->when[r->drawn++] = t;
    for (int i = 0; i < r->c.n; i++) {
        const flex *b = &r->c.joint[i].link;
        const pose *s = r->c.pose + i;
        for (int p = 0; p < b->picture.np; p++, x += 3) {
            double u[3];
            memcpy(u, b->picture.at + 3 * p, sizeof u);
            times_add(1, b->picture.shape + 3 * (size_t)p * (size_t)b->m, s->q, b->m, u);
            turn(s->R, u, x);
            for (int a = 0; a < 3; a++)
                x[a] += s->p[a];
        }
    }
}

/* Poses, accelerations and torques of this moment. */
static void place(run *r, double t)
{
    if (rates(t, r->y, r->yd, r))
        not_positive(r, t);
}

static void keep_row(run *r, double t)
{
    const chain *c = &r->c;
    const size_t row = (size_t)r->rows++;
    double *q = r->q + row * (size_t)r->nq, v[3];
    place(r, t);
    check_bending(r, t);
    r->t[row] = t;
    r->kinetic[row] = kinetic_energy(c);
    r->potential[row] = potential_energy(c);
    for (int i = 0; i < c->n; i++) {
        const joint *j = c->joint + i;
        const size_t k = row * (size_t)c->n + (size_t)i;
        const size_t nq = (size_t)(j->nx - j->revolute);
        r->theta[k] = j->revolute ? r->x[j->at] : 0;
        r->rate[k] = j->revolute ? r->x[c->nx + j->at] : 0;
        r->torque[k] = r->tau[i];
        tip_of(c, i, r->tip + 3 * k, v);
        memcpy(q, r->x + j->at + j->revolute, sizeof *q * nq);
        q += nq;
    }
}

/* ---- integration --------------------------------------------------------------------------- */

static void room(run *r, int rows)
{
    const size_t n = (size_t)rows + 1, links = n * (size_t)r->c.n;
    r->t = array(n, 8);
    r->kinetic = array(n, 8);
    r->potential = array(n, 8);
    r->theta = array(links, 8);
    r->rate = array(links, 8);
    r->torque = array(links, 8);
    r->tip = array(3 * links, 8);
    r->q = array(n * (size_t)r->nq + 1, 8);
    r->when = array((size_t)r->frames + 1, 8);
    r->place = array(3 * (size_t)r->frames * (size_t)r->np + 1, 8);
}

/* Rows at each step of the output, frames spread over all the time. */
static void integrate(run *r)
{
    const chain *c = &r->c;
    const int rows = (int)ceil(c->time / c->step - 1e-9);
    const double between = r->frames > 1 ? c->time / (r->frames - 1) : c->time;
    gsl_odeiv2_system sys = {rates, NULL, 2 * (size_t)c->nx, r};
    gsl_odeiv2_driver *d = NULL;
    static stiff *s;
    double t = 0;
    room(r, rows + 1);
    keep_row(r, 0);
    if (r->frames)
        keep_frame(r, 0);
    gsl_set_error_handler_off();
    if (r->implicit)
        s = stiff_new(2 * c->nx);
    else if (c->nx)
        d = gsl_odeiv2_driver_alloc_scaled_new(&sys, gsl_odeiv2_step_rk8pd, fmin(1e-4, c->step),
                                               r->rtol, r->rtol, 1, 0, r->scale);
    while (t < c->time) {
        const double row = r->rows < rows ? r->rows * c->step : c->time;
        const double frame = r->drawn < r->frames - 1 ? r->drawn * between : c->time;
        const double corner = next_corner(c, t, c->time);
        const double goal = fmin(fmin(row, frame), corner);
        const int apart = goal - t > 1e-13 * goal; /* times of rows and corners may nearly meet */
        const int status = !apart ? 0
                           : s    ? stiff_to(s, r, &t, goal, r->y)
                           : d    ? gsl_odeiv2_driver_apply(d, &t, goal, r->y)
                                  : 0;
        if (status) {
            keep_row(r, t); /* which may know why */
            fail(NUMERICAL, "%s: the integration stops at t = %g: %s", c->file, t,
                 gsl_strerror(status));
        }
        t = goal;
        follow_laws(c, t, r->y);
        if (goal == row)
            keep_row(r, t);
        if (goal == frame && r->drawn < r->frames) {
            place(r, t);
            keep_frame(r, t);
        }
        if (goal == corner && s)
            stiff_restart(s);
        if (goal == corner && d)
            gsl_odeiv2_driver_reset(d);
    }
    if (d)
        gsl_odeiv2_driver_free(d);
}

/* ---- command line -------------------------------------------------------------------------- */

static void help(const formulation *f)
{
    printf("%s CHAIN.txt > run.h5 - a chain of link records in motion: %s\n"
           "  --time T         end (the chain file's)\n"
           "  --step DT        between rows of the output (the chain file's)\n"
           "  --rtol R         relative error of a step (1e-9)\n"
           "  --implicit       Radau IIA of order 5, for stiff links (explicit, order 8)\n"
           "  --frames N       keep N moments with all points, for play.sh\n"
           "  --frequencies    those of small motion about the start, for --time 0 of free joints\n"
           "  --printed        rotations E + phi~ as the theses print them (exp(phi~))\n"
           "  --evaluate N     compute the accelerations at the start N times, for benchmarks\n",
           f->name, f->what);
    exit(0);
}

static double option(char **argv, int *k, double low, double high)
{
    char *end = NULL;
    const char *name = argv[*k], *text = argv[*k + 1];
    const double x = text ? strtod(text, &end) : 0;
    if (!text || end == text || *end || !(x >= low && x <= high))
        fail(USAGE, "%s wants a number from %g to %g", name, low, high);
    ++*k;
    return x;
}

static const char *options(run *r, int argc, char **argv, double *time, double *step)
{
    const char *file = NULL;
    for (int k = 1; k < argc; k++) {
        const char *o = argv[k];
        if (!strcmp(o, "--help"))
            help(r->f);
        else if (!strcmp(o, "--time"))
            *time = option(argv, &k, 0, 1e9);
        else if (!strcmp(o, "--step"))
            *step = option(argv, &k, 1e-9, 1e9);
        else if (!strcmp(o, "--rtol"))
            r->rtol = option(argv, &k, 1e-14, 0.1);
        else if (!strcmp(o, "--frames"))
            r->frames = (int)option(argv, &k, 1, 1e5);
        else if (!strcmp(o, "--evaluate"))
            r->evaluate = (int)option(argv, &k, 1, 1e9);
        else if (!strcmp(o, "--implicit"))
            r->implicit = 1;
        else if (!strcmp(o, "--frequencies"))
            r->frequencies = 1;
        else if (!strcmp(o, "--printed"))
            r->c.printed = 1;
        else if (o[0] == '-' || file)
            fail(USAGE, "%s: '%s' is not understood; %s --help", r->f->name, o, r->f->name);
        else
            file = o;
    }
    if (!file)
        fail(USAGE, "%s CHAIN.txt > run.h5; %s --help", r->f->name, r->f->name);
    if (isatty(1))
        fail(USAGE, "%s: run.h5 is binary: send it to a file by >", r->f->name);
    return file;
}

int simulate(const formulation *f, int argc, char **argv)
{
    static run r; /* what it holds lives as long as the program */
    r.f = f;
    r.rtol = 1e-9;
    double time = -1, step = -1;
    read_chain(&r.c, options(&r, argc, argv, &time, &step), f->rigid);
    r.c.time = time >= 0 ? time : r.c.time;
    r.c.step = step > 0 ? step : r.c.step;
    if (!(r.c.step > 0) || !(r.c.time >= 0) || r.c.time / r.c.step > 1e7)
        fail(INPUT, "%s: time %g in steps of %g", r.c.file, r.c.time, r.c.step);
    start(&r);
    for (int k = 0; k < r.evaluate; k++)
        place(&r, 0);
    if (r.frequencies)
        frequencies(&r);
    integrate(&r);
    write_run(&r);
    return 0;
}
