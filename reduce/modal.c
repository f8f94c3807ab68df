/* SPDX-License-Identifier: GPL-3.0-or-later */
/* modal.c - boundary conditions on a body held by modes, in the null-space form.
 *
 * The body    x = Phi0 q,  generalized Kq, Mq [m0 x m0];  B = boundary rows of Phi0 [nb x m0]
 * Equations
 *   (MOD.0) Kq V = Mq V diag(w),  q := V q          the body's own modes are its coordinates: Kq =
 *           diag(w), Mq = 1, rigid motion w = 0, dependent modes left out (lib/roots.c)
 *   (MOD.1) D B = U diag(s) W'         D scales each row to unit length; W = [W1 W2] orthogonal
 *   (MOD.2) P = W1 diag(1/s) U' D      B P = I: unit displacement at one dof, none at the others
 *   (MOD.3) N = W2                     B N = 0: the interior
 *   (MOD.4) diag(w)^1/2 N = X diag(w2)^1/2 Y',  Phi = N Y          Phi'Phi = 1, Phi' Kq Phi =
 *           diag(w2)
 *   (MOD.5) Psi = P - Phi L P,  L = diag(w2)^-1/2 X' diag(w)^1/2   minimises q'Kq q subject to B q
 *           = e_j
 *   (MOD.7) T = V D, D to unit columns;  T = Q diag(t) Z',  diag(w)^1/2 Q = X diag(v)^1/2 Y'
 *           v: the eigenvalues of the reduced body, from its basis V itself
 * Where Kq has negative roots, w^1/2 is not real: (MOD.4), (MOD.7) are the eigenproblems of N'Kq N
 * and Q'Kq Q, and L = diag(1/w2) Phi' Kq. Products of three matrices square the condition of B; the
 * factors here do not. The pair V'Kq V, V'Mq V does, whoever forms it: what it has lost shows
 * against (MOD.7). The bordered form of the same problem is far worse conditioned (5e-19 on a real
 * file). Held dofs   B their rows:  Phi0 := Phi0 Phi,  Kq := diag(w2),  Mq := 1, of (MOD.4)
 * (MOD.6)
 * Source   null-space method, e.g. Benzi, Golub & Liesen, Acta Numerica 14 (2005), sect. 6
 */
#include "status.h"
#include "dofset.h"
#include "geometric.h"
#include "memory.h"
#include "modal.h"
#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Rows of D B below this share of the largest singular value count as dependent. */
static const double rank_tolerance = 1e-10;
/* Roots nearer than this, relative, are one group, as of full models. */
static const double group = 1e-6;
/* What the reduced pair may lose of its basis' frequencies, relative: more is said, much more
 * refused. */
static const double loss_warned = 1e-6, loss_most = 1e-3;
/* Roots below this share of the largest are soft. */
static const double soft = 1e-10;

fb_status fb_modal_boundary(const fb_model *b, const char *option, const char *list, int64_t **dof,
                            int64_t *n, fb_log *log, fb_err *e)
{
    if (list)
        return fb_dofset(b, option, list, dof, n, log, e);
    if (b->connector_node && b->nc)
        return fb_connector_dofs(b, dof, n, log, e);
    return fb_fail(e, FB_EUSAGE, "the body names no interface nodes: give them by %s LIST", option);
}

fb_status fb_modal_masters(const fb_model *b, const fb_reduceopt *o, const char *method,
                           int64_t **dof, int64_t *n, fb_log *log, fb_err *e)
{
    const char *option = o->masters ? "--masters" : "--interface";
    int64_t *d = NULL;
    fb_status s = FB_OK;
    FB_TRY(fb_modal_boundary(b, option, o->masters ? o->masters : o->interface, &d, n, log, e));
    FB_TRY(fb_order_of_masters(o, *n, method, e));
    *dof = d;
    d = NULL;
out:
    free(d);
    return s;
}

