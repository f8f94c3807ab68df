/* SPDX-License-Identifier: GPL-3.0-or-later */
/* link.c - the HDF5 link record: what a multibody simulator needs of one body, and no more.
 *
 * MBSim    --mbsim adds the root datasets of ExternalFlexibleFfrBody: hard links where the shapes
 *          agree, own datasets elsewhere (n modes, nn nodes, float64, C order):
 *            mass = I1, position integral = I2, shape function integral = I3, stiffness matrix = K,
 *            damping matrix = D
 *            position position integral [3,3]                 int r r' dm, from I7
 *            position shape function integral [9,n]           rows 3 k + i: int r_k phi_i dm =
 *            I10_ki shape function shape function integral [6n,n]    I11 of xx xy xz yy yz zz,
 *            stacked nodal relative position [3nn], nodal shape matrix of translation, of rotation
 *            [3nn,n], nodal stress matrix [6nn,n] (xx yy zz xy yz zx), node numbers [nn], openmbv
 *            indices
 *          of a mass matrix all six from its isotropic part (/invariants/isotropic): MBSim sums its
 *          mass matrix from them, and exact I3 and I7 beside the others' would be indefinite
 * Assumed  by MBSim: SI units; no rigid motion among the modes, and mass in each; the mass matrix
 *          is I11_xx + I11_yy + I11_zz, so nodal rotary inertia is lost there; symmetric damping;
 *          the root group in the order of creation; any normalisation.
 * Source   MBSim, ExternalFlexibleFfrBody::importData; hdf5serie, GroupBase::getChildObjectNames
 */
#include "memory.h"
#include "body.h"
#include "selftest.h"
#include "writer.h"
#include <math.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

enum { NOWN = 16 };

typedef struct {
    fb_array a[NOWN];
    int64_t n;
    double rr[9], *N, *W, *xyz, *phi, *psi, *stress;
    int64_t *node, *index;
} mbsim;

static void mbsim_free(mbsim *t)
{
    FB_FREE(t->N, t->W, t->xyz, t->phi, t->psi, t->stress, t->node, t->index);
}

static void also(mbsim *t, const char *name, const char *path)
{
    t->a[t->n++] = (fb_array){.path = name, .link = path};
}

static void own(mbsim *t, const char *name, char type, const void *data, int64_t rows, int64_t cols)
{
    t->a[t->n++] = (fb_array){
        .path = name, .type = type, .rank = cols ? 2 : 1, .dim = {rows, cols}, .data = data};
}

static fb_status integrals(mbsim *t, const fb_model *b, fb_err *e)
{
    static const int pair[6] = {0, 1, 2, 4, 5, 8}; /* xx xy xz yy yz zz of [3,3] */
    int64_t m = b->nr, mm = m * m;
    FB_PASS(fb_copy(&t->N, b->I[10], 9 * m, 8, "MBSim integrals", e));
    FB_PASS(fb_new(&t->W, 6 * mm, 8, "MBSim integrals", e));
    if (b->Is[2] && b->Is[3] && b->Is[7]) {
        fb_second_moment(b->Is[7], t->rr);
        for (int a = 0; a < 9; a++) /* moved to the origin by the I3 of M */
            for (int64_t k = 0; k < m; k++)
                t->N[a * m + k] += b->I[2][a / 3] / b->I[1][0] *
                                   (b->Is[3][a % 3 * m + k] - b->I[3][a % 3 * m + k]);
    } else {
        fb_second_moment(b->I[7], t->rr);
    }
    for (int q = 0; q < 6; q++)
        memcpy(t->W + q * mm, b->I[11] + pair[q] * mm, sizeof(double) * (size_t)mm);
    also(t, "/mass", "/invariants/I1");
    also(t, "/position integral", b->Is[2] ? "/invariants/isotropic/I2" : "/invariants/I2");
    also(t, "/shape function integral", b->Is[3] ? "/invariants/isotropic/I3" : "/invariants/I3");
    also(t, "/stiffness matrix", "/reduced/K");
    if (b->Dr)
        also(t, "/damping matrix", "/reduced/D");
    own(t, "/position position integral", 'd', t->rr, 3, 3);
    own(t, "/position shape function integral", 'd', t->N, 9, m);
    own(t, "/shape function shape function integral", 'd', t->W, 6 * m, m);
    return FB_OK;
}

