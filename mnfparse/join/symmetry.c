/* SPDX-License-Identifier: GPL-3.0-or-later */
/* symmetry.c - a matrix of the input over the dof table, its upper half kept.
 *
 *   (SY.1) a = max |A - A'| / max |A|     at most 1e-8: the text formats' own round-off
 *   (SY.2) A := (A + A') / 2              stiffness and mass
 *   (SY.3) A := (A - A') / 2              gyroscopic; max |A + A'| / max |A| at most 1e-8
 *   (SY.4) N := (K - K') / 2              of a stiffness that is not symmetric, on request
 * Damping may have any form: beyond round-off it is kept as it is, both halves.
 * Cost     O(nnz); memory for a second copy only where rows change their order */
#include "memory.h"
#include "assemble.h"
#include "linalg/sparse_ops.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define TOLERATED 1e-8  /* refused above */
#define ROUND_OFF 1e-13 /* not worth a line: halves that were summed in another order */

typedef struct {
    double max, diff;
    int64_t i, k;           /* where diff is */
    int64_t pairs, up, low; /* entries off the diagonal: in both halves, in one only */
} halves;

static void worse(halves *h, double d, int64_t i, int64_t k)
{
    if (d > h->diff) {
        h->diff = d;
        h->i = i;
        h->k = k;
    }
}

static void larger(halves *h, double x)
{
    h->max = fabs(x) > h->max ? fabs(x) : h->max;
}

/* Walks (i,k), i < k, beside (k,i): for ascending k the partner in column i only moves down.
 * apply: 0 measure, 1 average (a pair's lower entry becomes 0), 2 one half only: keep it. */
static void walk(fb_csc *A, int64_t *at, halves *h, int apply)
{
    const double one = apply == 1 ? 0.5 : 1;
    for (int64_t k = 0; k < A->n; k++) {
        at[k] = A->p[k];
        while (at[k] < A->p[k + 1] && A->i[at[k]] <= k)
            at[k]++;
    }
    for (int64_t k = 0; k < A->n; k++)
        for (int64_t q = A->p[k]; q < A->p[k + 1] && A->i[q] <= k; q++) {
            int64_t i = A->i[q], *c = at + i;
            larger(h, A->x[q]);
            if (i == k)
                continue;
            for (; *c < A->p[i + 1] && A->i[*c] < k; (*c)++) { /* no partner above */
                h->low++;
                larger(h, A->x[*c]);
                worse(h, fabs(A->x[*c]), A->i[*c], i);
                A->x[*c] *= one;
            }
            if (*c < A->p[i + 1] && A->i[*c] == k) {
                h->pairs++;
                larger(h, A->x[*c]);
                worse(h, fabs(A->x[q] - A->x[*c]), i, k);
                if (apply) {
                    A->x[q] = 0.5 * (A->x[q] + A->x[*c]); /* (SY.2) */
                    A->x[*c] = 0;
                }
                (*c)++;
            } else {
                h->up++;
                worse(h, fabs(A->x[q]), i, k);
                A->x[q] *= one;
            }
        }
    for (int64_t i = 0; i < A->n; i++)
        for (; at[i] < A->p[i + 1]; at[i]++) {
            h->low++;
            worse(h, fabs(A->x[at[i]]), A->i[at[i]], i);
            larger(h, A->x[at[i]]);
            A->x[at[i]] *= one;
        }
}

fb_status fb_dense_symmetric(fb_mat *A, const char *name, int force, fb_log *log, fb_err *e)
{
    double max = fb_mat_max(A), diff = 0;
    int64_t row = 0, col = 0;
    for (int64_t j = 0; j < A->n; j++)
        for (int64_t i = 0; i < j; i++) {
            double d = fabs(A->x[i + j * A->n] - A->x[j + i * A->n]);
            if (d > diff) {
                diff = d;
                row = i;
                col = j;
            }
        }
    double a = max > 0 ? diff / max : 0; /* (SY.1) */
    if (a > TOLERATED && !force)
        return fb_fail(e, FB_EFORMAT,
                       "%s is not symmetric: entries (%lld,%lld) and (%lld,%lld) differ by %.3g of "
                       "the largest, at most %g is taken; --force-symmetric averages the halves",
                       name, (long long)row + 1, (long long)col + 1, (long long)col + 1,
                       (long long)row + 1, a, TOLERATED);
    if (a > ROUND_OFF)
        fb_warn(log, "%s is not symmetric by %.3g of its largest entry: the halves are averaged",
                name, a);
    fb_mat_symmetrise(A); /* (SY.2) */
    return FB_OK;
}

