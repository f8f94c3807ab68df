/* SPDX-License-Identifier: GPL-3.0-or-later */
/* mixed.c - Craig-Bampton with free and mixed interfaces: modes of the body some or all of whose
 * boundary dofs are free.
 *
 * Sets     b boundary, i interior; of b: c free in the modes (--free-boundary), h held
 * Equations on a full model, Psi the constraint modes of cb.c, Psi_c its columns c
 *   (MX.1) K Phi = M Phi diag(w2) over i and c,  Phi'M Phi = I           x_h = 0
 *   (MX.2) X = Phi_i - Psi_c Phi_c                  what Phi moves beside its constraint modes
 *   (MX.3) K_ii A = (M Phi_r)_i                     --inertia-relief: Phi_r the rigid ones of Phi;
 *          (M Phi_r)_i = (Mii Psi + Mib) R_b
 *   (MX.4) T = [ I 0 ; Psi Y ],  Y the Ritz vectors of Kii in the span of X, A and the answers to
 *          --loads: Kr = diag(Kbb + Kbi Psi, w2) as of cb.c
 * Of the modes in ascending order X takes as many as the order has room for; rigid motion and what
 * else constraint modes hold already is left out. T holds the modes taken: where c is all of b,
 * they are the body's own.
 * Equations on a body held by modes, x = Phi0 q, Mq = 1 (modal.c gives Psi, Phi, w2; v modes of the
 * body held at h)
 *   (MX.5) X = Phi' (v - Psi B v),  A = diag(1/w2) Phi' v_r       in terms of Phi
 * Source   Craig & Chang, AIAA J. 15 (1977) 1569; Rubin, AIAA J. 13 (1975) 995-1006; Herting,
 *          Finite Elements in Analysis and Design 1 (1985) 153-164, whose span (MX.4) has with
 *          (MX.3)
 * Laws     tests/prop/test_bases.c
 */
#include "dofset.h"
#include "memory.h"
#include "full.h"
#include "modal.h"
#include <math.h>
#include <string.h>

/* Of a mode, less than this beside its constraint modes is round-off. */
static const double dependent = 1e-7;
enum { RIGID = 6 };

/* The members of `all` [n] that are not in `of` [k]; one of `of` that is not in `all` is *stray. */
static fb_status without(const int64_t *all, int64_t n, const int64_t *of, int64_t k, int64_t **out,
                         int64_t *nout, int64_t *stray, fb_err *e)
{
    int64_t *rest = NULL, m = 0, found = 0;
    FB_PASS(fb_new(&rest, n, sizeof *rest, "held boundary dofs", e));
    for (int64_t j = 0; j < n; j++) {
        int is = 0;
        for (int64_t q = 0; q < k; q++)
            is |= of[q] == all[j];
        found += is;
        if (!is)
            rest[m++] = all[j];
    }
    *stray = -1;
    for (int64_t q = 0; found < k && q < k && *stray < 0; q++) {
        int is = 0;
        for (int64_t j = 0; j < n; j++)
            is |= of[q] == all[j];
        if (!is)
            *stray = q;
    }
    *out = rest;
    *nout = m;
    return FB_OK;
}

static fb_status stray_dof(const fb_model *b, int64_t dof, fb_err *e)
{
    return fb_fail(e, FB_EUSAGE,
                   "--free-boundary: dof %s is no boundary dof: name it by --interface, too, or "
                   "leave it out",
                   fb_name_of(b->dof_node[dof], b->dof_component[dof]).s);
}

/* ---- taking modes into the span ---------------------------------------------------------- */

/* X [n x k] of the modes in ascending order, size [k] their lengths before (MX.2), joins V: `want`
 * of them (-1: all), and the group of equal roots at the cut whole. Returns how many joined. */
static int64_t take(const fb_mat *X, const double *size, const double *w2, int64_t want, fb_span *V,
                    fb_log *log)
{
    int64_t taken = 0, end = want == 0 ? 0 : X->n;
    for (int64_t k = 0; k < end; k++) {
        const double *x = X->x + k * X->m;
        const double scale = size[k] + fb_mass_norm(V->M, x, X->m, V->Mx);
        if (!fb_span_add(V, x, dependent, scale))
            continue;
        taken++;
        if (taken == want) {
            int64_t first = 0;
            end = fb_modal_group(w2, X->n, k + 1, &first);
        }
    }
    if (want >= 0 && taken > want)
        fb_warn(log,
                "%lld free-interface modes instead of %lld: the last one is in a group of equal "
                "roots, taken whole",
                (long long)taken, (long long)want);
    return taken;
}

