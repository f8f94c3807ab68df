/* SPDX-License-Identifier: GPL-3.0-or-later */
/* binary.c - records, headers and pointers of Ansys' binary files.
 *
 * Layout   words of four bytes; a record is n, flags, n words of body, n. Record 0 is the standard
 *          header of 100 words, record 103 that of the file. Pointers count words from the start;
 *          their low and high halves are two items of a header.
 * Flags    80 integers, else reals; 40 short (int16, float32), else int32, float64; 20 zlib;
 *          packed:
 *          08 bits     N, mask, an item for each bit that is set, the others are 0
 *          10 windows  N, W, then W times: place > 0 and one item, or -place, length > 0 and so
 *                      many items, or -place, -length and one item that is repeated
 *          18 blocks   N, G, columns c_1 .. c_G, then for each group windows over rows c_g items:
 *                      item (r, k) of the group stands at r sum c + c_1 + .. + c_(g-1) + k
 * Text     four characters a word, the first one in the highest byte
 * Seen     little-endian files of releases 13 to 24; what was never seen is refused by name
 * Source   Ansys Programmer's Reference, Format of Binary Data Files, for the headers */
#include "binary.h"
#include "memory.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { STANDARD = 100, MAGIC = 654321, FRAME = 3 };
enum { INTEGER = 0x80, SHORT = 0x40, ZLIB = 0x20, WINDOWS = 0x10, BITS = 0x08 };
enum { GROUPS = 16 };

static int32_t word(const unsigned char *p)
{
    return (int32_t)((uint32_t)p[0] | (uint32_t)p[1] << 8 | (uint32_t)p[2] << 16 |
                     (uint32_t)p[3] << 24);
}

static int32_t swapped(const unsigned char *p)
{
    return (int32_t)((uint32_t)p[3] | (uint32_t)p[2] << 8 | (uint32_t)p[1] << 16 |
                     (uint32_t)p[0] << 24);
}

/* ---- which file --------------------------------------------------------------------------- */

static const struct {
    int kind;
    const char *what;
} kinds[] = {{1, "a database of Ansys"},
             {2, "element matrices of Ansys"},
             {3, "saved element data of Ansys"},
             {ANS_FULL, "matrices of Ansys"},
             {5, "a file of Ansys' frontal solver"},
             {ANS_SUB, "a superelement of Ansys"},
             {ANS_MODE, "modes of Ansys"},
             {10, "displacements by mode superposition of Ansys"},
             {ANS_RST, "results of Ansys"},
             {13, "displacements of a superelement of Ansys"},
             {45, "component mode data of Ansys"}};

/* 0: no Ansys file; *little says its byte order. */
static int kind_of(const fb_input *in, int *little)
{
    const unsigned char *p = in->data;
    if (in->size < 4 * (STANDARD + 2 * FRAME))
        return 0;
    for (*little = 0; *little < 2; ++*little) {
        int32_t (*get)(const unsigned char *) = *little ? word : swapped;
        if (get(p) != STANDARD || get(p + 4 * (STANDARD + 2)) != STANDARD ||
            get(p + 4 * (STANDARD + 1)) != MAGIC)
            continue;
        for (size_t k = 0; k < sizeof kinds / sizeof *kinds; k++)
            if (kinds[k].kind == get(p + 8))
                return kinds[k].kind;
    }
    return 0;
}

int ans_sniff(const fb_input *in, int kind)
{
    int little;
    return kind_of(in, &little) == kind;
}

const char *ans_foreign(const fb_input *in)
{
    int little, kind = kind_of(in, &little);
    for (size_t k = 0; kind && k < sizeof kinds / sizeof *kinds; k++)
        if (kinds[k].kind == kind)
            return kinds[k].what;
    return NULL;
}

/* ---- records ------------------------------------------------------------------------------ */

int ans_is_int(const ans_record *r)
{
    return (r->flags & INTEGER) != 0;
}

static int item_size(unsigned flags)
{
    return (flags & INTEGER ? 4 : 8) / (flags & SHORT ? 2 : 1);
}

fb_status ans_record_at(const ans_file *f, int64_t at, const char *what, ans_record *r, fb_err *e)
{
    if (at < 0 || at > f->words - FRAME)
        return fb_fail(e, FB_EFORMAT,
                       "%s: a record at word %lld is wanted, the file has %lld words: was it cut?",
                       what, (long long)at, (long long)f->words);
    const unsigned char *p = f->data + 4 * at;
    const int64_t n = word(p);
    if (n < 0 || n > f->words - FRAME - at)
        return fb_fail(e, FB_EFORMAT,
                       "%s: the record at word %lld has %lld words, %lld are left: was the file "
                       "cut?",
                       what, (long long)at, (long long)n, (long long)(f->words - FRAME - at));
    if (word(p + 4 * (n + 2)) != n)
        return fb_fail(e, FB_EFORMAT,
                       "%s: the record at word %lld begins with its length of %lld words and ends "
                       "with %d",
                       what, (long long)at, (long long)n, (int)word(p + 4 * (n + 2)));
    *r = (ans_record){at, at + n + FRAME, n, p + 8, p[7]};
    if (r->flags & ZLIB)
        return fb_fail(
            e, FB_EFORMAT,
            "%s: the record at word %lld is compressed by zlib, which is not read: write "
            "the file with /FCOMP off",
            what, (long long)at);
    return FB_OK;
}

