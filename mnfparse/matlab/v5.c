/* SPDX-License-Identifier: GPL-3.0-or-later */
/* v5.c - MATLAB .mat files of versions 5 and 7.
 *
 * Element   type and count of bytes, 4 each, then the data, filled up to 8 bytes; or count and type
 *           in 2 bytes each, then up to 4 bytes of data
 * Variable  an element of elements: flags (class, complex), dimensions, name; then numbers, or row
 *           indices, column starts and numbers, or the names and the variables of a struct
 * Version 7 the same, each variable packed by zlib
 * Law       an element ends inside the one that holds it, the numbers are as many as the shape
 *           wants, and a packed variable is as long as it says: what is cut off or overlaps is an
 *           error, at whatever depth
 * Source    MAT-File Format, The MathWorks (R2023), version 5
 */
#include "memory.h"
#include "mat.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#define ZLIB_CONST
#include <zlib.h>

enum { MI_MATRIX = 14, MI_COMPRESSED = 15 };
enum {
    MX_STRUCT = 2,
    MX_SPARSE = 5,
    MX_DOUBLE = 6,
    MX_UINT64 = 15,
    COMPLEX = 0x800,
    LOGICAL = 0x200
};
enum { HEADER = 128, TAG = 8, MOST_BLOWN_UP = 1032 /* zlib packs no tighter */ };

typedef struct { /* bytes that are still to be read */
    const unsigned char *at, *end, *start;
    int little;
    int64_t room;     /* row indices of a logical sparse matrix; 0: of others */
    long long packed; /* where in the file the packed variable is that this is of; or -1 */
    const char *name; /* of the variable, or "" */
} span;

typedef struct {
    int64_t type, size;
    const unsigned char *data;
} element;

static fb_status broken(const span *z, const char *what, int64_t found, int64_t wanted, fb_err *e)
{
    char packed[64] = "";
    if (z->packed >= 0)
        snprintf(packed, sizeof packed, " of what is packed at byte %lld", z->packed);
    return fb_fail(e, FB_EFORMAT, "byte %td%s%s%s: %s: %lld, wanted: %lld; damaged or cut off",
                   z->at - z->start, packed, *z->name ? ", variable " : "", z->name, what,
                   (long long)found, (long long)wanted);
}

static int64_t word(const span *z, int64_t k)
{
    return (int64_t)fb_mat_word(z->at + 4 * k, 4, z->little);
}

/* The next element; what follows it is left in z. */
static fb_status next(span *z, element *x, fb_err *e)
{
    const int64_t left = z->end - z->at;
    *x = (element){0};
    if (left < TAG)
        return broken(z, "bytes where an element begins", left, TAG, e);
    *x = (element){word(z, 0), word(z, 1), z->at + TAG};
    int64_t step = TAG + x->size;
    if (x->type >> 16) {
        *x = (element){x->type & 0xffff, x->type >> 16, z->at + 4};
        step = TAG;
        if (x->size > 4)
            return broken(z, "bytes of a small element", x->size, 4, e);
    } else if (x->size > left - TAG) {
        return broken(z, "bytes left for an element", left - TAG, x->size, e);
    }
    if (x->type != MI_COMPRESSED)
        step = (step + 7) / 8 * 8;
    z->at += step < left ? step : left;
    return FB_OK;
}

/* The next one has to hold numbers, so many at least. Those of a logical sparse matrix are bytes
 * called doubles. */
static fb_status next_numbers(span *z, const char *what, int64_t least, element *x, int64_t *n,
                              fb_err *e)
{
    fb_status s = next(z, x, e);
    *n = 0;
    if (s)
        return s;
    if (x->type == FB_MI_DOUBLE && x->size < 8 * z->room)
        x->type = FB_MI_UINT8;
    const int64_t bytes = fb_mat_bytes(x->type);
    if (bytes == 0)
        return broken(z, what, x->type, MI_MATRIX - 1, e);
    *n = x->size / bytes;
    return *n < least || x->size % bytes ? broken(z, what, *n, least, e) : FB_OK;
}

/* Exactly n numbers, or more where a sparse matrix has room to spare, as doubles. */
static fb_status doubles(span *z, const char *what, int64_t n, int spare, double *x, fb_err *e)
{
    element v;
    int64_t found;
    fb_status s = next_numbers(z, what, n, &v, &found, e);
    if (s)
        return s;
    if (found > n && !spare)
        return broken(z, what, found, n, e);
    fb_mat_numbers((int)v.type, z->little, v.data, n, x);
    return FB_OK;
}

/* ---- variables -------------------------------------------------------------------------- */

typedef struct {
    int class, complex, logical;
    int64_t m, n;
    char name[160];
} variable;

/* Are they doubles as this machine has them? Then a large matrix need not be there twice. */
static int native(const element *x, int little)
{
    const uint16_t one = 1;
    unsigned char first;
    memcpy(&first, &one, 1);
    return x->type == FB_MI_DOUBLE && first == (little != 0) &&
           (uintptr_t)x->data % sizeof(double) == 0;
}

