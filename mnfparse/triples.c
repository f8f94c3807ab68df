/* SPDX-License-Identifier: GPL-3.0-or-later */
/* triples.c - compressed columns from unordered entries.
 *
 * Memory   16 bytes an entry in the list. Entries that come column by column, rows ascending, become
 *          the result where they are; others are sorted into 16 bytes more, and the list is freed.
 * Method   entries go to the upper triangle with a tag that says where they stood; after sorting,
 *          the entries of one place stand side by side, and counting them tells half from full.
 */
#include "triples.h"
#include <stdlib.h>

enum { UPPER, LOWER, PAIRED, TAGS = 4 }; /* tags; row and tag share one integer: TAGS * row + tag */

void fb_triples_free(fb_triples *t)
{
    free(t->place);
    free(t->x);
    t->place = NULL;
    t->x = NULL;
    t->n = t->cap_place = t->cap_x = 0;
}

void fb_row_name(const fb_labels *row, int64_t k, char *out, size_t n)
{
    if (row && row->node)
        snprintf(out, n, "%lld.%lld", (long long)row->node[k], (long long)row->component[k]);
    else
        snprintf(out, n, "row %lld", (long long)k + 1);
}

/* ---- sorting one column ---------------------------------------------------------------- */

static void sift(int64_t *key, double *x, int64_t k, int64_t n)
{
    int64_t top = key[k];
    double v = x[k];
    for (int64_t c; (c = 2 * k + 1) < n; k = c) {
        if (c + 1 < n && key[c + 1] > key[c])
            c++;
        if (key[c] <= top)
            break;
        key[k] = key[c];
        x[k] = x[c];
    }
    key[k] = top;
    x[k] = v;
}

static void sort_column(int64_t *key, double *x, int64_t n)
{
    int64_t k = 1;
    while (k < n && key[k - 1] <= key[k])
        k++;
    if (k >= n)
        return;
    for (k = n / 2; k-- > 0;)
        sift(key, x, k, n);
    while (n-- > 1) {
        int64_t a = key[0];
        double v = x[0];
        key[0] = key[n];
        x[0] = x[n];
        key[n] = a;
        x[n] = v;
        sift(key, x, 0, n);
    }
}

/* ---- passes over the entries ----------------------------------------------------------- */

typedef struct {
    fb_triples    *t;
    const int32_t *number;
    int            full; /* entries stay where they are; else all go to the upper triangle */
} source;

/* Where entry q goes: its column, and its row with a tag. */
static inline int64_t target(const source *s, int64_t q, int64_t *key)
{
    int64_t place = s->t->place[q], i = (place & 0xffffffff) >> 1, j = place >> 32;
    if (s->number) {
        i = s->number[i];
        j = s->number[j];
    }
    int tag = place & 1 ? PAIRED : i > j ? LOWER : UPPER;
    if (!s->full && i > j) {
        int64_t w = i;
        i = j;
        j = w;
    }
    *key = TAGS * i + tag;
    return j;
}

/* Columns of tagged rows, sorted; the mirrors of paired entries are added when full. */
static fb_status columns(const source *s, int64_t n, fb_csc *A, fb_err *e)
{
    int64_t total = s->t->n, key;
    for (int64_t q = 0; s->full && q < s->t->n; q++)
        total += s->t->place[q] & 1;
    fb_status st = fb_csc_new(A, n, n, total, !s->full, e);
    if (st)
        return st;
    int64_t *start = A->p + 1;
    for (int64_t q = 0; q < s->t->n; q++) {
        start[target(s, q, &key)]++;
        if (s->full && (key & PAIRED))
            start[key / TAGS]++;
    }
    for (int64_t k = 0, sum = 0; k < n; k++) { /* start[k]: where column k begins; then where it ends */
        int64_t c = start[k];
        start[k] = sum;
        sum += c;
    }
    for (int64_t q = 0; q < s->t->n; q++) {
        int64_t col = target(s, q, &key), at = start[col]++;
        A->i[at] = key;
        A->x[at] = s->t->x[q];
        if (s->full && (key & PAIRED)) {
            at = start[key / TAGS]++;
            A->i[at] = TAGS * col + PAIRED;
            A->x[at] = s->t->x[q];
        }
    }
    for (int64_t k = 0; k < n; k++)
        sort_column(A->i + A->p[k], A->x + A->p[k], A->p[k + 1] - A->p[k]);
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
        int tag = (int)(A->i[q] % TAGS);
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
    while (r < end && A->i[r] / TAGS == A->i[q] / TAGS)
        r++;
    return r;
}

