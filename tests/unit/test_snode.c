/* SPDX-License-Identifier: GPL-3.0-or-later */
/* test_snode.c - the supernodal solves against one right-hand side at a time, which CHOLMOD solves.
 * */
#include "lib/linalg/snode.h"
#include "tests/model/model.h"
#include "tests/suites.h"
#include <math.h>
#include <sys/wait.h>
#include <unistd.h>

#define OK(call) ck_assert_msg((call) == FB_OK, "%s", e.msg)

static fb_err e;

static double value(int64_t k)
{
    return sin(1.7 * (double)k) + 0.1;
}

/* C - L X and X - L'C and the triangles, each kernel of each width against plain loops. Sizes
 * around the tiles and the strips. */
START_TEST(kernels_agree_with_loops)
{
    static const int64_t sizes[] = {1, 2, 3, 7, 8, 9, 31, 33, 97, 200};
    enum { MOST = 200, W = FB_WIDE };
    static double L[MOST * MOST], X[MOST * W], C[3 * MOST * W], A[MOST * W], B[3 * MOST * W];
    static int64_t r[MOST];
    int64_t m = sizes[_i / 10], k = sizes[_i % 10], ld = MOST;
    int tried = 0;
    for (int64_t i = 0; i < MOST; i++)
        r[i] = 3 * i + i % 2;
    for (int width = FB_NARROW; width <= FB_WIDE; width *= 2)
        for (int nth = 0; fb_kernels_for(width, nth); nth++, tried++) {
            const fb_kernels *f = fb_kernels_for(width, nth);
            for (int step = 0; step < 4; step++) {
                for (int64_t q = 0; q < MOST * MOST; q++)
                    L[q] = value(q) + (q % (ld + 1) == 0 ? 10 : 0);
                for (int64_t q = 0; q < MOST * W; q++)
                    A[q] = X[q] = value(q + 5);
                for (int64_t q = 0; q < 3 * MOST * W; q++)
                    B[q] = C[q] = value(q + 11);
                for (int c = 0; c < width; c++) {
                    for (int64_t i = 0; step == 0 && i < m; i++)
                        for (int64_t q = 0; q < k; q++)
                            B[r[i] * W + c] -= L[i + q * ld] * A[q * W + c];
                    for (int64_t q = 0; step == 1 && q < k; q++)
                        for (int64_t i = 0; i < m; i++)
                            A[q * W + c] -= L[i + q * ld] * B[r[i] * W + c];
                    for (int64_t q = 0; step == 2 && q < k; q++) {
                        for (int64_t j = 0; j < q; j++)
                            A[q * W + c] -= L[q + j * ld] * A[j * W + c];
                        A[q * W + c] /= L[q + q * ld];
                    }
                    for (int64_t q = k - 1; step == 3 && q >= 0; q--) {
                        for (int64_t j = q + 1; j < k; j++)
                            A[q * W + c] -= L[j + q * ld] * A[j * W + c];
                        A[q * W + c] /= L[q + q * ld];
                    }
                }
                if (step == 0)
                    f->down(m, k, L, ld, r, X, C, W);
                else if (step == 1)
                    f->up(m, k, L, ld, r, X, C, W);
                else if (step == 2)
                    f->lower(k, L, ld, X, W);
                else
                    f->upper(k, L, ld, X, W);
                double most = 0, wrong = 0;
                for (int64_t q = 0; q < MOST * W; q++)
                    most = fmax(most, fabs(A[q])), wrong = fmax(wrong, fabs(A[q] - X[q]));
                for (int64_t q = 0; q < 3 * MOST * W; q++)
                    most = fmax(most, fabs(B[q])), wrong = fmax(wrong, fabs(B[q] - C[q]));
                ck_assert_msg(wrong <= 1e-12 * most, "%s, width %d, step %d, m %d, k %d: %g of %g",
                              f->name, width, step, (int)m, (int)k, wrong, most);
            }
        }
    ck_assert_int_ge(tried, 2);
}
END_TEST

