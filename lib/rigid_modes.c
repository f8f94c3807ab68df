/* SPDX-License-Identifier: GPL-3.0-or-later */
/* rigid_modes.c - which modes of a body are rigid: the one rule of all tools.
 *
 * Symbols  K, M the pair in generalized coordinates; v a mode of it, v'Mv = 1, lambda = v'Kv; x = S
 *          v its shape over /dofs; A the stiffness of the full model, R its rigid motion (rigid.c)
 * Equations
 *   (RM.1) |lambda| <= 64 eps sum_ij |v_i||K_ij||v_j|         the strain energy is lost in the
 *          round-off of K,
 *   (RM.2) |lambda| <= 64 eps sum_i r_i x_i^2, r_i = sum_j |A_ij| sqrt(A_ii/A_jj)   or in that of
 *          A, by which K was computed; forces and moments do not add, hence the root
 *   (RM.3) |lambda| <= 1e-9 lambda_max  and  ||x - P x|| <= 1e-5 ||x||, P the projection on the
 *          columns of R
 *   (RM.4) |lambda| <= 1e-12 lambda_max
 *   (RM.5) |lambda| <= 2 d sum_i r_i x_i^2 and a rigid shape, d <= 1e-8 the most that a mode with
 *          lambda < 0 and a rigid shape has: a stiffness written with few digits shows by it how
 *          many. Those with lambda < 0 are judged first: mostly d = 0, and (RM.2) decides the
 *          others
 *   (RM.6) |lambda| <= s sum_i r_i x_i^2, s the noise that the model states of its stiffness
 *          (stacks.c, assemble.c), and ||x - P x|| <= 1e-2 ||x||: that noise bends a rigid mode a
 *          little; a hinge or another soft part bends by more
 *   (RM.7) (sum_i r_i x_i^2)^1/2 <= sum_k |v_k| (sum_i r_i S_ik^2)^1/2: the triangle inequality
 *          tells most modes to be none that (RM.2), (RM.5) or (RM.6) could mean, by a number a
 *          coordinate
 * (RM.3) is for bodies held by modes alone, whose diagonal K tells nothing of its own round-off:
 * there the shape tells. (RM.4) is for those that have neither. All are free of units, and none
 * looks for a gap: a soft mode that is no rigid motion is told from one wherever the numbers tell
 * it.
 * Laws     tests/prop/test_eig.c
 */
#include "linalg/blas.h"
#include "linalg/dense.h"
#include "linalg/far.h"
#include "linalg/modes.h"
#include "linalg/sparse_ops.h"
#include "memory.h"
#include "model.h"
#include "status.h"
#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static const double shape_most = 1e-5, energy_most = 1e-9; /* (RM.3) */
static const double blind_most = 1e-12;                    /* (RM.4) */
static const double text_most = 1e-8;                      /* (RM.5) */
static const double bent_most = 1e-2;                      /* (RM.6) */

/* (RM.1) */
static int lost_in_pair(const fb_model *b, const double *v, double lambda)
{
    double q = 0;
    for (int64_t j = 0; j < b->nr; j++)
        for (int64_t i = 0; i < b->nr; i++)
            q += fabs(v[i] * b->Kr[i + j * b->nr] * v[j]);
    return fabs(lambda) <= 64 * DBL_EPSILON * q;
}

/* Columns of R of unit length and orthogonal; those that depend on the others are zero. Rotations
 * count by the body's size, which is the value, so that they compare with translations. */
static double orthonormalise(const fb_model *b, fb_mat *R)
{
    double size = 0;
    for (int64_t d = 0; d < R->m; d++)
        for (int c = 3; c < 6; c++)
            if (b->dof_component[d] <= 3)
                size = fmax(size, fabs(R->x[d + c * R->m]));
    for (int64_t d = 0; d < R->m; d++)
        for (int c = 3; c < 6 && size > 0; c++)
            R->x[d + c * R->m] /= b->dof_component[d] <= 3 ? size : 1;
    fb_mat_orthonormalise(R);
    return size;
}

/* ||x - P x||^2 / ||x||^2 of the shape x, which is destroyed; R orthonormal */
static double not_rigid(const fb_mat *R, double *x)
{
    const double whole = fb_dot(x, x, R->m);
    fb_without(R, x);
    fb_without(R, x);
    return whole > 0 ? fb_dot(x, x, R->m) / whole : 1;
}

