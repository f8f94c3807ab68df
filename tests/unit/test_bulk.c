/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Bulk data: points in nested systems, sets, row orders, INCLUDE. */
#include "mnfparse/nastran/nastran.h"
#include "mnfparse/join/assemble.h"
#include "tests/model/near.h"
#include "tests/suites.h"
#include <math.h>
#include <sys/stat.h>
#include <unistd.h>

static void deck_part(result *r, const char *text, const char *part)
{
    char name[] = "deck";
    fb_input in = {.data = (const unsigned char *)text, .size = strlen(text), .name = name};
    *r = (result){.p.part = part};
    r->s = fb_reader_bulk.read(&in, &r->p, &r->log, &r->e);
}

static void deck(result *r, const char *text)
{
    deck_part(r, text, NULL);
}

/* OUTPUT4 has no labels: KAA has the rows of the a-set, KGG all dofs of all points, ascending. */
START_TEST(rows_of_a_deck)
{
    static const int64_t node_a[] = {3, 3, 7, 9}, comp_a[] = {1, 3, 2, 0};
    result r;
    deck(&r, "BEGIN BULK\nGRID,7,,1.,0.,0.\nGRID,3,,0.,0.,0.\nSPOINT,9\nASET1,13,3\nBSET1,2,7\n"
             "QSET1,0,9\nENDDATA\n");
    ck_assert_msg(!r.s, "%s", r.e.msg);
    ck_assert_int_eq(r.p.norder, 2);
    const fb_row_order *a = r.p.order, *g = a + 1;
    ck_assert_int_eq(a->n, 4);
    for (int k = 0; k < 4; k++) {
        ck_assert_int_eq(a->dof.node[k], node_a[k]);
        ck_assert_int_eq(a->dof.component[k], comp_a[k]);
    }
    ck_assert_int_eq(g->n, 13);
    ck_assert_int_eq(g->dof.node[6], 7);
    ck_assert_int_eq(g->dof.component[6], 1);
    ck_assert_int_eq(g->dof.node[12], 9);
    ck_assert_int_eq(g->dof.component[12], 0);
    result_free(&r);
    deck(&r, "BEGIN BULK\nSPOINT,1,2\nENDDATA\n"); /* masses and springs: no modal coordinates */
    ck_assert_int_eq(r.p.norder, 0);
    result_free(&r);
}
END_TEST

static int64_t node(const result *r, int64_t id)
{
    for (int64_t k = 0; k < r->p.nn; k++)
        if (r->p.node_id[k] == id)
            return k;
    ck_abort_msg("no node %lld; %s", (long long)id, r->e.msg);
    return -1;
}

static void is_at(const result *r, int64_t id, double x, double y, double z)
{
    const double *p = r->p.xyz + 3 * node(r, id);
    ck_assert_msg(fabs(p[0] - x) < 1e-12 && fabs(p[1] - y) < 1e-12 && fabs(p[2] - z) < 1e-12,
                  "node %lld at %.15g %.15g %.15g", (long long)id, p[0], p[1], p[2]);
}

/* Axis j of the frame of the node. */
static void axis_is(const result *r, int64_t id, int j, double x, double y, double z)
{
    const double *t = r->p.frame + 9 * node(r, id);
    ck_assert_msg(
        fabs(t[j] - x) < 1e-12 && fabs(t[3 + j] - y) < 1e-12 && fabs(t[6 + j] - z) < 1e-12,
        "node %lld axis %d: %.15g %.15g %.15g", (long long)id, j, t[j], t[3 + j], t[6 + j]);
}

static const fb_set *set(const result *r, const char *name)
{
    for (int64_t k = 0; k < r->p.nset; k++)
        if (!strcmp(r->p.set[k].name, name))
            return r->p.set + k;
    ck_abort_msg("no set %s; %s", name, r->e.msg);
    return NULL;
}

/* "1.3 2.1": the dofs of the set in order. */
static void set_is(const result *r, const char *name, const char *want)
{
    char got[512] = "";
    const fb_set *t = set(r, name);
    for (int64_t k = 0; k < t->n; k++)
        snprintf(got + strlen(got), sizeof got - strlen(got), "%s%lld.%lld", k ? " " : "",
                 (long long)t->node[k], (long long)t->component[k]);
    ck_assert_str_eq(got, want);
}

static void refused(const char *text, const char *what)
{
    result r;
    deck(&r, text);
    ck_assert_msg(r.s != FB_OK && r.s != FB_ESYS && strstr(r.e.msg, what),
                  "status %d, \"%s\", wanted \"%s\"", r.s, r.e.msg, what);
    result_free(&r);
}

