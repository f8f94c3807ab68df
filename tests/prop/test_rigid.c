/* SPDX-License-Identifier: GPL-3.0-or-later */
/* test_rigid.c - rigid motion from all dofs, and what is said where it is not known. */
#include "reduce/method.h"
#include "reduce/verdict.h"
#include "tests/model/full.h"
#include "tests/suites.h"
#include <math.h>

#define OK(call) ck_assert_msg((call) == FB_OK, "%s", e.msg)

static fb_err e;

/* All modes by MDM, and the verdict. */
static void all_modes(fb_model *b, int64_t n, fb_log *log)
{
    fb_reduction r = {0};
    fb_reduceopt o = {.order = n, .modes = -1};
    OK(fb_method_full(&fb_method_mdm, b, &o, &r, log, &e));
    OK(fb_reduction_apply_take(b, &r, &o, "mdm", log, &e));
    OK(fb_verdict(b, &r.check, NULL, 0, log, &e));
    fb_reduction_free(&r);
}

/* Every third node loses its place: its motion is the static extension of the others', which is
 * exact where rigid motion strains nothing, so the rows are those that the places give. */
START_TEST(extension_is_rigid_motion)
{
    fb_model b;
    fb_rigid_motion r = {0}, q = {0};
    int64_t kept = 0;
    double most = 0;
    full_any(&b, _i);
    OK(fb_rigid_motion_new(&b, INT64_MAX, &r, &e));
    ck_assert(r.move == FB_RIGID_KNOWN && r.turn == FB_RIGID_KNOWN);
    for (int64_t p = 0; p < b.nn; p++)
        if (p % 3 != 1) {
            b.node_id[kept] = b.node_id[p];
            memcpy(b.xyz + 3 * kept++, b.xyz + 3 * p, 3 * sizeof *b.xyz);
        }
    b.nn = kept;
    OK(fb_rigid_motion_new(&b, INT64_MAX, &q, &e));
    ck_assert(q.move == FB_RIGID_KNOWN && q.turn == FB_RIGID_KNOWN);
    for (int64_t k = 0; k < 6 * b.ndof; k++)
        most = fmax(most, fabs(q.R.x[k] - r.R.x[k]));
    ck_assert_msg(most < 1e-8 * fb_mat_max(&r.R), "%g", most);
    fb_rigid_motion_free(&r);
    fb_rigid_motion_free(&q);
    fb_model_free(&b);
}
END_TEST

/* Without coordinates rotations are not known, and not claimed: 3 columns; without components
 * nothing is. */
START_TEST(what_is_not_known_is_absent)
{
    fb_model b;
    fb_log log = {0};
    double mass = 0;
    full_block(&b, 1);
    for (int64_t j = 0; j < b.ndof; j++) /* e'Me of x */
        for (int64_t q = b.M.p[j]; q < b.M.p[j + 1]; q++)
            if (b.dof_component[j] == 1 && b.dof_component[b.M.i[q]] == 1)
                mass += b.M.x[q] * (b.M.i[q] == j ? 1 : 2);
    free(b.xyz);
    b.xyz = NULL;
    if (_i)
        for (int64_t d = 0; d < b.ndof; d++)
            b.dof_component[d] = 0;
    all_modes(&b, 12, &log);
    ck_assert_int_eq(b.nrigid, _i ? 0 : 3);
    ck_assert_int_eq(b.p_mass != NULL && b.v_mass_full != NULL && b.v_rigid_full != NULL &&
                         b.gravity != NULL,
                     !_i);
    if (!_i) {
        ck_assert_double_eq_tol(b.v_mass_full[0] / mass, 1, 1e-12);
        for (int c = 0; c < 3; c++)
            ck_assert_double_lt(b.v_rigid_full[c], 1e-14);
    }
    ck_assert_int_eq(log.nwarning, 0);
    fb_log_free(&log);
    fb_model_free(&b);
}
END_TEST

/* Hermite beams with their consistent mass in the plane x, y: rho A = 2, EI = 3, elements of length
 * h; element k joins dofs v, r, v, r of at[4 k ..]. */
