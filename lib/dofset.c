/* SPDX-License-Identifier: GPL-3.0-or-later */
/* dofset.c - dofs named by the user: "1-4:123,9", "nset:ENDS" or "@FILE".
 *
 *   list  = item { (',' | blank) item }
 *   item  = [ 'nodes:' ] node [ '-' node ] [ ':' components ] | [ 'nset:' ] name [ ':' components ]
 *   name  = a letter or '_' and what follows up to ':' or a separator, or anything between '"'
 *
 * Without components an item means every physical dof that the model has at the node. In a file '#'
 * begins a comment, and a line of two numbers is a node and a component. */
#include "bytes.h"
#include "dofset.h"
#include "linalg/sparse.h"
#include "memory.h"
#include "model.h"
#include "number.h"
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
    int64_t *id, *first; /* [nodes] numbers, [nodes+1] starts in order */
    int64_t *order;      /* dofs grouped by node */
    char *taken;         /* [ndof] */
    int64_t *dof, n, cap;
    int64_t ntwice;
    char twice[160];
} set;

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

static fb_status take_node(set *t, int64_t node, const char *comp, size_t ncomp, fb_err *e)
{
    int64_t k = fb_index_find(&t->nodes, node);
    if (k < 0)
        return fb_fail(e, FB_EUSAGE, "%s: the model has no node %lld%s", t->option, (long long)node,
                       left_out(t->b, node, -1));
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

static fb_status no_group(const set *t, const char *name, size_t n, fb_err *e)
{
    char list[300] = "";
    for (int64_t k = 0; k < t->ngroup; k++) {
        size_t at = strlen(list);
        int again = 0;
        for (int64_t q = 0; q < k; q++)
            again |= !strcasecmp(t->group[q].name, t->group[k].name);
        const char *quote = strpbrk(t->group[k].name, " ,:") ? "\"" : "";
        if (!again && at < sizeof list - 90)
            snprintf(list + at, sizeof list - at, "%s%s%s%s", at ? ", " : "", quote,
                     t->group[k].name, quote);
    }
    return fb_fail(e, FB_EUSAGE, "%s: the input has no set '%.*s'; %s%s", t->option,
                   (int)(n < 60 ? n : 60), name,
                   list[0] ? "it has "
                           : "it has none (sets come from a deck: name it to mnfparse with the "
                             "matrices; or list node numbers, which linkexport --to mm "
                             "writes beside their places)",
                   list);
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
            int digit = ncomp ? component_digit(comp[c]) : g->component ? (int)g->component[k] : -1;
            s = take_dofs(t, q, digit, &found, e);
        }
        if (s)
            return s;
        *absent += !found;
    }
    return FB_OK;
}

static fb_status named(set *t, const char *name, size_t n, const char *comp, size_t ncomp,
                       fb_err *e)
{
    int64_t had = t->n + t->ntwice, absent = 0, sets = 0;
    int internal = 0;
    for (int64_t k = 0; k < t->ngroup; k++) {
        if (!is_name(t->group + k, name, n))
            continue;
        sets++;
        for (int64_t q = 0; q < t->group[k].n; q++)
            internal |= expanded(t, fb_index_find(&t->nodes, t->group[k].node[q]));
        FB_PASS(take_group(t, t->group + k, comp, ncomp, &absent, e));
    }
    if (!sets)
        return no_group(t, name, n, e);
    if (t->n + t->ntwice == had)
        return fb_fail(e, FB_EUSAGE, "%s: set '%.*s' has no %s%s", t->option,
                       (int)(n < 60 ? n : 60), name,
                       internal ? "physical dofs" : "dof in the model",
                       internal ? not_labelled
                                : ": its nodes are held in the deck, are slaves of a frame, or are "
                                  "not in the matrices");
    if (absent)
        fb_warn(t->log, "%s: %lld entr%s of set '%.*s' %s not in the model: left out", t->option,
                (long long)absent, absent > 1 ? "ies" : "y", (int)(n < 60 ? n : 60), name,
                absent > 1 ? "are" : "is");
    return FB_OK;
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
    return fb_fail(
        e, FB_EUSAGE,
        "%s: '%.*s' is not NODE, NODE-NODE or nset:NAME, with :COMPONENTS (1..6) or without",
        t->option, (int)(end - p < 60 ? end - p : 60), p);
}

static fb_status set_item(set *t, const char *start, const char *p, const char *end, fb_err *e)
{
    int quoted = p < end && *p == '"';
    const char *name = p += quoted, *comp = NULL;
    while (p < end && (quoted ? *p != '"' : *p != ':'))
        p++;
    size_t n = (size_t)(p - name);
    if (quoted && p++ == end)
        return bad_item(t, start, end, e);
    if (n == 0 || (p < end && (*p != ':' || !components(p + 1, end, &comp))))
        return bad_item(t, start, end, e);
    return named(t, name, n, comp, comp ? (size_t)(end - comp) : 0, e);
}

/* One item, the bytes [p, end); messages quote it. */
static fb_status item(set *t, const char *p, const char *end, fb_err *e)
{
    const char *start = p, *comp = NULL;
    int64_t a = 0, z;
    if (begins(&p, end, "nset:") || isalpha((unsigned char)*p) || *p == '_' || *p == '"')
        if (!begins(&p, end, "nodes:"))
            return set_item(t, start, p, end, e);
    p = fb_scan_int(p, end, &a);
    z = a;
    if (p && p < end && *p == '-')
        p = fb_scan_int(p + 1, end, &z);
    if (p && p < end && *p == ':')
        p = components(p + 1, end, &comp);
    if (!p || p != end || a < 0)
        return bad_item(t, start, end, e);
    if (z < a)
        return fb_fail(e, FB_EUSAGE, "%s: the range %lld-%lld runs backwards", t->option,
                       (long long)a, (long long)z);
    if (z - a >= t->nodes.n)
        return fb_fail(e, FB_EUSAGE,
                       "%s: the range %lld-%lld names more nodes than the model's %lld", t->option,
                       (long long)a, (long long)z, (long long)t->nodes.n);
    for (int64_t node = a; node <= z; node++) {
        fb_status s = take_node(t, node, comp, comp ? (size_t)(end - comp) : 0, e);
        if (s)
            return s;
    }
    return FB_OK;
}

static int separator(char c)
{
    return c == ',' || c == ' ' || c == '\t' || c == '\n' || c == '\r';
}

static fb_status items(set *t, const char *p, const char *end, fb_err *e)
{
    while (p < end) {
        const char *q = p;
        int quoted = 0;
        while (q < end && (quoted || !separator(*q)))
            quoted ^= *q++ == '"';
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
    fb_index_free(&t.nodes);
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
