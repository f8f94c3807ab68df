/* SPDX-License-Identifier: GPL-3.0-or-later */
/* modal.c - boundary conditions on a body held by modes, in the null-space form.
 *
 * The body    x = Phi0 q,  generalized Kq, Mq [m0 x m0];  B = boundary rows of Phi0 [nb x m0]
 * Equations
 *   (MOD.1) D B = U diag(s) W'         D scales each row to unit length; W = [W1 W2] orthogonal
 *   (MOD.2) P = W1 diag(1/s) U' D      B P = I: unit displacement at one dof, none at the others
 *   (MOD.3) N = W2                     B N = 0: the interior
 *   (MOD.4) N'Kq N Y = N'Mq N Y diag(w2),  Phi = N Y
 *   (MOD.5) Psi = P - Phi diag(1/w2) Phi' Kq P        minimises q'Kq q subject to B q = e_j
 * (MOD.5) is applied again to its own result: each pass takes away the part of Phi' Kq Psi that
 * round-off in the stiff modes left behind. The bordered form of the same problem is far worse
 * conditioned (5e-19 on a real file).
 * Held dofs   B their rows:  q = N p,  Phi0 := Phi0 N,  Kq := N'Kq N,  Mq := N'Mq N              (MOD.6)
 * Source   null-space method, e.g. Benzi, Golub & Liesen, Acta Numerica 14 (2005), sect. 6
 */
#include "modal.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Rows of D B below this share of the largest singular value count as dependent. */
static const double rank_tolerance = 1e-10;
/* Eigenvalues below this share of the largest are rigid motion. */
static const double rigid_tolerance = 1e-12;

static int has_physical(const fb_model *b, int64_t node)
{
    for (int64_t d = 0; d < b->ndof; d++)
        if (b->dof_node[d] == node && b->dof_class[d] == FB_DOF_PHYSICAL)
            return 1;
    return 0;
}

fb_status fb_modal_boundary(const fb_model *b, const char *option, const char *list, int64_t **dof, int64_t *n,
                            fb_log *log, fb_err *e)
{
    fb_buf names = {0};
    fb_status s = FB_OK;
    if (list)
        return fb_dofset(b, option, list, dof, n, log, e);
    if (!b->connector_node || !b->nc)
        return fb_fail(e, FB_EUSAGE, "the body names no interface nodes: give them by %s LIST", option);
    for (int64_t k = 0; k < b->nc; k++)
        if (has_physical(b, b->connector_node[k])) /* not a node that --fix holds */
            fb_put_text(&names, "%lld,", (long long)b->connector_node[k]);
    fb_put_bytes(&names, "", 1);
    FB_TRY(fb_buf_status(&names, e));
    s = fb_dofset(b, "/connectors/node", (const char *)names.data, dof, n, log, e);
out:
    fb_buf_free(&names);
    return s;
}

