/* SPDX-License-Identifier: GPL-3.0-or-later */
/* op2_tables.c - tables of OUTPUT2 files that say what the rows of matrices are.
 *
 *   EQEXIN  pairs (id, internal number); pairs (id, 10 SIL + type), type 1 grid, 2 scalar
 *   BGPDT   old: CD, X, Y, Z a point, in internal order; new: CD, SIL, id, code, PS, link and
 *           three doubles a point; then pairs. Positions are basic.
 *   CSTM    old: id, type, origin(3), T(3x3) by rows; new: id, type, 0, start in a second record
 *           of doubles. x = origin + T x_local
 *   USET    a mask a dof, in SIL order
 *   GEOM1, GEOM2, GEOM4   cards: three codes, then entries of one length
 *   114,1,120 records     DMIG: name, header, columns; -1 -1 ends a column and the matrix
 *
 * Beware  SIL, the first row of a point, is 1-based; internal order need not be that of the ids.
 *         Several superelements in one file repeat the tables: a table that comes again begins the
 *         next group. USET of exclusive sets uses 0x2 for the b-set, unless an s-bit stands by. */
#include "memory.h"
#include "op2.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- small pieces ----------------------------------------------------------------------- */

static void group_free(op2_group *g)
{
    FB_FREE(g->eqexin, g->sil, g->bgpdt, g->xyz, g->cstm, g->axes, g->uset);
    *g = (op2_group){0};
}

void op2_tables_free(op2_file *f)
{
    group_free(&f->g);
    FB_FREE_BY(nas_points_free, &f->bulk, &f->basic);
    nas_dmig_free(&f->dmig);
}

/* All words of the record as integers. */
static fb_status integers(const op2_file *f, op2_record r, int64_t per, int64_t **v, int64_t *n,
                          fb_err *e)
{
    int64_t words = (int64_t)(r.size / (size_t)f->w);
    if (words == 0 || words % per)
        return fb_fail(e, FB_EFORMAT, "%lld words; entries have %lld", (long long)words,
                       (long long)per);
    fb_status s = fb_new(v, words, sizeof **v, "table", e);
    for (int64_t k = 0; !s && k < words; k++)
        (*v)[k] = op2_int(f, r, (size_t)k);
    if (!s)
        *n = words / per;
    return s;
}

static int same_kind(const char *name, const char *kind)
{
    size_t n = strlen(kind);
    return !strncmp(name, kind, n) && (name[n] == 0 || !strcmp(name + n, "S"));
}

static int is_uset(const char *name)
{
    return !strcmp(name, "USET") || !strcmp(name, "USETTAB") || !strcmp(name, "USET0");
}

/* GEOM1EXA and the like repeat the cards of an external superelement for its assembly. */
static int is_geom(const char *name)
{
    size_t n = strlen(name);
    return (!strncmp(name, "GEOM1", 5) || !strncmp(name, "GEOM2", 5) ||
            !strncmp(name, "GEOM4", 5)) &&
           !(n > 3 && !strcmp(name + n - 3, "EXA"));
}

int op2_wanted(const char *name)
{
    return same_kind(name, "EQEXIN") || same_kind(name, "BGPDT") || same_kind(name, "CSTM") ||
           is_uset(name) || is_geom(name) || op2_has_modes(name) || op2_has_stress(name);
}

/* ---- points of a group ------------------------------------------------------------------ */

typedef struct {
    int64_t id, sil, dofs, cd;
    double x[3];
    int placed; /* has a position */
} point;

static int by_sil(const void *a, const void *b)
{
    const point *x = a, *y = b;
    return (x->sil > y->sil) - (x->sil < y->sil);
}

