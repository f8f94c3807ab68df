/* SPDX-License-Identifier: GPL-3.0-or-later */
/* expand.c - dof tables of programs that make solids of beams, shells and plane elements: the dofs
 * of nodes that the program made have no place in the deck. They become internal. */
#include "model.h"
#include "assemble.h"

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
