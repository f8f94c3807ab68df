/* SPDX-License-Identifier: GPL-3.0-or-later */
/* inp.c - Abaqus and CalculiX decks: coordinates, elements, sets, rotation nodes, supports.
 * Everything else in a deck is stepped over.
 *
 * Read     *NODE *NSET *ELEMENT *ELSET *SYSTEM *PART *INSTANCE *ASSEMBLY *INCLUDE, of *RIGID BODY
 *          the pair REF NODE, ROT NODE; *BEAM SECTION *SHELL SECTION for expand.c; *BOUNDARY
 * Sets     of elements are given as sets of their nodes, where no node set has the name
 * Refused  generated nodes (*NGEN *NFILL *NCOPY *NMAP): their numbers and places are not in the
 *          deck
 * Law      Matrices carry the solver's node numbers. With one instance they are those of its part;
 *          with several the map is not in the deck: then no coordinates are taken.
 * Law      An included file lies below the deck's folder, or the user allows others.
 */
#include "element.h"
#include "expand.h"
#include "memory.h"
#include "support.h"
#include "text/include.h"
#include "text/keyword.h"
#include "reader.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <strings.h>

enum { NAME = 80, RANGE_FLOOR = 1024 };

typedef struct {
    int64_t id;
    double x[3];
} node;

typedef struct { /* a set of nodes or of elements: their numbers */
    char name[NAME];
    int of_elements;
    int64_t home;                    /* mesh its elements belong to */
    int64_t *node, n, cap, distinct; /* the first `distinct` are sorted and differ */
    char from[NAME];                 /* of nodes: the element set whose nodes join it */
    char why[NAME + 40];             /* not empty: what is missing in it */
} nset;

typedef struct { /* what owns nodes and sets: the deck (or its assembly), a part, an instance */
    char name[NAME];
    int is_instance;
    int64_t part;   /* of an instance, or -1 */
    double move[3]; /* (INP.1) x := x + move                                       */
    double turn[7]; /* (INP.2) then turn by turn[6] degrees about the line through
                                turn[0..2] and turn[3..5], right-handed              */
    int lines;      /* data lines of *INSTANCE read */
    node *node;
    int64_t n, cap;
    nset *set;
    int64_t nset, cap_set;
    fb_elements elements;
} mesh;

typedef struct state state;

struct state {
    fb_parts *p;
    fb_log *log;
    const char *name; /* of the deck */
    fb_lines l;
    mesh *mesh; /* [0]: the deck itself */
    int64_t nmesh, cap_mesh, at;
    fb_status (*line)(state *st,
                      fb_err *e); /* takes the data lines of the block; NULL: no one does */
    int64_t set, home;            /* set of mesh `at`, mesh its labels belong to; set -1: none */
    char system;                  /* of *NODE: R, C, S */
    int npoint;                   /* of *SYSTEM */
    double point[9];
    double origin[3], axis[9]; /* columns: local X Y Z */
    int local;
    aba_type type; /* of *ELEMENT */
    char type_name[24];
    int64_t element, corner[ABA_NODES]; /* its number and nodes, as far as they are read */
    int nline, more;                    /* how many; the element goes on in the next line */
    int told_transform;
    aba_thins thin; /* of the deck itself */
    aba_supports support;
    fb_includes open;
};

/* ---- meshes and sets ------------------------------------------------------------------- */

static fb_status new_mesh(state *st, const char *name, int is_instance, fb_err *e)
{
    FB_PASS(fb_grow(&st->mesh, &st->cap_mesh, st->nmesh + 1, sizeof *st->mesh, e));
    mesh *m = st->mesh + st->nmesh;
    *m = (mesh){.is_instance = is_instance, .part = -1};
    snprintf(m->name, sizeof m->name, "%.79s", name);
    st->at = st->nmesh++;
    st->local = 0;
    return FB_OK;
}

static int64_t find_mesh(const state *st, const char *name, int is_instance)
{
    for (int64_t k = 1; k < st->nmesh; k++)
        if (st->mesh[k].is_instance == is_instance && !strcasecmp(st->mesh[k].name, name))
            return k;
    return -1;
}

static int64_t find_set(const mesh *m, const char *name, int of_elements)
{
    for (int64_t k = 0; k < m->nset; k++)
        if (m->set[k].of_elements == of_elements && !strcasecmp(m->set[k].name, name))
            return k;
    return -1;
}

/* The set of this name in mesh `at`, made where there is none. */
static fb_status open_set(state *st, const char *name, int of_elements, const char *at, fb_err *e)
{
    mesh *m = st->mesh + st->at;
    st->set = find_set(m, name, of_elements);
    if (st->set >= 0)
        return FB_OK;
    if (!*name || strlen(name) >= NAME)
        return fb_line_fail(e, &st->l, at, "the name of a set has 1 to %d characters", NAME - 1);
    FB_PASS(fb_grow(&m->set, &m->cap_set, m->nset + 1, sizeof *m->set, e));
    m->set[m->nset] = (nset){.of_elements = of_elements, .home = st->at};
    snprintf(m->set[m->nset].name, NAME, "%.79s", name);
    st->set = m->nset++;
    return FB_OK;
}

