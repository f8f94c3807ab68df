/* SPDX-License-Identifier: GPL-3.0-or-later */
/* front.h - how the work of a front is cut in pieces: what front.c does, and schedule.c counts. */
#ifndef FB_FRONT_H
#define FB_FRONT_H
#include "snode.h"

enum {
    FB_FRONT_STRIP = 128, /* columns of an update matrix stored together: half the memory of a
                             square */
    FB_FRONT_TILE = 8,    /* columns of a tile of a product, at most                           */
    FB_FRONT_GRAIN = 24,  /* rows of a tile, or a multiple of them                             */
    FB_FRONT_SLICE = 144, /* columns of a product that are one piece of work                   */
    FB_FRONT_PANEL = 48,  /* columns eliminated together in (FR.3)                             */
    FB_FRONT_WIDE = 192,  /* columns packed together                                           */
    FB_FRONT_TALL = 264,  /* rows of a slice that are one piece of work, at least              */
    FB_FRONT_CHUNK = 144  /* rows below a panel that are one, at least                         */
};

/* Rows of a piece: two pieces a thread even out, and a slice is not cut finer than that. */
static inline int64_t fb_front_rows(int threads, int64_t rows, int64_t least)
{
    const int64_t each = threads > 1 ? (rows + 2 * threads - 1) / (2 * threads) : rows,
                  grain = FB_FRONT_GRAIN;
    return each > least ? (each + grain - 1) / grain * grain : least;
}

/* What of a tile counts: column c < columns from row max(0, diagonal + c) to row rows - 1; columns
 * from `fresh` on are written, the others added to. */
typedef struct {
    int64_t rows, columns, diagonal, fresh;
} fb_edge;

typedef struct { /* n rows of an update matrix that follow each other in its parent, too */
    int64_t from, to, n;
} fb_rows_run;

/* One instruction set. Packed: blocks of `rows` rows, each column by column. */
typedef struct {
    const char *name;
    int rows, columns; /* of a tile; columns <= FB_FRONT_TILE divides rows, rows FB_FRONT_GRAIN */
    /* Tile of C at row i, C[c] its columns: C := C - A B'; A packed, value c of column q of B is
     * B[q sb + c]. edge NULL: all of it. */
    void (*multiply)(int64_t k, const double *A, const double *B, int64_t sb, double *const *C,
                     int64_t i, const fb_edge *edge);
    /* P := F [n x k], leading dimension ld, rows n.. zero; and back. */
    void (*pack)(int64_t n, int64_t k, const double *F, int64_t ld, double *P);
    void (*unpack)(int64_t n, int64_t k, const double *P, double *F, int64_t ld);
    /* P := P T^-T for n <= columns columns, packed; T [n x columns] row by row, on its diagonal the
     * reciprocals. */
    void (*solve)(int64_t n, const double *T, double *P);
    /* The n runs of a column, from one to the other. */
    void (*extend)(int64_t n, const fb_rows_run *run, const double *from, double *to);
} fb_front_kernels;

/* The fastest kernels that the processor runs; with `nth` > 0 a slower set, NULL when there are no
 * more. */
const fb_front_kernels *fb_front_kernels_for(int nth);

/* The entries of S = K - sigma M by the fronts that take them (front_entries.c). */
typedef struct fb_guests fb_guests;
typedef struct { /* a part of S */
    const fb_csc *A;
    double factor;
    signed char *wide; /* [n] columns of A looked at together, < 0: shifted; 0: with one before */
    int64_t *start;    /* [n+1] guests of each column, in the order of elimination */
    fb_guests *guest;
} fb_entry_source;
typedef struct {
    const int64_t *perm;
    int64_t *place; /* [n] when a dof is eliminated */
    char *joined;   /* [n] 1: eliminated right after the dof before it, in the same front */
    fb_entry_source source[2];
} fb_entries;
typedef struct {            /* a front that takes them */
    const int64_t *r, *row; /* [nr] its rows; [n] row of it that a dof is, in L's order */
    int64_t nr, first, ld;  /* its first column, in L's order                           */
    double *F;
} fb_entry_front;
fb_status fb_entries_new(fb_entries *z, const fb_fronts *f, fb_err *e) FB_CHECKED;
void fb_entries_free(fb_entries *z);
/* Doubles that they take, about. */
double fb_entries_words(const fb_csc *A);
/* Adds those of the columns from..end-1, both limits cuts. 0: some have no row in the front. */
int fb_entries_add(const fb_entries *z, const fb_entry_front *f, int64_t from, int64_t end);
/* The first column from j on at which the work may be divided. */
int64_t fb_entries_cut(const fb_entries *z, int64_t j);

/* The elimination of the first nc columns of a dense front. */
typedef struct {
    const fb_front_kernels *kernels;
    int threads;
    int64_t nc, rows; /* of the front; rows is its leading dimension, too                    */
    double *F;        /* [rows x nc] lower part: L afterwards, with (FR.2)                    */
    double **column;  /* [rows + FB_FRONT_TILE] row 0 of each column, from nc on those of the
                         update matrix; a last tile looks at more than there are               */
    int fresh;        /* 1: the update matrix is written, 0: added to                         */
    double *packed;   /* [fb_front_packed()] workspace                                        */
    int64_t failed;   /* out, (FR.2): column whose pivot is not positive, or -1               */
    int64_t negative, zero; /* out, (FR.3) */
} fb_elimination;

void fb_front_cholesky(fb_elimination *z);
void fb_front_block_ldl(fb_elimination *z);
int64_t fb_front_packed(int64_t nc, int64_t rows, int definite);

/* Work in pieces, by all threads or by the one that is here: a thread in a part of work of its own
 * is alone. */
void fb_front_pieces(int threads, int64_t n, void (*piece)(void *arg, int k), void *arg);

/* The schedule of (FR.2) on so many threads, counted. */
typedef struct {
    double work; /* flops in all                                                    */
    double path; /* of the thread that ends last, waiting for the others included   */
} fb_schedule;
fb_status fb_front_schedule(const fb_snodes *L, int threads, fb_schedule *z, fb_err *e) FB_CHECKED;

#endif
