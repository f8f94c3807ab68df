/* SPDX-License-Identifier: GPL-3.0-or-later */
/* component.c - rigid motion of component modes in three ways, and what follows from each.
 *
 * Sets       b boundary coordinates, displacements of dofs whose place is known; q modal ones; r
 *            six of b that hold the body; a all others
 * Equations
 *   (CK.1) geometry: R_b by (RI.1), (RI.2) of rigid.c about the mean of the boundary nodes,
 *          R_q = -Kqq^-1 Kqb R_b                      zero for fixed-interface modes
 *   (CK.2) stiffness: R_r = (R_b)_r,  R_a = -Kaa^-1 Kar R_r
 *   (CK.3) modes: the six lowest of (K, M), V:  R = V V_r^-1 (R_b)_r,  by D M D y = mu D B D y,
 *          B = K + s M, D = diag(B)^-1/2, v = D y, w^2 = 1/mu - s: coordinates may lack mass
 *   (CK.4) R'MR = [m 1, -m c~; m c~, J]:  centre c, J about it, radii (J_kk / m)^1/2
 *   (CK.5) the place of a node by (CK.2): of u = w x x its rotations' rows tell x twice, the mean
 *   (CK.6) Kqq f = Mqq f w^2,  share_k = (f'(Mqb R_b + Mqq R_q))^2_k / (R'MR)_kk
 * Source     W. Hurty, AIAA J. 3 (1965) 678-685; R. Craig & M. Bampton, AIAA J. 6 (1968) 1313-1319;
 *            checks as aerospace exchanges such models: NASA-STD-5002
 */
#include "component.h"
#include "memory.h"
#include <float.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

/* Rows of rigid motion below this share of the longest count as dependent. */
static const double dependent = 1e-6;

void fb_component_free(fb_component *c)
{
    FB_FREE(c->node, c->component, c->u, c->name, c->first, c->place, c->hz, c->share);
    FB_FREE_BY(fb_mat_free, &c->K, &c->M, &c->R[0], &c->R[1], &c->R[2]);
    *c = (fb_component){0};
}

/* ---- the boundary ------------------------------------------------------------------------- */

typedef struct { /* of each coordinate: the dof that it is; node 0: modal */
    int64_t *node, *component;
    double *u; /* [n,3] */
} labels;

static fb_status name_all(const fb_model *b, labels *l, fb_err *e)
{
    const double *T = b->T;
    int64_t *dof = NULL;
    fb_status s = FB_OK;
    if (b->coordinate_node && b->coordinate_component) {
        memcpy(l->node, b->coordinate_node, sizeof *l->node * (size_t)b->nr);
        memcpy(l->component, b->coordinate_component, sizeof *l->component * (size_t)b->nr);
        return FB_OK;
    }
    if (!T || !b->kind || !b->dof_node)
        return FB_OK;
    FB_TRY(FB_NEW(&dof, b->nr, e));
    FB_TRY(fb_coordinate_dofs(b, T, dof, e));
    for (int64_t k = 0; k < b->nr; k++) {
        const int64_t d = dof[k];
        if (d < 0 || fabs(T[d + k * b->ndof] - 1) > 1e-6)
            continue;
        l->node[k] = b->dof_node[d];
        l->component[k] = b->dof_component[d];
    }
out:
    free(dof);
    return s;
}

/* What has no place in space counts as modal. */
static fb_status place_all(const fb_model *b, labels *l, fb_err *e)
{
    const int nodes = b->node_id && b->xyz;
    const double *xyz = nodes ? b->xyz : b->connector_position;
    fb_index x = {0};
    if (!nodes && !(b->connector_node && xyz)) {
        memset(l->node, 0, sizeof *l->node * (size_t)b->nr);
        return FB_OK;
    }
    FB_PASS(fb_index_new(&x, nodes ? b->node_id : b->connector_node, nodes ? b->nn : b->nc, "nodes",
                         e));
    for (int64_t k = 0; k < b->nr; k++) {
        const int64_t p = l->node[k] ? fb_index_find(&x, l->node[k]) : -1;
        if (p < 0 || l->component[k] < 1 || l->component[k] > 6)
            l->node[k] = 0;
        else
            memcpy(l->u + 3 * k, xyz + 3 * p, 3 * sizeof *xyz);
    }
    fb_index_free(&x);
    return FB_OK;
}

