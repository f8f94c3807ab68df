/* SPDX-License-Identifier: GPL-3.0-or-later */
/* sparse_block.c - a sparse matrix times a block of columns.
 *
 * Equation (SB.1) Y = A X,  A [m x n] sparse,  X [n x k]
 *          (SB.2) C = U'(A V), all of it where C is symmetric, too: C = U'(A V + F), |F| <= eps
 *          |A||V|, so that a motion x = V a, small by cancellation of large columns, has the energy
 *          a'Ca to eps |x||A||V||a|; half of C, mirrored, has it to eps |a||V||A||V||a| only
 * Method   columns are turned into rows, 4, 8 or 16 of them at a time: all of a row is used
 *          wherever A points, and A is read once for so many columns.
 *          Threads take different columns of X, so that their number changes no sum; where X is one
 *          block of rows, they take columns of A that hold as many entries, and their sums are
 *          added in order. Residuals are summed in twice the digits (twofold.h). (SB.2) takes the
 *          rows of A V as they are, by the kernels of the solves, to which U is what the rows below
 *          a supernode are.
 * Source   Gropp, Kaushik, Keyes & Smith, "Toward realistic performance bounds for implicit CFD
 *          codes", Parallel CFD 1999 (sparse products are bound by memory: many vectors at once)
 * Laws     tests/unit/test_sparse_ops.c
 */
#include "blas.h"
#include "dense.h"
#include "far.h"
#include "sparse_ops.h"
#include "memory.h"
#include "rows.h"
#include "twofold.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { HALF = 4, LINE = 8, TWO = 16 }; /* columns at a time, in cache lines of doubles */
/* Below so many products of two numbers a thread costs more than it saves. */
static const double worth_a_thread = 4e6;

/* S += A R, columns from..to-1 of A, for rows of `width` doubles, in vectors that the processor
 * has: the sums of a column and its row of R stay in registers. */
#define PRODUCT(name, target, vector, width) \
    target static void name(const fb_csc *A, int64_t from, int64_t to, const double *restrict R, \
                            double *restrict S) \
    { \
        enum { LANES = sizeof(vector) / sizeof(double), N = (width) / LANES }; \
        for (int64_t j = from; j < to; j++) { \
            const vector *const rj = (const vector *)(R + j * (width)); \
            vector sum[N], x[N]; \
            FB_UNROLL for (int c = 0; c < N; c++) \
            { \
                x[c] = rj[c]; \
                sum[c] = (vector){0}; \
            } \
            for (int64_t q = A->p[j]; q < A->p[j + 1]; q++) { \
                const int64_t i = A->i[q]; \
                const double a = A->x[q]; \
                vector *const si = (vector *)(S + i * (width)); \
                FB_UNROLL for (int c = 0; c < N; c++) si[c] += a * x[c]; \
                if (!A->upper || i == j) \
                    continue; \
                const vector *const ri = (const vector *)(R + i * (width)); \
                FB_UNROLL for (int c = 0; c < N; c++) sum[c] += a * ri[c]; \
            } \
            if (!A->upper) \
                continue; \
            vector *const sj = (vector *)(S + j * (width)); \
            FB_UNROLL for (int c = 0; c < N; c++) sj[c] += sum[c]; \
        } \
    }

#define VECTOR(bytes) __attribute__((vector_size(bytes), aligned(8), may_alias))
typedef double pair VECTOR(16);
PRODUCT(half_line, , pair, HALF)
PRODUCT(one_line, , pair, LINE)
PRODUCT(two_lines, , pair, TWO)
#if defined __x86_64__
typedef double quad VECTOR(32);
typedef double octet VECTOR(64);
PRODUCT(half_line_avx2, FB_AVX2, quad, HALF)
PRODUCT(one_line_avx2, FB_AVX2, quad, LINE)
PRODUCT(two_lines_avx2, FB_AVX2, quad, TWO)
PRODUCT(one_line_avx512, FB_AVX512, octet, LINE)
PRODUCT(two_lines_avx512, FB_AVX512, octet, TWO)
#define half_line_avx512 half_line_avx2 /* 4 doubles do not fill an octet */
#endif

typedef void kernel(const fb_csc *A, int64_t from, int64_t to, const double *restrict R,
                    double *restrict S);

