/* SPDX-License-Identifier: GPL-3.0-or-later */
/* sim.h - serial chains of flexible links, each known by its link record alone.
 *
 * link.c      reads a record and prepares it: hub at the origin, hub held, eigenvectors kept
 * block.c     one link: mass matrix and velocity forces in the floating frame
 * chain.c     reads a chain file; kinematics, loads, energy
 * ffr.c, erls.c, denoc.c   a formulation each: the accelerations of a chain
 * run.c       integrates and writes run.h5
 *
 * Symbols     those of flexbody(5) and flexbody(7): I1..I9, K, D, S, Shat; q coordinates of a link, x
 *             all of a chain: of each link its joint's angle (none where rigid), then its q
 * Layout      arrays in C order; 3 x 3 matrices are double[9]; m coordinates a link, x~ the cross
 *             product with x
 * Numbers     equations (1)..(33) are numbered alike in all files
 * Sources     B. Scaglioni, PhD thesis, Politecnico di Milano 2016 (ffr); R. Vidoni et al. and
 *             L. Scalera, PhD thesis, University of Udine 2018 (erls); A. Mohan and S. K. Saha (denoc)
 */
#ifndef SIM_H
#define SIM_H
#include <stddef.h>

enum { NLINK = 50, NMODE = 40, NCOORD = NMODE + 6, NDOF = NLINK * (1 + NMODE) };

/* ---- a link -------------------------------------------------------------------------------- */

typedef struct { /* what is drawn of a link: points, and faces of them as positions in `index` */
    int np, nf, *offset, *index;
    double *at, *shape; /* [np,3] from the hub, [np,3,m] */
} picture;

typedef struct {
    const char *file, *unit[4];    /* names of the units of mass, length, time, force */
    double si[4];                  /* and their factors to SI */
    int m;                         /* coordinates */
    double I1, I2[3], I7[9];       /* about the hub */
    double *I3, *I4, *I5, *I6;     /* [3,m] [3,m] [m,3,m] [m,m] */
    double *I8, *I9;               /* [m,9]; [m,9,m]: I9_kj of flexbody(5) is I9[k,:,j] here */
    double *K, *D;                 /* [m,m] */
    double tip[3], *S, *Shat, *hz; /* u_o - u_h; rows of the tip [3,m]; frequencies of q */
    picture picture;
} flex;

/* Reads a record: `modes` lowest modes with the hub held (all: < 0); with six rigid coordinates
 * before them where `rigid` is set. K is multiplied by `stiffer`. */
void read_link(flex *b, const char *file, long hub, long tip, int modes, double stiffer, int rigid);

/* (1): Mass [6+m,6+m] and h - [0; 0; K q + D q'] [6+m] of a link that turns by w. */
void block(const flex *b, const double w[3], const double *q, const double *qd, double *Mass,
           double *h);

/* ---- a chain ------------------------------------------------------------------------------- */

typedef struct { /* a law of time: straight lines or a spline between values, or a formula */
    enum { NO_LAW, TABLE, SPLINE, SPINUP, RAMP } kind;
    int n;
    double *t, *value, a, T, turns;
    void *spline;
} curve;

typedef struct { /* a link and the joint before it */
    flex link;
    long hub, tip;
    int modes, revolute;
    double axis[3], B[9], stiffer;        /* hinge axis; its axes in those of the tip before it */
    curve drive, torque;                  /* angle; moment about the axis */
    double force[3], along[3], spring[2]; /* at the tip, world: force; stiffness, damping along */
    double angle, rate;                   /* at the start */
    int at, nx;                           /* its part of x: the angle first, if revolute */
} joint;

typedef struct {                   /* where a link is, and the way to the next one */
    double R[9], p[3], v[3], w[3]; /* axes and place of the hub, world; velocities, own axes */
    double q[NCOORD], qd[NCOORD];  /* coordinates of the link: erls has six rigid ones first */
    double r[3], Ts[3 * NCOORD];   /* (14) hub to tip; Tphi Shat [3,m] */
    double C[9];                   /* axes of the next link in own axes */
    double c[6];                   /* velocity terms of [a; w'], own axes */
} pose;

