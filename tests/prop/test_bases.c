/* SPDX-License-Identifier: GPL-3.0-or-later */
/* test_bases.c - laws of the bases beside Craig and Bampton's: free and mixed interfaces, Krylov,
 * IRS; judged by dense algebra in long double (tests/model/exact.h). */
#include "reduce/full.h"
#include "reduce/modal.h"
#include "tests/model/exact.h"
#include "tests/model/full.h"
#include "tests/suites.h"
#include <math.h>

#define OK(call) ck_assert_msg((call) == FB_OK, "%s", e.msg)

static fb_err e;
static const char interface[] = "1:123,2:123,6:123";
enum { NB = 9 };

static fb_reduceopt order(int64_t n)
{
    return (fb_reduceopt){.order = n, .modes = -1, .interface = interface};
}

static void reduce(const fb_model *b, const char *method, fb_reduceopt o, fb_reduction *r)
{
    fb_log log = {0};
    OK(fb_method_full(fb_method_find(method), b, &o, r, &log, &e));
    for (int64_t k = 0; k < log.nwarning; k++)
        ck_abort_msg("%s", log.warning[k]);
    fb_log_free(&log);
}

/* Is refused with this status, and these words. */
static void refused(const fb_model *b, const char *method, fb_reduceopt o, fb_status with,
                    const char *words)
{
    fb_log log = {0};
    fb_reduction r = {0};
    const fb_method *m = fb_method_find(method);
    const fb_status s =
        b->K.p ? fb_method_full(m, b, &o, &r, &log, &e) : fb_method_modal(m, b, &o, &r, &log, &e);
    ck_assert_msg(s == with && strstr(e.msg, words), "%s", s ? e.msg : "taken");
    fb_log_free(&log);
    fb_reduction_free(&r);
}

static double *roots(const fb_reduction *r)
{
    const fb_mat K = {r->nr, r->nr, r->K}, M = {r->nr, r->nr, r->M};
    double *w = malloc(sizeof *w * (size_t)r->nr);
    fb_mat V = {0};
    OK(fb_eig_dense(&K, &M, w, &V, &e));
    fb_mat_free(&V);
    return w;
}

static real *dense(const fb_csc *A)
{
    real *B = real_new(A->n * A->n);
    for (int64_t j = 0; j < A->n; j++)
        for (int64_t q = A->p[j]; q < A->p[j + 1]; q++)
            B[A->i[q] + j * A->n] = B[j + A->i[q] * A->n] = A->x[q];
    return B;
}

static fb_eig modes(const fb_model *b)
{
    fb_eig q = {0};
    OK(fb_eig_sparse(&b->K, &b->M, &(fb_eig_opts){.k = b->ndof, .engine = "dense"}, &q, &e));
    return q;
}

/* The body held by all its modes, in its own coordinates. */
static void held_by_modes(const fb_model *f, fb_model *b)
{
    fb_eig q = modes(f);
    fb_log log = {0};
    fb_mat N = {0};
    const int64_t n = f->ndof;
    *b = (fb_model){.units = f->units, .nn = f->nn, .nm = n, .nr = n};
    OK(fb_copy(&b->node_id, f->node_id, f->nn, 8, "", &e));
    OK(fb_copy(&b->xyz, f->xyz, 3 * f->nn, 8, "", &e));
    OK(fb_model_nodal_dofs(b, &e));
    OK(fb_new(&b->shape, n * b->ndof, 8, "", &e));
    OK(fb_new(&b->Kr, n * n, 8, "", &e));
    OK(fb_new(&b->Mr, n * n, 8, "", &e));
    for (int64_t k = 0; k < n; k++) {
        b->Kr[k * (n + 1)] = q.lambda[k];
        b->Mr[k * (n + 1)] = 1;
        for (int64_t d = 0; d < n; d++)
            b->shape[6 * (f->dof_node[d] - 1) + f->dof_component[d] - 1 + k * b->ndof] =
                q.X.x[d + k * n];
    }
    OK(fb_modal_own(b, &N, &log, &e));
    ck_assert_int_eq(b->nm, n);
    fb_mat_free(&N);
    fb_eig_free(&q);
    fb_log_free(&log);
}

/* Methods say the same of both. */
static void alike(const fb_model *f, const char *method, fb_reduceopt o, double tol)
{
    fb_model b;
    fb_reduction r = {0}, m = {0};
    fb_log log = {0};
    held_by_modes(f, &b);
    reduce(f, method, o, &r);
    OK(fb_method_modal(fb_method_find(method), &b, &o, &m, &log, &e));
    ck_assert_int_eq(r.nr, m.nr);
    ck_assert_int_eq(r.nb, m.nb);
    double *v = roots(&r), *w = roots(&m);
    for (int64_t k = 6; k < r.nr; k++)
        ck_assert_msg(fabs(v[k] / w[k] - 1) < tol, "%s, root %d: %.12g of the full model, %.12g",
                      method, (int)k, v[k], w[k]);
    for (int64_t k = 0; k < r.nr; k++)
        ck_assert_int_eq(r.kind[k], m.kind[k]);
    free(v);
    free(w);
    fb_reduction_free(&r);
    fb_reduction_free(&m);
    fb_log_free(&log);
    fb_model_free(&b);
}