static kernel *best_kernel(int width)
{
    static kernel *const half[] = FB_BY_PROCESSOR(half_line),
                         *const one[] = FB_BY_PROCESSOR(one_line),
                         *const two[] = FB_BY_PROCESSOR(two_lines);
    return (width == HALF ? half : width == LINE ? one : two)[fb_processor()];
}

typedef struct {
    const fb_csc *A;
    const fb_mat *X;
    fb_mat *Y;
    double *R, *S; /* [threads][n][width], [threads][m][width] */
    kernel *multiply;
    int threads, width;
} job;

/* Every threads-th group of columns, from the t-th. */
static void share(void *arg, int t)
{
    const job *z = arg;
    const int64_t m = z->A->m, n = z->A->n, width = z->width;
    double *R = z->R + t * n * width, *S = z->S + t * m * width;
    for (int64_t j = t * width; j < z->X->n; j += z->threads * width) {
        const int64_t k = z->X->n - j < width ? z->X->n - j : width;
        fb_turn_rows(&(fb_turn){.x = z->X->x + j * n, .R = R, .n = n, .k = k, .width = width}, 0,
                     n);
        memset(S, 0, sizeof *S * (size_t)(m * width));
        z->multiply(z->A, 0, n, R, S); /* (SB.1) */
        fb_turn_rows(
            &(fb_turn){.x = z->Y->x + j * m, .R = S, .n = m, .k = k, .width = width, .back = 1}, 0,
            m);
    }
}

fb_status fb_csc_mul_many(const fb_csc *A, const fb_mat *X, fb_mat *Y, fb_err *e)
{
    job z = {.A = A, .X = X, .Y = Y, .threads = 1, .width = LINE};
    fb_status s = FB_OK;
    if (X->m != A->n || Y->m != A->m || X->n != Y->n)
        return fb_fail(e, FB_ESOLVE, "product of %lld by %lld and %lld by %lld into %lld by %lld",
                       (long long)A->m, (long long)A->n, (long long)X->m, (long long)X->n,
                       (long long)Y->m, (long long)Y->n);
    if (fb_is_far(A->p))
        return fb_far->multiply(A, X, Y, e);
    if (X->n > HALF && (double)A->p[A->n] * (double)X->n > worth_a_thread) {
        z.threads = fb_threads();
        z.width = HALF;
    }
    while (z.width < TWO && z.threads * z.width < X->n)
        z.width *= 2;
    while (z.threads > 1 && (z.threads - 1) * z.width >= X->n)
        z.threads--;
    z.multiply = best_kernel(z.width);
    FB_TRY(fb_new(&z.R, z.threads * A->n, sizeof *z.R * (size_t)z.width, "rows of a product", e));
    FB_TRY(fb_new(&z.S, z.threads * A->m, sizeof *z.S * (size_t)z.width, "rows of a product", e));
    fb_parallel(z.threads, share, &z);
out:
    FB_FREE(z.R, z.S);
    return s;
}

/* ---- between two bases ----------------------------------------------------------------- */

enum { PANEL = 4096 }; /* rows that are summed up by themselves: they stay in the second cache */

typedef struct {
    const fb_csc *A;
    const fb_mat *U, *V;
    fb_mat *C;
    double *R, *S, *sum; /* [threads][n][TWO], [threads][m][TWO], [threads][2][columns of U][TWO] */
    int64_t *at;         /* [PANEL] 0, 1, ... */
    kernel *multiply;
    const fb_kernels *kernels;
    int threads;
} between;

/* sum [nu x TWO] = U'S for the first nu columns of U and rows S; part: as much room; at [PANEL]: 0,
 * 1, ... */
static void inner_rows(const fb_mat *U, int64_t nu, const double *S, const fb_kernels *kernels,
                       const int64_t *at, double *sum, double *part)
{
    const int64_t m = U->m;
    memset(sum, 0, sizeof *sum * (size_t)(nu * TWO));
    for (int64_t i = 0; i < m; i += PANEL) {
        memset(part, 0, sizeof *part * (size_t)(nu * TWO));
        kernels->up(m - i < PANEL ? m - i : PANEL, nu, U->x + i, m, at, part, S + i * TWO, TWO);
        for (int64_t q = 0; q < nu * TWO; q++)
            sum[q] -= part[q];
    }
}

