/* SPDX-License-Identifier: GPL-3.0-or-later */
/* verdict.h - damping of the reduced body, and what can be said of it: /verdict, /participation. */
#ifndef VERDICT_H
#define VERDICT_H
#include "method.h"

/* Adds to b->Dr: "ALPHA,BETA" of D += alpha M + beta K; "0.02" or "7:0.01,8-12:0.02" of the damping
 * ratios of the reduced body's own modes, numbered as /reduced/frequency. Either may be NULL. */
/* Their form alone, before anything is computed. */
fb_status fb_damping_check(const char *rayleigh, const char *modal, fb_err *e) FB_CHECKED;
fb_status fb_damping(fb_model *b, const char *rayleigh, const char *modal, fb_log *log,
                     fb_err *e) FB_CHECKED;

/* The poles of the reduced body at a speed in rad/s, where it has damping or a gyroscopic matrix:
 * fills the fields of /poles, says them on -v, warns of those that are unstable (poles.c). */
fb_status fb_poles(fb_model *b, double rad_s, fb_log *log, fb_err *e) FB_CHECKED;
/* b->Dr takes b->Sr over as viscous damping of the same loss at each mode. */
fb_status fb_structural_as_viscous(fb_model *b, fb_log *log, fb_err *e) FB_CHECKED;

/* Fills the fields of /verdict and /participation and says them on -v; after the reduction is part
 * of the model, whose K and M may be absent (a body held by modes). check, load: as the method left
 * them. */
fb_status fb_verdict(fb_model *b, const fb_modecheck *check, const int64_t *load, int64_t nload,
                     fb_log *log, fb_err *e) FB_CHECKED;
/* --check: the frequencies of the full model beside those of the reduced one. */
fb_status fb_verdict_compare(fb_model *b, const fb_reduceopt *o, fb_log *log, fb_err *e) FB_CHECKED;
#endif
