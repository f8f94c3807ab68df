/* SPDX-License-Identifier: GPL-3.0-or-later */
/* mm.c - Matrix Market exchange format, text.
 *
 * Layout   banner "%%MatrixMarket matrix FORMAT FIELD SYMMETRY", comments (%) and empty lines
 *          anywhere behind it, the size line (coordinate: rows columns entries; array: rows
 *          columns), then one entry a line (coordinate, indices from 1) or the values column by
 *          column (array) symmetric, skew-symmetric, hermitian: one half is stored, the lower by
 *          the standard
 * Refused  pattern: no values are no ones
 * Taken    one percent sign, blanks and empty lines before the banner, any case; an upper half;
 *          both halves, if they agree (a warning)
 * Cost     one pass over the text, half as much memory again as the matrix
 * Source   Boisvert, Pozo & Remington, The Matrix Market exchange formats, NISTIR 5935 (1996)
 */
#include "text/lines.h"
#include "reader.h"
#include "text/triples.h"
#include <stdio.h>
#include <stdlib.h>

enum { COORDINATE, ARRAY };
enum { REAL, INTEGER, COMPLEX, PATTERN };
enum { GENERAL, SYMMETRIC, SKEW, HERMITIAN };
enum { PATIENCE = 100000 }; /* empty columns that a file may announce whatever its size */

typedef struct {
    fb_lines t;
    const char *body; /* first byte behind the size line */
    int format, field, symmetry;
    int64_t m, n, nnz;
    int values;           /* numbers of an entry: 2 complex, else 1 */
    int64_t lower, upper; /* off-diagonal entries of each half */
    fb_triples list;
    double *im; /* [list.n] of complex entries, and of arrays */
    int64_t cap_im;
    fb_meter meter;
    const fb_input *in;
} mm;

/* ---- header ----------------------------------------------------------------------------- */

static int is_space(char c)
{
    return c == ' ' || c == '\t' || c == '\r' || c == '\n';
}

/* The banner's first byte behind "MatrixMarket", or NULL. */
static const char *banner_start(fb_lines t)
{
    static const char name[] = "matrixmarket";
    const char *p = t.begin;
    while (p < t.end && p - t.begin < 4096 && is_space(*p))
        p++;
    if (p == t.end || *p++ != '%')
        return NULL;
    if (p < t.end && *p == '%')
        p++;
    if (t.end - p < (ptrdiff_t)sizeof name - 1 || !fb_word_is(p, p + sizeof name - 1, name))
        return NULL;
    return p + sizeof name - 1;
}

static int sniff(const fb_input *in)
{
    return banner_start(fb_lines_of(in)) != NULL;
}

/* The next word of the banner as a position in `words` (ends with NULL). */
static fb_status banner_word(const mm *h, const char **p, const char *end, const char *what,
                             const char *const *words, int *out, fb_err *e)
{
    char list[160] = "";
    const char *w = fb_skip_blanks(*p, end), *q = w;
    while (q < end && !is_space(*q))
        q++;
    for (int k = 0; words[k]; k++) {
        if (fb_word_is(w, q, words[k])) {
            *out = k;
            *p = q;
            return FB_OK;
        }
        size_t at = strlen(list);
        snprintf(list + at, sizeof list - at, "%s%s", at ? ", " : "", words[k]);
    }
    return fb_fail_at(e, &h->t, w, "%s of the banner is '%.*s'; known are %s", what,
                      (int)(q - w < 40 ? q - w : 40), w, list);
}