/* Points by EQEXIN, positions by BGPDT in internal order. */
static fb_status points_by_eqexin(const op2_group *g, point *p, fb_err *e)
{
    int64_t n = g->npoint;
    if (g->nsil != n)
        return fb_fail(e, FB_EFORMAT, "EQEXIN: %lld internal numbers, %lld dofs", (long long)n,
                       (long long)g->nsil);
    qsort(g->sil, (size_t)n, 2 * sizeof *g->sil, nas_by_id);
    for (int64_t k = 0; k < n; k++) {
        int64_t id = g->eqexin[2 * k], place = g->eqexin[2 * k + 1];
        const int64_t *sil = bsearch(&id, g->sil, (size_t)n, 2 * sizeof *g->sil, nas_by_id);
        if (place < 1 || place > n || p[place - 1].dofs || !sil || sil[1] < 11 ||
            (sil[1] % 10 != 1 && sil[1] % 10 != 2))
            return fb_fail(
                e, FB_EFORMAT, "EQEXIN: point %lld has internal number %lld of %lld, dof code %lld",
                (long long)id, (long long)place, (long long)n, sil ? (long long)sil[1] : 0);
        p[place - 1] = (point){.id = id, .sil = sil[1] / 10, .dofs = sil[1] % 10 == 1 ? 6 : 1};
    }
    if (g->nbg && g->nbg != n)
        return fb_fail(e, FB_EFORMAT, "BGPDT has %lld points, EQEXIN %lld", (long long)g->nbg,
                       (long long)n);
    return FB_OK;
}

static fb_status group_points(const op2_group *g, point **out, int64_t *n, fb_err *e)
{
    point *p = NULL;
    fb_status s = FB_OK;
    *n = g->npoint ? g->npoint : g->nbg;
    FB_TRY(fb_new(&p, *n, sizeof *p, "points", e));
    if (g->npoint)
        FB_TRY(points_by_eqexin(g, p, e));
    for (int64_t k = 0; k < g->nbg; k++) {
        const int64_t *b = g->bgpdt + 3 * k;
        if (!g->npoint)
            p[k] = (point){.id = b[2], .sil = b[1], .dofs = b[0] == -1 ? 1 : 6};
        p[k].cd = b[0];
        p[k].placed = b[0] != -1 && p[k].dofs == 6;
        memcpy(p[k].x, g->xyz + 3 * k, sizeof p[k].x);
    }
    *out = p;
    p = NULL;
out:
    free(p);
    return s;
}

/* Points and systems become cards in basic coordinates, so that equal ones of several groups are
 * one. A system is told by its origin, a point on z and a point on x. */
static fb_status to_cards(op2_file *f, const point *p, int64_t n, fb_err *e)
{
    const op2_group *g = &f->g;
    for (int64_t k = 0; k < n; k++) {
        nas_grid a = {.id = p[k].id, .cd = p[k].cd, .x = {p[k].x[0], p[k].x[1], p[k].x[2]}};
        if (p[k].placed)
            FB_PASS(nas_points_grid(&f->basic, &a, e));
        else if (p[k].dofs == 1)
            FB_PASS(nas_points_spoints(&f->bulk, p[k].id, p[k].id, e));
    }
    for (int64_t k = 0; k < g->ncstm; k++) {
        const double *o = g->axes + 12 * k, *t = o + 3;
        nas_system y = {.id = g->cstm[2 * k], .kind = (int)g->cstm[2 * k + 1]};
        for (int i = 0; i < 3; i++) {
            y.abc[i] = o[i];
            y.abc[3 + i] = o[i] + t[3 * i + 2];
            y.abc[6 + i] = o[i] + t[3 * i];
        }
        if (y.kind < 1 || y.kind > 3)
            return fb_fail(e, FB_EFORMAT,
                           "CSTM: system %lld of type %lld; known are 1 rectangular, 2 "
                           "cylindrical, 3 spherical",
                           (long long)y.id, (long long)g->cstm[2 * k + 1]);
        FB_PASS(nas_points_system(&f->basic, &y, e));
    }
    return FB_OK;
}

