/* SPDX-License-Identifier: GPL-3.0-or-later */
/* balance.c - the model as a rigid body: does K resist rigid motion, and what does M weigh?
 *
 *   (BA.1) r_a, r_3+a by fb_rigid_motion_new, the rotations about the middle o of the nodes
 *          a = x, y, z
 *   (BA.2) residual_k = max |K r_k| / max (|K| |r_k|)
 *   (BA.3) B = R' M R = [ m I, -m c~ ; m c~, J_o ] for a body that has all its translations
 *   (BA.4) J_c = J_o - m ((c.c) I - c c')
 * What is not known of R, nothing is said of. Nodes that lack direction a and all lie in one plane
 * normal to a are a plane of symmetry: that K resists the motion out of it is as it should be. */
#include "linalg/blas.h"
#include "linalg/sparse_ops.h"
#include "memory.h"
#include "assemble.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define SUSPECT   1e-4 /* coordinates of 5 digits give 1e-5 */
#define SAME_MASS 1e-6
/* Supports in one direction take some mass from it; more than this ratio is another matrix. */
#define ODD_MASS  1.5
#define FLAT      1e-6 /* of the box: nodes in a plane */
/* dofs without a place: K of more is not factorised to see whether it resists */
#define DEAR      20000

static void middle(const fb_join *j, double o[3])
{
    double lo[3], hi[3];
    memset(o, 0, 3 * sizeof *o);
    if (!j->b->xyz)
        return;
    fb_box(j->b->xyz, j->b->nn, lo, hi);
    for (int a = 0; a < 3; a++)
        o[a] = 0.5 * (lo[a] + hi[a]);
}

/* Rotations about the origin become rotations about o: e_a x (u - o) = e_a x u - e_a x o. */
static void about(const double o[3], int64_t n, double *R)
{
    for (int a = 0; a < 3; a++) {
        int y = (a + 1) % 3, z = (a + 2) % 3;
        for (int64_t d = 0; d < n; d++)
            R[d + (3 + a) * n] += o[z] * R[d + y * n] - o[y] * R[d + z * n];
    }
}

/* ---- directions that nodes lack ---------------------------------------------------------- */

typedef struct {
    int lacks[3]; /* some node has dofs, but none along a */
    int plane[3]; /* all such nodes lie in one plane normal to a */
} lack;

static fb_status find_lack(const fb_join *j, lack *t, fb_err *e)
{
    const fb_model *b = j->b;
    double lo[3], hi[3], size = 0, at[3] = {0};
    unsigned char *has = NULL;
    fb_status s = FB_OK;
    memset(t, 0, sizeof *t);
    if (!b->xyz)
        return FB_OK;
    FB_TRY(fb_new(&has, b->nn, 1, "directions of nodes", e));
    for (int64_t d = 0; d < j->n; d++)
        if (j->place[d] >= 0 && j->component[d] >= 1 && j->component[d] <= 6 && !j->leave[d])
            has[j->place[d]] |= (unsigned char)(1 << (j->component[d] - 1));
    fb_box(b->xyz, b->nn, lo, hi);
    for (int a = 0; a < 3; a++)
        size = fmax(size, hi[a] - lo[a]);
    for (int64_t p = 0; p < b->nn; p++)
        for (int a = 0; a < 3 && has[p]; a++) {
            if (has[p] & 1 << a)
                continue;
            if (!t->lacks[a])
                at[a] = b->xyz[3 * p + a];
            t->plane[a] =
                (!t->lacks[a] || t->plane[a]) && fabs(b->xyz[3 * p + a] - at[a]) <= FLAT * size;
            t->lacks[a] = 1;
        }
out:
    free(has);
    return s;
}

/* ---- K ---------------------------------------------------------------------------------- */

enum { ABREAST = 3 }; /* motions that go through K at a time */

typedef struct {
    const fb_csc *K;
    const fb_mat *R;
    double *r, *y, *w; /* [n,ABREAST] for each few motions: those, K r, |K| |r| */
} products;

static void multiply(void *arg, int t)
{
    const products *z = arg;
    const fb_csc *K = z->K;
    const int64_t n = K->n, size = ABREAST * n;
    const double *R = z->R->x + t * size;
    double *r = z->r + t * size, *y = z->y + t * size, *w = z->w + t * size;
    for (int64_t d = 0; d < n; d++)
        for (int k = 0; k < ABREAST; k++)
            r[ABREAST * d + k] = R[d + k * n];
    for (int64_t c = 0; c < n; c++) {
        const int64_t at = ABREAST * c;
        for (int64_t q = K->p[c]; q < K->p[c + 1]; q++) {
            const int64_t i = ABREAST * K->i[q];
            const double x = K->x[q];
            for (int k = 0; k < ABREAST; k++) {
                const double up = x * r[at + k];
                y[i + k] += up;
                w[i + k] += fabs(up);
            }
            if (i == at)
                continue;
            for (int k = 0; k < ABREAST; k++) {
                const double low = x * r[i + k];
                y[at + k] += low;
                w[at + k] += fabs(low);
            }
        }
    }
}

