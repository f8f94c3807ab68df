/* SPDX-License-Identifier: GPL-3.0-or-later */
/* factor.c - factors of K - sigma M over all ranks, and counts: MUMPS.
 *
 * Equations  S = K - sigma M, P a nested dissection order of the nodes (lib/linalg/order.c)
 *   (FM.1) P S P' = L L'            definite
 *   (FM.2) P S P' = L D L'          with multipliers, or for the count of negative roots
 *   (FM.3) two inverse iterations X := S^-1 M X, S = K: x'Kx / x'Mx below `least` is a motion that
 *          hardly strains: a Cholesky factor of a singular K passes with pivots of round-off
 * Source  Amestoy, Duff, Koster, L'Excellent, SIAM J. Matrix Anal. Appl. 23 (2001) 15-41
 */
#include "linalg/blas.h"
#include "linalg/dense.h"
#include "linalg/factor.h"
#include "linalg/rows.h"
#include "linalg/sparse.h"
#include "model.h"
#include "memory.h"
#include "team.h"
#include <dmumps_c.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    WIDE = 32, /* right-hand sides a call of MUMPS: more are no cheaper each (measured) */
    TOGETHER = FB_NARROW, /* of their solutions a message home */
    PROBES = 8,           /* (FM.3) */
    SLACK = 25,           /* per cent of workspace above MUMPS' estimate */
    DELAYED = 60,         /* the same where pivots may be delayed */
    TRIES = 5,
    LARGE = 10000 /* equations: the analysis of fewer takes no time */
};

static const double WHOLE = 0.9; /* of a couple's entries: the factor grows by no more than that */

struct team_factor {
    DMUMPS_STRUC_C d;
    const team_object *K, *M; /* M NULL: none */
    int *irn, *jcn, *place, *mine;
    int *turn, *node; /* rank 0: rows as they are eliminated, and where those of a node begin */
    double *a;
    double *work; /* [room] MUMPS' main workspace; NULL: its own */
    int64_t room, forecast;
    /* From MUMPS' rows of the solution to ours: */
    int nsol, *isol, *sends, *receives, *at_send, *at_receive, *order;
    int64_t nreceive, *row;
    double *sol, *buffer, *in;
};

static void set(DMUMPS_STRUC_C *d, int k, int value)
{
    d->icntl[k - 1] = value;
}

static fb_status failure(const DMUMPS_STRUC_C *d, const char *what, fb_err *e)
{
    const int code = d->infog[0], detail = d->infog[1];
    switch (code) {
    case -7:
    case -13:
    case -19:
        return fb_fail(e, FB_ESYS,
                       "out of memory while %s %d equations with MUMPS on %d ranks (code %d, "
                       "detail %d): take more ranks on more machines, or --out-of-core DIR",
                       what, d->n, team_size, code, detail);
    case -90:
        return fb_fail(e, FB_ESYS, "MUMPS could not write out of core: %s (code %d, detail %d)",
                       d->ooc_tmpdir, code, detail);
    case -6:
    case -10:
    case -40:
        return fb_fail(e, FB_ESOLVE, "the matrix of %d equations is %s", d->n,
                       code == -40 ? "not positive definite" : "singular");
    default:
        return fb_fail(e, code == -9 || code == -8 ? FB_ESYS : FB_ESOLVE,
                       "MUMPS failed while %s %d equations (code %d, detail %d)", what, d->n, code,
                       detail);
    }
}

/* MUMPS refuses a matrix without rows, as an interior is where all dofs are boundary: there is
 * nothing to do then, and its counts are 0. */
static fb_status run(DMUMPS_STRUC_C *d, int job, const char *what, fb_err *e)
{
    if (job > 0 && d->n == 0) {
        memset(d->info, 0, sizeof d->info);
        memset(d->infog, 0, sizeof d->infog);
        memset(d->rinfog, 0, sizeof d->rinfog);
        return FB_OK;
    }
    const int threads = fb_blas_threads(job == 2 ? fb_threads() : 1);
    d->job = job;
    dmumps_c(d);
    fb_blas_threads(threads);
    return d->infog[0] < 0 ? failure(d, what, e) : FB_OK;
}

/* Sizes that MUMPS has no room for in an int are negative, millions rounded down. */
static int64_t at_least(MUMPS_INT info)
{
    return info < 0 ? (1 - (int64_t)info) * 1000000 : info;
}

