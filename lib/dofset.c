/* SPDX-License-Identifier: GPL-3.0-or-later */
/* dofset.c - dofs named by the user: "1-4:123,9", "nset:ENDS", "x=max" or "@FILE".
 *
 *   list  = item { (',' | blank) item }
 *   item  = head { ':' place } [ ':' components ]
 *   head  = [ 'nodes:' ] node [ '-' node ] | [ 'nset:' ] name | place
 *   name  = a letter or '_' and what follows up to ':' or a separator, or anything between '"'
 *   place as place.c has it; the head is one of all nodes, each further one of what is left
 *
 * Without components an item means every physical dof that the model has at the node. In a file '#'
 * begins a comment, and a line of two numbers is a node and a component. */
#include "bytes.h"
#include "dofset.h"
#include "linalg/sparse.h"
#include "memory.h"
#include "model.h"
#include "number.h"
#include "place.h"
#include "status.h"
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

typedef struct {
    const fb_model *b;
    const fb_dofgroup *group;
    int64_t ngroup;
    fb_log *log;
    const char *option;
    fb_index nodes;      /* node -> position in first[] */
    fb_index places;     /* node -> position in xyz, where an item has a place */
    int64_t *id, *first; /* [nodes] numbers, [nodes+1] starts in order */
    int64_t *order;      /* dofs grouped by node */
    char *taken;         /* [ndof] */
    int64_t *dof, n, cap;
    int64_t ntwice;
    char twice[160];
} set;

/* Of a text that a message quotes. */
static int short_of(const char *p, const char *end)
{
    return (int)(end - p < 60 ? end - p : 60);
}

static int component_digit(char c)
{
    return c >= '1' && c <= '6' ? c - '0' : 0;
}

static fb_status take(set *t, int64_t d, fb_err *e)
{
    if (t->taken[d]) {
        fb_name_list(t->twice, sizeof t->twice, t->ntwice++, t->b->dof_node[d],
                     t->b->dof_component[d]);
        return FB_OK;
    }
    FB_PASS(fb_grow(&t->dof, &t->cap, t->n + 1, sizeof *t->dof, e));
    t->taken[d] = 1;
    t->dof[t->n++] = d;
    return FB_OK;
}

/* 1: taken (or there before), 0: the node has no such dof. */
static fb_status take_dofs(set *t, int64_t k, int64_t component, int *found, fb_err *e)
{
    static const char *const what[] = {"physical", "generalized", "internal", "a multiplier",
                                       "held by a support"};
    FB_ROWS(what, FB_NDOFCLASS);
    for (int64_t q = t->first[k]; q < t->first[k + 1]; q++) {
        int64_t d = t->order[q], class = t->b->dof_class[d];
        if (component >= 0 && t->b->dof_component[d] != component)
            continue;
        if (class != FB_DOF_PHYSICAL && component >= 0)
            return fb_fail(e, FB_EUSAGE, "%s: dof %s is %s, a physical one is wanted", t->option,
                           fb_name_of(t->b->dof_node[d], component).s, what[class]);
        if (class != FB_DOF_PHYSICAL)
            continue;
        FB_PASS(take(t, d, e));
        *found = 1;
    }
    return FB_OK;
}

/* A dof that the input had and the model has not: why? */
static const char *left_out(const fb_model *b, int64_t node, int64_t component)
{
    for (int64_t d = 0; b->all_node && d < b->na; d++)
        if (b->all_node[d] == node && (component < 0 || b->all_component[d] == component))
            return b->all_class[d] == FB_DOF_FIXED
                       ? " any more: it is held by a support"
                       : " any more: without stiffness and mass, or slave of a frame";
    return "";
}

static const char not_labelled[] =
    ": they are internal, as are those of beams and shells, of which CalculiX makes solids: name "
    "the deck with its sections (*BEAM SECTION, *SHELL SECTION), or couple that end to a node by "
    "*RIGID "
    "BODY in it (of shells by ELSET), and name that node";

/* Are dofs of the k-th node internal? Negative k: no node. */
static int expanded(const set *t, int64_t k)
{
    for (int64_t q = k < 0 ? 0 : t->first[k]; k >= 0 && q < t->first[k + 1]; q++)
        if (t->b->dof_class[t->order[q]] == FB_DOF_INTERNAL)
            return 1;
    return 0;
}

