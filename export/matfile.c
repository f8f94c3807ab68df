/* SPDX-License-Identifier: GPL-3.0-or-later */
/* matfile.c - MATLAB files of levels 5 and 4, uncompressed, little-endian.
 *
 * Level 5  128 bytes: text (116), 8 bytes of zeros, version 0x0100, "IM"; then elements: type
 *          int32, bytes int32, data padded to 8. A variable is an element of type 14 that holds
 *          flags (class), dimensions, name and values; a struct holds its field names, 32 bytes
 *          each, and variables without a name. Sparse: row indices, column starts, values.
 * Level 4  20 bytes: type 0 (little-endian double, full), rows, columns, 0, length of the name with
 *          its NUL; the name; the values.
 * The usual date in the text is left out: the same data give the same bytes.
 * Source   MathWorks, "MAT-File Format"
 */
#include "memory.h"
#include "matfile.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MI_INT8 = 1, MI_INT32 = 5, MI_UINT32 = 6, MI_DOUBLE = 9, MI_MATRIX = 14 };
enum { MX_STRUCT = 2, MX_SPARSE = 5, MX_DOUBLE = 6 };
enum { FIELD_NAME = 32 };

static int64_t count(const fb_matvar *v)
{
    int64_t n = 1;
    for (int k = 0; k < v->rank; k++)
        n *= v->dim[k];
    return n;
}

fb_status fb_matvar_columns(const fb_matvar *v, double **out, fb_err *e)
{
    int64_t n = count(v), at[4] = {0, 0, 0, 0};
    double *y = NULL;
    FB_PASS(fb_new(&y, n, 8, v->name, e));
    if (v->by_column) {
        memcpy(y, v->x, (size_t)n * sizeof *y);
    } else {
        for (int64_t q = 0; q < n; q++) { /* q runs with the first index fastest */
            int64_t p = 0;
            for (int k = 0; k < v->rank; k++)
                p = p * v->dim[k] + at[k];
            y[q] = v->x[p];
            for (int k = 0; k < v->rank && ++at[k] == v->dim[k]; k++)
                at[k] = 0;
        }
    }
    *out = y;
    return FB_OK;
}

fb_status fb_matvar_mirror(const fb_csc *A, fb_csc *out, fb_err *e)
{
    int64_t nnz = A->p[A->n], n = 0, *i = NULL, *j = NULL;
    double *x = NULL;
    fb_status s = FB_OK;
    FB_TRY(fb_new(&i, 2 * nnz, 8, "sparse matrix", e));
    FB_TRY(fb_new(&j, 2 * nnz, 8, "sparse matrix", e));
    FB_TRY(fb_new(&x, 2 * nnz, 8, "sparse matrix", e));
    for (int64_t c = 0; c < A->n; c++)
        for (int64_t q = A->p[c]; q < A->p[c + 1]; q++)
            for (int twin = 0, twins = A->upper && A->i[q] != c; twin <= twins; twin++) {
                i[n] = twin ? c : A->i[q];
                j[n] = twin ? A->i[q] : c;
                x[n++] = A->x[q];
            }
    s = fb_csc_from_triplets(out, A->m, A->n, n, i, j, x, 0, e);
out:
    free(i);
    free(j);
    free(x);
    return s;
}

/* ---- level 5 ------------------------------------------------------------------------------ */

static void pad(fb_buf *o, int64_t bytes)
{
    static const char zero[8];
    if (bytes % 8)
        fb_put_bytes(o, zero, (size_t)(8 - bytes % 8));
}

static int64_t padded(int64_t bytes)
{
    return bytes <= 4 ? 8 : 8 + (bytes + 7) / 8 * 8;
}

/* Up to four bytes go into the tag itself: Octave insists. */
static void tag(fb_buf *o, int type, int64_t bytes)
{
    fb_put_i32(o, bytes <= 4 ? bytes << 16 | type : type);
    if (bytes > 4)
        fb_put_i32(o, bytes);
}

static void end(fb_buf *o, int64_t bytes)
{
    pad(o, bytes <= 4 ? 4 + bytes : bytes);
}

static void bytes_element(fb_buf *o, int type, const void *p, int64_t n)
{
    tag(o, type, n);
    fb_put_bytes(o, p, (size_t)n);
    end(o, n);
}

static void ints_element(fb_buf *o, int type, const int64_t *v, int64_t n)
{
    tag(o, type, 4 * n);
    for (int64_t k = 0; k < n; k++)
        fb_put_i32(o, v[k]);
    end(o, 4 * n);
}

