/* SPDX-License-Identifier: GPL-3.0-or-later */
/* mnf.c - Adams modal neutral file, binary, version 6.0 (XDR, double precision).
 *
 * Layout   2580 bytes of header with a content summary, then blocks without marks or lengths in
 *          ascending order. N nodes, M modes; int 4 bytes, real 8 bytes, char one int a character.
 * Law      What the layout is not known for (other versions, blocks never seen) is refused by name
 *          and byte: without lengths, a block that is not understood cannot be stepped over.
 * Source   measured on files written by ANSYS; block numbers as the Adams Flex browser prints them
 */
#include "memory.h"
#include "common.h"
#include "reader.h"
#include <stdlib.h>
#include <string.h>

enum { VERSION_6_XDR_DOUBLE = 0x13c, NSLOT = 100, SUMMARY = 0x884, NSTAT = FB_MNF_STATISTICS };

typedef struct {
    fb_cursor c;
    const fb_input *in;
    fb_model *b;
    fb_log *log;
    int64_t nm; /* modes; -1 until the first block that counts them */
    const char *block;
} state;

/* ---- pieces ----------------------------------------------------------------------------- */

static fb_status text(state *st, char *out, size_t cap, int n, const char *what, fb_err *e)
{
    int ended = 0;
    size_t k = 0;
    for (int q = 0; q < n; q++) {
        int32_t v = 0;
        FB_PASS(fb_get_i32(&st->c, &v, what, e));
        char c = (char)(v & 0xff);
        ended |= c == 0; /* what follows the NUL is uninitialised memory */
        if (!ended && k + 1 < cap)
            out[k++] = (unsigned char)c < 0x20 ? ' ' : c;
    }
    memset(out + k, 0, cap - k);
    return FB_OK;
}

/* n numbers of nodes. */
static fb_status ids(state *st, int64_t *id, int64_t n, const char *what, fb_err *e)
{
    for (int64_t k = 0; k < n; k++) {
        int32_t v = 0;
        FB_PASS(fb_get_i32(&st->c, &v, what, e));
        id[k] = v;
    }
    return FB_OK;
}

static fb_status expect(state *st, int64_t want, const char *what, fb_err *e)
{
    int32_t v = 0;
    size_t at = st->c.pos;
    fb_status s = fb_get_i32(&st->c, &v, what, e);
    if (!s && v != want)
        s = fb_fail(e, FB_EFORMAT, "byte %zu: %s is %d, %lld is wanted", at, what, (int)v,
                    (long long)want);
    return s;
}

static fb_status modes(state *st, size_t bytes, fb_err *e)
{
    size_t at = st->c.pos;
    int64_t n = 0;
    FB_PASS(fb_get_count(&st->c, &n, bytes, "number of modes", e));
    if (st->nm >= 0 && n != st->nm)
        return fb_fail(e, FB_EFORMAT,
                       "byte %zu: number of modes is %lld, an earlier block has %lld", at,
                       (long long)n, (long long)st->nm);
    st->nm = st->b->nm = n;
    return FB_OK;
}

/* Mode numbers stand in several blocks; all must say the same. */
static fb_status mode_number(state *st, int64_t k, fb_err *e)
{
    int32_t v = 0;
    size_t at = st->c.pos;
    if (!st->b->mode_number)
        FB_PASS(fb_new(&st->b->mode_number, st->nm, 8, "mode numbers", e));
    FB_PASS(fb_get_i32(&st->c, &v, "mode number", e));
    if (st->b->mode_number[k] != 0 && st->b->mode_number[k] != v)
        return fb_fail(e, FB_EFORMAT, "byte %zu: mode number %d, an earlier block has %lld", at,
                       (int)v, (long long)st->b->mode_number[k]);
    else if (v <= 0)
        return fb_fail(e, FB_EFORMAT, "byte %zu: mode number %d is not positive", at, (int)v);
    else
        st->b->mode_number[k] = v;
    return FB_OK;
}

/* The nodes of a per-node block are those of block 4, in the same order. */
static fb_status node_is(state *st, int64_t k, fb_err *e)
{
    int32_t v = 0;
    size_t at = st->c.pos;
    fb_status s = fb_get_i32(&st->c, &v, "node number", e);
    if (!s && v != st->b->node_id[k])
        s = fb_fail(e, FB_EFORMAT, "byte %zu: node %d, block 4 has node %lld at place %lld", at,
                    (int)v, (long long)st->b->node_id[k], (long long)k + 1);
    return s;
}

