/* SPDX-License-Identifier: GPL-3.0-or-later */
/* OUTPUT2: files written here in both byte orders and word sizes. */
#include "mnfparse/join/assemble.h"
#include "tests/model/near.h"
#include "tests/suites.h"
#include <math.h>

static void read_bytes(result *r, const void *d, size_t n)
{
    char name[] = "test.op2";
    fb_input in = {.data = d, .size = n, .name = name};
    *r = (result){0};
    r->s = fb_reader_op2.read(&in, &r->p, &r->log, &r->e);
}

/* ---- writing ------------------------------------------------------------------------------- */

typedef struct {
    fb_buf b, r; /* file, record */
    int w, version;
    int64_t k; /* count down of the block */
} out;

static void put(fb_buf *b, int64_t v, int size)
{
    unsigned char c[8];
    for (int k = 0; k < size; k++)
        c[k] = (unsigned char)((uint64_t)v >> 8 * (b->little ? k : size - 1 - k));
    fb_put_bytes(b, c, (size_t)size);
}

static void word(out *o, int64_t v)
{
    put(&o->r, v, o->w);
}

/* A real of a word (single where words have 4 bytes). */
static void real(out *o, double v)
{
    float f = (float)v;
    int32_t u = 0;
    memcpy(&u, &f, 4);
    if (o->w == 4)
        put(&o->r, u, 4);
    else
        fb_put_f64(&o->r, &v, 1);
}

static void name2(out *o, const char *name)
{
    char text[17] = "                ";
    memcpy(text, name, strlen(name));
    fb_put_bytes(&o->r, text, o->w == 8 ? 16 : 8);
}

static void flush(out *o)
{
    put(&o->b, o->r.size, 4);
    fb_put_bytes(&o->b, o->r.data, (size_t)o->r.size);
    put(&o->b, o->r.size, 4);
    o->r.size = 0;
}

static void key(out *o, int64_t v)
{
    fb_buf held = o->r;
    o->r = (fb_buf){.little = held.little};
    word(o, v);
    flush(o);
    fb_buf_free(&o->r);
    o->r = held;
}

/* The record, behind the key with its number of words. */
static void keyed(out *o)
{
    key(o, o->r.size / o->w);
    flush(o);
}

static void start(out *o, int little, int w, int version)
{
    *o = (out){.b.little = little, .r.little = little, .w = w, .version = version};
    if (version < 0)
        return; /* without a file header */
    for (int k = 0; k < 3; k++)
        word(o, k + 1);
    keyed(o);
    for (int k = 0; k < 7; k++)
        word(o, 0x20202020);
    keyed(o);
    name2(o, "XXXXXXXX");
    keyed(o);
    for (int k = 0; version && k < 6; k++)
        word(o, 20182);
    if (version)
        keyed(o);
    key(o, -1);
    key(o, 0);
}

static void block(out *o, const char *name, int64_t t1, int64_t t2, int64_t t3, int64_t t4)
{
    name2(o, name);
    keyed(o);
    for (int k = 0; o->version > 0 && k < 6; k++)
        word(o, 0);
    if (o->version > 0)
        keyed(o);
    key(o, -1);
    int64_t trailer[7] = {101, t1, t2, t3, t4, 0, 0};
    for (int k = 0; k < 7; k++)
        word(o, trailer[k]);
    keyed(o);
    key(o, -2);
    key(o, 1);
    key(o, 0);
    name2(o, name);
    word(o, 7);
    keyed(o);
    key(o, -3);
    o->k = -3;
}

/* The record as a table record, in two pieces where it is long enough. */
static void table(out *o)
{
    key(o, 1);
    key(o, 0);
    fb_buf all = o->r;
    int64_t half = all.size / o->w / 2 * o->w;
    for (int part = 0; part < 2; part++) {
        int64_t from = part ? half : 0, to = part ? all.size : half;
        o->r = (fb_buf){.little = all.little};
        fb_put_bytes(&o->r, all.data + from, (size_t)(to - from));
        if (to > from)
            keyed(o);
        fb_buf_free(&o->r);
    }
    o->r = all;
    o->r.size = 0;
    key(o, --o->k);
}

static void block_end(out *o)
{
    key(o, 1);
    key(o, 0);
    key(o, 0);
}

static void end(out *o)
{
    fb_buf_free(&o->b);
    fb_buf_free(&o->r);
}

/* String of n reals from the row on: key, row and values. */
static void string(out *o, int64_t row, const double *v, int n, int is_double)
{
    word(o, row);
    for (int k = 0; k < n; k++) {
        if (is_double)
            fb_put_f64(&o->r, v + k, 1);
        else
            real(o, v[k]);
    }
    key(o, o->r.size / o->w - 1);
    flush(o);
}

