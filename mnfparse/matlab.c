/* SPDX-License-Identifier: GPL-3.0-or-later */
/* matlab.c - MATLAB .mat files: version 4 by itself; 5 and 7 through libmatio; 7.3 as the HDF5 it is
 * (libmatio 1.5.23 reads only class names padded as MATLAB does, not those of h5py or Julia).
 *
 * Variables  numeric, two-dimensional, full or sparse, at the top or in scalar structs
 *            by name (any case, also as fields): K Kr Kgg Kaa stiffness, M Mr Mgg Maa mass,
 *            D Dr C Cr Dgg damping; nodes [id x y z]; dofs [node component]; DOF [node.component]
 *            K, M, D of three columns are entries: row, column (from 1), value
 *            origins [x y z] beside a full K: reduced-order flexible solid of Simscape: 6 dofs a
 *            frame, then modal coordinates
 *            phi, modes, shapes [dofs x modes] beside freq, f, fn [Hz], where there is no K: the modes
 *            of a test (matlab_shapes.c)
 *            everything else square is kept with its name, for --stiffness and --mass
 * Law        libmatio is given no file whose sizes do not fit, and nothing it gives is believed:
 *            shapes against the file's size before data is read, columns and rows after
 * Source     MAT-File Format, The MathWorks (R2023); files written by MATLAB 4.2c .. 7.4, Octave
 *            7.3, SciPy and h5py
 */
#include "lines.h"
#include "matlab.h"
#include "reader.h"
#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <matio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <unistd.h>

enum { DEPTH = 4, HEADER = 128, USER_BLOCK = 512, MOST_BLOWN_UP = 1100 /* zlib: 1032, and some */,
       PATIENCE = 100000 /* empty columns, whatever the size of the file */ };

typedef struct { /* one variable, from either source */
    const char *name;
    int64_t     m, n;
    const double *re, *im; /* full: [n][m], column by column; im may be NULL */
} full;

typedef struct {
    fb_parts   *p;
    const char *origin;
    fb_log     *log;
    int64_t     size;      /* of the file */
    int64_t     used;      /* variables that meant something */
    char        seen[256]; /* names of all, for messages */
    /* Simscape: frame origins, as found */
    double  *origins;
    int64_t  frames;
    fb_mat_shapes shapes;
} reader;

/* ---- what a name means ------------------------------------------------------------------ */

static const char *last_part(const char *name)
{
    const char *dot = strrchr(name, '.');
    return dot ? dot + 1 : name;
}

static int named(const char *name, const char *const *list)
{
    const char *p = last_part(name);
    for (; *list; list++)
        if (fb_word_is(p, p + strlen(p), *list))
            return 1;
    return 0;
}

static fb_role role_of(const char *name)
{
    static const char *const K[] = {"k", "kr", "kgg", "kaa", "kff", "stiffness", "stiff", "stif", NULL},
                             *const M[] = {"m", "mr", "mgg", "maa", "mff", "mass", NULL},
                             *const D[] = {"d", "dr", "c", "cr", "dgg", "bgg", "baa", "damping", "damp", NULL};
    return named(name, K) ? FB_ROLE_STIFFNESS : named(name, M) ? FB_ROLE_MASS : named(name, D) ? FB_ROLE_DAMPING : FB_ROLE_UNKNOWN;
}

static void saw(reader *r, const char *name, int64_t m, int64_t n)
{
    size_t at = strlen(r->seen);
    snprintf(r->seen + at, sizeof r->seen - at, "%s%.40s (%lld by %lld)", at ? ", " : "", name, (long long)m, (long long)n);
}

/* ---- tables ----------------------------------------------------------------------------- */

static int whole(double x)
{
    return fabs(x) < 1e15 && x == floor(x);
}

static fb_status use_nodes(reader *r, const full *v, fb_err *e)
{
    for (int64_t k = 0; k < v->m; k++) {
        double xyz[3];
        for (int c = 0; c < 3; c++) {
            xyz[c] = v->re[(c + 1) * v->m + k];
            if (!isfinite(xyz[c]))
                return fb_fail(e, FB_EFORMAT, "variable %s, row %lld: a coordinate is not finite", v->name, (long long)k + 1);
        }
        if (!whole(v->re[k]))
            return fb_fail(e, FB_EFORMAT, "variable %s, row %lld: node number %g is not whole", v->name, (long long)k + 1, v->re[k]);
        fb_status s = fb_parts_node(r->p, (int64_t)v->re[k], xyz, NULL, e);
        if (s)
            return s;
    }
    r->used++;
    return FB_OK;
}

/* [node component], or one column of node.component: 12.03 is component 3 of node 12. */
static fb_status use_dofs(reader *r, const full *v, fb_err *e)
{
    fb_labels t = {0};
    fb_status s = FB_OK;
    if (r->p->ntable) {
        s = fb_fail(e, FB_EFORMAT, "variable %s: a second dof table", v->name);
        goto out;
    }
    FB_TRY(fb_new(&t.node, v->m, sizeof *t.node, "dof table", e));
    FB_TRY(fb_new(&t.component, v->m, sizeof *t.component, "dof table", e));
    for (int64_t k = 0; k < v->m; k++) {
        double node = v->n == 1 ? floor(v->re[k]) : v->re[k],
               component = v->n == 1 ? round(100 * (v->re[k] - node)) : v->re[v->m + k];
        if (!whole(node) || !whole(component) || component < 0 || component > 6) {
            s = fb_fail(e, FB_EFORMAT, "variable %s, row %lld: %g, %g is no node and component (0..6)", v->name, (long long)k + 1, node,
                        component);
            goto out;
        }
        t.node[k] = (int64_t)node;
        t.component[k] = (int64_t)component;
    }
    r->p->table = t;
    r->p->ntable = v->m;
    t = (fb_labels){0};
    r->used++;
out:
    free(t.node);
    free(t.component);
    return s;
}

