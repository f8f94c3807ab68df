/* SPDX-License-Identifier: GPL-3.0-or-later */
/* link.c - from a link record (flexbody(5)) to a link whose hub is at the origin and held.
 *
 *   (2)  origin to the hub c = u_h:  I2 - I1 c;  I4 - c~ I3;  I7 - c~'I2~ - I2~'c~ + I1 c~'c~ (with
 *        the old I2);  I8_k - c~ (I3_k)~;  I3, I5, I6, I9 stay
 *   (3)  basis q = Q z:  I3 Q, I4 Q, S Q, Shat Q;  Q'K Q, Q'I6 Q, Q'D Q;  I8_k -> sum_i Q_ik I8_i;
 *        I5 and I9 in both coordinates
 *   (4)  rigid motion of a free body: V0 the six null vectors of K z = l I6 z, C the rows S, Shat
 *        of the hub: Qr = V0 (C V0)^-1, so that C Qr = E
 *   (5)  hub held: the eigenvectors Qe of (N'K N, N'I6 N + C'C), N = E - Qr C, behind the six of Qr
 *        with eigenvalue 0: orthogonal to these, so that C Qe = 0. Of a body held at its hub N = E
 *   (25) of the loads of /geometric, rows C about the hub in lengths of the link and its weight:
 *        U = C'(C C')^-1 Kg, per unit of each load in the span of the rows; a := a + r~ c + (tr(W) - W) c
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
} record;

/* Matrices in modal coordinates: [m,rows,m], without m where it is not modal on that side. */
static const struct {
    const char *path;
    int first, rows, last;
} MATRIX[] = {
    {"/reduced/K", 1, 1, 1},       {"/invariants/I3", 0, 3, 1}, {"/invariants/I4", 0, 3, 1},
    {"/invariants/I5", 1, 3, 1},   {"/invariants/I6", 1, 1, 1}, {"/invariants/I8", 1, 9, 0},
    {"/invariants/I9", 1, 9, 1},   {"/reduced/D", 1, 1, 1},     {"/connectors/S", 0, 3, 1},
    {"/connectors/Shat", 0, 3, 1},
};
enum { NREAD = 7, NMATRIX = sizeof MATRIX / sizeof *MATRIX }; /* NREAD of them are always there */

static double **matrix(flex *b, int k)
{
    double **const all[NMATRIX] = {&b->K,  &b->I3, &b->I4, &b->I5, &b->I6,
                                   &b->I8, &b->I9, &b->D,  &b->S,  &b->Shat};
    return all[k];
}

static int there(const record *r, const char *path)
{
    return H5Lexists(r->h, path, H5P_DEFAULT) > 0;
}

/* Dataset of n numbers, n what there are if it is < 0. */
static double *get(const record *r, const char *path, int *n)
{
    if (!there(r, path))
        fail(INPUT, r->raw.file, "no %s: a link record of linkexport is wanted", path);
    const hid_t d = H5Dopen2(r->h, path, H5P_DEFAULT), space = d < 0 ? -1 : H5Dget_space(d);
    const hssize_t count = space < 0 ? -1 : H5Sget_simple_extent_npoints(space);
    if (count < 0 || count > INT32_MAX / 16 || (*n >= 0 && count != *n))
        fail(INPUT, r->raw.file, "%s has %lld numbers, wanted are %d", path, (long long)count, *n);
    double *x = array(*n = (int)count);
    if (H5Dread(d, H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, x) < 0)
        fail(INPUT, r->raw.file, "%s cannot be read", path);
    H5Sclose(space);
    H5Dclose(d);
    return x;
}

static double *numbers(const record *r, const char *path, int n)
{
    return get(r, path, &n);
}

static void units(record *r)
{
    static const char *const kind[] = {"mass", "length", "time", "force"};
    for (int k = 0; k < 4; k++) {
        char name[40], *text = array(10);
        snprintf(name, sizeof name, "%s_to_SI", kind[k]);
        const hid_t si = H5Aopen(r->h, name, H5P_DEFAULT);
        snprintf(name, sizeof name, "%s_unit", kind[k]);
        const hid_t unit = H5Aopen(r->h, name, H5P_DEFAULT),
                    type = unit < 0 ? -1 : H5Aget_type(unit);
        if (si < 0 || type < 0 || H5Tget_size(type) >= 80 ||
            H5Aread(si, H5T_NATIVE_DOUBLE, &r->raw.si[k]) < 0 || H5Aread(unit, type, text) < 0)
            fail(INPUT, r->raw.file, "no unit of %s: a link record of linkexport is wanted",
                 kind[k]);
        r->raw.unit[k] = text;
        H5Tclose(type);
        H5Aclose(unit);
        H5Aclose(si);
    }
}

