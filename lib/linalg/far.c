/* SPDX-License-Identifier: GPL-3.0-or-later */
/* far.c - addresses of what other processes hold. */
#define _DEFAULT_SOURCE /* MAP_ANONYMOUS, MAP_NORESERVE */
#include "far.h"
#include "memory.h"
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

const fb_far_calls *fb_far;

enum { MOST = 256 }; /* a few dozen are used at a time */
static struct {
    char *first;
    size_t bytes;
    int64_t object;
} table[MOST];

int64_t fb_far_object(const void *p, int64_t *at)
{
    const char *x = p;
    for (int k = 0; x && k < MOST; k++)
        if (table[k].object && x >= table[k].first && x < table[k].first + table[k].bytes) {
            if (at)
                *at = x - table[k].first;
            return table[k].object;
        }
    return 0;
}

fb_status fb_far_address(int64_t object, int64_t bytes, void *pp, fb_err *e)
{
    const size_t size = bytes > 0 ? (size_t)bytes + 1 : 1; /* an address behind the last, too */
    int k = 0;
    while (k < MOST && table[k].object)
        k++;
    void *p = k == MOST
                  ? MAP_FAILED
                  : mmap(NULL, size, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (p == MAP_FAILED)
        return fb_fail(e, FB_ESYS, "no addresses are left for %.3g MB on other ranks",
                       (double)bytes / 1e6);
    table[k].first = p;
    table[k].bytes = size;
    table[k].object = object;
    memcpy(pp, &p, sizeof p);
    return FB_OK;
}

int64_t fb_far_forget(const void *p)
{
    for (int k = 0; p && k < MOST; k++)
        if (table[k].object && table[k].first == (const char *)p) {
            const int64_t object = table[k].object;
            munmap(table[k].first, table[k].bytes);
            table[k].object = 0;
            return object;
        }
    return 0;
}

void fb_far_free(double *x)
{
    if (fb_is_far(x))
        fb_far->release(x);
    else
        free(x);
}

fb_status fb_mat_like(const fb_mat *X, int64_t n, fb_mat *Y, fb_err *e)
{
    return fb_is_far(X->x) ? fb_far->block(X->x, X->m, n, Y, e) : fb_mat_new(Y, X->m, n, e);
}

fb_status fb_mat_near(const fb_mat *X, fb_mat *Y, fb_err *e)
{
    if (!fb_is_far(X->x))
        return fb_mat_copy(Y, X, e);
    FB_PASS(fb_mat_new(Y, X->m, X->n, e));
    fb_far->fetch(X, Y->x);
    return FB_OK;
}

fb_status fb_mat_rows(const fb_mat *X, const int64_t *row, fb_mat *Y, fb_err *e)
{
    double *one = NULL;
    fb_status s = FB_OK;
    if (fb_is_far(X->x) && fb_is_far(Y->x))
        return fb_far->restriction(X, row, Y, e);
    FB_TRY(fb_new(&one, X->n, sizeof *one, "row", e));
    for (int64_t k = 0; k < Y->m; k++) {
        if (fb_is_far(X->x))
            fb_far->row(X, row[k], one);
        for (int64_t c = 0; c < X->n; c++)
            Y->x[k + c * Y->m] = fb_is_far(X->x) ? one[c] : X->x[row[k] + c * X->m];
    }
out:
    free(one);
    return s;
}

fb_status fb_mat_pick(fb_mat *X, const int64_t *keep, int64_t n, fb_err *e)
{
    const double **x = NULL;
    fb_mat Y = {0};
    fb_status s = FB_OK;
    for (int64_t k = 0; !fb_is_far(X->x) && k < n; k++)
        if (keep[k] != k)
            memcpy(X->x + k * X->m, X->x + keep[k] * X->m, sizeof *X->x * (size_t)X->m);
    if (fb_is_far(X->x) && n > 0) { /* of none, no object says where the rows would be */
        FB_TRY(fb_new(&x, n, sizeof *x, "columns", e));
        for (int64_t k = 0; k < n; k++)
            x[k] = X->x + keep[k] * X->m;
        FB_TRY(fb_far->arrange(x, n, X->m, &Y, e));
        fb_mat_free(X);
        *X = Y;
    }
    X->n = n;
out:
    free(x);
    return s;
}
