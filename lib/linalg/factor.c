/* SPDX-License-Identifier: GPL-3.0-or-later */
/* factor.c - sparse factors: what every engine does alike, and the table of engines.
 *
 * Equations  S = K - sigma M, symmetric; P a nested dissection order (order.c)
 *   (FA.1) P S P' = L L'            definite: factor_cholmod.c
 *   (FA.2) P S P' = L D L'          indefinite: factor_mumps.c
 */
#include "factor_engine.h"
#include "lu.h"
#include "memory.h"
#include "sparse_ops.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const fb_factor_engine *const engines[] = {&fb_factor_cholmod, &fb_factor_mumps};

fb_status fb_factor_alloc(fb_factor **F, size_t size, const fb_factor_engine *engine, int64_t n,
                          fb_err *e)
{
    FB_PASS(fb_new(F, 1, size, "factor", e));
    (*F)->engine = engine;
    (*F)->n = n;
    return FB_OK;
}

fb_status fb_factor_shifted(const fb_csc *K, const fb_csc *M, double sigma, fb_csc *S, int *own,
                            fb_err *e)
{
    if (!K->upper || (M && !M->upper))
        return fb_fail(e, FB_EFORMAT, "a factor needs symmetric matrices, upper triangle");
    *own = M != NULL;
    if (M)
        return fb_csc_add(K, -sigma, M, S, e);
    *S = *K;
    return FB_OK;
}

double fb_factor_limit(const fb_factor_opts *opts)
{
    return opts && opts->memory > 0 ? opts->memory : fb_memory_available();
}

/* GiB of each of so many ranks: the program with MPI, and MUMPS takes 1.27, 1.57, 1.87 times the
 * entries on 1, 2, 4 of them (measured), where CHOLMOD's factor takes what f says. */
static double share(const fb_forecast *f, int ranks)
{
    const double program = 43. / 1024;
    return program + f->gib * (1.2 + 0.3 * log2(ranks)) / ranks;
}

fb_status fb_factor_fits(const fb_forecast *f, int64_t n, const char *what, fb_err *e)
{
    int ranks = 2;
    if (f->limit <= 0 || f->gib <= f->limit)
        return FB_OK;
    while (ranks < 4096 && share(f, ranks) > f->limit)
        ranks *= 2;
    return fb_fail(e, FB_ESYS,
                   "%s of %lld equations needs %.3g GiB of memory (%.3g million entries), %.3g GiB "
                   "may be used: allow more, free some, or take the memory of several machines: "
                   "mpirun -n %d reduce-mpi, %.3g GiB a rank",
                   what, (long long)n, f->gib, f->nnz * 1e-6, f->limit, ranks, share(f, ranks));
}

fb_forecast fb_factor_forecast(const fb_factor *F)
{
    return F->forecast;
}

fb_inertia_count fb_factor_inertia(const fb_factor *F)
{
    return F->inertia;
}

static fb_status solve(fb_factor *F, int halves, fb_mat *X, fb_err *e)
{
    if (halves != FB_BOTH && !F->engine->rows)
        return fb_fail(e, FB_ESOLVE, "half solves need a definite factor");
    if (X->m != F->n)
        return fb_fail(e, FB_ESOLVE, "a factor of %lld equations and a right-hand side of %lld",
                       (long long)F->n, (long long)X->m);
    return X->m == 0 || X->n == 0 ? FB_OK : F->engine->solve(F, halves, X, e);
}

fb_status fb_factor_solve(fb_factor *F, fb_mat *X, fb_err *e)
{
    return solve(F, FB_BOTH, X, e);
}

fb_status fb_factor_forward(fb_factor *F, fb_mat *X, fb_err *e)
{
    return solve(F, FB_FORWARD, X, e);
}

fb_status fb_factor_backward(fb_factor *F, fb_mat *X, fb_err *e)
{
    return solve(F, FB_BACKWARD, X, e);
}

static fb_status rows(fb_factor *F, int half, double *R, int64_t k, fb_err *e)
{
    if (!F->engine->rows)
        return fb_fail(e, FB_ESOLVE, "half solves need a definite factor");
    return F->engine->rows(F, half, R, k, e);
}

fb_status fb_factor_forward_rows(fb_factor *F, double *R, int64_t k, fb_err *e)
{
    return rows(F, FB_FORWARD, R, k, e);
}

fb_status fb_factor_backward_rows(fb_factor *F, double *R, int64_t k, fb_err *e)
{
    return rows(F, FB_BACKWARD, R, k, e);
}

fb_status fb_factor_couple(fb_factor *F, const fb_csc *M, fb_coupling **c, fb_err *e)
{
    *c = NULL;
    return F->engine->couple ? F->engine->couple(F, M, c, e) : FB_OK;
}

void fb_factor_congruence_rows(fb_factor *F, const fb_coupling *c, double *X, double *Y)
{
    F->engine->congruence(F, c, X, Y);
}

const int64_t *fb_factor_order(const fb_factor *F)
{
    return F->engine->order ? F->engine->order(F) : NULL;
}

void fb_sparse_version(char *out, size_t n)
{
    for (size_t k = 0, at = 0; k < sizeof engines / sizeof *engines && at < n; k++) {
        char one[64];
        engines[k]->version(one, sizeof one);
        at += (size_t)snprintf(out + at, n - at, "%s, ", one);
    }
    const size_t at = strlen(out);
    fb_lu_version(out + at, n - at);
}

void fb_factor_free(fb_factor *F)
{
    if (F)
        F->engine->free(F);
    free(F);
}
