/* SPDX-License-Identifier: GPL-3.0-or-later */
/* test_oracle_modal.c - reductions of bodies held by modes against long double: modes of bodies of
 * any kind (tests/model/any.h), in their own or in mixed coordinates, with dependent modes, with
 * boundary rows that nearly depend.
 *
 * Symbols  w2, Phi modes of the body, x = Phi G q: Kq = G'diag(w2)G, Mq = G'G; B rows of Phi at the
 *          boundary, scaled to unit length; s their lowest singular value in shares of the largest
 *   (OM.1) Kr, Mr = V'KqV, V'MqV, entry ij to 1e-8 of sqrt(S_ii S_jj), S = |V|'|A||V|, and to
 *          round-off of V, 1e-12 (1e-11 with a soft part) or 1e-15/s, times the largest root
 *   (OM.2) unit displacement at one boundary dof, none at the others: B V = [1 0] to 1e-11/s^2, in
 *          units of the rows' lengths
 *   (OM.3) the body's rigid modes are exactly 0 Hz; roots of (Kr, Mr): w2 where all modes are kept,
 *          the lowest by mdm and lsmr, else none below the body's of its number: to 1e-4 without a
 *          warning. A pair in double precision has the condition of its basis squared: eps/s^2 of
 *          the largest root is what a warning may stand for
 *   (OM.4) a refusal is right where eps/s^2 times the ratio of highest to lowest w2 is above 1e-8,
 *          a part is 1e6 times softer, and for lsmr where that of the modes at the masters is, or
 *          where a master is at rest: its row is round-off of the others
 * Seeds as in test_oracle.c.
 */
#include "reduce/modal.h"
#include "tests/model/any.h"
#include "tests/model/body.h"
#include "tests/suites.h"
#include <float.h>
#include <math.h>

enum { SEEDS = 100 };

typedef struct {
    fb_model b;
    int64_t m, n;    /* independent modes, and those of the file: m or m + 1 */
    real *w2, *G;    /* [m], [m x n] */
    real *Kq, *Mq;   /* [n,n], of the file's doubles */
    real *B, s, top; /* [nb x m] in the body's own modes */
    int64_t nb, nrigid;
    int weak;
    char boundary[600], what[300];
} modal;

static uint64_t number(const char *name, uint64_t otherwise)
{
    const char *text = getenv(name);
    return text ? strtoull(text, NULL, 10) : otherwise;
}

static void *get(int64_t n)
{
    void *p = fb_alloc((size_t)(n > 0 ? n : 1), 8);
    if (!p)
        abort();
    return p;
}

/* The m lowest modes of the free dofs, x [dofs of /dofs, m]; 0: not a body for this test. */
static int modes(any_body *a, uint64_t *s, modal *t, real **Phi)
{
    int64_t N = a->b.ndof, *at = calloc((size_t)N, sizeof *at), n = any_free_dofs(a, at), count,
            most;
    real *K = real_new(n * n), *M = real_new(n * n), *X, *w;
    for (int64_t j = 0; j < n; j++)
        for (int64_t i = 0; i < n; i++) {
            K[i + j * n] = a->K[at[i] + at[j] * N];
            M[i + j * n] = a->M[at[i] + at[j] * N];
        }
    count = real_pencil(n, K, M, &w, &X);
    most = 6 + (int64_t)(20 * (random_real(s) + 1));
    t->m = count < most ? count : most;
    *Phi = real_new(N * (t->m > 0 ? t->m : 1));
    t->w2 = real_new(t->m > 0 ? t->m : 1);
    for (int64_t k = 0; k < t->m; k++) {
        real size = 0;
        for (int64_t q = 0; q < n; q++) {
            (*Phi)[at[q] + k * N] = X[q + k * n];
            for (int64_t p = 0; p < n; p++)
                size += fabsl(X[q + k * n] * K[q + p * n] * X[p + k * n]);
        }
        t->w2[k] = fabsl(w[k]) < 1e-12L * size ? 0 : w[k];
        t->nrigid += t->w2[k] == 0;
    }
    free(at);
    free(K);
    free(M);
    free(X);
    free(w);
    return t->m >= 5 && t->m > t->nrigid;
}

