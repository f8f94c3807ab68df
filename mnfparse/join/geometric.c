/* SPDX-License-Identifier: GPL-3.0-or-later */
/* geometric.c - geometric stiffness: the stiffness of the model under a load, less its stiffness.
 *
 * Symbols  v the value of the first number of the load, t_a rigid translations, m the mass
 * Equations
 *   (KG.1) Kg = (K_loaded - K) / v, of the load / v
 *   (KG.2) Kg t_a = 0                         stress alone does not strain a translation
 *   (KG.3) P = tr(W) 1 - W,  c = -sum_ab P_ab t_a'Kg t_b / (m sum_ab P_ab^2)
 *          Programs that add what the centrifugal force changes with displacement, f = P u per mass
 *          (spin softening), have c = 1; it belongs to the mass of the moving body, which knows it
 *          A dof whose row of K strains a translation stands beside a support that is not in the
 *          matrices: its row of Kg does, too, and (KG.2) and (KG.3) go by the other rows
 *   (KG.4) c = 1:  Kg_(pa,qb) := Kg_(pa,qb) + P_ab m_pq,  m_pq the mass between nodes, of M_(pa,qa)
 *   (KG.5) r'Kg r <= sum |f_p| |x_p| + |sum f_p| max |x_p|, of rotations r = e x x about the
 *          centroid of the nodes: the moment that the load per unit, and its reaction, gain by the
 *          turn e. Where the load moves the body by u per unit, v (e x u)'K (e x u) comes to it: a
 *          body that bends has turned in part, and its new stiffness strains what was a turn of the
 *          old places. Shapes that would relax it, static ones along the body, are not in its modes
 */
#include "dofset.h"
#include "geometric.h"
#include "assemble.h"
#include "linalg/dense.h"
#include "linalg/sparse_ops.h"
#include "memory.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static double largest(const fb_csc *A)
{
    double top = 0;
    for (int64_t q = 0; q < A->p[A->n]; q++)
        top = fmax(top, fabs(A->x[q]));
    return top;
}

/* ---- the difference ------------------------------------------------------------------------ */

/* in[d]: the loaded matrix has a row for dof d. */
static fb_status rows_of(const fb_join *j, int k, int64_t *const row[FB_NROLE], char *in,
                         int64_t *missing, fb_err *e)
{
    int64_t other = 0, first = -1, gap = -1;
    *missing = 0;
    for (int64_t r = 0; r < j->nrow[FB_K]; r++)
        in[row[FB_K][r]] |= 1;
    for (int64_t r = 0; r < j->nrow[k]; r++)
        in[row[k][r]] |= 2;
    for (int64_t d = j->n - 1; d >= 0; d--) {
        other += in[d] == 2;
        *missing += in[d] == 1;
        first = in[d] == 2 ? d : first;
        gap = in[d] == 1 ? d : gap;
        in[d] = in[d] == 3;
    }
    if (other)
        return fb_fail(e, FB_EFORMAT,
                       "--geometric %s: %lld of its dofs are not in the stiffness matrix (first: "
                       "%s): the loaded stiffness of the same model is wanted",
                       j->p->how.loaded[k - FB_LOADED].c.text, (long long)other,
                       fb_name_of(j->node[first], j->component[first]).s);
    if (*missing)
        fb_warn(j->log,
                "--geometric %s: it has no row for %lld dofs of the stiffness (first: %s), which "
                "the load step holds: they have no geometric stiffness, hold them (reduce --fix)",
                j->p->how.loaded[k - FB_LOADED].c.text, (long long)*missing,
                fb_name_of(j->node[gap], j->component[gap]).s);
    return FB_OK;
}

/* K with zeros where a row or column is not `in`. */
static fb_status within(const fb_csc *K, const char *in, fb_csc *C, fb_err *e)
{
    FB_PASS(fb_csc_new(C, K->m, K->n, K->p[K->n], K->upper, e));
    memcpy(C->p, K->p, sizeof *K->p * (size_t)(K->n + 1));
    memcpy(C->i, K->i, sizeof *K->i * (size_t)K->p[K->n]);
    for (int64_t c = 0; c < K->n; c++)
        for (int64_t q = K->p[c]; q < K->p[c + 1]; q++)
            C->x[q] = in[c] && in[K->i[q]] ? K->x[q] : 0;
    return FB_OK;
}

