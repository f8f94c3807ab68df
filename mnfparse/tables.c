/* SPDX-License-Identifier: GPL-3.0-or-later */
/* tables.c - node and dof tables as text: numbers separated by commas, semicolons, blanks or tabs, one
 * record a line; '#' begins a comment; a first line of words is a header. */
#include "tables.h"
#include <ctype.h>
#include <string.h>

typedef struct {
    const char *p, *end; /* what is left of the input */
    const char *at, *stop; /* the line */
    long        line;
} lines;

static int space(char c)
{
    return c == ' ' || c == '\t' || c == '\r' || c == ',' || c == ';';
}

static const char *skip(const char *p, const char *end)
{
    while (p < end && space(*p))
        p++;
    return p;
}

/* The next line that is neither empty nor a comment; 0 at the end. */
static int next_line(lines *l)
{
    while (l->p < l->end) {
        const char *nl = memchr(l->p, '\n', (size_t)(l->end - l->p)), *stop = nl ? nl : l->end;
        const char *hash = memchr(l->p, '#', (size_t)(stop - l->p));
        l->at = skip(l->p, stop);
        l->stop = hash ? hash : stop;
        l->p = nl ? nl + 1 : l->end;
        l->line++;
        if (l->at < l->stop)
            return 1;
    }
    return 0;
}

static int is_header(const lines *l)
{
    return isalpha((unsigned char)*l->at) || *l->at == '"';
}

/* An integer, then n reals; NULL where the line is anything else. */
static int record(const lines *l, int64_t *id, double *x, int n)
{
    const char *p = fb_scan_int(l->at, l->stop, id);
    if (!p || (p < l->stop && !space(*p)))
        return 0;
    for (int k = 0; k < n; k++) {
        p = fb_scan_real(skip(p, l->stop), l->stop, x + k);
        if (!p || (p < l->stop && !space(*p)))
            return 0;
    }
    return skip(p, l->stop) == l->stop;
}

static lines begin(const fb_input *in)
{
    const char *p = (const char *)in->data, *end = p + in->size;
    if (in->size >= 3 && !memcmp(p, "\xef\xbb\xbf", 3)) /* byte order mark of spreadsheets */
        p += 3;
    return (lines){.p = p, .end = end};
}

static int first_is(const fb_input *in, int n)
{
    lines l = begin(in);
    int64_t id;
    double x[3];
    if (!next_line(&l))
        return 0;
    if (is_header(&l) && !next_line(&l))
        return 0;
    return record(&l, &id, x, n);
}

int fb_node_table_sniff(const fb_input *in)
{
    return first_is(in, 3);
}

int fb_dof_table_sniff(const fb_input *in)
{
    return first_is(in, 1);
}

fb_status fb_node_table_read(const fb_input *in, fb_parts *p, fb_err *e)
{
    lines l = begin(in);
    for (int first = 1; next_line(&l); first = 0) {
        int64_t id = 0;
        double x[3];
        if (first && is_header(&l))
            continue;
        if (!record(&l, &id, x, 3))
            return fb_fail(e, FB_EFORMAT, "line %ld: a node number and three coordinates are wanted", l.line);
        fb_status s = fb_parts_node(p, id, x, NULL, e);
        if (s)
            return s;
    }
    return FB_OK;
}

fb_status fb_dof_table_read(const fb_input *in, fb_parts *p, fb_err *e)
{
    lines l = begin(in);
    int64_t cap_node = 0, cap_component = 0;
    fb_status s = FB_OK;
    if (p->table.node)
        return fb_fail(e, FB_EUSAGE, "a second dof table: another input has one already");
    for (int first = 1; next_line(&l); first = 0) {
        int64_t id = 0;
        double c = 0;
        if (first && is_header(&l))
            continue;
        if (!record(&l, &id, &c, 1) || c < 0 || c > FB_COMPONENT_MAX || c != (double)(int)c) {
            s = fb_fail(e, FB_EFORMAT, "line %ld: a node number and a component (0..%d) are wanted", l.line, FB_COMPONENT_MAX);
            goto out;
        }
        FB_TRY(fb_grow(&p->table.node, &cap_node, p->ntable + 1, 8, e));
        FB_TRY(fb_grow(&p->table.component, &cap_component, p->ntable + 1, 8, e));
        p->table.node[p->ntable] = id;
        p->table.component[p->ntable++] = (int64_t)c;
    }
out:
    return s;
}
