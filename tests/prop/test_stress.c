/* SPDX-License-Identifier: GPL-3.0-or-later */
/* test_stress.c - laws of stress that comes with shapes: of the coordinates it is what the shapes
 * say, to a residual that is measured in strain energy; it turns with the body.
 *
 * The stress here is any that rigid motion lacks and that turns as a tensor does: of node p
 *   (TS.1) s_p = (f d' + d f') / 2,  f = (K u)_p,  d = u0_p - u0_1
 */
#include "reduce/full.h"
#include "lib/schema.h"
#include "mnfparse/stress.h"
#include "tests/model/full.h"
#include "tests/model/near.h"
#include "tests/suites.h"
#include <math.h>
#include <stdio.h>
#include <unistd.h>

#define OK(call) ck_assert_msg((call) == FB_OK, "%s", e.msg)

static fb_err e;

/* (TS.1) of n shapes [ndof x n]: [n,nn,6]. */
static double *stress_of(const fb_model *b, const fb_mat *X)
{
    static const int row[6] = {0, 1, 2, 0, 0, 1}, column[6] = {0, 1, 2, 1, 2, 2};
    fb_mat F = {0};
    double *s = malloc(sizeof *s * (size_t)(6 * b->nn * X->n));
    OK(fb_mat_new(&F, X->m, X->n, &e));
    OK(fb_csc_mul_many(&b->K, X, &F, &e));
    for (int64_t k = 0; k < X->n; k++)
        for (int64_t p = 0; p < b->nn; p++)
            for (int c = 0; c < 6; c++) {
                const double *f = F.x + k * X->m + 3 * p;
                double d[3];
                for (int a = 0; a < 3; a++)
                    d[a] = b->xyz[3 * p + a] - b->xyz[a];
                s[6 * (k * b->nn + p) + c] =
                    (f[row[c]] * d[column[c]] + f[column[c]] * d[row[c]]) / 2;
            }
    fb_mat_free(&F);
    return s;
}

/* A block by Craig and Bampton, three dofs a node. */
static void reduced_block(fb_model *b, int seed)
{
    char interface[64];
    fb_reduceopt o = {.order = 13, .modes = -1, .interface = interface};
    fb_reduction r = {0};
    fb_log log = {0};
    full_block(b, seed);
    /* the last node is not in a line with the first two */
    snprintf(interface, sizeof interface, "1:123,2:123,%lld:123", (long long)b->nn);
    OK(fb_method_full(fb_method_find("cb"), b, &o, &r, &log, &e));
    OK(fb_reduction_apply_take(b, &r, &o, "cb", &log, &e));
    fb_reduction_free(&r);
    fb_log_free(&log);
}

/* `n` shapes: the first `of` coordinates, somewhat mixed, each with rigid motion of its own. */
static void give_shapes(fb_model *b, int64_t n, int64_t of, uint64_t seed)
{
    uint64_t state = fb_random_start(seed);
    fb_mat R = {0}, A = {0}, B = {0};
    fb_mat T = {b->ndof, of, b->T}, S = {b->ndof, n, NULL};
    OK(fb_model_rigid(b, &R, &e));
    OK(fb_mat_new(&A, of, n, &e));
    OK(fb_mat_new(&B, 6, n, &e));
    fb_random_fill(&state, A.x, of * n);
    for (int64_t j = 0; j < n; j++) /* well apart: the condition is not what is tested */
        for (int64_t i = 0; i < of; i++)
            A.x[i + j * of] = i == j
                                  ? 1
                                  : 0.1 * A.x[i + j * of] *
                                        sqrt(b->Kr[j % of * (b->nr + 1)] / b->Kr[i * (b->nr + 1)]);
    fb_random_fill(&state, B.x, 6 * n);
    OK(fb_new(&b->stress_shape, b->ndof * n, 8, "shapes", &e));
    S.x = b->stress_shape;
    OK(fb_gemm(0, 0, 1, &T, &A, 0, &S, &e));
    OK(fb_gemm(0, 0, 1, &R, &B, 1, &S, &e));
    b->nstressed = n;
    b->ns = b->nn;
    OK(fb_copy(&b->stress_node, b->node_id, b->nn, 8, "nodes", &e));
    b->shape_stress = stress_of(b, &S);
    OK(fb_copy(&b->shape_strain, b->shape_stress, 6 * b->ns * n, 8, "strain", &e));
    FB_FREE_BY(fb_mat_free, &R, &A, &B);
}

