/* SPDX-License-Identifier: GPL-3.0-or-later */
/* reduction.c - a reduction, and how it becomes part of the model: /reduced, /connectors,
 * /interface. */
#include "bytes.h"
#include "dofset.h"
#include "geometric.h"
#include "linalg/dense.h"
#include "memory.h"
#include "model.h"
#include "status.h"
#include "method.h"
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- what bodies of both kinds say alike ------------------------------------------------- */

static int has_physical(const fb_model *b, int64_t node)
{
    for (int64_t d = 0; d < b->ndof; d++)
        if (b->dof_node[d] == node && b->dof_class[d] == FB_DOF_PHYSICAL)
            return 1;
    return 0;
}

fb_status fb_connector_dofs(const fb_model *b, int64_t **dof, int64_t *n, fb_log *log, fb_err *e)
{
    fb_buf names = {0};
    for (int64_t k = 0; k < b->nc; k++)
        if (has_physical(b, b->connector_node[k]))
            fb_put_text(&names, "%lld,", (long long)b->connector_node[k]);
    const int none = names.size == 0;
    fb_put_bytes(&names, "", 1);
    fb_status s = fb_buf_status(&names, e);
    if (!s && none)
        s = fb_fail(e, FB_EUSAGE,
                    "all interface nodes are held: give boundary dofs by --interface LIST");
    if (!s)
        s = fb_dofset(b, "/connectors/node", (const char *)names.data, dof, n, log, e);
    fb_buf_free(&names);
    return s;
}

fb_status fb_order_holds(const fb_reduceopt *o, int64_t nb, fb_err *e)
{
    if (o->order >= 0 && o->order < nb)
        return fb_fail(e, FB_EUSAGE,
                       "order %lld is below the %lld boundary dofs: ask for at least %lld, or name "
                       "a smaller --interface",
                       (long long)o->order, (long long)nb, (long long)nb);
    return FB_OK;
}

fb_status fb_order_of_masters(const fb_reduceopt *o, int64_t n, const char *method, fb_err *e)
{
    if (o->order >= 0 && o->order != n)
        return fb_fail(e, FB_EUSAGE,
                       "order %lld, but %lld masters: the order of %s is the number of its "
                       "masters; name %lld dofs by --masters LIST, or leave the order out",
                       (long long)o->order, (long long)n, method, (long long)o->order);
    return FB_OK;
}

/* ---- a reduction ------------------------------------------------------------------------- */

void fb_reduction_free(fb_reduction *r)
{
    FB_FREE_BY(fb_mat_free, &r->V, &r->T, &r->W);
    FB_FREE(r->kind, r->K, r->M, r->D, r->S, r->G, r->N);
    free(r->Kg);
    FB_FREE(r->boundary, r->ranking, r->check.residual, r->load);
    *r = (fb_reduction){0};
}

fb_status fb_damping_turn(double **D, double **S, double **G, double **N, const fb_mat *W,
                          fb_err *e)
{
    FB_PASS(fb_congruence_rows(D, W, e));
    FB_PASS(fb_congruence_rows(S, W, e));
    double **const skew[] = {G, N};
    for (int k = 0; k < 2; k++) {
        FB_PASS(fb_congruence_rows(skew[k], W, e));
        if (*skew[k])
            fb_mat_skew(&(fb_mat){W->n, W->n, *skew[k]});
    }
    return FB_OK;
}

fb_status fb_reduction_diagonal(fb_reduction *r, const double *lambda, const fb_mat *W, fb_err *e)
{
    const int64_t n = r->nr;
    FB_PASS(fb_damping_turn(&r->D, &r->S, &r->G, &r->N, W, e));
    FB_PASS(fb_geometric_turn(&r->Kg, r->nkg, W, e));
    memset(r->K, 0, sizeof *r->K * (size_t)(n * n));
    memset(r->M, 0, sizeof *r->M * (size_t)(n * n));
    for (int64_t k = 0; k < n; k++) {
        r->K[k + k * n] = lambda[k];
        r->M[k + k * n] = 1;
        r->kind[k] = FB_KIND_EIGEN;
    }
    return FB_OK;
}

static fb_status dependent(int64_t n, fb_err *e)
{
    return fb_fail(e, FB_ESOLVE,
                   "the %lld coordinates of the reduced body are dependent: name fewer boundary "
                   "dofs, or others",
                   (long long)n);
}

fb_status fb_reduction_orthonormalize(const fb_model *b, fb_reduction *r, fb_err *e)
{
    fb_model pair = *b; /* its dofs and nodes tell rigid motion */
    fb_roots q = {0};
    fb_status s = FB_OK;
    pair.nr = r->nr;
    pair.Kr = r->K;
    pair.Mr = r->M;
    pair.T = r->T.x;
    pair.shape = NULL;
    FB_TRY(fb_model_roots(&pair, &q, e));
    if (q.n < r->nr)
        FB_TRY(dependent(r->nr, e));
    if (r->V.x)
        FB_TRY(fb_mat_times(&r->V, &q.V, e));
    if (r->T.x)
        FB_TRY(fb_mat_times(&r->T, &q.V, e));
    if (r->W.x)
        FB_TRY(fb_mat_times(&r->W, &q.V, e));
    s = fb_reduction_diagonal(r, q.lambda, &q.V, e);
out:
    fb_roots_free(&q);
    return s;
}

