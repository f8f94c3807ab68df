/* SPDX-License-Identifier: GPL-3.0-or-later */
/* modes.h - modes of sparse models (modes.c and the engines: arpack.c, eig_dense.c, lanczos.c). */
#ifndef FB_MODES_H
#define FB_MODES_H
#include "dense.h"
#include "factor.h"
#include "sparse.h"
#include "status.h"
#include <stdint.h>

/* What an engine is given and what it returns: the roots of K x = lambda M x nearest above sigma,
 * from F, a factor of K - sigma M; K, M symmetric, M semidefinite. */
typedef struct {
    const fb_csc *K, *M;
    fb_factor *F;
    double sigma;
    int64_t want;        /* roots wanted                                               */
    int64_t room;        /* roots there may be: dofs with mass, less those found       */
    int64_t multipliers; /* constraint rows in K: so many dofs with mass may be held */
    double tol;          /* of the residual, relative to 1/(lambda - sigma)            */
    uint64_t seed;       /* of the start vector                                        */
    fb_log *log;         /* is told how many are found; NULL: nobody is                */
    const fb_mat *found; /* M-orthonormal vectors to stay orthogonal to; NULL: none    */
    int64_t n;           /* out: roots found; fewer than wanted where there are no more */
    int64_t finite;      /* out: roots that the model has; -1: not known                */
    double *lambda;      /* out: [n] ascending                                         */
    fb_mat X;            /* out: [N x n], X'MX = I                                     */
    int64_t solves;      /* out: vectors solved for                                    */
} fb_eigjob;

typedef struct {
    const char *name;
    fb_status (*lowest)(fb_eigjob *j, fb_err *e);
    /* Doubles that it takes beside the factor: n equations, nf dofs with mass, `found` modes there;
     * NULL: not known. */
    double (*words)(int64_t n, int64_t nf, int64_t want, int64_t found);
    int definite; /* 1: it takes half solves, so no multipliers */
} fb_eigengine;

fb_status fb_eig_lanczos(fb_eigjob *j,
                         fb_err *e) FB_CHECKED; /* block Lanczos, the fast one        */
double fb_eig_lanczos_words(int64_t n, int64_t nf, int64_t want, int64_t found);
fb_status fb_eig_arpack(fb_eigjob *j,
                        fb_err *e) FB_CHECKED; /* Lanczos, one vector: the reference */
fb_status fb_eig_explicit(fb_eigjob *j,
                          fb_err *e) FB_CHECKED; /* all roots, by a dense matrix      */
void fb_eigjob_free(fb_eigjob *j);               /* the outputs                       */

typedef struct {
    int64_t k;               /* the k lowest modes; 0: all up to fmax                   */
    double fmax;             /* Hz, no mode above; 0: no bound                          */
    double time;             /* seconds in the unit of time of K; 0: 1                  */
    double tol;              /* as of fb_eigjob; 0: chosen by modes.c                   */
    double sigma;            /* shift, below every root; 0: chosen by the model         */
    const char *engine;      /* "auto" (NULL), "lanczos", "arpack", "dense"             */
    const fb_eigengine *own; /* an engine of the caller's; NULL: by name                */
    int no_sturm;            /* 1: the count of the modes is not checked                */
    int64_t multipliers;     /* constraint rows in K: it is indefinite, by so many roots */
    int64_t *column;   /* out: equation where a definite factor failed, else -1; may be NULL */
    fb_factor **ready; /* a factor of K, analysed with M's pattern too: taken, its shift 0 is
                                 * used; NULL: none                                        */
    fb_factor_opts factor;
} fb_eig_opts;

typedef struct {
    int64_t n;            /* modes                                                           */
    double *lambda;       /* [n] rad^2/time^2, ascending                                     */
    fb_mat X;             /* [N x n] X'MX = I; the largest entry of each column is positive  */
    double *residual;     /* [n] ||K x - lambda M x|| / (||K|| ||x||)                        */
    double orthogonality; /* largest entry of |X'MX - I|                                   */
    int64_t nnegative;    /* the lowest: roots below zero by more than round-off             */
    int64_t nrigid;  /* those behind them, whose strain energy is lost in round-off: lambda is 0 */
    int64_t nfinite; /* modes that the model has; -1: not known                         */
    int64_t sturm;   /* roots below sturm_shift by inertia; -1: not checked             */
    double sturm_shift;
    int64_t missed;          /* modes that the engine had missed and the check brought back     */
    double sigma;            /* the shift used                                                  */
    double cluster_tol;      /* roots nearer than this, relative, are kept together             */
    int64_t solves, factors; /* vectors solved for; factorisations                          */
    struct {
        double factor, engine, count; /* for -v alone: files hold no times */
    } seconds;
    const char *engine;
    char text[6][256]; /* sentences for /history and -v */
    int ntext;
} fb_eig;

/* FB_EUSAGE where no engine has the name. */
fb_status fb_eigensolver_check(const char *name, fb_err *e) FB_CHECKED;
/* The lowest modes of K x = lambda M x. K, M upper; massless dofs allowed: their infinite modes are
 * not modes. A group of equal roots at the cut is taken whole, and no root is lost in silence. */
fb_status fb_eig_sparse(const fb_csc *K, const fb_csc *M, const fb_eig_opts *opts, fb_eig *r,
                        fb_err *e) FB_CHECKED;
void fb_eig_free(fb_eig *r);
/* 64 eps sum rowsum_i x_i^2 with the balanced sums of the rows of K: round-off in x'Kx. */
double fb_strain_noise(const double *rowsum, const double *x, int64_t n);
#endif
