/* SPDX-License-Identifier: GPL-3.0-or-later */
/* numpy.c - arrays of NumPy (.npy), zips of them (.npz), sparse matrices of SciPy among these.
 *
 * .npy     0x93 "NUMPY", version, length of the head (2 bytes; from version 2 on 4), a dict of
 *          Python: 'descr': '<f8', 'fortran_order': False, 'shape': (3, 3); the numbers
 * .npz     a zip, read by its directory at the end: stored or deflated members NAME.npy
 * SciPy    save_npz: format (csr, csc, coo), shape, data, and indptr and indices, or row and col;
 *          the matrix is called as the file
 * Exudyn   objects and their pickles: exudyn.c, pickle.c
 * Types    f4 f8 i1..i8 u1..u8 b1 c8 c16 in both orders of bytes; others are passed over
 * Source   NumPy 1.24, numpy.lib.format; SciPy 1.10, scipy.sparse.save_npz; PKWARE's APPNOTE 6.3
 */
#include "numpy.h"
#include "memory.h"
#include "reader.h"
#include "text/lines.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <zlib.h>

static const unsigned char magic[] = {0x93, 'N', 'U', 'M', 'P', 'Y'};

/* ---- one array ------------------------------------------------------------------------- */

/* Behind the key of the dict p..end; NULL: it has none. */
static const char *field(const char *p, const char *end, const char *key)
{
    const size_t n = strlen(key);
    for (; p + n < end; p++)
        if (!memcmp(p, key, n)) {
            p = fb_skip_blanks(p + n, end);
            return p < end && *p == ':' ? fb_skip_blanks(p + 1, end) : NULL;
        }
    return NULL;
}

static int shape(const char *p, const char *end, fb_np_array *a)
{
    int64_t d[2] = {1, 1};
    if (!p || p == end || *p++ != '(')
        return 0;
    for (a->rank = 0;; a->rank++) {
        int64_t k;
        p = fb_skip_blanks(p, end);
        if (p < end && *p == ')')
            break;
        p = fb_scan_int(p, end, &k);
        if (!p || k < 0)
            return 0;
        if (a->rank < 2)
            d[a->rank] = k;
        p = fb_skip_blanks(p, end);
        if (p == end || (*p != ',' && *p != ')'))
            return 0;
        p += *p == ',';
    }
    a->m = d[0];
    a->n = d[1];
    return 1;
}

void fb_np_type(fb_np_array *a, const char *type, int64_t n)
{
    const char *end = type + n;
    int64_t bytes = 0;
    a->little = n < 1 || *type != '>';
    type += n > 0 && strchr("<>|=", *type) != NULL;
    a->kind = 0;
    if (type == end || !strchr("fiubcSUO", *type))
        return;
    if (*type != 'O' && (!fb_scan_int(type + 1, end, &bytes) || bytes < 1 || bytes > 16))
        return;
    a->kind = *type;
    a->bytes = (int)bytes;
}

fb_status fb_np_parse(const unsigned char *d, int64_t size, fb_np_array *a, fb_err *e)
{
    const int wide = size > 8 && d[6] > 1 ? 4 : 2;
    const int64_t at = 8 + wide, length = size > at ? (int64_t)fb_mat_word(d + 8, wide, 1) : 0;
    if (size > 8 && (d[6] < 1 || d[6] > 3))
        return fb_fail(e, FB_EFORMAT, "array %s: version %d of NumPy's format, known are 1 to 3",
                       a->name, d[6]);
    if (size <= at || memcmp(d, magic, sizeof magic) || length > size - at)
        return fb_fail(e, FB_EFORMAT, "array %s: no head of NumPy, or it is cut", a->name);
    const char *p = (const char *)d + at, *end = p + length;
    const char *type = field(p, end, "'descr'"), *order = field(p, end, "'fortran_order'");
    if (!order || !shape(field(p, end, "'shape'"), end, a))
        return fb_fail(e, FB_EFORMAT, "array %s: descr, fortran_order and shape are wanted",
                       a->name);
    a->data = d + at + length;
    a->left = size - at - length;
    a->fortran = *order == 'T';
    if (type && end - type > 4 && *type == '\'' && strchr("<>|=", type[1]))
        fb_np_type(a, type + 1, end - type - 1);
    return FB_OK;
}

