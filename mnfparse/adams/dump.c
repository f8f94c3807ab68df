/* SPDX-License-Identifier: GPL-3.0-or-later */
/* dump.c - the ASCII dump of an .mnf, block by block, as the Adams Flex browser writes it (.mtx).
 *
 * Layout   Each block has a frame of rules and bars with its number and name, then its own lines,
 *          up to the next rule. A block without data says "No ..." in one line. Numbers are read
 *          free-format: the columns differ in width from version to version.
 * Law      Every line is either understood or refused by number. Blocks whose layout was never seen
 *          are refused by name. Node numbers and mode numbers are the file's own everywhere (the
 *          binary has positions in blocks 14 and 17).
 * Source   dumps of files that ANSYS wrote; the sums behind the invariants are those of inertia.c
 */
#include "memory.h"
#include "number.h"
#include "common.h"
#include "reader.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { LAST_BLOCK = 36, NSTAT = FB_MNF_STATISTICS, RULE = 20 };

typedef struct { /* what is left of a line, without blanks at its ends */
    const char *p, *end;
} line;

typedef struct {
    const char *p, *end; /* the bytes that are left */
    int64_t number;      /* of the line read last, from 1 */
    fb_model *b;
    fb_log *log;
    fb_index nodes, modes; /* places of node and mode numbers, once blocks 4 and 7 are read */
    int announced[LAST_BLOCK + 1], seen[LAST_BLOCK + 1];
    int64_t cap_id, cap_xyz, cap_number, cap_eigen, cap_offset, cap_index, cap_node, cap_stress;
} state;

/* ---- lines -------------------------------------------------------------------------------- */

static int blank(char c)
{
    return c == ' ' || c == '\t' || c == '\r' || c == '\f';
}

static int next_line(state *st, line *l)
{
    if (st->p == st->end)
        return 0;
    const char *nl = memchr(st->p, '\n', (size_t)(st->end - st->p));
    *l = (line){st->p, nl ? nl : st->end};
    st->p = nl ? nl + 1 : st->end;
    st->number++;
    while (l->p < l->end && blank(*l->p))
        l->p++;
    while (l->end > l->p && blank(l->end[-1]))
        l->end--;
    return 1;
}

static int starts(const line *l, const char *text)
{
    size_t n = strlen(text);
    return (size_t)(l->end - l->p) >= n && !memcmp(l->p, text, n);
}

/* A run of dashes alone: the frame of a block. */
static int is_rule(const line *l)
{
    const char *p = l->p;
    while (p < l->end && *p == '-')
        p++;
    return p == l->end && p - l->p >= RULE;
}

/* The next line of the block that is not empty; 0 at its end, where the rule stays unread. */
static int body(state *st, line *l)
{
    for (;;) {
        const char *p = st->p;
        int64_t number = st->number;
        if (!next_line(st, l))
            return 0;
        if (is_rule(l)) {
            st->p = p;
            st->number = number;
            return 0;
        }
        if (l->p < l->end)
            return 1;
    }
}

static fb_status bad(const state *st, const line *l, const char *wanted, fb_err *e)
{
    int n = (int)(l->end - l->p < 40 ? l->end - l->p : 40);
    return fb_fail(e, FB_EFORMAT, "line %lld: '%.*s' where %s is wanted", (long long)st->number, n,
                   l->p, wanted);
}

static fb_status wanted(state *st, line *l, const char *what, fb_err *e)
{
    return body(st, l)
               ? FB_OK
               : fb_fail(e, FB_EFORMAT, "line %lld: the block ends where %s is wanted: cut short?",
                         (long long)st->number, what);
}

/* Steps over `text`, which must stand here. */
static fb_status literal(const state *st, line *l, const char *text, fb_err *e)
{
    if (!starts(l, text))
        return bad(st, l, text, e);
    l->p += strlen(text);
    return FB_OK;
}

static void skip(line *l) /* blanks and the comma behind a row's number */
{
    while (l->p < l->end && (blank(*l->p) || *l->p == ','))
        l->p++;
}

static fb_status integer(const state *st, line *l, int64_t *k, const char *what, fb_err *e)
{
    skip(l);
    const char *q = fb_scan_int(l->p, l->end, k);
    if (!q)
        return bad(st, l, what, e);
    l->p = q;
    return FB_OK;
}

static fb_status reals(const state *st, line *l, double *x, int64_t n, const char *what, fb_err *e)
{
    for (int64_t k = 0; k < n; k++) {
        skip(l);
        const char *q = fb_scan_real(l->p, l->end, x + k);
        if (!q)
            return bad(st, l, what, e);
        l->p = q;
    }
    return FB_OK;
}

static fb_status line_end(const state *st, line *l, fb_err *e)
{
    skip(l);
    return l->p == l->end ? FB_OK : bad(st, l, "the end of the line", e);
}

