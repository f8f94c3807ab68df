/* SPDX-License-Identifier: GPL-3.0-or-later */
/* modal.h - bodies held by modes: what the methods share. */
#ifndef MODAL_H
#define MODAL_H
#include "method.h"

/* The dofs of the body's interface nodes, or of `list` (--interface, --masters). */
fb_status fb_modal_boundary(const fb_model *b, const char *option, const char *list, int64_t **dof,
                            int64_t *n, fb_log *log, fb_err *e) FB_CHECKED;
/* The masters of Guyan and LSMR: --masters, else the boundary. Their number must be the order, if one
 * is asked for. */
fb_status fb_modal_masters(const fb_model *b, const fb_reduceopt *o, const char *method, int64_t **dof,
                           int64_t *n, fb_log *log, fb_err *e) FB_CHECKED;
/* Their rows of the mode shapes, B [n x nm]. */
fb_status fb_modal_rows(const fb_model *b, const int64_t *dof, int64_t n, fb_mat *B, fb_err *e) FB_CHECKED;

/* The modal space split by nb boundary dofs: constraint vectors Psi [nm x nb], each with unit
 * displacement at its own dof, and interior vectors Phi [nm x (nm - nb)] with Phi' Mq Phi = I,
 * Phi' Kq Phi = diag(w2), w2 [nm - nb] ascending. Dependent boundary dofs are an error that names
 * them. */
typedef struct {
    fb_mat  Psi, Phi;
    double *w2;
} fb_modalsplit;

fb_status fb_modal_split(const fb_model *b, const int64_t *dof, int64_t nb, fb_modalsplit *out,
                         fb_log *log, fb_err *e) FB_CHECKED;
void fb_modal_split_free(fb_modalsplit *t);

/* Holds the dofs at zero: the body's modes, K, M and D become those of the held body, whose modes
 * are the columns of N [nm x (nm - n)] in terms of the old ones; the dofs' class becomes "fixed". */
fb_status fb_modal_hold(fb_model *b, const int64_t *dof, int64_t n, fb_mat *N, fb_err *e) FB_CHECKED;
/* The body's own modes: Kq V = Mq V diag(w2), V' Mq V = I, w2 [nm] ascending. */
fb_status fb_modal_eigen(const fb_model *b, double **w2, fb_mat *V, fb_err *e) FB_CHECKED;
/* How many of the ascending w2 are rigid motion. */
int64_t fb_modal_rigid(const double *w2, int64_t n);

/* How many of the n modes with ascending w2 the user asks for by --order (less the nb other
 * coordinates), --modes or --fmax; all n at most, with a warning ("... the body has 8 interior ones").
 * w2 may be NULL without --fmax. */
fb_status fb_modal_wanted(const fb_model *b, const fb_reduceopt *o, const double *w2, int64_t n, int64_t nb,
                          const char *what, int64_t *k, fb_log *log, fb_err *e) FB_CHECKED;

/* The reduction by V, which is consumed: nb boundary coordinates, the others of the kind given. */
fb_status fb_modal_reduction_take(const fb_model *b, fb_mat *V, int64_t nb, fb_kind others,
                                  fb_reduction *r, fb_err *e) FB_CHECKED;

/* Constraint modes and the k interior modes keep[] (cb.c). */
fb_status fb_modal_hybrid(const fb_model *b, const fb_modalsplit *t, const int64_t *keep, int64_t k,
                          fb_reduction *r, fb_log *log, fb_err *e) FB_CHECKED;
#endif
