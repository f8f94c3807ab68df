/* SPDX-License-Identifier: GPL-3.0-or-later */
/* exudyn.c - models of Exudyn's FEMinterface, as its SaveToFile writes them.
 *
 * Forms    .npy: arrays one after the other, those of objects pickled: the version (from version 1
 *          on, an array of one integer), nodes, elements, mass and stiffness (from version 2 on a
 *          dict of both), surface, node sets, element sets, mode basis, eigenvalues, ...
 *          .npz: the same as members; .pkl: one dict
 * nodes    {'Position': [n,3]} or {'RigidBodyRxyz': [n,6]}, three or six dofs a node, node by node
 * Matrices csr matrices of SciPy, or rows (row, column, value) from 0
 * elements [{'Tet4': [m,4], 'Tet10', 'Hex8', 'Hex20', ...}, ...] in Abaqus' order
 * Sets     [{'Name': 'left', 'NodeNumbers': [...]}, ...]
 * Numbers  Exudyn counts nodes from 0, this program from 1: its node k is node k + 1
 * Source   exudyn/FEM.py (FEMinterface.SaveToFile), 1.9
 */
#include "memory.h"
#include "numpy.h"
#include "reader.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const char *const fb_exu_name[FB_EXU_FIELDS] = {"nodes",           "elements", "massMatrix",
                                                "stiffnessMatrix", "nodeSets", "modeBasis"};

typedef struct {
    fb_mat_file *r;
    const fb_py *t;
    int64_t nn, per; /* nodes, dofs of each */
} job;

/* ---- numbers of a value ----------------------------------------------------------------- */

typedef struct {
    int64_t m, n;
    double *x; /* [n][m] */
} table;

static int number_of(const fb_py *t, int32_t k, double *x)
{
    const fb_py_value *v = t->v + k;
    *x = v->kind == FB_PY_INT ? (double)v->i : v->x;
    return v->kind == FB_PY_INT || v->kind == FB_PY_REAL;
}

/* A list of numbers is a column, one of lists has a row each; m 0: it is none of these. */
static fb_status table_of_list(const job *j, const fb_py_value *v, table *out, fb_err *e)
{
    const fb_py_value *row = v->n ? fb_py_list(j->t, v->item[0]) : NULL;
    const int64_t n = row ? row->n : 1;
    *out = (table){.m = v->n, .n = n};
    FB_PASS(fb_mat_unpack(j->r, 8.0 * (double)v->n * (double)n, e));
    FB_PASS(fb_new(&out->x, v->n * n, sizeof *out->x, "numbers of a list", e));
    for (int64_t k = 0; k < v->n; k++) {
        const fb_py_value *at = row ? fb_py_list(j->t, v->item[k]) : v;
        int good = at && (!row || at->n == n);
        for (int64_t c = 0; good && c < n; c++)
            good = number_of(j->t, at->item[row ? c : k], out->x + c * v->n + k);
        if (!good) {
            out->m = 0;
            return FB_OK;
        }
    }
    return FB_OK;
}

/* The numbers of an array or of lists; m 0: there are none. */
static fb_status table_of(const job *j, int32_t k, table *out, fb_err *e)
{
    const fb_py_value *v = k >= 0 ? j->t->v + k : NULL, *list = fb_py_list(j->t, k);
    double *im = NULL;
    *out = (table){0};
    if (list)
        return table_of_list(j, list, out, e);
    if (!v || v->kind != FB_PY_ARRAY || v->i < 0)
        return FB_OK;
    const fb_np_array *a = j->t->array + v->i;
    if (!fb_np_is_numeric(a) || a->rank > 2)
        return FB_OK;
    FB_PASS(fb_mat_unpack(j->r, 8.0 * (double)a->m * (double)a->n, e));
    fb_status s = fb_np_numbers(a, &out->x, &im, e);
    free(im);
    out->m = a->m;
    out->n = a->n;
    return s;
}

/* ---- parts of the model ----------------------------------------------------------------- */