/* A line of n reals. */
static fb_status row(state *st, double *x, int64_t n, const char *what, fb_err *e)
{
    line l;
    FB_PASS(wanted(st, &l, what, e));
    FB_PASS(reals(st, &l, x, n, what, e));
    return line_end(st, &l, e);
}

/* n rows of at least `bytes` each must fit into what is left of the file, before memory is taken.
 * */
static fb_status room(const state *st, int64_t n, int64_t m, int64_t bytes, const char *what,
                      fb_err *e)
{
    int64_t left = st->end - st->p;
    if (n > 0 && m > left / bytes / n + 1)
        return fb_fail(e, FB_EFORMAT,
                       "line %lld: %s: %lld x %lld rows are wanted, %lld bytes are left",
                       (long long)st->number, what, (long long)n, (long long)m, (long long)left);
    return FB_OK;
}

/* The place of the node or mode number that stands here. */
static fb_status place(const state *st, line *l, const fb_index *x, const char *what, int64_t *k,
                       fb_err *e)
{
    int64_t id = 0;
    FB_PASS(integer(st, l, &id, what, e));
    *k = fb_index_find(x, id);
    return *k < 0 ? fb_fail(e, FB_EFORMAT, "line %lld: %s %lld is not in block %d",
                            (long long)st->number, what, (long long)id, x == &st->nodes ? 4 : 7)
                  : FB_OK;
}

/* "TITLE k=====": the k-th heading must carry the k-th mode's number. */
static fb_status heading(state *st, const char *title, int64_t k, fb_err *e)
{
    line l;
    int64_t at = 0;
    FB_PASS(wanted(st, &l, title, e));
    line all = l;
    FB_PASS(literal(st, &l, title, e));
    FB_PASS(place(st, &l, &st->modes, "mode number", &at, e));
    while (l.p < l.end && *l.p == '=')
        l.p++;
    FB_PASS(line_end(st, &l, e));
    if (at != k) {
        char text[40];
        snprintf(text, sizeof text, "%s %lld", title, (long long)st->b->mode_number[k]);
        return bad(st, &all, text, e);
    }
    return FB_OK;
}

/* "TITLE n", where n must be the number of modes. */
static fb_status count_of_modes(state *st, const char *title, fb_err *e)
{
    line l;
    int64_t n = 0;
    FB_PASS(wanted(st, &l, title, e));
    FB_PASS(literal(st, &l, title, e));
    FB_PASS(integer(st, &l, &n, "a number of modes", e));
    FB_PASS(line_end(st, &l, e));
    if (n != st->b->nm)
        return fb_fail(e, FB_EFORMAT, "line %lld: %s %lld, block 7 has %lld modes",
                       (long long)st->number, title, (long long)n, (long long)st->b->nm);
    return FB_OK;
}

/* ---- blocks 1 to 18 ------------------------------------------------------------------------- */

static void text(char *to, size_t cap, const line *l)
{
    size_t n = (size_t)(l->end - l->p);
    n = n < cap - 1 ? n : cap - 1;
    memset(to, 0, cap);
    for (size_t k = 0; k < n; k++)
        to[k] = (unsigned char)l->p[k] < 0x20 ? ' ' : l->p[k];
}

static fb_status version_code(state *st, fb_err *e)
{
    static const char *const label[] = {
        "MNF version:", "Precision:", "Platform independent (XDR encoded):",
        "Coarsened or sketched mesh:"};
    line l;
    while (body(st, &l)) {
        size_t k = 0;
        while (k < 4 && !starts(&l, label[k]))
            k++;
        if (k == 4)
            return bad(st, &l, "a line of the version block", e);
        l.p += strlen(label[k]);
        skip(&l);
        if (k == 0 && !(starts(&l, "6.0") && l.end - l.p == 3))
            fb_warn(st->log, "the dump is of an .mnf of version %.*s: only 6.0 was ever checked",
                    (int)(l.end - l.p), l.p);
        if (k == 3 && !starts(&l, "No"))
            fb_warn(st->log, "the mesh of the .mnf is coarsened or sketched: sums over its nodes "
                             "may miss a part");
    }
    return FB_OK;
}

static fb_status header(state *st, fb_err *e)
{
    fb_model *b = st->b;
    const struct {
        const char *label;
        char *to;
        size_t cap;
    } field[] = {{"Title:", b->title, sizeof b->title},
                 {"Date:", b->date, sizeof b->date},
                 {"Input file name:", b->source, sizeof b->source},
                 {"Input file type:", b->producer, sizeof b->producer}};
    line l;
    while (body(st, &l)) {
        size_t k = 0;
        while (k < 4 && !starts(&l, field[k].label))
            k++;
        if (k < 4) {
            l.p += strlen(field[k].label);
            while (l.p < l.end && blank(*l.p))
                l.p++;
            text(field[k].to, field[k].cap, &l);
        } else if (starts(&l, "Comments:")) {
            for (int c = 0; c < 3 && next_line(st, &l); c++) /* three lines, perhaps empty ones */
                text(b->comment[c], sizeof b->comment[c], &l);
        } else {
            return bad(st, &l, "a line of the header block", e);
        }
    }
    return FB_OK;
}