/* Is every motion that K resists one out of a plane of symmetry? */
static int by_symmetry(const fb_model *b, const lack *t)
{
    int all = 1;
    for (int a = 0; a < 3; a++)
        if (b->rigid_residual[a] > SUSPECT)
            all = all && t->plane[a];
    for (int a = 0; a < 3 && b->nmotion == 6; a++)
        if (b->rigid_residual[3 + a] > SUSPECT)
            all = all && (t->plane[(a + 1) % 3] || t->plane[(a + 2) % 3]);
    return all;
}

static int64_t count_held(const fb_model *b, char *list, size_t n)
{
    int64_t count = 0;
    for (int64_t k = 0; k < b->nk; k++)
        if (b->check_kind[k] == FB_CHECK_HELD)
            fb_name_list(list, n, count++, b->check_node[k], b->check_component[k]);
    return count;
}

/* Translations that a deck holds and that are no dofs of the matrices, which may have internal ones
 * under these labels: their stiffness is gone. */
static fb_status held_without_rows(const fb_join *j, int64_t *n, char *list, size_t size, fb_err *e)
{
    const fb_labels *h = &j->p->held;
    fb_ranked *want = NULL, *have = NULL;
    fb_status s = FB_OK;
    *n = 0;
    FB_TRY(fb_ranked_new(&want, h->node, h->component, j->p->nheld, e));
    FB_TRY(fb_ranked_new(&have, j->node, j->component, j->n, e));
    for (int64_t k = 0, q = 0; k < j->p->nheld; k++) {
        const fb_ranked *x = want + k;
        while (q < j->n && (have[q].node < x->node ||
                            (have[q].node == x->node && have[q].component < x->component) ||
                            j->class[have[q].at] == FB_DOF_INTERNAL))
            q++;
        const int twice = k && x->node == x[-1].node && x->component == x[-1].component,
                  there = q < j->n && have[q].node == x->node &&
                          (!x->component || have[q].component == x->component);
        if (!twice && !there && x->component <= 3)
            fb_name_list(list, size, (*n)++, x->node, x->component);
    }
out:
    FB_FREE(want, have);
    return s;
}

static fb_status resists(const fb_join *j, double worst, const lack *t, fb_err *e)
{
    char list[200] = "";
    int64_t n = 0;
    if (worst <= SUSPECT || j->role[FB_K]->condensed || !j->b->xyz ||
        count_held(j->b, list, sizeof list)) /* more has been said, or will be */
        return FB_OK;
    FB_PASS(held_without_rows(j, &n, list, sizeof list, e));
    if (by_symmetry(j->b, t))
        fb_note(j->log,
                "K resists rigid motion out of planes in which the nodes lie that lack a direction "
                "(%s%s%s): symmetry, or a plane model",
                t->plane[0] ? "x" : "", t->plane[1] ? "y" : "", t->plane[2] ? "z" : "");
    else if (n)
        fb_warn(j->log,
                "the body is fixed to ground: %lld dofs that the deck holds are not in the "
                "matrices, so that it cannot be freed again; for a body that moves solve without "
                "supports. Held:%s",
                (long long)n, list);
    else
        fb_warn(j->log,
                "K resists rigid motion by %.2g of its own size: the body is held by supports that "
                "are not in the matrices, or coordinates, frames or K are wrong",
                worst);
    return FB_OK;
}

static fb_status residual(fb_join *j, const fb_mat *R, const lack *t, fb_err *e)
{
    products z = {.K = &j->A[FB_K], .R = R};
    double worst = 0;
    fb_status s = FB_OK;
    FB_TRY(fb_new(&z.r, R->n * j->n, 8, "rigid motion", e));
    FB_TRY(fb_new(&z.y, R->n * j->n, 8, "rigid motion", e));
    FB_TRY(fb_new(&z.w, R->n * j->n, 8, "rigid motion", e));
    fb_parallel((int)R->n / ABREAST, multiply, &z); /* there are 3 or 6 */
    FB_TRY(fb_new(&j->b->rigid_residual, R->n, 8, "rigid motion", e));
    j->b->nmotion = R->n;
    for (int64_t k = 0; k < R->n; k++) {
        const int64_t first = k / ABREAST * ABREAST * j->n + k % ABREAST;
        double top = 0, scale = 0;
        for (int64_t d = 0; d < j->n; d++)
            if (j->class[d] != FB_DOF_FIXED) {
                top = fmax(top, fabs(z.y[first + ABREAST * d]));
                scale = fmax(scale, z.w[first + ABREAST * d]);
            }
        j->b->rigid_residual[k] = scale > 0 ? top / scale : 0; /* (BA.2) */
        worst = fmax(worst, j->b->rigid_residual[k]);
    }
    s = resists(j, worst, t, e);
out:
    FB_FREE(z.r, z.y, z.w);
    return s;
}

/* ---- M ---------------------------------------------------------------------------------- */

