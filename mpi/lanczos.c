/* SPDX-License-Identifier: GPL-3.0-or-later */
/* lanczos.c - block Lanczos on rows that the ranks hold, in the inner product of M.
 *
 * Sets       p vectors a block, m in the basis Q; Y found before
 * Equations  S = K - sigma M; M semidefinite, <x, y> = x'M y
 *   (LM.1) A = S^-1 M,  A x = theta x,  lambda = sigma + 1/theta       symmetric in <,>
 *   (LM.2) A Q = Q H + W B E',  <[Y Q W], [Y Q W]> = I                 E the last p columns
 *   (LM.3) H s = theta s,  ||A Q s - theta Q s|| = ||B s_p||
 *   (LM.4) x = A Q s / theta = Q s + W B s_p / theta      what M does not see of Q s goes with it
 *   (LM.5) restart: Q := Q [s_1 .. s_k], H := diag(theta); the next block is W
 * Source     Grimes, Lewis, Simon, SIAM J. Matrix Anal. Appl. 15 (1994) 228-272; Wu & Simon, SIAM
 *            J. Matrix Anal. Appl. 22 (2000) 602-616 (LM.5); Ericsson & Ruhe, Math. Comp. 35 (1980)
 *            1251-1268 (LM.4)
 * Cost       a step: one solve and three products of p vectors, 8 N m p flops, 5 sums over the
 *            ranks
 */
#include "linalg/dense.h"
#include "memory.h"
#include "team.h"
#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { BLOCK = 16, EXTRA = 64, RESTARTS = 200, KEEP = 16 };
static const double DEPENDENT = 1e-8; /* a pivot of the scaled Gram matrix */
static const double NOISE = 1e-12;    /* of the largest norm: round-off */
static const double ROUND_OFF = 0.25 * DBL_EPSILON;
static const double FALL = 8; /* a residual falls by 3 to 5 a step */

typedef struct {
    const team_object *M;
    team_object *F;
    fb_mat Y;
    int64_t own, m, cap, want, solves;
    int64_t p, last; /* columns of W, of the last block in Q, which B has as rows and columns */
    double *Q;       /* [own x (cap + p)]: the basis, then W */
    double *MW;      /* [own x BLOCK] */
    double *H, *theta, *C, *B;
    fb_mat S;
    double sigma, tol, scale;
    uint64_t seed;
    int64_t first; /* our first row */
} lanczos;

static fb_mat basis(const lanczos *z, int64_t from, int64_t n)
{
    return (fb_mat){z->own, n, z->Q + from * z->own};
}

static void random_block(lanczos *z, double *x, int64_t k)
{
    for (int64_t c = 0; c < k; c++, z->seed++)
        for (int64_t i = 0; i < z->own; i++) {
            uint64_t state = fb_mix(z->seed) ^ fb_mix((uint64_t)(z->first + i));
            fb_random_fill(&state, x + i + c * z->own, 1);
        }
}

/* W := W - [Y Q] <[Y Q], W>, k columns; what belongs to Q is added to C [cap x BLOCK], or NULL. */
static fb_status project(lanczos *z, fb_mat *W, double *C, fb_err *e)
{
    const fb_mat Q = basis(z, 0, z->m), *part[] = {&z->Y, &Q};
    fb_mat MW = {z->own, W->n, z->MW};
    double *c = team_room((z->Y.n + z->m) * W->n, 8);
    fb_status s = FB_OK;
    team_times(z->M, W, &MW);
    for (int k = 0; !s && k < 2; k++) {
        fb_mat G = {part[k]->n, W->n, c + (k ? z->Y.n * W->n : 0)};
        s = fb_gemm(1, 0, 1, part[k], &MW, 0, &G, e);
    }
    team_sum(c, (z->Y.n + z->m) * W->n, 1);
    for (int k = 0; !s && k < 2; k++) {
        const fb_mat G = {part[k]->n, W->n, c + (k ? z->Y.n * W->n : 0)};
        s = fb_gemm(0, 0, -1, part[k], &G, 1, W, e);
    }
    for (int64_t j = 0; C && j < W->n; j++)
        for (int64_t a = 0; a < z->m; a++)
            C[a + j * z->cap] += c[z->Y.n * W->n + a + j * z->m];
    free(c);
    return s;
}

