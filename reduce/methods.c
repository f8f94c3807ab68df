/* SPDX-License-Identifier: GPL-3.0-or-later */
/* methods.c - the table of reduction methods, from the rows in method.h, and what a reduction is
 * made of. */
#include "method.h"
#include <stdlib.h>
#include <string.h>

enum { BLOCK = 256 }; /* rows handled together by fb_mat_times */

const fb_method *const fb_methods[] = {
#define X(name) &fb_method_##name,
    FB_METHODS(X)
#undef X
        NULL};

const fb_method *fb_method_find(const char *name)
{
    for (const fb_method *const *m = fb_methods; *m; m++)
        if (!strcmp((*m)->name, name))
            return *m;
    return NULL;
}

void fb_reduction_free(fb_reduction *r)
{
    fb_mat_free(&r->V);
    fb_mat_free(&r->T);
    free(r->kind);
    free(r->K);
    free(r->M);
    free(r->D);
    free(r->boundary);
    free(r->ranking);
    free(r->check.residual);
    free(r->load);
    *r = (fb_reduction){0};
}

/* A block of rows is copied out, so that no second A is needed: T may be most of the memory. */
fb_status fb_mat_times(fb_mat *A, const fb_mat *W, fb_err *e)
{
    int64_t m = A->m, k = W->m, n = W->n;
    fb_mat B = {0}, C = {0};
    fb_status s = FB_OK;
    FB_TRY(fb_mat_new(&B, BLOCK, k, e));
    FB_TRY(fb_mat_new(&C, BLOCK, n, e));
    for (int64_t r = 0; r < m; r += BLOCK) {
        int64_t rows = m - r < BLOCK ? m - r : BLOCK;
        for (int64_t c = 0; c < k; c++)
            memcpy(B.x + c * BLOCK, A->x + r + c * m, sizeof(double) * (size_t)rows);
        FB_TRY(fb_gemm(0, 0, 1, &B, W, 0, &C, e));
        for (int64_t c = 0; c < n; c++)
            memcpy(A->x + r + c * m, C.x + c * BLOCK, sizeof(double) * (size_t)rows);
    }
    A->n = n;
out:
    fb_mat_free(&B);
    fb_mat_free(&C);
    return s;
}

fb_status fb_reduction_orthonormalize(const fb_model *b, fb_reduction *r, fb_err *e)
{
    fb_model pair = *b; /* its dofs and nodes tell rigid motion */
    fb_roots q = {0};
    double *D = NULL;
    fb_status s = FB_OK;
    pair.nr = r->nr;
    pair.Kr = r->K;
    pair.Mr = r->M;
    pair.T = r->T.x;
    pair.shape = NULL;
    FB_TRY(fb_model_roots(&pair, &q, e));
    if (q.n < r->nr) {
        s = fb_fail(e, FB_ESOLVE,
                    "the %lld coordinates of the reduced body are dependent: name fewer boundary "
                    "dofs, or others",
                    (long long)r->nr);
        goto out;
    }
    if (r->V.x)
        FB_TRY(fb_mat_times(&r->V, &q.V, e));
    if (r->T.x)
        FB_TRY(fb_mat_times(&r->T, &q.V, e));
    if (r->D)
        FB_TRY(fb_congruence_rows(r->D, &q.V, &D, e));
    if (D) {
        free(r->D);
        r->D = D;
    }
    memset(r->K, 0, sizeof(double) * (size_t)(r->nr * r->nr));
    memset(r->M, 0, sizeof(double) * (size_t)(r->nr * r->nr));
    for (int64_t k = 0; k < r->nr; k++) {
        r->K[k * r->nr + k] = q.lambda[k];
        r->M[k * r->nr + k] = 1;
        r->kind[k] = FB_KIND_EIGEN;
    }
out:
    fb_roots_free(&q);
    return s;
}
