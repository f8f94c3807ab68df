/* SPDX-License-Identifier: GPL-3.0-or-later */
/* rows.h - vectors kept as rows, as solves and products want them: turned from columns and back,
 * and a block of up to 8 against a basis kept as columns. */
#ifndef FB_ROWS_H
#define FB_ROWS_H
#include "status.h"
#include "snode.h"

/* Columns x [n x k], of which row i of R is row perm[i], or i. */
typedef struct {
    double *x;           /* [n x k] column-major */
    double *R;           /* [n x width] row-major; what lies behind k is zero */
    const int64_t *perm; /* or NULL */
    int64_t n, k, width;
    int back; /* 1: from R to x */
} fb_turn;
/* Rows from..to-1 of R; all of them, on so many threads. */
void fb_turn_rows(const fb_turn *z, int64_t from, int64_t to);
void fb_turn_all(const fb_turn *z, int threads);

/* W and V below are blocks [n x FB_NARROW], row-major; coefficients of a basis of k columns [k x
 * FB_NARROW], row-major; G and X [FB_NARROW x FB_NARROW], column-major. */
typedef struct {
    int64_t n;
    int threads;
    const fb_kernels *kernels;
    int64_t *at;  /* [n] 0..n-1: where the kernels find the rows of a block */
    double *part; /* [threads][most x FB_NARROW] sums of a thread's rows    */
    double *sum2; /* [threads][FB_NARROW] sums of squares of a thread's rows */
    int64_t most; /* columns of a basis */
} fb_rows;

fb_status fb_rows_new(fb_rows *b, int64_t n, int64_t most, fb_err *e) FB_CHECKED;
void fb_rows_free(fb_rows *b);
/* norm [FB_NARROW] of the columns of W. */
void fb_rows_norms(fb_rows *b, const double *W, double *norm);
/* c := Q'V;  W := W - Q c, and the norms of what is left; Q [n x k] column-major, k <= most. */
void fb_rows_inner(fb_rows *b, const double *Q, int64_t k, double *V, double *c);
void fb_rows_subtract(fb_rows *b, const double *Q, int64_t k, const double *c, double *W,
                      double *norm);
/* Both, V = W. */
void fb_rows_project(fb_rows *b, const double *Q, int64_t k, double *W, double *c, double *norm);
/* G := W'W */
fb_status fb_rows_gram(const fb_rows *b, double *W, double *G, fb_err *e) FB_CHECKED;
/* V := W X */
fb_status fb_rows_times(const fb_rows *b, double *W, double *X, double *V, fb_err *e) FB_CHECKED;
/* The first p columns of W, column-major, to Q. */
void fb_rows_to_columns(const fb_rows *b, double *W, int64_t p, double *Q);
/* Row i of W to row place[i] of V, or from there with `back`. */
void fb_rows_move(const fb_rows *b, const double *W, const int64_t *place, int back, double *V);

#endif
