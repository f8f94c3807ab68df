/* SPDX-License-Identifier: GPL-3.0-or-later */
/* modes.c - the modes of a full model or of its interior, and what there is to say about them. */
#include "memory.h"
#include "full.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

fb_status fb_full_wanted(const fb_full *f, int64_t nb, int64_t *k, fb_err *e)
{
    const fb_reduceopt *o = f->o;
    FB_PASS(fb_order_holds(o, nb, e));
    *k = o->order >= 0 ? o->order - nb : o->modes >= 0 ? o->modes : -1;
    return FB_OK;
}

static void say_modes(const fb_full *f, const char *what, int64_t asked, const fb_eig *r)
{
    const double time = fb_units_time(&f->b->units), t2 = time * time;
    for (int k = 0; k < r->ntext; k++)
        if (asked > 0 && r->n != asked && k == 0 && !f->o->reach)
            fb_warn(f->log, "%s: %s", what, r->text[k]);
        else
            fb_note(f->log, "%s: %s", what, r->text[k]);
    if (r->nnegative)
        fb_note(f->log, "%s: %lld negative root%s, the lowest %.3g rad^2/s^2", what,
                (long long)r->nnegative, r->nnegative > 1 ? "s" : "", r->lambda[0] / t2);
    double worst = 0;
    for (int64_t k = 0; k < r->n; k++)
        worst = fmax(worst, r->residual[k]);
    fb_note(f->log,
            "%s: %lld modes by %s, %lld rigid, largest residual %.2g, orthogonality %.2g; shift "
            "%.6g rad^2/s^2, %lld factorisations, %lld solves",
            what, (long long)r->n, r->engine, (long long)r->nrigid, worst, r->orthogonality,
            r->sigma / t2, (long long)r->factors, (long long)r->solves);
    fb_note(f->log, "%s: factor %.3g s, iteration %.3g s, count %.3g s", what, r->seconds.factor,
            r->seconds.engine, r->seconds.count);
}

/* " 4.4 7.4" and, as --fix reads it, "4:4,7:4" */
static void both_lists(const fb_full *f, const int64_t *eq, int64_t n, char *list, char *fix,
                       size_t size)
{
    char one[48];
    fb_full_names(f, eq, n, list, size);
    *fix = 0;
    for (int64_t k = 0; k < n; k++) {
        size_t at = strlen(fix);
        fb_full_name(f, eq[k], one);
        char *point = strrchr(one, '.');
        if (point)
            *point = ':';
        snprintf(fix + at, size - at, "%s%s", k ? "," : "", one);
    }
}

/* Elimination failed at an equation. Motions with neither stiffness nor mass (rotations about a
 * straight bar without rotary inertia, an hourglass of elements integrated too coarsely for both)
 * have no frequency: held at as many dofs that they move, they are gone and nothing else has
 * changed. All of them are named together. */
static fb_status stuck(const fb_full *f, const fb_csc *K, const fb_csc *M, const int64_t *eq,
                       const char *what, int64_t at, fb_err *e)
{
    char one[48], list[400], fix[400];
    int64_t *p = NULL;
    double kd = 0, md = 0;
    fb_mat Z = {0};
    const fb_err why = *e;
    fb_err later = {0};
    fb_status s = FB_OK;
    FB_TRY(fb_csc_norm(K, &kd, e));
    FB_TRY(fb_csc_norm(M, &md, e));
    s = fb_full_massless(f, K, M, md > 0 ? -kd / md : -1, &Z, &later);
    if (s || Z.n == 0)
        FB_TRY(fb_fail(e, why.status, "%s, at dof %s: %.800s", what,
                       fb_full_name(f, eq ? eq[at] : at, one), why.msg));
    FB_TRY(fb_new(&p, Z.n, 8, "dofs", e));
    FB_TRY(fb_full_pins(K, &Z, p, e));
    for (int64_t k = 0; k < Z.n; k++) { /* as the dofs stand, whatever the BLAS' last digits */
        int64_t j = k, at_dof = eq ? eq[p[k]] : p[k];
        for (; j > 0 && p[j - 1] > at_dof; j--)
            p[j] = p[j - 1];
        p[j] = at_dof;
    }
    both_lists(f, p, Z.n, list, fix, sizeof list);
    s = fb_fail(e, why.status,
                "%s: the model is singular: %lld motion%s neither stiffness nor mass, as at%s; "
                "--fix %s holds %s and changes nothing else",
                what, (long long)Z.n, Z.n > 1 ? "s have" : " has", list, fix,
                Z.n > 1 ? "them" : "it");
out:
    fb_mat_free(&Z);
    free(p);
    return s;
}

fb_status fb_full_modes(const fb_full *f, const fb_csc *K, const fb_csc *M, const int64_t *eq,
                        int64_t nmult, int64_t k, fb_factor **ready, const char *what, fb_eig *r,
                        fb_err *e)
{
    int64_t *node = NULL, *order = NULL, column = -1;
    double mass = 0;
    fb_eig_opts o = {.k = k > 0 ? k : 0,
                     .fmax = k < 0 ? f->o->fmax : 0,
                     .time = fb_units_time(&f->b->units),
                     .engine = f->o->eigensolver,
                     .no_sturm = f->o->no_sturm,
                     .multipliers = nmult,
                     .column = &column,
                     .ready = ready,
                     .factor = {.memory = f->o->memory, .log = f->log}};
    fb_watch w = fb_watch_start();
    fb_status s = FB_OK;
    *r = (fb_eig){.sturm = -1};
    if (k > 0 && K->n == 0 && !f->o->reach && !(f->o->accurate_to > 0))
        fb_warn(f->log, "%s: there are none: all free dofs belong to the boundary", what);
    if (k == 0 || K->n == 0)
        return FB_OK;
    FB_PASS(fb_csc_norm(M, &mass, e));
    if (!(mass > 0)) {
        fb_warn(f->log, "%s: no mass, so there are no modes", what);
        return FB_OK;
    }
    fb_step(f->log, "%s of %lld equations", what, (long long)K->n);
    FB_TRY(fb_full_nodes(f, eq, K->n, &node, e));
    FB_TRY(fb_full_order_of_rest(f, eq, K->n, &order, e));
    o.factor.node = node;
    o.factor.order = order;
    fb_memory_trim(); /* what the fronts of `ready` left */
    s = fb_eig_sparse(K, M, &o, r, e);
    fb_memory_trim(); /* the factor */
    if (s && column >= 0 && column < K->n)
        s = stuck(f, K, M, eq, what, column, e);
    else if (s)
        s = fb_context(e, "%s", what);
    if (s)
        goto out;
    if (!eq)
        FB_TRY(fb_rigid_full(f->b, f->dof, &r->X, r->lambda, &r->nnegative, &r->nrigid, what,
                             f->log, e));
    if (k < 0 && r->n == 0 && !f->o->reach && !(f->o->accurate_to > 0))
        fb_warn(f->log, "%s: none lies below --fmax %g Hz", what, f->o->fmax);
    say_modes(f, what, k, r);
    fb_watch_note(&w, f->log, what);
out:
    FB_FREE(node, order);
    return s;
}
