/* SPDX-License-Identifier: GPL-3.0-or-later */
/* geometric.h - geometric stiffness and the loads that it belongs to (geometric.c). */
#ifndef FB_GEOMETRIC_H
#define FB_GEOMETRIC_H
#include "dofset.h"
#include "linalg/sparse.h"
#include "model.h"
#include "status.h"

/* A load of the body, u0 from its origin: forces m (a + r x u0 + tr(W) u0 - W u0) on all masses,
 * and a force f and a moment t at a node (0: none). */
typedef struct {
    double a[3], r[3], W[9], f[3], t[3];
    int64_t node; /* FB_GEO_NAMED until its name is looked up */
    fb_dofref at; /* of a text that was parsed: the node's number or name */
} fb_geoload;

#define FB_GEO_NAMED INT64_MIN

/* LOAD=VALUE[,LOAD=VALUE...], which is kept: ax ay az, rx ry rz, wx2 wy2 wz2 wxwy wywz wxwz,
 * f:NODE.COMPONENT of one node; *first: the value of the first. */
fb_status fb_geoload_parse(const char *text, fb_geoload *l, double *first, fb_err *e) FB_CHECKED;
/* "wz2=1, ax=3" */
void fb_geoload_text(const fb_geoload *l, char *text, size_t size);
fb_geoload fb_geoload_times(const fb_geoload *l, double by);
fb_geoload fb_geoload_of(const fb_model *b, int64_t k);
/* The rows of /geometric; b->nkg becomes n. */
fb_status fb_geoload_set(fb_model *b, const fb_geoload *l, int64_t n, fb_err *e) FB_CHECKED;
/* The same of the forces of moving the origin by t, after a turn of everything. */
void fb_geoload_carry(fb_model *b, const double t[3]);

/* B := block k of A, block diagonal of blocks [n x n]. */
fb_status fb_geometric_block(const fb_csc *A, int64_t k, int64_t n, fb_csc *B,
                             fb_err *e) FB_CHECKED;
/* C := the blocks A [n], all upper, one behind the other; they are emptied. */
fb_status fb_geometric_stack_take(fb_csc *A, int64_t n, fb_csc *C, fb_err *e) FB_CHECKED;
/* Kr [nkg,m,m] := T'Kg T of every load, T [ndof x m]; NULL where the model has none. */
fb_status fb_geometric_reduce(const fb_model *b, const fb_mat *T, double **Kr,
                              fb_err *e) FB_CHECKED;
/* Kr [n,m,m] := W'Kr W, W [m x k]. */
fb_status fb_geometric_turn(double **Kr, int64_t n, const fb_mat *W, fb_err *e) FB_CHECKED;

/* The reduced stiffness per unit of each load alone: 3 accelerations, 3 angular ones, the 9 of W,
 * then 6 of each node in `node`; loads that no row of /geometric speaks of have none. */
enum { FB_GEO_A = 0, FB_GEO_R = 3, FB_GEO_W = 6, FB_GEO_NODE = 15 };
typedef struct {
    int64_t n, nnode, *node; /* n = 15 + 6 nnode */
    double *K;               /* [n,m,m] */
} fb_geounits;
fb_status fb_geometric_units(const fb_model *b, fb_geounits *u, fb_err *e) FB_CHECKED;
void fb_geounits_free(fb_geounits *u);
#endif
