/* SPDX-License-Identifier: GPL-3.0-or-later */
/* rst.c - results of Ansys: nodes with their axes, elements, components and the shapes of normal
 * modes from .rst, shapes alone from .mode.
 *
 * Layout   .rst has gaps: pointers alone lead through it. In its geometry a node is number, x, y,
 *          z, THXY, THYZ, THZX; an element mat, type, real, section, esys, death, solid, shape,
 *          number, 0, nodes. Offsets of types and elements count from the table that holds them,
 *          pointers in a set of results from the set.
 *          Shapes: the dofs of a set for each node, in the order of the nodal equivalence.
 *          .mode: eigenvalues w^2, then a record of all dofs for each mode
 *   (RS.1) shapes are along the nodes' axes: u = F u_node, (AE.1); the assembly turns them
 *   (RS.2) 2^100 stands where a node lacks a dof: 0
 * Modes    of a modal analysis only; their modal masses are not in the file
 * Source   Ansys Programmer's Reference, Format of Binary Data Files, for the headers */
#include "binary.h"
#include "element.h"
#include "memory.h"
#include "reader.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    MODAL = 2,
    SET_ITEMS = 200,
    SET_DOFS = 30,
    TYPE_ITEMS = 100,
    MOST_ITEMS = 1000,
    COMPONENT_WORDS = 9
};

typedef struct {
    const fb_input *in;
    ans_file f;
    fb_parts *p;
    fb_log *log;
    int64_t nnod;
    int64_t *node;         /* [nnod] order of the results */
    int32_t g[ANS_HEADER]; /* header of the geometry */
    int64_t ng;
    fb_elements elements;
    fb_modes modes;
    int64_t turned; /* nodes with axes of their own */
} results;

static int64_t head(const results *u, int k)
{
    return u->f.h[k - 1];
}

static int64_t pointer(const results *u, int lo, int hi)
{
    return ans_pointer(u->f.h, lo, hi);
}

/* Pointer of the geometry: two items, or in the header of old files one. */
static int64_t place(const results *u, int old, int lo)
{
    const int64_t at = ans_pointer(u->g, lo, lo + 1);
    return at ? at : ans_pointer(u->g, old, 0);
}

static fb_status refused(const results *u, fb_err *e)
{
    const char *what = head(u, 21) > 1 ? "a sector of a cyclic structure: solve the whole body"
                       : head(u, 33)   ? "complex modes, whose layout is not known: solve without "
                                         "damping"
                       : head(u, 49) > head(u, 3)
                           ? "one domain of a distributed solution: COMBINE the files, or name the "
                             "combined one"
                           : NULL;
    return what ? fb_fail(e, FB_EFORMAT, "results of %s", what) : FB_OK;
}

/* ---- geometry ----------------------------------------------------------------------------- */

static fb_status geometry_header(results *u, fb_err *e)
{
    ans_record r;
    int64_t v[ANS_HEADER];
    FB_PASS(ans_record_at(&u->f, pointer(u, 16, 47), "header of the geometry", &r, e));
    FB_PASS(ans_count(&r, "header of the geometry", &u->ng, e));
    if (u->ng < 40 || u->ng > ANS_HEADER)
        return fb_fail(e, FB_EFORMAT, "header of the geometry: %lld items, 40 or 80 are wanted",
                       (long long)u->ng);
    FB_PASS(ans_ints(&r, "header of the geometry", v, u->ng, e));
    for (int64_t k = 0; k < u->ng; k++)
        u->g[k] = (int32_t)v[k];
    return FB_OK;
}

static fb_status nodes(results *u, fb_err *e)
{
    const int64_t n = u->g[3];
    int64_t at = place(u, 9, 27);
    ans_record r;
    double v[7], F[9];
    FB_PASS(ans_limit(&u->f, n, "nodes", e));
    for (int64_t k = 0; k < n; k++, at = r.next) {
        FB_PASS(ans_record_at(&u->f, at, "nodes", &r, e));
        FB_PASS(ans_reals(&r, "nodes", v, 7, e));
        if (!(v[0] >= 1 && v[0] < 1e15) || v[0] != floor(v[0]) || !isfinite(v[1] + v[2] + v[3]) ||
            !isfinite(v[4] + v[5] + v[6]))
            return fb_fail(e, FB_EFORMAT, "node at word %lld: number %g at (%g, %g, %g)",
                           (long long)at, v[0], v[1], v[2], v[3]);
        const int turned = v[4] != 0 || v[5] != 0 || v[6] != 0;
        if (turned)
            ans_axes(v + 4, F);
        u->turned += turned;
        FB_PASS(fb_parts_node(u->p, (int64_t)v[0], v + 1, turned ? F : NULL, e));
    }
    return FB_OK;
}