/* W := W R^-1, MW likewise, by back substitution. */
static void divide(double *x, int64_t own, const double *R, int64_t p)
{
    for (int64_t j = 0; j < p; j++) {
        for (int64_t k = 0; k < j; k++)
            fb_axpy(-R[k + j * p], x + k * own, x + j * own, own);
        for (int64_t i = 0; i < own; i++)
            x[i + j * own] /= R[j + j * p];
    }
}

static fb_status gram(lanczos *z, const fb_mat *W, double *G, fb_err *e)
{
    const fb_mat MW = {z->own, W->n, z->MW};
    fb_mat A = {W->n, W->n, G};
    fb_status s = fb_gemm(1, 0, 1, W, &MW, 0, &A, e);
    team_sum(G, W->n * W->n, 1);
    return s;
}

/* B := R B, W := W R^-1; *good = 0 where columns depend on each other, and nothing has changed. */
static fb_status orthonormal(lanczos *z, fb_mat *W, int *good, fb_err *e)
{
    const int64_t p = W->n;
    double G[BLOCK * BLOCK] = {0}, d[BLOCK], R[BLOCK * BLOCK] = {0};
    FB_PASS(gram(z, W, G, e));
    *good = 1;
    for (int64_t j = 0; j < p; j++) {
        d[j] = sqrt(fmax(G[j + j * p], 0));
        z->scale = fmax(z->scale, d[j]);
    }
    for (int64_t j = 0; j < p; j++)
        *good &= d[j] > NOISE * z->scale;
    for (int64_t j = 0; *good && j < p; j++)
        for (int64_t i = 0; i < p; i++)
            G[i + j * p] /= d[i] * d[j];
    if (!*good || !(*good = fb_cholesky_scaled(G, p, p, DEPENDENT)))
        return FB_OK;
    for (int64_t j = 0; j < p; j++)
        for (int64_t i = 0; i <= j; i++)
            G[i + j * p] *= d[j];
    divide(W->x, z->own, G, p);
    divide(z->MW, z->own, G, p);
    for (int64_t j = 0; j < p; j++)
        for (int64_t i = 0; i <= j; i++)
            for (int64_t k = i; k <= j; k++)
                R[i + j * p] += G[i + k * p] * z->B[k + j * p];
    memcpy(z->B, R, sizeof *R * (size_t)(p * p));
    return FB_OK;
}

/* One column against all before it, twice; its length. b [c] += what was taken of W's first c. */
static fb_status one(lanczos *z, fb_mat *W, int64_t c, double *b, double *length, fb_err *e)
{
    fb_mat x = fb_mat_columns(W, c, 1), before = fb_mat_columns(W, 0, c);
    double t[BLOCK + 1] = {0};
    for (int pass = 0; pass < 2; pass++) {
        FB_PASS(project(z, &x, NULL, e));
        fb_mat Mx = {z->own, 1, z->MW}, G = {c, 1, t};
        team_times(z->M, &x, &Mx);
        FB_PASS(fb_gemm(1, 0, 1, &before, &Mx, 0, &G, e));
        team_sum(t, c, 1);
        FB_PASS(fb_gemm(0, 0, -1, &before, &G, 1, &x, e));
        for (int64_t k = 0; b && k < c; k++)
            b[k] += t[k];
    }
    fb_mat Mx = {z->own, 1, z->MW};
    team_times(z->M, &x, &Mx);
    *length = fb_dot(x.x, Mx.x, z->own);
    team_sum(length, 1, 1);
    *length = sqrt(fmax(*length, 0));
    return FB_OK;
}

