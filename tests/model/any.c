/* SPDX-License-Identifier: GPL-3.0-or-later */
/* any.c - random bodies.
 *
 * Elements between nodes p (dofs u_p, t_p):
 *   joints     strain = [u_b - u_a - t_a x (x_b - x_a); t_b - t_a], energy strain' C strain / 2, C
 *              any definite matrix
 *   simplices  the constant strain of a tetrahedron or triangle, times its size, with any C
 *   springs    u_b - u_a along x
 * Mass points at x = (1 - s) x_a + s x_b + d: u = sum of weight (u_p + t_p x (x - x_p)), t = sum of
 * weight t_p, with a mass and an inertia that has products; simplices carry rho V (1 + delta_pq)/(n
 * (n + 1)); or lumps at the nodes.
 */
#include "tests/model/any.h"
#include "tests/model/body.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { NODES = 90, MOST = 6 * NODES };

typedef struct {
    any_body *a;
    uint64_t s;          /* of the random numbers */
    int64_t nn, nd, per; /* nodes, dofs, dofs a node */
    const int *comp;     /* [per] components 0..5 */
    double L, F, m;      /* units of length, force, mass */
    double x[NODES][3];
    int corner[NODES][4], parent[NODES];
    double *K, *M; /* [nd,nd], rows node by node */
    int lumped;
} maker;

static double uniform(maker *t)
{
    return (random_real(&t->s) + 1) / 2;
}

static int pick(maker *t, int n)
{
    int k = (int)(uniform(t) * n);
    return k < n ? k : n - 1;
}

static void *get(int64_t n, size_t size)
{
    void *p = fb_alloc((size_t)n, size);
    if (!p)
        abort();
    return p;
}

/* Row of component c of node p, -1: the model has none. */
static int64_t row(const maker *t, int p, int c)
{
    for (int k = 0; k < t->per; k++)
        if (t->comp[k] == c)
            return t->per * p + k;
    return -1;
}

/* A += B'CB; B [ns x 24] over the components of up to four nodes v. */
static void add(maker *t, double *A, const int *v, int nv, int ns, double B[][24], const double *C)
{
    for (int i = 0; i < 6 * nv; i++)
        for (int j = 0; j < 6 * nv; j++) {
            int64_t r = row(t, v[i / 6], i % 6), c = row(t, v[j / 6], j % 6);
            double sum = 0;
            for (int k = 0; k < ns; k++)
                for (int l = 0; l < ns; l++)
                    sum += B[k][i] * C[ns * k + l] * B[l][j];
            if (r >= 0 && c >= 0)
                A[r * t->nd + c] += sum;
        }
}

/* C [n,n] definite, some eigenvalues a hundred times others. */
static void definite(maker *t, int n, double *C)
{
    double G[36];
    for (int k = 0; k < n * n; k++)
        G[k] = random_real(&t->s);
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++) {
            C[n * i + j] = (i == j) * 0.3;
            for (int k = 0; k < n; k++)
                C[n * i + j] += G[n * i + k] * G[n * j + k];
        }
}

static void cross_rows(double B[][24], int to, int at, double weight, const double *r)
{
    for (int c = 0; c < 3; c++) { /* weight (t x r)_c */
        int y = (c + 1) % 3, z = (c + 2) % 3;
        B[to + c][at + y] += weight * r[z];
        B[to + c][at + z] -= weight * r[y];
    }
}

static void joint(maker *t, int a, int b, double scale, const double *C)
{
    double B[6][24] = {{0}}, r[3], D[36];
    const int v[2] = {a, b};
    for (int c = 0; c < 3; c++)
        r[c] = t->x[b][c] - t->x[a][c];
    for (int c = 0; c < 6; c++) {
        B[c][c] = -1;
        B[c][6 + c] = 1;
    }
    cross_rows(B, 0, 3, -1, r);
    for (int i = 0; i < 6; i++)
        for (int j = 0; j < 6; j++)
            D[6 * i + j] =
                scale * t->F / t->L * C[6 * i + j] * (i < 3 ? 1 : t->L) * (j < 3 ? 1 : t->L);
    if (t->per == 1) { /* a spring along x */
        memset(B, 0, sizeof B);
        B[0][0] = -1;
        B[0][6] = 1;
    }
    add(t, t->K, v, 2, 6, B, D);
}

