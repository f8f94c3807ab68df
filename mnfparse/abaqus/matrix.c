/* SPDX-License-Identifier: GPL-3.0-or-later */
/* matrix.c - matrices as lines "node,dof, node,dof, value".
 *
 * Writers  Abaqus *MATRIX OUTPUT, FORMAT=MATRIX INPUT (the default): JOB_STIF1.mtx, JOB_MASS1.mtx,
 *          ... CalculiX *SUBSTRUCTURE MATRIX OUTPUT, OUTPUT FILE=MATRIX, and its .stiff .mass files
 *          JOB_LOAD1.mtx: "*CLOAD, REAL" and lines "node,dof, value"
 * Order    dofs ascend by (node, dof) with negative nodes first; entries may come in any order.
 * Law      Nodes with negative numbers are made by the solver (hybrid beams, multipliers) and
 *          belong to the equations: they become a class of their own, never dropped. A support that
 *          is kept in the matrix shows as about 1e36 on its diagonal: class fixed.
 * Source   measured on exports; the header "** Assembled operator ..." of newer versions is a check
 */
#include "memory.h"
#include "text/keys.h"
#include "text/lines.h"
#include "reader.h"
#include "text/triples.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

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

typedef struct {
    fb_lines l;
    fb_keys k; /* COMPONENTS * node + component */
    fb_triples t;
    fb_role role;
    char name[64];
    int64_t order, stored; /* as the header says, -1 without one */
    int general;
    int64_t lines;
    fb_meter meter;
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
static void header(state *st, const char *p)
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
    const char *end = fb_line_end(p, st->l.end), *name = p + strlen("** Assembled operator ");
    if (!fb_starts(p, end, "** Assembled operator "))
        return;
    const char *dash = name;
    while (dash + 3 <= end && memcmp(dash, " - ", 3))
        dash++;
    if (dash + 3 > end)
        return;
    snprintf(st->name, sizeof st->name, "%.*s", (int)(dash - name < 60 ? dash - name : 60), name);
    st->role = FB_ROLE_OTHER;
    for (size_t k = 0; k < sizeof what / sizeof *what; k++)
        if (fb_starts(name, end, what[k].word))
            st->role = what[k].role;
    int64_t rows, cols, stored;
    const char *q = fb_scan_int(dash + 3, end, &rows);
    if (!q || !fb_starts(q, end, " by ") || !(q = fb_scan_int(q + 4, end, &cols)) ||
        !fb_starts(q, end, ", entries ") || !(q = fb_scan_int(q + 10, end, &stored)))
        return;
    st->order = rows;
    st->stored = stored;
    st->general = fb_starts(q, end, ", unsymmetric");
}

/* The column label of the line before, as it is written: lists run by columns, so that most lines
 * repeat it, and comparing bytes is quicker than reading numbers. */