/* ---- the order --------------------------------------------------------------------------- */

/* Pairs v nv + w, v < w, of nodes that our columns of K and M couple; M NULL: none. Nearly each
 * once, as long as the rows of a node follow each other. */
static int64_t *couples(const team_object *K, const team_object *M, const int64_t *vertex,
                        int64_t nv, int64_t *n)
{
    const team_object *const all[] = {K, M};
    int64_t *mark = team_room(nv, 8), *pair, most = 0;
    char *seen = team_room(nv, 1);
    int scattered = 0;
    for (int k = 0; k < (M ? 2 : 1); k++)
        most += all[k]->A.p[K->rows.own];
    pair = team_room(most, 8);
    *n = 0;
    for (int64_t j = 0; j < K->rows.own; j++) {
        const int64_t v = vertex[K->rows.first + j];
        scattered |= seen[v] && vertex[K->rows.first + j - 1] != v;
        seen[v] = 1;
        mark[v] = v + 1;
        for (int k = 0; k < (M ? 2 : 1); k++)
            for (int64_t q = all[k]->A.p[j]; q < all[k]->A.p[j + 1]; q++) {
                const int64_t u = vertex[team_row_number(all[k], all[k]->A.i[q])];
                if (mark[u] == v + 1)
                    continue;
                mark[u] = v + 1;
                pair[(*n)++] = u < v ? u * nv + v : v * nv + u;
            }
    }
    FB_FREE(mark, seen);
    if (scattered)
        *n = fb_unique(pair, *n);
    return pair;
}

/* All ranks' pairs on rank 0; how many. */
static int64_t collect(const int64_t *pair, int64_t n, int64_t **list)
{
    int64_t *each = team_room(team_size, 8), all = 0;
    MPI_Gather(&n, 1, MPI_INT64_T, each, 1, MPI_INT64_T, 0, MPI_COMM_WORLD);
    for (int r = 0; r < team_size; r++)
        all += each[r];
    if (team_rank) {
        MPI_Send(pair, (int)n, MPI_INT64_T, 0, 1, MPI_COMM_WORLD);
    } else {
        *list = team_room(all, 8);
        memcpy(*list, pair, sizeof *pair * (size_t)n);
        for (int64_t r = 1, at = n; r < team_size; at += each[r++])
            MPI_Recv(*list + at, (int)each[r], MPI_INT64_T, (int)r, 1, MPI_COMM_WORLD,
                     MPI_STATUS_IGNORE);
    }
    free(each);
    return all;
}

/* Place of each row in the elimination, from the graph of the nodes. */
static fb_status dissect(int64_t nv, const int64_t *pair, int64_t n, const int64_t *vertex,
                         int64_t rows, int64_t *place, fb_err *e)
{
    int64_t *perm = team_room(nv, 8), *i = team_room(n + nv, 8), *j = team_room(n + nv, 8),
            *at = team_room(nv + 1, 8);
    double *x = team_room(n + nv, 8);
    fb_csc A = {0};
    fb_status s = FB_OK;
    for (int64_t k = 0; k < n; k++) {
        i[k] = pair[k] / nv;
        j[k] = pair[k] % nv;
    }
    for (int64_t v = 0; v < nv; v++)
        i[n + v] = j[n + v] = v;
    for (int64_t k = 0; k < n + nv; k++)
        x[k] = 1;
    FB_TRY(fb_csc_from_triplets(&A, nv, nv, n + nv, i, j, x, 1, e));
    FB_TRY(fb_order(&A, NULL, perm, e));
    for (int64_t k = 0; k < rows; k++) /* how many rows each node has, in its place */
        at[vertex[k]]++;
    int64_t before = 0;
    for (int64_t k = 0; k < nv; k++) {
        const int64_t mine = at[perm[k]];
        at[perm[k]] = before;
        before += mine;
    }
    for (int64_t k = 0; k < rows; k++)
        place[k] = at[vertex[k]]++;
out:
    fb_csc_free(&A);
    FB_FREE(perm, i, j, at, x);
    return s;
}

/* a[0] K, a[1] M or 0, a[2] nodes, in: the node of each row, 0 .. a[2] - 1; out [n] on rank 0: the
 * place of each row in the elimination. */
