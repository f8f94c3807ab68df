/* SPDX-License-Identifier: GPL-3.0-or-later */
/* matlab.h - mode shapes among the variables of a .mat file. */
#ifndef MATLAB_H
#define MATLAB_H
#include "parts.h"

typedef struct { /* owned copies of what the variables hold */
    char    name[64];
    int64_t rows, nm, nhz;
    double *re, *im;       /* [nm][rows] shapes, a column each; im NULL: real */
    double *hz;            /* [nhz] frequencies                               */
} fb_mat_shapes;

/* Copies, where there are none yet. */
fb_status fb_mat_shapes_set(fb_mat_shapes *t, const char *name, int64_t rows, int64_t nm,
                            const double *re, const double *im, fb_err *e) FB_CHECKED;
fb_status fb_mat_shapes_hz(fb_mat_shapes *t, int64_t n, const double *hz, fb_err *e) FB_CHECKED;
/* Makes the shapes the modes of the body: rows by the dof table, which is taken, or by the
 * nodes. */
fb_status fb_mat_shapes_body(const fb_mat_shapes *t, fb_parts *p, fb_err *e) FB_CHECKED;
void      fb_mat_shapes_free(fb_mat_shapes *t);
#endif
