/* SPDX-License-Identifier: GPL-3.0-or-later */
/* include.c - INCLUDE in decks.
 *
 * Forms    INCLUDE 'path', "path" or path; a quoted path may run on over lines, whose ends are
 *          stripped.
 * Folders  A bare name is looked for beside the file that includes it, then beside the deck; a
 *          path with folders the other way round.
 * Law      Files that are not there are warned of: they mostly hold elements and loads, and a grid
 *          that is missed is named later. */
#include "nastran.h"
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
        if (n + (size_t)(q - p) >= PATH_MAX)
            return fb_fail(e, FB_EFORMAT,
                           "line %lld: the path of INCLUDE is longer than %d characters",
                           (long long)l->line, PATH_MAX - 1);
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

fb_status nas_include(nas_deck *d, nas_text *t, const nas_line *l, char resolved[PATH_MAX],
                      fb_input *in, int *found, fb_err *e)
{
    char path[PATH_MAX] = "";
    FB_PASS(get_path(t, l, path, e));
    const char *this = d->open.name[d->open.n - 1], *deck = d->open.name[0];
    const int bare = strchr(path, '/') == NULL;
    if (!strcmp(deck, "standard input"))
        return fb_fail(
            e, FB_EUSAGE,
            "line %lld: INCLUDE '%s' in a deck from standard input, which has no folder; "
            "name the file",
            (long long)l->line, path);
    if (path[0] == '/' && !d->parts->include_outside)
        return fb_fail(e, FB_EUSAGE,
                       "line %lld: INCLUDE '%s' leads outside the folder of the deck; "
                       "--include-outside allows it",
                       (long long)l->line, path);
    *found = fb_include_find(bare ? this : deck, path, resolved) ||
             fb_include_find(bare ? deck : this, path, resolved);
    if (*found)
        return fb_include_open(&d->open, d->parts, path, resolved, in, e)
                   ? fb_context(e, "line %lld", (long long)l->line)
                   : FB_OK;
    fb_warn(d->log, "%s: line %lld: INCLUDE '%s': there is no such file; what it holds is missing",
            this, (long long)l->line, path);
    return FB_OK;
}
