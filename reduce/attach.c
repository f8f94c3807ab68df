/* SPDX-License-Identifier: GPL-3.0-or-later */
/* attach.c - attachment vectors: the static answers to unit loads that the modes kept do not give.
 *
 * Symbols  e_l unit load at a dof l of the interior; Phi, w2 the modes kept, rigid ones apart
 * Equations
 *   (AT.1) K a_l = e_l (statics.c)                     boundary held; a free body: inertia relief
 *   (AT.2) x_l = a_l - Phi diag(1/w2) Phi' e_l         orthogonal to Phi in K and M
 *   (AT.3) X := X R, X'MX = I                          Gram-Schmidt; what round-off leaves of x_l
 *          is dropped
 *   (AT.4) X'KX Y = Y diag(w2), X := X Y               pseudo-modes with frequencies of their own
 * Source   Rubin, AIAA J. 13 (1975) 995-1006; Craig & Chang, AIAA J. 15 (1977) 1569 (residual
 *          attachment modes)
 */
#include "status.h"
#include "dofset.h"
#include "memory.h"
#include "full.h"
#include "linalg/far.h"
#include "span.h"
#include <string.h>

/* Less than this of a_l is left behind the modes and the vectors before it: round-off of (AT.2). */
static const double dependent = 1e-7;

void fb_attach_free(fb_attach *a)
{
    FB_FREE(a->dof, a->row, a->w2);
    fb_mat_free(&a->X);
    *a = (fb_attach){0};
}

/* (AT.1); t NULL: the whole model is interior. */
fb_status fb_attach_new(fb_attach *out, const fb_full *f, const fb_split *t, fb_statics *st,
                        fb_err *e)
{
    fb_attach a = {0};
    int64_t m = t ? t->ni : f->n;
    char one[48];
    fb_status s = FB_OK;
    if (!f->o->loads)
        return FB_OK;
    FB_TRY(fb_dofset(f->b, "--loads", f->o->loads, &a.dof, &a.n, f->log, e));
    FB_TRY(fb_new(&a.row, a.n, 8, "loads", e));
    FB_TRY(fb_mat_new(&a.X, m, a.n, e));
    for (int64_t k = 0; k < a.n; k++) {
        int64_t eq = f->at[a.dof[k]], r = 0;
        if (eq < 0)
            FB_TRY(fb_fail(e, FB_EUSAGE,
                           "--loads: a load at dof %s, which is held, moves nothing: leave it out",
                           fb_name_of(f->b->dof_node[a.dof[k]], f->b->dof_component[a.dof[k]]).s));
        while (t && r < t->ni && t->i[r] != eq)
            r++;
        a.row[k] = !t ? eq : r < t->ni ? r : -1;
        if (a.row[k] < 0)
            fb_note(
                f->log,
                "--loads: %s is a boundary dof, its constraint mode is the answer to a load there",
                fb_full_name(f, eq, one));
        else
            a.X.x[a.row[k] + k * m] = 1;
    }
    FB_TRY(fb_statics_solve(st, &a.X, e));
    *out = a;
    a = (fb_attach){0};
out:
    fb_attach_free(&a);
    return s;
}

/* (AT.2) for vector k, of modes whose rows other processes hold */
static fb_status residual_far(fb_attach *a, int64_t k, const fb_mat *Phi, const double *w2,
                              fb_err *e)
{
    fb_mat C = {0};
    FB_PASS(fb_mat_new(&C, Phi->n, 1, e));
    fb_far->row(Phi, a->row[k], C.x);
    for (int64_t c = 0; c < Phi->n; c++)
        C.x[c] = w2[c] < 0 || w2[c] > 0 ? C.x[c] / w2[c] : 0;
    fb_status s = fb_gemm(0, 0, -1, Phi, &C, 1, &(fb_mat){a->X.m, 1, a->X.x + k * a->X.m}, e);
    fb_mat_free(&C);
    return s;
}

/* (AT.2) for vector k */
static fb_status residual(fb_attach *a, int64_t k, const fb_mat *Phi, const double *w2, fb_err *e)
{
    if (fb_is_far(Phi->x))
        return residual_far(a, k, Phi, w2, e);
    for (int64_t c = 0; c < Phi->n; c++)
        if (w2[c] < 0 || w2[c] > 0) /* rigid motion does not answer a load statically */
            fb_axpy(-(Phi->x[a->row[k] + c * Phi->m] / w2[c]), Phi->x + c * Phi->m,
                    a->X.x + k * a->X.m, a->X.m);
    return FB_OK;
}

/* (AT.3): the vectors kept move to the front. */
static fb_status independent(fb_attach *a, const fb_full *f, const fb_csc *M, const fb_mat *Phi,
                             const double *w2, fb_err *e)
{
    int64_t m = a->X.m, *gone = NULL, ngone = 0;
    double *Mx = NULL;
    char list[400];
    fb_status s = FB_OK;
    FB_TRY(fb_new(&Mx, m, 8, "vector", e));
    FB_TRY(fb_new(&gone, a->n, 8, "loads", e));
    for (int64_t k = 0; k < a->n; k++) {
        double *x = a->X.x + k * m, before, after;
        if (a->row[k] < 0)
            continue;
        before = fb_mass_norm(M, x, m, Mx);
        FB_TRY(residual(a, k, Phi, w2, e));
        for (int pass = 0; pass < 2; pass++) {
            const fb_mat kept = fb_mat_columns(&a->X, 0, a->na);
            fb_mass_without(M, Phi, x, Mx);
            fb_mass_without(M, &kept, x, Mx);
        }
        after = fb_mass_norm(M, x, m, Mx);
        if (!(after > dependent * before)) {
            gone[ngone++] = f->at[a->dof[k]];
            continue;
        }
        double *to = a->X.x + a->na++ * m;
        for (int64_t i = 0; i < m; i++)
            to[i] = x[i] / after;
    }
    if (ngone) {
        fb_full_names(f, gone, ngone, list, sizeof list);
        fb_warn(f->log,
                "%lld attachment vector%s dropped: the modes kept and the other vectors hold the "
                "answer to a load at%s",
                (long long)ngone, ngone > 1 ? "s" : "", list);
    }
    a->X.n = a->na;
out:
    FB_FREE(Mx, gone);
    return s;
}

fb_status fb_attach_residual(fb_attach *a, const fb_full *f, const fb_csc *K, const fb_csc *M,
                             const fb_mat *Phi, const double *w2, fb_err *e)
{
    fb_mat Ka = {0}, Y = {0};
    fb_status s = FB_OK;
    if (a->n == 0)
        return FB_OK;
    FB_TRY(independent(a, f, M, Phi, w2, e));
    FB_TRY(fb_new(&a->w2, a->na, 8, "attachment vectors", e));
    if (a->na == 0)
        goto out;
    FB_TRY(fb_csc_congruence(K, &a->X, &Ka, e));
    FB_TRY(fb_eig_dense(&Ka, NULL, a->w2, &Y, e)); /* (AT.4) */
    FB_TRY(fb_mat_times(&a->X, &Y, e));
    fb_note(f->log, "%lld attachment vectors beside the order asked for, %.6g .. %.6g Hz",
            (long long)a->na, fb_hertz(&f->b->units, a->w2[0]),
            fb_hertz(&f->b->units, a->w2[a->na - 1]));
out:
    FB_FREE_BY(fb_mat_free, &Ka, &Y);
    return s;
}
