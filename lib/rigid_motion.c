/* SPDX-License-Identifier: GPL-3.0-or-later */
/* rigid_motion.c - rigid motion at every dof, or the word that it is not known.
 *
 * Sets     p dofs whose place is known; a dofs that are taken for translations by their labels
 *          alone: no node has coordinates, or a label stands for several dofs; u the others:
 *          generalized, incompatible modes, nodes without coordinates
 * Equations
 *   (RE.1) R_p by (RI.1), (RI.2) of rigid.c;  R_a as (RI.1), its rotations are not known;  R_u = 0
 *   (RE.2) |(K R)_d| <= 1e-4 (|K||R|)_d                      row d is not strained
 *   (RE.3) Kuu R_u = -Kup R_p                                static extension: exact where rigid
 *          motion strains nothing
 * Translations and rotations each: (RE.1) is right where (RE.2) holds in all rows of u and a; else
 * (RE.3) is, of u or of u and a, where (RE.2) holds in all rows. Where it does not, supports are
 * missing in K: rows beside them are strained by the right motion, too. Then (RE.1) is taken where
 * (RE.2) holds in at least half of the rows of u and a; if not, the mass that moves is not known.
 *        That K resists is, by (RE.3), which strains least.
 */
#include "linalg/blas.h"
#include "linalg/dense.h"
#include "linalg/factor.h"
#include "linalg/far.h"
#include "linalg/sparse.h"
#include "linalg/sparse_ops.h"
#include "memory.h"
#include "model.h"
#include "status.h"
#include <math.h>
#include <string.h>

static const double strained = 1e-4; /* coordinates of 5 digits give 1e-5 */
static const double noise =
    1e-9; /* of the largest |K||R|: what is left of stiffness that cancels */

typedef enum { PLACED, ASSUMED, UNPLACED } placing;

typedef struct {
    const fb_model *b;
    int64_t n, count[3]; /* dofs of each placing */
    int64_t carry[3];    /* those of them that have a part in the motions by (RE.1) */
    char *how;           /* [n] placing */
    double *r, *y, *w;   /* [n,3] three motions, K r, |K||r| */
    double scale[3];     /* largest |K||r| */
    const double *R;     /* [n] by rigid.c, columns of the motions at hand */
} task;

static int is_motion(const fb_model *b, int64_t d, int64_t *p)
{
    const int64_t c = b->dof_component[d], class = b->dof_class ? b->dof_class[d] : FB_DOF_PHYSICAL;
    return c >= 1 && c <= 6 && class != FB_DOF_GENERALIZED && class != FB_DOF_MULTIPLIER &&
           (!b->node_id || p[d] >= 0);
}

/* turn: of rotations about the origin, else of translations. */
static placing placing_of(const fb_model *b, int64_t d, int64_t *p, int turn)
{
    const int internal = b->dof_class && b->dof_class[d] == FB_DOF_INTERNAL;
    if (!is_motion(b, d, p) ||
        (internal && (b->dof_component[d] > 3 || b->dof_node[d] < 0))) /* < 0: Abaqus' own nodes */
        return UNPLACED;
    if (b->dof_component[d] > 3 || (b->xyz && !internal))
        return PLACED;
    return turn ? UNPLACED : ASSUMED;
}

static void assume(task *t, int64_t *p, int turn)
{
    memset(t->count, 0, sizeof t->count);
    memset(t->carry, 0, sizeof t->carry);
    for (int64_t d = 0; d < t->n; d++) {
        t->how[d] = (char)placing_of(t->b, d, p, turn);
        t->count[(int)t->how[d]]++;
        t->carry[(int)t->how[d]] += turn || t->b->dof_component[d] <= 3;
        for (int c = 0; c < 3; c++) /* (RE.1) */
            t->r[3 * d + c] = t->how[d] == PLACED    ? t->R[d + c * t->n]
                              : t->how[d] == ASSUMED ? t->b->dof_component[d] == c + 1
                                                     : 0;
    }
}

/* A thread's share of the columns of K; what it adds up is its own. */
typedef struct {
    const task *t;
    double *y, *w; /* [threads][n,3] */
    int threads;
} sums;

static void add(const double *r, double k, double *y, double *w)
{
    for (int c = 0; c < 3; c++) {
        double x = k * r[c];
        y[c] += x;
        w[c] += fabs(x);
    }
}