/* Place and rows [6,m] of a connector. */
static double *connector(const record *r, double node, const char *what, double at[3])
{
    int nc = -1, k = 0;
    const double *id = get(r, "/connectors/node", &nc);
    const int row = 3 * r->raw.m;
    char list[120] = "";
    while (k < nc && id[k] != node)
        k++;
    for (int c = 0; c < nc && strlen(list) < 100; c++)
        snprintf(list + strlen(list), 20, "%s%.0f", c ? ", " : "", id[c]);
    if (k == nc)
        fail(INPUT, r->raw.file,
             "the %s, node %.0f, is not among the connectors (%s): reduce --interface or "
             "linkexport --connectors names it",
             what, node, list);
    double *rows = array(2 * row);
    copy(at, numbers(r, "/connectors/position", 3 * nc) + 3 * k, 3);
    copy(rows, numbers(r, "/connectors/S", row * nc) + row * k, row);
    copy(rows + row, numbers(r, "/connectors/Shat", row * nc) + row * k, row);
    return rows;
}

static void matrices(record *r)
{
    flex *b = &r->raw;
    int mm = -1;
    get(r, "/reduced/K", &mm);
    const int m = b->m = (int)lround(sqrt((double)mm));
    for (int k = 0; k < NREAD; k++)
        *matrix(b, k) =
            numbers(r, MATRIX[k].path,
                    MATRIX[k].rows * (MATRIX[k].first ? m : 1) * (MATRIX[k].last ? m : 1));
    b->D = there(r, "/reduced/D") ? numbers(r, "/reduced/D", mm) : array(mm);
    if (there(r, "/reduced/S") || there(r, "/reduced/G"))
        fail(INPUT, b->file, "structural damping and gyroscopic matrices have no place in (1)");
    b->I1 = *numbers(r, "/invariants/I1", 1);
    copy(b->I2, numbers(r, "/invariants/I2", 3), 3);
    copy(b->I7, numbers(r, "/invariants/I7", 9), 9);
    const double *I9 = b->I9; /* [m,m,9] in the record */
    b->I9 = array(9 * mm);
    for (int k = 0; k < 9 * mm; k++)
        b->I9[(9 * (k / 9 / m) + k % 9) * m + k / 9 % m] = I9[k];
    r->rigid = *numbers(r, "/verdict/rigid_left", 1);
}

/* (25); loads at other nodes than the tip are left out. */
static void geometric(record *r, double tip)
{
    static const struct {
        const char *path;
        int n;
    } part[] = {
        {"acceleration", 3}, {"angular", 3}, {"centrifugal", 9}, {"force", 3}, {"moment", 3}};
    flex *b = &r->raw;
    const int m = b->m, mm = m * m;
    const double length = sqrt(dot(b->tip, b->tip)), *c = r->hub;
    int all = -1, n = 0;
    if (!there(r, "/reduced/Kg"))
        return;
    const double *node = get(r, "/geometric/node", &all);
    const double *Kg = numbers(r, "/reduced/Kg", all * mm);
    double *C = array(NUNIT * all), *CC = array(all * all), *Y = array(NUNIT * all), scale[NUNIT];
    double *kept = array(all * mm);
    for (int l = 0; l < NUNIT; l++)
        scale[l] = l < OF_R ? 1 : l < OF_F ? length : 1 / (b->I1 * (l < OF_T ? 1 : length));
    for (int k = 0; k < all; k++) {
        double *x = C + NUNIT * n, s = 0;
        int at = 0;
        if (node[k] != 0 && node[k] != tip)
            continue;
        for (int p = 0; p < 5; at += part[p++].n) {
            char path[40];
            snprintf(path, sizeof path, "/geometric/%s", part[p].path);
            copy(x + at, numbers(r, path, part[p].n * all) + part[p].n * k, part[p].n);
        }
        const double *W = x + OF_W, trace = W[0] + W[4] + W[8];
        cross_add(1, x + OF_R, c, x);
        for (int a = 0; a < 9; a++)
            x[a / 3] += ((a % 4 == 0) * trace - W[a]) * c[a % 3];
        for (int l = 0; l < NUNIT; l++) {
            x[l] *= scale[l];
            s += fabs(x[l]);
        }
        copy(kept + n * mm, Kg + k * mm, mm);
        n += s > 0;
    }
    gemm("NT", n, n, NUNIT, 1, C, C, 0, CC);
    for (int k = 0; k < NUNIT * n; k++)
        Y[k] = C[k % n * NUNIT + k / n];
    if (n && solve(n, NUNIT, CC, Y))
        fail(INPUT, b->file, "the loads of /geometric are not independent");
    for (int k = 0; k < NUNIT * n; k++)
        Y[k] *= scale[k / n];
    b->U = array(NUNIT * mm);
    gemm("NN", NUNIT, mm, n, 1, Y, kept, 0, b->U);
}

