/* SPDX-License-Identifier: GPL-3.0-or-later */
/* pieces.h - a long text whose lines stand alone, read on several threads. */
#ifndef PIECES_H
#define PIECES_H
#include "lines.h"
#include "triples.h"

typedef struct fb_piece {
    fb_lines l;   /* its lines, of a text that begins where the whole does */
    fb_triples t; /* the entries they hold */
    fb_meter meter;
    void *own; /* the reader's */
    fb_status status;
    fb_err err;
} fb_piece;

/* For tests: cuts any text into so many pieces; 0: a long one into as many as there are threads. */
extern int fb_piece_count;

/* Cuts the text from l->p on behind ends of lines; returns into how many pieces, 1 at the least. */
int fb_pieces_cut(const fb_lines *l, const fb_input *in, fb_log *log, fb_piece piece[FB_PIECES]);
/* read() for each piece. The error is the one that the text as a whole would have had: that of the
 * first piece with one. */
fb_status fb_pieces_read(fb_piece *piece, int n, fb_status (*read)(fb_piece *p, fb_err *e),
                         fb_err *e) FB_CHECKED;
/* The entries of all pieces, in the order of the text, become those of the first. number[k]
 * renumbers the rows and columns of piece k; number NULL: none. */
fb_status fb_pieces_join(fb_piece *piece, int n, int32_t *const *number, fb_err *e) FB_CHECKED;
void fb_pieces_free(fb_piece *piece, int n);
#endif