START_TEST(systems)
{
    result r;
    /* 1: z along basic x, x along basic y. 2: cylindrical in 1. 3: spherical, shifted. 4:
     * rectangular in the cylindrical system 2 (its points are given there). 5, 6: by grids. */
    deck(
        &r,
        "CORD2R,1,0,10.,0.,0.,11.,0.,0.\n,10.,1.,0.\n"
        "CORD2C,2,1,0.,0.,0.,0.,0.,1.\n,1.,0.,0.\n"
        "CORD2S,3,,0.,0.,5.,0.,0.,6.\n,1.,0.,5.\n"
        "CORD2R,4,2,2.,90.,0.,2.,90.,1.\n,3.,90.,0.\n"
        "GRID,10,1,1.,2.,3.,2\nGRID,11,2,2.,90.,1.,2\nGRID,12,3,2.,90.,90.,3\nGRID,13,4,1.,0.,0.,"
        "4\nGRID,14,2,0.,45.,0.,2\n"
        "GRID,20,,1.,1.,0.\nGRID,21,,1.,1.,2.\nGRID,22,,3.,1.,0.\nGRID,23,1,0.,0.,0.\n"
        "CORD1R,5,20,21,22,6,23,20,22\nCORD1S,7,20,21,22\nCORD1C,8,20,21,22\nGRID,30,5,1.,2.,3.,5\n"
        "GRID,31,8,1.,90.,3.,8\nGRID,32,7,3.,0.,0.,7\nGRID,33,7,0.,0.,0.,7\n");
    ck_assert_msg(r.s == FB_OK, "%s", r.e.msg);
    is_at(&r, 10, 13, 1, 2); /* origin + x e_y + y e_z + z e_x */
    is_at(&r, 11, 11, 0, 2);
    axis_is(&r, 11, 0, 0, 0, 1);
    axis_is(&r, 11, 1, 0, -1, 0);
    axis_is(&r, 11, 2, 1, 0, 0);
    axis_is(&r, 10, 0, 0, 1 / sqrt(5), 2 / sqrt(5));
    is_at(&r, 12, 0, 2, 5);
    axis_is(&r, 12, 0, 0, 1, 0);
    axis_is(&r, 12, 1, 0, 0, -1);
    axis_is(&r, 12, 2, -1, 0, 0);
    is_at(&r, 13, 10, 0, 3); /* x of system 4 runs outwards at 90 degrees */
    axis_is(&r, 13, 0, 0, 0, 1);
    axis_is(&r, 14, 0, 0, 1, 0); /* on the axis the angle is 0 */
    is_at(&r, 30, 2, 3, 3);
    axis_is(&r, 30, 0, 1, 0, 0);
    is_at(&r, 31, 1, 2, 3);
    axis_is(&r, 31, 0, 0, 1, 0);
    is_at(&r, 32, 1, 1, 3);
    axis_is(&r, 20, 1, 0, 1, 0);
    /* on the polar axis, and in the origin, the rectangular axes stand (NASTRAN-95, TRANSS) */
    axis_is(&r, 32, 0, 1, 0, 0);
    axis_is(&r, 32, 1, 0, 1, 0);
    axis_is(&r, 32, 2, 0, 0, 1);
    axis_is(&r, 33, 0, 1, 0, 0);
    axis_is(&r, 33, 2, 0, 0, 1);
    result_free(&r);
}
END_TEST

/* A continuation mark may begin with '*' in free fields, too: the card goes on in fields of 16. */
START_TEST(marks_in_free_fields)
{
    result r;
    deck(&r, "BEGIN BULK\nGRID*,1,,1.,2.,*G1\n*G1,3.,0,456\nGRID,2,,4.,5.,6.,0,,+G2\n+G2,\n"
             "GRID*,3,,7.,8.,*\n*,9.\nDMIG,KAAX,0,6,2,0,,,3\nDMIG*,KAAX,1,1,,*K1\n"
             "*K1,1,1,10.,,*K2\n*K2,1,2,-4.\n*K3,1,3,2.5\nENDDATA\n");
    ck_assert_msg(!r.s, "%s", r.e.msg);
    is_at(&r, 1, 1, 2, 3);
    is_at(&r, 2, 4, 5, 6);
    is_at(&r, 3, 7, 8, 9);
    ck_assert_int_eq(r.p.nmatrix, 1);
    const fb_csc *K = &r.p.matrix->A;
    ck_assert_int_eq(K->p[K->n], 3);
    ck_assert_double_eq(K->x[0], 10);
    ck_assert_double_eq(K->x[1] + K->x[2], -1.5);
    result_free(&r);
    /* the solver makes cards of these lines, which this reader does not */
    refused("BEGIN BULK\nGRID,1,,0.,0.,0.\n=,*(1),=,*(2.),==\n=(3)\nENDDATA\n", "repeats the card");
    deck(&r, "BEGIN BULK\nGRID,1,,0.,0.,0.\nFORCE,1,1,,1.,1.,0.,0.\n=,=,*(1),==\nENDDATA\n");
    ck_assert_msg(!r.s, "%s", r.e.msg); /* of a card that nobody reads it is as good as nothing */
    result_free(&r);
}
END_TEST

START_TEST(grids)
{
    result r;
    deck(&r, "SPC = 2\nDISPLACEMENT(PLOT) = ALL\nSET 1 = 4,16\nBEGIN BULK\nGRDSET                 "
             "1                               2     126\n"
             "CORD2R  1               0.      0.      1.      0.      0.      2.\n        1.      "
             "0.      1.\n"
             "CORD2R  2               0.      0.      0.      0.      0.      1.\n        0.      "
             "1.      0.\n"
             "$ comment: \xc2\xa7 \xcf\x80\n"
             "GRID           1              1.      2.      3.\n"
             "GRID*                  2               0 1.000000000E+00          2.D+00\n*          "
             "         3.+0               0             456\n"
             "grid,3,0,-.99999994039535,1.42-7,7.271236428543-4,0\n"
             "GRID     4               1.      2.      3.              \r\nGRID     4              "
             " 1.      2.      3.\n"
             "GRID\t5\t0\t1.\t\t3.\t0\n"
             "CONM2,1,1,,2.5\nCONM2   2       2       0     1080.\nENDDATA\nGRID,99,,0.,0.,0.\n");
    ck_assert_msg(r.s == FB_OK, "%s", r.e.msg);
    ck_assert_int_eq(r.p.nn, 5);
    is_at(&r, 1, 1, 2, 4);
    is_at(&r, 2, 1, 2, 3);
    is_at(&r, 3, -.99999994039535, 1.42e-7, 7.271236428543e-4);
    is_at(&r, 4, 1, 2, 4);
    is_at(&r, 5, 1, 0, 3);
    axis_is(&r, 1, 0, 0, 1, 0);
    axis_is(&r, 3, 0, 1, 0, 0);
    set_is(&r, "PS", "1.1 1.2 1.6 2.4 2.5 2.6 3.1 3.2 3.6 4.1 4.2 4.6 5.1 5.2 5.6");
    result_free(&r);
}
END_TEST