/* Diagonal 1, 2, ..., n of a square matrix; column 2 is empty. */
static void diagonal(out *o, const char *name, int64_t n, int type)
{
    int is_double = type == 2 || type == 4 || o->w == 8;
    block(o, name, n, n, 6, type);
    for (int64_t j = 1; j <= n; j++) {
        double v[2] = {(double)j, -(double)j};
        key(o, 1);
        key(o, 1);
        if (j != 2)
            string(o, j, v, type > 2 ? 2 : 1, is_double);
        key(o, --o->k);
    }
    block_end(o);
}

/* Points: grid 7 (internal 2, dofs 2..7), scalar 3 (internal 1, dof 1). */
static void eqexin(out *o)
{
    static const int64_t one[] = {3, 1, 7, 2}, two[] = {3, 12, 7, 21};
    block(o, "EQEXINS", 2, 0, 0, 0);
    for (int k = 0; k < 4; k++)
        word(o, one[k]);
    table(o);
    for (int k = 0; k < 4; k++)
        word(o, two[k]);
    table(o);
    block_end(o);
}

static void bgpdt(out *o, int new_layout)
{
    static const double x[3] = {1.5, 2.5, -3};
    block(o, "BGPDTS", 2, 0, 0, 0);
    for (int k = 0; k < 2; k++) {
        int64_t cd = k ? 4 : -1, layout[6] = {cd, k ? 2 : 1, k ? 7 : 3, k ? 61 : 12, 0, 0};
        for (int c = 0; c < (new_layout ? 6 : 1); c++)
            word(o, layout[c]);
        for (int c = 0; c < 3; c++) {
            if (new_layout)
                fb_put_f64(&o->r, x + c, 1);
            else
                real(o, x[c]);
        }
    }
    table(o);
    if (new_layout) {
        word(o, 3);
        word(o, 1);
        table(o);
    }
    block_end(o);
}

/* System 4: cylindrical, z along basic x, origin (1.5, 0, 0). */
static void cstm(out *o, int new_layout)
{
    static const double v[12] = {1.5, 0, 0, 0, 0, 1, 1, 0, 0, 0, 1, 0};
    block(o, "CSTMS", 1, 1, 0, 0);
    word(o, 4);
    word(o, 2);
    if (new_layout) {
        word(o, 0);
        word(o, 1);
        table(o);
        fb_put_f64(&o->r, v, 12);
    } else {
        for (int c = 0; c < 12; c++)
            real(o, v[c]);
    }
    table(o);
    block_end(o);
}

static void uset(out *o) /* 3: q; 7.1, 7.2: b; 7.3: m; 7.4: s (bit 0x2 and sb); 7.5: o; 7.6: b */
{
    static const int64_t mask[] = {0x400000, 0x2, 0x200000, 0x1, 0x402, 0x4, 0x2};
    block(o, "USETTAB", 0, 7, 0, 0);
    for (int k = 0; k < 7; k++)
        word(o, mask[k]);
    table(o);
    block_end(o);
}

/* ---- tests --------------------------------------------------------------------------------- */

static void check_labels(const result *r, const fb_matrix *m, int64_t n)
{
    static const int64_t g[][2] = {{3, 0}, {7, 1}, {7, 2}, {7, 3}, {7, 4}, {7, 5}, {7, 6}},
                         a[][2] = {{3, 0}, {7, 1}, {7, 2}, {7, 6}};
    const int64_t(*want)[2] = n == 7 ? g : a;
    (void)r;
    ck_assert_ptr_nonnull(m->row.node);
    for (int64_t k = 0; k < n; k++)
        ck_assert(m->row.node[k] == want[k][0] && m->row.component[k] == want[k][1] &&
                  m->row.class[k] == (k == 0 ? FB_DOF_GENERALIZED : FB_DOF_PHYSICAL));
}

