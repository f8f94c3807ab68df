/* SPDX-License-Identifier: GPL-3.0-or-later */
/* model.c - the model: life, consistency, look-up of nodes, and its passage through the stream. */
#include "linalg/far.h"
#include "memory.h"
#include "stream.h"
#include "h5.h"
#include "schema.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void **pointer_of(fb_model *b, const fb_row *r)
{
    return (void **)(void *)((char *)b + r->offset);
}

static const void *data_of(const fb_model *b, const fb_row *r)
{
    void *p;
    memcpy(&p, (const char *)b + r->offset, sizeof p);
    return p;
}

void fb_model_free(fb_model *b)
{
    for (int q = 0; q < fb_nrows; q++) {
        if (fb_rows[q].type == 'c')
            fb_csc_free((fb_csc *)(void *)pointer_of(b, fb_rows + q));
        else
            fb_far_free(*pointer_of(b, fb_rows + q));
    }
    *b = (fb_model){0};
}

void fb_model_plain_texts(fb_model *b)
{
    for (int q = 0; q < fb_ntexts; q++)
        fb_plain_text((char *)b + fb_texts[q].offset);
    for (int k = 0; k < FB_NUNIT; k++)
        fb_plain_text(b->units.name[k]);
    for (int64_t k = 0; b->vector_name && k < b->nvector; k++)
        fb_plain_text(b->vector_name[k]);
    for (int64_t k = 0; b->load_name && k < b->nload; k++)
        fb_plain_text(b->load_name[k]);
}

/* ---- boxes ----------------------------------------------------------------------------- */

void fb_box(const double *xyz, int64_t n, double lo[3], double hi[3])
{
    for (int a = 0; a < 3; a++) {
        lo[a] = n > 0 ? INFINITY : 0;
        hi[a] = n > 0 ? -INFINITY : 0;
        for (int64_t k = 0; k < n; k++) {
            lo[a] = fmin(lo[a], xyz[3 * k + a]);
            hi[a] = fmax(hi[a], xyz[3 * k + a]);
        }
    }
}

double fb_box_diagonal(const double *xyz, int64_t n)
{
    double lo[3], hi[3], d2 = 0;
    fb_box(xyz, n, lo, hi);
    for (int a = 0; a < 3; a++)
        d2 += (hi[a] - lo[a]) * (hi[a] - lo[a]);
    return sqrt(d2);
}

/* ---- look-up of node numbers ----------------------------------------------------------- */

typedef struct {
    int64_t id, pos;
} idpos;

static int by_id(const void *a, const void *b)
{
    const idpos *x = a, *y = b;
    return x->id < y->id ? -1 : x->id > y->id ? 1 : x->pos < y->pos ? -1 : x->pos > y->pos;
}

fb_status fb_index_new(fb_index *x, const int64_t *id, int64_t n, const char *what, fb_err *e)
{
    idpos *t = NULL;
    fb_index y = {.n = n};
    fb_status s = FB_OK;
    FB_TRY(FB_NEW(&t, n, e));
    FB_TRY(FB_NEW(&y.id, n, e));
    FB_TRY(FB_NEW(&y.pos, n, e));
    for (int64_t k = 0; k < n; k++)
        t[k] = (idpos){id[k], k};
    qsort(t, (size_t)n, sizeof *t, by_id);
    for (int64_t k = 0; k < n; k++) {
        y.id[k] = t[k].id;
        y.pos[k] = t[k].pos;
        if (k && t[k].id == t[k - 1].id)
            FB_TRY(fb_fail(e, FB_EFORMAT, "%s: node %lld occurs twice (positions %lld and %lld)",
                           what, (long long)t[k].id, (long long)t[k - 1].pos, (long long)t[k].pos));
    }
    *x = y;
    y = (fb_index){0};
out:
    fb_index_free(&y);
    free(t);
    return s;
}

void fb_index_free(fb_index *x)
{
    FB_FREE(x->id, x->pos);
    *x = (fb_index){0};
}

static int by_value(const void *a, const void *b)
{
    int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;
    return (x > y) - (x < y);
}

int64_t fb_unique(int64_t *v, int64_t n)
{
    int64_t k = 0;
    if (n)
        qsort(v, (size_t)n, sizeof *v, by_value);
    for (int64_t q = 0; q < n; q++)
        if (q == 0 || v[q] != v[k - 1])
            v[k++] = v[q];
    return k;
}

int64_t fb_sorted_find(const int64_t *v, int64_t n, int64_t x)
{
    int64_t lo = 0, hi = n;
    while (lo < hi) {
        int64_t mid = lo + (hi - lo) / 2;
        if (v[mid] < x)
            lo = mid + 1;
        else
            hi = mid;
    }
    return lo < n && v[lo] == x ? lo : -1;
}