typedef struct {
    uint64_t text[2],
        mask[2]; /* its bytes, and 0xff for each; none of a label longer than 16 bytes */
    int64_t n;   /* 0: none yet, or longer */
    int32_t number;
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

/* Keeps the label at `text`; `behind` is where the value begins. At least one byte of the separator
 * belongs to it, so that the digits cannot go on. */
static void keep(repeated *r, const char *text, const char *behind, int32_t number)
{
    while (behind[-1] == ' ' || behind[-1] == '\t')
        behind--;
    size_t n = (size_t)(behind - text) + (behind[-1] != ',');
    *r = (repeated){.number = number};
    if (n > sizeof r->text)
        return;
    r->n = (int64_t)n;
    memcpy(r->text, text, n);
    memset(r->mask, 0xff, n);
}

/* The usual line, "node,d, node,d, value" with the column of the line before; NULL for any other,
 * and near the end. */
static inline const char *scan_usual(const repeated *r, const char *p, const char *end,
                                     int64_t *row, double *x)
{
    int64_t node;
    if (end - p < 32 || !(p = fb_scan_index(p, end, &node)))
        return NULL;
    if ((uint64_t)node > NODE_MAX || p[0] != ',' || (unsigned char)(p[1] - '0') > 9 || p[2] != ',')
        return NULL;
    *row = COMPONENTS * node + (p[1] - '0');
    p = scan_repeated(r, fb_skip_blanks(p + 3, end), end);
    p = p ? fb_scan_real(p, end, x) : NULL;
    return p && p < end && *p == '\n' ? p : NULL;
}

/* Any line. */
static fb_status scan_entry(state *st, repeated *r, int64_t *row, double *x, fb_err *e)
{
    int64_t col = 0;
    const char *end = st->l.end, *at = scan_label(st->l.p, end, row);
    const char *again = at ? scan_repeated(r, at, end) : NULL;
    const char *value = again ? again
                        : at  ? scan_label(at, end, &col)
                              : NULL,
               *p = scan_value(value, end, x);
    if (!p || !value)
        return fb_line_fail(e, &st->l, st->l.p, "'node,dof, node,dof, value' is wanted");
    if (!again) {
        int32_t j = 0;
        FB_PASS(fb_keys_number(&st->k, col, &j, e));
        keep(r, at, value, j);
    }
    st->l.p = p;
    return FB_OK;
}

static inline fb_status entry(state *st, repeated *r, int32_t *i, fb_err *e)
{
    int64_t row = 0;
    double x = 0;
    const char *p = scan_usual(r, st->l.p, st->l.end, &row, &x);
    if (p)
        st->l.p = p;
    else
        FB_PASS(scan_entry(st, r, &row, &x, e));
    FB_PASS(fb_keys_behind(&st->k, *i, row, i, e));
    FB_PASS(fb_triples_add(&st->t, *i, r->number, x, e));
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

static fb_status entries(state *st, fb_err *e)
{
    repeated col = {0};
    int32_t i = 0;
    while (next_line(&st->l)) {
        const char *p = st->l.p, *end = st->l.end;
        if (*p == '*' && end - p > 1 && p[1] == '*') {
            header(st, p);
            fb_end_line(&st->l);
            continue;
        }
        fb_meter_at(&st->meter, p);
        FB_PASS(entry(st, &col, &i, e));
    }
    if (!st->lines)
        return fb_fail(e, FB_EFORMAT, "no entries");
    return FB_OK;
}

/* The counts of the header, where there is one. */
static fb_status check_counts(const state *st, fb_err *e)
{
    if (st->stored < 0)
        return FB_OK;
    if (st->lines < st->stored)
        return fb_fail(e, FB_EFORMAT,
                       "the header announces %lld entries, %lld are here: was the file cut?",
                       (long long)st->stored, (long long)st->lines);
    if (st->lines > st->stored || st->k.n > st->order)
        return fb_fail(
            e, FB_EFORMAT,
            "the header announces %lld entries and %lld rows, %lld entries and %lld rows are here",
            (long long)st->stored, (long long)st->order, (long long)st->lines, (long long)st->k.n);
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

static fb_status read_entries(const fb_input *in, state *st, fb_parts *p, fb_log *log, fb_err *e)
{
    int32_t *place = NULL;
    int64_t n = 0, internal = 0;
    fb_halves found = FB_ONE_HALF;
    fb_matrix *m = NULL;
    fb_status s = FB_OK;
    fb_meter_start(&st->meter, log, in, 0, 1);
    FB_TRY(entries(st, e));
    FB_TRY(check_counts(st, e));
    FB_TRY(fb_parts_matrix(p, st->name[0] ? st->name : fb_base_name(in->name), in->name, st->role,
                           &m, e));
    FB_TRY(sort_labels(&st->k, &m->row, &place, e));
    n = st->k.n;
    fb_keys_free(&st->k);
    FB_TRY(fb_triples_matrix(&st->t, n, place, st->general, &m->row, &m->A, &found, log, e));
    m->hint = fb_role_of_file(in->name);
    m->every_row = 1;
    mark_supports(m, log);
    while (internal < n && m->row.node[internal] < 0)
        internal++;
    fb_note(log, "%s: order %lld, %lld dofs of internal nodes, %lld entries kept, %s", in->name,
            (long long)n, (long long)internal, (long long)m->A.p[n], fb_halves_text[found]);
out:
    free(place);
    return s;
}

/* ---- loads ----------------------------------------------------------------------------- */

/* The vector of one *CLOAD block as a matrix of one column; nothing here uses it but --info. */
static fb_status load_block(state *st, const fb_input *in, fb_parts *p, const char *name, fb_err *e)
{
    fb_triples *t = &st->t;
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

static fb_status read_loads(const fb_input *in, state *st, fb_parts *p, fb_err *e)
{
    const char *name = NULL;
    int64_t key = 0;
    int32_t i = 0;
    double x = 0;
    while (fb_next_data(&st->l)) {
        const char *q = st->l.p, *end = fb_line_end(q, st->l.end);
        if (*q == '*') {
            if (!fb_starts(q, end, "*CLOAD"))
                return fb_line_fail(e, &st->l, q, "only *CLOAD is wanted in a load matrix");
            if (name)
                FB_PASS(load_block(st, in, p, name, e));
            name = "LOAD";
            for (; q < end; q++)
                if (fb_starts(q, end, "IMAGINARY"))
                    name = "LOAD imaginary";
            fb_end_line(&st->l);
            continue;
        }
        q = scan_label(q, end, &key);
        q = scan_value(q, end, &x);
        if (!q || !name)
            return fb_line_fail(e, &st->l, st->l.p, "'node,dof, value' is wanted");
        FB_PASS(fb_keys_number(&st->k, key, &i, e));
        FB_PASS(fb_triples_add(&st->t, i, i, x, e));
        fb_end_line(&st->l);
    }
    if (name)
        return load_block(st, in, p, name, e);
    return FB_OK;
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
    state st = {.l = fb_lines_of(in), .order = -1, .stored = -1};
    fb_lines first = st.l;
    fb_status s = fb_next_data(&first) && *first.p == '*' ? read_loads(in, &st, p, e)
                                                          : read_entries(in, &st, p, log, e);
    fb_keys_free(&st.k);
    fb_triples_free(&st.t);
    return s;
}

const fb_reader fb_reader_abaqus_matrix = {
    .name = "abaqus_matrix",
    .doc = "Abaqus matrix, lines 'node,dof, node,dof, value'",
    .sniff = sniff,
    .read = read_abaqus,
};
