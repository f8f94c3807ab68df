/* SPDX-License-Identifier: GPL-3.0-or-later */
/* block.c - blocks of vectors, each rank with its rows. */
#include "linalg/dense.h"
#include "memory.h"
#include "team.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

static fb_mat columns(int64_t id, int64_t first, int64_t n)
{
    return fb_mat_columns(&team_get(id)->X, first, n);
}

static team_object *block_like(int64_t like, int64_t n, int64_t *id)
{
    team_object *o = team_new(TEAM_BLOCK, id);
    team_cut_copy(&o->rows, &team_get(like)->rows);
    o->X = (fb_mat){o->rows.own, n, team_room(o->rows.own * n, sizeof(double))};
    return o;
}

/* a[0] object whose rows it has, a[1] columns; a[2] := the block, zero. */
fb_status team_block(team_work *w, fb_err *e)
{
    (void)e;
    (void)block_like(w->a[0], w->a[1], &w->a[2]);
    return FB_OK;
}

/* C := d[0] A S + d[1] C: a[0] A from column a[1], a[4] columns; a[2] C from a[3], a[5] columns; S
 * [a[4] x a[5]] in. C may be A, columns and all. */
fb_status team_combine(team_work *w, fb_err *e)
{
    const int64_t k = w->a[4], n = w->a[5];
    const fb_mat A = columns(w->a[0], w->a[1], k);
    const fb_mat S = {k, n, team_all(w->in, k * n, 8)};
    fb_mat C = columns(w->a[2], w->a[3], n);
    fb_status s = fb_gemm(0, 0, w->d[0], &A, &S, w->d[1], &C, e);
    team_done(S.x);
    return s;
}

/* out [a[4] x a[5]] on rank 0: A'B; a[0] A from column a[1]; a[2] B from a[3], or 0: in [n x a[5]]
 * on rank 0. */
fb_status team_inner(team_work *w, fb_err *e)
{
    const int64_t k = w->a[4], n = w->a[5];
    const team_cut *r = &team_get(w->a[0])->rows;
    const fb_mat A = columns(w->a[0], w->a[1], k);
    fb_mat B = {r->own, n, NULL}, C = {k, n, team_room(k * n, 8)};
    if (w->a[2]) {
        B = columns(w->a[2], w->a[3], n);
    } else {
        B.x = team_room(r->own * n, 8);
        team_scatter(r, w->in, n, B.x);
    }
    fb_status s = fb_gemm(1, 0, 1, &A, &B, 0, &C, e);
    team_sum(C.x, k * n, 0);
    if (!team_rank)
        memcpy(w->out, C.x, sizeof *C.x * (size_t)(k * n));
    fb_mat_free(&C);
    if (!w->a[2])
        fb_mat_free(&B);
    return s;
}

/* a[0] object whose rows it has, a[1] columns, in: block and column of each; a[2] := the block. */
fb_status team_arrange(team_work *w, fb_err *e)
{
    const int64_t n = w->a[1], *from = team_all(w->in, 2 * n, 8);
    team_object *o = block_like(w->a[0], n, &w->a[2]);
    (void)e;
    for (int64_t c = 0; c < n; c++)
        memcpy(o->X.x + c * o->rows.own, team_get(from[2 * c])->X.x + from[2 * c + 1] * o->rows.own,
               sizeof(double) * (size_t)o->rows.own);
    team_done(from);
    return FB_OK;
}

/* a[0] block from column a[1], a[2] columns, to out on rank 0; a[3]: from in. */
fb_status team_fetch(team_work *w, fb_err *e)
{
    team_object *o = team_get(w->a[0]);
    double *x = o->X.x + w->a[1] * o->rows.own;
    (void)e;
    if (w->a[3])
        team_scatter(&o->rows, w->in, w->a[2], x);
    else
        team_gather(&o->rows, x, w->a[2], w->out);
    return FB_OK;
}

/* a[0] block from column a[1], a[2] columns; in: weights [n]; out [a[2]]: sum of w x^2. */
fb_status team_weigh(team_work *w, fb_err *e)
{
    const team_object *o = team_get(w->a[0]);
    const int64_t own = o->rows.own;
    double *weight = team_room(own, 8), *y = team_room(w->a[2], 8);
    (void)e;
    team_scatter(&o->rows, w->in, 1, weight);
    for (int64_t c = 0; c < w->a[2]; c++) {
        const double *x = o->X.x + (w->a[1] + c) * own;
        for (int64_t i = 0; i < own; i++)
            y[c] += weight[i] * x[i] * x[i];
    }
    team_sum(y, w->a[2], 0);
    if (!team_rank)
        memcpy(w->out, y, sizeof *y * (size_t)w->a[2]);
    FB_FREE(weight, y);
    return FB_OK;
}