/* (KG.1) */
static fb_status difference(fb_join *j, int k, int64_t *const row[FB_NROLE], fb_err *e)
{
    const fb_loaded *l = j->p->how.loaded + (k - FB_LOADED);
    char *in = NULL;
    int64_t missing = 0;
    fb_csc K = {0}, D = {0};
    double top = 0;
    fb_status s = FB_OK;
    FB_TRY(FB_NEW(&in, j->n, e));
    FB_TRY(rows_of(j, k, row, in, &missing, e));
    FB_TRY(within(&j->A[FB_K], in, &K, e));
    FB_TRY(fb_csc_add(&j->A[k], -1, &K, &D, e));
    top = largest(&D);
    if (!(top > 0))
        FB_TRY(fb_fail(e, FB_EFORMAT,
                       "--geometric %s: it is the stiffness itself; export it in a step that has "
                       "the load as its prestress",
                       l->c.text));
    if (top < 1e-10 * largest(&K))
        fb_warn(j->log,
                "--geometric %s: it differs from the stiffness by %.2g of its largest entry: few "
                "digits are left, apply a larger load (it is divided by its value)",
                l->c.text, top / largest(&K));
    for (int64_t q = 0; q < D.p[D.n]; q++)
        D.x[q] /= l->unit;
    fb_csc_compact(&D, 1);
    fb_csc_free(&j->A[k]);
    j->A[k] = D;
    D = (fb_csc){0};
    j->cut[k - FB_LOADED] = missing > 0;
out:
    FB_FREE_BY(fb_csc_free, &K, &D);
    free(in);
    return s;
}

fb_status fb_join_geometric(fb_join *j, int64_t *const row[FB_NROLE], fb_err *e)
{
    const fb_how *how = &j->p->how;
    fb_geoload l[FB_LOADS];
    if (!how->nloaded)
        return FB_OK;
    if (!j->role[FB_K])
        return fb_fail(e, FB_EUSAGE, "--geometric goes beside a stiffness matrix");
    for (int k = 0; k < how->nloaded; k++) {
        FB_PASS(difference(j, FB_LOADED + k, row, e));
        l[k] = fb_geoload_times(&how->loaded[k].load, 1 / how->loaded[k].unit);
    }
    return fb_geoload_set(j->b, l, how->nloaded, e);
}

fb_status fb_join_loaded(const fb_parts *p, fb_model *b, fb_err *e)
{
    for (int k = 0; k < p->how.nloaded; k++) {
        const fb_dofref *at = &p->how.loaded[k].load.at;
        char option[100];
        snprintf(option, sizeof option, "--geometric %.80s", p->how.loaded[k].c.text);
        if (at->name)
            FB_PASS(fb_one_node(b, option, at->name, at->end, b->kg_node + k, e));
        const int64_t node = b->kg_node[k];
        int is = node == 0;
        for (int64_t q = 0; !is && b->node_id && q < b->nn; q++)
            is = b->node_id[q] == node;
        for (int64_t d = 0; !is && b->dof_node && d < b->ndof; d++)
            is = b->dof_node[d] == node;
        if (!is)
            return fb_fail(e, FB_EUSAGE, "--geometric %s: the model has no node %lld",
                           p->how.loaded[k].c.text, (long long)node);
    }
    return FB_OK;
}

/* ---- translation --------------------------------------------------------------------------- */

/* y = A t of the three translations t [n,3]. */
static fb_status moved(const fb_join *j, const fb_csc *A, fb_mat *t, fb_mat *y, fb_err *e)
{
    FB_PASS(fb_mat_new(t, j->n, 3, e));
    FB_PASS(fb_mat_new(y, j->n, 3, e));
    for (int64_t d = 0; d < j->n; d++)
        if (j->component[d] >= 1 && j->component[d] <= 3 && j->class[d] == FB_DOF_PHYSICAL)
            t->x[d + (j->component[d] - 1) * j->n] = 1;
    fb_csc_mul(A, t->x, j->n, y->x, j->n, 3);
    return FB_OK;
}

