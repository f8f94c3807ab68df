/* SPDX-License-Identifier: GPL-3.0-or-later */
/* op2_stress.c - stress of solids in OUTPUT2 files at the nodes of the shapes that stand beside it.
 *
 * Layout  records in turn: a head as of eigenvectors (op2_modes.c), data. Head: table 5, word 3 the
 *         type of the elements, 4 the subcase, 5 the mode, 9 real or complex (1-based), 10 the
 *         words of an element: id + device, CID, 'GRID', corners, and for the centre (0) and each
 *         corner
 *           grid, sxx, txy, s1, 3 cosines, pressure, von Mises, syy, tyz, s2, ..., szz, tzx, s3...
 * Nodes   the mean over the solids of a node; shells and bars print theirs in axes of their own
 * Beware  CID is where PSOLID's CORDM puts the axes: 0 is basic. Strain is left: its shears are
 *         angles, in blocks of their own. */
#include "memory.h"
#include "op2.h"
#include <math.h>

enum { STRESS_TABLE = 5, REAL_FORMAT = 1 };
enum { STATICS = 1, NORMAL_MODES = 2 };                  /* analyses */
enum { HEAD_WORDS = 10, ELEMENT_HEAD = 4, CORNER = 21 }; /* words */

int op2_has_stress(const char *name)
{
    static const char *const list[] = {"OES1", "OES1X", "OES1X1", "OES1C", NULL};
    for (const char *const *p = list; *p; p++)
        if (!strcmp(name, *p))
            return 1;
    return 0;
}

/* Corners of a solid's type; 0: another element. */
static int corners_of(int64_t type)
{
    return type == 39 ? 4 : type == 67 ? 8 : type == 68 ? 6 : type == 255 ? 5 : 0;
}

static fb_status head(op2_file *f, op2_record r, fb_err *e)
{
    op2_stresses *t = &f->stress;
    const int64_t analysis = op2_int(f, r, 0) / 10, width = op2_int(f, r, 9);
    const int corners = corners_of(op2_int(f, r, 2));
    t->corners = 0;
    if (op2_int(f, r, 1) != STRESS_TABLE || (analysis != STATICS && analysis != NORMAL_MODES))
        return FB_OK;
    if (!corners || op2_int(f, r, 8) != REAL_FORMAT) {
        t->other++;
        return FB_OK;
    }
    if (width != ELEMENT_HEAD + CORNER * (corners + 1))
        return fb_fail(e, FB_EFORMAT,
                       "stress of a solid with %d corners has %lld words, %d are wanted", corners,
                       (long long)width, ELEMENT_HEAD + CORNER * (corners + 1));
    t->corners = corners;
    FB_PASS(fb_modes_begin(&t->x, op2_int(f, r, analysis == STATICS ? 3 : 4), 0, 0, e));
    t->x.mode[t->x.n - 1].still = analysis == STATICS;
    return FB_OK;
}

static fb_status element(op2_file *f, op2_record q, int corners, fb_err *e)
{
    static const size_t at[6] = {1, 9, 15, 2, 16, 10}; /* xx yy zz xy xz yz */
    const int64_t id = op2_int(f, q, 0) / 10, system = op2_int(f, q, 1);
    if (system != 0)
        return fb_fail(e, FB_EFORMAT,
                       "the stress of element %lld is in coordinate system %lld: set CORDM of its "
                       "PSOLID to 0, the basic one",
                       (long long)id, (long long)system);
    for (int k = 1; k <= corners; k++) {
        const size_t first = (size_t)(ELEMENT_HEAD + CORNER * k);
        const int64_t node = op2_int(f, q, first);
        double v[6];
        for (int c = 0; c < 6; c++)
            v[c] = op2_real(f, q, (first + at[c]) * (size_t)f->w, f->w);
        if (node < 1 || node > FB_NODE_MAX || !isfinite(v[0] + v[1] + v[2] + v[3] + v[4] + v[5]))
            return fb_fail(e, FB_EFORMAT, "the stress of element %lld at point %lld is no number",
                           (long long)id, (long long)node);
        FB_PASS(fb_modes_row(&f->stress.x, node, v, e));
    }
    return FB_OK;
}

fb_status op2_stress(op2_file *f, int64_t k, op2_record r, fb_err *e)
{
    op2_stresses *t = &f->stress;
    const size_t words = (size_t)(ELEMENT_HEAD + CORNER * (t->corners + 1)),
                 stride = words * (size_t)f->w;
    if (k % 2 == 0)
        return r.size < HEAD_WORDS * (size_t)f->w ? FB_OK : head(f, r, e);
    if (!t->corners)
        return FB_OK;
    if (r.size % stride)
        return fb_fail(e, FB_EFORMAT, "%zu bytes of stress; an element has %zu", r.size, stride);
    for (size_t at = 0; at < r.size; at += stride)
        FB_PASS(element(f, (op2_record){r.data + at, stride}, t->corners, e));
    return FB_OK;
}

/* The mean at each node of what all heads of this number have. */
static fb_status means(const fb_modes *x, int64_t number, int still, fb_parts *p, fb_err *e)
{
    int64_t *node = NULL, *row = NULL, n = 0;
    fb_ranked *rank = NULL;
    fb_status s = FB_OK;
    FB_TRY(FB_NEW(&node, x->nrow, e));
    FB_TRY(FB_NEW(&row, x->nrow, e));
    for (int64_t k = 0; k < x->n; k++) {
        const int64_t end = k + 1 < x->n ? x->mode[k + 1].first : x->nrow;
        if (x->mode[k].number != number || x->mode[k].still != still)
            continue;
        for (int64_t r = x->mode[k].first; r < end; r++) {
            node[n] = x->node[r];
            row[n++] = r;
        }
    }
    FB_TRY(fb_ranked_new(&rank, node, NULL, n, e));
    for (int64_t k = 0, q; k < n; k = q) {
        double v[6] = {0};
        for (q = k; q < n && rank[q].node == rank[k].node; q++)
            for (int c = 0; c < 6; c++)
                v[c] += x->v[6 * row[rank[q].at] + c];
        for (int c = 0; c < 6; c++)
            v[c] /= (double)(q - k);
        FB_TRY(fb_result_row(p, FB_STRESS, rank[k].node, v, e));
    }
out:
    FB_FREE(node, row, rank);
    return s;
}

/* The shapes x, modes or static answers, with their stress. */
static fb_status hand_over(op2_file *f, const fb_modes *x, int still, fb_err *e)
{
    fb_parts *p = f->sink.parts;
    for (int64_t k = 0; k < x->n; k++) {
        const int64_t end = k + 1 < x->n ? x->mode[k + 1].first : x->nrow;
        FB_PASS(fb_result_begin(p, x->mode[k].number, still, e));
        for (int64_t r = x->mode[k].first; r < end; r++)
            FB_PASS(fb_result_row(p, FB_MOVED, x->node[r], x->v + 6 * r, e));
        FB_PASS(means(&f->stress.x, x->mode[k].number, still, p, e));
    }
    return FB_OK;
}

fb_status op2_stress_finish(op2_file *f, fb_err *e)
{
    const nas_sink *k = &f->sink;
    if (f->stress.x.nrow == 0)
        return FB_OK;
    if (f->stress.other)
        fb_note(k->log,
                "%s: stress of %lld sets of other elements than solids, or complex, is left out",
                k->origin, (long long)f->stress.other);
    FB_PASS(hand_over(f, &f->shapes.x, 0, e));
    return hand_over(f, &f->shapes.still, 1, e);
}

void op2_stress_free(op2_file *f)
{
    fb_modes_free(&f->stress.x);
}