/* Column by column; one that depends on those before it, or is round-off, is replaced by a random
 * one, with a zero row in B. Where that has no length either the space is whole: W ends there. */
static fb_status careful(lanczos *z, fb_mat *W, fb_err *e)
{
    const int64_t p = W->n;
    memset(z->B, 0, sizeof *z->B * (size_t)(p * p));
    for (int64_t c = 0; c < p; c++) {
        double *x = W->x + c * z->own, left;
        FB_PASS(one(z, W, c, z->B + c * p, &left, e));
        int own = left > NOISE * z->scale;
        for (int try = 0; !own && try < 2 && !(left > 1e-6 * z->scale); try++) {
            fb_mat y = fb_mat_columns(W, c, 1);
            random_block(z, x, 1);
            FB_PASS(team_factor_apply(z->F, &y, e));
            FB_PASS(one(z, W, c, NULL, &left, e));
        }
        if (!own && !(left > 1e-6 * z->scale)) {
            W->n = c;
            break;
        }
        z->B[c + c * p] = own ? left : 0;
        for (int64_t i = 0; i < z->own; i++)
            x[i] /= left;
    }
    fb_mat MW = {z->own, W->n, z->MW};
    team_times(z->M, W, &MW);
    return FB_OK;
}

/* W and MW = M W, orthonormal; B what W was in it. */
static fb_status normalise(lanczos *z, fb_mat *W, fb_err *e)
{
    int good = 0;
    fb_mat MW = {z->own, W->n, z->MW};
    memset(z->B, 0, sizeof *z->B * BLOCK * BLOCK);
    for (int64_t k = 0; k < W->n; k++)
        z->B[k + k * W->n] = 1;
    team_times(z->M, W, &MW);
    FB_PASS(orthonormal(z, W, &good, e));
    if (good)
        FB_PASS(orthonormal(z, W, &good, e)); /* the first leaves cond(W)^2 eps */
    return good ? FB_OK : careful(z, W, e);
}

/* (LM.2) W joins the basis; the next block. */
static fb_status step(lanczos *z, fb_err *e)
{
    const int64_t p = z->p, first = z->m;
    z->m += p;
    fb_mat W = basis(z, z->m, p);
    memcpy(W.x, z->MW, sizeof *W.x * (size_t)(z->own * p));
    FB_PASS(team_factor_apply(z->F, &W, e));
    z->solves += p;
    memset(z->C, 0, sizeof *z->C * (size_t)(z->cap * BLOCK));
    for (int pass = 0; pass < 2; pass++)
        FB_PASS(project(z, &W, z->C, e));
    for (int64_t j = 0; j < p; j++)
        for (int64_t a = 0; a < z->m; a++) {
            double h = z->C[a + j * z->cap];
            if (a >= first)
                h = (h + z->C[first + j + (a - first) * z->cap]) / 2;
            z->H[a + (first + j) * z->cap] = z->H[first + j + a * z->cap] = h;
        }
    FB_PASS(normalise(z, &W, e));
    z->last = p;
    z->p = W.n;
    return FB_OK;
}

/* (LM.3), the same on all ranks, whatever their processors. */
static fb_status ritz(lanczos *z, fb_err *e)
{
    const int64_t m = z->m;
    fb_status s = FB_OK;
    fb_mat_free(&z->S);
    z->S = (fb_mat){m, m, team_room(m * m, 8)};
    for (int64_t j = 0; j < m; j++)
        memcpy(z->S.x + j * m, z->H + j * z->cap, sizeof(double) * (size_t)m);
    if (!team_rank)
        s = fb_eig_symmetric(&z->S, z->theta, e);
    MPI_Bcast(z->S.x, (int)(m * m), MPI_DOUBLE, 0, MPI_COMM_WORLD);
    MPI_Bcast(z->theta, (int)m, MPI_DOUBLE, 0, MPI_COMM_WORLD);
    return team_agree(s, e);
}

