/* SPDX-License-Identifier: GPL-3.0-or-later */
/* assemble.c - joins the parts that the readers found into one model.
 *
 * Symbols  K the stiffness of component modes, r_i = sum_j |K_ij| sqrt(K_ii/K_jj), R rigid motion
 *          of the nodes
 * Equations
 *   (AS.1) s = ||Q'KQ||_F, span Q = span R, Q' diag(r) Q = 1: |x'Kx| <= s sum_i r_i x_i^2 of every
 *          rigid x. What a condensation leaves of zero, and grows with the condition of the
 *          interior
 */
#include "dofset.h"
#include "geometric.h"
#include "memory.h"
#include "assemble.h"
#include "linalg/dense.h"
#include "linalg/sparse_ops.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void join_free(fb_join *j)
{
    FB_FREE(j->node, j->component, j->class, j->repeated, j->place, j->leave, j->frame, j->keep);
    free(j->turn);
    for (int k = 0; k < FB_NROLE; k++)
        fb_csc_free(&j->A[k]);
    FB_FREE_BY(fb_csc_free, &j->Tt, &j->E);
    FB_FREE(j->slave, j->follow);
    fb_csc_free(&j->imaginary.A);
    FB_FREE_BY(fb_labels_free, &j->imaginary.row, &j->imaginary.col);
}

/* ---- from the table of all dofs to the model -------------------------------------------- */

static void all_dofs(fb_join *j)
{
    fb_model *b = j->b;
    b->ndof = j->n;
    b->dof_node = j->node;
    b->dof_component = j->component;
    b->dof_class = j->class;
    j->node = j->component = j->class = NULL;
}

/* Of the mass before frames what the invariants ask for: T'MT holds no place of the slaves. */
static fb_status keep_isotropic(fb_join *j, fb_err *e)
{
    fb_model view = fb_join_view(j, j->b);
    int64_t *axes = NULL;
    fb_status s = FB_OK;
    if (!j->nframe || !view.M.p)
        return FB_OK;
    view.dof_class = NULL;
    FB_TRY(fb_new(&view.dof_class, j->n, 8, "dofs", e));
    for (int64_t d = 0; d < j->n; d++) /* what is left out has no share in T'MT either */
        view.dof_class[d] = j->leave[d] ? FB_DOF_MULTIPLIER : j->class[d];
    FB_TRY(fb_model_isotropic(&view, &j->b->Ms, &axes, e));
    s = fb_model_rotary(&view, &j->b->Ms, &j->b->node_inertia, e);
out:
    FB_FREE(view.dof_class, axes);
    return s;
}

static fb_status kept_dofs(fb_join *j, fb_err *e)
{
    fb_model *b = j->b;
    int64_t m = j->Tt.m, k = 0;
    FB_PASS(keep_isotropic(j, e));
    FB_PASS(fb_csc_transposed(&j->Tt, &b->G, e));
    FB_PASS(fb_new(&b->dof_node, m, 8, "dofs", e));
    FB_PASS(fb_new(&b->dof_component, m, 8, "dofs", e));
    FB_PASS(fb_new(&b->dof_class, m, 8, "dofs", e));
    b->ndof = m;
    for (int64_t d = 0; d < j->n; d++)
        if (j->keep[d] >= 0) {
            b->dof_node[k] = j->node[d];
            b->dof_component[k] = j->component[d];
            b->dof_class[k++] = j->class[d];
        }
    for (int64_t f = 0; f < j->nframe; f++)
        for (int64_t c = 1; c <= 6; c++) {
            b->dof_node[k] = j->frame[f];
            b->dof_component[k] = c;
            b->dof_class[k++] = FB_DOF_PHYSICAL;
        }
    b->na = j->n;
    b->all_node = j->node;
    b->all_component = j->component;
    b->all_class = j->class;
    j->node = j->component = j->class = NULL;
    for (int r = 0; r < FB_NROLE; r++) {
        fb_csc C = {0};
        if (!j->A[r].p)
            continue;
        FB_PASS(fb_transform_take(&j->A[r], &j->Tt, &C, e));
        j->A[r] = C;
    }
    return FB_OK;
}