/* ---- Krylov ------------------------------------------------------------------------------ */

/* B'X_k of (K - l M) X_0 = B, (K - l M) X_k = M X_k-1, k = 0 .. q-1: [p x p] each. */
static real *moments(int64_t n, const real *K, const real *M, real l, int64_t p, const real *B,
                     int64_t q)
{
    real *H = real_new(p * p * q), *X = real_new(n * p), *MX = real_new(n * p),
         *A = real_new(n * n);
    memcpy(X, B, sizeof *X * (size_t)(n * p));
    for (int64_t k = 0; k < q; k++) {
        for (int64_t j = 0; j < n * n; j++)
            A[j] = K[j] - l * M[j];
        ck_assert(real_solve(n, A, p, X));
        real_product(1, p, p, n, B, X, H + k * p * p);
        real_product(0, n, p, n, M, X, MX);
        memcpy(X, MX, sizeof *X * (size_t)(n * p));
    }
    free(X);
    free(MX);
    free(A);
    return H;
}

typedef struct {
    const char *at;
    int shifts, blocks; /* at each shift */
    double share[2];    /* of the first elastic root */
    const char *loads;
} shifting;

static const shifting shiftings[] = {
    {NULL, 1, 1, {0.3}, NULL},         {NULL, 1, 2, {0.3}, NULL},
    {NULL, 1, 3, {1.7}, NULL},         {NULL, 2, 1, {0.1, 2.3}, NULL},
    {NULL, 2, 2, {0.6, 1.9}, NULL},    {NULL, 1, 2, {0.4}, "4:2,5:13"},
    {NULL, 2, 1, {0.2, 1.4}, "4:123"},
};
enum { NSHIFTING = sizeof shiftings / sizeof *shiftings };

/* Twice as many moments of the response as blocks, at each shift: more than N / (nb shifts). */
static void moments_match(const fb_model *b, const shifting *z, const double *hz,
                          const fb_reduction *r)
{
    const int64_t n = b->ndof, m = r->nr, p = r->nb + r->nload, q = 2 * z->blocks;
    real *K = dense(&b->K), *M = dense(&b->M), *B = real_new(n * p), *Br = real_new(m * p),
         *T = real_of(r->T.x, n * m), *Kr = real_of(r->K, m * m), *Mr = real_of(r->M, m * m);
    for (int64_t k = 0; k < p; k++)
        B[(k < r->nb ? r->boundary[k] : r->load[k - r->nb]) + k * n] = 1;
    real_product(1, m, p, n, T, B, Br);
    for (int j = 0; j < z->shifts; j++) {
        const real l = powl(2 * 3.14159265358979323846L * (real)hz[j], 2);
        real *full = moments(n, K, M, l, p, B, q), *red = moments(m, Kr, Mr, l, p, Br, q);
        for (int64_t k = 0; k < q; k++) {
            real top = 0, off = 0;
            for (int64_t i = 0; i < p * p; i++) {
                top = fmaxl(top, fabsl(full[i + k * p * p]));
                off = fmaxl(off, fabsl(full[i + k * p * p] - red[i + k * p * p]));
            }
            ck_assert_msg(off <= 1e-8L * top, "moment %d of %d at %g Hz: off by %.3Lg", (int)k,
                          (int)q, hz[j], off / top);
        }
        free(full);
        free(red);
    }
    free(K);
    free(M);
    free(B);
    free(Br);
    free(T);
    free(Kr);
    free(Mr);
}

START_TEST(moments_at_the_shifts)
{
    const shifting *z = shiftings + _i % NSHIFTING;
    const int loads = z->loads ? 3 : 0;
    char at[80];
    double hz[2] = {0};
    fb_model b;
    fb_reduction r = {0};
    full_any(&b, _i / NSHIFTING);
    fb_eig q = modes(&b);
    for (int j = 0; j < z->shifts; j++)
        hz[j] = sqrt(z->share[j] * q.lambda[6]) / 2 / 3.14159265358979323846;
    snprintf(at, sizeof at, z->shifts > 1 ? "%.17g,%.17g" : "%.17g", hz[0], hz[1]);
    const int64_t all = NB + (NB + loads) * z->blocks * z->shifts;
    fb_reduceopt o = order(all < b.ndof ? all : b.ndof);
    o.at = at;
    o.loads = z->loads;
    reduce(&b, "krylov", o, &r);
    ck_assert_int_eq(r.nr, o.order);
    ck_assert_int_eq(r.nload, loads);
    moments_match(&b, z, hz, &r);
    fb_reduction_free(&r);
    fb_eig_free(&q);
    fb_model_free(&b);
}
END_TEST

