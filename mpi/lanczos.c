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
 *   (LM.6) <w - Q c, w - Q c> = <w, w> - c'c,  c = <Q, w>: whether another pass is needed
 * Source     Grimes, Lewis, Simon, SIAM J. Matrix Anal. Appl. 15 (1994) 228-272; Wu & Simon, SIAM
 *            J. Matrix Anal. Appl. 22 (2000) 602-616 (LM.5); Ericsson & Ruhe, Math. Comp. 35 (1980)
 *            1251-1268 (LM.4); Daniel, Gragg, Kaufman, Stewart, Math. Comp. 30 (1976) 772-795
 *            (LM.6)
 * Layout     blocks are rows of BLOCK values, behind ours those of the ghosts of M; the basis
 *            columns
 * Cost       a step: one solve and two products of p vectors, 4 N m p flops, 3 or 4 sums over the
 *            ranks
 */
#include "linalg/dense.h"
#include "linalg/rows.h"
#include "memory.h"
#include "team.h"
#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum {
    BLOCK = FB_NARROW, /* 16 take half as many vectors more, and time with them (measured) */
    WINDOW = 104,      /* modes that the basis is made for, twice; of more each takes one vector  */
    EXTRA = 96,
    RESTARTS = 200,
    PASSES = 4 /* orthogonalisations; two are enough but for round-off in a small block */
};
static const double DROP = 0.1;       /* a pass that leaves less of a column is repeated  */
static const double DEPENDENT = 1e-8; /* a pivot of the scaled Gram matrix                */
static const double EASY = 0.1;       /* its least one where one factor of it is enough   */
static const double NOISE = 1e-12;    /* of the largest norm: round-off                   */
static const double ROUND_OFF = 0.25 * DBL_EPSILON;
static const double FALL = 8; /* a residual falls by 3 to 5 a step */

typedef struct {
    const team_object *M;
    team_object *F;
    fb_mat Y;
    int64_t own, m, cap, want, solves;
    int64_t p, last; /* columns of W, of the last block in Q, which B has as rows and columns */
    int64_t recent;  /* columns of MQ; 0: the next step has no recurrence of three terms */
    fb_rows rows;
    double *Q;          /* [own x (cap + BLOCK)]: the basis, at the end with W behind */
    double *MQ;         /* [own x 2 BLOCK]: M times the last two blocks of Q */
    double *W, *MW, *V; /* [own + ghosts][BLOCK]: the next block, M W, a place beside it */
    double *coef;       /* [(1 + Y.n + cap) x BLOCK]: squares, then coefficients */
    double *sum;        /* [cap x BLOCK]: what was taken out of W */
    double *H, *theta, *B;
    fb_mat S;
    double sigma, tol, scale;
    uint64_t seed;
    int64_t first; /* our first row */
} lanczos;

static int64_t least(int64_t a, int64_t b)
{
    return a < b ? a : b;
}

static double *column(const lanczos *z, int64_t k)
{
    return z->Q + k * z->own;
}

static void random_column(lanczos *z, double *x)
{
    const uint64_t seed = z->seed++;
    for (int64_t i = 0; i < z->own; i++) { /* the same whatever the ranks */
        uint64_t state = fb_mix(seed) ^ fb_mix((uint64_t)(z->first + i));
        fb_random_fill(&state, x + i * BLOCK, 1);
    }
}

static void swap(double **a, double **b)
{
    double *t = *a;
    *a = *b;
    *b = t;
}

/* W := S^-1 M W, of which MW is given. */
static fb_status apply(lanczos *z, fb_err *e)
{
    swap(&z->W, &z->MW);
    FB_PASS(team_factor_apply_rows(z->F, z->W, z->p, e));
    z->solves += z->p;
    return FB_OK;
}

/* x := x - [Y Q] <[Y Q], x>, or of Q the last `recent` columns alone, if any; Mx = M x is not
 * brought along. before and now: squares of the lengths (LM.6). */
static void project(lanczos *z, int64_t recent, double *x, double *Mx, double *before, double *now)
{
    const int64_t ny = recent ? 0 : z->Y.n, n = recent ? recent : z->m, from = z->m - n;
    double *c = z->coef + BLOCK, *cq = c + ny * BLOCK, norms[BLOCK];
    memset(z->coef, 0, sizeof *c * BLOCK);
    for (int64_t i = 0; i < z->own; i++)
        for (int b = 0; b < BLOCK; b++)
            z->coef[b] += x[i * BLOCK + b] * Mx[i * BLOCK + b];
    fb_rows_inner(&z->rows, z->Y.x, ny, Mx, c);
    fb_rows_inner(&z->rows, column(z, from), n, Mx, cq);
    team_sum(z->coef, (1 + ny + n) * BLOCK, 1);
    fb_rows_subtract(&z->rows, z->Y.x, ny, c, x, norms);
    fb_rows_subtract(&z->rows, column(z, from), n, cq, x, norms);
    for (int b = 0; b < BLOCK; b++)
        before[b] = now[b] = z->coef[b];
    for (int64_t a = 0; a < ny + n; a++)
        for (int b = 0; b < BLOCK; b++)
            now[b] -= c[a * BLOCK + b] * c[a * BLOCK + b];
    for (int64_t a = 0; a < n * BLOCK; a++)
        z->sum[from * BLOCK + a] += cq[a];
}

