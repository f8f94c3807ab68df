/* SPDX-License-Identifier: GPL-3.0-or-later */
/* op4_text.c - Nastran OUTPUT4 files as text.
 *
 *   header  NCOL, NROW, FORM, TYPE (I8), NAME (A8), format of the numbers, as in 1P,3E23.16
 *           with |I16 at its end NCOL and NROW have 16 columns; no format: 5E16.9
 *   column  ICOL, IROW, NW (I8): dense, NW numbers; strings, NW words
 *   string  IS, or L and IROW (I8), as in binary files; then the numbers
 *
 * Beware  Numbers touch: they are cut by the width of the format. Each string and column starts a
 *         new line. Letters D and E both occur. NASTRAN-95 writes another layout, which is not
 *         read. */
#include "nastran.h"
#include <ctype.h>
#include <string.h>

enum { MAX_PER_LINE = 64 };

typedef struct {
    fb_lines t;
    fb_span l; /* the line taken last */
    fb_meter meter;
    int per_line, width;
    nas_sink k;
} text;

static int blank_line(const text *t)
{
    for (const char *c = t->l.p; c < t->l.end; c++)
        if (!isspace((unsigned char)*c))
            return 0;
    return 1;
}

/* An integer in columns from..from+width. */
static int column(const text *t, int64_t from, int64_t width, int64_t *k)
{
    return nas_int(fb_columns(t->l, from, width), k);
}

static fb_status line_wanted(text *t, const char *what, fb_err *e)
{
    return fb_take_line(&t->t, &t->l)
               ? FB_OK
               : fb_fail_here(e, &t->t, "the file ends before %s of matrix '%s'", what,
                              t->k.h.name);
}

/* "1P,3E23.16" at c: how many a line, and how wide. */
static int number_format(const char *c, const char *end, int *per_line, int *width)
{
    int64_t n = 0, w = 0;
    c = fb_skip_blanks(c, end);
    if (end - c >= 2 && *c == '1' && (c[1] | 0x20) == 'p') {
        c += 2;
        while (c < end && (*c == ',' || *c == ' '))
            c++;
    }
    if (c == end) {
        *per_line = 5;
        *width = 16;
        return 1;
    }
    const char *q = fb_scan_int(c, end, &n);
    if (!q || q == end || ((*q | 0x20) != 'e' && (*q | 0x20) != 'd') ||
        !fb_scan_int(q + 1, end, &w))
        return 0;
    if (n < 1 || n > MAX_PER_LINE || w < 8 || w > 40)
        return 0;
    *per_line = (int)n;
    *width = (int)w;
    return 1;
}

/* The line as a header; 0: it is none. */
static int parse_header(text *t, nas_head *h)
{
    int64_t nrow;
    const char *bar = t->l.end;
    int wide = 8;
    for (const char *c = t->l.p; c + 4 <= t->l.end; c++)
        if (!memcmp(c, "|I16", 4)) {
            bar = c;
            wide = 16;
        }
    *h = (nas_head){0};
    if (!column(t, 0, wide, &h->ncol) || !column(t, wide, wide, &nrow) ||
        !column(t, 2 * wide, 8, &h->form) || !column(t, 2 * wide + 8, 8, &h->type))
        return 0;
    int64_t len = t->l.end - t->l.p, name = 2 * wide + 16, after = name + 8;
    if (len > name)
        nas_name(h->name, sizeof h->name, (const unsigned char *)t->l.p + name,
                 (size_t)(len - name < 8 ? len - name : 8));
    const char *format = t->l.p + (after < len ? after : len);
    if (!number_format(format, bar > format ? bar : format, &t->per_line, &t->width))
        return 0;
    h->bigmat = nrow < 0 || nrow > 65535;
    h->nrow = nrow < 0 && nrow > INT64_MIN ? -nrow : nrow;
    h->words = h->type == 2 || h->type == 4 ? 2 : 1;
    return h->ncol >= 0 && h->form >= 1 && h->form <= 15 && h->type >= 1 && h->type <= 4;
}

