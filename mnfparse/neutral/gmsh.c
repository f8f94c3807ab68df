/* SPDX-License-Identifier: GPL-3.0-or-later */
/* gmsh.c - gmsh meshes, text, versions 2 and 4.1: nodes, elements, physical groups as sets of nodes.
 *
 * Layout   $MeshFormat  version, 0: text, 8
 *          $PhysicalNames  count; dimension, number, "name"
 *          $Entities (4)  counts of points, curves, surfaces, volumes; of each its number, box (of
 *          points: place), count of physical groups, their numbers, ...
 *          $Nodes     2: count; number, x, y, z. 4: counts; blocks: dimension, entity, parametric,
 *                     count; that many numbers, then that many x, y, z
 *          $Elements  2: count; number, type, count of tags, tags (first: physical group), nodes.
 *                     4: counts; blocks: dimension, entity, type, count; number, nodes
 * Sets     groups without a name are called point1, curve1, surface1, volume1
 * Lines    of meshes with solids are edges of the geometry: in sets, not drawn
 * Source   gmsh reference manual, 10 File formats; node ordering
 */
#include "elements.h"
#include "memory.h"
#include "reader.h"
#include "text/lines.h"
#include <stdio.h>
#include <stdlib.h>

enum { NAME = 80, TAGS = 64, FIELDS = 128 };

typedef struct { /* a physical group */
    int64_t dim, tag;
    char name[NAME];
    int64_t *node, n, cap, distinct;
} group;

typedef struct { /* an entity of the geometry is in a physical group */
    int64_t dim, entity, group;
} member;

typedef struct {
    fb_lines l;
    fb_parts *p;
    const char *name;
    int version; /* 2 or 4 */
    group *group;
    member *member;
    int64_t ngroup, cap_group, nmember, cap_member;
    fb_elements elements;
    int solids;
} mesh;

/* ---- lines -------------------------------------------------------------------------------- */

/* The next line that is not blank; "$End..." or the end of the file is an error. */
static fb_status need_line(mesh *m, const char *what, fb_err *e)
{
    fb_end_line(&m->l);
    if (!fb_next_line(&m->l))
        return fb_fail(e, FB_EFORMAT, "the file ends, %s is missing", what);
    return *m->l.p == '$' ? fb_line_fail(e, &m->l, m->l.p, "%s is wanted", what) : FB_OK;
}

/* The whole numbers at the line's beginning, `most` at the most. */
static int integers(const fb_lines *l, int64_t *v, int most)
{
    const char *p = l->p, *q, *end = fb_line_end(l->p, l->end);
    int n = 0;
    while (n < most && (q = fb_scan_index(p, end, v + n)) && (q == end || strchr(" \t\r", *q))) {
        n++;
        p = fb_skip_blanks(q, end);
    }
    return n;
}

static fb_status need_integers(mesh *m, int n, int64_t *v, const char *what, fb_err *e)
{
    FB_PASS(need_line(m, what, e));
    return integers(&m->l, v, n) == n ? FB_OK
                                      : fb_line_fail(e, &m->l, m->l.p, "%s are wanted", what);
}

/* The line that closes a section: what the counts leave over would be lost. */
static fb_status end_section(mesh *m, const char *end, fb_err *e)
{
    fb_end_line(&m->l);
    if (!fb_next_line(&m->l))
        return fb_fail(e, FB_EFORMAT, "the file ends, %s is missing", end);
    return fb_starts(m->l.p, m->l.end, end)
               ? FB_OK
               : fb_line_fail(e, &m->l, m->l.p,
                              "%s is wanted: the section has more than its counts say", end);
}

/* Groups of turned entities have numbers below 0. */
static int64_t unsigned_tag(int64_t tag)
{
    return tag >= 0 ? tag : tag == INT64_MIN ? INT64_MAX : -tag;
}

static fb_status place(mesh *m, const char *p, double x[3], fb_err *e)
{
    const char *end = fb_line_end(m->l.p, m->l.end);
    for (int k = 0; k < 3; k++)
        if (!(p = fb_scan_real(fb_skip_blanks(p, end), end, x + k)))
            return fb_line_fail(e, &m->l, m->l.p, "three coordinates are wanted");
    return FB_OK;
}

