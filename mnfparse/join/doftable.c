/* SPDX-License-Identifier: GPL-3.0-or-later */
/* doftable.c - the dof table: matrices of different size joined by node and component.
 *
 * The order is that of the stiffness matrix; dofs that only others have follow. A label may stand
 * for several dofs (CalculiX prints a beam's number at every node of its solid cross-section): the
 * k-th row of one matrix with that label is the k-th of the others. */
#include "memory.h"
#include "assemble.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int same_label(const fb_ranked *x, const fb_ranked *y)
{
    return x->node == y->node && x->component == y->component;
}

static int before(const fb_ranked *x, const fb_ranked *y)
{
    return x->node != y->node ? x->node < y->node : x->component < y->component;
}

/* ---- matrices without labels ------------------------------------------------------------ */

static fb_status number_rows(fb_labels *l, const int64_t *id, int64_t n, int64_t per, fb_err *e)
{
    FB_PASS(fb_labels_new(l, n, 0, e));
    for (int64_t r = 0; r < n; r++) {
        l->node[r] = id ? id[r / per] : 1 + r / per;
        l->component[r] = 1 + r % per;
    }
    return FB_OK;
}

/* The node numbers of the inputs, ascending, each once; *id is the caller's to free. */
static fb_status node_numbers(const fb_parts *p, int64_t **id, int64_t *n, fb_err *e)
{
    FB_PASS(fb_new(id, p->nn, 8, "node numbers", e));
    memcpy(*id, p->node_id, (size_t)p->nn * 8);
    *n = fb_unique(*id, p->nn);
    return FB_OK;
}

/* Row r (from 1): node 1 + (r-1)/N, component 1 + (r-1) mod N. Where the inputs have as many nodes
 * as the matrix has blocks, but other numbers, the blocks are theirs in ascending order. */
static fb_status by_user(fb_join *j, fb_labels *l, int64_t n, fb_err *e)
{
    int64_t per = j->p->how.dofs_per_node, *id = NULL, known = 0;
    fb_status s = FB_OK;
    if (n % per)
        FB_TRY(fb_fail(e, FB_EUSAGE,
                       "--dofs-per-node %lld: the matrices have %lld rows, which is no multiple",
                       (long long)per, (long long)n));
    if (j->p->nn)
        FB_TRY(node_numbers(j->p, &id, &known, e));
    int theirs = id && known == n / per && !(id[0] == 1 && id[known - 1] == known);
    if (known && known != n / per)
        fb_warn(j->log,
                "--dofs-per-node %lld: the rows are those of %lld nodes, the inputs have %lld: "
                "nodes that are held in the deck have no rows, and then coordinates go to the "
                "wrong ones; a dof table of the export tells",
                (long long)per, (long long)(n / per), (long long)known);
    if (theirs)
        fb_note(j->log,
                "--dofs-per-node: the rows belong to the nodes of the input in ascending order");
    s = number_rows(l, theirs ? id : NULL, n, per, e);
out:
    free(id);
    return s;
}

/* Formats that number rows by the sorted nodes of their deck, where 3 or 6 dofs a node fit. */
static fb_status by_rank(fb_join *j, fb_labels *l, int64_t n, int *done, fb_err *e)
{
    int64_t *id = NULL, known = 0;
    fb_status s = FB_OK;
    for (int k = 0; k < FB_NROLE; k++)
        if (j->role[k] && !j->role[k]->row.node && !j->role[k]->by_rank)
            return FB_OK;
    if (!j->p->nn)
        return FB_OK;
    FB_TRY(node_numbers(j->p, &id, &known, e));
    if (n == 3 * known || n == 6 * known) {
        FB_TRY(number_rows(l, id, n, n / known, e));
        fb_note(j->log,
                "the rows belong to the %lld nodes of the input in ascending order, %lld each",
                (long long)known, (long long)(n / known));
        *done = 1;
    }
out:
    free(id);
    return s;
}

