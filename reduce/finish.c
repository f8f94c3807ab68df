/* SPDX-License-Identifier: GPL-3.0-or-later */
/* finish.c - the reduced body of a full model: T, the reduced matrices, and the record.
 *
 * Sets     b boundary (or masters), i interior
 * Equations
 *   (FU.2) T = [I 0; G],  G = [Psi Phi X]     Psi constraint modes, Phi normal modes, X attachment
 *          vectors
 *   (FU.3) Kr = diag(Kbb + Kib' Psi, w2)       as Kii Psi = -Kib, and [Phi X] is orthogonal in K
 *          and M
 *   (FU.4) Mr = T'MT from the parts, Dr = T'DT, Sr = T'ST, Gr = T'GT, Nr = T'NT, and T'Kg T of each
 *          load
 * G and T share one array: the rows of G are moved to their places in /dofs when Mr is done.
 * Source   Craig & Bampton, AIAA J. 6 (1968) 1313-1319
 */
#include "geometric.h"
#include "memory.h"
#include "full.h"
#include "linalg/blas.h"
#include "linalg/far.h"
#include <string.h>

static fb_status append_far(fb_mat *Psi, const fb_mat *Phi, int64_t k, const fb_mat *X, fb_err *e)
{
    const int64_t m = Psi->m, n = Psi->n, na = X ? X->n : 0;
    const double **x = NULL;
    fb_mat Y = {0}, F = {0};
    fb_status s = FB_OK;
    if (k + na == 0)
        return FB_OK;
    if (na) { /* answers to single loads are near */
        FB_TRY(fb_mat_like(Psi, na, &F, e));
        fb_far->put(X, &F);
    }
    FB_TRY(fb_new(&x, n + k + na, sizeof *x, "columns", e));
    for (int64_t c = 0; c < n + k + na; c++)
        x[c] = c < n ? Psi->x + c * m : c < n + k ? Phi->x + (c - n) * m : F.x + (c - n - k) * m;
    FB_TRY(fb_far->arrange(x, n + k + na, m, &Y, e));
    fb_mat_free(Psi);
    *Psi = Y;
out:
    fb_mat_free(&F);
    free(x);
    return s;
}

/* A copy whose pages are new: all threads ask for them. */
typedef struct {
    double *to;
    const double *from;
    int64_t n;
    int threads;
} copy;

static void copy_share(void *arg, int t)
{
    const copy *z = arg;
    const int64_t at = z->n * t / z->threads, end = z->n * (t + 1) / z->threads;
    memcpy(z->to + at, z->from + at, sizeof *z->to * (size_t)(end - at));
}

static void copy_by_all(double *to, const double *from, int64_t n)
{
    const int64_t worth = 100000; /* numbers */
    copy z = {to, from, n, n > worth ? fb_threads() : 1};
    fb_parallel(z.threads, copy_share, &z);
}

fb_status fb_full_append(fb_mat *Psi, const fb_mat *Phi, int64_t k, const fb_mat *X, int64_t ndof,
                         fb_err *e)
{
    int64_t ni = Psi->m, n = Psi->n, na = X ? X->n : 0;
    if (fb_is_far(Psi->x))
        return append_far(Psi, Phi, k, X, e);
    if (n + k + na > 0 && ndof > INT64_MAX / 8 / (n + k + na))
        return fb_fail(e, FB_ESYS, "T of %lld by %lld is too large", (long long)ndof,
                       (long long)(n + k + na));
    double *x = fb_realloc(Psi->x, (size_t)(ndof * (n + k + na)), sizeof *x);
    if (!x)
        return fb_fail(e, FB_ESYS, "out of memory: %.3g GB for T of %lld dofs and %lld coordinates",
                       8e-9 * (double)ndof * (double)(n + k + na), (long long)ndof,
                       (long long)(n + k + na));
    Psi->x = x;
    if (k)
        copy_by_all(x + n * ni, Phi->x, ni * k);
    if (na)
        copy_by_all(x + (n + k) * ni, X->x, ni * na);
    Psi->n = n + k + na;
    return FB_OK;
}

static fb_status expand_far(const fb_full *f, fb_mat *X, const int64_t *eq, const int64_t *b,
                            int64_t nb, fb_mat *T, fb_err *e)
{
    int64_t *row = NULL, *unit = NULL;
    fb_status s = FB_OK;
    FB_TRY(fb_new(&row, X->m, 8, "rows of T", e));
    FB_TRY(fb_new(&unit, nb, 8, "rows of T", e));
    for (int64_t r = 0; r < X->m; r++)
        row[r] = f->dof[eq ? eq[r] : r];
    for (int64_t c = 0; c < nb; c++)
        unit[c] = f->dof[b[c]];
    FB_TRY(fb_far->expand(X, row, unit, nb, f->b->K.p, f->b->ndof, T, e));
    fb_mat_free(X);
out:
    FB_FREE(row, unit);
    return s;
}

