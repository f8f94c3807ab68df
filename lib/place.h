/* SPDX-License-Identifier: GPL-3.0-or-later */
/* place.h - nodes chosen by where they are (place.c). */
#ifndef FB_PLACE_H
#define FB_PLACE_H
#include "status.h"
#include <stdint.h>

typedef enum {
    FB_PLACE_RANGE,
    FB_PLACE_NEAR,
    FB_PLACE_BOX,
    FB_PLACE_SPHERE,
    FB_PLACE_CYLINDER
} fb_place_kind;

typedef struct {
    fb_place_kind kind;
    int axis;         /* RANGE: 0, 1, 2 for x, y, z */
    int extreme[2];   /* RANGE: an end is 0 a number, -1 min, 1 max of the nodes */
    int without;      /* RANGE: its ends do not belong to it */
    double x[7];      /* RANGE: both ends, which may be infinite; else as written */
    const char *text; /* as written, borrowed */
    int length;
} fb_place;

/* The place that begins at p; returns the first byte behind it, NULL: none begins there. */
const char *fb_place_scan(const char *p, const char *end, fb_place *place);
/* Does p begin as a place does, whatever follows? */
int fb_place_meant(const char *p, const char *end);
#define FB_PLACE_FORMS \
    "x=A, x=A..B, x=min, x=max, x>A, x<A (or y, z), near:X,Y,Z, box:X,Y,Z,X,Y,Z, " \
    "sphere:X,Y,Z,R, cylinder:X,Y,Z,X,Y,Z,R"

typedef struct { /* the nodes to choose from */
    int64_t n;
    double *xyz;   /* [n,3] */
    int64_t *node; /* [n] the caller's, moved with them */
    double size;   /* diagonal of the box of the body: the measure of tolerances */
    const char *unit;
} fb_crowd;
enum { FB_PLACE_DIGITS = 5 }; /* coordinates are equal where they are apart by 1e-5 of the size */
/* Keeps those that are there, in their order; an error where none is left, or where the place is
 * farther from all of them than the body is large. near: keeps all that are equally near.
 * option: for messages. */
fb_status fb_place_narrow(const fb_place *place, const char *option, fb_crowd *c,
                          fb_err *e) FB_CHECKED;
#endif
