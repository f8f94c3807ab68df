/* SPDX-License-Identifier: GPL-3.0-or-later */
/* errors.c - what a definite factor left of many answers, found in few directions.
 *
 * Symbols  X the answers to the loads L by the factor, n of them; W [n x 16] signs at random over
 *          the lengths of the answers
 * Equations
 *   (ER.1) D = K^-1 (L W - K X W): the errors of 16 sums of all answers, residuals summed in twice
 *          the digits; the square of an error of a sum is that of all the answers' relative errors
 *          together, in the mean
 *   (ER.2) X := X + D H^-1 (D'L - (K D)'X),  H = D'K D: K D and D'L summed likewise
 *   (ER.3) D_k - D_o H_oo^-1 H_ok: what the errors of the other sums leave of that of sum k is
 *          D c / c_k of column k of H^-1, c, without another solve; the mean of its square over all
 *          k is that of all the answers' relative errors that are left together, so no less than
 *          the square of the worst one's, in the mean
 * Source   Nicolaides, SIAM J. Numer. Anal. 24 (1987) 355-365 (ER.2); Halko, Martinsson & Tropp,
 *          SIAM Review 53 (2011) 217-288 (ER.1, ER.3)
 * Cost     16 solves and 32 products, whatever the number of answers, where each of these would
 *          take one of both. The errors that a factor leaves of slender bodies lie where K is soft,
 *          in few directions; where 16 do not hold them, 32 or 48 are tried
 */
#include "errors.h"
#include "linalg/blas.h"
#include "linalg/sparse_ops.h"
#include "linalg/twofold.h"
#include "memory.h"
#include <math.h>
#include <string.h>

enum {
    SUMS = 16, /* in a block: what the solves take together */
    BLOCKS = 3,
    MOST = SUMS * BLOCKS,
    FULL = 16 /* loads of which more than one value of these is none are not sparse */
};
static const double ENOUGH = 1e-11; /* of an answer, relative */
static const double MUCH = 1e-8;    /* more than this takes more than one step to be known */
static const double FAR = 30;       /* times what is enough: no further block will do */
static const double RIDGE = 1e-12;  /* of H's unit diagonal: errors that depend on each other */

/* ---- loads ----------------------------------------------------------------------------- */

typedef struct {
    const fb_mat *X;
    fb_csc *L;
    int fill;
} sieve;

static void sieve_column(void *arg, int c)
{
    const sieve *z = arg;
    const double *x = z->X->x + c * z->X->m;
    int64_t at = z->fill ? z->L->p[c] : 0;
    for (int64_t i = 0; i < z->X->m; i++)
        if (x[i] < 0 || x[i] > 0) {
            if (z->fill) {
                z->L->i[at] = i;
                z->L->x[at] = x[i];
            }
            at++;
        }
    if (!z->fill)
        z->L->p[c + 1] = at;
}

fb_status fb_loads_sparse(const fb_mat *X, fb_csc *L, fb_err *e)
{
    fb_csc A = {.m = X->m, .n = X->n};
    fb_status s = FB_OK;
    FB_TRY(fb_new(&A.p, X->n + 1, sizeof *A.p, "loads", e));
    fb_parallel((int)X->n, sieve_column, &(sieve){X, &A, 0});
    for (int64_t c = 0; c < X->n; c++)
        A.p[c + 1] += A.p[c];
    if (A.p[A.n] <= X->m / FULL * X->n) {
        FB_TRY(fb_new(&A.i, A.p[A.n], sizeof *A.i, "loads", e));
        FB_TRY(fb_new(&A.x, A.p[A.n], sizeof *A.x, "loads", e));
        fb_parallel((int)X->n, sieve_column, &(sieve){X, &A, 1});
        *L = A;
        A = (fb_csc){0};
    }
out:
    fb_csc_free(&A);
    return s;
}

/* ---- errors of sums -------------------------------------------------------------------- */

typedef struct {
    const fb_csc *K, *L;
    fb_factor *F;
    fb_mat *X;
    double *length; /* [n] of the answers */
    fb_mat W, Y,
        l; /* [n x SUMS], [ni x SUMS] room: the sums, what of their loads one number lacks */
    uint64_t state;                        /* of the random numbers */
    int64_t n;                             /* errors */
    fb_mat D[BLOCKS], LESS[BLOCKS];        /* [ni x SUMS], and -K D */
    double H[MOST * MOST], G[MOST * MOST]; /* D'K D, D'D */
    double scale[MOST];                    /* D diag(scale): of unit energy */
} errors;

static void errors_free(errors *r)
{
    for (int k = 0; k < BLOCKS; k++)
        FB_FREE_BY(fb_mat_free, &r->D[k], &r->LESS[k]);
    FB_FREE_BY(fb_mat_free, &r->W, &r->Y, &r->l);
    free(r->length);
}

static void length_of(void *arg, int c)
{
    const errors *r = arg;
    const double *x = r->X->x + c * r->X->m;
    r->length[c] = sqrt(fb_dot(x, x, r->X->m));
}

