/* SPDX-License-Identifier: GPL-3.0-or-later */
/* matrix.c - matrices as lines "node,dof, node,dof, value".
 *
 * Writers  Abaqus *MATRIX OUTPUT, FORMAT=MATRIX INPUT (the default): JOB_STIF1.mtx, JOB_MASS1.mtx,
 *          ... CalculiX *SUBSTRUCTURE MATRIX OUTPUT, OUTPUT FILE=MATRIX, and its .stiff .mass files
 *          JOB_LOAD1.mtx: "*CLOAD, REAL" and lines "node,dof, value", or a set of nodes for the
 *          node; what is given twice is added up, as both programs do
 * Order    dofs ascend by (node, dof) with negative nodes first; entries may come in any order.
 * Law      Nodes with negative numbers are made by the solver (hybrid beams, multipliers) and
 *          belong to the equations: they become a class of their own, never dropped. A support that
 *          is kept in the matrix shows as about 1e36 on its diagonal: class fixed.
 * Threads  long files are read in pieces (text/pieces.h), each with numbers of its own for its
 *          labels, which then become those of all
 * Source   measured on exports; the header "** Assembled operator ..." of newer versions is a check
 */
#include "memory.h"
#include "text/keys.h"
#include "text/lines.h"
#include "reader.h"
#include "text/pieces.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

enum { COMPONENTS = 64 }; /* Abaqus counts dofs to 30 */
#define NODE_MAX (INT64_C(1) << 40)
#define SUPPORT  1e35

/* ---- labels ---------------------------------------------------------------------------- */

/* Labels in ascending order, and where each number of k goes. */
static fb_status sort_labels(const fb_keys *k, fb_labels *row, int32_t **place, fb_err *e)
{
    fb_ranked *r = NULL;
    fb_status s = FB_OK;
    FB_TRY(fb_new(place, k->n, sizeof **place, "dof labels", e));
    FB_TRY(fb_labels_new(row, k->n, 1, e));
    FB_TRY(fb_ranked_new(&r, k->key, NULL, k->n, e));
    for (int64_t q = 0; q < k->n; q++) {
        const int64_t key = r[q].node, component = (key % COMPONENTS + COMPONENTS) % COMPONENTS;
        (*place)[r[q].at] = (int32_t)q;
        row->component[q] = component;
        row->node[q] = (key - component) / COMPONENTS;
        row->class[q] = row->node[q] < 0 ? FB_DOF_INTERNAL : FB_DOF_PHYSICAL;
    }
out:
    free(r);
    return s;
}

/* ---- lines ----------------------------------------------------------------------------- */

/* What a line "** Assembled operator" says. */
typedef struct {
    int there;
    fb_role role;
    char name[64];
    int64_t order, stored; /* -1: it does not say */
    int general;
} head;

typedef struct { /* a piece of the file */
    fb_piece *p;
    fb_keys k; /* COMPONENTS * node + component */
    head head; /* the last one in it */
    int64_t lines;
} state;

/* A label "node,dof" and the separator behind it; p stands on the node. */
static inline const char *scan_label(const char *p, const char *end, int64_t *key)
{
    int64_t node, component;
    p = fb_scan_index(p, end, &node);
    if (!p || node > NODE_MAX || node < -NODE_MAX || !(p = fb_skip_separator(p, end)))
        return NULL;
    if (end - p > 1 && (unsigned char)(p[0] - '0') <= 9 && (unsigned char)(p[1] - '0') > 9)
        component = *p++ - '0'; /* nearly always one digit */
    else if (!(p = fb_scan_index(p, end, &component)) || component < 0 || component >= COMPONENTS)
        return NULL;
    *key = COMPONENTS * node + component;
    return fb_skip_separator(p, end);
}

static const char *scan_value(const char *p, const char *end, double *x)
{
    p = p ? fb_scan_real(p, end, x) : NULL;
    if (!p)
        return NULL;
    const char *q = fb_skip_blanks(p, end); /* some writers end the line with a comma */
    p = q < end && *q == ',' ? q + 1 : q;
    return fb_at_line_end(p, end) ? p : NULL;
}

