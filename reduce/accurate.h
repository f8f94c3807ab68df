/* SPDX-License-Identifier: GPL-3.0-or-later */
/* accurate.h - the smallest order within a tolerance (accurate.c). */
#ifndef ACCURATE_H
#define ACCURATE_H
#include "method.h"

typedef struct {
    double *tries; /* [n,3] order, errors of frequencies and of static answers */
    int64_t n, cap, worst_mode;
    double *compared; /* [ncompared,2] Hz of the body and of the reduced one */
    int64_t ncompared;
} fb_accuracy;

/* The method m at the smallest order whose frequencies up to o->accurate_to, and static answers to
 * unit loads at the boundary, are within o->tolerance. FB_NO where no order is, with the errors
 * reached. */
fb_status fb_accurate_full(const fb_method *m, const fb_model *b, const fb_reduceopt *o,
                           fb_reduction *r, fb_accuracy *a, fb_log *log, fb_err *e) FB_CHECKED;
fb_status fb_accurate_modal(const fb_method *m, const fb_model *b, const fb_reduceopt *o,
                            fb_reduction *r, fb_accuracy *a, fb_log *log, fb_err *e) FB_CHECKED;
void fb_accuracy_free(fb_accuracy *a);
#endif
