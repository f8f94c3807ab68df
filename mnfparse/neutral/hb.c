/* SPDX-License-Identifier: GPL-3.0-or-later */
/* hb.c - Harwell-Boeing and Rutherford-Boeing matrices, text.
 *
 * Layout   title and key; line counts; type, rows, columns, entries; Fortran formats; where there
 *          are right-hand sides, a line about them; then column starts, row indices (both from 1)
 *          and values, each section beginning on a line of its own, in fields of fixed width
 *          type: R C I values (P, none, is refused), S U H Z R symmetry (S H Z: one half stored), A
 *          assembled, E elemental
 * Law      fields are cut by their width, never at blanks: neighbours may touch
 * Taken    both halves of a matrix said to be symmetric (Ansys CMS), if they agree: a warning
 * Source   Duff, Grimes & Lewis, Users' guide for the Harwell-Boeing sparse matrix collection
 *          (1992)
 */
#include "memory.h"
#include "text/fortran.h"
#include "text/lines.h"
#include "reader.h"
#include <stdlib.h>

enum { PATIENCE = 100000 };

typedef struct {
    fb_lines t;
    const char *at;   /* next line */
    int64_t lines[4]; /* pointers, indices, values, right-hand sides */
    char type[3];
    int64_t m, n, nnz;
    fb_format pointer, index, value;
} hb;

/* ---- fields ----------------------------------------------------------------------------- */

typedef struct { /* a section being read */
    const hb *h;
    const fb_format *f;
    const char *what, *line, *end, *p; /* the record, and the next column in it */
    int next;
} section;

static section open_section(const hb *h, const fb_format *f, const char *what)
{
    return (section){.h = h,
                     .f = f,
                     .what = what,
                     .line = h->at,
                     .p = h->at,
                     .end = fb_line_end(h->at, h->t.end)};
}

static void next_record(section *c)
{
    c->line = c->p = c->end < c->h->t.end ? c->end + 1 : c->end;
    c->end = fb_line_end(c->p, c->h->t.end);
}

/* Cuts the next field out of the text. */
static fb_status next_field(section *c, fb_edit *x, fb_span *v, fb_err *e)
{
    for (;;) {
        if (c->next == c->f->n) {
            c->next = c->f->restart;
            next_record(c);
        }
        if (c->line == c->h->t.end)
            return fb_fail(e, FB_EFORMAT, "the file ends within the %s", c->what);
        *x = c->f->f[c->next++];
        const char *from = c->end - c->p > x->skip ? c->p + x->skip : c->end;
        if (x->width == 0) {
            next_record(c);
            continue;
        }
        c->p = c->end - from > x->width ? from + x->width : c->end;
        *v = fb_trim(from, c->p);
        if (v->p < v->end)
            return FB_OK;
        return fb_fail(e, FB_EFORMAT, "line %lld, column %lld: a blank field in the %s",
                       fb_line_number(&c->h->t, c->line), (long long)(from - c->line) + 1, c->what);
    }
}

static fb_status bad_field(const section *c, fb_span v, const char *wanted, fb_err *e)
{
    return fb_fail(e, FB_EFORMAT, "line %lld, column %lld: '%.*s' in the %s is not %s",
                   fb_line_number(&c->h->t, v.p), (long long)(v.p - c->line) + 1, fb_shown(v, 40),
                   v.p, c->what, wanted);
}

/* A whole number from lo to hi, made to count from 0. */
static fb_status index_field(section *c, int64_t lo, int64_t hi, int64_t *k, fb_err *e)
{
    fb_span f = {0};
    fb_edit x;
    FB_PASS(next_field(c, &x, &f, e));
    if (!fb_is_int(f, k))
        return bad_field(c, f, "a whole number", e);
    if (*k < lo || *k > hi)
        return fb_fail(e, FB_EFORMAT,
                       "line %lld, column %lld: %lld in the %s is outside %lld..%lld",
                       fb_line_number(&c->h->t, f.p), (long long)(f.p - c->line) + 1, (long long)*k,
                       c->what, (long long)lo, (long long)hi);
    --*k;
    return FB_OK;
}