/* "** Assembled operator Stiffness - 168 by 168, entries 2400, unsymmetric" */
static void header(head *h, const char *p, const char *end)
{
    static const struct {
        const char *word;
        fb_role role;
    } what[] = {
        {"Stiffness", FB_ROLE_STIFFNESS},
        {"Mass", FB_ROLE_MASS},
        {"Viscous", FB_ROLE_DAMPING},
        {"Structural", FB_ROLE_STRUCTURAL_DAMPING},
    };
    const char *name = p + strlen("** Assembled operator ");
    if (!fb_starts(p, end, "** Assembled operator "))
        return;
    const char *dash = name;
    while (dash + 3 <= end && memcmp(dash, " - ", 3))
        dash++;
    if (dash + 3 > end)
        return;
    *h = (head){.there = 1, .role = FB_ROLE_OTHER, .order = -1, .stored = -1};
    snprintf(h->name, sizeof h->name, "%.*s", (int)(dash - name < 60 ? dash - name : 60), name);
    for (size_t k = 0; k < sizeof what / sizeof *what; k++)
        if (fb_starts(name, end, what[k].word))
            h->role = what[k].role;
    int64_t rows, cols, stored;
    const char *q = fb_scan_int(dash + 3, end, &rows);
    if (!q || !fb_starts(q, end, " by ") || !(q = fb_scan_int(q + 4, end, &cols)) ||
        !fb_starts(q, end, ", entries ") || !(q = fb_scan_int(q + 10, end, &stored)))
        return;
    h->order = rows;
    h->stored = stored;
    h->general = fb_starts(q, end, ", unsymmetric");
}

/* The label of the line before that this one is likely to repeat, as it is written: lists run by
 * columns or by rows, and comparing bytes is quicker than reading numbers. */
typedef struct {
    uint64_t text[2],
        mask[2]; /* its bytes, and 0xff for each; none of a label longer than 16 bytes */
    int64_t n;   /* 0: none yet, or longer */
    int32_t number;
    int first;     /* it is the first of its line: the list runs by rows */
    int64_t lead;  /* the first label of the line that was read in full last */
    int32_t other; /* the other label of the line before: the next one is guessed from it */
} repeated;

/* Behind the label and its separator where the bytes at p repeat it, else NULL. */
static inline const char *scan_repeated(const repeated *r, const char *p, const char *end)
{
    uint64_t t[2];
    if (!r->n || end - p < (ptrdiff_t)sizeof t)
        return NULL;
    memcpy(t, p, sizeof t);
    if (((t[0] ^ r->text[0]) & r->mask[0]) | ((t[1] ^ r->text[1]) & r->mask[1]))
        return NULL;
    p = fb_skip_blanks(p + r->n, end);
    return p < end && *p != ',' ? p : NULL;
}

/* Keeps the label at `text`; `behind` is where the next field begins. At least one byte of the
 * separator belongs to it, so that the digits cannot go on. */
static void keep(repeated *r, const char *text, const char *behind, int32_t number)
{
    while (behind[-1] == ' ' || behind[-1] == '\t')
        behind--;
    size_t n = (size_t)(behind - text) + (behind[-1] != ',');
    r->number = number;
    r->n = 0;
    if (n > sizeof r->text)
        return;
    r->n = (int64_t)n;
    memset(r->text, 0, sizeof r->text);
    memset(r->mask, 0, sizeof r->mask);
    memcpy(r->text, text, n);
    memset(r->mask, 0xff, n);
}

/* "node,d, " with one digit of component, and the byte where the next field begins; NULL for any
 * other look, and near the end. */
static inline const char *scan_short_label(const char *p, const char *end, int64_t *key)
{
    int64_t node;
    if (end - p < 32 || !(p = fb_scan_index(p, end, &node)))
        return NULL;
    if ((uint64_t)node > NODE_MAX || *p != ',')
        return NULL;
    p = fb_skip_blanks(p + 1, end);
    if (end - p < 2 || (unsigned char)(p[0] - '0') > 9 || p[1] != ',')
        return NULL;
    *key = COMPONENTS * node + (p[0] - '0');
    return fb_skip_blanks(p + 2, end);
}

/* The usual line, "node,d, node,d, value" with one label of the line before, and the other one;
 * NULL for any other, and near the end. */
static inline const char *scan_usual(const repeated *r, const char *p, const char *end,
                                     int64_t *other, double *x)
{
    if (r->first) {
        p = scan_repeated(r, p, end);
        p = p ? scan_short_label(p, end, other) : NULL;
    } else {
        p = scan_short_label(p, end, other);
        p = p ? scan_repeated(r, p, end) : NULL;
    }
    p = p ? fb_scan_real(p, end, x) : NULL;
    return p && fb_at_line_end(p, end) ? p : NULL;
}

