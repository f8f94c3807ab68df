/* SPDX-License-Identifier: GPL-3.0-or-later */
/* modes.c - the lowest modes of a sparse model: shift, engine, groups at the cut, and the count.
 *
 * Equations  K, M symmetric, M semidefinite; q(x) = sum r_i x_i^2, r_i = sum_j |K_ij|
 *            sqrt(K_ii/K_jj): not below sum |x_i||K_ij||x_j|, and free of units
 *   (MO.1) K x_j = lambda_j M x_j,  x_i'M x_j = delta_ij,  lambda ascending
 *   (MO.2) sigma = -c median(K_jj/M_jj) over the dofs with mass: below every root, of a free body
 *          too
 *   (MO.3) noise_j = 64 eps q(x_j): round-off in x_j'K x_j; |lambda_j| below it: a rigid mode
 *   (MO.4) lambda_j, lambda_j+1 belong to one group: they differ by less than 1e-6 of their size,
 *          or by less than 8 noise
 *   (MO.5) number of roots below s = negative eigenvalues of K - s M, less the multipliers
 *   (MO.6) residual_j = ||K x_j - lambda_j M x_j||_2 / (||K||_1 ||x_j||_2)
 *   (MO.7) lambda_j := x_j'(K x_j) / x_j'M x_j, K x_j summed in twice the digits and rounded once:
 *          right to the square of the error of x_j, where eps ||K|| / lambda_j of round-off is in
 *          the engine's root
 * Source   Ericsson & Ruhe, Math. Comp. 35 (1980) 1251-1268; Parlett, The Symmetric Eigenvalue
 *          Problem (1998), sec. 3.3; Grimes, Lewis, Simon, SIAM J. Matrix Anal. Appl. 15 (1994)
 *          228-272 (shifts, deflation and counts in practice)
 * Cost     one factor of K - sigma M, the engine, one indefinite factor for the count
 * Laws     tests/prop/test_eig.c
 */
#include "dense.h"
#include "factor.h"
#include "far.h"
#include "modes.h"
#include "sparse.h"
#include "sparse_ops.h"
#include "memory.h"
#include "status.h"
#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

double fb_strain_noise(const double *rowsum, const double *x, int64_t n)
{
    double q = 0;
    for (int64_t j = 0; j < n; j++)
        q += rowsum[j] * x[j] * x[j];
    return 64 * DBL_EPSILON * q;
}

enum {
    DENSE_BELOW = 500, /* dofs with mass: a dense matrix is quicker than Lanczos                  */
    DENSE_SHARE = 4,   /* so it is when more than a quarter of all modes are wanted               */
    EXTRA = 2,         /* roots beyond those asked for, to see where a group at the cut ends      */
    ROUNDS = 12,       /* searches for missed modes before giving up                              */
    LOWEST = 8,        /* roots refined together                                                */
    SHIFTS = 4,        /* places tried for a count                                                */
    LOWER = 7,         /* times that a shift is lowered by 100 below negative roots               */
    DENSE_MOST =
        4000,        /* dofs with mass that the dense engine takes over where Lanczos fails      */
    FIRST_GUESS = 16 /* modes for fmax when nothing counts them beforehand                      */
};

static const double PI = 3.14159265358979323846;
static const double TOL = 1e-9;   /* of Lanczos, relative to 1/(lambda - sigma): it leaves 1e-12 to
                                        * 1e-10 of (MO.6), and the roots are exact to round-off, for
                                        * their error is its square (measured)                    */
static const double GROUP = 1e-6; /* (MO.4)                                                  */
static const double SHIFT = 1e-6; /* (MO.2): 1e10 above round-off; 1e-4 to 1e-2 of a stout
                                        * solid's first elastic root (measured)                   */
static const double NEAREST = 1e-7;  /* a shift nearer to zero, of the top root, drowns that     */
static const double ENOUGH = 1e-11;  /* (MO.7) changes less: so it does of the roots above   */
static const double RESIDUAL = 1e-8; /* above this a mode is not one                            */

typedef struct { /* the search: options, factor, and the roots found so far */
    const fb_csc *K, *M;
    const fb_eig_opts *o;
    const fb_eigengine *engine;
    int automatic; /* 1: the engine is ours to choose */
    fb_factor *F;  /* kept from one shift to the next for its analysis */
    int judge;     /* 1: only MUMPS counts                             */
    int sure;      /* 1: the last count stands by itself               */
    int live;      /* 1: F holds the values of K - sigma M             */
    double sigma, knorm;
    double *rowsum; /* [N] r_i of (MO.3) */
    int64_t nf;     /* dofs with mass */
    int64_t finite; /* modes that there are, -1: not known */
    int64_t n;
    double *lambda, *noise; /* [n] */
    fb_mat X;               /* [N x n] */
    int64_t solves, factors, missed;
    uint64_t seed;
    double sfactor, sengine, scount; /* seconds */
} search;

