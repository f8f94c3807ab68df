/* SPDX-License-Identifier: GPL-3.0-or-later */
/* snode_kernel.h - the kernels of snode.h for one instruction set and one width; included by
 * snode_kernels.c, once for each. Defined before:
 *   NAME(f)  name of function f          TARGET  attribute of the functions
 *   VEC      vector type, LANES doubles  NV      vectors a row: width = NV LANES
 *   MR       rows of a tile: MR NV accumulators and NV values of X stay in registers
 *   LOAD STORE SPREAD TIMES FNMA         FNMA(a, b, c) = c - a b
 *   LAST_OF_SET  all of these but NAME, NV and MR, which go anyhow, are undefined at the end
 *   KEEP(v)  v is not loaded again from memory: compilers like to, and loads are what is scarce
 */
#include "blas.h"

/* C := C - L X, MR rows at a time. CHUNK rows of C stay near for all columns, which go in
 * strips of STRIP, whose X stays there, too; L is read a cache line of rows at a time, one line a
 * column of the strip. */
#define TILE_DOWN(ROWS) \
    do { \
        VEC c[ROWS][NV]; \
        FB_UNROLL for (int a = 0; a < ROWS; a++) FB_UNROLL for (int b = 0; b < NV; b++) c[a][b] = \
            LOAD(C + r[i + a] * w + b * LANES); \
        for (int64_t q = q0; q < q1; q++) { \
            const double *x = X + q * w, *l = L + q * ld + i; \
            VEC v[NV]; \
            __builtin_prefetch(l + AHEAD); \
            FB_UNROLL for (int b = 0; b < NV; b++) v[b] = LOAD(x + b * LANES); \
            FB_UNROLL for (int b = 0; b < NV; b++) KEEP(v[b]); \
            FB_UNROLL for (int a = 0; a < ROWS; a++) \
            { \
                VEC t = SPREAD(l[a]); \
                FB_UNROLL for (int b = 0; b < NV; b++) c[a][b] = FNMA(t, v[b], c[a][b]); \
            } \
        } \
        FB_UNROLL for (int a = 0; a < ROWS; a++) FB_UNROLL for (int b = 0; b < NV; b++) \
            STORE(C + r[i + a] * w + b * LANES, c[a][b]); \
    } while (0)

TARGET static void NAME(down)(int64_t m, int64_t k, const double *L, int64_t ld, const int64_t *r,
                              const double *X, double *C, int64_t w)
{
    for (int64_t i0 = 0; i0 < m; i0 += CHUNK)
        for (int64_t q0 = 0; q0 < k; q0 += STRIP) {
            int64_t q1 = q0 + STRIP < k ? q0 + STRIP : k, i1 = i0 + CHUNK < m ? i0 + CHUNK : m,
                    i = i0;
            for (; i + MR <= i1; i += MR)
                TILE_DOWN(MR);
            for (; i < i1; i++)
                TILE_DOWN(1);
        }
}

/* X := X - L'C, MR columns of L at a time; rows in strips, whose C stays in the first cache. The
 * lines of the next columns are fetched in turn, one a row. */
#define TILE_UP(COLS) \
    do { \
        VEC c[COLS][NV]; \
        FB_UNROLL for (int a = 0; a < COLS; a++) FB_UNROLL for (int b = 0; b < NV; b++) c[a][b] = \
            LOAD(X + (q + a) * w + b * LANES); \
        for (int64_t i = i0; i < i1; i++) { \
            const double *y = C + r[i] * w, *l = L + q * ld + i; \
            VEC v[NV]; \
            if ((i & 7) < COLS) \
                __builtin_prefetch(l + (COLS + (i & 7)) * ld); \
            FB_UNROLL for (int b = 0; b < NV; b++) v[b] = LOAD(y + b * LANES); \
            FB_UNROLL for (int b = 0; b < NV; b++) KEEP(v[b]); \
            FB_UNROLL for (int a = 0; a < COLS; a++) \
            { \
                VEC t = SPREAD(l[a * ld]); \
                FB_UNROLL for (int b = 0; b < NV; b++) c[a][b] = FNMA(t, v[b], c[a][b]); \
            } \
        } \
        FB_UNROLL for (int a = 0; a < COLS; a++) FB_UNROLL for (int b = 0; b < NV; b++) \
            STORE(X + (q + a) * w + b * LANES, c[a][b]); \
    } while (0)

TARGET static void NAME(up)(int64_t m, int64_t k, const double *L, int64_t ld, const int64_t *r,
                            double *X, const double *C, int64_t w)
{
    for (int64_t i0 = 0; i0 < m; i0 += STRIP_UP) {
        int64_t i1 = i0 + STRIP_UP < m ? i0 + STRIP_UP : m, q = 0;
        for (; q + MR <= k; q += MR)
            TILE_UP(MR);
        for (; q < k; q++)
            TILE_UP(1);
    }
}

/* x_q := (x_q - sum t_j x_j) / T_qq for the rows j in from..to-1: the row q stays in registers. */
#define ROW(q, from, to, t_j) \
    do { \
        VEC c[NV]; \
        FB_UNROLL for (int b = 0; b < NV; b++) c[b] = LOAD(X + (q) * w + b * LANES); \
        for (int64_t j = (from); j < (to); j++) { \
            VEC t = SPREAD(t_j); \
            FB_UNROLL for (int b = 0; b < NV; b++) c[b] = \
                FNMA(t, LOAD(X + j * w + b * LANES), c[b]); \
        } \
        VEC d = SPREAD(1 / T[(q) * ld + (q)]); \
        FB_UNROLL for (int b = 0; b < NV; b++) STORE(X + (q) * w + b * LANES, TIMES(d, c[b])); \
    } while (0)

TARGET static void NAME(lower)(int64_t k, const double *T, int64_t ld, double *X, int64_t w)
{
    for (int64_t q = 0; q < k; q++)
        ROW(q, 0, q, T[j * ld + q]);
}

TARGET static void NAME(upper)(int64_t k, const double *T, int64_t ld, double *X, int64_t w)
{
    for (int64_t q = k - 1; q >= 0; q--)
        ROW(q, q + 1, k, T[q * ld + j]);
}

#undef TILE_DOWN
#undef TILE_UP
#undef ROW
#undef NAME
#undef NV
#undef MR
#ifdef LAST_OF_SET
#undef LAST_OF_SET
#undef TARGET
#undef VEC
#undef LANES
#undef LOAD
#undef STORE
#undef SPREAD
#undef FNMA
#undef TIMES
#undef KEEP
#endif
