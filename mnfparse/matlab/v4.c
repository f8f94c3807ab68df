/* SPDX-License-Identifier: GPL-3.0-or-later */
/* v4.c - MATLAB .mat files of version 4.
 *
 * Variable  20 bytes: type MOPT (M byte order, O zero, P precision, T kind), rows, columns,
 *           imaginary or not, length of the name with its NUL; the name; the real parts, column by
 *           column; the imaginary ones
 * Source    MAT-File Format, The MathWorks (R2023), version 4
 */
#include "memory.h"
#include "mat.h"
#include <stdlib.h>
#include <string.h>

typedef struct {
    int little, type, sparse, text, complex;
    int64_t m, n, namelen;
} v4;

static int64_t word(const unsigned char *p, int little)
{
    return (int32_t)(uint32_t)fb_mat_word(p, 4, little);
}

/* The 20 bytes: type MOPT (M byte order, O zero, P precision, T kind), rows, columns, imaginary,
 * length of name. */
static int v4_header(const unsigned char *d, size_t left, v4 *h)
{
    static const int types[] = {FB_MI_DOUBLE, FB_MI_SINGLE, FB_MI_INT32,
                                FB_MI_INT16,  FB_MI_UINT16, FB_MI_UINT8};
    if (left < 20)
        return 0;
    int64_t type = word(d, 1);
    h->little = type >= 0 && type < 1000;
    if (!h->little)
        type = word(d, 0) - 1000; /* M = 1: big-endian */
    if (type < 0 || type > 52 || type % 10 > 2)
        return 0;
    h->type = types[type / 10];
    h->text = type % 10 == 1;
    h->sparse = type % 10 == 2;
    h->m = word(d + 4, h->little);
    h->n = word(d + 8, h->little);
    int64_t imaginary = word(d + 12, h->little);
    h->complex = imaginary == 1;
    h->namelen = word(d + 16, h->little);
    if (h->m < 0 || h->n < 0 || imaginary < 0 || imaginary > 1 || h->namelen < 2 ||
        h->namelen > 64 || left - 20 < (size_t)h->namelen)
        return 0;
    for (int64_t k = 0; k < h->namelen - 1; k++)
        if (d[20 + k] <= ' ' || d[20 + k] > '~')
            return 0;
    return d[20 + h->namelen - 1] == 0;
}

/* Sparse: rows (i, j, re [, im]) from 1, the last one (m, n, 0). */
static fb_status v4_sparse(fb_mat_file *r, const char *name, const double *t, int64_t rows,
                           int64_t columns, fb_err *e)
{
    fb_fill f = {0};
    fb_csc A = {0};
    double *imag = NULL, dm = t[rows - 1], dn = t[2 * rows - 1];
    const int64_t nnz = rows - 1;
    fb_status s = FB_OK;
    if (!fb_mat_whole(dm) || !fb_mat_whole(dn) || dm < 0 || dn < 0 ||
        dn > (double)FB_MAT_PATIENCE + (double)r->size)
        return fb_fail(e, FB_EFORMAT,
                       "variable %s: a sparse matrix of %g by %g does not fit into the file", name,
                       dm, dn);
    fb_mat_saw(r, name, (int64_t)dm, (int64_t)dn);
    for (int64_t k = 0; k < nnz; k++)
        if (!fb_mat_whole(t[k]) || !fb_mat_whole(t[rows + k]) || t[k] < 1 || t[k] > dm ||
            t[rows + k] < 1 || t[rows + k] > dn)
            return fb_fail(e, FB_EFORMAT,
                           "variable %s, entry %lld: (%g,%g) is outside the %g by %g matrix", name,
                           (long long)k + 1, t[k], t[rows + k], dm, dn);
    FB_TRY(fb_fill_new(&f, (int64_t)dm, (int64_t)dn, 0, e));
    for (int64_t k = 0; k < nnz; k++)
        fb_fill_count(&f, (int64_t)t[rows + k] - 1);
    FB_TRY(fb_fill_start(&f, columns == 4, e));
    for (int64_t k = 0; k < nnz; k++) {
        int64_t q = fb_fill_place(&f, (int64_t)t[k] - 1, (int64_t)t[rows + k] - 1, t[2 * rows + k]);
        if (f.imag)
            f.imag[q] = t[3 * rows + k];
    }
    FB_TRY(fb_fill_finish(&f, &A, &imag, NULL, e));
    s = fb_mat_take(r, name, &A, imag, e);
out:
    fb_fill_free(&f);
    return s;
}

static fb_status v4_variable(fb_mat_file *r, const unsigned char *d, const v4 *h, const char *name,
                             fb_err *e)
{
    double *x = NULL;
    const int64_t count = h->m * h->n, all = count * (1 + h->complex);
    fb_status s = FB_OK;
    if (h->text)
        return FB_OK;
    FB_TRY(fb_new(&x, all, sizeof *x, name, e));
    fb_mat_numbers(h->type, h->little, d, all, x);
    if (!h->sparse) {
        s = fb_mat_full(r, &(fb_mat_array){name, h->m, h->n, x, h->complex ? x + count : NULL}, e);
    } else if (h->m < 1 || h->complex || (h->n != 3 && h->n != 4)) {
        s = fb_fail(
            e, FB_EFORMAT,
            "variable %s: a sparse matrix is stored as %lld by %lld, 3 or 4 columns are wanted",
            name, (long long)h->m, (long long)h->n);
    } else {
        s = v4_sparse(r, name, x, h->m, h->n, e);
    }
out:
    free(x);
    return s;
}

int fb_mat_is4(const fb_input *in)
{
    v4 h;
    return v4_header(in->data, in->size, &h);
}

fb_status fb_mat_read4(fb_mat_file *r, const fb_input *in, fb_err *e)
{
    for (size_t at = 0; at < in->size;) {
        const unsigned char *d = in->data + at;
        v4 h;
        if (!v4_header(d, in->size - at, &h))
            return fb_fail(e, FB_EFORMAT, "byte %zu: no header of a version 4 variable", at);
        size_t left = in->size - at - 20 - (size_t)h.namelen,
               step = (size_t)fb_mat_bytes(h.type) * (1 + (size_t)h.complex);
        if (h.n > 0 && (uint64_t)h.m > left / step / (uint64_t)h.n)
            return fb_fail(
                e, FB_EFORMAT,
                "byte %zu: variable %s of %lld by %lld needs more than the %zu bytes left", at,
                (const char *)d + 20, (long long)h.m, (long long)h.n, left);
        fb_status s = v4_variable(r, d + 20 + h.namelen, &h, (const char *)d + 20, e);
        if (s)
            return s;
        at += 20 + (size_t)h.namelen + (size_t)(h.m * h.n) * step;
    }
    return FB_OK;
}