static void distinct(nset *t)
{
    if (t->n)
        t->n = t->distinct = fb_unique(t->node, t->n);
}

static fb_status add_to_set(nset *t, int64_t id, fb_err *e)
{
    if (t->n >= 2 * t->distinct + RANGE_FLOOR)
        distinct(t);
    fb_status s = fb_grow(&t->node, &t->cap, t->n + 1, sizeof *t->node, e);
    if (!s)
        t->node[t->n++] = id;
    return s;
}

/* Adds the set `name` of mesh m (of an instance: its part's too); 0 where there is none. */
static fb_status add_set(state *st, const mesh *m, const char *name, int *found, fb_err *e)
{
    nset *t = st->mesh[st->at].set + st->set;
    *found = 0;
    for (; m; m = m->part >= 0 ? st->mesh + m->part : NULL) {
        int64_t k = find_set(m, name, t->of_elements);
        if (k < 0 || m->set + k == t)
            continue;
        *found = 1;
        if (m->set[k].why[0])
            snprintf(t->why, sizeof t->why, "set %.79s in it is not complete", name);
        for (int64_t q = 0; q < m->set[k].n; q++)
            FB_PASS(add_to_set(t, m->set[k].node[q], e));
    }
    return FB_OK;
}

/* ---- data lines ------------------------------------------------------------------------ */

/* Cylindrical (r, theta, z) and spherical (r, theta, phi) to rectangular, angles in degrees; then
 * (INP.3) x := origin + axis x. */
static void to_basic(const state *st, double x[3])
{
    const double degree = 3.14159265358979323846 / 180;
    double r = x[0], theta = x[1] * degree, phi = x[2] * degree;
    if (st->system == 'C') {
        x[0] = r * cos(theta);
        x[1] = r * sin(theta);
    } else if (st->system == 'S') {
        x[0] = r * cos(theta) * cos(phi);
        x[1] = r * sin(theta) * cos(phi);
        x[2] = r * sin(phi);
    }
    if (!st->local)
        return;
    double v[3] = {x[0], x[1], x[2]};
    for (int i = 0; i < 3; i++)
        x[i] = st->origin[i] + st->axis[i] * v[0] + st->axis[3 + i] * v[1] + st->axis[6 + i] * v[2];
}

/* Up to n reals between commas, an empty field is 0; the number of fields, -1 where one is no
 * number. */
static int reals(const char *p, const char *end, double *x, int n)
{
    int k = 0;
    for (; k < n; k++) {
        p = fb_skip_blanks(p, end);
        x[k] = 0;
        if (fb_at_line_end(p, end))
            break;
        if (*p != ',' && !(p = fb_scan_real(p, end, x + k)))
            return -1;
        p = fb_skip_blanks(p, end);
        if (p < end && *p == ',')
            p++;
        else if (!fb_at_line_end(p, end))
            return -1;
    }
    for (int q = k; q < n; q++)
        x[q] = 0;
    return k;
}

static fb_status node_line(state *st, fb_err *e)
{
    mesh *m = st->mesh + st->at;
    const char *end = fb_line_end(st->l.p, st->l.end);
    node v = {0};
    const char *p = fb_scan_index(st->l.p, end, &v.id);
    if (p) {
        p = fb_skip_blanks(p, end);
        p = p < end && *p == ',' ? p + 1 : fb_at_line_end(p, end) ? p : NULL;
    }
    if (!p || reals(p, end, v.x, 3) < 0)
        return fb_line_fail(e, &st->l, st->l.p, "'number, x, y, z' of a node is wanted");
    to_basic(st, v.x);
    FB_PASS(fb_grow(&m->node, &m->cap, m->n + 1, sizeof *m->node, e));
    m->node[m->n++] = v;
    if (st->set >= 0)
        FB_PASS(add_to_set(m->set + st->set, v.id, e));
    return FB_OK;
}

/* A field of *NSET: a label, a set, instance.label or instance.set. */
static fb_status set_field(state *st, const char *field, fb_err *e)
{
    nset *t = st->mesh[st->at].set + st->set;
    const char *end = field + strlen(field);
    int64_t id;
    int found = 0;
    if (fb_scan_int(field, end, &id) == end)
        return add_to_set(t, id, e);
    FB_PASS(add_set(st, st->mesh + st->home, field, &found, e));
    if (!found && st->home != st->at)
        FB_PASS(add_set(st, st->mesh + st->at, field, &found, e));
    for (const char *dot = strchr(field, '.'); dot && !found; dot = strchr(dot + 1, '.')) {
        char instance[NAME];
        snprintf(instance, sizeof instance, "%.*s",
                 (int)(dot - field < NAME - 1 ? dot - field : NAME - 1), field);
        int64_t k = find_mesh(st, instance, 1);
        if (k < 0)
            continue;
        if (fb_scan_int(dot + 1, end, &id) == end)
            return add_to_set(t, id, e);
        FB_PASS(add_set(st, st->mesh + k, dot + 1, &found, e));
    }
    if (!found)
        snprintf(t->why, sizeof t->why, "set %.79s in it is not known", field);
    return FB_OK;
}