/* T := X as rows of /dofs; eq [m]: equation of each row of X (NULL: all); b [nb] has the unit rows.
 * From the last column and the last row down, no value is overwritten before it has been moved. */
static fb_status expand_take(const fb_full *f, fb_mat *X, const int64_t *eq, const int64_t *b,
                             int64_t nb, fb_mat *T, fb_err *e)
{
    if (fb_is_far(X->x))
        return expand_far(f, X, eq, b, nb, T, e);
    int64_t m = X->m, ndof = f->b->ndof;
    for (int64_t c = X->n - 1; c >= 0; c--) {
        double *to = X->x + c * ndof;
        const double *from = X->x + c * m;
        int64_t d = ndof - 1;
        for (int64_t r = m - 1; r >= 0; r--) {
            int64_t place = f->dof[eq ? eq[r] : r];
            for (; d > place; d--)
                to[d] = 0;
            to[d--] = from[r];
        }
        for (; d >= 0; d--)
            to[d] = 0;
        if (c < nb)
            to[f->dof[b[c]]] = 1;
    }
    X->m = ndof;
    *T = *X;
    *X = (fb_mat){0};
    return FB_OK;
}

/* (FU.3) */
static fb_status stiffness(const fb_split *t, const fb_mat *G, const double *w2, fb_mat *K,
                           fb_err *e)
{
    int64_t nb = t->nb, nr = G->n;
    fb_mat B = {0};
    fb_status s = FB_OK;
    FB_TRY(fb_mat_new(K, nr, nr, e));
    FB_TRY(fb_mat_copy(&B, &t->K.Abb, e));
    fb_csc_tmul(&t->K.Aib, G->x, G->m, B.x, nb, nb);
    fb_mat_symmetrise(&B);
    for (int64_t j = 0; j < nb; j++)
        memcpy(K->x + j * nr, B.x + j * nb, sizeof(double) * (size_t)nb);
    for (int64_t k = nb; k < nr; k++)
        K->x[k + k * nr] = w2[k - nb];
out:
    fb_mat_free(&B);
    return s;
}

/* *out = T'AT by rows where the model has A. */
static fb_status project(const fb_csc *A, const fb_mat *T, double **out, fb_err *e)
{
    fb_mat R = {0};
    if (!A->p)
        return FB_OK;
    FB_PASS(fb_csc_bilinear(T, A, T, &R, e));
    if (A->upper)
        fb_mat_symmetrise(&R);
    else
        fb_mat_transpose(&R);
    *out = R.x;
    return FB_OK;
}

/* D, S, G, N and Kg of the body. */
static fb_status damping(const fb_model *b, fb_reduction *r, fb_err *e)
{
    FB_PASS(project(&b->D, &r->T, &r->D, e));
    FB_PASS(project(&b->S, &r->T, &r->S, e));
    FB_PASS(project(&b->gyroscopic, &r->T, &r->G, e));
    FB_PASS(project(&b->N, &r->T, &r->N, e));
    r->nkg = b->nkg;
    FB_PASS(fb_geometric_reduce(b, &r->T, &r->Kg, e));
    for (int k = 0; k < 2; k++)
        if (k ? r->N : r->G)
            fb_mat_skew(&(fb_mat){r->nr, r->nr, k ? r->N : r->G});
    return FB_OK;
}

/* How the eigenproblem ended, boundary and loads. */
static fb_status record(fb_work *w, const int64_t *b, int64_t nb, fb_err *e)
{
    fb_reduction *r = &w->r;
    const fb_eig *m = &w->m;
    r->check = (fb_modecheck){.sturm = -1};
    if (m->n) {
        FB_PASS(fb_copy(&r->check.residual, m->residual, m->n, 8, "residuals", e));
        r->check.n = m->n;
        r->check.sturm = m->sturm;
        r->check.shift = m->sturm_shift;
        r->check.nrigid = m->nrigid;
    }
    FB_PASS(fb_new(&r->boundary, nb, 8, "boundary dofs", e));
    for (int64_t k = 0; k < nb; k++)
        r->boundary[k] = w->f.dof[b[k]];
    r->nload = w->a.n;
    r->load = w->a.load;
    r->vector = w->f.b->vector;
    w->a.load = NULL;
    return FB_OK;
}

