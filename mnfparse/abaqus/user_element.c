/* SPDX-License-Identifier: GPL-3.0-or-later */
/* user_element.c - condensed matrices written as a user element: *USER ELEMENT and *MATRIX blocks.
 *
 * Writers  Abaqus *SUBSTRUCTURE MATRIX OUTPUT, OUTPUT FILE=USER DEFINED; CalculiX the same
 * Layout   *USER ELEMENT, NODES=N, LINEAR [, UNSYMM]
 *          ** ELEMENT NODES, then the N nodes in comment lines
 *          dofs of the first node; then lines "position, dof, dof, ...": from that place in the
 *          node list on these dofs are active. CalculiX lists a node once per dof.
 *          *MATRIX, TYPE=STIFFNESS, MASS, VISCOUS DAMPING or STRUCTURAL DAMPING: lower triangle by
 *          rows; unsymmetric: full columns
 * Law      Nodes that are not positive are generalized coordinates (retained modes), one dof each.
 * Source   measured on exports of both programs
 */
#include "memory.h"
#include "text/lines.h"
#include "reader.h"
#include <stdlib.h>

enum { NDOF = 32 }; /* active dofs of one node */

typedef struct {
    fb_lines l;
    int64_t *node, nnode, cap_node; /* the element's node list */
    int64_t announced;              /* NODES= */
    int unsymmetric;
    int64_t active[NDOF], nactive, filled; /* dofs of nodes from position `filled` on */
    fb_labels row;
    int64_t n, cap_row;
} state;

static int sniff(const fb_input *in)
{
    fb_lines l = fb_lines_head(in);
    if (!fb_next_data(&l) || *l.p != '*')
        return 0;
    char word[16];
    size_t n = 0;
    for (; l.p < l.end && n < sizeof word - 1; l.p++)
        if (*l.p != ' ')
            word[n++] = *l.p;
    return fb_starts(word, word + n, "*USERELEMENT") || fb_starts(word, word + n, "*MATRIX,TYPE=");
}

/* ---- nodes and dofs -------------------------------------------------------------------- */

/* A comment that holds nothing but integers continues the node list. */
static fb_status node_line(state *st, int *was, fb_err *e)
{
    const char *p = st->l.p + 2, *end = fb_line_end(p, st->l.end);
    int64_t had = st->nnode, v;
    *was = 0;
    for (p = fb_skip_blanks(p, end); !fb_at_line_end(p, end);) {
        p = fb_scan_int(p, end, &v);
        if (!p) {
            st->nnode = had;
            return FB_OK;
        }
        FB_PASS(fb_grow(&st->node, &st->cap_node, st->nnode + 1, sizeof *st->node, e));
        st->node[st->nnode++] = v;
        p = fb_skip_blanks(p, end);
        if (p < end && *p == ',')
            p = fb_skip_blanks(p + 1, end);
    }
    *was = st->nnode > had;
    return FB_OK;
}

static fb_status comments(state *st, int *in_list, fb_err *e)
{
    const char *p = st->l.p + 2, *end = fb_line_end(p, st->l.end);
    fb_status s = FB_OK;
    if (*in_list)
        s = node_line(st, in_list, e);
    else
        *in_list = !st->nnode && fb_starts(fb_skip_blanks(p, end), end, "ELEMENT NODES");
    return s;
}

/* The nodes up to position `upto` (0-based, exclusive) have the dofs that are active now. */
static fb_status fill_nodes(state *st, int64_t upto, fb_err *e)
{
    for (; st->filled < upto; st->filled++)
        for (int64_t k = 0; k < st->nactive; k++) {
            const int64_t node = st->node[st->filled];
            FB_PASS(fb_labels_add(&st->row, &st->n, &st->cap_row, node,
                                  node > 0 ? st->active[k] : 0,
                                  node > 0 ? FB_DOF_PHYSICAL : FB_DOF_GENERALIZED, e));
        }
    return FB_OK;
}

