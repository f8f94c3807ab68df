/* SPDX-License-Identifier: GPL-3.0-or-later */
/* test_factor.c - sparse factors, orders, inertia, and the BLAS they run on. */
#include "tests/model/model.h"
#include "tests/suites.h"
#include <math.h>
#include <signal.h>
#include <sys/resource.h>
#include <unistd.h>

#define OK(call) ck_assert_msg((call) == FB_OK, "%s", e.msg)

static fb_err e;

static void small_solid(test_model *t, int nodes)
{
    OK(test_solid(t, (int64_t[]){3, 2, 2}, (double[]){0.3, 0.1, 0.08}, nodes, &e));
}

static void pattern(fb_mat *X)
{
    for (int64_t k = 0; k < X->m * X->n; k++)
        X->x[k] = sin(1.7 * (double)k) + 0.1;
}

static double largest_difference(const fb_mat *A, const fb_mat *B)
{
    double d = 0;
    ck_assert_int_eq(A->m * A->n, B->m * B->n);
    for (int64_t k = 0; k < A->m * A->n; k++)
        d = fmax(d, fabs(A->x[k] - B->x[k]));
    return d / fb_mat_max(B);
}

/* S = K - sigma M as a dense matrix */
static fb_mat dense(const fb_csc *K, const fb_csc *M, double sigma)
{
    fb_mat S = {0};
    OK(fb_mat_new(&S, K->n, K->n, &e));
    for (int64_t j = 0; j < K->n; j++)
        for (int pass = 0; pass < (M ? 2 : 1); pass++) {
            const fb_csc *A = pass ? M : K;
            for (int64_t q = A->p[j]; q < A->p[j + 1]; q++) {
                double x = pass ? -sigma * A->x[q] : A->x[q];
                S.x[A->i[q] + j * K->n] += x;
                if (A->i[q] != j)
                    S.x[j + A->i[q] * K->n] += x;
            }
        }
    return S;
}

/* More right-hand sides than one call of CHOLMOD takes; against dense Cholesky. */
START_TEST(solve_agrees_with_dense)
{
    test_model t = {0};
    fb_factor *F = NULL;
    fb_mat X = {0}, Y = {0}, Z = {0};
    small_solid(&t, 20);
    OK(fb_mat_new(&X, t.K.n, 70, &e));
    OK(fb_mat_new(&Y, t.K.n, 70, &e));
    OK(fb_mat_new(&Z, t.K.n, 70, &e));
    pattern(&X);
    pattern(&Y);
    pattern(&Z);
    fb_mat S = dense(&t.K, &t.M, -1e8);
    OK(fb_factor_spd(&F, &t.K, &t.M, -1e8, &(fb_factor_opts){.node = t.node}, NULL, &e));
    OK(fb_factor_solve(F, &X, &e));
    OK(fb_solve_spd(&S, &Y, "S", &e));
    ck_assert_double_lt(largest_difference(&X, &Y), 1e-9);
    OK(fb_factor_forward(F, &Z, &e));
    OK(fb_factor_backward(F, &Z, &e));
    ck_assert_double_lt(largest_difference(&Z, &X), 1e-12);
    ck_assert_int_eq(fb_factor_inertia(F).negative, 0);
    fb_factor_free(F);
    fb_mat_free(&S);
    fb_mat_free(&X);
    fb_mat_free(&Y);
    fb_mat_free(&Z);
    test_model_free(&t);
}
END_TEST

