/* SPDX-License-Identifier: GPL-3.0-or-later */
/* lanczos.c - the block Lanczos eigensolver: shift-invert in standard form, with restarts.
 *
 * Sets       p vectors a block, m vectors in the basis Q, Y locked: those found before, and those
 *            of Q that need no more work, of which it is rid at a restart
 * Equations  S = K - sigma M = P' L L' P, definite; M semidefinite
 *   (BL.1) A = L^-1 P M P' L^-T,  A y = theta y        symmetric, semidefinite
 *   (BL.2) lambda = sigma + 1/theta,  x = P' L^-T y    the largest theta are the lowest lambda
 *   (BL.3) A Q = Q H + W B E',  [Y Q W]'[Y Q W] = I    H = Q'AQ, E the last p columns, Y locked
 *   (BL.4) H s = theta s;  ||A Q s - theta Q s|| = ||B s_p||,  s_p the last p entries of s
 *   (BL.5) y = A Q s / theta = Q s + W B s_p / theta   one step of iteration more, for no solve
 *   (BL.6) restart: Q := Q [s_1 .. s_k], H := diag(theta_1 .. theta_k); W is the next block. s_1 ..
 *          s_c are locked whose residual is below tol theta_k: x_i'M x_j of any two stays below tol
 * Source     Grimes, Lewis, Simon, SIAM J. Matrix Anal. Appl. 15 (1994) 228-272 (blocks, locking);
 *            Wu & Simon, SIAM J. Matrix Anal. Appl. 22 (2000) 602-616 (BL.6); Ericsson & Ruhe,
 *            Math. Comp. 35 (1980) 1251-1268 (BL.2, BL.5); Daniel, Gragg, Kaufman, Stewart, Math.
 *            Comp. 30 (1976) 772-795 (when to orthogonalise again)
 * Layout     blocks are rows, as the solves and the product want them, the basis columns, both in
 *            the order of elimination: nothing is turned but a block that enters the basis. M is
 *            put into that order, too, where it can be: then A is one sweep over the tree (SN.3)
 * Cost       a step: p half solves each way at the price of one and a half single ones, p products
 *            with M, 4 N m p flops. Memory N (want + 300) for many modes; the modes take the place
 *            of Y
 * Laws       tests/prop/test_eig.c: agrees with ARPACK and with dense LAPACK
 */
#include "blas.h"
#include "dense.h"
#include "factor.h"
#include "modes.h"
#include "sparse_ops.h"
#include "memory.h"
#include "rows.h"
#include <float.h>
#include <math.h>
#include <string.h>

enum {
    BLOCK = FB_NARROW, /* 16, a quarter cheaper each, take a third more vectors (measured)       */
    RESTARTS = 400,    /* far above what a solvable problem takes (tens)                         */
    PATIENCE = 20,     /* restarts without a further mode, after which the pace is looked at     */
    WINDOW = 104,      /* modes that the basis is made for; more are locked one after another    */
    CHUNK = 512,       /* rows of the basis rotated together at a restart                        */
    PASSES = 4         /* orthogonalisations; two are enough but for round-off in a small block  */
};

static const double DROP = 0.1;       /* a pass that leaves less of a column is repeated          */
static const double DEPENDENT = 1e-8; /* a pivot of the Gram matrix: its column is not taken      */
static const double ROUND_OFF =
    0.25 * DBL_EPSILON;            /* of the largest theta: no residual falls below it */
static const double FALL = 8;      /* 3 to 5 is usual                                          */
static const double NOISE = 1e-12; /* of the largest norm: a column that holds round-off only  */

