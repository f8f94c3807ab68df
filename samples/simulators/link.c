/* SPDX-License-Identifier: GPL-3.0-or-later */
/* link.c - from a link record (flexbody(5)) to a link whose hub is at the origin and held.
 *
 *   (2)  origin to the hub c = u_h:  I2 - I1 c;  I4 - c~ I3;  I7 - c~'I2~ - I2~'c~ + I1 c~'c~ (with
 *        the old I2);  I8_k - c~ (I3_k)~;  I3, I5, I6, I9 stay
 *   (3)  basis q = Q z:  I3 Q, I4 Q, S Q, Shat Q;  Q'K Q, Q'I6 Q, Q'D Q;  I8_k -> sum_i Q_ik I8_i;
 *        I5 and I9 in both coordinates
 *   (4)  rigid motion of a free body: V0 the six null vectors of K z = l I6 z, C the rows S, Shat
 *        of the hub: Qr = V0 (C V0)^-1, so that C Qr = E
 *   (5)  hub held: N the null space of C, Qe = N times eigenvectors of (N'K N, N'I6 N)
 * Basis   ffr, denoc: Qe; erls: [Qr, Qe], and K, D of Qr are zero
 * Refused rigid motion left, a hub that moves though the body is held, masses that are negative
 */
#include "sim.h"
#include <errno.h>
#include <hdf5.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct { /* a record as it is read, and its hub */
    hid_t h;
    flex raw;
    double hub[3], *C; /* place; rows S, Shat [6,m] */
    int rigid;         /* motions left */
} record;

/* ---- reading ------------------------------------------------------------------------------- */

static int there(const record *r, const char *path)
{
    char group[80];
    snprintf(group, sizeof group, "%.*s", (int)(strrchr(path, '/') - path), path);
    return H5Lexists(r->h, group, H5P_DEFAULT) > 0 && H5Lexists(r->h, path, H5P_DEFAULT) > 0;
}

/* Dataset of n numbers; n is what there are, if it is 0. */
static void *get(const record *r, const char *path, hid_t type, size_t *n)
{
    if (!there(r, path))
        fail(INPUT, "%s: no %s: a link record of linkexport is wanted", r->raw.file, path);
    const hid_t d = H5Dopen2(r->h, path, H5P_DEFAULT), space = d < 0 ? -1 : H5Dget_space(d);
    const hssize_t count = space < 0 ? -1 : H5Sget_simple_extent_npoints(space);
    if (count < 0 || (*n && (size_t)count != *n))
        fail(INPUT, "%s: %s has %lld numbers, wanted are %zu", r->raw.file, path, (long long)count,
             *n);
    *n = (size_t)count;
    void *x = array(*n + 1, 8);
    if (H5Dread(d, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, x) < 0)
        fail(INPUT, "%s: %s cannot be read", r->raw.file, path);
    H5Sclose(space);
    H5Dclose(d);
    return x;
}

static double *reals(const record *r, const char *path, size_t n)
{
    return get(r, path, H5T_NATIVE_DOUBLE, &n);
}

static void units(record *r)
{
    static const char *const kind[] = {"mass", "length", "time", "force"};
    for (int k = 0; k < 4; k++) {
        char name[40], text[80] = "";
        snprintf(name, sizeof name, "%s_to_SI", kind[k]);
        const hid_t si = H5Aopen(r->h, name, H5P_DEFAULT);
        snprintf(name, sizeof name, "%s_unit", kind[k]);
        const hid_t unit = H5Aopen(r->h, name, H5P_DEFAULT),
                    type = unit < 0 ? -1 : H5Aget_type(unit);
        if (si < 0 || type < 0 || H5Tget_size(type) >= sizeof text ||
            H5Aread(si, H5T_NATIVE_DOUBLE, &r->raw.si[k]) < 0 || H5Aread(unit, type, text) < 0)
            fail(INPUT, "%s: no unit of %s: a link record of linkexport is wanted", r->raw.file,
                 kind[k]);
        r->raw.unit[k] = strcpy(array(strlen(text) + 1, 1), text);
        H5Tclose(type);
        H5Aclose(unit);
        H5Aclose(si);
    }
}

