/* SPDX-License-Identifier: GPL-3.0-or-later */
/* mass.c - what a mass matrix must be: semidefinite, and present wherever stiffness is not.
 *
 * Symbols  D = diag(M); S = K - sigma M, sigma < 0 far below every root
 * Equations
 *   (MA.1) M_jj > 0 where row j is not empty,  M_ij^2 <= M_ii M_jj       necessary, and names the
 *          dofs
 *   (MA.2) M + delta D = L L'                                            no eigenvalue of D^-1/2 M
 *          D^-1/2 below -delta
 *   (MA.3) S x = 0 nearly: x'Sx <= 1e-9 x'diag(S)x, found by inverse iteration with S + 1e-10
 *          diag(S)
 *   (MA.4) lambda_max <= max_j r_j / (c M_jj),  r_j = sum_i |K_ij|,  c the lowest eigenvalue of
 *          D^-1/2 M D^-1/2 that is not zero
 * (MA.4) is asked with c = 1e-8, what a root needs to be one: 0.01 to 0.5 are usual, so that a root
 *        above the bound of c = 1e-3 is worth a warning. Dofs without mass that follow statically
 *        lower K alone.
 * (MA.3): such x has neither stiffness nor mass, and no frequency. The dofs that hold all of them
 * are the pivots of a Gram-Schmidt process on the rows of diag(S)^1/2 X.
 * Cost     (MA.2) a factor of M, whose parts along x, y, z are apart in solids; none where M is
 *          diagonal
 */
#include "memory.h"
#include "linalg/dense.h"
#include "full.h"
#include "linalg/far.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* What eight digits of a text make of zero eigenvalues, as eig_dense.c has it. */
static const double delta = 2e-8;
static const double share = 1e-8;                 /* (MA.4) */
static const double nothing = 1e-9, damp = 1e-10; /* (MA.3) */
static const double tie = 1e-6;                   /* of pivots that round-off would choose among */
enum { BLOCK = 16, PASSES = 3 };

/* ---- semidefinite ---------------------------------------------------------------------- */

static fb_status refuse(const fb_full *f, int64_t i, int64_t j, double value, double most,
                        fb_err *e)
{
    char a[48], b[48];
    fb_full_name(f, i, a);
    if (i == j)
        return fb_fail(e, FB_ESOLVE,
                       "the mass matrix is not semidefinite: dof %s has the diagonal %.6g, but its "
                       "row is not zero: export the mass again, or correct it",
                       a, value);
    return fb_fail(e, FB_ESOLVE,
                   "the mass matrix is not semidefinite: dofs %s and %s share %.6g, their "
                   "diagonals allow %.6g: export the mass again, or correct it",
                   a, fb_full_name(f, j, b), value, most);
}

/* (MA.1); *plain: M is diagonal */
static fb_status check_pairs(const fb_full *f, const double *d, int *plain, fb_err *e)
{
    const fb_csc *M = &f->M;
    double *root = NULL;
    fb_status s = FB_OK;
    *plain = 1;
    FB_PASS(fb_new(&root, M->n, 8, "diagonal of M", e));
    for (int64_t j = 0; j < M->n; j++)
        root[j] = sqrt(fmax(d[j], 0));
    for (int64_t j = 0; !s && j < M->n; j++)
        for (int64_t q = M->p[j]; !s && q < M->p[j + 1]; q++) {
            const int64_t i = M->i[q];
            const double x = M->x[q], most = root[i] * root[j];
            if (!(x < 0 || x > 0))
                continue;
            if (!(d[i] > 0) || !(d[j] > 0))
                s = refuse(f, d[i] > 0 ? j : i, d[i] > 0 ? j : i, d[i] > 0 ? d[j] : d[i], 0, e);
            else if (i != j && fabs(x) > (1 + delta) * most)
                s = refuse(f, i, j, x, most, e);
            *plain &= i == j;
        }
    free(root);
    return s;
}

/* 1: the entries are those of the block before, but for round-off, as along x, y and z of solids.
 * */
static int same_block(const fb_csc *A, const fb_csc *B)
{
    if (!A->p || A->n != B->n || memcmp(A->p, B->p, sizeof *A->p * (size_t)(A->n + 1)) ||
        memcmp(A->i, B->i, sizeof *A->i * (size_t)A->p[A->n]))
        return 0;
    for (int64_t q = 0; q < A->p[A->n]; q++)
        if (fabs(A->x[q] - B->x[q]) > 1e-12 * (fabs(A->x[q]) + fabs(B->x[q])))
            return 0;
    return 1;
}

