/* SPDX-License-Identifier: GPL-3.0-or-later */
/* follow.h - dofs that have neither mass nor load follow the others (follow.c). */
#ifndef FOLLOW_H
#define FOLLOW_H
#include "linalg/dense.h"
#include "linalg/factor.h"
#include "linalg/sparse.h"
#include "status.h"

typedef struct {
    int64_t nz, no, *z, *o; /* dofs that follow, and the others, ascending */
    fb_csc Kzo;             /* [nz x no] */
    fb_factor *F;           /* of Kzz; NULL: none follows */
    fb_mat x, y;            /* [nz], [no] room */
} fb_follow;

/* K, M [n x n] upper; loaded [n]: dofs that bear a load; node [n] for the ordering, may be NULL.
 * FB_ESOLVE: Kzz is singular. */
fb_status fb_follow_new(fb_follow *w, const fb_csc *K, const fb_csc *M, const char *loaded,
                        const int64_t *node, fb_err *e) FB_CHECKED;
/* x [n]: its dofs z follow. */
fb_status fb_follow_set(fb_follow *w, double *x, fb_err *e) FB_CHECKED;
void fb_follow_free(fb_follow *w);
#endif
