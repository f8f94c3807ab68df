/* SPDX-License-Identifier: GPL-3.0-or-later */
/* gather.c - compressed columns from entries in the order of a file.
 *
 * Memory  Matrices are mostly written column by column, rows ascending. Then the arrays collected
 *         are the matrix, and nothing is copied. Otherwise the values are sorted by counting into
 *         another array, and the rows into what the values leave: the peak is 3/2 of the matrix.
 *         Growing does not copy either: large blocks are remapped, and what is reserved but not
 *         used takes no memory.
 * Twice   An entry that occurs twice must have one value: that is how both halves of a symmetric
 *         matrix may be given. What differs by less than TINY of the largest entry is rounding of
 *         the writer: the mean is taken. */
#include "sparse.h"
#include "memory.h"
#include "status.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

static const double TINY = 1e-8;

void fb_gather_free(fb_gather *g)
{
    FB_FREE(g->i, g->x, g->im, g->col, g->start);
    *g = (fb_gather){0};
}

fb_status fb_gather_room(fb_gather *g, int64_t k, fb_err *e)
{
    FB_PASS(fb_grow(&g->i, &g->cap_i, g->n + k, sizeof *g->i, e));
    FB_PASS(fb_grow(&g->x, &g->cap_x, g->n + k, sizeof *g->x, e));
    if (g->complex)
        FB_PASS(fb_grow(&g->im, &g->cap_im, g->n + k, sizeof *g->im, e));
    return FB_OK;
}

fb_status fb_gather_column(fb_gather *g, int64_t j, fb_err *e)
{
    FB_PASS(fb_grow(&g->col, &g->cap_col, g->nrun + 1, sizeof *g->col, e));
    FB_PASS(fb_grow(&g->start, &g->cap_start, g->nrun + 1, sizeof *g->start, e));
    g->col[g->nrun] = j;
    g->start[g->nrun++] = g->n;
    return FB_OK;
}

static int64_t run_end(const fb_gather *g, int64_t r)
{
    return r + 1 < g->nrun ? g->start[r + 1] : g->n;
}

/* 1: the entries stand as compressed columns want them; 0: they do not; -1: out of range. */
static int in_order(const fb_gather *g, int64_t m, int64_t n, int symmetric)
{
    int ordered = 1;
    int64_t last_col = -1;
    for (int64_t r = 0; r < g->nrun; r++) {
        int64_t j = g->col[r], last = -1;
        if (j < 0 || j >= n)
            return -1;
        ordered &= j > last_col;
        last_col = j;
        for (int64_t q = g->start[r]; q < run_end(g, r); q++) {
            int64_t i = g->i[q];
            if (i < 0 || i >= m)
                return -1;
            ordered &= i > last && !(symmetric && i > j);
            last = i;
        }
    }
    return ordered;
}

static fb_status take(fb_gather *g, fb_csc *A, double **imag, fb_err *e)
{
    FB_PASS(fb_new(&A->p, A->n + 1, sizeof *A->p, "column starts", e));
    FB_PASS(fb_gather_room(g, 1, e)); /* an empty matrix has arrays, too */
    for (int64_t r = 0; r < g->nrun; r++)
        A->p[g->col[r] + 1] = run_end(g, r) - g->start[r];
    fb_csc_starts(A->p, A->n);
    A->i = g->i;
    A->x = g->x;
    *imag = g->im;
    g->i = NULL;
    g->x = g->im = NULL;
    return FB_OK;
}

/* Entry (i,j) goes to this column, and to the row that is the other one of the two if that is not
 * j. */
static inline int64_t column_of(const fb_csc *A, int64_t i, int64_t j)
{
    return A->upper && i > j ? i : j;
}

/* Copies one array of the entries to their places: `from`, or the rows if that is NULL. p[j] is the
 * start of column j, before and afterwards. */
static void copy(const fb_gather *g, fb_csc *A, const double *from, void *to)
{
    double *x = to;
    int64_t *rows = to;
    for (int64_t r = 0; r < g->nrun; r++)
        for (int64_t q = g->start[r], end = run_end(g, r), c = g->col[r]; q < end; q++) {
            int64_t i = g->i[q], j = column_of(A, i, c), t = A->p[j]++;
            if (from)
                x[t] = from[q];
            else
                rows[t] = i + c - j;
        }
    fb_csc_rewind(A->p, A->n);
}

