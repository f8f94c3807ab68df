/* SPDX-License-Identifier: GPL-3.0-or-later */
/* matfile.h - MATLAB files of levels 5 and 4, uncompressed, written into a buffer. */
#ifndef MATFILE_H
#define MATFILE_H
#include "bytes.h"
#include "linalg/sparse.h"
#include "status.h"

typedef struct {
    const char *name;
    int rank; /* 2 .. 4; 1 becomes a column, 0 a scalar */
    int64_t dim[4];
    const double *x;      /* values, the last index fastest, or ... */
    int by_column;        /* ... the first: no reordering */
    const fb_csc *sparse; /* instead of x; a stored triangle is mirrored */
} fb_matvar;

/* Values in MATLAB's order (first index fastest); owned. */
fb_status fb_matvar_columns(const fb_matvar *v, double **x, fb_err *e) FB_CHECKED;
/* A sparse matrix with both triangles. */
fb_status fb_matvar_mirror(const fb_csc *A, fb_csc *out, fb_err *e) FB_CHECKED;

/* Level 5: header, then variables. o must be little-endian. */
void fb_mat5_header(fb_buf *o);
fb_status fb_mat5_put(fb_buf *o, const fb_matvar *v, fb_err *e) FB_CHECKED;
/* One 1 x 1 struct whose fields are n variables. */
fb_status fb_mat5_struct(fb_buf *o, const char *name, const fb_matvar *field, int64_t n,
                         fb_err *e) FB_CHECKED;
/* Level 4: a real matrix of two dimensions. */
fb_status fb_mat4_put(fb_buf *o, const fb_matvar *v, fb_err *e) FB_CHECKED;
#endif
