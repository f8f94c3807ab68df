/* SPDX-License-Identifier: GPL-3.0-or-later */
/* shapes.c - the shapes of nodes, all coordinates at once. */
#include "memory.h"
#include "body.h"
#include <stdlib.h>

fb_status fb_node_shapes(const fb_model *b, const int64_t *node, int64_t n, double **x, fb_err *e)
{
    fb_shaper z = {0};
    double *y = NULL, *column = NULL;
    fb_status s = FB_OK;
    FB_TRY(fb_shaper_new(&z, b, fb_shapes(b), node, n, e));
    FB_TRY(fb_new(&y, 6 * n * b->nr, sizeof *y, "shapes of the nodes", e));
    FB_TRY(fb_new(&column, 6 * n, sizeof *column, "a shape", e));
    for (int64_t k = 0; k < b->nr; k++) {
        fb_shaper_column(&z, k, column);
        for (int64_t d = 0; d < 6 * n; d++)
            y[d * b->nr + k] = column[d];
    }
    *x = y;
    y = NULL;
out:
    free(y);
    free(column);
    fb_shaper_free(&z);
    return s;
}