/* The mode's number and six values at n nodes, for every mode. */
static fb_status shapes(state *st, double **x, int64_t n, const char *all, const char *one,
                        fb_err *e)
{
    FB_PASS(fb_need(&st->c, st->nm, 4 + 48 * (size_t)n, all, e));
    FB_PASS(fb_new(x, st->nm * n * 6, 8, all, e));
    for (int64_t k = 0; k < st->nm; k++) {
        FB_PASS(mode_number(st, k, e));
        FB_PASS(fb_get_f64(&st->c, *x + k * n * 6, n * 6, one, e));
        fb_input_done(st->in, st->c.pos);
    }
    return FB_OK;
}

/* A place in block 4, from 0. */
static fb_status place(state *st, int32_t *v, const char *what, const char *told, fb_err *e)
{
    size_t at = st->c.pos;
    FB_PASS(fb_get_i32(&st->c, v, what, e));
    if (*v < 0 || *v >= st->b->nn)
        return fb_fail(e, FB_EFORMAT, "byte %zu: %s %d, there are %lld nodes", at, told, (int)*v,
                       (long long)st->b->nn);
    return FB_OK;
}

/* ---- blocks ----------------------------------------------------------------------------- */

static fb_status coordinates(state *st, fb_err *e) /* int N, int 3, N x [int id, 3 real] */
{
    fb_model *b = st->b;
    FB_PASS(fb_get_count(&st->c, &b->nn, 28, "number of nodes", e));
    FB_PASS(expect(st, 3, "dimension of the coordinates", e));
    FB_PASS(fb_need(&st->c, b->nn, 28, "nodal coordinates", e));
    FB_PASS(fb_new(&b->node_id, b->nn, 8, "node numbers", e));
    FB_PASS(fb_new(&b->xyz, 3 * b->nn, 8, "coordinates", e));
    for (int64_t k = 0; k < b->nn; k++) {
        FB_PASS(ids(st, b->node_id + k, 1, "node number", e));
        FB_PASS(fb_get_f64(&st->c, b->xyz + 3 * k, 3, "coordinates", e));
    }
    if (b->nn == 0)
        return fb_fail(e, FB_EFORMAT, "there are no nodes");
    return FB_OK;
}

/* real mass, cm[3], inertia[9] about the origin */
static fb_status global_body(state *st, fb_err *e)
{
    fb_model *b = st->b;
    FB_PASS(fb_mnf_reference(b, e));
    FB_PASS(fb_get_f64(&st->c, b->ref_mass, 1, "mass", e));
    FB_PASS(fb_get_f64(&st->c, b->ref_com, 3, "centre of mass", e));
    return fb_get_f64(&st->c, b->ref_inertia, 9, "inertia", e);
}

static fb_status eigenvalues(state *st, fb_err *e) /* int M, M x [int mode, 5 real] */
{
    FB_PASS(modes(st, 44, e));
    FB_PASS(fb_new(&st->b->eigen, 5 * st->nm, 8, "eigenvalues", e));
    for (int64_t k = 0; k < st->nm; k++) {
        FB_PASS(mode_number(st, k, e));
        FB_PASS(fb_get_f64(&st->c, st->b->eigen + 5 * k, 5, "eigenvalue", e));
    }
    return FB_OK;
}

/* int M, int N, N x int id, M x [int mode, N x 6 real] */
static fb_status mode_shapes(state *st, fb_err *e)
{
    fb_model *b = st->b;
    FB_PASS(modes(st, 4, e));
    FB_PASS(expect(st, b->nn, "number of nodes with mode shapes", e));
    FB_PASS(fb_need(&st->c, b->nn, 4, "node numbers", e));
    for (int64_t k = 0; k < b->nn; k++)
        FB_PASS(node_is(st, k, e));
    return shapes(st, &b->shape, b->nn, "mode shapes", "mode shape", e);
}

static fb_status nodal_masses(state *st, fb_err *e) /* int N, int 1, N x [int id, real mass] */
{
    fb_model *b = st->b;
    FB_PASS(expect(st, b->nn, "number of nodal masses", e));
    FB_PASS(expect(st, 1, "values per nodal mass", e));
    FB_PASS(fb_need(&st->c, b->nn, 12, "nodal masses", e));
    FB_PASS(fb_new(&b->node_mass, b->nn, 8, "nodal masses", e));
    for (int64_t k = 0; k < b->nn; k++) {
        FB_PASS(node_is(st, k, e));
        FB_PASS(fb_get_f64(&st->c, b->node_mass + k, 1, "nodal mass", e));
    }
    return FB_OK;
}

