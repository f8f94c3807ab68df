/* SPDX-License-Identifier: GPL-3.0-or-later */
/* test_geometric.c - laws of geometric stiffness: a beam that turns, rigid motion, moves, units,
 * and what a reduction makes of it. */
#include "reduce/method.h"
#include "reduce/full.h"
#include "tests/model/body.h"
#include "tests/model/full.h"
#include "tests/model/near.h"
#include "tests/suites.h"
#include <math.h>

#define OK(call) ck_assert_msg((call) == FB_OK, "%s", e.msg)

static fb_err e;

/* ---- a clamped-free beam along x: EI = rho A = L = 1, EA = 1e6 ------------------------------- */

enum { ELEMENTS = 32, NODES = ELEMENTS + 1, DOFS = 6 * NODES };

typedef struct {
    int64_t i[78 * ELEMENTS], j[78 * ELEMENTS], n;
    double x[78 * ELEMENTS];
} triplets;

/* A [4,4] over v, r of both ends in the planes xy and xz, where r turns w backwards. */
static void bend(triplets *t, int element, const double A[16], double by)
{
    static const int at[2][4] = {{1, 5, 7, 11}, {2, 4, 8, 10}};
    for (int plane = 0; plane < 2; plane++)
        for (int a = 0; a < 4; a++)
            for (int b = 0; b < 4; b++) {
                const double sign = plane && (a + b) % 2 ? -1 : 1;
                if (at[plane][a] > at[plane][b])
                    continue;
                t->i[t->n] = 6 * element + at[plane][a];
                t->j[t->n] = 6 * element + at[plane][b];
                t->x[t->n++] = sign * by * A[4 * a + b];
            }
}

static void rod(triplets *t, int element, int c, double k)
{
    for (int a = 0; a < 2; a++)
        for (int b = a; b < 2; b++) {
            t->i[t->n] = 6 * element + c + 6 * a;
            t->j[t->n] = 6 * element + c + 6 * b;
            t->x[t->n++] = a == b ? k : -k;
        }
}

/* Lumped masses, so that the tension N is what they pull (kind 0: turning about z or y with speed
 * 1, 1: gravity 1 along x, 2: force 1 at the tip). */
static double tension(int element, int kind)
{
    double N = kind == 2;
    for (int p = element + 1; p < NODES && kind < 2; p++)
        N += (p == NODES - 1 ? 0.5 : 1) / ELEMENTS * (kind ? 1 : (double)p / ELEMENTS);
    return N;
}

static void beam(fb_model *b)
{
    const double l = 1. / ELEMENTS, h = l * l;
    const double bending[16] = {12,  6 * l,  -12, 6 * l,  6 * l, 4 * h, -6 * l, 2 * h,
                                -12, -6 * l, 12,  -6 * l, 6 * l, 2 * h, -6 * l, 4 * h};
    const double string[16] = {36,  3 * l,  -36, 3 * l,  3 * l, 4 * h, -3 * l, -h,
                               -36, -3 * l, 36,  -3 * l, 3 * l, -h,    -3 * l, 4 * h};
    static triplets t;
    test_model m = {.nn = NODES};
    fb_csc Kg[3] = {{0}};
    m.xyz = calloc(3 * NODES, sizeof *m.xyz);
    m.node = calloc(DOFS, sizeof *m.node);
    for (int p = 0; p < NODES; p++)
        m.xyz[3 * p] = p * l;
    t.n = 0;
    for (int q = 0; q < ELEMENTS; q++) {
        bend(&t, q, bending, 1 / (l * h));
        rod(&t, q, 0, 1e6 / l);
        rod(&t, q, 3, 1 / l);
    }
    OK(fb_csc_from_triplets(&m.K, DOFS, DOFS, t.n, t.i, t.j, t.x, 1, &e));
    t.n = 0;
    for (int d = 0; d < DOFS; d++) {
        const double share = d < 6 || d >= DOFS - 6 ? l / 2 : l;
        t.i[t.n] = t.j[t.n] = d;
        t.x[t.n++] = d % 6 < 3 ? share : 1e-6 * share;
    }
    OK(fb_csc_from_triplets(&m.M, DOFS, DOFS, t.n, t.i, t.j, t.x, 1, &e));
    for (int kind = 0; kind < 3; kind++) {
        t.n = 0;
        for (int q = 0; q < ELEMENTS; q++)
            bend(&t, q, string, tension(q, kind) / (30 * l));
        OK(fb_csc_from_triplets(Kg + kind, DOFS, DOFS, t.n, t.i, t.j, t.x, 1, &e));
    }
    full_body(b, &m);
    OK(fb_geometric_stack_take(Kg, 3, &b->Kg, &e));
    b->nkgdof = 3 * DOFS;
    const fb_geoload l3[3] = {{.W = {[8] = 1}}, {.a = {1}}, {.node = NODES, .f = {1}}};
    OK(fb_geoload_set(b, l3, 3, &e));
}

