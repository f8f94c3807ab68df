/* SPDX-License-Identifier: GPL-3.0-or-later */
/* triples.c - compressed columns from unordered entries.
 *
 * Memory   16 bytes an entry in the list. Entries that come column by column, rows ascending,
 *          become the result where they are. Others are sorted by columns: their values into 8
 *          bytes more, then their rows into what the values have left, so that the peak is 3/2 of
 *          the result.
 * Method   entries go to the upper triangle with a tag that says where they stood; after sorting,
 *          the entries of one place stand side by side, and counting them tells half from full.
 */
#include "memory.h"
#include "status.h"
#include "triples.h"
#include <stdio.h>

enum { UPPER, LOWER, PAIRED, TAGS = 4 }; /* tags; row and tag share one integer: TAGS * row + tag */

static inline int64_t row_of(int64_t key)
{
    return (int64_t)((uint64_t)key / TAGS); /* a shift, as no sign is in the way */
}

static inline int tag_of(int64_t key)
{
    return (int)((uint64_t)key % TAGS);
}

void fb_triples_free(fb_triples *t)
{
    FB_FREE(t->place, t->x);
    *t = (fb_triples){0};
}

/* "12.3" from labels, "row 7" (1-based) without them. */
static void row_name(const fb_labels *row, int64_t k, char *out, size_t n)
{
    if (row && row->node)
        snprintf(out, n, "%s", fb_name_of(row->node[k], row->component[k]).s);
    else
        snprintf(out, n, "row %lld", (long long)k + 1);
}

/* ---- passes over the entries ----------------------------------------------------------- */

/* Row and column of a place; PAIRED or 0. */
static inline int place_of(int64_t place, int64_t *i, int64_t *j)
{
    *i = FB_PLACE_ROW(place);
    *j = FB_PLACE_COLUMN(place);
    return place & 1 ? PAIRED : 0;
}

/* Where an entry goes in the upper triangle: its column, and its row with a tag. */
static inline int64_t target(int64_t place, int64_t *key)
{
    int64_t i, j;
    int tag = place_of(place, &i, &j);
    tag = tag ? tag : i > j ? LOWER : UPPER;
    *key = TAGS * (i < j ? i : j) + tag;
    return i < j ? j : i;
}

/* The same for a matrix without tags, as it is or with its lower half in the mirror place. */
static inline int64_t plain(int64_t place, int upper, int64_t *i)
{
    int64_t j;
    place_of(place, i, &j);
    if (upper && *i > j) {
        int64_t w = *i;
        *i = j;
        return w;
    }
    return j;
}

enum { TAGGED = 2 }; /* what columns() makes, beside 0 and 1 of `upper` */

static inline int64_t goes_to(int64_t place, int kind, int64_t *i)
{
    return kind == TAGGED ? target(place, i) : plain(place, kind, i);
}

/* The columns of A by counting, where p[j+1] is the count of column j; afterwards p[j] is its end.
 * The list is emptied, and its values' memory holds the rows. */
static inline __attribute__((always_inline)) fb_status columns(fb_triples *t, int kind, fb_csc *A,
                                                               fb_err *e)
{
    double *x = NULL;
    int64_t i;
    fb_status st = fb_new(&x, t->n, sizeof *x, "matrix values", e);
    if (st)
        return st;
    /* No look at t or A for each entry: who compiles cannot know that the stores leave them be. */
    const int64_t *place = t->place, n = t->n;
    /* Rows go where the values were: of the same size, and nothing reads those once they moved. */
    int64_t *p = A->p, *rows = (int64_t *)(void *)t->x;
    const double *from = t->x;
    fb_csc_starts(p, A->n);
    for (int64_t q = 0; q < n; q++)
        x[p[goes_to(place[q], kind, &i)]++] = from[q];
    fb_csc_rewind(p, A->n);
    for (int64_t q = 0; q < n; q++) {
        int64_t j = goes_to(place[q], kind, &i);
        rows[p[j]++] = i;
    }
    A->i = rows;
    A->x = x;
    t->x = NULL;
    fb_triples_free(t);
    return FB_OK;
}

/* ---- half or full ---------------------------------------------------------------------- */

typedef struct {
    int64_t single, mirrored, unequal, repeated;
} tally;

/* The entries [q, r) of one place: how many of each kind. Returns 0 where two entries of the same
 * triangle disagree. */
