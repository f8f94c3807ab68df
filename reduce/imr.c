/* SPDX-License-Identifier: GPL-3.0-or-later */
/* imr.c - interior mode ranking: Craig-Bampton whose interior modes are chosen by how much they
 * take part in the modes of interest of the whole body, not by lowest frequency.
 *
 * Equations on a full model, x_i = modes of interest of (K, M), mass-normalised
 *   (IF.1) gamma_i = Phi' Mii (x_iI - Psi x_iB),  ||gamma_i||^2 = (x_iI - Psi x_iB)' Mii (x_iI -
 *          Psi x_iB)
 * the norm over all interior modes, though Phi may hold only the lowest. (IM.2) follows.
 * Symbols  Lambda modes of interest v_i of (Kq, Mq), mass-normalised; B boundary rows; Psi, Phi as
 * in cb.c Equations on a body held by modes, x = Phi0 q
 *   (IM.1) gamma_i = Phi' Mq (v_i - Psi B v_i)       entry z: the coefficient of interior mode z in
 *          v_i
 *   (IM.2) g_z = sum_i a_i |gamma_iz| / ||gamma_i||,  sum a_i = 1; v_i with ||gamma_i|| = 0 are
 *          left out
 * The interior modes with the largest g_z are kept; of equal ones, the lower.
 * Lambda   by default the N - n_rigid lowest elastic modes, N the order; numbers count rigid modes
 * Source   Palomba, Richiedei & Trevisani, in the form of L. Scalera, PhD thesis, Udine 2018, ch. 4
 * Laws     tests/prop/test_methods.c
 */
#include "memory.h"
#include "full.h"
#include "linalg/far.h"
#include "modal.h"
#include <math.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A rigid mode has no interior part but round-off; a mass-normalised elastic one has up to 1. */
static const double no_part = 1e-6;
enum {
    ALL_BELOW = 500, /* interior dofs: all interior modes are candidates       */
    TIMES = 4,
    BESIDE = 30 /* else so many times the modes kept, and so many more    */
};

/* Scores closer than this are equal: twins of a symmetric body differ by round-off. */
static const double tie = 1e-9;

/* Weights of the n modes of interest there are; order is the one asked for. */
static fb_status interest(const fb_reduceopt *o, int64_t rigid, int64_t n, int64_t order,
                          double *weight, fb_err *e)
{
    int64_t count = 0;
    if (o->weights)
        return fb_mode_numbers("--weights", o->weights, n, 1, weight, &count, e);
    for (int64_t k = rigid; k < n && k < order; k++)
        weight[k] = 1;
    return order > rigid ? FB_OK
                         : fb_fail(e, FB_EUSAGE,
                                   "order %lld leaves no elastic mode of interest behind %lld "
                                   "rigid ones: name some by --weights",
                                   (long long)order, (long long)rigid);
}

/* (IM.1) for every mode of the body, which is a coordinate of its own: G [ni x nm]. */
static fb_status participation(const fb_model *b, const fb_modalsplit *t, const int64_t *dof,
                               fb_mat *G, double *norm, fb_err *e)
{
    fb_mat B = {0}, R = {0};
    fb_status s = FB_OK;
    FB_TRY(fb_modal_rows(b, dof, t->Psi.n, &B, e));
    FB_TRY(fb_mat_unit(&R, b->nm, e));
    FB_TRY(fb_gemm(0, 0, -1, &t->Psi, &B, 1, &R, e));
    FB_TRY(fb_mat_product(1, 0, &t->Phi, &R, G, e));
    for (int64_t i = 0; i < G->n; i++)
        norm[i] = fb_norm(G->x + i * G->m, G->m);
out:
    FB_FREE_BY(fb_mat_free, &B, &R);
    return s;
}

/* (IM.2); norm [G->n] */
static fb_status score(const fb_mat *G, const double *norm, const double *weight, double *g,
                       fb_err *e)
{
    double sum = 0;
    int64_t used = 0;
    for (int64_t i = 0; i < G->n; i++)
        sum += weight[i];
    for (int64_t i = 0; i < G->n; i++) {
        const double *gamma = G->x + i * G->m;
        if (weight[i] <= 0 || norm[i] < no_part)
            continue;
        used++;
        for (int64_t z = 0; z < G->m; z++)
            g[z] += weight[i] / sum * fabs(gamma[z]) / norm[i];
    }
    return used ? FB_OK
                : fb_fail(e, FB_EUSAGE,
                          "--weights: none of these modes moves the interior; name elastic ones");
}

/* The interior modes by score, best first: r->ranking, and the first k of them in keep; g is spent.
 * */
