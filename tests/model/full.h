/* SPDX-License-Identifier: GPL-3.0-or-later */
/* full.h - full models as a stream holds them, made from the small finite-element models. */
#ifndef FB_TEST_FULL_H
#define FB_TEST_FULL_H
#include "tests/model/model.h"

/* Takes K, M and the places of t over: nodes 1.., three or six dofs a node (one, component 1, where
 * t has no places). */
void full_body(fb_model *b, test_model *t);
/* A random block; every seed another one. */
void full_block(fb_model *b, int seed);
/* Seed by seed a solid, a frame in space, and a plate; every seed another one. */
void full_any(fb_model *b, int seed);
#endif
