/* SPDX-License-Identifier: GPL-3.0-or-later */
/* mnf.c - writes an Adams modal neutral file, binary 6.0 (XDR, double precision); the layout is
 * that of the reader of the same name in mnfparse. Text fields are padded with NUL.
 *
 * A body as it was read is written back block by block. A reduced body must be in Adams' form
 * (K = diag, M = diag: reduce --orthonormalize); its shapes, eigenvalues and statistics are made
 * anew, its faces, masses and interface nodes kept:
 *   (MNF.1) w_k = sqrt(K_kk / M_kk),  f_k = w_k / 2 pi
 *   (MNF.2) stress of the coordinates, and (ST.5) of lib/stress.c
 * Block 7 is in Hz and rad/s whatever the unit of time, the model's table in rad per unit of time.
 * Adams assumes: mode shapes normalised as block 7 says, no negative eigenvalues.
 */
#include "memory.h"
#include "body.h"
#include "selftest.h"
#include "writer.h"
#include <math.h>
#include <string.h>

enum { VERSION_6_XDR_DOUBLE = 0x13c, NSTAT = 13 };

typedef struct { /* the modal part, from the model or made anew */
    int64_t m;
    int64_t *number;
    double *eigen, *shape, *transform, *stress, *stat_value;
    int64_t *stat_node;
    int made; /* the arrays are ours to free */
} modal;

static void modal_free(modal *t)
{
    if (!t->made)
        return;
    FB_FREE(t->number, t->eigen, t->shape, t->transform, t->stress, t->stat_value, t->stat_node);
}

static void put_string(fb_buf *o, const char *text, size_t n)
{
    size_t len = strlen(text);
    for (size_t k = 0; k < n; k++) {
        /* characters of a sign-extending writer: 0x80 and above are negative ints */
        fb_put_i32(o, k < len ? (int64_t)(signed char)text[k] : 0);
    }
}

/* ---- the modal part of a reduced body ---------------------------------------------------- */

static fb_status check_diagonal(const fb_model *b, fb_err *e)
{
    double top = 0;
    for (int64_t k = 0; k < b->nr; k++)
        top = fmax(top, fabs(b->Kr[k * b->nr + k]));
    for (int64_t i = 0; i < b->nr; i++)
        for (int64_t j = 0; j < b->nr; j++) {
            double k = b->Kr[i * b->nr + j], m = b->Mr[i * b->nr + j];
            if (i != j && (fabs(k) > 1e-12 * top || fabs(m) > 1e-9))
                return fb_fail(e, FB_EFORMAT,
                               "an .mnf wants orthonormal modes, but K or M couples coordinates "
                               "%lld and %lld: run reduce with --orthonormalize",
                               (long long)i + 1, (long long)j + 1);
            if (i == j && k < -1e-9 * top)
                return fb_fail(
                    e, FB_EFORMAT,
                    "coordinate %lld has a negative eigenvalue %g: an .mnf cannot hold it",
                    (long long)i + 1, k);
        }
    return FB_OK;
}

/* Shapes by node and component, in block 8's order. */
static fb_status shapes(const fb_model *b, modal *t, fb_err *e)
{
    fb_shaper z = {0};
    fb_status s = FB_OK;
    FB_TRY(fb_new(&t->shape, t->m * b->nn * 6, 8, "mode shapes", e));
    FB_TRY(fb_shaper_new(&z, b, fb_shapes(b), b->node_id, b->nn, e));
    for (int64_t k = 0; k < t->m; k++)
        fb_shaper_column(&z, k, t->shape + 6 * k * b->nn);
out:
    fb_shaper_free(&z);
    return s;
}