static fb_status nodes(job *j, int32_t field, fb_err *e)
{
    static const struct {
        const char *name;
        int64_t per;
    } kind[] = {{"Position", 3}, {"RigidBodyRxyz", 6}};
    const fb_py_value *d = field < 0 ? NULL : j->t->v + field;
    table x = {0};
    fb_status s = FB_OK;
    if (!d || d->kind != FB_PY_DICT || d->n != 2)
        return fb_fail(e, FB_EFORMAT, "Exudyn's nodes are no dict of one kind of node");
    for (int k = 0; k < 2; k++)
        if (fb_py_get(j->t, field, kind[k].name) >= 0) {
            j->per = kind[k].per;
            FB_TRY(table_of(j, fb_py_get(j->t, field, kind[k].name), &x, e));
        }
    if (!x.m || x.n != j->per)
        FB_TRY(fb_fail(e, FB_EFORMAT,
                       "Exudyn's nodes are neither 'Position' of three columns nor "
                       "'RigidBodyRxyz' of six"));
    for (int64_t k = 0; k < x.m; k++) {
        const double xyz[3] = {x.x[k], x.x[x.m + k], x.x[2 * x.m + k]};
        if (!isfinite(xyz[0]) || !isfinite(xyz[1]) || !isfinite(xyz[2]))
            FB_TRY(fb_fail(e, FB_EFORMAT, "a coordinate of Exudyn's node %lld is not finite",
                           (long long)k));
        FB_TRY(fb_parts_node(j->r->p, k + 1, xyz, NULL, e));
    }
    j->nn = x.m;
out:
    free(x.x);
    return s;
}

/* Whole numbers of nodes, from 0, as those from 1; 0: one is none. */
static int node_of(const job *j, double x, int64_t *node)
{
    const int good = x >= 0 && x < (double)j->nn && !(x > floor(x));
    *node = good ? (int64_t)x + 1 : 0;
    return good;
}

static fb_status elements_of_kind(const job *j, const char *kind, fb_topology topology, int32_t k,
                                  int64_t *id, fb_err *e)
{
    const int64_t n = fb_element_kinds[topology].nodes;
    table x = {0};
    fb_status s = FB_OK;
    FB_TRY(table_of(j, k, &x, e));
    if (x.m && x.n != n)
        FB_TRY(fb_fail(e, FB_EFORMAT, "Exudyn's elements %s have %lld nodes each", kind,
                       (long long)x.n));
    for (int64_t q = 0; q < x.m; q++) {
        int64_t node[FB_ELEMENT_NODES];
        for (int64_t c = 0; c < n; c++)
            if (!node_of(j, x.x[c * x.m + q], node + c))
                FB_TRY(fb_fail(e, FB_EFORMAT,
                               "%s %lld of Exudyn's elements has a node %g, there are %lld", kind,
                               (long long)q, x.x[c * x.m + q], (long long)j->nn));
        FB_TRY(fb_elements_add(&j->r->p->elements, ++*id, topology, node, e));
    }
out:
    free(x.x);
    return s;
}

static fb_status elements(const job *j, int32_t field, fb_err *e)
{
    static const struct {
        const char *name;
        fb_topology topology;
    } kind[] = {
        {"Tet4", FB_TETRA4}, {"Tet10", FB_TETRA10}, {"Hex8", FB_HEXA8}, {"Hex20", FB_HEXA20}};
    const fb_py_value *list = fb_py_list(j->t, field);
    int64_t id = 0;
    for (int64_t k = 0; list && k < list->n; k++)
        for (size_t q = 0; q < sizeof kind / sizeof *kind; q++) {
            const int32_t v = fb_py_get(j->t, list->item[k], kind[q].name);
            if (v >= 0)
                FB_PASS(elements_of_kind(j, kind[q].name, kind[q].topology, v, &id, e));
        }
    return FB_OK;
}