static fb_status summary(state *st, fb_err *e) /* "NAME (block) Yes|No" */
{
    line l;
    FB_PASS(wanted(st, &l, "Existence:", e));
    FB_PASS(literal(st, &l, "Existence:", e));
    while (body(st, &l)) {
        int64_t n = 0;
        line all = l;
        const char *open = l.end;
        while (open > l.p && open[-1] != '(')
            open--;
        l.p = open;
        FB_PASS(integer(st, &l, &n, "NAME (BLOCK) Yes or No", e));
        int yes = starts(&l, ") Yes"), no = starts(&l, ") No");
        if (n < 1 || n > LAST_BLOCK || (!yes && !no)) {
            return bad(st, &all, "NAME (BLOCK) Yes or No", e);
        }
        st->announced[n] = yes;
    }
    return FB_OK;
}

static fb_status coordinates(state *st, fb_err *e)
{
    fb_model *b = st->b;
    line l;
    while (body(st, &l)) {
        FB_PASS(fb_grow(&b->node_id, &st->cap_id, b->nn + 1, 8, e));
        FB_PASS(fb_grow(&b->xyz, &st->cap_xyz, 3 * (b->nn + 1), 8, e));
        FB_PASS(integer(st, &l, b->node_id + b->nn, "a node number", e));
        FB_PASS(reals(st, &l, b->xyz + 3 * b->nn, 3, "a coordinate", e));
        FB_PASS(line_end(st, &l, e));
        b->nn++;
    }
    if (b->nn == 0)
        return fb_fail(e, FB_EFORMAT, "line %lld: there are no nodes", (long long)st->number);
    else
        return fb_index_new(&st->nodes, b->node_id, b->nn, "nodal coordinates", e);
}

static fb_status global_body(state *st, fb_err *e)
{
    fb_model *b = st->b;
    line l;
    FB_PASS(fb_new(&b->ref_mass, 1, 8, "mass", e));
    FB_PASS(fb_new(&b->ref_com, 3, 8, "centre of mass", e));
    FB_PASS(fb_new(&b->ref_inertia, 9, 8, "inertia", e));
    FB_PASS(wanted(st, &l, "Mass:", e));
    FB_PASS(literal(st, &l, "Mass:", e));
    FB_PASS(reals(st, &l, b->ref_mass, 1, "the mass", e));
    FB_PASS(line_end(st, &l, e));
    FB_PASS(wanted(st, &l, "Center of Mass:", e));
    FB_PASS(literal(st, &l, "Center of Mass:", e));
    FB_PASS(reals(st, &l, b->ref_com, 3, "the centre of mass", e));
    FB_PASS(line_end(st, &l, e));
    FB_PASS(wanted(st, &l, "Inertia Tensor:", e));
    FB_PASS(literal(st, &l, "Inertia Tensor:", e));
    FB_PASS(reals(st, &l, b->ref_inertia, 3, "the inertia tensor", e));
    FB_PASS(line_end(st, &l, e));
    FB_PASS(row(st, b->ref_inertia + 3, 3, "the inertia tensor", e));
    return row(st, b->ref_inertia + 6, 3, "the inertia tensor", e);
}

static fb_status eigenvalues(state *st, fb_err *e)
{
    static const char *const head[] = {"Natural Freq.", "Mode", "====="};
    fb_model *b = st->b;
    line l;
    fb_status s = FB_OK;
    for (int k = 0; k < 3; k++) {
        FB_TRY(wanted(st, &l, head[k], e));
        FB_TRY(literal(st, &l, head[k], e));
    }
    while (body(st, &l)) {
        FB_TRY(fb_grow(&b->mode_number, &st->cap_number, b->nm + 1, 8, e));
        FB_TRY(fb_grow(&b->eigen, &st->cap_eigen, 5 * (b->nm + 1), 8, e));
        FB_TRY(integer(st, &l, b->mode_number + b->nm, "a mode number", e));
        FB_TRY(reals(st, &l, b->eigen + 5 * b->nm, 5,
                     "an eigenvalue, a frequency or a generalized value", e));
        FB_TRY(line_end(st, &l, e));
        b->nm++;
    }
    if (b->nm == 0)
        s = fb_fail(e, FB_EFORMAT, "line %lld: there are no modes", (long long)st->number);
    else
        s = fb_index_new(&st->modes, b->mode_number, b->nm, "eigenvalues (mode for node)", e);
out:
    return s;
}

/* The heading of a table of six columns over nodes: names of the columns, and a line of tildes. */
static fb_status columns(state *st, fb_err *e)
{
    line l;
    FB_PASS(wanted(st, &l, "ID", e));
    FB_PASS(literal(st, &l, "ID", e));
    FB_PASS(wanted(st, &l, "~~~~~", e));
    return literal(st, &l, "~~~~~", e);
}