/* Boundary dofs, and rows of them that nearly depend on one before. */
static void boundary(any_body *a, uint64_t *s, modal *t, real *Phi)
{
    int64_t N = a->b.ndof, last = -1;
    t->boundary[0] = 0;
    t->nb = 0;
    for (int64_t d = 0, left = t->m / 2; d < N && left > 0; d++) {
        real row = 0;
        char one[40];
        for (int64_t k = 0; k < t->m; k++)
            row = fmaxl(row, fabsl(Phi[d + k * N]));
        if (random_real(s) > -0.4 || row == 0)
            continue;
        snprintf(one, sizeof one, "%s%lld:%lld", t->nb ? "," : "", (long long)a->b.dof_node[d],
                 (long long)a->b.dof_component[d]);
        if (strlen(t->boundary) + sizeof one > sizeof t->boundary)
            break;
        strcat(t->boundary, one);
        if (last >= 0 && random_real(s) > 0.9) { /* nearly the row before */
            real delta = powl(10, -1 - 5 * (random_real(s) + 1));
            for (int64_t k = 0; k < t->m; k++)
                Phi[d + k * N] = Phi[last + k * N] + delta * Phi[d + k * N];
        }
        last = d;
        t->nb++;
        left--;
    }
}

/* s, and the rows of the boundary in the order named. */
static void rows(any_body *a, modal *t, const real *Phi)
{
    int64_t N = a->b.ndof, nb = 0, *dof = NULL;
    fb_log log = {0};
    fb_err e;
    ck_assert_msg(fb_dofset(&a->b, "", t->boundary, &dof, &nb, &log, &e) == FB_OK, "%s", e.msg);
    t->B = real_new(nb * t->m);
    real *D = real_new(nb * t->m), *DD = real_new(nb * nb), *w = real_new(nb);
    for (int64_t r = 0; r < nb; r++) {
        real norm = 0;
        for (int64_t k = 0; k < t->m; k++) {
            t->B[r + k * nb] = Phi[dof[r] + k * N];
            norm += t->B[r + k * nb] * t->B[r + k * nb];
        }
        for (int64_t k = 0; k < t->m; k++)
            D[k + r * t->m] = t->B[r + k * nb] / sqrtl(norm);
    }
    real_product(1, nb, nb, t->m, D, D, DD);
    real_eigen(nb, DD, w);
    t->s = sqrtl(fmaxl(w[0], 0) / w[nb - 1]);
    t->nb = nb;
    free(dof);
    free(D);
    free(DD);
    free(w);
}

/* Coordinates of the file: the modes, a mixture of them, one mode more that depends on the others.
 * */
static void mix(uint64_t *s, modal *t)
{
    int mixed = random_real(s) > 0, extra = random_real(s) > 0.7;
    t->n = t->m + extra;
    t->G = real_new(t->m * t->n);
    for (int64_t j = 0; j < t->n; j++)
        for (int64_t i = 0; i < t->m; i++)
            t->G[i + j * t->m] = (i == j) + (mixed || j >= t->m ? random_real(s) / 4 : 0);
}

