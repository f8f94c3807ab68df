/* SPDX-License-Identifier: GPL-3.0-or-later */
/* unv.c - universal file (UFF): nodes, elements and normal modes.
 *
 * Layout   data sets between lines that hold -1 in columns 5 and 6; the first line of a set is its
 *          number 15, 781, 2411 nodes; 82 trace lines; 780, 2412 elements; 18, 2420 coordinate
 *          systems; 55, 2414 results at nodes; 164 units; others are stepped over, 58b (binary) by
 *          the byte count of its first line
 * Fields   of fixed width: neighbours may touch. Numbers parted by blanks are taken as they stand
 * Modes    analysis types 2 (normal modes), 3 and 7 (complex modes), displacements. Real ones with
 *          generalized masses: M = diag(m), K = diag(m w^2); of complex ones the shapes and
 *          |lambda|/(2 pi)
 * Stress   analysis types 1 (static) and 2, quantity 2, symmetric global tensors xx xy yy xz yz zz;
 *          of the displacements of the same type and number. Strain is left: writers differ on
 *          angles
 * Units    164: SI = value / factor
 * Systems  places of 15 in a rectangular definition system and displacements in any system become
 *          global:
 *   (UV.1) 18     x along p1 - o, y = (p2 - o) x x, z = x x y: p2 lies in the xz plane
 *   (UV.2) 2420   rows 1 to 3 of the matrix are the axes, row 4 the origin: [x y z 1] T
 *   (UV.3) the axes of a cylindrical or spherical system turn with the place of the node
 * Refused  places in curved systems (writers differ on angles) and in an export system of 2411
 * Source   SDRL, University of Cincinnati, Universal file formats for modal analysis testing
 */
#include "elements.h"
#include "memory.h"
#include "text/lines.h"
#include "reader.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#define TWO_PI 6.283185307179586

enum { STATIC = 1, NORMAL_MODE = 2, COMPLEX_MODE = 3, COMPLEX_MODE_2 = 7 }; /* analysis */
enum { STRESS = 2, DISPLACEMENT = 8, AT_NODES = 1, SYMMETRIC_TENSOR = 4 };

typedef struct {
    int64_t id, definition, system,
        fine;       /* of place, of displacements; fine: from a set of full precision */
    int64_t turned; /* 1 + the system of its displacements, 0: global */
    double xyz[3];
    const char *at;
} unv_node;

enum { RECTANGULAR, CYLINDRICAL, SPHERICAL };

typedef struct {
    int64_t label, type, reference;
    int global;                /* origin and axes of the basic system */
    int state;                 /* 1: being resolved, 2: global axes and origin are known */
    int64_t by;                /* while it is: the system that asks for it, -1: none */
    double axis[9], origin[3]; /* rows x y z, in the reference system until resolved */
    const char *at;
} unv_system;

typedef struct {
    int64_t set, number, n, cap;
    double frequency, mass, damping;
    const char *at;
    int64_t *node; /* [n]   */
    double *v, *w; /* [n,6] real and imaginary parts */
    int64_t cap_v, cap_w;
    double real, imag;        /* largest parts */
    int64_t analysis, stress; /* 1 + its place among the tensors, 0: none */
} unv_mode;

typedef struct {
    fb_lines t;
    const char *p, *q, *next; /* the line: p..q without its end */
    const char *opened;       /* first line of the set */
    int64_t set;
    fb_log *log;
    fb_units units;
    fb_elements elements;
    unv_node *node;
    unv_system *system;
    unv_mode *mode;
    unv_mode *still, *tensor; /* static answers; stress of either */
    int64_t nstill, cap_still, ntensor, cap_tensor;
    int stressed; /* static answers are wanted */
    int64_t nn, cap_node, ns, cap_system, nm, cap_mode;
    char seen[128]; /* set numbers, for messages */
} unv;

/* ---- lines and fields ------------------------------------------------------------------- */

static int next_line(unv *u)
{
    u->p = u->next;
    const char *end = fb_line_end(u->p, u->t.end);
    u->q = fb_trim_end(u->p, end);
    u->next = end < u->t.end ? end + 1 : end;
    return u->p < u->t.end;
}

/* -1 right-adjusted in the first six columns; a node label -1 stands further right. */
static int is_mark(const char *p, const char *q)
{
    const char *a = fb_skip_blanks(p, q);
    return q - a == 2 && a[0] == '-' && a[1] == '1' && a - p <= 4;
}

/* The next line, where it belongs to the set. */
static int in_set(unv *u)
{
    return next_line(u) && !is_mark(u->p, u->q);
}

static fb_status bad(const unv *u, const char *what, fb_err *e)
{
    return fb_fail_at(e, &u->t, u->p, "set %lld: %s, found '%.*s'", (long long)u->set, what,
                      (int)(u->q - u->p < 60 ? u->q - u->p : 60), u->p);
}

/* A line within the set. */
static fb_status need_line(unv *u, const char *what, fb_err *e)
{
    if (!next_line(u))
        return fb_fail(e, FB_EFORMAT,
                       "the file ends within set %lld, opened in line %lld: %s is missing",
                       (long long)u->set, fb_line_number(&u->t, u->opened), what);
    if (is_mark(u->p, u->q))
        return fb_fail_at(e, &u->t, u->p, "set %lld ends, %s is missing", (long long)u->set, what);
    return FB_OK;
}

static fb_status skip_lines(unv *u, int n, const char *what, fb_err *e)
{
    fb_status s = FB_OK;
    for (int k = 0; !s && k < n; k++)
        s = need_line(u, what, e);
    return s;
}

/* The whole numbers of a line in fields of ten, or -1; absent ones are 0. */
static int ints(const char *p, const char *q, int width, int64_t *v, int most)
{
    int n = 0;
    for (int k = 0; k < most; k++)
        v[k] = 0;
    for (; n < most && p<q; n++, p = q - p> width ? p + width : q) {
        const char *end = q - p > width ? p + width : q, *a = fb_skip_blanks(p, end),
                   *b = fb_trim_end(a, end);
        if (a < b && fb_scan_int(a, b, v + n) != b)
            return -1;
    }
    return n;
}