int64_t fb_index_find(const fb_index *x, int64_t id)
{
    const int64_t n = x->n;
    if (!n || id < x->id[0] || id > x->id[n - 1])
        return -1;
    /* Numbers differ: no more of them are below or above id than lie between it and the ends. */
    const uint64_t below = (uint64_t)id - (uint64_t)x->id[0],
                   above = (uint64_t)x->id[n - 1] - (uint64_t)id;
    const int64_t first = above < (uint64_t)n ? n - 1 - (int64_t)above : 0,
                  last = below < (uint64_t)n ? (int64_t)below : n - 1,
                  k = fb_sorted_find(x->id + first, last + 1 - first, id);
    return k < 0 ? -1 : x->pos[first + k];
}

/* ---- consistency ----------------------------------------------------------------------- */

static fb_status check_range(const int64_t *v, int64_t n, int64_t lo, int64_t hi, const char *path,
                             fb_err *e)
{
    for (int64_t k = 0; v && k < n; k++)
        if (v[k] < lo || v[k] > hi)
            return fb_fail(e, FB_EFORMAT, "%s[%lld] is %lld, outside %lld..%lld", path,
                           (long long)k, (long long)v[k], (long long)lo, (long long)hi);
    return FB_OK;
}

static fb_status check_values(const fb_model *b, fb_err *e)
{
    for (int q = 0; q < fb_nrows; q++) {
        const fb_row *r = fb_rows + q;
        const double *x = r->type == 'd' ? data_of(b, r) : NULL;
        if (fb_is_far(x)) /* made by sums that were looked at */
            continue;
        for (int64_t k = 0, n = x ? fb_row_count(b, r) : 0; k < n; k++)
            if (!isfinite(x[k]))
                return fb_fail(e, FB_EFORMAT, "%s: value %lld is not finite", r->path,
                               (long long)k);
        if (r->type != 'c')
            continue;
        fb_csc A;
        memcpy(&A, (const char *)b + r->offset, sizeof A);
        if (!A.p)
            continue;
        const int64_t m = *fb_dim_of((fb_model *)(uintptr_t)b, r->dim[0]),
                      n = *fb_dim_of((fb_model *)(uintptr_t)b, r->dim[1]);
        if (A.m != m || A.n != n)
            return fb_fail(e, FB_EFORMAT, "%s is %lld by %lld, %lld by %lld is wanted", r->path,
                           (long long)A.m, (long long)A.n, (long long)m, (long long)n);
        FB_PASS(fb_csc_check(&A, r->path, e));
    }
    return FB_OK;
}

static fb_status check_motions(int64_t n, const char *what, fb_err *e)
{
    if (n && n != 3 && n != 6)
        return fb_fail(
            e, FB_EFORMAT,
            "%s: %lld rigid motions; 3 translations, or 6 with the rotations, are wanted", what,
            (long long)n);
    return FB_OK;
}

static fb_status check_offsets(const int64_t *offset, int64_t n, int64_t end, const char *path,
                               fb_err *e)
{
    for (int64_t k = 0; offset && k < n; k++)
        if (offset[k] < (k ? offset[k - 1] : 0) || (k == 0 && offset[0] != 0) ||
            (k == n - 1 && offset[k] != end))
            return fb_fail(e, FB_EFORMAT, "%s[%lld] is %lld: offsets rise from 0 to %lld", path,
                           (long long)k, (long long)offset[k], (long long)end);
    return FB_OK;
}

/* /full/Kg: a symmetric block for each load. */
static fb_status check_blocks(const fb_model *b, fb_err *e)
{
    const fb_csc *A = &b->Kg;
    if (!A->p)
        return FB_OK;
    if (b->ndof == 0 || b->nkgdof % b->ndof || (b->kg_node && b->nkgdof != b->nkg * b->ndof))
        return fb_fail(e, FB_EFORMAT,
                       "/full/Kg is of order %lld: %lld loads of %lld dofs each are wanted",
                       (long long)b->nkgdof, (long long)b->nkg, (long long)b->ndof);
    for (int64_t j = 0; j < A->n; j++)
        for (int64_t q = A->p[j]; q < A->p[j + 1]; q++)
            if (!A->upper || A->i[q] / b->ndof != j / b->ndof)
                return fb_fail(e, FB_EFORMAT,
                               "/full/Kg is not the upper half of blocks on the diagonal: entry "
                               "%lld,%lld",
                               (long long)A->i[q], (long long)j);
    return FB_OK;
}

