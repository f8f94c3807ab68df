/* SPDX-License-Identifier: GPL-3.0-or-later */
/* rows.c - vectors as rows: from columns and back, and a block of them against a basis as columns.
 *
 * Equations (RO.1) C = Q'V,  (RO.2) W := W - Q C
 * Method    the kernels of the solves: Q is to W what the rows below a supernode are to its
 *           right-hand sides. Threads take rows; what they sum up is added in their order.
 * Cost      4 n k flops a vector; Q is fetched twice for all of them
 * Laws      tests/unit/test_rows.c
 */
#include "blas.h"
#include "dense.h"
#include "memory.h"
#include "rows.h"
#include <math.h>
#include <string.h>

enum { WIDTH = FB_NARROW, FEW = 4096 /* rows: below, a thread costs more than it saves */ };

/* ---- rows and columns ------------------------------------------------------------------ */

void fb_turn_rows(const fb_turn *z, int64_t from, int64_t to)
{
    for (int64_t i = from; i < to; i++) {
        double *x = z->x + (z->perm ? z->perm[i] : i), *r = z->R + i * z->width;
        if (z->back)
            for (int64_t c = 0; c < z->k; c++)
                x[c * z->n] = r[c];
        else
            for (int64_t c = 0; c < z->width; c++)
                r[c] = c < z->k ? x[c * z->n] : 0;
    }
}

typedef struct {
    const fb_turn *turn;
    int threads;
} shared_turn;

static void turn_share(void *arg, int t)
{
    const shared_turn *z = arg;
    const int64_t n = z->turn->n;
    fb_turn_rows(z->turn, n * t / z->threads, n * (t + 1) / z->threads);
}

void fb_turn_all(const fb_turn *z, int threads)
{
    fb_parallel(threads, turn_share, &(shared_turn){z, threads});
}

/* ---- a block --------------------------------------------------------------------------- */

fb_status fb_rows_new(fb_rows *b, int64_t n, int64_t most, fb_err *e)
{
    fb_status s = FB_OK;
    *b = (fb_rows){.n = n,
                   .most = most,
                   .threads = n < FEW ? 1 : fb_threads(),
                   .kernels = fb_kernels_for(WIDTH, 0)};
    FB_TRY(fb_new(&b->at, n, sizeof *b->at, "rows of a block", e));
    FB_TRY(fb_new(&b->part, b->threads * most, WIDTH * sizeof *b->part, "projections", e));
    FB_TRY(fb_new(&b->sum2, b->threads, WIDTH * sizeof *b->sum2, "norms", e));
    for (int64_t i = 0; i < n; i++)
        b->at[i] = i;
out:
    if (s)
        fb_rows_free(b);
    return s;
}

void fb_rows_free(fb_rows *b)
{
    FB_FREE(b->at, b->part, b->sum2);
    *b = (fb_rows){0};
}

/* ---- a thread's rows ------------------------------------------------------------------- */

typedef struct {
    const fb_rows *b;
    const double *Q, *c;
    int64_t k;
    const double *from;
    double *to;
    const int64_t *place;
    int back;
} job;

static int64_t first_row(const fb_rows *b, int t)
{
    return b->n * t / b->threads;
}

static void squares(const fb_rows *b, const double *W, int t)
{
    double sum[WIDTH] = {0};
    for (int64_t i = first_row(b, t); i < first_row(b, t + 1); i++)
        for (int a = 0; a < WIDTH; a++)
            sum[a] += W[i * WIDTH + a] * W[i * WIDTH + a];
    memcpy(b->sum2 + t * WIDTH, sum, sizeof sum);
}

static void square_rows(void *arg, int t)
{
    const job *z = arg;
    squares(z->b, z->from, t);
}

/* (RO.1), negative */
static void gather_rows(void *arg, int t)
{
    const job *z = arg;
    const fb_rows *b = z->b;
    int64_t i = first_row(b, t);
    double *c = b->part + t * b->most * WIDTH;
    memset(c, 0, sizeof *c * (size_t)(z->k * WIDTH));
    b->kernels->up(first_row(b, t + 1) - i, z->k, z->Q + i, b->n, b->at + i, c, z->to, WIDTH);
}

/* (RO.2) */
static void subtract_rows(void *arg, int t)
{
    const job *z = arg;
    const fb_rows *b = z->b;
    int64_t i = first_row(b, t);
    b->kernels->down(first_row(b, t + 1) - i, z->k, z->Q + i, b->n, b->at + i, z->c, z->to, WIDTH);
    squares(b, z->to, t);
}

static void move_rows(void *arg, int t)
{
    const job *z = arg;
    for (int64_t i = first_row(z->b, t); i < first_row(z->b, t + 1); i++) {
        const double *from = z->from + (z->back ? z->place[i] : i) * WIDTH;
        memcpy(z->to + (z->back ? i : z->place[i]) * WIDTH, from, WIDTH * sizeof *from);
    }
}

/* ---- all rows -------------------------------------------------------------------------- */

static void roots(const fb_rows *b, double *norm)
{
    for (int a = 0; a < WIDTH; a++) {
        norm[a] = 0;
        for (int t = 0; t < b->threads; t++)
            norm[a] += b->sum2[t * WIDTH + a];
        norm[a] = sqrt(norm[a]);
    }
}

void fb_rows_norms(fb_rows *b, const double *W, double *norm)
{
    job z = {.b = b, .from = W};
    fb_parallel(b->threads, square_rows, &z);
    roots(b, norm);
}

void fb_rows_inner(fb_rows *b, const double *Q, int64_t k, double *V, double *c)
{
    job z = {.b = b, .Q = Q, .k = k, .to = V};
    fb_parallel(b->threads, gather_rows, &z);
    for (int64_t q = 0; q < k * WIDTH; q++) {
        c[q] = 0;
        for (int t = 0; t < b->threads; t++)
            c[q] -= b->part[t * b->most * WIDTH + q];
    }
}

void fb_rows_subtract(fb_rows *b, const double *Q, int64_t k, const double *c, double *W,
                      double *norm)
{
    job z = {.b = b, .Q = Q, .k = k, .c = c, .to = W};
    fb_parallel(b->threads, subtract_rows, &z);
    roots(b, norm);
}

void fb_rows_project(fb_rows *b, const double *Q, int64_t k, double *W, double *c, double *norm)
{
    fb_rows_inner(b, Q, k, W, c);
    fb_rows_subtract(b, Q, k, c, W, norm);
}

fb_status fb_rows_gram(const fb_rows *b, double *W, double *G, fb_err *e)
{
    const fb_mat w = {WIDTH, b->n, W};
    fb_mat g = {WIDTH, WIDTH, G};
    return fb_gemm(0, 1, 1, &w, &w, 0, &g, e);
}

fb_status fb_rows_times(const fb_rows *b, double *W, double *X, double *V, fb_err *e)
{
    const fb_mat w = {WIDTH, b->n, W}, x = {WIDTH, WIDTH, X};
    fb_mat v = {WIDTH, b->n, V};
    return fb_gemm(1, 0, 1, &x, &w, 0, &v, e);
}

void fb_rows_to_columns(const fb_rows *b, double *W, int64_t p, double *Q)
{
    fb_turn_all(&(fb_turn){.x = Q, .R = W, .n = b->n, .k = p, .width = WIDTH, .back = 1},
                b->threads);
}

void fb_rows_move(const fb_rows *b, const double *W, const int64_t *place, int back, double *V)
{
    job z = {.b = b, .from = W, .to = V, .place = place, .back = back};
    fb_parallel(b->threads, move_rows, &z);
}
