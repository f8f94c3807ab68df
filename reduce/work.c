/* SPDX-License-Identifier: GPL-3.0-or-later */
/* work.c - what the methods on full models do and say alike: one struct, one clean-up, names of
 * dofs, and the time that a step took. */
#include "dofname.h"
#include "full.h"
#include <stdio.h>
#include <stdlib.h>
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

/* ---- a method's work --------------------------------------------------------------------- */

static void work_free(fb_work *w)
{
    fb_reduction_free(&w->r);
    fb_eig_free(&w->m);
    fb_attach_free(&w->a);
    fb_mat_free(&w->G);
    fb_statics_free(&w->st);
    fb_split_free(&w->t);
    free(w->eq);
    fb_full_free(&w->f);
}

fb_status fb_method_full(const fb_method *m, const fb_model *b, const fb_reduceopt *o,
                         fb_reduction *r, fb_log *log, fb_err *e)
{
    fb_work w = {.m = {.sturm = -1}};
    fb_status s = FB_OK;
    if (m->check)
        FB_TRY(m->check(o, e));
    FB_TRY(fb_full_new(&w.f, b, o, log, e));
    FB_TRY(m->full(&w, e));
    *r = w.r;
    w.r = (fb_reduction){0};
out:
    work_free(&w);
    return s;
}

fb_status fb_work_static(fb_work *w, fb_err *e)
{
    const fb_split *t = &w->t;
    FB_PASS(fb_split_new_take(&w->t, &w->f, &w->eq, w->n, e));
    FB_PASS(fb_statics_new(&w->st, &w->f, &t->K.Aii, &t->M.Aii, t->i, t->nmult, NULL, e));
    FB_PASS(fb_split_constraint(t, &w->st, &w->G, e));
    return fb_attach_new(&w->a, &w->f, t, &w->st, e);
}

fb_status fb_work_modes(fb_work *w, int64_t k, fb_err *e)
{
    const fb_split *t = &w->t;
    return fb_full_modes(&w->f, &t->K.Aii, &t->M.Aii, t->i, t->nmult, k, fb_statics_give_up(&w->st),
                         "fixed-interface modes", &w->m, e);
}
