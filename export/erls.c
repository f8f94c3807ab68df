/* SPDX-License-Identifier: GPL-3.0-or-later */
/* erls.c - constant inertia matrices of the ERLS-CMS formulation, plain HDF5.
 *
 * Symbols  U [n x M] shapes of all nodes, translation and rotation rows (SH.1), and below them the
 *          rows of dofs that no node has; W [n x n] their mass: M of a full model with what it
 *          lacks of planar models (RI.6); with frames on nodes Ms of before them (RI.3) along each
 *          axis, and the nodal inertias of then; else nodal masses m and inertias J. A_1..A_3 the
 *          generators of infinitesimal rotations about x, y, z (A_k v = e_k x v), S_1..S_6 those of
 *          Omega'Omega = wx^2 S_1 + wy^2 S_2 + wz^2 S_3 + wx wy S_4 + wy wz S_5 + wx wz S_6; A and
 *          S act on translation and rotation rows alike, and make zero of rows that no node has
 * Equations
 *   (ERL.1) X_k  = U'W A_k U           [3,M,M]
 *   (ERL.2) Y_k  = U'W S_k U           [6,M,M]
 *   (ERL.3) Z_rd = (A_r U)'W A_d U     [3,3,M,M]
 *   (ERL.4) W_rt = (A_r U)'W S_t U     [3,6,M,M]
 * Laws     W = Ms x 1: X_1 = I11_32 - I11_23, Z_rd = -I9_rd
 * Layout   datasets X, Y, Z, W as above, K, M, D [M,M], U [Nc,6,M] the rows of the connectors, node
 *          [Nc], u0 [Nc,3]; C order, float64, attributes units and description.
 * Assumed  any frame, any normalisation; nodal masses: U'MU by them must be the generalized mass.
 * Source   R. Vidoni et al.; L. Scalera, PhD thesis, University of Udine 2018, App. A
 */
#include "linalg/sparse.h"
#include "linalg/sparse_ops.h"
#include "memory.h"
#include "body.h"
#include "selftest.h"
#include "writer.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char who[] = "an ERLS record";

/* A_1..A_3, S_1..S_6 */
static const double generator[9][3][3] = {
    {{0, 0, 0}, {0, 0, -1}, {0, 1, 0}},  {{0, 0, 1}, {0, 0, 0}, {-1, 0, 0}},
    {{0, -1, 0}, {1, 0, 0}, {0, 0, 0}},  {{0, 0, 0}, {0, 1, 0}, {0, 0, 1}},
    {{1, 0, 0}, {0, 0, 0}, {0, 0, 1}},   {{1, 0, 0}, {0, 1, 0}, {0, 0, 0}},
    {{0, -1, 0}, {-1, 0, 0}, {0, 0, 0}}, {{0, 0, 0}, {0, 0, -1}, {0, -1, 0}},
    {{0, 0, -1}, {0, 0, 0}, {-1, 0, 0}},
};

typedef struct { /* entries of W */
    int64_t n, *i, *j;
    double *x;
} entries;

static void entries_free(entries *t)
{
    FB_FREE(t->i, t->j, t->x);
}

static fb_status entries_new(entries *t, int64_t room, fb_err *e)
{
    FB_PASS(fb_new(&t->i, room, 8, "entries of the mass", e));
    FB_PASS(fb_new(&t->j, room, 8, "entries of the mass", e));
    FB_PASS(fb_new(&t->x, room, 8, "entries of the mass", e));
    return FB_OK;
}

static void put(entries *t, int64_t i, int64_t j, double x)
{
    t->i[t->n] = i < j ? i : j;
    t->j[t->n] = i < j ? j : i;
    t->x[t->n++] = x;
}

static void rotary_entries(const fb_model *b, int64_t p, entries *t)
{
    for (int a = 0; b->node_inertia && a < 3; a++)
        for (int c = a; c < 3; c++)
            put(t, 6 * p + 3 + a, 6 * p + 3 + c, b->node_inertia[9 * p + 3 * a + c]);
}

static fb_status nodal_entries(const fb_model *b, entries *t, fb_err *e)
{
    fb_status s = entries_new(t, 9 * b->nn, e);
    for (int64_t p = 0; !s && p < b->nn; p++) {
        for (int a = 0; a < 3; a++)
            put(t, 6 * p + a, 6 * p + a, b->node_mass[p]);
        rotary_entries(b, p, t);
    }
    return s;
}

/* The mass of before the frames along each axis, and its rotary inertia. */
static fb_status frame_entries(const fb_model *b, entries *t, fb_err *e)
{
    fb_status s = entries_new(t, 3 * b->Ms.p[b->Ms.n] + 6 * b->nn, e);
    for (int64_t p = 0; !s && p < b->nn; p++)
        rotary_entries(b, p, t);
    for (int64_t q = 0; !s && q < b->Ms.n; q++)
        for (int64_t k = b->Ms.p[q]; k < b->Ms.p[q + 1]; k++)
            for (int a = 0; a < 3; a++)
                put(t, 6 * b->Ms.i[k] + a, 6 * q + a, b->Ms.x[k]);
    return s;
}

