/* SPDX-License-Identifier: GPL-3.0-or-later */
/* modal.h - bodies held by modes: what the methods share. */
#ifndef MODAL_H
#define MODAL_H
#include "method.h"
#include "span.h"

/* The body's own modes become its coordinates: Kq = diag(w2) ascending, 0 for rigid motion, Mq = 1;
 * dependent modes are left out, with a warning that names them. N [nm before x nm after] brings
 * them back to the input's. The functions below, and the methods, want a body like this. */
fb_status fb_modal_own(fb_model *b, fb_mat *N, fb_log *log, fb_err *e) FB_CHECKED;

/* The dofs of the body's interface nodes, or of `list` (--interface, --masters). */
fb_status fb_modal_boundary(const fb_model *b, const char *option, const char *list, int64_t **dof,
                            int64_t *n, fb_log *log, fb_err *e) FB_CHECKED;
/* The masters of Guyan, IRS and LSMR: --masters, else the boundary. Their number must be the order,
 * if one is asked for. */
fb_status fb_modal_masters(const fb_model *b, const fb_reduceopt *o, const char *method,
                           int64_t **dof, int64_t *n, fb_log *log, fb_err *e) FB_CHECKED;
/* Their rows of the mode shapes, B [n x nm]. */
fb_status fb_modal_rows(const fb_model *b, const int64_t *dof, int64_t n, fb_mat *B,
                        fb_err *e) FB_CHECKED;

/* The modal space split by nb boundary dofs: constraint vectors Psi [nm x nb], each with unit
 * displacement at its own dof, and interior vectors Phi [nm x (nm - nb)] with Phi' Mq Phi = I,
 * Phi' Kq Phi = diag(w2), w2 [nm - nb] ascending. Dependent boundary dofs are an error that names
 * them. */
typedef struct {
    fb_mat Psi, Phi;
    double *w2;
} fb_modalsplit;

fb_status fb_modal_split(const fb_model *b, const int64_t *dof, int64_t nb, fb_modalsplit *out,
                         fb_log *log, fb_err *e) FB_CHECKED;
void fb_modal_split_free(fb_modalsplit *t);

/* Holds the dofs at zero: the held body's own modes become the coordinates, N [nm x (nm - n)]
 * brings them back to the old ones; the dofs' class becomes "fixed". */
fb_status fb_modal_hold(fb_model *b, const int64_t *dof, int64_t n, fb_mat *N,
                        fb_err *e) FB_CHECKED;
/* How many of the w2 are rigid motion: exactly zero. */
int64_t fb_modal_rigid(const double *w2, int64_t n);
/* The eigenvalues of the body, w2 [nm] ascending. */
fb_status fb_modal_eigenvalues(const fb_model *b, double **w2, fb_err *e) FB_CHECKED;
/* The group of equal roots that mode k (from 1) of n is in: from *first (from 0) to before the
 * value. */
int64_t fb_modal_group(const double *w2, int64_t n, int64_t k, int64_t *first);

/* How many of the n modes with ascending w2 the user asks for by --order (less the nb other
 * coordinates), --modes or --fmax; all n at most, with a warning ("... the body has 8 interior
 * ones"). w2 may be NULL without --fmax. */
fb_status fb_modal_wanted(const fb_model *b, const fb_reduceopt *o, const double *w2, int64_t n,
                          int64_t nb, const char *what, int64_t *k, fb_log *log,
                          fb_err *e) FB_CHECKED;

/* The reduction by V, which is consumed: nb boundary coordinates, which are those of dof [nb], the
 * others of the kind given. */
fb_status fb_modal_reduction_take(const fb_model *b, fb_mat *V, const int64_t *dof, int64_t nb,
                                  fb_kind others, fb_reduction *r, fb_err *e) FB_CHECKED;

/* The frequencies of the pair r->K, r->M against those of its basis r->V, which does not square the
 * condition: a warning where they differ, an error where they differ much. */
fb_status fb_modal_prove(const fb_model *b, const fb_reduction *r, fb_log *log,
                         fb_err *e) FB_CHECKED;
/* Eigenvectors as coordinates (fb_reduction_orthonormalize), from the basis, not from the pair. */
fb_status fb_modal_orthonormalize(const fb_model *b, fb_reduction *r, fb_err *e) FB_CHECKED;

/* Orthonormal interior vectors Y [(nm - nb) x k] in terms of t->Phi take its place by their Ritz
 * vectors: Phi := Phi Y, w2 with them (span.c); Y is consumed. */
fb_status fb_modal_ritz_take(fb_modalsplit *t, fb_span *Y, fb_err *e) FB_CHECKED;
/* t->Phi, t->w2 become those of the modes whose boundary dofs of --free-boundary are free
 * (mixed.c): k of them, or by --fmax where k < 0; *nn of them and attachment vectors. */
fb_status fb_modal_mixed(const fb_model *b, const fb_reduceopt *o, const int64_t *dof,
                         fb_modalsplit *t, int64_t *nn, fb_log *log, fb_err *e) FB_CHECKED;
/* Constraint modes of dof[] and the k interior modes keep[] (cb.c). */
fb_status fb_modal_hybrid(const fb_model *b, const fb_modalsplit *t, const int64_t *dof,
                          const int64_t *keep, int64_t k, fb_reduction *r, fb_log *log,
                          fb_err *e) FB_CHECKED;
#endif
