/* SPDX-License-Identifier: GPL-3.0-or-later */
/* geometric.c - geometric stiffness and the loads that it belongs to.
 *
 * Symbols  p a load as a vector: a [3], r [3], W [9], of each node f and t [6]; C [nkg x np] the
 *          loads of /geometric by rows; s the size of the body
 * Equations
 *   (GEO.1) forces on a mass m at u0: m (a + r x u0 + tr(W) u0 - W u0)
 *   (GEO.2) K(p) = K + sum_k y_k Kg_k,  C'y = p          the first order in the load
 *   (GEO.3) y = pinv(C') p, in lengths of s: of a load that the rows do not span, its projection
 *   (GEO.4) U_l = sum_k pinv(C')_kl Kg_k                 stiffness per unit of load l
 *   (GEO.5) the origin moved to -t (u0 := u0 + t):  a := a - r x t - (tr(W) 1 - W) t
 * A first-order theory: loads so large that they bend the body want its stiffness at that state.
 * Source   O. Wallrapp, R. Schwertassek, Representation of geometric stiffening in multibody system
 *          simulation, Int. J. Numer. Methods Eng. 32 (1991) 1833-1850
 */
#include "geometric.h"
#include "linalg/dense.h"
#include "linalg/sparse_ops.h"
#include "memory.h"
#include "number.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

/* ---- loads --------------------------------------------------------------------------------- */

static int same_node(const fb_dofref *a, const fb_dofref *b)
{
    return a->end - a->name == b->end - b->name &&
           !strncasecmp(a->name, b->name, (size_t)(a->end - a->name));
}

static fb_status add_force(fb_geoload *l, const char *p, const char *end, double value, fb_err *e)
{
    fb_dofref at;
    int64_t node = FB_GEO_NAMED;
    if (fb_scan_dofref(p, end, &at) != end || at.component < 1 || at.component > 6 ||
        (fb_scan_int(at.name, at.end, &node) == at.end && node == 0))
        return fb_fail(
            e, FB_EUSAGE,
            "'f:%.*s' is not f:NODE.COMPONENT, a node's number or name (that of a frame) "
            "and a component from 1 to 6",
            (int)(end - p), p);
    if (l->node && !same_node(&l->at, &at))
        return fb_fail(e, FB_EUSAGE, "forces at nodes %.*s and %.*s: a load has one node",
                       (int)(l->at.end - l->at.name), l->at.name, (int)(at.end - at.name), at.name);
    l->node = node;
    l->at = at;
    (at.component <= 3 ? l->f : l->t)[(at.component - 1) % 3] += value;
    return FB_OK;
}

static fb_status add_load(fb_geoload *l, const char *p, const char *end, double value, fb_err *e)
{
    static const struct {
        const char *name;
        int i, j;
    } product[] = {{"wx2", 0, 0},  {"wy2", 1, 1},  {"wz2", 2, 2},  {"wxwy", 0, 1}, {"wywz", 1, 2},
                   {"wxwz", 0, 2}, {"wywx", 0, 1}, {"wzwy", 1, 2}, {"wzwx", 0, 2}};
    const size_t n = (size_t)(end - p);
    if (n > 2 && !strncmp(p, "f:", 2))
        return add_force(l, p + 2, end, value, e);
    if (n == 2 && (*p == 'a' || *p == 'r') && p[1] >= 'x' && p[1] <= 'z') {
        (*p == 'a' ? l->a : l->r)[p[1] - 'x'] += value;
        return FB_OK;
    }
    for (size_t k = 0; k < sizeof product / sizeof *product; k++)
        if (strlen(product[k].name) == n && !strncmp(p, product[k].name, n)) {
            const int i = product[k].i, j = product[k].j;
            l->W[3 * i + j] += value;
            l->W[3 * j + i] += i == j ? 0 : value;
            return FB_OK;
        }
    return fb_fail(e, FB_EUSAGE,
                   "'%.*s' is no load: ax ay az, rx ry rz, wx2 wy2 wz2, wxwy wywz wxwz, "
                   "f:NODE.COMPONENT are",
                   (int)(n < 40 ? n : 40), p);
}

