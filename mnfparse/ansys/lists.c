/* SPDX-License-Identifier: GPL-3.0-or-later */
/* lists.c - what names the rows of Ansys matrices, and node lists.
 *
 * .mapping      beside HBMAT: "Matrix Eqn  Node  DOF", then "equation node UX" from 1 on
 * node vector   *EXPORT,...,MMF of an integer vector: the node of each block of 3 or 6 rows
 * node list     exported from Mechanical: a header line in the language of the program, then number
 *               and three coordinates between tabs; the decimal sign may be a comma
 * The matrices themselves are Harwell-Boeing (HBMAT) and Matrix Market (MMF) files.
 */
#include "memory.h"
#include "text/lines.h"
#include "reader.h"
#include <stdlib.h>

static fb_status no_table_yet(const fb_parts *p, fb_err *e)
{
    return p->ntable ? fb_fail(e, FB_EUSAGE, "a second dof table") : FB_OK;
}

/* ---- .mapping -------------------------------------------------------------------------- */

static int sniff_mapping(const fb_input *in)
{
    fb_lines l = fb_lines_of(in);
    if (!fb_next_line(&l) || !fb_starts(l.p, l.end, "MATRIX"))
        return 0;
    return fb_starts(fb_skip_blanks(l.p + 6, l.end), l.end, "EQN");
}

/* 1..6, or Abaqus' numbers for what is not a displacement; 0: not known. */
static int64_t component_of(const char *p, const char *end)
{
    static const struct {
        const char *name;
        int component;
    } dof[] = {
        {"ROTX", 4}, {"ROTY", 5}, {"ROTZ", 6}, {"UX", 1},    {"UY", 2},
        {"UZ", 3},   {"WARP", 7}, {"PRES", 8}, {"TEMP", 11},
    };
    for (size_t k = 0; k < sizeof dof / sizeof *dof; k++)
        if (fb_starts(p, end, dof[k].name) && fb_at_line_end(p + strlen(dof[k].name), end))
            return dof[k].component;
    return 0;
}

static fb_status equation(fb_lines *l, fb_labels *t, int64_t n, fb_err *e)
{
    int64_t eqn, node;
    const char *p = fb_scan_index(l->p, l->end, &eqn), *end = fb_line_end(l->p, l->end);
    p = p ? fb_skip_separator(p, end) : NULL;
    p = p ? fb_scan_index(p, end, &node) : NULL;
    p = p ? fb_skip_separator(p, end) : NULL;
    if (!p)
        return fb_line_fail(e, l, l->p, "'equation node dof' is wanted");
    if (eqn < 1 || eqn > n)
        return fb_line_fail(e, l, l->p, "equation %lld: the file has %lld lines", (long long)eqn,
                            (long long)n);
    if (t->component[eqn - 1])
        return fb_line_fail(e, l, l->p, "equation %lld comes twice", (long long)eqn);
    int64_t c = component_of(p, end);
    if (!c)
        return fb_line_fail(e, l, p,
                            "UX UY UZ ROTX ROTY ROTZ (or WARP PRES TEMP) is wanted as dof");
    t->node[eqn - 1] = node;
    t->component[eqn - 1] = c;
    return FB_OK;
}

static fb_status read_mapping(const fb_input *in, fb_parts *p, fb_log *log, fb_err *e)
{
    fb_lines l = fb_lines_of(in), first;
    int64_t n = 0;
    FB_PASS(no_table_yet(p, e));
    (void)fb_next_line(&l);
    fb_end_line(&l);
    for (first = l; fb_next_line(&l); fb_end_line(&l))
        n++;
    if (!n)
        return fb_fail(e, FB_EFORMAT, "no equations");
    FB_PASS(fb_labels_new(&p->table, n, 0, e));
    for (l = first; fb_next_line(&l); fb_end_line(&l))
        FB_PASS(equation(&l, &p->table, n, e));
    fb_note(log, "%s: %lld equations", in->name, (long long)n);
    p->ntable = n;
    return FB_OK;
}

const fb_reader fb_reader_ansys_mapping = {
    .name = "ansys_mapping",
    .doc = "Ansys dof table beside HBMAT, .mapping",
    .sniff = sniff_mapping,
    .read = read_mapping,
};

/* ---- node vector ----------------------------------------------------------------------- */

/* To the size line; 1 if the banner, the creator and the size are those of such a vector. */
static int vector_size(fb_lines *l, int64_t *n)
{
    int ansys = 0;
    int64_t one = 0;
    if (!fb_next_line(l) || !fb_starts(l->p, l->end, "%%MatrixMarket matrix array integer general"))
        return 0;
    for (fb_end_line(l); fb_next_line(l) && *l->p == '%'; fb_end_line(l))
        ansys |= fb_starts(l->p, l->end, "% Creator: ANSYS");
    const char *p = fb_scan_int(l->p, l->end, n);
    p = p ? fb_skip_separator(p, l->end) : NULL;
    p = p ? fb_scan_int(p, l->end, &one) : NULL;
    return ansys && p && one == 1 && *n > 0 && fb_at_line_end(p, l->end);
}

