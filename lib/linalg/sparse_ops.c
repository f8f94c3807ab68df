/* SPDX-License-Identifier: GPL-3.0-or-later */
/* sparse_ops.c - parts, norms and congruences of sparse matrices.
 *
 * Sets     b boundary, i interior; ng = nb + ni
 * Equations
 *   (SO.1) A = [Abb Abi; Aib Aii], A symmetric
 *   (SO.2) T = [I 0; G],  G = [Psi Phi]  [ni x nr],  nr = nb + nm
 *   (SO.3) T'AT = [Abb 0; 0 0] + E (Aib'G) + (Aib'G)'E' + G'(Aii G),  E = [I; 0]  [nr x nb]
 * Source   Craig & Bampton, AIAA J. 6 (1968) 1313-1319, eq. 10-13, written for any G
 * Cost     (SO.3) one sparse product a column of G and ni nr^2 flops
 */
#include "blas.h"
#include "dense.h"
#include "far.h"
#include "sparse.h"
#include "sparse_ops.h"
#include "memory.h"
#include "status.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { FEW = 16 }; /* columns: more of them are multiplied from both sides block by block */

fb_status fb_csc_add(const fb_csc *A, double beta, const fb_csc *B, fb_csc *C, fb_err *e)
{
    if (A->m != B->m || A->n != B->n || A->upper != B->upper)
        return fb_fail(e, FB_EFORMAT, "sum of a %lld by %lld and a %lld by %lld matrix",
                       (long long)A->m, (long long)A->n, (long long)B->m, (long long)B->n);
    int64_t nnz = A->p[A->n];
    for (int64_t j = 0; j < A->n; j++) { /* entries of B that A does not have */
        int64_t a = A->p[j], end = A->p[j + 1];
        for (int64_t b = B->p[j]; b < B->p[j + 1]; b++) {
            while (a < end && A->i[a] < B->i[b])
                a++;
            nnz += a == end || A->i[a] != B->i[b];
        }
    }
    FB_PASS(fb_csc_new(C, A->m, A->n, nnz, A->upper, e));
    int64_t q = 0;
    for (int64_t j = 0; j < A->n; j++) {
        int64_t a = A->p[j], enda = A->p[j + 1], b = B->p[j], endb = B->p[j + 1];
        while (a < enda || b < endb) {
            int64_t ia = a < enda ? A->i[a] : INT64_MAX, ib = b < endb ? B->i[b] : INT64_MAX;
            C->i[q] = ia < ib ? ia : ib;
            C->x[q] = ia <= ib ? A->x[a] : 0;
            if (ib <= ia)
                C->x[q] += beta * B->x[b];
            a += ia <= ib;
            b += ib <= ia;
            q++;
        }
        C->p[j + 1] = q;
    }
    return FB_OK;
}

fb_status fb_csc_add_diagonal(const fb_csc *A, double scale, const double *d, const int64_t *p,
                              int64_t n, fb_csc *C, fb_err *e)
{
    int64_t *row = NULL;
    double *x = NULL;
    fb_csc E = {0};
    fb_status s = FB_OK;
    FB_TRY(FB_NEW(&row, n, e));
    FB_TRY(FB_NEW(&x, n, e));
    for (int64_t k = 0; k < n; k++) {
        row[k] = p ? p[k] : k;
        x[k] = scale * d[k];
    }
    if (fb_is_far(A->p)) {
        s = fb_far->pin(A, row, x, n, C, e);
        goto out;
    }
    FB_TRY(fb_csc_from_triplets(&E, A->n, A->n, n, row, row, x, 1, e));
    s = fb_csc_add(A, 1, &E, C, e);
out:
    FB_FREE(row, x);
    fb_csc_free(&E);
    return s;
}

/* at[old] = new position, -1 for a dof that is not in the set. */
static fb_status positions(const int64_t *set, int64_t k, int64_t n, int64_t **at, fb_err *e)
{
    int64_t *t = NULL;
    FB_PASS(fb_new(&t, n, sizeof *t, "positions of a set", e));
    for (int64_t i = 0; i < n; i++)
        t[i] = -1;
    for (int64_t j = 0; j < k; j++) {
        if (set[j] < 0 || set[j] >= n || t[set[j]] >= 0) {
            fb_fail(e, FB_EFORMAT, "entry %lld of a set of dofs is %lld: %s", (long long)j,
                    (long long)set[j],
                    set[j] < 0 || set[j] >= n ? "outside the matrix" : "there twice");
            free(t);
            return FB_EFORMAT;
        }
        t[set[j]] = j;
    }
    *at = t;
    return FB_OK;
}

