/* SPDX-License-Identifier: GPL-3.0-or-later */
/* body.h - what the writers ask of a body, and what they derive from it. */
#ifndef BODY_H
#define BODY_H
#include "linalg/dense.h"
#include "model.h"
#include "status.h"

/* ---- demands: each is refused with the command that mends it; who names the target -------- */

/* /reduced/K and /reduced/M, shapes and node positions. */
fb_status fb_need_modes(const fb_model *b, const char *who, fb_err *e) FB_CHECKED;
/* /invariants. */
fb_status fb_need_invariants(const fb_model *b, const char *who, fb_err *e) FB_CHECKED;
/* No rigid motion within the modes: the frame moves with the body. */
fb_status fb_need_held(const fb_model *b, const char *who, fb_err *e) FB_CHECKED;
/* Unit generalized mass. */
fb_status fb_need_normalised(const fb_model *b, const char *who, fb_err *e) FB_CHECKED;

/* SI units, where the body knows its own. */
fb_status fb_need_si(const fb_model *b, const char *who, fb_err *e) FB_CHECKED;

/* The inertia at rest that the reader of these very numbers builds of rigid and elastic motion
 * together is not negative (fb_composite_rest), and its one mass I1 is that along x, y and z of the
 * mass matrix. strict: refused (FB_EFORMAT); else, and of nodal masses that the input states,
 * warned of. */
fb_status fb_need_inertia(const fb_model *b, const fb_inertia_set *at, const char *who, int strict,
                          fb_log *log, fb_err *e) FB_CHECKED;
/* The same of a reader that sums I1 to I4 and I7 over the nodal masses, and takes M [nr,nr] for the
 * generalized one. strict: refused where the body has a mass matrix. */
fb_status fb_need_lumps(const fb_model *b, const double *M, const char *who, int strict,
                        fb_log *log, fb_err *e) FB_CHECKED;
/* What it takes of /invariants and /reduced/M. */
fb_inertia_set fb_inertia_of(const fb_model *b);

/* A link record of a body with a mass matrix, which it does not keep: nodal masses are another. */
int fb_mass_left_behind(const fb_model *b);
/* How many coordinates of the pair K, M are rigid motions. */
fb_status fb_rigid_modes(const fb_model *b, int64_t *n, fb_err *e) FB_CHECKED;

/* ---- shapes ------------------------------------------------------------------------------ */

/* The shapes by row of /dofs: T, or the modes of a body that is not reduced. */
const double *fb_shapes(const fb_model *b);
/* All of them: x[(6 p + c) m + k]. */
fb_status fb_node_shapes(const fb_model *b, const int64_t *node, int64_t n, double **x,
                         fb_err *e) FB_CHECKED;
/* The modes of the reduced pair (modal.c). */
typedef struct {
    int64_t n;
    double *hz;   /* [n] signed, ascending; rigid: 0 */
    double *zeta; /* [n] share of critical damping; NaN: rigid; NULL: the body has no damping */
    fb_mat V;     /* [nr x n] in generalized coordinates */
    fb_mat X;     /* [ndof x n] shapes, v'Mr v = 1; x NULL: the body has no shapes */
} fb_modal;
fb_status fb_modal_new(const fb_model *b, fb_modal *m, fb_err *e) FB_CHECKED;
void fb_modal_free(fb_modal *m);
/* The connectors, or where there are none all nodes: numbers, positions; owned. */
typedef struct {
    int64_t n, *node;
    double *xyz; /* [n,3] */
} fb_nodes;
fb_status fb_exposed_nodes(const fb_model *b, int all, fb_nodes *x, fb_err *e) FB_CHECKED;
void fb_nodes_free(fb_nodes *x);

/* ---- coordinates that are displacements ---------------------------------------------------- */

typedef struct {    /* per generalized coordinate */
    int64_t nr, nb; /* coordinates, boundary coordinates among them                    */
    int64_t *node,
        *component; /* [nr] the dof that a boundary coordinate is; modal: 0, 1 2 3 ...  */
    double *scale;  /* [nr] displacement of that dof per unit of the coordinate; modal: 1 */
} fb_coords;

/* Every coordinate of kind "constraint mode" is found as the displacement of one dof; the rest are
 * modal. None is an error. */
fb_status fb_coords_new(const fb_model *b, const char *who, fb_coords *c, fb_err *e) FB_CHECKED;
void fb_coords_free(fb_coords *c);
/* node, component [nr] of the dof that each coordinate is, 0 0: none, as of modes; both NULL where
 * the body is not reduced. */
fb_status fb_coords_labels(const fb_model *b, int64_t **node, int64_t **component,
                           fb_err *e) FB_CHECKED;
/* The coordinates of components 1 to 6 of the node, which has these and no others. */
fb_status fb_coords_six(const fb_coords *c, int64_t node, const char *who, int64_t six[6],
                        fb_err *e) FB_CHECKED;
