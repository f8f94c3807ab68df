/* SPDX-License-Identifier: GPL-3.0-or-later */
/* stresstable.c - shapes and their stress that a file holds as matrices (OUTPUT4, DMIG, .mat, ...):
 * mnfparse --stress FILE:SHAPES,STRESS,LIST.
 *
 * Rows     SHAPES as in basis.c; STRESS [6 ns x n] of node q of LIST, from 0: row 6 q + c is its
 *          component c of xx yy zz xy xz yz, in basic axes
 * Columns  a shape each, the same in both
 */
#include "stress.h"
#include "dofset.h"
#include "memory.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { SIX = 6 };

fb_status fb_stress_split(fb_stress_names *n, const char *text, fb_err *e)
{
    char *file = NULL, *at = NULL;
    *n = (fb_stress_names){0};
    if (!access(text, F_OK))
        return FB_OK;
    FB_PASS(fb_copy(&file, text, (int64_t)strlen(text) + 1, 1, "file name", e));
    for (at = strchr(file + !!*file, ':'); at; at = strchr(at + 1, ':')) {
        *at = 0;
        if (!access(file, F_OK))
            break;
        *at = ':';
    }
    if (!at) { /* opening it says what is wrong */
        free(file);
        return FB_OK;
    }
    n->file = file;
    n->shapes = at + 1;
    at = strchr(n->shapes, ',');
    if (at) {
        *at = 0;
        n->stress = at + 1;
        at = strchr(n->stress, ',');
    }
    if (at) {
        *at = 0;
        n->list = at + 1;
    }
    if (*n->shapes && n->stress && *n->stress && (!n->list || *n->list))
        return FB_OK;
    free(file);
    *n = (fb_stress_names){0};
    return fb_fail(e, FB_EUSAGE,
                   "--stress %s: FILE:SHAPES,STRESS,LIST is wanted, two matrices and the nodes of "
                   "the rows of the second",
                   text);
}

/* The nodes of the input: frames that were made of them have no stress. */
static fb_status nodes_of_input(const fb_model *b, int64_t **out, int64_t *n, fb_err *e)
{
    int64_t *all = NULL, *own = NULL, *id = NULL, nall = b->G.p ? b->na : 0, nown = b->ndof;
    fb_status s = FB_OK;
    FB_TRY(fb_copy(&all, b->all_node, nall, sizeof *all, "nodes of the input", e));
    FB_TRY(fb_copy(&own, b->dof_node, nown, sizeof *own, "nodes of the dofs", e));
    s = b->node_id ? fb_copy(&id, b->node_id, b->nn, sizeof *id, "nodes", e)
        : nall     ? fb_copy(&id, all, nall, sizeof *id, "nodes", e)
                   : fb_copy(&id, own, nown, sizeof *id, "nodes", e);
    if (s)
        goto out;
    const int64_t nid = fb_unique(id, b->node_id ? b->nn : nall ? nall : nown);
    nall = fb_unique(all, nall);
    nown = fb_unique(own, nown);
    for (int64_t k = *n = 0; k < nid; k++)
        if (!nall || fb_sorted_find(all, nall, id[k]) >= 0 || fb_sorted_find(own, nown, id[k]) < 0)
            id[(*n)++] = id[k];
    *out = id;
    id = NULL;
out:
    FB_FREE(all, own, id);
    return s;
}

/* The nodes of LIST in its order: m->node_id. */
static fb_status nodes_of_list(const char *list, const fb_model *b, fb_model *m, fb_log *log,
                               fb_err *e)
{
    fb_model view = *b; /* a dof a node */
    int64_t *pick = NULL;
    fb_status s = FB_OK;
    view.dof_node = view.dof_component = view.dof_class = view.all_node = NULL;
    view.na = 0;
    FB_TRY(nodes_of_input(b, &view.dof_node, &view.ndof, e));
    FB_TRY(FB_NEW(&view.dof_component, view.ndof, e));
    FB_TRY(FB_NEW(&view.dof_class, view.ndof, e));
    for (int64_t k = 0; k < view.ndof; k++) {
        view.dof_component[k] = 1;
        view.dof_class[k] = FB_DOF_PHYSICAL;
    }
    FB_TRY(fb_dofset(&view, "--stress", list, &pick, &m->nn, log, e));
    for (int64_t k = 0; k < m->nn; k++)
        pick[k] = view.dof_node[pick[k]];
    m->node_id = pick;
out:
    FB_FREE(view.dof_node, view.dof_component, view.dof_class);
    return s;
}

