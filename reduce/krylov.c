/* SPDX-License-Identifier: GPL-3.0-or-later */
/* krylov.c - rational Krylov reduction of the undamped body: its response at shifts, and moments of
 * it.
 *
 * Symbols  l = s^2 < 0 where s = i 2 pi f; l_j = (2 pi f_j)^2 of the shifts f_j; B unit loads at
 *          the boundary dofs b (and --loads), p of them
 * The response to B is H(l) = B'(K - l M)^-1 B = sum_k (l - l_j)^k B'X_jk, with the vectors
 *   (KR.1) (K - l_j M) X_j0 = B,  (K - l_j M) X_jk = M X_j,k-1
 * T that holds X_j0 .. X_j,q-1 gives 2 q moments of H at l_j: K and M are symmetric. Equations on a
 * full model, D_j = Kii - l_j Mii, with the constraint modes Psi of cb.c and the columns e of
 * loads inside:
 *   (KR.2) F = [ Mii Psi + Mib, e ],  D_j E_j0 = F,  D_j E_jk = Mii E_j,k-1
 *   (KR.3) T = [ I 0 ; Psi X ],  X spans E_j0 .. E_j,q-1 of all j
 * As D_j (Psi_j - Psi) = l_j F for Psi_j = -D_j^-1 (Kib - l_j Mib), which is X_j0 with unit motion
 * at the boundary, (KR.3) holds X_j0 .. X_j,q-1; where l_j = 0, X_jq too. Static answers and rigid
 * motion are exact at any shift, which bodies of simulators need.
 *   (KR.4) E_jk from the vectors that E_j,k-1 added, M-orthonormal to all before (span.c): by the
 *          resolvent D_j^-1 M D_i^-1 = (D_j^-1 - D_i^-1)/(l_j - l_i) other shifts' parts add
 *          nothing
 * What depends on vectors before is left out (deflation). Dofs without mass follow statically in
 * every E_jk, which is their condensation, and are made to in what is left of it (follow.c). X
 * becomes the Ritz vectors of Kii, and with it Kr =
 * diag(Kbb + Kbi Psi, w2) as in cb.c.
 * Equations on a body held by modes, x = Phi0 q, Mq = 1 (modal.c gives Psi, Phi, w2)
 *   (KR.5) D_j = diag(w2 - l_j) in terms of Phi,  F = Phi' Psi
 * Source   Ruhe, Linear Algebra Appl. 58 (1984) 391-405 (rational Krylov); Lohmann & Salimbahrami,
 *          at - Automatisierungstechnik 53 (2005) 493-500 (second-order moments, undamped); Bai &
 *          Su, SIAM J. Matrix Anal. Appl. 26 (2005) 640-659; Freund, Acta Numerica 12 (2003)
 *          267-319 (blocks, deflation)
 * Cost     a factor for each shift, one solve for each vector
 * Laws     tests/prop/test_bases.c
 */
#include "memory.h"
#include "number.h"
#include "follow.h"
#include "full.h"
#include "modal.h"
#include <math.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

enum { SHIFTS = 16 };

/* Less than this of a vector left behind those before it is round-off of a solve. */
static const double deflated = 1e-9;
/* |l_j| times the longest answer to unit inertia: above, the shift is a root of the held body. */
static const double at_root = 1e8;
/* An eigenvalue of the condensed stiffness, scaled to a unit diagonal, that is rigid motion. */
static const double rigid_share = 1e-11;

typedef struct {
    int64_t n;
    double hz[SHIFTS], lambda[SHIFTS]; /* ascending */
} shifts;

