/* SPDX-License-Identifier: GPL-3.0-or-later */
/* follow.c - dofs that have neither mass nor load follow the others.
 *
 * Symbols  z dofs with neither mass nor load that no multiplier ties, o the others
 *   (FO.1) Kzz x_z = -Kzo x_o
 * An answer x = (K - l M)^-1 M v has it to round-off. What is orthogonal to answers before it by M
 * and made a unit vector again need not: M does not see z, each step magnifies what the vectors
 * before have there, and strain energy without mass grows with the number of vectors.
 * Source   Nour-Omid, Parlett, Ericsson & Jensen, Math. Comp. 48 (1987) 663-673, section 5
 */
#include "follow.h"
#include "linalg/sparse_ops.h"
#include "memory.h"
#include <math.h>
#include <string.h>

/* leads [n]: what has mass or bears a load; multipliers, which no stiffness of their own tells, and
 * what they tie. */
static void choose(const fb_csc *K, const double *mass, const double *diagonal, char *leads)
{
    for (int64_t j = 0; j < K->n; j++)
        leads[j] = (char)(leads[j] || mass[j] > 0);
    for (int64_t j = 0; j < K->n; j++)
        for (int64_t p = K->p[j]; p < K->p[j + 1]; p++) {
            const int64_t i = K->i[p];
            const int ties = !(mass[i] > 0) && !(fabs(diagonal[i]) > 0),
                      tied = !(mass[j] > 0) && !(fabs(diagonal[j]) > 0);
            if (ties || tied)
                leads[i] = leads[j] = 1;
        }
}

static fb_status split(const fb_csc *K, const fb_csc *M, const char *loaded, fb_follow *w,
                       fb_err *e)
{
    double *mass = NULL, *diagonal = NULL;
    char *leads = NULL;
    fb_status s = FB_OK;
    FB_TRY(fb_new(&leads, K->n, 1, "dofs", e));
    FB_TRY(fb_new(&mass, K->n, sizeof *mass, "masses of the dofs", e));
    FB_TRY(fb_new(&diagonal, K->n, sizeof *diagonal, "stiffness of the dofs", e));
    memcpy(leads, loaded, (size_t)K->n);
    fb_csc_sums(M, mass);
    fb_csc_diagonal(K, diagonal);
    choose(K, mass, diagonal, leads);
    for (int64_t k = 0; k < K->n; k++)
        if (leads[k])
            w->o[w->no++] = k;
        else
            w->z[w->nz++] = k;
out:
    FB_FREE(mass, diagonal, leads);
    return s;
}

static fb_status factorise(const fb_csc *K, const int64_t *node, fb_follow *w, fb_err *e)
{
    fb_factor_opts o = {0};
    fb_csc Kzz = {0};
    int64_t *label = NULL, column;
    fb_status s = FB_OK;
    FB_TRY(fb_csc_sub(K, w->z, w->nz, w->z, w->nz, &Kzz, e));
    FB_TRY(fb_csc_sub(K, w->z, w->nz, w->o, w->no, &w->Kzo, e));
    FB_TRY(fb_mat_new(&w->x, w->nz, 1, e));
    FB_TRY(fb_mat_new(&w->y, w->no, 1, e));
    if (node) {
        FB_TRY(fb_new(&label, w->nz, sizeof *label, "nodes of the dofs", e));
        for (int64_t k = 0; k < w->nz; k++)
            label[k] = node[w->z[k]];
        o.node = label;
    }
    s = fb_factor_spd(&w->F, &Kzz, NULL, 0, &o, &column, e);
    if (s == FB_ESOLVE) /* negative stiffness */
        s = fb_factor_indefinite(&w->F, &Kzz, NULL, 0, &o, e);
out:
    fb_csc_free(&Kzz);
    FB_FREE(label);
    return s;
}

fb_status fb_follow_new(fb_follow *follow, const fb_csc *K, const fb_csc *M, const char *loaded,
                        const int64_t *node, fb_err *e)
{
    fb_follow w = {0};
    fb_status s = FB_OK;
    FB_TRY(fb_new(&w.z, M->n, sizeof *w.z, "dofs", e));
    FB_TRY(fb_new(&w.o, M->n, sizeof *w.o, "dofs", e));
    FB_TRY(split(K, M, loaded, &w, e));
    if (w.nz)
        FB_TRY(factorise(K, node, &w, e));
    *follow = w;
    w = (fb_follow){0};
out:
    fb_follow_free(&w);
    return s;
}

fb_status fb_follow_set(fb_follow *w, double *x, fb_err *e)
{
    if (!w->nz)
        return FB_OK;
    for (int64_t k = 0; k < w->nz; k++)
        w->x.x[k] = 0;
    for (int64_t k = 0; k < w->no; k++)
        w->y.x[k] = -x[w->o[k]];
    fb_csc_mul(&w->Kzo, w->y.x, w->no, w->x.x, w->nz, 1);
    FB_PASS(fb_factor_solve(w->F, &w->x, e)); /* (FO.1) */
    for (int64_t k = 0; k < w->nz; k++)
        x[w->z[k]] = w->x.x[k];
    return FB_OK;
}

void fb_follow_free(fb_follow *w)
{
    fb_factor_free(w->F);
    fb_csc_free(&w->Kzo);
    FB_FREE_BY(fb_mat_free, &w->x, &w->y);
    FB_FREE(w->z, w->o);
    *w = (fb_follow){0};
}
