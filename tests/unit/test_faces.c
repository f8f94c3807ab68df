/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Elements and the faces made of them: volumes by the divergence theorem over the faces, which are
 * right only where every face is there, once, seen from outside. */
#include "mnfparse/reader.h"
#include "tests/suites.h"
#include <math.h>
#include <stdarg.h>

static fb_parts p;
static fb_model b;
static fb_log warnings;
static fb_err err;

static void setup(void)
{
    p = (fb_parts){0};
    b = (fb_model){0};
    warnings = (fb_log){0};
}

static void teardown(void)
{
    fb_parts_free(&p);
    fb_model_free(&b);
    fb_log_free(&warnings);
}

static void node(int64_t id, double x, double y, double z)
{
    ck_assert_int_eq(fb_parts_node(&p, id, (double[]){x, y, z}, NULL, &err), FB_OK);
}

static void element(fb_topology t, const int64_t *nodes)
{
    ck_assert_int_eq(fb_elements_add(&p.elements, p.elements.n + 1, t, nodes, &err), FB_OK);
}

/* K and M for the x of the first n nodes, and the model. */
static void matrices(int64_t n)
{
    for (int k = 0; k < 2; k++) {
        fb_matrix *m = NULL;
        ck_assert_int_eq(fb_parts_matrix(&p, k ? "M" : "K", "test",
                                         k ? FB_ROLE_MASS : FB_ROLE_STIFFNESS, &m, &err),
                         FB_OK);
        ck_assert_int_eq(fb_csc_new(&m->A, n, n, n, 1, &err), FB_OK);
        ck_assert_int_eq(fb_new(&m->row.node, n, 8, "labels", &err), FB_OK);
        ck_assert_int_eq(fb_new(&m->row.component, n, 8, "labels", &err), FB_OK);
        for (int64_t q = 0; q < n; q++) {
            m->A.i[q] = q;
            m->A.x[q] = 1;
            m->A.p[q + 1] = q + 1;
            m->row.node[q] = p.node_id[q];
            m->row.component[q] = 1;
        }
    }
}

static void assemble(void)
{
    matrices(p.nn);
    ck_assert_msg(!fb_parts_assemble(&p, &b, &warnings, &err), "%s", err.msg);
}

static int said(const char *text)
{
    for (int64_t k = 0; k < warnings.nwarning; k++)
        if (strstr(warnings.warning[k], text))
            return 1;
    return 0;
}

/* sum over triangles a b c of (a x b) . c / 6 */
static double volume(void)
{
    double v = 0;
    for (int64_t f = 0; f + 1 < b.nf1; f++)
        for (int64_t k = b.face_offset[f] + 1; k + 1 < b.face_offset[f + 1]; k++) {
            const double *x = b.xyz + 3 * b.face_index[b.face_offset[f]],
                         *y = b.xyz + 3 * b.face_index[k], *z = b.xyz + 3 * b.face_index[k + 1];
            v += (x[0] * (y[1] * z[2] - y[2] * z[1]) + x[1] * (y[2] * z[0] - y[0] * z[2]) +
                  x[2] * (y[0] * z[1] - y[1] * z[0])) /
                 6;
        }
    return v;
}

/* Corners of faces as text: "1 2 3 4 / 5 6". */
static const char *faces(void)
{
    static char text[400];
    text[0] = 0;
    for (int64_t f = 0; f + 1 < b.nf1; f++) {
        if (f)
            strcat(text, " /");
        for (int64_t k = b.face_offset[f]; k < b.face_offset[f + 1]; k++)
            snprintf(text + strlen(text), sizeof text - strlen(text), "%s%lld", f || k ? " " : "",
                     (long long)b.node_id[b.face_index[k]]);
    }
    return text;
}

/* ---- one element of each topology ----------------------------------------------------------- */

/* Corners of the unit cube in Abaqus' order; those of the others are among them. */
static const double cube[8][3] = {{0, 0, 0}, {1, 0, 0}, {1, 1, 0}, {0, 1, 0},
                                  {0, 0, 1}, {1, 0, 1}, {1, 1, 1}, {0, 1, 1}};

static const struct {
    fb_topology t;
    int corner[8];
    int64_t faces; /* by hand: a middle-node triangle is 4, a quadrangle 5, with its centre 4 */
    double volume; /* of the polyhedron */
} solids[] = {
    {FB_TETRA4, {0, 1, 3, 4}, 4, 1. / 6},
    {FB_TETRA10, {0, 1, 3, 4}, 16, 1. / 6},
    {FB_PYRAMID5, {0, 1, 2, 3, 4}, 5, 1. / 3},
    {FB_PYRAMID13, {0, 1, 2, 3, 4}, 4 * 4 + 5, 1. / 3},
    {FB_PENTA6, {0, 1, 3, 4, 5, 7}, 5, 1. / 2},
    {FB_PENTA15, {0, 1, 3, 4, 5, 7}, 2 * 4 + 3 * 5, 1. / 2},
    {FB_HEXA8, {0, 1, 2, 3, 4, 5, 6, 7}, 6, 1},
    {FB_HEXA20, {0, 1, 2, 3, 4, 5, 6, 7}, 30, 1},
    {FB_HEXA27, {0, 1, 2, 3, 4, 5, 6, 7}, 24, 1},
};

/* Nodes 1.. of the topology: corners, middles of edges, of faces, of the body. */
static void one_element(int which, int mirrored)
{
    const fb_element_kind *k = fb_element_kinds + solids[which].t;
    const fb_solid *t = k->solid;
    double x[FB_ELEMENT_NODES][3] = {{0}};
    int64_t id[FB_ELEMENT_NODES];
    for (int a = 0; a < k->nodes; a++)
        for (int d = 0; d < 3; d++) {
            const int edge = a - t->corners, face = edge - t->nedge;
            if (a < t->corners)
                x[a][d] = cube[solids[which].corner[a]][d];
            else if (edge < t->nedge)
                x[a][d] = (x[t->edge[edge][0]][d] + x[t->edge[edge][1]][d]) / 2;
            else
                for (int c = 0; c < 8; c++)
                    x[a][d] += face == t->nface ? x[c][d] / 8
                               : c < 4          ? x[t->face[face][c]][d] / 4
                                                : 0;
            id[a] = a + 1;
        }
    for (int a = 0; a < k->nodes; a++)
        node(a + 1, mirrored ? -x[a][0] : x[a][0], x[a][1], x[a][2]);
    element(solids[which].t, id);
    assemble();
}

START_TEST(one_solid)
{
    one_element(_i / 2, _i % 2);
    ck_assert_int_eq(b.nf1 - 1, solids[_i / 2].faces);
    ck_assert_double_eq_tol(volume(), solids[_i / 2].volume, 1e-15);
}
END_TEST