typedef struct {
    const char *file;
    int n, nx, printed; /* links, length of x; E + phi~ for exp(phi~), as printed */
    int bend;           /* start under gravity with all hinges held */
    int hold;           /* hold all hinges */
    double gravity[3], time, step;
    joint *joint;
    pose *pose;
} chain;

void read_chain(chain *c, const char *file, int rigid);
/* The next time after t at which a table has a corner; `end` if none has. */
double next_corner(const chain *c, double t, double end);
/* Angle, rate and acceleration of a driven or held joint; 0 if it is neither. */
int driven(const chain *c, const joint *j, double t, double value[3]);
double torque_at(const joint *j, double t);
/* [Mass, h] of (1) with the loads at the tip. */
void loaded_block(const chain *c, int i, double *Mass, double *h);
void tip_of(const chain *c, int i, double p[3], double v[3]);
double kinetic_energy(const chain *c), potential_energy(const chain *c);
/* (14), (16) of all links: the kinematics of ffr and denoc. */
void floating_frames(chain *c, double t, const double *x, const double *v);
/* M a = f [+ tau], the accelerations of driven joints known, their torques wanted; not 0 where M is
 * not positive. Both M and f are used up. */
int solve(const chain *c, double t, double *M, double *f, double *a, double *tau);

/* ---- a formulation ------------------------------------------------------------------------- */

typedef struct {
    const char *name, *what;
    int rigid; /* wants six rigid coordinates in each link */
    void (*place)(chain *c, double t, const double *x, const double *v);
    /* Accelerations a and torques tau [links] in the state x, v, whose poses it sets; not 0 where
     * a mass matrix is not positive. */
    int (*accelerate)(chain *c, double t, const double *x, const double *v, double *a, double *tau);
} formulation;

int simulate(const formulation *f, int argc, char **argv);

/* ---- three-vectors, matrices, errors ------------------------------------------------------- */

enum { USAGE = 2, INPUT = 3, NUMERICAL = 4, SYSTEM = 5 };
void fail(int status, const char *format, ...) __attribute__((noreturn, format(printf, 2, 3)));
void *array(size_t n, size_t size);
double dot(const double a[3], const double b[3]);
void cross(const double a[3], const double b[3], double c[3]);               /* c = a~ b */
void cross_add(double f, const double a[3], const double b[3], double c[3]); /* c += f a~ b */
void skew(const double a[3], double A[9]);
void turn(const double R[9], const double a[3], double b[3]);      /* b = R a */
void turn_back(const double R[9], const double a[3], double b[3]); /* b = R' a */
void mul(const double A[9], const double B[9], double C[9]);       /* C = A B */
void rotation(const double phi[3], double R[9]);                   /* exp(phi~) */
/* b = A x, of A [3,m]; b += f A x */
void times(const double *A, const double *x, int m, double b[3]);
void times_add(double f, const double *A, const double *x, int m, double b[3]);
/* C [n,p] = A' B with A [k,n], B [k,p]; add: C += */
void product(int n, int p, int k, const double *A, const double *B, double *C, int add);

/* ---- LAPACK and BLAS ----------------------------------------------------------------------- */

void dsygv_(int *, const char *, const char *, int *, double *, int *, double *, int *, double *,
            double *, int *, int *);
void dsyev_(const char *, const char *, int *, double *, int *, double *, double *, int *, int *);
void dgeev_(const char *, const char *, int *, double *, int *, double *, double *, double *, int *,
            double *, int *, double *, int *, int *);
void dgesvd_(const char *, const char *, int *, int *, double *, int *, double *, double *, int *,
             double *, int *, double *, int *, int *);
void dgesv_(int *, int *, double *, int *, int *, double *, int *, int *);
void dgetrf_(int *, int *, double *, int *, int *, int *);
void dgetrs_(const char *, int *, int *, const double *, int *, const int *, double *, int *,
             int *);
void zgetrf_(int *, int *, double _Complex *, int *, int *, int *);
void zgetrs_(const char *, int *, int *, const double _Complex *, int *, const int *,
             double _Complex *, int *, int *);
void dposv_(const char *, int *, int *, double *, int *, double *, int *, int *);
void dpotrs_(const char *, int *, int *, const double *, int *, double *, int *, int *);
void dgemm_(const char *, const char *, int *, int *, int *, double *, const double *, int *,
            const double *, int *, double *, double *, int *);
#endif
