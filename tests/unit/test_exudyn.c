/* SPDX-License-Identifier: GPL-3.0-or-later */
/* test_exudyn.c - pickles of Python and models of Exudyn, written here opcode by opcode as
 * pickletools.py and NumPy's array_reduce describe them. tests/cli/exudyn-files.sh has the same
 * from Python itself. */
#include "mnfparse/join/assemble.h"
#include "mnfparse/reader.h"
#include "tests/model/near.h"
#include "tests/suites.h"
#include <math.h>

static fb_err e;
static fb_log hush;

typedef struct {
    unsigned char b[16384];
    size_t n;
} out;

static void raw(out *o, const void *p, size_t n)
{
    ck_assert_int_le((int64_t)(o->n + n), (int64_t)sizeof o->b);
    memcpy(o->b + o->n, p, n);
    o->n += n;
}

static void code(out *o, const char *opcodes)
{
    raw(o, opcodes, strlen(opcodes));
}

static void text(out *o, const char *s)
{
    const unsigned char head[2] = {0x8c, (unsigned char)strlen(s)};
    raw(o, head, 2);
    raw(o, s, strlen(s));
}

static void whole(out *o, int k)
{
    const unsigned char b[2] = {'K', (unsigned char)k};
    raw(o, b, 2);
}

static void shape(out *o, int m, int n)
{
    whole(o, m);
    if (n)
        whole(o, n);
    code(o, n ? "\x86" : "\x85");
}

static void dtype(out *o, const char *type, const char *order)
{
    code(o, "cnumpy\ndtype\n");
    text(o, type);
    code(o, "\x89\x88\x87R(K\3");
    text(o, order);
    code(o, "NNNJ\xff\xff\xff\xffJ\xff\xff\xff\xff");
    whole(o, 0);
    code(o, "tb");
}

/* n 0: a vector. */
static void array(out *o, const char *type, int m, int n, const void *data, size_t bytes)
{
    const unsigned char head[5] = {'B', (unsigned char)bytes, (unsigned char)(bytes >> 8), 0, 0};
    code(o, "cnumpy.core.multiarray\n_reconstruct\ncnumpy\nndarray\n");
    whole(o, 0);
    code(o, "\x85"
            "C\1b\x87R(K\1");
    shape(o, m, n);
    dtype(o, type, "<");
    code(o, "\x89");
    raw(o, head, 5);
    raw(o, data, bytes);
    code(o, "tb");
}

/* ---- the model ---------------------------------------------------------------------------- */

enum { NN = 4, NDOF = 12, MOST = 36 };
static const double places[NN * 3] = {0, 0, 0, 1, 0, 0, 0, 2, 0, 0, 0, 3}; /* a row a node */
static const int32_t tetra[4] = {0, 1, 2, 3};

/* Springs of 1, 2, 3 between one node and the next in each direction; masses k + 1. */
static double stiffness(int i, int j)
{
    const int a = i / 3, b = j / 3;
    if (i % 3 != j % 3 || abs(a - b) > 1)
        return 0;
    return a != b ? -fmin(a, b) - 1 : (a > 0 ? a : 0) + (a < NN - 1 ? a + 1 : 0);
}

static double inertia(int i, int j)
{
    return i == j ? i / 3 + 1 : 0;
}

typedef struct {
    int32_t start[NDOF + 1], column[MOST];
    double x[MOST], row[3 * MOST]; /* row, column, value each */
    int n;
} sparse;

static sparse sparse_of(double (*f)(int, int))
{
    sparse t = {.n = 0};
    for (int i = 0; i < NDOF; i++) {
        for (int j = 0; j < NDOF; j++)
            if (fabs(f(i, j)) > 0) {
                t.column[t.n] = j;
                t.row[3 * t.n] = i;
                t.row[3 * t.n + 1] = j;
                t.row[3 * t.n + 2] = f(i, j);
                t.x[t.n++] = f(i, j);
            }
        t.start[i + 1] = t.n;
    }
    return t;
}