/* Stress of the nodes by mode, MBSim's order xx yy zz xy yz zx; nodes without stress hold zeros. */
static fb_status stresses(mbsim *t, const fb_model *b, fb_err *e)
{
    static const int from[6] = {0, 1, 2, 3, 5, 4};
    const double force = fb_units_force(&b->units); /* in the units of the matrices */
    double *of = NULL;
    fb_index x = {0};
    fb_status s = FB_OK;
    FB_TRY(fb_coordinate_stress(b, 0, &of, e));
    if (!of)
        return FB_OK;
    FB_TRY(fb_new(&t->stress, 6 * b->nn * b->nr, 8, "stress of the nodes", e));
    FB_TRY(fb_index_new(&x, b->node_id, b->nn, "/nodes/id", e));
    for (int64_t q = 0; q < b->ns; q++) {
        int64_t p = fb_index_find(&x, b->stress_node[q]);
        for (int c = 0; p >= 0 && c < 6; c++)
            for (int64_t k = 0; k < b->nr; k++)
                t->stress[(6 * p + c) * b->nr + k] = force * of[6 * (q + k * b->ns) + from[c]];
    }
    own(t, "/nodal stress matrix", 'd', t->stress, 6 * b->nn, b->nr);
out:
    free(of);
    fb_index_free(&x);
    return s;
}

/* Faces that are no lines one after the other, each ended by -1. */
static fb_status surface(mbsim *t, const fb_model *b, fb_err *e)
{
    int64_t n = 0;
    if (!b->face_offset || b->nf1 < 2)
        return FB_OK;
    FB_PASS(fb_new(&t->index, b->nfi + b->nf1 - 1, 8, "faces", e));
    for (int64_t f = 0; f + 1 < b->nf1; f++) {
        if (b->face_offset[f + 1] - b->face_offset[f] <= 2)
            continue;
        for (int64_t k = b->face_offset[f]; k < b->face_offset[f + 1]; k++)
            t->index[n++] = b->face_index[k];
        t->index[n++] = -1;
    }
    if (n)
        own(t, "/openmbv indices", 'w', t->index, n, 0);
    return FB_OK;
}

static fb_status nodal(mbsim *t, const fb_model *b, fb_err *e)
{
    double *x = NULL;
    int64_t row = b->nr * 3;
    fb_status s = FB_OK;
    FB_TRY(fb_copy(&t->xyz, b->xyz, 3 * b->nn, 8, "nodes", e));
    FB_TRY(fb_copy(&t->node, b->node_id, b->nn, 8, "nodes", e));
    FB_TRY(fb_new(&t->phi, row * b->nn, 8, "nodal shapes", e));
    FB_TRY(fb_new(&t->psi, row * b->nn, 8, "nodal shapes", e));
    FB_TRY(fb_node_shapes(b, b->node_id, b->nn, &x, e));
    for (int64_t p = 0; p < b->nn; p++) {
        memcpy(t->phi + p * row, x + 2 * p * row, sizeof(double) * (size_t)row);
        memcpy(t->psi + p * row, x + (2 * p + 1) * row, sizeof(double) * (size_t)row);
    }
    own(t, "/nodal relative position", 'd', t->xyz, 3 * b->nn, 0);
    own(t, "/nodal shape matrix of translation", 'd', t->phi, 3 * b->nn, b->nr);
    own(t, "/nodal shape matrix of rotation", 'd', t->psi, 3 * b->nn, b->nr);
    own(t, "/node numbers", 'w', t->node, b->nn, 0);
    FB_TRY(stresses(t, b, e));
    s = surface(t, b, e);
out:
    free(x);
    return s;
}

/* What is left of the generalized mass M in the sums W of MBSim: the lowest eigenvalue of W in
 * units of the diagonal of M. Where it is zero MBSim's own mass matrix has no inverse. */
