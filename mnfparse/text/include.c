/* SPDX-License-Identifier: GPL-3.0-or-later */
/* include.c - files that decks include: where they lie, and which are opened.
 *
 * Law  A deck may come from anywhere: what it includes stays below its own folder, links resolved,
 *      unless the user says otherwise. Files that include the next one ten times each are 10^depth
 *      reads, and who opens a pipe without a name's other end waits for ever. */
#include "include.h"
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

int fb_include_find(const char *file, const char *path, char full[PATH_MAX])
{
    char name[2 * PATH_MAX];
    const int folder = path[0] == '/' ? 0 : (int)(fb_base_name(file) - file);
    const int n = snprintf(name, sizeof name, "%.*s%s", folder, file, path);
    return n >= 0 && n < (int)sizeof name && realpath(name, full) != NULL;
}

static fb_status stays_below(const char *deck, const char *path, const char *full, fb_err *e)
{
    char root[PATH_MAX];
    if (!fb_include_find(deck, ".", root))
        return fb_fail(e, FB_ESYS, "%s: %s", deck, strerror(errno));
    const size_t n = strcmp(root, "/") ? strlen(root) : 0;
    if (strncmp(full, root, n) || full[n] != '/')
        return fb_fail(e, FB_EUSAGE,
                       "'%.400s' leads outside the folder of the deck, %.400s; --include-outside "
                       "allows it",
                       path, root);
    return FB_OK;
}

fb_status fb_include_open(const fb_includes *of, fb_parts *p, const char *path, const char *full,
                          fb_input *in, fb_err *e)
{
    struct stat st;
    if (!p->include_outside)
        FB_PASS(stays_below(of->name[0], path, full, e));
    for (int k = 1; k < of->n; k++)
        if (!strcmp(of->name[k], full))
            return fb_fail(e, FB_EFORMAT, "'%.400s' includes itself", path);
    if (of->n == FB_INCLUDE_DEPTH)
        return fb_fail(e, FB_EFORMAT, "included files go deeper than %d", FB_INCLUDE_DEPTH);
    if (stat(full, &st))
        return fb_fail(e, FB_ESYS, "%s: %s", full, strerror(errno));
    if (!S_ISREG(st.st_mode))
        return fb_fail(e, FB_EUSAGE, "%s is %s: only regular files are included", full,
                       S_ISDIR(st.st_mode)    ? "a directory"
                       : S_ISFIFO(st.st_mode) ? "a pipe"
                                              : "no file on a disk");
    if (p->nincluded++ == FB_INCLUDED)
        return fb_fail(
            e, FB_EFORMAT,
            "more than %d files are included in all, counting each time: include a file once",
            FB_INCLUDED);
    return fb_input_open(in, full, e);
}
