/* SPDX-License-Identifier: GPL-3.0-or-later */
/* front_kernels.c - the dense kernels of the fronts, one set for each instruction set, chosen when
 * the program runs.
 *
 * Equations  A [MR x k], B [NR x k] packed; P [MR x n] packed, T [n x n] lower triangle
 *   (FK.1) C := C - A B'
 *   (FK.2) P := F(0..n-1, 0..k-1), and back
 *   (FK.3) P := P T^-T
 *   (FK.4) y[to + q] += x[from + q], q < n, run by run
 * Source   Goto & van de Geijn, ACM TOMS 34 (2008) 12 (packed panels, a tile in registers)
 * Cost     (FK.1) 2 MR NR k flops, MR + NR values fetched for 2 MR NR of them
 * Laws     tests/unit/test_front.c
 */
#include "blas.h"
#include "front.h"
#include <stddef.h>

enum { AHEAD = 192 };

/* What of a tile counts. y: - A B', MR values a column. */
static void at_edge(const double *y, int64_t mr, double *const *C, int64_t i, const fb_edge *edge)
{
    for (int64_t c = 0; c < edge->columns; c++) {
        double *to = C[c] + i;
        const double *x = y + c * mr;
        const int64_t first = edge->diagonal + c > 0 ? edge->diagonal + c : 0;
        if (c < edge->fresh)
            for (int64_t r = first; r < edge->rows; r++)
                to[r] += x[r];
        else
            for (int64_t r = first; r < edge->rows; r++)
                to[r] = x[r];
    }
}

#if defined __x86_64__ && defined __GNUC__
#include <immintrin.h>

#define NAME(f)              f##_512
#define TARGET               __attribute__((target("avx512f")))
#define VEC                  __m512d
#define LANES                8
#define NV                   3
#define NR                   8
#define LOAD                 _mm512_loadu_pd
#define STORE                _mm512_storeu_pd
#define SPREAD               _mm512_set1_pd
#define TIMES                _mm512_mul_pd
#define PLUS                 _mm512_add_pd
#define FNMA                 _mm512_fnmadd_pd
#define LOAD_SOME(some, p)   _mm512_maskz_loadu_pd((__mmask8)(some), p)
#define PUT_SOME(some, v, p) _mm512_mask_storeu_pd(p, (__mmask8)(some), v)
#define ADD_SOME(some, v, p) PUT_SOME(some, _mm512_add_pd(LOAD_SOME(some, p), v), p)
#include "front_kernel.h"

#define NAME(f) f##_256
#define TARGET  __attribute__((target("avx2,fma")))
#define VEC     __m256d
#define LANES   4
#define NV      3
#define NR      4
#define LOAD    _mm256_loadu_pd
#define STORE   _mm256_storeu_pd
#define SPREAD  _mm256_set1_pd
#define TIMES   _mm256_mul_pd
#define PLUS    _mm256_add_pd
#define FNMA    _mm256_fnmadd_pd
#include "front_kernel.h"
#endif

/* For every other processor: pairs of doubles, which compilers know everywhere. */
typedef double pair __attribute__((vector_size(16), aligned(8), may_alias));
#define NAME(f) f##_any
#define TARGET
#define VEC           pair
#define LANES         2
#define NV            2
#define NR            4
#define LOAD(p)       (*(const pair *)(p))
#define STORE(p, v)   (*(pair *)(p) = (v))
#define SPREAD(x)     ((pair){(x), (x)})
#define TIMES(a, b)   ((a) * (b))
#define PLUS(a, b)    ((a) + (b))
#define FNMA(a, b, c) ((c) - (a) * (b))
#include "front_kernel.h"

#define SET(label, isa, mr, nr) \
    {label, mr, nr, multiply_##isa, pack_##isa, unpack_##isa, solve_##isa, extend_##isa}

/* The fastest first. */
static const fb_front_kernels sets[] = {
#if defined __x86_64__ && defined __GNUC__
    SET("avx512", 512, 24, 8),
    SET("avx2", 256, 12, 4),
#endif
    SET("portable", any, 4, 4),
};

const fb_front_kernels *fb_front_kernels_for(int nth)
{
    for (size_t k = 0; k < sizeof sets / sizeof sets[0]; k++)
        if (fb_processor_runs(sets[k].name) && nth-- == 0)
            return &sets[k];
    return NULL;
}
