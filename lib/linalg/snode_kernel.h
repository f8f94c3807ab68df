/* SPDX-License-Identifier: GPL-3.0-or-later */
/* snode_kernel.h - the kernels of snode.h for one instruction set and one width; included by
 * snode_kernels.c, once for each. Defined before:
 *   NAME(f)  name of function f          TARGET  attribute of the functions
 *   VEC      vector type, LANES doubles  NV      vectors a row: width = NV LANES
 *   MR       columns of a tile: MR NV values of X and NV of C stay in registers
 *   LOAD STORE SPREAD TIMES FNMA         FNMA(a, b, c) = c - a b
 *   LAST_OF_SET  all of these but NAME, NV and MR, which go anyhow, are undefined at the end
 *   KEEP(v)  v is not loaded again from memory: compilers like to, and loads are what is scarce
 */
#include "blas.h"
#define TO_SECOND_CACHE 2

/* Both read L as the memory gives it fastest: MR columns side by side, each along rows that follow
 * each other, in strips of ROWS, whose rows of C stay near. The lines where the next columns begin
 * are fetched in turn, one a row, to the second cache: more of them can be on their way to it than
 * to the first. */
#define PREFETCH(COLS) \
    do { \
        if ((i & 7) < COLS) \
            __builtin_prefetch(l + (COLS + (i & 7)) * ld, 0, TO_SECOND_CACHE); \
    } while (0)
#define EACH(n)   FB_UNROLL for (int a = 0; a < (n); a++)
#define EACH_PART FB_UNROLL for (int b = 0; b < NV; b++)

/* C := C - L X */
#define TILE_DOWN(COLS) \
    do { \
        VEC x[COLS][NV]; \
        EACH(COLS) EACH_PART x[a][b] = LOAD(X + (q + a) * w + b * LANES); \
        for (int64_t i = i0; i < i1; i++) { \
            double *y = C + r[i] * w; \
            const double *l = L + q * ld + i; \
            VEC c[NV]; \
            PREFETCH(COLS); \
            EACH_PART c[b] = LOAD(y + b * LANES); \
            EACH(COLS) \
            { \
                VEC t = SPREAD(l[a * ld]); \
                EACH_PART c[b] = FNMA(t, x[a][b], c[b]); \
            } \
            EACH_PART STORE(y + b * LANES, c[b]); \
        } \
    } while (0)

TARGET static void NAME(down)(int64_t m, int64_t k, const double *L, int64_t ld, const int64_t *r,
                              const double *X, double *C, int64_t w)
{
    for (int64_t i0 = 0; i0 < m; i0 += ROWS) {
        int64_t i1 = i0 + ROWS < m ? i0 + ROWS : m, q = 0;
        for (; q + MR <= k; q += MR)
            TILE_DOWN(MR);
        for (; q < k; q++)
            TILE_DOWN(1);
    }
}

/* X := X - L'C */
#define TILE_UP(COLS) \
    do { \
        VEC c[COLS][NV]; \
        EACH(COLS) EACH_PART c[a][b] = LOAD(X + (q + a) * w + b * LANES); \
        for (int64_t i = i0; i < i1; i++) { \
            const double *y = C + r[i] * w, *l = L + q * ld + i; \
            VEC v[NV]; \
            PREFETCH(COLS); \
            EACH_PART v[b] = LOAD(y + b * LANES); \
            EACH_PART KEEP(v[b]); \
            EACH(COLS) \
            { \
                VEC t = SPREAD(l[a * ld]); \
                EACH_PART c[a][b] = FNMA(t, v[b], c[a][b]); \
            } \
        } \
        EACH(COLS) EACH_PART STORE(X + (q + a) * w + b * LANES, c[a][b]); \
    } while (0)

TARGET static void NAME(up)(int64_t m, int64_t k, const double *L, int64_t ld, const int64_t *r,
                            double *X, const double *C, int64_t w)
{
    for (int64_t i0 = 0; i0 < m; i0 += ROWS) {
        int64_t i1 = i0 + ROWS < m ? i0 + ROWS : m, q = 0;
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

/* The column's rows stay in registers. */
TARGET static void NAME(couple)(int64_t k, const double *a, const int32_t *r, const int64_t *at,
                                double d, const double *x, double *s, const double *X, double *S,
                                int64_t w)
{
    VEC own[NV], sum[NV];
    EACH_PART
    {
        own[b] = LOAD(x + b * LANES);
        sum[b] = FNMA(SPREAD(-d), own[b], LOAD(s + b * LANES));
    }
    for (int64_t q = 0; q < k; q++) {
        const double *const xi = X + (at ? at[r[q]] : r[q]) * w;
        double *const si = S + r[q] * w;
        const VEC t = SPREAD(-a[q]);
        EACH_PART
        {
            STORE(si + b * LANES, FNMA(t, own[b], LOAD(si + b * LANES)));
            sum[b] = FNMA(t, LOAD(xi + b * LANES), sum[b]);
        }
    }
    EACH_PART STORE(s + b * LANES, sum[b]);
}

#undef TO_SECOND_CACHE
#undef PREFETCH
#undef EACH
#undef EACH_PART
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