/* Nastran stops at ENDDATA; matrices that were put behind it are meant, other cards are not. */
START_TEST(matrices_behind_the_end)
{
    result r;
    deck(&r, "BEGIN "
             "BULK\nGRID,1,,0.,0.,0.\nENDDATA\nGRID,99,,0.,0.,0.\nDMIG,KAAX,0,6,2,0\nDMIG,KAAX,1,1,"
             ",1,1,5.\n"
             "GRID,98,,0.,0.,0.\n,1,2,3.\n");
    ck_assert_msg(r.s == FB_OK, "%s", r.e.msg);
    ck_assert_int_eq(r.p.nn, 1);
    ck_assert_int_eq(r.p.nmatrix, 1);
    ck_assert_str_eq(r.p.matrix[0].name, "KAAX");
    ck_assert_int_eq(r.p.matrix[0].A.p[1], 1);
    ck_assert_double_eq(r.p.matrix[0].A.x[0], 5);
    result_free(&r);
}
END_TEST

START_TEST(sets)
{
    result r;
    deck(&r, "GRID,1\nGRID,2\nGRID,5\nGRID,9\nSPOINT,101,THRU,103\nSPOINT,110,112\n"
             "ASET,1,31,2,6\nASET1,2,1,5\nASET1,12,2,THRU,8\nBSET1,123,1,THRU,1\nQSET1,0,101,THRU,"
             "109\nQSET1,,110\nQSET,112,1\n"
             "SUPORT,9,3\nOMIT1,4,1,2,5\n,9\nCSET,1,2\n"
             "SPC,3,1,123,0.,2,4,0.1\nSPC1,3,12,5,THRU,9\n");
    ck_assert_msg(r.s == FB_OK, "%s", r.e.msg);
    set_is(&r, "ASET", "1.1 1.2 1.3 2.1 2.2 2.6 5.1 5.2");
    set_is(&r, "BSET", "1.1 1.2 1.3");
    set_is(&r, "CSET", "1.2");
    set_is(&r, "QSET", "101.0 102.0 103.0 110.0 112.0");
    set_is(&r, "RSET", "9.3");
    set_is(&r, "OSET", "1.4 2.4 5.4 9.4");
    set_is(&r, "SPC", "1.1 1.2 1.3 2.4 5.1 5.2 9.1 9.2");
    result_free(&r);
}
END_TEST

static void tied_is(const char *cards, const char *list)
{
    char text[400] = "";
    result r;
    deck(&r, cards);
    ck_assert_msg(r.s == FB_OK, "%s", r.e.msg);
    for (int64_t k = 0; k < r.p.ntied; k++)
        snprintf(text + strlen(text), sizeof text - strlen(text), "%s%lld.%lld", k ? " " : "",
                 (long long)r.p.tied.node[k], (long long)r.p.tied.component[k]);
    ck_assert_str_eq(text, list);
    result_free(&r);
}

/* Dependent dofs as the Quick Reference Guide of MSC Nastran has them for each card. */
START_TEST(ties)
{
    tied_is("GRID,1\nSPOINT,7\nMPC,3,1,2,1.,5,2,-1.,\n,,6,2,.5\nMPC,3,7,1,1.,1,1,1.\n", "1.2 7.0");
    tied_is("RBE2,9,1,13,5,THRU,8,4,6.5-6\n", "5.1 5.3 6.1 6.3 7.1 7.3 8.1 8.3 4.1 4.3");
    tied_is("RBE3,9,,1,123,1.,123,2,3,\n,4\n", "1.1 1.2 1.3");
    tied_is("RBE3,9,,1,123,1.,123,2,3,\n,4,UM,2,1,3,23,\n,4,1,ALPHA,6.5-6\n", "2.1 3.2 3.3 4.1");
    tied_is("RBE1,9,1,123456,,,,,,\n,UM,2,12,3,3,4,1,\n,,5,2,,,,,6.5-6\n", "2.1 2.2 3.3 4.1 5.2");
    tied_is("RBAR,9,1,2,123456,,,123\n", "2.1 2.2 2.3");
    tied_is("RBAR,9,1,2,1234,56,,\n", "1.5 1.6 2.1 2.2 2.3 2.4");
    tied_is("RROD,9,1,2,,3\n", "2.3");
    refused("GRID,1\nRBE1,9,1,123456,UM,x,1\n", "line 2: RBE1: field 6 is 'x', a point is wanted");
}
END_TEST

