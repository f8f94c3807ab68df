/* SPDX-License-Identifier: GPL-3.0-or-later */
/* test_mesh.c - the meshes of the benchmarks: rigid motion, mass, constant strain, textbook beams.
 * */
#include "bench/mesh/mesh.h"
#include "tests/suites.h"
#include <math.h>

#define OK(call) ck_assert_msg((call) == FB_OK, "%s", e.msg)

static fb_err e;

typedef struct {
    mesh m;
    fb_csc K, M;
} body;

static void make(body *b, const mesh_spec *p)
{
    *b = (body){0};
    OK(mesh_make(&b->m, p, &e));
    OK(mesh_assemble(&b->m, &b->K, &b->M, &e));
    OK(fb_csc_check(&b->K, "K", &e));
    OK(fb_csc_check(&b->M, "M", &e));
}

static void drop(body *b)
{
    mesh_free(&b->m);
    fb_csc_free(&b->K);
    fb_csc_free(&b->M);
}

/* The displacements and rotations of a field: x' = translation, r = half its curl. */
typedef void field(const double *x, double *u);

static fb_mat sample(const body *b, field *const *f, int64_t n)
{
    int64_t d = b->m.kind->dofs;
    fb_mat U = {0};
    OK(fb_mat_new(&U, b->K.n, n, &e));
    for (int64_t c = 0; c < n; c++)
        for (int64_t k = 0; k < b->m.nn; k++) {
            double u[6] = {0};
            f[c](b->m.xyz + 3 * k, u);
            memcpy(U.x + c * U.m + d * k, u, sizeof *u * (size_t)d);
        }
    return U;
}

static void tx(const double *x, double *u)
{
    (void)x;
    u[0] = 1;
}
static void ty(const double *x, double *u)
{
    (void)x;
    u[1] = 1;
}
static void tz(const double *x, double *u)
{
    (void)x;
    u[2] = 1;
}
static void rx(const double *x, double *u)
{
    u[1] = -x[2];
    u[2] = x[1];
    u[3] = 1;
}
static void ry(const double *x, double *u)
{
    u[2] = -x[0];
    u[0] = x[2];
    u[4] = 1;
}
static void rz(const double *x, double *u)
{
    u[0] = -x[1];
    u[1] = x[0];
    u[5] = 1;
}
static field *const RIGID[] = {tx, ty, tz, rx, ry, rz};

/* A linear field of solids, with rotation. */
static const double GRAD[3][3] = {{1, 0.3, -0.2}, {0.7, -0.5, 0.4}, {0.1, 0.9, 0.6}};
static void linear(const double *x, double *u)
{
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++)
            u[i] += GRAD[i][j] * x[j];
}
/* Of a plate in the plane x y: constant membrane strains, constant curvatures. */
static void in_plane(const double *x, double *u)
{
    u[0] = x[0] + 0.3 * x[1];
    u[1] = 0.7 * x[0] - 0.5 * x[1];
    u[5] = (0.7 - 0.3) / 2;
}
static void curved(const double *x, double *u)
{
    u[2] = 0.5 * x[0] * x[0] + 0.8 * x[0] * x[1] - 0.7 * x[1] * x[1];
    u[3] = 0.8 * x[0] - 1.4 * x[1];
    u[4] = -(x[0] + 0.8 * x[1]);
}
/* Of a straight lattice of beams: stretch along the axes. */
static void stretch(const double *x, double *u)
{
    u[0] = x[0];
    u[1] = -0.5 * x[1];
    u[2] = 2 * x[2];
}

static fb_mat times(const fb_csc *A, const fb_mat *X)
{
    fb_mat Y = {0};
    OK(fb_mat_new(&Y, A->n, X->n, &e));
    fb_csc_mul(A, X->x, X->m, Y.x, Y.m, X->n);
    return Y;
}

static double energy(const fb_csc *A, const fb_mat *U, int64_t i, int64_t j)
{
    fb_mat Y = times(A, U);
    double sum = 0;
    for (int64_t k = 0; k < U->m; k++)
        sum += U->x[k + i * U->m] * Y.x[k + j * U->m];
    fb_mat_free(&Y);
    return sum;
}

