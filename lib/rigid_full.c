/* SPDX-License-Identifier: GPL-3.0-or-later */
/* rigid_full.c - which modes of a full model are rigid: what the model knows of its stiffness,
 * beside the round-off that the eigensolver knows.
 *
 * The rule is that of all bodies (rigid_modes.c) for the pair diag(lambda), 1 of the modes as they
 * were found, with their shapes: a stiffness led back from solids, or written with few digits,
 * strains rigid motion by more than round-off, of either sign.
 */
#include "linalg/far.h"
#include "memory.h"
#include "model.h"
#include "status.h"
#include "units.h"
#include <stdio.h>
#include <string.h>

enum { BEHIND = 6 }; /* rigid modes that may stand behind those that are known */

/* The pair of k modes, shapes over /dofs. */
static fb_status pair_of(const fb_model *b, const int64_t *dof, const fb_mat *X,
                         const double *lambda, int64_t k, fb_model *pair, fb_mat *S, fb_mat *I,
                         fb_err *e)
{
    *pair = *b;
    pair->T = pair->Kr = NULL;
    pair->nr = k;
    FB_PASS(fb_mat_unit(I, k, e));
    FB_PASS(fb_new(&pair->Kr, k * k, 8, "generalized stiffness", e));
    for (int64_t j = 0; j < k; j++)
        pair->Kr[j * (k + 1)] = lambda[j];
    pair->T = X->x;
    if (X->m == b->ndof)
        return FB_OK;
    FB_PASS(fb_mat_new(S, b->ndof, k, e));
    for (int64_t j = 0; j < k; j++)
        for (int64_t i = 0; i < X->m; i++)
            S->x[dof[i] + j * b->ndof] = X->x[i + j * X->m];
    pair->T = S->x;
    return FB_OK;
}

static void note(const fb_model *b, const char *what, const double *lambda, int64_t n, fb_log *log)
{
    const double time = fb_units_time(&b->units);
    char text[256] = "";
    for (int64_t k = 0; k < n && strlen(text) < sizeof text - 30; k++)
        snprintf(text + strlen(text), sizeof text - strlen(text), " %.2g",
                 lambda[k] / (time * time));
    fb_note(log,
            "%s: %lld rigid modes by their shapes, of which the stiffness, known to so many digits "
            "only, made%s rad^2/s^2",
            what, (long long)n, text);
}

fb_status fb_rigid_full(const fb_model *b, const int64_t *dof, const fb_mat *X, double *lambda,
                        int64_t *nnegative, int64_t *nrigid, const char *what, fb_log *log,
                        fb_err *e)
{
    const int64_t known = *nnegative + *nrigid, k = X->n < known + BEHIND ? X->n : known + BEHIND;
    fb_model pair = {0};
    fb_mat S = {0}, I = {0};
    char *rigid = NULL;
    int64_t n = 0, first = 0;
    fb_status s = FB_OK;
    if (k == 0 || (*nnegative == 0 && !b->stiffness_noise) || !b->K.p || !b->dof_node || !b->xyz ||
        (fb_is_far(X->x) && X->m != b->ndof))
        return FB_OK;
    FB_TRY(pair_of(b, dof, X, lambda, k, &pair, &S, &I, e));
    FB_TRY(FB_NEW(&rigid, k, e));
    FB_TRY(fb_rigid_find(&pair, lambda, &I, rigid, &n, e));
    while (first < k && !rigid[first])
        first++;
    if (first > 0 && !(lambda[first - 1] < 0)) /* a soft part moves more easily than rigid motion */
        goto out;
    for (int64_t j = first; j < first + n; j++)
        if (!rigid[j]) /* one that is none lies between them: nothing tells what they are */
            goto out;
    if (n <= *nrigid)
        goto out;
    note(b, what, lambda + first, n, log);
    memset(lambda + first, 0, sizeof *lambda * (size_t)n);
    *nnegative = first;
    *nrigid = n;
out:
    FB_FREE_BY(fb_mat_free, &S, &I);
    FB_FREE(pair.Kr, rigid);
    return s;
}
