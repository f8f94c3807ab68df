/* SPDX-License-Identifier: GPL-3.0-or-later */
/* exudyn.c - what Exudyn's ObjectFFRFreducedOrderInterface.LoadFromFile('body.hdf5') loads.
 *
 * Symbols  n coordinates, nn nodes; psi_k [3 nn] shape k, x [3 nn] positions, M the mass between
 *          nodes, v~ the matrix of v x; of a vector of all nodes ~ stacks the matrices of its nodes
 * Layout   HDF5, root datasets by the names of its class, each with the text attribute datatype of
 *          Python ('ndarray', 'float', 'int', 'str', 'dict'), of variable length as h5py wants it:
 *            modeBasis [3nn,n], xRef [3nn], massMatrixReduced = I6,
 *            stiffnessMatrixReduced = K [n,n],
 *            totalMass = I1, Mtt = I1 1, chiU = I2 / I1, chiUtilde = chiU~, inertiaLocal = I7
 *            mPhitTPsi          [3,n]    sum m psi_j             I3
 *            mPhitTPsiTilde     [3,3n]   sum m psi_k~            I3_k~
 *            mXRefTildePsi      [3,n]    sum m x~' psi_j         -I4
 *            mXRefTildePsiTilde [3,3n]   sum m x~' psi_k~        -I8_k
 *            mPsiTildePsi       [3n,n]   sum m psi_k~' psi_j     -I5_kj
 *            mPsiTildePsiTilde  [3n,3n]  sum m psi_k~' psi_j~    -I9_kj
 *          trigList [nt,3] triangles, positions of nodes from 0; infoList [n, nn, 3, 4, 7, 7 + n];
 *          rigidBodyNodeType, fileVersion 1; beside what the class asks for loadVectors [loads,n]
 *          and loadNames; postProcessingModes, empty or of a body with stress
 *            matrix             [nn,6n]  stress xx yy zz yz xz xy of each coordinate, 0 where a
 *                                        node has none; outputVariableType its name in Python
 * Assumed  by Exudyn: no rigid motion among the modes, any normalisation, a consistent system of
 *          units; rotations of nodes are those of its markers, from the positions of several nodes.
 *          It holds no damping matrix: factors of mass and stiffness are options of its object.
 * Source   Exudyn, FEM.py (SetWithDictionary), advancedUtilities.py (LoadDictFromHDF5);
 *          Zwoelfer & Gerstmayr, Acta Mechanica 232 (2021) 835-851
 */
#include "memory.h"
#include "body.h"
#include "scene.h"
#include "selftest.h"
#include "writer.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { NARRAY = 26 };
static const char who[] = "Exudyn";

typedef struct {
    fb_array a[NARRAY];
    int64_t n;
    double *psi, *S, *XS, *X, *PP, *PSP, *stress, Mtt[9], c[3], ct[9];
    int64_t *triangle, info[6];
    char *names; /* of loads, a line each */
} exudyn;

static void exudyn_free(exudyn *t)
{
    FB_FREE(t->psi, t->S, t->XS, t->X, t->PP, t->PSP);
    FB_FREE(t->stress, t->triangle, t->names);
}

static void put(exudyn *t, const char *name, char type, const char *python, const void *data,
                int64_t rows, int64_t cols)
{
    t->a[t->n++] = (fb_array){.path = name,
                              .type = type,
                              .rank = cols   ? 2
                                      : rows ? 1
                                             : 0,
                              .dim = {rows, cols},
                              .data = data,
                              .attr = {{"datatype", python}},
                              .variable = 1};
}

static void matrix(exudyn *t, const char *name, const double *x, int64_t rows, int64_t cols)
{
    put(t, name, 'd', "ndarray", x, rows, cols);
}

/* v~, rows `step` apart. */
static void tilde(const double v[3], double *out, int64_t step)
{
    for (int a = 0; a < 3; a++) {
        out[a * step + (a + 1) % 3] = -v[(a + 2) % 3];
        out[a * step + (a + 2) % 3] = v[(a + 1) % 3];
    }
}

