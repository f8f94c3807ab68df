/* SPDX-License-Identifier: GPL-3.0-or-later */
/* include.h - files that decks include (include.c). */
#ifndef INCLUDE_H
#define INCLUDE_H
#include "parts.h"
#include "status.h"
#include <limits.h>

/* Files that one deck goes down into, and that all decks together open, at the most. */
enum { FB_INCLUDE_DEPTH = 16, FB_INCLUDED = 1000 };

typedef struct { /* files that are being read, each included by the one before; the deck first */
    const char *name[FB_INCLUDE_DEPTH]; /* resolved, but for the deck's */
    int n;
} fb_includes;

/* full: the resolved name of path as seen from the folder of file; 0: there is no such file. */
int fb_include_find(const char *file, const char *path, char full[PATH_MAX]);
/* Opens full, which the deck calls path. It must be a regular file below the deck's folder, unless
 * the user allows others, and none of those that are being read. */
fb_status fb_include_open(const fb_includes *of, fb_parts *p, const char *path, const char *full,
                          fb_input *in, fb_err *e) FB_CHECKED;
#endif
