/* SPDX-License-Identifier: GPL-3.0-or-later */
/* full.h - bodies with a stiffness and a mass matrix of their own: what the methods share. */
#ifndef FULL_H
#define FULL_H
#include "linalg/dense.h"
#include "linalg/factor.h"
#include "linalg/modes.h"
#include "linalg/sparse.h"
#include "linalg/sparse_ops.h"
#include "model.h"
#include "status.h"
#include "method.h"
#include "span.h"

/* The equations of a full model: its dofs but those that are held (class fixed) and those that have
 * neither stiffness nor mass. */
typedef struct {
    const fb_model *b;
    const fb_reduceopt *o;
    fb_log *log;
    int64_t n, *dof; /* [n] positions in /dofs, ascending        */
    int64_t *at;     /* [ndof] equation of each dof, -1: none    */
    int64_t nmult;   /* multipliers among them                   */
    fb_csc K, M;     /* [n x n] upper                            */
    int own;         /* K and M are not the model's              */
    int labelled;    /* nodes tell the ordering what is together */
    int64_t *order;  /* [n] equations as they are best eliminated, NULL: not known */
} fb_full;

fb_status fb_full_new(fb_full *f, const fb_model *b, const fb_reduceopt *o, fb_log *log,
                      fb_err *e) FB_CHECKED;
void fb_full_free(fb_full *f);
/* K and M are wanted no more: they are freed, the model's too where it lends them. */
void fb_full_spare(fb_full *f);
/* The nodes of the equations eq [n] (NULL: all) in *node where they tell the ordering, else none.
 * */
fb_status fb_full_nodes(const fb_full *f, const int64_t *eq, int64_t n, int64_t **node,
                        fb_err *e) FB_CHECKED;
/* f->order, where K and M let one order do for both. */
fb_status fb_full_order_all(fb_full *f, fb_err *e) FB_CHECKED;
/* The order in which the equations eq [n] (NULL: all), numbered 0 .. n-1, are eliminated, from that
 * of all: one nested dissection serves the mass, the interior and the whole. *order stays NULL
 * where none is known. */
fb_status fb_full_order(const fb_full *f, const int64_t *eq, int64_t n, int64_t **order,
                        fb_err *e) FB_CHECKED;
/* The same where a boundary is left out; none where that is so large that a new one is better. */
fb_status fb_full_order_of_rest(const fb_full *f, const int64_t *eq, int64_t n, int64_t **order,
                                fb_err *e) FB_CHECKED;
/* Motions Z [n x k] that have neither stiffness nor mass, k = 0 where there is none; sigma < 0 is
 * far below every root. */
fb_status fb_full_massless(const fb_full *f, const fb_csc *K, const fb_csc *M, double sigma,
                           fb_mat *Z, fb_err *e) FB_CHECKED;
/* Of motions Z, as many dofs p [Z->n] as hold all of them (mass.c). */
fb_status fb_full_pins(const fb_csc *K, const fb_mat *Z, int64_t *p, fb_err *e) FB_CHECKED;
/* *root := max_j r_j / (c M_jj) over the dofs with mass, 0: none; r [n] what `measure` makes of K:
 * its row sums or its diagonal (mass.c). */
fb_status fb_full_largest(const fb_csc *K, const fb_csc *M,
                          void (*measure)(const fb_csc *, double *), double c, double *root,
                          fb_err *e) FB_CHECKED;
/* A root that no motion of the model has the double of, rad^2 over time^2; 0: not known (mass.c).
 * */
fb_status fb_full_highest(const fb_model *b, double *root, fb_err *e) FB_CHECKED;
/* A mass matrix that is not semidefinite is refused, by name of the dof (mass.c); fb_full_new asks
 * it. */
fb_status fb_full_mass_check(const fb_full *f, fb_err *e) FB_CHECKED;
/* Stiffness and mass that stand in each other's place are refused; a warning where they may
 * (exchanged.c); fb_full_new asks it. */
fb_status fb_full_exchanged(const fb_full *f, fb_err *e) FB_CHECKED;
/* "node.component" of an equation, for messages. */
const char *fb_full_name(const fb_full *f, int64_t eq, char text[48]);
/* " 1.1 1.2 ... (20 in all)" */
void fb_full_names(const fb_full *f, const int64_t *eq, int64_t n, char *text, size_t size);
/* The equations of dofs that an option lists. */
fb_status fb_full_named(const fb_full *f, const char *option, const char *list, int64_t **eq,
                        int64_t *n, fb_err *e) FB_CHECKED;
