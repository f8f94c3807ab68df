/* SPDX-License-Identifier: GPL-3.0-or-later */
/* full.c - inertia invariants of a body that has a mass matrix.
 *
 * Symbols  R rigid motion [ndof x 6] (lib/rigid.c)
 * Equations
 *   (IN.1) M = Ms x 1_3: three equal blocks, no coupling of axes: all sums of inertia.c with Ms, exact
 *   (IN.2) else nodal masses by (RI.3) or (RI.4) of lib/rigid.c for all sums, and I6 = T'MT
 *   (IN.3) R'MR = [I1 1, I2~'; I2~, I7], exact for any element: what (IN.2) misses of it is the lumping error,
 *          relative to I1, to I1 sqrt(tr I7 / 2 I1), to the largest entry of I7
 * One set, one source: the treatment holds for the whole set.
 * Source   Zwoelfer & Gerstmayr, Multibody Syst. Dyn. (2021), nodal-based invariants
 */
#include "inertia.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Blocks that differ by less, of the largest entry, are equal: assembly sums in another order. */
static const double same = 1e-10;

typedef struct {
    int64_t *i, *j, n;
    double  *x;
} triplets;

static void put(triplets *t, int64_t i, int64_t j, double x)
{
    t->i[t->n] = i < j ? i : j;
    t->j[t->n] = i < j ? j : i;
    t->x[t->n++] = x;
}

/* Sorts the entries of M by axis; 0 where some belongs to no axis, or to two. */
static int by_axis(const fb_model *b, const int64_t *node, triplets t[3], double *most)
{
    const fb_csc *M = &b->M;
    *most = 0;
    for (int64_t q = 0; q < M->p[M->n]; q++)
        *most = fmax(*most, fabs(M->x[q]));
    for (int64_t j = 0; j < M->n; j++)
        for (int64_t q = M->p[j]; q < M->p[j + 1]; q++) {
            int64_t i = M->i[q], a = b->dof_component[i] - 1, c = b->dof_component[j] - 1;
            if (fabs(M->x[q]) <= same * *most)
                continue;
            if (a != c || a < 0 || a > 2 || node[i] < 0 || node[j] < 0 || !M->upper)
                return 0;
            put(t + a, node[i], node[j], M->x[q]);
        }
    return 1;
}

static fb_status compare(const fb_csc *A, const fb_csc *B, double most, int *equal, fb_err *e)
{
    fb_csc D = {0};
    fb_status s = fb_csc_add(A, -1, B, &D, e);
    for (int64_t q = 0; !s && q < D.p[D.n]; q++)
        *equal = *equal && fabs(D.x[q]) <= same * most;
    fb_csc_free(&D);
    return s;
}

/* (IN.1): *Ms stays empty where it does not hold. */
static fb_status node_matrix(const fb_model *b, fb_csc *Ms, fb_err *e)
{
    triplets t[3] = {{0}};
    fb_csc A[3] = {{0}};
    fb_index x = {0};
    int64_t *node = NULL, *i = NULL, *j = NULL, nnz = b->M.p[b->M.n];
    double *v = NULL, most = 0;
    int equal = 1;
    fb_status s = FB_OK;
    FB_TRY(fb_index_new(&x, b->node_id, b->nn, "/nodes/id", e));
    FB_TRY(fb_new(&node, b->ndof, 8, "nodes of dofs", e));
    for (int64_t d = 0; d < b->ndof; d++)
        node[d] = fb_index_find(&x, b->dof_node[d]);
    FB_TRY(fb_new(&i, 3 * nnz, 8, "entries of M", e));
    FB_TRY(fb_new(&j, 3 * nnz, 8, "entries of M", e));
    FB_TRY(fb_new(&v, 3 * nnz, 8, "entries of M", e));
    for (int a = 0; a < 3; a++)
        t[a] = (triplets){i + a * nnz, j + a * nnz, 0, v + a * nnz};
    if (!by_axis(b, node, t, &most))
        goto out;
    for (int a = 0; a < 3; a++)
        FB_TRY(fb_csc_from_triplets(&A[a], b->nn, b->nn, t[a].n, t[a].i, t[a].j, t[a].x, 1, e));
    FB_TRY(compare(&A[0], &A[1], most, &equal, e));
    FB_TRY(compare(&A[0], &A[2], most, &equal, e));
    if (equal) {
        *Ms = A[0];
        A[0] = (fb_csc){0};
    }
out:
    for (int a = 0; a < 3; a++)
        fb_csc_free(&A[a]);
    free(i);
    free(j);
    free(v);
    free(node);
    fb_index_free(&x);
    return s;
}