static void beams(fb_model *b, int64_t nn, const double *x, int64_t n, const int64_t *node,
                  const int64_t *component, int64_t ne, const int64_t (*at)[4], double h)
{
    const double k = 3 / (h * h * h), m = 2 * h / 420, f[4] = {1, h, 1, h};
    static const double K[4][4] = {
        {12, 6, -12, 6}, {6, 4, -6, 2}, {-12, -6, 12, -6}, {6, 2, -6, 4}};
    static const double M[4][4] = {
        {156, 22, 54, -13}, {22, 4, 13, -3}, {54, 13, 156, -22}, {-13, -3, -22, 4}};
    int64_t i[200], j[200], nz = 0;
    double kx[200], mx[200];
    *b = (fb_model){.nn = nn, .ndof = n};
    OK(fb_units_system(&b->units, "SI", &e));
    OK(fb_new(&b->node_id, nn, 8, "nodes", &e));
    OK(fb_new(&b->xyz, 3 * nn, 8, "nodes", &e));
    OK(fb_new(&b->dof_node, n, 8, "dofs", &e));
    OK(fb_new(&b->dof_component, n, 8, "dofs", &e));
    OK(fb_new(&b->dof_class, n, 8, "dofs", &e));
    for (int64_t p = 0; p < nn; p++) {
        b->node_id[p] = p + 1;
        b->xyz[3 * p] = x[p];
    }
    memcpy(b->dof_node, node, sizeof *node * (size_t)n);
    memcpy(b->dof_component, component, sizeof *component * (size_t)n);
    for (int64_t q = 0; q < ne; q++)
        for (int r = 0; r < 4; r++)
            for (int c = 0; c < 4; c++)
                if (at[q][r] <= at[q][c]) {
                    i[nz] = at[q][r];
                    j[nz] = at[q][c];
                    kx[nz] = k * K[r][c] * f[r] * f[c];
                    mx[nz++] = m * M[r][c] * f[r] * f[c];
                }
    OK(fb_csc_from_triplets(&b->K, n, n, nz, i, j, kx, 1, &e));
    OK(fb_csc_from_triplets(&b->M, n, n, nz, i, j, mx, 1, &e));
}

/* A clamped beam, all modes kept, under gravity g along y: its consistent loads are those of the
 * uniform load rho A g, for which Hermite elements have the exact answer at their nodes, w = rho A
 * g L^4 / 8 EI and rho A g L^3 / 6 EI at the tip. The mass between held and free dofs is part of
 * it: without it w is off by 22 % with one element, by 0.4 % with four. */
START_TEST(gravity_of_a_clamped_beam)
{
    static const int64_t node[10] = {1, 1, 2, 2, 3, 3, 4, 4, 5, 5},
                         component[10] = {2, 6, 2, 6, 2, 6, 2, 6, 2, 6};
    static const int64_t at[4][4] = {{0, 1, 2, 3}, {2, 3, 4, 5}, {4, 5, 6, 7}, {6, 7, 8, 9}};
    static const double x[5] = {0, 0.5, 1, 1.5, 2};
    const int64_t ne = _i ? 4 : 1, n = 2 * ne + 2;
    const double L = 0.5 * (double)ne, g = 9.81;
    double tip[2] = {0}, moved = 0;
    fb_model b;
    fb_log log = {0};
    fb_mat z = {0};
    beams(&b, ne + 1, x, n, node, component, ne, at, 0.5);
    b.dof_class[0] = b.dof_class[1] = FB_DOF_FIXED;
    all_modes(&b, 2 * ne, &log);
    OK(fb_mat_new(&z, b.nr, 1, &e));
    for (int64_t k = 0; k < b.nr; k++)
        z.x[k] = g * b.gravity[b.nr + k];
    OK(fb_solve_spd(&(fb_mat){b.nr, b.nr, b.Kr}, &z, "Kr", &e));
    for (int64_t k = 0; k < b.nr; k++)
        for (int c = 0; c < 2; c++)
            tip[c] += b.T[n - 2 + c + k * n] * z.x[k];
    ck_assert_double_eq_tol(tip[0] / (2 * g * pow(L, 4) / (8 * 3.0)), 1, 1e-9);
    ck_assert_double_eq_tol(tip[1] / (2 * g * pow(L, 3) / (6 * 3.0)), 1, 1e-9);
    ck_assert_double_eq_tol(b.v_mass_full[7] / (2 * L), 1,
                            1e-12); /* rho A L, the clamp's share with it */
    for (int64_t k = 0; k < b.nr; k++)
        moved += b.p_mass[6 * k + 1];
    ck_assert_double_eq_tol(moved / b.v_mass_reduced[7], 1, 1e-9);
    ck_assert(moved < 2 * L && b.v_mass_full[0] == 0);
    ck_assert_int_eq(log.nwarning, 0);
    fb_mat_free(&z);
    fb_log_free(&log);
    fb_model_free(&b);
}
END_TEST

