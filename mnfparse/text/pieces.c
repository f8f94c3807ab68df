/* SPDX-License-Identifier: GPL-3.0-or-later */
/* pieces.c - a long text whose lines stand alone, read on several threads.
 *
 * Each piece has its own list of entries. They are put together in the order of the text, so that
 * what comes out is the same as from one piece, however many there are: also where a cut parts an
 * entry from the mirror entry behind it, which a list keeps as one.
 */
#include "pieces.h"
#include "linalg/blas.h"
#include "memory.h"

enum { LEAST = 4 << 20 }; /* bytes of a piece: less is not worth a thread */

int fb_piece_count = 0;

/* ---- cutting ----------------------------------------------------------------------------- */

static int how_many(int64_t bytes)
{
    const int most = fb_threads() < FB_PIECES ? fb_threads() : FB_PIECES;
    if (fb_piece_count)
        return fb_piece_count;
    return bytes / LEAST < 1 ? 1 : bytes / LEAST < most ? (int)(bytes / LEAST) : most;
}

int fb_pieces_cut(const fb_lines *l, const fb_input *in, fb_log *log, fb_piece piece[FB_PIECES])
{
    const int64_t size = l->end - l->p;
    const int want = how_many(size);
    const char *from = l->p;
    int n = 0;
    for (int k = 1; k <= want; k++) {
        const char *about = l->p + size / want * k,
                   *end = k == want ? l->end : fb_after_line(from > about ? from : about, l->end);
        if (end == from && n)
            continue;
        piece[n] = (fb_piece){.l = {l->begin, from, end, from}};
        fb_meter_part(&piece[n].meter, n ? NULL : log, in, from, end); /* the first tells for all */
        from = end;
        n++;
    }
    return n;
}

/* ---- reading ----------------------------------------------------------------------------- */

typedef struct {
    fb_piece *piece;
    fb_status (*read)(fb_piece *p, fb_err *e);
} reading;

static void read_piece(void *arg, int k)
{
    const reading *z = arg;
    fb_piece *p = z->piece + k;
    p->status = z->read(p, &p->err);
}

fb_status fb_pieces_read(fb_piece *piece, int n, fb_status (*read)(fb_piece *p, fb_err *e),
                         fb_err *e)
{
    static const char table[] = "1e300";
    double x;
    (void)fb_scan_real(table, table + sizeof table - 1, &x); /* builds what all threads look up */
    fb_parallel(n, read_piece, &(reading){piece, read});
    for (int k = 0; k < n; k++)
        if (piece[k].status) {
            *e = piece[k].err;
            return piece[k].status;
        }
    return FB_OK;
}

/* ---- joining ----------------------------------------------------------------------------- */

typedef struct {
    fb_piece *piece;
    int32_t *const *number;
    int64_t *place; /* where all go */
    double *x;
    int64_t first[FB_PIECES], skip[FB_PIECES]; /* place of each piece's entries; those left out */
} joining;

/* The place of entry q of piece k by its new numbers. */
static inline int64_t renumbered(const joining *z, int k, int64_t q)
{
    const int64_t place = z->piece[k].t.place[q];
    const int32_t *number = z->number ? z->number[k] : NULL;
    return number ? FB_PLACE(number[FB_PLACE_ROW(place)], number[FB_PLACE_COLUMN(place)], place & 1)
                  : place;
}

/* Is the first entry of piece k the mirror of the last one before it? Then that one is of both. */
static int twins(const joining *z, int k)
{
    const fb_triples *before = &z->piece[k - 1].t, *t = &z->piece[k].t;
    if (before->n <= z->skip[k - 1] || !t->n || before->x[before->n - 1] != t->x[0])
        return 0;
    const int64_t a = renumbered(z, k - 1, before->n - 1), b = renumbered(z, k, 0);
    if (FB_PLACE_ROW(b) == FB_PLACE_COLUMN(b) ||
        a != FB_PLACE(FB_PLACE_COLUMN(b), FB_PLACE_ROW(b), 0) || (b & 1))
        return 0;
    before->place[before->n - 1] |= 1;
    return 1;
}

/* The first piece's entries are where they belong. */
static void put_piece(void *arg, int k)
{
    const joining *z = arg;
    const fb_triples *t = &z->piece[k].t;
    const int64_t skip = z->skip[k], n = t->n - skip;
    int64_t *to = z->place + z->first[k];
    for (int64_t q = 0; q < n && (k || z->number); q++)
        to[q] = renumbered(z, k, q + skip);
    if (k && n > 0)
        memcpy(z->x + z->first[k], t->x + skip, (size_t)n * sizeof *t->x);
}

fb_status fb_pieces_join(fb_piece *piece, int n, int32_t *const *number, fb_err *e)
{
    fb_triples *t = &piece->t;
    joining z = {.piece = piece, .number = number};
    int64_t all = t->n;
    for (int k = 1; k < n; k++) {
        z.skip[k] = twins(&z, k);
        z.first[k] = all;
        all += piece[k].t.n - z.skip[k];
    }
    FB_PASS(fb_grow(&t->place, &t->cap_place, all, sizeof *t->place, e));
    FB_PASS(fb_grow(&t->x, &t->cap_x, all, sizeof *t->x, e));
    z.place = t->place;
    z.x = t->x;
    fb_parallel(n, put_piece, &z);
    t->n = all;
    for (int k = 1; k < n; k++)
        fb_triples_free(&piece[k].t);
    return FB_OK;
}

void fb_pieces_free(fb_piece *piece, int n)
{
    for (int k = 0; k < n; k++)
        fb_triples_free(&piece[k].t);
}