/* ---- several ------------------------------------------------------------------------------ */

/* n^3 cubes of side 1 without those that leave[] says; returns how many elements. */
static int64_t grid(int n, const char *leave)
{
    int64_t m = n + 1, count = 0;
    for (int64_t k = 0; k < m * m * m; k++)
        node(k + 1, (double)(k % m), (double)(k / m % m), (double)(k / m / m));
    for (int64_t k = 0; k < n * n * n; k++) {
        const int64_t at = k % n + k / n % n * m + k / n / n * m * m + 1;
        int64_t id[8];
        if (leave && leave[k])
            continue;
        for (int c = 0; c < 8; c++)
            id[c] =
                at + (int64_t)cube[c][0] + m * (int64_t)cube[c][1] + m * m * (int64_t)cube[c][2];
        element(FB_HEXA8, id);
        count++;
    }
    return count;
}

START_TEST(inner_faces_are_not_seen)
{
    (void)grid(2, NULL);
    assemble();
    ck_assert_int_eq(b.nf1 - 1, 24);
    ck_assert_double_eq_tol(volume(), 8, 1e-12);
    ck_assert_ptr_nonnull(b.face_index);
    for (int64_t k = 0; k < b.nfi; k++) /* the middle of the cube is in none */
        ck_assert_int_ne(b.node_id[b.face_index[k]], 14);
}
END_TEST

/* 27 cubes without the middle one: 54 faces outside, 6 around the hole. */
START_TEST(a_hole)
{
    char leave[27] = {0};
    leave[13] = 1;
    ck_assert_int_eq(grid(3, leave), 26);
    assemble();
    ck_assert_int_eq(b.nf1 - 1, 60);
    ck_assert_double_eq_tol(volume(), 26, 1e-12);
}
END_TEST

/* Hexahedra whose corners fall together, as some programs write wedges, tetrahedra and pyramids. */
START_TEST(collapsed)
{
    static const struct {
        int64_t node[8], faces;
        double volume;
    } t[] = {
        {{1, 2, 3, 3, 5, 6, 7, 7}, 5, 0.5},
        {{1, 2, 3, 3, 5, 5, 5, 5}, 4, 1. / 6},
        {{1, 2, 3, 4, 5, 5, 5, 5}, 5, 1. / 3},
    };
    for (int k = 0; k < 8; k++)
        node(k + 1, cube[k][0], cube[k][1], cube[k][2]);
    element(FB_HEXA8, t[_i].node);
    assemble();
    ck_assert_int_eq(b.nf1 - 1, t[_i].faces);
    ck_assert_double_eq_tol(volume(), t[_i].volume, 1e-15);
}
END_TEST

START_TEST(surfaces_and_lines)
{
    for (int k = 1; k <= 9; k++)
        node(k, k % 3, k / 3, 0);
    element(FB_TRIA3, (int64_t[]){1, 2, 3});
    element(FB_TRIA3, (int64_t[]){3, 1, 2}); /* the same again */
    element(FB_QUAD4, (int64_t[]){2, 3, 5, 4});
    element(FB_LINE2, (int64_t[]){1, 9});
    element(FB_LINE2, (int64_t[]){9, 1});
    element(FB_LINE3, (int64_t[]){6, 8, 7});
    element(FB_LINE2, (int64_t[]){4, 4});
    element(FB_TRIA6, (int64_t[]){4, 5, 6, 7, 0, 9}); /* one middle node is left out */
    element(FB_TRIA3, (int64_t[]){7, 8, 77});         /* 77 is not there */
    assemble();
    ck_assert_str_eq(faces(), "1 2 3 / 2 3 5 4 / 1 9 / 6 7 / 7 8 / 4 7 5 6 9");
    ck_assert(said("1 of 9 elements are not drawn: they stand at nodes that have no coordinates"));
}
END_TEST

/* A membrane on a solid is one face with it; one between two solids is not seen. */
START_TEST(skins_on_solids)
{
    char leave[8] = {0, 0, 1, 1, 1, 1, 1, 1};
    element(FB_QUAD4, (int64_t[]){27, 26, 23, 24}); /* of no solid */
    element(FB_QUAD4, (int64_t[]){10, 11, 14, 13}); /* seen from the other side than the solid's */
    (void)grid(2, leave);
    element(FB_QUAD4, (int64_t[]){1, 2, 5, 4});
    element(FB_QUAD4, (int64_t[]){2, 5, 14, 11});
    assemble();
    ck_assert_int_eq(b.nf1 - 1, 11);
    ck_assert_double_eq_tol(volume(), 2 + 2. / 3, 1e-14); /* z A / 3 of the free one */
}
END_TEST

START_TEST(second_order_surfaces)
{
    int64_t id[9];
    for (int k = 0; k < 9; k++) {
        id[k] = k + 1;
        node(k + 1, k, k * k, 0);
    }
    element((fb_topology)_i, id);
    assemble();
    ck_assert_str_eq(faces(), _i == FB_TRIA6   ? "1 4 6 / 2 5 4 / 3 6 5 / 4 5 6"
                              : _i == FB_QUAD8 ? "1 5 8 / 2 6 5 / 3 7 6 / 4 8 7 / 5 6 7 8"
                                               : "1 5 9 8 / 2 6 9 5 / 3 7 9 6 / 4 8 9 7");
}
END_TEST

/* Where the matrices move less than half of the nodes, pictures would be wrong. */
START_TEST(nodes_without_dofs)
{
    (void)grid(1, NULL);
    matrices(_i);
    ck_assert_msg(!fb_parts_assemble(&p, &b, &warnings, &err), "%s", err.msg);
    ck_assert_int_eq(b.nf1, _i == 3 ? 0 : 7);
}
END_TEST

#define NOT_DRAWN \
    "elements are not drawn, of types without a known shape or in lines not understood: "

START_TEST(unknown_types)
{
    node(1, 0, 0, 0);
    for (int k = 0; k < 3; k++)
        ck_assert_int_eq(fb_elements_odd(&p.elements, k == 1 ? "X9" : "U1", &err), FB_OK);
    assemble();
    ck_assert(said("3 elements are not drawn, of types without a known shape or in lines not "
                   "understood: U1 (2), X9 (1)"));
    ck_assert_ptr_null(b.face_offset);
}
END_TEST

/* Every allocation fails once. */
START_TEST(memory)
{
    for (long k = 0;; k++) {
        setup();
        (void)grid(2, NULL);
        matrices(p.nn);
        fb_alloc_fail_after = k;
        const fb_status s = fb_parts_assemble(&p, &b, &warnings, &err);
        fb_alloc_fail_after = -1;
        teardown();
        if (!s)
            return;
        ck_assert_int_eq(s, FB_ESYS);
    }
}
END_TEST

/* ---- decks of Abaqus and CalculiX ----------------------------------------------------------- */

