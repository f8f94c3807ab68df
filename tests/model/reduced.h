/* SPDX-License-Identifier: GPL-3.0-or-later */
/* reduced.h - reduced bodies for tests of the exporters, made from those of body.h. */
#ifndef REDUCED_H
#define REDUCED_H
#include "tests/model/body.h"

/* nm elastic modes, no rigid ones, as a reduced body: T, Kr, Mr = 1, a damping, invariants. */
void make_held(fb_model *b, int64_t nn, int64_t nm, uint64_t seed);
/* Craig-Bampton of a free body over both interface nodes: 12 constraint modes and nm normal ones, a
 * damping, invariants. nn >= 4. */
void make_constrained(fb_model *b, int64_t nn, int64_t nm, uint64_t seed);
#endif
