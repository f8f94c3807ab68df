/* SPDX-License-Identifier: GPL-3.0-or-later */
/* front.h - how the work of a front is cut in pieces: what front.c does, and schedule.c counts. */
#ifndef FB_FRONT_H
#define FB_FRONT_H
#include "snode.h"

enum {
    FB_FRONT_STRIP = 128, /* columns of an update matrix stored together: half the memory of a
                             square */
    FB_FRONT_SLICE = 32,  /* columns of a diagonal block done together: what is above is done in
                             vain */
    FB_FRONT_PANEL = 64,  /* columns eliminated together in (FR.3)                             */
    FB_FRONT_WIDE = 192,  /* columns eliminated together in (FR.2)                             */
    FB_FRONT_TALL = 256,  /* rows of a strip that are one piece of work, at least              */
    FB_FRONT_CHUNK = 128  /* rows below a panel that are one, at least                         */
};

/* Rows of a piece: two pieces a thread even out, and a strip is not cut finer than that. */
static inline int64_t fb_front_rows(int threads, int64_t rows, int64_t least)
{
    const int64_t each = threads > 1 ? (rows + 2 * threads - 1) / (2 * threads) : rows;
    return each > least ? each : least;
}

/* The schedule of (FR.2) on so many threads, counted. */
typedef struct {
    double work; /* flops in all                                                    */
    double path; /* of the thread that ends last, waiting for the others included   */
} fb_schedule;
fb_status fb_front_schedule(const fb_snodes *L, int threads, fb_schedule *z, fb_err *e) FB_CHECKED;

#endif
