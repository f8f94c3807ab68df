/* SPDX-License-Identifier: GPL-3.0-or-later */
/* renumber.c - node numbers for targets that hold few digits: the connectors become 1, 2, ... in
 * their order, all other nodes follow in the order of their old numbers. */
#include "memory.h"
#include "number.h"
#include "body.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct {
    int64_t *id, n; /* a list of the model that holds node numbers */
} list;

enum { NLIST = 13 };

/* load [nload]: the nodes of unit loads, or 0. */
static void lists(const fb_model *b, int64_t *load, list l[NLIST])
{
    const list all[NLIST] = {{b->connector_node, b->nc},
                             {b->node_id, b->nn},
                             {b->dof_node, b->ndof},
                             {b->all_node, b->na},
                             {b->interface_node, b->nb},
                             {b->coordinate_node, b->nr},
                             {b->held_node, b->nheld},
                             {b->check_node, b->nk},
                             {b->stress_node, b->ns},
                             {b->stat_node, 13 * b->nm},
                             {b->set_node, b->nsetnode},
                             {b->kg_node, b->nkg},
                             {load, b->nload}};
    memcpy(l, all, sizeof all);
}

/* old [*n]: number k + 1 was old[k]. */
static fb_status order_of(const fb_model *b, const list *l, int64_t **old, int64_t *n, fb_err *e)
{
    int64_t *all = NULL, *first = NULL, most = 0, count = 0;
    fb_status s = FB_OK;
    for (int q = 0; q < NLIST; q++)
        most += l[q].id ? l[q].n : 0;
    FB_TRY(FB_NEW(&all, most, e));
    FB_TRY(FB_NEW(&first, b->nc, e));
    FB_TRY(FB_NEW(old, most, e));
    for (int q = 0; q < NLIST; q++)
        if (l[q].id && l[q].n) {
            memcpy(all + count, l[q].id, sizeof *all * (size_t)l[q].n);
            count += l[q].n;
        }
    count = fb_unique(all, count);
    *n = b->connector_node ? b->nc : 0;
    if (*n) {
        memcpy(*old, b->connector_node, sizeof *all * (size_t)*n);
        memcpy(first, b->connector_node, sizeof *all * (size_t)*n);
    }
    const int64_t nfirst = fb_unique(first, *n);
    for (int64_t k = 0; k < count; k++)
        if (all[k] && fb_sorted_find(first, nfirst, all[k]) < 0) /* 0 is no node */
            (*old)[(*n)++] = all[k];
out:
    FB_FREE(all, first);
    return s;
}

/* /frame/place, as far as it names nodes by number: node:9,axes:nodes:1,5 */
static void place(fb_model *b, const fb_index *at)
{
    char text[sizeof b->place + 64] = "";
    int nodes = 0; /* behind node: or nodes: */
    for (const char *p = b->place, *end; *p; p = end + (*end != 0)) {
        const size_t to = strlen(text), n = strcspn(p, ":,");
        int64_t id = 0;
        end = p + n;
        if (nodes && fb_scan_int(p, end, &id) == end && fb_index_find(at, id) >= 0)
            snprintf(text + to, sizeof text - to, "%lld%.1s", (long long)fb_index_find(at, id) + 1,
                     end);
        else
            snprintf(text + to, sizeof text - to, "%.*s%.1s", (int)n, p, end);
        if (*end == ':')
            nodes = (n == 4 || n == 5) && !strncmp(p, "nodes", n);
    }
    snprintf(b->place, sizeof b->place, "%.47s", text);
}

fb_status fb_renumber(fb_model *b, fb_log *log, fb_err *e)
{
    list l[NLIST];
    int64_t *old = NULL, *load = NULL, n = 0, node = 0, component = 0;
    fb_index at = {0};
    fb_status s = FB_OK;
    FB_TRY(FB_NEW(&load, b->nload, e));
    for (int64_t k = 0; b->load_name && k < b->nload; k++)
        load[k] = fb_load_dof(b, k, &node, &component) ? node : 0;
    lists(b, load, l);
    FB_TRY(order_of(b, l, &old, &n, e));
    FB_TRY(fb_index_new(&at, old, n, "node numbers", e));
    for (int64_t k = 0; b->connector_node && k < b->nc; k++)
        fb_note(log, "node %lld becomes %lld", (long long)old[k], (long long)k + 1);
    for (int q = 0; q < NLIST; q++)
        for (int64_t k = 0; l[q].id && k < l[q].n; k++)
            if (l[q].id[k])
                l[q].id[k] = fb_index_find(&at, l[q].id[k]) + 1;
    for (int64_t k = 0; b->load_name && k < b->nload; k++)
        if (fb_load_dof(b, k, &node, &component) && load[k])
            fb_model_name_load(b, k, load[k], component);
    place(b, &at);
out:
    fb_index_free(&at);
    FB_FREE(old, load);
    return s;
}