static fb_status mode_shapes(state *st, fb_err *e)
{
    fb_model *b = st->b;
    line l;
    FB_PASS(count_of_modes(st, "Number of Mode Shapes", e));
    FB_PASS(room(st, b->nm, b->nn, 14, "mode shapes", e));
    FB_PASS(fb_new(&b->shape, b->nm * b->nn * 6, 8, "mode shapes", e));
    for (int64_t k = 0; k < b->nm; k++) {
        FB_PASS(heading(st, "MODE NUMBER", k, e));
        FB_PASS(columns(st, e));
        for (int64_t p = 0; p < b->nn; p++) {
            int64_t id = 0;
            FB_PASS(wanted(st, &l, "a row of the mode shape", e));
            FB_PASS(integer(st, &l, &id, "a node number", e));
            if (id != b->node_id[p]) {
                return fb_fail(e, FB_EFORMAT,
                               "line %lld: node %lld, block 4 has node %lld at place %lld",
                               (long long)st->number, (long long)id, (long long)b->node_id[p],
                               (long long)p + 1);
            }
            FB_PASS(reals(st, &l, b->shape + (k * b->nn + p) * 6, 6, "a displacement", e));
            FB_PASS(line_end(st, &l, e));
        }
    }
    return FB_OK;
}

static fb_status nodal_masses(state *st, fb_err *e)
{
    fb_model *b = st->b;
    line l;
    int64_t n = 0, p = 0;
    FB_PASS(fb_new(&b->node_mass, b->nn, 8, "nodal masses", e));
    for (; body(st, &l); n++) {
        FB_PASS(place(st, &l, &st->nodes, "node", &p, e));
        if (p != n) {
            return fb_fail(
                e, FB_EFORMAT,
                "line %lld: node %lld is out of place: masses stand in the order of block 4",
                (long long)st->number, (long long)b->node_id[p]);
        }
        FB_PASS(reals(st, &l, b->node_mass + p, 1, "a nodal mass", e));
        FB_PASS(line_end(st, &l, e));
    }
    if (n != b->nn)
        return fb_fail(e, FB_EFORMAT, "line %lld: %lld nodal masses, there are %lld nodes",
                       (long long)st->number, (long long)n, (long long)b->nn);
    return FB_OK;
}

static fb_status nodal_inertias(state *st, fb_err *e)
{
    fb_model *b = st->b;
    line l;
    int64_t p = 0;
    FB_PASS(fb_new(&b->node_inertia, 9 * b->nn, 8, "nodal inertias", e));
    while (body(st, &l)) {
        double J[9];
        int64_t at = st->number;
        FB_PASS(literal(st, &l, "Inertia Tensor of Node", e));
        FB_PASS(place(st, &l, &st->nodes, "node", &p, e));
        FB_PASS(literal(st, &l, ":", e));
        FB_PASS(reals(st, &l, J, 3, "an inertia", e));
        FB_PASS(line_end(st, &l, e));
        FB_PASS(row(st, J + 3, 3, "an inertia", e));
        FB_PASS(row(st, J + 6, 3, "an inertia", e));
        if (J[1] != 0 || J[2] != 0 || J[3] != 0 || J[5] != 0 || J[6] != 0 || J[7] != 0) {
            return fb_fail(
                e, FB_EFORMAT,
                "line %lld: node %lld has products of inertia, whose sign in an .mnf is not known",
                (long long)at, (long long)b->node_id[p]);
        }
        memcpy(b->node_inertia + 9 * p, J, sizeof J);
    }
    return FB_OK;
}

static fb_status units(state *st, fb_err *e)
{
    static const char *const label[] = {"Mass Units", "Length Units", "Time Units", "Force Units"};
    FB_ROWS(label, FB_NUNIT);
    line l;
    FB_PASS(wanted(st, &l, "Units:", e));
    FB_PASS(literal(st, &l, "Units:", e));
    for (int k = 0; k < FB_NUNIT; k++) {
        char name[20];
        FB_PASS(wanted(st, &l, label[k], e));
        FB_PASS(literal(st, &l, label[k], e));
        while (l.p < l.end && blank(*l.p))
            l.p++;
        text(name, sizeof name, &l);
        fb_mnf_unit(st->b, (fb_unitkind)k, name, st->log);
    }
    return FB_OK;
}

/* Blocks 12 and 13 print the diagonals that block 7 has in its last two columns: "mode mode value".
 * */