/* The reals of a line: parted by blanks or, where they touch, in fields of `width`. */
static int reals(const char *p, const char *q, int width, double *v, int most)
{
    int n = 0;
    const char *a = fb_skip_blanks(p, q), *b;
    while (a < q && n < most && (b = fb_scan_real(a, q, v + n)) != NULL &&
           (b == q || *b == ' ' || *b == '\t')) {
        n++;
        a = fb_skip_blanks(b, q);
    }
    if (a == q)
        return n;
    for (n = 0; p < q && n<most; n++, p = q - p> width ? p + width : q) {
        const char *end = q - p > width ? p + width : q;
        a = fb_skip_blanks(p, end);
        b = fb_trim_end(a, end);
        if (a == b || fb_scan_real(a, b, v + n) != b)
            return -1;
    }
    return n;
}

/* n reals from as many lines as they take. */
static fb_status need_reals(unv *u, int n, int width, double *v, const char *what, fb_err *e)
{
    for (int k = 0; k < n;) {
        FB_PASS(need_line(u, what, e));
        int got = reals(u->p, u->q, width, v + k, n - k);
        if (got < 1)
            return bad(u, what, e);
        k += got;
    }
    return FB_OK;
}

/* ---- units, coordinate systems, nodes --------------------------------------------------- */

/* I10 code, A20, I10; factors of length, force, temperature; SI = value / factor. */
static fb_status set_units(unv *u, fb_err *e)
{
    static const struct {
        double length, force; /* SI units of one */
        const char *name[FB_NUNIT];
    } known[] = {
        {1, 1, {"kg", "m", "s", "N"}},
        {1e-3, 1, {"t", "mm", "s", "N"}},
        {1e-3, 1e-3, {"kg", "mm", "s", "mN"}},
        {0.0254, 4.4482216152605, {"slinch", "in", "s", "lbf"}},
        {0.3048, 4.4482216152605, {"slug", "ft", "s", "lbf"}},
    };
    double f[4];
    FB_PASS(skip_lines(u, 1, "the code of the units", e));
    FB_PASS(need_reals(u, 3, 25, f, "factors of length, force, temperature", e));
    if (!(f[0] > 0) || !(f[1] > 0))
        return bad(u, "positive factors are wanted", e);
    fb_units_unnamed(&u->units);
    size_t k = 0, n = sizeof known / sizeof *known;
    while (k < n &&
           (fabs(known[k].length * f[0] - 1) > 1e-6 || fabs(known[k].force * f[1] - 1) > 1e-6))
        k++;
    for (int q = 0; k < n && q < FB_NUNIT; q++)
        if (!fb_units_set(&u->units, (fb_unitkind)q, known[k].name[q]))
            return fb_fail(e, FB_EFORMAT, "unit %s is not known", known[k].name[q]);
    if (k == n)
        fb_warn(
            u->log,
            "line %lld: no name is known for units of %g m and %g N: the units stay without names",
            fb_line_number(&u->t, u->p), 1 / f[0], 1 / f[1]);
    return FB_OK;
}

/* (UV.1) */
static int from_points(const double v[9], unv_system *c)
{
    double *x = c->axis, *y = x + 3, *z = x + 6, q[3];
    for (int k = 0; k < 3; k++) {
        c->origin[k] = v[k];
        x[k] = v[3 + k] - v[k];
        q[k] = v[6 + k] - v[k];
    }
    int good = fb_unit3(x) > 0 && fb_unit3(q) > 0;
    fb_cross(q, x, y);
    good = good && y[0] * y[0] + y[1] * y[1] + y[2] * y[2] > 1e-8 && fb_unit3(y) > 0;
    fb_cross(x, y, z);
    return good;
}

/* (UV.2) */
static int from_rows(const double v[12], unv_system *c)
{
    double off = 0;
    memcpy(c->axis, v, sizeof c->axis);
    memcpy(c->origin, v + 9, sizeof c->origin);
    for (int i = 0; i < 3; i++)
        for (int k = 0; k < 3; k++) {
            double dot = 0;
            for (int q = 0; q < 3; q++)
                dot += v[3 * i + q] * v[3 * k + q];
            off = fmax(off, fabs(dot - (i == k)));
        }
    return off < 1e-4;
}

/* Per system: label, type, reference (18) ...; name; then n numbers: three points, or four rows. */
static fb_status systems(unv *u, int fields, int n, int width, const char *what, fb_err *e)
{
    while (in_set(u)) {
        int64_t v[5] = {0};
        double x[12];
        unv_system c = {.at = u->p};
        if (ints(u->p, u->q, 10, v, fields) < 1)
            return bad(u, "label and type of a coordinate system are wanted", e);
        FB_PASS(skip_lines(u, 1, "its name", e));
        FB_PASS(need_reals(u, n, width, x, what, e));
        c.label = v[0];
        c.type = v[1];
        c.reference = n == 9 ? v[2] : 0;
        if (c.type < RECTANGULAR || c.type > SPHERICAL ||
            !(n == 9 ? from_points : from_rows)(x, &c))
            return fb_fail_at(
                e, &u->t, c.at,
                "coordinate system %lld: a type 0, 1, 2 and three points that are not "
                "on a line, or three axes normal to each other, are wanted",
                (long long)c.label);
        c.global = c.type == RECTANGULAR && !c.reference;
        for (int k = 0; k < 9; k++)
            c.global = c.global && c.axis[k] == (k % 4 == 0) && c.origin[k % 3] == 0;
        FB_PASS(fb_grow(&u->system, &u->cap_system, u->ns + 1, sizeof *u->system, e));
        u->system[u->ns++] = c;
    }
    return FB_OK;
}

static fb_status set_18(unv *u, fb_err *e) /* origin, point on x, point in the xz plane */
{
    return systems(u, 5, 9, 13, "origin and two points", e);
}

static fb_status set_2420(unv *u, fb_err *e) /* part number and name; three rows of axes, origin */
{
    FB_PASS(skip_lines(u, 2, "number and name of the part", e));
    return systems(u, 3, 12, 25, "four rows of three numbers", e);
}

static fb_status add_node(unv *u, const int64_t v[4], const double xyz[3], int fine, const char *at,
                          fb_err *e)
{
    FB_PASS(fb_grow(&u->node, &u->cap_node, u->nn + 1, sizeof *u->node, e));
    u->node[u->nn++] = (unv_node){.id = v[0],
                                  .definition = v[1],
                                  .system = v[2],
                                  .fine = fine,
                                  .xyz = {xyz[0], xyz[1], xyz[2]},
                                  .at = at};
    return FB_OK;
}