/* The phases one by one, the same analysis for two shifts. */
START_TEST(phases)
{
    test_model t = {0};
    fb_factor *F = NULL;
    fb_mat X = {0}, Y = {0};
    small_solid(&t, 8);
    OK(fb_mat_new(&X, t.K.n, 1, &e));
    OK(fb_mat_new(&Y, t.K.n, 1, &e));
    OK(fb_factor_analyse(&F, &t.K, &t.M, &(fb_factor_opts){.memory = 2}, &e));
    ck_assert_double_eq(fb_factor_forecast(F).limit, 2);
    fb_factor_free(F);
    F = NULL;
    OK(fb_factor_analyse(&F, &t.K, &t.M, &(fb_factor_opts){0}, &e));
    fb_forecast f = fb_factor_forecast(F);
    ck_assert_double_gt(f.limit, 0.001); /* what the machine has */
    ck_assert_double_gt(f.nnz, (double)t.K.p[t.K.n]);
    ck_assert_double_gt(f.gib * 1024 * 1024 * 1024, 8 * f.nnz);
    ck_assert_double_gt(f.flops, f.nnz);
    for (double sigma = -1e7; sigma > -1e9; sigma *= 10) {
        pattern(&Y);
        memset(X.x, 0, sizeof(double) * (size_t)X.m);
        fb_csc_mul(&t.K, Y.x, Y.m, X.x, X.m, 1);
        for (int64_t k = 0; k < Y.m; k++)
            Y.x[k] *= -sigma;
        fb_csc_mul(&t.M, Y.x, Y.m, X.x, X.m, 1);
        OK(fb_factor_numeric(F, &t.K, &t.M, sigma, NULL, &e));
        OK(fb_factor_solve(F, &X, &e));
        pattern(&Y);
        ck_assert_double_lt(largest_difference(&X, &Y), 1e-7);
    }
    fb_factor_free(F);
    fb_mat_free(&X);
    fb_mat_free(&Y);
    test_model_free(&t);
}
END_TEST

/* The graph of a square grid of m by m nodes, each beside four. */
static void grid(int64_t m, fb_csc *A)
{
    int64_t *i = malloc(sizeof *i * (size_t)(3 * m * m)),
            *j = malloc(sizeof *j * (size_t)(3 * m * m)), n = 0;
    double *x = malloc(sizeof *x * (size_t)(3 * m * m));
    for (int64_t v = 0; v < m * m; v++)
        for (int which = 0; which < 3; which++) {
            const int64_t w = which == 0 ? v : which == 1 ? v - m : v - 1;
            if (w < 0 || (which == 2 && v % m == 0))
                continue;
            i[n] = w;
            j[n] = v;
            x[n++] = w == v ? 4 : -1;
        }
    OK(fb_csc_from_triplets(A, m * m, m * m, n, i, j, x, 1, &e));
    free(i);
    free(j);
    free(x);
}

/* Factor of S in this order, with or without the nodes of its dofs, and X := S \ X by it. */
static fb_forecast solved(const fb_csc *S, const int64_t *node, const int64_t *perm, fb_mat *X)
{
    fb_factor *F = NULL;
    const fb_factor_opts o = {.node = node, .order = perm};
    OK(fb_mat_new(X, S->n, 3, &e));
    pattern(X);
    OK(fb_factor_spd(&F, S, NULL, 0, &o, NULL, &e));
    OK(fb_factor_solve(F, X, &e));
    const fb_forecast f = fb_factor_forecast(F);
    fb_factor_free(F);
    return f;
}

/* A structure that is found on the graph of the nodes is the one that CHOLMOD finds dof by dof:
 * as many entries and flops, and the same answers. Some nodes lack a dof, which others stand
 * between: 2 % for the mean weight of the nodes. */
START_TEST(analysis_by_nodes)
{
    for (int lacking = 0; lacking < 2; lacking++) {
        test_model t = {0};
        fb_csc S = {0}, A = {0};
        fb_mat X = {0}, Y = {0};
        small_solid(&t, 20);
        int64_t n = 0, *set = malloc(sizeof *set * (size_t)t.K.n),
                *node = malloc(sizeof *node * (size_t)t.K.n),
                *perm = malloc(sizeof *perm * (size_t)t.K.n);
        for (int64_t j = 0; j < t.K.n; j++)
            if (!lacking || j % 7) {
                node[n] = t.node[j];
                set[n++] = j;
            }
        OK(fb_csc_add(&t.K, 1e8, &t.M, &A, &e));
        OK(fb_csc_sub(&A, set, n, set, n, &S, &e));
        OK(fb_order(&S, node, perm, &e));
        const fb_forecast a = solved(&S, node, perm, &X), b = solved(&S, NULL, perm, &Y);
        ck_assert_double_lt(fabs(a.nnz / b.nnz - 1), lacking ? 0.02 : 1e-15);
        ck_assert_double_lt(fabs(a.flops / b.flops - 1), lacking ? 0.02 : 1e-15);
        ck_assert_double_lt(largest_difference(&X, &Y), 1e-9);
        fb_csc_free(&S);
        fb_csc_free(&A);
        fb_mat_free(&X);
        fb_mat_free(&Y);
        free(set);
        free(node);
        free(perm);
        test_model_free(&t);
    }
}
END_TEST

