/* SPDX-License-Identifier: GPL-3.0-or-later */
/* rigid.c - rigid motion of a model and the masses of its nodes.
 *
 * Equations  p node at u_p, a axis, e_a its unit vector
 *   (RI.1) translation a:  row (p,a) is 1
 *   (RI.2) rotation a about the origin:  rows (p,1..3) are e_a x u_p, row (p,3+a) is 1
 *   (RI.3) row sums:  m_p = mean over a of sum_q M_(pa)(qa),  J_p,ab = sum_q M_(p,3+a)(q,3+b)
 *   (RI.4) diagonal:  m_p = mean over a of M_(pa)(pa) c_a,  c_a = sum_pq M_(pa)(qa) / sum_p M_(pa)(pa);
 *          J_p,aa = M_(p,3+a)(p,3+a) c, c the mean of c_a
 *   (RI.5) Ms_pq = mean of M_(pa)(qa) over the axes a that both nodes have
 * Source   Hinton, Rock & Zienkiewicz, Earthquake Eng. Struct. Dyn. 4 (1976) 245-249 (RI.4)
 */
#include "flexbody.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* place[d] = position in /nodes of dof d, -1: none. */
static fb_status places(const fb_model *b, int64_t **place, fb_err *e)
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

fb_status fb_model_rigid(const fb_model *b, fb_mat *R, fb_err *e)
{
    int64_t n = b->ndof, *place = NULL;
    fb_mat X = {0};
    fb_status s = FB_OK;
    FB_TRY(places(b, &place, e));
    FB_TRY(fb_mat_new(&X, n, 6, e));
    for (int64_t d = 0; d < n; d++) {
        int64_t c = b->dof_component[d] - 1;
        if (c < 0 || c > 5 || !physical(b, d) || (b->node_id && place[d] < 0)) /* internal modes of elements */
            continue;
        X.x[d + c * n] = 1; /* (RI.1), and the rotation itself of (RI.2) */
        if (c > 2 || place[d] < 0 || !b->xyz)
            continue;
        const double *u = b->xyz + 3 * place[d];
        int64_t a = (c + 1) % 3, z = (c + 2) % 3; /* (e_a x u)_c = u_z, (e_z x u)_c = -u_a */
        X.x[d + (3 + a) * n] = u[z];
        X.x[d + (3 + z) * n] = -u[a];
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

fb_status fb_model_isotropic(const fb_model *b, fb_csc *Ms, int64_t **axes, fb_err *e)
{
    const fb_csc *M = &b->M;
    int64_t *place = NULL, *has = NULL, *i = NULL, *j = NULL, n = 0;
    double *x = NULL;
    fb_status s = FB_OK;
    FB_TRY(places(b, &place, e));
    FB_TRY(fb_new(&has, b->nn, 8, "axes of the nodes", e));
    for (int64_t d = 0; d < b->ndof; d++) {
        const int64_t c = b->dof_component[d];
        if (place[d] >= 0 && c >= 1 && c <= 3 && physical(b, d))
            has[place[d]] |= (int64_t)1 << (c - 1);
    }
    FB_TRY(fb_new(&i, M->p[M->n], 8, "entries of M", e));
    FB_TRY(fb_new(&j, M->p[M->n], 8, "entries of M", e));
    FB_TRY(fb_new(&x, M->p[M->n], 8, "entries of M", e));
    for (int64_t d = 0; d < M->n; d++)
        for (int64_t q = M->p[d]; q < M->p[d + 1]; q++) {
            const int64_t r = M->i[q], c = b->dof_component[d], u = place[r], v = place[d];
            if (c < 1 || c > 3 || c != b->dof_component[r] || u < 0 || v < 0 || !physical(b, d) || !physical(b, r))
                continue;
            i[n] = u < v ? u : v;
            j[n] = u < v ? v : u;
            x[n++] = M->x[q] / ones(has[u] & has[v]) * (M->upper || u == v ? 1 : 0.5); /* (RI.5) */
        }
    FB_TRY(fb_csc_from_triplets(Ms, b->nn, b->nn, n, i, j, x, 1, e));
    *axes = has;
    has = NULL;
out:
    free(place);
    free(has);
    free(i);
    free(j);
    free(x);
    return s;
}

typedef struct {
    const fb_model *b;
    int64_t *place;
    double  *sum, *diag; /* [nn,3] by axis */
    double  *J, *Jdiag;  /* [nn,3,3], [nn,3] */
} lumps;

static void entry(lumps *t, int64_t i, int64_t j, double x)
{
    const int64_t *c = t->b->dof_component, p = t->place[i], a = c[i] - 1, z = c[j] - 1;
    if (p < 0 || t->place[j] < 0 || a < 0 || a > 5 || z < 0 || z > 5)
        return;
    if (a < 3 && a == z) {
        t->sum[3 * p + a] += x;
        if (i == j)
            t->diag[3 * p + a] += x;
    } else if (a >= 3 && z >= 3) {
        t->J[9 * p + 3 * (a - 3) + z - 3] += x;
        if (i == j)
            t->Jdiag[3 * p + a - 3] += x;
    }
}

/* (RI.3), (RI.4) */
static void finish(const lumps *t, int by_diagonal, double *m, double *J)
{
    double total[3] = {0}, diag[3] = {0}, c[3], mean = 0;
    int used = 0;
    for (int64_t p = 0; p < t->b->nn; p++)
        for (int a = 0; a < 3; a++) {
            total[a] += t->sum[3 * p + a];
            diag[a] += t->diag[3 * p + a];
        }
    for (int a = 0; a < 3; a++) {
        c[a] = diag[a] > 0 ? total[a] / diag[a] : 0;
        mean += c[a];
        used += diag[a] > 0;
    }
    for (int64_t p = 0; used && p < t->b->nn; p++) {
        for (int a = 0; a < 3; a++)
            m[p] += (by_diagonal ? t->diag[3 * p + a] * c[a] : t->sum[3 * p + a]) / used;
        for (int a = 0; a < 3; a++)
            for (int z = 0; z < 3; z++)
                J[9 * p + 3 * a + z] = by_diagonal ? (a == z) * t->Jdiag[3 * p + a] * mean / used
                                                   : (t->J[9 * p + 3 * a + z] + t->J[9 * p + 3 * z + a]) / 2;
    }
}

fb_status fb_model_lump(const fb_model *b, int by_diagonal, double **mass, double **inertia, fb_err *e)
{
    lumps t = {.b = b};
    double *m = NULL, *J = NULL;
    const fb_csc *M = &b->M;
    fb_status s = FB_OK;
    FB_TRY(places(b, &t.place, e));
    FB_TRY(fb_new(&t.sum, 3 * b->nn, 8, "nodal masses", e));
    FB_TRY(fb_new(&t.diag, 3 * b->nn, 8, "nodal masses", e));
    FB_TRY(fb_new(&t.J, 9 * b->nn, 8, "nodal inertias", e));
    FB_TRY(fb_new(&t.Jdiag, 3 * b->nn, 8, "nodal inertias", e));
    FB_TRY(fb_new(&m, b->nn, 8, "nodal masses", e));
    FB_TRY(fb_new(&J, 9 * b->nn, 8, "nodal inertias", e));
    for (int64_t j = 0; j < M->n; j++)
        for (int64_t q = M->p[j]; q < M->p[j + 1]; q++) {
            entry(&t, M->i[q], j, M->x[q]);
            if (M->upper && M->i[q] != j)
                entry(&t, j, M->i[q], M->x[q]);
        }
    finish(&t, by_diagonal, m, J);
    *mass = m;
    *inertia = J;
    m = J = NULL;
out:
    free(t.place);
    free(t.sum);
    free(t.diag);
    free(t.J);
    free(t.Jdiag);
    free(m);
    free(J);
    return s;
}
