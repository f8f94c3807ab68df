/* SPDX-License-Identifier: GPL-3.0-or-later */
/* coordinate.c - which dof a boundary coordinate is the displacement of. */
#include "memory.h"
#include "model.h"
#include <math.h>
#include <stdlib.h>

/* The one coordinate that moves dof d, or -1. */
static int64_t only_mover(const fb_model *b, const double *T, int64_t d)
{
    double most = 0, rest = 0;
    int64_t who = -1;
    for (int64_t k = 0; k < b->nr; k++) {
        double v = fabs(T[d + k * b->ndof]);
        if (v > most) {
            rest = most;
            most = v;
            who = k;
        } else if (v > rest) {
            rest = v;
        }
    }
    return rest <= 1e-8 * most ? who : -1;
}

/* Several dofs may move alike (a rigid end): an interface dof is the better name, a connector's
 * the next. */
static int rank_of(const char *interface, const fb_index *connector, const fb_model *b, int64_t d)
{
    return interface[d] ? 3 : fb_index_find(connector, b->dof_node[d]) >= 0 ? 2 : 1;
}

fb_status fb_coordinate_dofs(const fb_model *b, const double *T, int64_t *dof, fb_err *e)
{
    fb_index connector = {0};
    char *interface = NULL;
    int *rank = NULL;
    fb_status s = FB_OK;
    FB_TRY(fb_new(&interface, b->ndof, 1, "interface marks", e));
    FB_TRY(fb_new(&rank, b->nr, sizeof *rank, "coordinates", e));
    FB_TRY(fb_index_new(&connector, b->connector_node, b->connector_node ? b->nc : 0,
                        "/connectors/node", e));
    for (int64_t k = 0; k < b->nr; k++)
        dof[k] = -1;
    for (int64_t k = 0; b->interface_dof && k < b->nb; k++)
        interface[b->interface_dof[k]] = 1;
    for (int64_t d = 0; d < b->ndof; d++) {
        int64_t k = b->dof_component[d] > 0 ? only_mover(b, T, d) : -1;
        if (k < 0 || b->kind[k] != FB_KIND_BOUNDARY)
            continue;
        int q = rank_of(interface, &connector, b, d);
        if (q <= rank[k])
            continue;
        rank[k] = q;
        dof[k] = d;
    }
out:
    FB_FREE(interface, rank);
    fb_index_free(&connector);
    return s;
}
