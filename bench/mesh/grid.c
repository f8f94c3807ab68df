/* SPDX-License-Identifier: GPL-3.0-or-later */
/* grid.c - nodes and elements on a lattice of points. */
#include "bench/mesh/mesh.h"
#include "memory.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* CalculiX integrates the mass of tetrahedra at the 1 or 4 points of the stiffness: they are not
 * the elements of ours. */
const mesh_kind mesh_kinds[] = {
    {"hex8", "hexahedra of 8 nodes", "C3D8", 8, 3, 1, mesh_hexahedron},
    {"hex20", "hexahedra of 20 nodes", "C3D20", 20, 3, 2, mesh_hexahedron},
    {"tet4", "tetrahedra of 4 nodes", NULL, 4, 3, 1, mesh_tetrahedron},
    {"tet10", "tetrahedra of 10 nodes", NULL, 10, 3, 2, mesh_tetrahedron},
    {"plate", "a folded plate of rectangles with 6 dofs a node", NULL, 4, 6, 1, mesh_plate},
    {"frame", "a lattice of beams, 4 elements each, with 6 dofs a node", NULL, 2, 6, 4, mesh_beam},
    {0},
};

const mesh_kind *mesh_find(const char *name)
{
    for (const mesh_kind *k = mesh_kinds; k->name; k++)
        if (!strcmp(k->name, name))
            return k;
    return NULL;
}

static int64_t point(const int64_t *far, const int64_t *at)
{
    return (at[0] * (far[1] + 1) + at[1]) * (far[2] + 1) + at[2];
}

/* A bend, a twist and a taper; the body is L long. */
static void bent(double L, const double *x, double *y)
{
    const double s = 0.2 / L, a = s * x[0], b = s * x[1], c = s * x[2];
    y[0] = (a + 0.004 * sin(9 * b + 3 * c)) / s;
    y[1] = (b * (1 + 0.6 * a - 0.35 * c) + 0.003 * sin(14 * a)) / s;
    y[2] = (c + 0.003 * sin(11 * a) * cos(7 * b)) / s;
}

static void place_solid(const mesh_spec *p, const int64_t *at, double *x)
{
    double straight[3];
    for (int i = 0; i < 3; i++)
        straight[i] = p->edge * (double)at[i] / p->kind->step;
    bent(p->edge * (double)p->cells[0], straight, x);
    for (int i = 0; i < 3; i++)
        x[i] = straight[i] + p->warp * (x[i] - straight[i]);
}

/* Strips of one width each, every one turned against the last: each cell is a flat rectangle. */
static void place_plate(const mesh_spec *p, const int64_t *at, double *x)
{
    double u = (double)at[0] / (double)p->cells[0];
    x[0] = p->edge * (double)p->cells[0] * (u + p->warp * 0.08 * sin(5 * u));
    x[1] = x[2] = 0;
    for (int64_t j = 0; j < at[1]; j++) {
        double v = ((double)j + 0.5) / (double)p->cells[1];
        double turn = p->warp * (0.9 * v + 0.3 * sin(4 * v)),
               width = p->edge * (1 + p->warp * 0.2 * sin(7 * v));
        x[1] += width * cos(turn);
        x[2] += width * sin(turn);
    }
}

/* Where the elements of the kind have straight edges, a middle node is half way. */
static void place(const mesh_spec *p, const int64_t *at, double *x)
{
    int64_t lo[3], hi[3];
    double a[3], b[3];
    if (p->kind->matrices == mesh_plate) {
        place_plate(p, at, x);
        return;
    }
    for (int i = 0; i < 3; i++) {
        int64_t half = p->kind->step == 2 ? at[i] % 2 : 0;
        lo[i] = at[i] - half;
        hi[i] = at[i] + half;
    }
    place_solid(p, lo, a);
    place_solid(p, hi, b);
    for (int i = 0; i < 3; i++)
        x[i] = (a[i] + b[i]) / 2;
}

/* The elements' lattice points, in m->v; without m->v they are only counted. */
static void put(mesh *m, int64_t n, const int64_t (*at)[3])
{
    for (int64_t a = 0; m->v && a < n; a++)
        m->v[m->ne * n + a] = point(m->far, at[a]);
    m->ne++;
}