/* The boundary's coordinates node by node, as they first occur, then the modal ones: order [n]. */
static void sort(const fb_model *b, const labels *l, fb_component *c, int64_t *order)
{
    for (int64_t k = 0; k < b->nr; k++) {
        int known = 0;
        for (int64_t p = 0; p < c->nnode; p++)
            known = known || c->name[p] == l->node[k];
        if (!l->node[k] || known)
            continue;
        c->name[c->nnode] = l->node[k];
        c->first[c->nnode++] = c->nb;
        for (int64_t q = k; q < b->nr; q++) {
            if (l->node[q] != l->node[k])
                continue;
            c->node[c->nb] = l->node[q];
            c->component[c->nb] = l->component[q];
            memcpy(c->u + 3 * c->nb, l->u + 3 * q, 3 * sizeof *l->u);
            order[c->nb++] = q;
        }
    }
    c->first[c->nnode] = c->nb;
    int64_t at = c->nb;
    for (int64_t k = 0; k < b->nr; k++)
        if (!l->node[k])
            order[at++] = k;
    c->n = b->nr;
    c->nq = c->n - c->nb;
}

static fb_status matrices(const fb_model *b, fb_component *c, const int64_t *order, fb_err *e)
{
    const int64_t n = c->n;
    FB_PASS(fb_mat_new(&c->K, n, n, e));
    FB_PASS(fb_mat_new(&c->M, n, n, e));
    for (int64_t j = 0; j < n; j++)
        for (int64_t i = 0; i < n; i++) {
            c->K.x[i + j * n] = b->Kr[order[i] * n + order[j]];
            c->M.x[i + j * n] = b->Mr[order[i] * n + order[j]];
        }
    (void)fb_mat_symmetrise(&c->K);
    (void)fb_mat_symmetrise(&c->M);
    return FB_OK;
}

static void extent(fb_component *c)
{
    double lo[3], hi[3];
    for (int64_t p = 0; p < c->nnode; p++)
        for (int a = 0; a < 3; a++)
            c->center[a] += c->u[3 * c->first[p] + a] / (double)c->nnode;
    fb_box(c->u, c->nb, lo, hi);
    c->size = fb_box_diagonal(c->u, c->nb);
    if (!(c->size > 0))
        c->size = 1; /* one node: no length but the unit */
}

static fb_status gather(const fb_model *b, fb_component *c, fb_err *e)
{
    labels l = {0};
    int64_t *order = NULL;
    fb_status s = FB_OK;
    FB_TRY(FB_NEW(&l.node, b->nr, e));
    FB_TRY(FB_NEW(&l.component, b->nr, e));
    FB_TRY(FB_NEW(&l.u, 3 * b->nr, e));
    FB_TRY(FB_NEW(&order, b->nr, e));
    FB_TRY(FB_NEW(&c->node, b->nr, e));
    FB_TRY(FB_NEW(&c->component, b->nr, e));
    FB_TRY(FB_NEW(&c->u, 3 * b->nr, e));
    FB_TRY(FB_NEW(&c->name, b->nr, e));
    FB_TRY(FB_NEW(&c->first, b->nr + 1, e));
    FB_TRY(name_all(b, &l, e));
    FB_TRY(place_all(b, &l, e));
    sort(b, &l, c, order);
    if (!c->nb)
        FB_TRY(
            fb_fail(e, FB_EFORMAT,
                    "--check wants boundary coordinates that are displacements of nodes with "
                    "coordinates, the body has none: reduce by --cb without --orthonormalize, or "
                    "name the file that has the nodes"));
    FB_TRY(matrices(b, c, order, e));
    extent(c);
out:
    FB_FREE(l.node, l.component, l.u, order);
    return s;
}

