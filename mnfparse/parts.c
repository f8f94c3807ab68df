/* SPDX-License-Identifier: GPL-3.0-or-later */
/* parts.c - the lists that readers fill. */
#include "memory.h"
#include "number.h"
#include "parts.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

/* ---- labels ----------------------------------------------------------------------------- */

void fb_labels_free(fb_labels *l)
{
    FB_FREE(l->node, l->component, l->class);
    *l = (fb_labels){0};
}

fb_status fb_labels_new(fb_labels *l, int64_t n, int with_class, fb_err *e)
{
    FB_PASS(fb_new(&l->node, n, sizeof *l->node, "dof labels", e));
    FB_PASS(fb_new(&l->component, n, sizeof *l->component, "dof labels", e));
    return with_class ? fb_new(&l->class, n, sizeof *l->class, "dof labels", e) : FB_OK;
}

fb_status fb_labels_copy(fb_labels *to, const fb_labels *from, int64_t n, fb_err *e)
{
    const size_t bytes = (size_t)n * sizeof *to->node;
    FB_PASS(fb_labels_new(to, n, from->class != NULL, e));
    memcpy(to->node, from->node, bytes);
    memcpy(to->component, from->component, bytes);
    if (from->class)
        memcpy(to->class, from->class, bytes);
    return FB_OK;
}

fb_status fb_labels_add(fb_labels *l, int64_t *n, int64_t *cap, int64_t node, int64_t component,
                        int64_t class, fb_err *e)
{
    int64_t have[3] = {*cap, *cap, *cap};
    FB_PASS(fb_grow(&l->node, have, *n + 1, sizeof *l->node, e));
    FB_PASS(fb_grow(&l->component, have + 1, *n + 1, sizeof *l->component, e));
    FB_PASS(fb_grow(&l->class, have + 2, *n + 1, sizeof *l->class, e));
    *cap = have[0];
    l->node[*n] = node;
    l->component[*n] = component;
    l->class[(*n)++] = class;
    return FB_OK;
}

static int by_label(const void *a, const void *b)
{
    const fb_ranked *x = a, *y = b;
    if (x->node != y->node)
        return x->node < y->node ? -1 : 1;
    if (x->component != y->component)
        return x->component < y->component ? -1 : 1;
    return x->at < y->at ? -1 : x->at > y->at;
}

fb_status fb_ranked_new(fb_ranked **out, const int64_t *node, const int64_t *component, int64_t n,
                        fb_err *e)
{
    int sorted = 1;
    FB_PASS(fb_new(out, n, sizeof **out, "dof labels", e));
    for (int64_t k = 0; k < n; k++) {
        (*out)[k] = (fb_ranked){node[k], component ? component[k] : 0, k};
        sorted = sorted && (!k || by_label(*out + k - 1, *out + k) < 0);
    }
    if (!sorted)
        qsort(*out, (size_t)n, sizeof **out, by_label);
    return FB_OK;
}

int64_t fb_ranked_find(const fb_ranked *r, int64_t n, int64_t node, int64_t component)
{
    int64_t lo = 0, hi = n;
    while (lo < hi) {
        const int64_t mid = lo + (hi - lo) / 2;
        if (r[mid].node < node || (r[mid].node == node && r[mid].component < component))
            lo = mid + 1;
        else
            hi = mid;
    }
    return lo < n && r[lo].node == node && r[lo].component == component ? r[lo].at : -1;
}

/* ---- lists ------------------------------------------------------------------------------ */

void fb_modes_free(fb_modes *x)
{
    FB_FREE(x->mode, x->node, x->v);
    *x = (fb_modes){0};
}

void fb_parts_free(fb_parts *p)
{
    for (int64_t k = 0; k < p->nmatrix; k++) {
        fb_csc_free(&p->matrix[k].A);
        free(p->matrix[k].imag);
        FB_FREE_BY(fb_labels_free, &p->matrix[k].row, &p->matrix[k].col);
    }
    for (int64_t k = 0; k < p->nset; k++)
        FB_FREE(p->set[k].node, p->set[k].component);
    for (int64_t k = 0; k < p->norder; k++)
        fb_labels_free(&p->order[k].dof);
    FB_FREE(p->matrix, p->set, p->order, p->node_id, p->xyz, p->frame, p->list);
    FB_FREE_BY(fb_labels_free, &p->table, &p->held, &p->tied);
    FB_FREE(p->rot, p->stack, p->line.node, p->plane.node, p->scalar.node);
    FB_FREE_BY(fb_labels_free, &p->equations.slave, &p->equations.term);
    FB_FREE(p->equations.last, p->equations.a);
    fb_elements_free(&p->elements);
    for (int k = 0; k < FB_NRESULT; k++)
        fb_modes_free(p->result + k);
    free(p->given);
    fb_model_free(&p->body);
    *p = (fb_parts){0};
}

