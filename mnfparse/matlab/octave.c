/* SPDX-License-Identifier: GPL-3.0-or-later */
/* octave.c - variables that Octave's save writes as text.
 *
 * Layout   "# name: K", "# type: matrix", "# rows: 3", "# columns: 3", rows of values; of sparse
 *          ones "# nnz:" too, then row, column, value a line; "# ndims: 2", a line of sizes, then
 *          the values column by column; diagonal ones their diagonal. Fields of structs follow as
 *          variables. Complex values are (re,im). What is none of these is passed over
 * Source   files written by Octave 7.3
 */
#include "mat.h"
#include "memory.h"
#include "reader.h"
#include "text/lines.h"
#include <stdio.h>
#include <stdlib.h>

typedef struct {
    fb_lines l;
    fb_mat_file *r;
    char name[64], type[40];
    int64_t m, n, nnz;
    int complex, by_column; /* values stand column by column */
} octave;

/* The text behind "# key:" where the line at hand is one of that key. */
static int head(const fb_lines *l, const char *key, fb_span *value)
{
    const fb_span line = fb_trim(l->p, fb_line_end(l->p, l->end));
    const size_t n = strlen(key);
    const char *p =
        line.p < line.end && *line.p == '#' ? fb_skip_blanks(line.p + 1, line.end) : NULL;
    if (!p || (size_t)(line.end - p) <= n || memcmp(p, key, n) || p[n] != ':')
        return 0;
    *value = fb_trim(p + n + 1, line.end);
    return 1;
}

static int take_head(octave *o, const char *key, int64_t *k)
{
    fb_span v;
    if (!fb_next_line(&o->l) || !head(&o->l, key, &v) || !fb_is_int(v, k) || *k < 0)
        return 0;
    fb_end_line(&o->l);
    return 1;
}

static const char *blanks(const char *p, const char *end)
{
    while (p < end && (*p == ' ' || *p == '\t' || *p == '\n' || *p == '\r'))
        p++;
    return p;
}

/* A value, wherever it stands: a number or (re,im). */
static int value(octave *o, double *re, double *im)
{
    const char *end = o->l.end, *p = blanks(o->l.p, end);
    const int pair = p < end && *p == '(';
    *im = 0;
    p = fb_scan_real(p + pair, end, re);
    if (p && pair) {
        p = p < end && *p == ',' ? fb_scan_real(p + 1, end, im) : NULL;
        p = p && p < end && *p == ')' ? p + 1 : NULL;
    }
    if (!p || (p < end && *p != ' ' && *p != '\n' && *p != '\r' && *p != '\t'))
        return 0;
    o->l.p = p;
    return 1;
}

static int whole(octave *o, int64_t most, int64_t *k)
{
    const char *p = blanks(o->l.p, o->l.end), *q = fb_scan_int(p, o->l.end, k);
    if (!q || *k < 1 || *k > most)
        return 0;
    o->l.p = q;
    return 1;
}

static fb_status wrong(const octave *o, const char *what, fb_err *e)
{
    return fb_fail_at(e, &o->l, o->l.p < o->l.end ? o->l.p : o->l.end, "variable %s, a %s: %s",
                      o->name, o->type, what);
}

/* Rows and columns, or two dimensions; 0: neither, which is left. */
static int sizes(octave *o)
{
    int64_t d[3];
    fb_span v;
    if (fb_next_line(&o->l) && head(&o->l, "ndims", &v)) {
        o->by_column = 1;
        return take_head(o, "ndims", d) && d[0] == 2 && whole(o, INT64_MAX, &o->m) &&
               whole(o, INT64_MAX, &o->n);
    }
    return take_head(o, "rows", &o->m) && take_head(o, "columns", &o->n);
}

/* Two bytes a value at least: the file bounds the memory. */
static int fits(const octave *o, int64_t m, int64_t n)
{
    return n == 0 || m <= (o->l.end - o->l.p) / 2 / n + 1;
}