/* Labels that are not in the matrices: from a table, by the user's word, or none at all. */
static fb_status invent(fb_join *j, fb_labels *l, int64_t n, fb_err *e)
{
    int done = 0;
    if (j->p->table.node) {
        for (int k = 0; k < FB_NROLE; k++)
            if (j->role[k] && !j->role[k]->row.node)
                FB_PASS(fb_table_fit(j->p, j->role[k], e));
        FB_PASS(fb_labels_copy(l, &j->p->table, n, e));
        j->p->table_used = 1;
    } else if (j->p->how.dofs_per_node) {
        FB_PASS(by_user(j, l, n, e));
    } else {
        FB_PASS(by_rank(j, l, n, &done, e));
        if (done)
            return FB_OK;
        if (j->p->nn)
            return fb_fail(
                e, FB_EFORMAT,
                "the matrices have no dof labels, so that nothing says which row belongs to which "
                "of the %lld nodes: name the file of the export that does (Nastran .pch or .asm, "
                "CalculiX .dof, Ansys .mapping), or give --dofs-per-node N or --dof-table FILE",
                (long long)j->p->nn);
        FB_PASS(fb_labels_new(l, n, 0, e));
        for (int64_t r = 0; r < n; r++)
            l->node[r] = r + 1;
        fb_warn(j->log,
                "the matrices have no dof labels: row r is called node r, without component; "
                "--dofs-per-node N, --dof-table FILE or the file of the export that names the rows "
                "(Nastran .pch, CalculiX .dof, Ansys .mapping) gives them");
    }
    return FB_OK;
}

/* Another matrix of the same order has labels. */
static fb_status take_from(const fb_join *j, fb_matrix *m, fb_err *e)
{
    for (int k = 0; k < FB_NROLE; k++) {
        const fb_matrix *o = j->role[k];
        if (!o || !o->row.node)
            continue;
        if (o->A.m != m->A.m)
            return fb_fail(e, FB_EFORMAT,
                           "%s has %lld rows without dof labels, the labelled %s has %lld: a dof "
                           "table of the first is wanted (--dof-table FILE)",
                           m->origin, (long long)m->A.m, fb_role_name[k], (long long)o->A.m);
        fb_note(j->log, "%s has no dof labels: its rows are those of the %s matrix", m->origin,
                fb_role_name[k]);
        return fb_labels_copy(&m->row, &o->row, m->A.m, e);
    }
    return FB_OK;
}

/* The order of what has no labels; n = 0: nothing. */
static fb_status unlabelled(const fb_join *j, int64_t *n, int *labelled, fb_err *e)
{
    for (int k = 0; k < FB_NROLE; k++) {
        const fb_matrix *m = j->role[k];
        if (m && m->A.m != m->A.n && !(m->row.node && m->col.node))
            return fb_fail(e, FB_EFORMAT, "the %s matrix is %lld by %lld: a square one is wanted",
                           fb_role_name[k], (long long)m->A.m, (long long)m->A.n);
        *labelled |= m && m->row.node;
        if (m && !m->row.node)
            *n = m->A.m > *n ? m->A.m : *n;
    }
    return FB_OK;
}

static fb_status give_labels(fb_join *j, fb_err *e)
{
    fb_labels l = {0};
    int64_t n = 0;
    int labelled = 0;
    fb_status s = FB_OK;
    FB_TRY(unlabelled(j, &n, &labelled, e));
    if (n && (!labelled || (j->p->table.node && j->p->ntable == n)))
        FB_TRY(invent(j, &l, n, e));
    for (int k = 0; k < FB_NROLE; k++) {
        fb_matrix *m = j->role[k];
        if (!m || m->row.node)
            continue;
        if (!l.node) {
            FB_TRY(take_from(j, m, e));
            continue;
        }
        if (m->A.m < n)
            FB_TRY(fb_fail(e, FB_EFORMAT,
                           "the %s matrix has %lld rows, another %lld: without dof labels they "
                           "must have the same; are they of the same job?",
                           fb_role_name[k], (long long)m->A.m, (long long)n));
        FB_TRY(fb_labels_copy(&m->row, &l, m->A.m, e));
    }
out:
    fb_labels_free(&l);
    return s;
}

/* ---- the table -------------------------------------------------------------------------- */

