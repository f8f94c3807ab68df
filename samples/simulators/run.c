/* SPDX-License-Identifier: GPL-3.0-or-later */
/* run.c - integration, and what is kept of it.
 *
 * y = [x; x'], y' = [x'; x''] by a formulation. Driven joints follow their laws exactly: their part of
 * y is overwritten. explicit: Prince and Dormand, order 8(7), for soft links and tests of energy, with
 * steps of about 6 / w_max. implicit: Radau IIA (radau.c), for links with stiff modes. (BDF above
 * order 2 is not stable for undamped vibration.)
 * Errors of a step are below rtol (|y| + scale), scale 1 rad for angles and sqrt(I1) |tip| for q;
 * their rates the same times 1/s, those of q times their own frequency where that is more. Steps end
 * at the corners of torques and laws.
 *   (34) frequencies: eigenvalues of the Jacobian J of y' at the start, by central differences
 *   (35) bend: y' = 0 by Newton's method, J dy = -y', all hinges held
 */
#include "sim.h"
#include <gsl/gsl_errno.h>
#include <gsl/gsl_odeiv2.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

void dgeev_(const char *, const char *, int *, double *, int *, double *, double *, double *, int *,
            double *, int *, double *, int *, int *);

static const double TURN = 6.283185307179586;

/* y with the angles and rates that laws know. */
static void follow_laws(const chain *c, double t, double *y)
{
    double law[3];
    for (int i = 0; i < c->n; i++)
        if (driven(c, c->joint + i, t, law)) {
            y[c->joint[i].at] = law[0];
            y[c->nx + c->joint[i].at] = law[1];
        }
}

int rates(double t, const double y[], double yd[], void *p)
{
    run *r = p;
    const int n = r->c.nx;
    copy(r->x, y, 2 * n);
    follow_laws(&r->c, t, r->x);
    place(&r->c, t, r->x, r->x + n);
    copy(yd, r->x + n, n);
    /* GSL_FAILURE: a shorter step is tried */
    if (r->c.f->accelerate(&r->c, r->a))
        return GSL_FAILURE;
    copy(yd + n, r->a, n);
    return GSL_SUCCESS;
}

int jacobian(run *r, double t)
{
    const int n = 2 * r->c.nx;
    double side[2][2 * NDOF];
    for (int k = 0; k < n; k++) {
        const double d = 1e-6 * r->scale[k], y = r->y[k];
        int bad = 0;
        for (int s = 0; s < 2; s++) {
            r->y[k] = y + (s ? -d : d);
            bad |= rates(t, r->y, side[s], r);
        }
        r->y[k] = y;
        if (bad)
            return GSL_FAILURE;
        for (int i = 0; i < n; i++)
            r->J[k * n + i] = (side[0][i] - side[1][i]) / (2 * d);
    }
    return GSL_SUCCESS;
}

/* Poses, accelerations and torques at r->y; the Jacobian, too, if wanted. */
static void evaluate(run *r, double t, int with_jacobian)
{
    if ((with_jacobian && jacobian(r, t)) || rates(t, r->y, r->yd, r))
        fail(NUMERICAL, r->c.file,
             "the mass matrix is not positive at t = %g: a motion without mass, or bending "
             "beyond what the record stands (/verdict/deflection)",
             t);
}

/* (35): rows of held joints are zeros in J: with a one on the diagonal they stay. */
static void bend(run *r)
{
    const int n = 2 * r->c.nx;
    double most = 1;
    r->c.hold = 1;
    for (int turn = 0; most > 1e-13; turn++) {
        evaluate(r, 0, 1);
        for (int i = 0; i < r->c.n; i++)
            for (int at = r->c.joint[i].at; r->c.joint[i].revolute && at < n; at += r->c.nx) {
                r->J[at * (n + 1)] = 1;
                r->yd[at] = 0;
            }
        const int bad = solve(n, 1, r->J, r->yd);
        most = 0;
        for (int i = 0; i < n; i++) {
            r->y[i] -= r->yd[i];
            most = fmax(most, fabs(r->yd[i]) / r->scale[i]);
        }
        if (bad || !isfinite(most) || turn == 29)
            fail(NUMERICAL, r->c.file, "no rest under gravity is found");
    }
    r->c.hold = 0;
}

