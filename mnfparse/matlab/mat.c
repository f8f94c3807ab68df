/* SPDX-License-Identifier: GPL-3.0-or-later */
/* mat.c - what the variables of MATLAB .mat files mean; versions 4, 5 with 7, and 7.3 have a file
 * each.
 *
 * Variables  numeric, two-dimensional, full or sparse, at the top or in scalar structs
 *            by name (any case, also as fields): K Kr Kgg Kaa K_full stiffness, M Mr Mgg Maa M_full
 *            mass, D Dr C Cr Dgg D_full damping; nodes [id x y z]; dofs [node component]; DOF
 *            [node.component] K, M, D of three columns are entries: row, column (from 1), value
 *            origins [x y z] beside a full K: reduced-order flexible solid of Simscape: 6 dofs a
 *            frame, then modal coordinates
 *            phi, modes, shapes [dofs x modes] beside freq, f, fn [Hz], where there is no K: the
 *            modes of a test (shapes.c), and M over the same dofs their mass
 *            K_full beside node_id, node_xyz, dof_node, dof_component, dof_class: what linkexport
 *            writes everything else square is kept with its name, for --stiffness and --mass
 * Law        no size is believed: shapes are held against the bytes there are, columns and rows
 *            after
 * Source     MAT-File Format, The MathWorks (R2023); files written by MATLAB 4.2c .. 7.4, Octave
 *            7.3, SciPy and h5py
 */
#include "h5.h"
#include "memory.h"
#include "process.h"
#include "publish.h"
#include "text/lines.h"
#include "mat.h"
#include "reader.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

enum { HEADER = 128, USER_BLOCK = 512 };

/* ---- numbers of a file ------------------------------------------------------------------ */

int fb_mat_whole(double x)
{
    return fabs(x) < 1e15 && x == floor(x);
}

uint64_t fb_mat_word(const unsigned char *p, int bytes, int little)
{
    uint64_t u = 0;
    if (little)
        while (bytes-- > 0)
            u = u << 8 | p[bytes];
    else
        for (int k = 0; k < bytes; k++)
            u = u << 8 | p[k];
    return u;
}

int fb_mat_bytes(int64_t type)
{
    static const int bytes[] = {0, 1, 1, 2, 2, 4, 4, 4, 0, 8, 0, 0, 8, 8};
    return type >= 0 && type < (int64_t)(sizeof bytes / sizeof *bytes) ? bytes[type] : 0;
}

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
    static const char *const K[] = {"k",         "kr",    "kgg",  "kaa",    "kff",
                                    "stiffness", "stiff", "stif", "k_full", NULL},
                             *const M[] = {"m", "mr", "mgg", "maa", "mff", "mass", "m_full", NULL},
                             *const D[] = {"d",   "dr",      "c",    "cr",     "dgg", "bgg",
                                           "baa", "damping", "damp", "d_full", NULL},
                             *const S[] = {"k4", "k4gg", "k4aa", "structural", "s_full", NULL},
                             *const G[] = {"gyroscopic", "gyro", "g_full", NULL};
    return named(name, K)   ? FB_ROLE_STIFFNESS
           : named(name, M) ? FB_ROLE_MASS
           : named(name, D) ? FB_ROLE_DAMPING
           : named(name, S) ? FB_ROLE_STRUCTURAL_DAMPING
           : named(name, G) ? FB_ROLE_GYROSCOPIC
                            : FB_ROLE_UNKNOWN;
}

void fb_mat_left(const fb_mat_file *r, const char *name, const char *why)
{
    if (role_of(name) != FB_ROLE_UNKNOWN)
        fb_warn(r->log, "%s: %s is not used: %s", r->origin, name, why);
    else
        fb_note(r->log, "%s: %s is not used: %s", r->origin, name, why);
}

void fb_mat_saw(fb_mat_file *r, const char *name, int64_t m, int64_t n)
{
    size_t at = strlen(r->seen);
    snprintf(r->seen + at, sizeof r->seen - at, "%s%.40s (%lld by %lld)", at ? ", " : "", name,
             (long long)m, (long long)n);
}

/* Is the matrix of this file, and one that a model may be made of? */
static int is_own(const fb_mat_file *r, const fb_matrix *m)
{
    return !strcmp(m->origin, r->origin) && m->role != FB_ROLE_OTHER;
}