/* Calls put(self, row, column, value) for every entry of A(rows, cols), mirrored ones included;
 * the columns of A ascend, so the rows of one column of the part do too. */
static void each_entry(const fb_csc *A, const int64_t *row, const int64_t *col,
                       void (*put)(void *self, int64_t i, int64_t j, double x), void *self)
{
    for (int64_t j = 0; j < A->n; j++) {
        int64_t r = A->upper ? row[j] : -1, c = col[j];
        for (int64_t q = A->p[j]; (r >= 0 || c >= 0) && q < A->p[j + 1]; q++) {
            int64_t i = A->i[q];
            if (c >= 0 && row[i] >= 0)
                put(self, row[i], c, A->x[q]);
            if (r >= 0 && i != j && col[i] >= 0)
                put(self, r, col[i], A->x[q]);
        }
    }
}

static void count_entry(void *self, int64_t i, int64_t j, double x)
{
    (void)i;
    (void)x;
    ((int64_t *)self)[j + 1]++;
}

static void put_sparse(void *self, int64_t i, int64_t j, double x)
{
    fb_csc *B = self;
    B->i[B->p[j]] = i;
    B->x[B->p[j]++] = x;
}

static void put_dense(void *self, int64_t i, int64_t j, double x)
{
    fb_mat *B = self;
    B->x[i + j * B->m] += x;
}

/* A(set, set), upper triangle: its entries follow each other as those of A do. */
static fb_status principal(const fb_csc *A, const int64_t *at, int64_t n, fb_csc *C, fb_err *e)
{
    int64_t nnz = 0, q = 0;
    for (int64_t j = 0; j < A->n; j++)
        for (int64_t k = A->p[j]; at[j] >= 0 && k < A->p[j + 1]; k++)
            nnz += at[A->i[k]] >= 0;
    fb_status s = fb_csc_new(C, n, n, nnz, 1, e);
    for (int64_t j = 0; !s && j < A->n; j++) {
        if (at[j] < 0)
            continue;
        for (int64_t k = A->p[j]; k < A->p[j + 1]; k++)
            if (at[A->i[k]] >= 0) {
                C->i[q] = at[A->i[k]];
                C->x[q++] = A->x[k];
            }
        C->p[at[j] + 1] = q;
    }
    return s;
}

fb_status fb_csc_sub(const fb_csc *A, const int64_t *rows, int64_t nr, const int64_t *cols,
                     int64_t nc, fb_csc *B, fb_err *e)
{
    int64_t *row = NULL, *col = NULL, *count = NULL;
    fb_csc C = {0};
    fb_status s = FB_OK;
    for (int64_t k = 1; k < nr; k++)
        if (rows[k] <= rows[k - 1])
            FB_TRY(fb_fail(e, FB_EFORMAT,
                           "rows of a part of a matrix must ascend: %lld follows %lld",
                           (long long)rows[k], (long long)rows[k - 1]));
    if (fb_is_far(A->p) && rows == cols)
        return fb_far->sub(A, rows, nr, B, e);
    FB_TRY(positions(rows, nr, A->m, &row, e));
    if (A->upper && rows == cols) {
        FB_TRY(principal(A, row, nr, B, e));
        goto out;
    }
    FB_TRY(positions(cols, nc, A->n, &col, e));
    FB_TRY(FB_NEW(&count, nc + 1, e));
    each_entry(A, row, col, count_entry, count);
    fb_csc_starts(count, nc);
    FB_TRY(fb_csc_new(&C, nr, nc, count[nc], 0, e));
    memcpy(C.p, count, sizeof *count * (size_t)(nc + 1));
    each_entry(A, row, col, put_sparse, &C);
    memcpy(C.p, count, sizeof *count * (size_t)(nc + 1)); /* put_sparse moved the starts */
    *B = C;
    C = (fb_csc){0};
out:
    fb_csc_free(&C);
    FB_FREE(row, col, count);
    return s;
}

