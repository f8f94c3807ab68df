/* SPDX-License-Identifier: GPL-3.0-or-later */
/* verdict.h - damping of the reduced body, and what can be said of it: /verdict, /participation. */
#ifndef VERDICT_H
#define VERDICT_H
#include "method.h"

/* Adds to b->Dr: "ALPHA,BETA" of D += alpha M + beta K; "0.02" or "7:0.01,8-12:0.02" of the damping
 * ratios of the reduced body's own modes, numbered as /reduced/frequency. Either may be NULL. */
fb_status fb_damping(fb_model *b, const char *rayleigh, const char *modal, fb_log *log,
                     fb_err *e) FB_CHECKED;

/* Fills the fields of /verdict and /participation and says them on -v; after the reduction is part
 * of the model, whose K and M may be absent (a body held by modes). check, load: as the method left
 * them. */
fb_status fb_verdict(fb_model *b, const fb_modecheck *check, const int64_t *load, int64_t nload,
                     fb_log *log, fb_err *e) FB_CHECKED;
/* --check: the frequencies of the full model beside those of the reduced one. */
fb_status fb_verdict_compare(fb_model *b, const fb_reduceopt *o, fb_log *log, fb_err *e) FB_CHECKED;
#endif
