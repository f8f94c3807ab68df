/* SPDX-License-Identifier: GPL-3.0-or-later */
/* test_move.c - laws of moved bodies: every dataset has its rule, what follows from the moved body
 * is what moves with it, and the way back ends where it began. */
#include "invariants/inertia.h"
#include "lib/schema.h"
#include "reduce/method.h"
#include "reduce/verdict.h"
#include "tests/model/any.h"
#include "tests/model/full.h"
#include "tests/model/generic.h"
#include "tests/model/near.h"
#include "tests/suites.h"
#include <math.h>

#define OK(call) ck_assert_msg((call) == FB_OK, "%s", e.msg)

static fb_err e;

/* A turn about an odd axis and a translation; every second one mirrors before. */
static fb_move odd_move(uint64_t seed)
{
    fb_move m = fb_move_none();
    uint64_t s = seed + 17;
    char text[120];
    double v[7];
    for (int k = 0; k < 7; k++)
        v[k] = random_real(&s);
    if (seed % 2)
        OK(fb_move_mirror(&m, "mirror", seed % 4 == 1 ? "y" : "z", &e));
    snprintf(text, sizeof text, "%.17g,%.17g,%.17g:%.17g", v[0], v[1], v[2], 170 * v[3]);
    OK(fb_move_rotate(&m, "turn", text, &e));
    snprintf(text, sizeof text, "%.17g,%.17g,%.17g", 5 * v[4], 5 * v[5], 5 * v[6]);
    OK(fb_move_translate(&m, "way", text, &e));
    return m;
}

static fb_move inverse(const fb_move *m)
{
    fb_move b = fb_move_none();
    for (int i = 0; i < 3; i++) {
        for (int k = 0; k < 3; k++) {
            b.Q[3 * i + k] = m->Q[3 * k + i];
            b.t[i] -= m->Q[3 * k + i] * m->t[k];
        }
        b.flip[i] = m->flip[i];
    }
    b.det = m->det;
    return b;
}

/* Every dataset of both models that stand in a row of the table. */
static void same_model(fb_model *got, fb_model *want, double tol)
{
    for (int q = 0; q < fb_nrows; q++) {
        const fb_row *r = fb_rows + q;
        char *g = (char *)got + r->offset, *w = (char *)want + r->offset;
        const int64_t n = fb_row_count(want, r);
        void *x, *y;
        if (r->type == 'c') {
            const fb_csc *A = (void *)g, *B = (void *)w;
            ck_assert_int_eq(!A->p, !B->p);
            for (int64_t j = 0; A->p && j < B->n; j++) { /* round-off may leave entries */
                double *a = fb_alloc((size_t)B->m, 8), *b = fb_alloc((size_t)B->m, 8);
                for (int64_t k = A->p[j]; k < A->p[j + 1]; k++)
                    a[A->i[k]] = A->x[k];
                for (int64_t k = B->p[j]; k < B->p[j + 1]; k++)
                    b[B->i[k]] = B->x[k];
                double top = 0;
                for (int64_t k = 0; k < B->p[B->n]; k++)
                    top = fmax(top, fabs(B->x[k]));
                for (int64_t k = 0; k < B->m; k++)
                    ck_assert_msg(fabs(a[k] - b[k]) <= tol * top, "%s: %d, %d", r->path, (int)k,
                                  (int)j);
                free(a);
                free(b);
            }
            continue;
        }
        memcpy(&x, g, sizeof x);
        memcpy(&y, w, sizeof y);
        ck_assert_msg(!x == !y, "%s", r->path);
        if (x && r->type == 'd')
            near_all(x, y, n, tol, r->path);
        else if (x)
            ck_assert_msg(!memcmp(x, y, (size_t)n * (r->type == 's' ? 1 : 8)), "%s", r->path);
    }
}

/* ---- the table ----------------------------------------------------------------------------- */

