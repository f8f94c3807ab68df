/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "tests/model/generic.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum {
    NN = GENERIC_NODES,
    NM = GENERIC_MODES,
    NR = GENERIC_ORDER,
    NC = GENERIC_CONNECTORS,
    NS = GENERIC_STRESS
};

static void *get(int64_t n)
{
    void *p = fb_alloc((size_t)n, 8);
    if (!p)
        abort();
    return p;
}

static void fill(uint64_t *s, double *x, int64_t n, double size)
{
    for (int64_t k = 0; k < n; k++)
        x[k] = size * random_real(s);
}

/* Rotation by an odd angle about an odd axis (Rodrigues); columns are the axes. */
static void rotation(uint64_t *s, double A[9])
{
    double n[3], norm = 0, angle = 0.4 + random_real(s);
    fill(s, n, 3, 1);
    for (int a = 0; a < 3; a++)
        norm += n[a] * n[a];
    for (int a = 0; a < 3; a++)
        n[a] /= sqrt(norm);
    for (int a = 0; a < 3; a++)
        for (int c = 0; c < 3; c++) {
            double cross = a == c ? 0 : (c == (a + 1) % 3 ? -1 : 1) * n[3 - a - c];
            A[3 * a + c] =
                cos(angle) * (a == c) + (1 - cos(angle)) * n[a] * n[c] + sin(angle) * cross;
        }
}

static void nodes(fb_model *b, uint64_t *s)
{
    static const int64_t id[NN] = {407, 12, 95, 3, 1310, 58, 6, 221};
    static const double off[3] = {2.1, -3.7, 1.3}, size[3] = {0.4, 0.7, 0.3};
    b->node_id = get(NN);
    b->xyz = get(3 * NN);
    b->node_mass = get(NN);
    b->node_inertia = get(9 * NN);
    memcpy(b->node_id, id, sizeof id);
    for (int64_t p = 0; p < NN; p++) {
        double G[9], *J = b->node_inertia + 9 * p;
        fill(s, G, 9, 0.1);
        b->node_mass[p] = 1.3 + random_real(s);
        for (int a = 0; a < 3; a++) {
            b->xyz[3 * p + a] = off[a] + size[a] * random_real(s);
            for (int c = 0; c < 3; c++)
                for (int k = 0; k < 3; k++)
                    J[3 * a + c] += G[3 * a + k] * G[3 * c + k] + (k == 0 && a == c) * 0.003;
        }
    }
}

static double product(const fb_model *b, const double *x, const double *y)
{
    double sum = 0;
    for (int64_t p = 0; p < NN; p++)
        for (int a = 0; a < 3; a++) {
            sum += b->node_mass[p] * x[6 * p + a] * y[6 * p + a];
            for (int c = 0; c < 3; c++)
                sum += x[6 * p + 3 + a] * b->node_inertia[9 * p + 3 * a + c] * y[6 * p + 3 + c];
        }
    return sum;
}

/* Shapes orthonormal in the nodal masses; V with orthonormal columns, T = Phi V. */
static void shapes(fb_model *b, uint64_t *s)
{
    const int64_t n = 6 * NN;
    b->shape = get(NM * n);
    b->V = get(NR * NM);
    b->T = get(NR * n);
    fill(s, b->shape, NM * n, 1);
    fill(s, b->V, NR * NM, 1);
    for (int turn = 0; turn < 2; turn++) {
        for (int k = 0; k < NM; k++) {
            double *x = b->shape + k * n;
            for (int j = 0; j <= k; j++) {
                double *y = b->shape + j * n, d = product(b, x, y);
                for (int64_t q = 0; q < n; q++)
                    x[q] = j < k ? x[q] - d * y[q] : x[q] / sqrt(d);
            }
        }
        for (int k = 0; k < NR; k++)
            for (int j = 0; j <= k; j++) {
                double d = 0, *x = b->V + k * NM, *y = b->V + j * NM;
                for (int q = 0; q < NM; q++)
                    d += x[q] * y[q];
                for (int q = 0; q < NM; q++)
                    x[q] = j < k ? x[q] - d * y[q] : x[q] / sqrt(d);
            }
    }
    for (int k = 0; k < NR; k++)
        for (int64_t q = 0; q < n; q++)
            for (int j = 0; j < NM; j++)
                b->T[k * n + q] += b->shape[j * n + q] * b->V[k * NM + j];
}

