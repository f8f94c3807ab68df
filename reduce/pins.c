/* SPDX-License-Identifier: GPL-3.0-or-later */
/* pins.c - as many dofs as hold given motions. */
#include "memory.h"
#include "full.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* The rows of diag(sqrt(K_jj)) Z that a Gram-Schmidt process with pivots picks. */
fb_status fb_full_pins(const fb_csc *K, const fb_mat *Z, int64_t *p, fb_err *e)
{
    fb_mat W = {0};
    double *d = NULL;
    fb_status s = FB_OK;
    FB_TRY(fb_mat_new(&W, Z->n, Z->m, e)); /* rows of Z as columns */
    FB_TRY(fb_new(&d, Z->m, 8, "diagonal", e));
    fb_csc_diagonal(K, d);
    for (int64_t i = 0; i < Z->m; i++)
        for (int64_t k = 0; k < Z->n; k++)
            W.x[k + i * W.m] = Z->x[i + k * Z->m] * sqrt(d[i] > 0 ? d[i] : 1);
    for (int64_t c = 0; c < Z->n; c++) {
        double most = 0;
        for (int64_t i = 0; i < Z->m; i++) {
            double sum = 0;
            for (int64_t k = 0; k < W.m; k++)
                sum += W.x[k + i * W.m] * W.x[k + i * W.m];
            if (sum > most) {
                most = sum;
                p[c] = i;
            }
        }
        if (!(most > 0))
            FB_TRY(fb_fail(e, FB_ESOLVE,
                           "the %lld rigid motions of the interior depend on each other",
                           (long long)Z->n));
        double *pivot = W.x + p[c] * W.m;
        for (int64_t i = 0; i < Z->m; i++) {
            double *w = W.x + i * W.m, dot = 0;
            if (w == pivot)
                continue;
            for (int64_t k = 0; k < W.m; k++)
                dot += w[k] * pivot[k];
            for (int64_t k = 0; k < W.m; k++)
                w[k] -= dot / most * pivot[k];
        }
        memset(pivot, 0, sizeof *pivot * (size_t)W.m);
    }
out:
    fb_mat_free(&W);
    free(d);
    return s;
}