/* The loads [nload,nr] in the displacements themselves, p_i / scale_i; NULL: there are none. */
fb_status fb_coords_loads(const fb_model *b, const fb_coords *c, double **P, fb_err *e) FB_CHECKED;
/* What load k is called: its name, else its number from 1. */
const char *fb_load_name(const fb_model *b, int64_t k, char out[FB_NAME]);
/* A [nr,nr] by rows in the displacements themselves: A_ij / (scale_i scale_j), in the order of
 * `order` ([nr] coordinates; NULL: as they are), by columns. symmetric: averaged to the last bit
 * (stiffness, mass); else of any form (damping). */
fb_status fb_coords_matrix(const fb_coords *c, const double *A, const int64_t *order, int symmetric,
                           double **out, fb_err *e) FB_CHECKED;
/* The first of n node numbers in a row that no node of the body has: above all of them, or where
 * these would be above `most`, the lowest; 0: there are none. */
fb_status fb_free_nodes(const fb_model *b, int64_t n, int64_t most, int64_t *first,
                        fb_err *e) FB_CHECKED;

/* What follows from coordinates that are displacements, for targets that hold K, M, D of labelled
 * dofs: modal coordinates become component `modal_component` of nodes of their own. */
typedef struct {
    fb_coords c;
    int64_t *node, *component; /* [nr] */
    int64_t first_modal;       /* number of the first modal node */
    double *K, *M;             /* [nr,nr] */
    double *D, *S, *G;         /* [nr,nr]; NULL where the body has none */
    double *P;                 /* [nload,nr] loads; NULL where it has none */
} fb_labelled;
/* most: the largest node number that the target can write; base: the number of the first modal
 * coordinate as the user gave it (--modal-base), NULL: fb_free_nodes chooses. */
fb_status fb_labelled_new(const fb_model *b, const char *who, int64_t modal_component, int64_t most,
                          const char *base, fb_labelled *l, fb_log *log, fb_err *e) FB_CHECKED;
/* The option row of the writers that take base: needs writer.h. */
#define FB_LABELLED_OPTION \
    {"modal-base", \
     FB_TEXT, \
     offsetof(fb_export, base), \
     "N", \
     "dmig, abaqus: number the modal coordinates N, N+1, ...; default: above all nodes. Bodies " \
     "that " \
     "are joined want numbers of their own", \
     NULL}
void fb_labelled_free(fb_labelled *l);
/* A comment: how many coordinates, and the units, which mnfparse reads back. */
void fb_labelled_head(const fb_model *b, const fb_labelled *l, const char *mark, fb_buf *o);
/* 1: A [n,n] = A' to the last bit. */
int fb_symmetric(const double *A, int64_t n);
/* Position of a node, or NULL where it has none. */
const double *fb_position(const fb_model *b, const fb_index *x, int64_t node);
/* The same of a node that cannot be written without one; who names the target. */
fb_status fb_need_position(const fb_model *b, const fb_index *x, int64_t node, const char *who,
                           const double **u, fb_err *e) FB_CHECKED;

/* x in at most 16 columns, as many digits as fit, letter (E or D) before the exponent. */
void fb_real16(double x, char letter, char out[17]);

/* ---- frame, connectors --------------------------------------------------------------------- */

/* "origin", "com" or "node:N": moves the origin of the body's axes there; with ",axes:HOW" behind
 * it they turn, too: "principal", "nodes:P,Q", or as fb_move_rotate reads it. */
fb_status fb_frame_move(fb_model *b, const char *to, fb_err *e) FB_CHECKED;
/* Connectors become nodes 1, 2, ..., the others follow; a note says each (renumber.c). */
fb_status fb_renumber(fb_model *b, fb_log *log, fb_err *e) FB_CHECKED;
/* The nodes of the list become the connectors. */
fb_status fb_pick_connectors(fb_model *b, const char *list, fb_log *log, fb_err *e) FB_CHECKED;

/* Inputs and outputs (ports.c): C [n,nr] by rows of a reduced body, or B [ndof,n] of a full model;
 * none where the body has neither connectors nor an interface. */
typedef struct {
    int64_t n, *node, *component; /* [n] */
    double *C;
    fb_csc B;
} fb_ports;
fb_status fb_ports_new(const fb_model *b, fb_ports *p, fb_err *e) FB_CHECKED;
void fb_ports_free(fb_ports *p);

/* What a link record says of itself, from the dofs and shapes that it leaves behind;
 * own_connectors: the hub becomes one, with rows of zeros (record.c). */
fb_status fb_record_describe(fb_model *b, int own_connectors, fb_err *e) FB_CHECKED;

/* Integrals that consumers want, from I1..I11:
 *   rr = int r r' dm [3,3];  N_k = int r_k phi dm [9,m] rows 3 k + i;  W_kl = int phi_k' phi_l dm
 *   */
void fb_second_moment(const double I7[9], double rr[9]);
/* Inertia about the centre of mass, and the centre. */
void fb_central_inertia(const fb_model *b, double c[3], double J[9]);
#endif