/* Place and rows of a connector. */
static void connector(const record *r, long node, const char *what, double at[3], double *S,
                      double *Shat)
{
    size_t nc = 0, k = 0;
    long *id = get(r, "/connectors/node", H5T_NATIVE_LONG, &nc);
    const size_t row = 3 * (size_t)r->raw.m;
    char list[120] = "";
    while (k < nc && id[k] != node)
        k++;
    for (size_t c = 0; c < nc && strlen(list) < 100; c++)
        snprintf(list + strlen(list), 20, "%s%ld", c ? ", " : "", id[c]);
    free(id);
    if (k == nc)
        fail(INPUT,
             "%s: the %s, node %ld, is not among the connectors (%s): reduce --interface or "
             "linkexport --connectors names it",
             r->raw.file, what, node, list);
    double *place = reals(r, "/connectors/position", 3 * nc);
    double *s = reals(r, "/connectors/S", row * nc), *t = reals(r, "/connectors/Shat", row * nc);
    memcpy(at, place + 3 * k, 3 * sizeof *at);
    memcpy(S, s + row * k, sizeof *s * row);
    memcpy(Shat, t + row * k, sizeof *t * row);
    free(place);
    free(s);
    free(t);
}

static void matrices(record *r)
{
    flex *b = &r->raw;
    size_t mm = 0, one = 1;
    b->K = get(r, "/reduced/K", H5T_NATIVE_DOUBLE, &mm);
    b->m = (int)lround(sqrt((double)mm));
    const size_t m = (size_t)b->m;
    double *I1 = reals(r, "/invariants/I1", 1), *I2 = reals(r, "/invariants/I2", 3);
    double *I7 = reals(r, "/invariants/I7", 9);
    b->I1 = *I1;
    memcpy(b->I2, I2, sizeof b->I2);
    memcpy(b->I7, I7, sizeof b->I7);
    b->D = there(r, "/reduced/D") ? reals(r, "/reduced/D", mm) : array(mm + 1, sizeof *b->D);
    if (there(r, "/reduced/S") || there(r, "/reduced/G"))
        fail(INPUT, "%s: structural damping and gyroscopic matrices have no place in (1)", b->file);
    b->I3 = reals(r, "/invariants/I3", 3 * m);
    b->I4 = reals(r, "/invariants/I4", 3 * m);
    b->I5 = reals(r, "/invariants/I5", 3 * mm);
    b->I6 = reals(r, "/invariants/I6", mm);
    b->I8 = reals(r, "/invariants/I8", 9 * m);
    double *I9 = reals(r, "/invariants/I9", 9 * mm);
    b->I9 = array(9 * mm + 1, sizeof *I9);
    for (size_t k = 0; k < m; k++)
        for (size_t j = 0; j < m; j++)
            for (size_t c = 0; c < 9; c++)
                b->I9[(9 * k + c) * m + j] = I9[9 * (k * m + j) + c];
    long *left = get(r, "/verdict/rigid_left", H5T_NATIVE_LONG, &one);
    r->rigid = (int)*left;
    free(I1);
    free(I2);
    free(I7);
    free(I9);
    free(left);
}

/* ---- (2) ----------------------------------------------------------------------------------- */

static void origin_to(flex *b, const double c[3])
{
    const int m = b->m;
    double cx[9], I2x[9], sx[9], A[9];
    skew(c, cx);
    skew(b->I2, I2x);
    for (int k = 0; k < m; k++) {
        const double s[3] = {b->I3[k], b->I3[m + k], b->I3[2 * m + k]};
        double cs[3];
        cross(c, s, cs);
        skew(s, sx);
        mul(cx, sx, A);
        for (int a = 0; a < 3; a++)
            b->I4[a * m + k] -= cs[a];
        for (int a = 0; a < 9; a++)
            b->I8[9 * k + a] -= A[a];
    }
    for (int a = 0; a < 9; a++)
        A[a] = b->I1 * cx[a] - I2x[a]; /* c~'(I1 c~ - I2~) - I2~'c~ */
    for (int r = 0; r < 3; r++)
        for (int s = 0; s < 3; s++)
            for (int k = 0; k < 3; k++)
                b->I7[3 * r + s] += cx[3 * k + r] * A[3 * k + s] - I2x[3 * k + r] * cx[3 * k + s];
    for (int a = 0; a < 3; a++)
        b->I2[a] -= b->I1 * c[a];
}

/* ---- (3) ----------------------------------------------------------------------------------- */

/* rows [n,m] times Q [m,p] */
static double *rows(int n, int m, int p, const double *A, const double *Q)
{
    double *B = array((size_t)(n * p) + 1, sizeof *B);
    for (int i = 0; i < n; i++)
        for (int k = 0; k < m; k++)
            for (int j = 0; j < p; j++)
                B[i * p + j] += A[i * m + k] * Q[k * p + j];
    return B;
}

