/* SPDX-License-Identifier: GPL-3.0-or-later */
/* body.c - what the writers ask of a body, and what they derive from it. */
#include "dofset.h"
#include "memory.h"
#include "body.h"
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Largest deviation from unit mass that an orthonormalised body shows after text formats. */
static const double unit_tolerance = 1e-8;
/* Share by which the mass along x, y and z differs before one number does not state it. */
static const double one_mass = 1e-3;

/* ---- demands ------------------------------------------------------------------------------ */

fb_status fb_need_modes(const fb_model *b, const char *who, fb_err *e)
{
    const char *missing = !b->Kr || !b->Mr ? "generalized stiffness and mass (/reduced)"
                          : !fb_shapes(b) || !b->dof_node || !b->dof_component
                              ? "shapes (/reduced/T with /dofs)"
                          : !b->node_id || !b->xyz ? "node positions (/nodes)"
                                                   : NULL;
    return missing ? fb_fail(e, FB_EFORMAT,
                             "%s wants %s, which the body lacks: run mnfparse | reduce first (and "
                             "keep them: linkexport --with-T)",
                             who, missing)
                   : FB_OK;
}

fb_status fb_need_invariants(const fb_model *b, const char *who, fb_err *e)
{
    for (int k = 1; k <= 11; k++)
        if (!b->I[k])
            return fb_fail(e, FB_EFORMAT,
                           "%s wants the inertia invariants, I%d is missing: run the body through "
                           "invariants first",
                           who, k);
    return FB_OK;
}

fb_status fb_rigid_modes(const fb_model *b, int64_t *n, fb_err *e)
{
    fb_mat K = {b->nr, b->nr, b->Kr}, M = {b->nr, b->nr, b->Mr}, V = {0};
    double *lambda = NULL;
    char *rigid = NULL;
    fb_status s = FB_OK;
    *n = 0;
    for (int64_t k = 0; b->frequency && k < b->nr; k++)
        *n += !(b->frequency[k] < 0 || b->frequency[k] > 0);
    if (b->frequency) /* by the tool that knew the full stiffness */
        return FB_OK;
    FB_TRY(fb_new(&lambda, b->nr, 8, "eigenvalues", e));
    FB_TRY(fb_new(&rigid, b->nr, 1, "rigid modes", e));
    FB_TRY(fb_eig_dense(&K, &M, lambda, &V, e));
    s = fb_rigid_find(b, lambda, &V, rigid, n, e);
out:
    fb_mat_free(&V);
    FB_FREE(lambda, rigid);
    return s;
}

fb_status fb_need_held(const fb_model *b, const char *who, fb_err *e)
{
    int64_t n = 0;
    fb_status s = fb_rigid_modes(b, &n, e);
    if (s)
        return fb_context(e, "%s wants a positive definite pair K, M", who);
    if (n)
        return fb_fail(
            e, FB_EFORMAT,
            "%s wants modes that hold no rigid motion, the body has %lld: fix the node of the "
            "reference frame by reduce --fix NODE%s",
            who, (long long)n,
            n < 6 ? ", and more where that node lacks dofs: what is held so far is a hinge" : "");
    return FB_OK;
}

fb_status fb_need_normalised(const fb_model *b, const char *who, fb_err *e)
{
    for (int64_t i = 0; i < b->nr; i++)
        for (int64_t j = 0; j < b->nr; j++)
            if (fabs(b->Mr[i * b->nr + j] - (i == j)) > unit_tolerance)
                return fb_fail(e, FB_EFORMAT,
                               "%s takes the generalized mass as the unit matrix, M(%lld,%lld) is "
                               "%g: run reduce with --orthonormalize",
                               who, (long long)i + 1, (long long)j + 1, b->Mr[i * b->nr + j]);
    return FB_OK;
}

fb_status fb_need_si(const fb_model *b, const char *who, fb_err *e)
{
    for (int k = 0; k < FB_NUNIT; k++)
        if (b->units.factor[k] != 1 && b->units.factor[k] != 0)
            return fb_fail(
                e, FB_EFORMAT,
                "%s is in SI units, this body's unit of %s is %s: convert it by --units SI", who,
                fb_unit_kinds[k], b->units.name[k]);
    return FB_OK;
}