static void csr(out *o, double (*f)(int, int), const char *module)
{
    const sparse t = sparse_of(f);
    code(o, "c");
    code(o, module);
    code(o, "\ncsr_matrix\n)\x81}(");
    text(o, "_shape");
    shape(o, NDOF, NDOF);
    text(o, "data");
    array(o, "f8", t.n, 0, t.x, 8 * (size_t)t.n);
    text(o, "indices");
    array(o, "i4", t.n, 0, t.column, 4 * (size_t)t.n);
    text(o, "indptr");
    array(o, "i4", NDOF + 1, 0, t.start, sizeof t.start);
    code(o, "ub");
}

static void nodes(out *o)
{
    code(o, "}");
    text(o, "Position");
    array(o, "f8", NN, 3, places, sizeof places);
    code(o, "s");
}

static void elements(out *o)
{
    code(o, "](}(");
    text(o, "Name");
    text(o, "all");
    text(o, "Tet4");
    array(o, "i4", 1, 4, tetra, sizeof tetra);
    code(o, "ue");
}

/* One as an array, one as a list, which goes to the memo. */
static void sets(out *o)
{
    static const int32_t left[2] = {0, 2};
    code(o, "](}(");
    text(o, "Name");
    text(o, "left");
    text(o, "NodeNumbers");
    array(o, "i4", 2, 0, left, sizeof left);
    code(o, "u}(");
    text(o, "Name");
    text(o, "tip");
    text(o, "NodeNumbers");
    code(o, "](");
    whole(o, 3);
    code(o, "e\x94");
    code(o, "ue");
}

static void pickle(out *o, int protocol, const char *module)
{
    const unsigned char head[2] = {0x80, (unsigned char)protocol};
    *o = (out){.n = 0};
    raw(o, head, 2);
    code(o, "}(");
    text(o, "nodes");
    nodes(o);
    text(o, "elements");
    elements(o);
    text(o, "massMatrix");
    csr(o, inertia, module);
    text(o, "stiffnessMatrix");
    csr(o, stiffness, module);
    text(o, "nodeSets");
    sets(o);
    text(o, "postProcessingModes");
    code(o, "}");
    text(o, "outputVariableType");
    code(o, "cexudyn.exudynCPP\nOutputVariableType\n");
    whole(o, 6);
    code(o, "\x85Rs");
    code(o, "u.");
}

static fb_status parse(const fb_reader *r, const char *name, const void *d, size_t n, fb_parts *p)
{
    return read_exactly(r, name, d, n, p, &hush, &e);
}

static void is_matrix(const fb_matrix *m, fb_role role, double (*f)(int, int))
{
    ck_assert_int_eq(m->role, role);
    ck_assert_int_eq(m->A.m, NDOF);
    for (int i = 0; i < NDOF; i++) {
        ck_assert_int_eq(m->row.node[i], 1 + i / 3);
        ck_assert_int_eq(m->row.component[i], 1 + i % 3);
        for (int j = 0; j < NDOF; j++)
            if (!m->A.upper || i <= j)
                ck_assert_double_eq_tol(entry_at(&m->A, i, j), f(i, j), 1e-300);
    }
}

static void is_model(const fb_parts *p)
{
    ck_assert_int_eq(p->nn, NN);
    for (int k = 0; k < 3 * NN; k++)
        ck_assert_double_eq_tol(p->xyz[k], places[k], 1e-300);
    for (int k = 0; k < NN; k++)
        ck_assert_int_eq(p->node_id[k], k + 1);
    ck_assert_int_eq(p->nmatrix, 2);
    is_matrix(p->matrix, FB_ROLE_MASS, inertia);
    is_matrix(p->matrix + 1, FB_ROLE_STIFFNESS, stiffness);
    ck_assert_int_eq(p->elements.n, 1);
    ck_assert_int_eq(p->elements.topology[0], FB_TETRA4);
    for (int k = 0; k < 4; k++)
        ck_assert_int_eq(p->elements.node[k], k + 1);
    ck_assert_int_eq(p->nset, 2);
    ck_assert_str_eq(p->set[0].name, "left");
    ck_assert_int_eq(p->set[0].n, 2);
    ck_assert_int_eq(p->set[0].node[1], 3);
    ck_assert_str_eq(p->set[1].name, "tip");
    ck_assert_int_eq(p->set[1].node[0], 4);
}

