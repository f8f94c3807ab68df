/* SPDX-License-Identifier: GPL-3.0-or-later */
/* log.c - what a tool says besides its data: warnings and notes. */
#include "status.h"
#include "memory.h"
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

FB_PRINTF(3, 0)
static void say(fb_log *log, int is_warning, const char *fmt, va_list ap)
{
    char line[1024];
    vsnprintf(line, sizeof line, fmt, ap);
    fb_plain_text(line);
    if (log->sink)
        log->sink(log->self, is_warning, line);
    if (!is_warning)
        return;
    /* A warning that finds no memory was printed all the same; only /history misses it. */
    char **w = fb_realloc(log->warning, (size_t)log->nwarning + 1, sizeof *w);
    if (!w)
        return;
    log->warning = w;
    size_t n = strlen(line) + 1;
    char *copy = fb_alloc(n, 1);
    if (!copy)
        return;
    memcpy(copy, line, n);
    log->warning[log->nwarning++] = copy;
}

void fb_warn(fb_log *log, const char *fmt, ...)
{
    va_list ap;
    va_start(ap, fmt);
    say(log, 1, fmt, ap);
    va_end(ap);
}

void fb_note(fb_log *log, const char *fmt, ...)
{
    va_list ap;
    if (!log->verbose)
        return;
    va_start(ap, fmt);
    say(log, 0, fmt, ap);
    va_end(ap);
}

void fb_step(fb_log *log, const char *fmt, ...)
{
    char line[512];
    va_list ap;
    if (!log)
        return;
    if (log->progress)
        log->progress(log->self, NULL, 0, 0, NULL);
    va_start(ap, fmt);
    vsnprintf(line, sizeof line, fmt, ap);
    va_end(ap);
    fb_note(log, "step: %s", line);
}

void fb_progress(fb_log *log, const char *what, double done, double total, const char *unit)
{
    if (log && log->progress)
        log->progress(log->self, what, done, total, unit);
}

void fb_log_free(fb_log *log)
{
    for (int64_t k = 0; k < log->nwarning; k++)
        free(log->warning[k]);
    FB_FREE(log->warning);
    log->nwarning = 0;
}