/* Pairs 0, 1, 2 of block 30: largest translation, rotation, von Mises stress, first node wins. */
static fb_status statistics(const fb_model *b, modal *t, fb_err *e)
{
    FB_PASS(fb_new(&t->stat_node, t->m * NSTAT, 8, "statistics", e));
    FB_PASS(fb_new(&t->stat_value, t->m * NSTAT, 8, "statistics", e));
    for (int64_t k = 0; k < t->m; k++) {
        int64_t *node = t->stat_node + k * NSTAT;
        double *value = t->stat_value + k * NSTAT;
        for (int64_t p = 0; p < b->nn; p++)
            for (int q = 0; q < 2; q++) {
                double v = fb_norm(t->shape + (k * b->nn + p) * 6 + 3 * q, 3);
                if (p == 0 || v > value[q]) {
                    value[q] = v;
                    node[q] = b->node_id[p];
                }
            }
        for (int64_t p = 0; t->stress && p < b->ns; p++) {
            double v = fb_von_mises(t->stress + (k * b->ns + p) * 6);
            if (p == 0 || v > value[2]) {
                value[2] = v;
                node[2] = b->stress_node[p];
            }
        }
    }
    return FB_OK;
}

static fb_status reduced_modes(const fb_model *b, modal *t, fb_err *e)
{
    t->made = 1;
    t->m = b->nr;
    FB_PASS(check_diagonal(b, e));
    FB_PASS(fb_new(&t->number, t->m, 8, "mode numbers", e));
    FB_PASS(fb_new(&t->eigen, 5 * t->m, 8, "eigenvalues", e));
    FB_PASS(fb_new(&t->transform, t->m * t->m, 8, "mode shape transformation", e));
    for (int64_t k = 0; k < t->m; k++) {
        double mass = b->Mr[k * t->m + k], w2 = fmax(b->Kr[k * t->m + k] / mass, 0);
        t->number[k] = k + 1;
        t->eigen[5 * k] = w2; /* (MNF.1) */
        t->eigen[5 * k + 1] = fb_hertz(&b->units, w2);
        t->eigen[5 * k + 2] = sqrt(w2);
        t->eigen[5 * k + 3] = mass;
        t->eigen[5 * k + 4] = w2 * mass;
        t->transform[k * t->m + k] = 1;
    }
    FB_PASS(shapes(b, t, e));
    FB_PASS(fb_coordinate_stress(b, 0, &t->stress, e)); /* (MNF.2) */
    return statistics(b, t, e);
}

/* Modes as they were read. */
static fb_status check_modes(const fb_model *b, fb_log *log, fb_err *e)
{
    if (!b->shape || !b->eigen || !b->mode_number)
        return fb_fail(e, FB_EFORMAT,
                       "the body has no modes to write: run reduce --orthonormalize first");
    if (b->shape_imag)
        return fb_fail(e, FB_EFORMAT, "the modes are complex, an .mnf holds real ones");
    for (int64_t k = 0; k < b->nm; k++)
        if (!(b->eigen[5 * k + 3] > 0))
            return fb_fail(e, FB_EFORMAT,
                           "an .mnf wants the generalized mass of each mode, that of mode %lld is "
                           "not known",
                           (long long)b->mode_number[k]);
    if (b->mode_damping)
        fb_warn(log, "how an .mnf stores damping is not known: the damping ratios of the modes are "
                     "left out; Adams takes them by mode");
    return FB_OK;
}

static fb_status modal_part(const fb_model *b, modal *t, fb_log *log, fb_err *e)
{
    if (b->strain || b->coordinate_strain)
        fb_warn(log, "how an .mnf stores strain is not known: it is left out");
    if (b->T) {
        FB_PASS(reduced_modes(b, t, e));
        return b->node_mass ? fb_need_lumps(b, b->Mr, "an .mnf", 0, log, e) : FB_OK;
    }
    FB_PASS(check_modes(b, log, e));
    *t = (modal){.m = b->nm,
                 .number = b->mode_number,
                 .eigen = b->eigen,
                 .shape = b->shape,
                 .transform = b->mode_transform,
                 .stress = b->stress,
                 .stat_value = b->stat_value,
                 .stat_node = b->stat_node};
    return FB_OK;
}

/* ---- blocks ------------------------------------------------------------------------------- */

