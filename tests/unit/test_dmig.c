/* SPDX-License-Identifier: GPL-3.0-or-later */
/* DMIG cards: forms of fields and numbers, halves, scalar points, refusals. */
#include "mnfparse/nastran/nastran.h"
#include "mnfparse/join/assemble.h"
#include "tests/model/near.h"
#include "tests/suites.h"
#include <math.h>

static void deck(result *r, const char *text)
{
    char name[] = "deck";
    fb_input in = {.data = (const unsigned char *)text, .size = strlen(text), .name = name};
    *r = (result){0};
    ck_assert_int_eq(fb_reader_dmig.sniff(&in), 1);
    r->s = fb_reader_dmig.read(&in, &r->p, &r->log, &r->e);
}

static void deck_file(result *r, const char *path)
{
    fb_input in = {0};
    *r = (result){0};
    ck_assert_int_eq(fb_input_open(&in, path, &r->e), FB_OK);
    ck_assert_int_eq(fb_reader_dmig.sniff(&in), 1);
    r->s = fb_reader_dmig.read(&in, &r->p, &r->log, &r->e);
    fb_input_close(&in);
}

static const fb_matrix *matrix(const result *r, const char *name)
{
    for (int64_t k = 0; k < r->p.nmatrix; k++)
        if (!strcmp(r->p.matrix[k].name, name))
            return r->p.matrix + k;
    ck_abort_msg("no matrix %s; %s", name, r->e.msg);
    return NULL;
}

static int64_t row_of(const fb_labels *l, int64_t n, int64_t node, int64_t component)
{
    for (int64_t k = 0; k < n; k++)
        if (l->node[k] == node && l->component[k] == component)
            return k;
    return -1;
}

/* The entry of two dofs; NAN where it is not stored. */
static double at(const fb_matrix *m, int64_t ni, int64_t ci, int64_t nj, int64_t cj, double *im)
{
    int64_t i = row_of(&m->row, m->A.m, ni, ci),
            j = row_of(m->col.node ? &m->col : &m->row, m->A.n, nj, cj);
    ck_assert_msg(i >= 0 && j >= 0, "%s has no %lld.%lld, %lld.%lld", m->name, (long long)ni,
                  (long long)ci, (long long)nj, (long long)cj);
    if (m->A.upper && i > j) {
        int64_t t = i;
        i = j;
        j = t;
    }
    for (int64_t q = m->A.p[j]; q < m->A.p[j + 1]; q++)
        if (m->A.i[q] == i) {
            if (im)
                *im = m->imag[q];
            return m->A.x[q];
        }
    return (double)NAN;
}

static void is_sound(const fb_matrix *m)
{
    fb_err e;
    ck_assert_msg(fb_csc_check(&m->A, m->name, &e) == FB_OK, "%s", e.msg);
}

/* Wants the status FB_EFORMAT and a message that holds `what`. */
static void refused(const char *text, const char *what)
{
    result r;
    deck(&r, text);
    result_refused(&r, what);
    result_free(&r);
}

START_TEST(case_real_forms)
{
    const char *path = shared_file("cases/g09_real_forms.dmig");
    result r;
    if (!path)
        return;
    deck_file(&r, path);
    ck_assert_msg(r.s == FB_OK, "%s", r.e.msg);
    const fb_matrix *k = matrix(&r, "KFORM");
    ck_assert_int_eq(k->A.m, 11);
    ck_assert_int_eq(k->A.n, 11);
    ck_assert_int_eq(k->A.p[11], 15);
    ck_assert_int_eq(k->A.upper, 0);
    ck_assert_int_eq(k->role, FB_ROLE_STIFFNESS);
    for (int64_t d = 1; d <= 11; d++)
        ck_assert(at(k, d, 1, d, 1, NULL) == 7.0);
    ck_assert(at(k, 1, 1, 10, 1, NULL) == -1.25e-101);
    ck_assert(at(k, 2, 1, 10, 1, NULL) == 250);
    ck_assert(at(k, 1, 1, 11, 1, NULL) == -0.5);
    ck_assert(at(k, 2, 1, 11, 1, NULL) == -0.25);
    /* Its GRID card is shifted by a column: the point is left out with a warning. */
    ck_assert_int_eq(r.p.nn, 0);
    ck_assert_int_eq(r.log.nwarning, 1);
    result_free(&r);
}
END_TEST