/* (MA.2) of one block, the equations eq [n]. */
static fb_status check_block(const fb_full *f, const fb_csc *A, const int64_t *eq, int64_t n,
                             const double *d, fb_err *e)
{
    int64_t column = -1;
    double *x = NULL;
    char one[48];
    fb_csc S = {0};
    fb_factor *F = NULL;
    int64_t *order = NULL;
    fb_factor_opts o = {.memory = f->o->memory, .log = f->log};
    fb_err why = {0};
    fb_status s = FB_OK;
    FB_TRY(fb_full_order(f, eq, n, &order, e));
    o.order = order;
    FB_TRY(fb_new(&x, n, 8, "diagonal", e));
    for (int64_t k = 0; k < n; k++)
        x[k] = d[eq[k]];
    FB_TRY(fb_csc_add_diagonal(A, delta, x, NULL, n, &S, e));
    FB_TRY(fb_factor_analyse(&F, &S, NULL, &o, e));
    s = fb_factor_numeric(F, &S, NULL, 0, &column, &why);
    if (s == FB_ESOLVE && column >= 0 && column < n)
        s = fb_fail(e, FB_ESOLVE,
                    "the mass matrix is not semidefinite: elimination finds negative mass at dof "
                    "%s: export the mass again, or correct it",
                    fb_full_name(f, eq[column], one));
    else if (s)
        *e = why;
out:
    FB_FREE(x, order);
    fb_csc_free(&S);
    fb_factor_free(F);
    return s;
}

/* coupled[j]: 1 where M couples dof j with another; 1 where it couples two components, of any
 * nodes. */
static int couplings(const fb_full *f, char *coupled)
{
    const fb_csc *M = &f->M;
    const int64_t *c = f->b->dof_component;
    int crossed = !c;
    for (int64_t j = 0; j < M->n; j++)
        for (int64_t q = M->p[j]; q < M->p[j + 1]; q++)
            if (M->i[q] != j && (M->x[q] < 0 || M->x[q] > 0)) {
                coupled[j] = coupled[M->i[q]] = 1;
                crossed |= c && c[f->dof[j]] != c[f->dof[M->i[q]]];
            }
    return crossed;
}

/* (MA.2) over the dofs that M couples; component by component where it does not couple those, each
 *        kind of block once. */
static fb_status check_factor(const fb_full *f, const double *d, fb_err *e)
{
    int64_t *eq = NULL;
    char *coupled = NULL;
    fb_csc A = {0}, before = {0};
    fb_status s = FB_OK;
    FB_TRY(fb_new(&eq, f->n, 8, "dofs with mass", e));
    FB_TRY(fb_new(&coupled, f->n, 1, "dofs with mass", e));
    const int crossed = couplings(f, coupled);
    for (int64_t c = 0; c <= (crossed ? 0 : 6); c++) {
        int64_t n = 0;
        for (int64_t j = 0; j < f->n; j++) {
            const int64_t of = crossed ? 0 : f->b->dof_component[f->dof[j]];
            if (coupled[j] && (of == c || (c == 0 && (of < 0 || of > 6))))
                eq[n++] = j;
        }
        if (n == 0)
            continue;
        FB_TRY(fb_csc_sub(&f->M, eq, n, eq, n, &A, e));
        if (!same_block(&before, &A))
            FB_TRY(check_block(f, &A, eq, n, d, e));
        fb_csc_free(&before);
        before = A;
        A = (fb_csc){0};
    }
out:
    FB_FREE(eq, coupled);
    FB_FREE_BY(fb_csc_free, &A, &before);
    return s;
}

