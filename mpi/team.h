/* SPDX-License-Identifier: GPL-3.0-or-later */
/* team.h - what the processes of reduce-mpi hold together, and how they are told to work on it.
 *
 * Rank 0 runs the program; the others wait in team_serve for calls. A call is made on all ranks at
 * once (team_call); it reads and writes memory of rank 0 and objects that every rank has a part of.
 * Each call ends with one status for all: the worst one, in the words of the lowest rank that has
 * it. A rank that lacks memory ends the run (team_room): the others may be in a message to it.
 */
#ifndef TEAM_H
#define TEAM_H
#include "linalg/dense.h"
#include "status.h"
#include <mpi.h>
#include <stdint.h>

extern int team_rank, team_size;

typedef struct {   /* the rows of a matrix or a block, in one piece on each rank */
    int64_t n;     /* all rows */
    int64_t first; /* ours: first .. first + own - 1 */
    int64_t own;
    int64_t *start; /* [team_size + 1] */
} team_cut;

typedef struct { /* sparse, our columns; rows by their place among ours, then among the ghosts */
    int64_t *p;  /* [own + 1] */
    int32_t *i;
    double *x;
    int upper;
    int64_t nghost, *ghost; /* [nghost] rows of others, ascending */
    int *ghosts;            /* [team_size] how many of each rank */
    int *gives;             /* [team_size] how many of our rows each rank wants */
    int64_t ngive, *give;   /* [ngive] which, rank by rank */
    int64_t *order;         /* rank 0: place of each row in the elimination; NULL: not made */
} team_matrix;

typedef struct { /* the columns of a few dofs in the rows of the others: [own x n] */
    int64_t n, *p;
    int32_t *i;
    double *x;
} team_border;

struct team_factor; /* factor.c */
typedef enum { TEAM_NONE, TEAM_MATRIX, TEAM_BORDER, TEAM_BLOCK, TEAM_FACTOR } team_kind;
typedef struct {
    team_kind kind;
    team_cut rows;
    team_matrix A;
    team_border B;
    fb_mat X; /* [own x columns] */
    struct team_factor *F;
} team_object;

/* What a call says to all. in and out are memory of rank 0, on the others NULL. */
typedef struct {
    int64_t op, a[12];
    double d[4];
    char text[1024], object[64];
    const void *in, *in2;
    void *out;
} team_work;

typedef enum {
    TEAM_END,
#define TEAM_CALLS(X) \
    X(read) \
    X(release) \
    X(sums) \
    X(diagonal) \
    X(sub) \
    X(split) \
    X(pin) \
    X(multiply) \
    X(residual) \
    X(border_times) \
    X(border_block) \
    X(congruence) \
    X(block) \
    X(combine) \
    X(inner) \
    X(arrange) \
    X(fetch) \
    X(weigh) \
    X(expand) \
    X(restriction) \
    X(judge) \
    X(signs) \
    X(rows) \
    X(row) \
    X(unit) \
    X(without) \
    X(pairs) \
    X(order) \
    X(analyse) \
    X(factorise) \
    X(solve) \
    X(count) \
    X(lanczos) \
    X(pick) \
    X(lump)
#define X(name) TEAM_##name,
    TEAM_CALLS(X)
#undef X
} team_op;
#define X(name) fb_status team_##name(team_work *w, fb_err *e) FB_CHECKED;
TEAM_CALLS(X)
#undef X

/* From rank 0: does the work on all ranks. */
fb_status team_call(team_op op, team_work *w, fb_err *e) FB_CHECKED;
/* The others' part, until rank 0 says TEAM_END. */
void team_serve(void);

/* The worst status of all ranks, with its message, on all. */
fb_status team_agree(fb_status s, fb_err *e) FB_CHECKED;
/* n things of so many bytes, zeroed; never NULL. */
void *team_room(int64_t n, size_t size);
/* Rank 0's numbers on all ranks: [n], new memory but on rank 0, where it is `in` itself. */
void *team_all(const void *in, int64_t n, size_t size);
void team_done(const void *all); /* frees what team_all made */
/* x summed over the ranks, on rank 0 (all: on every rank). */
void team_sum(double *x, int64_t n, int all);

/* The number in the whole of a row of A.i: ours, or a ghost. */
static inline int64_t team_row_number(const team_object *o, int64_t local)
{
    return local < o->rows.own ? o->rows.first + local : o->A.ghost[local - o->rows.own];
}

enum { TEAM_MOST = 4096 }; /* objects at a time: a few dozen are used */
team_object *team_new(team_kind kind, int64_t *id);
team_object *team_get(int64_t id);
void team_drop(int64_t id);
void team_cut_copy(team_cut *to, const team_cut *from);
int team_owner(const team_cut *r, int64_t row);
/* Rank 0's rows [n x k] to those who hold them, and back. */
void team_scatter(const team_cut *r, const double *all, int64_t k, double *own);
void team_gather(const team_cut *r, const double *own, int64_t k, double *all);

/* Y = A X, own rows, on all ranks (matrix.c). */
void team_times(const team_object *A, const fb_mat *X, fb_mat *Y);
/* y = A x, rows of FB_NARROW values, ours, then those of the ghosts, written in x, too. */
void team_times_rows(const team_object *A, double *x, double *y);
/* Of columns whose rows are numbers of the whole: takes p, i, x over. */
void team_matrix_build(team_object *o, int64_t *p, int64_t *i, double *x);
void team_matrix_free(team_matrix *A);
/* X := (K - sigma M) \ X, own rows (factor.c). */
fb_status team_factor_apply(team_object *F, fb_mat *X, fb_err *e) FB_CHECKED;
/* The same for the first k columns of rows of FB_NARROW values. */
fb_status team_factor_apply_rows(team_object *F, double *W, int64_t k, fb_err *e) FB_CHECKED;
/* "": in memory */
const char *team_factor_folder(const struct team_factor *F);
void team_factor_free(struct team_factor *F);

/* Writes the numbers of all objects but these two (NULL: none) to a file of the folder ("": does
 * nothing), and frees them. On all ranks (park.c). */
fb_status team_park(const char *folder, const team_object *a, const team_object *b,
                    fb_err *e) FB_CHECKED;
/* Brings them back, also where some failed to go; s, or what fails here. */
fb_status team_unpark(fb_status s, fb_err *e) FB_CHECKED;
#endif
