/* SPDX-License-Identifier: GPL-3.0-or-later */
/* support.h - what *BOUNDARY of Abaqus and CalculiX decks holds. */
#ifndef ABAQUS_SUPPORT_H
#define ABAQUS_SUPPORT_H
#include "parts.h"

typedef struct {
    char where[160]; /* node, set, instance.node, instance.set */
    int dofs;        /* bit c: component c */
} aba_support;

typedef struct {
    aba_support *s;
    int64_t n, cap;
} aba_supports;

/* A data line "where, first, last" or "where, ENCASTRE"; what holds no component 1..6 is passed
 * over. */
fb_status aba_support_line(aba_supports *x, const char *p, const char *end, fb_err *e) FB_CHECKED;
/* The dofs held, by the sets of p from number `first` on; where a place is not known, none. */
fb_status aba_supports_give(const aba_supports *x, int64_t first, fb_parts *p,
                            fb_err *e) FB_CHECKED;
#endif