/* row[6 q + c] of node q of the list. */
static fb_status by_list(const fb_basis *t, const char *list, const fb_model *b, fb_model *m,
                         int64_t *row, fb_log *log, fb_err *e)
{
    FB_PASS(nodes_of_list(list, b, m, log, e));
    if (t->m != SIX * m->nn)
        return fb_fail(e, FB_EFORMAT,
                       "%s: %s has %lld rows, %lld are wanted: six for each of the %lld nodes of "
                       "%s (xx yy zz xy xz yz)",
                       t->name, t->matrix, (long long)t->m, (long long)(SIX * m->nn),
                       (long long)m->nn, list);
    for (int64_t r = 0; r < t->m; r++)
        row[r] = r;
    return FB_OK;
}

/* By the labels of the rows, whose nodes ascend. */
static fb_status by_label(const fb_basis *t, fb_model *m, int64_t *row, fb_err *e)
{
    fb_ranked *r = NULL;
    fb_status s = FB_OK;
    FB_TRY(fb_ranked_new(&r, t->node, t->component, t->m, e));
    m->nn = t->m / SIX;
    FB_TRY(FB_NEW(&m->node_id, m->nn, e));
    for (int64_t k = 0; k < t->m; k++) {
        if (k - k % SIX + SIX > t->m || r[k].node != r[k - k % SIX].node ||
            r[k].component != k % SIX + 1)
            FB_TRY(fb_fail(e, FB_EFORMAT,
                           "%s: the rows of %s are no stress: of node %lld components 1 to 6 (xx "
                           "yy zz xy xz yz) are wanted once each",
                           t->name, t->matrix, (long long)r[k].node));
        m->node_id[k / SIX] = r[k].node;
        row[k] = r[k].at;
    }
out:
    free(r);
    return s;
}

static fb_status check(const fb_basis *t, const fb_basis *stress, const char *list, fb_err *e)
{
    if (t->n < 1)
        return fb_fail(e, FB_EFORMAT, "%s: %s has no columns", t->name, t->matrix);
    if (t->n != stress->n)
        return fb_fail(e, FB_EFORMAT, "%s: %s has %lld shapes, %s the stress of %lld", t->name,
                       t->matrix, (long long)t->n, stress->matrix, (long long)stress->n);
    if (!stress->node == !list)
        return fb_fail(e, FB_EUSAGE,
                       stress->node ? "%s: the rows of %s are labelled: leave out the list of nodes"
                                    : "%s: nothing says which nodes the rows of %s belong to: "
                                      "FILE:SHAPES,STRESS,LIST names them in their order",
                       stress->name, stress->matrix);
    for (int64_t k = 0; k < t->m * t->n; k++)
        if (!isfinite(t->x[k]))
            return fb_fail(e, FB_EFORMAT, "%s: shape %lld of %s is not finite in row %lld", t->name,
                           (long long)(k / t->m) + 1, t->matrix, (long long)(k % t->m) + 1);
    return FB_OK;
}

fb_status fb_stress_table(const fb_basis *shapes, const fb_basis *stress, const char *list,
                          fb_model *b, fb_log *log, fb_err *e)
{
    fb_model m = {.nm = shapes->n};
    int64_t *row = NULL;
    fb_status s = FB_OK;
    FB_TRY(check(shapes, stress, list, e));
    FB_TRY(FB_NEW(&row, stress->m, e));
    FB_TRY(list ? by_list(stress, list, b, &m, row, log, e) : by_label(stress, &m, row, e));
    FB_TRY(FB_NEW(&m.shape, stress->m * stress->n, e));
    for (int64_t k = 0; k < stress->n; k++)
        for (int64_t r = 0; r < stress->m; r++) {
            const double v = stress->x[row[r] + k * stress->m];
            if (!isfinite(v))
                FB_TRY(fb_fail(e, FB_EFORMAT,
                               "%s: the stress of shape %lld at node %lld is no "
                               "number",
                               stress->name, (long long)k + 1, (long long)m.node_id[r / SIX]));
            m.shape[r + k * stress->m] = v;
        }
    s = fb_stress_add(shapes, &m, NULL, b, log, e);
out:
    fb_model_free(&m);
    free(row);
    return s;
}
