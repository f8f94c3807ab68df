/* SPDX-License-Identifier: GPL-3.0-or-later */
/* run.c - integration, and what is kept of it.
 *
 * y = [x; x'], y' = [x'; x''] by a formulation. Driven joints follow their laws exactly: their part
 * of y is overwritten. explicit: Prince and Dormand, order 8(7), for soft links and tests of
 * energy, with steps of about 6 / w_max. implicit: Radau IIA (radau.c), for links with stiff modes.
 * (BDF above order 2 is not stable for undamped vibration.)
 * Errors of a step are below rtol (|y| + scale), scale 1 rad for angles and sqrt(I1) |tip| for q;
 * their rates the same times 1/s, those of q times their own frequency where that is more. Steps
 * end at the corners of torques and laws.
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

int rates(double t, const double y[], double yd[], void *p)
{
    chain *c = p;
    copy(c->x, y, 2 * c->nx);
    place(c, t, c->x);
    copy(yd, c->x + c->nx, c->nx);
    /* GSL_FAILURE: a shorter step is tried */
    return program.accelerate(c, yd + c->nx) ? GSL_FAILURE : GSL_SUCCESS;
}

int jacobian(chain *c, double t)
{
    const int n = 2 * c->nx;
    double side[2][2 * NDOF];
    for (int k = 0; k < n; k++) {
        const double d = 1e-6 * c->scale[k], y = c->y[k];
        int bad = 0;
        for (int s = 0; s < 2; s++) {
            c->y[k] = y + (s ? -d : d);
            bad |= rates(t, c->y, side[s], c);
        }
        c->y[k] = y;
        if (bad)
            return GSL_FAILURE;
        for (int i = 0; i < n; i++)
            c->J[k * n + i] = (side[0][i] - side[1][i]) / (2 * d);
    }
    return GSL_SUCCESS;
}

/* The links and y' at y, which gets the laws in it; the Jacobian, too, if wanted. */
static void evaluate(chain *c, double t, int with_jacobian)
{
    if ((with_jacobian && jacobian(c, t)) || rates(t, c->y, c->yd, c))
        fail(NUMERICAL, c->file,
             "the mass matrix is not positive at t = %g: a motion without mass, or bending "
             "beyond what the record stands (/verdict/deflection)",
             t);
    copy(c->y, c->x, 2 * c->nx);
}

/* (35): rows of held joints are zeros in J: with a one on the diagonal they stay. */
static void bend(chain *c)
{
    const int n = 2 * c->nx;
    double most = 1;
    c->hold = 1;
    for (int turn = 0; most > 1e-13; turn++) {
        evaluate(c, 0, 1);
        for (int i = 0; i < c->n; i++)
            for (int at = c->body[i].at; c->body[i].revolute && at < n; at += c->nx) {
                c->J[at * (n + 1)] = 1;
                c->yd[at] = 0;
            }
        const int bad = solve('L', n, 1, c->J, c->yd);
        most = 0;
        for (int i = 0; i < n; i++) {
            c->y[i] -= c->yd[i];
            most = fmax(most, fabs(c->yd[i]) / c->scale[i]);
        }
        if (bad || !isfinite(most) || turn == 29)
            fail(NUMERICAL, c->file, "no rest under gravity is found");
    }
    c->hold = 0;
}

/* Room for n more numbers of an output. */
static double *more(chain *c, int which, int n)
{
    const long all = c->set[which].n += n;
    c->set[which].x = realloc(c->set[which].x, sizeof(double) * (size_t)(all + 1));
    if (!c->set[which].x)
        fail(SYSTEM, NULL, "out of memory for %ld values", all);
    return c->set[which].x + all - n;
}

static void keep(chain *c, int which, double x)
{
    *more(c, which, 1) = x;
}

static int ascending(const void *one, const void *other)
{
    const double *x = one, *y = other;
    return x[0] != y[0] ? (x[0] > y[0]) - (x[0] < y[0]) : (x[1] < y[1]) - (x[1] > y[1]);
}

/* (34): pairs of Hz and growth of the eigenvalues with imaginary part >= 0, ascending; where equal,
 * the faster growth first. */
static void frequencies(chain *c)
{
    const double time = c->body[0].link.si[2], second = time > 0 ? time : 1;
    int n = 0, all = 2 * c->nx, one = 1, info = 0, lwork = 20 * all, *at = array(all);
    double *A = array(all * all), *re = array(all), *im = array(all), (*pair)[2] = array(2 * all);
    evaluate(c, 0, 1);
    for (int half = 0; half < all; half += c->nx)
        for (int i = 0; i < c->n; i++)
            for (int d = c->body[i].known; d < c->body[i].nx; d++)
                at[n++] = half + c->body[i].at + d;
    for (int i = 0; i < n * n; i++)
        A[i] = c->J[at[i / n] * all + at[i % n]];
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
            keep(c, HERTZ, pair[k][0] / second);
            keep(c, GROWTH, pair[k][1]);
        }
}

static void start(chain *c)
{
    double **all[] = {&c->y, &c->x, &c->yd, &c->scale};
    for (size_t k = 0; k < sizeof all / sizeof *all; k++)
        *all[k] = array(2 * c->nx);
    c->J = array(4 * c->nx * c->nx);
    for (int i = 0; i < c->n; i++) {
        const body *j = c->body + i;
        const flex *b = &j->link;
        for (int k = 0; k < j->nx; k++) {
            const int angle = k < j->revolute;
            double *scale = c->scale + j->at + k;
            *scale = angle ? 1 : sqrt(b->I1 * dot(b->tip, b->tip));
            scale[c->nx] = *scale * (angle ? 1 : fmax(1, TURN * b->hz[k - j->revolute]));
        }
        for (int k = 0; k < 2 * j->revolute; k++)
            c->y[k * c->nx + j->at] = j->start[k];
    }
    evaluate(c, 0, 0);
    if (c->bend > 0)
        bend(c);
}