/* SEQGP: rows of point 3 before those of 1, of 1 behind 2; BNDFIX is BSET, BNDFREE CSET. */
START_TEST(sequence)
{
    static const int64_t a[] = {3, 2, 1, 9}, g[] = {3, 2, 1, 9};
    result r;
    deck(&r, "GRID,1\nGRID,2\nGRID,3\nSPOINT,9\nSEQGP,3,0.5,1,2.1\nBNDFIX,2,1\n"
             "BNDFREE1,1,1,3\nBNDFIX1,0,9\nBNDFREE,2,1\n");
    ck_assert_msg(r.s == FB_OK, "%s", r.e.msg);
    ck_assert_int_eq(r.p.norder, 2);
    ck_assert(r.p.order->n == 4 && r.p.order[1].n == 19);
    for (int k = 0; k < 4; k++) {
        ck_assert_int_eq(r.p.order->dof.node[k], a[k]);
        ck_assert_int_eq(r.p.order[1].dof.node[6 * k], g[k]);
        ck_assert_int_eq(r.p.order[1].dof.component[6 * k], k < 3);
    }
    result_free(&r);
    refused("GRID,1\nSEQGP,1,x\n", "line 2: SEQGP: field 3 is 'x', a place in the sequence");
    refused("GRID,1\nSEQGP,1,2,1,3\n", "SEQGP gives point 1 two places, 2 and 3");
}
END_TEST

START_TEST(orders)
{
    result r;
    deck(&r, "SPOINT,50,THRU,52\nEXTRN          7   12346       3       2      50    THRU      51  "
             "     1\n              52       0\n"
             "SECONCT,75,0\n,3,3,7,7\n,50,THRU,52,50,THRU,52\n");
    ck_assert_msg(r.s == FB_OK, "%s", r.e.msg);
    ck_assert_int_eq(r.p.norder, 2);
    const fb_row_order *t = r.p.order;
    static const int64_t id[] = {7, 7, 7, 7, 7, 3, 50, 51, 52}, c[] = {1, 2, 3, 4, 6, 2, 0, 0, 0};
    ck_assert_str_eq(t->name, "EXTRN");
    ck_assert_int_eq(t->n, 9);
    ck_assert(!memcmp(t->dof.node, id, sizeof id) && !memcmp(t->dof.component, c, sizeof c));
    ck_assert_str_eq(t[1].name, "SECONCT");
    ck_assert_int_eq(t[1].n, 15);
    ck_assert(t[1].dof.node[0] == 3 && t[1].dof.component[5] == 6 && t[1].dof.node[14] == 52 &&
              t[1].dof.component[14] == 0);
    result_free(&r);
}
END_TEST

/* A matrix without labels takes those of the order that fits; two that differ are none. */
START_TEST(labels)
{
    result r;
    fb_matrix *m = NULL;
    deck(&r, "SPOINT,50\nEXTRN,7,12,50,0\nQSET1,2,7\nGRID,7\n");
    ck_assert_int_eq(r.s, FB_OK);
    ck_assert_int_eq(fb_parts_matrix(&r.p, "KAA", "k.op4", FB_ROLE_STIFFNESS, &m, &r.e), FB_OK);
    ck_assert_int_eq(fb_csc_new(&m->A, 3, 3, 0, 0, &r.e), FB_OK);
    ck_assert_int_eq(fb_parts_label(&r.p, &r.log, &r.e), FB_OK);
    ck_assert(m->row.node[0] == 7 && m->row.component[1] == 2 && m->row.node[2] == 50);
    ck_assert(m->row.class[0] == FB_DOF_PHYSICAL && m->row.class[1] == FB_DOF_GENERALIZED &&
              m->row.class[2] == FB_DOF_GENERALIZED);
    result_free(&r);

    deck(&r, "EXTRN,7,123\n");
    fb_row_order *o = NULL;
    ck_assert_int_eq(fb_parts_matrix(&r.p, "KAA", "k.op4", FB_ROLE_STIFFNESS, &m, &r.e), FB_OK);
    ck_assert_int_eq(fb_csc_new(&m->A, 3, 3, 0, 0, &r.e), FB_OK);
    ck_assert_int_eq(fb_parts_order(&r.p, "EXTRN", "other.pch", 0, &o, &r.e), FB_OK);
    o->n = 3;
    ck_assert_int_eq(fb_new(&o->dof.node, 3, 8, "x", &r.e), FB_OK);
    ck_assert_int_eq(fb_new(&o->dof.component, 3, 8, "x", &r.e), FB_OK);
    ck_assert_int_eq(fb_parts_label(&r.p, &r.log, &r.e), FB_OK);
    ck_assert_ptr_null(r.p.matrix[0].row.node);
    ck_assert_int_eq(r.log.nwarning, 1);
    snprintf(r.p.matrix[0].origin, sizeof r.p.matrix[0].origin,
             "deck"); /* the order of the same file holds */
    ck_assert_int_eq(fb_parts_label(&r.p, &r.log, &r.e), FB_OK);
    ck_assert_int_eq(r.p.matrix[0].row.node[0], 7);
    result_free(&r);
}
END_TEST

