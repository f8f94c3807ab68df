/* SPDX-License-Identifier: GPL-3.0-or-later */
/* link.c - from a link record (flexbody(5)) to a link whose hub is at the origin and held.
 *
 *   (2)  origin to the hub c = u_h:  I2 - I1 c;  I4 - c~ I3;  I7 - c~'I2~ - I2~'c~ + I1 c~'c~ (with
 *        the old I2);  I8_k - c~ (I3_k)~;  I3, I5, I6, I9 stay
 *   (3)  basis q = Q z:  I3 Q, I4 Q, S Q, Shat Q;  Q'K Q, Q'I6 Q, Q'D Q;  I8_k -> sum_i Q_ik I8_i;
 *        I5 and I9 in both coordinates
 *   (4)  rigid motion Qr of a free body, K Qr = 0 and C Qr = E with C the rows S, Shat of the hub:
 *        (K + s C'C) Qr = s C', s of the size of K
 *   (5)  hub held: the eigenvectors Qe of (N'K N, N'I6 N + C'C), N = E - Qr C, behind the six of Qr
 *        with eigenvalue 0: orthogonal to these, so that C Qe = 0. Of a body held at its hub N = E
 *   (25) of the loads of /geometric, rows C about the hub in lengths of the link and its weight:
 *        U = C'(C C')^-1 Kg, per unit of each load in the span of the rows;
 *        a := a + r~ c + (tr(W) - W) c
 * Basis   ffr, denoc: Qe; erls: [Qr, Qe], and K, D of Qr are zero
 * Refused rigid motion left, a hub that moves though the body is held, masses that are negative
 */
#include "sim.h"
#include <errno.h>
#include <hdf5.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

typedef struct { /* a record as it is read, and its hub */
    hid_t h;
    flex raw;
    double hub[3], *C, rigid; /* place; rows S, Shat [6,m]; motions left */
    long n;                   /* numbers read last */
} record;

/* Matrices in modal coordinates: [m,rows,m], without m where it is not modal on that side;
 * `elastic` ones know no rigid coordinates. Those without a path are made. */
static const struct {
    const char *path;
    size_t at;
    int first, rows, last, elastic;
} MATRIX[] = {
    {"/reduced/K", offsetof(flex, K), 1, 1, 1, 1},
    {"/invariants/I5", offsetof(flex, I5), 1, 3, 1, 0},
    {"/invariants/I6", offsetof(flex, I6), 1, 1, 1, 0},
    {"/invariants/I8", offsetof(flex, I8), 1, 9, 0, 0},
    {"/invariants/I9", offsetof(flex, I9), 1, 9, 1, 0},
    {NULL, offsetof(flex, D), 1, 1, 1, 1},
    {NULL, offsetof(flex, rows), 0, NUNIT, 1, 0},
    {NULL, offsetof(flex, U), 1, NUNIT, 1, 1},
};
enum { NMATRIX = sizeof MATRIX / sizeof *MATRIX };

static double **matrix(flex *b, int k)
{
    return (double **)(void *)((char *)b + MATRIX[k].at);
}

static int there(const record *r, const char *path)
{
    return H5Lexists(r->h, path, H5P_DEFAULT) > 0;
}

/* Dataset of n numbers, or of as many as there are if n < 0. */
static double *get(record *r, const char *path, long n)
{
    if (!there(r, path))
        fail(INPUT, r->raw.file, "no %s: a link record of linkexport is wanted", path);
    const hid_t d = H5Dopen2(r->h, path, H5P_DEFAULT), space = d < 0 ? -1 : H5Dget_space(d);
    const long count = space < 0 ? -1 : (long)H5Sget_simple_extent_npoints(space);
    double sum = 0, *x = array(r->n = count < 0 || count > INT32_MAX / 16 ? 0 : count);
    if (r->n != count || H5Dread(d, H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, x) < 0)
        fail(INPUT, r->raw.file, "%s cannot be read", path);
    if (n >= 0 && count != n)
        fail(INPUT, r->raw.file, "%s has %ld numbers, wanted are %ld", path, count, n);
    for (long k = 0; k < count; k++)
        sum += 0 * x[k];
    if (sum != 0)
        fail(INPUT, r->raw.file, "%s has numbers that are not finite", path);
    H5Sclose(space);
    H5Dclose(d);
    return x;
}