int fb_mass_left_behind(const fb_model *b)
{
    return !b->M.p && !b->Ms.p && b->mass_treatment[0] && strcmp(b->mass_treatment, "nodal") != 0;
}

fb_inertia_set fb_inertia_of(const fb_model *b)
{
    return (fb_inertia_set){b->I[1], b->I[2], b->I[3], b->I[4], b->I[7], NULL, b->Mr};
}

/* One mass stands for those along x, y and z of the mass matrix, or for the largest, where nodes
 * lack dofs that invariants fills (plane elements, supports): warned of. One that is neither is
 * refused (strict) where a direction has less than half of the largest. */
static fb_status judge_mass(const fb_model *b, double stated, const char *who, int strict,
                            fb_log *log, fb_err *e)
{
    const double *m = b->total_mass;
    static const char says[] =
        "%s states one mass, %.10g %s, for a body whose mass matrix has %.10g "
        "along x, %.10g along y and %.10g along z%s";
    if (!m)
        return FB_OK;
    const double high = fmax(m[0], fmax(m[1], m[2])), low = fmin(m[0], fmin(m[1], m[2]));
    if (low >= high * (1 - one_mass))
        return FB_OK;
    if (strict && low < high / 2 && fabs(stated - high) > one_mass * high)
        return fb_fail(e, FB_EFORMAT, says, who, stated, b->units.name[FB_MASS], m[0], m[1], m[2],
                       ": no number says that; give the mass in all directions");
    fb_warn(log, says, who, stated, b->units.name[FB_MASS], m[0], m[1], m[2], "");
    return FB_OK;
}

static fb_status judge_inertia(const fb_model *b, const fb_inertia_set *at, const char *who,
                               const char *why, int strict, fb_log *log, fb_err *e)
{
    static const char says[] =
        "its reader would build an inertia of rigid and elastic motion that is negative at rest";
    double low = 0;
    fb_status s = fb_composite_rest(b, at, &low, e);
    if (s || low >= -fb_composite_zero)
        return s;
    if (strict)
        return fb_fail(e, FB_EFORMAT, "%s: %s (%.2g of a unit diagonal): %s", who, says, low, why);
    fb_warn(log, "%s: %s (%.2g of a unit diagonal): %s", who, says, low, why);
    return FB_OK;
}

static const char foreign_lumps[] = "the nodal masses do not belong to the generalized mass";

fb_status fb_need_inertia(const fb_model *b, const fb_inertia_set *at, const char *who, int strict,
                          fb_log *log, fb_err *e)
{
    const int stated = b->mass_treatment[0] ? !strcmp(b->mass_treatment, "nodal") : !b->M.p;
    if (at->I1)
        FB_PASS(judge_mass(b, at->I1[0], who, strict, log, e));
    return judge_inertia(b, at, who,
                         stated ? foreign_lumps
                                : "invariants of an older release (run the body through invariants "
                                  "again), or supports in the mass matrix",
                         strict && !stated, log, e);
}

/* x [13 + 6 m]: I1, I2, I7, I3, I4 as sums over the nodal masses and the diagonals of the nodal
 * inertias. */
static fb_status lumped_sums(const fb_model *b, double *x, fb_err *e)
{
    const int64_t m = b->nr;
    double *y = NULL, *I2 = x + 1, *I7 = x + 4, *I3 = x + 13, *I4 = I3 + 3 * m;
    fb_status s = fb_node_shapes(b, b->node_id, b->nn, &y, e);
    for (int64_t p = 0; !s && p < b->nn; p++) {
        const double *u = b->xyz + 3 * p, *f = y + 6 * p * m, w = b->node_mass[p],
                     uu = u[0] * u[0] + u[1] * u[1] + u[2] * u[2];
        x[0] += w;
        for (int a = 0; a < 3; a++) {
            const int c = (a + 1) % 3, d = (a + 2) % 3;
            const double J = b->node_inertia ? b->node_inertia[9 * p + 4 * a] : 0;
            I2[a] += w * u[a];
            I7[4 * a] += w * uu + J;
            for (int z = 0; z < 3; z++)
                I7[3 * a + z] -= w * u[a] * u[z];
            for (int64_t k = 0; k < m; k++) {
                I3[a * m + k] += w * f[a * m + k];
                I4[a * m + k] +=
                    w * (u[c] * f[d * m + k] - u[d] * f[c * m + k]) + J * f[(3 + a) * m + k];
            }
        }
    }
    free(y);
    return s;
}

