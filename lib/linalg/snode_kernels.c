/* SPDX-License-Identifier: GPL-3.0-or-later */
/* snode_kernels.c - the dense kernels of the solves, one set for each instruction set, chosen when
 * the program runs.
 *
 * Equations  supernode [T; L], T [k x k] lower triangle, L [m x k]
 *   (SK.1) X := T \ X,  C := C - L X          forward
 *   (SK.2) X := X - L'C,  X := T' \ X         backward
 *   (SK.3) S := S + a x,  s := s + d x + a'X  a column [d; a] of a symmetric matrix, both its
 *          halves
 * Source   Rothberg & Gupta, SIAM J. Matrix Anal. Appl. 14 (1993) 1014-1035 (supernodes in solves)
 * Cost     (2 m + k) k flops a right-hand side; L is fetched once for all of them
 * Laws     tests/unit/test_snode.c
 */
#include "snode.h"
#include <stddef.h>

enum { ROWS = 512 }; /* of L read together: as many of C are 32 or 64 kB */

#if defined __x86_64__ && defined __GNUC__
#include <immintrin.h>

#define TARGET  __attribute__((target("avx512f")))
#define VEC     __m512d
#define LANES   8
#define LOAD    _mm512_loadu_pd
#define STORE   _mm512_storeu_pd
#define SPREAD  _mm512_set1_pd
#define FNMA    _mm512_fnmadd_pd
#define TIMES   _mm512_mul_pd
#define KEEP(v) __asm__("" : "+v"(v))
#define NAME(f) f##_512_16
#define NV      2
#define MR      8
#include "snode_kernel.h"
#define LAST_OF_SET
#define NAME(f) f##_512_8
#define NV      1
#define MR      8
#include "snode_kernel.h"

#define TARGET  __attribute__((target("avx2,fma")))
#define VEC     __m256d
#define LANES   4
#define LOAD    _mm256_loadu_pd
#define STORE   _mm256_storeu_pd
#define SPREAD  _mm256_set1_pd
#define FNMA    _mm256_fnmadd_pd
#define TIMES   _mm256_mul_pd
#define KEEP(v) __asm__("" : "+x"(v))
#define NAME(f) f##_256_16
#define NV      4
#define MR      2
#include "snode_kernel.h"
#define LAST_OF_SET
#define NAME(f) f##_256_8
#define NV      2
#define MR      4
#include "snode_kernel.h"
#endif

/* For every other processor: pairs of doubles, which compilers know everywhere. */
typedef double pair __attribute__((vector_size(16), aligned(8), may_alias));
#define TARGET
#define VEC           pair
#define LANES         2
#define LOAD(p)       (*(const pair *)(p))
#define STORE(p, v)   (*(pair *)(p) = (v))
#define SPREAD(x)     ((pair){(x), (x)})
#define FNMA(a, b, c) ((c) - (a) * (b))
#define TIMES(a, b)   ((a) * (b))
#define KEEP(v)       ((void)0)
#define NAME(f)       f##_any_16
#define NV            8
#define MR            1
#include "snode_kernel.h"
#define LAST_OF_SET
#define NAME(f) f##_any_8
#define NV      4
#define MR      2
#include "snode_kernel.h"

#define SET(label, isa, width) \
    {label, \
     width, \
     down_##isa##_##width, \
     up_##isa##_##width, \
     lower_##isa##_##width, \
     upper_##isa##_##width, \
     couple_##isa##_##width}

/* The fastest first. */
static const fb_kernels sets[] = {
#if defined __x86_64__ && defined __GNUC__
    SET("avx512", 512, 16),   SET("avx512", 512, 8),   SET("avx2", 256, 16), SET("avx2", 256, 8),
#endif
    SET("portable", any, 16), SET("portable", any, 8),
};

const fb_kernels *fb_kernels_for(int wide, int nth)
{
    for (size_t k = 0; k < sizeof sets / sizeof sets[0]; k++)
        if (sets[k].wide == wide && fb_processor_runs(sets[k].name) && nth-- == 0)
            return &sets[k];
    return NULL;
}