static void check_stress(const fb_model *b, double tol)
{
    const fb_mat T = {b->ndof, b->nr, b->T};
    double *want = stress_of(b, &T), *got = NULL;
    for (int strain = 0; strain < 2; strain++) {
        OK(fb_coordinate_stress(b, strain, &got, &e));
        near_all(got, want, 6 * b->ns * b->nr, tol, strain ? "strain" : "stress");
        free(got);
    }
    free(want);
}

/* Where the shapes span the coordinates, but for rigid motion, their stress is exact; the residual
 * is the root of what round-off leaves of energies, 1e-11. */
START_TEST(shapes_that_span_the_coordinates_tell_their_stress)
{
    fb_model b;
    fb_log log = {0};
    reduced_block(&b, _i);
    give_shapes(&b, b.nr + _i % 3, b.nr, (uint64_t)_i);
    OK(fb_stress_fit(&b, 1e-5, &log, &e));
    check_stress(&b, 1e-8);
    for (int64_t k = 0; k < b.nr; k++)
        ck_assert_msg(b.stress_residual[k] < 1e-5, "%g", b.stress_residual[k]);
    fb_log_free(&log);
    fb_model_free(&b);
}
END_TEST

/* What is left of a coordinate that the shapes lack is its distance from them in the norm of K:
 * (p'K p / t'K t)^1/2, p by Gram and Schmidt; above what is allowed it is refused by name. */
START_TEST(what_shapes_lack_is_told_and_refused)
{
    fb_model b;
    fb_log log = {0};
    reduced_block(&b, _i);
    const int64_t n = b.nr, last = n - 1;
    double want = 0, *Q = malloc(sizeof *Q * (size_t)(n * n));
    give_shapes(&b, last, last, (uint64_t)_i);
    for (int64_t k = 0, nq = 0; k < n; k++) { /* in coordinates, whose energy is Kr */
        double *q = Q + nq * n, energy = 0, all = b.Kr[k * (n + 1)];
        for (int64_t i = 0; i < n; i++)
            q[i] = i == k;
        for (int pass = 0; pass < 2; pass++)
            for (int64_t j = 0; j < nq; j++) {
                double dot = 0;
                for (int64_t i = 0; i < n; i++)
                    for (int64_t l = 0; l < n; l++)
                        dot += Q[j * n + i] * b.Kr[i * n + l] * q[l];
                for (int64_t i = 0; i < n; i++)
                    q[i] -= dot * Q[j * n + i];
            }
        for (int64_t i = 0; i < n; i++)
            for (int64_t l = 0; l < n; l++)
                energy += q[i] * b.Kr[i * n + l] * q[l];
        if (k == last)
            want = sqrt(energy / all);
        else if (energy > 1e-9 * all) {
            for (int64_t i = 0; i < n; i++)
                q[i] /= sqrt(energy);
            nq++;
        }
    }
    ck_assert_double_gt(want, 0.2);
    ck_assert_int_eq(fb_stress_fit(&b, want / 2, &log, &e), FB_ESOLVE);
    ck_assert_msg(strstr(e.msg, "coordinate 13,") && strstr(e.msg, "1 of 13"), "%s", e.msg);
    ck_assert_ptr_null(b.coordinate_stress);
    OK(fb_stress_fit(&b, 1, &log, &e));
    ck_assert_double_eq_tol(b.stress_residual[last], want, 1e-6);
    for (int64_t k = 0; k < last; k++)
        ck_assert_double_lt(b.stress_residual[k], 1e-5);
    free(Q);
    fb_log_free(&log);
    fb_model_free(&b);
}
END_TEST

