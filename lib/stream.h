/* SPDX-License-Identifier: GPL-3.0-or-later */
/* stream.h - the stream between tools (stream.c, h5.c). */
#ifndef FB_STREAM_H
#define FB_STREAM_H
#include "bytes.h"
#include "model.h"
#include "status.h"
#include <stddef.h>
#include <stdint.h>

#define FB_FORMAT_MAJOR 1
#define FB_FORMAT_MINOR 3

/* The bytes in the pipe are one complete HDF5 file. path NULL or "-" is the standard stream,
 * spooled through a temporary file that has no name any more. */
typedef struct {
    int64_t h5; /* HDF5 file */
    int fd;
    int sink;    /* where commit copies it: standard output, a device; -1: none */
    char *path;  /* the temporary file while it has a name */
    char *final; /* the name commit gives it; NULL: it goes to sink */
    char *name;  /* for messages */
} fb_stream;
#define FB_STREAM_NONE {.h5 = -1, .fd = -1, .sink = -1}

/* Standard input is this file, which a program of ours has written in this run (batch/): nothing or
 * a whole stream. It is not spooled, nor are its metadata tried in a child process first. NULL: it
 * may be anything. */
extern const char *fb_stream_sibling;
/* A temporary file in TMPDIR: path and fd of *s, for fb_stream_abandon. */
fb_status fb_stream_spool(fb_stream *s, fb_err *e) FB_CHECKED;
fb_status fb_stream_open(fb_stream *s, const char *path, fb_err *e) FB_CHECKED;
/* The stream whose bytes are in memory, spooled likewise. */
fb_status fb_stream_open_input(fb_stream *s, const fb_input *in, fb_err *e) FB_CHECKED;
fb_status fb_stream_create(fb_stream *s, const char *path, fb_err *e) FB_CHECKED;
fb_status fb_stream_commit(fb_stream *s, fb_err *e) FB_CHECKED; /* publish and close */
void fb_stream_abandon(fb_stream *s);                           /* error path, or a reader */

/* Reads the datasets whose paths begin with one of `want` (NULL-terminated; NULL: all). */
fb_status fb_model_read(fb_stream *s, fb_model *b, const char *const *want, fb_err *e) FB_CHECKED;
/* Writes every dataset of b whose path begins with one of `what` (NULL: all). */
fb_status fb_model_write(fb_stream *s, const fb_model *b, const char *const *what,
                         fb_err *e) FB_CHECKED;
/* Copies all objects of `in`, known or not, except those whose paths begin with one of `but`. */
fb_status fb_stream_pass(fb_stream *in, fb_stream *out, const char *const *but,
                         fb_err *e) FB_CHECKED;
/* /history: a line a tool, each followed by its warnings ("warning: ..."). */
typedef struct {
    int64_t n;
    size_t width; /* bytes of each line, one zero at the least at its end */
    char *lines;  /* [n][width], the caller's to free */
} fb_history;
/* Of a stream that has none, or in NULL: no lines. */
fb_status fb_history_read(fb_stream *in, fb_history *h, fb_err *e) FB_CHECKED;
/* Is there an object of this path? */
int fb_stream_has(fb_stream *s, const char *path);
/* Refuses a link record, which has matrices and no shapes, by that name. */
fb_status fb_stream_with_shapes(fb_stream *s, fb_err *e) FB_CHECKED;
#endif