static fb_status one_set(const job *j, int32_t set, fb_err *e)
{
    const int32_t name = fb_py_get(j->t, set, "Name");
    const fb_py_value *text = name >= 0 ? j->t->v + name : NULL;
    table x = {0};
    fb_set *out = NULL;
    char of[80];
    fb_status s = FB_OK;
    if (!text || text->kind != FB_PY_TEXT || text->n < 1)
        return FB_OK;
    snprintf(of, sizeof of, "%.*s", (int)(text->n < 79 ? text->n : 79), (const char *)text->p);
    FB_TRY(table_of(j, fb_py_get(j->t, set, "NodeNumbers"), &x, e));
    if (!x.m)
        goto out;
    FB_TRY(fb_parts_set(j->r->p, of, &out, e));
    FB_TRY(fb_new(&out->node, x.m, sizeof *out->node, "a set of nodes", e));
    out->n = x.m;
    for (int64_t k = 0; k < x.m; k++)
        if (!node_of(j, x.x[k], out->node + k))
            FB_TRY(fb_fail(e, FB_EFORMAT, "set %s of Exudyn names node %g, there are %lld", of,
                           x.x[k], (long long)j->nn));
out:
    free(x.x);
    return s;
}

static fb_status sets(const job *j, int32_t field, fb_err *e)
{
    const fb_py_value *list = fb_py_list(j->t, field);
    for (int64_t k = 0; list && k < list->n; k++)
        FB_PASS(one_set(j, list->item[k], e));
    return FB_OK;
}

/* ---- matrices --------------------------------------------------------------------------- */

static const fb_np_array *array_of(const fb_py *t, int32_t k)
{
    return k >= 0 && t->v[k].kind == FB_PY_ARRAY && t->v[k].i >= 0 ? t->array + t->v[k].i : NULL;
}

/* Whole numbers of a tuple; 0: there are not two. */
static int pair_of(const fb_py *t, int32_t k, int64_t v[2])
{
    const fb_py_value *list = fb_py_list(t, k);
    double x = -1;
    int good = list && list->n == 2;
    for (int c = 0; good && c < 2; c++) {
        good = number_of(t, list->item[c], &x) && x >= 0 && x < 1e15;
        v[c] = good ? (int64_t)x : -1;
    }
    return good;
}

static fb_status csr(fb_mat_file *r, const fb_py *t, const char *name, int32_t k, fb_err *e)
{
    const int32_t parts = t->v[k].n ? t->v[k].item[0] : -1;
    const fb_np_array *data = array_of(t, fb_py_get(t, parts, "data"));
    int64_t size[2];
    if (!data || !pair_of(t, fb_py_get(t, parts, "_shape"), size))
        return fb_fail(e, FB_EFORMAT,
                       "%s, a sparse matrix of SciPy, lacks its numbers or its shape", name);
    FB_PASS(fb_mat_unpack(r, 40.0 * (double)data->m, e));
    return fb_np_compressed(r, name, array_of(t, fb_py_get(t, parts, "indptr")),
                            array_of(t, fb_py_get(t, parts, "indices")), data, size, 1, e);
}

static fb_status triplets(const job *j, const char *name, int32_t k, fb_err *e)
{
    const int64_t n = j->nn * j->per;
    table x = {0};
    fb_np_entries t = {.m = n, .n = n};
    fb_status s = FB_OK;
    FB_TRY(table_of(j, k, &x, e));
    if (!x.m || x.n != 3)
        FB_TRY(fb_fail(e, FB_EFORMAT,
                       "%s is neither a csr matrix of SciPy nor rows of row, column and value",
                       name));
    t.nnz = x.m;
    t.re = x.x + 2 * x.m;
    FB_TRY(fb_new(&t.row, x.m, 8, "entries", e));
    FB_TRY(fb_new(&t.column, x.m, 8, "entries", e));
    for (int64_t q = 0; q < x.m; q++)
        for (int c = 0; c < 2; c++) {
            const double at = x.x[c * x.m + q];
            if (!(at >= 0 && at < (double)n) || at > floor(at))
                FB_TRY(fb_fail(e, FB_EFORMAT,
                               "entry %lld of %s is at %g, %g: %lld nodes have the dofs 0 to %lld",
                               (long long)q, name, x.x[q], x.x[x.m + q], (long long)j->nn,
                               (long long)n - 1));
            (c ? t.column : t.row)[q] = (int64_t)at;
        }
    s = fb_np_give_entries(j->r, name, &t, e);
out:
    FB_FREE(t.row, t.column, x.x);
    return s;
}