/* 1: some column is much shorter than it was. */
static int dropped(const double *before, const double *now)
{
    int yes = 0;
    for (int b = 0; b < BLOCK; b++)
        yes |= now[b] < DROP * DROP * before[b];
    return yes;
}

/* W against all of the basis. The recurrence of three terms says where its large parts lie: they go
 * first, so that one pass over the whole basis is mostly enough. */
static void orthogonalise(lanczos *z)
{
    double before[BLOCK], now[BLOCK], norms[BLOCK];
    memset(z->sum, 0, sizeof *z->sum * (size_t)(z->cap * BLOCK));
    team_times_rows(z->M, z->W, z->MW);
    if (z->recent > z->last) {
        project(z, z->recent, z->W, z->MW, before, now);
        if (dropped(before, now)) /* round-off of the long one is in MQ c */
            team_times_rows(z->M, z->W, z->MW);
        else
            fb_rows_subtract(&z->rows, z->MQ, z->recent, z->coef + BLOCK, z->MW, norms);
        for (int b = 0; b < BLOCK; b++)
            z->scale = fmax(z->scale, sqrt(fmax(before[b], 0)));
    }
    for (int pass = 0; pass < PASSES; pass++) {
        project(z, 0, z->W, z->MW, before, now);
        for (int b = 0; b < BLOCK; b++)
            z->scale = fmax(z->scale, sqrt(fmax(before[b], 0)));
        if (!dropped(before, now))
            break;
        team_times_rows(z->M, z->W, z->MW);
    }
}

/* x := x R^-1, R [p x p] upper; rows [n][BLOCK] */
static void divide(double *x, int64_t n, const double *R, int64_t p)
{
    for (int64_t i = 0; i < n; i++, x += BLOCK)
        for (int64_t j = 0; j < p; j++) {
            double t = x[j];
            for (int64_t k = 0; k < j; k++)
                t -= x[k] * R[k + j * p];
            x[j] = t / R[j + j * p];
        }
}

/* G := x'Mx [BLOCK x BLOCK] */
static fb_status gram(const lanczos *z, double *x, double *Mx, double *G, fb_err *e)
{
    const fb_mat X = {BLOCK, z->own, x}, MX = {BLOCK, z->own, Mx};
    fb_mat A = {BLOCK, BLOCK, G};
    fb_status s = fb_gemm(0, 1, 1, &X, &MX, 0, &A, e);
    team_sum(G, BLOCK * BLOCK, 1);
    return s;
}

/* B := R B, upper triangles [p x p] */
static void times_triangle(const double *R, int64_t p, double *B)
{
    double C[BLOCK * BLOCK] = {0};
    for (int64_t j = 0; j < p; j++)
        for (int64_t i = 0; i <= j; i++)
            for (int64_t k = i; k <= j; k++)
                C[i + j * p] += R[i + k * p] * B[k + j * p];
    memcpy(B, C, sizeof *C * (size_t)(p * p));
}

/* B := R B, W := W R^-1, MW likewise; *good = 0 where columns depend on each other or are round-off
 * of `size`, and nothing has changed; *easy = 1 where they are far from it. */
static fb_status orthonormal(lanczos *z, double size, int *good, int *easy, fb_err *e)
{
    const int64_t p = z->p;
    double all[BLOCK * BLOCK], G[BLOCK * BLOCK], d[BLOCK];
    FB_PASS(gram(z, z->W, z->MW, all, e));
    *good = *easy = 1;
    for (int64_t j = 0; j < p; j++) {
        d[j] = sqrt(fmax(all[j * (BLOCK + 1)], 0));
        *good &= d[j] > NOISE * size;
    }
    for (int64_t j = 0; *good && j < p; j++)
        for (int64_t i = 0; i < p; i++)
            G[i + j * p] = all[i + j * BLOCK] / (d[i] * d[j]);
    if (!*good || !(*good = fb_cholesky_scaled(G, p, p, DEPENDENT)))
        return FB_OK;
    for (int64_t j = 0; j < p; j++)
        *easy &= G[j + j * p] * G[j + j * p] > EASY;
    for (int64_t j = 0; j < p; j++)
        for (int64_t i = 0; i <= j; i++)
            G[i + j * p] *= d[j];
    divide(z->W, z->own, G, p);
    divide(z->MW, z->own, G, p);
    times_triangle(G, p, z->B);
    return FB_OK;
}