fb_status fb_need_lumps(const fb_model *b, const double *M, const char *who, int strict,
                        fb_log *log, fb_err *e)
{
    double *x = NULL;
    fb_status s = FB_OK;
    FB_TRY(fb_new(&x, 13 + 6 * b->nr, 8, "sums over nodal masses", e));
    FB_TRY(lumped_sums(b, x, e));
    const fb_inertia_set at = {x, x + 1, x + 13, x + 13 + 3 * b->nr, x + 4, NULL, M};
    FB_TRY(judge_mass(b, x[0], who, 1, log, e));
    s = judge_inertia(b, &at, who, foreign_lumps, strict && b->M.p, log, e);
out:
    free(x);
    return s;
}

/* ---- shapes ------------------------------------------------------------------------------- */

const double *fb_shapes(const fb_model *b)
{
    return b->T ? b->T : b->nm == b->nr && b->ndof == 6 * b->nn ? b->shape : NULL;
}

fb_status fb_node_shapes(const fb_model *b, const int64_t *node, int64_t n, double **x, fb_err *e)
{
    fb_shaper z = {0};
    double *y = NULL, *column = NULL;
    fb_status s = FB_OK;
    FB_TRY(fb_shaper_new(&z, b, fb_shapes(b), node, n, e));
    FB_TRY(fb_new(&y, 6 * n * b->nr, sizeof *y, "shapes of the nodes", e));
    FB_TRY(fb_new(&column, 6 * n, sizeof *column, "a shape", e));
    for (int64_t k = 0; k < b->nr; k++) {
        fb_shaper_column(&z, k, column);
        for (int64_t d = 0; d < 6 * n; d++)
            y[d * b->nr + k] = column[d];
    }
    *x = y;
    y = NULL;
out:
    FB_FREE(y, column);
    fb_shaper_free(&z);
    return s;
}

fb_status fb_exposed_nodes(const fb_model *b, int all, fb_nodes *x, fb_err *e)
{
    const int connectors = !all && b->connector_node && b->connector_position && b->nc > 0;
    fb_nodes t = {.n = connectors ? b->nc : b->nn};
    fb_status s = FB_OK;
    FB_TRY(fb_copy(&t.node, connectors ? b->connector_node : b->node_id, t.n, 8, "nodes", e));
    FB_TRY(fb_copy(&t.xyz, connectors ? b->connector_position : b->xyz, 3 * t.n, 8, "nodes", e));
    *x = t;
    t = (fb_nodes){0};
out:
    fb_nodes_free(&t);
    return s;
}

void fb_nodes_free(fb_nodes *x)
{
    FB_FREE(x->node, x->xyz);
    *x = (fb_nodes){0};
}

/* ---- coordinates that are displacements ----------------------------------------------------- */

static fb_status name_coords(const fb_model *b, const double *T, fb_coords *c, fb_err *e)
{
    int64_t *dof = NULL;
    fb_status s = FB_OK;
    FB_TRY(fb_new(&dof, b->nr, 8, "coordinates", e));
    FB_TRY(fb_coordinate_dofs(b, T, dof, e));
    for (int64_t k = 0; k < b->nr; k++) {
        const int64_t d = dof[k];
        if (d < 0)
            continue;
        c->node[k] = b->dof_node[d];
        c->component[k] = b->dof_component[d];
        /* One but for the round-off of the shapes is one: the matrices stay as they are. */
        c->scale[k] = fabs(T[d + k * b->ndof] - 1) < 1e-9 ? 1 : T[d + k * b->ndof];
    }
out:
    free(dof);
    return s;
}