/* Room for n more numbers of an output. */
static double *more(run *r, int which, int n)
{
    const long all = r->set[which].n += n;
    r->set[which].x = realloc(r->set[which].x, sizeof(double) * (size_t)(all + 1));
    if (!r->set[which].x)
        fail(SYSTEM, NULL, "out of memory for %ld values", all);
    return r->set[which].x + all - n;
}

static void keep(run *r, int which, double x)
{
    *more(r, which, 1) = x;
}

static int ascending(const void *one, const void *other)
{
    const double *x = one, *y = other;
    return x[0] != y[0] ? (x[0] > y[0]) - (x[0] < y[0]) : (x[1] < y[1]) - (x[1] > y[1]);
}

/* (34): pairs of Hz and growth of the eigenvalues with imaginary part >= 0, ascending; where equal,
 * the faster growth first. */
static void frequencies(run *r)
{
    const chain *c = &r->c;
    int n = 0, all = 2 * c->nx, one = 1, info = 0, lwork = 20 * all, *at = array(all);
    double *A = array(all * all), *re = array(all), *im = array(all), (*pair)[2] = array(2 * all);
    evaluate(r, 0, 1);
    for (int half = 0; half < all; half += c->nx)
        for (int i = 0; i < c->n; i++)
            for (int d = c->pose[i].known; d < c->joint[i].nx; d++)
                at[n++] = half + c->joint[i].at + d;
    for (int i = 0; i < n * n; i++)
        A[i] = r->J[at[i / n] * all + at[i % n]];
    if (n)
        dgeev_("N", "N", &n, A, &n, re, im, NULL, &one, NULL, &one, array(lwork), &lwork, &info);
    if (info)
        fail(NUMERICAL, c->file, "no eigenvalues are found");
    for (int k = 0; k < n; k++) {
        pair[k][0] = im[k] / TURN;
        pair[k][1] = re[k];
    }
    qsort(pair, (size_t)n, sizeof *pair, ascending);
    for (int k = 0; k < n; k++)
        if (pair[k][0] >= 0) {
            keep(r, HERTZ, pair[k][0]);
            keep(r, GROWTH, pair[k][1]);
        }
}

static void start(run *r)
{
    const chain *c = &r->c;
    double **all[] = {&r->y, &r->x, &r->a, &r->yd, &r->scale};
    for (size_t k = 0; k < sizeof all / sizeof *all; k++)
        *all[k] = array(2 * c->nx);
    r->J = array(4 * c->nx * c->nx);
    for (int i = 0; i < c->n; i++) {
        const joint *j = c->joint + i;
        const flex *b = &j->link;
        for (int k = 0; k < j->nx; k++) {
            const int angle = k < j->revolute;
            double *scale = r->scale + j->at + k;
            *scale = angle ? 1 : sqrt(b->I1 * dot(b->tip, b->tip));
            scale[c->nx] = *scale * (angle ? 1 : fmax(1, TURN * b->hz[k - j->revolute]));
        }
        for (int k = 0; k < 2 * j->revolute; k++)
            r->y[k * c->nx + j->at] = j->start[k];
    }
    follow_laws(c, 0, r->y);
    if (c->bend > 0)
        bend(r);
    follow_laws(c, 0, r->y);
}

/* Small deformations end where a link bends by half its length: why, as far as it is known. */
static void check_bending(const run *r, double t)
{
    for (int i = 0; i < r->c.n && r->c.f->lead == 6; i++) {
        const flex *b = &r->c.joint[i].link;
        const pose *s = r->c.pose + i;
        double u[3] = {0};
        char why[300] = ", too far for shapes of small deformation";
        times_add(3, b->m, 1, b->rows + OF_F * b->m, s->q, u);
        const double percent = 100 * sqrt(dot(u, u) / dot(b->tip, b->tip));
        const double w = sqrt(dot(s->eta + 3, s->eta + 3)), first = b->hz[0] * TURN;
        if (percent >= 50 && w > first)
            snprintf(why, sizeof why,
                     ": it turns at %.4g rad/s, above its first frequency with the hub held, %.4g "
                     "rad/s. One linear body does not stiffen by turning: cut it into "
                     "substructures (links without axis)",
                     w, first);
        if (percent >= 50)
            fail(NUMERICAL, r->c.file, "at t = %g link %d bends by %.0f %% of its length%s", t,
                 i + 1, percent, why);
    }
}

