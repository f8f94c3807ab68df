/* SPDX-License-Identifier: GPL-3.0-or-later */
/* far.h - matrices and blocks of vectors whose rows other processes hold.
 *
 * They are an fb_csc and an fb_mat like any other, and pointers to columns are made as of any
 * other; but behind their addresses stands no memory: who reads there ends the program. The
 * functions of sparse_ops.h, dense.h, factor.h and modes.h know them, and ask fb_far. A program
 * that works alone has none: fb_far is NULL (mpi/ sets it).
 */
#ifndef FB_FAR_H
#define FB_FAR_H
#include "dense.h"
#include "factor.h"
#include "modes.h"
#include "sparse.h"
#include "sparse_ops.h"
#include "status.h"
#include <stdint.h>

typedef struct {
    int64_t i, j;
    double x, most; /* the entry, what its diagonals allow */
} fb_pair;

/* What a matrix, a block, a factor do that is far. Near arguments are said to be; the others are
 * far. Row numbers are those of the whole. */
typedef struct {
    /* The matrix `object` of the HDF5 file: n columns, p [n + 1] near; its rows are cut as those of
     * like, or by p where like is NULL. */
    fb_status (*read)(const char *file, const char *object, int64_t n, const int64_t *p, int upper,
                      const fb_csc *like, fb_csc *A, fb_err *e);
    void (*release)(const void *x); /* a matrix by p, a block by x */
    void (*sums)(const fb_csc *A, double *sum);
    void (*diagonal)(const fb_csc *A, double *d);
    fb_status (*sub)(const fb_csc *A, const int64_t *rows, int64_t n, fb_csc *B, fb_err *e);
    fb_status (*split)(const fb_csc *A, const int64_t *b, int64_t nb, const int64_t *i, int64_t ni,
                       fb_blocks *P, fb_err *e);
    fb_status (*pin)(const fb_csc *A, const int64_t *p, const double *x, int64_t n, fb_csc *C,
                     fb_err *e);
    /* X and Y both far, or both near */
    fb_status (*multiply)(const fb_csc *A, const fb_mat *X, fb_mat *Y, fb_err *e);
    /* B := B - A X as fb_csc_residual, X and B both far, or both near */
    fb_status (*residual)(const fb_csc *A, const fb_mat *X, fb_mat *B, fb_err *e);
    /* Y = |A| X, both near */
    fb_status (*absolute)(const fb_csc *A, const fb_mat *X, fb_mat *Y, fb_err *e);
    fb_status (*negative)(const fb_csc *Aib, fb_mat *X, fb_err *e);           /* X = -Aib */
    void (*border)(const fb_csc *Aib, const double *x, int64_t k, double *y); /* y near += Aib'x */
    /* C near = G'(A G + [Aib 0]) + [Aib 0]'G; Aib may be NULL */
    fb_status (*congruence)(const fb_csc *A, const fb_csc *Aib, const fb_mat *G, fb_mat *C,
                            fb_err *e);
    /* X of k columns with the rows of a matrix or a block, zero */
    fb_status (*block)(const void *like, int64_t m, int64_t k, fb_mat *X, fb_err *e);
    fb_status (*gemm)(int ta, int tb, double alpha, const fb_mat *A, const fb_mat *B, double beta,
                      fb_mat *C, fb_err *e);
    void (*without)(const fb_mat *Y, const double *z, double *x); /* x -= Y (Y'z), near */
    void (*row)(const fb_mat *X, int64_t i, double *y);           /* y = X(i, :) near */
    /* row k of Y := row[k] of X for all of Y's, each on one rank */
    fb_status (*restriction)(const fb_mat *X, const int64_t *row, const fb_mat *Y, fb_err *e);
    /* p [want] := rows of diag(weight) X that a Gram-Schmidt process with pivots picks, the first
     * `given` of them chosen already, as fb_pick_columns */
    fb_status (*pick)(const fb_mat *X, const double *weight, double slack, int64_t given,
                      int64_t want, int64_t *p, fb_err *e);
    void (*unit)(const fb_mat *X, const int64_t *row, int64_t n); /* X(row[k], :) = e_k' */
    /* Y of the columns x[k] */
    fb_status (*arrange)(const double *const *x, int64_t n, int64_t m, fb_mat *Y, fb_err *e);
    void (*fetch)(const fb_mat *X, double *near);
    void (*put)(const fb_mat *near, fb_mat *X);
    void (*weigh)(const fb_mat *X, const double *w, double *y); /* y[k] = sum_i w_i x_ik^2 */
    /* T over the rows of like: row[i] takes row i of G, unit[k] is 1 in column k < n */
    fb_status (*expand)(const fb_mat *G, const int64_t *row, const int64_t *unit, int64_t n,
                        const void *like, int64_t m, fb_mat *T, fb_err *e);
    /* y[k] = ||K x - lambda M x||/||x||, *worst = max |X'MX - I| */
    fb_status (*judge)(const fb_csc *K, const fb_csc *M, const fb_mat *X, const double *lambda,
                       double *y, double *worst, fb_err *e);
    void (*signs)(const fb_mat *X);
    void (*rows)(const fb_mat *X, double *y); /* y [m] near: sum_k x_ik^2 */
    /* The first entry, by column, that no semidefinite M has: |m_ij| above (1 + slack) sqrt(m_ii
     * m_jj), or in a row without mass; i -1: none. *plain: M is diagonal. */
    fb_status (*pairs)(const fb_csc *M, double slack, fb_pair *bad, int *plain, fb_err *e);
    /* Of M, upper: label [2 n] node and component (0: neither) of each dof, axes [nn] bits of each
     * node's translations. y [10 nn + 1]: of each node its diagonal, the mean over axes, and its
     * rotary block; then the sum of all translations. */
    fb_status (*lump)(const fb_csc *M, const int64_t *label, const int64_t *axes, int64_t nn,
                      double *y, fb_err *e);
    /* Of the graph of both, by nodes (NULL: not known), as fb_order */
    fb_status (*order)(const fb_csc *K, const fb_csc *M, const int64_t *node, int64_t *perm,
                       fb_err *e);
    fb_status (*analyse)(fb_factor **F, const fb_csc *K, const fb_csc *M, int definite,
                         const fb_factor_opts *opts, fb_err *e);
    fb_status (*numeric)(fb_factor *F, double sigma, int64_t *column, fb_err *e);
    fb_status (*inertia)(const fb_csc *K, const fb_csc *M, double sigma, const fb_factor_opts *opts,
                         fb_inertia_count *count, fb_err *e);
    fb_eigengine engine;
} fb_far_calls;
extern const fb_far_calls *fb_far;