static fb_status generalized(state *st, int column, fb_err *e)
{
    fb_model *b = st->b;
    line l;
    int64_t i = 0, j = 0, n = 0;
    fb_status s = FB_OK;
    for (; body(st, &l); n++) {
        double x = 0;
        FB_TRY(place(st, &l, &st->modes, "mode", &i, e));
        FB_TRY(place(st, &l, &st->modes, "mode", &j, e));
        FB_TRY(reals(st, &l, &x, 1, "a generalized value", e));
        FB_TRY(line_end(st, &l, e));
        double want = b->eigen[5 * i + column];
        if (i != j || fabs(x - want) > 1e-9 * fabs(want))
            FB_STOP(i != j ? fb_fail(e, FB_EFORMAT,
                                     "line %lld: modes %lld and %lld are coupled; only diagonal "
                                     "matrices are understood",
                                     (long long)st->number, (long long)b->mode_number[i],
                                     (long long)b->mode_number[j])
                           : fb_fail(e, FB_EFORMAT,
                                     "line %lld: mode %lld has %.11g, block 7 has %.11g",
                                     (long long)st->number, (long long)b->mode_number[i], x, want));
    }
    if (n != b->nm)
        s = fb_fail(e, FB_EFORMAT, "line %lld: %lld values for %lld modes", (long long)st->number,
                    (long long)n, (long long)b->nm);
out:
    return s;
}

static fb_status generalized_stiffness(state *st, fb_err *e)
{
    return generalized(st, 4, e);
}

static fb_status generalized_mass(state *st, fb_err *e)
{
    return generalized(st, 3, e);
}

static fb_status faces(state *st, fb_err *e) /* "face node node ..." */
{
    fb_model *b = st->b;
    line l;
    int64_t nf = 0, n = 0;
    FB_PASS(wanted(st, &l, "number of faces", e));
    FB_PASS(literal(st, &l, "number of faces", e));
    FB_PASS(integer(st, &l, &nf, "the number of faces", e));
    FB_PASS(line_end(st, &l, e));
    FB_PASS(fb_grow(&b->face_offset, &st->cap_offset, 1, 8, e));
    FB_PASS(fb_grow(&b->face_index, &st->cap_index, 1, 8, e));
    b->face_offset[0] = 0;
    b->nf1 = 1;
    for (; body(st, &l); n++) {
        int64_t f = 0;
        FB_PASS(integer(st, &l, &f, "a face number", e));
        if (f != n + 1) {
            return fb_fail(e, FB_EFORMAT, "line %lld: face %lld, %lld is wanted",
                           (long long)st->number, (long long)f, (long long)n + 1);
        }
        for (skip(&l); l.p < l.end; skip(&l)) {
            FB_PASS(fb_grow(&b->face_index, &st->cap_index, b->nfi + 1, 8, e));
            FB_PASS(place(st, &l, &st->nodes, "node", b->face_index + b->nfi, e));
            b->nfi++;
        }
        FB_PASS(fb_grow(&b->face_offset, &st->cap_offset, b->nf1 + 1, 8, e));
        b->face_offset[b->nf1++] = b->nfi;
    }
    if (n != nf)
        return fb_fail(e, FB_EFORMAT, "line %lld: %lld faces are announced, %lld found",
                       (long long)st->number, (long long)nf, (long long)n);
    return FB_OK;
}

static fb_status transformation(state *st, fb_err *e)
{
    fb_model *b = st->b;
    FB_PASS(count_of_modes(st, "Number of modes:", e));
    FB_PASS(room(st, b->nm, b->nm, 2, "mode shape transformation", e));
    FB_PASS(fb_new(&b->mode_transform, b->nm * b->nm, 8, "mode shape transformation", e));
    for (int64_t k = 0; k < b->nm; k++)
        FB_PASS(row(st, b->mode_transform + k * b->nm, b->nm, "the transformation", e));
    return FB_OK;
}

static fb_status interface_nodes(state *st, fb_err *e) /* "count node" */
{
    line l;
    int64_t n = 0, k = 0, at = 0, cap = 0, *node = NULL;
    fb_status s = FB_OK;
    for (; body(st, &l); n++) {
        FB_TRY(integer(st, &l, &k, "a count", e));
        if (k != n + 1)
            FB_STOP(fb_fail(e, FB_EFORMAT, "line %lld: interface node %lld, %lld is wanted",
                            (long long)st->number, (long long)k, (long long)n + 1));
        FB_TRY(fb_grow(&node, &cap, n + 1, sizeof *node, e));
        FB_TRY(place(st, &l, &st->nodes, "node", &at, e));
        FB_TRY(line_end(st, &l, e));
        node[n] = st->b->node_id[at];
    }
    s = fb_model_set_connectors(st->b, node, n, e);
out:
    free(node);
    return s;
}

/* One row of a stress shape: "node xx yy zz xy xz yz". The nodes are those of the first shape,
 * which the others must repeat. */
static fb_status stress_row(state *st, line *l, int64_t k, int64_t p, fb_err *e)
{
    fb_model *b = st->b;
    int64_t at = 0;
    FB_PASS(place(st, l, &st->nodes, "node", &at, e));
    if (k == 0) {
        FB_PASS(fb_grow(&b->stress_node, &st->cap_node, p + 1, 8, e));
        b->stress_node[p] = b->node_id[at];
        b->ns = p + 1;
    } else if (b->node_id[at] != b->stress_node[p]) {
        return fb_fail(
            e, FB_EFORMAT, "line %lld: node %lld, the first stress shape has node %lld here",
            (long long)st->number, (long long)b->node_id[at], (long long)b->stress_node[p]);
    }
    FB_PASS(fb_grow(&b->stress, &st->cap_stress, (k * b->ns + p + 1) * 6, 8, e));
    FB_PASS(reals(st, l, b->stress + (k * b->ns + p) * 6, 6, "a stress", e));
    return line_end(st, l, e);
}

