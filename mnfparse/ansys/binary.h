/* SPDX-License-Identifier: GPL-3.0-or-later */
/* binary.h - what the readers of Ansys' binary files share: headers, records, pointers (binary.c).
 */
#ifndef ANSYS_BINARY_H
#define ANSYS_BINARY_H
#include "bytes.h"
#include "parts.h"
#include "status.h"
#include <stdint.h>

enum { ANS_FULL = 4, ANS_SUB = 8, ANS_MODE = 9, ANS_RST = 12 }; /* the kind of a file */
enum { ANS_HEADER = 200 }; /* items of a header that are kept */

/* 2^100: no value, a dof without any element behind it. */
#define ANS_NO_VALUE 1.2676506002282294e30

typedef struct {
    const unsigned char *data;
    int64_t words; /* of the file, of four bytes each */
    int kind;
    int32_t h[ANS_HEADER]; /* header of the file, from 1; 0 where it is shorter */
    int64_t nh;            /* its length */
    int64_t behind;        /* word behind it */
    char version[5], title[81], date[24];
    int units; /* 0 user, 1 SI, 2 CGS, 3 BFT, 4 BIN, 5 MKS, 6 MPA, 7 uMKS; -1: not given */
} ans_file;

typedef struct {
    int64_t at, next;          /* words where it begins, and where the one behind it does */
    int64_t words;             /* of its body */
    const unsigned char *body; /* borrowed */
    unsigned flags;            /* top byte of the second word */
} ans_record;

/* 1: the bytes are an Ansys binary file of this kind, in either byte order. */
int ans_sniff(const fb_input *in, int kind);
/* What an Ansys binary file is, by the kind in its header; NULL: none of them. */
const char *ans_foreign(const fb_input *in);
/* Both headers. Big-endian files are refused. */
fb_status ans_open(ans_file *f, const fb_input *in, fb_err *e) FB_CHECKED;
/* Units, title and version to the body of the parts. */
fb_status ans_tell(const ans_file *f, fb_parts *p, fb_err *e) FB_CHECKED;
/* Items lo and hi (from 1) of a header of n items as one pointer; hi 0: low word alone. */
int64_t ans_pointer(const int32_t *h, int64_t lo, int64_t hi);
/* The record at this word: length at both ends, within the file; `what` for messages. */
fb_status ans_record_at(const ans_file *f, int64_t at, const char *what, ans_record *r,
                        fb_err *e) FB_CHECKED;
/* Its items, n of them: unpacked. A record of another length is an error, but for one short item of
 * padding. */
fb_status ans_reals(const ans_record *r, const char *what, double *x, int64_t n,
                    fb_err *e) FB_CHECKED;
fb_status ans_ints(const ans_record *r, const char *what, int64_t *v, int64_t n,
                   fb_err *e) FB_CHECKED;
/* Items that it holds when unpacked. */
fb_status ans_count(const ans_record *r, const char *what, int64_t *n, fb_err *e) FB_CHECKED;
int ans_is_int(const ans_record *r);
/* The record at *at, n integers of it in new memory, and *at behind it. */
fb_status ans_take_ints(const ans_file *f, int64_t *at, const char *what, int64_t n, int64_t **v,
                        fb_err *e) FB_CHECKED;
fb_status ans_take_reals(const ans_file *f, int64_t *at, const char *what, int64_t n, double **x,
                         fb_err *e) FB_CHECKED;
/* A count of things that each have at least one half word somewhere in the file. */
fb_status ans_limit(const ans_file *f, int64_t n, const char *what, fb_err *e) FB_CHECKED;
/* 1..6 for UX .. ROTZ; warping, pressure, temperature as in .mapping files; others above 30. */
int64_t ans_component(int64_t dof);
#endif
