/* SPDX-License-Identifier: GPL-3.0-or-later */
/* op2_elements.c - elements of OUTPUT2's GEOM2 and GEOM4: records of one card each, three codes,
 * then entries of one length; RBE2 and RBE3 are lists.
 *
 *   RBE2   EID GN CM GM.. [ALPHA [TREF]] -1
 *   RBE3   EID GREF CREF { W C G.. -1 }.. -2 { GM CM }.. -3 [ALPHA]
 *
 * An entry is EID, PID, nodes, ... (CONROD and PLOTEL without PID). Releases differ by a word or
 * two behind the nodes: of the lengths known the one that divides the record and has numbers above
 * 0 where corners stand. What fits none is counted, for pictures alone depend on it.
 */
#include "op2.h"

static const struct {
    int a, b; /* the first two codes */
    const char *name;
    fb_topology plain, middle; /* without and with middle nodes */
    int first;                 /* word of the first node */
    int words[2];              /* of an entry; 0: one length alone */
} cards[] = {
    {7308, 73, "CHEXA", FB_HEXA8, FB_HEXA20, 2, {22, 0}},
    {4108, 41, "CPENTA", FB_PENTA6, FB_PENTA15, 2, {17, 0}},
    {5508, 55, "CTETRA", FB_TETRA4, FB_TETRA10, 2, {12, 0}},
    {17200, 172, "CPYRAM", FB_PYRAMID5, FB_PYRAMID13, 2, {16, 15}},
    {2958, 51, "CQUAD4", FB_QUAD4, FB_QUAD4, 2, {14, 13}},
    {8009, 80, "CQUADR", FB_QUAD4, FB_QUAD4, 2, {14, 13}},
    {4701, 47, "CQUAD8", FB_QUAD4, FB_QUAD8, 2, {17, 16}},
    {5959, 59, "CTRIA3", FB_TRIA3, FB_TRIA3, 2, {13, 12}},
    {9200, 92, "CTRIAR", FB_TRIA3, FB_TRIA3, 2, {13, 12}},
    {4801, 48, "CTRIA6", FB_TRIA3, FB_TRIA6, 2, {14, 13}},
    {3101, 31, "CSHEAR", FB_QUAD4, FB_QUAD4, 2, {6, 0}},
    {2408, 24, "CBAR", FB_LINE2, FB_LINE2, 2, {16, 0}},
    {5408, 54, "CBEAM", FB_LINE2, FB_LINE2, 2, {18, 0}},
    {3001, 30, "CROD", FB_LINE2, FB_LINE2, 2, {4, 0}},
    {3701, 37, "CTUBE", FB_LINE2, FB_LINE2, 2, {4, 0}},
    {1601, 16, "CONROD", FB_LINE2, FB_LINE2, 1, {8, 0}},
    {5201, 52, "PLOTEL", FB_LINE2, FB_LINE2, 1, {3, 0}},
    {2608, 26, "CBUSH", FB_LINE2, FB_LINE2, 2, {14, 0}},
    {1908, 19, "CGAP", FB_LINE2, FB_LINE2, 2, {9, 0}},
    {601, 6, "CELAS1", FB_LINE2, FB_LINE2, 2, {6, 0}},
    {701, 7, "CELAS2", FB_LINE2, FB_LINE2, 2, {8, 0}},
};

/* Has every entry a number and its corners? Springs and bushes may stand on the ground. */
static int plausible(const op2_file *f, op2_record r, size_t n, size_t words, size_t card)
{
    const int corners = fb_element_kinds[cards[card].plain].nodes;
    if (!words || n % words)
        return 0;
    for (size_t k = 0; k < n && corners > 2; k += words) {
        if (op2_int(f, r, k) < 1)
            return 0;
        for (int q = 0; q < corners; q++)
            if (op2_int(f, r, k + (size_t)(cards[card].first + q)) < 1)
                return 0;
    }
    return 1;
}

static fb_status entries(op2_file *f, op2_record r, size_t n, size_t words, size_t card, fb_err *e)
{
    const fb_topology plain = cards[card].plain, middle = cards[card].middle;
    for (size_t k = 0; k < n; k += words) {
        int64_t node[FB_ELEMENT_NODES] = {0};
        int more = 0, whole = 1;
        for (int q = 0; q < fb_element_kinds[middle].nodes; q++) {
            const int64_t id = op2_int(f, r, k + (size_t)(cards[card].first + q));
            node[q] = id > 0 ? id : 0;
            whole &= id > 0 || q >= fb_element_kinds[plain].nodes;
            more |= id > 0 && q >= fb_element_kinds[plain].nodes;
        }
        if (!whole)
            continue;
        if (more)
            nas_element_order(middle, node);
        FB_PASS(fb_elements_add(&f->sink.parts->elements, op2_int(f, r, k), more ? middle : plain,
                                node, e));
    }
    return FB_OK;
}