/* Any line. */
static fb_status scan_entry(state *st, repeated *r, int32_t *i, int32_t *j, double *x, fb_err *e)
{
    fb_lines *l = &st->p->l;
    int64_t row = 0, column = 0;
    const char *end = l->end, *second = scan_label(l->p, end, &row);
    const char *value = second ? scan_label(second, end, &column) : NULL;
    const char *p = scan_value(value, end, x);
    if (!p || !value)
        return fb_line_fail(e, l, l->p, "'node,dof, node,dof, value' is wanted");
    FB_PASS(fb_keys_number(&st->k, row, i, e));
    FB_PASS(fb_keys_number(&st->k, column, j, e));
    r->first = r->lead == row;
    r->lead = row;
    r->other = r->first ? *j : *i;
    if (r->first)
        keep(r, l->p, second, *i);
    else
        keep(r, second, value, *j);
    l->p = p;
    return FB_OK;
}

static inline fb_status entry(state *st, repeated *r, fb_err *e)
{
    fb_lines *l = &st->p->l;
    int64_t other = 0;
    int32_t i = 0, j = 0;
    double x = 0;
    const char *p = scan_usual(r, l->p, l->end, &other, &x);
    if (p) {
        l->p = p;
        FB_PASS(fb_keys_behind(&st->k, r->other, other, &r->other, e));
        i = r->first ? r->number : r->other;
        j = r->first ? r->other : r->number;
    } else {
        FB_PASS(scan_entry(st, r, &i, &j, &x, e));
    }
    FB_PASS(fb_triples_add(&st->p->t, i, j, x, e));
    st->lines++;
    return FB_OK;
}

/* fb_next_line, quick where the next line follows at once and begins with a digit. */
static inline int next_line(fb_lines *l)
{
    if (l->end - l->p > 1 && l->p[0] == '\n' && (unsigned char)(l->p[1] - '0') <= 9) {
        l->p++;
        return 1;
    }
    return fb_next_line(l);
}

static fb_status entries(fb_piece *piece, fb_err *e)
{
    state *st = piece->own;
    fb_lines *l = &piece->l;
    repeated r = {.lead = INT64_MAX};
    while (next_line(l)) {
        if (*l->p == '*' && l->end - l->p > 1 && l->p[1] == '*') {
            header(&st->head, l->p, fb_line_end(l->p, l->end));
            fb_end_line(l);
            continue;
        }
        fb_meter_at(&piece->meter, l->p);
        FB_PASS(entry(st, &r, e));
    }
    return FB_OK;
}

/* The counts of the header, where there is one. */
static fb_status check_counts(const head *h, int64_t lines, int64_t rows, fb_err *e)
{
    if (h->stored < 0)
        return FB_OK;
    if (lines < h->stored)
        return fb_fail(e, FB_EFORMAT,
                       "the header announces %lld entries, %lld are here: was the file cut?",
                       (long long)h->stored, (long long)lines);
    if (lines > h->stored || rows > h->order)
        return fb_fail(
            e, FB_EFORMAT,
            "the header announces %lld entries and %lld rows, %lld entries and %lld rows are here",
            (long long)h->stored, (long long)h->order, (long long)lines, (long long)rows);
    return FB_OK;
}

/* Supports stay in the matrix with about 1e36 on the diagonal. */
static void mark_supports(fb_matrix *m, fb_log *log)
{
    int64_t found = 0;
    for (int64_t k = 0; k < m->A.n; k++)
        for (int64_t q = m->A.p[k]; q < m->A.p[k + 1]; q++)
            if (m->A.i[q] == k && fabs(m->A.x[q]) >= SUPPORT) {
                m->row.class[k] = FB_DOF_FIXED;
                found++;
            }
    if (found)
        fb_note(log, "%s: %lld dofs with a support (1e36 on the diagonal)", m->origin,
                (long long)found);
}

/* What the pieces say becomes that of the first: header, labels, number of lines. place[k] [.] is
 * where each label of piece k goes among all, ascending ones. */
