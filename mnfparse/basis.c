/* SPDX-License-Identifier: GPL-3.0-or-later */
/* basis.c - shapes of a file of its own over the dofs of a full model: mnfparse --basis; columns
 * that --load and --stress read in the same way.
 *
 * Shapes   of a stream: /reduced/T, else /modes/shape; of any format that has modes: these, six
 *          values a node; of others a matrix, a shape each column
 * Rows     by node and component where the file has them, else in the order of the model's dofs, or
 *          of the dofs of the input where some are left out
 * Axes     as of the matrices:
 *   (BA.1) u = F u_local       F: columns are the axes of the node's displacement frame
 */
#include "basis.h"
#include "linalg/sparse.h"
#include "memory.h"
#include "stream.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void fb_basis_free(fb_basis *t)
{
    FB_FREE(t->x, t->node, t->component);
}

/* ---- from a stream ----------------------------------------------------------------------- */

static fb_status same_units(fb_model *s, const fb_model *b, fb_err *e)
{
    int same = 1; /* of both the same, or none of either has a name */
    for (int k = 0; k < FB_NUNIT; k++)
        same = same && !strcmp(s->units.name[k], b->units.name[k]);
    return !same && s->units.name[0][0] && b->units.name[0][0] ? fb_model_convert(s, &b->units, e)
                                                               : FB_OK;
}

static fb_status take(fb_model *s, double **x, int64_t n, fb_basis *t, fb_err *e)
{
    if (!*x || !s->dof_node || !s->dof_component)
        return fb_fail(e, FB_EFORMAT, "%s: %s", t->name,
                       x == &s->vector
                           ? "no /full/load with /dofs: mnfparse --load makes it"
                           : "neither /reduced/T nor /modes/shape with /dofs: reduce makes shapes");
    t->m = s->ndof;
    t->n = n;
    t->x = *x;
    t->node = s->dof_node;
    t->component = s->dof_component;
    *x = NULL;
    s->dof_node = s->dof_component = NULL;
    return FB_OK;
}

fb_status fb_basis_of_stream(const fb_input *file, const fb_model *b, fb_basis *t, fb_err *e)
{
    static const char *const shapes[] = {"/nodes", "/dofs", "/modes", "/reduced", NULL};
    static const char *const vectors[] = {"/nodes", "/dofs", "/full/load", "/full/load_name", NULL};
    fb_stream in = FB_STREAM_NONE;
    fb_model s = {0};
    fb_status st = FB_OK;
    st = fb_stream_open_input(&in, file, e);
    st = st ? st : fb_model_read(&in, &s, t->what == FB_COLUMN_LOAD ? vectors : shapes, e);
    st = st ? st : same_units(&s, b, e);
    if (!st)
        st = t->what == FB_COLUMN_LOAD ? take(&s, &s.vector, s.nvector, t, e)
             : s.T                     ? take(&s, &s.T, s.nr, t, e)
                                       : take(&s, &s.shape, s.nm, t, e);
    fb_model_free(&s);
    fb_stream_abandon(&in);
    return st;
}

/* ---- from the parts of a reader ---------------------------------------------------------- */

/* Six values a node. */
static fb_status of_modes(const fb_model *b, fb_basis *t, fb_err *e)
{
    if (b->shape_imag)
        return fb_fail(e, FB_EFORMAT, "%s: complex mode shapes are no basis: real ones are wanted",
                       t->name);
    t->m = 6 * b->nn;
    t->n = b->nm;
    FB_PASS(fb_copy(&t->x, b->shape, t->m * t->n, sizeof *t->x, "shapes", e));
    FB_PASS(FB_NEW(&t->node, t->m, e));
    FB_PASS(FB_NEW(&t->component, t->m, e));
    for (int64_t r = 0; r < t->m; r++) {
        t->node[r] = b->node_id[r / 6];
        t->component[r] = 1 + r % 6;
    }
    return FB_OK;
}

/* What Nastran calls static loads: of EXTSEOUT, of DMIG, of sets. */
static int is_load(const char *name)
{
    static const char *const names[] = {"PX", "PAX", "PA", "PG", "PL", "P2G"};
    for (size_t k = 0; k < sizeof names / sizeof *names; k++)
        if (!strcmp(name, names[k]))
            return 1;
    return 0;
}