/* A held body has moments at 0 Hz, where constraint modes are the first block: two more. */
START_TEST(moments_at_zero)
{
    static const shifting z = {NULL, 1, 2, {0}, NULL};
    const double hz[] = {0};
    fb_model b;
    fb_reduction r = {0};
    full_any(&b, _i);
    for (int64_t d = 0; d < b.ndof; d++) /* springs to the ground */
        b.K.x[b.K.p[d + 1] - 1] *= 1.1;
    fb_reduceopt o = order(NB + NB);
    o.at = "0";
    reduce(&b, "krylov", o, &r);
    moments_match(&b, &z, hz, &r);
    fb_reduction_free(&r);
    fb_model_free(&b);
}
END_TEST

/* Where the loads excite all there is, the body is exact; what does not add is dropped. */
START_TEST(krylov_ends_in_the_body)
{
    char at[40];
    fb_model b;
    fb_reduction r = {0};
    fb_log log = {0};
    full_any(&b, _i);
    fb_eig q = modes(&b);
    fb_reduceopt o = order(b.ndof);
    snprintf(at, sizeof at, "%.17g", sqrt(0.5 * q.lambda[6]) / 6.2831853);
    o.at = at;
    OK(fb_method_full(fb_method_find("krylov"), &b, &o, &r, &log, &e));
    ck_assert_int_le(r.nr, b.ndof);
    ck_assert_int_eq(log.nwarning, r.nr < b.ndof);
    double *w = roots(&r);
    for (int64_t k = 6; k < 16; k++)
        ck_assert_msg(fabs(w[k] / q.lambda[k] - 1) < 1e-7, "root %d: %.12g, %.12g", (int)k, w[k],
                      q.lambda[k]);
    free(w);
    fb_log_free(&log);
    fb_reduction_free(&r);
    fb_eig_free(&q);
    fb_model_free(&b);
}
END_TEST

/* Of a shift next to another one the first block is there already; vectors go on from the last. */
START_TEST(krylov_goes_on_at_a_near_shift)
{
    char at[80];
    fb_model b;
    fb_reduction r = {0};
    full_any(&b, _i);
    fb_eig q = modes(&b);
    const double hz = sqrt(0.5 * q.lambda[6]) / 6.2831853;
    const shifting once_more = {NULL, 1, 3, {0.5}, NULL};
    fb_reduceopt o = order(NB + 3 * NB);
    snprintf(at, sizeof at, "%.17g,%.17g", hz, hz * (1 + 1e-12));
    o.at = at;
    reduce(&b, "krylov", o, &r);
    ck_assert_int_eq(r.nr, o.order);
    moments_match(&b, &once_more, &hz, &r);
    fb_reduction_free(&r);
    fb_eig_free(&q);
    fb_model_free(&b);
}
END_TEST

START_TEST(krylov_refusals)
{
    fb_model b;
    full_any(&b, _i);
    fb_eig q = modes(&b);
    fb_reduceopt o = order(NB + 6);
    char at[40];
    refused(&b, "krylov", o, FB_EUSAGE, "--at HZ");
    static const char *const bad[] = {"", "x", "-1", "5,", "5;6", "5,5", "1e400"};
    for (size_t k = 0; k < sizeof bad / sizeof *bad; k++) {
        o.at = bad[k];
        refused(&b, "krylov", o, FB_EUSAGE, "--at");
    }
    o.at = "1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17";
    refused(&b, "krylov", o, FB_EUSAGE, "more than 16");
    o.at = "0";
    refused(&b, "krylov", o, FB_EUSAGE, "--at 1");
    o.at = "100,0";
    refused(&b, "krylov", o, FB_EUSAGE, "pole at 0 Hz");
    o.at = "100";
    o.fmax = 100;
    refused(&b, "krylov", o, FB_EUSAGE, "--fmax");
    o.fmax = 0;
    o.order = NB - 1;
    refused(&b, "krylov", o, FB_EUSAGE, "boundary dofs");
    fb_reduction r = {0};
    reduce(&b, "cb", order(NB + 1), &r); /* a root of the held body */
    o.order = NB + 6;
    snprintf(at, sizeof at, "%.17g", sqrt(r.K[(NB + 1) * (NB + 1) - 1]) / 6.283185307179586477);
    o.at = at;
    refused(&b, "krylov", o, FB_ESOLVE, "natural frequency of the body with its boundary held");
    fb_reduction_free(&r);
    fb_eig_free(&q);
    fb_model_free(&b);
}
END_TEST