static fb_status append(fb_join *j, const fb_labels *l, int64_t r, fb_err *e)
{
    FB_PASS(fb_grow(&j->node, &j->cap_node, j->n + 1, 8, e));
    FB_PASS(fb_grow(&j->component, &j->cap_component, j->n + 1, 8, e));
    FB_PASS(fb_grow(&j->class, &j->cap_class, j->n + 1, 8, e));
    if (l->component[r] < 0 || l->component[r] > FB_COMPONENT_MAX)
        return fb_fail(e, FB_EFORMAT, "node %lld has a dof of component %lld: 0..%d is wanted",
                       (long long)l->node[r], (long long)l->component[r], FB_COMPONENT_MAX);
    if ((l->node[r] == 0 && l->component[r] && (!l->class || l->class[r] == FB_DOF_PHYSICAL)) ||
        l->node[r] > FB_NODE_MAX || l->node[r] < -FB_NODE_MAX)
        return fb_fail(e, FB_EFORMAT,
                       "dof %s: the numbers of nodes count from 1 and have 15 digits at the most; "
                       "renumber the model",
                       fb_name_of(l->node[r], l->component[r]).s);
    j->node[j->n] = l->node[r];
    j->component[j->n] = l->component[r];
    j->class[j->n] = l->class ? l->class[r] : FB_DOF_PHYSICAL;
    if (l->component[r] > 6 && j->class[j->n] == FB_DOF_PHYSICAL)
        j->class[j->n] = FB_DOF_INTERNAL; /* warping, pressure, temperature: no motion of a node */
    j->n++;
    return FB_OK;
}

/* map[r]: the dof of row r; new labels join the table. */
static fb_status resolve(fb_join *j, const fb_labels *l, int64_t n, int64_t *map, fb_err *e)
{
    fb_ranked *have = NULL, *want = NULL;
    fb_status s = FB_OK;
    int same = n == 0 || (n <= j->n && !memcmp(l->node, j->node, (size_t)n * 8) &&
                          !memcmp(l->component, j->component, (size_t)n * 8));
    if (j->n && !same) {
        FB_TRY(fb_ranked_new(&have, j->node, j->component, j->n, e));
        FB_TRY(fb_ranked_new(&want, l->node, l->component, n, e));
    }
    for (int64_t r = 0; r < n; r++)
        map[r] = same ? r : -1;
    int64_t q = 0, nhave = have ? j->n : 0;
    for (int64_t k = 0; want && k < n; k++) {
        while (q < nhave && before(have + q, want + k))
            q++;
        if (q < nhave && same_label(have + q, want + k))
            map[want[k].at] = have[q++].at;
    }
    for (int64_t r = 0; r < n; r++) {
        if (map[r] >= 0) {
            if (l->class && j->class[map[r]] == FB_DOF_PHYSICAL)
                j->class[map[r]] = l->class[r];
            continue;
        }
        map[r] = j->n;
        FB_TRY(append(j, l, r, e));
    }
out:
    FB_FREE(have, want);
    return s;
}

/* Nothing places a dof whose label is not its own: it is internal. */
static fb_status find_repeated(fb_join *j, fb_err *e)
{
    fb_ranked *t = NULL;
    char list[200] = "";
    int64_t count = 0;
    fb_status s = FB_OK;
    FB_TRY(fb_new(&j->repeated, j->n, 1, "dof marks", e));
    FB_TRY(fb_ranked_new(&t, j->node, j->component, j->n, e));
    for (int64_t k = 1; k < j->n; k++) {
        if (!same_label(t + k - 1, t + k))
            continue;
        int news = j->class[t[k].at] == FB_DOF_PHYSICAL; /* else the reader has told them apart */
        if (!j->repeated[t[k - 1].at] && news)
            fb_name_list(list, sizeof list, count++, t[k].node, t[k].component);
        for (int64_t q = k - 1; q <= k; q++) {
            j->repeated[t[q].at] = 1;
            if (j->class[t[q].at] == FB_DOF_PHYSICAL)
                j->class[t[q].at] = FB_DOF_INTERNAL;
        }
    }
    if (count)
        fb_warn(j->log,
                "%lld label%s for several dofs (beams and shells expanded to solids?):%s; these "
                "dofs have no place of their own and can't be interface",
                (long long)count, count > 1 ? "s stand" : " stands", list);
out:
    free(t);
    return s;
}

