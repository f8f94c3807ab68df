/* SPDX-License-Identifier: GPL-3.0-or-later */
/* v5.c - MATLAB .mat files of versions 5 and 7: the guard in front of libmatio.
 *
 * Element   type and count of bytes, 4 each, then the data, filled up to 8 bytes; or count and type
 *           in 2 bytes each, then up to 4 bytes of data
 * Variable  an element of elements: flags (class, complex), dimensions, name; then numbers, or row
 *           indices, column starts and numbers, or the names and the variables of a struct
 * Version 7 the same, each variable packed by zlib
 * Law       an element ends inside the one that holds it, the numbers are as many as the shape
 *           wants, and a packed variable is as long as it says: what is cut off or overlaps is an
 *           error, at whatever depth. libmatio asks nothing of the kind: it gets the matrices
 *           alone, unpacked and out of their structs
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
enum { MX_STRUCT = 2, MX_SPARSE = 5, MX_DOUBLE = 6, MX_UINT64 = 15 };
enum { COMPLEX = 0x800, LOGICAL = 0x200 };
enum { HEADER = 128, MARK = 124, TAG = 8, MOST_BLOWN_UP = 1032 /* zlib packs no tighter */ };

typedef struct { /* bytes that are still to be read */
    const unsigned char *at, *end, *start;
    int little;
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

static int64_t word(const span *z, const unsigned char *p, int64_t k)
{
    return (int64_t)fb_mat_word(p + 4 * k, 4, z->little);
}

/* The next element; what follows it is left in z. */
static fb_status next(span *z, element *x, fb_err *e)
{
    const int64_t left = z->end - z->at;
    if (left < TAG)
        return broken(z, "bytes where an element begins", left, TAG, e);
    *x = (element){word(z, z->at, 0), word(z, z->at, 1), z->at + TAG};
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

/* The next one has to hold numbers, so many at least, of 32 bits where is_words: n of them. */
static fb_status numbers(span *z, const char *what, int is_words, int64_t least, element *x,
                         int64_t *n, fb_err *e)
{
    FB_PASS(next(z, x, e));
    const int bytes = fb_mat_bytes(x->type);
    if (bytes == 0 || (is_words && bytes != 4))
        return broken(z, what, x->type, is_words ? FB_MI_INT32 : MI_MATRIX - 1, e);
    *n = x->size / bytes;
    return *n < least || x->size % bytes ? broken(z, what, *n, least, e) : FB_OK;
}

/* A matrix goes to libmatio under a head of one form; its numbers follow in z. */
static fb_status hand_on(fb_mat_file *r, const fb_matnum *v, int64_t flags, const span *z,
                         fb_err *e)
{
    static const unsigned char zero[8];
    const int64_t bytes = z->end - z->at, fill = -bytes & 7, size = 40 + bytes + fill,
                  name = 1 << 16 | FB_MI_INT8; /* of one byte, in the tag */
    const int64_t head[12] = {MI_MATRIX,   size, FB_MI_UINT32, 8,    flags, 0,
                              FB_MI_INT32, 8,    v->m,         v->n, name,  0};
    if (bytes > INT32_MAX - 64 || (!v->sparse && v->m * v->n > INT32_MAX))
        return fb_fail(e, FB_EFORMAT, "variable %s has more than 2 GiB or numbers: save -v7.3",
                       v->name);
    for (size_t k = 0; k < sizeof head / sizeof *head; k++)
        fb_put_i32(&r->sound, head[k]);
    fb_put_bytes(&r->sound, z->at, (size_t)bytes);
    fb_put_bytes(&r->sound, zero, (size_t)fill);
    return fb_mat_handed(r, v, e);
}

/* ---- variables -------------------------------------------------------------------------- */

static fb_status full(fb_mat_file *r, const fb_matnum *v, int64_t flags, span z, fb_err *e)
{
    const span all = z;
    const int64_t count = v->m * v->n;
    element x = {0};
    int64_t n = 0;
    if (count == 0)
        return FB_OK;
    if (count > z.end - z.at)
        return broken(&z, "bytes left for the values", z.end - z.at, count, e);
    for (int k = 0; k <= v->complex; k++) {
        FB_PASS(numbers(&z, "values", 0, count, &x, &n, e));
        if (n > count)
            return broken(&z, "values", n, count, e);
    }
    return hand_on(r, v, flags, &all, e);
}

/* Row indices [nzmax], column starts [n+1], values [nzmax]. Those of a logical matrix may be bytes
 * that are called doubles: libmatio takes them so where the flag says logical. */
static fb_status sparse(fb_mat_file *r, fb_matnum *v, int64_t flags, span z, fb_err *e)
{
    const span all = z;
    element x = {0}, starts = {0};
    int64_t nrow = 0, n = 0;
    FB_PASS(numbers(&z, "row indices", 1, 0, &x, &nrow, e));
    FB_PASS(numbers(&z, "column starts", 1, v->n + 1, &starts, &n, e));
    v->nnz = word(&z, starts.data, v->n);
    if (v->nnz > nrow)
        return broken(&z, "row indices", nrow, v->nnz, e);
    if (v->nnz == 0) /* and there may be no values: nothing to read */
        return fb_mat_handed(r, v, e);
    for (int k = 0; k <= v->complex; k++) {
        FB_PASS(next(&z, &x, e));
        if (x.type != FB_MI_DOUBLE || x.size >= 8 * nrow)
            flags &= ~LOGICAL;
        const int bytes = flags & LOGICAL ? 1 : fb_mat_bytes(x.type);
        if (bytes == 0 || x.size / bytes < v->nnz || x.size % bytes)
            return broken(&z, "values", bytes ? x.size / bytes : 0, v->nnz, e);
    }
    return hand_on(r, v, flags, &all, e);
}

static fb_status take(fb_mat_file *r, const char *path, int depth, span z, fb_err *e);

/* Length of a name, names, one variable a field: a struct of one. */
static fb_status fields(fb_mat_file *r, int depth, span z, fb_err *e)
{
    element names = {0}, field = {0};
    int64_t n = 0, length = 0;
    FB_PASS(numbers(&z, "length of the field names", 1, 1, &names, &n, e));
    length = word(&z, names.data, 0);
    FB_PASS(numbers(&z, "field names", 0, 0, &names, &n, e));
    if (names.size > 0 && (length < 1 || names.size % length))
        return broken(&z, "bytes of the field names", names.size, length, e);
    for (int64_t k = 0; k < names.size; k += length) {
        char path[160];
        FB_PASS(next(&z, &field, e));
        if (field.type != MI_MATRIX)
            return broken(&z, "type of a field", field.type, MI_MATRIX, e);
        snprintf(path, sizeof path, "%.79s.%.*s", z.name, (int)(length < 79 ? length : 79),
                 (const char *)names.data + k);
        span inside = z;
        inside.at = field.data;
        inside.end = field.data + field.size;
        if (field.size > 0)
            FB_PASS(take(r, path, depth + 1, inside, e));
    }
    return FB_OK;
}

/* One variable, or the field `path` of a struct, which has no name of its own. Texts, cells,
 * objects, functions and what has more than two dimensions are left alone. */
static fb_status take(fb_mat_file *r, const char *path, int depth, span z, fb_err *e)
{
    element x = {0}, dims = {0}, name = {0};
    fb_matnum v = {.n = 0};
    int64_t n = 0, rank = 0;
    FB_PASS(numbers(&z, "flags", 1, 2, &x, &n, e));
    const int64_t flags = word(&z, x.data, 0), class = flags & 0xff;
    if (class < MX_STRUCT || class > MX_UINT64)
        return FB_OK;
    FB_PASS(numbers(&z, "dimensions", 1, 2, &dims, &rank, e));
    v.m = word(&z, dims.data, 0);
    v.n = word(&z, dims.data, 1);
    if (v.m > INT32_MAX || v.n > INT32_MAX)
        return broken(&z, "a dimension", v.m > v.n ? v.m : v.n, INT32_MAX, e);
    FB_PASS(next(&z, &name, e));
    snprintf(v.name, sizeof v.name, "%.*s", path ? 159 : (int)(name.size < 79 ? name.size : 79),
             path ? path : (const char *)name.data);
    z.name = v.name;
    v.sparse = class == MX_SPARSE;
    v.complex = (flags & COMPLEX) != 0;
    if (!*v.name)
        return FB_OK;
    if (rank > 2)
        fb_mat_left(r, v.name, "it has more than two dimensions");
    else if (v.sparse)
        return sparse(r, &v, flags, z, e);
    else if (class >= MX_DOUBLE)
        return full(r, &v, flags, z, e);
    else if (class == MX_STRUCT && depth >= FB_MAT_DEPTH)
        fb_mat_left(r, v.name, "structs this deep are not looked into");
    else if (class == MX_STRUCT && (v.m != 1 || v.n != 1))
        fb_mat_left(r, v.name, "an array of structs");
    else if (class == MX_STRUCT)
        return fields(r, depth, z, e);
    return FB_OK;
}

/* ---- file ------------------------------------------------------------------------------- */

/* What is packed begins with the tag of a variable, which tells the length of all. */
static fb_status unpack(fb_mat_file *r, const span *z, const element *x, unsigned char **out,
                        int64_t *size, fb_err *e)
{
    unsigned char tag[TAG];
    z_stream t = {.next_in = x->data, .avail_in = (uInt)x->size, .next_out = tag, .avail_out = TAG};
    if (inflateInit(&t) != Z_OK)
        return fb_fail(e, FB_ESYS, "out of memory for zlib");
    int got = inflate(&t, Z_SYNC_FLUSH);
    (void)inflateEnd(&t);
    const int64_t most = x->size * MOST_BLOWN_UP, body = t.avail_out ? 0 : word(z, tag, 1);
    uLongf n = TAG - t.avail_out;
    *size = TAG + body;
    if (body > most)
        return broken(z, "bytes that may be packed here", most, body, e);
    if (t.avail_out == 0) {
        FB_PASS(fb_mat_unpack(r, (double)body, e));
        FB_PASS(fb_new(out, *size + 1, 1, "a packed variable", e));
        n = (uLongf)*size + 1;
        got = uncompress(*out, &n, x->data, (uLong)x->size);
    }
    if (got == Z_MEM_ERROR)
        return fb_fail(e, FB_ESYS, "out of memory for zlib");
    return got != Z_OK || (int64_t)n != *size
               ? broken(z, "bytes of a packed variable", (int64_t)n, *size, e)
               : FB_OK;
}

fb_status fb_mat_guard5(fb_mat_file *r, const fb_input *in, int little, fb_err *e)
{
    span z = {in->data + HEADER, in->data + in->size, in->data, little, -1, ""};
    fb_status s = FB_OK;
    unsigned char header[HEADER] = {0};
    memcpy(header + MARK, in->data + MARK, HEADER - MARK); /* version and order of bytes */
    r->sound.little = little;
    fb_put_bytes(&r->sound, header, HEADER);
    for (element x; !s && z.at < z.end;) {
        unsigned char *unpacked = NULL;
        span inside = z;
        FB_TRY(next(&z, &x, e));
        if (x.type == MI_COMPRESSED) {
            int64_t size = 0;
            s = unpack(r, &inside, &x, &unpacked, &size, e);
            inside = (span){
                unpacked, unpacked ? unpacked + size : NULL, unpacked, little, inside.at - in->data,
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