/* Q'A of A [m,n] */
static double *columns(int n, int m, int p, const double *A, const double *Q)
{
    double *B = array((size_t)(n * p) + 1, sizeof *B);
    product(p, n, m, Q, A, B, 0);
    return B;
}

static double *both(int m, int p, const double *A, const double *Q)
{
    double *AQ = rows(m, m, p, A, Q), *B = columns(p, m, p, AQ, Q);
    free(AQ);
    return B;
}

static void change_basis(const record *r, const double *Q, int p, flex *b)
{
    const flex *a = &r->raw;
    const int m = a->m;
    *b = *a;
    b->m = p;
    b->I3 = rows(3, m, p, a->I3, Q);
    b->I4 = rows(3, m, p, a->I4, Q);
    b->S = rows(3, m, p, a->S, Q);
    b->Shat = rows(3, m, p, a->Shat, Q);
    b->K = both(m, p, a->K, Q);
    b->D = both(m, p, a->D, Q);
    b->I6 = both(m, p, a->I6, Q);
    b->I8 = columns(9, m, p, a->I8, Q);
    double *I5 = rows(3 * m, m, p, a->I5, Q), *I9 = rows(9 * m, m, p, a->I9, Q);
    b->I5 = columns(3 * p, m, p, I5, Q);
    b->I9 = columns(9 * p, m, p, I9, Q);
    free(I5);
    free(I9);
}

/* ---- (4), (5) ------------------------------------------------------------------------------ */

/* Eigenvectors of (K, M), rows of V [m,m], ascending; M must be positive. */
static void eigenvectors(const record *r, int m, const double *K, const double *M, double *V,
                         double *lambda)
{
    int itype = 1, info = 0, lwork = 40 * m + 1;
    double *B = array((size_t)(m * m) + 1, sizeof *B), *work = array((size_t)lwork, sizeof *work);
    memcpy(V, K, sizeof *V * (size_t)(m * m));
    memcpy(B, M, sizeof *B * (size_t)(m * m));
    if (m)
        dsygv_(&itype, "V", "U", &m, V, &m, B, &m, lambda, work, &lwork, &info);
    if (info)
        fail(INPUT, "%s: the generalized mass I6 is indefinite or singular", r->raw.file);
    free(B);
    free(work);
}

/* Singular values of C [6,m] and its null space N [m, m - rank]; the rank. */
static int null_space(int m, const double *C, double *sigma, double *N)
{
    int six = 6, info = 0, lwork = 40 * (m + 6), rank = 0;
    double U[36], *V = array((size_t)(m * m) + 1, sizeof *V), *A = array((size_t)(6 * m) + 1, 8);
    double *work = array((size_t)lwork, sizeof *work);
    memcpy(A, C, sizeof *A * (size_t)(6 * m)); /* its columns are rows of C: C' is m x 6 */
    if (m)
        dgesvd_("A", "A", &m, &six, A, &m, sigma, V, &m, U, &six, work, &lwork, &info);
    while (rank < 6 && rank < m && sigma[rank] > 1e-9 * sigma[0])
        rank++;
    for (int i = 0; N && i < m; i++)
        for (int k = rank; k < m; k++)
            N[i * (m - rank) + k - rank] = V[k * m + i];
    free(V);
    free(A);
    free(work);
    return rank;
}

/* (4): Qr [m,6]; 0 where the hub does not hold the body. */
static int rigid_basis(const record *r, double *Qr)
{
    const int m = r->raw.m;
    int six = 6, pivot[6], info = 0;
    double *V = array((size_t)(m * m) + 1, sizeof *V), *lambda = array((size_t)m + 1, 8), sigma[6];
    double CV[36], E[36] = {0};
    eigenvectors(r, m, r->raw.K, r->raw.I6, V, lambda);
    for (int i = 0; i < 6; i++)
        for (int k = 0; k < 6; k++) {
            CV[6 * i + k] = 0;
            for (int j = 0; j < m; j++)
                CV[6 * i + k] += r->C[i * m + j] * V[k * m + j];
        }
    const int held = null_space(6, CV, sigma, NULL) == 6;
    for (int k = 0; k < 6; k++)
        E[7 * k] = 1;
    dgesv_(&six, &six, CV, &six, pivot, E, &six, &info); /* (CV)'^-1 by columns: CV^-1 by rows */
    for (int j = 0; j < m; j++)
        for (int k = 0; k < 6; k++) {
            Qr[6 * j + k] = 0;
            for (int i = 0; i < 6; i++)
                Qr[6 * j + k] += V[i * m + j] * E[6 * i + k];
        }
    free(V);
    free(lambda);
    return held && !info;
}