fb_status fb_model_check(const fb_model *b, fb_err *e)
{
    fb_index x = {0};
    fb_status s = FB_OK;
    FB_TRY(check_values(b, e));
    FB_TRY(check_range(b->node_id, b->nn, -FB_NODE_MAX, FB_NODE_MAX, "/nodes/id", e));
    FB_TRY(check_range(b->dof_node, b->ndof, -FB_NODE_MAX, FB_NODE_MAX, "/dofs/node", e));
    FB_TRY(check_range(b->dof_component, b->ndof, 0, FB_COMPONENT_MAX, "/dofs/component", e));
    FB_TRY(check_range(b->all_component, b->na, 0, FB_COMPONENT_MAX, "/recovery/component", e));
    FB_TRY(check_range(b->all_class, b->na, FB_DOF_PHYSICAL, FB_DOF_FIXED, "/recovery/class", e));
    FB_TRY(check_range(b->check_kind, b->nk, 0, FB_NCHECK - 1, "/checks/kind", e));
    FB_TRY(check_range(b->dof_class, b->ndof, FB_DOF_PHYSICAL, FB_DOF_FIXED, "/dofs/class", e));
    FB_TRY(check_range(b->interface_dof, b->nb, 0, b->ndof - 1, "/interface/dof", e));
    FB_TRY(check_range(b->dof_node ? b->load_dof : NULL, b->nload, FB_LOAD_ATTACHED, b->ndof - 1,
                       "/reduced/load_dof", e));
    FB_TRY(check_range(b->kind, b->nr, FB_KIND_BOUNDARY, FB_KIND_ATTACHMENT, "/reduced/kind", e));
    FB_TRY(check_range(b->face_index, b->nfi, 0, b->nn - 1, "/faces/index", e));
    FB_TRY(check_range(b->face_offset, b->nf1, 0, b->nfi, "/faces/offset", e));
    FB_TRY(check_motions(b->nrigid, "/verdict and /participation", e));
    FB_TRY(check_motions(b->nmotion, "/checks/rigid", e));
    FB_TRY(check_blocks(b, e));
    FB_TRY(check_range(b->kg_node, b->nkg, -FB_NODE_MAX, FB_NODE_MAX, "/geometric/node", e));
    FB_TRY(check_offsets(b->face_offset, b->nf1, b->nfi, "/faces/offset", e));
    FB_TRY(check_offsets(b->set_offset, b->nset1, b->nsetnode, "/sets/offset", e));
    FB_TRY(check_range(b->set_node, b->nsetnode, -FB_NODE_MAX, FB_NODE_MAX, "/sets/node", e));
    if (b->set_name && b->nset1 != b->nset + 1)
        FB_TRY(fb_fail(e, FB_EFORMAT, "/sets/offset: %lld offsets, %lld names: one more is wanted",
                       (long long)b->nset1, (long long)b->nset));
    if (b->node_id)
        FB_TRY(fb_index_new(&x, b->node_id, b->nn, "/nodes/id", e));
    for (int64_t k = 0; x.n && b->connector_node && k < b->nc; k++)
        if (fb_index_find(&x, b->connector_node[k]) < 0)
            FB_TRY(fb_fail(e, FB_EFORMAT, "/connectors/node: node %lld is not in /nodes",
                           (long long)b->connector_node[k]));
out:
    fb_index_free(&x);
    return s;
}

/* ---- dofs and connectors --------------------------------------------------------------- */

fb_status fb_model_nodal_dofs(fb_model *b, fb_err *e)
{
    int64_t n = 6 * b->nn, *node = NULL, *component = NULL, *class = NULL;
    fb_status s = FB_OK;
    FB_TRY(FB_NEW(&node, n, e));
    FB_TRY(FB_NEW(&component, n, e));
    FB_TRY(FB_NEW(&class, n, e));
    for (int64_t k = 0; k < n; k++) {
        node[k] = b->node_id[k / 6];
        component[k] = 1 + k % 6;
        class[k] = FB_DOF_PHYSICAL;
    }
    FB_FREE(b->dof_node, b->dof_component, b->dof_class);
    b->ndof = n;
    b->dof_node = node;
    b->dof_component = component;
    b->dof_class = class;
    node = NULL;
    component = NULL;
    class = NULL;
out:
    FB_FREE(node, component, class);
    return s;
}

fb_status fb_model_set_connectors(fb_model *b, const int64_t *node, int64_t n, fb_err *e)
{
    int64_t *id = NULL;
    double *u = NULL, *R = NULL;
    fb_index x = {0};
    fb_status s = FB_OK;
    FB_TRY(fb_index_new(&x, b->node_id, b->nn, "/nodes/id", e));
    FB_TRY(fb_new(&id, n, 8, "connectors", e));
    FB_TRY(fb_new(&u, 3 * n, 8, "connectors", e));
    FB_TRY(fb_new(&R, 9 * n, 8, "connectors", e));
    for (int64_t k = 0; k < n; k++) {
        int64_t p = fb_index_find(&x, node[k]);
        if (p < 0)
            FB_TRY(fb_fail(e, FB_EFORMAT, "connector node %lld is not among the nodes",
                           (long long)node[k]));
        id[k] = node[k];
        memcpy(u + 3 * k, b->xyz + 3 * p, 3 * sizeof *u);
        R[9 * k] = R[9 * k + 4] = R[9 * k + 8] = 1;
    }
    FB_FREE(b->connector_node, b->connector_position, b->connector_rotation, b->connector_S,
            b->connector_Shat);
    b->nc = n;
    b->connector_node = id;
    b->connector_position = u;
    b->connector_rotation = R;
    b->connector_S = b->connector_Shat = NULL;
    id = NULL;
    u = R = NULL;
out:
    fb_index_free(&x);
    FB_FREE(id, u, R);
    return s;
}