static void add_to(char *list, size_t n, const fb_matrix *a)
{
    const size_t at = strlen(list);
    snprintf(list + at, n - at, "%s%s (%lld by %lld)", at ? ", " : "",
             a->name[0] ? a->name : "one without a name", (long long)a->A.m, (long long)a->A.n);
}

/* What is sought, its option, and what a column is. */
static const struct {
    const char *name, *option, *column;
} columns[] = {[FB_COLUMN_BASIS] = {"basis", "basis FILE:NAME", "shape"},
               [FB_COLUMN_LOAD] = {"load", "load FILE:NAME", "load"},
               [FB_COLUMN_SHAPE] = {"shapes", "stress FILE:SHAPES,STRESS,LIST", "shape"},
               [FB_COLUMN_STRESS] = {"stress", "stress FILE:SHAPES,STRESS,LIST", "shape"}};

/* The matrix of that name; without one the only matrix, or the only one that has a row for each dof
 * and fewer columns. */
static fb_status choose(const fb_parts *p, const char *name, const fb_model *b, const fb_basis *t,
                        const fb_matrix **out, fb_err *e)
{
    char list[300] = "";
    const fb_matrix *fits = NULL;
    const fb_matrix *load = NULL;
    int64_t found = 0, nfit = 0, nloads = 0, seen = 0;
    for (int64_t k = 0; k < p->nmatrix; k++) {
        const fb_matrix *a = p->matrix + k;
        if (name && !fb_matrix_called(a, name, &seen))
            continue;
        add_to(list, sizeof list, a);
        *out = a;
        found++;
        if (a->A.n < a->A.m && (a->A.m == b->ndof || a->A.m == b->na)) {
            fits = a;
            nfit++;
        }
        if (t->what == FB_COLUMN_LOAD && is_load(a->name)) {
            load = a;
            nloads++;
        }
    }
    if (found > 1 && name)
        return fb_fail(e, FB_EUSAGE,
                       "%s: %lld matrices are called %s: %s#1 is the first, %s#2 the second",
                       t->name, (long long)found, name, name, name);
    if (found > 1 && nloads == 1) {
        *out = load;
        return FB_OK;
    }
    if (found > 1 && nfit == 1)
        *out = fits;
    if (found == 1 || nfit == 1)
        return FB_OK;
    if (found)
        return fb_fail(e, FB_EUSAGE, "%s: which matrix is the %s? There are %s: --%s says it",
                       t->name, columns[t->what].name, list, columns[t->what].option);
    for (int64_t k = 0; k < p->nmatrix; k++)
        add_to(list, sizeof list, p->matrix + k);
    return name ? fb_fail(e, FB_EFORMAT, "%s: no matrix of the name %s%s%s", t->name, name,
                          list[0] ? "; it holds " : ", nor any other", list)
                : fb_fail(e, FB_EFORMAT, "%s: neither mode shapes nor a matrix", t->name);
}

fb_status fb_basis_misfit(const fb_basis *t, int64_t m, const fb_model *b, fb_err *e)
{
    return fb_fail(
        e, FB_EFORMAT,
        "%s: %lld rows without labels, the model has %lld dofs%s: give %ss in its order, "
        "or with labels (a stream, a variable dofs)",
        t->name, (long long)m, (long long)b->ndof, b->na ? ", those left out not counted" : "",
        columns[t->what].column);
}

/* Rows that no model of this size has are told before they take memory. */
static fb_status few_rows(const fb_basis *t, const fb_matrix *a, int labelled, const fb_model *b,
                          fb_err *e)
{
    const int64_t m = a->A.m, most = 6 * (b->nn + b->na + b->ndof);
    if (t->what == FB_COLUMN_STRESS && m > most)
        return fb_fail(e, FB_EFORMAT, "%s: %s has %lld rows: more than six for each node", t->name,
                       a->name, (long long)m);
    return labelled || t->what == FB_COLUMN_STRESS || m == b->ndof || m == b->na
               ? FB_OK
               : fb_basis_misfit(t, m, b, e);
}

