/* SPDX-License-Identifier: GPL-3.0-or-later */
/* inertia.h - the eleven inertia invariants of the floating frame of reference. */
#ifndef INERTIA_H
#define INERTIA_H
#include "linalg/sparse.h"
#include "model.h"
#include "status.h"

/* Fills b->I[1..11] from nodal masses, nodal inertias and the shapes T [ndof x m], m = b->nr.
 * A body without nodal masses is an error (FB_EFORMAT). */
fb_status fb_invariants_nodal(fb_model *b, const double *T, fb_err *e) FB_CHECKED;

/* The same with a mass matrix between the nodes, Ms [nn x nn] upper; NULL: nodal masses. Positions
 * count from c. */
fb_status fb_invariants_sums(fb_model *b, const double *T, const fb_csc *Ms, const double c[3],
                             fb_err *e) FB_CHECKED;

/* From the mass matrix of a full model (full.c); K is wanted where dofs have no geometry, and may
 * be absent else. mass: what moves along x, y, z. Says on -v what I10 and I11 leave out. */
fb_status fb_invariants_full(fb_model *b, double mass[3], fb_log *log, fb_err *e) FB_CHECKED;

/* Coordinate k times this has the generalized mass 1, the larger of Mr and I6; 0 where it has none.
 * What is measured so depends neither on units nor on how coordinates are scaled. */
double fb_invariants_scale(const fb_model *b, int64_t k);

/* Largest |I6 - Mr| of coordinates of mass 1: how well the nodal masses carry the generalized
 * mass. */
double fb_invariants_mass_error(const fb_model *b);

/* The invariant that is furthest from what the input prints (/reference), and by how much of its
 * largest printed entry; 0 where the input prints none. Only for the input's own modes (no
 * /reduced/T). */
int fb_invariants_reference(const fb_model *b, double *error);
#endif