typedef struct { /* the way through a packed body */
    const unsigned char *p, *end;
    unsigned flags;
    int size; /* of an item */
} packed;

static int64_t integer(const unsigned char *p, unsigned flags)
{
    return flags & SHORT ? (int16_t)(uint16_t)(p[0] | p[1] << 8) : word(p);
}

static double real(const unsigned char *p, unsigned flags)
{
    const uint32_t low = (uint32_t)word(p);
    double x;
    float single;
    if (flags & SHORT) {
        memcpy(&single, &low, sizeof single);
        return (double)single;
    }
    const uint64_t v = low | (uint64_t)(uint32_t)word(p + 4) << 32;
    memcpy(&x, &v, sizeof x);
    return x;
}

/* Where items go: to x, or integers to v. */
typedef struct {
    double *x;
    int64_t *v;
} items;

static inline void set(items to, int64_t k, const unsigned char *p, unsigned flags)
{
    if (to.v)
        to.v[k] = integer(p, flags);
    else
        to.x[k] = real(p, flags);
}

static int take_int(packed *k, int64_t *v)
{
    if (k->end - k->p < 4)
        return 0;
    *v = word(k->p);
    k->p += 4;
    return 1;
}

/* Where the items of a group stand among all: item i at i / own * all + first + i % own. */
typedef struct {
    int64_t own, all, first;
} columns;

static int put(packed *k, items to, int64_t n, columns c, int64_t at, int64_t count, int64_t again)
{
    if (at < 0 || count > n - at || again > n - at || (k->end - k->p) / k->size < count)
        return 0;
    for (int64_t q = 0; q < (again ? again : count); q++) {
        const int64_t i = at + q;
        set(to, i / c.own * c.all + c.first + i % c.own, k->p, k->flags);
        k->p += again ? 0 : k->size;
    }
    k->p += again ? k->size : 0;
    return 1;
}

/* W windows over n items. */
static int windows(packed *k, items to, int64_t n, columns c)
{
    int64_t count, at, length;
    if (!take_int(k, &count) || count < 0)
        return 0;
    for (int64_t q = 0; q < count; q++) {
        if (!take_int(k, &at))
            return 0;
        if (at > 0) {
            if (!put(k, to, n, c, at, 1, 0))
                return 0;
        } else if (!take_int(k, &length) || length == 0 ||
                   !put(k, to, n, c, -at, length > 0 ? length : 1, length < 0 ? -length : 0)) {
            return 0;
        }
    }
    return 1;
}

static int blocks(packed *k, items to, int64_t n)
{
    int64_t groups, c[GROUPS], all = 0, first = 0;
    if (!take_int(k, &groups) || groups < 1 || groups > GROUPS)
        return 0;
    for (int64_t g = 0; g < groups; g++) {
        if (!take_int(k, c + g) || c[g] < 1 || c[g] > n)
            return 0;
        all += c[g];
    }
    if (n % all)
        return 0;
    for (int64_t g = 0; g < groups; first += c[g++])
        if (!windows(k, to, n / all * c[g], (columns){c[g], all, first}))
            return 0;
    return 1;
}

static int bits(packed *k, items to, int64_t n)
{
    int64_t mask;
    if (!take_int(k, &mask) || n > 32)
        return 0;
    for (int64_t q = 0; q < n; q++)
        if ((uint32_t)mask >> q & 1 && !put(k, to, n, (columns){1, 1, 0}, q, 1, 0))
            return 0;
    return 1;
}

fb_status ans_count(const ans_record *r, const char *what, int64_t *n, fb_err *e)
{
    *n = 4 * r->words / item_size(r->flags);
    if (!(r->flags & (WINDOWS | BITS)))
        return FB_OK;
    *n = r->words ? word(r->body) : -1;
    if (*n < 0)
        return fb_fail(e, FB_EFORMAT, "%s: the record at word %lld is packed and has no count",
                       what, (long long)r->at);
    return FB_OK;
}

