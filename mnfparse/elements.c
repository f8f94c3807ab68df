/* SPDX-License-Identifier: GPL-3.0-or-later */
/* elements.c - the table of element topologies, and lists of elements. */
#include "elements.h"
#include "memory.h"
#include "model.h"
#include <stdio.h>
#include <string.h>

/* ---- topologies --------------------------------------------------------------------------- */

static const fb_solid line = {1, 2, 1, 1, {{0, 1}}, {2}, {{0, 1}}};

static const fb_solid tria = {2, 3, 3, 1, {{0, 1}, {1, 2}, {2, 0}}, {3}, {{0, 1, 2}}};

static const fb_solid quad = {2, 4, 4, 1, {{0, 1}, {1, 2}, {2, 3}, {3, 0}}, {4}, {{0, 1, 2, 3}}};

static const fb_solid tetra = {3,
                               4,
                               6,
                               4,
                               {{0, 1}, {1, 2}, {2, 0}, {0, 3}, {1, 3}, {2, 3}},
                               {3, 3, 3, 3},
                               {{0, 2, 1}, {0, 1, 3}, {1, 2, 3}, {2, 0, 3}}};

static const fb_solid pyramid = {3,
                                 5,
                                 8,
                                 5,
                                 {{0, 1}, {1, 2}, {2, 3}, {3, 0}, {0, 4}, {1, 4}, {2, 4}, {3, 4}},
                                 {4, 3, 3, 3, 3},
                                 {{0, 3, 2, 1}, {0, 1, 4}, {1, 2, 4}, {2, 3, 4}, {3, 0, 4}}};

static const fb_solid penta = {
    3,
    6,
    9,
    5,
    {{0, 1}, {1, 2}, {2, 0}, {3, 4}, {4, 5}, {5, 3}, {0, 3}, {1, 4}, {2, 5}},
    {3, 3, 4, 4, 4},
    {{0, 2, 1}, {3, 4, 5}, {0, 1, 4, 3}, {1, 2, 5, 4}, {2, 0, 3, 5}}};

static const fb_solid hexa = {
    3,
    8,
    12,
    6,
    {{0, 1},
     {1, 2},
     {2, 3},
     {3, 0},
     {4, 5},
     {5, 6},
     {6, 7},
     {7, 4},
     {0, 4},
     {1, 5},
     {2, 6},
     {3, 7}},
    {4, 4, 4, 4, 4, 4},
    {{0, 3, 2, 1}, {4, 5, 6, 7}, {0, 1, 5, 4}, {1, 2, 6, 5}, {2, 3, 7, 6}, {3, 0, 4, 7}}};

const fb_element_kind fb_element_kinds[FB_NTOPOLOGY] = {
    [FB_LINE2] = {2, &line},         [FB_LINE3] = {3, &line},   [FB_TRIA3] = {3, &tria},
    [FB_TRIA6] = {6, &tria},         [FB_QUAD4] = {4, &quad},   [FB_QUAD8] = {8, &quad},
    [FB_QUAD9] = {9, &quad},         [FB_TETRA4] = {4, &tetra}, [FB_TETRA10] = {10, &tetra},
    [FB_PYRAMID5] = {5, &pyramid},   [FB_PENTA6] = {6, &penta}, [FB_PENTA15] = {15, &penta},
    [FB_PYRAMID13] = {13, &pyramid}, [FB_HEXA8] = {8, &hexa},   [FB_HEXA20] = {20, &hexa},
    [FB_HEXA27] = {27, &hexa},
};

fb_topology fb_topology_of(int dim, int64_t nodes)
{
    for (int t = 0; t < FB_NTOPOLOGY; t++)
        if (fb_element_kinds[t].solid->dim == dim && fb_element_kinds[t].nodes == nodes)
            return (fb_topology)t;
    return FB_UNKNOWN;
}

/* ---- lists of elements -------------------------------------------------------------------- */