static fb_status use_origins(reader *r, const full *v, fb_err *e)
{
    fb_status s = fb_new(&r->origins, 3 * v->m, sizeof *r->origins, "frame origins", e);
    if (s)
        return s;
    r->frames = v->m;
    for (int64_t k = 0; k < v->m; k++)
        for (int c = 0; c < 3; c++)
            r->origins[3 * k + c] = v->re[c * v->m + k];
    return FB_OK;
}

/* ---- matrices --------------------------------------------------------------------------- */

/* Users store a half of a symmetric matrix with or without meaning to: an empty triangle says so. */
static fb_status whole_matrix(reader *r, const char *name, fb_csc *A, double **imag, fb_err *e)
{
    int64_t lower = 0, upper = 0;
    for (int64_t j = 0; j < A->n; j++)
        for (int64_t q = A->p[j]; q < A->p[j + 1]; q++) {
            lower += A->i[q] > j && A->x[q] != 0;
            upper += A->i[q] < j && A->x[q] != 0;
        }
    if ((lower == 0) == (upper == 0))
        return FB_OK;
    fb_note(r->log, "variable %s holds the %s triangle only: mirrored", name, lower ? "lower" : "upper");
    return fb_csc_fold(A, imag, name, NULL, e);
}

static int finite_matrix(const fb_csc *A, const double *imag)
{
    for (int64_t q = 0; q < A->p[A->n]; q++)
        if (!isfinite(A->x[q]) || (imag && !isfinite(imag[q])))
            return 0;
    return 1;
}

/* Takes A and imag, whatever comes of it. */
static fb_status use_matrix_take(reader *r, const char *name, fb_csc *A, double *imag, fb_err *e)
{
    fb_role role = role_of(name);
    fb_matrix *a;
    fb_status s = FB_OK;
    if (role != FB_ROLE_UNKNOWN && A->m != A->n) {
        fb_note(r->log, "variable %s is %lld by %lld: no matrix of the model", name, (long long)A->m, (long long)A->n);
        role = FB_ROLE_OTHER;
    } else if (A->m != A->n || A->m == 1) {
        role = FB_ROLE_OTHER;
    }
    if (!finite_matrix(A, imag)) {
        if (role != FB_ROLE_OTHER)
            s = fb_fail(e, FB_EFORMAT, "variable %s holds values that are not finite", name);
        goto out;
    }
    if (role != FB_ROLE_OTHER && role != FB_ROLE_UNKNOWN)
        FB_TRY(whole_matrix(r, name, A, &imag, e));
    FB_TRY(fb_parts_matrix(r->p, name, r->origin, role, &a, e));
    a->A = *A;
    a->imag = imag;
    *A = (fb_csc){0};
    imag = NULL;
    r->used++;
out:
    fb_csc_free(A);
    free(imag);
    return s;
}

/* Rows of (row, column, value), from 1: what people paste from an Abaqus COORDINATE file. */
static fb_status use_triplets(reader *r, const full *v, fb_err *e)
{
    fb_fill f = {0};
    fb_csc A = {0};
    double top = 0;
    fb_status s = FB_OK;
    for (int64_t k = 0; k < v->m; k++)
        for (int c = 0; c < 2; c++) {
            double i = v->re[c * v->m + k];
            if (!whole(i) || i < 1 || i > PATIENCE + (double)r->size)
                return fb_fail(e, FB_EFORMAT, "variable %s, row %lld: %g is no index; three columns are read as row, column, value", v->name,
                               (long long)k + 1, i);
            top = fmax(top, i);
        }
    FB_TRY(fb_fill_new(&f, (int64_t)top, (int64_t)top, 0, e));
    for (int64_t k = 0; k < v->m; k++)
        fb_fill_count(&f, (int64_t)v->re[v->m + k] - 1);
    FB_TRY(fb_fill_start(&f, 0, e));
    for (int64_t k = 0; k < v->m; k++)
        fb_fill_place(&f, (int64_t)v->re[k] - 1, (int64_t)v->re[v->m + k] - 1, v->re[2 * v->m + k]);
    FB_TRY(fb_fill_finish(&f, &A, NULL, NULL, e));
    s = use_matrix_take(r, v->name, &A, NULL, e);
out:
    fb_fill_free(&f);
    return s;
}

static fb_status use_full_matrix(reader *r, const full *v, fb_err *e)
{
    fb_fill f = {0};
    fb_csc A = {0};
    double *imag = NULL;
    fb_status s = FB_OK;
    FB_TRY(fb_fill_new(&f, v->m, v->n, 0, e));
    for (int pass = 0; pass < 2; pass++) {
        for (int64_t j = 0; j < v->n; j++)
            for (int64_t i = 0; i < v->m; i++) {
                int64_t q = j * v->m + i;
                if (v->re[q] == 0 && !(v->im && v->im[q] != 0))
                    continue;
                if (pass == 0) {
                    fb_fill_count(&f, j);
                    continue;
                }
                int64_t at = fb_fill_place(&f, i, j, v->re[q]);
                if (v->im)
                    f.imag[at] = v->im[q];
            }
        if (pass == 0)
            FB_TRY(fb_fill_start(&f, v->im != NULL, e));
    }
    FB_TRY(fb_fill_finish(&f, &A, &imag, NULL, e));
    s = use_matrix_take(r, v->name, &A, imag, e);
out:
    fb_fill_free(&f);
    return s;
}