/* (IN.3) */
static fb_status lumping_error(fb_model *b, fb_err *e)
{
    fb_mat R = {0}, B = {0};
    double size = 0, r;
    fb_status s = FB_OK;
    free(b->lumping_error);
    b->lumping_error = NULL;
    FB_TRY(fb_new(&b->lumping_error, 3, 8, "lumping error", e));
    FB_TRY(fb_model_rigid(b, &R, e));
    FB_TRY(fb_csc_congruence(&b->M, &R, &B, e));
    const double m = (B.x[0] + B.x[7] + B.x[14]) / 3, S[3] = {B.x[1 + 6 * 5], B.x[2 + 6 * 3], B.x[0 + 6 * 4]};
    for (int a = 0; a < 3; a++)
        for (int c = 0; c < 3; c++)
            size = fmax(size, fabs(B.x[3 + a + 6 * (3 + c)]));
    r = m > 0 ? m * sqrt((B.x[21] + B.x[28] + B.x[35]) / (2 * m)) : 0;
    b->lumping_error[0] = m > 0 ? fabs(b->I[1][0] / m - 1) : 0;
    for (int a = 0; a < 3; a++) {
        b->lumping_error[1] = fmax(b->lumping_error[1], r > 0 ? fabs(b->I[2][a] - S[a]) / r : 0);
        for (int c = 0; c < 3; c++)
            b->lumping_error[2] =
                fmax(b->lumping_error[2], size > 0 ? fabs(b->I[7][3 * a + c] - B.x[3 + a + 6 * (3 + c)]) / size : 0);
    }
out:
    fb_mat_free(&R);
    fb_mat_free(&B);
    return s;
}

static fb_status choose(fb_model *b, const char *how, const fb_csc *Ms, fb_err *e)
{
    static const char *const known[] = {"consistent", "rowsum", "diagonal"};
    int k = 0;
    if (!how)
        how = Ms->p ? "consistent" : "rowsum";
    while (k < 3 && strcmp(how, known[k]))
        k++;
    if (k == 3)
        return fb_fail(e, FB_EUSAGE, "unknown --mass '%s': consistent, rowsum or diagonal", how);
    if (k == 0 && !Ms->p)
        return fb_fail(e, FB_EUSAGE,
                       "--mass consistent wants three equal blocks in M, one an axis, and no rotary mass (solids); "
                       "this M is not of that kind: rowsum or diagonal");
    snprintf(b->mass_treatment, sizeof b->mass_treatment, "%s", how);
    return FB_OK;
}

fb_status fb_invariants_full(fb_model *b, const char *how, fb_log *log, fb_err *e)
{
    fb_csc Ms = {0};
    double *mass = NULL, *inertia = NULL;
    fb_status s = FB_OK;
    if (!b->node_id || !b->xyz) {
        s = fb_fail(e, FB_EFORMAT, "the nodes have no coordinates (/nodes/xyz): mnfparse --nodes FILE gives them");
        goto out;
    }
    FB_TRY(node_matrix(b, &Ms, e));
    FB_TRY(choose(b, how, &Ms, e));
    if (!strcmp(b->mass_treatment, "consistent")) {
        FB_TRY(fb_invariants_sums(b, b->T, &Ms, e));
    } else {
        FB_TRY(fb_model_lump(b, !strcmp(b->mass_treatment, "diagonal"), &mass, &inertia, e));
        free(b->node_mass);
        free(b->node_inertia);
        b->node_mass = mass;
        b->node_inertia = inertia;
        mass = inertia = NULL;
        FB_TRY(fb_invariants_sums(b, b->T, NULL, e));
        double off = fb_invariants_mass_error(b);
        memcpy(b->I[6], b->Mr, sizeof(double) * (size_t)(b->nr * b->nr)); /* (IN.2) */
        fb_note(log, "I6 is T'MT; the %s masses would give %.2g of its largest entry less or more", b->mass_treatment,
                off);
    }
    FB_TRY(lumping_error(b, e));
    fb_note(log, "%s masses: against R'MR the mass is off by %.2g, the static moment by %.2g, the inertia by %.2g",
            b->mass_treatment, b->lumping_error[0], b->lumping_error[1], b->lumping_error[2]);
out:
    fb_csc_free(&Ms);
    free(mass);
    free(inertia);
    return s;
}
