/* SPDX-License-Identifier: GPL-3.0-or-later */
/* ansys.c - Ansys binary files as its readers want them: see mnfparse/ansys/binary.c for the form.
 */
#include "tests/model/ansys.h"
#include <string.h>

enum { STANDARD = 100, FRAME = 3, H2 = STANDARD + FRAME + 2 };

int64_t test_ans_here(const fb_buf *b)
{
    return b->size / 4;
}

void test_ans_word(fb_buf *b, int64_t at, int64_t v)
{
    for (int k = 0; k < 4; k++)
        b->data[4 * at + k] = (unsigned char)((uint64_t)v >> 8 * k);
}

void test_ans_item(fb_buf *b, int item, int64_t v)
{
    test_ans_word(b, H2 + item - 1, v);
}

void test_ans_standard(fb_buf *b, int item, int64_t v)
{
    test_ans_word(b, 1 + item, v);
}

void test_ans_pointer(fb_buf *b, int lo, int hi, int64_t at)
{
    test_ans_item(b, lo, at);
    if (hi)
        test_ans_item(b, hi, at >> 32);
}

int64_t test_ans_record(fb_buf *b, unsigned flags, const fb_buf *body)
{
    const int64_t at = test_ans_here(b), words = (body->size + 3) / 4;
    b->little = 1;
    fb_put_i32(b, words);
    fb_put_i32(b, (int64_t)(int32_t)(flags << 24));
    fb_put_bytes(b, body->data, (size_t)body->size);
    fb_put_bytes(b, "\0\0", (size_t)(4 * words - body->size));
    fb_put_i32(b, words);
    return at;
}

static int64_t numbers(fb_buf *b, unsigned flags, const int64_t *v, const double *x, int64_t n)
{
    fb_buf body = {.little = 1};
    for (int64_t k = 0; k < n; k++) {
        const unsigned char two[2] = {v ? (unsigned char)v[k] : 0,
                                      v ? (unsigned char)((uint64_t)v[k] >> 8) : 0};
        if (x)
            fb_put_f64(&body, x + k, 1);
        else if (flags == TEST_SHORTS)
            fb_put_bytes(&body, two, 2);
        else
            fb_put_i32(&body, v[k]);
    }
    const int64_t at = test_ans_record(b, flags, &body);
    fb_buf_free(&body);
    return at;
}

int64_t test_ans_ints(fb_buf *b, const int64_t *v, int64_t n)
{
    return numbers(b, TEST_INTS, v, NULL, n);
}

int64_t test_ans_shorts(fb_buf *b, const int64_t *v, int64_t n)
{
    return numbers(b, TEST_SHORTS, v, NULL, n);
}

int64_t test_ans_reals(fb_buf *b, const double *v, int64_t n)
{
    return numbers(b, TEST_REALS, NULL, v, n);
}

static int64_t four(const char *c)
{
    return (int64_t)(int32_t)((uint32_t)c[0] << 24 | (uint32_t)c[1] << 16 | (uint32_t)c[2] << 8 |
                              (uint32_t)c[3]);
}

void test_ans_begin(fb_buf *b, int kind, int header)
{
    static const char title[] = "a model of the tests    ";
    int64_t h[STANDARD] = {kind, -1, 123456, 20240229, -1}, own[200] = {kind};
    h[9] = four("20.1");
    for (int k = 0; k < 6; k++)
        h[40 + k] = four(title + 4 * k);
    h[99] = 654321;
    b->little = 1;
    b->size = 0;
    (void)test_ans_ints(b, h, STANDARD);
    (void)test_ans_ints(b, own, header);
}

void test_ans_end(fb_buf *b)
{
    const int64_t at = test_ans_here(b);
    test_ans_standard(b, 27, at);
    test_ans_standard(b, 97, at);
    fb_put_i32(b, -1);
    for (int k = 0; k < 5; k++)
        fb_put_i32(b, 0x5a5a5a5a);
}

/* ---- .full -------------------------------------------------------------------------------- */

