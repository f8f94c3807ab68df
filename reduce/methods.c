/* SPDX-License-Identifier: GPL-3.0-or-later */
/* methods.c - the table of reduction methods, from the rows in method.h. */
#include "method.h"
#include <string.h>

const fb_method *const fb_methods[] = {
#define X(name) &fb_method_##name,
    FB_METHODS(X)
#undef X
        NULL};

const fb_method *fb_method_find(const char *name)
{
    for (const fb_method *const *m = fb_methods; *m; m++)
        if (!strcmp((*m)->name, name))
            return *m;
    return NULL;
}

fb_status fb_method_modal(const fb_method *m, const fb_model *b, const fb_reduceopt *o,
                          fb_reduction *r, fb_log *log, fb_err *e)
{
    fb_status s = m->check ? m->check(o, e) : FB_OK;
    return s ? s : m->modal(b, o, r, log, e);
}