/* Rows of the g-set: points by SIL, which must leave no gap. */
static fb_status g_set(const point *p, int64_t n, nas_pair **row, int64_t *nrow, fb_err *e)
{
    nas_pair *r = NULL;
    int64_t k = 0, next = 1;
    for (int64_t q = 0; q < n; q++) {
        if (p[q].sil != next)
            return fb_fail(e, FB_EFORMAT, "point %lld begins at dof %lld, %lld is wanted",
                           (long long)p[q].id, (long long)p[q].sil, (long long)next);
        next += p[q].dofs;
    }
    FB_PASS(fb_new(&r, next - 1, sizeof *r, "dofs", e));
    for (int64_t q = 0; q < n; q++)
        for (int c = 1; c <= p[q].dofs; c++)
            r[k++] = (nas_pair){p[q].id, p[q].dofs == 1 ? 0 : c};
    *row = r;
    *nrow = k;
    return FB_OK;
}

static fb_status give(op2_file *f, const char *name, int rank, const nas_pair *row,
                      const int64_t *take, int64_t n, fb_err *e)
{
    fb_row_order *o = NULL;
    char full[48] = "";
    int64_t k = 0;
    snprintf(full, sizeof full, f->ngroup ? "%s %lld" : "%s", name, (long long)f->ngroup + 1);
    FB_PASS(fb_parts_order(f->sink.parts, full, f->sink.origin, rank, &o, e));
    FB_PASS(fb_labels_new(&o->dof, n, 0, e));
    for (int64_t q = 0; q < n; q++)
        if (!take || take[q]) {
            o->dof.node[k] = row[q].id;
            o->dof.component[k++] = row[q].component;
        }
    o->n = k;
    return FB_OK;
}

enum { /* bits of USET */
       U_M = 0x1,
       U_SB_OR_B = 0x2,
       U_O = 0x4,
       U_R = 0x8,
       U_A = 0x80,
       U_SG = 0x200,
       U_SB = 0x400,
       U_C = 0x100000,
       U_B = 0x200000,
       U_Q = 0x400000
};

/* Rows of the a-set, and the sets that the masks name. */
static fb_status a_set(op2_file *f, const nas_pair *row, int64_t n, fb_err *e)
{
    op2_group *g = &f->g;
    if (g->nuset != n)
        return fb_fail(e, FB_EFORMAT, "USET has %lld dofs, the points have %lld",
                       (long long)g->nuset, (long long)n);
    for (int64_t k = 0; k < n; k++) {
        int64_t m = g->uset[k];
        int a = (m & (U_SB_OR_B | U_B | U_C | U_R | U_Q | U_A)) && !(m & (U_M | U_SG | U_SB | U_O));
        char c[2] = {(char)('0' + row[k].component), 0};
        if (a)
            FB_PASS(nas_points_row(f->bulk.set + NAS_ASET, row[k].id, c, e));
        if (a && (m & (U_SB_OR_B | U_B)))
            FB_PASS(nas_points_row(f->bulk.set + NAS_BSET, row[k].id, c, e));
        if (a && (m & U_Q))
            FB_PASS(nas_points_row(f->bulk.set + NAS_QSET, row[k].id, c, e));
        if (m & U_M)
            FB_PASS(nas_points_row(&f->bulk.tied, row[k].id, c, e));
        g->uset[k] = a;
    }
    return give(f, "USET a-set", 2, row, g->uset, n, e);
}

static fb_status group_end(op2_file *f, fb_err *e)
{
    op2_group *g = &f->g;
    point *p = NULL;
    nas_pair *row = NULL;
    int64_t n = 0, nrow = 0;
    fb_status s = FB_OK;
    int named = g->npoint || (g->nbg && g->bgpdt[2] > 0); /* the old BGPDT alone has no ids */
    if (named) {
        FB_TRY(group_points(g, &p, &n, e));
        FB_TRY(to_cards(f, p, n, e));
        qsort(p, (size_t)n, sizeof *p, by_sil);
        FB_TRY(g_set(p, n, &row, &nrow, e));
        FB_TRY(give(f, "g-set", 3, row, NULL, nrow, e));
        if (g->nuset)
            FB_TRY(a_set(f, row, nrow, e));
    } else if (g->nbg || g->nuset) {
        fb_warn(f->sink.log, "%s: BGPDT or USET without the numbers of EQEXIN: not used",
                f->sink.origin);
    }
    f->ngroup++;
out:
    group_free(g);
    FB_FREE(p, row);
    return s;
}