static fb_status no_node(const set *t, int64_t node, fb_err *e)
{
    return fb_fail(e, FB_EUSAGE, "%s: the model has no node %lld%s", t->option, (long long)node,
                   left_out(t->b, node, -1));
}

static fb_status take_node(set *t, int64_t node, const char *comp, size_t ncomp, fb_err *e)
{
    int64_t k = fb_index_find(&t->nodes, node);
    if (k < 0)
        return no_node(t, node, e);
    fb_status s = FB_OK;
    for (size_t c = 0; c < (ncomp ? ncomp : 1); c++) {
        int found = 0, digit = ncomp ? component_digit(comp[c]) : -1;
        if ((s = take_dofs(t, k, digit, &found, e)))
            return s;
        if (!found)
            return ncomp ? fb_fail(e, FB_EUSAGE, "%s: the model has no dof %lld.%d%s", t->option,
                                   (long long)node, digit, left_out(t->b, node, digit))
                         : fb_fail(e, FB_EUSAGE, "%s: node %lld has no physical dofs%s", t->option,
                                   (long long)node, expanded(t, k) ? not_labelled : "");
    }
    return FB_OK;
}

/* ---- named sets ------------------------------------------------------------------------- */

static int is_name(const fb_dofgroup *g, const char *name, size_t n)
{
    return strlen(g->name) == n && !strncasecmp(g->name, name, n);
}

const char *fb_name_quote(const char *name)
{
    return strpbrk(name, " ,:") ? "\"" : "";
}

static fb_status no_group(const set *t, const char *name, size_t n, fb_err *e)
{
    char list[300] = "";
    for (int64_t k = 0; k < t->ngroup; k++) {
        size_t at = strlen(list);
        int again = 0;
        for (int64_t q = 0; q < k; q++)
            again |= !strcasecmp(t->group[q].name, t->group[k].name);
        const char *quote = fb_name_quote(t->group[k].name);
        if (!again && at < sizeof list - 90)
            snprintf(list + at, sizeof list - at, "%s%s%s%s", at ? ", " : "", quote,
                     t->group[k].name, quote);
    }
    return fb_fail(e, FB_EUSAGE, "%s: the input has no set '%.*s'; %s%s%s", t->option,
                   (int)(n < 60 ? n : 60), name,
                   list[0] ? "it has "
                           : "it has none (sets come from a deck: name it to mnfparse with the "
                             "matrices; or choose nodes by place, as x=max or near:X,Y,Z)",
                   list,
                   n == 1 && strchr("xyzXYZ", *name) ? "; the shell wants 'x>1' in quotes" : "");
}

/* Sets of a deck may hold nodes that the matrices do not: condensed, dependent, held. */
static fb_status take_group(set *t, const fb_dofgroup *g, const char *comp, size_t ncomp,
                            int64_t *absent, fb_err *e)
{
    for (int64_t k = 0; k < g->n; k++) {
        int64_t q = fb_index_find(&t->nodes, g->node[k]);
        int found = 0;
        fb_status s = FB_OK;
        for (size_t c = 0; q >= 0 && !s && c < (ncomp ? ncomp : 1); c++) {
            int digit = ncomp          ? component_digit(comp[c])
                        : g->component ? (int)g->component[k]
                                       : -1; /* -1: all */
            s = take_dofs(t, q, digit, &found, e);
        }
        if (s)
            return s;
        *absent += !found;
    }
    return FB_OK;
}

/* What was taken of `n` nodes by name or place: nothing is an error, less than all a warning. */
static fb_status taken(const set *t, const char *what, int any, int64_t absent, int internal,
                       fb_err *e)
{
    if (!any)
        return fb_fail(e, FB_EUSAGE, "%s: %s has no %s%s", t->option, what,
                       internal ? "physical dofs" : "dof in the model",
                       internal ? not_labelled
                                : ": its nodes are held in the deck, are slaves of a frame, or are "
                                  "not in the matrices");
    if (absent)
        fb_warn(t->log, "%s: %lld entr%s of %s %s not in the model: left out", t->option,
                (long long)absent, absent > 1 ? "ies" : "y", what, absent > 1 ? "are" : "is");
    return FB_OK;
}

