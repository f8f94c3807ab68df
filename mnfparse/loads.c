/* SPDX-License-Identifier: GPL-3.0-or-later */
/* loads.c - load vectors of a full model: those of files, and fields that follow from its mass.
 *
 * Symbols  P over the dofs of the model, P_all over those of the input; F the displacement frame of
 *          a node (columns: its axes); G of /recovery, x_all = G x
 * Equations
 *   (LV.1) P_all := F P_all of the three forces and of the three moments of a node: u = F u_local
 *   (LV.2) P = G'P_all: a load on what follows other dofs is theirs, and one on a support is lost
 *   (LV.3) P = M R g of gravity g, R rigid translation of all dofs
 *   (LV.4) P = M a, a = A (u - c) at nodes u of a body that turns at w about c,
 *          A v = -w x (w x v) = (w.w) v - w (w.v)
 *   (LV.5) What a rotation moves has arms r: of a rigid body t x r, of a beam along it. Blocks of M
 *          of translations i and rotations j are B = int dm t x r = -[q]x, q = int dm r, and of two
 *          rotations J = int dm (r.r' 1 - r' r^T). A moves the mass on the arms by A r, too:
 *            force  P_b += A_bc q_c,  q_a = e_bca B_bc
 *            moment P_a += int dm (r x A r')_a = -e_akl A_lm J_mk
 *   (LV.6) Of frames of averages (RBE3) M says nothing of where its mass is: the M of (LV.4) is
 *          that between nodes before them (/recovery/Ms), and (LV.2) brings it to the frames
 * Source   (LV.5) is int N'A u dm where the interpolation N has arms: exact for lumps, rigid
 *          elements and Hermite beams
 * Units    forces and moments of the model; g in length over time^2, w in rad over time
 */
#include "loads.h"
#include "linalg/sparse_ops.h"
#include "memory.h"
#include "number.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

/* ---- the dofs that a load may name ---------------------------------------------------------- */

/* Those of the input, and behind them those of the frames that were made; of the model where none
 * was left out. */
typedef struct {
    int64_t n, nin;                          /* in all, of the input */
    int64_t *node, *component, *class, *own; /* [n]; own: position in /dofs of a frame's */
    fb_ranked *at;                           /* [n] sorted */
} dofs;

static void dofs_free(dofs *d)
{
    FB_FREE(d->node, d->component, d->class, d->own, d->at);
}

static void put(dofs *d, int64_t node, int64_t component, int64_t class, int64_t own)
{
    d->node[d->n] = node;
    d->component[d->n] = component;
    d->class[d->n] = class;
    d->own[d->n++] = own;
}

static fb_status dofs_new(dofs *d, const fb_model *b, fb_err *e)
{
    const int64_t nin = b->G.p ? b->na : 0, most = nin + b->ndof;
    int64_t *id = NULL, n = 0;
    fb_status s = FB_OK;
    *d = (dofs){0};
    FB_TRY(FB_NEW(&d->node, most, e));
    FB_TRY(FB_NEW(&d->component, most, e));
    FB_TRY(FB_NEW(&d->class, most, e));
    FB_TRY(FB_NEW(&d->own, most, e));
    FB_TRY(fb_copy(&id, b->all_node, nin, sizeof *id, "nodes of the input", e));
    n = fb_unique(id, nin);
    for (int64_t k = 0; k < nin; k++)
        put(d, b->all_node[k], b->all_component[k], b->all_class[k], -1);
    for (int64_t k = 0; k < b->ndof; k++)
        if (!nin || fb_sorted_find(id, n, b->dof_node[k]) < 0)
            put(d, b->dof_node[k], b->dof_component[k], b->dof_class[k], k);
    d->nin = nin;
    s = fb_ranked_new(&d->at, d->node, d->component, d->n, e);
out:
    free(id);
    return s;
}

/* -1: there is none. */
static int64_t find(const dofs *d, int64_t node, int64_t component)
{
    return fb_ranked_find(d->at, d->n, node, component);
}

/* A label that stands for several dofs names none of them. */
static fb_status unlike(const dofs *d, const char *name, fb_err *e)
{
    for (int64_t k = 1; k < d->n; k++)
        if (d->at[k].node == d->at[k - 1].node && d->at[k].component == d->at[k - 1].component)
            return fb_fail(e, FB_EFORMAT,
                           "%s: %s is the label of several dofs of the model: give loads without "
                           "labels, a row for each dof of the input in its order",
                           name, fb_name_of(d->at[k].node, d->at[k].component).s);
    return FB_OK;
}