/* (SB.2) the columns j..j+k-1 of C, k at most TWO, by thread t. */
static void columns_between(const between *z, int64_t j, int64_t k, int t)
{
    const int64_t m = z->A->m, n = z->A->n, nu = z->U->n;
    double *R = z->R + t * n * TWO, *S = z->S + t * m * TWO, *sum = z->sum + 2 * t * z->U->n * TWO;
    fb_turn_rows(&(fb_turn){.x = z->V->x + j * n, .R = R, .n = n, .k = k, .width = TWO}, 0, n);
    memset(S, 0, sizeof *S * (size_t)(m * TWO));
    z->multiply(z->A, 0, n, R, S);
    inner_rows(z->U, nu, S, z->kernels, z->at, sum, sum + nu * TWO);
    for (int64_t c = 0; c < k; c++)
        for (int64_t q = 0; q < nu; q++)
            z->C->x[q + (j + c) * z->C->m] = sum[q * TWO + c];
}

static void between_share(void *arg, int t)
{
    const between *z = arg;
    for (int64_t j = t * TWO; j < z->V->n; j += z->threads * TWO)
        columns_between(z, j, z->V->n - j < TWO ? z->V->n - j : TWO, t);
}

/* Threads that share the columns of a product with so many entries, TWO at a time. */
static int sharing(double entries, int64_t columns)
{
    int threads = entries * (double)columns > worth_a_thread ? fb_threads() : 1;
    while (threads > 1 && (threads - 1) * TWO >= columns)
        threads--;
    return threads;
}

/* at [PANEL] 0, 1, ... */
static fb_status rows_of_panel(int64_t **at, fb_err *e)
{
    FB_PASS(FB_NEW(at, PANEL, e));
    for (int64_t i = 0; i < PANEL; i++)
        (*at)[i] = i;
    return FB_OK;
}

fb_status fb_csc_between(const fb_mat *U, const fb_csc *A, const fb_mat *V, fb_mat *C, fb_err *e)
{
    between z = {.A = A, .U = U, .V = V, .C = C};
    fb_status s = FB_OK;
    z.threads = sharing((double)A->p[A->n], V->n);
    z.multiply = best_kernel(TWO);
    z.kernels = fb_kernels_for(TWO, 0);
    FB_TRY(rows_of_panel(&z.at, e));
    FB_TRY(fb_new_by_all(&z.R, z.threads * A->n, sizeof *z.R * TWO, "rows of a product", e));
    FB_TRY(fb_new_by_all(&z.S, z.threads * A->m, sizeof *z.S * TWO, "rows of a product", e));
    FB_TRY(fb_new(&z.sum, 2 * z.threads * U->n, sizeof *z.sum * TWO, "sums of a product", e));
    fb_parallel(z.threads, between_share, &z);
out:
    FB_FREE(z.R, z.S, z.sum, z.at);
    return s;
}

/* ---- what a pair leaves of its modes ---------------------------------------------------- */

typedef struct {
    const fb_csc *K, *M;
    const fb_mat *X;
    const double *lambda;
    double *y, *worst;       /* [columns of X], [threads] */
    double *R, *S, *T, *sum; /* [threads][n][TWO] three times, [threads][2][columns of X][TWO] */
    int64_t *at;             /* [PANEL] 0, 1, ... */
    kernel *multiply;
    const fb_kernels *kernels;
    int threads;
} judgement;

/* y of k modes from the j-th on: ||S - lambda T||/||R|| by columns */
static void lengths(const judgement *z, int64_t j, int64_t k, const double *R, const double *S,
                    const double *T)
{
    double rr[TWO] = {0}, xx[TWO] = {0}, lambda[TWO] = {0};
    memcpy(lambda, z->lambda + j, sizeof *lambda * (size_t)k);
    for (int64_t i = 0; i < z->X->m * TWO; i += TWO)
        for (int c = 0; c < TWO; c++) {
            const double d = S[i + c] - lambda[c] * T[i + c];
            rr[c] += d * d;
            xx[c] += R[i + c] * R[i + c];
        }
    for (int64_t c = 0; c < k; c++)
        z->y[j + c] = sqrt(rr[c] / xx[c]);
}