/* ---- full models ------------------------------------------------------------------------- */

typedef struct {    /* the body held at h */
    int64_t n, *eq; /* [n] equations of i and c, ascending */
    int64_t *at;    /* [n] row of the interior, else -1 - position in b */
    fb_csc K, M;
} loose;

static void loose_free(loose *l)
{
    FB_FREE(l->eq, l->at);
    FB_FREE_BY(fb_csc_free, &l->K, &l->M);
}

static fb_status loose_new(const fb_work *w, loose *l, fb_err *e)
{
    const fb_full *f = &w->f;
    int64_t *c = NULL, *h = NULL, *place = NULL, nc = 0, nh = 0, stray = -1;
    fb_status s = FB_OK;
    FB_TRY(fb_full_named(f, "--free-boundary", f->o->free_boundary, &c, &nc, e));
    FB_TRY(without(w->eq, w->n, c, nc, &h, &nh, &stray, e));
    if (stray >= 0)
        FB_TRY(stray_dof(f->b, f->dof[c[stray]], e));
    l->n = f->n - nh;
    FB_TRY(fb_complement(f->n, h, nh, &l->eq, e));
    FB_TRY(fb_csc_sub(&f->K, l->eq, l->n, l->eq, l->n, &l->K, e));
    FB_TRY(fb_csc_sub(&f->M, l->eq, l->n, l->eq, l->n, &l->M, e));
    FB_TRY(fb_new(&place, f->n, sizeof *place, "places of the dofs", e));
    FB_TRY(fb_new(&l->at, l->n, sizeof *l->at, "places of the dofs", e));
    for (int64_t k = 0; k < w->n; k++)
        place[w->eq[k]] = -1 - k;
    for (int64_t q = 0, i = 0; q < l->n; q++)
        l->at[q] = place[l->eq[q]] < 0 ? place[l->eq[q]] : i++;
out:
    FB_FREE(c, h, place);
    return s;
}

/* Y = the rows i and b of a [l->n x k]. */
static fb_status rows(const loose *l, const fb_mat *a, int64_t ni, int64_t nb, fb_mat *I, fb_mat *B,
                      fb_err *e)
{
    FB_PASS(fb_mat_new(I, ni, a->n, e));
    if (B)
        FB_PASS(fb_mat_new(B, nb, a->n, e));
    for (int64_t c = 0; c < a->n; c++)
        for (int64_t q = 0; q < l->n; q++) {
            const double x = a->x[q + c * a->m];
            if (l->at[q] >= 0)
                I->x[l->at[q] + c * ni] = x;
            else if (B)
                B->x[-1 - l->at[q] + c * nb] = x;
        }
    return FB_OK;
}

/* (MX.2) */
static fb_status add_modes(const fb_work *w, const loose *l, int64_t want, fb_span *V,
                           int64_t *taken, fb_err *e)
{
    const fb_split *t = &w->t;
    const fb_mat *Phi = &w->m.X;
    fb_mat X = {0}, B = {0};
    double *size = NULL;
    fb_status s = FB_OK;
    FB_TRY(rows(l, Phi, t->ni, t->nb, &X, &B, e));
    FB_TRY(fb_new(&size, Phi->n, sizeof *size, "lengths", e));
    for (int64_t c = 0; c < X.n; c++)
        size[c] = fb_mass_norm(V->M, X.x + c * X.m, X.m, V->Mx);
    FB_TRY(fb_gemm(0, 0, -1, &w->G, &B, 1, &X, e));
    *taken = take(&X, size, w->m.lambda, want, V, w->f.log);
out:
    FB_FREE(size);
    FB_FREE_BY(fb_mat_free, &X, &B);
    return s;
}

