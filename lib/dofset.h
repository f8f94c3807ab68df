/* SPDX-License-Identifier: GPL-3.0-or-later */
/* dofset.h - dofs named by the user (dofset.c). */
#ifndef FB_DOFSET_H
#define FB_DOFSET_H
#include "model.h"
#include "status.h"
#include <stdint.h>

/* What a list may be, for the descriptions of options. */
#define FB_DOFSET_FORMS "1-4:123,9, nset:NAME, x=max, near:X,Y,Z or @FILE"
/* Dofs named by the user: "1-4:123,9" (nodes, ranges, components; without components all the
 * physical dofs of the node), "nset:NAME" (a named set), places (place.h), "@FILE" (the same, or
 * NODE COMPONENT, one or more a line). In the order named, without duplicates (a warning says
 * which); an unknown node or dof is an error. option is for messages. */
typedef struct {
    const char *name;
    int64_t n;
    const int64_t *node, *component; /* [n]; component NULL: all physical dofs of the nodes */
} fb_dofgroup;
/* What messages write on both sides of a name: a quote where it holds what ends names in lists. */
const char *fb_name_quote(const char *name);
/* The sets of the model, whose names and nodes are borrowed. */
fb_status fb_model_groups(const fb_model *b, fb_dofgroup **g, int64_t *n, fb_err *e) FB_CHECKED;
/* The named sets are the model's. */
fb_status fb_dofset(const fb_model *b, const char *option, const char *list, int64_t **dof,
                    int64_t *n, fb_log *log, fb_err *e) FB_CHECKED;
/* The same with other sets, all names compared without case. */
fb_status fb_dofset_groups(const fb_model *b, const fb_dofgroup *group, int64_t ngroup,
                           const char *option, const char *list, int64_t **dof, int64_t *n,
                           fb_log *log, fb_err *e) FB_CHECKED;
typedef struct { /* of NODE[.COMPONENT]: what names the node, and 0: no component */
    const char *name, *end;
    int64_t component;
} fb_dofref;
/* Behind it, at end or one of ":,="; NULL: neither a number nor a name, which may be quoted or
 * stand behind "nset:". */
const char *fb_scan_dofref(const char *p, const char *end, fb_dofref *d);
/* The node that text, up to end, names: by its number, or as the only one of a set (a frame). */
fb_status fb_one_node(const fb_model *b, const char *option, const char *text, const char *end,
                      int64_t *node, fb_err *e) FB_CHECKED;
#endif