enum { NLOAD = 21 }; /* numbers of a load, in this order */

static double *number_of(fb_geoload *l, int k)
{
    return k < 3    ? l->a + k
           : k < 6  ? l->r + (k - 3)
           : k < 15 ? l->W + (k - 6)
           : k < 18 ? l->f + (k - 15)
                    : l->t + (k - 18);
}

fb_status fb_geoload_parse(const char *text, fb_geoload *l, double *first, fb_err *e)
{
    *l = (fb_geoload){.node = 0};
    *first = 0;
    const char *end;
    for (const char *p = text; p; p = *end ? end + 1 : NULL) {
        end = p + strcspn(p, ",");
        const char *is = memchr(p, '=', (size_t)(end - p));
        double value = 0;
        if (!is || fb_scan_real(is + 1, end, &value) != end || !(fabs(value) > 0))
            return fb_fail(e, FB_EUSAGE, "'%.*s' is not LOAD=VALUE with a value that is not 0",
                           (int)(end - p < 40 ? end - p : 40), p);
        FB_PASS(add_load(l, p, is, value, e));
        *first = p == text ? value : *first;
    }
    for (int k = 0; k < NLOAD; k++)
        if (fabs(*number_of(l, k)) > 0)
            return FB_OK;
    return fb_fail(e, FB_EUSAGE, "'%.60s' is no load: its parts cancel", text);
}

fb_geoload fb_geoload_times(const fb_geoload *l, double by)
{
    fb_geoload x = *l;
    for (int k = 0; k < NLOAD; k++)
        *number_of(&x, k) *= by;
    return x;
}

static double *row_of(const fb_model *b, int64_t load, int k)
{
    return k < 3    ? b->kg_acceleration + 3 * load + k
           : k < 6  ? b->kg_angular + 3 * load + k - 3
           : k < 15 ? b->kg_centrifugal + 9 * load + k - 6
           : k < 18 ? b->kg_force + 3 * load + k - 15
                    : b->kg_moment + 3 * load + k - 18;
}

fb_geoload fb_geoload_of(const fb_model *b, int64_t k)
{
    fb_geoload l = {.node = b->kg_node[k]};
    for (int q = 0; q < NLOAD; q++)
        *number_of(&l, q) = *row_of(b, k, q);
    return l;
}

void fb_geoload_text(const fb_geoload *l, char *text, size_t size)
{
    static const char *const name[15] = {"ax",   "ay", "az",  "rx",   "ry", "rz", "wx2", "wxwy",
                                         "wxwz", "",   "wy2", "wywz", "",   "",   "wz2"};
    fb_geoload x = *l;
    size_t at = 0;
    *text = 0;
    for (int k = 0; k < NLOAD && at < size; k++) {
        const double v = *number_of(&x, k);
        char force[40];
        snprintf(force, sizeof force, "f:%lld.%d", (long long)l->node, k - 14);
        if (fabs(v) > 0 && (k >= 15 || *name[k]))
            snprintf(text + at, size - at, "%s%s=%.6g", at ? ", " : "", k < 15 ? name[k] : force,
                     v);
        at = strlen(text);
    }
}

fb_status fb_geoload_set(fb_model *b, const fb_geoload *l, int64_t n, fb_err *e)
{
    FB_FREE(b->kg_acceleration, b->kg_angular, b->kg_centrifugal, b->kg_node, b->kg_force,
            b->kg_moment);
    b->nkg = n;
    FB_PASS(FB_NEW(&b->kg_acceleration, 3 * n, e));
    FB_PASS(FB_NEW(&b->kg_angular, 3 * n, e));
    FB_PASS(FB_NEW(&b->kg_centrifugal, 9 * n, e));
    FB_PASS(FB_NEW(&b->kg_node, n, e));
    FB_PASS(FB_NEW(&b->kg_force, 3 * n, e));
    FB_PASS(FB_NEW(&b->kg_moment, 3 * n, e));
    for (int64_t k = 0; k < n; k++) {
        fb_geoload x = l[k];
        for (int q = 0; q < NLOAD; q++)
            *row_of(b, k, q) = *number_of(&x, q);
        b->kg_node[k] = x.node;
    }
    return FB_OK;
}