static int judge(const fb_csc *A, int64_t q, int64_t r, int diagonal, tally *c)
{
    int nu = 0, nl = 0;
    double u = 0, l = 0;
    for (; q < r; q++) {
        int tag = tag_of(A->i[q]);
        if (tag != LOWER) {
            if (nu++ && A->x[q] != u)
                return 0;
            u = A->x[q];
        }
        if (tag != UPPER) {
            if (nl++ && A->x[q] != l)
                return 0;
            l = A->x[q];
        }
    }
    c->repeated += (nu > 1 ? nu - 1 : 0) + (nl > 1 ? nl - 1 : 0);
    if (diagonal)
        return 1;
    if (nu && nl) {
        c->mirrored++;
        c->unequal += u != l;
    } else {
        c->single++;
    }
    return 1;
}

static int64_t place_end(const fb_csc *A, int64_t q, int64_t end)
{
    int64_t r = q + 1;
    while (r < end && row_of(A->i[r]) == row_of(A->i[q]))
        r++;
    return r;
}

/* Does each entry of column k have a place of its own? Then they are counted. */
static int all_single(const fb_csc *A, int64_t k, tally *c)
{
    int64_t last = -1, mirrored = 0, single = 0;
    for (int64_t q = A->p[k]; q < A->p[k + 1]; q++) {
        int64_t row = row_of(A->i[q]), paired = tag_of(A->i[q]) == PAIRED;
        if (row <= last)
            return 0;
        last = row;
        mirrored += paired;
        single += !paired & (row != k);
    }
    c->mirrored += mirrored;
    c->single += single;
    return 1;
}

/* Sorts the columns and counts what stands in each place. */
static fb_status count(fb_csc *A, const fb_labels *row, tally *c, fb_err *e)
{
    for (int64_t k = 0; k < A->n; k++) {
        if (all_single(A, k, c))
            continue;
        fb_status s =
            fb_sort_column(A->i + A->p[k], A->x + A->p[k], NULL, A->p[k + 1] - A->p[k], e);
        if (s)
            return s;
        for (int64_t q = A->p[k], r; q < A->p[k + 1]; q = r) {
            r = place_end(A, q, A->p[k + 1]);
            if (judge(A, q, r, row_of(A->i[q]) == k, c))
                continue;
            char a[48], b[48];
            row_name(row, row_of(A->i[q]), a, sizeof a);
            row_name(row, k, b, sizeof b);
            return fb_fail(e, FB_EFORMAT,
                           "the entry of %s and %s comes twice with different values (%.17g, "
                           "%.17g): an assembled matrix is wanted, not one element by element",
                           a, b, A->x[q], A->x[r - 1]);
        }
    }
    return FB_OK;
}

/* Cuts the arrays to the entries that are left. */
static fb_status cut(fb_csc *A, int64_t had, fb_err *e)
{
    int64_t n = A->p[A->n];
    if (n == had)
        return FB_OK;
    int64_t *i = fb_realloc(A->i, (size_t)n, sizeof *A->i);
    if (i)
        A->i = i;
    double *x = i ? fb_realloc(A->x, (size_t)n, sizeof *A->x) : NULL;
    if (!x)
        return fb_fail(e, FB_ESYS, "out of memory: %.3g MB for matrix values", 8e-6 * (double)n);
    A->x = x;
    return FB_OK;
}

/* One entry per place, zeros dropped, tags removed. */
static fb_status compact(fb_csc *A, fb_err *e)
{
    int64_t to = 0, q = 0;
    for (int64_t k = 0; k < A->n; k++) {
        int64_t end = A->p[k + 1], last = -1;
        for (; q < end; q++) {
            int64_t row = row_of(A->i[q]);
            double x = A->x[q];
            if (row == last)
                continue;
            last = row;
            A->i[to] = row;
            A->x[to] = x;
            to += x != 0;
        }
        A->p[k + 1] = to;
    }
    return cut(A, q, e);
}

/* Entries of the upper triangle back to where they stood, and the twins of paired ones. Column by
 * column the rows of each come in order: those above the diagonal from the column itself, then the
 * others. */