/* Where S and Shat [nc,3,m] are made: at the rows of T that are rows of a connector. */
typedef struct {
    const fb_model *b;
    const double *T;
    fb_index node;
    double *S, *Shat, *row; /* row [m] of T */
} connecting;

/* The connector's row of a dof; NULL: it is none's, or neither translation nor rotation. */
static double *row_of(const connecting *x, int64_t node, int64_t component)
{
    const int64_t c = fb_index_find(&x->node, node), a = component;
    return c < 0 || a < 1 || a > 6 ? NULL
                                   : (a <= 3 ? x->S : x->Shat) + (c * 3 + (a - 1) % 3) * x->b->nr;
}

/* to += by times row d of T */
static void add_row(const connecting *x, int64_t d, double by, double *to)
{
    const int64_t m = x->b->nr, n = x->b->ndof;
    if (fb_is_far(x->T))
        fb_far->row(&(fb_mat){n, m, (double *)(uintptr_t)x->T}, d, x->row);
    for (int64_t k = 0; k < m; k++)
        to[k] += by * (fb_is_far(x->T) ? x->row[k] : x->T[d + k * n]);
}

/* What follows other dofs, as slaves of frames do: rows of G T. */
static void follow(const connecting *x)
{
    const fb_model *b = x->b;
    const fb_csc *G = &b->G;
    if (!G->p || G->m != b->na || G->n != b->ndof || !b->all_node || !b->all_component)
        return;
    for (int64_t d = 0; d < G->n; d++)
        for (int64_t q = G->p[d]; q < G->p[d + 1]; q++) {
            double *row = row_of(x, b->all_node[G->i[q]], b->all_component[G->i[q]]);
            if (row && (!b->all_class || b->all_class[G->i[q]] == FB_DOF_PHYSICAL))
                add_row(x, d, G->x[q], row);
        }
}

fb_status fb_model_connectors(fb_model *b, const double *T, fb_err *e)
{
    const int64_t m = b->nr, nc = b->nc;
    connecting x = {.b = b, .T = T};
    fb_status s = FB_OK;
    if (!b->connector_node)
        return FB_OK;
    FB_TRY(fb_index_new(&x.node, b->connector_node, nc, "/connectors/node", e));
    FB_TRY(FB_NEW(&x.S, nc * 3 * m, e));
    FB_TRY(FB_NEW(&x.Shat, nc * 3 * m, e));
    FB_TRY(FB_NEW(&x.row, m, e));
    follow(&x);
    for (int64_t d = 0; d < b->ndof; d++) {
        double *row = row_of(&x, b->dof_node[d], b->dof_component[d]);
        if (!row)
            continue;
        memset(row, 0, sizeof *row * (size_t)m);
        add_row(&x, d, 1, row);
    }
    FB_FREE(b->connector_S, b->connector_Shat);
    b->connector_S = x.S;
    b->connector_Shat = x.Shat;
    x.S = x.Shat = NULL;
out:
    fb_index_free(&x.node);
    FB_FREE(x.S, x.Shat, x.row);
    return s;
}

/* ---- the stream ------------------------------------------------------------------------ */

/* HDF5 would cut off what follows the point. */
static fb_status check_whole(const fb_h5shape *sh, char type, const char *path, fb_err *e)
{
    return type == 'i' && sh->type == 'd'
               ? fb_fail(e, FB_EFORMAT, "%s: whole numbers are wanted, the file holds reals", path)
               : FB_OK;
}

static fb_status read_array(fb_stream *st, fb_model *b, const fb_row *r, int known[], fb_err *e)
{
    fb_h5shape sh;
    fb_status s = fb_h5_shape_of(st->h5, r->path, &sh, e);
    if (s)
        return s;
    int rank = 0;
    while (rank < 4 && r->dim[rank])
        rank++;
    if (sh.type == 's' || sh.rank != rank)
        return fb_fail(e, FB_EFORMAT, "%s: %d dimensions of %s, %d wanted", r->path, sh.rank,
                       sh.type == 's' ? "text" : "numbers", rank);
    int64_t n = 1;
    for (int k = 0; k < rank; k++) {
        int64_t *d = r->dim[k] > 0 ? fb_dim_of(b, r->dim[k]) : NULL, fixed = -r->dim[k];
        if (d && !known[(int)r->dim[k]]) {
            *d = sh.dim[k];
            known[(int)r->dim[k]] = 1;
        }
        if (sh.dim[k] != (d ? *d : fixed))
            return fb_fail(e, FB_EFORMAT, "%s: dimension %d is %lld, %s wants %lld", r->path, k + 1,
                           (long long)sh.dim[k], d ? fb_dims[(int)r->dim[k]].name : "the format",
                           (long long)(d ? *d : fixed));
        n *= sh.dim[k];
    }
    void *data = NULL;
    FB_PASS(check_whole(&sh, r->type, r->path, e));
    FB_PASS(fb_new(&data, n, 8, r->path, e));
    sh.type = r->type;
    if ((s = fb_h5_read(st->h5, r->path, &sh, data, e))) {
        free(data);
        return s;
    }
    *pointer_of(b, r) = data;
    return FB_OK;
}

