/* SPDX-License-Identifier: GPL-3.0-or-later */
/* pickle.c - the data in pickles of Python, by a machine that can call nothing.
 *
 * Read     protocols 3 to 5: None, bool, int, float, str, bytes, list, tuple, dict; of NumPy
 *          arrays, dtypes and scalars; csr matrices of SciPy; values of Exudyn's enums, whose
 *          contents are dropped. Opcodes are those of the table below.
 * Refused  every other opcode, and every other name that a pickle asks for: no code is run, here or
 *          behind it
 * Laws     a text lies within the file; a value takes at least a byte of it, and there are at most
 *          VALUES; the memo has no holes
 * Source   Lib/pickletools.py of CPython 3.11; numpy/core/src/multiarray/methods.c (array_reduce),
 *          numpy/core/numeric.py (_frombuffer); scipy/sparse/_csr.py
 */
#include "numpy.h"
#include "memory.h"
#include "number.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { VALUES = 1 << 24, KEYS = 256, MARK = -1 };

typedef enum { G_RECONSTRUCT, G_NDARRAY, G_DTYPE, G_SCALAR, G_FROMBUFFER, G_CSR, G_OPAQUE } global;

static const struct {
    const char *module, *name;
    global what;
} allowed[] = {
    {"numpy.core.multiarray", "_reconstruct", G_RECONSTRUCT},
    {"numpy._core.multiarray", "_reconstruct", G_RECONSTRUCT},
    {"numpy", "ndarray", G_NDARRAY},
    {"numpy", "dtype", G_DTYPE},
    {"numpy.core.multiarray", "scalar", G_SCALAR},
    {"numpy._core.multiarray", "scalar", G_SCALAR},
    {"numpy.core.numeric", "_frombuffer", G_FROMBUFFER},
    {"numpy._core.numeric", "_frombuffer", G_FROMBUFFER},
    {"scipy.sparse.csr", "csr_matrix", G_CSR},
    {"scipy.sparse._csr", "csr_matrix", G_CSR},
    {"scipy.sparse._csr", "csr_array", G_CSR},
};

typedef struct {
    fb_py *t;
    const unsigned char *begin, *at, *end;
    int32_t *stack; /* values, or MARK */
    int64_t n, cap;
    int32_t *memo;
    int64_t nmemo, cap_memo;
    int stopped;
} machine;

/* ---- values ----------------------------------------------------------------------------- */

static fb_status bad(const machine *m, const char *what, fb_err *e)
{
    return fb_fail(e, FB_EFORMAT, "byte %lld of the pickle: %s", (long long)(m->at - m->begin),
                   what);
}

static fb_status new_value(fb_py *t, fb_py_kind kind, int32_t *out, fb_err *e)
{
    if (t->n >= VALUES)
        return fb_fail(e, FB_EFORMAT,
                       "a pickle of more than %d values: save arrays of NumPy, not lists", VALUES);
    FB_PASS(fb_grow(&t->v, &t->cap, t->n + 1, sizeof *t->v, e));
    t->v[t->n] = (fb_py_value){.kind = kind};
    *out = (int32_t)t->n++;
    return FB_OK;
}

static fb_status push(machine *m, int32_t v, fb_err *e)
{
    FB_PASS(fb_grow(&m->stack, &m->cap, m->n + 1, sizeof *m->stack, e));
    m->stack[m->n++] = v;
    return FB_OK;
}

static fb_status push_new(machine *m, fb_py_kind kind, fb_py_value **v, fb_err *e)
{
    int32_t k = 0;
    FB_PASS(new_value(m->t, kind, &k, e));
    *v = m->t->v + k;
    return push(m, k, e);
}

/* The value on the top, taken off; a mark, or nothing, is none. */
static fb_status pop(machine *m, int32_t *v, fb_err *e)
{
    if (m->n < 1 || m->stack[m->n - 1] == MARK)
        return bad(m, "a value is wanted on the stack", e);
    *v = m->stack[--m->n];
    return FB_OK;
}

static fb_status add_item(fb_py *t, int32_t list, int32_t item, fb_err *e)
{
    fb_py_value *v = t->v + list;
    FB_PASS(fb_grow(&v->item, &v->cap, v->n + 1, sizeof *v->item, e));
    v->item[v->n++] = item;
    return FB_OK;
}