fb_status team_order(team_work *w, fb_err *e)
{
    const team_object *K = team_get(w->a[0]);
    const int64_t nv = w->a[2], *vertex = team_all(w->in, K->rows.n, 8);
    int64_t *list = NULL, n, all,
            *pair = couples(K, w->a[1] ? team_get(w->a[1]) : NULL, vertex, nv, &n);
    fb_status s = FB_OK;
    all = collect(pair, n, &list);
    free(pair);
    if (!team_rank)
        s = dissect(nv, list, all, vertex, K->rows.n, w->out, e);
    free(list);
    team_done(vertex);
    return s;
}

/* ---- factors ----------------------------------------------------------------------------- */

const char *team_factor_folder(const struct team_factor *F)
{
    return F->d.icntl[21] ? F->d.ooc_tmpdir : "";
}

static void drop_input(struct team_factor *F)
{
    FB_FREE(F->irn, F->jcn, F->a);
    F->irn = F->jcn = NULL;
    F->a = NULL;
}

void team_factor_free(struct team_factor *F)
{
    if (!F)
        return;
    F->d.job = -2;
    dmumps_c(&F->d);
    drop_input(F);
    void *const all[] = {F->place, F->mine, F->isol,    F->sends,      F->receives,
                         F->turn,  F->node, F->at_send, F->at_receive, F->order,
                         F->row,   F->sol,  F->buffer,  F->in,         F->work};
    for (size_t k = 0; k < sizeof all / sizeof *all; k++)
        free(all[k]);
    free(F);
}

/* A column of a matrix, row by row. */
typedef struct {
    const team_object *o;
    int64_t at, end;
} walk;

static walk walk_column(const team_object *o, int64_t j)
{
    return o ? (walk){o, o->A.p[j], o->A.p[j + 1]} : (walk){0};
}

/* Behind the last one: beyond all rows. */
static int64_t row_at(const walk *w)
{
    return w->at < w->end ? team_row_number(w->o, w->o->A.i[w->at]) : INT64_MAX;
}

/* The entries of K - sigma M, each place once; irn NULL: counts them. a NULL: no values. */
static int64_t entries(const struct team_factor *F, double sigma, int *irn, int *jcn, double *a)
{
    int64_t n = 0;
    for (int64_t j = 0; j < F->K->rows.own; j++) {
        walk k = walk_column(F->K, j), m = walk_column(F->M, j);
        while (k.at < k.end || m.at < m.end) {
            const int64_t rk = row_at(&k), rm = row_at(&m), row = rk < rm ? rk : rm;
            double x = 0;
            if (rk == row)
                x += k.o->A.x[k.at++];
            if (rm == row)
                x -= sigma * m.o->A.x[m.at++];
            if (irn) {
                irn[n] = (int)(row + 1);
                jcn[n] = (int)(F->K->rows.first + j + 1);
            }
            if (a)
                a[n] = x;
            n++;
        }
    }
    return n;
}

static void input(struct team_factor *F, double sigma, int values)
{
    const int64_t n = entries(F, sigma, NULL, NULL, NULL);
    F->irn = team_room(n, sizeof *F->irn);
    F->jcn = team_room(n, sizeof *F->jcn);
    F->a = values ? team_room(n, sizeof *F->a) : NULL;
    (void)entries(F, sigma, F->irn, F->jcn, F->a);
    F->d.nnz_loc = n;
    F->d.irn_loc = F->irn;
    F->d.jcn_loc = F->jcn;
    F->d.a_loc = F->a;
}

static fb_status start(struct team_factor *F, int sym, int keep, const char *folder, fb_err *e)
{
    DMUMPS_STRUC_C *d = &F->d;
    d->par = 1;
    d->sym = sym;
    d->comm_fortran = (MUMPS_INT)MPI_Comm_c2f(MPI_COMM_WORLD);
    FB_PASS(run(d, -1, "starting", e));
    set(d, 1, -1); /* says nothing */
    set(d, 2, -1);
    set(d, 3, -1);
    set(d, 4, 0);
    set(d, 7, 1);   /* the order that we give */
    set(d, 28, 1);  /* analysed on one rank */
    set(d, 18, 3);  /* each rank brings its entries */
    set(d, 20, 10); /* right-hand sides and solutions stay where they are */
    set(d, 21, 1);
    set(d, 14, sym == 1 ? SLACK : DELAYED);
    set(d, 13, 1); /* no ScaLAPACK at the root: its solves are slow, and it counts no signs */
    if (sym == 1) {
        set(d, 8, 0); /* a definite matrix is factorised as it is: no scaling */
    } else {
        set(d, 6, 0);
        set(d, 12, 1);
        set(d, 24, 1);
    }
    set(d, 31, keep ? 0 : 1);
    if (*folder) {
        set(d, 22, 1);
        snprintf(d->ooc_tmpdir, sizeof d->ooc_tmpdir, "%s", folder);
        snprintf(d->ooc_prefix, sizeof d->ooc_prefix, "flexbody");
    }
    d->n = (int)F->K->rows.n;
    if (!team_rank) {
        F->place = team_room(d->n, sizeof *F->place);
        for (int k = 0; k < d->n; k++)
            F->place[k] = F->K->A.order ? (int)F->K->A.order[k] + 1 : k + 1;
        d->perm_in = F->place;
    }
    return FB_OK;
}

