/* SPDX-License-Identifier: GPL-3.0-or-later */
/* coordinate.c - matrices as lines "row column value", 1-based, without header, size or labels.
 *
 * Writers  Abaqus *MATRIX OUTPUT, FORMAT=COORDINATE   both triangles, (i,j) then (j,i)
 *          CalculiX SOLVER=MATRIXSTORAGE, .sti .mas .str .con .sph   upper triangle by columns
 * Law      The bytes do not say what the matrix is for: the role stays unknown, the file's name is
 *          a hint. The size is the largest index: every row is listed, at least by its diagonal.
 */
#include "text/lines.h"
#include "reader.h"
#include "text/pieces.h"
#include <stdlib.h>

/* An order far above what the bytes can fill is a damaged index, not a matrix. */
enum { ORDER_FLOOR = 1 << 20, ORDER_PER_BYTE = 64 };

static int two_indices_and_real(const char *p, const char *end)
{
    int64_t k;
    for (int q = 0; q < 2; q++) {
        p = fb_scan_int(p, end, &k);
        if (!p || k < 1 || p == end || (*p != ' ' && *p != '\t'))
            return 0;
        p = fb_skip_blanks(p, end);
    }
    double x;
    const char *value = p;
    p = fb_scan_real(p, end, &x);
    return p && fb_at_line_end(p, end) && memchr(value, '.', (size_t)(p - value));
}

static int sniff(const fb_input *in)
{
    fb_lines l = fb_lines_head(in);
    return fb_next_data(&l) && two_indices_and_real(l.p, l.end);
}

/* A piece of the file. */
typedef struct {
    int64_t bytes, top, order; /* of the file; what an index may be, and the largest there is */
} state;

static fb_status index_at(fb_lines *l, int64_t *k, const state *st, const char *what, fb_err *e)
{
    const char *q = fb_scan_index(l->p, l->end, k);
    if (!q || *k < 1 || *k > st->top) {
        if (q && *k > st->top)
            return fb_line_fail(e, l, l->p,
                                "%s index %lld is out of proportion to a file of %lld bytes", what,
                                (long long)*k, (long long)st->bytes);
        return fb_line_fail(e, l, l->p, "a %s index from 1 on is wanted", what);
    }
    l->p = fb_skip_separator(q, l->end);
    if (!l->p)
        return fb_line_fail(e, l, q < l->end ? q : l->end - 1, "'row column value' is wanted");
    return FB_OK;
}

/* Any look of an entry, and what is wrong with it. */
static fb_status any_entry(fb_lines *l, const state *st, int64_t *i, int64_t *j, double *x,
                           fb_err *e)
{
    FB_PASS(index_at(l, i, st, "row", e));
    FB_PASS(index_at(l, j, st, "column", e));
    const char *q = fb_scan_real(l->p, l->end, x);
    if (!q || !fb_at_line_end(q, l->end))
        return fb_line_fail(e, l, l->p < l->end ? l->p : l->end - 1,
                            "one finite value is wanted behind row and column");
    l->p = q;
    return FB_OK;
}

static fb_status entries(fb_piece *p, fb_err *e)
{
    state *st = p->own;
    fb_lines *l = &p->l;
    int64_t n = 0, i = 0, j = 0;
    const int64_t top = st->top;
    double x = 0;
    while (fb_next_entry(l)) {
        fb_meter_at(&p->meter, l->p);
        const char *q = fb_scan_triple(l->p, l->end, &i, &j, &x);
        if (q && *q == '\n' && (uint64_t)(i - 1) < (uint64_t)top &&
            (uint64_t)(j - 1) < (uint64_t)top)
            l->p = q;
        else
            FB_PASS(any_entry(l, st, &i, &j, &x, e));
        n = i > n ? i : n;
        n = j > n ? j : n;
        FB_PASS(fb_triples_add(&p->t, i - 1, j - 1, x, e));
    }
    st->order = n;
    return FB_OK;
}

/* All entries in the first piece, and the order. */
static fb_status read_entries(fb_piece *piece, int pieces, int64_t bytes, int64_t *order, fb_err *e)
{
    state st[FB_PIECES] = {{0, 0, 0}};
    const int64_t top = bytes < ORDER_FLOOR / ORDER_PER_BYTE ? ORDER_FLOOR
                        : bytes < INT32_MAX / ORDER_PER_BYTE ? ORDER_PER_BYTE * bytes
                                                             : INT32_MAX;
    *order = 0;
    for (int k = 0; k < pieces; k++) {
        st[k].bytes = bytes;
        st[k].top = top;
        piece[k].own = st + k;
    }
    FB_PASS(fb_pieces_read(piece, pieces, entries, e));
    for (int k = 0; k < pieces; k++)
        *order = st[k].order > *order ? st[k].order : *order;
    if (!*order)
        return fb_fail(e, FB_EFORMAT, "no entries");
    return fb_pieces_join(piece, pieces, NULL, e);
}

static fb_status read_coordinate(const fb_input *in, fb_parts *p, fb_log *log, fb_err *e)
{
    const fb_lines l = fb_lines_of(in);
    fb_piece piece[FB_PIECES] = {{.own = NULL}};
    const int pieces = fb_pieces_cut(&l, in, log, piece);
    fb_halves found = FB_ONE_HALF;
    fb_matrix *m = NULL;
    int64_t n = 0;
    fb_status s = FB_OK;
    FB_TRY(read_entries(piece, pieces, l.end - l.begin, &n, e));
    FB_TRY(fb_parts_matrix(p, fb_base_name(in->name), in->name, FB_ROLE_UNKNOWN, &m, e));
    FB_TRY(fb_triples_matrix(&piece->t, n, 0, NULL, &m->A, &found, log, e));
    m->hint = fb_role_of_file(in->name);
    m->by_rank = found != FB_ONE_HALF;
    fb_note(log, "%s: order %lld, %lld entries kept, %s", in->name, (long long)n,
            (long long)m->A.p[n], fb_halves_text[found]);
out:
    fb_pieces_free(piece, pieces);
    return s;
}

const fb_reader fb_reader_coordinate = {
    .name = "coordinate",
    .doc = "lines 'row column value' (Abaqus COORDINATE, CalculiX .sti .mas)",
    .sniff = sniff,
    .read = read_coordinate,
};