static fb_status read_shifts(const char *list, const fb_units *u, shifts *z, fb_err *e)
{
    const char *p = list, *end = list + strlen(list);
    for (z->n = 0; p <= end; p++) {
        double hz = -1;
        const char *start = p, *q = fb_scan_real(p, end, &hz);
        int64_t k = z->n;
        if (!q || (q < end && *q != ',') || !(hz >= 0) || !isfinite(fb_lambda(u, hz)))
            return fb_fail(e, FB_EUSAGE, "--at: '%.*s' is not a frequency of 0 Hz or more",
                           (int)strcspn(start, ","), start);
        if (z->n == SHIFTS)
            return fb_fail(e, FB_EUSAGE, "--at: more than %d frequencies", SHIFTS);
        while (k > 0 && z->hz[k - 1] > hz) {
            z->hz[k] = z->hz[k - 1];
            k--;
        }
        if (k > 0 && !(z->hz[k - 1] < hz))
            return fb_fail(e, FB_EUSAGE, "--at: %g Hz is named twice", hz);
        z->hz[k] = hz;
        z->n++;
        p = q;
    }
    for (int64_t k = 0; k < z->n; k++)
        z->lambda[k] = fb_lambda(u, z->hz[k]);
    return FB_OK;
}

static fb_status check(const fb_reduceopt *o, fb_err *e)
{
    fb_units u; /* of a body that is not there yet: the form is judged */
    shifts z;
    if (o->fmax > 0)
        return fb_fail(
            e, FB_EUSAGE,
            "--fmax chooses modes, Krylov makes vectors at --at: give --order or --modes");
    if (!o->at)
        return fb_fail(
            e, FB_EUSAGE,
            "Krylov wants the frequencies to be exact at: --at HZ or --at HZ,HZ,..., e.g. "
            "one or two within the band of interest");
    fb_units_unnamed(&u);
    return read_shifts(o->at, &u, &z, e);
}

/* 0 Hz of a free body is a pole of its response. K_G [nb x nb] of the constraint modes. */
static fb_status no_pole(const shifts *z, const fb_mat *K, int64_t rigid, fb_err *e)
{
    double *w = NULL;
    fb_mat S = {0};
    fb_status s = FB_OK;
    if (z->hz[0] > 0)
        return FB_OK;
    FB_TRY(fb_mat_unit_diagonal(K, NULL, &S, e));
    FB_TRY(fb_new(&w, S.n, sizeof *w, "eigenvalues", e));
    FB_TRY(fb_eig_symmetric(&S, w, e));
    if (rigid || (S.n && w[0] < rigid_share))
        s = fb_fail(
            e, FB_EUSAGE,
            "--at 0: the body is free, and its response to a load has a pole at 0 Hz: take a "
            "frequency above, such as --at 1 (static answers and rigid motion are exact at "
            "any), or hold the body by --fix");
out:
    FB_FREE(w);
    fb_mat_free(&S);
    return s;
}

/* ---- the chain of one shift -------------------------------------------------------------- */

typedef struct { /* X := D_j^-1 X of the shift that is being worked at */
    fb_status (*solve)(void *self, fb_mat *X, fb_err *e);
    void *self;
    fb_follow *follow; /* NULL: no dof lacks mass */
    double hz, lambda;
    int64_t blocks; /* out: blocks that are whole */
} place;

/* R := M V */
static fb_status inertia(const fb_csc *M, const fb_mat *V, fb_mat *R, fb_err *e)
{
    fb_mat_free(R);
    if (!M)
        return fb_mat_copy(R, V, e);
    FB_PASS(fb_mat_new(R, V->m, V->n, e));
    return fb_csc_mul_many(M, V, R, e);
}

static fb_status root(double hz, fb_err *e)
{
    return fb_fail(e, FB_ESOLVE,
                   "--at %g: this is a natural frequency of the body with its boundary held, where "
                   "vectors have no limit: move it a little",
                   hz);
}

/* The answers R to the inertia of unit vectors are as long as 1/(distance of the nearest root). */
static fb_status apart(const place *at, const fb_span *V, const fb_mat *R, fb_err *e)
{
    for (int64_t c = 0; c < R->n; c++)
        if (!(fb_mass_norm(V->M, R->x + c * R->m, R->m, V->Mx) * fabs(at->lambda) <= at_root))
            return root(at->hz, e);
    return FB_OK;
}