/* Loads at a shift that the order leaves no block for. */
START_TEST(krylov_says_what_a_shift_lacks)
{
    fb_model b;
    fb_reduction r = {0};
    fb_log log = {0};
    full_any(&b, 0);
    fb_reduceopt o = order(NB + 4);
    o.at = "300,20";
    OK(fb_method_full(fb_method_find("krylov"), &b, &o, &r, &log, &e));
    ck_assert_int_eq(log.nwarning, 1);
    ck_assert_msg(strstr(log.warning[0], "leave none for --at 300: an order higher by 14"), "%s",
                  log.warning[0]);
    ck_assert_int_eq(r.nr, NB + 4);
    fb_log_free(&log);
    fb_reduction_free(&r);
    char many[80] = "1"; /* more blocks than the interior has room for: no order has them */
    for (int k = 2; k <= 16; k++)
        snprintf(many + strlen(many), sizeof many - strlen(many), ",%d", k);
    o.at = many;
    OK(fb_method_full(fb_method_find("krylov"), &b, &o, &r, &log, &e));
    ck_assert_msg(strstr(log.warning[0], "name fewer frequencies") &&
                      !strstr(log.warning[0], "an order higher"),
                  "%s", log.warning[0]);
    fb_log_free(&log);
    fb_reduction_free(&r);
    fb_model_free(&b);
}
END_TEST

/* ---- IRS --------------------------------------------------------------------------------- */

/* T_G + [0 0; 0 Kss^-1] M T_G M_R^-1 K_R, as O'Callahan writes it. */
static real *irs(const fb_model *b, const fb_reduction *r)
{
    const int64_t n = b->ndof, m = r->nb, ns = n - m;
    int64_t *s = calloc((size_t)n, sizeof *s), k = 0;
    real *K = dense(&b->K), *M = dense(&b->M), *Kss = real_new(ns * ns), *P = real_new(ns * m),
         *T = real_new(n * m), *MT = real_new(n * m), *H, *MR, *Y = real_new(n * m);
    for (int64_t d = 0; d < n; d++) {
        int is = 0;
        for (int64_t j = 0; j < m; j++)
            is |= r->boundary[j] == d;
        if (!is)
            s[k++] = d;
    }
    for (int64_t i = 0; i < ns; i++) {
        for (int64_t j = 0; j < ns; j++)
            Kss[i + j * ns] = K[s[i] + s[j] * n];
        for (int64_t j = 0; j < m; j++)
            P[i + j * ns] = -K[s[i] + r->boundary[j] * n];
    }
    real *again = real_new(ns * ns);
    memcpy(again, Kss, sizeof *again * (size_t)(ns * ns));
    ck_assert(real_solve(ns, again, m, P));
    for (int64_t j = 0; j < m; j++) {
        T[r->boundary[j] + j * n] = 1;
        for (int64_t i = 0; i < ns; i++)
            T[s[i] + j * n] = P[i + j * ns];
    }
    H = real_congruence(K, n, T, m);
    MR = real_congruence(M, n, T, m);
    ck_assert(real_solve(m, MR, m, H));
    real_product(0, n, m, n, M, T, MT);
    real_product(0, n, m, m, MT, H, Y);
    for (int64_t j = 0; j < m; j++)
        for (int64_t i = 0; i < ns; i++)
            P[i + j * ns] = Y[s[i] + j * n];
    ck_assert(real_solve(ns, Kss, m, P));
    for (int64_t j = 0; j < m; j++)
        for (int64_t i = 0; i < ns; i++)
            T[s[i] + j * n] += P[i + j * ns];
    real *all[] = {K, M, Kss, P, MT, H, MR, Y, again};
    for (size_t j = 0; j < sizeof all / sizeof *all; j++)
        free(all[j]);
    free(s);
    return T;
}

START_TEST(irs_is_the_dense_product)
{
    fb_model b;
    fb_reduction r = {0};
    full_any(&b, _i);
    fb_reduceopt o = {.order = -1, .modes = -1, .masters = "1:123,4:12,2:123,6:123"};
    reduce(&b, "irs", o, &r);
    real *T = irs(&b, &r), top = 0;
    ck_assert_int_eq(r.nr, 11);
    for (int64_t k = 0; k < b.ndof * r.nr; k++)
        top = fmaxl(top, fabsl(T[k]));
    for (int64_t k = 0; k < b.ndof * r.nr; k++)
        ck_assert_msg(fabsl(T[k] - r.T.x[k]) <= 1e-8L * top, "T(%d): %.12g, %.12Lg wanted", (int)k,
                      r.T.x[k], T[k]);
    real *K = dense(&b.K), *M = dense(&b.M), *Kr = real_congruence(K, b.ndof, T, r.nr),
         *Mr = real_congruence(M, b.ndof, T, r.nr);
    real big = 0, heavy = 0; /* some masters alone move the body rigidly: their K is round-off */
    for (int64_t k = 0; k < r.nr * r.nr; k++) {
        big = fmaxl(big, fabsl(Kr[k]));
        heavy = fmaxl(heavy, fabsl(Mr[k]));
    }
    for (int64_t k = 0; k < r.nr * r.nr; k++) {
        ck_assert(fabsl(Kr[k] - r.K[k]) <= 1e-10L * big);
        ck_assert(fabsl(Mr[k] - r.M[k]) <= 1e-8L * heavy); /* of a plate, statics hold to 1e-10 */
    }
    free(T);
    free(K);
    free(M);
    free(Kr);
    free(Mr);
    fb_reduction_free(&r);
    fb_model_free(&b);
}
END_TEST

