/* SPDX-License-Identifier: GPL-3.0-or-later */
/* elements.h - elements as readers hand them over, for the faces of the body: a topology and its
 * nodes. */
#ifndef ELEMENTS_H
#define ELEMENTS_H
#include "status.h"
#include <stdint.h>

typedef enum {
    FB_LINE2,
    FB_LINE3,
    FB_TRIA3,
    FB_TRIA6,
    FB_QUAD4,
    FB_QUAD8,
    FB_QUAD9,
    FB_TETRA4,
    FB_TETRA10,
    FB_PYRAMID5,
    FB_PYRAMID13,
    FB_PENTA6,
    FB_PENTA15,
    FB_HEXA8,
    FB_HEXA20,
    FB_HEXA27,
    FB_NTOPOLOGY,
    FB_POINT,  /* known, and nothing to draw: masses, springs to ground */
    FB_UNKNOWN /* to be counted and named */
} fb_topology;

enum { FB_CORNERS = 8, FB_EDGES = 12, FB_FACES = 6, FB_ELEMENT_NODES = 27 };

/* Corners, edges and faces of lines, triangles, ..., by number of the corner from 0. The faces of
 * solids are seen from outside counter-clockwise. */
typedef struct {
    unsigned char dim, corners, nedge, nface;
    unsigned char edge[FB_EDGES][2];
    unsigned char size[FB_FACES], face[FB_FACES][4];
} fb_solid;

/* The nodes of an element: its corners, then the middle of each edge, then that of each face, as
 * far as `nodes` goes. Abaqus' order; other programs' readers permute. */
typedef struct {
    unsigned char nodes;
    const fb_solid *solid;
} fb_element_kind;
extern const fb_element_kind fb_element_kinds[FB_NTOPOLOGY];

/* The topology of this dimension (1 line, 2 surface, 3 solid) and number of nodes, else FB_UNKNOWN.
 */
fb_topology fb_topology_of(int dim, int64_t nodes);

typedef struct { /* a type without a topology */
    char name[24];
    int64_t n;
} fb_odd_type;

typedef struct { /* elements in the order of the files */
    int64_t n, nnode, cap_id, cap_node, cap_topology;
    int64_t *id;             /* [n] */
    int64_t *node;           /* [nnode] of the elements one after the other; 0: left out */
    unsigned char *topology; /* [n] */
    int64_t nodd, cap_odd;
    fb_odd_type *odd; /* [nodd] */
} fb_elements;

/* node: as many as the topology has. */
fb_status fb_elements_add(fb_elements *x, int64_t id, fb_topology t, const int64_t *node,
                          fb_err *e) FB_CHECKED;
/* Counts an element that is not drawn. */
fb_status fb_elements_odd(fb_elements *x, const char *type, fb_err *e) FB_CHECKED;
/* Moves all of `from` behind those of x; the numbers of nodes stay. */
fb_status fb_elements_take(fb_elements *x, fb_elements *from, fb_err *e) FB_CHECKED;
/* The nodes of the elements with these numbers, ascending, each once; what is not there is passed
 * over. */
fb_status fb_elements_nodes(const fb_elements *x, const int64_t *id, int64_t n, int64_t **node,
                            int64_t *count, fb_err *e) FB_CHECKED;
void fb_elements_free(fb_elements *x);
#endif
