/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "tests/model/reduced.h"
#include "invariants/inertia.h"
#include "reduce/method.h"
#include <stdlib.h>
#include <string.h>

static void finish(fb_model *b)
{
    fb_err e;
    int64_t n = b->nr * b->nr;
    b->Dr = fb_alloc((size_t)n, 8);
    if (!b->Dr)
        abort();
    for (int64_t k = 0; k < n; k++)
        b->Dr[k] = 0.1 * b->Mr[k] + 1e-4 * b->Kr[k];
    snprintf(b->method, sizeof b->method, "cb");
    if (fb_model_frequencies(b, NULL, &e) || fb_model_connectors(b, b->T, &e) ||
        fb_invariants_nodal(b, b->T, &e) || fb_model_check(b, &e))
        abort();
}

/* The model part (/modes) goes: what is left is the reduced body. */
static void drop_modes(fb_model *b)
{
    free(b->shape);
    free(b->eigen);
    free(b->mode_number);
    free(b->mode_transform);
    free(b->stress);
    free(b->stress_node);
    free(b->stat_node);
    free(b->stat_value);
    b->shape = b->eigen = b->mode_transform = b->stress = b->stat_value = NULL;
    b->mode_number = b->stress_node = b->stat_node = NULL;
    b->nm = b->ns = 0;
}

void make_held(fb_model *b, int64_t nn, int64_t nm, uint64_t seed)
{
    make_body(b, nn, nm + 6, seed);
    int64_t m = nm + 6;
    b->T = fb_alloc((size_t)(nm * b->ndof), 8);
    if (!b->T)
        abort();
    memcpy(b->T, b->shape + 6 * b->ndof, (size_t)(nm * b->ndof) * 8);
    for (int64_t i = 0; i < nm; i++)
        for (int64_t j = 0; j < nm; j++) {
            b->Kr[i * nm + j] = b->Kr[(i + 6) * m + j + 6];
            b->Mr[i * nm + j] = b->Mr[(i + 6) * m + j + 6];
        }
    b->nr = nm;
    drop_modes(b);
    finish(b);
}

void make_constrained(fb_model *b, int64_t nn, int64_t nm, uint64_t seed)
{
    fb_reduceopt want = {.order = 12 + nm, .modes = -1};
    fb_reduction r = {0};
    fb_mat T = {0};
    fb_log log = {0};
    fb_err e;
    make_body(b, nn, 12 + nm + 2, seed);
    const fb_mat Phi0 = {b->ndof, b->nm, b->shape};
    if (fb_method_cb.modal(b, &want, &r, &log, &e) || fb_mat_new(&T, b->ndof, r.nr, &e) ||
        fb_gemm(0, 0, 1, &Phi0, &r.V, 0, &T, &e))
        abort();
    free(b->Kr);
    free(b->Mr);
    free(b->kind);
    b->T = T.x;
    b->Kr = r.K;
    b->Mr = r.M;
    b->kind = r.kind;
    b->nr = r.nr;
    r.K = r.M = NULL;
    r.kind = NULL;
    fb_reduction_free(&r);
    fb_log_free(&log);
    drop_modes(b);
    finish(b);
}