/* Each translation sees two coordinates of the centre; where both are there, their mean. */
static fb_status properties(fb_join *j, double B[6][6], const double o[3], fb_err *e)
{
    fb_model *b = j->b;
    const double m = B[0][0];
    double c[3];
    if (!(m > 0) || fabs(B[1][1] - m) > SAME_MASS * m || fabs(B[2][2] - m) > SAME_MASS * m)
        return FB_OK;
    FB_PASS(fb_new(&b->mass_center, 3, 8, "centre of mass", e));
    FB_PASS(fb_new(&b->mass_inertia, 9, 8, "inertia", e));
    for (int a = 0; a < 3; a++) {
        int y = (a + 1) % 3, z = (a + 2) % 3; /* (BA.3) row y: m (e_z x c)_y = m c_a */
        c[a] = (B[y][3 + z] - B[z][3 + y]) / (2 * m);
        b->mass_center[a] = o[a] + c[a];
    }
    const double cc = c[0] * c[0] + c[1] * c[1] + c[2] * c[2];
    for (int a = 0; a < 3; a++)
        for (int k = 0; k < 3; k++) /* (BA.4) */
            b->mass_inertia[3 * a + k] = B[3 + a][3 + k] - m * ((a == k) * cc - c[a] * c[k]);
    return FB_OK;
}

static void exchanged(const fb_join *j, const lack *t)
{
    const double *m = j->b->total_mass;
    double least = INFINITY, most = 0;
    for (int a = 0; a < 3; a++)
        if (!t->lacks[a]) {
            least = fmin(least, m[a]);
            most = fmax(most, m[a]);
        }
    if (least > 0 && most > ODD_MASS * least)
        fb_warn(j->log,
                "the mass is %.6g in x, %.6g in y and %.6g in z: are stiffness and mass exchanged, "
                "or labels wrong?",
                m[0], m[1], m[2]);
}

static fb_status mass(fb_join *j, const fb_mat *R, const double o[3], const lack *t, fb_err *e)
{
    fb_mat G = {0};
    double B[6][6] = {{0}};
    fb_status s = FB_OK;
    FB_TRY(fb_csc_congruence(&j->A[FB_M], R, &G, e));
    FB_TRY(fb_new(&j->b->total_mass, 3, 8, "total mass", e));
    for (int64_t a = 0; a < R->n; a++)
        for (int64_t c = 0; c < R->n; c++)
            B[a][c] = G.x[a + c * R->n];
    for (int a = 0; a < 3; a++)
        j->b->total_mass[a] = B[a][a];
    exchanged(j, t);
    if (R->n == 6)
        s = properties(j, B, o, e);
out:
    fb_mat_free(&G);
    return s;
}

/* What rows of held dofs weigh, M still has; their stiffness is gone. */
static fb_status held(fb_join *j, const fb_mat *R, fb_err *e)
{
    char list[200] = "", masses[120] = "";
    const int64_t n = count_held(j->b, list, sizeof list);
    fb_mat F = {0}, G = {0};
    fb_status s = FB_OK;
    if (!n)
        return FB_OK;
    if (j->b->total_mass) {
        FB_TRY(fb_mat_new(&F, j->n, 3, e));
        for (int64_t d = 0; d < 3 * j->n; d++)
            F.x[d] = j->leave[d % j->n] ? 0 : R->x[d];
        FB_TRY(fb_csc_congruence(&j->A[FB_M], &F, &G, e));
        snprintf(masses, sizeof masses, ", of its mass %.7g in x %.7g can move",
                 j->b->total_mass[0], G.x[0]);
    }
    fb_warn(j->log,
            "the body is fixed to ground: %lld dofs are held in the input, and their stiffness is "
            "not there, so that it cannot be freed again%s; for a body that moves solve without "
            "supports. Held:%s",
            (long long)n, masses, list);
out:
    FB_FREE_BY(fb_mat_free, &F, &G);
    return s;
}

fb_status fb_join_balance(fb_join *j, fb_err *e)
{
    const fb_model view = fb_join_view(j, j->b);
    fb_rigid_motion r = {0};
    lack t = {0};
    double o[3];
    fb_status s = FB_OK;
    middle(j, o);
    FB_TRY(find_lack(j, &t, e));
    FB_TRY(fb_rigid_motion_new(&view, DEAR, &r, e));
    about(o, j->n, r.R.x);
    const int moves = r.move != FB_RIGID_UNKNOWN, turns = moves && r.turn != FB_RIGID_UNKNOWN;
    if (moves)
        FB_TRY(residual(j, &(fb_mat){j->n, turns ? 6 : 3, r.R.x}, &t, e));
    if (r.move == FB_RIGID_KNOWN && j->A[FB_M].p)
        s = mass(j, &(fb_mat){j->n, turns && r.turn == FB_RIGID_KNOWN ? 6 : 3, r.R.x}, o, &t, e);
    if (!s)
        s = held(j, &r.R, e);
out:
    fb_rigid_motion_free(&r);
    return s;
}