/* The attribute `kind` + `what`: of `type`, or a text of fixed length below 80 where that is 0. */
static void attribute(const record *r, const char *kind, const char *what, hid_t type, void *x)
{
    char name[40];
    snprintf(name, sizeof name, "%s%s", kind, what);
    const hid_t a = H5Aopen(r->h, name, H5P_DEFAULT);
    const hid_t own = a < 0 ? -1 : H5Aget_type(a), space = a < 0 ? -1 : H5Aget_space(a);
    if (own < 0 || H5Sget_simple_extent_npoints(space) != 1 || H5Tget_size(own) >= 80 ||
        H5Tis_variable_str(own) || H5Aread(a, type ? type : own, x) < 0)
        fail(INPUT, r->raw.file, "no unit of %s: a link record of linkexport is wanted", kind);
    H5Sclose(space);
    H5Tclose(own);
    H5Aclose(a);
}

/* Place and rows S, Shat [6,m] of a connector. */
static void connector(record *r, double node, const char *what, double at[3], double *rows)
{
    const double *id = get(r, "/connectors/node", -1);
    const long n = r->n;
    const int row = 3 * r->raw.m;
    long k = 0;
    char list[120] = "";
    while (k < n && id[k] != node)
        k++;
    for (long c = 0; c < n && strlen(list) < 100; c++)
        snprintf(list + strlen(list), 20, "%s%.0f", c ? ", " : "", id[c]);
    if (k == n)
        fail(INPUT, r->raw.file,
             "the %s, node %.0f, is not among the connectors (%s): reduce --interface or "
             "linkexport --connectors names it",
             what, node, list);
    copy(at, get(r, "/connectors/position", 3 * n) + 3 * k, 3);
    copy(rows, get(r, "/connectors/S", row * n) + row * k, row);
    copy(rows + row, get(r, "/connectors/Shat", row * n) + row * k, row);
}

static void matrices(record *r)
{
    flex *b = &r->raw;
    get(r, "/reduced/K", -1);
    const int mm = (int)r->n, m = b->m = (int)lround(sqrt((double)mm));
    for (int k = 0; k < NMATRIX; k++)
        if (MATRIX[k].path)
            *matrix(b, k) =
                get(r, MATRIX[k].path,
                    (MATRIX[k].first ? m : 1L) * MATRIX[k].rows * (MATRIX[k].last ? m : 1));
    b->D = there(r, "/reduced/D") ? get(r, "/reduced/D", mm) : array(mm);
    if (there(r, "/reduced/S") || there(r, "/reduced/G") || there(r, "/reduced/N"))
        fail(INPUT, b->file,
             "structural damping, gyroscopic and circulatory matrices have no place in (1)");
    b->I1 = *get(r, "/invariants/I1", 1);
    copy(b->I2, get(r, "/invariants/I2", 3), 3);
    copy(b->I7, get(r, "/invariants/I7", 9), 9);
    b->rows = array(NUNIT * m);
    copy(b->rows + OF_A * m, get(r, "/invariants/I3", 3 * m), 3 * m);
    copy(b->rows + OF_R * m, get(r, "/invariants/I4", 3 * m), 3 * m);
    const double *I9 = b->I9; /* [m,m,9] in the record */
    b->I9 = array(9 * mm);
    for (int k = 0; k < 9 * mm; k++)
        b->I9[(9 * (k / 9 / m) + k % 9) * m + k / 9 % m] = I9[k];
    r->rigid = *get(r, "/verdict/rigid_left", 1);
}