/* (MA.1), (MA.2) of a mass that other processes hold: all dofs with mass at once. */
static fb_status check_far(const fb_full *f, const double *d, fb_err *e)
{
    int64_t *eq = NULL, n = 0, column = -1;
    double *x = NULL;
    int plain = 0;
    fb_pair bad = {.i = -1};
    fb_csc A = {0}, S = {0};
    fb_factor *F = NULL;
    int64_t *order = NULL;
    fb_factor_opts o = {.memory = f->o->memory};
    fb_err why = {0};
    fb_status s = FB_OK;
    FB_TRY(fb_far->pairs(&f->M, delta, &bad, &plain, e));
    if (bad.i >= 0)
        FB_TRY(refuse(f, bad.i, bad.j, bad.x, bad.most, e));
    if (plain)
        goto out;
    FB_TRY(fb_new(&eq, f->n, 8, "dofs with mass", e));
    FB_TRY(fb_new(&x, f->n, 8, "diagonal", e));
    for (int64_t j = 0; j < f->n; j++)
        if (d[j] > 0) {
            x[n] = d[j];
            eq[n++] = j;
        }
    if (n < f->n)
        FB_TRY(fb_csc_sub(&f->M, eq, n, eq, n, &A, e));
    FB_TRY(fb_csc_add_diagonal(n < f->n ? &A : &f->M, delta, x, NULL, n, &S, e));
    fb_csc_free(&A);
    FB_TRY(fb_full_order(f, eq, n, &order, e));
    o.order = order;
    FB_TRY(fb_factor_analyse(&F, &S, NULL, &o, e));
    s = fb_factor_numeric(F, &S, NULL, 0, &column, &why);
    if (s == FB_ESOLVE)
        s = fb_fail(e, FB_ESOLVE,
                    "the mass matrix is not semidefinite: elimination finds negative mass: export "
                    "the mass again, or correct it");
    else if (s)
        *e = why;
out:
    fb_factor_free(F);
    FB_FREE_BY(fb_csc_free, &A, &S);
    FB_FREE(eq, x, order);
    return s;
}

fb_status fb_full_mass_check(const fb_full *f, fb_err *e)
{
    double *d = NULL;
    int plain = 0;
    fb_watch w = fb_watch_start();
    fb_status s = FB_OK;
    FB_TRY(fb_new(&d, f->n, 8, "diagonal of M", e));
    fb_csc_diagonal(&f->M, d);
    if (fb_is_far(f->M.p)) {
        FB_TRY(check_far(f, d, e));
        goto out;
    }
    FB_TRY(check_pairs(f, d, &plain, e));
    if (!plain)
        FB_TRY(check_factor(f, d, e));
    fb_watch_note(&w, f->log, "mass matrix is semidefinite");
out:
    free(d);
    return s;
}

fb_status fb_full_largest(const fb_csc *K, const fb_csc *M,
                          void (*measure)(const fb_csc *, double *), double c, double *root,
                          fb_err *e)
{
    double *r = NULL, *d = NULL;
    fb_status s = FB_OK;
    *root = 0;
    FB_TRY(fb_new(&r, K->n, 8, "stiffness of the dofs", e));
    FB_TRY(fb_new(&d, K->n, 8, "diagonal of M", e));
    measure(K, r);
    fb_csc_diagonal(M, d);
    for (int64_t j = 0; j < K->n; j++)
        if (d[j] > 0)
            *root = fmax(*root, r[j] / (c * d[j]));
out:
    FB_FREE(r, d);
    return s;
}

/* (MA.4) */
fb_status fb_full_highest(const fb_model *b, double *root, fb_err *e)
{
    return fb_full_largest(&b->K, &b->M, fb_csc_sums, share, root, e);
}

/* ---- motions with neither stiffness nor mass ------------------------------------------- */

/* (MA.3) S and S + damp diag(S); a dof without either gets a stiffness of the others' size. */
static fb_status damped(const fb_csc *K, const fb_csc *M, double sigma, fb_csc *S, fb_csc *A,
                        double *d, fb_err *e)
{
    double top = 0;
    FB_PASS(fb_csc_add(K, -sigma, M, S, e));
    fb_csc_diagonal(S, d);
    for (int64_t k = 0; k < K->n; k++)
        top = fmax(top, d[k]);
    for (int64_t k = 0; k < K->n; k++)
        d[k] = d[k] > 0 ? d[k] : top;
    return fb_csc_add_diagonal(S, damp, d, NULL, K->n, A, e);
}

/* X := the Ritz vectors of S in span(X), x'diag(d)x = 1; theta ascending. The columns are nearly
 * dependent: SVD. */