/* Small deformations end where a link bends by half its length: why, as far as it is known. */
static void check_bending(const chain *c, double t)
{
    for (int i = 0; i < c->n && program.lead == 6; i++) {
        const flex *b = &c->body[i].link;
        const body *s = c->body + i;
        double u[3] = {0};
        char why[300] = ", too far for shapes of small deformation";
        times_add(3, b->m, 1, b->rows + OF_F * b->m, s->q, u);
        const double percent = 100 * sqrt(dot(u, u) / dot(b->tip, b->tip));
        const double w = sqrt(dot(s->eta + 3, s->eta + 3)), first = b->hz[0] * TURN;
        if (percent >= 50 && w > first)
            snprintf(why, sizeof why,
                     ": it turns at %.4g rad/%s, above its first frequency with the hub held, %.4g "
                     "rad/%s. One linear body does not stiffen by turning: cut it into "
                     "substructures (links without axis)",
                     w, b->unit[2], first, b->unit[2]);
        if (percent >= 50)
            fail(NUMERICAL, c->file, "at t = %g link %d bends by %.0f %% of its length%s", t, i + 1,
                 percent, why);
    }
}

/* Places of all points; in the first frame the points and faces of all links, too. */
static void keep_frame(chain *c, double t)
{
    const long first = !c->set[FRAME].n;
    keep(c, FRAME, t);
    if (first)
        keep(c, OFFSET, 0);
    for (int i = 0; i < c->n; i++) {
        const flex *b = &c->body[i].link;
        const body *s = c->body + i;
        const double point = (double)c->set[ID].n, corner = (double)c->set[INDEX].n;
        for (int p = 0; p < 3 * b->np; p += 3) {
            double at[3], *x = more(c, PLACE, 3);
            copy(at, b->at + p, 3);
            times_add(3, b->m, 1, b->shape + p * b->m, s->q, at);
            copy(x, s->p, 3);
            times_add(3, 3, 1, s->R, at, x);
            if (first) {
                keep(c, ID, (double)c->set[ID].n + 1);
                copy(more(c, START, 3), x, 3);
            }
        }
        for (int k = 0; first && k < b->offset[b->nf]; k++)
            keep(c, INDEX, point + b->index[k]);
        for (int k = 0; first && k < b->nf; k++)
            keep(c, OFFSET, corner + b->offset[k + 1]);
    }
}

static void keep_row(chain *c, double t)
{
    check_bending(c, t);
    keep(c, TIME, t);
    energies(c, more(c, KINETIC, 1), more(c, POTENTIAL, 1));
    for (int i = 0; i < c->n; i++) {
        const body *j = c->body + i;
        const int own = j->nx - j->revolute;
        keep(c, THETA, j->revolute ? c->y[j->at] : 0);
        keep(c, RATE, j->rate);
        keep(c, TORQUE, j->tau);
        copy(more(c, TIP, 3), j->tip, 3);
        copy(more(c, COORD, own), c->y + j->at + j->revolute, own);
    }
}

/* Rows at each step of the output, frames spread over all the time. */
static void integrate(chain *c)
{
    const double rows = ceil(c->time / c->step - 1e-9);
    const double between = c->frames > 1 ? c->time / (c->frames - 1) : c->time;
    const long *kept = &c->set[TIME].n, *drawn = &c->set[FRAME].n;
    gsl_odeiv2_system sys = {rates, NULL, 2 * (size_t)c->nx, c};
    gsl_odeiv2_driver *d = NULL;
    double t = 0;
    int again = 1;
    gsl_set_error_handler_off();
    if (c->implicit == 0 && c->nx)
        d = gsl_odeiv2_driver_alloc_scaled_new(&sys, gsl_odeiv2_step_rk8pd, fmin(1e-4, c->step),
                                               c->rtol, c->rtol, 1, 0, c->scale);
    evaluate(c, 0, 0);
    keep_row(c, 0);
    if (c->frames > 0)
        keep_frame(c, 0);
    while (t < c->time) {
        const double row = (double)*kept < rows ? (double)*kept * c->step : c->time;
        const double frame = (double)*drawn < c->frames - 1 ? (double)*drawn * between : c->time;
        const double corner = next_corner(c, t, c->time), goal = fmin(fmin(row, frame), corner);
        const int apart = c->nx && goal - t > 1e-13 * goal; /* rows and corners may nearly meet */
        const int status = !apart ? 0
                           : d    ? gsl_odeiv2_driver_apply(d, &t, goal, c->y)
                                  : stiff_to(c, &t, goal, again);
        t = status ? t : goal;
        again = goal == corner;
        evaluate(c, t, 0);
        if (goal == row || status)
            keep_row(c, t); /* which may know why it fails */
        if (status)
            fail(NUMERICAL, c->file, "the integration stops at t = %g: %s", t,
                 gsl_strerror(status));
        if (goal == frame && (double)*drawn < c->frames)
            keep_frame(c, t);
        if (again && d)
            gsl_odeiv2_driver_reset(d);
    }
    if (d)
        gsl_odeiv2_driver_free(d);
}

int main(int argc, char **argv)
{
    static chain c;
    (void)argc;
    read_chain(&c, argv);
    start(&c);
    for (int k = 0; k < c.evaluate; k++)
        evaluate(&c, 0, 0);
    if (c.frequencies > 0)
        frequencies(&c);
    integrate(&c);
    write_run(&c);
    return 0;
}
