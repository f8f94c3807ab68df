/* SPDX-License-Identifier: GPL-3.0-or-later */
/* dofset.c - dofs named by the user: "1-4:123,9" or "@FILE".
 *
 *   list  = item { (',' | blank) item }      item = node [ '-' node ] [ ':' components ]
 *
 * Without components an item means every physical dof that the model has at the node. */
#include "flexbody.h"
#include <stdlib.h>
#include <string.h>

typedef struct {
    const fb_model *b;
    const char     *option;
    fb_index        nodes;      /* node -> position in first[] */
    int64_t        *id, *first; /* [nodes] numbers, [nodes+1] starts in order */
    int64_t        *order;      /* dofs grouped by node */
    char           *taken;      /* [ndof] */
    int64_t        *dof, n, cap;
    int64_t         ntwice;
    char            twice[160];
} set;

static int component_digit(char c)
{
    return c >= '1' && c <= '6' ? c - '0' : 0;
}

static fb_status take(set *t, int64_t d, fb_err *e)
{
    if (t->taken[d]) {
        size_t at = strlen(t->twice);
        if (t->ntwice++ < 8)
            snprintf(t->twice + at, sizeof t->twice - at, " %lld.%lld", (long long)t->b->dof_node[d],
                     (long long)t->b->dof_component[d]);
        return FB_OK;
    }
    fb_status s = fb_grow(&t->dof, &t->cap, t->n + 1, sizeof *t->dof, e);
    if (s)
        return s;
    t->taken[d] = 1;
    t->dof[t->n++] = d;
    return FB_OK;
}

static fb_status take_node(set *t, int64_t node, const char *comp, size_t ncomp, fb_err *e)
{
    int64_t k = fb_index_find(&t->nodes, node);
    if (k < 0)
        return fb_fail(e, FB_EUSAGE, "%s: the model has no node %lld", t->option, (long long)node);
    fb_status s = FB_OK;
    for (size_t c = 0; c < (ncomp ? ncomp : 1); c++) {
        int found = 0;
        for (int64_t q = t->first[k]; q < t->first[k + 1]; q++) {
            int64_t d = t->order[q];
            int wanted = ncomp ? t->b->dof_component[d] == component_digit(comp[c])
                               : t->b->dof_class[d] == FB_DOF_PHYSICAL;
            if (wanted && (s = take(t, d, e)))
                return s;
            found |= wanted;
        }
        if (!found)
            return ncomp ? fb_fail(e, FB_EUSAGE, "%s: the model has no dof %lld.%c", t->option, (long long)node, comp[c])
                         : fb_fail(e, FB_EUSAGE, "%s: node %lld has no physical dofs", t->option, (long long)node);
    }
    return FB_OK;
}

/* One item, the bytes [p, end); messages quote it. */
static fb_status item(set *t, const char *p, const char *end, fb_err *e)
{
    const char *start = p, *comp = NULL;
    int64_t a = 0, z;
    p = fb_scan_int(p, end, &a);
    z = a;
    if (p && p < end && *p == '-')
        p = fb_scan_int(p + 1, end, &z);
    if (p && p < end && *p == ':') {
        comp = ++p;
        while (p < end && component_digit(*p))
            p++;
        if (p == comp)
            p = NULL;
    }
    if (!p || p != end || a < 0)
        return fb_fail(e, FB_EUSAGE, "%s: '%.*s' is not NODE, NODE-NODE or NODE:COMPONENTS (1..6)", t->option,
                       (int)(end - start < 60 ? end - start : 60), start);
    if (z < a)
        return fb_fail(e, FB_EUSAGE, "%s: the range %lld-%lld runs backwards", t->option, (long long)a, (long long)z);
    if (z - a >= t->nodes.n)
        return fb_fail(e, FB_EUSAGE, "%s: the range %lld-%lld names more nodes than the model's %lld", t->option,
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
        while (q < end && !separator(*q))
            q++;
        fb_status s = q > p ? item(t, p, q, e) : FB_OK;
        if (s)
            return s;
        p = q + 1;
    }
    return FB_OK;
}

/* Groups the dofs by node, so that a node is found in log n and its dofs at once. */
static fb_status group(set *t, fb_err *e)
{
    const fb_model *b = t->b;
    int64_t n = b->ndof, *slot = NULL;
    fb_status s = FB_OK;
    FB_TRY(fb_new(&t->id, n, 8, "nodes of the dofs", e));
    FB_TRY(fb_new(&slot, n, 8, "nodes of the dofs", e));
    FB_TRY(fb_new(&t->order, n, 8, "nodes of the dofs", e));
    memcpy(t->id, b->dof_node, (size_t)n * 8);
    n = fb_unique(t->id, n);
    FB_TRY(fb_index_new(&t->nodes, t->id, n, "/dofs/node", e));
    FB_TRY(fb_new(&t->first, n + 1, 8, "nodes of the dofs", e));
    for (int64_t d = 0; d < b->ndof; d++) {
        slot[d] = fb_index_find(&t->nodes, b->dof_node[d]);
        t->first[slot[d] + 1]++;
    }
    for (int64_t k = 0; k < n; k++)
        t->first[k + 1] += t->first[k];
    for (int64_t d = 0; d < b->ndof; d++)
        t->order[t->first[slot[d]]++] = d;
    for (int64_t k = n; k > 0; k--) /* filling moved every start to the next one */
        t->first[k] = t->first[k - 1];
    t->first[0] = 0;
out:
    free(slot);
    return s;
}

fb_status fb_dofset(const fb_model *b, const char *option, const char *list, int64_t **dof, int64_t *n,
                    fb_log *log, fb_err *e)
{
    set t = {.b = b, .option = option};
    fb_input in = {0};
    fb_status s = FB_OK;
    FB_TRY(group(&t, e));
    FB_TRY(fb_new(&t.taken, b->ndof, 1, "dof marks", e));
    if (list[0] == '@') {
        s = fb_input_open(&in, list + 1, e);
        if (s) {
            fb_context(e, "%s", option);
            goto out;
        }
        FB_TRY(items(&t, (const char *)in.data, (const char *)in.data + in.size, e));
    } else {
        FB_TRY(items(&t, list, list + strlen(list), e));
    }
    if (t.n == 0) {
        s = fb_fail(e, FB_EUSAGE, "%s: '%.80s' names no dof", option, list);
        goto out;
    }
    if (t.ntwice)
        fb_warn(log, "%s: %lld dof%s named more than once, counted once:%s%s", option, (long long)t.ntwice,
                t.ntwice > 1 ? "s are" : " is", t.twice, t.ntwice > 8 ? " ..." : "");
    *dof = t.dof;
    *n = t.n;
    t.dof = NULL;
out:
    fb_input_close(&in);
    fb_index_free(&t.nodes);
    free(t.id);
    free(t.first);
    free(t.order);
    free(t.taken);
    free(t.dof);
    return s;
}