fb_status fb_modal_rows(const fb_model *b, const int64_t *dof, int64_t n, fb_mat *B, fb_err *e)
{
    fb_status s = fb_mat_new(B, n, b->nm, e);
    for (int64_t k = 0; !s && k < b->nm; k++)
        for (int64_t r = 0; r < n; r++)
            B->x[r + k * n] = b->shape[dof[r] + k * b->ndof];
    return s;
}

/* Names the boundary dofs whose rows depend on the rows before them (Gram-Schmidt, twice). */
static fb_status dependent(const fb_model *b, const int64_t *dof, const fb_mat *DB, fb_err *e)
{
    int64_t nb = DB->m, m0 = DB->n;
    char list[400] = "";
    fb_mat Q = {0};
    FB_PASS(fb_mat_new(&Q, m0, (nb < m0 ? nb : m0) + 1, e));
    Q.n = 0;
    for (int64_t r = 0; r < nb; r++) {
        double *v = Q.x + Q.n * m0;
        for (int64_t k = 0; k < m0; k++)
            v[k] = DB->x[r + k * nb];
        fb_without(&Q, v);
        fb_without(&Q, v);
        if (Q.n < m0 && fb_norm(v, m0) > 1e-8) { /* the rows had unit length */
            fb_to_unit(v, m0);
            Q.n++;
        } else {
            size_t at = strlen(list);
            snprintf(list + at, sizeof list - at, " %s",
                     fb_name_of(b->dof_node[dof[r]], b->dof_component[dof[r]]).s);
        }
    }
    fb_mat_free(&Q);
    return fb_fail(e, FB_ESOLVE,
                   "the %lld modes of the body cannot move its %lld boundary dofs independently: "
                   "dependent are%s; leave them out",
                   (long long)m0, (long long)nb, *list ? list : " some");
}

/* B := D B, and the row scales D. */
static void scale_rows(fb_mat *B, double *scale)
{
    for (int64_t r = 0; r < B->m; r++) {
        double norm = 0;
        for (int64_t k = 0; k < B->n; k++)
            norm += B->x[r + k * B->m] * B->x[r + k * B->m];
        scale[r] = norm > 0 ? 1 / sqrt(norm) : 1;
        for (int64_t k = 0; k < B->n; k++)
            B->x[r + k * B->m] *= scale[r];
    }
}

/* (MOD.1)-(MOD.3); the condition of D B: N is exact to so many units of round-off. */
static fb_status particular(const fb_model *b, const int64_t *dof, int64_t nb, fb_mat *P, fb_mat *N,
                            double *condition, fb_err *e)
{
    int64_t m0 = b->nm;
    fb_mat DB = {0}, U = {0}, W = {0}, X = {0};
    double *scale = NULL, *sv = NULL;
    fb_status s = FB_OK;
    FB_TRY(fb_modal_rows(b, dof, nb, &DB, e));
    FB_TRY(fb_new(&scale, nb, 8, "row scales", e));
    FB_TRY(fb_new(&sv, nb, 8, "singular values", e));
    scale_rows(&DB, scale);
    if (nb > m0)
        FB_TRY(dependent(b, dof, &DB, e));
    FB_TRY(fb_svd(&DB, &U, sv, &W, 1, e));
    if (nb > 0 && !(sv[nb - 1] > rank_tolerance * sv[0]))
        FB_TRY(dependent(b, dof, &DB, e));
    FB_TRY(fb_mat_new(&X, m0, nb, e));
    for (int64_t j = 0; j < nb; j++) /* (MOD.2) */
        for (int64_t k = 0; k < nb; k++) {
            double c = U.x[j + k * nb] * scale[j] / sv[k];
            for (int64_t i = 0; i < m0; i++)
                X.x[i + j * m0] += W.x[i + k * m0] * c;
        }
    const fb_mat W2 = fb_mat_columns(&W, nb, m0 - nb);
    FB_TRY(fb_mat_copy(N, &W2, e)); /* (MOD.3) */
    *P = X;
    *condition = nb > 0 ? sv[0] / sv[nb - 1] : 1;
    X = (fb_mat){0};
out:
    FB_FREE_BY(fb_mat_free, &DB, &U, &W, &X);
    FB_FREE(scale, sv);
    return s;
}