static fb_status banner(mm *h, fb_err *e)
{
    static const char *const object[] = {"matrix", NULL},
                             *const format[] = {"coordinate", "array", NULL},
                             *const field[] = {"real",   "integer",          "complex", "pattern",
                                               "double", "unsigned-integer", NULL},
                             *const symmetry[] = {"general", "symmetric", "skew-symmetric",
                                                  "hermitian", NULL};
    const char *p = banner_start(h->t);
    int k = 0;
    if (!p)
        return fb_fail(e, FB_EFORMAT, "line 1: no %%%%MatrixMarket banner");
    const char *end = fb_line_end(p, h->t.end);
    FB_PASS(banner_word(h, &p, end, "object", object, &k, e));
    FB_PASS(banner_word(h, &p, end, "format", format, &h->format, e));
    FB_PASS(banner_word(h, &p, end, "field", field, &h->field, e));
    FB_PASS(banner_word(h, &p, end, "symmetry", symmetry, &h->symmetry, e));
    h->field = h->field == 4 ? REAL : h->field == 5 ? INTEGER : h->field;
    h->values = h->field == COMPLEX ? 2 : 1;
    h->body = fb_after_line(end, h->t.end);
    if (h->field == PATTERN)
        return fb_fail_at(e, &h->t, p,
                          "the banner says pattern: the file holds no values, only where they "
                          "would stand; write the matrix with its values (real)");
    else if (h->symmetry == HERMITIAN && h->field != COMPLEX)
        h->symmetry = SYMMETRIC;
    return FB_OK;
}

/* The first byte of the next line that is neither empty nor a comment, behind its blanks. */
static inline const char *next_entry(const char *p, const char *end)
{
    if (end - p >= 2 && *p == '\n' && p[1] >= '0' && p[1] <= '9') /* most lines */
        return p + 1;
    for (;;) {
        while (p < end && is_space(*p))
            p++;
        if (p == end || *p != '%')
            return p;
        p = fb_after_line(p, end);
    }
}

static fb_status size_line(mm *h, fb_err *e)
{
    int64_t v[3] = {0};
    int want = h->format == COORDINATE ? 3 : 2, got = 0;
    const char *p = next_entry(h->body, h->t.end), *at = p, *end = fb_line_end(p, h->t.end), *q;
    while (got < want && (q = fb_scan_int(fb_skip_blanks(p, end), end, v + got))) {
        p = q;
        got++;
    }
    p = fb_skip_blanks(p, end);
    if (got < want || (p < end && *p != '\r'))
        return fb_fail_at(e, &h->t, at, "the size line '%.*s' should hold %s",
                          (int)(end - at < 60 ? fb_trim_end(at, end) - at : 60), at,
                          want == 3 ? "three whole numbers: rows, columns, entries"
                                    : "two whole numbers: rows, columns");
    h->m = v[0];
    h->n = v[1];
    h->nnz = v[2];
    h->body = fb_after_line(end, h->t.end);
    int64_t most = PATIENCE + (h->t.end - h->t.begin);
    if (h->m < 0 || h->n < 0 || h->nnz < 0 || h->m > most || h->n > most || h->nnz > most ||
        h->m > INT32_MAX || h->n > INT32_MAX)
        return fb_fail_at(e, &h->t, at,
                          "a matrix of %lld by %lld with %lld entries does not fit into the %lld "
                          "bytes of the file",
                          (long long)h->m, (long long)h->n, (long long)h->nnz,
                          (long long)(h->t.end - h->t.begin));
    if (h->symmetry != GENERAL && h->m != h->n)
        return fb_fail_at(e, &h->t, at,
                          "%lld by %lld is not square, but the banner does not say general",
                          (long long)h->m, (long long)h->n);
    return FB_OK;
}

/* ---- coordinate ------------------------------------------------------------------------- */

/* What is wrong with the line at p: found out only once something is. */
static fb_status bad_entry(const mm *h, const char *p, fb_err *e)
{
    const char *end = fb_trim_end(p, fb_line_end(p, h->t.end));
    int64_t v[2] = {0};
    int fields = 0, want = 2 + h->values;
    for (const char *q = p; q < end; fields++) {
        while (is_space(*q)) /* the last byte before end is none */
            q++;
        const char *w = q;
        while (q < end && !is_space(*q))
            q++;
        double x;
        const char *r = fields < 2      ? fb_scan_int(w, q, v + fields)
                        : fields < want ? fb_scan_real(w, q, &x)
                                        : q;
        if (r != q)
            return fb_fail_at(e, &h->t, p, "'%.*s' is not a %s", (int)(q - w < 40 ? q - w : 40), w,
                              fields < 2 ? "whole number" : "finite number");
    }
    if (fields != want)
        return fb_fail_at(e, &h->t, p, "%d fields, an entry of this file has %d (row, column%s)",
                          fields, want, h->values == 2 ? ", real, imaginary part" : ", value");
    if (h->symmetry == SKEW && v[0] == v[1])
        return fb_fail_at(e, &h->t, p,
                          "entry (%lld,%lld) on the diagonal of a skew-symmetric matrix",
                          (long long)v[0], (long long)v[1]);
    return fb_fail_at(e, &h->t, p,
                      "entry (%lld,%lld) is outside the %lld by %lld matrix (indices count from 1)",
                      (long long)v[0], (long long)v[1], (long long)h->m, (long long)h->n);
}