/* Texts of any width; their ends are cut off. */
static fb_status read_texts(fb_stream *st, fb_model *b, const fb_row *r, int known[], fb_err *e)
{
    fb_h5shape sh;
    char *wide = NULL, *data = NULL;
    const int64_t size = -r->dim[1];
    int64_t *n = fb_dim_of(b, r->dim[0]);
    fb_status s = FB_OK;
    FB_TRY(fb_h5_shape_of(st->h5, r->path, &sh, e));
    if (sh.type != 's' || sh.rank != 1)
        FB_TRY(fb_fail(e, FB_EFORMAT, "%s: one dimension of text is wanted", r->path));
    if (known[(int)r->dim[0]] && sh.dim[0] != *n)
        FB_TRY(fb_fail(e, FB_EFORMAT, "%s: dimension 1 is %lld, %s wants %lld", r->path,
                       (long long)sh.dim[0], fb_dims[(int)r->dim[0]].name, (long long)*n));
    FB_TRY(fb_new(&wide, sh.dim[0], sh.width, r->path, e));
    FB_TRY(fb_new(&data, sh.dim[0], (size_t)size, r->path, e));
    FB_TRY(fb_h5_read(st->h5, r->path, &sh, wide, e));
    for (int64_t k = 0; k < sh.dim[0]; k++) {
        memcpy(data + k * size, wide + (size_t)k * sh.width,
               sh.width < (size_t)size ? sh.width : (size_t)size - 1);
        fb_plain_text(data + k * size);
    }
    *n = sh.dim[0];
    known[(int)r->dim[0]] = 1;
    *pointer_of(b, r) = data;
    data = NULL;
out:
    FB_FREE(wide, data);
    return s;
}

/* One array of a sparse matrix: path/leaf, one-dimensional; n < 0: any length. */
static fb_status read_leaf(fb_stream *st, const char *path, const char *leaf, char type, int64_t *n,
                           void *pp, fb_err *e)
{
    char full[64];
    fb_h5shape sh;
    void *data = NULL;
    snprintf(full, sizeof full, "%s/%s", path, leaf);
    fb_status s = FB_OK;
    FB_TRY(fb_h5_shape_of(st->h5, full, &sh, e));
    if (sh.type == 's' || sh.rank != 1 || (*n >= 0 && sh.dim[0] != *n))
        FB_TRY(fb_fail(e, FB_EFORMAT, "%s: %lld numbers, %lld wanted", full, (long long)sh.dim[0],
                       (long long)*n));
    FB_TRY(check_whole(&sh, type, full, e));
    *n = sh.dim[0];
    sh.type = type;
    FB_TRY(fb_new(&data, *n, 8, full, e));
    FB_TRY(fb_h5_read(st->h5, full, &sh, data, e));
    memcpy(pp, &data, sizeof data);
    data = NULL;
out:
    free(data);
    return s;
}

/* The matrices of the full model, where other processes hold their columns: cut as the first
 * one. */
static fb_status read_far(fb_stream *st, const fb_model *b, const fb_row *r, fb_csc *A, fb_err *e)
{
    const fb_csc *like = b->K.p ? &b->K : b->M.p ? &b->M : NULL;
    fb_csc B = {0};
    for (int64_t j = 0; j < A->n; j++)
        if (A->p[j] < 0 || A->p[j] > A->p[j + 1])
            return fb_fail(e, FB_EFORMAT, "%s/p[%lld] is out of order", r->path, (long long)j);
    /* By this name the others find it: a spool stays while fb_far is there. */
    const char *file = st->path && st->path[0] ? st->path : st->name;
    FB_PASS(fb_far->read(file, r->path, A->n, A->p, A->upper, like, &B, e));
    fb_csc_free(A);
    *A = B;
    return FB_OK;
}