/* far[d]: no support that is missing from K strains row d in a translation. */
static fb_status far_from_supports(const fb_join *j, char *far, fb_err *e)
{
    static const double strained = 1e-4; /* of the diagonal; beside a support it is 1e-2 to 1 */
    fb_mat t = {0}, y = {0};
    double *diagonal = NULL;
    fb_status s = FB_OK;
    FB_TRY(FB_NEW(&diagonal, j->n, e));
    FB_TRY(moved(j, &j->A[FB_K], &t, &y, e));
    fb_csc_diagonal(&j->A[FB_K], diagonal);
    for (int64_t d = 0; d < j->n; d++) {
        far[d] = 1;
        for (int a = 0; a < 3; a++)
            far[d] = far[d] && fabs(y.x[d + a * j->n]) <= strained * fabs(diagonal[d]);
    }
out:
    FB_FREE_BY(fb_mat_free, &t, &y);
    FB_FREE(diagonal);
    return s;
}

/* t_a'A t_b over the rows far from supports, and in strain[a] the largest |A t_a| there over the
 * largest |A|. */
static fb_status of_translation(const fb_join *j, const fb_csc *A, const char *far, double S[9],
                                double strain[3], fb_err *e)
{
    fb_mat t = {0}, y = {0};
    const double top = largest(A);
    fb_status s = FB_OK;
    FB_TRY(moved(j, A, &t, &y, e));
    for (int a = 0; a < 3; a++) {
        for (int64_t d = 0; d < j->n; d++)
            y.x[d + a * j->n] *= far[d];
        strain[a] = 0;
        for (int64_t d = 0; d < j->n; d++)
            strain[a] = fmax(strain[a], fabs(y.x[d + a * j->n]) / top);
    }
    for (int a = 0; a < 3; a++)
        for (int b = 0; b < 3; b++)
            S[3 * a + b] = fb_dot(t.x + a * j->n, y.x + b * j->n, j->n);
out:
    FB_FREE_BY(fb_mat_free, &t, &y);
    return s;
}

/* (KG.4); dof [n,3]: the translations of the node of each dof. */
static fb_status soften(fb_join *j, const double P[9], fb_csc *Kg, fb_err *e)
{
    const fb_csc *M = &j->A[FB_M];
    int64_t *order = NULL, n = 0;
    fb_ranked *t = NULL;
    fb_fill f = {0};
    fb_csc B = {0}, C = {0};
    fb_status s = FB_OK;
    FB_TRY(FB_NEW(&order, 3 * j->n, e));
    FB_TRY(fb_ranked_new(&t, j->node, j->component, j->n, e));
    memset(order, 0xff, sizeof *order * 3 * (size_t)j->n); /* -1: none */
    for (int64_t first = 0; first < j->n; first = n) {
        for (n = first; n < j->n && t[n].node == t[first].node; n++)
            for (int64_t q = first; q < j->n && t[q].node == t[first].node; q++)
                if (t[q].component >= 1 && t[q].component <= 3)
                    order[3 * t[n].at + t[q].component - 1] = t[q].at;
    }
    FB_TRY(fb_fill_new(&f, j->n, j->n, 1, e));
    for (int pass = 0; pass < 2; pass++) {
        if (pass)
            FB_TRY(fb_fill_start(&f, 0, e));
        for (int64_t c = 0; c < j->n; c++)
            for (int64_t q = M->p[c]; q < M->p[c + 1]; q++) {
                const int64_t r = M->i[q], a = j->component[r] - 1;
                if (a < 0 || a > 2 || j->component[c] != a + 1)
                    continue;
                for (int b = 0; b < 3; b++) { /* of M_(pa,qa): (pa,qb) and its mirror (pb,qa) */
                    const int64_t to = order[3 * c + b], from = order[3 * r + b];
                    const double half = b == a ? 1 : 0.5;
                    for (int side = 0; side < (r == c || b == a ? 1 : 2); side++) {
                        const int64_t i = side ? from : r, k = side ? c : to;
                        if (i < 0 || k < 0 || !(fabs(P[3 * a + b]) > 0))
                            continue;
                        if (pass)
                            (void)fb_fill_place(&f, i < k ? i : k, i < k ? k : i,
                                                half * P[3 * a + b] * M->x[q]);
                        else
                            fb_fill_count(&f, i < k ? k : i);
                    }
                }
            }
    }
    FB_TRY(fb_fill_finish(&f, &B, NULL, NULL, e));
    FB_TRY(fb_csc_add(Kg, 1, &B, &C, e));
    fb_csc_free(Kg);
    *Kg = C;
    C = (fb_csc){0};
out:
    fb_fill_free(&f);
    FB_FREE_BY(fb_csc_free, &B, &C);
    FB_FREE(order, t);
    return s;
}