/* place[r]: the dof of row r; -1: the model lacks it. Points of one dof have component 0 or 1. */
static fb_status places(const fb_basis *t, const fb_model *b, const dofs *d, int64_t *place,
                        fb_err *e)
{
    const int64_t *node = t->node, *component = t->component;
    if (!node && t->m == (b->G.p ? b->na : b->ndof)) {
        for (int64_t r = 0; r < t->m; r++)
            place[r] = r;
        return FB_OK;
    }
    FB_PASS(unlike(d, t->name, e));
    if (!node && t->m != b->ndof)
        return fb_basis_misfit(t, t->m, b, e);
    node = node ? node : b->dof_node;
    component = component ? component : b->dof_component;
    for (int64_t r = 0; r < t->m; r++) {
        place[r] = find(d, node[r], component[r]);
        if (place[r] < 0 && component[r] <= 1)
            place[r] = find(d, node[r], 1 - component[r]);
        if (place[r] >= 0 && component[r] <= 1 && component[r] != d->component[place[r]] &&
            d->class[place[r]] != FB_DOF_GENERALIZED)
            place[r] = -1;
    }
    return FB_OK;
}

/* ---- from the input's dofs to the model's --------------------------------------------------- */

/* (LV.1), of nodes whose three directions are all there: the matrices were turned so. */
static void turn(const fb_parts *p, const fb_model *b, const dofs *d, double *P)
{
    if (!p || !p->frame || !b->K.p)
        return;
    const int64_t made = p->how.rigid.n + p->how.average.n; /* nodes, which stand last */
    for (int64_t k = 0; k < b->nn - made; k++) {
        const double *F = p->frame + 9 * k;
        for (int first = 1; first < 7; first += 3) {
            int64_t at[3];
            int there = 1;
            for (int c = 0; c < 3; c++) {
                at[c] = find(d, b->node_id[k], first + c);
                there = there && at[c] >= 0 && d->class[at[c]] == FB_DOF_PHYSICAL;
            }
            if (!there)
                continue;
            fb_frame_turn(F, P + at[0], P + at[1], P + at[2]);
        }
    }
}

/* (LV.2) */
static fb_status add(fb_model *b, const char *name, const dofs *d, const double *P, fb_err *e)
{
    double *x = NULL;
    FB_PASS(FB_NEW(&x, b->ndof, e));
    if (b->G.p)
        fb_csc_tmul(&b->G, P, b->na, x, b->ndof, 1);
    for (int64_t k = d->nin; k < d->n; k++)
        x[d->own[k]] += P[k];
    fb_status s = fb_model_add_vector(b, name, x, e);
    free(x);
    return s;
}

static fb_status one(const fb_basis *t, const double *x, const int64_t *place, int64_t c, double *P,
                     fb_err *e)
{
    char list[200] = "";
    int64_t lacking = 0;
    for (int64_t r = 0; r < t->m; r++) {
        if (!isfinite(x[r]))
            return fb_fail(e, FB_EFORMAT, "%s: load %lld is not finite in row %lld", t->name,
                           (long long)c + 1, (long long)r + 1);
        if (place[r] >= 0)
            P[place[r]] += x[r];
        else if (x[r] != 0)
            fb_name_list(list, sizeof list, ++lacking, t->node ? t->node[r] : 0,
                         t->node ? t->component[r] : r + 1);
    }
    return lacking ? fb_fail(e, FB_EFORMAT,
                             "%s: load %lld is at dofs that the model has not:%s; matrices and "
                             "loads want the same dofs",
                             t->name, (long long)c + 1, list)
                   : FB_OK;
}

/* The name of the file without folder and ending. */
static void stem(const char *path, char *out, size_t n)
{
    const char *base = strrchr(path, '/');
    base = base ? base + 1 : path;
    snprintf(out, n, "%.*s", (int)strcspn(base, "."), base);
}