/* Beyond what any machine has a matrix should be sparse. */
fb_status fb_mat_unpack(fb_mat_file *r, double bytes, fb_err *e)
{
    if (bytes > fb_unpack_most((size_t)r->size) - (double)r->unpacked)
        return fb_fail(e, FB_EFORMAT,
                       "packed variables of %.3g MB in a file of %.3g MB: 1 GB or %d times the "
                       "file are unpacked at the "
                       "most; save the matrices sparse, K = sparse(K), or unpacked, save -v6",
                       ((double)r->unpacked + bytes) / 1e6, (double)r->size / 1e6, FB_UNPACK_TIMES);
    r->unpacked += (int64_t)bytes;
    return FB_OK;
}

/* ---- tables ----------------------------------------------------------------------------- */

static fb_status use_nodes(fb_mat_file *r, const fb_mat_array *v, fb_err *e)
{
    for (int64_t k = 0; k < v->m; k++) {
        double xyz[3];
        for (int c = 0; c < 3; c++) {
            xyz[c] = v->re[(c + 1) * v->m + k];
            if (!isfinite(xyz[c]))
                return fb_fail(e, FB_EFORMAT, "variable %s, row %lld: a coordinate is not finite",
                               v->name, (long long)k + 1);
        }
        if (!fb_mat_whole(v->re[k]))
            return fb_fail(e, FB_EFORMAT, "variable %s, row %lld: node number %g is not whole",
                           v->name, (long long)k + 1, v->re[k]);
        fb_status s = fb_parts_node(r->p, (int64_t)v->re[k], xyz, NULL, e);
        if (s)
            return s;
    }
    r->used++;
    return FB_OK;
}

/* [node component], or one column of node.component: 12.03 is component 3 of node 12. Node 0: a
 * modal coordinate, which gets a number above the nodes. */
static fb_status use_dofs(fb_mat_file *r, const fb_mat_array *v, fb_err *e)
{
    fb_labels t = {0};
    int64_t top = 0, modal = 0;
    fb_status s = FB_OK;
    if (r->p->ntable) {
        s = fb_fail(e, FB_EFORMAT, "variable %s: a second dof table", v->name);
        goto out;
    }
    FB_TRY(fb_new(&t.node, v->m, sizeof *t.node, "dof table", e));
    FB_TRY(fb_new(&t.component, v->m, sizeof *t.component, "dof table", e));
    FB_TRY(fb_new(&t.class, v->m, sizeof *t.class, "dof table", e));
    for (int64_t k = 0; k < v->m; k++) {
        double node = v->n == 1 ? floor(v->re[k]) : v->re[k],
               component = v->n == 1 ? round(100 * (v->re[k] - node)) : v->re[v->m + k];
        const int is_modal = v->n == 2 && node == 0 && component >= 1;
        if (!fb_mat_whole(node) || !fb_mat_whole(component) || component < 0 ||
            (component > 6 && !is_modal)) {
            s = v->n == 1 ? fb_fail(e, FB_EFORMAT,
                                    "variable %s, entry %lld: %g is no node.component: components "
                                    "1 to 6 of node 12 are "
                                    "12.01 to 12.06",
                                    v->name, (long long)k + 1, v->re[k])
                          : fb_fail(e, FB_EFORMAT,
                                    "variable %s, row %lld: %g, %g is no node and component (0..6)",
                                    v->name, (long long)k + 1, node, component);
            goto out;
        }
        t.node[k] = (int64_t)node;
        t.component[k] = is_modal ? 0 : (int64_t)component;
        t.class[k] = is_modal ? FB_DOF_GENERALIZED : FB_DOF_PHYSICAL;
        modal += is_modal;
        top = t.node[k] > top ? t.node[k] : top;
    }
    for (int64_t k = 0; modal && k < v->m; k++)
        t.node[k] = t.class[k] == FB_DOF_GENERALIZED ? ++top : t.node[k];
    if (!modal)
        FB_FREE(t.class);
    r->p->table = t;
    r->p->ntable = v->m;
    t = (fb_labels){0};
    r->used++;
out:
    FB_FREE(t.node, t.component, t.class);
    return s;
}

static fb_status use_origins(fb_mat_file *r, const fb_mat_array *v, fb_err *e)
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

/* Columns of what linkexport writes: tables come of them once it is known that there is a full
 * model. 1: kept. */