typedef struct { /* element types: number and name, names that are no such number are 0 */
    int64_t *number, *name, n;
} types;

/* Offsets of the types, behind their numbers where mapFlag says so. */
static fb_status read_types(results *u, types *t, fb_err *e)
{
    const int64_t base = place(u, 7, 21), n = u->g[1];
    const int mapped = u->ng >= 80 && u->g[64] == 1;
    int64_t at = base, *offset = NULL, *number = NULL, *v = NULL;
    fb_status s = FB_OK;
    FB_TRY(ans_limit(&u->f, n, "element types", e));
    if (mapped)
        FB_TRY(ans_take_ints(&u->f, &at, "numbers of element types", n, &number, e));
    FB_TRY(ans_take_ints(&u->f, &at, "element types", n, &offset, e));
    FB_TRY(fb_new(&t->number, n, 8, "element types", e));
    FB_TRY(fb_new(&t->name, n, 8, "element types", e));
    for (int64_t k = 0; k < n; k++) {
        ans_record r;
        int64_t items;
        if (offset[k] == 0)
            continue;
        FB_TRY(ans_record_at(&u->f, base + offset[k], "element type", &r, e));
        FB_TRY(ans_count(&r, "element type", &items, e));
        if (items < TYPE_ITEMS || items > MOST_ITEMS)
            FB_TRY(fb_fail(e, FB_EFORMAT,
                           "element type %lld has %lld items, at least %d are wanted",
                           (long long)k + 1, (long long)items, TYPE_ITEMS));
        at = base + offset[k];
        FB_TRY(ans_take_ints(&u->f, &at, "element type", items, &v, e));
        t->number[t->n] = v[0];
        t->name[t->n++] = v[1];
        free(v);
        v = NULL;
    }
out:
    FB_FREE(offset, number, v);
    return s;
}

static fb_status element(results *u, const types *t, int64_t at, fb_err *e)
{
    enum { BEFORE = 10 };
    int64_t n, *v = NULL, k = t->n;
    char name[24];
    ans_record r;
    FB_PASS(ans_record_at(&u->f, at, "element", &r, e));
    FB_PASS(ans_count(&r, "element", &n, e));
    if (n <= BEFORE || n > MOST_ITEMS)
        return fb_fail(e, FB_EFORMAT,
                       "element at word %lld: %lld items, ten and the nodes are wanted",
                       (long long)at, (long long)n);
    FB_PASS(ans_take_ints(&u->f, &at, "element", n, &v, e));
    while (k > 0 && t->number[k - 1] != v[1])
        k--;
    snprintf(name, sizeof name, k ? "%lld" : "type %lld", (long long)(k ? t->name[k - 1] : v[1]));
    n -= BEFORE;
    while (n > 1 && v[BEFORE + n - 1] == 0) /* padding, and nodes left out */
        n--;
    const fb_status s = k ? ans_element(&u->elements, v[8], name, v + BEFORE, n, e)
                          : fb_elements_odd(&u->elements, name, e);
    free(v);
    return s;
}

static fb_status elements(results *u, fb_err *e)
{
    const int64_t base = place(u, 11, 29), n = u->g[4];
    int64_t at = base, items, *offset = NULL;
    types t = {0};
    ans_record r;
    fb_status s = FB_OK;
    if (n <= 0)
        return FB_OK;
    FB_TRY(ans_limit(&u->f, n, "elements", e));
    FB_TRY(read_types(u, &t, e));
    FB_TRY(ans_record_at(&u->f, at, "elements", &r, e));
    FB_TRY(ans_count(&r, "elements", &items, e));
    FB_TRY(ans_take_ints(&u->f, &at, "elements", items == n ? n : 2 * n, &offset, e));
    for (int64_t k = 0; k < n; k++) {
        const int64_t o =
            items == n ? offset[k]
                       : (int64_t)((uint64_t)offset[2 * k + 1] << 32 | (uint32_t)offset[2 * k]);
        if (o < 0 || o > u->f.words)
            FB_TRY(fb_fail(e, FB_EFORMAT,
                           "element %lld stands at %lld words behind the table of "
                           "elements, the file has %lld",
                           (long long)k + 1, (long long)o, (long long)u->f.words));
        if (o)
            FB_TRY(element(u, &t, base + o, e));
    }
out:
    FB_FREE(offset, t.number, t.name);
    return s;
}