/* ---- rotation ------------------------------------------------------------------------------ */

/* x [n,3] of the dofs' nodes from the centroid; 0 in *placed: some have no place. */
static fb_status places(const fb_join *j, double **x, double *size, int *placed, fb_err *e)
{
    const fb_model *b = j->b;
    double c[3] = {0};
    *placed = b->nn > 0 && b->xyz;
    *size = 0;
    for (int64_t d = 0; d < j->n; d++)
        *placed = *placed && j->place[d] >= 0;
    if (!*placed)
        return FB_OK;
    FB_PASS(FB_NEW(x, 3 * j->n, e));
    for (int64_t d = 0; d < j->n; d++)
        for (int a = 0; a < 3; a++)
            c[a] += b->xyz[3 * j->place[d] + a] / (double)j->n;
    for (int64_t d = 0; d < j->n; d++) {
        for (int a = 0; a < 3; a++)
            (*x)[3 * d + a] = b->xyz[3 * j->place[d] + a] - c[a];
        *size = fmax(*size, fb_norm(*x + 3 * d, 3));
    }
    return FB_OK;
}

/* The right side of (KG.5). */
static fb_status moment(const fb_join *j, int k, const double *x, double size, double *most,
                        fb_err *e)
{
    const fb_geoload l = fb_geoload_of(j->b, k);
    double *a = NULL, *f = NULL, sum[3] = {0};
    fb_status s = FB_OK;
    *most = (fb_norm(l.f, 3) * size + fb_norm(l.t, 3)) * 2;
    if (!j->A[FB_M].p)
        return FB_OK;
    FB_TRY(FB_NEW(&a, j->n, e));
    FB_TRY(FB_NEW(&f, j->n, e));
    for (int64_t d = 0; d < j->n; d++) {
        const double *u = j->b->xyz + 3 * j->place[d];
        const int64_t c = j->component[d] - 1;
        double turn[3];
        fb_cross(l.r, u, turn);
        if (c < 0 || c > 2)
            continue;
        a[d] = l.a[c] + turn[c] + (l.W[0] + l.W[4] + l.W[8]) * u[c];
        for (int b = 0; b < 3; b++)
            a[d] -= l.W[3 * c + b] * u[b];
    }
    fb_csc_mul(&j->A[FB_M], a, j->n, f, j->n, 1);
    for (int64_t d = 0; d < j->n; d++) {
        const int64_t c = j->component[d] - 1;
        if (c < 0 || c > 2)
            continue;
        sum[c] += f[d];
        *most += fabs(f[d]) * fb_norm(x + 3 * d, 3);
    }
    *most += fb_norm(sum, 3) * size;
out:
    FB_FREE(a, f);
    return s;
}