static void reduced(fb_model *b, const char *method, int64_t order, int orthonormalize)
{
    fb_reduceopt o = {.order = order, .modes = -1, .tolerance = -1, .interface = "33"};
    fb_reduction r = {0};
    fb_log log = {0};
    for (int d = 0; d < 6; d++)
        b->dof_class[d] = FB_DOF_FIXED;
    o.orthonormalize = orthonormalize;
    OK(fb_method_full(fb_method_find(method), b, &o, &r, &log, &e));
    OK(fb_reduction_apply_take(b, &r, &o, method, &log, &e));
    fb_reduction_free(&r);
    fb_log_free(&log);
}

/* K := K + y Kg_load - y T'M_yy T of the y translations, T'M T beside it: the two lowest roots. */
static void lowest(const fb_model *b, double y, int64_t load, double soft, double w[2])
{
    const int64_t m = b->nr;
    fb_mat K = {0}, M = {0}, V = {0};
    double *lambda = calloc((size_t)m, sizeof *lambda);
    OK(fb_mat_new(&K, m, m, &e));
    OK(fb_mat_new(&M, m, m, &e));
    for (int64_t k = 0; k < m * m; k++) {
        K.x[k] = b->Kr[k] + y * b->Kgr[load * m * m + k];
        M.x[k] = b->Mr[k];
    }
    for (int64_t d = 1; d < DOFS; d += 6)
        for (int64_t j = 0; j < m; j++)
            for (int64_t i = 0; i < m; i++)
                K.x[i + j * m] -= soft * (d >= DOFS - 6 ? 0.5 : 1) / ELEMENTS * b->T[d + i * DOFS] *
                                  b->T[d + j * DOFS];
    OK(fb_eig_dense(&K, &M, lambda, &V, &e));
    w[0] = sqrt(lambda[0]);
    w[1] = sqrt(lambda[1]);
    FB_FREE_BY(fb_mat_free, &K, &M, &V);
    free(lambda);
}

/* Clamped-free beam that turns about z, w L^2 sqrt(rho A/EI): in its plane and out of it. The exact
 * values for gamma = 2, 4, 8 (J. Wright et al., J. Appl. Mech. 49 (1982) 197-202, zero hub radius)
 * are 3.6218 4.1373, 3.8977 5.5850, 4.6571 9.2568; one body, 1 % allowed, 32 lumped elements have
 * 0.05 %. */
START_TEST(a_turning_beam_is_one_body)
{
    static const struct {
        const char *method;
        int64_t order;
        int orthonormal;
    } how[] = {{"cb", 16, 0}, {"cb", 16, 1}, {"mdm", 12, 0}};
    static const double want[3][3] = {
        {2, 3.6218, 4.1373}, {4, 3.8977, 5.5850}, {8, 4.6571, 9.2568}};
    fb_model b;
    beam(&b);
    reduced(&b, how[_i].method, how[_i].order, how[_i].orthonormal);
    for (int k = 0; k < 3; k++) {
        const double y = want[k][0] * want[k][0];
        double w[2];
        lowest(&b, y, 0, y, w);
        for (int a = 0; a < 2; a++)
            ck_assert_msg(fabs(w[a] / want[k][1 + a] - 1) < 1e-2, "gamma %g: %.5g", want[k][0],
                          w[a]);
    }
    fb_model_free(&b);
}
END_TEST

/* A tip force P along x: a cantilever under a compression that keeps its direction buckles at
 * P = -pi^2/4 EI/L^2; under gravity -q along x at q = 7.8373 EI/L^3 (Timoshenko & Gere, Theory of
 * Elastic Stability, 1961, sec. 2.1 and 2.12). Both within 1e-3, the modes being those without load
 * with the constraint modes of the tip. */