/* No dataset without an answer, and those that name directions have what they need. */
START_TEST(every_dataset_says_how_it_moves)
{
    for (int q = 0; q < fb_nrows; q++) {
        const fb_row *r = fb_rows + q;
        int turns = 0, length = r->unit[FB_LENGTH] != 0;
        for (int k = 0; k < 4; k++)
            turns = turns || r->dim[k] == -3 || r->dim[k] == -6 || r->dim[k] == FB_NDOF;
        ck_assert_msg(r->move != FB_UNSAID, "%s", r->path);
        if (turns && r->type != 'i' && strcmp(r->path, "/checks/asymmetry") &&
            strcmp(r->path, "/verdict/definite") && strcmp(r->path, "/verdict/tries") &&
            strcmp(r->path, "/reduced/ranking") &&
            strcmp(r->path, "/invariants/lumping_error")) /* three of something else */
            ck_assert_msg(r->move != FB_STAYS, "%s has axes (length: %d)", r->path, length);
        if (r->move == FB_LABELS) {
            char node[64];
            int there = 0;
            ck_assert_int_eq(r->type, 'i');
            snprintf(node, sizeof node, "%.*snode", (int)(strlen(r->path) - 9), r->path);
            for (int k = 0; k < fb_nrows; k++)
                there += !strcmp(fb_rows[k].path, node);
            ck_assert_msg(there == 1, "%s", node);
        }
    }
}
END_TEST

/* ---- a body in which nothing is simple ----------------------------------------------------- */

/* The integrals of the moved body, summed anew by their definitions. */
START_TEST(moved_invariants_are_those_of_the_moved_body)
{
    enum { M = GENERIC_ORDER };
    static const int size[12] = {0,     1, 3,     3 * M,     3 * M, 3 * M * M,
                                 M * M, 9, 9 * M, 9 * M * M, 9 * M, 9 * M * M};
    const fb_move m = odd_move((uint64_t)_i);
    fb_model b;
    double *I[12];
    make_generic(&b, "mm-t-s", (uint64_t)_i);
    generic_invariants(&b, b.I);
    OK(fb_model_move(&b, &m, &e));
    generic_invariants(&b, I);
    for (int k = 1; k <= 11; k++) {
        char name[16];
        snprintf(name, sizeof name, "I%d", k);
        near_all(b.I[k], I[k], size[k], 2e-13, name);
        free(I[k]);
    }
    /* T and the rows of the connectors say the same, with V over the modes */
    for (int64_t c = 0; c < b.nc; c++)
        for (int64_t p = 0; p < b.nn; p++)
            for (int a = 0; b.node_id[p] == b.connector_node[c] && a < 6; a++)
                for (int64_t k = 0; k < M; k++) {
                    const double *S = (a < 3 ? b.connector_S : b.connector_Shat) +
                                      (3 * c + a % 3) * M,
                                 x = b.T[k * b.ndof + 6 * p + a];
                    double sum = 0;
                    for (int64_t j = 0; j < b.nm; j++)
                        sum += b.V[k * b.nm + j] * b.shape[(j * b.nn + p) * 6 + a];
                    ck_assert_double_eq_tol(S[k], x, 1e-13);
                    ck_assert_double_eq_tol(sum, x, 1e-13);
                }
    fb_model_free(&b);
}
END_TEST

START_TEST(the_way_back_ends_where_it_began)
{
    const fb_move m = odd_move((uint64_t)_i), back = inverse(&m);
    fb_model b, c;
    make_generic(&b, "SI", (uint64_t)_i);
    make_generic(&c, "SI", (uint64_t)_i);
    generic_invariants(&b, b.I);
    generic_invariants(&c, c.I);
    OK(fb_model_move(&b, &m, &e));
    OK(fb_model_move(&b, &back, &e));
    same_model(&b, &c, 4e-14 * 20); /* 20: places are 5 times as far from the origin on the way */
    fb_model_free(&b);
    fb_model_free(&c);
}
END_TEST

