/* SPDX-License-Identifier: GPL-3.0-or-later */
/* parts.h - what readers hand over: the pieces of one model, from one file or many. assemble.c
 * joins them by label into an fb_model. */
#ifndef PARTS_H
#define PARTS_H
#include "flexbody.h"

typedef enum { /* what a matrix is for; readers deduce it from its name where the format says so */
    FB_ROLE_UNKNOWN,
    FB_ROLE_STIFFNESS,
    FB_ROLE_MASS,
    FB_ROLE_DAMPING,            /* viscous */
    FB_ROLE_STRUCTURAL_DAMPING, /* K4, imaginary stiffness */
    FB_ROLE_OTHER               /* named, counted by --info, not used */
} fb_role;

typedef struct { /* one label per row (or column) of a matrix; NULL where the format has none */
    int64_t *node, *component, *class; /* [n]; class NULL: all physical */
} fb_labels;

typedef struct { /* one matrix as a file holds it */
    char      name[80];   /* KAAX, STIF1, ...; "" where the format has no names */
    char      origin[256]; /* file, for messages */
    fb_role   role;
    fb_csc    A;          /* upper: the format says symmetric, one half kept */
    double   *imag;       /* [nnz] imaginary parts, or NULL */
    int64_t   stored;     /* entries in the file, explicit zeros and both halves counted; 0: not told */
    fb_labels row, col;   /* col.node NULL: as the rows (square matrices) */
} fb_matrix;

typedef struct { /* a named node (or dof) set of the input */
    char     name[80];
    int64_t  n, *node, *component; /* component NULL: all dofs of the nodes; else 1..6, 0 scalar */
} fb_set;

typedef struct { /* a dof order that a file gives for matrices without labels of their own */
    char      name[80];    /* EXTRN, VAX, USET a-set, EQEXIN g-set, ... */
    char      origin[256]; /* file */
    int       rank;        /* of two orders of one length, the one of lower rank holds */
    int64_t   n;
    fb_labels dof;         /* [n] */
} fb_row_order;

typedef struct {
    fb_model   body;      /* what modal formats fill directly: nodes, modes, units, ... */
    fb_matrix *matrix;
    int64_t    nmatrix, cap_matrix;
    fb_set    *set;
    int64_t    nset, cap_set;
    /* Node coordinates from decks (body.xyz is filled by the assembly). */
    int64_t    nn, cap_node, cap_xyz, cap_frame;
    int64_t   *node_id;   /* [nn]   */
    double    *xyz;       /* [nn,3] in the basic system */
    double    *frame;     /* [nn,9] columns: axes of the node's displacement frame; NULL: basic */
    /* A dof table that comes in a file of its own (CalculiX .dof, Ansys .mapping, --dof-table). */
    fb_labels  table;
    int64_t    ntable;
    fb_row_order  *order;     /* what fb_parts_label chooses from */
    int64_t    norder, cap_order;
    int        include_outside; /* INCLUDE may leave the deck's folder (--include-outside) */
} fb_parts;

void fb_parts_free(fb_parts *p);
/* A zeroed entry at the end of the list, owned by p. */
fb_status fb_parts_matrix(fb_parts *p, const char *name, const char *origin, fb_role role,
                          fb_matrix **out, fb_err *e) FB_CHECKED;
fb_status fb_parts_set(fb_parts *p, const char *name, fb_set **out, fb_err *e) FB_CHECKED;
/* Adds a node; frame [9] may be NULL. The same number twice is found by the assembly. */
fb_status fb_parts_node(fb_parts *p, int64_t id, const double xyz[3], const double *frame,
                        fb_err *e) FB_CHECKED;
/* An empty order at the end of the list; the caller fills n and dof. */
fb_status fb_parts_order(fb_parts *p, const char *name, const char *origin, int rank, fb_row_order **out,
                         fb_err *e) FB_CHECKED;
/* Once all files are read: gives square matrices without labels those of the order that fits
 * (same file first, then by rank; two that differ are none, with a warning), and marks scalar
 * dofs and those of the set QSET as generalized. */
fb_status fb_parts_label(fb_parts *p, fb_log *log, fb_err *e) FB_CHECKED;
/* Joins everything into one model; p is emptied of what the model takes. */
fb_status fb_parts_assemble(fb_parts *p, fb_model *b, fb_log *log, fb_err *e) FB_CHECKED;
#endif