static int any_expanded(const set *t, const fb_dofgroup *g)
{
    for (int64_t k = 0; k < g->n; k++)
        if (expanded(t, fb_index_find(&t->nodes, g->node[k])))
            return 1;
    return 0;
}

static fb_status named(set *t, const char *name, size_t n, const char *comp, size_t ncomp,
                       fb_err *e)
{
    int64_t had = t->n + t->ntwice, absent = 0, sets = 0;
    int internal = 0;
    char what[80];
    for (int64_t k = 0; k < t->ngroup; k++) {
        if (!is_name(t->group + k, name, n))
            continue;
        sets++;
        internal |= any_expanded(t, t->group + k);
        FB_PASS(take_group(t, t->group + k, comp, ncomp, &absent, e));
    }
    snprintf(what, sizeof what, "set '%.*s'", (int)(n < 60 ? n : 60), name);
    return sets ? taken(t, what, t->n + t->ntwice > had, absent, internal, e)
                : no_group(t, name, n, e);
}

/* ---- places ----------------------------------------------------------------------------- */

typedef struct { /* an item of the list */
    enum { NODES, SET, PLACE } what;
    int64_t a, z;     /* NODES */
    const char *name; /* SET */
    size_t n;
    fb_place place;            /* PLACE */
    const char *start, *end;   /* the whole of it */
    const char *places, *comp; /* behind the head, and behind the last place; comp NULL: none */
} words;

typedef struct { /* nodes that an item names; component NULL: all of them */
    int64_t n, cap_node, cap_component, *node, *component;
} members;

static fb_status add_member(members *m, int64_t node, int64_t component, fb_err *e)
{
    FB_PASS(fb_grow(&m->node, &m->cap_node, m->n + 1, sizeof *m->node, e));
    FB_PASS(fb_grow(&m->component, &m->cap_component, m->n + 1, sizeof *m->component, e));
    m->node[m->n] = node;
    m->component[m->n++] = component;
    return FB_OK;
}

/* Component -1: all. */
static fb_status members_of(const set *t, const words *w, members *m, fb_err *e)
{
    int sets = 0;
    for (int64_t node = w->a; w->what == NODES && node <= w->z; node++) {
        if (fb_index_find(&t->nodes, node) < 0)
            return no_node(t, node, e);
        FB_PASS(add_member(m, node, -1, e));
    }
    for (int64_t k = 0; w->what == SET && k < t->ngroup; k++) {
        const fb_dofgroup *g = t->group + k;
        if (!is_name(g, w->name, w->n))
            continue;
        sets = 1;
        for (int64_t q = 0; q < g->n; q++)
            FB_PASS(add_member(m, g->node[q], g->component ? g->component[q] : -1, e));
    }
    if (w->what == SET && !sets)
        return no_group(t, w->name, w->n, e);
    if (w->what == PLACE)
        for (int64_t k = 0; k < t->places.n; k++) /* ascending */
            FB_PASS(add_member(m, t->places.id[k], -1, e));
    return FB_OK;
}

/* Where the members are; `node` of the crowd counts members. */
static fb_status crowd_of(const set *t, const words *w, const members *m, fb_crowd *c, fb_err *e)
{
    const fb_model *b = t->b;
    FB_PASS(fb_new(&c->xyz, 3 * m->n, sizeof *c->xyz, "places of nodes", e));
    FB_PASS(fb_new(&c->node, m->n, sizeof *c->node, "places of nodes", e));
    c->size = fb_box_diagonal(b->xyz, b->nn);
    c->unit = b->units.factor[FB_LENGTH] > 0 ? b->units.name[FB_LENGTH] : "";
    for (int64_t k = 0; k < m->n; k++) {
        const int64_t at = fb_index_find(&t->places, m->node[k]);
        if (at < 0)
            continue;
        memcpy(c->xyz + 3 * c->n, b->xyz + 3 * at, 3 * sizeof *c->xyz);
        c->node[c->n++] = k;
    }
    if (c->n == m->n)
        return FB_OK;
    if (c->n)
        fb_warn(t->log, "%s: '%.*s': %lld of %lld nodes have no coordinates: left out", t->option,
                short_of(w->start, w->end), w->start, (long long)(m->n - c->n), (long long)m->n);
    return c->n ? FB_OK
                : fb_fail(e, FB_EUSAGE, "%s: '%.*s': its nodes have no coordinates", t->option,
                          short_of(w->start, w->end), w->start);
}