static fb_status real_field(section *c, double *v, fb_err *e)
{
    fb_span f = {0};
    fb_edit x = {0};
    FB_PASS(next_field(c, &x, &f, e));
    return fb_edit_real(&x, f.p, f.end, v)
               ? FB_OK
               : bad_field(c, f, x.whole ? "a whole number" : "a finite number", e);
}

/* ---- header ----------------------------------------------------------------------------- */

/* Line k (from 1) of the text, without its end. */
static int line_at(fb_lines t, int k, const char **p, const char **q)
{
    *p = t.begin;
    for (int n = 1; n < k; n++) {
        *p = fb_after_line(*p, t.end);
        if (*p - t.begin > 4096)
            return 0;
    }
    *q = fb_trim_end(*p, fb_line_end(*p, t.end));
    return *p < t.end;
}

static int sniff(const fb_input *in)
{
    fb_lines t = fb_lines_of(in);
    const char *p, *q;
    if (!line_at(t, 3, &p, &q) || q - p < 3 || q - p > 100 || !strchr("RCPI", fb_upper(*p)) ||
        !strchr("SUHZR", fb_upper(p[1])) || !strchr("AE", fb_upper(p[2])))
        return 0;
    return line_at(t, 4, &p, &q) && q - p < 100 && memchr(p, '(', (size_t)(q - p));
}

/* n whole numbers in fields of 14 from column `from` on; blank ones are 0. */
static fb_status counts(const hb *h, const char *p, const char *q, int from, int n, int64_t *v,
                        fb_err *e)
{
    for (int k = 0; k < n; k++) {
        const fb_span f = fb_columns((fb_span){p, q}, from + 14 * k, 14);
        v[k] = 0;
        if (f.p < f.end && (!fb_is_int(f, v + k) || v[k] < 0))
            return fb_fail_at(e, &h->t, p, "'%.*s' is not a count", (int)(f.end - f.p), f.p);
    }
    return FB_OK;
}

static fb_status check_type(hb *h, const char *p, fb_err *e)
{
    for (int k = 0; k < 3; k++)
        h->type[k] = (char)fb_upper(p[k]);
    if (!strchr("RCPI", h->type[0]) || !strchr("SUHZR", h->type[1]) || !strchr("AE", h->type[2]))
        return fb_fail(e, FB_EFORMAT, "line 3: matrix type '%.3s' is not known", p);
    if (h->type[2] == 'E')
        return fb_fail(e, FB_EFORMAT,
                       "line 3: type %.3s: elemental (unassembled) matrices are not read; write "
                       "the assembled one (%.2sA)",
                       h->type, h->type);
    if (h->type[0] == 'P')
        return fb_fail(e, FB_EFORMAT,
                       "line 3: type %.3s: a pattern file holds no values, only where they would "
                       "stand; write the matrix with its values (R%.2s)",
                       h->type, h->type + 1);
    if (h->type[1] == 'H' && h->type[0] != 'C')
        h->type[1] = 'S';
    return FB_OK;
}