typedef struct {
    fb_eigjob *j;
    int64_t N, p, cap, m;
    int64_t locked;       /* vectors of Y: `before` that were given, and our own   */
    int64_t before, room; /* room for locked - before + m                        */
    int fresh;            /* 1: the first step after a restart                     */
    double *Q;            /* [N x (before + room + p)]: Y, Q, order of elimination */
    double *W, *V;        /* [N x BLOCK] the next block and a place beside it, rows */
    fb_rows rows;
    fb_coupling *mass; /* M in the order of elimination, or NULL               */
    double *H;         /* [cap x cap] full, leading dimension cap               */
    double *B;         /* [BLOCK x BLOCK], p of them                            */
    double *coef;      /* [(before + room) x BLOCK] rows                        */
    double *sum;       /* [cap x BLOCK] rows: what was projected out of W       */
    double *theta;     /* [cap] ascending                                       */
    double *done;      /* [room] theta of our own locked ones                   */
    fb_mat S;          /* [m x m] eigenvectors of H                             */
    double scale;      /* largest norm of a column of A Q: an estimate of ||A|| */
    uint64_t state;    /* of the random numbers                                 */
} lanczos;

/* Column k of the basis; its columns are the locked ones, then Q. */
static double *column(const lanczos *z, int64_t k)
{
    return z->Q + k * z->N;
}

static double norm(const double *x, int64_t n)
{
    double s = 0;
    for (int64_t i = 0; i < n; i++)
        s += x[i] * x[i];
    return sqrt(s);
}

static void swap_blocks(lanczos *z)
{
    double *W = z->W;
    z->W = z->V;
    z->V = W;
}

/* (BL.1) W := A W */
static fb_status apply(lanczos *z, fb_err *e)
{
    const int64_t *order = fb_factor_order(z->j->F);
    z->j->solves += z->p;
    if (z->mass) {
        fb_factor_congruence_rows(z->j->F, z->mass, z->W, z->V);
        swap_blocks(z);
        return FB_OK;
    }
    FB_PASS(fb_factor_backward_rows(z->j->F, z->W, BLOCK, e));
    fb_rows_move(&z->rows, z->W, order, 0, z->V);
    FB_PASS(fb_csc_mul_rows(z->j->M, z->V, z->W, e));
    fb_rows_move(&z->rows, z->W, order, 1, z->V);
    swap_blocks(z);
    return fb_factor_forward_rows(z->j->F, z->W, BLOCK, e);
}

/* ---- orthogonality --------------------------------------------------------------------- */

/* W := (I - C C') W for the columns from..to-1 of the basis, and the norms; what belongs to Q is
 * added to sum. */
static void project(lanczos *z, double *W, int64_t from, int64_t to, double *sum, double *norms)
{
    fb_rows_project(&z->rows, column(z, from), to - from, W, z->coef, norms);
    for (int64_t a = from < z->locked ? z->locked : from; sum && a < to; a++)
        for (int b = 0; b < BLOCK; b++)
            sum[(a - z->locked) * BLOCK + b] += z->coef[(a - from) * BLOCK + b];
}

/* 1: some column is much shorter than it was; norms: before, updated. */
static int dropped(const double *now, double *norms)
{
    int yes = 0;
    for (int b = 0; b < BLOCK; b++) {
        yes |= now[b] < DROP * norms[b] && now[b] > 0;
        norms[b] = now[b];
    }
    return yes;
}

/* Orthogonal to all of the basis. The three-term recurrence says where W's large parts lie: they
 * go first, so that one pass over the whole basis is mostly enough. */
static void orthogonalise(lanczos *z)
{
    double norms[BLOCK], now[BLOCK];
    int64_t end = z->locked + z->m, local = z->fresh ? z->locked : end - 2 * z->p;
    memset(z->sum, 0, sizeof *z->sum * (size_t)(z->cap * BLOCK));
    fb_rows_norms(&z->rows, z->W, norms);
    for (int b = 0; b < BLOCK; b++)
        z->scale = fmax(z->scale, norms[b]);
    project(z, z->W, local < z->locked ? z->locked : local, end, z->sum, norms);
    for (int pass = 0; pass < PASSES; pass++) {
        project(z, z->W, 0, end, z->sum, now);
        if (!dropped(now, norms))
            break;
    }
}

