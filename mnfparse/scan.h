/* SPDX-License-Identifier: GPL-3.0-or-later */
/* scan.h - walking over the lines of a text input; the bytes are not ended by a NUL. */
#ifndef SCAN_H
#define SCAN_H
#include "flexbody.h"
#include <string.h>

typedef struct {
    const char *start, *end;
} fb_text;

static inline fb_text fb_text_of(const fb_input *in)
{
    const char *d = (const char *)in->data;
    return (fb_text){d, d + in->size};
}

static inline const char *fb_skip_blanks(const char *p, const char *end)
{
    while (p < end && (*p == ' ' || *p == '\t'))
        p++;
    return p;
}

/* As fb_scan_int, quick for the one to seven digits without sign of most indices. */
static inline const char *fb_scan_index(const char *p, const char *end, int64_t *k)
{
    if (end - p < 8)
        return fb_scan_int(p, end, k);
    const unsigned char *u = (const unsigned char *)p;
    uint64_t t = (uint64_t)u[0] | (uint64_t)u[1] << 8 | (uint64_t)u[2] << 16 | (uint64_t)u[3] << 24 |
                 (uint64_t)u[4] << 32 | (uint64_t)u[5] << 40 | (uint64_t)u[6] << 48 | (uint64_t)u[7] << 56;
    t ^= 0x3030303030303030;
    uint64_t other = ((t + 0x7676767676767676) | t) & 0x8080808080808080; /* the bytes that are no digits */
    int n = other ? __builtin_ctzll(other) / 8 : 0;
    if (n == 0)
        return fb_scan_int(p, end, k);
    const uint64_t pair = 0x000000ff000000ff;
    t <<= 64 - 8 * n; /* zeros before the digits */
    t = t * 10 + (t >> 8);
    t = (t & pair) * (100 + (UINT64_C(1000000) << 32)) + ((t >> 16) & pair) * (1 + (UINT64_C(10000) << 32));
    *k = (int64_t)(t >> 32);
    return p + n;
}

/* The end of the line at p: its line feed, or the end of the text. */
static inline const char *fb_line_end(const char *p, const char *end)
{
    const char *q = p < end ? memchr(p, '\n', (size_t)(end - p)) : NULL;
    return q ? q : end;
}

static inline const char *fb_next_line(const char *p, const char *end)
{
    const char *q = fb_line_end(p, end);
    return q < end ? q + 1 : end;
}

/* The line at p without the blanks and carriage returns behind it. */
static inline const char *fb_trim_end(const char *p, const char *q)
{
    while (q > p && (q[-1] == ' ' || q[-1] == '\t' || q[-1] == '\r'))
        q--;
    return q;
}

/* Number of the line that holds p, counted from 1; for messages. */
static inline long long fb_line_of(fb_text t, const char *p)
{
    long long n = 1;
    for (const char *q = t.start; q < p && (q = memchr(q, '\n', (size_t)(p - q))); q++)
        n++;
    return n;
}

/* Is the word at p..q this one, in any case? */
static inline int fb_word_is(const char *p, const char *q, const char *word)
{
    for (; p < q && *word; p++, word++) {
        char c = *p >= 'A' && *p <= 'Z' ? (char)(*p + 32) : *p;
        if (c != *word)
            return 0;
    }
    return p == q && !*word;
}
#endif