/* Three or six dofs a node, in the order of the nodes. */
static fb_status label(const job *j, fb_matrix *a, fb_err *e)
{
    if (a->A.m != j->nn * j->per || a->A.n != a->A.m)
        return fb_fail(e, FB_EFORMAT, "%s is %lld by %lld, but there are %lld nodes of %lld dofs",
                       a->name, (long long)a->A.m, (long long)a->A.n, (long long)j->nn,
                       (long long)j->per);
    FB_PASS(fb_labels_new(&a->row, a->A.m, 0, e));
    for (int64_t k = 0; k < a->A.m; k++) {
        a->row.node[k] = 1 + k / j->per;
        a->row.component[k] = 1 + k % j->per;
    }
    return FB_OK;
}

static fb_status matrix(const job *j, int which, int32_t k, fb_err *e)
{
    const char *name = fb_exu_name[which];
    const int64_t had = j->r->p->nmatrix;
    if (k < 0 || j->t->v[k].kind == FB_PY_NONE)
        return FB_OK;
    FB_PASS(j->t->v[k].kind == FB_PY_SPARSE ? csr(j->r, j->t, name, k, e)
                                            : triplets(j, name, k, e));
    if (j->r->p->nmatrix <= had)
        return FB_OK;
    j->r->p->matrix[had].role = which == FB_EXU_MASS ? FB_ROLE_MASS : FB_ROLE_STIFFNESS;
    return label(j, j->r->p->matrix + had, e);
}

/* ---- all of it -------------------------------------------------------------------------- */

static fb_status variable(fb_mat_file *r, const fb_py *t, const char *name, int32_t k, fb_err *e)
{
    const fb_np_array *a = array_of(t, k);
    fb_np_array named;
    if (t->v[k].kind == FB_PY_SPARSE)
        return csr(r, t, name, k, e);
    if (!a) {
        fb_mat_left(r, name, "it does not hold plain numbers");
        return FB_OK;
    }
    named = *a;
    snprintf(named.name, sizeof named.name, "%s", name);
    FB_PASS(fb_mat_unpack(r, 8.0 * (double)a->m * (double)a->n, e));
    return fb_np_give(r, &named, e);
}

fb_status fb_py_give(fb_mat_file *r, const fb_py *t, const char *name, int32_t k, fb_err *e)
{
    const fb_py_value *v = t->v + k;
    if (v->kind != FB_PY_DICT)
        return variable(r, t, name, k, e);
    for (int64_t q = 0; q + 1 < v->n; q += 2) {
        const fb_py_value *key = t->v + v->item[q];
        char own[64];
        snprintf(own, sizeof own, "%.*s", (int)(key->n < 63 ? key->n : 63), (const char *)key->p);
        if (key->kind == FB_PY_TEXT && key->n)
            FB_PASS(variable(r, t, own, v->item[q + 1], e));
    }
    return FB_OK;
}

fb_status fb_exu_give(fb_mat_file *r, const fb_py *t, const int32_t field[FB_EXU_FIELDS], fb_err *e)
{
    job j = {.r = r, .t = t};
    FB_PASS(nodes(&j, field[FB_EXU_NODES], e));
    FB_PASS(matrix(&j, FB_EXU_MASS, field[FB_EXU_MASS], e));
    FB_PASS(matrix(&j, FB_EXU_STIFFNESS, field[FB_EXU_STIFFNESS], e));
    FB_PASS(elements(&j, field[FB_EXU_ELEMENTS], e));
    FB_PASS(sets(&j, field[FB_EXU_NODE_SETS], e));
    r->used++;
    fb_note(r->log,
            "%s: a model of Exudyn: %lld nodes of %lld dofs, whose numbers count from 0 there and "
            "from 1 here",
            r->origin, (long long)j.nn, (long long)j.per);
    if (fb_py_get(t, field[FB_EXU_MODE_BASIS], "matrix") >= 0)
        fb_note(r->log, "%s: its mode basis is not used: reduce makes one", r->origin);
    return FB_OK;
}

