/* SPDX-License-Identifier: GPL-3.0-or-later */
/* sparse.h - sparse matrices in compressed columns (sparse.c, gather.c). */
#ifndef FB_SPARSE_H
#define FB_SPARSE_H
#include "status.h"
#include <stdint.h>

typedef struct {  /* sparse matrix in compressed columns */
    int64_t m, n; /* rows, columns                                                          */
    int64_t *p;   /* [n+1]   column starts, p[0]=0, p[n]=nnz                                */
    int64_t *i;   /* [p[n]]  row indices, ascending in each column                          */
    double *x;    /* [p[n]]  values                                                         */
    int upper;    /* 1: symmetric, only the upper triangle is stored                       */
} fb_csc;

/* Ranges, order, finite values; every matrix passes here once when it enters a tool. */
fb_status fb_csc_check(const fb_csc *A, const char *name, fb_err *e) FB_CHECKED;
fb_status fb_csc_new(fb_csc *A, int64_t m, int64_t n, int64_t nnz, int upper, fb_err *e) FB_CHECKED;
/* Sums duplicates; with upper, entries below the diagonal must not occur. */
fb_status fb_csc_from_triplets(fb_csc *A, int64_t m, int64_t n, int64_t nnz, const int64_t *i,
                               const int64_t *j, const double *x, int upper, fb_err *e) FB_CHECKED;
/* Counts of the columns in p[1] .. p[n] become their starts in p[0] .. p[n-1], p[n] the number of
 * entries; each placed entry moves its p[j] on, and rewind makes them starts again. */
void fb_csc_starts(int64_t *p, int64_t n);
void fb_csc_rewind(int64_t *p, int64_t n);
/* Sorts the n entries of a column by key, y with them (may be NULL); those of equal keys keep their
 * order. */
fb_status fb_sort_column(int64_t *key, double *x, double *y, int64_t n, fb_err *e) FB_CHECKED;
/* Assembly in two passes over an input, without triplets in memory: count every entry, start, place
 * every entry again, finish. Places past what was counted are the caller's mistake. */
typedef struct {
    fb_csc A;     /* p[j+1]: entries of column j, then p[j]: its next place */
    double *imag; /* [nnz] imaginary parts, or NULL                         */
} fb_fill;
fb_status fb_fill_new(fb_fill *f, int64_t m, int64_t n, int upper, fb_err *e) FB_CHECKED;
static inline void fb_fill_count(fb_fill *f, int64_t j)
{
    f->A.p[j + 1]++;
}
fb_status fb_fill_start(fb_fill *f, int complex, fb_err *e) FB_CHECKED;
static inline int64_t fb_fill_place(fb_fill *f, int64_t i, int64_t j, double x)
{
    int64_t q = f->A.p[j]++;
    f->A.i[q] = i;
    f->A.x[q] = x;
    return q; /* imag[q] is the caller's to set */
}
/* Sorts the columns, adds up entries of one place in the order of the input. imag may be NULL where
 * there are no imaginary parts; repeated: how many entries were added to another, or NULL. */
fb_status fb_fill_finish(fb_fill *f, fb_csc *A, double **imag, int64_t *repeated,
                         fb_err *e) FB_CHECKED;
void fb_fill_free(fb_fill *f);
/* The upper half of a matrix that is said to be symmetric, from one of its halves or both (in any
 * mixture). Where both entries of a pair are stored their mean is taken; they may differ by
 * 1e-8 max|A|. both: how many pairs were stored twice, or NULL. A and imag (may be NULL) are
 * replaced. */
fb_status fb_csc_fold(fb_csc *A, double **imag, const char *name, int64_t *both,
                      fb_err *e) FB_CHECKED;
/* Collects a matrix entry by entry and turns it into compressed columns (gather.c). Per column of
 * the file: fb_gather_column, fb_gather_room, then i[n], x[n] (and im[n] if complex), n++. */
typedef struct {
    int64_t i, j; /* entry given twice with two values */
    double a, b;
} fb_clash;
typedef struct {
    int complex;
    int64_t *i;           /* [n] rows */
    double *x, *im;       /* [n] */
    int64_t *col, *start; /* [nrun] runs of entries of one column */
    int64_t n, nrun, cap_i, cap_x, cap_im, cap_col, cap_start;
    int64_t united; /* entries given twice, equal but for rounding */
    fb_clash clash; /* what fb_gather_finish refused */
} fb_gather;
fb_status fb_gather_column(fb_gather *g, int64_t j, fb_err *e) FB_CHECKED;
fb_status fb_gather_room(fb_gather *g, int64_t k, fb_err *e) FB_CHECKED; /* k more entries fit */
/* symmetric: entries of either half, the upper one is kept. An entry given twice must have one
 * value. *imag is NULL for a real matrix. g is left to fb_gather_free. */
fb_status fb_gather_finish(fb_gather *g, int64_t m, int64_t n, int symmetric, fb_csc *A,
                           double **imag, fb_err *e) FB_CHECKED;
void fb_gather_free(fb_gather *g);
/* y[j] += A x[j] for k columns with leading dimensions ldx, ldy. */
void fb_csc_mul(const fb_csc *A, const double *x, int64_t ldx, double *y, int64_t ldy, int64_t k);
void fb_csc_free(fb_csc *A);
#endif
