/* SPDX-License-Identifier: GPL-3.0-or-later */
/* test_convert.c - units: every quantity by its own rule, round trips, and with a reduction. */
#include "invariants/inertia.h"
#include "mnfparse/reader.h"
#include "reduce/modal.h"
#include "tests/model/generic.h"
#include "tests/suites.h"
#include <math.h>

static const char *const systems[] = {"SI",     "mm-t-s",   "mm-kg-ms", "mm-g-ms",
                                      "cm-g-s", "in-lbf-s", "ft-lbf-s"};
enum { NSYSTEMS = sizeof systems / sizeof *systems };

static void convert(fb_model *b, const char *system)
{
    fb_units to;
    fb_err e = {0};
    ck_assert_int_eq(fb_units_system(&to, system, &e), FB_OK);
    ck_assert_msg(fb_model_convert(b, &to, &e) == FB_OK, "%s", e.msg);
}

/* A body with every kind of dataset: printed invariants are copies of the computed ones, K of two
 * translations, a rotation and a generalized dof (the first four of /dofs relabelled) in triangle
 * form. */
static void full_body(fb_model *b, uint64_t seed)
{
    fb_err e = {0};
    make_body(b, 8, 20, seed);
    ck_assert_int_eq(fb_invariants_nodal(b, b->shape, &e), FB_OK);
    for (int64_t k = 0; k < 13 * b->nm; k++)
        b->stat_value[k] = 1 + 0.01 * (double)k;
    b->ref_mass = fb_alloc(1, 8);
    b->ref_com = fb_alloc(3, 8);
    b->ref_inertia = fb_alloc(9, 8);
    b->ref_I[4] = fb_alloc((size_t)(3 * b->nm), 8);
    b->ref_mass[0] = 3;
    b->ref_com[1] = 4;
    b->ref_inertia[5] = 5;
    b->ref_I[4][7] = 6;
    int64_t n = b->ndof, i[4] = {0, 0, 3, 1}, j[4] = {0, 3, 3, 2};
    double x[4] = {10, 20, 30, 40};
    ck_assert_int_eq(fb_csc_from_triplets(&b->K, n, n, 4, i, j, x, 1, &e), FB_OK);
    ck_assert_int_eq(fb_csc_from_triplets(&b->M, n, n, 4, i, j, x, 1, &e), FB_OK);
    ck_assert_int_eq(fb_csc_from_triplets(&b->D, n, n, 4, i, j, x, 1, &e), FB_OK);
    b->dof_component[2] = 0;
    b->dof_class[2] = FB_DOF_GENERALIZED;
    ck_assert_msg(fb_model_check(b, &e) == FB_OK, "%s", e.msg);
}

#define FACTOR(x, y, by) ck_assert_double_eq_tol((y) / (x), by, 1e-14 * (by))