START_TEST(refusals)
{
    refused("GRID,1,,0.,0.,0.\nGRID,1,,0.,0.,1.\n", "GRID 1 is given twice, and differently");
    refused("GRID,1,7,0.,0.,0.\n", "GRID 1: coordinate system 7 is not in the file");
    refused("GRID,1,,0.,0.,0.,7\n",
            "GRID 1: coordinate system 7 of its displacements is not in the file");
    refused("CORD2R,1,2,0.,0.,0.,0.,0.,1.\n,1.,0.,0.\nCORD2R,2,1,0.,0.,0.,0.,0.,1.\n,1.,0.,0.\n",
            "coordinate systems 2 and 1 rest on each other");
    refused("CORD2R,1,1,0.,0.,0.,0.,0.,1.\n,1.,0.,0.\n",
            "coordinate systems 1 and 1 rest on each other");
    refused("CORD2R,1,,0.,0.,0.,0.,0.,1.\n,0.,0.,2.\n",
            "coordinate system 1: its three points lie on a line");
    refused("CORD2R,1,,0.,0.,0.,0.,0.,1.\n,1.,0.,0.\nCORD2R,1,,0.,0.,0.,0.,0.,1.\n,2.,0.,0.\n",
            "coordinate system 1 is given twice");
    refused("CORD1R,1,5,6,7\nGRID,5\n", "coordinate system 1: its GRID 6 is not in the file");
    refused("GRID,5,1\nGRID,6,,1.\nGRID,7,,,1.\nCORD1R,1,5,6,7\n", "rest on each other");
    refused("CORD2R,x,,0.,0.,0.,0.,0.,1.\n",
            "line 1: CORD2R: field 2 is 'x', an integer is wanted");
    refused("CORD2R,1,,0.,0.,0.,0.,0.,1.0.\n",
            "line 1: CORD2R: field 9 is '1.0.', a real number is wanted");
    refused("GRID,1\nASET,1,127\n",
            "line 2: ASET: field 3 is '127', a list of components is wanted");
    refused("GRID,1\nASET1,1234567,1\n",
            "line 2: ASET1: field 2 is '1234567', a list of components");
    refused("SPOINT,1,THRU,2000000000\n",
            "SPOINT 1 THRU 2000000000: numbers are 1 to 1000000000000000, at most 1000000");
    refused("EXTRN,1,THRU,2000000000,1\n", "the end of a range of at most 1000000 points");
    refused("EXTRN,0,1\n", "line 1: EXTRN: point 0: numbers are 1");
    refused("GRID,1,,0.123456789012345678901234567890123456789,\n",
            "line 1: field 4 has 41 characters, at most 38");
}
END_TEST

/* A GRID card that is not understood costs the point, not the matrices. */
START_TEST(bad_grids)
{
    result r;
    deck(&r, "GRID,1,,0.,0.,0.\nGRID,2,,.  "
             "0,0.,0.\nGRID,x\nGRID,-4\nGRID,5,,1.e\nGRID,6,,1\nGRID,7,,a\nGRID,8,,b\n");
    ck_assert_msg(r.s == FB_OK, "%s", r.e.msg);
    ck_assert_int_eq(r.p.nn, 2);
    ck_assert_int_eq(r.log.nwarning, 6);
    ck_assert_msg(
        strstr(
            r.log.warning[0],
            "line 2: GRID: field 4 is '.  0', a real number is wanted; this point is left out") !=
            NULL,
        "%s", r.log.warning[0]);
    ck_assert_msg(strstr(r.log.warning[5], "6 GRID cards in all") != NULL, "%s", r.log.warning[5]);
    result_free(&r);
}
END_TEST

/* ---- INCLUDE ------------------------------------------------------------------------------- */

static char folder[64];

static void write_file(const char *name, const char *text)
{
    char path[256];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    FILE *f = fopen(path, "w");
    ck_assert_ptr_nonnull(f);
    fputs(text, f);
    fclose(f);
}

static void make_folder(void)
{
    char path[256];
    snprintf(folder, sizeof folder, "/tmp/flexbody-bulk-XXXXXX");
    ck_assert_ptr_nonnull(mkdtemp(folder));
    snprintf(path, sizeof path, "%s/deck", folder);
    ck_assert_int_eq(mkdir(path, 0700), 0);
    snprintf(path, sizeof path, "%s/deck/sub", folder);
    ck_assert_int_eq(mkdir(path, 0700), 0);
}

static void remove_folder(void)
{
    static const char *const names[] = {"deck/main.bdf",  "deck/a.inc",    "deck/sub/b.inc",
                                        "deck/sub/c.inc", "deck/link.inc", "out.inc",
                                        "deck/sub",       "deck",          ""};
    for (size_t k = 0; k < sizeof names / sizeof *names; k++) {
        char path[256];
        snprintf(path, sizeof path, "%s/%s", folder, names[k]);
        remove(path);
    }
}

static void main_deck(result *r, const char *text, int outside)
{
    char path[256];
    fb_input in = {0};
    write_file("deck/main.bdf", text);
    snprintf(path, sizeof path, "%s/deck/main.bdf", folder);
    *r = (result){0};
    r->p.include_outside = outside;
    ck_assert_int_eq(fb_input_open(&in, path, &r->e), FB_OK);
    r->s = fb_reader_bulk.read(&in, &r->p, &r->log, &r->e);
    fb_input_close(&in);
}

static void main_refused(const char *text, const char *what)
{
    result r;
    main_deck(&r, text, 0);
    ck_assert_msg(r.s != FB_OK && strstr(r.e.msg, what), "status %d, \"%s\", wanted \"%s\"", r.s,
                  r.e.msg, what);
    result_free(&r);
}