void fb_geoload_carry(fb_model *b, const double t[3])
{
    if (!b->kg_acceleration || !b->kg_angular || !b->kg_centrifugal)
        return;
    for (int64_t k = 0; k < b->nkg; k++) { /* (GEO.5) */
        const double *r = b->kg_angular + 3 * k, *W = b->kg_centrifugal + 9 * k;
        double *a = b->kg_acceleration + 3 * k, c[3];
        fb_cross(r, t, c);
        for (int i = 0; i < 3; i++) {
            a[i] -= c[i] + (W[0] + W[4] + W[8]) * t[i];
            for (int j = 0; j < 3; j++)
                a[i] += W[3 * i + j] * t[j];
        }
    }
}

/* ---- matrices ------------------------------------------------------------------------------ */

fb_status fb_geometric_block(const fb_csc *A, int64_t k, int64_t n, fb_csc *B, fb_err *e)
{
    const int64_t from = A->p[k * n], nnz = A->p[(k + 1) * n] - from;
    FB_PASS(fb_csc_new(B, n, n, nnz, A->upper, e));
    for (int64_t j = 0; j <= n; j++)
        B->p[j] = A->p[k * n + j] - from;
    for (int64_t q = 0; q < nnz; q++) {
        B->i[q] = A->i[from + q] - k * n;
        B->x[q] = A->x[from + q];
    }
    return FB_OK;
}

fb_status fb_geometric_stack_take(fb_csc *A, int64_t n, fb_csc *C, fb_err *e)
{
    int64_t nnz = 0, order = 0, at = 0;
    for (int64_t k = 0; k < n; k++) {
        nnz += A[k].p[A[k].n];
        order += A[k].n;
    }
    FB_PASS(fb_csc_new(C, order, order, nnz, 1, e));
    for (int64_t k = 0; k < n; k++) {
        const int64_t from = C->p[at];
        for (int64_t j = 0; j < A[k].n; j++)
            C->p[at + j + 1] = from + A[k].p[j + 1];
        for (int64_t q = 0; q < A[k].p[A[k].n]; q++) {
            C->i[from + q] = at + A[k].i[q];
            C->x[from + q] = A[k].x[q];
        }
        at += A[k].n;
        fb_csc_free(A + k);
    }
    return FB_OK;
}

fb_status fb_geometric_reduce(const fb_model *b, const fb_mat *T, double **Kr, fb_err *e)
{
    const int64_t mm = T->n * T->n;
    fb_csc A = {0};
    fb_mat R = {0};
    double *all = NULL;
    fb_status s = FB_OK;
    *Kr = NULL;
    if (!b->Kg.p)
        return FB_OK;
    FB_TRY(fb_new(&all, b->nkg * mm, sizeof *all, "reduced geometric stiffness", e));
    for (int64_t k = 0; k < b->nkg; k++) {
        FB_TRY(fb_geometric_block(&b->Kg, k, b->ndof, &A, e));
        FB_TRY(fb_csc_congruence(&A, T, &R, e));
        memcpy(all + k * mm, R.x, sizeof *all * (size_t)mm);
        fb_csc_free(&A);
        fb_mat_free(&R);
    }
    *Kr = all;
    all = NULL;
out:
    fb_csc_free(&A);
    fb_mat_free(&R);
    free(all);
    return s;
}

fb_status fb_geometric_turn(double **Kr, int64_t n, const fb_mat *W, fb_err *e)
{
    const int64_t mm = W->m * W->m, kk = W->n * W->n;
    double *all = NULL;
    fb_mat R = {0};
    fb_status s = FB_OK;
    if (!*Kr)
        return FB_OK;
    FB_TRY(fb_new(&all, n * kk, sizeof *all, "reduced geometric stiffness", e));
    for (int64_t k = 0; k < n; k++) {
        FB_TRY(fb_congruence(&(fb_mat){W->m, W->m, *Kr + k * mm}, W, &R, e));
        memcpy(all + k * kk, R.x, sizeof *all * (size_t)kk);
        fb_mat_free(&R);
    }
    free(*Kr);
    *Kr = all;
    all = NULL;
out:
    fb_mat_free(&R);
    free(all);
    return s;
}

