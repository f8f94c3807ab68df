/* SPDX-License-Identifier: GPL-3.0-or-later */
/* matfile.h - MATLAB files of versions 4 and 5, by libmatio (matfile.c). */
#ifndef FB_MATFILE_H
#define FB_MATFILE_H
#include "bytes.h"
#include "linalg/sparse.h"
#include "status.h"

/* ---- writing ---------------------------------------------------------------------------- */

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
/* Puts the bytes of an uncompressed file of version 4 (matrices alone) or 5 into o: n variables,
 * or one 1 x 1 struct whose fields they are, full matrices. A variable of version 5 holds 2 GiB, a
 * struct with all its fields. */
fb_status fb_matfile_write(fb_buf *o, int version, const char *of_struct, const fb_matvar *v,
                           int64_t n, fb_err *e) FB_CHECKED;

/* ---- reading ---------------------------------------------------------------------------- */

typedef struct { /* a matrix in a file: its shape, which the caller knows, and its numbers */
    char name[160];
    int sparse, complex;
    int entries;       /* the caller's: its columns are rows, columns and values of a sparse one */
    int64_t m, n, nnz; /* nnz: of a sparse one */
    double *re, *im;   /* [n][m], column by column, or [nnz]; im NULL: real */
    int64_t *start, *row; /* of a sparse one: [n+1], [nnz], not to be trusted */
} fb_matnum;

/* Fills in the numbers of all n matrices of the file, which holds them in this order, unpacked and
 * in sound elements, and nothing else; those without entries are left out. They stand in *memory,
 * which fb_matfile_free gives back. */
typedef struct {
    void *p;
    size_t size;
} fb_matmem;
fb_status fb_matfile_read(const char *path, fb_matnum *v, int64_t n, fb_matmem *memory,
                          fb_err *e) FB_CHECKED;
void fb_matfile_free(fb_matmem *memory);
/* libmatio and its version, for --version. */
void fb_matfile_version(char *out, size_t n);
#endif