/* Row and column at p, from 0; NULL if they are not there or not in range. */
static inline const char *indices(const mm *h, const char *p, int64_t *i, int64_t *j)
{
    p = fb_scan_index(p, h->t.end, i);
    if (!p || p == h->t.end || (*p != ' ' && *p != '\t'))
        return NULL;
    p = fb_scan_index(fb_skip_blanks(p, h->t.end), h->t.end, j);
    if (!p || *i < 1 || *i > h->m || *j < 1 || *j > h->n)
        return NULL;
    --*i;
    --*j;
    return p;
}

/* Are both halves of the pair (i,j), (j,i) to be stored for this one entry? */
static int expanded(const mm *h)
{
    return h->symmetry == SKEW || h->symmetry == HERMITIAN;
}

/* A wrong number of lines, or a bad index, says more than a bad value. */
static fb_status check_lines(mm *h, fb_err *e)
{
    const char *end = h->t.end, *p = next_entry(h->body, end);
    int64_t k = 0, i, j;
    h->lower = h->upper = 0;
    for (; p < end; k++) {
        if (k == h->nnz)
            return fb_fail_at(e, &h->t, p,
                              "more entries than the %lld that the size line announces",
                              (long long)h->nnz);
        const char *q = indices(h, p, &i, &j);
        if (!q || (h->symmetry == SKEW && i == j))
            return bad_entry(h, p, e);
        h->lower += i > j;
        h->upper += i < j;
        p = next_entry(fb_line_end(q, end), end);
    }
    if (k < h->nnz)
        return fb_fail(e, FB_EFORMAT, "the size line announces %lld entries, the file has %lld",
                       (long long)h->nnz, (long long)k);
    return FB_OK;
}

/* The values at q and the end of the line; NULL if they are not there. */
static inline const char *values(const mm *h, const char *q, double v[2])
{
    const char *end = h->t.end;
    for (int k = 0; k < h->values; k++) {
        if (q == end || (*q != ' ' && *q != '\t'))
            return NULL;
        q = fb_scan_real(fb_skip_blanks(q, end), end, v + k);
        if (!q)
            return NULL;
    }
    if (q < end && *q != '\n') {
        q = fb_skip_blanks(q, end);
        if (q < end && *q == '\r')
            q++;
        if (q < end && *q != '\n')
            return NULL;
    }
    return q;
}

/* A whole entry; NULL if it is not there. */
static const char *any_entry(const mm *h, const char *p, int64_t *i, int64_t *j, double v[2])
{
    const char *q = indices(h, p, i, j);
    return q ? values(h, q, v) : NULL;
}

/* What is to be done for entry k where it is complex, or half of a pair that is written out; 0: it
 * must not be. */
static int odd_entry(mm *h, fb_fill *f, const char *p, int64_t i, int64_t j, int64_t k, double v[2],
                     fb_log *log)
{
    if (h->symmetry == SKEW && i == j)
        return 0;
    if (h->symmetry == HERMITIAN && i == j && v[1] != 0) {
        fb_warn(log,
                "line %lld: imaginary part %g on the diagonal of a hermitian matrix is dropped",
                fb_line_number(&h->t, p), v[1]);
        v[1] = 0;
    }
    if (expanded(h) && i != j)
        fb_fill_count(f, i);
    if (h->im)
        h->im[k] = v[1];
    return 1;
}

/* All entries; *bad is the line that is none, or one too many, or the end where some are missing.
 * The list takes memory for as many as the file can hold: five bytes each, "1 1 1". */