START_TEST(a_column_buckles)
{
    const double pi = acos(-1), want[2] = {7.8373, pi * pi / 4};
    for (int64_t load = 1; load < 3; load++) {
        fb_model b;
        double low = 0, high = 20, w[2];
        beam(&b);
        reduced(&b, "cb", 16, 0);
        while (high - low > 1e-7 * high) {
            const double mid = (low + high) / 2;
            lowest(&b, -mid, load, 0, w);
            *(isnan(w[0]) ? &high : &low) = mid; /* a negative root */
        }
        ck_assert_msg(fabs(low / want[load - 1] - 1) < 1e-3, "%g", low);
        fb_model_free(&b);
    }
}
END_TEST

/* Kg of a translation is zero; of a rotation e about the origin it is e x f at every node, f the
 * load and the reaction at the clamped end: the load's own moment and nothing else. */
START_TEST(rigid_motion_feels_the_load_alone)
{
    fb_model b;
    fb_mat R = {0}, y = {0};
    beam(&b);
    OK(fb_model_rigid(&b, &R, &e));
    for (int load = 0; load < 3; load++) {
        fb_csc A = {0};
        double f[NODES] = {0};
        OK(fb_geometric_block(&b.Kg, load, DOFS, &A, &e));
        OK(fb_mat_new(&y, DOFS, 6, &e));
        fb_csc_mul(&A, R.x, DOFS, y.x, DOFS, 6);
        for (int q = 0; q < ELEMENTS; q++) { /* what the elements leave over */
            f[q] -= tension(q, load);
            f[q + 1] += tension(q, load);
        }
        for (int64_t d = 0; d < DOFS; d++)
            for (int a = 0; a < 6; a++) {
                const double want = a == 4 && d % 6 == 2   ? -f[d / 6]
                                    : a == 5 && d % 6 == 1 ? f[d / 6]
                                                           : 0;
                ck_assert_msg(fabs(y.x[d + a * DOFS] - want) < 1e-12, "%d, %d: %g", (int)d, a,
                              y.x[d + a * DOFS]);
            }
        fb_csc_free(&A);
        fb_mat_free(&y);
    }
    fb_mat_free(&R);
    fb_model_free(&b);
}
END_TEST

/* ---- any stiffness, any loads ---------------------------------------------------------------- */

/* As many blocks as loads, entries where K has them. */
static void any_geometric(fb_model *b, int seed)
{
    uint64_t s = (uint64_t)seed + 7;
    fb_csc A[4];
    fb_geoload l[4];
    for (int k = 0; k < 4; k++) {
        double *x = (double *)(void *)(l + k);
        OK(fb_csc_new(A + k, b->K.m, b->K.n, b->K.p[b->K.n], 1, &e));
        memcpy(A[k].p, b->K.p, (size_t)(b->K.n + 1) * 8);
        memcpy(A[k].i, b->K.i, (size_t)b->K.p[b->K.n] * 8);
        for (int64_t q = 0; q < b->K.p[b->K.n]; q++)
            A[k].x[q] = random_real(&s);
        for (int q = 0; q < 21; q++)
            x[q] = random_real(&s);
        for (int i = 0; i < 3; i++)
            for (int j = 0; j < i; j++)
                l[k].W[3 * i + j] = l[k].W[3 * j + i];
        l[k].node = k < 2 ? 0 : 3;
        for (int q = 0; q < 3 && k < 2; q++)
            l[k].f[q] = l[k].t[q] = 0;
    }
    OK(fb_geometric_stack_take(A, 4, &b->Kg, &e));
    b->nkgdof = 4 * b->ndof;
    OK(fb_geoload_set(b, l, 4, &e));
}

/* m (a + r x u + tr(W) u - W u) of a mass m at u, and force and moment at the node. */
static void forces(const fb_geoload *l, double mass, const double u[3], double f[9])
{
    fb_cross(l->r, u, f);
    for (int i = 0; i < 3; i++) {
        f[i] += l->a[i] + (l->W[0] + l->W[4] + l->W[8]) * u[i];
        for (int j = 0; j < 3; j++)
            f[i] -= l->W[3 * i + j] * u[j];
        f[i] *= mass;
        f[3 + i] = l->f[i];
        f[6 + i] = l->t[i];
    }
}