/* SI to mm-kg-ms by hand: lengths by 1e3, times by 1e3, masses by 1, forces by 1e-3. */
START_TEST(every_quantity_by_its_rule)
{
    fb_model a, c;
    full_body(&a, 1);
    full_body(&c, 1);
    convert(&c, "mm-kg-ms");
    ck_assert_str_eq(c.units.name[FB_FORCE], "kN");
    FACTOR(a.xyz[4], c.xyz[4], 1e3);
    FACTOR(a.node_mass[1], c.node_mass[1], 1.0);
    FACTOR(a.node_inertia[4], c.node_inertia[4], 1e6);
    int64_t elastic = 6 * 6 * a.nn;
    FACTOR(a.shape[elastic + 2], c.shape[elastic + 2], 1e3);
    FACTOR(a.shape[elastic + 3], c.shape[elastic + 3], 1.0);
    FACTOR(a.eigen[35], c.eigen[35], 1e-6);
    FACTOR(a.eigen[36], c.eigen[36], 1.0);
    FACTOR(a.eigen[37], c.eigen[37], 1e-3);
    FACTOR(a.eigen[38], c.eigen[38], 1e6);
    FACTOR(a.eigen[39], c.eigen[39], 1.0); /* kg m^2/s^2 = kg mm^2/ms^2 */
    FACTOR(a.Mr[0], c.Mr[0], 1e6);
    FACTOR(a.Kr[7 * 21], c.Kr[7 * 21], 1.0);
    FACTOR(a.frequency[8], c.frequency[8], 1.0);
    FACTOR(a.stress[3], c.stress[3], 1e-9); /* Pa to GPa */
    FACTOR(a.stat_value[0], c.stat_value[0], 1e3);
    FACTOR(a.stat_value[1], c.stat_value[1], 1.0);
    FACTOR(a.stat_value[2], c.stat_value[2], 1e-9);
    FACTOR(a.stat_value[13], c.stat_value[13], 1e3);
    FACTOR(a.ref_mass[0], c.ref_mass[0], 1.0);
    FACTOR(a.ref_com[1], c.ref_com[1], 1e3);
    FACTOR(a.ref_inertia[5], c.ref_inertia[5], 1e6);
    FACTOR(a.ref_I[4][7], c.ref_I[4][7], 1e6);
    FACTOR(a.connector_position[0], c.connector_position[0], 1e3);
    FACTOR(a.connector_rotation[0], c.connector_rotation[0], 1.0);
    FACTOR(a.connector_S[0], c.connector_S[0], 1e3);
    FACTOR(a.connector_Shat[7], c.connector_Shat[7], 1.0);
    FACTOR(a.I[1][0], c.I[1][0], 1.0);
    FACTOR(a.I[2][0], c.I[2][0], 1e3);
    FACTOR(a.I[3][7], c.I[3][7], 1e3);
    for (int k = 4; k <= 11; k++) {
        int at = 0;
        while (a.I[k][at] == 0)
            at++;
        FACTOR(a.I[k][at], c.I[k][at], 1e6);
    }
    /* K: N/m to kN/mm, N to kN, Nm to kN mm; with a generalized coordinate N to kN. */
    FACTOR(10.0, c.K.x[0], 1e-6);
    FACTOR(40.0, c.K.x[1], 1e-3);
    FACTOR(20.0, c.K.x[2], 1e-3);
    FACTOR(30.0, c.K.x[3], 1.0);
    FACTOR(10.0, c.M.x[0], 1.0);
    FACTOR(20.0, c.M.x[2], 1e3);
    FACTOR(30.0, c.M.x[3], 1e6);
    FACTOR(10.0, c.D.x[0], 1e-3); /* kg/s to kg/ms */
    fb_model_free(&a);
    fb_model_free(&c);
}
END_TEST

/* Entry by entry of the generic body, from t, mm, s, N to g, mm, ms, N by hand: masses take 1e6,
 * times 1e3, lengths and forces 1; and to SI: masses and lengths 1e3 and 1e-3. Rotations, V and
 * directions stay, Hz are Hz. */
static void factored(const char *what, const double *was, const double *is, int64_t n, double by)
{
    for (int64_t k = 0; k < n; k++)
        ck_assert_msg(fabs(is[k] - was[k] * by) <= 1e-14 * fabs(was[k] * by),
                      "%s[%d] is %.17g, %.17g wanted", what, (int)k, is[k], was[k] * by);
}

START_TEST(every_entry_of_the_generic_body)
{
    enum { NN = GENERIC_NODES, M = GENERIC_ORDER, NM = GENERIC_MODES };
    const double m = _i ? 1e3 : 1e6, l = _i ? 1e-3 : 1, t = _i ? 1 : 1e3, f = 1;
    static const int size[12] = {0,     1, 3,     3 * M,     3 * M, 3 * M * M,
                                 M * M, 9, 9 * M, 9 * M * M, 9 * M, 9 * M * M};
    fb_model a, c;
    make_generic(&a, "mm-t-s", 4);
    make_generic(&c, "mm-t-s", 4);
    generic_invariants(&a, a.I);
    generic_invariants(&c, c.I);
    convert(&c, _i ? "SI" : "mm-g-ms");
    ck_assert_str_eq(c.units.name[FB_MASS], _i ? "kg" : "g");
    factored("xyz", a.xyz, c.xyz, 3 * NN, l);
    factored("mass", a.node_mass, c.node_mass, NN, m);
    factored("inertia", a.node_inertia, c.node_inertia, 9 * NN, m * l * l);
    for (int k = 0; k < 2 * NN * NM; k++) /* translations, rotations */
        factored("shape", a.shape + 3 * k, c.shape + 3 * k, 3, k % 2 ? 1 : l);
    for (int k = 0; k < 2 * NN * M; k++)
        factored("T", a.T + 3 * k, c.T + 3 * k, 3, k % 2 ? 1 : l);
    for (int k = 0; k < 5 * NM; k++) {
        const double by[5] = {1 / (t * t), 1, 1 / t, m * l * l, m * l * l / (t * t)};
        factored("eigen", a.eigen + k, c.eigen + k, 1, by[k % 5]);
    }
    factored("stress", a.stress, c.stress, NM * GENERIC_STRESS * 6, f / (l * l));
    factored("V", a.V, c.V, M * NM, 1);
    factored("K", a.Kr, c.Kr, M * M, m * l * l / (t * t));
    factored("M", a.Mr, c.Mr, M * M, m * l * l);
    factored("D", a.Dr, c.Dr, M * M, m * l * l / t);
    factored("frequency", a.frequency, c.frequency, M, 1);
    for (int k = 0; k < 4 * NN; k++) /* forces, moments of both vectors */
        factored("P", a.vector + 3 * k, c.vector + 3 * k, 3, m * l * (k % 2 ? l : 1) / (t * t));
    factored("loads", a.load, c.load, 2 * M, m * l * l / (t * t));
    factored("unit forces", a.load + 2 * M, c.load + 2 * M, 3 * M, l);
    factored("connectors", a.connector_position, c.connector_position, 9, l);
    factored("axes", a.connector_rotation, c.connector_rotation, 27, 1);
    factored("S", a.connector_S, c.connector_S, 9 * M, l);
    factored("Shat", a.connector_Shat, c.connector_Shat, 9 * M, 1);
    for (int k = 1; k <= 11; k++)
        factored("I", a.I[k], c.I[k], size[k], k == 1 ? m : k < 4 ? m * l : m * l * l);
    fb_model_free(&a);
    fb_model_free(&c);
}
END_TEST

