/* SPDX-License-Identifier: GPL-3.0-or-later */
/* basis.c - reduction by a basis of the user's own: shapes that mnfparse --basis put beside the
 * matrices.
 *
 * Equations on a full model, B the shapes over its free dofs
 *   (BA.1) T = the columns of B that are independent in the norm of M of those before them (span.c)
 *   (BA.2) Kr = T'KT, Mr = T'MT, Dr = T'DT
 * A column of which less than 1e-6 is left beside those before it is dropped: Mr would hold no
 * three digits of it.
 * Laws     tests/prop/test_bases.c
 */
#include "memory.h"
#include "full.h"
#include "modal.h"
#include <math.h>
#include <stdio.h>
#include <string.h>

static const double independent = 1e-6;

static fb_status check(const fb_reduceopt *o, fb_err *e)
{
    const char *not = o->modes >= 0  ? "--modes"
                      : o->fmax > 0  ? "--fmax"
                      : o->loads     ? "--loads"
                      : o->interface ? "--interface"
                                     : NULL;
    return not ? fb_fail(
                     e, FB_EUSAGE,
                     "a basis of one's own is taken as it is, %s has nothing to choose: --order N "
                     "takes its first N shapes",
                     not)
               : FB_OK;
}

static fb_status modal(const fb_model *b, const fb_reduceopt *o, fb_reduction *r, fb_log *log,
                       fb_err *e)
{
    (void)b;
    (void)o;
    (void)r;
    (void)log;
    return fb_fail(e, FB_EUSAGE,
                   "a basis is for bodies with stiffness and mass matrices; this one is held by "
                   "modes, which are its basis: --mdm N keeps the lowest");
}

/* X = the shapes over the equations; where they move what is held, that is said. */
static fb_status shapes(const fb_full *f, fb_mat *X, fb_err *e)
{
    const fb_model *b = f->b;
    int64_t n = 0;
    char list[200] = "";
    FB_PASS(fb_mat_new(X, f->n, b->nbasis, e));
    for (int64_t d = 0; d < b->ndof; d++) {
        double top = 0;
        for (int64_t c = 0; c < b->nbasis; c++) {
            const double x = b->basis[d + c * b->ndof];
            top = fmax(top, fabs(x));
            if (f->at[d] >= 0)
                X->x[f->at[d] + c * f->n] = x;
        }
        if (f->at[d] < 0 && top > 0)
            fb_name_list(list, sizeof list, ++n, b->dof_node[d], b->dof_component[d]);
    }
    if (n)
        fb_warn(f->log, "the basis moves %lld dofs that stay at zero, which they do:%s",
                (long long)n, list);
    return FB_OK;
}

/* (BA.1): the columns kept move to the front; the others are named. */
static fb_status keep(const fb_full *f, int64_t want, fb_mat *X, fb_err *e)
{
    fb_span V = {0};
    char list[300] = "", still[300] = "";
    int64_t kept = 0, dropped = 0, massless = 0, c = 0;
    fb_status s = FB_OK;
    FB_TRY(fb_span_new(&V, f->n, &f->M, X->n < f->n ? X->n : f->n, e));
    for (; c < X->n && kept < want; c++) {
        double *x = X->x + c * X->m;
        const int moves = fb_mass_norm(&f->M, x, X->m, V.Mx) > 0;
        if (moves && fb_span_add(&V, x, independent, 0)) {
            memmove(X->x + kept++ * X->m, x, sizeof *x * (size_t)X->m);
            continue;
        }
        char *to = moves ? list : still;
        const size_t at = strlen(to);
        dropped += moves;
        massless += !moves;
        snprintf(to + at, sizeof list - at, " %lld", (long long)c + 1);
    }
    if (dropped)
        fb_warn(f->log, "%lld of the %lld shapes depend%s on those before; dropped:%s",
                (long long)dropped, (long long)c, dropped > 1 ? "" : "s", list);
    if (massless)
        fb_warn(f->log, "%lld of the %lld shapes move%s no mass; dropped:%s", (long long)massless,
                (long long)c, massless > 1 ? "" : "s", still);
    X->n = kept;
out:
    fb_span_free(&V);
    return s;
}

static fb_status full(fb_work *w, fb_err *e)
{
    const fb_full *f = &w->f;
    const int64_t order = f->o->order;
    fb_mat K = {0}, M = {0};
    fb_status s = FB_OK;
    if (!f->b->basis)
        return fb_fail(
            e, FB_EUSAGE,
            "the model has no basis beside it: mnfparse ... --basis FILE puts one there");
    if (order > f->b->nbasis)
        return fb_fail(e, FB_EUSAGE, "order %lld, but the basis has %lld shapes", (long long)order,
                       (long long)f->b->nbasis);
    FB_TRY(shapes(f, &w->G, e));
    FB_TRY(keep(f, order > 0 ? order : f->b->nbasis, &w->G, e));
    FB_TRY(fb_csc_congruence(&f->K, &w->G, &K, e)); /* (BA.2) */
    FB_TRY(fb_csc_congruence(&f->M, &w->G, &M, e));
    FB_TRY(fb_full_append(&w->G, NULL, 0, NULL, f->b->ndof, e));
    w->r.K = K.x;
    w->r.M = M.x;
    w->r.nn = w->G.n;
    K = M = (fb_mat){0};
    s = fb_work_close(w, NULL, NULL, 0, FB_KIND_NORMAL, e);
out:
    FB_FREE_BY(fb_mat_free, &K, &M);
    return s;
}

const fb_method fb_method_basis = {.name = "basis",
                                   .doc = "basis of one's own",
                                   .check = check,
                                   .modal = modal,
                                   .full = full,
                                   .any_order = 1};