/* ---- tables ----------------------------------------------------------------------------- */

static fb_status eqexin(op2_file *f, int64_t k, op2_record r, fb_err *e)
{
    op2_group *g = &f->g;
    if (k == 0)
        return integers(f, r, 2, &g->eqexin, &g->npoint, e);
    return k == 1 && !g->sil ? integers(f, r, 2, &g->sil, &g->nsil, e) : FB_OK;
}

static fb_status bgpdt(op2_file *f, const op2_block *b, op2_record r, fb_err *e)
{
    op2_group *g = &f->g;
    int told = b->trailer[1] > 0 && (uint64_t)b->trailer[1] <= r.size;
    size_t w = (size_t)f->w, n = told ? (size_t)b->trailer[1] : (size_t)g->npoint;
    size_t stride = n ? r.size / n : 0;
    if (n == 0 || r.size % n || (stride != 4 * w && stride != 6 * w + 24))
        return fb_fail(e, FB_EFORMAT, "%zu bytes for %zu points; a point has %zu or %zu", r.size, n,
                       4 * w, 6 * w + 24);
    FB_PASS(fb_new(&g->bgpdt, 3 * (int64_t)n, sizeof *g->bgpdt, "BGPDT", e));
    FB_PASS(fb_new(&g->xyz, 3 * (int64_t)n, sizeof *g->xyz, "BGPDT", e));
    int old = stride == 4 * w;
    for (size_t k = 0; k < n; k++) {
        op2_record q = {r.data + k * stride, stride};
        for (size_t c = 0; c < (old ? 1 : 3); c++)
            g->bgpdt[3 * k + c] = op2_int(f, q, c);
        for (size_t c = 0; c < 3; c++)
            g->xyz[3 * k + c] =
                old ? op2_real(f, q, (1 + c) * w, f->w) : op2_real(f, q, 6 * w + 8 * c, 8);
    }
    g->nbg = (int64_t)n;
    return FB_OK;
}

/* Old: 14 words a system. New: four integers a system, start (1-based) of twelve doubles in the
 * second record. Fifty-six integers could be either: the second record tells. */
static fb_status cstm(op2_file *f, const op2_block *b, int64_t k, op2_record r, fb_err *e)
{
    op2_group *g = &f->g;
    size_t w = (size_t)f->w,
           n = b->trailer[2] > 0 && (uint64_t)b->trailer[2] <= r.size ? (size_t)b->trailer[2] : 0;
    if (k == 1) {
        for (int64_t q = 0; q < g->ncstm; q++) {
            int64_t start = g->cstm[2 * g->ncstm + q] - 1;
            if (start < 0 || (uint64_t)start + 12 > r.size / 8)
                return fb_fail(e, FB_EFORMAT, "system %lld begins at %lld of %zu numbers",
                               (long long)g->cstm[2 * q], (long long)start + 1, r.size / 8);
            for (int64_t c = 0; c < 12; c++)
                g->axes[12 * q + c] = op2_real(f, r, 8 * (size_t)(start + c), 8);
        }
        return FB_OK;
    }
    if (k > 1)
        return FB_OK;
    size_t stride = n ? r.size / n : r.size % (14 * w) == 0 ? 14 * w : 4 * w;
    n = r.size / stride;
    if (n == 0 || r.size % stride || (stride != 14 * w && stride != 4 * w))
        return fb_fail(e, FB_EFORMAT, "%zu bytes for %zu systems; a system has %zu or %zu", r.size,
                       n, 14 * w, 4 * w);
    FB_PASS(fb_new(&g->cstm, 3 * (int64_t)n, sizeof *g->cstm, "CSTM",
                   e)); /* the starts stand behind the pairs */
    FB_PASS(fb_new(&g->axes, 12 * (int64_t)n, sizeof *g->axes, "CSTM", e));
    for (size_t q = 0; q < n; q++) {
        op2_record y = {r.data + q * stride, stride};
        g->cstm[2 * q] = op2_int(f, y, 0);
        g->cstm[2 * q + 1] = op2_int(f, y, 1);
        g->cstm[2 * n + q] = stride == 4 * w ? op2_int(f, y, 3) : 0;
        for (size_t c = 0; stride == 14 * w && c < 12; c++)
            g->axes[12 * q + c] = op2_real(f, y, (2 + c) * w, f->w);
    }
    g->ncstm = (int64_t)n;
    return FB_OK;
}