/* Places the entries by counting; symmetric: those below the diagonal go to their mirror place.
 * Each array goes to the memory that the one before has left, as all have entries of eight bytes.
 * */
static fb_status spread(fb_gather *g, fb_csc *A, double **imag, fb_err *e)
{
    double *im = NULL;
    fb_status s = FB_OK;
    FB_TRY(fb_gather_room(g, g->n == 0, e)); /* an empty matrix has arrays, too */
    FB_TRY(fb_new(&A->p, A->n + 1, sizeof *A->p, "column starts", e));
    FB_TRY(fb_new(&A->x, g->n, sizeof *A->x, "matrix values", e));
    for (int64_t r = 0; r < g->nrun; r++)
        for (int64_t q = g->start[r], end = run_end(g, r), c = g->col[r]; q < end; q++)
            A->p[column_of(A, g->i[q], c) + 1]++;
    fb_csc_starts(A->p, A->n);
    copy(g, A, g->x, A->x);
    if (g->complex) {
        im = g->x;
        g->x = g->im;
        g->im = NULL;
        copy(g, A, g->x, im);
    }
    A->i = (int64_t *)(void *)g->x;
    g->x = NULL;
    copy(g, A, NULL, A->i);
    FB_FREE(g->i);
    for (int64_t j = 0; j < A->n; j++) {
        int64_t q = A->p[j];
        FB_TRY(fb_sort_column(A->i + q, A->x + q, im ? im + q : NULL, A->p[j + 1] - q, e));
    }
    *imag = im;
    im = NULL;
out:
    free(im);
    return s;
}

static int any_twice(const fb_csc *A)
{
    for (int64_t j = 0; j < A->n; j++)
        for (int64_t q = A->p[j] + 1; q < A->p[j + 1]; q++)
            if (A->i[q] == A->i[q - 1])
                return 1;
    return 0;
}

/* Makes one entry of those at the same place. */
static fb_status unite(fb_gather *g, fb_csc *A, double *im, fb_err *e)
{
    double top = 0;
    int64_t k = 0, q = 0;
    if (!any_twice(A))
        return FB_OK;
    for (int64_t t = 0; t < A->p[A->n]; t++)
        top = fmax(top, fmax(fabs(A->x[t]), im ? fabs(im[t]) : 0));
    for (int64_t j = 0; j < A->n; j++) {
        int64_t first = k, end = A->p[j + 1];
        for (; q < end; q++) {
            if (k > first && A->i[k - 1] == A->i[q]) {
                double d = fabs(A->x[k - 1] - A->x[q]), di = im ? fabs(im[k - 1] - im[q]) : 0;
                if (d > TINY * top || di > TINY * top) {
                    int part = d > TINY * top;
                    g->clash = (fb_clash){A->i[q], j, part || !im ? A->x[k - 1] : im[k - 1],
                                          part || !im ? A->x[q] : im[q]};
                    return fb_fail(
                        e, FB_EFORMAT, "entry (%lld,%lld) is given twice, %.10g and %.10g",
                        (long long)A->i[q] + 1, (long long)j + 1, g->clash.a, g->clash.b);
                }
                A->x[k - 1] += (A->x[q] - A->x[k - 1]) / 2;
                if (im)
                    im[k - 1] += (im[q] - im[k - 1]) / 2;
                g->united += d > 0 || di > 0;
                continue;
            }
            A->i[k] = A->i[q];
            A->x[k] = A->x[q];
            if (im)
                im[k] = im[q];
            k++;
        }
        A->p[j] = first;
    }
    A->p[A->n] = k;
    return FB_OK;
}

fb_status fb_gather_finish(fb_gather *g, int64_t m, int64_t n, int symmetric, fb_csc *A,
                           double **imag, fb_err *e)
{
    fb_csc B = {.m = m, .n = n, .upper = symmetric};
    double *im = NULL;
    fb_status s = FB_OK;
    int ordered = in_order(g, m, n, symmetric);
    if (ordered < 0)
        return fb_fail(e, FB_EFORMAT, "an entry lies outside the %lld by %lld matrix", (long long)m,
                       (long long)n);
    if (ordered) {
        FB_TRY(take(g, &B, &im, e));
    } else {
        FB_TRY(spread(g, &B, &im, e));
        FB_TRY(unite(g, &B, im, e));
    }
    *A = B;
    *imag = im;
    B = (fb_csc){0};
    im = NULL;
out:
    fb_csc_free(&B);
    free(im);
    return s;
}