static fb_status integrals(exudyn *t, const fb_model *b, fb_err *e)
{
    const int64_t m = b->nr;
    fb_status s = FB_OK;
    FB_TRY(fb_new(&t->S, 9 * m, 8, "integrals", e));
    FB_TRY(fb_new(&t->X, 3 * m, 8, "integrals", e));
    FB_TRY(fb_new(&t->XS, 9 * m, 8, "integrals", e));
    FB_TRY(fb_new(&t->PP, 3 * m * m, 8, "integrals", e));
    FB_TRY(fb_new(&t->PSP, 9 * m * m, 8, "integrals", e));
    for (int64_t k = 0; k < m; k++) {
        tilde((const double[3]){b->I[3][k], b->I[3][m + k], b->I[3][2 * m + k]}, t->S + 3 * k,
              3 * m);
        for (int a = 0; a < 3; a++) {
            t->X[a * m + k] = -b->I[4][a * m + k];
            for (int c = 0; c < 3; c++)
                t->XS[a * 3 * m + 3 * k + c] = -b->I[8][9 * k + 3 * a + c];
            for (int64_t j = 0; j < m; j++) {
                t->PP[(3 * k + a) * m + j] = -b->I[5][(3 * k + a) * m + j];
                for (int c = 0; c < 3; c++)
                    t->PSP[(3 * k + a) * 3 * m + 3 * j + c] = -b->I[9][9 * (k * m + j) + 3 * a + c];
            }
        }
    }
    for (int a = 0; a < 3; a++) {
        t->Mtt[4 * a] = b->I[1][0];
        t->c[a] = b->I[2][a] / b->I[1][0];
    }
    tilde(t->c, t->ct, 3);
out:
    return s;
}

/* Fans of the faces; lines have no area. */
static fb_status triangles(exudyn *t, const fb_model *b, int64_t *n, fb_err *e)
{
    *n = 0;
    if (!b->face_offset || b->nf1 < 2)
        return FB_OK;
    FB_PASS(fb_new(&t->triangle, 3 * b->nfi, 8, "triangles", e));
    for (int64_t f = 0; f + 1 < b->nf1; f++) {
        const int64_t *v = b->face_index + b->face_offset[f],
                      corners = b->face_offset[f + 1] - b->face_offset[f];
        for (int64_t k = 1; k + 1 < corners; k++)
            memcpy(t->triangle + 3 * (*n)++, (const int64_t[3]){v[0], v[k], v[k + 1]}, 24);
    }
    return FB_OK;
}

/* The translations of all nodes, row by row. */
static fb_status mode_basis(exudyn *t, const fb_model *b, fb_err *e)
{
    const int64_t row = 3 * b->nr;
    double *x = NULL;
    fb_status s = FB_OK;
    FB_TRY(fb_new(&t->psi, row * b->nn, 8, "nodal shapes", e));
    FB_TRY(fb_node_shapes(b, b->node_id, b->nn, &x, e));
    for (int64_t p = 0; p < b->nn; p++)
        memcpy(t->psi + p * row, x + 2 * p * row, sizeof(double) * (size_t)row);
out:
    free(x);
    return s;
}

/* What its class does not ask for: loads on the modal coordinates, and their names, a line each. */
static fb_status loads(exudyn *t, const fb_model *b, fb_err *e)
{
    fb_buf names = {0};
    char name[FB_NAME];
    if (!b->load || !b->nload)
        return FB_OK;
    for (int64_t k = 0; k < b->nload; k++)
        fb_put_text(&names, "%s%s", k ? "\n" : "", fb_load_name(b, k, name));
    fb_put_bytes(&names, "", 1);
    t->names = (char *)names.data;
    FB_PASS(fb_buf_status(&names, e));
    matrix(t, "/loadVectors", b->load, b->nload, b->nr);
    put(t, "/loadNames", 's', "str", t->names, 0, 0);
    return FB_OK;
}

/* What its objects give as StressLocal of a mesh node. */
static fb_status stress(exudyn *t, const fb_model *b, fb_log *log, fb_err *e)
{
    static const int from[6] = {0, 1, 2, 5, 4, 3}; /* of xx yy zz xy xz yz */
    const int64_t n = b->nr;
    const double force = fb_units_force(&b->units); /* in the units of the matrices */
    int64_t *node = NULL, *at = NULL, lacking = 0;
    fb_mat S = {0};
    fb_status s = FB_OK;
    put(t, "/postProcessingModes", 'g', "dict", NULL, 0, 0);
    FB_TRY(fb_new(&node, b->nn, 8, "nodes", e));
    for (int64_t p = 0; p < b->nn; p++)
        node[p] = p;
    FB_TRY(fb_stress_of(b, &(fb_mat){0}, node, b->nn, &S, &at, e));
    if (!S.x)
        goto out;
    FB_TRY(fb_new(&t->stress, 6 * n * b->nn, 8, "stress of the coordinates", e));
    for (int64_t p = 0; p < b->nn; p++) {
        lacking += at[p] < 0;
        for (int64_t k = 0; at[p] >= 0 && k < 6 * n; k++)
            t->stress[6 * n * p + k] = force * S.x[6 * at[p] + from[k % 6] + k / 6 * S.m];
    }
    if (lacking)
        fb_warn(log, "%lld of %lld nodes have no stress: it is 0 there", (long long)lacking,
                (long long)b->nn);
    matrix(t, "/postProcessingModes/matrix", t->stress, b->nn, 6 * n);
    put(t, "/postProcessingModes/outputVariableType", 's', "str", "OutputVariableType.StressLocal",
        0, 0);
out:
    FB_FREE(node, at);
    fb_mat_free(&S);
    return s;
}

