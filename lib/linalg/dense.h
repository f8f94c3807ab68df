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
void fb_mat_free(fb_mat *A);
/* A := (A + A')/2, and the largest |A - A'| before. */
double fb_mat_symmetrise(fb_mat *A);
/* 1: A = A' to the last bit. */
int fb_mat_is_symmetric(const fb_mat *A);
/* A := A', A square. */
void fb_mat_transpose(fb_mat *A);
double fb_mat_max(const fb_mat *A); /* largest |entry| */

/* C = alpha op(A) op(B) + beta C; shapes must fit (checked). */
fb_status fb_gemm(int transA, int transB, double alpha, const fb_mat *A, const fb_mat *B,
                  double beta, fb_mat *C, fb_err *e) FB_CHECKED;
/* A := A W in place, A [m x k], W [k x n]; A.x must hold m times the larger of k and n. */
fb_status fb_mat_times(fb_mat *A, const fb_mat *W, fb_err *e) FB_CHECKED;
/* Kr = V' K V, symmetric to the last bit; K symmetric. */
fb_status fb_congruence(const fb_mat *K, const fb_mat *V, fb_mat *Kr, fb_err *e) FB_CHECKED;
/* Ar = V'AV for damping, which may have any form: A [m,m] and Ar [n,n] by rows, V [m x n]. Ar is
 * symmetric to the last bit where A is, else nothing is averaged. */
fb_status fb_congruence_rows(const double *A, const fb_mat *V, double **Ar, fb_err *e) FB_CHECKED;
/* K V = M V diag(lambda), K and M symmetric, M positive definite, V'MV = I, lambda ascending
 * [n], sign rule: the largest entry of each column of V is positive. */
fb_status fb_eig_dense(const fb_mat *K, const fb_mat *M, double *lambda, fb_mat *V,
                       fb_err *e) FB_CHECKED;
/* The sign rule: of each column the first entry within 1e-6 of the largest becomes positive. */
void fb_fix_signs(fb_mat *V);
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
#endif