static fb_status refuse(const fb_join *j, int k, const halves *h, int half, double a, fb_err *e)
{
    fb_dofname r = fb_name_of(j->node[h->i], j->component[h->i]),
               c = fb_name_of(j->node[h->k], j->component[h->k]);
    if (half)
        return fb_fail(e, FB_EFORMAT,
                       "the %s matrix has entries on one side of its diagonal only; "
                       "--force-symmetric mirrors them",
                       fb_role_name[k]);
    return fb_fail(e, FB_EFORMAT,
                   "the %s matrix is not symmetric: at dofs %s, %s the halves differ by %.3g of "
                   "the largest entry, at most %g is taken; export a symmetric matrix "
                   "(--force-symmetric averages the halves%s)",
                   fb_role_name[k], r.s, c.s, a, TOLERATED,
                   k == FB_K ? ", --unsymmetric keeps them" : "");
}

/* (SY.4) */
static fb_status keep_skew_part(fb_join *j, const fb_csc *K, double a, fb_err *e)
{
    fb_csc Kt = {0};
    fb_status s = FB_OK;
    FB_TRY(fb_csc_transposed(K, &Kt, e));
    FB_TRY(fb_csc_add(K, -1, &Kt, &j->A[FB_N], e));
    for (int64_t q = 0; q < j->A[FB_N].p[K->n]; q++)
        j->A[FB_N].x[q] /= 2;
    fb_csc_compact(&j->A[FB_N], 0);
    fb_warn(
        j->log,
        "the stiffness matrix is not symmetric by %.3g of its largest entry: modes are those of "
        "its symmetric part, the skew part is kept beside it (/full/N)",
        a);
out:
    fb_csc_free(&Kt);
    return s;
}

static fb_status symmetrise(fb_join *j, int k, fb_csc *A, fb_err *e)
{
    halves h = {0};
    int64_t *at = NULL;
    fb_status s = FB_OK;
    FB_TRY(fb_new(&at, A->n, 8, "row positions", e));
    walk(A, at, &h, 0);
    double a = h.max > 0 ? h.diff / h.max : 0; /* (SY.1) */
    int half = !h.pairs && (h.up > 0) != (h.low > 0) && a > TOLERATED;
    if (k <= FB_D)
        j->b->asymmetry[k] = a;
    if (k == FB_D && !half && a > ROUND_OFF) {
        fb_note(
            j->log,
            "the damping matrix is not symmetric by %.3g of its largest entry: it is kept as it is",
            a);
        fb_csc_compact(A, 0);
        goto out;
    }
    const int skew = k == FB_K && !half && a > TOLERATED && j->p->how.unsymmetric;
    if (a > TOLERATED && !skew && !j->p->how.force_symmetric)
        FB_TRY(refuse(j, k, &h, half, a, e));
    if (skew)
        FB_TRY(keep_skew_part(j, A, a, e));
    else if (half)
        fb_warn(j->log, "the %s matrix has one half only: mirrored", fb_role_name[k]);
    else if (a > ROUND_OFF)
        fb_warn(
            j->log,
            "the %s matrix is not symmetric by %.3g of its largest entry: the halves are averaged",
            fb_role_name[k], a);
    const int equal = !(h.diff > 0); /* the lower half just goes */
    if (!equal)
        walk(A, at, &h, half ? 2 : 1);
    if (h.low && !equal) {
        fb_csc B = {0};
        FB_TRY(fb_csc_renumber_take(A, NULL, NULL, A->n, 1, &B, e));
        *A = B;
    } else {
        fb_csc_compact(A, 1);
        A->upper = 1;
    }
out:
    free(at);
    return s;
}

