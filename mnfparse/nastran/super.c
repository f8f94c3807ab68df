/* SPDX-License-Identifier: GPL-3.0-or-later */
/* super.c - a deck in parts, BEGIN SUPER n each: superelements, with points and matrices of their
 * own. One of them is a body: where several hold matrices or rows of such, the user names one. What
 * stands before the first, or behind BEGIN BULK, is part 0. */
#include "memory.h"
#include "nastran.h"
#include <ctype.h>
#include <stdlib.h>

/* Behind the word, where the text at p begins with it in any case; else NULL, and of NULL. */
static const char *behind(const char *p, const char *end, const char *word)
{
    if (!p)
        return NULL;
    for (p = fb_skip_blanks(p, end); *word; word++, p++)
        if (p == end || toupper((unsigned char)*p) != *word)
            return NULL;
    return p;
}

static int known(const nas_deck *d, const char *name)
{
    for (int64_t k = 0; k < d->nsuper; k++)
        if (!strcmp(d->super[k], name))
            return 1;
    return 0;
}

static fb_status enter(nas_deck *d, fb_err *e)
{
    if (known(d, d->part))
        return FB_OK;
    FB_PASS(fb_grow(&d->super, &d->cap_super, d->nsuper + 1, sizeof *d->super, e));
    memcpy(d->super[d->nsuper++], d->part, sizeof d->part);
    return FB_OK;
}

/* BEGIN BULK, BEGIN SUPER n, BEGIN SUPER = n, BEGIN BULK SUPER = n. */
fb_status nas_super_begin(nas_deck *d, const nas_line *l, fb_err *e)
{
    const char *end = l->raw.end, *p = behind(l->raw.p, end, "BEGIN"), *q = behind(p, end, "BULK");
    size_t n = 0;
    p = behind(q ? q : p, end, "SUPER");
    strcpy(d->part, "0");
    if (!p)
        return FB_OK;
    p = fb_skip_blanks(p, end);
    if (p < end && *p == '=')
        p = fb_skip_blanks(p + 1, end);
    for (; p < end && isalnum((unsigned char)*p) && n + 1 < sizeof d->part; p++)
        d->part[n++] = *p;
    d->part[n] = 0;
    return enter(d, e);
}

int nas_super_skips(nas_deck *d, const nas_line *l)
{
    if (d->chosen)
        return strcmp(d->chosen, d->part) != 0;
    if (!strcmp(l->name, "DMIG") || !strcmp(l->name, "EXTRN") || !strcmp(l->name, "DMI")) {
        if (!d->owner[0])
            memcpy(d->owner, d->part, sizeof d->owner);
        d->several |= strcmp(d->owner, d->part) != 0;
    }
    return d->several;
}

fb_status nas_super_end(nas_deck *d, const char *origin, fb_err *e)
{
    fb_buf list = {0};
    const int missing = d->chosen && strcmp(d->chosen, "0") && !known(d, d->chosen);
    if (!d->several && !missing)
        return FB_OK;
    if (d->several && !strcmp(d->owner, "0"))
        fb_put_text(&list, "0 (what is before the first), ");
    for (int64_t k = 0; k < d->nsuper; k++)
        fb_put_text(&list, "%s%s", k ? ", " : "", d->super[k]);
    fb_put_bytes(&list, "", 1);
    fb_status s = fb_buf_status(&list, e);
    if (!s && missing)
        s = fb_fail(e, FB_EUSAGE, "no superelement %s: there %s %s", d->chosen,
                    d->nsuper ? "are" : "is", d->nsuper ? (const char *)list.data : "none");
    else if (!s)
        s = fb_fail(e, FB_EUSAGE, "several superelements with matrices: %s; name one as %s:NUMBER",
                    (const char *)list.data, origin);
    fb_buf_free(&list);
    return s;
}
