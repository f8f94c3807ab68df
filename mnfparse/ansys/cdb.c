/* SPDX-License-Identifier: GPL-3.0-or-later */
/* cdb.c - Ansys archives (CDWRITE .cdb) and input of Workbench (ds.dat): nodes with their axes,
 * elements, components as sets of nodes.
 *
 * Layout   commands between commas, '!' begins a comment; blocks in the columns that the line
 *          behind the command says, a line of -1 or of letters ends them:
 *          NBLOCK   node, two numbers of the geometry (with SOLID), x y z THXY THYZ THZX; what is
 *                   zero at the end is left out
 *          EBLOCK,19,SOLID  mat, type, real, section, esys, death, solid, shape, nodes, 0, element,
 *                   then the nodes, in further lines where there are more than eight
 *          EBLOCK,10        element, type, real, mat, esys, nodes
 *          CMBLOCK  8I10; -b behind a is a..b
 *          D        node, dof: held
 *          NROTAT, NANG, NORA turn axes of nodes: a warning
 *          The matrices are in the nodes' axes (AE.1)
 * Order    of nodes as in Abaqus' elements; wedges, tetrahedra, ... have nodes that come again
 * Source   Ansys Programmer's Reference, Guide to Interfacing with ANSYS; Mechanical APDL Element
 *          Reference
 */
#include "element.h"
#include "memory.h"
#include "reader.h"
#include "text/fortran.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

enum { WORDS = 20, WORD = 80, FIELDS = 64 };

typedef struct { /* ET: what the number of a type stands for */
    int64_t number;
    char name[24];
} element_type;

typedef struct { /* a component of elements; its nodes are known at the end */
    char name[WORD];
    int64_t *id, n, cap;
} component;

typedef struct {
    fb_lines l;
    fb_parts *p;
    fb_elements elements;
    element_type *type;
    component *component;
    int64_t ntype, cap_type, ncomponent, cap_component;
    const char *turned; /* where a command turns axes of nodes, NULL: none does */
    char turns[WORD];   /* that command */
    int n;              /* words of the command at hand */
    char word[WORDS][WORD];
} deck;

/* ---- commands and columns ----------------------------------------------------------------- */

/* The words of the line, in capitals. */
static void command(deck *d)
{
    const char *p = d->l.p, *end = fb_line_end(p, d->l.end),
               *note = memchr(p, '!', (size_t)(end - p));
    end = note ? note : end;
    for (d->n = 0; d->n < WORDS && p <= end; d->n++) {
        const char *comma = p < end ? memchr(p, ',', (size_t)(end - p)) : NULL;
        const fb_span w = fb_trim(p, comma ? comma : end);
        const int n = fb_shown(w, WORD - 1);
        for (int k = 0; k < n; k++)
            d->word[d->n][k] = (char)fb_upper(w.p[k]);
        d->word[d->n][n] = 0;
        p = comma ? comma + 1 : end + 1;
    }
}

static const char *word(const deck *d, int k)
{
    return k < d->n ? d->word[k] : "";
}

/* Is the text one whole number? */
static int number(const char *text, int64_t *k)
{
    return fb_is_int((fb_span){text, text + strlen(text)}, k);
}

static fb_status next_line(deck *d, const char *what, fb_err *e)
{
    fb_end_line(&d->l);
    return d->l.p < d->l.end ? FB_OK
                             : fb_fail_at(e, &d->l, d->l.p, "the file ends within %s", what);
}

static fb_status columns(deck *d, const char *what, fb_format *f, fb_err *e)
{
    FB_PASS(next_line(d, what, e));
    const fb_span line = fb_trim(d->l.p, fb_line_end(d->l.p, d->l.end));
    return fb_format_read(&d->l, line.p, line.end, 0, f, e);
}

/* Moves on to the next line that is not blank: does the block go on there? Its end is a line of -1,
 * or of a command. */
static int in_block(deck *d)
{
    do
        fb_end_line(&d->l);
    while (d->l.p < d->l.end && fb_at_line_end(d->l.p, d->l.end));
    const char *p = fb_skip_blanks(d->l.p, d->l.end);
    if (p == d->l.end || !strchr("+-0123456789", *p) || !*p)
        return 0;
    return !(d->l.end - p >= 2 && p[0] == '-' && p[1] == '1' && fb_at_line_end(p + 2, d->l.end));
}