static void read_deck(const fb_reader *r, const char *text)
{
    char name[] = "deck";
    fb_input in = {.data = (const unsigned char *)text, .size = strlen(text), .name = name};
    const fb_reader *found = NULL;
    ck_assert_msg(!fb_reader_find(&in, NULL, &found, &err), "%s", err.msg);
    ck_assert_ptr_eq(found, r);
    ck_assert_msg(!r->read(&in, &p, &warnings, &err), "%s", err.msg);
}

/* The nodes of a set as text. */
static const char *set(const char *name)
{
    static char text[200];
    text[0] = 0;
    for (int64_t k = 0; k < p.nset; k++)
        for (int64_t q = 0; !strcmp(p.set[k].name, name) && q < p.set[k].n; q++)
            snprintf(text + strlen(text), sizeof text - strlen(text), "%s%lld", q ? " " : "",
                     (long long)p.set[k].node[q]);
    return text;
}

#define SIX_NODES "*NODE\n1, 0, 0, 0\n2, 1, 0, 0\n3, 2, 0, 0\n4, 0, 1, 0\n5, 1, 1, 0\n6, 2, 1, 0\n"

START_TEST(deck_of_abaqus)
{
    read_deck(&fb_reader_inp,
              SIX_NODES "*ELEMENT, TYPE=S4R, ELSET=A\n10, 1, 2,\n5, 4\n"
                        "*Element, type=b31, elset=B\n20, 3, 6\n21, 6, 5, 1\n"
                        "*ELEMENT, TYPE=T3D3\n30, 4, 5, 6\n"
                        "*ELEMENT, TYPE=XQ7\n40, 1\n41, 2\n"
                        "*ELEMENT, TYPE=MASS, ELSET=M\n50, 1\n"
                        "*ELSET, ELSET=C\nA, 20\n*ELSET, ELSET=R, GENERATE\n20, 30\n"
                        "*NSET, NSET=N, ELSET=B\n*NSET, NSET=B\n1\n");
    ck_assert_str_eq(set("A"), "1 2 4 5");
    ck_assert_str_eq(set("B"), "1"); /* a node set of this name goes before the element set */
    ck_assert_str_eq(set("C"), "1 2 3 4 5 6");
    ck_assert_str_eq(set("R"), "3 4 5 6");
    ck_assert_str_eq(set("N"), "3 5 6");
    assemble();
    ck_assert_str_eq(faces(), "1 2 5 4 / 3 6 / 6 5 / 4 5 / 5 6");
    ck_assert(said("2 elements are not drawn, of types without a known shape or in lines not "
                   "understood: XQ7 (2)"));
}
END_TEST

/* Of elements that a deck does not give whole, none takes nodes from the line behind it. */
START_TEST(elements_that_are_not_whole)
{
    read_deck(&fb_reader_inp, SIX_NODES "*ELEMENT, TYPE=S4\n1, 1, 2, 5, 4\n2, 2, 3, x, 5\n"
                                        "3, 2, 3, 6\n4, 2, 2, 3, 3\n"
                                        "*ELEMENT, TYPE=CONN3D2\n5, Part-1.1, Part-2.2\n"
                                        "*ELEMENT, TYPE=S4\n6, 2, 3, 6,\n*NSET, NSET=Z\n1\n"
                                        "*ELEMENT, TYPE=S4\n7, 2, 3,\n");
    assemble();
    ck_assert_str_eq(faces(), "1 2 5 4");
    ck_assert(said("5 " NOT_DRAWN "S4 (4), CONN3D2 (1)"));
    ck_assert(said("1 of 2 elements are not drawn: the same node is at several corners"));
}
END_TEST

START_TEST(numbers_that_are_none)
{
    char name[] = "deck", text[] = SIX_NODES "*ELEMENT, TYPE=S3\n1, 1, 2.5, 5\n";
    fb_input in = {.data = (unsigned char *)text, .size = strlen(text), .name = name};
    ck_assert_int_eq(fb_reader_inp.read(&in, &p, &warnings, &err), FB_EFORMAT);
    ck_assert_str_eq(err.msg,
                     "line 9 '1, 1, 2.5, 5': the number of an element and its nodes between "
                     "commas are wanted");
}
END_TEST

/* A C3D20 in three lines, as such decks are written, and one with all in a line. */
START_TEST(deck_with_long_elements)
{
    char deck[4000] = "*NODE\n";
    for (int k = 1; k <= 20; k++)
        snprintf(deck + strlen(deck), 60, "%d, %d, %d, %d\n", k, k, k * k % 7, k % 5);
    strcat(deck, "*ELEMENT, TYPE=C3D20R\n7,1,2,3,4,5,6,7,8,9,10,\n11,12,13,14,15,\n16,17,18,19,20\n"
                 "8,1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,\n9,1,2,3,4,5,6,7,8,9,10,\n"
                 "11,12,13,14,15,16,17,18,19,20\n");
    read_deck(&fb_reader_inp, deck);
    ck_assert_int_eq(p.elements.n, 3);
    ck_assert_int_eq(p.elements.nnode, 60);
    for (int64_t k = 0; k < 60; k++)
        ck_assert_int_eq(p.elements.node[k], k % 20 + 1);
    ck_assert_int_eq(p.elements.id[2], 9);
}
END_TEST

START_TEST(deck_with_an_instance)
{
    read_deck(&fb_reader_inp,
              "*PART, NAME=P\n" SIX_NODES
              "*ELEMENT, TYPE=S4, ELSET=E\n1, 1, 2, 5, 4\n2, 2, 3, 6, 5\n"
              "*END PART\n*ASSEMBLY, NAME=S\n*INSTANCE, NAME=I, PART=P\n0, 0, 7\n*END INSTANCE\n"
              "*ELSET, ELSET=LAST, INSTANCE=I\n2\n*END ASSEMBLY\n");
    ck_assert_str_eq(set("I.E"), "1 2 3 4 5 6");
    ck_assert_str_eq(set("E"), "1 2 3 4 5 6");
    ck_assert_str_eq(set("LAST"), "2 3 5 6");
    assemble();
    ck_assert_str_eq(faces(), "1 2 5 4 / 2 3 6 5");
    ck_assert_double_eq(b.xyz[2], 7);
}
END_TEST

