/* SPDX-License-Identifier: GPL-3.0-or-later */
/* matrix.c - sparse matrices by slices of columns.
 *
 * Sets      a rank holds the columns first .. first + own - 1 of A, with upper = 1 of its upper
 *           triangle; the rows in them are its own or ghosts, rows of another rank
 * Equation  upper, our columns J:  (MM.1) Y_I += A_IJ X_J,  Y_J += A_IJ' X_I for I other than J
 *           X of the ghosts is asked for before, Y of the ghosts sent home after.
 * Layout    vectors are rows of WIDE values, ours, then those of the ghosts
 */
#include "h5.h"
#include "linalg/blas.h"
#include "linalg/rows.h"
#include "linalg/sparse.h"
#include "linalg/twofold.h"
#include "memory.h"
#include "model.h"
#include "team.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { WIDE = FB_NARROW, /* columns of a product together */ MANY = 32 /* of a congruence */ };

void team_matrix_free(team_matrix *A)
{
    FB_FREE(A->p, A->i, A->x, A->ghost, A->ghosts, A->gives, A->give, A->order);
    *A = (team_matrix){0};
}

static int64_t lower_bound(const int64_t *v, int64_t n, int64_t x)
{
    int64_t lo = 0, hi = n;
    while (lo < hi) {
        const int64_t m = (lo + hi) / 2;
        if (v[m] < x)
            lo = m + 1;
        else
            hi = m;
    }
    return lo;
}

static void starts(const int *n, int *at)
{
    at[0] = 0;
    for (int r = 0; r < team_size; r++)
        at[r + 1] = at[r] + n[r];
}

/* Who needs which of our rows. */
static void plan(team_object *o)
{
    team_matrix *A = &o->A;
    A->ghosts = team_room(team_size, sizeof *A->ghosts);
    A->gives = team_room(team_size, sizeof *A->gives);
    int *to = team_room(team_size + 1, sizeof *to), *from = team_room(team_size + 1, sizeof *from);
    for (int64_t k = 0; k < A->nghost; k++)
        A->ghosts[team_owner(&o->rows, A->ghost[k])]++;
    MPI_Alltoall(A->ghosts, 1, MPI_INT, A->gives, 1, MPI_INT, MPI_COMM_WORLD);
    starts(A->ghosts, from);
    starts(A->gives, to);
    A->ngive = to[team_size];
    A->give = team_room(A->ngive, sizeof *A->give);
    MPI_Alltoallv(A->ghost, A->ghosts, from, MPI_INT64_T, A->give, A->gives, to, MPI_INT64_T,
                  MPI_COMM_WORLD);
    for (int64_t k = 0; k < A->ngive; k++)
        A->give[k] -= o->rows.first;
    FB_FREE(to, from);
}

void team_matrix_build(team_object *o, int64_t *p, int64_t *i, double *x)
{
    team_matrix *A = &o->A;
    const team_cut *r = &o->rows;
    const int64_t nnz = p[r->own];
    int64_t n = 0;
    for (int64_t q = 0; q < nnz; q++)
        n += i[q] < r->first || i[q] >= r->first + r->own;
    A->ghost = team_room(n, sizeof *A->ghost);
    n = 0;
    for (int64_t q = 0; q < nnz; q++)
        if (i[q] < r->first || i[q] >= r->first + r->own)
            A->ghost[n++] = i[q];
    A->nghost = fb_unique(A->ghost, n);
    A->i = team_room(nnz, sizeof *A->i);
    for (int64_t q = 0; q < nnz; q++) {
        const int64_t at = i[q] - r->first;
        A->i[q] =
            (int32_t)(at >= 0 && at < r->own ? at
                                             : r->own + lower_bound(A->ghost, A->nghost, i[q]));
    }
    free(i);
    A->p = p;
    A->x = x;
    plan(o);
}

/* ---- from the file ----------------------------------------------------------------------- */

/* Columns by equal shares of the entries; p [n + 1] on rank 0. */
static void cut(team_cut *r, int64_t n, const int64_t *p)
{
    r->n = n;
    r->start = team_room(team_size + 1, sizeof *r->start);
    for (int k = 1; !team_rank && k < team_size; k++)
        r->start[k] = lower_bound(p, n, p[n] / team_size * k);
    r->start[team_size] = n;
    MPI_Bcast(r->start, team_size + 1, MPI_INT64_T, 0, MPI_COMM_WORLD);
    r->first = r->start[team_rank];
    r->own = r->start[team_rank + 1] - r->first;
}