/* Two beams joined by a hinge: node 2 turns with the first, node 4 at the same place with the
 * second. The plane allows two motions, the body has three. Joined without hinge, or the first
 * held, there is none to name. */
START_TEST(mechanism_is_named)
{
    static const int64_t node[7] = {1, 1, 2, 2, 4, 3, 3}, component[7] = {2, 6, 2, 6, 6, 2, 6};
    static const int64_t at[2][2][4] = {{{0, 1, 2, 3}, {2, 4, 5, 6}}, {{0, 1, 2, 3}, {2, 3, 4, 5}}};
    static const int64_t node1[6] = {1, 1, 2, 2, 3, 3}, component1[6] = {2, 6, 2, 6, 2, 6};
    static const double x[4] = {0, 0.5, 1, 0.5};
    fb_model b;
    fb_log log = {0};
    int found = 0;
    const int hinge = _i != 1;
    beams(&b, hinge ? 4 : 3, x, hinge ? 7 : 6, hinge ? node : node1, hinge ? component : component1,
          2, at[!hinge], 0.5);
    if (_i == 2)
        b.dof_class[0] = b.dof_class[1] = FB_DOF_FIXED;
    all_modes(&b, _i == 2 ? 5 : 6, &log);
    for (int64_t k = 0; k < log.nwarning; k++)
        found += strstr(log.warning[k], "1 motion without strain beyond the rigid ones") != NULL &&
                 (_i == 0 ? strstr(log.warning[k], " 4.6") != NULL
                          : strstr(log.warning[k], " 4.6") && strstr(log.warning[k], " 3.6"));
    ck_assert_int_eq(log.nwarning, _i != 1);
    ck_assert_int_eq(found, _i != 1);
    fb_log_free(&log);
    fb_model_free(&b);
}
END_TEST

/* Other units: K := c D K D, M := c D M D, and x = D y, for lengths in mm, in inches, and for dofs
 * each in a unit of its own. */
static void other_units(fb_model *b, int which)
{
    static const double length[] = {1, 1e-3, 0.0254, 1}, energy[] = {1, 1e3, 1 / 0.112984829, 3.7};
    fb_csc *const both[] = {&b->K, &b->M};
    for (int m = 0; m < 2; m++)
        for (int64_t j = 0; j < b->ndof; j++)
            for (int64_t q = both[m]->p[j]; q < both[m]->p[j + 1]; q++) {
                const int64_t at[2] = {both[m]->i[q], j};
                both[m]->x[q] *= energy[which];
                for (int k = 0; k < 2; k++)
                    both[m]->x[q] *= which == 3 ? exp(10 * cos(2.3 * (double)at[k]))
                                     : b->dof_component[at[k]] <= 3 ? length[which]
                                                                    : 1;
            }
    for (int64_t k = 0; k < 3 * b->nn; k++)
        b->xyz[k] /= length[which];
}

/* Roots of the body, its dofs for coordinates. */
static void roots_of(fb_model *b, fb_roots *r)
{
    const int64_t n = b->nr = b->ndof;
    OK(fb_new(&b->Kr, n * n, 8, "K", &e));
    OK(fb_new(&b->Mr, n * n, 8, "M", &e));
    OK(fb_new(&b->T, n * n, 8, "T", &e));
    for (int64_t j = 0; j < n; j++) {
        b->T[j + j * n] = 1;
        for (int64_t q = b->K.p[j]; q < b->K.p[j + 1]; q++)
            b->Kr[b->K.i[q] + j * n] = b->Kr[j + b->K.i[q] * n] = b->K.x[q];
        for (int64_t q = b->M.p[j]; q < b->M.p[j + 1]; q++)
            b->Mr[b->M.i[q] + j * n] = b->Mr[j + b->M.i[q] * n] = b->M.x[q];
    }
    OK(fb_model_roots(b, r, &e));
}

/* Two bars of length L = 0.5 and mass m = 1, joined by a hinge of the stiffness k: w^2 = 24 k / m
 * L^2, for each turns as the other and their centres stay (k is 5e-12 of EI/L, the bars are rigid).
 * Sums of |K| that add N/mm to N take it for round-off in mm, not in m. With k = 0 it is one. The
 * others are the same in any units, to a round-off of the largest, which is 1e4 times the first
 * elastic one. */