/* A chain of springs between walls with every fourth mass a master: the lowest roots, in closed
 * form 4 k/m sin^2(j pi/2(n+1)), are nearer than Guyan's. */
START_TEST(irs_is_nearer_than_guyan)
{
    enum { N = 39 };
    fb_model b;
    test_model t = {0};
    fb_reduction g = {0}, r = {0};
    OK(test_chain(&t, N, 4e5, 1, 1, &e));
    full_body(&b, &t);
    fb_reduceopt o = {.order = -1, .modes = -1, .masters = "4,8,12,16,20,24,28,32,36"};
    reduce(&b, "guyan", o, &g);
    reduce(&b, "irs", o, &r);
    double *v = roots(&g), *w = roots(&r);
    for (int j = 0; j < 5; j++) {
        const double s = sin((j + 1) * 3.14159265358979323846 / (2 * (N + 1))), is = 1.6e6 * s * s;
        ck_assert_msg(w[j] > is * (1 - 1e-10) && w[j] - is < 0.1 * (v[j] - is),
                      "root %d: Guyan %.10g, IRS %.10g, right %.10g", j, v[j], w[j], is);
    }
    free(v);
    free(w);
    fb_reduction_free(&g);
    fb_reduction_free(&r);
    o.modes = 3;
    refused(&b, "irs", o, FB_EUSAGE, "--modes");
    fb_model_free(&b);
}
END_TEST

/* ---- free and mixed interfaces ----------------------------------------------------------- */

/* Statics at the boundary: the static answer to any load there is that of the full model, which is
 * Kii T_ib + Kib = 0; all free: rigid motion and as many modes as are kept are exact. */
START_TEST(free_modes_are_exact)
{
    enum { KEPT = 8 };
    fb_model b;
    fb_reduction r = {0}, c = {0};
    full_any(&b, _i);
    fb_eig q = modes(&b);
    fb_reduceopt o = order(NB + KEPT);
    reduce(&b, "cb", o, &c);
    o.free_boundary = interface;
    reduce(&b, "cb", o, &r);
    ck_assert_int_eq(r.nr, NB + KEPT);
    ck_assert_mem_eq(r.T.x, c.T.x, sizeof(double) * (size_t)(b.ndof * NB)); /* constraint modes */
    for (int64_t j = 0; j < NB; j++)
        for (int64_t i = 0; i < NB; i++)
            ck_assert(r.K[i + j * r.nr] == c.K[i + j * r.nr]);
    double *w = roots(&r), *v = roots(&c);
    for (int64_t k = 6; k < 6 + KEPT; k++) {
        ck_assert_msg(fabs(w[k] / q.lambda[k] - 1) < 1e-8, "root %d: %.12g, %.12g", (int)k, w[k],
                      q.lambda[k]);
        ck_assert(v[k] > w[k] * (1 + 1e-8)); /* fixed ones are farther off */
    }
    free(w);
    free(v);
    fb_eig_free(&q);
    fb_reduction_free(&r);
    fb_reduction_free(&c);
    fb_model_free(&b);
}
END_TEST

/* All modes kept is the whole body, whatever is free; what constraint modes hold is left out. */
START_TEST(all_free_modes_are_the_body)
{
    static const char *const list[] = {interface, "1:123", "6:2,1:3"};
    fb_model b;
    fb_reduction r = {0};
    full_any(&b, _i / 3);
    fb_eig q = modes(&b);
    fb_reduceopt o = order(b.ndof);
    o.free_boundary = list[_i % 3];
    reduce(&b, "cb", o, &r);
    ck_assert_int_eq(r.nr, b.ndof);
    double *w = roots(&r);
    for (int64_t k = 6; k < r.nr; k++)
        ck_assert_msg(fabs(w[k] / q.lambda[k] - 1) < 1e-7, "root %d: %.12g, %.12g", (int)k, w[k],
                      q.lambda[k]);
    free(w);
    fb_eig_free(&q);
    fb_reduction_free(&r);
    fb_model_free(&b);
}
END_TEST