/* ---- rigid elements ------------------------------------------------------------------------ */

/* Bits of a real are 0, or above the numbers that Nastran takes. */
static int is_id(int64_t x)
{
    return x > 0 && x < 100000000;
}

typedef struct {
    const op2_file *f;
    op2_record r;
    size_t k, n;
    fb_elements *to; /* NULL: look alone */
} rigid;

static int64_t word(const rigid *z, size_t k)
{
    return k < z->n ? op2_int(z->f, z->r, k) : INT64_MIN;
}

static fb_status rigid_line(const rigid *z, int64_t id, int64_t a, int64_t b, fb_err *e)
{
    return z->to ? fb_elements_add(z->to, id, FB_LINE2, (int64_t[]){a, b}, e) : FB_OK;
}

/* One entry; *fits = 0 where it does not have this form. */
static fb_status rbe2(rigid *z, int *fits, fb_err *e)
{
    const int64_t id = word(z, z->k), a = word(z, z->k + 1), c = word(z, z->k + 2);
    size_t k = z->k + 3;
    *fits = is_id(id) && is_id(a) && c > 0 && c <= 123456 && is_id(word(z, k));
    for (; *fits && is_id(word(z, k)); k++)
        FB_PASS(rigid_line(z, id, a, word(z, k), e));
    for (int q = 0; q < 2 && k < z->n && word(z, k) != -1; q++)
        k++;
    *fits = *fits && word(z, k) == -1;
    z->k = k + 1;
    return FB_OK;
}

static fb_status rbe3(rigid *z, int *fits, fb_err *e)
{
    const int64_t id = word(z, z->k), a = word(z, z->k + 1);
    size_t k = z->k + 3;
    *fits = is_id(id) && is_id(a) && k < z->n;
    while (*fits && k < z->n && word(z, k) != -2) {
        k += 2; /* weight, components */
        *fits = is_id(word(z, k));
        for (; is_id(word(z, k)); k++)
            FB_PASS(rigid_line(z, id, a, word(z, k), e));
        *fits = *fits && word(z, k++) == -1;
    }
    *fits = *fits && word(z, k) == -2;
    while (*fits && k < z->n && word(z, k) != -3)
        k++;
    *fits = *fits && word(z, k) == -3;
    z->k = k + 1;
    if (z->k < z->n && !is_id(word(z, z->k)))
        z->k++;
    return FB_OK;
}

/* Lines to all nodes, where every entry of the record has the form; else the record is counted. */
static fb_status rigid_elements(op2_file *f, int three, op2_record r, fb_err *e)
{
    fb_elements *x = &f->sink.parts->elements;
    for (int pass = 0; pass < 2; pass++) {
        rigid z = {f, r, 0, r.size / (size_t)f->w, pass ? x : NULL};
        int fits = 1;
        while (fits && z.k < z.n)
            FB_PASS(three ? rbe3(&z, &fits, e) : rbe2(&z, &fits, e));
        if (!fits)
            return fb_elements_odd(x, three ? "RBE3" : "RBE2", e);
    }
    return FB_OK;
}

/* ---- all --------------------------------------------------------------------------------- */

fb_status op2_elements(op2_file *f, int64_t a, int64_t b, op2_record r, fb_err *e)
{
    const size_t n = r.size / (size_t)f->w;
    if (a == 6901 && b == 69)
        return rigid_elements(f, 0, r, e);
    if (a == 7101 && b == 71)
        return rigid_elements(f, 1, r, e);
    for (size_t k = 0; k < sizeof cards / sizeof *cards; k++) {
        if (cards[k].a != a || cards[k].b != b)
            continue;
        for (int q = 0; q < 2; q++)
            if (plausible(f, r, n, (size_t)cards[k].words[q], k))
                return entries(f, r, n, (size_t)cards[k].words[q], k, e);
        return fb_elements_odd(&f->sink.parts->elements, cards[k].name, e);
    }
    return FB_OK;
}
