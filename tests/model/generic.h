/* SPDX-License-Identifier: GPL-3.0-or-later */
/* generic.h - a body in which nothing is simple, for everything that reads, writes, moves or sums
 * one: what a beam along x, a symmetric body, a unit of one, a single node and an identity frame
 * would hide. */
#ifndef GENERIC_H
#define GENERIC_H
#include "tests/model/body.h"

enum {
    GENERIC_NODES = 8,
    GENERIC_MODES = 9,
    GENERIC_ORDER = 5,
    GENERIC_CONNECTORS = 3,
    GENERIC_STRESS = 4
};

/* Held, reduced from 9 modes to 5 coordinates (V, T, stress of the modes), M = 1, K full, D of any
 * form; 8 nodes with numbers in no order at random places off the origin, masses and inertias with
 * products; three connectors with oblique axes, in an order of their own; faces of 3, 4, 2 and 5
 * nodes; stress of four nodes. units: SI, mm-t-s, ...; no invariants. The numbers are those of its
 * own units. */
void make_generic(fb_model *b, const char *units, uint64_t seed);

/* The same with 15 coordinates in no order: 12 displacements of dofs of three nodes (6, 4 and 2 of
 * them), 3 modal ones; K and M full. generic_label[k]: node and component, or 0 and the number of
 * the modal coordinate; generic_scale[k]: the displacement per unit of the coordinate. */
enum { GENERIC_COORDINATES = 15 };
extern const int64_t generic_label[GENERIC_COORDINATES][2];
extern const double generic_scale[GENERIC_COORDINATES];
void make_generic_boundary(fb_model *b, const char *units, uint64_t seed);
/* I1..I11 as sums over nodal masses, by their definitions and nothing else (not of the code under
 * test): I[k] to be freed, I[0] NULL. */
void generic_invariants(const fb_model *b, double *I[12]);
#endif
