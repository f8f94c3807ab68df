/* SPDX-License-Identifier: GPL-3.0-or-later */
/* err.c - the error record: one status, one message grown outwards; names of dofs. */
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
        else if (*p == 0xc2 && p[1] >= 0x80 && p[1] < 0xa0) /* U+009B is ESC [ */
            p[0] = p[1] = ' ';
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

fb_dofname fb_name_of(int64_t node, int64_t component)
{
    fb_dofname n;
    if (component)
        snprintf(n.s, sizeof n.s, "%lld.%lld", (long long)node, (long long)component);
    else
        snprintf(n.s, sizeof n.s, "%lld", (long long)node);
    return n;
}

void fb_name_list(char *list, size_t size, int64_t count, int64_t node, int64_t component)
{
    size_t at = strlen(list);
    if (count < 8)
        snprintf(list + at, size - at, " %s", fb_name_of(node, component).s);
    else if (count == 8)
        snprintf(list + at, size - at, " ...");
}