static fb_status check_columns(const team_object *o, const char *object, const int64_t *p,
                               const int64_t *i, const double *x, fb_err *e)
{
    for (int64_t j = 0; j < o->rows.own; j++) {
        int64_t last = -1;
        const int64_t column = o->rows.first + j, most = o->A.upper ? column : o->rows.n - 1;
        if (p[j + 1] < p[j])
            return fb_fail(e, FB_EFORMAT, "%s/p[%lld] is out of order", object, (long long)column);
        for (int64_t q = p[j]; q < p[j + 1]; q++) {
            if (i[q] <= last || i[q] > most)
                return fb_fail(e, FB_EFORMAT,
                               "%s: column %lld: row index %lld out of order or range", object,
                               (long long)column, (long long)i[q]);
            if (!isfinite(x[q]))
                return fb_fail(e, FB_EFORMAT, "%s(%lld,%lld) is not finite", object,
                               (long long)i[q], (long long)column);
            last = i[q];
        }
    }
    return FB_OK;
}

static fb_status read_leaf(int64_t file, const char *object, const char *leaf, char type,
                           int64_t at, int64_t n, void *to, fb_err *e)
{
    char path[80];
    snprintf(path, sizeof path, "%s/%s", object, leaf);
    return n ? fb_h5_read_part(file, path, type, at, n, to, e) : FB_OK;
}

/* a[0] columns, a[1] upper, a[2] the matrix whose cut it takes, or 0; a[3] := the object. text:
 * the file, object: the group in it. in: p on rank 0, where a[2] is 0. */
fb_status team_read(team_work *w, fb_err *e)
{
    team_object *o = team_new(TEAM_MATRIX, &w->a[3]);
    int64_t file = -1, n, *p = NULL, *i = NULL;
    double *x = NULL;
    fb_status s = FB_OK;
    if (w->a[2])
        team_cut_copy(&o->rows, &team_get(w->a[2])->rows);
    else
        cut(&o->rows, w->a[0], w->in);
    o->A.upper = (int)w->a[1];
    p = team_room(o->rows.own + 1, sizeof *p);
    FB_TRY(fb_h5_reopen(&file, w->text, e));
    FB_TRY(read_leaf(file, w->object, "p", 'i', o->rows.first, o->rows.own + 1, p, e));
    const int64_t base = p[0];
    n = p[o->rows.own] - base;
    for (int64_t j = 0; j <= o->rows.own; j++)
        p[j] -= base;
    if (n < 0)
        FB_TRY(fb_fail(e, FB_EFORMAT, "%s/p is out of order", w->object));
    i = team_room(n, sizeof *i);
    x = team_room(n, sizeof *x);
    FB_TRY(read_leaf(file, w->object, "i", 'i', base, n, i, e));
    FB_TRY(read_leaf(file, w->object, "x", 'd', base, n, x, e));
    s = check_columns(o, w->object, p, i, x, e);
out:
    if (file >= 0) {
        fb_err later = {0};
        (void)!fb_h5_close(&file, &later);
    }
    if ((s = team_agree(s, e)) == FB_OK) {
        team_matrix_build(o, p, i, x);
        return FB_OK;
    }
    FB_FREE(p, i, x);
    team_drop(w->a[3]);
    return s;
}

/* ---- parts ------------------------------------------------------------------------------- */

/* Rows of the whole by their place in the ascending list; -1: not in it. */
typedef struct {
    int64_t *own, *ghost;
} places;

static places places_in(const team_object *o, const int64_t *list, int64_t n)
{
    places t = {team_room(o->rows.own, 8), team_room(o->A.nghost, 8)};
    for (int64_t k = 0; k < o->rows.own + o->A.nghost; k++) {
        const int64_t row = team_row_number(o, k), at = lower_bound(list, n, row);
        *(k < o->rows.own ? t.own + k : t.ghost + k - o->rows.own) =
            at < n && list[at] == row ? at : -1;
    }
    return t;
}

static int64_t place_of(const team_object *o, const places *t, int32_t local)
{
    return local < o->rows.own ? t->own[local] : t->ghost[local - o->rows.own];
}