static fb_status dof_line(state *st, fb_err *e)
{
    const char *p = st->l.p, *end = fb_line_end(p, st->l.end);
    int64_t v, position = 1, n = 0;
    int first = st->nactive > 0;
    if (!st->nnode)
        return fb_line_fail(e, &st->l, p,
                            "dofs without a node list: '** ELEMENT NODES' and the numbers in "
                            "comment lines are wanted above");
    int64_t dof[NDOF];
    while (!fb_at_line_end(p, end)) {
        const char *q = fb_scan_int(p, end, &v);
        if (!q || n == NDOF || (!first && (v < 1 || v >= 64)))
            return fb_line_fail(e, &st->l, p, "'position, dof, dof, ...' is wanted");
        if (first)
            position = v;
        else
            dof[n++] = v;
        first = 0;
        q = fb_skip_blanks(q, end);
        p = q < end && *q == ',' ? fb_skip_blanks(q + 1, end) : q;
    }
    if (position <= st->filled || position > st->nnode || !n)
        return fb_line_fail(e, &st->l, st->l.p,
                            "position %lld: the list has %lld nodes and positions rise",
                            (long long)position, (long long)st->nnode);
    if (st->nactive)
        FB_PASS(fill_nodes(st, position - 1, e));
    memcpy(st->active, dof, sizeof dof);
    st->nactive = n;
    return FB_OK;
}

/* ---- keywords -------------------------------------------------------------------------- */

/* Finds NAME in the keyword line at p; the text behind '=' or an empty text. */
static int parameter(const char *p, const char *end, const char *name, const char **value)
{
    for (; p < end; p++) {
        if (*p != ',')
            continue;
        const char *q = fb_skip_blanks(p + 1, end);
        if (!fb_starts(q, end, name))
            continue;
        q = fb_skip_blanks(q + strlen(name), end);
        if (q < end && *q == '=') {
            *value = fb_skip_blanks(q + 1, end);
            return 1;
        }
        if (fb_at_line_end(q, end) || *q == ',') {
            *value = end;
            return 1;
        }
    }
    return 0;
}

static fb_status user_element(state *st, fb_err *e)
{
    const char *p = st->l.p, *end = fb_line_end(p, st->l.end), *v;
    if (st->announced)
        return fb_line_fail(e, &st->l, p, "a second user element: one body a file is wanted");
    if (!parameter(p, end, "NODES", &v) || !fb_scan_int(v, end, &st->announced) ||
        st->announced < 1)
        return fb_line_fail(e, &st->l, p, "NODES=number is wanted");
    st->unsymmetric = parameter(p, end, "UNSYMM", &v);
    return FB_OK;
}

/* Everything about the dofs is known when the first matrix begins. */
static fb_status close_dofs(state *st, fb_err *e)
{
    if (!st->announced || !st->nactive)
        return fb_line_fail(e, &st->l, st->l.p, "a matrix before *USER ELEMENT and its dofs");
    if (st->nnode != st->announced)
        return fb_line_fail(e, &st->l, st->l.p, "NODES=%lld, but %lld nodes are listed",
                            (long long)st->announced, (long long)st->nnode);
    return fill_nodes(st, st->nnode, e);
}

/* The next value of the block, over line ends; NULL at its end. */
static const char *next_value(const char *p, const char *end, double *x)
{
    while (p < end && (*p == ' ' || *p == ',' || *p == '\t' || *p == '\r' || *p == '\n'))
        p++;
    return p < end && *p != '*' ? fb_scan_real(p, end, x) : NULL;
}

/* Values that stand for column k of the result: row k of the lower triangle, or a full column. */
static fb_status values(state *st, fb_csc *A, fb_err *e)
{
    int64_t n = st->n, q = 0;
    const char *p = st->l.p, *end = st->l.end;
    for (int64_t k = 0; k < n; k++) {
        int64_t rows = st->unsymmetric ? n : k + 1;
        for (int64_t i = 0; i < rows; i++) {
            double x = 0;
            const char *r = next_value(p, end, &x);
            if (!r)
                return fb_line_fail(
                    e, &st->l, p < end ? p : end - 1,
                    "value %lld of column %lld of the matrix of order %lld is wanted",
                    (long long)i + 1, (long long)k + 1, (long long)n);
            p = r;
            if (x != 0) {
                A->i[q] = i;
                A->x[q++] = x;
            }
        }
        A->p[k + 1] = q;
    }
    double x;
    if (next_value(p, end, &x))
        return fb_line_fail(e, &st->l, fb_skip_blanks(p, end),
                            "more values than a %smatrix of order %lld has",
                            st->unsymmetric ? "" : "symmetric ", (long long)n);
    st->l.p = p;
    return FB_OK;
}