/* Doubles beside the factor: N equations, nf dofs with mass, `want` modes beside those found. */
static double arpack_words(int64_t N, int64_t nf, int64_t want, int64_t found)
{
    (void)nf;
    return (double)N * (3 * (double)(want + found) + 20);
}

static double dense_words(int64_t N, int64_t nf, int64_t want, int64_t found)
{
    return 6 * (double)nf * (double)nf + (double)N * (double)(want + found);
}

/* The engines; a better one is one row and one file. */
static const fb_eigengine engines[] = {
    {"lanczos", fb_eig_lanczos, fb_eig_lanczos_words, 1},
    {"arpack", fb_eig_arpack, arpack_words, 0},
    {"dense", fb_eig_explicit, dense_words, 0},
};
enum { LANCZOS, ARPACK, DENSE, NENGINE };

void fb_eig_free(fb_eig *r)
{
    FB_FREE(r->lambda, r->residual);
    fb_mat_free(&r->X);
    *r = (fb_eig){0};
}

static void search_free(search *z)
{
    fb_factor_free(z->F);
    FB_FREE(z->lambda, z->noise, z->rowsum);
    fb_mat_free(&z->X);
}

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static int by_value(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* ---- the shift ------------------------------------------------------------------------- */

/* (MO.2). The median does not mind a few dofs with hardly any mass, nor rotations beside
 * translations. Also counts the dofs with mass. */
static fb_status choose_shift(search *z, fb_err *e)
{
    int64_t N = z->K->n, k = 0;
    double *kd = NULL, *md = NULL;
    fb_status s = FB_OK;
    FB_TRY(FB_NEW(&kd, N, e));
    FB_TRY(FB_NEW(&md, N, e));
    fb_csc_diagonal(z->K, kd);
    fb_csc_diagonal(z->M, md);
    for (int64_t j = 0; j < N; j++)
        if (md[j] > 0) {
            z->nf++;
            if (kd[j] > 0)
                kd[k++] = kd[j] / md[j];
        }
    if (z->nf == 0)
        FB_TRY(fb_fail(e, FB_ESOLVE, "the model of %lld equations has no mass: it has no modes",
                       (long long)N));
    qsort(kd, (size_t)k, sizeof *kd, by_value);
    z->sigma = k > 0 ? -SHIFT * kd[k / 2] : -1;
    if (z->o->sigma < 0 || z->o->sigma > 0)
        z->sigma = z->o->sigma;
    else if (z->o->ready && *z->o->ready && z->nf > DENSE_BELOW) {
        /* Small ones take the dense engine, whose upper roots a shift of zero would cost digits. */
        z->sigma = 0;
        z->F = *z->o->ready;
        *z->o->ready = NULL;
        z->live = 1;
    }
out:
    FB_FREE(kd, md);
    return s;
}

static fb_status factor_of_shift(search *z, fb_err *e)
{
    fb_status s = FB_OK;
    if (z->o->multipliers == 0) {
        if (!z->F)
            s = fb_factor_analyse(&z->F, z->K, z->M, &z->o->factor, e);
        return s ? s : fb_factor_numeric(z->F, z->K, z->M, z->sigma, z->o->column, e);
    }
    fb_factor_free(z->F);
    z->F = NULL;
    s = fb_factor_indefinite(&z->F, z->K, z->M, z->sigma, &z->o->factor, e);
    if (s)
        return s;
    int64_t negative = fb_factor_inertia(z->F).negative;
    if (negative != z->o->multipliers)
        return fb_fail(e, FB_ESOLVE,
                       "K - (%.6g) M has %lld negative roots, the model %lld multipliers: a "
                       "constraint is there twice, or a stiffness is negative",
                       z->sigma, (long long)negative, (long long)z->o->multipliers);
    return FB_OK;
}

static fb_status factorise(search *z, fb_err *e)
{
    double start = now();
    z->factors++;
    fb_status s = factor_of_shift(z, e);
    z->live = !s;
    z->sfactor += now() - start;
    return s;
}

/* The first factor. A stiffness that is not definite has roots below the shift: it goes down until
 * none is left. Where that does not help it was the fault of something else, which the first
 * failure names. */
static fb_status first_factor(search *z, fb_err *e)
{
    double first = z->sigma;
    fb_err why = {0};
    fb_status s = factorise(z, &why);
    if (s != FB_ESOLVE || z->o->multipliers || z->o->sigma < 0 || z->o->sigma > 0) {
        if (s)
            *e = why;
        return s;
    }
    int64_t column = z->o->column ? *z->o->column : -1;
    for (int k = 0; s == FB_ESOLVE && k < LOWER; k++) {
        fb_err later = {0};
        z->sigma *= 100;
        s = factorise(z, &later);
    }
    if (s == FB_ESOLVE) {
        z->sigma = first;
        if (z->o->column)
            *z->o->column = column;
        *e = why;
    } else if (z->o->column) {
        *z->o->column = -1;
    }
    return s;
}

/* ---- roots ----------------------------------------------------------------------------- */

static fb_status row_sums(search *z, fb_err *e)
{
    FB_PASS(FB_NEW(&z->rowsum, z->K->n, e));
    FB_PASS(fb_csc_norm(z->K, &z->knorm, e));
    return fb_csc_balanced_sums(z->K, z->rowsum, e);
}

/* Room for n roots; what is there stays. */
static fb_status room_for(search *z, int64_t n, fb_err *e)
{
    int64_t N = z->K->n;
    double *lambda = fb_realloc(z->lambda, (size_t)n, sizeof *lambda);
    z->lambda = lambda ? lambda : z->lambda;
    double *noise = fb_realloc(z->noise, (size_t)n, sizeof *noise);
    z->noise = noise ? noise : z->noise;
    double *x = N > INT64_MAX / 8 / n ? NULL : fb_realloc(z->X.x, (size_t)(N * n), sizeof *x);
    z->X = (fb_mat){N, z->n, x ? x : z->X.x};
    return lambda && noise && x
               ? FB_OK
               : fb_fail(e, FB_ESYS, "out of memory for %lld modes of %lld equations", (long long)n,
                         (long long)N);
}

/* Of vectors that are far only the columns are put in order, in a new block. */
static fb_status merge_far(search *z, fb_eigjob *j, fb_err *e)
{
    int64_t N = z->K->n, a = z->n, b = j->n, n = a + b;
    const double **x = NULL;
    double *lambda = NULL, *noise = NULL;
    fb_mat Y = {0};
    fb_status s = FB_OK;
    FB_TRY(FB_NEW(&x, n, e));
    FB_TRY(FB_NEW(&lambda, n, e));
    FB_TRY(FB_NEW(&noise, n, e));
    for (int64_t k = n - 1; k >= 0; k--) {
        int old = a > 0 && (b == 0 || z->lambda[a - 1] > j->lambda[b - 1]);
        x[k] = old ? z->X.x + --a * N : j->X.x + --b * N;
        lambda[k] = old ? z->lambda[a] : j->lambda[b];
    }
    FB_TRY(fb_far->arrange(x, n, N, &Y, e));
    fb_far->weigh(&Y, z->rowsum, noise);
    for (int64_t k = 0; k < n; k++)
        noise[k] *= 64 * DBL_EPSILON; /* (MO.3) */
    fb_mat_free(&z->X);
    FB_FREE(z->lambda, z->noise);
    z->X = Y;
    z->lambda = lambda;
    z->noise = noise;
    z->n = n;
    lambda = noise = NULL;
out:
    FB_FREE(x, lambda, noise);
    return s;
}

/* Merges the roots of a job into the search, ascending, from the last one on: each vector is moved
 * once. Those of the first job stay where they are, and are taken over. */
static fb_status merge(search *z, fb_eigjob *j, fb_err *e)
{
    int64_t N = z->K->n, a = z->n, b = j->n;
    if (b == 0)
        return FB_OK;
    if (fb_is_far(z->K->p))
        return merge_far(z, j, e);
    if (a == 0) {
        fb_mat first = j->X;
        j->X = z->X;
        z->X = first;
    }
    FB_PASS(room_for(z, a + b, e));
    const double *X = a == 0 ? z->X.x : j->X.x;
    z->n = z->X.n = a + b;
    for (int64_t k = z->n - 1; b > 0; k--) {
        int old = a > 0 && z->lambda[a - 1] > j->lambda[b - 1];
        const double *x = old ? z->X.x + --a * N : X + --b * N;
        memmove(z->X.x + k * N, x, sizeof *x * (size_t)N);
        z->lambda[k] = old ? z->lambda[a] : j->lambda[b];
        z->noise[k] = old ? z->noise[a] : fb_strain_noise(z->rowsum, x, N); /* (MO.3) */
    }
    return FB_OK;
}

/* What the engine needs beside the factor must fit too. */
static fb_status basis_fits(const search *z, int64_t want, fb_err *e)
{
    fb_forecast f = fb_factor_forecast(z->F);
    double words = z->engine->words ? z->engine->words(z->K->n, z->nf, want, z->n) : 0;
    double gib = 8 * words / (1024. * 1024 * 1024);
    if (f.limit <= 0 || f.gib + gib <= f.limit)
        return FB_OK;
    return fb_fail(e, FB_ESYS,
                   "%lld modes of %lld equations need %.3g GiB of memory beside the factor's %.3g "
                   "GiB, %.3g GiB may be used: allow more, or ask for fewer modes",
                   (long long)want, (long long)z->K->n, gib, f.gib, f.limit);
}

/* Asks the engine for `want` more roots, beside those there are. */
static fb_status more(search *z, int64_t want, fb_err *e)
{
    int64_t left = (z->finite >= 0 ? z->finite : z->nf) - z->n;
    fb_eigjob j = {.K = z->K,
                   .M = z->M,
                   .F = z->F,
                   .sigma = z->sigma,
                   .want = want < left ? want : left,
                   .room = left,
                   .multipliers = z->o->multipliers,
                   .tol = z->o->tol > 0 ? z->o->tol : TOL,
                   .seed = ++z->seed,
                   .log = z->o->factor.log,
                   .found = &z->X};
    if (j.want <= 0)
        return FB_OK;
    fb_status s = basis_fits(z, j.want, e);
    if (s)
        return s;
    if (z->engine == &engines[DENSE]) { /* it starts from nothing, and knows all */
        j.want += z->n;
        z->n = 0;
    }
    double start = now();
    fb_err why = {0};
    fb_step(j.log, "%lld modes by %s", (long long)j.want, z->engine->name);
    s = z->engine->lowest(&j, &why);
    /* hundreds of equal roots stop an iteration, but not a dense matrix */
    if (s == FB_ESOLVE && z->engine != &engines[DENSE] && z->automatic && z->nf <= DENSE_MOST) {
        fb_eigjob_free(&j);
        z->engine = &engines[DENSE];
        FB_TRY(basis_fits(z, j.want, e));
        j.want += z->n;
        z->n = 0;
        s = z->engine->lowest(&j, &why);
    }
    if (s)
        *e = why;
    z->sengine += now() - start;
    z->solves += j.solves;
    if (!s) {
        if (j.finite >= 0)
            z->finite = j.finite;
        s = merge(z, &j, e);
    }
out:
    fb_eigjob_free(&j);
    return s;
}

/* (MO.4) for roots k and k+1 */
static int one_group(const search *z, int64_t k)
{
    double a = z->lambda[k], b = z->lambda[k + 1];
    return b - a <= fmax(GROUP * fmax(fabs(a), fabs(b)), 8 * fmax(z->noise[k], z->noise[k + 1]));
}

static int all_found(const search *z)
{
    return z->n >= (z->finite >= 0 ? z->finite : z->nf);
}

/* The end of the group that root k-1 belongs to; z->n where it was not seen to end. */
static int64_t group_end(const search *z, int64_t k)
{
    while (k > 0 && k < z->n && one_group(z, k - 1))
        k++;
    return k;
}

/* Roots that are below zero by more than round-off: an unstable stiffness. */
static int64_t negative_modes(const search *z)
{
    int64_t k = 0;
    while (k < z->n && z->lambda[k] < -z->noise[k])
        k++;
    return k;
}

/* They stand behind the negative ones. */
static int64_t rigid_modes(const search *z)
{
    int64_t from = negative_modes(z), k = from;
    while (k < z->n && fabs(z->lambda[k]) <= z->noise[k])
        k++;
    return k - from;
}

/* At least k roots, and the group at the cut whole, with one root behind it. */
static fb_status lowest(search *z, int64_t k, fb_err *e)
{
    fb_status s = more(z, k + EXTRA - z->n, e);
    int64_t step = EXTRA;
    while (!s && !all_found(z) && group_end(z, k) == z->n) {
        int64_t before = z->n;
        step *= 2;
        s = more(z, step, e);
        if (!s && z->n == before)
            break;
    }
    return s;
}

/* All roots up to `top`; nothing counts them, so more are asked for until one lies above. */
static fb_status lowest_below(search *z, double top, fb_err *e)
{
    int64_t want = FIRST_GUESS;
    fb_status s = more(z, want, e);
    while (!s && !all_found(z) && z->lambda[z->n - 1] <= top) {
        int64_t before = z->n;
        want = z->n;
        s = more(z, want, e);
        if (!s && z->n == before)
            break;
    }
    return s;
}

static int64_t roots_below(const search *z, double top)
{
    int64_t k = 0;
    while (k < z->n && z->lambda[k] <= top)
        k++;
    return k;
}

/* A shift that is far from the first elastic root costs digits: above it (MO.2 on a slender body)
 * the lowest roots crowd together in 1/(lambda - sigma), far below the upper ones drown. Then the
 * first elastic root itself is the scale, and the roots are computed again: not one so low that it
 * drowns them, as is what the digits of a stiffness make of rigid motion. */
static fb_status better_shift(search *z, int64_t k, fb_err *e)
{
    int64_t rigid = rigid_modes(z), first = negative_modes(z) + rigid;
    if (z->o->sigma < 0 || z->o->sigma > 0 || first >= z->n || z->engine == &engines[DENSE])
        return FB_OK;
    double top = z->lambda[(k < z->n ? k : z->n) - 1], least = NEAREST * top,
           elastic = fmax(fmax(z->lambda[first], -2 * z->lambda[0]), least);
    if (elastic <= 0) /* a rigid mode, in a stiffness of few digits */
        return FB_OK;
    int above = -z->sigma > 100 * elastic;
    int drowned = rigid > 0 && -z->sigma < least && -z->sigma < elastic / 10;
    if (!above && !drowned)
        return FB_OK;
    double before = z->sigma;
    z->sigma = -elastic;
    z->n = 0;
    fb_mat_free(&z->X);
    fb_status s = factorise(z, e);
    if (s == FB_ESOLVE) { /* its negative roots are below: the first shift was as good as any */
        z->sigma = before;
        s = factorise(z, e);
    }
    return s ? s : lowest(z, k, e);
}

/* ---- the count ------------------------------------------------------------------------- */

/* (MO.5) One factor at a time: the engine's values are dropped. The quick count stands where it
 * holds the modes that are known; it is not sure where none is. MUMPS, which pivots, is the judge.
 * */
static fb_status inertia_at(search *z, double shift, fb_inertia_count *in, fb_err *e)
{
    fb_mat X = z->X;
    z->live = 0;
    if (z->o->multipliers == 0 && !z->judge && !fb_is_far(z->K->p)) {
        if (!z->F)
            FB_PASS(fb_factor_analyse(&z->F, z->K, z->M, &z->o->factor, e));
        X.n = z->n;
        FB_PASS(
            fb_factor_count(z->F, z->K, z->M, shift, z->n ? &X : NULL, z->lambda, in, &z->sure, e));
        if (in->zero == 0 && (z->sure || z->n == 0))
            return FB_OK;
    }
    z->sure = 1;
    fb_factor_free(z->F);
    z->F = NULL;
    return fb_inertia(z->K, z->M, shift, &z->o->factor, in, e);
}

/* For people: lambda over s^2, and as a frequency. */
static double per_s2(const search *z, double lambda)
{
    return z->o->time > 0 ? lambda / (z->o->time * z->o->time) : lambda;
}

static double hertz(const search *z, double lambda)
{
    return sqrt(fmax(per_s2(z, lambda), 0)) / (2 * PI);
}

/* A shift that hits a root is moved up a little; *shift is the one counted at. */
static fb_status count_below(search *z, double *shift, int64_t *count, fb_err *e)
{
    fb_inertia_count in = {0};
    double step = 1e-9 * (*shift - z->sigma), start = now();
    fb_status s = FB_OK;
    fb_step(z->o->factor.log, "count of modes below %.6g Hz", hertz(z, *shift));
    for (int try = 0; !s && (try == 0 || (in.zero > 0 && try < SHIFTS)); try++) {
        *shift += try * step;
        z->factors++;
        s = inertia_at(z, *shift, &in, e);
    }
    if (!s && in.zero > 0)
        s = fb_fail(e, FB_ESOLVE,
                    "%lld zero pivots below %.9g rad^2/s^2: a part is neither held nor has mass",
                    (long long)in.zero, per_s2(z, *shift));
    *count = in.negative - z->o->multipliers;
    z->scount += now() - start;
    return s ? fb_context(e, "count of modes") : FB_OK;
}

/* Just above root k-1, in the gap below root k. */
static double shift_above(const search *z, int64_t k)
{
    double at = z->lambda[k - 1], step = 0.05 * (at - z->sigma);
    if (k < z->n)
        step = fmin(step, (z->lambda[k] - at) / 2);
    return at + step;
}

/* Searches beside the roots found until `count` of them lie below the shift. */
static fb_status find_missed(search *z, double shift, int64_t count, fb_err *e)
{
    int64_t have = roots_below(z, shift), first = have;
    fb_status s = FB_OK;
    if (have < count && !z->live)
        s = factorise(z, e);
    for (int round = 0; !s && have < count && round < ROUNDS; round++) {
        s = more(z, count - have + EXTRA + round, e);
        have = roots_below(z, shift);
    }
    if (s)
        return fb_context(e, "%lld of %lld modes missed below %.6g Hz, searching for them",
                          (long long)(count - first), (long long)count, hertz(z, shift));
    z->missed = have - first;
    if (have != count)
        return fb_fail(e, FB_ESOLVE,
                       "%lld modes found below %.9g Hz, but the inertia of K - s M counts %lld: "
                       "ask for more modes, another shift, or the dense engine",
                       (long long)have, hertz(z, shift), (long long)count);
    return FB_OK;
}

/* ---- the result ------------------------------------------------------------------------ */

static void say(fb_eig *r, const char *line)
{
    if (r->ntext < (int)(sizeof r->text / sizeof r->text[0]))
        snprintf(r->text[r->ntext++], sizeof r->text[0], "%s", line);
}

static fb_status judge(const search *z, fb_eig *r, int64_t k, fb_err *e)
{
    if (r->residual[k] <= RESIDUAL)
        return FB_OK;
    return fb_fail(e, FB_ESOLVE,
                   "mode %lld, %.6g Hz, has the residual %.2g: more than %.0e is no mode",
                   (long long)k + 1, hertz(z, r->lambda[k]), r->residual[k], RESIDUAL);
}

/* (MO.6), and the largest entry of |X'MX - I| */
static fb_status verdict(const search *z, fb_eig *r, fb_err *e)
{
    FB_PASS(FB_NEW(&r->residual, r->n, e));
    FB_PASS(fb_csc_judge(z->K, z->M, &r->X, r->lambda, r->residual, &r->orthogonality, e));
    for (int64_t k = 0; k < r->n; k++) {
        r->residual[k] = z->knorm > 0 ? r->residual[k] / z->knorm : 0;
        FB_PASS(judge(z, r, k, e));
    }
    return FB_OK;
}

/* (MO.7) for k roots from the first-th one; *worst: what they change at most, relative. */
static fb_status quotients(const search *z, fb_eig *r, int64_t first, int64_t k, double *worst,
                           fb_err *e)
{
    const fb_mat X = fb_mat_columns(&r->X, first, k);
    fb_mat Y = {0}, k2 = {0}, m2 = {0};
    fb_status s = FB_OK;
    *worst = 0;
    FB_TRY(fb_mat_like(&X, k, &Y, e));
    FB_TRY(fb_csc_mul_many(z->M, &X, &Y, e));
    FB_TRY(fb_mat_product(1, 0, &X, &Y, &m2, e));
    fb_mat_free(&Y);
    FB_TRY(fb_mat_like(&X, k, &Y, e));
    FB_TRY(fb_csc_residual(z->K, &X, &Y, e));
    FB_TRY(fb_mat_product(1, 0, &X, &Y, &k2, e));
    for (int64_t j = 0; j < k; j++) {
        const int64_t at = first + j, d = j * (k + 1);
        const double before = r->lambda[at], now = m2.x[d] > 0 ? -k2.x[d] / m2.x[d] : before;
        *worst = fmax(*worst, fabs(now / before - 1));
        r->lambda[at] = at > 0 ? fmax(now, r->lambda[at - 1]) : now;
    }
out:
    FB_FREE_BY(fb_mat_free, &Y, &k2, &m2);
    return s;
}

/* The factor costs the lowest roots most: what it costs is the same for all, before it is related
 * to them. */
static fb_status refine(const search *z, fb_eig *r, fb_err *e)
{
    int64_t k = r->nnegative + r->nrigid;
    double worst = 1;
    for (; k < r->n && worst > ENOUGH; k += LOWEST)
        FB_PASS(quotients(z, r, k, r->n - k < LOWEST ? r->n - k : LOWEST, &worst, e));
    for (; k < r->n && k > 0 && r->lambda[k] < r->lambda[k - 1]; k++) /* of one group */
        r->lambda[k] = r->lambda[k - 1];
    return FB_OK;
}

static fb_status deliver(search *z, int64_t n, fb_eig *r, fb_err *e)
{
    int64_t rigid = rigid_modes(z), negative = negative_modes(z);
    r->n = n;
    r->nnegative = negative < n ? negative : n;
    r->nrigid = rigid < n - r->nnegative ? rigid : n - r->nnegative;
    r->nfinite = z->finite;
    r->missed = z->missed;
    r->sigma = z->sigma;
    r->cluster_tol = GROUP;
    r->solves = z->solves;
    r->factors = z->factors;
    r->seconds.factor = z->sfactor;
    r->seconds.engine = z->sengine;
    r->seconds.count = z->scount;
    r->engine = z->engine ? z->engine->name : "none";
    FB_PASS(FB_NEW(&r->lambda, n, e));
    if (!fb_is_far(z->X.x))
        FB_PASS(room_for(z, n > 0 ? n : 1, e)); /* gives back what the others take */
    r->X = z->X;
    r->X.n = n;
    z->X = (fb_mat){0};
    for (int64_t k = 0; k < n; k++)
        r->lambda[k] = k < r->nnegative || k >= r->nnegative + r->nrigid ? z->lambda[k] : 0;
    if (fb_is_far(r->X.x))
        fb_far->signs(&r->X);
    else
        fb_fix_signs(&r->X);
    FB_PASS(refine(z, r, e));
    return verdict(z, r, e);
}

/* "6 rigid modes, of which round-off made -1e-9 ... rad^2/s^2" */
static void state_rigid(const search *z, fb_eig *r)
{
    char line[256];
    snprintf(line, sizeof line, "%lld rigid modes, of which round-off made", (long long)r->nrigid);
    for (int64_t k = r->nnegative; k < r->nnegative + r->nrigid; k++) {
        size_t at = strlen(line);
        if (at < sizeof line - 30)
            snprintf(line + at, sizeof line - at, " %.2g", per_s2(z, z->lambda[k]));
    }
    size_t at = strlen(line);
    snprintf(line + at, sizeof line - at, " rad^2/s^2");
    if (r->nrigid)
        say(r, line);
}

static void statements(const search *z, int64_t below, fb_eig *r)
{
    char line[256];
    int64_t k = z->o->k;
    if (k > 0 && r->n > k) {
        snprintf(line, sizeof line,
                 "%lld modes instead of %lld: mode %lld is in a group of equal roots (within "
                 "%.0e), taken whole",
                 (long long)r->n, (long long)k, (long long)k, GROUP);
        say(r, line);
    }
    if (k > 0 && r->n < k && all_found(z)) {
        snprintf(line, sizeof line, "%lld modes instead of %lld: the model has no more finite ones",
                 (long long)r->n, (long long)k);
        say(r, line);
    }
    state_rigid(z, r);
    if (r->sturm >= 0)
        snprintf(line, sizeof line, "inertia counts %lld roots below %.9g rad^2/s^2; %lld found%s",
                 (long long)r->sturm, per_s2(z, r->sturm_shift), (long long)below,
                 r->missed > 0 ? ", some only after the count" : "");
    else
        snprintf(line, sizeof line, "the number of modes was not checked by inertia");
    say(r, line);
}

/* ---- the whole ------------------------------------------------------------------------- */

fb_status fb_eigensolver_check(const char *name, fb_err *e)
{
    int known = strcmp(name, "auto") == 0;
    for (int k = 0; k < NENGINE; k++)
        known |= strcmp(name, engines[k].name) == 0;
    return known ? FB_OK
                 : fb_fail(e, FB_EUSAGE,
                           "no eigensolver is called \"%s\": auto, lanczos, arpack, dense", name);
}

static fb_status choose_engine(search *z, int64_t want, fb_err *e)
{
    const char *name = z->o->engine ? z->o->engine : "auto";
    if (z->o->own || fb_is_far(z->K->p)) {
        z->engine = z->o->own ? z->o->own : &fb_far->engine;
        return FB_OK;
    }
    int dense = z->nf <= DENSE_BELOW || want > z->nf / DENSE_SHARE;
    if (strcmp(name, "auto") == 0) {
        z->automatic = 1;
        /* Multipliers make the factor indefinite: it has no halves, which LANCZOS needs. */
        z->engine = &engines[dense ? DENSE : z->o->multipliers ? ARPACK : LANCZOS];
        return FB_OK;
    }
    for (int k = 0; k < NENGINE; k++)
        if (strcmp(name, engines[k].name) == 0) {
            z->engine = &engines[k];
            if (z->engine->definite && z->o->multipliers)
                return fb_fail(e, FB_EUSAGE,
                               "the eigensolver %s takes no multipliers: use arpack or dense",
                               name);
            return FB_OK;
        }
    return fb_eigensolver_check(name, e);
}

static fb_status check_options(const fb_csc *K, const fb_csc *M, const fb_eig_opts *o, fb_err *e)
{
    if (!K->upper || !M->upper || K->n != M->n)
        return fb_fail(e, FB_EFORMAT,
                       "modes need symmetric K and M of one size, upper triangles: %lld and %lld",
                       (long long)K->n, (long long)M->n);
    if (!(o->k > 0) && !(o->fmax > 0))
        return fb_fail(e, FB_EUSAGE, "modes: give their number or the highest frequency");
    if (o->multipliers < 0 || o->multipliers > K->n)
        return fb_fail(e, FB_EUSAGE, "%lld multipliers in %lld equations",
                       (long long)o->multipliers, (long long)K->n);
    return FB_OK;
}

static double highest(const fb_eig_opts *o)
{
    return pow(2 * PI * (o->fmax * (o->time > 0 ? o->time : 1)), 2);
}

/* Modes by number: roots first, then the count just above the cut. */
static fb_status by_number(search *z, fb_eig *r, fb_err *e)
{
    int64_t k = z->o->k;
    FB_PASS(choose_engine(z, k + EXTRA, e));
    if (!z->live)
        FB_PASS(first_factor(z, e));
    FB_PASS(lowest(z, k, e));
    FB_PASS(better_shift(z, k, e));
    int64_t n = group_end(z, k < z->n ? k : z->n), below = n;
    if (!z->o->no_sturm && n > 0) {
        r->sturm_shift = shift_above(z, n);
        FB_PASS(count_below(z, &r->sturm_shift, &r->sturm, e));
        FB_PASS(find_missed(z, r->sturm_shift, r->sturm, e));
        below = roots_below(z, r->sturm_shift);
        n = group_end(z, k < below ? k : below);
    }
    if (z->o->fmax > 0 && roots_below(z, highest(z->o)) < n)
        n = roots_below(z, highest(z->o));
    FB_PASS(deliver(z, n, r, e));
    statements(z, below, r);
    return FB_OK;
}

/* Modes by frequency: the count first, it says how many to look for. */
static fb_status by_frequency(search *z, fb_eig *r, fb_err *e)
{
    double top = highest(z->o);
    if (!z->o->no_sturm) {
        r->sturm_shift = top;
        FB_PASS(count_below(z, &r->sturm_shift, &r->sturm, e));
        FB_PASS(choose_engine(z, r->sturm + EXTRA, e));
        FB_PASS(first_factor(z, e));
        FB_PASS(more(z, r->sturm + EXTRA, e));
        if (!z->sure && roots_below(z, r->sturm_shift) != r->sturm) { /* one of the two is wrong */
            z->judge = 1;
            FB_PASS(count_below(z, &r->sturm_shift, &r->sturm, e));
        }
        top = r->sturm_shift;
        FB_PASS(find_missed(z, top, r->sturm, e));
    } else {
        FB_PASS(choose_engine(z, FIRST_GUESS, e));
        if (!z->live)
            FB_PASS(first_factor(z, e));
        FB_PASS(lowest_below(z, top, e));
    }
    int64_t below = roots_below(z, top);
    FB_PASS(deliver(z, below, r, e));
    statements(z, below, r);
    return FB_OK;
}

fb_status fb_eig_sparse(const fb_csc *K, const fb_csc *M, const fb_eig_opts *opts, fb_eig *r,
                        fb_err *e)
{
    search z = {.K = K, .M = M, .o = opts, .finite = -1};
    fb_eig found = {.sturm = -1};
    fb_status s = FB_OK;
    FB_TRY(check_options(K, M, opts, e));
    FB_TRY(row_sums(&z, e));
    FB_TRY(choose_shift(&z, e));
    FB_TRY(opts->k > 0 ? by_number(&z, &found, e) : by_frequency(&z, &found, e));
    *r = found;
    found = (fb_eig){0};
out:
    search_free(&z);
    fb_eig_free(&found);
    return s;
}
