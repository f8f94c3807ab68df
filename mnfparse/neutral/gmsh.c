/* SPDX-License-Identifier: GPL-3.0-or-later */
/* gmsh.c - gmsh meshes, text and binary, versions 2, 4.0 (text) and 4.1: nodes, elements, physical
 * groups as sets of nodes.
 *
 * Layout   $MeshFormat  version, 0: text, 8
 *          $PhysicalNames  count; dimension, number, "name"
 *          $Entities (4)  counts of points, curves, surfaces, volumes; of each its number, box (of
 *          points: place), count of physical groups, their numbers, ...
 *          $Nodes     2: count; number, x, y, z. 4: counts; blocks: dimension, entity, parametric,
 *                     count; that many numbers, then that many x, y, z
 *          $Elements  2: count; number, type, count of tags, tags (first: physical group), nodes.
 *                     4: counts; blocks: dimension, entity, type, count; number, nodes
 *          4.0 names the entity before its dimension, gives points a box, and each node is a line:
 *          number, x, y, z
 * Binary   behind the version the integer 1, which tells the order of bytes. 4.1: counts and
 *          numbers of nodes and elements int64, others int32, places double. 2: counts are text;
 *          nodes int32 and 3 double; elements in blocks of type, count, count of tags: number,
 *          tags, nodes, int32
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
    int before41;
    int binary;
    fb_cursor c; /* of binary sections */
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

static fb_status belongs(mesh *m, int64_t dim, int64_t entity, int64_t tag, fb_err *e)
{
    int64_t at = 0;
    FB_PASS(find_group(m, dim, unsigned_tag(tag), &at, e));
    FB_PASS(fb_grow(&m->member, &m->cap_member, m->nmember + 1, sizeof *m->member, e));
    m->member[m->nmember++] = (member){dim, entity, at};
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
    for (int k = 0; p && k < (dim || m->before41 ? 6 : 3); k++)
        p = fb_scan_real(fb_skip_blanks(p, end), end, &x);
    p = p ? fb_scan_int(fb_skip_blanks(p, end), end, &n) : NULL;
    if (!p || n < 0)
        return fb_line_fail(e, &m->l, m->l.p, "number, box and physical groups are wanted");
    for (int64_t k = 0, g; k < n; k++) {
        if (!(p = fb_scan_int(fb_skip_blanks(p, end), end, &g)))
            return fb_line_fail(e, &m->l, m->l.p, "%lld physical groups are wanted", (long long)n);
        FB_PASS(belongs(m, dim, tag, g, e));
    }
    return FB_OK;
}

static fb_status entities_text(mesh *m, fb_err *e)
{
    int64_t n[4];
    FB_PASS(need_integers(m, 4, n, "counts of points, curves, surfaces, volumes", e));
    for (int64_t dim = 0; dim < 4; dim++)
        for (int64_t k = 0; k < n[dim]; k++)
            FB_PASS(entity(m, dim, e));
    return FB_OK;
}

/* ---- nodes -------------------------------------------------------------------------------- */