/* T = [I; G]: a[0] G, a[1] object with the rows of T, in: their numbers of G's rows; in2 [a[2]] the
 * rows of the unit columns, the first ones; a[3] := T. */
fb_status team_expand(team_work *w, fb_err *e)
{
    const team_object *G = team_get(w->a[0]);
    const int64_t *row = team_all(w->in, G->rows.n, 8), *unit = team_all(w->in2, w->a[2], 8);
    team_object *T = block_like(w->a[1], G->X.n, &w->a[3]);
    (void)e;
    for (int64_t c = 0; c < G->X.n; c++) {
        double *to = T->X.x + c * T->rows.own;
        for (int64_t i = 0; i < G->rows.own; i++)
            to[row[G->rows.first + i] - T->rows.first] = G->X.x[i + c * G->rows.own];
        if (c < w->a[2] && team_owner(&T->rows, unit[c]) == team_rank)
            to[unit[c] - T->rows.first] = 1;
    }
    team_done(row);
    team_done(unit);
    return FB_OK;
}

/* a[0] block X, a[1] block Y, in: of each row of Y the row of X that it takes, on the same rank. */
fb_status team_restriction(team_work *w, fb_err *e)
{
    const team_object *X = team_get(w->a[0]);
    team_object *Y = team_get(w->a[1]);
    const int64_t *row = team_all(w->in, Y->rows.n, 8);
    (void)e;
    for (int64_t c = 0; c < Y->X.n; c++)
        for (int64_t i = 0; i < Y->rows.own; i++)
            Y->X.x[i + c * Y->rows.own] =
                X->X.x[row[Y->rows.first + i] - X->rows.first + c * X->rows.own];
    team_done(row);
    return FB_OK;
}

/* Of the modes a[2] of a[0] K and a[1] M, a[3] of them, in: lambda; out [a[3]] on rank 0:
 * ||K x - lambda M x||/||x||; d[0] := largest entry of |X'MX - I|. */
fb_status team_judge(team_work *w, fb_err *e)
{
    enum { TOGETHER = 16 };
    const team_object *K = team_get(w->a[0]), *M = team_get(w->a[1]);
    const int64_t own = K->rows.own, n = w->a[3];
    const double *lambda = team_all(w->in, n, 8);
    double *sum = team_room(2 * n, 8), *C = team_room(n * TOGETHER, 8), worst = 0;
    fb_mat KX = {own, 0, team_room(own * TOGETHER, 8)}, MX = {own, 0, team_room(own * TOGETHER, 8)};
    fb_status s = FB_OK;
    for (int64_t c = 0; !s && c < n; c += TOGETHER) {
        const int64_t k = n - c < TOGETHER ? n - c : TOGETHER;
        const fb_mat X = columns(w->a[2], c, k), all = columns(w->a[2], 0, c + k);
        fb_mat G = {c + k, k, C};
        KX.n = MX.n = k;
        team_times(K, &X, &KX);
        team_times(M, &X, &MX);
        for (int64_t d = 0; d < k; d++)
            for (int64_t i = d * own; i < (d + 1) * own; i++) {
                const double r = KX.x[i] - lambda[c + d] * MX.x[i];
                sum[c + d] += r * r;
                sum[n + c + d] += X.x[i] * X.x[i];
            }
        s = fb_gemm(1, 0, 1, &all, &MX, 0, &G, e);
        team_sum(C, (c + k) * k, 0);
        for (int64_t d = 0; d < k; d++)
            for (int64_t i = 0; i < c + k; i++)
                worst = fmax(worst, fabs(C[i + d * (c + k)] - (i == c + d)));
    }
    team_sum(sum, 2 * n, 0);
    for (int64_t c = 0; !team_rank && c < n; c++)
        ((double *)w->out)[c] = sqrt(sum[c] / sum[n + c]);
    w->d[0] = worst;
    team_done(lambda);
    FB_FREE(sum, C);
    FB_FREE_BY(fb_mat_free, &KX, &MX);
    return s;
}