static fb_status collect(mm *h, fb_fill *f, const char **bad, fb_log *log, fb_err *e)
{
    const char *end = h->t.end, *p = next_entry(h->body, end);
    const uint64_t m = (uint64_t)h->m, n = (uint64_t)h->n;
    const int symmetric = f->A.upper, real = h->values == 1, plain = real && !expanded(h);
    const int64_t most = (end - h->body) / 5 + 1, room = h->nnz < most ? h->nnz : most;
    int64_t k = 0, i = 0, j = 0;
    double v[2] = {0};
    fb_triples *t = &h->list;
    FB_PASS(fb_new(&t->place, room, sizeof *t->place, "places of entries", e));
    FB_PASS(fb_new(&t->x, room, sizeof *t->x, "matrix values", e));
    if (!real)
        FB_PASS(fb_new(&h->im, room, sizeof *h->im, "imaginary parts", e));
    t->cap_place = t->cap_x = room;
    fb_meter_start(&h->meter, log, h->in, 0, 1);
    for (; p < end && k < room; k++) {
        fb_meter_at(&h->meter, p);
        const char *q = real ? fb_scan_triple(p, end, &i, &j, v) : NULL;
        i--;
        j--;
        if (!q || *q != '\n' || (uint64_t)i >= m || (uint64_t)j >= n) {
            q = any_entry(h, p, &i, &j, v);
            if (!q)
                break;
        }
        if (!plain && !odd_entry(h, f, p, i, j, k, v, log))
            break;
        h->lower += i > j;
        h->upper += i < j;
        fb_fill_count(f, symmetric && i > j ? i : j);
        t->place[k] = FB_PLACE(i, j, 0);
        t->x[k] = v[0];
        p = next_entry(q, end);
    }
    t->n = k;
    *bad = p < end || k < h->nnz ? p : NULL;
    return FB_OK;
}

static fb_status coordinate(mm *h, fb_fill *f, fb_log *log, fb_err *e)
{
    const char *bad = NULL;
    FB_PASS(collect(h, f, &bad, log, e));
    if (bad)
        FB_PASS(check_lines(h, e));
    if (expanded(h) && h->lower && h->upper)
        return fb_fail(e, FB_EFORMAT,
                       "entries of both halves in a file that says %s: one half is wanted",
                       h->symmetry == SKEW ? "skew-symmetric" : "hermitian");
    return bad ? bad_entry(h, bad, e) : FB_OK;
}

/* ---- array ------------------------------------------------------------------------------ */

/* The next value of the stream; several may stand on a line. */
static fb_status array_value(const mm *h, const char **at, double *x, fb_err *e)
{
    const char *p = next_entry(*at, h->t.end),
               *q = p < h->t.end ? fb_scan_real(p, h->t.end, x) : NULL;
    if (p == h->t.end)
        return fb_fail(e, FB_EFORMAT, "the file ends before the %lld by %lld array is full",
                       (long long)h->m, (long long)h->n);
    if (!q || (q < h->t.end && !is_space(*q))) {
        for (q = p; q < h->t.end && !is_space(*q) && q - p < 40;)
            q++;
        return fb_fail_at(e, &h->t, p, "'%.*s' is not a finite number", (int)(q - p), p);
    }
    *at = q;
    return FB_OK;
}

/* The first row of column j that is stored. */
static int64_t first_row(const mm *h, int64_t j)
{
    return h->symmetry == GENERAL ? 0 : h->symmetry == SKEW ? j + 1 : j;
}