/* The next array of a sequence, as a value. */
static fb_status next(fb_py *t, const unsigned char **p, const unsigned char *end, int32_t *v,
                      fb_err *e)
{
    fb_np_array a = {.name = "of Exudyn's file"};
    FB_PASS(fb_np_parse(*p, end - *p, &a, e));
    if (a.kind == 'O') {
        *p = a.data;
        FB_PASS(fb_py_load(t, p, end, v, e));
        const fb_py_value *one = fb_py_list(t, *v); /* of a scalar array the one object */
        if (a.rank == 0 && one && one->n == 1)
            *v = one->item[0];
        return FB_OK;
    }
    if (!fb_np_is_numeric(&a) || (a.n && a.m > a.left / a.bytes / a.n))
        return fb_fail(e, FB_EFORMAT, "an array of Exudyn's file is cut, or holds no numbers");
    *p = a.data + a.m * a.n * a.bytes;
    return fb_py_array(t, &a, v, e);
}

static int version_of(const fb_py *t, int32_t v)
{
    const fb_np_array *a = array_of(t, v);
    return a && a->m * a->n == 1 && (a->kind == 'i' || a->kind == 'u')
               ? (int)fb_mat_word(a->data, a->bytes, a->little) & 0xff
               : 0;
}

fb_status fb_exu_sequence(fb_mat_file *r, const fb_input *in, fb_err *e)
{
    const unsigned char *p = in->data, *end = in->data + in->size;
    int32_t field[FB_EXU_FIELDS] = {-1, -1, -1, -1, -1, -1}, v = -1;
    char name[64];
    fb_py t = {0};
    fb_status s = FB_OK;
    FB_TRY(next(&t, &p, end, &v, e));
    if (p == end || t.v[v].kind == FB_PY_SPARSE) { /* numpy.save of one object */
        fb_mat_stem(in->name, name);
        s = fb_py_give(r, &t, name, v, e);
        goto out;
    }
    const int version = version_of(&t, v);
    if (version)
        FB_TRY(next(&t, &p, end, &v, e));
    field[FB_EXU_NODES] = v;
    FB_TRY(next(&t, &p, end, &field[FB_EXU_ELEMENTS], e));
    FB_TRY(next(&t, &p, end, &v, e));
    if (version >= 2) {
        field[FB_EXU_MASS] = fb_py_get(&t, v, fb_exu_name[FB_EXU_MASS]);
        field[FB_EXU_STIFFNESS] = fb_py_get(&t, v, fb_exu_name[FB_EXU_STIFFNESS]);
    } else {
        field[FB_EXU_MASS] = v;
        FB_TRY(next(&t, &p, end, &field[FB_EXU_STIFFNESS], e));
    }
    FB_TRY(next(&t, &p, end, &v, e)); /* surface */
    FB_TRY(next(&t, &p, end, &field[FB_EXU_NODE_SETS], e));
    FB_TRY(next(&t, &p, end, &v, e)); /* element sets */
    FB_TRY(next(&t, &p, end, &field[FB_EXU_MODE_BASIS], e));
    s = fb_exu_give(r, &t, field, e);
out:
    fb_py_free(&t);
    return s;
}

/* ---- .pkl ------------------------------------------------------------------------------- */

static fb_status variables_of_pickle(fb_mat_file *r, const fb_input *in, fb_err *e)
{
    const unsigned char *p = in->data;
    int32_t field[FB_EXU_FIELDS], root = 0;
    char name[64];
    fb_py t = {0};
    fb_status s = FB_OK;
    FB_TRY(fb_py_load(&t, &p, in->data + in->size, &root, e));
    for (int k = 0; k < FB_EXU_FIELDS; k++)
        field[k] = fb_py_get(&t, root, fb_exu_name[k]);
    fb_mat_stem(in->name, name);
    s = field[FB_EXU_NODES] >= 0 ? fb_exu_give(r, &t, field, e) : fb_py_give(r, &t, name, root, e);
out:
    fb_py_free(&t);
    return s;
}

static int sniff_pickle(const fb_input *in)
{
    return in->size > 3 && in->data[0] == 0x80 && in->data[1] >= 2 && in->data[1] <= 9 &&
           memchr("\x95}c]", in->data[2], 4);
}

static fb_status read_pickle(const fb_input *in, fb_parts *p, fb_log *log, fb_err *e)
{
    return fb_mat_read(in, p, variables_of_pickle, log, e);
}

const fb_reader fb_reader_pickle = {
    .name = "pickle",
    .doc = "pickle of Python (.pkl): model of Exudyn, matrices of SciPy and NumPy",
    .sniff = sniff_pickle,
    .read = read_pickle,
};