/* int K, K x [int id, int i, int j, real J_ij], i and j in 4..6. Off-diagonal records were never
 * seen: whether both triangles are stored, and with which sign, is not known. */
static fb_status nodal_inertias(state *st, fb_err *e)
{
    fb_model *b = st->b;
    fb_index x = {0};
    int64_t n = 0;
    fb_status s = FB_OK;
    FB_TRY(fb_get_count(&st->c, &n, 20, "number of nodal inertias", e));
    FB_TRY(fb_new(&b->node_inertia, 9 * b->nn, 8, "nodal inertias", e));
    FB_TRY(fb_index_new(&x, b->node_id, b->nn, "block 4", e));
    for (int64_t k = 0; k < n; k++) {
        int32_t id = 0, i = 0, j = 0;
        size_t at = st->c.pos;
        FB_TRY(fb_get_i32(&st->c, &id, "node number", e));
        FB_TRY(fb_get_i32(&st->c, &i, "inertia index", e));
        FB_TRY(fb_get_i32(&st->c, &j, "inertia index", e));
        int64_t p = fb_index_find(&x, id);
        if (p < 0)
            FB_TRY(fb_fail(e, FB_EFORMAT,
                           "byte %zu: inertia of node %d, which block 4 does not have", at,
                           (int)id));
        if (i != j || i < 4 || i > 6)
            FB_TRY(fb_fail(e, FB_EFORMAT,
                           "byte %zu: inertia J(%d,%d) of node %d: only 4,4 5,5 6,6 are understood",
                           at, (int)i, (int)j, (int)id));
        FB_TRY(fb_get_f64(&st->c, b->node_inertia + 9 * p + 4 * (i - 4), 1, "nodal inertia", e));
    }
out:
    fb_index_free(&x);
    return s;
}

static fb_status units(state *st, fb_err *e) /* 4 strings of 16 characters */
{
    static const char *const what[] = {"unit of mass", "unit of length", "unit of time",
                                       "unit of force"};
    FB_ROWS(what, FB_NUNIT);
    for (int k = 0; k < FB_NUNIT; k++) {
        char name[20];
        FB_PASS(text(st, name, sizeof name, 16, what[k], e));
        for (size_t n = strlen(name); n && name[n - 1] == ' '; n--)
            name[n - 1] = 0;
        fb_mnf_unit(st->b, (fb_unitkind)k, name, st->log);
    }
    return FB_OK;
}

/* int bytes, int 0, int F, int W, F x [int c, c x int index] */
static fb_status faces(state *st, fb_err *e)
{
    fb_model *b = st->b;
    int64_t nf = 0, w = 0;
    int32_t bytes = 0;
    size_t at = st->c.pos;
    FB_PASS(fb_get_i32(&st->c, &bytes, "length of the face block", e));
    FB_PASS(expect(st, 0, "second word of the face block", e));
    FB_PASS(fb_get_count(&st->c, &nf, 4, "number of faces", e));
    FB_PASS(fb_get_count(&st->c, &w, 4, "number of face words", e));
    if (w < nf || bytes != 16 + 4 * w)
        return fb_fail(e, FB_EFORMAT,
                       "byte %zu: %d bytes announced for %lld faces of %lld words, which take %lld",
                       at, (int)bytes, (long long)nf, (long long)w, (long long)(16 + 4 * w));
    b->nf1 = nf + 1;
    b->nfi = w - nf;
    FB_PASS(fb_new(&b->face_offset, b->nf1, 8, "faces", e));
    FB_PASS(fb_new(&b->face_index, b->nfi, 8, "face corners", e));
    int64_t used = 0;
    for (int64_t f = 0; f < nf; f++) {
        int64_t c = 0;
        size_t here = st->c.pos;
        FB_PASS(fb_get_count(&st->c, &c, 4, "corners of a face", e));
        if (c > b->nfi - used)
            return fb_fail(e, FB_EFORMAT,
                           "byte %zu: face %lld has %lld corners, %lld words are left in the block",
                           here, (long long)f + 1, (long long)c, (long long)(b->nfi - used));
        for (int64_t k = 0; k < c; k++) {
            int32_t v = 0;
            FB_PASS(place(st, &v, "face corner", "face corner", e));
            b->face_index[used++] = v;
        }
        b->face_offset[f + 1] = used;
    }
    if (used != b->nfi)
        return fb_fail(e, FB_EFORMAT, "byte %zu: %lld face words announced, %lld found", at,
                       (long long)w, (long long)(used + nf));
    return FB_OK;
}

