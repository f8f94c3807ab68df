/* SPDX-License-Identifier: GPL-3.0-or-later */
/* sparse.c - compressed-column matrices: check, assembly, product. */
#include "sparse.h"
#include "far.h"
#include "memory.h"
#include "status.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

fb_status fb_csc_new(fb_csc *A, int64_t m, int64_t n, int64_t nnz, int upper, fb_err *e)
{
    fb_csc B = {.m = m, .n = n, .upper = upper};
    fb_status s = FB_OK;
    FB_TRY(fb_new(&B.p, n + 1, sizeof *B.p, "column starts", e));
    FB_TRY(fb_new(&B.i, nnz, sizeof *B.i, "row indices", e));
    FB_TRY(fb_new(&B.x, nnz, sizeof *B.x, "matrix values", e));
    *A = B;
    B = (fb_csc){0};
out:
    fb_csc_free(&B);
    return s;
}

void fb_csc_free(fb_csc *A)
{
    if (fb_is_far(A->p)) {
        fb_far->release(A->p);
        A->p = NULL;
    }
    FB_FREE(A->p, A->i, A->x);
    *A = (fb_csc){0};
}

fb_status fb_csc_check(const fb_csc *A, const char *name, fb_err *e)
{
    if (fb_is_far(A->p)) /* its readers have looked at it */
        return FB_OK;
    if (A->m < 0 || A->n < 0 || !A->p || A->p[0] != 0)
        return fb_fail(e, FB_EFORMAT, "%s: bad shape or column starts", name);
    if (A->upper && A->m != A->n)
        return fb_fail(e, FB_EFORMAT, "%s: symmetric, but %lld by %lld", name, (long long)A->m,
                       (long long)A->n);
    for (int64_t j = 0; j < A->n; j++) {
        if (A->p[j + 1] < A->p[j])
            return fb_fail(e, FB_EFORMAT, "%s: column %lld ends before it starts", name,
                           (long long)j);
        int64_t last = -1;
        for (int64_t q = A->p[j]; q < A->p[j + 1]; q++) {
            int64_t i = A->i[q];
            if (i <= last || i >= A->m || (A->upper && i > j))
                return fb_fail(e, FB_EFORMAT,
                               "%s: column %lld: row index %lld out of order or range", name,
                               (long long)j, (long long)i);
            if (!isfinite(A->x[q]))
                return fb_fail(e, FB_EFORMAT, "%s(%lld,%lld) is not finite", name, (long long)i,
                               (long long)j);
            last = i;
        }
    }
    return FB_OK;
}

/* ---- assembly --------------------------------------------------------------------------
 *
 * Counting sort by columns [Knuth, TAOCP 3, 5.2.D]: O(nnz + n) where the rows of each column come
 * in order, as they do in a transposed or a sorted file; only other columns are sorted by
 * themselves. Memory: the result and nothing else. Equal places keep the order of the input, so
 * that sums are reproducible. */

void fb_csc_starts(int64_t *p, int64_t n)
{
    for (int64_t j = 0; j < n; j++)
        p[j + 1] += p[j];
}

void fb_csc_rewind(int64_t *p, int64_t n)
{
    memmove(p + 1, p, (size_t)n * sizeof *p);
    p[0] = 0;
}

fb_status fb_fill_new(fb_fill *f, int64_t m, int64_t n, int upper, fb_err *e)
{
    fb_fill g = {.A = {.m = m, .n = n, .upper = upper}};
    fb_status s = fb_new(&g.A.p, n + 1, sizeof *g.A.p, "column starts", e);
    if (!s)
        *f = g;
    return s;
}

fb_status fb_fill_start(fb_fill *f, int complex, fb_err *e)
{
    fb_csc *A = &f->A;
    fb_csc_starts(A->p, A->n);
    FB_PASS(fb_new(&A->i, A->p[A->n], sizeof *A->i, "row indices", e));
    FB_PASS(fb_new(&A->x, A->p[A->n], sizeof *A->x, "matrix values", e));
    if (complex)
        FB_PASS(fb_new(&f->imag, A->p[A->n], sizeof *f->imag, "imaginary parts", e));
    return FB_OK;
}

void fb_fill_free(fb_fill *f)
{
    fb_csc_free(&f->A);
    free(f->imag);
    *f = (fb_fill){0};
}

typedef struct {
    int64_t i;
    double x, y;
} entry;

/* Insertion for the few entries of a usual column; it is stable, and quick on nearly sorted ones.
 * */
