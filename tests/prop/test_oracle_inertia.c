/* SPDX-License-Identifier: GPL-3.0-or-later */
/* test_oracle_inertia.c - the invariants of full models against their definitions, in long double,
 * on bodies of any kind (tests/model/any.h).
 *
 * Symbols  R rigid motion about the origin, T shapes, u positions, phi translation rows of T, n, m
 *          nodes
 *   (OI.1) Ms_nm: the mean of the (n,a)(m,a) entries of M over the axes a that both nodes have
 *   (OI.2) R'MR and R'MT, and along axes that M gives less mass than others the same sums of Ms
 *          over the translations that nodes lack (plane models, chains)
 *   (OI.3) I1, I2, I7, I3, I4 from (OI.2), I6 = T'MT
 *   (OI.4) I5_i = sum Ms_nm phi_ni~ phi_m, I9_ij = sum Ms_nm phi_ni~ phi_mj~, I11_ab = sum Ms_nm
 *          phi_nia phi_mjb
 *   (OI.5) I8_k = sum Ms_nm (u_n - c)~ phi_mk~ + c~ I3_k~, I10_ab = sum Ms_nm (u_n - c)_a phi_mb +
 *          c_a I3_b, c = I2/I1
 * Entries of coordinates i, j hold to 1e-11 of s_i s_j, s the root of the same sum of absolute
 * values: a motion of unit size, whatever the units. Source: Zwoelfer & Gerstmayr, Multibody Syst.
 * Dyn. (2021) for solids.
 */
#include "invariants/inertia.h"
#include "reduce/method.h"
#include "tests/model/any.h"
#include "tests/suites.h"
#include <math.h>

enum { SEEDS = 60, MOST = 24 };

typedef struct {
    any_body a;
    int64_t m;
    real *Ms, *phi[MOST], *size; /* [nn,nn], [nn,3] each, [m] of translations */
    real B[6][6], C[MOST][6], c[3], u, span[MOST], rigid[6];
    int *has; /* [nn,3] */
} body;

static char context[300];

static void near(const char *what, real got, real want, real size)
{
    ck_assert_msg(fabsl(got - want) <= 1e-11L * size,
                  "%s: %s is %.15Lg, %.15Lg wanted (size %.3Lg)", context, what, got, want, size);
}

static int64_t node_of(const fb_model *b, int64_t d)
{
    int64_t p = 0;
    while (b->node_id[p] != b->dof_node[d])
        p++;
    return p;
}

/* Row of rigid motion of component c (0..5) of a node at u. */
static void rigid_row(const double *u, int64_t c, real r[6])
{
    for (int k = 0; k < 6; k++)
        r[k] = k == c;
    if (c > 2)
        return;
    r[3 + (c + 1) % 3] = u[(c + 2) % 3]; /* (e_y x u)_x = u_z */
    r[3 + (c + 2) % 3] = -u[(c + 1) % 3];
}

/* (OI.1), and the rows of T by node. */
static void nodes(body *t)
{
    const fb_model *b = &t->a.b;
    int64_t nn = b->nn, N = b->ndof, *at = calloc((size_t)(3 * nn), sizeof *at);
    t->has = calloc((size_t)(3 * nn), sizeof *t->has);
    t->Ms = real_new(nn * nn);
    for (int64_t k = 0; k < t->m; k++)
        t->phi[k] = real_new(3 * nn);
    for (int64_t d = 0; d < N; d++) {
        int64_t p = node_of(b, d), c = b->dof_component[d] - 1;
        if (c > 2)
            continue;
        t->has[3 * p + c] = 1;
        at[3 * p + c] = d;
        for (int64_t k = 0; k < t->m; k++)
            t->phi[k][3 * p + c] = b->T[d + k * N];
    }
    for (int64_t p = 0; p < nn; p++)
        for (int64_t q = 0; q < nn; q++) {
            int n = 0;
            for (int c = 0; c < 3; c++)
                if (t->has[3 * p + c] && t->has[3 * q + c]) {
                    t->Ms[p + q * nn] += t->a.M[at[3 * p + c] + at[3 * q + c] * N];
                    n++;
                }
            if (n)
                t->Ms[p + q * nn] /= n;
        }
    free(at);
}

static void add(body *t, real x, const real r[6], const real v[6], const real *row)
{
    for (int i = 0; i < 6; i++)
        for (int j = 0; j < 6; j++)
            t->B[i][j] += x * r[i] * v[j];
    for (int64_t k = 0; k < t->m; k++)
        for (int i = 0; i < 6; i++)
            t->C[k][i] += x * r[i] * row[k];
}