fb_status fb_loads_join(const fb_basis *t, const fb_parts *p, const char *name, fb_model *b,
                        fb_log *log, fb_err *e)
{
    char base[60], text[FB_NAME];
    int64_t *place = NULL;
    double *P = NULL;
    dofs d = {0};
    fb_status s = FB_OK;
    if (!b->dof_node || !b->ndof)
        FB_TRY(
            fb_fail(e, FB_EUSAGE, "--load goes beside matrices or modes; the input has neither"));
    if (t->n == 0)
        FB_TRY(fb_fail(e, FB_EFORMAT, "%s: no loads", t->name));
    if (*name || t->matrix[0])
        snprintf(base, sizeof base, "%.59s", *name ? name : t->matrix);
    else
        stem(t->name, base, sizeof base);
    FB_TRY(dofs_new(&d, b, e));
    FB_TRY(FB_NEW(&place, t->m, e));
    FB_TRY(places(t, b, &d, place, e));
    FB_TRY(FB_NEW(&P, d.n, e));
    for (int64_t c = 0; c < t->n; c++) {
        memset(P, 0, sizeof *P * (size_t)d.n);
        FB_TRY(one(t, t->x + c * t->m, place, c, P, e));
        if (t->along_axes)
            turn(p, b, &d, P);
        if (t->n > 1)
            snprintf(text, sizeof text, "%.58s#%lld", base, (long long)c + 1);
        else
            snprintf(text, sizeof text, "%s", base);
        FB_TRY(add(b, text, &d, P, e));
    }
    FB_TRY(fb_model_check(b, e));
    fb_note(log, "%s: %lld load vector%s %s over %lld dofs", t->name, (long long)t->n,
            t->n > 1 ? "s" : "", base, (long long)b->ndof);
out:
    FB_FREE(place, P);
    dofs_free(&d);
    return s;
}

/* ---- fields of acceleration ---------------------------------------------------------------- */

static fb_status need_mass(const fb_model *b, const char *text, fb_err *e)
{
    if (b->M.p)
        return FB_OK;
    return fb_fail(e, FB_EUSAGE, "--load %s is made of a mass matrix; the input has none", text);
}

/* (LV.3) */
static fb_status gravity(fb_model *b, const char *text, const char *name, const double g[3],
                         fb_err *e)
{
    fb_rigid_motion r = {0};
    double *a = NULL, *P = NULL;
    fb_status s = FB_OK;
    FB_TRY(need_mass(b, text, e));
    FB_TRY(fb_rigid_motion_new(b, INT64_MAX, &r, e));
    if (r.move != FB_RIGID_KNOWN)
        FB_TRY(fb_fail(e, FB_EFORMAT,
                       "--load %s: the rigid motion of the body is not known: there are dofs that "
                       "nothing places (coordinates: mnfparse --nodes FILE)",
                       text));
    FB_TRY(FB_NEW(&a, b->ndof, e));
    FB_TRY(FB_NEW(&P, b->ndof, e));
    for (int k = 0; k < 3; k++)
        fb_axpy(g[k], r.R.x + k * b->ndof, a, b->ndof);
    FB_TRY(fb_csc_mul_many(&b->M, &(fb_mat){b->ndof, 1, a}, &(fb_mat){b->ndof, 1, P}, e));
    s = fb_model_add_vector(b, name, P, e);
out:
    fb_rigid_motion_free(&r);
    FB_FREE(a, P);
    return s;
}

/* A of (LV.4) */
static void outward(const double w[3], double A[9])
{
    const double ww = w[0] * w[0] + w[1] * w[1] + w[2] * w[2];
    for (int q = 0; q < 9; q++)
        A[q] = (q % 4 == 0) * ww - w[q / 3] * w[q % 3];
}

/* e_abc of three different axes */
static double sign_of(int64_t a, int64_t b)
{
    return (a + 1) % 3 == b ? 1 : -1;
}

/* Mass on arms. */
typedef struct {
    const fb_model *b;
    const int64_t *place; /* of each dof */
    int64_t *dof;         /* [nn,6] of each node; -1: it has none */
    double A[9];          /* (LV.4) */
} arms;

/* (LV.5) of the entry M of row r and column c. Where the node has both directions that see an arm
 * along the third, that is their mean. */
