/* SPDX-License-Identifier: GPL-3.0-or-later */
/* methods.c - the table of reduction methods, from the rows in method.h, and what a reduction is made of. */
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
    const fb_mat K = {r->nr, r->nr, r->K}, M = {r->nr, r->nr, r->M};
    fb_mat W = {0};
    fb_model body = *b; /* borrowed: the body that r makes of it */
    double *lambda = NULL, *D = NULL;
    char *rigid = NULL;
    int64_t n = 0;
    fb_status s = FB_OK;
    FB_TRY(fb_new(&lambda, r->nr, 8, "eigenvalues", e));
    FB_TRY(fb_new(&rigid, r->nr, 1, "rigid modes", e));
    FB_TRY(fb_eig_dense(&K, &M, lambda, &W, e));
    body.Kr = r->K;
    body.Mr = r->M;
    body.nr = r->nr;
    body.T = r->T.x;
    FB_TRY(fb_rigid_find(&body, lambda, &W, rigid, &n, e));
    if (r->V.x)
        FB_TRY(fb_mat_times(&r->V, &W, e));
    if (r->T.x)
        FB_TRY(fb_mat_times(&r->T, &W, e));
    if (r->D) {
        FB_TRY(fb_congruence_rows(r->D, &W, &D, e));
        free(r->D);
        r->D = D;
    }
    memset(r->K, 0, sizeof(double) * (size_t)(r->nr * r->nr));
    memset(r->M, 0, sizeof(double) * (size_t)(r->nr * r->nr));
    for (int64_t k = 0; k < r->nr; k++) {
        r->K[k * r->nr + k] = rigid[k] ? 0 : lambda[k];
        r->M[k * r->nr + k] = 1;
        r->kind[k] = FB_KIND_EIGEN;
    }
out:
    fb_mat_free(&W);
    free(lambda);
    free(rigid);
    return s;
}