/* Where x, y and z know nothing of each other, nodes would make the factor three times as large: it
 * is left as it is. */
START_TEST(nodes_that_are_no_help)
{
    fb_csc A = {0}, S = {0};
    fb_mat X = {0}, Y = {0};
    grid(20, &A);
    const int64_t n = A.n, nnz = A.p[n];
    int64_t *node = malloc(sizeof *node * (size_t)(3 * n)),
            *perm = malloc(sizeof *perm * (size_t)(3 * n));
    OK(fb_csc_new(&S, 3 * n, 3 * n, 3 * nnz, 1, &e));
    for (int64_t j = 0, k = 0; j < 3 * n; j++) {
        node[j] = perm[j] = j / 3;
        for (int64_t q = A.p[j / 3]; q < A.p[j / 3 + 1]; q++, k++) {
            S.i[k] = 3 * A.i[q] + j % 3;
            S.x[k] = A.x[q];
        }
        S.p[j + 1] = k;
    }
    OK(fb_order(&S, node, perm, &e));
    const fb_forecast a = solved(&S, node, perm, &X), b = solved(&S, NULL, perm, &Y);
    ck_assert_double_eq(a.nnz, b.nnz);
    ck_assert_double_eq(a.flops, b.flops);
    fb_csc_free(&A);
    fb_csc_free(&S);
    fb_mat_free(&X);
    fb_mat_free(&Y);
    free(node);
    free(perm);
}
END_TEST

START_TEST(order_is_a_permutation)
{
    test_model t = {0};
    small_solid(&t, _i ? 20 : 8);
    for (int labelled = 0; labelled < 2; labelled++) {
        int64_t *perm = malloc(sizeof *perm * (size_t)t.K.n);
        char *seen = calloc((size_t)t.K.n, 1);
        OK(fb_order(&t.K, labelled ? t.node : NULL, perm, &e));
        for (int64_t k = 0; k < t.K.n; k++) {
            ck_assert(perm[k] >= 0 && perm[k] < t.K.n && !seen[perm[k]]);
            seen[perm[k]] = 1;
            if (labelled && k % 3) /* dofs of one node stay together */
                ck_assert_int_eq(t.node[perm[k]], t.node[perm[k - 1]]);
        }
        free(perm);
        free(seen);
    }
    test_model_free(&t);
}
END_TEST

/* A graph that is dissected in processes of its own, where there are any: the order is the same
 * without them, and fills no more than George says that nested dissection of a square grid does:
 * 31/4 m^2 log2 m entries (SIAM J. Numer. Anal. 10 (1973) 345-363). */
START_TEST(large_graphs)
{
    const int64_t m = 128, n = m * m;
    int64_t *perm = malloc(sizeof *perm * (size_t)n), *again = malloc(sizeof *again * (size_t)n);
    char *seen = calloc((size_t)n, 1);
    fb_csc A = {0};
    fb_factor *F = NULL;
    struct rlimit limit;
    grid(m, &A);
    OK(fb_order(&A, NULL, perm, &e));
    for (int64_t k = 0; k < n; k++) {
        ck_assert(perm[k] >= 0 && perm[k] < n && !seen[perm[k]]);
        seen[perm[k]] = 1;
    }
    OK(fb_factor_analyse(&F, &A, NULL, &(fb_factor_opts){.order = perm}, &e));
    ck_assert_double_lt(fb_factor_forecast(F).nnz, 31. / 4 * (double)n * log2((double)m));
    fb_factor_free(F);
    ck_assert(getuid() != 0 || setuid(65533) == 0);
    ck_assert_int_eq(getrlimit(RLIMIT_NPROC, &limit), 0);
    ck_assert_int_eq(setrlimit(RLIMIT_NPROC, &(struct rlimit){1, limit.rlim_max}), 0);
    OK(fb_order(&A, NULL, again, &e));
    ck_assert_int_eq(setrlimit(RLIMIT_NPROC, &limit), 0); /* who looks for leaks wants a thread */
    ck_assert_int_eq(memcmp(perm, again, sizeof *perm * (size_t)n), 0);
    fb_csc_free(&A);
    free(perm);
    free(again);
    free(seen);
}
END_TEST