/* Beside the entries that MUMPS is given it needs nothing of ours; what was freed before goes back
 * to the system, for MUMPS takes memory in large pieces. */
static fb_status put_aside(const struct team_factor *F, fb_err *e)
{
    const fb_status s = team_park(team_factor_folder(F), NULL, NULL, e);
    fb_memory_trim();
    return s;
}

static struct team_factor *new_factor(const team_work *w, int64_t *id)
{
    team_object *o = team_new(TEAM_FACTOR, id);
    o->F = team_room(1, sizeof *o->F);
    o->F->K = team_get(w->a[0]);
    o->F->M = w->a[1] ? team_get(w->a[1]) : NULL;
    team_cut_copy(&o->rows, &o->F->K->rows);
    return o->F;
}

static fb_status analyse(struct team_factor *F, fb_err *e)
{
    FB_PASS(run(&F->d, 1, "analysing", e));
    F->forecast = at_least(F->d.info[7]);
    return FB_OK;
}

/* 1: our entries and those of the others fill nearly all of the couples of nodes they lie in. */
static int couple_whole(const struct team_factor *F, const int64_t *vertex, int64_t nv)
{
    const DMUMPS_STRUC_C *d = &F->d;
    int64_t *size = team_room(nv, 8), *mark = team_room(nv, 8);
    double count[2] = {(double)d->nnz_loc, 0};
    for (int k = 0; k < d->n; k++)
        size[vertex[k]]++;
    for (int64_t q = 0; q < d->nnz_loc; q++) {
        const int64_t v = vertex[F->jcn[q] - 1], u = vertex[F->irn[q] - 1];
        if (mark[u] != v + 1)
            count[1] += (double)size[u] * (double)(u == v ? size[u] + 1 : 2 * size[v]) / 2;
        mark[u] = v + 1;
    }
    team_sum(count, 2, 1);
    FB_FREE(size, mark);
    return count[0] > WHOLE * count[1];
}

/* MUMPS analyses nodes in the place of their rows: a third of the time for bodies of solids. Where
 * axes do not couple, as in mass matrices, the factor of the nodes is several times larger. */
static void by_nodes(struct team_factor *F, const int64_t *vertex, int64_t nv)
{
    DMUMPS_STRUC_C *d = &F->d;
    if (d->n < LARGE || !couple_whole(F, vertex, nv) || team_rank)
        return;
    F->turn = team_room(d->n, sizeof *F->turn);
    F->node = team_room((int64_t)d->n + 1, sizeof *F->node);
    for (int k = 0; k < d->n; k++)
        F->turn[F->place[k] - 1] = k + 1;
    for (int k = 0; k < d->n; k++)
        if (k == 0 || vertex[F->turn[k] - 1] != vertex[F->turn[k - 1] - 1])
            F->node[d->nblk++] = k + 1;
    F->node[d->nblk] = d->n + 1;
    d->blkvar = F->turn;
    d->blkptr = F->node;
    set(d, 15, 1);
}

/* Workspace of `times` what the analysis says, for a factor that stays in memory: what MUMPS does
 * not touch costs nothing, and what it has no more use for can be given back. */
