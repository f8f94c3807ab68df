/* SPDX-License-Identifier: GPL-3.0-or-later */
/* assemble.h - a model on its way from parts to fb_model; one file a step, called in this order by
 * assemble.c. */
#ifndef ASSEMBLE_H
#define ASSEMBLE_H
#include "dofset.h"
#include "linalg/sparse.h"
#include "model.h"
#include "status.h"
#include "parts.h"

enum { FB_K, FB_M, FB_D, FB_S, FB_G, FB_N, FB_LOADED, FB_NROLE = FB_LOADED + FB_LOADS };

typedef struct {
    fb_parts *p;
    fb_model *b; /* filled at the end; findings and texts as they are made */
    fb_log *log;
    fb_matrix *role[FB_NROLE]; /* NULL: the inputs have none */
    fb_matrix imaginary;       /* part of the stiffness, as structural damping */
    int64_t nrow[FB_NROLE];    /* rows of each, which A replaces */
    char sum[FB_NROLE][120];   /* " + 1 b.mtx": what was added to it */
    int64_t n, cap_node, cap_component, cap_class;
    int64_t *node, *component, *class; /* [n] every dof of the matrices, in the order of K */
    char *repeated;                    /* [n] the label stands for several dofs */
    fb_csc A[FB_NROLE];                /* [n x n] upper, without explicit zeros */
    char cut[FB_LOADS];                /* a loaded stiffness lacks rows of K */
    int64_t *place;                    /* [n] position of the node in b->node_id, or -1 */
    char *leave;                       /* [n] 1: null or held, to be left out */
    fb_csc Tt;   /* [ndof x n] column d: dof d from those that are kept; absent: all are */
    char *slave; /* [n] the matrices have eliminated it by an equation; NULL: none */
    int64_t *follow, nfollow; /* [nfollow] the slaves */
    fb_csc E;                 /* [n x nfollow] column q: slave q from the dofs */
    int64_t *keep;            /* with Tt: [n] number among the kept dofs, or -1 */
    double *turn; /* [n,3] axis of an internal dof that is a rotation of its node; NULL: none is */
    int modal;    /* no stiffness is wanted: modes stand for it */
    const fb_model *modes; /* that a solver computed beside the matrices, or NULL */
    int64_t *frame;        /* [nframe] nodes that --rigid and --average add, six dofs each */
    int64_t nframe;
    int64_t cap_check[4];
} fb_join;

extern const char *const fb_role_name[]; /* as options name them */

/* doftable.c: all dofs, K and M over the nodes of b; everything is borrowed. */
fb_model fb_join_view(const fb_join *j, const fb_model *b);

/* given.c: before and after the joining, what came out of each input, and a warning for those that
 * are not used. */
void fb_given_count(fb_parts *p);
void fb_given_tell(const fb_parts *p, int modal, fb_log *log);
/* label.c: once all files are read: gives square matrices without labels those of the order that
 * fits (same file first, then by rank; two that differ are none, with a warning), and marks scalar
 * dofs and those of the set QSET as generalized. */
fb_status fb_parts_label(fb_parts *p, fb_log *log, fb_err *e) FB_CHECKED;
/* table.c: makes the dof table fit the rows of m, a matrix without labels: blocks become rows,
 * rotation nodes become rotations of their reference nodes. Fails where the counts do not fit. Call
 * it for every such matrix, in any order, before its rows take the labels of the table (row r:
 * entry r). */
fb_status fb_table_fit(fb_parts *p, const fb_matrix *m, fb_err *e) FB_CHECKED;
/* table.c: classes of a table that `expands`, once all files are read. */
void fb_expanded_classes(fb_parts *p, fb_log *log);
/* substructure.c: K times the rigid-body motions of the nodes, for condensed stiffness matrices: a
 * warning where it is not zero. Call it when all inputs are read. */
fb_status fb_substructure_check(const fb_parts *p, fb_log *log, fb_err *e) FB_CHECKED;
/* roles.c: chooses K, M, D, S and G, names what is left. */
fb_status fb_join_roles(fb_join *j, fb_err *e) FB_CHECKED;
/* sum.c: a := a + f b, whose entries may be spent; to and name are for messages. */
fb_status fb_join_sum(fb_matrix *a, const char *to, fb_matrix *b, const char *name, double f,
                      fb_err *e) FB_CHECKED;
/* sum.c: a and b, of two inputs, share no modal coordinate and no number that is one in one of them
 * and a node in the other, unless they are of one body (K + KG: the labels of one are among those
 * of the other); bodies: both stiffness and mass are sums, which joins two. FB_EUSAGE. */
