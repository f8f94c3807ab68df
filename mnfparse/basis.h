/* SPDX-License-Identifier: GPL-3.0-or-later */
/* basis.h - columns of a file beside the model: a basis, loads, shapes with stress (basis.c). */
#ifndef BASIS_H
#define BASIS_H
#include "bytes.h"
#include "model.h"
#include "parts.h"

typedef enum { FB_COLUMN_BASIS, FB_COLUMN_LOAD, FB_COLUMN_SHAPE, FB_COLUMN_STRESS } fb_column;

/* Shapes as a file holds them: rows that are labelled, or those of the model's dofs in their
 * order. */
typedef struct {
    char name[256];  /* of the file, for messages */
    char matrix[80]; /* that they come from; "" */
    fb_column what;
    int along_axes; /* rows are along the displacement frames of the nodes, where these have any */
    int64_t m, n;
    double *x;                 /* [n][m] */
    int64_t *node, *component; /* [m], NULL: no labels */
} fb_basis;

/* From a stream: its /reduced/T, else its /modes, or its load vectors; in the units of b. */
fb_status fb_basis_of_stream(const fb_input *file, const fb_model *b, fb_basis *t,
                             fb_err *e) FB_CHECKED;
/* From what a reader found: modes, else the matrix of that name (NULL: the only one, or the only
 * one with a row for each dof of b and fewer columns; of loads that which Nastran calls so). Loads
 * are in units of force and become those of mass length / time^2 that the matrices have. */
fb_status fb_basis_of_parts(const fb_parts *p, const char *name, const fb_model *b, fb_basis *t,
                            fb_err *e) FB_CHECKED;
/* The shapes become b->basis, over the dofs of b; each of these needs a row. */
fb_status fb_basis_join(const fb_basis *t, fb_model *b, fb_log *log, fb_err *e) FB_CHECKED;
/* row[d] of each dof d of b, -1: none; [b->ndof]. */
fb_status fb_basis_rows(const fb_basis *t, const fb_model *b, int64_t *row, fb_err *e) FB_CHECKED;
/* Shapes along the displacement frames [nn,9] (parts.h) of the first nn nodes of b become basic, as
 * its matrices did. */
fb_status fb_basis_turn(fb_basis *t, const double *frame, int64_t nn, const fb_model *b,
                        fb_err *e) FB_CHECKED;
/* That m rows without labels are no rows of b. */
fb_status fb_basis_misfit(const fb_basis *t, int64_t m, const fb_model *b, fb_err *e) FB_CHECKED;
void fb_basis_free(fb_basis *t);
#endif
