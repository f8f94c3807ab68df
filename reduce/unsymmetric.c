/* SPDX-License-Identifier: GPL-3.0-or-later */
/* unsymmetric.c - constraint modes of a stiffness that is not symmetric: friction, follower loads.
 *
 * Symbols  K its symmetric part, N its skew part; b boundary, i interior
 * Equations
 *   (US.1) (Kii + Nii) Psi = -(Kib + Nib)
 *   (US.2) T = [I 0; Psi Phi], Phi normal modes of K;  T'(K + N)T
 * The interior's rows of (K + N)[I; Psi] are zero, so that T'(K + N)T couples modes to the boundary
 * in one direction alone, and static answers at the boundary are those of the full model.
 * Source   Craig & Bampton, AIAA J. 6 (1968) 1313-1319, with (US.1) in place of symmetric statics
 * Cost     one LU of Kii + Nii, nb solves
 */
#include "linalg/far.h"
#include "linalg/lu.h"
#include "memory.h"
#include "full.h"
#include <stdlib.h>

/* The blocks ii and ib of N. */
static fb_status blocks(const fb_split *t, const fb_csc *N, fb_csc *Nii, fb_csc *Nib,
                        int64_t **node, fb_err *e)
{
    const int64_t *dof = t->f->dof;
    int64_t *i = NULL, *column = NULL, *b = NULL;
    fb_status s = FB_OK;
    FB_TRY(FB_NEW(&i, t->ni, e));
    FB_TRY(FB_NEW(&b, t->nb, e));
    for (int64_t k = 0; k < t->ni; k++)
        i[k] = dof[t->i[k]];
    for (int64_t k = 0; k < t->nb; k++)
        b[k] = dof[t->b[k]];
    FB_TRY(fb_copy(&column, i, t->ni, sizeof *i, "columns", e));
    FB_TRY(fb_csc_sub(N, i, t->ni, column, t->ni, Nii, e));
    FB_TRY(fb_csc_sub(N, i, t->ni, b, t->nb, Nib, e));
    s = fb_full_nodes(t->f, t->i, t->ni, node, e);
out:
    FB_FREE(i, column, b);
    return s;
}

static void minus_column(const fb_csc *A, int64_t j, double *x)
{
    for (int64_t q = A->p[j]; q < A->p[j + 1]; q++)
        x[A->i[q]] -= A->x[q];
}

fb_status fb_unsymmetric_statics(fb_work *w, fb_err *e)
{
    const fb_split *t = &w->t;
    const fb_csc *N = &w->f.b->N;
    fb_csc Nii = {0}, Nib = {0};
    const fb_csc *const term[] = {&t->K.Aii, &Nii};
    int64_t *node = NULL;
    double *x = NULL;
    fb_lu *L = NULL;
    fb_lu_factor *F = NULL;
    fb_status s = FB_OK;
    if (!N->p || !t->ni || !t->nb)
        return FB_OK;
    if (fb_is_far(w->G.x))
        return fb_fail(e, FB_EUSAGE,
                       "a stiffness that is not symmetric is for one machine: reduce has it");
    fb_step(w->f.log, "constraint modes of the unsymmetric stiffness");
    FB_TRY(blocks(t, N, &Nii, &Nib, &node, e));
    FB_TRY(FB_NEW(&x, t->ni, e));
    FB_TRY(fb_lu_new(&L, term, 2, 0, &(fb_factor_opts){.node = node, .memory = w->f.o->memory}, e));
    s = fb_lu_factor_new(&F, L, (double[]){1, 1}, e);
    if (s == FB_ESOLVE) {
        fb_warn(
            w->f.log,
            "static answers are those of the symmetric stiffness: with its skew part the interior "
            "%s",
            e->msg);
        *e = (fb_err){0};
        s = FB_OK;
        goto out;
    }
    if (s)
        goto out;
    for (int64_t j = 0; j < t->nb; j++) {
        for (int64_t k = 0; k < t->ni; k++)
            x[k] = 0;
        minus_column(&t->K.Aib, j, x);
        minus_column(&Nib, j, x);
        FB_TRY(fb_lu_solve(F, x, w->G.x + j * t->ni, e)); /* (US.1) */
    }
out:
    fb_lu_factor_free(F);
    fb_lu_free(L);
    FB_FREE_BY(fb_csc_free, &Nii, &Nib);
    FB_FREE(node, x);
    return s;
}
