/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Ansys binary files: written here record by record (tests/model/ansys), and real ones beside the
 * values that an independent reader found in them (data/ansys/REFERENCE.txt). */
#define _DEFAULT_SOURCE /* MAP_NORESERVE */
#include "mnfparse/ansys/binary.h"
#include "mnfparse/join/assemble.h"
#include "mnfparse/reader.h"
#include "tests/model/ansys.h"
#include "tests/suites.h"
#include <math.h>
#include <stdio.h>
#include <sys/mman.h>

typedef struct {
    fb_parts p;
    fb_model b;
    fb_log log;
    fb_err e;
    fb_status s;
} result;

static void read_more(result *r, const fb_reader *rd, const void *d, size_t n, const char *name)
{
    char text[40];
    snprintf(text, sizeof text, "%s", name);
    const fb_input in = {.data = d, .size = n, .name = text};
    if (!r->s)
        r->s = rd->read(&in, &r->p, &r->log, &r->e);
}

static void read_file(result *r, const fb_reader *rd, const fb_buf *b, const char *name)
{
    *r = (result){0};
    read_more(r, rd, b->data, (size_t)b->size, name);
}

static void assemble(result *r)
{
    if (!r->s)
        r->s = fb_parts_assemble(&r->p, &r->b, &r->log, &r->e);
}

static void release(result *r)
{
    fb_parts_free(&r->p);
    fb_model_free(&r->b);
    fb_log_free(&r->log);
}

static void must(const result *r)
{
    ck_assert_msg(r->s == FB_OK, "%s", r->e.msg);
}

static void refused(const result *r, const char *words)
{
    ck_assert_int_eq(r->s, FB_EFORMAT);
    ck_assert_msg(strstr(r->e.msg, words) != NULL, "'%s' lacks '%s'", r->e.msg, words);
}

static void warned(const result *r, const char *words)
{
    for (int64_t k = 0; k < r->log.nwarning; k++)
        if (strstr(r->log.warning[k], words))
            return;
    ck_abort_msg("no warning of '%s' among %d, first: %s", words, (int)r->log.nwarning,
                 r->log.nwarning ? r->log.warning[0] : "none");
}

static double entry(const fb_csc *A, int64_t i, int64_t j)
{
    for (int64_t q = A->p[j > i ? j : i]; q < A->p[(j > i ? j : i) + 1]; q++)
        if (A->i[q] == (j > i ? i : j))
            return A->x[q];
    return 0;
}

/* ---- .full -------------------------------------------------------------------------------- */

/* A planar beam of two elements, L = 1, EI = 1, EA = 100, at nodes 30, 10, 20 in this order; K and
 * M = diag(1 .. 9), its dofs UX UY ROTZ. */
enum { BEAM = 9 };
static const int64_t beam_node[] = {30, 10, 20}, three[] = {3, 3, 3}, planar[] = {1, 2, 6},
                     beam_index[] = {1, 2, 3, 1, 2, 3, 1, 2, 3};
static const double beam_xyz[3][3] = {{0, 0, 0}, {1, 0, 0}, {2, 0, 0}};
static double beam_K[BEAM * BEAM], beam_M[BEAM * BEAM];

static void make_beam(void)
{
    const double k[6][6] = {{100, 0, 0, -100, 0, 0}, {0, 12, 6, 0, -12, 6},   {0, 6, 4, 0, -6, 2},
                            {-100, 0, 0, 100, 0, 0}, {0, -12, -6, 0, 12, -6}, {0, 6, 2, 0, -6, 4}};
    memset(beam_K, 0, sizeof beam_K);
    memset(beam_M, 0, sizeof beam_M);
    for (int q = 0; q < 2; q++)
        for (int i = 0; i < 6; i++)
            for (int j = 0; j < 6; j++)
                beam_K[(3 * q + i) * BEAM + 3 * q + j] += k[i][j];
    for (int i = 0; i < BEAM; i++)
        beam_M[i * BEAM + i] = 1 + i;
}

static test_ans_matrices beam(void)
{
    make_beam();
    return (test_ans_matrices){.nodes = 3,
                               .n = BEAM,
                               .nlist = 3,
                               .free = BEAM,
                               .node = beam_node,
                               .each = three,
                               .list = planar,
                               .index = beam_index,
                               .K = beam_K,
                               .M = beam_M,
                               .kan = 2};
}

static void place_beam(result *r)
{
    for (int k = 0; k < 3 && !r->s; k++)
        r->s = fb_parts_node(&r->p, beam_node[k], beam_xyz[k], NULL, &r->e);
}

/* The third dof is ROTZ, component 6: labels are places in the list of dofs. */
START_TEST(labels_are_places_in_the_list)
{
    fb_buf b = {0};
    result r;
    const test_ans_matrices m = beam();
    test_ans_full(&b, &m);
    read_file(&r, &fb_reader_ansys_full, &b, "beam.full");
    place_beam(&r);
    assemble(&r);
    must(&r);
    ck_assert_int_eq(r.b.ndof, BEAM);
    for (int64_t d = 0; d < BEAM; d++) {
        ck_assert_int_eq(r.b.dof_node[d], beam_node[d / 3]);
        ck_assert_int_eq(r.b.dof_component[d], planar[d % 3]);
        for (int64_t c = 0; c < BEAM; c++) {
            ck_assert_double_eq(entry(&r.b.K, d, c), beam_K[d * BEAM + c]);
            ck_assert_double_eq(entry(&r.b.M, d, c), beam_M[d * BEAM + c]);
        }
    }
    ck_assert_str_eq(r.b.producer, "Ansys 20.1");
    ck_assert_str_eq(r.b.date, "2024-02-29 12:34:56");
    ck_assert_str_eq(r.b.title, "a model of the tests");
    ck_assert_int_eq(r.log.nwarning, 0);
    release(&r);
    fb_buf_free(&b);
}
END_TEST

/* Zeros that are stored say nothing. */
START_TEST(zeros_say_nothing)
{
    fb_buf b = {0};
    result r;
    test_ans_matrices m = beam();
    m.zeros = 1;
    test_ans_full(&b, &m);
    read_file(&r, &fb_reader_ansys_full, &b, "beam.full");
    place_beam(&r);
    ck_assert_int_eq(r.p.matrix[0].stored, BEAM * (BEAM + 1) / 2);
    assemble(&r);
    must(&r);
    ck_assert_int_eq(r.b.K.p[BEAM],
                     9 + 2 + 10); /* diagonal; stretching; bending, 6 - 6 in the middle */
    release(&r);
    fb_buf_free(&b);
}
END_TEST

START_TEST(coordinates_are_asked_for)
{
    fb_buf b = {0};
    result r;
    const test_ans_matrices m = beam();
    test_ans_full(&b, &m);
    read_file(&r, &fb_reader_ansys_full, &b, "beam.full");
    assemble(&r);
    must(&r);
    warned(&r, "a .full has no coordinates: name the .rst or .cdb");
    release(&r);
    fb_buf_free(&b);
}
END_TEST

/* Node 30 held: ones in K, M as it was. Total mass in x 1 + 4 + 7, of which 4 + 7 can move. */
static test_ans_matrices held_beam(int64_t index[BEAM], double imposed[BEAM])
{
    test_ans_matrices m = beam();
    for (int k = 0; k < BEAM; k++) {
        index[k] = k < 3 ? -beam_index[k] : beam_index[k];
        imposed[k] = 0;
        for (int c = 0; c < 3; c++)
            beam_K[k * BEAM + c] = beam_K[c * BEAM + k] = k == c;
    }
    m.index = index;
    m.imposed = imposed;
    m.free = 6;
    return m;
}

START_TEST(held_dofs_are_told)
{
    fb_buf b = {0};
    result r;
    int64_t index[BEAM];
    double imposed[BEAM];
    const test_ans_matrices m = held_beam(index, imposed);
    test_ans_full(&b, &m);
    read_file(&r, &fb_reader_ansys_full, &b, "beam.full");
    place_beam(&r);
    assemble(&r);
    must(&r);
    ck_assert_int_eq(r.b.ndof, 6);
    ck_assert_int_eq(r.b.na, 9);
    ck_assert_int_eq(r.b.all_class[2], FB_DOF_FIXED);
    ck_assert_double_eq_tol(r.b.total_mass[0], 12, 1e-12);
    warned(&r, "3 dofs are held in the input");
    warned(&r, "of its mass 12 in x 11 can move");
    ck_assert_int_eq(r.log.nwarning, 1); /* not that K resists rigid motion as well */
    ck_assert_int_eq(r.b.nk, 3);
    ck_assert_int_eq(r.b.check_kind[0], FB_CHECK_HELD);
    release(&r);
    imposed[1] = 0.25;
    test_ans_full(&b, &m);
    read_file(&r, &fb_reader_ansys_full, &b, "beam.full");
    must(&r);
    warned(&r, "1 held dofs have a value other than 0 imposed");
    release(&r);
    fb_buf_free(&b);
}
END_TEST

