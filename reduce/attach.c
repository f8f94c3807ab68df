/* SPDX-License-Identifier: GPL-3.0-or-later */
/* attach.c - attachment vectors: the static answers to loads that the modes kept do not give.
 *
 * Symbols  p_l a load on the interior, a unit load at a dof or a load vector of the model; Phi, w2
 *          the modes kept, rigid ones apart
 * Equations
 *   (AT.1) K a_l = p_l (statics.c)                     boundary held; a free body: inertia relief
 *   (AT.2) x_l = a_l - Phi diag(1/w2) Phi' p_l         orthogonal to Phi in K and M
 *   (AT.3) X := X R, X'MX = I                          Gram-Schmidt; what round-off leaves of x_l
 *          is dropped
 *   (AT.4) X'KX Y = Y diag(w2), X := X Y               pseudo-modes with frequencies of their own
 *   (AT.5) ||x_l|| / ||a_l|| in the norm of M          what the modes alone leave of the answer
 * Loads on the boundary are answered by the constraint modes.
 * Source   Rubin, AIAA J. 13 (1975) 995-1006; Craig & Chang, AIAA J. 15 (1977) 1569 (residual
 *          attachment modes)
 */
#include "status.h"
#include "bytes.h"
#include "dofset.h"
#include "memory.h"
#include "full.h"
#include "span.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

/* Less than this of a_l is left behind the modes and the vectors before it: round-off of (AT.2). */
static const double dependent = 1e-7;
/* More than this of the answer to a load vector is worth a warning. */
static const double much = 0.05;

void fb_attach_free(fb_attach *a)
{
    FB_FREE(a->load, a->inside, a->w2);
    FB_FREE_BY(fb_mat_free, &a->X, &a->P);
    *a = (fb_attach){0};
}

/* ---- which loads --------------------------------------------------------------------------- */

static int has(const fb_attach *a, int64_t load)
{
    int64_t k = 0;
    while (k < a->n && a->load[k] != load)
        k++;
    return k < a->n;
}

/* The vectors of this name, "PX" is PX#1, PX#2, ... as well; "all" is every one. */
static fb_status named(fb_attach *a, const fb_model *b, const char *name, size_t n, fb_err *e)
{
    char known[300] = "";
    int found = 0;
    const int all = n == 3 && !strncasecmp(name, "all", 3);
    for (int64_t k = 0; k < b->nvector; k++) {
        const char *own = b->vector_name[k];
        const size_t at = strlen(known);
        const int is = all || (!strncasecmp(own, name, n) && (own[n] == 0 || own[n] == '#'));
        snprintf(known + at, sizeof known - at, "%s%s%s%s", at ? ", " : "", fb_name_quote(own), own,
                 fb_name_quote(own));
        found = found || is;
        if (is && !has(a, -1 - k))
            a->load[a->n++] = -1 - k;
    }
    if (found)
        return FB_OK;
    return fb_fail(e, FB_EUSAGE, "--loads: no load vector is called %.*s: %s%s", (int)n, name,
                   b->nvector ? "there are " : "the model has none, mnfparse --load reads them",
                   known);
}

/* --loads: load:NAME items are load vectors, the rest is a list of dofs. */
static fb_status requested(fb_attach *a, const fb_full *f, fb_err *e)
{
    const fb_model *b = f->b;
    const char *p = f->o->loads ? f->o->loads : "";
    int64_t *dof = NULL, ndof = 0;
    fb_buf rest = {0};
    fb_status s = FB_OK;
    FB_TRY(FB_NEW(&a->load, b->nvector + b->ndof, e));
    while (*p) {
        const char *start = p, *name = strncasecmp(p, "load:", 5) ? NULL : p + 5;
        for (int quoted = 0; *p && (quoted || *p != ','); p++)
            quoted ^= *p == '"';
        if (name && *name == '"' && p > name + 1 && p[-1] == '"')
            FB_TRY(named(a, b, name + 1, (size_t)(p - name - 2), e));
        else if (name)
            FB_TRY(named(a, b, name, (size_t)(p - name), e));
        else
            fb_put_text(&rest, "%s%.*s", rest.size ? "," : "", (int)(p - start), start);
        p += *p == ',';
    }
    fb_put_bytes(&rest, "", 1);
    FB_TRY(fb_buf_status(&rest, e));
    if (rest.data[0])
        FB_TRY(fb_dofset(b, "--loads", (const char *)rest.data, &dof, &ndof, f->log, e));
    for (int64_t k = 0; k < ndof; k++)
        a->load[a->n++] = dof[k];
    a->nall = a->n;
    for (int64_t k = 0; k < b->nvector; k++)
        if (!has(a, -1 - k))
            a->load[a->nall++] = -1 - k;
out:
    free(dof);
    fb_buf_free(&rest);
    return s;
}

