/* SPDX-License-Identifier: GPL-3.0-or-later */
/* sparse_ops.h - what the reductions ask of sparse matrices (sparse_ops.c, sparse_block.c,
 * transform.c). */
#ifndef FB_SPARSE_OPS_H
#define FB_SPARSE_OPS_H
#include "dense.h"
#include "sparse.h"
#include "status.h"
#include <stdint.h>

/* C = A + beta B, both upper or both full, of one shape. */
fb_status fb_csc_add(const fb_csc *A, double beta, const fb_csc *B, fb_csc *C,
                     fb_err *e) FB_CHECKED;
/* B = A(rows, cols): rows ascending, columns in any order. With cols == rows (the same pointer) and
 * A upper, B is upper too; otherwise B holds every entry. */
fb_status fb_csc_sub(const fb_csc *A, const int64_t *rows, int64_t nr, const int64_t *cols,
                     int64_t nc, fb_csc *B, fb_err *e) FB_CHECKED;
/* The same as a dense matrix; rows in any order. */
fb_status fb_csc_dense(const fb_csc *A, const int64_t *rows, int64_t nr, const int64_t *cols,
                       int64_t nc, fb_mat *B, fb_err *e) FB_CHECKED;
/* C = A + scale diag(d), A upper, d [n] on the rows p [n], in any order (NULL: all). */
fb_status fb_csc_add_diagonal(const fb_csc *A, double scale, const double *d, const int64_t *p,
                              int64_t n, fb_csc *C, fb_err *e) FB_CHECKED;
/* The parts of a symmetric matrix for boundary dofs b (any order) and interior dofs i (ascending).
 * */
typedef struct {
    fb_csc Aii; /* [ni x ni] upper */
    fb_csc Aib; /* [ni x nb]       */
    fb_mat Abb; /* [nb x nb]       */
} fb_blocks;
fb_status fb_csc_split(const fb_csc *A, const int64_t *b, int64_t nb, const int64_t *i, int64_t ni,
                       fb_blocks *P, fb_err *e) FB_CHECKED;
/* The same of a near A that is wanted no more: Aii is in its memory, and A is empty. */
fb_status fb_csc_split_take(fb_csc *A, const int64_t *b, int64_t nb, const int64_t *i, int64_t ni,
                            fb_blocks *P, fb_err *e) FB_CHECKED;
void fb_blocks_free(fb_blocks *P);
/* The dofs of 0..n-1 that are not in b, ascending: i [n - nb]. b without repetitions. */
fb_status fb_complement(int64_t n, const int64_t *b, int64_t nb, int64_t **i, fb_err *e) FB_CHECKED;

/* sum [n]: the column sums of |A|; of a symmetric A the row sums, too. */
void fb_csc_sums(const fb_csc *A, double *sum);
/* r [n] of a symmetric A: r_i = sum_j |A_ij| sqrt(a_i / a_j), a = |diag(A)|. As sum_i r_i x_i^2 is
 * never below sum |x_i||A_ij||x_j| (arithmetic and geometric mean of each pair), it bounds
 * round-off in x'Ax; and other units of the dofs, A := D A D, x := D^-1 x, leave it, which they do
 * not leave of sums that add forces to moments. Where A_ii is 0, of a multiplier, sqrt(a_i) = sum_j
 * |A_ij| / sqrt(a_j) over those j that have one. */
fb_status fb_csc_balanced_sums(const fb_csc *A, double *r, fb_err *e) FB_CHECKED;
/* The largest of the sums. */
fb_status fb_csc_norm(const fb_csc *A, double *norm, fb_err *e) FB_CHECKED;
/* d [n] = diagonal. */
void fb_csc_diagonal(const fb_csc *A, double *d);
/* y[j] += A' x[j] for k columns with leading dimensions ldx, ldy. */
void fb_csc_tmul(const fb_csc *A, const double *x, int64_t ldx, double *y, int64_t ldy, int64_t k);
/* Y = A X: for many columns twice as fast as fb_csc_mul. */
fb_status fb_csc_mul_many(const fb_csc *A, const fb_mat *X, fb_mat *Y, fb_err *e) FB_CHECKED;
/* C = U'(A V) of near matrices, 16 columns of V at a time. */
fb_status fb_csc_between(const fb_mat *U, const fb_csc *A, const fb_mat *V, fb_mat *C,
                         fb_err *e) FB_CHECKED;
/* y[k] = ||K x_k - lambda_k M x_k|| / ||x_k|| of the columns of X, *worst = max |X'MX - I|; K and M
 * symmetric. */
fb_status fb_csc_judge(const fb_csc *K, const fb_csc *M, const fb_mat *X, const double *lambda,
                       double *y, double *worst, fb_err *e) FB_CHECKED;
/* B := B - A X, A square, summed in twice the digits of a double and rounded once: what is left of
 * an answer to a slender body is far below B and A X. */
fb_status fb_csc_residual(const fb_csc *A, const fb_mat *X, fb_mat *B, fb_err *e) FB_CHECKED;
/* S = A R for rows of eight: R [n x 8], S [m x 8] row-major. */
fb_status fb_csc_mul_rows(const fb_csc *A, const double *R, double *S, fb_err *e) FB_CHECKED;
/* Ar = V' A V, symmetric to the last bit; A symmetric. */
fb_status fb_csc_congruence(const fb_csc *A, const fb_mat *V, fb_mat *Ar, fb_err *e) FB_CHECKED;
/* B = U' A V. */
fb_status fb_csc_bilinear(const fb_mat *U, const fb_csc *A, const fb_mat *V, fb_mat *B,
                          fb_err *e) FB_CHECKED;
/* Ar = T' A T for T = [I 0; G], rows b then i, G [ni x (nb + nm)] the rows of the interior:
 * symmetric to the last bit; no copy of T, no dense copy of a sparse part. */
fb_status fb_blocks_congruence(const fb_blocks *P, const fb_mat *G, fb_mat *Ar,
                               fb_err *e) FB_CHECKED;

/* ---- sparse results (transform.c) ---- */

/* B = A'. */
fb_status fb_csc_transposed(const fb_csc *A, fb_csc *B, fb_err *e) FB_CHECKED;
/* Drops explicit zeros and, with upper, what lies below the diagonal; in place. */
void fb_csc_compact(fb_csc *A, int upper);
/* B [n x n]: row i of A becomes row[i], column j col[j] (NULL: as they are); with upper, (i,j) and
 * (j,i) are one. Without zeros; A is emptied, also where it fails. */
fb_status fb_csc_renumber_take(fb_csc *A, const int64_t *row, const int64_t *col, int64_t n,
                               int upper, fb_csc *B, fb_err *e) FB_CHECKED;
/* C = T' A T, A upper or of any form, Tt = T'; entries of A are freed on success. */
fb_status fb_transform_take(fb_csc *A, const fb_csc *Tt, fb_csc *C, fb_err *e) FB_CHECKED;
#endif