static void judge_share(void *arg, int t)
{
    const judgement *z = arg;
    const int64_t n = z->X->m, size = n * TWO;
    double *R = z->R + t * size, *S = z->S + t * size, *T = z->T + t * size,
           *sum = z->sum + 2 * t * z->X->n * TWO;
    for (int64_t j = t * TWO; j < z->X->n; j += z->threads * TWO) {
        const int64_t k = z->X->n - j < TWO ? z->X->n - j : TWO;
        fb_turn_rows(&(fb_turn){.x = z->X->x + j * n, .R = R, .n = n, .k = k, .width = TWO}, 0, n);
        memset(S, 0, sizeof *S * (size_t)size);
        memset(T, 0, sizeof *T * (size_t)size);
        z->multiply(z->K, 0, n, R, S);
        z->multiply(z->M, 0, n, R, T);
        lengths(z, j, k, R, S, T);
        inner_rows(z->X, j + k, T, z->kernels, z->at, sum, sum + (j + k) * TWO);
        for (int64_t q = 0; q < j + k; q++)
            for (int64_t c = 0; c < k; c++)
                z->worst[t] = fmax(z->worst[t], fabs(sum[q * TWO + c] - (q == j + c)));
    }
}

fb_status fb_csc_judge(const fb_csc *K, const fb_csc *M, const fb_mat *X, const double *lambda,
                       double *y, double *worst, fb_err *e)
{
    judgement z = {.K = K, .M = M, .X = X, .lambda = lambda, .y = y};
    const int64_t n = X->m;
    fb_status s = FB_OK;
    if (fb_is_far(X->x))
        return fb_far->judge(K, M, X, lambda, y, worst, e);
    z.threads = sharing((double)(K->p[n] + M->p[n]), X->n);
    while (z.threads > 2 && z.threads * 3 * TWO > X->n) /* more room than the modes have */
        z.threads--;
    z.multiply = best_kernel(TWO);
    z.kernels = fb_kernels_for(TWO, 0);
    FB_TRY(rows_of_panel(&z.at, e));
    FB_TRY(FB_NEW(&z.worst, z.threads, e));
    FB_TRY(fb_new_by_all(&z.R, z.threads * n, sizeof *z.R * TWO, "rows of modes", e));
    FB_TRY(fb_new_by_all(&z.S, z.threads * n, sizeof *z.S * TWO, "rows of modes", e));
    FB_TRY(fb_new_by_all(&z.T, z.threads * n, sizeof *z.T * TWO, "rows of modes", e));
    FB_TRY(fb_new(&z.sum, 2 * z.threads * X->n, sizeof *z.sum * TWO, "sums of a product", e));
    fb_parallel(z.threads, judge_share, &z);
    *worst = 0;
    for (int t = 0; t < z.threads; t++)
        *worst = fmax(*worst, z.worst[t]);
out:
    FB_FREE(z.R, z.S, z.T, z.sum, z.worst, z.at);
    return s;
}

/* ---- one block of rows ----------------------------------------------------------------- */

typedef struct {
    const fb_csc *A;
    const double *R;
    double *S, *own; /* [m x LINE], [threads - 1][m x LINE] */
    kernel *multiply;
    int threads;
} rows_job;

/* The first column of thread t's share. */
static int64_t first_column(const fb_csc *A, int t, int threads)
{
    int64_t lo = 0, hi = A->n, entries = A->p[A->n] / threads * t;
    while (lo < hi && t < threads) {
        int64_t mid = (lo + hi) / 2;
        if (A->p[mid] < entries)
            lo = mid + 1;
        else
            hi = mid;
    }
    return t < threads ? lo : A->n;
}

static void columns_share(void *arg, int t)
{
    const rows_job *z = arg;
    double *S = t ? z->own + (t - 1) * z->A->m * LINE : z->S;
    if (t == 0) /* the others' are new, and zero */
        memset(S, 0, sizeof *S * (size_t)(z->A->m * LINE));
    z->multiply(z->A, first_column(z->A, t, z->threads), first_column(z->A, t + 1, z->threads),
                z->R, S);
}

static void add_share(void *arg, int t)
{
    const rows_job *z = arg;
    int64_t n = z->A->m * LINE, from = n * t / z->threads, to = n * (t + 1) / z->threads;
    for (int k = 0; k + 1 < z->threads; k++)
        for (int64_t i = from; i < to; i++)
            z->S[i] += z->own[k * n + i];
}

fb_status fb_csc_mul_rows(const fb_csc *A, const double *R, double *S, fb_err *e)
{
    rows_job z = {.A = A, .R = R, .S = S, .multiply = best_kernel(LINE), .threads = 1};
    if ((double)A->p[A->n] * (double)LINE > worth_a_thread)
        z.threads = fb_threads();
    fb_status s = FB_OK;
    FB_TRY(fb_new(&z.own, (z.threads - 1) * A->m, sizeof *z.own * LINE, "rows of a product", e));
    fb_parallel(z.threads, columns_share, &z);
    if (z.threads > 1)
        fb_parallel(z.threads, add_share, &z);
out:
    free(z.own);
    return s;
}