static void point(maker *t, const int *v, const double *w, int nv, const double *at, double m,
                  const double *J)
{
    double B[6][24] = {{0}}, C[36] = {0};
    for (int k = 0; k < nv; k++) {
        double r[3];
        for (int c = 0; c < 3; c++)
            r[c] = at[c] - t->x[v[k]][c];
        for (int c = 0; c < 6; c++)
            B[c][6 * k + c] = w[k];
        cross_rows(B, 0, 6 * k + 3, w[k], r);
    }
    for (int i = 0; i < 3; i++) {
        C[7 * i] = m;
        for (int j = 0; j < 3; j++)
            C[6 * (3 + i) + 3 + j] = J[3 * i + j];
    }
    add(t, t->M, v, nv, 6, B, C);
}

static void inertia(maker *t, double m, double *J)
{
    definite(t, 3, J);
    for (int k = 0; k < 9; k++)
        J[k] *= 0.01 * m * t->L * t->L;
}

static void lump(maker *t, int p, double m, int rotary)
{
    const int v[1] = {p};
    const double w[1] = {1};
    double J[9] = {0};
    inertia(t, rotary ? m : 0, J);
    point(t, v, w, 1, t->x[p], m, J);
}

/* Three mass points on a joint, off its axis. */
static void points(maker *t, int a, int b)
{
    const int v[2] = {a, b};
    for (int k = 0; k < 3; k++) {
        double s = 0.1 + 0.4 * k, w[2] = {1 - s, s}, at[3], J[9], m = t->m * (0.2 + uniform(t));
        for (int c = 0; c < 3; c++)
            at[c] = (1 - s) * t->x[a][c] + s * t->x[b][c] +
                    (t->per == 6 || c < 2 ? 0.1 * t->L * random_real(&t->s) : 0);
        inertia(t, m, J);
        point(t, v, w, 2, at, m, J);
    }
}

/* Gradients of the shape functions of a simplex with n + 1 corners in n dimensions; its size. */
static double gradients(const maker *t, const int *v, int n, double g[4][3])
{
    real A[9], I[9] = {0}, det;
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++) {
            A[i + n * j] = t->x[v[i + 1]][j] - t->x[v[0]][j];
            I[i + n * j] = i == j;
        }
    det = n == 2 ? A[0] * A[3] - A[1] * A[2]
                 : A[0] * (A[4] * A[8] - A[5] * A[7]) - A[3] * (A[1] * A[8] - A[2] * A[7]) +
                       A[6] * (A[1] * A[5] - A[2] * A[4]);
    if (!real_solve(n, A, n, I))
        abort();
    for (int j = 0; j < n; j++) {
        g[0][j] = 0;
        for (int i = 0; i < n; i++) {
            g[i + 1][j] = (double)I[j + n * i]; /* column i: gradient of N_(i+1) */
            g[0][j] -= g[i + 1][j];
        }
    }
    return (double)fabsl(det) / (n == 2 ? 2 : 6);
}

static void simplex(maker *t, const int *v, int n, double scale)
{
    double g[4][3], B[6][24] = {{0}}, C[36], mass;
    int ns = n == 2 ? 3 : 6;
    double size = gradients(t, v, n, g);
    for (int k = 0; k <= n; k++)
        for (int i = 0; i < n; i++) {
            B[i][6 * k + i] = g[k][i];
            int a = (i + 1) % n, s = n == 2 ? 2 : 3 + i; /* shear of axes i and a */
            if (n == 3 || i == 0) {
                B[s][6 * k + i] = g[k][a];
                B[s][6 * k + a] = g[k][i];
            }
        }
    definite(t, ns, C);
    for (int k = 0; k < ns * ns; k++)
        C[k] *= scale * t->F * t->L * (size / pow(t->L, n));
    add(t, t->K, v, n + 1, ns, B, C);
    mass = t->m * (0.2 + size / pow(t->L, n));
    for (int p = 0; p <= n && !t->lumped; p++)
        for (int q = 0; q <= n; q++)
            for (int c = 0; c < n; c++)
                t->M[row(t, v[p], c) * t->nd + row(t, v[q], c)] +=
                    mass * (1 + (p == q)) / ((n + 1) * (n + 2));
}

static int solid(const maker *t)
{
    return t->a->kind == ANY_SOLID || t->a->kind == ANY_PLANE_SOLID;
}

