/* SPDX-License-Identifier: GPL-3.0-or-later */
/* reduction.c - a reduction: what it is made of, and its eigenvectors as coordinates. */
#include "method.h"
#include <stdlib.h>
#include <string.h>

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
    if (q.n < r->nr)
        FB_TRY(
            fb_fail(e, FB_ESOLVE,
                    "the %lld coordinates of the reduced body are dependent: name fewer boundary "
                    "dofs, or others",
                    (long long)r->nr));
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