int fb_full_has_boundary(const fb_full *f);
/* The equations of --interface, else of /interface/dof, else of the interface nodes. */
fb_status fb_full_boundary(const fb_full *f, int64_t **eq, int64_t *n, fb_err *e) FB_CHECKED;
/* The equations of Guyan's, IRS' and LSMR's masters: --masters, else the boundary, filled up to the
 * order by the dofs with the lowest K_jj/M_jj (masters.c). named: how many of them were not chosen
 * so, or NULL. */
fb_status fb_full_masters(const fb_full *f, const char *method, int64_t **eq, int64_t *n,
                          int64_t *named, fb_err *e) FB_CHECKED;

/* The model split at nb equations b into those and the interior i. */
typedef struct {
    const fb_full *f;
    int64_t nb, ni, *b, *i; /* b in the order named, i ascending */
    int64_t nmult;          /* multipliers in the interior       */
    fb_blocks K, M;
} fb_split;

/* Takes b over. */
fb_status fb_split_new_take(fb_split *t, const fb_full *f, int64_t **b, int64_t nb,
                            fb_err *e) FB_CHECKED;
/* The same, then fb_full_spare: the blocks of the interior are in the memory of K and M, where
 * these are ours or lent. */
fb_status fb_split_new_spare(fb_split *t, fb_full *f, int64_t **b, int64_t nb,
                             fb_err *e) FB_CHECKED;
void fb_split_free(fb_split *t);

/* Modes of K and M over the equations eq [n] (NULL: all of the model's): k of them, or all up to
 * o->fmax where k < 0. Says on -v and warns what there is to say; `what` names the problem. *ready:
 * a factor of K (fb_statics_give_up), which saves another one and is taken; NULL: none. */
fb_status fb_full_modes(const fb_full *f, const fb_csc *K, const fb_csc *M, const int64_t *eq,
                        int64_t nmult, int64_t k, fb_factor **ready, const char *what, fb_eig *r,
                        fb_err *e) FB_CHECKED;
/* How many normal modes --order (less nb others), --modes ask for; -1: by --fmax. */
fb_status fb_full_wanted(const fb_full *f, int64_t nb, int64_t *k, fb_err *e) FB_CHECKED;

/* Static solutions of the interior (statics.c), also where rigid motion of it is free: then with
 * the load's resultant balanced by inertia, and no rigid motion in the answer. */
typedef struct {
    fb_factor *F;
    const fb_csc *K; /* of the interior, borrowed */
    int lendable, definite;
    fb_mat Z, MZ; /* [ni x nz] rigid motion Z'MZ = I, and M Z */
} fb_statics;
/* Z may be given (not owned then, Z->n may be 0); NULL: found where the factor says so. */
fb_status fb_statics_new(fb_statics *t, const fb_full *f, const fb_csc *K, const fb_csc *M,
                         const int64_t *eq, int64_t nmult, const fb_mat *Z, fb_err *e) FB_CHECKED;
/* What of the loads X inertia leaves to be strained. */
fb_status fb_statics_balance(const fb_statics *t, fb_mat *X, fb_err *e) FB_CHECKED;
fb_status fb_statics_solve(fb_statics *t, fb_mat *X, fb_err *e) FB_CHECKED;
/* The factor, where it is one of K as it stands and definite; NULL where it is not, and it is
 * freed. There are no solutions afterwards. */
fb_factor **fb_statics_give_up(fb_statics *t);
/* The rigid modes among those of the same K and M become Z, which (ST.5) knows to more digits than
 * an eigensolver: Psi'M Z = 0 by (ST.3), of theirs 1e-9 was left; the other modes stay orthogonal.
 */
fb_status fb_statics_rigid_modes(const fb_statics *t, fb_eig *m, fb_err *e) FB_CHECKED;
void fb_statics_free(fb_statics *t);
/* Constraint modes Psi [ni x nb], and the warning about rigid motion that the boundary lets
 * through. */
fb_status fb_split_constraint(const fb_split *t, fb_statics *st, fb_mat *Psi, fb_err *e) FB_CHECKED;

/* F = [Mii Psi + Mib, 0], `more` columns of zeros: the inertia of constraint modes (boundary.c). */
fb_status fb_split_inertia(const fb_split *t, const fb_mat *Psi, int64_t more, fb_mat *F,
                           fb_err *e) FB_CHECKED;

/* Attachment vectors (attach.c): static answers to the loads of --loads, less what the modes kept
 * say; and what these leave of the answers to the model's other load vectors. */