static void on_arm(const arms *x, int64_t r, int64_t c, double M, double *P)
{
    const int64_t i = x->place[r], j = x->place[c], row = x->b->dof_component[r] - 1,
                  turn = x->b->dof_component[c] - 4;
    if (i < 0 || j < 0 || row < 0 || row > 5 || turn < 0 || turn > 2)
        return;
    const int64_t *own = x->dof + 6 * i, *other = x->dof + 6 * j;
    if (row < 3 && row != turn) {
        const int64_t arm = 3 - row - turn;
        const double q = sign_of(row, turn) * M;
        P[r] += x->A[3 * row + arm] * q;
        if (own[arm] >= 0)
            P[own[arm]] += x->A[4 * arm] * q / (own[turn] >= 0 && other[3 + row] >= 0 ? 2 : 1);
    }
    for (int64_t l = 0; row > 2 && l < 3; l++) {
        const int64_t a = 3 - turn - l;
        if (l != turn && own[3 + a] >= 0)
            P[own[3 + a]] -= sign_of(a, turn) * x->A[3 * l + row - 3] * M;
    }
}

static fb_status on_arms(const fb_model *b, const int64_t *place, const double A[9], double *P,
                         fb_err *e)
{
    arms x = {.b = b, .place = place};
    memcpy(x.A, A, sizeof x.A);
    FB_PASS(FB_NEW(&x.dof, 6 * b->nn, e));
    memset(x.dof, 0xff, sizeof *x.dof * 6 * (size_t)b->nn);
    for (int64_t d = 0; d < b->ndof; d++)
        if (place[d] >= 0 && b->dof_component[d] >= 1 && b->dof_component[d] <= 6)
            x.dof[6 * place[d] + b->dof_component[d] - 1] = d;
    for (int64_t c = 0; c < b->M.n; c++)
        for (int64_t q = b->M.p[c]; q < b->M.p[c + 1]; q++) {
            const int64_t r = b->M.i[q];
            on_arm(&x, r, c, b->M.x[q], P);
            if (b->M.upper && r != c)
                on_arm(&x, c, r, b->M.x[q], P);
        }
    free(x.dof);
    return FB_OK;
}

/* (LV.6): does a dof with mass follow others of the input, as those of --average do? */
static fb_status averaged(const fb_model *b, int *is, fb_err *e)
{
    int64_t *id = NULL, n = 0;
    double *m = NULL;
    fb_index x = {0};
    fb_status s = FB_OK;
    *is = 0;
    if (!b->Ms.p || !b->G.p)
        return FB_OK;
    FB_TRY(fb_index_new(&x, b->node_id, b->nn, "/nodes/id", e));
    FB_TRY(FB_NEW(&m, b->nn, e));
    fb_csc_diagonal(&b->Ms, m);
    FB_TRY(fb_copy(&id, b->all_node, b->na, sizeof *id, "nodes of the input", e));
    n = fb_unique(id, b->na);
    for (int64_t k = 0; k < b->ndof; k++)
        for (int64_t q = b->G.p[k]; q < b->G.p[k + 1]; q++) {
            const int64_t d = b->G.i[q], p = fb_index_find(&x, b->all_node[d]);
            *is |= fb_sorted_find(id, n, b->dof_node[k]) >= 0 && p >= 0 && m[p] > 0 &&
                   (b->all_node[d] != b->dof_node[k] || b->all_component[d] != b->dof_component[k]);
        }
out:
    fb_index_free(&x);
    FB_FREE(id, m);
    return s;
}

/* (LV.6) of the mass between nodes, before frames: over the dofs of the input. */
static fb_status before_frames(fb_model *b, const double *a, const char *name, fb_err *e)
{
    double *P = NULL, *F = NULL;
    dofs d = {0};
    fb_status s = FB_OK;
    FB_TRY(dofs_new(&d, b, e));
    FB_TRY(FB_NEW(&P, d.n, e));
    FB_TRY(FB_NEW(&F, 3 * b->nn, e));
    FB_TRY(fb_csc_mul_many(&b->Ms, &(fb_mat){b->nn, 3, (double *)(uintptr_t)a},
                           &(fb_mat){b->nn, 3, F}, e));
    for (int64_t k = 0; k < b->nn; k++)
        for (int c = 0; c < 3; c++) {
            const int64_t at = find(&d, b->node_id[k], 1 + c);
            if (at >= 0)
                P[at] = F[k + c * b->nn];
        }
    s = add(b, name, &d, P, e);
out:
    FB_FREE(P, F);
    dofs_free(&d);
    return s;
}