/* Fields that do not stand at their right end, the same twice, behind one that does. */
START_TEST(fields_of_any_place)
{
    result r;
    deck(&r, "DMIG    K       0       6       1       0\n"
             "DMIG*   K                            407               1\n"
             "*                    407               1 4.000000000E+00\n"
             "*       12                             1 1.000000000E+00\n"
             "*       12                             2 2.000000000E+00\n"
             "*               3               1        3.000000000E+00\n"
             "*               3               2        5.000000000E+00\n");
    ck_assert_msg(r.s == FB_OK, "%s", r.e.msg);
    const fb_matrix *K = matrix(&r, "K");
    ck_assert_double_eq(at(K, 407, 1, 407, 1, NULL), 4);
    ck_assert_double_eq(at(K, 12, 1, 407, 1, NULL), 1);
    ck_assert_double_eq(at(K, 12, 2, 407, 1, NULL), 2);
    ck_assert_double_eq(at(K, 3, 1, 407, 1, NULL), 3);
    ck_assert_double_eq(at(K, 3, 2, 407, 1, NULL), 5);
    result_free(&r);
}
END_TEST

START_TEST(case_halves)
{
    static const double K[4][4] = {
        {4, -1, 0, .5}, {-1, 5, -2, 0}, {0, -2, 6, -1.5}, {.5, 0, -1.5, 3}};
    static const char *const names[] = {"KLOW", "KUPP", "KBOTH"};
    const char *path = shared_file("cases/g10_halves.pch");
    char text[8192];
    result r;
    FILE *f = path ? fopen(path, "r") : NULL;
    if (!f)
        return;
    text[fread(text, 1, sizeof text - 1, f)] = 0;
    fclose(f);
    deck(&r, text);
    ck_assert_int_eq(r.s, FB_EFORMAT);
    ck_assert_msg(strstr(r.e.msg, "KCONF") && strstr(r.e.msg, "2.1") && strstr(r.e.msg, "3.1") &&
                      strstr(r.e.msg, "-2.002"),
                  "%s", r.e.msg);
    result_free(&r);
    *strstr(text, "DMIG    KCONF") = 0;
    deck(&r, text);
    ck_assert_msg(r.s == FB_OK, "%s", r.e.msg);
    for (int q = 0; q < 3; q++) {
        const fb_matrix *m = matrix(&r, names[q]);
        is_sound(m);
        ck_assert_int_eq(m->A.upper, 1);
        for (int i = 0; i < 4; i++)
            for (int j = 0; j < 4; j++)
                ck_assert(K[i][j] == 0 ? isnan(at(m, i + 1, 1, j + 1, 1, NULL))
                                       : at(m, i + 1, 1, j + 1, 1, NULL) == K[i][j]);
    }
    result_free(&r);
}
END_TEST

START_TEST(case_sizes)
{
    const char *path = shared_file("cases/g04_k6_m3.pch");
    result r;
    if (!path)
        return;
    deck_file(&r, path);
    ck_assert_msg(r.s == FB_OK, "%s", r.e.msg);
    ck_assert_int_eq(matrix(&r, "KAAX")->A.m, 18);
    ck_assert_int_eq(matrix(&r, "MAAX")->A.m, 9);
    ck_assert_int_eq(matrix(&r, "KAAX")->role, FB_ROLE_STIFFNESS);
    ck_assert_int_eq(matrix(&r, "MAAX")->role, FB_ROLE_MASS);
    ck_assert(at(matrix(&r, "KAAX"), 205, 3, 101, 3, NULL) == -1.244444444e6);
    result_free(&r);
}
END_TEST