/* The rows and columns of the list, which ascends. */
static void take(const team_object *o, const int64_t *list, int64_t n, const places *t,
                 team_object *to)
{
    const team_matrix *A = &o->A;
    int64_t nnz = 0, c = 0;
    to->A.upper = A->upper;
    to->rows.n = n;
    to->rows.start = team_room(team_size + 1, sizeof *to->rows.start);
    for (int r = 0; r <= team_size; r++)
        to->rows.start[r] = lower_bound(list, n, o->rows.start[r]);
    to->rows.first = to->rows.start[team_rank];
    to->rows.own = to->rows.start[team_rank + 1] - to->rows.first;
    for (int64_t j = 0; j < o->rows.own; j++)
        for (int64_t q = A->p[j]; t->own[j] >= 0 && q < A->p[j + 1]; q++)
            nnz += place_of(o, t, A->i[q]) >= 0;
    int64_t *p = team_room(to->rows.own + 1, sizeof *p), *i = team_room(nnz, sizeof *i);
    double *x = team_room(nnz, sizeof *x);
    nnz = 0;
    for (int64_t j = 0; j < o->rows.own; j++) {
        if (t->own[j] < 0)
            continue;
        for (int64_t q = A->p[j]; q < A->p[j + 1]; q++) {
            const int64_t row = place_of(o, t, A->i[q]);
            if (row < 0)
                continue;
            i[nnz] = row;
            x[nnz++] = A->x[q];
        }
        p[++c] = nnz;
    }
    team_matrix_build(to, p, i, x);
}

/* a[0] matrix, a[1] length of the list `in`; a[2] := its rows and columns. */
fb_status team_sub(team_work *w, fb_err *e)
{
    const team_object *o = team_get(w->a[0]);
    int64_t *list = team_all(w->in, w->a[1], 8);
    places t = places_in(o, list, w->a[1]);
    (void)e;
    take(o, list, w->a[1], &t, team_new(TEAM_MATRIX, &w->a[2]));
    FB_FREE(t.own, t.ghost);
    team_done(list);
    return FB_OK;
}

typedef struct {
    int64_t row, column; /* of the interior, of the boundary */
    double x;
} entry;

static int by_column(const void *a, const void *b)
{
    const entry *x = a, *y = b;
    if (x->column != y->column)
        return x->column < y->column ? -1 : 1;
    return (x->row > y->row) - (x->row < y->row);
}

/* Entries to those who hold their rows. */
static entry *send_home(const team_cut *r, entry *mine, int64_t n, int64_t *got)
{
    int *ns = team_room(team_size, sizeof *ns), *nr = team_room(team_size, sizeof *nr),
        *as = team_room(team_size + 1, sizeof *as), *ar = team_room(team_size + 1, sizeof *ar),
        *at = team_room(team_size + 1, sizeof *at);
    entry *out = team_room(n, sizeof *out), *in;
    MPI_Datatype type;
    for (int64_t k = 0; k < n; k++)
        ns[team_owner(r, mine[k].row)]++;
    MPI_Alltoall(ns, 1, MPI_INT, nr, 1, MPI_INT, MPI_COMM_WORLD);
    starts(ns, as);
    starts(nr, ar);
    memcpy(at, as, sizeof *at * (size_t)team_size);
    for (int64_t k = 0; k < n; k++)
        out[at[team_owner(r, mine[k].row)]++] = mine[k];
    *got = ar[team_size];
    in = team_room(*got, sizeof *in);
    MPI_Type_contiguous((int)sizeof *in, MPI_BYTE, &type);
    MPI_Type_commit(&type);
    MPI_Alltoallv(out, ns, as, type, in, nr, ar, type, MPI_COMM_WORLD);
    MPI_Type_free(&type);
    FB_FREE(out, ns, nr, as, ar, at);
    return in;
}

static void make_border(team_object *o, entry *t, int64_t n, int64_t nb)
{
    team_border *B = &o->B;
    qsort(t, (size_t)n, sizeof *t, by_column);
    B->n = nb;
    B->p = team_room(nb + 1, 8);
    B->i = team_room(n, sizeof *B->i);
    B->x = team_room(n, sizeof *B->x);
    for (int64_t k = 0; k < n; k++) {
        B->p[t[k].column + 1]++;
        B->i[k] = (int32_t)(t[k].row - o->rows.first);
        B->x[k] = t[k].x;
    }
    for (int64_t c = 0; c < nb; c++)
        B->p[c + 1] += B->p[c];
}