static void doubles_element(fb_buf *o, const double *v, int64_t n)
{
    tag(o, MI_DOUBLE, 8 * n);
    fb_put_f64(o, v, n);
    end(o, 8 * n);
}

/* The start of a variable; body: bytes of what follows the name. */
static void start(fb_buf *o, int class, int64_t nzmax, const int64_t *dim, int rank,
                  const char *name, int64_t body)
{
    int64_t len = (int64_t)strlen(name);
    fb_put_i32(o, MI_MATRIX);
    fb_put_i32(o, 16 + padded(4 * rank) + padded(len) + body);
    ints_element(o, MI_UINT32, (int64_t[]){class, nzmax}, 2);
    ints_element(o, MI_INT32, dim, rank);
    bytes_element(o, MI_INT8, name, len);
}

void fb_mat5_header(fb_buf *o)
{
    static const char text[] = "MATLAB 5.0 MAT-file, Platform: flexbody";
    char head[128] = {0};
    memset(head, ' ', 116);
    memcpy(head, text, sizeof text - 1);
    memcpy(head + 124, (const char[]){0x00, 0x01, 'I', 'M'}, 4);
    fb_put_bytes(o, head, sizeof head);
}

static fb_status put_sparse(fb_buf *o, const fb_matvar *v, const char *name, fb_err *e)
{
    fb_csc A = {0};
    FB_PASS(fb_matvar_mirror(v->sparse, &A, e));
    int64_t nnz = A.p[A.n];
    start(o, MX_SPARSE, nnz, (int64_t[]){A.m, A.n}, 2, name,
          padded(4 * nnz) + padded(4 * (A.n + 1)) + padded(8 * nnz));
    ints_element(o, MI_INT32, A.i, nnz);
    ints_element(o, MI_INT32, A.p, A.n + 1);
    doubles_element(o, A.x, nnz);
    fb_csc_free(&A);
    return FB_OK;
}

static fb_status put_named(fb_buf *o, const fb_matvar *v, const char *name, fb_err *e)
{
    double *x = NULL;
    int64_t dim[4] = {1, 1, 1, 1};
    int rank = v->rank < 2 ? 2 : v->rank;
    if (v->sparse)
        return put_sparse(o, v, name, e);
    for (int k = 0; k < v->rank; k++)
        dim[k] = v->dim[k];
    if (count(v) > (INT32_MAX - 512) / 8)
        return fb_fail(
            e, FB_EFORMAT,
            "%s has %lld values, a MATLAB 5 variable holds 2 GiB: use --to mat --dialect 7.3",
            v->name, (long long)count(v));
    FB_PASS(fb_matvar_columns(v, &x, e));
    start(o, MX_DOUBLE, 0, dim, rank, name, padded(8 * count(v)));
    doubles_element(o, x, count(v));
    free(x);
    return FB_OK;
}

fb_status fb_mat5_put(fb_buf *o, const fb_matvar *v, fb_err *e)
{
    return put_named(o, v, v->name, e);
}

fb_status fb_mat5_struct(fb_buf *o, const char *name, const fb_matvar *field, int64_t n, fb_err *e)
{
    fb_buf body = {.little = 1};
    fb_status s = FB_OK;
    ints_element(&body, MI_INT32, (int64_t[]){FIELD_NAME}, 1);
    tag(&body, MI_INT8, FIELD_NAME * n);
    for (int64_t k = 0; k < n; k++) {
        char text[FIELD_NAME] = {0};
        snprintf(text, sizeof text, "%s", field[k].name);
        fb_put_bytes(&body, text, sizeof text);
    }
    for (int64_t k = 0; k < n; k++)
        FB_TRY(put_named(&body, field + k, "", e));
    FB_TRY(fb_buf_status(&body, e));
    start(o, MX_STRUCT, 0, (int64_t[]){1, 1}, 2, name, body.size);
    fb_put_bytes(o, body.data, (size_t)body.size);
out:
    fb_buf_free(&body);
    return s;
}

/* ---- level 4 ------------------------------------------------------------------------------ */

fb_status fb_mat4_put(fb_buf *o, const fb_matvar *v, fb_err *e)
{
    double *x = NULL;
    FB_PASS(fb_matvar_columns(v, &x, e));
    fb_put_i32(o, 0);
    fb_put_i32(o, v->rank > 0 ? v->dim[0] : 1);
    fb_put_i32(o, v->rank > 1 ? v->dim[1] : 1);
    fb_put_i32(o, 0);
    fb_put_i32(o, (int64_t)strlen(v->name) + 1);
    fb_put_bytes(o, v->name, strlen(v->name) + 1);
    fb_put_f64(o, x, count(v));
    free(x);
    return FB_OK;
}
