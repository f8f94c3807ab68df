/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "tests/model/triplets.h"
#include <stdlib.h>

fb_status triplets_new(triplets *t, int64_t n, fb_err *e)
{
    fb_status s = FB_OK;
    FB_TRY(FB_NEW(&t->i, n, e));
    FB_TRY(FB_NEW(&t->j, n, e));
    FB_TRY(FB_NEW(&t->x, n, e));
out:
    return s;
}

void triplets_free(triplets *t)
{
    free(t->i);
    free(t->j);
    free(t->x);
}

fb_status turn_blocks(fb_csc *A, const double Q[3][3], fb_err *e)
{
    const int64_t n = A->n;
    triplets t = {0};
    fb_mat D = {0};
    fb_status s = FB_OK;
    FB_TRY(triplets_new(&t, n * (n + 1) / 2, e));
    FB_TRY(fb_mat_new(&D, n, n, e));
    for (int64_t c = 0; c < n; c++)
        for (int64_t q = A->p[c]; q < A->p[c + 1]; q++)
            D.x[A->i[q] + c * n] = D.x[c + A->i[q] * n] = A->x[q];
    for (int64_t c = 0; c < n; c++)
        for (int64_t r = 0; r <= c; r++) {
            double sum = 0;
            for (int k = 0; k < 3; k++)
                for (int l = 0; l < 3; l++)
                    sum += Q[r % 3][k] * D.x[r / 3 * 3 + k + (c / 3 * 3 + l) * n] * Q[c % 3][l];
            t.i[t.n] = r;
            t.j[t.n] = c;
            t.x[t.n++] = sum;
        }
    fb_csc_free(A);
    s = fb_csc_from_triplets(A, n, n, t.n, t.i, t.j, t.x, 1, e);
out:
    triplets_free(&t);
    fb_mat_free(&D);
    return s;
}
