/* SPDX-License-Identifier: GPL-3.0-or-later */
/* boundary.c - the boundary of a full model, and the model split at it.
 *
 * Sets     b boundary (or masters), i interior
 * Equation
 *   (FU.1) A = [Abb Abi; Aib Aii]
 *   (FU.6) F = Mii Psi + Mib            what the interior pushes back with as the boundary speeds
 *          up
 */
#include "status.h"
#include "dofset.h"
#include "memory.h"
#include "full.h"
#include "linalg/far.h"
#include <stdio.h>
#include <string.h>

/* Positions in /dofs become equations; a held dof is an error where it was named, else left out. */
static fb_status to_equations(const fb_full *f, const char *named, int64_t *d, int64_t *n,
                              fb_err *e)
{
    int64_t k = 0;
    for (int64_t q = 0; d && q < *n; q++) {
        int64_t dof = d[q], eq = f->at[dof];
        const fb_dofname one = fb_name_of(f->b->dof_node[dof], f->b->dof_component[dof]);
        if (eq < 0 && named)
            return fb_fail(e, FB_EUSAGE, "%s: dof %s %s: leave it out", named, one.s,
                           f->b->dof_class[dof] == FB_DOF_FIXED ? "is held at zero"
                                                                : "has neither stiffness nor mass");
        if (eq >= 0 && f->b->dof_class[dof] == FB_DOF_MULTIPLIER)
            return fb_fail(e, FB_EUSAGE,
                           "%s: dof %s is a constraint multiplier, no place to join bodies at",
                           named ? named : "/interface/dof", one.s);
        if (eq >= 0)
            d[k++] = eq;
    }
    *n = k;
    return FB_OK;
}

fb_status fb_full_named(const fb_full *f, const char *option, const char *list, int64_t **eq,
                        int64_t *n, fb_err *e)
{
    int64_t *d = NULL, k = 0;
    fb_status s = FB_OK;
    FB_TRY(fb_dofset(f->b, option, list, &d, &k, f->log, e));
    FB_TRY(to_equations(f, option, d, &k, e));
    *eq = d;
    *n = k;
    d = NULL;
out:
    FB_FREE(d);
    return s;
}

int fb_full_has_boundary(const fb_full *f)
{
    const fb_model *b = f->b;
    return f->o->interface || (b->interface_dof && b->nb) || (b->connector_node && b->nc);
}

fb_status fb_full_boundary(const fb_full *f, int64_t **eq, int64_t *n, fb_err *e)
{
    const fb_model *b = f->b;
    int64_t *d = NULL, k = b->nb;
    fb_status s = FB_OK;
    if (f->o->interface)
        return fb_full_named(f, "--interface", f->o->interface, eq, n, e);
    if (b->interface_dof && b->nb)
        FB_TRY(fb_copy(&d, b->interface_dof, k, sizeof *d, "boundary dofs", e));
    else if (b->connector_node && b->nc)
        FB_TRY(fb_connector_dofs(b, &d, &k, f->log, e));
    else
        FB_TRY(fb_fail(e, FB_EUSAGE,
                       "the model names no boundary dofs: give them by --interface LIST"));
    FB_TRY(to_equations(f, NULL, d, &k, e));
    if (k == 0)
        FB_TRY(
            fb_fail(e, FB_EUSAGE, "all boundary dofs are held: give others by --interface LIST"));
    *eq = d;
    *n = k;
    d = NULL;
out:
    FB_FREE(d);
    return s;
}

/* (FU.1) */
fb_status fb_split_new_take(fb_split *out, const fb_full *f, int64_t **b, int64_t nb, fb_err *e)
{
    fb_split t = {.f = f, .nb = nb, .ni = f->n - nb, .b = *b};
    fb_status s = FB_OK;
    *b = NULL;
    FB_TRY(fb_complement(f->n, t.b, nb, &t.i, e));
    FB_TRY(fb_csc_split(&f->K, t.b, nb, t.i, t.ni, &t.K, e));
    FB_TRY(fb_csc_split(&f->M, t.b, nb, t.i, t.ni, &t.M, e));
    t.nmult = f->nmult;
    *out = t;
    t = (fb_split){0};
out:
    fb_split_free(&t);
    return s;
}

/* A is the model's own, or seen through `view`, which is empty afterwards, too. */
static fb_status blocks_take(fb_csc *A, fb_csc *view, const fb_split *t, fb_blocks *P, fb_err *e)
{
    FB_PASS(fb_csc_split_take(A, t->b, t->nb, t->i, t->ni, P, e));
    *view = (fb_csc){0};
    return FB_OK;
}

fb_status fb_split_new_spare(fb_split *out, fb_full *f, int64_t **b, int64_t nb, fb_err *e)
{
    fb_model *lender = f->o->lender;
    fb_split t = {.f = f, .nb = nb, .ni = f->n - nb};
    fb_status s = FB_OK;
    if (fb_is_far(f->K.p) || (!f->own && !lender)) {
        FB_PASS(fb_split_new_take(out, f, b, nb, e));
        fb_full_spare(f);
        return FB_OK;
    }
    t.b = *b;
    *b = NULL;
    FB_TRY(fb_complement(f->n, t.b, nb, &t.i, e));
    FB_TRY(blocks_take(f->own ? &f->K : &lender->K, &f->K, &t, &t.K, e));
    FB_TRY(blocks_take(f->own ? &f->M : &lender->M, &f->M, &t, &t.M, e));
    fb_full_spare(f);
    t.nmult = f->nmult;
    *out = t;
    t = (fb_split){0};
out:
    fb_split_free(&t);
    return s;
}

/* (FU.6) */
static fb_status inertia_far(const fb_split *t, const fb_mat *Psi, fb_mat *F, fb_err *e)
{
    fb_mat Y = {0}, B = {0}, one = {0};
    fb_status s = FB_OK;
    FB_TRY(fb_mat_like(Psi, t->nb, &Y, e));
    FB_TRY(fb_csc_mul_many(&t->M.Aii, Psi, &Y, e));
    FB_TRY(fb_far->negative(&t->M.Aib, &B, e));
    FB_TRY(fb_mat_unit(&one, t->nb, e));
    FB_TRY(fb_gemm(0, 0, -1, &B, &one, 1, &Y, e));
    *F = Y;
    Y = (fb_mat){0};
out:
    FB_FREE_BY(fb_mat_free, &Y, &B, &one);
    return s;
}

fb_status fb_split_inertia(const fb_split *t, const fb_mat *Psi, int64_t more, fb_mat *F, fb_err *e)
{
    fb_mat Y = {0};
    fb_status s = FB_OK;
    if (fb_is_far(Psi->x))
        return inertia_far(t, Psi, F, e);
    FB_TRY(fb_mat_new(&Y, t->ni, t->nb + more, e));
    fb_mat P = fb_mat_columns(&Y, 0, t->nb);
    FB_TRY(fb_csc_mul_many(&t->M.Aii, Psi, &P, e));
    for (int64_t j = 0; j < t->nb; j++)
        for (int64_t q = t->M.Aib.p[j]; q < t->M.Aib.p[j + 1]; q++)
            Y.x[t->M.Aib.i[q] + j * t->ni] += t->M.Aib.x[q];
    *F = Y;
    Y = (fb_mat){0};
out:
    fb_mat_free(&Y);
    return s;
}

void fb_split_free(fb_split *t)
{
    FB_FREE(t->b, t->i);
    FB_FREE_BY(fb_blocks_free, &t->K, &t->M);
    *t = (fb_split){0};
}