static void multiply_share(void *arg, int part)
{
    const sums *z = arg;
    const task *t = z->t;
    const fb_csc *K = &t->b->K;
    double *y = z->y + 3 * part * t->n, *w = z->w + 3 * part * t->n;
    for (int64_t j = t->n * part / z->threads; j < t->n * (part + 1) / z->threads; j++) {
        double yj[3] = {0}, wj[3] = {0};
        for (int64_t q = K->p[j]; q < K->p[j + 1]; q++) {
            const int64_t i = K->i[q];
            add(t->r + 3 * j, K->x[q], y + 3 * i, w + 3 * i);
            if (K->upper && i != j)
                add(t->r + 3 * i, K->x[q], yj, wj);
        }
        for (int c = 0; c < 3; c++) {
            y[3 * j + c] += yj[c];
            w[3 * j + c] += wj[c];
        }
    }
}

static fb_status multiply_near(task *t, fb_err *e)
{
    const int64_t worth = 1000000; /* entries: a few milliseconds */
    sums z = {.t = t, .threads = t->b->K.p[t->n] > worth ? fb_threads() : 1};
    fb_status s = FB_OK;
    FB_TRY(fb_new(&z.y, 3 * t->n * z.threads, 8, "rigid motion", e));
    FB_TRY(fb_new(&z.w, 3 * t->n * z.threads, 8, "rigid motion", e));
    fb_parallel(z.threads, multiply_share, &z);
    for (int64_t k = 0; k < 3 * t->n; k++)
        for (int64_t part = 0; part < z.threads; part++) {
            t->y[k] += z.y[3 * part * t->n + k];
            t->w[k] += z.w[3 * part * t->n + k];
        }
out:
    FB_FREE(z.y, z.w);
    return s;
}

/* The products of a stiffness that other processes hold, by columns. */
static fb_status multiply_far(task *t, fb_err *e)
{
    const int64_t n = t->n;
    fb_mat X = {0}, Y = {0};
    fb_status s = FB_OK;
    FB_TRY(fb_mat_new(&X, n, 3, e));
    FB_TRY(fb_mat_new(&Y, n, 3, e));
    for (int which = 0; which < 2; which++) {
        double *to = which ? t->w : t->y;
        for (int64_t k = 0; k < 3 * n; k++)
            X.x[k] = which ? fabs(X.x[k]) : t->r[3 * (k % n) + k / n];
        FB_TRY(which ? fb_far->absolute(&t->b->K, &X, &Y, e)
                     : fb_far->multiply(&t->b->K, &X, &Y, e));
        for (int64_t k = 0; k < 3 * n; k++)
            to[3 * (k % n) + k / n] = Y.x[k];
    }
out:
    FB_FREE_BY(fb_mat_free, &X, &Y);
    return s;
}

static fb_status multiply(task *t, fb_err *e)
{
    const fb_csc *K = &t->b->K;
    memset(t->y, 0, sizeof *t->y * (size_t)(3 * t->n));
    memset(t->w, 0, sizeof *t->w * (size_t)(3 * t->n));
    memset(t->scale, 0, sizeof t->scale);
    FB_PASS(fb_is_far(K->p) ? multiply_far(t, e) : multiply_near(t, e));
    for (int64_t d = 0; d < 3 * t->n; d++)
        t->scale[d % 3] = fmax(t->scale[d % 3], t->w[d]);
    return FB_OK;
}

/* Rows strained by the motions at hand, of all or of those that are not placed; held ones are not
 * looked at. */
static int64_t count_strained(const task *t, int all)
{
    int64_t count = 0;
    for (int64_t d = 0; d < t->n; d++) {
        int is = 0;
        if ((!all && t->how[d] == PLACED) ||
            (t->b->dof_class && t->b->dof_class[d] == FB_DOF_FIXED))
            continue;
        for (int c = 0; c < 3; c++) { /* (RE.2) */
            double y = fabs(t->y[3 * d + c]);
            is |= y > strained * t->w[3 * d + c] && y > noise * t->scale[c];
        }
        count += is;
    }
    return count;
}

static fb_status solve(const fb_model *b, const int64_t *u, int64_t nu, fb_mat *X, int *solved,
                       fb_err *e)
{
    fb_csc Kuu = {0};
    fb_factor *F = NULL;
    fb_err why = {0};
    fb_status s = FB_OK;
    *solved = 0;
    FB_TRY(fb_csc_sub(&b->K, u, nu, u, nu, &Kuu, e));
    s = fb_factor_spd(&F, &Kuu, NULL, 0, &(fb_factor_opts){0}, NULL, &why);
    if (s == FB_ESOLVE) { /* the placed dofs do not hold the others */
        s = FB_OK;
        goto out;
    }
    if (s) {
        *e = why;
        goto out;
    }
    FB_TRY(fb_factor_solve(F, X, e));
    *solved = 1;
out:
    fb_factor_free(F);
    fb_csc_free(&Kuu);
    return s;
}

/* (RE.3) for the unplaced dofs, and with also the assumed ones; those without stiffness of their
 *        own stay at zero. */