static fb_status of_matrix(const fb_matrix *a, const fb_parts *p, const fb_model *b, fb_basis *t,
                           fb_err *e)
{
    const fb_csc *A = &a->A;
    const int table = t->what != FB_COLUMN_STRESS && p->ntable == A->m;
    const fb_labels *l = a->row.node ? &a->row : table ? &p->table : NULL;
    if (A->upper || a->imag)
        return fb_fail(e, FB_EFORMAT, "%s: a %s matrix is no %s: a %s each column is wanted",
                       t->name, A->upper ? "symmetric" : "complex", columns[t->what].name,
                       columns[t->what].column);
    FB_PASS(few_rows(t, a, l != NULL, b, e));
    snprintf(t->matrix, sizeof t->matrix, "%s", a->name);
    t->along_axes = 1;
    t->m = A->m;
    t->n = A->n;
    FB_PASS(fb_new(&t->x, t->m * t->n, sizeof *t->x, "shapes", e));
    for (int64_t c = 0; c < A->n; c++)
        for (int64_t q = A->p[c]; q < A->p[c + 1]; q++)
            t->x[A->i[q] + c * A->m] = A->x[q];
    if (l) {
        FB_PASS(fb_copy(&t->node, l->node, t->m, sizeof *t->node, "labels", e));
        FB_PASS(fb_copy(&t->component, l->component, t->m, sizeof *t->component, "labels", e));
    }
    return FB_OK;
}

fb_status fb_basis_of_parts(const fb_parts *p, const char *name, const fb_model *b, fb_basis *t,
                            fb_err *e)
{
    const fb_matrix *a = NULL;
    if (p->body.nm && p->body.shape && p->body.node_id && !name) {
        t->along_axes = p->along_axes;
        FB_PASS(of_modes(&p->body, t, e));
    } else {
        FB_PASS(choose(p, name, b, t, &a, e));
        if (a)
            FB_PASS(of_matrix(a, p, b, t, e));
    }
    const double force = t->what == FB_COLUMN_LOAD ? fb_units_force(&b->units) : 1;
    for (int64_t k = 0; k < t->m * t->n; k++)
        t->x[k] *= force;
    return FB_OK;
}

/* ---- over the dofs of the model ---------------------------------------------------------- */

/* Labels of rows that have none. */
static fb_status label(const fb_basis *t, const fb_model *b, const int64_t **node,
                       const int64_t **component, fb_err *e)
{
    *node = t->node;
    *component = t->component;
    if (t->node)
        return FB_OK;
    if (t->m != b->ndof && t->m != b->na)
        return fb_basis_misfit(t, t->m, b, e);
    *node = t->m == b->na ? b->all_node : b->dof_node;
    *component = t->m == b->na ? b->all_component : b->dof_component;
    return FB_OK;
}

static int same(const fb_ranked *a, const fb_ranked *b)
{
    return a->node == b->node && a->component == b->component;
}

fb_status fb_basis_rows(const fb_basis *t, const fb_model *b, int64_t *row, fb_err *e)
{
    const int64_t *node = NULL, *component = NULL;
    fb_ranked *have = NULL, *want = NULL;
    fb_status s = FB_OK;
    if (!t->node && t->m == b->ndof && !b->na) { /* labels may repeat */
        for (int64_t d = 0; d < b->ndof; d++)
            row[d] = d;
        return FB_OK;
    }
    FB_TRY(label(t, b, &node, &component, e));
    FB_TRY(fb_ranked_new(&have, node, component, t->m, e));
    FB_TRY(fb_ranked_new(&want, b->dof_node, b->dof_component, b->ndof, e));
    for (int64_t k = 0, q = 0; k < b->ndof; k++) {
        const fb_ranked *w = want + k;
        while (q < t->m && (have[q].node < w->node ||
                            (have[q].node == w->node && have[q].component < w->component)))
            q++;
        const int is = q < t->m && same(have + q, w);
        row[w->at] = is ? have[q++].at : -1;
        if (is && q < t->m && same(have + q, w) && !(k + 1 < b->ndof && same(w + 1, w)))
            FB_TRY(fb_fail(e, FB_EFORMAT,
                           "%s: row %lld is of dof %s again: which of the %ss is meant?", t->name,
                           (long long)have[q].at + 1, fb_name_of(w->node, w->component).s,
                           columns[t->what].column));
    }
out:
    FB_FREE(have, want);
    return s;
}

/* (BA.1) of a node with six rows at[] (-1: none), where its matrices were turned. */
static fb_status turn_node(fb_basis *t, int64_t node, const double *F, const int64_t at[6],
                           const int turned[6], fb_err *e)
{
    for (int c = 0; c < 6; c += 3) {
        const int rows = (at[c] >= 0) + (at[c + 1] >= 0) + (at[c + 2] >= 0);
        if (!(turned[c] && turned[c + 1] && turned[c + 2]) || !rows)
            continue;
        if (rows < 3)
            return fb_fail(e, FB_EFORMAT,
                           "%s: %d of the directions %d to %d of node %lld, which has axes of its "
                           "own: give all three",
                           t->name, rows, c + 1, c + 3, (long long)node);
        for (double *x = t->x; x < t->x + t->m * t->n; x += t->m)
            fb_frame_turn(F, x + at[c], x + at[c + 1], x + at[c + 2]);
    }
    return FB_OK;
}