/* Of equally near nodes one has dofs, or the choice is the user's. */
static fb_status one_is_near(const set *t, const words *w, const members *m, fb_err *e)
{
    char list[160] = "";
    int64_t n = 0, last = 0;
    for (int64_t k = 0; k < m->n; k++) {
        const int64_t q = fb_index_find(&t->nodes, m->node[k]);
        int physical = 0;
        for (int64_t i = q < 0 ? 0 : t->first[q]; q >= 0 && i < t->first[q + 1]; i++)
            physical |= t->b->dof_class[t->order[i]] == FB_DOF_PHYSICAL;
        if (physical && (n == 0 || m->node[k] != last))
            fb_name_list(list, sizeof list, n++, last = m->node[k], 0);
    }
    return n < 2 ? FB_OK
                 : fb_fail(e, FB_EUSAGE,
                           "%s: '%.*s': %lld nodes are equally near:%s: name one by its number, or "
                           "narrow the choice, as in near:0,0,1:x=0..",
                           t->option, short_of(w->start, w->end), w->start, (long long)n, list);
}

static fb_status narrow(const set *t, const words *w, members *m, fb_crowd *c, fb_err *e)
{
    fb_place place = w->place;
    int near = w->what == PLACE && place.kind == FB_PLACE_NEAR;
    if (w->what == PLACE)
        FB_PASS(fb_place_narrow(&place, t->option, c, e));
    for (const char *p = w->places; p < w->end && *p == ':';) {
        p = fb_place_scan(p + 1, w->end, &place);
        if (!p)
            break; /* components */
        near |= place.kind == FB_PLACE_NEAR;
        FB_PASS(fb_place_narrow(&place, t->option, c, e));
    }
    m->n = c->n;
    for (int64_t k = 0; k < c->n; k++) { /* the crowd is in the order of the members */
        m->node[k] = m->node[c->node[k]];
        m->component[k] = m->component[c->node[k]];
    }
    return near ? one_is_near(t, w, m, e) : FB_OK;
}

static fb_status placed(set *t, const words *w, fb_err *e)
{
    const fb_model *b = t->b;
    const int64_t had = t->n + t->ntwice;
    char what[80], list[160] = "";
    members m = {0};
    fb_crowd c = {0};
    int64_t absent = 0;
    fb_status s = FB_OK;
    if (!b->xyz || !b->node_id || b->nn < 1)
        return fb_fail(e, FB_EUSAGE,
                       "%s: '%.*s' chooses nodes by place, but the model has no coordinates (name "
                       "the deck or a list of nodes to mnfparse, beside the matrices)",
                       t->option, short_of(w->start, w->end), w->start);
    if (!t->places.id)
        FB_TRY(fb_index_new(&t->places, b->node_id, b->nn, "/nodes/id", e));
    FB_TRY(members_of(t, w, &m, e));
    FB_TRY(crowd_of(t, w, &m, &c, e));
    FB_TRY(narrow(t, w, &m, &c, e));
    for (int64_t k = 0; k < m.n; k++)
        fb_name_list(list, sizeof list, k, m.node[k], 0);
    snprintf(what, sizeof what, "'%.*s'", short_of(w->start, w->end), w->start);
    fb_note(t->log, "%s: %lld entr%s at %s:%s", t->option, (long long)m.n, m.n > 1 ? "ies" : "y",
            what, list);
    const fb_dofgroup g = {what, m.n, m.node, m.component};
    FB_TRY(take_group(t, &g, w->comp, w->comp ? (size_t)(w->end - w->comp) : 0, &absent, e));
    s = taken(t, what, t->n + t->ntwice > had, absent, any_expanded(t, &g), e);
out:
    FB_FREE(m.node, m.component, c.xyz, c.node);
    return s;
}