/* ---- rigid motion ------------------------------------------------------------------------- */

/* Rows of (CK.1) at the boundary, about the centre. */
static void at_boundary(const fb_component *c, fb_mat *R)
{
    for (int64_t k = 0; k < c->nb; k++) {
        double u[3], r[6];
        for (int a = 0; a < 3; a++)
            u[a] = c->u[3 * k + a] - c->center[a];
        fb_rigid_row(u, c->component[k], r);
        for (int a = 0; a < 6; a++)
            R->x[k + a * R->m] = r[a];
    }
}

/* Six coordinates that hold the body: those of the first node that has six, else the six that
 * differ most, lengths in shares of the size. */
static fb_status refer(fb_component *c, fb_err *e)
{
    fb_mat W = {0};
    int64_t found = 6;
    for (int64_t p = 0; p < c->nnode; p++)
        if (c->first[p + 1] - c->first[p] == 6) {
            for (int k = 0; k < 6; k++)
                c->reference[k] = c->first[p] + k;
            return FB_OK;
        }
    FB_PASS(fb_mat_new(&W, 6, c->nb, e));
    for (int64_t k = 0; k < c->nb; k++)
        for (int a = 0; a < 6; a++)
            W.x[a + 6 * k] = c->R[FB_BY_GEOMETRY].x[k + a * c->n] * (c->component[k] > 3 ? 1
                                                                     : a < 3             ? 1
                                                                             : 1 / c->size);
    found = c->nb < 6 ? c->nb : fb_pick_columns(&W, 1e-9, dependent, 0, 6, c->reference);
    fb_mat_free(&W);
    return found == 6 ? FB_OK
                      : fb_fail(e, FB_EFORMAT,
                                "--check: the %lld boundary coordinates hold %lld of the six rigid "
                                "motions: more, or others, are wanted",
                                (long long)c->nb, (long long)found);
}

/* X = -A_uu^-1 A_uk R_k for the rows u [nu] of R; known[i]: row i of R is given. */
static fb_status extend(const fb_component *c, const char *known, const char *name, fb_mat *R,
                        fb_err *e)
{
    const int64_t n = c->n;
    int64_t nu = 0, *u = NULL;
    fb_mat A = {0}, X = {0};
    fb_status s = FB_OK;
    FB_TRY(FB_NEW(&u, n, e));
    for (int64_t k = 0; k < n; k++)
        if (!known[k])
            u[nu++] = k;
    FB_TRY(fb_mat_new(&A, nu, nu, e));
    FB_TRY(fb_mat_new(&X, nu, 6, e));
    for (int64_t j = 0; j < nu; j++)
        for (int64_t i = 0; i < nu; i++)
            A.x[i + j * nu] = c->K.x[u[i] + u[j] * n];
    for (int a = 0; a < 6; a++)
        for (int64_t i = 0; i < nu; i++)
            for (int64_t k = 0; k < n; k++)
                if (known[k])
                    X.x[i + a * nu] -= c->K.x[u[i] + k * n] * R->x[k + a * n];
    if (nu)
        FB_TRY(fb_solve_spd(&A, &X, name, e));
    for (int a = 0; a < 6; a++)
        for (int64_t i = 0; i < nu; i++)
            R->x[u[i] + a * n] = X.x[i + a * nu];
out:
    free(u);
    FB_FREE_BY(fb_mat_free, &A, &X);
    return s;
}

/* What the matrices do not tell is no error: why says it. */
static fb_status forgive(fb_component *c, fb_rigid_by by, fb_status s, fb_err *e)
{
    if (s != FB_ESOLVE && s != FB_EFORMAT)
        return s;
    fb_mat_free(&c->R[by]);
    snprintf(c->why[by], sizeof c->why[by], "%.*s", (int)sizeof c->why[by] - 1, e->msg);
    return FB_OK;
}