/* row [ndof]: of each dof in U. */
static fb_status matrix_entries(const fb_model *b, const int64_t *row, entries *t, fb_err *e)
{
    fb_node_mass x = {0};
    fb_status s = FB_OK;
    FB_TRY(fb_node_mass_new(b, &x, e));
    FB_TRY(entries_new(t, b->M.p[b->M.n] + x.gaps.n, e));
    for (int64_t d = 0; d < b->M.n; d++)
        for (int64_t k = b->M.p[d]; k < b->M.p[d + 1]; k++)
            if (b->M.upper || b->M.i[k] <= d)
                put(t, row[b->M.i[k]], row[d], b->M.x[k]);
    for (int64_t k = 0; k < x.gaps.n; k++) /* (RI.6) */
        put(t, 6 * x.gaps.p[k] + x.gaps.axis[k], 6 * x.gaps.q[k] + x.gaps.axis[k], x.gaps.x[k]);
out:
    fb_node_mass_free(&x);
    return s;
}

/* Rows of U: 6 p + component - 1, or 6 nn and on for dofs that no node has; *n of them. */
static fb_status rows(const fb_model *b, int64_t **row, int64_t *n, fb_err *e)
{
    fb_index x = {0};
    fb_status s = FB_OK;
    *n = 6 * b->nn;
    FB_TRY(fb_index_new(&x, b->node_id, b->nn, "/nodes/id", e));
    FB_TRY(fb_new(row, b->ndof, 8, "rows of the shapes", e));
    for (int64_t d = 0; d < b->ndof; d++) {
        const int64_t p = fb_index_find(&x, b->dof_node[d]), c = b->dof_component[d],
                      class = b->dof_class ? b->dof_class[d] : FB_DOF_PHYSICAL;
        const int own = class == FB_DOF_PHYSICAL || class == FB_DOF_FIXED;
        (*row)[d] = own && p >= 0 && c >= 1 && c <= 6 ? 6 * p + c - 1 : (*n)++;
    }
out:
    fb_index_free(&x);
    return s;
}

static fb_status shapes(const fb_model *b, const int64_t *row, fb_mat *U, fb_err *e)
{
    const double *T = fb_shapes(b);
    fb_shaper z = {0};
    fb_status s = FB_OK;
    FB_TRY(fb_shaper_new(&z, b, T, b->node_id, b->nn, e));
    for (int64_t k = 0; k < U->n; k++) {
        fb_shaper_column(&z, k, U->x + k * U->m);
        for (int64_t d = 0; d < b->ndof; d++)
            if (row[d] >= 6 * b->nn)
                U->x[row[d] + k * U->m] = T[d + k * b->ndof];
    }
out:
    fb_shaper_free(&z);
    return s;
}

static fb_status gather(const fb_model *b, fb_csc *W, fb_mat *U, fb_err *e)
{
    int64_t *row = NULL, n = 0;
    entries t = {0};
    fb_status s = FB_OK;
    FB_TRY(rows(b, &row, &n, e));
    FB_TRY(fb_mat_new(U, n, b->nr, e));
    FB_TRY(shapes(b, row, U, e));
    if (b->Ms.p)
        FB_TRY(frame_entries(b, &t, e));
    else if (b->M.p && b->T)
        FB_TRY(matrix_entries(b, row, &t, e));
    else
        FB_TRY(nodal_entries(b, &t, e));
    s = fb_csc_from_triplets(W, n, n, t.n, t.i, t.j, t.x, 1, e);
out:
    entries_free(&t);
    free(row);
    return s;
}

/* V = g U at the translations and the rotations of nn nodes; other rows stay zero. */
static void turned(const fb_mat *U, const double g[3][3], int64_t nn, fb_mat *V)
{
    for (int64_t k = 0; k < U->n; k++)
        for (int64_t r = 0; r < 6 * nn; r += 3) {
            const double *u = U->x + r + k * U->m;
            for (int a = 0; a < 3; a++)
                V->x[r + a + k * U->m] = g[a][0] * u[0] + g[a][1] * u[1] + g[a][2] * u[2];
        }
}

/* (ERL.1) to (ERL.4) */
static fb_status products(const fb_model *b, double *const B[4], fb_err *e)
{
    const int64_t mm = b->nr * b->nr;
    fb_csc W = {0};
    fb_mat U = {0}, V = {0}, WV = {0};
    fb_status s = FB_OK;
    FB_TRY(gather(b, &W, &U, e));
    FB_TRY(fb_mat_new(&V, U.m, U.n, e));
    FB_TRY(fb_mat_new(&WV, U.m, U.n, e));
    for (int q = 0; q < 9; q++) { /* A_1..A_3, S_1..S_6 */
        const int k = q < 3 ? q : q - 3, many = q < 3 ? 3 : 6;
        turned(&U, generator[q], b->nn, &V);
        FB_TRY(fb_csc_mul_many(&W, &V, &WV, e));
        fb_mat C = {b->nr, b->nr, B[q < 3 ? 0 : 1] + k * mm}; /* by columns: C order [k][l] */
        FB_TRY(fb_gemm(1, 0, 1, &WV, &U, 0, &C, e));
        for (int r = 0; r < 3; r++) {
            turned(&U, generator[r], b->nn, &V);
            C.x = B[q < 3 ? 2 : 3] + (many * r + k) * mm;
            FB_TRY(fb_gemm(1, 0, 1, &WV, &V, 0, &C, e));
        }
    }
out:
    fb_csc_free(&W);
    FB_FREE_BY(fb_mat_free, &U, &V, &WV);
    return s;
}

