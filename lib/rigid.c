/* SPDX-License-Identifier: GPL-3.0-or-later */
/* rigid.c - rigid motion of a model and the masses of its nodes.
 *
 * Equations  p node at u_p, a axis, e_a its unit vector
 *   (RI.1) translation a:  row (p,a) is 1
 *   (RI.2) rotation a about the origin:  rows (p,1..3) are e_a x u_p, row (p,3+a) is 1
 *   (RI.3) Ms_pq = mean of M_(pa)(qa) over the axes a that both nodes have
 *   (RI.4) nodal masses by the scaled diagonal:  m_p = Ms_pp c,  c = sum Ms_pq / sum Ms_pp;  J_p,ab
 *          = M_(p,3+a)(p,3+b) c
 *   (RI.5) with the mass m0 and the first moments S of R'MR:  m_p := m_p m0 / sum m,  then m_p (1 +
 *          t.(u_p - c)), t = Q^-1 (S - m0 c),  c = sum m u / m0,  Q = sum m (u - c)(u - c)'
 *   (RI.6) gaps: entries Ms_pq along axes a that p or q lacks (planar models, supports), of axes
 *          along which M has less mass than along others; none in bodies condensed before, whose
 *          nodes stand for the rest
 * Source   Hinton, Rock & Zienkiewicz, Earthquake Eng. Struct. Dyn. 4 (1976) 245-249 (RI.4)
 */
#include "linalg/dense.h"
#include "linalg/far.h"
#include "linalg/sparse.h"
#include "linalg/sparse_ops.h"
#include "memory.h"
#include "model.h"
#include "status.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Of the second moments of the nodes: less is a plane or a line. */
static const double flat = 1e-12;

fb_status fb_node_places(const fb_model *b, int64_t **place, fb_err *e)
{
    fb_index x = {0};
    int64_t *at = NULL;
    fb_status s = FB_OK;
    FB_TRY(fb_new(&at, b->ndof, 8, "places of dofs", e));
    if (b->node_id)
        FB_TRY(fb_index_new(&x, b->node_id, b->nn, "/nodes/id", e));
    for (int64_t d = 0; d < b->ndof; d++)
        at[d] = b->node_id ? fb_index_find(&x, b->dof_node[d]) : -1;
    *place = at;
    at = NULL;
out:
    fb_index_free(&x);
    free(at);
    return s;
}

static int physical(const fb_model *b, int64_t d)
{
    return !b->dof_class || b->dof_class[d] == FB_DOF_PHYSICAL || b->dof_class[d] == FB_DOF_FIXED;
}

void fb_rigid_row(const double *u, int64_t component, double r[6])
{
    const int64_t c = component - 1, a = (c + 1) % 3, z = (c + 2) % 3;
    memset(r, 0, 6 * sizeof *r);
    r[c] = 1; /* (RI.1), and the rotation itself of (RI.2) */
    if (c > 2 || !u)
        return;
    r[3 + a] = u[z]; /* (e_a x u)_c = u_z, (e_z x u)_c = -u_a */
    r[3 + z] = -u[a];
}

fb_status fb_model_rigid(const fb_model *b, fb_mat *R, fb_err *e)
{
    int64_t n = b->ndof, *place = NULL;
    double r[6];
    fb_mat X = {0};
    fb_status s = FB_OK;
    FB_TRY(fb_node_places(b, &place, e));
    FB_TRY(fb_mat_new(&X, n, 6, e));
    for (int64_t d = 0; d < n; d++) {
        const int64_t c = b->dof_component[d];
        if (c < 1 || c > 6 || !physical(b, d) ||
            (b->node_id && place[d] < 0)) /* internal modes of elements */
            continue;
        fb_rigid_row(place[d] >= 0 && b->xyz ? b->xyz + 3 * place[d] : NULL, c, r);
        for (int a = 0; a < 6; a++)
            X.x[d + a * n] = r[a];
    }
    *R = X;
    X = (fb_mat){0};
out:
    fb_mat_free(&X);
    free(place);
    return s;
}

static int ones(int64_t mask)
{
    return (int)(mask & 1) + (int)(mask >> 1 & 1) + (int)(mask >> 2 & 1);
}

/* The translations that nodes have, as bits. */
static void axes_of(const fb_model *b, const int64_t *place, int64_t *has)
{
    for (int64_t d = 0; d < b->ndof; d++) {
        const int64_t c = b->dof_component[d];
        if (place[d] >= 0 && c >= 1 && c <= 3 && physical(b, d))
            has[place[d]] |= (int64_t)1 << (c - 1);
    }
}