static double largest(const fb_csc *A)
{
    double x = 0;
    for (int64_t q = 0; q < A->p[A->n]; q++)
        x = fmax(x, fabs(A->x[q]));
    return x;
}

START_TEST(rigid_motion_is_free)
{
    mesh_spec p = {.kind = mesh_kinds + _i, .cells = {4, 2, 3}, .edge = 0.05, .warp = 1};
    body b;
    p.thick = p.kind->dofs == 3;
    make(&b, &p);
    fb_mat R = sample(&b, RIGID, 6), KR = times(&b.K, &R);
    ck_assert_double_lt(fb_mat_max(&KR), 1e-13 * largest(&b.K));
    ck_assert_int_eq(b.K.upper && b.M.upper, 1);
    fb_mat_free(&R);
    fb_mat_free(&KR);
    drop(&b);
}
END_TEST

/* Mass, centre and inertia of straight blocks, plates and lattices. */
START_TEST(mass_is_the_body_s)
{
    const double L[] = {0.3, 0.2, 0.1}, a = 0.1;
    mesh_spec p = {.kind = mesh_kinds + _i, .cells = {3, 2, 1}, .edge = a};
    body b;
    double m = MESH_RHO * L[0] * L[1] * L[2], drill = 0, Ixx = m * (L[1] * L[1] + L[2] * L[2]) / 3;
    make(&b, &p);
    fb_mat R = sample(&b, RIGID, 6);
    if (p.kind->matrices == mesh_plate) {
        m = MESH_RHO * L[0] * L[1] * MESH_PLATE_T;
        drill = m * MESH_PLATE_T * MESH_PLATE_T / 12;
        Ixx = m * L[1] * L[1] / 3;
        ck_assert_double_eq_tol(energy(&b.M, &R, 5, 5), m * (L[0] * L[0] + L[1] * L[1]) / 3 + drill,
                                1e-12 * m);
    }
    if (p.kind->matrices == mesh_beam) /* 4 x 3 x 2 points */
        m = MESH_RHO * 3.14159265358979323846 * MESH_BEAM_R * MESH_BEAM_R * a *
            (3 * 6 + 2 * 8 + 1 * 12);
    else
        ck_assert_double_eq_tol(energy(&b.M, &R, 3, 3), Ixx, 1e-12 * m);
    for (int i = 0; i < 3; i++)
        ck_assert_double_eq_tol(energy(&b.M, &R, i, i), m, 1e-12 * m);
    if (p.kind->dofs == 3) /* m y of translation along z times rotation about x */
        ck_assert_double_eq_tol(energy(&b.M, &R, 2, 3), m * L[1] / 2, 1e-12 * m);
    fb_mat_free(&R);
    drop(&b);
}
END_TEST

/* K u = 0 inside, u'Ku = the energy. */
static void patch(const mesh_spec *p, field *f, double wanted)
{
    body b;
    make(&b, p);
    fb_mat U = sample(&b, &f, 1), F = times(&b.K, &U);
    int64_t d = p->kind->dofs, inside = 0;
    for (int64_t k = 0; k < b.m.nn; k++) {
        int in = 1;
        for (int i = 0; i < 3; i++)
            if (b.m.far[i])
                in &= b.m.place[3 * k + i] > 0 && b.m.place[3 * k + i] < b.m.far[i];
        inside += in;
        for (int64_t j = 0; in && j < d; j++)
            ck_assert_double_lt(fabs(F.x[d * k + j]), 1e-12 * largest(&b.K) * fb_mat_max(&U));
    }
    ck_assert_int_gt(inside, 0);
    if (wanted > 0)
        ck_assert_double_eq_tol(energy(&b.K, &U, 0, 0) / wanted, 1, 1e-11);
    fb_mat_free(&U);
    fb_mat_free(&F);
    drop(&b);
}