/* (SY.3); a symmetric matrix, and one of which a half alone is stored, is refused by name. */
static fb_status make_skew(fb_join *j, fb_csc *A, fb_err *e)
{
    const char *name = j->role[FB_G]->name[0] ? j->role[FB_G]->name : j->role[FB_G]->origin;
    fb_csc At = {0}, sum = {0}, half = {0};
    double most = 0, worst = 0, even = 0;
    int64_t at[2] = {0, 0};
    fb_status s = FB_OK;
    if (A->upper)
        return fb_fail(e, FB_EFORMAT,
                       "the gyroscopic matrix %s is symmetric: one of unit speed is skew, G' = -G",
                       name);
    FB_TRY(fb_csc_transposed(A, &At, e));
    FB_TRY(fb_csc_add(A, 1, &At, &sum, e));
    FB_TRY(fb_csc_add(A, -1, &At, &half, e));
    for (int64_t c = 0; c < A->n; c++)
        for (int64_t q = sum.p[c]; q < sum.p[c + 1]; q++)
            if (fabs(sum.x[q]) > worst) {
                worst = fabs(sum.x[q]);
                at[0] = sum.i[q];
                at[1] = c;
            }
    for (int64_t q = 0; q < A->p[A->n]; q++)
        most = fmax(most, fabs(A->x[q]));
    for (int64_t q = 0; q < half.p[half.n]; q++) {
        even = fmax(even, fabs(half.x[q]));
        half.x[q] /= 2;
    }
    if (worst > TOLERATED * most)
        FB_TRY(fb_fail(e, FB_EFORMAT,
                       "the gyroscopic matrix %s is %s: at dofs %s, %s it differs from -G' by %.3g "
                       "of the largest entry, at most %g is taken",
                       name, even <= TOLERATED * most ? "symmetric" : "not skew",
                       fb_name_of(j->node[at[0]], j->component[at[0]]).s,
                       fb_name_of(j->node[at[1]], j->component[at[1]]).s, worst / most, TOLERATED));
    fb_csc_free(A);
    *A = half;
    half = (fb_csc){0};
    fb_csc_compact(A, 0);
out:
    FB_FREE_BY(fb_csc_free, &At, &sum, &half);
    return s;
}

static int is_identity(const int64_t *map, int64_t n)
{
    for (int64_t k = 0; map && k < n; k++)
        if (map[k] != k)
            return 0;
    return 1;
}

/* A matrix over the first dofs of the table gets empty columns for the others. */
static fb_status extend(fb_csc *A, int64_t n, fb_err *e)
{
    if (n == A->n)
        return FB_OK;
    int64_t *p = fb_realloc(A->p, (size_t)n + 1, sizeof *p);
    if (!p)
        return fb_fail(e, FB_ESYS, "out of memory: column starts");
    for (int64_t k = A->n + 1; k <= n; k++)
        p[k] = p[A->n];
    A->p = p;
    A->m = A->n = n;
    return FB_OK;
}

fb_status fb_join_matrix(fb_join *j, int k, const int64_t *row, const int64_t *col, fb_err *e)
{
    fb_matrix *m = j->role[k];
    fb_csc A = m->A, B = {0};
    fb_status s = FB_OK;
    m->A = (fb_csc){0};
    if (A.m == A.n && is_identity(row, A.m) && is_identity(col, A.n)) {
        FB_TRY(extend(&A, j->n, e));
        if (A.upper)
            fb_csc_compact(&A, 1);
    } else {
        FB_TRY(fb_csc_renumber_take(&A, row, col ? col : row, j->n, A.upper, &B, e));
        A = B;
        B = (fb_csc){0};
    }
    if (k == FB_G)
        FB_TRY(make_skew(j, &A, e));
    else if (!A.upper)
        FB_TRY(symmetrise(j, k, &A, e));
    j->A[k] = A;
    A = (fb_csc){0};
out:
    fb_csc_free(&A);
    return s;
}
