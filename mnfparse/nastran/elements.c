/* SPDX-License-Identifier: GPL-3.0-or-later */
/* elements.c - element cards of bulk data: CHEXA to PLOTEL, rigid elements and springs as lines.
 *
 * Fields   token k of a card is field k + 2 of the manuals: 0 EID, 1 PID, 2 on the nodes, but where
 *          the table says otherwise. Middle nodes may be left out; a card that is not understood is
 *          counted, for pictures alone depend on it.
 * Source   MSC and NX Nastran Quick Reference Guides
 */
#include "nastran.h"
#include <string.h>

static const struct {
    fb_topology plain, middle; /* without and with middle nodes; plain FB_UNKNOWN: not drawn */
    int first;                 /* token of the first node */
} kinds[NAS_NELEMENT] = {
    [NAS_HEXA] = {FB_HEXA8, FB_HEXA20, 2},         [NAS_PENTA] = {FB_PENTA6, FB_PENTA15, 2},
    [NAS_TETRA] = {FB_TETRA4, FB_TETRA10, 2},      [NAS_PYRAM] = {FB_PYRAMID5, FB_PYRAMID13, 2},
    [NAS_QUAD4] = {FB_QUAD4, FB_QUAD4, 2},         [NAS_QUAD8] = {FB_QUAD4, FB_QUAD8, 2},
    [NAS_QUAD9] = {FB_QUAD4, FB_QUAD9, 2},         [NAS_TRIA3] = {FB_TRIA3, FB_TRIA3, 2},
    [NAS_TRIA6] = {FB_TRIA3, FB_TRIA6, 2},         [NAS_LINE] = {FB_LINE2, FB_LINE2, 2},
    [NAS_LINE1] = {FB_LINE2, FB_LINE2, 1},         [NAS_SPRING] = {FB_LINE2, FB_LINE2, 2},
    [NAS_RBE2] = {FB_LINE2, FB_LINE2, 1},          [NAS_RBE3] = {FB_LINE2, FB_LINE2, 2},
    [NAS_NOT_DRAWN] = {FB_UNKNOWN, FB_UNKNOWN, 0},
};

/* A node; 0: blank, or none. */
static int64_t node_at(const nas_deck *d, int64_t k)
{
    int64_t id;
    return nas_int(nas_field_at(d, k), &id) && id > 0 ? id : 0;
}

void nas_element_order(fb_topology t, int64_t node[FB_ELEMENT_NODES])
{
    static const int at[] = {[FB_HEXA20] = 12, [FB_PENTA15] = 9, [FB_HEXA27] = 12},
                     many[] = {[FB_HEXA20] = 4, [FB_PENTA15] = 3, [FB_HEXA27] = 4};
    int64_t w[4];
    if (t != FB_HEXA20 && t != FB_HEXA27 && t != FB_PENTA15)
        return;
    const size_t n = sizeof *w * (size_t)many[t];
    int64_t *upright = node + at[t], *top = upright + many[t];
    memcpy(w, upright, n);
    memcpy(upright, top, n);
    memcpy(top, w, n);
}

static fb_status add_line(nas_deck *d, int64_t id, int64_t a, int64_t b, fb_err *e)
{
    return a && b ? fb_elements_add(&d->parts->elements, id, FB_LINE2, (int64_t[]){a, b}, e)
                  : FB_OK;
}

/* EID GN CM GM1 GM2 ..., or with THRU; ALPHA, a real, ends the nodes. */
static fb_status rbe2(nas_deck *d, int64_t id, fb_err *e)
{
    int64_t last = 0;
    for (int64_t k = 3; k < d->ntoken; k++) {
        int64_t to;
        if (nas_is(nas_field_at(d, k), "THRU") && last && (to = node_at(d, k + 1)) - last < 100000)
            for (k++; last < to;)
                FB_PASS(add_line(d, id, node_at(d, 1), ++last, e));
        else if (nas_int(nas_field_at(d, k), &last))
            FB_PASS(add_line(d, id, node_at(d, 1), last, e));
        else if (!nas_blank(nas_field_at(d, k)))
            return FB_OK;
    }
    return FB_OK;
}

/* EID - REFGRID REFC WT1 C1 G11 G12 ... WT2 C2 G21 ...; a word ends them. */
static fb_status rbe3(nas_deck *d, int64_t id, fb_err *e)
{
    int64_t node;
    double weight;
    for (int64_t k = 4; k < d->ntoken; k++) {
        if (nas_blank(nas_field_at(d, k)))
            continue;
        if (nas_int(nas_field_at(d, k), &node))
            FB_PASS(add_line(d, id, node_at(d, 2), node, e));
        else if (fb_is_real(nas_field_at(d, k), &weight))
            k++; /* the components */
        else
            return FB_OK;
    }
    return FB_OK;
}

fb_status nas_element(nas_deck *d, fb_err *e)
{
    fb_elements *x = &d->parts->elements;
    const int which = d->which;
    const fb_topology plain = kinds[which].plain, middle = kinds[which].middle;
    int64_t node[FB_ELEMENT_NODES] = {0}, id = node_at(d, 0);
    int more = 0, whole = id > 0;
    if (plain == FB_UNKNOWN)
        return fb_elements_odd(x, d->name, e);
    if (which == NAS_RBE2)
        return node_at(d, 1) ? rbe2(d, id, e) : fb_elements_odd(x, d->name, e);
    if (which == NAS_RBE3)
        return rbe3(d, id, e);
    if (which == NAS_SPRING) /* G1 C1 G2 C2 */
        return add_line(d, id, node_at(d, 2), node_at(d, 4), e);
    for (int k = 0; k < fb_element_kinds[middle].nodes; k++) {
        node[k] = node_at(d, kinds[which].first + k);
        whole &= node[k] > 0 || k >= fb_element_kinds[plain].nodes;
        more |= node[k] > 0 && k >= fb_element_kinds[plain].nodes;
    }
    if (!whole)
        return fb_elements_odd(x, d->name, e);
    if (more)
        nas_element_order(middle, node);
    return fb_elements_add(x, id, more ? middle : plain, node, e);
}