/* ---- the list --------------------------------------------------------------------------- */

static const char *components(const char *p, const char *end, const char **comp)
{
    *comp = p;
    while (p < end && component_digit(*p))
        p++;
    return p > *comp && p == end ? p : NULL;
}

static int begins(const char **p, const char *end, const char *word)
{
    size_t n = strlen(word);
    if ((size_t)(end - *p) < n || strncasecmp(*p, word, n))
        return 0;
    *p += n;
    return 1;
}

static fb_status bad_item(const set *t, const char *p, const char *end, fb_err *e)
{
    int place = fb_place_meant(p, end);
    for (const char *q = p; q < end; q++)
        place |= *q == ':' && fb_place_meant(q + 1, end);
    return place ? fb_fail(e, FB_EUSAGE,
                           "%s: '%.*s' is no place, nor a part of one; places are %s, with no "
                           "blanks in them; a set of such a name is called nset:NAME",
                           t->option, short_of(p, end), p, FB_PLACE_FORMS)
                 : fb_fail(e, FB_EUSAGE,
                           "%s: '%.*s' is not NODE, NODE-NODE or nset:NAME, nor a place as x=max, "
                           "with :COMPONENTS (1..6) or without",
                           t->option, short_of(p, end), p);
}

static const char *set_name(const char *p, const char *end, words *w)
{
    const int quoted = p < end && *p == '"';
    w->what = SET;
    w->name = p += quoted;
    while (p < end && (quoted ? *p != '"' : *p != ':'))
        p++;
    w->n = (size_t)(p - w->name);
    if (quoted && p++ == end)
        return NULL;
    return w->n ? p : NULL;
}

/* What the item begins with; NULL: with nothing that is known. */
static const char *head(const char *p, const char *end, words *w)
{
    const char *q = fb_place_scan(p, end, &w->place);
    if (q) {
        w->what = PLACE;
        return q;
    }
    if (begins(&p, end, "nset:"))
        return set_name(p, end, w);
    if (fb_place_meant(p, end))
        return NULL;
    if (!begins(&p, end, "nodes:") && (isalpha((unsigned char)*p) || *p == '_' || *p == '"'))
        return set_name(p, end, w);
    w->what = NODES;
    p = fb_scan_int(p, end, &w->a);
    w->z = w->a;
    if (p && p < end && *p == '-')
        p = fb_scan_int(p + 1, end, &w->z);
    return w->a < 0 ? NULL : p;
}

static fb_status check_range(const set *t, const words *w, fb_err *e)
{
    if (w->what == NODES && w->z < w->a)
        return fb_fail(e, FB_EUSAGE, "%s: the range %lld-%lld runs backwards", t->option,
                       (long long)w->a, (long long)w->z);
    if (w->what == NODES && w->z - w->a >= t->nodes.n)
        return fb_fail(e, FB_EUSAGE,
                       "%s: the range %lld-%lld names more nodes than the model's %lld", t->option,
                       (long long)w->a, (long long)w->z, (long long)t->nodes.n);
    return FB_OK;
}

/* One item, the bytes [p, end); messages quote it. */
static fb_status item(set *t, const char *start, const char *end, fb_err *e)
{
    words w = {.start = start, .end = end};
    fb_place place;
    const char *p = head(start, end, &w), *q;
    w.places = p;
    while (p && p < end && *p == ':' && (q = fb_place_scan(p + 1, end, &place)) != NULL)
        p = q;
    const int narrowed = w.what == PLACE || p != w.places;
    if (p && p < end && *p == ':')
        p = components(p + 1, end, &w.comp);
    if (!p || p != end)
        return bad_item(t, start, end, e);
    const size_t ncomp = w.comp ? (size_t)(end - w.comp) : 0;
    FB_PASS(check_range(t, &w, e));
    if (narrowed)
        return placed(t, &w, e);
    if (w.what == SET)
        return named(t, w.name, w.n, w.comp, ncomp, e);
    for (int64_t node = w.a; node <= w.z; node++)
        FB_PASS(take_node(t, node, w.comp, ncomp, e));
    return FB_OK;
}