static fb_status set_line(state *st, fb_err *e)
{
    const char *p = st->l.p, *end = fb_line_end(p, st->l.end);
    while (!fb_at_line_end(p, end)) {
        char field[2 * NAME];
        size_t n = 0;
        int quoted = 0;
        for (p = fb_skip_blanks(p, end); p < end && (quoted || *p != ',') && n < sizeof field - 1;
             p++) {
            if (*p == '"')
                quoted = !quoted;
            else
                field[n++] = *p;
        }
        while (n && (field[n - 1] == ' ' || field[n - 1] == '\t' || field[n - 1] == '\r'))
            n--;
        field[n] = 0;
        if ((p < end && *p != ',') || memchr(field, 0, n))
            return fb_line_fail(e, &st->l, st->l.p,
                                "labels or names of sets between commas are wanted");
        if (n)
            FB_PASS(set_field(st, field, e));
        p += p < end;
    }
    return FB_OK;
}

static fb_status range_line(state *st, fb_err *e)
{
    nset *t = st->mesh[st->at].set + st->set;
    const char *end = fb_line_end(st->l.p, st->l.end);
    double v[3];
    int64_t nodes = RANGE_FLOOR;
    int n = reals(st->l.p, end, v, 3);
    for (int k = 0; k < n; k++)
        if (fabs(v[k]) > 1e15 || v[k] != floor(v[k]))
            n = -1;
    if (n < 2 || v[1] < v[0] || v[2] < 0)
        return fb_line_fail(e, &st->l, st->l.p, "'first, last, increment' is wanted");
    int64_t first = (int64_t)v[0], last = (int64_t)v[1], step = v[2] > 0 ? (int64_t)v[2] : 1;
    for (int64_t k = 0; k < st->nmesh; k++)
        nodes += 4 * (st->mesh[k].n + st->mesh[k].elements.n);
    if ((last - first) / step >= nodes)
        return fb_line_fail(e, &st->l, st->l.p, "%lld labels, out of proportion to the nodes above",
                            (long long)((last - first) / step + 1));
    for (int64_t id = first; id <= last; id += step)
        FB_PASS(add_to_set(t, id, e));
    return FB_OK;
}

static fb_status system_line(state *st, fb_err *e)
{
    const char *end = fb_line_end(st->l.p, st->l.end);
    double v[6];
    int n = reals(st->l.p, end, v, 6);
    if (n < 1 || st->npoint == 1 || st->npoint == 3 || (st->npoint == 2 && n > 3))
        return fb_line_fail(e, &st->l, st->l.p,
                            "points of the system: 'ax,ay,az, bx,by,bz', then 'cx,cy,cz'");
    memcpy(st->point + 3 * st->npoint, v, sizeof *v * (size_t)(st->npoint ? 3 : 6));
    st->npoint = st->npoint ? 3 : n > 3 ? 2 : 1;
    return FB_OK;
}

/* Points a (origin), b (on local X), c (in the local XY plane); a alone: a shift; without c, the
 * local Z axis is the global one as far as it is normal to X. */
static fb_status close_system(state *st, const char *at, fb_err *e)
{
    double *X = st->axis, *Y = X + 3, *Z = X + 6, plane[3] = {0, 0, 1}, x, y;
    st->local = st->npoint > 0;
    for (int k = 0; k < 9; k++)
        st->axis[k] = k % 4 == 0;
    memcpy(st->origin, st->point, sizeof st->origin);
    if (st->npoint < 2)
        return FB_OK;
    for (int k = 0; k < 3; k++)
        X[k] = st->point[3 + k] - st->point[k];
    x = fb_unit3(X);
    if (st->npoint == 2) {
        fb_cross(plane, X, Y);
        y = fb_unit3(Y);
        fb_cross(X, Y, Z);
    } else {
        for (int k = 0; k < 3; k++)
            plane[k] = st->point[6 + k] - st->point[k];
        fb_cross(X, plane, Z);
        y = fb_unit3(Z);
        fb_cross(Z, X, Y);
    }
    if (!(x > 0) || !(y > 0))
        return fb_line_fail(e, &st->l, at, "the points of the *SYSTEM above lie on a line");
    return FB_OK;
}

static fb_status instance_line(state *st, fb_err *e)
{
    mesh *m = st->mesh + st->at;
    const char *end = fb_line_end(st->l.p, st->l.end);
    int n = m->lines == 0   ? reals(st->l.p, end, m->move, 3)
            : m->lines == 1 ? reals(st->l.p, end, m->turn, 7)
                            : -1;
    if (n < 0)
        return fb_line_fail(e, &st->l, st->l.p,
                            "of an instance, a line with a translation and one with a rotation "
                            "(two points and an angle) are wanted");
    m->lines++;
    return FB_OK;
}

/* *USER ELEMENT, TYPE=U1: matrices, which nobody draws. */
static int user_type(const char *name)
{
    return (name[0] == 'U' || name[0] == 'u') && name[1] >= '0' && name[1] <= '9';
}

/* An element that nobody can draw: of a type, or with a line, that is not understood. */
static fb_status odd_element(state *st, fb_err *e)
{
    return user_type(st->type_name) ? FB_OK
                                    : fb_elements_odd(&st->mesh[st->at].elements, st->type_name, e);
}

