/* SPDX-License-Identifier: GPL-3.0-or-later */
/* equations.c - which dofs of a body with K and M of its own are equations: those that are not
 * held. */
#include "memory.h"
#include "full.h"
#include "linalg/far.h"
#include <stdlib.h>
#include <string.h>

enum {
    NODE_MOST = 12
}; /* dofs of one node number: above, it is no node (generalized dofs share number 0) */

static fb_status mark_rows(const fb_csc *A, char *has, fb_err *e)
{
    double *sum = NULL;
    if (fb_is_far(A->p)) {
        FB_PASS(fb_new(&sum, A->n, sizeof *sum, "row sums", e));
        fb_csc_sums(A, sum);
        for (int64_t j = 0; j < A->n; j++)
            has[j] |= sum[j] > 0;
        free(sum);
        return FB_OK;
    }
    for (int64_t j = 0; j < A->n; j++)
        for (int64_t q = A->p[j]; q < A->p[j + 1]; q++)
            if (A->x[q] < 0 || A->x[q] > 0)
                has[j] = has[A->i[q]] = 1;
    return FB_OK;
}

/* The dofs that are equations; those without stiffness and mass are named. */
static fb_status choose_equations(fb_full *f, fb_err *e)
{
    const fb_model *b = f->b;
    char *has = NULL, list[400];
    int64_t *null = NULL, nnull = 0;
    fb_status s = FB_OK;
    FB_TRY(FB_NEW(&has, b->ndof, e));
    FB_TRY(FB_NEW(&null, b->ndof, e));
    FB_TRY(fb_new(&f->dof, b->ndof, 8, "equations", e));
    FB_TRY(fb_new(&f->at, b->ndof, 8, "equations", e));
    FB_TRY(mark_rows(&b->K, has, e));
    FB_TRY(mark_rows(&b->M, has, e));
    for (int64_t d = 0; d < b->ndof; d++) {
        f->at[d] = -1;
        if (b->dof_class && b->dof_class[d] == FB_DOF_FIXED)
            continue;
        if (!has[d]) {
            f->dof[nnull] = d; /* no equation lies before this place */
            null[nnull++] = d;
            continue;
        }
        f->at[d] = f->n++;
        f->nmult += b->dof_class && b->dof_class[d] == FB_DOF_MULTIPLIER;
    }
    if (nnull) {
        fb_full_names(f, NULL, 0, list, sizeof list);
        memcpy(f->dof, null, sizeof *null * (size_t)nnull);
        for (int64_t k = 0; k < nnull; k++)
            null[k] = k;
        fb_full_names(f, null, nnull, list, sizeof list);
        fb_warn(f->log, "%lld dof%s neither stiffness nor mass and stay%s at zero:%s",
                (long long)nnull, nnull > 1 ? "s have" : " has", nnull > 1 ? "" : "s", list);
    }
    for (int64_t d = 0; d < b->ndof; d++)
        if (f->at[d] >= 0)
            f->dof[f->at[d]] = d;
    if (f->n == 0)
        s = fb_fail(e, FB_EUSAGE,
                    "no dof is free to move: all are held, or have neither stiffness nor mass");
out:
    FB_FREE(has, null);
    return s;
}

static fb_status check_labels(fb_full *f, fb_err *e)
{
    int64_t *node = NULL, run = 0;
    fb_status s = fb_new(&node, f->n, 8, "nodes", e);
    if (s)
        return s;
    f->labelled = f->b->dof_node != NULL;
    for (int64_t k = 0; f->labelled && k < f->n; k++)
        node[k] = f->b->dof_node[f->dof[k]];
    if (f->labelled) {
        int64_t kinds = fb_unique(node, f->n), *count = NULL;
        fb_index x = {0};
        s = fb_index_new(&x, node, kinds, "/dofs/node", e);
        if (!s)
            s = fb_new(&count, kinds, 8, "nodes", e);
        for (int64_t k = 0; !s && k < f->n; k++) {
            int64_t at = fb_index_find(&x, f->b->dof_node[f->dof[k]]);
            run = ++count[at] > run ? count[at] : run;
        }
        free(count);
        fb_index_free(&x);
    }
    f->labelled = f->labelled && run <= NODE_MOST;
    free(node);
    return s;
}

fb_status fb_full_new(fb_full *out, const fb_model *b, const fb_reduceopt *o, fb_log *log,
                      fb_err *e)
{
    fb_full f = {.b = b, .o = o, .log = log};
    fb_status s = FB_OK;
    if (!b->K.upper || !b->M.upper)
        FB_TRY(fb_fail(e, FB_EFORMAT,
                       "/full/%s is not symmetric: reductions need symmetric stiffness and mass; "
                       "mnfparse says where the halves differ, its --force-symmetric averages them",
                       b->K.upper ? "M" : "K"));
    FB_TRY(choose_equations(&f, e));
    FB_TRY(check_labels(&f, e));
    if (f.n == b->ndof) {
        f.K = b->K;
        f.M = b->M;
    } else {
        f.own = 1;
        FB_TRY(fb_csc_sub(&b->K, f.dof, f.n, f.dof, f.n, &f.K, e));
        FB_TRY(fb_csc_sub(&b->M, f.dof, f.n, f.dof, f.n, &f.M, e));
    }
    if (!fb_is_far(f.K.p))
        fb_note(log, "%lld equations of %lld dofs, %lld and %lld entries in K and M",
                (long long)f.n, (long long)b->ndof, (long long)f.K.p[f.n], (long long)f.M.p[f.n]);
    FB_TRY(fb_full_exchanged(&f, e)); /* before what takes long with them */
    FB_TRY(fb_full_order_all(&f, e));
    FB_TRY(fb_full_mass_check(&f, e));
    *out = f;
    f = (fb_full){0};
out:
    fb_full_free(&f);
    return s;
}

void fb_full_spare(fb_full *f)
{
    if (fb_is_far(f->K.p))
        return;
    if (f->own)
        FB_FREE_BY(fb_csc_free, &f->K, &f->M);
    if (f->o->lender)
        FB_FREE_BY(fb_csc_free, &f->o->lender->K, &f->o->lender->M);
    f->K = f->M = (fb_csc){0};
}

void fb_full_free(fb_full *f)
{
    if (f->own)
        FB_FREE_BY(fb_csc_free, &f->K, &f->M);
    FB_FREE(f->dof, f->at, f->order);
    *f = (fb_full){0};
}
