/* SPDX-License-Identifier: GPL-3.0-or-later */
/* sim.h - serial chains of flexible links, each known by its link record alone.
 *
 * Files       README.md
 * Symbols     those of flexbody(5) and flexbody(7): I1..I9, K, D, S, Shat; q coordinates of a link,
 *             x all of a chain: of each link its joint's angle (none where rigid), then its q
 * Layout      arrays in C order; 3 x 3 matrices are double[9]; m coordinates a link, x~ the cross
 *             product with x
 * Memory      what `array` gives lives as long as the program
 * Numbers     equations (1)..(37) are numbered alike in all files
 * Sources     B. Scaglioni, PhD thesis, Politecnico di Milano 2016 (ffr); R. Vidoni et al. and
 *             L. Scalera, PhD thesis, University of Udine 2018 (erls); A. Mohan and S. K. Saha
 *             (denoc)
 */
#ifndef SIM_H
#define SIM_H
#include <stddef.h>

enum { NLINK = 50, NMODE = 40, NCOORD = NMODE + 6, NROW = 6 + NCOORD, NDOF = NLINK * (1 + NMODE) };

/* ---- a link -------------------------------------------------------------------------------- */

/* Rows of a link, and loads of U: accelerations a (forces m a) and r (m r x u), W (m (tr W u -
 * W u)), and a force and a moment at the tip. */
enum { OF_A = 0, OF_R = 3, OF_W = 6, OF_F = 15, OF_T = 18, NUNIT = 21 };

typedef struct {
    const char *file;
    char *unit[4];           /* names of the units of mass, length, time, force */
    double si[4];            /* and their factors to SI */
    int m;                   /* coordinates */
    double I1, I2[3], I7[9]; /* about the hub */
    double *rows;            /* [NUNIT,m]: I3, I4, zeros, S and Shat of the tip */
    double *I5, *I6;         /* [m,3,m] [m,m] */
    double *I8, *I9;         /* [m,9]; [m,9,m]: I9_kj of flexbody(5) is I9[k,:,j] here */
    double *K, *D;           /* [m,m] */
    double *U;               /* [m,NUNIT,m] geometric stiffness per unit of load; or NULL */
    double tip[3], *hz;      /* u_o - u_h; frequencies of q */
    int np, nf;              /* what is drawn: points [np,3] from the hub, their shapes */
    double *at, *shape;      /* [np,3,m], */
    double *offset, *index;  /* faces [nf + 1] of them as positions in index */
} flex;

/* ---- a chain ------------------------------------------------------------------------------- */

typedef struct { /* a law of time: straight lines or a spline between values, or a formula */
    enum { NO_LAW, TABLE, SPLINE, SPINUP, RAMP } kind;
    int n;
    double *t, *value, a, T, turns;
    void *spline;
} curve;

/* A link, the joint before it, where it is, and how it moves with the one before:
 *   (27) eta_i = A_i eta_i-1 + P_i theta',  eta_i' = A_i eta_i-1' + P_i theta'' + c_i
 * eta = [v; w; q'] in own axes. A, P, c have `lead` rows: 6, or 12 where six of q are those of
 * the link before, too (erls). c holds gravity at link 1, and P theta'' of a known angle. */
typedef struct {
    flex link;
    double hub, end, modes, stiffer; /* nodes of hub and tip; modes kept; factor of K */
    double axis[3], B[9];       /* hinge axis, 0 where rigid; its axes in those of the tip before */
    curve drive, torque;        /* angle; moment about the axis */
    double force[3], spring[5]; /* at the tip, world: force; direction, stiffness, damping */
    double start[2];            /* angle, rate */
    int revolute, at, nx;       /* its part of x: the angle first, if revolute */

    double R[9], p[3], C[9];           /* axes and place of the hub, world; axes in those of i-1 */
    double q[NCOORD], eta[NROW];       /* coordinates */
    double P[12], c[12], rate, law[3]; /* theta'; theta and rates where known */
    int known;                         /* by a law, or held */
    double A[12 * NROW];               /* [lead, 6 + m of link i-1] */
    double tau;                        /* given, or where theta is known: (23) */
    double r[3], tip[3], u[NUNIT];     /* (14) hub to tip; the tip, world; (24) rows times q, */
    double rows[NUNIT * NCOORD], slope[NUNIT * NCOORD]; /* at q, and their rates */
    double Mass[NROW * NROW], h[NROW]; /* (1) [6+m,6+m] and h - [0; 0; K q + D q'] [6+m] */
} body;

