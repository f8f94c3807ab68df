/* SPDX-License-Identifier: GPL-3.0-or-later */
/* fields.c - bulk data as lines and fields, and the names of matrices.
 *
 * Formats   small: name and 8 fields of 8 columns; large: '*' among the first 8 columns, 4 fields
 *           of 16; free: a comma, fields between commas. Columns 73-80 hold a continuation mark.
 * Lines     '$' begins a comment; a line that begins with eight blanks, '+', '*' or ',' continues
 *           the card before; marks are not matched. Fields are cut by column: they touch in
 *           files that solvers write. Tabs go to the next multiple of 8. */
#include "nastran.h"
#include <ctype.h>
#include <string.h>

int nas_blank(fb_span f)
{
    return f.p == f.end;
}

int nas_is(fb_span f, const char *word)
{
    size_t n = strlen(word);
    if ((size_t)(f.end - f.p) != n)
        return 0;
    for (size_t k = 0; k < n; k++)
        if (toupper((unsigned char)f.p[k]) != word[k])
            return 0;
    return 1;
}

int nas_int(fb_span f, int64_t *k)
{
    int64_t v;
    if (!fb_is_int(f, &v) || v > FB_NODE_MAX || v < -FB_NODE_MAX)
        return 0; /* 15 digits: ranges and differences stay in theirs */
    *k = v;
    return 1;
}

fb_status nas_components(const nas_deck *d, int64_t k, char out[7], fb_err *e)
{
    const fb_span f = nas_field_at(d, k);
    const size_t n = (size_t)(f.end - f.p);
    size_t good = 0;
    while (good < n && good < 6 && f.p[good] >= '0' && f.p[good] <= '6')
        good++;
    if (good < n)
        return fb_fail(e, FB_EFORMAT, "field %lld is '%.*s', a list of components is wanted",
                       (long long)k + 2, (int)n, f.p);
    memcpy(out, f.p, n);
    out[n] = 0;
    return FB_OK;
}

static void set_name(nas_line *l, fb_span f)
{
    size_t k = 0;
    while (f.end > f.p && f.end[-1] == '*') {
        l->large = 1;
        f = fb_trim(f.p, f.end - 1);
    }
    for (; f.p < f.end && k < 8; f.p++)
        l->name[k++] = (char)toupper((unsigned char)*f.p);
    l->name[k] = 0;
}

/* Name, then the fields between commas. Of ten fields the last is a continuation mark; more are
 * data: such a line continues itself. */
static fb_status free_fields(nas_line *l, const char *p, const char *end, fb_err *e)
{
    int n = 0, width;
    const char *c = memchr(p, ',', (size_t)(end - p));
    set_name(l, fb_trim(p, c));
    l->more = l->name[0] == 0 || *p == '+' || *p == '*';
    l->large |= *p == '*';
    if (l->more)
        l->name[0] = 0;
    for (p = c + 1;; p = c + 1) {
        c = memchr(p, ',', (size_t)(end - p));
        if (n == NAS_FIELDS - 8)
            return fb_fail(e, FB_EFORMAT, "line %lld: more than %d fields in a line",
                           (long long)l->line, n);
        l->f[n++] = fb_trim(p, c ? c : end);
        if (!c)
            break;
    }
    width = l->large ? 4 : 8;
    if (n == width + 1 &&
        (nas_blank(l->f[width]) || *l->f[width].p == '+' || *l->f[width].p == '*'))
        n--;
    while (n % width)
        l->f[n++] = (fb_span){end, end};
    l->n = n;
    return FB_OK;
}

/* Columns 1..72 of a line with tabs. */
static void expand(nas_line *l, const char **p, const char **end)
{
    int k = 0;
    for (const char *q = *p; q < *end && k < NAS_COLUMNS; q++) {
        if (*q != '\t') {
            l->columns[k++] = *q;
            continue;
        }
        do
            l->columns[k++] = ' ';
        while (k < NAS_COLUMNS && k % 8);
    }
    *p = l->columns;
    *end = l->columns + k;
}