/* Frames stay right-handed, and stress keeps its invariants. */
START_TEST(frames_and_stress)
{
    const fb_move m = odd_move((uint64_t)_i);
    fb_model b, c;
    make_generic(&b, "SI", (uint64_t)_i);
    make_generic(&c, "SI", (uint64_t)_i);
    OK(fb_model_move(&b, &m, &e));
    for (int64_t k = 0; k < b.nc; k++) {
        const double *C = b.connector_rotation + 9 * k;
        const double det = C[0] * (C[4] * C[8] - C[5] * C[7]) - C[1] * (C[3] * C[8] - C[5] * C[6]) +
                           C[2] * (C[3] * C[7] - C[4] * C[6]);
        ck_assert_double_eq_tol(det, 1, 1e-14);
    }
    for (int64_t k = 0; k < b.nm * b.ns; k++) {
        const double *x = b.stress + 6 * k, *y = c.stress + 6 * k;
        const double trace = y[0] + y[1] + y[2],
                     square = y[0] * y[0] + y[1] * y[1] + y[2] * y[2] +
                              2 * (y[3] * y[3] + y[4] * y[4] + y[5] * y[5]);
        ck_assert_double_eq_tol(x[0] + x[1] + x[2], trace, 1e-14 * sqrt(square) * 10);
        ck_assert_double_eq_tol(x[0] * x[0] + x[1] * x[1] + x[2] * x[2] +
                                    2 * (x[3] * x[3] + x[4] * x[4] + x[5] * x[5]),
                                square, 1e-13 * square);
    }
    /* a quarter about z by hand: xx, yy and xz, yz change places, two shears their signs */
    fb_model_free(&b);
    fb_move quarter = fb_move_none();
    OK(fb_move_rotate(&quarter, "turn", "z:90", &e));
    make_generic(&b, "SI", (uint64_t)_i);
    OK(fb_model_move(&b, &quarter, &e));
    const double *x = b.stress, *y = c.stress;
    const double hand[6] = {y[1], y[0], y[2], -y[3], -y[5], y[4]};
    near_all(x, hand, 6, 0, "stress");
    fb_model_free(&b);
    fb_model_free(&c);
}
END_TEST

/* The volume that the faces of a tetrahedron enclose stays positive in the mirror. */
START_TEST(faces_are_seen_from_outside)
{
    static const double x[] = {0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 1};
    static const int64_t face[] = {0, 3, 6, 9, 12, 14},
                         at[] = {0, 2, 1, 0, 1, 3, 1, 2, 3, 0, 3, 2, 0, 1};
    fb_model b = {.nn = 4, .nf1 = 6, .nfi = 14};
    fb_move m = fb_move_none();
    double V = 0;
    OK(fb_units_system(&b.units, "SI", &e));
    OK(fb_copy(&b.xyz, x, 12, 8, "xyz", &e));
    OK(fb_copy(&b.face_offset, face, 6, 8, "faces", &e));
    OK(fb_copy(&b.face_index, at, 14, 8, "faces", &e));
    OK(FB_NEW(&b.node_id, 4, &e));
    for (int k = 0; k < 4; k++)
        b.node_id[k] = k + 1;
    OK(fb_move_mirror(&m, "mirror", _i == 0 ? "x" : _i == 1 ? "y" : "z", &e));
    OK(fb_model_move(&b, &m, &e));
    for (int f = 0; f < 4; f++) {
        const double *p = b.xyz + 3 * b.face_index[3 * f], *q = b.xyz + 3 * b.face_index[3 * f + 1],
                     *r = b.xyz + 3 * b.face_index[3 * f + 2];
        V += (p[0] * (q[1] * r[2] - q[2] * r[1]) + p[1] * (q[2] * r[0] - q[0] * r[2]) +
              p[2] * (q[0] * r[1] - q[1] * r[0])) /
             6;
    }
    ck_assert_double_eq_tol(V, 1.0 / 6, 1e-15);
    ck_assert(b.face_index[12] == 0 && b.face_index[13] == 1); /* a line */
    fb_model_free(&b);
}
END_TEST

/* ---- full models --------------------------------------------------------------------------- */

/* The turn that suits the dofs of a kind: any in space, about z in the plane, half a turn of a
 * chain along x. */
static fb_move suits(any_kind kind, uint64_t seed)
{
    fb_move m = fb_move_none();
    if (kind == ANY_FRAME || kind == ANY_SOLID)
        return odd_move(seed);
    if (seed % 2)
        OK(fb_move_mirror(&m, "mirror", "x", &e));
    OK(fb_move_rotate(&m, "turn", kind == ANY_CHAIN ? "z:180" : "z:33", &e));
    OK(fb_move_translate(&m, "way", "1,-2,3", &e));
    return m;
}

/* R'MR of the moved body by its own places: the mass, the moved centre and the turned inertia of
 * the body as it was; K R stays zero as it was; and the roots are the same. */
