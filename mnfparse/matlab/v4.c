/* SPDX-License-Identifier: GPL-3.0-or-later */
/* v4.c - MATLAB .mat files of version 4: the guard in front of libmatio.
 *
 * Variable  20 bytes: type MOPT (M byte order, O zero, P precision, T kind), rows, columns,
 *           imaginary or not, length of the name with its NUL; the name; the real parts, column by
 *           column; the imaginary ones
 * Source    MAT-File Format, The MathWorks (R2023), version 4
 */
#include "mat.h"
#include <stdio.h>

enum { HEADER = 20, TEXT = 1, SPARSE = 2 };

typedef struct {
    int kind, bytes; /* T; of a number */
    int64_t m, n, complex, namelen;
} v4;

static int64_t word(const unsigned char *p, int little)
{
    return (int32_t)(uint32_t)fb_mat_word(p, 4, little);
}

static int v4_header(const unsigned char *d, size_t left, v4 *h)
{
    static const int bytes[] = {8, 4, 4, 2, 2, 1};
    if (left < HEADER)
        return 0;
    int64_t type = word(d, 1);
    const int little = type >= 0 && type < 1000;
    if (!little)
        type = word(d, 0) - 1000; /* M = 1: big-endian */
    if (type < 0 || type > 52 || type % 10 > 2)
        return 0;
    h->bytes = bytes[type / 10];
    h->kind = (int)type % 10;
    h->m = word(d + 4, little);
    h->n = word(d + 8, little);
    h->complex = word(d + 12, little);
    h->namelen = word(d + 16, little);
    if (h->m < 0 || h->n < 0 || h->complex < 0 || h->complex > 1 || h->namelen < 2 ||
        h->namelen > 64 || left - HEADER < (size_t)h->namelen)
        return 0;
    for (int64_t k = 0; k < h->namelen - 1; k++)
        if (d[HEADER + k] <= ' ' || d[HEADER + k] > '~')
            return 0;
    return d[HEADER + h->namelen - 1] == 0;
}

int fb_mat_is4(const fb_input *in)
{
    v4 h;
    return v4_header(in->data, in->size, &h);
}

fb_status fb_mat_guard4(fb_mat_file *r, const fb_input *in, fb_err *e)
{
    for (size_t at = 0; at < in->size;) {
        const unsigned char *d = in->data + at;
        v4 h;
        if (!v4_header(d, in->size - at, &h))
            return fb_fail(e, FB_EFORMAT, "byte %zu: no header of a version 4 variable", at);
        const size_t left = in->size - at - HEADER - (size_t)h.namelen,
                     step = (size_t)h.bytes * (1 + (size_t)h.complex);
        const char *name = (const char *)d + HEADER;
        if (h.n > 0 && (uint64_t)h.m > left / step / (uint64_t)h.n)
            return fb_fail(
                e, FB_EFORMAT,
                "byte %zu: variable %s of %lld by %lld needs more than the %zu bytes left", at,
                name, (long long)h.m, (long long)h.n, left);
        if (h.kind == SPARSE && (h.m < 1 || h.complex || (h.n != 3 && h.n != 4)))
            return fb_fail(e, FB_EFORMAT,
                           "variable %s: a sparse matrix is stored as %lld by %lld, 3 or 4 columns "
                           "are wanted",
                           name, (long long)h.m, (long long)h.n);
        if (h.m * h.n > INT32_MAX)
            return fb_fail(e, FB_EFORMAT, "variable %s has more than 2^31 numbers", name);
        at += HEADER + (size_t)h.namelen + (size_t)(h.m * h.n) * step;
        if (h.kind == TEXT || h.m * h.n == 0)
            continue;
        fb_matnum v = {.m = h.m, .n = h.n, .complex = (int)h.complex, .entries = h.kind == SPARSE};
        snprintf(v.name, sizeof v.name, "%s", name);
        fb_put_bytes(&r->sound, d, (size_t)(in->data + at - d));
        FB_PASS(fb_mat_handed(r, &v, e));
    }
    return FB_OK;
}