static int has_inertia(const fb_model *b, int64_t p)
{
    for (int k = 0; k < 9; k++)
        if (b->node_inertia[9 * p + k] != 0)
            return 1;
    return 0;
}

static fb_status nodal_inertias(const fb_model *b, fb_buf *o, fb_err *e)
{
    int64_t n = 0;
    for (int64_t p = 0; p < b->nn; p++) {
        const double *J = b->node_inertia + 9 * p;
        double off = fmax(fabs(J[1]), fmax(fabs(J[2]), fabs(J[5]))),
               top = fmax(J[0], fmax(J[4], J[8]));
        if (off > 1e-12 * top)
            return fb_fail(
                e, FB_EFORMAT,
                "node %lld has products of inertia, as nodes of superelements have; how an .mnf "
                "stores them is not known: take a target that keeps the mass matrix (link, dmig, "
                "simscape, mat), or make the .mnf of the full matrices",
                (long long)b->node_id[p]);
        n += 3 * has_inertia(b, p);
    }
    fb_put_i32(o, n);
    for (int64_t p = 0; p < b->nn; p++)
        for (int a = 0; a < 3 && has_inertia(b, p); a++) {
            fb_put_i32(o, b->node_id[p]);
            fb_put_i32(o, 4 + a);
            fb_put_i32(o, 4 + a);
            fb_put_f64(o, b->node_inertia + 9 * p + 4 * a, 1);
        }
    return FB_OK;
}

/* Adams has lines of its own among the faces of bodies that are held by modes; those made of
 * elements stay out. */
static int is_face(const fb_model *b, int64_t f)
{
    return b->nm || b->face_offset[f + 1] - b->face_offset[f] > 2;
}

/* Faces, and how many words they take. */
static int64_t surfaces(const fb_model *b, int64_t *words)
{
    int64_t n = 0;
    *words = 0;
    for (int64_t f = 0; b->face_offset && f + 1 < b->nf1; f++) {
        n += is_face(b, f);
        *words += is_face(b, f) ? 1 + b->face_offset[f + 1] - b->face_offset[f] : 0;
    }
    return n;
}

static void faces(const fb_model *b, fb_buf *o)
{
    int64_t words, n = surfaces(b, &words);
    fb_put_i32(o, 16 + 4 * words);
    fb_put_i32(o, 0);
    fb_put_i32(o, n);
    fb_put_i32(o, words);
    for (int64_t f = 0; f + 1 < b->nf1; f++) {
        if (!is_face(b, f))
            continue;
        fb_put_i32(o, b->face_offset[f + 1] - b->face_offset[f]);
        for (int64_t q = b->face_offset[f]; q < b->face_offset[f + 1]; q++)
            fb_put_i32(o, b->face_index[q]);
    }
}

static void nodes(const fb_model *b, fb_buf *o)
{
    fb_put_i32(o, b->nn);
    fb_put_i32(o, 3);
    for (int64_t p = 0; p < b->nn; p++) {
        fb_put_i32(o, b->node_id[p]);
        fb_put_f64(o, b->xyz + 3 * p, 3);
    }
}

/* Mass, centre and inertia about the origin (off-diagonals +sum m x y, as Adams has them): what the
 * input stated, or the sums over the nodes. */
static void global_body(const fb_model *b, fb_buf *o)
{
    double m = 0, c[3] = {0}, J[9] = {0};
    if (b->ref_mass && b->ref_com && b->ref_inertia) {
        fb_put_f64(o, b->ref_mass, 1);
        fb_put_f64(o, b->ref_com, 3);
        fb_put_f64(o, b->ref_inertia, 9);
        return;
    }
    for (int64_t p = 0; p < b->nn; p++) {
        const double *u = b->xyz + 3 * p, rr = u[0] * u[0] + u[1] * u[1] + u[2] * u[2];
        m += b->node_mass[p];
        for (int a = 0; a < 3; a++) {
            c[a] += b->node_mass[p] * u[a];
            for (int d = 0; d < 3; d++)
                J[3 * a + d] +=
                    b->node_mass[p] * (a == d ? rr - u[a] * u[a] : u[a] * u[d]) +
                    (b->node_inertia ? (a == d ? 1 : -1) * b->node_inertia[9 * p + 3 * a + d] : 0);
        }
    }
    for (int a = 0; a < 3; a++)
        c[a] = m > 0 ? c[a] / m : 0;
    fb_put_f64(o, &m, 1);
    fb_put_f64(o, c, 3);
    fb_put_f64(o, J, 9);
}

