/* SPDX-License-Identifier: GPL-3.0-or-later */
/* op4.c - Nastran OUTPUT4 files in binary form; those in text are read by op4_text.c.
 *
 * Layout   A file is a run of matrices, without a header or an end of its own. In binary files all
 *          is in Fortran records, [i32 n][n bytes][i32 n]; integers have 4 or 8 bytes, the first
 *          marker, 24 or 48, tells which, and the byte order.
 *            header  NCOL, NROW, FORM, TYPE, NAME(8, with long integers 16 bytes)
 *            column  ICOL, IROW, NW, NW words     IROW > 0: dense, from IROW on; 0: strings
 *            string  IS = IROW + 65536 L          if 0 < NROW <= 65535; L = words + 1
 *                    L, IROW                      else ("BIGMAT")
 *            end     a column NCOL + 1 with one dummy value
 * Beware   NROW < 0 says BIGMAT, but columns may be dense all the same. With long integers a word
 *          has 8 bytes, and TYPE 1 and 3 are 8-byte reals. Symmetric matrices hold both halves,
 *          equal only to rounding. A purged matrix is a 1 by 1 of form 6 with nothing in it.
 *          Dense columns hold zeros: they are counted, not kept. */
#include "nastran.h"
#include "reader.h"
#include <string.h>

typedef struct {
    fb_cursor c;
    int wide;   /* 8-byte integers and words */
    size_t at;  /* of the record */
    size_t end; /* of its payload */
    fb_meter meter;
    nas_sink k;
} file;

/* Leaves the cursor on the payload. */
static fb_status record(file *f, fb_err *e)
{
    size_t n = 0;
    f->at = f->c.pos;
    FB_PASS(nas_record(&f->c, &n, e));
    f->end = f->c.pos + n;
    return FB_OK;
}

static fb_status integer(file *f, int64_t *v, const char *what, fb_err *e)
{
    int32_t v4 = 0;
    if (f->c.pos + (f->wide ? 8 : 4) > f->end)
        return fb_fail(e, FB_EFORMAT, "byte %zu: %s: the record of byte %zu ends here", f->c.pos,
                       what, f->at);
    if (f->wide)
        return fb_get_i64(&f->c, v, what, e);
    fb_status s = fb_get_i32(&f->c, &v4, what, e);
    *v = v4;
    return s;
}

static fb_status header(file *f, fb_err *e)
{
    nas_head *h = &f->k.h;
    int64_t nrow = 0;
    *h = (nas_head){0};
    FB_PASS(record(f, e));
    size_t name = f->wide ? 16 : 8;
    if (f->end - f->c.pos != (f->wide ? 32 : 16) + name)
        return fb_fail(e, FB_EFORMAT,
                       "byte %zu: a record of %zu bytes, the header of a matrix has %d", f->at,
                       f->end - f->c.pos, f->wide ? 48 : 24);
    FB_PASS(integer(f, &h->ncol, "columns", e));
    FB_PASS(integer(f, &nrow, "rows", e));
    FB_PASS(integer(f, &h->form, "form", e));
    FB_PASS(integer(f, &h->type, "type", e));
    nas_name(h->name, sizeof h->name, f->c.data + f->c.pos, name);
    f->c.pos = f->end + 4;
    h->bigmat = nrow < 0 || nrow > 65535;
    h->nrow = nrow < 0 && nrow > INT64_MIN ? -nrow : nrow;
    h->words = f->wide || h->type == 1 || h->type == 3 ? 1 : 2;
    return fb_within(nas_sink_begin(&f->k, e), e, "byte %zu", f->at);
}

/* n reals at the cursor, which fit in the record, go to the matrix. */
static fb_status reals(file *f, int64_t irow, int64_t n, fb_err *e)
{
    enum { CHUNK = 512 };
    double v[CHUNK];
    int step = f->k.g.complex ? 2 : 1, single = !f->wide && f->k.h.words == 1;
    while (n > 0) {
        int64_t k = n < CHUNK ? n : CHUNK;
        if (single)
            for (int64_t q = 0; q < k; q++) {
                float x = 0;
                FB_PASS(fb_get_f32(&f->c, &x, "value", e));
                v[q] = (double)x;
            }
        else
            FB_PASS(fb_get_f64(&f->c, v, k, "values", e));
        FB_PASS(nas_sink_values(&f->k, irow, v, k, e));
        irow += k / step;
        n -= k;
    }
    return FB_OK;
}