static void noted(int sig)
{
    (void)sig;
}

/* METIS catches these two and puts them back good for one signal only (SA_RESETHAND): a second
 * one, or one that was only noted, would end a program without its clean-up. */
START_TEST(signals_stay_caught)
{
    static const int caught[] = {SIGTERM, SIGABRT};
    const struct sigaction ours = {.sa_handler = noted, .sa_flags = SA_RESTART};
    struct sigaction now;
    test_model t = {0};
    small_solid(&t, 8);
    int64_t *perm = malloc(sizeof *perm * (size_t)t.K.n);
    for (int k = 0; k < 2; k++)
        ck_assert_int_eq(sigaction(caught[k], &ours, NULL), 0);
    OK(fb_order(&t.K, t.node, perm, &e));
    for (int k = 0; k < 2; k++) {
        ck_assert_int_eq(sigaction(caught[k], NULL, &now), 0);
        ck_assert(now.sa_handler == noted);
        ck_assert_int_eq(now.sa_flags & (SA_RESTART | SA_RESETHAND), SA_RESTART);
    }
    free(perm);
    test_model_free(&t);
}
END_TEST

/* No equation, one, and none that is coupled: METIS never sees them. */
START_TEST(borders)
{
    for (int64_t n = 0; n < 4; n++) {
        fb_csc A = {0};
        fb_mat X = {0};
        fb_factor *F = NULL;
        OK(fb_csc_new(&A, n, n, n, 1, &e));
        OK(fb_mat_new(&X, n, 2, &e));
        for (int64_t j = 0; j < n; j++) {
            A.i[j] = j;
            A.x[j] = 2;
            A.p[j + 1] = j + 1;
            X.x[j] = 8;
        }
        OK(fb_factor_spd(&F, &A, NULL, 0, NULL, NULL, &e));
        OK(fb_factor_solve(F, &X, &e));
        for (int64_t j = 0; j < n; j++)
            ck_assert_double_eq_tol(X.x[j], 4, 1e-14);
        fb_factor_free(F);
        OK(fb_factor_indefinite(&F, &A, NULL, 0, NULL, &e));
        OK(fb_factor_solve(F, &X, &e));
        for (int64_t j = 0; j < n; j++)
            ck_assert_double_eq_tol(X.x[j], 2, 1e-14);
        fb_factor_free(F);
        fb_csc_free(&A);
        fb_mat_free(&X);
    }
}
END_TEST

/* A negative spring to the wall at dof 7 of a chain that is held besides. */
START_TEST(names_the_dof_that_fails)
{
    test_model t = {0};
    fb_factor *F = NULL;
    int64_t column = 99;
    OK(test_chain(&t, 12, 1e3, 1, 1, &e));
    for (int64_t q = t.K.p[7]; q < t.K.p[8]; q++)
        if (t.K.i[q] == 7)
            t.K.x[q] = -1;
    ck_assert_int_eq(fb_factor_spd(&F, &t.K, NULL, 0, NULL, &column, &e), FB_ESOLVE);
    ck_assert_ptr_null(F);
    ck_assert_ptr_nonnull(strstr(e.msg, "not positive definite"));
    ck_assert(column >= 6 && column <= 8); /* itself, or a neighbour eliminated after it */
    test_model_free(&t);
}
END_TEST

/* Bodies that nothing holds: the round-off at the last pivot has any sign and is never believed. */
START_TEST(free_bodies_are_singular)
{
    for (int64_t n = 5; n < 20000; n += n < 500 ? 1 : 2 * n) {
        test_model t = {0};
        fb_factor *F = NULL;
        int64_t column = -1;
        OK(test_chain(&t, n, 1234.5678, 1, 0, &e));
        ck_assert_int_eq(fb_factor_spd(&F, &t.K, NULL, 0, NULL, &column, &e), FB_ESOLVE);
        ck_assert(column >= 0 && column < n);
        OK(fb_factor_spd(&F, &t.K, &t.M, -1e-3, NULL, &column, &e));
        ck_assert_int_eq(column, -1);
        fb_factor_free(F);
        test_model_free(&t);
    }
}
END_TEST