static int sniff_vector(const fb_input *in)
{
    fb_lines l = fb_lines_head(in);
    int64_t n;
    return vector_size(&l, &n);
}

static fb_status read_vector(const fb_input *in, fb_parts *p, fb_log *log, fb_err *e)
{
    fb_lines l = fb_lines_of(in);
    int64_t n = 0, k = 0;
    FB_PASS(no_table_yet(p, e));
    if (!vector_size(&l, &n) || n > (l.end - l.p) / 2)
        return fb_fail(e, FB_EFORMAT,
                       "an integer vector in Matrix Market form is wanted: was the file cut?");
    FB_PASS(fb_labels_new(&p->table, n, 0, e));
    for (fb_end_line(&l); fb_next_line(&l); fb_end_line(&l)) {
        const char *q = k < n ? fb_scan_index(l.p, l.end, p->table.node + k) : NULL;
        if (!q || !fb_at_line_end(q, l.end) || p->table.node[k] < 1)
            return fb_line_fail(e, &l, l.p, "one of %lld node numbers is wanted", (long long)n);
        k++;
    }
    if (k < n)
        return fb_fail(e, FB_EFORMAT, "%lld nodes announced, %lld found: was the file cut?",
                       (long long)n, (long long)k);
    fb_note(log, "%s: %lld nodes", in->name, (long long)n);
    p->ntable = n;
    p->table_blocks = 1;
    return FB_OK;
}

const fb_reader fb_reader_ansys_vector = {
    .name = "ansys_vector",
    .doc = "Ansys *EXPORT MMF of the node vector",
    .sniff = sniff_vector,
    .read = read_vector,
};

/* ---- node list ------------------------------------------------------------------------- */

/* A real up to a tab or the end of the line, with a point or a comma. */
static const char *scan_decimal(const char *p, const char *end, double *x)
{
    char text[48] = "";
    size_t n = 0;
    while (p < end && *p == ' ')
        p++;
    for (; p < end && n < sizeof text && *p != '\t' && *p != '\r' && *p != '\n'; p++)
        text[n++] = *p == ',' ? '.' : *p;
    while (n && text[n - 1] == ' ')
        n--;
    return n < sizeof text && fb_scan_real(text, text + n, x) == text + n ? p : NULL;
}

/* "number TAB x TAB y TAB z [TAB]" */
static const char *scan_node(const char *p, const char *end, int64_t *id, double x[3])
{
    p = fb_scan_index(fb_skip_blanks(p, end), end, id);
    for (int k = 0; p && k < 3; k++) {
        if (p == end || *p != '\t')
            return NULL;
        p = scan_decimal(p + 1, end, x + k);
    }
    return p && fb_at_line_end(p, end) ? p : NULL;
}

static int sniff_nodes(const fb_input *in)
{
    fb_lines l = fb_lines_head(in);
    int64_t id;
    double x[3];
    if (!fb_next_line(&l))
        return 0;
    if (*l.p < '0' || *l.p > '9') {
        if (!memchr(l.p, '\t', (size_t)(fb_line_end(l.p, l.end) - l.p)))
            return 0;
        fb_end_line(&l);
    }
    return fb_next_line(&l) && scan_node(l.p, l.end, &id, x) != NULL;
}

static fb_status read_nodes(const fb_input *in, fb_parts *p, fb_log *log, fb_err *e)
{
    fb_lines l = fb_lines_of(in);
    int64_t id, had = p->nn;
    double x[3];
    if (fb_next_line(&l) && (*l.p < '0' || *l.p > '9'))
        fb_end_line(&l);
    const char *body = l.p;
    for (; fb_next_line(&l); fb_end_line(&l)) {
        if (!scan_node(l.p, l.end, &id, x))
            return fb_line_fail(e, &l, l.p,
                                "a node number and three coordinates between tabs are wanted");
        FB_PASS(fb_parts_node(p, id, x, NULL, e));
    }
    FB_PASS(fb_parts_title(p, had, l.begin, body, e));
    fb_note(log, "%s: %lld nodes", in->name, (long long)(p->nn - had));
    return FB_OK;
}

const fb_reader fb_reader_ansys_nodes = {
    .name = "ansys_nodes",
    .doc = "Ansys node list between tabs (decimal commas too)",
    .sniff = sniff_nodes,
    .read = read_nodes,
};
