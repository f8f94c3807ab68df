/* SPDX-License-Identifier: GPL-3.0-or-later */
/* lsmr.c - least-square model reduction: the lowest modes, fitted to master dofs.
 *
 * Symbols  m masters (rows B of Phi0), p lowest modes V_p of (Kq, Mq), + the pseudo-inverse
 * Equations on a full model, s slaves, Phi_p its p lowest modes, lambda their eigenvalues
 *   (LF.1) A = Phi_mp+                        [p x m]
 *   (LF.2) T = [ I ; Phi_sp A ]               p modes stay exact, as T Phi_mp = Phi_p
 *          C = Phi_mp; where the masters were chosen by K_jj/M_jj and C is singular (a symmetric
 *          body), they are chosen by the modes: of S Phi_p, S = diag(M)^1/2, the row furthest from
 *          the span of those taken, again and again
 *   (LF.3) p = m: T = Phi_p A, Kr = A' diag(lambda) A, Mr = A'A;  else T'KT, T'MT
 * Equations on a body held by modes, x = Phi0 q
 *   (LS.1) C = B V_p = U diag(s) W'           [m x p], the modes at the masters; the body's own
 *                                             modes are its coordinates (modal.c), V_p = [ I ; 0 ]
 *                                             but for a group cut by (LS.4)
 *   (LS.2) A = C+ = W diag(1/s) U'            [p x m]
 *   (LS.3) V = V_p A + Psi (I - C A)          unit displacement at one master, none at the others
 * Equation where a group of equal roots does not fit into m masters, R its modes at the masters,
 * rows scaled to unit length over all modes, without their part in the span of the modes below
 *   (LS.4) w = the longest row of R, of equal ones the first, at unit length;  R := (I - y y')(R -
 *          R w w'),  y = R w/|R w|; again: V_p := V_group W.  Any basis of the group gives the same
 *          vectors
 * With p = m (the default) C A = I: V = V_p A spans the p lowest modes, none is spurious. With p <
 * m the constraint vectors Psi (modal.c) of the masters fill up what p modes cannot reach: p modes
 * stay exact, as V C = V_p, and m - p spurious ones lie above. The order is the number of masters.
 * Laws     tests/prop/test_methods.c
 */
#include "memory.h"
#include "full.h"
#include "linalg/far.h"
#include "modal.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* V'KV squares the condition of C: above the first, results hold to four digits; far above 1e8, to
 * none. */
static const double condition_warned = 1e6, condition_most = 1e9;
/* Of the largest entry of a master's row: round-off of a body held by modes. */
static const double resting = 1e-12;

/* (LS.2), and the condition of C. */
static fb_status pseudo_inverse(const fb_mat *C, fb_mat *A, double *condition, fb_err *e)
{
    int64_t k = C->m < C->n ? C->m : C->n;
    double *sv = NULL;
    fb_mat U = {0}, W = {0};
    fb_status s = FB_OK;
    FB_TRY(fb_new(&sv, k, 8, "singular values", e));
    FB_TRY(fb_svd(C, &U, sv, &W, 0, e));
    *condition = k == 0 ? 1 : sv[k - 1] > 0 ? sv[0] / sv[k - 1] : INFINITY;
    if (*condition > condition_most)
        FB_TRY(fb_fail(e, FB_ESOLVE,
                       "at the %lld masters the %lld lowest modes cannot be told apart (condition "
                       "%.2g): choose masters that move differently",
                       (long long)C->m, (long long)C->n, *condition));
    for (int64_t c = 0; c < k; c++)
        for (int64_t i = 0; i < W.m; i++)
            W.x[i + c * W.m] /= sv[c];
    s = fb_mat_product(0, 1, &W, &U, A, e);
out:
    FB_FREE_BY(fb_mat_free, &U, &W);
    free(sv);
    return s;
}

/* The columns of R lose their part along y, of unit length. */
static void without(fb_mat *R, double *y)
{
    const fb_mat Y = {R->m, 1, y};
    for (int64_t c = 0; c < R->n; c++)
        fb_without(&Y, R->x + c * R->m);
}

/* R of (LS.4): the rows of C [m x n] at unit length, their last columns without the span of the
 * first ones. */