/* A block whose end is the end of the file was cut. */
static fb_status closed(const deck *d, const char *block, fb_err *e)
{
    return d->l.p < d->l.end
               ? FB_OK
               : fb_fail_at(e, &d->l, d->l.p, "the file ends within %s: was it cut?", block);
}

/* The count that the command announces, where there is one. */
static int64_t announced(const deck *d, int at)
{
    int64_t n;
    return number(word(d, at), &n) && n > 0 ? n : 0;
}

/* The numbers of the line; how many, -1 where a field is none. */
static int fields(const deck *d, const fb_format *f, double *v, int most)
{
    const char *end = fb_trim_end(d->l.p, fb_line_end(d->l.p, d->l.end));
    int64_t at = 0;
    int n = 0;
    for (; n < most && n < f->n && f->f[n].width; n++) {
        at += f->f[n].skip;
        if (at >= end - d->l.p)
            break;
        const fb_span w = fb_columns((fb_span){d->l.p, end}, at, f->f[n].width);
        v[n] = 0;
        if (w.p < w.end && !fb_edit_real(f->f + n, w.p, w.end, v + n))
            return -1;
        at += f->f[n].width;
    }
    return n;
}

static fb_status whole(const deck *d, const fb_format *f, int64_t *v, int *n, fb_err *e)
{
    double x[FIELDS];
    *n = fields(d, f, x, FIELDS);
    for (int k = 0; k < *n; k++) {
        if (!(fabs(x[k]) < 1e15) || x[k] != floor(x[k]))
            *n = -1;
        else
            v[k] = (int64_t)x[k];
    }
    return *n > 0 ? FB_OK : fb_line_fail(e, &d->l, d->l.p, "whole numbers in columns are wanted");
}

/* ---- nodes -------------------------------------------------------------------------------- */

static fb_status nblock(deck *d, fb_err *e)
{
    fb_format f;
    const int first = !strcmp(word(d, 2), "SOLID") ? 3 : 1;
    const int64_t had = d->p->nn, wanted = announced(d, 4);
    double v[FIELDS], F[9];
    FB_PASS(columns(d, "NBLOCK", &f, e));
    while (in_block(d)) {
        memset(v, 0, sizeof v);
        if (fields(d, &f, v, first + 6) < 1 || !(fabs(v[0]) < 1e15) || v[0] != floor(v[0]))
            return fb_line_fail(e, &d->l, d->l.p, "node, x, y, z in columns are wanted");
        const double *a = v + first + 3;
        const int turned = a[0] != 0 || a[1] != 0 || a[2] != 0;
        if (turned)
            ans_axes(a, F);
        FB_PASS(fb_parts_node(d->p, (int64_t)v[0], v + first, turned ? F : NULL, e));
    }
    const char *behind = fb_skip_blanks(d->l.p, d->l.end);
    if (!wanted)
        return closed(d, "NBLOCK", e);
    if (behind == d->l.end ? d->p->nn - had < wanted : !*behind)
        return fb_fail_at(e, &d->l, d->l.p,
                          "NBLOCK announces %lld nodes, %lld are there: was the file cut?",
                          (long long)wanted, (long long)(d->p->nn - had));
    return FB_OK;
}

/* ---- elements ----------------------------------------------------------------------------- */

static fb_status element(deck *d, int64_t id, int64_t type, const int64_t *node, int n, fb_err *e)
{
    int64_t k = d->ntype;
    char unknown[24];
    while (k > 0 && d->type[k - 1].number != type)
        k--;
    snprintf(unknown, sizeof unknown, "ET %lld", (long long)type);
    return k ? ans_element(&d->elements, id, d->type[k - 1].name, node, n, e)
             : fb_elements_odd(&d->elements, unknown, e);
}

/* With SOLID: eleven numbers before the nodes, the ninth is their count. The end of the file is
 * that of the block where all elements are there that the command announces. */
