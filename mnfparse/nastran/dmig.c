/* SPDX-License-Identifier: GPL-3.0-or-later */
/* dmig.c - DMIG cards: matrices by dof in bulk data and punch files.
 *
 * Header   DMIG NAME 0 FORM TIN TOUT POLAR - NCOL
 * Column   DMIG NAME GJ CJ - { G C A B }...   four fields an entry; B is the imaginary part
 * Law      A large matrix is one long run of large-field continuation lines, one entry each, as
 *          solvers punch them. Those are read here without cutting them into fields first; any
 *          line of another look goes the general way. */
#include "digits.h"
#include "nastran.h"
#include <string.h>

static fb_status bad(const nas_line *l, int k, const char *wanted, fb_err *e)
{
    fb_span f = l->f[k];
    return fb_fail(e, FB_EFORMAT, "line %lld: DMIG field %d is '%.*s', %s is wanted",
                   (long long)l->line, k + 2, (int)(f.end - f.p < 40 ? f.end - f.p : 40), f.p,
                   wanted);
}

/* An integer; a blank one is 0. */
static fb_status integer(const nas_line *l, int k, int64_t *v, fb_err *e)
{
    *v = 0;
    if (k < l->n && !nas_blank(l->f[k]) && !nas_int(l->f[k], v))
        return bad(l, k, "an integer", e);
    return FB_OK;
}

static fb_status real(const nas_line *l, int k, double *v, fb_err *e)
{
    *v = 0;
    if (!nas_blank(l->f[k]) && !fb_is_real(l->f[k], v))
        return bad(l, k, "a real number", e);
    return FB_OK;
}

static fb_status entries(nas_deck *d, const nas_line *l, int from, fb_err *e)
{
    nas_matrix *m = d->dmig.m + d->matrix;
    for (int k = from; k + 3 < l->n; k += 4) {
        int64_t node, component;
        double a, b = 0;
        if (nas_blank(l->f[k]) && nas_blank(l->f[k + 1]) && nas_blank(l->f[k + 2]) &&
            nas_blank(l->f[k + 3]))
            continue;
        if (nas_blank(l->f[k]))
            return bad(l, k, "a point", e);
        if (nas_blank(l->f[k + 2]) && nas_blank(l->f[k + 3]))
            return bad(l, k + 2, "a real number", e);
        FB_PASS(integer(l, k, &node, e));
        FB_PASS(integer(l, k + 1, &component, e));
        FB_PASS(real(l, k + 2, &a, e));
        if (m->g.complex)
            FB_PASS(real(l, k + 3, &b, e));
        FB_PASS(fb_within(nas_dmig_entry(&d->dmig, m, node, component, a, b, e), e, "line %lld",
                          (long long)l->line));
    }
    return FB_OK;
}

/* ---- runs of large-field lines ---------------------------------------------------------- */

static const char *blanks(const char *p, const char *end)
{
    if (end - p >= 8 && !memcmp(p, "        ", 8))
        p += 8;
    while (p < end && *p == ' ')
        p++;
    return p;
}

/* One integer alone in the 16 columns at p; NULL where it is not. Solvers put it to the right, and
 * it has at most 8 digits: a blank, '0' ^ 0x10, then is a leading zero. */
static inline const char *wide_int(const char *p, int64_t *v)
{
    uint64_t t = fb_load8(p + 8) ^ FB_EACH('0'), lead = ((t & FB_EACH(0x10)) >> 4) * 0xff,
             digits = t & ~FB_EACH(0x10);
    if (fb_load8(p) == FB_EACH(' ') && !fb_no_digits(digits) && !(digits & lead) &&
        !(lead & (lead + 1)) && ~lead) {
        *v = (int64_t)fb_eight_digits(digits);
        return p + 16;
    }
    const char *end = p + 16, *q = fb_scan_int(blanks(p, end), end, v);
    return q && blanks(q, end) == end ? end : NULL;
}

/* A component: one digit at the right end of the 16 columns at p; NULL where it is not. */
static inline const char *wide_digit(const char *p, int64_t *v)
{
    uint64_t t = fb_load8(p + 8), digit = (t >> 56) - '0';
    if (fb_load8(p) != FB_EACH(' ') || t << 8 != FB_EACH(' ') << 8 || digit > 9)
        return NULL;
    *v = (int64_t)digit;
    return p + 16;
}

/* The bytes of the node field last read: the components of a node stand on lines one by one. */
typedef struct {
    uint64_t a, b;
    int64_t node;
} nodefield;

/* A field that is one, "0" at the right end: nothing was read yet. */
static const nodefield zero = {FB_EACH(' '), FB_EACH(' ') ^ UINT64_C(0x10) << 56, 0};

static inline const char *wide_node(const char *p, nodefield *last)
{
    uint64_t a = fb_load8(p), b = fb_load8(p + 8);
    if (a == last->a && b == last->b)
        return p + 16;
    last->a = a;
    last->b = b;
    p = wide_int(p, &last->node);
    if (!p)
        *last = zero;
    return p;
}

/* "-d.dddddddddE+dd", as solvers punch it: both the digits and the power of ten are doubles, so
 * that one operation rounds once (num.c, NUM.1); 0 where it is of another look. */