/* a[0] matrix, upper; a[1] boundary dofs in2, in any order, a[2] interior ones in, ascending. a[3]
 * := Aii, a[4] := Aib; out: Abb [nb x nb] on rank 0. */
fb_status team_split(team_work *w, fb_err *e)
{
    const team_object *o = team_get(w->a[0]);
    const team_matrix *A = &o->A;
    const int64_t nb = w->a[1], ni = w->a[2];
    int64_t *list = team_all(w->in, ni, 8), *b = team_all(w->in2, nb, 8), n = 0, got;
    int64_t *sorted = team_room(nb, 8), *place = team_room(nb, 8);
    double *bb = team_room(nb * nb, sizeof *bb);
    team_object *ii = team_new(TEAM_MATRIX, &w->a[3]), *ib = team_new(TEAM_BORDER, &w->a[4]);
    (void)e;
    memcpy(sorted, b, sizeof *b * (size_t)nb);
    (void)fb_unique(sorted, nb);
    for (int64_t k = 0; k < nb; k++)
        place[lower_bound(sorted, nb, b[k])] = k;
    places in = places_in(o, list, ni), at = places_in(o, sorted, nb);
    take(o, list, ni, &in, ii);
    team_cut_copy(&ib->rows, &ii->rows);
    for (int64_t j = 0; j < o->rows.own; j++)
        for (int64_t q = A->p[j]; q < A->p[j + 1]; q++)
            n += (at.own[j] >= 0) != (place_of(o, &at, A->i[q]) >= 0);
    entry *t = team_room(n, sizeof *t);
    n = 0;
    for (int64_t j = 0; j < o->rows.own; j++)
        for (int64_t q = A->p[j]; q < A->p[j + 1]; q++) {
            const int64_t cj = at.own[j], ci = place_of(o, &at, A->i[q]);
            if (cj >= 0 && ci >= 0) {
                bb[place[ci] + place[cj] * nb] += A->x[q];
                if (ci != cj)
                    bb[place[cj] + place[ci] * nb] += A->x[q];
            } else if (cj >= 0 || ci >= 0) {
                t[n++] = (entry){cj >= 0 ? place_of(o, &in, A->i[q]) : in.own[j],
                                 place[cj >= 0 ? cj : ci], A->x[q]};
            }
        }
    /* a row that neither list has is no entry of the parts */
    int64_t kept = 0;
    for (int64_t k = 0; k < n; k++)
        if (t[k].row >= 0)
            t[kept++] = t[k];
    entry *mine = send_home(&ib->rows, t, kept, &got);
    make_border(ib, mine, got, nb);
    team_sum(bb, nb * nb, 0);
    if (!team_rank)
        memcpy(w->out, bb, sizeof *bb * (size_t)(nb * nb));
    void *const all[] = {t, mine, bb, sorted, place, in.own, in.ghost, at.own, at.ghost};
    for (size_t k = 0; k < sizeof all / sizeof *all; k++)
        free(all[k]);
    team_done(list);
    team_done(b);
    return FB_OK;
}

/* a[0] matrix; a[1] dofs in, in2 what is added to their diagonals; a[2] := the sum. */
fb_status team_pin(team_work *w, fb_err *e)
{
    const team_object *o = team_get(w->a[0]);
    team_object *to = team_new(TEAM_MATRIX, &w->a[2]);
    int64_t *dof = team_all(w->in, w->a[1], 8), nnz = o->A.p[o->rows.own];
    double *add = team_all(w->in2, w->a[1], 8);
    (void)e;
    team_cut_copy(&to->rows, &o->rows);
    to->A.upper = o->A.upper;
    int64_t *p = team_room(o->rows.own + 1, 8), *i = team_room(nnz, 8);
    double *x = team_room(nnz, 8);
    memcpy(p, o->A.p, sizeof *p * (size_t)(o->rows.own + 1));
    memcpy(x, o->A.x, sizeof *x * (size_t)nnz);
    for (int64_t q = 0; q < nnz; q++)
        i[q] = team_row_number(o, o->A.i[q]);
    for (int64_t k = 0; k < w->a[1]; k++) {
        const int64_t j = dof[k] - o->rows.first;
        for (int64_t q = j >= 0 && j < o->rows.own ? p[j] : nnz; q < nnz && q < p[j + 1]; q++)
            x[q] += i[q] == dof[k] ? add[k] : 0;
    }
    team_matrix_build(to, p, i, x);
    team_done(dof);
    team_done(add);
    return FB_OK;
}