static double real_of(const fb_np_array *a, const unsigned char *p, int bytes)
{
    const uint64_t u = fb_mat_word(p, bytes, a->little);
    if (a->kind == 'u' || a->kind == 'b')
        return (double)u;
    if (a->kind == 'i') {
        const int shift = 64 - 8 * bytes;
        return (double)((int64_t)(u << shift) >> shift);
    }
    if (bytes == 8) {
        double x;
        memcpy(&x, &u, sizeof x);
        return x;
    }
    const uint32_t w = (uint32_t)u;
    float x;
    memcpy(&x, &w, sizeof x);
    return (double)x;
}

int fb_np_is_numeric(const fb_np_array *a)
{
    const int b = a->bytes;
    return a->kind == 'f'   ? b == 4 || b == 8
           : a->kind == 'c' ? b == 8 || b == 16
           : a->kind == 'i' || a->kind == 'u' || a->kind == 'b'
               ? b == 1 || b == 2 || b == 4 || b == 8
               : 0;
}

static fb_status has_all(const fb_np_array *a, fb_err *e)
{
    if (a->n && a->m > a->left / a->bytes / a->n)
        return fb_fail(e, FB_EFORMAT,
                       "array %s of %lld by %lld needs more than the %lld bytes there are", a->name,
                       (long long)a->m, (long long)a->n, (long long)a->left);
    return FB_OK;
}

/* Bytes of a real number of it. */
static int half_of(const fb_np_array *a)
{
    return a->kind == 'c' ? a->bytes / 2 : a->bytes;
}

/* The numbers, column by column; *im NULL where they are real. */
fb_status fb_np_numbers(const fb_np_array *a, double **re, double **im, fb_err *e)
{
    const int complex = a->kind == 'c', half = half_of(a);
    FB_PASS(has_all(a, e));
    FB_PASS(fb_new(re, a->m * a->n, 8, "an array", e));
    if (complex)
        FB_PASS(fb_new(im, a->m * a->n, 8, "an array", e));
    if (a->kind == 'f' && a->bytes == 8 && (a->fortran || a->n == 1)) { /* as they stand */
        fb_cursor c = {a->data, (size_t)a->left, 0, a->little};
        return fb_get_f64(&c, *re, a->m * a->n, "an array", e);
    }
    for (int64_t k = 0; k < a->m * a->n; k++) {
        const int64_t at = a->fortran || a->n == 1 ? k : k / a->n + k % a->n * a->m;
        const unsigned char *p = a->data + k * a->bytes;
        (*re)[at] = real_of(a, p, half);
        if (complex)
            (*im)[at] = real_of(a, p + half, half);
    }
    return FB_OK;
}

fb_status fb_np_give(fb_mat_file *r, const fb_np_array *a, fb_err *e)
{
    double *re = NULL, *im = NULL;
    fb_status s = FB_OK;
    if (!fb_np_is_numeric(a) || a->rank > 2) {
        fb_mat_left(r, a->name,
                    a->rank > 2 ? "it has more than two dimensions"
                                : "it does not hold plain numbers");
        return FB_OK;
    }
    FB_TRY(fb_np_numbers(a, &re, &im, e));
    s = fb_mat_full(r, &(fb_mat_array){a->name, a->m, a->n, re, im}, e);
out:
    FB_FREE(re, im);
    return s;
}

/* ---- zip ------------------------------------------------------------------------------- */

typedef struct {
    fb_np_array *a;
    unsigned char **unpacked; /* [n] what was deflated */
    int64_t n, cap, cap_unpacked;
} members;

static int64_t le(const unsigned char *p, int bytes)
{
    const uint64_t u = fb_mat_word(p, bytes, 1);
    return u > INT64_MAX ? -1 : (int64_t)u;
}

static fb_status bad_zip(const char *what, size_t at, fb_err *e)
{
    return fb_fail(e, FB_EFORMAT, "byte %zu: %s of the zip is not as it should be, or is cut", at,
                   what);
}