static void matrices(fb_model *b, uint64_t *s)
{
    double w2[NM];
    b->mode_number = get(NM);
    b->eigen = get(5 * NM);
    b->mode_transform = get(NM * NM);
    b->Kr = get(NR * NR);
    b->Mr = get(NR * NR);
    b->Dr = get(NR * NR);
    b->kind = get(NR);
    for (int k = 0; k < NM; k++) {
        w2[k] = 2e4 * pow(1.7, k);
        b->mode_number[k] = 2 * k + 5;
        memcpy(b->eigen + 5 * k,
               (double[5]){w2[k], sqrt(w2[k]) / (2 * M_PI), sqrt(w2[k]), 1, w2[k]},
               5 * sizeof(double));
        b->mode_transform[k * NM + k] = 1;
    }
    for (int i = 0; i < NR; i++) {
        b->kind[i] = FB_KIND_NORMAL;
        b->Mr[i * NR + i] = 1;
        for (int j = 0; j < NR; j++) {
            b->Dr[i * NR + j] = (i == j) * 3 + random_real(s);
            for (int k = 0; k < NM; k++)
                b->Kr[i * NR + j] +=
                    b->V[(i < j ? i : j) * NM + k] * w2[k] * b->V[(i < j ? j : i) * NM + k];
        }
    }
}

static void extras(fb_model *b, uint64_t *s)
{
    static const int64_t face[] = {0, 3, 7, 10, 12, 17},
                         index[] = {4, 0, 2, 1, 5, 7, 6, 3, 2, 1, 0, 4, 7, 6, 5, 3, 1};
    static const int64_t stress[NS] = {58, 1310, 3, 407};
    static const int64_t connector[NC] = {1310, 12, 6};
    fb_err e;
    b->nf1 = 6;
    b->nfi = 17;
    b->face_offset = get(6);
    b->face_index = get(17);
    memcpy(b->face_offset, face, sizeof face);
    memcpy(b->face_index, index, sizeof index);
    b->ns = NS;
    b->stress_node = get(NS);
    b->stress = get(NM * NS * 6);
    memcpy(b->stress_node, stress, sizeof stress);
    fill(s, b->stress, NM * NS * 6, 3e5);
    if (fb_model_nodal_dofs(b, &e) || fb_model_set_connectors(b, connector, NC, &e) ||
        fb_model_connectors(b, b->T, &e) || fb_model_frequencies(b, NULL, &e))
        abort();
    for (int k = 0; k < NC; k++)
        rotation(s, b->connector_rotation + 9 * k);
}

static const int64_t unit_loads[3] = {6, 7, 8};

/* Two load vectors, and unit forces at a node. */
static void loads(fb_model *b, uint64_t seed)
{
    double P[6 * NN];
    uint64_t s = 3000 + seed;
    fb_err e;
    for (int k = 0; k < 2; k++) {
        fill(&s, P, 6 * NN, 1e3);
        if (fb_model_add_vector(b, k ? "spin" : "lift", P, &e))
            abort();
    }
    if (fb_model_loads(b, b->T, unit_loads, 3, &e))
        abort();
}

void make_generic(fb_model *b, const char *units, uint64_t seed)
{
    uint64_t s = 1000 + seed;
    fb_err e;
    *b = (fb_model){.nn = NN, .nm = NM, .nr = NR};
    if (fb_units_system(&b->units, units, &e))
        abort();
    snprintf(b->title, sizeof b->title, "generic body %llu", (unsigned long long)seed);
    snprintf(b->method, sizeof b->method, "mdm");
    snprintf(b->stage, sizeof b->stage, "reduce");
    nodes(b, &s);
    shapes(b, &s);
    matrices(b, &s);
    extras(b, &s);
    loads(b, seed);
    if (fb_model_check(b, &e))
        abort();
}

const int64_t generic_label[GENERIC_COORDINATES][2] = {
    {1310, 1}, {12, 2}, {6, 3},  {1310, 5}, {0, 1},  {12, 6},   {1310, 3}, {1310, 2},
    {0, 2},    {6, 5},  {12, 1}, {1310, 6}, {12, 4}, {1310, 4}, {0, 3}};
const double generic_scale[GENERIC_COORDINATES] = {1, 2.5, 1, 1000, 1, 0.125, 1, 7,
                                                   1, 1,   1, 3,    1, 1,     1};

static int64_t dof_of(const fb_model *b, const int64_t label[2])
{
    int64_t d = 0;
    while (b->dof_node[d] != label[0] || b->dof_component[d] != label[1])
        d++;
    return d;
}