static fb_status keep_column(fb_mat_file *r, const fb_mat_array *v, int *kept, fb_err *e)
{
    static const struct {
        const char *name;
        int in_struct; /* a name of one letter means something beside its fellows alone */
        int64_t width;
    } known[FB_MAT_COLUMNS] = {{"node_id", 0, 1},   {"node_xyz", 0, 3},
                               {"nodes", 1, 1},     {"p", 1, 3},
                               {"dof_node", 0, 1},  {"dof_component", 0, 1},
                               {"dof_class", 0, 1}, {"units_to_si", 0, FB_NUNIT},
                               {"port_node", 0, 1}, {"interface_dof", 0, 1}};
    for (int k = 0; k < FB_MAT_COLUMNS; k++)
        if (named(v->name, (const char *const[]){known[k].name, NULL}) && !r->column[k] &&
            v->n == known[k].width && (!known[k].in_struct || strchr(v->name, '.'))) {
            fb_status s = fb_new(&r->column[k], v->m * v->n, sizeof(double), known[k].name, e);
            if (s)
                return s;
            memcpy(r->column[k], v->re, sizeof(double) * (size_t)(v->m * v->n));
            r->length[k] = v->m * v->n;
            *kept = 1;
        }
    return FB_OK;
}

/* A table of column `a` and what stands beside it, [length of a][width]. */
static fb_status join(fb_mat_file *r, int a, int64_t width,
                      fb_status (*use)(fb_mat_file *, const fb_mat_array *, fb_err *),
                      const char *name, fb_err *e)
{
    const int64_t m = r->length[a];
    double *x = NULL;
    if (m == 0 || r->length[a + 1] != (width - 1) * m)
        return FB_OK;
    fb_status s = fb_new(&x, width * m, sizeof *x, name, e);
    if (!s) {
        memcpy(x, r->column[a], sizeof *x * (size_t)m);
        memcpy(x + m, r->column[a + 1], sizeof *x * (size_t)((width - 1) * m));
        s = use(r, &(fb_mat_array){name, m, width, x, NULL}, e);
    }
    free(x);
    return s;
}

/* Does the file hold a full model of linkexport's? Then K, M and D beside it are what it was
 * reduced to. */
static int has_full_model(fb_mat_file *r)
{
    static const char *const stiffness[] = {"k_full", NULL}, *const all[] = {"k_full", "m_full",
                                                                             "d_full", "s_full",
                                                                             "g_full", NULL};
    int full = 0;
    for (int64_t k = 0; k < r->p->nmatrix; k++)
        full |= is_own(r, r->p->matrix + k) && named(r->p->matrix[k].name, stiffness);
    for (int64_t k = 0; full && k < r->p->nmatrix; k++)
        if (is_own(r, r->p->matrix + k) && !named(r->p->matrix[k].name, all))
            r->p->matrix[k].role = FB_ROLE_OTHER;
    return full;
}

/* Inputs and outputs of linkexport's systems bear names that others give a damping. */
static void drop_outputs(fb_mat_file *r)
{
    static const char *const output[] = {"b", "c", NULL};
    for (int64_t k = 0; r->length[FB_MAT_PORT] && k < r->p->nmatrix; k++)
        if (is_own(r, r->p->matrix + k) && named(r->p->matrix[k].name, output))
            r->p->matrix[k].role = FB_ROLE_OTHER;
}

static fb_status own_units(fb_mat_file *r, fb_err *e)
{
    const double *factor = r->column[FB_MAT_UNITS];
    fb_units u;
    if (r->length[FB_MAT_UNITS] != FB_NUNIT || factor[0] == 0)
        return FB_OK;
    if (fb_units_of(&u, factor))
        return fb_parts_set_units(r->p, &u, e);
    fb_warn(r->log,
            "%s: units_to_SI are of no units that are known here: its values are in other units; "
            "--input-units names them",
            r->origin);
    return FB_OK;
}

