/* SPDX-License-Identifier: GPL-3.0-or-later */
/* run.h - a run: its options, its state, and what is kept of it for run.h5. */
#ifndef RUN_H
#define RUN_H
#include "sim.h"

typedef struct {
    const formulation *f;
    chain c;
    double rtol;
    int implicit, frames, frequencies, evaluate;
    double *y, *scale, *yd;    /* [x; x'] of size 2 nx, its sizes, its rates */
    double *x, *a, tau[NLINK]; /* y with the laws in it, accelerations, torques */
    int rows, nq, drawn, np;   /* of the output; coordinates, frames and points of all links */
    double *t, *kinetic, *potential;         /* [rows] */
    double *theta, *rate, *torque, *tip, *q; /* [rows, n] three times, [rows, n, 3], [rows, nq] */
    double *when, *place;                    /* [frames], [frames, np, 3] */
    double *hertz, *growth;                  /* [nfrequency] */
    int nfrequency;
} run;

/* y' and its Jacobian [2 nx, 2 nx]; p is the run. Not 0 where a mass matrix is not positive. */
int rates(double t, const double y[], double yd[], void *p);
int jacobian(double t, const double y[], double *J, double *dfdt, void *p);

/* Radau IIA: y from *t to goal; not 0 if it cannot. Restarted behind corners. */
typedef struct stiff stiff;
stiff *stiff_new(int n);
void stiff_restart(stiff *s);
int stiff_to(stiff *s, run *r, double *t, double goal, double *y);

/* run.h5 to standard output. */
void write_run(const run *r);
#endif