static fb_status seen(const fb_mat *C, int64_t first, fb_mat *R, fb_err *e)
{
    const int64_t m = C->m;
    fb_mat S = {0};
    fb_status s = fb_mat_copy(&S, C, e);
    if (s)
        return s;
    for (int64_t r = 0; r < m; r++) {
        double norm = 0;
        for (int64_t c = 0; c < C->n; c++)
            norm += C->x[r + c * m] * C->x[r + c * m];
        for (int64_t c = 0; c < C->n; c++)
            S.x[r + c * m] = norm > 0 ? C->x[r + c * m] / sqrt(norm) : 0;
    }
    for (int64_t c = 0; c < first; c++) {
        fb_mat behind = fb_mat_columns(&S, c + 1, C->n - c - 1);
        fb_to_unit(S.x + c * m, m);
        without(&behind, S.x + c * m);
        without(&behind, S.x + c * m);
    }
    const fb_mat last = fb_mat_columns(&S, first, C->n - first);
    s = fb_mat_copy(R, &last, e);
    fb_mat_free(&S);
    return s;
}

/* (LS.4) C [m x end] the modes at the masters, the group from `first` on; W [(end - first) x (m -
 *        first)]. */
static fb_status cut(const fb_mat *C, int64_t first, fb_mat *W, fb_err *e)
{
    const int64_t m = C->m, g = C->n - first;
    fb_mat R = {0};
    double *y = NULL;
    fb_status s = FB_OK;
    FB_TRY(seen(C, first, &R, e));
    FB_TRY(fb_mat_new(W, g, m - first, e));
    FB_TRY(fb_new(&y, m, 8, "column", e));
    for (int64_t c = 0; c < W->n; c++) {
        double most = 0, *w = W->x + c * g;
        for (int64_t r = 0; r < m; r++) {
            double norm = 0;
            for (int64_t k = 0; k < g; k++)
                norm += R.x[r + k * m] * R.x[r + k * m];
            if (norm <= most * (1 + 1e-6))
                continue;
            most = norm;
            for (int64_t k = 0; k < g; k++)
                w[k] = R.x[r + k * m];
        }
        const fb_mat before = fb_mat_columns(W, 0, c);
        fb_without(&before, w);
        fb_without(&before, w);
        fb_to_unit(w, g);
        memset(y, 0, sizeof *y * (size_t)m);
        for (int64_t k = 0; k < g; k++)
            fb_axpy(w[k], R.x + k * m, y, m);
        for (int64_t k = 0; k < g; k++)
            fb_axpy(-w[k], y, R.x + k * m, m);
        fb_to_unit(y, m);
        without(&R, y);
    }
out:
    fb_mat_free(&R);
    free(y);
    return s;
}

static void warn_cut(int64_t first, int64_t end, int64_t m, fb_log *log)
{
    fb_warn(log,
            "modes %lld to %lld are a group of equal roots: %lld of them %s fitted to the %lld "
            "masters, as the motion of these chooses",
            (long long)first + 1, (long long)end, (long long)(m - first),
            m - first > 1 ? "are" : "is", (long long)m);
}

/* (LS.3) adds Psi (I - C A) to V. */
static fb_status fill_up(const fb_model *b, const int64_t *dof, const fb_mat *C, const fb_mat *A,
                         fb_mat *V, fb_log *log, fb_err *e)
{
    fb_modalsplit t = {0};
    fb_mat R = {0};
    fb_status s = FB_OK;
    FB_TRY(fb_modal_split(b, dof, C->m, &t, log, e));
    FB_TRY(fb_mat_unit(&R, C->m, e));
    FB_TRY(fb_gemm(0, 0, -1, C, A, 1, &R, e));
    s = fb_gemm(0, 0, 1, &t.Psi, &R, 1, V, e);
out:
    fb_mat_free(&R);
    fb_modal_split_free(&t);
    return s;
}

static void warn_spurious(int64_t p, int64_t m, fb_log *log)
{
    if (p < m)
        fb_warn(log,
                "%lld modes are fitted to %lld masters: %lld exact modes and %lld spurious ones "
                "above them",
                (long long)p, (long long)m, (long long)p, (long long)(m - p));
}