/* ---- one-sided factors ------------------------------------------------------------------ */

/* A = diag(|w|)^1/2 N, [m0 x n]. */
static fb_status root_of_stiffness(const fb_model *b, const fb_mat *N, fb_mat *A, fb_err *e)
{
    fb_status s = fb_mat_new(A, b->nm, N->n, e);
    for (int64_t c = 0; !s && c < N->n; c++)
        for (int64_t k = 0; k < b->nm; k++)
            A->x[k + c * b->nm] = sqrt(fabs(b->Kr[k + k * b->nm])) * N->x[k + c * b->nm];
    return s;
}

static int definite(const fb_model *b)
{
    for (int64_t k = 0; k < b->nm; k++)
        if (b->Kr[k + k * b->nm] < 0)
            return 0;
    return 1;
}

/* The eigenproblem of N'Kq N, N'N = 1: w2 [n] ascending, 0 for rigid motion, Phi = N Y; L [n x m0]
 * of (MOD.5), or NULL. N is exact to `units` of round-off: rigid motion is strained by as much. */
static fb_status within(const fb_model *b, const fb_mat *N, double units, double *w2, fb_mat *Phi,
                        fb_mat *L, fb_err *e)
{
    const fb_mat K = {b->nm, b->nm, b->Kr};
    const int64_t n = N->n, m = b->nm;
    const int one_sided = definite(b);
    const double zero = 1000 * (double)m * DBL_EPSILON *
                        units; /* of the body's highest frequency, which N may leave out */
    fb_mat A = {0}, X = {0}, Z = {0}, Y = {0};
    double top = 0, *sv = NULL;
    fb_status s = FB_OK;
    for (int64_t k = 0; k < m; k++)
        top = fmax(top, fabs(b->Kr[k + k * m]));
    FB_TRY(FB_NEW(&sv, n, e));
    FB_TRY(fb_mat_new(&Y, n, n, e));
    if (one_sided) { /* singular values descend */
        FB_TRY(root_of_stiffness(b, N, &A, e));
        FB_TRY(fb_svd(&A, &X, sv, &Z, 0, e));
        for (int64_t k = 0; k < n; k++) {
            w2[k] = sv[n - 1 - k] > zero * sqrt(top) ? sv[n - 1 - k] * sv[n - 1 - k] : 0;
            memcpy(Y.x + k * n, Z.x + (n - 1 - k) * n, sizeof(double) * (size_t)n);
        }
    } else {
        fb_mat_free(&Y);
        FB_TRY(fb_congruence(&K, N, &Y, e));
        FB_TRY(fb_eig_symmetric(&Y, w2, e));
        for (int64_t k = 0; k < n; k++)
            if (fabs(w2[k]) <= zero * top)
                w2[k] = 0;
    }
    FB_TRY(fb_mat_product(0, 0, N, &Y, Phi, e));
    if (L)
        FB_TRY(fb_mat_new(L, n, m, e));
    for (int64_t c = 0; L && c < m; c++)
        for (int64_t k = 0; k < n; k++) {
            const double w = b->Kr[c + c * m];
            L->x[k + c * n] = !(w2[k] < 0) && !(w2[k] > 0) ? 0
                              : one_sided ? X.x[c + (n - 1 - k) * m] * sqrt(w) / sv[n - 1 - k]
                                          : Phi->x[c + k * m] * w / w2[k];
        }
out:
    FB_FREE_BY(fb_mat_free, &A, &X, &Z, &Y);
    free(sv);
    return s;
}