/* By the manuals: topology and nodes. */
START_TEST(types_of_abaqus)
{
    static const struct {
        const char *name;
        fb_topology t;
    } t[] = {{"C3D4", FB_TETRA4},    {"C3D10T", FB_TETRA10}, {"C3D8I", FB_HEXA8},
             {"C3D20RP", FB_HEXA20}, {"C3D15", FB_PENTA15},  {"C3D6", FB_PENTA6},
             {"C3D5", FB_PYRAMID5},  {"C3D27", FB_HEXA27},   {"SC8R", FB_HEXA8},
             {"S3", FB_TRIA3},       {"S8R5", FB_QUAD8},     {"S9R5", FB_QUAD9},
             {"STRI65", FB_TRIA6},   {"STRI3", FB_TRIA3},    {"M3D9R", FB_QUAD9},
             {"CPS4R", FB_QUAD4},    {"CPE6", FB_TRIA6},     {"CAX8", FB_QUAD8},
             {"SFM3D4", FB_QUAD4},   {"R3D3", FB_TRIA3},     {"B31OSH", FB_LINE2},
             {"B32R", FB_LINE3},     {"B33", FB_LINE2},      {"PIPE32", FB_LINE3},
             {"T3D2H", FB_LINE2},    {"CONN3D2", FB_LINE2},  {"SPRINGA", FB_LINE2},
             {"SPRING1", FB_POINT},  {"MASS", FB_POINT},     {"S5", FB_UNKNOWN},
             {"C3D", FB_UNKNOWN},    {"U1", FB_POINT},       {"", FB_UNKNOWN}};
    for (size_t k = 0; k < sizeof t / sizeof *t; k++) {
        char deck[200];
        setup();
        snprintf(deck, sizeof deck,
                 "\xef\xbb\xbf*NODE\n1, 0, 0, 0\n*ELEMENT, TYPE=%s\n5, 1, 1, 1, 1, 1, 1, 1, 1\n",
                 t[k].name);
        read_deck(&fb_reader_inp, deck);
        ck_assert_msg(p.elements.n == (t[k].t < FB_NTOPOLOGY), "%s", t[k].name);
        ck_assert_msg(p.elements.nodd == (t[k].t == FB_UNKNOWN), "%s", t[k].name);
        if (p.elements.n)
            ck_assert_msg(p.elements.topology[0] == t[k].t, "%s", t[k].name);
        teardown();
    }
}
END_TEST

/* ---- Nastran ------------------------------------------------------------------------------- */

/* Element e of what was read, as text. */
static const char *nodes_of(int64_t e)
{
    static char text[300];
    int64_t first = 0;
    text[0] = 0;
    for (int64_t k = 0; k < e; k++)
        first += fb_element_kinds[p.elements.topology[k]].nodes;
    for (int k = 0; k < fb_element_kinds[p.elements.topology[e]].nodes; k++)
        snprintf(text + strlen(text), sizeof text - strlen(text), "%s%lld", k ? " " : "",
                 (long long)p.elements.node[first + k]);
    return text;
}

static void expect(const char *const *want, const fb_topology *t, int64_t n)
{
    ck_assert_int_eq(p.elements.n, n);
    for (int64_t k = 0; k < n; k++) {
        ck_assert_msg(p.elements.topology[k] == t[k], "element %lld is a %d", (long long)k,
                      p.elements.topology[k]);
        ck_assert_str_eq(nodes_of(k), want[k]);
    }
}

/* Corners 1 to 8, middles by the figures of the Quick Reference Guide: 9 to 12 below, 13 to 16
 * upright, 17 to 20 above; CPENTA 7 to 9, 10 to 12, 13 to 15. */
START_TEST(cards_of_nastran)
{
    read_deck(&fb_reader_bulk,
              "GRID,1,,0.,0.,0.\nGRID,2,,1.,0.,0.\n"
              "CHEXA   1       1       1       2       3       4       5       6       +A\n"
              "+A      7       8       9       10      11      12      13      14      +B\n"
              "+B      15      16      17      18      19      20\n"
              "CHEXA,2,1,1,2,3,4,5,6,\n,7,8\n"
              "CPENTA,3,1,1,2,3,4,5,6,\n,7,8,9,10,11,12,13,14,\n,15\n"
              "CTETRA,4,1,1,2,3,4,5,,\n,7,8,9,10\n"
              "CPYRAM,5,1,1,2,3,4,5\n"
              "CQUAD4,6,1,1,2,3,4\nCQUAD8,7,1,1,2,3,4,5,6,\n,7,8\nCQUAD8,8,1,1,2,3,4\n"
              "CTRIA6,9,1,1,2,3,4,5,6\nCTRIAR,10,1,3,2,1\n"
              "CBAR,11,1,1,2,0.,0.,1.\nCROD,12,1,3,4\nCONROD,13,5,6,1,2.\nPLOTEL,14,7,8\n"
              "CELAS2,15,1.+6,1,1,2,1\nCELAS2,16,1.+6,1,1\n"
              "RBE2,17,9,123456,1,2,THRU,4,\n,1.-6\n"
              "RBE3,18,,9,123456,1.,123,1,2,\n,2.,123,3,ALPHA,1.-6\n"
              "CTRIAX6,19,1,1,2,3,4,5,6\nCQUAD4,20,1,1,2,X,4\nENDDATA\n");
    expect((const char *[]){"1 2 3 4 5 6 7 8 9 10 11 12 17 18 19 20 13 14 15 16",
                            "1 2 3 4 5 6 7 8",
                            "1 2 3 4 5 6 7 8 9 13 14 15 10 11 12",
                            "1 2 3 4 5 0 7 8 9 10",
                            "1 2 3 4 5",
                            "1 2 3 4",
                            "1 2 3 4 5 6 7 8",
                            "1 2 3 4",
                            "1 2 3 4 5 6",
                            "3 2 1",
                            "1 2",
                            "3 4",
                            "5 6",
                            "7 8",
                            "1 2",
                            "9 1",
                            "9 2",
                            "9 3",
                            "9 4",
                            "9 1",
                            "9 2",
                            "9 3"},
           (fb_topology[]){FB_HEXA20, FB_HEXA8, FB_PENTA15, FB_TETRA10, FB_PYRAMID5, FB_QUAD4,
                           FB_QUAD8,  FB_QUAD4, FB_TRIA6,   FB_TRIA3,   FB_LINE2,    FB_LINE2,
                           FB_LINE2,  FB_LINE2, FB_LINE2,   FB_LINE2,   FB_LINE2,    FB_LINE2,
                           FB_LINE2,  FB_LINE2, FB_LINE2,   FB_LINE2},
           22);
    ck_assert_int_eq(p.elements.nodd, 2);
    ck_assert_str_eq(p.elements.odd[0].name, "CTRIAX6");
    ck_assert_str_eq(p.elements.odd[1].name, "CQUAD4");
}
END_TEST

/* ---- universal files ------------------------------------------------------------------------ */

