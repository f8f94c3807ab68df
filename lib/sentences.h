/* SPDX-License-Identifier: GPL-3.0-or-later */
/* sentences.h - what /verdict and /checks say, in plain words (sentences.c). */
#ifndef FB_SENTENCES_H
#define FB_SENTENCES_H
#include "model.h"

typedef enum { FB_GOOD, FB_LOOK, FB_BAD } fb_grade; /* fine; to be looked at; not to be used */
typedef struct {
    fb_grade grade;
    char say[320], numbers[480]; /* the sentence; the numbers behind it, "": none */
} fb_sentence;
enum { FB_NSENTENCE = 12 }; /* at the most */
/* Returns how many there are; a body that no tool has judged yet has one, which says so. */
int fb_sentences(const fb_model *b, fb_sentence out[FB_NSENTENCE]);
#endif
