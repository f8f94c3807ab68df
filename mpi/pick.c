/* SPDX-License-Identifier: GPL-3.0-or-later */
/* pick.c - rows of a block that are far apart, as fb_pick_columns picks columns.
 *
 * Equations  R = diag(w) X, r_i its rows; chosen so far: q_1 .. q_k, orthonormal
 *   (PK.1) i_k = arg max_i |r_i|^2, the first of those within a share `slack`; q = r_i / |r_i|
 *   (PK.2) r_i := r_i - (r_i q) q for all i
 * Source     Gram-Schmidt with pivots: Golub & Van Loan, Matrix Computations, sec. 5.4
 */
#include "linalg/dense.h"
#include "memory.h"
#include "team.h"
#include <stdlib.h>
#include <string.h>

typedef struct {
    double most;
    int64_t row;
} best;

/* (PK.1), on all ranks: rows of theirs in turn. */
static best furthest(const double *R, int64_t own, int64_t first, int64_t p, double slack)
{
    best mine = {0, -1}, top = {0, -1}, *all = team_room(team_size, sizeof *all);
    for (int64_t i = 0; i < own; i++) {
        const double left = fb_dot(R + i * p, R + i * p, p);
        if (left > mine.most * (1 + slack))
            mine = (best){left, first + i};
    }
    MPI_Allgather(&mine, (int)sizeof mine, MPI_BYTE, all, (int)sizeof mine, MPI_BYTE,
                  MPI_COMM_WORLD);
    for (int r = 0; r < team_size; r++)
        if (all[r].most > top.most * (1 + slack))
            top = all[r];
    free(all);
    return top;
}

/* a[0] block X, a[1] columns of it, a[2] rows chosen already, a[3] wanted, d[0] slack; in: weights
 * [n], in2: the rows chosen [a[2]]; out [a[3]] on rank 0: all. a[4] := how many there are. */
fb_status team_pick(team_work *w, fb_err *e)
{
    const team_object *o = team_get(w->a[0]);
    const int64_t own = o->rows.own, p = w->a[1], given = w->a[2], want = w->a[3];
    const int64_t *chosen = team_all(w->in2, given, 8);
    int64_t *row = w->out;
    double *weight = team_room(own, 8), *R = team_room(own * p, 8), *q = team_room(p, 8);
    (void)e;
    team_scatter(&o->rows, w->in, 1, weight);
    for (int64_t i = 0; i < own; i++)
        for (int64_t c = 0; c < p; c++)
            R[c + i * p] = weight[i] * o->X.x[i + c * own];
    int64_t k = 0;
    for (; k < want; k++) {
        const best t =
            k < given ? (best){1, chosen[k]} : furthest(R, own, o->rows.first, p, w->d[0]);
        if (!(t.most > 0))
            break;
        const int owner = team_owner(&o->rows, t.row);
        if (owner == team_rank) {
            memcpy(q, R + (t.row - o->rows.first) * p, sizeof *q * (size_t)p);
            fb_to_unit(q, p);
            memset(R + (t.row - o->rows.first) * p, 0, sizeof *q * (size_t)p);
        }
        MPI_Bcast(q, (int)p, MPI_DOUBLE, owner, MPI_COMM_WORLD);
        const fb_mat Q = {p, 1, q};
        for (int64_t i = 0; i < own; i++) /* (PK.2) */
            fb_without(&Q, R + i * p);
        if (!team_rank)
            row[k] = t.row;
    }
    w->a[4] = k;
    team_done(chosen);
    FB_FREE(weight, R, q);
    return FB_OK;
}