/* The element whose nodes are read. */
static fb_status end_element(state *st, fb_err *e)
{
    mesh *m = st->mesh + st->at;
    fb_nodelist *list = st->type.expanded == ABA_PLANE ? &st->p->plane : &st->p->line;
    int64_t own[FB_ELEMENT_NODES];
    if (st->type.topology == FB_UNKNOWN ||
        st->nline < fb_element_kinds[st->type.topology].solid->corners)
        return odd_element(st, e);
    aba_order(st->type.topology, st->corner, st->nline, own);
    FB_PASS(fb_elements_add(&m->elements, st->element, st->type.topology, own, e));
    if (st->set >= 0)
        FB_PASS(add_to_set(m->set + st->set, st->element, e));
    if (st->type.expanded == ABA_SOLID || st->at) /* labels of parts are not the matrices' */
        return FB_OK;
    FB_PASS(aba_thin_add(&st->thin, st->element, st->type_name, st->corner, st->nline, e));
    FB_PASS(fb_grow(&list->node, &list->cap, list->n + st->nline, sizeof *list->node, e));
    for (int k = 0; k < st->nline; k++)
        list->node[list->n++] = st->corner[k];
    return FB_OK;
}

/* Number of the element, nodes; a line that ends in a comma goes on where nodes are wanted. Nodes
 * of instances, which connectors between them name, are not understood. */
static fb_status element_line(state *st, fb_err *e)
{
    const char *p = st->l.p, *end = fb_line_end(st->l.p, st->l.end);
    const int wanted =
        st->type.topology < FB_NTOPOLOGY ? fb_element_kinds[st->type.topology].nodes : ABA_NODES;
    int64_t id;
    int comma = 0, first = !st->more;
    if (first)
        st->nline = 0;
    for (const char *q; (q = fb_scan_index(fb_skip_blanks(p, end), end, &id)); first = 0) {
        if (first)
            st->element = id;
        else if (st->nline < ABA_NODES)
            st->corner[st->nline++] = id;
        p = fb_skip_blanks(q, end);
        comma = p < end && *p == ',';
        p += comma;
    }
    if (!fb_at_line_end(p, end)) {
        if (strchr("+-.0123456789", *p))
            return fb_line_fail(e, &st->l, st->l.p,
                                "the number of an element and its nodes between commas are wanted");
        st->more = 0;
        return odd_element(st, e);
    }
    st->more = comma && st->nline < wanted;
    return st->more ? FB_OK : end_element(st, e);
}

/* An element whose last line announced another one. */
static fb_status end_element_block(state *st, fb_err *e)
{
    const int more = st->line == element_line && st->more;
    st->more = 0;
    return more ? odd_element(st, e) : FB_OK;
}

/* ---- included files -------------------------------------------------------------------- */

static fb_status deck(state *st, fb_err *e);

/* Reads a file in place: its first lines may continue the block that is open. */
static fb_status include(state *st, const char *file, const char *at, fb_err *e)
{
    char full[PATH_MAX];
    fb_input in = {0};
    fb_lines l = st->l;
    if (!file || !*file)
        return fb_line_fail(e, &l, at, "INPUT=file is wanted");
    if (!fb_include_find(st->name, file, full))
        return fb_fail(e, FB_EFORMAT, "line %lld: cannot find the included file '%.400s'",
                       fb_line_number(&l, at), file);
    if (fb_include_open(&st->open, st->p, file, full, &in, e))
        return fb_context(e, "line %lld", fb_line_number(&l, at));
    st->open.name[st->open.n++] = full;
    st->l = fb_lines_of(&in);
    fb_status s = deck(st, e);
    st->open.n--;
    st->l = l;
    if (s)
        fb_context(e, "%s", file);
    fb_input_close(&in);
    return s;
}

/* ---- keywords -------------------------------------------------------------------------- */

static fb_status kw_node(state *st, const fb_keyword *k, const char *at, fb_err *e)
{
    const char *set = fb_keyword_value(k, "NSET"), *system = fb_keyword_value(k, "SYSTEM");
    const char *file = fb_keyword_value(k, "INPUT");
    st->line = node_line;
    st->system = (char)(system && *system ? *system & 0xdf : 'R');
    if (!strchr("RCS", st->system))
        return fb_line_fail(e, &st->l, at, "SYSTEM is R, C or S");
    if (set)
        FB_PASS(open_set(st, set, 0, at, e));
    if (file)
        return include(st, file, at, e);
    return FB_OK;
}

static fb_status set_block(state *st, const fb_keyword *k, int of_elements, const char *at,
                           fb_err *e)
{
    const char *own = of_elements ? "ELSET" : "NSET", *name = fb_keyword_value(k, own);
    const char *instance = fb_keyword_value(k, "INSTANCE"), *from = fb_keyword_value(k, "ELSET");
    fb_status s = FB_OK;
    if (!name)
        return fb_line_fail(e, &st->l, at, "%s=name is wanted", own);
    FB_TRY(open_set(st, name, of_elements, at, e));
    st->line = fb_keyword_value(k, "GENERATE") ? range_line : set_line;
    if (from && !of_elements) {
        snprintf(st->mesh[st->at].set[st->set].from, NAME, "%.79s", from);
        st->line = NULL;
    }
    if (instance && (st->home = find_mesh(st, instance, 1)) < 0)
        s = fb_line_fail(e, &st->l, at, "no instance of this name above");
    st->mesh[st->at].set[st->set].home = st->home;
out:
    return s;
}