/* Every entry that is not zero. */
static fb_status array(mm *h, fb_fill *f, fb_err *e)
{
    const char *p = h->body;
    fb_triples *t = &h->list;
    for (int64_t j = 0; j < h->n; j++)
        for (int64_t i = first_row(h, j); i < h->m; i++) {
            double v[2] = {0, 0};
            for (int k = 0; k < h->values; k++)
                FB_PASS(array_value(h, &p, v + k, e));
            if (v[0] == 0 && v[1] == 0)
                continue;
            FB_PASS(fb_grow(&t->place, &t->cap_place, t->n + 1, sizeof *t->place, e));
            FB_PASS(fb_grow(&t->x, &t->cap_x, t->n + 1, sizeof *t->x, e));
            FB_PASS(fb_grow(&h->im, &h->cap_im, t->n + 1, sizeof *h->im, e));
            fb_fill_count(f, f->A.upper ? i : j);
            if (expanded(h) && i != j)
                fb_fill_count(f, i);
            t->place[t->n] = FB_PLACE(i, j, 0);
            t->x[t->n] = v[0];
            h->im[t->n++] = h->symmetry == HERMITIAN && i == j ? 0 : v[1];
        }
    p = next_entry(p, h->t.end);
    if (p < h->t.end)
        return fb_fail_at(e, &h->t, p, "more values than the %lld by %lld array holds",
                          (long long)h->m, (long long)h->n);
    return FB_OK;
}

/* ---- matrix ----------------------------------------------------------------------------- */

/* The list, with the other half of each pair of a skew-symmetric or hermitian matrix. */
static fb_status spread(const mm *h, fb_fill *f, fb_err *e)
{
    const int both = expanded(h);
    FB_PASS(fb_fill_start(f, h->field == COMPLEX, e));
    for (int64_t k = 0; k < h->list.n; k++) {
        const int64_t i = FB_PLACE_ROW(h->list.place[k]), j = FB_PLACE_COLUMN(h->list.place[k]);
        const int turned = f->A.upper && i > j;
        int64_t q = fb_fill_place(f, turned ? j : i, turned ? i : j, h->list.x[k]);
        if (f->imag)
            f->imag[q] = h->im[k];
        if (!both || i == j)
            continue;
        q = fb_fill_place(f, j, i, h->symmetry == SKEW ? -h->list.x[k] : h->list.x[k]);
        if (f->imag)
            f->imag[q] = -h->im[k];
    }
    return FB_OK;
}

static fb_status matrix(mm *h, fb_matrix *a, fb_log *log, fb_err *e)
{
    fb_fill f = {0};
    int64_t repeated = 0, twice = 0;
    fb_status s = FB_OK;
    FB_TRY(fb_fill_new(&f, h->m, h->n, h->symmetry == SYMMETRIC, e));
    FB_TRY(h->format == COORDINATE ? coordinate(h, &f, log, e) : array(h, &f, e));
    const int mixed = h->symmetry == SYMMETRIC && h->lower && h->upper;
    if (mixed) { /* which entries are the two of one pair is seen only once all are in place */
        fb_fill_free(&f);
        FB_TRY(fb_fill_new(&f, h->m, h->n, 0, e));
        fb_triples_count(&h->list, &f);
    }
    FB_TRY(h->values == 1 && !expanded(h) ? fb_triples_fill(&h->list, &f, e) : spread(h, &f, e));
    FB_TRY(fb_fill_finish(&f, &a->A, &a->imag, &repeated, e));
    if (repeated)
        fb_warn(log, "%lld entries stand at a place that has one already: added up",
                (long long)repeated);
    if (mixed) {
        FB_TRY(fb_csc_fold(&a->A, &a->imag, "the matrix", &twice, e));
        fb_warn(log,
                "said to be symmetric, but entries of both halves are stored (%lld pairs twice): "
                "each pair is taken once",
                (long long)twice);
    }
out:
    fb_fill_free(&f);
    fb_triples_free(&h->list);
    free(h->im);
    return s;
}

static fb_status read_mm(const fb_input *in, fb_parts *p, fb_log *log, fb_err *e)
{
    mm h = {.t = fb_lines_of(in), .in = in};
    fb_matrix *a = NULL;
    FB_PASS(banner(&h, e));
    FB_PASS(size_line(&h, e));
    FB_PASS(fb_parts_matrix(p, "", in->name, FB_ROLE_UNKNOWN, &a, e));
    a->hint = fb_role_of_file(in->name);
    return matrix(&h, a, log, e);
}

const fb_reader fb_reader_mm = {
    .name = "mm",
    .doc = "Matrix Market, text",
    .sniff = sniff,
    .read = read_mm,
};
