/* SPDX-License-Identifier: GPL-3.0-or-later */
/* triplets.h - entries of a matrix, as the small models collect them (triplets.c). */
#ifndef TESTS_TRIPLETS_H
#define TESTS_TRIPLETS_H
#include "flexbody.h"

typedef struct {
    int64_t *i, *j, n;
    double *x;
} triplets;

/* Room for n; what was made before a failure is freed by triplets_free, too. */
fb_status triplets_new(triplets *t, int64_t n, fb_err *e);
void triplets_free(triplets *t);
/* A := Q A Q' of a symmetric matrix, of which the upper half is held; Q at every three dofs. */
fb_status turn_blocks(fb_csc *A, const double Q[3][3], fb_err *e);
#endif