fb_status fb_coords_new(const fb_model *b, const char *who, fb_coords *out, fb_err *e)
{
    fb_coords c = {.nr = b->nr};
    int64_t modal = 0;
    fb_status s = FB_OK;
    FB_TRY(fb_new(&c.node, c.nr, 8, "coordinates", e));
    FB_TRY(fb_new(&c.component, c.nr, 8, "coordinates", e));
    FB_TRY(fb_new(&c.scale, c.nr, 8, "coordinates", e));
    if (b->kind && fb_shapes(b))
        FB_TRY(name_coords(b, fb_shapes(b), &c, e));
    for (int64_t k = 0; k < c.nr; k++) {
        if (c.node[k]) {
            c.nb++;
        } else if (b->kind && b->kind[k] == FB_KIND_BOUNDARY) {
            s = fb_fail(e, FB_EFORMAT,
                        "%s: constraint mode %lld is the displacement of no single dof", who,
                        (long long)k + 1);
            goto out;
        } else {
            c.component[k] = ++modal;
            c.scale[k] = 1;
        }
    }
    if (!c.nb)
        FB_TRY(fb_fail(e, FB_EFORMAT,
                       "%s wants coordinates that are displacements of interface dofs, the body "
                       "has none: run reduce --cb N without --orthonormalize",
                       who));
    *out = c;
    c = (fb_coords){0};
out:
    fb_coords_free(&c);
    return s;
}

void fb_coords_free(fb_coords *c)
{
    FB_FREE(c->node, c->component, c->scale);
    *c = (fb_coords){0};
}

fb_status fb_coords_labels(const fb_model *b, int64_t **node, int64_t **component, fb_err *e)
{
    fb_coords c = {.nr = b->nr};
    fb_status s = FB_OK;
    *node = *component = NULL;
    if (!b->Kr)
        return FB_OK;
    FB_TRY(fb_new(&c.node, c.nr, 8, "coordinates", e));
    FB_TRY(fb_new(&c.component, c.nr, 8, "coordinates", e));
    FB_TRY(fb_new(&c.scale, c.nr, 8, "coordinates", e));
    if (b->coordinate_node && b->coordinate_component) {
        memcpy(c.node, b->coordinate_node, sizeof *c.node * (size_t)c.nr);
        memcpy(c.component, b->coordinate_component, sizeof *c.component * (size_t)c.nr);
    } else if (b->kind && b->dof_node && b->dof_component && fb_shapes(b)) {
        FB_TRY(name_coords(b, fb_shapes(b), &c, e));
    }
    *node = c.node;
    *component = c.component;
    c.node = c.component = NULL;
out:
    fb_coords_free(&c);
    return s;
}

fb_status fb_coords_six(const fb_coords *c, int64_t node, const char *who, int64_t six[6],
                        fb_err *e)
{
    for (int k = 0; k < 6; k++)
        six[k] = -1;
    for (int64_t k = 0; k < c->nr; k++) {
        if (c->node[k] != node)
            continue;
        if (c->component[k] < 1 || c->component[k] > 6)
            return fb_fail(e, FB_EFORMAT,
                           "%s holds displacements and rotations of interface nodes alone, and no "
                           "dof %s",
                           who, fb_name_of(node, c->component[k]).s);
        six[c->component[k] - 1] = k;
    }
    for (int k = 0; k < 6; k++)
        if (six[k] < 0)
            return fb_fail(e, FB_EFORMAT,
                           "%s wants all six dofs of each interface node, %s is missing: give "
                           "reduce an --interface of whole nodes with rotations",
                           who, fb_name_of(node, k + 1).s);
    return FB_OK;
}

fb_status fb_coords_matrix(const fb_coords *c, const double *A, const int64_t *order, int symmetric,
                           double **out, fb_err *e)
{
    int64_t n = c->nr;
    fb_mat B = {0};
    FB_PASS(fb_mat_new(&B, n, n, e));
    for (int64_t j = 0; j < n; j++)
        for (int64_t i = 0; i < n; i++) {
            int64_t p = order ? order[i] : i, q = order ? order[j] : j;
            B.x[i + j * n] = A[p * n + q] / (c->scale[p] * c->scale[q]);
        }
    if (symmetric)
        fb_mat_symmetrise(&B);
    *out = B.x;
    return FB_OK;
}

fb_status fb_coords_loads(const fb_model *b, const fb_coords *c, double **P, fb_err *e)
{
    if (!b->load || !b->nload)
        return FB_OK;
    FB_PASS(fb_copy(P, b->load, b->nload * b->nr, sizeof **P, "loads", e));
    for (int64_t k = 0; k < b->nload * b->nr; k++)
        (*P)[k] /= c->scale[k % b->nr];
    return FB_OK;
}

