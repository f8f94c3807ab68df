/* SPDX-License-Identifier: GPL-3.0-or-later */
/* readers.c - the table of input formats, from the rows in reader.h. */
#include "reader.h"
#include <string.h>

const fb_reader *const fb_readers[] = {
#define X(name) &fb_reader_##name,
    FB_READERS(X)
#undef X
    NULL};

fb_status fb_reader_find(const fb_input *in, const char *name, const fb_reader **out, fb_err *e)
{
    char list[512] = "";
    for (const fb_reader *const *r = fb_readers; *r; r++) {
        if (name ? !strcmp((*r)->name, name) : (*r)->sniff(in)) {
            *out = *r;
            return FB_OK;
        }
        size_t at = strlen(list);
        snprintf(list + at, sizeof list - at, "%s%s", at ? ", " : "", (*r)->name);
    }
    if (name)
        return fb_fail(e, FB_EUSAGE, "unknown --format '%s'; known are %s", name, list);
    return fb_fail(e, FB_EFORMAT, "format not recognised from its first bytes; known are %s "
                   "(--format forces one)", list);
}