/* One matrix in every way to write it: the same bits. */
START_TEST(fields)
{
    static const char *const same[] = {
        "DMIG    KX             0       6       2       0\n"
        "DMIG    KX             1       3               1       3    2.5\n"
        "DMIG    KX             2       6               1       3  -1.5-1\n"
        "               2       6 7.\n",
        "DMIG*                 KX               0               6               2\n*               "
        "       0               0\n"
        "DMIG*   KX                             1               3\n"
        "*                      1               3             2.5\n"
        "DMIG*   KX                             2               6\n"
        "*                      1               3         -1.5D-1                                "
        "MARK\r\n"
        "*MARK                  2               6             7E0",
        "dmig,kx,0,6,2,0\ndmig,kx,1,3,,1,3,2.5 $ comment\n$ comment, with "
        "commas\nDMIG,KX,2,6,,1,3,-.15,,+A\n+A,2,6,70.-1\n",
        "DMIG*,KX,0,6,2,0\n*,,,,\nDMIG*,KX,1,3,\n*,1,3,2.5\nDMIG*,KX,2,6\n*,1,3,-.15\n*,2,6,7\n",
        "DMIG\tKX\t0\t6\t2\t0\nDMIG\tKX\t1\t3\t\t1\t3\t2.5\n\nDMIG\tKX\t2\t6\t\t1\t3\t-."
        "15\n\t2\t6\t7.\n",
        "DMIG          KX       0       6       2       0\n"
        "DMIG*                 KX               1               3\n*       1               3       "
        "        2.5\n"
        "DMIG*   KX              2               6               \n"
        "*       2               6               7.              \n*       1               3       "
        "        -.15\n"};
    for (size_t k = 0; k < sizeof same / sizeof *same; k++) {
        result r;
        deck(&r, same[k]);
        ck_assert_msg(r.s == FB_OK, "%zu: %s", k, r.e.msg);
        const fb_matrix *m = matrix(&r, "KX");
        is_sound(m);
        ck_assert_int_eq(m->A.m, 2);
        ck_assert_int_eq(m->A.p[2], 3);
        ck_assert_msg(at(m, 1, 3, 1, 3, NULL) == 2.5 && at(m, 1, 3, 2, 6, NULL) == -.15 &&
                          at(m, 2, 6, 2, 6, NULL) == 7,
                      "%zu", k);
        result_free(&r);
    }
}
END_TEST

START_TEST(complex_and_polar)
{
    result r;
    deck(&r, "DMIG,BC,0,6,4,0\nDMIG,BC,1,1,,1,1,3.,4.\n,2,1,0.,-1.\n"
             "DMIG,KP,0,1,3,0,1\nDMIG,KP,1,1,,1,1,2.,90.\n"
             "DMIG*,BL,0,2,4,0\n*,,,,\nDMIG*,BL,7,1\n"
             "*                      1               1 1.000000000D+00 2.000000000D+00\n"
             "*                      2               1 3.000000000D+00\n"
             "DMIG*   BL                             8               1\n"
             "*                      2               1              5.              6.\n");
    ck_assert_msg(r.s == FB_OK, "%s", r.e.msg);
    double im;
    const fb_matrix *m = matrix(&r, "BC");
    ck_assert(m->A.upper && m->imag && m->role == FB_ROLE_DAMPING);
    ck_assert(at(m, 1, 1, 1, 1, &im) == 3 && im == 4);
    ck_assert(at(m, 1, 1, 2, 1, &im) == 0 && im == -1); /* complex symmetric: no conjugate */
    m = matrix(&r, "KP");
    ck_assert(fabs(at(m, 1, 1, 1, 1, &im)) < 1e-15 && fabs(im - 2) < 1e-15);
    m = matrix(&r, "BL");
    ck_assert(m->A.m == 2 && m->A.n == 2 && m->col.node && m->role == FB_ROLE_OTHER);
    ck_assert(at(m, 1, 1, 7, 1, &im) == 1 && im == 2);
    ck_assert(at(m, 2, 1, 7, 1, &im) == 3 && im == 0);
    ck_assert(at(m, 2, 1, 8, 1, &im) == 5 && im == 6);
    result_free(&r);
}
END_TEST

