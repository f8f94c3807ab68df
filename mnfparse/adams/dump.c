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
#include "text/lines.h"
#include "common.h"
#include "reader.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { LAST_BLOCK = 36, NSTAT = FB_MNF_STATISTICS, RULE = 20 };

typedef struct {
    fb_lines t;
    const char *at;    /* the line read last */
    fb_span l;         /* what is left of it, without blanks at its ends */
    const char *block; /* its name, and which of its kind it is */
    int which;
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

static void skip_blanks(fb_span *l)
{
    while (l->p < l->end && blank(*l->p))
        l->p++;
}

static int next_line(state *st)
{
    if (!fb_take_line(&st->t, &st->l))
        return 0;
    skip_blanks(&st->l);
    while (st->l.end > st->l.p && blank(st->l.end[-1]))
        st->l.end--;
    return 1;
}

static int starts(fb_span l, const char *text)
{
    size_t n = strlen(text);
    return (size_t)(l.end - l.p) >= n && !memcmp(l.p, text, n);
}

/* Steps over the text where it stands here. */
static int taken(fb_span *l, const char *text)
{
    const int here = starts(*l, text);
    l->p += here ? strlen(text) : 0;
    return here;
}

/* A run of dashes alone: the frame of a block. */
static int is_rule(fb_span l)
{
    const char *p = l.p;
    while (p < l.end && *p == '-')
        p++;
    return p == l.end && p - l.p >= RULE;
}

/* The next line of the block that is not empty; 0 at its end, where the rule stays unread. */
static int body(state *st)
{
    for (;;) {
        const fb_lines before = st->t;
        if (!next_line(st))
            return 0;
        if (is_rule(st->l)) {
            st->t = before;
            return 0;
        }
        if (st->l.p < st->l.end)
            return 1;
    }
}

static fb_status bad(const state *st, fb_span l, const char *wanted, fb_err *e)
{
    return fb_fail_here(e, &st->t, "'%.*s' where %s is wanted", fb_shown(l, 40), l.p, wanted);
}

static fb_status wanted(state *st, const char *what, fb_err *e)
{
    return body(st)
               ? FB_OK
               : fb_fail_here(e, &st->t, "the block ends where %s is wanted: cut short?", what);
}

/* Steps over `text`, which must stand here. */
static fb_status literal(state *st, const char *text, fb_err *e)
{
    return taken(&st->l, text) ? FB_OK : bad(st, st->l, text, e);
}

/* A line that begins with `text`. */
static fb_status opens(state *st, const char *text, fb_err *e)
{
    FB_PASS(wanted(st, text, e));
    return literal(st, text, e);
}

static void skip(state *st) /* blanks and the comma behind a row's number */
{
    while (st->l.p < st->l.end && (blank(*st->l.p) || *st->l.p == ','))
        st->l.p++;
}

static fb_status integer(state *st, int64_t *k, const char *what, fb_err *e)
{
    skip(st);
    const char *q = fb_scan_int(st->l.p, st->l.end, k);
    if (!q)
        return bad(st, st->l, what, e);
    st->l.p = q;
    return FB_OK;
}

static fb_status reals(state *st, double *x, int64_t n, const char *what, fb_err *e)
{
    for (int64_t k = 0; k < n; k++) {
        skip(st);
        const char *q = fb_scan_real(st->l.p, st->l.end, x + k);
        if (!q)
            return bad(st, st->l, what, e);
        st->l.p = q;
    }
    return FB_OK;
}

static fb_status line_end(state *st, fb_err *e)
{
    skip(st);
    return st->l.p == st->l.end ? FB_OK : bad(st, st->l, "the end of the line", e);
}

/* n reals, which end the line. */
static fb_status last_reals(state *st, double *x, int64_t n, const char *what, fb_err *e)
{
    FB_PASS(reals(st, x, n, what, e));
    return line_end(st, e);
}

/* m lines of n reals. */
static fb_status rows(state *st, double *x, int64_t m, int64_t n, const char *what, fb_err *e)
{
    for (int64_t k = 0; k < m; k++) {
        FB_PASS(wanted(st, what, e));
        FB_PASS(last_reals(st, x + k * n, n, what, e));
    }
    return FB_OK;
}

/* n rows of at least `bytes` each must fit into what is left of the file, before memory is
 * taken. */
static fb_status room(const state *st, int64_t n, int64_t m, int64_t bytes, const char *what,
                      fb_err *e)
{
    int64_t left = st->t.end - st->t.p;
    if (n > 0 && m > left / bytes / n + 1)
        return fb_fail_here(e, &st->t, "%s: %lld x %lld rows are wanted, %lld bytes are left", what,
                            (long long)n, (long long)m, (long long)left);
    return FB_OK;
}

/* The place of the node or mode number that stands here. */
static fb_status place(state *st, const fb_index *x, const char *what, int64_t *k, fb_err *e)
{
    int64_t id = 0;
    FB_PASS(integer(st, &id, what, e));
    *k = fb_index_find(x, id);
    return *k >= 0 ? FB_OK
                   : fb_fail_here(e, &st->t, "%s %lld is not in block %d", what, (long long)id,
                                  x == &st->nodes ? 4 : 7);
}

/* "TITLE k=====": the k-th heading must carry the k-th mode's number. */
static fb_status heading(state *st, const char *title, int64_t k, fb_err *e)
{
    int64_t at = 0;
    FB_PASS(wanted(st, title, e));
    const fb_span all = st->l;
    FB_PASS(literal(st, title, e));
    FB_PASS(place(st, &st->modes, "mode number", &at, e));
    while (st->l.p < st->l.end && *st->l.p == '=')
        st->l.p++;
    FB_PASS(line_end(st, e));
    if (at == k)
        return FB_OK;
    char text[40];
    snprintf(text, sizeof text, "%s %lld", title, (long long)st->b->mode_number[k]);
    return bad(st, all, text, e);
}

/* "TITLE n" */
static fb_status count(state *st, const char *title, const char *what, int64_t *n, fb_err *e)
{
    FB_PASS(opens(st, title, e));
    FB_PASS(integer(st, n, what, e));
    return line_end(st, e);
}

/* The same, where n must be the number of modes. */
static fb_status count_of_modes(state *st, const char *title, fb_err *e)
{
    int64_t n = 0;
    FB_PASS(count(st, title, "a number of modes", &n, e));
    return n == st->b->nm ? FB_OK
                          : fb_fail_here(e, &st->t, "%s %lld, block 7 has %lld modes", title,
                                         (long long)n, (long long)st->b->nm);
}

/* ---- blocks 1 to 18 ------------------------------------------------------------------------- */

static void text(char *to, size_t cap, fb_span l)
{
    size_t n = (size_t)(l.end - l.p);
    n = n < cap - 1 ? n : cap - 1;
    memset(to, 0, cap);
    memcpy(to, l.p, n);
    for (size_t k = 0; k < n; k++)
        to[k] = (unsigned char)to[k] < 0x20 ? ' ' : to[k];
}

static fb_status version_code(state *st, fb_err *e)
{
    static const char *const label[] = {
        "MNF version:", "Precision:", "Platform independent (XDR encoded):",
        "Coarsened or sketched mesh:"};
    while (body(st)) {
        int k = 0;
        while (k < 4 && !taken(&st->l, label[k]))
            k++;
        if (k == 4)
            return bad(st, st->l, "a line of the version block", e);
        skip(st);
        if (k == 0 && !(starts(st->l, "6.0") && st->l.end - st->l.p == 3))
            fb_warn(st->log, "the dump is of an .mnf of version %.*s: only 6.0 was ever checked",
                    (int)(st->l.end - st->l.p), st->l.p);
        if (k == 3 && !starts(st->l, "No"))
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
    while (body(st)) {
        int k = 0;
        while (k < 4 && !taken(&st->l, field[k].label))
            k++;
        if (k < 4) {
            skip_blanks(&st->l);
            text(field[k].to, field[k].cap, st->l);
        } else if (starts(st->l, "Comments:")) {
            for (int c = 0; c < 3 && next_line(st); c++) /* three lines, perhaps empty ones */
                text(b->comment[c], sizeof b->comment[c], st->l);
        } else {
            return bad(st, st->l, "a line of the header block", e);
        }
    }
    return FB_OK;
}

static fb_status summary(state *st, fb_err *e) /* "NAME (block) Yes|No" */
{
    FB_PASS(opens(st, "Existence:", e));
    while (body(st)) {
        int64_t n = 0;
        const fb_span all = st->l;
        for (st->l.p = st->l.end; st->l.p > all.p && st->l.p[-1] != '(';)
            st->l.p--;
        FB_PASS(integer(st, &n, "NAME (BLOCK) Yes or No", e));
        int yes = starts(st->l, ") Yes"), no = starts(st->l, ") No");
        if (n < 1 || n > LAST_BLOCK || (!yes && !no))
            return bad(st, all, "NAME (BLOCK) Yes or No", e);
        st->announced[n] = yes;
    }
    return FB_OK;
}

static fb_status coordinates(state *st, fb_err *e)
{
    fb_model *b = st->b;
    for (; body(st); b->nn++) {
        FB_PASS(fb_grow(&b->node_id, &st->cap_id, b->nn + 1, 8, e));
        FB_PASS(fb_grow(&b->xyz, &st->cap_xyz, 3 * (b->nn + 1), 8, e));
        FB_PASS(integer(st, b->node_id + b->nn, "a node number", e));
        FB_PASS(last_reals(st, b->xyz + 3 * b->nn, 3, "a coordinate", e));
    }
    if (b->nn == 0)
        return fb_fail_here(e, &st->t, "there are no nodes");
    return fb_index_new(&st->nodes, b->node_id, b->nn, "nodal coordinates", e);
}

static fb_status global_body(state *st, fb_err *e)
{
    fb_model *b = st->b;
    FB_PASS(fb_mnf_reference(b, e));
    FB_PASS(opens(st, "Mass:", e));
    FB_PASS(last_reals(st, b->ref_mass, 1, "the mass", e));
    FB_PASS(opens(st, "Center of Mass:", e));
    FB_PASS(last_reals(st, b->ref_com, 3, "the centre of mass", e));
    FB_PASS(opens(st, "Inertia Tensor:", e));
    FB_PASS(last_reals(st, b->ref_inertia, 3, "the inertia tensor", e));
    return rows(st, b->ref_inertia + 3, 2, 3, "the inertia tensor", e);
}

static fb_status eigenvalues(state *st, fb_err *e)
{
    fb_model *b = st->b;
    FB_PASS(opens(st, "Natural Freq.", e));
    FB_PASS(opens(st, "Mode", e));
    FB_PASS(opens(st, "=====", e));
    for (; body(st); b->nm++) {
        FB_PASS(fb_grow(&b->mode_number, &st->cap_number, b->nm + 1, 8, e));
        FB_PASS(fb_grow(&b->eigen, &st->cap_eigen, 5 * (b->nm + 1), 8, e));
        FB_PASS(integer(st, b->mode_number + b->nm, "a mode number", e));
        FB_PASS(last_reals(st, b->eigen + 5 * b->nm, 5,
                           "an eigenvalue, a frequency or a generalized value", e));
    }
    if (b->nm == 0)
        return fb_fail_here(e, &st->t, "there are no modes");
    return fb_index_new(&st->modes, b->mode_number, b->nm, "eigenvalues (mode for node)", e);
}

/* The heading of a table of six columns over nodes: names of the columns, and a line of tildes. */
static fb_status columns(state *st, fb_err *e)
{
    FB_PASS(opens(st, "ID", e));
    return opens(st, "~~~~~", e);
}

static fb_status mode_shapes(state *st, fb_err *e)
{
    fb_model *b = st->b;
    FB_PASS(count_of_modes(st, "Number of Mode Shapes", e));
    FB_PASS(room(st, b->nm, b->nn, 14, "mode shapes", e));
    FB_PASS(fb_new(&b->shape, b->nm * b->nn * 6, 8, "mode shapes", e));
    for (int64_t k = 0; k < b->nm; k++) {
        FB_PASS(heading(st, "MODE NUMBER", k, e));
        FB_PASS(columns(st, e));
        for (int64_t p = 0; p < b->nn; p++) {
            int64_t id = 0;
            FB_PASS(wanted(st, "a row of the mode shape", e));
            FB_PASS(integer(st, &id, "a node number", e));
            if (id != b->node_id[p])
                return fb_fail_here(e, &st->t, "node %lld, block 4 has node %lld at place %lld",
                                    (long long)id, (long long)b->node_id[p], (long long)p + 1);
            FB_PASS(last_reals(st, b->shape + (k * b->nn + p) * 6, 6, "a displacement", e));
        }
    }
    return FB_OK;
}

static fb_status nodal_masses(state *st, fb_err *e)
{
    fb_model *b = st->b;
    int64_t n = 0, p = 0;
    FB_PASS(fb_new(&b->node_mass, b->nn, 8, "nodal masses", e));
    for (; body(st); n++) {
        FB_PASS(place(st, &st->nodes, "node", &p, e));
        if (p != n)
            return fb_fail_here(e, &st->t,
                                "node %lld is out of place: masses stand in the order of block 4",
                                (long long)b->node_id[p]);
        FB_PASS(last_reals(st, b->node_mass + p, 1, "a nodal mass", e));
    }
    return n == b->nn ? FB_OK
                      : fb_fail_here(e, &st->t, "%lld nodal masses, there are %lld nodes",
                                     (long long)n, (long long)b->nn);
}

static fb_status nodal_inertias(state *st, fb_err *e)
{
    fb_model *b = st->b;
    int64_t p = 0;
    FB_PASS(fb_new(&b->node_inertia, 9 * b->nn, 8, "nodal inertias", e));
    while (body(st)) {
        double J[9];
        const char *at = st->t.at;
        FB_PASS(literal(st, "Inertia Tensor of Node", e));
        FB_PASS(place(st, &st->nodes, "node", &p, e));
        FB_PASS(literal(st, ":", e));
        FB_PASS(last_reals(st, J, 3, "an inertia", e));
        FB_PASS(rows(st, J + 3, 2, 3, "an inertia", e));
        if (J[1] != 0 || J[2] != 0 || J[3] != 0 || J[5] != 0 || J[6] != 0 || J[7] != 0)
            return fb_fail_at(
                e, &st->t, at,
                "node %lld has products of inertia, whose sign in an .mnf is not known",
                (long long)b->node_id[p]);
        memcpy(b->node_inertia + 9 * p, J, sizeof J);
    }
    return FB_OK;
}

static fb_status units(state *st, fb_err *e)
{
    static const char *const label[] = {"Mass Units", "Length Units", "Time Units", "Force Units"};
    FB_ROWS(label, FB_NUNIT);
    FB_PASS(opens(st, "Units:", e));
    for (int k = 0; k < FB_NUNIT; k++) {
        char name[20];
        FB_PASS(opens(st, label[k], e));
        skip_blanks(&st->l);
        text(name, sizeof name, st->l);
        fb_mnf_unit(st->b, (fb_unitkind)k, name, st->log);
    }
    return FB_OK;
}

/* Blocks 12 and 13 print the diagonals that block 7 has in a column: "mode mode value". */
static fb_status generalized(state *st, fb_err *e)
{
    const int column = st->which;
    fb_model *b = st->b;
    int64_t i = 0, j = 0, n = 0;
    for (; body(st); n++) {
        double x = 0;
        FB_PASS(place(st, &st->modes, "mode", &i, e));
        FB_PASS(place(st, &st->modes, "mode", &j, e));
        FB_PASS(last_reals(st, &x, 1, "a generalized value", e));
        double want = b->eigen[5 * i + column];
        if (i != j)
            return fb_fail_here(
                e, &st->t, "modes %lld and %lld are coupled; only diagonal matrices are understood",
                (long long)b->mode_number[i], (long long)b->mode_number[j]);
        if (fabs(x - want) > 1e-9 * fabs(want))
            return fb_fail_here(e, &st->t, "mode %lld has %.11g, block 7 has %.11g",
                                (long long)b->mode_number[i], x, want);
    }
    return n == b->nm ? FB_OK
                      : fb_fail_here(e, &st->t, "%lld values for %lld modes", (long long)n,
                                     (long long)b->nm);
}

static fb_status faces(state *st, fb_err *e) /* "face node node ..." */
{
    fb_model *b = st->b;
    int64_t nf = 0, n = 0;
    FB_PASS(count(st, "number of faces", "the number of faces", &nf, e));
    FB_PASS(fb_grow(&b->face_offset, &st->cap_offset, 1, 8, e));
    FB_PASS(fb_grow(&b->face_index, &st->cap_index, 1, 8, e));
    b->face_offset[0] = 0;
    b->nf1 = 1;
    for (; body(st); n++) {
        int64_t f = 0;
        FB_PASS(integer(st, &f, "a face number", e));
        if (f != n + 1)
            return fb_fail_here(e, &st->t, "face %lld, %lld is wanted", (long long)f,
                                (long long)n + 1);
        for (skip(st); st->l.p < st->l.end; skip(st)) {
            FB_PASS(fb_grow(&b->face_index, &st->cap_index, b->nfi + 1, 8, e));
            FB_PASS(place(st, &st->nodes, "node", b->face_index + b->nfi, e));
            b->nfi++;
        }
        FB_PASS(fb_grow(&b->face_offset, &st->cap_offset, b->nf1 + 1, 8, e));
        b->face_offset[b->nf1++] = b->nfi;
    }
    return n == nf ? FB_OK
                   : fb_fail_here(e, &st->t, "%lld faces are announced, %lld found", (long long)nf,
                                  (long long)n);
}

static fb_status transformation(state *st, fb_err *e)
{
    fb_model *b = st->b;
    FB_PASS(count_of_modes(st, "Number of modes:", e));
    FB_PASS(room(st, b->nm, b->nm, 2, "mode shape transformation", e));
    FB_PASS(fb_new(&b->mode_transform, b->nm * b->nm, 8, "mode shape transformation", e));
    return rows(st, b->mode_transform, b->nm, b->nm, "the transformation", e);
}

static fb_status interface_nodes(state *st, fb_err *e) /* "count node" */
{
    int64_t n = 0, k = 0, at = 0, cap = 0, *node = NULL;
    fb_status s = FB_OK;
    for (; body(st); n++) {
        FB_TRY(integer(st, &k, "a count", e));
        if (k != n + 1)
            FB_TRY(fb_fail_here(e, &st->t, "interface node %lld, %lld is wanted", (long long)k,
                                (long long)n + 1));
        FB_TRY(fb_grow(&node, &cap, n + 1, sizeof *node, e));
        FB_TRY(place(st, &st->nodes, "node", &at, e));
        FB_TRY(line_end(st, e));
        node[n] = st->b->node_id[at];
    }
    s = fb_model_set_connectors(st->b, node, n, e);
out:
    free(node);
    return s;
}

/* One row of a stress shape: "node xx yy zz xy xz yz". The nodes are those of the first shape,
 * which the others must repeat. */
static fb_status stress_row(state *st, int64_t k, int64_t p, fb_err *e)
{
    fb_model *b = st->b;
    int64_t at = 0;
    FB_PASS(place(st, &st->nodes, "node", &at, e));
    if (k == 0) {
        FB_PASS(fb_grow(&b->stress_node, &st->cap_node, p + 1, 8, e));
        b->stress_node[p] = b->node_id[at];
        b->ns = p + 1;
    } else if (b->node_id[at] != b->stress_node[p]) {
        return fb_fail_here(e, &st->t, "node %lld, the first stress shape has node %lld here",
                            (long long)b->node_id[at], (long long)b->stress_node[p]);
    }
    FB_PASS(fb_grow(&b->stress, &st->cap_stress, (k * b->ns + p + 1) * 6, 8, e));
    return last_reals(st, b->stress + (k * b->ns + p) * 6, 6, "a stress", e);
}

static fb_status modal_stress(state *st, fb_err *e)
{
    FB_PASS(count_of_modes(st, "Number of Stress Shapes", e));
    for (int64_t k = 0; k < st->b->nm; k++) {
        FB_PASS(heading(st, "STRESS SHAPE NUMBER", k, e));
        FB_PASS(columns(st, e));
        for (int64_t p = 0; k == 0 || p < st->b->ns; p++) {
            const fb_lines before = st->t;
            int some = body(st);
            if (k == 0 && (!some || starts(st->l, "STRESS"))) {
                st->t = before;
                break;
            }
            if (!some)
                return wanted(st, "a row of the stress shape", e);
            FB_PASS(stress_row(st, k, p, e));
        }
    }
    return FB_OK;
}

/* ---- invariants and statistics -------------------------------------------------------------- */

static fb_status invariant(state *st, int k, int64_t n, fb_err *e)
{
    return fb_new(&st->b->ref_I[k], n, 8, "a printed invariant", e);
}

static fb_status of_body(state *st, fb_err *e) /* I1, I2; I7 by rows */
{
    const int k = st->which;
    const int64_t m = k == 7 ? 3 : 1, n = k == 1 ? 1 : 3;
    FB_PASS(invariant(st, k, m * n, e));
    return rows(st, st->b->ref_I[k], m, n, st->block, e);
}

/* Rows "mode, x y z" for every mode, in order; column k of I [3 x M]. */
static fb_status rows_by_mode(state *st, double *I, fb_err *e)
{
    int64_t m = st->b->nm, at = 0;
    double v[3];
    for (int64_t k = 0; k < m; k++) {
        FB_PASS(wanted(st, "a row of the invariant", e));
        FB_PASS(place(st, &st->modes, "mode", &at, e));
        if (at != k)
            return fb_fail_here(e, &st->t, "mode %lld is out of place",
                                (long long)st->b->mode_number[at]);
        FB_PASS(last_reals(st, v, 3, "a component of the invariant", e));
        for (int a = 0; a < 3; a++)
            I[a * m + k] = v[a];
    }
    return FB_OK;
}

static fb_status by_mode(state *st, fb_err *e) /* I3, I4 */
{
    const int k = st->which;
    FB_PASS(invariant(st, k, 3 * st->b->nm, e));
    return rows_by_mode(st, st->b->ref_I[k], e);
}

static fb_status invariant5(state *st, fb_err *e) /* table "Mode: i", row j: column j of I5_i */
{
    const int k = st->which;
    int64_t m = st->b->nm;
    FB_PASS(room(st, m, m, 8, st->block, e));
    FB_PASS(invariant(st, k, 3 * m * m, e));
    for (int64_t i = 0; i < m; i++) {
        FB_PASS(heading(st, "Mode:", i, e));
        FB_PASS(rows_by_mode(st, st->b->ref_I[k] + 3 * m * i, e));
    }
    return FB_OK;
}

static fb_status invariant8(state *st, fb_err *e)
{
    const int k = st->which;
    FB_PASS(invariant(st, k, 9 * st->b->nm, e));
    for (int64_t i = 0; i < st->b->nm; i++) {
        FB_PASS(heading(st, "Mode:", i, e));
        FB_PASS(rows(st, st->b->ref_I[k] + 9 * i, 3, 3, st->block, e));
    }
    return FB_OK;
}

static fb_status invariant9(state *st, fb_err *e) /* "Modes: i j", the first running fastest */
{
    const int k = st->which;
    int64_t m = st->b->nm, i = 0, j = 0;
    FB_PASS(room(st, m, m, 20, st->block, e));
    FB_PASS(invariant(st, k, 9 * m * m, e));
    for (int64_t q = 0; q < m * m; q++) {
        FB_PASS(opens(st, "Modes:", e));
        FB_PASS(place(st, &st->modes, "mode", &i, e));
        FB_PASS(place(st, &st->modes, "mode", &j, e));
        FB_PASS(line_end(st, e));
        if (i != q % m || j != q / m)
            return fb_fail_here(e, &st->t, "modes %lld %lld are out of place",
                                (long long)st->b->mode_number[i], (long long)st->b->mode_number[j]);
        FB_PASS(rows(st, st->b->ref_I[k] + 9 * (i * m + j), 3, 3, st->block, e));
    }
    return FB_OK;
}

static fb_status statistics(state *st, fb_err *e) /* "LABEL  Node ID = n  Magnitude = x" */
{
    static const char *const label[] = {
        "Max. Trans. Magnitude:", "Max. Small Rot. Magnitude:", "Max. Von Mises Stress:"};
    fb_model *b = st->b;
    int64_t mode = -1, at = 0;
    FB_PASS(count_of_modes(st, "Number of Modes", e));
    FB_PASS(fb_new(&b->stat_node, b->nm * NSTAT, 8, "statistics", e));
    FB_PASS(fb_new(&b->stat_value, b->nm * NSTAT, 8, "statistics", e));
    while (body(st)) {
        int k = 0;
        if (taken(&st->l, "MODE NUMBER")) {
            FB_PASS(place(st, &st->modes, "mode", &mode, e));
            continue;
        }
        while (k < 3 && (mode < 0 || !taken(&st->l, label[k])))
            k++;
        if (k == 3)
            return bad(st, st->l, "MODE NUMBER or a largest magnitude", e);
        skip(st);
        FB_PASS(literal(st, "Node ID =", e));
        FB_PASS(place(st, &st->nodes, "node", &at, e));
        skip(st);
        FB_PASS(literal(st, "Magnitude =", e));
        FB_PASS(last_reals(st, b->stat_value + mode * NSTAT + k, 1, "a magnitude", e));
        b->stat_node[mode * NSTAT + k] = b->node_id[at];
    }
    return FB_OK;
}

/* ---- the file ------------------------------------------------------------------------------- */

/* Number, what must be read before it, name, reader (NULL: only "No ..." is understood) and which
 * of its things it reads. */
static const struct {
    int number, after;
    const char *name;
    fb_status (*read)(state *st, fb_err *e);
    int which;
} blocks[] = {
    {1, 0, "version code", version_code, 0},
    {2, 0, "header", header, 0},
    {3, 0, "content summary", summary, 0},
    {4, 0, "nodal coordinates", coordinates, 0},
    {5, 0, "element topology", NULL, 0},
    {6, 0, "global body properties", global_body, 0},
    {7, 0, "eigenvalues", eigenvalues, 0},
    {8, 7, "mode shapes", mode_shapes, 0},
    {9, 4, "nodal masses", nodal_masses, 0},
    {10, 4, "nodal inertias", nodal_inertias, 0},
    {11, 0, "units", units, 0},
    {12, 7, "generalized stiffness", generalized, 4},
    {13, 7, "generalized mass", generalized, 3},
    {14, 4, "element faces", faces, 0},
    {15, 0, "generalized damping", NULL, 0},
    {16, 7, "mode shape transformation", transformation, 0},
    {17, 4, "interface nodes", interface_nodes, 0},
    {18, 7, "modal stress", modal_stress, 0},
    {19, 0, "invariant 1", of_body, 1},
    {20, 0, "invariant 2", of_body, 2},
    {21, 7, "invariant 3", by_mode, 3},
    {22, 7, "invariant 4", by_mode, 4},
    {23, 7, "invariant 5", invariant5, 5},
    {24, 0, "invariant 7", of_body, 7},
    {25, 7, "invariant 8", invariant8, 8},
    {26, 7, "invariant 9", invariant9, 9},
    {27, 0, "modal preload", NULL, 0},
    {28, 0, "modal loads", NULL, 0},
    {29, 0, "modal strain", NULL, 0},
    {30, 7, "modal statistics", statistics, 0},
    {31, 0, "nodal pre-stress", NULL, 0},
    {32, 0, "nodal pre-strain", NULL, 0},
    {34, 0, "matrix operator", NULL, 0},
    {35, 0, "modal load nodal", NULL, 0},
    {36, 0, "monitor points", NULL, 0},
};
enum { NBLOCK = sizeof blocks / sizeof *blocks };

/* The frame of a block: rule, bar, "|    Block  N:      NAME:    |", bar, rule. -1: the file
 * ends. */
static fb_status frame(state *st, int *q, fb_err *e)
{
    int64_t n = 0;
    int k = 0;
    *q = -1;
    do {
        if (!next_line(st))
            return FB_OK;
    } while (st->l.p == st->l.end);
    for (int found = 0; !found;) {
        const fb_span all = st->l;
        if (!taken(&st->l, "|") && !is_rule(st->l))
            return bad(st, all, "the frame of a block", e);
        skip_blanks(&st->l);
        found = taken(&st->l, "Block");
        if (found)
            FB_PASS(integer(st, &n, "the number of a block", e));
        else if (!next_line(st))
            return fb_fail_here(e, &st->t, "the frame of a block is cut short");
    }
    while (k < NBLOCK && blocks[k].number != n)
        k++;
    if (k == NBLOCK)
        return fb_fail_here(e, &st->t, "block %lld is not known", (long long)n);
    if (st->seen[n])
        return fb_fail_here(e, &st->t, "block %lld (%s) occurs twice", (long long)n,
                            blocks[k].name);
    do { /* the frame closes with a rule */
        if (!next_line(st))
            return fb_fail_here(e, &st->t, "the frame of block %lld is cut short", (long long)n);
    } while (starts(st->l, "|"));
    *q = k;
    return is_rule(st->l) ? FB_OK : bad(st, st->l, "the frame of a block", e);
}

static fb_status block(state *st, int q, fb_err *e)
{
    const fb_lines before = st->t;
    int n = blocks[q].number, some = body(st);
    if (!some || starts(st->l, "No ") || (n == 5 && starts(st->l, "Obsolete:"))) {
        if (st->announced[n] && n != 17) /* an interface may have no nodes */
            return fb_fail_here(e, &st->t,
                                "the content summary announces data, there are none: cut short?");
    } else if (!blocks[q].read) {
        return fb_fail_here(
            e, &st->t, "holds data whose layout is not known; write the dump without this block");
    } else {
        st->t = before;
        st->seen[n] = 1;
        st->block = blocks[q].name;
        st->which = blocks[q].which;
        if (blocks[q].after && (!st->seen[4] || !st->seen[blocks[q].after]))
            return fb_fail_here(e, &st->t, "block %d must stand before it",
                                st->seen[4] ? blocks[q].after : 4);
        FB_PASS(blocks[q].read(st, e));
    }
    return body(st) ? bad(st, st->l, "the end of the block", e) : FB_OK;
}

static fb_status complete(const state *st, fb_err *e)
{
    for (int q = 0; q < NBLOCK; q++) {
        int n = blocks[q].number;
        if ((st->announced[n] && !st->seen[n] && n != 17) ||
            ((n == 4 || n == 7 || n == 8) && !st->seen[n]))
            return fb_fail_here(
                e, &st->t, "the dump ends without block %d (%s): cut short, or written without it",
                n, blocks[q].name);
    }
    return FB_OK;
}

static int sniff(const fb_input *in)
{
    state st = {.t = fb_lines_of(in)};
    int rule = 0;
    st.t.end = st.t.p + (in->size < 1024 ? in->size : 1024);
    while (next_line(&st)) {
        if (st.l.p == st.l.end)
            continue;
        if (!is_rule(st.l) && !(rule && taken(&st.l, "|")))
            return 0;
        rule = 1;
        skip_blanks(&st.l);
        if (starts(st.l, "Block "))
            return 1;
    }
    return 0;
}

static fb_status read_dump(const fb_input *in, fb_parts *p, fb_log *log, fb_err *e)
{
    state st = {.t = fb_lines_of(in), .log = log};
    fb_status s = FB_OK;
    FB_TRY(fb_mnf_begin(p, &st.b, "mnfdump", e));
    for (int q = 0;;) {
        FB_TRY(frame(&st, &q, e));
        if (q < 0)
            break;
        FB_TRY(fb_within(block(&st, q, e), e, "block %d (%s)", blocks[q].number, blocks[q].name));
    }
    FB_TRY(complete(&st, e));
    s = fb_mnf_finish(st.b, e);
out:
    FB_FREE_BY(fb_index_free, &st.nodes, &st.modes);
    return s;
}

const fb_reader fb_reader_mnfdump = {
    .name = "mnfdump",
    .doc = "ASCII dump of an Adams .mnf (.mtx of the Flex browser)",
    .sniff = sniff,
    .read = read_dump,
};
