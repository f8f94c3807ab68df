/* SPDX-License-Identifier: GPL-3.0-or-later */
/* condense.c - directions of the reduced body that have no mass.
 *
 * Equation, U the directions
 *   (FU.5) Mr U = 0:  U'Kr z = 0, by which some of the normal coordinates follow from the others
 */
#include "memory.h"
#include "full.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* An eigenvalue of the scaled reduced mass matrix that is round-off: that of a thin shell, whose
 * constraint modes hold to 1e-10, came to 1e-12; those of true motions of small mass to 1e-7 and
 * more. */
static const double deficient = 1e-11;
/* Below minus this it is no round-off: mass that pushes back. Constraint modes hold to 1e-10. */
static const double negative_mass = 1e-8;

/* What coordinate j must have of mass to count: its own, unless that is round-off beside the body,
 * as of a dof without mass that rigid motion of the interior carries: less than its stiffness over
 * the highest root, or next to nothing beside coordinates of its kind. */
static double least_mass(const fb_split *t, const fb_mat *K, const fb_mat *M, double root,
                         int64_t j)
{
    const fb_model *b = t->f->b;
    const int64_t n = M->n;
    double most = 0;
    for (int64_t k = 0; j < t->nb && b->dof_component && k < t->nb; k++)
        if ((b->dof_component[t->f->dof[t->b[k]]] > 3) ==
            (b->dof_component[t->f->dof[t->b[j]]] > 3))
            most = fmax(most, M->x[k + k * n]);
    return fmax(M->x[j + j * n],
                fmax(1e-16 * most, root > 0 && j < t->nb ? K->x[j + j * n] / root : 0));
}

/* U [n x k]: the directions of the reduced mass matrix, scaled to a unit diagonal (least_mass),
 * that have no mass. A direction that has less is refused: the mass is not semidefinite. */
static fb_status massless(const fb_split *t, const fb_mat *K, const fb_mat *M, fb_mat *U, fb_err *e)
{
    int64_t n = M->n, k = 0;
    fb_mat S = {0}, V = {0};
    double *mu = NULL, *d = NULL, root = 0;
    fb_status s = FB_OK;
    FB_TRY(fb_full_highest(t->f->b, &root, e));
    FB_TRY(fb_new(&d, n, 8, "masses", e));
    for (int64_t j = 0; j < n; j++)
        d[j] = least_mass(t, K, M, root, j);
    FB_TRY(fb_mat_unit_diagonal(M, d, &S, e));
    FB_TRY(fb_new(&mu, n, 8, "eigenvalues", e));
    FB_TRY(fb_eig_dense(&S, NULL, mu, &V, e));
    if (n && mu[0] < -negative_mass)
        FB_TRY(fb_fail(e, FB_ESOLVE,
                       "the reduced mass matrix is not semidefinite: with a unit diagonal its "
                       "lowest eigenvalue is %.3g",
                       mu[0]));
    while (k < n && mu[k] < deficient)
        k++;
    for (int64_t j = 0; j < k; j++)
        for (int64_t i = 0; i < n; i++)
            V.x[i + j * n] /= d[i] > 0 ? sqrt(d[i]) : 1;
    V.n = k;
    *U = V;
    V = (fb_mat){0};
out:
    FB_FREE_BY(fb_mat_free, &S, &V);
    FB_FREE(mu, d);
    return s;
}

/* Gauss and Jordan on C [k x n] with pivots in the columns from..to-1, weighed by 1/sqrt(Kjj): then
 * z(pivot[s]) = -C(s,:) z of the others. 0 where a pivot is missing: the motion is one of the other
 * columns alone. */
static int eliminate(fb_mat *C, const fb_mat *K, int64_t from, int64_t to, int64_t *pivot)
{
    int64_t k = C->m, n = C->n;
    double whole = 0;
    for (int64_t j = 0; j < n; j++)
        for (int64_t i = 0; i < k && K->x[j + j * n] > 0; i++)
            whole = fmax(whole, fabs(C->x[i + j * k]) / sqrt(K->x[j + j * n]));
    for (int64_t s = 0; s < k; s++) {
        int64_t r = s, c = -1;
        double most = 0;
        for (int64_t j = from; j < to; j++)
            for (int64_t i = s; i < k; i++) {
                double x = fabs(C->x[i + j * k]) / sqrt(K->x[j + j * n]);
                if (x > most) { /* not the columns of pivots: they are zero below s */
                    most = x;
                    r = i;
                    c = j;
                }
            }
        if (c < 0 || most < 1e-8 * whole)
            return 0;
        pivot[s] = c;
        for (int64_t j = 0; j < n; j++) {
            double x = C->x[r + j * k];
            C->x[r + j * k] = C->x[s + j * k];
            C->x[s + j * k] = x;
        }
        double p = C->x[s + c * k];
        for (int64_t j = 0; j < n; j++)
            C->x[s + j * k] /= p;
        for (int64_t i = 0; i < k; i++) {
            double f = C->x[i + c * k];
            for (int64_t j = 0; i != s && j < n; j++)
                C->x[i + j * k] -= f * C->x[s + j * k];
        }
    }
    return 1;
}