/* ---- cards ------------------------------------------------------------------------------ */

static fb_status grids(op2_file *f, op2_record r, int64_t code, fb_err *e)
{
    size_t w = (size_t)f->w, real = code > 1000 ? 8 : w, stride = 5 * w + 3 * real;
    if (r.size % stride)
        return fb_fail(e, FB_EFORMAT, "GRID: %zu bytes; an entry has %zu", r.size, stride);
    for (size_t at = 0; at < r.size; at += stride) {
        op2_record q = {r.data + at, stride}, behind = {q.data + 2 * w + 3 * real, 3 * w};
        nas_grid g = {.id = op2_int(f, q, 0), .cp = op2_int(f, q, 1), .cd = op2_int(f, behind, 0)};
        for (size_t c = 0; c < 3; c++)
            g.x[c] = op2_real(f, q, 2 * w + c * real, (int)real);
        FB_PASS(nas_points_grid(&f->bulk, &g, e));
    }
    return FB_OK;
}

static fb_status systems(op2_file *f, op2_record r, int64_t code, int by_grids, fb_err *e)
{
    size_t w = (size_t)f->w, real = code > 1000 ? 8 : w,
           stride = by_grids ? 6 * w : 4 * w + 9 * real;
    if (r.size % stride)
        return fb_fail(e, FB_EFORMAT, "CORD: %zu bytes; an entry has %zu", r.size, stride);
    for (size_t at = 0; at < r.size; at += stride) {
        op2_record q = {r.data + at, stride};
        nas_system y = {
            .id = op2_int(f, q, 0), .kind = (int)(op2_int(f, q, 1) % 1000), .by_grids = by_grids};
        for (size_t c = 0; by_grids && c < 3; c++)
            y.g[c] = op2_int(f, q, 3 + c);
        if (!by_grids)
            y.rid = op2_int(f, q, 3);
        for (size_t c = 0; !by_grids && c < 9; c++)
            y.abc[c] = op2_real(f, q, 4 * w + c * real, (int)real);
        FB_PASS(nas_points_system(&f->bulk, &y, e));
    }
    return FB_OK;
}

/* Pairs (id, components), up to -1 -1 where that ends them. */
static fb_status pairs(op2_file *f, op2_record r, nas_set *list, fb_err *e)
{
    for (size_t k = 0; k + 2 <= r.size / (size_t)f->w; k += 2) {
        int64_t id = op2_int(f, r, k);
        char text[24];
        if (id == -1)
            break;
        snprintf(text, sizeof text, "%lld", (long long)op2_int(f, r, k + 1));
        FB_PASS(nas_points_row(list, id, text, e));
    }
    return FB_OK;
}

/* Components, then 0 and ids up to -1, or 1, first and last id (and -1). */
static fb_status lists(op2_file *f, op2_record r, int set, fb_err *e)
{
    size_t n = r.size / (size_t)f->w;
    for (size_t k = 0; k + 3 <= n; k++) {
        char text[24];
        int64_t thru = op2_int(f, r, k + 1);
        snprintf(text, sizeof text, "%lld", (long long)op2_int(f, r, k));
        k += 2;
        if (thru == 1 && k + 1 < n) {
            FB_PASS(nas_points_set_range(&f->bulk, set, op2_int(f, r, k), op2_int(f, r, k + 1),
                                         text, e));
            k += k + 2 < n && op2_int(f, r, k + 2) == -1 ? 2 : 1;
            continue;
        }
        for (; k < n && op2_int(f, r, k) != -1; k++)
            FB_PASS(nas_points_row(f->bulk.set + set, op2_int(f, r, k), text, e));
    }
    return FB_OK;
}