/* A long chain is weak, not singular. */
START_TEST(held_chains_are_not)
{
    test_model t = {0};
    fb_factor *F = NULL;
    OK(test_chain(&t, 50000, 1234.5678, 1, 1, &e));
    OK(fb_factor_spd(&F, &t.K, NULL, 0, NULL, NULL, &e));
    fb_factor_free(F);
    test_model_free(&t);
}
END_TEST

START_TEST(refuses_what_does_not_fit)
{
    test_model t = {0};
    fb_factor *F = NULL;
    fb_inertia_count in;
    fb_factor_opts tiny = {.memory = 1e-6};
    small_solid(&t, 20);
    ck_assert_int_eq(fb_factor_spd(&F, &t.K, NULL, 0, &tiny, NULL, &e), FB_ESYS);
    ck_assert_ptr_nonnull(strstr(e.msg, "GiB"));
    ck_assert_int_eq(fb_inertia(&t.K, &t.M, 1, &tiny, &in, &e), FB_ESYS);
    ck_assert_ptr_nonnull(strstr(e.msg, "GiB"));
    ck_assert_ptr_null(F);
    ck_assert_double_gt(fb_memory_available(), 0);
    test_model_free(&t);
}
END_TEST

/* Under `ulimit -v` there is no more memory than the limit leaves: 256 MiB here. */
START_TEST(limits_are_memory)
{
    struct rlimit old, now;
    long pages = 0;
    FILE *f = fopen("/proc/self/statm", "r");
    ck_assert(f && fscanf(f, "%ld", &pages) == 1);
    fclose(f);
    ck_assert_int_eq(getrlimit(RLIMIT_AS, &old), 0);
    now = old;
    now.rlim_cur = (rlim_t)pages * (rlim_t)sysconf(_SC_PAGESIZE) + (256u << 20);
    if (old.rlim_max != RLIM_INFINITY && now.rlim_cur > old.rlim_max)
        return;
    ck_assert_int_eq(setrlimit(RLIMIT_AS, &now), 0);
    const double gib = fb_memory_available();
    ck_assert_int_eq(setrlimit(RLIMIT_AS, &old), 0);
    ck_assert_double_gt(gib, 0.2);
    ck_assert_double_le(gib, 0.2501);
    ck_assert_double_gt(fb_memory_available(), 0.25);
}
END_TEST

/* D + b 11', D = diag(1 .. n): a full matrix, one supernode that is cut in pieces, most of whose
 * upper triangle is not kept. Its inverse is Sherman and Morrison's, one root lies between any two
 * neighbours of D and one above. */