/* A dof of which no one knows where it is may not carry mass. */
static fb_status placed(const fb_model *b, const int64_t *place, const char *text, fb_err *e)
{
    char list[200] = "";
    int64_t n = 0;
    for (int64_t j = 0; j < b->M.n; j++)
        for (int64_t q = b->M.p[j]; q < b->M.p[j + 1]; q++)
            if (b->M.i[q] == j && b->M.x[q] != 0 && place[j] < 0 &&
                b->dof_class[j] != FB_DOF_MULTIPLIER)
                fb_name_list(list, sizeof list, ++n, b->dof_node[j], b->dof_component[j]);
    return n ? fb_fail(e, FB_EFORMAT,
                       "--load %s: %lld dofs have mass and no place, so the field there is not "
                       "known:%s (coordinates: mnfparse --nodes FILE; of a reduced body: make the "
                       "load where its full model is)",
                       text, (long long)n, list)
             : FB_OK;
}

static fb_status centrifugal(fb_model *b, const char *text, const char *name, const double w[3],
                             const double c[3], fb_err *e)
{
    int64_t *place = NULL;
    double *a = NULL, *P = NULL, *at = NULL, A[9];
    int mean = 0;
    fb_status s = FB_OK;
    FB_TRY(need_mass(b, text, e));
    if (!b->xyz)
        FB_TRY(fb_fail(e, FB_EFORMAT,
                       "--load %s wants coordinates of the nodes (mnfparse --nodes FILE)", text));
    FB_TRY(fb_node_places(b, &place, e));
    FB_TRY(placed(b, place, text, e));
    FB_TRY(FB_NEW(&at, 3 * b->nn, e));
    outward(w, A);
    for (int64_t k = 0; k < b->nn; k++)
        for (int q = 0; q < 3; q++)
            for (int l = 0; l < 3; l++)
                at[k + q * b->nn] += A[3 * q + l] * (b->xyz[3 * k + l] - c[l]);
    FB_TRY(averaged(b, &mean, e));
    if (mean) {
        s = before_frames(b, at, name, e);
        goto out;
    }
    FB_TRY(FB_NEW(&a, b->ndof, e));
    FB_TRY(FB_NEW(&P, b->ndof, e));
    for (int64_t d = 0; d < b->ndof; d++)
        if (place[d] >= 0 && b->dof_component[d] >= 1 && b->dof_component[d] <= 3)
            a[d] = at[place[d] + (b->dof_component[d] - 1) * b->nn];
    FB_TRY(fb_csc_mul_many(&b->M, &(fb_mat){b->ndof, 1, a}, &(fb_mat){b->ndof, 1, P}, e));
    FB_TRY(on_arms(b, place, A, P, e));
    s = fb_model_add_vector(b, name, P, e);
out:
    FB_FREE(place, a, P, at);
    return s;
}

fb_status fb_loads_field(const char *text, const char *name, fb_model *b, int *is, fb_log *log,
                         fb_err *e)
{
    const int turns = !strncasecmp(text, "centrifugal:", 12);
    const char *own = turns ? "centrifugal" : "gravity", *p = text + strlen(own) + 1,
               *end = text + strlen(text), *at = NULL;
    double v[3] = {0}, c[3] = {0};
    *is = turns || !strncasecmp(text, "gravity:", 8);
    if (!*is)
        return FB_OK;
    at = turns ? strchr(p, '@') : NULL;
    if (fb_scan_reals(p, at ? at : end, v, 3) != 3 || (at && fb_scan_reals(at + 1, end, c, 3) != 3))
        return fb_fail(e, FB_EUSAGE, "--load %s: %s is wanted", text,
                       turns ? "centrifugal:X,Y,Z or centrifugal:X,Y,Z@X,Y,Z, angular velocity and "
                               "a point of the axis,"
                             : "gravity:X,Y,Z, an acceleration,");
    name = *name ? name : own;
    FB_PASS(turns ? centrifugal(b, text, name, v, c, e) : gravity(b, text, name, v, e));
    FB_PASS(fb_model_check(b, e));
    fb_note(log, "load vector %s: the field %s of the mass matrix", b->vector_name[b->nvector - 1],
            text);
    return FB_OK;
}