/* The dofs of interface_dof, positions from 1, become the interface unless the user names one. */
static fb_status own_interface(fb_mat_file *r, fb_err *e)
{
    const double *at = r->column[FB_MAT_INTERFACE], *node = r->column[FB_MAT_DOF_NODE],
                 *component = r->column[FB_MAT_DOF_COMPONENT];
    const int64_t n = r->length[FB_MAT_INTERFACE], ndof = r->length[FB_MAT_DOF_NODE];
    fb_set *set = NULL;
    fb_status s = FB_OK;
    if (!n || r->p->how.interface || r->length[FB_MAT_DOF_COMPONENT] != ndof)
        return FB_OK;
    for (int64_t k = 0; k < n; k++)
        if (!(at[k] >= 1 && at[k] <= (double)ndof))
            return fb_fail(e, FB_EFORMAT, "interface_dof(%lld) is %g, there are %lld dofs",
                           (long long)k + 1, at[k], (long long)ndof);
    FB_TRY(fb_parts_set(r->p, "interface_dof", &set, e));
    FB_TRY(fb_new(&set->node, n, 8, "the interface", e));
    FB_TRY(fb_new(&set->component, n, 8, "the interface", e));
    set->n = n;
    for (int64_t k = 0; k < n; k++) {
        set->node[k] = (int64_t)node[(int64_t)at[k] - 1];
        set->component[k] = (int64_t)component[(int64_t)at[k] - 1];
    }
    r->p->how.interface = "nset:interface_dof";
out:
    return s;
}

static fb_status own_tables(fb_mat_file *r, fb_err *e)
{
    drop_outputs(r);
    if (!has_full_model(r))
        return r->p->table.class ? join(r, FB_MAT_FRAME_NODE, 4, use_nodes, "nodes", e) : FB_OK;
    fb_status s = r->p->ntable ? FB_OK : join(r, FB_MAT_DOF_NODE, 2, use_dofs, "dof_node", e);
    const int64_t n = r->length[FB_MAT_DOF_CLASS];
    if (!s && n && n == r->p->ntable && !r->p->table.class) {
        s = fb_new(&r->p->table.class, n, sizeof(int64_t), "dof classes", e);
        for (int64_t k = 0; !s && k < n; k++)
            r->p->table.class[k] =
                (int64_t)fmin(fmax(r->column[FB_MAT_DOF_CLASS][k], FB_DOF_PHYSICAL), FB_DOF_FIXED);
    }
    s = s ? s : own_units(r, e);
    s = s ? s : own_interface(r, e);
    return s ? s : join(r, FB_MAT_NODE_ID, 4, use_nodes, "node_id", e);
}

/* ---- matrices --------------------------------------------------------------------------- */

/* Users store a half of a symmetric matrix with or without meaning to: an empty triangle says so.
 * */
