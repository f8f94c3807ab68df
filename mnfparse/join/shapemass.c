/* SPDX-License-Identifier: GPL-3.0-or-later */
/* shapemass.c - mode shapes with their frequencies and a mass matrix, but no stiffness, are a body.
 *
 * Symbols  Phi shapes over the dofs of M, w their frequencies; K Phi = M Phi diag(w^2) by what
 *          modes are
 * Equations
 *   (SM.1) Mq = Phi'M Phi
 *   (SM.2) Kq_ij = (w_i^2 + w_j^2)/2 Mq_ij       Phi'K Phi of true modes, which are orthogonal; of
 *          others the symmetric mean
 * What depends on shapes before it is left to reduce, which drops and names it.
 */
#include "assemble.h"
#include "dofset.h"
#include "linalg/sparse_ops.h"
#include "memory.h"
#include <stdio.h>
#include <stdlib.h>

static void join_free(fb_join *j)
{
    FB_FREE(j->node, j->component, j->class, j->repeated, j->b->asymmetry);
    for (int k = 0; k < FB_NROLE; k++)
        fb_csc_free(&j->A[k]);
}

/* M over the dofs of its labels. */
static fb_status mass(fb_join *j, fb_err *e)
{
    int64_t *row[FB_NROLE] = {NULL}, *col[FB_NROLE] = {NULL};
    fb_status s = FB_OK;
    FB_TRY(fb_join_roles(j, e));
    if (j->role[FB_K] || !j->role[FB_M])
        FB_TRY(fb_fail(e, FB_EUSAGE,
                       "a modal body and matrices at once: name the files of one of them"));
    FB_TRY(fb_new(&j->b->asymmetry, FB_NROLE, 8, "asymmetry", e));
    FB_TRY(fb_join_labels(j, row, col, e));
    s = fb_join_matrix(j, FB_M, row[FB_M], col[FB_M], e);
out:
    for (int k = 0; k < FB_NROLE; k++)
        FB_FREE(row[k], col[k]);
    return s;
}

/* Phi [j->n x nm]; a dof with mass that the shapes say nothing of is an error. */
static fb_status shapes(const fb_join *j, const fb_model *b, fb_mat *Phi, fb_err *e)
{
    fb_index x = {0};
    double *diagonal = NULL;
    char list[200] = "";
    int64_t n = 0;
    fb_status s = FB_OK;
    FB_TRY(fb_index_new(&x, b->node_id, b->nn, "the nodes of the mode shapes", e));
    FB_TRY(fb_new(&diagonal, j->n, sizeof *diagonal, "diagonal of the mass", e));
    FB_TRY(fb_mat_new(Phi, j->n, b->nm, e));
    fb_csc_diagonal(&j->A[FB_M], diagonal);
    for (int64_t d = 0; d < j->n; d++) {
        const int64_t p = fb_index_find(&x, j->node[d]), c = j->component[d];
        if (p < 0 || c < 1 || c > 6) {
            if (diagonal[d] < 0 || diagonal[d] > 0)
                fb_name_list(list, sizeof list, ++n, j->node[d], c);
            continue;
        }
        for (int64_t k = 0; k < b->nm; k++)
            Phi->x[d + k * j->n] = b->shape[6 * (p + k * b->nn) + c - 1];
    }
    if (n)
        s = fb_fail(e, FB_EFORMAT,
                    "the mass matrix has %lld dofs that the mode shapes say nothing of:%s",
                    (long long)n, list);
out:
    fb_index_free(&x);
    FB_FREE(diagonal);
    return s;
}

/* (SM.1), (SM.2) */
static fb_status generalized(const fb_join *j, const fb_mat *Phi, fb_model *b, fb_err *e)
{
    const int64_t n = b->nm;
    fb_mat M = {0};
    fb_status s = FB_OK;
    FB_FREE(b->Kr, b->Mr, b->kind);
    FB_TRY(fb_csc_congruence(&j->A[FB_M], Phi, &M, e));
    FB_TRY(fb_new(&b->Kr, n * n, 8, "generalized stiffness", e));
    FB_TRY(fb_new(&b->kind, n, 8, "kinds", e));
    for (int64_t i = 0; i < n; i++)
        for (int64_t k = 0; k < n; k++)
            b->Kr[i + k * n] = 0.5 * (b->eigen[5 * i] + b->eigen[5 * k]) * M.x[i + k * n];
    for (int64_t k = 0; k < n; k++) {
        b->kind[k] = FB_KIND_EIGEN;
        b->eigen[5 * k + 3] = M.x[k * (n + 1)];
        b->eigen[5 * k + 4] = b->Kr[k * (n + 1)];
    }
    b->Mr = M.x;
    b->nr = n;
    M = (fb_mat){0};
out:
    fb_mat_free(&M);
    return s;
}

/* Nodal masses, for those who know nothing else. */
static fb_status lumps(const fb_join *j, fb_model *b, fb_log *log, fb_err *e)
{
    const fb_model view = fb_join_view(j, b);
    if (b->node_mass || !b->xyz)
        return FB_OK;
    const fb_status s = fb_model_lump(&view, &b->node_mass, &b->node_inertia, e);
    if (s != FB_EFORMAT)
        return s;
    fb_note(log, "no /nodes/mass: %s", e->msg);
    *e = (fb_err){0};
    return FB_OK;
}

fb_status fb_join_shape_mass(fb_parts *p, fb_log *log, fb_err *e)
{
    fb_model *b = &p->body, own = {0};
    fb_join j = {.p = p, .b = &own, .log = log, .modal = 1};
    fb_mat Phi = {0};
    fb_status s = FB_OK;
    for (int64_t k = 0; k < b->nn && b->xyz; k++) /* which tell rows without labels */
        FB_TRY(fb_parts_node(p, b->node_id[k], b->xyz + 3 * k, NULL, e));
    FB_TRY(fb_parts_label(p, log, e));
    FB_TRY(fb_unite_nodes(p, log, e));
    FB_TRY(mass(&j, e));
    if (!b->shape || !b->eigen || b->shape_imag)
        FB_TRY(fb_fail(e, FB_EFORMAT,
                       "mode shapes beside a mass matrix: real ones with their frequencies are "
                       "wanted"));
    if (p->along_axes) /* as the mass is, before they are turned */
        FB_TRY(shapes(&j, b, &Phi, e));
    if (p->nn) /* without, modal_body warns */
        FB_TRY(fb_place_shapes(p, b, log, e));
    if (!p->along_axes)
        FB_TRY(shapes(&j, b, &Phi, e));
    FB_TRY(generalized(&j, &Phi, b, e));
    FB_TRY(lumps(&j, b, log, e));
    if (!b->dof_node)
        FB_TRY(fb_model_nodal_dofs(b, e));
    snprintf(b->matrices, sizeof b->matrices, "%s", own.matrices);
    fb_note(log, "%lld mode shapes and a mass matrix: the stiffness is that of their frequencies",
            (long long)b->nm);
out:
    join_free(&j);
    fb_mat_free(&Phi);
    return s;
}
