/* SPDX-License-Identifier: GPL-3.0-or-later */
/* mat.c - all arrays of a body as a MATLAB file.
 *
 * Layout   one variable an array, indices in the order of flexbody.5: I5(i,a,j), S(c,a,k), ...;
 *          T is [dofs x coordinates], x = T z. Positions (interface_dof, face_index, face_offset)
 *          count from 1 as MATLAB does. K, M, D are the reduced pair, K_full, M_full, D_full the
 *          sparse full model. units_to_SI holds the factors of mass, length, time and force (0: not
 *          known). B and C = B' of M z'' + D z' + K z = B u, y = C z with port_node,
 *          port_component; coordinate_node, coordinate_component name the dof that a row of the
 *          pair is (0: a mode); of a full model B_full (ports.c). P, P_full: a load a column, in
 *          the order of /reduced/load_name and /full/load_name. Dialect 5: level 5, uncompressed.
 *          Dialect 7.3: HDF5, for arrays above 2 GiB.
 * Assumed  nothing: any body is written as it is.
 */
#include "memory.h"
#include "body.h"
#include "matfile.h"
#include "selftest.h"
#include "writer.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MAXVAR = 96 };

typedef struct {
    fb_matvar v[MAXVAR];
    double *own[MAXVAR]; /* integers turned into doubles */
    int n;
} vars;

static void vars_free(vars *t)
{
    for (int k = 0; k < t->n; k++)
        free(t->own[k]);
}

static void real(vars *t, const char *name, const double *x, int rank, const int64_t dim[4])
{
    if (!x)
        return;
    fb_matvar v = {.name = name, .rank = rank, .x = x};
    memcpy(v.dim, dim, sizeof v.dim);
    t->v[t->n++] = v;
}

static fb_status integers(vars *t, const char *name, const int64_t *x, int64_t n, int64_t base,
                          fb_err *e)
{
    if (!x)
        return FB_OK;
    FB_PASS(fb_new(&t->own[t->n], n, 8, name, e));
    for (int64_t k = 0; k < n; k++)
        t->own[t->n][k] = (double)(x[k] + base);
    real(t, name, t->own[t->n], 1, (const int64_t[4]){n});
    return FB_OK;
}

static void sparse(vars *t, const char *name, const fb_csc *A)
{
    if (A->p)
        t->v[t->n++] = (fb_matvar){.name = name, .rank = 2, .dim = {A->m, A->n}, .sparse = A};
}

static fb_status model_part(vars *t, const fb_model *b, fb_err *e)
{
    real(t, "units_to_SI", b->units.factor, 2, (const int64_t[4]){1, FB_NUNIT});
    FB_PASS(integers(t, "node_id", b->node_id, b->nn, 0, e));
    real(t, "node_xyz", b->xyz, 2, (const int64_t[4]){b->nn, 3});
    real(t, "node_mass", b->node_mass, 1, (const int64_t[4]){b->nn});
    real(t, "node_inertia", b->node_inertia, 3, (const int64_t[4]){b->nn, 3, 3});
    FB_PASS(integers(t, "dof_node", b->dof_node, b->ndof, 0, e));
    FB_PASS(integers(t, "dof_component", b->dof_component, b->ndof, 0, e));
    FB_PASS(integers(t, "dof_class", b->dof_class, b->ndof, 0, e));
    FB_PASS(integers(t, "interface_dof", b->interface_dof, b->nb, 1, e));
    sparse(t, "K_full", &b->K);
    sparse(t, "M_full", &b->M);
    sparse(t, "D_full", &b->D);
    sparse(t, "S_full", &b->S);
    sparse(t, "G_full", &b->gyroscopic);
    sparse(t, "Kg_full", &b->Kg);
    real(t, "kg_acceleration", b->kg_acceleration, 2, (const int64_t[4]){b->nkg, 3});
    real(t, "kg_angular", b->kg_angular, 2, (const int64_t[4]){b->nkg, 3});
    real(t, "kg_centrifugal", b->kg_centrifugal, 3, (const int64_t[4]){b->nkg, 3, 3});
    FB_PASS(integers(t, "kg_node", b->kg_node, b->nkg, 0, e));
    real(t, "kg_force", b->kg_force, 2, (const int64_t[4]){b->nkg, 3});
    real(t, "kg_moment", b->kg_moment, 2, (const int64_t[4]){b->nkg, 3});
    if (b->vector)
        t->v[t->n++] = (fb_matvar){.name = "P_full",
                                   .rank = 2,
                                   .dim = {b->ndof, b->nvector},
                                   .x = b->vector,
                                   .by_column = 1};
    FB_PASS(integers(t, "mode_number", b->mode_number, b->nm, 0, e));
    real(t, "mode_eigen", b->eigen, 2, (const int64_t[4]){b->nm, 5});
    const int64_t of_modes[4] = {b->nm, b->nn, 6}, stressed[4] = {b->nm, b->ns, 6};
    real(t, "mode_shape", b->shape, 3, of_modes);
    real(t, "mode_shape_imag", b->shape_imag, 3, of_modes);
    real(t, "mode_damping", b->mode_damping, 1, of_modes);
    FB_PASS(integers(t, "face_offset", b->face_offset, b->nf1, 1, e));
    FB_PASS(integers(t, "face_index", b->face_index, b->nfi, 1, e));
    FB_PASS(integers(t, "stress_node", b->stress_node, b->ns, 0, e));
    real(t, "stress", b->stress, 3, stressed);
    real(t, "strain", b->strain, 3, stressed);
    return FB_OK;
}