/* ---- products ---------------------------------------------------------------------------- */

/* Rows of others and back: x [own + nghost][WIDE]. */
typedef struct {
    const team_object *o;
    int *gives, *at, *ghosts, *from; /* [team_size] counts and places of doubles */
    double *buffer;
} swap;

static swap swap_new(const team_object *o)
{
    int *all = team_room(4 * team_size, sizeof *all);
    swap z = {o,
              all,
              all + team_size,
              all + 2 * team_size,
              all + 3 * team_size,
              team_room(o->A.ngive * WIDE, sizeof *z.buffer)};
    for (int r = 0, a = 0, b = 0; r < team_size; r++) {
        z.gives[r] = o->A.gives[r] * WIDE;
        z.ghosts[r] = o->A.ghosts[r] * WIDE;
        z.at[r] = a;
        z.from[r] = b;
        a += z.gives[r];
        b += z.ghosts[r];
    }
    return z;
}

static void swap_free(swap *z)
{
    FB_FREE(z->gives, z->buffer);
}

/* The ghosts of x become what their owners have. */
static void ask(const swap *z, double *x)
{
    for (int64_t k = 0; k < z->o->A.ngive; k++)
        memcpy(z->buffer + k * WIDE, x + z->o->A.give[k] * WIDE, sizeof *x * WIDE);
    MPI_Alltoallv(z->buffer, z->gives, z->at, MPI_DOUBLE, x + z->o->rows.own * WIDE, z->ghosts,
                  z->from, MPI_DOUBLE, MPI_COMM_WORLD);
}

/* The ghosts of y are added to what their owners have. */
static void send_back(const swap *z, double *y)
{
    MPI_Alltoallv(y + z->o->rows.own * WIDE, z->ghosts, z->from, MPI_DOUBLE, z->buffer, z->gives,
                  z->at, MPI_DOUBLE, MPI_COMM_WORLD);
    for (int64_t k = 0; k < z->o->A.ngive; k++)
        for (int c = 0; c < WIDE; c++)
            y[z->o->A.give[k] * WIDE + c] += z->buffer[k * WIDE + c];
}

typedef double line __attribute__((vector_size(8 * WIDE), aligned(8), may_alias));

/* (MM.1) */
#define LOCAL(name, target) \
    target static void name(const team_object *o, int absolute, const double *x, double *y) \
    { \
        const team_matrix *A = &o->A; \
        const line *const X = (const line *)x; \
        line *const Y = (line *)y; \
        for (int64_t j = 0; j < o->rows.own; j++) { \
            const line xj = X[j]; \
            line sum = {0}; \
            for (int64_t q = A->p[j]; q < A->p[j + 1]; q++) { \
                const int32_t i = A->i[q]; \
                const double a = absolute ? fabs(A->x[q]) : A->x[q]; \
                Y[i] += a * xj; \
                if (A->upper && i != j) \
                    sum += a * X[i]; \
            } \
            Y[j] += sum; \
        } \
    }
FB_FOR_PROCESSORS(LOCAL, local)

typedef void kernel(const team_object *o, int absolute, const double *x, double *y);
static kernel *const locals[] = FB_BY_PROCESSOR(local);

static void times_rows(const swap *z, int absolute, double *x, double *y)
{
    memset(y, 0, sizeof *y * (size_t)((z->o->rows.own + z->o->A.nghost) * WIDE));
    ask(z, x);
    locals[fb_processor()](z->o, absolute, x, y);
    send_back(z, y);
}

void team_times_rows(const team_object *o, double *x, double *y)
{
    swap z = swap_new(o);
    times_rows(&z, 0, x, y);
    swap_free(&z);
}

static void times(const team_object *o, int absolute, const fb_mat *X, fb_mat *Y)
{
    const int64_t own = o->rows.own, all = own + o->A.nghost;
    double *x = team_room(all * WIDE, 8), *y = team_room(all * WIDE, 8);
    swap z = swap_new(o);
    for (int64_t c = 0; c < X->n; c += WIDE) {
        const int64_t k = X->n - c < WIDE ? X->n - c : WIDE;
        fb_turn t = {.x = X->x + c * own, .R = x, .n = own, .k = k, .width = WIDE};
        fb_turn_rows(&t, 0, own);
        times_rows(&z, absolute, x, y);
        t = (fb_turn){.x = Y->x + c * own, .R = y, .n = own, .k = k, .width = WIDE, .back = 1};
        fb_turn_rows(&t, 0, own);
    }
    swap_free(&z);
    FB_FREE(x, y);
}