/* L W in two parts, R + l; then the second part is added to the residual R. */
typedef struct {
    const fb_csc *L;
    const fb_mat *W;
    fb_mat *R, *l;
} sum_of_loads;

static void add_loads(void *arg, int c)
{
    const sum_of_loads *z = arg;
    double *const R = z->R->x + c * z->R->m, *const l = z->l->x + c * z->R->m;
    double p, s, t, b, e;
    for (int64_t j = 0; j < z->L->n; j++)
        for (int64_t q = z->L->p[j]; q < z->L->p[j + 1]; q++)
            FB_TWOFOLD_ADD(double, FB_TWOFOLD_BY_HALVES, R[z->L->i[q]], l[z->L->i[q]], z->L->x[q],
                           z->W->x[j + c * z->W->m]);
}

static void add_rest(void *arg, int c)
{
    const sum_of_loads *z = arg;
    double *const R = z->R->x + c * z->R->m, *const l = z->l->x + c * z->R->m;
    for (int64_t q = 0; q < z->L->p[z->L->n]; q++) {
        R[z->L->i[q]] += l[z->L->i[q]];
        l[z->L->i[q]] = 0;
    }
}

/* (ER.1) the next block, not counted yet; *change: the largest so far. */
static fb_status errors_of_sums(errors *r, double *change, fb_err *e)
{
    fb_mat *const W = &r->W, *const D = &r->D[r->n / SUMS];
    sum_of_loads z = {r->L, W, D, &r->l};
    FB_PASS(fb_new_by_all(&D->x, r->X->m * SUMS, sizeof *D->x, "errors", e));
    D->m = r->X->m;
    D->n = SUMS;
    fb_random_fill(&r->state, W->x, W->m * W->n);
    for (int64_t k = 0; k < W->m * W->n; k++) {
        const double length = r->length[k % W->m];
        W->x[k] = length > 0 ? copysign(1 / length, W->x[k]) : 0;
    }
    FB_PASS(fb_gemm(0, 0, 1, r->X, W, 0, &r->Y, e));
    fb_parallel(SUMS, add_loads, &z);
    FB_PASS(fb_csc_residual(r->K, &r->Y, D, e));
    fb_parallel(SUMS, add_rest, &z);
    FB_PASS(fb_factor_solve(r->F, D, e));
    for (int64_t k = 0; k < SUMS; k++) {
        const double length = sqrt(fb_dot(D->x + k * D->m, D->x + k * D->m, D->m));
        *change = isfinite(length) ? fmax(*change, length) : INFINITY;
    }
    return FB_OK;
}

/* The rows and columns of the block `last` in A = by D'C. */
static fb_status border(const errors *r, int64_t last, double by, const fb_mat *C, double *A,
                        fb_err *e)
{
    fb_mat P = {0};
    for (int64_t k = 0; k <= last; k++) {
        FB_PASS(fb_mat_product(1, 0, &r->D[k], C, &P, e));
        for (int64_t j = 0; j < SUMS; j++)
            for (int64_t i = 0; i < SUMS; i++) {
                const int64_t row = k * SUMS + i, column = last * SUMS + j;
                A[row + column * MOST] = A[column + row * MOST] = by * P.x[i + j * SUMS];
            }
        fb_mat_free(&P);
    }
    return FB_OK;
}

/* Counts the block that errors_of_sums left; *sound = 0: K is not definite on it. */
static fb_status take_errors(errors *r, int *sound, fb_err *e)
{
    const int64_t last = r->n / SUMS;
    fb_mat *const D = &r->D[last], *const less = &r->LESS[last];
    FB_PASS(fb_new_by_all(&less->x, D->m * D->n, sizeof *less->x, "errors", e));
    less->m = D->m;
    less->n = D->n;
    FB_PASS(fb_csc_residual(r->K, D, less, e));
    FB_PASS(border(r, last, -1, less, r->H, e));
    FB_PASS(border(r, last, 1, D, r->G, e));
    for (; r->n < (last + 1) * SUMS; r->n++) {
        const double h = r->H[r->n * (MOST + 1)];
        *sound &= h > 0;
        r->scale[r->n] = h > 0 ? 1 / sqrt(h) : 0;
    }
    return FB_OK;
}

/* ---- their span ------------------------------------------------------------------------ */

/* C := H^-1 C of errors of unit energy */
static fb_status solve_errors(const errors *r, fb_mat *C, fb_err *e)
{
    const int64_t n = r->n;
    fb_mat H = {0};
    fb_status s = FB_OK;
    FB_TRY(fb_mat_new(&H, n, n, e));
    for (int64_t j = 0; j < n; j++)
        for (int64_t i = 0; i < n; i++)
            H.x[i + j * n] = i == j ? 1 + RIDGE : r->scale[i] * r->H[i + j * MOST] * r->scale[j];
    s = fb_solve_spd(&H, C, "the errors of static answers", e);
out:
    fb_mat_free(&H);
    return s;
}