static fb_status rank(double *g, const double *w2, int64_t ni, const fb_units *u, int64_t *keep,
                      int64_t k, fb_reduction *r, fb_log *log, fb_err *e)
{
    char text[900] = "";
    FB_PASS(fb_new(&r->ranking, 3 * ni, 8, "ranking", e));
    r->nranking = ni;
    for (int64_t c = 0; c < ni; c++) {
        int64_t top = 0;
        while (g[top] < 0)
            top++;
        for (int64_t z = top + 1; z < ni; z++)
            if (g[z] > g[top] + tie)
                top = z;
        size_t at = strlen(text);
        if (c < k || c < 10)
            snprintf(text + at, sizeof text - at, "%s %lld (%.4f)", c == k ? " |" : "",
                     (long long)top + 1, g[top]);
        r->ranking[3 * c] = (double)(top + 1);
        r->ranking[3 * c + 1] = g[top];
        r->ranking[3 * c + 2] = fb_hertz(u, fabs(w2[top]));
        if (c < k)
            keep[c] = top;
        g[top] = -1;
    }
    fb_note(log, "interior modes by participation:%s", text);
    (void)fb_unique(keep, k); /* as coordinates they stand by frequency */
    return FB_OK;
}

static fb_status by_rank(const fb_model *b, const fb_reduceopt *o, const fb_modalsplit *t,
                         const int64_t *dof, int64_t *keep, int64_t k, fb_reduction *r, fb_log *log,
                         fb_err *e)
{
    int64_t ni = t->Phi.n;
    double *w2 = NULL, *weight = NULL, *g = NULL, *norm = NULL;
    fb_mat G = {0};
    fb_status s = FB_OK;
    FB_TRY(fb_modal_eigenvalues(b, &w2, e));
    FB_TRY(fb_new(&weight, b->nm, 8, "weights", e));
    FB_TRY(fb_new(&norm, b->nm, 8, "norms", e));
    FB_TRY(fb_new(&g, ni, 8, "participations", e));
    FB_TRY(interest(o, fb_modal_rigid(w2, b->nm), b->nm, t->Psi.n + k, weight, e));
    FB_TRY(participation(b, t, dof, &G, norm, e));
    FB_TRY(score(&G, norm, weight, g, e));
    s = rank(g, t->w2, ni, &b->units, keep, k, r, log, e);
out:
    fb_mat_free(&G);
    FB_FREE(w2, weight, norm, g);
    return s;
}

static fb_status options(const fb_reduceopt *o, fb_err *e)
{
    if (o->fmax > 0 && !o->reach)
        return fb_fail(
            e, FB_EUSAGE,
            "--fmax chooses by frequency, IMR by participation: give --order or --modes");
    if (o->reach && o->keep && o->weights)
        return fb_fail(e, FB_EUSAGE,
                       "--keep names interior modes, --weights ranks them: how many of these? Give "
                       "--order or --modes, too");
    return FB_OK;
}

static fb_status modal(const fb_model *b, const fb_reduceopt *o, fb_reduction *r, fb_log *log,
                       fb_err *e)
{
    static const char interior[] = " interior ones";
    int64_t *dof = NULL, *keep = NULL, nb = 0, k = 0;
    fb_modalsplit t = {0};
    fb_reduction table = {0};
    fb_status s = FB_OK;
    if (o->reach && o->keep) /* named, not ranked */
        return fb_method_cb.modal(b, o, r, log, e);
    FB_TRY(fb_modal_boundary(b, "--interface", o->interface, &dof, &nb, log, e));
    FB_TRY(fb_order_holds(o, nb, e));
    FB_TRY(fb_modal_split(b, dof, nb, &t, log, e));
    FB_TRY(fb_modal_wanted(b, o, NULL, t.Phi.n, nb, interior, &k, log, e));
    FB_TRY(fb_new(&keep, k, 8, "modes kept", e));
    if (k > 0)
        FB_TRY(by_rank(b, o, &t, dof, keep, k, &table, log, e));
    FB_TRY(fb_modal_hybrid(b, &t, dof, keep, k, r, log, e));
    r->ranking = table.ranking;
    r->nranking = table.nranking;
    table = (fb_reduction){0};
out:
    fb_reduction_free(&table);
    fb_modal_split_free(&t);
    FB_FREE(keep, dof);
    return s;
}

/* (IF.1) for the modes x [n x nv] of the whole model. */
static fb_status participation_full(const fb_split *t, const fb_mat *Psi, const fb_mat *Phi,
                                    const fb_mat *x, fb_mat *G, double *norm, fb_err *e)
{
    fb_mat B = {0}, R = {0}, MR = {0};
    fb_status s = FB_OK;
    FB_TRY(fb_mat_new(&B, t->nb, x->n, e));
    FB_TRY(fb_mat_rows(x, t->b, &B, e));
    FB_TRY(fb_mat_like(Phi, x->n, &R, e));
    FB_TRY(fb_mat_rows(x, t->i, &R, e));
    FB_TRY(fb_mat_like(Phi, x->n, &MR, e));
    FB_TRY(fb_gemm(0, 0, -1, Psi, &B, 1, &R, e));
    FB_TRY(fb_csc_mul_many(&t->M.Aii, &R, &MR, e));
    FB_TRY(fb_mat_product(1, 0, &R, &MR, G, e));
    for (int64_t c = 0; c < x->n; c++)
        norm[c] = sqrt(fmax(G->x[c * (x->n + 1)], 0));
    fb_mat_free(G);
    s = fb_mat_product(1, 0, Phi, &MR, G, e);
out:
    FB_FREE_BY(fb_mat_free, &B, &R, &MR);
    return s;
}