fb_status fb_modal_split(const fb_model *b, const int64_t *dof, int64_t nb, fb_modalsplit *out,
                         fb_log *log, fb_err *e)
{
    fb_modalsplit t = {0};
    fb_mat N = {0}, L = {0}, C = {0};
    int64_t ni = b->nm - nb;
    double condition = 1;
    fb_status s = FB_OK;
    FB_TRY(particular(b, dof, nb, &t.Psi, &N, &condition, e));
    FB_TRY(fb_new(&t.w2, ni, 8, "interior eigenvalues", e));
    FB_TRY(within(b, &N, condition, t.w2, &t.Phi, &L, e)); /* (MOD.4) */
    FB_TRY(fb_mat_product(0, 0, &L, &t.Psi, &C, e));
    FB_TRY(fb_gemm(0, 0, -1, &t.Phi, &C, 1, &t.Psi, e)); /* (MOD.5) */
    fb_fix_signs(&t.Phi);
    int64_t nrigid = fb_modal_rigid(t.w2, ni);
    if (nrigid)
        fb_warn(
            log,
            "the interface lets %lld rigid motion%s through: constraint modes are free by as much",
            (long long)nrigid, nrigid > 1 ? "s" : "");
    *out = t;
    t = (fb_modalsplit){0};
out:
    fb_modal_split_free(&t);
    FB_FREE_BY(fb_mat_free, &N, &L, &C);
    return s;
}

void fb_modal_split_free(fb_modalsplit *t)
{
    FB_FREE_BY(fb_mat_free, &t->Psi, &t->Phi);
    free(t->w2);
    *t = (fb_modalsplit){0};
}

/* The roots become the coordinates: Kr = diag(lambda), Mr = 1, and D and the shapes with them. */
static fb_status own_take(fb_model *b, fb_roots *r, fb_mat *N, fb_err *e)
{
    const fb_mat Phi0 = {b->ndof, b->nm, b->shape};
    const int64_t n = r->n;
    fb_mat S = {0};
    double *K = NULL, *M = NULL;
    fb_status s = FB_OK;
    FB_TRY(fb_new(&K, n * n, 8, "generalized stiffness", e));
    FB_TRY(fb_new(&M, n * n, 8, "generalized mass", e));
    FB_TRY(fb_mat_product(0, 0, &Phi0, &r->V, &S, e));
    FB_TRY(fb_damping_turn(&b->Dr, &b->Sr, &b->Gr, &b->Nr, &r->V, e));
    FB_TRY(fb_geometric_turn(&b->Kgr, b->nkg, &r->V, e));
    for (int64_t k = 0; k < n; k++) {
        K[k + k * n] = r->lambda[k];
        M[k + k * n] = 1;
    }
    FB_FREE(b->Kr, b->Mr, b->shape);
    b->Kr = K;
    b->Mr = M;
    b->shape = S.x;
    b->nm = b->nr = n;
    *N = r->V;
    r->V = S = (fb_mat){0};
    K = M = NULL;
out:
    fb_mat_free(&S);
    FB_FREE(K, M);
    return s;
}

/* Which modes depend on others, and what zero was of rigid motion. */
static void say_own(const fb_model *b, const fb_roots *r, fb_log *log)
{
    char list[400] = "";
    for (int64_t k = 0, q = 0; k < b->nr; k++) {
        const size_t at = strlen(list);
        if (q < r->n && r->kept[q] == k)
            q++;
        else
            snprintf(list + at, sizeof list - at, " %lld",
                     (long long)(b->mode_number ? b->mode_number[k] : k + 1));
    }
    if (r->n < b->nr)
        fb_warn(log, "%lld of the %lld modes of the body depend on the others and are left out:%s",
                (long long)(b->nr - r->n), (long long)b->nr, list);
    list[0] = 0;
    for (int64_t k = 0; k < r->n; k++)
        if (!(r->lambda[k] < 0) && !(r->lambda[k] > 0)) {
            const size_t at = strlen(list);
            snprintf(list + at, sizeof list - at, " %.3g", fb_hertz(&b->units, r->raw[k]));
        }
    if (r->nrigid)
        fb_note(log, "the body's %lld rigid modes, set to 0 Hz, were:%s Hz", (long long)r->nrigid,
                list);
}

fb_status fb_modal_own(fb_model *b, fb_mat *N, fb_log *log, fb_err *e)
{
    fb_roots r = {0};
    fb_status s = FB_OK;
    FB_TRY(fb_model_roots(b, &r, e)); /* (MOD.0) */
    say_own(b, &r, log);
    s = own_take(b, &r, N, e);
out:
    fb_roots_free(&r);
    return s;
}