fb_status fb_model_isotropic(const fb_model *b, fb_csc *Ms, int64_t **axes, fb_err *e)
{
    const fb_csc *M = &b->M;
    int64_t *place = NULL, *has = NULL, *i = NULL, *j = NULL, n = 0;
    double *x = NULL;
    fb_status s = FB_OK;
    FB_TRY(fb_node_places(b, &place, e));
    FB_TRY(fb_new(&has, b->nn, 8, "axes of the nodes", e));
    axes_of(b, place, has);
    FB_TRY(fb_new(&i, M->p[M->n], 8, "entries of M", e));
    FB_TRY(fb_new(&j, M->p[M->n], 8, "entries of M", e));
    FB_TRY(fb_new(&x, M->p[M->n], 8, "entries of M", e));
    for (int64_t d = 0; d < M->n; d++)
        for (int64_t q = M->p[d]; q < M->p[d + 1]; q++) {
            const int64_t r = M->i[q], c = b->dof_component[d], u = place[r], v = place[d];
            if (c < 1 || c > 3 || c != b->dof_component[r] || u < 0 || v < 0 || !physical(b, d) ||
                !physical(b, r))
                continue;
            i[n] = u < v ? u : v;
            j[n] = u < v ? v : u;
            x[n++] = M->x[q] / ones(has[u] & has[v]) * (M->upper || u == v ? 1 : 0.5); /* (RI.3) */
        }
    FB_TRY(fb_csc_from_triplets(Ms, b->nn, b->nn, n, i, j, x, 1, e));
    *axes = has;
    has = NULL;
out:
    FB_FREE(place, has, i, j, x);
    return s;
}

/* m0 and S of (RI.5). */
static fb_status first_moments(const fb_model *b, double *m0, double S[3], fb_err *e)
{
    fb_mat R = {0}, B = {0};
    fb_status s = FB_OK;
    FB_TRY(fb_model_rigid(b, &R, e));
    FB_TRY(fb_csc_congruence(&b->M, &R, &B, e));
    *m0 = (B.x[0] + B.x[7] + B.x[14]) / 3;
    S[0] = (B.x[1 + 6 * 5] - B.x[2 + 6 * 4]) / 2;
    S[1] = (B.x[2 + 6 * 3] - B.x[0 + 6 * 5]) / 2;
    S[2] = (B.x[0 + 6 * 4] - B.x[1 + 6 * 3]) / 2;
out:
    FB_FREE_BY(fb_mat_free, &R, &B);
    return s;
}

/* (RI.5) */
static fb_status tilt(const fb_model *b, double *m, fb_err *e)
{
    double m0 = 0, S[3], sum = 0, c[3] = {0}, Q[9] = {0}, mu[3], t[3] = {0}, d[3];
    fb_mat A = {3, 3, Q};
    fb_status s = first_moments(b, &m0, S, e);
    for (int64_t p = 0; p < b->nn; p++)
        sum += m[p];
    if (s || !(sum > 0) || !(m0 > 0))
        return s;
    for (int64_t p = 0; p < b->nn; p++) {
        m[p] *= m0 / sum;
        for (int a = 0; a < 3; a++)
            c[a] += m[p] * b->xyz[3 * p + a] / m0;
    }
    for (int64_t p = 0; p < b->nn; p++)
        for (int a = 0; a < 9; a++)
            Q[a] += m[p] * (b->xyz[3 * p + a / 3] - c[a / 3]) * (b->xyz[3 * p + a % 3] - c[a % 3]);
    s = fb_eig_symmetric(&A, mu, e);
    for (int k = 0; !s && k < 3; k++)
        for (int a = 0; mu[k] > flat * mu[2] && a < 3; a++)
            for (int z = 0; z < 3; z++)
                t[a] += Q[a + 3 * k] * Q[z + 3 * k] * (S[z] - m0 * c[z]) / mu[k];
    for (int64_t p = 0; !s && p < b->nn; p++) {
        for (int a = 0; a < 3; a++)
            d[a] = b->xyz[3 * p + a] - c[a];
        m[p] *= 1 + t[0] * d[0] + t[1] * d[1] + t[2] * d[2];
        if (m[p] < 0)
            s = fb_fail(e, FB_EFORMAT,
                        "the mass matrix has no nodal masses with its mass and its centre: node "
                        "%lld would have %g",
                        (long long)b->node_id[p], m[p]);
    }
    return s;
}

/* (RI.3), (RI.4) of a mass that other processes hold: m the diagonal of Ms, J unscaled, the sum of
 * Ms. */