const char *fb_load_name(const fb_model *b, int64_t k, char out[FB_NAME])
{
    if (b->load_name && b->load_name[k][0])
        snprintf(out, FB_NAME, "%.79s", b->load_name[k]);
    else
        snprintf(out, FB_NAME, "%lld", (long long)k + 1);
    return out;
}

fb_status fb_free_nodes(const fb_model *b, int64_t n, int64_t most, int64_t *first, fb_err *e)
{
    int64_t *id = NULL, free_from = 1, k = 0;
    FB_PASS(fb_copy(&id, b->node_id, b->nn, sizeof *id, "node numbers", e));
    int64_t all = fb_unique(id, b->nn), top = all && id[all - 1] > 0 ? id[all - 1] : 0;
    for (; k < all && (id[k] < free_from || id[k] < free_from + n); k++)
        free_from = id[k] < free_from ? free_from : id[k] + 1;
    *first = top + n <= most ? top + 1 : free_from + n - 1 <= most ? free_from : 0;
    free(id);
    return FB_OK;
}

/* N of --modal-base, where the n numbers from there are no nodes of the body. */
static fb_status given_base(const fb_model *b, const char *base, int64_t n, int64_t most,
                            int64_t *first, fb_err *e)
{
    char *end = NULL;
    errno = 0;
    const long long k = strtoll(base, &end, 10);
    if (end == base || *end || errno || k < 1 || k > most - n + 1)
        return fb_fail(e, FB_EUSAGE,
                       "--modal-base wants a number from 1 to %lld, for %lld modal coordinates up "
                       "to %lld, not '%s'",
                       (long long)(most - n + 1), (long long)n, (long long)most, base);
    for (int64_t p = 0; p < b->nn; p++)
        if (b->node_id[p] >= k && b->node_id[p] < k + n)
            return fb_fail(e, FB_EUSAGE,
                           "--modal-base %lld: the %lld modal coordinates would have the number of "
                           "node %lld",
                           k, (long long)n, (long long)b->node_id[p]);
    *first = k;
    return FB_OK;
}

fb_status fb_labelled_new(const fb_model *b, const char *who, int64_t modal_component, int64_t most,
                          const char *base, fb_labelled *out, fb_log *log, fb_err *e)
{
    fb_labelled l = {0};
    int64_t top = 0;
    fb_status s = FB_OK;
    FB_TRY(fb_need_modes(b, who, e));
    FB_TRY(fb_coords_new(b, who, &l.c, e));
    if (base && l.c.nb == b->nr)
        fb_warn(log, "--modal-base %s: the body has no modal coordinates, which it would number",
                base);
    FB_TRY(base ? given_base(b, base, b->nr - l.c.nb, most, &l.first_modal, e)
                : fb_free_nodes(b, b->nr - l.c.nb, most, &l.first_modal, e));
    for (int64_t k = 0; k < b->nr; k++)
        top = l.c.node[k] > top ? l.c.node[k] : top;
    if (top > most || !l.first_modal)
        FB_TRY(fb_fail(e, FB_EFORMAT,
                       "%s holds node numbers up to %lld: interface nodes have up to %lld, and "
                       "%lld free ones in a row are wanted for modal coordinates",
                       who, (long long)most, (long long)top, (long long)(b->nr - l.c.nb)));
    FB_TRY(fb_new(&l.node, b->nr, 8, "labels", e));
    FB_TRY(fb_new(&l.component, b->nr, 8, "labels", e));
    for (int64_t k = 0; k < b->nr; k++) {
        l.node[k] = l.c.node[k] ? l.c.node[k] : l.first_modal + l.c.component[k] - 1;
        l.component[k] = l.c.node[k] ? l.c.component[k] : modal_component;
    }
    FB_TRY(fb_coords_matrix(&l.c, b->Kr, NULL, !b->Nr, &l.K, e));
    FB_TRY(fb_coords_matrix(&l.c, b->Mr, NULL, 1, &l.M, e));
    if (b->Dr)
        FB_TRY(fb_coords_matrix(&l.c, b->Dr, NULL, 0, &l.D, e));
    if (b->Sr)
        FB_TRY(fb_coords_matrix(&l.c, b->Sr, NULL, 1, &l.S, e));
    if (b->Gr)
        FB_TRY(fb_coords_matrix(&l.c, b->Gr, NULL, 0, &l.G, e));
    FB_TRY(fb_coords_loads(b, &l.c, &l.P, e));
    *out = l;
    l = (fb_labelled){0};
out:
    fb_labelled_free(&l);
    return s;
}