/* Columns of the lower half, the diagonal last: where they begin; *terms is how many. */
static int64_t lower(fb_buf *b, const double *A, int64_t n, int zeros, int64_t *terms)
{
    const int64_t at = test_ans_here(b);
    *terms = 0;
    for (int64_t k = 0; k < n; k++) {
        int64_t row[64], m = 0;
        double x[64];
        for (int64_t i = k + 1; i < n; i++)
            if (zeros || A[i * n + k] != 0) {
                row[m] = i + 1;
                x[m++] = A[i * n + k];
            }
        row[m] = k + 1;
        x[m++] = A[k * n + k];
        (void)test_ans_ints(b, row, m);
        (void)test_ans_reals(b, x, m);
        *terms += m;
    }
    return at;
}

static int64_t diagonal(fb_buf *b, const double *A, int64_t n)
{
    double d[64];
    for (int64_t k = 0; k < n; k++)
        d[k] = A[k * n + k];
    return test_ans_reals(b, d, n);
}

static void equations(fb_buf *b, const test_ans_matrices *m)
{
    int64_t slave[8], one[8], terms[8];
    double constant[8];
    const int64_t n = m->nequation, counts[4] = {n, n, 1, 0};
    for (int64_t k = 0; k < n; k++) {
        slave[k] = m->equation[k].slave;
        constant[k] = m->equation[k].constant;
        terms[k] = m->equation[k].n;
        one[k] = 1;
    }
    test_ans_pointer(b, 31, 32, test_ans_ints(b, slave, n));
    (void)test_ans_reals(b, constant, n);
    (void)test_ans_ints(b, counts, 4);
    (void)test_ans_ints(b, one, n);
    (void)test_ans_ints(b, terms, n);
    for (int64_t k = 0; k < n; k++) {
        (void)test_ans_ints(b, m->equation[k].row, m->equation[k].n);
        (void)test_ans_reals(b, m->equation[k].a, m->equation[k].n);
    }
}

static void dof_table(fb_buf *b, const test_ans_matrices *m)
{
    int64_t number[64] = {0}, n = 0;
    double value[64] = {0};
    for (int64_t k = 0; k < m->n; k++)
        if (m->imposed && m->imposed[k] != 0) {
            value[n] = m->imposed[k];
            number[k] = ++n;
        }
    test_ans_pointer(b, 36, 37, test_ans_ints(b, m->each, m->nodes));
    (void)test_ans_ints(b, m->index, m->n);
    (void)test_ans_ints(b, number, m->n);
    (void)test_ans_reals(b, value, n ? n : 1);
}

void test_ans_full(fb_buf *b, const test_ans_matrices *m)
{
    const double zero[64] = {0};
    int64_t terms;
    test_ans_begin(b, 4, 160);
    const int64_t items[][2] = {{1, -4},           {2, m->n},    {3, m->free},
                                {4, m->M ? 2 : 1}, {5, m->kan},  {7, m->nodes},
                                {8, m->nlist},     {15, -999},   {21, m->nequation},
                                {33, m->nodes},    {62, m->free}};
    for (size_t k = 0; k < sizeof items / sizeof *items; k++)
        test_ans_item(b, (int)items[k][0], items[k][1]);
    (void)test_ans_ints(b, m->list, m->nlist);
    (void)test_ans_ints(b, m->node, m->nodes);
    test_ans_pointer(b, 19, 20, lower(b, m->K, m->n, m->zeros, &terms));
    test_ans_pointer(b, 9, 10, terms);
    test_ans_pointer(b, 38, 39, test_ans_reals(b, zero, m->n));
    test_ans_pointer(b, 54, 55, diagonal(b, m->K, m->n));
    dof_table(b, m);
    if (m->nequation)
        equations(b, m);
    if (m->M) {
        test_ans_pointer(b, 27, 28, lower(b, m->M, m->n, m->zeros, &terms));
        test_ans_pointer(b, 34, 22, terms);
        test_ans_pointer(b, 56, 57, diagonal(b, m->M, m->n));
    }
    if (m->C) {
        test_ans_pointer(b, 29, 30, lower(b, m->C, m->n, m->zeros, &terms));
        test_ans_pointer(b, 35, 40, terms);
        test_ans_pointer(b, 58, 59, diagonal(b, m->C, m->n));
    }
    test_ans_pointer(b, 23, 24, test_ans_here(b));
    test_ans_end(b);
}