/* 4I10, 3E13.5: label, definition and displacement system, colour, x, y, z. */
static fb_status set_15(unv *u, fb_err *e)
{
    while (in_set(u)) {
        int64_t v[4];
        double x[3];
        const char *end = u->q - u->p > 40 ? u->p + 40 : u->q;
        if (ints(u->p, end, 10, v, 4) != 4 || reals(end, u->q, 13, x, 3) != 3)
            return bad(u, "a node is label, two systems, colour in I10 and x, y, z in E13.5", e);
        FB_PASS(add_node(u, v, x, 0, u->p, e));
    }
    return FB_OK;
}

/* 4I10, then 3D25.16. */
static fb_status set_2411(unv *u, fb_err *e)
{
    while (in_set(u)) {
        int64_t v[4];
        double x[3];
        const char *at = u->p;
        if (ints(u->p, u->q, 10, v, 4) < 1 || v[0] == 0)
            return bad(u, "a node label is wanted", e);
        FB_PASS(need_line(u, "x, y, z of a node", e));
        if (reals(u->p, u->q, 25, x, 3) != 3)
            return bad(u, "x, y, z of a node are wanted", e);
        FB_PASS(add_node(u, v, x, 1, at, e));
    }
    return FB_OK;
}

/* ---- elements --------------------------------------------------------------------------- */

/* Second-order elements go around each layer, corner, middle, corner; canon[k]: where node k of
 * fb_element_kinds stands. */
static void element_order(fb_topology t, int64_t node[FB_ELEMENT_NODES])
{
    static const unsigned char canon[FB_NTOPOLOGY][20] = {
        [FB_LINE3] = {0, 2, 1},
        [FB_TRIA6] = {0, 2, 4, 1, 3, 5},
        [FB_QUAD8] = {0, 2, 4, 6, 1, 3, 5, 7},
        [FB_TETRA10] = {0, 2, 4, 9, 1, 3, 5, 6, 7, 8},
        [FB_PENTA15] = {0, 2, 4, 9, 11, 13, 1, 3, 5, 10, 12, 14, 6, 7, 8},
        [FB_HEXA20] = {0, 2, 4, 6, 12, 14, 16, 18, 1, 3, 5, 7, 13, 15, 17, 19, 8, 9, 10, 11},
    };
    int64_t w[FB_ELEMENT_NODES];
    if (!canon[t][1])
        return;
    memcpy(w, node, sizeof w);
    for (int k = 0; k < fb_element_kinds[t].nodes; k++)
        node[k] = w[canon[t][k]];
}

/* What the descriptor says: 11 to 39 rods, beams, pipes, 41 to 99 surfaces, 101 to 119 solids, 121
 * to 149 rigid bars, springs, dampers and gaps, 161 a mass. */
static fb_topology topology_of(int64_t descriptor, int64_t nodes)
{
    const int line = descriptor < 40 || (descriptor > 120 && descriptor < 150);
    const int surface = descriptor > 40 && descriptor < 100;
    if (descriptor < 11 || (descriptor > 149 && descriptor != 161) ||
        (surface && descriptor % 10 % 3 == 0)) /* cubic ones: 43, 46, 53, ... */
        return FB_UNKNOWN;
    if (descriptor == 161 || (line && nodes == 1))
        return FB_POINT;
    return fb_topology_of(line ? 1 : surface ? 2 : 3, nodes);
}

/* n node numbers in lines of eight; what exceeds node[] is passed over. */
static fb_status need_nodes(unv *u, int64_t n, int64_t *node, fb_err *e)
{
    int64_t k = 0;
    while (k < n) {
        int64_t v[8] = {0};
        FB_PASS(need_line(u, "the nodes of an element", e));
        const int got = ints(u->p, u->q, 10, v, 8);
        if (got < 1)
            return bad(u, "the nodes of an element are wanted", e);
        for (int q = 0; q < got && k < n; q++, k++)
            if (k < FB_ELEMENT_NODES)
                node[k] = v[q];
    }
    return FB_OK;
}

/* 6I10 (780: 8I10) label, descriptor, ..., number of nodes; of beams orientation and sections;
 * nodes in 8I10. */
static fb_status set_2412(unv *u, fb_err *e)
{
    const int fields = u->set == 780 ? 8 : 6;
    while (in_set(u)) {
        int64_t v[8], node[FB_ELEMENT_NODES] = {0};
        char type[24];
        if (ints(u->p, u->q, 10, v, fields) != fields || v[fields - 1] < 1)
            return bad(u, "label, descriptor and number of nodes of an element are wanted", e);
        const int64_t n = v[fields - 1];
        const fb_topology t = topology_of(v[1], n);
        if (v[1] >= 11 && v[1] < 40) { /* some writers give rods no line of orientation */
            const char *at = u->next;
            int64_t w[4];
            FB_PASS(need_line(u, "the orientation of a beam", e));
            if (v[1] == 11 && ints(u->p, u->q, 10, w, 4) == n)
                u->next = at;
        }
        FB_PASS(need_nodes(u, n, node, e));
        snprintf(type, sizeof type, "%lld", (long long)v[1]);
        if (t == FB_UNKNOWN)
            FB_PASS(fb_elements_odd(&u->elements, type, e));
        if (t >= FB_NTOPOLOGY)
            continue;
        element_order(t, node);
        FB_PASS(fb_elements_add(&u->elements, v[0], t, node, e));
    }
    return FB_OK;
}

/* 3I10 number, count of nodes, colour; a name; the nodes in 8I10, where 0 lifts the pen. */
static fb_status set_82(unv *u, fb_err *e)
{
    while (in_set(u)) {
        int64_t v[3], last = 0;
        if (ints(u->p, u->q, 10, v, 3) < 2 || v[1] < 0)
            return bad(u, "number and count of nodes of a trace line are wanted", e);
        FB_PASS(skip_lines(u, 1, "its name", e));
        for (int64_t k = 0, w[8]; k < v[1];) {
            FB_PASS(need_line(u, "the nodes of a trace line", e));
            const int got = ints(u->p, u->q, 10, w, 8);
            if (got < 1)
                return bad(u, "the nodes of a trace line are wanted", e);
            for (int q = 0; q < got && k < v[1]; q++, k++) {
                if (last && w[q])
                    FB_PASS(
                        fb_elements_add(&u->elements, v[0], FB_LINE2, (int64_t[]){last, w[q]}, e));
                last = w[q];
            }
        }
    }
    return FB_OK;
}

/* ---- modes ------------------------------------------------------------------------------ */

typedef struct { /* what the heads of 55 and 2414 have in common */
    int64_t analysis, characteristic, quantity, type, values;
} head;

