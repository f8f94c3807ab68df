/* SPDX-License-Identifier: GPL-3.0-or-later */
/* columns.c - matrices that come as strings of numbers down the columns, in OUTPUT4 and OUTPUT2
 * files, without names for their rows. */
#include "nastran.h"

/* A file may say that a matrix has 10^9 columns in 100 bytes. Column starts take 8 bytes each, so
 * all wide matrices of a file together get as many columns as it has bytes, but 16 million anyway.
 * The others are not counted: a header of 24 bytes brings 8 kB at the most. */
enum { FREE_COLUMNS = 1 << 24, WIDE = 1024 };

fb_status nas_record(fb_cursor *c, size_t *n, fb_err *e)
{
    const size_t at = c->pos;
    int32_t head = 0, tail = 0;
    FB_PASS(fb_get_i32(c, &head, "record", e));
    if (head < 0)
        return fb_fail(e, FB_EFORMAT,
                       "byte %zu: a record of length %d: in pieces (longer than 2 GiB), which is "
                       "not read? write matrices as BIGMAT or sparse",
                       at, (int)head);
    if (fb_need(c, (int64_t)head + 4, 1, "record", e))
        return fb_fail(e, FB_EFORMAT,
                       "byte %zu: a record of %d bytes, the file ends after %zu: cut off?", at,
                       (int)head, c->size - c->pos);
    fb_cursor end = *c;
    end.pos += (size_t)head;
    FB_PASS(fb_get_i32(&end, &tail, "end of record", e));
    if (tail != head)
        return fb_fail(e, FB_EFORMAT,
                       "byte %zu: the record begins with length %d and ends, at byte %zu, with %d: "
                       "damaged in a text transfer?",
                       at, (int)head, c->pos + (size_t)head, (int)tail);
    *n = (size_t)head;
    return FB_OK;
}

void nas_sink_open(nas_sink *k, const char *origin, size_t bytes, fb_parts *p, fb_log *log)
{
    *k = (nas_sink){.budget = FREE_COLUMNS, .origin = origin, .parts = p, .log = log};
    if (bytes > FREE_COLUMNS)
        k->budget = (int64_t)bytes;
}

fb_status nas_sink_begin(nas_sink *k, fb_err *e)
{
    const nas_head *h = &k->h;
    if (h->ncol < 0 || h->nrow < 0 || h->ncol > INT32_MAX || h->nrow > INT32_MAX)
        return fb_fail(e, FB_EFORMAT, "matrix '%s' has %lld columns and %lld rows", h->name,
                       (long long)h->ncol, (long long)h->nrow);
    if (h->form < 1 || h->form > 15 || h->type < 1 || h->type > 4)
        return fb_fail(e, FB_EFORMAT,
                       "matrix '%s' has form %lld, type %lld; forms are 1 to 15, types 1 to 4",
                       h->name, (long long)h->form, (long long)h->type);
    if (h->ncol > WIDE && h->ncol > k->budget)
        return fb_fail(e, FB_EFORMAT,
                       "matrix '%s' of %lld columns: this file may hold %lld more (as many as it "
                       "has bytes, 16777216 at least); write it without the empty ones",
                       h->name, (long long)h->ncol, (long long)k->budget);
    k->budget -= h->ncol > WIDE ? h->ncol : 0;
    fb_gather_free(&k->g);
    k->g.complex = h->type > 2;
    k->stored = 0;
    return FB_OK;
}

fb_status nas_sink_column(nas_sink *k, int64_t icol, fb_err *e)
{
    if (icol < 1 || icol > k->h.ncol)
        return fb_fail(e, FB_EFORMAT, "matrix '%s': column %lld of %lld", k->h.name,
                       (long long)icol, (long long)k->h.ncol);
    if (k->g.nrun && k->g.col[k->g.nrun - 1] == icol - 1)
        return FB_OK;
    return fb_gather_column(&k->g, icol - 1, e);
}

fb_status nas_sink_string(const nas_sink *k, int64_t irow, int64_t words, int64_t *reals, fb_err *e)
{
    int64_t per_entry = k->h.words * (k->g.complex ? 2 : 1);
    if (words <= 0 || words % per_entry)
        return fb_fail(e, FB_EFORMAT, "a string of %lld words; entries of type %lld take %lld",
                       (long long)words, (long long)k->h.type, (long long)per_entry);
    if (irow < 1 || irow > k->h.nrow || words / per_entry > k->h.nrow - irow + 1)
        return fb_fail(e, FB_EFORMAT,
                       "a string of %lld entries from row %lld on; the matrix has %lld rows",
                       (long long)(words / per_entry), (long long)irow, (long long)k->h.nrow);
    *reals = words / k->h.words;
    return FB_OK;
}

fb_status nas_sink_values(nas_sink *k, int64_t irow, const double *v, int64_t n, fb_err *e)
{
    fb_gather *g = &k->g;
    int step = g->complex ? 2 : 1;
    FB_PASS(fb_gather_room(g, n / step, e));
    for (int64_t q = 0; q + step <= n; q += step) {
        double re = v[q], im = g->complex ? v[q + 1] : 0;
        if (re == 0 && im == 0)
            continue;
        g->i[g->n] = irow - 1 + q / step;
        g->x[g->n] = re;
        if (g->complex)
            g->im[g->n] = im;
        g->n++;
    }
    k->stored += n / step;
    return FB_OK;
}

fb_status nas_sink_end(nas_sink *k, fb_err *e)
{
    const nas_head *h = &k->h;
    fb_matrix *m = NULL;
    int square = h->ncol == h->nrow;
    fb_status s = FB_OK;
    if (h->nrow == 0 || h->ncol == 0 || (k->stored == 0 && h->nrow == 1 && h->ncol == 1)) {
        fb_note(k->log, "%s: %s is empty: not there", k->origin, h->name);
        goto out;
    }
    FB_TRY(fb_parts_matrix(k->parts, h->name, k->origin, nas_role(h->name, square), &m, e));
    s = fb_gather_finish(&k->g, h->nrow, h->ncol, 0, &m->A, &m->imag, e);
    if (s)
        FB_TRY(fb_context(e, "matrix '%s'", h->name));
    m->stored = k->stored;
    fb_note(k->log, "%s: %s form %lld, %lld by %lld, %lld entries", k->origin, h->name,
            (long long)h->form, (long long)h->nrow, (long long)h->ncol, (long long)k->stored);
out:
    fb_gather_free(&k->g);
    return s;
}
