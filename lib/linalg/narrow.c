/* SPDX-License-Identifier: GPL-3.0-or-later */
/* narrow.c - dense products and triangles with few right-hand sides.
 *
 * Equations  (NA.1) C := alpha op(A) B + beta C
 *            (NA.2) B := op(T)^-1 B by blocks of DIAGONAL rows: the block, then (NA.1) for the rest
 * Method     a BLAS copies A into another order first, which pays where each entry serves hundreds
 *            of columns; here it serves 16 at most and is read once, as it lies, by the kernels of
 *            the supernodal solves. B and C are turned into rows of 8 or 16 values, a tile at a
 *            time.
 * Source     Goto & van de Geijn, ACM Trans. Math. Softw. 34 (2008) 12 (what the copies are for)
 * Cost       2 m k n flops, A fetched once
 * Laws       tests/unit/test_narrow.c
 */
#include "narrow.h"
#include "blas.h"
#include "snode.h"
#include <string.h>

enum {
    LONG = 512,    /* rows of a tile of A along which the kernels run */
    SIDE = 256,    /* and its columns */
    DIAGONAL = 32, /* rows of a triangle that are divided one by one */
    FEW = 1024     /* entries of A: less is not worth to be turned for */
};

int fb_narrow_pays(int64_t m, int64_t n, int64_t k)
{
    return n > 1 && n <= FB_NARROW_MOST && m >= 8 && k >= 8 && m * k >= FEW;
}

/* [m x n] columns to rows of w values: by x, behind the n-th 0. */
static void to_rows(int64_t m, int64_t n, double by, const double *x, int64_t ld, int64_t w,
                    double *rows)
{
    if (n < w || !(by < 0 || by > 0))
        memset(rows, 0, sizeof *rows * (size_t)(m * w));
    for (int64_t i = 0; (by < 0 || by > 0) && i < m; i++)
        for (int64_t c = 0; c < n; c++)
            rows[i * w + c] = by * x[i + c * ld];
}

static void from_rows(int64_t m, int64_t n, const double *rows, int64_t w, double *x, int64_t ld)
{
    for (int64_t i = 0; i < m; i++)
        for (int64_t c = 0; c < n; c++)
            x[i + c * ld] = rows[i * w + c];
}

static int64_t least(int64_t a, int64_t b)
{
    return a < b ? a : b;
}

void fb_narrow_times(int turned, int64_t m, int64_t n, int64_t k, double alpha, const double *A,
                     int64_t lda, const double *B, int64_t ldb, double beta, double *C, int64_t ldc)
{
    const int64_t w = fb_row_width(n), high = turned ? SIDE : LONG, wide = turned ? LONG : SIDE;
    const fb_kernels *f = fb_kernels_for((int)w, 0);
    double b[LONG * FB_WIDE], c[LONG * FB_WIDE];
    int64_t at[LONG];
    for (int64_t i = 0; i < least(LONG, turned ? k : m); i++)
        at[i] = i;
    for (int64_t q = 0; q < k; q += wide) {
        const int64_t nk = least(wide, k - q);
        to_rows(nk, n, -alpha, B + q, ldb, w, b);
        for (int64_t i = 0; i < m; i += high) {
            const int64_t nm = least(high, m - i);
            to_rows(nm, n, q ? 1 : beta, C + i, ldc, w, c);
            if (turned)
                f->up(nk, nm, A + q + i * lda, lda, at, c, b, w);
            else
                f->down(nm, nk, A + i + q * lda, lda, at, b, c, w);
            from_rows(nm, n, c, w, C + i, ldc);
        }
    }
}

/* Rows of one block: x [m][w] := L^-1 x, or with `back` from the last row on, of an upper triangle;
 * L [m][DIAGONAL]. */
#define BLOCK(name, target) \
    target static void name(int64_t m, int back, int unit, const double *L, int64_t parts, \
                            double *x) \
    { \
        typedef double line __attribute__((vector_size(64), aligned(8), may_alias)); \
        for (int64_t k = 0; k < m; k++) { \
            const int64_t q = back ? m - 1 - k : k, from = back ? q + 1 : 0, to = back ? m : q; \
            const double *const t = L + q * DIAGONAL, d = unit ? 1 : 1 / t[q]; \
            for (int64_t p = 0; p < parts; p++) { \
                line *const X = (line *)x + p; \
                line s = X[q * parts]; \
                for (int64_t j = from; j < to; j++) \
                    s -= t[j] * X[j * parts]; \
                X[q * parts] = s * d; \
            } \
        } \
    }
FB_FOR_PROCESSORS(BLOCK, block)

typedef void kernel(int64_t m, int back, int unit, const double *L, int64_t parts, double *x);
static kernel *const blocks[] = FB_BY_PROCESSOR(block);

/* op(T) by rows, read along its columns: all of them are asked of the memory at once. */
static void copy_block(int turned, int64_t m, const double *T, int64_t ldt, double *L)
{
    for (int64_t j = 0; j < m; j++)
        for (int64_t i = 0; i < m; i++)
            L[turned ? j * DIAGONAL + i : i * DIAGONAL + j] = T[i + j * ldt];
}

void fb_narrow_divide(int upper, int turned, int unit, int64_t m, int64_t n, const double *T,
                      int64_t ldt, double *B, int64_t ldb)
{
    const int64_t w = fb_row_width(n), row = turned ? ldt : 1, column = turned ? 1 : ldt;
    const int forward = upper == turned;
    double x[DIAGONAL * FB_WIDE], L[DIAGONAL * DIAGONAL];
    kernel *const divide = blocks[fb_processor()];
    for (int64_t done = 0; done < m; done += DIAGONAL) {
        const int64_t k = least(DIAGONAL, m - done), left = m - done - k,
                      at = forward ? done : left, rest = forward ? at + k : 0;
        to_rows(k, n, 1, B + at, ldb, w, x);
        copy_block(turned, k, T + at * (ldt + 1), ldt, L);
        divide(k, !forward, unit, L, w / FB_NARROW, x);
        from_rows(k, n, x, w, B + at, ldb);
        if (left) /* op(T) [rest, at] */
            fb_narrow_times(turned, left, n, k, -1, T + rest * row + at * column, ldt, B + at, ldb,
                            1, B + rest, ldb);
    }
}