void make_generic_boundary(fb_model *b, const char *units, uint64_t seed)
{
    enum { N = GENERIC_COORDINATES };
    double G[N * N];
    uint64_t s = 2000 + seed;
    fb_err e;
    make_generic(b, units, seed);
    double **const old[] = {&b->T, &b->Kr, &b->Mr, &b->Dr, &b->V};
    for (int k = 0; k < 5; k++) {
        free(*old[k]);
        *old[k] = NULL;
    }
    free(b->kind);
    b->nr = N;
    b->T = get(N * b->ndof);
    b->Kr = get(N * N);
    b->Mr = get(N * N);
    b->Dr = get(N * N);
    b->kind = get(N);
    fill(&s, b->T, N * b->ndof, 1);
    fill(&s, b->Dr, N * N, 1);
    for (int k = 0; k < N; k++) {
        b->kind[k] = generic_label[k][0] ? FB_KIND_BOUNDARY : FB_KIND_NORMAL;
        for (int j = 0; j < N && generic_label[k][0]; j++)
            b->T[dof_of(b, generic_label[k]) + j * b->ndof] = j == k ? generic_scale[k] : 0;
    }
    for (int which = 0; which < 2; which++) {
        double *A = which ? b->Mr : b->Kr;
        fill(&s, G, N * N, 1);
        for (int i = 0; i < N; i++)
            for (int j = 0; j < N; j++) {
                A[i * N + j] = (i == j) * 0.5;
                for (int k = 0; k < N; k++)
                    A[i * N + j] += (which ? 1 : 4e5) * (G[i * N + k] * G[j * N + k]);
            }
    }
    if (fb_model_connectors(b, b->T, &e) || fb_model_frequencies(b, NULL, &e) ||
        fb_model_loads(b, b->T, unit_loads, 3, &e) || fb_model_check(b, &e))
        abort();
}

static double skew(const double *v, int a, int c)
{
    return a == c ? 0 : (c == (a + 1) % 3 ? -1 : 1) * v[3 - a - c];
}

/* (a~ b~)_ac */
static double skews(const double *v, const double *w, int a, int c)
{
    double sum = 0;
    for (int k = 0; k < 3; k++)
        sum += skew(v, a, k) * skew(w, k, c);
    return sum;
}

static void of_pair(const fb_model *b, double *I[12], int64_t p, int i, int j)
{
    const double *f = b->T + i * b->ndof + 6 * p, *g = b->T + j * b->ndof + 6 * p,
                 m = b->node_mass[p], *J = b->node_inertia + 9 * p;
    for (int a = 0; a < 3; a++)
        for (int c = 0; c < 3; c++) {
            I[5][(3 * i + a) * NR + j] += m * skew(f, a, c) * g[c];
            I[6][i * NR + j] += (a == c) * m * f[a] * g[a] + f[3 + a] * J[3 * a + c] * g[3 + c];
            I[9][9 * (i * NR + j) + 3 * a + c] += m * skews(f, g, a, c);
            I[11][((3 * a + c) * NR + i) * NR + j] += m * f[a] * g[c];
        }
}

static void of_mode(const fb_model *b, double *I[12], int64_t p, int k)
{
    const double *f = b->T + k * b->ndof + 6 * p, m = b->node_mass[p], *J = b->node_inertia + 9 * p,
                 *u = b->xyz + 3 * p;
    for (int a = 0; a < 3; a++) {
        I[3][a * NR + k] += m * f[a];
        for (int c = 0; c < 3; c++) {
            I[4][a * NR + k] += m * skew(u, a, c) * f[c] + J[3 * a + c] * f[3 + c];
            I[8][9 * k + 3 * a + c] += m * skews(u, f, a, c);
            I[10][(3 * a + c) * NR + k] += m * u[a] * f[c];
        }
    }
}

void generic_invariants(const fb_model *b, double *I[12])
{
    static const int n[12] = {0,       1, 3,      3 * NR,      3 * NR, 3 * NR * NR,
                              NR * NR, 9, 9 * NR, 9 * NR * NR, 9 * NR, 9 * NR * NR};
    I[0] = NULL;
    for (int k = 1; k < 12; k++)
        I[k] = get(n[k]);
    for (int64_t p = 0; p < NN; p++) {
        const double m = b->node_mass[p], *u = b->xyz + 3 * p;
        I[1][0] += m;
        for (int a = 0; a < 3; a++) {
            I[2][a] += m * u[a];
            for (int c = 0; c < 3; c++)
                I[7][3 * a + c] += b->node_inertia[9 * p + 3 * a + c] - m * skews(u, u, a, c);
        }
        for (int i = 0; i < NR; i++) {
            of_mode(b, I, p, i);
            for (int j = 0; j < NR; j++)
                of_pair(b, I, p, i, j);
        }
    }
}