static fb_status by_geometry(fb_component *c, fb_err *e)
{
    char *known = NULL;
    fb_mat *R = c->R + FB_BY_GEOMETRY;
    fb_status s = FB_OK;
    FB_TRY(fb_mat_new(R, c->n, 6, e));
    FB_TRY(FB_NEW(&known, c->n, e));
    at_boundary(c, R);
    memset(known, 1, (size_t)c->nb);
    s = extend(c, known, "stiffness of the modal coordinates", R, e);
    if (s == FB_ESOLVE) { /* they are taken to rest, and say so */
        snprintf(c->why[FB_BY_GEOMETRY], sizeof c->why[0], "%.*s", (int)sizeof c->why[0] - 1,
                 e->msg);
        s = FB_OK;
    }
out:
    free(known);
    return s;
}

static fb_status by_stiffness(fb_component *c, fb_err *e)
{
    char *known = NULL;
    fb_mat *R = c->R + FB_BY_STIFFNESS;
    fb_status s = FB_OK;
    FB_TRY(fb_mat_new(R, c->n, 6, e));
    FB_TRY(FB_NEW(&known, c->n, e));
    for (int k = 0; k < 6; k++) {
        const int64_t r = c->reference[k];
        known[r] = 1;
        for (int a = 0; a < 6; a++)
            R->x[r + a * c->n] = c->R[FB_BY_GEOMETRY].x[r + a * c->n];
    }
    s = extend(c, known, "stiffness of the body held at its reference", R, e);
out:
    free(known);
    return forgive(c, FB_BY_STIFFNESS, s, e);
}

/* The shift s > 0 of (CK.3): the lowest K_ii/M_ii, of modal coordinates where there are any. */
static double shift(const fb_component *c)
{
    double low = INFINITY;
    for (int64_t k = c->nq ? c->nb : 0; k < c->n; k++) {
        const double m = c->M.x[k * (c->n + 1)], x = c->K.x[k * (c->n + 1)];
        low = m > 0 && x > 0 ? fmin(low, x / m) : low;
    }
    return isfinite(low) ? low : 1;
}

/* V [n x n], lambda = -mu [n] ascending. */
static fb_status lowest_modes(const fb_component *c, double sigma, double *lambda, fb_mat *V,
                              fb_err *e)
{
    const int64_t n = c->n;
    fb_mat A = {0}, B = {0};
    double *d = NULL;
    fb_status s = FB_OK;
    FB_TRY(FB_NEW(&d, n, e));
    FB_TRY(fb_mat_new(&A, n, n, e));
    FB_TRY(fb_mat_new(&B, n, n, e));
    for (int64_t k = 0; k < n; k++) {
        const double x = c->K.x[k * (n + 1)] + sigma * c->M.x[k * (n + 1)];
        d[k] = x > 0 ? 1 / sqrt(x) : 1;
    }
    for (int64_t k = 0; k < n * n; k++) {
        const double f = d[k % n] * d[k / n];
        A.x[k] = -f * c->M.x[k];
        B.x[k] = f * (c->K.x[k] + sigma * c->M.x[k]);
    }
    FB_TRY(fb_eig_dense(&A, &B, lambda, V, e));
    for (int64_t k = 0; k < n * n; k++)
        V->x[k] *= d[k % n];
out:
    free(d);
    FB_FREE_BY(fb_mat_free, &A, &B);
    return s;
}

