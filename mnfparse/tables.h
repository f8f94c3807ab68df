/* SPDX-License-Identifier: GPL-3.0-or-later */
/* tables.h - text tables for inputs that carry no labels or coordinates of their own. */
#ifndef TABLES_H
#define TABLES_H
#include "parts.h"

/* Lines of "node component", one for each row of the matrices: into p->table. */
int       fb_dof_table_sniff(const fb_input *in);
fb_status fb_dof_table_read(const fb_input *in, fb_parts *p, fb_err *e) FB_CHECKED;
/* Lines of "id x y z": into the nodes of p. */
int       fb_node_table_sniff(const fb_input *in);
fb_status fb_node_table_read(const fb_input *in, fb_parts *p, fb_err *e) FB_CHECKED;
#endif
