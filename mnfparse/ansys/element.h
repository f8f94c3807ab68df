/* SPDX-License-Identifier: GPL-3.0-or-later */
/* element.h - Ansys' elements and axes of nodes, in archives and in binary files. */
#ifndef ANSYS_ELEMENT_H
#define ANSYS_ELEMENT_H
#include "elements.h"
#include "status.h"
#include <stdint.h>

/* Adds an element of a type "186", "SOLID186", ...; types that draw nothing are passed over,
 * unknown ones counted. A node 0 is left out. */
fb_status ans_element(fb_elements *x, int64_t id, const char *type, const int64_t *node, int64_t n,
                      fb_err *e) FB_CHECKED;
/* F [3,3] by rows, its columns the axes of a node:
 *   (AE.1) u = Rz(THXY) Rx(THYZ) Ry(THZX) u_node, degrees */
void ans_axes(const double angle[3], double F[9]);
#endif