static fb_status by_modes(const fb_model *b, fb_component *c, fb_err *e)
{
    fb_mat *R = c->R + FB_BY_MODES, A = {0}, Y = {0}, V = {0};
    const double sigma = shift(c);
    double *lambda = NULL;
    fb_status s = FB_OK;
    FB_TRY(FB_NEW(&lambda, c->n, e));
    FB_TRY(lowest_modes(c, sigma, lambda, &V, e));
    FB_TRY(fb_mat_new(R, c->n, 6, e));
    FB_TRY(fb_mat_new(&A, 6, 6, e));
    FB_TRY(fb_mat_new(&Y, 6, 6, e));
    for (int k = 0; k < 6; k++) {
        c->raw[k] = lambda[k] < 0 ? fb_hertz(&b->units, -1 / lambda[k] - sigma) : INFINITY;
        for (int a = 0; a < 6; a++) {
            A.x[k + 6 * a] = V.x[c->reference[k] + a * c->n];
            Y.x[k + 6 * a] = c->R[FB_BY_GEOMETRY].x[c->reference[k] + a * c->n];
        }
    }
    FB_TRY(fb_solve(&A, &Y, "the lowest six modes at the reference", e));
    const fb_mat six = fb_mat_columns(&V, 0, 6);
    FB_TRY(fb_gemm(0, 0, 1, &six, &Y, 0, R, e));
out:
    free(lambda);
    FB_FREE_BY(fb_mat_free, &A, &Y, &V);
    return forgive(c, FB_BY_MODES, s, e);
}

/* ---- what follows -------------------------------------------------------------------------- */

static fb_status properties(fb_component *c, fb_rigid_by by, fb_err *e)
{
    fb_mass_properties *p = c->of + by;
    fb_mat G = {0}, J = {0};
    double x[3] = {0}, xx = 0;
    fb_status s = FB_OK;
    if (!c->R[by].x)
        return FB_OK;
    FB_TRY(fb_congruence(&c->M, c->R + by, &G, e));
    for (int a = 0; a < 3; a++)
        p->mass[a] = G.x[7 * a];
    const double m = (p->mass[0] + p->mass[1] + p->mass[2]) / 3;
    for (int a = 0; a < 3; a++) { /* -m c~ has each twice: rows u, columns w of u = w x c */
        const int i = (a + 1) % 3, k = (a + 2) % 3;
        x[a] = m > 0 ? (G.x[i + 6 * (3 + k)] - G.x[k + 6 * (3 + i)]) / (2 * m) : 0;
        p->center[a] = c->center[a] + x[a];
        xx += x[a] * x[a];
    }
    FB_TRY(fb_mat_new(&J, 3, 3, e));
    for (int i = 0; i < 3; i++)
        for (int k = 0; k < 3; k++)
            J.x[i + 3 * k] = p->about[i == k ? i : 2 + i + k] =
                G.x[3 + i + 6 * (3 + k)] - m * ((i == k) * xx - x[i] * x[k]);
    for (int a = 0; a < 3; a++)
        p->gyration[a] = m > 0 && J.x[4 * a] > 0 ? sqrt(J.x[4 * a] / m) : 0;
    FB_TRY(fb_eig_symmetric(&J, p->principal, e));
    for (int a = 0; a < 3; a++)
        p->principal_gyration[a] = m > 0 && p->principal[a] > 0 ? sqrt(p->principal[a] / m) : 0;
out:
    FB_FREE_BY(fb_mat_free, &G, &J);
    return s;
}

/* (CK.5) */
static fb_status places(fb_component *c, fb_err *e)
{
    const fb_mat *R = c->R + FB_BY_STIFFNESS;
    FB_PASS(FB_NEW(&c->place, 3 * c->nnode, e));
    for (int64_t p = 0; p < c->nnode; p++) {
        int64_t row[3] = {-1, -1, -1};
        for (int64_t k = c->first[p]; k < c->first[p + 1]; k++)
            if (c->component[k] <= 3)
                row[c->component[k] - 1] = k;
        for (int a = 0; a < 3; a++) {
            const int i = (a + 1) % 3, k = (a + 2) % 3; /* u_i = w_k x_a, u_k = -w_i x_a */
            c->place[3 * p + a] =
                R->x && row[0] >= 0 && row[1] >= 0 && row[2] >= 0
                    ? c->center[a] +
                          (R->x[row[i] + (3 + k) * c->n] - R->x[row[k] + (3 + i) * c->n]) / 2
                    : (double)NAN;
        }
    }
    return FB_OK;
}

