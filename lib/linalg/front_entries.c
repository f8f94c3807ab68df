/* SPDX-License-Identifier: GPL-3.0-or-later */
/* front_entries.c - the entries of S = K - sigma M on their way into the fronts.
 *
 * The upper triangle of A by its columns has half of the entries where P A P' (lower) wants them:
 * those of a column d whose row is eliminated after d. The others are guests of another column.
 * Dofs of a node mostly have the same entries: columns that follow each other in A and in the order
 * of elimination, with the same rows above their own, are looked at together, and so are rows that
 * do. What is looked up is then a block, not an entry.
 * Equations  columns c..c+n-1, rows i..i+m-1 of A, both eliminated one after the other
 *   (FE.1) F(place c + b, place i + a) += f A(i + a, c + b)   i eliminated before c: guests of i
 *   (FE.2) F(place i + a, place c + b) += f A(i + a, c + b)   after it
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

struct
    fb_guests { /* A(i.., column..), i the dof of the host; the first is A->x[A->p[column] + at] */
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

typedef struct { /* guests on their way to their hosts, the columns of A in parts */
    const fb_entries *z;
    fb_entry_source *o;
    int parts;
    int64_t
        *at; /* [parts x n] guests of a column that come from a part, then where the next goes */
} invitation;

/* wide[c] = 1: column c is looked at with the one before. */
static void look_at_columns(void *arg, int t)
{
    const invitation *x = arg;
    const int64_t n = x->o->A->n;
    for (int64_t c = n * t / x->parts; c < n * (t + 1) / x->parts; c++) {
        const int64_t at = x->z->place[c];
        x->o->wide[c] = c > 0 && x->z->joined[at] && nested(x->o->A, c);
    }
}

/* wide[c] = columns that are looked at with c, or 0: with one before */
static void first_columns(fb_entry_source *o)
{
    for (int64_t c = 0, first = 0; c < o->A->n; c++) {
        if (!o->wide[c] || c - first == MOST)
            first = c;
        o->wide[c] = 0;
        o->wide[first]++;
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
        const int64_t end = end_above(A, c);
        int64_t m;
        for (int64_t q = A->p[c]; x->o->wide[c] && q < end; q += m) {
            const int64_t host = place[A->i[q]];
            m = rows_together(x->z, A, q, end);
            if (host > place[c])
                continue;
            if (g)
                g[at[host]] = (fb_guests){(uint32_t)c, (uint32_t)(q - A->p[c]) & (LONGEST - 1),
                                          (uint32_t)m & MOST, (uint32_t)x->o->wide[c] & MOST};
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
        const int64_t rows = A->p[c + 1] - A->p[c];
        for (n = 1; n < MOST && c + n < A->n && A->p[c + n + 1] - A->p[c + n] == rows + n;)
            n++;
        blocks += (double)rows / (double)n;
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
        for (unsigned a = 0; a < g.rows; a++) {
            double *to = f->F + (j + a - f->first) * f->ld + i;
            for (unsigned b = 0; b < g.columns; b++)
                to[b] += o->factor * A->x[p[b] + g.at + a];
        }
    }
    return 1;
}

/* (FE.2) of the columns from j on, eliminated in this order */
static int hosts(const fb_entries *z, const fb_entry_source *o, const fb_entry_front *f, int64_t j)
{
    const fb_csc *A = o->A;
    const int64_t c = z->perm[j], n = o->wide[c], end = n ? end_above(A, c) : A->p[c];
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

int fb_entries_add(const fb_entries *z, const fb_entry_front *f, int64_t from, int64_t end)
{
    for (int k = 0; k < 2 && z->source[k].A; k++)
        for (int64_t j = from; j < end; j++)
            if (!hosts(z, &z->source[k], f, j) || !guests(z, &z->source[k], f, j))
                return 0;
    return 1;
}