static fb_status replace_by_congruence(fb_mat *A, const fb_mat *S, fb_err *e)
{
    fb_mat B = {0};
    fb_status s = fb_congruence(A, S, &B, e);
    if (!s) {
        fb_mat_free(A);
        *A = B;
    }
    return s;
}

/* (FU.5) with as many normal coordinates fewer as U has columns; 0 in *done where that cannot be.
 *        */
static fb_status condense(const fb_split *t, const fb_mat *U, fb_mat *G, fb_mat *K, fb_mat *M,
                          int64_t nn, int *done, fb_err *e)
{
    int64_t n = K->n, k = U->n, col = 0, *pivot = NULL;
    fb_mat C = {0}, S = {0};
    fb_status s = FB_OK;
    *done = 0;
    FB_TRY(fb_new(&pivot, k, 8, "pivots", e));
    FB_TRY(fb_mat_product(1, 0, U, K, &C, e));
    FB_TRY(fb_mat_new(&S, n, n - k, e));
    if (!eliminate(&C, K, t->nb, t->nb + nn, pivot))
        goto out;
    for (int64_t j = 0; j < n; j++) {
        int gone = 0;
        for (int64_t q = 0; q < k; q++)
            gone |= pivot[q] == j;
        if (gone)
            continue;
        S.x[j + col * n] = 1;
        for (int64_t q = 0; q < k; q++)
            S.x[pivot[q] + col * n] = -C.x[q + j * k];
        col++;
    }
    FB_TRY(fb_mat_times(G, &S, e));
    FB_TRY(replace_by_congruence(K, &S, e));
    FB_TRY(replace_by_congruence(M, &S, e));
    *done = 1;
out:
    free(pivot);
    FB_FREE_BY(fb_mat_free, &C, &S);
    return s;
}

/* As many boundary dofs as there are columns of U, by which each of them moves: pivots in rows
 * weighed by stiffness, so that metres and radians compare. A dof without mass is itself the
 * direction. */
static void pick_dofs(const fb_split *t, const fb_mat *K, fb_mat *U, int64_t *eq)
{
    const int64_t m = U->m;
    for (int64_t s = 0; s < U->n; s++) {
        int64_t r = 0, c = s;
        double most = -1;
        for (int64_t j = s; j < U->n; j++)
            for (int64_t i = 0; i < t->nb; i++) {
                const double x = fabs(U->x[i + j * m]) * sqrt(fmax(K->x[i + i * m], 0));
                if (x > most * (1 + 1e-6)) {
                    most = x;
                    r = i;
                    c = j;
                }
            }
        for (int64_t i = 0; i < m; i++) {
            const double x = U->x[i + c * m];
            U->x[i + c * m] = U->x[i + s * m];
            U->x[i + s * m] = x;
        }
        for (int64_t j = s + 1; j < U->n; j++) {
            fb_axpy(-(U->x[r + j * m] / U->x[r + s * m]), U->x + s * m, U->x + j * m, m);
            U->x[r + j * m] = 0;
        }
        eq[s] = t->b[r];
    }
}

/* No interior mode is left to drop: the boundary itself has motions without mass. */
static fb_status massless_boundary(const fb_split *t, const fb_mat *K, fb_mat *U, fb_err *e)
{
    char list[400];
    int64_t n = U->n, *eq = NULL;
    FB_PASS(fb_new(&eq, n, 8, "boundary dofs", e));
    pick_dofs(t, K, U, eq);
    fb_full_names(t->f, eq, n, list, sizeof list);
    free(eq);
    return fb_fail(
        e, FB_ESOLVE,
        "the reduced mass matrix is singular in %lld direction%s: the boundary moves without mass "
        "at%s, and a simulator would find infinite frequencies or a singular matrix there; leave "
        "%s out of --interface (the interior follows statically), or keep the finite modes alone "
        "by --method mdm%s",
        (long long)n, n > 1 ? "s" : "", list, n > 1 ? "them" : "it",
        strcmp(t->f->b->method, "component modes")
            ? ""
            : " (this body is reduced already: invariants and linkexport take it as it is)");
}

/* Where M is singular not by massless dofs alone, boundary and all modes together may hold more
 * directions than have mass: these follow the others statically. */
fb_status fb_split_condense(const fb_split *t, fb_mat *G, fb_mat *K, fb_mat *M, int64_t *nn,
                            fb_err *e)
{
    int64_t condensed = 0;
    int done = 1;
    fb_mat U = {0};
    fb_status s = FB_OK;
    FB_TRY(massless(t, K, M, &U, e));
    while (U.n > 0 && done) {
        FB_TRY(condense(t, &U, G, K, M, *nn, &done, e));
        if (!done)
            break;
        *nn -= U.n;
        condensed += U.n;
        fb_mat_free(&U);
        FB_TRY(massless(t, K, M, &U, e));
    }
    if (U.n > 0)
        s = massless_boundary(t, K, &U, e);
    else if (condensed)
        fb_warn(t->f->log,
                "the mass matrix is singular: boundary and modes hold %lld motions without mass, "
                "which follow the others statically: %lld normal modes fewer",
                (long long)condensed, (long long)condensed);
out:
    fb_mat_free(&U);
    return s;
}