/* Columns in any order and in pieces, matrices interleaved, entries of both halves mixed. */
START_TEST(any_order)
{
    result r;
    deck(&r, "DMIG,KAAX,0,6,2,0\nDMIG,MAAX,0,6,2,0\nDMIG,KAAX,9,1,,9,1,9.,,+\n+,1,2,12.\nDMIG,MAAX,"
             "9,1,,9,1,1.\n"
             "DMIG,KAAX,1,1,,1,1,1.\n,1,2,2.\nDMIG,KAAX,9,1,,1,1,11.\nDMIG,KAAX,1,2,,1,2,3.\nDMIG,"
             "K4AAX,0,6,2,0\n"
             "DMIG,K4AAX,1,1,,1,1,.02\n");
    ck_assert_msg(r.s == FB_OK, "%s", r.e.msg);
    const fb_matrix *m = matrix(&r, "KAAX");
    is_sound(m);
    ck_assert(m->A.m == 3 && m->A.p[3] == 6 && m->stored == 6);
    ck_assert(at(m, 9, 1, 9, 1, NULL) == 9 && at(m, 1, 2, 9, 1, NULL) == 12 &&
              at(m, 1, 1, 9, 1, NULL) == 11);
    ck_assert(at(m, 1, 1, 1, 2, NULL) == 2 && at(m, 1, 2, 1, 2, NULL) == 3);
    ck_assert_int_eq(matrix(&r, "MAAX")->A.m, 1);
    ck_assert_int_eq(matrix(&r, "K4AAX")->role, FB_ROLE_STRUCTURAL_DAMPING);
    result_free(&r);
}
END_TEST

/* Large fields, complex, columns in random order and rows too: each value at its place, real and
 * imaginary part. */
START_TEST(any_order_of_complex_entries)
{
    enum { N = 9 };
    char text[N * N * 90 + 1000], *c = text;
    int column[N], row[N], form = _i % 2 ? 6 : 1;
    uint64_t state = 17 + (uint64_t)_i;
    c += sprintf(c, "DMIG    KX             0%8d       4       0\n", form);
    for (int k = 0; k < N; k++)
        column[k] = row[k] = k;
    for (int k = 0; k < N; k++) {
        for (int q = N - 1; q > 0; q--) {
            state = state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
            int *list = k ? row : column, other = (int)((state >> 33) % (uint64_t)(q + 1)),
                t = list[q];
            list[q] = list[other];
            list[other] = t;
        }
        int j = column[k];
        c += sprintf(c, "DMIG*   KX              %16d%16d\n", 1 + j / 3, 1 + j % 3);
        for (int q = 0; q < N; q++)
            if (form == 1 || row[q] >= j)
                c += sprintf(c, "*       %16d%16d%16.9E%16.9E\n", 1 + row[q] / 3, 1 + row[q] % 3,
                             10. * row[q] + j, -1. - row[q] * j);
    }
    result r;
    deck(&r, text);
    ck_assert_msg(r.s == FB_OK, "%s", r.e.msg);
    const fb_matrix *m = matrix(&r, "KX");
    is_sound(m);
    for (int j = 0; j < N; j++)
        for (int i = form == 6 ? j : 0; i < N; i++) {
            double im = 0, x = form == 6 ? at(m, 1 + j / 3, 1 + j % 3, 1 + i / 3, 1 + i % 3, &im)
                                         : at(m, 1 + i / 3, 1 + i % 3, 1 + j / 3, 1 + j % 3, &im);
            ck_assert_msg(x == 10. * i + j && im == -1. - i * j, "(%d,%d): %g %g", i, j, x, im);
        }
    result_free(&r);
}
END_TEST