/* A column of a symmetric matrix, its rows in one place or in two. */
START_TEST(columns_of_a_symmetric_matrix)
{
    enum { ROWS = 40, W = FB_WIDE };
    double X[ROWS * W], S[ROWS * W], B[ROWS * W], a[ROWS], s[W], b[W];
    int32_t r[ROWS];
    int64_t place[ROWS];
    const int64_t k = _i / 2, *at = _i % 2 ? place : NULL;
    for (int64_t q = 0; q < ROWS; q++) {
        place[q] = (q * 7 + 3) % ROWS;
        r[q] = (int32_t)((q * 11 + 1) % ROWS);
        a[q] = value(q);
    }
    for (int width = FB_NARROW; width <= FB_WIDE; width *= 2)
        for (int nth = 0; fb_kernels_for(width, nth); nth++) {
            for (int64_t q = 0; q < ROWS * W; q++)
                X[q] = value(q + 5), S[q] = B[q] = value(q + 7);
            for (int c = 0; c < width; c++) {
                b[c] = s[c] = value(c);
                b[c] += 1.5 * X[2 * width + c];
                for (int64_t q = 0; q < k; q++) {
                    B[r[q] * width + c] += a[q] * X[2 * width + c];
                    b[c] += a[q] * X[(at ? at[r[q]] : r[q]) * width + c];
                }
            }
            fb_kernels_for(width, nth)->couple(k, a, r, at, 1.5, X + 2 * width, s, X, S, width);
            for (int64_t q = 0; q < ROWS * W; q++)
                ck_assert_double_eq_tol(S[q], B[q], 1e-13);
            for (int c = 0; c < width; c++)
                ck_assert_double_eq_tol(s[c], b[c], 1e-13);
        }
}
END_TEST

/* Any number of columns: the same to round-off as one by one; also with right-hand sides that are
 * zero but for one value in turn, at either end of the order, and so in most supernodes. */
START_TEST(blocks_agree_with_single_solves)
{
    static const int64_t count[] = {2, 7, 8, 9, 15, 16, 17, 33};
    test_model t = {0};
    fb_factor *F = NULL;
    fb_mat X = {0};
    OK(test_solid(&t, (int64_t[]){9, 5, 4}, (double[]){0.9, 0.5, 0.4}, 20, &e));
    OK(fb_factor_spd(&F, &t.K, &t.M, -1e6, &(fb_factor_opts){.node = t.node}, NULL, &e));
    int64_t n = t.K.n, k = count[_i % 8], dense = _i < 8;
    OK(fb_mat_new(&X, n, 2 * k, &e));
    fb_status (*const run[])(fb_factor *, fb_mat *, fb_err *) = {fb_factor_solve, fb_factor_forward,
                                                                 fb_factor_backward};
    for (int a = 0; a < 3; a++) {
        for (int64_t q = 0; q < n * k; q++)
            X.x[q] = X.x[q + n * k] =
                dense ? q % 3 ? value(q) : 0
                      : q % n == (_i < 16 ? 0 : n - 1) + (_i < 16 ? 1 : -1) * (q / n);
        fb_mat many = {n, k, X.x};
        OK(run[a](F, &many, &e));
        double most = 0, wrong = 0;
        for (int64_t c = 0; c < k; c++) {
            fb_mat one = {n, 1, X.x + (k + c) * n};
            OK(run[a](F, &one, &e));
            for (int64_t i = 0; i < n; i++) {
                most = fmax(most, fabs(one.x[i]));
                wrong = fmax(wrong, fabs(one.x[i] - X.x[c * n + i]));
            }
        }
        ck_assert_msg(wrong <= 1e-12 * most, "%g of %g", wrong, most);
    }
    fb_factor_free(F);
    fb_mat_free(&X);
    test_model_free(&t);
}
END_TEST

/* The factor of a tree: supernodes in postorder, as analyses leave them. The rows below a supernode
 * are some of its parent's columns and of the rows below that, the parent's first column first. */
typedef struct {
    int64_t super[64], pi[64], px[64], parent[64], rows[16384];
    double *x;
    fb_snodes L;
} tree;

enum { MOST_TREE = 2400 }; /* columns */

static uint64_t dice;

static int64_t roll(int64_t sides)
{
    dice = dice * 6364136223846793005u + 1442695040888963407u;
    return (int64_t)((dice >> 33) % (uint64_t)sides);
}