/* Modes of the body whose other boundary dofs are held are exact once these are held. */
START_TEST(mixed_modes_are_exact)
{
    enum { KEPT = 5 };
    fb_model b;
    fb_reduction r = {0}, m = {0};
    full_any(&b, _i);
    fb_reduceopt o = order(NB + KEPT);
    o.free_boundary = "2:123";
    reduce(&b, "cb", o, &r);
    int64_t keep[3 + KEPT], n = 0;
    for (int64_t j = 0; j < r.nr; j++)
        if (j >= NB || b.dof_node[r.boundary[j]] == 2)
            keep[n++] = j;
    ck_assert_int_eq(n, 3 + KEPT);
    fb_mat K = {0}, M = {0}, V = {0};
    double w[3 + KEPT];
    OK(fb_mat_new(&K, n, n, &e));
    OK(fb_mat_new(&M, n, n, &e));
    for (int64_t j = 0; j < n; j++)
        for (int64_t i = 0; i < n; i++) {
            K.x[i + j * n] = r.K[keep[i] + keep[j] * r.nr];
            M.x[i + j * n] = r.M[keep[i] + keep[j] * r.nr];
        }
    OK(fb_eig_dense(&K, &M, w, &V, &e));
    for (int64_t d = 0; d < b.ndof; d++)
        if ((b.dof_node[d] == 1 || b.dof_node[d] == 6) && b.dof_component[d] <= 3)
            b.dof_class[d] = FB_DOF_FIXED;
    fb_reduceopt all = {.order = KEPT, .modes = -1};
    reduce(&b, "mdm", all, &m);
    for (int64_t k = 0; k < KEPT; k++)
        ck_assert_msg(fabs(w[k] - m.K[k * (KEPT + 1)]) < 1e-8 * m.K[KEPT * KEPT - 1],
                      "root %d: %.12g, %.12g", (int)k, w[k], m.K[k * (KEPT + 1)]);
    fb_mat_free(&K);
    fb_mat_free(&M);
    fb_mat_free(&V);
    fb_reduction_free(&r);
    fb_reduction_free(&m);
    fb_model_free(&b);
}
END_TEST

/* A body thrown: the boundary moves with rigid acceleration a, the interior hangs behind by x_i,
 * Kii x_i = -(Mii Psi + Mib) R_b a; the answer of T with --inertia-relief is exact, without it not.
 * And loads stand beside. */
START_TEST(inertia_relief_holds_the_thrown_body)
{
    fb_model b;
    fb_mat R = {0};
    fb_reduction thrown = {0}, hanging = {0}, *const r[] = {&thrown, &hanging};
    full_any(&b, _i);
    const int64_t n = b.ndof;
    fb_reduceopt o = order(NB + 4);
    o.free_boundary = interface;
    o.loads = _i % 2 ? "4:2" : NULL;
    reduce(&b, "cb", o, r[0]);
    o.inertia_relief = 1;
    reduce(&b, "cb", o, r[1]);
    ck_assert_int_eq(r[0]->nr, NB + 4 + _i % 2);
    ck_assert_int_eq(r[1]->nr, NB + 10 + _i % 2);
    for (int64_t k = 0; k < r[1]->nr; k++)
        ck_assert_int_eq(r[1]->kind[k], k < NB       ? FB_KIND_BOUNDARY
                                        : k < NB + 4 ? FB_KIND_NORMAL
                                                     : FB_KIND_ATTACHMENT);
    OK(fb_model_rigid(&b, &R, &e));
    real *K = dense(&b.K), *M = dense(&b.M), *X = real_new(n * 6), *RR = real_of(R.x, n * 6);
    real_product(0, n, 6, n, M, RR, X);
    for (int64_t k = 0; k < NB; k++) { /* the boundary held */
        const int64_t d = r[0]->boundary[k];
        for (int64_t j = 0; j < n; j++)
            K[d + j * n] = K[j + d * n] = 0;
        K[d * (n + 1)] = 1;
        for (int c = 0; c < 6; c++)
            X[d + c * n] = 0;
    }
    real *F = real_new(n * 6);
    memcpy(F, X, sizeof *F * (size_t)(n * 6));
    ck_assert(real_solve(n, K, 6, X));
    for (int a = 0; a < 2; a++) {
        const int64_t m = r[a]->nr - NB;
        real *T = real_of(r[a]->T.x + NB * n, n * m), *g = real_new(m * 6);
        real_product(1, m, 6, n, T, F, g);
        real worst = 0;
        for (int c = 0; c < 6; c++) { /* energies F'K^-1F and g' w2^-1 g */
            real is = 0, has = 0;
            for (int64_t d = 0; d < n; d++)
                is += F[d + c * n] * X[d + c * n];
            for (int64_t k = 0; k < m; k++)
                has += g[k + c * m] * g[k + c * m] / r[a]->K[(NB + k) * (r[a]->nr + 1)];
            worst = fmaxl(worst, 1 - has / is);
        }
        ck_assert_msg(a ? fabsl(worst) < 1e-8L : worst > 1e-4L, "%d: off by %.3Lg", a, worst);
        free(T);
        free(g);
    }
    free(K);
    free(M);
    free(X);
    free(F);
    free(RR);
    fb_mat_free(&R);
    fb_reduction_free(r[0]);
    fb_reduction_free(r[1]);
    fb_model_free(&b);
}
END_TEST

START_TEST(free_boundary_refusals)
{
    fb_model b;
    full_any(&b, 1);
    fb_reduceopt o = order(NB + 4);
    o.inertia_relief = 1;
    refused(&b, "cb", o, FB_EUSAGE, "--free-boundary");
    o.free_boundary = "1:123,4:1,5:1";
    refused(&b, "cb", o, FB_EUSAGE, "dof 4.1 is no boundary dof");
    o.free_boundary = "4711";
    refused(&b, "cb", o, FB_EUSAGE, "4711");
    fb_model_free(&b);
}
END_TEST

