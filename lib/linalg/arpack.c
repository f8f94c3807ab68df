/* SPDX-License-Identifier: GPL-3.0-or-later */
/* arpack.c - the reference eigensolver: ARPACK's implicitly restarted Lanczos method.
 *
 * Equations  S = K - sigma M, definite; X the vectors found before
 *   (EA.1) A v = theta v,  A = (I - X X'M) S^-1 M     symmetric in the inner product of M
 *   (EA.2) lambda = sigma + 1/theta                   the largest theta are the lowest lambda
 *   (EA.3) ||A v - theta v||_M <= tol |theta|         ARPACK's stop
 * Source   Lehoucq, Sorensen, Yang, ARPACK Users' Guide (1998), mode 3; Ericsson & Ruhe, Math.
 *          Comp. 35 (1980) 1251-1268 (EA.2); Nour-Omid, Parlett, Ericsson, Jensen, Math. Comp. 48
 *          (1987) 663-673 (singular M: a start vector in the range of S^-1 M)
 * Cost     about 2.5 want + 20 solves with one right-hand side; (N + M's entries) each;
 *          memory N (2 want + 5)
 */
#include "dense.h"
#include "factor.h"
#include "modes.h"
#include "sparse.h"
#include "sparse_ops.h"
#include "memory.h"
#include "status.h"
#include <arpack.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum {
    NCV_LEAST = 20,  /* Lanczos vectors: fewer converge slowly                       */
    RESTARTS = 3000, /* far above what a solvable problem takes (tens)               */
    NCV_MOST = 46000 /* ncv (ncv + 8) in 32 bits                                     */
};

typedef struct { /* ARPACK's reverse communication */
    fb_eigjob *j;
    int64_t N;
    fb_mat MX; /* M times the vectors found before */
    double *coef, *t;
    double *resid, *v, *workd, *workl;
    a_int *select;
    double *d;
    a_int nev, ncv, iparam[11], ipntr[14];
} lanczos;

void fb_eigjob_free(fb_eigjob *j)
{
    FB_FREE(j->lambda);
    fb_mat_free(&j->X);
    j->n = 0;
}

static void mass_times(const fb_csc *M, const double *x, double *y)
{
    memset(y, 0, sizeof *y * (size_t)M->n);
    fb_csc_mul(M, x, M->n, y, M->n, 1);
}

/* y := (I - X X'M) y, twice, because once leaves what round-off brought in. */
static fb_status deflate(lanczos *z, double *y, fb_err *e)
{
    const fb_mat *X = z->j->found;
    if (!X || X->n == 0)
        return FB_OK;
    fb_mat Y = {z->N, 1, y}, C = {X->n, 1, z->coef};
    for (int pass = 0; pass < 2; pass++) {
        FB_PASS(fb_gemm(1, 0, 1, &z->MX, &Y, 0, &C, e));
        FB_PASS(fb_gemm(0, 0, -1, X, &C, 1, &Y, e));
    }
    return FB_OK;
}

/* y = A x from Mx, (EA.1). */
static fb_status apply(lanczos *z, const double *Mx, double *y, fb_err *e)
{
    fb_mat Y = {z->N, 1, y};
    memmove(y, Mx, sizeof *y * (size_t)z->N);
    z->j->solves++;
    fb_status s = fb_factor_solve(z->j->F, &Y, e);
    return s ? s : deflate(z, y, e);
}

static fb_status lanczos_new(lanczos *z, fb_eigjob *j, int64_t ncv, fb_err *e)
{
    int64_t N = j->K->n, nx = j->found ? j->found->n : 0;
    z->j = j;
    z->N = N;
    z->nev = (a_int)j->want;
    z->ncv = (a_int)ncv;
    FB_PASS(fb_new(&z->v, N * ncv, sizeof(double), "Lanczos vectors", e));
    FB_PASS(FB_NEW(&z->resid, N, e));
    FB_PASS(FB_NEW(&z->workd, 3 * N, e));
    FB_PASS(FB_NEW(&z->workl, ncv * (ncv + 8), e));
    FB_PASS(FB_NEW(&z->t, N, e));
    FB_PASS(FB_NEW(&z->select, ncv, e));
    FB_PASS(FB_NEW(&z->d, ncv, e));
    if (nx > 0) {
        FB_PASS(FB_NEW(&z->coef, nx, e));
        FB_PASS(fb_mat_new(&z->MX, N, nx, e));
        FB_PASS(fb_csc_mul_many(j->M, j->found, &z->MX, e));
    }
    uint64_t state = fb_random_start(j->seed);
    fb_random_fill(&state, z->resid, N);
    return FB_OK;
}

static void lanczos_free(lanczos *z)
{
    fb_mat_free(&z->MX);
    FB_FREE(z->coef, z->t, z->resid, z->v, z->workd, z->workl, z->select, z->d);
}