/* Column c of W against all before it; its length. b [c] += what was taken of W's first c. */
static fb_status one(lanczos *z, int64_t c, double *b, double *length, fb_err *e)
{
    double before[BLOCK], now[BLOCK], G[BLOCK * BLOCK];
    memset(z->V, 0, sizeof *z->V * (size_t)(z->own * BLOCK));
    for (int64_t i = 0; i < z->own; i++)
        z->V[i * BLOCK] = z->W[i * BLOCK + c];
    for (int pass = 0; pass < PASSES; pass++) {
        team_times_rows(z->M, z->V, z->MW);
        FB_PASS(gram(z, z->W, z->MW, G, e));
        project(z, 0, z->V, z->MW, before, now);
        for (int64_t i = 0; i < z->own; i++)
            for (int64_t k = 0; k < c; k++)
                z->V[i * BLOCK] -= G[k] * z->W[i * BLOCK + k];
        for (int64_t k = 0; k < c; k++) {
            now[0] -= G[k] * G[k];
            if (b)
                b[k] += G[k];
        }
        if (pass && !dropped(before, now))
            break;
    }
    team_times_rows(z->M, z->V, z->MW);
    FB_PASS(gram(z, z->V, z->MW, G, e));
    for (int64_t i = 0; i < z->own; i++)
        z->W[i * BLOCK + c] = z->V[i * BLOCK];
    *length = sqrt(fmax(G[0], 0));
    return FB_OK;
}

/* Column c of W := A of a random one, against all before it; its length. */
static fb_status replace(lanczos *z, int64_t c, double *length, fb_err *e)
{
    memset(z->V, 0, sizeof *z->V * (size_t)(z->own * BLOCK));
    random_column(z, z->V);
    team_times_rows(z->M, z->V, z->MW);
    FB_PASS(team_factor_apply_rows(z->F, z->MW, 1, e));
    for (int64_t i = 0; i < z->own; i++)
        z->W[i * BLOCK + c] = z->MW[i * BLOCK];
    return one(z, c, NULL, length, e);
}

/* Column by column; one that depends on those before it, or is round-off of `size`, is replaced by
 * a random one, with a zero row in B. Where that has no length either the space is whole: W ends
 * there. */
static fb_status careful(lanczos *z, double size, fb_err *e)
{
    const int64_t p = z->p;
    double R[BLOCK * BLOCK] = {0};
    for (int64_t c = 0; c < p; c++) {
        double left;
        FB_PASS(one(z, c, R + c * p, &left, e));
        const int own = left > NOISE * size;
        for (int try = 0; !own && try < 2 && !(left > 1e-6 * z->scale); try++)
            FB_PASS(replace(z, c, &left, e));
        if (!own && !(left > 1e-6 * z->scale)) {
            for (int64_t i = 0; i < z->own; i++)
                for (int64_t k = c; k < BLOCK; k++)
                    z->W[i * BLOCK + k] = 0;
            z->p = c;
            break;
        }
        R[c + c * p] = own ? left : 0;
        for (int64_t i = 0; i < z->own; i++)
            z->W[i * BLOCK + c] /= left;
    }
    times_triangle(R, p, z->B);
    team_times_rows(z->M, z->W, z->MW);
    return FB_OK;
}

/* W and MW = M W, orthonormal; B what W was in it. */
static fb_status normalise(lanczos *z, fb_err *e)
{
    double size = z->scale;
    int good = 0, easy = 0;
    memset(z->B, 0, sizeof *z->B * BLOCK * BLOCK);
    for (int64_t k = 0; k < z->p; k++)
        z->B[k + k * z->p] = 1;
    team_times_rows(z->M, z->W, z->MW);
    FB_PASS(orthonormal(z, size, &good, &easy, e));
    if (good && !easy) { /* the first leaves cond(W)^2 eps */
        size = 1;
        FB_PASS(orthonormal(z, size, &good, &easy, e));
    }
    return good ? FB_OK : careful(z, size, e);
}