static fb_status read_csc(fb_stream *st, fb_model *b, const fb_row *r, int known[], fb_err *e)
{
    fb_csc A = {0};
    char symmetry[16] = "general";
    int rows = r->dim[0], cols = r->dim[1];
    int64_t n1 = known[cols] ? *fb_dim_of(b, cols) + 1 : -1, nnz = -1;
    fb_status s = FB_OK;
    FB_TRY(fb_h5_get_text(st->h5, r->path, "symmetry", symmetry, sizeof symmetry, e));
    A.upper = !strcmp(symmetry, "upper");
    if (!A.upper && strcmp(symmetry, "general"))
        FB_TRY(fb_fail(e, FB_EFORMAT, "%s: symmetry '%s'; 'upper' or 'general' is wanted", r->path,
                       symmetry));
    FB_TRY(read_leaf(st, r->path, "p", 'i', &n1, &A.p, e));
    if (n1 < 1 || !A.p)
        FB_TRY(fb_fail(e, FB_EFORMAT, "%s/p is empty", r->path));
    A.n = n1 - 1;
    if (fb_far && !strncmp(r->path, "/full/", 6)) {
        FB_TRY(read_far(st, b, r, &A, e));
        goto done;
    }
    A.m = rows != cols && known[rows] ? *fb_dim_of(b, rows) : A.n;
    FB_TRY(read_leaf(st, r->path, "i", 'i', &nnz, &A.i, e));
    FB_TRY(read_leaf(st, r->path, "x", 'd', &nnz, &A.x, e));
    if (A.p[A.n] != nnz)
        FB_TRY(fb_fail(e, FB_EFORMAT, "%s: p ends at %lld, %lld values stored", r->path,
                       (long long)A.p[A.n], (long long)nnz));
    for (int64_t j = 0; j < A.n; j++)
        if (A.p[j] < 0 || A.p[j] > A.p[j + 1])
            FB_TRY(fb_fail(e, FB_EFORMAT, "%s/p[%lld] is out of order", r->path, (long long)j));
done:
    *fb_dim_of(b, cols) = A.n;
    known[cols] = 1;
    *(fb_csc *)(void *)pointer_of(b, r) = A;
    A = (fb_csc){0};
out:
    fb_csc_free(&A);
    return s;
}

static const char *const unit_attr[][2] = {
    {"mass_unit", "mass_to_SI"},
    {"length_unit", "length_to_SI"},
    {"time_unit", "time_to_SI"},
    {"force_unit", "force_to_SI"},
};
FB_ROWS(unit_attr, FB_NUNIT);

static fb_status read_header(fb_stream *st, fb_model *b, fb_err *e)
{
    char format[16] = "";
    double version[2] = {0, 0};
    FB_PASS(fb_h5_get_text(st->h5, "/", "format", format, sizeof format, e));
    if (strcmp(format, "flexbody"))
        FB_PASS(
            fb_fail(e, FB_EFORMAT,
                    "an HDF5 file, but not a flexbody stream: its root attribute 'format' is '%s'",
                    format));
    FB_PASS(fb_h5_get_real(st->h5, "/", "format_version", version, 2, e));
    if (version[0] != FB_FORMAT_MAJOR)
        return fb_fail(e, FB_EFORMAT, "stream version %g.%g; this program reads version %d.x",
                       version[0], version[1], FB_FORMAT_MAJOR);
    fb_units_unnamed(&b->units);
    for (int k = 0; k < FB_NUNIT; k++) {
        FB_PASS(fb_h5_get_text(st->h5, "/", unit_attr[k][0], b->units.name[k],
                               sizeof b->units.name[k], e));
        FB_PASS(fb_h5_get_real(st->h5, "/", unit_attr[k][1], &b->units.factor[k], 1, e));
        if (!(b->units.factor[k] >= 0 && b->units.factor[k] < 1e100))
            return fb_fail(e, FB_EFORMAT, "root attribute %s is %g: a factor to SI is wanted, or 0",
                           unit_attr[k][1], b->units.factor[k]);
    }
    for (int q = 0; q < fb_ntexts; q++)
        FB_PASS(fb_h5_get_text(st->h5, fb_texts[q].object, fb_texts[q].name,
                               (char *)b + fb_texts[q].offset, fb_texts[q].size, e));
    return FB_OK;
}

/* Datasets that are nothing without another: where the first is there and the second is wanted too,
 * it must be there. */
static const char *const needs[][2] = {
    {"/nodes/xyz", "/nodes/id"},
    {"/nodes/mass", "/nodes/id"},
    {"/nodes/inertia", "/nodes/id"},
    {"/dofs/node", "/dofs/component"},
    {"/dofs/node", "/dofs/class"},
    {"/dofs/component", "/dofs/node"},
    {"/dofs/class", "/dofs/node"},
    {"/modes/shape", "/nodes/id"},
    {"/modes/eigen", "/modes/number"},
    {"/modes/shape", "/modes/number"},
    {"/reduced/T", "/dofs/node"},
    {"/full/K", "/dofs/node"},
    {"/connectors/S", "/connectors/node"},
    {"/connectors/S", "/connectors/Shat"},
    {"/connectors/Shat", "/connectors/S"},
    {"/connectors/position", "/connectors/node"},
    {"/faces/index", "/faces/offset"},
    {"/faces/offset", "/faces/index"},
    {"/stress/value", "/stress/node"},
    {"/statistics/value", "/statistics/node"},
    {"/reduced/K", "/reduced/M"},
    {"/reduced/M", "/reduced/K"},
    {"/sets/name", "/sets/offset"},
    {"/sets/offset", "/sets/node"},
    {"/sets/node", "/sets/name"},
    {"/modes/damping", "/modes/number"},
    {"/stress/strain", "/stress/node"},
    {"/stress/shape_stress", "/stress/node"},
    {"/stress/shape", "/dofs/node"},
    {"/stress/shape_strain", "/stress/node"},
    {"/stress/coordinate", "/stress/node"},
    {"/stress/coordinate_strain", "/stress/node"},
    {"/stress/shape_stress", "/stress/shape"},
    {"/full/load", "/full/load_name"},
    {"/full/load_name", "/full/load"},
    {"/full/load", "/dofs/node"},
    {"/reduced/load", "/reduced/load_dof"},
    {"/reduced/load_dof", "/reduced/load"},
    {"/reduced/load_name", "/reduced/load"},
    {"/full/Kg", "/geometric/node"},
    {"/reduced/Kg", "/geometric/node"},
    {"/geometric/node", "/geometric/acceleration"},
    {"/geometric/node", "/geometric/angular"},
    {"/geometric/node", "/geometric/centrifugal"},
    {"/geometric/node", "/geometric/force"},
    {"/geometric/node", "/geometric/moment"},
    {"/geometric/acceleration", "/geometric/node"},
};