static void same(const char *what, const double *x, const double *y, int64_t n, double tol)
{
    for (int64_t k = 0; x && k < n; k++)
        ck_assert_msg(fabs(x[k] - y[k]) <= tol * fabs(y[k]), "%s[%d]: %.17g and %.17g", what,
                      (int)k, x[k], y[k]);
}

static void same_model(const fb_model *a, const fb_model *c, double tol)
{
    int64_t nn = c->nn, m = c->nm, r = c->nr;
    same("xyz", a->xyz, c->xyz, 3 * nn, tol);
    same("mass", a->node_mass, c->node_mass, nn, tol);
    same("inertia", a->node_inertia, c->node_inertia, 9 * nn, tol);
    same("shape", a->shape, c->shape, m * nn * 6, tol);
    same("eigen", a->eigen, c->eigen, 5 * m, tol);
    same("stress", a->stress, c->stress, m * c->ns * 6, tol);
    same("statistics", a->stat_value, c->stat_value, 13 * m, tol);
    same("Kr", a->Kr, c->Kr, r * r, tol);
    same("Mr", a->Mr, c->Mr, r * r, tol);
    same("S", a->connector_S, c->connector_S, c->nc * 3 * r, tol);
    same("K", a->K.x, c->K.x, c->K.p ? c->K.p[c->ndof] : 0, tol);
    same("M", a->M.x, c->M.x, c->M.p ? c->M.p[c->ndof] : 0, tol);
    same("D", a->D.x, c->D.x, c->D.p ? c->D.p[c->ndof] : 0, tol);
    const int64_t n[12] = {0,     1, 3,     3 * r,     3 * r, 3 * r * r,
                           r * r, 9, 9 * r, 9 * r * r, 9 * r, 9 * r * r};
    for (int k = 1; k <= 11; k++)
        same("I", a->I[k], c->I[k], n[k], tol);
    for (int k = 0; k < FB_NUNIT; k++) {
        ck_assert_str_eq(a->units.name[k], c->units.name[k]);
        ck_assert_double_eq(a->units.factor[k], c->units.factor[k]);
    }
}

START_TEST(round_trips)
{
    fb_model a, c;
    full_body(&a, (uint64_t)_i);
    full_body(&c, (uint64_t)_i);
    convert(&a, systems[_i]);
    if (_i > 0)
        ck_assert_str_ne(a.units.name[FB_LENGTH], c.units.name[FB_LENGTH]);
    convert(&a, "in-lbf-s");
    convert(&a, "SI");
    same_model(&a, &c, 1e-14);
    fb_model_free(&a);
    fb_model_free(&c);
}
END_TEST