void fb_labelled_free(fb_labelled *l)
{
    fb_coords_free(&l->c);
    FB_FREE(l->node, l->component, l->K, l->M, l->D, l->S, l->G, l->P);
    *l = (fb_labelled){0};
}

void fb_labelled_head(const fb_model *b, const fb_labelled *l, const char *mark, fb_buf *o)
{
    fb_put_text(o, "%s flexbody: %lld coordinates, %lld of them interface dofs; units %s\n", mark,
                (long long)b->nr, (long long)l->c.nb, fb_units_list(&b->units).s);
}

int fb_symmetric(const double *A, int64_t n)
{
    return fb_mat_is_symmetric(&(fb_mat){n, n, (double *)(uintptr_t)A}); /* only read */
}

const double *fb_position(const fb_model *b, const fb_index *x, int64_t node)
{
    int64_t p = fb_index_find(x, node);
    return p >= 0 ? b->xyz + 3 * p : NULL;
}

fb_status fb_need_position(const fb_model *b, const fb_index *x, int64_t node, const char *who,
                           const double **u, fb_err *e)
{
    *u = fb_position(b, x, node);
    return *u ? FB_OK
              : fb_fail(e, FB_EFORMAT,
                        "%s: interface node %lld has no coordinates (/nodes): mnfparse --nodes "
                        "FILE gives them",
                        who, (long long)node);
}

void fb_real16(double x, char letter, char out[17])
{
    char text[40], exponent[16];
    for (int digits = 12; digits > 0; digits--) {
        snprintf(text, sizeof text, "%.*E", digits, x);
        char *cut = strchr(text, 'E');
        snprintf(exponent, sizeof exponent, "%c%+d", letter, cut ? atoi(cut + 1) : 0);
        if (cut)
            *cut = 0;
        if (strlen(text) + strlen(exponent) <= 16)
            break;
    }
    size_t n = strlen(text);
    memcpy(out, text, n);
    memcpy(out + n, exponent, strlen(exponent) + 1);
}

/* ---- connectors and integrals --------------------------------------------------------------- */

fb_status fb_pick_connectors(fb_model *b, const char *list, fb_log *log, fb_err *e)
{
    int64_t *node = NULL, n = 0, nc = 0;
    const double *T = fb_shapes(b);
    fb_status s = FB_OK;
    if (!T || !b->dof_node || !b->node_id || !b->xyz)
        return fb_fail(
            e, FB_EFORMAT,
            "--connectors wants /nodes, /dofs and /reduced/T: a bare link record has none");
    FB_TRY(fb_dofset(b, "--connectors", list, &node, &n, log, e));
    for (int64_t k = 0; k < n; k++) { /* node[0..nc) holds nodes, node[k..n) still holds dofs */
        int64_t id = b->dof_node[node[k]], q = 0;
        while (q < nc && node[q] != id)
            q++;
        if (q == nc)
            node[nc++] = id;
    }
    FB_TRY(fb_model_set_connectors(b, node, nc, e));
    s = fb_model_connectors(b, T, e);
out:
    free(node);
    return s;
}

void fb_second_moment(const double I7[9], double rr[9])
{
    const double half = (I7[0] + I7[4] + I7[8]) / 2;
    for (int a = 0; a < 9; a++)
        rr[a] = (a % 4 == 0) * half - I7[a];
}

void fb_central_inertia(const fb_model *b, double c[3], double J[9])
{
    double m = b->I[1][0], cc = 0;
    for (int a = 0; a < 3; a++) {
        c[a] = m > 0 ? b->I[2][a] / m : 0;
        cc += c[a] * c[a];
    }
    for (int a = 0; a < 3; a++)
        for (int d = 0; d < 3; d++)
            J[3 * a + d] = b->I[7][3 * a + d] - m * ((a == d) * cc - c[a] * c[d]);
}