/* B s_p for the Ritz vector k, from the largest theta. */
static double tail(const lanczos *z, int64_t k, double *t)
{
    const double *s = z->S.x + (z->m - 1 - k) * z->m + z->m - z->last;
    double sum = 0;
    for (int64_t a = 0; a < z->p; a++) {
        t[a] = 0;
        for (int64_t b = 0; b < z->last; b++)
            t[a] += z->B[a + b * z->last] * s[b];
        sum += t[a] * t[a];
    }
    return sqrt(sum);
}

static int64_t converged(const lanczos *z, int64_t *skip)
{
    double t[BLOCK];
    int64_t k = 0;
    while (k < z->want && k < z->m) {
        const double theta = z->theta[z->m - 1 - k],
                     above =
                         tail(z, k, t) / fmax(z->tol * fabs(theta), ROUND_OFF * z->theta[z->m - 1]);
        if (!(above <= 1))
            break;
        k++;
    }
    *skip = 1;
    if (k < z->want && z->m >= z->want) {
        const double above = tail(z, z->want - 1, t) / (z->tol * fabs(z->theta[z->m - z->want]));
        *skip = above > FALL ? (int64_t)(log(fmin(above, 1e30)) / log(FALL)) : 1;
    }
    return k;
}

/* (LM.5) */
static fb_status restart(lanczos *z, fb_err *e)
{
    const int64_t m = z->m, most = m - z->p, k = z->want + KEEP < most ? z->want + KEEP : most;
    fb_mat C = {m, k, team_room(m * k, 8)}, R = {z->own, k, team_room(z->own * k, 8)};
    const fb_mat Q = basis(z, 0, m);
    for (int64_t c = 0; c < k; c++)
        memcpy(C.x + c * m, z->S.x + (m - 1 - c) * m, sizeof *C.x * (size_t)m);
    fb_status s = fb_gemm(0, 0, 1, &Q, &C, 0, &R, e);
    memcpy(z->Q, R.x, sizeof *R.x * (size_t)(z->own * k));
    memmove(z->Q + k * z->own, z->Q + m * z->own, sizeof *z->Q * (size_t)(z->own * z->p));
    memset(z->H, 0, sizeof *z->H * (size_t)(z->cap * z->cap));
    for (int64_t c = 0; c < k; c++)
        z->H[c + c * z->cap] = z->theta[m - 1 - c];
    z->m = k;
    FB_FREE_BY(fb_mat_free, &C, &R);
    return s;
}

static fb_status iterate(lanczos *z, int64_t room, int *whole, fb_err *e)
{
    int64_t good = 0, wait = 0;
    *whole = 0;
    for (int turn = 0; good < z->want && !*whole;) {
        if (z->m + z->p > z->cap) {
            if (++turn > RESTARTS)
                return fb_fail(e, FB_ESOLVE,
                               "block Lanczos: %lld of %lld modes have converged after %d restarts",
                               (long long)good, (long long)z->want, RESTARTS);
            FB_PASS(ritz(z, e));
            FB_PASS(restart(z, e));
            wait = 0;
        }
        FB_PASS(step(z, e));
        *whole = z->p == 0 || z->m >= room;
        if (!*whole && (z->m < z->want || --wait > 0) && z->m + z->p <= z->cap)
            continue;
        FB_PASS(ritz(z, e));
        good = *whole ? (z->want < z->m ? z->want : z->m) : converged(z, &wait);
        if (*whole)
            z->want = good;
    }
    return FB_OK;
}