fb_status fb_csc_dense(const fb_csc *A, const int64_t *rows, int64_t nr, const int64_t *cols,
                       int64_t nc, fb_mat *B, fb_err *e)
{
    int64_t *row = NULL, *col = NULL;
    fb_mat C = {0};
    fb_status s = FB_OK;
    FB_TRY(positions(rows, nr, A->m, &row, e));
    FB_TRY(positions(cols, nc, A->n, &col, e));
    FB_TRY(fb_mat_new(&C, nr, nc, e));
    each_entry(A, row, col, put_dense, &C);
    *B = C;
    C = (fb_mat){0};
out:
    fb_mat_free(&C);
    FB_FREE(row, col);
    return s;
}

fb_status fb_csc_split(const fb_csc *A, const int64_t *b, int64_t nb, const int64_t *i, int64_t ni,
                       fb_blocks *P, fb_err *e)
{
    fb_blocks Q = {0};
    fb_status s = FB_OK;
    if (fb_is_far(A->p)) {
        FB_TRY(fb_far->split(A, b, nb, i, ni, &Q, e));
    } else {
        FB_TRY(fb_csc_sub(A, i, ni, i, ni, &Q.Aii, e)); /* (SO.1) */
        FB_TRY(fb_csc_sub(A, i, ni, b, nb, &Q.Aib, e));
        FB_TRY(fb_csc_dense(A, b, nb, b, nb, &Q.Abb, e));
    }
    *P = Q;
    Q = (fb_blocks){0};
out:
    fb_blocks_free(&Q);
    return s;
}

/* C := A(set, set), upper triangle: every entry moves to a place that has been read already. */
static void principal_take(fb_csc *A, const int64_t *at, int64_t n, fb_csc *C)
{
    int64_t q = 0;
    for (int64_t j = 0, from = 0, end; j < A->n; j++, from = end) {
        end = A->p[j + 1];
        if (at[j] < 0)
            continue;
        for (int64_t k = from; k < end; k++)
            if (at[A->i[k]] >= 0) {
                A->i[q] = at[A->i[k]];
                A->x[q++] = A->x[k];
            }
        A->p[at[j] + 1] = q;
    }
    *C = *A;
    C->m = C->n = n;
    *A = (fb_csc){0};
    C->i = fb_shorter(C->i, (size_t)q, sizeof *C->i);
    C->x = fb_shorter(C->x, (size_t)q, sizeof *C->x);
}

fb_status fb_csc_split_take(fb_csc *A, const int64_t *b, int64_t nb, const int64_t *i, int64_t ni,
                            fb_blocks *P, fb_err *e)
{
    fb_blocks Q = {0};
    int64_t *at = NULL;
    fb_status s = FB_OK;
    if (!A->upper)
        FB_TRY(fb_fail(e, FB_EFORMAT, "blocks want a symmetric matrix, upper triangle"));
    FB_TRY(fb_csc_sub(A, i, ni, b, nb, &Q.Aib, e)); /* (SO.1), and i ascends */
    FB_TRY(fb_csc_dense(A, b, nb, b, nb, &Q.Abb, e));
    FB_TRY(positions(i, ni, A->n, &at, e));
    principal_take(A, at, ni, &Q.Aii);
    *P = Q;
    Q = (fb_blocks){0};
out:
    free(at);
    fb_blocks_free(&Q);
    return s;
}

void fb_blocks_free(fb_blocks *P)
{
    FB_FREE_BY(fb_csc_free, &P->Aii, &P->Aib);
    fb_mat_free(&P->Abb);
}

fb_status fb_complement(int64_t n, const int64_t *b, int64_t nb, int64_t **i, fb_err *e)
{
    int64_t *at = NULL, *rest = NULL, k = 0;
    fb_status s = FB_OK;
    FB_TRY(positions(b, nb, n, &at, e));
    FB_TRY(fb_new(&rest, n - nb, sizeof *rest, "interior dofs", e));
    for (int64_t j = 0; j < n; j++)
        if (at[j] < 0)
            rest[k++] = j;
    *i = rest;
out:
    free(at);
    return s;
}

typedef struct {
    const fb_csc *A;
    const double *u;
    double *y, *own; /* [n], [threads - 1][n] */
    int threads;
} absolute_job;