START_TEST(wide_supernodes_are_cut)
{
    enum { N = 1500, K = 20 };
    const double b = 0.5;
    int64_t *i = NULL, *j = NULL, n = 0;
    double *x = NULL, sum = 0;
    fb_csc A = {0}, M = {0};
    fb_mat X = {0};
    fb_factor *F = NULL;
    OK(fb_new(&i, N * N, 8, "rows", &e));
    OK(fb_new(&j, N * N, 8, "columns", &e));
    OK(fb_new(&x, N * N, 8, "values", &e));
    for (int64_t c = 0; c < N; c++)
        for (int64_t r = 0; r <= c; r++, n++) {
            i[n] = r;
            j[n] = c;
            x[n] = b + (r == c ? 1 + (double)c : 0);
        }
    OK(fb_csc_from_triplets(&A, N, N, n, i, j, x, 1, &e));
    for (int64_t k = 0; k < N; k++) {
        i[k] = j[k] = k;
        x[k] = 1;
        sum += 1 / (double)(k + 1);
    }
    OK(fb_csc_from_triplets(&M, N, N, N, i, j, x, 1, &e));
    OK(fb_factor_spd(&F, &A, NULL, 0, NULL, NULL, &e));
    const double kept = fb_factor_forecast(F).nnz;
    ck_assert_double_gt(kept, 0.5 * N * N);
    ck_assert_double_lt(kept, 0.75 * N * N);
    for (int64_t many = 1; many <= K; many += K - 1) {
        OK(fb_mat_new(&X, N, many, &e));
        pattern(&X);
        fb_mat Y = {0};
        OK(fb_mat_copy(&Y, &X, &e));
        OK(fb_factor_solve(F, &X, &e));
        for (int64_t c = 0; c < many; c++) {
            double t = 0;
            for (int64_t k = 0; k < N; k++)
                t += Y.x[k + c * N] / (double)(k + 1);
            for (int64_t k = 0; k < N; k++) { /* condition 1e3, entries up to 1 */
                const double want = (Y.x[k + c * N] - b * t / (1 + b * sum)) / (double)(k + 1);
                ck_assert_double_le(fabs(X.x[k + c * N] - want), 1e-11);
            }
        }
        fb_mat_free(&X);
        fb_mat_free(&Y);
    }
    for (int64_t k = 1; k < N; k += 499) {
        fb_inertia_count in = {0};
        int sure = 0;
        OK(fb_factor_count(F, &A, &M, (double)k, NULL, NULL, &in, &sure, &e));
        ck_assert_int_eq(in.negative, k - 1);
    }
    fb_factor_free(F);
    fb_csc_free(&A);
    fb_csc_free(&M);
    FB_FREE(i, j, x);
}
END_TEST

/* Of a block of 32 MiB at least 28 go back, and what lies around them stays. */
START_TEST(released_memory_goes_back)
{
    const size_t n = 36u << 20, from = 1u << 20, bytes = 32u << 20;
    unsigned char *p = fb_alloc(n, 1);
    ck_assert_ptr_nonnull(p);
    memset(p, 7, n);
    const double before = fb_memory_used();
    fb_memory_release(p + from, bytes);
    if (before > 0)
        ck_assert_double_lt(fb_memory_used(), before - 27. / 1024);
    for (size_t k = 0; k < n; k++)
        if (k < from || k >= from + bytes)
            ck_assert_msg(p[k] == 7, "byte %zu is lost", k);
    free(p);
}
END_TEST

/* Roots of the chain are known: lambda_j = 4 k/m sin^2(j pi/(2n)). */
START_TEST(inertia_counts)
{
    enum { N = 40 };
    test_model t = {0};
    const double pi = acos(-1);
    OK(test_chain(&t, N, 100, 2, 0, &e));
    for (int below = 1; below <= N; below += 3) {
        double a = 200 * pow(sin((below - 1) * pi / (2 * N)), 2),
               b = 200 * pow(sin(below * pi / (2 * N)), 2);
        fb_inertia_count in = {0};
        OK(fb_inertia(&t.K, &t.M, (a + b) / 2, NULL, &in, &e));
        ck_assert_int_eq(in.negative, below);
        ck_assert_int_eq(in.zero, 0);
    }
    test_model_free(&t);
}
END_TEST

/* Chain of n masses and one multiplier that ties mass 0 to mass n-1; twice = the same row again. */
static void tied_chain(test_model *t, int64_t n, int twice)
{
    test_model c = {0};
    int64_t m = n + 1 + twice, nnz;
    OK(test_chain(&c, n, 100, 1, 1, &e));
    nnz = c.K.p[n];
    OK(fb_csc_new(&t->K, m, m, nnz + 2 * (m - n), 1, &e));
    memcpy(t->K.p, c.K.p, sizeof(int64_t) * (size_t)(n + 1));
    memcpy(t->K.i, c.K.i, sizeof(int64_t) * (size_t)nnz);
    memcpy(t->K.x, c.K.x, sizeof(double) * (size_t)nnz);
    for (int64_t j = n; j < m; j++) {
        t->K.i[nnz] = 0;
        t->K.x[nnz++] = 1;
        t->K.i[nnz] = n - 1;
        t->K.x[nnz++] = -1;
        t->K.p[j + 1] = nnz;
    }
    test_model_free(&c);
}