static fb_status eblock(deck *d, fb_err *e)
{
    fb_format f;
    const int solid = !strcmp(word(d, 2), "SOLID");
    const int64_t wanted = solid ? announced(d, 4) : 0;
    int64_t v[FIELDS], more[FIELDS], count = 0;
    int n, got;
    FB_PASS(columns(d, "EBLOCK", &f, e));
    while (in_block(d)) {
        FB_PASS(whole(d, &f, v, &n, e));
        if (!solid) {
            if (n < 6)
                return fb_line_fail(e, &d->l, d->l.p, "element, type, ..., nodes are wanted");
            FB_PASS(element(d, v[0], v[1], v + 5, n - 5, e));
            continue;
        }
        if (n < 11 || v[8] < 1 || v[8] > FIELDS - 31)
            return fb_line_fail(e, &d->l, d->l.p, "eleven numbers before the nodes are wanted");
        for (; n < 11 + v[8]; n += got) {
            FB_PASS(next_line(d, "EBLOCK", e));
            FB_PASS(whole(d, &f, more, &got, e));
            for (int k = 0; k < got && n + k < FIELDS; k++)
                v[n + k] = more[k];
        }
        FB_PASS(element(d, v[10], v[1], v + 11, (int)v[8], e));
        count++;
    }
    return wanted && count == wanted ? FB_OK : closed(d, "EBLOCK", e);
}

static fb_status add_type(deck *d, int64_t k, const char *name, fb_err *e)
{
    FB_PASS(fb_grow(&d->type, &d->cap_type, d->ntype + 1, sizeof *d->type, e));
    element_type *t = d->type + d->ntype++;
    *t = (element_type){.number = k};
    snprintf(t->name, sizeof t->name, "%.23s", name);
    return FB_OK;
}

static fb_status et(deck *d, fb_err *e)
{
    int64_t k;
    return number(word(d, 1), &k) ? add_type(d, k, word(d, 2), e) : FB_OK; /* else a parameter */
}

/* 2I9, 19A9: number, name, options. */
static fb_status etblock(deck *d, fb_err *e)
{
    FB_PASS(next_line(d, "ETBLOCK", e));
    while (in_block(d)) {
        const fb_span line = {d->l.p, fb_line_end(d->l.p, d->l.end)};
        int64_t v[2];
        char name[24];
        if (!fb_is_int(fb_columns(line, 0, 9), v) || !fb_is_int(fb_columns(line, 9, 9), v + 1))
            return fb_line_fail(e, &d->l, d->l.p, "number and name of a type are wanted");
        snprintf(name, sizeof name, "%lld", (long long)v[1]);
        FB_PASS(add_type(d, v[0], name, e));
    }
    return closed(d, "ETBLOCK", e);
}

/* ---- supports ----------------------------------------------------------------------------- */

/* D,node,label: the matrices may have no row of it. Nodes by component or ALL, and labels that are
 * no motion, are passed over. */
static fb_status support(deck *d, fb_err *e)
{
    static const char *const name[] = {"ALL", "UX", "UY", "UZ", "ROTX", "ROTY", "ROTZ"};
    int64_t node;
    if (!number(word(d, 1), &node) || node < 1 || node > FB_NODE_MAX)
        return FB_OK;
    for (int c = 0; c < (int)(sizeof name / sizeof *name); c++)
        if (!strcmp(word(d, 2), name[c]))
            return fb_labels_add(&d->p->held, &d->p->nheld, &d->p->cap_held, node, c, 0, e);
    return FB_OK;
}

/* NROTAT, NANG, NORA: axes that NBLOCK does not have. */
static fb_status turn(deck *d, fb_err *e)
{
    (void)e;
    if (!d->turned) {
        d->turned = d->l.p;
        memcpy(d->turns, d->word[0], sizeof d->turns);
    }
    return FB_OK;
}

/* ---- components --------------------------------------------------------------------------- */

static fb_status cmblock(deck *d, fb_err *e)
{
    const int nodes = !strcmp(word(d, 2), "NODE"), elements = !strncmp(word(d, 2), "ELEM", 4);
    const int64_t wanted = announced(d, 3);
    component c = {.n = 0};
    fb_format f;
    int64_t items = 0;
    fb_status s = FB_OK;
    snprintf(c.name, sizeof c.name, "%.79s", word(d, 1));
    FB_TRY(columns(d, "CMBLOCK", &f, e));
    while (in_block(d)) {
        int64_t v[FIELDS];
        int n;
        FB_TRY(whole(d, &f, v, &n, e));
        items += n;
        for (int k = 0; k < n && (nodes || elements); k++) {
            const int64_t to = v[k] < 0 ? -v[k] : v[k],
                          from = v[k] < 0 && c.n ? c.id[c.n - 1] + 1 : to;
            if (to - from > 4 * (d->p->nn + d->elements.n) + 1024) /* members of what is there */
                FB_TRY(fb_line_fail(e, &d->l, d->l.p, "%lld members in one range",
                                    (long long)(to - from)));
            FB_TRY(fb_grow(&c.id, &c.cap, c.n + (to < from ? 0 : to - from + 1), 8, e));
            for (int64_t id = from; id <= to; id++)
                c.id[c.n++] = id;
        }
    }
    if (items < wanted)
        FB_TRY(fb_fail_at(e, &d->l, d->l.p,
                          "CMBLOCK %s announces %lld numbers, %lld are there: was the file cut?",
                          c.name, (long long)wanted, (long long)items));
    if (!c.n)
        goto out;
    if (nodes) {
        fb_set *out = NULL;
        FB_TRY(fb_parts_set(d->p, c.name, &out, e));
        out->node = c.id;
        out->n = c.n;
    } else {
        FB_TRY(fb_grow(&d->component, &d->cap_component, d->ncomponent + 1, sizeof c, e));
        d->component[d->ncomponent++] = c;
    }
    c.id = NULL;
out:
    free(c.id);
    return s;
}