/* (OI.2) */
static void products(body *t)
{
    const fb_model *b = &t->a.b;
    int64_t nn = b->nn, N = b->ndof;
    real r[6], v[6], row[MOST], top, had[3];
    for (int64_t d = 0; d < N; d++)
        for (int64_t e = 0; e < N; e++) {
            real x = t->a.M[d + e * N];
            if (x == 0)
                continue;
            rigid_row(b->xyz + 3 * node_of(b, d), b->dof_component[d] - 1, r);
            rigid_row(b->xyz + 3 * node_of(b, e), b->dof_component[e] - 1, v);
            for (int64_t k = 0; k < t->m; k++) {
                row[k] = b->T[e + k * N];
                t->span[k] += fabsl(b->T[d + k * N] * x * row[k]);
            }
            for (int c = 0; c < 6; c++)
                t->rigid[c] += fabsl(r[c] * x * v[c]);
            add(t, x, r, v, row);
        }
    top = fmaxl(t->B[0][0], fmaxl(t->B[1][1], t->B[2][2]));
    for (int c = 0; c < 3; c++)
        had[c] = t->B[c][c];
    for (int c = 0; c < 3; c++)
        for (int64_t p = 0; p < nn && had[c] < (1 - 1e-9L) * top; p++)
            for (int64_t q = 0; q < nn; q++) {
                if (t->has[3 * p + c] && t->has[3 * q + c])
                    continue;
                rigid_row(b->xyz + 3 * p, c, r);
                rigid_row(b->xyz + 3 * q, c, v);
                for (int64_t k = 0; k < t->m; k++)
                    row[k] = t->phi[k][3 * q + c];
                for (int k = 0; k < 6; k++)
                    t->rigid[k] += fabsl(r[k] * t->Ms[p + q * nn] * v[k]);
                add(t, t->Ms[p + q * nn], r, v, row);
            }
    t->c[0] = (t->B[1][5] - t->B[2][4]) / 2;
    t->c[1] = (t->B[2][3] - t->B[0][5]) / 2;
    t->c[2] = (t->B[0][4] - t->B[1][3]) / 2;
    for (int c = 0; c < 3; c++)
        t->c[c] *= 3 / (t->B[0][0] + t->B[1][1] + t->B[2][2]);
}

static void sizes(body *t)
{
    const fb_model *b = &t->a.b;
    int64_t nn = b->nn;
    t->size = real_new(t->m);
    for (int64_t p = 0; p < nn; p++)
        for (int64_t q = 0; q < nn; q++)
            for (int c = 0; c < 3; c++) {
                real x = fabsl(t->Ms[p + q * nn]);
                t->u += x * fabsl(b->xyz[3 * p + c] * (real)b->xyz[3 * q + c]);
                for (int64_t k = 0; k < t->m; k++)
                    t->size[k] += x * fabsl(t->phi[k][3 * p + c] * t->phi[k][3 * q + c]);
            }
    t->u = sqrtl(t->u);
    for (int64_t k = 0; k < t->m; k++)
        t->size[k] = sqrtl(t->size[k]);
}

static real cross(const real *a, const real *b, int c)
{
    return a[(c + 1) % 3] * b[(c + 2) % 3] - a[(c + 2) % 3] * b[(c + 1) % 3];
}

/* (a~ b~)_cd = b_c a_d - delta_cd a.b */
static real skews(const real *a, const real *b, int c, int d)
{
    return b[c] * a[d] - (c == d) * (a[0] * b[0] + a[1] * b[1] + a[2] * b[2]);
}

/* (OI.3) */
static void rigid(const body *t)
{
    const fb_model *b = &t->a.b;
    int64_t m = t->m;
    real mass = (t->B[0][0] + t->B[1][1] + t->B[2][2]) / 3, root = sqrtl(mass);
    near("I1", b->I[1][0], mass, mass);
    for (int c = 0; c < 3; c++) {
        near("I2", b->I[2][c], mass * t->c[c], root * t->u);
        for (int d = 0; d < 3; d++)
            near("I7", b->I[7][3 * c + d], t->B[3 + c][3 + d],
                 sqrtl(t->rigid[3 + c] * t->rigid[3 + d]) + t->u * t->u);
        for (int64_t k = 0; k < m; k++) {
            real s = sqrtl(t->span[k]) + t->size[k];
            near("I3", b->I[3][c * m + k], t->C[k][c], s * root);
            near("I4", b->I[4][c * m + k], t->C[k][3 + c], s * (sqrtl(t->rigid[3 + c]) + t->u));
        }
    }
}

/* (OI.5) */
static void linear(const body *t, int64_t k)
{
    const fb_model *b = &t->a.b;
    int64_t nn = b->nn, m = t->m;
    const real I3[3] = {t->C[k][0], t->C[k][1], t->C[k][2]};
    for (int c = 0; c < 3; c++)
        for (int d = 0; d < 3; d++) {
            real I8 = skews(t->c, I3, c, d), I10 = t->c[c] * I3[d];
            for (int64_t p = 0; p < nn; p++)
                for (int64_t q = 0; q < nn; q++) {
                    real x = t->Ms[p + q * nn], u[3];
                    for (int a = 0; a < 3; a++)
                        u[a] = b->xyz[3 * p + a] - t->c[a];
                    I8 += x * skews(u, t->phi[k] + 3 * q, c, d);
                    I10 += x * u[c] * t->phi[k][3 * q + d];
                }
            near("I8", b->I[8][9 * k + 3 * c + d], I8, t->u * (t->size[k] + sqrtl(t->span[k])));
            near("I10", b->I[10][(3 * c + d) * m + k], I10,
                 t->u * (t->size[k] + sqrtl(t->span[k])));
        }
}