static fb_status emit(fb_run *r, const fb_model *b, const fb_nodes *x, double *const B[4],
                      const double *U, fb_err *e)
{
    static const signed char mlen2[FB_NUNIT] = {1, 2, 0, 0}, energy[FB_NUNIT] = {1, 2, -2, 0},
                             power[FB_NUNIT] = {1, 2, -1, 0};
    const int64_t m = b->nr;
    const char *l = b->units.name[FB_LENGTH];
    char unit[4][96];
    fb_units_text(&b->units, mlen2, unit[0], sizeof unit[0]);
    fb_units_text(&b->units, energy, unit[1], sizeof unit[1]);
    fb_units_text(&b->units, power, unit[2], sizeof unit[2]);
    snprintf(unit[3], sizeof unit[3], "%s (translations), rad (rotations)", l);
    const struct {
        const char *path, *unit, *doc;
        int64_t dim[4];
        const void *data;
    } row[] = {
        {"/X", unit[0], "U'M A_k U", {3, m, m}, B[0]},
        {"/Y", unit[0], "U'M S_k U", {6, m, m}, B[1]},
        {"/Z", unit[0], "U'A_r' M A_d U", {3, 3, m, m}, B[2]},
        {"/W", unit[0], "U'A_r' M S_t U", {3, 6, m, m}, B[3]},
        {"/M", unit[0], "generalized mass", {m, m}, b->Mr},
        {"/K", unit[1], "generalized stiffness", {m, m}, b->Kr},
        {"/U", unit[3], "shapes of the connectors", {x->n, 6, m}, U},
        {"/node", "1", "node numbers of the connectors", {x->n}, x->node},
        {"/u0", l, "undeformed positions of the connectors", {x->n, 3}, x->xyz},
        {"/D", unit[2], "generalized damping", {m, m}, b->Dr},
    };
    enum { NROW = sizeof row / sizeof *row };
    fb_array a[NROW];
    for (int k = 0; k < NROW; k++) {
        a[k] = (fb_array){.path = row[k].path,
                          .type = row[k].data == x->node ? 'i' : 'd',
                          .data = row[k].data,
                          .attr = {{"units", row[k].unit}, {"description", row[k].doc}}};
        for (; a[k].rank < 4 && row[k].dim[a[k].rank]; a[k].rank++)
            a[k].dim[a[k].rank] = row[k].dim[a[k].rank];
    }
    return fb_publish_many(r, &(fb_output){.path = r->out, .array = a, .narray = NROW - !b->Dr}, 1,
                           e);
}

static fb_status publish(fb_run *r, fb_stream *in, fb_model *b, const fb_export *ask, fb_err *e)
{
    static const int64_t many[4] = {3, 6, 9, 18};
    int64_t mm = b->nr * b->nr;
    double *B[4] = {0}, *U = NULL;
    fb_nodes x = {0};
    fb_status s = FB_OK;
    (void)in;
    (void)ask;
    FB_TRY(fb_need_modes(b, who, e));
    if (!b->node_mass && !b->Ms.p && !(b->M.p && b->T))
        FB_TRY(fb_fail(
            e, FB_EFORMAT,
            "%s wants a mass matrix (/full/M) or nodal masses (/nodes/mass), which the body lacks",
            who));
    if (fb_mass_left_behind(b))
        FB_TRY(fb_fail(e, FB_EFORMAT,
                       "%s wants the mass matrix (/full/M), which this link record left behind: "
                       "export the body itself",
                       who));
    for (int k = 0; k < 4; k++)
        FB_TRY(fb_new(&B[k], many[k] * mm, 8, "ERLS matrices", e));
    FB_TRY(products(b, B, e));
    FB_TRY(fb_exposed_nodes(b, 0, &x, e));
    FB_TRY(fb_node_shapes(b, x.node, x.n, &U, e));
    s = emit(r, b, &x, B, U, e);
out:
    fb_nodes_free(&x);
    free(U);
    for (int k = 0; k < 4; k++)
        free(B[k]);
    return s;
}

static fb_status test(const fb_model *b, const fb_export *ask, const char *file, fb_buf *o,
                      fb_err *e)
{
    static const char load[] = "f = h5py.File(name)\n"
                               "K, M = f[\"K\"][()], f[\"M\"][()]\n"
                               "p = f[\"U\"][list(f[\"node\"][()]).index(node), axis]\n";
    (void)ask;
    return fb_test_python(b, who, file, "h5py", load, 1e-8, o, e);
}

const fb_writer fb_writer_erls = {
    .name = "erls",
    .doc = "ERLS-CMS inertia matrices (HDF5)",
    .any_units = 1,
    .binary = 1,
    .publish = publish,
    .test = test,
    .test_ending = "py",
};
