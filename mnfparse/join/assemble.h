/* SPDX-License-Identifier: GPL-3.0-or-later */
/* assemble.h - a model on its way from parts to fb_model; one file a step, called in this order by
 * assemble.c. */
#ifndef ASSEMBLE_H
#define ASSEMBLE_H
#include "linalg/sparse.h"
#include "model.h"
#include "status.h"
#include "parts.h"

enum { FB_K, FB_M, FB_D, FB_NROLE };

typedef struct {
    fb_parts *p;
    fb_model *b; /* filled at the end; findings and texts as they are made */
    fb_log *log;
    fb_matrix *role[FB_NROLE]; /* NULL: the inputs have none */
    int64_t n, cap_node, cap_component, cap_class;
    int64_t *node, *component, *class; /* [n] every dof of the matrices, in the order of K */
    char *repeated;                    /* [n] the label stands for several dofs */
    fb_csc A[FB_NROLE];                /* [n x n] upper, without explicit zeros */
    int64_t *place;                    /* [n] position of the node in b->node_id, or -1 */
    char *leave;                       /* [n] 1: null or held, to be left out */
    fb_csc Tt;      /* [ndof x n] column d: dof d from those that are kept; absent: all are */
    int64_t *keep;  /* with Tt: [n] number among the kept dofs, or -1 */
    int64_t *frame; /* [nframe] nodes that --rigid and --average add, six dofs each */
    int64_t nframe;
    int64_t cap_check[4];
} fb_join;

extern const char *const fb_role_name[FB_NROLE]; /* "stiffness", "mass", "damping" */
/* "5.1", or "5" for a dof without component. */
typedef struct {
    char s[48];
} fb_dofname;
fb_dofname fb_name_of(int64_t node, int64_t component);
/* Appends " 5.1" to a list that stops at eight names; count is of all so far. */
void fb_name_list(char *list, size_t size, int64_t count, int64_t node, int64_t component);

/* given.c: before and after the joining, what came out of each input, and a warning for those that
 * are not used. */
void fb_given_count(fb_parts *p);
void fb_given_tell(const fb_parts *p, int modal, fb_log *log);
/* roles.c: chooses K, M and D, names what is left. */
fb_status fb_join_roles(fb_join *j, fb_err *e) FB_CHECKED;
/* doftable.c: the dof table; row[k], col[k] [order of role k] are the dofs of rows and columns. */
fb_status fb_join_labels(fb_join *j, int64_t *row[FB_NROLE], int64_t *col[FB_NROLE],
                         fb_err *e) FB_CHECKED;
/* symmetry.c: role k over the dof table, its upper half. */
fb_status fb_join_matrix(fb_join *j, int k, const int64_t *row, const int64_t *col,
                         fb_err *e) FB_CHECKED;
/* nodes.c: each node of the parts once; then coordinates, place, and matrices turned from
 * displacement frames to the basic axes. */
fb_status fb_unite_nodes(fb_parts *p, fb_log *log, fb_err *e) FB_CHECKED;
fb_status fb_join_nodes(fb_join *j, fb_err *e) FB_CHECKED;
fb_status fb_join_frames(fb_join *j, fb_err *e) FB_CHECKED;
/* checks.c: findings about dofs; balance.c: rigid motion and mass. */
fb_status fb_join_checks(fb_join *j, fb_err *e) FB_CHECKED;
fb_status fb_join_balance(fb_join *j, fb_err *e) FB_CHECKED;
/* rigid.c: --rigid, --average and the dofs to leave become Tt; new nodes join the table's end. */
fb_status fb_join_constraints(fb_join *j, fb_err *e) FB_CHECKED;
#endif