static fb_status coordinates(vars *t, const fb_model *b, fb_err *e)
{
    int64_t *node = NULL, *component = NULL;
    fb_status s = FB_OK;
    FB_TRY(fb_coords_labels(b, &node, &component, e));
    FB_TRY(integers(t, "coordinate_node", node, b->nr, 0, e));
    s = integers(t, "coordinate_component", component, b->nr, 0, e);
out:
    FB_FREE(node, component);
    return s;
}

static fb_status reduced_part(vars *t, const fb_model *b, fb_err *e)
{
    static const char *const name[12] = {"",   "I1", "I2", "I3", "I4",  "I5",
                                         "I6", "I7", "I8", "I9", "I10", "I11"};
    int64_t m = b->nr;
    const int64_t dim[12][4] = {{0},    {0},    {3},       {3, m},       {3, m},    {m, 3, m},
                                {m, m}, {3, 3}, {m, 3, 3}, {m, m, 3, 3}, {3, 3, m}, {3, 3, m, m}};
    static const int rank[12] = {0, 0, 1, 2, 2, 3, 2, 2, 3, 4, 3, 4};
    real(t, "K", b->Kr, 2, dim[6]);
    real(t, "M", b->Mr, 2, dim[6]);
    real(t, "D", b->Dr, 2, dim[6]);
    real(t, "structural", b->Sr, 2, dim[6]);
    real(t, "gyroscopic", b->Gr, 2, dim[6]);
    real(t, "Kg", b->Kgr, 3, (const int64_t[4]){b->nkg, m, m});
    if (b->T)
        t->v[t->n++] =
            (fb_matvar){.name = "T", .rank = 2, .dim = {b->ndof, m}, .x = b->T, .by_column = 1};
    if (b->V)
        t->v[t->n++] =
            (fb_matvar){.name = "V", .rank = 2, .dim = {b->nm, m}, .x = b->V, .by_column = 1};
    if (b->load)
        t->v[t->n++] =
            (fb_matvar){.name = "P", .rank = 2, .dim = {m, b->nload}, .x = b->load, .by_column = 1};
    real(t, "frequency", b->frequency, 1, (const int64_t[4]){m});
    real(t, "gravity", b->gravity, 2, (const int64_t[4]){3, m});
    FB_PASS(integers(t, "kind", b->kind, m, 0, e));
    FB_PASS(coordinates(t, b, e));
    FB_PASS(integers(t, "connector_node", b->connector_node, b->nc, 0, e));
    real(t, "connector_position", b->connector_position, 2, (const int64_t[4]){b->nc, 3});
    real(t, "connector_rotation", b->connector_rotation, 3, (const int64_t[4]){b->nc, 3, 3});
    real(t, "S", b->connector_S, 3, (const int64_t[4]){b->nc, 3, m});
    real(t, "Shat", b->connector_Shat, 3, (const int64_t[4]){b->nc, 3, m});
    const int64_t of_coordinates[4] = {m, b->ns, 6};
    real(t, "coordinate_stress", b->coordinate_stress, 3, of_coordinates);
    real(t, "coordinate_strain", b->coordinate_strain, 3, of_coordinates);
    real(t, "stress_residual", b->stress_residual, 1, (const int64_t[4]){m});
    for (int k = 1; k <= 11; k++)
        real(t, name[k], b->I[k], rank[k], dim[k]);
    return FB_OK;
}

static fb_status ports_part(vars *t, const fb_model *b, const fb_ports *p, fb_err *e)
{
    if (!p->n)
        return FB_OK;
    FB_PASS(integers(t, "port_node", p->node, p->n, 0, e));
    FB_PASS(integers(t, "port_component", p->component, p->n, 0, e));
    sparse(t, "B_full", &p->B);
    real(t, "C", p->C, 2, (const int64_t[4]){p->n, b->nr});
    if (p->C)
        t->v[t->n++] =
            (fb_matvar){.name = "B", .rank = 2, .dim = {b->nr, p->n}, .x = p->C, .by_column = 1};
    return FB_OK;
}

static fb_status level5(fb_run *r, const vars *t, fb_err *e)
{
    fb_buf o = {0};
    fb_status s = fb_matfile_write(&o, 5, NULL, t->v, t->n, e);
    if (!s)
        s = fb_publish_bytes(r, &o, e);
    fb_buf_free(&o);
    return s;
}