enum { TIME, THETA, RATE, TORQUE, TIP, COORD, KINETIC, POTENTIAL, HERTZ, GROWTH };
enum { FRAME = GROWTH + 1, PLACE, ID, START, OFFSET, INDEX, NSET };

typedef struct {
    const char *file;
    int n, nx, hold;                             /* links, length of x; all hinges held */
    double bend, printed, implicit, frequencies; /* not 0: start under gravity; options */
    double time, step, rtol, frames, evaluate, gravity[3];
    body *body;
    double *y, *x;          /* [x; x'] of size 2 nx, and with the laws in it */
    double *scale, *yd, *J; /* its sizes; y', its Jacobian by columns */
    struct {
        long n;
        double *x;
    } set[NSET]; /* datasets of run.h5: numbers so far */
} chain;

typedef struct {
    const char *name, *what;
    int lead;
    /* (27) of a link whose q, C and P's axis are known, by joined() */
    void (*link)(chain *c, int i);
    /* x'' in the poses, and tau of known angles; not 0: a mass is not positive */
    int (*accelerate)(chain *c, double *a);
} formulation;
extern const formulation program; /* of this program */

/* Reads the record of a link: `modes` lowest modes with the hub held (all: < 0), behind `rigid`, 0
 * or 6, rigid coordinates. K is multiplied by `stiffer`. */
void read_link(body *s, int rigid);
/* (1), (14), (24) of a link from its q and eta. */
void block(body *s);

/* The chain file of the command line, and its options. */
void read_chain(chain *c, char **argv);
/* The next time after t at which a table has a corner; `end` if none has. */
double next_corner(const chain *c, double t, double end);
/* All links at x = [x; x'], where known angles are put in. */
void place(chain *c, double t, double *x);
/* A, R, p, eta and c of link i: its hub is r off the one before, and what is not linear in rates is
 * bias [6] there. A is C' X, X [lead, 6 + m]: its columns of q are the formulation's. */
void joined(chain *c, int i, const double r[3], const double bias[6], double *X);
void floating_link(chain *c, int i);
int closed_form(chain *c, double *a);
void energies(const chain *c, double *kinetic, double *potential);

/* ---- a run --------------------------------------------------------------------------------- */

/* y' by a chain, and J at its y. Not 0 where a mass matrix is not positive. */
int rates(double t, const double y[], double yd[], void *c);
int jacobian(chain *c, double t);
/* Radau IIA: y from *t to goal; not 0 if it cannot. `again` behind corners. */
int stiff_to(chain *c, double *t, double goal, int again);
/* run.h5 to standard output. */
void write_run(const chain *c);

/* ---- vectors, matrices, errors (small.c) --------------------------------------------------- */

enum { USAGE = 2, INPUT = 3, NUMERICAL = 4, SYSTEM = 5 };
/* Ends the program and says what is wrong, where (or NULL). */
void fail(int status, const char *where, const char *format, ...)
    __attribute__((noreturn, format(printf, 3, 4)));
void *array(long n); /* zeros, room for n numbers */
void copy(double *to, const double *from, int n);
double dot(const double a[3], const double b[3]);
void cross_add(double f, const double a[3], const double b[3], double c[3]); /* c += f a~ b */
void skew(const double a[3], double A[9]);
void rotation(const double phi[3], double R[9]); /* exp(phi~) */
/* C [n,p] = f A B + g C, of A [n,k], B [k,p]; stored transposed where `how` has a T for an N. */
void gemm(const char *how, int n, int p, int k, double f, const double *A, const double *B,
          double g, double *C);
/* b [n] += f A x, of A [n,m] */
void times_add(int n, int m, double f, const double *A, const double *x, double *b);
/* b = R a, or R' a if `back`; C = A B; all 3 x 3 */
void turn(const double R[9], int back, const double a[3], double b[3]);
void mul(const double A[9], const double B[9], double C[9]);
/* LAPACK; not 0 where it fails. Columns of B are vectors in memory. */
/* A becomes its factors. 'L': B = A'^-1 B; 'P': of a positive A; 'F': with the factor of 'P' */
int solve(char how, int n, int p, double *A, double *B);
/* A v = lambda B v: A becomes its vectors, a row each, ascending; B positive, and used up. */
int eigen(int n, double *A, double *B, double *lambda);
#endif