/* ---- residuals ------------------------------------------------------------------------- */

FB_TWOFOLD_LESS(less, , pair, LINE, int64_t, FB_TWOFOLD_BY_HALVES)
FB_TWOFOLD_LESS(less_half, , pair, HALF, int64_t, FB_TWOFOLD_BY_HALVES)
#if defined __x86_64__
FB_TWOFOLD_LESS(less_avx2, FB_AVX2, quad, LINE, int64_t, FB_TWOFOLD_FUSED_256)
FB_TWOFOLD_LESS(less_half_avx2, FB_AVX2, quad, HALF, int64_t, FB_TWOFOLD_FUSED_256)
FB_TWOFOLD_LESS(less_avx512, FB_AVX512, octet, LINE, int64_t, FB_TWOFOLD_FUSED_512)
#define less_half_avx512 less_half_avx2
#endif

typedef void less_kernel(int64_t, int, const int64_t *, const int64_t *, const double *,
                         const double *, double *, double *);

static less_kernel *best_less(int width)
{
    static less_kernel *const half[] = FB_BY_PROCESSOR(less_half);
    static less_kernel *const one[] = FB_BY_PROCESSOR(less);
    return (width == HALF ? half : one)[fb_processor()];
}

typedef struct {
    const fb_csc *A;
    const fb_mat *X;
    fb_mat *B;
    double *R, *H, *L; /* [threads][n][width] */
    int threads, width;
} residual_job;

static void residual_share(void *arg, int t)
{
    const residual_job *z = arg;
    const int64_t n = z->A->n, width = z->width;
    double *R = z->R + t * n * width, *H = z->H + t * n * width, *L = z->L + t * n * width;
    less_kernel *const subtract = best_less(z->width);
    for (int64_t j = t * width; j < z->X->n; j += z->threads * width) {
        const int64_t k = z->X->n - j < width ? z->X->n - j : width;
        fb_turn x = {.x = z->X->x + j * n, .R = R, .n = n, .k = k, .width = width},
                b = {.x = z->B->x + j * n, .R = H, .n = n, .k = k, .width = width};
        fb_turn_rows(&x, 0, n);
        fb_turn_rows(&b, 0, n);
        memset(L, 0, sizeof *L * (size_t)(n * width));
        subtract(n, z->A->upper, z->A->p, z->A->i, z->A->x, R, H, L);
        for (int64_t i = 0; i < n * width; i++)
            H[i] += L[i];
        b.back = 1;
        fb_turn_rows(&b, 0, n);
    }
}

fb_status fb_csc_residual(const fb_csc *A, const fb_mat *X, fb_mat *B, fb_err *e)
{
    residual_job z = {.A = A, .X = X, .B = B, .threads = 1, .width = LINE};
    fb_status s = FB_OK;
    if (A->m != A->n || X->m != A->n || B->m != A->m || X->n != B->n)
        return fb_fail(e, FB_ESOLVE, "residual of %lld by %lld, %lld by %lld and %lld by %lld",
                       (long long)A->m, (long long)A->n, (long long)X->m, (long long)X->n,
                       (long long)B->m, (long long)B->n);
    if (fb_is_far(A->p))
        return fb_far->residual(A, X, B, e);
    if ((double)A->p[A->n] * (double)X->n > worth_a_thread)
        z.threads = fb_threads();
    if (X->n <= HALF || (z.threads > 1 && X->n <= LINE))
        z.width = HALF;
    while (z.threads > 1 && (z.threads - 1) * z.width >= X->n)
        z.threads--;
    FB_TRY(fb_new_by_all(&z.R, z.threads * A->n, sizeof *z.R * (size_t)z.width,
                         "rows of a residual", e));
    FB_TRY(fb_new_by_all(&z.H, z.threads * A->n, sizeof *z.H * (size_t)z.width,
                         "rows of a residual", e));
    FB_TRY(fb_new_by_all(&z.L, z.threads * A->n, sizeof *z.L * (size_t)z.width,
                         "rows of a residual", e));
    fb_parallel(z.threads, residual_share, &z);
out:
    FB_FREE(z.R, z.H, z.L);
    return s;
}
