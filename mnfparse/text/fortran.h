/* SPDX-License-Identifier: GPL-3.0-or-later */
/* fortran.h - Fortran formats: nIw, nEw.d (D F G alike), nX, kP, groups with repeats. Fields are
 * cut by their width, never at blanks: neighbours may touch. A field without a point has d digits
 * behind it, one without an exponent is divided by 10^k. */
#ifndef FORTRAN_H
#define FORTRAN_H
#include "lines.h"

enum { FB_EDITS = 512 };

typedef struct { /* one data field of a format */
    int skip;    /* columns before it                          */
    int width;   /* 0: the end of a record, after skip columns */
    int digits, scale;
    int letter, whole; /* I E D F G; 1: I */
} fb_edit;

typedef struct {
    fb_edit f[FB_EDITS];
    int n, restart; /* where a new record goes on when the format is used up */
    const char *text, *end;
} fb_format;

static inline int fb_upper(char c)
{
    return c >= 'a' && c <= 'z' ? c - 32 : c;
}

/* The format p..q of text t; whole: it has I fields alone. */
fb_status fb_format_read(const fb_lines *t, const char *p, const char *q, int whole, fb_format *f,
                         fb_err *e) FB_CHECKED;
/* The value of the field p..q, without blanks around it; 0: it is no finite (or whole) number. */
int fb_edit_real(const fb_edit *x, const char *p, const char *q, double *v);
#endif
