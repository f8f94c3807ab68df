/* SPDX-License-Identifier: GPL-3.0-or-later */
/* matrix.c - ADAMSMAT and ADAMSMAT2: full matrices in fixed Fortran fields.
 *
 * Layout   1 "ADAMSMAT title"   2 number of matrices   3 their names   then for each matrix
 *          NAME FULL|SPARSE RORDER|CORDER rows columns values (format)
 *          and its values, a new record as the format says. RORDER runs by rows, CORDER by columns.
 * Fields   may touch ("0.000-3.440" in 3F6.3): they are cut by width, never by blanks. Without a
 *          decimal point the last d digits are the fraction, as Fortran reads them.
 * Law      The order of the records of a SPARSE matrix was never seen: it is refused by name.
 * Meaning  GENSTIFF, INVAR1.., T_MODE, R_MODE, SELNOD, SELMOD belong to a body in modal
 *          coordinates. Their shapes are not documented and a body cannot be made from them: they
 *          are kept by name only.
 * Source   Adams View, "Data Element Create Matrix File"; layout of the example printed there
 */
#include "memory.h"
#include "text/fortran.h"
#include "reader.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct { /* one matrix, as its own record announces it */
    fb_span name;
    int by_rows;
    int64_t rows, cols, n;
    int64_t fields; /* of a record, all alike: */
    fb_edit edit;
} matrix;

static int blank(char c)
{
    return c == ' ' || c == '\t';
}

/* The next word of a record; empty at its end. */
static fb_span word(fb_span *r)
{
    r->p = fb_skip_blanks(r->p, r->end);
    fb_span w = {r->p, r->p};
    while (w.end < r->end && !blank(*w.end) && *w.end != '(')
        w.end++;
    r->p = w.end;
    return w;
}

static int is(fb_span w, const char *text)
{
    return (size_t)(w.end - w.p) == strlen(text) && !memcmp(w.p, text, strlen(text));
}

static fb_status count(const fb_lines *st, fb_span *r, int64_t most, const char *what, int64_t *k,
                       fb_err *e)
{
    fb_span w = word(r);
    if (!fb_is_int(w, k) || *k < 1 || *k > most)
        return fb_fail_here(e, st, "%s is '%.*s'; a number from 1 to %lld is wanted", what,
                            fb_shown(w, 60), w.p, (long long)most);
    return FB_OK;
}

/* "(5E15.8)", "(1P5E15.8)": the kinds of format that stand for a field of one real. */
static fb_status format(const fb_lines *st, fb_span r, matrix *m, fb_err *e)
{
    char f[40];
    size_t n = 0;
    fb_format *t = NULL;
    fb_err why;
    fb_status s = FB_NEW(&t, 1, e); /* much for a stack */
    if (s)
        return s;
    for (const char *p = r.p; p < r.end && n + 1 < sizeof f; p++)
        if (!blank(*p))
            f[n++] = *p;
    f[n] = 0;
    /* No groups, blanks between fields or further records. */
    int good = n && memchr(f, ')', n) == f + n - 1 && !strpbrk(f, ",Xx/") &&
               !fb_format_read(&(fb_lines){f, f, f + n, f}, f, f + n, 0, t, &why);
    m->fields = good ? t->n : 0;
    m->edit = t->f[0];
    for (int k = 0; good && k < t->n; k++)
        good = t->f[k].width == m->edit.width && t->f[k].digits == m->edit.digits &&
               t->f[k].letter == m->edit.letter;
    good = good && !m->edit.whole && m->edit.width <= 1000 && m->edit.digits <= 100;
    free(t);
    /* A scale factor moves the point of numbers without exponent. */
    if (!good || (m->edit.scale != 0 && !strchr("ED", m->edit.letter)))
        return fb_fail_here(
            e, st, "matrix %.*s: format '%.39s'; (nFw.d), (nEw.d), (nDw.d) or (nGw.d) is wanted",
            fb_shown(m->name, 60), m->name.p, f);
    m->edit.scale = 0; /* an exponent is there: the factor has no part in reading */
    return FB_OK;
}

