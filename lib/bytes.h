/* SPDX-License-Identifier: GPL-3.0-or-later */
/* bytes.h - bytes of a file: input, cursor, buffer (bytes.c). */
#ifndef FB_BYTES_H
#define FB_BYTES_H
#include "status.h"
#include <stddef.h>
#include <stdint.h>

/* A whole input in memory: mapped when it is a regular file, read into memory otherwise. */
typedef struct {
    const unsigned char *data;
    size_t size;
    char *name; /* as the user gave it, or "standard input" */
    int mapped;
} fb_input;

struct stat;
/* A device that may never end, as /dev/zero. */
int fb_endless(const struct stat *st);
/* path "-" is the standard input. A terminal, a directory and an empty input are errors. What gzip
 * has packed is unpacked. */
fb_status fb_input_open(fb_input *in, const char *path, fb_err *e) FB_CHECKED;
void fb_input_close(fb_input *in);
/* What gzip has packed, unpacked, the caller's to free; other bytes: nothing (gunzip.c). */
fb_status fb_gunzip(const fb_input *in, unsigned char **unpacked, size_t *size,
                    fb_err *e) FB_CHECKED;
/* Bytes that so many packed ones may become: 1 GiB, or so many times their number. A full matrix
 * that is mostly zeros packs a hundred times. */
enum { FB_UNPACK_TIMES = 100 };
double fb_unpack_most(size_t packed);
extern double fb_unpack_free; /* that 1 GiB; tests take less */
/* The bytes before upto are read: a mapping gives back their memory (they can still be read again).
 * */
void fb_input_done(const fb_input *in, size_t upto);

/* The way of a reader through its input, once or in several passes: fb_meter_at costs one
 * comparison; each 16 MB it gives back the memory of what is read, and tells the log. A zeroed
 * meter does nothing. */
typedef struct {
    const fb_input *in; /* borrowed */
    fb_log *log;
    uintptr_t begin, end; /* of the way */
    uintptr_t next;       /* address where fb_meter_tell comes again */
    int pass, passes;
} fb_meter;
void fb_meter_start(fb_meter *m, fb_log *log, const fb_input *in, int pass,
                    int passes); /* pass: from 0 */
/* The way from begin to end alone, once. */
void fb_meter_part(fb_meter *m, fb_log *log, const fb_input *in, const void *begin,
                   const void *end);
void fb_meter_tell(fb_meter *m, const void *at);
static inline void fb_meter_at(fb_meter *m, const void *at)
{
    if ((uintptr_t)at >= m->next)
        fb_meter_tell(m, at);
}

/* A cursor over borrowed bytes. Every read checks what is left; after a failed read the cursor
 * stays where it was. */
typedef struct {
    const unsigned char *data;
    size_t size, pos;
    int little; /* 1: little-endian, 0: big-endian (XDR) */
} fb_cursor;

fb_status fb_get_i32(fb_cursor *c, int32_t *v, const char *what, fb_err *e) FB_CHECKED;
fb_status fb_get_i64(fb_cursor *c, int64_t *v, const char *what, fb_err *e) FB_CHECKED;
fb_status fb_get_f32(fb_cursor *c, float *v, const char *what, fb_err *e) FB_CHECKED;
fb_status fb_get_f64(fb_cursor *c, double *v, int64_t n, const char *what, fb_err *e) FB_CHECKED;
/* A count of records of at least `bytes` each that must fit into what is left. */
fb_status fb_get_count(fb_cursor *c, int64_t *n, size_t bytes, const char *what,
                       fb_err *e) FB_CHECKED;
fb_status fb_need(const fb_cursor *c, int64_t n, size_t size, const char *what,
                  fb_err *e) FB_CHECKED;

/* A growing buffer for writers; the first failure is kept and reported by fb_buf_status. With a
 * spool (fb_spool_open) what is full goes to the file, and memory stays small. */
typedef struct {
    unsigned char *data;
    int64_t size, cap;
    int little, failed;
    int spool, error; /* file descriptor, 0: none; errno of a failed write */
} fb_buf;

void fb_put_bytes(fb_buf *b, const void *p, size_t n);
void fb_put_i32(fb_buf *b, int64_t v);
void fb_put_f64(fb_buf *b, const double *v, int64_t n);
void fb_put_text(fb_buf *b, const char *fmt, ...) FB_PRINTF(2, 3);
/* Bytes of the UTF-8 character that a text goes on with; 0: none, or a control character. */
int fb_utf8(const char *text);
/* Columns that text in UTF-8 takes on a terminal, one a character. */
int fb_text_width(const char *utf8);
/* text word by word, where `at` columns of the line are written, in lines of at most FB_PAGE
 * columns that begin with `indent` blanks; a longer word has a line of its own. No end of line. */
enum { FB_PAGE = 100 };
void fb_put_wrapped(fb_buf *b, const char *text, int at, int indent);
/* RFC 4648, filled up with '='. */
void fb_put_base64(fb_buf *b, const void *p, size_t n);
void fb_buf_flush(fb_buf *b); /* writes what is left to the spool */
fb_status fb_buf_status(const fb_buf *b, fb_err *e) FB_CHECKED;
void fb_buf_free(fb_buf *b);
#endif