/* Column starts [n+1], row indices and values of a sparse matrix, not to be trusted. */
static fb_status use_sparse(reader *r, const char *name, int64_t m, int64_t n, const int64_t *start, const int64_t *row,
                            const double *x, const double *y, fb_err *e)
{
    fb_fill f = {0};
    fb_csc A = {0};
    double *imag = NULL;
    const int64_t nnz = start[n];
    fb_status s = FB_OK;
    saw(r, name, m, n);
    if (nnz > 0 && (!row || !x)) {
        s = fb_fail(e, FB_EFORMAT, "variable %s: %lld entries are announced, there are none", name, (long long)nnz);
        goto out;
    }
    for (int64_t j = 0; j < n; j++)
        if (start[j] < 0 || start[j] > start[j + 1] || start[0] != 0 || start[j + 1] > nnz) {
            s = fb_fail(e, FB_EFORMAT, "variable %s, column %lld: column start out of order", name, (long long)j + 1);
            goto out;
        }
    for (int64_t q = 0; q < nnz; q++)
        if (row[q] < 0 || row[q] >= m) {
            s = fb_fail(e, FB_EFORMAT, "variable %s, entry %lld: row %lld, there are %lld", name, (long long)q + 1, (long long)row[q] + 1,
                        (long long)m);
            goto out;
        }
    FB_TRY(fb_fill_new(&f, m, n, 0, e));
    for (int64_t j = 0; j < n; j++)
        f.A.p[j + 1] = start[j + 1] - start[j];
    FB_TRY(fb_fill_start(&f, y != NULL, e));
    for (int64_t j = 0, q = 0; j < n; j++)
        for (; q < start[j + 1]; q++) {
            int64_t at = fb_fill_place(&f, row[q], j, x[q]);
            if (f.imag)
                f.imag[at] = y[q];
        }
    FB_TRY(fb_fill_finish(&f, &A, &imag, NULL, e));
    s = use_matrix_take(r, name, &A, imag, e);
out:
    fb_fill_free(&f);
    return s;
}

/* Shapes and frequencies are kept beside what else the variables may be. */
static fb_status use_modes(reader *r, const full *v, fb_err *e)
{
    static const char *const shapes[] = {"phi", "psi", "modes", "shapes", "modeshapes", "mode_shapes", "eigenvectors", NULL},
                             *const hz[] = {"f", "fn", "freq", "freqs", "frequency", "frequencies", "hz", NULL};
    if (named(v->name, shapes))
        return fb_mat_shapes_set(&r->shapes, v->name, v->m, v->n, v->re, v->im, e);
    if (named(v->name, hz) && (v->m == 1 || v->n == 1))
        return fb_mat_shapes_hz(&r->shapes, v->m * v->n, v->re, e);
    return FB_OK;
}

static fb_status use_full(reader *r, const full *v, fb_err *e)
{
    static const char *const nodes[] = {"nodes", "node", "coordinates", "xyz", NULL}, *const dofs[] = {"dofs", "dof", NULL},
                             *const origins[] = {"origins", NULL};
    saw(r, v->name, v->m, v->n);
    if (v->m < 1 || v->n < 1)
        return FB_OK;
    fb_status s = use_modes(r, v, e);
    if (s)
        return s;
    if (named(v->name, nodes) && v->n == 4)
        return use_nodes(r, v, e);
    if (named(v->name, dofs) && v->n <= 2)
        return use_dofs(r, v, e);
    if (named(v->name, origins) && v->n == 3 && !r->origins)
        return use_origins(r, v, e);
    if (role_of(v->name) != FB_ROLE_UNKNOWN && v->n == 3 && v->m > 3)
        return use_triplets(r, v, e);
    return use_full_matrix(r, v, e);
}

/* Simscape: 6 dofs (3 translations, 3 rotations) of each frame in turn, then the modes. */
static fb_status label_frames(reader *r, fb_err *e)
{
    fb_status s = FB_OK;
    for (int64_t k = 0; k < r->p->nmatrix; k++) {
        fb_matrix *a = r->p->matrix + k;
        const int64_t nf = r->frames;
        if (a->role == FB_ROLE_UNKNOWN || a->role == FB_ROLE_OTHER || a->row.node || strcmp(a->origin, r->origin) || a->A.n < 6 * nf)
            continue;
        FB_TRY(fb_new(&a->row.node, a->A.n, 8, "dof labels", e));
        FB_TRY(fb_new(&a->row.component, a->A.n, 8, "dof labels", e));
        FB_TRY(fb_new(&a->row.class, a->A.n, 8, "dof labels", e));
        for (int64_t i = 0; i < a->A.n; i++) {
            int modal = i >= 6 * nf;
            a->row.node[i] = modal ? nf + 1 + i - 6 * nf : 1 + i / 6;
            a->row.component[i] = modal ? 0 : 1 + i % 6;
            a->row.class[i] = modal ? FB_DOF_GENERALIZED : FB_DOF_PHYSICAL;
        }
    }
    for (int64_t k = 0; k < r->frames; k++)
        FB_TRY(fb_parts_node(r->p, k + 1, r->origins + 3 * k, NULL, e));
out:
    return s;
}