static fb_status announcement(fb_lines *st, fb_span name, matrix *m, fb_err *e)
{
    fb_span r;
    fb_status s = FB_OK;
    do {
        if (!fb_take_line(st, &r))
            return fb_fail_here(e, st, "the file ends before matrix %.*s", fb_shown(name, 60),
                                name.p);
        m->name = word(&r);
    } while (m->name.p == m->name.end);
    if (m->name.end - m->name.p != name.end - name.p ||
        memcmp(m->name.p, name.p, (size_t)(name.end - name.p)))
        return fb_fail_here(e, st, "matrix '%.*s', but the list of names has '%.*s' here",
                            fb_shown(m->name, 60), m->name.p, fb_shown(name, 60), name.p);
    fb_span type = word(&r);
    if (is(type, "SPARSE"))
        return fb_fail_here(
            e, st, "matrix %.*s is SPARSE, whose records are not documented: write it FULL",
            fb_shown(name, 60), name.p);
    fb_span order = word(&r);
    m->by_rows = is(order, "RORDER");
    if (!is(type, "FULL") || (!m->by_rows && !is(order, "CORDER")))
        return fb_fail_here(
            e, st, "matrix %.*s: '%.*s %.*s' where FULL and RORDER or CORDER are wanted",
            fb_shown(name, 60), name.p, fb_shown(type, 60), type.p, fb_shown(order, 60), order.p);
    int64_t left = st->end - st->p;
    FB_TRY(count(st, &r, left, "number of rows", &m->rows, e));
    FB_TRY(count(st, &r, left, "number of columns", &m->cols, e));
    FB_TRY(count(st, &r, left, "number of values", &m->n, e));
    if (m->rows < 1 || m->n % m->rows || m->n / m->rows != m->cols)
        s = fb_fail_here(e, st, "matrix %.*s: %lld values for %lld rows and %lld columns",
                         fb_shown(name, 60), name.p, (long long)m->n, (long long)m->rows,
                         (long long)m->cols);
    else
        s = format(st, r, m, e);
out:
    return s;
}

/* A value in a field of its own; the last field of a record may be cut short by a line end. */
static fb_status field(const fb_lines *st, const matrix *m, fb_span f, double *x, fb_err *e)
{
    f = fb_trim(f.p, f.end);
    if (f.p == f.end || !fb_edit_real(&m->edit, f.p, f.end, x))
        return fb_fail_here(e, st,
                            "matrix %.*s: '%.*s' in a field of %d characters is not a number",
                            fb_shown(m->name, 60), m->name.p, fb_shown(f, 60), f.p, m->edit.width);
    return FB_OK;
}

static fb_status values(fb_lines *st, const matrix *m, double *x, fb_err *e)
{
    fb_span r = {0};
    int64_t left = 0;
    for (int64_t k = 0; k < m->n; k++, left--) {
        if (left == 0) {
            if (!fb_take_line(st, &r))
                return fb_fail_here(e, st, "matrix %.*s ends after %lld of %lld values: cut short?",
                                    fb_shown(m->name, 60), m->name.p, (long long)k,
                                    (long long)m->n);
            left = m->fields;
        }
        fb_span f = {r.p, r.end - r.p > m->edit.width ? r.p + m->edit.width : r.end};
        int64_t at = m->by_rows ? k / m->cols + k % m->cols * m->rows : k;
        FB_PASS(field(st, m, f, x + at, e));
        r.p = f.end;
    }
    r.p = fb_skip_blanks(r.p, r.end);
    if (r.p < r.end)
        return fb_fail_here(e, st, "matrix %.*s: '%.*s' behind its last value",
                            fb_shown(m->name, 60), m->name.p, fb_shown((fb_span){r.p, r.end}, 60),
                            r.p);
    return FB_OK;
}