START_TEST(full_models_keep_roots_and_inertia)
{
    any_body a;
    fb_model c;
    any_make(&a, (uint64_t)_i);
    const fb_move m = suits(a.kind, (uint64_t)_i);
    fb_mat R = {0}, P = {0}, N = {0};
    fb_eig p = {0}, q = {0};
    double Y[36] = {0};
    c = a.b; /* its matrices are read before it moves */
    OK(fb_model_rigid(&c, &R, &e));
    OK(fb_csc_congruence(&c.M, &R, &P, &e));
    fb_mat_free(&R);
    const int dense = !a.massless && !a.indefinite_mass && !a.negative && !a.weak;
    if (dense)
        OK(fb_eig_sparse(&c.K, &c.M, &(fb_eig_opts){.k = 8, .engine = "dense"}, &p, &e));
    const fb_status s = fb_model_move(&a.b, &m, &e);
    if (s == FB_EUSAGE && a.held &&
        strstr(e.msg, "of different class")) { /* part of a node is held */
        fb_mat_free(&P);
        fb_eig_free(&p);
        any_free(&a);
        return;
    }
    ck_assert_msg(s == FB_OK, "%s", e.msg);
    OK(fb_model_rigid(&a.b, &R, &e));
    OK(fb_csc_congruence(&a.b.M, &R, &N, &e));
    if (dense)
        OK(fb_eig_sparse(&a.b.K, &a.b.M, &(fb_eig_opts){.k = 8, .engine = "dense"}, &q, &e));
    for (int64_t k = 0; k < p.n; k++)
        ck_assert_msg(fabs(p.lambda[k] - q.lambda[k]) <= 1e-9 * fabs(p.lambda[p.n - 1]),
                      "seed %d, %s: root %d: %.12g and %.12g", _i, a.what, (int)k, p.lambda[k],
                      q.lambda[k]);
    /* columns of Y': translations Q, rotations det Q e_a x (u - t) moved back by hand */
    for (int i = 0; i < 3; i++)
        for (int k = 0; k < 3; k++) {
            const double *t = m.t, *Q = m.Q;
            const int y = (i + 1) % 3, z = (i + 2) % 3; /* e_i x t = t_y e_z - t_z e_y */
            Y[i + 6 * k] = Q[3 * i + k];
            Y[3 + i + 6 * (3 + k)] = m.det * Q[3 * i + k];
            Y[3 + i + 6 * k] = t[y] * Q[3 * z + k] - t[z] * Q[3 * y + k];
        }
    fb_mat X = {0}, YP = {0};
    const fb_mat Ym = {6, 6, Y};
    OK(fb_mat_product(0, 0, &Ym, &P, &YP, &e));
    OK(fb_mat_product(0, 1, &YP, &Ym, &X, &e));
    if (a.kind == ANY_FRAME || a.kind == ANY_SOLID) /* others lack directions of R */
        near_all(N.x, X.x, 36, 1e-12, "R'MR");
    fb_mat_free(&R);
    fb_mat_free(&P);
    fb_mat_free(&N);
    fb_mat_free(&X);
    fb_mat_free(&YP);
    fb_eig_free(&p);
    fb_eig_free(&q);
    any_free(&a);
}
END_TEST

static void reduced(fb_model *b, const char *masters)
{
    const fb_reduceopt o = {.order = -1, .modes = -1, .masters = masters, .loads = masters};
    fb_reduction r = {0};
    fb_log log = {0};
    OK(fb_method_full(fb_method_find("guyan"), b, &o, &r, &log, &e));
    const int64_t nload = r.nload;
    int64_t load[64];
    memcpy(load, r.load, (size_t)nload * 8);
    OK(fb_reduction_apply_take(b, &r, &o, "guyan", &log, &e));
    OK(fb_verdict(b, &r.check, load, nload, &log, &e));
    fb_reduction_free(&r);
    fb_log_free(&log);
}

static void any_or_flat(fb_model *b, int seed)
{
    test_model t = {0};
    if (seed < 9) {
        full_any(b, seed);
        return;
    }
    OK(test_frame(&t, 7, (unsigned)seed, 1, &e));
    full_body(b, &t);
}

static void with_invariants(fb_model *b)
{
    fb_log log = {0};
    double mass[3];
    OK(fb_invariants_full(b, mass, &log, &e));
    OK(fb_composite(b, b->T, &e));
    fb_log_free(&log);
}

/* Guyan, which knows no signs: reduced and moved is moved and reduced, boundary coordinates,
 * gravity, loads, connectors, what the verdict holds of mass, and the invariants: flat bodies have
 * blocks of I9 and I11 that are symmetric by chance, which the move mixes with others. */