/* Node label, then its values, until the set ends. */
static fb_status values_at_nodes(unv *u, const head *h, unv_mode *m, fb_err *e)
{
    const int complex = h->type == 5 || h->type == 6, n = (int)h->values;
    while (in_set(u)) {
        int64_t id;
        double v[12] = {0};
        if (ints(u->p, u->q, 10, &id, 1) != 1 || u->q - u->p > 10)
            return bad(u, "a node label is wanted", e);
        FB_PASS(need_reals(u, complex ? 2 * n : n, 13, v, "values of a node", e));
        FB_PASS(fb_grow(&m->node, &m->cap, m->n + 1, sizeof *m->node, e));
        FB_PASS(fb_grow(&m->v, &m->cap_v, 6 * (m->n + 1), sizeof *m->v, e));
        if (complex)
            FB_PASS(fb_grow(&m->w, &m->cap_w, 6 * (m->n + 1), sizeof *m->w, e));
        m->node[m->n] = id;
        for (int k = 0; k < 6; k++) {
            double re = k < n ? v[complex ? 2 * k : k] : 0,
                   im = k < n && complex ? v[2 * k + 1] : 0;
            m->v[6 * m->n + k] = re;
            if (complex)
                m->w[6 * m->n + k] = im;
            m->real = fmax(m->real, fabs(re));
            m->imag = fmax(m->imag, fabs(im));
        }
        m->n++;
    }
    return FB_OK;
}

static fb_status step_over(unv *u, fb_err *e)
{
    while (next_line(u))
        if (is_mark(u->p, u->q))
            return FB_OK;
    return fb_fail(e, FB_EFORMAT, "the file ends within set %lld, opened in line %lld",
                   (long long)u->set, fb_line_number(&u->t, u->opened));
}

/* A shape at the end of a list, with the values of its nodes. */
static fb_status take_shape(unv *u, const head *h, const unv_mode *as, unv_mode **list, int64_t *n,
                            int64_t *cap, fb_err *e)
{
    if ((h->values != 3 && h->values != 6) || h->type < 2 || h->type > 6 || h->type == 3)
        return fb_fail_at(e, &u->t, u->opened,
                          "a mode shape with %lld values a node of data type %lld; 3 or 6 of type "
                          "2, 4, 5, 6 are understood",
                          (long long)h->values, (long long)h->type);
    FB_PASS(fb_grow(list, cap, *n + 1, sizeof **list, e));
    unv_mode *m = *list + (*n)++;
    *m = *as;
    m->set = u->set;
    m->at = u->opened;
    m->analysis = h->analysis;
    FB_PASS(values_at_nodes(u, h, m, e));
    return m->n ? FB_OK : fb_fail_at(e, &u->t, u->opened, "a mode shape without values");
}

/* The values of a mode or static answer whose head is read, or a step over what is none. */
static fb_status take_mode(unv *u, const head *h, const unv_mode *as, fb_err *e)
{
    const int normal = h->analysis == NORMAL_MODE, real = h->type == 2 || h->type == 4,
              complex = h->analysis == COMPLEX_MODE || h->analysis == COMPLEX_MODE_2,
              still = h->analysis == STATIC && real;
    if (still && u->stressed && h->quantity == DISPLACEMENT)
        return take_shape(u, h, as, &u->still, &u->nstill, &u->cap_still, e);
    if ((still ? u->stressed : normal && real) && h->quantity == STRESS &&
        h->characteristic == SYMMETRIC_TENSOR && h->values == 6)
        return take_shape(u, h, as, &u->tensor, &u->ntensor, &u->cap_tensor, e);
    if ((!normal && !complex) || h->quantity != DISPLACEMENT) {
        fb_note(u->log,
                "line %lld: set %lld is not used: analysis type %lld, quantity %lld (2 and 8 are "
                "normal modes, displacements)",
                fb_line_number(&u->t, u->opened), (long long)u->set, (long long)h->analysis,
                (long long)h->quantity);
        return step_over(u, e);
    }
    FB_PASS(take_shape(u, h, as, &u->mode, &u->nm, &u->cap_mode, e));
    unv_mode *m = u->mode + u->nm - 1;
    if (m->imag <= 1e-6 * m->real) { /* real but for rounding */
        FB_FREE(m->w);
    } else {
        m->mass = 0;
        fb_note(u->log, "line %lld: mode %lld is complex (largest real part %g, imaginary part %g)",
                fb_line_number(&u->t, u->opened), (long long)m->number, m->real, m->imag);
    }
    return FB_OK;
}

/* 6I10: model, analysis, characteristic, quantity, type, values. */
static fb_status types(unv *u, head *h, fb_err *e)
{
    int64_t v[6];
    FB_PASS(skip_lines(u, 5, "a line of the text", e));
    FB_PASS(need_line(u, "the types of the results", e));
    if (ints(u->p, u->q, 10, v, 6) != 6)
        return bad(u, "six whole numbers are wanted", e);
    *h = (head){v[1], v[2], v[3], v[4], v[5]};
    return FB_OK;
}

/* Of a complex eigenvalue: -Re / |lambda|. */
static double ratio(const double lambda[2])
{
    const double size = hypot(lambda[0], lambda[1]);
    return size > 0 ? -lambda[0] / size : 0;
}

/* The viscous damping ratio, else half of the hysteretic one behind it: at resonance they are
 * one. */
static double viscous(const double r[2])
{
    return r[0] > 0 ? r[0] : r[1] / 2;
}

/* Five texts; 6I10 model, analysis, characteristic, quantity, type, values; integers; reals. */
static fb_status set_55(unv *u, fb_err *e)
{
    int64_t v[8] = {0};
    double r[12] = {0};
    head h = {0};
    FB_PASS(types(u, &h, e));
    FB_PASS(need_line(u, "the counts of numbers", e));
    if (ints(u->p, u->q, 10, v, 8) < 2 || v[0] < 0 || v[0] > 100 || v[1] < 0 || v[1] > 12)
        return bad(u, "counts of whole and real numbers are wanted", e);
    const int64_t more = v[0] > 6 ? (v[0] - 6 + 7) / 8 : 0;
    unv_mode m = {.number = h.analysis == STATIC ? v[2] : v[0] >= 2 ? v[3] : 0};
    int nr = (int)v[1];
    FB_PASS(skip_lines(u, (int)more, "a line of whole numbers", e));
    FB_PASS(need_reals(u, nr, 13, r, "the real numbers of the head", e));
    if (nr == 0)
        FB_PASS(need_line(u, "the line of real numbers", e));
    m.frequency = r[0];
    if (h.analysis == COMPLEX_MODE || h.analysis == COMPLEX_MODE_2) {
        m.frequency = hypot(r[0], r[1]) / TWO_PI;
        m.damping = ratio(r);
    } else if (h.analysis == NORMAL_MODE) {
        m.mass = nr > 1 ? r[1] : 0;
        m.damping = nr > 2 ? viscous(r + 2) : 0;
    }
    return take_mode(u, &h, &m, e);
}