/* A thread's share of the columns. */
static void absolute_share(void *arg, int t)
{
    const absolute_job *z = arg;
    const fb_csc *A = z->A;
    const double *u = z->u;
    double *y = t ? z->own + (t - 1) * A->n : z->y;
    memset(y, 0, sizeof *y * (size_t)A->n);
    for (int64_t j = A->n * t / z->threads; j < A->n * (t + 1) / z->threads; j++) {
        const double uj = u ? u[j] : 1;
        double own = y[j];
        for (int64_t q = A->p[j]; q < A->p[j + 1]; q++) {
            const int64_t i = A->i[q];
            const double x = fabs(A->x[q]);
            own += u ? x * u[i] : x;
            if (A->upper && i != j)
                y[i] += x * uj;
        }
        y[j] = own;
    }
}

/* y = |A|'u of a near A; u NULL: ones. Without memory for others one thread does it. */
static void absolute_near(const fb_csc *A, const double *u, double *y)
{
    const int64_t worth = 1000000; /* entries: a few milliseconds */
    absolute_job z = {
        .A = A, .u = u, .y = y, .threads = A->n > 0 && A->p[A->n] > worth ? fb_threads() : 1};
    if (z.threads > 1)
        z.own = fb_alloc((size_t)(z.threads - 1) * (size_t)A->n, sizeof *y);
    if (!z.own)
        z.threads = 1;
    fb_parallel(z.threads, absolute_share, &z);
    for (int t = 0; t + 1 < z.threads; t++)
        for (int64_t j = 0; j < A->n; j++)
            y[j] += z.own[t * A->n + j];
    free(z.own);
}

void fb_csc_sums(const fb_csc *A, double *sum)
{
    if (fb_is_far(A->p))
        fb_far->sums(A, sum);
    else
        absolute_near(A, NULL, sum);
}

/* y = |A| u of a symmetric A */
static fb_status absolute(const fb_csc *A, double *u, double *y, fb_err *e)
{
    if (fb_is_far(A->p)) {
        fb_mat Y = {A->n, 1, y};
        return fb_far->absolute(A, &(fb_mat){A->n, 1, u}, &Y, e);
    }
    absolute_near(A, u, y);
    return FB_OK;
}

/* u_i = 1 / sqrt(a_i), y is room. Multipliers tie multipliers, and dofs without stiffness of their
 * own: each pass reaches those beside the last. */
static fb_status inverse_roots(const fb_csc *A, double *u, double *y, fb_err *e)
{
    enum { PASSES = 8 };
    int64_t left = 0;
    fb_csc_diagonal(A, u);
    for (int64_t j = 0; j < A->n; j++) {
        u[j] = fabs(u[j]) > 0 ? 1 / sqrt(fabs(u[j])) : 0;
        left += !(u[j] > 0);
    }
    for (int64_t pass = 0, before = 0; pass < PASSES && left != before && left > 0; pass++) {
        FB_PASS(absolute(A, u, y, e));
        before = left;
        for (int64_t j = 0; j < A->n; j++)
            if (!(u[j] > 0) && y[j] > 0) {
                u[j] = 1 / y[j];
                left--;
            }
    }
    for (int64_t j = 0; left > 0 && j < A->n; j++)
        u[j] = u[j] > 0 ? u[j] : 1;
    return FB_OK;
}

fb_status fb_csc_balanced_sums(const fb_csc *A, double *r, fb_err *e)
{
    double *u = NULL;
    fb_status s = FB_OK;
    FB_TRY(fb_new(&u, A->n, sizeof *u, "roots of a diagonal", e));
    FB_TRY(inverse_roots(A, u, r, e));
    FB_TRY(absolute(A, u, r, e));
    for (int64_t j = 0; j < A->n; j++)
        r[j] /= u[j];
out:
    free(u);
    return s;
}

fb_status fb_csc_norm(const fb_csc *A, double *norm, fb_err *e)
{
    double *sum = NULL, most = 0;
    FB_PASS(fb_new(&sum, A->n, sizeof *sum, "column sums", e));
    fb_csc_sums(A, sum);
    for (int64_t j = 0; j < A->n; j++)
        most = fmax(most, sum[j]);
    free(sum);
    *norm = most;
    return FB_OK;
}

void fb_csc_diagonal(const fb_csc *A, double *d)
{
    if (fb_is_far(A->p)) {
        fb_far->diagonal(A, d);
        return;
    }
    for (int64_t j = 0; j < A->n; j++) {
        int64_t q = A->p[j + 1]; /* rows ascend: of an upper half the diagonal is the last */
        while (q > A->p[j] && A->i[q - 1] > j)
            q--;
        d[j] = q > A->p[j] && A->i[q - 1] == j ? A->x[q - 1] : 0;
    }
}