static fb_status node_lines(mesh *m, int64_t n, fb_err *e)
{
    int64_t id;
    double x[3];
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

static fb_status nodes_2(mesh *m, fb_err *e)
{
    int64_t n;
    FB_PASS(need_integers(m, 1, &n, "the count of nodes", e));
    return node_lines(m, n, e);
}

/* 4.0: blocks of lines like those of version 2. */
static fb_status nodes_40(mesh *m, fb_err *e)
{
    int64_t head[2] = {0}, v[4] = {0};
    FB_PASS(need_integers(m, 2, head, "counts of blocks and nodes", e));
    for (int64_t b = 0; b < head[0]; b++) {
        FB_PASS(need_integers(m, 4, v, "entity, dimension, parametric, count of nodes", e));
        FB_PASS(node_lines(m, v[3], e));
    }
    return FB_OK;
}

static fb_status nodes_4(mesh *m, fb_err *e)
{
    int64_t head[4] = {0}, v[4] = {0}, *id = NULL, cap = 0;
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

/* The nodes join the groups that their entity is in. */
static fb_status of_entity(mesh *m, int64_t dim, int64_t entity, const int64_t *node, int n,
                           fb_err *e)
{
    for (int64_t i = 0; i < m->nmember; i++)
        if (m->member[i].dim == dim && m->member[i].entity == entity)
            FB_PASS(join(m->group + m->member[i].group, node, n, e));
    return FB_OK;
}

/* An element of version 2, whose first tag (0: none) is its group. */
static fb_status element_2(mesh *m, int64_t id, int64_t type, int64_t tag, const int64_t *node,
                           int n, fb_err *e)
{
    int64_t at = 0;
    FB_PASS(element(m, id, type, node, n, e));
    if (!tag)
        return FB_OK;
    FB_PASS(find_group(m, dimension(type), unsigned_tag(tag), &at, e));
    return join(m->group + at, node, n, e);
}

static fb_status elements_2(mesh *m, fb_err *e)
{
    int64_t n = 0, v[FIELDS] = {0};
    FB_PASS(need_integers(m, 1, &n, "the count of elements", e));
    for (int64_t k = 0; k < n; k++) {
        FB_PASS(need_line(m, "an element", e));
        const int got = integers(&m->l, v, FIELDS);
        if (got < 4 || v[2] < 0 || v[2] > got - 3)
            return fb_line_fail(e, &m->l, m->l.p, "number, type, tags, nodes are wanted");
        FB_PASS(element_2(m, v[0], v[1], v[2] ? v[3] : 0, v + 3 + v[2], got - 3 - (int)v[2], e));
    }
    return FB_OK;
}

static fb_status elements_4(mesh *m, fb_err *e)
{
    int64_t head[4] = {0}, b[4] = {0}, v[FIELDS] = {0};
    FB_PASS(need_integers(m, m->before41 ? 2 : 4, head, "counts of blocks and elements", e));
    for (int64_t q = 0; q < head[0]; q++) {
        FB_PASS(need_integers(m, 4, b, "dimension, entity, type, count of elements", e));
        if (m->before41) {
            const int64_t entity = b[0];
            b[0] = b[1];
            b[1] = entity;
        }
        for (int64_t k = 0; k < b[3]; k++) {
            FB_PASS(need_line(m, "an element", e));
            const int n = integers(&m->l, v, FIELDS) - 1;
            if (n < 1)
                return fb_line_fail(e, &m->l, m->l.p, "number and nodes of an element are wanted");
            FB_PASS(element(m, v[0], b[2], v + 1, n, e));
            FB_PASS(of_entity(m, b[0], b[1], v + 1, n, e));
        }
    }
    return FB_OK;
}

/* ---- binary sections ---------------------------------------------------------------------- */

/* The cursor stands on the line behind the one at hand, and the lines go on where it ends. */
static void to_bytes(mesh *m)
{
    fb_end_line(&m->l);
    m->c.pos = (size_t)(m->l.p - (const char *)m->c.data);
}

static void to_lines(mesh *m)
{
    m->l.p = (const char *)m->c.data + m->c.pos;
}

static fb_status ints(mesh *m, int64_t n, int64_t *v, const char *what, fb_err *e)
{
    for (int64_t k = 0; k < n; k++) {
        int32_t x;
        FB_PASS(fb_get_i32(&m->c, &x, what, e));
        v[k] = x;
    }
    return FB_OK;
}

/* Counts and numbers of 4.1 */
static fb_status sizes(mesh *m, int64_t n, int64_t *v, const char *what, fb_err *e)
{
    for (int64_t k = 0; k < n; k++) {
        FB_PASS(fb_get_i64(&m->c, v + k, what, e));
        if (v[k] < 0)
            return fb_fail(e, FB_EFORMAT, "byte %zu: %s: %lld is below zero", m->c.pos - 8, what,
                           (long long)v[k]);
    }
    return FB_OK;
}

static fb_status binary_entities(mesh *m, fb_err *e)
{
    int64_t count[4], tag, n;
    double box[6];
    FB_PASS(sizes(m, 4, count, "counts of points, curves, surfaces, volumes", e));
    for (int64_t dim = 0; dim < 4; dim++)
        for (int64_t k = 0; k < count[dim]; k++) {
            FB_PASS(ints(m, 1, &tag, "an entity", e));
            FB_PASS(fb_get_f64(&m->c, box, dim ? 6 : 3, "box of an entity", e));
            for (int part = 0; part < (dim ? 2 : 1); part++) { /* groups, then what bounds it */
                FB_PASS(sizes(m, 1, &n, "physical groups of an entity", e));
                for (int64_t q = 0, g; q < n; q++) {
                    FB_PASS(ints(m, 1, &g, "physical groups of an entity", e));
                    if (part == 0)
                        FB_PASS(belongs(m, dim, tag, g, e));
                }
            }
        }
    return FB_OK;
}

static fb_status binary_nodes_2(mesh *m, int64_t n, fb_err *e)
{
    int64_t id;
    double x[3];
    for (int64_t k = 0; k < n; k++) {
        FB_PASS(ints(m, 1, &id, "the number of a node", e));
        FB_PASS(fb_get_f64(&m->c, x, 3, "x, y, z of a node", e));
        FB_PASS(fb_parts_node(m->p, id, x, NULL, e));
    }
    return FB_OK;
}

static fb_status binary_nodes_4(mesh *m, fb_err *e)
{
    int64_t head[4] = {0}, v[3] = {0}, n = 0, *id = NULL;
    double x[6];
    fb_status s = FB_OK;
    FB_TRY(sizes(m, 4, head, "counts of blocks and nodes", e));
    for (int64_t b = 0; b < head[0]; b++) {
        FB_TRY(ints(m, 3, v, "dimension, entity, parametric", e));
        FB_TRY(sizes(m, 1, &n, "count of nodes", e));
        FB_TRY(fb_need(&m->c, n, 32, "nodes", e));
        free(id);
        id = NULL;
        FB_TRY(fb_new(&id, n, 8, "numbers of nodes", e));
        FB_TRY(sizes(m, n, id, "numbers of nodes", e));
        const int64_t along = v[2] && v[0] > 0 && v[0] <= 3 ? v[0] : 0;
        for (int64_t k = 0; k < n; k++) {
            FB_TRY(fb_get_f64(&m->c, x, 3 + along, "x, y, z of a node", e));
            FB_TRY(fb_parts_node(m->p, id[k], x, NULL, e));
        }
    }
out:
    free(id);
    return s;
}

/* Where the next element begins is known of known types alone. */
static fb_status nodes_of_type(int64_t type, int *n, fb_err *e)
{
    if (type < 1 || type >= (int64_t)(sizeof types / sizeof *types))
        return fb_fail(e, FB_EFORMAT,
                       "elements of type %lld in a binary mesh: how long they are is not known; "
                       "write text (gmsh -format msh41, without -bin)",
                       (long long)type);
    *n = types[type].nodes;
    return FB_OK;
}

static fb_status binary_elements_2(mesh *m, int64_t n, fb_err *e)
{
    int64_t head[3] = {0}, v[FIELDS] = {0};
    for (int64_t k = 0; k < n;) {
        int count = 0;
        FB_PASS(ints(m, 3, head, "type, count, count of tags of elements", e));
        FB_PASS(nodes_of_type(head[0], &count, e));
        if (head[1] < 1 || head[1] > n - k || head[2] < 0 || head[2] > TAGS)
            return fb_fail(e, FB_EFORMAT, "byte %zu: %lld elements of %lld tags; %lld are left",
                           m->c.pos, (long long)head[1], (long long)head[2], (long long)(n - k));
        for (int64_t q = 0; q < head[1]; q++, k++) {
            FB_PASS(ints(m, 1 + head[2] + count, v, "an element", e));
            FB_PASS(element_2(m, v[0], head[0], head[2] ? v[1] : 0, v + 1 + head[2], count, e));
        }
    }
    return FB_OK;
}

static fb_status binary_elements_4(mesh *m, fb_err *e)
{
    int64_t head[4] = {0}, b[3] = {0}, n = 0, v[FIELDS] = {0};
    FB_PASS(sizes(m, 4, head, "counts of blocks and elements", e));
    for (int64_t q = 0; q < head[0]; q++) {
        int count = 0;
        FB_PASS(ints(m, 3, b, "dimension, entity, type of elements", e));
        FB_PASS(sizes(m, 1, &n, "count of elements", e));
        FB_PASS(nodes_of_type(b[2], &count, e));
        for (int64_t k = 0; k < n; k++) {
            FB_PASS(sizes(m, 1 + count, v, "an element", e));
            FB_PASS(element(m, v[0], b[2], v + 1, count, e));
            FB_PASS(of_entity(m, b[0], b[1], v + 1, count, e));
        }
    }
    return FB_OK;
}

/* ---- sections ----------------------------------------------------------------------------- */

static fb_status entities(mesh *m, fb_err *e)
{
    if (!m->binary)
        return entities_text(m, e);
    to_bytes(m);
    FB_PASS(binary_entities(m, e));
    to_lines(m);
    return FB_OK;
}

/* Counts of binary sections of version 2 are text. */
static fb_status binary_count(mesh *m, int64_t *n, fb_err *e)
{
    *n = 0;
    if (m->version == 2)
        FB_PASS(need_integers(m, 1, n, "a count", e));
    to_bytes(m);
    return FB_OK;
}

static fb_status nodes(mesh *m, fb_err *e)
{
    int64_t n;
    if (!m->binary)
        return m->version == 2 ? nodes_2(m, e) : m->before41 ? nodes_40(m, e) : nodes_4(m, e);
    FB_PASS(binary_count(m, &n, e));
    FB_PASS(m->version == 2 ? binary_nodes_2(m, n, e) : binary_nodes_4(m, e));
    to_lines(m);
    return FB_OK;
}

static fb_status elements(mesh *m, fb_err *e)
{
    int64_t n;
    if (!m->binary)
        return m->version == 2 ? elements_2(m, e) : elements_4(m, e);
    FB_PASS(binary_count(m, &n, e));
    FB_PASS(m->version == 2 ? binary_elements_2(m, n, e) : binary_elements_4(m, e));
    to_lines(m);
    return FB_OK;
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
    m->binary = binary != 0;
    m->before41 = m->version == 4 && version < 4.05;
    if ((m->version != 2 && !(version > 3.95 && version < 4.95)) || (m->binary && m->before41))
        return fb_line_fail(e, &m->l, m->l.p,
                            "text of versions 2, 4.0 and 4.1 and binary 2 and 4.1 are read: write "
                            "one of them (gmsh -format msh41)");
    if (!m->binary)
        return FB_OK;
    int32_t one = 0;
    to_bytes(m);
    FB_PASS(fb_get_i32(&m->c, &one, "the integer 1", e));
    if (one != 1) {
        m->c.little = !m->c.little;
        m->c.pos -= 4;
        FB_PASS(fb_get_i32(&m->c, &one, "the integer 1", e));
    }
    to_lines(m);
    return one == 1 ? FB_OK
                    : fb_fail(e, FB_EFORMAT, "byte %zu: the integer 1 is wanted", m->c.pos - 4);
}

/* To the line that closes a section of other bytes. */
static void pass_over(mesh *m)
{
    static const char close[] = "\n$End";
    const char *p = m->l.p;
    while ((p = memchr(p, '\n', (size_t)(m->l.end - p))) &&
           !((size_t)(m->l.end - p) >= sizeof close - 1 && !memcmp(p, close, sizeof close - 1)))
        p++;
    m->l.p = p ? p + 1 : m->l.end;
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
    for (; fb_next_line(&m->l); fb_end_line(&m->l)) {
        size_t k = 0;
        while (k < sizeof known / sizeof *known && !fb_starts(m->l.p, m->l.end, known[k].begin))
            k++;
        if (k < sizeof known / sizeof *known) {
            FB_PASS(known[k].read(m, e));
            FB_PASS(end_section(m, known[k].end, e));
        } else if (m->binary) {
            pass_over(m);
        }
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
    mesh m = {.l = fb_lines_of(in),
              .p = p,
              .name = in->name,
              .c = {.data = in->data, .size = in->size, .little = 1}};
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

const fb_reader fb_reader_gmsh = {
    .name = "gmsh",
    .doc = "gmsh mesh: nodes, elements, physical groups as sets",
    .sniff = sniff,
    .read = read_gmsh,
};