/* (KG.5) over the rows far from supports: the largest r'Kg r over what it may be. */
static fb_status strain_of_turns(const fb_join *j, int k, const char *far, double *ratio, fb_err *e)
{
    double *x = NULL, size = 0, most = 0;
    int placed = 0;
    fb_mat r = {0}, y = {0};
    fb_status s = FB_OK;
    *ratio = 0;
    FB_TRY(places(j, &x, &size, &placed, e));
    if (!placed)
        goto out;
    FB_TRY(moment(j, k, x, size, &most, e));
    FB_TRY(fb_mat_new(&r, j->n, 3, e));
    FB_TRY(fb_mat_new(&y, j->n, 3, e));
    for (int64_t d = 0; d < j->n; d++)
        for (int b = 0; b < 3; b++) {
            const int64_t c = j->component[d] - 1;
            double axis[3] = {b == 0, b == 1, b == 2}, u[3];
            fb_cross(axis, x + 3 * d, u);
            r.x[d + b * j->n] = c < 0 || c > 5 ? 0 : c < 3 ? u[c] : axis[c - 3];
        }
    fb_csc_mul(&j->A[FB_LOADED + k], r.x, j->n, y.x, j->n, 3);
    for (int b = 0; b < 3; b++) {
        double sum = 0;
        for (int64_t d = 0; d < j->n; d++)
            sum += far[d] * r.x[d + b * j->n] * y.x[d + b * j->n];
        if (most > 0)
            *ratio = fmax(*ratio, fabs(sum) / most);
    }
out:
    FB_FREE_BY(fb_mat_free, &r, &y);
    free(x);
    return s;
}

static fb_status warn_of_bending(fb_join *j, int k, const char *far, fb_err *e)
{
    double ratio = 0;
    FB_PASS(strain_of_turns(j, k, far, &ratio, e));
    if (ratio > 1.05)
        fb_warn(j->log,
                "--geometric %s: a rigid turn is strained %.3g times as much as the load and its "
                "reaction can do: the load bends the body (or is not what it is said to be), and "
                "what is reduced will be too stiff: put the axis through the body's line, the load "
                "along it, or apply no more than the body will see",
                j->p->how.loaded[k].c.text, ratio);
    return FB_OK;
}

static fb_status one_load(fb_join *j, int k, const char *far, double mass, fb_err *e)
{

    const fb_loaded *l = j->p->how.loaded + k;
    const double *W = j->b->kg_centrifugal + 9 * k;
    fb_csc *Kg = &j->A[FB_LOADED + k];
    double S[9], strain[3], P[9], pp = 0, c = 0;
    FB_PASS(of_translation(j, Kg, far, S, strain, e));
    for (int q = 0; q < 9; q++) { /* (KG.3) */
        P[q] = (q % 4 == 0) * (W[0] + W[4] + W[8]) - W[q];
        pp += P[q] * P[q];
        c -= P[q] * S[q];
    }
    if (pp > 0 && mass > 0) {
        c /= mass * pp;
        if (fabs(c - 1) < 0.05) {
            fb_note(j->log,
                    "--geometric %s: it holds the softening of a turning mass (%.4g of it), which "
                    "is taken off: mass and motion of the body make it again",
                    l->c.text, c);
            FB_PASS(soften(j, P, Kg, e));
            FB_PASS(of_translation(j, Kg, far, S, strain, e));
        } else if (fabs(c) > 0.05) {
            fb_warn(j->log,
                    "--geometric %s: a translation is strained as by %.3g of the softening of a "
                    "turning mass, 0 or 1 is wanted: is the load what it is said to be?",
                    l->c.text, -c);
        }
    }
    const double worst = fmax(strain[0], fmax(strain[1], strain[2]));
    if (worst > 1e-3)
        fb_warn(j->log,
                "--geometric %s: a translation is strained by %.2g of its largest entry: stress "
                "alone does not do that (follower loads, other supports, another model?)",
                l->c.text, worst);
    return warn_of_bending(j, k, far, e);
}

fb_status fb_join_softening(fb_join *j, fb_err *e)
{
    double S[9], strain[3], mass = 0;
    char *far = NULL;
    fb_status s = FB_OK;
    if (!j->p->how.nloaded)
        return FB_OK;
    for (int64_t d = 0; d < j->n; d++)
        if (j->class[d] != FB_DOF_PHYSICAL)
            return FB_OK; /* what moves with a translation is not known */
    FB_TRY(FB_NEW(&far, j->n, e));
    FB_TRY(far_from_supports(j, far, e));
    if (j->A[FB_M].p) {
        FB_TRY(of_translation(j, &j->A[FB_M], far, S, strain, e));
        mass = fmax(S[0], fmax(S[4], S[8]));
    }
    for (int k = 0; k < j->p->how.nloaded; k++)
        if (!j->cut[k]) /* (KG.2) */
            FB_TRY(one_load(j, k, far, mass, e));
out:
    FB_FREE(far);
    return s;
}
