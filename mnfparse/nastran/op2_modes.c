/* SPDX-License-Identifier: GPL-3.0-or-later */
/* op2_modes.c - eigenvectors in OUTPUT2 files, and what LAMA says of them.
 *
 * Layout  records in turn: a head of 146 words, data. Head: 10 analysis + device, table, ...;
 *         word 5 the mode, 6 its eigenvalue (a real), 10 the words of an entry (all 1-based).
 *           shapes  table 7, analysis 2 (static answers: table 1, analysis 1, word 4 the subcase):
 *           10 id + device, kind (1 grid, others scalar), six reals
 *           LAMA    table 6: mode, order, eigenvalue, omega, Hz, generalized mass and stiffness
 * Beware  OUGV1, OUG1 and OPHIG are along the axes of the points (CD), BOUGV1 and BOPHIG along the
 *         basic ones. A file may have both: the first block is taken. Thousands of the table code
 *         and 14 words an entry: complex modes; analysis 7 and 8: buckling, no vibration.
 *         Reals have the digits of a word: seven in 4 bytes. */
#include "memory.h"
#include "op2.h"
#include <math.h>
#include <stdlib.h>

enum { NOTHING, SHAPE, MASSES };
enum { DISPLACEMENTS = 1, EIGENVALUES = 6, EIGENVECTORS = 7 }; /* tables */
enum {
    STATICS = 1,
    NORMAL_MODES = 2,
    PRE_BUCKLING = 7,
    BUCKLING = 8,
    COMPLEX_MODES
}; /* analyses */
enum { HEAD = 10, ENTRY = 8, MASS_ENTRY = 7 }; /* words */

static int one_of(const char *name, const char *const *list)
{
    for (; *list; list++)
        if (!strcmp(name, *list))
            return 1;
    return 0;
}

static int is_basic(const char *name)
{
    static const char *const list[] = {"BOUGV1", "BOPHIG", NULL};
    return one_of(name, list);
}

static int is_lama(const char *name)
{
    static const char *const list[] = {"LAMA", "LAMAS", "BLAMA", NULL};
    return one_of(name, list);
}

int op2_has_modes(const char *name)
{
    static const char *const list[] = {"OUGV1", "OUG1", "OPHIG", NULL};
    return one_of(name, list) || is_basic(name) || is_lama(name);
}

/* A static answer, which goes with its stress. */
static fb_status still_head(op2_file *f, const op2_block *b, op2_record r, fb_err *e)
{
    op2_shapes *t = &f->shapes;
    const int fits = op2_int(f, r, 0) / 10 == STATICS && op2_int(f, r, 9) == ENTRY;
    if (!fits || !f->sink.parts->stressed ||
        (t->still.n && is_basic(b->name) != is_basic(t->block)))
        return FB_OK;
    t->kind = SHAPE;
    t->to = &t->still;
    memcpy(t->block, b->name, sizeof t->block);
    return fb_modes_begin(&t->still, op2_int(f, r, 3), 0, 0, e);
}

/* A mode begins, if the head says so. */
static fb_status shape_head(op2_file *f, const op2_block *b, op2_record r, fb_err *e)
{
    op2_shapes *t = &f->shapes;
    const int64_t analysis = op2_int(f, r, 0) / 10, table = op2_int(f, r, 1);
    const double lambda = op2_real(f, r, 5 * (size_t)f->w, f->w);
    if (table == DISPLACEMENTS)
        return still_head(f, b, r, e);
    if (table % 1000 != EIGENVECTORS)
        return FB_OK;
    if (!t->open) {
        t->left++;
        return FB_OK;
    }
    t->complex += table != EIGENVECTORS || analysis == COMPLEX_MODES;
    t->buckling += analysis == PRE_BUCKLING || analysis == BUCKLING;
    if (table != EIGENVECTORS || analysis != NORMAL_MODES)
        return FB_OK;
    if (op2_int(f, r, 9) != ENTRY || !isfinite(lambda))
        return fb_fail(e, FB_EFORMAT, "mode %lld: %lld words a point, %d are wanted; eigenvalue %g",
                       (long long)op2_int(f, r, 4), (long long)op2_int(f, r, 9), ENTRY, lambda);
    t->kind = SHAPE;
    t->to = &t->x;
    memcpy(t->block, b->name, sizeof t->block);
    return fb_modes_begin(&t->x, op2_int(f, r, 4), fb_hertz(&(fb_units){0}, lambda), 0, e);
}

