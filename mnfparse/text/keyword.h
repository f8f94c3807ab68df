/* SPDX-License-Identifier: GPL-3.0-or-later */
/* keyword.h - keyword lines of Abaqus and CalculiX decks: "*NSET, NSET=ENDS, GENERATE". */
#ifndef KEYWORD_H
#define KEYWORD_H
#include "status.h"
#include "lines.h"

enum { FB_NPARAM = 24, FB_PARAM = 512 };

typedef struct {
    char name[48]; /* capitals, no blanks: NODE, RIGIDBODY */
    int n;
    struct {
        char name[48]; /* capitals, no blanks */
        char value
            [FB_PARAM]; /* as written, without quotes and outer blanks; "" where there is none */
    } p[FB_NPARAM];
} fb_keyword;

/* Reads the keyword line at l->p (a '*'), with the lines that continue it behind a last comma, and
 * moves to the line behind. */
fb_status fb_keyword_read(fb_lines *l, fb_keyword *k, fb_err *e) FB_CHECKED;
/* The value of a parameter, or NULL where it is not there. */
const char *fb_keyword_value(const fb_keyword *k, const char *name);
int fb_keyword_is(const fb_keyword *k, const char *name);
#endif