static fb_move odd_move(int seed)
{
    fb_move m = fb_move_none();
    if (seed % 2)
        OK(fb_move_mirror(&m, "mirror", "y", &e));
    OK(fb_move_rotate(&m, "turn", "1,2,-0.5:73", &e));
    OK(fb_move_translate(&m, "way", "0.3,-2,1.1", &e));
    return m;
}

/* The forces of a moved load are the forces, moved (moments are axial); the reduction of what is
 * moved is the reduction, and the stiffness of a load that the rows span the same. */
START_TEST(loads_move_with_the_body)
{
    const fb_move m = odd_move(_i);
    fb_model a, b;
    fb_geoload was[4];
    full_any(&a, _i);
    full_any(&b, _i);
    any_geometric(&a, _i);
    any_geometric(&b, _i);
    for (int k = 0; k < 4; k++)
        was[k] = fb_geoload_of(&b, k);
    OK(fb_model_move(&b, &m, &e));
    for (int k = 0; k < 4; k++) {
        const fb_geoload is = fb_geoload_of(&b, k);
        ck_assert_int_eq(is.node, was[k].node);
        for (int64_t p = 0; p < a.nn; p++) {
            double f[9], g[9];
            forces(was + k, 2, a.xyz + 3 * p, f);
            forces(&is, 2, b.xyz + 3 * p, g);
            for (int c = 0; c < 9; c++) {
                double want = 0;
                for (int q = 0; q < 3; q++)
                    want += (c >= 6 ? m.det : 1) * m.Q[3 * (c % 3) + q] * f[c / 3 * 3 + q];
                ck_assert_msg(fabs(g[c] - want) < 1e-12 * (1 + fb_norm(f, 9)), "%d, %d: %g, %g", k,
                              c, g[c], want);
            }
        }
    }
    fb_mat R = {0}, S = {0};
    double *Ka = NULL, *Kb = NULL; /* of the rigid motions, which turn as vectors do */
    OK(fb_model_rigid(&a, &R, &e));
    OK(fb_model_rigid(&b, &S, &e));
    OK(fb_geometric_reduce(&a, &R, &Ka, &e));
    OK(fb_geometric_reduce(&b, &S, &Kb, &e));
    for (int k = 0; k < 4; k++) { /* the translations alone: rotations are about another origin */
        double top = 0;
        for (int q = 0; q < 36; q++)
            top = fmax(top, fabs(Ka[36 * k + q]));
        for (int i = 0; i < 3; i++)
            for (int j = 0; j < 3; j++) {
                double want = 0;
                for (int p = 0; p < 3; p++)
                    for (int q = 0; q < 3; q++)
                        want += m.Q[3 * i + p] * Ka[36 * k + 6 * p + q] * m.Q[3 * j + q];
                ck_assert_msg(fabs(Kb[36 * k + 6 * i + j] - want) < 1e-12 * top, "%d: %g, %g", k,
                              Kb[36 * k + 6 * i + j], want);
            }
    }
    FB_FREE_BY(fb_mat_free, &R, &S);
    FB_FREE(Ka, Kb);
    fb_model_free(&a);
    fb_model_free(&b);
}
END_TEST

/* Units: a force is a force. In mm, t, s the forces on a ton are 1e3 times those in mm t/s^2 that
 * SI has in N on a kilogram: 1 N = 1 mm t/s^2. And Kg along translations is 1e-3 N/mm to the
 * N/m. */
START_TEST(loads_have_units)
{
    fb_units mm;
    fb_model a, b;
    OK(fb_units_system(&mm, "mm-t-s", &e));
    full_any(&a, _i);
    full_any(&b, _i);
    any_geometric(&a, _i);
    any_geometric(&b, _i);
    OK(fb_model_convert(&b, &mm, &e));
    for (int k = 0; k < 4; k++) {
        const fb_geoload x = fb_geoload_of(&a, k), y = fb_geoload_of(&b, k);
        double f[9], g[9];
        forces(&x, 1, a.xyz + 3, f);
        forces(&y, 1e-3, b.xyz + 3, g);
        for (int c = 0; c < 9; c++)
            ck_assert_msg(fabs(g[c] - f[c] * (c >= 6 ? 1e3 : 1)) <= 1e-12 * (1 + fabs(g[c])),
                          "%d, %d: %g, %g", k, c, f[c], g[c]);
    }
    ck_assert(fabs(b.Kg.x[0] / a.Kg.x[0] - 1e-3) < 1e-15);
    fb_model_free(&a);
    fb_model_free(&b);
}
END_TEST