/* (5): Qe [m,n], all n columns. */
static double *held_basis(const record *r, int *n, double **hz)
{
    const int m = r->raw.m;
    double *N = array((size_t)(m * m) + 1, sizeof *N), sigma[6];
    if (r->rigid) {
        *n = m - null_space(m, r->C, sigma, N);
    } else {
        *n = m;
        for (int k = 0; k < m; k++)
            N[k * (m + 1)] = 1;
    }
    double *K = both(m, *n, r->raw.K, N), *M = both(m, *n, r->raw.I6, N);
    double *V = array((size_t)(*n * *n) + 1, sizeof *V);
    *hz = array((size_t)*n + 1, sizeof **hz);
    eigenvectors(r, *n, K, M, V, *hz);
    double *Qe = array((size_t)(m * *n) + 1, sizeof *Qe);
    for (int i = 0; i < m; i++)
        for (int k = 0; k < *n; k++)
            for (int j = 0; j < *n; j++)
                Qe[i * *n + k] += N[i * *n + j] * V[k * *n + j];
    for (int k = 0; k < *n; k++)
        (*hz)[k] = sqrt(fmax((*hz)[k], 0)) / 6.283185307179586;
    free(N);
    free(K);
    free(M);
    free(V);
    return Qe;
}

/* The basis [Qr, Qe] or Qe, its lowest `modes`. */
static double *basis(const record *r, int modes, int rigid, int *p, double **hz)
{
    const int m = r->raw.m;
    const char *file = r->raw.file;
    int n = 0;
    double largest = 0, *Qr = array((size_t)(6 * m) + 1, sizeof *Qr);
    if (r->rigid && (r->rigid != 6 || !rigid_basis(r, Qr)))
        fail(INPUT,
             "%s: %d rigid motions are in it that the hub does not hold: reduce --fix HUB, "
             "or all of a free body with a hub that has rotations",
             file, r->rigid);
    for (int k = 0; k < 6 * m; k++)
        largest = fmax(largest, fabs(r->C[k]));
    if (!r->rigid && largest > 1e-12)
        fail(INPUT, "%s: the body is held, and not at its hub, which moves: reduce --fix HUB",
             file);
    if (rigid && !r->rigid)
        fail(INPUT, "%s: erls wants rigid motion among the coordinates: reduce without --fix",
             file);
    double *Qe = held_basis(r, &n, hz);
    if (modes > n)
        fail(INPUT, "%s: %d modes are asked for; with its hub held it has %d", file, modes, n);
    modes = modes < 0 ? n : modes;
    if (modes > NMODE)
        fail(INPUT, "%s: %d modes are more than %d: choose by 'modes'", file, modes, NMODE);
    *p = 6 * rigid + modes;
    double *Q = array((size_t)(m * *p) + 1, sizeof *Q);
    for (int i = 0; i < m; i++)
        for (int k = 0; k < *p; k++)
            Q[i * *p + k] = k < 6 * rigid ? Qr[6 * i + k] : Qe[i * n + k - 6 * rigid];
    free(Qr);
    free(Qe);
    return Q;
}

/* ---- checks, pictures ---------------------------------------------------------------------- */

/* (6) at rest, scaled to a unit diagonal, has no negative eigenvalue. */
static void check_inertia(const flex *b, int rigid)
{
    const int n = 6 + b->m, lwork = 40 * n;
    int order = n, info = 0, size = lwork;
    const double zero[NCOORD] = {0};
    double *A = array((size_t)(n * n), sizeof *A), *lambda = array((size_t)n, 8), h[6 + NCOORD];
    double *work = array((size_t)lwork, sizeof *work);
    block(b, zero, zero, zero, A, h);
    for (int i = 0; i < n; i++)
        if (A[i * (n + 1)] < 0)
            fail(INPUT, "%s: indefinite inertia: a mass of %g", b->file, A[i * (n + 1)]);
    for (int i = 0; i < n; i++)
        for (int j = 0; j < i; j++) {
            const double unit = sqrt(A[i * (n + 1)] * A[j * (n + 1)]);
            A[i * n + j] = A[j * n + i] = unit > 0 ? A[i * n + j] / unit : 0;
        }
    for (int i = 0; i < n; i++)
        A[i * (n + 1)] = A[i * (n + 1)] > 0;
    dsyev_("N", "U", &order, A, &order, lambda, work, &size, &info);
    if (info || lambda[0] < (rigid ? -1e-6 : -1e-10))
        fail(INPUT,
             "%s: indefinite inertia: its rigid and elastic mass have a lowest eigenvalue of "
             "%.3g of their diagonal",
             b->file, lambda[0]);
    free(A);
    free(lambda);
    free(work);
}