static fb_status new_array(fb_py *t, const fb_np_array *a, int64_t *k, fb_err *e)
{
    FB_PASS(fb_grow(&t->array, &t->cap_array, t->narray + 1, sizeof *t->array, e));
    t->array[t->narray] = *a;
    *k = t->narray++;
    return FB_OK;
}

fb_status fb_py_array(fb_py *t, const fb_np_array *a, int32_t *out, fb_err *e)
{
    FB_PASS(new_value(t, FB_PY_ARRAY, out, e));
    return new_array(t, a, &t->v[*out].i, e);
}

static int is_text(const fb_py_value *v, const char *text)
{
    const size_t n = strlen(text);
    return v->kind == FB_PY_TEXT && v->n == (int64_t)n && !memcmp(v->p, text, n);
}

const fb_py_value *fb_py_list(const fb_py *t, int32_t k)
{
    const fb_py_value *v = k >= 0 ? t->v + k : NULL;
    v = v && v->kind == FB_PY_OBJECTS ? t->v + v->i : v;
    return v && v->kind == FB_PY_LIST ? v : NULL;
}

int32_t fb_py_get(const fb_py *t, int32_t dict, const char *key)
{
    const fb_py_value *v = dict >= 0 ? t->v + dict : NULL;
    for (int64_t k = v && v->kind == FB_PY_DICT && v->n <= 2 * KEYS ? v->n - 2 : -1; k >= 0; k -= 2)
        if (is_text(t->v + v->item[k], key))
            return v->item[k + 1];
    return -1;
}

void fb_py_free(fb_py *t)
{
    for (int64_t k = 0; k < t->n; k++)
        free(t->v[k].item);
    FB_FREE(t->v, t->array);
    *t = (fb_py){0};
}

/* ---- opcodes: numbers and text ---------------------------------------------------------- */

static fb_status bytes(machine *m, int64_t n, const unsigned char **p, fb_err *e)
{
    if (n < 0 || n > m->end - m->at)
        return bad(m, "it ends within a value", e);
    *p = m->at;
    m->at += n;
    return FB_OK;
}

/* An unsigned number of so many bytes; above what there can be: -1. */
static fb_status count(machine *m, int width, int64_t *n, fb_err *e)
{
    const unsigned char *p = NULL;
    FB_PASS(bytes(m, width, &p, e));
    const uint64_t u = fb_mat_word(p, width, 1);
    *n = u > INT64_MAX ? -1 : (int64_t)u;
    return FB_OK;
}

static fb_status op_int(machine *m, int width, fb_err *e)
{
    int64_t u = 0;
    fb_py_value *v = NULL;
    FB_PASS(count(m, width, &u, e));
    FB_PASS(push_new(m, FB_PY_INT, &v, e));
    v->i = width == 4 ? (int64_t)(int32_t)(uint32_t)u : u; /* BININT alone has a sign */
    return FB_OK;
}

/* Two's complement of any length. */
static fb_status op_long(machine *m, int width, fb_err *e)
{
    const unsigned char *p = NULL;
    int64_t n = 0;
    fb_py_value *v = NULL;
    FB_PASS(count(m, width, &n, e));
    FB_PASS(bytes(m, n, &p, e));
    if (n > 8)
        return bad(m, "an integer of more than 8 bytes", e);
    FB_PASS(push_new(m, FB_PY_INT, &v, e));
    const uint64_t u = n ? fb_mat_word(p, (int)n, 1) : 0;
    v->i = n ? (int64_t)(u << (64 - 8 * n)) >> (64 - 8 * n) : 0;
    return FB_OK;
}

static fb_status op_real(machine *m, int width, fb_err *e)
{
    const unsigned char *p = NULL;
    fb_py_value *v = NULL;
    FB_PASS(bytes(m, width, &p, e));
    FB_PASS(push_new(m, FB_PY_REAL, &v, e));
    const uint64_t u = fb_mat_word(p, width, 0);
    memcpy(&v->x, &u, sizeof v->x);
    return FB_OK;
}

static fb_status op_text(machine *m, int width, fb_err *e)
{
    const unsigned char *p = NULL;
    int64_t n = 0;
    fb_py_value *v = NULL;
    FB_PASS(count(m, width, &n, e));
    FB_PASS(bytes(m, n, &p, e));
    FB_PASS(push_new(m, FB_PY_TEXT, &v, e));
    v->p = p;
    v->n = n;
    return FB_OK;
}