static fb_status workspace(struct team_factor *F, int64_t times, fb_err *e)
{
    DMUMPS_STRUC_C *d = &F->d;
    const int64_t n = times * F->forecast, millions = n / 1000000 + 1;
    fb_status s = FB_OK;
    if (d->icntl[21] || d->icntl[30] || d->n == 0)
        return FB_OK;
    free(F->work);
    F->room = n > INT32_MAX ? millions * 1000000 : n;
    F->work = fb_alloc((size_t)F->room, sizeof *F->work);
    if (!F->work)
        s = fb_fail(e, FB_ESYS,
                    "out of memory while factorising %d equations with MUMPS on %d ranks (rank %d "
                    "wants %.3g GiB): take more ranks on more machines, or --out-of-core DIR",
                    d->n, team_size, team_rank, (double)F->room * 8 / 0x1p30);
    d->wk_user = F->work;
    d->lwk_user = (MUMPS_INT)(n > INT32_MAX ? -millions : n);
    return team_agree(s, e);
}

/* a[0] K, a[1] M or 0, a[2] 1: definite, 2: not; a[4] 1: the factor is kept; text: folder for out
 * of core, or ""; in: the node of each row, 0 .. a[5] - 1, a[5] 0: not known. a[3] := the factor,
 * analysed; d[0] := its entries, d[1] flops, d[2] GiB on the
 * worst rank, d[3] of all. */
fb_status team_analyse(team_work *w, fb_err *e)
{
    struct team_factor *F = new_factor(w, &w->a[3]);
    DMUMPS_STRUC_C *d = &F->d;
    FB_PASS(start(F, (int)w->a[2], (int)w->a[4], w->text, e));
    input(F, 0, 0);
    if (w->a[5]) {
        const int64_t *vertex = team_all(w->in, d->n, 8);
        by_nodes(F, vertex, w->a[5]);
        team_done(vertex);
    }
    fb_status s = put_aside(F, e);
    if (!s)
        s = analyse(F, e);
    drop_input(F);
    FB_PASS(team_unpark(s, e));
    w->d[0] = d->infog[2] < 0 ? -1e6 * d->infog[2] : d->infog[2]; /* negative: millions */
    w->d[1] = d->rinfog[0];
    const int core = *w->text ? 26 : 16;
    w->d[2] = d->infog[core - 1] * 1e6 / 0x1p30;
    w->d[3] = d->infog[core] * 1e6 / 0x1p30;
    return FB_OK;
}

/* Factors, or analyses and factors. */
static fb_status numeric(struct team_factor *F, double sigma, int fresh, fb_err *e)
{
    fb_status s = FB_OK;
    input(F, sigma, 1);
    FB_TRY(put_aside(F, e));
    if (fresh)
        FB_TRY(analyse(F, e));
    for (int try = 0, again = 1; again && try < TRIES; try++) {
        *e = (fb_err){0};
        FB_TRY(workspace(F, 1 << try, e));
        s = run(&F->d, 2, "factorising", e);
        const int code = F->d.infog[0];
        again = code == -8 || code == -9 || code == -11 || code == -14 || code == -15 ||
                code == -17 || code == -20;
        if (again)
            F->d.icntl[13] *= 2;
    }
    if (!s && F->work) {
        const int64_t used = at_least(F->d.info[8]);
        if (used < F->room)
            fb_memory_release(F->work + used, sizeof *F->work * (size_t)(F->room - used));
    }
out:
    drop_input(F);
    fb_memory_trim();
    F->nsol = 0;
    free(F->isol); /* the way home is planned anew */
    F->isol = NULL;
    return team_unpark(s, e);
}

static void random_rows(const team_cut *r, fb_mat *X, uint64_t seed)
{
    for (int64_t c = 0; c < X->n; c++)
        for (int64_t i = 0; i < r->own; i++) { /* the same whatever the ranks */
            uint64_t state = fb_mix(seed + (uint64_t)c) ^ fb_mix((uint64_t)(r->first + i));
            fb_random_fill(&state, X->x + i + c * r->own, 1);
        }
}

/* (FM.3) */
static fb_status probe(team_object *o, double least, int64_t *soft, fb_err *e)
{
    const int64_t own = o->rows.own;
    const struct team_factor *F = o->F;
    fb_mat X = {own, PROBES, team_room(own * PROBES, 8)},
           Y = {own, PROBES, team_room(own * PROBES, 8)};
    double k[2 * PROBES] = {0};
    fb_status s = FB_OK;
    random_rows(&o->rows, &Y, 1);
    for (int turn = 0; !s && turn < 2; turn++) {
        s = team_factor_apply(o, &Y, e);
        memcpy(X.x, Y.x, sizeof *X.x * (size_t)(own * PROBES));
        team_times(F->M, &X, &Y);
    }
    for (int64_t q = 0; q < own * PROBES; q++)
        k[PROBES + q / own] += X.x[q] * Y.x[q];
    team_times(F->K, &X, &Y);
    for (int64_t q = 0; q < own * PROBES; q++)
        k[q / own] += X.x[q] * Y.x[q];
    team_sum(k, 2 * PROBES, 1);
    for (int c = 0; c < PROBES; c++)
        *soft |= !(k[c] > least * k[PROBES + c]);
    FB_FREE_BY(fb_mat_free, &X, &Y);
    return s;
}

