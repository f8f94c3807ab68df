/* SPDX-License-Identifier: GPL-3.0-or-later */
/* lines.c - lines of a text input and messages that name them. */
#include "lines.h"
#include <stdarg.h>
#include <stdio.h>

int fb_next_line(fb_lines *l)
{
    while (l->p < l->end && (*l->p == ' ' || *l->p == '\t' || *l->p == '\r' || *l->p == '\n'))
        l->p++;
    return l->p < l->end;
}

int fb_next_data(fb_lines *l)
{
    while (fb_next_line(l)) {
        if (*l->p != '*' || l->end - l->p < 2 || l->p[1] != '*')
            return 1;
        fb_end_line(l);
    }
    return 0;
}

void fb_end_line(fb_lines *l)
{
    l->p = fb_line_end(l->p, l->end);
    if (l->p < l->end)
        l->p++;
}

int fb_take_line(fb_lines *l, fb_span *line)
{
    if (l->p == l->end)
        return 0;
    const char *end = fb_line_end(l->p, l->end);
    l->at = l->p;
    *line = (fb_span){l->p, end - (end > l->p && end[-1] == '\r')};
    l->p = end < l->end ? end + 1 : end;
    return 1;
}

long long fb_line_number(const fb_lines *l, const char *at)
{
    long long n = 1;
    for (const char *p = l->begin; (p = memchr(p, '\n', (size_t)(at - p))) != NULL; p++)
        n++;
    return n;
}

fb_status fb_fail_at(fb_err *e, const fb_lines *l, const char *at, const char *fmt, ...)
{
    char what[sizeof e->msg];
    va_list ap;
    va_start(ap, fmt);
    vsnprintf(what, sizeof what, fmt, ap);
    va_end(ap);
    return fb_fail(e, FB_EFORMAT, "line %lld: %s", fb_line_number(l, at), what);
}

fb_status fb_at_line(fb_status s, fb_err *e, const fb_lines *l, const char *at)
{
    return s == FB_EFORMAT ? fb_context(e, "line %lld", fb_line_number(l, at)) : s;
}

fb_status fb_line_fail(fb_err *e, const fb_lines *l, const char *at, const char *fmt, ...)
{
    char text[64], what[512];
    va_list ap;
    va_start(ap, fmt);
    vsnprintf(what, sizeof what, fmt, ap);
    va_end(ap);
    const char *p = at;
    while (p > l->begin && p[-1] != '\n')
        p--;
    p = fb_skip_blanks(p, l->end);
    const char *end = fb_line_end(p, l->end);
    if (end > p && end[-1] == '\r')
        end--;
    size_t n = 0;
    for (; p < end && n < sizeof text - 4; p++)
        text[n++] = *p >= ' ' && *p < 127 ? *p : *p == '\t' ? ' ' : '?';
    snprintf(text + n, sizeof text - n, "%s", p < end ? "..." : "");
    return fb_fail(e, FB_EFORMAT, "line %lld '%s': %s", fb_line_number(l, at), text, what);
}

void fb_warn_cut(const fb_input *in, fb_log *log)
{
    const fb_lines head = fb_lines_head(in);
    const char *begin = head.begin, *end = fb_lines_of(in).end, *p = end;
    int64_t k;
    if (begin == end || memchr(begin, 0, (size_t)(head.end - begin))) /* no text */
        return;
    while (p > begin && p[-1] != '\n')
        p--;
    const fb_span last = fb_trim(p, end);
    const int data = last.p < last.end && strchr("+-.,0123456789", *last.p);
    for (p = last.p; p < last.end && !data && (*p < '0' || *p > '9'); p++)
        ;
    if (p == last.end || (fb_is_int(last, &k) && k == -1))
        return;
    fb_warn(log, "%s: the last line has no newline: was the file cut?", in->name);
}

int fb_starts(const char *p, const char *end, const char *word)
{
    for (; *word; word++, p++) {
        char c = p < end ? *p : 0, w = *word;
        if (c >= 'a' && c <= 'z')
            c = (char)(c - 32);
        if (w >= 'a' && w <= 'z')
            w = (char)(w - 32);
        if (c != w)
            return 0;
    }
    return 1;
}

int fb_word_is(const char *p, const char *q, const char *word)
{
    for (; p < q && *word; p++, word++) {
        char c = *p >= 'A' && *p <= 'Z' ? (char)(*p + 32) : *p;
        if (c != *word)
            return 0;
    }
    return p == q && !*word;
}