fb_status fb_modal_hold(fb_model *b, const int64_t *dof, int64_t n, fb_mat *out, fb_err *e)
{
    fb_mat P = {0}, N = {0};
    fb_roots r = {.n = b->nm - n};
    int64_t m0 = b->nm;
    double condition = 1;
    fb_status s = FB_OK;
    if (n >= m0)
        FB_TRY(fb_fail(e, FB_EUSAGE, "--fix holds %lld dofs, the body has only %lld modes",
                       (long long)n, (long long)m0));
    FB_TRY(particular(b, dof, n, &P, &N, &condition, e));
    FB_TRY(FB_NEW(&r.lambda, r.n, e));
    FB_TRY(within(b, &N, condition, r.lambda, &r.V, NULL, e)); /* (MOD.6) */
    fb_fix_signs(&r.V);
    FB_TRY(own_take(b, &r, out, e));
    for (int64_t k = 0; k < n; k++) {
        b->dof_class[dof[k]] = FB_DOF_FIXED;
        for (int64_t j = 0; j < b->nm; j++)
            b->shape[dof[k] + j * b->ndof] = 0; /* but for round-off it is */
    }
out:
    FB_FREE_BY(fb_mat_free, &P, &N);
    fb_roots_free(&r);
    return s;
}

int64_t fb_modal_rigid(const double *w2, int64_t n)
{
    int64_t rigid = 0;
    for (int64_t k = 0; k < n; k++)
        rigid += !(w2[k] < 0) && !(w2[k] > 0);
    return rigid;
}

fb_status fb_modal_eigenvalues(const fb_model *b, double **w2, fb_err *e)
{
    fb_status s = fb_new(w2, b->nm, 8, "eigenvalues", e);
    for (int64_t k = 0; !s && k < b->nm; k++)
        (*w2)[k] = b->Kr[k + k * b->nm];
    return s;
}

int64_t fb_modal_group(const double *w2, int64_t n, int64_t k, int64_t *first)
{
    int64_t a = k - 1, z = k;
    while (a > 0 && w2[a] - w2[a - 1] <= group * fmax(fabs(w2[a]), fabs(w2[a - 1])))
        a--;
    while (z < n && w2[z] - w2[z - 1] <= group * fmax(fabs(w2[z]), fabs(w2[z - 1])))
        z++;
    *first = a;
    return z;
}

fb_status fb_modal_wanted(const fb_model *b, const fb_reduceopt *o, const double *w2, int64_t n,
                          int64_t nb, const char *what, int64_t *k, fb_log *log, fb_err *e)
{
    void (*tell)(fb_log *, const char *, ...) = o->reach ? fb_note : fb_warn; /* --keep chooses */
    int64_t want = n;
    FB_PASS(fb_order_holds(o, nb, e));
    if (o->order >= 0) {
        want = o->order - nb;
    } else if (o->modes >= 0) {
        want = o->modes;
    } else if (o->fmax > 0) {
        for (want = 0; want < n && w2[want] <= fb_lambda(&b->units, o->fmax);)
            want++;
        if (want == 0 && n > 0)
            tell(log, "none of %lld%s lies below --fmax %g Hz: the lowest has %.4g Hz",
                 (long long)n, *what ? what : " modes", o->fmax,
                 fb_hertz(&b->units, fmax(w2[0], 0)));
    }
    if (want > n)
        tell(log, "%lld normal modes are asked for, the body has %lld%s: order %lld",
             (long long)want, (long long)n, what, (long long)(n + nb));
    *k = want < n ? want : n;
    if (*k > 0 && *k < n && w2) {
        int64_t first = 0, end = fb_modal_group(w2, n, *k, &first);
        if (end > *k)
            tell(log,
                 "%lld modes instead of %lld: mode %lld is in a group of equal roots (within "
                 "%.0e), taken whole",
                 (long long)end, (long long)*k, (long long)*k, group);
        *k = end;
    }
    return FB_OK;
}