static fb_status transformation(state *st, fb_err *e) /* int M, M x int mode, M*M real */
{
    FB_PASS(modes(st, 4, e));
    FB_PASS(fb_need(&st->c, st->nm, 4 + 8 * (size_t)st->nm, "mode shape transformation", e));
    FB_PASS(fb_new(&st->b->mode_transform, st->nm * st->nm, 8, "mode shape transformation", e));
    for (int64_t k = 0; k < st->nm; k++)
        FB_PASS(mode_number(st, k, e));
    return fb_get_f64(&st->c, st->b->mode_transform, st->nm * st->nm, "mode shape transformation",
                      e);
}

/* int n, n x int index (0-based place in block 4) */
static fb_status interface_nodes(state *st, fb_err *e)
{
    fb_model *b = st->b;
    int64_t n = 0, *node = NULL;
    fb_status s = FB_OK;
    FB_TRY(fb_get_count(&st->c, &n, 4, "number of interface nodes", e));
    FB_TRY(fb_new(&node, n, 8, "interface nodes", e));
    for (int64_t k = 0; k < n; k++) {
        int32_t v = 0;
        FB_TRY(place(st, &v, "interface node", "interface node index", e));
        node[k] = b->node_id[v];
    }
    s = fb_model_set_connectors(b, node, n, e);
out:
    free(node);
    return s;
}

/* int M, int Ns, Ns x int id, M x [int mode, Ns x 6 real] */
static fb_status modal_stress(state *st, fb_err *e)
{
    fb_model *b = st->b;
    FB_PASS(modes(st, 4, e));
    FB_PASS(fb_get_count(&st->c, &b->ns, 4, "number of nodes with stress", e));
    FB_PASS(fb_new(&b->stress_node, b->ns, 8, "nodes with stress", e));
    FB_PASS(ids(st, b->stress_node, b->ns, "node number", e));
    return shapes(st, &b->stress, b->ns, "modal stress", "modal stress", e);
}

static fb_status statistics(state *st, fb_err *e) /* int M, M x [13 int node, 13 real] */
{
    fb_model *b = st->b;
    FB_PASS(modes(st, 156, e));
    FB_PASS(fb_new(&b->stat_node, st->nm * NSTAT, 8, "statistics", e));
    FB_PASS(fb_new(&b->stat_value, st->nm * NSTAT, 8, "statistics", e));
    for (int64_t k = 0; k < st->nm; k++) {
        FB_PASS(ids(st, b->stat_node + k * NSTAT, NSTAT, "node of a largest value", e));
        FB_PASS(fb_get_f64(&st->c, b->stat_value + k * NSTAT, NSTAT, "largest values", e));
    }
    return FB_OK;
}

/* Slot of the content summary, number in the Adams browser, reader (NULL: layout not known). */
static const struct {
    int slot, number;
    const char *name;
    fb_status (*read)(state *st, fb_err *e);
} blocks[] = {
    {0, 4, "nodal coordinates", coordinates},
    {1, 5, "element topology", NULL},
    {2, 6, "global body properties", global_body},
    {3, 7, "eigenvalues", eigenvalues},
    {4, 8, "mode shapes", mode_shapes},
    {5, 9, "nodal masses", nodal_masses},
    {6, 10, "nodal inertias", nodal_inertias},
    {8, 11, "units", units},
    {9, 12, "generalized stiffness or mass", NULL},
    {10, 12, "generalized stiffness or mass", NULL},
    {11, 13, "generalized stiffness or mass", NULL},
    {12, 14, "element faces", faces},
    {13, 15, "generalized damping", NULL},
    {14, 16, "mode shape transformation", transformation},
    {15, 17, "interface nodes", interface_nodes},
    {16, 18, "modal stress", modal_stress},
    {17, 19, "invariant 1", NULL},
    {18, 20, "invariant 2", NULL},
    {19, 21, "invariant 3", NULL},
    {20, 22, "invariant 4", NULL},
    {21, 23, "invariant 5", NULL},
    {22, 24, "invariant 7", NULL},
    {23, 25, "invariant 8", NULL},
    {24, 26, "invariant 9", NULL},
    {25, 27, "modal preload", NULL},
    {26, 28, "modal loads", NULL},
    {27, 29, "modal strain", NULL},
    {28, 30, "modal statistics", statistics},
    {29, 31, "nodal pre-stress", NULL},
    {30, 32, "nodal pre-strain", NULL},
    {32, 34, "matrix operator", NULL},
    {33, 35, "modal load nodal", NULL},
    {34, 36, "monitor points", NULL},
};
enum { NBLOCK = sizeof blocks / sizeof *blocks };