START_TEST(includes)
{
    result r;
    make_folder();
    write_file("out.inc", "GRID,900\n");
    write_file("deck/a.inc",
               "GRID,2\ninclude \"sub/b.inc\"\n$ a path with folders starts at the deck\n");
    write_file("deck/sub/b.inc", "GRID,3\nINCLUDE c.inc $ bare: beside this file\n");
    write_file("deck/sub/c.inc", "GRID,4,,1.\n");
    main_deck(&r,
              "BEGIN BULK\nGRID,1\nInclude 'a.inc'\nINCLUDE 'su\n   b/\n   c.inc'\nINCLUDE "
              "'.\\sub\\c.inc'\nGRID,5\n",
              0);
    ck_assert_msg(r.s == FB_OK, "%s", r.e.msg);
    ck_assert_int_eq(r.p.nn, 5);
    ck_assert_int_eq(r.log.nwarning, 0);
    result_free(&r);
    main_deck(&r, "GRID,1\nINCLUDE 'none.inc'\n", 0);
    ck_assert_msg(r.s == FB_OK, "%s", r.e.msg);
    ck_assert_int_eq(r.log.nwarning, 1);
    ck_assert_msg(strstr(r.log.warning[0], "line 2: INCLUDE 'none.inc': there is no such file") !=
                      NULL,
                  "%s", r.log.warning[0]);
    result_free(&r);

    main_refused("GRID,1\nINCLUDE '../out.inc'\n",
                 "line 2: '../out.inc' leads outside the folder of the deck");
    main_refused("INCLUDE '/etc/hosts'\n", "--include-outside allows it");
    char link[256], text[400];
    snprintf(link, sizeof link, "%s/deck/link.inc", folder);
    ck_assert_int_eq(symlink("../out.inc", link), 0);
    main_refused("INCLUDE link.inc\n", "leads outside the folder of the deck");
    snprintf(text, sizeof text, "INCLUDE '../out.inc'\nINCLUDE '%s/out.inc'\nINCLUDE link.inc\n",
             folder);
    main_deck(&r, text, 1);
    ck_assert_msg(r.s == FB_OK, "%s", r.e.msg);
    ck_assert_int_eq(r.p.nn, 1);
    result_free(&r);

    write_file("deck/a.inc", "INCLUDE a.inc\n");
    main_refused("INCLUDE a.inc\n", "includes itself");
    write_file("deck/a.inc", "INCLUDE 'sub/b.inc'\n");
    write_file("deck/sub/b.inc", "INCLUDE 'a.inc'\n");
    main_refused("INCLUDE a.inc\n", "includes itself");
    main_refused("INCLUDE main.bdf\n", "main.bdf");
    write_file("deck/a.inc", "GRID,x\nASET,y\n");
    main_refused("INCLUDE a.inc\n", "a.inc: line 2: ASET: field 2 is 'y'");
    main_refused("INCLUDE 'a.inc\n", "the path of INCLUDE has no closing quote");
    main_refused("INCLUDE\n", "INCLUDE without a path");
    main_refused("INCLUDE sub\n", "is a directory");
    snprintf(link, sizeof link, "%s/deck/fifo", folder);
    ck_assert_int_eq(mkfifo(link, 0600), 0);
    main_refused("INCLUDE fifo\n", "is a pipe: only regular files are included");
    for (int k = 1; k < 5; k++) { /* 10 + 100 + 1000 + ... files */
        text[0] = 0;
        for (int q = 0; q < 10; q++)
            snprintf(text + strlen(text), sizeof text - strlen(text), "INCLUDE bomb%d\n", k + 1);
        snprintf(link, sizeof link, "deck/bomb%d", k);
        write_file(link, text);
    }
    write_file("deck/bomb5", "GRID,1\n");
    main_refused("INCLUDE bomb1\n", "more than 1000 files are included in all");
    remove_folder();
}
END_TEST

START_TEST(include_from_pipe)
{
    static const char text[] = "INCLUDE 'a.inc'\n";
    char name[] = "standard input";
    fb_input in = {.data = (const unsigned char *)text, .size = sizeof text - 1, .name = name};
    result r = {0};
    r.s = fb_reader_bulk.read(&in, &r.p, &r.log, &r.e);
    ck_assert_msg(r.s == FB_EUSAGE && strstr(r.e.msg, "has no folder; name the file"), "%s",
                  r.e.msg);
    result_free(&r);
}
END_TEST

START_TEST(sniffing)
{
    static const struct {
        const char *text;
        int dmig, bulk;
    } row[] = {
        {"$ comment\nGRID,1\n", 0, 1},
        {"SOL 103\nCEND\n", 0, 1},
        {"$TITLE   = x\n$EIGENVECTOR      2\n$REAL OUTPUT\n", 0, 1},
        {"BEGIN SUPER 5\n", 0, 1},
        {"DTI     SELOAD  0\n", 0, 1},
        {"GRID*,1\n*,2\nDMIG,K,0,1,2\n", 1, 1},
        {"*HEADING\n*NODE\n1,0.,0.,0.\n", 0, 0},
        {"1 1 0.5\n", 0, 0},
        {"%%MatrixMarket matrix coordinate real general\n1 1 1\n1 1 1.0\n", 0, 0},
        {"SPC = 2\n", 0, 0},
        {"", 0, 0},
        {"SOLID modelling\n", 0, 0},
        {"node,component\n1,2\n", 0, 0},
    };
    for (size_t k = 0; k < sizeof row / sizeof *row; k++) {
        char name[] = "x";
        fb_input in = {
            .data = (const unsigned char *)row[k].text, .size = strlen(row[k].text), .name = name};
        ck_assert_msg(fb_reader_dmig.sniff(&in) == row[k].dmig &&
                          fb_reader_bulk.sniff(&in) == row[k].bulk,
                      "%s", row[k].text);
    }
}
END_TEST

/* A punch writes component 1 of a scalar point that the deck lists: it is a modal coordinate, as
 * component 0 is, without VAX. Before the deck or behind it. */
