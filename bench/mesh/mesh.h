/* SPDX-License-Identifier: GPL-3.0-or-later */
/* mesh.h - finite-element models of any size for the benchmarks, made on the spot: steel, SI. */
#ifndef MESH_H
#define MESH_H
#include "flexbody.h"

enum { MESH_NODES = 20, MESH_DOFS = 60 }; /* of an element, at the most */

typedef struct {
    const char *name, *doc;
    const char *deck; /* the element of the same equations in CalculiX, or NULL */
    int nodes;        /* of an element */
    int dofs;         /* of a node: 3, or 6 with rotations */
    int step;         /* lattice points along the edge of a cell */
    /* Ke and Me [nd x nd] of the element with its nodes at X; nd = nodes dofs; where dofs = 3, Me
     * holds m of each pair of nodes in row 3a, column 3b. */
    void (*matrices)(int nodes, const double (*X)[3], double *Ke, double *Me);
} mesh_kind;
extern const mesh_kind mesh_kinds[]; /* ends with a zero name */
const mesh_kind *mesh_find(const char *name);

typedef struct { /* what the model shall be */
    const mesh_kind *kind;
    int64_t cells[3];
    int64_t
        thick;   /* an angle with arms of so many cells, along x and along z; 0: the whole block */
    double edge; /* of a cell, before the warp, m */
    double warp; /* 1: bent and tapered, so that no symmetry makes roots equal; 0: straight */
} mesh_spec;

typedef struct {
    const mesh_kind *kind;
    int64_t nn, ne;
    double *xyz;    /* [nn,3] */
    int64_t *v;     /* [ne,nodes] positions in xyz */
    int64_t *place; /* [nn,3] lattice point of each node */
    int64_t far[3]; /* the last lattice point */
} mesh;

fb_status mesh_make(mesh *m, const mesh_spec *spec, fb_err *e) FB_CHECKED;
void mesh_free(mesh *m);
/* K and M (upper), dofs node by node. */
fb_status mesh_assemble(const mesh *m, fb_csc *K, fb_csc *M, fb_err *e) FB_CHECKED;
/* n nodes, half of them about the middle of one end and half about that of the other: z = 0 .. and
 * x = .. of an angle, the two faces across x of a block. Ascending. */
fb_status mesh_ends(const mesh *m, const mesh_spec *spec, int64_t n, int64_t **node,
                    fb_err *e) FB_CHECKED;
/* CalculiX' input: frequencies with those nodes held. */
void mesh_deck(const mesh *m, const int64_t *held, int64_t nheld, int64_t modes, fb_buf *out);
/* The lower half A as Abaqus' *MATRIX GENERATE writes it, by columns, 15 digits, so many dofs a
 * node. */
void mesh_matrix(const fb_csc *A, int64_t dofs, fb_buf *out);

/* Elements: solid.c, thin.c */
void mesh_hexahedron(int nodes, const double (*X)[3], double *Ke, double *Me); /* 8 or 20 */
void mesh_tetrahedron(int nodes, const double (*X)[3], double *Ke,
                      double *Me); /* 4 or 10, straight edges */
void mesh_plate(int nodes, const double (*X)[3], double *Ke, double *Me); /* a flat rectangle */
void mesh_beam(int nodes, const double (*X)[3], double *Ke, double *Me);
extern const int mesh_hex[20][3]; /* the nodes of a hexahedron, -1, 0, 1 */

#define MESH_E       210e9 /* N/m^2 */
#define MESH_NU      0.3
#define MESH_RHO     7850. /* kg/m^3 */
#define MESH_PLATE_T 2e-3  /* thickness of the plate, m */
#define MESH_BEAM_R  2e-3  /* radius of the beams, m */
#endif