/* ---- into the model ---------------------------------------------------------------------- */

/* The nodes of these dofs become the connectors, in the order named; nodes without a place in space
 * do not. */
static fb_status connectors(fb_model *b, const int64_t *dof, int64_t n, fb_err *e)
{
    int64_t *node = NULL, nc = 0;
    fb_index x = {0};
    fb_status s = FB_OK;
    if (!b->node_id || !b->xyz)
        return FB_OK;
    FB_TRY(fb_index_new(&x, b->node_id, b->nn, "/nodes/id", e));
    FB_TRY(fb_new(&node, n, 8, "connectors", e));
    for (int64_t k = 0; k < n; k++) {
        int64_t id = b->dof_node[dof[k]], q = 0;
        while (q < nc && node[q] != id)
            q++;
        if (q == nc && fb_index_find(&x, id) >= 0)
            node[nc++] = id;
    }
    if (nc)
        s = fb_model_set_connectors(b, node, nc, e);
out:
    fb_index_free(&x);
    free(node);
    return s;
}

/* T = Phi0 V of a modal body. */
static fb_status shapes(const fb_model *b, fb_reduction *r, fb_err *e)
{
    const fb_mat Phi0 = {b->ndof, b->nm, b->shape};
    if (r->T.x)
        return FB_OK;
    return fb_mat_product(0, 0, &Phi0, &r->V, &r->T, e);
}

static fb_status boundary(fb_model *b, const fb_reduction *r, const fb_reduceopt *o, fb_err *e)
{
    fb_log quiet = {0}; /* the method has warned about the list already */
    int64_t *dof = NULL, n = 0;
    fb_status s = FB_OK;
    if (o->interface) {
        FB_TRY(fb_dofset(b, "--interface", o->interface, &dof, &n, &quiet, e));
        FB_TRY(connectors(b, dof, n, e));
    } else if (r->boundary && r->nb && !b->connector_node) {
        FB_TRY(connectors(b, r->boundary, r->nb, e));
    }
    if (r->boundary && r->nb) {
        int64_t *d = NULL;
        FB_TRY(fb_copy(&d, r->boundary, r->nb, sizeof *d, "boundary dofs", e));
        free(b->interface_dof);
        b->interface_dof = d;
        b->nb = r->nb;
    }
out:
    fb_log_free(&quiet);
    free(dof);
    return s;
}

/* What --fix holds is said beside the coordinates: /dofs of the input stays as it is. */
static fb_status held(fb_model *b, fb_err *e)
{
    int64_t n = 0;
    for (int64_t d = 0; d < b->ndof; d++)
        n += b->dof_class && b->dof_class[d] == FB_DOF_FIXED;
    if (!n)
        return FB_OK;
    FB_PASS(FB_NEW(&b->held_node, n, e));
    FB_PASS(FB_NEW(&b->held_component, n, e));
    b->nheld = n;
    n = 0;
    for (int64_t d = 0; d < b->ndof; d++)
        if (b->dof_class[d] == FB_DOF_FIXED) {
            b->held_node[n] = b->dof_node[d];
            b->held_component[n++] = b->dof_component[d];
        }
    return FB_OK;
}

fb_status fb_reduction_apply_take(fb_model *b, fb_reduction *r, const fb_reduceopt *o,
                                  const char *name, fb_log *log, fb_err *e)
{
    if (r->nr == 0)
        return fb_fail(e, FB_EUSAGE,
                       "nothing is left: the reduced model would have no coordinates; ask for a "
                       "boundary or for modes");
    FB_PASS(boundary(b, r, o, e));
    FB_PASS(held(b, e));
    FB_PASS(shapes(b, r, e));
    if (o->orthonormalize)
        FB_PASS(fb_reduction_orthonormalize(b, r, e));
    double **const old[] = {&b->Kr, &b->Mr,  &b->Dr, &b->Sr, &b->Gr,
                            &b->Nr, &b->Kgr, &b->T,  &b->V,  &b->ranking};
    double *const new[] = {r->K, r->M, r->D, r->S, r->G, r->N, r->Kg, r->T.x, r->V.x, r->ranking};
    for (size_t k = 0; k < sizeof old / sizeof *old; k++) {
        free(*old[k]);
        *old[k] = new[k];
    }
    free(b->kind);
    b->kind = r->kind;
    b->nr = r->nr;
    b->nranking = r->nranking;
    r->K = r->M = r->D = r->S = r->G = r->N = r->Kg = r->T.x = r->V.x = r->ranking = NULL;
    r->kind = NULL;
    snprintf(b->method, sizeof b->method, "%s%s", name,
             o->orthonormalize ? ", orthonormalized" : "");
    snprintf(b->stage, sizeof b->stage, "reduce");
    FB_PASS(fb_model_frequencies(b, log, e));
    if (!b->frequency)
        FB_PASS(dependent(b->nr, e));
    return fb_model_connectors(b, b->T, e);
}