static fb_status kw_nset(state *st, const fb_keyword *k, const char *at, fb_err *e)
{
    return set_block(st, k, 0, at, e);
}

static fb_status kw_elset(state *st, const fb_keyword *k, const char *at, fb_err *e)
{
    return set_block(st, k, 1, at, e);
}

static fb_status kw_element(state *st, const fb_keyword *k, const char *at, fb_err *e)
{
    const char *type = fb_keyword_value(k, "TYPE"), *file = fb_keyword_value(k, "INPUT"),
               *set = fb_keyword_value(k, "ELSET");
    if (!type)
        return FB_OK;
    snprintf(st->type_name, sizeof st->type_name, "%.23s", type);
    st->type = aba_type_of(type);
    if (st->type.topology == FB_POINT)
        return FB_OK;
    if (set)
        FB_PASS(open_set(st, set, 1, at, e));
    st->more = 0;
    st->line = element_line;
    if (file)
        return include(st, file, at, e);
    return FB_OK;
}

static fb_status kw_system(state *st, const fb_keyword *k, const char *at, fb_err *e)
{
    (void)k, (void)at, (void)e;
    st->line = system_line;
    st->npoint = st->local = 0;
    return FB_OK;
}

static fb_status kw_include(state *st, const fb_keyword *k, const char *at, fb_err *e)
{
    return include(st, fb_keyword_value(k, "INPUT"), at, e);
}

static fb_status kw_part(state *st, const fb_keyword *k, const char *at, fb_err *e)
{
    const char *name = fb_keyword_value(k, "NAME");
    return name ? new_mesh(st, name, 0, e) : fb_line_fail(e, &st->l, at, "NAME=part is wanted");
}

static fb_status kw_instance(state *st, const fb_keyword *k, const char *at, fb_err *e)
{
    const char *name = fb_keyword_value(k, "NAME"), *part = fb_keyword_value(k, "PART");
    if (!name || !part)
        return fb_line_fail(e, &st->l, at, "NAME=instance, PART=part are wanted");
    int64_t q = find_mesh(st, part, 0);
    if (q < 0)
        return fb_line_fail(e, &st->l, at, "no part of this name above");
    fb_status s = new_mesh(st, name, 1, e);
    if (!s)
        st->mesh[st->at].part = q;
    st->line = instance_line;
    return s;
}

static fb_status kw_end(state *st, const fb_keyword *k, const char *at, fb_err *e)
{
    (void)k, (void)at, (void)e;
    st->at = st->local = 0;
    return FB_OK;
}

static fb_status kw_rigid(state *st, const fb_keyword *k, const char *at, fb_err *e)
{
    const char *v[2] = {fb_keyword_value(k, "REFNODE"), fb_keyword_value(k, "ROTNODE")};
    fb_rotnode pair = {0};
    fb_parts *p = st->p;
    (void)at;
    if (!v[0] || !v[1] || !fb_scan_int(v[0], v[0] + strlen(v[0]), &pair.ref) ||
        !fb_scan_int(v[1], v[1] + strlen(v[1]), &pair.rot))
        return FB_OK;
    fb_status s = fb_grow(&p->rot, &p->cap_rot, p->nrot + 1, sizeof *p->rot, e);
    if (!s)
        p->rot[p->nrot++] = pair;
    return s;
}

static fb_status kw_transform(state *st, const fb_keyword *k, const char *at, fb_err *e)
{
    (void)k, (void)e;
    if (!st->told_transform++)
        fb_warn(st->log,
                "%s: line %lld: *TRANSFORM: the matrices of its nodes may be in turned directions, "
                "they are taken as global",
                st->name, fb_line_number(&st->l, at));
    return FB_OK;
}

static fb_status section_line(state *st, fb_err *e)
{
    double v[8];
    int n = reals(st->l.p, fb_line_end(st->l.p, st->l.end), v, 8);
    aba_section *s = st->thin.section + st->thin.nsection - 1;
    if (n < 0) {
        s->form = 0; /* not understood */
        return FB_OK;
    }
    aba_section_line(s, v, n);
    (void)e;
    return FB_OK;
}

static fb_status section(state *st, const fb_keyword *k, const char *form, fb_err *e)
{
    static const char *const offset[3] = {"OFFSET", "OFFSET1", "OFFSET2"};
    const char *set = fb_keyword_value(k, "ELSET");
    if (!set || st->at)
        return FB_OK;
    if (fb_keyword_is(k, "SHELLSECTION") && fb_keyword_value(k, "COMPOSITE"))
        form = NULL;
    if (fb_keyword_value(k, "NODALTHICKNESS"))
        form = NULL;
    FB_PASS(aba_section_add(&st->thin, set, form, e));
    aba_section *s = st->thin.section + st->thin.nsection - 1;
    for (int q = 0; q < 3; q++) {
        const char *v = fb_keyword_value(k, offset[q]);
        if (v && fb_scan_real(v, v + strlen(v), &s->offset[q == 2]) != v + strlen(v))
            s->form = 0;
    }
    st->line = section_line;
    return FB_OK;
}