/* V gets what is new in R, `upto` vectors at most. *room: it could have had all. */
static fb_status add(const place *at, const fb_mat *R, int64_t upto, fb_span *V, int *room,
                     fb_err *e)
{
    int64_t c = 0;
    for (; c < R->n && V->X.n < upto; c++)
        if (fb_span_add(V, R->x + c * R->m, deflated, 0) && at->follow)
            FB_PASS(fb_follow_set(at->follow, V->X.x + (V->X.n - 1) * V->X.m, e));
    *room = c == R->n;
    return FB_OK;
}

/* (KR.2), (KR.4) until V has `upto` vectors or the chain ends. One block more is solved for than
 * is taken: it tells whether there is a root. Where the vectors of other shifts hold a part of the
 * first block already, (KR.4) goes on from the last of those, too. */
static fb_status chain(place *at, const fb_mat *F, int64_t upto, fb_span *V, fb_err *e)
{
    const int64_t before = V->X.n, again = before < F->n ? before : F->n;
    fb_mat R = {0}, last = fb_mat_columns(&V->X, before - again, again);
    fb_status s = FB_OK;
    int room = 1;
    FB_TRY(fb_mat_copy(&R, F, e));
    for (at->blocks = 0;; at->blocks++) {
        const int64_t first = V->X.n;
        FB_TRY(at->solve(at->self, &R, e));
        if (at->blocks > 0)
            FB_TRY(apart(at, V, &R, e));
        FB_TRY(add(at, &R, upto, V, &room, e));
        if (at->blocks == 0 && again > 0 && V->X.n < first + F->n && room) {
            FB_TRY(inertia(V->M, &last, &R, e));
            FB_TRY(at->solve(at->self, &R, e));
            FB_TRY(add(at, &R, upto, V, &room, e));
        }
        if (V->X.n == first || (at->blocks > 0 && !room))
            break;
        last = fb_mat_columns(&V->X, first, V->X.n - first);
        FB_TRY(inertia(V->M, &last, &R, e));
    }
out:
    fb_mat_free(&R);
    return s;
}

/* Vectors that shift j should have brought V to, in blocks of p, the last one cut. */
static int64_t share(const shifts *z, int64_t j, int64_t p, int64_t most)
{
    const int64_t blocks = (most + p - 1) / p, each = blocks / z->n, more = blocks % z->n;
    const int64_t n = p * (each * (j + 1) + (j + 1 < more ? j + 1 : more));
    return n < most ? n : most;
}

static void say(const place *at, const fb_span *V, fb_log *log)
{
    fb_note(log, "Krylov vectors at %g Hz: %lld blocks, %lld vectors so far", at->hz,
            (long long)at->blocks, (long long)V->X.n);
}

/* The interior has room for V's rows as vectors. */
static void say_end(const shifts *z, int64_t p, const fb_span *V, int64_t want, fb_log *log)
{
    const int64_t reached = p > 0 ? (want + p - 1) / p : 0, room = V->X.m;
    char advice[120];
    if (p * z->n <= room)
        snprintf(advice, sizeof advice, "an order higher by %lld has one block for each",
                 (long long)(p * z->n - want));
    else
        snprintf(advice, sizeof advice,
                 "the interior has %lld in all, blocks for %lld: name fewer frequencies, or a "
                 "smaller --interface",
                 (long long)room, (long long)((room + p - 1) / p));
    if (reached < z->n)
        fb_warn(log,
                "%lld vectors beside the boundary, in blocks of %lld, leave none for --at %g: %s",
                (long long)want, (long long)p, z->hz[reached], advice);
    if (V->X.n < want)
        fb_warn(log,
                "%lld vectors are asked for beside the boundary, there are %lld: what these loads "
                "excite is exact already, or other shifts of --at tell more",
                (long long)want, (long long)V->X.n);
}

/* ---- full models ------------------------------------------------------------------------- */

typedef struct {
    fb_factor *F;
    fb_statics *st; /* of shift 0 */
} solver;

static fb_status by_factor(void *self, fb_mat *X, fb_err *e)
{
    solver *y = self;
    return y->st ? fb_statics_solve(y->st, X, e) : fb_factor_solve(y->F, X, e);
}