/* The object behind an address and how many bytes behind its first; 0: it is near. */
int64_t fb_far_object(const void *p, int64_t *at);
static inline int fb_is_far(const void *p)
{
    return fb_far && fb_far_object(p, NULL) != 0;
}
/* An address for it, with so many bytes behind it that nobody may touch. */
fb_status fb_far_address(int64_t object, int64_t bytes, void *pp, fb_err *e) FB_CHECKED;
/* The address is given up; the object that stood there, 0: none. */
int64_t fb_far_forget(const void *p);
/* free(), or its like for what is far. */
void fb_far_free(double *x);
/* Y [X->m x n], zero, where X is. */
fb_status fb_mat_like(const fb_mat *X, int64_t n, fb_mat *Y, fb_err *e) FB_CHECKED;
/* Row k of Y := row[k] of X for all of Y's; Y is near, or has rows where they are. */
fb_status fb_mat_rows(const fb_mat *X, const int64_t *row, fb_mat *Y, fb_err *e) FB_CHECKED;
/* X := its columns keep [n], which ascend. */
fb_status fb_mat_pick(fb_mat *X, const int64_t *keep, int64_t n, fb_err *e) FB_CHECKED;
/* A copy of X that is near. */
fb_status fb_mat_near(const fb_mat *X, fb_mat *Y, fb_err *e) FB_CHECKED;
#endif