static const char *name_of(const fb_full *f, int64_t load, char text[48])
{
    return load < 0 ? f->b->vector_name[-1 - load] : fb_full_name(f, f->at[load], text);
}

/* ---- (AT.1) -------------------------------------------------------------------------------- */

/* Column k of P; row [n] of each equation in it, -1: on the boundary. */
static fb_status column(fb_attach *a, const fb_full *f, const int64_t *row, int64_t k, fb_err *e)
{
    const int64_t load = a->load[k], m = a->P.m;
    char one[48];
    if (load < 0) {
        const double *P = f->b->vector + (-1 - load) * f->b->ndof;
        for (int64_t q = 0; q < f->n; q++)
            if (row[q] >= 0 && P[f->dof[q]] != 0) {
                a->P.x[row[q] + k * m] = P[f->dof[q]];
                a->inside[k] = 1;
            }
        return FB_OK;
    }
    if (f->at[load] < 0)
        return fb_fail(e, FB_EUSAGE,
                       "--loads: a load at dof %s, which is held, moves nothing: leave it out",
                       fb_name_of(f->b->dof_node[load], f->b->dof_component[load]).s);
    const int64_t r = row[f->at[load]];
    a->inside[k] = r >= 0;
    if (r >= 0)
        a->P.x[r + k * m] = 1;
    else
        fb_note(f->log,
                "--loads: %s is a boundary dof, its constraint mode is the answer to a load there",
                name_of(f, load, one));
    return FB_OK;
}

/* Where rigid motion is free inertia may carry a load as it is, as it does weight: less than this
 * is round-off. */
static const double carried = 1e-7;

static fb_status uncarried(fb_attach *a, const fb_full *f, const fb_statics *st, fb_err *e)
{
    fb_mat R = {0};
    char one[48];
    fb_status s = FB_OK;
    if (!st->Z.n)
        return FB_OK;
    FB_TRY(fb_mat_copy(&R, &a->P, e));
    FB_TRY(fb_statics_balance(st, &R, e));
    for (int64_t k = 0; k < a->nall; k++) {
        const fb_mat p = fb_mat_columns(&a->P, k, 1), r = fb_mat_columns(&R, k, 1);
        if (!a->inside[k] || fb_mat_max(&r) > carried * fb_mat_max(&p))
            continue;
        a->inside[k] = 0;
        fb_note(f->log, "load %s: inertia carries it, nothing is strained by it",
                name_of(f, a->load[k], one));
    }
out:
    fb_mat_free(&R);
    return s;
}

int fb_attach_wanted(const fb_full *f)
{
    return f->o->loads || (f->b->vector && f->b->vector_name && f->b->nvector);
}

/* (AT.1); t NULL: the whole model is interior. */
fb_status fb_attach_new(fb_attach *out, const fb_full *f, const fb_split *t, fb_statics *st,
                        fb_err *e)
{
    fb_attach a = {0};
    const int64_t m = t ? t->ni : f->n;
    int64_t *row = NULL;
    fb_status s = FB_OK;
    if (!fb_attach_wanted(f))
        return FB_OK;
    FB_TRY(requested(&a, f, e));
    FB_TRY(FB_NEW(&a.inside, a.nall, e));
    FB_TRY(fb_mat_new(&a.P, m, a.nall, e));
    FB_TRY(FB_NEW(&row, f->n, e));
    for (int64_t q = 0; q < f->n; q++)
        row[q] = t ? -1 : q;
    for (int64_t r = 0; t && r < t->ni; r++)
        row[t->i[r]] = r;
    for (int64_t k = 0; k < a.nall; k++)
        FB_TRY(column(&a, f, row, k, e));
    FB_TRY(uncarried(&a, f, st, e));
    FB_TRY(fb_mat_copy(&a.X, &a.P, e));
    FB_TRY(fb_statics_solve(st, &a.X, e));
    *out = a;
    a = (fb_attach){0};
out:
    free(row);
    fb_attach_free(&a);
    return s;
}