/* 2^100 is imposed where no element knows the dof: it is none of the model. */
START_TEST(no_value_is_no_dof)
{
    fb_buf b = {0};
    result r;
    int64_t index[BEAM];
    double imposed[BEAM];
    test_ans_matrices m = held_beam(index, imposed);
    for (int k = 0; k < 3; k++) {
        imposed[k] = ANS_NO_VALUE;
        beam_M[k * BEAM + k] = 0;
    }
    beam_K[0] = 0; /* their diagonal may be 0 */
    test_ans_full(&b, &m);
    read_file(&r, &fb_reader_ansys_full, &b, "beam.full");
    assemble(&r);
    must(&r);
    ck_assert_int_eq(r.b.ndof, 6);
    ck_assert_int_eq(r.b.na, 0);
    ck_assert_int_eq(r.b.dof_node[0], 10);
    release(&r);
    beam_M[0] = 1;
    test_ans_full(&b, &m);
    read_file(&r, &fb_reader_ansys_full, &b, "beam.full");
    refused(&r, "but 30.1 is of no element");
    release(&r);
    fb_buf_free(&b);
}
END_TEST

/* What is held may be joined in M, not in K. */
START_TEST(held_rows_of_K_are_cut)
{
    fb_buf b = {0};
    result r;
    int64_t index[BEAM];
    double imposed[BEAM];
    const test_ans_matrices m = held_beam(index, imposed);
    beam_M[3 * BEAM] = beam_M[3] = 0.5;
    test_ans_full(&b, &m);
    read_file(&r, &fb_reader_ansys_full, &b, "beam.full");
    place_beam(&r);
    assemble(&r);
    must(&r);
    ck_assert_double_eq_tol(r.b.total_mass[0], 13, 1e-12);
    release(&r);
    beam_K[3 * BEAM] = beam_K[3] = 0.5;
    test_ans_full(&b, &m);
    read_file(&r, &fb_reader_ansys_full, &b, "beam.full");
    refused(&r, "dofs 10.1 and 30.1 are joined by 0.5, but 30.1 is held");
    release(&r);
    fb_buf_free(&b);
}
END_TEST

/* ---- constraint equations ----------------------------------------------------------------- */

/* Four masses 1, 2, 3, 4 in x; springs 5, 6, 7, 8 in a ring. u_4 = a u_2 + (1 - a) u_3: K and M are
 * T'K0T and T'M0T, by loops here, with rows of the slave as Ansys has them. */
enum { RING = 4 };
static double ring_K[RING * RING], ring_M[RING * RING], reduced_K[9], reduced_M[9];
static const int64_t ring_node[] = {1, 2, 3, 4}, ones[] = {1, 1, 1, 1, 1, 1, 1, 1, 1};
static const test_ans_equation follows = {.slave = 4, .n = 2, .row = {2, 3}, .a = {0.25, 0.75}};

static test_ans_matrices ring(void)
{
    const double T[RING][3] = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}, {0, 0.25, 0.75}};
    double K0[RING][RING] = {{0}};
    for (int k = 0; k < RING; k++) {
        const int to = (k + 1) % RING;
        K0[k][k] += 5 + k;
        K0[to][to] += 5 + k;
        K0[k][to] -= 5 + k;
        K0[to][k] -= 5 + k;
    }
    memset(reduced_K, 0, sizeof reduced_K);
    memset(reduced_M, 0, sizeof reduced_M);
    for (int i = 0; i < 9; i++)
        for (int a = 0; a < RING; a++)
            for (int c = 0; c < RING; c++) {
                reduced_K[i] += T[a][i / 3] * K0[a][c] * T[c][i % 3];
                reduced_M[i] += a == c ? T[a][i / 3] * (1 + a) * T[c][i % 3] : 0;
            }
    memset(ring_K, 0, sizeof ring_K);
    memset(ring_M, 0, sizeof ring_M);
    for (int i = 0; i < 9; i++) {
        ring_K[i / 3 * RING + i % 3] = reduced_K[i];
        ring_M[i / 3 * RING + i % 3] = reduced_M[i];
    }
    ring_K[RING * RING - 1] = 1;
    return (test_ans_matrices){.nodes = RING,
                               .n = RING,
                               .nlist = 1,
                               .free = 3,
                               .node = ring_node,
                               .each = ones,
                               .list = ones,
                               .index = ones,
                               .K = ring_K,
                               .M = ring_M,
                               .kan = 2,
                               .nequation = 1,
                               .equation = &follows};
}

START_TEST(equations_are_followed)
{
    fb_buf b = {0};
    result r;
    const test_ans_matrices m = ring();
    test_ans_full(&b, &m);
    read_file(&r, &fb_reader_ansys_full, &b, "ring.full");
    assemble(&r);
    must(&r);
    ck_assert_int_eq(r.b.ndof, 3);
    ck_assert_int_eq(r.b.na, 4);
    for (int i = 0; i < 9; i++) {
        ck_assert_double_eq(entry(&r.b.K, i / 3, i % 3), reduced_K[i]);
        ck_assert_double_eq(entry(&r.b.M, i / 3, i % 3), reduced_M[i]);
    }
    for (int c = 0; c < 3; c++) { /* x_all = G x */
        double g[RING] = {0};
        for (int64_t q = r.b.G.p[c]; q < r.b.G.p[c + 1]; q++)
            g[r.b.G.i[q]] = r.b.G.x[q];
        for (int d = 0; d < 3; d++)
            ck_assert_double_eq(g[d], d == c);
        ck_assert_double_eq(g[3], c == 1 ? 0.25 : c == 2 ? 0.75 : 0);
    }
    ck_assert_int_eq(r.b.all_class[3], FB_DOF_PHYSICAL);
    warned(&r, "1 dofs follow others by constraint equations: the mass is taken to be condensed");
    ck_assert_int_eq(r.b.nk, 0); /* the slave is no dof without stiffness and mass */
    ck_assert_double_eq_tol(r.b.total_mass[0], 10, 1e-13); /* rigid motion obeys the equation */
    release(&r);
    fb_buf_free(&b);
}
END_TEST

/* The equation is along the axes of the nodes. Nodes 1 and 2 with UX UY UZ; node 1 is turned by 90
 * degrees about z, so that its x is the basic y: u_2x = u_1y. */
START_TEST(equations_turn_with_their_nodes)
{
    static const int64_t node[] = {1, 2}, each[] = {3, 3}, list[] = {1, 2, 3},
                         index[] = {1, 2, 3, 1, 2, 3};
    static const test_ans_equation same = {.slave = 4, .n = 1, .row = {1}, .a = {1}};
    const double F[9] = {0, -1, 0, 1, 0, 0, 0, 0, 1}, xyz[3] = {0, 0, 0}, far[3] = {1, 0, 0};
    double K[36] = {0}, M[36] = {0};
    for (int k = 0; k < 6; k++) {
        K[7 * k] = k == 3 ? 1 : 2 + k;
        M[7 * k] = k == 3 ? 0 : 1;
    }
    const test_ans_matrices m = {.nodes = 2,
                                 .n = 6,
                                 .nlist = 3,
                                 .free = 5,
                                 .node = node,
                                 .each = each,
                                 .list = list,
                                 .index = index,
                                 .K = K,
                                 .M = M,
                                 .kan = 2,
                                 .nequation = 1,
                                 .equation = &same};
    fb_buf b = {0};
    result r;
    test_ans_full(&b, &m);
    read_file(&r, &fb_reader_ansys_full, &b, "two.full");
    r.s = fb_parts_node(&r.p, 1, xyz, F, &r.e);
    r.s = r.s ? r.s : fb_parts_node(&r.p, 2, far, NULL, &r.e);
    assemble(&r);
    must(&r);
    ck_assert_int_eq(r.b.ndof, 5);
    ck_assert_double_eq(entry(&r.b.K, 0, 0), 3); /* basic x of node 1 is -y of its own */
    ck_assert_double_eq(entry(&r.b.K, 1, 1), 2);
    for (int64_t c = 0; c < 5; c++)
        for (int64_t q = r.b.G.p[c]; q < r.b.G.p[c + 1]; q++)
            if (r.b.G.i[q] == 3)
                ck_assert(c == 1 && r.b.G.x[q] == 1);
    ck_assert_int_eq(r.b.G.p[2] - r.b.G.p[1], 2);
    release(&r);
    fb_buf_free(&b);
}
END_TEST

