/* SPDX-License-Identifier: GPL-3.0-or-later */
/* span.h - a space of interior motions that grows vector by vector, and its Ritz vectors
 * (span.c). */
#ifndef SPAN_H
#define SPAN_H
#include "linalg/dense.h"
#include "linalg/sparse.h"
#include "status.h"

/* ||x||_M, and Mx = M x [n]; M NULL: the unit matrix. */
double fb_mass_norm(const fb_csc *M, const double *x, int64_t n, double *Mx);
/* x -= Y (Y'M x), Y'MY = I; Mx [n] is spent. */
void fb_mass_without(const fb_csc *M, const fb_mat *Y, double *x, double *Mx);

typedef struct {
    const fb_csc *M; /* NULL: the unit matrix */
    fb_mat X;        /* [n x X.n] X'MX = I, with room for `most` columns */
    int64_t most;
    double *Mx; /* [n] */
} fb_span;

fb_status fb_span_new(fb_span *v, int64_t n, const fb_csc *M, int64_t most, fb_err *e) FB_CHECKED;
/* What x [n] adds to the space joins it: 1. 0: less than `tolerance` times `scale` (in the norm of
 * M; 0: that of x) is left of x, or there is no room. */
int fb_span_add(fb_span *v, const double *x, double tolerance, double scale);
/* The vectors become the Ritz vectors of K: X'KX = diag(w2), w2 [X.n] ascending, the caller's to
 * free. Of K, either a matrix or the diagonal k [n] of one. */
fb_status fb_span_ritz(fb_span *v, const fb_csc *K, const double *k, double **w2,
                       fb_err *e) FB_CHECKED;
void fb_span_free(fb_span *v);
#endif