/* The stress of the moved body's coordinates is that of the moved body. */
START_TEST(stress_turns_with_the_body)
{
    fb_model b;
    fb_log log = {0};
    fb_move m = fb_move_none();
    reduced_block(&b, _i);
    give_shapes(&b, b.nr, b.nr, (uint64_t)_i);
    OK(fb_stress_fit(&b, 1e-5, &log, &e));
    if (_i % 2)
        OK(fb_move_mirror(&m, "mirror", "y", &e));
    OK(fb_move_rotate(&m, "turn", _i % 3 ? "1,2,-3:37" : "z:-111", &e));
    OK(fb_move_translate(&m, "way", "1,-2,3", &e));
    OK(fb_model_move(&b, &m, &e));
    check_stress(&b, 1e-8);
    FB_FREE(b.coordinate_stress, b.coordinate_strain);
    OK(fb_stress_fit(&b, 1e-5, &log, &e)); /* shapes and their stress have turned as well */
    check_stress(&b, 1e-8);
    fb_log_free(&log);
    fb_model_free(&b);
}
END_TEST

/* In mm, N and t the pressure is a millionth of that in Pa, strain what it was. */
START_TEST(stress_has_units)
{
    fb_model b;
    fb_units mm;
    fb_log log = {0};
    double *pascal = NULL, *strain = NULL;
    reduced_block(&b, 1);
    give_shapes(&b, b.nr, b.nr, 1);
    OK(fb_stress_fit(&b, 1e-5, &log, &e));
    const int64_t n = 6 * b.ns * b.nr;
    OK(fb_copy(&pascal, b.coordinate_stress, n, 8, "", &e));
    OK(fb_copy(&strain, b.coordinate_strain, n, 8, "", &e));
    OK(fb_units_system(&mm, "mm-t-s", &e));
    OK(fb_model_convert(&b, &mm, &e));
    for (int64_t k = 0; k < n; k++)
        pascal[k] *= 1e-6;
    near_all(b.coordinate_stress, pascal, n, 1e-14, "MPa");
    near_all(b.coordinate_strain, strain, n, 1e-14, "strain");
    OK(fb_stress_fit(&b, 1e-5, &log, &e)); /* of shapes in mm */
    near_all(b.coordinate_stress, pascal, n, 1e-8, "MPa, again");
    FB_FREE(pascal, strain);
    fb_log_free(&log);
    fb_model_free(&b);
}
END_TEST

START_TEST(every_allocation_fails_once)
{
    fb_model b;
    long fails = 0;
    reduced_block(&b, 1);
    give_shapes(&b, b.nr, b.nr, 1);
    for (long k = 0, left = -1; left < 0; k++, fails++) {
        fb_log log = {0};
        fb_alloc_fail_after = k;
        const fb_status s = fb_stress_fit(&b, 1e-5, &log, &e);
        left = fb_alloc_fail_after;
        fb_alloc_fail_after = -1;
        ck_assert_msg(s == (left < 0 ? FB_ESYS : FB_OK), "%s", e.msg);
        ck_assert(!b.coordinate_stress == (s != FB_OK));
        fb_log_free(&log);
    }
    ck_assert_int_gt(fails, 10);
    fb_model_free(&b);
}
END_TEST

/* Results of a file: shapes k of b, without node `lacking`, their stress in any order of nodes. */
static void file_of(const fb_model *b, int64_t n, int64_t lacking, fb_parts *p)
{
    const fb_mat T = {b->ndof, n, b->T};
    double *s = stress_of(b, &T);
    *p = (fb_parts){.stressed = 1};
    for (int64_t k = 0; k < n; k++) {
        OK(fb_result_begin(p, k + 1, (int)k % 2, &e));
        for (int64_t q = 0; q < b->nn; q++) {
            const double *u = b->T + k * b->ndof + 3 * q, v[6] = {u[0], u[1], u[2], 0, 0, 0};
            const int64_t back = b->nn - 1 - q;
            if (b->node_id[q] != lacking)
                OK(fb_result_row(p, FB_MOVED, b->node_id[q], v, &e));
            OK(fb_result_row(p, FB_STRESS, b->node_id[back], s + 6 * (k * b->nn + back), &e));
        }
    }
    for (int64_t q = 0; q < b->nn; q++)
        OK(fb_parts_node(p, b->node_id[q], b->xyz + 3 * q, NULL, &e));
    free(s);
}

/* Constraint modes carry no load at the others: a node that the file lacks follows by the
 * stiffness, to the solver's 1e-9. Two files add up. */