/* Shapes without a stiffness are a body held by its modes; other matrices are named and left then. */
static fb_status modes_alone(reader *r, fb_err *e)
{
    if (!r->shapes.re)
        return FB_OK;
    for (int64_t k = 0; k < r->p->nmatrix; k++)
        if (r->p->matrix[k].role == FB_ROLE_STIFFNESS)
            return FB_OK;
    for (int64_t k = 0; k < r->p->nmatrix; k++)
        if (!strcmp(r->p->matrix[k].origin, r->origin))
            r->p->matrix[k].role = FB_ROLE_OTHER;
    return fb_mat_shapes_body(&r->shapes, r->p, e);
}

/* ---- version 4 -------------------------------------------------------------------------- */

typedef struct {
    int     little, type, sparse, text, complex;
    int64_t m, n, namelen, bytes; /* bytes of one number */
} v4;

static int64_t word(const unsigned char *p, int little)
{
    uint32_t u = 0;
    for (int k = 0; k < 4; k++)
        u = u << 8 | p[little ? 3 - k : k];
    return u > INT32_MAX ? (int64_t)u - (INT64_C(1) << 32) : (int64_t)u;
}

/* The 20 bytes: type MOPT (M byte order, O zero, P precision, T kind), rows, columns, imaginary, length of name. */
static int v4_header(const unsigned char *d, size_t left, v4 *h)
{
    static const int bytes[] = {8, 4, 4, 2, 2, 1};
    if (left < 20)
        return 0;
    int64_t type = word(d, 1);
    h->little = type >= 0 && type < 1000;
    if (!h->little)
        type = word(d, 0) - 1000; /* M = 1: big-endian */
    h->type = (int)(type / 10 % 10);
    if (type < 0 || type > 52 || h->type > 5 || type % 10 > 2)
        return 0;
    h->text = type % 10 == 1;
    h->sparse = type % 10 == 2;
    h->bytes = bytes[h->type];
    h->m = word(d + 4, h->little);
    h->n = word(d + 8, h->little);
    int64_t imaginary = word(d + 12, h->little);
    h->complex = imaginary == 1;
    h->namelen = word(d + 16, h->little);
    if (h->m < 0 || h->n < 0 || imaginary < 0 || imaginary > 1 || h->namelen < 2 || h->namelen > 64 || left - 20 < (size_t)h->namelen)
        return 0;
    for (int64_t k = 0; k < h->namelen - 1; k++)
        if (d[20 + k] <= ' ' || d[20 + k] > '~')
            return 0;
    return d[20 + h->namelen - 1] == 0;
}

static double v4_number(const unsigned char *p, const v4 *h)
{
    uint64_t u = 0;
    for (int64_t k = 0; k < h->bytes; k++)
        u = u << 8 | p[h->little ? h->bytes - 1 - k : k];
    double x;
    float f;
    uint32_t w = (uint32_t)u;
    switch (h->type) {
    case 0:  memcpy(&x, &u, 8); return x;
    case 1:  memcpy(&f, &w, 4); return (double)f;
    case 2:  return (double)(int32_t)w;
    case 3:  return (double)(int16_t)(uint16_t)u;
    default: return (double)u;
    }
}

/* Sparse: rows (i, j, re [, im]) from 1, the last one (m, n, 0). */
static fb_status v4_sparse(reader *r, const char *name, const double *t, int64_t rows, int64_t columns, fb_err *e)
{
    fb_fill f = {0};
    fb_csc A = {0};
    double *imag = NULL, dm = t[rows - 1], dn = t[2 * rows - 1];
    const int64_t nnz = rows - 1;
    fb_status s = FB_OK;
    if (!whole(dm) || !whole(dn) || dm < 0 || dn < 0 || dn > PATIENCE + (double)r->size)
        return fb_fail(e, FB_EFORMAT, "variable %s: a sparse matrix of %g by %g does not fit into the file", name, dm, dn);
    saw(r, name, (int64_t)dm, (int64_t)dn);
    for (int64_t k = 0; k < nnz; k++)
        if (!whole(t[k]) || !whole(t[rows + k]) || t[k] < 1 || t[k] > dm || t[rows + k] < 1 || t[rows + k] > dn)
            return fb_fail(e, FB_EFORMAT, "variable %s, entry %lld: (%g,%g) is outside the %g by %g matrix", name, (long long)k + 1, t[k],
                           t[rows + k], dm, dn);
    FB_TRY(fb_fill_new(&f, (int64_t)dm, (int64_t)dn, 0, e));
    for (int64_t k = 0; k < nnz; k++)
        fb_fill_count(&f, (int64_t)t[rows + k] - 1);
    FB_TRY(fb_fill_start(&f, columns == 4, e));
    for (int64_t k = 0; k < nnz; k++) {
        int64_t q = fb_fill_place(&f, (int64_t)t[k] - 1, (int64_t)t[rows + k] - 1, t[2 * rows + k]);
        if (f.imag)
            f.imag[q] = t[3 * rows + k];
    }
    FB_TRY(fb_fill_finish(&f, &A, &imag, NULL, e));
    s = use_matrix_take(r, name, &A, imag, e);
out:
    fb_fill_free(&f);
    return s;
}