/* Points and faces of a record with shapes (linkexport --with-T), else a line from hub to tip. */
static void draw(const record *r, const double *Q, flex *b)
{
    const int m = r->raw.m, p = b->m;
    picture *w = &b->picture;
    size_t nn = 0, nd = 0, nf = 0, ni = 0;
    if (!there(r, "/reduced/T") || !there(r, "/nodes/xyz") || !there(r, "/faces/offset")) {
        static int line[4] = {0, 2, 0, 1};
        *w = (picture){2, 1, line, line + 2, array(6, 8), array((size_t)(6 * p) + 1, 8)};
        memcpy(w->at + 3, b->tip, sizeof b->tip);
        memcpy(w->shape + 3 * p, b->S, sizeof *b->S * (size_t)(3 * p));
        return;
    }
    long *id = get(r, "/nodes/id", H5T_NATIVE_LONG, &nn);
    long *node = get(r, "/dofs/node", H5T_NATIVE_LONG, &nd);
    long *component = get(r, "/dofs/component", H5T_NATIVE_LONG, &nd);
    double *T = reals(r, "/reduced/T", nd * (size_t)m), *TQ = columns((int)nd, m, p, T, Q);
    w->offset = get(r, "/faces/offset", H5T_NATIVE_INT, &nf);
    w->index = get(r, "/faces/index", H5T_NATIVE_INT, &ni);
    w->at = reals(r, "/nodes/xyz", 3 * nn);
    w->shape = array(3 * nn * (size_t)p + 1, sizeof *w->shape);
    w->np = (int)nn;
    w->nf = (int)nf - 1;
    for (size_t k = 0; k < 3 * nn; k++)
        w->at[k] -= r->hub[k % 3];
    for (size_t d = 0, n = 0; d < nd; d++) { /* dofs follow the order of the nodes */
        for (size_t tried = 0; id[n] != node[d] && tried < nn; tried++)
            n = (n + 1) % nn;
        for (int k = 0; id[n] == node[d] && component[d] >= 1 && component[d] <= 3 && k < p; k++)
            w->shape[(3 * n + (size_t)component[d] - 1) * (size_t)p + (size_t)k] =
                TQ[(size_t)k * nd + d];
    }
    free(id);
    free(node);
    free(component);
    free(T);
    free(TQ);
}

static void free_raw(record *r)
{
    flex *b = &r->raw;
    double *all[] = {b->I3, b->I4, b->I5, b->I6, b->I8, b->I9, b->K, b->D, b->S, b->Shat, r->C};
    for (size_t k = 0; k < sizeof all / sizeof *all; k++)
        free(all[k]);
}

void read_link(flex *b, const char *file, long hub, long tip, int modes, double stiffer, int rigid)
{
    record r = {.raw.file = file};
    int p = 0;
    double *hz = NULL;
    FILE *there = fopen(file, "rb");
    if (!there)
        fail(SYSTEM, "%s: %s; records.sh makes the records of chains/", file, strerror(errno));
    fclose(there);
    H5Eset_auto2(H5E_DEFAULT, NULL, NULL);
    r.h = H5Fopen(file, H5F_ACC_RDONLY, H5P_DEFAULT);
    if (r.h < 0)
        fail(INPUT, "%s: cannot be opened as HDF5", file);
    units(&r);
    matrices(&r);
    const size_t row = 3 * (size_t)r.raw.m;
    r.C = array(2 * row + 1, sizeof *r.C);
    r.raw.S = array(row + 1, sizeof *r.raw.S);
    r.raw.Shat = array(row + 1, sizeof *r.raw.Shat);
    connector(&r, hub, "hub", r.hub, r.C, r.C + row);
    connector(&r, tip, "tip", r.raw.tip, r.raw.S, r.raw.Shat);
    for (int a = 0; a < 3; a++)
        r.raw.tip[a] -= r.hub[a];
    origin_to(&r.raw, r.hub);
    double *Q = basis(&r, modes, rigid, &p, &hz);
    change_basis(&r, Q, p, b);
    b->hz = hz;
    for (int k = 0; k < p; k++)
        for (int j = 0; j < p; j++) {
            const int elastic = !rigid || (k > 5 && j > 5);
            b->K[k * p + j] *= elastic ? stiffer : 0;
            b->D[k * p + j] *= elastic;
        }
    check_inertia(b, rigid);
    draw(&r, Q, b);
    free(Q);
    free_raw(&r);
    H5Fclose(r.h);
}