static fb_status modal_stress(state *st, fb_err *e)
{
    line l = {0};
    FB_PASS(count_of_modes(st, "Number of Stress Shapes", e));
    for (int64_t k = 0; k < st->b->nm; k++) {
        FB_PASS(heading(st, "STRESS SHAPE NUMBER", k, e));
        FB_PASS(columns(st, e));
        for (int64_t p = 0; k == 0 || p < st->b->ns; p++) {
            state before = *st;
            int some = body(st, &l);
            if (k == 0 && (!some || starts(&l, "STRESS"))) {
                st->p = before.p;
                st->number = before.number;
                break;
            }
            if (!some)
                return wanted(st, &l, "a row of the stress shape", e);
            FB_PASS(stress_row(st, &l, k, p, e));
        }
    }
    return FB_OK;
}

/* ---- invariants and statistics ----------------------------------------------------------------
 * */

static fb_status invariant(state *st, int k, int64_t n, fb_err *e)
{
    return fb_new(&st->b->ref_I[k], n, 8, "a printed invariant", e);
}

static fb_status invariant1(state *st, fb_err *e)
{
    fb_status s = invariant(st, 1, 1, e);
    return s ? s : row(st, st->b->ref_I[1], 1, "invariant 1", e);
}

static fb_status invariant2(state *st, fb_err *e)
{
    fb_status s = invariant(st, 2, 3, e);
    return s ? s : row(st, st->b->ref_I[2], 3, "invariant 2", e);
}

static fb_status invariant7(state *st, fb_err *e)
{
    fb_status s = invariant(st, 7, 9, e);
    for (int a = 0; a < 3 && !s; a++)
        s = row(st, st->b->ref_I[7] + 3 * a, 3, "invariant 7", e);
    return s;
}

/* Rows "mode, x y z" for every mode, in order; column k of I [3 x M]. */
static fb_status rows_by_mode(state *st, double *I, fb_err *e)
{
    int64_t m = st->b->nm, at = 0;
    line l;
    double v[3];
    for (int64_t k = 0; k < m; k++) {
        FB_PASS(wanted(st, &l, "a row of the invariant", e));
        FB_PASS(place(st, &l, &st->modes, "mode", &at, e));
        if (at != k) {
            return fb_fail(e, FB_EFORMAT, "line %lld: mode %lld is out of place",
                           (long long)st->number, (long long)st->b->mode_number[at]);
        }
        FB_PASS(reals(st, &l, v, 3, "a component of the invariant", e));
        FB_PASS(line_end(st, &l, e));
        for (int a = 0; a < 3; a++)
            I[a * m + k] = v[a];
    }
    return FB_OK;
}

static fb_status invariant3(state *st, fb_err *e)
{
    fb_status s = invariant(st, 3, 3 * st->b->nm, e);
    return s ? s : rows_by_mode(st, st->b->ref_I[3], e);
}

static fb_status invariant4(state *st, fb_err *e)
{
    fb_status s = invariant(st, 4, 3 * st->b->nm, e);
    return s ? s : rows_by_mode(st, st->b->ref_I[4], e);
}

static fb_status invariant5(state *st, fb_err *e) /* table "Mode: i", row j: column j of I5_i */
{
    int64_t m = st->b->nm;
    FB_PASS(room(st, m, m, 8, "invariant 5", e));
    FB_PASS(invariant(st, 5, 3 * m * m, e));
    for (int64_t i = 0; i < m; i++) {
        FB_PASS(heading(st, "Mode:", i, e));
        FB_PASS(rows_by_mode(st, st->b->ref_I[5] + 3 * m * i, e));
    }
    return FB_OK;
}

static fb_status invariant8(state *st, fb_err *e)
{
    FB_PASS(invariant(st, 8, 9 * st->b->nm, e));
    for (int64_t i = 0; i < st->b->nm; i++) {
        FB_PASS(heading(st, "Mode:", i, e));
        for (int a = 0; a < 3; a++)
            FB_PASS(row(st, st->b->ref_I[8] + 9 * i + 3 * a, 3, "invariant 8", e));
    }
    return FB_OK;
}