static out o;

START_TEST(a_pickled_model)
{
    fb_parts p = {0};
    pickle(&o, 3 + _i, _i ? "scipy.sparse._csr" : "scipy.sparse.csr");
    char name[] = "m.pkl";
    const fb_input in = {.data = o.b, .size = o.n, .name = name};
    ck_assert_int_eq(fb_reader_pickle.sniff(&in), 1);
    ck_assert_msg(!parse(&fb_reader_pickle, "m.pkl", o.b, o.n, &p), "%s", e.msg);
    is_model(&p);
    fb_parts_free(&p);
    for (size_t cut = 0; cut < o.n; cut++) {
        ck_assert_int_eq(parse(&fb_reader_pickle, "m.pkl", o.b, cut, &p), FB_EFORMAT);
        fb_parts_free(&p);
    }
}
END_TEST

/* Any byte may be any other: refused, or read, and no memory is touched that is not there. */
START_TEST(damaged_pickles)
{
    uint32_t r = 1;
    pickle(&o, 4, "scipy.sparse._csr");
    for (int k = 0; k < 4000; k++) {
        fb_parts p = {0};
        r = r * 1664525 + 1013904223;
        const size_t where = (r >> 8) % o.n;
        const unsigned char was = o.b[where];
        o.b[where] = (unsigned char)(r >> 3);
        fb_status s = parse(&fb_reader_pickle, "m.pkl", o.b, o.n, &p);
        ck_assert_msg(s == FB_OK || s == FB_EFORMAT, "%s", e.msg);
        o.b[where] = was;
        fb_parts_free(&p);
    }
}
END_TEST

/* ---- .npy: arrays one after the other ----------------------------------------------------- */

static void npy(const char *dict)
{
    static const unsigned char magic[] = {0x93, 'N', 'U', 'M', 'P', 'Y', 1, 0};
    const unsigned char n[2] = {(unsigned char)strlen(dict), 0};
    raw(&o, magic, 8);
    raw(&o, n, 2);
    code(&o, dict);
}
#define DICT(type, shape) "{'descr': '" type "', 'fortran_order': False, 'shape': " shape ", } \n"

/* numpy.save of a list or dict: an array of objects, pickled. */
static void begin_object(int list)
{
    npy(list ? DICT("|O", "(1,)") : DICT("|O", "()"));
    code(&o, "\x80\3"
             "cnumpy.core.multiarray\n_reconstruct\ncnumpy\nndarray\n");
    whole(&o, 0);
    code(&o, "\x85"
             "C\1b\x87R(K\1");
    if (list)
        shape(&o, 1, 0);
    else
        code(&o, ")");
    dtype(&o, "O8", "|");
    code(&o, list ? "\x89" : "\x89](");
}

static void end_object(int list)
{
    code(&o, list ? "tb." : "etb.");
}

static void triplets(double (*f)(int, int), const char *name)
{
    const sparse t = sparse_of(f);
    char dict[120];
    if (name) {
        text(&o, name);
        array(&o, "f8", t.n, 3, t.row, 24 * (size_t)t.n);
        return;
    }
    snprintf(dict, sizeof dict, DICT("<f8", "(%d, 3)"), t.n);
    npy(dict);
    raw(&o, t.row, 24 * (size_t)t.n);
}

static void sequence(int version)
{
    const int64_t number = version;
    o = (out){.n = 0};
    if (version) {
        npy(DICT("<i8", "(1,)"));
        raw(&o, &number, 8);
    }
    begin_object(0);
    nodes(&o);
    end_object(0);
    begin_object(1);
    elements(&o);
    end_object(1);
    if (version >= 2) {
        begin_object(0);
        code(&o, "}(");
        triplets(inertia, "massMatrix");
        triplets(stiffness, "stiffnessMatrix");
        code(&o, "u");
        end_object(0);
    } else {
        triplets(inertia, NULL);
        triplets(stiffness, NULL);
    }
    npy(DICT("<f8", "(0,)"));
    begin_object(1);
    sets(&o);
    end_object(1);
    npy(DICT("<f8", "(0,)"));
    begin_object(0);
    code(&o, "}");
    end_object(0);
}