/* Parents, from the root, which is the last one: each supernode hangs on the one behind it or on
 * one above that. */
static void plant(tree *t, int64_t nsuper, int64_t widest)
{
    int64_t nc[64], n = 0, at = 0, ax = 0, below[64] = {0};
    static int64_t list[64][MOST_TREE];
    for (int64_t s = nsuper - 1; s >= 0; s--) {
        nc[s] = 1 + roll(roll(3) ? 24 : widest);
        n += nc[s];
        t->parent[s] = s + 1 < nsuper ? s + 1 : -1;
        for (int64_t up = roll(4); up > 0 && t->parent[s] >= 0 && t->parent[t->parent[s]] >= 0;
             up--)
            t->parent[s] = t->parent[t->parent[s]];
    }
    ck_assert_int_le(n, MOST_TREE);
    t->super[0] = 0;
    for (int64_t s = 0; s < nsuper; s++)
        t->super[s + 1] = t->super[s] + nc[s];
    for (int64_t s = nsuper - 1; s >= 0; s--) {
        const int64_t p = t->parent[s];
        for (int64_t j = 0; p >= 0 && j < nc[p]; j++)
            if (j == 0 || roll(3) == 0)
                list[s][below[s]++] = t->super[p] + j;
        for (int64_t j = 0; p >= 0 && j < below[p]; j++)
            if (roll(3))
                list[s][below[s]++] = list[p][j];
    }
    t->pi[0] = t->px[0] = 0;
    for (int64_t s = 0; s < nsuper; s++) {
        for (int64_t k = 0; k < nc[s]; k++)
            t->rows[at++] = t->super[s] + k;
        memcpy(t->rows + at, list[s], sizeof(int64_t) * (size_t)below[s]);
        at += below[s];
        ck_assert_int_le(at, 16384);
        t->pi[s + 1] = at;
        t->px[s + 1] = t->px[s] + nc[s] * (nc[s] + below[s]);
    }
    t->x = malloc(sizeof(double) * (size_t)t->px[nsuper]);
    ck_assert_ptr_nonnull(t->x);
    for (int64_t s = 0; s < nsuper; s++)
        for (int64_t q = 0, nr = nc[s] + below[s]; q < nc[s]; q++)
            for (int64_t i = 0; i < nr; i++, ax++)
                t->x[ax] = i < q ? 0 : i == q ? 4 : value(ax) / (double)nr;
    t->L = (fb_snodes){n, nsuper, t->super, t->pi, t->px, t->rows, t->x};
}

/* One to eight threads, with parts of the top that two threads share: the sums differ in order
 * only; the same number, the same bytes. The root alone has no subtree; one thread has no top. Some
 * of the right-hand sides are zero in most supernodes. */
START_TEST(threads_agree)
{
    static const int64_t size[][2] = {{1, 700}, {2, 150}, {12, 300}, {40, 90}, {60, 140}};
    static tree t;
    dice = (uint64_t)_i;
    plant(&t, size[_i % 5][0], size[_i % 5][1]);
    const int64_t k = _i / 5 % 2 ? 5 : FB_WIDE, w = fb_row_width(k), N = t.L.n;
    double *R[10];
    for (int q = 0; q < 10; q++) {
        fb_plan *p = NULL;
        R[q] = calloc((size_t)(N * w), sizeof(double));
        ck_assert_ptr_nonnull(R[q]);
        OK(fb_plan_new(&p, &t.L, q ? q < 9 ? q : 3 : 1, &e));
        for (int64_t i = 0; i < N; i++)
            for (int64_t c = 0; c < k; c++)
                R[q][i * w + c] = _i < 10 ? value(i * k + c) : i == N / 3 + c * N / 40;
        fb_plan_forward(p, &t.L, R[q], k);
        fb_plan_backward(p, &t.L, R[q], k);
        for (int64_t i = 0; i < N * w; i++)
            ck_assert_double_eq_tol(R[q][i], R[0][i], 1e-12);
        fb_plan_free(p);
    }
    ck_assert_mem_eq(R[0], R[1], sizeof(double) * (size_t)(N * w));
    ck_assert_mem_eq(R[3], R[9], sizeof(double) * (size_t)(N * w));
    for (int q = 0; q < 10; q++)
        free(R[q]);
    free(t.x);
}
END_TEST