/* (OI.4) */
static void quadratic(const body *t, int64_t i, int64_t j)
{
    const fb_model *b = &t->a.b;
    int64_t nn = b->nn, m = t->m;
    real I5[3] = {0}, I9[3][3] = {{0}}, I11[3][3] = {{0}}, size = t->size[i] * t->size[j];
    for (int64_t p = 0; p < nn; p++)
        for (int64_t q = 0; q < nn; q++) {
            const real x = t->Ms[p + q * nn], *f = t->phi[i] + 3 * p, *g = t->phi[j] + 3 * q;
            for (int c = 0; c < 3 && x != 0; c++) {
                I5[c] += x * cross(f, g, c);
                for (int d = 0; d < 3; d++) {
                    I9[c][d] += x * skews(f, g, c, d);
                    I11[c][d] += x * f[c] * g[d];
                }
            }
        }
    for (int c = 0; c < 3; c++) {
        near("I5", b->I[5][(3 * i + c) * m + j], I5[c], size);
        for (int d = 0; d < 3; d++) {
            near("I9", b->I[9][9 * (i * m + j) + 3 * c + d], I9[c][d], size);
            near("I11", b->I[11][((3 * c + d) * m + i) * m + j], I11[c][d], size);
        }
    }
}

static void mass(const body *t)
{
    const fb_model *b = &t->a.b;
    int64_t N = b->ndof, m = t->m;
    real *T = real_of(b->T, N * m), *W = real_congruence(t->a.M, N, T, m);
    for (int64_t i = 0; i < m; i++)
        for (int64_t j = 0; j < m; j++) /* what is set to one by structure holds to 1e-10 */
            near("I6", b->I[6][i * m + j], W[i + j * m],
                 10 * sqrtl(t->span[i]) * sqrtl(t->span[j]));
    free(T);
    free(W);
}

static void judge(uint64_t seed)
{
    body t = {0};
    fb_reduction r = {0};
    fb_log log = {0};
    fb_err e = {0};
    double along[3] = {0};
    any_make(&t.a, seed);
    snprintf(context, sizeof context, "seed %llu, %s", (unsigned long long)seed, t.a.what);
    if (!t.a.indefinite_mass && !t.a.negative && t.a.nb + 3 <= MOST) {
        fb_reduceopt o = {.order = t.a.nb + 3, .modes = -1, .interface = t.a.boundary};
        fb_status s = fb_method_full(&fb_method_cb, &t.a.b, &o, &r, &log, &e);
        ck_assert_msg(s == FB_OK || t.a.massless, "%s: %s", context,
                      e.msg); /* a boundary that nothing hangs on */
        if (s)
            goto out;
        ck_assert_msg(fb_reduction_apply_take(&t.a.b, &r, &o, "cb", &log, &e) == FB_OK, "%s: %s",
                      context, e.msg);
        ck_assert_msg(fb_invariants_full(&t.a.b, along, &log, &e) == FB_OK, "%s: %s", context,
                      e.msg);
        t.m = t.a.b.nr;
        nodes(&t);
        products(&t);
        sizes(&t);
        rigid(&t);
        mass(&t);
        for (int64_t k = 0; k < t.m; k++)
            linear(&t, k);
        for (int64_t i = 0; i < t.m; i++)
            for (int64_t j = 0; j < t.m; j++)
                quadratic(&t, i, j);
    }
out:
    for (int64_t k = 0; k < t.m; k++)
        free(t.phi[k]);
    free(t.Ms);
    free(t.has);
    free(t.size);
    fb_log_free(&log);
    fb_reduction_free(&r);
    any_free(&t.a);
}

static uint64_t number(const char *name, uint64_t otherwise)
{
    const char *text = getenv(name);
    return text ? strtoull(text, NULL, 10) : otherwise;
}

START_TEST(invariants_of_a_body_of_any_kind)
{
    judge(number("ORACLE_SEED", 0) + (uint64_t)_i);
}
END_TEST

Suite *suite_oracle_inertia(void)
{
    Suite *s = suite_create("oracle_inertia");
    TCase *t = tcase_create("full");
    tcase_set_timeout(t, 300);
    tcase_add_loop_test(t, invariants_of_a_body_of_any_kind, 0, (int)number("ORACLE_COUNT", SEEDS));
    suite_add_tcase(s, t);
    return s;
}