START_TEST(scalar_points_of_the_deck)
{
    static const char *const text[] = {
        "DMIG,KAAX,0,6,2,0\nDMIG,KAAX,1,1,,1,1,2.\nDMIG,KAAX,100,1,,100,1,3.\n",
        "GRID,1,,0.,0.,0.\nSPOINT,100\n"};
    for (int first = 0; first < 2; first++) {
        result r = {0};
        for (int q = 0; q < 2; q++) {
            char name[] = "deck";
            const char *p = text[q ^ first];
            fb_input in = {.data = (const unsigned char *)p, .size = strlen(p), .name = name};
            ck_assert_int_eq(fb_reader_bulk.read(&in, &r.p, &r.log, &r.e), FB_OK);
        }
        ck_assert_int_eq(fb_parts_label(&r.p, &r.log, &r.e), FB_OK);
        const fb_labels *l = &r.p.matrix[0].row;
        ck_assert(l->node[1] == 100 && l->component[1] == 0 && l->component[0] == 1);
        ck_assert(l->class && l->class[0] == FB_DOF_PHYSICAL && l->class[1] == FB_DOF_GENERALIZED);
        result_free(&r);
    }
}
END_TEST

/* Two superelements in a punch, with points of one number and matrices of one name. */
#define PART(n, x, k) \
    "BEGIN SUPER" n "\nGRID,1,," x "\nEXTRN,1,1\nDMIG,KAAX,0,6,2,0\nDMIG,KAAX,1,1,,1,1," k "\n"

START_TEST(superelements)
{
    static const char two[] = PART("       101", "1.5", "4.") PART(" = 102", "2.5", "9.");
    static const struct {
        const char *part;
        double x, k;
    } row[] = {{"101", 1.5, 4}, {"102", 2.5, 9}};
    result r;
    for (int q = 0; q < 2; q++) {
        deck_part(&r, two, row[q].part);
        ck_assert_msg(!r.s, "%s", r.e.msg);
        ck_assert(r.p.nn == 1 && r.p.xyz[0] == row[q].x && !r.p.part);
        ck_assert(r.p.nmatrix == 1 && r.p.matrix[0].A.x[0] == row[q].k);
        ck_assert(r.p.order[0].n == 1 && r.p.order[0].dof.component[0] == 1);
        result_free(&r);
    }
    deck_part(&r, two, "7");
    ck_assert(r.s == FB_EUSAGE && strstr(r.e.msg, "no superelement 7: there are 101, 102"));
    result_free(&r);
    deck(&r, two);
    ck_assert(r.s == FB_EUSAGE &&
              strstr(r.e.msg, "several superelements with matrices: 101, 102; name one as deck:"));
    result_free(&r);
    deck(&r, "BEGIN BULK\nGRID,9,,1.\n" PART(" 5", "1.", "2.")); /* one: no question */
    ck_assert(!r.s && r.p.nn == 2 && r.p.nmatrix == 1);
    result_free(&r);
}
END_TEST

/* Runs of reals from a row on, ranges, a mark behind the last field of a short line, pairs of
 * complex numbers; other forms are passed over. Values as written. */
START_TEST(dmi)
{
    static const double K[16] = {1, 2, 3, 0, 0, 5, 5, 5, 0, 0, 0, 0, 7, 0, 0, 8};
    result r;
    deck(&r, "DMI,KQ,0,1,2,0,,4,4\nDMI,KQ,1,1,1.,2.,3.\nDMI,KQ,2,2,5.,THRU,4\n"
             "DMI*    KQ                             4               1 7.000000000D+00*\n"
             "*                      4 8.000000000D+00*\n"
             "DMI,W,0,2,3,0,,2,1\nDMI,W,1,2,1.5,-2.5\nDMI,D,0,3,2,0,,2,1\nDMI,D,1,1,1.,1.\n");
    ck_assert_msg(!r.s, "%s", r.e.msg);
    ck_assert_int_eq(r.p.nmatrix, 2);
    const fb_matrix *m = r.p.matrix;
    ck_assert(m[0].role == FB_ROLE_STIFFNESS && m[0].A.n == 4 && m[0].A.p[4] == 8);
    for (int64_t j = 0; j < 4; j++)
        for (int64_t q = m[0].A.p[j]; q < m[0].A.p[j + 1]; q++)
            ck_assert(m[0].A.x[q] == K[4 * j + m[0].A.i[q]]);
    ck_assert(m[1].A.m == 2 && m[1].A.p[1] == 1 && m[1].A.i[0] == 1 && m[1].A.x[0] == 1.5 &&
              m[1].imag[0] == -2.5);
    ck_assert_int_eq(r.log.nwarning, 1);
    result_free(&r);
    refused("DMI,KQ,0,1,2,0,,4,4\nDMI,KQ,1,1.\n",
            "line 2: DMI: field 4 is '1.', the number of a row");
    refused("DMI,KQ,0,1,2,0,,4,4\nDMI,KQ,1,4,1.,2.\n", "a string of 1 entries from row 5 on");
    refused("DMI,KQ,0,1,2,0,,4,4\nDMI,KQ,5,1,1.\n", "column 5 of 4");
    refused("DMI,KQ,0,1,2,0,,4,4\nDMI,KX,1,1,1.\n", "a column of 'KX', which does not follow");
    refused("DMI,KQ,0,1,2,0,,4,4\nDMI,KQ,1,1,1.,THRU,9\n", "the last row of a range");
    refused("DMI,KQ,0,1,2,0,,4,4\nDMI,KQ,1,1,1.,1,2.\n", "KQ");
    refused("DMI,KQ,0,1,2,0,,4.,4\n", "field 8 is '4.', an integer");
}
END_TEST

/* A punched eigenvector in fixed columns, which touch: eigenvalue 3948 is 10.000200 Hz (its root
 * through 2 pi). The card before it does not go on in its lines, cards behind it count. */