/* An upper matrix in an order of dofs that is not the tree's: the diagonal, and entries where the
 * tree has a path; with `astray`, one more, between two leaves. */
static fb_csc mass_of(const tree *t, int64_t *perm, int astray)
{
    const int64_t n = t->L.n;
    static int64_t of[MOST_TREE], at[MOST_TREE];
    static char path[64][64];
    fb_csc M = {.m = n, .n = n, .upper = 1};
    memset(path, 0, sizeof path);
    for (int64_t s = 0; s < t->L.nsuper; s++) {
        for (int64_t up = s; up >= 0; up = t->parent[up])
            path[s][up] = 1;
        for (int64_t j = t->super[s]; j < t->super[s + 1]; j++)
            of[j] = s;
    }
    for (int64_t k = 0; k < n; k++)
        perm[k] = k;
    for (int64_t k = n - 1; k > 0; k--) {
        const int64_t q = roll(k + 1), p = perm[k];
        perm[k] = perm[q];
        perm[q] = p;
    }
    for (int64_t k = 0; k < n; k++)
        at[perm[k]] = k;
    M.p = calloc((size_t)n + 1, sizeof *M.p);
    M.i = calloc((size_t)(n * n / 8 + 2 * n), sizeof *M.i);
    M.x = calloc((size_t)(n * n / 8 + 2 * n), sizeof *M.x);
    ck_assert(M.p && M.i && M.x);
    for (int64_t b = 0, q = 0; b < n; b++) {
        for (int64_t a = 0; a <= b; a++) {
            const int64_t x = of[at[a]], y = of[at[b]];
            const int other = !path[x][y] && !path[y][x];
            if (a == b ? roll(5) == 0 : other ? !astray : roll(20) || q >= n * n / 8)
                continue;
            astray &= !other;
            M.i[q] = a;
            M.x[q] = value(q) + (a == b ? 3 : 0);
            q++;
        }
        M.p[b + 1] = q;
    }
    return M;
}

/* A half solve, a product by loops, a half solve; the same bytes again; and a matrix that couples
 * two subtrees is not taken. */
START_TEST(congruence_agrees_with_its_parts)
{
    static const int64_t size[][2] = {{1, 200}, {2, 150}, {12, 90}, {40, 40}, {60, 50}};
    enum { W = FB_NARROW };
    static tree t;
    static int64_t perm[MOST_TREE];
    fb_coupling *c = NULL;
    fb_plan *p = NULL;
    dice = (uint64_t)_i + 100;
    plant(&t, size[_i % 5][0], size[_i % 5][1]);
    const int64_t n = t.L.n;
    const size_t bytes = sizeof(double) * (size_t)(n * W);
    fb_csc M = mass_of(&t, perm, 0);
    double *X = malloc(bytes), *Y = calloc(1, bytes), *U = malloc(bytes), *V = malloc(bytes),
           *again = malloc(bytes);
    ck_assert(X && Y && U && V && again);
    for (int64_t q = 0; q < n * W; q++)
        X[q] = value(q);
    OK(fb_plan_new(&p, &t.L, 1, &e));
    fb_plan_backward(p, &t.L, X, W);
    static int64_t at[MOST_TREE];
    for (int64_t k = 0; k < n; k++)
        at[perm[k]] = k;
    for (int64_t b = 0; b < n; b++)
        for (int64_t q = M.p[b]; q < M.p[b + 1]; q++)
            for (int a = 0; a < W; a++) {
                const int64_t i = at[M.i[q]], j = at[b];
                Y[i * W + a] += M.x[q] * X[j * W + a];
                Y[j * W + a] += i != j ? M.x[q] * X[i * W + a] : 0;
            }
    fb_plan_forward(p, &t.L, Y, W);
    fb_plan_free(p);
    for (int threads = 1; threads < 10; threads++) {
        OK(fb_plan_new(&p, &t.L, threads, &e));
        OK(fb_plan_couple(&c, p, &t.L, &M, perm, &e));
        ck_assert_ptr_nonnull(c);
        for (int time = 0; time < 2; time++) {
            memset(V, 0xff, bytes); /* NaN: every value is set */
            for (int64_t q = 0; q < n * W; q++)
                U[q] = value(q);
            fb_plan_congruence(p, &t.L, c, U, V);
            for (int64_t q = 0; q < n * W; q++) {
                ck_assert_double_eq_tol(U[q], X[q], 1e-12);
                ck_assert_double_eq_tol(V[q], Y[q], 1e-11);
            }
            if (time)
                ck_assert_mem_eq(V, again, bytes);
            memcpy(again, V, bytes);
        }
        fb_coupling_free(c);
        fb_plan_free(p);
    }
    fb_csc_free(&M);
    OK(fb_plan_new(&p, &t.L, 2, &e));
    M = mass_of(&t, perm, 1);
    OK(fb_plan_couple(&c, p, &t.L, &M, perm, &e));
    ck_assert_int_eq(c == NULL, size[_i % 5][0] > 2); /* two supernodes are a path */
    fb_coupling_free(c);
    M.upper = 0;
    OK(fb_plan_couple(&c, p, &t.L, &M, perm, &e));
    ck_assert_ptr_null(c);
    fb_plan_free(p);
    fb_csc_free(&M);
    free(X);
    free(Y);
    free(U);
    free(V);
    free(again);
    free(t.x);
}
END_TEST