static fb_status invariant9(state *st, fb_err *e) /* "Modes: i j", the first running fastest */
{
    int64_t m = st->b->nm, i = 0, j = 0;
    line l;
    FB_PASS(room(st, m, m, 20, "invariant 9", e));
    FB_PASS(invariant(st, 9, 9 * m * m, e));
    for (int64_t k = 0; k < m * m; k++) {
        FB_PASS(wanted(st, &l, "Modes:", e));
        FB_PASS(literal(st, &l, "Modes:", e));
        FB_PASS(place(st, &l, &st->modes, "mode", &i, e));
        FB_PASS(place(st, &l, &st->modes, "mode", &j, e));
        FB_PASS(line_end(st, &l, e));
        if (i != k % m || j != k / m) {
            return fb_fail(e, FB_EFORMAT, "line %lld: modes %lld %lld are out of place",
                           (long long)st->number, (long long)st->b->mode_number[i],
                           (long long)st->b->mode_number[j]);
        }
        for (int a = 0; a < 3; a++)
            FB_PASS(row(st, st->b->ref_I[9] + 9 * (i * m + j) + 3 * a, 3, "invariant 9", e));
    }
    return FB_OK;
}

static fb_status statistics(state *st, fb_err *e) /* "LABEL  Node ID = n  Magnitude = x" */
{
    static const char *const label[] = {
        "Max. Trans. Magnitude:", "Max. Small Rot. Magnitude:", "Max. Von Mises Stress:"};
    fb_model *b = st->b;
    line l;
    int64_t mode = -1, at = 0;
    fb_status s = FB_OK;
    FB_TRY(count_of_modes(st, "Number of Modes", e));
    FB_TRY(fb_new(&b->stat_node, b->nm * NSTAT, 8, "statistics", e));
    FB_TRY(fb_new(&b->stat_value, b->nm * NSTAT, 8, "statistics", e));
    while (body(st, &l)) {
        int k = 0;
        if (starts(&l, "MODE NUMBER")) {
            l.p += strlen("MODE NUMBER");
            FB_TRY(place(st, &l, &st->modes, "mode", &mode, e));
            continue;
        }
        while (k < 3 && !starts(&l, label[k]))
            k++;
        if (k == 3 || mode < 0)
            return bad(st, &l, "MODE NUMBER or a largest magnitude", e);
        l.p += strlen(label[k]);
        skip(&l);
        FB_TRY(literal(st, &l, "Node ID =", e));
        FB_TRY(place(st, &l, &st->nodes, "node", &at, e));
        skip(&l);
        FB_TRY(literal(st, &l, "Magnitude =", e));
        FB_TRY(reals(st, &l, b->stat_value + mode * NSTAT + k, 1, "a magnitude", e));
        FB_TRY(line_end(st, &l, e));
        b->stat_node[mode * NSTAT + k] = b->node_id[at];
    }
out:
    return s;
}

/* ---- the file ------------------------------------------------------------------------------- */

/* Number, name, what must be read before it, reader (NULL: only "No ..." is understood). */
static const struct {
    int number, after;
    const char *name;
    fb_status (*read)(state *st, fb_err *e);
} blocks[] = {
    {1, 0, "version code", version_code},
    {2, 0, "header", header},
    {3, 0, "content summary", summary},
    {4, 0, "nodal coordinates", coordinates},
    {5, 0, "element topology", NULL},
    {6, 0, "global body properties", global_body},
    {7, 0, "eigenvalues", eigenvalues},
    {8, 7, "mode shapes", mode_shapes},
    {9, 4, "nodal masses", nodal_masses},
    {10, 4, "nodal inertias", nodal_inertias},
    {11, 0, "units", units},
    {12, 7, "generalized stiffness", generalized_stiffness},
    {13, 7, "generalized mass", generalized_mass},
    {14, 4, "element faces", faces},
    {15, 0, "generalized damping", NULL},
    {16, 7, "mode shape transformation", transformation},
    {17, 4, "interface nodes", interface_nodes},
    {18, 7, "modal stress", modal_stress},
    {19, 0, "invariant 1", invariant1},
    {20, 0, "invariant 2", invariant2},
    {21, 7, "invariant 3", invariant3},
    {22, 7, "invariant 4", invariant4},
    {23, 7, "invariant 5", invariant5},
    {24, 0, "invariant 7", invariant7},
    {25, 7, "invariant 8", invariant8},
    {26, 7, "invariant 9", invariant9},
    {27, 0, "modal preload", NULL},
    {28, 0, "modal loads", NULL},
    {29, 0, "modal strain", NULL},
    {30, 7, "modal statistics", statistics},
    {31, 0, "nodal pre-stress", NULL},
    {32, 0, "nodal pre-strain", NULL},
    {34, 0, "matrix operator", NULL},
    {35, 0, "modal load nodal", NULL},
    {36, 0, "monitor points", NULL},
};
enum { NBLOCK = sizeof blocks / sizeof *blocks };

/* The frame of a block: rule, bar, "|    Block  N:      NAME:    |", bar, rule. 0: the file ends.
 * */