fb_model *fb_parts_body(fb_parts *p, const char *format)
{
    fb_model_free(&p->body);
    fb_units_unnamed(&p->body.units);
    snprintf(p->body.format, sizeof p->body.format, "%s", format);
    return &p->body;
}

fb_status fb_model_diagonal(fb_model *b, fb_err *e)
{
    const int64_t m = b->nr = b->nm;
    FB_PASS(fb_new(&b->Kr, m * m, 8, "generalized stiffness", e));
    FB_PASS(fb_new(&b->Mr, m * m, 8, "generalized mass", e));
    FB_PASS(fb_new(&b->kind, m, 8, "kinds", e));
    for (int64_t k = 0; k < m; k++) {
        b->kind[k] = FB_KIND_EIGEN;
        b->Kr[k * m + k] = b->eigen[5 * k + 4];
        b->Mr[k * m + k] = b->eigen[5 * k + 3];
    }
    return FB_OK;
}

fb_status fb_parts_matrix(fb_parts *p, const char *name, const char *origin, fb_role role,
                          fb_matrix **out, fb_err *e)
{
    FB_PASS(fb_grow(&p->matrix, &p->cap_matrix, p->nmatrix + 1, sizeof *p->matrix, e));
    fb_matrix *m = p->matrix + p->nmatrix++;
    *m = (fb_matrix){.role = role};
    snprintf(m->name, sizeof m->name, "%.79s", name);
    snprintf(m->origin, sizeof m->origin, "%.255s", origin);
    *out = m;
    return FB_OK;
}

fb_status fb_parts_set(fb_parts *p, const char *name, fb_set **out, fb_err *e)
{
    FB_PASS(fb_grow(&p->set, &p->cap_set, p->nset + 1, sizeof *p->set, e));
    fb_set *t = p->set + p->nset++;
    *t = (fb_set){0};
    snprintf(t->name, sizeof t->name, "%.79s", name);
    *out = t;
    return FB_OK;
}

fb_status fb_parts_equation(fb_parts *p, int64_t node, int64_t component, const int64_t *term_node,
                            const int64_t *term_component, const double *a, int64_t n, fb_err *e)
{
    fb_equations *q = &p->equations;
    FB_PASS(fb_grow(&q->last, &q->cap_first, q->n + 1, sizeof *q->last, e));
    FB_PASS(fb_grow(&q->a, &q->cap_a, q->nterm + n, sizeof *q->a, e));
    for (int64_t k = 0; k < n; k++) {
        q->a[q->nterm] = a[k];
        FB_PASS(fb_labels_add(&q->term, &q->nterm, &q->cap_term, term_node[k], term_component[k], 0,
                              e));
    }
    q->last[q->n] = q->nterm;
    return fb_labels_add(&q->slave, &q->n, &q->cap_n, node, component, 0, e);
}

fb_status fb_parts_order(fb_parts *p, const char *name, const char *origin, int rank,
                         fb_row_order **out, fb_err *e)
{
    FB_PASS(fb_grow(&p->order, &p->cap_order, p->norder + 1, sizeof *p->order, e));
    fb_row_order *t = p->order + p->norder++;
    *t = (fb_row_order){.rank = rank};
    snprintf(t->name, sizeof t->name, "%.79s", name);
    snprintf(t->origin, sizeof t->origin, "%.255s", origin);
    *out = t;
    return FB_OK;
}