/* p by --modes or --fmax, the number of masters by default and at the most. */
static fb_status fitted(const fb_model *b, const fb_reduceopt *o, const double *w2, int64_t m,
                        int64_t *p, fb_log *log, fb_err *e)
{
    fb_reduceopt by = *o;
    fb_status s = FB_OK;
    by.order = -1;
    *p = m;
    if (m > b->nm)
        return fb_fail(e, FB_EUSAGE,
                       "%lld masters, but the body has %lld modes: name fewer by --masters LIST",
                       (long long)m, (long long)b->nm);
    if (by.modes >= 0 || by.fmax > 0)
        s = fb_modal_wanted(b, &by, w2, b->nm, 0, "", p, log, e);
    if (!s && *p < 1)
        s = fb_fail(e, FB_EUSAGE,
                    "no mode is left to fit to the masters: ask for more by --modes or --fmax");
    if (!s && *p > m)
        fb_warn(log, "%lld modes are asked for, %lld masters take %lld", (long long)*p,
                (long long)m, (long long)m);
    *p = *p < m ? *p : m;
    if (!s)
        warn_spurious(*p, m, log);
    return s;
}

/* Of a body held by modes, what it costs is measured (fb_modal_prove). */
static void say_condition(int64_t p, int64_t m, double condition, int unmeasured, fb_log *log)
{
    fb_note(log, "%lld modes fitted to %lld masters, condition %.2g", (long long)p, (long long)m,
            condition);
    if (unmeasured && condition > condition_warned)
        fb_warn(
            log,
            "the masters hardly tell the modes apart: condition %.2g, results hold to about %.0e",
            condition, condition * condition * 1e-16);
}

/* V_p [nm x p], of the own modes as coordinates; B [m x nm] their rows at the masters. */
static fb_status lowest(const fb_model *b, const double *w2, const fb_mat *B, int64_t p, fb_mat *Vp,
                        fb_log *log, fb_err *e)
{
    int64_t first = p, end = p < B->m ? p : fb_modal_group(w2, b->nm, p, &first);
    fb_mat W = {0};
    fb_status s = FB_OK;
    if (end == p)
        first = p;
    FB_TRY(fb_mat_new(Vp, b->nm, p, e));
    for (int64_t k = 0; k < first; k++)
        Vp->x[k + k * b->nm] = 1;
    if (end > p) {
        const fb_mat C = {B->m, end, B->x};
        FB_TRY(cut(&C, first, &W, e));
        for (int64_t c = first; c < p; c++)
            memcpy(Vp->x + first + c * b->nm, W.x + (c - first) * W.m,
                   sizeof(double) * (size_t)W.m);
        warn_cut(first, end, p, log);
    }
out:
    fb_mat_free(&W);
    return s;
}

/* A master at rest in all modes to be fitted: what C [m x p] holds of it is round-off of its row of
 * B, of any condition. */
static fb_status at_rest(const fb_model *b, const int64_t *dof, const fb_mat *B, const fb_mat *C,
                         fb_err *e)
{
    for (int64_t r = 0; r < C->m && C->n == C->m; r++) {
        double all = 0, kept = 0;
        for (int64_t k = 0; k < B->n; k++)
            all = fmax(all, fabs(B->x[r + k * B->m]));
        for (int64_t k = 0; k < C->n; k++)
            kept = fmax(kept, fabs(C->x[r + k * C->m]));
        if (kept <= resting * all)
            return fb_fail(e, FB_ESOLVE,
                           "at the %lld masters the %lld lowest modes cannot be told apart: "
                           "%lld.%lld rests in all of them; choose masters that move differently",
                           (long long)C->m, (long long)C->n, (long long)b->dof_node[dof[r]],
                           (long long)b->dof_component[dof[r]]);
    }
    return FB_OK;
}

static fb_status modal(const fb_model *b, const fb_reduceopt *o, fb_reduction *r, fb_log *log,
                       fb_err *e)
{
    int64_t *dof = NULL, m = 0, p = 0;
    double *w2 = NULL, condition = 0;
    fb_mat Vp = {0}, B = {0}, C = {0}, A = {0}, V = {0};
    fb_status s = FB_OK;
    FB_TRY(fb_modal_masters(b, o, "LSMR", &dof, &m, log, e));
    FB_TRY(fb_modal_eigenvalues(b, &w2, e));
    FB_TRY(fitted(b, o, w2, m, &p, log, e));
    FB_TRY(fb_modal_rows(b, dof, m, &B, e));
    FB_TRY(lowest(b, w2, &B, p, &Vp, log, e));
    FB_TRY(fb_mat_product(0, 0, &B, &Vp, &C, e)); /* (LS.1) */
    FB_TRY(at_rest(b, dof, &B, &C, e));
    FB_TRY(pseudo_inverse(&C, &A, &condition, e));
    say_condition(p, m, condition, 0, log);
    FB_TRY(fb_mat_product(0, 0, &Vp, &A, &V, e));
    if (p < m)
        FB_TRY(fill_up(b, dof, &C, &A, &V, log, e));
    s = fb_modal_reduction_take(b, &V, dof, m, FB_KIND_BOUNDARY, r, e);
out:
    FB_FREE_BY(fb_mat_free, &Vp, &B, &C, &A, &V);
    FB_FREE(w2, dof);
    return s;
}