void fb_elements_free(fb_elements *x)
{
    FB_FREE(x->id, x->node, x->topology, x->odd);
    *x = (fb_elements){0};
}

static fb_status room(fb_elements *x, int64_t n, int64_t nodes, fb_err *e)
{
    FB_PASS(fb_grow(&x->id, &x->cap_id, x->n + n, sizeof *x->id, e));
    FB_PASS(fb_grow(&x->topology, &x->cap_topology, x->n + n, 1, e));
    return fb_grow(&x->node, &x->cap_node, x->nnode + nodes, sizeof *x->node, e);
}

fb_status fb_elements_add(fb_elements *x, int64_t id, fb_topology t, const int64_t *node, fb_err *e)
{
    const int64_t n = fb_element_kinds[t].nodes;
    FB_PASS(room(x, 1, n, e));
    x->id[x->n] = id;
    x->topology[x->n++] = (unsigned char)t;
    memcpy(x->node + x->nnode, node, sizeof *node * (size_t)n);
    x->nnode += n;
    return FB_OK;
}

static fb_status count_odd(fb_elements *x, const char *type, int64_t n, fb_err *e)
{
    char name[sizeof x->odd->name];
    int64_t k = 0;
    snprintf(name, sizeof name, "%.*s", (int)sizeof name - 1, type);
    while (k < x->nodd && strcmp(x->odd[k].name, name))
        k++;
    if (k == x->nodd) {
        FB_PASS(fb_grow(&x->odd, &x->cap_odd, x->nodd + 1, sizeof *x->odd, e));
        x->odd[x->nodd] = (fb_odd_type){.n = 0};
        memcpy(x->odd[x->nodd++].name, name, sizeof name);
    }
    x->odd[k].n += n;
    return FB_OK;
}

fb_status fb_elements_odd(fb_elements *x, const char *type, fb_err *e)
{
    return count_odd(x, type, 1, e);
}

fb_status fb_elements_take(fb_elements *x, fb_elements *from, fb_err *e)
{
    fb_status s = FB_OK;
    for (int64_t k = 0; k < from->nodd; k++)
        FB_TRY(count_odd(x, from->odd[k].name, from->odd[k].n, e));
    if (!from->n)
        goto out;
    FB_TRY(room(x, from->n, from->nnode, e));
    memcpy(x->id + x->n, from->id, sizeof *x->id * (size_t)from->n);
    memcpy(x->topology + x->n, from->topology, (size_t)from->n);
    memcpy(x->node + x->nnode, from->node, sizeof *x->node * (size_t)from->nnode);
    x->n += from->n;
    x->nnode += from->nnode;
out:
    fb_elements_free(from);
    return s;
}

fb_status fb_elements_nodes(const fb_elements *x, const int64_t *id, int64_t n, int64_t **node,
                            int64_t *count, fb_err *e)
{
    int64_t *wanted = NULL, *v = NULL, cap = 0, m = 0, first = 0;
    fb_status s = FB_OK;
    FB_TRY(fb_new(&wanted, n, sizeof *wanted, "element set", e));
    for (int64_t k = 0; k < n; k++)
        wanted[k] = id[k];
    n = fb_unique(wanted, n);
    for (int64_t k = 0; k < x->n; first += fb_element_kinds[x->topology[k++]].nodes) {
        const int64_t nodes = fb_element_kinds[x->topology[k]].nodes;
        if (!n || x->id[k] < wanted[0] || x->id[k] > wanted[n - 1] ||
            fb_sorted_find(wanted, n, x->id[k]) < 0)
            continue;
        FB_TRY(fb_grow(&v, &cap, m + nodes, sizeof *v, e));
        for (int64_t q = 0; q < nodes; q++)
            if (x->node[first + q])
                v[m++] = x->node[first + q];
    }
    *count = fb_unique(v, m);
    *node = v;
    v = NULL;
out:
    FB_FREE(wanted, v);
    return s;
}
