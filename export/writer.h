/* SPDX-License-Identifier: GPL-3.0-or-later */
/* writer.h - what an export format is. To add one: a file NAME.c that defines fb_writer_NAME, and
 * one row in FB_WRITERS. */
#ifndef WRITER_H
#define WRITER_H
#include "flexbody.h"

typedef struct {
    const char *name, *doc;
    int         binary; /* no terminal wants it */
    /* Fills out with the bytes of the file. NULL: the target is a stream (publish). */
    fb_status (*write)(const fb_model *b, fb_buf *out, fb_log *log, fb_err *e);
    fb_status (*publish)(fb_run *r, fb_stream *in, fb_model *b, fb_err *e);
} fb_writer;

/* The export formats, in the order of --help. */
#define FB_WRITERS(X) \
    X(link) /* HDF5 link record         */ \
    X(text) /* for people               */ \
    X(mnf)  /* Adams modal neutral file */

#define X(name) extern const fb_writer fb_writer_##name;
FB_WRITERS(X)
#undef X
extern const fb_writer *const fb_writers[]; /* ends with NULL */

extern int fb_with_T; /* --with-T: the link record keeps the full shapes */
#endif