static fb_status finish(fb_join *j, fb_err *e)
{
    fb_model *b = j->b;
    if (!j->Tt.p) {
        all_dofs(j);
    } else {
        FB_PASS(kept_dofs(j, e));
    }
    b->K = j->A[FB_K];
    b->M = j->A[FB_M];
    b->D = j->A[FB_D];
    b->S = j->A[FB_S];
    b->gyroscopic = j->A[FB_G];
    b->N = j->A[FB_N];
    if (b->nkg) {
        FB_PASS(fb_geometric_stack_take(j->A + FB_LOADED, b->nkg, &b->Kg, e));
        b->nkgdof = b->nkg * b->ndof;
    }
    memset(j->A, 0, sizeof j->A);
    if (!b->ndof)
        return fb_fail(e, FB_EFORMAT,
                       "no dof is left: the matrices are zero, or all dofs are held");
    return FB_OK;
}

/* ---- interface -------------------------------------------------------------------------- */

/* The nodes of the interface dofs, in order and with coordinates, are the connectors. */
static fb_status connect(fb_model *b, fb_log *log, fb_err *e)
{
    int64_t *node = NULL, n = 0, without = 0;
    char *seen = NULL;
    fb_index x = {0};
    fb_status s = FB_OK;
    FB_TRY(fb_index_new(&x, b->node_id, b->nn, "nodes", e));
    FB_TRY(fb_new(&node, b->nb, 8, "connectors", e));
    FB_TRY(fb_new(&seen, b->nn, 1, "connectors", e));
    for (int64_t k = 0; k < b->nb; k++) {
        int64_t p = fb_index_find(&x, b->dof_node[b->interface_dof[k]]);
        without += p < 0;
        if (p < 0 || seen[p])
            continue;
        seen[p] = 1;
        node[n++] = b->node_id[p];
    }
    if (n)
        FB_TRY(fb_model_set_connectors(b, node, n, e));
    if (without)
        fb_note(log,
                "%lld interface dofs are at nodes without coordinates: these become no connectors "
                "(--nodes FILE)",
                (long long)without);
out:
    fb_index_free(&x);
    FB_FREE(node, seen);
    return s;
}

static fb_status interface(fb_parts *p, fb_model *b, int64_t nframe, fb_log *log, fb_err *e)
{
    fb_dofgroup *g = NULL;
    fb_status s = FB_OK;
    if (!p->how.interface && !nframe)
        return FB_OK;
    if (p->how.interface) {
        FB_TRY(fb_join_groups(p, &g, e));
        FB_TRY(fb_dofset_groups(b, g, p->nset, "--interface", p->how.interface, &b->interface_dof,
                                &b->nb, log, e));
    } else {
        b->nb = 6 * nframe;
        FB_TRY(fb_new(&b->interface_dof, b->nb, 8, "interface", e));
        for (int64_t k = 0; k < b->nb; k++)
            b->interface_dof[k] = b->ndof - b->nb + k;
        fb_note(log, "the interface is made of the new frames");
    }
    s = connect(b, log, e);
out:
    free(g);
    return s;
}

/* ---- component mode exports ------------------------------------------------------------- */

/* A superelement comes reduced: its boundary dofs and modal coordinates are generalized coordinates
 * as they stand, x = T z with T = I. */
enum { COMPONENT_MODES = 4000 }; /* dense beyond would be no reduced body */

static int is_reduced(const fb_model *b)
{
    int64_t n[FB_NDOFCLASS] = {0};
    for (int64_t d = 0; d < b->ndof; d++)
        n[b->dof_class[d]]++;
    return n[FB_DOF_GENERALIZED] && n[FB_DOF_PHYSICAL] + n[FB_DOF_GENERALIZED] == b->ndof &&
           b->M.p && b->ndof <= COMPONENT_MODES;
}

