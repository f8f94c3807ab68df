/* SPDX-License-Identifier: GPL-3.0-or-later */
/* ordering.c - the order in which the equations of a body are eliminated: one nested dissection for
 * all factors. */
#include "memory.h"
#include "full.h"
#include "linalg/factor.h"
#include "linalg/far.h"
#include <stdlib.h>

fb_status fb_full_nodes(const fb_full *f, const int64_t *eq, int64_t n, int64_t **node, fb_err *e)
{
    fb_status s = f->labelled ? fb_new(node, n, 8, "nodes of the equations", e) : FB_OK;
    for (int64_t k = 0; !s && f->labelled && k < n; k++)
        (*node)[k] = f->b->dof_node[f->dof[eq ? eq[k] : k]];
    return s;
}

/* By the graph of K, which M's is a part of but for odd masses: these and multipliers are left to
 * those who factorise. Of matrices that are far by the graph of both. */
fb_status fb_full_order_all(fb_full *f, fb_err *e)
{
    int64_t *node = NULL;
    fb_status s = FB_OK;
    const int far = fb_is_far(f->K.p);
    if (f->nmult || (!far && f->M.p[f->n] > f->K.p[f->n]))
        return FB_OK;
    fb_step(f->log, "order of %lld equations", (long long)f->n);
    FB_TRY(fb_full_nodes(f, NULL, f->n, &node, e));
    FB_TRY(fb_new(&f->order, f->n, 8, "order", e));
    s = far ? fb_far->order(&f->K, &f->M, node, f->order, e) : fb_order(&f->K, node, f->order, e);
out:
    free(node);
    return s;
}

fb_status fb_full_order(const fb_full *f, const int64_t *eq, int64_t n, int64_t **order, fb_err *e)
{
    int64_t *at = NULL, k = 0;
    fb_status s = FB_OK;
    if (!f->order || n == 0)
        return FB_OK;
    FB_TRY(fb_new(&at, f->n, 8, "order", e));
    FB_TRY(fb_new(order, n, 8, "order", e));
    for (int64_t j = 0; j < n; j++)
        at[eq ? eq[j] : j] = j + 1;
    for (int64_t q = 0; q < f->n; q++)
        if (at[f->order[q]])
            (*order)[k++] = at[f->order[q]] - 1;
out:
    free(at);
    return s;
}

fb_status fb_full_order_of_rest(const fb_full *f, const int64_t *eq, int64_t n, int64_t **order,
                                fb_err *e)
{
    return n < f->n - f->n / 10 ? FB_OK : fb_full_order(f, eq, n, order, e);
}