/* C [m x n]: the first n modes at the masters. */
static fb_status at_masters(const fb_eig *q, const int64_t *master, int64_t m, int64_t n, fb_mat *C,
                            fb_err *e)
{
    double *row = NULL;
    fb_status s = FB_OK;
    const fb_mat X = fb_mat_columns(&q->X, 0, n);
    FB_TRY(fb_mat_new(C, m, n, e));
    FB_TRY(fb_new(&row, n, 8, "modes of a dof", e));
    for (int64_t k = 0; k < m; k++) {
        if (fb_is_far(X.x))
            fb_far->row(&X, master[k], row);
        for (int64_t c = 0; c < n; c++)
            C->x[k + c * m] = fb_is_far(X.x) ? row[c] : X.x[master[k] + c * X.m];
    }
out:
    free(row);
    return s;
}

/* A [p x m] of (LF.1), p at most m. */
static fb_status fit(const fb_eig *q, const int64_t *master, int64_t m, int64_t p, fb_mat *A,
                     double *condition, fb_err *e)
{
    fb_mat C = {0};
    fb_status s = at_masters(q, master, m, p, &C, e);
    if (!s)
        s = pseudo_inverse(&C, A, condition, e);
    fb_mat_free(&C);
    return s;
}

/* The modes from the first-th on, as many as W has rows, := those times W; the others go. */
static fb_status turn_far(fb_eig *q, int64_t first, const fb_mat *W, fb_err *e)
{
    const fb_mat X = fb_mat_columns(&q->X, first, W->m);
    const double **x = NULL;
    fb_mat Y = {0}, all = {0};
    fb_status s = FB_OK;
    FB_TRY(fb_mat_like(&q->X, W->n, &Y, e));
    FB_TRY(fb_gemm(0, 0, 1, &X, W, 0, &Y, e));
    FB_TRY(fb_new(&x, first + W->n, sizeof *x, "columns", e));
    for (int64_t c = 0; c < first + W->n; c++)
        x[c] = c < first ? q->X.x + c * X.m : Y.x + (c - first) * X.m;
    FB_TRY(fb_far->arrange(x, first + W->n, X.m, &all, e));
    fb_mat_free(&q->X);
    q->X = all;
out:
    fb_mat_free(&Y);
    free(x);
    return s;
}

/* (LS.4) Where mode m is in a group of equal roots that goes on, those of the group up to mode m
 * are chosen by the masters; L is diag(lambda) of the modes to be fitted, turned alike. */
static fb_status cut_full(const fb_full *f, fb_eig *q, const int64_t *master, int64_t m, fb_mat *L,
                          fb_err *e)
{
    int64_t first = 0, n = m;
    fb_mat C = {0}, W = {0}, D = {0}, G = {0};
    fb_status s = FB_OK;
    FB_TRY(fb_mat_new(L, q->n < m ? q->n : m, q->n < m ? q->n : m, e));
    for (int64_t k = 0; k < L->n; k++)
        L->x[k + k * L->n] = q->lambda[k];
    if (q->n > m)
        n = fb_modal_group(q->lambda, q->n, m, &first); /* the rigid ones, all 0, are one */
    if (n == m)
        return FB_OK;
    FB_TRY(at_masters(q, master, m, n, &C, e));
    FB_TRY(cut(&C, first, &W, e));
    FB_TRY(fb_mat_new(&D, W.m, W.m, e));
    for (int64_t k = 0; k < W.m; k++)
        D.x[k + k * W.m] = q->lambda[first + k];
    FB_TRY(fb_congruence(&D, &W, &G, e));
    for (int64_t c = 0; c < W.n; c++)
        for (int64_t k = 0; k < W.n; k++)
            L->x[first + k + (first + c) * m] = G.x[k + c * W.n];
    fb_mat X = fb_mat_columns(&q->X, first, W.m);
    FB_TRY(fb_is_far(X.x) ? turn_far(q, first, &W, e) : fb_mat_times(&X, &W, e));
    warn_cut(first, n, m, f->log);
out:
    FB_FREE_BY(fb_mat_free, &C, &W, &D, &G);
    return s;
}