START_TEST(constant_strain_of_solids)
{
    const double lam = MESH_E * MESH_NU / ((1 + MESH_NU) * (1 - 2 * MESH_NU)),
                 G = MESH_E / (2 * (1 + MESH_NU));
    double sum = 0, trace = 0;
    for (int i = 0; i < 3; i++) {
        trace += GRAD[i][i];
        for (int j = 0; j < 3; j++)
            sum += (GRAD[i][j] + GRAD[j][i]) * (GRAD[i][j] + GRAD[j][i]) / 4;
    }
    mesh_spec p = {.kind = mesh_kinds + _i, .cells = {3, 2, 2}, .edge = 0.1};
    patch(&p, linear, (lam * trace * trace + 2 * G * sum) * 0.3 * 0.2 * 0.2);
    p.warp = 1;
    patch(&p, linear, 0);
}
END_TEST

START_TEST(constant_strain_of_plates_and_frames)
{
    const double t = MESH_PLATE_T, D = MESH_E * t / (1 - MESH_NU * MESH_NU), area = 0.3 * 0.2,
                 s = (1 - MESH_NU) / 2;
    const double EA = MESH_E * 3.14159265358979323846 * MESH_BEAM_R * MESH_BEAM_R;
    mesh_spec p = {.kind = mesh_find("plate"), .cells = {3, 2, 0}, .edge = 0.1};
    patch(&p, in_plane, D * area * (1 + 0.25 + 2 * MESH_NU * -0.5 + s));
    patch(&p, curved, D * t * t / 12 * area * (1 + 1.96 + 2 * MESH_NU * -1.4 + s * 1.6 * 1.6));
    p = (mesh_spec){.kind = mesh_find("frame"), .cells = {2, 2, 2}, .edge = 0.1};
    patch(&p, stretch, EA * 0.1 * 18 * (1 + 0.25 + 4));
}
END_TEST

/* A row of beams, clamped: deflection P L^3/3EI under a load at the tip, exact at the nodes, and
 * the lowest frequency 1.8751^2 sqrt(EI/rho A)/L^2. */
START_TEST(beams_are_a_cantilever)
{
    const double pi = 3.14159265358979323846, A = pi * MESH_BEAM_R * MESH_BEAM_R,
                 EI = MESH_E * A * MESH_BEAM_R * MESH_BEAM_R / 4;
    mesh_spec p = {.kind = mesh_find("frame"), .cells = {3, 0, 0}, .edge = 0.1};
    body b;
    make(&b, &p);
    int64_t n = b.K.n - 6, *set = malloc(sizeof *set * (size_t)n);
    for (int64_t k = 0; k < n; k++)
        set[k] = 6 + k;
    fb_mat K = {0}, K2 = {0}, M = {0}, F = {0}, V = {0};
    double *lambda = malloc(sizeof *lambda * (size_t)n);
    OK(fb_csc_dense(&b.K, set, n, set, n, &K, &e));
    OK(fb_csc_dense(&b.K, set, n, set, n, &K2, &e));
    OK(fb_csc_dense(&b.M, set, n, set, n, &M, &e));
    OK(fb_mat_new(&F, n, 1, &e));
    F.x[n - 5] = 1;
    OK(fb_solve_spd(&K, &F, "K", &e));
    ck_assert_double_eq_tol(F.x[n - 5] * 3 * EI / 0.027, 1, 1e-9);
    OK(fb_eig_dense(&K2, &M, lambda, &V, &e));
    ck_assert_double_eq_tol(
        sqrt(lambda[0]) / (1.8751041 * 1.8751041 * sqrt(EI / (MESH_RHO * A)) / 0.09), 1, 1e-5);
    ck_assert_double_eq_tol(lambda[1] / lambda[0], 1, 1e-6);
    fb_mat_free(&K);
    fb_mat_free(&K2);
    fb_mat_free(&M);
    fb_mat_free(&F);
    fb_mat_free(&V);
    free(set);
    free(lambda);
    drop(&b);
}
END_TEST