static fb_status matrix(state *st, const fb_input *in, fb_parts *p, fb_log *log, fb_err *e)
{
    static const struct {
        const char *begin, *name;
        fb_role role;
    } kinds[] = {{"STIFFNESS", "STIFFNESS", FB_ROLE_STIFFNESS},
                 {"MASS", "MASS", FB_ROLE_MASS},
                 {"VISCOUS", "VISCOUS DAMPING", FB_ROLE_DAMPING},
                 {"STRUCTURAL", "STRUCTURAL DAMPING", FB_ROLE_STRUCTURAL_DAMPING}};
    const char *end = fb_line_end(st->l.p, st->l.end), *v = end;
    fb_matrix *m = NULL;
    if (!parameter(st->l.p, end, "TYPE", &v))
        return fb_line_fail(e, &st->l, st->l.p, "*MATRIX, TYPE=name is wanted");
    int type = (int)(sizeof kinds / sizeof *kinds) - 1;
    while (type >= 0 && !fb_starts(v, end, kinds[type].begin))
        type--;
    if (type < 0) {
        fb_warn(log, "%s: *MATRIX, TYPE=%.*s is skipped", in->name,
                (int)(end - v < 40 ? end - v : 40), v);
        fb_end_line(&st->l);
        return FB_OK;
    }
    FB_PASS(close_dofs(st, e));
    fb_end_line(&st->l);
    double n = (double)st->n, wanted = st->unsymmetric ? n * n : n * (n + 1) / 2;
    if (wanted > (double)(st->l.end - st->l.p))
        return fb_fail_at(e, &st->l, st->l.p,
                          "a matrix of order %lld has %.0f values, %lld bytes are left",
                          (long long)st->n, wanted, (long long)(st->l.end - st->l.p));
    FB_PASS(fb_parts_matrix(p, kinds[type].name, in->name, kinds[type].role, &m, e));
    m->condensed = 1;
    FB_PASS(fb_labels_copy(&m->row, &st->row, st->n, e));
    FB_PASS(fb_csc_new(&m->A, st->n, st->n, (int64_t)wanted, !st->unsymmetric, e));
    FB_PASS(values(st, &m->A, e));
    fb_note(log, "%s: %s, order %lld", in->name, m->name, (long long)st->n);
    return FB_OK;
}

/* ---- file ------------------------------------------------------------------------------ */

static fb_status lines(state *st, const fb_input *in, fb_parts *p, fb_log *log, fb_err *e)
{
    int in_list = 0, in_dofs = 0;
    while (fb_next_line(&st->l)) {
        const char *q = st->l.p, *end = st->l.end;
        if (fb_starts(q, end, "**")) {
            FB_PASS(comments(st, &in_list, e));
            fb_end_line(&st->l);
            continue;
        }
        if (*q == '*' && fb_starts(q, end, "*MATRIX")) {
            in_dofs = 0;
            FB_PASS(matrix(st, in, p, log, e));
            continue;
        }
        if (*q == '*') {
            in_dofs = fb_starts(q, end, "*USER ELEMENT") || fb_starts(q, end, "*USERELEMENT");
            if (in_dofs)
                FB_PASS(user_element(st, e));
        } else if (in_dofs) {
            FB_PASS(dof_line(st, e));
        }
        fb_end_line(&st->l);
    }
    return FB_OK;
}

static fb_status read_user_element(const fb_input *in, fb_parts *p, fb_log *log, fb_err *e)
{
    state st = {.l = fb_lines_of(in)};
    int64_t had = p->nmatrix;
    fb_status s = lines(&st, in, p, log, e);
    if (!s && p->nmatrix == had)
        s = fb_fail(e, FB_EFORMAT, "no *MATRIX, TYPE=STIFFNESS or TYPE=MASS: was the file cut?");
    free(st.node);
    fb_labels_free(&st.row);
    return s;
}

const fb_reader fb_reader_user_element = {
    .name = "user_element",
    .doc = "Abaqus or CalculiX substructure as *USER ELEMENT and *MATRIX",
    .sniff = sniff,
    .read = read_user_element,
};
