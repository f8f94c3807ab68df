/* SPDX-License-Identifier: GPL-3.0-or-later */
/* assemble.c - joins the parts that the readers found into one model. */
#include "parts.h"

fb_status fb_parts_assemble(fb_parts *p, fb_model *b, fb_log *log, fb_err *e)
{
    (void)log;
    if (!p->body.nn)
        return fb_fail(e, FB_EFORMAT, "the input holds no nodes");
    fb_status s = fb_model_check(&p->body, e);
    if (s)
        return s;
    *b = p->body;
    p->body = (fb_model){0};
    return FB_OK;
}