START_TEST(shapes_of_files_become_the_models)
{
    fb_model b;
    fb_parts p;
    fb_log log = {0};
    reduced_block(&b, _i);
    const int64_t n = 9, lacking = 3, size = 6 * b.nn;
    const fb_mat T = {b.ndof, b.nr, b.T};
    double *want = stress_of(&b, &T);
    for (int files = 1; files <= 2; files++) {
        file_of(&b, n, lacking, &p);
        OK(fb_result_join(&p, "some.frd", &b, &log, &e));
        fb_parts_free(&p);
        ck_assert_int_eq(b.nstressed, n * files);
        ck_assert_int_eq(b.ns, b.nn);
        near_all(b.stress_shape + (files - 1) * n * b.ndof, b.T, n * b.ndof, 1e-9, "shape");
        for (int64_t k = 0; k < n; k++)
            for (int64_t q = 0; q < b.ns; q++)
                near_all(b.shape_stress + ((files - 1) * n + k) * size + 6 * q,
                         want + k * size + 6 * (b.stress_node[q] - 1), 6, 0, "stress");
    }
    OK(fb_stress_fit(&b, 1, &log, &e)); /* what is there twice is there once */
    for (int64_t k = 0; k < n; k++)
        ck_assert_double_lt(b.stress_residual[k], 1e-5);
    free(want);
    fb_log_free(&log);
    fb_model_free(&b);
}
END_TEST

START_TEST(every_allocation_of_a_file_fails_once)
{
    fb_model b;
    long fails = 0;
    reduced_block(&b, 1);
    for (long k = 0, left = -1; left < 0; k++, fails++) {
        fb_log log = {0};
        fb_parts p;
        file_of(&b, 4, 3, &p);
        fb_alloc_fail_after = k;
        const fb_status s = fb_result_join(&p, "some.frd", &b, &log, &e);
        left = fb_alloc_fail_after;
        fb_alloc_fail_after = -1;
        ck_assert_msg(s == (left < 0 ? FB_ESYS : FB_OK), "allocation %ld: %s", k, e.msg);
        ck_assert_int_eq(b.nstressed, s ? 0 : 4);
        if (s) {
            FB_FREE(b.stress_node, b.shape_stress);
            b.ns = 0;
        }
        fb_parts_free(&p);
        fb_log_free(&log);
    }
    ck_assert_int_gt(fails, 30);
    fb_model_free(&b);
}
END_TEST

/* The first n coordinates of b and their stress as matrices of a file: in the order of the dofs,
 * and of the nodes from the last to the first, without labels; labelled: mixed rows. */
static void table_of(const fb_model *b, int64_t n, int labelled, fb_basis *t, fb_basis *stress)
{
    const fb_mat T = {b->ndof, n, b->T};
    double *s = stress_of(b, &T);
    *t = (fb_basis){.what = FB_COLUMN_SHAPE, .name = "run.op4", .m = b->ndof, .n = n};
    *stress = (fb_basis){
        .what = FB_COLUMN_STRESS, .name = "run.op4", .matrix = "SIG", .m = 6 * b->nn, .n = n};
    OK(fb_copy(&t->x, b->T, t->m * n, sizeof *t->x, "", &e));
    OK(FB_NEW(&stress->x, stress->m * n, &e));
    if (labelled) {
        OK(FB_NEW(&stress->node, stress->m, &e));
        OK(FB_NEW(&stress->component, stress->m, &e));
    }
    for (int64_t r = 0; r < stress->m; r++) {
        const int64_t c = r % 6, q = b->nn - 1 - r / 6, at = labelled ? 6 * (r / 6) + 5 - c : r;
        for (int64_t k = 0; k < n; k++)
            stress->x[at + k * stress->m] = s[6 * (k * b->nn + q) + c];
        if (labelled) {
            stress->node[at] = b->node_id[q];
            stress->component[at] = 1 + c;
        }
    }
    free(s);
}

static void table_free(fb_basis *t, fb_basis *stress)
{
    FB_FREE_BY(fb_basis_free, t, stress);
    *t = *stress = (fb_basis){0};
}

/* The list of all nodes of b, last to first. */
static const char *backwards(const fb_model *b, char *list, size_t n)
{
    list[0] = 0;
    for (int64_t q = b->nn; q-- > 0;)
        snprintf(list + strlen(list), n - strlen(list), "%lld%s", (long long)b->node_id[q],
                 q ? "," : "");
    return list;
}