static int separator(char c)
{
    return c == ',' || c == ' ' || c == '\t' || c == '\n' || c == '\r';
}

/* Behind the item at p: commas between quotes and in a place are its own. */
static const char *item_end(const char *p, const char *end)
{
    fb_place place;
    int quoted = 0, begin = !begins(&p, end, "nset:");
    while (p < end && (quoted || !separator(*p))) {
        const char *q = begin && !quoted ? fb_place_scan(p, end, &place) : NULL;
        if (begin && !quoted && !q && fb_place_meant(p, end)) { /* a wrong one is quoted whole */
            while (p < end && (*p == ',' || !separator(*p)))
                p++;
            return p;
        }
        begin = !q && *p == ':';
        quoted ^= !q && *p == '"';
        p = q ? q : p + 1;
    }
    return p;
}

static fb_status items(set *t, const char *p, const char *end, fb_err *e)
{
    while (p < end) {
        const char *q = item_end(p, end);
        FB_PASS(q > p ? item(t, p, q, e) : FB_OK);
        p = q + 1;
    }
    return FB_OK;
}

static const char *blanks(const char *p, const char *end)
{
    while (p < end && (*p == ' ' || *p == '\t' || *p == '\r'))
        p++;
    return p;
}

/* "11 1": a node and a component, the only thing on the line. */
static int is_pair(const char *p, const char *end, int64_t *node, int64_t *component)
{
    p = fb_scan_int(blanks(p, end), end, node);
    if (!p || p == blanks(p, end))
        return 0;
    p = fb_scan_int(blanks(p, end), end, component);
    return p && blanks(p, end) == end;
}

static fb_status lines(set *t, const char *p, const char *end, fb_err *e)
{
    for (long line = 1; p < end; line++) {
        const char *stop = memchr(p, '\n', (size_t)(end - p)), *next = stop ? stop + 1 : end;
        const char *hash = memchr(p, '#', (size_t)(next - p));
        int64_t node, component;
        fb_status s;
        stop = hash ? hash : stop ? stop : end;
        if (is_pair(p, stop, &node, &component)) {
            char digit = (char)('0' + component);
            s = component >= 1 && component <= 6
                    ? take_node(t, node, &digit, 1, e)
                    : fb_fail(e, FB_EUSAGE,
                              "%s: two numbers on a line are a node and a component (1..6), not "
                              "'%lld %lld'; nodes are separated by commas",
                              t->option, (long long)node, (long long)component);
        } else {
            s = items(t, p, stop, e);
        }
        if (s)
            return fb_context(e, "line %ld", line);
        p = next;
    }
    return FB_OK;
}

/* Groups the dofs by node, so that a node is found in log n and its dofs at once. */
static fb_status group_by_node(set *t, fb_err *e)
{
    const fb_model *b = t->b;
    int64_t n = b->ndof, *slot = NULL;
    fb_status s = FB_OK;
    FB_TRY(fb_new(&t->id, n, 8, "nodes of the dofs", e));
    FB_TRY(fb_new(&slot, n, 8, "nodes of the dofs", e));
    FB_TRY(fb_new(&t->order, n, 8, "nodes of the dofs", e));
    if (n)
        memcpy(t->id, b->dof_node, (size_t)n * 8);
    n = fb_unique(t->id, n);
    FB_TRY(fb_index_new(&t->nodes, t->id, n, "/dofs/node", e));
    FB_TRY(fb_new(&t->first, n + 1, 8, "nodes of the dofs", e));
    for (int64_t d = 0; d < b->ndof; d++) {
        slot[d] = fb_index_find(&t->nodes, b->dof_node[d]);
        t->first[slot[d] + 1]++;
    }
    fb_csc_starts(t->first, n);
    for (int64_t d = 0; d < b->ndof; d++)
        t->order[t->first[slot[d]]++] = d;
    fb_csc_rewind(t->first, n);
out:
    free(slot);
    return s;
}

