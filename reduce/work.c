/* SPDX-License-Identifier: GPL-3.0-or-later */
/* work.c - what the methods on full models do alike: one struct, one clean-up. */
#include "full.h"
#include "linalg/far.h"
#include <stdlib.h>

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

/* What of it all wants the matrices near; NULL: nothing. */
static const char *one_machine(const fb_method *m, const fb_model *b, const fb_reduceopt *o)
{
    return !m->far            ? m->doc
           : o->free_boundary ? "--free-boundary"
           : b->N.p           ? "a stiffness that is not symmetric"
                              : NULL;
}

fb_status fb_method_full(const fb_method *m, const fb_model *b, const fb_reduceopt *o,
                         fb_reduction *r, fb_log *log, fb_err *e)
{
    fb_work w = {.m = {.sturm = -1}};
    fb_status s = FB_OK;
    const char *alone = fb_is_far(b->K.p) ? one_machine(m, b, o) : NULL;
    if (alone)
        return fb_fail(e, FB_EUSAGE,
                       "%s is for one machine: reduce has it; several hold the matrices for cb "
                       "(with one kind of boundary), guyan, imr, irs, lsmr and mdm",
                       alone);
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
    FB_PASS(w->in_blocks ? fb_split_new_spare(&w->t, &w->f, &w->eq, w->n, e)
                         : fb_split_new_take(&w->t, &w->f, &w->eq, w->n, e));
    FB_PASS(fb_statics_new(&w->st, &w->f, &t->K.Aii, &t->M.Aii, t->i, t->nmult, NULL, e));
    FB_PASS(fb_split_constraint(t, &w->st, &w->G, e));
    return fb_attach_new(&w->a, &w->f, t, &w->st, e);
}

fb_status fb_work_modes(fb_work *w, int64_t k, fb_err *e)
{
    const fb_split *t = &w->t;
    FB_PASS(fb_full_modes(&w->f, &t->K.Aii, &t->M.Aii, t->i, t->nmult, k,
                          fb_statics_give_up(&w->st), "fixed-interface modes", &w->m, e));
    return fb_statics_rigid_modes(&w->st, &w->m, e);
}