static fb_status spoints(op2_file *f, op2_record r, fb_err *e)
{
    fb_status s = FB_OK;
    for (size_t k = 0; !s && k < r.size / (size_t)f->w; k++) {
        int64_t id = op2_int(f, r, k);
        s = nas_points_spoints(&f->bulk, id, id, e);
    }
    return s;
}

static const struct {
    int64_t a, b; /* first two codes; the third tells the length of the reals */
    char kind;    /* g grid, 1 and 2 systems, p scalar points, x EXTRN, s pairs, l lists */
    int set;
} cards[] = {
    {4501, 45, 'g', 0},        {1701, 17, '1', 0},        {1801, 18, '1', 0},
    {1901, 19, '1', 0},        {2001, 20, '2', 0},        {2101, 21, '2', 0},
    {2201, 22, '2', 0},        {5551, 49, 'p', 0},        {1627, 16, 'x', 0},
    {5561, 76, 's', NAS_ASET}, {5571, 77, 'l', NAS_ASET}, {110, 1, 's', NAS_BSET},
    {210, 2, 'l', NAS_BSET},   {310, 3, 's', NAS_CSET},   {410, 4, 'l', NAS_CSET},
    {510, 5, 's', NAS_QSET},   {610, 6, 'l', NAS_QSET},
};

static fb_status card(op2_file *f, op2_record r, fb_err *e)
{
    size_t w = (size_t)f->w;
    if (r.size < 3 * w)
        return FB_OK;
    int64_t a = op2_int(f, r, 0), b = op2_int(f, r, 1), code = op2_int(f, r, 2);
    op2_record q = {r.data + 3 * w, r.size - 3 * w};
    for (size_t k = 0; k < sizeof cards / sizeof *cards; k++) {
        if (cards[k].a != a || cards[k].b != b)
            continue;
        switch (cards[k].kind) {
        case 'g':
            return grids(f, q, code, e);
        case '1':
            return systems(f, q, code, 1, e);
        case '2':
            return systems(f, q, code, 0, e);
        case 'p':
            return spoints(f, q, e);
        case 'x':
            return pairs(f, q, &f->bulk.extrn, e);
        case 's':
            return pairs(f, q, f->bulk.set + cards[k].set, e);
        default:
            return lists(f, q, cards[k].set, e);
        }
    }
    return op2_elements(f, a, b, q, e);
}

/* ---- DMIG ------------------------------------------------------------------------------- */

typedef struct {
    op2_record r;
    size_t k, n; /* next word, words */
} words;

static fb_status left(const words *q, size_t n, fb_err *e)
{
    return q->n - q->k >= n
               ? FB_OK
               : fb_fail(e, FB_EFORMAT, "DMIG: the record ends at word %zu, within an entry", q->n);
}

/* Columns behind the header, up to -1 -1. */
static fb_status dmig_columns(op2_file *f, nas_matrix *m, words *q, fb_err *e)
{
    int complex = m->g.complex, bytes = f->w == 8 || m->type == 2 || m->type == 4 ? 8 : 4;
    size_t w = (size_t)f->w, per = (size_t)bytes / w * (complex ? 2 : 1);
    for (;;) {
        FB_PASS(left(q, 2, e));
        int64_t gj = op2_int(f, q->r, q->k), cj = op2_int(f, q->r, q->k + 1);
        q->k += 2;
        if (gj == -1 && cj == -1)
            return FB_OK;
        FB_PASS(nas_dmig_column(&f->dmig, m, gj, cj, e));
        for (;;) {
            FB_PASS(left(q, 2, e));
            int64_t gi = op2_int(f, q->r, q->k), ci = op2_int(f, q->r, q->k + 1);
            q->k += 2;
            if (gi == -1 && ci == -1)
                break;
            FB_PASS(left(q, per, e));
            double re = op2_real(f, q->r, q->k * w, bytes);
            double im = complex ? op2_real(f, q->r, q->k * w + (size_t)bytes, bytes) : 0;
            q->k += per;
            FB_PASS(nas_dmig_entry(&f->dmig, m, gi, ci, re, im, e));
        }
    }
    return FB_OK;
}

