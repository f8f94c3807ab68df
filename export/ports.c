/* SPDX-License-Identifier: GPL-3.0-or-later */
/* ports.c - inputs and outputs for those who look at a body as a system: M z'' + D z' + K z = B u,
 * y = C z. y is the motion of the connectors (reduced body) or of the interface dofs (full model),
 * u the forces and moments there, so that B = C'. What no coordinate moves is no port. */
#include "memory.h"
#include "body.h"
#include <string.h>

void fb_ports_free(fb_ports *p)
{
    FB_FREE(p->node, p->component, p->C);
    fb_csc_free(&p->B);
    *p = (fb_ports){0};
}

static void of_connectors(const fb_model *b, fb_ports *p)
{
    for (int64_t c = 0; c < b->nc; c++)
        for (int64_t a = 0; a < 6; a++) {
            const double *row =
                (a < 3 ? b->connector_S : b->connector_Shat) + (3 * c + a % 3) * b->nr;
            int moves = 0;
            for (int64_t k = 0; k < b->nr; k++)
                moves |= row[k] != 0;
            if (!moves)
                continue;
            memcpy(p->C + p->n * b->nr, row, sizeof *row * (size_t)b->nr);
            p->node[p->n] = b->connector_node[c];
            p->component[p->n++] = a + 1;
        }
}

static fb_status of_interface(const fb_model *b, fb_ports *p, fb_err *e)
{
    FB_PASS(fb_csc_new(&p->B, b->ndof, b->nb, b->nb, 0, e));
    for (int64_t k = 0; k < b->nb; k++) {
        const int64_t d = b->interface_dof[k];
        p->B.p[k + 1] = k + 1;
        p->B.i[k] = d;
        p->B.x[k] = 1;
        p->node[k] = b->dof_node[d];
        p->component[k] = b->dof_component[d];
    }
    p->n = b->nb;
    return FB_OK;
}

fb_status fb_ports_new(const fb_model *b, fb_ports *p, fb_err *e)
{
    const int reduced = b->Kr && b->connector_node && b->connector_S && b->connector_Shat;
    const int full = !b->Kr && b->interface_dof && b->dof_node && b->dof_component;
    const int64_t most = reduced ? 6 * b->nc : full ? b->nb : 0;
    fb_status s = FB_OK;
    *p = (fb_ports){0};
    if (!most)
        return FB_OK;
    FB_TRY(FB_NEW(&p->node, most, e));
    FB_TRY(FB_NEW(&p->component, most, e));
    if (full)
        FB_TRY(of_interface(b, p, e));
    else
        FB_TRY(fb_new(&p->C, most * b->nr, 8, "outputs", e));
    if (reduced)
        of_connectors(b, p);
out:
    if (s)
        fb_ports_free(p);
    return s;
}