static void insert(int64_t *i, double *x, double *y, int64_t n)
{
    for (int64_t k = 1; k < n; k++) {
        int64_t t = i[k], q = k;
        double tx = x[k], ty = y ? y[k] : 0;
        for (; q > 0 && i[q - 1] > t; q--) {
            i[q] = i[q - 1];
            x[q] = x[q - 1];
            if (y)
                y[q] = y[q - 1];
        }
        i[q] = t;
        x[q] = tx;
        if (y)
            y[q] = ty;
    }
}

/* Behind the run of ascending rows from k on. */
static int64_t run_end(const entry *t, int64_t k, int64_t n)
{
    for (k++; k < n && t[k - 1].i <= t[k].i;)
        k++;
    return k;
}

/* Runs of `from` merged two by two into `to`; returns how many there are then. Of equal rows the
 * one that stood before comes before. */
static int64_t merge_runs(const entry *from, entry *to, int64_t n)
{
    int64_t runs = 0, out = 0;
    for (int64_t p = 0, r; p < n; p = r, runs++) {
        const int64_t q = run_end(from, p, n);
        int64_t a = p, b = q;
        r = q < n ? run_end(from, q, n) : q;
        while (a < q && b < r)
            to[out++] = from[b].i < from[a].i ? from[b++] : from[a++];
        while (a < q)
            to[out++] = from[a++];
        while (b < r)
            to[out++] = from[b++];
    }
    return runs;
}

/* Columns come in a few runs of ascending rows: those of an element, of a direction, of a file. */
fb_status fb_sort_column(int64_t *i, double *x, double *y, int64_t n, fb_err *e)
{
    entry *t = NULL, *from, *to;
    int64_t q = 1;
    while (q < n && i[q - 1] <= i[q])
        q++;
    if (q >= n)
        return FB_OK;
    if (n <= 24) {
        insert(i, x, y, n);
        return FB_OK;
    }
    FB_PASS(fb_new(&t, 2 * n, sizeof *t, "a column", e));
    from = t;
    to = t + n;
    for (int64_t k = 0; k < n; k++)
        from[k] = (entry){i[k], x[k], y ? y[k] : 0};
    for (int64_t runs = n; runs > 1;) {
        runs = merge_runs(from, to, n);
        entry *other = from;
        from = to;
        to = other;
    }
    for (int64_t k = 0; k < n; k++) {
        i[k] = from[k].i;
        x[k] = from[k].x;
        if (y)
            y[k] = from[k].y;
    }
    free(t);
    return FB_OK;
}

fb_status fb_fill_finish(fb_fill *f, fb_csc *A, double **imag, int64_t *repeated, fb_err *e)
{
    fb_csc *B = &f->A;
    int64_t start = 0, k = 0;
    for (int64_t j = 0; j < B->n; j++) {
        int64_t stop = B->p[j], q;
        FB_PASS(fb_sort_column(B->i + start, B->x + start, f->imag ? f->imag + start : NULL,
                               stop - start, e));
        int64_t first = k;
        for (q = start; q < stop; q++) {
            if (k > first && B->i[k - 1] == B->i[q]) {
                B->x[k - 1] += B->x[q];
                if (f->imag)
                    f->imag[k - 1] += f->imag[q];
                continue;
            }
            if (k != q) {
                B->i[k] = B->i[q];
                B->x[k] = B->x[q];
                if (f->imag)
                    f->imag[k] = f->imag[q];
            }
            k++;
        }
        start = stop;
        B->p[j] = k; /* the end of column j, one place too low until all are known */
    }
    fb_csc_rewind(B->p, B->n);
    if (repeated)
        *repeated = start - k;
    *A = *B;
    if (imag)
        *imag = f->imag;
    else
        free(f->imag);
    *f = (fb_fill){0};
    return FB_OK;
}

fb_status fb_csc_from_triplets(fb_csc *A, int64_t m, int64_t n, int64_t nnz, const int64_t *i,
                               const int64_t *j, const double *x, int upper, fb_err *e)
{
    fb_fill f = {0};
    fb_status s = FB_OK;
    for (int64_t q = 0; q < nnz; q++)
        if (i[q] < 0 || i[q] >= m || j[q] < 0 || j[q] >= n || (upper && i[q] > j[q]))
            FB_TRY(fb_fail(e, FB_EFORMAT, "entry %lld at (%lld,%lld) outside the %lld by %lld %s",
                           (long long)q, (long long)i[q], (long long)j[q], (long long)m,
                           (long long)n, upper ? "upper triangle" : "matrix"));
    FB_TRY(fb_fill_new(&f, m, n, upper, e));
    for (int64_t q = 0; q < nnz; q++)
        fb_fill_count(&f, j[q]);
    FB_TRY(fb_fill_start(&f, 0, e));
    for (int64_t q = 0; q < nnz; q++)
        fb_fill_place(&f, i[q], j[q], x[q]);
    s = fb_fill_finish(&f, A, NULL, NULL, e);
out:
    fb_fill_free(&f);
    return s;
}