static fb_status v4_variable(reader *r, const unsigned char *d, const v4 *h, const char *name, fb_err *e)
{
    double *x = NULL;
    const int64_t count = h->m * h->n, all = count * (1 + h->complex);
    fb_status s = FB_OK;
    if (h->text)
        return FB_OK;
    FB_TRY(fb_new(&x, all, sizeof *x, name, e));
    for (int64_t k = 0; k < all; k++)
        x[k] = v4_number(d + k * h->bytes, h);
    if (!h->sparse) {
        s = use_full(r, &(full){name, h->m, h->n, x, h->complex ? x + count : NULL}, e);
    } else if (h->m < 1 || h->complex || (h->n != 3 && h->n != 4)) {
        s = fb_fail(e, FB_EFORMAT, "variable %s: a sparse matrix is stored as %lld by %lld, 3 or 4 columns are wanted", name, (long long)h->m,
                    (long long)h->n);
    } else {
        s = v4_sparse(r, name, x, h->m, h->n, e);
    }
out:
    free(x);
    return s;
}

static fb_status read_v4(reader *r, const fb_input *in, fb_err *e)
{
    for (size_t at = 0; at < in->size;) {
        const unsigned char *d = in->data + at;
        v4 h;
        if (!v4_header(d, in->size - at, &h))
            return fb_fail(e, FB_EFORMAT, "byte %zu: no header of a version 4 variable", at);
        size_t left = in->size - at - 20 - (size_t)h.namelen, step = (size_t)h.bytes * (1 + (size_t)h.complex);
        if (h.n > 0 && (uint64_t)h.m > left / step / (uint64_t)h.n)
            return fb_fail(e, FB_EFORMAT, "byte %zu: variable %s of %lld by %lld needs more than the %zu bytes left", at, (const char *)d + 20,
                           (long long)h.m, (long long)h.n, left);
        fb_status s = v4_variable(r, d + 20 + h.namelen, &h, (const char *)d + 20, e);
        if (s)
            return s;
        at += 20 + (size_t)h.namelen + (size_t)(h.m * h.n) * step;
    }
    return FB_OK;
}

/* ---- versions 5 and 7 ----------------------------------------------------------------- */

static int number_size(enum matio_types t)
{
    switch (t) {
    case MAT_T_INT8: case MAT_T_UINT8: return 1;
    case MAT_T_INT16: case MAT_T_UINT16: return 2;
    case MAT_T_INT32: case MAT_T_UINT32: case MAT_T_SINGLE: return 4;
    case MAT_T_INT64: case MAT_T_UINT64: case MAT_T_DOUBLE: return 8;
    default: return 0;
    }
}

#define AS(type)                                                    \
    do {                                                            \
        const type *v = data;                                       \
        for (int64_t k = 0; k < n; k++)                             \
            x[k] = (double)v[k];                                    \
    } while (0)

static void widen(enum matio_types t, const void *data, int64_t n, double *x)
{
    switch (t) {
    case MAT_T_INT8:   AS(int8_t); break;
    case MAT_T_UINT8:  AS(uint8_t); break;
    case MAT_T_INT16:  AS(int16_t); break;
    case MAT_T_UINT16: AS(uint16_t); break;
    case MAT_T_INT32:  AS(int32_t); break;
    case MAT_T_UINT32: AS(uint32_t); break;
    case MAT_T_INT64:  AS(int64_t); break;
    case MAT_T_UINT64: AS(uint64_t); break;
    case MAT_T_SINGLE: AS(float); break;
    default:           AS(double); break;
    }
}

/* Real and imaginary parts of n numbers of a variable, as doubles in one block [2][n] or [1][n]. */
static fb_status numbers(const matvar_t *v, const void *data, int64_t n, const char *name, double **out, fb_err *e)
{
    const int parts = v->isComplex ? 2 : 1;
    double *x = NULL;
    fb_status s = fb_new(&x, parts * n, sizeof *x, name, e);
    if (s)
        return s;
    if (v->isComplex) {
        const mat_complex_split_t *z = data;
        if (n && (!z->Re || !z->Im)) {
            free(x);
            return fb_fail(e, FB_EFORMAT, "variable %s: a part of the complex values is missing", name);
        }
        widen(v->data_type, z->Re, n, x);
        widen(v->data_type, z->Im, n, x + n);
    } else {
        widen(v->data_type, data, n, x);
    }
    *out = x;
    return FB_OK;
}

static fb_status use_matio_sparse(reader *r, const char *name, const matvar_t *v, fb_err *e)
{
    const mat_sparse_t *t = v->data;
    const int64_t m = (int64_t)v->dims[0], n = (int64_t)v->dims[1];
    int64_t *start = NULL, *row = NULL, nnz = 0;
    double *x = NULL;
    fb_status s = FB_OK;
    if (!t || !t->jc || (int64_t)t->njc != n + 1) {
        s = fb_fail(e, FB_EFORMAT, "variable %s: the column starts of a sparse %lld by %lld matrix are missing or wrong", name, (long long)m,
                    (long long)n);
        goto out;
    }
    nnz = t->jc[n];
    if (nnz > (int64_t)t->nir || nnz > (int64_t)t->ndata || (nnz && (!t->ir || !t->data))) {
        s = fb_fail(e, FB_EFORMAT, "variable %s: %lld entries announced, %lld row indices and %lld values stored", name, (long long)nnz,
                    (long long)t->nir, (long long)t->ndata);
        goto out;
    }
    FB_TRY(FB_NEW(&start, n + 1, e));
    FB_TRY(FB_NEW(&row, nnz, e));
    for (int64_t j = 0; j <= n; j++)
        start[j] = t->jc[j];
    for (int64_t q = 0; q < nnz; q++)
        row[q] = t->ir[q];
    if (nnz)
        FB_TRY(numbers(v, t->data, nnz, name, &x, e));
    s = use_sparse(r, name, m, n, start, row, x, v->isComplex && x ? x + nnz : NULL, e);
out:
    free(start);
    free(row);
    free(x);
    return s;
}