/* ---- (AT.2) to (AT.4) ---------------------------------------------------------------------- */

/* (AT.2) for vector k */
static fb_status residual(fb_attach *a, int64_t k, const fb_mat *Phi, const double *w2, fb_err *e)
{
    const fb_mat p = fb_mat_columns(&a->P, k, 1);
    fb_mat C = {0}, x = fb_mat_columns(&a->X, k, 1);
    fb_status s = FB_OK;
    if (!Phi->n)
        return FB_OK;
    FB_TRY(fb_mat_new(&C, Phi->n, 1, e));
    FB_TRY(fb_gemm(1, 0, 1, Phi, &p, 0, &C, e));
    for (int64_t c = 0; c < Phi->n; c++) /* rigid motion does not answer a load statically */
        C.x[c] = w2[c] < 0 || w2[c] > 0 ? C.x[c] / w2[c] : 0;
    s = fb_gemm(0, 0, -1, Phi, &C, 1, &x, e);
out:
    fb_mat_free(&C);
    return s;
}

/* (AT.5) */
static void tell(const fb_attach *a, const fb_full *f, int64_t k, double share)
{
    const char *name = a->load[k] < 0 ? f->b->vector_name[-1 - a->load[k]] : NULL;
    const char *quote = name ? fb_name_quote(name) : "";
    char one[48];
    if (a->untold || k < 0)
        return;
    if (k >= a->n && share > much)
        fb_warn(f->log,
                "load %s: %.3g of the static answer inside the boundary is missing (reduce --loads "
                "load:%s%s%s adds its attachment vector)",
                name, share, quote, name, quote);
    else
        fb_note(f->log, "load %s: %.3g of the static answer inside the boundary is missing%s",
                name_of(f, a->load[k], one), share,
                k < a->n ? " without its attachment vector" : "");
}

static void massless(const fb_full *f, int64_t load)
{
    char one[48];
    fb_warn(f->log,
            "load %s: the static answer inside the boundary moves no mass: no coordinate of the "
            "reduced body can hold it",
            name_of(f, load, one));
}

/* (AT.3): the vectors kept move to the front. */
static fb_status independent(fb_attach *a, const fb_full *f, const fb_csc *M, const fb_mat *Phi,
                             const double *w2, fb_err *e)
{
    int64_t m = a->X.m, ngone = 0;
    double *Mx = NULL;
    char list[400] = "", one[48];
    fb_status s = FB_OK;
    FB_TRY(fb_new(&Mx, m, 8, "vector", e));
    for (int64_t k = 0; k < a->nall; k++) {
        double *x = a->X.x + k * m, before, after;
        if (!a->inside[k])
            continue;
        before = fb_mass_norm(M, x, m, Mx);
        if (!(before > 0)) {
            if (k < a->n || !a->untold)
                massless(f, a->load[k]);
            continue;
        }
        FB_TRY(residual(a, k, Phi, w2, e));
        fb_mass_without(M, Phi, x, Mx);
        after = fb_mass_norm(M, x, m, Mx);
        tell(a, f, k, after / before);
        if (k >= a->n)
            continue;
        for (int pass = 0; pass < 2; pass++) {
            const fb_mat kept = fb_mat_columns(&a->X, 0, a->na);
            if (pass)
                fb_mass_without(M, Phi, x, Mx);
            fb_mass_without(M, &kept, x, Mx);
        }
        after = fb_mass_norm(M, x, m, Mx);
        if (!(after > dependent * before)) {
            const size_t at = strlen(list);
            snprintf(list + at, sizeof list - at, " %s", name_of(f, a->load[k], one));
            ngone++;
            continue;
        }
        double *to = a->X.x + a->na++ * m;
        for (int64_t i = 0; i < m; i++)
            to[i] = x[i] / after;
    }
    if (ngone)
        fb_warn(f->log,
                "%lld attachment vector%s dropped: the modes kept and the other vectors hold the "
                "answer to a load at%s",
                (long long)ngone, ngone > 1 ? "s" : "", list);
    a->X.n = a->na;
out:
    free(Mx);
    return s;
}

fb_status fb_attach_residual(fb_attach *a, const fb_full *f, const fb_csc *K, const fb_csc *M,
                             const fb_mat *Phi, const double *w2, fb_err *e)
{
    fb_mat Ka = {0}, Y = {0};
    fb_status s = FB_OK;
    if (a->nall == 0)
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
