/* SPDX-License-Identifier: GPL-3.0-or-later */
/* support.c - what *BOUNDARY of a deck holds: matrices made with it lack these dofs, and what the
 * body does then is explained by them. */
#include "support.h"
#include "memory.h"
#include "number.h"
#include "text/lines.h"
#include <stdio.h>
#include <string.h>
#include <strings.h>

/* The next field behind *p, without blanks; moves behind its comma. */
static void field(const char **p, const char *end, char *out, size_t size)
{
    size_t n = 0;
    const char *q = fb_skip_blanks(*p, end);
    for (; q < end && *q != ',' && !fb_at_line_end(q, end); q++)
        if (*q != '"' && n + 1 < size)
            out[n++] = *q;
    while (n && (out[n - 1] == ' ' || out[n - 1] == '\t'))
        n--;
    out[n] = 0;
    *p = q < end && *q == ',' ? q + 1 : end;
}

static int named_dofs(const char *name)
{
    static const struct {
        const char *name, *dofs;
    } known[] = {{"ENCASTRE", "123456"}, {"PINNED", "123"}, {"XSYMM", "156"},  {"YSYMM", "246"},
                 {"ZSYMM", "345"},       {"XASYMM", "234"}, {"YASYMM", "135"}, {"ZASYMM", "126"}};
    int bits = 0;
    for (size_t k = 0; k < sizeof known / sizeof *known; k++)
        for (const char *c = known[k].dofs; !strcasecmp(name, known[k].name) && *c; c++)
            bits |= 1 << (*c - '0');
    return bits;
}

fb_status aba_support_line(aba_supports *x, const char *p, const char *end, fb_err *e)
{
    aba_support s = {.dofs = 0};
    char what[24], last[24];
    int64_t a, z;
    field(&p, end, s.where, sizeof s.where);
    field(&p, end, what, sizeof what);
    field(&p, end, last, sizeof last);
    s.dofs = named_dofs(what);
    const char *stop = what + strlen(what);
    if (what[0] && fb_scan_int(what, stop, &a) == stop) {
        stop = last + strlen(last);
        if (!last[0] || fb_scan_int(last, stop, &z) != stop)
            z = a;
        for (int64_t c = a < 1 ? 1 : a; c <= z && c <= 6; c++)
            s.dofs |= 1 << c;
    }
    if (!s.where[0] || !s.dofs)
        return FB_OK;
    FB_PASS(fb_grow(&x->s, &x->cap, x->n + 1, sizeof *x->s, e));
    x->s[x->n++] = s;
    return FB_OK;
}

static fb_status hold(fb_parts *p, int64_t node, int dofs, fb_err *e)
{
    for (int c = 1; c <= 6; c++)
        if (dofs & 1 << c)
            FB_PASS(fb_labels_add(&p->held, &p->nheld, &p->cap_held, node, c, 0, e));
    return FB_OK;
}

fb_status aba_supports_give(const aba_supports *x, int64_t first, fb_parts *p, fb_err *e)
{
    for (int64_t k = 0; k < x->n; k++) {
        const char *where = x->s[k].where, *dot = strrchr(where, '.'),
                   *number = dot ? dot + 1 : where, *end = where + strlen(where);
        int64_t node;
        if (fb_scan_int(number, end, &node) == end) {
            FB_PASS(hold(p, node, x->s[k].dofs, e));
            continue;
        }
        for (int64_t q = first; q < p->nset; q++)
            for (int64_t i = 0; !strcasecmp(p->set[q].name, where) && i < p->set[q].n; i++)
                FB_PASS(hold(p, p->set[q].node[i], x->s[k].dofs, e));
    }
    return FB_OK;
}