START_TEST(equations_that_are_not_understood)
{
    fb_buf b = {0};
    result r;
    test_ans_matrices m = ring();
    test_ans_equation q = follows;
    m.equation = &q;
    q.constant = 2;
    test_ans_full(&b, &m);
    read_file(&r, &fb_reader_ansys_full, &b, "ring.full");
    must(&r);
    warned(&r, "1 constraint equations have a constant");
    release(&r);
    q = (test_ans_equation){.slave = 4, .n = 2, .row = {2, 4}, .a = {0.25, 0.75}};
    test_ans_full(&b, &m);
    read_file(&r, &fb_reader_ansys_full, &b, "ring.full");
    assemble(&r);
    refused(&r, "dof 4.1 is the slave of a constraint equation and a term of another");
    release(&r);
    q = (test_ans_equation){.slave = 4, .n = 1, .row = {5}, .a = {1}};
    test_ans_full(&b, &m);
    read_file(&r, &fb_reader_ansys_full, &b, "ring.full");
    refused(&r, "row 5 of 4");
    release(&r);
    q = (test_ans_equation){.slave = 9, .n = 1, .row = {1}, .a = {1}};
    test_ans_full(&b, &m);
    read_file(&r, &fb_reader_ansys_full, &b, "ring.full");
    refused(&r, "slave row 9 of 4");
    release(&r);
    q = follows;
    ring_M[3] = ring_M[3 * RING] = 1; /* a mass that is not reduced, or is it? */
    test_ans_full(&b, &m);
    read_file(&r, &fb_reader_ansys_full, &b, "ring.full");
    refused(&r, "but 4.1 is the slave of a constraint equation");
    release(&r);
    m = ring();
    m.free = 4;
    test_ans_full(&b, &m);
    read_file(&r, &fb_reader_ansys_full, &b, "ring.full");
    refused(&r,
            "announces 4 rows in the solution, the dof table and the constraint equations leave 3");
    release(&r);
    fb_buf_free(&b);
}
END_TEST

/* ---- what is not read --------------------------------------------------------------------- */

START_TEST(forms_that_are_not_known)
{
    static const struct {
        int item;
        int64_t value;
        const char *words;
    } no[] = {{1, 5, "frontal assembly"},
              {1, -3, "assembly of an unknown form"},
              {11, 1, "lumped mass matrix"},
              {14, 1, "unsymmetric matrices"},
              {15, 3, "reduced solution"},
              {15, 4, "unsymmetric or damped solution"},
              {16, 1, "superelements"},
              {63, 1, "one domain of a distributed solution"},
              {5, 7, "substructure generation"},
              {5, 3, "harmonic or transient"},
              {2, 8, "dofs of the nodes"},
              {2, 0, "no rows"},
              {2, -1, "announces -1 rows"},
              {7, 1000000, "announces 1000000 nodes"},
              {8, 2, "list of dofs: the record"},
              {9, 5, "the header announces 5"},
              {20, 1, "a record at word 4294967"},
              {38, 9, "what follows begins at 9"}};
    const test_ans_matrices m = beam();
    for (size_t k = 0; k < sizeof no / sizeof *no; k++) {
        fb_buf b = {0};
        result r;
        test_ans_full(&b, &m);
        test_ans_item(&b, no[k].item, no[k].value);
        read_file(&r, &fb_reader_ansys_full, &b, "beam.full");
        if (no[k].item == 2 && no[k].value == 8) /* one row less than the table has */
            ck_assert_int_eq(r.s, FB_EFORMAT);
        else
            refused(&r, no[k].words);
        release(&r);
        fb_buf_free(&b);
    }
}
END_TEST

/* The diagonals stand in the file twice. */
START_TEST(diagonals_are_compared)
{
    const test_ans_matrices m = beam();
    fb_buf b = {0};
    result r;
    test_ans_full(&b, &m);
    int32_t at;
    memcpy(&at, b.data + 4 * (105 + 53), 4); /* item 54 */
    b.data[4 * (at + 2) + 6] ^= 1;
    read_file(&r, &fb_reader_ansys_full, &b, "beam.full");
    refused(&r, "K: the diagonal of row 1 (dof 30.1) is 100");
    release(&r);
    fb_buf_free(&b);
}
END_TEST

START_TEST(static_and_buckling)
{
    test_ans_matrices m = beam();
    fb_buf b = {0};
    result r;
    m.M = NULL;
    m.kan = 0;
    test_ans_full(&b, &m);
    read_file(&r, &fb_reader_ansys_full, &b, "beam.full");
    assemble(&r);
    must(&r);
    ck_assert_ptr_null(r.b.M.p);
    warned(&r, "no mass matrix");
    release(&r);
    m = beam();
    m.kan = 1;
    test_ans_full(&b, &m);
    read_file(&r, &fb_reader_ansys_full, &b, "beam.full");
    must(&r);
    ck_assert_int_eq(r.p.nmatrix, 2);
    ck_assert_str_eq(r.p.matrix[1].name, "S");
    ck_assert_int_eq(r.p.matrix[1].role, FB_ROLE_OTHER);
    warned(&r, "stress stiffness, the matrix S, which is not used");
    release(&r);
    fb_buf_free(&b);
}
END_TEST

/* Damping is read as the others are, because the table of its diagonal proves it. */
START_TEST(damping_proves_itself)
{
    test_ans_matrices m = beam();
    fb_buf b = {0};
    result r;
    m.C = beam_M;
    test_ans_full(&b, &m);
    read_file(&r, &fb_reader_ansys_full, &b, "beam.full");
    place_beam(&r);
    assemble(&r);
    must(&r);
    ck_assert_double_eq(entry(&r.b.D, 4, 4), 5);
    release(&r);
    test_ans_item(&b, 58, 0);
    read_file(&r, &fb_reader_ansys_full, &b, "beam.full");
    refused(&r, "the damping matrix has no table of its diagonal");
    release(&r);
    fb_buf_free(&b);
}
END_TEST

/* ---- headers and records ------------------------------------------------------------------ */

START_TEST(byte_orders_and_kinds)
{
    const test_ans_matrices m = beam();
    fb_buf b = {0};
    result r;
    test_ans_full(&b, &m);
    fb_input in = {.data = b.data, .size = (size_t)b.size};
    ck_assert_int_eq(ans_sniff(&in, ANS_FULL), 1);
    ck_assert_int_eq(ans_sniff(&in, ANS_RST), 0);
    ck_assert_str_eq(ans_foreign(&in), "matrices of Ansys");
    test_ans_standard(&b, 1, 2);
    ck_assert_str_eq(ans_foreign(&in), "element matrices of Ansys");
    test_ans_standard(&b, 1, 99);
    ck_assert_ptr_null(ans_foreign(&in));
    test_ans_standard(&b, 1, 4);
    for (int64_t k = 0; k < b.size / 4; k++) {
        unsigned char t[4];
        memcpy(t, b.data + 4 * k, 4);
        for (int q = 0; q < 4; q++)
            b.data[4 * k + q] = t[3 - q];
    }
    ck_assert_int_eq(ans_sniff(&in, ANS_FULL), 1);
    read_file(&r, &fb_reader_ansys_full, &b, "beam.full");
    refused(&r, "big-endian");
    release(&r);
    fb_buf_free(&b);
}
END_TEST

/* Item 5 of the standard header is what /UNITS declared. */
START_TEST(units_are_those_declared)
{
    static const struct {
        int64_t item;
        const char *length;
    } say[] = {{1, "m"},  {2, "cm"},     {3, "ft"},     {4, "in"},     {5, "m"},
               {6, "mm"}, {0, "length"}, {7, "length"}, {-1, "length"}};
    const test_ans_matrices m = beam();
    for (size_t k = 0; k < sizeof say / sizeof *say; k++) {
        fb_buf b = {0};
        result r;
        test_ans_full(&b, &m);
        test_ans_standard(&b, 5, say[k].item);
        read_file(&r, &fb_reader_ansys_full, &b, "beam.full");
        assemble(&r);
        must(&r);
        ck_assert_str_eq(r.b.units.name[FB_LENGTH], say[k].length);
        release(&r);
        fb_buf_free(&b);
    }
}
END_TEST

/* One record by itself, its body from words and reals. */
typedef struct {
    fb_buf file, body;
    ans_file f;
    ans_record r;
    fb_err e;
} lone;

static fb_status decode(lone *x, unsigned flags, double *v, int64_t n)
{
    test_ans_begin(&x->file, 4, 100);
    const int64_t at = test_ans_record(&x->file, flags, &x->body);
    const fb_input in = {.data = x->file.data, .size = (size_t)x->file.size};
    x->body.size = 0;
    fb_status s = ans_open(&x->f, &in, &x->e);
    s = s ? s : ans_record_at(&x->f, at, "record", &x->r, &x->e);
    int64_t whole[40];
    if (s || !ans_is_int(&x->r))
        return s ? s : ans_reals(&x->r, "record", v, n, &x->e);
    s = ans_ints(&x->r, "record", whole, n, &x->e);
    for (int64_t k = 0; !s && k < n; k++)
        v[k] = (double)whole[k];
    return s;
}

