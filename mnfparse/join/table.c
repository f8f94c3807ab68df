/* SPDX-License-Identifier: GPL-3.0-or-later */
/* table.c - dof tables that come apart from the matrices. Those of programs that make solids of
 * beams, shells and plane elements name nodes that have no place in the deck: their dofs become
 * internal. */
#include "memory.h"
#include "assemble.h"
#include <stdlib.h>

static fb_status expand_blocks(fb_parts *p, int64_t n, const char *name, fb_err *e)
{
    int64_t per = n / p->ntable;
    fb_labels t = {0};
    if (n % p->ntable || (per != 3 && per != 6))
        return fb_fail(e, FB_EFORMAT,
                       "%s has %lld rows, the node vector %lld nodes: 3 or 6 rows a node are "
                       "wanted (constrained dofs must stay in the matrix; HBMAT with a .mapping "
                       "file has no such limit)",
                       name, (long long)n, (long long)p->ntable);
    FB_PASS(fb_labels_new(&t, n, 0, e));
    for (int64_t k = 0; k < n; k++) {
        t.node[k] = p->table.node[k / per];
        t.component[k] = 1 + k % per;
    }
    fb_labels_free(&p->table);
    p->table = t;
    p->ntable = n;
    p->table_blocks = 0;
    return FB_OK;
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