static fb_status collect(exudyn *t, const fb_model *b, fb_log *log, fb_err *e)
{
    static const int64_t version = 1;
    const int64_t m = b->nr, nn = b->nn;
    int64_t nt = 0;
    fb_status s = FB_OK;
    FB_TRY(integrals(t, b, e));
    FB_TRY(mode_basis(t, b, e));
    FB_TRY(triangles(t, b, &nt, e));
    memcpy(t->info, (const int64_t[6]){m, nn, 3, 4, 7, 7 + m}, sizeof t->info);
    put(t, "/type", 's', "str", "ObjectFFRFreducedOrderInterface", 0, 0);
    put(t, "/fileVersion", 'i', "int", &version, 0, 0);
    put(t, "/rigidBodyNodeType", 's', "str", "NodeType.RotationEulerParameters", 0, 0);
    put(t, "/infoList", 'i', "ndarray", t->info, 6, 0);
    matrix(t, "/modeBasis", t->psi, 3 * nn, m);
    matrix(t, "/xRef", b->xyz, 3 * nn, 0);
    put(t, "/trigList", nt ? 'i' : 'g', nt ? "ndarray" : "list", t->triangle, nt, nt ? 3 : 0);
    FB_TRY(stress(t, b, log, e));
    matrix(t, "/massMatrixReduced", b->Mr, m, m);
    matrix(t, "/stiffnessMatrixReduced", b->Kr, m, m);
    put(t, "/totalMass", 'd', "float", b->I[1], 0, 0);
    matrix(t, "/Mtt", t->Mtt, 3, 3);
    matrix(t, "/chiU", t->c, 3, 0);
    matrix(t, "/chiUtilde", t->ct, 3, 3);
    matrix(t, "/inertiaLocal", b->I[7], 3, 3);
    matrix(t, "/mPhitTPsi", b->I[3], 3, m);
    matrix(t, "/mPhitTPsiTilde", t->S, 3, 3 * m);
    matrix(t, "/mXRefTildePsi", t->X, 3, m);
    matrix(t, "/mXRefTildePsiTilde", t->XS, 3, 3 * m);
    matrix(t, "/mPsiTildePsi", t->PP, 3 * m, m);
    matrix(t, "/mPsiTildePsiTilde", t->PSP, 3 * m, 3 * m);
    s = loads(t, b, e);
out:
    return s;
}

static fb_status publish(fb_run *r, fb_stream *in, fb_model *b, const fb_export *ask, fb_err *e)
{
    exudyn t = {.n = 0};
    fb_status s = FB_OK;
    (void)in;
    (void)ask;
    FB_TRY(fb_need_modes(b, who, e));
    FB_TRY(fb_need_held(b, who, e));
    FB_TRY(fb_need_invariants(b, who, e));
    const fb_inertia_set at = fb_inertia_of(b);
    FB_TRY(fb_need_inertia(b, &at, who, 1, &r->log, e));
    if (b->Dr)
        fb_warn(&r->log, "Exudyn's file holds no damping matrix: damping is left out; its object "
                         "takes factors of mass and stiffness");
    FB_TRY(collect(&t, b, &r->log, e));
    s = fb_publish_many(r, &(fb_output){.path = r->out, .array = t.a, .narray = t.n}, 1, e);
out:
    exudyn_free(&t);
    return s;
}

static fb_status test(const fb_model *b, const fb_export *ask, const char *file, fb_buf *o,
                      fb_err *e)
{
    char load[300];
    fb_probe p;
    int64_t at = 0;
    (void)ask;
    FB_PASS(fb_need_modes(b, who, e));
    FB_PASS(fb_probe_new(b, who, &p, e));
    while (at < b->nn && b->node_id[at] != p.node)
        at++;
    snprintf(load, sizeof load,
             "f = h5py.File(name)\n"
             "K, M = f[\"stiffnessMatrixReduced\"][()], f[\"massMatrixReduced\"][()]\n"
             "p = f[\"modeBasis\"][3 * %lld + axis]\n",
             (long long)at);
    fb_probe_python(b, &p, file, "h5py", load, 1e-8, o);
    return FB_OK;
}

const fb_writer fb_writer_exudyn = {
    .name = "exudyn",
    .doc = "Exudyn ObjectFFRFreducedOrder (.hdf5)",
    .loads = 1,
    .binary = 1,
    .publish = publish,
    .test = test,
    .test_ending = "py",
};