typedef struct {
    const fb_model *b;
    const double *S; /* [ndof x nr] shapes, or NULL */
    double *rowsum;  /* [ndof] r_i of (RM.2), or NULL */
    fb_mat R;        /* empty until it is wanted */
    double *x;       /* [ndof] */
    double *noise;   /* [modes] of (RM.2) or (RM.7), where rowsum is */
    double *g;       /* [nr] (sum_i r_i S_ik^2)^1/2 of (RM.7), where rowsum is */
    double digits;   /* d of (RM.5), as far as it is known */
    double size;     /* by which rotations count in R */
    double stated;   /* s of (RM.6) */
} judge;

/* x = S v */
static fb_status shape_of(judge *t, const double *v, fb_err *e)
{
    const int64_t n = t->b->nr;
    const fb_mat S = {t->b->ndof, n, (double *)(uintptr_t)t->S}, V = {n, 1, (double *)(uintptr_t)v};
    if (fb_is_far(t->S))
        return fb_gemm(0, 0, 1, &S, &V, 0, &(fb_mat){t->b->ndof, 1, t->x}, e);
    memset(t->x, 0, sizeof *t->x * (size_t)t->b->ndof);
    for (int64_t k = 0; k < n; k++)
        fb_axpy(v[k], t->S + k * t->b->ndof, t->x, t->b->ndof);
    return FB_OK;
}

/* noises, of shapes that are far: so many columns of them together. */
static fb_status noises_far(judge *t, const fb_mat *V, fb_err *e)
{
    enum { TOGETHER = 32 };
    const fb_mat S = {t->b->ndof, t->b->nr, (double *)(uintptr_t)t->S};
    fb_mat X = {0};
    fb_status s = FB_OK;
    FB_TRY(fb_mat_like(&S, V->n < TOGETHER ? V->n : TOGETHER, &X, e));
    for (int64_t c = 0; c < V->n; c += TOGETHER) {
        const int64_t k = V->n - c < TOGETHER ? V->n - c : TOGETHER;
        const fb_mat U = fb_mat_columns(V, c, k);
        fb_mat Y = fb_mat_columns(&X, 0, k);
        FB_TRY(fb_gemm(0, 0, 1, &S, &U, 0, &Y, e));
        fb_far->weigh(&Y, t->rowsum, t->noise + c);
    }
    for (int64_t k = 0; k < V->n; k++)
        t->noise[k] *= 64 * DBL_EPSILON;
out:
    fb_mat_free(&X);
    return s;
}

static void root_of_noise(void *arg, int k)
{
    const judge *t = arg;
    const int64_t n = t->b->ndof;
    t->g[k] = sqrt(fb_strain_noise(t->rowsum, t->S + k * n, n));
}

/* Above this share of sum_i r_i x_i^2 a mode is elastic, whatever its shape. */
static double largest_share(const judge *t, double lambda)
{
    return fmax(t->stated, lambda < 0 ? text_most : fmin(text_most, 2 * t->digits));
}

/* What (RM.2), (RM.5) and (RM.6) leave open: the modes that (RM.7) does not exclude, of which there
 * are n. The others get their bound for their noise. */
static int64_t in_doubt(judge *t, const fb_mat *V, const double *lambda, int64_t *which)
{
    int64_t n = 0;
    for (int64_t k = 0; k < V->n; k++) {
        const double most = fmax(1, largest_share(t, lambda[k]) / (64 * DBL_EPSILON));
        double sum = 0;
        for (int64_t j = 0; j < V->m; j++)
            sum += fabs(V->x[j + k * V->m]) * t->g[j];
        t->noise[k] = sum * sum; /* (RM.7) */
        if (!(fabs(lambda[k]) > most * t->noise[k]))
            which[n++] = k;
    }
    return n;
}

enum { CHUNK = 2048 }; /* rows of S of which shapes are made together: they are fetched once */

typedef struct {   /* a thread's */
    fb_mat S, X;   /* rows of S, and of the shapes */
    double *noise; /* [modes] */
    fb_err e;
} strip;

typedef struct {
    const judge *t;
    fb_mat V; /* the modes */
    strip *of;
    int threads;
} shapes;