/* ---- file ------------------------------------------------------------------------------- */

static fb_status header(state *st, int summary[NSLOT], fb_err *e)
{
    fb_model *b = st->b;
    int32_t word = 0;
    FB_PASS(fb_get_i32(&st->c, &word, "version word", e));
    if (word != VERSION_6_XDR_DOUBLE)
        return fb_fail(
            e, FB_EFORMAT,
            "byte 0: version word 0x%x; only 0x13c is understood (version 6.0, platform "
            "independent, double precision): translate the file with the Adams Flex toolkit",
            (unsigned)word);
    FB_PASS(text(st, b->title, sizeof b->title, 128, "title", e));
    FB_PASS(text(st, b->date, sizeof b->date, 32, "date", e));
    FB_PASS(text(st, b->source, sizeof b->source, 128, "input file name", e));
    FB_PASS(text(st, b->producer, sizeof b->producer, 16, "input file type", e));
    for (int k = 0; k < 3; k++)
        FB_PASS(text(st, b->comment[k], sizeof b->comment[k], 80, "comment", e));
    for (int k = 0; k < NSLOT; k++) {
        int32_t v = 0;
        FB_PASS(fb_get_i32(&st->c, &v, "content summary", e));
        if (v != 0 && v != 1)
            return fb_fail(e, FB_EFORMAT,
                           "byte %d: content summary slot %d is %d, 0 or 1 is wanted",
                           SUMMARY + 4 * k, k, (int)v);
        summary[k] = v;
    }
    return FB_OK;
}

/* Every slot that is set must belong to a block that can be read. */
static fb_status check_summary(const int summary[NSLOT], fb_err *e)
{
    for (int k = 0; k < NSLOT; k++) {
        if (!summary[k])
            continue;
        int q = 0;
        while (q < NBLOCK && blocks[q].slot != k)
            q++;
        if (q == NBLOCK)
            return fb_fail(e, FB_EFORMAT,
                           "byte %d: content summary slot %d is set: a block that is not known",
                           SUMMARY + 4 * k, k);
        if (!blocks[q].read)
            return fb_fail(e, FB_EFORMAT,
                           "byte %d: the file holds block %d (%s), whose layout is not known; "
                           "write the file without it",
                           SUMMARY + 4 * k, blocks[q].number, blocks[q].name);
    }
    if (!summary[0])
        return fb_fail(e, FB_EFORMAT, "byte %d: the file has no nodal coordinates (block 4)",
                       SUMMARY);
    if (!summary[3] || !summary[4])
        return fb_fail(e, FB_EFORMAT, "byte %d: the file has no %s: nothing flexible to read",
                       SUMMARY + 4 * (summary[3] ? 4 : 3),
                       summary[3] ? "mode shapes (block 8)" : "eigenvalues (block 7)");
    return FB_OK;
}

static int sniff(const fb_input *in)
{
    const unsigned char *d = in->data;
    /* Versions 5.0 to 6.9, either byte order: those not understood get their own message. */
    return in->size >= 4 && ((!d[0] && !d[1] && d[2] < 16 && d[3] >= 50 && d[3] <= 69) ||
                             (!d[3] && !d[2] && d[1] < 16 && d[0] >= 50 && d[0] <= 69));
}

static fb_status read_mnf(const fb_input *in, fb_parts *p, fb_log *log, fb_err *e)
{
    int summary[NSLOT] = {0};
    state st = {.c = {in->data, in->size, 0, 0}, .in = in, .log = log, .nm = -1};
    FB_PASS(fb_mnf_begin(p, &st.b, "mnf", e));
    FB_PASS(header(&st, summary, e));
    FB_PASS(check_summary(summary, e));
    for (int q = 0; q < NBLOCK; q++)
        if (summary[blocks[q].slot])
            FB_PASS(fb_within(blocks[q].read(&st, e), e, "block %d (%s)", blocks[q].number,
                              blocks[q].name));
    if (st.c.pos != st.c.size)
        return fb_fail(e, FB_EFORMAT, "byte %zu: the last block ends here, %zu bytes follow",
                       st.c.pos, st.c.size - st.c.pos);
    return fb_mnf_finish(st.b, e);
}

const fb_reader fb_reader_mnf = {
    .name = "mnf",
    .doc = "Adams modal neutral file, binary 6.0",
    .sniff = sniff,
    .read = read_mnf,
};
