/* SPDX-License-Identifier: GPL-3.0-or-later */
/* op2.c - Nastran OUTPUT2 files: framing, directory, matrices. What tables hold: op2_tables.c.
 *
 * Layout  Fortran records [i32 n][n bytes][i32 n]; a key is a record of one word (4 or 8 bytes,
 *         as the first record has).
 *           file   [3 date 7 text 2 label [6 version] -1 0]  block...  [0]
 *           block  2 name [6 ...] -1  7 trailer -2  1 0 n header -3
 *                  then for k = -3, -4, ...: 1 t (n piece)... k-1; t = 0 table record in pieces,
 *                  1 matrix column in strings; n words, of a string behind its first row
 *                  1 0 0 ends the block
 * Beware  The count down of the keys is the only check there is: it is enforced. Names, labels and
 *         versions are not: many programs write OUTPUT2. The end of the file at the end of a block
 *         is a normal end. Empty columns are there, without strings.
 *         EXTDB blocks have their real names in the directory XSOP2DIR, in its order. */
#include "memory.h"
#include "op2.h"
#include "reader.h"
#include <stdlib.h>
#include <string.h>

/* ---- records and keys ------------------------------------------------------------------- */

static fb_status record(op2_file *f, op2_record *r, fb_err *e)
{
    size_t n = 0;
    f->at = f->c.pos;
    FB_PASS(nas_record(&f->c, &n, e));
    *r = (op2_record){f->c.data + f->c.pos, n};
    f->c.pos += n + 4;
    return FB_OK;
}

static fb_status key(op2_file *f, int64_t *k, fb_err *e)
{
    op2_record r = {0};
    FB_PASS(record(f, &r, e));
    if (r.size != (size_t)f->w)
        return fb_fail(e, FB_EFORMAT, "byte %zu: a key of %d bytes is wanted, the record has %zu",
                       f->at, f->w, r.size);
    *k = op2_int(f, r, 0);
    return FB_OK;
}

static fb_status key_is(op2_file *f, int64_t want, fb_err *e)
{
    int64_t k = 0;
    fb_status s = key(f, &k, e);
    if (!s && k != want)
        s = fb_fail(e, FB_EFORMAT, "byte %zu: key %lld, %lld is wanted", f->at, (long long)k,
                    (long long)want);
    return s;
}

/* A record of n words, as its key said. */
static fb_status words(op2_file *f, int64_t n, op2_record *r, fb_err *e)
{
    fb_status s = record(f, r, e);
    if (!s && (n < 0 || n > INT32_MAX || r->size != (size_t)n * (size_t)f->w))
        s = fb_fail(e, FB_EFORMAT, "byte %zu: a record of %zu bytes, its key says %lld words",
                    f->at, r->size, (long long)n);
    return s;
}

static fb_status keyed(op2_file *f, int64_t n, op2_record *r, fb_err *e)
{
    fb_status s = key_is(f, n, e);
    return s ? s : words(f, n, r, e);
}

/* Newer MSC versions put a record of 6 words behind the label and behind block names. */
static fb_status skip_version(op2_file *f, fb_err *e)
{
    op2_record r;
    int64_t k = 0;
    fb_status s = key(f, &k, e);
    if (!s && k == 6) {
        s = record(f, &r, e);
        if (!s)
            s = key(f, &k, e);
    }
    if (!s && k != -1)
        s = fb_fail(e, FB_EFORMAT, "byte %zu: key %lld, -1 is wanted", f->at, (long long)k);
    return s;
}

/* Behind its key 3. */
static fb_status file_header(op2_file *f, fb_err *e)
{
    op2_record r;
    FB_PASS(words(f, 3, &r, e));
    FB_PASS(keyed(f, 7, &r, e));
    FB_PASS(keyed(f, 2, &r, e));
    FB_PASS(skip_version(f, e));
    return key_is(f, 0, e);
}

/* ---- blocks ----------------------------------------------------------------------------- */

static fb_status block_header(op2_file *f, op2_block *b, fb_err *e)
{
    op2_record r;
    int64_t n = 0;
    *b = (op2_block){0};
    FB_PASS(words(f, 2, &r, e));
    nas_name(b->name, sizeof b->name, r.data, r.size);
    FB_PASS(skip_version(f, e));
    FB_PASS(keyed(f, 7, &r, e));
    for (size_t k = 0; k < 7; k++)
        b->trailer[k] = op2_int(f, r, k);
    FB_PASS(key_is(f, -2, e));
    FB_PASS(key_is(f, 1, e));
    FB_PASS(key_is(f, 0, e));
    FB_PASS(key(f, &n, e));
    for (int first = 1; n > 0; first = 0) {
        FB_PASS(words(f, n, &r, e));
        if (first)
            nas_name(b->inner, sizeof b->inner, r.data,
                     r.size < 2 * (size_t)f->w ? r.size : 2 * (size_t)f->w);
        FB_PASS(key(f, &n, e));
    }
    if (n != -3)
        return fb_fail(e, FB_EFORMAT, "byte %zu: key %lld, -3 is wanted", f->at, (long long)n);
    return FB_OK;
}