/* n numbers from the lines that follow, for rows irow, ... */
static fb_status numbers(text *t, int64_t irow, int64_t n, fb_err *e)
{
    double v[MAX_PER_LINE + 1];
    int step = t->k.g.complex ? 2 : 1, held = 0; /* a complex number may be split between lines */
    while (n > 0) {
        int k = n < t->per_line ? (int)n : t->per_line;
        FB_PASS(line_wanted(t, "the numbers", e));
        for (int q = 0; q < k; q++) {
            fb_span f = fb_columns(t->l, (int64_t)q * t->width, t->width);
            if (!fb_is_real(f, v + held + q))
                return fb_fail_here(e, &t->t,
                                    "'%.*s' where number %d of %d is wanted (%d columns each)",
                                    (int)(f.end - f.p), f.p, q + 1, k, t->width);
        }
        n -= k;
        k += held;
        held = k % step;
        FB_PASS(nas_sink_values(&t->k, irow, v, k - held, e));
        irow += k / step;
        v[0] = v[k - held];
    }
    return FB_OK;
}

static fb_status string(text *t, int64_t irow, int64_t words, int dense, fb_err *e)
{
    int64_t n = 0;
    /* A dense column counts numbers, a string words. */
    words = dense && words < INT32_MAX ? words * t->k.h.words : words;
    FB_PASS(fb_at_line(
        fb_within(nas_sink_string(&t->k, irow, words, &n, e), e, "matrix '%s'", t->k.h.name), e,
        &t->t, t->t.at));
    return numbers(t, irow, n, e);
}

static fb_status strings(text *t, int64_t nw, fb_err *e)
{
    while (nw > 0) {
        int64_t l = 0, irow = 0;
        FB_PASS(line_wanted(t, "a string", e));
        int ok =
            t->k.h.bigmat ? column(t, 0, 8, &l) && column(t, 8, 8, &irow) : column(t, 0, 32, &l);
        if (ok && !t->k.h.bigmat) {
            irow = l & 65535;
            nw -= l >> 16;
            l = l >> 16;
        } else {
            nw -= l + 1;
        }
        if (!ok || l < 2 || nw < 0)
            return fb_fail_here(e, &t->t,
                                "matrix '%s': the head of a string is wanted; its words must add "
                                "up to those of the column",
                                t->k.h.name);
        FB_PASS(string(t, irow, l - 1, 0, e));
    }
    return FB_OK;
}

static fb_status matrix(text *t, fb_err *e)
{
    if (!parse_header(t, &t->k.h))
        return fb_fail_here(e, &t->t,
                            "the header of a matrix is wanted: columns, rows, form and type in "
                            "fields of 8, name, format; the text form of NASTRAN-95 is another");
    FB_PASS(fb_at_line(nas_sink_begin(&t->k, e), e, &t->t, t->t.at));
    for (;;) {
        int64_t icol = 0, irow = 0, nw = 0;
        FB_PASS(line_wanted(t, "the end", e));
        fb_meter_at(&t->meter, t->t.at);
        if (!column(t, 0, 8, &icol) || !column(t, 8, 8, &irow) || !column(t, 16, 8, &nw))
            return fb_fail_here(e, &t->t,
                                "matrix '%s': column, row and count are wanted in fields of 8",
                                t->k.h.name);
        if (icol == t->k.h.ncol + 1)
            break;
        FB_PASS(fb_at_line(nas_sink_column(&t->k, icol, e), e, &t->t, t->t.at));
        FB_PASS(irow > 0 ? string(t, irow, nw, 1, e) : strings(t, nw, e));
    }
    FB_PASS(line_wanted(t, "the dummy value at the end", e));
    return nas_sink_end(&t->k, e);
}

int op4_text_sniff(const fb_input *in)
{
    text t = {.t = fb_lines_of(in)};
    nas_head h;
    t.t.end = t.t.p + (in->size < 256 ? in->size : 256);
    return fb_take_line(&t.t, &t.l) && t.l.end - t.l.p > 32 && parse_header(&t, &h) && h.ncol > 0;
}

fb_status op4_text_read(const fb_input *in, fb_parts *p, fb_log *log, fb_err *e)
{
    text t = {.t = fb_lines_of(in)};
    fb_status s = FB_OK;
    nas_sink_open(&t.k, in->name, in->size, p, log);
    fb_meter_start(&t.meter, log, in, 0, 1);
    while (!s && fb_take_line(&t.t, &t.l))
        if (!blank_line(&t))
            s = matrix(&t, e);
    fb_gather_free(&t.k.g);
    return s;
}