fb_status fb_parts_node(fb_parts *p, int64_t id, const double xyz[3], const double *frame,
                        fb_err *e)
{
    static const double basic[9] = {1, 0, 0, 0, 1, 0, 0, 0, 1};
    if (id == 0 || id > FB_NODE_MAX || id < -FB_NODE_MAX)
        return fb_fail(e, FB_EFORMAT,
                       "node %lld at (%g, %g, %g): the numbers of nodes count from 1 and have 15 "
                       "digits at the most; renumber the model",
                       (long long)id, xyz[0], xyz[1], xyz[2]);
    FB_PASS(fb_grow(&p->node_id, &p->cap_node, p->nn + 1, sizeof *p->node_id, e));
    FB_PASS(fb_grow(&p->xyz, &p->cap_xyz, 3 * (p->nn + 1), sizeof *p->xyz, e));
    if (frame || p->frame) {
        int64_t had = p->frame ? p->nn : 0;
        FB_PASS(fb_grow(&p->frame, &p->cap_frame, 9 * (p->nn + 1), sizeof *p->frame, e));
        for (int64_t k = had; k < p->nn; k++)
            memcpy(p->frame + 9 * k, basic, sizeof basic);
        memcpy(p->frame + 9 * p->nn, frame ? frame : basic, sizeof basic);
    }
    p->node_id[p->nn] = id;
    memcpy(p->xyz + 3 * p->nn, xyz, 3 * sizeof *xyz);
    p->nn++;
    return FB_OK;
}

/* ---- names ------------------------------------------------------------------------------ */

const char *fb_base_name(const char *path)
{
    const char *p = strrchr(path, '/');
    return p ? p + 1 : path;
}

int fb_matrix_called(const fb_matrix *m, const char *name, int64_t *seen)
{
    const char *mark = strrchr(name, '#'), *end = name + strlen(name);
    int64_t nth = 0;
    if (!mark || mark == name || fb_scan_int(mark + 1, end, &nth) != end) {
        mark = end;
        nth = 0;
    }
    const size_t n = (size_t)(mark - name);
    if (strlen(m->name) != n || strncasecmp(m->name, name, n))
        return 0;
    return ++*seen == nth || !nth;
}

/* Endings of CalculiX, words in the names Abaqus gives. */
fb_role fb_role_of_file(const char *path)
{
    static const struct {
        const char *text;
        fb_role role;
    } name[] = {
        {".sti", FB_ROLE_STIFFNESS},
        {".stiff", FB_ROLE_STIFFNESS},
        {".mas", FB_ROLE_MASS},
        {".mass", FB_ROLE_MASS},
        {".str", FB_ROLE_OTHER},
        {".con", FB_ROLE_OTHER},
        {".sph", FB_ROLE_OTHER},
        {"STIF", FB_ROLE_STIFFNESS},
        {"MASS", FB_ROLE_MASS},
        {"DMPV", FB_ROLE_DAMPING},
        {"DMPS", FB_ROLE_STRUCTURAL_DAMPING},
        {"LOAD", FB_ROLE_OTHER},
    };
    const char *base = fb_base_name(path);
    size_t n = strlen(base);
    for (size_t k = 0; k < sizeof name / sizeof *name; k++) {
        size_t m = strlen(name[k].text);
        if (name[k].text[0] == '.') {
            if (n > m && !strcasecmp(base + n - m, name[k].text))
                return name[k].role;
            continue;
        }
        for (const char *p = base; *p; p++)
            if (!strncasecmp(p, name[k].text, m))
                return name[k].role;
    }
    return FB_ROLE_UNKNOWN;
}

void fb_matrix_name(const fb_parts *p, const fb_matrix *m, char *out, size_t n)
{
    const char *file = fb_base_name(m->origin);
    char nth[24] = "";
    int64_t all = 0, before = 0;
    for (int64_t k = 0; k < p->nmatrix; k++) {
        const fb_matrix *o = p->matrix + k;
        if (o->input != m->input || strcmp(o->origin, m->origin) || strcasecmp(o->name, m->name))
            continue;
        all++;
        before += o < m;
    }
    if (all > 1)
        snprintf(nth, sizeof nth, "#%lld", (long long)before + 1);
    if (!m->name[0] || !strcmp(m->name, file))
        snprintf(out, n, "%s", file);
    else
        snprintf(out, n, "%s%s%s%s", m->name, nth, *file ? " of " : "", file);
}

/* ---- units ------------------------------------------------------------------------------ */