/* Sizes and place of a member, where the directory leaves them to the extra field of zip64. */
static void zip64(const unsigned char *x, int64_t n, int64_t v[3])
{
    while (n >= 4) {
        const int64_t id = le(x, 2), size = le(x + 2, 2);
        if (size > n - 4)
            return;
        int64_t at = 4;
        for (int k = 0; id == 1 && k < 3; k++)
            if (v[k] == UINT32_MAX && at + 8 <= 4 + size) {
                v[k] = le(x + at, 8);
                at += 8;
            }
        x += 4 + size;
        n -= 4 + size;
    }
}

static fb_status inflate_member(fb_mat_file *r, const unsigned char *d, int64_t packed,
                                int64_t size, unsigned char **out, fb_err *e)
{
    z_stream z = {.next_in = (unsigned char *)(uintptr_t)d};
    if (size < 0 || size > UINT32_MAX || packed > UINT32_MAX)
        return fb_fail(e, FB_EFORMAT,
                       "a packed member of 4 GB or more: numpy.savez stores it plain");
    FB_PASS(fb_mat_unpack(r, (double)size, e));
    FB_PASS(fb_new(out, size + 1, 1, "a packed member", e));
    z.avail_in = (uInt)packed;
    z.next_out = *out;
    z.avail_out = (uInt)size;
    if (inflateInit2(&z, -MAX_WBITS) != Z_OK)
        return fb_fail(e, FB_ESYS, "out of memory for zlib");
    const int got = inflate(&z, Z_FINISH);
    (void)inflateEnd(&z);
    if (got == Z_MEM_ERROR)
        return fb_fail(e, FB_ESYS, "out of memory for zlib");
    return got == Z_STREAM_END && z.avail_out == 0
               ? FB_OK
               : fb_fail(e, FB_EFORMAT, "a packed member of the zip is damaged");
}

/* The entry of the directory at `at`; moves behind it. */
static fb_status one_member(fb_mat_file *r, const fb_input *in, size_t *at, members *m, fb_err *e)
{
    const unsigned char *d = in->data + *at;
    const int64_t left = (int64_t)(in->size - *at);
    if (left < 46 || memcmp(d, "PK\1\2", 4))
        return bad_zip("the directory", *at, e);
    const int64_t name = le(d + 28, 2), extra = le(d + 30, 2), note = le(d + 32, 2),
                  method = le(d + 10, 2);
    int64_t v[3] = {le(d + 24, 4), le(d + 20, 4), le(d + 42, 4)}; /* size, packed, place */
    if (46 + name + extra + note > left)
        return bad_zip("the directory", *at, e);
    zip64(d + 46 + name, extra, v);
    *at += (size_t)(46 + name + extra + note);
    const int64_t size = (int64_t)in->size;
    if (v[2] < 0 || v[2] > size - 30 || memcmp(in->data + v[2], "PK\3\4", 4))
        return bad_zip("a member", (size_t)(v[2] < 0 ? 0 : v[2]), e);
    const unsigned char *local = in->data + v[2];
    const int64_t begin = v[2] + 30 + le(local + 26, 2) + le(local + 28, 2);
    if (v[1] < 0 || begin > size || v[1] > size - begin || (method && method != 8) ||
        (!method && v[0] != v[1]))
        return bad_zip("a member", (size_t)v[2], e);
    FB_PASS(fb_grow(&m->a, &m->cap, m->n + 1, sizeof *m->a, e));
    FB_PASS(fb_grow(&m->unpacked, &m->cap_unpacked, m->n + 1, sizeof *m->unpacked, e));
    fb_np_array *a = m->a + m->n;
    *a = (fb_np_array){0};
    m->unpacked[m->n++] = NULL;
    const int64_t stem = name > 4 && !memcmp(d + 46 + name - 4, ".npy", 4) ? name - 4 : name;
    snprintf(a->name, sizeof a->name, "%.*s", (int)(stem < 63 ? stem : 63), (const char *)d + 46);
    if (method)
        FB_PASS(inflate_member(r, in->data + begin, v[1], v[0], m->unpacked + m->n - 1, e));
    const unsigned char *whole = method ? m->unpacked[m->n - 1] : in->data + begin;
    if (crc32_z(0, whole, (z_size_t)v[0]) != (uLong)le(d + 16, 4))
        return fb_fail(e, FB_EFORMAT,
                       "%s in the zip is damaged: its numbers have another checksum (CRC-32) than "
                       "was written; save it again",
                       a->name);
    return fb_np_parse(whole, v[0], a, e);
}

