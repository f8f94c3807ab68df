/* SPDX-License-Identifier: GPL-3.0-or-later */
/* table.c - text tables: nodes (id x y z) and dofs (node component, one line a matrix row).
 *
 * Layout   one record a line; fields parted by commas, by semicolons or by blanks and tabs, as the
 *          first record shows; lines of # % ! are comments; one line of titles may come first
 * Numbers  without commas between the fields, a comma in a number is its decimal point: Ansys
 *          Mechanical exports "1 <tab> 1,e-001 <tab> 0, <tab> 0,15" on systems that write so
 * Dofs     component 1..6 or UX UY UZ ROTX ROTY ROTZ; 0 where a node has one dof of no direction
 */
#include "memory.h"
#include "text/lines.h"
#include "reader.h"
#include <math.h>
#include <stdlib.h>

enum { NODES = 4, DOFS = 2, MOST = 5 };

typedef struct {
    fb_lines t;
    char comma;  /* between fields: ',', ';' or ' ' for any blanks; 0: not known yet */
    int columns; /* NODES, DOFS; 0: not known yet                                    */
} table;

static int is_digit(char c)
{
    return c >= '0' && c <= '9';
}

/* The separator that the record at p..q uses. */
static char separator(const char *p, const char *q)
{
    if (memchr(p, ';', (size_t)(q - p)))
        return ';';
    while (p < q && (is_digit(*p) || *p == '-' || *p == '+' || *p == '.'))
        p++;
    p = fb_skip_blanks(p, q);
    return p < q && *p == ',' ? ',' : ' ';
}

/* The fields of the record; at most MOST are kept, all are counted. */
static int split(const char *p, const char *q, char comma, fb_span f[MOST])
{
    int n = 0;
    p = fb_skip_blanks(p, q);
    while (p < q) {
        const char *r = p;
        while (r < q && (comma == ' ' ? *r != ' ' && *r != '\t' : *r != comma))
            r++;
        if (n < MOST)
            f[n] = (fb_span){p, fb_trim_end(p, r)};
        n++;
        p = fb_skip_blanks(r < q ? r + 1 : r, q);
    }
    return n;
}

static int real_field(fb_span f, char comma, double *x)
{
    char copy[64];
    size_t n = (size_t)(f.end - f.p);
    char *c;
    if (fb_is_real(f, x))
        return 1;
    if (comma == ',' || n >= sizeof copy || !memchr(f.p, ',', n))
        return 0;
    memcpy(copy, f.p, n);
    c = memchr(copy, ',', n);
    *c = '.';
    return fb_scan_real(copy, copy + n, x) == copy + n;
}

/* A whole number; spreadsheets write some of them as 1.0 or 1e5. */
static int int_field(fb_span f, char comma, int64_t *k)
{
    double x;
    if (fb_is_int(f, k))
        return 1;
    if (!real_field(f, comma, &x) || x != floor(x) || fabs(x) > 1e15)
        return 0;
    *k = (int64_t)x;
    return 1;
}

static int component_field(fb_span f, char comma, int64_t *k)
{
    static const char *const name[] = {"ux", "uy", "uz", "rotx", "roty", "rotz"};
    for (int c = 0; c < 6; c++)
        if (fb_word_is(f.p, f.end, name[c])) {
            *k = c + 1;
            return 1;
        }
    return int_field(f, comma, k) && *k >= 0 && *k <= 6;
}

/* The next record at or behind *p, as p..q; 0 at the end. */
static int record(fb_lines t, const char **at, const char **p, const char **q)
{
    fb_span r;
    t.p = *at;
    while (fb_take_line(&t, &r)) {
        r = fb_trim(r.p, r.end);
        *at = t.p;
        if (r.p < r.end && *r.p != '#' && *r.p != '%' && *r.p != '!') {
            *p = r.p;
            *q = r.end;
            return 1;
        }
    }
    return 0;
}

static int has_letters_first(const char *p, const char *q)
{
    return p < q && !is_digit(*p) && *p != '-' && *p != '+' && *p != '.';
}

