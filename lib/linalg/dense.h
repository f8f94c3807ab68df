/* SPDX-License-Identifier: GPL-3.0-or-later */
/* dense.h - dense matrices (dense.c, lapack.c). */
#ifndef FB_DENSE_H
#define FB_DENSE_H
#include "status.h"
#include <stdint.h>

typedef struct { /* dense matrix, column-major, leading dimension m */
    int64_t m, n;
    double *x; /* [n][m] */
} fb_mat;

fb_status fb_mat_new(fb_mat *A, int64_t m, int64_t n, fb_err *e) FB_CHECKED;
/* The unit matrix; a copy of A. */
fb_status fb_mat_unit(fb_mat *A, int64_t n, fb_err *e) FB_CHECKED;
fb_status fb_mat_copy(fb_mat *B, const fb_mat *A, fb_err *e) FB_CHECKED;
/* n columns of A from `first` on, borrowed. */
static inline fb_mat fb_mat_columns(const fb_mat *A, int64_t first, int64_t n)
{
    return (fb_mat){A->m, n, A->x + first * A->m};
}
void fb_mat_free(fb_mat *A);
/* A := (A + A')/2, and the largest |A - A'| before. */
double fb_mat_symmetrise(fb_mat *A);
/* S = A scaled to a unit diagonal by rows and columns, A [n x n]; scale [n] in the place of its
 * diagonal, NULL: that. What has none is zero. */
fb_status fb_mat_unit_diagonal(const fb_mat *A, const double *scale, fb_mat *S,
                               fb_err *e) FB_CHECKED;
/* A := (A - A')/2. */
void fb_mat_skew(fb_mat *A);
/* 1: A = A' to the last bit. */
int fb_mat_is_symmetric(const fb_mat *A);
/* A := A', A square. */
void fb_mat_transpose(fb_mat *A);
double fb_mat_max(const fb_mat *A); /* largest |entry| */

/* Vectors of n entries, summed in their order: x'y, ||x||, y += a x; y to unit length (0 stays). */
double fb_dot(const double *x, const double *y, int64_t n);
double fb_norm(const double *x, int64_t n);
void fb_axpy(double a, const double *x, double *y, int64_t n);
/* c = a x b; a := a / |a|, the length before (0: a stays). */
void fb_cross(const double a[3], const double b[3], double c[3]);
double fb_unit3(double a[3]);
void fb_to_unit(double *y, int64_t n);
/* Gram-Schmidt with pivoting on the columns of W, which it destroys: p[k] is the column of which
 * most is left (of those within a share `slack` the first), and all lose their part along it; the
 * first `given` of p are chosen already. Ends at `want`, or where no column has more than `least`
 * of the first one; returns how many there are. */
int64_t fb_pick_columns(fb_mat *W, double slack, double least, int64_t given, int64_t want,
                        int64_t *p);
/* x -= Q (Q'x), Q of orthonormal columns, one after the other. */
void fb_without(const fb_mat *Q, double *x);
/* Columns of unit length and orthogonal, in their order; those that depend on the ones before, to
 * 1e-8 of their length, become zero. */
void fb_mat_orthonormalise(fb_mat *R);
/* R'R = G, upper triangle, G [p x p] with unit diagonal, leading dimension ld; 0 where a pivot is
 * not above `least`. */
int fb_cholesky_scaled(double *G, int64_t p, int64_t ld, double least);

/* C = alpha op(A) op(B) + beta C; shapes must fit (checked). */
fb_status fb_gemm(int transA, int transB, double alpha, const fb_mat *A, const fb_mat *B,
                  double beta, fb_mat *C, fb_err *e) FB_CHECKED;
/* C = op(A) op(B), made here. */
fb_status fb_mat_product(int transA, int transB, const fb_mat *A, const fb_mat *B, fb_mat *C,
                         fb_err *e) FB_CHECKED;
/* A := A W in place, A [m x k], W [k x n]; A.x must hold m times the larger of k and n. */
fb_status fb_mat_times(fb_mat *A, const fb_mat *W, fb_err *e) FB_CHECKED;
/* Kr = V' K V, symmetric to the last bit; K symmetric. */
fb_status fb_congruence(const fb_mat *K, const fb_mat *V, fb_mat *Kr, fb_err *e) FB_CHECKED;
/* *A := V'A V for damping, which may have any form: by rows, [m,m] and then [n,n], V [m x n]; NULL
 * stays. Symmetric to the last bit where A is, else nothing is averaged. */
fb_status fb_congruence_rows(double **A, const fb_mat *V, fb_err *e) FB_CHECKED;
/* K V = M V diag(lambda), K and M symmetric, M positive definite (NULL: 1), V'MV = I, lambda
 * ascending [n], sign rule: the largest entry of each column of V is positive. */
fb_status fb_eig_dense(const fb_mat *K, const fb_mat *M, double *lambda, fb_mat *V,
                       fb_err *e) FB_CHECKED;
/* The sign rule: of each column the first entry within 1e-6 of the largest becomes positive. */
void fb_fix_signs(fb_mat *V);
/* The eigenvalues of A of any form, n of them: re, im [n], conjugate pairs together, the positive
 * imaginary part first. Rows and columns are balanced before. */
fb_status fb_eig_general(const fb_mat *A, double *re, double *im, fb_err *e) FB_CHECKED;
/* Rank of a semidefinite A by Cholesky with pivoting, pivots above tol: *pivot [n], the first *rank
 * of them are independent. A is overwritten. */
fb_status fb_rank_spd(fb_mat *A, double tol, int64_t *pivot, int64_t *rank, fb_err *e) FB_CHECKED;
/* A V = V diag(lambda), A symmetric; A becomes V, V'V = I, lambda [n] ascending. */
fb_status fb_eig_symmetric(fb_mat *A, double *lambda, fb_err *e) FB_CHECKED;
/* A = U diag(s) V', thin: U [m x k], s [k], V [n x k] or, with full_V, V [n x n]; k = min(m,n). */
fb_status fb_svd(const fb_mat *A, fb_mat *U, double *s, fb_mat *V, int full_V,
                 fb_err *e) FB_CHECKED;
/* Solves A X = B for symmetric positive definite A; B is overwritten. */
fb_status fb_solve_spd(const fb_mat *A, fb_mat *B, const char *name, fb_err *e) FB_CHECKED;
/* Solves A X = B for any A; both are overwritten. */
fb_status fb_solve(fb_mat *A, fb_mat *B, const char *name, fb_err *e) FB_CHECKED;
/* Solves A X = B for any complex A [n x n] and B [n x k], column-major pairs of real and imaginary
 * part; both are overwritten. */
fb_status fb_solve_complex(int64_t n, double *A, int64_t k, double *B, const char *name,
                           fb_err *e) FB_CHECKED;

/* Numbers that look random, the same on every machine. */
uint64_t fb_mix(uint64_t k); /* spreads an index over 64 bits */
uint64_t fb_random_start(uint64_t seed);
/* Entries in (-1, 1), the same on every machine; the state goes on. */
void fb_random_fill(uint64_t *state, double *x, int64_t n);
#endif