#define PUNCHED(how, real, more) \
    "GRID,7,,1.,2.,3.,4\nCORD2R,4,,0.,0.,0.,1.,0.,0.\n,0.,1.,0.\nGRID,8,,0.,0.,1.\n" \
    "$TITLE   =                                                                     1\n" \
    "$EIGENVECTOR                                                                   4\n" how \
    "$SUBCASE ID =           1                                                      6\n" \
    "$EIGENVALUE =  0.3948000E+04  MODE =     3                                     7\n" \
    "         7       G" real "     -2.500000E-01      0.000000E+00       8\n" \
    "-CONT-                  1.000000E+00      0.000000E+00                         9\n" more

#define SCALAR \
    "         9       S      5.000000E+00\n-CONT-                  0.000000E+00\nSPOINT,9\n"
#define IMAGINARY "-CONT-                  0.\n-CONT-                  0.\n"

START_TEST(punched)
{
    static const double want[6] = {-1.5, -0.25, 0, 1, 0, 0};
    result r;
    deck(&r, PUNCHED("$REAL OUTPUT\n", "     -1.500000E+00", SCALAR));
    ck_assert_msg(!r.s, "%s", r.e.msg);
    const fb_model *b = &r.p.body;
    ck_assert(b->nm == 1 && b->nn == 1 && b->node_id[0] == 7 && b->mode_number[0] == 3);
    ck_assert(fabs(b->eigen[1] - 10.000200) < 1e-6 && r.p.along_axes && r.p.nn == 2);
    for (int c = 0; c < 6; c++)
        ck_assert(b->shape[c] == want[c]);
    result_free(&r);
    deck(&r, PUNCHED("$REAL-IMAGINARY OUTPUT\n", "     -1.500000E+00", IMAGINARY));
    ck_assert(!r.s && r.p.body.nm == 0 && r.log.nwarning == 1 && r.p.nn == 2);
    result_free(&r);
    refused(PUNCHED("$REAL OUTPUT\n", "     -1.500000E+0x", SCALAR), "line 10: a point, its kind");
    refused("$EIGENVECTOR   1\n$REAL OUTPUT\n         7       G      0.\n",
            "line 2: '$EIGENVALUE = number MODE = number' is wanted");
    /* the input ends in a blank line, in memory of just its length */
    static const char blank[] = PUNCHED("$REAL OUTPUT\n", "     -1.500000E+00", "   ");
    char *exact = malloc(sizeof blank - 1), name[] = "deck";
    memcpy(exact, blank, sizeof blank - 1);
    fb_input in = {.data = (unsigned char *)exact, .size = sizeof blank - 1, .name = name};
    r = (result){0};
    ck_assert_int_eq(fb_reader_bulk.read(&in, &r.p, &r.log, &r.e), FB_OK);
    result_free(&r);
    free(exact);
    static const char all[] = PUNCHED("$REAL OUTPUT\n", "     -1.500000E+00", SCALAR);
    for (size_t n = 1; n < sizeof all; n++) {
        char *cut = strndup(all, n);
        deck(&r, cut);
        ck_assert(!r.s || (r.s == FB_EFORMAT && r.e.msg[0]));
        result_free(&r);
        free(cut);
    }
}
END_TEST

/* A chain of systems as long as the deck: no recursion. */
START_TEST(long_chain)
{
    enum { N = 20000 };
    char *text = malloc(N * 64), *c = text;
    result r;
    for (int k = 1; k <= N; k++)
        c += sprintf(c, "CORD2R,%d,%d,1.,0.,0.,1.,0.,1.\n,2.,0.,0.\n", k, k < N ? k + 1 : 0);
    sprintf(c, "GRID,1,1,0.,0.,0.\n");
    deck(&r, text);
    ck_assert_msg(r.s == FB_OK, "%s", r.e.msg);
    is_at(&r, 1, N, 0, 0);
    result_free(&r);
    free(text);
}
END_TEST

START_TEST(no_memory)
{
    result r;
    int fails;
    EVERY_ALLOCATION_FAILS_ONCE(r.s, fails, {
        deck(&r, "CORD2R,1,0,10.,0.,0.,11.,0.,0.\n,10.,1.,0.\nGRID,1,1\nGRID,2,,,,,1\nSPOINT,"
                 "5\nASET1,12,1,THRU,9\nQSET,5,1\nEXTRN,1,12,5,0\n"
                 "SECONCT,1\n,1,1,5,5\nRBE2,9,1,12,2\nSEQGP,2,0.5\n");
        if (!r.s)
            r.s = fb_parts_label(&r.p, &r.log, &r.e);
        result_free(&r);
    });
    ck_assert_int_gt(fails, 15);
}
END_TEST

Suite *suite_bulk(void)
{
    Suite *s = suite_create("bulk");
    TCase *t = tcase_create("cards");
    tcase_add_test(t, systems);
    tcase_add_test(t, marks_in_free_fields);
    tcase_add_test(t, grids);
    tcase_add_test(t, matrices_behind_the_end);
    tcase_add_test(t, sets);
    tcase_add_test(t, ties);
    tcase_add_test(t, sequence);
    tcase_add_test(t, orders);
    tcase_add_test(t, labels);
    tcase_add_test(t, refusals);
    tcase_add_test(t, bad_grids);
    tcase_add_test(t, includes);
    tcase_add_test(t, include_from_pipe);
    tcase_add_test(t, sniffing);
    tcase_add_test(t, superelements);
    tcase_add_test(t, scalar_points_of_the_deck);
    tcase_add_test(t, dmi);
    tcase_add_test(t, punched);
    tcase_add_test(t, long_chain);
    tcase_add_test(t, no_memory);
    tcase_add_test(t, rows_of_a_deck);
    suite_add_tcase(s, t);
    return s;
}