/* Label; name; place; five texts; 6I10; 2 x 8I10 (item 6: mode); 6E13.5 time, frequency,
 * eigenvalue, generalized mass, two dampings; 6E13.5. */
static fb_status set_2414(unv *u, fb_err *e)
{
    int64_t v[8] = {0}, place;
    double r[12];
    head h = {0};
    FB_PASS(skip_lines(u, 2, "label and name", e));
    FB_PASS(need_line(u, "the place of the results", e));
    if (ints(u->p, u->q, 10, &place, 1) != 1)
        return bad(u, "the place of the results is wanted", e);
    FB_PASS(types(u, &h, e));
    FB_PASS(need_line(u, "the numbers of the analysis", e));
    if (ints(u->p, u->q, 10, v, 8) < 6)
        return bad(u, "eight whole numbers are wanted", e);
    unv_mode m = {.number = h.analysis == STATIC ? v[4] : v[5]};
    FB_PASS(skip_lines(u, 1, "the second line of whole numbers", e));
    FB_PASS(need_reals(u, 12, 13, r, "time, frequency, eigenvalue, mass and dampings", e));
    if (place != AT_NODES)
        return step_over(u, e);
    m.frequency = r[1];
    if (h.analysis == NORMAL_MODE) {
        m.mass = r[3];
        m.damping = viscous(r + 4);
    } else if (r[6] != 0 || r[7] != 0) {
        m.frequency = hypot(r[6], r[7]) / TWO_PI;
        m.damping = ratio(r + 6);
    } else {
        m.damping = viscous(r + 4);
    }
    return take_mode(u, &h, &m, e);
}

/* ---- sets ------------------------------------------------------------------------------- */

/* The first line of 58b: ..., number of text lines (11), number of bytes behind them. */
static fb_status binary(unv *u, const char *p, fb_err *e)
{
    int64_t v[4];
    for (int k = 0; k < 4; k++) {
        p = fb_scan_int(fb_skip_blanks(p, u->q), u->q, v + k);
        if (!p || v[k] < 0)
            return bad(u, "a binary set begins with byte order, number format, lines and bytes", e);
    }
    for (int64_t k = 0; k < v[2] && next_line(u); k++)
        ;
    if (v[3] > u->t.end - u->next)
        return fb_fail(e, FB_EFORMAT,
                       "set %lldb, opened in line %lld: %lld bytes announced, %lld left",
                       (long long)u->set, fb_line_number(&u->t, u->opened), (long long)v[3],
                       (long long)(u->t.end - u->next));
    u->next += v[3];
    return step_over(u, e);
}

static fb_status one_set(unv *u, fb_err *e)
{
    static const struct {
        int64_t set;
        fb_status (*read)(unv *u, fb_err *e);
    } sets[] = {{15, set_15},     {781, set_2411}, {2411, set_2411}, {18, set_18},
                {2420, set_2420}, {55, set_55},    {2414, set_2414}, {164, set_units},
                {82, set_82},     {780, set_2412}, {2412, set_2412}};
    if (!next_line(u))
        return fb_fail(e, FB_EFORMAT, "the file ends where a set should begin");
    const char *a = fb_skip_blanks(u->p, u->q), *b = fb_scan_int(a, u->q, &u->set);
    u->opened = u->p;
    if (!b || u->set < 1 || (b < u->q && *b != ' ' && *b != '\t' && *b != 'b' && *b != 'B'))
        return fb_fail_at(e, &u->t, u->p, "the number of a set is wanted, found '%.*s'",
                          (int)(u->q - u->p < 40 ? u->q - u->p : 40), u->p);
    size_t at = strlen(u->seen);
    snprintf(u->seen + at, sizeof u->seen - at, "%s%lld", at ? ", " : "", (long long)u->set);
    if (b < u->q && (*b == 'b' || *b == 'B'))
        return binary(u, b + 1, e);
    for (size_t k = 0; k < sizeof sets / sizeof *sets; k++) {
        if (sets[k].set != u->set)
            continue;
        fb_status s = sets[k].read(u, e);
        if (s || (u->p < u->t.end && is_mark(u->p, u->q)))
            return s;
        return step_over(u, e);
    }
    return step_over(u, e);
}

static fb_status all_sets(unv *u, fb_err *e)
{
    while (next_line(u)) {
        if (u->p == u->q)
            continue;
        if (!is_mark(u->p, u->q))
            return fb_fail_at(e, &u->t, u->p, "'    -1', which opens a set, is wanted");
        if (!next_line(u)) /* some writers end with a mark of its own */
            return FB_OK;
        u->next = u->p;
        FB_PASS(one_set(u, e));
    }
    return FB_OK;
}

/* ---- what it all gives ------------------------------------------------------------------ */

static int by_label(const void *a, const void *b)
{
    const unv_node *x = a, *y = b;
    if (x->id != y->id)
        return x->id < y->id ? -1 : 1;
    return x->fine != y->fine ? (x->fine < y->fine) - (x->fine > y->fine)
                              : (x->at > y->at) - (x->at < y->at);
}

static int by_id(const void *a, const void *b)
{
    const unv_node *x = a, *y = b;
    return (x->id > y->id) - (x->id < y->id);
}

static int by_system(const void *a, const void *b)
{
    const unv_system *x = a, *y = b;
    return x->label != y->label ? (x->label > y->label) - (x->label < y->label)
                                : (x->at > y->at) - (x->at < y->at);
}

static int same_system(const unv_system *a, const unv_system *b)
{
    return a->type == b->type && a->reference == b->reference &&
           !memcmp(a->axis, b->axis, sizeof a->axis) &&
           !memcmp(a->origin, b->origin, sizeof a->origin);
}

/* Ascending by label; what is given again the same is one. */
static fb_status unite_systems(unv *u, fb_err *e)
{
    int64_t k = 0;
    if (u->ns)
        qsort(u->system, (size_t)u->ns, sizeof *u->system, by_system);
    for (int64_t q = 0; q < u->ns; q++) {
        const unv_system *c = u->system + q;
        if (k && u->system[k - 1].label == c->label) {
            if (!same_system(u->system + k - 1, c))
                return fb_fail_at(e, &u->t, c->at,
                                  "coordinate system %lld is given again, and differently",
                                  (long long)c->label);
            continue;
        }
        u->system[k++] = *c;
    }
    u->ns = k;
    return FB_OK;
}

