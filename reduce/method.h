/* SPDX-License-Identifier: GPL-3.0-or-later */
/* method.h - what a reduction method is. To add one: a file NAME.c that defines fb_method_NAME,
 * and one row in FB_METHODS; its option --NAME N follows from the row. */
#ifndef METHOD_H
#define METHOD_H
#include "flexbody.h"

typedef struct { /* what the user asked for; -1 or NULL: not given */
    int64_t     order; /* of the reduced model */
    int64_t     modes; /* normal modes */
    double      fmax;  /* [Hz] */
    const char *interface;
    int         orthonormalize;
} fb_reduceopt;

typedef struct { /* a modal body reduced: q = V z */
    fb_mat   V;           /* [nm x nr] */
    int64_t *kind;        /* [nr] fb_kind */
    double  *K, *M;       /* [nr,nr] */
    int64_t  nr, nb, nn, ndropped; /* order, boundary, normal, normal modes left out */
} fb_reduction;

typedef struct {
    const char *name, *doc;
    fb_status (*modal)(const fb_model *b, const fb_reduceopt *o, fb_reduction *r, fb_log *log, fb_err *e);
} fb_method;

/* The reduction methods. */
#define FB_METHODS(X) \
    X(cb) /* Craig-Bampton */

#define X(name) extern const fb_method fb_method_##name;
FB_METHODS(X)
#undef X
extern const fb_method *const fb_methods[]; /* ends with NULL */
const fb_method *fb_method_find(const char *name);

void fb_reduction_free(fb_reduction *r);
#endif