static fb_status string(file *f, int64_t irow, int64_t words, fb_err *e)
{
    int64_t n = 0;
    size_t at = f->c.pos, bytes = f->wide ? 8 : 4;
    fb_status s = nas_sink_string(&f->k, irow, words, &n, e);
    if (!s && (uint64_t)words > (f->end - f->c.pos) / bytes)
        s = fb_fail(e, FB_EFORMAT, "a string of %lld words, %zu bytes are left in the record",
                    (long long)words, f->end - f->c.pos);
    if (s == FB_EFORMAT)
        return fb_context(e, "byte %zu: matrix '%s'", at, f->k.h.name);
    return s ? s : reals(f, irow, n, e);
}

static fb_status strings(file *f, fb_err *e)
{
    while (f->c.pos < f->end) {
        int64_t l = 0, irow = 0;
        FB_PASS(integer(f, &l, "head of a string", e));
        if (f->k.h.bigmat) {
            FB_PASS(integer(f, &irow, "row of a string", e));
        } else {
            uint64_t is = f->wide ? (uint64_t)l : (uint32_t)l;
            irow = (int64_t)(is % 65536);
            l = (int64_t)(is / 65536);
        }
        FB_PASS(string(f, irow, l - 1, e));
    }
    return FB_OK;
}

/* One matrix, to its end mark. */
static fb_status matrix(file *f, fb_err *e)
{
    FB_PASS(header(f, e));
    for (;;) {
        int64_t icol = 0, irow = 0, nw = 0;
        if (f->c.pos == f->c.size)
            return fb_fail(e, FB_EFORMAT, "byte %zu: the file ends before the end of matrix '%s'",
                           f->c.pos, f->k.h.name);
        fb_meter_at(&f->meter, f->c.data + f->c.pos);
        FB_PASS(record(f, e));
        FB_PASS(integer(f, &icol, "column", e));
        FB_PASS(integer(f, &irow, "row", e));
        FB_PASS(integer(f, &nw, "words", e));
        if (icol == f->k.h.ncol + 1)
            break;
        if (nw < 0 || (uint64_t)nw != (f->end - f->c.pos) / (f->wide ? 8 : 4))
            return fb_fail(
                e, FB_EFORMAT,
                "byte %zu: matrix '%s', column %lld: %lld words told, the record holds %zu bytes",
                f->at, f->k.h.name, (long long)icol, (long long)nw, f->end - f->c.pos);
        FB_PASS(fb_within(nas_sink_column(&f->k, icol, e), e, "byte %zu", f->at));
        FB_PASS(irow > 0 ? string(f, irow, nw, e) : strings(f, e));
        f->c.pos = f->end + 4;
    }
    f->c.pos = f->end + 4;
    return nas_sink_end(&f->k, e);
}

/* Marker 24 or 48 in either order, then a header with a form and a type; 0: no such file. A wrong
 * marker behind it is left to be told of. */
static int detect(const fb_input *in, int *little, int *wide)
{
    const unsigned char *d = in->data;
    for (int k = 0; k < 4 && in->size >= 28; k++) {
        int n = k / 2 ? 48 : 24, le = k % 2;
        size_t size = k / 2 ? 8 : 4, low = le ? 0 : size - 1;
        if (d[le ? 0 : 3] != n || d[1] || d[2] || d[le ? 3 : 0])
            continue;
        if (in->size < 4 + 4 * size || d[4 + 2 * size + low] > 99 || d[4 + 3 * size + low] > 9)
            continue;
        *little = le;
        *wide = k / 2;
        return 1;
    }
    return 0;
}

static int sniff(const fb_input *in)
{
    int little, wide;
    return detect(in, &little, &wide) || op4_text_sniff(in);
}

static fb_status read_op4(const fb_input *in, fb_parts *p, fb_log *log, fb_err *e)
{
    file f = {.c = {in->data, in->size, 0, 0}};
    fb_status s = FB_OK;
    if (!detect(in, &f.c.little, &f.wide))
        return op4_text_read(in, p, log, e);
    nas_sink_open(&f.k, in->name, in->size, p, log);
    fb_meter_start(&f.meter, log, in, 0, 1);
    while (!s && f.c.pos < f.c.size)
        s = matrix(&f, e);
    fb_gather_free(&f.k.g);
    return s;
}

const fb_reader fb_reader_op4 = {
    .name = "op4",
    .doc = "Nastran OUTPUT4 matrices, binary or text",
    .sniff = sniff,
    .read = read_op4,
};