/* The system of this label, -1: none is given. */
static int64_t given_system(const unv *u, int64_t label)
{
    int64_t lo = 0, hi = u->ns;
    while (lo < hi) {
        const int64_t mid = lo + (hi - lo) / 2;
        if (u->system[mid].label < label)
            lo = mid + 1;
        else
            hi = mid;
    }
    return lo < u->ns && u->system[lo].label == label ? lo : -1;
}

/* The same, -1 also where it is the global one. */
static int64_t find_system(const unv *u, int64_t label)
{
    const int64_t k = given_system(u, label);
    return k >= 0 && u->system[k].global ? -1 : k;
}

/* 0 and 1 are the global system where files give none of these labels. */
static int is_unknown(const unv *u, int64_t label)
{
    return label > 1 && given_system(u, label) < 0;
}

/* Axes and origin of c, which are in those of `to`, in the system that these are in. */
static void into(unv_system *c, const unv_system *to)
{
    double axis[9] = {0}, origin[3] = {0};
    for (int i = 0; i < 3; i++)
        for (int q = 0; q < 3; q++) {
            origin[i] += c->origin[q] * to->axis[3 * q + i];
            for (int a = 0; a < 3; a++)
                axis[3 * a + i] += c->axis[3 * a + q] * to->axis[3 * q + i];
        }
    for (int i = 0; i < 3; i++)
        c->origin[i] = origin[i] + to->origin[i];
    memcpy(c->axis, axis, sizeof axis);
}

/* Axes and origin in the global system; references may follow one another, as long as the file. */
static fb_status resolve(unv *u, int64_t at, fb_err *e)
{
    int64_t k = at, by = -1; /* by: the system that refers to k */
    while (k >= 0 && u->system[k].state != 2) {
        unv_system *c = u->system + k;
        const int64_t to = c->reference ? find_system(u, c->reference) : -1;
        if (c->state == 1 || (to >= 0 && u->system[to].type != RECTANGULAR))
            return fb_fail_at(e, &u->t, c->at, "coordinate system %lld refers to %s",
                              (long long)c->label,
                              c->state ? "itself" : "one that is not rectangular");
        if (is_unknown(u, c->reference))
            return fb_fail_at(e, &u->t, c->at,
                              "coordinate system %lld refers to %lld, which the file does not give",
                              (long long)c->label, (long long)c->reference);
        c->state = 1;
        c->by = by;
        by = k;
        k = to;
    }
    for (; by >= 0; by = u->system[by].by) {
        if (k >= 0)
            into(u->system + by, u->system + k);
        u->system[by].state = 2;
        k = by;
    }
    return FB_OK;
}

/* The place of a node in the global system. */
static fb_status place(unv *u, unv_node *a, fb_err *e)
{
    const int64_t k = find_system(u, a->definition);
    double x[3] = {0};
    if (k < 0)
        return FB_OK;
    const unv_system *c = u->system + k;
    if (a->fine || c->type != RECTANGULAR)
        return fb_fail_at(e, &u->t, a->at,
                          "node %lld is placed in coordinate system %lld, which %s: export in the "
                          "global system",
                          (long long)a->id, (long long)a->definition,
                          a->fine ? "is not the global one" : "is not rectangular");
    FB_PASS(resolve(u, k, e));
    for (int i = 0; i < 3; i++)
        for (int q = 0; q < 3; q++)
            x[i] += a->xyz[q] * c->axis[3 * q + i];
    for (int i = 0; i < 3; i++)
        a->xyz[i] = x[i] + c->origin[i];
    return FB_OK;
}

/* Rows: the directions of components 1 2 3 of a node at x (UV.3); on the axis of a curved system
 * those of its own axes. */
static void directions(const unv_system *c, const double x[3], double t[9])
{
    double p[3] = {0}, r[3] = {0};
    memcpy(t, c->axis, sizeof c->axis);
    if (c->type == RECTANGULAR)
        return;
    for (int k = 0; k < 3; k++)
        for (int i = 0; i < 3; i++)
            p[k] += (x[i] - c->origin[i]) * c->axis[3 * k + i];
    const double rho = hypot(p[0], p[1]), all = hypot(rho, p[2]);
    if (!(rho > 1e-9 * all))
        return;
    for (int i = 0; i < 3; i++) {
        r[i] = (p[0] * c->axis[i] + p[1] * c->axis[3 + i]) / rho;
        t[3 + i] = (p[0] * c->axis[3 + i] - p[1] * c->axis[i]) / rho;
        t[i] = r[i];
    }
    for (int i = 0; i < 3 && c->type == SPHERICAL; i++) { /* r, theta from the pole, phi */
        const double phi = t[3 + i], z = c->axis[6 + i];
        t[i] = (rho * r[i] + p[2] * z) / all;
        t[3 + i] = (p[2] * r[i] - rho * z) / all;
        t[6 + i] = phi;
    }
}

/* Translations and rotations of a node's row of a shape become global. */
static void turn(const unv *u, const unv_node *a, double v[6])
{
    double t[9], w[6] = {0};
    if (!a->turned)
        return;
    directions(u->system + a->turned - 1, a->xyz, t);
    for (int h = 0; h < 6; h += 3)
        for (int q = 0; q < 3; q++)
            for (int i = 0; i < 3; i++)
                w[h + i] += v[h + q] * t[3 * q + i];
    memcpy(v, w, sizeof w);
}