static void noises_of_rows(void *arg, int t)
{
    const shapes *z = arg;
    const int64_t ndof = z->t->b->ndof, chunks = (ndof + CHUNK - 1) / CHUNK;
    strip *x = z->of + t;
    fb_status s = FB_OK;
    for (int64_t c = chunks * t / z->threads; !s && c < chunks * (t + 1) / z->threads; c++) {
        const int64_t i = c * CHUNK;
        x->S.m = x->X.m = ndof - i < CHUNK ? ndof - i : CHUNK;
        for (int64_t k = 0; k < x->S.n; k++)
            memcpy(x->S.x + k * x->S.m, z->t->S + k * ndof + i, sizeof *x->S.x * (size_t)x->S.m);
        s = fb_gemm(0, 0, 1, &x->S, &z->V, 0, &x->X, &x->e);
        for (int64_t k = 0; !s && k < x->X.n; k++)
            x->noise[k] += fb_strain_noise(z->t->rowsum + i, x->X.x + k * x->X.m, x->X.m);
    }
}

/* The noise of the modes which [n] of V. */
static fb_status noises_of(judge *t, const fb_mat *V, const int64_t *which, int64_t n, fb_err *e)
{
    shapes z = {.t = t, .threads = fb_threads()};
    fb_status s = FB_OK;
    FB_TRY(FB_NEW(&z.of, z.threads, e));
    FB_TRY(fb_mat_new(&z.V, V->m, n, e));
    for (int64_t k = 0; k < n; k++)
        memcpy(z.V.x + k * V->m, V->x + which[k] * V->m, sizeof *V->x * (size_t)V->m);
    for (int k = 0; k < z.threads; k++) {
        FB_TRY(fb_mat_new(&z.of[k].S, CHUNK, V->m, e));
        FB_TRY(fb_mat_new(&z.of[k].X, CHUNK, n, e));
        FB_TRY(FB_NEW(&z.of[k].noise, n, e));
    }
    fb_parallel(z.threads, noises_of_rows, &z);
    for (int64_t q = 0; q < n; q++)
        t->noise[which[q]] = 0;
    for (int k = 0; !s && k < z.threads; k++) {
        for (int64_t q = 0; q < n; q++)
            t->noise[which[q]] += z.of[k].noise[q];
        s = z.of[k].e.status;
        *e = s ? z.of[k].e : *e;
    }
out:
    for (int k = 0; z.of && k < z.threads; k++) {
        FB_FREE_BY(fb_mat_free, &z.of[k].S, &z.of[k].X);
        free(z.of[k].noise);
    }
    fb_mat_free(&z.V);
    free(z.of);
    return s;
}

/* The noise of all modes V, or more of it where that is enough to know. */
static fb_status noises(judge *t, const fb_mat *V, const double *lambda, fb_err *e)
{
    int64_t *which = NULL, n = 0;
    fb_status s = FB_OK;
    FB_TRY(fb_new(&which, V->n, 8, "modes", e));
    n = in_doubt(t, V, lambda, which);
    if (n)
        FB_TRY(noises_of(t, V, which, n, e));
out:
    free(which);
    return s;
}

/* The same with what it needs. */
static fb_status first_noises(judge *t, const fb_mat *V, const double *lambda, fb_err *e)
{
    FB_PASS(fb_new(&t->rowsum, t->b->ndof, 8, "row sums", e));
    FB_PASS(fb_csc_balanced_sums(&t->b->K, t->rowsum, e));
    FB_PASS(fb_new(&t->noise, V->n, 8, "energies", e));
    if (fb_is_far(t->S))
        return noises_far(t, V, e);
    FB_PASS(fb_new(&t->g, t->b->nr, 8, "energies", e));
    fb_parallel((int)t->b->nr, root_of_noise, t);
    return noises(t, V, lambda, e);
}

/* Nodes of solids turn in no coordinate: their rotations tell nothing. */
static fb_status leave_out_still(const judge *t, fb_err *e)
{
    const fb_mat S = {t->b->ndof, t->b->nr, (double *)(uintptr_t)t->S};
    double *rows = NULL;
    if (fb_is_far(t->S)) {
        FB_PASS(fb_new(&rows, t->b->ndof, sizeof *rows, "rows of the shapes", e));
        fb_far->rows(&S, rows);
    }
    for (int64_t d = 0; d < t->b->ndof; d++) {
        int moves = t->b->dof_component[d] <= 3 || (rows && rows[d] > 0);
        for (int64_t k = 0; !rows && !moves && k < t->b->nr; k++)
            moves = t->S[d + k * t->b->ndof] < 0 || t->S[d + k * t->b->ndof] > 0;
        for (int c = 0; !moves && c < 6; c++)
            t->R.x[d + c * t->b->ndof] = 0;
    }
    free(rows);
    return FB_OK;
}