static fb_status give_components(deck *d, fb_err *e)
{
    for (int64_t k = 0; k < d->ncomponent; k++) {
        int64_t *node = NULL, n = 0;
        fb_set *out = NULL;
        FB_PASS(
            fb_elements_nodes(&d->elements, d->component[k].id, d->component[k].n, &node, &n, e));
        const fb_status s = n ? fb_parts_set(d->p, d->component[k].name, &out, e) : FB_OK;
        if (s || !n) {
            free(node);
            FB_PASS(s);
            continue;
        }
        out->node = node;
        out->n = n;
    }
    return FB_OK;
}

/* ---- the file ----------------------------------------------------------------------------- */

static fb_status all_commands(deck *d, fb_err *e)
{
    static const struct {
        const char *name;
        fb_status (*read)(deck *d, fb_err *e);
    } known[] = {{"NBLOCK", nblock},   {"EBLOCK", eblock},   {"ET", et},
                 {"ETBLOCK", etblock}, {"CMBLOCK", cmblock}, {"D", support},
                 {"NROTAT", turn},     {"NANG", turn},       {"NORA", turn}};
    while (d->l.p < d->l.end) {
        const char *at = d->l.p;
        command(d);
        for (size_t k = 0; k < sizeof known / sizeof *known; k++)
            if (!strcmp(word(d, 0), known[k].name)) {
                FB_PASS(known[k].read(d, e));
                break;
            }
        if (d->l.p == at) /* blocks stand on the line behind them */
            fb_end_line(&d->l);
    }
    return FB_OK;
}

static void deck_free(deck *d)
{
    for (int64_t k = 0; k < d->ncomponent; k++)
        free(d->component[k].id);
    FB_FREE(d->component, d->type);
    fb_elements_free(&d->elements);
}

static fb_status read_cdb(const fb_input *in, fb_parts *p, fb_log *log, fb_err *e)
{
    deck d = {.l = fb_lines_of(in), .p = p};
    const int64_t nodes = p->nn, elements = p->elements.n, sets = p->nset;
    fb_status s = all_commands(&d, e);
    if (!s && p->nn == nodes)
        s = fb_fail(e, FB_EFORMAT, "no nodes (NBLOCK) in it");
    if (!s)
        s = give_components(&d, e);
    if (!s)
        s = fb_elements_take(&p->elements, &d.elements, e);
    if (!s && d.turned)
        fb_warn(
            log,
            "%s: line %lld: %s turns the axes of nodes, by what stands outside of NBLOCK and is "
            "not read: the .rst of the run, or a .cdb of CDWRITE, has these axes; without "
            "them matrices are taken to be along the global ones",
            in->name, fb_line_number(&d.l, d.turned), d.turns);
    fb_note(log, "%s: %lld nodes, %lld elements, %lld sets", in->name, (long long)(p->nn - nodes),
            (long long)(p->elements.n - elements), (long long)(p->nset - sets));
    deck_free(&d);
    return s;
}

static int sniff(const fb_input *in)
{
    static const char *const words[] = {"NBLOCK,", "/PREP7", "/COM,ANSYS", "ETBLOCK,"};
    for (fb_lines l = fb_lines_head(in); fb_next_line(&l); fb_end_line(&l))
        for (size_t k = 0; k < sizeof words / sizeof *words; k++)
            if (fb_starts(l.p, l.end, words[k]))
                return 1;
    return 0;
}

const fb_reader fb_reader_cdb = {
    .name = "cdb",
    .doc = "Ansys archive .cdb: nodes, elements, components",
    .sniff = sniff,
    .read = read_cdb,
};