static fb_status op_none(machine *m, int unused, fb_err *e)
{
    fb_py_value *v = NULL;
    (void)unused;
    return push_new(m, FB_PY_NONE, &v, e);
}

static fb_status op_bool(machine *m, int value, fb_err *e)
{
    fb_py_value *v = NULL;
    FB_PASS(push_new(m, FB_PY_INT, &v, e));
    v->i = value;
    return FB_OK;
}

/* ---- opcodes: containers and memo ------------------------------------------------------- */

static fb_status op_empty(machine *m, int kind, fb_err *e)
{
    fb_py_value *v = NULL;
    return push_new(m, (fb_py_kind)kind, &v, e);
}

static fb_status op_mark(machine *m, int unused, fb_err *e)
{
    (void)unused;
    return push(m, MARK, e);
}

/* The last n values of the stack, or for n 0 those behind the last mark, which goes; *first is
 * where they stand. */
static fb_status run(machine *m, int64_t n, int64_t *first, int64_t *count_of, fb_err *e)
{
    int64_t k = m->n;
    while (k > 0 && m->stack[k - 1] != MARK && (!n || m->n - k < n))
        k--;
    if (n ? m->n - k < n : k < 1)
        return bad(m, "the stack lacks values, or a mark", e);
    *first = k;
    *count_of = m->n - k;
    m->n = n ? k : k - 1;
    return FB_OK;
}

/* n values, or those behind the mark, join the list or the pairs of the dict below. */
static fb_status join(machine *m, int64_t n, fb_py_kind kind, fb_err *e)
{
    int64_t first = 0, k = 0;
    FB_PASS(run(m, n, &first, &k, e));
    const int32_t to = m->n > 0 ? m->stack[m->n - 1] : MARK;
    if (to == MARK || m->t->v[to].kind != kind || (kind == FB_PY_DICT && k % 2))
        return bad(m, "items without a list or dict that takes them", e);
    for (int64_t q = 0; q < k; q++)
        FB_PASS(add_item(m->t, to, m->stack[first + q], e));
    return FB_OK;
}

static fb_status op_append(machine *m, int n, fb_err *e)
{
    return join(m, n, FB_PY_LIST, e);
}

static fb_status op_set(machine *m, int n, fb_err *e)
{
    return join(m, n, FB_PY_DICT, e);
}

static fb_status op_tuple(machine *m, int n, fb_err *e)
{
    int64_t first = 0, k = 0;
    int32_t list = 0;
    FB_PASS(run(m, n, &first, &k, e));
    FB_PASS(new_value(m->t, FB_PY_LIST, &list, e));
    for (int64_t q = 0; q < k; q++)
        FB_PASS(add_item(m->t, list, m->stack[first + q], e));
    return push(m, list, e);
}

static fb_status op_put(machine *m, int width, fb_err *e)
{
    int64_t k = m->nmemo;
    if (width)
        FB_PASS(count(m, width, &k, e));
    if (m->n < 1 || m->stack[m->n - 1] == MARK || k < 0 || k > m->nmemo)
        return bad(m, "a place of the memo that leaves a hole, or nothing to be kept there", e);
    FB_PASS(fb_grow(&m->memo, &m->cap_memo, m->nmemo + 1, sizeof *m->memo, e));
    m->memo[k] = m->stack[m->n - 1];
    m->nmemo += k == m->nmemo;
    return FB_OK;
}

static fb_status op_get(machine *m, int width, fb_err *e)
{
    int64_t k = 0;
    FB_PASS(count(m, width, &k, e));
    if (k < 0 || k >= m->nmemo)
        return bad(m, "a place of the memo that is empty", e);
    return push(m, m->memo[k], e);
}

/* ---- opcodes: names, and what is made by them ------------------------------------------- */

