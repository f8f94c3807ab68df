/* SPDX-License-Identifier: GPL-3.0-or-later */
/* factor_mumps.c - indefinite factors, and counts that are not sure: MUMPS.
 *
 * Equations  S = K - sigma M, symmetric; P a nested dissection order (order.c)
 *   (FA.2) P S P' = L D L'          indefinite; D with 1x1 and 2x2 blocks, chosen by size
 *   (FA.3) inertia(S) = inertia(D)  Sylvester; the negative ones are the roots of K x = lambda M x
 *                                   below sigma
 * Source  Amestoy, Duff, Koster, L'Excellent, SIAM J. Matrix Anal. Appl. 23 (2001) 15-41; Parlett,
 *         The Symmetric Eigenvalue Problem (1998), sec. 3.3 (inertia and counts)
 * Cost    about twice that of (FA.1)
 */
#include "blas.h"
#include "factor_engine.h"
#include "far.h"
#include "memory.h"
#include <dmumps_c.h>
#include <stdio.h>
#include <stdlib.h>

enum {
    SOLVE_BLOCK = 64, /* right-hand sides a call of MUMPS                                   */
    MUMPS_SLACK = 60, /* per cent of workspace above MUMPS' estimate, for delayed pivots    */
    MUMPS_TRIES = 4   /* the slack is doubled after each failure for lack of workspace      */
};

/* MPI_COMM_WORLD in MUMPS' words; a rank that works alone puts its own world here. */
int fb_mumps_world = -987654;

typedef struct {
    fb_factor base;
    DMUMPS_STRUC_C *mumps;
    fb_csc S; /* MUMPS borrows its values */
    int *irn, *jcn, *place;
} indefinite;

static fb_status mumps_failure(const indefinite *F, const char *what, fb_err *e)
{
    int code = F->mumps->infog[0], detail = F->mumps->infog[1];
    long long n = (long long)F->base.n;
    switch (code) {
    case -5:
    case -7:
    case -13:
    case -22:
        return fb_fail(e, FB_ESYS,
                       "out of memory while %s %lld equations with MUMPS (code %d, detail %d)",
                       what, n, code, detail);
    case -8:
    case -9:
    case -17:
    case -19:
    case -20:
        return fb_fail(e, FB_ESYS,
                       "MUMPS' workspace is too small while %s %lld equations, even with %d per "
                       "cent more than forecast (code %d): too many pivots are delayed",
                       what, n, F->mumps->icntl[13], code);
    case -6:
    case -10:
        return fb_fail(e, FB_ESOLVE,
                       "the matrix of %lld equations is singular: MUMPS finds rank %d", n, detail);
    case -51:
    case -52:
    case -53:
        return fb_fail(e, FB_ESOLVE, "the graph of %lld equations is beyond MUMPS' 32-bit integers",
                       n);
    default:
        return fb_fail(e, FB_ESOLVE, "MUMPS failed while %s %lld equations (code %d, detail %d)",
                       what, n, code, detail);
    }
}

static fb_status mumps_run(indefinite *F, int job, const char *what, fb_err *e)
{
    int threads = fb_blas_threads(job == 2 ? fb_threads() : 1);
    F->mumps->job = job;
    dmumps_c(F->mumps);
    fb_blas_threads(threads);
    return F->mumps->infog[0] < 0 ? mumps_failure(F, what, e) : FB_OK;
}

/* The coordinates of S and the order, 1-based and 32-bit. */
static fb_status mumps_input(indefinite *F, const int64_t *node, fb_err *e)
{
    const fb_csc *S = &F->S;
    int64_t n = S->n, nnz = S->p[n], *perm = NULL;
    fb_status s = FB_OK;
    if (n > INT32_MAX)
        FB_TRY(fb_fail(e, FB_ESOLVE, "%lld equations are beyond MUMPS' 32-bit integers",
                       (long long)n));
    FB_TRY(fb_new(&F->irn, nnz, sizeof(int), "row indices", e));
    FB_TRY(fb_new(&F->jcn, nnz, sizeof(int), "column indices", e));
    FB_TRY(fb_new(&F->place, n, sizeof(int), "order", e));
    FB_TRY(FB_NEW(&perm, n, e));
    FB_TRY(fb_order(S, node, perm, e));
    for (int64_t j = 0; j < n; j++) {
        F->place[perm[j]] = (int)(j + 1);
        for (int64_t q = S->p[j]; q < S->p[j + 1]; q++) {
            F->irn[q] = (int)(S->i[q] + 1);
            F->jcn[q] = (int)(j + 1);
        }
    }
out:
    free(perm);
    return s;
}

/* ICNTL(k) = value, in MUMPS' numbers. */
static void set(DMUMPS_STRUC_C *d, int k, int value)
{
    d->icntl[k - 1] = value;
}