START_TEST(arrays_in_a_row)
{
    static const int versions[] = {0, 1, 2, 4};
    fb_parts p = {0};
    sequence(versions[_i]);
    ck_assert_msg(!parse(&fb_reader_npy, "m.npy", o.b, o.n, &p), "%s", e.msg);
    is_model(&p);
    fb_parts_free(&p);
    for (size_t cut = 1; cut < o.n; cut++) {
        const fb_status s = parse(&fb_reader_npy, "m.npy", o.b, cut, &p);
        ck_assert_msg(s == FB_EFORMAT || (!s && !p.nn), "cut at %zu of %zu", cut, o.n);
        for (int64_t k = 0; k < p.nmatrix; k++) /* behind the first array, a whole file: no model */
            ck_assert_msg(
                s || (p.matrix[k].role != FB_ROLE_STIFFNESS && p.matrix[k].role != FB_ROLE_MASS),
                "cut at %zu of %zu", cut, o.n);
        fb_parts_free(&p);
    }
}
END_TEST

/* numpy.save('K.npy', csr), and a dict of matrices. */
START_TEST(matrices_alone)
{
    fb_parts p = {0};
    o = (out){.n = 0};
    begin_object(0);
    csr(&o, stiffness, "scipy.sparse._csr");
    end_object(0);
    ck_assert_msg(!parse(&fb_reader_npy, "K.npy", o.b, o.n, &p), "%s", e.msg);
    ck_assert_int_eq(p.nmatrix, 1);
    ck_assert_str_eq(p.matrix[0].name, "K");
    ck_assert_double_eq_tol(entry_at(&p.matrix[0].A, 3, 3), 3, 1e-300);
    fb_parts_free(&p);
    o = (out){.n = 0};
    code(&o, "\x80\4}(");
    text(&o, "K");
    csr(&o, stiffness, "scipy.sparse._csr");
    text(&o, "note");
    text(&o, "of a pickle");
    code(&o, "u.");
    ck_assert_msg(!parse(&fb_reader_pickle, "m.pkl", o.b, o.n, &p), "%s", e.msg);
    ck_assert_int_eq(p.nmatrix, 1);
    ck_assert_int_eq(p.matrix[0].role, FB_ROLE_STIFFNESS);
    fb_parts_free(&p);
}
END_TEST

/* ---- refused ------------------------------------------------------------------------------ */

#define ROW(bytes, says) {bytes, sizeof bytes - 1, says}

START_TEST(pickles_that_are_refused)
{
    static const struct {
        const char *b;
        size_t n;
        const char *says;
    } row[] = {
        ROW("\x80\4cos\nsystem\n\x8c\2id\x85R.", "asks for 'system' of 'os', which is not called"),
        ROW("\x80\4\x8c\10builtins\x8c\4eval\x93.", "asks for 'eval' of 'builtins'"),
        ROW("\x80\4cexudynX\nf\n.", "asks for 'f' of 'exudynX'"),
        ROW("\x80\2}.", "protocols 3 to 5 are read"),
        ROW("\x80\4(ios\nsystem\n.", "opcode 0x69 is not one of those that make plain data"),
        ROW("\x80\4\x82\1.", "opcode 0x82"),
        ROW("\x80\4}0.", "opcode 0x30"),
        ROW("\x80\4R.", "a value is wanted on the stack"),
        ROW("\x80\4}}R.", "a call of what cannot be called"),
        ROW("\x80\4}e.", "the stack lacks values, or a mark"),
        ROW("\x80\4}}a.", "items without a list or dict that takes them"),
        ROW("\x80\4}(K\1u.", "items without a list or dict"),
        ROW("\x80\4}q\5.", "a place of the memo that leaves a hole"),
        ROW("\x80\4h\0.", "a place of the memo that is empty"),
        ROW("\x80\4\x8a\x09"
            "123456789.",
            "an integer of more than 8 bytes"),
        ROW("\x80\4X\xff\xff\xff\xff.", "it ends within a value"),
        ROW("\x80\4\x8d\xff\xff\xff\xff\xff\xff\xff\xff.", "it ends within a value"),
        ROW("\x80\4\x95\xff\0\0\0\0\0\0\0.", "a frame is longer than what there is"),
        ROW("\x80\4}}.", "it does not end in one value"),
        ROW("\x80\4cnumpy\nndarray\n)R.", "a call of a class"),
        ROW("\x80\4cnumpy\nndarray\n)\x81.", "an object of a class that is not read"),
        ROW("\x80\4}}b.", "a state that nothing takes"),
        ROW("\x80\4cnumpy.core.multiarray\n_reconstruct\n)R)b.", "whose state is not understood"),
        ROW("\x80\4}.", "no matrix, node or dof table"),
        ROW("\x80\4]\x94h\0a.", "no matrix, node or dof table"), /* a list in itself */
    };
    for (size_t k = 0; k < sizeof row / sizeof *row; k++) {
        fb_parts p = {0};
        ck_assert_int_eq(parse(&fb_reader_pickle, "m.pkl", row[k].b, row[k].n, &p), FB_EFORMAT);
        ck_assert_msg(strstr(e.msg, row[k].says) != NULL, "row %zu: '%s'", k, e.msg);
        fb_parts_free(&p);
    }
}
END_TEST