/* Columns that do not follow their subtrees: no product between the halves. */
START_TEST(other_orders_are_not_coupled)
{
    /* leaves 0 and 1 hang on 3 and on 2; the root has the columns 4 and 5 */
    int64_t super[] = {0, 1, 2, 3, 4, 6}, pi[] = {0, 2, 4, 6, 8, 10}, px[] = {0, 2, 4, 6, 8, 12},
            s[] = {0, 3, 1, 2, 2, 4, 3, 4, 4, 5}, perm[] = {0, 1, 2, 3, 4, 5};
    double x[] = {2, 1, 2, 1, 2, 1, 2, 1, 2, 1, 0, 2}, one[] = {1, 1, 1, 1, 1, 1};
    int64_t start[] = {0, 1, 2, 3, 4, 5, 6}, row[] = {0, 1, 2, 3, 4, 5};
    fb_snodes L = {6, 5, super, pi, px, s, x};
    fb_csc M = {.m = 6, .n = 6, .upper = 1, .p = start, .i = row, .x = one};
    fb_plan *p = NULL;
    fb_coupling *c = NULL;
    OK(fb_plan_new(&p, &L, 2, &e));
    OK(fb_plan_couple(&c, p, &L, &M, perm, &e));
    ck_assert_ptr_null(c);
    fb_plan_free(p);
}
END_TEST

/* A supernode in two pieces: a leaf that has rows of the second one alone is a child of the first,
 * too, which has these rows. */
START_TEST(leaves_hang_on_the_first_piece)
{
    int64_t super[] = {0, 1, 2, 4, 6}, pi[] = {0, 2, 4, 8, 10}, px[] = {0, 2, 4, 12, 16},
            s[] = {0, 4, 1, 2, 2, 3, 4, 5, 4, 5}, parent[4];
    fb_snodes L = {6, 4, super, pi, px, s, NULL};
    OK(fb_snode_parents(&L, parent, &e));
    ck_assert_mem_eq(parent, ((int64_t[]){2, 2, 3, -1}), sizeof parent);
}
END_TEST

typedef struct {
    int n, rounds, in[8], out[8];
} game;

/* What was written in a round is what the next one reads. */
static int next_round(void *arg)
{
    game *g = arg;
    memcpy(g->in, g->out, sizeof g->in);
    return g->rounds++ < 2000 ? g->n : 0;
}

static void play(void *arg, int t)
{
    game *g = arg;
    g->out[t] = g->in[(t + 1) % g->n] + 1;
}

START_TEST(rounds_follow_each_other)
{
    game g = {.n = _i};
    fb_rounds(next_round, play, &g);
    ck_assert_int_eq(g.rounds, _i ? 2001 : 1);
    for (int t = 0; t < g.n; t++)
        ck_assert_int_eq(g.in[t], 2000);
}
END_TEST

static void see(void *arg, int t)
{
    ((char *)arg)[t]++;
}