void fb_csc_tmul(const fb_csc *A, const double *x, int64_t ldx, double *y, int64_t ldy, int64_t k)
{
    if (fb_is_far(A->p)) { /* ldx, ldy: as many as there are rows */
        fb_far->border(A, x, k, y);
        return;
    }
    if (A->upper) { /* A' = A */
        fb_csc_mul(A, x, ldx, y, ldy, k);
        return;
    }
    for (int64_t c = 0; c < k; c++)
        for (int64_t j = 0; j < A->n; j++) {
            double sum = 0;
            for (int64_t q = A->p[j]; q < A->p[j + 1]; q++)
                sum += A->x[q] * x[A->i[q] + c * ldx];
            y[j + c * ldy] += sum;
        }
}

fb_status fb_csc_bilinear(const fb_mat *U, const fb_csc *A, const fb_mat *V, fb_mat *B, fb_err *e)
{
    fb_mat W = {0}, C = {0};
    fb_status s = FB_OK;
    if (U->m != A->m || V->m != A->n)
        return fb_fail(e, FB_ESOLVE, "U'AV of %lld, %lld by %lld and %lld rows", (long long)U->m,
                       (long long)A->m, (long long)A->n, (long long)V->m);
    FB_TRY(fb_mat_new(&C, U->n, V->n, e));
    if (fb_is_far(V->x)) {
        if (U == V)
            FB_TRY(fb_far->congruence(A, NULL, V, &C, e));
    } else if (V->n > FEW) {
        FB_TRY(fb_csc_between(U, A, V, &C, e));
    } else {
        FB_TRY(fb_mat_new(&W, A->m, V->n, e));
        FB_TRY(fb_csc_mul_many(A, V, &W, e));
        FB_TRY(fb_gemm(1, 0, 1, U, &W, 0, &C, e));
    }
    *B = C;
    C = (fb_mat){0};
out:
    FB_FREE_BY(fb_mat_free, &W, &C);
    return s;
}

fb_status fb_csc_congruence(const fb_csc *A, const fb_mat *V, fb_mat *Ar, fb_err *e)
{
    fb_status s = fb_csc_bilinear(V, A, V, Ar, e);
    if (!s)
        fb_mat_symmetrise(Ar);
    return s;
}

/* R += [Abb 0; 0 0] + E H + H' E' */
static void add_boundary(const fb_mat *Abb, const fb_mat *H, fb_mat *R)
{
    for (int64_t j = 0; j < R->n; j++)
        for (int64_t i = 0; i < H->m; i++) {
            R->x[i + j * R->n] += H->x[i + j * H->m];
            R->x[j + i * R->n] += H->x[i + j * H->m];
            if (j < Abb->n)
                R->x[i + j * R->n] += Abb->x[i + j * Abb->m];
        }
}

fb_status fb_blocks_congruence(const fb_blocks *P, const fb_mat *G, fb_mat *Ar, fb_err *e)
{
    int64_t nb = P->Abb.n, nr = G->n;
    fb_mat R = {0}, H = {0};
    fb_status s = FB_OK;
    if (nb > nr || G->m != P->Aii.n)
        return fb_fail(e, FB_ESOLVE,
                       "a basis of %lld by %lld for %lld interior and %lld boundary dofs",
                       (long long)G->m, (long long)nr, (long long)P->Aii.n, (long long)nb);
    FB_TRY(fb_mat_new(&H, nb, nr, e));
    if (fb_is_far(P->Aii.p)) {
        FB_TRY(fb_mat_new(&R, nr, nr, e));
        FB_TRY(fb_far->congruence(&P->Aii, &P->Aib, G, &R, e)); /* with E H + H' E' */
    } else {
        fb_csc_tmul(&P->Aib, G->x, G->m, H.x, nb, nr); /* (SO.3) H = Aib' G          */
        FB_TRY(fb_csc_bilinear(G, &P->Aii, G, &R, e)); /*        G'(Aii G)           */
    }
    add_boundary(&P->Abb, &H, &R); /*        Abb + E H + H' E'   */
    fb_mat_symmetrise(&R);
    *Ar = R;
    R = (fb_mat){0};
out:
    FB_FREE_BY(fb_mat_free, &R, &H);
    return s;
}
