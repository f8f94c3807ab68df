/* SPDX-License-Identifier: GPL-3.0-or-later */
/* ccx_dof.c - CalculiX .dof: the rows of .sti and .mas, one "node.component" a line.
 *
 * Law      The text is a pair of integers, not a real number. Beams and shells are expanded to
 *          solids whose nodes all print the node they come from: then node.component is no key, and
 *          only the order of the lines says which row is meant. Plane elements are expanded, too:
 *          component 3 is their thickness. Incompatible modes (C3D8I; beams and shells are made of
 *          it) print numbers above those of the deck, three an element. Such dofs become internal:
 *          they stay in the equations, but nothing can be joined to them, and nothing places them.
 *          Where the deck tells sections, join/stacks.c leads them back.
 */
#include "memory.h"
#include "text/lines.h"
#include "reader.h"

static const char *scan_dof(const char *p, const char *end, int64_t *node, int64_t *component)
{
    p = fb_scan_index(p, end, node);
    if (!p || *node < 1 || p == end || *p != '.')
        return NULL;
    const char *q = fb_scan_index(p + 1, end, component);
    return q && q - p <= 3 && p[1] >= '0' && p[1] <= '9' && fb_at_line_end(q, end) ? q : NULL;
}

static int sniff(const fb_input *in)
{
    fb_lines l = fb_lines_head(in);
    int64_t node, component;
    int n = 0;
    for (; n < 8 && fb_next_line(&l); n++, fb_end_line(&l))
        if (!scan_dof(l.p, l.end, &node, &component) || component > 6)
            return 0;
    return n > 0;
}

/* Nodes that have a component twice: all their rows become internal. */
static fb_status mark_repeated(const fb_labels *t, int64_t n, const char *name, fb_log *log,
                               fb_err *e)
{
    fb_ranked *sorted = NULL;
    int64_t *node = NULL, found = 0;
    fb_status s = FB_OK;
    FB_TRY(fb_ranked_new(&sorted, t->node, t->component, n, e));
    FB_TRY(fb_new(&node, n, sizeof *node, "repeated labels", e));
    for (int64_t k = 1; k < n; k++)
        if (sorted[k].node == sorted[k - 1].node &&
            sorted[k].component == sorted[k - 1].component &&
            (!found || node[found - 1] != sorted[k].node))
            node[found++] = sorted[k].node;
    if (!found)
        goto out;
    for (int64_t k = 0; k < n; k++)
        if (fb_sorted_find(node, found, t->node[k]) >= 0)
            t->class[k] = FB_DOF_INTERNAL;
    fb_note(
        log,
        "%s: the dofs of %lld nodes come more than once (first: node %lld), as those of expanded "
        "beams and shells do: they are internal, as far as no deck tells what they are made of",
        name, (long long)found, (long long)node[0]);
out:
    FB_FREE(sorted, node);
    return s;
}

static fb_status rows(fb_lines *l, fb_labels *t, int64_t *n, fb_err *e)
{
    int64_t cap = 0, node, component;
    for (; fb_next_line(l); fb_end_line(l)) {
        if (!scan_dof(l->p, l->end, &node, &component))
            return fb_line_fail(e, l, l->p, "'node.component' is wanted");
        if (component < 1 || component > 6)
            return fb_line_fail(e, l, l->p, "component %lld: a mechanical model has 1 to 6",
                                (long long)component);
        FB_PASS(fb_labels_add(t, n, &cap, node, component, FB_DOF_PHYSICAL, e));
    }
    if (!*n)
        return fb_fail(e, FB_EFORMAT, "no dofs");
    return FB_OK;
}

static fb_status read_dof(const fb_input *in, fb_parts *p, fb_log *log, fb_err *e)
{
    fb_lines l = fb_lines_of(in);
    if (p->ntable)
        return fb_fail(e, FB_EUSAGE, "a second dof table");
    FB_PASS(rows(&l, &p->table, &p->ntable, e));
    FB_PASS(mark_repeated(&p->table, p->ntable, in->name, log, e));
    fb_note(log, "%s: %lld dofs", in->name, (long long)p->ntable);
    p->expands = 1;
    return FB_OK;
}

const fb_reader fb_reader_ccx_dof = {
    .name = "ccx_dof",
    .doc = "CalculiX dof table, lines 'node.component'",
    .sniff = sniff,
    .read = read_dof,
};
