/* SPDX-License-Identifier: GPL-3.0-or-later */
/* say.c - what the methods on full models say: names of dofs, and the time that a step took. */
#include "status.h"
#include "full.h"
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>

fb_watch fb_watch_start(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (fb_watch){(double)t.tv_sec + 1e-9 * (double)t.tv_nsec};
}

void fb_watch_note(const fb_watch *w, fb_log *log, const char *what)
{
    struct rusage u;
    getrusage(RUSAGE_SELF, &u);
    fb_note(log, "%s: %.3g s, memory at most %.3g GiB so far", what,
            fb_watch_start().start - w->start, (double)u.ru_maxrss / (1024. * 1024));
}

const char *fb_full_name(const fb_full *f, int64_t eq, char text[48])
{
    const fb_model *b = f->b;
    int64_t d = f->dof[eq];
    if (!b->dof_node)
        snprintf(text, 48, "row %lld", (long long)d + 1);
    else
        snprintf(text, 48, "%s",
                 fb_name_of(b->dof_node[d], b->dof_component ? b->dof_component[d] : 0).s);
    return text;
}

void fb_full_names(const fb_full *f, const int64_t *eq, int64_t n, char *text, size_t size)
{
    char one[48];
    text[0] = 0;
    for (int64_t k = 0; k < n && k < 12; k++) {
        size_t at = strlen(text);
        snprintf(text + at, size - at, " %s", fb_full_name(f, eq[k], one));
    }
    size_t at = strlen(text);
    if (n > 12)
        snprintf(text + at, size - at, " ... (%lld in all)", (long long)n);
}
