/* SPDX-License-Identifier: GPL-3.0-or-later */
/* narrow.h - dense products and triangles with few right-hand sides, in the layout of BLAS. */
#ifndef FB_NARROW_H
#define FB_NARROW_H
#include <stdint.h>

enum { FB_NARROW_MOST = 16 }; /* right-hand sides */

/* 1: fb_narrow_times is worth it: enough of A for each entry of B and C. */
int fb_narrow_pays(int64_t m, int64_t n, int64_t k);
/* C := alpha op(A) B + beta C. op(A) [m x k]: A, or with `turned` A', A column-major with leading
 * dimension lda; B [k x n] and C [m x n] likewise, n <= FB_NARROW_MOST. beta = 0: C is not read. */
void fb_narrow_times(int turned, int64_t m, int64_t n, int64_t k, double alpha, const double *A,
                     int64_t lda, const double *B, int64_t ldb, double beta, double *C,
                     int64_t ldc);
/* B := op(T)^-1 B, T [m x m] the upper or lower triangle, diagonal 1 where `unit`; B [m x n]. */
void fb_narrow_divide(int upper, int turned, int unit, int64_t m, int64_t n, const double *T,
                      int64_t ldt, double *B, int64_t ldb);
#endif