static fb_status header(hb *h, fb_err *e)
{
    const char *p, *q;
    int64_t v[4];
    if (!line_at(h->t, 2, &p, &q))
        return fb_fail(e, FB_EFORMAT, "line 2 (line counts) is missing");
    FB_PASS(counts(h, p, q, 14, 4, h->lines, e));
    if (!line_at(h->t, 3, &p, &q) || q - p < 3)
        return fb_fail(e, FB_EFORMAT, "line 3 (type and size) is missing");
    FB_PASS(check_type(h, p, e));
    FB_PASS(counts(h, p, q, 14, 4, v, e));
    h->m = v[0];
    h->n = v[1];
    h->nnz = v[2];
    int64_t size = h->t.end - h->t.begin;
    if (h->m > size + PATIENCE || h->n > size + PATIENCE || h->nnz > size)
        return fb_fail(e, FB_EFORMAT,
                       "line 3: a matrix of %lld by %lld with %lld entries does not fit into the "
                       "%lld bytes of the file",
                       (long long)h->m, (long long)h->n, (long long)h->nnz, (long long)size);
    if (h->type[1] != 'R' && h->m != h->n && h->type[1] != 'U')
        return fb_fail(e, FB_EFORMAT, "line 3: type %.3s, but %lld by %lld is not square", h->type,
                       (long long)h->m, (long long)h->n);
    if (!line_at(h->t, 4, &p, &q))
        return fb_fail(e, FB_EFORMAT, "line 4 (formats) is missing");
    const fb_span pointer = fb_columns((fb_span){p, q}, 0, 16),
                  index = fb_columns((fb_span){p, q}, 16, 16),
                  value = fb_columns((fb_span){p, q}, 32, 20);
    FB_PASS(fb_format_read(&h->t, pointer.p, pointer.end, 1, &h->pointer, e));
    FB_PASS(fb_format_read(&h->t, index.p, index.end, 1, &h->index, e));
    FB_PASS(fb_format_read(&h->t, value.p, value.end, 0, &h->value, e));
    h->at = fb_after_line(p, h->t.end);
    if (h->lines[3] > 0)
        h->at = fb_after_line(h->at, h->t.end);
    return FB_OK;
}

/* ---- matrix ----------------------------------------------------------------------------- */

static fb_status read_pointers(hb *h, int64_t *ptr, fb_err *e)
{
    section c = open_section(h, &h->pointer, "column starts");
    for (int64_t j = 0; j <= h->n; j++)
        FB_PASS(index_field(&c, j ? ptr[j - 1] + 1 : 1, j ? h->nnz + 1 : 1, ptr + j, e));
    if (ptr[h->n] != h->nnz)
        return fb_fail(e, FB_EFORMAT, "the column starts end at %lld, %lld entries want %lld",
                       (long long)ptr[h->n] + 1, (long long)h->nnz, (long long)h->nnz + 1);
    h->at = c.end < h->t.end ? c.end + 1 : c.end;
    return FB_OK;
}

static fb_status read_indices(hb *h, int64_t *i, fb_err *e)
{
    section c = open_section(h, &h->index, "row indices");
    for (int64_t q = 0; q < h->nnz; q++)
        FB_PASS(index_field(&c, 1, h->m, i + q, e));
    if (h->nnz)
        h->at = c.end < h->t.end ? c.end + 1 : c.end;
    return FB_OK;
}

static fb_status read_values(hb *h, double *x, double *imag, fb_err *e)
{
    section c = open_section(h, &h->value, "values");
    for (int64_t q = 0; q < h->nnz; q++) {
        FB_PASS(real_field(&c, x + q, e));
        if (imag)
            FB_PASS(real_field(&c, imag + q, e));
    }
    return FB_OK;
}

/* The stored half of a skew-symmetric or hermitian matrix, written out. */
static fb_status expand(const hb *h, fb_matrix *a, fb_log *log, fb_err *e)
{
    fb_fill f = {0};
    const fb_csc *L = &a->A;
    double *imag = NULL;
    const int hermitian = h->type[1] == 'H';
    fb_status s = FB_OK;
    FB_TRY(fb_fill_new(&f, h->m, h->n, 0, e));
    for (int64_t j = 0; j < h->n; j++)
        for (int64_t q = L->p[j]; q < L->p[j + 1]; q++) {
            fb_fill_count(&f, j);
            if (L->i[q] != j)
                fb_fill_count(&f, L->i[q]);
        }
    FB_TRY(fb_fill_start(&f, a->imag != NULL, e));
    for (int64_t j = 0; j < h->n; j++)
        for (int64_t q = L->p[j]; q < L->p[j + 1]; q++) {
            int64_t i = L->i[q], k = fb_fill_place(&f, i, j, L->x[q]);
            if (f.imag)
                f.imag[k] = a->imag[q];
            if (i == j)
                continue;
            k = fb_fill_place(&f, j, i, hermitian ? L->x[q] : -L->x[q]);
            if (f.imag)
                f.imag[k] = -a->imag[q];
        }
    int64_t twice = 0;
    fb_csc A = {0};
    FB_TRY(fb_fill_finish(&f, &A, &imag, &twice, e));
    fb_csc_free(&a->A);
    free(a->imag);
    a->A = A;
    a->imag = imag;
    if (twice)
        fb_warn(log, "%lld entries of both halves in a %s matrix: added up", (long long)twice,
                hermitian ? "hermitian" : "skew-symmetric");
out:
    fb_fill_free(&f);
    return s;
}