/* Sorts the nodes; of those given twice (15 and 2411) the one of full precision stays. */
static fb_status unite_nodes(unv *u, fb_err *e)
{
    int64_t k = 0, turned = 0, unknown = 0, first = 0;
    double size = 0;
    FB_PASS(unite_systems(u, e));
    if (u->nn)
        qsort(u->node, (size_t)u->nn, sizeof *u->node, by_label);
    for (int64_t q = 0; q < u->nn; q++)
        for (int c = 0; c < 3; c++)
            size = fmax(size, fabs(u->node[q].xyz[c]));
    for (int64_t q = 0; q < u->nn; q++) {
        unv_node *a = u->node + q;
        if (is_unknown(u, a->definition) || is_unknown(u, a->system))
            first = unknown++ ? first : a->id;
        FB_PASS(place(u, a, e));
        a->turned = 1 + find_system(u, a->system);
        if (a->turned)
            FB_PASS(resolve(u, a->turned - 1, e));
        turned += a->turned > 0;
        if (k == 0 || u->node[k - 1].id != a->id) {
            u->node[k++] = *a;
            continue;
        }
        for (int c = 0; c < 3; c++)
            if (fabs(a->xyz[c] - u->node[k - 1].xyz[c]) > 1e-4 * size)
                return fb_fail_at(e, &u->t, a->at,
                                  "node %lld is given again at another place (%g instead of %g)",
                                  (long long)a->id, a->xyz[c], u->node[k - 1].xyz[c]);
    }
    u->nn = k;
    if (unknown)
        fb_warn(u->log,
                "%lld nodes (the first is %lld) are placed or move in coordinate systems that the "
                "file does not give (sets 18, 2420): taken for the global one",
                (long long)unknown, (long long)first);
    if (turned)
        fb_note(u->log, "%lld nodes have displacements in coordinate systems of their own: turned",
                (long long)turned);
    return FB_OK;
}

static void free_mode(unv_mode *m)
{
    FB_FREE(m->node, m->v, m->w);
    *m = (unv_mode){0};
}

/* Do both sets tell the same mode? Its number is no help: writers place it differently in 2414. */
static int same_mode(const unv_mode *a, const unv_mode *b)
{
    if (a->set == b->set || !a->w != !b->w || a->n != b->n ||
        fabs(a->frequency - b->frequency) > 1e-4 * fabs(b->frequency))
        return 0;
    for (int64_t k = 0; k < a->n; k++) {
        if (a->node[k] != b->node[k])
            return 0;
        for (int c = 0; c < 6; c++)
            if (fabs(a->v[6 * k + c] - b->v[6 * k + c]) > 1e-4 * a->real ||
                (a->w && fabs(a->w[6 * k + c] - b->w[6 * k + c]) > 1e-4 * a->imag))
                return 0;
    }
    return 1;
}

/* Drops modes that both 55 and 2414 give, and numbers the others 1, 2, ... unless they differ. */
static void unite_modes(unv *u)
{
    int64_t k = 0;
    int distinct = 1;
    for (int64_t q = 0; q < u->nm; q++) {
        unv_mode *m = u->mode + q;
        int64_t r = 0;
        while (r < k && !same_mode(u->mode + r, m))
            r++;
        if (r < k) {
            fb_note(u->log, "the mode of %g Hz stands in sets %lld and %lld: the first is taken",
                    m->frequency, (long long)u->mode[r].set, (long long)m->set);
            u->mode[r].stress = u->mode[r].stress ? u->mode[r].stress : m->stress;
            free_mode(m);
            continue;
        }
        for (r = 0; r < k; r++)
            distinct = distinct && u->mode[r].number != m->number;
        distinct = distinct && m->number > 0;
        if (k != q) {
            u->mode[k] = *m;
            *m = (unv_mode){0};
        }
        k++;
    }
    u->nm = k;
    for (int64_t q = 0; !distinct && q < k; q++)
        u->mode[q].number = q + 1;
}

/* Without nodes of their own the shapes wait for those of another file (assemble.c). */
static fb_status fill_nodes(const unv *u, fb_model *b, fb_err *e)
{
    int64_t n = u->nn, k = 0;
    for (int64_t m = 0; !u->nn && m < u->nm; m++)
        n += u->mode[m].n;
    FB_PASS(fb_new(&b->node_id, n, 8, "node numbers", e));
    for (; k < u->nn; k++)
        b->node_id[k] = u->node[k].id;
    for (int64_t m = 0; !u->nn && m < u->nm; m++)
        for (int64_t q = 0; q < u->mode[m].n; q++)
            b->node_id[k++] = u->mode[m].node[q];
    b->nn = u->nn ? n : fb_unique(b->node_id, n);
    if (!u->nn)
        return FB_OK;
    FB_PASS(fb_new(&b->xyz, 3 * n, 8, "coordinates", e));
    for (k = 0; k < n; k++)
        memcpy(b->xyz + 3 * k, u->node[k].xyz, 3 * sizeof *b->xyz);
    return FB_OK;
}

static fb_status fill_shape(unv *u, const unv_mode *m, const fb_index *x, double *shape,
                            double *imag, fb_err *e)
{
    int64_t *times = NULL, missing = 0;
    fb_status s = FB_OK;
    FB_TRY(FB_NEW(&times, x->n, e));
    for (int64_t q = 0; q < m->n; q++) {
        int64_t at = fb_index_find(x, m->node[q]);
        if (at < 0 || times[at]++)
            FB_TRY(fb_fail(
                e, FB_EFORMAT,
                "set %lld, opened in line %lld: mode %lld has values for node %lld, which %s",
                (long long)m->set, fb_line_number(&u->t, m->at), (long long)m->number,
                (long long)m->node[q], at < 0 ? "is not among the nodes" : "has some already"));
        memcpy(shape + 6 * at, m->v + 6 * q, 6 * sizeof *shape);
        if (m->w)
            memcpy(imag + 6 * at, m->w + 6 * q, 6 * sizeof *imag);
        if (u->nn) {
            turn(u, u->node + at, shape + 6 * at);
            if (m->w)
                turn(u, u->node + at, imag + 6 * at);
        }
    }
    for (int64_t k = 0; k < x->n; k++)
        missing += times[k] == 0;
    if (missing)
        fb_warn(u->log, "mode %lld has no values at %lld of %lld nodes: taken as 0",
                (long long)m->number, (long long)missing, (long long)x->n);
out:
    free(times);
    return s;
}

