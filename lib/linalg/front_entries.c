/* SPDX-License-Identifier: GPL-3.0-or-later */
/* front_entries.c - the entries of S = K - sigma M on their way into the fronts.
 *
 * The upper triangle of A by its columns has half of the entries where P A P' (lower) wants them:
 * those of a column d whose row is eliminated after d. The others are guests of another column.
 * Dofs of a node mostly have the same entries: columns that follow each other in A and in the order
 * of elimination, with the same rows above their own, are looked at together, and so are rows that
 * do. Where only like directions have entries, as in a mass matrix, each column has the rows behind
 * those of the one before. What is looked up is then a block, not an entry.
 * Equations  columns c..c+n-1, rows i..i+m-1 of A, both eliminated one after the other
 *   (FE.1) F(place c + b, place i + a) += f A(i + a, c + b)   i eliminated before c: guests of i
 *   (FE.2) F(place i + a, place c + b) += f A(i + a, c + b)   after it
 * m = n and a = b alone where the block is a diagonal.
 * Cost     O(nnz); a word for every block of guests
 * Laws     tests/unit/test_front.c
 */
#include "blas.h"
#include "front.h"
#include "memory.h"
#include <stdlib.h>
#include <string.h>

enum {
    MOST = 7,          /* rows and columns of a block, at most: 3 bits            */
    LONGEST = 1 << 26, /* entries of a column that a guest can tell apart         */
    AHEAD = 8          /* guests whose entries are fetched meanwhile              */
};

enum { OTHER, NESTED, SHIFTED }; /* a column and the one before */

/* A(i.., column..), i the dof of the host; the first is A->x[A->p[column] + at]. No rows: a
 * diagonal. */
struct fb_guests {
    uint32_t column, at : 26, rows : 3, columns : 3;
};

/* Rows from A->i[q] on that are looked at together. */
static int64_t rows_together(const fb_entries *z, const fb_csc *A, int64_t q, int64_t end)
{
    const int64_t i = A->i[q], at = z->place[i];
    int64_t m = 1;
    while (m < MOST && q + m < end && A->i[q + m] == i + m && z->joined[at + m])
        m++;
    return m;
}

/* The end of column c but for its diagonal entry. */
static int64_t end_above(const fb_csc *A, int64_t c)
{
    const int64_t end = A->p[c + 1];
    return end - (end > A->p[c] && A->i[end - 1] == c);
}

/* ---- what is looked at together ---------------------------------------------------------- */

/* 1: column c has the rows of column c - 1, and its own. */
static int nested(const fb_csc *A, int64_t c)
{
    const int64_t *p = A->p + c - 1, n = p[1] - p[0];
    return p[2] - p[1] == n + 1 && n > 0 && A->i[p[1] - 1] == c - 1 && A->i[p[2] - 1] == c &&
           memcmp(A->i + p[0], A->i + p[1], sizeof *A->i * (size_t)n) == 0;
}

/* 1: each row of column c is looked at with a row of column c - 1. */
static int shifted(const fb_entries *z, const fb_csc *A, int64_t c)
{
    const int64_t *p = A->p + c - 1, n = p[1] - p[0];
    int same = p[2] - p[1] == n && n > 0 && A->i[p[2] - 1] == c;
    for (int64_t q = p[0]; same && q < p[1]; q++)
        same = A->i[q + n] == A->i[q] + 1 && z->joined[z->place[A->i[q + n]]];
    return same;
}

typedef struct { /* guests on their way to their hosts, the columns of A in parts */
    const fb_entries *z;
    fb_entry_source *o;
    int parts;
    int64_t
        *at; /* [parts x n] guests of a column that come from a part, then where the next goes */
} invitation;

static void look_at_columns(void *arg, int t)
{
    const invitation *x = arg;
    const int64_t n = x->o->A->n;
    for (int64_t c = n * t / x->parts; c < n * (t + 1) / x->parts; c++) {
        const int64_t at = x->z->place[c];
        const int with = c > 0 && x->z->joined[at];
        x->o->wide[c] = with && nested(x->o->A, c)          ? NESTED
                        : with && shifted(x->z, x->o->A, c) ? SHIFTED
                                                            : OTHER;
    }
}

/* wide[c] = columns that are looked at with c, < 0: shifted, or 0: with one before */
static void first_columns(fb_entry_source *o)
{
    signed char *w = o->wide;
    for (int64_t c = 0, n; c < o->A->n; c += n) {
        const int how = c + 1 < o->A->n ? w[c + 1] : OTHER;
        for (n = 1; how != OTHER && n < MOST && c + n < o->A->n && w[c + n] == how; n++)
            w[c + n] = 0;
        w[c] = (signed char)(how == SHIFTED ? -n : n);
    }
}