static void hexahedron(mesh *m, const int64_t *c)
{
    int64_t at[MESH_NODES][3], step = m->kind->step;
    for (int a = 0; a < m->kind->nodes; a++)
        for (int i = 0; i < 3; i++)
            at[a][i] = step * c[i] + step * (1 + mesh_hex[a][i]) / 2;
    put(m, m->kind->nodes, (const int64_t(*)[3])at);
}

/* Six tetrahedra about the diagonal of the cell: edge by edge along the axes, in every order. */
static void tetrahedra(mesh *m, const int64_t *c)
{
    static const int order[6][3] = {{0, 1, 2}, {1, 2, 0}, {2, 0, 1},
                                    {1, 0, 2}, {0, 2, 1}, {2, 1, 0}};
    static const int edge[6][2] = {{0, 1}, {1, 2}, {2, 0}, {0, 3}, {1, 3}, {2, 3}};
    int64_t step = m->kind->step;
    for (int k = 0; k < 6; k++) {
        int64_t at[10][3], corner[4][3];
        for (int i = 0; i < 3; i++)
            corner[0][i] = step * c[i];
        for (int n = 1; n < 4; n++) {
            memcpy(corner[n], corner[n - 1], sizeof corner[n]);
            corner[n][order[k][n - 1]] += step;
        }
        for (int n = 0; n < 4; n++) /* the last three orders are left-handed */
            memcpy(at[n], corner[k > 2 && (n == 1 || n == 2) ? 3 - n : n], sizeof at[n]);
        for (int q = 0; q < 6; q++)
            for (int i = 0; i < 3; i++)
                at[4 + q][i] = (at[edge[q][0]][i] + at[edge[q][1]][i]) / 2;
        put(m, m->kind->nodes, (const int64_t(*)[3])at);
    }
}

static void cells(mesh *m, const mesh_spec *p)
{
    int64_t c[3];
    for (c[0] = 0; c[0] < p->cells[0]; c[0]++)
        for (c[1] = 0; c[1] < p->cells[1]; c[1]++)
            for (c[2] = 0; c[2] < (m->kind->matrices == mesh_plate ? 1 : p->cells[2]); c[2]++) {
                if (p->thick && c[0] >= p->thick && c[2] >= p->thick)
                    continue;
                if (m->kind->matrices == mesh_hexahedron)
                    hexahedron(m, c);
                else if (m->kind->matrices == mesh_tetrahedron)
                    tetrahedra(m, c);
                else
                    put(m, 4,
                        (const int64_t[][3]){{c[0], c[1], 0},
                                             {c[0] + 1, c[1], 0},
                                             {c[0] + 1, c[1] + 1, 0},
                                             {c[0], c[1] + 1, 0}});
            }
}

static void beams(mesh *m)
{
    int64_t step = m->kind->step, at[3];
    for (at[0] = 0; at[0] <= m->far[0]; at[0]++)
        for (at[1] = 0; at[1] <= m->far[1]; at[1]++)
            for (at[2] = 0; at[2] <= m->far[2]; at[2]++)
                for (int d = 0; d < 3; d++) {
                    int64_t next[3] = {at[0], at[1], at[2]};
                    if (at[(d + 1) % 3] % step || at[(d + 2) % 3] % step || at[d] == m->far[d])
                        continue;
                    next[d]++;
                    put(m, 2,
                        (const int64_t[][3]){{at[0], at[1], at[2]}, {next[0], next[1], next[2]}});
                }
}

static void elements(mesh *m, const mesh_spec *p)
{
    m->ne = 0;
    if (m->kind->matrices == mesh_beam)
        beams(m);
    else
        cells(m, p);
}

/* Numbers the points that elements have, in the order of the lattice. */
static fb_status number(mesh *m, const mesh_spec *p, int64_t npoint, fb_err *e)
{
    int64_t *id = NULL, nv = m->ne * m->kind->nodes, at[3];
    fb_status s = FB_OK;
    FB_TRY(fb_new(&id, npoint, 8, "lattice", e));
    for (int64_t q = 0; q < nv; q++)
        id[m->v[q]] = 1;
    for (int64_t k = 0; k < npoint; k++)
        id[k] = id[k] ? m->nn++ : -1;
    FB_TRY(FB_NEW(&m->xyz, 3 * m->nn, e));
    FB_TRY(FB_NEW(&m->place, 3 * m->nn, e));
    for (int64_t k = 0; k < npoint; k++) {
        if (id[k] < 0)
            continue;
        at[0] = k / (m->far[2] + 1) / (m->far[1] + 1);
        at[1] = k / (m->far[2] + 1) % (m->far[1] + 1);
        at[2] = k % (m->far[2] + 1);
        memcpy(m->place + 3 * id[k], at, sizeof at);
        place(p, at, m->xyz + 3 * id[k]);
    }
    for (int64_t q = 0; q < nv; q++)
        m->v[q] = id[m->v[q]];
out:
    free(id);
    return s;
}