/* a[0] factor, d[0] sigma, d[1] > 0: of (FM.3). a[1] := negative roots, a[2] zero pivots, a[3] 1:
 * it is not definite, or moves without strain. */
fb_status team_factorise(team_work *w, fb_err *e)
{
    team_object *o = team_get(w->a[0]);
    fb_status s = numeric(o->F, w->d[0], 0, e);
    w->a[1] = o->F->d.infog[11];
    w->a[2] = o->F->d.infog[27];
    w->a[3] = s == FB_ESOLVE;
    if (!s && w->d[1] > 0 && o->F->d.n > 0)
        s = probe(o, w->d[1], &w->a[3], e);
    return s;
}

/* a[0] K, a[1] M, d[0] sigma, text as in analyse; a[2] := negative roots, a[3] zero pivots. */
fb_status team_count(team_work *w, fb_err *e)
{
    int64_t id;
    struct team_factor *F = new_factor(w, &id);
    fb_status s = FB_OK;
    FB_TRY(start(F, 2, 0, w->text, e));
    s = numeric(F, w->d[0], 1, e);
    w->a[2] = F->d.infog[11];
    w->a[3] = F->d.infog[27];
out:
    team_drop(id);
    return s;
}

/* ---- solutions --------------------------------------------------------------------------- */

static void place_rows(struct team_factor *F, const team_cut *r)
{
    DMUMPS_STRUC_C *d = &F->d;
    F->nsol = d->info[22];
    free(F->sol);
    F->nreceive = -1; /* not planned */
    F->isol = team_room(F->nsol, sizeof *F->isol);
    F->sol = team_room((int64_t)F->nsol * WIDE, 8);
    d->isol_loc = F->isol;
    d->sol_loc = F->sol;
    d->lsol_loc = F->nsol > 1 ? F->nsol : 1;
    if (!F->mine) {
        F->mine = team_room(r->own, sizeof *F->mine);
        for (int64_t i = 0; i < r->own; i++)
            F->mine[i] = (int)(r->first + i + 1);
        F->in = team_room(r->own * WIDE, 8);
    }
    d->irhs_loc = F->mine;
    d->nloc_rhs = (int)r->own;
    d->lrhs_loc = r->own > 1 ? (int)r->own : 1;
}

/* isol is known: which of its rows go to whom. */
static void plan_home(struct team_factor *F, const team_cut *r)
{
    int **const small[] = {&F->sends, &F->receives, &F->at_send, &F->at_receive};
    for (int k = 0; k < 4; k++) {
        free(*small[k]);
        *small[k] = team_room(team_size + 1, sizeof **small[k]);
    }
    FB_FREE(F->order, F->row, F->buffer);
    F->order = team_room(F->nsol, sizeof *F->order);
    for (int k = 0; k < F->nsol; k++)
        F->sends[team_owner(r, F->isol[k] - 1)]++;
    MPI_Alltoall(F->sends, 1, MPI_INT, F->receives, 1, MPI_INT, MPI_COMM_WORLD);
    for (int q = 0; q < team_size; q++) {
        F->at_send[q + 1] = F->at_send[q] + F->sends[q];
        F->at_receive[q + 1] = F->at_receive[q] + F->receives[q];
    }
    int *at = team_room(team_size + 1, sizeof *at);
    int64_t *row = team_room(F->nsol, 8);
    memcpy(at, F->at_send, sizeof *at * (size_t)team_size);
    for (int k = 0; k < F->nsol; k++)
        F->order[at[team_owner(r, F->isol[k] - 1)]++] = k;
    for (int k = 0; k < F->nsol; k++)
        row[k] = F->isol[F->order[k]] - 1;
    F->nreceive = F->at_receive[team_size];
    F->row = team_room(F->nreceive, 8);
    MPI_Alltoallv(row, F->sends, F->at_send, MPI_INT64_T, F->row, F->receives, F->at_receive,
                  MPI_INT64_T, MPI_COMM_WORLD);
    for (int64_t k = 0; k < F->nreceive; k++)
        F->row[k] -= r->first;
    F->buffer = team_room((F->nsol + F->nreceive) * TOGETHER, 8);
    FB_FREE(at, row);
}