/* Is the announced shape possible? Data is at most MOST_BLOWN_UP times the file. */
static int plausible(const reader *r, const matvar_t *v)
{
    double n = 1;
    if (v->rank < 1 || v->rank > 32 || !v->dims)
        return 0;
    for (int k = 0; k < v->rank; k++)
        n *= (double)v->dims[k];
    if (v->class_type == MAT_C_SPARSE)
        return v->rank == 2 && (double)v->dims[1] < (double)r->size * MOST_BLOWN_UP && (double)v->dims[0] < 4294967296.0;
    return n * (v->data_size > 0 ? v->data_size : 1) < (double)r->size * MOST_BLOWN_UP;
}

static int numeric(const matvar_t *v)
{
    return v->class_type >= MAT_C_DOUBLE && v->class_type <= MAT_C_UINT64;
}

static fb_status use_matio(reader *r, const char *name, const matvar_t *v, int depth, fb_err *e);

static fb_status use_struct(reader *r, const char *name, const matvar_t *v, int depth, fb_err *e)
{
    matvar_t *w = (matvar_t *)(uintptr_t)v; /* libmatio's look-ups change nothing */
    char *const *field = Mat_VarGetStructFieldnames(v);
    unsigned n = Mat_VarGetNumberOfFields(w);
    for (unsigned k = 0; field && k < n; k++) {
        char full_name[160];
        const matvar_t *x = Mat_VarGetStructFieldByIndex(w, k, 0);
        snprintf(full_name, sizeof full_name, "%.79s.%.79s", name, field[k] ? field[k] : "");
        fb_status s = x ? use_matio(r, full_name, x, depth + 1, e) : FB_OK;
        if (s)
            return s;
    }
    return FB_OK;
}

static fb_status use_matio(reader *r, const char *name, const matvar_t *v, int depth, fb_err *e)
{
    double *x = NULL;
    fb_status s = FB_OK;
    if (!plausible(r, v))
        return fb_fail(e, FB_EFORMAT, "variable %s: its size does not fit into the %lld bytes of the file", name, (long long)r->size);
    if (v->rank != 2)
        return FB_OK;
    if (v->class_type == MAT_C_STRUCT)
        return depth < DEPTH && v->dims[0] == 1 && v->dims[1] == 1 ? use_struct(r, name, v, depth, e) : FB_OK;
    if (v->class_type == MAT_C_SPARSE && number_size(v->data_type))
        return use_matio_sparse(r, name, v, e);
    if (!numeric(v) || number_size(v->data_type) == 0)
        return FB_OK;
    const int64_t m = (int64_t)v->dims[0], n = (int64_t)v->dims[1];
    if (!v->data || v->data_size != number_size(v->data_type) || v->nbytes < (size_t)(m * n) * (size_t)v->data_size) {
        if (m * n == 0)
            return FB_OK;
        return fb_fail(e, FB_EFORMAT, "variable %s: %lld by %lld values announced, %zu bytes found", name, (long long)m, (long long)n,
                       v->data ? v->nbytes : 0);
    }
    FB_TRY(numbers(v, v->data, m * n, name, &x, e));
    s = use_full(r, &(full){name, m, n, x, v->isComplex ? x + m * n : NULL}, e);
out:
    free(x);
    return s;
}

static void silent(int level, char *message)
{
    (void)level;
    (void)message;
}

static fb_status read_open(reader *r, mat_t *mat, fb_err *e)
{
    fb_status s = FB_OK;
    for (matvar_t *v; !s && (v = Mat_VarReadNextInfo(mat)) != NULL; Mat_VarFree(v)) {
        char name[80];
        snprintf(name, sizeof name, "%.79s", v->name ? v->name : "?");
        int wanted = v->rank == 2 && (v->class_type == MAT_C_STRUCT || v->class_type == MAT_C_SPARSE || numeric(v));
        if (!wanted)
            continue;
        if (!plausible(r, v))
            s = fb_fail(e, FB_EFORMAT, "variable %s: its size does not fit into the %lld bytes of the file", name, (long long)r->size);
        else if (Mat_VarReadDataAll(mat, v))
            s = fb_fail(e, FB_EFORMAT, "variable %s: its data is damaged or cut off (libmatio)", name);
        else
            s = use_matio(r, name, v, 0, e);
    }
    return s;
}

static int read_all(void *arg)
{
    const char *const *path = arg;
    mat_t *mat = Mat_Open(*path, MAT_ACC_RDONLY);
    for (matvar_t *v; mat && (v = Mat_VarReadNext(mat)) != NULL;)
        Mat_VarFree(v);
    if (mat)
        Mat_Close(mat);
    return 0; /* what it does not read, the parent will name */
}