static void see_eight(void *arg, int t)
{
    fb_parallel(8, see, (char *)arg + 8 * t);
}

static void once(const char *seen, int n)
{
    int t = 0;
    while (t < n && seen[t] == 1)
        t++;
    ck_assert_int_eq(t, n);
}

/* More parts than a round has; parts that ask for help, and do the work themselves. */
START_TEST(every_part_once)
{
    enum { MANY = 200000 };
    static char seen[MANY], nested[800];
    fb_parallel(MANY, see, seen);
    once(seen, MANY);
    fb_parallel(100, see_eight, nested);
    once(nested, 800);
    for (int k = 0; k < 20000; k++) { /* that end while somebody looks for a part */
        char few[2] = {0};
        fb_parallel(2, see, few);
        once(few, 2);
    }
}
END_TEST

START_TEST(threads_in_a_child)
{
    char seen[40] = {0};
    int status = 1;
    fb_parallel(20, see, seen);
    pid_t child = fork();
    fb_parallel(20, see, seen + 20);
    once(seen, 40);
    if (child == 0)
        _exit(0);
    ck_assert_int_eq(waitpid(child, &status, 0), child);
    ck_assert_int_eq(status, 0);
}
END_TEST

/* Products that are split among threads by rows, by columns and by the inner sum, and small ones.
 * */
START_TEST(products_agree_with_loops)
{
    static const int64_t sizes[][3] = {{700, 90, 120}, {90, 700, 120}, {20, 24, 20000},
                                       {3, 4, 5},      {0, 4, 5},      {4, 3, 0}};
    int64_t m = sizes[_i / 4][0], n = sizes[_i / 4][1], k = sizes[_i / 4][2];
    int ta = _i & 1, tb = _i >> 1 & 1;
    fb_mat A = {0}, B = {0}, C = {0}, D = {0};
    OK(fb_mat_new(&A, ta ? k : m, ta ? m : k, &e));
    OK(fb_mat_new(&B, tb ? n : k, tb ? k : n, &e));
    OK(fb_mat_new(&C, m, n, &e));
    OK(fb_mat_new(&D, m, n, &e));
    for (int64_t q = 0; q < m * k; q++)
        A.x[q] = value(q);
    for (int64_t q = 0; q < k * n; q++)
        B.x[q] = value(q + 3);
    for (int64_t q = 0; q < m * n; q++)
        C.x[q] = D.x[q] = value(q + 9);
    OK(fb_gemm(ta, tb, -2, &A, &B, 0.5, &C, &e));
    for (int64_t j = 0; j < n; j++)
        for (int64_t i = 0; i < m; i++) {
            double sum = 0;
            for (int64_t q = 0; q < k; q++)
                sum += A.x[ta ? q + i * k : i + q * m] * B.x[tb ? j + q * n : q + j * k];
            ck_assert_double_eq_tol(C.x[i + j * m], 0.5 * D.x[i + j * m] - 2 * sum,
                                    1e-12 * (double)(k + 1));
        }
    fb_mat_free(&A);
    fb_mat_free(&B);
    fb_mat_free(&C);
    fb_mat_free(&D);
}
END_TEST

Suite *suite_snode(void)
{
    Suite *s = suite_create("snode");
    TCase *t = tcase_create("solves");
    tcase_set_timeout(t, 120);
    tcase_add_loop_test(t, kernels_agree_with_loops, 0, 100);
    tcase_add_loop_test(t, columns_of_a_symmetric_matrix, 0, 80);
    tcase_add_loop_test(t, blocks_agree_with_single_solves, 0, 24);
    tcase_add_loop_test(t, threads_agree, 0, 20);
    tcase_add_loop_test(t, congruence_agrees_with_its_parts, 0, 10);
    tcase_add_test(t, other_orders_are_not_coupled);
    tcase_add_test(t, leaves_hang_on_the_first_piece);
    tcase_add_loop_test(t, rounds_follow_each_other, 0, 6);
    tcase_add_test(t, every_part_once);
    tcase_add_test(t, threads_in_a_child);
    tcase_add_loop_test(t, products_agree_with_loops, 0, 24);
    suite_add_tcase(s, t);
    return s;
}