START_TEST(layouts)
{
    for (int k = 0; k < 48; k++) {
        int little = k & 1, w = k & 2 ? 8 : 4, fresh = k >> 2 & 1, version = (k >> 3) % 3 - 1,
            type = 1 + k % 4;
        out o;
        result r;
        start(&o, little, w, version);
        bgpdt(&o, fresh);
        eqexin(&o);
        cstm(&o, fresh);
        uset(&o);
        block(&o, "CASECC", 5, 0, 0, 0);
        word(&o, 1);
        table(&o);
        block_end(&o);
        diagonal(&o, "KGG", 7, type);
        diagonal(&o, "MAA", 4, type);
        if (k % 5)
            key(&o, 0);
        read_bytes(&r, o.b.data, (size_t)o.b.size);
        ck_assert_msg(r.s == FB_OK, "%d: %s", k, r.e.msg);
        ck_assert_int_eq(fb_parts_label(&r.p, &r.log, &r.e), FB_OK);
        ck_assert_int_eq(r.p.nmatrix, 2);
        for (int q = 0; q < 2; q++) {
            const fb_matrix *m = r.p.matrix + q;
            int64_t n = q ? 4 : 7;
            ck_assert_str_eq(m->name, q ? "MAA" : "KGG");
            ck_assert(m->A.n == n && m->A.p[n] == n - 1 && m->A.p[2] == 1 &&
                      m->A.x[n - 2] == (double)n && m->A.i[n - 2] == n - 1);
            ck_assert((m->imag != NULL) == (type > 2) && (type <= 2 || m->imag[1] == -3));
            check_labels(&r, m, n);
        }
        ck_assert(r.p.nn == 1 && r.p.node_id[0] == 7 && r.p.xyz[0] == 1.5 && r.p.xyz[1] == 2.5 &&
                  r.p.xyz[2] == -3);
        ck_assert(r.p.ntied == 1 && r.p.tied.node[0] == 7 && r.p.tied.component[0] == 3);
        double len = hypot(2.5, 3); /* e_r at the point, in the plane of basic y and z */
        ck_assert(fabs(r.p.frame[0]) < 1e-12 && fabs(r.p.frame[3] - 2.5 / len) < 1e-12 &&
                  fabs(r.p.frame[6] + 3 / len) < 1e-12);
        ck_assert(fabs(r.p.frame[2] - 1) < 1e-12);
        result_free(&r);
        end(&o);
    }
}
END_TEST

static void dmig_words(out *o, const char *name, int64_t form)
{
    static const double v[] = {10, -1, 20};
    static const int64_t row[][2] = {{1, 1}, {1, 1}, {9, 0}};
    word(o, 114);
    word(o, 1);
    word(o, 120);
    name2(o, name);
    int64_t head[] = {0, form, 2, 0, 0, 0, 0};
    for (int k = 0; k < 7; k++)
        word(o, head[k]);
    for (int c = 0; c < 2; c++) {
        word(o, c ? 9 : 1);
        word(o, 1);
        for (int k = c; k < (c ? 3 : 1); k++) {
            word(o, row[k][0]);
            word(o, row[k][1]);
            fb_put_f64(&o->r, v + k, 1);
        }
        word(o, -1);
        word(o, -1);
    }
    word(o, -1);
    word(o, -1);
}

/* Words of 8 bytes hold numbers of points above 2^31, as superelements of long decks have them. */
START_TEST(long_numbers)
{
    static const int64_t id[] = {INT64_C(80000000001), 2}, sil[] = {11, 71};
    out o;
    result r;
    start(&o, _i, 8, 1);
    block(&o, "GEOM2", 0, 0, 0, 0);
    const int64_t spoint[] = {5551, 49, 105, INT64_C(80000000200)};
    for (int k = 0; k < 4; k++)
        word(&o, spoint[k]);
    table(&o);
    block_end(&o);
    block(&o, "BGPDT", 2, 0, 0, 0);
    for (int k = 0; k < 2; k++) {
        word(&o, 0);
        for (int c = 0; c < 3; c++)
            real(&o, k + 0.1 * c);
    }
    table(&o);
    block_end(&o);
    block(&o, "EQEXIN", 2, 0, 0, 0);
    for (int pass = 0; pass < 2; pass++) {
        for (int k = 1; k >= 0; k--) {
            word(&o, id[k]);
            word(&o, pass ? sil[k] : k + 1);
        }
        table(&o);
    }
    block_end(&o);
    diagonal(&o, "KGG", 12, 1);
    read_bytes(&r, o.b.data, (size_t)o.b.size);
    ck_assert_msg(r.s == FB_OK, "%s", r.e.msg);
    ck_assert_int_eq(fb_parts_label(&r.p, &r.log, &r.e), FB_OK);
    ck_assert(r.p.matrix[0].row.node[0] == id[0] && r.p.matrix[0].row.node[6] == 2);
    ck_assert(r.p.nn == 2 && r.p.xyz[5] == 0.2 + (r.p.node_id[1] == 2)); /* a double, not rounded */
    result_free(&r);
    end(&o);
}
END_TEST

