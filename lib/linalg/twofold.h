/* SPDX-License-Identifier: GPL-3.0-or-later */
/* twofold.h - sparse products summed in twice the digits of a double, for blocks of vectors kept as
 * rows.
 *
 * Equations  a value is h + l, |l| far below |h|; fl() rounds to double
 *   (TF.1) h + p = s + t exactly:  s = fl(h + p), b = fl(s - h), t = (h - (s - b)) + (p - b)
 *   (TF.2) a x = p + e exactly:    p = fl(a x), a = ah + al, x = xh + xl in halves of 26 bits,
 *          e = ((ah xh - p) + ah xl + al xh) + al xl
 *   (TF.3) h + l := h + l + a x:   s and t of h and p, l := l + (t + e)
 * Source     Dekker, Numer. Math. 18 (1971) 224-242 (TF.2); Knuth, The Art of Computer Programming
 *            2, sec. 4.2.2 (TF.1); Ogita, Rump & Oishi, SIAM J. Sci. Comput. 26 (2005) 1955-1988
 *            (TF.3): as good as sums in twice the digits, rounded once
 * Cost       36 flops an entry of a triangle where a plain product has 4; none of them waits for
 *            memory more than there
 */
#ifndef FB_TWOFOLD_H
#define FB_TWOFOLD_H
#include <stdint.h>

#define FB_TWOFOLD_HALVES(x, high, low) \
    do { \
        (high) = 134217729.0 * (x); \
        (high) = (high) - ((high) - (x)); \
        (low) = (x) - (high); \
    } while (0)

/* (TF.3) of a = ah + al and x = xh + xl; p, s, t, b are room of the type of x. */
#define FB_TWOFOLD_ADD(h, l, a, ah, al, x, xh, xl) \
    do { \
        p = (a) * (x); \
        s = (h) + p; \
        b = s - (h); \
        t = ((h) - (s - b)) + (p - b); \
        (l) += t + ((((ah) * (xh) - p) + (ah) * (xl) + (al) * (xh)) + (al) * (xl)); \
        (h) = s; \
    } while (0)

/* h + l := h + l - A x, n columns of A, with `upper` of a symmetric one; rows of `width` doubles. */
#define FB_TWOFOLD_LESS(name, target, vector, width, index) \
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
                vector xjh, xjl, h = {0}, l = {0}, x, xh, xl, p, s, t, b; \
                FB_TWOFOLD_HALVES(xj, xjh, xjl); \
                for (int64_t q = start[j]; q < start[j + 1]; q++) { \
                    const int64_t i = row[q]; \
                    const double a = -value[q]; \
                    double ah, al; \
                    FB_TWOFOLD_HALVES(a, ah, al); \
                    vector *const hi = (vector *)(H + i * (width)) + c, \
                                  *const li = (vector *)(L + i * (width)) + c; \
                    FB_TWOFOLD_ADD(*hi, *li, a, ah, al, xj, xjh, xjl); \
                    if (!upper || i == j) \
                        continue; \
                    x = ((const vector *)(R + i * (width)))[c]; \
                    FB_TWOFOLD_HALVES(x, xh, xl); \
                    FB_TWOFOLD_ADD(h, l, a, ah, al, x, xh, xl); \
                } \
                s = hj[c] + h; \
                b = s - hj[c]; \
                lj[c] += l + ((hj[c] - (s - b)) + (h - b)); \
                hj[c] = s; \
            } \
        } \
    }
#endif