static void modes(const fb_model *b, const modal *t, fb_buf *o)
{
    const double time = b->units.factor[FB_TIME];
    fb_put_i32(o, t->m); /* block 7 */
    for (int64_t k = 0; k < t->m; k++) {
        const double *v = t->eigen + 5 * k;
        const double row[5] = {v[0] / (time * time), v[1], v[2] / time, v[3], v[4] / (time * time)};
        fb_put_i32(o, t->number[k]);
        fb_put_f64(o, row, 5);
    }
    fb_put_i32(o, t->m); /* block 8 */
    fb_put_i32(o, b->nn);
    for (int64_t p = 0; p < b->nn; p++)
        fb_put_i32(o, b->node_id[p]);
    for (int64_t k = 0; k < t->m; k++) {
        fb_put_i32(o, t->number[k]);
        fb_put_f64(o, t->shape + k * b->nn * 6, b->nn * 6);
    }
}

static void stress(const fb_model *b, const modal *t, fb_buf *o)
{
    fb_put_i32(o, t->m);
    fb_put_i32(o, b->ns);
    for (int64_t p = 0; p < b->ns; p++)
        fb_put_i32(o, b->stress_node[p]);
    for (int64_t k = 0; k < t->m; k++) {
        fb_put_i32(o, t->number[k]);
        fb_put_f64(o, t->stress + k * b->ns * 6, b->ns * 6);
    }
}

static fb_status interface_nodes(const fb_model *b, fb_buf *o, fb_err *e)
{
    fb_index x = {0};
    fb_status s = fb_index_new(&x, b->node_id, b->nn, "/nodes/id", e);
    fb_put_i32(o, b->nc);
    for (int64_t k = 0; !s && k < b->nc; k++) {
        const int64_t at = fb_index_find(&x, b->connector_node[k]);
        fb_put_i32(o, at);
        if (at < 0)
            s = fb_fail(e, FB_EFORMAT, "an .mnf wants the place of connector %lld (/nodes)",
                        (long long)b->connector_node[k]);
    }
    fb_index_free(&x);
    return s;
}

static void header(const fb_model *b, const modal *t, fb_buf *o)
{
    int summary[100] = {0};
    summary[0] = summary[3] = summary[4] = summary[8] = 1;
    summary[2] = b->node_mass || (b->ref_mass && b->ref_com && b->ref_inertia);
    summary[5] = b->node_mass != NULL;
    summary[6] = b->node_inertia != NULL;
    summary[12] = surfaces(b, &(int64_t){0}) > 0;
    summary[14] = t->transform != NULL;
    summary[15] = b->connector_node != NULL;
    summary[16] = t->stress != NULL;
    summary[28] = t->stat_node && t->stat_value;
    fb_put_i32(o, VERSION_6_XDR_DOUBLE);
    put_string(o, b->title, 128);
    put_string(o, b->date, 32);
    put_string(o, b->source, 128);
    put_string(o, b->producer, 16);
    for (int k = 0; k < 3; k++)
        put_string(o, b->comment[k], 80);
    for (int k = 0; k < 100; k++)
        fb_put_i32(o, summary[k]);
}