/* Of (LF.1): dofs that tell the modes apart as well, but for round-off, go by their numbers. */
static const double slack = 1e-9;

/* (LF.1) The first nm masters stay. */
static fb_status choose_by_modes(const fb_full *f, const fb_eig *q, int64_t nm, int64_t m,
                                 int64_t p, int64_t *master, fb_err *e)
{
    const fb_mat X = fb_mat_columns(&q->X, 0, p);
    double *w = NULL;
    fb_mat R = {0};
    fb_status s = FB_OK;
    FB_TRY(fb_new(&w, f->n, 8, "diagonal of M", e));
    fb_csc_diagonal(&f->M, w);
    for (int64_t j = 0; j < f->n; j++)
        w[j] = w[j] > 0 && f->b->dof_class[f->dof[j]] == FB_DOF_PHYSICAL ? sqrt(w[j]) : 0;
    if (fb_is_far(X.x)) {
        FB_TRY(fb_far->pick(&X, w, slack, nm, m, master, e));
        goto out;
    }
    FB_TRY(fb_mat_new(&R, p, f->n, e));
    for (int64_t j = 0; j < f->n; j++)
        for (int64_t c = 0; c < p; c++)
            R.x[c + j * p] = w[j] * X.x[j + c * f->n];
    (void)fb_pick_columns(&R, slack, 0, nm, m, master);
out:
    free(w);
    fb_mat_free(&R);
    return s;
}

/* A, and the masters behind the nm named ones, if these do not do. */
static fb_status fit_or_choose(const fb_full *f, const fb_eig *q, int64_t *master, int64_t nm,
                               int64_t m, int64_t p, fb_mat *A, fb_err *e)
{
    double condition = 0;
    char list[400];
    fb_status s = fit(q, master, m, p, A, &condition, e);
    if ((s == FB_OK || s == FB_ESOLVE) && condition > condition_warned && nm < m && p == m) {
        double before = condition;
        fb_mat_free(A);
        FB_TRY(choose_by_modes(f, q, nm, m, p, master, e));
        FB_TRY(fit(q, master, m, p, A, &condition, e));
        fb_full_names(f, master + nm, m - nm, list, sizeof list);
        fb_warn(f->log,
                "the masters with the lowest K_jj/M_jj cannot tell the %lld modes apart (condition "
                "%.2g): masters chosen by the modes instead:%s",
                (long long)p, before, list);
    }
    if (!s)
        say_condition(p, m, condition, 1, f->log);
out:
    return s;
}

/* (LF.2), and behind it the attachment vectors: G [n x (m + na)] over the equations. */
static fb_status shapes_far(fb_work *w, const fb_mat *A, fb_err *e)
{
    const int64_t n = w->f.n, m = w->n, na = w->a.na;
    const fb_mat Phi = fb_mat_columns(&w->m.X, 0, A->m);
    fb_mat X = {0};
    fb_status s = FB_OK;
    FB_TRY(fb_mat_like(&Phi, m, &w->G, e));
    FB_TRY(fb_gemm(0, 0, 1, &Phi, A, 0, &w->G, e));
    fb_mat_free(&w->m.X);
    fb_far->unit(&w->G, w->eq, m);
    FB_TRY(fb_mat_new(&X, n, na, e));
    for (int64_t c = 0; c < na; c++)
        for (int64_t k = 0; k < w->t.ni; k++)
            X.x[w->t.i[k] + c * n] = w->a.X.x[k + c * w->t.ni];
    s = fb_full_append(&w->G, NULL, 0, &X, n, e);
out:
    fb_mat_free(&X);
    return s;
}