/* libmatio 1.5 is not proof against every damaged file. So a child process reads all of it first; only a
 * file that it survives is opened here. */
static int survives(const char *path, int64_t size)
{
    return fb_in_child(read_all, &path, 30 + size / 10000000) == 0;
}

static fb_status read_matio(reader *r, const char *path, fb_err *e)
{
    Mat_LogInitFunc("libmatio", silent);
    if (!survives(path, r->size))
        return fb_fail(e, FB_EFORMAT, "damaged: libmatio does not survive it");
    mat_t *mat = Mat_Open(path, MAT_ACC_RDONLY);
    if (!mat)
        return fb_fail(e, FB_EFORMAT, "libmatio does not open it: a damaged header, or no MATLAB file");
    fb_status s = read_open(r, mat, e);
    Mat_Close(mat);
    return s;
}

/* ---- version 7.3 ------------------------------------------------------------------------ */

typedef struct { /* a group being walked */
    reader  *r;
    int64_t  h5;
    char     path[256], name[256];
    int      depth;
    int64_t *left; /* members that may still be looked at: groups may be linked in circles */
} place73;

/* One array of numbers, of one or two dimensions, into doubles: [2][count] where complex. */
static fb_status doubles73(const place73 *g, const char *path, const fb_h5shape *sh, double **out, fb_err *e)
{
    int64_t count = 1;
    double *x = NULL;
    fb_status s = FB_OK;
    for (int k = 0; k < sh->rank; k++)
        count *= sh->dim[k];
    FB_TRY(fb_new(&x, (sh->type == 'z' ? 2 : 1) * count, sizeof *x, path, e));
    FB_TRY(fb_h5_foreign_read(g->h5, path, sh->type == 'z' ? 'z' : 'd', 0, x, e));
    if (sh->type == 'z')
        FB_TRY(fb_h5_foreign_read(g->h5, path, 'z', 1, x + count, e));
    *out = x;
    x = NULL;
out:
    free(x);
    return s;
}

/* A member array of a sparse group; absent: an empty one. */
static fb_status member_shape(const place73 *g, const char *member, char *path, size_t n, fb_h5shape *sh, fb_err *e)
{
    *sh = (fb_h5shape){.rank = 1};
    snprintf(path, n, "%s/%s", g->path, member);
    if (!fb_h5_exists(g->h5, path))
        return FB_OK;
    fb_status s = fb_h5_foreign_shape(g->h5, path, g->r->size, sh, e);
    if (!s && (sh->type == 0 || sh->rank != 1))
        s = fb_fail(e, FB_EFORMAT, "%s: a list of numbers is wanted", path);
    return s;
}

/* A group with the attribute MATLAB_sparse (the number of rows) and jc, ir, data; where all is zero, jc alone. */
static fb_status sparse73(const place73 *g, double rows, fb_err *e)
{
    char jc[300], ir[300], data[300];
    fb_h5shape nj, ni, nx;
    int64_t *start = NULL, *row = NULL, n;
    double *x = NULL;
    fb_status s = FB_OK;
    FB_TRY(member_shape(g, "jc", jc, sizeof jc, &nj, e));
    FB_TRY(member_shape(g, "ir", ir, sizeof ir, &ni, e));
    FB_TRY(member_shape(g, "data", data, sizeof data, &nx, e));
    n = nj.dim[0] - 1;
    if (n < 0 || !whole(rows) || rows < 0) {
        s = fb_fail(e, FB_EFORMAT, "%s: a sparse matrix without column starts or rows", g->path);
        goto out;
    }
    FB_TRY(FB_NEW(&start, n + 1, e));
    FB_TRY(FB_NEW(&row, ni.dim[0], e));
    FB_TRY(fb_h5_foreign_read(g->h5, jc, 'i', 0, start, e));
    if (ni.dim[0])
        FB_TRY(fb_h5_foreign_read(g->h5, ir, 'i', 0, row, e));
    if (nx.dim[0])
        FB_TRY(doubles73(g, data, &nx, &x, e));
    if (start[n] < 0 || start[n] > ni.dim[0] || start[n] > nx.dim[0])
        s = fb_fail(e, FB_EFORMAT, "%s: %lld entries announced, %lld row indices and %lld values stored", g->path, (long long)start[n],
                    (long long)ni.dim[0], (long long)nx.dim[0]);
    else
        s = use_sparse(g->r, g->name, (int64_t)rows, n, start, row, x, nx.type == 'z' ? x + nx.dim[0] : NULL, e);
out:
    free(start);
    free(row);
    free(x);
    return s;
}

static fb_status dataset73(const place73 *g, fb_err *e)
{
    char class[64] = "";
    double empty = 0, *x = NULL;
    fb_h5shape sh;
    fb_status s = FB_OK;
    FB_TRY(fb_h5_get_text(g->h5, g->path, "MATLAB_class", class, sizeof class, e));
    FB_TRY(fb_h5_get_real(g->h5, g->path, "MATLAB_empty", &empty, 1, e));
    if (empty != 0 || !strcmp(class, "char") || !strcmp(class, "cell"))
        return FB_OK;
    FB_TRY(fb_h5_foreign_shape(g->h5, g->path, g->r->size, &sh, e));
    if (sh.type == 0 || sh.rank != 2)
        return FB_OK;
    FB_TRY(doubles73(g, g->path, &sh, &x, e));
    /* [columns][rows] in the file: MATLAB's order, column by column */
    s = use_full(g->r, &(full){g->name, sh.dim[1], sh.dim[0], x, sh.type == 'z' ? x + sh.dim[0] * sh.dim[1] : NULL}, e);
out:
    free(x);
    return s;
}