/* 1: the shape in t->x, which is destroyed, is rigid motion but for a share `most` of it. */
static fb_status rigid_shape(judge *t, double most, int *is, fb_err *e)
{
    if (!t->R.x) {
        FB_PASS(fb_model_rigid(t->b, &t->R, e));
        FB_PASS(leave_out_still(t, e));
        t->size = orthonormalise(t->b, &t->R);
    }
    for (int64_t d = 0; d < t->b->ndof; d++)
        t->x[d] *= t->b->dof_component[d] > 3 && t->size > 0 ? t->size : 1;
    *is = not_rigid(&t->R, t->x) <= most * most;
    return FB_OK;
}

/* share: 0 where the mode is rigid without more ado, INFINITY where it is not, else what (RM.5) and
 * (RM.6) compare, signed. */
static fb_status judge_one(judge *t, const double *v, double lambda, double noise, double top,
                           double *share, fb_err *e)
{
    int is = lost_in_pair(t->b, v, lambda);
    *share = is ? 0 : INFINITY;
    if (is)
        return FB_OK;
    if (!t->S) {
        *share = fabs(lambda) <= blind_most * top ? 0 : INFINITY; /* (RM.4) */
        return FB_OK;
    }
    if (t->rowsum) {
        double d = noise > 0 ? 64 * DBL_EPSILON * lambda / noise : INFINITY;
        if (fabs(lambda) <= noise) /* (RM.2) */
            *share = 0;
        if (fabs(lambda) <= noise || fabs(d) > largest_share(t, lambda))
            return FB_OK;
        FB_PASS(shape_of(t, v, e));
        FB_PASS(rigid_shape(t, fabs(d) <= t->stated ? bent_most : shape_most, &is, e));
        *share = is ? d : INFINITY;
    } else if (fabs(lambda) <= energy_most * top) { /* (RM.3) */
        FB_PASS(shape_of(t, v, e));
        FB_PASS(rigid_shape(t, shape_most, &is, e));
        *share = is ? 0 : INFINITY;
    }
    return FB_OK;
}

/* The shares of the modes whose roots are negative, or of the others. */
static fb_status judge_all(judge *t, const double *lambda, const fb_mat *V, int negative,
                           double *share, fb_err *e)
{
    double top = 0;
    for (int64_t k = 0; k < V->n; k++)
        top = fmax(top, fabs(lambda[k]));
    for (int64_t k = 0; k < V->n; k++)
        if ((lambda[k] < 0) == negative)
            FB_PASS(judge_one(t, V->x + k * V->m, lambda[k], t->noise ? t->noise[k] : 0, top,
                              share + k, e));
    return FB_OK;
}

fb_status fb_rigid_find(const fb_model *b, const double *lambda, const fb_mat *V, char *rigid,
                        int64_t *n, fb_err *e)
{
    judge t = {.b = b, .S = b->T ? b->T : b->nm == b->nr ? b->shape : NULL};
    double *share = NULL, most;
    fb_status s = FB_OK;
    if (!b->dof_node || !b->dof_component)
        t.S = NULL;
    t.stated = b->stiffness_noise ? *b->stiffness_noise : 0;
    FB_TRY(fb_new(&share, V->n, 8, "energies", e));
    FB_TRY(fb_new(&t.x, t.S ? b->ndof : 0, 8, "shape", e));
    if (t.S && b->K.p && b->K.n == b->ndof && b->K.upper)
        FB_TRY(first_noises(&t, V, lambda, e));
    FB_TRY(judge_all(&t, lambda, V, 1, share, e));
    for (int64_t k = 0; k < V->n; k++)
        t.digits = fmax(t.digits, share[k] >= -text_most ? -share[k] : 0);
    if (t.g && t.digits > 0)
        FB_TRY(noises(&t, V, lambda, e));
    FB_TRY(judge_all(&t, lambda, V, 0, share, e));
    most = fmax(2 * t.digits, t.stated); /* (RM.5), (RM.6) */
    *n = 0;
    for (int64_t k = 0; k < V->n; k++) {
        rigid[k] = fabs(share[k]) <= most;
        *n += rigid[k];
    }
out:
    fb_mat_free(&t.R);
    FB_FREE(t.rowsum, t.noise, t.g, t.x, share);
    return s;
}