/* ---- groups ------------------------------------------------------------------------------- */

static fb_status find_group(mesh *m, int64_t dim, int64_t tag, int64_t *at, fb_err *e)
{
    static const char *const kind[] = {"point", "curve", "surface", "volume"};
    for (*at = 0; *at < m->ngroup; ++*at)
        if (m->group[*at].dim == dim && m->group[*at].tag == tag)
            return FB_OK;
    FB_PASS(fb_grow(&m->group, &m->cap_group, m->ngroup + 1, sizeof *m->group, e));
    group *g = m->group + m->ngroup++;
    *g = (group){.dim = dim, .tag = tag};
    snprintf(g->name, sizeof g->name, "%s%lld", kind[dim & 3], (long long)tag);
    return FB_OK;
}

static fb_status join(group *g, const int64_t *node, int64_t n, fb_err *e)
{
    if (g->n > 2 * g->distinct + 4096)
        g->n = g->distinct = fb_unique(g->node, g->n);
    FB_PASS(fb_grow(&g->node, &g->cap, g->n + n, sizeof *g->node, e));
    for (int64_t k = 0; k < n; k++)
        g->node[g->n++] = node[k];
    return FB_OK;
}

static fb_status names(mesh *m, fb_err *e)
{
    int64_t n, v[2], at;
    FB_PASS(need_integers(m, 1, &n, "the count of physical names", e));
    for (int64_t k = 0; k < n; k++) {
        FB_PASS(need_integers(m, 2, v, "dimension and number of a physical group", e));
        const char *end = fb_line_end(m->l.p, m->l.end),
                   *a = memchr(m->l.p, '"', (size_t)(end - m->l.p)),
                   *b = a ? memchr(a + 1, '"', (size_t)(end - a - 1)) : NULL;
        if (!b || b - a - 1 >= NAME || v[0] < 0 || v[0] > 3)
            return fb_line_fail(e, &m->l, m->l.p, "a name of at most %d characters is wanted",
                                NAME - 1);
        FB_PASS(find_group(m, v[0], v[1], &at, e));
        if (b > a + 1)
            snprintf(m->group[at].name, NAME, "%.*s", (int)(b - a - 1), a + 1);
    }
    return FB_OK;
}

/* Number, box (of points: place), count of groups, groups. */
static fb_status entity(mesh *m, int64_t dim, fb_err *e)
{
    const char *end, *p;
    int64_t tag, n;
    double x;
    FB_PASS(need_line(m, "an entity", e));
    end = fb_line_end(m->l.p, m->l.end);
    p = fb_scan_int(m->l.p, end, &tag);
    for (int k = 0; p && k < (dim ? 6 : 3); k++)
        p = fb_scan_real(fb_skip_blanks(p, end), end, &x);
    p = p ? fb_scan_int(fb_skip_blanks(p, end), end, &n) : NULL;
    if (!p || n < 0)
        return fb_line_fail(e, &m->l, m->l.p, "number, box and physical groups are wanted");
    for (int64_t k = 0, g, at; k < n; k++) {
        if (!(p = fb_scan_int(fb_skip_blanks(p, end), end, &g)))
            return fb_line_fail(e, &m->l, m->l.p, "%lld physical groups are wanted", (long long)n);
        FB_PASS(find_group(m, dim, unsigned_tag(g), &at, e));
        FB_PASS(fb_grow(&m->member, &m->cap_member, m->nmember + 1, sizeof *m->member, e));
        m->member[m->nmember++] = (member){dim, tag, at};
    }
    return FB_OK;
}

static fb_status entities(mesh *m, fb_err *e)
{
    int64_t n[4];
    FB_PASS(need_integers(m, 4, n, "counts of points, curves, surfaces, volumes", e));
    for (int64_t dim = 0; dim < 4; dim++)
        for (int64_t k = 0; k < n[dim]; k++)
            FB_PASS(entity(m, dim, e));
    return FB_OK;
}