/* R^-1 of an upper triangle; X zero before */
static void invert(const double *R, int64_t p, int64_t ld, double *X)
{
    for (int64_t j = 0; j < p; j++)
        for (int64_t i = j; i >= 0; i--) {
            double t = i == j;
            for (int64_t k = i + 1; k <= j; k++)
                t -= R[i + k * ld] * X[k + j * ld];
            X[i + j * ld] = t / R[i + i * ld];
        }
}

/* C += A B of upper triangles [p x p]; leading dimension BLOCK */
static void times_triangle(const double *A, const double *B, int64_t p, double *C)
{
    for (int64_t b = 0; b < p; b++)
        for (int64_t a = 0; a <= b; a++)
            for (int64_t k = a; k <= b; k++)
                C[a + b * BLOCK] += A[a + k * BLOCK] * B[k + b * BLOCK];
}

/* W = W' R by the Gram matrix: R := chol(W'W) R, W := W chol^-1. *good = 0 where columns depend on
 * each other or are not longer than `noise`; then nothing has changed. */
static fb_status gram_qr(lanczos *z, double noise, int *good, fb_err *e)
{
    double G[BLOCK * BLOCK], X[BLOCK * BLOCK] = {0}, R[BLOCK * BLOCK] = {0}, d[BLOCK] = {0};
    int64_t p = z->p;
    fb_status s = FB_OK;
    FB_TRY(fb_rows_gram(&z->rows, z->W, G, e));
    *good = 1;
    for (int64_t a = 0; a < p; a++) {
        d[a] = sqrt(G[a + a * BLOCK]);
        *good &= d[a] > noise;
    }
    for (int64_t b = 0; *good && b < p; b++)
        for (int64_t a = 0; a < p; a++)
            G[a + b * BLOCK] /= d[a] * d[b];
    if (!*good || !(*good = fb_cholesky_scaled(G, p, BLOCK, DEPENDENT)))
        goto out;
    for (int64_t b = 0; b < p; b++) /* of the scaled columns: R D */
        for (int64_t a = 0; a <= b; a++)
            G[a + b * BLOCK] *= d[b];
    invert(G, p, BLOCK, X);
    FB_TRY(fb_rows_times(&z->rows, z->W, X, z->V, e));
    swap_blocks(z);
    times_triangle(G, z->B, p, R);
    memcpy(z->B, R, sizeof R);
out:
    return s;
}

/* The one vector x, N values stride apart, against the basis and `c` columns of W, until it stays
 * as long as it is; what is left of its length. B: [c + 1] what was taken from it, added; may be
 * NULL. */
static double one_column(lanczos *z, double *x, int64_t stride, int64_t c, double *B)
{
    double norms[BLOCK], now[BLOCK], left = 0;
    memset(z->V, 0, sizeof *z->V * (size_t)(z->N * BLOCK));
    for (int64_t i = 0; i < z->N; i++)
        z->V[i * BLOCK] = x[i * stride];
    fb_rows_norms(&z->rows, z->V, norms);
    for (int pass = 0; pass < PASSES; pass++) {
        project(z, z->V, 0, z->locked + z->m, NULL, now);
        for (int64_t a = 0; a < c; a++) {
            double t = 0;
            for (int64_t i = 0; i < z->N; i++)
                t += z->W[i * BLOCK + a] * z->V[i * BLOCK];
            for (int64_t i = 0; i < z->N; i++)
                z->V[i * BLOCK] -= t * z->W[i * BLOCK + a];
            if (B)
                B[a] += t;
        }
        fb_rows_norms(&z->rows, z->V, now);
        left = now[0];
        if (!dropped(now, norms))
            break;
    }
    for (int64_t i = 0; i < z->N; i++)
        x[i * stride] = z->V[i * BLOCK];
    return left;
}

static void scale_column(double *x, int64_t n, int64_t stride, double by)
{
    for (int64_t i = 0; i < n; i++)
        x[i * stride] *= by;
}