/* Copies of the body's damping and geometric stiffness, in its own coordinates. */
static fb_status copy_damping(const fb_model *b, fb_reduction *r, fb_err *e)
{
    const double *const of[] = {b->Dr, b->Sr, b->Gr, b->Nr};
    double **const to[] = {&r->D, &r->S, &r->G, &r->N};
    for (size_t k = 0; k < sizeof of / sizeof *of; k++) {
        free(*to[k]);
        *to[k] = NULL;
        if (of[k])
            FB_PASS(fb_copy(to[k], of[k], b->nm * b->nm, 8, "damping", e));
    }
    r->nkg = b->nkg;
    return b->Kgr ? fb_copy(&r->Kg, b->Kgr, b->nkg * b->nm * b->nm, 8, "geometric stiffness", e)
                  : FB_OK;
}

fb_status fb_modal_reduction_take(const fb_model *b, fb_mat *V, const int64_t *dof, int64_t nb,
                                  fb_kind others, fb_reduction *out, fb_err *e)
{
    const fb_mat Kq = {b->nm, b->nm, b->Kr}, Mq = {b->nm, b->nm, b->Mr};
    fb_reduction r = {
        .nr = V->n, .nb = nb, .nn = V->n - nb, .ndropped = b->nm - V->n, .check = {.sturm = -1}};
    fb_mat K = {0}, M = {0};
    fb_status s = FB_OK;
    r.V = *V;
    *V = (fb_mat){0};
    FB_TRY(fb_new(&r.kind, r.nr, 8, "kinds", e));
    if (nb)
        FB_TRY(fb_copy(&r.boundary, dof, nb, sizeof *dof, "boundary dofs", e));
    for (int64_t c = 0; c < r.nr; c++)
        r.kind[c] = c < nb ? FB_KIND_BOUNDARY : others;
    FB_TRY(fb_congruence(&Kq, &r.V, &K, e));
    FB_TRY(fb_congruence(&Mq, &r.V, &M, e));
    FB_TRY(copy_damping(b, &r, e));
    FB_TRY(fb_damping_turn(&r.D, &r.S, &r.G, &r.N, &r.V, e));
    FB_TRY(fb_geometric_turn(&r.Kg, r.nkg, &r.V, e));
    r.K = K.x;
    r.M = M.x;
    *out = r;
    r = (fb_reduction){0};
    K = M = (fb_mat){0};
out:
    FB_FREE_BY(fb_mat_free, &K, &M);
    fb_reduction_free(&r);
    return s;
}

fb_status fb_modal_ritz_take(fb_modalsplit *t, fb_span *Y, fb_err *e)
{
    double *w2 = NULL;
    fb_status s = FB_OK;
    FB_TRY(fb_span_ritz(Y, NULL, t->w2, &w2, e));
    FB_TRY(fb_mat_times(&t->Phi, &Y->X, e));
    fb_fix_signs(&t->Phi);
    FB_FREE(t->w2);
    t->w2 = w2;
    w2 = NULL;
out:
    fb_span_free(Y);
    FB_FREE(w2);
    return s;
}

/* ---- what the pair is worth -------------------------------------------------------------- */

/* (MOD.7) An orthonormal basis Q of the columns of V; condition of these at unit length. */
static fb_status basis(const fb_mat *V, fb_mat *Q, double *condition, fb_err *e)
{
    fb_mat T = {0}, Z = {0};
    double *sv = NULL;
    const int64_t n = V->n;
    fb_status s = FB_OK;
    FB_TRY(FB_NEW(&sv, n, e));
    FB_TRY(fb_mat_copy(&T, V, e));
    for (int64_t c = 0; c < n; c++)
        fb_to_unit(T.x + c * T.m, T.m);
    FB_TRY(fb_svd(&T, Q, sv, &Z, 0, e));
    *condition = n == 0 ? 1 : sv[n - 1] > 0 ? sv[0] / sv[n - 1] : INFINITY;
    if (!(*condition < 1 / (10 * (double)V->m * DBL_EPSILON)))
        s = fb_fail(e, FB_ESOLVE,
                    "the %lld coordinates of the reduced body are dependent (condition %.2g): name "
                    "fewer boundary dofs, or others",
                    (long long)n, *condition);
out:
    FB_FREE_BY(fb_mat_free, &T, &Z);
    free(sv);
    return s;
}