/* ---- of one job? ------------------------------------------------------------------------ */

#define MASSLESS_SHARE 0.1 /* of the dofs of K: another job's mass shares some labels by chance */

/* Dofs of K (physical; any: translations alone) that M has no row for, and the other way round. */
typedef struct {
    int64_t of_k, k_only, m_only, first; /* first: a dof of k_only, else of m_only */
} overlap;

static fb_status compare_rows(const fb_join *j, const int64_t *k, const int64_t *m, int any,
                              overlap *o, fb_err *e)
{
    char *in = NULL;
    FB_PASS(fb_new(&in, j->n, 1, "dof marks", e));
    for (int64_t r = 0; r < j->role[FB_K]->A.m; r++)
        in[k[r]] |= 1;
    for (int64_t r = 0; r < j->role[FB_M]->A.m; r++)
        in[m[r]] |= 2;
    o->first = -1;
    for (int64_t d = j->n - 1; d >= 0; d--) {
        if (j->class[d] != FB_DOF_PHYSICAL ||
            (!any && (j->component[d] < 1 || j->component[d] > 3)))
            continue;
        o->of_k += in[d] & 1;
        o->k_only += in[d] == 1;
        o->m_only += in[d] == 2;
        if (in[d] == 1 || (in[d] == 2 && !o->k_only))
            o->first = d;
    }
    free(in);
    return FB_OK;
}

/* Matrices of one job have the same dofs where the format lists every row (solver's own dofs,
 * multipliers, apart). Where rows without entries are left out, a mass may be short of some; of
 * many, it is worth a word. */
static fb_status same_job(const fb_join *j, const int64_t *k, const int64_t *m, fb_err *e)
{
    const fb_matrix *K = j->role[FB_K], *M = j->role[FB_M];
    const int every = K->every_row && M->every_row;
    overlap o = {0};
    fb_status s = compare_rows(j, k, m, every, &o, e);
    if (s || o.first < 0)
        return s;
    fb_dofname first = fb_name_of(j->node[o.first], j->component[o.first]);
    if (every)
        return fb_fail(
            e, FB_EFORMAT,
            "stiffness and mass are not of the same job: %lld of the %lld rows of the stiffness "
            "are not in the mass, %lld rows of the mass not in the stiffness (first: %s)",
            (long long)o.k_only, (long long)K->A.m, (long long)o.m_only, first.s);
    if ((double)o.k_only > MASSLESS_SHARE * (double)o.of_k)
        fb_warn(j->log,
                "%lld of %lld translations of the stiffness have no row in the mass matrix (first: "
                "%s), %lld rows of the mass none in the stiffness: are they of the same job?",
                (long long)o.k_only, (long long)o.of_k, first.s, (long long)o.m_only);
    return FB_OK;
}

fb_status fb_join_labels(fb_join *j, int64_t *row[FB_NROLE], int64_t *col[FB_NROLE], fb_err *e)
{
    FB_PASS(give_labels(j, e));
    for (int k = 0; k < FB_NROLE; k++) {
        fb_matrix *m = j->role[k];
        if (!m)
            continue;
        FB_PASS(fb_new(row + k, m->A.m, 8, "rows of a matrix", e));
        j->nrow[k] = m->A.m;
        FB_PASS(resolve(j, &m->row, m->A.m, row[k], e));
        if (!m->col.node)
            continue;
        FB_PASS(fb_new(col + k, m->A.n, 8, "columns of a matrix", e));
        FB_PASS(resolve(j, &m->col, m->A.n, col[k], e));
    }
    if (j->role[FB_K] && j->role[FB_M])
        FB_PASS(same_job(j, row[FB_K], row[FB_M], e));
    return find_repeated(j, e);
}

fb_model fb_join_view(const fb_join *j, const fb_model *b)
{
    return (fb_model){.units = b->units,
                      .nn = b->nn,
                      .node_id = b->node_id,
                      .xyz = b->xyz,
                      .ndof = j->n,
                      .dof_node = j->node,
                      .dof_component = j->component,
                      .dof_class = j->class,
                      .K = j->A[FB_K],
                      .M = j->A[FB_M]};
}