/* The count asked for, or one short item more. */
static fb_status fits(const ans_record *r, const char *what, int64_t n, fb_err *e)
{
    int64_t have;
    FB_PASS(ans_count(r, what, &have, e));
    const int padded = (r->flags & (SHORT | INTEGER | WINDOWS | BITS)) == (SHORT | INTEGER);
    if (have != n && !(padded && have == n + 1))
        return fb_fail(e, FB_EFORMAT, "%s: the record at word %lld has %lld items, %lld are wanted",
                       what, (long long)r->at, (long long)have, (long long)n);
    return FB_OK;
}

static fb_status unpack(const ans_record *r, const char *what, items to, int64_t n, fb_err *e)
{
    packed k = {r->body + 4, r->body + 4 * r->words, r->flags, item_size(r->flags)};
    if ((r->flags & (INTEGER | SHORT | WINDOWS)) == (INTEGER | SHORT | WINDOWS))
        return fb_fail(e, FB_EFORMAT,
                       "%s: the record at word %lld has short integers in windows, a form that is "
                       "not known",
                       what, (long long)r->at);
    if (to.v)
        memset(to.v, 0, (size_t)n * sizeof *to.v);
    else
        memset(to.x, 0, (size_t)n * sizeof *to.x);
    const int done = !(r->flags & WINDOWS) ? bits(&k, to, n)
                     : r->flags & BITS     ? blocks(&k, to, n)
                                           : windows(&k, to, n, (columns){1, 1, 0});
    return done ? FB_OK
                : fb_fail(e, FB_EFORMAT,
                          "%s: the packed record at word %lld, flags %02x, does not unpack to %lld "
                          "items",
                          what, (long long)r->at, r->flags, (long long)n);
}

static fb_status take(const ans_record *r, const char *what, items to, int64_t n, fb_err *e)
{
    FB_PASS(fits(r, what, n, e));
    if (r->flags & (WINDOWS | BITS))
        return unpack(r, what, to, n, e);
    if (r->flags == INTEGER && to.v)
        for (int64_t k = 0; k < n; k++)
            to.v[k] = word(r->body + 4 * k);
    else if (!r->flags) {
        fb_cursor c = {r->body, 8 * (size_t)n, 0, 1};
        return fb_get_f64(&c, to.x, n, what, e);
    } else
        for (int64_t k = 0, size = item_size(r->flags); k < n; k++)
            set(to, k, r->body + size * k, r->flags);
    return FB_OK;
}

fb_status ans_reals(const ans_record *r, const char *what, double *x, int64_t n, fb_err *e)
{
    if (ans_is_int(r))
        return fb_fail(e, FB_EFORMAT,
                       "%s: the record at word %lld holds integers, reals are wanted", what,
                       (long long)r->at);
    return take(r, what, (items){.x = x}, n, e);
}

fb_status ans_ints(const ans_record *r, const char *what, int64_t *v, int64_t n, fb_err *e)
{
    if (!ans_is_int(r))
        return fb_fail(e, FB_EFORMAT,
                       "%s: the record at word %lld holds reals, integers are wanted", what,
                       (long long)r->at);
    return take(r, what, (items){.v = v}, n, e);
}

/* The record at *at of n items: integers or reals, in new memory; *at becomes the next one. */
static fb_status take_next(const ans_file *f, int64_t *at, const char *what, int64_t n,
                           int integers, void **v, fb_err *e)
{
    ans_record r = {0};
    FB_PASS(ans_record_at(f, *at, what, &r, e));
    FB_PASS(fits(&r, what, n, e));
    *at = r.next;
    void *new = NULL;
    FB_PASS(fb_new(&new, n, integers ? sizeof(int64_t) : sizeof(double), what, e));
    const fb_status s = integers ? ans_ints(&r, what, new, n, e) : ans_reals(&r, what, new, n, e);
    if (s)
        FB_FREE(new);
    *v = new;
    return s;
}

fb_status ans_take_ints(const ans_file *f, int64_t *at, const char *what, int64_t n, int64_t **v,
                        fb_err *e)
{
    void *new = NULL;
    const fb_status s = take_next(f, at, what, n, 1, &new, e);
    *v = new;
    return s;
}

fb_status ans_take_reals(const ans_file *f, int64_t *at, const char *what, int64_t n, double **x,
                         fb_err *e)
{
    void *new = NULL;
    const fb_status s = take_next(f, at, what, n, 0, &new, e);
    *x = new;
    return s;
}

/* ---- headers ------------------------------------------------------------------------------ */

int64_t ans_pointer(const int32_t *h, int64_t lo, int64_t hi)
{
    const uint64_t high = hi ? (uint32_t)h[hi - 1] : 0;
    return (int64_t)(high << 32 | (uint32_t)h[lo - 1]);
}

