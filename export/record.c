/* SPDX-License-Identifier: GPL-3.0-or-later */
/* record.c - what a link record says of itself, from /dofs and /reduced/T, which it leaves behind:
 * the dofs that are held, the dof that each boundary coordinate is, the interface by node and
 * component, the hub among the connectors, how many rigid motions are left, whether there is
 * damping. What the body says already stays. */
#include "memory.h"
#include "body.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Supports that the input had, behind the dofs of --fix; a record has them there already. */
static fb_status held(fb_model *b, fb_err *e)
{
    int64_t *node = NULL, *component = NULL, n = b->nheld;
    fb_status s = FB_OK;
    if (!b->all_class || b->damping[0])
        return FB_OK;
    FB_TRY(FB_NEW(&node, n + b->na, e));
    FB_TRY(FB_NEW(&component, n + b->na, e));
    for (int64_t k = 0; k < n; k++) {
        node[k] = b->held_node[k];
        component[k] = b->held_component[k];
    }
    for (int64_t d = 0; d < b->na; d++)
        if (b->all_class[d] == FB_DOF_FIXED) {
            node[n] = b->all_node[d];
            component[n++] = b->all_component[d];
        }
    if (n) {
        FB_FREE(b->held_node, b->held_component);
        b->nheld = n;
        b->held_node = node;
        b->held_component = component;
        node = component = NULL;
    }
out:
    FB_FREE(node, component);
    return s;
}

static fb_status interface(fb_model *b, fb_err *e)
{
    if (b->interface_node || !b->interface_dof || !b->dof_node)
        return FB_OK;
    FB_PASS(FB_NEW(&b->interface_node, b->nb, e));
    FB_PASS(FB_NEW(&b->interface_component, b->nb, e));
    for (int64_t k = 0; k < b->nb; k++) {
        b->interface_node[k] = b->dof_node[b->interface_dof[k]];
        b->interface_component[k] = b->dof_component[b->interface_dof[k]];
    }
    return FB_OK;
}

/* Coordinates of other methods than those with boundary dofs are all modal: 0.0. */
static fb_status coordinates(fb_model *b, fb_err *e)
{
    fb_coords c = {0};
    fb_err none = {0};
    if (b->coordinate_node || !b->kind)
        return FB_OK;
    FB_PASS(FB_NEW(&b->coordinate_node, b->nr, e));
    FB_PASS(FB_NEW(&b->coordinate_component, b->nr, e));
    const fb_status s = fb_coords_new(b, "the link record", &c, &none);
    if (s == FB_ESYS)
        return fb_fail(e, s, "%s", none.msg);
    for (int64_t k = 0; !s && k < b->nr; k++)
        if (c.node[k]) {
            b->coordinate_node[k] = c.node[k];
            b->coordinate_component[k] = c.component[k];
        }
    fb_coords_free(&c);
    return FB_OK;
}

static int is_connector(const fb_model *b, int64_t node)
{
    for (int64_t k = 0; k < b->nc; k++)
        if (b->connector_node[k] == node)
            return 1;
    return 0;
}

/* A node of which all six dofs are held. */
static int is_hub(const fb_model *b, int64_t node)
{
    int seen = 0;
    for (int64_t k = 0; k < b->nheld; k++)
        if (b->held_node[k] == node && b->held_component[k] >= 1 && b->held_component[k] <= 6)
            seen |= 1 << b->held_component[k];
    return seen == 126;
}

/* [nc + 1, width]: a copy of x with a row of zeros behind. */
static fb_status one_more(double **x, int64_t nc, int64_t width, fb_err *e)
{
    double *y = NULL;
    FB_PASS(fb_new(&y, (nc + 1) * width, 8, "connectors", e));
    memcpy(y, *x, sizeof *y * (size_t)(nc * width));
    free(*x);
    *x = y;
    return FB_OK;
}

/* The axes of the connectors where they are all alike, turned with the body since; else its own. */
static void common_axes(const fb_model *b, double R[9])
{
    static const double own[9] = {1, 0, 0, 0, 1, 0, 0, 0, 1};
    const double *first = b->nc ? b->connector_rotation : own;
    int64_t k = 1;
    while (k < b->nc && !memcmp(b->connector_rotation + 9 * k, first, sizeof own))
        k++;
    memcpy(R, k < b->nc ? own : first, sizeof own);
}

static fb_status add_hub(fb_model *b, int64_t node, const double place[3], fb_err *e)
{
    const int64_t nc = b->nc;
    int64_t *id = NULL;
    double R[9];
    fb_status s = FB_OK;
    common_axes(b, R);
    FB_TRY(fb_new(&id, nc + 1, 8, "connectors", e));
    FB_TRY(one_more(&b->connector_position, nc, 3, e));
    FB_TRY(one_more(&b->connector_rotation, nc, 9, e));
    FB_TRY(one_more(&b->connector_S, nc, 3 * b->nr, e));
    FB_TRY(one_more(&b->connector_Shat, nc, 3 * b->nr, e));
    memcpy(id, b->connector_node, sizeof *id * (size_t)nc);
    id[nc] = node;
    memcpy(b->connector_position + 3 * nc, place, 3 * sizeof *place);
    memcpy(b->connector_rotation + 9 * nc, R, sizeof R);
    free(b->connector_node);
    b->connector_node = id;
    b->nc = nc + 1;
    id = NULL;
out:
    free(id);
    return s;
}

/* The nodes that the frame follows are places to join the body at, too; no coordinate moves
 * them. */
static fb_status hubs(fb_model *b, fb_err *e)
{
    fb_index x = {0};
    fb_status s = FB_OK;
    if (!b->node_id || !b->xyz)
        return FB_OK;
    FB_TRY(fb_index_new(&x, b->node_id, b->nn, "/nodes/id", e));
    for (int64_t k = 0; k < b->nheld; k++) {
        const double *place = fb_position(b, &x, b->held_node[k]);
        if (place && is_hub(b, b->held_node[k]) && !is_connector(b, b->held_node[k]))
            FB_TRY(add_hub(b, b->held_node[k], place, e));
    }
out:
    fb_index_free(&x);
    return s;
}

/* A pair without mass in some direction has no such number. */
static fb_status rigid_left(fb_model *b, fb_err *e)
{
    fb_err none = {0};
    int64_t n = 0;
    const fb_status s = fb_rigid_modes(b, &n, &none);
    if (s == FB_ESYS)
        return fb_fail(e, s, "%s", none.msg);
    if (s)
        return FB_OK;
    FB_PASS(FB_NEW(&b->rigid_left, 1, e));
    b->rigid_left[0] = n;
    return FB_OK;
}

fb_status fb_record_describe(fb_model *b, int own_connectors, fb_err *e)
{
    FB_PASS(held(b, e));
    FB_PASS(interface(b, e));
    FB_PASS(coordinates(b, e));
    if (own_connectors)
        FB_PASS(hubs(b, e));
    if (!b->origin)
        FB_PASS(fb_new(&b->origin, 3, 8, "origin", e));
    if (!b->rigid_left)
        FB_PASS(rigid_left(b, e));
    snprintf(b->damping, sizeof b->damping, "%s", b->Dr ? "matrix" : "none");
    return FB_OK;
}