/* Of a body reduced, cut, and brought to its eigenvectors Kg is T'Kg T of the T that it has then;
 * reduced a second time, of the T that this has. */
START_TEST(follows_the_coordinates)
{
    fb_model b;
    fb_reduceopt o = {.order = 16, .modes = -1, .tolerance = -1, .interface = "33", .drop = "2,4"};
    fb_reduction r = {0};
    fb_log log = {0};
    beam(&b);
    for (int d = 0; d < 6; d++)
        b.dof_class[d] = FB_DOF_FIXED;
    o.orthonormalize = _i == 1;
    o.loads = _i == 2 ? "17:2" : NULL;
    OK(fb_method_full(fb_method_find("cb"), &b, &o, &r, &log, &e));
    OK(fb_reduction_cut(&b, &o, &r, &log, &e));
    OK(fb_reduction_apply_take(&b, &r, &o, "cb", &log, &e));
    for (int again = 0; again < 2; again++) {
        const fb_mat T = {DOFS, b.nr, b.T};
        double *want = NULL;
        OK(fb_geometric_reduce(&b, &T, &want, &e));
        near_all(b.Kgr, want, 3 * b.nr * b.nr, 1e-11, "Kgr");
        free(want);
        fb_reduction_free(&r);
        FB_FREE(b.held_node, b.held_component); /* as reduce does: said anew */
        OK(fb_reduction_of_take(&b, &r, &e));
        o = (fb_reduceopt){.order = -1, .modes = -1, .keep = "1-6"};
        OK(fb_reduction_cut(&b, &o, &r, &log, &e));
        OK(fb_reduction_apply_take(&b, &r, &o, "cb", &log, &e));
    }
    fb_reduction_free(&r);
    fb_log_free(&log);
    fb_model_free(&b);
}
END_TEST

/* K(p) of a load that the rows span is the same combination of Kg, whatever the rows are. */
START_TEST(units_of_load)
{
    fb_model b = {.nr = 3, .nkg = 3, .nc = 0};
    uint64_t s = (uint64_t)_i + 3;
    fb_geounits u = {0};
    fb_geoload l[3] = {{.node = 0}};
    double y[3];
    b.Kgr = fb_alloc(27, 8);
    for (int k = 0; k < 27; k++)
        b.Kgr[k] = random_real(&s);
    for (int k = 0; k < 3; k++) {
        double *x = (double *)(void *)(l + k);
        for (int q = 0; q < 6; q++)
            x[q] = random_real(&s);
        l[k].W[1] = l[k].W[3] = random_real(&s);
        l[k].node = k == 2 ? 7 : 0;
        l[k].f[1] = k == 2;
        y[k] = random_real(&s);
    }
    OK(fb_geoload_set(&b, l, 3, &e));
    OK(fb_geometric_units(&b, &u, &e));
    ck_assert_int_eq(u.n, 21);
    for (int q = 0; q < 9; q++) {
        double got = 0, want = 0;
        for (int k = 0; k < 3; k++) {
            const double *x = (const double *)(const void *)(l + k);
            want += y[k] * b.Kgr[9 * k + q];
            for (int c = 0; c < 15; c++)
                got += y[k] * x[c] * u.K[9 * c + q];
            got += y[k] * l[k].f[1] * u.K[9 * 16 + q];
        }
        ck_assert_msg(fabs(got - want) < 1e-12, "%d: %g, %g", q, got, want);
    }
    fb_geounits_free(&u);
    fb_model_free(&b);
}
END_TEST