fb_status fb_basis_turn(fb_basis *t, const double *frame, int64_t nn, const fb_model *b, fb_err *e)
{
    const int64_t *node = NULL, *component = NULL, nd = b->G.p ? b->na : b->ndof,
                  *class = b->G.p ? b->all_class : b->dof_class;
    fb_ranked *row = NULL, *dof = NULL;
    fb_status s = FB_OK;
    if (!frame || !b->K.p)
        return FB_OK;
    FB_TRY(label(t, b, &node, &component, e));
    FB_TRY(fb_ranked_new(&row, node, component, t->m, e));
    FB_TRY(fb_ranked_new(&dof, b->G.p ? b->all_node : b->dof_node,
                         b->G.p ? b->all_component : b->dof_component, nd, e));
    for (int64_t k = 0; k < nn; k++) {
        int64_t at[6];
        int turned[6];
        if (fb_frame_is_basic(frame + 9 * k))
            continue;
        for (int c = 0; c < 6; c++) {
            const int64_t d = fb_ranked_find(dof, nd, b->node_id[k], c + 1);
            at[c] = fb_ranked_find(row, t->m, b->node_id[k], c + 1);
            turned[c] = d >= 0 && class[d] == FB_DOF_PHYSICAL;
        }
        FB_TRY(turn_node(t, b->node_id[k], frame + 9 * k, at, turned, e));
    }
out:
    FB_FREE(row, dof);
    return s;
}

static fb_status lacking(const fb_basis *t, const fb_model *b, const int64_t *row, fb_err *e)
{
    char list[200] = "";
    int64_t n = 0;
    for (int64_t d = 0; d < b->ndof; d++)
        if (row[d] < 0 && b->dof_class[d] != FB_DOF_MULTIPLIER && b->dof_class[d] != FB_DOF_FIXED)
            fb_name_list(list, sizeof list, ++n, b->dof_node[d], b->dof_component[d]);
    if (n)
        return fb_fail(
            e, FB_EFORMAT,
            "%s: its shapes say nothing of %lld dofs of the model:%s; give shapes of all "
            "dofs",
            t->name, (long long)n, list);
    return FB_OK;
}

fb_status fb_basis_join(const fb_basis *t, fb_model *b, fb_log *log, fb_err *e)
{
    int64_t *row = NULL;
    double *x = NULL;
    fb_status s = FB_OK;
    if (!b->K.p || !b->M.p)
        FB_TRY(fb_fail(e, FB_EUSAGE,
                       "--basis goes beside a stiffness and a mass matrix; the input has %s",
                       b->K.p   ? "no mass matrix"
                       : b->M.p ? "no stiffness matrix"
                                : "neither"));
    if (t->n == 0)
        FB_TRY(fb_fail(e, FB_EFORMAT, "%s: no shapes", t->name));
    FB_TRY(fb_new(&row, b->ndof, sizeof *row, "rows of the dofs", e));
    FB_TRY(fb_basis_rows(t, b, row, e));
    FB_TRY(lacking(t, b, row, e));
    FB_TRY(fb_new(&x, t->n * b->ndof, sizeof *x, "basis", e));
    for (int64_t c = 0; c < t->n; c++)
        for (int64_t d = 0; d < b->ndof; d++) {
            const double v = row[d] < 0 ? 0 : t->x[row[d] + c * t->m];
            if (!isfinite(v))
                FB_TRY(fb_fail(e, FB_EFORMAT, "%s: shape %lld is not finite at dof %s", t->name,
                               (long long)c + 1,
                               fb_name_of(b->dof_node[d], b->dof_component[d]).s));
            x[d + c * b->ndof] = v;
        }
    fb_note(log, "%s: %lld shapes over %lld dofs", t->name, (long long)t->n, (long long)b->ndof);
    FB_FREE(b->basis);
    b->basis = x;
    b->nbasis = t->n;
    x = NULL;
out:
    FB_FREE(row, x);
    return s;
}