/* ---- nodes -------------------------------------------------------------------------------- */

static fb_status nodes_2(mesh *m, fb_err *e)
{
    int64_t n, id;
    double x[3];
    FB_PASS(need_integers(m, 1, &n, "the count of nodes", e));
    for (int64_t k = 0; k < n; k++) {
        FB_PASS(need_line(m, "a node", e));
        const char *p = fb_scan_index(m->l.p, m->l.end, &id);
        if (!p)
            return fb_line_fail(e, &m->l, m->l.p, "number, x, y, z of a node are wanted");
        FB_PASS(place(m, p, x, e));
        FB_PASS(fb_parts_node(m->p, id, x, NULL, e));
    }
    return FB_OK;
}

static fb_status nodes_4(mesh *m, fb_err *e)
{
    int64_t head[4], v[4], *id = NULL, cap = 0;
    double x[3];
    fb_status s = FB_OK;
    FB_TRY(need_integers(m, 4, head, "counts of blocks and nodes", e));
    for (int64_t b = 0; b < head[0]; b++) {
        FB_TRY(need_integers(m, 4, v, "dimension, entity, parametric, count of nodes", e));
        for (int64_t k = 0; k < v[3]; k++) {
            FB_TRY(fb_grow(&id, &cap, k + 1, sizeof *id, e));
            FB_TRY(need_integers(m, 1, id + k, "numbers of nodes", e));
        }
        for (int64_t k = 0; k < v[3]; k++) {
            FB_TRY(need_line(m, "x, y, z of a node", e));
            FB_TRY(place(m, m->l.p, x, e));
            FB_TRY(fb_parts_node(m->p, id[k], x, NULL, e));
        }
    }
out:
    free(id);
    return s;
}

static fb_status nodes(mesh *m, fb_err *e)
{
    return m->version == 2 ? nodes_2(m, e) : nodes_4(m, e);
}

/* ---- elements ----------------------------------------------------------------------------- */

static const struct {
    unsigned char nodes;
    signed char topology;
    unsigned char from[FB_ELEMENT_NODES]; /* {0}: in this order */
} types[] = {
    [1] = {2, FB_LINE2, {0}},
    [2] = {3, FB_TRIA3, {0}},
    [3] = {4, FB_QUAD4, {0}},
    [4] = {4, FB_TETRA4, {0}},
    [5] = {8, FB_HEXA8, {0}},
    [6] = {6, FB_PENTA6, {0}},
    [7] = {5, FB_PYRAMID5, {0}},
    [8] = {3, FB_LINE3, {0}},
    [9] = {6, FB_TRIA6, {0}},
    [10] = {9, FB_QUAD9, {0}},
    [11] = {10, FB_TETRA10, {0, 1, 2, 3, 4, 5, 6, 7, 9, 8}},
    [12] = {27, FB_HEXA27, {0,  1,  2,  3,  4,  5,  6,  7,  8,  11, 13, 9,  16, 18,
                            19, 17, 10, 12, 14, 15, 20, 25, 21, 23, 24, 22, 26}},
    [13] = {18, FB_PENTA15, {0, 1, 2, 3, 4, 5, 6, 9, 7, 12, 14, 13, 8, 10, 11}},
    [14] = {14, FB_PYRAMID13, {0, 1, 2, 3, 4, 5, 8, 10, 6, 7, 9, 11, 12}},
    [15] = {1, FB_POINT, {0}},
    [16] = {8, FB_QUAD8, {0}},
    [17] = {20, FB_HEXA20, {0, 1, 2, 3, 4, 5, 6, 7, 8, 11, 13, 9, 16, 18, 19, 17, 10, 12, 14, 15}},
    [18] = {15, FB_PENTA15, {0, 1, 2, 3, 4, 5, 6, 9, 7, 12, 14, 13, 8, 10, 11}},
    [19] = {13, FB_PYRAMID13, {0, 1, 2, 3, 4, 5, 8, 10, 6, 7, 9, 11, 12}},
};