static fb_status ask(machine *m, const char *module, int nm, const char *name, int nn, fb_err *e)
{
    static const char own[] = "exudyn";
    fb_py_value *v = NULL;
    int what = nm >= 6 && !memcmp(module, own, 6) && (nm == 6 || module[6] == '.') ? G_OPAQUE : -1;
    for (size_t k = 0; k < sizeof allowed / sizeof *allowed; k++)
        if (strlen(allowed[k].module) == (size_t)nm &&
            !memcmp(allowed[k].module, module, (size_t)nm) &&
            strlen(allowed[k].name) == (size_t)nn && !memcmp(allowed[k].name, name, (size_t)nn))
            what = (int)allowed[k].what;
    if (what < 0)
        return fb_fail(e, FB_EFORMAT,
                       "byte %lld of the pickle asks for '%.*s' of '%.*s', which is not called: of "
                       "pickles arrays of NumPy, csr matrices of SciPy, dicts, lists, text and "
                       "numbers are read",
                       (long long)(m->at - m->begin), nn < 60 ? nn : 60, name, nm < 60 ? nm : 60,
                       module);
    FB_PASS(push_new(m, FB_PY_GLOBAL, &v, e));
    v->i = what;
    return FB_OK;
}

static fb_status line(machine *m, const char **p, int *n, fb_err *e)
{
    const unsigned char *stop = memchr(m->at, '\n', (size_t)(m->end - m->at));
    if (!stop || stop - m->at > 200)
        return bad(m, "a name without an end", e);
    *p = (const char *)m->at;
    *n = (int)(stop - m->at);
    m->at = stop + 1;
    return FB_OK;
}

static fb_status op_global(machine *m, int unused, fb_err *e)
{
    const char *module = NULL, *name = NULL;
    int nm = 0, nn = 0;
    (void)unused;
    FB_PASS(line(m, &module, &nm, e));
    FB_PASS(line(m, &name, &nn, e));
    return ask(m, module, nm, name, nn, e);
}

static fb_status op_stack_global(machine *m, int unused, fb_err *e)
{
    int32_t name = 0, module = 0;
    (void)unused;
    FB_PASS(pop(m, &name, e));
    FB_PASS(pop(m, &module, e));
    const fb_py_value *a = m->t->v + module, *b = m->t->v + name;
    if (a->kind != FB_PY_TEXT || b->kind != FB_PY_TEXT || a->n > 200 || b->n > 200)
        return bad(m, "a name that is no text", e);
    return ask(m, (const char *)a->p, (int)a->n, (const char *)b->p, (int)b->n, e);
}

/* Item k of a list; NULL: it has none, or is none. */
static const fb_py_value *item(const fb_py *t, int32_t list, int64_t k, fb_py_kind kind)
{
    const fb_py_value *v = t->v + list;
    if (v->kind != FB_PY_LIST || k >= v->n || t->v[v->item[k]].kind != kind)
        return NULL;
    return t->v + v->item[k];
}

/* Sizes of an array of at most two dimensions from a tuple; 0: it is none. */
static int set_shape(const fb_py *t, const fb_py_value *shape, fb_np_array *a)
{
    int64_t d[2] = {1, 1};
    if (!shape || shape->n > 64)
        return 0;
    a->rank = (int)shape->n;
    for (int64_t k = 0; k < shape->n; k++) {
        const fb_py_value *x = t->v + shape->item[k];
        if (x->kind != FB_PY_INT || x->i < 0)
            return 0;
        if (k < 2)
            d[k] = x->i;
    }
    a->m = d[0];
    a->n = d[1];
    return 1;
}

/* dtype(text, ...). */
static fb_status make_type(machine *m, int32_t args, fb_err *e)
{
    const fb_py_value *text = item(m->t, args, 0, FB_PY_TEXT);
    fb_np_array a = {.little = 1};
    fb_py_value *v = NULL;
    int64_t k = 0;
    if (!text)
        return bad(m, "a dtype of NumPy that is not given as text", e);
    fb_np_type(&a, (const char *)text->p, text->n);
    FB_PASS(new_array(m->t, &a, &k, e));
    FB_PASS(push_new(m, FB_PY_TYPE, &v, e));
    v->i = k;
    return FB_OK;
}

/* scalar(dtype, bytes). */
static fb_status make_scalar(machine *m, int32_t args, fb_err *e)
{
    const fb_py_value *type = item(m->t, args, 0, FB_PY_TYPE),
                      *data = item(m->t, args, 1, FB_PY_TEXT);
    double *re = NULL, *im = NULL;
    fb_py_value *v = NULL;
    fb_status s = FB_OK;
    if (!type || !data)
        return op_none(m, 0, e);
    fb_np_array a = m->t->array[type->i];
    a.m = a.n = 1;
    a.data = data->p;
    a.left = data->n;
    if (!fb_np_is_numeric(&a))
        return op_none(m, 0, e);
    FB_TRY(fb_np_numbers(&a, &re, &im, e));
    FB_TRY(push_new(m, FB_PY_REAL, &v, e));
    if (v && re)
        v->x = re[0];
out:
    FB_FREE(re, im);
    return s;
}