fb_status fb_dofset_groups(const fb_model *b, const fb_dofgroup *group, int64_t ngroup,
                           const char *option, const char *list, int64_t **dof, int64_t *n,
                           fb_log *log, fb_err *e)
{
    set t = {.b = b, .option = option, .group = group, .ngroup = ngroup, .log = log};
    fb_input in = {0};
    fb_status s = FB_OK;
    FB_TRY(group_by_node(&t, e));
    FB_TRY(fb_new(&t.taken, b->ndof, 1, "dof marks", e));
    if (list[0] == '@') {
        s = fb_input_open(&in, list + 1, e);
        if (!s && (s = lines(&t, (const char *)in.data, (const char *)in.data + in.size, e)))
            fb_context(e, "%s", list + 1);
        else if (s)
            fb_context(e, "%s", option);
        if (s)
            goto out;
    } else {
        FB_TRY(items(&t, list, list + strlen(list), e));
    }
    if (t.n == 0)
        FB_TRY(fb_fail(e, FB_EUSAGE, "%s: '%.80s' names no dof", option, list));
    if (t.ntwice)
        fb_warn(log, "%s: %lld dof%s named more than once, counted once:%s", option,
                (long long)t.ntwice, t.ntwice > 1 ? "s are" : " is", t.twice);
    *dof = t.dof;
    *n = t.n;
    t.dof = NULL;
out:
    fb_input_close(&in);
    FB_FREE_BY(fb_index_free, &t.nodes, &t.places);
    FB_FREE(t.id, t.first, t.order, t.taken, t.dof);
    return s;
}

fb_status fb_dofset(const fb_model *b, const char *option, const char *list, int64_t **dof,
                    int64_t *n, fb_log *log, fb_err *e)
{
    fb_dofgroup *g = NULL;
    int64_t ng = 0;
    fb_status s = fb_model_groups(b, &g, &ng, e);
    if (!s)
        s = fb_dofset_groups(b, g, ng, option, list, dof, n, log, e);
    free(g);
    return s;
}

const char *fb_scan_dofref(const char *p, const char *end, fb_dofref *d)
{
    int64_t number;
    const int marked = begins(&p, end, "nset:"), quoted = p < end && *p == '"';
    const char *q = p += quoted, *dot;
    while (q < end && (quoted ? *q != '"' : !strchr(":,=", *q)))
        q++;
    *d = (fb_dofref){.name = p, .end = q};
    if (quoted && q++ == end)
        return NULL;
    for (dot = q; quoted && q < end && !strchr(":,=", *q);)
        q++;
    while (!quoted && dot > p && dot[-1] >= '0' && dot[-1] <= '9')
        dot--;
    if (!quoted)
        d->end = dot = dot < q && dot > p && dot[-1] == '.' ? dot - 1 : q;
    if (dot < q && (*dot != '.' || dot[1] < '0' || dot[1] > '9' ||
                    fb_scan_int(dot + 1, q, &d->component) != q))
        return NULL;
    const int named = marked || quoted || isalpha((unsigned char)*p) || *p == '_';
    return d->end > p && (named || fb_scan_int(p, d->end, &number) == d->end) ? q : NULL;
}

fb_status fb_one_node(const fb_model *b, const char *option, const char *text, const char *end,
                      int64_t *node, fb_err *e)
{
    fb_dofgroup *g = NULL;
    int64_t ng = 0, found = -1;
    fb_status s = FB_OK;
    if (end > text && fb_scan_int(text, end, node) == end)
        return FB_OK;
    FB_TRY(fb_model_groups(b, &g, &ng, e));
    for (int64_t k = 0; k < ng && found < 0; k++)
        found = is_name(g + k, text, (size_t)(end - text)) ? k : -1;
    if (found < 0 && (end == text || strchr("-0123456789", *text)))
        FB_TRY(fb_fail(e, FB_EUSAGE, "%s wants a node's number or name, not '%.*s'", option,
                       (int)(end - text < 40 ? end - text : 40), text));
    if (found < 0)
        FB_TRY(no_group(&(set){.option = option, .group = g, .ngroup = ng}, text,
                        (size_t)(end - text), e));
    if (g[found].n != 1)
        FB_TRY(fb_fail(e, FB_EUSAGE, "%s: the set '%.*s' has %lld nodes, one is wanted", option,
                       (int)(end - text < 60 ? end - text : 60), text, (long long)g[found].n));
    *node = g[found].node[0];
out:
    free(g);
    return s;
}