/* The highest number that --weights names. */
static fb_status highest(const fb_reduceopt *o, int64_t n, int64_t *top, fb_err *e)
{
    double *weight = NULL;
    int64_t count = 0;
    fb_status s = fb_new(&weight, n, 8, "weights", e);
    if (!s)
        s = fb_mode_numbers("--weights", o->weights, n, 1, weight, &count, e);
    for (int64_t k = 0; !s && k < n; k++)
        if (weight[k] > 0)
            *top = k + 1;
    free(weight);
    return s;
}

/* What the candidates hold of the modes of interest: 1 where they are all interior modes. */
static double held(const fb_mat *G, const double *norm, const double *weight)
{
    double least = 1;
    for (int64_t i = 0; i < G->n; i++) {
        const double *g = G->x + i * G->m;
        if (weight[i] > 0 && norm[i] >= no_part)
            least = fmin(least, fb_dot(g, g, G->m) / (norm[i] * norm[i]));
    }
    return least;
}

static fb_status by_rank_full(fb_work *w, int64_t *keep, int64_t k, fb_err *e)
{
    const fb_full *f = &w->f;
    const fb_split *t = &w->t;
    const fb_eig *m = &w->m;
    fb_eig q = {0};
    fb_mat G = {0};
    double *weight = NULL, *g = NULL, *norm = NULL;
    int64_t want = t->nb + k;
    fb_status s = FB_OK;
    if (f->o->weights)
        FB_TRY(highest(f->o, f->n, &want, e));
    FB_TRY(fb_full_modes(f, &f->K, &f->M, NULL, f->nmult, want, NULL, "modes of interest", &q, e));
    FB_TRY(fb_new(&weight, q.n, 8, "weights", e));
    FB_TRY(fb_new(&norm, q.n, 8, "norms", e));
    FB_TRY(fb_new(&g, m->n, 8, "participations", e));
    FB_TRY(interest(f->o, q.nnegative + q.nrigid, q.n, want, weight, e));
    FB_TRY(participation_full(t, &w->G, &m->X, &q.X, &G, norm, e));
    FB_TRY(score(&G, norm, weight, g, e));
    fb_note(f->log,
            "%lld interior modes are ranked; they hold %.6g of the modes of interest at least",
            (long long)m->n, held(&G, norm, weight));
    s = rank(g, m->lambda, m->n, &f->b->units, keep, k, &w->r, f->log, e);
out:
    fb_eig_free(&q);
    fb_mat_free(&G);
    FB_FREE(weight, norm, g);
    return s;
}

static fb_status full(fb_work *w, fb_err *e)
{
    const fb_full *f = &w->f;
    int64_t *keep = NULL, k = 0, want = 0;
    fb_status s = FB_OK;
    if (f->o->reach && f->o->keep) /* named, not ranked */
        return fb_method_cb.full(w, e);
    FB_TRY(fb_full_boundary(f, &w->eq, &w->n, e));
    FB_TRY(fb_full_wanted(f, w->n, &k, e));
    const int64_t ni = f->n - w->n;
    k = k < 0 ? 0 : k < ni ? k : ni;
    FB_TRY(fb_new(&keep, k, 8, "modes kept", e));
    want = k == 0 ? 0 : ni <= ALL_BELOW ? ni : TIMES * k + BESIDE; /* the candidates */
    want = want < ni ? want : ni;
    FB_TRY(fb_work_static(w, e));
    FB_TRY(fb_work_modes(w, want, e));
    k = k < w->m.n ? k : w->m.n;
    if (k > 0)
        FB_TRY(by_rank_full(w, keep, k, e));
    s = fb_work_finish(w, keep, k, e);
out:
    free(keep);
    return s;
}

static const fb_own own_options[] = {
    {"weights", FB_TEXT, offsetof(fb_reduceopt, weights), "LIST",
     "modes of interest of IMR and their weights (7:1,8:2 or 7-18), numbers counting rigid modes; "
     "default: the N - n_rigid lowest elastic ones",
     NULL},
    {0}};

const fb_method fb_method_imr = {.name = "imr",
                                 .doc = "interior mode ranking",
                                 .check = options,
                                 .modal = modal,
                                 .full = full,
                                 .far = 1,
                                 .grows = FB_GROWS_BY_RANK,
                                 .options = own_options};