/* Columns that hold nothing, the later one first. */
START_TEST(empty_columns)
{
    result r;
    deck(&r, "DMIG,R,0,2,1,0\nDMIG,R,5,1\nDMIG,R,2,1\nDMIG,KX,0,6,2,0\nDMIG,KX,5,1\nDMIG,KX,2,1\n");
    ck_assert_msg(r.s == FB_OK, "%s", r.e.msg);
    is_sound(matrix(&r, "KX"));
    ck_assert(matrix(&r, "KX")->A.n == 2 && matrix(&r, "KX")->A.p[2] == 0 && matrix(&r, "KX")->A.i);
    ck_assert(matrix(&r, "R")->A.i && matrix(&r, "R")->A.x);
    result_free(&r);
}
END_TEST

/* Component 0, blank and 1 of a scalar point are one dof; VAX gives the a-set. */
START_TEST(scalar_points)
{
    result r;
    deck(&r, "SPOINT,20,THRU,22\nDMIG,KAAX,0,6,2,0\nDMIG,KAAX,1,3,,1,3,1.\nDMIG,KAAX,20,1,,20,0,5."
             "\nDMIG,KAAX,30,1,,30,,6.\n"
             "DMIG,VAX,0,9,2,0,,,1\nDMIG,VAX,1,0,,1,3,1.\n,20,0,1.\n,30,0,1.,,4,5,1.\n");
    ck_assert_msg(r.s == FB_OK, "%s", r.e.msg);
    const fb_matrix *m = matrix(&r, "KAAX");
    ck_assert_int_eq(m->A.m, 3);
    ck_assert(at(m, 20, 0, 20, 0, NULL) == 5 && at(m, 30, 0, 30, 0, NULL) == 6);
    ck_assert_int_eq(r.p.norder, 1);
    ck_assert_int_eq(r.p.order[0].n, 4);
    ck_assert_str_eq(r.p.order[0].name, "VAX");
    ck_assert_int_eq(r.p.order[0].dof.node[1], 4);
    ck_assert_int_eq(fb_parts_label(&r.p, &r.log, &r.e), FB_OK);
    ck_assert_int_eq(m->row.class[0], FB_DOF_PHYSICAL);
    ck_assert_int_eq(m->row.class[1], FB_DOF_GENERALIZED);
    ck_assert_int_eq(m->row.class[2], FB_DOF_GENERALIZED);
    result_free(&r);
}
END_TEST

/* Runs of large-field lines are read in a short way: the bits are those of the number scanner. */
START_TEST(runs)
{
    enum { N = 4000 };
    char *text = malloc(N * 80 + 200), *c = text;
    double *want = calloc(N, 8);
    uint64_t state = 1;
    c += sprintf(c, "DMIG    KX             0       2       2       0\nDMIG*   KX                  "
                    "           7               1\n");
    for (int k = 0; k < N; k++) {
        char number[32];
        int64_t node = k % 8 == 3 ? 123456789 + k : k % 8 == 4 ? 100000 * (k + 1) : k + 1;
        state = state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
        double x = ((double)(state >> 11) / 9007199254740992.0 - .5) *
                   pow(10, (double)(state >> 5 & 63) - 32);
        snprintf(number, sizeof number, "%16.*E", k % 16 == 5 ? 6 : 9, x);
        if (k % 3 == 0)
            *strchr(number, 'E') = 'D';
        ck_assert_ptr_nonnull(fb_scan_real(number + strspn(number, " "), number + 16, want + k));
        c += sprintf(c, k % 8 == 6 ? "*       %-16lld%-16d%s\r\n" : "*       %16lld%16d%s\n",
                     (long long)node, 1 + k % 6, number);
    }
    result r;
    deck(&r, text);
    ck_assert_msg(r.s == FB_OK, "%s", r.e.msg);
    const fb_matrix *m = matrix(&r, "KX");
    ck_assert_int_eq(m->A.p[1], N);
    for (int k = 0; k < N; k++) {
        int64_t node = k % 8 == 3 ? 123456789 + k : k % 8 == 4 ? 100000 * (k + 1) : k + 1;
        double got = at(m, node, 1 + k % 6, 7, 1, NULL);
        ck_assert_msg(!memcmp(&got, want + k, 8), "%d: %.17g, wanted %.17g", k, got, want[k]);
    }
    result_free(&r);
    /* What only looks like a number on the right is refused. */
    free(text);
    free(want);
    static const char *const bad[] = {"             1!2", "             1 2", "              -1",
                                      "               :", "                ", "              /1"};
    for (size_t k = 0; k < sizeof bad / sizeof *bad; k++) {
        char card[512];
        snprintf(card, sizeof card,
                 "DMIG    KX             0       2       2       0\nDMIG*   KX                     "
                 "        7               1\n"
                 "*       %s               1 1.000000000E+00\n",
                 bad[k]);
        refused(card, "line 3: ");
        snprintf(card, sizeof card,
                 "DMIG    KX             0       2       2       0\nDMIG*   KX                     "
                 "        7               1\n"
                 "*                      8               1 1.000000000E+00\n*                      "
                 "8%s 1.000000000E+00\n",
                 bad[k]);
        if (k != 4) /* a blank component is 0 */
            refused(card, "line 4: ");
        snprintf(card, sizeof card,
                 "DMIG    KX             0       2       2       0\nDMIG*   KX                     "
                 "        7               1\n"
                 "*                      8               1 1.000000000E+00\n*       %s             "
                 "  2 1.000000000E+00\n",
                 bad[k]);
        refused(card, "line 4: ");
    }
}
END_TEST