/* ---- per unit of load ---------------------------------------------------------------------- */

void fb_geounits_free(fb_geounits *u)
{
    FB_FREE(u->node, u->K);
    *u = (fb_geounits){0};
}

static fb_status nodes_of(const fb_model *b, fb_geounits *u, fb_err *e)
{
    FB_PASS(FB_NEW(&u->node, b->nkg, e));
    for (int64_t k = 0; k < b->nkg; k++) {
        int64_t q = 0;
        while (q < u->nnode && u->node[q] != b->kg_node[k])
            q++;
        if (b->kg_node[k] && q == u->nnode)
            u->node[u->nnode++] = b->kg_node[k];
    }
    u->n = FB_GEO_NODE + 6 * u->nnode;
    return FB_OK;
}

/* Units of the numbers of a load, in those of an acceleration: lengths of s, and forces of the mass
 * that is known. */
static double scale_of(const fb_model *b, int64_t l)
{
    const double *u = b->connector_position ? b->connector_position : b->xyz;
    const double d = fb_box_diagonal(u, u == b->xyz ? b->nn : b->nc), s = d > 0 ? d : 1;
    const double m = fb_total_mass(b), M = m > 0 ? m : 1;
    const int turns = l >= FB_GEO_NODE && (l - FB_GEO_NODE) % 6 >= 3;
    return l < FB_GEO_R ? 1 : l < FB_GEO_NODE ? s : turns ? 1 / (M * s) : 1 / M;
}

/* C' [np x nkg] in those units. */
static fb_status loads_of(const fb_model *b, const fb_geounits *u, fb_mat *Ct, fb_err *e)
{
    FB_PASS(fb_mat_new(Ct, u->n, b->nkg, e));
    for (int64_t k = 0; k < b->nkg; k++)
        for (int q = 0; q < NLOAD; q++) {
            int64_t at = q, node = 0;
            while (q >= FB_GEO_NODE && node < u->nnode && u->node[node] != b->kg_node[k])
                node++;
            if (node < u->nnode || q < FB_GEO_NODE) {
                at += 6 * node;
                Ct->x[at + k * u->n] = *row_of(b, k, q) * scale_of(b, at);
            }
        }
    return FB_OK;
}

fb_status fb_geometric_units(const fb_model *b, fb_geounits *out, fb_err *e)
{
    const int64_t m = b->nr, mm = m * m;
    fb_geounits u = {0};
    fb_mat Ct = {0}, U = {0}, V = {0};
    double *sv = NULL;
    fb_status s = FB_OK;
    *out = (fb_geounits){0};
    if (!b->Kgr || !b->kg_node || !b->nkg)
        return FB_OK;
    FB_TRY(nodes_of(b, &u, e));
    FB_TRY(loads_of(b, &u, &Ct, e));
    FB_TRY(fb_new(&sv, u.n < b->nkg ? u.n : b->nkg, 8, "singular values", e));
    FB_TRY(fb_svd(&Ct, &U, sv, &V, 0, e));
    FB_TRY(fb_new(&u.K, u.n * mm, sizeof *u.K, "geometric stiffness per load", e));
    for (int64_t l = 0; l < u.n; l++) /* (GEO.4), pinv(C') = V diag(1/s) U' */
        for (int64_t k = 0; k < b->nkg; k++) {
            double y = 0;
            for (int64_t q = 0; q < U.n; q++)
                y += sv[q] > 1e-9 * sv[0] ? V.x[k + q * V.m] * U.x[l + q * U.m] / sv[q] : 0;
            if (fabs(y) * sv[0] > 1e-12)
                fb_axpy(y * scale_of(b, l), b->Kgr + k * mm, u.K + l * mm, mm);
        }
    *out = u;
    u = (fb_geounits){0};
out:
    fb_geounits_free(&u);
    FB_FREE_BY(fb_mat_free, &Ct, &U, &V);
    free(sv);
    return s;
}
