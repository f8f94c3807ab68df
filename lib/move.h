/* SPDX-License-Identifier: GPL-3.0-or-later */
/* move.h - a body at another place: turned, mirrored, carried (move.c). */
#ifndef FB_MOVE_H
#define FB_MOVE_H
#include "model.h"
#include "status.h"

/* u := Q u + t for every place; Q [3,3] by rows is orthogonal, det -1 mirrors; t in the model's
 * unit of length. */
typedef struct {
    double Q[9], t[3];
    int det;
    int flip[3]; /* columns of the axes of frames, so that a mirror leaves these right-handed */
} fb_move;

fb_move fb_move_none(void);
/* Is Q another matrix than 1? */
int fb_move_turns(const fb_move *m);
/* First m, then what is named. Texts: AXIS:DEGREES (z:30, or an axis of its own, 1,1,0:30), the
 * quaternion W,X,Y,Z, or the nine numbers of a matrix by rows; x, y or z: the axis across the
 * mirror; X,Y,Z. option is for messages. */
fb_status fb_move_rotate(fb_move *m, const char *option, const char *text, fb_err *e) FB_CHECKED;
fb_status fb_move_mirror(fb_move *m, const char *option, const char *text, fb_err *e) FB_CHECKED;
fb_status fb_move_translate(fb_move *m, const char *option, const char *text, fb_err *e) FB_CHECKED;
/* Everything in the model that depends on place, by the column `move` of schema.c. A node of which
 * the turn would mix directions that it has with one that it lacks is refused by name. After an
 * error the model is half moved, and good for fb_model_free alone. */
fb_status fb_model_move(fb_model *b, const fb_move *m, fb_err *e) FB_CHECKED;

/* ---- what turns with a body (turning.c) ---------------------------------------------------- */

typedef struct { /* v(at) := A v(at), A [n,n] by rows */
    int n;
    int64_t at[3];
    double A[9];
} fb_turnblock;

typedef struct { /* a block-diagonal orthogonal matrix; what is in no block stays */
    int64_t n, cap;
    fb_turnblock *block;
} fb_turning;

/* The rows of dofs (node[k], component[k]), class[k] (NULL: physical): those of a node that the
 * move mixes make a block, and component [n] gets their new directions. what is for messages. */
fb_status fb_turn_labels(fb_turning *t, const fb_model *b, const fb_move *m, const char *what,
                         const int64_t *node, int64_t *component, const int64_t *class, int64_t n,
                         fb_err *e) FB_CHECKED;
/* The rows of dofs at [n], positions in /dofs (below zero: none), which become those of the new
 * directions: of[d] are the components of /dofs after the move. */
fb_status fb_turn_places(fb_turning *t, const fb_model *b, const fb_move *m, const char *what,
                         int64_t *at, int64_t n, const int64_t *of, fb_err *e) FB_CHECKED;
/* The matrix itself, [n x n]. */
fb_status fb_turn_matrix(const fb_turning *t, int64_t n, fb_csc *B, fb_err *e) FB_CHECKED;
/* x [outer, len, inner], its middle index turned. */
void fb_turn_array(const fb_turning *t, double *x, int64_t outer, int64_t len, int64_t inner);
void fb_turning_free(fb_turning *t);
#endif