static int holds(const fb_model *b, const char *path)
{
    for (int q = 0; q < fb_nrows; q++)
        if (!strcmp(fb_rows[q].path, path)) {
            fb_csc A;
            memcpy(&A, (const char *)b + fb_rows[q].offset, fb_rows[q].type == 'c' ? sizeof A : 0);
            return fb_rows[q].type == 'c' ? A.p != NULL : data_of(b, fb_rows + q) != NULL;
        }
    return 0;
}

static fb_status check_complete(const fb_model *b, const char *const *want, fb_err *e)
{
    for (size_t k = 0; k < sizeof needs / sizeof *needs; k++)
        if (fb_path_in(needs[k][1], want) && holds(b, needs[k][0]) && !holds(b, needs[k][1]))
            return fb_fail(e, FB_EFORMAT, "%s is there, but %s is missing", needs[k][0],
                           needs[k][1]);
    for (int64_t k = 0; b->load_dof && !b->load_name && k < b->nload;
         k++) /* a unit load has its dof */
        if (b->load_dof[k] < 0 && fb_path_in("/reduced/load_name", want))
            return fb_fail(e, FB_EFORMAT,
                           "/reduced/load holds a load vector (row %lld), but /reduced/load_name "
                           "is missing: nothing says what load it is",
                           (long long)k + 1);
    return FB_OK;
}

/* A reduced pair is symmetric to the last bit where it is made here, and to the digits of the text
 * where it was printed. */
#define SYMMETRIC 1e-6

static fb_status check_symmetric(const double *A, int64_t n, const char *path, fb_err *e)
{
    double top = 0, off = 0;
    int64_t row = 0, column = 0;
    for (int64_t k = 0; A && k < n * n; k++)
        top = fmax(top, fabs(A[k]));
    for (int64_t i = 0; A && i < n; i++)
        for (int64_t j = 0; j < i; j++)
            if (fabs(A[i * n + j] - A[j * n + i]) > off) {
                off = fabs(A[i * n + j] - A[j * n + i]);
                row = i;
                column = j;
            }
    return !A || off <= SYMMETRIC * top
               ? FB_OK
               : fb_fail(e, FB_EFORMAT, "%s is not symmetric: [%lld,%lld] is %g, [%lld,%lld] is %g",
                         path, (long long)row, (long long)column, A[row * n + column],
                         (long long)column, (long long)row, A[column * n + row]);
}

/* Row sums of a mass matrix may be negative (elements with nodes on their edges); masses that are
 * all there is of the mass may not. */
static fb_status check_masses(fb_stream *st, const fb_model *b, fb_err *e)
{
    for (int64_t p = 0; b->node_mass && b->node_id && p < b->nn; p++)
        if (b->node_mass[p] < 0 && !fb_h5_exists(st->h5, "/full/M"))
            return fb_fail(e, FB_EFORMAT,
                           "/nodes/mass: node %lld has the mass %g: masses are not negative",
                           (long long)b->node_id[p], b->node_mass[p]);
    return FB_OK;
}

fb_status fb_model_read(fb_stream *st, fb_model *b, const char *const *want, fb_err *e)
{
    fb_model m = {0};
    int known[FB_NDIM] = {0};
    fb_status s = FB_OK;
    FB_TRY(read_header(st, &m, e));
    for (int q = 0; q < fb_nrows; q++) {
        const fb_row *r = fb_rows + q;
        if (!fb_path_in(r->path, want) || !fb_h5_exists(st->h5, r->path))
            continue;
        FB_TRY(r->type == 'c'   ? read_csc(st, &m, r, known, e)
               : r->type == 's' ? read_texts(st, &m, r, known, e)
                                : read_array(st, &m, r, known, e));
    }
    fb_model_plain_texts(&m);
    FB_TRY(fb_h5_sound(e));
    FB_TRY(check_complete(&m, want, e));
    FB_TRY(fb_model_check(&m, e));
    FB_TRY(check_symmetric(m.Kr, m.nr, "/reduced/K", e));
    FB_TRY(check_symmetric(m.Mr, m.nr, "/reduced/M", e));
    FB_TRY(check_masses(st, &m, e));
    *b = m;
    m = (fb_model){0};
out:
    fb_model_free(&m);
    if (s == FB_EFORMAT && fb_h5_sound(e) != FB_OK)
        s = FB_ESYS;
    return s ? fb_context(e, "%s", st->name) : FB_OK;
}