static fb_status dmig(op2_file *f, const op2_block *b, op2_record r, fb_err *e)
{
    size_t w = (size_t)f->w;
    words q = {r, 3, r.size / w};
    if (q.n < 3 || op2_int(f, r, 0) != 114 || op2_int(f, r, 1) != 1 || op2_int(f, r, 2) != 120)
        return FB_OK;
    while (q.k < q.n) {
        char name[17];
        FB_PASS(left(&q, 9, e));
        nas_name(name, sizeof name, r.data + q.k * w, 2 * w);
        if (!strcmp(name, "EXTDB")) /* named by the directory only */
            memcpy(name, b->name, sizeof name);
        int64_t head[5];
        for (size_t k = 0; k < 5; k++)
            head[k] = op2_int(f, r, q.k + 3 + (k == 4 ? 5 : k));
        q.k += 9;
        FB_PASS(nas_dmig_header(&f->dmig, name, head, e));
        FB_PASS(dmig_columns(f, f->dmig.m + f->dmig.n - 1, &q, e));
    }
    return FB_OK;
}

/* ---- dispatch --------------------------------------------------------------------------- */

fb_status op2_table(op2_file *f, const op2_block *b, int64_t k, op2_record r, fb_err *e)
{
    const char *name = b->name;
    op2_group *g = &f->g;
    int eq = same_kind(name, "EQEXIN"), bg = same_kind(name, "BGPDT"), cs = same_kind(name, "CSTM"),
        us = is_uset(name);
    if (k == 0 && ((eq && g->npoint) || (bg && g->nbg) || (cs && g->ncstm) || (us && g->nuset)))
        FB_PASS(group_end(f, e));
    if (eq)
        return eqexin(f, k, r, e);
    if (bg)
        return k == 0 ? bgpdt(f, b, r, e) : FB_OK;
    if (cs)
        return cstm(f, b, k, r, e);
    if (us)
        return k == 0 ? integers(f, r, 1, &g->uset, &g->nuset, e) : FB_OK;
    if (is_geom(name))
        return card(f, r, e);
    if (op2_has_modes(name))
        return op2_modes(f, b, k, r, e);
    if (op2_has_stress(name))
        return op2_stress(f, k, r, e);
    return dmig(f, b, r, e);
}

/* Systems of CSTM, and those of the cards that it does not have. */
static fb_status prefer_cstm(op2_file *f, fb_err *e)
{
    nas_points *t = &f->bulk, *basic = &f->basic;
    int64_t *id = NULL, n = basic->nsystem, distinct, k = 0;
    fb_status s = FB_OK;
    FB_TRY(fb_new(&id, n, sizeof *id, "coordinate systems", e));
    for (int64_t q = 0; q < n; q++)
        id[q] = basic->system[q].id;
    distinct = fb_unique(id, n);
    for (int64_t q = 0; q < t->nsystem; q++)
        if (fb_sorted_find(id, distinct, t->system[q].id) < 0)
            t->system[k++] = t->system[q];
    t->nsystem = k;
    for (int64_t q = 0; q < n; q++)
        FB_TRY(nas_points_system(t, basic->system + q, e));
out:
    free(id);
    return s;
}

fb_status op2_tables_finish(op2_file *f, fb_err *e)
{
    nas_points *t = &f->bulk, *basic = &f->basic;
    fb_parts *p = f->sink.parts;
    FB_PASS(group_end(f, e));
    t->lenient = 1;
    if (basic->ngrid) { /* BGPDT is what the solver used; the cards say the same in other systems */
        free(t->grid);
        t->grid = basic->grid;
        t->ngrid = basic->ngrid;
        basic->grid = NULL;
        basic->ngrid = 0;
    }
    FB_PASS(prefer_cstm(f, e));
    FB_PASS(nas_points_finish(t, f->sink.origin, p, f->sink.log, e));
    return nas_dmig_finish(&f->dmig, t->spoint, t->nspoint, f->sink.origin, p, f->sink.log, e);
}