/* Head of an OFP table, and an eigenvector at scalar point 3 and grid 7: v, 2 v, ..., 6 v. */
static void head(out *o, int64_t analysis, int64_t code, int64_t mode, double lambda, int64_t width)
{
    const int64_t first[] = {10 * analysis + 2, code, 0, 1, mode};
    for (int k = 0; k < 5; k++)
        word(o, first[k]);
    real(o, lambda);
    for (int k = 6; k < 146; k++)
        word(o, k == 9 ? width : 0);
    table(o);
}

static void eigenvector(out *o, int64_t analysis, int64_t mode, double lambda, double v)
{
    head(o, analysis, 7, mode, lambda, 8);
    for (int k = 0; k < 2; k++) {
        word(o, 10 * (k ? 7 : 3) + 2);
        word(o, k ? 1 : 2);
        for (int c = 1; c <= 6; c++)
            real(o, c * v);
    }
    table(o);
}

static void lama(out *o, int64_t mode, double lambda, double mass)
{
    const double behind[] = {lambda, sqrt(lambda), sqrt(lambda) / 6.283185307179586, mass,
                             mass * lambda};
    block(o, "LAMA", 0, 0, 0, 0);
    head(o, 2, 6, mode, 0, 7);
    word(o, mode);
    word(o, 1);
    for (int c = 0; c < 5; c++)
        real(o, behind[c]);
    table(o);
    block_end(o);
}

/* Mode 2 of eigenvalue 3948, mass 4; buckling and complex modes are none. Hz is sqrt(3948) / 2 pi,
 * by hand; v is a sum of powers of two, so that single reals hold it. */
START_TEST(modes)
{
    const int basic = _i >> 2;
    out o;
    result r;
    start(&o, _i & 1, _i & 2 ? 8 : 4, 0);
    bgpdt(&o, 1);
    eqexin(&o);
    cstm(&o, 1);
    lama(&o, 2, 3948, 4);
    block(&o, basic ? "BOPHIG" : "OUGV1", 0, 0, 0, 0);
    eigenvector(&o, 2, 2, 3948, 0.375);
    eigenvector(&o, 8, 1, 2, 5);
    head(&o, 9, 1007, 1, 0, 14);
    word(&o, 0);
    table(&o);
    block_end(&o);
    block(&o, basic ? "OUGV1" : "BOUGV1", 0, 0, 0, 0);
    eigenvector(&o, 2, 2, 3948, 9);
    block_end(&o);
    read_bytes(&r, o.b.data, (size_t)o.b.size);
    ck_assert_msg(r.s == FB_OK, "%s", r.e.msg);
    const fb_model *b = &r.p.body;
    ck_assert(b->nm == 1 && b->nn == 1 && b->node_id[0] == 7 && b->mode_number[0] == 2);
    ck_assert(fabs(b->eigen[1] - 10.000200) < 1e-6 && b->eigen[3] == 4);
    for (int c = 0; c < 6; c++)
        ck_assert(b->shape[c] == 0.375 * (c + 1));
    ck_assert_int_eq(r.p.along_axes, !basic);
    ck_assert_int_eq(r.log.nwarning, 3);
    result_free(&r);
    for (int64_t n = o.b.size - 1; n > 0; n -= 37) {
        read_bytes(&r, o.b.data, (size_t)n);
        ck_assert(r.s == FB_OK || (r.s == FB_EFORMAT && r.e.msg[0]));
        result_free(&r);
    }
    end(&o);
}
END_TEST

/* Stress of tetrahedra of a mode: at corner `node` the numbers base + 1 .. base + 6 for xx yy zz xy
 * xz yz, among others that are not taken; the centre is 99 all over. */
static void tetrahedron(out *o, int64_t id, int64_t system, const int64_t node[4], double base)
{
    word(o, 10 * id + 1);
    word(o, system);
    word(o, 0x47524944); /* GRID */
    word(o, 4);
    for (int k = -1; k < 4; k++) {
        double v[20];
        for (int c = 0; c < 20; c++)
            v[c] = k < 0 ? 99 : 1000 + c;
        static const int at[6] = {0, 8, 14, 1, 15, 9};
        for (int c = 0; k >= 0 && c < 6; c++)
            v[at[c]] = base + 10 * k + c + 1;
        word(o, k < 0 ? 0 : node[k]);
        for (int c = 0; c < 20; c++)
            real(o, v[c]);
    }
}

static void stress_head(out *o, int64_t analysis, int64_t type, int64_t mode, int64_t width,
                        int real_)
{
    const int64_t first[] = {10 * analysis + 2, 5, type, 1, mode};
    for (int k = 0; k < 5; k++)
        word(o, first[k]);
    real(o, 3948);
    for (int k = 6; k < 146; k++)
        word(o, k == 9 ? width : k == 8 ? real_ : 0);
    table(o);
}