START_TEST(loads_in_words)
{
    static const char *const bad[] = {"",
                                      "ax",
                                      "ax=",
                                      "ax=0",
                                      "ax=nan",
                                      "aw=1",
                                      "wx=1",
                                      "f:1=2",
                                      "f:1.7=2",
                                      "f:0.1=2",
                                      "f:HUB=1",
                                      "f:\"HUB.1=1",
                                      "f:HUB.1=1,f:TIP.1=1",
                                      "ax=1,",
                                      "ax=1,=2",
                                      "ax1=2",
                                      "f:1.1=1,f:2.1=1",
                                      "wxx2=1",
                                      "ax=1;ay=1"};
    fb_geoload l;
    double first = 0;
    char text[200];
    OK(fb_geoload_parse("wxwy=0.5,wx2=0.5,wy2=0.5,az=-9.81,ry=2,f:17.6=3,f:17.1=1e3", &l, &first,
                        &e));
    ck_assert(first == 0.5 && l.W[1] == 0.5 && l.W[3] == 0.5 && l.W[0] == 0.5 && l.W[4] == 0.5 &&
              l.a[2] == -9.81 && l.r[1] == 2 && l.node == 17 && l.t[2] == 3 && l.f[0] == 1000);
    fb_geoload_text(&l, text, sizeof text);
    ck_assert_str_eq(text, "az=-9.81, ry=2, wx2=0.5, wxwy=0.5, wy2=0.5, f:17.1=1000, f:17.6=3");
    for (size_t k = 0; k < sizeof bad / sizeof *bad; k++)
        ck_assert_msg(fb_geoload_parse(bad[k], &l, &first, &e) == FB_EUSAGE, "%s", bad[k]);
}
END_TEST

/* What other programs write there: an order that is no multiple, loads of another number, an entry
 * between two blocks, both halves. */
START_TEST(other_blocks_are_refused)
{
    fb_model b;
    beam(&b);
    OK(fb_model_check(&b, &e));
    b.nkg = 2;
    ck_assert_int_eq(fb_model_check(&b, &e), FB_EFORMAT);
    ck_assert_msg(strstr(e.msg, "2 loads of 198 dofs each are wanted"), "%s", e.msg);
    b.nkg = 3;
    b.Kg.upper = 0;
    ck_assert_int_eq(fb_model_check(&b, &e), FB_EFORMAT);
    b.Kg.upper = 1;
    for (int64_t j = DOFS; j < 2 * DOFS; j++)
        if (b.Kg.p[j] < b.Kg.p[j + 1]) {
            b.Kg.i[b.Kg.p[j]] = 0;
            break;
        }
    ck_assert_int_eq(fb_model_check(&b, &e), FB_EFORMAT);
    ck_assert_msg(strstr(e.msg, "blocks on the diagonal"), "%s", e.msg);
    fb_model_free(&b);
}
END_TEST

START_TEST(every_allocation_fails_once)
{
    int fails = 0;
    fb_status s = FB_OK;
    fb_model b = {0};
    const fb_move m = odd_move(1);
    EVERY_ALLOCATION_FAILS_ONCE(s, fails, {
        const long left = fb_alloc_fail_after;
        fb_geounits u = {0};
        fb_alloc_fail_after = -1;
        fb_model_free(&b);
        beam(&b);
        reduced(&b, "cb", 8, 0);
        fb_alloc_fail_after = left;
        s = fb_geometric_units(&b, &u, &e);
        s = s ? s : fb_model_move(&b, &m, &e);
        fb_geounits_free(&u);
    });
    ck_assert_int_gt(fails, 20);
    fb_model_free(&b);
}
END_TEST

Suite *suite_geometric(void)
{
    Suite *s = suite_create("geometric");
    TCase *t = tcase_create("laws");
    tcase_set_timeout(t, 60);
    tcase_add_loop_test(t, a_turning_beam_is_one_body, 0, 3);
    tcase_add_test(t, a_column_buckles);
    tcase_add_test(t, rigid_motion_feels_the_load_alone);
    tcase_add_loop_test(t, loads_move_with_the_body, 0, 6);
    tcase_add_loop_test(t, loads_have_units, 0, 3);
    tcase_add_loop_test(t, follows_the_coordinates, 0, 3);
    tcase_add_loop_test(t, units_of_load, 0, 4);
    tcase_add_test(t, loads_in_words);
    tcase_add_test(t, other_blocks_are_refused);
    tcase_add_test(t, every_allocation_fails_once);
    suite_add_tcase(s, t);
    return s;
}