/* An EXTDB block is called what the directory says next; the parameter table is no EXTDB block. */
static void real_name(op2_file *f, op2_block *b)
{
    if (strcmp(b->name, "EXTDB"))
        return;
    while (f->next < f->ndirectory && !strncmp(f->directory[f->next], "PVT", 3))
        f->next++;
    if (f->next < f->ndirectory)
        memcpy(b->name, f->directory[f->next++], sizeof b->name);
}

/* A record of the directory: one name. */
static fb_status directory(op2_file *f, op2_record r, fb_err *e)
{
    fb_status s =
        fb_grow(&f->directory, &f->cap_directory, f->ndirectory + 1, sizeof *f->directory, e);
    if (!s)
        nas_name(f->directory[f->ndirectory++], sizeof *f->directory, r.data,
                 r.size < 16 ? r.size : 16);
    return s;
}

static int is_dmig(const op2_file *f, op2_record r)
{
    return r.size >= 3 * (size_t)f->w && op2_int(f, r, 0) == 114 && op2_int(f, r, 1) == 1 &&
           op2_int(f, r, 2) == 120;
}

typedef struct {
    fb_buf joined; /* pieces of one record */
    int wanted, dir;
} table;

/* A table record in pieces, the first of n words; *next is the key behind it. */
static fb_status table_record(op2_file *f, const op2_block *b, int64_t k, int64_t n, table *t,
                              int64_t *next, fb_err *e)
{
    op2_record whole = {0}, r;
    t->joined.size = 0;
    for (int pieces = 0; n > 0; pieces++) {
        FB_PASS(words(f, n, &r, e));
        if (pieces == 0) {
            whole = r;
            t->wanted |= is_dmig(f, r);
        } else if (t->wanted || t->dir) {
            if (pieces == 1)
                fb_put_bytes(&t->joined, whole.data, whole.size);
            fb_put_bytes(&t->joined, r.data, r.size);
            FB_PASS(fb_buf_status(&t->joined, e));
            whole = (op2_record){t->joined.data, (size_t)t->joined.size};
        }
        FB_PASS(key(f, &n, e));
    }
    *next = n;
    if (t->dir)
        FB_PASS(directory(f, whole, e));
    return t->wanted ? fb_within(op2_table(f, b, k, whole, e), e, "record %lld", (long long)k + 3)
                     : FB_OK;
}

static fb_status matrix_begin(op2_file *f, const op2_block *b, fb_err *e)
{
    nas_head *h = &f->sink.h;
    *h = (nas_head){
        .ncol = b->trailer[1], .nrow = b->trailer[2], .form = b->trailer[3], .type = b->trailer[4]};
    memcpy(h->name, b->name, sizeof h->name);
    h->words = f->w == 8 || h->type == 1 || h->type == 3 ? 1 : 2;
    return nas_sink_begin(&f->sink, e);
}

/* n words of values behind the row they begin at. */
static fb_status string(op2_file *f, int64_t icol, int64_t n, fb_err *e)
{
    enum { CHUNK = 512 };
    double v[CHUNK];
    op2_record r;
    int64_t reals = 0;
    FB_PASS(words(f, n + 1, &r, e));
    int64_t irow = op2_int(f, r, 0);
    fb_cursor c = {r.data, r.size, (size_t)f->w, f->c.little};
    int bytes = f->w * f->sink.h.words, step = f->sink.g.complex ? 2 : 1;
    FB_PASS(fb_within(nas_sink_column(&f->sink, icol, e), e, "byte %zu", f->at));
    FB_PASS(fb_within(nas_sink_string(&f->sink, irow, n, &reals, e), e, "byte %zu", f->at));
    while (reals > 0) {
        int64_t k = reals < CHUNK ? reals : CHUNK;
        if (bytes == 8) {
            FB_PASS(fb_get_f64(&c, v, k, "values", e));
        } else
            for (int64_t q = 0; q < k; q++) {
                float x = 0;
                FB_PASS(fb_get_f32(&c, &x, "values", e));
                v[q] = (double)x;
            }
        FB_PASS(nas_sink_values(&f->sink, irow, v, k, e));
        irow += k / step;
        reals -= k;
    }
    return FB_OK;
}

static fb_status block_end(op2_file *f, const op2_block *b, int64_t records, int is_matrix,
                           fb_err *e)
{
    if (!is_matrix)
        return FB_OK;
    if (records != b->trailer[1])
        return fb_fail(e, FB_EFORMAT, "byte %zu: %lld columns, the trailer says %lld", f->at,
                       (long long)records, (long long)b->trailer[1]);
    return nas_sink_end(&f->sink, e);
}