/* (CK.6) */
static fb_status effective(const fb_model *b, fb_component *c, fb_err *e)
{
    const int64_t n = c->n, nb = c->nb, nq = c->nq;
    fb_mat Kqq = {0}, Mqq = {0}, V = {0}, MR = {0}, G = {0};
    double *lambda = NULL;
    fb_status s = FB_OK;
    if (!nq)
        return FB_OK;
    FB_TRY(fb_mat_new(&Kqq, nq, nq, e));
    FB_TRY(fb_mat_new(&Mqq, nq, nq, e));
    FB_TRY(FB_NEW(&lambda, nq, e));
    for (int64_t j = 0; j < nq; j++)
        for (int64_t i = 0; i < nq; i++) {
            Kqq.x[i + j * nq] = c->K.x[nb + i + (nb + j) * n];
            Mqq.x[i + j * nq] = c->M.x[nb + i + (nb + j) * n];
        }
    s = fb_eig_dense(&Kqq, &Mqq, lambda, &V, e);
    if (s) { /* no modes of their own; the mass matrix is judged by its lowest eigenvalue */
        s = s == FB_ESOLVE ? FB_OK : s;
        goto out;
    }
    FB_TRY(fb_mat_product(0, 0, &c->M, c->R + FB_BY_GEOMETRY, &MR, e));
    FB_TRY(fb_congruence(&c->M, c->R + FB_BY_GEOMETRY, &G, e));
    FB_TRY(FB_NEW(&c->hz, nq, e));
    FB_TRY(FB_NEW(&c->share, 6 * nq, e));
    for (int64_t k = 0; k < nq; k++) {
        c->hz[k] = fb_hertz(&b->units, lambda[k]);
        for (int a = 0; a < 6; a++) {
            const double f = fb_dot(V.x + k * nq, MR.x + nb + a * n, nq), all = G.x[7 * a];
            c->share[6 * k + a] = all > 0 ? f * f / all : 0;
        }
    }
out:
    FB_FREE_BY(fb_mat_free, &Kqq, &Mqq, &V, &MR, &G);
    free(lambda);
    return s;
}

static fb_status lowest(fb_component *c, fb_err *e)
{
    const int64_t n = c->n;
    double *mu = NULL;
    fb_mat S = {0};
    fb_status s = FB_OK;
    FB_TRY(FB_NEW(&mu, n, e));
    FB_TRY(fb_mat_copy(&S, &c->M, e));
    for (int64_t j = 0; j < n; j++)
        for (int64_t i = 0; i < n; i++) {
            const double d = c->M.x[i * (n + 1)] * c->M.x[j * (n + 1)];
            S.x[i + j * n] = d > 0 ? S.x[i + j * n] / sqrt(d) : 0;
        }
    FB_TRY(fb_eig_symmetric(&S, mu, e));
    c->lowest = mu[0];
out:
    free(mu);
    fb_mat_free(&S);
    return s;
}

fb_status fb_component_new(const fb_model *b, fb_component *out, fb_err *e)
{
    fb_component c = {0};
    fb_status s = FB_OK;
    if (!b->Kr || !b->Mr)
        return fb_fail(e, FB_EFORMAT,
                       "--check wants a reduced body: component modes of an FE program, or what "
                       "reduce --cb made");
    FB_TRY(gather(b, &c, e));
    FB_TRY(by_geometry(&c, e));
    FB_TRY(refer(&c, e));
    FB_TRY(by_stiffness(&c, e));
    FB_TRY(by_modes(b, &c, e));
    for (int by = 0; by < FB_NBY; by++)
        FB_TRY(properties(&c, (fb_rigid_by)by, e));
    FB_TRY(places(&c, e));
    FB_TRY(effective(b, &c, e));
    FB_TRY(lowest(&c, e));
    *out = c;
    c = (fb_component){0};
out:
    fb_component_free(&c);
    return s;
}