/* Column c of W := random, against all before it; its length. */
static double random_column(lanczos *z, int64_t c)
{
    for (int try = 0; try < PASSES; try++) {
        double full = 0;
        for (int64_t i = 0; i < z->N; i++) {
            fb_random_fill(&z->state, z->W + i * BLOCK + c, 1);
            full += z->W[i * BLOCK + c] * z->W[i * BLOCK + c];
        }
        double left = one_column(z, z->W + c, BLOCK, c, NULL);
        if (left > 1e-6 * sqrt(full))
            return left;
    }
    return 0;
}

/* Column by column, B := R B. One that depends on the others, or is no longer than `noise`, is
 * replaced by a random one that A Q has no part in: its row of R is zero. */
static void careful_qr(lanczos *z, double noise)
{
    double norms[BLOCK], R[BLOCK * BLOCK] = {0}, B[BLOCK * BLOCK] = {0};
    fb_rows_norms(&z->rows, z->W, norms);
    for (int64_t c = 0; c < z->p; c++) {
        double floor = fmax(noise, 1e-10 * norms[c]);
        double left = one_column(z, z->W + c, BLOCK, c, R + c * BLOCK);
        const int own = left > floor;
        if (!own)
            left = random_column(z, c);
        R[c + c * BLOCK] = own ? left : 0;
        scale_column(z->W + c, z->N, BLOCK, left > 0 ? 1 / left : 0);
    }
    times_triangle(R, z->B, z->p, B);
    memcpy(z->B, B, sizeof B);
}

/* W = W' B with orthonormal columns; B [p x p] upper. The columns that the first pass leaves have
 * the length 1, whatever the scale of A. */
static fb_status qr(lanczos *z, fb_err *e)
{
    int good = 0;
    double noise = NOISE * z->scale;
    if (!isfinite(noise)) /* every column would be taken for noise, without an end */
        return fb_fail(e, FB_ESOLVE,
                       "K and M are of scales so far apart that squares overflow: take units in "
                       "which the lowest roots lie between 1e-100 and 1e100 rad^2/s^2");
    memset(z->B, 0, sizeof *z->B * BLOCK * BLOCK);
    for (int64_t a = 0; a < z->p; a++)
        z->B[a * (BLOCK + 1)] = 1;
    FB_PASS(gram_qr(z, noise, &good, e));
    if (good) { /* the first leaves cond(W)^2 eps */
        noise = NOISE;
        FB_PASS(gram_qr(z, noise, &good, e));
    }
    if (!good)
        careful_qr(z, noise);
    return FB_OK;
}

/* ---- steps ----------------------------------------------------------------------------- */

/* (BL.3) takes W into the basis and makes the next one. */
static fb_status step(lanczos *z, fb_err *e)
{
    int64_t p = z->p, first = z->m;
    fb_rows_to_columns(&z->rows, z->W, p, column(z, z->locked + first));
    z->m += p;
    FB_PASS(apply(z, e));
    orthogonalise(z);
    for (int64_t b = 0; b < p; b++)
        for (int64_t a = 0; a < z->m; a++) {
            double h = z->sum[a * BLOCK + b];
            if (a >= first) /* the diagonal block, symmetric */
                h = (h + z->sum[(first + b) * BLOCK + a - first]) / 2;
            z->H[a + (first + b) * z->cap] = h;
            z->H[first + b + a * z->cap] = h;
        }
    FB_PASS(qr(z, e));
    z->fresh = 0;
    return FB_OK;
}

/* (BL.4) */
static fb_status ritz(lanczos *z, fb_err *e)
{
    int64_t m = z->m;
    fb_mat_free(&z->S);
    FB_PASS(fb_mat_new(&z->S, m, m, e));
    for (int64_t b = 0; b < m; b++)
        memcpy(z->S.x + b * m, z->H + b * z->cap, sizeof(double) * (size_t)m);
    FB_PASS(fb_eig_symmetric(&z->S, z->theta, e));
    return FB_OK;
}

