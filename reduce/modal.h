/* SPDX-License-Identifier: GPL-3.0-or-later */
/* modal.h - bodies held by modes: boundary conditions in the space of their modes. */
#ifndef MODAL_H
#define MODAL_H
#include "flexbody.h"

/* The dofs of the body's interface nodes, or of `list` (--interface, --masters). */
fb_status fb_modal_boundary(const fb_model *b, const char *option, const char *list, int64_t **dof,
                            int64_t *n, fb_log *log, fb_err *e) FB_CHECKED;

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
#endif