static fb_status unite(state *st, int pieces, fb_labels *row, int32_t **place, fb_err *e)
{
    int32_t *to = NULL;
    fb_status s = FB_OK;
    for (int k = 1; k < pieces; k++) {
        const fb_keys *own = &st[k].k;
        st->lines += st[k].lines;
        if (st[k].head.there)
            st->head = st[k].head;
        FB_TRY(fb_new(place + k, own->n, sizeof **place, "dof labels", e));
        for (int64_t q = 0; q < own->n; q++)
            FB_TRY(fb_keys_number(&st->k, own->key[q], place[k] + q, e));
    }
    if (!st->lines)
        FB_TRY(fb_fail(e, FB_EFORMAT, "no entries"));
    FB_TRY(check_counts(&st->head, st->lines, st->k.n, e));
    FB_TRY(sort_labels(&st->k, row, &to, e));
    for (int k = 1; k < pieces; k++)
        for (int64_t q = 0; q < st[k].k.n; q++)
            place[k][q] = to[place[k][q]];
    place[0] = to;
    to = NULL;
out:
    free(to);
    return s;
}

static fb_status matrix_of(state *st, int pieces, const fb_input *in, fb_parts *p, fb_log *log,
                           fb_err *e)
{
    int32_t *place[FB_PIECES] = {NULL};
    fb_labels row = {NULL, NULL, NULL};
    int64_t internal = 0;
    fb_halves found = FB_ONE_HALF;
    fb_matrix *m = NULL;
    const head *h = &st->head;
    fb_status s = FB_OK;
    FB_TRY(fb_pieces_read(st->p, pieces, entries, e));
    FB_TRY(unite(st, pieces, &row, place, e));
    FB_TRY(fb_parts_matrix(p, h->name[0] ? h->name : fb_base_name(in->name), in->name,
                           h->there ? h->role : FB_ROLE_UNKNOWN, &m, e));
    m->row = row;
    row = (fb_labels){NULL, NULL, NULL};
    const int64_t n = st->k.n;
    for (int k = 0; k < pieces; k++)
        fb_keys_free(&st[k].k);
    FB_TRY(fb_pieces_join(st->p, pieces, place, e));
    FB_TRY(fb_triples_matrix(&st->p->t, n, h->general, &m->row, &m->A, &found, log, e));
    m->hint = fb_role_of_file(in->name);
    m->every_row = 1;
    mark_supports(m, log);
    while (internal < n && m->row.node[internal] < 0)
        internal++;
    fb_note(log, "%s: order %lld, %lld dofs of internal nodes, %lld entries kept, %s", in->name,
            (long long)n, (long long)internal, (long long)m->A.p[n], fb_halves_text[found]);
out:
    for (int k = 0; k < pieces; k++)
        free(place[k]);
    fb_labels_free(&row);
    return s;
}

static fb_status read_entries(const fb_lines *l, const fb_input *in, fb_parts *p, fb_log *log,
                              fb_err *e)
{
    fb_piece piece[FB_PIECES] = {{.own = NULL}};
    state st[FB_PIECES] = {{.p = NULL}};
    const int pieces = fb_pieces_cut(l, in, log, piece);
    for (int k = 0; k < pieces; k++) {
        st[k] = (state){.p = piece + k, .head = {.stored = -1}};
        piece[k].own = st + k;
    }
    const fb_status s = matrix_of(st, pieces, in, p, log, e);
    for (int k = 0; k < pieces; k++)
        fb_keys_free(&st[k].k);
    fb_pieces_free(piece, pieces);
    return s;
}

/* ---- loads ----------------------------------------------------------------------------- */

/* The vector of one *CLOAD block as a matrix of one column; nothing here uses it but --info. */
static fb_status load_block(state *st, const fb_input *in, fb_parts *p, const char *name, fb_err *e)
{
    fb_triples *t = &st->p->t;
    fb_matrix *m = NULL;
    int32_t *place = NULL;
    int64_t *i = NULL, *j = NULL;
    fb_status s = FB_OK;
    FB_TRY(fb_parts_matrix(p, name, in->name, FB_ROLE_OTHER, &m, e));
    FB_TRY(sort_labels(&st->k, &m->row, &place, e));
    FB_TRY(FB_NEW(&i, t->n, e));
    FB_TRY(FB_NEW(&j, t->n, e));
    for (int64_t q = 0; q < t->n; q++)
        i[q] = place[t->place[q] >> 32];
    s = fb_csc_from_triplets(&m->A, st->k.n, 1, t->n, i, j, t->x, 0, e);
out:
    FB_FREE(place, i, j);
    fb_keys_free(&st->k);
    fb_triples_free(t);
    return s;
}