/* Exactly n numbers: where they stand, or in *own, which the caller frees. */
static fb_status view(span *z, int64_t n, const double **x, double **own, fb_err *e)
{
    span there = *z;
    element v;
    int64_t found;
    fb_status s = next_numbers(&there, "values", n, &v, &found, e);
    if (!s && found == n && native(&v, z->little)) {
        *x = (const double *)(const void *)v.data;
        *z = there;
        return FB_OK;
    }
    if (!s)
        s = fb_new(own, n, sizeof **own, z->name, e);
    if (!s)
        s = doubles(z, "values", n, 0, *own, e);
    *x = *own;
    return s;
}

static fb_status take_full(fb_mat_file *r, const variable *v, span z, fb_err *e)
{
    const int64_t count = v->m * v->n;
    const double *x[2] = {NULL, NULL};
    double *own[2] = {NULL, NULL};
    fb_status s = FB_OK;
    if (count == 0)
        return FB_OK;
    if (count > z.end - z.at)
        return broken(&z, "bytes left for the values", z.end - z.at, count, e);
    for (int k = 0; k <= v->complex; k++)
        FB_TRY(view(&z, count, x + k, own + k, e));
    s = fb_mat_full(r, &(fb_mat_array){v->name, v->m, v->n, x[0], x[1]}, e);
out:
    free(own[0]);
    free(own[1]);
    return s;
}

/* Row indices [nzmax], column starts [n+1], values [nzmax]. */
static fb_status take_sparse(fb_mat_file *r, const variable *v, span z, fb_err *e)
{
    element rows, starts;
    int64_t nrow, nstart, nnz, *start = NULL, *row = NULL;
    double *x = NULL;
    fb_status s = FB_OK;
    FB_TRY(next_numbers(&z, "row indices", 0, &rows, &nrow, e));
    FB_TRY(next_numbers(&z, "column starts", v->n + 1, &starts, &nstart, e));
    FB_TRY(fb_new(&start, v->n + 1, sizeof *start, "column starts", e));
    fb_mat_integers((int)starts.type, z.little, starts.data, v->n + 1, start);
    nnz = start[v->n];
    if (nnz < 0 || nnz > nrow) {
        s = broken(&z, "row indices", nrow, nnz, e);
        goto out;
    }
    FB_TRY(fb_new(&row, nnz, sizeof *row, "row indices", e));
    fb_mat_integers((int)rows.type, z.little, rows.data, nnz, row);
    FB_TRY(fb_new(&x, (1 + v->complex) * nnz, sizeof *x, v->name, e));
    z.room = v->logical ? nrow : 0;
    for (int k = 0; nnz && k <= v->complex; k++)
        FB_TRY(doubles(&z, "values", nnz, 1, x + k * nnz, e));
    s = fb_mat_sparse(r, v->name, v->m, v->n, start, row, x, v->complex ? x + nnz : NULL, e);
out:
    free(start);
    free(row);
    free(x);
    return s;
}

static fb_status take(fb_mat_file *r, const char *path, int depth, span z, fb_err *e);

/* Length of a name, names, one variable a field: a struct of one. */
static fb_status take_struct(fb_mat_file *r, const variable *v, int depth, span z, fb_err *e)
{
    element names, field;
    int64_t n, length;
    fb_status s = next_numbers(&z, "length of the field names", 1, &names, &n, e);
    if (s)
        return s;
    fb_mat_integers((int)names.type, z.little, names.data, 1, &length);
    s = next_numbers(&z, "field names", 0, &names, &n, e);
    if (s)
        return s;
    if (names.size > 0 && (length < 1 || names.size % length))
        return broken(&z, "bytes of the field names", names.size, length, e);
    for (int64_t k = 0; !s && names.size && k < names.size / length; k++) {
        char path[160];
        s = next(&z, &field, e);
        if (!s && field.type != MI_MATRIX)
            s = broken(&z, "type of a field", field.type, MI_MATRIX, e);
        snprintf(path, sizeof path, "%.79s.%.*s", v->name, (int)(length < 79 ? length : 79),
                 (const char *)names.data + k * length);
        if (!s && field.size > 0) {
            span inside = z;
            inside.at = field.data;
            inside.end = field.data + field.size;
            s = take(r, path, depth + 1, inside, e);
        }
    }
    return s;
}

/* Flags, dimensions, name. The fields of a struct have none: theirs is `path`. */
static fb_status head(span *z, const char *path, variable *v, int64_t *rank, fb_err *e)
{
    element x;
    int64_t n, flags[2], dims[2] = {0, 0};
    fb_status s = next_numbers(z, "flags", 2, &x, &n, e);
    if (s)
        return s;
    fb_mat_integers((int)x.type, z->little, x.data, 2, flags);
    *v = (variable){.class = (int)(flags[0] & 0xff),
                    .complex = (flags[0] & COMPLEX) != 0,
                    .logical = (flags[0] & LOGICAL) != 0};
    *rank = 0;
    if (v->class < MX_STRUCT || v->class > MX_UINT64)
        return FB_OK;
    s = next_numbers(z, "dimensions", 2, &x, &n, e);
    if (s)
        return s;
    fb_mat_integers((int)x.type, z->little, x.data, 2, dims);
    for (int k = 0; k < 2; k++)
        if (dims[k] < 0 || dims[k] > INT32_MAX)
            return broken(z, "a dimension", dims[k], INT32_MAX, e);
    *rank = n;
    v->m = dims[0];
    v->n = dims[1];
    s = next(z, &x, e);
    if (s)
        return s;
    snprintf(v->name, sizeof v->name, "%.*s", path ? 159 : (int)(x.size < 79 ? x.size : 79),
             path ? path : (const char *)x.data);
    return FB_OK;
}