/* ---- guests ------------------------------------------------------------------------------ */

/* Counts, then places them. */
static void invite(void *arg, int t)
{
    const invitation *x = arg;
    const fb_csc *A = x->o->A;
    const int64_t *place = x->z->place;
    fb_guests *g = x->o->guest;
    int64_t *at = x->at + t * A->n;
    for (int64_t c = A->n * t / x->parts; c < A->n * (t + 1) / x->parts; c++) {
        const int64_t end = end_above(A, c), wide = x->o->wide[c];
        int64_t m;
        for (int64_t q = A->p[c]; wide && q < end; q += m) {
            const int64_t host = place[A->i[q]];
            m = wide > 0 ? rows_together(x->z, A, q, end) : 1;
            if (host > place[c])
                continue;
            if (g)
                g[at[host]] = (fb_guests){(uint32_t)c, (uint32_t)(q - A->p[c]) & (LONGEST - 1),
                                          (uint32_t)(wide > 0 ? m : 0) & MOST,
                                          (uint32_t)(wide > 0 ? wide : -wide) & MOST};
            at[host]++;
        }
    }
}

/* Where the guests of each column begin, and within them those of each part. */
static void seat(const invitation *x)
{
    const int64_t n = x->o->A->n;
    int64_t *start = x->o->start;
    for (int64_t k = 0; k < n; k++) {
        start[k + 1] = start[k];
        for (int t = 0; t < x->parts; t++) {
            const int64_t guests = x->at[t * n + k];
            x->at[t * n + k] = start[k + 1];
            start[k + 1] += guests;
        }
    }
}

static fb_status open_source(const fb_entries *z, fb_entry_source *o, const fb_csc *A,
                             double factor, int threads, fb_err *e)
{
    const int64_t n = A->n;
    invitation x = {z, o, threads, NULL};
    fb_status s = FB_OK;
    *o = (fb_entry_source){.A = A, .factor = factor};
    for (int64_t c = 0; c < n; c++)
        if (n > UINT32_MAX || A->p[c + 1] - A->p[c] > LONGEST)
            return fb_fail(e, FB_ESOLVE, "a factor of %lld equations is too large", (long long)n);
    FB_TRY(fb_new(&o->wide, n, 1, "entries by column", e));
    FB_TRY(fb_new(&o->start, n + 1, sizeof *o->start, "entries by column", e));
    FB_TRY(fb_new(&x.at, threads * n, sizeof *x.at, "entries by column", e));
    fb_parallel(threads, look_at_columns, &x);
    first_columns(o);
    fb_parallel(threads, invite, &x);
    seat(&x);
    FB_TRY(fb_new(&o->guest, o->start[n], sizeof *o->guest, "entries by column", e));
    fb_parallel(threads, invite, &x);
out:
    free(x.at);
    return s;
}

fb_status fb_entries_new(fb_entries *z, const fb_fronts *f, fb_err *e)
{
    const fb_snodes *L = f->L;
    *z = (fb_entries){.perm = f->perm};
    FB_PASS(FB_NEW(&z->place, L->n, e));
    FB_PASS(FB_NEW(&z->joined, L->n + MOST, e));
    for (int64_t k = 0; k < L->n; k++) {
        z->place[f->perm[k]] = k;
        z->joined[k] = k > 0 && f->perm[k] == f->perm[k - 1] + 1;
    }
    for (int64_t s = 0; s < L->nsuper; s++)
        z->joined[L->super[s]] = 0;
    FB_PASS(open_source(z, &z->source[0], f->K, 1, f->threads, e));
    return f->M ? open_source(z, &z->source[1], f->M, -f->sigma, f->threads, e) : FB_OK;
}

void fb_entries_free(fb_entries *z)
{
    for (int k = 0; k < 2; k++)
        FB_FREE(z->source[k].start, z->source[k].guest, z->source[k].wide);
    FB_FREE(z->place, z->joined);
}

/* About half of the blocks are guests; what is looked at together is told by the lengths of the
 * columns. */
double fb_entries_words(const fb_csc *A)
{
    double blocks = 0;
    for (int64_t c = 0, n; c < A->n; c += n) {
        const int64_t *p = A->p + c, rows = p[1] - p[0],
                      more = c + 1 < A->n ? p[2] - p[1] - rows : 0;
        for (n = 1; n < MOST && c + n < A->n && p[n + 1] - p[n] == rows + n * more;)
            n++;
        blocks += more == 1 ? (double)rows / (double)n : (double)rows;
    }
    return blocks / 2 + 1.2 * (double)A->n;
}