static fb_status full(octave *o, fb_err *e)
{
    const int diagonal = strstr(o->type, "diagonal") != NULL;
    double *re = NULL, *im = NULL;
    const int64_t n = o->m * o->n, lesser = o->m < o->n ? o->m : o->n;
    fb_status s = FB_OK;
    FB_TRY(fb_new(&re, n, 8, "a variable", e));
    FB_TRY(fb_new(&im, n, 8, "a variable", e));
    for (int64_t k = 0; k < (diagonal ? lesser : n); k++) {
        const int64_t at = diagonal       ? k * (o->m + 1)
                           : o->by_column ? k
                                          : k / o->n + k % o->n * o->m;
        if (!value(o, re + at, im + at)) {
            fb_mat_left(o->r, o->name, "not all of its values are finite numbers");
            goto out;
        }
    }
    s = fb_mat_full(o->r, &(fb_mat_array){o->name, o->m, o->n, re, o->complex ? im : NULL}, e);
out:
    FB_FREE(re, im);
    return s;
}

static fb_status sparse(octave *o, fb_err *e)
{
    int64_t *start = NULL, *row = NULL, column = 0, last = 1;
    double *re = NULL, *im = NULL;
    fb_status s = FB_OK;
    FB_TRY(fb_new(&start, o->n + 1, 8, "a variable", e));
    FB_TRY(fb_new(&row, o->nnz, 8, "a variable", e));
    FB_TRY(fb_new(&re, o->nnz, 8, "a variable", e));
    FB_TRY(fb_new(&im, o->nnz, 8, "a variable", e));
    for (int64_t k = 0; k < o->nnz; k++) {
        if (!whole(o, o->m, row + k) || !whole(o, o->n, &column) || column < last ||
            !value(o, re + k, im + k))
            FB_TRY(wrong(o, "row, column and value are wanted, column by column", e));
        row[k]--;
        last = column;
        start[column]++;
    }
    for (int64_t c = 0; c < o->n; c++)
        start[c + 1] += start[c];
    s = fb_mat_sparse(o->r, o->name, o->m, o->n, start, row, re, o->complex ? im : NULL, e);
out:
    FB_FREE(start, row, re, im);
    return s;
}

/* A variable whose name and type are read. */
static fb_status variable(octave *o, fb_err *e)
{
    const int is_sparse = !strncmp(o->type, "sparse ", 7);
    o->complex = strstr(o->type, "complex") != NULL;
    o->by_column = 0;
    if (!strstr(o->type, "matrix") || o->name[0] == '<' || strstr(o->type, "permutation"))
        return FB_OK;
    if (is_sparse && !take_head(o, "nnz", &o->nnz))
        return wrong(o, "'# nnz: number' is wanted", e);
    if (!sizes(o)) {
        fb_mat_left(o->r, o->name, "it has more than two dimensions, or none");
        return FB_OK;
    }
    if (is_sparse && (!fits(o, o->nnz, 3) || o->n > FB_MAT_PATIENCE + (o->l.end - o->l.begin)))
        return wrong(o, "it has more entries than bytes are left", e);
    if (!is_sparse && !fits(o, strstr(o->type, "diagonal") ? 1 : o->m, o->n))
        return wrong(o, "it has more values than bytes are left", e);
    if (strstr(o->type, "diagonal") && (o->m > FB_MAT_PATIENCE || o->n > FB_MAT_PATIENCE / 10))
        return wrong(o, "write a diagonal matrix of this size sparse", e);
    return is_sparse ? sparse(o, e) : full(o, e);
}

static void keep(char *to, size_t n, fb_span v)
{
    snprintf(to, n, "%.*s", fb_shown(v, (int)n - 1), v.p);
}

static fb_status variables(fb_mat_file *r, const fb_input *in, fb_err *e)
{
    octave o = {.l = fb_lines_of(in), .r = r};
    fb_span v;
    while (fb_next_line(&o.l)) {
        if (head(&o.l, "name", &v)) {
            keep(o.name, sizeof o.name, v);
        } else if (head(&o.l, "type", &v) && *o.name) {
            keep(o.type, sizeof o.type, v);
            fb_end_line(&o.l);
            FB_PASS(variable(&o, e));
            continue;
        }
        fb_end_line(&o.l);
    }
    return FB_OK;
}

static int sniff(const fb_input *in)
{
    const fb_lines l = fb_lines_head(in);
    fb_span v;
    return fb_starts(l.p, l.end, "# Created by Octave") || head(&l, "name", &v);
}

static fb_status read_octave(const fb_input *in, fb_parts *p, fb_log *log, fb_err *e)
{
    return fb_mat_read(in, p, variables, log, e);
}

const fb_reader fb_reader_octave = {
    .name = "octave",
    .doc = "variables of Octave, text (save)",
    .sniff = sniff,
    .read = read_octave,
};