START_TEST(reduction_and_move_commute)
{
    static const int size[12] = {0, 0, 0, 0, 0, 3, 1, 0, 9, 9, 9, 9};
    const fb_move m = odd_move((uint64_t)_i);
    char masters[64];
    fb_model a, b;
    any_or_flat(&a, _i);
    any_or_flat(&b, _i);
    snprintf(masters, sizeof masters, "1,%lld", (long long)a.nn);
    OK(fb_model_move(&a, &m, &e));
    reduced(&a, masters);
    reduced(&b, masters);
    with_invariants(&a);
    with_invariants(&b);
    OK(fb_model_move(&b, &m, &e));
    const int64_t n = a.nr;
    ck_assert_int_eq(b.nr, n);
    near_all(b.Kr, a.Kr, n * n, 1e-9, "K");
    near_all(b.Mr, a.Mr, n * n, 1e-9, "M"); /* as T, which the condition of K bounds */
    near_all(b.T, a.T, n * a.ndof, 1e-9, "T");
    near_all(b.gravity, a.gravity, 3 * n, 1e-9, "gravity");
    near_all(b.load, a.load, b.nload * n, 1e-9, "load");
    near_all(b.connector_S, a.connector_S, 3 * b.nc * n, 1e-10, "S");
    near_all(b.connector_Shat, a.connector_Shat, 3 * b.nc * n, 1e-9, "Shat");
    near_all(b.connector_position, a.connector_position, 3 * b.nc, 1e-14, "position");
    near_all(b.v_mass_full, a.v_mass_full, 36, 1e-11, "mass_full");
    near_all(b.v_mass_reduced, a.v_mass_reduced, 36, 1e-8, "mass_reduced");
    for (int k = 5; k < 12; k++) /* as M */
        if (size[k])
            near_all(b.I[k], a.I[k], size[k] * n * (k % 2 || k < 8 ? n : 1), 1e-8,
                     k == 9    ? "I9"
                     : k == 11 ? "I11"
                               : "I5, I6, I8, I10");
    near_all(b.v_definite, a.v_definite, 1, 1e-6, "lowest eigenvalue of M");
    near_all(b.v_composite, a.v_composite, 4, 1e-6, "composite inertia");
    near_all(b.v_deflection, a.v_deflection, 1, 1e-15, "deflection");
    ck_assert_int_eq(a.nb, b.nb);
    for (int64_t k = 0; k < a.nb; k++)
        ck_assert_int_eq(a.interface_dof[k], b.interface_dof[k]);
    fb_model_free(&a);
    fb_model_free(&b);
}
END_TEST

/* ---- labels -------------------------------------------------------------------------------- */

static int64_t labels[][2] = {{7, 2}, {7, 1}, {9, 3}, {9, 1}, {9, 2}, {7, 6}};

static fb_model labelled(int n)
{
    fb_model b = {.ndof = n, .nn = 2};
    OK(fb_units_system(&b.units, "SI", &e));
    OK(FB_NEW(&b.node_id, 2, &e));
    OK(FB_NEW(&b.xyz, 6, &e));
    OK(FB_NEW(&b.dof_node, n, &e));
    OK(FB_NEW(&b.dof_component, n, &e));
    OK(FB_NEW(&b.dof_class, n, &e));
    b.node_id[0] = 7;
    b.node_id[1] = 9;
    for (int k = 0; k < n; k++) {
        b.dof_node[k] = labels[k][0];
        b.dof_component[k] = labels[k][1];
    }
    return b;
}

static fb_status turned(fb_model *b, const char *turn)
{
    fb_move m = fb_move_none();
    OK(fb_move_rotate(&m, "turn", turn, &e));
    return fb_model_move(b, &m, &e);
}