static fb_status dense(const fb_csc *A, double **out, fb_err *e)
{
    fb_status s = A->p ? fb_new(out, A->n * A->n, 8, "generalized matrix", e) : FB_OK;
    for (int64_t c = 0; !s && A->p && c < A->n; c++)
        for (int64_t q = A->p[c]; q < A->p[c + 1]; q++) {
            (*out)[A->i[q] * A->n + c] = A->x[q];
            if (A->upper)
                (*out)[c * A->n + A->i[q]] = A->x[q];
        }
    return s;
}

static fb_status boundary(fb_model *b, fb_err *e)
{
    if (b->interface_dof)
        return FB_OK;
    fb_status s = fb_new(&b->interface_dof, b->ndof, 8, "interface", e);
    for (int64_t d = 0; !s && d < b->ndof; d++)
        if (b->dof_class[d] == FB_DOF_PHYSICAL)
            b->interface_dof[b->nb++] = d;
    return s;
}

/* (AS.1), stated up to noise_most: above, supports or wrong places resist. */
static fb_status condensation_noise(fb_model *b, fb_log *log, fb_err *e)
{
    /* round-off of the condensation itself is told under -v alone */
    static const double noise_most = 1e-10, told = 1e-12;
    const fb_mat K = {b->ndof, b->ndof, b->Kr};
    fb_mat R = {0}, KR = {0}, B = {0};
    double *root = NULL, sum = 0;
    fb_status s = FB_OK;
    if (!b->xyz || b->stiffness_noise)
        return FB_OK;
    FB_TRY(fb_model_rigid(b, &R, e));
    FB_TRY(fb_mat_new(&KR, R.m, R.n, e));
    FB_TRY(fb_mat_new(&B, R.n, R.n, e));
    FB_TRY(fb_new(&root, b->ndof, 8, "row sums", e));
    FB_TRY(fb_csc_balanced_sums(&b->K, root, e));
    for (int64_t d = 0; d < b->ndof; d++)
        root[d] = sqrt(root[d]);
    for (int64_t c = 0; c < R.n; c++)
        for (int64_t d = 0; d < R.m; d++)
            R.x[d + c * R.m] *= root[d];
    fb_mat_orthonormalise(&R);
    for (int64_t c = 0; c < R.n; c++)
        for (int64_t d = 0; d < R.m; d++)
            R.x[d + c * R.m] = root[d] > 0 ? R.x[d + c * R.m] / root[d] : 0;
    FB_TRY(fb_gemm(0, 0, 1, &K, &R, 0, &KR, e));
    FB_TRY(fb_gemm(1, 0, 1, &R, &KR, 0, &B, e));
    for (int64_t k = 0; k < B.m * B.n; k++)
        sum += B.x[k] * B.x[k];
    if (!(sum > 0 && sqrt(sum) <= noise_most))
        goto out;
    FB_TRY(fb_new(&b->stiffness_noise, 1, sizeof(double), "noise of the stiffness", e));
    *b->stiffness_noise = sqrt(sum);
    (sqrt(sum) > told ? fb_warn : fb_note)(
        log,
        "K resists rigid motion by %.2g of its own size, which is taken for what its condensation "
        "left of zero: a spring to the ground as soft as that counts as none",
        sqrt(sum));
out:
    FB_FREE_BY(fb_mat_free, &R, &KR, &B);
    free(root);
    return s;
}