/* One pair of the fold, in its upper place k of column j: x from the lower half, y from the upper.
 * */
static fb_status fold_pair(const fb_csc *U, int64_t j, int64_t k, double *x, double y,
                           double tolerance, const char *name, fb_err *e)
{
    if (fabs(*x - y) > tolerance)
        return fb_fail(
            e, FB_EFORMAT,
            "%s is said to be symmetric, but (%lld,%lld) is %.16g and (%lld,%lld) is %.16g", name,
            (long long)j + 1, (long long)U->i[k] + 1, *x, (long long)U->i[k] + 1, (long long)j + 1,
            y);
    *x += (y - *x) / 2;
    return FB_OK;
}

/* A place has one entry, or two: repeated ones were added up before, and a lower entry comes before
 * its partner, whose column is further on. */
static fb_status fold(fb_csc *U, double *imag, double tolerance, const char *name, int64_t *both,
                      fb_err *e)
{
    int64_t k = 0, q = 0;
    for (int64_t j = 0; j < U->n; j++) {
        int64_t first = k, stop = U->p[j + 1];
        for (; q < stop; q++) {
            if (k > first && U->i[k - 1] == U->i[q]) {
                fb_status s = fold_pair(U, j, k - 1, U->x + k - 1, U->x[q], tolerance, name, e);
                if (!s && imag)
                    s = fold_pair(U, j, k - 1, imag + k - 1, imag[q], tolerance, name, e);
                if (s)
                    return s;
                ++*both;
                continue;
            }
            U->i[k] = U->i[q];
            U->x[k] = U->x[q];
            if (imag)
                imag[k] = imag[q];
            k++;
        }
        U->p[j + 1] = k;
    }
    return FB_OK;
}

fb_status fb_csc_fold(fb_csc *A, double **imag, const char *name, int64_t *both, fb_err *e)
{
    fb_fill f = {0};
    const double *y = imag ? *imag : NULL;
    double most = 0;
    int64_t twice = 0;
    fb_status s = FB_OK;
    if (A->m != A->n)
        FB_TRY(fb_fail(e, FB_EFORMAT, "%s is said to be symmetric, but is %lld by %lld", name,
                       (long long)A->m, (long long)A->n));
    FB_TRY(fb_fill_new(&f, A->n, A->n, 1, e));
    for (int64_t j = 0; j < A->n; j++)
        for (int64_t q = A->p[j]; q < A->p[j + 1]; q++) {
            fb_fill_count(&f, A->i[q] > j ? A->i[q] : j);
            most = fmax(most, fabs(A->x[q]));
            most = y ? fmax(most, fabs(y[q])) : most;
        }
    FB_TRY(fb_fill_start(&f, y != NULL, e));
    for (int64_t j = 0; j < A->n; j++)
        for (int64_t q = A->p[j]; q < A->p[j + 1]; q++) {
            int64_t i = A->i[q],
                    k = i > j ? fb_fill_place(&f, j, i, A->x[q]) : fb_fill_place(&f, i, j, A->x[q]);
            if (y)
                f.imag[k] = y[q];
        }
    fb_csc_rewind(f.A.p, A->n);
    for (int64_t j = 0; j < A->n; j++)
        FB_TRY(fb_sort_column(f.A.i + f.A.p[j], f.A.x + f.A.p[j], y ? f.imag + f.A.p[j] : NULL,
                              f.A.p[j + 1] - f.A.p[j], e));
    FB_TRY(fold(&f.A, f.imag, 1e-8 * most, name, &twice, e));
    fb_csc_free(A);
    *A = f.A;
    f.A = (fb_csc){0};
    if (imag) {
        free(*imag);
        *imag = f.imag;
        f.imag = NULL;
    }
    if (both)
        *both = twice;
out:
    fb_fill_free(&f);
    return s;
}

void fb_csc_mul(const fb_csc *A, const double *x, int64_t ldx, double *y, int64_t ldy, int64_t k)
{
    for (int64_t c = 0; c < k; c++) {
        const double *xc = x + c * ldx;
        double *yc = y + c * ldy;
        for (int64_t j = 0; j < A->n; j++) {
            double sum = 0;
            for (int64_t q = A->p[j]; q < A->p[j + 1]; q++) {
                int64_t i = A->i[q];
                yc[i] += A->x[q] * xc[j];
                if (A->upper && i != j)
                    sum += A->x[q] * xc[i];
            }
            if (A->upper)
                yc[j] += sum;
        }
    }
}
