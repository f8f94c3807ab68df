/* SPDX-License-Identifier: GPL-3.0-or-later */
/* graph.h - the compressed graph of a symmetric matrix (graph.c). */
#ifndef FB_GRAPH_H
#define FB_GRAPH_H
#include "sparse.h"
#include "status.h"
#include <metis.h>
#include <stdint.h>

typedef struct {
    int64_t nv;
    int64_t *vertex;          /* [n]    vertex of each dof                                    */
    int64_t *start, *member;  /* [nv+1], [n] dofs of each vertex, ascending                   */
    idx_t *xadj, *adj, *vwgt; /* neighbours of each, number of its dofs: as METIS wants them  */
} fb_graph;

/* The graph of A (upper). Dofs with one label in node [n] are one vertex; NULL: dofs with equal
 * patterns are. Vertices are numbered as their first dofs. */
fb_status fb_graph_new(fb_graph *g, const fb_csc *A, const int64_t *node, fb_err *e) FB_CHECKED;
void fb_graph_free(fb_graph *g);

#endif