static void origin_to(flex *b, const double c[3])
{
    const int m = b->m;
    double cx[9], I2x[9], sx[9], A[9];
    skew(c, cx);
    skew(b->I2, I2x);
    for (int k = 0; k < m; k++) {
        const double s[3] = {b->I3[k], b->I3[m + k], b->I3[2 * m + k]};
        skew(s, sx);
        mul(cx, sx, A);
        for (int a = 0; a < 9; a++)
            b->I8[9 * k + a] -= A[a];
    }
    gemm("NN", 3, m, 3, -1, cx, b->I3, 1, b->I4);
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

/* Eigenvectors of (N'K N, N'I6 N + C'C), rows of V [m,m], ascending; I6 must be positive. */
static double *eigenvectors(const record *r, const double *N, const double *C, double *lambda)
{
    const int m = r->raw.m;
    double *V = project(1, 1, 1, r->raw.K, m, m, N), *M = project(1, 1, 1, r->raw.I6, m, m, N);
    if (C)
        gemm("TN", m, m, 6, 1, C, C, 1, M);
    if (eigen(m, V, M, lambda))
        fail(INPUT, r->raw.file, "the generalized mass I6 is indefinite or singular");
    return V;
}

/* (4): Qr [m,6]; 0 where the hub does not hold the body. */
static int rigid_basis(const record *r, const double *E, double *Qr)
{
    const int m = r->raw.m;
    double CV[36], pivot[2] = {INFINITY, 0}, *V = eigenvectors(r, E, NULL, array(m));
    gemm("NT", 6, 6, m, 1, r->C, V, 0, CV);
    for (int k = 0; k < 6 * m; k++) /* Qr' = (C V0)'^-1 V0' */
        Qr[k] = V[k % 6 * m + k / 6];
    const int bad = solve(6, m, CV, Qr);
    for (int k = 0; k < 6; k++) {
        pivot[0] = fmin(pivot[0], fabs(CV[7 * k]));
        pivot[1] = fmax(pivot[1], fabs(CV[7 * k]));
    }
    return !bad && pivot[0] > 1e-9 * pivot[1];
}

/* The basis [Qr, Qe] or Qe, its lowest `modes`; frequencies of Qe. */
static double *basis(const record *r, int modes, int rigid, int *p, double **hz)
{
    const int m = r->raw.m, free = r->rigid > 0, n = m - 6 * free;
    const char *file = r->raw.file;
    double largest = 0, *N = array(m * m), *Qr = array(6 * m), *lambda = array(m);
    for (int k = 0; k < m; k++)
        N[k * (m + 1)] = 1;
    if (free && (r->rigid != 6 || m < 6 || !rigid_basis(r, N, Qr)))
        fail(INPUT, file,
             "%.0f rigid motions are in it that the hub does not hold: reduce --fix HUB, "
             "or all of a free body with a hub that has rotations",
             r->rigid);
    for (int k = 0; k < 6 * m; k++)
        largest = fmax(largest, fabs(r->C[k]));
    if (!free && largest > 1e-12)
        fail(INPUT, file, "the body is held, and not at its hub, which moves: reduce --fix HUB");
    if (rigid && !free)
        fail(INPUT, file, "erls wants rigid motion among the coordinates: reduce without --fix");
    gemm("NN", m, m, 6, -free, Qr, r->C, 1, N);
    const double *V = eigenvectors(r, N, free ? r->C : NULL, lambda) + 6 * free * m;
    if (modes > n)
        fail(INPUT, file, "%d modes are asked for; with its hub held it has %d", modes, n);
    modes = modes < 0 ? n : modes;
    if (modes > NMODE)
        fail(INPUT, file, "%d modes are more than %d: choose by 'modes'", modes, NMODE);
    *p = rigid + modes;
    *hz = array(n);
    for (int k = 0; k < n; k++)
        (*hz)[k] = sqrt(fmax(lambda[6 * free + k], 0)) / 6.283185307179586;
    double *Q = array(m * *p);
    for (int i = 0; i < m; i++)
        for (int k = 0; k < *p; k++)
            Q[i * *p + k] = k < rigid ? Qr[6 * i + k] : V[(k - rigid) * m + i];
    return Q;
}

/* (6) at rest, scaled to a unit diagonal, has no negative eigenvalue. */
static void check_inertia(const flex *b, int rigid)
{
    const int n = 6 + b->m;
    double zero[NROW] = {0}, lambda[NROW] = {0}, h[NROW], *A = array(n * n), *B = array(n * n);
    block(b, zero, zero, A, h);
    for (int i = 0; i < n; i++) {
        const double mass = A[i * (n + 1)];
        if (mass < 0)
            fail(INPUT, b->file, "indefinite inertia: a mass of %g", mass);
        B[i * (n + 1)] = mass > 0 ? mass : 1;
    }
    if (eigen(n, A, B, lambda) || lambda[0] < (rigid ? -1e-6 : -1e-10))
        fail(INPUT, b->file,
             "indefinite inertia: its rigid and elastic mass have a lowest eigenvalue of "
             "%.3g of their diagonal",
             lambda[0]);
}

/* Points and faces of a record with shapes (linkexport --with-T), else a line from hub to tip. */
static void draw(const record *r, const double *Q, flex *b)
{
    static double line[4] = {0, 2, 0, 1};
    const int m = r->raw.m, p = b->m;
    int nn = -1, nd = -1, nf = -1, ni = -1;
    if (!there(r, "/reduced/T") || !there(r, "/nodes/xyz") || !there(r, "/faces/offset")) {
        b->np = 2;
        b->nf = 1;
        b->offset = line;
        b->index = line + 2;
        b->at = array(6);
        b->shape = array(6 * p);
        copy(b->at + 3, b->tip, 3);
        copy(b->shape + 3 * p, b->S, 3 * p);
        return;
    }
    const double *id = get(r, "/nodes/id", &nn), *node = get(r, "/dofs/node", &nd);
    const double *component = numbers(r, "/dofs/component", nd);
    const double *TQ = project(1, nd, 0, numbers(r, "/reduced/T", nd * m), m, p, Q);
    b->offset = get(r, "/faces/offset", &nf);
    b->index = get(r, "/faces/index", &ni);
    b->at = numbers(r, "/nodes/xyz", 3 * nn);
    b->shape = array(3 * nn * p);
    b->np = nn;
    b->nf = nf - 1;
    for (int k = 0; k < 3 * nn; k++)
        b->at[k] -= r->hub[k % 3];
    for (int d = 0, n = 0; d < nd; d++) { /* dofs follow the order of the nodes */
        for (int tried = 0; id[n] != node[d] && tried < nn; tried++)
            n = (n + 1) % nn;
        const int row = (int)component[d] - 1;
        for (int k = 0; id[n] == node[d] && row >= 0 && row < 3 && k < p; k++)
            b->shape[(3 * n + row) * p + k] = TQ[k * nd + d];
    }
}

void read_link(flex *b, const char *file, double hub, double tip, int modes, double stiffer,
               int rigid)
{
    record r = {.raw.file = file};
    FILE *there = fopen(file, "rb");
    if (!there)
        fail(SYSTEM, file, "%s; records.sh makes the records of chains/", strerror(errno));
    fclose(there);
    H5Eset_auto2(H5E_DEFAULT, NULL, NULL);
    r.h = H5Fopen(file, H5F_ACC_RDONLY, H5P_DEFAULT);
    if (r.h < 0)
        fail(INPUT, file, "cannot be opened as HDF5");
    units(&r);
    matrices(&r);
    const int m = r.raw.m;
    r.C = connector(&r, hub, "hub", r.hub);
    r.raw.S = connector(&r, tip, "tip", r.raw.tip);
    r.raw.Shat = r.raw.S + 3 * m;
    for (int a = 0; a < 3; a++)
        r.raw.tip[a] -= r.hub[a];
    geometric(&r, tip);
    origin_to(&r.raw, r.hub);
    *b = r.raw;
    const double *Q = basis(&r, modes, rigid, &b->m, &b->hz);
    for (int k = 0; k < NMATRIX; k++)
        *matrix(b, k) = project(MATRIX[k].first, MATRIX[k].rows, MATRIX[k].last, *matrix(&r.raw, k),
                                m, b->m, Q);
    const int p = b->m, pp = p * p;
    b->S = memcpy(array(6 * p), b->S, sizeof(double) * 3 * (size_t)p);
    b->Shat = memcpy(b->S + 3 * p, b->Shat, sizeof(double) * 3 * (size_t)p);
    b->U = r.raw.U ? array(NUNIT * pp) : NULL;
    for (int l = 0; b->U && l < NUNIT; l++) {
        copy(b->U + l * pp, project(1, 1, 1, r.raw.U + l * m * m, m, p, Q), pp);
        for (int k = 0; k < pp; k++)
            b->U[l * pp + k] *= k / p >= rigid && k % p >= rigid;
    }
    for (int k = 0; k < b->m * b->m; k++) {
        const int elastic = k / b->m >= rigid && k % b->m >= rigid;
        b->K[k] *= elastic ? stiffer : 0;
        b->D[k] *= elastic;
    }
    check_inertia(b, rigid);
    draw(&r, Q, b);
    H5Fclose(r.h);
}