/* A second-order brick goes around: 1 to 8 below, 9 to 12 upright, 13 to 20 above. */
START_TEST(sets_of_universal_files)
{
    read_deck(
        &fb_reader_unv,
        "    -1\n  2411\n         1         1         1        11\n"
        "   0.0000000000000000D+00   0.0000000000000000D+00   0.0000000000000000D+00\n    -1\n"
        "    -1\n  2412\n"
        "         1       116         1         1         7        20\n"
        "         1         2         3         4         5         6         7         8\n"
        "         9        10        11        12        13        14        15        16\n"
        "        17        18        19        20\n"
        "         2        21         1         1         7         2\n"
        "         0         1         1\n"
        "         5         6\n"
        "         3       118         1         1         7        10\n"
        "         1         2         3         4         5         6         7         8\n"
        "         9        10\n"
        "         4        11         1         1         7         2\n"
        "         7         8\n"
        "         5        92         1         1         7         6\n"
        "         1         2         3         4         5         6\n"
        "         6        93         1         1         7         9\n"
        "         1         2         3         4         5         6         7         8\n"
        "         9\n"
        "         7       200         1         1         7         1\n"
        "         1\n"
        "         8       113         1         1         7        15\n"
        "         1         2         3         4         5         6         7         8\n"
        "         9        10        11        12        13        14        15\n"
        "    -1\n    -1\n    82\n         1         5         7\nNONE\n"
        "         1         2         0         3         4\n    -1\n");
    expect((const char *[]){"1 3 5 7 13 15 17 19 2 4 6 8 14 16 18 20 9 10 11 12", "5 6",
                            "1 3 5 10 2 4 6 7 8 9", "7 8", "1 3 5 2 4 6",
                            "1 3 5 10 12 14 2 4 6 11 13 15 7 8 9", "1 2", "3 4"},
           (fb_topology[]){FB_HEXA20, FB_LINE2, FB_TETRA10, FB_LINE2, FB_TRIA6, FB_PENTA15,
                           FB_LINE2, FB_LINE2},
           8);
    ck_assert_int_eq(p.elements.nodd, 2); /* a cubic triangle, and one that is not known */
    ck_assert_str_eq(p.elements.odd[0].name, "93");
    ck_assert_str_eq(p.elements.odd[1].name, "200");
}
END_TEST

/* ---- gmsh ------------------------------------------------------------------------------------ */

#define MSH2 "$MeshFormat\n2.2 0 8\n$EndMeshFormat\n"
#define MSH4 "$MeshFormat\n4.1 0 8\n$EndMeshFormat\n"

START_TEST(mesh_of_gmsh_2)
{
    read_deck(&fb_reader_gmsh,
              MSH2 "$PhysicalNames\n2\n2 5 \"SKIN A\"\n0 1 \"P\"\n$EndPhysicalNames\n"
                   "$Nodes\n3\n1 0 0 0\n2 1 0 0\n7 0 1.5e0 -2\n$EndNodes\n"
                   "$Elements\n5\n1 15 2 1 1 7\n2 1 2 4 1 1 2\n3 2 2 5 1 1 2 7\n4 21 2 5 1 1\n"
                   "5 8 2 0 1 1 2 7\n$EndElements\n");
    ck_assert_int_eq(p.nn, 3);
    ck_assert_double_eq(p.xyz[7], 1.5);
    ck_assert_str_eq(set("P"), "7");
    ck_assert_str_eq(set("SKIN A"), "1 2 7");
    ck_assert_str_eq(set("curve4"), "1 2");
    expect((const char *[]){"1 2", "1 2 7", "1 2 7"}, (fb_topology[]){FB_LINE2, FB_TRIA3, FB_LINE3},
           3);
    ck_assert_str_eq(p.elements.odd[0].name, "21");
}
END_TEST

/* A tetrahedron and one of its faces, in groups and not. */
static void expect_tetrahedron(void)
{
    ck_assert_str_eq(set("point3"), "1");
    ck_assert_str_eq(set("surface6"), "1 2 3");
    ck_assert_str_eq(set("BODY"), "1 2 3 5");
    ck_assert_int_eq(p.nn, 4);
    ck_assert_int_eq(p.node_id[3], 5);
    ck_assert_double_eq(p.xyz[11], 1);
    expect((const char *[]){"1 3 2", "1 2 3 5"}, (fb_topology[]){FB_TRIA3, FB_TETRA4}, 2);
}

/* 4.0: a box for points, the entity before its dimension, nodes in lines. */
START_TEST(mesh_of_gmsh_40)
{
    read_deck(&fb_reader_gmsh,
              "$MeshFormat\n4 0 8\n$EndMeshFormat\n$PhysicalNames\n1\n3 1 \"BODY\"\n"
              "$EndPhysicalNames\n$Entities\n1 0 1 1\n9 0 0 0 0 0 0 1 3\n"
              "3 0 0 0 1 1 1 1 6 0\n4 0 0 0 1 1 1 1 1 0\n$EndEntities\n"
              "$Nodes\n2 4\n9 0 0 1\n1 0 0 0\n4 3 0 3\n2 1 0 0\n3 0 1 0\n5 0 0 1\n$EndNodes\n"
              "$Elements\n3 3\n9 0 15 1\n1 1\n3 2 2 1\n3 1 3 2\n4 3 4 1\n4 1 2 3 5\n"
              "$EndElements\n");
    expect_tetrahedron();
}
END_TEST

static fb_buf packed; /* a binary mesh */

static void pack_long(int x)
{
    fb_put_i32(&packed, packed.little ? x : 0);
    fb_put_i32(&packed, packed.little ? 0 : x);
}

static void pack(const char *kinds, ...) /* i: int32, z: int64, d: double */
{
    va_list ap;
    va_start(ap, kinds);
    for (; *kinds; kinds++)
        if (*kinds == 'i')
            fb_put_i32(&packed, va_arg(ap, int));
        else if (*kinds == 'z')
            pack_long(va_arg(ap, int));
        else
            fb_put_f64(&packed, (double[]){va_arg(ap, double)}, 1);
    va_end(ap);
}

