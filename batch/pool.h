/* SPDX-License-Identifier: GPL-3.0-or-later */
/* pool.h - many bodies through the same programs, some at a time (pool.c). */
#ifndef FB_POOL_H
#define FB_POOL_H
#include "command.h"
#include "status.h"
#include <stdint.h>

typedef int fb_program(int argc, char **argv);

typedef struct {
    const fb_command *command;
    fb_program *program[FB_STAGES]; /* of each stage */
    const char **body;              /* [n] */
    int64_t n;
    int jobs; /* bodies at a time */
} fb_batch;

/* Runs the programs in processes of their own; what they say goes to the log line by line, behind
 * the body's name, in the order of the bodies. A body that fails does not stop the others: in the
 * end the status is that of the first one. Signals that end the program end its processes. */
fb_status fb_batch_run(const fb_batch *b, fb_log *log, fb_err *e) FB_CHECKED;

enum { FB_OUTPUTS = 8 };

/* What the options of one program ask for. */
typedef struct {
    int told;                      /* 0: nothing, help or a version was asked for */
    char output[FB_OUTPUTS][2000]; /* files that it writes: of -o, then of others; empty: none */
} fb_asked;

/* Lets a program read its options, in a process of its own, and no more. Its messages go to
 * standard error, the status is its own. */
fb_status fb_batch_ask(fb_program *program, const fb_words_of *w, fb_asked *a,
                       fb_err *e) FB_CHECKED;
#endif