/* a[0] block, a[1] columns: the first entry within 1e-6 of the largest becomes positive. */
fb_status team_signs(team_work *w, fb_err *e)
{
    const team_object *o = team_get(w->a[0]);
    const int64_t own = o->rows.own, n = w->a[1];
    double *most = team_room(n, 8);
    int64_t *at = team_room(n, 8), *first = team_room(n, 8);
    (void)e;
    for (int64_t c = 0; c < n; c++)
        for (int64_t i = 0; i < own; i++)
            most[c] = fmax(most[c], fabs(o->X.x[i + c * own]));
    MPI_Allreduce(MPI_IN_PLACE, most, (int)n, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
    for (int64_t c = 0; c < n; c++) {
        int64_t i = 0;
        while (i < own && fabs(o->X.x[i + c * own]) < (1 - 1e-6) * most[c])
            i++;
        at[c] = i < own ? 2 * (o->rows.first + i) + (o->X.x[i + c * own] < 0) : INT64_MAX;
    }
    MPI_Allreduce(at, first, (int)n, MPI_INT64_T, MPI_MIN, MPI_COMM_WORLD);
    for (int64_t c = 0; c < n; c++)
        for (int64_t i = 0; first[c] != INT64_MAX && first[c] & 1 && i < own; i++)
            o->X.x[i + c * own] = -o->X.x[i + c * own];
    FB_FREE(most, at, first);
    return FB_OK;
}

/* a[0] block, a[1] columns; out [n] on rank 0: sum of the squares of each row. */
fb_status team_rows(team_work *w, fb_err *e)
{
    const team_object *o = team_get(w->a[0]);
    double *y = team_room(o->rows.own, 8);
    (void)e;
    for (int64_t c = 0; c < w->a[1]; c++)
        for (int64_t i = 0; i < o->rows.own; i++)
            y[i] += o->X.x[i + c * o->rows.own] * o->X.x[i + c * o->rows.own];
    team_gather(&o->rows, y, 1, w->out);
    free(y);
    return FB_OK;
}

/* a[0] block from column a[1], a[2] columns, row a[3] of them to out on rank 0. */
fb_status team_row(team_work *w, fb_err *e)
{
    const team_object *o = team_get(w->a[0]);
    const int64_t i = w->a[3] - o->rows.first;
    double *y = team_room(w->a[2], 8);
    (void)e;
    for (int64_t c = 0; i >= 0 && i < o->rows.own && c < w->a[2]; c++)
        y[c] = o->X.x[i + (w->a[1] + c) * o->rows.own];
    team_sum(y, w->a[2], 0);
    if (!team_rank)
        memcpy(w->out, y, sizeof *y * (size_t)w->a[2]);
    free(y);
    return FB_OK;
}

/* a[0] block Y from column a[1], a[2] columns; in z [n]; out x [n] -= Y (Y'z), on rank 0. */
fb_status team_without(team_work *w, fb_err *e)
{
    const team_object *o = team_get(w->a[0]);
    const int64_t own = o->rows.own, n = w->a[2];
    const fb_mat Y = columns(w->a[0], w->a[1], n);
    double *z = team_room(own, 8), *c = team_room(n, 8), *x = team_room(own, 8);
    fb_mat Z = {own, 1, z}, C = {n, 1, c}, X = {own, 1, x};
    fb_status s = FB_OK;
    team_scatter(&o->rows, w->in, 1, z);
    team_scatter(&o->rows, w->out, 1, x);
    FB_TRY(fb_gemm(1, 0, 1, &Y, &Z, 0, &C, e));
    team_sum(c, n, 1);
    s = fb_gemm(0, 0, -1, &Y, &C, 1, &X, e);
out:
    team_gather(&o->rows, x, 1, w->out);
    FB_FREE(z, c, x);
    return s;
}

/* a[0] block, a[1] columns; in [a[2]]: rows, of which the k-th becomes the k-th unit row. */
fb_status team_unit(team_work *w, fb_err *e)
{
    const team_object *o = team_get(w->a[0]);
    const int64_t *row = team_all(w->in, w->a[2], 8);
    (void)e;
    for (int64_t k = 0; k < w->a[2]; k++) {
        const int64_t i = row[k] - o->rows.first;
        for (int64_t c = 0; i >= 0 && i < o->rows.own && c < w->a[1]; c++)
            o->X.x[i + c * o->rows.own] = c == k;
    }
    team_done(row);
    return FB_OK;
}
