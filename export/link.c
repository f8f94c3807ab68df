/* SPDX-License-Identifier: GPL-3.0-or-later */
/* link.c - the HDF5 link record: what a multibody simulator needs of one body, and no more. */
#include "writer.h"
#include <stdlib.h>

static fb_status publish(fb_run *r, fb_stream *in, fb_model *b, const fb_export *o, fb_err *e)
{
    static const char *const record[] = {"/source", "/reduced", "/connectors", "/invariants", "/dofs", NULL};
    static const char *const nothing[] = {"/nodes", "/dofs", "/full", "/interface", "/modes", "/faces", "/stress",
                                          "/statistics", "/reference", "/reduced", "/connectors", "/invariants",
                                          "/history", "/source", NULL};
    if (!b->Kr || !b->Mr || !b->connector_S || !b->I[1])
        return fb_fail(e, FB_EFORMAT, "%s: a link record wants /reduced, /connectors and /invariants; missing is %s: "
                       "run mnfparse | reduce | invariants first", in->name,
                       !b->Kr || !b->Mr ? "/reduced" : !b->connector_S ? "/connectors" : "/invariants");
    if (!o->with_T) {
        free(b->T);
        free(b->dof_node);
        free(b->dof_component);
        free(b->dof_class);
        b->T = NULL;
        b->dof_node = b->dof_component = b->dof_class = NULL;
    }
    free(b->V);
    b->V = NULL;
    return fb_publish(r, in, b, record, nothing, e);
}

const fb_writer fb_writer_link = {"link", "the HDF5 link record", 1, NULL, NULL, NULL, publish};