START_TEST(multipliers)
{
    enum { N = 30 };
    test_model t = {0};
    fb_factor *F = NULL;
    fb_mat X = {0};
    tied_chain(&t, N, 0);
    ck_assert_int_eq(fb_factor_spd(&F, &t.K, NULL, 0, NULL, NULL, &e), FB_ESOLVE);
    OK(fb_factor_indefinite(&F, &t.K, NULL, 0, NULL, &e));
    ck_assert_int_eq(fb_factor_inertia(F).negative, 1);
    OK(fb_mat_new(&X, N + 1, 1, &e));
    X.x[3] = 5;
    OK(fb_factor_solve(F, &X, &e));
    ck_assert_double_eq_tol(X.x[0], X.x[N - 1], 1e-12);
    ck_assert_double_gt(X.x[3], X.x[0]);
    ck_assert_int_eq(fb_factor_forward(F, &X, &e), FB_ESOLVE);
    fb_factor_free(F);
    fb_mat_free(&X);
    fb_csc_free(&t.K);
    tied_chain(&t, N, 1);
    ck_assert_int_eq(fb_factor_indefinite(&F, &t.K, NULL, 0, NULL, &e), FB_ESOLVE);
    ck_assert_ptr_nonnull(strstr(e.msg, "1 pivots are zero"));
    fb_csc_free(&t.K);
}
END_TEST

START_TEST(wrong_arguments)
{
    test_model t = {0};
    fb_factor *F = NULL;
    fb_mat X = {0};
    OK(test_chain(&t, 5, 1, 1, 1, &e));
    OK(fb_factor_spd(&F, &t.K, NULL, 0, NULL, NULL, &e));
    OK(fb_mat_new(&X, 4, 1, &e));
    ck_assert_int_eq(fb_factor_solve(F, &X, &e), FB_ESOLVE);
    fb_factor_free(F);
    t.K.upper = 0;
    ck_assert_int_eq(fb_factor_spd(&F, &t.K, NULL, 0, NULL, NULL, &e), FB_EFORMAT);
    fb_mat_free(&X);
    test_model_free(&t);
}
END_TEST

static fb_status factor_and_solve(const test_model *t, fb_mat *X)
{
    fb_factor *F = NULL;
    fb_status s = FB_OK;
    FB_TRY(fb_factor_spd(&F, &t->K, &t->M, -1e8, &(fb_factor_opts){.node = t->node}, NULL, &e));
    FB_TRY(fb_factor_solve(F, X, &e));
out:
    fb_factor_free(F);
    return s;
}

static fb_status count_only(const test_model *t, fb_mat *X)
{
    fb_inertia_count in;
    (void)X;
    return fb_inertia(&t->K, &t->M, 1e9, NULL, &in, &e);
}

/* CHOLMOD may do without a block it did not get (a shrinking one): that is no failure. */
START_TEST(every_allocation_fails_once)
{
    static fb_status (*const run[])(const test_model *, fb_mat *) = {factor_and_solve, count_only};
    test_model t = {0};
    fb_mat X = {0};
    long left = -1;
    small_solid(&t, 8);
    OK(fb_mat_new(&X, t.K.n, 3, &e));
    for (long k = 0; left < 0; k++) {
        fb_alloc_fail_after = k;
        fb_status s = run[_i](&t, &X);
        left = fb_alloc_fail_after;
        fb_alloc_fail_after = -1;
        if (s) {
            ck_assert_int_lt(left, 0);
            ck_assert_int_eq(s, FB_ESYS);
            ck_assert_ptr_nonnull(strstr(e.msg, "out of memory"));
        }
    }
    fb_mat_free(&X);
    test_model_free(&t);
}
END_TEST

START_TEST(same_bytes_again)
{
    test_model t = {0};
    fb_mat X = {0}, Y = {0};
    small_solid(&t, 20);
    OK(fb_mat_new(&X, t.K.n, 5, &e));
    OK(fb_mat_new(&Y, t.K.n, 5, &e));
    pattern(&X);
    pattern(&Y);
    OK(factor_and_solve(&t, &X));
    OK(factor_and_solve(&t, &Y));
    ck_assert_mem_eq(X.x, Y.x, sizeof(double) * (size_t)(X.m * X.n));
    fb_mat_free(&X);
    fb_mat_free(&Y);
    test_model_free(&t);
}
END_TEST