/* ---- .rst and .mode ----------------------------------------------------------------------- */

static int64_t locations(fb_buf *b, const test_ans_results *m)
{
    const int64_t at = test_ans_here(b);
    for (int64_t k = 0; k < m->nodes; k++) {
        double v[7] = {(double)m->node[k]};
        memcpy(v + 1, m->place + 6 * k, 6 * sizeof *v);
        (void)test_ans_reals(b, v, 7);
    }
    return at;
}

/* Offsets first, which are set when the records behind them are there. */
static int64_t types(fb_buf *b, const test_ans_results *m)
{
    const int64_t at = test_ans_here(b), one = 1, none = 0;
    int64_t v[200] = {1, m->type};
    v[60] = m->per;
    if (m->mapped)
        (void)test_ans_ints(b, &one, 1);
    const int64_t offset = test_ans_ints(b, &none, 1);
    test_ans_word(b, offset + 2, test_ans_ints(b, v, 200) - at);
    return at;
}

static int64_t elements(fb_buf *b, const test_ans_results *m)
{
    const int64_t each = m->old ? 1 : 2, at = test_ans_here(b);
    int64_t offset[64] = {0};
    (void)test_ans_ints(b, offset, each * m->nelm);
    for (int64_t k = 0; k < m->nelm; k++) {
        int64_t v[40] = {1, 1, 1, 1, 0, 0, 0, 0, 100 + k, 0};
        memcpy(v + 10, m->element + k * m->per, (size_t)m->per * sizeof *v);
        const int64_t here =
            k % 2 ? test_ans_shorts(b, v, 10 + m->per) : test_ans_ints(b, v, 10 + m->per);
        test_ans_word(b, at + 2 + each * k, here - at);
    }
    return at;
}

static int64_t component(fb_buf *b, const test_ans_results *m)
{
    char name[33] = "                                ";
    int64_t v[11] = {1};
    memcpy(name, m->component, strlen(m->component));
    for (int k = 0; k < 8; k++)
        v[1 + k] = four(name + 4 * k);
    v[9] = m->node[0];
    v[10] = m->node[1];
    return test_ans_ints(b, v, 11);
}

static void set_geometry(int64_t *g, int old, int64_t lo, int brief, int64_t at)
{
    g[(old ? brief : lo) - 1] = at;
}

static int64_t geometry(fb_buf *b, const test_ans_results *m)
{
    int64_t g[80] = {0};
    g[1] = 1;
    g[3] = m->nodes;
    g[4] = m->nelm;
    g[64] = m->mapped;
    set_geometry(g, m->old, 21, 7, types(b, m));
    set_geometry(g, m->old, 27, 9, locations(b, m));
    if (m->nelm)
        set_geometry(g, m->old, 29, 11, elements(b, m));
    if (m->component && !m->old) {
        g[48] = 1;
        g[50] = component(b, m);
    }
    return test_ans_ints(b, g, m->old ? 40 : 80);
}

/* A solution; pointers in it count from its header. */
static int64_t solution(fb_buf *b, const test_ans_results *m, int64_t k)
{
    const int64_t rows = m->rows ? m->rows : m->nodes;
    const int64_t at = test_ans_here(b), size = rows * m->nlist;
    const double first[100] = {m->hz[k]};
    int64_t h[200] = {0};
    h[1] = m->nelm;
    h[2] = m->nodes;
    h[16] = k + 1;
    h[19] = m->nlist;
    memcpy(h + 20, m->list, (size_t)m->nlist * sizeof *h);
    (void)test_ans_ints(b, h, 200);
    (void)test_ans_reals(b, first, 100);
    const int64_t nsl = test_ans_reals(b, m->shape + k * size, size) - at;
    if (m->where)
        (void)test_ans_ints(b, m->where, rows);
    test_ans_word(b, at + 2 + (m->old ? 10 : 104), nsl);
    return at;
}