/* Places of all points; in the first frame the points and faces of all links, too. */
static void keep_frame(run *r, double t)
{
    const long first = !r->set[FRAME].n;
    keep(r, FRAME, t);
    if (first)
        keep(r, OFFSET, 0);
    for (int i = 0; i < r->c.n; i++) {
        const flex *b = &r->c.joint[i].link;
        const pose *s = r->c.pose + i;
        const double point = (double)r->set[ID].n, corner = (double)r->set[INDEX].n;
        for (int p = 0; p < 3 * b->np; p += 3) {
            double at[3], *x = more(r, PLACE, 3);
            copy(at, b->at + p, 3);
            times_add(3, b->m, 1, b->shape + p * b->m, s->q, at);
            copy(x, s->p, 3);
            times_add(3, 3, 1, s->R, at, x);
            if (first) {
                keep(r, ID, (double)r->set[ID].n + 1);
                copy(more(r, START, 3), x, 3);
            }
        }
        for (int k = 0; first && k < b->offset[b->nf]; k++)
            keep(r, INDEX, point + b->index[k]);
        for (int k = 0; first && k < b->nf; k++)
            keep(r, OFFSET, corner + b->offset[k + 1]);
    }
}

static void keep_row(run *r, double t)
{
    const chain *c = &r->c;
    check_bending(r, t);
    keep(r, TIME, t);
    energies(c, more(r, KINETIC, 1), more(r, POTENTIAL, 1));
    torques(c, r->a, more(r, TORQUE, c->n));
    for (int i = 0; i < c->n; i++) {
        const joint *j = c->joint + i;
        const int own = j->nx - j->revolute;
        keep(r, THETA, j->revolute ? r->x[j->at] : 0);
        keep(r, RATE, c->pose[i].rate);
        copy(more(r, TIP, 3), c->pose[i].tip, 3);
        copy(more(r, COORD, own), r->x + j->at + j->revolute, own);
    }
}

/* Rows at each step of the output, frames spread over all the time. */
static void integrate(run *r)
{
    const chain *c = &r->c;
    const double rows = ceil(c->time / c->step - 1e-9);
    const double between = c->frames > 1 ? c->time / (c->frames - 1) : c->time;
    const long *kept = &r->set[TIME].n, *drawn = &r->set[FRAME].n;
    gsl_odeiv2_system sys = {rates, NULL, 2 * (size_t)c->nx, r};
    gsl_odeiv2_driver *d = NULL;
    double t = 0;
    int again = 1;
    gsl_set_error_handler_off();
    if (c->implicit == 0 && c->nx)
        d = gsl_odeiv2_driver_alloc_scaled_new(&sys, gsl_odeiv2_step_rk8pd, fmin(1e-4, c->step),
                                               c->rtol, c->rtol, 1, 0, r->scale);
    evaluate(r, 0, 0);
    keep_row(r, 0);
    if (c->frames > 0)
        keep_frame(r, 0);
    while (t < c->time) {
        const double row = (double)*kept < rows ? (double)*kept * c->step : c->time;
        const double frame = (double)*drawn < c->frames - 1 ? (double)*drawn * between : c->time;
        const double corner = next_corner(c, t, c->time), goal = fmin(fmin(row, frame), corner);
        const int apart = c->nx && goal - t > 1e-13 * goal; /* rows and corners may nearly meet */
        const int status = !apart ? 0
                           : d    ? gsl_odeiv2_driver_apply(d, &t, goal, r->y)
                                  : stiff_to(r, &t, goal, again);
        t = status ? t : goal;
        again = goal == corner;
        follow_laws(c, t, r->y);
        evaluate(r, t, 0);
        if (goal == row || status)
            keep_row(r, t); /* which may know why it fails */
        if (status)
            fail(NUMERICAL, c->file, "the integration stops at t = %g: %s", t,
                 gsl_strerror(status));
        if (goal == frame && (double)*drawn < c->frames)
            keep_frame(r, t);
        if (again && d)
            gsl_odeiv2_driver_reset(d);
    }
    if (d)
        gsl_odeiv2_driver_free(d);
}

int main(int argc, char **argv)
{
    static run r = {.c.f = &formulation_of_program};
    (void)argc;
    read_chain(&r.c, argv);
    start(&r);
    for (int k = 0; k < r.c.evaluate; k++)
        evaluate(&r, 0, 0);
    if (r.c.frequencies > 0)
        frequencies(&r);
    integrate(&r);
    write_run(&r);
    return 0;
}