static const struct {
    int64_t system, width;
    const char *says;
} stressed[] = {
    {0, 109, NULL}, {-1, 109, "element 5 is in coordinate system -1"}, {0, 110, "109 are wanted"}};

/* Of the corner that two elements share the mean; a bar's stress is left. */
START_TEST(stress_of_solids)
{
    static const int64_t a[4] = {7, 8, 9, 10}, b[4] = {11, 7, 12, 13};
    const int wide = _i & 2 ? 8 : 4, which = _i >> 2;
    out o;
    result r;
    start(&o, _i & 1, wide, 0);
    bgpdt(&o, 1);
    eqexin(&o);
    cstm(&o, 1);
    block(&o, "BOPHIG", 0, 0, 0, 0);
    eigenvector(&o, 2, 2, 3948, 0.375);
    block_end(&o);
    block(&o, "OES1X1", 0, 0, 0, 0);
    stress_head(&o, 2, 39, 2, stressed[which].width, 1);
    tetrahedron(&o, 4, 0, a, 0);
    tetrahedron(&o, 5, stressed[which].system, b, 100);
    table(&o);
    stress_head(&o, 2, 34, 2, 16, 1); /* a bar */
    for (int k = 0; k < 16; k++)
        word(&o, 0);
    table(&o);
    block_end(&o);
    read_bytes(&r, o.b.data, (size_t)o.b.size);
    if (stressed[which].says) {
        ck_assert_int_eq(r.s, FB_EFORMAT);
        ck_assert_msg(strstr(r.e.msg, stressed[which].says) != NULL, "%s", r.e.msg);
        result_free(&r);
        end(&o);
        return;
    }
    ck_assert_msg(r.s == FB_OK, "%s", r.e.msg);
    ck_assert_int_eq(r.p.result[FB_STRESS].n, 1);
    ck_assert_int_eq(r.p.result[FB_STRESS].nrow, 7);
    for (int c = 0; c < 6; c++) /* node 7: the first corner of one, the second of the other */
        ck_assert_double_eq(r.p.result[FB_STRESS].v[c], (2 * (c + 1) + 110) / 2.0);
    ck_assert_int_eq(r.p.result[FB_STRESS].node[6], 13);
    ck_assert_double_eq(r.p.result[FB_STRESS].v[6 * 6 + 5], 136);
    result_free(&r);
    for (int64_t n = o.b.size - 1; n > 0; n -= 37) {
        read_bytes(&r, o.b.data, (size_t)n);
        ck_assert(r.s == FB_OK || (r.s == FB_EFORMAT && r.e.msg[0]));
        result_free(&r);
    }
    end(&o);
}
END_TEST

/* An external superelement: blocks called EXTDB, named by a directory. */
START_TEST(extdb)
{
    static const char *const names[] = {"PVT0",     "GEOM1EX", "GEOM2EX", "GEOM4EX",
                                        "GEOM1EXA", "MATK",    "MATM"};
    for (int w = 4; w <= 8; w += 4) {
        out o;
        result r;
        start(&o, 1, w, -1);
        block(&o, "XSOP2DIR", 7, 0, 0, 0);
        for (int k = 0; k < 7; k++) {
            name2(&o, names[k]);
            table(&o);
        }
        block_end(&o);
        block(&o, "PVT0", 1, 0, 0, 0);
        word(&o, 1);
        table(&o);
        block_end(&o);
        for (int copy = 0; copy < 2;
             copy++) { /* GEOM1EX, and after two others its twin for the assembly */
            static const double x[] = {1, 2, 3};
            static const int64_t spoint[] = {5551, 49, 105, 9}, qset[] = {610, 6, 316, 0, 0, 9, -1},
                                 extrn[] = {1627, 16, 463, 1, 1, 9, 0, -1, -1};
            block(&o, "EXTDB", 0, 0, 0, 0);
            int64_t grid[] = {4501, 45, w == 4 ? 1120001 : 810001, 1 + copy, 0};
            for (int k = 0; k < 5; k++)
                word(&o, grid[k]);
            fb_put_f64(&o.r, x, 3);
            for (int k = 0; k < 3; k++)
                word(&o, 0);
            table(&o);
            for (int k = 0; k < 9; k++)
                word(&o, extrn[k]);
            table(&o);
            block_end(&o);
            if (copy)
                break;
            block(&o, "EXTDB", 0, 0, 0, 0);
            for (int k = 0; k < 4; k++)
                word(&o, spoint[k]);
            table(&o);
            block_end(&o);
            block(&o, "EXTDB", 0, 0, 0, 0);
            for (int k = 0; k < 7; k++)
                word(&o, qset[k]);
            table(&o);
            block_end(&o);
        }
        for (int k = 0; k < 2; k++) {
            block(&o, "EXTDB", 0, 32768, 0, 0);
            dmig_words(&o, "EXTDB", 6);
            table(&o);
            for (int q = 0; q < 3; q++)
                word(&o, 65535);
            table(&o);
            block_end(&o);
        }
        read_bytes(&r, o.b.data, (size_t)o.b.size);
        ck_assert_msg(r.s == FB_OK, "%s", r.e.msg);
        ck_assert_int_eq(r.p.nmatrix, 2);
        const fb_matrix *m = r.p.matrix;
        ck_assert_str_eq(m[0].name, "MATK");
        ck_assert_str_eq(m[1].name, "MATM");
        ck_assert(m[0].role == FB_ROLE_STIFFNESS && m[1].role == FB_ROLE_MASS && m[0].A.upper);
        ck_assert(m[0].A.m == 2 && m[0].A.p[2] == 3 && m[0].A.x[1] == -1 && m[0].A.x[2] == 20);
        ck_assert(m[0].row.node[1] == 9 && m[0].row.component[1] == 0 &&
                  m[0].row.component[0] == 1);
        ck_assert_msg(r.p.nn == 1 && r.p.xyz[2] == 3, "%d: %lld", w, (long long)r.p.nn);
        ck_assert(r.p.norder == 1 && r.p.order[0].n == 2 && r.p.nset == 1 &&
                  !strcmp(r.p.set[0].name, "QSET"));
        result_free(&r);
        end(&o);
    }
}
END_TEST

