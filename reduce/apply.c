/* SPDX-License-Identifier: GPL-3.0-or-later */
/* apply.c - a reduction becomes part of the model: /reduced, /connectors, /interface. */
#include "dofset.h"
#include "memory.h"
#include "method.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

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
    fb_status s = fb_mat_new(&r->T, b->ndof, r->nr, e);
    return s ? s : fb_gemm(0, 0, 1, &Phi0, &r->V, 0, &r->T, e);
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
        FB_TRY(fb_new(&d, r->nb, 8, "boundary dofs", e));
        memcpy(d, r->boundary, sizeof *d * (size_t)r->nb);
        free(b->interface_dof);
        b->interface_dof = d;
        b->nb = r->nb;
    }
out:
    fb_log_free(&quiet);
    free(dof);
    return s;
}

fb_status fb_reduction_apply_take(fb_model *b, fb_reduction *r, const fb_reduceopt *o,
                                  const char *name, fb_log *log, fb_err *e)
{
    fb_status s = FB_OK;
    if (r->nr == 0)
        return fb_fail(e, FB_EUSAGE,
                       "nothing is left: the reduced model would have no coordinates; ask for a "
                       "boundary or for modes");
    FB_TRY(boundary(b, r, o, e));
    FB_TRY(shapes(b, r, e));
    if (o->orthonormalize)
        FB_TRY(fb_reduction_orthonormalize(b, r, e));
    double **const old[] = {&b->Kr, &b->Mr, &b->Dr, &b->T, &b->V, &b->ranking};
    double *const new[] = {r->K, r->M, r->D, r->T.x, r->V.x, r->ranking};
    for (size_t k = 0; k < sizeof old / sizeof *old; k++) {
        free(*old[k]);
        *old[k] = new[k];
    }
    free(b->kind);
    b->kind = r->kind;
    b->nr = r->nr;
    b->nranking = r->nranking;
    r->K = r->M = r->D = r->T.x = r->V.x = r->ranking = NULL;
    r->kind = NULL;
    snprintf(b->method, sizeof b->method, "%s%s", name,
             o->orthonormalize ? ", orthonormalized" : "");
    snprintf(b->stage, sizeof b->stage, "reduce");
    FB_TRY(fb_model_frequencies(b, log, e));
    if (!b->frequency)
        FB_TRY(
            fb_fail(e, FB_ESOLVE,
                    "the %lld coordinates of the reduced body are dependent: name fewer boundary "
                    "dofs, or others",
                    (long long)b->nr));
    s = fb_model_connectors(b, b->T, e);
out:
    return s;
}