fb_status fb_modal_masters(const fb_model *b, const fb_reduceopt *o, const char *method, int64_t **dof, int64_t *n,
                           fb_log *log, fb_err *e)
{
    const char *option = o->masters ? "--masters" : "--interface";
    int64_t *d = NULL, k = 0;
    fb_status s = fb_modal_boundary(b, option, o->masters ? o->masters : o->interface, &d, &k, log, e);
    if (!s && o->order >= 0 && o->order != k)
        s = fb_fail(e, FB_EUSAGE, "order %lld, but %lld masters: the order of %s is the number of its masters; name %lld dofs "
                    "by --masters LIST, or leave the order out", (long long)o->order, (long long)k, method, (long long)o->order);
    if (s) {
        free(d);
        return s;
    }
    *dof = d;
    *n = k;
    return FB_OK;
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
    int64_t nb = DB->m, m0 = DB->n, kept = 0;
    char list[400] = "";
    double *Q = NULL;
    fb_status s = FB_OK;
    FB_TRY(fb_new(&Q, m0 * (nb < m0 ? nb : m0) + m0, 8, "row basis", e));
    for (int64_t r = 0; r < nb; r++) {
        double *v = Q + kept * m0, norm = 0;
        for (int64_t k = 0; k < m0; k++)
            v[k] = DB->x[r + k * nb];
        for (int pass = 0; pass < 2; pass++)
            for (int64_t c = 0; c < kept; c++) {
                double dot = 0;
                for (int64_t k = 0; k < m0; k++)
                    dot += Q[c * m0 + k] * v[k];
                for (int64_t k = 0; k < m0; k++)
                    v[k] -= dot * Q[c * m0 + k];
            }
        for (int64_t k = 0; k < m0; k++)
            norm += v[k] * v[k];
        norm = sqrt(norm);
        if (kept < m0 && norm > 1e-8) { /* the rows had unit length */
            for (int64_t k = 0; k < m0; k++)
                v[k] /= norm;
            kept++;
        } else {
            size_t at = strlen(list);
            snprintf(list + at, sizeof list - at, " %lld.%lld", (long long)b->dof_node[dof[r]],
                     (long long)b->dof_component[dof[r]]);
        }
    }
    s = fb_fail(e, FB_ESOLVE, "the %lld modes of the body cannot move its %lld boundary dofs independently: dependent are%s; "
                "leave them out", (long long)m0, (long long)nb, *list ? list : " some");
out:
    free(Q);
    return s;
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

/* (MOD.1)-(MOD.3) */
static fb_status particular(const fb_model *b, const int64_t *dof, int64_t nb, fb_mat *P, fb_mat *N, fb_err *e)
{
    int64_t m0 = b->nm;
    fb_mat DB = {0}, U = {0}, W = {0}, X = {0}, Z = {0};
    double *scale = NULL, *sv = NULL;
    fb_status s = FB_OK;
    FB_TRY(fb_modal_rows(b, dof, nb, &DB, e));
    FB_TRY(fb_new(&scale, nb, 8, "row scales", e));
    FB_TRY(fb_new(&sv, nb, 8, "singular values", e));
    scale_rows(&DB, scale);
    if (nb > m0) {
        s = dependent(b, dof, &DB, e);
        goto out;
    }
    FB_TRY(fb_svd(&DB, &U, sv, &W, 1, e));
    if (nb > 0 && sv[nb - 1] <= rank_tolerance * sv[0]) {
        s = dependent(b, dof, &DB, e);
        goto out;
    }
    FB_TRY(fb_mat_new(&X, m0, nb, e));
    FB_TRY(fb_mat_new(&Z, m0, m0 - nb, e));
    for (int64_t j = 0; j < nb; j++) /* (MOD.2) */
        for (int64_t k = 0; k < nb; k++) {
            double c = U.x[j + k * nb] * scale[j] / sv[k];
            for (int64_t i = 0; i < m0; i++)
                X.x[i + j * m0] += W.x[i + k * m0] * c;
        }
    if (m0 > nb)
        memcpy(Z.x, W.x + nb * m0, sizeof(double) * (size_t)(m0 * (m0 - nb))); /* (MOD.3) */
    *P = X;
    *N = Z;
    X = Z = (fb_mat){0};
out:
    fb_mat_free(&DB);
    fb_mat_free(&U);
    fb_mat_free(&W);
    fb_mat_free(&X);
    fb_mat_free(&Z);
    free(scale);
    free(sv);
    return s;
}

/* (MOD.5), three passes; rigid interior modes (w2 = 0) have nothing to correct by. */
static fb_status minimise(const fb_mat *K, const fb_mat *Phi, const double *w2, fb_mat *Psi, fb_err *e)
{
    fb_mat KP = {0}, C = {0};
    double top = Phi->n ? fabs(w2[Phi->n - 1]) : 0;
    fb_status s = FB_OK;
    FB_TRY(fb_mat_new(&KP, K->m, Psi->n, e));
    FB_TRY(fb_mat_new(&C, Phi->n, Psi->n, e));
    for (int pass = 0; pass < 3; pass++) {
        FB_TRY(fb_gemm(0, 0, 1, K, Psi, 0, &KP, e));
        FB_TRY(fb_gemm(1, 0, 1, Phi, &KP, 0, &C, e));
        for (int64_t j = 0; j < C.n; j++)
            for (int64_t k = 0; k < C.m; k++)
                C.x[k + j * C.m] = w2[k] > rigid_tolerance * top ? C.x[k + j * C.m] / w2[k] : 0;
        FB_TRY(fb_gemm(0, 0, -1, Phi, &C, 1, Psi, e));
    }
out:
    fb_mat_free(&KP);
    fb_mat_free(&C);
    return s;
}

fb_status fb_modal_split(const fb_model *b, const int64_t *dof, int64_t nb, fb_modalsplit *out, fb_log *log,
                         fb_err *e)
{
    const fb_mat K = {b->nm, b->nm, b->Kr}, M = {b->nm, b->nm, b->Mr};
    fb_modalsplit t = {0};
    fb_mat N = {0}, Kn = {0}, Mn = {0}, Y = {0};
    int64_t ni = b->nm - nb;
    fb_status s = FB_OK;
    FB_TRY(particular(b, dof, nb, &t.Psi, &N, e));
    FB_TRY(fb_congruence(&K, &N, &Kn, e));
    FB_TRY(fb_congruence(&M, &N, &Mn, e));
    FB_TRY(fb_new(&t.w2, ni, 8, "interior eigenvalues", e));
    FB_TRY(fb_eig_dense(&Kn, &Mn, t.w2, &Y, e)); /* (MOD.4) */
    FB_TRY(fb_mat_new(&t.Phi, b->nm, ni, e));
    FB_TRY(fb_gemm(0, 0, 1, &N, &Y, 0, &t.Phi, e));
    FB_TRY(minimise(&K, &t.Phi, t.w2, &t.Psi, e));
    int64_t nrigid = fb_modal_rigid(t.w2, ni);
    if (nrigid)
        fb_warn(log, "the interface lets %lld rigid motion%s through: constraint modes are free by as much",
                (long long)nrigid, nrigid > 1 ? "s" : "");
    *out = t;
    t = (fb_modalsplit){0};
out:
    fb_modal_split_free(&t);
    fb_mat_free(&N);
    fb_mat_free(&Kn);
    fb_mat_free(&Mn);
    fb_mat_free(&Y);
    return s;
}

void fb_modal_split_free(fb_modalsplit *t)
{
    fb_mat_free(&t->Psi);
    fb_mat_free(&t->Phi);
    free(t->w2);
    *t = (fb_modalsplit){0};
}

/* A := N'A N, [n,n] in the place of a [m0,m0] array. */
static fb_status restrict_to(double **A, const fb_mat *N, fb_err *e)
{
    double *new = NULL;
    if (!*A)
        return FB_OK;
    fb_status s = fb_congruence_rows(*A, N, &new, e);
    if (!s) {
        free(*A);
        *A = new;
    }
    return s;
}

fb_status fb_modal_hold(fb_model *b, const int64_t *dof, int64_t n, fb_mat *out, fb_err *e)
{
    const fb_mat Phi0 = {b->ndof, b->nm, b->shape};
    fb_mat P = {0}, N = {0}, S = {0};
    int64_t m0 = b->nm;
    fb_status s = FB_OK;
    if (n >= m0) {
        s = fb_fail(e, FB_EUSAGE, "--fix holds %lld dofs, the body has only %lld modes", (long long)n, (long long)m0);
        goto out;
    }
    FB_TRY(particular(b, dof, n, &P, &N, e));
    FB_TRY(fb_mat_new(&S, b->ndof, m0 - n, e));
    FB_TRY(fb_gemm(0, 0, 1, &Phi0, &N, 0, &S, e)); /* (MOD.6) */
    for (int64_t k = 0; k < n; k++)
        for (int64_t j = 0; j < S.n; j++)
            S.x[dof[k] + j * S.m] = 0; /* but for round-off it is */
    FB_TRY(restrict_to(&b->Kr, &N, e));
    FB_TRY(restrict_to(&b->Mr, &N, e));
    FB_TRY(restrict_to(&b->Dr, &N, e));
    for (int64_t k = 0; k < n; k++)
        b->dof_class[dof[k]] = FB_DOF_FIXED;
    free(b->shape);
    b->shape = S.x;
    b->nm = b->nr = m0 - n;
    *out = N;
    S = N = (fb_mat){0};
out:
    fb_mat_free(&P);
    fb_mat_free(&N);
    fb_mat_free(&S);
    return s;
}

int64_t fb_modal_rigid(const double *w2, int64_t n)
{
    int64_t k = 0;
    while (k < n && w2[k] <= rigid_tolerance * fabs(w2[n - 1]))
        k++;
    return k;
}

fb_status fb_modal_eigen(const fb_model *b, double **w2, fb_mat *V, fb_err *e)
{
    const fb_mat K = {b->nm, b->nm, b->Kr}, M = {b->nm, b->nm, b->Mr};
    double *w = NULL;
    fb_status s = fb_new(&w, b->nm, 8, "eigenvalues", e);
    if (!s)
        s = fb_eig_dense(&K, &M, w, V, e);
    if (s)
        free(w);
    else
        *w2 = w;
    return s;
}

fb_status fb_modal_wanted(const fb_model *b, const fb_reduceopt *o, const double *w2, int64_t n, int64_t nb,
                          const char *what, int64_t *k, fb_log *log, fb_err *e)
{
    int64_t want = n;
    const double time = b->units.factor[FB_TIME] > 0 ? b->units.factor[FB_TIME] : 1;
    if (o->order >= 0) {
        if (o->order < nb)
            return fb_fail(e, FB_EUSAGE, "order %lld is below the %lld boundary dofs: ask for at least %lld, or name a "
                           "smaller --interface", (long long)o->order, (long long)nb, (long long)nb);
        want = o->order - nb;
    } else if (o->modes >= 0) {
        want = o->modes;
    } else if (o->fmax > 0) {
        double w = 6.283185307179586 * o->fmax * time;
        for (want = 0; want < n && w2[want] <= w * w;)
            want++;
    }
    if (want > n)
        fb_warn(log, "%lld normal modes are asked for, the body has %lld%s: order %lld", (long long)want, (long long)n,
                what, (long long)(n + nb));
    *k = want < n ? want : n;
    return FB_OK;
}

fb_status fb_modal_reduction_take(const fb_model *b, fb_mat *V, int64_t nb, fb_kind others, fb_reduction *out, fb_err *e)
{
    const fb_mat Kq = {b->nm, b->nm, b->Kr}, Mq = {b->nm, b->nm, b->Mr};
    fb_reduction r = {.nr = V->n, .nb = nb, .nn = V->n - nb, .ndropped = b->nm - V->n, .check = {.sturm = -1}};
    fb_mat K = {0}, M = {0};
    fb_status s = FB_OK;
    r.V = *V;
    *V = (fb_mat){0};
    FB_TRY(fb_new(&r.kind, r.nr, 8, "kinds", e));
    for (int64_t c = 0; c < r.nr; c++)
        r.kind[c] = c < nb ? FB_KIND_BOUNDARY : others;
    FB_TRY(fb_congruence(&Kq, &r.V, &K, e));
    FB_TRY(fb_congruence(&Mq, &r.V, &M, e));
    if (b->Dr)
        FB_TRY(fb_congruence_rows(b->Dr, &r.V, &r.D, e));
    r.K = K.x;
    r.M = M.x;
    *out = r;
    r = (fb_reduction){0};
    K = M = (fb_mat){0};
out:
    fb_mat_free(&K);
    fb_mat_free(&M);
    fb_reduction_free(&r);
    return s;
}
