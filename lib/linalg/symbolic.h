/* SPDX-License-Identifier: GPL-3.0-or-later */
/* symbolic.h - CHOLMOD's analysis of a compressed graph (symbolic.c, runs.c). */
#ifndef FB_SYMBOLIC_H
#define FB_SYMBOLIC_H
#include "sparse.h"
#include "status.h"
#include <stdint.h>
#include <suitesparse/cholmod.h>

/* *L: the structure of the factor of S (upper), supernodal, as cholmod_l_analyze_p gives it for the
 * order perm [n], in which the dofs of a node [n] follow each other; c with CHOLMOD_GIVEN. NULL
 * where nodes are no help: they have one dof each, or many of their blocks are not full. CHOLMOD's
 * failures are told by c->status. */
fb_status fb_symbolic_by_nodes(const fb_csc *S, const int64_t *node, const int64_t *perm,
                               cholmod_common *c, cholmod_factor **L, fb_err *e) FB_CHECKED;

/* place [n]: where each column of a supernodal structure goes within its supernode, so that the
 * rows of supernodes follow each other in those above. */
fb_status fb_supernode_runs(const cholmod_factor *L, int64_t *place, fb_err *e) FB_CHECKED;

#endif