/* ARPACK's codes as sentences; dsaupd and dseupd share most of them. */
static fb_status arpack_failure(const lanczos *z, const char *routine, a_int info, fb_err *e)
{
    const char *why;
    switch (info) {
    case 1:
        return fb_fail(e, FB_ESOLVE,
                       "ARPACK did not converge: %d of %d modes after %d restarts with %d vectors: "
                       "ask for more modes at once, or use --eigensolver dense",
                       z->iparam[4], z->nev, z->iparam[2], z->ncv);
    case 3:
        why = "it found no shifts for a restart: ask for fewer modes, or use the dense engine";
        break;
    case -8:
        why = "the tridiagonal eigenproblem did not converge: is the mass matrix semidefinite?";
        break;
    case -9:
        why = "the start vector is zero: no mode is left, or the mass matrix is";
        break;
    case -14:
        why = "no mode reached the accuracy asked for: loosen the tolerance";
        break;
    case -9999:
        why = "the Lanczos vectors ran out: the mass matrix has fewer independent rows than "
              "vectors wanted; ask for fewer modes, or use the dense engine";
        break;
    default: /* -1..-7, -10..-13, -15..-17: wrong arguments */
        why = "its arguments do not fit together";
    }
    return fb_fail(e, FB_ESOLVE,
                   "ARPACK's %s stopped on %lld equations, %d modes, %d vectors (code %d): %s",
                   routine, (long long)z->N, z->nev, z->ncv, info, why);
}

static fb_status iterate(lanczos *z, a_int *info, fb_err *e)
{
    a_int ido = 0;
    fb_status s = FB_OK;
    z->iparam[0] = 1; /* exact shifts */
    z->iparam[2] = RESTARTS;
    z->iparam[3] = 1;
    z->iparam[6] = 3; /* shift-invert, (EA.1) */
    *info = 1;        /* the start vector is ours */
    while (!s) {
        dsaupd_c(&ido, "G", (a_int)z->N, "LM", z->nev, z->j->tol, z->resid, z->ncv, z->v,
                 (a_int)z->N, z->iparam, z->ipntr, z->workd, z->workl, z->ncv * (z->ncv + 8), info);
        double *x = z->workd + z->ipntr[0] - 1, *y = z->workd + z->ipntr[1] - 1;
        if (ido == -1) {
            mass_times(z->j->M, x, z->t);
            s = apply(z, z->t, y, e);
        } else if (ido == 1) {
            s = apply(z, z->workd + z->ipntr[2] - 1, y, e);
        } else if (ido == 2) {
            mass_times(z->j->M, x, y);
        } else {
            break;
        }
    }
    return s;
}

typedef struct {
    double lambda;
    int64_t at;
} root;

static int by_lambda(const void *a, const void *b)
{
    const root *x = a, *y = b;
    if (x->lambda != y->lambda)
        return x->lambda < y->lambda ? -1 : 1;
    return (x->at > y->at) - (x->at < y->at);
}

/* Moves d and v into the job, ascending, with x'Mx = 1. */
static fb_status hand_over(lanczos *z, int64_t n, fb_err *e)
{
    root *order = NULL;
    double *lambda = NULL;
    fb_mat X = {0};
    fb_status s = FB_OK;
    FB_TRY(FB_NEW(&order, n, e));
    FB_TRY(FB_NEW(&lambda, n, e));
    FB_TRY(fb_mat_new(&X, z->N, n, e));
    for (int64_t k = 0; k < n; k++)
        order[k] = (root){z->d[k], k};
    qsort(order, (size_t)n, sizeof *order, by_lambda);
    for (int64_t k = 0; k < n; k++) {
        double *x = X.x + k * z->N, m = 0;
        lambda[k] = order[k].lambda;
        memcpy(x, z->v + order[k].at * z->N, sizeof *x * (size_t)z->N);
        FB_TRY(deflate(z, x, e));
        mass_times(z->j->M, x, z->t);
        for (int64_t i = 0; i < z->N; i++)
            m += x[i] * z->t[i];
        if (!(m > 0))
            FB_TRY(fb_fail(e, FB_ESOLVE,
                           "mode %lld has the modal mass %.3g: the mass matrix is not semidefinite",
                           (long long)k + 1, m));
        for (int64_t i = 0; i < z->N; i++)
            x[i] /= sqrt(m);
    }
    z->j->n = n;
    z->j->lambda = lambda;
    z->j->X = X;
    lambda = NULL;
    X = (fb_mat){0};
out:
    FB_FREE(order, lambda);
    fb_mat_free(&X);
    return s;
}

fb_status fb_eig_arpack(fb_eigjob *j, fb_err *e)
{
    lanczos z = {0};
    int64_t N = j->K->n;
    int64_t ncv = 2 * j->want + 1 < NCV_LEAST ? NCV_LEAST : 2 * j->want + 1;
    a_int info = 0;
    fb_status s = FB_OK;
    j->finite = -1;
    if (ncv > j->room)
        ncv = j->room;
    if (j->want >= ncv || ncv > NCV_MOST || N > INT32_MAX)
        return fb_fail(e, FB_ESOLVE,
                       "ARPACK cannot find %lld modes of %lld equations: use the dense engine or "
                       "ask for fewer",
                       (long long)j->want, (long long)N);
    FB_TRY(lanczos_new(&z, j, ncv, e));
    FB_TRY(deflate(&z, z.resid, e));
    FB_TRY(iterate(&z, &info, e));
    if (info != 0) {
        s = arpack_failure(&z, "dsaupd", info, e);
        goto out;
    }
    dseupd_c(1, "A", z.select, z.d, z.v, (a_int)N, j->sigma, "G", (a_int)N, "LM", z.nev, j->tol,
             z.resid, z.ncv, z.v, (a_int)N, z.iparam, z.ipntr, z.workd, z.workl,
             z.ncv * (z.ncv + 8), &info);
    if (info != 0)
        s = arpack_failure(&z, "dseupd", info, e);
    else
        s = hand_over(&z, z.iparam[4], e);
out:
    lanczos_free(&z);
    return s;
}