/* Behind its key 2. */
static fb_status block(op2_file *f, op2_block *b, fb_err *e)
{
    table t = {0};
    int is_matrix = 0;
    fb_status s = FB_OK;
    FB_TRY(block_header(f, b, e));
    real_name(f, b);
    t.wanted = op2_wanted(b->name);
    t.dir = !strcmp(b->name, "XSOP2DIR");
    for (int64_t k = 0;; k++) {
        int64_t kind = 0, n = 0;
        FB_TRY(key_is(f, 1, e));
        FB_TRY(key(f, &kind, e));
        if (kind != 0 && kind != 1)
            FB_TRY(fb_fail(e, FB_EFORMAT,
                           "byte %zu: record of kind %lld; known are 0 table, 1 matrix column",
                           f->at, (long long)kind));
        FB_TRY(key(f, &n, e));
        if (kind == 0 && n == 0) {
            s = block_end(f, b, k, is_matrix, e);
            break;
        }
        if (k == 0 && kind == 1) {
            is_matrix = 1;
            FB_TRY(matrix_begin(f, b, e));
        } else if (is_matrix != (int)kind)
            FB_TRY(fb_fail(e, FB_EFORMAT, "byte %zu: table records and matrix columns in one block",
                           f->at));
        if (is_matrix)
            for (; n > 0;) {
                FB_TRY(string(f, k + 1, n, e));
                FB_TRY(key(f, &n, e));
            }
        else
            FB_TRY(table_record(f, b, k, n, &t, &n, e));
        if (n != -4 - k)
            FB_TRY(fb_fail(e, FB_EFORMAT, "byte %zu: key %lld, %lld is wanted", f->at, (long long)n,
                           (long long)(-4 - k)));
    }
out:
    fb_buf_free(&t.joined);
    return s;
}

/* ---- the file --------------------------------------------------------------------------- */

/* First record: a key, 3 or 2. */
static int detect(const fb_input *in, int *little, int *w)
{
    for (int k = 0; k < 4; k++) {
        int le = k % 2, n = k / 2 ? 8 : 4;
        if (in->size < (size_t)n + 8)
            continue;
        uint64_t head = op2_word(in->data, 4, le), v = op2_word(in->data + 4, n, le),
                 tail = op2_word(in->data + 4 + n, 4, le);
        if (head != (uint64_t)n || tail != head || (v != 2 && v != 3))
            continue;
        *little = le;
        *w = n;
        return 1;
    }
    return 0;
}

static int formatted(const fb_input *in)
{
    return in->size > 13 && !memcmp(in->data, "X 0123456789A", 13);
}

static int sniff(const fb_input *in)
{
    int little, w;
    return detect(in, &little, &w) || formatted(in);
}

static fb_status blocks(op2_file *f, fb_err *e)
{
    while (f->c.pos < f->c.size) {
        op2_block b = {0};
        int64_t k = 0;
        size_t at = f->c.pos;
        FB_PASS(key(f, &k, e));
        if (k == 0)
            break;
        if (k != 2 && k != 3)
            return fb_fail(e, FB_EFORMAT,
                           "byte %zu: key %lld, a block (2) or a file header (3) is wanted", at,
                           (long long)k);
        fb_status s = k == 3 ? file_header(f, e) : block(f, &b, e);
        if (s)
            return b.name[0] ? fb_context(e, "block %s", b.name) : s;
        if (k == 2)
            fb_note(f->sink.log, "%s: block %s", f->sink.origin, b.name);
    }
    return FB_OK;
}

static fb_status read_op2(const fb_input *in, fb_parts *p, fb_log *log, fb_err *e)
{
    op2_file f = {.c = {in->data, in->size, 0, 0}};
    fb_status s = FB_OK;
    if (formatted(in))
        return fb_fail(
            e, FB_EFORMAT,
            "OUTPUT2 written as text (FORM=FORMATTED), which is not read; write it binary");
    if (!detect(in, &f.c.little, &f.w))
        return fb_fail(e, FB_EFORMAT,
                       "byte 0: an OUTPUT2 file begins with a record that holds 3 or 2");
    nas_sink_open(&f.sink, in->name, in->size, p, log);
    nas_points_init(&f.bulk);
    nas_points_init(&f.basic);
    FB_TRY(blocks(&f, e));
    FB_TRY(op2_tables_finish(&f, e));
    FB_TRY(op2_stress_finish(&f, e));
    s = op2_modes_finish(&f, e);
out:
    fb_gather_free(&f.sink.g);
    op2_tables_free(&f);
    op2_modes_free(&f);
    op2_stress_free(&f);
    free(f.directory);
    return s;
}

const fb_reader fb_reader_op2 = {
    .name = "op2",
    .doc = "Nastran OUTPUT2 matrices, tables, modes and their stress",
    .sniff = sniff,
    .read = read_op2,
};