/* _frombuffer(bytes, dtype, shape, order), as protocol 5 has it. */
static fb_status make_frombuffer(machine *m, int32_t args, fb_err *e)
{
    const fb_py_value *data = item(m->t, args, 0, FB_PY_TEXT),
                      *type = item(m->t, args, 1, FB_PY_TYPE),
                      *shape = item(m->t, args, 2, FB_PY_LIST),
                      *order = item(m->t, args, 3, FB_PY_TEXT);
    int32_t v = 0;
    if (!data || !type || !order)
        return bad(m, "an array of NumPy without bytes, dtype or order", e);
    fb_np_array a = m->t->array[type->i];
    a.data = data->p;
    a.left = data->n;
    a.fortran = is_text(order, "F");
    if (!set_shape(m->t, shape, &a))
        return bad(m, "an array of NumPy without a shape", e);
    FB_PASS(fb_py_array(m->t, &a, &v, e));
    return push(m, v, e);
}

static fb_status op_reduce(machine *m, int unused, fb_err *e)
{
    int32_t args = 0, f = 0;
    fb_py_value *v = NULL;
    (void)unused;
    FB_PASS(pop(m, &args, e));
    FB_PASS(pop(m, &f, e));
    if (m->t->v[f].kind == FB_PY_OPAQUE)
        return push(m, f, e);
    if (m->t->v[f].kind != FB_PY_GLOBAL)
        return bad(m, "a call of what cannot be called", e);
    switch ((global)m->t->v[f].i) {
    case G_RECONSTRUCT: /* its state comes by BUILD */
        FB_PASS(push_new(m, FB_PY_ARRAY, &v, e));
        v->i = -1;
        return FB_OK;
    case G_DTYPE:
        return make_type(m, args, e);
    case G_SCALAR:
        return make_scalar(m, args, e);
    case G_FROMBUFFER:
        return make_frombuffer(m, args, e);
    case G_OPAQUE:
        return push_new(m, FB_PY_OPAQUE, &v, e);
    case G_CSR:
    case G_NDARRAY:
        break;
    }
    return bad(m, "a call of a class of NumPy or SciPy that is not read", e);
}

static fb_status op_newobj(machine *m, int unused, fb_err *e)
{
    int32_t args = 0, class = 0;
    fb_py_value *v = NULL;
    (void)unused;
    FB_PASS(pop(m, &args, e));
    FB_PASS(pop(m, &class, e));
    const fb_py_value *c = m->t->v + class;
    if (c->kind != FB_PY_GLOBAL || (c->i != G_CSR && c->i != G_OPAQUE))
        return bad(m, "an object of a class that is not read", e);
    return push_new(m, c->i == G_CSR ? FB_PY_SPARSE : FB_PY_OPAQUE, &v, e);
}

/* (version, shape, dtype, Fortran's order, bytes or a list of objects). */
static fb_status build_array(machine *m, int32_t to, int32_t state, fb_err *e)
{
    const fb_py *t = m->t;
    const fb_py_value *shape = item(t, state, 1, FB_PY_LIST), *type = item(t, state, 2, FB_PY_TYPE),
                      *fortran = item(t, state, 3, FB_PY_INT),
                      *data = item(t, state, 4, FB_PY_TEXT),
                      *objects = item(t, state, 4, FB_PY_LIST);
    if (!type || !fortran || (!data && !objects))
        return bad(m, "an array of NumPy whose state is not understood", e);
    fb_np_array a = t->array[type->i];
    a.fortran = fortran->i != 0;
    if (!set_shape(t, shape, &a))
        return bad(m, "an array of NumPy without a shape", e);
    if (objects) {
        m->t->v[to].kind = FB_PY_OBJECTS;
        m->t->v[to].i = objects - t->v;
        return FB_OK;
    }
    a.data = data->p;
    a.left = data->n;
    return new_array(m->t, &a, &m->t->v[to].i, e);
}