/* The end record stands in the last 64 KiB. */
static fb_status directory(fb_mat_file *r, const fb_input *in, members *m, fb_err *e)
{
    const unsigned char *d = in->data;
    size_t at = in->size < 22 ? 0 : in->size - 22, n = 0;
    while (at > 0 && in->size - at < 65600 && memcmp(d + at, "PK\5\6", 4))
        at--;
    if (in->size < 22 || memcmp(d + at, "PK\5\6", 4))
        return bad_zip("the end", in->size, e);
    int64_t count = le(d + at + 10, 2), begin = le(d + at + 16, 4);
    if (begin == UINT32_MAX && at >= 76 && !memcmp(d + at - 76, "PK\6\6", 4)) {
        count = le(d + at - 76 + 32, 8);
        begin = le(d + at - 76 + 48, 8);
    }
    if (begin < 0 || begin > (int64_t)at || count < 0)
        return bad_zip("the end", at, e);
    for (n = (size_t)begin; count > 0; count--)
        FB_PASS(one_member(r, in, &n, m, e));
    return FB_OK;
}

/* ---- sparse ---------------------------------------------------------------------------- */

static const fb_np_array *find(const members *m, const char *name)
{
    for (int64_t k = 0; k < m->n; k++)
        if (!strcmp(m->a[k].name, name) && m->a[k].rank <= 1 && m->a[k].data)
            return m->a + k;
    return NULL;
}

/* Its numbers as whole ones of 0 .. most - 1. */
static fb_status indices(const fb_np_array *a, int64_t n, int64_t most, int64_t **out, fb_err *e)
{
    if (!a || !fb_np_is_numeric(a) || a->m != n)
        return fb_fail(e, FB_EFORMAT, "a sparse matrix of SciPy: %lld indices are wanted",
                       (long long)n);
    FB_PASS(has_all(a, e));
    FB_PASS(fb_new(out, n, 8, "indices", e));
    for (int64_t k = 0; k < n; k++) {
        const double x = real_of(a, a->data + k * a->bytes, half_of(a));
        if (!(x >= 0 && x < (double)most) || x > floor(x))
            return fb_fail(
                e, FB_EFORMAT,
                "%s[%lld] of a sparse matrix is %g: whole numbers from 0 to %lld are wanted",
                a->name, (long long)k, x, (long long)most - 1);
        (*out)[k] = (int64_t)x;
    }
    return FB_OK;
}

/* Of compressed lines: the line of each entry. */
static fb_status lines_of(const fb_np_array *indptr, int64_t lines, int64_t nnz, int64_t **out,
                          fb_err *e)
{
    int64_t *start = NULL;
    fb_status s = FB_OK;
    FB_TRY(indices(indptr, lines + 1, nnz + 1, &start, e));
    FB_TRY(fb_new(out, nnz, 8, "indices", e));
    for (int64_t c = 0; c < lines; c++) {
        if (start[c + 1] < start[c] || start[0] || start[lines] != nnz)
            FB_TRY(fb_fail(e, FB_EFORMAT,
                           "indptr of a sparse matrix falls, or does not end at %lld",
                           (long long)nnz));
        for (int64_t k = start[c]; k < start[c + 1]; k++)
            (*out)[k] = c;
    }
out:
    free(start);
    return s;
}

fb_status fb_np_give_entries(fb_mat_file *r, const char *name, const fb_np_entries *t, fb_err *e)
{
    fb_fill f = {0};
    fb_csc A = {0};
    double *imag = NULL;
    fb_status s = FB_OK;
    fb_mat_saw(r, name, t->m, t->n);
    FB_TRY(fb_fill_new(&f, t->m, t->n, 0, e));
    for (int64_t k = 0; k < t->nnz; k++)
        fb_fill_count(&f, t->column[k]);
    FB_TRY(fb_fill_start(&f, t->im != NULL, e));
    for (int64_t k = 0; k < t->nnz; k++) {
        const int64_t at = fb_fill_place(&f, t->row[k], t->column[k], t->re[k]);
        if (t->im)
            f.imag[at] = t->im[k];
    }
    FB_TRY(fb_fill_finish(&f, &A, &imag, NULL, e));
    s = fb_mat_take(r, name, &A, imag, e);
out:
    fb_fill_free(&f);
    return s;
}