/* Modes of the job that are not locked. */
static int64_t missing(const lanczos *z)
{
    return z->j->want - (z->locked - z->before);
}

/* B s_p for Ritz vector k, counted from the largest theta */
static void tail(const lanczos *z, int64_t k, double *t)
{
    const double *s = z->S.x + (z->m - 1 - k) * z->m + z->m - z->p;
    for (int64_t a = 0; a < z->p; a++) {
        t[a] = 0;
        for (int64_t b = 0; b < z->p; b++)
            t[a] += z->B[a + b * BLOCK] * s[b];
    }
}

/* 1: Ritz vector k is accurate to tol `size`; no residual falls below round-off in A. */
static int accurate(const lanczos *z, int64_t k, double size)
{
    double t[BLOCK];
    tail(z, k, t);
    return norm(t, z->p) <= fmax(z->j->tol * size, ROUND_OFF * z->theta[z->m - 1]);
}

/* The residual of Ritz vector k, counted from the largest theta, over what is allowed. */
static double residual_above(const lanczos *z, int64_t k)
{
    double t[BLOCK];
    tail(z, k, t);
    return norm(t, z->p) / (z->j->tol * z->theta[z->m - 1 - k]);
}

/* Steps that the last mode wanted needs at least: no residual was seen to fall faster than FALL a
 * step. */
static int64_t steps_to_go(const lanczos *z)
{
    double above = residual_above(z, missing(z) - 1);
    return above > FALL ? (int64_t)(log(fmin(above, 1e30)) / log(FALL)) : 1;
}

/* How many of the largest theta are accurate. */
static int64_t converged(const lanczos *z, int64_t want)
{
    int64_t k = 0;
    while (k < want && k < z->m && accurate(z, k, z->theta[z->m - 1 - k]))
        k++;
    return k;
}

/* Columns of X [N x at least C.m and C.n] times C, in place: X (:, 0..C.n-1) := X (:, 0..C.m-1) C.
 * */
static fb_status rotate(double *X, int64_t N, const fb_mat *C, fb_err *e)
{
    fb_mat A = {0}, R = {0};
    fb_status s = FB_OK;
    FB_TRY(fb_mat_new(&A, CHUNK, C->m, e));
    FB_TRY(fb_mat_new(&R, CHUNK, C->n, e));
    for (int64_t i = 0; i < N; i += CHUNK) {
        A.m = R.m = N - i < CHUNK ? N - i : CHUNK;
        for (int64_t c = 0; c < C->m; c++)
            memcpy(A.x + c * A.m, X + c * N + i, sizeof(double) * (size_t)A.m);
        FB_TRY(fb_gemm(0, 0, 1, &A, C, 0, &R, e));
        for (int64_t c = 0; c < C->n; c++)
            memcpy(X + c * N + i, R.x + c * A.m, sizeof(double) * (size_t)A.m);
    }
out:
    FB_FREE_BY(fb_mat_free, &A, &R);
    return s;
}

/* Vectors that the basis may take now. */
static int64_t space(const lanczos *z)
{
    int64_t left = z->room - (z->locked - z->before);
    return left < z->cap ? left : z->cap;
}

/* (BL.6) keeps the k largest, of which the first c, that need no more work, are locked. */
static fb_status restart(lanczos *z, int64_t k, fb_err *e)
{
    int64_t c = 0;
    fb_mat C = {z->m, k, NULL};
    fb_status s = fb_mat_new(&C, z->m, k, e);
    if (s)
        return s;
    for (int64_t a = 0; a < k; a++)
        memcpy(C.x + a * z->m, z->S.x + (z->m - 1 - a) * z->m, sizeof(double) * (size_t)z->m);
    s = rotate(column(z, z->locked), z->N, &C, e);
    fb_mat_free(&C);
    if (s)
        return s;
    for (; c < k && c < missing(z) && accurate(z, c, z->theta[z->m - k]); c++)
        z->done[z->locked - z->before + c] = z->theta[z->m - 1 - c];
    memset(z->H, 0, sizeof *z->H * (size_t)(z->cap * z->cap));
    for (int64_t a = c; a < k; a++)
        z->H[(a - c) * (z->cap + 1)] = z->theta[z->m - 1 - a];
    z->locked += c;
    z->m = k - c;
    z->fresh = 1;
    return FB_OK;
}