static fb_status whole_matrix(fb_mat_file *r, const char *name, fb_csc *A, double **imag, fb_err *e)
{
    int64_t lower = 0, upper = 0;
    for (int64_t j = 0; j < A->n; j++)
        for (int64_t q = A->p[j]; q < A->p[j + 1]; q++) {
            lower += A->i[q] > j && A->x[q] != 0;
            upper += A->i[q] < j && A->x[q] != 0;
        }
    if ((lower == 0) == (upper == 0))
        return FB_OK;
    fb_note(r->log, "variable %s holds the %s triangle only: mirrored", name,
            lower ? "lower" : "upper");
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
fb_status fb_mat_take(fb_mat_file *r, const char *name, fb_csc *A, double *imag, fb_err *e)
{
    fb_role role = role_of(name);
    fb_matrix *a;
    fb_status s = FB_OK;
    if (role != FB_ROLE_UNKNOWN && A->m != A->n) {
        fb_note(r->log, "variable %s is %lld by %lld: no matrix of the model", name,
                (long long)A->m, (long long)A->n);
        role = FB_ROLE_OTHER;
    } else if (A->m != A->n || A->m == 1) {
        role = FB_ROLE_OTHER;
    }
    if (!finite_matrix(A, imag)) {
        if (role != FB_ROLE_OTHER && role != FB_ROLE_UNKNOWN)
            s = fb_fail(e, FB_EFORMAT, "variable %s holds values that are not finite", name);
        else
            fb_note(r->log, "variable %s holds values that are not finite: not used", name);
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

/* A sparse matrix of m by n from the first `count` rows of v: row and column, from 1, which the
 * caller has looked at. */
static fb_status from_entries(fb_mat_file *r, const fb_mat_array *v, int64_t count, const double *x,
                              const double *y, double m, double n, fb_err *e)
{
    const double *i = v->re, *j = v->re + v->m;
    fb_fill f = {0};
    fb_csc A = {0};
    double *imag = NULL;
    fb_status s = FB_OK;
    FB_TRY(fb_fill_new(&f, (int64_t)m, (int64_t)n, 0, e));
    for (int64_t k = 0; k < count; k++)
        fb_fill_count(&f, (int64_t)j[k] - 1);
    FB_TRY(fb_fill_start(&f, y != NULL, e));
    for (int64_t k = 0; k < count; k++) {
        const int64_t at = fb_fill_place(&f, (int64_t)i[k] - 1, (int64_t)j[k] - 1, x[k]);
        if (f.imag)
            f.imag[at] = y[k];
    }
    FB_TRY(fb_fill_finish(&f, &A, &imag, NULL, e));
    s = fb_mat_take(r, v->name, &A, imag, e);
out:
    fb_fill_free(&f);
    return s;
}

/* Rows of (row, column, value), from 1: what people paste from an Abaqus COORDINATE file. */
static fb_status use_triplets(fb_mat_file *r, const fb_mat_array *v, fb_err *e)
{
    double top = 0;
    for (int64_t k = 0; k < 2 * v->m; k++) {
        double i = v->re[k];
        if (!fb_mat_whole(i) || i < 1 || i > (double)FB_MAT_PATIENCE + (double)r->size)
            return fb_fail(e, FB_EFORMAT,
                           "variable %s, row %lld: %g is no index; three columns are read as "
                           "row, column, value",
                           v->name, (long long)(k % v->m) + 1, i);
        top = fmax(top, i);
    }
    return from_entries(r, v, v->m, v->re + 2 * v->m, v->im ? v->im + 2 * v->m : NULL, top, top, e);
}

/* Sparse in version 4: rows (i, j, re [, im]), the last one (m, n, 0). */
static fb_status use_entries(fb_mat_file *r, const fb_mat_array *v, fb_err *e)
{
    const double *i = v->re, *j = v->re + v->m;
    const int64_t nnz = v->m - 1;
    const double m = i[nnz], n = j[nnz];
    if (!fb_mat_whole(m) || !fb_mat_whole(n) || m < 0 || n < 0 ||
        n > (double)FB_MAT_PATIENCE + (double)r->size)
        return fb_fail(e, FB_EFORMAT,
                       "variable %s: a sparse matrix of %g by %g does not fit into the file",
                       v->name, m, n);
    fb_mat_saw(r, v->name, (int64_t)m, (int64_t)n);
    for (int64_t k = 0; k < nnz; k++)
        if (!fb_mat_whole(i[k]) || !fb_mat_whole(j[k]) || i[k] < 1 || i[k] > m || j[k] < 1 ||
            j[k] > n)
            return fb_fail(e, FB_EFORMAT,
                           "variable %s, entry %lld: (%g,%g) is outside the %g by %g matrix",
                           v->name, (long long)k + 1, i[k], j[k], m, n);
    return from_entries(r, v, nnz, v->re + 2 * v->m, v->n == 4 ? v->re + 3 * v->m : NULL, m, n, e);
}

static fb_status use_full_matrix(fb_mat_file *r, const fb_mat_array *v, fb_err *e)
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
    s = fb_mat_take(r, v->name, &A, imag, e);
out:
    fb_fill_free(&f);
    return s;
}

/* Column starts [n+1], row indices and values of a sparse matrix, not to be trusted. */
fb_status fb_mat_sparse(fb_mat_file *r, const char *name, int64_t m, int64_t n,
                        const int64_t *start, const int64_t *row, const double *x, const double *y,
                        fb_err *e)
{
    fb_fill f = {0};
    fb_csc A = {0};
    double *imag = NULL;
    const int64_t nnz = start[n];
    fb_status s = FB_OK;
    fb_mat_saw(r, name, m, n);
    if (nnz > 0 && (!row || !x)) {
        s = fb_fail(e, FB_EFORMAT, "variable %s: %lld entries are announced, there are none", name,
                    (long long)nnz);
        goto out;
    }
    for (int64_t j = 0; j < n; j++)
        if (start[j] < 0 || start[j] > start[j + 1] || start[0] != 0 || start[j + 1] > nnz) {
            s = fb_fail(e, FB_EFORMAT, "variable %s, column %lld: column start out of order", name,
                        (long long)j + 1);
            goto out;
        }
    for (int64_t q = 0; q < nnz; q++)
        if (row[q] < 0 || row[q] >= m) {
            s = fb_fail(e, FB_EFORMAT, "variable %s, entry %lld: row %lld (from 0), there are %lld",
                        name, (long long)q + 1, (long long)row[q], (long long)m);
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
    s = fb_mat_take(r, name, &A, imag, e);
out:
    fb_fill_free(&f);
    return s;
}

/* Shapes and frequencies are kept beside what else the variables may be. */
static fb_status use_modes(fb_mat_file *r, const fb_mat_array *v, fb_err *e)
{
    static const char *const shapes[] = {"phi",        "psi",         "modes",        "shapes",
                                         "modeshapes", "mode_shapes", "eigenvectors", NULL},
                             *const hz[] = {"f",         "fn",          "freq", "freqs",
                                            "frequency", "frequencies", "hz",   NULL};
    if (r->p->columns > 1)
        return FB_OK;
    const int is_shape = named(v->name, shapes),
              is_hz = named(v->name, hz) && (v->m == 1 || v->n == 1);
    if ((is_shape && r->shapes.re) || (is_hz && r->shapes.hz))
        fb_warn(r->log, "%s: %s is not used: another variable gave %s before", r->origin, v->name,
                is_hz ? "frequencies" : "shapes");
    else if (is_shape)
        return fb_mat_shapes_set(&r->shapes, v->name, v->m, v->n, v->re, v->im, e);
    else if (is_hz)
        return fb_mat_shapes_hz(&r->shapes, v->m * v->n, v->re, e);
    return FB_OK;
}

fb_status fb_mat_full(fb_mat_file *r, const fb_mat_array *v, fb_err *e)
{
    static const char *const nodes[] = {"nodes", "node", "coordinates", "xyz", NULL},
                             *const dofs[] = {"dofs", "dof", NULL},
                             *const origins[] = {"origins", NULL};
    fb_mat_saw(r, v->name, v->m, v->n);
    if (v->m < 1 || v->n < 1)
        return FB_OK;
    fb_status s = use_modes(r, v, e);
    if (s)
        return s;
    int kept = 0;
    s = keep_column(r, v, &kept, e);
    if (s || kept)
        return s;
    if (named(v->name, nodes) && v->n == 4)
        return use_nodes(r, v, e);
    if (named(v->name, dofs) && v->n <= 2)
        return use_dofs(r, v, e);
    if (named(v->name, dofs) && v->m == 1) /* NumPy's vectors are rows in MATLAB */
        return use_dofs(r, &(fb_mat_array){v->name, v->n, 1, v->re, v->im}, e);
    if (named(v->name, dofs) || named(v->name, nodes)) {
        fb_warn(
            r->log, "%s: %s is %lld by %lld: %s; it is not used", r->origin, v->name,
            (long long)v->m, (long long)v->n,
            named(v->name, nodes)
                ? "a row a node, of number, x, y, z, is wanted"
                : "a row a dof, of node and component, or a column of node.component is wanted");
        return FB_OK;
    }
    if (named(v->name, origins) && v->n == 3 && !r->origins)
        return use_origins(r, v, e);
    if (role_of(v->name) != FB_ROLE_UNKNOWN && v->n == 3 && v->m > 3)
        return use_triplets(r, v, e);
    return use_full_matrix(r, v, e);
}

/* Simscape: 6 dofs (3 translations, 3 rotations) of each frame in turn, then the modes. */
static fb_status label_frames(fb_mat_file *r, fb_err *e)
{
    fb_status s = FB_OK;
    for (int64_t k = 0; k < r->p->nmatrix; k++) {
        fb_matrix *a = r->p->matrix + k;
        const int64_t nf = r->frames;
        if (a->role == FB_ROLE_UNKNOWN || a->role == FB_ROLE_OTHER || a->row.node ||
            strcmp(a->origin, r->origin) || a->A.n < 6 * nf)
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

/* Shapes without a stiffness are a body held by its modes, with a mass matrix over the same rows
 * beside them; other matrices are named and left then. */
static fb_status modes_alone(fb_mat_file *r, fb_err *e)
{
    fb_mat_shapes *t = &r->shapes;
    if (!t->re)
        return FB_OK;
    /* Beside a model they are the matrix that they are, too, where they say no more than it. */
    if (r->p->columns && (!fb_mat_shapes_labelled(t, r->p) || t->nhz != t->nm))
        return FB_OK;
    for (int64_t k = 0; k < r->p->nmatrix; k++)
        if (r->p->matrix[k].role == FB_ROLE_STIFFNESS)
            return FB_OK;
    for (int64_t k = 0; k < r->p->nmatrix; k++) {
        fb_matrix *m = r->p->matrix + k;
        if (!is_own(r, m) || (m->role == FB_ROLE_MASS && m->A.m == t->rows))
            continue;
        if (m->role != FB_ROLE_UNKNOWN)
            fb_warn(r->log,
                    "%s: %s is not used: without a stiffness the body is held by its shapes",
                    r->origin, m->name);
        m->role = FB_ROLE_OTHER;
    }
    return fb_mat_shapes_body(t, r->p, e);
}

/* ---- file ------------------------------------------------------------------------------- */

/* 5 (with 7), 73, or 0: version word and byte order mark at byte 124, HDF5 of 7.3 behind them. */
static int container(const fb_input *in)
{
    const unsigned char *d = in->data;
    if (in->size < HEADER ||
        !((d[126] == 'I' && d[127] == 'M') || (d[126] == 'M' && d[127] == 'I')))
        return 0;
    int version = d[126] == 'I' ? d[125] << 8 | d[124] : d[124] << 8 | d[125];
    if (version == 0x200 && in->size > USER_BLOCK &&
        fb_is_hdf5(d + USER_BLOCK, in->size - USER_BLOCK))
        return 73;
    return version == 0x100 ? 5 : 0;
}

static int sniff(const fb_input *in)
{
    return container(in) || fb_mat_is4(in);
}

fb_status fb_mat_handed(fb_mat_file *r, const fb_matnum *v, fb_err *e)
{
    fb_status s = fb_grow(&r->held, &r->cap, r->nheld + 1, sizeof *r->held, e);
    if (!s)
        r->held[r->nheld++] = *v;
    return s;
}

/* Versions 4 and 5: what the guard lets through goes to libmatio, whose numbers come back. */
static fb_status read_guarded(fb_mat_file *r, const fb_input *in, int version, fb_err *e)
{
    char *path = NULL;
    fb_matmem memory = {0};
    fb_status s = FB_OK;
    FB_PASS(fb_spool_file(&path, &r->sound.spool, e));
    FB_TRY(version ? fb_mat_guard5(r, in, in->data[126] == 'I', e) : fb_mat_guard4(r, in, e));
    fb_buf_flush(&r->sound);
    FB_TRY(fb_buf_status(&r->sound, e));
    if (r->nheld > 0)
        FB_TRY(fb_matfile_read(path, r->held, r->nheld, &memory, e));
    for (int64_t k = 0; k < r->nheld; k++) {
        const fb_matnum *v = r->held + k;
        const fb_mat_array full = {v->name, v->m, v->n, v->re, v->im};
        FB_TRY(v->sparse ? fb_mat_sparse(r, v->name, v->m, v->n, v->start, v->row, v->re, v->im, e)
               : v->entries ? use_entries(r, &full, e)
                            : fb_mat_full(r, &full, e));
    }
out:
    fb_matfile_free(&memory);
    close(r->sound.spool);
    fb_temporary_remove(path);
    free(path);
    return s;
}

static fb_status variables_of_matlab(fb_mat_file *r, const fb_input *in, fb_err *e)
{
    const int version = container(in);
    return version == 73 ? fb_mat_read73(r, in, e) : read_guarded(r, in, version, e);
}

fb_status fb_mat_read(const fb_input *in, fb_parts *p,
                      fb_status (*variables)(fb_mat_file *r, const fb_input *in, fb_err *e),
                      fb_log *log, fb_err *e)
{
    fb_mat_file r = {.p = p, .origin = in->name, .log = log, .size = (int64_t)in->size};
    fb_status s = FB_OK;
    FB_TRY(variables(&r, in, e));
    if (r.origins)
        FB_TRY(label_frames(&r, e));
    FB_TRY(own_tables(&r, e));
    FB_TRY(modes_alone(&r, e));
    if (r.used == 0)
        s = fb_fail(e, FB_EFORMAT, "no matrix, node or dof table among its variables%s%s",
                    *r.seen ? ": " : "", r.seen);
out:
    fb_buf_free(&r.sound);
    FB_FREE(r.held, r.origins);
    for (int k = 0; k < FB_MAT_COLUMNS; k++)
        free(r.column[k]);
    fb_mat_shapes_free(&r.shapes);
    return s;
}

static fb_status read_matlab(const fb_input *in, fb_parts *p, fb_log *log, fb_err *e)
{
    return fb_mat_read(in, p, variables_of_matlab, log, e);
}

const fb_reader fb_reader_matlab = {
    .name = "matlab",
    .doc = "MATLAB .mat file, version 4 to 7.3",
    .sniff = sniff,
    .read = read_matlab,
};