static fb_status lump_far(const fb_model *b, const int64_t *place, double *m, double *J,
                          double *total, fb_err *e)
{
    int64_t *label = NULL, *has = NULL;
    double *y = NULL;
    fb_status s = FB_OK;
    FB_TRY(fb_new(&label, 2 * b->ndof, 8, "nodes of the dofs", e));
    FB_TRY(fb_new(&has, b->nn, 8, "axes of the nodes", e));
    FB_TRY(fb_new(&y, 10 * b->nn + 1, 8, "nodal masses", e));
    axes_of(b, place, has);
    for (int64_t d = 0; d < b->ndof; d++) {
        const int64_t c = b->dof_component[d];
        label[d] = place[d];
        label[b->ndof + d] = c >= 1 && c <= 6 && physical(b, d) ? c : 0;
    }
    FB_TRY(fb_far->lump(&b->M, label, has, b->nn, y, e));
    for (int64_t p = 0; p < b->nn; p++) {
        m[p] = y[10 * p];
        memcpy(J + 9 * p, y + 10 * p + 1, 9 * sizeof *J);
    }
    *total = y[10 * b->nn];
out:
    FB_FREE(label, has, y);
    return s;
}

/* c of (RI.4): m [nn] takes the diagonal of Ms, and total the sum of its entries; without Ms both
 * are there. */
static double scaling(const fb_csc *Ms, int64_t nn, double *m, double total)
{
    double diagonal = 0;
    for (int64_t q = 0; q < (Ms->p ? nn : 0); q++)
        for (int64_t k = Ms->p[q]; k < Ms->p[q + 1]; k++) {
            total += Ms->x[k] * (Ms->i[k] == q ? 1 : 2);
            m[q] += Ms->i[k] == q ? Ms->x[k] : 0;
        }
    for (int64_t q = 0; q < nn; q++)
        diagonal += m[q];
    return diagonal > 0 ? total / diagonal : 0;
}

/* (RI.4): J by c = scale; has it any? */
static int rotary(const fb_model *b, const int64_t *place, double scale, double *J)
{
    int any = 0;
    for (int64_t d = 0; d < b->M.n; d++)
        for (int64_t q = b->M.p[d]; q < b->M.p[d + 1]; q++) {
            const int64_t r = b->M.i[q], c = b->dof_component[d] - 4, a = b->dof_component[r] - 4,
                          p = place[d];
            if (p < 0 || p != place[r] || c < 0 || c > 2 || a < 0 || a > 2 || !physical(b, d) ||
                !physical(b, r))
                continue;
            J[9 * p + 3 * a + c] = J[9 * p + 3 * c + a] = b->M.x[q] * scale;
            any = any || fabs(b->M.x[q]) > 0;
        }
    return any;
}

fb_status fb_model_rotary(const fb_model *b, const fb_csc *Ms, double **inertia, fb_err *e)
{
    int64_t *place = NULL;
    double *m = NULL, *J = NULL;
    fb_status s = FB_OK;
    *inertia = NULL;
    FB_TRY(fb_node_places(b, &place, e));
    FB_TRY(fb_new(&m, b->nn, 8, "nodal masses", e));
    FB_TRY(fb_new(&J, 9 * b->nn, 8, "nodal inertias", e));
    if (rotary(b, place, scaling(Ms, b->nn, m, 0), J)) {
        *inertia = J;
        J = NULL;
    }
out:
    FB_FREE(place, m, J);
    return s;
}

fb_status fb_model_lump(const fb_model *b, double **mass, double **inertia, fb_err *e)
{
    fb_csc own = {0};
    const fb_csc *Ms = b->Ms.p ? &b->Ms : &own;
    int64_t *place = NULL, *axes = NULL;
    double *m = NULL, *J = NULL, total = 0;
    fb_status s = FB_OK;
    FB_TRY(fb_node_places(b, &place, e));
    FB_TRY(fb_new(&m, b->nn, 8, "nodal masses", e));
    FB_TRY(fb_new(&J, 9 * b->nn, 8, "nodal inertias", e));
    const int far = !b->Ms.p && fb_is_far(b->M.p);
    if (far)
        FB_TRY(lump_far(b, place, m, J, &total, e));
    else if (!b->Ms.p)
        FB_TRY(fb_model_isotropic(b, &own, &axes, e));
    const double scale = scaling(Ms, b->nn, m, total);
    for (int64_t p = 0; p < b->nn; p++)
        m[p] *= scale;
    for (int64_t k = 0; far && k < 9 * b->nn; k++)
        J[k] *= scale;
    if (b->Ms.p && b->node_inertia)
        memcpy(J, b->node_inertia, sizeof *J * (size_t)(9 * b->nn));
    else if (!far && !b->Ms.p)
        (void)rotary(b, place, scale, J);
    if (b->xyz)
        FB_TRY(tilt(b, m, e));
    *mass = m;
    *inertia = J;
    m = J = NULL;
out:
    FB_FREE(place, axes, m, J);
    fb_csc_free(&own);
    return s;
}