void team_times(const team_object *o, const fb_mat *X, fb_mat *Y)
{
    times(o, 0, X, Y);
}

/* a[0] matrix, a[6] 1: |A|; a[1], a[2] blocks and a[3], a[4] their first columns, a[5] columns; or
 * a[1] 0: in and out on rank 0. */
fb_status team_multiply(team_work *w, fb_err *e)
{
    const team_object *o = team_get(w->a[0]);
    const int64_t own = o->rows.own, k = w->a[5];
    (void)e;
    if (w->a[1]) {
        const fb_mat X = {own, k, team_get(w->a[1])->X.x + w->a[3] * own};
        fb_mat Y = {own, k, team_get(w->a[2])->X.x + w->a[4] * own};
        times(o, (int)w->a[6], &X, &Y);
        return FB_OK;
    }
    fb_mat X = {own, k, team_room(own * k, 8)}, Y = {own, k, team_room(own * k, 8)};
    team_scatter(&o->rows, w->in, k, X.x);
    times(o, (int)w->a[6], &X, &Y);
    team_gather(&o->rows, Y.x, k, w->out);
    FB_FREE_BY(fb_mat_free, &X, &Y);
    return FB_OK;
}

/* ---- residuals --------------------------------------------------------------------------- */

FB_TWOFOLD_LESS(less, , line, WIDE, int32_t, FB_TWOFOLD_BY_HALVES)
#if defined __x86_64__
FB_TWOFOLD_LESS(less_avx2, FB_AVX2, line, WIDE, int32_t, FB_TWOFOLD_BY_HALVES)
FB_TWOFOLD_LESS(less_avx512, FB_AVX512, line, WIDE, int32_t, FB_TWOFOLD_FUSED_512)
#endif

typedef void less_kernel(int64_t, int, const int64_t *, const int32_t *, const double *,
                         const double *, double *, double *);
static less_kernel *const lesses[] = FB_BY_PROCESSOR(less);

/* h + l := h + l - A x, ours and what others have of it; x, h, l [own + nghost][WIDE] */
static void twofold_rows(const swap *z, double *x, double *h, double *l)
{
    const team_matrix *A = &z->o->A;
    const int64_t own = z->o->rows.own, ours = own * WIDE, *give = A->give;
    double *more = team_room(A->ngive * WIDE, 8);
    memset(h + ours, 0, sizeof *h * (size_t)(A->nghost * WIDE));
    memset(l, 0, sizeof *l * (size_t)(ours + A->nghost * WIDE));
    ask(z, x);
    lesses[fb_processor()](own, A->upper, A->p, A->i, A->x, x, h, l);
    send_back(z, l);
    MPI_Alltoallv(h + ours, z->ghosts, z->from, MPI_DOUBLE, more, z->gives, z->at, MPI_DOUBLE,
                  MPI_COMM_WORLD);
    for (int64_t k = 0; k < A->ngive * WIDE; k++) {
        double *const to = h + give[k / WIDE] * WIDE + k % WIDE, s = *to + more[k], b = s - *to;
        l[to - h] += (*to - (s - b)) + (more[k] - b);
        *to = s;
    }
    free(more);
}

static void residual(const team_object *o, const fb_mat *X, fb_mat *B)
{
    const int64_t own = o->rows.own, all = own + o->A.nghost;
    double *x = team_room(all * WIDE, 8), *h = team_room(all * WIDE, 8),
           *l = team_room(all * WIDE, 8);
    swap z = swap_new(o);
    for (int64_t c = 0; c < X->n; c += WIDE) {
        const int64_t k = X->n - c < WIDE ? X->n - c : WIDE;
        fb_turn t = {.x = X->x + c * own, .R = x, .n = own, .k = k, .width = WIDE};
        fb_turn_rows(&t, 0, own);
        t = (fb_turn){.x = B->x + c * own, .R = h, .n = own, .k = k, .width = WIDE};
        fb_turn_rows(&t, 0, own);
        twofold_rows(&z, x, h, l);
        for (int64_t i = 0; i < own * WIDE; i++)
            h[i] += l[i];
        t.back = 1;
        fb_turn_rows(&t, 0, own);
    }
    swap_free(&z);
    FB_FREE(x, h, l);
}