static fb_status check_mass(const fb_model *b, const double *W, fb_err *e)
{
    static const double none = 1e-10;
    const int64_t m = b->nr;
    fb_mat S = {0};
    double *mu = NULL;
    fb_status s = FB_OK;
    FB_TRY(fb_mat_new(&S, m, m, e));
    FB_TRY(fb_new(&mu, m, 8, "eigenvalues", e));
    for (int64_t j = 0; j < m; j++)
        for (int64_t i = 0; i < m; i++)
            S.x[i + j * m] = W[i + j * m] / sqrt(b->Mr[i + i * m] * b->Mr[j + j * m]);
    FB_TRY(fb_eig_symmetric(&S, mu, e));
    if (m && !(mu[0] > none))
        s = fb_fail(e, FB_EFORMAT,
                    "MBSim takes its mass matrix from the shape integrals, where a motion of this "
                    "body has no mass (%.2g of its generalized mass): the rotary inertia of nodes "
                    "does not count there. Mesh by solids, or leave out what turns alone, by the "
                    "components of reduce --interface and the normal modes of torsion",
                    mu[0]);
out:
    fb_mat_free(&S);
    free(mu);
    return s;
}

/* MBSim sums I4 of N, I7 of rr and its mass matrix of W. */
static fb_status check_sums(const mbsim *t, const fb_model *b, fb_log *log, fb_err *e)
{
    static const int next[3] = {1, 2, 0}, after[3] = {2, 0, 1};
    const int64_t m = b->nr, mm = m * m;
    double *I4 = NULL, *M = NULL, I7[9];
    fb_status s = FB_OK;
    FB_TRY(fb_new(&I4, 3 * m, 8, "MBSim integrals", e));
    FB_TRY(fb_new(&M, mm, 8, "MBSim integrals", e));
    for (int a = 0; a < 9; a++)
        I7[a] = (a % 4 == 0) * (t->rr[0] + t->rr[4] + t->rr[8]) - t->rr[a];
    for (int a = 0; a < 3; a++)
        for (int64_t k = 0; k < m; k++)
            I4[a * m + k] =
                t->N[(3 * next[a] + after[a]) * m + k] - t->N[(3 * after[a] + next[a]) * m + k];
    for (int64_t k = 0; k < mm; k++)
        M[k] = t->W[k] + t->W[3 * mm + k] + t->W[5 * mm + k];
    const fb_inertia_set at = {
        b->I[1], b->Is[2] ? b->Is[2] : b->I[2], b->Is[3] ? b->Is[3] : b->I[3], I4, I7, NULL, M};
    FB_TRY(fb_need_inertia(b, &at, "MBSim", 1, log, e));
    s = check_mass(b, M, e);
out:
    FB_FREE(I4, M);
    return s;
}

static fb_status for_mbsim(mbsim *t, const fb_model *b, fb_log *log, fb_err *e)
{
    FB_PASS(fb_need_modes(b, "MBSim", e));
    FB_PASS(fb_need_held(b, "MBSim", e)); /* else its mass matrix is singular: rigid motion twice */
    FB_PASS(fb_need_invariants(b, "MBSim", e));
    if (b->Dr && !fb_symmetric(b->Dr, b->nr))
        return fb_fail(e, FB_EFORMAT,
                       "MBSim reads symmetric damping matrices alone, /reduced/D is not symmetric");
    for (int k = 0; k < FB_NUNIT; k++)
        if (b->units.factor[k] != 1)
            fb_warn(log, "MBSim takes the values as SI, this body's unit of %s is %s",
                    fb_unit_kinds[k], b->units.name[k]);
    FB_PASS(integrals(t, b, e));
    FB_PASS(check_sums(t, b, log, e));
    return nodal(t, b, e);
}

static void drop_shapes(fb_model *b)
{
    FB_FREE(b->T, b->dof_node, b->dof_component, b->dof_class);
    free(b->interface_dof); /* positions in /dofs */
    b->interface_dof = NULL;
    for (int64_t k = 0; b->load_dof && k < b->nload; k++)
        b->load_dof[k] =
            b->load_dof[k] >= 0 || b->load_dof[k] == FB_LOAD_UNIT ? FB_LOAD_UNIT : FB_LOAD_VECTOR;
    b->T = NULL;
    b->dof_node = b->dof_component = b->dof_class = NULL;
}