/* ---- bodies held by modes ---------------------------------------------------------------- */

/* Held by all of its modes a body is the body: methods say the same of both. */
START_TEST(bodies_held_by_modes)
{
    fb_model f;
    char at[80];
    full_any(&f, _i);
    fb_eig q = modes(&f);
    fb_reduceopt o = order(NB + 8);
    o.free_boundary = interface;
    alike(&f, "cb", o, 1e-6);
    o.inertia_relief = 1;
    alike(&f, "cb", o, 1e-6);
    o.inertia_relief = 0;
    o.free_boundary = "2:123";
    alike(&f, "cb", o, 1e-6);
    o.order = -1; /* as many as there are up to a frequency */
    o.free_boundary = interface;
    o.fmax = 1.0001 * sqrt(q.lambda[12]) / 6.2831853;
    alike(&f, "cb", o, 1e-6);
    o = order(NB + 2 * NB);
    snprintf(at, sizeof at, "%.17g,%.17g", sqrt(0.3 * q.lambda[6]) / 6.2831853,
             sqrt(1.5 * q.lambda[6]) / 6.2831853);
    o.at = at;
    alike(&f, "krylov", o, 1e-6);
    o = (fb_reduceopt){.order = -1, .modes = -1, .masters = interface};
    alike(&f, "irs", o, 1e-6);
    fb_eig_free(&q);
    fb_model_free(&f);
}
END_TEST

START_TEST(modal_refusals)
{
    fb_model f, b;
    fb_reduction r = {0};
    fb_log log = {0};
    char at[40];
    full_any(&f, 1);
    held_by_modes(&f, &b);
    fb_reduceopt o = order(NB + 6);
    o.at = "0";
    refused(&b, "krylov", o, FB_EUSAGE, "--at 1");
    OK(fb_method_modal(fb_method_find("cb"), &b, &o, &r, &log, &e));
    snprintf(at, sizeof at, "%.17g", sqrt(r.K[(NB + 1) * (r.nr + 1)]) / 6.283185307179586477);
    o.at = at;
    refused(&b, "krylov", o, FB_ESOLVE, "natural frequency of the body with its boundary held");
    o.at = NULL;
    o.free_boundary = "4:1";
    refused(&b, "cb", o, FB_EUSAGE, "dof 4.1 is no boundary dof");
    fb_log_free(&log);
    fb_reduction_free(&r);
    fb_model_free(&b);
    fb_model_free(&f);
}
END_TEST

/* ---- a basis of one's own ---------------------------------------------------------------- */

/* The columns of Craig and Bampton's T as a basis, with one of two others and one without mass
 * behind them: the same body, and what is dropped is named. */
START_TEST(a_basis_is_projected)
{
    fb_model b;
    fb_reduction c = {0}, r = {0};
    fb_log log = {0};
    full_any(&b, _i);
    const int64_t n = b.ndof, m = NB + 6;
    fb_reduceopt o = order(m);
    reduce(&b, "cb", o, &c);
    b.nbasis = m + 2;
    OK(fb_new(&b.basis, n * b.nbasis, sizeof(double), "", &e));
    for (int64_t d = 0; d < n; d++) {
        for (int64_t k = 0; k < m; k++)
            b.basis[d + (k + (k > 3)) * n] = c.T.x[d + k * n];
        b.basis[d + 4 * n] = 2 * c.T.x[d] - c.T.x[d + 3 * n]; /* shape 5 */
    }
    o = (fb_reduceopt){.order = -1, .modes = -1};
    OK(fb_method_full(fb_method_find("basis"), &b, &o, &r, &log, &e));
    ck_assert_int_eq(log.nwarning, 2);
    ck_assert_str_eq(log.warning[0], "1 of the 17 shapes depends on those before; dropped: 5");
    ck_assert_str_eq(log.warning[1], "1 of the 17 shapes moves no mass; dropped: 17");
    ck_assert_int_eq(r.nr, m);
    ck_assert_int_eq(r.nb, 0);
    ck_assert_mem_eq(r.T.x, c.T.x, sizeof(double) * (size_t)(n * m));
    double big = 0; /* some dofs alone move the body rigidly: their K is round-off */
    for (int64_t k = 0; k < m * m; k++)
        big = fmax(big, fabs(c.K[k]));
    for (int64_t k = 0; k < m * m; k++) {
        ck_assert(fabs(r.K[k] - c.K[k]) <= 1e-10 * big);
        ck_assert(fabs(r.M[k] - c.M[k]) <=
                  1e-10 * sqrt(c.M[k % m * (m + 1)] * c.M[k / m * (m + 1)]));
    }
    fb_log_free(&log);
    fb_reduction_free(&r);
    o.order = 4;
    reduce(&b, "basis", o, &r);
    ck_assert_int_eq(r.nr, 4);
    fb_reduction_free(&r);
    fb_reduction_free(&c);
    fb_model_free(&b);
}
END_TEST