static fb_status count(const fb_csc *A, const fb_labels *row, tally *c, fb_err *e)
{
    for (int64_t k = 0; k < A->n; k++)
        for (int64_t q = A->p[k], r; q < A->p[k + 1]; q = r) {
            r = place_end(A, q, A->p[k + 1]);
            if (judge(A, q, r, A->i[q] / TAGS == k, c))
                continue;
            char a[48], b[48];
            fb_row_name(row, A->i[q] / TAGS, a, sizeof a);
            fb_row_name(row, k, b, sizeof b);
            return fb_fail(e, FB_EFORMAT, "the entry of %s and %s comes twice with different values (%.17g, %.17g): "
                           "an assembled matrix is wanted, not one element by element", a, b, A->x[q], A->x[r - 1]);
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
        int64_t end = A->p[k + 1];
        while (q < end) {
            int64_t r = place_end(A, q, end);
            if (A->x[q] != 0) {
                A->i[to] = A->i[q] / TAGS;
                A->x[to++] = A->x[q];
            }
            q = r;
        }
        A->p[k + 1] = to;
    }
    return cut(A, q, e);
}

/* ---- entries in their final order ------------------------------------------------------ */

/* Do all places ascend by column and row, each once? */
static int ascending(const source *s, tally *c)
{
    int64_t col = 0, last = -1, key;
    tally t = {0};
    for (int64_t q = 0; q < s->t->n; q++) {
        int64_t j = target(s, q, &key), row = key / TAGS;
        if (j < col || (j == col && row <= last))
            return 0;
        col = j;
        last = row;
        t.mirrored += key & PAIRED ? 1 : 0;
        t.single += !(key & PAIRED) && row != j;
    }
    *c = t;
    return 1;
}

/* The list becomes the matrix, without its zeros. */
static fb_status adopt(const source *s, int64_t n, fb_csc *A, fb_err *e)
{
    fb_triples *t = s->t;
    int64_t *p = NULL, col = 0, to = 0, had = t->n, key;
    fb_status st = fb_new(&p, n + 1, sizeof *p, "column starts", e);
    if (st)
        return st;
    for (int64_t q = 0; q < had; q++) {
        int64_t j = target(s, q, &key);
        for (; col < j; col++)
            p[col + 1] = to;
        if (t->x[q] != 0) {
            t->place[to] = key / TAGS;
            t->x[to++] = t->x[q];
        }
    }
    for (; col < n; col++)
        p[col + 1] = to;
    *A = (fb_csc){n, n, p, t->place, t->x, 1};
    *t = (fb_triples){0};
    return cut(A, had, e);
}

/* ---- the call -------------------------------------------------------------------------- */

static fb_halves halves(const tally *c, int general)
{
    int full = general || c->mirrored;
    return !full && c->single ? FB_ONE_HALF : c->single || c->unequal ? FB_UNEQUAL : FB_MIRRORED;
}

fb_status fb_triples_matrix(fb_triples *t, int64_t n, const int32_t *number, int general, const fb_labels *row,
                            fb_csc *A, fb_halves *found, fb_log *log, fb_err *e)
{
    fb_csc B = {0};
    tally c = {0};
    source src = {t, number, 0};
    fb_status s = FB_OK;
    if (ascending(&src, &c) && halves(&c, general) != FB_UNEQUAL) {
        FB_TRY(adopt(&src, n, &B, e));
    } else {
        c = (tally){0};
        FB_TRY(columns(&src, n, &B, e));
        FB_TRY(count(&B, row, &c, e));
        if (halves(&c, general) == FB_UNEQUAL) {
            src.full = 1;
            fb_csc_free(&B);
            FB_TRY(columns(&src, n, &B, e));
        }
        fb_triples_free(t);
        FB_TRY(compact(&B, e));
    }
    if (c.repeated)
        fb_warn(log, "%lld entries come twice with the same value: each counts once", (long long)c.repeated);
    *found = halves(&c, general);
    *A = B;
    B = (fb_csc){0};
out:
    fb_csc_free(&B);
    fb_triples_free(t);
    return s;
}
