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
    const char *interface, *masters;
    const char *weights, *select; /* of IMR: modes of interest, interior modes to keep */
    int         orthonormalize;
} fb_reduceopt;

typedef struct { /* a modal body reduced: q = V z */
    fb_mat   V;           /* [nm x nr] */
    int64_t *kind;        /* [nr] fb_kind */
    double  *K, *M;       /* [nr,nr] */
    int64_t  nr, nb, nn, ndropped; /* order, boundary, normal, modes of the body left out */
} fb_reduction;

enum { /* options that only some methods know; ORDER_FREE: the order may be left out */
    FB_USES_MASTERS = 1, FB_USES_WEIGHTS = 2, FB_USES_SELECT = 4, FB_ORDER_FREE = 8
};

typedef struct {
    const char *name, *doc;
    fb_status (*modal)(const fb_model *b, const fb_reduceopt *o, fb_reduction *r, fb_log *log, fb_err *e);
    int         uses;
} fb_method;

/* The reduction methods. */
#define FB_METHODS(X) \
    X(cb)    /* Craig-Bampton               */ \
    X(guyan) /* static condensation         */ \
    X(imr)   /* interior mode ranking       */ \
    X(lsmr)  /* least-square model reduction */ \
    X(mdm)   /* mode displacement           */

#define X(name) extern const fb_method fb_method_##name;
FB_METHODS(X)
#undef X
extern const fb_method *const fb_methods[]; /* ends with NULL */
const fb_method *fb_method_find(const char *name);

void fb_reduction_free(fb_reduction *r);
#endif
