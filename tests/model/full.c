/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "tests/model/full.h"
#include <stdlib.h>
#include <string.h>

static void *get(int64_t n)
{
    void *p = fb_alloc((size_t)n, 8);
    if (!p)
        abort();
    return p;
}

void full_body(fb_model *b, test_model *t)
{
    fb_err e;
    int64_t n = t->K.n, per = t->nn ? n / t->nn : 1, nn = n / per;
    *b = (fb_model){.nn = nn, .ndof = n};
    if (fb_units_system(&b->units, "SI", &e))
        abort();
    b->node_id = get(nn);
    b->xyz = get(3 * nn);
    for (int64_t p = 0; p < nn; p++) {
        b->node_id[p] = p + 1;
        if (t->nn)
            memcpy(b->xyz + 3 * p, t->xyz + 3 * p, 3 * sizeof(double));
        else
            b->xyz[3 * p] = (double)p;
    }
    b->dof_node = get(n);
    b->dof_component = get(n);
    b->dof_class = get(n);
    for (int64_t d = 0; d < n; d++) {
        b->dof_node[d] = d / per + 1;
        b->dof_component[d] = d % per + 1;
    }
    b->K = t->K;
    b->M = t->M;
    t->K = t->M = (fb_csc){0};
    test_model_free(t);
    if (fb_model_check(b, &e))
        abort();
}

void full_block(fb_model *b, int seed)
{
    fb_err e;
    test_model t = {0};
    const int64_t cells[] = {2 + seed % 3, 1 + seed % 2, 1};
    const double size[] = {0.3 + 0.1 * seed, 0.05 + 0.02 * (seed % 5), 0.04};
    if (test_solid(&t, cells, size, seed % 3 ? 8 : 20, &e))
        abort();
    full_body(b, &t);
}

void full_any(fb_model *b, int seed)
{
    fb_err e;
    test_model t = {0};
    const int64_t cells[] = {1, 2 + seed % 2, 2};
    const double size[] = {0.02 + 0.01 * (seed % 2), 0.5, 0.4};
    if (seed % 3 == 0) {
        full_block(b, seed / 3);
        return;
    }
    if (seed % 3 == 1 ? test_frame(&t, 7 + seed / 3 % 3, (unsigned)seed, 0, &e)
                      : test_solid(&t, cells, size, 20, &e))
        abort();
    full_body(b, &t);
}