START_TEST(real_bodies_come_back)
{
    static const char *const files[] = {"mnf/siso_beam.mnf", "mnf/siso_block.mnf"};
    const char *path = shared_file(files[_i]);
    fb_input in = {0};
    fb_parts p = {0}, q = {0};
    fb_log log = {0};
    fb_err e = {0};
    if (!path)
        return;
    ck_assert_int_eq(fb_input_open(&in, path, &e), FB_OK);
    ck_assert_int_eq(fb_reader_mnf.read(&in, &p, &log, &e), FB_OK);
    ck_assert_int_eq(fb_reader_mnf.read(&in, &q, &log, &e), FB_OK);
    for (int k = 1; k < NSYSTEMS; k++) {
        convert(&p.body, systems[k]);
        convert(&p.body, "SI");
        same_model(&p.body, &q.body, 1e-14 * k);
    }
    fb_parts_free(&p);
    fb_parts_free(&q);
    fb_input_close(&in);
}
END_TEST

/* Reduced, then converted, against converted, then reduced: the frequencies, and the shapes of the
 * eigenvectors over the input's modes (V of the orthonormalised pair), each scaled to length 1, for
 * elastic modes; rigid ones are free to turn among themselves. */
static void spectrum(const fb_method *m, const fb_model *b, fb_reduceopt o, const char *after,
                     double *f, fb_mat *Q)
{
    fb_reduction r = {0};
    fb_log log = {0};
    fb_err e = {0};
    ck_assert_msg(m->modal(b, &o, &r, &log, &e) == FB_OK, "%s", e.msg);
    fb_model t = {.units = b->units,
                  .nr = r.nr,
                  .nm = b->nm,
                  .Kr = r.K,
                  .Mr = r.M,
                  .V = r.V.x,
                  .kind = r.kind,
                  .nranking = r.nranking,
                  .ranking = r.ranking};
    if (after)
        convert(&t, after);
    const fb_mat K = {t.nr, t.nr, t.Kr}, M = {t.nr, t.nr, t.Mr}, V = {t.nm, t.nr, t.V};
    fb_mat W = {0};
    double *w2 = fb_alloc((size_t)t.nr, 8);
    ck_assert_msg(fb_eig_dense(&K, &M, w2, &W, &e) == FB_OK, "%s", e.msg);
    ck_assert_int_eq(fb_mat_new(Q, t.nm, t.nr, &e), FB_OK);
    ck_assert_int_eq(fb_gemm(0, 0, 1, &V, &W, 0, Q, &e), FB_OK);
    for (int64_t k = 0; k < t.nr; k++) {
        double norm = 0, top = 0;
        f[k] = sqrt(fabs(w2[k])) / (2 * M_PI * t.units.factor[FB_TIME]);
        for (int64_t i = 0; i < t.nm; i++)
            norm += Q->x[i + k * t.nm] * Q->x[i + k * t.nm];
        for (int64_t i = 0; i < t.nm; i++)
            top = fabs(Q->x[i + k * t.nm]) > fabs(top) ? Q->x[i + k * t.nm] : top;
        for (int64_t i = 0; i < t.nm; i++)
            Q->x[i + k * t.nm] /= top > 0 ? sqrt(norm) : -sqrt(norm);
    }
    fb_mat_free(&W);
    free(w2);
    free(r.boundary);
    fb_model_free(&t);
    fb_log_free(&log);
}

static const char *const method[] = {"cb", "guyan", "imr", "irs", "krylov", "lsmr", "mdm"};
enum { NMETHOD = sizeof method / sizeof *method };

/* Methods want Mr = 1, which a conversion changes. */
static void own(fb_model *b)
{
    fb_log log = {0};
    fb_err e = {0};
    fb_mat N = {0};
    ck_assert_msg(fb_modal_own(b, &N, &log, &e) == FB_OK, "%s", e.msg);
    fb_mat_free(&N);
    fb_log_free(&log);
}

START_TEST(conversion_and_reduction_commute)
{
    const fb_method *m = fb_method_find(method[_i % NMETHOD]);
    const char *to = systems[1 + _i / NMETHOD];
    fb_model b;
    double f[20], g[20];
    fb_mat P = {0}, Q = {0};
    fb_reduceopt o = {.order = m->masters ? 12 : 15, .modes = -1, .at = "3"};
    make_body(&b, 8, 20, (uint64_t)_i);
    spectrum(m, &b, o, to, f, &P);
    convert(&b, to);
    own(&b);
    spectrum(m, &b, o, NULL, g, &Q);
    for (int64_t k = 6; k < o.order; k++) {
        ck_assert_msg(fabs(f[k] / g[k] - 1) < 1e-12, "%s, %s, mode %d: %.16g and %.16g", m->name,
                      to, (int)k + 1, f[k], g[k]);
        for (int64_t i = 0; i < b.nm; i++)
            ck_assert_msg(fabs(P.x[i + k * b.nm] - Q.x[i + k * b.nm]) < 1e-11, /* of lsmr */
                          "%s, %s, mode %d: %.3g", m->name, to, (int)k + 1,
                          P.x[i + k * b.nm] - Q.x[i + k * b.nm]);
    }
    fb_mat_free(&P);
    fb_mat_free(&Q);
    fb_model_free(&b);
}
END_TEST