static fb_status extend(task *t, int also, int64_t most, int *solved, fb_err *e)
{
    int64_t *u = NULL, nu = 0;
    double *diagonal = NULL;
    fb_mat X = {0};
    fb_status s = FB_OK;
    *solved = 0;
    FB_TRY(fb_new(&u, t->n, 8, "dofs without a place", e));
    FB_TRY(fb_new(&diagonal, t->n, 8, "diagonal of K", e));
    fb_csc_diagonal(&t->b->K, diagonal);
    for (int64_t d = 0; d < t->n; d++) {
        if (t->how[d] == PLACED || (t->how[d] == ASSUMED && !also))
            continue;
        memset(t->r + 3 * d, 0, 3 * sizeof *t->r);
        if (diagonal[d] > 0)
            u[nu++] = d;
    }
    if (!nu || nu > most)
        goto out;
    FB_TRY(multiply(t, e));
    FB_TRY(fb_mat_new(&X, nu, 3, e));
    for (int64_t k = 0; k < nu; k++)
        for (int c = 0; c < 3; c++)
            X.x[k + c * nu] = -t->y[3 * u[k] + c];
    FB_TRY(solve(t->b, u, nu, &X, solved, e));
    for (int64_t k = 0; *solved && k < nu; k++)
        for (int c = 0; c < 3; c++)
            t->r[3 * u[k] + c] = X.x[k + c * nu];
    FB_TRY(multiply(t, e));
out:
    fb_mat_free(&X);
    FB_FREE(u, diagonal);
    return s;
}

/* What can be said of three motions; t->r is the one to take. */
static fb_status decide(task *t, int64_t *p, int turn, int64_t most, fb_rigid_state *state,
                        fb_err *e)
{
    int solved = 0;
    assume(t, p, turn);
    *state = FB_RIGID_KNOWN;
    const int64_t open = t->count[ASSUMED] + t->count[UNPLACED];
    if (!open)
        return FB_OK;
    *state = FB_RIGID_UNKNOWN;
    if (!(t->carry[PLACED] + t->carry[ASSUMED]) || (turn && !t->b->xyz))
        return FB_OK;
    if (!t->b->K.p || t->b->K.n != t->n || !t->b->K.upper)
        return FB_OK;
    FB_PASS(multiply(t, e));
    const int64_t against = count_strained(t, 0);
    *state = FB_RIGID_KNOWN;
    if (!against)
        return FB_OK;
    for (int also = 0; also < 2; also++) {
        if (!t->count[also ? ASSUMED : UNPLACED] ||
            !(t->carry[PLACED] + (also ? 0 : t->carry[ASSUMED])))
            continue;
        assume(t, p, turn);
        FB_PASS(extend(t, also, most, &solved, e));
        if (solved && !count_strained(t, 1))
            return FB_OK;
    }
    if (2 * against <= open)
        assume(t, p, turn);
    else
        *state = solved ? FB_RIGID_STRAIN : FB_RIGID_UNKNOWN;
    return FB_OK;
}

void fb_rigid_motion_free(fb_rigid_motion *r)
{
    fb_mat_free(&r->R);
    *r = (fb_rigid_motion){0};
}

fb_status fb_rigid_motion_new(const fb_model *b, int64_t most, fb_rigid_motion *r, fb_err *e)
{
    task t = {.b = b, .n = b->ndof};
    fb_rigid_motion q = {0};
    int64_t *place = NULL;
    fb_status s = FB_OK;
    FB_TRY(fb_node_places(b, &place, e));
    FB_TRY(fb_model_rigid(b, &q.R, e));
    FB_TRY(fb_new(&t.how, t.n, 1, "dofs", e));
    FB_TRY(fb_new(&t.r, 3 * t.n, 8, "rigid motion", e));
    FB_TRY(fb_new(&t.y, 3 * t.n, 8, "rigid motion", e));
    FB_TRY(fb_new(&t.w, 3 * t.n, 8, "rigid motion", e));
    for (int turn = 0; turn < 2; turn++) {
        double *R = q.R.x + 3 * turn * t.n;
        fb_rigid_state *state = turn ? &q.turn : &q.move;
        t.R = R;
        FB_TRY(decide(&t, place, turn, most, state, e));
        for (int64_t d = 0; d < t.n; d++)
            for (int c = 0; c < 3; c++)
                R[d + c * t.n] = *state == FB_RIGID_UNKNOWN ? 0 : t.r[3 * d + c];
    }
    *r = q;
    q = (fb_rigid_motion){0};
out:
    fb_rigid_motion_free(&q);
    FB_FREE(place, t.how, t.r, t.y, t.w);
    return s;
}