/* Of the type, with n nodes in the order of gmsh, of the group (-1: none). */
static fb_status element(mesh *m, int64_t id, int64_t type, const int64_t *node, int n, fb_err *e)
{
    const int known = type > 0 && type < (int64_t)(sizeof types / sizeof *types);
    int64_t own[FB_ELEMENT_NODES];
    char name[24];
    if (!known) {
        snprintf(name, sizeof name, "%lld", (long long)type);
        return fb_elements_odd(&m->elements, name, e);
    }
    const int t = types[type].topology;
    if (n != types[type].nodes)
        return fb_line_fail(e, &m->l, m->l.p, "%d nodes are wanted, %d found", types[type].nodes,
                            n);
    if (t == FB_POINT)
        return FB_OK;
    m->solids |= fb_element_kinds[t].solid->dim == 3;
    for (int k = 0; k < fb_element_kinds[t].nodes; k++)
        own[k] = node[types[type].from[1] ? types[type].from[k] : k];
    return fb_elements_add(&m->elements, id, (fb_topology)t, own, e);
}

/* Dimension of a type, for its group. */
static int64_t dimension(int64_t type)
{
    if (type == 15 || type < 1 || type >= (int64_t)(sizeof types / sizeof *types))
        return 0;
    return fb_element_kinds[types[type].topology].solid->dim;
}

static fb_status elements_2(mesh *m, fb_err *e)
{
    int64_t n, v[FIELDS], at;
    FB_PASS(need_integers(m, 1, &n, "the count of elements", e));
    for (int64_t k = 0; k < n; k++) {
        FB_PASS(need_line(m, "an element", e));
        const int got = integers(&m->l, v, FIELDS);
        if (got < 4 || v[2] < 0 || v[2] > got - 3)
            return fb_line_fail(e, &m->l, m->l.p, "number, type, tags, nodes are wanted");
        const int64_t *node = v + 3 + v[2];
        const int count = got - 3 - (int)v[2];
        FB_PASS(element(m, v[0], v[1], node, count, e));
        if (v[2] && v[3]) {
            FB_PASS(find_group(m, dimension(v[1]), unsigned_tag(v[3]), &at, e));
            FB_PASS(join(m->group + at, node, count, e));
        }
    }
    return FB_OK;
}

static fb_status elements_4(mesh *m, fb_err *e)
{
    int64_t head[4], b[4], v[FIELDS];
    FB_PASS(need_integers(m, 4, head, "counts of blocks and elements", e));
    for (int64_t q = 0; q < head[0]; q++) {
        FB_PASS(need_integers(m, 4, b, "dimension, entity, type, count of elements", e));
        for (int64_t k = 0; k < b[3]; k++) {
            FB_PASS(need_line(m, "an element", e));
            const int n = integers(&m->l, v, FIELDS) - 1;
            if (n < 1)
                return fb_line_fail(e, &m->l, m->l.p, "number and nodes of an element are wanted");
            FB_PASS(element(m, v[0], b[2], v + 1, n, e));
            for (int64_t i = 0; i < m->nmember; i++)
                if (m->member[i].dim == b[0] && m->member[i].entity == b[1])
                    FB_PASS(join(m->group + m->member[i].group, v + 1, n, e));
        }
    }
    return FB_OK;
}

static fb_status elements(mesh *m, fb_err *e)
{
    return m->version == 2 ? elements_2(m, e) : elements_4(m, e);
}

/* ---- the file ----------------------------------------------------------------------------- */

static fb_status format(mesh *m, fb_err *e)
{
    double version;
    int64_t binary;
    FB_PASS(need_line(m, "the version", e));
    const char *end = fb_line_end(m->l.p, m->l.end), *p = fb_scan_real(m->l.p, end, &version);
    if (!p || !fb_scan_int(fb_skip_blanks(p, end), end, &binary))
        return fb_line_fail(e, &m->l, m->l.p, "version and kind of file are wanted");
    m->version = version >= 1 && version < 9 ? (int)version : 0;
    if (binary)
        return fb_line_fail(
            e, &m->l, m->l.p,
            "a binary mesh is not read: write text (gmsh -format msh41, without -bin)");
    if (m->version != 2 && !(version > 4.05 && version < 4.95))
        return fb_line_fail(e, &m->l, m->l.p,
                            "versions 2 and 4.1 are read: write one of them (gmsh -format msh41)");
    return FB_OK;
}