/* (25); loads at other nodes than the tip are left out. */
static void geometric(record *r, double tip)
{
    static const char *const part[] = {"acceleration", "angular", "centrifugal", "force", "moment"};
    static const int first[] = {OF_A, OF_R, OF_W, OF_F, OF_T, NUNIT};
    flex *b = &r->raw;
    const int m = b->m, mm = m * m;
    const double length = sqrt(dot(b->tip, b->tip)), *c = r->hub;
    if (!there(r, "/reduced/Kg"))
        return;
    const double *node = get(r, "/geometric/node", -1);
    const long all = r->n;
    const double *Kg = get(r, "/reduced/Kg", all * mm), **kept = array(all);
    double *C = array(NUNIT * (all + 1)), scale[NUNIT];
    int n = 0;
    for (int l = 0; l < NUNIT; l++)
        scale[l] = l < OF_R ? 1 : l < OF_F ? length : 1 / (b->I1 * (l < OF_T ? 1 : length));
    for (long k = 0; k < all; k++) {
        double *x = C + NUNIT * n, s = 0;
        for (int p = 0; p < 5; p++) {
            const int wide = first[p + 1] - first[p];
            char path[40];
            snprintf(path, sizeof path, "/geometric/%s", part[p]);
            copy(x + first[p], get(r, path, wide * all) + wide * k, wide);
        }
        const double *W = x + OF_W, trace = W[0] + W[4] + W[8];
        cross_add(1, x + OF_R, c, x);
        for (int a = 0; a < 9; a++)
            x[a / 3] += ((a % 4 == 0) * trace - W[a]) * c[a % 3];
        for (int l = 0; l < NUNIT; l++) {
            x[l] *= scale[l];
            s += fabs(x[l]);
        }
        kept[n] = Kg + k * mm;
        n += s > 0 && (node[k] == 0 || node[k] == tip);
    }
    const int many = n > NUNIT;
    double CC[NUNIT * NUNIT], Y[NUNIT * NUNIT];
    n = many ? 0 : n;
    gemm("NT", n, n, NUNIT, 1, C, C, 0, CC);
    for (int k = 0; k < NUNIT * n; k++)
        Y[k] = C[k % n * NUNIT + k / n];
    if (many || solve('L', n, NUNIT, CC, Y))
        fail(INPUT, b->file, "the loads of /geometric are not independent");
    b->U = array(NUNIT * mm);
    for (int k = 0; k < NUNIT * mm; k++)
        for (int i = 0, l = k / m % NUNIT; i < n; i++)
            b->U[k] += scale[l] * Y[l * n + i] * kept[i][k / m / NUNIT * m + k % m];
}

static void origin_to(flex *b, const double c[3])
{
    const int m = b->m;
    double cx[9], I2x[9], sx[9], A[9], *I3 = b->rows;
    skew(c, cx);
    skew(b->I2, I2x);
    for (int k = 0; k < m; k++) {
        const double s[3] = {I3[k], I3[m + k], I3[2 * m + k]};
        skew(s, sx);
        mul(cx, sx, A);
        for (int a = 0; a < 9; a++)
            b->I8[9 * k + a] -= A[a];
    }
    gemm("NN", 3, m, 3, -1, cx, I3, 1, b->rows + OF_R * m);
    for (int a = 0; a < 9; a++)
        A[a] = b->I1 * cx[a] - I2x[a]; /* c~'(I1 c~ - I2~) - I2~'c~ */
    gemm("TN", 3, 3, 3, 1, cx, A, 1, b->I7);
    gemm("TN", 3, 3, 3, -1, I2x, cx, 1, b->I7);
    for (int a = 0; a < 3; a++)
        b->I2[a] -= b->I1 * c[a];
}

/* A [m,rows,m] in the coordinates of Q [m,p] on either side that is modal. */
static double *project(int first, int rows, int last, const double *A, int m, int p,
                       const double *Q)
{
    const int lines = (first ? m : 1) * rows, width = rows * (last ? p : 1);
    double *AQ = array(lines * p), *B = array(first ? p * width : 0);
    if (last)
        gemm("NN", lines, p, m, 1, A, Q, 0, AQ);
    if (first)
        gemm("TN", p, width, m, 1, Q, last ? AQ : A, 0, B);
    return first ? B : AQ;
}