/* a[0] matrix; a[1] X and a[2] B, blocks, and a[3], a[4] their first columns, a[5] columns:
 * B := B - A X; or a[1] 0: X in, B in2 and out, on rank 0. */
fb_status team_residual(team_work *w, fb_err *e)
{
    const team_object *o = team_get(w->a[0]);
    const int64_t own = o->rows.own, k = w->a[5];
    (void)e;
    if (w->a[1]) {
        const fb_mat X = {own, k, team_get(w->a[1])->X.x + w->a[3] * own};
        fb_mat B = {own, k, team_get(w->a[2])->X.x + w->a[4] * own};
        residual(o, &X, &B);
        return FB_OK;
    }
    fb_mat X = {own, k, team_room(own * k, 8)}, B = {own, k, team_room(own * k, 8)};
    team_scatter(&o->rows, w->in, k, X.x);
    team_scatter(&o->rows, w->in2, k, B.x);
    residual(o, &X, &B);
    team_gather(&o->rows, B.x, k, w->out);
    FB_FREE_BY(fb_mat_free, &X, &B);
    return FB_OK;
}

/* a[0] matrix; out [n] on rank 0: row sums of |A|, A symmetric. */
fb_status team_sums(team_work *w, fb_err *e)
{
    const team_object *o = team_get(w->a[0]);
    const team_matrix *A = &o->A;
    const int64_t own = o->rows.own;
    double *y = team_room((own + A->nghost) * WIDE, 8);
    swap z = swap_new(o);
    (void)e;
    for (int64_t j = 0; j < own; j++)
        for (int64_t q = A->p[j]; q < A->p[j + 1]; q++) {
            y[(int64_t)A->i[q] * WIDE] += fabs(A->x[q]);
            if (A->i[q] != j)
                y[j * WIDE] += fabs(A->x[q]);
        }
    send_back(&z, y);
    for (int64_t j = 0; j < own; j++)
        y[j] = y[j * WIDE];
    team_gather(&o->rows, y, 1, w->out);
    swap_free(&z);
    free(y);
    return FB_OK;
}

/* a[0] matrix; out [n] on rank 0. */
fb_status team_diagonal(team_work *w, fb_err *e)
{
    const team_object *o = team_get(w->a[0]);
    double *d = team_room(o->rows.own, sizeof *d);
    (void)e;
    for (int64_t j = 0; j < o->rows.own; j++)
        for (int64_t q = o->A.p[j]; q < o->A.p[j + 1]; q++)
            if (o->A.i[q] == j)
                d[j] = o->A.x[q];
    team_gather(&o->rows, d, 1, w->out);
    free(d);
    return FB_OK;
}

/* ---- the border -------------------------------------------------------------------------- */

/* a[0] Aib; a[1] := a block of -Aib. */
fb_status team_border_block(team_work *w, fb_err *e)
{
    const team_object *o = team_get(w->a[0]);
    team_object *X = team_new(TEAM_BLOCK, &w->a[1]);
    const int64_t own = o->rows.own;
    (void)e;
    team_cut_copy(&X->rows, &o->rows);
    X->X = (fb_mat){own, o->B.n, team_room(own * o->B.n, 8)};
    for (int64_t c = 0; c < o->B.n; c++)
        for (int64_t q = o->B.p[c]; q < o->B.p[c + 1]; q++)
            X->X.x[o->B.i[q] + c * own] = -o->B.x[q];
    return FB_OK;
}

/* a[0] Aib, a[1] block from column a[2], a[3] columns: out [nb x a[3]] on rank 0 += Aib' X. */
fb_status team_border_times(team_work *w, fb_err *e)
{
    const team_object *o = team_get(w->a[0]);
    const int64_t own = o->rows.own, nb = o->B.n;
    double *y = team_room(nb * w->a[3], 8);
    (void)e;
    for (int64_t k = 0; k < w->a[3]; k++) {
        const double *x = team_get(w->a[1])->X.x + (w->a[2] + k) * own;
        for (int64_t c = 0; c < nb; c++)
            for (int64_t q = o->B.p[c]; q < o->B.p[c + 1]; q++)
                y[c + k * nb] += o->B.x[q] * x[o->B.i[q]];
    }
    team_sum(y, nb * w->a[3], 0);
    if (!team_rank)
        fb_axpy(1, y, w->out, nb * w->a[3]);
    free(y);
    return FB_OK;
}