/* Right angles give a node other directions where it lacks some; all else is refused by name. */
START_TEST(nodes_that_lack_directions)
{
    fb_model b = labelled(6);
    ck_assert_int_eq(turned(&b, "z:20"), FB_OK); /* node 7: 1, 2, 6 */
    ck_assert(b.dof_component[0] == 2 && b.dof_component[1] == 1 && b.dof_component[5] == 6);
    fb_model_free(&b);
    b = labelled(6);
    b.nr = b.nload = 1; /* a unit load at 7.2 is called so */
    OK(FB_NEW(&b.load_dof, 1, &e));
    OK(FB_NEW(&b.load, 1, &e));
    OK(FB_NEW(&b.load_name, 1, &e));
    fb_model_name_loads(&b);
    ck_assert_str_eq(b.load_name[0], "7.2");
    ck_assert_int_eq(turned(&b, "x:90"), FB_OK); /* y becomes z, z -y; 6 becomes 5 */
    ck_assert_str_eq(b.load_name[0], "7.3");
    ck_assert_int_eq(b.dof_component[0], 3);
    ck_assert_int_eq(b.dof_component[1], 1);
    ck_assert_int_eq(b.dof_component[5], 5);
    fb_model_free(&b);
    b = labelled(6);
    ck_assert_int_eq(turned(&b, "x:20"), FB_EUSAGE);
    ck_assert_msg(strstr(e.msg, "/dofs/component: the move mixes 7.1 7.2 with 7.3, which is not"),
                  "%s", e.msg);
    fb_model_free(&b);
    b = labelled(2);
    b.nb = 1;
    OK(FB_NEW(&b.interface_dof, 1, &e));
    b.interface_dof[0] = 0; /* 7.2 */
    ck_assert_int_eq(turned(&b, "z:20"), FB_EUSAGE);
    ck_assert_msg(strstr(e.msg, "/interface/dof: the move mixes 7.2 with 7.1, which is not"), "%s",
                  e.msg);
    fb_model_free(&b);
    b = labelled(2);
    b.nb = 1;
    OK(FB_NEW(&b.interface_dof, 1, &e));
    b.interface_dof[0] = 0; /* 7.2 is 7.1 after a quarter, which stands in row 1 */
    OK(turned(&b, "z:90"));
    ck_assert_int_eq(b.interface_dof[0], 1);
    fb_model_free(&b);
    b = labelled(2);
    b.dof_component[1] = 0;
    ck_assert_int_eq(turned(&b, "z:20"), FB_EUSAGE);
    ck_assert_msg(strstr(e.msg, "dof 7 has no component"), "%s", e.msg);
    fb_model_free(&b);
    b = labelled(2);
    b.dof_component[1] = 2;
    ck_assert_int_eq(turned(&b, "z:90"), FB_EUSAGE);
    ck_assert_msg(strstr(e.msg, "dof 7.2 is there twice"), "%s", e.msg);
    fb_model_free(&b);
    b = labelled(6); /* twice 7.1 7.2, internal: first with first, second with second */
    for (int k = 0; k < 6; k++) {
        b.dof_node[k] = 7;
        b.dof_component[k] = k % 3 + 1;
        b.dof_class[k] = FB_DOF_INTERNAL;
    }
    fb_turning t = {0};
    fb_move m = fb_move_none();
    OK(fb_move_rotate(&m, "turn", "1,2,3:20", &e));
    OK(fb_turn_labels(&t, &b, &m, "dofs", b.dof_node, b.dof_component, b.dof_class, 6, &e));
    ck_assert_int_eq(t.n, 2);
    for (int k = 0; k < 2; k++)
        for (int a = 0; a < 3; a++)
            ck_assert_int_eq(t.block[k].at[a], 3 * k + a);
    fb_turning_free(&t);
    fb_model_free(&b);
    b = labelled(2);
    b.dof_class[1] = FB_DOF_INTERNAL;
    ck_assert_int_eq(turned(&b, "z:20"), FB_EUSAGE);
    ck_assert_msg(strstr(e.msg, "of different class"), "%s", e.msg);
    fb_model_free(&b);
    b = labelled(2);
    b.dof_component[1] = 7;
    b.dof_class[1] = FB_DOF_INTERNAL;
    fb_move mirror = fb_move_none();
    OK(fb_move_mirror(&mirror, "mirror", "x", &e));
    ck_assert_int_eq(fb_model_move(&b, &mirror, &e), FB_EUSAGE);
    ck_assert_msg(strstr(e.msg, "what a mirror makes of dof 7.7"), "%s", e.msg);
    fb_model_free(&b);
}
END_TEST

/* ---- texts --------------------------------------------------------------------------------- */

