/* SPDX-License-Identifier: GPL-3.0-or-later */
/* factor_engine.h - what an engine of fb_factor is: a file, and a row in factor.c. */
#ifndef FB_FACTOR_ENGINE_H
#define FB_FACTOR_ENGINE_H
#include "dense.h"
#include "factor.h"
#include "sparse.h"
#include "status.h"
#include <stddef.h>
#include <stdint.h>

enum { FB_FORWARD = 1, FB_BACKWARD = 2, FB_BOTH = 3 }; /* halves of a solve */

typedef struct {
    /* X := S \ X, or a half of it; X is [n x k], not empty. */
    fb_status (*solve)(fb_factor *F, int halves, fb_mat *X, fb_err *e);
    /* The same for rows in the order of elimination; NULL: the engine has no half solves. */
    fb_status (*rows)(fb_factor *F, int halves, double *R, int64_t k, fb_err *e);
    /* Y := L^-1 P M P' L^-T X,  X := L^-T X, rows; M as `couple` leaves it, or NULL, which it does
     * where M does not suit. NULL where rows is. */
    fb_status (*couple)(fb_factor *F, const fb_csc *M, fb_coupling **c, fb_err *e);
    void (*congruence)(fb_factor *F, const fb_coupling *c, double *X, double *Y);
    const int64_t *(*order)(const fb_factor *F); /* NULL where rows is */
    void (*free)(fb_factor *F);                  /* what the engine has, not F itself */
    void (*version)(char *out, size_t n);
} fb_factor_engine;
extern const fb_factor_engine fb_factor_cholmod, fb_factor_mumps;
extern int fb_mumps_world;

/* Stands first in the engine's own struct. */
struct fb_factor {
    const fb_factor_engine *engine;
    int64_t n;
    fb_forecast forecast;
    fb_inertia_count inertia;
    fb_log *log; /* may be NULL */
};

/* A zeroed struct of an engine, of size bytes. */
fb_status fb_factor_alloc(fb_factor **F, size_t size, const fb_factor_engine *engine, int64_t n,
                          fb_err *e) FB_CHECKED;
/* S = K - sigma M; with own = 0 a view of K that must not be freed. */
fb_status fb_factor_shifted(const fb_csc *K, const fb_csc *M, double sigma, fb_csc *S, int *own,
                            fb_err *e) FB_CHECKED;
double fb_factor_limit(const fb_factor_opts *opts); /* GiB */
/* FB_ESYS with the GiB needed when the forecast is above the limit. */
fb_status fb_factor_fits(const fb_forecast *f, int64_t n, const char *what, fb_err *e) FB_CHECKED;
#endif