/* The basis [Qr, Qe] or Qe of b, its lowest `modes`; frequencies of Qe. */
static double *basis(const record *r, int modes, int rigid, flex *b)
{
    const int m = r->raw.m, free = r->rigid > 0, n = m - 6 * free;
    double largest = 0, size = 0, E[36], *N = array(m * m), *Qr = array(6 * m); /* Qr [6,m] */
    double *V = array(m * m), *lambda = array(m);
    int bad = free && (r->rigid != 6 || m < 6);
    for (int k = 0; k < 6 * m; k++)
        largest = fmax(largest, fabs(r->C[k]));
    for (int k = 0; k < m * m; k++) {
        N[k] = k % (m + 1) == 0;
        size += N[k] * r->raw.K[k];
    }
    size = size > 0 ? size / m : 1;
    if (free && !bad) { /* (4) */
        copy(V, r->raw.K, m * m);
        gemm("TN", m, m, 6, size, r->C, r->C, 1, V);
        for (int k = 0; k < 6 * m; k++)
            Qr[k] = size * r->C[k];
        bad = solve('P', m, 6, V, Qr);
        gemm("NT", 6, 6, m, 1, r->C, Qr, 0, E);
        for (int k = 0; k < 36; k++)
            bad |= !(fabs(E[k] - (k % 7 == 0)) < 1e-6);
    }
    if (bad)
        fail(INPUT, b->file,
             "%.0f rigid motions are in it that the hub does not hold: reduce --fix HUB, "
             "or all of a free body with a hub that has rotations",
             r->rigid);
    if (!free && largest > 1e-12)
        fail(INPUT, b->file, "the body is held, and not at its hub, which moves: reduce --fix HUB");
    if (rigid && !free)
        fail(INPUT, b->file, "erls wants rigid motion among the coordinates: reduce without --fix");
    if (modes > n)
        fail(INPUT, b->file, "%d modes are asked for; with its hub held it has %d", modes, n);
    modes = modes < 0 ? n : modes;
    if (modes > NMODE)
        fail(INPUT, b->file, "%d modes are more than %d: choose by 'modes'", modes, NMODE);
    gemm("TN", m, m, 6, -1, Qr, r->C, 1, N); /* (5) */
    V = project(1, 1, 1, r->raw.K, m, m, N);
    double *M = project(1, 1, 1, r->raw.I6, m, m, N);
    gemm("TN", m, m, 6, 1, r->C, r->C, 1, M);
    if (eigen(m, V, M, lambda))
        fail(INPUT, b->file, "the generalized mass I6 is indefinite or singular");
    b->m = rigid + modes;
    b->hz = array(n + 1); /* one is asked for, always */
    for (int k = 0; k < n; k++)
        b->hz[k] = sqrt(fmax(lambda[6 * free + k], 0)) / 6.283185307179586;
    double *Q = array(m * b->m);
    for (int k = 0; k < m * b->m; k++)
        Q[k] = k % b->m < rigid ? Qr[k % b->m * m + k / b->m]
                                : V[(k % b->m - rigid + 6 * free) * m + k / b->m];
    return Q;
}

/* (6) at rest, scaled to a unit diagonal, has no negative eigenvalue. */
static void check_inertia(body *s, int rigid)
{
    const flex *b = &s->link;
    const int n = 6 + b->m;
    double lambda[NROW] = {0}, *B = array(n * n);
    block(s);
    for (int i = 0; i < n; i++) {
        const double mass = s->Mass[i * (n + 1)];
        if (mass < 0)
            fail(INPUT, b->file, "indefinite inertia: a mass of %g", mass);
        B[i * (n + 1)] = mass > 0 ? mass : 1;
    }
    if (eigen(n, s->Mass, B, lambda) || lambda[0] < (rigid ? -1e-6 : -1e-10))
        fail(INPUT, b->file,
             "indefinite inertia: its rigid and elastic mass have a lowest eigenvalue of "
             "%.3g of their diagonal",
             lambda[0]);
}

/* Into the shapes of the points, whose nodes are id: rows of Y [p,n] of dofs that follow the order
 * of the nodes. */
static void at_points(flex *b, const double *id, const double *node, const double *component, int n,
                      const double *Y)
{
    const int nn = b->np, p = b->m;
    for (int d = 0, at = 0; d < n; d++) {
        for (int tried = 0; id[at] != node[d] && tried < nn; tried++)
            at = (at + 1) % nn;
        const int row = component[d] >= 1 && component[d] < 4 ? (int)component[d] - 1 : -1;
        for (int k = 0; id[at] == node[d] && row >= 0 && k < p; k++)
            b->shape[(3 * at + row) * p + k] = Y[k * n + d];
    }
}

/* What follows frames and is in no dof: x_all = G x, of TQ [p,nd]. */
static void recover(record *r, flex *b, const double *id, int nd, const double *TQ)
{
    if (!there(r, "/recovery/G"))
        return;
    const double *node = get(r, "/recovery/node", -1);
    const int na = (int)r->n, p = b->m;
    const double *component = get(r, "/recovery/component", na);
    const double *start = get(r, "/recovery/G/p", nd + 1L);
    const double *row = get(r, "/recovery/G/i", (long)start[nd]);
    const double *x = get(r, "/recovery/G/x", (long)start[nd]);
    double *Y = array((long)p * na);
    for (int d = 0; d < nd; d++)
        for (int q = (int)start[d]; q < (int)start[d + 1]; q++) {
            if (!(row[q] >= 0 && row[q] < na))
                fail(INPUT, b->file, "/recovery/G has rows that are not there");
            for (int k = 0; k < p; k++)
                Y[k * na + (int)row[q]] += x[q] * TQ[k * nd + d];
        }
    at_points(b, id, node, component, na, Y);
}