/* ---- components --------------------------------------------------------------------------- */

/* Members of a component: -b behind a is a..b. */
static fb_status members(const results *u, const int64_t *v, int64_t n, int64_t **out,
                         int64_t *count, fb_err *e)
{
    int64_t cap = 0;
    for (int64_t k = 0; k < n; k++) {
        const int64_t to = v[k] < 0 ? -v[k] : v[k], from = v[k] < 0 && k ? v[k - 1] + 1 : to;
        if (to - from > 4 * (u->p->nn + u->elements.n) + 1024) /* members of what is there */
            return fb_fail(e, FB_EFORMAT, "%lld members of a component in one range",
                           (long long)(to - from));
        FB_PASS(fb_grow(out, &cap, *count + (to < from ? 0 : to - from + 1), 8, e));
        for (int64_t id = from; id <= to; id++)
            (*out)[(*count)++] = id;
    }
    return FB_OK;
}

/* The name ends at the first blank or control character; behind it may be rubbish. */
static void component_name(const int64_t *v, char *name)
{
    for (int k = 0; k < 4 * (COMPONENT_WORDS - 1); k++) {
        const unsigned char c = (unsigned char)((uint64_t)v[k / 4] >> 8 * (3 - k % 4));
        if (c <= ' ')
            break;
        name[k] = (char)c;
    }
}

static fb_status component(results *u, const int64_t *v, int64_t n, fb_err *e)
{
    enum { NODES = 1, ELEMENTS = 2 };
    char name[4 * (COMPONENT_WORDS - 1) + 1] = "";
    int64_t *id = NULL, *node = NULL, count = 0;
    fb_set *out = NULL;
    fb_status s = FB_OK;
    if (v[0] != NODES && v[0] != ELEMENTS)
        return FB_OK;
    component_name(v + 1, name);
    FB_TRY(members(u, v + COMPONENT_WORDS, n - COMPONENT_WORDS, &id, &count, e));
    if (v[0] == ELEMENTS) {
        FB_TRY(fb_elements_nodes(&u->elements, id, count, &node, &count, e));
        free(id);
        id = node;
    }
    if (!count || !name[0])
        goto out;
    FB_TRY(fb_parts_set(u->p, name, &out, e));
    out->node = id;
    out->n = count;
    id = NULL;
out:
    free(id);
    return s;
}

static fb_status components(results *u, fb_err *e)
{
    const int64_t n = u->ng >= 80 ? u->g[48] : 0;
    int64_t at = n ? ans_pointer(u->g, 51, 52) : 0;
    for (int64_t k = 0; at && k < n; k++) {
        ans_record r;
        int64_t items, *v = NULL;
        FB_PASS(ans_record_at(&u->f, at, "component", &r, e));
        FB_PASS(ans_count(&r, "component", &items, e));
        if (items < COMPONENT_WORDS)
            return fb_fail(e, FB_EFORMAT,
                           "component at word %lld: a kind, a name and members are "
                           "wanted",
                           (long long)at);
        FB_PASS(ans_limit(&u->f, items, "members of a component", e));
        FB_PASS(ans_take_ints(&u->f, &at, "component", items, &v, e));
        const fb_status s = component(u, v, items, e);
        free(v);
        FB_PASS(s);
    }
    return FB_OK;
}

/* ---- modes -------------------------------------------------------------------------------- */

/* Values of the dofs of node `at` in the last mode. (RS.2) */
static fb_status values(results *u, int64_t at, const int64_t *dof, int64_t n, const double *v,
                        fb_err *e)
{
    double shape[6] = {0};
    for (int64_t q = 0; q < n; q++) {
        if (dof[q] < 1 || dof[q] > 6 || v[q] >= ANS_NO_VALUE)
            continue;
        if (!isfinite(v[q]))
            return fb_fail(e, FB_EFORMAT, "mode %lld is not finite at dof %s",
                           (long long)u->modes.n, fb_name_of(u->node[at], dof[q]).s);
        shape[dof[q] - 1] = v[q];
    }
    return fb_modes_row(&u->modes, u->node[at], shape, e);
}

