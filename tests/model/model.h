/* SPDX-License-Identifier: GPL-3.0-or-later */
/* model.h - small finite-element models made on the spot. */
#ifndef FB_TEST_MODEL_H
#define FB_TEST_MODEL_H
#include "flexbody.h"

typedef struct {
    fb_csc K, M;
    int64_t nn;    /* nodes; 0: the dofs have no place in space */
    double *xyz;   /* [nn,3] */
    int64_t *node; /* [ndof] */
} test_model;

void test_model_free(test_model *t);

/* Springs k between n masses m in a row; held: to walls at both ends, too.
 * free: lambda_j = 4 k/m sin^2(j pi/(2n)), j = 0..; held: sin^2(j pi/(2(n+1))), j = 1.. */
fb_status test_chain(test_model *t, int64_t n, double k, double m, int held, fb_err *e);
/* A strip of n unit masses in bending, K = D'D of second differences: all entries are integers.
 * free: two rigid motions; held on supports at 0 and n + 1: lambda_j = 16 sin^4(j pi/(2(n+1))), and
 * K^-1 = G^2, G_ij = min(i,j) (n + 1 - max(i,j))/(n + 1). */
fb_status test_strip(test_model *t, int64_t n, int held, fb_err *e);
/* A square net of n x n masses, each tied to its neighbours and the rim to walls: the roots are
 * sums of two roots of the held chain, so every pair i != j is double. */
fb_status test_net(test_model *t, int64_t n, double k, double m, fb_err *e);
/* A held chain of n and `count` equal oscillators on springs ko, masses mo, all tied to its middle
 * mass: ko/mo is a root of multiplicity count - 1, in which the chain rests. */
fb_status test_tuned(test_model *t, int64_t n, double k, double m, int64_t count, double ko,
                     double mo, fb_err *e);
/* A free steel block of nx x ny x nz hexahedra with 8 or 20 nodes and edges lx, ly, lz in m;
 * consistent mass, 3 dofs a node. */
fb_status test_solid(test_model *t, const int64_t cells[3], const double size[3], int nodes,
                     fb_err *e);
/* A free frame of aluminium rods, each node tied to the next and to some of those behind it;
 * consistent mass, six dofs a node; flat: in the plane z = 0. Every seed another one. */
fb_status test_frame(test_model *t, int64_t nodes, unsigned seed, int flat, fb_err *e);
/* A free flat steel plate of cells[0] x cells[1] shells, six dofs a node (shell.c). */
fb_status test_shell(test_model *t, const int64_t cells[2], const double size[2], double thickness,
                     fb_err *e);
/* The same model twice, side by side, uncoupled: every root is double. */
fb_status test_twice(test_model *t, const test_model *a, fb_err *e);
/* Rigid-body vectors of a model with 3 dofs a node: R [ndof x 6]. */
fb_status test_rigid(const test_model *t, fb_mat *R, fb_err *e);
#endif