/* Of /stress what belongs to coordinates: the input's modes and shapes over /dofs stay behind. */
#define STRESS "/stress/node", "/stress/coordinate", "/stress/coordinate_strain", "/stress/residual"

static fb_status keep_stress(fb_model *b, fb_err *e)
{
    double **const own[] = {&b->coordinate_stress, &b->coordinate_strain};
    for (int strain = 0; strain < 2; strain++) {
        double *of = NULL;
        FB_PASS(fb_coordinate_stress(b, strain, &of, e));
        free(*own[strain]);
        *own[strain] = of;
    }
    if (!b->coordinate_stress && !b->coordinate_strain)
        FB_FREE(b->stress_node);
    return FB_OK;
}

static fb_status publish(fb_run *r, fb_stream *in, fb_model *b, const fb_export *o, fb_err *e)
{
    static const char *const record[] = {"/source", "/reduced", "/connectors",    "/invariants",
                                         "/dofs",   "/verdict", "/participation", "/interface",
                                         "/frame",  "/poles",   STRESS,           "/geometric",
                                         "/sets",   NULL};
    static const char *const shapes[] = {
        "/nodes", "/faces",     "/source",        "/reduced",   "/connectors", "/invariants",
        "/dofs",  "/verdict",   "/participation", "/interface", "/frame",      "/poles",
        STRESS,   "/geometric", "/motion",        "/recovery",  "/sets",       NULL};
    static const char *const nothing[] = {
        "/nodes",     "/dofs",    "/full",          "/checks",     "/recovery",
        "/interface", "/modes",   "/faces",         "/stress",     "/statistics",
        "/reference", "/reduced", "/connectors",    "/invariants", "/history",
        "/source",    "/verdict", "/participation", "/frame",      "/poles",
        "/geometric", "/basis",   "/motion",        "/sets",       NULL};
    mbsim t = {.n = 0};
    fb_status s = FB_OK;
    if (!b->Kr || !b->Mr || !b->connector_S || !b->I[1])
        return fb_fail(
            e, FB_EFORMAT,
            "%s: a link record wants /reduced, /connectors and /invariants; missing is %s",
            in->name,
            !b->Kr || !b->Mr  ? "/reduced: run reduce first"
            : !b->connector_S ? "/connectors: name nodes by --connectors LIST"
                              : "/invariants: run invariants first");
    if (b->I[2] && b->I[3] && b->I[4] && b->I[7]) {
        const fb_inertia_set at = fb_inertia_of(b);
        FB_TRY(fb_need_inertia(b, &at, "the link record", 0, &r->log, e));
    }
    FB_TRY(keep_stress(b, e));
    FB_TRY(fb_record_describe(b, !o->connectors, e));
    if (o->mbsim)
        FB_TRY(for_mbsim(&t, b, &r->log, e));
    if (!o->with_T)
        drop_shapes(b);
    FB_FREE(b->V);
    s = fb_publish_with(r, in, b, o->with_T ? shapes : record, nothing, t.a, t.n, e);
out:
    mbsim_free(&t);
    return s;
}

static fb_status test(const fb_model *b, const fb_export *ask, const char *file, fb_buf *o,
                      fb_err *e)
{
    static const char load[] =
        "f = h5py.File(name)\n"
        "K, M = f[\"reduced/K\"][()], f[\"reduced/M\"][()]\n"
        "p = f[\"connectors/S\"][list(f[\"connectors/node\"][()]).index(node), axis]\n";
    (void)ask;
    return fb_test_python(b, "a link record", file, "h5py", load, 1e-8, o, e);
}

static const fb_own own_options[] = {
    {"mbsim", FB_FLAG, offsetof(fb_export, mbsim), NULL,
     "add to the link record the datasets that MBSim reads", NULL},
    {"with-T", FB_FLAG, offsetof(fb_export, with_T), NULL,
     "keep /reduced/T, /dofs, /recovery, /nodes and /faces in the link record", NULL},
    {0}};

const fb_writer fb_writer_link = {
    .name = "link",
    .doc = "the HDF5 link record",
    .loads = 1,
    .keeps = 1,
    .geometric = 1,
    .any_units = 1,
    .binary = 1,
    .options = own_options,
    .publish = publish,
    .test = test,
    .test_ending = "py",
};