/* Columns from.. of the solution, k of them, to those who hold their rows: [nreceive][k]. */
static const double *send_home(struct team_factor *F, int64_t from, int64_t k)
{
    const int64_t ld = F->d.lsol_loc;
    double *to = F->buffer + F->nsol * k;
    MPI_Datatype row;
    for (int64_t i = 0; i < F->nsol; i++)
        for (int64_t q = 0; q < k; q++)
            F->buffer[i * k + q] = F->sol[F->order[i] + (from + q) * ld];
    MPI_Type_contiguous((int)k, MPI_DOUBLE, &row);
    MPI_Type_commit(&row);
    MPI_Alltoallv(F->buffer, F->sends, F->at_send, row, to, F->receives, F->at_receive, row,
                  MPI_COMM_WORLD);
    MPI_Type_free(&row);
    return to;
}

/* The solutions for the k right-hand sides that `in` holds. */
static fb_status solve(team_object *o, int64_t k, fb_err *e)
{
    struct team_factor *F = o->F;
    const int fresh = F->nreceive < 0;
    F->d.nrhs = (int)k;
    F->d.rhs_loc = F->in;
    FB_PASS(run(&F->d, 3, "solving for", e));
    if (fresh)
        plan_home(F, &o->rows);
    return FB_OK;
}

fb_status team_factor_apply(team_object *o, fb_mat *X, fb_err *e)
{
    struct team_factor *F = o->F;
    const int64_t own = o->rows.own;
    if (!F->isol)
        place_rows(F, &o->rows);
    for (int64_t c = 0; c < X->n; c += WIDE) {
        const int64_t k = X->n - c < WIDE ? X->n - c : WIDE;
        memcpy(F->in, X->x + c * own, sizeof *F->in * (size_t)(own * k)); /* MUMPS scales it */
        FB_PASS(solve(o, k, e));
        for (int64_t from = 0; from < k; from += TOGETHER) {
            const int64_t n = k - from < TOGETHER ? k - from : TOGETHER;
            const double *x = send_home(F, from, n);
            for (int64_t i = 0; i < F->nreceive; i++)
                for (int64_t q = 0; q < n; q++)
                    X->x[F->row[i] + (c + from + q) * own] = x[i * n + q];
        }
    }
    return FB_OK;
}

fb_status team_factor_apply_rows(team_object *o, double *W, int64_t k, fb_err *e)
{
    struct team_factor *F = o->F;
    const int64_t own = o->rows.own;
    if (!F->isol)
        place_rows(F, &o->rows);
    fb_turn_rows(&(fb_turn){.x = F->in, .R = W, .n = own, .k = k, .width = FB_NARROW, .back = 1}, 0,
                 own);
    FB_PASS(solve(o, k, e));
    const double *x = send_home(F, 0, k);
    for (int64_t i = 0; i < F->nreceive; i++)
        memcpy(W + F->row[i] * FB_NARROW, x + i * k, sizeof *x * (size_t)k);
    return FB_OK;
}

/* Of columns of a block; many of them are worth that the rest goes aside. */
static fb_status solve_block(team_object *o, team_object *block, int64_t from, int64_t k, fb_err *e)
{
    fb_mat X = fb_mat_columns(&block->X, from, k);
    fb_status s = FB_OK;
    if (k > WIDE)
        FB_TRY(team_park(team_factor_folder(o->F), block, NULL, e));
    s = team_factor_apply(o, &X, e);
out:
    return team_unpark(s, e);
}

/* a[0] factor; a[1] block from column a[2], a[3] columns, or a[1] 0: in and out on rank 0. */
fb_status team_solve(team_work *w, fb_err *e)
{
    team_object *o = team_get(w->a[0]);
    const int64_t own = o->rows.own, k = w->a[3];
    if (w->a[1])
        return solve_block(o, team_get(w->a[1]), w->a[2], k, e);
    fb_mat X = {own, k, team_room(own * k, 8)};
    team_scatter(&o->rows, w->in, k, X.x);
    fb_status s = team_factor_apply(o, &X, e);
    team_gather(&o->rows, X.x, k, w->out);
    fb_mat_free(&X);
    return s;
}