/* The same mesh, 2.2 or 4.1, in either order of bytes; a section that nobody knows between. */
static void pack_tetrahedron(int version, int little)
{
    packed = (fb_buf){.little = little};
    fb_put_text(&packed, "$MeshFormat\n%s 1 8\n", version == 2 ? "2.2" : "4.1");
    pack("i", 1);
    fb_put_text(&packed, "\n$EndMeshFormat\n$PhysicalNames\n1\n3 1 \"BODY\"\n$EndPhysicalNames\n");
    if (version == 2) {
        fb_put_text(&packed, "$Nodes\n4\n");
        pack("idddidddidddiddd", 1, 0., 0., 0., 2, 1., 0., 0., 3, 0., 1., 0., 5, 0., 0., 1.);
        fb_put_text(&packed, "\n$EndNodes\n$Periodic\n\n$\n\1\n$EndPeriodic\n$Elements\n3\n");
        pack("iiiiiiiiiiiii", 15, 1, 2, 1, 3, 9, 1, 2, 1, 1, 3, 6, 1);
        pack("iiiiiiiiiii", 3, 2, 4, 1, 1, 4, 1, 1, 2, 3, 5);
    } else {
        fb_put_text(&packed, "$Entities\n");
        pack("zzzz", 1, 0, 1, 1);
        pack("idddzi", 9, 0., 0., 0., 1, 3);
        pack("iddddddziz", 3, 0., 0., 0., 1., 1., 1., 1, 6, 0);
        pack("iddddddzizi", 4, 0., 0., 0., 1., 1., 1., 1, 1, 1, 3);
        fb_put_text(&packed, "\n$EndEntities\n$Nodes\n");
        pack("zzzziiizzddd", 2, 4, 1, 5, 0, 9, 0, 1, 1, 0., 0., 0.);
        pack("iiizzzz", 3, 4, 1, 3, 2, 3, 5);
        for (int k = 0; k < 3; k++) /* parametric: places, and three more */
            pack("dddddd", k == 0 ? 1. : 0., k == 1 ? 1. : 0., k == 2 ? 1. : 0., 7., 8., 9.);
        fb_put_text(&packed, "\n$EndNodes\n$Periodic\n\n$\n\1\n$EndPeriodic\n$Elements\n");
        pack("zzzziiizzz", 3, 3, 1, 4, 0, 9, 15, 1, 1, 1);
        pack("iiizzzzz", 2, 3, 2, 1, 3, 1, 3, 2);
        pack("iiizzzzzz", 3, 4, 4, 1, 4, 1, 2, 3, 5);
    }
    fb_put_text(&packed, "\n$EndElements\n");
}

START_TEST(binary_meshes_of_gmsh)
{
    char name[] = "deck";
    pack_tetrahedron(_i & 1 ? 2 : 4, _i < 2);
    fb_input in = {.data = packed.data, .size = (size_t)packed.size, .name = name};
    ck_assert_msg(!fb_reader_gmsh.read(&in, &p, &warnings, &err), "%s", err.msg);
    expect_tetrahedron();
    fb_buf_free(&packed);
}
END_TEST

/* A mesh that is cut, or whose counts are absurd, is refused; none is read beyond its end. */
START_TEST(spoiled_binary_meshes)
{
    char name[] = "deck";
    pack_tetrahedron(_i & 1 ? 2 : 4, 1);
    const size_t size = (size_t)packed.size;
    for (size_t n = 12; n + 1 < size; n++) {
        unsigned char *cut = malloc(n); /* so that a sanitizer sees the end */
        memcpy(cut, packed.data, n);
        fb_input in = {.data = cut, .size = n, .name = name};
        setup();
        const fb_status s = fb_reader_gmsh.read(&in, &p, &warnings, &err);
        ck_assert(s == FB_OK || s == FB_EFORMAT); /* it may end between two sections */
        teardown();
        free(cut);
    }
    for (size_t n = 40; n < size; n++) {
        const unsigned char was = packed.data[n];
        packed.data[n] = 0xff;
        fb_input in = {.data = packed.data, .size = size, .name = name};
        setup();
        const fb_status s = fb_reader_gmsh.read(&in, &p, &warnings, &err);
        ck_assert(s == FB_OK || s == FB_EFORMAT);
        teardown();
        packed.data[n] = was;
    }
    fb_buf_free(&packed);
    setup();
}
END_TEST

START_TEST(mesh_of_gmsh_4)
{
    read_deck(&fb_reader_gmsh,
              MSH4 "$PhysicalNames\n1\n3 2 \"BODY\"\n$EndPhysicalNames\n"
                   "$Entities\n1 1 1 1\n9 0 0 0 1 3\n8 0 0 0 1 1 1 0 2 1 -2\n"
                   "3 0 0 0 1 1 1 1 6 1 8\n4 0 0 0 1 1 1 2 2 11 1 3\n$EndEntities\n"
                   "$Nodes\n2 4 1 5\n0 9 0 1\n1\n0 0 0\n3 4 0 3\n2\n3\n5\n1 0 0\n0 1 0\n0 0 1\n"
                   "$EndNodes\n$Elements\n4 4 1 4\n0 9 15 1\n1 1\n1 8 1 1\n2 1 2\n"
                   "2 3 2 1\n3 1 3 2\n3 4 4 1\n4 1 2 3 5\n$EndElements\n");
    ck_assert_str_eq(set("point3"), "1");
    ck_assert_str_eq(set("surface6"), "1 2 3");
    ck_assert_str_eq(set("BODY"), "1 2 3 5");
    ck_assert_str_eq(set("volume11"), "1 2 3 5");
    ck_assert_int_eq(p.node_id[3], 5);
    ck_assert_double_eq(p.xyz[11], 1);
    expect((const char *[]){"1 3 2", "1 2 3 5"}, (fb_topology[]){FB_TRIA3, FB_TETRA4}, 2);
}
END_TEST

/* Second-order elements by the figures of gmsh's manual: a brick's middles of edges 0-1, 0-3, 0-4,
 * 1-2, 1-5, 2-3, 2-6, 3-7, 4-5, 4-7, 5-6, 6-7; a tetrahedron's last two are 2-3 and 1-3. */
START_TEST(orders_of_gmsh)
{
    static const struct {
        const char *line, *nodes;
        fb_topology t;
    } t[] = {
        {"1 11 0 1 2 3 4 5 6 7 8 9 10", "1 2 3 4 5 6 7 8 10 9", FB_TETRA10},
        {"1 17 0 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20",
         "1 2 3 4 5 6 7 8 9 12 14 10 17 19 20 18 11 13 15 16", FB_HEXA20},
        {"1 18 0 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15", "1 2 3 4 5 6 7 10 8 13 15 14 9 11 12",
         FB_PENTA15},
        {"1 19 0 1 2 3 4 5 6 7 8 9 10 11 12 13", "1 2 3 4 5 6 9 11 7 8 10 12 13", FB_PYRAMID13},
        {"1 12 0 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20 21 22 23 24 25 26 27",
         "1 2 3 4 5 6 7 8 9 12 14 10 17 19 20 18 11 13 15 16 21 26 22 24 25 23 27", FB_HEXA27},
    };
    char text[500];
    snprintf(text, sizeof text,
             MSH2 "$Nodes\n1\n1 0 0 0\n$EndNodes\n$Elements\n1\n%s\n$EndElements\n", t[_i].line);
    read_deck(&fb_reader_gmsh, text);
    expect(&t[_i].nodes, &t[_i].t, 1);
}
END_TEST