static void words(lone *x, const int64_t *v, int n)
{
    x->body.little = 1;
    for (int k = 0; k < n; k++)
        fb_put_i32(&x->body, v[k]);
}

static void reals(lone *x, const double *v, int n)
{
    fb_put_f64(&x->body, v, n);
}

static void same(const double *v, const double *want, int n)
{
    for (int k = 0; k < n; k++)
        ck_assert_msg(v[k] == want[k], "item %d: %g, %g is wanted", k, v[k], want[k]);
}

START_TEST(packed_records)
{
    lone x = {.f = {0}};
    double v[12];
    /* bits: items 0 and 2 of 3 */
    words(&x, (const int64_t[]){3, 5}, 2);
    reals(&x, (const double[]){1.5, -2}, 2);
    ck_assert_int_eq(decode(&x, 0x08, v, 3), FB_OK);
    same(v, (const double[]){1.5, 0, -2}, 3);
    /* short integers by bits: 7 and -1, one word */
    words(&x, (const int64_t[]){4, 10, (int64_t)(int32_t)0xffff0007}, 3);
    ck_assert_int_eq(decode(&x, 0xc8, v, 4), FB_OK);
    same(v, (const double[]){0, 7, 0, -1}, 4);
    /* windows: three items from 0, one at 4, two times 9 from 6 */
    words(&x, (const int64_t[]){10, 3, 0, 3, 1, 2, 3, 4, 8, -6, -2, 9}, 12);
    ck_assert_int_eq(decode(&x, 0x90, v, 10), FB_OK);
    same(v, (const double[]){1, 2, 3, 0, 8, 0, 9, 9, 0, 0}, 10);
    /* single precision in windows: 1.5 at 1 */
    words(&x, (const int64_t[]){2, 1, 1, 0x3fc00000}, 4);
    ck_assert_int_eq(decode(&x, 0x50, v, 2), FB_OK);
    same(v, (const double[]){0, 1.5}, 2);
    /* blocks: two rows of 2 + 1 columns; the group of two 1 2 3 4, the other one 0 and 5 */
    words(&x, (const int64_t[]){6, 2, 2, 1, 1, 0, 4, 1, 2, 3, 4, 1, 1, 5}, 14);
    ck_assert_int_eq(decode(&x, 0x98, v, 6), FB_OK);
    same(v, (const double[]){1, 2, 0, 3, 4, 5}, 6);
    /* short integers, one of padding */
    words(&x, (const int64_t[]){0x00020001, 3}, 2);
    ck_assert_int_eq(decode(&x, 0xc0, v, 3), FB_OK);
    same(v, (const double[]){1, 2, 3}, 3);
    fb_buf_free(&x.file);
    fb_buf_free(&x.body);
}
END_TEST

START_TEST(packed_records_that_lie)
{
    static const struct {
        unsigned flags;
        int n;
        int64_t w[8];
        int words;
        const char *says;
    } bad[] = {{0x88, 3, {3, 7, 1}, 3, "does not unpack"},
               {0x88, 3, {2, 3, 1, 2}, 4, "has 2 items, 3 are wanted"},
               {0x88, 40, {40, 1, 1}, 3, "does not unpack"},
               {0x90, 4, {4, 1, 0, 5, 1, 1, 1, 1}, 8, "does not unpack"},
               {0x90, 4, {4, 1, 5, 1}, 4, "does not unpack"},
               {0x90, 4, {4, 1, -4, 1, 1}, 5, "does not unpack"},
               {0x90, 4, {4, 1, 0, 0}, 4, "does not unpack"},
               {0x90, 4, {4, 1, 0, -5, 1}, 5, "does not unpack"},
               {0x90, 4, {4, 1, INT32_MIN, 1, 1}, 5, "does not unpack"},
               {0x90, 4, {4, 1, 0, INT32_MIN, 1}, 5, "does not unpack"},
               {0x90, 4, {4, -1}, 2, "does not unpack"},
               {0x90, 4, {4}, 1, "does not unpack"},
               {0x90, 4, {-4, 0}, 2, "is packed and has no count"},
               {0x90, 0, {0}, 0, "is packed and has no count"},
               {0x98, 4, {4, 0}, 2, "does not unpack"},
               {0x98, 4, {4, 2, 3, 0}, 4, "does not unpack"},
               {0x98, 4, {4, 1, 3, 0}, 4, "does not unpack"},
               {0xd0, 4, {4, 0}, 2, "short integers in windows"},
               {0xa0, 1, {1}, 1, "compressed by zlib"},
               {0x80, 3, {1, 2}, 2, "has 2 items, 3 are wanted"}};
    for (size_t k = 0; k < sizeof bad / sizeof *bad; k++) {
        lone x = {.f = {0}};
        double v[40];
        words(&x, bad[k].w, bad[k].words);
        ck_assert_msg(decode(&x, bad[k].flags, v, bad[k].n) == FB_EFORMAT, "record %d", (int)k);
        ck_assert_msg(strstr(x.e.msg, bad[k].says) != NULL, "record %d: %s", (int)k, x.e.msg);
        fb_buf_free(&x.file);
        fb_buf_free(&x.body);
    }
}
END_TEST

