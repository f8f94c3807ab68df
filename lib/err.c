/* SPDX-License-Identifier: GPL-3.0-or-later */
/* err.c - the error record and the log: one status, one message grown outwards. */
#include "memory.h"
#include "status.h"
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void fb_plain_text(char *text)
{
    for (unsigned char *p = (unsigned char *)text; *p; p++)
        if (*p < ' ' || *p == 127)
            *p = ' ';
}

#undef fb_fail /* a macro where an analyzer reads this */
fb_status fb_fail(fb_err *e, fb_status s, const char *fmt, ...)
{
    va_list ap;
    va_start(ap, fmt);
    e->status = s;
    vsnprintf(e->msg, sizeof e->msg, fmt, ap);
    va_end(ap);
    fb_plain_text(e->msg);
    return s;
}

FB_PRINTF(2, 0)
static void context(fb_err *e, const char *fmt, va_list ap)
{
    char old[sizeof e->msg];
    memcpy(old, e->msg, sizeof old);
    int n = vsnprintf(e->msg, sizeof e->msg / 2, fmt, ap);
    size_t at = n < 0 ? 0 : (size_t)n;
    if (at >= sizeof e->msg / 2)
        at = sizeof e->msg / 2 - 1;
    snprintf(e->msg + at, sizeof e->msg - at, ": %.*s", (int)(sizeof e->msg - at - 3), old);
    fb_plain_text(e->msg);
}

fb_status fb_context(fb_err *e, const char *fmt, ...)
{
    va_list ap;
    va_start(ap, fmt);
    context(e, fmt, ap);
    va_end(ap);
    return e->status;
}

fb_status fb_within(fb_status s, fb_err *e, const char *fmt, ...)
{
    va_list ap;
    va_start(ap, fmt);
    if (s == FB_EFORMAT)
        context(e, fmt, ap);
    va_end(ap);
    return s;
}

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

void fb_log_free(fb_log *log)
{
    for (int64_t k = 0; k < log->nwarning; k++)
        free(log->warning[k]);
    free(log->warning);
    log->warning = NULL;
    log->nwarning = 0;
}