static fb_status op_build(machine *m, int unused, fb_err *e)
{
    int32_t state = 0;
    (void)unused;
    FB_PASS(pop(m, &state, e));
    const int32_t to = m->n > 0 ? m->stack[m->n - 1] : MARK;
    fb_py_value *v = to == MARK ? NULL : m->t->v + to;
    if (v && v->kind == FB_PY_TYPE) { /* (version, order of bytes, ...) */
        const fb_py_value *order = item(m->t, state, 1, FB_PY_TEXT);
        m->t->array[v->i].little = !order || !is_text(order, ">");
        return FB_OK;
    }
    if (v && v->kind == FB_PY_ARRAY && v->i < 0)
        return build_array(m, to, state, e);
    if (v && v->kind == FB_PY_SPARSE && !v->n && m->t->v[state].kind == FB_PY_DICT)
        return add_item(m->t, to, state, e);
    return v && v->kind == FB_PY_OPAQUE ? FB_OK : bad(m, "a state that nothing takes", e);
}

static fb_status op_proto(machine *m, int unused, fb_err *e)
{
    int64_t version = 0;
    (void)unused;
    FB_PASS(count(m, 1, &version, e));
    return version >= 3 && version <= 5 ? FB_OK : bad(m, "protocols 3 to 5 are read", e);
}

static fb_status op_frame(machine *m, int width, fb_err *e)
{
    int64_t n = 0;
    FB_PASS(count(m, width, &n, e));
    return n >= 0 && n <= m->end - m->at ? FB_OK
                                         : bad(m, "a frame is longer than what there is", e);
}

static fb_status op_stop(machine *m, int unused, fb_err *e)
{
    (void)unused;
    m->stopped = 1;
    return m->n == 1 && m->stack[0] != MARK ? FB_OK : bad(m, "it does not end in one value", e);
}

/* ---- all of it -------------------------------------------------------------------------- */

static const struct {
    unsigned char code;
    signed char arg;
    fb_status (*run)(machine *m, int arg, fb_err *e);
} opcodes[] = {
    {'J', 4, op_int},
    {'K', 1, op_int},
    {'M', 2, op_int},
    {0x8a, 1, op_long},
    {0x8b, 4, op_long},
    {'G', 8, op_real},
    {'U', 1, op_text},
    {'T', 4, op_text},
    {'X', 4, op_text},
    {0x8c, 1, op_text},
    {0x8d, 8, op_text},
    {'C', 1, op_text},
    {'B', 4, op_text},
    {0x8e, 8, op_text},
    {0x96, 8, op_text},
    {'N', 0, op_none},
    {0x88, 1, op_bool},
    {0x89, 0, op_bool},
    {']', FB_PY_LIST, op_empty},
    {')', FB_PY_LIST, op_empty},
    {'}', FB_PY_DICT, op_empty},
    {'(', 0, op_mark},
    {'a', 1, op_append},
    {'e', 0, op_append},
    {'s', 2, op_set},
    {'u', 0, op_set},
    {'t', 0, op_tuple},
    {0x85, 1, op_tuple},
    {0x86, 2, op_tuple},
    {0x87, 3, op_tuple},
    {'q', 1, op_put},
    {'r', 4, op_put},
    {0x94, 0, op_put},
    {'h', 1, op_get},
    {'j', 4, op_get},
    {'c', 0, op_global},
    {0x93, 0, op_stack_global},
    {'R', 0, op_reduce},
    {0x81, 0, op_newobj},
    {'b', 0, op_build},
    {0x80, 0, op_proto},
    {0x95, 8, op_frame},
    {'.', 0, op_stop},
};

static fb_status step(machine *m, fb_err *e)
{
    const unsigned char *p = NULL;
    FB_PASS(bytes(m, 1, &p, e));
    const int code = p ? *p : 0;
    for (size_t k = 0; k < sizeof opcodes / sizeof *opcodes; k++)
        if (opcodes[k].code == code)
            return opcodes[k].run(m, opcodes[k].arg, e);
    char what[80];
    snprintf(what, sizeof what, "opcode 0x%02x is not one of those that make plain data", code);
    return bad(m, what, e);
}

fb_status fb_py_load(fb_py *t, const unsigned char **p, const unsigned char *end, int32_t *root,
                     fb_err *e)
{
    machine m = {.t = t, .begin = *p, .at = *p, .end = end};
    fb_status s = FB_OK;
    while (!m.stopped)
        FB_TRY(step(&m, e));
    *root = m.stack[0];
    *p = m.at;
out:
    FB_FREE(m.stack, m.memo);
    return s;
}
