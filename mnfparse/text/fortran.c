/* SPDX-License-Identifier: GPL-3.0-or-later */
/* fortran.c - Fortran formats, and numbers in their fields. */
#include "fortran.h"
#include <math.h>
#include <stdio.h>

enum { DEPTH = 8, STEPS = 100 * FB_EDITS, COLUMNS = 1 << 20 };

typedef struct {
    const char *p, *end;
    fb_format *f;
    int skip, scale;
    int steps; /* taken so far: groups within groups may repeat without a field */
    fb_lines t;
} parser;

static fb_status bad_format(const parser *c, const char *why, fb_err *e)
{
    return fb_fail_at(e, &c->t, c->p, "Fortran format '%.*s': %s", (int)(c->f->end - c->f->text),
                      c->f->text, why);
}

static int number(parser *c, int *k)
{
    int64_t v = 0;
    const char *q = fb_scan_int(c->p, c->end, &v);
    if (!q || v < -999 || v > 9999)
        return 0;
    *k = (int)v;
    c->p = q;
    return 1;
}

static fb_status emit(parser *c, fb_edit x, fb_err *e)
{
    if (c->f->n == FB_EDITS)
        return bad_format(c, "more fields in a record than are understood", e);
    x.skip = c->skip;
    c->skip = 0;
    c->f->f[c->f->n++] = x;
    return FB_OK;
}

/* w or w.d behind a data edit descriptor; an exponent width (E3) may follow. */
static fb_status data_edit(parser *c, int repeat, int letter, fb_err *e)
{
    fb_edit x = {.letter = letter, .whole = letter == 'I', .scale = c->scale};
    int ignored;
    if (!number(c, &x.width) || x.width < 1)
        return bad_format(c, "a field has no width", e);
    if (c->p < c->end && *c->p == '.') {
        c->p++;
        if (!number(c, &x.digits) || x.digits < 0)
            return bad_format(c, "digits are missing behind the point", e);
    }
    if (!x.whole && c->p + 1 < c->end && fb_upper(*c->p) == 'E' && c->p[1] >= '0' &&
        c->p[1] <= '9') {
        c->p++;
        if (!number(c, &ignored))
            return bad_format(c, "the width of an exponent is no number", e);
    }
    for (int k = 0; k < repeat; k++)
        FB_PASS(emit(c, x, e));
    return FB_OK;
}

static fb_status group(parser *c, int depth, fb_err *e);

/* One descriptor: [n]( ... ), nX, kP, /, or a data field. */
static fb_status descriptor(parser *c, int depth, fb_err *e)
{
    int n = 1, counted = number(c, &n), letter = c->p < c->end ? fb_upper(*c->p) : 0;
    const char *again = c->p;
    fb_status s = FB_OK;
    if (letter == 'P') {
        c->scale = n;
        c->p++;
        return counted ? FB_OK : bad_format(c, "P without its number", e);
    }
    if (n < 1)
        return bad_format(c, "a repeat count is not positive", e);
    if (letter == '(') {
        if (depth == 0)
            c->f->restart = c->f->n; /* Fortran goes on here once the format is used up */
        for (int k = 0; !s && k < n; k++) {
            c->p = again + 1;
            s = depth + 1 >= DEPTH    ? bad_format(c, "parentheses too deep", e)
                : c->steps++ == STEPS ? bad_format(c, "more repeats than are understood", e)
                                      : group(c, depth + 1, e);
        }
        return s;
    }
    if (!letter)
        return bad_format(c, "a parenthesis is not closed", e);
    c->p++;
    if (letter == 'X' && n > COLUMNS - c->skip)
        s = bad_format(c, "more blanks than are understood", e);
    else if (letter == 'X')
        c->skip += n;
    else if (letter == '/')
        for (int k = 0; !s && k < n; k++)
            s = emit(c, (fb_edit){0}, e);
    else if (strchr("IEDFG", letter))
        s = data_edit(c, n, letter, e);
    else
        s = bad_format(c, "understood are I E D F G fields, X, P, / and groups", e);
    return s;
}

static fb_status group(parser *c, int depth, fb_err *e)
{
    for (;;) {
        while (c->p < c->end && (*c->p == ' ' || *c->p == ','))
            c->p++;
        if (c->p == c->end)
            return bad_format(c, "a parenthesis is not closed", e);
        if (*c->p == ')') {
            c->p++;
            return FB_OK;
        }
        FB_PASS(descriptor(c, depth, e));
    }
}

fb_status fb_format_read(const fb_lines *t, const char *p, const char *q, int whole, fb_format *f,
                         fb_err *e)
{
    parser c = {.end = q, .f = f, .t = *t};
    f->n = f->restart = 0;
    c.p = f->text = fb_skip_blanks(p, q);
    f->end = fb_trim_end(f->text, q);
    if (c.p == q || *c.p++ != '(')
        return bad_format(&c, "it does not begin with a parenthesis", e);
    FB_PASS(group(&c, 0, e));
    int fields = 0;
    for (int k = f->restart; k < f->n; k++)
        fields += f->f[k].width > 0;
    if (fields == 0)
        return bad_format(&c, "it has no data field", e);
    for (int k = 0; whole && k < f->n; k++)
        if (f->f[k].width > 0 && !f->f[k].whole)
            return bad_format(&c, "I fields are wanted for pointers and indices", e);
    return FB_OK;
}

/* Does the field hold an exponent: a letter, or a sign that is not the first character? */
static int has_exponent(const char *p, const char *q)
{
    for (const char *r = p + 1; r < q; r++)
        if (*r == '-' || *r == '+' || ((*r | 0x20) >= 'd' && (*r | 0x20) <= 'e'))
            return 1;
    return (*p | 0x20) == 'd' || (*p | 0x20) == 'e';
}

int fb_edit_real(const fb_edit *x, const char *p, const char *q, double *v)
{
    int64_t k;
    if (x->whole) {
        const int good = fb_scan_int(p, q, &k) == q;
        *v = good ? (double)k : 0;
        return good;
    }
    if (fb_scan_real(p, q, v) != q)
        return 0;
    int shift = (x->digits && !memchr(p, '.', (size_t)(q - p)) ? -x->digits : 0);
    if (x->scale && !has_exponent(p, q))
        shift -= x->scale;
    if (shift && !has_exponent(p, q)) { /* by the text, so that it is rounded once */
        char copy[96];
        int n = snprintf(copy, sizeof copy, "%.*se%d", (int)(q - p), p, shift);
        return n < (int)sizeof copy && fb_scan_real(copy, copy + n, v) == copy + n;
    }
    if (shift)
        *v *= pow(10, shift);
    return 1;
}