/* Two superelements; the tables of the second begin the second group. */
START_TEST(groups)
{
    out o;
    result r;
    start(&o, 1, 4, 0);
    for (int k = 0; k < 2; k++) {
        uset(&o);
        eqexin(&o);
        cstm(&o, 1);
        bgpdt(&o, 1);
    }
    read_bytes(&r, o.b.data, (size_t)o.b.size);
    ck_assert_msg(r.s == FB_OK, "%s", r.e.msg);
    ck_assert_int_eq(r.p.norder, 4);
    ck_assert_str_eq(r.p.order[3].name, "USET a-set 2");
    ck_assert_int_eq(r.p.nn, 1);
    result_free(&r);
    end(&o);
}
END_TEST

/* A record of GEOM2: two codes, n entries of `words` words; node q is 10 entry + q, what stands
 * behind the nodes is no number of a node. */
static void cards(out *o, int64_t a, int64_t b, int n, int words, int first, int nodes)
{
    word(o, a);
    word(o, b);
    word(o, 1);
    for (int k = 0; k < n; k++)
        for (int q = 0; q < words; q++)
            if (q < first || q < first + nodes)
                word(o, q < first ? 100 + k : 10 * k + q - first + 1);
            else
                real(o, -0.5);
    table(o);
}

/* Codes and words as the DMAP manuals have them; middles of upright edges stand before those of the
 * top. A CQUAD8 of older releases has a word less; a CTETRA of a strange length is counted. */
START_TEST(elements)
{
    static const int64_t hexa[] = {1,  2,  3,  4,  5,  6,  7,  8,  9,  10,
                                   11, 12, 17, 18, 19, 20, 13, 14, 15, 16};
    static const fb_topology topology[] = {FB_HEXA20, FB_QUAD4, FB_QUAD4, FB_QUAD8, FB_QUAD8,
                                           FB_QUAD8,  FB_QUAD8, FB_LINE2, FB_LINE2};
    out o;
    result r;
    start(&o, _i % 2, _i / 2 ? 8 : 4, 0);
    block(&o, "GEOM2", 0, 0, 0, 0);
    cards(&o, 7308, 73, 1, 22, 2, 20);
    cards(&o, 2958, 51, 2, 14, 2, 4);
    cards(&o, 4701, 47, 2, 17, 2, 8);
    cards(&o, 4701, 47, 2, 16, 2, 8);
    cards(&o, 5508, 55, 1, 11, 2, 9);
    cards(&o, 1601, 16, 1, 8, 1, 2);
    cards(&o, 2408, 24, 1, 16, 2, 2);
    cards(&o, 1501, 15, 1, 13, 2, 2); /* CONM2 */
    block_end(&o);
    read_bytes(&r, o.b.data, (size_t)o.b.size);
    ck_assert_msg(r.s == FB_OK, "%s", r.e.msg);
    const fb_elements *x = &r.p.elements;
    ck_assert_int_eq(x->n, 9);
    ck_assert_mem_eq(x->node, hexa, sizeof hexa);
    for (int k = 0; k < 9; k++)
        ck_assert_int_eq(x->topology[k], topology[k]);
    ck_assert_int_eq(x->node[24], 11); /* the second CQUAD4 */
    ck_assert_int_eq(x->id[2], 101);
    ck_assert_int_eq(x->node[x->nnode - 3], 2); /* CONROD, without PID */
    ck_assert_int_eq(x->nodd, 1);
    ck_assert_str_eq(x->odd[0].name, "CTETRA");
    result_free(&r);
    end(&o);
}
END_TEST