/* ---- into a front ------------------------------------------------------------------------ */

int64_t fb_entries_cut(const fb_entries *z, int64_t j)
{
    while (z->joined[j])
        j++;
    return j;
}

/* Row of the front that the dof eliminated as `at`-th is, the n - 1 next ones behind it; -1: they
 * are not there. */
static int64_t row_of(const fb_entry_front *f, int64_t at, int64_t n)
{
    const int64_t i = f->row[at];
    return i + n <= f->nr && f->r[i] == at && f->r[i + n - 1] == at + n - 1 ? i : -1;
}

/* (FE.1) of the host j */
static int guests(const fb_entries *z, const fb_entry_source *o, const fb_entry_front *f, int64_t j)
{
    const fb_csc *A = o->A;
    const int64_t all = o->start[A->n];
    for (int64_t k = o->start[j]; k < o->start[j + 1]; k++) {
        const fb_guests g = o->guest[k];
        const fb_guests ahead = o->guest[k + AHEAD < all ? k + AHEAD : k];
        const int64_t i = row_of(f, z->place[g.column], g.columns);
        const int64_t *p = A->p + g.column;
        for (unsigned b = 0; b < ahead.columns; b++)
            __builtin_prefetch(&A->x[A->p[ahead.column + b] + ahead.at]);
        if (i < 0)
            return 0;
        for (unsigned b = 0; g.rows == 0 && b < g.columns; b++)
            f->F[(j + b - f->first) * f->ld + i + b] += o->factor * A->x[p[b] + g.at];
        for (unsigned a = 0; a < g.rows; a++) {
            double *to = f->F + (j + a - f->first) * f->ld + i;
            for (unsigned b = 0; b < g.columns; b++)
                to[b] += o->factor * A->x[p[b] + g.at + a];
        }
    }
    return 1;
}

/* (FE.2) of the columns that are looked at with the j-th */
static int full_blocks(const fb_entries *z, const fb_entry_source *o, const fb_entry_front *f,
                       int64_t j)
{
    const fb_csc *A = o->A;
    const int64_t c = z->perm[j], n = o->wide[c], end = end_above(A, c);
    double *F = f->F + (j - f->first) * f->ld;
    int64_t m;
    for (int64_t q = A->p[c]; q < end; q += m) {
        const int64_t at = z->place[A->i[q]];
        m = rows_together(z, A, q, end);
        if (at < j)
            continue;
        const int64_t i = row_of(f, at, m);
        if (i < 0)
            return 0;
        for (int64_t b = 0; b < n; b++)
            for (int64_t a = 0; a < m; a++)
                F[b * f->ld + i + a] += o->factor * A->x[A->p[c + b] + q - A->p[c] + a];
    }
    for (int64_t b = 0; b < n && A->p[c + 1] > end; b++) /* the block of the columns themselves */
        for (int64_t a = 0; a <= b; a++)
            F[a * f->ld + j + b - f->first] += o->factor * A->x[A->p[c + b + 1] - 1 - b + a];
    return 1;
}

/* (FE.2) of shifted columns */
static int diagonals(const fb_entries *z, const fb_entry_source *o, const fb_entry_front *f,
                     int64_t j)
{
    const fb_csc *A = o->A;
    const int64_t c = z->perm[j], n = -o->wide[c];
    double *F = f->F + (j - f->first) * f->ld;
    for (int64_t q = A->p[c]; q < A->p[c + 1]; q++) {
        const int64_t at = z->place[A->i[q]];
        if (at < j)
            continue;
        const int64_t i = row_of(f, at, n);
        if (i < 0)
            return 0;
        for (int64_t b = 0; b < n; b++)
            F[b * (f->ld + 1) + i] += o->factor * A->x[A->p[c + b] + q - A->p[c]];
    }
    return 1;
}

static int hosts(const fb_entries *z, const fb_entry_source *o, const fb_entry_front *f, int64_t j)
{
    const int n = o->wide[z->perm[j]];
    return n > 0 ? full_blocks(z, o, f, j) : n == 0 || diagonals(z, o, f, j);
}

int fb_entries_add(const fb_entries *z, const fb_entry_front *f, int64_t from, int64_t end)
{
    for (int k = 0; k < 2 && z->source[k].A; k++)
        for (int64_t j = from; j < end; j++)
            if (!hosts(z, &z->source[k], f, j) || !guests(z, &z->source[k], f, j))
                return 0;
    return 1;
}