START_TEST(rounding_of_halves)
{
    result r;
    deck(&r, "DMIG,KX,0,6,2,0\nDMIG,KX,1,1,,1,1,1000.\n,2,1,1.000000001\nDMIG,KX,2,1,,1,1,1.\n");
    ck_assert_msg(r.s == FB_OK, "%s", r.e.msg);
    ck_assert_int_eq(r.log.nwarning, 1);
    ck_assert_msg(strstr(r.log.warning[0], "KX: 1 entries are given twice") != NULL, "%s",
                  r.log.warning[0]);
    result_free(&r);
}
END_TEST

START_TEST(refusals)
{
    refused("DMIG,KX,1,1,,1,1,1.\n",
            "line 1: a column of DMIG KX, whose header (field 3 is 0) has not come");
    refused("DMIG,KX,0,6,2,0\nDMIG,KX,0,6,2,0\n", "line 2: DMIG KX: a second header");
    refused("DMIG,KX,0,3,2,0\n", "form 3; known are 1 square");
    refused("DMIG,KX,0,6,5,0\n", "type 5; known are 1, 2 real");
    refused("DMIG,KX,0,6,2,0\nDMIG,KX,1,1,,1,1,7.-1x\n",
            "line 2: DMIG field 8 is '7.-1x', a real number is wanted");
    refused("DMIG,KX,0,6,2,0\nDMIG,KX,1,1,,1,1,\n",
            "line 2: DMIG field 8 is '', a real number is wanted");
    refused("DMIG,KX,0,6,2,0\nDMIG,KX,1,1,,,1,1.\n",
            "line 2: DMIG field 6 is '', a point is wanted");
    refused("DMIG,KX,0,6,2,0\nDMIG,KX,1,1,,1.5,1,1.\n",
            "line 2: DMIG field 6 is '1.5', an integer is wanted");
    refused("DMIG,KX,0,6,2,0\nDMIG,KX,1,1,,1,7,1.\n", "line 2: there is no dof 1.7");
    refused("DMIG,KX,0,6,2,0\nDMIG,KX,-1,1,,1,1,1.\n", "line 2: there is no dof -1.1");
    refused("DMIG,KX,0,6,2,0\nDMIG,KX,1,1,,2000000000000000,1,1.\n",
            "DMIG field 6 is '2000000000000000', an integer");
    refused("DMIG,KX,0,1,2,0\nDMIG,KX,1,1,,1,1,1.\n,1,1,2.\n",
            "row 1.1, column 1.1 is given twice, 1 and 2");
    refused("DMIG,,0,1,2,0\n", "the name of a matrix");
    refused("DMIG,LONGERNAME,0,1,2,0\n", "the name of a matrix");
    refused("DMIG,KX,0,9,2,0\nDMIG,KX,1,9,,1,1,1.\n", "column 1.9 of a form 9 matrix");
    refused("DMIG    KX             0       1       2       0\nDMIG*   KX                          "
            "   1               1\n"
            "*                      1               1       1.0E+99999\n",
            "line 3: DMIG field 4 is '1.0E+9999'");
}
END_TEST