static void modal_new(modal *t, uint64_t seed)
{
    uint64_t s = seed * 7919 + 3;
    any_body a;
    real *Phi = NULL, *KG, *D;
    fb_err e;
    *t = (modal){0};
    any_make(&a, seed);
    t->weak = a.weak;
    snprintf(t->what, sizeof t->what, "seed %llu, modes of a %s", (unsigned long long)seed, a.what);
    if (!modes(&a, &s, t, &Phi))
        t->m = 0;
    else
        boundary(&a, &s, t, Phi);
    if (t->m && t->nb) {
        rows(&a, t, Phi);
        mix(&s, t);
        int64_t n = t->n, m = t->m, N = a.b.ndof;
        fb_model *b = &t->b;
        *b = (fb_model){.nn = a.b.nn, .nm = n, .nr = n, .units = a.b.units};
        b->node_id = get(b->nn);
        b->xyz = get(3 * b->nn);
        memcpy(b->node_id, a.b.node_id, 8 * (size_t)b->nn);
        memcpy(b->xyz, a.b.xyz, 24 * (size_t)b->nn);
        ck_assert_msg(fb_model_nodal_dofs(b, &e) == FB_OK, "%s", e.msg);
        b->shape = get(n * b->ndof);
        real *X = real_new(N * n);
        real_product(0, N, n, m, Phi, t->G, X);
        for (int64_t d = 0; d < N; d++)
            for (int64_t p = 0; p < b->nn; p++)
                for (int64_t k = 0; k < n && b->node_id[p] == a.b.dof_node[d]; k++)
                    b->shape[6 * p + a.b.dof_component[d] - 1 + k * b->ndof] = (double)X[d + k * N];
        D = real_new(m * n);
        for (int64_t k = 0; k < m * n; k++)
            D[k] = t->w2[k % m] * t->G[k];
        KG = real_new(n * n);
        b->Kr = get(n * n);
        b->Mr = get(n * n);
        b->kind = get(n);
        real_product(1, n, n, m, t->G, D, KG);
        for (int64_t k = 0; k < n * n; k++)
            b->Kr[k] = (double)((KG[k] + KG[k % n * n + k / n]) / 2);
        real_product(1, n, n, m, t->G, t->G, KG);
        for (int64_t k = 0; k < n * n; k++)
            b->Mr[k] = (double)((KG[k] + KG[k % n * n + k / n]) / 2);
        t->Kq = real_of(b->Kr, n * n);
        t->Mq = real_of(b->Mr, n * n);
        snprintf(t->what + strlen(t->what), sizeof t->what - strlen(t->what),
                 "; %d modes, %d of them independent, %d boundary dofs, "
                 "s = %.1Le",
                 (int)n, (int)m, (int)t->nb, t->s);
        free(X);
        free(D);
        free(KG);
    }
    free(Phi);
    any_free(&a);
}

static void modal_free(modal *t)
{
    fb_model_free(&t->b);
    free(t->w2);
    free(t->G);
    free(t->Kq);
    free(t->Mq);
    free(t->B);
}

/* (OM.1): V [n x nr] in the file's coordinates */
static void congruence(const modal *t, const char *what, const real *A, const real *V, int64_t nr,
                       const double *Ar)
{
    int64_t n = t->n;
    real *want = real_congruence(A, n, V, nr), *abs = real_new(n * n), *Vabs = real_new(n * nr), *S,
         *SM;
    const real largest = fmaxl(fabsl(t->w2[0]), fabsl(t->w2[t->m - 1])),
               top = fmaxl(t->weak ? 1e-11L : 1e-12L, 1e-15L / t->s) * (A == t->Kq ? largest : 1);
    for (int64_t k = 0; k < n * n; k++)
        abs[k] = fabsl(A[k]);
    for (int64_t k = 0; k < n * nr; k++)
        Vabs[k] = fabsl(V[k]);
    S = real_congruence(abs, n, Vabs, nr);
    for (int64_t k = 0; k < n * n; k++)
        abs[k] = fabsl(t->Mq[k]);
    SM = real_congruence(abs, n, Vabs, nr);
    for (int64_t i = 0; i < nr; i++)
        for (int64_t j = 0; j < nr; j++)
            ck_assert_msg(fabsl(Ar[i * nr + j] - want[i + j * nr]) <=
                              1e-8L * sqrtl(S[i + i * nr]) * sqrtl(S[j + j * nr]) +
                                  top * sqrtl(SM[i + i * nr]) * sqrtl(SM[j + j * nr]),
                          "%s, %s: entry %d %d is %g, %Lg wanted", t->what, what, (int)i, (int)j,
                          Ar[i * nr + j], want[i + j * nr]);
    free(want);
    free(abs);
    free(Vabs);
    free(S);
    free(SM);
}

/* One over the lowest singular value of the p lowest modes at the boundary, rows of B at unit
 * length: doubles hold the rows to eps of that length, the modes in them to so many times more. */