START_TEST(ends_and_decks)
{
    mesh_spec p = {.kind = mesh_kinds + _i, .cells = {4, 4, 4}, .edge = 0.05, .warp = 1};
    int64_t *end = NULL, half[2] = {0};
    fb_buf text = {0};
    mesh m = {0};
    p.thick = p.kind->dofs == 3 ? 2 : 0;
    OK(mesh_make(&m, &p, &e));
    OK(mesh_ends(&m, &p, 4, &end, &e));
    for (int k = 0; k < 4; k++) {
        const int64_t *at = m.place + 3 * end[k];
        ck_assert(k == 0 || end[k] > end[k - 1]);
        half[0] += at[0] == m.far[0];
        half[1] += p.thick ? at[2] == m.far[2] : at[0] == 0;
    }
    ck_assert_int_eq(half[0], 2);
    ck_assert_int_eq(half[1], 2);
    if (p.kind->deck) {
        mesh_deck(&m, end, 4, 7, &text);
        OK(fb_buf_status(&text, &e));
        int64_t width = 0;
        for (int64_t k = 0; k < text.size; k++) {
            width =
                text.data[k] == ',' || text.data[k] == '\n' || text.data[k] == '=' ? 0 : width + 1;
            ck_assert_int_le(width, 20);
        }
    }
    fb_buf_free(&text);
    free(end);
    mesh_free(&m);
}
END_TEST

START_TEST(refusals)
{
    mesh_spec p = {.kind = mesh_find("plate"), .cells = {2, 2, 0}, .edge = 0.1, .thick = 1};
    int64_t *end = NULL;
    mesh m = {0};
    ck_assert_ptr_null(mesh_find("sphere"));
    ck_assert_int_eq(mesh_make(&m, &p, &e), FB_EUSAGE);
    ck_assert_str_eq(e.msg, "only solids come as an angle; plate does not");
    p.thick = 0;
    p.cells[0] = 0;
    ck_assert_int_eq(mesh_make(&m, &p, &e), FB_EUSAGE);
    ck_assert_str_eq(e.msg, "no elements: give the number of cells along x, y and z");
    p.cells[0] = 2;
    OK(mesh_make(&m, &p, &e));
    ck_assert_int_eq(mesh_ends(&m, &p, 10, &end, &e), FB_EUSAGE);
    ck_assert_str_eq(e.msg, "an end has 3 nodes, 5 are wanted for the boundary");
    mesh_free(&m);
}
END_TEST

static fb_status whole(const mesh_spec *p)
{
    mesh m = {0};
    fb_csc K = {0}, M = {0};
    int64_t *end = NULL;
    fb_status s = FB_OK;
    FB_TRY(mesh_make(&m, p, &e));
    FB_TRY(mesh_assemble(&m, &K, &M, &e));
    FB_TRY(mesh_ends(&m, p, 2, &end, &e));
out:
    mesh_free(&m);
    fb_csc_free(&K);
    fb_csc_free(&M);
    free(end);
    return s;
}

START_TEST(every_allocation_fails)
{
    mesh_spec p = {.kind = mesh_find("tet10"), .cells = {1, 1, 1}, .edge = 0.1};
    int fails;
    fb_status s;
    EVERY_ALLOCATION_FAILS_ONCE(s, fails, s = whole(&p));
    ck_assert_int_gt(fails, 10);
}
END_TEST

Suite *suite_mesh(void)
{
    Suite *s = suite_create("mesh");
    TCase *t = tcase_create("mesh");
    tcase_add_loop_test(t, rigid_motion_is_free, 0, 6);
    tcase_add_loop_test(t, mass_is_the_body_s, 0, 6);
    tcase_add_loop_test(t, constant_strain_of_solids, 0, 4);
    tcase_add_test(t, constant_strain_of_plates_and_frames);
    tcase_add_test(t, beams_are_a_cantilever);
    tcase_add_loop_test(t, ends_and_decks, 0, 6);
    tcase_add_test(t, refusals);
    tcase_add_test(t, every_allocation_fails);
    suite_add_tcase(s, t);
    return s;
}