static fb_status mumps_open(indefinite *F, int keep, fb_err *e)
{
    fb_status s = fb_new(&F->mumps, 1, sizeof *F->mumps, "MUMPS", e);
    if (s)
        return s;
    DMUMPS_STRUC_C *d = F->mumps;
    d->par = 1;
    d->sym = 2; /* general symmetric: 2x2 pivots */
    d->comm_fortran = fb_mumps_world;
    s = mumps_run(F, -1, "starting", e);
    if (s)
        return s;
    set(d, 1, -1); /* says nothing                          */
    set(d, 2, -1);
    set(d, 3, -1);
    set(d, 4, 0);
    set(d, 6, 0);  /* no column exchange: it would undo     */
    set(d, 7, 1);  /* the order that we give                */
    set(d, 12, 1); /* of single dofs, not of 2x2 pairs      */
    set(d, 13, 1); /* no ScaLAPACK at the root: INFOG(12)   */
    set(d, 14, MUMPS_SLACK);
    set(d, 24, 1);            /* counts null pivots, goes on           */
    set(d, 31, keep ? 0 : 1); /* 1: entries of the factor are dropped */
    d->n = (int)F->base.n;
    d->nnz = F->S.p[F->base.n];
    d->irn = F->irn;
    d->jcn = F->jcn;
    d->a = F->S.x;
    d->perm_in = F->place;
    return FB_OK;
}

static fb_status mumps_factorise(indefinite *F, const fb_factor_opts *opts, fb_err *e)
{
    DMUMPS_STRUC_C *d = F->mumps;
    fb_status s = mumps_run(F, 1, "analysing", e);
    if (s)
        return s;
    double nnz = d->infog[2] < 0 ? -1e6 * d->infog[2] : d->infog[2]; /* negative: millions */
    F->base.forecast = (fb_forecast){.nnz = nnz,
                                     .flops = d->rinfog[0],
                                     .gib = d->infog[15] * 1e6 / (1024. * 1024 * 1024),
                                     .limit = fb_factor_limit(opts)};
    s = fb_factor_fits(&F->base.forecast, F->base.n, "the indefinite factor", e);
    for (int try = 0; !s && try < MUMPS_TRIES; try++) {
        s = mumps_run(F, 2, "factorising", e);
        int code = d->infog[0];
        if (code != -8 && code != -9)
            break;
        d->icntl[13] *= 2;
        if (try + 1 < MUMPS_TRIES)
            s = FB_OK;
    }
    if (!s)
        F->base.inertia = (fb_inertia_count){.negative = d->infog[11], .zero = d->infog[27]};
    return s;
}

static fb_status factorise(fb_factor **out, const fb_csc *K, const fb_csc *M, double sigma,
                           int keep, const fb_factor_opts *opts, fb_err *e)
{
    int own = 0;
    fb_factor *base = NULL;
    fb_status s = fb_factor_alloc(&base, sizeof(indefinite), &fb_factor_mumps, K->n, e);
    if (s)
        return s;
    indefinite *F = (indefinite *)base;
    FB_TRY(fb_factor_shifted(K, M, sigma, &F->S, &own, e));
    if (base->n > 0) {
        FB_TRY(mumps_input(F, opts ? opts->node : NULL, e));
        FB_TRY(mumps_open(F, keep, e));
        FB_TRY(mumps_factorise(F, opts, e));
    }
    *out = base;
    base = NULL;
out:
    if (!own)
        F->S = (fb_csc){0};
    fb_factor_free(base);
    return s;
}

fb_status fb_factor_indefinite(fb_factor **F, const fb_csc *K, const fb_csc *M, double sigma,
                               const fb_factor_opts *opts, fb_err *e)
{
    fb_factor *G = NULL;
    fb_status s = FB_OK;
    if (fb_is_far(K->p)) {
        s = fb_far->analyse(&G, K, M, 0, opts, e);
        if (!s && (s = fb_far->numeric(G, sigma, NULL, e)) != FB_OK)
            fb_factor_free(G);
    } else {
        s = factorise(&G, K, M, sigma, 1, opts, e);
    }
    if (s)
        return s;
    if (G->inertia.zero > 0) {
        s = fb_fail(e, FB_ESOLVE,
                    "the matrix K - (%.6g) M of %lld equations is singular: %lld pivots are zero: "
                    "a part or a mechanism that is not held, or dependent constraints",
                    sigma, (long long)G->n, (long long)G->inertia.zero);
        fb_factor_free(G);
        return s;
    }
    *F = G;
    return FB_OK;
}

fb_status fb_inertia(const fb_csc *K, const fb_csc *M, double sigma, const fb_factor_opts *opts,
                     fb_inertia_count *count, fb_err *e)
{
    fb_factor *F = NULL;
    if (fb_is_far(K->p))
        return fb_far->inertia(K, M, sigma, opts, count, e);
    FB_PASS(factorise(&F, K, M, sigma, 0, opts, e));
    *count = F->inertia;
    fb_factor_free(F);
    return FB_OK;
}

static fb_status solve(fb_factor *base, int halves, fb_mat *X, fb_err *e)
{
    indefinite *F = (indefinite *)base;
    fb_status s = FB_OK;
    (void)halves; /* there are none */
    for (int64_t j = 0; !s && j < X->n; j += SOLVE_BLOCK) {
        F->mumps->nrhs = (int)(X->n - j < SOLVE_BLOCK ? X->n - j : SOLVE_BLOCK);
        F->mumps->lrhs = (int)X->m;
        F->mumps->rhs = X->x + j * X->m;
        s = mumps_run(F, 3, "solving for", e);
    }
    return s;
}

static void version(char *out, size_t n)
{
    snprintf(out, n, "MUMPS %s", MUMPS_VERSION);
}

static void release(fb_factor *F)
{
    indefinite *f = (indefinite *)F;
    if (f->mumps) {
        f->mumps->job = -2;
        dmumps_c(f->mumps);
        free(f->mumps);
    }
    FB_FREE(f->irn, f->jcn, f->place);
    fb_csc_free(&f->S);
}

const fb_factor_engine fb_factor_mumps = {.solve = solve, .free = release, .version = version};