/* ---- start and end --------------------------------------------------------------------- */

/* The vectors found before, in standard form: y = L' P x, up to its length L^-1 P M x. */
static fb_status lock(lanczos *z, const fb_mat *X, fb_err *e)
{
    fb_mat Y = {z->N, X->n, z->Q};
    FB_PASS(fb_csc_mul_many(z->j->M, X, &Y, e));
    FB_PASS(fb_factor_forward(z->j->F, &Y, e));
    for (; z->locked < z->before; z->locked++) {
        double *y = column(z, z->locked), length = one_column(z, y, 1, 0, NULL);
        scale_column(y, z->N, 1, length > 0 ? 1 / length : 0);
    }
    return FB_OK;
}

/* Vectors of the basis at most. More would save no step (measured: 300 vectors take as many as 600
 * for 100 modes) and cost memory and orthogonalisation. */
static int64_t capacity(int64_t want)
{
    return 2 * (want < WINDOW ? want : WINDOW) + 12 * BLOCK;
}

/* What capacity() of those still missing and those locked take together, at most. */
static int64_t places(int64_t want)
{
    return capacity(want) + (want > WINDOW ? want - WINDOW : 0);
}

/* Basis and blocks, and beside the basis the modes; M in the order of elimination, some 40 values a
 * row (measured: solids of quadratic elements); what the threads' subtrees send to the top. */
double fb_eig_lanczos_words(int64_t n, int64_t nf, int64_t want, int64_t found)
{
    (void)nf;
    double blocks = (double)BLOCK * (8.5 + 0.25 * (double)fb_threads());
    return (double)n * ((double)(found + places(want)) + blocks);
}

static fb_status open_lanczos(lanczos *z, fb_eigjob *j, fb_err *e)
{
    z->j = j;
    z->N = j->K->n;
    z->p = BLOCK;
    while (z->p > 1 && j->want + 4 * z->p > j->room)
        z->p /= 2;
    z->before = j->found ? j->found->n : 0;
    z->fresh = 1;
    z->state = fb_random_start(j->seed);
    int64_t left = z->N - z->before - z->p; /* the block behind needs a place */
    z->room = places(j->want) < left ? places(j->want) : left;
    z->cap = capacity(j->want) < z->room ? capacity(j->want) : z->room;
    if (z->room < j->want + 2 * z->p || z->N > INT32_MAX)
        return fb_fail(e, FB_ESOLVE,
                       "Lanczos cannot find %lld modes of %lld equations: use the dense engine or "
                       "ask for fewer",
                       (long long)j->want, (long long)z->N);
    FB_PASS(
        fb_new(&z->Q, z->N * (z->before + z->room + z->p), sizeof(double), "Lanczos vectors", e));
    FB_PASS(fb_new(&z->W, z->N * BLOCK, sizeof(double), "Lanczos vectors", e));
    FB_PASS(fb_new(&z->V, z->N * BLOCK, sizeof(double), "Lanczos vectors", e));
    FB_PASS(fb_rows_new(&z->rows, z->N, z->before + z->room, e));
    FB_PASS(fb_new(&z->H, z->cap * z->cap, sizeof(double), "projected matrix", e));
    FB_PASS(fb_new(&z->coef, (z->before + z->room) * BLOCK, sizeof(double), "projections", e));
    FB_PASS(fb_new(&z->sum, z->cap * BLOCK, sizeof(double), "projections", e));
    FB_PASS(FB_NEW(&z->B, BLOCK * BLOCK, e));
    FB_PASS(FB_NEW(&z->theta, z->cap, e));
    FB_PASS(FB_NEW(&z->done, z->room, e));
    if (z->before > 0)
        FB_PASS(lock(z, j->found, e));
    FB_PASS(fb_factor_couple(j->F, j->M, &z->mass, e));
    /* One product with A, so that a singular M leaves nothing of its null space in the basis. */
    for (int64_t i = 0; i < z->N; i++)
        fb_random_fill(&z->state, z->W + i * BLOCK, z->p);
    FB_PASS(apply(z, e));
    orthogonalise(z);
    FB_PASS(qr(z, e));
    return FB_OK;
}