/* (LM.4) X [own x want] and lambda. */
static fb_status modes(lanczos *z, fb_mat *X, double *lambda, fb_err *e)
{
    const int64_t m = z->m, n = z->want;
    const fb_mat Q = basis(z, 0, m), W = basis(z, m, z->p);
    fb_mat C = {m, n, team_room(m * n, 8)}, T = {z->p, n, team_room(BLOCK * n, 8)};
    for (int64_t c = 0; c < n; c++) {
        double t[BLOCK];
        const double theta = z->theta[m - 1 - c];
        memcpy(C.x + c * m, z->S.x + (m - 1 - c) * m, sizeof *C.x * (size_t)m);
        (void)tail(z, c, t);
        for (int64_t a = 0; a < z->p; a++)
            T.x[a + c * z->p] = t[a] / theta;
        lambda[c] = z->sigma + 1 / theta;
    }
    fb_status s = fb_gemm(0, 0, 1, &Q, &C, 0, X, e);
    if (!s && z->p)
        s = fb_gemm(0, 0, 1, &W, &T, 1, X, e);
    FB_FREE_BY(fb_mat_free, &C, &T);
    return s;
}

static int64_t least(int64_t a, int64_t b)
{
    return a < b ? a : b;
}

/* a[0] M, a[1] factor of K - sigma M, a[2] block to stay orthogonal to or 0, a[3] columns of it,
 * a[4] roots wanted, a[5] roots there may be, a[6] seed; d[0] sigma, d[1] tolerance. a[7] := the
 * modes, a[8] how many, a[9] how many there are, 0: not known, a[10] vectors solved for; out:
 * lambda, on rank 0, ascending. */
fb_status team_lanczos(team_work *w, fb_err *e)
{
    lanczos z = {.M = team_get(w->a[0]),
                 .F = team_get(w->a[1]),
                 .want = least(w->a[4], w->a[5]),
                 .sigma = w->d[0],
                 .tol = w->d[1],
                 .seed = (uint64_t)w->a[6] << 32};
    team_object *X = team_new(TEAM_BLOCK, &w->a[7]);
    int whole = 0;
    fb_status s = FB_OK;
    team_cut_copy(&X->rows, &z.M->rows);
    z.own = X->rows.own;
    z.first = X->rows.first;
    z.Y = w->a[2] ? fb_mat_columns(&team_get(w->a[2])->X, 0, w->a[3]) : (fb_mat){z.own, 0, NULL};
    z.p = least(BLOCK, w->a[5]);
    z.cap = least(z.want + (z.want > EXTRA ? z.want / 2 + EXTRA : 2 * EXTRA), w->a[5] + BLOCK);
    z.Q = team_room(z.own * (z.cap + BLOCK), 8);
    z.MW = team_room(z.own * BLOCK, 8);
    z.H = team_room(z.cap * z.cap, 8);
    z.theta = team_room(z.cap, 8);
    z.C = team_room(z.cap * BLOCK, 8);
    z.B = team_room(BLOCK * BLOCK, 8);
    fb_mat W = basis(&z, 0, z.p);
    random_block(&z, W.x, z.p);
    FB_TRY(team_factor_apply(z.F, &W, e)); /* smooth, and in the range of (LM.1) */
    z.solves += z.p;
    for (int pass = 0; pass < 2; pass++)
        FB_TRY(project(&z, &W, NULL, e));
    FB_TRY(normalise(&z, &W, e));
    z.p = W.n;
    z.scale = 0; /* from here on of A W */
    FB_TRY(iterate(&z, w->a[5], &whole, e));
    double *lambda = team_room(z.want, 8);
    X->X = (fb_mat){z.own, z.want, team_room(z.own * z.want, 8)};
    s = modes(&z, &X->X, lambda, e);
    if (!team_rank)
        memcpy(w->out, lambda, sizeof *lambda * (size_t)z.want);
    free(lambda);
    w->a[8] = z.want;
    w->a[9] = whole ? z.m : 0;
    w->a[10] = z.solves;
out:
    fb_mat_free(&z.S);
    void *const all[] = {z.Q, z.MW, z.H, z.theta, z.C, z.B};
    for (size_t k = 0; k < sizeof all / sizeof *all; k++)
        free(all[k]);
    return s;
}
