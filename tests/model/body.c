/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "tests/model/body.h"
#include <check.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

double random_real(uint64_t *state) /* splitmix64 */
{
    uint64_t z = (*state += 0x9e3779b97f4a7c15u);
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return (double)((z ^ (z >> 31)) >> 11) / 4503599627370496.0 - 1;
}

static void *get(int64_t n)
{
    void *p = fb_alloc((size_t)n, 8);
    if (!p)
        abort();
    return p;
}

/* Translations and rotations of node p for rigid motion r (three along, three about the axes). */
static void rigid(const double *u, int r, double out[6])
{
    memset(out, 0, 6 * sizeof *out);
    if (r < 3) {
        out[r] = 1;
        return;
    }
    int a = r - 3, b = (a + 1) % 3, c = (a + 2) % 3;
    out[c] = u[b]; /* axis_a x u */
    out[b] = -u[c];
    out[3 + a] = 1;
}

static double product(const fb_model *b, const double *x, const double *y)
{
    double sum = 0;
    for (int64_t p = 0; p < b->nn; p++)
        for (int c = 0; c < 3; c++)
            sum += b->node_mass[p] * x[6 * p + c] * y[6 * p + c] +
                   b->node_inertia[9 * p + 4 * c] * x[6 * p + 3 + c] * y[6 * p + 3 + c];
    return sum;
}

static void shapes(fb_model *b, uint64_t *s)
{
    int64_t n = 6 * b->nn;
    for (int64_t k = 0; k < b->nm; k++) {
        double *x = b->shape + k * n;
        for (int64_t p = 0; p < b->nn; p++)
            for (int c = 0; c < 6; c++)
                x[6 * p + c] = random_real(s);
        for (int64_t p = 0; k < 6 && p < b->nn; p++)
            rigid(b->xyz + 3 * p, (int)k, x + 6 * p);
        for (int pass = 0; pass < 2; pass++)
            for (int64_t j = 0; j < k; j++) {
                double d = product(b, b->shape + j * n, x);
                for (int64_t q = 0; q < n; q++)
                    x[q] -= d * b->shape[j * n + q];
            }
        double norm = sqrt(product(b, x, x));
        for (int64_t q = 0; q < n; q++)
            x[q] /= norm;
    }
}

static void modes(fb_model *b, uint64_t *s)
{
    int64_t m = b->nm;
    b->nr = m;
    b->mode_number = get(m);
    b->eigen = get(5 * m);
    b->shape = get(m * 6 * b->nn);
    b->mode_transform = get(m * m);
    b->Kr = get(m * m);
    b->Mr = get(m * m);
    b->kind = get(m);
    shapes(b, s);
    double w2 = 1e4;
    for (int64_t k = 0; k < m; k++) {
        double v = k < 6 ? 0 : (w2 *= 1.3 + random_real(s) * 0.2);
        b->mode_number[k] = k + 1;
        memcpy(b->eigen + 5 * k, (double[5]){v, sqrt(v) / (2 * M_PI), sqrt(v), 1, v},
               5 * sizeof(double));
        b->mode_transform[k * m + k] = 1;
        b->Kr[k * m + k] = v;
        b->Mr[k * m + k] = 1;
        b->kind[k] = FB_KIND_EIGEN;
    }
}

static void extras(fb_model *b, uint64_t *s)
{
    int64_t m = b->nm;
    b->nf1 = b->nn;
    b->nfi = 2 * (b->nn - 1);
    b->face_offset = get(b->nf1);
    b->face_index = get(b->nfi);
    for (int64_t f = 0; f < b->nn - 1; f++) {
        b->face_offset[f + 1] = 2 * f + 2;
        b->face_index[2 * f] = f;
        b->face_index[2 * f + 1] = f + 1;
    }
    b->ns = b->nn / 2;
    b->stress_node = get(b->ns);
    b->stress = get(m * b->ns * 6);
    for (int64_t p = 0; p < b->ns; p++)
        b->stress_node[p] = b->node_id[p];
    for (int64_t q = 0; q < m * b->ns * 6; q++)
        b->stress[q] = 1e6 * random_real(s);
    b->stat_node = get(13 * m);
    b->stat_value = get(13 * m);
    for (int64_t k = 0; k < m; k++)
        b->stat_node[13 * k] = b->node_id[0];
}

void make_body(fb_model *b, int64_t nn, int64_t nm, uint64_t seed)
{
    uint64_t s = seed + 1;
    fb_err e;
    *b = (fb_model){.nn = nn, .nm = nm};
    if (fb_units_system(&b->units, "SI", &e))
        abort();
    snprintf(b->title, sizeof b->title, "random body %lld", (long long)seed);
    b->node_id = get(nn);
    b->xyz = get(3 * nn);
    b->node_mass = get(nn);
    b->node_inertia = get(9 * nn);
    for (int64_t p = 0; p < nn; p++) {
        b->node_id[p] = 10 + 3 * p;
        b->node_mass[p] = 1 + 0.5 * random_real(&s);
        for (int a = 0; a < 3; a++) {
            b->xyz[3 * p + a] = random_real(&s);
            b->node_inertia[9 * p + 4 * a] = 0.01 * (1.1 + random_real(&s));
        }
    }
    modes(b, &s);
    extras(b, &s);
    if (fb_model_nodal_dofs(b, &e) ||
        fb_model_set_connectors(b, (int64_t[]){b->node_id[0], b->node_id[nn - 1]}, 2, &e) ||
        fb_model_connectors(b, b->shape, &e) || fb_model_frequencies(b, NULL, &e) ||
        fb_model_check(b, &e))
        abort();
}

#define SAME(field, n) ck_assert_mem_eq(a->field, b->field, (size_t)(n) * 8)

void same_body(const fb_model *a, const fb_model *b)
{
    const int64_t nn = a->nn, m = a->nm;
    ck_assert_int_eq(b->nn, nn);
    ck_assert_int_eq(b->nm, m);
    ck_assert_int_eq(b->nf1, a->nf1);
    ck_assert_int_eq(b->nfi, a->nfi);
    ck_assert_int_eq(b->ns, a->ns);
    SAME(node_id, nn);
    SAME(xyz, 3 * nn);
    SAME(node_mass, nn);
    SAME(node_inertia, 9 * nn);
    SAME(mode_number, m);
    SAME(eigen, 5 * m);
    SAME(shape, m * nn * 6);
    SAME(mode_transform, m * m);
    SAME(face_offset, a->nf1);
    SAME(face_index, a->nfi);
    SAME(stress_node, a->ns);
    SAME(stress, m * a->ns * 6);
    SAME(stat_node, 13 * m);
    SAME(stat_value, 13 * m);
    SAME(connector_node, 2);
    SAME(Kr, m * m);
    SAME(Mr, m * m);
    SAME(connector_S, 2 * 3 * m);
    SAME(connector_Shat, 2 * 3 * m);
    ck_assert_str_eq(b->title, a->title);
    ck_assert_str_eq(b->units.name[FB_LENGTH], "m");
}
