/* SPDX-License-Identifier: GPL-3.0-or-later */
/* transform.c - transposed, renumbered and congruent sparse matrices.
 *
 * Equation  (TR.1) C = T' A T        A [n x n], upper or of any form; T [n x m], C [m x m]
 * Cost      O(flops of the product + nnz); memory for A, its lower half and C
 *
 * Columns of C are summed by Gustavson's row-merging: each only touches the entries it has. */
#include "memory.h"
#include "sparse.h"
#include "sparse_ops.h"
#include "status.h"
#include <string.h>

fb_status fb_csc_transposed(const fb_csc *A, fb_csc *B, fb_err *e)
{
    fb_csc C = {0};
    FB_PASS(fb_csc_new(&C, A->n, A->m, A->p[A->n], 0, e));
    for (int64_t q = 0; q < A->p[A->n]; q++)
        C.p[A->i[q] + 1]++;
    fb_csc_starts(C.p, C.n);
    for (int64_t c = 0; c < A->n; c++)
        for (int64_t q = A->p[c]; q < A->p[c + 1]; q++) {
            int64_t at = C.p[A->i[q]]++;
            C.i[at] = c;
            C.x[at] = A->x[q];
        }
    fb_csc_rewind(C.p, C.n);
    *B = C;
    return FB_OK;
}

void fb_csc_compact(fb_csc *A, int upper)
{
    int64_t k = 0, q = 0;
    for (int64_t c = 0; c < A->n; c++) {
        for (; q < A->p[c + 1]; q++)
            if (A->x[q] != 0 && (!upper || A->i[q] <= c)) {
                if (k < q) { /* most matrices are compact, and stores cost more than looks */
                    A->i[k] = A->i[q];
                    A->x[k] = A->x[q];
                }
                k++;
            }
        A->p[c + 1] = k;
    }
}

fb_status fb_csc_renumber_take(fb_csc *A, const int64_t *row, const int64_t *col, int64_t n,
                               int upper, fb_csc *B, fb_err *e)
{
    fb_csc T = {0};
    int64_t nnz = 0;
    fb_status s = FB_OK;
    fb_csc_compact(A, 0);
    nnz = A->p[A->n];
    FB_TRY(fb_csc_new(&T, n, n, nnz, 0, e));
    for (int pass = 0; pass < 2; pass++) {
        if (pass)
            fb_csc_starts(T.p, n);
        for (int64_t c = 0; c < A->n; c++)
            for (int64_t q = A->p[c]; q < A->p[c + 1]; q++) {
                int64_t i = row ? row[A->i[q]] : A->i[q], k = col ? col[c] : c;
                int64_t lo = upper && i > k ? k : i, hi = upper && i > k ? i : k;
                if (!pass) {
                    T.p[lo + 1]++;
                    continue;
                }
                int64_t at = T.p[lo]++;
                T.i[at] = hi;
                T.x[at] = A->x[q];
            }
    }
    fb_csc_rewind(T.p, n);
    fb_csc_free(A);
    FB_TRY(fb_csc_transposed(&T, B, e));
    B->upper = upper;
out:
    fb_csc_free(&T);
    return s;
}

/* T keeps some dofs, in their order, and drops the others: done in place. */
static int is_selection(const fb_csc *Tt)
{
    int64_t k = 0;
    for (int64_t d = 0; d < Tt->n; d++) {
        int64_t q = Tt->p[d], n = Tt->p[d + 1] - q;
        if (n > 1 || (n == 1 && (Tt->i[q] != k++ || Tt->x[q] != 1)))
            return 0;
    }
    return 1;
}

static void select_in_place(fb_csc *A, const fb_csc *Tt)
{
    int64_t k = 0, q = 0, m = 0;
    for (int64_t c = 0; c < A->n; c++) {
        int64_t end = A->p[c + 1];
        int keep = Tt->p[c + 1] > Tt->p[c];
        for (; q < end; q++) {
            int64_t t = Tt->p[A->i[q]];
            if (keep && Tt->p[A->i[q] + 1] > t) {
                A->i[k] = Tt->i[t];
                A->x[k++] = A->x[q];
            }
        }
        if (keep)
            A->p[++m] = k;
    }
    A->m = A->n = Tt->m;
    while (m < A->n) /* dofs that no old one has a part in */
        A->p[++m] = k;
}

typedef struct {                  /* the work space of a column */
    const fb_csc *A, *L, *T, *Tt; /* L = A' */
    double *w, *c;                /* [n], [m] */
    char *in_w, *in_c;
    int64_t *at_w, *at_c, nw, nc;
} work;

