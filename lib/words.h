/* SPDX-License-Identifier: GPL-3.0-or-later */
/* words.h - words that were not understood (words.c). */
#ifndef FB_WORDS_H
#define FB_WORDS_H
#include "status.h"

/* Words that were not understood (words.c). */
typedef struct {
    const char *word; /* the nearest so far; NULL: none is near */
    int distance;
} fb_guess;

typedef struct { /* a word of other programs, and what says the same here */
    const char *word, *write;
} fb_meant;

int fb_word_distance(const char *a, const char *b);
void fb_nearest(const char *word, const char *known, fb_guess *g);
/* The row of the word, in any case, or NULL; the table ends with a NULL word. */
const char *fb_meaning(const fb_meant *table, const char *word);
/* FB_EUSAGE: the nearest word of an option's, if any, and those known. */
fb_status fb_unknown_word(const char *option, const char *word, const fb_guess *g,
                          const char *known, fb_err *e);
#endif