static fb_status kw_beam(state *st, const fb_keyword *k, const char *at, fb_err *e)
{
    (void)at;
    return section(st, k, fb_keyword_value(k, "SECTION"), e);
}

static fb_status kw_shell(state *st, const fb_keyword *k, const char *at, fb_err *e)
{
    (void)at;
    return section(st, k, "SHELL", e);
}

static fb_status kw_normal(state *st, const fb_keyword *k, const char *at, fb_err *e)
{
    (void)k, (void)at, (void)e;
    st->thin.normals = 1;
    return FB_OK;
}

static fb_status support_line(state *st, fb_err *e)
{
    return aba_support_line(&st->support, st->l.p, fb_line_end(st->l.p, st->l.end), e);
}

static fb_status kw_boundary(state *st, const fb_keyword *k, const char *at, fb_err *e)
{
    (void)k, (void)at, (void)e;
    st->line = support_line;
    return FB_OK;
}

static fb_status kw_refuse(state *st, const fb_keyword *k, const char *at, fb_err *e)
{
    return fb_line_fail(e, &st->l, at,
                        "*%s: generated nodes are not read; write the deck with all nodes listed",
                        k->name);
}

static fb_status keyword(state *st, fb_err *e)
{
    static const struct {
        const char *name;
        fb_status (*take)(state *st, const fb_keyword *k, const char *at, fb_err *e);
    } known[] = {
        {"NODE", kw_node},
        {"NSET", kw_nset},
        {"SYSTEM", kw_system},
        {"INCLUDE", kw_include},
        {"PART", kw_part},
        {"ENDPART", kw_end},
        {"INSTANCE", kw_instance},
        {"ENDINSTANCE", kw_end},
        {"RIGIDBODY", kw_rigid},
        {"NGEN", kw_refuse},
        {"NFILL", kw_refuse},
        {"NCOPY", kw_refuse},
        {"TRANSFORM", kw_transform},
        {"NMAP", kw_refuse},
        {"ELEMENT", kw_element},
        {"ELSET", kw_elset},
        {"BEAMSECTION", kw_beam},
        {"SHELLSECTION", kw_shell},
        {"BEAMGENERALSECTION", kw_beam},
        {"NORMAL", kw_normal},
        {"BOUNDARY", kw_boundary},
    };
    fb_keyword k;
    const char *at = st->l.p;
    fb_status s = fb_keyword_read(&st->l, &k, e);
    if (s)
        return s;
    if (!fb_keyword_is(&k, "INCLUDE")) {
        FB_TRY(end_element_block(st, e));
        if (st->line == system_line)
            FB_TRY(close_system(st, at, e));
        st->line = NULL;
        st->set = -1;
        st->home = st->at;
    }
    for (size_t q = 0; q < sizeof known / sizeof *known; q++)
        if (fb_keyword_is(&k, known[q].name)) {
            s = known[q].take(st, &k, at, e);
            break;
        }
out:
    return s;
}

static fb_status deck(state *st, fb_err *e)
{
    while (fb_next_data(&st->l)) {
        if (*st->l.p == '*') {
            FB_PASS(keyword(st, e));
            continue;
        }
        if (st->line)
            FB_PASS(st->line(st, e));
        fb_end_line(&st->l);
    }
    return FB_OK;
}

/* ---- what the deck gives --------------------------------------------------------------- */

/* A number given again moves its node: the last one counts, in Abaqus and CalculiX as well. Mostly
 * a slip. */
static void tell_moved(const state *st, const mesh *m, const fb_ranked *r)
{
    int64_t moved = 0;
    char list[200] = "";
    for (int64_t k = 1; k < m->n; k++) {
        const double *a = m->node[r[k - 1].at].x, *b = m->node[r[k].at].x;
        if (r[k - 1].node != r[k].node || (a[0] == b[0] && a[1] == b[1] && a[2] == b[2]))
            continue;
        size_t at = strlen(list);
        if (moved++ < 3)
            snprintf(list + at, sizeof list - at, "%s %lld at (%g, %g, %g) and (%g, %g, %g)",
                     at ? "," : "", (long long)r[k].node, a[0], a[1], a[2], b[0], b[1], b[2]);
    }
    if (moved)
        fb_warn(st->log, "%s: %lld node%s given twice, at two places:%s%s; the last place counts",
                st->name, (long long)moved, moved > 1 ? "s are" : " is", list,
                moved > 3 ? ", ..." : "");
}

static fb_status node_ids(const mesh *m, int64_t **id, fb_err *e)
{
    FB_PASS(fb_new(id, m->n, sizeof **id, "node numbers", e));
    for (int64_t k = 0; k < m->n; k++)
        (*id)[k] = m->node[k].id;
    return FB_OK;
}