static fb_status all_sections(mesh *m, fb_err *e)
{
    static const struct {
        const char *begin, *end;
        fb_status (*read)(mesh *m, fb_err *e);
    } known[] = {{"$MeshFormat", "$EndMeshFormat", format},
                 {"$PhysicalNames", "$EndPhysicalNames", names},
                 {"$Entities", "$EndEntities", entities},
                 {"$Nodes", "$EndNodes", nodes},
                 {"$Elements", "$EndElements", elements}};
    for (; fb_next_line(&m->l); fb_end_line(&m->l))
        for (size_t k = 0; k < sizeof known / sizeof *known; k++)
            if (fb_starts(m->l.p, m->l.end, known[k].begin)) {
                FB_PASS(known[k].read(m, e));
                FB_PASS(end_section(m, known[k].end, e));
                break;
            }
    return FB_OK;
}

/* Groups of one name, of points and of surfaces, are one set. */
static fb_status give_sets(mesh *m, fb_err *e)
{
    for (int64_t k = 0; k < m->ngroup; k++) {
        group *g = m->group + k;
        fb_set *out = NULL;
        for (int64_t q = k + 1; q < m->ngroup; q++)
            if (!strcmp(m->group[q].name, g->name)) {
                FB_PASS(join(g, m->group[q].node, m->group[q].n, e));
                m->group[q].n = 0;
            }
        g->n = fb_unique(g->node, g->n);
        if (!g->n)
            continue;
        FB_PASS(fb_parts_set(m->p, g->name, &out, e));
        out->node = g->node;
        out->n = g->n;
        g->node = NULL;
    }
    return FB_OK;
}

static fb_status give_elements(mesh *m, fb_err *e)
{
    fb_elements *x = &m->elements, drawn = {0};
    const int64_t *node = x->node;
    fb_status s = FB_OK;
    if (!m->solids)
        return fb_elements_take(&m->p->elements, x, e);
    for (int64_t k = 0; k < x->n; node += fb_element_kinds[x->topology[k++]].nodes)
        if (fb_element_kinds[x->topology[k]].solid->dim > 1)
            FB_TRY(fb_elements_add(&drawn, x->id[k], (fb_topology)x->topology[k], node, e));
    x->n = x->nnode = 0; /* what is left in it are types that are not known */
    FB_TRY(fb_elements_take(&m->p->elements, x, e));
    s = fb_elements_take(&m->p->elements, &drawn, e);
out:
    fb_elements_free(&drawn);
    return s;
}

static fb_status read_gmsh(const fb_input *in, fb_parts *p, fb_log *log, fb_err *e)
{
    mesh m = {.l = fb_lines_of(in), .p = p, .name = in->name};
    const int64_t nodes = p->nn, elements = p->elements.n, sets = p->nset;
    fb_status s = all_sections(&m, e);
    if (!s && p->nn == nodes)
        s = fb_fail(e, FB_EFORMAT, "the mesh has no nodes");
    if (!s)
        s = give_sets(&m, e);
    if (!s)
        s = give_elements(&m, e);
    fb_note(log, "%s: %lld nodes, %lld elements, %lld sets", in->name, (long long)(p->nn - nodes),
            (long long)(p->elements.n - elements), (long long)(p->nset - sets));
    for (int64_t k = 0; k < m.ngroup; k++)
        free(m.group[k].node);
    FB_FREE(m.group, m.member);
    fb_elements_free(&m.elements);
    return s;
}

static int sniff(const fb_input *in)
{
    fb_lines l = fb_lines_head(in);
    return fb_next_line(&l) && fb_starts(l.p, l.end, "$MeshFormat");
}

const fb_reader fb_reader_gmsh = {"gmsh", "gmsh mesh: nodes, elements, physical groups as sets",
                                  sniff, read_gmsh};