/* What a table says of the shapes that coordinates are is the stress of these, to round-off. */
START_TEST(matrices_bring_shapes_and_stress)
{
    fb_model b;
    fb_basis t, stress;
    fb_log log = {0};
    char list[400];
    reduced_block(&b, _i);
    const fb_mat T = {b.ndof, b.nr, b.T};
    double *want = stress_of(&b, &T), *got = NULL;
    table_of(&b, b.nr, _i % 2, &t, &stress);
    OK(fb_stress_table(&t, &stress, _i % 2 ? NULL : backwards(&b, list, sizeof list), &b, &log,
                       &e));
    ck_assert_int_eq(b.nstressed, b.nr);
    ck_assert_int_eq(b.stress_node[0], _i % 2 ? b.node_id[0] : b.node_id[b.nn - 1]);
    OK(fb_stress_fit(&b, 1e-5, &log, &e));
    OK(fb_coordinate_stress(&b, 0, &got, &e));
    double *in_order = malloc(sizeof *want * (size_t)(6 * b.ns * b.nr));
    for (int64_t k = 0; k < b.nr; k++)
        for (int64_t q = 0; q < b.ns; q++)
            memcpy(in_order + 6 * (k * b.ns + b.stress_node[q] - 1), got + 6 * (k * b.ns + q),
                   6 * sizeof *got);
    near_all(in_order, want, 6 * b.ns * b.nr, 1e-8, "stress");
    table_free(&t, &stress);
    FB_FREE(want, got, in_order);
    fb_log_free(&log);
    fb_model_free(&b);
}
END_TEST

static void table_refused(const fb_basis *t, const fb_basis *stress, const char *list, fb_model *b,
                          const char *words)
{
    fb_log log = {0};
    const fb_status s = fb_stress_table(t, stress, list, b, &log, &e);
    ck_assert_msg((s == FB_EFORMAT || s == FB_EUSAGE) && strstr(e.msg, words), "%s, '%s' wanted",
                  s ? e.msg : "taken", words);
    ck_assert_int_eq(b->nstressed, 0);
    fb_log_free(&log);
}

START_TEST(tables_that_are_no_stress_are_refused)
{
    fb_model b;
    fb_basis t, stress;
    char list[400];
    reduced_block(&b, 2);
    backwards(&b, list, sizeof list);
    table_of(&b, 3, 0, &t, &stress);
    table_refused(&t, &stress, NULL, &b, "nothing says which nodes the rows of SIG belong to");
    table_refused(&t, &stress, "1-2", &b, "12 are wanted: six for each of the 2 nodes of 1-2");
    table_refused(&t, &stress, "77", &b, "the model has no node 77");
    stress.n = 2;
    table_refused(&t, &stress, list, &b, "has 3 shapes, SIG the stress of 2");
    stress.n = 3;
    stress.x[stress.m + 6] = NAN; /* of shape 2, the second node of the list */
    snprintf(list + 390, 10, "node %d", (int)b.node_id[b.nn - 2]);
    table_refused(&t, &stress, list, &b, list + 390);
    t.x[0] = INFINITY;
    table_refused(&t, &stress, list, &b, "is not finite in row 1");
    t.n = stress.n = 0;
    table_refused(&t, &stress, list, &b, "has no columns");
    table_free(&t, &stress);
    table_of(&b, 3, 1, &t, &stress);
    table_refused(&t, &stress, list, &b, "the rows of SIG are labelled: leave out the list");
    stress.component[7] = 1;
    table_refused(&t, &stress, NULL, &b, "are no stress: of node");
    stress.m = 6 * b.nn - 1;
    table_refused(&t, &stress, NULL, &b, "are no stress: of node");
    table_free(&t, &stress);
    fb_model_free(&b);
}
END_TEST