fb_status mesh_make(mesh *m, const mesh_spec *p, fb_err *e)
{
    int64_t npoint = 1;
    fb_status s = FB_OK;
    *m = (mesh){.kind = p->kind};
    for (int i = 0; i < 3; i++) {
        m->far[i] = p->kind->matrices == mesh_plate && i == 2 ? 0 : p->kind->step * p->cells[i];
        npoint *= m->far[i] + 1;
    }
    if (p->thick && p->kind->dofs != 3)
        return fb_fail(e, FB_EUSAGE, "only solids come as an angle; %s does not", p->kind->name);
    elements(m, p);
    if (m->ne == 0)
        return fb_fail(e, FB_EUSAGE, "no elements: give the number of cells along x, y and z");
    FB_TRY(FB_NEW(&m->v, m->ne * p->kind->nodes, e));
    elements(m, p);
    FB_TRY(number(m, p, npoint, e));
out:
    if (s)
        mesh_free(m);
    return s;
}

void mesh_free(mesh *m)
{
    FB_FREE(m->xyz, m->v, m->place);
    *m = (mesh){0};
}

typedef struct {
    double far;
    int64_t node;
} candidate;

static int nearer(const void *a, const void *b)
{
    const candidate *x = a, *y = b;
    if (x->far < y->far || x->far > y->far)
        return x->far < y->far ? -1 : 1;
    return x->node < y->node ? -1 : x->node > y->node;
}

static int ascending(const void *a, const void *b)
{
    const int64_t *x = a, *y = b;
    return *x < *y ? -1 : *x > *y;
}

/* n nodes of the face where lattice coordinate `axis` is `at`, nearest to mid (of the others). */
static fb_status face(const mesh *m, int axis, int64_t at, const double *mid, int64_t n,
                      int64_t *node, fb_err *e)
{
    candidate *c = NULL;
    int64_t nc = 0;
    fb_status s = FB_OK;
    FB_TRY(fb_new(&c, m->nn, sizeof *c, "nodes of an end", e));
    for (int64_t k = 0; k < m->nn; k++) {
        const int64_t *p = m->place + 3 * k;
        if (p[axis] != at)
            continue;
        c[nc].node = k;
        for (int i = 0; i < 3; i++)
            c[nc].far += i == axis ? 0 : ((double)p[i] - mid[i]) * ((double)p[i] - mid[i]);
        nc++;
    }
    if (nc < n) {
        s = fb_fail(e, FB_EUSAGE, "an end has %lld nodes, %lld are wanted for the boundary",
                    (long long)nc, (long long)n);
        goto out;
    }
    qsort(c, (size_t)nc, sizeof *c, nearer);
    for (int64_t k = 0; k < n; k++)
        node[k] = c[k].node;
out:
    free(c);
    return s;
}

fb_status mesh_ends(const mesh *m, const mesh_spec *p, int64_t n, int64_t **node, fb_err *e)
{
    double mid[3];
    int64_t *v = NULL, arm = p->thick * p->kind->step;
    fb_status s = FB_OK;
    for (int i = 0; i < 3; i++)
        mid[i] = (double)(p->thick && i != 1 ? arm : m->far[i]) / 2;
    FB_TRY(fb_new(&v, n, 8, "boundary nodes", e));
    FB_TRY(face(m, 0, m->far[0], mid, n / 2, v, e));
    FB_TRY(face(m, p->thick ? 2 : 0, p->thick ? m->far[2] : 0, mid, n - n / 2, v + n / 2, e));
    qsort(v, (size_t)n, sizeof *v, ascending);
    *node = v;
    v = NULL;
out:
    free(v);
    return s;
}
