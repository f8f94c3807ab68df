/* SPDX-License-Identifier: GPL-3.0-or-later */
/* modal.c - modal coordinates of a component that nothing in the inputs calls so, known from its
 * matrices: those of a Craig-Bampton body whose modes have the mass 1.
 *
 *   (MC.1) K_bq = 0, K_qq diagonal and positive, M_qq = 1, and some M_bq are not 0
 *
 * for dofs q that are the only ones of their nodes, which have no places, beside nodes b that have
 * three dofs and more. Source: Craig & Bampton, AIAA J. 6 (1968) 1313-1319.
 */
#include "assemble.h"
#include "memory.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

static const double unit = 1e-6; /* of the mass 1: text of seven digits */

/* Marks what (MC.1) lets pass by its labels; solid: there is a node with three dofs. */
static fb_status alone(const fb_join *j, char *is, int *solid, fb_err *e)
{
    fb_ranked *r = NULL;
    FB_PASS(fb_ranked_new(&r, j->node, NULL, j->n, e));
    for (int64_t k = 0, end; k < j->n; k = end) {
        for (end = k + 1; end < j->n && r[end].node == r[k].node;)
            end++;
        const int64_t d = r[k].at;
        *solid |= end - k >= 3;
        is[d] = end - k == 1 && j->class[d] == FB_DOF_PHYSICAL && j->component[d] == 1 &&
                j->place[d] < 0;
    }
    free(r);
    return FB_OK;
}

/* Drops what has a stiffness beside its own, or none; another mass than 1, or one with its like. */
static void by_matrices(const fb_join *j, char *is)
{
    const fb_csc *K = j->A + FB_K, *M = j->A + FB_M;
    for (int64_t c = 0; c < K->n; c++) {
        double own = 0, mass = 0;
        for (int64_t q = K->p[c]; q < K->p[c + 1]; q++) {
            own = K->i[q] == c ? K->x[q] : own;
            if (K->i[q] != c && fabs(K->x[q]) > 0)
                is[c] = is[K->i[q]] = 0;
        }
        for (int64_t q = M->p[c]; q < M->p[c + 1]; q++)
            mass = M->i[q] == c ? M->x[q] : mass;
        is[c] = is[c] && own > 0 && fabs(mass - 1) <= unit;
    }
    for (int64_t c = 0; c < M->n; c++)
        for (int64_t q = M->p[c]; q < M->p[c + 1]; q++)
            if (M->i[q] != c && is[c] && is[M->i[q]] && fabs(M->x[q]) > unit)
                is[c] = is[M->i[q]] = 0;
}

/* How many of them the mass joins to the boundary. */
static int64_t joined(const fb_join *j, const char *is, char *seen)
{
    const fb_csc *M = j->A + FB_M;
    int64_t n = 0;
    for (int64_t c = 0; c < M->n; c++)
        for (int64_t q = M->p[c]; q < M->p[c + 1]; q++)
            if (is[c] != is[M->i[q]] && fabs(M->x[q]) > 0)
                seen[is[c] ? c : M->i[q]] = 1;
    for (int64_t d = 0; d < M->n; d++)
        n += seen[d];
    return n;
}

fb_status fb_join_modal(fb_join *j, fb_err *e)
{
    char *is = NULL, *seen = NULL, list[200] = "";
    int solid = 0;
    int64_t n = 0;
    fb_status s = FB_OK;
    if (!j->A[FB_K].p || !j->A[FB_M].p)
        return FB_OK;
    FB_TRY(fb_new(&is, j->n, 1, "modal coordinates", e));
    FB_TRY(fb_new(&seen, j->n, 1, "modal coordinates", e));
    FB_TRY(alone(j, is, &solid, e));
    if (!solid || !memchr(is, 1, (size_t)j->n))
        goto out;
    by_matrices(j, is);
    if (!joined(j, is, seen))
        goto out;
    for (int64_t d = 0; d < j->n; d++)
        if (is[d]) {
            fb_name_list(list, sizeof list, n++, j->node[d], 1);
            j->class[d] = FB_DOF_GENERALIZED;
            j->component[d] = 0;
        }
    fb_warn(j->log,
            "%lld dofs, each alone at a node without a place, have the mass 1 and no stiffness but "
            "their own, as modal coordinates of a superelement have them: taken for these:%s",
            (long long)n, list);
out:
    FB_FREE(is, seen);
    return s;
}