static fb_status member73(void *self, const char *name, int is_group, fb_err *e)
{
    const place73 *up = self;
    place73 g = {.r = up->r, .h5 = up->h5, .depth = up->depth + 1, .left = up->left};
    double rows = -1;
    if (*name == '#' || (*up->left)-- <= 0) /* #refs#: contents of cells; #subsystem#: objects */
        return FB_OK;
    const size_t above = strlen(up->path), n = strlen(name);
    if (above + n + 2 > sizeof g.path)
        return FB_OK;
    memcpy(g.path, up->path, above);
    g.path[above] = '/';
    memcpy(g.path + above + 1, name, n + 1);
    memcpy(g.name, g.path + 1, above + n + 1);
    for (char *c = g.name; (c = strchr(c, '/')) != NULL;)
        *c = '.';
    if (!is_group)
        return dataset73(&g, e);
    fb_status s = fb_h5_get_real(g.h5, g.path, "MATLAB_sparse", &rows, 1, e);
    if (s)
        return s;
    if (rows >= 0)
        return sparse73(&g, rows, e);
    return g.depth < DEPTH ? fb_h5_members(g.h5, g.path, member73, &g, e) : FB_OK;
}

static fb_status read_73(reader *r, const char *path, fb_err *e)
{
    int64_t left = 10000;
    place73 g = {.r = r, .h5 = -1, .left = &left};
    fb_err ignored;
    fb_status s = fb_h5_open(&g.h5, path, -1, r->origin, e);
    if (s)
        return s;
    s = fb_h5_members(g.h5, "/", member73, &g, e);
    if (fb_h5_close(&g.h5, &ignored) && !s)
        s = fb_fail(e, FB_ESYS, "%s", ignored.msg);
    return s;
}

/* ---- file ------------------------------------------------------------------------------- */

/* libmatio and HDF5 want a name: other input than a mapped file is copied to one. */
static fb_status spool(const fb_input *in, char *path, size_t n, fb_err *e)
{
    const char *dir = getenv("TMPDIR");
    snprintf(path, n, "%s/flexbody-XXXXXX", dir && *dir ? dir : "/tmp");
    int fd = fb_temporary_file(path);
    if (fd < 0) {
        fb_status s = fb_fail(e, FB_ESYS, "%s: %s", path, strerror(errno));
        *path = 0;
        return s;
    }
    size_t at = 0;
    while (at < in->size) {
        ssize_t k = write(fd, in->data + at, in->size - at);
        if (k < 0 && errno == EINTR)
            continue;
        if (k <= 0)
            break;
        at += (size_t)k;
    }
    if (close(fd) || at < in->size)
        return fb_fail(e, FB_ESYS, "%s: %s", path, strerror(errno));
    return FB_OK;
}

/* 5 (with 7), 73, or 0: version word and byte order mark at byte 124, HDF5 of 7.3 behind them. */
static int container(const fb_input *in)
{
    static const unsigned char hdf5[] = {0x89, 'H', 'D', 'F', '\r', '\n', 0x1a, '\n'};
    const unsigned char *d = in->data;
    if (in->size < HEADER || !((d[126] == 'I' && d[127] == 'M') || (d[126] == 'M' && d[127] == 'I')))
        return 0;
    int version = d[126] == 'I' ? d[125] << 8 | d[124] : d[124] << 8 | d[125];
    if (version == 0x200 && in->size >= USER_BLOCK + sizeof hdf5 && !memcmp(d + USER_BLOCK, hdf5, sizeof hdf5))
        return 73;
    return version == 0x100 ? 5 : 0;
}

static int sniff(const fb_input *in)
{
    v4 h;
    return container(in) || v4_header(in->data, in->size, &h);
}

static fb_status read_container(reader *r, const fb_input *in, int version, fb_err *e)
{
    char path[1024] = "";
    const int has_name = in->mapped && strcmp(in->name, "standard input");
    fb_status s = has_name ? FB_OK : spool(in, path, sizeof path, e);
    if (!s)
        s = version == 73 ? read_73(r, has_name ? in->name : path, e) : read_matio(r, has_name ? in->name : path, e);
    if (*path)
        fb_temporary_remove(path);
    return s;
}

static fb_status read_matlab(const fb_input *in, fb_parts *p, fb_log *log, fb_err *e)
{
    reader r = {.p = p, .origin = in->name, .log = log, .size = (int64_t)in->size};
    fb_status s = FB_OK;
    int version = container(in);
    FB_TRY(version ? read_container(&r, in, version, e) : read_v4(&r, in, e));
    if (r.origins)
        FB_TRY(label_frames(&r, e));
    FB_TRY(modes_alone(&r, e));
    if (r.used == 0)
        s = fb_fail(e, FB_EFORMAT, "no matrix, node or dof table among its variables%s%s", *r.seen ? ": " : "", r.seen);
out:
    free(r.origins);
    fb_mat_shapes_free(&r.shapes);
    return s;
}

const fb_reader fb_reader_matlab = {"matlab", "MATLAB .mat file, version 4 to 7.3", sniff, read_matlab};
