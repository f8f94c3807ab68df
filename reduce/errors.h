/* SPDX-License-Identifier: GPL-3.0-or-later */
/* errors.h - what a definite factor left of many answers, found in few directions (errors.c). */
#ifndef FB_ERRORS_H
#define FB_ERRORS_H
#include "linalg/dense.h"
#include "linalg/factor.h"
#include "linalg/sparse.h"

/* L := the loads X where they are mostly zeros; else L->p stays NULL. */
fb_status fb_loads_sparse(const fb_mat *X, fb_csc *L, fb_err *e) FB_CHECKED;
/* Corrects the answers X to the loads L, F the factor of K that gave them. *good = 1: no more than
 * 1e-11 is wrong of any; 0: that could not be shown, and X is as it was. */
fb_status fb_answers_correct(const fb_csc *K, fb_factor *F, const fb_csc *L, fb_mat *X, int *good,
                             fb_err *e) FB_CHECKED;
#endif