fb_status fb_join_apart(const fb_parts *p, const fb_matrix *a, const char *to, const fb_matrix *b,
                        const char *name, int bodies, fb_err *e) FB_CHECKED;
/* roles.c: are all matrices masses? */
int fb_join_lacks_stiffness(fb_parts *p);
/* doftable.c: the dof table; row[k], col[k] [order of role k] are the dofs of rows and columns. */
fb_status fb_join_labels(fb_join *j, int64_t *row[FB_NROLE], int64_t *col[FB_NROLE],
                         fb_err *e) FB_CHECKED;
/* geometric.c: the loaded stiffnesses of the roles from FB_LOADED on become geometric stiffness,
 * row [k] their dofs; /geometric. */
fb_status fb_join_geometric(fb_join *j, int64_t *const row[FB_NROLE], fb_err *e) FB_CHECKED;
/* geometric.c: the forces of the loads are at nodes of the model b. */
fb_status fb_join_loaded(const fb_parts *p, fb_model *b, fb_err *e) FB_CHECKED;
/* geometric.c: what rigid translation says of each, once coordinates are known: the softening by
 * mass that some programs add goes; a warning of what it is strained by. */
fb_status fb_join_softening(fb_join *j, fb_err *e) FB_CHECKED;
/* equations.c: the slaves of the parts' equations; what they follow, once frames are turned by Tt
 * [n x n]; their columns of j->Tt. */
fb_status fb_join_equations(fb_join *j, fb_err *e) FB_CHECKED;
fb_status fb_turn_equations(fb_join *j, const fb_csc *Tt, fb_err *e) FB_CHECKED;
fb_status fb_follow_equations(fb_join *j, fb_err *e) FB_CHECKED;
/* symmetry.c: role k over the dof table, its upper half. */
fb_status fb_join_matrix(fb_join *j, int k, const int64_t *row, const int64_t *col,
                         fb_err *e) FB_CHECKED;
/* stacks.c: solid nodes made of beams and shells led back to the nodes of the deck. */
fb_status fb_join_stacks(fb_join *j, fb_err *e) FB_CHECKED;
/* modal.c: modal coordinates that nothing calls so, once places are known. */
fb_status fb_join_modal(fb_join *j, fb_err *e) FB_CHECKED;
/* nodes.c: each node of the parts once; then coordinates, place, and matrices turned from
 * displacement frames to the basic axes. */
fb_status fb_unite_nodes(fb_parts *p, fb_log *log, fb_err *e) FB_CHECKED;
fb_status fb_join_nodes(fb_join *j, fb_err *e) FB_CHECKED;
fb_status fb_join_frames(fb_join *j, fb_err *e) FB_CHECKED;
/* nodes.c: coordinates of the body's nodes from those of the parts, where it has none of its own;
 * shapes along the nodes' axes are turned to the basic ones. */
fb_status fb_place_shapes(fb_parts *p, fb_model *b, fb_log *log, fb_err *e) FB_CHECKED;
/* results.c: are j->modes modes of the matrices? A warning where they are of another run. */
fb_status fb_join_results(const fb_join *j, fb_err *e) FB_CHECKED;
/* shapemass.c: the modal body of the parts gets the generalized matrices of the mass matrix beside
 * it; other matrices are an error. */
fb_status fb_join_shape_mass(fb_parts *p, fb_log *log, fb_err *e) FB_CHECKED;
/* checks.c: findings about dofs; balance.c: rigid motion and mass. */
fb_status fb_join_checks(fb_join *j, fb_err *e) FB_CHECKED;
fb_status fb_join_balance(fb_join *j, fb_err *e) FB_CHECKED;
/* rigid.c: --rigid, --average and the dofs to leave become Tt; new nodes join the table's end. */
fb_status fb_join_constraints(fb_join *j, fb_err *e) FB_CHECKED;
/* sets.c: the named sets of the parts, frames among them, become the model's. */
fb_status fb_join_sets(const fb_parts *p, fb_model *b, fb_log *log, fb_err *e) FB_CHECKED;
/* rigid.c: the sets of the inputs as groups of dofs, for lists of the user; *g is the caller's to
 * free. */
fb_status fb_join_groups(const fb_parts *p, fb_dofgroup **g, fb_err *e) FB_CHECKED;
/* skin.c: /faces from the elements; a body that has faces keeps them. */
fb_status fb_join_faces(fb_parts *p, fb_model *b, fb_log *log, fb_err *e) FB_CHECKED;
#endif