static fb_status describe(fb_stream *st, const fb_row *r, const fb_units *u, fb_err *e)
{
    char units[200];
    fb_row_units(r, u, units, sizeof units);
    fb_status s = fb_h5_put_text(st->h5, r->path, "units", units, e);
    return s ? s : fb_h5_put_text(st->h5, r->path, "description", r->doc, e);
}

static fb_status write_csc(fb_stream *st, const fb_csc *A, const fb_row *r, const fb_units *u,
                           fb_err *e)
{
    char path[64];
    fb_h5shape sh = {.type = 'i', .rank = 1, .dim = {A->n + 1}};
    snprintf(path, sizeof path, "%s/p", r->path);
    FB_PASS(fb_h5_write(st->h5, path, &sh, A->p, e));
    sh.dim[0] = A->p[A->n];
    snprintf(path, sizeof path, "%s/i", r->path);
    FB_PASS(fb_h5_write(st->h5, path, &sh, A->i, e));
    sh.type = 'd';
    snprintf(path, sizeof path, "%s/x", r->path);
    FB_PASS(fb_h5_write(st->h5, path, &sh, A->x, e));
    FB_PASS(fb_h5_put_text(st->h5, r->path, "symmetry", A->upper ? "upper" : "general", e));
    return describe(st, r, u, e);
}

/* Rows that other processes hold, some at a time. */
static fb_status write_far(fb_stream *st, const char *path, const fb_h5shape *sh, double *x,
                           fb_err *e)
{
    enum { TOGETHER = 16 };
    const int64_t width = sh->dim[1];
    double *near = NULL;
    fb_status s = FB_OK;
    FB_TRY(fb_new(&near, width * TOGETHER, sizeof *near, path, e));
    FB_TRY(fb_h5_write(st->h5, path, sh, NULL, e));
    for (int64_t c = 0; c < sh->dim[0]; c += TOGETHER) {
        const int64_t k = sh->dim[0] - c < TOGETHER ? sh->dim[0] - c : TOGETHER;
        fb_far->fetch(&(fb_mat){width, k, x + c * width}, near);
        FB_TRY(fb_h5_write_part(st->h5, path, 'd', c * width, k * width, near, e));
    }
out:
    free(near);
    return s;
}

static fb_status write_header(fb_stream *st, const fb_model *b, fb_err *e)
{
    const double version[2] = {FB_FORMAT_MAJOR, FB_FORMAT_MINOR};
    FB_PASS(fb_h5_put_text(st->h5, "/", "format", "flexbody", e));
    FB_PASS(fb_h5_put_real(st->h5, "/", "format_version", version, 2, e));
    for (int k = 0; k < FB_NUNIT; k++) {
        FB_PASS(fb_h5_put_text(st->h5, "/", unit_attr[k][0], b->units.name[k], e));
        FB_PASS(fb_h5_put_real(st->h5, "/", unit_attr[k][1], &b->units.factor[k], 1, e));
    }
    return FB_OK;
}

fb_status fb_model_write(fb_stream *st, const fb_model *b, const char *const *what, fb_err *e)
{
    fb_status s = FB_OK;
    FB_TRY(write_header(st, b, e));
    for (int q = 0; q < fb_nrows; q++) {
        const fb_row *r = fb_rows + q;
        if (!fb_path_in(r->path, what))
            continue;
        if (r->type == 'c') {
            fb_csc A;
            memcpy(&A, (const char *)b + r->offset, sizeof A);
            if (A.p)
                FB_TRY(write_csc(st, &A, r, &b->units, e));
            continue;
        }
        const void *data = data_of(b, r);
        if (!data)
            continue;
        fb_h5shape sh = {.type = r->type};
        for (; sh.rank < 4 && r->dim[sh.rank]; sh.rank++) {
            int d = r->dim[sh.rank];
            sh.dim[sh.rank] = d < 0 ? -d : *fb_dim_of((fb_model *)(uintptr_t)b, d);
        }
        if (r->type == 's')
            sh.width = (size_t)sh.dim[--sh.rank];
        if (fb_is_far(data))
            FB_TRY(write_far(st, r->path, &sh, (double *)(uintptr_t)data, e));
        else
            FB_TRY(fb_h5_write(st->h5, r->path, &sh, data, e));
        FB_TRY(describe(st, r, &b->units, e));
    }
    for (int q = 0; q < fb_ntexts; q++) {
        const fb_textrow *t = fb_texts + q;
        const char *v = (const char *)b + t->offset;
        if (!*v || (strcmp(t->object, "/") && !fb_path_in(t->object, what)))
            continue;
        if (strcmp(t->object, "/"))
            FB_TRY(fb_h5_group(st->h5, t->object, e));
        FB_TRY(fb_h5_put_text(st->h5, t->object, t->name, v, e));
    }
out:
    return s ? fb_context(e, "%s", st->name) : FB_OK;
}