/* (MX.3) */
static fb_status add_relief(fb_work *w, const loose *l, fb_span *V, fb_err *e)
{
    const fb_mat R = fb_mat_columns(&w->m.X, w->m.nnegative, w->m.nrigid);
    const int64_t before = V->X.n;
    fb_mat MR = {0}, A = {0};
    fb_status s = FB_OK;
    if (R.n == 0) {
        fb_warn(w->f.log, "--inertia-relief: the body has no rigid motion with these dofs free");
        return FB_OK;
    }
    FB_TRY(fb_mat_new(&MR, l->n, R.n, e));
    FB_TRY(fb_csc_mul_many(&l->M, &R, &MR, e));
    FB_TRY(rows(l, &MR, w->t.ni, 0, &A, NULL, e));
    FB_TRY(fb_statics_solve(&w->st, &A, e));
    for (int64_t c = 0; c < A.n; c++)
        (void)fb_span_add(V, A.x + c * A.m, dependent, 0);
    fb_note(w->f.log, "%lld inertia-relief vectors beside the order asked for",
            (long long)(V->X.n - before));
out:
    FB_FREE_BY(fb_mat_free, &MR, &A);
    return s;
}

static void add_loads(const fb_work *w, fb_span *V)
{
    int64_t gone = 0;
    for (int64_t k = 0; k < w->a.n; k++)
        if (w->a.inside[k])
            gone += !fb_span_add(V, w->a.X.x + k * w->a.X.m, dependent, 0);
    if (gone)
        fb_warn(w->f.log,
                "%lld attachment vector%s dropped: the other vectors hold the answer to %s load%s",
                (long long)gone, gone > 1 ? "s" : "", gone > 1 ? "their" : "its",
                gone > 1 ? "s" : "");
}

static void as_note(void *log, int is_warning, const char *line)
{
    (void)is_warning;
    fb_note(log, "%s", line);
}

/* More of them than are asked for, so that what warns of their number is worth a note here. */
static fb_status modes(fb_work *w, const loose *l, int64_t k, fb_err *e)
{
    fb_full f = w->f;
    fb_log log = {.verbose = f.log->verbose, .sink = as_note, .self = f.log};
    f.log = &log;
    fb_eig_free(&w->m);
    const fb_status s =
        fb_full_modes(&f, &l->K, &l->M, l->eq, f.nmult, k, NULL, "free-interface modes", &w->m, e);
    fb_log_free(&log);
    return s;
}

/* (MX.4) with `asked` modes, more of them while too few are independent. */
static fb_status fill(fb_work *w, const loose *l, int64_t want, int64_t asked, fb_span *V,
                      int64_t *taken, fb_err *e)
{
    const int64_t ni = w->t.ni;
    fb_status s = FB_OK;
    for (;;) {
        const int64_t room = w->m.n + w->m.nrigid + w->a.n;
        fb_span_free(V);
        FB_TRY(fb_span_new(V, ni, &w->t.M.Aii, room < ni ? room : ni, e));
        FB_TRY(add_modes(w, l, want, V, taken, e));
        if (want < 0 || *taken >= want || w->m.n < asked || asked >= l->n)
            break;
        asked += want - *taken + RIGID;
        asked = asked < l->n ? asked : l->n;
        FB_TRY(modes(w, l, asked, e));
    }
    fb_note(w->f.log, "%lld of %lld free-interface modes move more than constraint modes do",
            (long long)*taken, (long long)w->m.n);
    if (*taken < want)
        fb_warn(w->f.log,
                "%lld normal modes are asked for, the body has %lld beside its constraint modes",
                (long long)want, (long long)*taken);
out:
    return s;
}

fb_status fb_work_mixed(fb_work *w, fb_err *e)
{
    int64_t want = 0, taken = 0;
    loose l = {0};
    fb_span V = {0};
    fb_status s = FB_OK;
    FB_TRY(fb_full_wanted(&w->f, w->n, &want, e));
    FB_TRY(loose_new(w, &l, e));
    const int64_t asked = want < 0 ? -1 : want + RIGID < l.n ? want + RIGID : l.n;
    FB_TRY(modes(w, &l, asked, e)); /* (MX.1), before the interior's factor: one at a time */
    FB_TRY(fb_work_static(w, e));
    FB_TRY(fill(w, &l, want, asked, &V, &taken, e));
    if (w->f.o->inertia_relief)
        FB_TRY(add_relief(w, &l, &V, e));
    add_loads(w, &V);
    fb_statics_free(&w->st);
    s = fb_work_ritz_take(w, &V, taken, e);
out:
    loose_free(&l);
    fb_span_free(&V);
    return s;
}

