/* SPDX-License-Identifier: GPL-3.0-or-later */
/* mat.h - .mat files: what the files of each version hand over. */
#ifndef MATLAB_H
#define MATLAB_H
#include "bytes.h"
#include "linalg/sparse.h"
#include "matfile.h"
#include "status.h"
#include "parts.h"

typedef struct { /* owned copies of what the variables hold */
    char name[64];
    int64_t rows, nm, nhz;
    double *re, *im; /* [nm][rows] shapes, a column each; im NULL: real */
    double *hz;      /* [nhz] frequencies                               */
} fb_mat_shapes;

/* Copies, where there are none yet. */
fb_status fb_mat_shapes_set(fb_mat_shapes *t, const char *name, int64_t rows, int64_t nm,
                            const double *re, const double *im, fb_err *e) FB_CHECKED;
fb_status fb_mat_shapes_hz(fb_mat_shapes *t, int64_t n, const double *hz, fb_err *e) FB_CHECKED;
/* Whether the tables or nodes of p say which dof is a row. */
int fb_mat_shapes_labelled(const fb_mat_shapes *t, const fb_parts *p);
/* Makes the shapes the modes of the body: rows by the dof table, which is taken, or by the
 * nodes. */
fb_status fb_mat_shapes_body(const fb_mat_shapes *t, fb_parts *p, fb_err *e) FB_CHECKED;
void fb_mat_shapes_free(fb_mat_shapes *t);

/* ---- the file --------------------------------------------------------------------------- */

enum { /* each before what is joined to it */
       FB_MAT_NODE_ID,
       FB_MAT_NODE_XYZ,
       FB_MAT_FRAME_NODE,
       FB_MAT_FRAME_XYZ,
       FB_MAT_DOF_NODE,
       FB_MAT_DOF_COMPONENT,
       FB_MAT_DOF_CLASS,
       FB_MAT_UNITS,
       FB_MAT_PORT,
       FB_MAT_INTERFACE,
       FB_MAT_COLUMNS
};

typedef struct {
    fb_parts *p;
    const char *origin;
    fb_log *log;
    int64_t size;     /* of the file */
    int64_t used;     /* variables that meant something */
    int64_t unpacked; /* bytes that packed variables have become */
    char seen[256];   /* names of all, for messages */
    double *origins;  /* Simscape: of the frames [frames,3], as found */
    int64_t frames;
    fb_mat_shapes shapes;
    fb_buf sound;    /* what libmatio is to read: versions 4 and 5 */
    fb_matnum *held; /* [nheld] the matrices in it */
    int64_t nheld, cap;
    /* What linkexport writes: nodes and dofs beside K_full, frames in a struct */
    double *column[FB_MAT_COLUMNS];
    int64_t length[FB_MAT_COLUMNS];
} fb_mat_file;

/* Guards: walk the file, and write its matrices to r->sound, from where libmatio reads them. */
fb_status fb_mat_guard4(fb_mat_file *r, const fb_input *in, fb_err *e) FB_CHECKED;
fb_status fb_mat_guard5(fb_mat_file *r, const fb_input *in, int little,
                        fb_err *e) FB_CHECKED; /* and 7 */
/* Notes the matrix that has gone there. */
fb_status fb_mat_handed(fb_mat_file *r, const fb_matnum *v, fb_err *e) FB_CHECKED;
fb_status fb_mat_read73(fb_mat_file *r, const fb_input *in, fb_err *e) FB_CHECKED;
int fb_mat_is4(const fb_input *in);

/* Counts bytes of a variable that is about to be unpacked, and refuses where all of them are out of
 * proportion to the file: what is packed in 3 MB can be 3 GB of zeros. */
fb_status fb_mat_unpack(fb_mat_file *r, double bytes, fb_err *e) FB_CHECKED;

/* A file of variables in any form: `variables` hands them over, by the calls below. */
fb_status fb_mat_read(const fb_input *in, fb_parts *p,
                      fb_status (*variables)(fb_mat_file *r, const fb_input *in, fb_err *e),
                      fb_log *log, fb_err *e) FB_CHECKED;
/* The name of a file without folders and endings (.npy, .csv, .gz): what its one variable is
 * called. */
void fb_mat_stem(const char *path, char name[64]);

/* ---- variables -------------------------------------------------------------------------- */

enum {
    FB_MAT_PATIENCE = 100000 /* empty columns, whatever the size of the file */,
    FB_MAT_DEPTH = 4 /* of structs */
};

typedef struct { /* full */
    const char *name;
    int64_t m, n;
    const double *re, *im; /* [n][m], column by column; im may be NULL */
} fb_mat_array;
fb_status fb_mat_full(fb_mat_file *r, const fb_mat_array *v, fb_err *e) FB_CHECKED;
/* Column starts [n+1], row indices and values of a sparse matrix, not to be trusted; y: imaginary
 * parts, or NULL. */
fb_status fb_mat_sparse(fb_mat_file *r, const char *name, int64_t m, int64_t n,
                        const int64_t *start, const int64_t *row, const double *x, const double *y,
                        fb_err *e) FB_CHECKED;
/* Takes A and imag, whatever comes of it. */
fb_status fb_mat_take(fb_mat_file *r, const char *name, fb_csc *A, double *imag,
                      fb_err *e) FB_CHECKED;
/* A variable that is none of the model, and why: a warning where its name says that it should be
 * one. */
void fb_mat_left(const fb_mat_file *r, const char *name, const char *why);
void fb_mat_saw(fb_mat_file *r, const char *name, int64_t m, int64_t n);

/* ---- numbers ---------------------------------------------------------------------------- */

enum { /* types of the MAT-File Format */
       FB_MI_INT8 = 1,
       FB_MI_UINT8,
       FB_MI_INT16,
       FB_MI_UINT16,
       FB_MI_INT32,
       FB_MI_UINT32,
       FB_MI_SINGLE,
       FB_MI_DOUBLE = 9,
       FB_MI_INT64 = 12,
       FB_MI_UINT64
};
int fb_mat_bytes(int64_t type); /* of one number; 0: none of these */
uint64_t fb_mat_word(const unsigned char *p, int bytes, int little);
int fb_mat_whole(double x);
#endif
