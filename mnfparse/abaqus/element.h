/* SPDX-License-Identifier: GPL-3.0-or-later */
/* element.h - what Abaqus and CalculiX call their elements. */
#ifndef ABAQUS_ELEMENT_H
#define ABAQUS_ELEMENT_H
#include "elements.h"

enum { ABA_NODES = 32 }; /* at the most in a data line that counts */

/* What CalculiX makes solids of. */
typedef enum { ABA_SOLID, ABA_LINE, ABA_PLANE } aba_expanded;

typedef struct {
    fb_topology topology;
    aba_expanded expanded; /* ABA_LINE: beams, trusses, shells, membranes; ABA_PLANE */
} aba_type;

aba_type aba_type_of(const char *name);
/* The n nodes of a data line in the order of fb_element_kinds; those that it lacks are 0. */
void aba_order(fb_topology t, const int64_t *line, int n, int64_t node[FB_ELEMENT_NODES]);
#endif