START_TEST(units_do_not_decide)
{
    static const int64_t node[7] = {1, 1, 2, 2, 4, 3, 3}, component[7] = {2, 6, 2, 6, 6, 2, 6};
    static const int64_t at[2][4] = {{0, 1, 2, 3}, {2, 4, 5, 6}};
    static const int64_t i[3] = {3, 3, 4}, j[3] = {3, 4, 4};
    static const double x[4] = {0, 0.5, 1, 0.5};
    const double k = _i / 4 ? 3e-11 : 0, spring[3] = {k, -k, k};
    fb_roots r[2] = {{0}};
    fb_eig f = {0};
    for (int a = 0; a < 2; a++) { /* SI, and the other */
        fb_model b;
        fb_csc S = {0}, K = {0};
        beams(&b, 4, x, 7, node, component, 2, at, 0.5);
        OK(fb_csc_from_triplets(&S, 7, 7, 3, i, j, spring, 1, &e));
        OK(fb_csc_add(&b.K, 1, &S, &K, &e));
        fb_csc_free(&b.K);
        fb_csc_free(&S);
        b.K = K;
        other_units(&b, a ? _i % 4 : 0);
        roots_of(&b, r + a);
        if (a)
            OK(fb_eig_sparse(&b.K, &b.M, &(fb_eig_opts){.k = 7}, &f, &e));
        fb_model_free(&b);
    }
    ck_assert_int_eq(r[0].n, 7);
    ck_assert_int_eq(r[1].n, 7);
    ck_assert_int_eq(f.n, 7);
    ck_assert_int_eq(r[0].nrigid, k > 0 ? 2 : 3);
    ck_assert_int_eq(r[1].nrigid, k > 0 ? 2 : 3);
    ck_assert_int_eq(f.nrigid, k > 0 ? 2 : 3);
    if (k > 0)
        for (int a = 0; a < 2; a++)
            ck_assert_double_eq_tol(r[a].lambda[2] / (24 * k / 0.25), 1, 0.02);
    for (int64_t l = 3; l < 7; l++) {
        ck_assert_double_eq_tol(sqrt(r[1].lambda[l] / r[0].lambda[l]), 1, 1e-10);
        ck_assert_double_eq_tol(sqrt(f.lambda[l] / r[0].lambda[l]), 1, 1e-10);
    }
    fb_roots_free(r);
    fb_roots_free(r + 1);
    fb_eig_free(&f);
}
END_TEST

/* A free frame reduced to one node is rigid, as is any body reduced to its six rigid modes: nothing
 * is negative, nothing is strained. */
START_TEST(rigid_body_is_not_negative)
{
    fb_model b;
    fb_reduction r = {0};
    fb_log log = {0};
    fb_reduceopt o = {.order = 6, .modes = -1};
    const char *method = "mdm";
    full_any(&b, _i / 2);
    if (b.ndof == 6 * b.nn) {
        o.interface = "2";
        method = _i % 2 ? "cb" : "guyan";
    }
    OK(fb_method_full(fb_method_find(method), &b, &o, &r, &log, &e));
    OK(fb_reduction_apply_take(&b, &r, &o, method, &log, &e));
    OK(fb_verdict(&b, &r.check, NULL, 0, &log, &e));
    ck_assert_int_eq(log.nwarning, 0);
    ck_assert(b.v_definite[1] == 0);
    for (int c = 0; c < 6; c++) {
        ck_assert_double_lt(b.v_rigid_full[c], 1e-13);
        ck_assert_double_lt(b.v_rigid_reduced[c], 1e-13);
        ck_assert_double_eq_tol(b.v_mass_reduced[7 * c] / b.v_mass_full[7 * c], 1, 1e-9);
    }
    fb_reduction_free(&r);
    fb_log_free(&log);
    fb_model_free(&b);
}
END_TEST

Suite *suite_rigid(void)
{
    Suite *s = suite_create("rigid");
    TCase *t = tcase_create("motion");
    tcase_add_loop_test(t, extension_is_rigid_motion, 0, 6);
    tcase_add_loop_test(t, what_is_not_known_is_absent, 0, 2);
    tcase_add_loop_test(t, gravity_of_a_clamped_beam, 0, 2);
    tcase_add_loop_test(t, mechanism_is_named, 0, 3);
    tcase_add_loop_test(t, units_do_not_decide, 0, 8);
    tcase_add_loop_test(t, rigid_body_is_not_negative, 0, 12);
    suite_add_tcase(s, t);
    return s;
}