static void begin_model(void)
{
    o = (out){.n = 0};
    code(&o, "\x80\4}(");
    text(&o, "nodes");
    nodes(&o);
}

static void must_say(const char *says)
{
    fb_parts p = {0};
    code(&o, "u.");
    ck_assert_int_eq(parse(&fb_reader_pickle, "m.pkl", o.b, o.n, &p), FB_EFORMAT);
    ck_assert_msg(strstr(e.msg, says) != NULL, "'%s'", e.msg);
    fb_parts_free(&p);
}

START_TEST(models_that_are_refused)
{
    static const int32_t far[4] = {0, 1, 2, 4};
    static const double entry[3] = {12, 0, 1};
    begin_model();
    text(&o, "elements");
    code(&o, "](}");
    text(&o, "Tet4");
    array(&o, "i4", 1, 4, far, sizeof far);
    code(&o, "se");
    must_say("Tet4 0 of Exudyn's elements has a node 4, there are 4");
    begin_model();
    text(&o, "elements");
    code(&o, "](}");
    text(&o, "Hex8");
    array(&o, "i4", 1, 4, tetra, sizeof tetra);
    code(&o, "se");
    must_say("Exudyn's elements Hex8 have 4 nodes each");
    begin_model();
    text(&o, "nodeSets");
    code(&o, "](}(");
    text(&o, "Name");
    text(&o, "far");
    text(&o, "NodeNumbers");
    code(&o, "](K\4eue");
    must_say("set far of Exudyn names node 4, there are 4");
    begin_model();
    text(&o, "massMatrix");
    array(&o, "f8", 1, 3, entry, sizeof entry);
    must_say("entry 0 of massMatrix is at 12, 0: 4 nodes have the dofs 0 to 11");
    begin_model();
    text(&o, "massMatrix");
    code(&o, "]");
    must_say("massMatrix is neither a csr matrix of SciPy nor rows");
    begin_model();
    for (int k = 0; k < 256; k++) { /* a dict that is searched for each of many elements is small */
        text(&o, "key");
        code(&o, "N");
    }
    must_say("no matrix, node or dof table");
    o = (out){.n = 0};
    code(&o, "\x80\4}(");
    text(&o, "nodes");
    code(&o, "}");
    text(&o, "Position2D");
    array(&o, "f8", 2, 2, places, 32);
    code(&o, "s");
    must_say("Exudyn's nodes are neither 'Position' of three columns nor 'RigidBodyRxyz'");
}
END_TEST

Suite *suite_exudyn(void)
{
    Suite *s = suite_create("exudyn");
    TCase *c = tcase_create("pickles");
    tcase_add_loop_test(c, a_pickled_model, 0, 3);
    tcase_add_test(c, damaged_pickles);
    tcase_add_loop_test(c, arrays_in_a_row, 0, 4);
    tcase_add_test(c, matrices_alone);
    tcase_add_test(c, pickles_that_are_refused);
    tcase_add_test(c, models_that_are_refused);
    suite_add_tcase(s, c);
    return s;
}