/* A third of a turn about 1,1,1 sends x to y to z, by all four ways to write it. */
START_TEST(turns_in_words)
{
    static const char *const text[] = {"1,1,1:120",
                                       "0.5,0.5,0.5,0.5",
                                       "0,0,1,1,0,0,0,1,0",
                                       "-2,-2,-2:240",
                                       "1e-9,0,1,1,1e-9,0,0,1,0",
                                       "1e308,1e308,1e308:120",
                                       "1e308,1e308,1e308,1e308",
                                       "1e-200,1e-200,1e-200,1e-200"};
    static const double want[9] = {0, 0, 1, 1, 0, 0, 0, 1, 0};
    static const char *const bad[] = {"",
                                      "z",
                                      "z:",
                                      "z:1x",
                                      "w:30",
                                      "0,0,0:3",
                                      "1,2:3",
                                      "1,2,3",
                                      "z:1,2",
                                      "0,0,0,0",
                                      "1,0,0,0,1,0,0,0,-1",
                                      "1,0,0,0,1,0,0,0,1.1",
                                      "z:nan",
                                      "1,0,0,0,1,0,0,0,1,0",
                                      "1,,0:3"};
    fb_move m;
    for (size_t k = 0; k < sizeof text / sizeof *text; k++) {
        m = fb_move_none();
        OK(fb_move_rotate(&m, "turn", text[k], &e));
        near_all(m.Q, want, 9, 2e-9, text[k]);
    }
    for (size_t k = 0; k < sizeof bad / sizeof *bad; k++) {
        ck_assert_msg(fb_move_rotate(&m, "--rotate", bad[k], &e) == FB_EUSAGE, "%s", bad[k]);
        ck_assert_msg(strstr(e.msg, "is not AXIS:DEGREES"), "%s", e.msg);
    }
    ck_assert_int_eq(fb_move_mirror(&m, "--mirror", "xy", &e), FB_EUSAGE);
    ck_assert_int_eq(fb_move_translate(&m, "--translate", "1,2", &e), FB_EUSAGE);
    ck_assert_int_eq(fb_move_translate(&m, "--translate", "1,2,3,4", &e), FB_EUSAGE);
    /* twelve steps of 30 degrees, and right angles, are exact */
    m = fb_move_none();
    for (int k = 0; k < 3; k++)
        OK(fb_move_rotate(&m, "turn", "z:30", &e));
    ck_assert(m.Q[0] == 0 && m.Q[8] == 1);
    m = fb_move_none();
    OK(fb_move_rotate(&m, "turn", "y:-810", &e));
    ck_assert(m.Q[0] == 0 && m.Q[2] == -1 && m.Q[6] == 1 && m.Q[8] == 0 && m.Q[4] == 1);
}
END_TEST

START_TEST(numbers_leave_the_range)
{
    fb_model b = labelled(2);
    fb_move m = fb_move_none();
    b.xyz[0] = 1.7e308;
    OK(fb_move_translate(&m, "way", "1.7e308,0,0", &e));
    ck_assert_int_eq(fb_model_move(&b, &m, &e), FB_EFORMAT);
    ck_assert_msg(strstr(e.msg, "leave the range of double"), "%s", e.msg);
    fb_model_free(&b);
}
END_TEST

START_TEST(every_allocation_fails_once)
{
    const fb_move m = odd_move(3);
    int fails = 0;
    fb_status s = FB_OK;
    fb_model b = {0};
    EVERY_ALLOCATION_FAILS_ONCE(s, fails, {
        const long left = fb_alloc_fail_after;
        fb_alloc_fail_after = -1;
        fb_model_free(&b);
        full_any(&b, 1);
        reduced(&b, "1,2");
        fb_alloc_fail_after = left;
        s = fb_model_move(&b, &m, &e);
    });
    ck_assert_int_gt(fails, 20);
    fb_model_free(&b);
}
END_TEST

Suite *suite_move(void)
{
    Suite *s = suite_create("move");
    TCase *t = tcase_create("moves");
    tcase_set_timeout(t, 60);
    tcase_add_test(t, every_dataset_says_how_it_moves);
    tcase_add_loop_test(t, moved_invariants_are_those_of_the_moved_body, 0, 8);
    tcase_add_loop_test(t, the_way_back_ends_where_it_began, 0, 8);
    tcase_add_loop_test(t, frames_and_stress, 0, 4);
    tcase_add_loop_test(t, faces_are_seen_from_outside, 0, 3);
    tcase_add_loop_test(t, full_models_keep_roots_and_inertia, 0, 60);
    tcase_add_loop_test(t, reduction_and_move_commute, 0, 13);
    tcase_add_test(t, nodes_that_lack_directions);
    tcase_add_test(t, turns_in_words);
    tcase_add_test(t, numbers_leave_the_range);
    tcase_add_test(t, every_allocation_fails_once);
    suite_add_tcase(s, t);
    return s;
}
