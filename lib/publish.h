/* SPDX-License-Identifier: GPL-3.0-or-later */
/* publish.h - what a tool writes, all of it or nothing (stream.c). */
#ifndef FB_PUBLISH_H
#define FB_PUBLISH_H
#include "bytes.h"
#include "cli.h"
#include "model.h"
#include "status.h"
#include "stream.h"
#include <stdint.h>

/* reduce, invariants, ...: pass everything of `in` but `but`, write `what` of b, add the line
 * and the warnings of r to /history, publish. in may be NULL (a first stage). */
fb_status fb_publish(fb_run *r, fb_stream *in, const fb_model *b, const char *const *what,
                     const char *const *but, fb_err *e) FB_CHECKED;

/* Bytes that are no stream (a text, ...) to the tool's output: written whole, or not at all. */
fb_status fb_publish_bytes(fb_run *r, const fb_buf *b, fb_err *e) FB_CHECKED;
/* A temporary file for libraries that want a name: *path is freed by the caller, and the file
 * removed by fb_temporary_remove. */
fb_status fb_spool_file(char **path, int *fd, fb_err *e) FB_CHECKED;
/* The same, with the bytes of an input, and closed. */
fb_status fb_spool_input(const fb_input *in, char **path, fb_err *e) FB_CHECKED;
/* The same for large output: opened before it is made, so that b need not hold it all. */
fb_status fb_spool_open(fb_run *r, fb_stream *t, fb_buf *b, fb_err *e) FB_CHECKED;
fb_status fb_spool_commit(fb_run *r, fb_stream *t, fb_buf *b, fb_err *e) FB_CHECKED;

/* Output of several files: a folder, which appears whole under the name of -o, or not at all. Once
 * opened it takes what is written, the last file as it comes and those before it when they are
 * full or at the end; else, or where -o is missing, they stay in memory. */
typedef struct {
    char name[64];
    fb_buf bytes;
    char *path; /* in the folder */
} fb_file;

typedef struct {
    fb_file *file; /* [n] */
    int64_t n, cap;
    char *final, *folder; /* its name at the end, and until then */
} fb_files;

fb_status fb_files_open(fb_run *r, fb_files *f, fb_err *e) FB_CHECKED;

/* An empty file at the end of the list; *out is good until the next call. */
fb_status fb_files_add(fb_files *f, const char *name, fb_buf **out, fb_err *e) FB_CHECKED;
void fb_files_free(fb_files *f);
fb_status fb_publish_files(fb_run *r, fb_files *f, fb_err *e) FB_CHECKED;

/* A dataset that has no row in the schema: what other programs' HDF5 layouts want. */
typedef struct {
    const char *path;
    /* 'd' float64, 'i' int64, 'w' int32 (data int64 too), 'u' uint64, 's' a text, 'g' a group; what
     * does not fit w and u is refused before anything is written */
    char type;
    int rank; /* 0: a scalar */
    int64_t dim[4];
    const void *data;
    const char *link;       /* not NULL: one more name of this dataset; type, dim and data unused */
    const char *attr[2][2]; /* text attributes: name, value; NULL: none */
    int ascii;              /* these are ASCII, else UTF-8 */
    int variable;           /* these are of variable length, else fixed */
    const char *counter; /* not NULL: path is a group that is there, and gets this count beside */
    int64_t count;       /* the texts; type, dim and data unused */
} fb_array;

/* fb_publish with more datasets. */
fb_status fb_publish_with(fb_run *r, fb_stream *in, const fb_model *b, const char *const *what,
                          const char *const *but, const fb_array *more, int64_t nmore,
                          fb_err *e) FB_CHECKED;
/* Outputs that belong together: bytes, or an HDF5 file of arrays. None of them gets its name, and
 * nothing goes to a pipe, before all are written. */
typedef struct {
    const char *path;      /* NULL or "-": standard output */
    const fb_buf *bytes;   /* NULL: arrays */
    const fb_array *array; /* [narray] */
    int64_t narray;
    const void *head; /* [nhead] bytes before the HDF5 data: 0, 512, 1024, ... */
    size_t nhead;
} fb_output;
fb_status fb_publish_many(fb_run *r, const fb_output *o, int n, fb_err *e) FB_CHECKED;
#endif