static void place(maker *t)
{
    const double far = pick(t, 3) == 0 ? 20 : 1; /* off the origin */
    double off[3];
    int n = t->a->kind == ANY_SOLID ? 3 : 2;
    for (int c = 0; c < 3; c++)
        off[c] = far * random_real(&t->s) * t->L;
    for (int p = 0; p < t->nn; p++) {
        const int first = p - n - 1;
        t->parent[p] = p ? (pick(t, 3) ? p - 1 : pick(t, p)) : 0;
        for (int c = 0; c < 3; c++) {
            double from = p && !solid(t) ? t->x[t->parent[p]][c] : 0;
            t->x[p][c] = from + t->L * (solid(t) ? 0 : 0.6 * random_real(&t->s));
            if ((t->per < 6 && t->a->kind != ANY_SOLID && c == 2) ||
                (t->a->kind == ANY_CHAIN && c == 1))
                t->x[p][c] = 0;
            if (solid(t) && c < n) /* a strip of simplices, bent */
                t->x[p][c] = t->L * (c == p % (n + 1) ? 1 : 0) + t->L * 0.15 * random_real(&t->s) +
                             (c == 0 ? 0.4 : 0.1) * t->L * (p / (n + 1));
        }
        for (int k = 0; k <= n; k++)
            t->corner[p][k] = first + 1 + k;
    }
    for (int p = 0; p < t->nn; p++)
        for (int c = 0; c < (t->per == 6 || t->a->kind == ANY_SOLID ? 3
                             : t->a->kind == ANY_CHAIN              ? 1
                                                                    : 2);
             c++)
            t->x[p][c] += off[c];
}

/* Everything but lumps; node `from` starts a part of its own. */
static void elements(maker *t, int from)
{
    const double soft = t->a->weak ? (pick(t, 2) ? 1e-6 : 1e6) : 1;
    int n = t->a->kind == ANY_SOLID ? 3 : 2;
    for (int p = 0; p < t->nn; p++) {
        double C[36], scale = pow(10, 2 * random_real(&t->s));
        definite(t, 6, C);
        if (t->a->weak && p == t->nn - 1)
            scale *= soft;
        if (solid(t)) {
            if (p >= n)
                simplex(t, t->corner[p], n, scale);
            continue;
        }
        if (p == 0 || p == from)
            continue;
        int a = t->parent[p] < from && p > from ? from : t->parent[p];
        joint(t, a, p, scale, C);
        if (p % 3 == 2 && p - 2 != from && (p < from || p - 2 > from))
            joint(t, p - 2, p, scale, C);
        if (!t->lumped)
            points(t, a, p);
    }
}

static void lumps(maker *t)
{
    any_body *a = t->a;
    for (int p = 0; p < t->nn; p++) {
        int none = a->massless && (p % 4 == 1 || (a->massless_boundary && p == t->nn - 1));
        if (!none)
            lump(t, p, t->m * (0.1 + uniform(t)), !(a->massless && p % 4 == 2));
    }
}

/* Equal nodes at one place behind equal joints: roots of multiplicity. */
static void satellites(maker *t, int count)
{
    double C[36];
    uint64_t s;
    definite(t, 6, C);
    s = t->s;
    for (int p = (int)t->nn - count; p < t->nn; p++) {
        memcpy(t->x[p], t->x[t->nn - count], sizeof t->x[p]);
        joint(t, 0, p, 1, C);
        t->s = s; /* the same mass */
        lump(t, p, t->m, 1);
    }
}

static void choose(maker *t)
{
    static const int space[] = {0, 1, 2, 3, 4, 5}, plane[] = {0, 1, 5};
    static const int per[ANY_NKIND] = {6, 3, 3, 2, 1};
    any_body *a = t->a;
    int size = pick(t, 100), most = size < 70 ? 40 : size < 97 ? 90 : 250;
    a->kind = (any_kind)pick(t, ANY_NKIND);
    t->per = per[a->kind];
    t->comp = a->kind == ANY_PLANE_FRAME ? plane : space;
    int least = a->kind == ANY_CHAIN ? 5 : a->kind == ANY_FRAME ? 3 : 4;
    t->nn = least + pick(t, most / (int)t->per > least ? most / (int)t->per - least + 1 : 1);
    t->nn = t->nn > NODES ? NODES : t->nn;
    t->nd = t->nn * t->per;
    t->lumped = pick(t, 2);
    if (pick(t, 3) == 0) { /* wild units */
        t->L = pow(10, 4 * random_real(&t->s));
        t->m = pow(10, 7 * random_real(&t->s));
        t->F = pow(10, 9 * random_real(&t->s));
    } else {
        t->L = t->m = 1;
        t->F = 1e4;
    }
    a->massless = t->lumped && pick(t, 3) == 0 && t->nn > 4;
    a->massless_boundary = a->massless && pick(t, 3) == 0;
    a->held = pick(t, 3) == 0;
    a->weak = pick(t, 5) == 0;
    a->repeated = !solid(t) && pick(t, 5) == 0 && t->nn >= 8;
    a->parts = !solid(t) && !a->repeated && pick(t, 10) == 0 && t->nn >= 6;
    a->negative = pick(t, 12) == 0 && !a->parts;
    a->indefinite_mass = pick(t, 25) == 0;
}