static fb_status shapes(fb_work *w, const fb_mat *A, fb_err *e)
{
    if (fb_is_far(w->m.X.x))
        return shapes_far(w, A, e);
    const int64_t n = w->f.n, m = w->n, na = w->a.na, ndof = w->f.b->ndof;
    const int64_t most = m + na > w->m.X.n ? m + na : w->m.X.n;
    double *x = fb_realloc(w->m.X.x, (size_t)(ndof * most), sizeof *x); /* room for rows of /dofs */
    if (!x)
        return fb_fail(e, FB_ESYS, "out of memory for T of %lld by %lld", (long long)ndof,
                       (long long)most);
    w->G = (fb_mat){n, A->m, x};
    w->m.X = (fb_mat){0};
    FB_PASS(fb_mat_times(&w->G, A, e));
    for (int64_t c = 0; c < m; c++)
        for (int64_t k = 0; k < m; k++)
            x[w->eq[k] + c * n] = k == c;
    memset(x + m * n, 0, sizeof *x * (size_t)(n * na));
    for (int64_t c = 0; c < na; c++)
        for (int64_t k = 0; k < w->t.ni; k++)
            x[w->t.i[k] + (m + c) * n] = w->a.X.x[k + c * w->t.ni];
    w->G.n = m + na;
    return FB_OK;
}

/* (LF.3) L = diag(lambda) */
static fb_status matrices(fb_work *w, const fb_mat *L, const fb_mat *A, fb_err *e)
{
    fb_mat K = {0}, M = {0};
    fb_status s = FB_OK;
    if (A->m != w->G.n) {
        FB_TRY(fb_csc_congruence(&w->f.K, &w->G, &K, e));
        FB_TRY(fb_csc_congruence(&w->f.M, &w->G, &M, e));
    } else {
        FB_TRY(fb_congruence(L, A, &K, e));
        FB_TRY(fb_mat_product(1, 0, A, A, &M, e));
        fb_mat_symmetrise(&M);
    }
    w->r.K = K.x;
    w->r.M = M.x;
    K = (fb_mat){0};
out:
    fb_mat_free(&K);
    return s;
}

static fb_status attach(fb_work *w, fb_err *e)
{
    const fb_mat none = {0};
    const fb_full *f = &w->f;
    fb_split *t = &w->t;
    int64_t *b = NULL;
    fb_status s = FB_OK;
    if (!f->o->loads)
        return FB_OK;
    FB_TRY(fb_copy(&b, w->eq, w->n, sizeof *b, "masters", e));
    FB_TRY(fb_split_new_take(t, f, &b, w->n, e));
    FB_TRY(fb_statics_new(&w->st, f, &t->K.Aii, &t->M.Aii, t->i, t->nmult, NULL, e));
    FB_TRY(fb_attach_new(&w->a, f, t, &w->st, e));
    w->a.untold = 1; /* slaves are fitted to the modes */
    s = fb_attach_residual(&w->a, f, &t->K.Aii, &t->M.Aii, &none, NULL, e);
    fb_statics_free(&w->st);
out:
    free(b);
    return s;
}

static fb_status full(fb_work *w, fb_err *e)
{
    const fb_full *f = &w->f;
    const fb_reduceopt *o = f->o;
    fb_eig *q = &w->m;
    fb_mat A = {0}, L = {0};
    int64_t nm = 0;
    fb_status s = FB_OK;
    FB_TRY(fb_full_masters(f, "LSMR", &w->eq, &w->n, &nm, e));
    const int64_t m = w->n, k = o->modes >= 0 ? o->modes : o->fmax > 0 ? -1 : m;
    FB_TRY(fb_full_modes(f, &f->K, &f->M, NULL, f->nmult, k, NULL, "modes", q, e));
    const int64_t p = q->n < m ? q->n : m;
    if (p < 1)
        return fb_fail(e, FB_EUSAGE,
                       "no mode is left to fit to the masters: ask for more by --modes or --fmax");
    warn_spurious(p, m, f->log);
    FB_TRY(cut_full(f, q, w->eq, m, &L, e));
    FB_TRY(fit_or_choose(f, q, w->eq, nm, m, p, &A, e));
    FB_TRY(attach(w, e));
    FB_TRY(shapes(w, &A, e));
    FB_TRY(matrices(w, &L, &A, e));
    s = fb_work_close(w, NULL, w->eq, m, FB_KIND_NORMAL, e);
out:
    FB_FREE_BY(fb_mat_free, &A, &L);
    return s;
}

const fb_method fb_method_lsmr = {.name = "lsmr",
                                  .doc = "least-square model reduction",
                                  .modal = modal,
                                  .full = full,
                                  .far = 1,
                                  .masters = 1,
                                  .options = fb_masters_options};
