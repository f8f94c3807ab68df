/* SPDX-License-Identifier: GPL-3.0-or-later */
/* near.h - what suites ask of numbers and of files in memory (near.c). */
#ifndef TESTS_NEAR_H
#define TESTS_NEAR_H
#include "mnfparse/reader.h"

typedef struct { /* what a reader makes of a file */
    fb_parts p;
    fb_log log;
    fb_err e;
    fb_status s;
} result;

void result_free(result *r);
/* FB_EFORMAT, and the message has these words. */
void result_refused(const result *r, const char *words);

/* |got - want| <= tol max |want|, n numbers. */
void near_all(const double *got, const double *want, int64_t n, double tol, const char *what);
/* A reader takes n bytes, which end where their memory ends. */
fb_status read_exactly(const fb_reader *r, const char *name, const void *d, size_t n, fb_parts *p,
                       fb_log *log, fb_err *e);
/* A(i, j), 0 where there is no entry. */
double entry_at(const fb_csc *A, int64_t i, int64_t j);
/* abaqus/REFERENCE.txt of the real exports: what SciPy says of their matrices; NULL: not here. */
const char *shared_reference(void);
#endif