static void close_lanczos(lanczos *z)
{
    FB_FREE(z->Q, z->W, z->V);
    fb_coupling_free(z->mass);
    fb_rows_free(&z->rows);
    FB_FREE(z->H, z->B, z->coef, z->sum, z->theta, z->done);
    fb_mat_free(&z->S);
}

/* X := X R^-1, R'R = X'MX: eps theta_1/theta, what the lowest modes left of themselves in the
 * others when the shift is near to them, goes. */
static fb_status m_orthonormal(const fb_eigjob *j, fb_mat *X, fb_err *e)
{
    fb_mat G = {0}, R = {0};
    fb_status s = FB_OK;
    FB_TRY(fb_csc_congruence(j->M, X, &G, e));
    FB_TRY(fb_mat_new(&R, X->n, X->n, e));
    if (!fb_cholesky_scaled(G.x, X->n, X->n, DEPENDENT))
        FB_TRY(fb_fail(
            e, FB_ESOLVE,
            "the modes that Lanczos found depend on each other: is the mass matrix semidefinite?"));
    invert(G.x, X->n, X->n, R.x);
    s = rotate(X->x, X->m, &R, e);
out:
    FB_FREE_BY(fb_mat_free, &G, &R);
    return s;
}

/* (BL.5) for the n largest theta of the basis: Y gets all vectors, up to their length. */
static fb_status last_vectors(lanczos *z, int64_t n, fb_err *e)
{
    double t[BLOCK];
    int64_t m = z->m + z->p, own = z->locked - z->before;
    fb_mat C = {0};
    fb_status s = fb_mat_new(&C, m, n, e);
    if (s)
        return s;
    for (int64_t k = 0; k < n; k++) {
        double theta = z->theta[z->m - 1 - k];
        tail(z, k, t);
        memcpy(C.x + k * m, z->S.x + (z->m - 1 - k) * z->m, sizeof(double) * (size_t)z->m);
        for (int64_t a = 0; a < z->p; a++)
            C.x[k * m + z->m + a] = t[a] / theta;
        z->done[own + k] = theta;
    }
    fb_rows_to_columns(&z->rows, z->W, z->p, column(z, z->locked + z->m));
    s = rotate(column(z, z->locked), z->N, &C, e);
    fb_mat_free(&C);
    return s;
}

/* Vectors are locked in the order of their theta, but for one that comes late: it moves to its
 * place. */
static void sort_locked(const lanczos *z, double *y, int64_t n)
{
    for (int64_t k = 1; k < n; k++)
        for (int64_t a = k; a > 0 && z->done[a] > z->done[a - 1]; a--) {
            double theta = z->done[a], *x = y + (a - 1) * z->N;
            z->done[a] = z->done[a - 1];
            z->done[a - 1] = theta;
            for (int64_t i = 0; i < z->N; i++) {
                double v = x[i];
                x[i] = x[i + z->N];
                x[i + z->N] = v;
            }
        }
}