static real condition(const modal *t, int64_t p)
{
    real *C = real_new(t->nb * p), *CC = real_new(p * p), *w = real_new(p), c;
    for (int64_t r = 0; r < t->nb; r++) {
        real norm = 0;
        for (int64_t k = 0; k < t->m; k++)
            norm += t->B[r + k * t->nb] * t->B[r + k * t->nb];
        for (int64_t k = 0; k < p; k++)
            C[r + k * t->nb] = t->B[r + k * t->nb] / sqrtl(norm);
    }
    real_product(1, p, p, t->nb, C, C, CC);
    real_eigen(p, CC, w);
    c = w[0] > 0 ? 1 / sqrtl(w[0]) : INFINITY;
    free(C);
    free(CC);
    free(w);
    return c;
}

/* 1: a boundary dof moves less than round-off of another, whatever the units of the two. */
static int at_rest(const modal *t)
{
    real least = INFINITY, most = 0;
    for (int64_t r = 0; r < t->nb; r++) {
        real square = 0;
        for (int64_t k = 0; k < t->m; k++)
            square += t->B[r + k * t->nb] * t->B[r + k * t->nb];
        least = fminl(least, square);
        most = fmaxl(most, square);
    }
    return sqrtl(least) < 1e-16L * sqrtl(most);
}

/* (OM.2) */
static void unit_rows(const modal *t, const char *what, const real *V, int64_t nr)
{
    const real s = strcmp(what, "lsmr") ? t->s : 1 / condition(t, t->nb);
    real *GV = real_new(t->m * nr), *BV = real_new(t->nb * nr), *norm = real_new(t->nb);
    for (int64_t i = 0; i < t->nb; i++) {
        for (int64_t k = 0; k < t->m; k++)
            norm[i] += t->B[i + k * t->nb] * t->B[i + k * t->nb];
        norm[i] = sqrtl(norm[i]);
    }
    real_product(0, t->m, nr, t->n, t->G, V, GV);
    real_product(0, t->nb, nr, t->m, t->B, GV, BV);
    for (int64_t i = 0; i < t->nb; i++)
        for (int64_t j = 0; j < t->nb; j++)
            ck_assert_msg(fabsl(BV[i + j * t->nb] - (i == j)) * norm[j] <=
                              1e-11L / (s * s) * norm[i],
                          "%s, %s: row %d of the boundary, vector %d: %Lg", t->what, what, (int)i,
                          (int)j, BV[i + j * t->nb]);
    free(GV);
    free(BV);
    free(norm);
}

/* (OM.3) */
static void spectrum(const modal *t, const char *what, const fb_reduction *r, int64_t exact,
                     int warned)
{
    const int lsmr = !strcmp(what, "lsmr");
    const real s = lsmr ? 1 / condition(t, t->nb) : 1;
    real *K = real_of(r->K, r->nr * r->nr), *M = real_of(r->M, r->nr * r->nr), *w = NULL, *X = NULL;
    const real top = fmaxl(fabsl(t->w2[0]), fabsl(t->w2[t->m - 1]));
    int64_t n = real_pencil(r->nr, K, M, &w, &X);
    ck_assert_msg(warned || n == r->nr, "%s, %s: Mr is not definite", t->what, what);
    ck_assert_msg(r->nr <= t->m, "%s, %s: %d coordinates of %d independent modes", t->what, what,
                  (int)r->nr, (int)t->m);
    for (int64_t k = 0; !warned && k < n; k++) {
        real want = t->w2[k],
             tol = 1e-4L * fabsl(want) + 1e-12L * top / (lsmr ? powl(s, 2) : t->s * t->s);
        ck_assert_msg(w[k] > want - tol, "%s, %s: root %d is %.10Lg, below %.10Lg", t->what, what,
                      (int)k + 1, w[k], want);
        ck_assert_msg(k >= exact || w[k] < want + tol, "%s, %s: root %d is %.10Lg, %.10Lg wanted",
                      t->what, what, (int)k + 1, w[k], want);
    }
    free(K);
    free(M);
    free(w);
    free(X);
}

