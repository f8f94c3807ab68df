/* SPDX-License-Identifier: GPL-3.0-or-later */
/* triples.h - square matrices that come as a list of (row, column, value), in any order, with one
 * triangle or both. */
#ifndef TRIPLES_H
#define TRIPLES_H
#include "parts.h"

typedef struct { /* j < 0: column ~j, and the mirror entry (j,i) with the same value came right behind */
    int32_t i, j;
    double  x;
} fb_triple;

typedef struct {
    fb_triple *e;
    int64_t    n, cap;
} fb_triples;

/* 0-based. A mirror entry that follows its twin is not stored: a file that holds both triangles
 * side by side takes the memory of one. */
static inline fb_status fb_triples_add(fb_triples *t, int32_t i, int32_t j, double x, fb_err *e)
{
    if (t->n > 0) {
        fb_triple *last = t->e + t->n - 1;
        if (last->i == j && last->j == i && i != j && last->x == x) {
            last->j = ~last->j;
            return FB_OK;
        }
    }
    if (t->n == t->cap) {
        fb_status s = fb_grow(&t->e, &t->cap, t->n + 1, sizeof *t->e, e);
        if (s)
            return s;
    }
    t->e[t->n++] = (fb_triple){i, j, x};
    return FB_OK;
}

/* What the entries were found to be. */
typedef enum {
    FB_ONE_HALF, /* one triangle: the other is its mirror  */
    FB_MIRRORED, /* both triangles, equal; or a diagonal   */
    FB_UNEQUAL   /* both triangles, not equal              */
} fb_halves;

/* The matrix of order n; t is emptied. place [n] renumbers rows and columns, or is NULL. The triangle
 * is told from the data: if any off-diagonal place has a mirror the file holds both, else one half;
 * general (the format says unsymmetric): both. Zeros are dropped. An entry that comes twice is
 * a warning, with another value it is an error; row names it (may be NULL or without nodes). */
fb_status fb_triples_matrix(fb_triples *t, int64_t n, const int32_t *place, int general, const fb_labels *row,
                            fb_csc *A, fb_halves *found, fb_log *log, fb_err *e) FB_CHECKED;
void fb_triples_free(fb_triples *t);
/* "12.3" from labels, "row 7" (1-based) without them. */
void fb_row_name(const fb_labels *row, int64_t k, char *out, size_t n);
#endif