/* csr, csc or coo, as bytes or as text of four bytes a letter; others are named. */
static fb_status form_of(const fb_np_array *form, const char *name, char word[4], fb_err *e)
{
    const int step = form->kind == 'U' ? 4 : 1, at = step > 1 && !form->little ? 3 : 0;
    for (int k = 0; k < 4; k++) {
        word[k] = k < 3 && form->left > k * step + at ? (char)form->data[k * step + at] : 0;
        if (word[k] && !strchr("abcdefghijklmnopqrstuvwxyz", word[k]))
            word[k] = '?';
    }
    if (!strcmp(word, "csr") || !strcmp(word, "csc") || !strcmp(word, "coo"))
        return FB_OK;
    return fb_fail(e, FB_EFORMAT,
                   "a sparse matrix of SciPy in the form '%s': csr, csc and coo are read; "
                   "scipy.sparse.save_npz('%s.npz', A.tocsr()) writes one",
                   word, name);
}

static void entries_free(fb_np_entries *t)
{
    FB_FREE(t->row, t->column, t->re, t->im);
}

static fb_status entries_of(fb_mat_file *r, const fb_np_array *data, const int64_t size[2],
                            fb_np_entries *t, fb_err *e)
{
    if (!data || !fb_np_is_numeric(data) || data->m > data->left)
        return fb_fail(e, FB_EFORMAT, "a sparse matrix of SciPy without numbers");
    t->m = size[0];
    t->n = size[1];
    t->nnz = data->m;
    if (t->m < 0 || t->n < 0 || (t->m > t->n ? t->m : t->n) > FB_MAT_PATIENCE + r->size)
        return fb_fail(e, FB_EFORMAT, "a sparse matrix of %lld by %lld in %lld bytes",
                       (long long)t->m, (long long)t->n, (long long)r->size);
    return fb_np_numbers(data, &t->re, &t->im, e);
}

fb_status fb_np_compressed(fb_mat_file *r, const char *name, const fb_np_array *ptr,
                           const fb_np_array *index, const fb_np_array *data, const int64_t size[2],
                           int by_row, fb_err *e)
{
    fb_np_entries t = {0};
    fb_status s = FB_OK;
    FB_TRY(entries_of(r, data, size, &t, e));
    FB_TRY(lines_of(ptr, by_row ? t.m : t.n, t.nnz, by_row ? &t.row : &t.column, e));
    FB_TRY(indices(index, t.nnz, by_row ? t.n : t.m, by_row ? &t.column : &t.row, e));
    s = fb_np_give_entries(r, name, &t, e);
out:
    entries_free(&t);
    return s;
}

/* 1: the zip is a matrix of SciPy. */
static fb_status scipy(fb_mat_file *r, const members *m, const char *name, int *is, fb_err *e)
{
    const fb_np_array *form = find(m, "format"), *shape_of = find(m, "shape"),
                      *data = find(m, "data"), *ptr = find(m, "indptr");
    fb_np_entries t = {0};
    int64_t *size = NULL;
    fb_status s = FB_OK;
    char word[4];
    *is = form && shape_of && (form->kind == 'S' || form->kind == 'U');
    if (!*is)
        return FB_OK;
    FB_PASS(form_of(form, name, word, e));
    FB_TRY(indices(shape_of, 2, INT32_MAX, &size, e));
    if (ptr) {
        s = fb_np_compressed(r, name, ptr, find(m, "indices"), data, size, !strcmp(word, "csr"), e);
        goto out;
    }
    FB_TRY(entries_of(r, data, size, &t, e));
    FB_TRY(indices(find(m, "row"), t.nnz, t.m, &t.row, e));
    FB_TRY(indices(find(m, "col"), t.nnz, t.n, &t.column, e));
    s = fb_np_give_entries(r, name, &t, e);
out:
    free(size);
    entries_free(&t);
    return s;
}

/* ---- files ----------------------------------------------------------------------------- */