typedef struct {
    /* [nall] a position in /dofs, or -1 - k of load vector k; n of --loads, then the others */
    int64_t n, nall, *load;
    char *inside; /* [nall] 0: the load is on the boundary alone */
    int untold;   /* the modes are no such: say nothing of the answers */
    fb_mat P, X;  /* [ni x nall] loads on the interior; [ni x na] */
    int64_t na;
    double *w2; /* [na] X'KX = diag(w2), X'MX = I, once they are residual */
} fb_attach;
/* Are there loads to be answered? */
int fb_attach_wanted(const fb_full *f);
fb_status fb_attach_new(fb_attach *a, const fb_full *f, const fb_split *t, fb_statics *st,
                        fb_err *e) FB_CHECKED;
fb_status fb_attach_residual(fb_attach *a, const fb_full *f, const fb_csc *K, const fb_csc *M,
                             const fb_mat *Phi, const double *w2, fb_err *e) FB_CHECKED;
void fb_attach_free(fb_attach *a);

/* Psi := [Psi Phi X], the first k columns of Phi; with room for T. */
fb_status fb_full_append(fb_mat *Psi, const fb_mat *Phi, int64_t k, const fb_mat *X, int64_t ndof,
                         fb_err *e) FB_CHECKED;
/* Boundary and modes may hold more directions than have mass: as many of the nn normal coordinates
 * follow the others statically, or the boundary is refused (condense.c). */
fb_status fb_split_condense(const fb_split *t, fb_mat *G, fb_mat *K, fb_mat *M, int64_t *nn,
                            fb_err *e) FB_CHECKED;

/* A method's work (work.c). */
typedef struct fb_work {
    fb_full f;
    int64_t *eq, n; /* [n] equations of the boundary or the masters, until t takes them */
    int in_blocks;  /* 1: once t is there, nothing wants f.K and f.M */
    int whole;      /* 1: G answers a stiffness that is not symmetric */
    fb_split t;
    fb_statics st;
    fb_mat G; /* Psi, then [Psi Phi X]: T over its rows */
    fb_attach a;
    fb_eig m; /* modes of the interior or of the whole */
    fb_reduction r;
} fb_work;

/* The split at w->eq, which is taken, the constraint modes G = Psi and the attachment vectors. */
fb_status fb_work_static(fb_work *w, fb_err *e) FB_CHECKED;
/* Of a stiffness K + N that is not symmetric w->G becomes -(Kii + Nii)^-1 (Kib + Nib)
 * (unsymmetric.c); else it stays. */
fb_status fb_unsymmetric_statics(fb_work *w, fb_err *e) FB_CHECKED;
/* Where w->r has N, and its shapes answer K alone: how far its frequencies are off by that, to the
 * log. */
fb_status fb_unsymmetric_bound(const fb_work *w, fb_err *e) FB_CHECKED;
/* k modes of the interior, or by --fmax where k < 0. */
fb_status fb_work_modes(fb_work *w, int64_t k, fb_err *e) FB_CHECKED;
/* The end of CB, Guyan and IMR (finish.c): the modes keep[k] of w->m (NULL: the first k) and the
 * attachment vectors join Psi. */
fb_status fb_work_finish(fb_work *w, const int64_t *keep, int64_t k, fb_err *e) FB_CHECKED;
/* fb_work_finish with the Ritz vectors of V, which is consumed; the first nn are normal
 * coordinates, the others attachment vectors. */
fb_status fb_work_ritz_take(fb_work *w, fb_span *V, int64_t nn, fb_err *e) FB_CHECKED;
/* Craig-Bampton with --free-boundary (mixed.c): from w->eq, the boundary, to the end. */
fb_status fb_work_mixed(fb_work *w, fb_err *e) FB_CHECKED;
/* The end of all: w->r has K, M and nn, and gets the rest. G, consumed, has the rows of equations
 * `rows` (NULL: all); the unit rows b [nb] are the boundary; the nn coordinates behind it are of
 * the kind given, the others attachment vectors. */
fb_status fb_work_close(fb_work *w, const int64_t *rows, const int64_t *b, int64_t nb,
                        fb_kind normal, fb_err *e) FB_CHECKED;

/* "what: 1.2 s, memory at most 0.3 GiB so far" on -v. */
typedef struct {
    double start;
} fb_watch;
fb_watch fb_watch_start(void);
void fb_watch_note(const fb_watch *w, fb_log *log, const char *what);
#endif