/* Lists of RBE2 with and without ALPHA and TREF, of RBE3 with two weights and with dependent dofs;
 * a record that has another form is counted. */
START_TEST(rigid_elements)
{
    static const int64_t two[] = {6901, 69, 295, 7, 10, 123456, 11, 12, -1, 8, 20, 123, 21},
                         spoiled[] = {6901, 69, 295, 9, 10, 123456, -1, 11, 12, -1},
                         three[] = {7101, 71, 187, 30, 40, 123456};
    static const int64_t want[] = {10, 11, 10, 12, 20, 21, 40, 41, 40, 42, 40, 43, 50, 51};
    out o;
    result r;
    start(&o, _i % 2, _i / 2 ? 8 : 4, 0);
    block(&o, "GEOM4", 0, 0, 0, 0);
    for (size_t k = 0; k < sizeof two / sizeof *two; k++)
        word(&o, two[k]);
    real(&o, 1.2e-5);
    real(&o, 0);
    word(&o, -1);
    table(&o);
    for (size_t k = 0; k < sizeof spoiled / sizeof *spoiled; k++)
        word(&o, spoiled[k]);
    table(&o);
    for (size_t k = 0; k < sizeof three / sizeof *three; k++)
        word(&o, three[k]);
    for (int set = 0; set < 2; set++) { /* 1.0 123 41 42 -1, 0.5 123 43 -1 */
        real(&o, set ? 0.5 : 1);
        word(&o, 123);
        for (int64_t v = set ? 43 : 41; v <= (set ? 43 : 42); v++)
            word(&o, v);
        word(&o, -1);
    }
    word(&o, -2);
    word(&o, 44); /* a dependent dof: GM, CM */
    word(&o, 1);
    word(&o, -3);
    real(&o, 0);
    word(&o, 31);
    word(&o, 50);
    word(&o, 123);
    real(&o, 1);
    word(&o, 123);
    word(&o, 51);
    word(&o, -1);
    word(&o, -2);
    word(&o, -3);
    table(&o);
    block_end(&o);
    read_bytes(&r, o.b.data, (size_t)o.b.size);
    ck_assert_msg(r.s == FB_OK, "%s", r.e.msg);
    const fb_elements *x = &r.p.elements;
    ck_assert_int_eq(x->n, 7);
    ck_assert_mem_eq(x->node, want, sizeof want);
    ck_assert_int_eq(x->id[2], 8);
    ck_assert_int_eq(x->id[6], 31);
    ck_assert_int_eq(x->nodd, 1);
    ck_assert_str_eq(x->odd[0].name, "RBE2");
    result_free(&r);
    end(&o);
}
END_TEST

static void refused(const out *o, const char *what)
{
    result r;
    read_bytes(&r, o->b.data, (size_t)o->b.size);
    result_refused(&r, what);
    result_free(&r);
}

START_TEST(refusals)
{
    out o;
    start(&o, 1, 4, 0);
    diagonal(&o, "KGG", 3, 2);
    for (int64_t at = o.b.size - 60; at < o.b.size; at += 12) /* the keys at the end */
        if (o.b.data[at + 4] == 1) {
            o.b.data[at + 4] = 9;
            refused(&o, "block KGG: byte ");
            o.b.data[at + 4] = 1;
        }
    o.b.data[o.b.size - 12 - 12 - 12 - 4]++;
    refused(&o, "damaged in a text transfer?");
    end(&o);

    start(&o, 1, 4, 0);
    block(&o, "KGG", 3, 3, 6, 7);
    key(&o, 1);
    key(&o, 1);
    key(&o, -4);
    block_end(&o);
    refused(&o, "block KGG: matrix 'KGG' has form 6, type 7");
    end(&o);

    start(&o, 1, 4, 0);
    block(&o, "KGG", 3, 3, 6, 1);
    key(&o, 1);
    key(&o, 1);
    key(&o, -4);
    block_end(&o);
    refused(&o, "1 columns, the trailer says 3");
    end(&o);

    start(&o, 1, 4, 0);
    double v[2] = {1, 2};
    block(&o, "KGG", 3, 3, 6, 1);
    key(&o, 1);
    key(&o, 1);
    string(&o, 3, v, 2, 0);
    refused(&o, "a string of 2 entries from row 3 on; the matrix has 3 rows");
    end(&o);
}
END_TEST