static void fixed_fields(nas_line *l, const char *p, const char *end)
{
    if (memchr(p, '\t', (size_t)(end - p)))
        expand(l, &p, &end);
    int64_t len = end - p;
    const char *head = len < 8 ? end : p + 8;
    l->more = *p == '+' || *p == '*' || fb_skip_blanks(p, head) == head;
    l->large = memchr(p, '*', (size_t)(head - p)) != NULL;
    if (!l->more)
        set_name(l, fb_trim(p, head));
    int width = l->large ? 16 : 8;
    l->n = l->large ? 4 : 8;
    for (int k = 0; k < l->n; k++) {
        int64_t a = 8 + (int64_t)k * width, b = a + width;
        l->f[k] = fb_trim(p + (a < len ? a : len), p + (b < len ? b : len));
    }
}

/* The title of punched eigenvectors, a comment in a deck. */
static int is_eigenvector(fb_span line)
{
    static const char title[] = "$EIGENVECTOR";
    const size_t n = sizeof title - 1;
    return (size_t)(line.end - line.p) >= n && !memcmp(line.p, title, n) &&
           fb_skip_blanks(line.p + n, line.end) != line.p + n;
}

fb_status nas_next(nas_text *t, nas_line *l, int *got, fb_err *e)
{
    *got = 0;
    while (fb_take_line(&t->t, &l->raw)) {
        const char *p = l->raw.p, *end = l->raw.end;
        t->line++;
        if (p == end || (*p == '$' && !is_eigenvector(l->raw)))
            continue;
        if (*p == '$') {
            *l = (nas_line){.raw = l->raw, .name = NAS_EIGENVECTOR, .line = t->line};
            *got = 1;
            return FB_OK;
        }
        const char *dollar = memchr(p, '$', (size_t)(end - p));
        end = fb_trim_end(p, dollar ? dollar : end);
        if (p == end)
            continue;
        l->line = t->line;
        l->name[0] = 0;
        l->more = l->large = 0;
        *got = 1;
        if (memchr(p, ',', (size_t)(end - p)))
            return free_fields(l, p, end, e);
        fixed_fields(l, p, end);
        return FB_OK;
    }
    return FB_OK;
}

void nas_name(char *out, size_t cap, const unsigned char *p, size_t n)
{
    size_t k = 0;
    for (size_t q = 0; q < n && k + 1 < cap; q++)
        if (p[q] && p[q] != ' ')
            out[k++] = isprint(p[q]) ? (char)p[q] : '?';
    out[k] = 0;
}

/* Recovery, load and element matrices begin with the same letters as K, M and B. */
static const char *const not_used[] = {"MUG",   "MES",   "MEF",  "MEE",  "MQ",   "MGP",
                                       "KELM",  "MELM",  "BELM", "KASM", "MASM", "KDICT",
                                       "MDICT", "BDICT", "MATP", "MATV"};

fb_role nas_role(const char *name, int square)
{
    if (!square)
        return FB_ROLE_OTHER;
    for (size_t k = 0; k < sizeof not_used / sizeof *not_used; k++)
        if (!strncmp(name, not_used[k], strlen(not_used[k])))
            return FB_ROLE_OTHER;
    if (!strcmp(name, "MATK"))
        return FB_ROLE_STIFFNESS;
    if (!strcmp(name, "MATB"))
        return FB_ROLE_DAMPING;
    if (name[0] == 'K' && name[1] == '4')
        return FB_ROLE_STRUCTURAL_DAMPING;
    return name[0] == 'K'   ? FB_ROLE_STIFFNESS
           : name[0] == 'M' ? FB_ROLE_MASS
           : name[0] == 'B' ? FB_ROLE_DAMPING
                            : FB_ROLE_UNKNOWN;
}