static void odd(maker *t)
{
    any_body *a = t->a;
    if (a->negative) { /* at a node in the middle: as of a follower load */
        int64_t r = t->per * (t->nn / 2);
        t->K[r * (t->nd + 1)] -= 3 * t->F / t->L;
    }
    if (a->indefinite_mass) /* the diagonal stays positive */
        for (int64_t i = 0, j = t->per * (t->nn / 2); j < t->nd; j++)
            if (t->M[j * (t->nd + 1)] > 0 && i != j && t->M[i * (t->nd + 1)] > 0) {
                double x = 1.5 * sqrt(t->M[i * (t->nd + 1)] * t->M[j * (t->nd + 1)]);
                t->M[i * t->nd + j] = t->M[j * t->nd + i] = x;
                return;
            }
}

/* Upper compressed columns of A in the order `to`. */
static void sparse(const maker *t, const double *A, const int64_t *from, int upper, fb_csc *S)
{
    int64_t n = t->nd, nnz = 0;
    *S = (fb_csc){n, n, get(n + 1, 8), NULL, NULL, upper};
    for (int pass = 0; pass < 2; pass++) {
        nnz = 0;
        for (int64_t j = 0; j < n; j++) {
            S->p[j] = nnz;
            for (int64_t i = 0; i < (upper ? j + 1 : n); i++) {
                double x = A[from[i] * n + from[j]];
                if (x < 0 || x > 0) {
                    if (pass) {
                        S->i[nnz] = i;
                        S->x[nnz] = x;
                    }
                    nnz++;
                }
            }
        }
        S->p[n] = nnz;
        if (!pass) {
            S->i = get(nnz, 8);
            S->x = get(nnz, 8);
        }
    }
}

static real *dense(const fb_csc *A)
{
    real *B = real_new(A->n * A->n);
    for (int64_t j = 0; j < A->n; j++)
        for (int64_t q = A->p[j]; q < A->p[j + 1]; q++) {
            B[A->i[q] + j * A->n] = A->x[q];
            if (A->upper)
                B[j + A->i[q] * A->n] = A->x[q];
        }
    return B;
}

/* Labels, in an order of its own; nodes in another. */
static void label(maker *t, int64_t *from)
{
    any_body *a = t->a;
    fb_model *b = &a->b;
    int64_t *id = get(t->nn, 8);
    int mixed = pick(t, 2);
    fb_err e;
    *b = (fb_model){.nn = t->nn, .ndof = t->nd};
    if (fb_units_system(&b->units, "SI", &e))
        abort();
    b->node_id = get(t->nn, 8);
    b->xyz = get(3 * t->nn, 8);
    b->dof_node = get(t->nd, 8);
    b->dof_component = get(t->nd, 8);
    b->dof_class = get(t->nd, 8);
    for (int64_t p = 0; p < t->nn; p++)
        id[p] = mixed ? 7 + 3 * ((p * 31 + 5) % 97) + 1000 * (p % 3) : p + 1;
    for (int64_t p = 0; p < t->nn; p++) {
        int64_t at = mixed ? t->nn - 1 - p : p;
        b->node_id[at] = id[p];
        memcpy(b->xyz + 3 * at, t->x[p], sizeof t->x[p]);
    }
    for (int64_t d = 0; d < t->nd; d++)
        from[d] = d;
    for (int64_t d = t->nd - 1; mixed && d > 0; d--) {
        int64_t k = pick(t, (int)d + 1), swap = from[d];
        from[d] = from[k];
        from[k] = swap;
    }
    for (int64_t d = 0; d < t->nd; d++) {
        b->dof_node[d] = id[from[d] / t->per];
        b->dof_component[d] = t->comp[from[d] % t->per] + 1;
        if (a->held && from[d] / t->per == 1 &&
            !(t->nn % 2 && from[d] % t->per == t->per - 1 && t->per > 1))
            b->dof_class[d] = FB_DOF_FIXED;
    }
    int last = (int)t->nn - 1, first = a->repeated ? 2 : 0;
    snprintf(a->boundary, sizeof a->boundary, "%lld,%lld", (long long)id[first],
             (long long)id[last]);
    a->nb = 2 * t->per;
    if (pick(t, 4) == 0 ||
        a->nb + 1 > t->nd - (a->held ? t->per : 0)) { /* one node, or some of its dofs */
        snprintf(a->boundary, sizeof a->boundary, "%lld", (long long)id[last]);
        a->nb = t->per;
    }
    free(id);
}