/* The one object of a scalar array is the value. */
static fb_status load(fb_py *t, const fb_np_array *a, int32_t *v, fb_err *e)
{
    const unsigned char *p = a->data;
    FB_PASS(fb_within(fb_py_load(t, &p, p + a->left, v, e), e, "%s", a->name));
    const fb_py_value *one = fb_py_list(t, *v);
    if (a->rank == 0 && one && one->n == 1)
        *v = one->item[0];
    return FB_OK;
}

static fb_status objects(fb_mat_file *r, const fb_np_array *a, fb_err *e)
{
    fb_py t = {0};
    int32_t v = 0;
    fb_status s = load(&t, a, &v, e);
    if (!s)
        s = fb_py_give(r, &t, a->name, v, e);
    fb_py_free(&t);
    return s;
}

/* 1: the members are those of Exudyn's FEMinterface, given as its model. */
static fb_status exudyn(fb_mat_file *r, const members *m, int *is, fb_err *e)
{
    int32_t field[FB_EXU_FIELDS];
    fb_py t = {0};
    fb_status s = FB_OK;
    *is = 0;
    for (int k = 0; k < FB_EXU_FIELDS; k++) {
        const fb_np_array *a = NULL;
        field[k] = -1;
        for (int64_t q = 0; q < m->n; q++)
            a = strcmp(m->a[q].name, fb_exu_name[k]) ? a : m->a + q;
        *is = *is || (k == FB_EXU_NODES && a && a->kind == 'O');
        if (!*is || !a)
            continue;
        FB_TRY(a->kind == 'O' ? load(&t, a, field + k, e) : fb_py_array(&t, a, field + k, e));
    }
    if (*is)
        s = fb_exu_give(r, &t, field, e);
out:
    fb_py_free(&t);
    return s;
}

static fb_status variables_of_npz(fb_mat_file *r, const fb_input *in, fb_err *e)
{
    members m = {0};
    char name[64];
    int is_scipy = 0, is_exudyn = 0;
    fb_status s = FB_OK;
    fb_mat_stem(in->name, name);
    FB_TRY(directory(r, in, &m, e));
    FB_TRY(scipy(r, &m, name, &is_scipy, e));
    if (!is_scipy)
        FB_TRY(exudyn(r, &m, &is_exudyn, e));
    for (int64_t k = 0; k < m.n && !is_scipy && !is_exudyn; k++)
        FB_TRY(m.a[k].kind == 'O' ? objects(r, m.a + k, e) : fb_np_give(r, m.a + k, e));
out:
    for (int64_t k = 0; k < m.n; k++)
        free(m.unpacked[k]);
    FB_FREE(m.a, m.unpacked);
    return s;
}

static fb_status variables_of_npy(fb_mat_file *r, const fb_input *in, fb_err *e)
{
    fb_np_array a = {0};
    fb_mat_stem(in->name, a.name);
    FB_PASS(fb_np_parse(in->data, (int64_t)in->size, &a, e));
    /* A version, or the nodes at once, and arrays behind: Exudyn's. */
    if (a.kind == 'O' ||
        (a.rank == 1 && a.m == 1 && a.kind == 'i' && a.left > a.bytes + (int64_t)sizeof magic &&
         !memcmp(a.data + a.bytes, magic, sizeof magic)))
        return fb_exu_sequence(r, in, e);
    return fb_np_give(r, &a, e);
}

static int sniff_npz(const fb_input *in)
{
    return in->size > 30 && !memcmp(in->data, "PK\3\4", 4);
}

static int sniff_npy(const fb_input *in)
{
    return in->size > sizeof magic && !memcmp(in->data, magic, sizeof magic);
}

static fb_status read_npz(const fb_input *in, fb_parts *p, fb_log *log, fb_err *e)
{
    return fb_mat_read(in, p, variables_of_npz, log, e);
}

static fb_status read_npy(const fb_input *in, fb_parts *p, fb_log *log, fb_err *e)
{
    return fb_mat_read(in, p, variables_of_npy, log, e);
}

const fb_reader fb_reader_npz = {
    .name = "npz",
    .doc = "NumPy arrays in a zip (.npz)",
    .sniff = sniff_npz,
    .read = read_npz,
};
const fb_reader fb_reader_npy = {
    .name = "npy",
    .doc = "NumPy array (.npy)",
    .sniff = sniff_npy,
    .read = read_npy,
};