static fb_status shape(op2_file *f, op2_record r, fb_err *e)
{
    const size_t w = (size_t)f->w, stride = ENTRY * w;
    if (r.size % stride)
        return fb_fail(e, FB_EFORMAT, "%zu bytes of an eigenvector; a point has %zu", r.size,
                       stride);
    for (size_t at = 0; at < r.size; at += stride) {
        const op2_record q = {r.data + at, stride};
        const int64_t id = op2_int(f, q, 0) / 10;
        double v[6];
        if (op2_int(f, q, 1) != 1) {
            f->shapes.scalar++;
            continue;
        }
        for (size_t c = 0; c < 6; c++)
            v[c] = op2_real(f, q, (2 + c) * w, f->w);
        if (id < 1 || id > FB_NODE_MAX || !isfinite(v[0] + v[1] + v[2] + v[3] + v[4] + v[5]))
            return fb_fail(e, FB_EFORMAT, "the eigenvector at point %lld is no number",
                           (long long)id);
        FB_PASS(fb_modes_row(f->shapes.to, id, v, e));
    }
    return FB_OK;
}

static fb_status masses(op2_file *f, op2_record r, fb_err *e)
{
    op2_shapes *t = &f->shapes;
    const size_t w = (size_t)f->w, stride = MASS_ENTRY * w;
    if (r.size % stride)
        return fb_fail(e, FB_EFORMAT, "%zu bytes of eigenvalues; a mode has %zu", r.size, stride);
    for (size_t at = 0; at < r.size; at += stride) {
        const op2_record q = {r.data + at, stride};
        FB_PASS(fb_grow(&t->mass, &t->cap_mass, 3 * (t->nmass + 1), sizeof *t->mass, e));
        double *m = t->mass + 3 * t->nmass++;
        m[0] = (double)op2_int(f, q, 0);
        m[1] = op2_real(f, q, 2 * w, f->w);
        m[2] = op2_real(f, q, 5 * w, f->w);
    }
    return FB_OK;
}

fb_status op2_modes(op2_file *f, const op2_block *b, int64_t k, op2_record r, fb_err *e)
{
    op2_shapes *t = &f->shapes;
    if (k % 2)
        return t->kind == SHAPE ? shape(f, r, e) : t->kind == MASSES ? masses(f, r, e) : FB_OK;
    t->kind = NOTHING;
    if (k == 0)
        t->open = t->x.n == 0;
    if (r.size < HEAD * (size_t)f->w)
        return FB_OK;
    if (!is_lama(b->name))
        return shape_head(f, b, r, e);
    if (op2_int(f, r, 1) == EIGENVALUES)
        t->kind = MASSES;
    return FB_OK;
}

/* The generalized mass of each mode, where LAMA has one of its number and eigenvalue. */
static void set_masses(op2_shapes *t)
{
    for (int64_t k = 0; k < t->x.n; k++) {
        fb_mode_head *m = t->x.mode + k;
        for (int64_t q = 0; q < t->nmass; q++) {
            const double *l = t->mass + 3 * q, hz = fb_hertz(&(fb_units){0}, l[1]);
            /* both are the same real, but what passed through a square root */
            if (l[0] == (double)m->number && fabs(hz - m->hz) <= 1e-6 * fabs(hz) && l[2] > 0 &&
                isfinite(l[2]))
                m->mass = l[2];
        }
    }
}

fb_status op2_modes_finish(op2_file *f, fb_err *e)
{
    op2_shapes *t = &f->shapes;
    const nas_sink *k = &f->sink;
    if (t->complex)
        fb_warn(k->log, "%s: %lld complex eigenvectors are not read: real ones are", k->origin,
                (long long)t->complex);
    if (t->buckling)
        fb_warn(k->log, "%s: %lld shapes of buckling are no modes of vibration: left out",
                k->origin, (long long)t->buckling);
    k->parts->result_along_axes = t->block[0] && !is_basic(t->block);
    if (t->x.n == 0)
        return FB_OK;
    if (t->left)
        fb_warn(k->log, "%s: eigenvectors of block %s are taken, %lld of other blocks left out",
                k->origin, t->block, (long long)t->left);
    if (t->scalar)
        fb_note(k->log, "%s: %lld values of eigenvectors at scalar points are left out", k->origin,
                (long long)t->scalar);
    if (t->x.nrow == 0)
        return fb_fail(e, FB_EFORMAT, "block %s: eigenvectors without grid points", t->block);
    set_masses(t);
    fb_note(k->log, "%s: %lld modes of block %s, %s", k->origin, (long long)t->x.n, t->block,
            is_basic(t->block) ? "along the basic axes" : "along the points' axes (CD)");
    return fb_modes_results(&t->x, k->parts, "op2", k->origin, "", !is_basic(t->block), k->log, e);
}

void op2_modes_free(op2_file *f)
{
    FB_FREE_BY(fb_modes_free, &f->shapes.x, &f->shapes.still);
    free(f->shapes.mass);
}