static fb_status work_at(fb_work *w, place *at, const fb_mat *F, int64_t upto, fb_span *V,
                         fb_err *e)
{
    const fb_split *t = &w->t;
    int64_t *node = NULL;
    fb_factor_opts o = {.memory = w->f.o->memory};
    solver y = {0};
    fb_status s = FB_OK;
    at->solve = by_factor;
    at->self = &y;
    if (at->lambda > 0) {
        fb_statics_free(&w->st); /* one factor at a time */
        FB_TRY(fb_full_nodes(&w->f, t->i, t->ni, &node, e));
        o.node = node;
        s = fb_factor_indefinite(&y.F, &t->K.Aii, &t->M.Aii, at->lambda, &o, e);
        if (s)
            FB_TRY(s == FB_ESOLVE ? root(at->hz, e) : fb_context(e, "--at %g", at->hz));
    } else {
        y.st = &w->st;
    }
    s = chain(at, F, upto, V, e);
out:
    at->self = NULL;
    fb_factor_free(y.F);
    FB_FREE(node);
    return s;
}

/* F of (KR.2) */
static fb_status inputs(const fb_work *w, fb_mat *F, fb_err *e)
{
    const fb_split *t = &w->t;
    int64_t c = t->nb;
    FB_PASS(fb_split_inertia(t, &w->G, w->a.n, F, e));
    for (int64_t k = 0; k < w->a.n; k++)
        if (w->a.inside[k])
            memcpy(F->x + c++ * t->ni, w->a.P.x + k * t->ni, sizeof(double) * (size_t)t->ni);
    F->n = c;
    return FB_OK;
}

static fb_status massless(fb_work *w, fb_follow *z, fb_err *e)
{
    const fb_split *t = &w->t;
    char *loaded = NULL;
    int64_t *node = NULL;
    fb_status s = FB_OK;
    FB_TRY(fb_new(&loaded, t->ni, 1, "loads", e));
    for (int64_t k = 0; k < w->a.n; k++)
        for (int64_t i = 0; w->a.inside[k] && i < t->ni; i++)
            loaded[i] = (char)(loaded[i] || fabs(w->a.P.x[i + k * t->ni]) > 0);
    FB_TRY(fb_full_nodes(&w->f, t->i, t->ni, &node, e));
    s = fb_follow_new(z, &t->K.Aii, &t->M.Aii, loaded, node, e);
out:
    FB_FREE(loaded, node);
    return s;
}

static fb_status condensed(const fb_work *w, const shifts *z, fb_err *e)
{
    fb_mat K = {0};
    fb_status s = fb_blocks_congruence(&w->t.K, &w->G, &K, e);
    if (!s)
        s = no_pole(z, &K, w->st.Z.n, e);
    fb_mat_free(&K);
    return s;
}

static fb_status full(fb_work *w, fb_err *e)
{
    shifts z = {0};
    int64_t want = 0;
    fb_mat F = {0};
    fb_span V = {0};
    fb_follow follow = {0};
    fb_watch watch = fb_watch_start();
    fb_status s = FB_OK;
    FB_TRY(read_shifts(w->f.o->at, &w->f.b->units, &z, e));
    FB_TRY(fb_full_boundary(&w->f, &w->eq, &w->n, e));
    FB_TRY(fb_full_wanted(&w->f, w->n, &want, e));
    FB_TRY(fb_work_static(w, e));
    FB_TRY(condensed(w, &z, e));
    FB_TRY(inputs(w, &F, e));
    FB_TRY(massless(w, &follow, e));
    const int64_t most = want < w->t.ni ? want : w->t.ni;
    FB_TRY(fb_span_new(&V, w->t.ni, &w->t.M.Aii, most, e));
    for (int64_t j = 0; j < z.n && V.X.n < most; j++) {
        place at = {.follow = &follow, .hz = z.hz[j], .lambda = z.lambda[j]};
        FB_TRY(work_at(w, &at, &F, share(&z, j, F.n, most), &V, e));
        say(&at, &V, w->f.log);
    }
    say_end(&z, F.n, &V, want, w->f.log);
    fb_watch_note(&watch, w->f.log, "Krylov vectors");
    fb_statics_free(&w->st);
    s = fb_work_ritz_take(w, &V, V.X.n, e);
out:
    fb_mat_free(&F);
    fb_span_free(&V);
    fb_follow_free(&follow);
    return s;
}