/* (BL.2) for what is locked and the n largest theta, in the place of Y. */
static fb_status hand_over(lanczos *z, int64_t n, fb_err *e)
{
    fb_eigjob *j = z->j;
    int64_t all = z->locked - z->before + n;
    FB_PASS(FB_NEW(&j->lambda, all, e));
    fb_coupling_free(z->mass);
    z->mass = NULL;
    FB_PASS(last_vectors(z, n, e));
    sort_locked(z, column(z, z->before), all);
    if (z->before > 0)
        memmove(z->Q, column(z, z->before), sizeof *z->Q * (size_t)(z->N * all));
    double *x = fb_realloc(z->Q, (size_t)(z->N * all), sizeof *x);
    if (!x)
        return fb_fail(e, FB_ESYS, "out of memory for %lld modes", (long long)all);
    z->Q = NULL;
    fb_memory_trim(); /* the rest of the basis: the next blocks take a gap that is nearer in size */
    j->n = all;
    j->X = (fb_mat){z->N, all, x};
    for (int64_t k = 0; k < all; k++) {
        double length = 1 / sqrt(z->done[k]); /* x'Mx = theta y'y: 1 */
        j->lambda[k] = j->sigma + 1 / z->done[k];
        for (int64_t i = 0; i < z->N; i++)
            x[k * z->N + i] *= length;
    }
    FB_PASS(fb_factor_backward(j->F, &j->X, e));
    return m_orthonormal(j, &j->X, e);
}

/* `last`: beside those locked. */
static double share_found(const lanczos *z, int64_t last)
{
    return (double)(z->locked - z->before + last) / (double)z->j->want;
}

/* Where the search stood when the last mode was found: its restart, and the residual of the next
 * mode over its tolerance. */
typedef struct {
    int64_t found;
    int restart;
    double above;
} pace;

/* 1: at the pace since the last mode was found, the next one takes more than RESTARTS / 2
 * restarts. Called at a restart. Equal roots may leave no next one in the basis. */
static int stalls(const lanczos *z, int64_t found, int restarts, pace *at)
{
    const double above = found < z->m ? residual_above(z, found) : 1;
    if (z->locked + found > at->found || restarts == 1) {
        *at = (pace){z->locked + found, restarts, above};
        return 0;
    }
    const int passed = restarts - at->restart;
    return passed >= PATIENCE &&
           0.5 * (double)RESTARTS * log(at->above / above) < passed * log(above);
}

static fb_status slow(const lanczos *z, int64_t found, int restarts, fb_err *e)
{
    return fb_fail(
        e, FB_ESOLVE,
        "Lanczos does not converge: %lld of %lld modes after %d restarts with %lld vectors: the "
        "roots stand too close together, as they do where stiffness and mass are exchanged; else "
        "ask for other numbers of modes, or use --eigensolver arpack or dense",
        (long long)(z->locked - z->before + found), (long long)z->j->want, restarts,
        (long long)z->cap);
}

/* Steps until the roots wanted are there, or the basis spans all there is. */
static fb_status iterate(lanczos *z, int64_t *found, fb_err *e)
{
    int64_t next = 0;
    int restarts = 0;
    pace at = {0};
    for (;;) {
        FB_PASS(step(z, e));
        fb_progress(z->j->log, "search", share_found(z, *found), (double)z->j->want, "modes");
        int64_t window = missing(z) < WINDOW ? missing(z) : WINDOW;
        int full = z->m + z->p > space(z);
        if (!full && (z->m < missing(z) + z->p || z->m < next))
            continue;
        FB_PASS(ritz(z, e));
        *found = converged(z, missing(z));
        if (*found >= missing(z))
            return FB_OK;
        if (!full) { /* then the basis is larger than what is missing */
            next = z->m + z->p * steps_to_go(z);
            continue;
        }
        restarts++;
        next = 0;
        if (restarts == RESTARTS || stalls(z, *found, restarts, &at))
            return slow(z, *found, restarts, e);
        FB_PASS(restart(z, window + (z->m - window) / 3, e));
    }
}

fb_status fb_eig_lanczos(fb_eigjob *j, fb_err *e)
{
    lanczos z = {0};
    int64_t found = 0;
    fb_status s = FB_OK;
    j->finite = -1;
    FB_TRY(open_lanczos(&z, j, e));
    FB_TRY(iterate(&z, &found, e));
    FB_TRY(hand_over(&z, found, e));
out:
    close_lanczos(&z);
    return s;
}