static fb_status component_modes(fb_model *b, fb_log *log, fb_err *e)
{
    fb_status s = FB_OK;
    if (!is_reduced(b))
        return FB_OK;
    b->nr = b->ndof;
    FB_TRY(dense(&b->K, &b->Kr, e));
    FB_TRY(dense(&b->M, &b->Mr, e));
    FB_TRY(dense(&b->D, &b->Dr, e));
    FB_TRY(dense(&b->S, &b->Sr, e));
    FB_TRY(dense(&b->gyroscopic, &b->Gr, e));
    FB_TRY(dense(&b->N, &b->Nr, e));
    FB_TRY(fb_new(&b->T, b->nr * b->nr, 8, "recovery of a superelement", e));
    FB_TRY(fb_new(&b->kind, b->nr, 8, "kinds", e));
    for (int64_t k = 0; k < b->nr; k++) {
        b->T[k * b->nr + k] = 1;
        b->kind[k] = b->dof_class[k] == FB_DOF_PHYSICAL ? FB_KIND_BOUNDARY : FB_KIND_NORMAL;
    }
    const fb_mat T = {b->ndof, b->nr, b->T};
    FB_TRY(fb_geometric_reduce(b, &T, &b->Kgr, e));
    snprintf(b->method, sizeof b->method, "component modes");
    FB_TRY(condensation_noise(b, log, e));
    s = fb_model_frequencies(b, NULL, e);
    if (s == FB_ESOLVE) { /* massless rotations, or definiteness lost in text of ten digits */
        fb_note(log, "the superelement's frequencies are not known: %s", e->msg);
        s = FB_OK;
    }
    if (s)
        goto out;
    fb_note(log, "a superelement of %lld generalized coordinates", (long long)b->nr);
    FB_TRY(boundary(b, e));
    FB_TRY(connect(b, log, e));
    s = b->connector_node ? fb_model_connectors(b, b->T, e) : FB_OK;
out:
    return s;
}

/* ---- all of it -------------------------------------------------------------------------- */

static void tell_no_places(const fb_join *j)
{
    if (j->p->no_places && !j->b->nn)
        fb_warn(j->log, "%s", j->p->no_places);
}

static fb_status join(fb_join *j, fb_err *e)
{
    int64_t *row[FB_NROLE] = {NULL}, *col[FB_NROLE] = {NULL};
    fb_status s = FB_OK;
    FB_TRY(fb_join_roles(j, e));
    FB_TRY(fb_new(&j->b->asymmetry, FB_D + 1, 8, "asymmetry", e));
    FB_TRY(fb_join_labels(j, row, col, e));
    for (int k = 0; k < FB_NROLE; k++)
        if (j->role[k])
            FB_TRY(fb_join_matrix(j, k, row[k], col[k], e));
    FB_TRY(fb_join_geometric(j, row, e));
    FB_TRY(fb_join_equations(j, e));
    FB_TRY(fb_join_stacks(j, e));
    FB_TRY(fb_join_nodes(j, e));
    FB_TRY(fb_join_modal(j, e));
    tell_no_places(j);
    if (j->modes && j->p->along_axes) /* as the matrices are, before these are turned */
        FB_TRY(fb_join_results(j, e));
    FB_TRY(fb_join_frames(j, e));
    if (j->modes && !j->p->along_axes)
        FB_TRY(fb_join_results(j, e));
    FB_TRY(fb_join_softening(j, e));
    FB_TRY(fb_join_checks(j, e));
    FB_TRY(fb_join_balance(j, e));
    FB_TRY(fb_join_constraints(j, e));
    s = finish(j, e);
out:
    for (int k = 0; k < FB_NROLE; k++)
        FB_FREE(row[k], col[k]);
    return s;
}

static fb_status full_model(fb_parts *p, fb_model *b, const fb_model *modes, fb_log *log, fb_err *e)
{
    fb_join j = {.p = p, .b = b, .modes = modes->nm && p->results[0] ? modes : NULL, .log = log};
    fb_status s = join(&j, e);
    if (!s)
        s = interface(p, b, j.nframe, log, e);
    if (!s)
        s = component_modes(b, log, e);
    join_free(&j);
    return s;
}