/* The first word in brackets that is a unit of length. */
static int bracketed(const char *p, const char *end, fb_units *u)
{
    for (; p < end; p++) {
        if (*p != '(' && *p != '[')
            continue;
        const char *q = memchr(p, *p == '(' ? ')' : ']', (size_t)(end - p));
        char word[24];
        if (!q || q - p - 1 >= (ptrdiff_t)sizeof word)
            continue;
        snprintf(word, sizeof word, "%.*s", (int)(q - p - 1), p + 1);
        if (fb_units_set(u, FB_LENGTH, word))
            return 1;
    }
    return 0;
}

fb_status fb_parts_title(fb_parts *p, int64_t first, const char *title, const char *end, fb_err *e)
{
    fb_units u = {0};
    if (p->nn == first || !bracketed(title, end, &u))
        return FB_OK;
    FB_PASS(fb_grow(&p->list, &p->cap_list, p->nlist + 1, sizeof *p->list, e));
    fb_nodeunit *l = p->list + p->nlist++;
    *l = (fb_nodeunit){.first = first, .last = p->nn, .factor = u.factor[FB_LENGTH]};
    snprintf(l->unit, sizeof l->unit, "%s", u.name[FB_LENGTH]);
    return FB_OK;
}

/* Four names of units behind "units ", between commas: 1 where all are known. */
static int four_units(const char *p, const char *end, fb_units *u)
{
    static const char sign[] = "units ";
    while (end - p >= (ptrdiff_t)sizeof sign && memcmp(p, sign, sizeof sign - 1))
        p++;
    if (end - p < (ptrdiff_t)sizeof sign)
        return 0;
    p += sizeof sign - 1;
    for (int k = 0; k < FB_NUNIT; k++) {
        char word[24];
        const char *q = p;
        while (q < end && *q != ',' && *q != '\r')
            q++;
        if (q - p >= (ptrdiff_t)sizeof word)
            return 0;
        snprintf(word, sizeof word, "%.*s", (int)(q - p), p);
        if (!fb_units_set(u, (fb_unitkind)k, word))
            return 0;
        p = q < end ? q + 1 : q;
        p += p < end && *p == ' ';
    }
    return 1;
}

fb_status fb_parts_set_units(fb_parts *p, const fb_units *u, fb_err *e)
{
    fb_units *own = &p->body.units;
    if (own->factor[FB_LENGTH] > 0 && memcmp(own->factor, u->factor, sizeof u->factor) != 0)
        return fb_fail(e, FB_EFORMAT, "units %s, an input before it has %s", fb_units_list(u).s,
                       fb_units_list(own).s);
    *own = *u;
    return FB_OK;
}

fb_status fb_parts_own_units(fb_parts *p, const fb_input *in, fb_err *e)
{
    enum { HEAD = 4 }; /* lines */
    const char *at = (const char *)in->data, *end = at + in->size;
    fb_units u = {0};
    for (int k = 0; k < HEAD && at < end; k++) {
        const char *eol = memchr(at, '\n', (size_t)(end - at));
        eol = eol ? eol : end;
        if (eol - at < 200 && strchr("%$*", *at) && four_units(at, eol, &u)) {
            const fb_status s = fb_parts_set_units(p, &u, e);
            return s ? fb_context(e, "line %d", k + 1) : FB_OK;
        }
        at = eol < end ? eol + 1 : end;
    }
    return FB_OK;
}

void fb_parts_units(fb_parts *p, fb_log *log)
{
    fb_units *own = &p->body.units;
    if (p->nlist && !(p->input_units.factor[FB_LENGTH] > 0) && !(own->factor[FB_LENGTH] > 0)) {
        if (!own->name[FB_MASS][0])
            fb_units_unnamed(own);
        (void)fb_units_set(own, FB_LENGTH, p->list->unit);
    }
    const fb_units *u = p->input_units.factor[FB_LENGTH] > 0 ? &p->input_units : own;
    for (int64_t k = 0; k < p->nlist; k++) {
        const fb_nodeunit *l = p->list + k;
        const double by = l->factor / u->factor[FB_LENGTH];
        for (int64_t q = 3 * l->first; by != 1 && q < 3 * l->last; q++)
            p->xyz[q] *= by;
        if (by != 1)
            fb_note(log, "coordinates of %lld nodes, which a list has in %s, are taken in %s",
                    (long long)(l->last - l->first), l->unit, u->name[FB_LENGTH]);
    }
    p->nlist = 0;
}