fb_status fb_work_close(fb_work *w, const int64_t *rows, const int64_t *b, int64_t nb,
                        fb_kind normal, fb_err *e)
{
    fb_reduction *r = &w->r;
    r->nb = nb;
    r->nr = w->G.n;
    r->ndropped = w->f.n - r->nr;
    FB_PASS(fb_new(&r->kind, r->nr, 8, "kinds", e));
    for (int64_t c = 0; c < r->nr; c++)
        r->kind[c] = c < nb ? FB_KIND_BOUNDARY : c < nb + r->nn ? normal : FB_KIND_ATTACHMENT;
    FB_PASS(expand_take(&w->f, &w->G, rows, b, nb, &r->T, e));
    FB_PASS(damping(w->f.b, r, e));
    FB_PASS(fb_unsymmetric_bound(w, e));
    return record(w, b, nb, e);
}

/* Phi := X(:, keep) of the modes, w2 with it; keep ascends. */
static fb_status choose_modes(fb_eig *m, const int64_t *keep, int64_t k, int64_t ni, fb_mat *Phi,
                              double *w2, fb_err *e)
{
    for (int64_t c = 0; c < k; c++)
        w2[c] = m->lambda[keep ? keep[c] : c];
    if (keep && k)
        FB_PASS(fb_mat_pick(&m->X, keep, k, e));
    *Phi = (fb_mat){ni, k, m->X.x};
    return FB_OK;
}

fb_status fb_work_finish(fb_work *w, const int64_t *keep, int64_t k, fb_err *e)
{
    const fb_split *t = &w->t;
    fb_attach *a = &w->a;
    fb_mat Phi = {0}, K = {0}, M = {0};
    double *w2 = NULL;
    fb_watch watch = fb_watch_start();
    fb_status s = FB_OK;
    fb_step(t->f->log, "reduced matrices");
    FB_TRY(fb_new(&w2, k + a->n, 8, "eigenvalues", e));
    FB_TRY(choose_modes(&w->m, keep, k, t->ni, &Phi, w2, e));
    FB_TRY(fb_attach_residual(a, t->f, &t->K.Aii, &t->M.Aii, &Phi, w2, e));
    for (int64_t c = 0; c < a->na; c++)
        w2[k + c] = a->w2[c];
    FB_TRY(fb_unsymmetric_statics(w, e));
    FB_TRY(fb_full_append(&w->G, &Phi, k, &a->X, t->f->b->ndof, e));
    fb_mat_free(&w->m.X);
    FB_TRY(w->f.b->N.p ? fb_blocks_congruence(&t->K, &w->G, &K, e)
                       : stiffness(t, &w->G, w2, &K, e));
    FB_TRY(fb_blocks_congruence(&t->M, &w->G, &M, e)); /* (FU.4) */
    w->r.nn = k;
    FB_TRY(fb_split_condense(t, &w->G, &K, &M, &w->r.nn, e));
    w->r.K = K.x;
    w->r.M = M.x;
    K = M = (fb_mat){0};
    FB_TRY(fb_work_close(w, t->i, t->b, t->nb, FB_KIND_NORMAL, e));
    fb_watch_note(&watch, t->f->log, "reduced matrices");
out:
    FB_FREE_BY(fb_mat_free, &K, &M);
    FB_FREE(w2);
    return s;
}

/* The vectors stand where modes do, whose check stays. */
fb_status fb_work_ritz_take(fb_work *w, fb_span *V, int64_t nn, fb_err *e)
{
    const int64_t all = V->X.n, nb = w->t.nb;
    double *lambda = NULL;
    for (int64_t k = 0; k < w->a.n; k++)
        w->a.inside[k] = 0; /* what answers a load is among V */
    fb_mat_free(&w->m.X);
    FB_PASS(fb_span_ritz(V, &w->t.K.Aii, NULL, &lambda, e));
    free(w->m.lambda);
    w->m.lambda = lambda;
    w->m.X = V->X;
    V->X = (fb_mat){0};
    FB_PASS(fb_work_finish(w, NULL, all, e));
    const int64_t kept = w->r.nn;
    w->r.nn = nn < kept ? nn : kept;
    for (int64_t c = nb + w->r.nn; c < nb + kept; c++)
        w->r.kind[c] = FB_KIND_ATTACHMENT;
    return FB_OK;
}