START_TEST(meshes_that_are_refused)
{
    static const struct {
        const char *text, *error;
    } t[] = {
        {"$MeshFormat\n4.1 1 8\n\1\1\1\1\n$EndMeshFormat\n", "the integer 1 is wanted"},
        {"$MeshFormat\n4 1 8\n", "binary 2 and 4.1 are read"},
        {"$MeshFormat\n3 0 8\n", "text of versions 2, 4.0 and 4.1"},
        {"$MeshFormat\n", "the file ends, the version is missing"},
        {MSH2 "$Elements\n0\n$EndElements\n", "the mesh has no nodes"},
        {MSH2 "$Nodes\n2\n1 0 0 0\n$EndNodes\n", "a node is wanted"},
        {MSH2 "$Nodes\n1\n1 0 0\n$EndNodes\n", "three coordinates are wanted"},
        {MSH2 "$Nodes\n1\n1 0 0 0\n$EndNodes\n$Elements\n1\n1 4 0 1 2 3\n", "4 nodes are wanted"},
        {MSH2 "$Elements\n1\n1 4 7 1 2 3\n", "number, type, tags, nodes are wanted"},
        {MSH4 "$Entities\n1 0 0 0\n9 0 0 0 2 3\n", "2 physical groups are wanted"},
        {MSH4 "$Nodes\n1 1 1 1\n0 9 0 1000000000000\n1\n", "the file ends"},
        {MSH2 "$Nodes\n1\n1 0 0 0\n2 0 0 0\n$EndNodes\n",
         "line 7 '2 0 0 0': $EndNodes is wanted: the section has more than its counts say"},
        {MSH2 "$Nodes\n-1\n1 0 0 0\n$EndNodes\n", "$EndNodes is wanted"},
        {MSH4 "$Elements\n1 2 1 2\n3 1 5 0\n1 1 2 3 4\n", "$EndElements is wanted"},
        {MSH4 "$Entities\n0 0 0 0\n9 0 0 0 0\n", "$EndEntities is wanted"},
        {MSH2 "$Nodes\n1\n1 0 0 0\n", "the file ends, $EndNodes is missing"},
    };
    char name[] = "mesh.msh";
    fb_input in = {
        .data = (const unsigned char *)t[_i].text, .size = strlen(t[_i].text), .name = name};
    ck_assert_int_eq(fb_reader_gmsh.read(&in, &p, &warnings, &err), FB_EFORMAT);
    ck_assert_msg(strstr(err.msg, t[_i].error) != NULL, "%s", err.msg);
}
END_TEST

/* ---- Ansys archives -------------------------------------------------------------------------- */

static const char archive[] =
    "/PREP7\r\n! ET,9,186\r\net , 1 , 186 ! comment\r\nETBLOCK,2,2\r\n(2i9,19a9)\r\n"
    "        2      181        0\r\n        3      188        0\r\n       -1\r\nET,4,21\r\n"
    "NBLOCK,6,SOLID,  12,  3\r\n(3i8,6e16.9)\r\n"
    "       1       0       0\r\n"
    "       2       0       0 1.000000000E+00-2.000000000E+00\r\n"
    "      12       0       0 0.000000000E+00 0.000000000E+00 3.000000000E+00 9.000000000E+01\r\n"
    "N,R5.3,LOC,       -1,\r\n"
    "eblock,19,solid,,6\r\n(19i6)\r\n"
    "     1     1     1     1     0     0     0     0    20     0     7     1     2     3     4    "
    " 5"
    "     6     7     8\r\n"
    "     9    10    11    12    13    14    15    16    17    18    19    20\r\n"
    "     1     1     1     1     0     0     0     0     8     0     8     1     2     3     3    "
    " 5"
    "     5     5     5\r\n"
    "     1     2     1     1     0     0     0     0     4     0     9     1     2     3     4\r\n"
    "     1     3     1     1     0     0     0     0     3     0    10     1     2    12\r\n"
    "     1     4     1     1     0     0     0     0     1     0    11     1\r\n"
    "     1     5     1     1     0     0     0     0     4     0    12     1     2     3     4\r\n"
    "    -1\r\nEBLOCK,10,,,1\r\n(15i9)\r\n"
    "       13        2        1        1        0        5        6        7\r\n       -1\r\n"
    "CMBLOCK,ENDS  ,NODE,  3 ! users node component\r\n(8i10)\r\n"
    "         1        -3        12\r\n"
    "CMBLOCK,FACE,ELEM,       2\r\n(8i10)\r\n         9       -10\r\n"
    "CMBLOCK,AREAS,AREA,       1\r\n(8i10)\r\n         1\r\nFINISH\r\n";

START_TEST(archive_of_ansys)
{
    read_deck(&fb_reader_cdb, archive);
    ck_assert_int_eq(p.nn, 3);
    ck_assert_mem_eq(p.node_id, ((int64_t[]){1, 2, 12}), 24);
    ck_assert_mem_eq(p.xyz, ((double[]){0, 0, 0, 1, -2, 0, 0, 0, 3}), 72);
    expect((const char *[]){"1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20", "1 2 3 3 5 5 5 5",
                            "1 2 3 4", "1 2", "5 6 7"},
           (fb_topology[]){FB_HEXA20, FB_HEXA8, FB_QUAD4, FB_LINE2, FB_TRIA3}, 5);
    ck_assert_int_eq(p.elements.nodd, 1);
    ck_assert_str_eq(p.elements.odd[0].name, "ET 5");
    ck_assert_str_eq(set("ENDS"), "1 2 3 12");
    ck_assert_str_eq(set("FACE"), "1 2 3 4");
    ck_assert_str_eq(set("AREAS"), "");
    const double turned[9] = {0, -1, 0, 1, 0, 0, 0, 0, 1}; /* a quarter about z: x becomes y */
    for (int k = 0; k < 9; k++) {
        ck_assert_double_eq_tol(p.frame[k], k % 4 == 0, 1e-15);
        ck_assert_double_eq_tol(p.frame[18 + k], turned[k], 1e-15);
    }
}
END_TEST

/* Angles one by one, about z, the new x, the new y: what becomes of the axis that does not turn and
 * of the others, by hand. */
START_TEST(axes_of_ansys)
{
    static const struct {
        const char *angles;
        double F[9];
    } t[] = {
        {" 0.000000000E+00 9.000000000E+01", {1, 0, 0, 0, 0, -1, 0, 1, 0}},
        {" 0.000000000E+00 0.000000000E+00 9.000000000E+01", {0, 0, 1, 0, 1, 0, -1, 0, 0}},
        {" 9.000000000E+01 9.000000000E+01", {0, 0, 1, 1, 0, 0, 0, 1, 0}},
        {" 9.000000000E+01 0.000000000E+00 9.000000000E+01", {0, -1, 0, 0, 0, 1, -1, 0, 0}},
    };
    char text[500];
    snprintf(text, sizeof text,
             "NBLOCK,6,SOLID\n(3i8,6e16.9)\n       1       0       0 0.000000000E+00 "
             "0.000000000E+00 0.000000000E+00%s\n      -1\n",
             t[_i].angles);
    read_deck(&fb_reader_cdb, text);
    for (int k = 0; k < 9; k++)
        ck_assert_double_eq_tol(p.frame[k], t[_i].F[k], 1e-15);
}
END_TEST