static fb_status unfold(fb_csc *A, fb_err *e)
{
    fb_csc B = {0};
    int64_t total = A->p[A->n];
    for (int64_t q = 0; q < A->p[A->n]; q++)
        total += tag_of(A->i[q]) == PAIRED;
    FB_PASS(fb_csc_new(&B, A->m, A->n, total, 0, e));
    for (int fill = 0; fill < 2; fill++) {
        for (int64_t k = 0; k < A->n; k++)
            for (int64_t q = A->p[k]; q < A->p[k + 1]; q++) {
                int64_t row = row_of(A->i[q]);
                int tag = tag_of(A->i[q]);
                for (int low = tag == LOWER; low <= (tag != UPPER); low++) {
                    int64_t j = low ? row : k, at = fill ? B.p[j]++ : B.p[j + 1]++;
                    if (fill) {
                        B.i[at] = TAGS * (low ? k : row);
                        B.x[at] = A->x[q];
                    }
                }
            }
        if (!fill)
            fb_csc_starts(B.p, B.n);
    }
    fb_csc_rewind(B.p, B.n);
    fb_csc_free(A);
    *A = B;
    return FB_OK;
}

/* ---- entries in their final order ------------------------------------------------------ */

/* Do all places ascend by column and row, each once? */
static int ascending(const fb_triples *t, tally *c)
{
    int64_t col = 0, last = -1, key;
    tally k = {0};
    for (int64_t q = 0; q < t->n; q++) {
        int64_t j = target(t->place[q], &key), row = row_of(key);
        if (j < col || (j == col && row <= last))
            return 0;
        col = j;
        last = row;
        k.mirrored += key & PAIRED ? 1 : 0;
        k.single += !(key & PAIRED) && row != j;
    }
    *c = k;
    return 1;
}

/* The list becomes the matrix, without its zeros. */
static fb_status adopt(fb_triples *t, fb_csc *A, fb_err *e)
{
    int64_t *p = A->p, col = 0, to = 0, had = t->n, key;
    for (int64_t q = 0; q < had; q++) {
        int64_t j = target(t->place[q], &key);
        for (; col < j; col++)
            p[col + 1] = to;
        if (t->x[q] != 0) {
            t->place[to] = row_of(key);
            t->x[to++] = t->x[q];
        }
    }
    for (; col < A->n; col++)
        p[col + 1] = to;
    A->i = t->place;
    A->x = t->x;
    *t = (fb_triples){0};
    return cut(A, had, e);
}

/* ---- the call -------------------------------------------------------------------------- */

const char *const fb_halves_text[] = {"one triangle given", "symmetric", "not symmetric"};

static fb_halves halves(const tally *c, int general)
{
    int full = general || c->mirrored;
    return !full && c->single ? FB_ONE_HALF : c->single || c->unequal ? FB_UNEQUAL : FB_MIRRORED;
}

/* Columns of the upper triangle with tags. */
static fb_status tagged(fb_triples *t, fb_csc *A, fb_err *e)
{
    int64_t *p = A->p, key;
    for (int64_t q = 0, n = t->n; q < n; q++)
        p[target(t->place[q], &key) + 1]++;
    FB_PASS(columns(t, TAGGED, A, e));
    fb_csc_rewind(p, A->n);
    return FB_OK;
}

fb_status fb_triples_fill(fb_triples *t, fb_fill *f, fb_err *e)
{
    return f->A.upper ? columns(t, 1, &f->A, e) : columns(t, 0, &f->A, e);
}

void fb_triples_count(const fb_triples *t, fb_fill *f)
{
    int64_t i;
    for (int64_t q = 0; q < t->n; q++)
        fb_fill_count(f, plain(t->place[q], f->A.upper, &i));
}

fb_status fb_triples_matrix(fb_triples *t, int64_t n, int general, const fb_labels *row, fb_csc *A,
                            fb_halves *found, fb_log *log, fb_err *e)
{
    fb_csc B = {0};
    tally c = {0};
    fb_status s = FB_OK;
    B = (fb_csc){.m = n, .n = n, .upper = 1};
    FB_TRY(fb_new(&B.p, n + 1, sizeof *B.p, "column starts", e));
    if (ascending(t, &c) && halves(&c, general) != FB_UNEQUAL) {
        FB_TRY(adopt(t, &B, e));
    } else {
        c = (tally){0};
        FB_TRY(tagged(t, &B, e));
        FB_TRY(count(&B, row, &c, e));
        if (halves(&c, general) == FB_UNEQUAL)
            FB_TRY(unfold(&B, e));
        FB_TRY(compact(&B, e));
    }
    if (c.repeated)
        fb_warn(log, "%lld entries come twice with the same value: each counts once",
                (long long)c.repeated);
    *found = halves(&c, general);
    *A = B;
    B = (fb_csc){0};
out:
    fb_csc_free(&B);
    fb_triples_free(t);
    return s;
}