static fb_status body(const fb_model *b, const modal *t, fb_buf *o, fb_err *e)
{
    header(b, t, o);
    nodes(b, o);
    if (b->node_mass || (b->ref_mass && b->ref_com && b->ref_inertia))
        global_body(b, o);
    modes(b, t, o);
    if (b->node_mass) {
        fb_put_i32(o, b->nn);
        fb_put_i32(o, 1);
        for (int64_t p = 0; p < b->nn; p++) {
            fb_put_i32(o, b->node_id[p]);
            fb_put_f64(o, b->node_mass + p, 1);
        }
    }
    if (b->node_inertia)
        FB_PASS(nodal_inertias(b, o, e));
    for (int k = 0; k < FB_NUNIT; k++)
        put_string(o, fb_units_adams(&b->units, (fb_unitkind)k), 16);
    if (surfaces(b, &(int64_t){0}))
        faces(b, o);
    if (t->transform) {
        fb_put_i32(o, t->m);
        for (int64_t k = 0; k < t->m; k++)
            fb_put_i32(o, t->number[k]);
        fb_put_f64(o, t->transform, t->m * t->m);
    }
    if (b->connector_node)
        FB_PASS(interface_nodes(b, o, e));
    if (t->stress)
        stress(b, t, o);
    if (t->stat_node && t->stat_value) {
        fb_put_i32(o, t->m);
        for (int64_t k = 0; k < t->m; k++) {
            for (int q = 0; q < NSTAT; q++)
                fb_put_i32(o, t->stat_node[k * NSTAT + q]);
            fb_put_f64(o, t->stat_value + k * NSTAT, NSTAT);
        }
    }
    return fb_buf_status(o, e);
}

static fb_status write_mnf(const fb_model *b, const fb_export *ask, fb_buf *o, fb_log *log,
                           fb_err *e)
{
    modal t = {0};
    fb_status s = FB_OK;
    (void)ask;
    o->little = 0; /* XDR */
    if (!b->node_id || !b->xyz)
        return fb_fail(e, FB_EFORMAT, "an .mnf wants node positions (/nodes/id, /nodes/xyz)");
    for (int k = 0; k < FB_NUNIT; k++)
        if (b->units.factor[k] == 0)
            return fb_fail(e, FB_EFORMAT,
                           "an .mnf names its units, this body's unit of %s is '%s': name them by "
                           "mnfparse --input-units SYSTEM",
                           fb_unit_kinds[k], b->units.name[k]);
    if (b->Dr)
        fb_warn(log, "how an .mnf stores damping is not known: damping is left out; Adams takes "
                     "ratios by mode");
    s = modal_part(b, &t, log, e);
    if (!s)
        s = body(b, &t, o, e);
    modal_free(&t);
    return s;
}

static fb_status test(const fb_model *b, const fb_export *ask, const char *file, fb_buf *o,
                      fb_err *e)
{
    static const char load[] = "d, at = open(name, \"rb\").read(), 2180\n"
                               "def take(kind, n):\n"
                               "    global at\n"
                               "    x = struct.unpack_from(\">%d%s\" % (n, kind), d, at)\n"
                               "    at += struct.calcsize(\">%d%s\" % (n, kind))\n"
                               "    return x\n"
                               "stated = take(\"i\", 100)[2]\n"
                               "nn = take(\"i\", 2)[0]\n"
                               "at += 28 * nn + 104 * stated\n"
                               "m = take(\"i\", 1)[0]\n"
                               "eigen = [take(\"i\", 1) and take(\"d\", 5) for k in range(m)]\n"
                               "take(\"i\", 2)\n"
                               "nodes, p = take(\"i\", nn), []\n"
                               "for k in range(m):\n"
                               "    take(\"i\", 1)\n"
                               "    p.append(take(\"d\", 6 * nn)[6 * nodes.index(node) + axis])\n"
                               "M, K, p = np.diag([x[3] for x in eigen]), np.diag([x[4] for x in "
                               "eigen]) * second**2, np.array(p)\n";
    (void)ask;
    return fb_test_python(b, "an .mnf", file, "struct", load, 1e-8, o, e);
}

const fb_writer fb_writer_mnf = {
    .name = "mnf",
    .doc = "Adams modal neutral file, binary 6.0",
    .any_units = 1,
    .binary = 1,
    .write = write_mnf,
    .test = test,
    .test_ending = "py",
};
