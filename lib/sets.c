/* SPDX-License-Identifier: GPL-3.0-or-later */
/* sets.c - named sets of nodes in the model: those of the input, and frames, which are sets of one
 * node and stand behind them. */
#include "dofset.h"
#include "memory.h"
#include "model.h"
#include <stdio.h>
#include <string.h>

fb_status fb_model_add_set(fb_model *b, const char *name, const int64_t *node, int64_t n, fb_err *e)
{
    const int64_t k = b->nset, from = b->nsetnode;
    char(*names)[FB_NAME] = fb_realloc(b->set_name, (size_t)k + 1, sizeof *names);
    b->set_name = names ? names : b->set_name;
    int64_t *offset = fb_realloc(b->set_offset, (size_t)k + 2, sizeof *offset);
    b->set_offset = offset ? offset : b->set_offset;
    int64_t *nodes = fb_realloc(b->set_node, (size_t)(from + n), sizeof *nodes);
    b->set_node = nodes ? nodes : b->set_node;
    if (!names || !offset || !nodes)
        return fb_fail(e, FB_ESYS, "out of memory: set %.79s", name);
    memset(names[k], 0, sizeof names[k]);
    snprintf(names[k], sizeof names[k], "%.79s", name);
    fb_plain_text(names[k]);
    offset[0] = 0;
    offset[k + 1] = from + n;
    memcpy(nodes + from, node, sizeof *node * (size_t)n);
    b->nset = k + 1;
    b->nset1 = k + 2;
    b->nsetnode = from + n;
    return FB_OK;
}

fb_status fb_model_groups(const fb_model *b, fb_dofgroup **g, int64_t *n, fb_err *e)
{
    *n = b->set_name && b->set_offset && b->set_node ? b->nset : 0;
    FB_PASS(fb_new(g, *n, sizeof **g, "named sets", e));
    for (int64_t k = 0; k < *n; k++)
        (*g)[k] = (fb_dofgroup){b->set_name[k], b->set_offset[k + 1] - b->set_offset[k],
                                b->set_node + b->set_offset[k], NULL};
    return FB_OK;
}

const char *fb_node_name(const fb_model *b, int64_t node)
{
    if (!b->set_name || !b->set_offset || !b->set_node)
        return NULL;
    for (int64_t k = b->nset - 1; k >= 0; k--)
        if (b->set_offset[k + 1] - b->set_offset[k] == 1 && b->set_node[b->set_offset[k]] == node &&
            b->set_name[k][0])
            return b->set_name[k];
    return NULL;
}