static void damp(maker *t, double *A)
{
    int skew = pick(t, 2);
    memset(A, 0, sizeof *A * (size_t)(t->nd * t->nd));
    for (int64_t i = 0; i < t->nd; i++)
        for (int64_t j = 0; j <= i; j++)
            if (i - j < 7) {
                double unit = sqrt(fabs(t->K[i * (t->nd + 1)] * t->M[j * (t->nd + 1)]));
                A[i * t->nd + j] = unit * random_real(&t->s);
                A[j * t->nd + i] = skew ? unit * random_real(&t->s) : A[i * t->nd + j];
            }
}

void any_make(any_body *a, uint64_t seed)
{
    static const char *const kinds[] = {"frame", "solid", "plane frame", "plane solid", "chain"};
    maker *t = get(1, sizeof *t);
    int64_t *from;
    int satellite = 0;
    *a = (any_body){0};
    t->a = a;
    t->s = seed * 0x9e3779b97f4a7c15u + 1;
    random_real(&t->s);
    choose(t);
    t->K = get(t->nd * t->nd, 8);
    t->M = get(t->nd * t->nd, 8);
    from = get(t->nd, 8);
    place(t);
    if (a->repeated) {
        satellite = 3;
        t->nn -= satellite;
    }
    elements(t, a->parts ? (int)t->nn / 2 : 0);
    if (t->lumped)
        lumps(t);
    if (a->repeated) {
        t->nn += satellite;
        satellites(t, satellite);
    }
    odd(t);
    label(t, from);
    for (int64_t i = 0; i < t->nd; i++) /* sums of pairs differ in the last place */
        for (int64_t j = 0; j < i; j++) {
            t->K[i * t->nd + j] = t->K[j * t->nd + i];
            t->M[i * t->nd + j] = t->M[j * t->nd + i];
        }
    sparse(t, t->K, from, 1, &a->b.K);
    sparse(t, t->M, from, 1, &a->b.M);
    a->K = dense(&a->b.K);
    a->M = dense(&a->b.M);
    if (pick(t, 3) == 0) {
        double *A = get(t->nd * t->nd, 8);
        damp(t, A);
        sparse(t, A, from, 0, &a->b.D);
        a->D = dense(&a->b.D);
        free(A);
    }
    snprintf(a->what, sizeof a->what, "%s of %d nodes, %d dofs%s%s%s%s%s%s%s%s%s", kinds[a->kind],
             (int)t->nn, (int)t->nd, t->lumped ? ", lumped" : "",
             a->massless ? ", massless dofs" : "", a->massless_boundary ? " at the boundary" : "",
             a->held ? ", held" : "", a->negative ? ", negative stiffness" : "",
             a->indefinite_mass ? ", indefinite mass" : "", a->parts ? ", two parts" : "",
             a->repeated ? ", repeated roots" : "", a->weak ? ", weak interface" : "");
    free(t->K);
    free(t->M);
    free(from);
    free(t);
}

void any_free(any_body *a)
{
    fb_model_free(&a->b);
    free(a->K);
    free(a->M);
    free(a->D);
    *a = (any_body){0};
}

int64_t any_free_dofs(const any_body *a, int64_t *at)
{
    int64_t n = 0;
    for (int64_t d = 0; d < a->b.ndof; d++)
        if (a->b.dof_class[d] != FB_DOF_FIXED)
            at[n++] = d;
    return n;
}
