/* SPDX-License-Identifier: GPL-3.0-or-later */
/* table.c - dof tables that come apart from the matrices. Those of programs that make solids of
 * beams, shells and plane elements name nodes that have no place in the deck: their dofs become
 * internal. */
#include "memory.h"
#include "assemble.h"
#include <stdlib.h>

/* by[k]: components of the k-th node of the table that the deck holds, a bit each. */
static fb_status find_held(const fb_parts *p, unsigned char *by, fb_err *e)
{
    fb_index x = {0};
    fb_status s = fb_index_new(&x, p->table.node, p->ntable, "the node vector", e);
    for (int64_t k = 0; !s && k < p->nheld; k++) {
        const int64_t at = fb_index_find(&x, p->held.node[k]), c = p->held.component[k];
        if (at >= 0 && c <= 6)
            by[at] |= (unsigned char)(c ? 1 << (c - 1) : 63);
    }
    fb_index_free(&x);
    return s;
}

static int64_t count_rows(const fb_parts *p, const unsigned char *held, int per)
{
    int64_t n = 0;
    for (int64_t k = 0; k < p->ntable; k++)
        for (int c = 0; c < per; c++)
            n += !(held[k] >> c & 1);
    return n;
}

/* A row for each dof of the nodes, 3 or 6 a node, but for those that the deck holds; where that
 * does not fit, they may have rows all the same. */
static fb_status expand_blocks(fb_parts *p, int64_t n, const char *name, fb_err *e)
{
    unsigned char *held = NULL;
    fb_labels t = {0};
    int64_t row = 0;
    fb_status s = FB_OK;
    FB_TRY(fb_new(&held, p->ntable, 1, "held dofs", e));
    int per = n == 3 * p->ntable ? 3 : n == 6 * p->ntable ? 6 : 0;
    if (!per) {
        FB_TRY(find_held(p, held, e));
        per = count_rows(p, held, 3) == n ? 3 : count_rows(p, held, 6) == n ? 6 : 0;
    }
    if (!per)
        FB_TRY(
            fb_fail(e, FB_EFORMAT,
                    "%s has %lld rows, the node vector %lld nodes: 3 or 6 rows a node are wanted, "
                    "but for the dofs that a .cdb holds by D commands, of which there are %lld "
                    "(the .full itself, or HBMAT with a .mapping file, name every row)",
                    name, (long long)n, (long long)p->ntable, (long long)p->nheld));
    FB_TRY(fb_labels_new(&t, n, 0, e));
    for (int64_t k = 0; k < p->ntable; k++)
        for (int c = 0; c < per; c++)
            if (!(held[k] >> c & 1)) {
                t.node[row] = p->table.node[k];
                t.component[row++] = 1 + c;
            }
    fb_labels_free(&p->table);
    p->table = t;
    t = (fb_labels){0};
    p->ntable = n;
    p->table_blocks = 0;
out:
    fb_labels_free(&t);
    free(held);
    return s;
}

/* The rotation vector of a rigid body stands in the rows rot.1 rot.2 rot.3. */
static void rename_rotations(fb_parts *p)
{
    for (int64_t r = 0; r < p->nrot; r++)
        for (int64_t k = 0; k < p->ntable; k++)
            if (p->table.node[k] == p->rot[r].rot && p->table.component[k] >= 1 &&
                p->table.component[k] <= 3) {
                p->table.node[k] = p->rot[r].ref;
                p->table.component[k] += 3;
            }
}

fb_status fb_table_fit(fb_parts *p, const fb_matrix *m, fb_err *e)
{
    int64_t n = m->A.n;
    char name[400];
    fb_matrix_name(p, m, name, sizeof name);
    if (!p->ntable)
        return fb_fail(e, FB_EFORMAT,
                       "%s has no dof labels: give the dof table (.dof, .mapping, node vector)",
                       name);
    if (p->table_blocks)
        FB_PASS(expand_blocks(p, n, name, e));
    if (n == 2 * p->ntable)
        return fb_fail(
            e, FB_EFORMAT,
            "%s has %lld rows, twice as many as the dof table: real and imaginary parts of a "
            "cyclic symmetry model, which is not supported; export a model of the whole body",
            name, (long long)n);
    if (n != p->ntable)
        return fb_fail(e, FB_EFORMAT,
                       "%s has %lld rows, the dof table %lld: are they of the same job?", name,
                       (long long)n, (long long)p->ntable);
    rename_rotations(p);
    return FB_OK;
}

void fb_expanded_classes(fb_parts *p, fb_log *log)
{
    int64_t last = 0, made = 0, beyond = 0;
    if (!p->expands || !p->table.class)
        return;
    p->line.n = fb_unique(p->line.node, p->line.n);
    p->plane.n = fb_unique(p->plane.node, p->plane.n);
    for (int64_t k = 0; k < p->nn; k++)
        last = p->node_id[k] > last ? p->node_id[k] : last;
    for (int64_t k = 0; k < p->ntable; k++) {
        const int64_t node = p->table.node[k];
        const int line = fb_sorted_find(p->line.node, p->line.n, node) >= 0,
                  plane = p->table.component[k] == 3 &&
                          fb_sorted_find(p->plane.node, p->plane.n, node) >= 0,
                  mode = last && node > last;
        if (p->table.class[k] != FB_DOF_PHYSICAL || !(line || plane || mode))
            continue;
        p->table.class[k] = FB_DOF_INTERNAL;
        made += line || plane;
        beyond += mode;
    }
    if (made)
        fb_note(log,
                "%lld dofs of beams, shells or plane elements stand for nodes of the solids made "
                "of them: internal",
                (long long)made);
    if (beyond)
        fb_note(log,
                "%lld dofs are above the deck's nodes, incompatible modes of elements: internal",
                (long long)beyond);
}