static fb_status last_counts(const state *st, mesh *m, fb_err *e)
{
    fb_ranked *r = NULL;
    int64_t *id = NULL;
    char *drop = NULL;
    int64_t k = 1, to = 0;
    fb_status s = FB_OK;
    while (k < m->n && m->node[k - 1].id < m->node[k].id)
        k++;
    if (k >= m->n)
        return FB_OK;
    FB_TRY(node_ids(m, &id, e));
    FB_TRY(fb_ranked_new(&r, id, NULL, m->n, e));
    FB_TRY(FB_NEW(&drop, m->n, e));
    tell_moved(st, m, r);
    for (k = 1; k < m->n; k++)
        drop[r[k - 1].at] = r[k - 1].node == r[k].node;
    for (k = 0; k < m->n; k++)
        if (!drop[k])
            m->node[to++] = m->node[k];
    m->n = to;
out:
    FB_FREE(r, id, drop);
    return s;
}

/* (INP.1), (INP.2) with Rodrigues' formula. */
static void place(const mesh *m, double x[3])
{
    double u[3], v[3], uv[3];
    for (int k = 0; k < 3; k++) {
        x[k] += m->move[k];
        u[k] = m->turn[3 + k] - m->turn[k];
        v[k] = x[k] - m->turn[k];
    }
    if (!(fb_unit3(u) > 0))
        return;
    double angle = m->turn[6] * 3.14159265358979323846 / 180, c = cos(angle), s = sin(angle);
    double along = u[0] * v[0] + u[1] * v[1] + u[2] * v[2];
    fb_cross(u, v, uv);
    for (int k = 0; k < 3; k++)
        x[k] = m->turn[k] + c * v[k] + s * uv[k] + (1 - c) * along * u[k];
}

static fb_status give_nodes(state *st, const mesh *from, const mesh *where, fb_err *e)
{
    for (int64_t k = 0; k < from->n; k++) {
        double x[3] = {from->node[k].x[0], from->node[k].x[1], from->node[k].x[2]};
        if (where)
            place(where, x);
        FB_PASS(fb_parts_node(st->p, from->node[k].id, x, NULL, e));
    }
    return FB_OK;
}

/* Adds the nodes of the elements of these numbers. */
static fb_status add_nodes(const mesh *from, const nset *elements, nset *t, fb_err *e)
{
    int64_t *own = NULL, n = 0;
    fb_status s = FB_OK;
    FB_TRY(fb_elements_nodes(&from->elements, elements->node, elements->n, &own, &n, e));
    for (int64_t k = 0; k < n; k++)
        FB_TRY(add_to_set(t, own[k], e));
out:
    free(own);
    return s;
}

/* body: the part that stands in the model. */
static fb_status give_set(state *st, const mesh *from, const mesh *body, const nset *set,
                          const char *prefix, fb_err *e)
{
    char name[2 * NAME], why[sizeof set->why];
    fb_set *out = NULL;
    nset t = {0};
    fb_status s = FB_OK;
    memcpy(why, set->why, sizeof why);
    const int64_t q = set->from[0] ? find_set(from, set->from, 1) : -1;
    if (set->from[0] && (q < 0 || from->set[q].why[0]))
        snprintf(why, sizeof why, "element set %.79s in it is not known", set->from);
    if (why[0]) {
        (set->of_elements ? fb_note : fb_warn)(st->log, "%s: %s set %s is left out: %s", st->name,
                                               set->of_elements ? "element" : "node", set->name,
                                               why);
        return FB_OK;
    }
    for (int64_t k = 0; !set->of_elements && k < set->n; k++)
        FB_TRY(add_to_set(&t, set->node[k], e));
    if (set->of_elements)
        FB_TRY(add_nodes(set->home ? body : st->mesh, set, &t, e));
    if (q >= 0)
        FB_TRY(add_nodes(from->set[q].home ? body : st->mesh, from->set + q, &t, e));
    if (set->of_elements && !t.n)
        goto out;
    distinct(&t);
    snprintf(name, sizeof name, "%s%s%s", prefix, *prefix ? "." : "", set->name);
    FB_TRY(fb_parts_set(st->p, name, &out, e));
    out->node = t.node;
    out->n = t.n;
    t.node = NULL;
out:
    free(t.node);
    return s;
}

/* Sets of the deck under their names; those of the instance as instance.set, and under their own
 * names where the deck has none of that name. */
static fb_status give_sets(state *st, const mesh *from, const mesh *body, const char *instance,
                           fb_err *e)
{
    for (int64_t k = 0; k < from->nset; k++) {
        const nset *set = from->set + k;
        if (set->of_elements && find_set(from, set->name, 0) >= 0)
            continue;
        FB_PASS(give_set(st, from, body, set, instance, e));
        if (*instance && !set->why[0] && find_set(st->mesh, set->name, 0) < 0 &&
            find_set(st->mesh, set->name, 1) < 0)
            FB_PASS(give_set(st, from, body, set, "", e));
    }
    return FB_OK;
}

/* Nodes of the assembly (reference points) whose numbers the instance has too are left out, with
 * all others of the assembly: the solver gives them new numbers. */
static fb_status drop_collisions(state *st, const mesh *body, fb_err *e)
{
    fb_index x = {0};
    int64_t *id = NULL, both = 0;
    fb_status s = FB_OK;
    FB_TRY(node_ids(body, &id, e));
    FB_TRY(fb_index_new(&x, id, body->n, "the instance", e));
    for (int64_t k = 0; k < st->mesh->n; k++)
        both += fb_index_find(&x, st->mesh->node[k].id) >= 0;
    if (both) {
        fb_warn(st->log,
                "%s: %lld nodes of the assembly have numbers of the instance, so that those in the "
                "matrices are not in the deck: the assembly's nodes are left out",
                st->name, (long long)both);
        st->mesh->n = 0;
    }
out:
    free(id);
    fb_index_free(&x);
    return s;
}