static fb_status matrix(hb *h, fb_matrix *a, fb_log *log, fb_err *e)
{
    fb_fill f = {0};
    int64_t *ptr = NULL, repeated = 0, twice = 0;
    fb_status s = FB_OK;
    FB_TRY(fb_fill_new(&f, h->m, h->n, 0, e));
    FB_TRY(FB_NEW(&ptr, h->n + 1, e));
    FB_TRY(read_pointers(h, ptr, e));
    for (int64_t j = 0; j < h->n; j++)
        f.A.p[j + 1] = ptr[j + 1] - ptr[j];
    FB_TRY(fb_fill_start(&f, h->type[0] == 'C', e));
    /* The file is in compressed columns already: both sections go straight to their places. */
    FB_TRY(read_indices(h, f.A.i, e));
    FB_TRY(read_values(h, f.A.x, f.imag, e));
    memcpy(f.A.p, ptr + 1, (size_t)h->n * sizeof *ptr); /* as if all had been placed */
    FB_TRY(fb_fill_finish(&f, &a->A, &a->imag, &repeated, e));
    if (repeated)
        fb_warn(log, "%lld entries stand at a place that has one already: added up",
                (long long)repeated);
    if (h->type[1] == 'H' || h->type[1] == 'Z')
        FB_TRY(expand(h, a, log, e));
    if (h->type[1] == 'S') {
        FB_TRY(fb_csc_fold(&a->A, &a->imag, "the matrix", &twice, e));
        if (twice)
            fb_warn(log,
                    "type %.3s, but entries of both halves are stored (%lld pairs twice): each "
                    "pair is taken once",
                    h->type, (long long)twice);
    }
out:
    free(ptr);
    fb_fill_free(&f);
    return s;
}

/* The titles Ansys' HBMAT writes say what the matrix is; the shorter ones stand at the right of
 * their 72 columns. */
static fb_role role_of(const hb *h)
{
    static const struct {
        const char *word;
        fb_role role;
    } title[] = {{"stiffness matrix from ansys", FB_ROLE_STIFFNESS},
                 {"mass matrix from ansys", FB_ROLE_MASS},
                 {"damping matrix from ansys", FB_ROLE_DAMPING}};
    const char *p = fb_skip_blanks(h->t.begin, h->t.end);
    for (size_t k = 0; k < sizeof title / sizeof *title; k++) {
        size_t n = strlen(title[k].word);
        if ((size_t)(h->t.end - p) > n && fb_word_is(p, p + n, title[k].word))
            return title[k].role;
    }
    return FB_ROLE_UNKNOWN;
}

static fb_status read_hb(const fb_input *in, fb_parts *p, fb_log *log, fb_err *e)
{
    hb *h = NULL;
    fb_matrix *a = NULL;
    fb_status s = FB_OK;
    FB_TRY(FB_NEW(&h, 1, e)); /* three formats are much for a stack */
    h->t = fb_lines_of(in);
    FB_TRY(header(h, e));
    if (h->lines[3] > 0)
        fb_note(log, "%lld lines of right-hand sides are not used", (long long)h->lines[3]);
    FB_TRY(fb_parts_matrix(p, "", in->name, role_of(h), &a, e));
    s = matrix(h, a, log, e);
out:
    free(h);
    return s;
}

const fb_reader fb_reader_hb = {
    .name = "hb",
    .doc = "Harwell-Boeing or Rutherford-Boeing matrix, text",
    .sniff = sniff,
    .read = read_hb,
};