/* Points and faces of a record with shapes (linkexport --with-T), else a line from hub to tip. */
static void draw(record *r, const double *Q, flex *b)
{
    static double line[4] = {0, 2, 0, 1};
    const int m = r->raw.m, p = b->m;
    b->np = 2;
    b->nf = 1;
    b->offset = line;
    b->index = line + 2;
    b->at = array(6);
    b->shape = array(6 * p);
    copy(b->at + 3, b->tip, 3);
    copy(b->shape + 3 * p, b->rows + OF_F * p, 3 * p);
    if (!there(r, "/reduced/T") || !there(r, "/nodes/xyz") || !there(r, "/faces/offset"))
        return;
    const double *id = get(r, "/nodes/id", -1);
    const int nn = b->np = (int)r->n;
    const double *node = get(r, "/dofs/node", -1);
    const int nd = (int)r->n;
    const double *component = get(r, "/dofs/component", nd);
    const double *TQ = project(1, nd, 0, get(r, "/reduced/T", (long)nd * m), m, p, Q);
    b->offset = get(r, "/faces/offset", -1);
    b->nf = (int)r->n - 1;
    b->index = get(r, "/faces/index", -1);
    if (nn < 1 || b->nf < 0 || b->offset[b->nf] != (double)r->n)
        fail(INPUT, b->file, "/faces/offset does not end where /faces/index does");
    b->at = get(r, "/nodes/xyz", 3L * nn);
    b->shape = array(3L * nn * p);
    for (int k = 0; k < 3 * nn; k++)
        b->at[k] -= r->hub[k % 3];
    recover(r, b, id, nd, TQ);
    at_points(b, id, node, component, nd, TQ);
}

void read_link(body *s, int rigid)
{
    static const char *const kind[] = {"mass", "length", "time", "force"};
    const char *file = s->link.file;
    flex *b = &s->link;
    record r = {.raw.file = file};
    FILE *f = fopen(file, "rb");
    if (!f)
        fail(SYSTEM, file, "%s; records.sh makes the records of chains/", strerror(errno));
    fclose(f);
    H5Eset_auto2(H5E_DEFAULT, NULL, NULL);
    r.h = H5Fopen(file, H5F_ACC_RDONLY, H5P_DEFAULT);
    if (r.h < 0)
        fail(INPUT, file, "cannot be opened as HDF5");
    for (int k = 0; k < 4; k++) {
        attribute(&r, kind[k], "_to_SI", H5T_NATIVE_DOUBLE, r.raw.si + k);
        attribute(&r, kind[k], "_unit", 0, r.raw.unit[k] = array(10));
    }
    matrices(&r);
    const int m = r.raw.m;
    connector(&r, s->hub, "hub", r.hub, r.C = array(6 * m));
    connector(&r, s->end, "tip", r.raw.tip, r.raw.rows + OF_F * m);
    for (int a = 0; a < 3; a++)
        r.raw.tip[a] -= r.hub[a];
    geometric(&r, s->end);
    origin_to(&r.raw, r.hub);
    *b = r.raw;
    const double *Q = basis(&r, (int)s->modes, rigid, b);
    const int p = b->m;
    for (int k = 0; k < NMATRIX; k++) {
        const int rows = MATRIX[k].rows, pairs = MATRIX[k].elastic ? p * rows * p : 0;
        double *A = *matrix(b, k);
        if (A)
            A = *matrix(b, k) = project(MATRIX[k].first, rows, MATRIX[k].last, A, m, p, Q);
        for (int i = 0; A && i < pairs; i++)
            A[i] *= i / (rows * p) >= rigid && i % p >= rigid;
    }
    for (int k = 0; k < p * p; k++)
        b->K[k] *= s->stiffer;
    check_inertia(s, rigid);
    draw(&r, Q, b);
    H5Fclose(r.h);
}
