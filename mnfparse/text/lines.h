/* SPDX-License-Identifier: GPL-3.0-or-later */
/* lines.h - a text input seen as lines and fields. The bytes are borrowed and not NUL-terminated;
 * line numbers are counted only when a message needs one. */
#ifndef LINES_H
#define LINES_H
#include "bytes.h"
#include "digits.h"
#include "number.h"
#include "status.h"
#include <string.h>

typedef struct {
    const char *begin, *p, *end;
    const char *at; /* the line that fb_take_line took last */
} fb_lines;

enum { FB_PIECES = 8 }; /* of a text that are read at a time, at the most (pieces.h) */

typedef struct { /* a part of it: a line, a field */
    const char *p, *end;
} fb_span;

/* Behind the byte order mark that some editors write. */
static inline fb_lines fb_lines_of(const fb_input *in)
{
    const char *d = (const char *)in->data,
               *text = in->size >= 3 && !memcmp(d, "\xef\xbb\xbf", 3) ? d + 3 : d;
    return (fb_lines){text, text, d + in->size, text};
}

/* The first 64 KB, where formats are told by their bytes. */
static inline fb_lines fb_lines_head(const fb_input *in)
{
    fb_lines l = fb_lines_of(in);
    if (l.end - l.begin > 65536)
        l.end = l.begin + 65536;
    return l;
}

static inline const char *fb_skip_blanks(const char *p, const char *end)
{
    while (p < end && (*p == ' ' || *p == '\t'))
        p++;
    return p;
}

/* The newline that ends the line p is in, or end. */
static inline const char *fb_line_end(const char *p, const char *end)
{
    const char *q = p < end ? memchr(p, '\n', (size_t)(end - p)) : NULL;
    return q ? q : end;
}

static inline const char *fb_after_line(const char *p, const char *end)
{
    const char *q = fb_line_end(p, end);
    return q < end ? q + 1 : end;
}

/* The end of the text p..q without the blanks and carriage returns behind it. */
static inline const char *fb_trim_end(const char *p, const char *q)
{
    while (q > p && (q[-1] == ' ' || q[-1] == '\t' || q[-1] == '\r'))
        q--;
    return q;
}

/* Behind blanks, one comma at most, blanks; NULL where nothing stands between p and the field. */
static inline const char *fb_skip_separator(const char *p, const char *end)
{
    const char *q = fb_skip_blanks(p, end);
    if (q < end && *q == ',')
        q = fb_skip_blanks(q + 1, end);
    return q == p ? NULL : q;
}

/* fb_scan_int, quick for one to seven digits without a sign: matrix texts have millions of them. */
static inline const char *fb_scan_index(const char *p, const char *end, int64_t *k)
{
    uint64_t w;
    const char *q = end - p >= 8 ? fb_scan_few(p, &w) : NULL;
    if (!q)
        return fb_scan_int(p, end, k);
    *k = (int64_t)w;
    return q;
}

/* Is there nothing but blanks and a carriage return up to the end of the line? */
static inline int fb_at_line_end(const char *p, const char *end)
{
    p = fb_skip_blanks(p, end);
    if (p < end && *p == '\r')
        p++;
    return p == end || *p == '\n';
}

/* Moves to the next line that is not blank; 0 at the end. l->p stands on its first byte that is not
 * blank. */
int fb_next_line(fb_lines *l);
/* The same, stepping over comment lines that begin with "**". */
int fb_next_data(fb_lines *l);
/* fb_next_data, quick where the next line follows at once and begins with a digit. */
static inline int fb_next_entry(fb_lines *l)
{
    if (l->end - l->p > 1 && l->p[0] == '\n' && (unsigned char)(l->p[1] - '0') <= 9) {
        l->p++;
        return 1;
    }
    return fb_next_data(l);
}
void fb_end_line(fb_lines *l); /* to the first byte of the line behind */

/* 1-based number of the line `at` is in. */
long long fb_line_number(const fb_lines *l, const char *at);
/* "line 7: what is wrong"; here: in the line taken last. */
fb_status fb_fail_at(fb_err *e, const fb_lines *l, const char *at, const char *fmt, ...)
    FB_PRINTF(4, 5);
#define fb_fail_here(e, l, ...) fb_fail_at((e), (l), (l)->at, __VA_ARGS__)
/* The status of a call, with "line 7: " before its message where the input is to blame. */
fb_status fb_at_line(fb_status s, fb_err *e, const fb_lines *l, const char *at) FB_CHECKED;
/* "line 7 'text of it': what is wrong" */
fb_status fb_line_fail(fb_err *e, const fb_lines *l, const char *at, const char *fmt, ...)
    FB_PRINTF(4, 5);
/* Warns where the last line of a text has no newline: a file that was cut within a number looks
 * like that. Words without a digit (ENDDATA, *END STEP) and a line of -1 are the end of their
 * formats. */
void fb_warn_cut(const fb_input *in, fb_log *log);
/* The text p..end without the blanks around it. */
static inline fb_span fb_trim(const char *p, const char *end)
{
    p = fb_skip_blanks(p, end);
    return (fb_span){p, fb_trim_end(p, end)};
}

/* Columns from..from+width (from 0) of a line, as far as it has them, without blanks around. */
static inline fb_span fb_columns(fb_span line, int64_t from, int64_t width)
{
    const int64_t n = line.end - line.p, to = from + width;
    return fb_trim(line.p + (from < n ? from : n), line.p + (to < n ? to : n));
}

/* Is all of the text one number? */
static inline int fb_is_int(fb_span f, int64_t *k)
{
    return f.p < f.end && fb_scan_int(f.p, f.end, k) == f.end;
}

static inline int fb_is_real(fb_span f, double *x)
{
    return f.p < f.end && fb_scan_real(f.p, f.end, x) == f.end;
}

/* The line at l->p without its end, and l->p behind it; 0 where the text ends. */
int fb_take_line(fb_lines *l, fb_span *line);
/* Its bytes at the most, for "%.*s". */
static inline int fb_shown(fb_span f, int most)
{
    return f.end - f.p < most ? (int)(f.end - f.p) : most;
}
/* Is p..q this word (in small letters), in any case? */
int fb_word_is(const char *p, const char *q, const char *word);
/* Does the text at p begin with this word, in any case? */
int fb_starts(const char *p, const char *end, const char *word);
#endif