/* What MUMPS forecasts is in millions of bytes, and at least its entries. */
START_TEST(forecast_of_an_indefinite_factor)
{
    test_model t = {0};
    fb_factor *F = NULL;
    OK(test_solid(&t, (int64_t[]){5, 3, 3}, (double[]){0.5, 0.3, 0.3}, 20, &e));
    OK(fb_factor_indefinite(&F, &t.K, &t.M, 1e7, NULL, &e));
    const fb_forecast f = fb_factor_forecast(F);
    ck_assert_double_ge(f.nnz, (double)t.K.n);
    ck_assert_double_ge(f.gib * pow(1024, 3), 8 * f.nnz);
    ck_assert_double_lt(f.gib * pow(1024, 3), 80 * f.nnz + 2e7);
    fb_factor_free(F);
    test_model_free(&t);
}
END_TEST

START_TEST(blas_core)
{
    ck_assert_str_eq(fb_blas_better_core("Prescott", 1, 1), "SkylakeX");
    ck_assert_str_eq(fb_blas_better_core("Prescott", 1, 0), "Haswell");
    ck_assert_str_eq(fb_blas_better_core("Sandybridge", 1, 0), "Haswell");
    ck_assert_str_eq(fb_blas_better_core("Haswell", 1, 1), "SkylakeX");
    ck_assert_ptr_null(fb_blas_better_core("Haswell", 1, 0));
    ck_assert_ptr_null(fb_blas_better_core("Prescott", 0, 0));
    ck_assert_ptr_null(fb_blas_better_core("SkylakeX", 1, 1));
    ck_assert_ptr_null(fb_blas_better_core("Zen", 1, 0));
    ck_assert(fb_blas_sound());
    int old = fb_blas_threads(1);
    ck_assert_int_eq(fb_blas_threads(old), 1);
}
END_TEST

/* What the environment says of threads goes before what a program would have. */
START_TEST(threads_unless_told)
{
    static const char *const names[] = {"OPENBLAS_NUM_THREADS", "GOTO_NUM_THREADS",
                                        "OMP_NUM_THREADS"};
    for (size_t k = 0; k < sizeof names / sizeof *names; k++)
        ck_assert_int_eq(unsetenv(names[k]), 0);
    const int all = fb_threads(); /* what follows comes too late for this process */
    ck_assert_int_eq(fb_threads_unless_told(all), 1);
    for (size_t k = 0; k < sizeof names / sizeof *names; k++) {
        ck_assert_int_eq(setenv(names[k], "1", 1), 0);
        ck_assert_int_eq(fb_threads_unless_told(all), 0);
        ck_assert_int_eq(unsetenv(names[k]), 0);
    }
    ck_assert_int_eq(fb_threads(), all);
}
END_TEST

Suite *suite_factor(void)
{
    Suite *s = suite_create("factor");
    TCase *c = tcase_create("factor");
    tcase_set_timeout(c, 120);
    tcase_add_test(c, solve_agrees_with_dense);
    tcase_add_test(c, phases);
    tcase_add_loop_test(c, order_is_a_permutation, 0, 2);
    tcase_add_test(c, analysis_by_nodes);
    tcase_add_test(c, nodes_that_are_no_help);
    tcase_add_test(c, large_graphs);
    tcase_add_test(c, signals_stay_caught);
    tcase_add_test(c, borders);
    tcase_add_test(c, names_the_dof_that_fails);
    tcase_add_test(c, free_bodies_are_singular);
    tcase_add_test(c, held_chains_are_not);
    tcase_add_test(c, refuses_what_does_not_fit);
    tcase_add_test(c, limits_are_memory);
    tcase_add_test(c, released_memory_goes_back);
    tcase_add_test(c, wide_supernodes_are_cut);
    tcase_add_test(c, inertia_counts);
    tcase_add_test(c, multipliers);
    tcase_add_test(c, wrong_arguments);
    tcase_add_loop_test(c, every_allocation_fails_once, 0, 2);
    tcase_add_test(c, same_bytes_again);
    tcase_add_test(c, forecast_of_an_indefinite_factor);
    tcase_add_test(c, blas_core);
    tcase_add_test(c, threads_unless_told);
    suite_add_tcase(s, c);
    return s;
}
