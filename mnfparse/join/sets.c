/* SPDX-License-Identifier: GPL-3.0-or-later */
/* sets.c - the sets of the parts become those of the model. A set of dofs is one of nodes where it
 * has all the physical dofs of each of its nodes; one that has not stays behind, by name. */
#include "assemble.h"
#include "memory.h"
#include "number.h"
#include <stdlib.h>
#include <string.h>

typedef struct {
    int64_t node, component;
} label;

static int by_label(const void *a, const void *b)
{
    const label *x = a, *y = b;
    return x->node != y->node ? (x->node > y->node) - (x->node < y->node)
                              : (x->component > y->component) - (x->component < y->component);
}

/* The physical dofs of the model, ascending. */
static fb_status physical(const fb_model *b, label **out, int64_t *n, fb_err *e)
{
    *n = 0;
    FB_PASS(FB_NEW(out, b->ndof, e));
    for (int64_t d = 0; b->dof_node && d < b->ndof; d++)
        if (b->dof_class[d] == FB_DOF_PHYSICAL)
            (*out)[(*n)++] = (label){b->dof_node[d], b->dof_component[d]};
    if (*n)
        qsort(*out, (size_t)*n, sizeof **out, by_label);
    return FB_OK;
}

/* 1: every dof that the model has at a node of the set is in it. */
static fb_status whole(const fb_set *t, const label *dof, int64_t n, int *yes, fb_err *e)
{
    label *own = NULL;
    FB_PASS(FB_NEW(&own, t->n, e));
    for (int64_t k = 0; k < t->n; k++)
        own[k] = (label){t->node[k], t->component[k]};
    qsort(own, (size_t)t->n, sizeof *own, by_label);
    *yes = 1;
    for (int64_t k = 0, d = 0; *yes && k < t->n && d < n;) {
        if (own[k].node != dof[d].node) {
            own[k].node < dof[d].node ? k++ : d++;
            continue;
        }
        const int64_t node = own[k].node;
        for (; *yes && d < n && dof[d].node == node; d++) {
            while (k < t->n && by_label(own + k, dof + d) < 0)
                k++;
            *yes = k < t->n && by_label(own + k, dof + d) == 0;
        }
        while (k < t->n && own[k].node == node)
            k++;
    }
    free(own);
    return FB_OK;
}

/* Nodes of a set, each once where its dofs stand together. */
static int64_t nodes_of(const fb_set *t, int64_t *node)
{
    int64_t n = 0;
    for (int64_t k = 0; k < t->n; k++)
        if (n == 0 || node[n - 1] != t->node[k])
            node[n++] = t->node[k];
    return n;
}

/* A frame or a set that is called by a number is what the number says already. */
static int is_number(const fb_set *t)
{
    int64_t id;
    const char *end = t->name + strlen(t->name);
    return fb_scan_int(t->name, end, &id) == end;
}

fb_status fb_join_sets(const fb_parts *p, fb_model *b, fb_log *log, fb_err *e)
{
    int64_t n = 0, *node = NULL;
    label *dof = NULL;
    fb_status s = FB_OK;
    FB_TRY(physical(b, &dof, &n, e));
    for (int64_t k = 0; k < p->nset; k++) {
        const fb_set *t = p->set + k;
        int yes = 1;
        if (t->n == 0 || !t->name[0] || is_number(t))
            continue;
        if (t->component)
            FB_TRY(whole(t, dof, n, &yes, e));
        if (!yes) {
            fb_note(log, "set %s is one of dofs, not of whole nodes: not in the stream", t->name);
            continue;
        }
        FB_TRY(FB_NEW(&node, t->n, e));
        FB_TRY(fb_model_add_set(b, t->name, node, nodes_of(t, node), e));
        free(node);
        node = NULL;
    }
out:
    FB_FREE(dof, node);
    return s;
}