/* ---- bodies held by modes ---------------------------------------------------------------- */

/* The modes v of the body held at h [nh], and their roots. */
static fb_status held_modes(const fb_model *b, const int64_t *h, int64_t nh, fb_modalsplit *v,
                            fb_err *e)
{
    fb_log quiet = {0};
    fb_status s = FB_OK;
    if (nh > 0) {
        s = fb_modal_split(b, h, nh, v, &quiet, e);
    } else {
        FB_TRY(fb_mat_unit(&v->Phi, b->nm, e));
        FB_TRY(fb_modal_eigenvalues(b, &v->w2, e));
    }
out:
    fb_log_free(&quiet);
    return s;
}

/* (MX.5): X [ni x n] of v, and the lengths before. */
static fb_status beside(const fb_model *b, const int64_t *dof, const fb_modalsplit *t,
                        const fb_mat *v, fb_mat *X, double *size, fb_err *e)
{
    fb_mat B = {0}, C = {0}, D = {0};
    fb_status s = FB_OK;
    FB_TRY(fb_modal_rows(b, dof, t->Psi.n, &B, e));
    FB_TRY(fb_mat_product(0, 0, &B, v, &C, e));
    FB_TRY(fb_mat_copy(&D, v, e));
    for (int64_t c = 0; c < v->n; c++)
        size[c] = fb_norm(v->x + c * v->m, v->m);
    FB_TRY(fb_gemm(0, 0, -1, &t->Psi, &C, 1, &D, e));
    s = fb_mat_product(1, 0, &t->Phi, &D, X, e);
out:
    FB_FREE_BY(fb_mat_free, &B, &C, &D);
    return s;
}

static fb_status modal_relief(const fb_modalsplit *t, const fb_modalsplit *v, fb_span *V, fb_err *e)
{
    fb_mat A = {0};
    fb_status s = fb_mat_product(1, 0, &t->Phi, &v->Phi, &A, e);
    for (int64_t c = 0; !s && c < A.n; c++) {
        if (v->w2[c] < 0 || v->w2[c] > 0)
            continue;
        for (int64_t k = 0; k < A.m; k++)
            A.x[k + c * A.m] *= t->w2[k] < 0 || t->w2[k] > 0 ? 1 / t->w2[k] : 0;
        (void)fb_span_add(V, A.x + c * A.m, dependent, 0);
    }
    fb_mat_free(&A);
    return s;
}

fb_status fb_modal_mixed(const fb_model *b, const fb_reduceopt *o, const int64_t *dof,
                         fb_modalsplit *t, int64_t *nn, fb_log *log, fb_err *e)
{
    static const char interior[] = " interior ones";
    const int64_t nb = t->Psi.n, ni = b->nm - nb;
    int64_t *c = NULL, *h = NULL, nc = 0, nh = 0, stray = -1, want = 0;
    double *size = NULL;
    fb_modalsplit v = {0};
    fb_mat X = {0};
    fb_span V = {0};
    fb_status s = FB_OK;
    FB_TRY(fb_dofset(b, "--free-boundary", o->free_boundary, &c, &nc, log, e));
    FB_TRY(without(dof, nb, c, nc, &h, &nh, &stray, e));
    if (stray >= 0)
        FB_TRY(stray_dof(b, c[stray], e));
    FB_TRY(held_modes(b, h, nh, &v, e));
    if (!(o->fmax > 0))
        FB_TRY(fb_modal_wanted(b, o, NULL, ni, nb, interior, &want, log, e));
    FB_TRY(fb_new(&size, v.Phi.n, sizeof *size, "lengths", e));
    FB_TRY(beside(b, dof, t, &v.Phi, &X, size, e));
    if (o->fmax > 0)
        for (X.n = 0, want = -1; X.n < v.Phi.n && v.w2[X.n] <= fb_lambda(&b->units, o->fmax);)
            X.n++;
    FB_TRY(fb_span_new(&V, ni, NULL, ni, e));
    *nn = take(&X, size, v.w2, want, &V, log);
    if (o->inertia_relief)
        FB_TRY(modal_relief(t, &v, &V, e));
    s = fb_modal_ritz_take(t, &V, e);
out:
    FB_FREE(c, h, size);
    fb_modal_split_free(&v);
    fb_mat_free(&X);
    fb_span_free(&V);
    return s;
}
