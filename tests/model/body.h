/* SPDX-License-Identifier: GPL-3.0-or-later */
/* body.h - modal bodies for tests: random, but with the structure of real ones. */
#ifndef MODAL_BODY_H
#define MODAL_BODY_H
#include "flexbody.h"

/* A repeatable random number in [-1, 1). */
double random_real(uint64_t *state);

/* nn nodes at random places with masses and diagonal inertias, modes 1..6 rigid, the rest random
 * shapes made orthogonal in mass, Mr = 1, Kr = 0 for the rigid modes and rising for the others;
 * faces, interface nodes 1 and nn, stress on the first half of the nodes, statistics. Aborts where
 * memory is short. nm >= 6. */
void make_body(fb_model *b, int64_t nn, int64_t nm, uint64_t seed);
/* Fails where b has not all that make_body gave a, to the last bit. */
void same_body(const fb_model *a, const fb_model *b);
#endif