/* Is the record one of a node or dof table? comp receives its numbers. */
static int understood(const table *h, const char *p, const char *q, int64_t id[2], double xyz[3])
{
    fb_span f[MOST];
    if (split(p, q, h->comma, f) != h->columns || !int_field(f[0], h->comma, id))
        return 0;
    if (h->columns == DOFS)
        return component_field(f[1], h->comma, id + 1);
    for (int k = 0; k < 3; k++)
        if (!real_field(f[1 + k], h->comma, xyz + k))
            return 0;
    return 1;
}

static void start(table *h, const char **at)
{
    const char *p, *q;
    fb_span f[MOST];
    *at = h->t.begin;
    const char *body = *at;
    if (!record(h->t, at, &p, &q))
        return;
    if (has_letters_first(p, q)) {
        body = *at;
        if (!record(h->t, at, &p, &q))
            return;
    }
    h->comma = separator(p, q);
    h->columns = split(p, q, h->comma, f);
    *at = body;
}

static int sniff(const fb_input *in)
{
    table h = {.t = fb_lines_of(in)};
    const char *at, *p, *q;
    int64_t id[2];
    double xyz[3];
    int n = 0, good = 0;
    if (in->size > 4096) { /* whole lines only */
        h.t.end = h.t.begin + 4096;
        while (h.t.end > h.t.begin && h.t.end[-1] != '\n')
            h.t.end--;
    }
    start(&h, &at);
    if (h.columns != NODES && h.columns != DOFS)
        return 0;
    for (; record(h.t, &at, &p, &q); n++)
        good += understood(&h, p, q, id, xyz);
    return 2 * good > n; /* read_table tells which record is none */
}

static fb_status bad_record(const table *h, const char *p, const char *q, fb_err *e)
{
    return fb_fail_at(e, &h->t, p, "'%.*s' is no record of a %s", (int)(q - p < 60 ? q - p : 60), p,
                      h->columns == NODES
                          ? "node table: id x y z, finite numbers"
                          : "dof table: node component, which is 0..6 or UX UY UZ ROTX ROTY ROTZ");
}

static fb_status read_nodes(const table *h, const char *at, fb_parts *parts, fb_err *e)
{
    const char *p, *q, *first = at;
    int64_t id[2], had = parts->nn;
    double xyz[3];
    while (record(h->t, &at, &p, &q)) {
        if (!understood(h, p, q, id, xyz))
            return bad_record(h, p, q, e);
        FB_PASS(fb_parts_node(parts, id[0], xyz, NULL, e));
    }
    return fb_parts_title(parts, had, h->t.begin, first, e);
}

static fb_status read_dofs(const table *h, const char *at, fb_parts *parts, fb_err *e)
{
    const char *p, *q;
    int64_t cap = 0, id[2];
    if (parts->ntable)
        return fb_fail(e, FB_EUSAGE,
                       "a second dof table: one is wanted (of linkexport --to mm it is dofs.txt)");
    while (record(h->t, &at, &p, &q)) {
        if (!understood(h, p, q, id, NULL))
            return bad_record(h, p, q, e);
        FB_PASS(
            fb_labels_add(&parts->table, &parts->ntable, &cap, id[0], id[1], FB_DOF_PHYSICAL, e));
    }
    return FB_OK;
}

static fb_status read_table(const fb_input *in, fb_parts *p, fb_log *log, fb_err *e)
{
    table h = {.t = fb_lines_of(in)};
    const char *at;
    (void)log;
    start(&h, &at);
    if (h.columns == NODES)
        return read_nodes(&h, at, p, e);
    if (h.columns == DOFS)
        return read_dofs(&h, at, p, e);
    if (h.columns == 0)
        return fb_fail(e, FB_EFORMAT,
                       "no record: a table has lines of id x y z (nodes) or node component (dofs)");
    return fb_fail_at(e, &h.t, at,
                      "%d fields: a node table has 4 (id x y z), a dof table 2 (node component)",
                      h.columns);
}

const fb_reader fb_reader_table = {
    .name = "table",
    .doc = "text table of nodes (id x y z) or dofs (node component)",
    .sniff = sniff,
    .read = read_table,
};