/* The corners of a box, turned: its volume in closed form. A plane, a line, nothing: none. */
static void turned_box(double xyz[24], double a, double b, double c)
{
    const double s = sin(0.7), t = cos(0.7), u = sin(1.9), v = cos(1.9);
    for (int k = 0; k < 8; k++) {
        const double x = (k & 1) * a + 3, y = (k >> 1 & 1) * b - 1, z = (k >> 2) * c + 2,
                     p = t * x - s * y, q = s * x + t * y;
        xyz[3 * k] = p;
        xyz[3 * k + 1] = v * q - u * z;
        xyz[3 * k + 2] = u * q + v * z;
    }
}

START_TEST(mass_over_the_box_of_the_nodes)
{
    static int64_t node[8], solid[8] = {1, 2, 3, 1, 2, 3, 1, 2},
                            frame[8] = {1, 2, 3, 4, 5, 6, 1, 2};
    static const struct {
        double mass;
        int frame;
        const char *says;
    } row[] = {{0.12 * 2.9e4, 0, NULL},
               {0.12 * 3.1e4, 0, "more than any material has"},
               {0.12 * 11, 0, NULL},
               {0.12 * 9, 0, "less than solids have"},
               {0.12 * 9, 1, NULL},
               {0.12 * 0.011, 1, NULL},
               {0.12 * 0.009, 1, "less than any structure has"}};
    double xyz[24], mass[8], V = -1;
    fb_model b = {.nn = 8, .node_id = node, .xyz = xyz, .ndof = 8};
    fb_err e = {0};
    turned_box(xyz, 0.3, 0.8, 0.5);
    ck_assert_int_eq(fb_node_volume(&b, &V, &e), FB_OK);
    ck_assert_double_eq_tol(V, 0.12, 1e-12);
    for (int of = 0; of < 2; of++) { /* in m, kg; in mm, t */
        for (size_t k = 0; k < sizeof row / sizeof *row; k++) {
            fb_log log = {0};
            ck_assert_int_eq(fb_units_system(&b.units, of ? "mm-t-s" : "SI", &e), FB_OK);
            turned_box(xyz, of ? 300 : 0.3, of ? 800 : 0.8, of ? 500 : 0.5);
            for (int p = 0; p < 8; p++) /* no two alike */
                mass[p] = row[k].mass * (p + 1) / 36 * (of ? 1e-3 : 1);
            b.node_mass = mass;
            b.dof_component = row[k].frame ? frame : solid;
            ck_assert_int_eq(fb_density_check(&b, &log, &e), FB_OK);
            ck_assert_int_eq(log.nwarning, row[k].says != NULL);
            ck_assert(!row[k].says || strstr(log.warning[0], row[k].says));
            fb_log_free(&log);
        }
    }
    turned_box(xyz, 2, 3, 0);
    ck_assert(fb_node_volume(&b, &V, &e) == FB_OK && V == 0);
    b.nn = 3;
    ck_assert(fb_node_volume(&b, &V, &e) == FB_OK && V == 0);
    b.nn = 8;
    b.xyz = NULL;
    V = -1;
    ck_assert(fb_node_volume(&b, &V, &e) == FB_OK && V == 0);
    mass[0] = 5;
    ck_assert_double_eq_tol(fb_total_mass(&b),
                            5 + mass[1] + mass[2] + mass[3] + mass[4] + mass[5] + mass[6] + mass[7],
                            1e-12);
    double stated = 7, all[3] = {1, 3, 2};
    b.node_mass = NULL;
    ck_assert(fb_total_mass(&b) == 0);
    b.ref_mass = &stated;
    ck_assert(fb_total_mass(&b) == 7);
    b.total_mass = all;
    ck_assert(fb_total_mass(&b) == 3);
}
END_TEST

/* 1e308 kg m^2 are 1e308 * 1e-3 t * 1e6 mm^2 = 1e311, which no double holds; 1e305 kg are 1e302 t.
 * */