/* Sections by the sets of their elements, the last one counts; then what CalculiX makes of them. */
static fb_status give_stacks(state *st, fb_err *e)
{
    aba_thins *x = &st->thin;
    mesh *m = st->mesh;
    int64_t *id = NULL;
    double *xyz = NULL;
    fb_status s = FB_OK;
    if (!x->n || !x->nsection)
        return FB_OK;
    for (int64_t k = 0; k < x->nsection; k++) {
        const int64_t q = find_set(m, x->section[k].set, 1);
        if (q < 0)
            continue;
        distinct(m->set + q);
        for (int64_t t = 0; t < x->n; t++)
            if (fb_sorted_find(m->set[q].node, m->set[q].n, x->thin[t].id) >= 0)
                x->thin[t].section = k;
    }
    FB_TRY(fb_new(&id, m->n, 8, "node numbers", e));
    FB_TRY(fb_new(&xyz, 3 * m->n, sizeof *xyz, "coordinates", e));
    for (int64_t k = 0; k < m->n; k++) {
        id[k] = m->node[k].id;
        memcpy(xyz + 3 * k, m->node[k].x, 3 * sizeof *xyz);
    }
    s = aba_expand(x, id, xyz, m->n, st->p, e);
out:
    FB_FREE(id, xyz);
    return s;
}

/* The instance with nodes and what holds them; how many there are. */
static int64_t placed(state *st, mesh **instance, mesh **body)
{
    int64_t found = 0;
    for (int64_t k = 1; k < st->nmesh; k++) {
        mesh *m = st->mesh + k, *own = m->n || m->part < 0 ? m : st->mesh + m->part;
        if (m->is_instance && own->n) {
            found++;
            *instance = m;
            *body = own;
        }
    }
    return found;
}

static fb_status give(state *st, fb_err *e)
{
    mesh *body = NULL, *instance = NULL;
    const int64_t sets = st->p->nset;
    for (int64_t k = 0; k < st->nmesh; k++)
        FB_PASS(last_counts(st, st->mesh + k, e));
    int64_t n = placed(st, &instance, &body);
    if (n > 1) {
        fb_warn(st->log,
                "%s: %lld instances with nodes: their numbers in the matrices are not in the deck, "
                "no coordinates and sets are taken (write the deck without parts and assemblies)",
                st->name, (long long)n);
        return FB_OK;
    }
    if (n) {
        FB_PASS(drop_collisions(st, body, e));
        FB_PASS(give_nodes(st, body, instance, e));
        FB_PASS(give_sets(st, instance, body, instance->name, e));
        FB_PASS(give_sets(st, st->mesh + instance->part, body, instance->name, e));
    }
    FB_PASS(give_nodes(st, st->mesh, NULL, e));
    FB_PASS(give_sets(st, st->mesh, body, "", e));
    FB_PASS(aba_supports_give(&st->support, sets, st->p, e));
    if (n)
        FB_PASS(fb_elements_take(&st->p->elements, &body->elements, e));
    else
        FB_PASS(give_stacks(st, e));
    return fb_elements_take(&st->p->elements, &st->mesh->elements, e);
}

static void state_free(state *st)
{
    aba_thins_free(&st->thin);
    free(st->support.s);
    for (int64_t k = 0; k < st->nmesh; k++) {
        for (int64_t q = 0; q < st->mesh[k].nset; q++)
            free(st->mesh[k].set[q].node);
        FB_FREE(st->mesh[k].set, st->mesh[k].node);
        fb_elements_free(&st->mesh[k].elements);
    }
    free(st->mesh);
}

static int sniff(const fb_input *in)
{
    fb_lines l = fb_lines_head(in);
    if (!fb_next_data(&l) || *l.p != '*')
        return 0;
    const char *p = fb_skip_blanks(l.p + 1, l.end);
    return p < l.end && ((*p >= 'A' && *p <= 'Z') || (*p >= 'a' && *p <= 'z'));
}

static fb_status read_inp(const fb_input *in, fb_parts *p, fb_log *log, fb_err *e)
{
    state st = {.p = p,
                .log = log,
                .name = in->name,
                .l = fb_lines_of(in),
                .set = -1,
                .open = {{in->name}, 1}};
    int64_t nodes = p->nn, sets = p->nset, elements = p->elements.n;
    fb_status s = FB_OK;
    FB_TRY(new_mesh(&st, "", 0, e));
    FB_TRY(deck(&st, e));
    FB_TRY(end_element_block(&st, e));
    FB_TRY(give(&st, e));
    fb_note(log, "%s: %lld nodes, %lld elements, %lld sets", in->name, (long long)(p->nn - nodes),
            (long long)(p->elements.n - elements), (long long)(p->nset - sets));
out:
    state_free(&st);
    return s;
}

const fb_reader fb_reader_inp = {
    .name = "inp",
    .doc = "Abaqus or CalculiX deck: nodes, elements and sets",
    .sniff = sniff,
    .read = read_inp,
};