static fb_status frame(state *st, int *q, fb_err *e)
{
    line l;
    int64_t n = 0;
    fb_status s = FB_OK;
    *q = -1;
    do {
        if (!next_line(st, &l))
            return FB_OK;
    } while (l.p == l.end);
    for (int found = 0; !found;) {
        if (!is_rule(&l) && !starts(&l, "|"))
            return bad(st, &l, "the frame of a block", e);
        line in = l;
        in.p += starts(&l, "|");
        while (in.p < in.end && blank(*in.p))
            in.p++;
        found = starts(&in, "Block");
        if (found) {
            in.p += strlen("Block");
            FB_TRY(integer(st, &in, &n, "the number of a block", e));
        } else if (!next_line(st, &l)) {
            return fb_fail(e, FB_EFORMAT, "line %lld: the frame of a block is cut short",
                           (long long)st->number);
        }
    }
    int k = 0;
    while (k < NBLOCK && blocks[k].number != n)
        k++;
    if (k == NBLOCK || st->seen[n])
        FB_STOP(k == NBLOCK ? fb_fail(e, FB_EFORMAT, "line %lld: block %lld is not known",
                                      (long long)st->number, (long long)n)
                            : fb_fail(e, FB_EFORMAT, "line %lld: block %lld (%s) occurs twice",
                                      (long long)st->number, (long long)n, blocks[k].name));
    do { /* the frame closes with a rule */
        if (!next_line(st, &l))
            return fb_fail(e, FB_EFORMAT, "line %lld: the frame of block %lld is cut short",
                           (long long)st->number, (long long)n);
    } while (starts(&l, "|"));
    if (!is_rule(&l))
        s = bad(st, &l, "the frame of a block", e);
    *q = k;
out:
    return s;
}

static fb_status block(state *st, int q, fb_err *e)
{
    line l = {0};
    const char *before = st->p;
    int64_t number = st->number;
    int n = blocks[q].number, some = body(st, &l);
    if (!some || starts(&l, "No ") || (n == 5 && starts(&l, "Obsolete:"))) {
        if (st->announced[n] && n != 17) /* an interface may have no nodes */
            return fb_fail(
                e, FB_EFORMAT,
                "line %lld: the content summary announces data, there are none: cut short?",
                (long long)st->number);
    } else if (!blocks[q].read) {
        return fb_fail(
            e, FB_EFORMAT,
            "line %lld: holds data whose layout is not known; write the dump without this block",
            (long long)st->number);
    } else {
        st->p = before;
        st->number = number;
        st->seen[n] = 1;
        if (blocks[q].after && (!st->seen[4] || !st->seen[blocks[q].after]))
            return fb_fail(e, FB_EFORMAT, "line %lld: block %d must stand before it",
                           (long long)st->number, st->seen[4] ? blocks[q].after : 4);
        FB_PASS(blocks[q].read(st, e));
    }
    return body(st, &l) ? bad(st, &l, "the end of the block", e) : FB_OK;
}

static fb_status complete(const state *st, fb_err *e)
{
    for (int q = 0; q < NBLOCK; q++) {
        int n = blocks[q].number;
        if ((st->announced[n] && !st->seen[n] && n != 17) ||
            ((n == 4 || n == 7 || n == 8) && !st->seen[n]))
            return fb_fail(
                e, FB_EFORMAT,
                "line %lld: the dump ends without block %d (%s): cut short, or written without it",
                (long long)st->number, n, blocks[q].name);
    }
    return FB_OK;
}

static int sniff(const fb_input *in)
{
    size_t n = in->size < 1024 ? in->size : 1024;
    state st = {.p = (const char *)in->data, .end = (const char *)in->data + n};
    line l;
    int rule = 0;
    while (next_line(&st, &l)) {
        if (l.p == l.end)
            continue;
        if (!rule && !is_rule(&l))
            return 0;
        rule = 1;
        if (!is_rule(&l) && !starts(&l, "|"))
            return 0;
        for (l.p += !is_rule(&l); l.p < l.end && blank(*l.p);)
            l.p++;
        if (starts(&l, "Block "))
            return 1;
    }
    return 0;
}

static fb_status read_dump(const fb_input *in, fb_parts *p, fb_log *log, fb_err *e)
{
    fb_model b = {0};
    state st = {
        .p = (const char *)in->data, .end = (const char *)in->data + in->size, .b = &b, .log = log};
    fb_status s = FB_OK;
    FB_TRY(fb_mnf_begin(p, &b, "mnfdump", e));
    for (;;) {
        int q = 0;
        FB_TRY(frame(&st, &q, e));
        if (q < 0)
            break;
        s = block(&st, q, e);
        if (s == FB_EFORMAT)
            fb_context(e, "block %d (%s)", blocks[q].number, blocks[q].name);
        if (s)
            goto out;
    }
    FB_TRY(complete(&st, e));
    FB_TRY(fb_mnf_finish(&b, e));
    p->body = b;
    b = (fb_model){0};
out:
    fb_index_free(&st.nodes);
    fb_index_free(&st.modes);
    fb_model_free(&b);
    return s;
}

const fb_reader fb_reader_mnfdump = {
    "mnfdump", "ASCII dump of an Adams .mnf (.mtx of the Flex browser)", sniff, read_dump};