START_TEST(every_allocation_of_a_table_fails_once)
{
    fb_model b;
    fb_basis t, stress;
    fb_log log = {0};
    char list[400];
    long fails = 0;
    reduced_block(&b, 1);
    backwards(&b, list, sizeof list);
    table_of(&b, 4, _i, &t, &stress);
    for (long k = 0, left = -1; left < 0; k++, fails++) {
        fb_alloc_fail_after = k;
        const fb_status s = fb_stress_table(&t, &stress, _i ? NULL : list, &b, &log, &e);
        left = fb_alloc_fail_after;
        fb_alloc_fail_after = -1;
        ck_assert_msg(s == (left < 0 ? FB_ESYS : FB_OK), "allocation %ld: %s", k, e.msg);
        ck_assert_int_eq(b.nstressed, s ? 0 : 4);
        if (s) {
            FB_FREE(b.stress_node, b.shape_stress);
            b.ns = 0;
        }
    }
    ck_assert_int_gt(fails, 10);
    table_free(&t, &stress);
    fb_log_free(&log);
    fb_model_free(&b);
}
END_TEST

/* What stands before the first colon behind a file is the file; its name may hold colons. */
START_TEST(names_of_matrices_stand_behind_the_file)
{
    char folder[] = "/tmp/stress-XXXXXX", file[64], text[128];
    fb_stress_names n;
    ck_assert_ptr_nonnull(mkdtemp(folder));
    snprintf(file, sizeof file, "%s/a:b.op4", folder);
    FILE *f = fopen(file, "w");
    ck_assert_ptr_nonnull(f);
    fclose(f);
    snprintf(text, sizeof text, "%s:PHI,SIG#2,nset:TIP,near:1,2,3", file);
    OK(fb_stress_split(&n, text, &e));
    ck_assert_str_eq(n.file, file);
    ck_assert_str_eq(n.shapes, "PHI");
    ck_assert_str_eq(n.stress, "SIG#2");
    ck_assert_str_eq(n.list, "nset:TIP,near:1,2,3");
    free(n.file);
    static const char *const none[] = {"", ":", "no such file:A,B", NULL};
    for (const char *const *p = none; *p; p++) {
        OK(fb_stress_split(&n, *p, &e));
        ck_assert_ptr_null(n.file);
    }
    OK(fb_stress_split(&n, file, &e));
    ck_assert_ptr_null(n.file);
    static const char *const wrong[] = {":", ":A", ":A,", ":,B", ":A,B,", NULL};
    for (const char *const *p = wrong; *p; p++) {
        snprintf(text, sizeof text, "%s%s", file, *p);
        ck_assert_int_eq(fb_stress_split(&n, text, &e), FB_EUSAGE);
        ck_assert_ptr_nonnull(strstr(e.msg, "FILE:SHAPES,STRESS,LIST is wanted"));
    }
    remove(file);
    rmdir(folder);
}
END_TEST

/* Uniaxial, shear, and hydrostatic stress by hand. */
START_TEST(von_mises_by_hand)
{
    const double pull[6] = {3, 0, 0, 0, 0, 0}, shear[6] = {0, 0, 0, 0, -2, 0},
                 depth[6] = {7, 7, 7, 0, 0, 0};
    ck_assert_double_eq_tol(fb_von_mises(pull), 3, 1e-15);
    ck_assert_double_eq_tol(fb_von_mises(shear), 2 * sqrt(3), 1e-15);
    ck_assert_double_eq_tol(fb_von_mises(depth), 0, 1e-15);
}
END_TEST

Suite *suite_stress(void);
Suite *suite_stress(void)
{
    Suite *s = suite_create("stress");
    TCase *t = tcase_create("laws");
    tcase_add_loop_test(t, shapes_that_span_the_coordinates_tell_their_stress, 0, 6);
    tcase_add_loop_test(t, what_shapes_lack_is_told_and_refused, 0, 6);
    tcase_add_loop_test(t, stress_turns_with_the_body, 0, 6);
    tcase_add_test(t, stress_has_units);
    tcase_add_loop_test(t, shapes_of_files_become_the_models, 0, 3);
    tcase_add_test(t, every_allocation_fails_once);
    tcase_add_test(t, every_allocation_of_a_file_fails_once);
    tcase_add_loop_test(t, matrices_bring_shapes_and_stress, 0, 4);
    tcase_add_test(t, tables_that_are_no_stress_are_refused);
    tcase_add_loop_test(t, every_allocation_of_a_table_fails_once, 0, 2);
    tcase_add_test(t, names_of_matrices_stand_behind_the_file);
    tcase_add_test(t, von_mises_by_hand);
    suite_add_tcase(s, t);
    return s;
}