/* ---- level 7.3: an HDF5 dataset a variable, dimensions reversed -------------------------------
 * */

typedef struct {
    fb_array a[4 * MAXVAR];
    char path[4 * MAXVAR][40];
    double *own[MAXVAR];
    fb_csc mirrored[MAXVAR];
    int n;
} h5vars;

static fb_array *next(h5vars *t, const char *group, const char *leaf, char type, int rank)
{
    fb_array *a = t->a + t->n;
    char *path = t->path[t->n++];
    snprintf(path, sizeof t->path[0], "/%.20s%s%s", group, *leaf ? "/" : "", leaf);
    *a = (fb_array){.path = path, .type = type, .rank = rank, .ascii = 1};
    return a;
}

static fb_status h5sparse(h5vars *t, const fb_matvar *v, fb_csc *A, fb_err *e)
{
    FB_PASS(fb_matvar_mirror(v->sparse, A, e));
    fb_array *a = next(t, v->name, "data", 'd', 1);
    a->dim[0] = A->p[A->n];
    a->data = A->x;
    a = next(t, v->name, "", 'd', 0);
    a->counter = "MATLAB_sparse";
    a->count = A->m;
    a->attr[0][0] = "MATLAB_class";
    a->attr[0][1] = "double";
    a = next(t, v->name, "ir", 'u', 1);
    a->dim[0] = A->p[A->n];
    a->data = A->i;
    a = next(t, v->name, "jc", 'u', 1);
    a->dim[0] = A->n + 1;
    a->data = A->p;
    return FB_OK;
}

/* Before the HDF5 data stand 512 bytes: text, version 0x0200, endian mark. The usual date is left
 * out: the same data give the same bytes. */
static fb_status level73(fb_run *r, const vars *v, fb_err *e)
{
    static const char text[] = "MATLAB 7.3 MAT-file, Platform: flexbody, HDF5 schema 1.00 .";
    char head[512] = {0};
    h5vars *t = NULL;
    fb_status s = FB_OK;
    FB_TRY(FB_NEW(&t, 1, e));
    for (int k = 0; k < v->n; k++) {
        const fb_matvar *x = v->v + k;
        if (x->sparse) {
            FB_TRY(h5sparse(t, x, t->mirrored + k, e));
            continue;
        }
        int rank = x->rank < 2 ? 2 : x->rank;
        FB_TRY(fb_matvar_columns(x, &t->own[k], e));
        fb_array *a = next(t, x->name, "", 'd', rank);
        a->data = t->own[k];
        a->attr[0][0] = "MATLAB_class";
        a->attr[0][1] = "double";
        for (int q = 0; q < rank; q++)
            a->dim[rank - 1 - q] = q < x->rank ? x->dim[q] : 1;
    }
    memset(head, ' ', 116);
    memcpy(head, text, sizeof text - 1);
    memcpy(head + 124, (const char[]){0x00, 0x02, 'I', 'M'}, 4);
    s = fb_publish_many(
        r,
        &(fb_output){
            .path = r->out, .array = t->a, .narray = t->n, .head = head, .nhead = sizeof head},
        1, e);
out:
    for (int k = 0; t && k < MAXVAR; k++) {
        free(t->own[k]);
        fb_csc_free(t->mirrored + k);
    }
    free(t);
    return s;
}

static fb_status publish(fb_run *r, fb_stream *in, fb_model *b, const fb_export *ask, fb_err *e)
{
    vars t = {0};
    fb_ports p = {0};
    fb_status s = FB_OK;
    (void)in;
    FB_TRY(fb_ports_new(b, &p, e));
    FB_TRY(model_part(&t, b, e));
    FB_TRY(reduced_part(&t, b, e));
    FB_TRY(ports_part(&t, b, &p, e));
    s = strcmp(ask->dialect, "7.3") ? level5(r, &t, e) : level73(r, &t, e);
out:
    vars_free(&t);
    fb_ports_free(&p);
    return s;
}

static fb_status test(const fb_model *b, const fb_export *ask, const char *file, fb_buf *o,
                      fb_err *e)
{
    static const char load[] = "load(name, 'K', 'M', 'B', 'port_node', 'port_component');\n"
                               "f = B(:, port_node == node & port_component == component);\n";
    (void)ask;
    return fb_test_octave(b, "a MATLAB file", file, load, o, e);
}

static const fb_dialect dialects[] = {
    {"5", "level 5, uncompressed", 0},
    {"7.3", "HDF5, for arrays above 2 GiB", 0},
    {0},
};

const fb_writer fb_writer_mat = {
    .name = "mat",
    .doc = "MATLAB file of all arrays",
    .loads = 1,
    .whole = 1,
    .keeps = 1,
    .geometric = 1,
    .binary = 1,
    .dialects = dialects,
    .publish = publish,
    .test = test,
    .test_ending = "m",
};