/* (ER.3) *mean: of what the other errors leave of one, the root of the mean square. */
static fb_status left_of_one(const errors *r, double *mean, fb_err *e)
{
    const int64_t n = r->n;
    fb_mat C = {0};
    double all = 0;
    fb_status s = FB_OK;
    FB_TRY(fb_mat_unit(&C, n, e));
    FB_TRY(solve_errors(r, &C, e));
    for (int64_t k = 0; k < n; k++) {
        const double *const c = C.x + k * n;
        double left = 0;
        for (int64_t j = 0; j < n; j++)
            for (int64_t i = 0; i < n; i++)
                left += c[i] * r->scale[i] * r->G[i + j * MOST] * r->scale[j] * c[j];
        all += fmax(left, 0) / pow(c[k] * r->scale[k], 2);
    }
    *mean = sqrt(all / (double)n);
out:
    fb_mat_free(&C);
    return s;
}

/* C = D'L summed in twice the digits */
typedef struct {
    const errors *r;
    fb_mat *C;
} inner;

static void inner_column(void *arg, int c)
{
    const inner *z = arg;
    const errors *r = z->r;
    double h[MOST] = {0}, l[MOST] = {0}, p, s, t, b, e;
    for (int64_t q = r->L->p[c]; q < r->L->p[c + 1]; q++)
        for (int64_t k = 0; k < r->n; k++)
            FB_TWOFOLD_ADD(double, FB_TWOFOLD_BY_HALVES, h[k], l[k], r->L->x[q],
                           r->D[k / SUMS].x[r->L->i[q] + k % SUMS * r->X->m]);
    for (int64_t k = 0; k < r->n; k++)
        z->C->x[k + c * r->n] = h[k] + l[k];
}

/* (ER.2) */
static fb_status correct(const errors *r, fb_err *e)
{
    const int64_t n = r->n, values = r->X->n * SUMS;
    fb_mat C = {0}, P = {0};
    fb_status s = FB_OK;
    FB_TRY(fb_mat_new(&C, n, r->X->n, e));
    FB_TRY(fb_mat_new(&P, SUMS, r->X->n, e));
    fb_parallel((int)r->X->n, inner_column, &(inner){r, &C});
    for (int64_t k = 0; k < n; k += SUMS) {
        FB_TRY(fb_gemm(1, 0, 1, &r->LESS[k / SUMS], r->X, 0, &P, e));
        for (int64_t j = 0; j < values; j++) {
            double *const c = C.x + k + j % SUMS + j / SUMS * n;
            *c = r->scale[k + j % SUMS] * (*c + P.x[j]);
        }
    }
    FB_TRY(solve_errors(r, &C, e));
    for (int64_t k = 0; k < n; k += SUMS) {
        for (int64_t j = 0; j < values; j++)
            P.x[j] = r->scale[k + j % SUMS] * C.x[k + j % SUMS + j / SUMS * n];
        FB_TRY(fb_gemm(0, 0, 1, &r->D[k / SUMS], &P, 1, r->X, e));
    }
out:
    FB_FREE_BY(fb_mat_free, &C, &P);
    return s;
}

/* Errors of sums until those that there are hold the next one, *span, or it is seen that they will
 * not; *good: the factor was enough. */
static fb_status find_span(errors *r, int *span, int *good, fb_err *e)
{
    double change = 0, left = 0;
    fb_err why = {0};
    do {
        int sound = 1;
        FB_PASS(errors_of_sums(r, &change, e));
        *good = r->n == 0 && change < ENOUGH;
        if (*good || !(change < MUCH))
            return FB_OK;
        FB_PASS(take_errors(r, &sound, e));
        if (!sound)
            return FB_OK;
        const fb_status s = left_of_one(r, &left, &why);
        if (s == FB_ESYS)
            *e = why;
        if (s)
            return s == FB_ESYS ? s : FB_OK; /* not definite */
        *span = left < ENOUGH;
    } while (!*span && left < FAR * ENOUGH && r->n < MOST && r->X->n > 2 * r->n);
    return FB_OK;
}

fb_status fb_answers_correct(const fb_csc *K, fb_factor *F, const fb_csc *L, fb_mat *X, int *good,
                             fb_err *e)
{
    int span = 0;
    errors r = {.K = K, .L = L, .F = F, .X = X, .state = fb_random_start(1)};
    fb_status s = FB_OK;
    *good = 0;
    FB_TRY(fb_new(&r.length, X->n, sizeof *r.length, "lengths of answers", e));
    FB_TRY(fb_mat_new(&r.W, X->n, SUMS, e));
    FB_TRY(fb_mat_new(&r.Y, X->m, SUMS, e));
    FB_TRY(fb_mat_new(&r.l, X->m, SUMS, e));
    fb_parallel((int)X->n, length_of, &r);
    FB_TRY(find_span(&r, &span, good, e));
    if (span) {
        FB_TRY(correct(&r, e));
        *good = 1;
    }
out:
    errors_free(&r);
    return s;
}