fb_status ans_limit(const ans_file *f, int64_t n, const char *what, fb_err *e)
{
    if (n >= 0 && n <= 2 * f->words)
        return FB_OK;
    return fb_fail(e, FB_EFORMAT, "the header announces %lld %s, the file has %lld words",
                   (long long)n, what, (long long)f->words);
}

int64_t ans_component(int64_t dof)
{
    return dof >= 1 && dof <= 6 ? dof : dof == 16 ? 7 : dof == 19 ? 8 : dof == 20 ? 11 : 30 + dof;
}

/* n words of text to n * 4 characters, blanks at the end cut. */
static void text_of(const unsigned char *p, int words, char *out)
{
    int n = 0;
    for (int k = 0; k < 4 * words; k++) {
        const unsigned char c = p[k / 4 * 4 + 3 - k % 4];
        out[k] = (char)(c < ' ' ? ' ' : c);
        n = out[k] == ' ' ? n : k + 1;
    }
    out[n] = 0;
    fb_plain_text(out);
}

/* The last record is followed by a word -1; where that is, most files say. */
static fb_status check_end(const ans_file *f, const unsigned char *standard, fb_err *e)
{
    const int32_t h[2] = {word(standard + 4 * 96), word(standard + 4 * 97)};
    const int64_t end = ans_pointer(h, 1, 2) ? ans_pointer(h, 1, 2) : word(standard + 4 * 26);
    if (end <= 0 || (end < f->words && word(f->data + 4 * end) == -1))
        return FB_OK;
    return fb_fail(e, FB_EFORMAT,
                   "the header says that the file ends at word %lld, which is not the mark of an "
                   "end%s",
                   (long long)end, end < f->words ? "" : ": was the file cut?");
}

static fb_status read_standard(ans_file *f, fb_err *e)
{
    ans_record r;
    char version[5], title[81];
    FB_PASS(ans_record_at(f, 0, "standard header", &r, e));
    const unsigned char *p = r.body;
    FB_PASS(check_end(f, p, e));
    const int time = word(p + 4 * 2), date = word(p + 4 * 3);
    f->units = word(p + 4 * 4);
    text_of(p + 4 * 9, 1, version);
    snprintf(f->version, sizeof f->version, "%s", version + strspn(version, " "));
    text_of(p + 4 * 40, 20, title);
    snprintf(f->title, sizeof f->title, "%s", title + strspn(title, " "));
    if (date > 0 && time >= 0 && date <= 99991231 && time < 250000)
        snprintf(f->date, sizeof f->date, "%04d-%02d-%02d %02d:%02d:%02d", date / 10000,
                 date / 100 % 100, date % 100, time / 10000, time / 100 % 100, time % 100);
    return FB_OK;
}

fb_status ans_open(ans_file *f, const fb_input *in, fb_err *e)
{
    ans_record r;
    int little = 0;
    *f = (ans_file){.data = in->data, .words = (int64_t)(in->size / 4)};
    f->kind = kind_of(in, &little);
    if (!f->kind)
        return fb_fail(e, FB_EFORMAT,
                       "an Ansys binary file begins with a header of 100 words, its kind and "
                       "654321 as the last one");
    if (!little)
        return fb_fail(
            e, FB_EFORMAT,
            "a big-endian Ansys file, which is not read: write it on a machine of today");
    FB_PASS(read_standard(f, e));
    FB_PASS(ans_record_at(f, STANDARD + FRAME, "header of the file", &r, e));
    if (r.flags != INTEGER || r.words < 40)
        return fb_fail(
            e, FB_EFORMAT,
            "header of the file: %lld words, flags %02x; at least 40 integers are wanted",
            (long long)r.words, r.flags);
    f->nh = r.words;
    f->behind = r.next;
    for (int64_t k = 0; k < r.words && k < ANS_HEADER; k++)
        f->h[k] = word(r.body + 4 * k);
    return FB_OK;
}

/* What /UNITS declares; most files declare nothing. */
static const char *system_of(int units)
{
    return units == 1 || units == 5 ? "SI"
           : units == 6             ? "mm-t-s"
           : units == 4             ? "in-lbf-s"
           : units == 2             ? "cm-g-s"
           : units == 3             ? "ft-lbf-s"
                                    : NULL;
}

fb_status ans_tell(const ans_file *f, fb_parts *p, fb_err *e)
{
    fb_model *b = &p->body;
    if (!b->producer[0])
        snprintf(b->producer, sizeof b->producer, "Ansys %s", f->version);
    if (!b->title[0])
        snprintf(b->title, sizeof b->title, "%s", f->title);
    if (!b->date[0])
        snprintf(b->date, sizeof b->date, "%s", f->date);
    fb_units u;
    if (!system_of(f->units))
        return FB_OK;
    FB_PASS(fb_units_system(&u, system_of(f->units), e));
    return fb_parts_set_units(p, &u, e);
}