START_TEST(numbers_stay_finite)
{
    fb_model b;
    fb_units to;
    fb_err e = {0};
    full_body(&b, 1);
    b.node_mass[0] = 1e305;
    convert(&b, "mm-t-s");
    FACTOR(1e305, b.node_mass[0], 1e-3);
    convert(&b, "SI");
    b.node_inertia[4] = 1e308;
    ck_assert_int_eq(fb_units_system(&to, "mm-t-s", &e), FB_OK);
    ck_assert_int_eq(fb_model_convert(&b, &to, &e), FB_EFORMAT);
    ck_assert_str_eq(
        e.msg,
        "in t, mm, s, N numbers leave the range of double: /nodes/inertia: value 4 is not finite");
    fb_model_free(&b);
}
END_TEST

START_TEST(unnamed_units)
{
    fb_model b;
    fb_units to;
    fb_err e = {0};
    make_body(&b, 3, 6, 1);
    fb_units_unnamed(&b.units);
    ck_assert_int_eq(fb_units_system(&to, "mm-t-s", &e), FB_OK);
    ck_assert_int_eq(fb_model_convert(&b, &to, &e), FB_EUSAGE);
    ck_assert_str_eq(
        e.msg,
        "the input's unit of mass is 'mass', which is not a known one: name the input's units "
        "(mnfparse --input-units SYSTEM)");
    ck_assert_int_eq(fb_model_name_units(&b, "furlong", &e), FB_EUSAGE);
    ck_assert_msg(
        strstr(e.msg, "unknown unit system 'furlong'; known, with their forces, are SI (N),") !=
            NULL,
        "%s", e.msg);
    double x = b.xyz[0];
    ck_assert_int_eq(fb_model_name_units(&b, "SI", &e), FB_OK);
    ck_assert_double_eq(b.xyz[0], x);
    ck_assert_int_eq(fb_model_name_units(&b, "SI", &e), FB_OK);
    ck_assert_int_eq(fb_model_name_units(&b, "mm-t-s", &e), FB_EUSAGE);
    ck_assert_msg(strstr(e.msg, "names its units (kg, m, s, N), which are not mm-t-s") != NULL,
                  "%s", e.msg);
    ck_assert_int_eq(fb_model_convert(&b, &to, &e), FB_OK);
    ck_assert_double_eq_tol(b.xyz[0], 1e3 * x, 1e-12 * fabs(x));
    fb_model_free(&b);
}
END_TEST

/* Shapes over dofs that may be lengths or angles, without the matrices they belong to, as a record
 * holds them: T stayed what it was. */
START_TEST(shapes_without_matrices)
{
    for (int how = 0; how < 3; how++) { /* component known, not known, no /dofs */
        fb_model b;
        fb_units to;
        fb_err e = {0};
        full_body(&b, 2);
        FB_FREE_BY(fb_csc_free, &b.K, &b.M, &b.D);
        ck_assert_int_eq(FB_NEW(&b.basis, b.ndof, &e), FB_OK);
        b.nbasis = 1;
        b.basis[1] = 0.5;
        b.dof_component[1] = how == 1 ? 0 : 2;
        if (how == 2)
            FB_FREE(b.dof_component);
        ck_assert_int_eq(fb_units_system(&to, "mm-t-s", &e), FB_OK);
        const fb_status s = fb_model_convert(&b, &to, &e);
        ck_assert_int_eq(s, how == 0 ? FB_OK : how == 1 ? FB_EUSAGE : FB_EFORMAT);
        if (how == 0)
            ck_assert_double_eq_tol(b.basis[1], 500, 1e-10);
        else
            ck_assert_ptr_nonnull(strstr(e.msg, how == 1 ? "has no component" : "without /dofs"));
        fb_model_free(&b);
    }
}
END_TEST

Suite *suite_convert(void)
{
    Suite *s = suite_create("convert");
    TCase *t = tcase_create("units");
    tcase_set_timeout(t, 60);
    tcase_add_loop_test(t, every_entry_of_the_generic_body, 0, 2);
    tcase_add_test(t, every_quantity_by_its_rule);
    tcase_add_loop_test(t, round_trips, 0, NSYSTEMS);
    tcase_add_loop_test(t, real_bodies_come_back, 0, 2);
    tcase_add_loop_test(t, conversion_and_reduction_commute, 0, NMETHOD * (NSYSTEMS - 1));
    tcase_add_test(t, unnamed_units);
    tcase_add_test(t, shapes_without_matrices);
    tcase_add_test(t, mass_over_the_box_of_the_nodes);
    tcase_add_test(t, numbers_stay_finite);
    suite_add_tcase(s, t);
    return s;
}
