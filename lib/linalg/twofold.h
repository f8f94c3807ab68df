/* SPDX-License-Identifier: GPL-3.0-or-later */
/* twofold.h - sparse products summed in twice the digits of a double, for blocks of vectors kept as
 * rows.
 *
 * Equations  a value is h + l, |l| far below |h|; fl() rounds to double
 *   (TF.1) h + p = s + t exactly:  s = fl(h + p), b = fl(s - h), t = (h - (s - b)) + (p - b)
 *   (TF.2) a x = p + e exactly:    p = fl(a x), a = ah + al, x = xh + xl in halves of 26 bits,
 *          e = ((ah xh - p) + ah xl + al xh) + al xl; or in one operation of the processor
 *   (TF.3) h + l := h + l + a x:   s and t of h and p, l := l + (t + e)
 * Source     Dekker, Numer. Math. 18 (1971) 224-242 (TF.2); Knuth, The Art of Computer Programming
 *            2, sec. 4.2.2 (TF.1); Ogita, Rump & Oishi, SIAM J. Sci. Comput. 26 (2005) 1955-1988
 *            (TF.3): as good as sums in twice the digits, rounded once
 * Cost       36 flops an entry of a triangle where a plain product has 4, 22 with fused operations;
 *            none of them waits for memory more than there
 */
#ifndef FB_TWOFOLD_H
#define FB_TWOFOLD_H
#include <stdint.h>
#if defined __x86_64__
#include <immintrin.h>
#endif

#define FB_TWOFOLD_HALVES(x, high, low) \
    do { \
        (high) = 134217729.0 * (x); \
        (high) = (high) - ((high) - (x)); \
        (low) = (x) - (high); \
    } while (0)

/* (TF.2) e of p; a is a number, x, p and e are vectors. */
#define FB_TWOFOLD_BY_HALVES(vector, a, x, p, e) \
    do { \
        double ah, al; \
        vector xh, xl; \
        FB_TWOFOLD_HALVES(a, ah, al); \
        FB_TWOFOLD_HALVES(x, xh, xl); \
        (e) = ((ah * xh - (p)) + ah * xl + al * xh) + al * xl; \
    } while (0)
#if defined __x86_64__
#define FB_TWOFOLD_FUSED_256(vector, a, x, p, e) \
    ((e) = (vector)_mm256_fmsub_pd(_mm256_set1_pd(a), (__m256d)(x), (__m256d)(p)))
#define FB_TWOFOLD_FUSED_512(vector, a, x, p, e) \
    ((e) = (vector)_mm512_fmsub_pd(_mm512_set1_pd(a), (__m512d)(x), (__m512d)(p)))
#endif

/* (TF.3); p, s, t, b, e are room of the type of x. */
#define FB_TWOFOLD_ADD(vector, error, h, l, a, x) \
    do { \
        p = (a) * (x); \
        s = (h) + p; \
        b = s - (h); \
        t = ((h) - (s - b)) + (p - b); \
        error(vector, a, x, p, e); \
        (l) += t + e; \
        (h) = s; \
    } while (0)

/* h + l := h + l - A x, n columns of A, with `upper` of a symmetric one; rows of `width` doubles;
 * error: one of the above. */
#define FB_TWOFOLD_LESS(name, target, vector, width, index, error) \
    target static void name(int64_t n, int upper, const int64_t *start, const index *row, \
                            const double *value, const double *R, double *H, double *L) \
    { \
        enum { LANES = sizeof(vector) / sizeof(double), N = (width) / LANES }; \
        for (int64_t j = 0; j < n; j++) { \
            vector *const hj = (vector *)(H + j * (width)), *const lj = \
                                                                (vector *)(L + j * (width)); \
            const vector *const rj = (const vector *)(R + j * (width)); \
            for (int c = 0; c < N; c++) { \
                const vector xj = rj[c]; \
                vector h = {0}, l = {0}, x, p, s, t, b, e; \
                for (int64_t q = start[j]; q < start[j + 1]; q++) { \
                    const int64_t i = row[q]; \
                    const double a = -value[q]; \
                    vector *const hi = (vector *)(H + i * (width)) + c, \
                                  *const li = (vector *)(L + i * (width)) + c; \
                    FB_TWOFOLD_ADD(vector, error, *hi, *li, a, xj); \
                    if (!upper || i == j) \
                        continue; \
                    x = ((const vector *)(R + i * (width)))[c]; \
                    FB_TWOFOLD_ADD(vector, error, h, l, a, x); \
                } \
                s = hj[c] + h; \
                b = s - hj[c]; \
                lj[c] += l + ((hj[c] - (s - b)) + (h - b)); \
                hj[c] = s; \
            } \
        } \
    }
#endif