static fb_status modal_body(fb_parts *p, fb_model *b, fb_log *log, fb_err *e)
{
    if (!p->body.nn)
        return fb_fail(e, FB_EFORMAT,
                       "the input holds neither matrices nor a modal body: decks and lists of "
                       "nodes go beside the matrices");
    if (p->how.rigid.n + p->how.average.n)
        return fb_fail(e, FB_EUSAGE,
                       "--rigid and --average want matrices; the input is a modal body");
    if (p->how.nloaded)
        return fb_fail(e, FB_EUSAGE,
                       "--geometric goes beside a stiffness matrix; the input is a modal body");
    *b = p->body;
    p->body = (fb_model){0};
    fb_status s = fb_place_shapes(p, b, log, e);
    if (!s)
        s = fb_result_body(p, b, log, e);
    if (!s)
        s = interface(p, b, 0, log, e);
    if (!s && b->interface_dof && b->shape && b->Kr)
        s = fb_model_connectors(b, b->shape, e);
    return s;
}

/* Nodes that a reader put into the body belong to the parts where there are matrices. */
static fb_status nodes_of_body(fb_parts *p, fb_err *e)
{
    fb_model *b = &p->body;
    for (int64_t k = 0; k < b->nn && b->xyz && b->node_id; k++)
        FB_PASS(fb_parts_node(p, b->node_id[k], b->xyz + 3 * k, NULL, e));
    FB_FREE(b->node_id, b->xyz);
    b->node_id = NULL;
    b->xyz = NULL;
    b->nn = 0;
    return FB_OK;
}

/* Matrices that may make a model; those of role OTHER are named by their reader and left. */
static int64_t usable(const fb_parts *p)
{
    int64_t n = 0;
    for (int64_t k = 0; k < p->nmatrix; k++)
        n += p->matrix[k].role != FB_ROLE_OTHER;
    return n;
}

/* Results of a solver beside the matrices: those whose file is known are compared with them. */
static void set_aside(fb_parts *p, fb_model *modes, fb_log *log)
{
    fb_model *b = &p->body, rest = {.units = b->units};
    if (!p->results[0])
        fb_note(log, "%lld modes of results stand beside matrices: not used", (long long)b->nm);
    memcpy(rest.title, b->title, sizeof rest.title);
    memcpy(rest.date, b->date, sizeof rest.date);
    memcpy(rest.producer, b->producer, sizeof rest.producer);
    memcpy(rest.format, b->format, sizeof rest.format);
    *modes = *b;
    *b = rest;
}

fb_status fb_parts_assemble(fb_parts *p, fb_model *b, fb_log *log, fb_err *e)
{
    fb_model m = {0}, modes = {0};
    fb_status s = FB_OK;
    fb_given_count(p);
    fb_parts_units(p, log);
    if (usable(p) && p->modes_yield && !fb_join_lacks_stiffness(p))
        set_aside(p, &modes, log);
    if (usable(p) && p->body.nm)
        FB_TRY(fb_join_shape_mass(p, log, e));
    if (p->nmatrix && !p->body.nm) {
        FB_TRY(fb_parts_label(p, log, e));
        FB_TRY(nodes_of_body(p, e));
        FB_TRY(fb_unite_nodes(p, log, e));
        fb_expanded_classes(p, log);
        FB_TRY(fb_substructure_check(p, log, e));
        memcpy(&m, &p->body, sizeof m); /* units, title, producer, format */
        p->body = (fb_model){0};
        if (!m.units.name[0][0])
            fb_units_unnamed(&m.units);
        FB_TRY(full_model(p, &m, &modes, log, e));
    } else {
        FB_TRY(modal_body(p, &m, log, e));
    }
    FB_TRY(fb_join_faces(p, &m, log, e));
    FB_TRY(fb_join_sets(p, &m, log, e));
    FB_TRY(fb_join_loaded(p, &m, e));
    FB_TRY(fb_model_check(&m, e));
    fb_given_tell(p, !m.K.p, log);
    *b = m;
    m = (fb_model){0};
out:
    FB_FREE_BY(fb_model_free, &m, &modes);
    return s;
}