/* ---- what the mass lacks along axes ---------------------------------------------------------- */

/* Masses along two axes that differ by less, in shares, are one. */
static const double same_mass = 1e-9;

int fb_model_condensed(const fb_model *b)
{
    for (int64_t d = 0; d < b->ndof; d++)
        if (b->dof_component[d] < 1 || b->dof_component[d] > 6 || !physical(b, d))
            return 1;
    return 0;
}

/* Of (RI.6): which axes a. */
static void short_axes(const fb_model *b, int is[3])
{
    double m[3] = {0}, most;
    for (int64_t d = 0; d < b->M.n; d++)
        for (int64_t q = b->M.p[d]; q < b->M.p[d + 1]; q++) {
            const int64_t r = b->M.i[q], c = b->dof_component[d];
            if (c >= 1 && c <= 3 && b->dof_component[r] == c)
                m[c - 1] += b->M.x[q] * (b->M.upper && r != d ? 2 : 1);
        }
    most = fmax(fmax(m[0], m[1]), m[2]);
    for (int a = 0; a < 3; a++)
        is[a] = m[a] < (1 - same_mass) * most;
}

static fb_status find_gaps(const fb_csc *Ms, const int64_t *has, const int is_short[3], fb_gaps *g,
                           fb_err *e)
{
    for (int pass = 0; pass < 2; pass++) {
        int64_t n = 0;
        for (int64_t q = 0; q < Ms->n; q++)
            for (int64_t t = Ms->p[q]; t < Ms->p[q + 1]; t++)
                for (int a = 0; a < 3; a++) {
                    if (!is_short[a] || has[Ms->i[t]] >> a & has[q] >> a & 1)
                        continue;
                    if (pass) {
                        g->p[n] = Ms->i[t];
                        g->q[n] = q;
                        g->axis[n] = a;
                        g->x[n] = Ms->x[t];
                    }
                    n++;
                }
        if (pass || (g->n = n) == 0)
            break;
        FB_PASS(fb_new(&g->p, n, 8, "translations that nodes lack", e));
        FB_PASS(fb_new(&g->q, n, 8, "translations that nodes lack", e));
        FB_PASS(fb_new(&g->axis, n, sizeof *g->axis, "translations that nodes lack", e));
        FB_PASS(fb_new(&g->x, n, 8, "translations that nodes lack", e));
    }
    return FB_OK;
}

/* The axes [nn] that nodes have in the mass of before the frames. */
static fb_status axes_before(const fb_model *b, int64_t **has, fb_err *e)
{
    fb_index x = {0};
    fb_status s = FB_OK;
    FB_TRY(fb_index_new(&x, b->node_id, b->nn, "/nodes/id", e));
    FB_TRY(fb_new(has, b->nn, 8, "axes of the nodes", e));
    for (int64_t d = 0; d < b->na; d++) {
        const int64_t p = fb_index_find(&x, b->all_node[d]), c = b->all_component[d];
        if (p >= 0 && c >= 1 && c <= 3 && (!b->all_class || b->all_class[d] == FB_DOF_PHYSICAL))
            (*has)[p] |= (int64_t)1 << (c - 1);
    }
out:
    fb_index_free(&x);
    return s;
}

fb_status fb_node_mass_new(const fb_model *b, fb_node_mass *x, fb_err *e)
{
    const int before = b->Ms.p && b->all_node && b->all_component;
    int64_t *has = NULL;
    int is_short[3] = {0};
    fb_status s = FB_OK;
    if (before)
        FB_TRY(axes_before(b, &has, e));
    else
        FB_TRY(fb_model_isotropic(b, &x->own, &has, e));
    x->Ms = b->Ms.p ? &b->Ms : &x->own;
    if (!fb_model_condensed(b))
        short_axes(b, is_short);
    FB_TRY(find_gaps(x->Ms, has, is_short, &x->gaps, e));
out:
    free(has);
    return s;
}

void fb_node_mass_free(fb_node_mass *x)
{
    fb_csc_free(&x->own);
    FB_FREE(x->gaps.p, x->gaps.q, x->gaps.axis, x->gaps.x);
    *x = (fb_node_mass){0};
}