/* a[0] matrix, a[1] border or 0, a[2] block G from column a[3], a[4] columns; out [m x m] on rank
 * 0: G' (A G + B E) with B's columns the first ones, and E' B' G in its first rows. */
fb_status team_congruence(team_work *w, fb_err *e)
{
    const team_object *o = team_get(w->a[0]), *b = w->a[1] ? team_get(w->a[1]) : NULL;
    const int64_t own = o->rows.own, m = w->a[4];
    fb_mat G = {own, m, team_get(w->a[2])->X.x + w->a[3] * own}, Y = {0};
    double *C = team_room(m * m, 8);
    fb_status s = FB_OK;
    Y.x = team_room(own * MANY, 8);
    for (int64_t c = 0; !s && c < m; c += MANY) {
        fb_mat X = {own, m - c < MANY ? m - c : MANY, G.x + c * own}, P = {m, 0, C + c * m};
        Y.m = own;
        Y.n = P.n = X.n;
        team_times(o, &X, &Y);
        for (int64_t k = c; b && k < c + X.n && k < b->B.n; k++)
            for (int64_t q = b->B.p[k]; q < b->B.p[k + 1]; q++)
                Y.x[b->B.i[q] + (k - c) * own] += b->B.x[q];
        s = fb_gemm(1, 0, 1, &G, &Y, 0, &P, e);
        for (int64_t k = 0; b && k < b->B.n; k++)
            for (int64_t q = b->B.p[k]; q < b->B.p[k + 1]; q++)
                for (int64_t d = 0; d < X.n; d++)
                    C[k + (c + d) * m] += b->B.x[q] * X.x[b->B.i[q] + d * own];
    }
    team_sum(C, m * m, 0);
    if (!team_rank)
        memcpy(w->out, C, sizeof *C * (size_t)(m * m));
    free(C);
    fb_mat_free(&Y);
    return s;
}

/* a[0] M, d[0] slack: of lib/linalg/far.h, pairs. a[1], a[2] := row and column, -1: none; d[1],
 * d[2] the entry and what is allowed; a[3] := 1: diagonal. */
fb_status team_pairs(team_work *w, fb_err *e)
{
    const team_object *o = team_get(w->a[0]);
    const team_matrix *A = &o->A;
    const int64_t own = o->rows.own;
    double *d = team_room((own + A->nghost) * WIDE, 8);
    int plain = 1;
    swap z = swap_new(o);
    struct {
        int64_t i, j;
        double x, most;
    } bad = {-1, INT64_MAX, 0, 0};
    (void)e;
    for (int64_t j = 0; j < own; j++)
        for (int64_t q = A->p[j]; q < A->p[j + 1]; q++)
            if (A->i[q] == j)
                d[j * WIDE] = A->x[q];
    ask(&z, d);
    for (int64_t j = 0; j < own; j++)
        for (int64_t q = A->p[j]; q < A->p[j + 1]; q++) {
            const double x = A->x[q], di = d[(int64_t)A->i[q] * WIDE], dj = d[j * WIDE],
                         most = sqrt(fmax(di, 0)) * sqrt(fmax(dj, 0));
            const int whole = di > 0 && dj > 0;
            if (!(x < 0 || x > 0))
                continue;
            plain &= A->i[q] == j;
            if (bad.i >= 0 || (whole && !(A->i[q] != j && fabs(x) > (1 + w->d[0]) * most)))
                continue;
            const int64_t row = team_row_number(o, A->i[q]), c = o->rows.first + j;
            bad.i = whole || !(di > 0) ? row : c;
            bad.j = whole ? c : bad.i;
            bad.x = whole ? x : di > 0 ? dj : di;
            bad.most = whole ? most : 0;
        }
    int64_t mine = bad.i >= 0 ? team_rank : team_size, who;
    MPI_Allreduce(&mine, &who, 1, MPI_INT64_T, MPI_MIN, MPI_COMM_WORLD);
    if (who < team_size)
        MPI_Bcast(&bad, (int)sizeof bad, MPI_BYTE, (int)who, MPI_COMM_WORLD);
    MPI_Allreduce(MPI_IN_PLACE, &plain, 1, MPI_INT, MPI_MIN, MPI_COMM_WORLD);
    w->a[1] = bad.i;
    w->a[2] = bad.j;
    w->a[3] = plain;
    w->d[1] = bad.x;
    w->d[2] = bad.most;
    swap_free(&z);
    free(d);
    return FB_OK;
}