START_TEST(basis_refusals)
{
    fb_model b, m;
    fb_log log = {0};
    fb_reduction r = {0};
    full_any(&b, 1);
    held_by_modes(&b, &m);
    fb_reduceopt o = {.order = -1, .modes = -1};
    refused(&b, "basis", o, FB_EUSAGE, "mnfparse ... --basis FILE");
    refused(&m, "basis", o, FB_EUSAGE, "held by modes");
    b.nbasis = 2;
    OK(fb_new(&b.basis, 2 * b.ndof, sizeof(double), "", &e));
    o.order = 3;
    refused(&b, "basis", o, FB_EUSAGE, "the basis has 2 shapes");
    o.order = -1;
    o.modes = 1;
    refused(&b, "basis", o, FB_EUSAGE, "--modes");
    o.modes = -1;
    o.loads = "4:1";
    refused(&b, "basis", o, FB_EUSAGE, "--loads");
    b.basis[0] = b.basis[b.ndof + 1] = 1;
    b.dof_class[0] = FB_DOF_FIXED; /* and its node moves in the first shape alone */
    o.loads = NULL;
    OK(fb_method_full(fb_method_find("basis"), &b, &o, &r, &log, &e));
    ck_assert_int_eq(r.nr, 1);
    ck_assert_int_eq(log.nwarning, 2);
    ck_assert_msg(strstr(log.warning[0], "moves 1 dofs that stay at zero"), "%s", log.warning[0]);
    fb_log_free(&log);
    fb_reduction_free(&r);
    fb_model_free(&m);
    fb_model_free(&b);
}
END_TEST

/* ---- memory ------------------------------------------------------------------------------ */

START_TEST(every_allocation_may_fail)
{
    static const struct {
        const char *method, *at, *free_boundary;
        int relief;
    } of[] = {{"cb", NULL, "1,9", 1},
              {"cb", NULL, "9", 0},
              {"krylov", "2,5", NULL, 0},
              {"irs", NULL, NULL, 0},
              {"basis", NULL, NULL, 0}};
    fb_model b;
    test_model t = {0};
    fb_reduction r = {0};
    fb_status s;
    long fails;
    OK(test_chain(&t, 9, 250, 0.5, 0, &e));
    full_body(&b, &t);
    fb_reduceopt o = {.order = of[_i].at ? 8 : 4,
                      .modes = -1,
                      .interface = "1,9",
                      .loads = "5",
                      .no_sturm = 1,
                      .at = of[_i].at,
                      .free_boundary = of[_i].free_boundary,
                      .inertia_relief = of[_i].relief};
    if (!strcmp(of[_i].method, "basis")) {
        o.loads = o.interface = NULL;
        b.nbasis = 4;
        OK(fb_new(&b.basis, 4 * 9, sizeof(double), "", &e));
        for (int k = 0; k < 4; k++)
            b.basis[9 * k + 2 * k] = b.basis[9 * k + k] = 1;
    }
    EVERY_ALLOCATION_FAILS_ONCE(s, fails, {
        fb_log log = {0};
        s = fb_method_full(fb_method_find(of[_i].method), &b, &o, &r, &log, &e);
        fb_log_free(&log);
    });
    ck_assert_int_ge(fails, 20);
    fb_reduction_free(&r);
    fb_model_free(&b);
}
END_TEST

Suite *suite_bases(void)
{
    Suite *s = suite_create("bases");
    TCase *t = tcase_create("laws");
    tcase_set_timeout(t, 120);
    tcase_add_loop_test(t, moments_at_the_shifts, 0, 4 * NSHIFTING);
    tcase_add_loop_test(t, moments_at_zero, 0, 3);
    tcase_add_loop_test(t, krylov_ends_in_the_body, 0, 3);
    tcase_add_loop_test(t, krylov_goes_on_at_a_near_shift, 0, 3);
    tcase_add_loop_test(t, krylov_refusals, 0, 3);
    tcase_add_test(t, krylov_says_what_a_shift_lacks);
    tcase_add_loop_test(t, irs_is_the_dense_product, 0, 6);
    tcase_add_test(t, irs_is_nearer_than_guyan);
    tcase_add_loop_test(t, free_modes_are_exact, 0, 6);
    tcase_add_loop_test(t, all_free_modes_are_the_body, 0, 9);
    tcase_add_loop_test(t, mixed_modes_are_exact, 0, 6);
    tcase_add_loop_test(t, inertia_relief_holds_the_thrown_body, 0, 6);
    tcase_add_test(t, free_boundary_refusals);
    tcase_add_loop_test(t, bodies_held_by_modes, 0, 6);
    tcase_add_test(t, modal_refusals);
    tcase_add_loop_test(t, a_basis_is_projected, 0, 6);
    tcase_add_test(t, basis_refusals);
    tcase_add_loop_test(t, every_allocation_may_fail, 0, 5);
    suite_add_tcase(s, t);
    return s;
}