static void gather(work *k, const fb_csc *H, int64_t col, double t, int skip_diagonal)
{
    for (int64_t q = H->p[col]; q < H->p[col + 1]; q++) {
        int64_t i = H->i[q];
        if (skip_diagonal && i == col)
            continue;
        if (!k->in_w[i]) {
            k->in_w[i] = 1;
            k->at_w[k->nw++] = i;
            k->w[i] = 0;
        }
        k->w[i] += H->x[q] * t;
    }
}

/* Column b of C; of a symmetric one rows a >= b. */
static void column(work *k, int64_t b)
{
    const int upper = k->A->upper;
    k->nw = k->nc = 0;
    for (int64_t q = k->T->p[b]; q < k->T->p[b + 1]; q++) { /* w = A t_b */
        gather(k, k->A, k->T->i[q], k->T->x[q], 0);
        if (upper)
            gather(k, k->L, k->T->i[q], k->T->x[q], 1);
    }
    for (int64_t v = 0; v < k->nw; v++) { /* c = T' w */
        int64_t i = k->at_w[v];
        k->in_w[i] = 0;
        for (int64_t q = k->Tt->p[i]; q < k->Tt->p[i + 1]; q++) {
            int64_t a = k->Tt->i[q];
            if (upper && a < b)
                continue;
            if (!k->in_c[a]) {
                k->in_c[a] = 1;
                k->at_c[k->nc++] = a;
                k->c[a] = 0;
            }
            k->c[a] += k->Tt->x[q] * k->w[i];
        }
    }
    for (int64_t v = 0; v < k->nc; v++)
        k->in_c[k->at_c[v]] = 0;
}

/* C, or its lower half; rows of a column in no order, the transposed one is sorted. */
static fb_status product(work *k, int64_t n, int64_t m, fb_csc *C, fb_err *e)
{
    fb_csc B = {0};
    int64_t *start = NULL;
    fb_status s = FB_OK;
    FB_TRY(FB_NEW(&k->w, n, e));
    FB_TRY(FB_NEW(&k->c, m, e));
    FB_TRY(FB_NEW(&k->in_w, n, e));
    FB_TRY(FB_NEW(&k->in_c, m, e));
    FB_TRY(FB_NEW(&k->at_w, n, e));
    FB_TRY(FB_NEW(&k->at_c, m, e));
    FB_TRY(FB_NEW(&start, m + 1, e));
    for (int64_t b = 0; b < m; b++) {
        column(k, b);
        start[b + 1] = start[b] + k->nc;
    }
    FB_TRY(fb_csc_new(&B, m, m, start[m], 0, e));
    memcpy(B.p, start, (size_t)(m + 1) * sizeof *start);
    for (int64_t b = 0; b < m; b++) {
        column(k, b);
        for (int64_t v = 0; v < k->nc; v++) {
            B.i[B.p[b] + v] = k->at_c[v];
            B.x[B.p[b] + v] = k->c[k->at_c[v]];
        }
    }
    *C = B;
    B = (fb_csc){0};
out:
    fb_csc_free(&B);
    FB_FREE(start, k->w, k->c, k->in_w, k->in_c, k->at_w, k->at_c);
    return s;
}

fb_status fb_transform_take(fb_csc *A, const fb_csc *Tt, fb_csc *C, fb_err *e)
{
    fb_csc L = {0}, T = {0}, P = {0}, Pt = {0};
    const int upper = A->upper;
    work k = {.A = A, .L = &L, .T = &T, .Tt = Tt};
    fb_status s = FB_OK;
    if (Tt->m <= Tt->n && is_selection(Tt)) {
        select_in_place(A, Tt);
        *C = *A;
        *A = (fb_csc){0};
        return FB_OK;
    }
    if (upper)
        FB_TRY(fb_csc_transposed(A, &L, e));
    FB_TRY(fb_csc_transposed(Tt, &T, e));
    FB_TRY(product(&k, Tt->n, Tt->m, &P, e)); /* (TR.1) */
    FB_FREE_BY(fb_csc_free, &L, A);
    FB_TRY(fb_csc_transposed(&P, &Pt, e));
    fb_csc_free(&P);
    if (upper) {
        *C = Pt; /* of the lower half: the upper one */
        Pt = (fb_csc){0};
        C->upper = 1;
    } else {
        FB_TRY(fb_csc_transposed(&Pt, C, e));
    }
    fb_csc_compact(C, upper);
out:
    FB_FREE_BY(fb_csc_free, &L, &T, &P, &Pt);
    return s;
}