/* Axes that a command turns, not NBLOCK: matrices would be taken along the global ones. */
START_TEST(axes_of_commands)
{
    static const char *const turn[] = {"nrotat, all", "NANG,1,0,1,0,-1,0,0,0,0,1", "NORA,AREA",
                                       "NSEL,ALL"};
    char text[500];
    snprintf(text, sizeof text,
             "NBLOCK,6,SOLID\n(3i8,6e16.9)\n       1       0       0 1.000000000E+00\n      -1\n"
             "CSYS,12\n%s\n",
             turn[_i]);
    read_deck(&fb_reader_cdb, text);
    ck_assert_int_eq(warnings.nwarning, _i < 3);
    if (_i < 3)
        ck_assert_msg(strstr(warnings.warning[0], " turns the axes of nodes, by what stands") &&
                          strstr(warnings.warning[0], "deck: line 6: N"),
                      "%s", warnings.warning[0]);
}
END_TEST

START_TEST(archives_that_are_refused)
{
    static const struct {
        const char *text, *error;
    } t[] = {
        {"/PREP7\nFINISH\n", "no nodes (NBLOCK) in it"},
        {"NBLOCK,3,,5\n", "the file ends within NBLOCK"},
        {"NBLOCK,6,SOLID,9,9\n(3i8,6e16.9)\n       1       0       0\n",
         "NBLOCK announces 9 nodes, 1 are there: was the file cut?"},
        {"NBLOCK,6,SOLID\n(3i8,6e16.9)\n     1.5       0       0\n", "node, x, y, z in columns"},
        {"EBLOCK,19,SOLID\n(19i6)\n     1     1\n", "eleven numbers before the nodes are wanted"},
        {"EBLOCK,19,SOLID\n(19i6)\n     1     1     1     1     0     0     0     0    20     0"
         "     7     1\n",
         "the file ends within EBLOCK"},
        {"CMBLOCK,A,NODE,2\n(8i10)\n         1-999999999\n", "members in one range"},
        {"EBLOCK,10\n(9i6)\n     1     1     1     1     0     7\n\n",
         "the file ends within EBLOCK"},
        {"ETBLOCK,1,1\n(2i9,19a9)\n        2      181        0\n", "the file ends within ETBLOCK"},
        {"NBLOCK,3,,5\n(i8,3e16.9)\n       1\n", "the file ends within NBLOCK"},
        {"CMBLOCK,A,NODE,3\n(8i10)\n         1        -9\n\n",
         "CMBLOCK A announces 3 numbers, 2 are there: was the file cut?"},
    };
    char name[] = "job.cdb";
    fb_input in = {
        .data = (const unsigned char *)t[_i].text, .size = strlen(t[_i].text), .name = name};
    ck_assert_int_eq(fb_reader_cdb.read(&in, &p, &warnings, &err), FB_EFORMAT);
    ck_assert_msg(strstr(err.msg, t[_i].error) != NULL, "%s", err.msg);
}
END_TEST

/* Every allocation of the readers fails once. */
START_TEST(memory_of_readers)
{
    static const struct {
        const fb_reader *r;
        const char *text;
    } t[] = {{&fb_reader_cdb, archive},
             {&fb_reader_gmsh, MSH2 "$Nodes\n1\n1 0 0 0\n$EndNodes\n$Elements\n2\n"
                                    "1 4 1 3 1 2 3 4\n2 2 1 3 1 2 3\n$EndElements\n"},
             {&fb_reader_inp, "*NODE\n1,0\n*ELEMENT,TYPE=S3,ELSET=A\n1,1,1,1\n"
                              "*NSET,NSET=B,ELSET=A\n"}};
    char name[] = "deck";
    fb_input in = {
        .data = (const unsigned char *)t[_i].text, .size = strlen(t[_i].text), .name = name};
    for (long k = 0;; k++) {
        setup();
        fb_alloc_fail_after = k;
        const fb_status s = t[_i].r->read(&in, &p, &warnings, &err);
        fb_alloc_fail_after = -1;
        teardown();
        if (!s)
            return;
        ck_assert_int_eq(s, FB_ESYS);
    }
}
END_TEST

Suite *suite_faces(void)
{
    Suite *s = suite_create("faces");
    TCase *c = tcase_create("skin"), *d = tcase_create("decks");
    tcase_add_checked_fixture(c, setup, teardown);
    tcase_add_checked_fixture(d, setup, teardown);
    tcase_add_loop_test(c, one_solid, 0, 2 * (int)(sizeof solids / sizeof *solids));
    tcase_add_test(c, inner_faces_are_not_seen);
    tcase_add_test(c, a_hole);
    tcase_add_loop_test(c, collapsed, 0, 3);
    tcase_add_test(c, surfaces_and_lines);
    tcase_add_test(c, skins_on_solids);
    tcase_add_loop_test(c, second_order_surfaces, FB_QUAD8, FB_QUAD9 + 1);
    tcase_add_loop_test(c, second_order_surfaces, FB_TRIA6, FB_TRIA6 + 1);
    tcase_add_loop_test(c, nodes_without_dofs, 3, 5);
    tcase_add_test(c, unknown_types);
    tcase_add_test(c, memory);
    tcase_add_test(d, deck_of_abaqus);
    tcase_add_test(d, elements_that_are_not_whole);
    tcase_add_test(d, numbers_that_are_none);
    tcase_add_test(d, deck_with_long_elements);
    tcase_add_test(d, deck_with_an_instance);
    tcase_add_test(d, types_of_abaqus);
    tcase_add_test(d, cards_of_nastran);
    tcase_add_test(d, sets_of_universal_files);
    tcase_add_test(d, mesh_of_gmsh_2);
    tcase_add_test(d, mesh_of_gmsh_4);
    tcase_add_test(d, mesh_of_gmsh_40);
    tcase_add_loop_test(d, binary_meshes_of_gmsh, 0, 4);
    tcase_add_loop_test(d, spoiled_binary_meshes, 0, 2);
    tcase_add_loop_test(d, orders_of_gmsh, 0, 5);
    tcase_add_loop_test(d, meshes_that_are_refused, 0, 16);
    tcase_add_test(d, archive_of_ansys);
    tcase_add_loop_test(d, axes_of_ansys, 0, 4);
    tcase_add_loop_test(d, axes_of_commands, 0, 4);
    tcase_add_loop_test(d, archives_that_are_refused, 0, 11);
    tcase_add_loop_test(d, memory_of_readers, 0, 3);
    suite_add_tcase(s, c);
    suite_add_tcase(s, d);
    return s;
}