/* Rows of the nodal solution, in all nodes or in those that the next record names. */
static fb_status solution(results *u, int64_t at, const int64_t *dof, int64_t ndof, int64_t width,
                          fb_err *e)
{
    ans_record r;
    int64_t n, *where = NULL;
    double *v = NULL;
    fb_status s = FB_OK;
    FB_TRY(ans_record_at(&u->f, at, "nodal solution", &r, e));
    FB_TRY(ans_count(&r, "nodal solution", &n, e));
    if (n > (u->nnod + u->f.words) * width)
        FB_TRY(fb_fail(e, FB_EFORMAT, "nodal solution at word %lld: %lld values of %lld nodes",
                       (long long)at, (long long)n, (long long)u->nnod));
    FB_TRY(ans_take_reals(&u->f, &at, "nodal solution", n, &v, e));
    n /= width;
    if (n < u->nnod)
        FB_TRY(ans_take_ints(&u->f, &at, "nodes of a solution", n, &where, e));
    for (int64_t q = 0; q < n && q < u->nnod; q++) {
        const int64_t to = where ? where[q] - 1 : q;
        if (to < 0 || to >= u->nnod)
            FB_TRY(fb_fail(e, FB_EFORMAT, "nodal solution: node %lld of %lld", (long long)to + 1,
                           (long long)u->nnod));
        FB_TRY(values(u, to, dof, ndof, v + q * width, e));
    }
out:
    FB_FREE(v, where);
    return s;
}

static fb_status set(results *u, int64_t k, int64_t base, double hz, fb_err *e)
{
    ans_record r;
    int64_t h[SET_ITEMS];
    FB_PASS(ans_record_at(&u->f, base, "header of a solution", &r, e));
    FB_PASS(ans_ints(&r, "header of a solution", h, SET_ITEMS, e));
    const int64_t ndof = h[19], more = h[97];
    const int64_t at = (int64_t)((uint64_t)(uint32_t)h[105] << 32 | (uint32_t)h[104]);
    if (ndof < 1 || ndof > SET_DOFS || more < 0 || more > SET_ITEMS)
        return fb_fail(e, FB_EFORMAT, "solution %lld: %lld dofs and %lld more of a node",
                       (long long)k + 1, (long long)ndof, (long long)more);
    if (h[18] != 0)
        return fb_fail(e, FB_EFORMAT,
                       "solution %lld is a part of a complex mode, whose layout is "
                       "not known",
                       (long long)k + 1);
    if (!isfinite(hz))
        return fb_fail(e, FB_EFORMAT, "the frequency of mode %lld is not finite", (long long)k + 1);
    FB_PASS(fb_modes_begin(&u->modes, h[16], hz, 0, e));
    if (at < 0 || at > u->f.words || base + (at ? at : h[10]) > u->f.words)
        return fb_fail(e, FB_EFORMAT, "solution %lld: its shape stands at word %lld of %lld",
                       (long long)k + 1, (long long)(base + at), (long long)u->f.words);
    return solution(u, base + (at ? at : h[10]), h + 20, ndof, ndof + more, e);
}

/* (RS.1) */
static fb_status hand_over(results *u, const char *format, fb_err *e)
{
    return fb_modes_results(&u->modes, u->p, format, u->in->name, u->f.date, 1, u->log, e);
}

static fb_status modes(results *u, fb_err *e)
{
    const int64_t n = head(u, 9), most = head(u, 4);
    int64_t *set_at = NULL, at = pointer(u, 11, 41);
    double *hz = NULL;
    fb_status s = FB_OK;
    if (n < 1 || head(u, 8) != MODAL)
        return FB_OK;
    FB_TRY(ans_limit(&u->f, most, "solutions", e));
    if (n > most)
        FB_TRY(fb_fail(e, FB_EFORMAT, "%lld solutions of at most %lld", (long long)n,
                       (long long)most));
    FB_TRY(ans_take_ints(&u->f, &at, "places of the solutions", 2 * most, &set_at, e));
    at = pointer(u, 12, 42);
    FB_TRY(ans_take_reals(&u->f, &at, "frequencies", most, &hz, e));
    for (int64_t k = 0; k < n; k++)
        FB_TRY(set(u, k,
                   (int64_t)((uint64_t)(uint32_t)set_at[most + k] << 32 | (uint32_t)set_at[k]),
                   hz[k], e));
    s = hand_over(u, "ansys_rst", e);
out:
    FB_FREE(set_at, hz);
    return s;
}

/* ---- the files ---------------------------------------------------------------------------- */

static fb_status begin(results *u, const fb_input *in, fb_parts *p, fb_log *log, int nodes_of,
                       fb_err *e)
{
    *u = (results){.in = in, .p = p, .log = log};
    FB_PASS(ans_open(&u->f, in, e));
    u->nnod = head(u, nodes_of);
    return ans_limit(&u->f, u->nnod, "nodes", e);
}

