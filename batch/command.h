/* SPDX-License-Identifier: GPL-3.0-or-later */
/* command.h - the command of a batch: programs joined by pipes, with places for the name of a body
 * (command.c). */
#ifndef FB_COMMAND_H
#define FB_COMMAND_H
#include "status.h"

enum { FB_STAGES = 16 };

typedef struct { /* a program and its arguments */
    char **word; /* [n], NULL behind the last */
    int n;
} fb_words_of;

typedef struct {
    fb_words_of stage[FB_STAGES];
    int n;
} fb_command;

/* Cuts the text into programs at each |, these into words at blanks, with the quotes of a shell.
 * What else a shell would act upon, and places that are not known, are refused. */
fb_status fb_command_parse(const char *text, fb_command *c, fb_err *e) FB_CHECKED;
/* The words of all programs with the name of this body in their places. */
fb_status fb_command_fill(const fb_command *c, const char *body, fb_command *out,
                          fb_err *e) FB_CHECKED;
/* One word, the caller's to free. */
fb_status fb_word_fill(const char *word, const char *body, char **out, fb_err *e) FB_CHECKED;
/* In how many of the words does a place for the name of the body stand? */
int fb_words_vary(const fb_words_of *w);
void fb_command_free(fb_command *c);
#endif