static fb_status one(fb_lines *st, fb_span name, fb_parts *p, const char *origin, fb_err *e)
{
    char text[80];
    matrix m = {0};
    fb_matrix *to = NULL;
    FB_PASS(announcement(st, name, &m, e));
    snprintf(text, sizeof text, "%.*s", (int)(name.end - name.p), name.p);
    FB_PASS(fb_parts_matrix(p, text, origin, FB_ROLE_OTHER, &to, e));
    FB_PASS(fb_csc_new(&to->A, m.rows, m.cols, m.n, 0, e));
    for (int64_t j = 0; j < m.cols; j++) {
        to->A.p[j + 1] = (j + 1) * m.rows;
        for (int64_t i = 0; i < m.rows; i++)
            to->A.i[j * m.rows + i] = i;
    }
    return values(st, &m, to->A.x, e);
}

static fb_status names(fb_lines *st, fb_span **list, int64_t *n, fb_err *e)
{
    fb_span r = {0}, *t = NULL;
    int64_t k = 0, want = 0;
    fb_status s = FB_OK;
    if (!fb_take_line(st, &r))
        FB_TRY(fb_fail(e, FB_EFORMAT, "line 2: the number of matrices is missing"));
    FB_TRY(count(st, &r, (st->end - st->p) / 2 + 1, "number of matrices", &want, e));
    FB_TRY(fb_new(&t, want, sizeof *t, "names of matrices", e));
    r = (fb_span){0};
    while (k < want) {
        fb_span w = word(&r);
        if (w.p != w.end && w.end - w.p < 80)
            t[k++] = w;
        else if (w.p != w.end || !fb_take_line(st, &r))
            FB_TRY(fb_fail_here(
                e, st, "%lld matrices are announced, %lld names of at most 79 characters follow",
                (long long)want, (long long)k));
    }
    *list = t;
    *n = want;
    t = NULL;
out:
    free(t);
    return s;
}

static int sniff(const fb_input *in)
{
    const char *d = (const char *)in->data;
    size_t n = strlen("ADAMSMAT");
    if (in->size <= n || memcmp(d, "ADAMSMAT", n))
        return 0;
    n += d[n] == '2';
    return in->size > n && (blank(d[n]) || d[n] == '\n' || d[n] == '\r');
}

static fb_status read_matrices(const fb_input *in, fb_parts *p, fb_log *log, fb_err *e)
{
    fb_lines st = fb_lines_of(in);
    fb_span r, first = {0}, *name = NULL;
    int64_t n = 0;
    fb_status s = FB_OK;
    if (!sniff(in))
        FB_TRY(fb_fail(e, FB_EFORMAT, "line 1: the first word is neither ADAMSMAT nor ADAMSMAT2"));
    (void)fb_take_line(&st, &r);
    FB_TRY(names(&st, &name, &n, e));
    for (int64_t k = 0; k < n; k++) {
        first = name[0];
        FB_TRY(one(&st, name[k], p, in->name, e));
    }
    while (fb_take_line(&st, &r)) {
        fb_span w = word(&r);
        if (w.p != r.end)
            FB_TRY(fb_fail_here(e, &st, "'%.*s' behind the last matrix", fb_shown(w, 60), w.p));
    }
    if (p->body.nn == 0)
        s = fb_fail(e, FB_EFORMAT,
                    "matrices of a body in modal coordinates (%.*s%s), but no nodes, mode shapes "
                    "or masses: name the body's .mnf before this file",
                    fb_shown(first, 60), first.p, n > 1 ? ", ..." : "");
    else
        fb_warn(log,
                "%s: the Adams matrices (%.*s%s) are read but not used: the shapes of modal "
                "matrices are not documented",
                in->name ? fb_base_name(in->name) : "", fb_shown(first, 60), first.p,
                n > 1 ? ", ..." : "");
out:
    free(name);
    return s;
}

const fb_reader fb_reader_adamsmat = {
    .name = "adamsmat",
    .doc = "Adams matrix file, ADAMSMAT or ADAMSMAT2",
    .sniff = sniff,
    .read = read_matrices,
};