static void tell(const results *u)
{
    fb_note(u->log, "%s: Ansys %s of %s, %lld nodes, %lld with axes of their own, %lld modes",
            u->in->name, u->f.version, u->f.date[0] ? u->f.date : "an unknown date",
            (long long)u->nnod, (long long)u->turned, (long long)u->p->body.nm);
}

static fb_status read_rst(const fb_input *in, fb_parts *p, fb_log *log, fb_err *e)
{
    results u;
    int64_t at;
    fb_status s = begin(&u, in, p, log, 3, e);
    if (s)
        return s;
    FB_TRY(refused(&u, e));
    at = pointer(&u, 15, 46);
    FB_TRY(ans_take_ints(&u.f, &at, "nodal equivalence", u.nnod, &u.node, e));
    FB_TRY(geometry_header(&u, e));
    FB_TRY(nodes(&u, e));
    FB_TRY(elements(&u, e));
    FB_TRY(components(&u, e));
    FB_TRY(modes(&u, e));
    FB_TRY(ans_tell(&u.f, p, e));
    tell(&u);
    s = fb_elements_take(&p->elements, &u.elements, e);
out:
    fb_elements_free(&u.elements);
    fb_modes_free(&u.modes);
    free(u.node);
    return s;
}

static fb_status mode_shapes(results *u, int64_t rows, int64_t nm, const int64_t *dof, int64_t ndof,
                             fb_err *e)
{
    int64_t at = pointer(u, 22, 0);
    double *lambda = NULL, *v = NULL;
    fb_status s = FB_OK;
    FB_TRY(ans_take_reals(&u->f, &at, "eigenvalues", nm, &lambda, e));
    at = pointer(u, 24, 0);
    for (int64_t k = 0; k < nm; k++) {
        if (!isfinite(lambda[k]))
            FB_TRY(fb_fail(e, FB_EFORMAT, "eigenvalue %lld is not finite", (long long)k + 1));
        FB_TRY(fb_modes_begin(&u->modes, k + 1, fb_hertz(&(fb_units){0}, lambda[k]), 0, e));
        FB_FREE(v);
        FB_TRY(ans_take_reals(&u->f, &at, "mode shape", rows, &v, e));
        for (int64_t q = 0; q < u->nnod; q++)
            FB_TRY(values(u, q, dof, ndof, v + q * ndof, e));
    }
    s = hand_over(u, "ansys_mode", e);
out:
    FB_FREE(lambda, v);
    return s;
}

static fb_status read_mode(const fb_input *in, fb_parts *p, fb_log *log, fb_err *e)
{
    results u;
    int64_t *dof = NULL, at;
    fb_status s = begin(&u, in, p, log, 6, e);
    if (s)
        return s;
    const int64_t rows = head(&u, 2), nm = head(&u, 4), ndof = head(&u, 5);
    FB_TRY(ans_limit(&u.f, rows, "rows", e));
    FB_TRY(ans_limit(&u.f, nm, "modes", e));
    if (ndof < 1 || nm < 1 || rows / ndof != u.nnod || rows % ndof)
        FB_TRY(fb_fail(e, FB_EFORMAT,
                       "%lld modes of %lld rows, of %lld nodes with %lld dofs: a form of the file "
                       "that is not known",
                       (long long)nm, (long long)rows, (long long)u.nnod, (long long)ndof));
    at = u.f.behind;
    FB_TRY(ans_take_ints(&u.f, &at, "list of dofs", ndof, &dof, e));
    FB_TRY(ans_take_ints(&u.f, &at, "nodal equivalence", u.nnod, &u.node, e));
    FB_TRY(mode_shapes(&u, rows, nm, dof, ndof, e));
    FB_TRY(ans_tell(&u.f, p, e));
    tell(&u);
out:
    fb_modes_free(&u.modes);
    FB_FREE(dof, u.node);
    return s;
}

static int sniff_rst(const fb_input *in)
{
    return ans_sniff(in, ANS_RST);
}

static int sniff_mode(const fb_input *in)
{
    return ans_sniff(in, ANS_MODE);
}

const fb_reader fb_reader_ansys_rst = {
    .name = "ansys_rst",
    .doc = "Ansys results .rst: nodes, elements, modes",
    .sniff = sniff_rst,
    .read = read_rst,
};
const fb_reader fb_reader_ansys_mode = {
    .name = "ansys_mode",
    .doc = "Ansys mode shapes .mode",
    .sniff = sniff_mode,
    .read = read_mode,
};
