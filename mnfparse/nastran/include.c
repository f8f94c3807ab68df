/* SPDX-License-Identifier: GPL-3.0-or-later */
/* include.c - INCLUDE in decks.
 *
 * Forms    INCLUDE 'path', "path" or path; a quoted path may run on over lines, whose ends are
 *          stripped.
 * Folders  A bare name is looked for beside the file that includes it, then beside the deck; a
 *          path with folders the other way round.
 * Law      A deck may come from anywhere: what it includes stays below its own folder, links
 *          resolved, unless the user says otherwise. Files that are not there are warned of: they
 *          mostly hold elements and loads, and a grid that is missed is named later. */
#include "nastran.h"
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The path in the text behind the word INCLUDE. */
static fb_status get_path(nas_text *t, const nas_line *l, char *path, fb_err *e)
{
    const char *end = l->raw.end, *p = fb_skip_blanks(l->raw.p, end) + strlen("INCLUDE");
    size_t n = 0;
    while (p < end && (*p == ' ' || *p == '\t' || *p == '='))
        p++;
    char quote = 0;
    if (p < end && (*p == '\'' || *p == '"'))
        quote = *p++;
    for (;;) {
        const char *stop =
            quote ? memchr(p, quote, (size_t)(end - p)) : memchr(p, '$', (size_t)(end - p));
        const char *q = fb_trim_end(p, stop ? stop : end);
        if (n + (size_t)(q - p) >= NAS_PATH)
            return fb_fail(e, FB_EFORMAT,
                           "line %lld: the path of INCLUDE is longer than %d characters",
                           (long long)l->line, NAS_PATH - 1);
        memcpy(path + n, p, (size_t)(q - p));
        n += (size_t)(q - p);
        if (!quote || stop)
            break;
        fb_span next;
        if (!fb_take_line(&t->t, &next))
            return fb_fail(e, FB_EFORMAT, "line %lld: the path of INCLUDE has no closing quote",
                           (long long)l->line);
        t->line++;
        p = fb_skip_blanks(next.p, next.end);
        end = next.end;
    }
    path[n] = 0;
    for (char *c = path; *c; c++)
        *c = *c == '\\' ? '/' : *c;
    if (n == 0 || memchr(path, 0, n))
        return fb_fail(e, FB_EFORMAT, "line %lld: INCLUDE without a path", (long long)l->line);
    return FB_OK;
}

/* Folder of file, with the slash; "./" where the name has none. */
static void folder_of(const char *file, char *out)
{
    const char *slash = strrchr(file, '/');
    size_t n = slash ? (size_t)(slash - file) + 1 : 0;
    if (n >= NAS_PATH)
        n = 0;
    memcpy(out, file, n);
    memcpy(out + n, "./", n ? 0 : 2);
    out[n ? n : 2] = 0;
}

static int below(const char *path, const char *root)
{
    size_t n = strlen(root);
    return !strncmp(path, root, n) && (path[n] == '/' || (n && root[n - 1] == '/'));
}

/* The resolved name of folder + path; 0 where there is no such file. */
static int try(const char *folder, const char *path, char *resolved)
{
    char full[2 * NAS_PATH];
    snprintf(full, sizeof full, "%s%s", path[0] == '/' ? "" : folder, path);
    return realpath(full, resolved) != NULL;
}

static fb_status locate(nas_deck *d, const nas_line *l, const char *path, char *resolved,
                        int *found, fb_err *e)
{
    char beside_this[NAS_PATH], beside_deck[NAS_PATH], folder[NAS_PATH];
    folder_of(d->file[d->depth - 1], beside_this);
    folder_of(d->file[0], beside_deck);
    if (!d->root[0]) {
        if (!strcmp(d->file[0], "standard input"))
            return fb_fail(e, FB_EUSAGE,
                           "line %lld: INCLUDE '%s' in a deck from standard input, which has no "
                           "folder; name the file",
                           (long long)l->line, path);
        if (!realpath(beside_deck, folder))
            return fb_fail(e, FB_ESYS, "%s: %s", beside_deck, strerror(errno));
        memcpy(d->root, folder, sizeof d->root);
    }
    int bare = strchr(path, '/') == NULL;
    *found = try(bare ? beside_this : beside_deck, path, resolved) ||
             try(bare ? beside_deck : beside_this, path, resolved);
    if (!d->parts->include_outside && (path[0] == '/' || (*found && !below(resolved, d->root))))
        return fb_fail(e, FB_EUSAGE,
                       "line %lld: INCLUDE '%s' leads outside the folder of the deck, %s; "
                       "--include-outside allows it",
                       (long long)l->line, path, d->root);
    return FB_OK;
}

fb_status nas_include(nas_deck *d, nas_text *t, const nas_line *l, char resolved[NAS_PATH],
                      fb_input *in, int *found, fb_err *e)
{
    char path[NAS_PATH] = "";
    FB_PASS(get_path(t, l, path, e));
    FB_PASS(locate(d, l, path, resolved, found, e));
    if (!*found) {
        fb_warn(d->log,
                "%s: line %lld: INCLUDE '%s': there is no such file; what it holds is missing",
                d->file[d->depth - 1], (long long)l->line, path);
        return FB_OK;
    }
    for (int k = 1; k < d->depth; k++)
        if (!strcmp(d->file[k], resolved))
            return fb_fail(e, FB_EFORMAT, "line %lld: %s includes itself", (long long)l->line,
                           resolved);
    if (d->depth == NAS_DEPTH)
        return fb_fail(e, FB_EFORMAT, "line %lld: INCLUDE goes deeper than %d files",
                       (long long)l->line, NAS_DEPTH);
    return fb_within(fb_parts_include(d->parts, resolved, in, e), e, "line %lld",
                     (long long)l->line);
}