/* Largest relative error of the frequencies of the pair against the eigenvalues v, 1 where it has
 * no or fewer roots: of all, and of soft ones, which a pair of double precision does not hold
 * whatever its coordinates are. */
static fb_status loss(const fb_reduction *r, const double *v, double *worst, double *of_soft,
                      fb_err *e)
{
    double top = 0;
    fb_model pair = {.nr = r->nr, .Kr = r->K, .Mr = r->M};
    fb_roots q = {0};
    fb_err why = {0};
    const fb_status s = fb_model_roots(&pair, &q, &why);
    for (int64_t k = 0; k < r->nr; k++)
        top = fmax(top, fabs(v[k]));
    *worst = s || q.n < r->nr;
    for (int64_t k = 0; !s && q.n == r->nr && k < r->nr; k++) {
        const double is = copysign(sqrt(fabs(q.raw[k])), q.raw[k]),
                     was = copysign(sqrt(fabs(v[k])), v[k]);
        double *to = fabs(v[k]) > soft * top ? worst : of_soft;
        if (was > 0 || was < 0)
            *to = fmin(fmax(*to, fabs(is / was - 1)), 1);
    }
    fb_roots_free(&q);
    if (s == FB_ESYS)
        *e = why;
    return s == FB_ESYS ? s : FB_OK;
}

fb_status fb_modal_prove(const fb_model *b, const fb_reduction *r, fb_log *log, fb_err *e)
{
    fb_mat Q = {0}, Phi = {0};
    double *v = NULL, condition = 0, worst = 0, of_soft = 0;
    fb_status s = FB_OK;
    FB_TRY(FB_NEW(&v, r->nr, e));
    FB_TRY(basis(&r->V, &Q, &condition, e));
    FB_TRY(within(b, &Q, condition, v, &Phi, NULL, e));
    FB_TRY(loss(r, v, &worst, &of_soft, e));
    fb_note(log,
            "the reduced matrices have the frequencies of their basis within %.2g (condition %.2g)",
            worst, condition);
    if (worst > loss_most)
        s = fb_fail(e, FB_ESOLVE,
                    "the coordinates are nearly dependent (condition %.2g): frequencies of the "
                    "reduced matrices would be wrong by %.2g%%%s; name boundary dofs that move "
                    "differently, or use --orthonormalize",
                    condition, 100 * worst, worst < 1 ? "" : " or more");
    else if (worst > loss_warned)
        fb_warn(log,
                "the coordinates are nearly dependent (condition %.2g): frequencies of the reduced "
                "matrices hold to %.0e; boundary dofs that move differently, or --orthonormalize, "
                "avoid it",
                condition, worst);
    if (worst <= loss_most && of_soft > loss_most)
        fb_warn(log,
                "soft modes are lost in the round-off of the stiff ones: in the reduced matrices, "
                "frequencies below %.0e of the highest hold to %.0e; --orthonormalize keeps them",
                sqrt(soft), of_soft);
out:
    FB_FREE_BY(fb_mat_free, &Q, &Phi);
    free(v);
    return s;
}

fb_status fb_modal_orthonormalize(const fb_model *b, fb_reduction *r, fb_err *e)
{
    fb_mat Q = {0};
    double *v = NULL, condition = 0;
    fb_status s = FB_OK;
    FB_TRY(FB_NEW(&v, r->nr, e));
    FB_TRY(basis(&r->V, &Q, &condition, e));
    fb_mat_free(&r->V);
    FB_TRY(within(b, &Q, condition, v, &r->V, NULL, e));
    fb_fix_signs(&r->V);
    FB_TRY(copy_damping(b, r, e));
    s = fb_reduction_diagonal(r, v, &r->V, e);
out:
    fb_mat_free(&Q);
    free(v);
    return s;
}