/* Cut anywhere, the text is read or refused; nothing is read beyond its end. */
START_TEST(truncation)
{
    static const char text[] =
        "DMIG    KAAX           0       6       2       0\nDMIG*   KAAX                           "
        "1               3\n"
        "*                      1               3 6.788227013D+06\n*                      2        "
        "       3-6.788227013D+06\n"
        "DMIG    C       0       9       4       0                       2\nDMIG    C       2      "
        " 0"
        "               1       1       2.5     3.-1\nDMIG,C,1,,,1,1,2.5,3\n,1,2,4.\n";
    size_t n = sizeof text - 1;
    for (size_t cut = 1; cut <= n; cut++) {
        char name[] = "cut", *copy = malloc(cut);
        memcpy(copy, text, cut);
        fb_input in = {.data = (unsigned char *)copy, .size = cut, .name = name};
        result r = {0};
        r.s = fb_reader_dmig.read(&in, &r.p, &r.log, &r.e);
        ck_assert_msg(r.s == FB_OK || r.s == FB_EFORMAT, "%zu: %d", cut, r.s);
        for (int64_t k = 0; k < r.p.nmatrix && r.s == FB_OK; k++)
            is_sound(r.p.matrix + k);
        ck_assert(cut < n || r.s == FB_OK);
        result_free(&r);
        free(copy);
    }
}
END_TEST

START_TEST(no_memory)
{
    static const char text[] =
        "SPOINT,5,THRU,7\nDMIG,KX,0,6,4,0\nDMIG,KX,2,1,,2,1,1.,2.\n,1,1,3.,4.\nDMIG,KX,1,1,,1,1,5.,"
        "6.\n,5,1,1.,1.\n"
        "DMIG,VAX,0,9,2,0\nDMIG,VAX,1,0,,1,1,1.\nDMIG,R,0,2,1,0\nDMIG,R,1,3,,1,1,1.\n";
    char name[] = "deck";
    fb_input in = {.data = (const unsigned char *)text, .size = sizeof text - 1, .name = name};
    result r;
    int fails;
    EVERY_ALLOCATION_FAILS_ONCE(r.s, fails, {
        r = (result){0};
        r.s = fb_reader_dmig.read(&in, &r.p, &r.log, &r.e);
        if (!r.s)
            r.s = fb_parts_label(&r.p, &r.log, &r.e);
        result_free(&r);
    });
    ck_assert_int_gt(fails, 20);
}
END_TEST

Suite *suite_dmig(void)
{
    Suite *s = suite_create("dmig");
    TCase *t = tcase_create("cards");
    tcase_add_test(t, case_real_forms);
    tcase_add_test(t, fields_of_any_place);
    tcase_add_test(t, case_halves);
    tcase_add_test(t, case_sizes);
    tcase_add_test(t, fields);
    tcase_add_test(t, complex_and_polar);
    tcase_add_test(t, any_order);
    tcase_add_loop_test(t, any_order_of_complex_entries, 0, 8);
    tcase_add_test(t, empty_columns);
    tcase_add_test(t, scalar_points);
    tcase_add_test(t, runs);
    tcase_add_test(t, rounding_of_halves);
    tcase_add_test(t, refusals);
    tcase_add_test(t, truncation);
    tcase_add_test(t, no_memory);
    suite_add_tcase(s, t);
    return s;
}
