/* SPDX-License-Identifier: GPL-3.0-or-later */
/* triples.h - square matrices that come as a list of (row, column, value), in any order, with one
 * triangle or both. */
#ifndef TRIPLES_H
#define TRIPLES_H
#include "memory.h"
#include "parts.h"

typedef struct {
    int64_t *place; /* [n] FB_PLACE(row, column, paired) */
    double *x;      /* [n] */
    int64_t n, cap_place, cap_x;
} fb_triples;

/* paired: the mirror entry (column,row) with the same value came right behind. */
#define FB_PLACE(i, j, paired) ((int64_t)(j) << 32 | (int64_t)(i) << 1 | (paired))

#define FB_PLACE_ROW(place)    (((place) & 0xffffffff) >> 1)
#define FB_PLACE_COLUMN(place) ((place) >> 32)

/* 0-based, below 2^31. A mirror entry that follows its twin is not stored: a file that holds both
 * triangles side by side takes the memory of one. */
static inline fb_status fb_triples_add(fb_triples *t, int64_t i, int64_t j, double x, fb_err *e)
{
    int64_t n = t->n;
    if (n > 0 && i != j && t->place[n - 1] == FB_PLACE(j, i, 0) && t->x[n - 1] == x) {
        t->place[n - 1] |= 1;
        return FB_OK;
    }
    if (n == t->cap_place || n == t->cap_x) {
        fb_status s = fb_grow(&t->place, &t->cap_place, n + 1, sizeof *t->place, e);
        if (!s)
            s = fb_grow(&t->x, &t->cap_x, n + 1, sizeof *t->x, e);
        if (s)
            return s;
    }
    t->place[n] = FB_PLACE(i, j, 0);
    t->x[n] = x;
    t->n = n + 1;
    return FB_OK;
}

/* What the entries were found to be. */
typedef enum {
    FB_ONE_HALF, /* one triangle: the other is its mirror  */
    FB_MIRRORED, /* both triangles, equal; or a diagonal   */
    FB_UNEQUAL   /* both triangles, not equal              */
} fb_halves;
extern const char *const fb_halves_text[];

/* The matrix of order n; t is emptied. The triangle is told from the data: if any off-diagonal
 * place has a mirror the file holds both, else one half; general (the format says unsymmetric):
 * both. Zeros are dropped. An entry that comes twice is a warning, with another value it is an
 * error; row names it (may be NULL or without nodes). */
fb_status fb_triples_matrix(fb_triples *t, int64_t n, int general, const fb_labels *row, fb_csc *A,
                            fb_halves *found, fb_log *log, fb_err *e) FB_CHECKED;
/* fb_fill_count, and what follows up to fb_fill_finish, for a list without paired entries. Those
 * below the diagonal go to their mirror place where f is upper; entries of one place keep their
 * order. Filling empties the list. */
void fb_triples_count(const fb_triples *t, fb_fill *f);
fb_status fb_triples_fill(fb_triples *t, fb_fill *f, fb_err *e) FB_CHECKED;
void fb_triples_free(fb_triples *t);
#endif