/* A pointer's high word counts: K 2^32 words into a file of 17 GB, most of which is not there. */
START_TEST(high_words_of_pointers)
{
    const int32_t h[3] = {-2, 1, 3};
    ck_assert(ans_pointer(h, 1, 2) == INT64_C(0x1fffffffe));
    ck_assert(ans_pointer(h, 1, 0) == INT64_C(0xfffffffe));
    const test_ans_matrices m = beam();
    fb_buf b = {0};
    int32_t from, to;
    test_ans_full(&b, &m);
    memcpy(&from, b.data + 4 * (105 + 18), 4);
    memcpy(&to, b.data + 4 * (105 + 37), 4);
    const int64_t far = INT64_C(1) << 32, words_of = far + b.size / 4;
    unsigned char *data = mmap(NULL, (size_t)words_of * 4, PROT_READ | PROT_WRITE,
                               MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (data == MAP_FAILED) { /* a machine with a limit of address space */
        fb_buf_free(&b);
        return;
    }
    test_ans_item(&b, 20, 1);
    test_ans_item(&b, 39, 1);
    memcpy(data, b.data, (size_t)b.size);
    memset(data + 4 * from, 0, 4 * (size_t)(to - from)); /* K is not there any more */
    memcpy(data + 4 * (far + from), b.data + 4 * from, (size_t)b.size - 4 * (size_t)from);
    result r = {0};
    read_more(&r, &fb_reader_ansys_full, data, (size_t)words_of * 4, "far.full");
    must(&r);
    ck_assert_double_eq(entry(&r.p.matrix[0].A, 1, 1), 12);
    release(&r);
    munmap(data, (size_t)words_of * 4);
    fb_buf_free(&b);
}
END_TEST

/* ---- results ------------------------------------------------------------------------------ */

/* A block of one hexahedron, nodes 8 7 .. 1, node 8 turned by 30 degrees about z; two modes in UX
 * and UY. */
static const int64_t block_node[] = {8, 7, 6, 5, 4, 3, 2, 1}, xy[] = {1, 2},
                     block_element[] = {1, 2, 3, 4, 5, 6, 7, 8};
static const double block_place[8 * 6] = {0, 1, 1, 30, 0, 0, 1, 1, 1, 0, 0, 0, 1, 0, 1, 0,
                                          0, 0, 0, 0,  1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 1,
                                          0, 0, 0, 0,  1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0};
static double block_shape[2 * 8 * 2];
static const double block_hz[] = {3, 7.5};

static test_ans_results block(void)
{
    for (int k = 0; k < 32; k++)
        block_shape[k] = k % 5 - 1.5;
    return (test_ans_results){.nodes = 8,
                              .node = block_node,
                              .place = block_place,
                              .nelm = 1,
                              .per = 8,
                              .element = block_element,
                              .type = 185,
                              .nlist = 2,
                              .list = xy,
                              .nsets = 2,
                              .hz = block_hz,
                              .shape = block_shape,
                              .kan = 2,
                              .component = "ENDS"};
}

static void check_block(const result *r)
{
    const double c = cos(M_PI / 6), s = sin(M_PI / 6);
    ck_assert_int_eq(r->b.nn, 8);
    ck_assert_int_eq(r->b.nm, 2);
    ck_assert_int_eq(r->b.mode_number[1], 2);
    for (int k = 0; k < 2; k++) {
        ck_assert_double_eq_tol(r->b.eigen[5 * k + 1], block_hz[k], 1e-14 * block_hz[k]);
        ck_assert_double_eq_tol(r->b.eigen[5 * k], pow(2 * M_PI * block_hz[k], 2), 1e-12 * 4e4);
        for (int n = 0; n < 8; n++) {
            const double *u = block_shape + 2 * (8 * k + n), *v = r->b.shape + 6 * (8 * k + n);
            const int turned = block_node[n] == 8;
            ck_assert_double_eq_tol(v[0], turned ? c * u[0] - s * u[1] : u[0], 1e-14);
            ck_assert_double_eq_tol(v[1], turned ? s * u[0] + c * u[1] : u[1], 1e-14);
            ck_assert_double_eq(v[2], 0);
            ck_assert_int_eq(r->b.node_id[n], block_node[n]);
        }
    }
}

START_TEST(results_of_every_form)
{
    for (int form = 0; form < 3; form++) {
        test_ans_results m = block();
        fb_buf b = {0};
        result r;
        m.old = form == 1;
        m.mapped = form == 2;
        test_ans_rst(&b, &m);
        read_file(&r, &fb_reader_ansys_rst, &b, "block.rst");
        must(&r);
        ck_assert_int_eq(r.p.elements.n, 1);
        ck_assert_int_eq(r.p.elements.id[0], 100);
        ck_assert_int_eq(r.p.nset, form != 1);
        if (form != 1) {
            ck_assert_str_eq(r.p.set[0].name, "ENDS");
            ck_assert_int_eq(r.p.set[0].n, 2);
            ck_assert_int_eq(r.p.set[0].node[1], 7);
        }
        assemble(&r);
        must(&r);
        check_block(&r);
        ck_assert_int_eq(r.b.nf1, 7); /* six faces */
        ck_assert_int_eq(r.log.nwarning, 0);
        release(&r);
        fb_buf_free(&b);
    }
}
END_TEST

/* 2^100 is no motion; rows of some nodes only. */
START_TEST(shapes_of_some_dofs)
{
    static const int64_t where[] = {8, 2};
    test_ans_results m = block();
    fb_buf b = {0};
    result r;
    block_shape[3] = ANS_NO_VALUE;
    test_ans_rst(&b, &m);
    read_file(&r, &fb_reader_ansys_rst, &b, "block.rst");
    assemble(&r);
    must(&r);
    ck_assert_double_eq(r.b.shape[6 + 1], 0);
    release(&r);
    m = block();
    m.rows = 2;
    m.where = where;
    test_ans_rst(&b, &m);
    read_file(&r, &fb_reader_ansys_rst, &b, "block.rst");
    assemble(&r);
    must(&r);
    ck_assert_int_eq(r.b.nn, 2);
    ck_assert_int_eq(r.b.node_id[0], 1); /* the eighth */
    ck_assert_int_eq(r.b.node_id[1], 7);
    ck_assert_double_eq(r.b.shape[0], block_shape[0]);
    ck_assert_double_eq(r.b.shape[6 + 1], block_shape[3]);
    ck_assert_double_eq(r.b.shape[6 * 2], block_shape[4]);
    release(&r);
    fb_buf_free(&b);
}
END_TEST

START_TEST(mode_files_want_a_mesh)
{
    const test_ans_results m = block();
    fb_buf b = {0}, mesh = {0};
    test_ans_results still = m;
    result r;
    test_ans_mode(&b, &m);
    read_file(&r, &fb_reader_ansys_mode, &b, "block.mode");
    assemble(&r);
    must(&r);
    warned(&r, "mode shapes of 8 nodes without coordinates");
    release(&r);
    still.kan = 0;
    test_ans_rst(&mesh, &still);
    read_file(&r, &fb_reader_ansys_rst, &mesh, "still.rst");
    read_more(&r, &fb_reader_ansys_mode, b.data, (size_t)b.size, "block.mode");
    assemble(&r);
    must(&r);
    check_block(&r);
    release(&r);
    read_file(&r, &fb_reader_ansys_mode, &b, "block.mode");
    read_more(&r, &fb_reader_ansys_mode, b.data, (size_t)b.size, "block.mode");
    ck_assert_int_eq(r.s, FB_EUSAGE);
    release(&r);
    test_ans_item(&b, 2, 17);
    read_file(&r, &fb_reader_ansys_mode, &b, "block.mode");
    refused(&r, "2 modes of 17 rows, of 8 nodes with 2 dofs");
    release(&r);
    fb_buf_free(&b);
    fb_buf_free(&mesh);
}
END_TEST

START_TEST(results_that_are_not_read)
{
    static const struct {
        int item;
        int64_t value;
        const char *words;
    } no[] = {{21, 12, "a sector of a cyclic structure"},
              {33, 1, "complex modes"},
              {49, 9, "one domain of a distributed solution"},
              {3, -1, "announces -1 nodes"},
              {9, 11, "11 solutions of at most 10"},
              {16, 3, "header of the geometry"},
              {15, 103, "nodal equivalence: the record"},
              {41, 1, "places of the solutions: a record at word 42949"}};
    const test_ans_results m = block();
    for (size_t k = 0; k < sizeof no / sizeof *no; k++) {
        fb_buf b = {0};
        result r;
        test_ans_rst(&b, &m);
        test_ans_item(&b, no[k].item, no[k].value);
        read_file(&r, &fb_reader_ansys_rst, &b, "block.rst");
        refused(&r, no[k].words);
        release(&r);
        fb_buf_free(&b);
    }
}
END_TEST

/* ---- results beside matrices -------------------------------------------------------------- */

/* Masses 3 and 3 joined by a spring of 6 in x: 0 Hz (1, 1) and w^2 = 4 (1, -1). */
static const double pair_K[] = {6, -6, -6, 6}, pair_M[] = {3, 0, 0, 3}, pair_place[12] = {[6] = 1};
static const int64_t pair_node[] = {1, 2};

static fb_status pair_model(result *r, const double *hz, const double *shape, const int64_t *node)
{
    const test_ans_matrices m = {.nodes = 2,
                                 .n = 2,
                                 .nlist = 1,
                                 .free = 2,
                                 .node = pair_node,
                                 .each = ones,
                                 .list = ones,
                                 .index = ones,
                                 .K = pair_K,
                                 .M = pair_M,
                                 .kan = 2};
    const test_ans_results t = {.nodes = 2,
                                .node = node,
                                .place = pair_place,
                                .type = 180,
                                .nlist = 1,
                                .list = ones,
                                .nsets = 2,
                                .hz = hz,
                                .shape = shape,
                                .kan = 2};
    fb_buf b = {0};
    test_ans_full(&b, &m);
    read_file(r, &fb_reader_ansys_full, &b, "pair.full");
    test_ans_rst(&b, &t);
    read_more(r, &fb_reader_ansys_rst, b.data, (size_t)b.size, "other.rst");
    fb_buf_free(&b);
    assemble(r);
    return r->s;
}

START_TEST(modes_of_another_run_are_named)
{
    const double right[] = {0, 1 / M_PI}, shape[] = {1, 1, 1, -1}, late[] = {0, 0.4},
                 bent[] = {1, 1, 1, -0.5}, still[] = {1, 0, 1, 0};
    const int64_t strange[] = {1, 3};
    result r;
    ck_assert_int_eq(pair_model(&r, right, shape, pair_node), FB_OK);
    ck_assert_int_eq(r.log.nwarning, 0);
    ck_assert_int_eq(r.b.nm, 0);
    ck_assert_int_eq(r.b.ndof, 2);
    ck_assert_int_eq(r.b.nn, 2);
    release(&r);
    ck_assert_int_eq(pair_model(&r, late, shape, pair_node), FB_OK);
    warned(&r, "other.rst of 2024-02-29 12:34:56 is of another run than K of pair.full of "
               "2024-02-29 12:34:56: its mode 2 of 0.4 Hz is none of these matrices");
    release(&r);
    ck_assert_int_eq(pair_model(&r, right, bent, pair_node), FB_OK);
    warned(&r, "its mode 2 of 0.31831 Hz is none");
    release(&r);
    ck_assert_int_eq(pair_model(&r, right, shape, strange), FB_OK);
    warned(&r, "it has no node 2");
    release(&r);
    /* Node 2 rests in all modes: it was held there, and mass 1 on the spring has w^2 = 2. */
    const double held[] = {sqrt(2) / (2 * M_PI), sqrt(2) / (2 * M_PI)};
    ck_assert_int_eq(pair_model(&r, held, still, pair_node), FB_OK);
    ck_assert_int_eq(r.log.nwarning, 0);
    release(&r);
}
END_TEST

/* Beside a mass alone the modes are the body: masses 2 and 3, node 2 turned by 90 degrees about z,
 * so that its x is the basic y. */
START_TEST(modes_beside_a_mass)
{
    const double turned[12] = {[6] = 1, [9] = 90}, hz[] = {2, 5}, shape[] = {1, 1, 3, -2};
    const test_ans_results t = {.nodes = 2,
                                .node = pair_node,
                                .place = turned,
                                .type = 180,
                                .nlist = 1,
                                .list = ones,
                                .nsets = 2,
                                .hz = hz,
                                .shape = shape,
                                .kan = 2};
    fb_buf b = {0};
    result r;
    fb_matrix *M = NULL;
    test_ans_rst(&b, &t);
    read_file(&r, &fb_reader_ansys_rst, &b, "pair.rst");
    must(&r);
    ck_assert_int_eq(fb_parts_matrix(&r.p, "M", "M.mtx", FB_ROLE_MASS, &M, &r.e), FB_OK);
    ck_assert_int_eq(fb_csc_new(&M->A, 2, 2, 2, 1, &r.e), FB_OK);
    ck_assert_int_eq(fb_labels_new(&M->row, 2, 0, &r.e), FB_OK);
    for (int k = 0; k < 2; k++) {
        M->A.i[k] = k;
        M->A.x[k] = 2 + k;
        M->A.p[k + 1] = k + 1;
        M->row.node[k] = pair_node[k];
        M->row.component[k] = 1;
    }
    assemble(&r);
    must(&r);
    ck_assert_int_eq(r.b.nr, 2);
    ck_assert_double_eq_tol(r.b.Mr[0], 2 + 3, 1e-14);
    ck_assert_double_eq_tol(r.b.Mr[3], 18 + 12, 1e-13);
    ck_assert_double_eq_tol(r.b.Mr[1], 6 - 6, 1e-14);
    ck_assert_double_eq_tol(r.b.Kr[0], 5 * pow(4 * M_PI, 2), 1e-10);
    ck_assert_double_eq_tol(r.b.shape[6 + 1], 1, 1e-15);
    ck_assert_double_eq_tol(r.b.shape[6 + 0], 0, 1e-15);
    release(&r);
    fb_buf_free(&b);
}
END_TEST

/* ---- superelements ------------------------------------------------------------------------ */

/* Two nodes at a distance of 2 on a spring of 5, masses 1 and 3, and a mode of w^2 = 9 at a node of
 * its own. */
static const double super_K[] = {5, -5, 0, -5, 5, 0, 0, 0, 9},
                    super_M[] = {1, 0, 0.5, 0, 3, 0.25, 0.5, 0.25, 1},
                    super_place[18] = {[6] = 2, [12] = 77};
static const int64_t super_node[] = {4, 9, 40001};

static test_ans_super super(void)
{
    return (test_ans_super){.n = 3,
                            .modes = 1,
                            .nodes = 3,
                            .each = 1,
                            .node = super_node,
                            .place = super_place,
                            .K = super_K,
                            .M = super_M,
                            .mass = 4,
                            .centre = {1.5, 0, 0}};
}

START_TEST(superelements_come_reduced)
{
    fb_buf b = {0};
    result r;
    test_ans_super m = super();
    m.C = super_M;
    test_ans_sub(&b, &m);
    read_file(&r, &fb_reader_ansys_sub, &b, "two.sub");
    assemble(&r);
    must(&r);
    ck_assert_int_eq(r.b.nn, 2); /* the place of the mode means nothing */
    ck_assert_int_eq(r.b.nr, 3);
    ck_assert_int_eq(r.b.kind[2], FB_KIND_NORMAL);
    ck_assert_int_eq(r.b.dof_node[2], 40001);
    ck_assert_int_eq(r.b.dof_class[2], FB_DOF_GENERALIZED);
    for (int k = 0; k < 9; k++) {
        ck_assert_double_eq(r.b.Kr[k], super_K[k]);
        ck_assert_double_eq(r.b.Mr[k], super_M[k]);
        ck_assert_double_eq(r.b.Dr[k], super_M[k]);
    }
    ck_assert_double_eq(r.b.ref_mass[0], 4);
    ck_assert_double_eq(r.b.ref_com[0], 1.5);
    release(&r);
    fb_buf_free(&b);
}
END_TEST

/* No matrices, and the first of them at a negative word. */
START_TEST(a_superelement_of_nothing)
{
    fb_buf b = {0};
    result r;
    const test_ans_super m = super();
    test_ans_sub(&b, &m);
    test_ans_item(&b, 3, 0);
    for (int k = 11; k <= 13; k++)
        test_ans_item(&b, k, -1);
    read_file(&r, &fb_reader_ansys_sub, &b, "two.sub");
    refused(&r, "matrices in another order");
    release(&r);
    fb_buf_free(&b);
}
END_TEST

START_TEST(superelements_that_are_not_read)
{
    static const struct {
        int item;
        int64_t value;
        const char *words;
    } no[] = {{1, 9, "sparse matrices"},
              {10, 1, "unsymmetric matrices"},
              {21, 1, "a transformed superelement"},
              {14, 1, "a stress stiffness"},
              {46, 1, "modes of a free or residual-flexible interface"},
              {3, 3, "matrices in another order"},
              {2, 1000000, "1000000 rows"},
              {2, 0, "0 rows"},
              {44, 4, "4 of them modes"},
              {22, 166, "K: the record"},
              {44, -1, "-1 of them modes"}};
    for (size_t k = 0; k < sizeof no / sizeof *no; k++) {
        fb_buf b = {0};
        result r;
        const test_ans_super m = super();
        test_ans_sub(&b, &m);
        test_ans_item(&b, no[k].item, no[k].value);
        read_file(&r, &fb_reader_ansys_sub, &b, "two.sub");
        refused(&r, no[k].words);
        release(&r);
        fb_buf_free(&b);
    }
}
END_TEST

/* ---- cut files and lack of memory --------------------------------------------------------- */

static const fb_reader *one_of(int k, fb_buf *b)
{
    const test_ans_matrices full = ring();
    const test_ans_results results = block();
    const test_ans_super sub = super();
    switch (k) {
    case 0:
        test_ans_full(b, &full);
        return &fb_reader_ansys_full;
    case 1:
        test_ans_rst(b, &results);
        return &fb_reader_ansys_rst;
    case 2:
        test_ans_mode(b, &results);
        return &fb_reader_ansys_mode;
    default:
        test_ans_sub(b, &sub);
        return &fb_reader_ansys_sub;
    }
}

/* What goes beside it, so that nothing is warned of. */
static const fb_reader *beside_of(int k, fb_buf *b)
{
    const double hz[] = {0};
    const double still[RING] = {1, 1, 1, 1}, line[6 * RING] = {[6] = 1, [12] = 2, [18] = 3};
    const test_ans_results of_ring = {.nodes = RING,
                                      .node = ring_node,
                                      .place = line,
                                      .type = 180,
                                      .nlist = 1,
                                      .list = ones,
                                      .nsets = 1,
                                      .hz = hz,
                                      .shape = still,
                                      .kan = 2};
    test_ans_results mesh = block();
    mesh.kan = 0;
    if (k != 0 && k != 2)
        return NULL;
    test_ans_rst(b, k ? &mesh : &of_ring);
    return &fb_reader_ansys_rst;
}

/* Wherever the file ends before its mark. */
START_TEST(cut_files)
{
    fb_buf b = {0};
    const fb_reader *rd = one_of(_i, &b);
    const int64_t whole = b.size;
    for (b.size = 4; b.size <= whole - 24; b.size += 4) { /* the mark, and five words of padding */
        result r;
        read_file(&r, rd, &b, "cut");
        ck_assert_msg(r.s == FB_EFORMAT, "cut at byte %d", (int)b.size);
        release(&r);
    }
    fb_buf_free(&b);
}
END_TEST

/* A file that does not say where it ends: the records themselves tell, or nothing is lost. */
START_TEST(cut_files_without_an_end)
{
    fb_buf b = {0};
    const fb_reader *rd = one_of(_i, &b);
    const int64_t whole = b.size;
    result want, r;
    test_ans_standard(&b, 27, 0);
    test_ans_standard(&b, 97, 0);
    read_file(&want, rd, &b, "whole");
    must(&want);
    for (b.size = 4; b.size < whole; b.size += 4) {
        read_file(&r, rd, &b, "cut");
        if (r.s) {
            ck_assert_int_eq(r.s, FB_EFORMAT);
        } else {
            ck_assert_int_eq(r.p.nmatrix, want.p.nmatrix);
            ck_assert_int_eq(r.p.body.nm, want.p.body.nm);
            ck_assert_int_eq(r.p.nn, want.p.nn);
        }
        release(&r);
    }
    release(&want);
    fb_buf_free(&b);
}
END_TEST

START_TEST(every_allocation_fails_once)
{
    fb_buf b = {0}, more = {0};
    const fb_reader *rd = one_of(_i, &b), *beside = beside_of(_i, &more);
    result r = {0};
    int fails;
    EVERY_ALLOCATION_FAILS_ONCE(r.s, fails, {
        release(&r);
        read_file(&r, rd, &b, "file");
        if (beside)
            read_more(&r, beside, more.data, (size_t)more.size, "file.rst");
        assemble(&r);
        if (!r.s && r.log.nwarning != (_i == 0)) /* lack of memory for the warning of a mass that */
            r.s = FB_ESYS;                       /* is condensed */
    });
    ck_assert_int_gt(fails, 20);
    release(&r);
    fb_buf_free(&b);
    fb_buf_free(&more);
}
END_TEST

/* ---- real files --------------------------------------------------------------------------- */

/* 0 where it is absent: the case is skipped then. */
static int read_real(result *r, const fb_reader *rd, const char *path, fb_input *in)
{
    const char *file = shared_file(path);
    *r = (result){0};
    if (!file)
        return 0;
    ck_assert_int_eq(fb_input_open(in, file, &r->e), FB_OK);
    r->s = rd->read(in, &r->p, &r->log, &r->e);
    return 1;
}

static double norm(const fb_csc *A, double *trace, int64_t *nnz)
{
    double sum = 0;
    *trace = 0;
    *nnz = 0;
    for (int64_t j = 0; j < A->n; j++)
        for (int64_t q = A->p[j]; q < A->p[j + 1]; q++) {
            if (A->x[q] == 0)
                continue;
            sum += (A->i[q] == j ? 1 : 2) * A->x[q] * A->x[q];
            *nnz += A->i[q] == j ? 1 : 2;
            *trace += A->i[q] == j ? A->x[q] : 0;
        }
    return sqrt(sum);
}

/* Norms, traces and counts to the digits of REFERENCE.txt. */
START_TEST(norms_of_real_files)
{
    static const struct {
        const char *path;
        const fb_reader *rd;
        struct {
            int64_t stored, nnz;
            double norm, trace, first, last; /* 0: not listed */
        } m[2];
    } real[] = {
        {"ansys/01_full_free_beam/file.full",
         &fb_reader_ansys_full,
         {{42477, 83991, 634667603.466816, 11116414193.8133, 3158072.214151687, 8496460.768714326},
          {17793, 34623, 0.000428212016546615, 0, 1.517748536501981e-06, 0}}},
        {"ansys/02_full_cantilever/file.full",
         &fb_reader_ansys_full,
         {{39023, 77083, 584056137.463521, 10251957564.8946, 1, 0},
          {17793, 34623, 0.00042794331180099, 0, 0, 0}}},
        {"ansys/03_full_rotor/sparse.full",
         &fb_reader_ansys_full,
         {{7002, 13659, 2426600348.2012, 29021627992.7373, 163408119.6581276, 20426014.95726899},
          {2883, 5421, 5.91674608351241, 0, 0.2907407407407048, 0}}},
        {"ansys/04_sub_cms/cp56.sub",
         &fb_reader_ansys_sub,
         {{60516, 57604, 12764353538689.8, 142081827268560, 553476768320.7529, 0},
          {60516, 60486, 23709834.7062647, 127958908.865347, 308108.6647465731, 0}}}};
    result r;
    fb_input in;
    if (!read_real(&r, real[_i].rd, real[_i].path, &in))
        return;
    must(&r);
    ck_assert_int_eq(r.p.nmatrix, 2);
    for (int k = 0; k < 2; k++) {
        const fb_csc *A = &r.p.matrix[k].A;
        int64_t nnz;
        double trace, n = norm(A, &trace, &nnz);
        ck_assert_int_eq(r.p.matrix[k].stored, real[_i].m[k].stored);
        ck_assert_int_eq(nnz, real[_i].m[k].nnz);
        ck_assert_double_eq_tol(n / real[_i].m[k].norm, 1, 1e-13);
        if (real[_i].m[k].trace > 0)
            ck_assert_double_eq_tol(trace / real[_i].m[k].trace, 1, 1e-13);
        if (real[_i].m[k].first > 0)
            ck_assert_double_eq_tol(entry(A, 0, 0) / real[_i].m[k].first, 1, 1e-15);
        if (real[_i].m[k].last > 0)
            ck_assert_double_eq_tol(entry(A, A->n - 1, A->n - 1) / real[_i].m[k].last, 1, 1e-15);
    }
    release(&r);
    fb_input_close(&in);
}
END_TEST

/* *EXPORT, MMF of the same model: stiffness to 3.1e-16 of its largest entry, rows in one order. */
START_TEST(rotor_is_the_exported_one)
{
    result r, t;
    fb_input in, text;
    double most = 0, top = 0;
    if (!read_real(&r, &fb_reader_ansys_full, "ansys/03_full_rotor/sparse.full", &in))
        return;
    must(&r);
    ck_assert_int_eq(read_real(&t, &fb_reader_mm,
                               "abaqus/05_ansys_mmf_rotor/rotorAnsysStiffnessMatrixSparse.txt",
                               &text),
                     1);
    must(&t);
    const fb_csc *A = &r.p.matrix[0].A, *B = &t.p.matrix[0].A;
    ck_assert_int_eq(A->n, B->n);
    for (int64_t j = 0; j < A->n; j++)
        for (int64_t i = 0; i <= j; i++) {
            most = fmax(most, fabs(entry(A, i, j) - entry(B, i, j)));
            top = fmax(top, fabs(entry(A, i, j)));
        }
    ck_assert_double_le(most, 4e-16 * top);
    release(&r);
    release(&t);
    fb_input_close(&in);
    fb_input_close(&text);
}
END_TEST

/* .mode and .rst of one run hold the same bits. */
START_TEST(modes_in_two_files)
{
    result r, t;
    fb_input in, other;
    if (!read_real(&r, &fb_reader_ansys_rst, "ansys/05_rst_modal/msup.rst", &in))
        return;
    must(&r);
    ck_assert_int_eq(read_real(&t, &fb_reader_ansys_mode, "ansys/05_rst_modal/msup.mode", &other),
                     1);
    must(&t);
    ck_assert_int_eq(t.p.body.nm, 6);
    ck_assert_int_eq(memcmp(r.p.body.shape, t.p.body.shape, 6 * 432 * 6 * sizeof(double)), 0);
    for (int k = 0; k < 6; k++)
        ck_assert_double_eq_tol(r.p.body.eigen[5 * k + 1] / t.p.body.eigen[5 * k + 1], 1, 1e-15);
    release(&r);
    release(&t);
    fb_input_close(&in);
    fb_input_close(&other);
}
END_TEST

/* The first solution of a file: values that are there, their norm, and those that are not. */
static double first_solution(const char *path, int64_t *none)
{
    ans_file f;
    ans_record r;
    fb_input in;
    fb_err e;
    int64_t *set = NULL, *h = NULL, n;
    double *v = NULL, sum = 0;
    ck_assert_int_eq(fb_input_open(&in, path, &e), FB_OK);
    ck_assert_int_eq(ans_open(&f, &in, &e), FB_OK);
    int64_t at = ans_pointer(f.h, 11, 41);
    ck_assert_int_eq(ans_take_ints(&f, &at, "sets", 2 * f.h[3], &set, &e), FB_OK);
    at = set[0];
    ck_assert_int_eq(ans_take_ints(&f, &at, "header", 200, &h, &e), FB_OK);
    at = set[0] + (h[104] ? h[104] : h[10]);
    ck_assert_int_eq(ans_record_at(&f, at, "solution", &r, &e), FB_OK);
    ck_assert_int_eq(ans_count(&r, "solution", &n, &e), FB_OK);
    ck_assert_msg(ans_take_reals(&f, &at, "solution", n, &v, &e) == FB_OK, "%s", e.msg);
    *none = 0;
    for (int64_t k = 0; k < f.h[2] * h[19]; k++) {
        *none += v[k] >= ANS_NO_VALUE;
        sum += v[k] >= ANS_NO_VALUE ? 0 : v[k] * v[k];
    }
    FB_FREE(set, h, v);
    fb_input_close(&in);
    return sqrt(sum);
}

START_TEST(real_results)
{
    static const struct {
        const char *path;
        int64_t nodes, elements, sets, none; /* elements that have a shape */
        double sum[3], norm;
        int turned;
    } real[] = {
        {"01_full_free_beam/file.rst", 321, 40, 0, 0, {160.5, 160.5, 802.5}, 406.3438922, 0},
        {"02_full_cantilever/file.rst", 321, 40, 0, 0, {160.5, 160.5, 802.5}, 447.4925614, 0},
        {"05_rst_modal/beam_modal_cantilever.rst",
         321,
         40,
         6,
         0,
         {160.5, 160.5, 802.5},
         0.09416824859,
         0},
        {"05_rst_modal/msup.rst", 432, 63, 3, 0, {-2.592, 7.55352, -2.592}, 109.9353656, 0},
        {"06_rst_variants/beam44.rst", 17, 16, 0, 0, {7707.5, 0, 0}, 16.91189175, 0},
        {"06_rst_variants/comp_hex_beam.rst", 321, 40, 2, 0, {160.5, 160.5, 802.5}, 516.368471, 0},
        {"06_rst_variants/cyc_stress.rst",
         150,
         80,
         3,
         0,
         {685.664205, 685.664205, 750},
         0.0002170168612,
         25},
        {"06_rst_variants/link1.rst", 3, 2, 0, 3, {25, 18, 0}, 1.982173642, 0},
        {"06_rst_variants/mixed_shell_solid.rst",
         76,
         36,
         1,
         132,
         {519.999993, 320, 379.999992},
         0.001444452112,
         0},
        {"06_rst_variants/shell181_2021R1.rst", 9, 4, 6, 0, {450, 0, -450}, 69.08290442, 0},
        {"06_rst_variants/shell281_ds.rst", 8, 1, 5, 0, {0.4, 0.4, 0}, 0.8209036381, 0},
        {"06_rst_variants/shell63_beam4.rst", 24, 64, 0, 0, {0, 160, 0}, 0.1661967467, 0},
        {"06_rst_variants/temp_v13.rst", 216, 125, 0, 0, {108, 108, 108}, 0.01743179394, 0},
        {"06_rst_variants/two_cubes_v242.rst", 45, 16, 2, 0, {450, 225, 225}, 0.0164892982, 0}};
    char path[120];
    result r;
    fb_input in;
    double sum[3] = {0};
    int64_t none, turned = 0;
    snprintf(path, sizeof path, "ansys/%s", real[_i].path);
    if (!read_real(&r, &fb_reader_ansys_rst, path, &in))
        return;
    must(&r);
    ck_assert_int_eq(r.p.nn, real[_i].nodes);
    ck_assert_int_eq(r.p.elements.n, real[_i].elements);
    ck_assert_int_eq(r.p.elements.nodd, 0);
    ck_assert_int_eq(r.p.nset, real[_i].sets);
    for (int64_t k = 0; k < 3 * r.p.nn; k++)
        sum[k % 3] += r.p.xyz[k];
    for (int a = 0; a < 3; a++)
        ck_assert_double_eq_tol(sum[a], real[_i].sum[a], 1e-8 * fmax(1, fabs(real[_i].sum[a])));
    for (int64_t k = 0; r.p.frame && k < r.p.nn; k++)
        turned += r.p.frame[9 * k] < 1;
    ck_assert_int_eq(turned, real[_i].turned);
    ck_assert_double_eq_tol(first_solution(shared_file(path), &none) / real[_i].norm, 1, 1e-9);
    ck_assert_int_eq(none, real[_i].none);
    release(&r);
    fb_input_close(&in);
}
END_TEST

/* Archives: nodes, their sums and axes, elements that are drawn (surface loads are not), sets. */
START_TEST(real_archives)
{
    static const struct {
        const char *name;
        int64_t nodes, elements, sets, odd; /* odd: types without a shape */
        double sum[3];
        int turned;
    } real[] = {
        {"Beam_186TetQuadAnglesDOS.cdb", 637, 298, 0, 0, {317.115614, 317.114234, 1592.52763}, 3},
        {"ErnoRadiation.cdb", 65, 27, 2, 0, {3.25373651, 3.168, -3.168}, 0},
        {"HexBeam.cdb", 321, 40, 4, 0, {160.5, 160.5, 802.5}, 3},
        {"Panel_Transient.dat", 1265, 160, 5, 2, {316.25, 126.5, -0.6305}, 0},
        {"all_solid_cells.cdb", 52, 4, 0, 0, {200.694227, 52.6764553, -43.116191}, 0},
        {"ds.dat", 8, 1, 4, 0, {0.4, 0.4, 0}, 0},
        {"etblock.cdb", 4, 1, 0, 0, {2, 2, 0}, 0},
        {"hypermesh.cdb", 105, 80, 0, 0, {-91.1913, 628.01591, 0.57555}, 0},
        {"krylov_point_load.cdb", 8, 1, 0, 0, {0.32, 0, 0}, 0},
        {"mixed_missing_midside.cdb", 584, 265, 0, 0, {-2616.26727, 213.754873, 6902.99036}, 0},
        {"prime_hex.cdb", 343, 216, 0, 0, {0.68600005, 5.48799999, 1.71500002}, 0},
        {"turek_hron_solid_model.cdb", 1673, 200, 3, 0, {327.144511, 0, 8.365}, 0},
        {"workbench_193.cdb", 3, 0, 0, 0, {0.287441438, 0.0591617398, 25.6123356}, 0}};
    char path[120];
    result r;
    fb_input in;
    double sum[3] = {0};
    int64_t turned = 0;
    snprintf(path, sizeof path, "ansys/07_cdb/%s", real[_i].name);
    if (!read_real(&r, &fb_reader_cdb, path, &in))
        return;
    must(&r);
    ck_assert_int_eq(r.p.nn, real[_i].nodes);
    ck_assert_int_eq(r.p.elements.n, real[_i].elements);
    ck_assert_int_eq(r.p.elements.nodd, real[_i].odd);
    ck_assert_int_eq(r.p.nset, real[_i].sets);
    for (int64_t k = 0; k < 3 * r.p.nn; k++)
        sum[k % 3] += r.p.xyz[k];
    for (int a = 0; a < 3; a++)
        ck_assert_double_eq_tol(sum[a], real[_i].sum[a], 1e-8 * fmax(1, fabs(real[_i].sum[a])));
    for (int64_t k = 0; r.p.frame && k < r.p.nn; k++)
        turned += r.p.frame[9 * k] < 1 || r.p.frame[9 * k + 4] < 1;
    ck_assert_int_eq(turned, real[_i].turned);
    release(&r);
    fb_input_close(&in);
}
END_TEST

START_TEST(real_results_that_are_not_read)
{
    static const char *const path[] = {"ansys/06_rst_variants/dist0.rst",
                                       "ansys/06_rst_variants/cyc12.rst"},
                             *const words[] = {"one domain of a distributed solution",
                                               "a sector of a cyclic structure"};
    result r;
    fb_input in;
    if (!read_real(&r, &fb_reader_ansys_rst, path[_i], &in))
        return;
    refused(&r, words[_i]);
    release(&r);
    fb_input_close(&in);
}
END_TEST

Suite *suite_ansys(void)
{
    Suite *s = suite_create("ansys");
    TCase *t = tcase_create("full");
    tcase_add_test(t, labels_are_places_in_the_list);
    tcase_add_test(t, zeros_say_nothing);
    tcase_add_test(t, coordinates_are_asked_for);
    tcase_add_test(t, held_dofs_are_told);
    tcase_add_test(t, no_value_is_no_dof);
    tcase_add_test(t, held_rows_of_K_are_cut);
    tcase_add_test(t, equations_are_followed);
    tcase_add_test(t, equations_turn_with_their_nodes);
    tcase_add_test(t, equations_that_are_not_understood);
    tcase_add_test(t, forms_that_are_not_known);
    tcase_add_test(t, diagonals_are_compared);
    tcase_add_test(t, static_and_buckling);
    tcase_add_test(t, damping_proves_itself);
    suite_add_tcase(s, t);
    t = tcase_create("records");
    tcase_add_test(t, byte_orders_and_kinds);
    tcase_add_test(t, units_are_those_declared);
    tcase_add_test(t, packed_records);
    tcase_add_test(t, packed_records_that_lie);
    tcase_add_test(t, high_words_of_pointers);
    tcase_add_loop_test(t, cut_files, 0, 4);
    tcase_add_loop_test(t, cut_files_without_an_end, 0, 4);
    tcase_add_loop_test(t, every_allocation_fails_once, 0, 4);
    suite_add_tcase(s, t);
    t = tcase_create("results");
    tcase_add_test(t, results_of_every_form);
    tcase_add_test(t, shapes_of_some_dofs);
    tcase_add_test(t, mode_files_want_a_mesh);
    tcase_add_test(t, results_that_are_not_read);
    tcase_add_test(t, modes_of_another_run_are_named);
    tcase_add_test(t, modes_beside_a_mass);
    suite_add_tcase(s, t);
    t = tcase_create("superelements");
    tcase_add_test(t, superelements_come_reduced);
    tcase_add_test(t, superelements_that_are_not_read);
    tcase_add_test(t, a_superelement_of_nothing);
    suite_add_tcase(s, t);
    t = tcase_create("real");
    tcase_add_loop_test(t, norms_of_real_files, 0, 4);
    tcase_add_test(t, rotor_is_the_exported_one);
    tcase_add_test(t, modes_in_two_files);
    tcase_add_loop_test(t, real_results, 0, 14);
    tcase_add_loop_test(t, real_archives, 0, 13);
    tcase_add_loop_test(t, real_results_that_are_not_read, 0, 2);
    suite_add_tcase(s, t);
    return s;
}