/* ---- bodies held by modes ---------------------------------------------------------------- */

typedef struct {
    const double *w2;
    double lambda, hz;
} diagonal;

static fb_status by_diagonal(void *self, fb_mat *X, fb_err *e)
{
    const diagonal *d = self;
    for (int64_t c = 0; c < X->n; c++)
        for (int64_t k = 0; k < X->m; k++) {
            const double l = d->w2[k] - d->lambda;
            if (!(fabs(l) * at_root > d->lambda))
                return root(d->hz, e);
            X->x[k + c * X->m] /= l;
        }
    return FB_OK;
}

/* (KR.5) */
static fb_status vectors(const fb_modalsplit *t, const shifts *z, int64_t want, fb_span *V,
                         fb_log *log, fb_err *e)
{
    fb_mat F = {0};
    fb_status s = FB_OK;
    FB_TRY(fb_mat_product(1, 0, &t->Phi, &t->Psi, &F, e));
    FB_TRY(fb_span_new(V, F.m, NULL, want, e));
    for (int64_t j = 0; j < z->n && V->X.n < want; j++) {
        diagonal d = {t->w2, z->lambda[j], z->hz[j]};
        place at = {.solve = by_diagonal, .self = &d, .hz = z->hz[j], .lambda = z->lambda[j]};
        FB_TRY(chain(&at, &F, share(z, j, F.n, want), V, e));
        say(&at, V, log);
    }
    say_end(z, F.n, V, want, log);
out:
    fb_mat_free(&F);
    return s;
}

static fb_status modal(const fb_model *b, const fb_reduceopt *o, fb_reduction *r, fb_log *log,
                       fb_err *e)
{
    static const char interior[] = " interior ones";
    const fb_mat Kq = {b->nm, b->nm, b->Kr};
    shifts z = {0};
    int64_t *dof = NULL, nb = 0, want = 0;
    fb_modalsplit t = {0};
    fb_span V = {0};
    fb_mat K = {0};
    fb_status s = FB_OK;
    FB_TRY(read_shifts(o->at, &b->units, &z, e));
    FB_TRY(fb_modal_boundary(b, "--interface", o->interface, &dof, &nb, log, e));
    FB_TRY(fb_order_holds(o, nb, e));
    FB_TRY(fb_modal_split(b, dof, nb, &t, log, e));
    FB_TRY(fb_congruence(&Kq, &t.Psi, &K, e));
    FB_TRY(no_pole(&z, &K, fb_modal_rigid(t.w2, b->nm - nb), e));
    FB_TRY(fb_modal_wanted(b, o, NULL, b->nm - nb, nb, interior, &want, log, e));
    FB_TRY(vectors(&t, &z, want, &V, log, e));
    FB_TRY(fb_modal_ritz_take(&t, &V, e));
    s = fb_modal_hybrid(b, &t, dof, NULL, t.Phi.n, r, log, e);
out:
    fb_modal_split_free(&t);
    fb_span_free(&V);
    fb_mat_free(&K);
    FB_FREE(dof);
    return s;
}

static const fb_own own_options[] = {{"at", FB_TEXT, offsetof(fb_reduceopt, at), "HZ[,HZ]",
                                      "frequencies in Hz where the response of the Krylov-reduced "
                                      "body is exact, with its derivatives",
                                      NULL},
                                     {0}};

const fb_method fb_method_krylov = {.name = "krylov",
                                    .doc = "rational Krylov",
                                    .check = check,
                                    .modal = modal,
                                    .full = full,
                                    .options = own_options};