static inline int punched(const char *p, double *v)
{
    static const double ten[] = {1e0,  1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,
                                 1e8,  1e9,  1e10, 1e11, 1e12, 1e13, 1e14, 1e15,
                                 1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22};
    uint64_t t = fb_load8(p + 3) ^ FB_EACH('0');
    unsigned first = (unsigned char)p[1] - '0', last = (unsigned char)p[11] - '0',
             e1 = (unsigned char)p[14] - '0', e0 = (unsigned char)p[15] - '0';
    int minus = p[0] == '-';
    /* No short cuts: signs are random, and a branch on one costs more than all of this. */
    int sign = (p[0] == ' ') | minus, letter = (p[12] == 'D') | (p[12] == 'E'), down = p[13] == '-';
    int other = !sign | (p[2] != '.') | !letter | !(down | (p[13] == '+')) |
                (fb_no_digits(t) != 0) | (first > 9) | (last > 9) | (e1 > 9) | (e0 > 9);
    double w = (double)(int64_t)(first * UINT64_C(1000000000) + fb_eight_digits(t) * 10 + last);
    int e = (int)(10 * e1 + e0);
    e = (down ? -e : e) - 9;
    if (other || e < -22 || e > 22)
        return 0;
    w = e < 0 ? w / ten[-e] : w * ten[e];
    uint64_t bits;
    memcpy(&bits, &w, sizeof bits);
    bits |= (uint64_t)minus << 63;
    memcpy(v, &bits, sizeof bits);
    return 1;
}

/* One real in the columns from p, up to 16; returns the end of the field, or of the line within. */
static const char *wide_real(const char *p, const char *stop, double *v)
{
    if (stop - p >= 16 && punched(p, v))
        return p + 16;
    const char *end = stop - p < 16 ? stop : p + 16, *q = fb_scan_real(blanks(p, end), end, v);
    return q ? blanks(q, end) : NULL;
}

static fb_status run(nas_deck *d, nas_text *t, fb_err *e)
{
    nas_matrix *m = d->dmig.m + d->matrix;
    const char *p = t->t.p, *stop = t->t.end;
    nodefield last = zero;
    while (stop - p > 41 && !memcmp(p, "*       ", 8)) {
        int64_t component;
        double a, b = 0;
        const char *q = wide_node(p + 8, &last), *r;
        if (!q)
            break;
        r = wide_digit(q, &component);
        if (!(q = r ? r : wide_int(q, &component)) || !(q = wide_real(q, stop, &a)))
            break;
        if (m->g.complex && q == p + 56 && !(q = wide_real(q, stop, &b)))
            break;
        q = blanks(q, stop - q > 72 ? q + 72 : stop);
        q += q < stop && *q == '\r';
        if (q == stop || *q != '\n')
            break;
        fb_status s = nas_dmig_entry(&d->dmig, m, last.node, component, a, b, e);
        if (s)
            return fb_within(s, e, "line %lld", (long long)t->line + 1);
        t->line++;
        t->t.p = p = q + 1;
    }
    return FB_OK;
}

/* ---- cards ------------------------------------------------------------------------------ */

static fb_status header(nas_deck *d, const nas_line *l, const char *name, fb_err *e)
{
    int64_t head[5] = {0};
    FB_PASS(integer(l, 2, head, e));
    FB_PASS(integer(l, 3, head + 1, e));
    if (!l->large) {
        FB_PASS(integer(l, 4, head + 2, e));
        FB_PASS(integer(l, 5, head + 3, e));
        FB_PASS(integer(l, 7, head + 4, e));
    }
    FB_PASS(
        fb_within(nas_dmig_header(&d->dmig, name, head, e), e, "line %lld", (long long)l->line));
    d->matrix = d->dmig.n - 1;
    d->state = NAS_DMIG_HEADER;
    return FB_OK;
}

fb_status nas_dmig_begin(nas_deck *d, nas_text *t, const nas_line *l, fb_err *e)
{
    char name[9];
    int64_t node = 0, component = 0;
    size_t n = (size_t)(l->f[0].end - l->f[0].p);
    if (n == 0 || n > 8)
        return bad(l, 0, "the name of a matrix, at most 8 characters,", e);
    nas_name(name, sizeof name, (const unsigned char *)l->f[0].p, n);
    for (char *c = name; *c; c++)
        *c = (char)(*c >= 'a' && *c <= 'z' ? *c - 'a' + 'A' : *c);
    FB_PASS(integer(l, 1, &node, e));
    FB_PASS(integer(l, 2, &component, e));
    if (node == 0 && !nas_blank(l->f[1]))
        return header(d, l, name, e);
    nas_matrix *m = d->matrix < d->dmig.n ? d->dmig.m + d->matrix : NULL;
    if (!m || strcmp(m->name, name))
        m = nas_dmig_find(&d->dmig, name);
    if (!m)
        return fb_fail(e, FB_EFORMAT,
                       "line %lld: a column of DMIG %s, whose header (field 3 is 0) has not come",
                       (long long)l->line, name);
    d->matrix = m - d->dmig.m;
    d->state = NAS_DMIG_COLUMN;
    FB_PASS(fb_within(nas_dmig_column(&d->dmig, m, node, component, e), e, "line %lld",
                      (long long)l->line));
    FB_PASS(entries(d, l, 4, e));
    if (l->large)
        return run(d, t, e);
    return FB_OK;
}

fb_status nas_dmig_more(nas_deck *d, nas_text *t, const nas_line *l, fb_err *e)
{
    if (d->state == NAS_DMIG_HEADER) { /* the second line of a header in large fields */
        int64_t polar = 0, ncol = 0;
        FB_PASS(integer(l, 1, &polar, e));
        FB_PASS(integer(l, 3, &ncol, e));
        d->dmig.m[d->matrix].polar = polar > 0;
        d->dmig.m[d->matrix].ncol = ncol;
        return FB_OK;
    }
    FB_PASS(entries(d, l, 0, e));
    if (l->large)
        return run(d, t, e);
    return FB_OK;
}