/* One variable. Texts, cells, objects, functions and what has more than two dimensions are left
 * alone. */
static fb_status take(fb_mat_file *r, const char *path, int depth, span z, fb_err *e)
{
    variable v;
    int64_t rank;
    fb_status s = head(&z, path, &v, &rank, e);
    z.name = v.name;
    if (!s && rank > 2)
        fb_mat_left(r, v.name, "it has more than two dimensions");
    if (s || rank != 2 || !*v.name)
        return s;
    if (v.class == MX_STRUCT && depth < FB_MAT_DEPTH && v.m == 1 && v.n == 1)
        return take_struct(r, &v, depth, z, e);
    if (v.class == MX_STRUCT) {
        fb_mat_left(r, v.name,
                    depth < FB_MAT_DEPTH ? "an array of structs"
                                         : "structs this deep are not looked into");
        return FB_OK;
    }
    if (v.class == MX_SPARSE)
        return take_sparse(r, &v, z, e);
    return v.class >= MX_DOUBLE ? take_full(r, &v, z, e) : FB_OK;
}

/* ---- file ------------------------------------------------------------------------------- */

static fb_status no_memory(fb_err *e)
{
    return fb_fail(e, FB_ESYS, "out of memory for zlib");
}

/* What is packed begins with the tag of a variable, which tells the length of all. */
static fb_status inflate_all(fb_mat_file *r, const span *z, z_stream *t, unsigned char **out,
                             int64_t *size, fb_err *e)
{
    unsigned char tag[TAG];
    const int64_t packed = t->avail_in;
    t->next_out = tag;
    t->avail_out = TAG;
    int got = inflate(t, Z_SYNC_FLUSH);
    if (got == Z_MEM_ERROR)
        return no_memory(e);
    if (t->avail_out)
        return broken(z, "bytes of a packed variable", TAG - (int64_t)t->avail_out, TAG, e);
    const int64_t body = (int64_t)fb_mat_word(tag + 4, 4, z->little);
    if (body > packed * MOST_BLOWN_UP)
        return broken(z, "bytes that may be packed here", packed * MOST_BLOWN_UP, body, e);
    *size = TAG + body;
    fb_status s = fb_mat_unpack(r, (double)body, e);
    if (!s)
        s = fb_new(out, *size + 1, 1, "a packed variable", e);
    if (s)
        return s;
    memcpy(*out, tag, TAG);
    t->next_out = *out + TAG;
    t->avail_out = (uInt)(body + 1 < UINT32_MAX ? body + 1 : UINT32_MAX);
    if (got == Z_OK)
        got = inflate(t, Z_FINISH);
    if (got == Z_MEM_ERROR)
        return no_memory(e);
    if (got != Z_STREAM_END || (int64_t)t->total_out != *size)
        return broken(z, "bytes of a packed variable", (int64_t)t->total_out, *size, e);
    return FB_OK;
}

static fb_status unpack(fb_mat_file *r, const span *z, const element *x, unsigned char **out,
                        int64_t *size, fb_err *e)
{
    z_stream t = {.next_in = x->data, .avail_in = (uInt)x->size};
    if (inflateInit(&t) != Z_OK)
        return no_memory(e);
    fb_status s = inflate_all(r, z, &t, out, size, e);
    (void)inflateEnd(&t);
    return s;
}

fb_status fb_mat_read5(fb_mat_file *r, const fb_input *in, int little, fb_err *e)
{
    span z = {in->data + HEADER, in->data + in->size, in->data, little, 0, -1, ""};
    fb_status s = FB_OK;
    for (element x; !s && z.at < z.end;) {
        unsigned char *unpacked = NULL;
        span inside = z;
        FB_TRY(next(&z, &x, e));
        if (x.type == MI_COMPRESSED) {
            int64_t size = 0;
            s = unpack(r, &inside, &x, &unpacked, &size, e);
            inside = (span){unpacked, unpacked ? unpacked + size : NULL,
                            unpacked, little,
                            0,        inside.at - in->data,
                            ""};
            if (!s)
                s = next(&inside, &x, e);
        }
        if (!s && x.type != MI_MATRIX)
            s = broken(&inside, "type of an element", x.type, MI_MATRIX, e);
        inside.at = x.data;
        inside.end = x.data + x.size;
        if (!s && x.size > 0)
            s = take(r, NULL, 0, inside, e);
        free(unpacked);
        fb_input_done(in, (size_t)(z.at - in->data));
    }
out:
    return s;
}