void test_ans_rst(fb_buf *b, const test_ans_results *m)
{
    enum { MOST = 10 };
    int64_t at[2 * MOST] = {0}, lsp[3 * MOST] = {0};
    double hz[MOST] = {0};
    test_ans_begin(b, 12, m->old ? 40 : 80);
    const int64_t items[][2] = {{3, m->nodes}, {4, MOST},     {5, m->nlist}, {7, m->nelm},
                                {8, m->kan},   {9, m->nsets}, {21, 1}};
    for (size_t k = 0; k < sizeof items / sizeof *items; k++)
        test_ans_item(b, (int)items[k][0], items[k][1]);
    (void)test_ans_ints(b, m->list, m->nlist);
    test_ans_item(b, 15, test_ans_ints(b, m->node, m->nodes));
    const int64_t dsi = test_ans_ints(b, at, 2 * MOST);
    memcpy(hz, m->hz, (size_t)m->nsets * sizeof *hz);
    test_ans_item(b, 11, dsi);
    test_ans_item(b, 12, test_ans_reals(b, hz, MOST));
    test_ans_item(b, 13, test_ans_ints(b, lsp, 3 * MOST));
    test_ans_item(b, 16, geometry(b, m));
    fb_put_i32(b, 77); /* a gap, as real files have */
    for (int64_t k = 0; k < m->nsets; k++)
        test_ans_word(b, dsi + 2 + k, solution(b, m, k));
    test_ans_end(b);
}

void test_ans_mode(fb_buf *b, const test_ans_results *m)
{
    const int64_t rows = m->nodes * m->nlist;
    double lambda[16];
    test_ans_begin(b, 9, 100);
    const int64_t items[][2] = {{2, rows}, {4, m->nsets}, {5, m->nlist}, {6, m->nodes}};
    for (size_t k = 0; k < sizeof items / sizeof *items; k++)
        test_ans_item(b, (int)items[k][0], items[k][1]);
    for (int64_t k = 0; k < m->nsets; k++)
        lambda[k] = fb_lambda(&(fb_units){0}, m->hz[k]);
    (void)test_ans_ints(b, m->list, m->nlist);
    (void)test_ans_ints(b, m->node, m->nodes);
    test_ans_item(b, 22, test_ans_reals(b, lambda, m->nsets));
    test_ans_item(b, 24, test_ans_here(b));
    for (int64_t k = 0; k < m->nsets; k++)
        (void)test_ans_reals(b, m->shape + k * rows, rows);
    test_ans_end(b);
}

/* ---- .sub --------------------------------------------------------------------------------- */

static void rows_of(fb_buf *b, const test_ans_super *m)
{
    test_ans_item(b, 22, test_ans_here(b));
    for (int64_t r = 0; r < m->n; r++) {
        (void)test_ans_reals(b, m->K + r * m->n, m->n);
        if (m->M)
            (void)test_ans_reals(b, m->M + r * m->n, m->n);
        if (m->C)
            (void)test_ans_reals(b, m->C + r * m->n, m->n);
    }
}

void test_ans_sub(fb_buf *b, const test_ans_super *m)
{
    const double mass[37] = {m->mass, m->centre[0], m->centre[1], m->centre[2]}, zero[64] = {0};
    int64_t label[128] = {0};
    test_ans_begin(b, 8, 60);
    const int64_t items[][2] = {
        {2, m->n},          {3, 1 + !!m->M + !!m->C}, {5, m->each}, {9, m->nodes}, {11, 1},
        {12, m->M != NULL}, {13, m->C != NULL},       {15, 1},      {44, m->modes}};
    for (size_t k = 0; k < sizeof items / sizeof *items; k++)
        test_ans_item(b, (int)items[k][0], items[k][1]);
    test_ans_item(b, 35, test_ans_ints(b, m->node, m->nodes));
    test_ans_item(b, 36, test_ans_here(b));
    for (int64_t k = 0; k < m->nodes; k++)
        (void)test_ans_reals(b, m->place + 6 * k, 6);
    for (int64_t r = 0; r < m->n; r++)
        label[2 * r] = (m->node[r / m->each] - 1) * 32 + r % m->each + 1;
    test_ans_item(b, 38, test_ans_ints(b, label, 2 * m->n));
    test_ans_item(b, 27, test_ans_reals(b, mass, 37));
    rows_of(b, m);
    (void)test_ans_reals(b, zero, m->n);
    test_ans_end(b);
}