START_TEST(table_refusals)
{
    out o;
    start(&o, 1, 4, -1);
    block(&o, "EQEXIN", 1, 0, 0, 0);
    word(&o, 5);
    word(&o, 2);
    table(&o);
    word(&o, 5);
    word(&o, 11);
    table(&o);
    block_end(&o);
    refused(&o, "EQEXIN: point 5 has internal number 2 of 1");
    end(&o);

    start(&o, 1, 4, -1);
    eqexin(&o);
    block(&o, "USET", 0, 3, 0, 0);
    for (int k = 0; k < 3; k++)
        word(&o, 2);
    table(&o);
    block_end(&o);
    refused(&o, "USET has 3 dofs, the points have 7");
    end(&o);

    start(&o, 1, 4, -1);
    block(&o, "BGPDT", 2, 0, 0, 0);
    for (int k = 0; k < 10; k++)
        word(&o, 2);
    table(&o);
    refused(&o, "block BGPDT: record 3: 40 bytes for 2 points; a point has 16 or 48");
    end(&o);

    start(&o, 1, 4, -1);
    block(&o, "MATPOOL", 2, 0, 0, 0);
    dmig_words(&o, "KX", 6);
    o.r.size -= 8;
    table(&o);
    refused(&o, "DMIG: the record ends at word");
    end(&o);

    start(&o, 1, 4, -1);
    block(&o, "CSTM", 1, 1, 0, 0);
    for (int k = 0; k < 14; k++)
        word(&o, 2);
    table(&o);
    key(&o, 1);
    key(&o, 7);
    refused(&o, "record of kind 7; known are 0 table, 1 matrix column");
    end(&o);

    out text = {.b = {.data = (unsigned char *)(uintptr_t)"X 0123456789ABCDEF", .size = 18}};
    refused(&text, "OUTPUT2 written as text");
}
END_TEST

START_TEST(truncation)
{
    out o;
    start(&o, 0, 4, 1);
    bgpdt(&o, 1);
    eqexin(&o);
    uset(&o);
    diagonal(&o, "KGG", 3, 4);
    block(&o, "MATPOOL", 0, 0, 0, 0);
    dmig_words(&o, "KX", 1);
    table(&o);
    block_end(&o);
    int64_t read = 0;
    for (int64_t cut = 1; cut < o.b.size; cut++) {
        unsigned char *copy = malloc((size_t)cut);
        memcpy(copy, o.b.data, (size_t)cut);
        result r;
        read_bytes(&r, copy, (size_t)cut);
        ck_assert(r.s == FB_OK || (r.s == FB_EFORMAT && r.e.msg[0]));
        read += r.s == FB_OK;
        result_free(&r);
        free(copy);
    }
    ck_assert_int_le(read, 6); /* behind the header, and at the ends of the blocks */
    end(&o);
}
END_TEST

START_TEST(no_memory)
{
    out o;
    result r;
    int fails;
    start(&o, 1, 4, 0);
    bgpdt(&o, 0);
    eqexin(&o);
    cstm(&o, 0);
    uset(&o);
    diagonal(&o, "KGG", 3, 4);
    block(&o, "MATPOOL", 0, 0, 0, 0);
    dmig_words(&o, "KX", 1);
    table(&o);
    block_end(&o);
    EVERY_ALLOCATION_FAILS_ONCE(r.s, fails, {
        read_bytes(&r, o.b.data, (size_t)o.b.size);
        result_free(&r);
    });
    ck_assert_int_gt(fails, 30);
    end(&o);
}
END_TEST

Suite *suite_op2(void)
{
    Suite *s = suite_create("op2");
    TCase *t = tcase_create("blocks");
    tcase_set_timeout(t, 60);
    tcase_add_test(t, layouts);
    tcase_add_loop_test(t, modes, 0, 8);
    tcase_add_loop_test(t, stress_of_solids, 0, 12);
    tcase_add_loop_test(t, long_numbers, 0, 2);
    tcase_add_test(t, extdb);
    tcase_add_test(t, groups);
    tcase_add_loop_test(t, elements, 0, 4);
    tcase_add_loop_test(t, rigid_elements, 0, 4);
    tcase_add_test(t, refusals);
    tcase_add_test(t, table_refusals);
    tcase_add_test(t, truncation);
    tcase_add_test(t, no_memory);
    suite_add_tcase(s, t);
    return s;
}