static fb_status ritz(const fb_csc *S, const double *d, fb_mat *X, double *theta, fb_err *e)
{
    fb_mat U = {0}, W = {0}, A = {0};
    fb_status s = FB_OK;
    for (int64_t c = 0; c < X->n; c++) {
        for (int64_t i = 0; i < X->m; i++)
            X->x[i + c * X->m] *= sqrt(d[i]);
        fb_to_unit(X->x + c * X->m, X->m);
    }
    FB_TRY(fb_svd(X, &U, theta, &W, 0, e));
    for (int64_t c = 0; c < X->n; c++)
        for (int64_t i = 0; i < X->m; i++)
            U.x[i + c * X->m] /= sqrt(d[i]);
    FB_TRY(fb_csc_congruence(S, &U, &A, e));
    FB_TRY(fb_eig_symmetric(&A, theta, e));
    s = fb_gemm(0, 0, 1, &U, &A, 0, X, e);
out:
    FB_FREE_BY(fb_mat_free, &U, &W, &A);
    return s;
}

/* The first of X's columns become what (MA.3) finds. */
static fb_status null_space(const fb_csc *S, fb_factor *F, const double *d, fb_mat *X,
                            int64_t *found, fb_err *e)
{
    double *theta = NULL;
    uint64_t state = fb_random_start(1);
    fb_status s = FB_OK;
    FB_TRY(fb_new(&theta, X->n, 8, "roots", e));
    for (int64_t c = 0; c < X->n; c++) {
        fb_random_fill(&state, X->x + c * X->m, X->m);
        for (int64_t i = 0; i < X->m; i++)
            X->x[i + c * X->m] *= sqrt(d[i]); /* a load that suits the units of dof i */
    }
    for (int pass = 0; pass < PASSES; pass++) {
        FB_TRY(fb_factor_solve(F, X, e));
        FB_TRY(ritz(S, d, X, theta, e));
        for (int64_t c = 0; pass + 1 < PASSES && c < X->n; c++)
            for (int64_t i = 0; i < X->m; i++)
                X->x[i + c * X->m] *= d[i];
    }
    *found = 0;
    while (*found < X->n && fabs(theta[*found]) <= nothing)
        ++*found;
out:
    free(theta);
    return s;
}

fb_status fb_full_massless(const fb_full *f, const fb_csc *K, const fb_csc *M, double sigma,
                           fb_mat *Z, fb_err *e)
{
    const fb_factor_opts o = {.memory = f->o->memory, .log = f->log};
    fb_csc S = {0}, A = {0};
    fb_factor *F = NULL;
    fb_mat X = {0};
    double *d = NULL;
    int64_t column = -1, found = 0;
    fb_status s = FB_OK;
    *Z = (fb_mat){0};
    FB_TRY(fb_new(&d, K->n, 8, "diagonal", e));
    FB_TRY(damped(K, M, sigma, &S, &A, d, e));
    FB_TRY(fb_factor_analyse(&F, &A, NULL, &o, e));
    FB_TRY(fb_factor_numeric(F, &A, NULL, 0, &column, e));
    for (int64_t k = K->n < BLOCK ? K->n : BLOCK;; k = 2 * k < K->n ? 2 * k : K->n) {
        fb_mat_free(&X);
        FB_TRY(fb_mat_new(&X, K->n, k, e));
        FB_TRY(null_space(&S, F, d, &X, &found, e));
        if (found < k || k == K->n)
            break;
    }
    X.n = found;
    *Z = X;
    X = (fb_mat){0};
out:
    free(d);
    FB_FREE_BY(fb_csc_free, &S, &A);
    fb_factor_free(F);
    fb_mat_free(&X);
    return s;
}

/* The columns of Z' diag(sqrt(K_jj)) that a Gram-Schmidt process with pivots picks, of equal ones
 * the first. */
fb_status fb_full_pins(const fb_csc *K, const fb_mat *Z, int64_t *p, fb_err *e)
{
    fb_mat W = {0};
    double *d = NULL;
    fb_status s = FB_OK;
    FB_TRY(fb_mat_new(&W, Z->n, Z->m, e));
    FB_TRY(fb_new(&d, Z->m, 8, "diagonal", e));
    fb_csc_diagonal(K, d);
    for (int64_t i = 0; i < Z->m; i++)
        for (int64_t k = 0; k < Z->n; k++)
            W.x[k + i * W.m] = Z->x[i + k * Z->m] * sqrt(d[i] > 0 ? d[i] : 1);
    if (fb_pick_columns(&W, tie, 0, 0, Z->n, p) < Z->n)
        s = fb_fail(e, FB_ESOLVE, "the %lld rigid motions of the interior depend on each other",
                    (long long)Z->n);
out:
    fb_mat_free(&W);
    free(d);
    return s;
}
