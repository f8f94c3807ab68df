/* SPDX-License-Identifier: GPL-3.0-or-later */
/* own.c - options that the rows of a tool's table bring. */
#include "cli.h"
#include <assert.h>
#include <string.h>

static int has(const fb_own *own, const char *name)
{
    for (; own && own->name; own++)
        if (!strcmp(own->name, name))
            return 1;
    return 0;
}

int fb_own_add(const fb_own *own, void *asked, fb_opt *opts, int n, int most)
{
    for (; own && own->name; own++) {
        int k = 0;
        while (k < n && strcmp(opts[k].name, own->name) != 0)
            k++;
        if (k < n)
            continue;
        assert(n + 1 < most); /* the tool's table is too short */
        opts[n++] = (fb_opt){.name = own->name,
                             .kind = own->kind,
                             .dest = (char *)asked + own->at,
                             .arg = own->arg,
                             .help = own->help};
    }
    return n;
}

const char *fb_own_stray(const fb_own *own, const fb_own *chosen, const void *asked)
{
    for (; own && own->name; own++) {
        const void *at = (const char *)asked + own->at;
        const int given =
            own->kind == FB_FLAG ? *(const int *)at != 0 : *(const char *const *)at != NULL;
        if (given && !has(chosen, own->name))
            return own->name;
    }
    return NULL;
}