static fb_status fill_modes(unv *u, fb_model *b, fb_err *e)
{
    const int64_t nm = u->nm;
    fb_index x = {0};
    int masses = 1, complex = 0, damped = 0;
    fb_status s = FB_OK;
    for (int64_t k = 0; k < nm; k++)
        complex = complex || u->mode[k].w, damped = damped || u->mode[k].damping > 0;
    FB_TRY(fb_index_new(&x, b->node_id, b->nn, "the nodes", e));
    FB_TRY(fb_new(&b->shape, nm * b->nn * 6, 8, "mode shapes", e));
    if (complex)
        FB_TRY(fb_new(&b->shape_imag, nm * b->nn * 6, 8, "imaginary parts of mode shapes", e));
    FB_TRY(fb_new(&b->mode_number, nm, 8, "mode numbers", e));
    FB_TRY(fb_new(&b->eigen, 5 * nm, 8, "eigenvalues", e));
    if (damped)
        FB_TRY(fb_new(&b->mode_damping, nm, 8, "damping ratios", e));
    b->nm = nm;
    for (int64_t k = 0; k < nm; k++) {
        const unv_mode *m = u->mode + k;
        const double w = TWO_PI * m->frequency;
        const double row[5] = {w * w, m->frequency, w, m->mass, m->mass * w * w};
        b->mode_number[k] = m->number;
        if (damped)
            b->mode_damping[k] = fmax(m->damping, 0);
        memcpy(b->eigen + 5 * k, row, sizeof row);
        masses = masses && m->mass > 0;
        FB_TRY(fill_shape(u, m, &x, b->shape + k * b->nn * 6,
                          complex ? b->shape_imag + k * b->nn * 6 : NULL, e));
    }
    if (!masses)
        goto out;
    FB_TRY(fb_model_diagonal(b, e));
    FB_TRY(fb_model_frequencies(b, NULL, e));
    s = fb_model_nodal_dofs(b, e);
out:
    fb_index_free(&x);
    return s;
}

/* Each tensor belongs to the first shape of its analysis and number that has none yet. Where
 * numbers repeat, all shapes or none must have one. */
static fb_status pair(unv *u, unv_mode *shape, int64_t n, int64_t analysis, fb_err *e)
{
    int64_t tensors = 0, distinct = 1;
    for (int64_t k = 0; k < u->ntensor; k++)
        tensors += u->tensor[k].analysis == analysis;
    for (int64_t k = 0; k < n; k++)
        for (int64_t q = 0; q < k; q++)
            distinct =
                distinct && (shape[k].number != shape[q].number || shape[k].set != shape[q].set);
    if (tensors && tensors != n && !distinct)
        return fb_fail(e, FB_EFORMAT,
                       "%lld stress sets of %lld shapes whose numbers are not all different: which "
                       "belong together is not known",
                       (long long)tensors, (long long)n);
    for (int64_t k = 0; k < u->ntensor; k++)
        for (int64_t q = 0; u->tensor[k].analysis == analysis && q < n; q++)
            if (!shape[q].stress && shape[q].number == u->tensor[k].number &&
                shape[q].set == u->tensor[k].set) {
                shape[q].stress = 1 + k;
                break;
            }
    return FB_OK;
}

/* A shape with its stress goes to the parts' results; the tensor's axes are the global ones. */
static fb_status hand_over(unv *u, fb_parts *p, const unv_mode *m, fb_err *e)
{
    static const int from[6] = {0, 2, 5, 1, 3, 4};
    const unv_mode *t = m->stress ? u->tensor + m->stress - 1 : NULL;
    double v[6];
    if (m->w)
        return FB_OK;
    FB_PASS(fb_result_begin(p, m->number, m->analysis == STATIC, e));
    for (int64_t k = 0; k < m->n; k++) {
        const unv_node key = {.id = m->node[k]},
                       *at =
                           u->nn ? bsearch(&key, u->node, (size_t)u->nn, sizeof key, by_id) : NULL;
        memcpy(v, m->v + 6 * k, sizeof v);
        if (at)
            turn(u, at, v);
        FB_PASS(fb_result_row(p, FB_MOVED, m->node[k], v, e));
    }
    for (int64_t k = 0; t && k < t->n; k++) {
        for (int c = 0; c < 6; c++)
            v[c] = t->v[6 * k + from[c]];
        FB_PASS(fb_result_row(p, FB_STRESS, t->node[k], v, e));
    }
    return FB_OK;
}

static fb_status fill_parts(unv *u, fb_parts *p, fb_err *e)
{
    FB_PASS(pair(u, u->mode, u->nm, NORMAL_MODE, e));
    FB_PASS(pair(u, u->still, u->nstill, STATIC, e));
    FB_PASS(unite_nodes(u, e));
    unite_modes(u);
    for (int64_t k = 0; k < u->nstill; k++)
        FB_PASS(hand_over(u, p, u->still + k, e));
    for (int64_t k = 0; k < u->nm; k++)
        FB_PASS(hand_over(u, p, u->mode + k, e));
    if (!u->nn && !u->nm && !u->nstill)
        return fb_fail(
            e, FB_EFORMAT,
            "neither nodes (sets 15, 781, 2411) nor normal modes (55, 2414) in it; its sets: %s",
            *u->seen ? u->seen : "none");
    if (!u->nm) {
        for (int64_t k = 0; k < u->nn; k++)
            FB_PASS(fb_parts_node(p, u->node[k].id, u->node[k].xyz, NULL, e));
        if (!p->body.nn && u->units.name[0][0])
            p->body.units = u->units;
        return FB_OK;
    }
    if (p->body.nn)
        return fb_fail(e, FB_EUSAGE, "a second body with modes: one is wanted");
    fb_model *b = fb_parts_body(p, "unv");
    if (u->units.name[0][0])
        b->units = u->units;
    FB_PASS(fill_nodes(u, b, e));
    return fill_modes(u, b, e);
}

static int sniff(const fb_input *in)
{
    fb_lines t = fb_lines_of(in);
    unv u = {.t = t, .next = t.begin};
    int64_t set;
    if (t.end - t.begin < 8 || memcmp(t.begin, "    -1", 6) || !next_line(&u) || u.q - u.p != 6 ||
        !next_line(&u) || u.p == u.q)
        return 0;
    const char *a = fb_skip_blanks(u.p, u.q), *b = fb_scan_int(a, u.q, &set);
    return b && set > 0 && b - u.p <= 10;
}

static fb_status read_unv(const fb_input *in, fb_parts *p, fb_log *log, fb_err *e)
{
    fb_lines t = fb_lines_of(in);
    unv u = {.t = t, .next = t.begin, .log = log, .stressed = p->stressed};
    fb_status s = all_sets(&u, e);
    if (!s)
        s = fill_parts(&u, p, e);
    if (!s)
        s = fb_elements_take(&p->elements, &u.elements, e);
    fb_elements_free(&u.elements);
    for (int64_t k = 0; k < u.nm; k++)
        free_mode(u.mode + k);
    for (int64_t k = 0; k < u.nstill; k++)
        free_mode(u.still + k);
    for (int64_t k = 0; k < u.ntensor; k++)
        free_mode(u.tensor + k);
    FB_FREE(u.mode, u.still, u.tensor, u.node, u.system);
    return s;
}

const fb_reader fb_reader_unv = {
    .name = "unv",
    .doc = "universal file: nodes, elements, modes and their stress",
    .sniff = sniff,
    .read = read_unv,
};