static void one(const modal *t, const char *method, fb_reduceopt o, int64_t exact)
{
    fb_model b = t->b;
    fb_reduction r = {0};
    fb_mat N = {0};
    fb_log log = {0};
    fb_err e = {0};
    fb_status s = FB_OK;
    const real loss = DBL_EPSILON / (t->s * t->s) *
                      fabsl(t->w2[t->m - 1] / t->w2[t->nrigid < t->m ? t->nrigid : 0]);
    const int lsmr = !strcmp(method, "lsmr"), mdm = !strcmp(method, "mdm");
    b.shape = get(t->n * b.ndof); /* fb_modal_own replaces these */
    b.Kr = get(t->n * t->n);
    b.Mr = get(t->n * t->n);
    memcpy(b.shape, t->b.shape, 8 * (size_t)(t->n * b.ndof));
    memcpy(b.Kr, t->b.Kr, 8 * (size_t)(t->n * t->n));
    memcpy(b.Mr, t->b.Mr, 8 * (size_t)(t->n * t->n));
    ck_assert_msg(fb_modal_own(&b, &N, &log, &e) == FB_OK, "%s: %s", t->what, e.msg);
    ck_assert_msg(b.nm == t->m, "%s: %d independent modes, %d wanted", t->what, (int)b.nm,
                  (int)t->m);
    ck_assert_int_eq(log.nwarning, t->n - t->m);
    fb_log_free(&log);
    s = fb_method_find(method)->modal(&b, &o, &r, &log, &e);
    if (!s)
        s = fb_modal_prove(&b, &r, &log, &e);
    if (s) {
        ck_assert_msg(
            (!mdm && (t->weak || loss > 1e-8L)) ||
                (lsmr && (DBL_EPSILON * powl(condition(t, t->nb), 2) > 1e-8L || at_rest(t))) ||
                (!strcmp(method, "imr") && o.order <= t->nrigid + t->nb),
            "%s, %s: %s", t->what, method, e.msg);
    } else {
        real *Nr = real_of(N.x, t->n * t->m), *W = real_of(r.V.x, r.V.m * r.V.n),
             *V = real_new(t->n * r.nr);
        real_product(0, t->n, r.nr, t->m, Nr, W, V);
        congruence(t, method, t->Kq, V, r.nr, r.K);
        congruence(t, method, t->Mq, V, r.nr, r.M);
        int warned = 0;
        for (int64_t k = 0; k < log.nwarning; k++)
            warned = warned || strstr(log.warning[k], "condition") != NULL;
        if (!mdm && !warned)
            unit_rows(t, method, V, r.nr);
        ck_assert_msg(!warned || loss > 1e-12L || lsmr, "%s, %s: cries wolf", t->what, method);
        spectrum(t, method, &r, exact, warned);
        free(Nr);
        free(W);
        free(V);
    }
    fb_mat_free(&N);
    fb_log_free(&log);
    fb_reduction_free(&r);
    free(b.shape);
    free(b.Kr);
    free(b.Mr);
}

START_TEST(modes_of_a_body_of_any_kind)
{
    uint64_t seed = number("ORACLE_SEED", 0) + (uint64_t)_i;
    modal t;
    modal_new(&t, seed);
    if (t.m && t.nb) {
        fb_reduceopt o = {.order = t.nb + (t.m - t.nb) / 2, .modes = -1, .interface = t.boundary};
        one(&t, "cb", o, 0);
        one(&t, "imr", o, 0);
        o.order = t.m;
        one(&t, "cb", o, t.m);
        o.order = t.nb;
        o.masters = t.boundary;
        one(&t, "guyan", o, 0);
        one(&t, "lsmr", o, t.nb);
        one(&t, "mdm", (fb_reduceopt){.order = 1 + t.m / 2, .modes = -1}, 1 + t.m / 2);
    }
    modal_free(&t);
}
END_TEST

Suite *suite_oracle_modal(void)
{
    Suite *s = suite_create("oracle_modal");
    TCase *t = tcase_create("modal");
    tcase_set_timeout(t, 300);
    tcase_add_loop_test(t, modes_of_a_body_of_any_kind, 0, (int)number("ORACLE_COUNT", SEEDS));
    suite_add_tcase(s, t);
    return s;
}