static fb_status load_at(state *st, int64_t key, double x, fb_err *e)
{
    int32_t i = 0;
    FB_PASS(fb_keys_number(&st->k, key, &i, e));
    return fb_triples_add(&st->p->t, i, i, x, e);
}

/* "set,dof, value": each node of the set has the force. */
static fb_status load_of_set(state *st, const fb_parts *p, const char *end, fb_err *e)
{
    fb_lines *l = &st->p->l;
    const char *comma = memchr(l->p, ',', (size_t)(end - l->p)), *q = comma;
    int64_t component = 0;
    double x = 0;
    fb_span name = fb_trim(l->p, comma ? comma : end);
    if (name.end - name.p > 1 && *name.p == '"' && name.end[-1] == '"')
        name = (fb_span){name.p + 1, name.end - 1};
    q = q ? fb_scan_index(fb_skip_blanks(q + 1, end), end, &component) : NULL;
    q = q && component > 0 && component < COMPONENTS ? fb_skip_separator(q, end) : NULL;
    if (!scan_value(q, end, &x) || name.p == name.end)
        return fb_line_fail(e, l, l->p, "'node,dof, value' or 'set,dof, value' is wanted");
    for (int64_t k = p->nset - 1; k >= 0; k--) {
        const fb_set *t = p->set + k;
        if (strlen(t->name) != (size_t)(name.end - name.p) ||
            strncasecmp(t->name, name.p, strlen(t->name)) || t->component)
            continue;
        for (int64_t i = 0; i < t->n; i++)
            FB_PASS(load_at(st, COMPONENTS * t->node[i] + component, x, e));
        return FB_OK;
    }
    return fb_line_fail(e, l, l->p,
                        "a force on a set that is not known: name the deck that has it beside the "
                        "matrices");
}

static fb_status load_blocks(const fb_input *in, state *st, fb_parts *p, fb_err *e)
{
    fb_lines *l = &st->p->l;
    const char *name = NULL;
    int64_t key = 0;
    double x = 0;
    while (fb_next_data(l)) {
        const char *q = l->p, *end = fb_line_end(q, l->end);
        if (*q == '*') {
            if (!fb_starts(q, end, "*CLOAD"))
                return fb_line_fail(e, l, q, "only *CLOAD is wanted in a load matrix");
            if (name)
                FB_PASS(load_block(st, in, p, name, e));
            name = "LOAD";
            for (; q < end; q++)
                if (fb_starts(q, end, "IMAGINARY"))
                    name = "LOAD imaginary";
            fb_end_line(l);
            continue;
        }
        if (!name)
            return fb_line_fail(e, l, l->p, "*CLOAD is wanted before forces");
        if (scan_value(scan_label(q, end, &key), end, &x))
            FB_PASS(load_at(st, key, x, e));
        else
            FB_PASS(load_of_set(st, p, end, e));
        fb_end_line(l);
    }
    if (name)
        return load_block(st, in, p, name, e);
    return FB_OK;
}

static fb_status read_loads(const fb_lines *l, const fb_input *in, fb_parts *p, fb_err *e)
{
    fb_piece all = {.l = *l};
    state st = {.p = &all};
    const fb_status s = load_blocks(in, &st, p, e);
    fb_keys_free(&st.k);
    fb_pieces_free(&all, 1);
    return s;
}

/* ---- file ------------------------------------------------------------------------------ */

static int sniff(const fb_input *in)
{
    fb_lines l = fb_lines_head(in);
    if (!fb_next_data(&l))
        return 0;
    if (*l.p == '*')
        return fb_starts(l.p, l.end, "*CLOAD");
    int64_t row = 0, col = 0;
    double x = 0;
    const char *p = scan_label(l.p, l.end, &row);
    p = p ? scan_label(p, l.end, &col) : NULL;
    const char *q = scan_value(p, l.end, &x);
    return p && q && memchr(p, '.', (size_t)(q - p)) && fb_line_end(l.p, q) == q;
}

static fb_status read_abaqus(const fb_input *in, fb_parts *p, fb_log *log, fb_err *e)
{
    const fb_lines l = fb_lines_of(in);
    fb_lines first = l;
    return fb_next_data(&first) && *first.p == '*' ? read_loads(&l, in, p, e)
                                                   : read_entries(&l, in, p, log, e);
}

const fb_reader fb_reader_abaqus_matrix = {
    .name = "abaqus_matrix",
    .doc = "Abaqus matrix, lines 'node,dof, node,dof, value'",
    .sniff = sniff,
    .read = read_abaqus,
};