/* (LM.2) W joins the basis; the next block. */
static fb_status step(lanczos *z, fb_err *e)
{
    const int64_t p = z->p, first = z->m, keep = z->recent ? z->last : 0;
    fb_rows_to_columns(&z->rows, z->W, p, column(z, first));
    memmove(z->MQ, z->MQ + (z->recent - keep) * z->own, sizeof *z->MQ * (size_t)(keep * z->own));
    fb_rows_to_columns(&z->rows, z->MW, p, z->MQ + keep * z->own);
    z->recent = keep + p;
    z->last = p;
    z->m += p;
    FB_PASS(apply(z, e));
    orthogonalise(z);
    for (int64_t j = 0; j < p; j++)
        for (int64_t a = 0; a < z->m; a++) {
            double h = z->sum[a * BLOCK + j];
            if (a >= first)
                h = (h + z->sum[(first + j) * BLOCK + a - first]) / 2;
            z->H[a + (first + j) * z->cap] = z->H[first + j + a * z->cap] = h;
        }
    return normalise(z, e);
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
    const int64_t m = z->m, k = least(z->want + (m - z->want) / 3, m - z->p);
    fb_mat C = {m, k, team_room(m * k, 8)}, Q = {z->own, m, z->Q};
    for (int64_t c = 0; c < k; c++)
        memcpy(C.x + c * m, z->S.x + (m - 1 - c) * m, sizeof *C.x * (size_t)m);
    fb_status s = fb_mat_times(&Q, &C, e);
    memset(z->H, 0, sizeof *z->H * (size_t)(z->cap * z->cap));
    for (int64_t c = 0; c < k; c++)
        z->H[c + c * z->cap] = z->theta[m - 1 - c];
    z->m = k;
    z->recent = 0;
    fb_mat_free(&C);
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

/* (LM.4) X [own x want], in the place of the basis, and lambda. */
static fb_status modes(lanczos *z, fb_mat *X, double *lambda, fb_err *e)
{
    const int64_t m = z->m, p = z->p, n = z->want;
    fb_mat C = {m + p, n, team_room((m + p) * n, 8)};
    for (int64_t c = 0; c < n; c++) {
        double t[BLOCK], *to = C.x + c * (m + p);
        const double theta = z->theta[m - 1 - c];
        memcpy(to, z->S.x + (m - 1 - c) * m, sizeof *to * (size_t)m);
        (void)tail(z, c, t);
        for (int64_t a = 0; a < p; a++)
            to[m + a] = t[a] / theta;
        lambda[c] = z->sigma + 1 / theta;
    }
    fb_rows_to_columns(&z->rows, z->W, p, column(z, m));
    *X = (fb_mat){z->own, m + p, z->Q};
    z->Q = NULL;
    fb_status s = fb_mat_times(X, &C, e);
    double *less = fb_realloc(X->x, (size_t)(z->own * n), sizeof *X->x);
    X->x = less ? less : X->x;
    fb_mat_free(&C);
    return s;
}

static fb_status open_lanczos(lanczos *z, int64_t room, fb_err *e)
{
    const int64_t rows = (z->own + z->M->A.nghost) * BLOCK;
    z->p = least(BLOCK, room);
    z->cap = least(z->want + least(z->want, WINDOW) + EXTRA, room + BLOCK);
    z->Q = team_room(z->own * (z->cap + BLOCK), 8);
    z->MQ = team_room(z->own * 2 * BLOCK, 8);
    z->W = team_room(rows, 8);
    z->MW = team_room(rows, 8);
    z->V = team_room(rows, 8);
    z->H = team_room(z->cap * z->cap, 8);
    z->theta = team_room(z->cap, 8);
    z->coef = team_room((1 + z->Y.n + z->cap) * BLOCK, 8);
    z->sum = team_room(z->cap * BLOCK, 8);
    z->B = team_room(BLOCK * BLOCK, 8);
    FB_PASS(team_agree(fb_rows_new(&z->rows, z->own, z->Y.n + z->cap, e), e));
    for (int64_t k = 0; k < z->p; k++)
        random_column(z, z->W + k);
    team_times_rows(z->M, z->W, z->MW);
    FB_PASS(apply(z, e)); /* smooth, and in the range of (LM.1) */
    orthogonalise(z);
    FB_PASS(normalise(z, e));
    z->scale = 0; /* from here on of A W */
    return FB_OK;
}

static void close_lanczos(lanczos *z)
{
    void *const all[] = {z->Q, z->MQ, z->W, z->MW, z->V, z->coef, z->sum, z->H, z->theta, z->B};
    for (size_t k = 0; k < sizeof all / sizeof *all; k++)
        free(all[k]);
    fb_rows_free(&z->rows);
    fb_mat_free(&z->S);
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
    FB_TRY(team_park(team_factor_folder(z.F->F), z.M, w->a[2] ? team_get(w->a[2]) : NULL, e));
    fb_memory_trim();
    FB_TRY(open_lanczos(&z, w->a[5], e));
    FB_TRY(iterate(&z, w->a[5], &whole, e));
    double *lambda = team_room(z.want, 8);
    s = modes(&z, &X->X, lambda, e);
    if (!team_rank)
        memcpy(w->out, lambda, sizeof *lambda * (size_t)z.want);
    free(lambda);
    w->a[8] = z.want;
    w->a[9] = whole ? z.m : 0;
    w->a[10] = z.solves;
out:
    close_lanczos(&z);
    return team_unpark(s, e);
}
