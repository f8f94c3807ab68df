/* SPDX-License-Identifier: GPL-3.0-or-later */
/* verdict.c - what a reduced body is worth.
 *
 * Symbols  R rigid motion of the full model [ndof x k] (lib/rigid_motion.c), held dofs with it; k =
 *          6, or the 3 translations where rotations are not known. T is zero at held dofs.
 * Equations
 *   (VE.1) P = T'M R,  Mr Rr = P                Rr: R in reduced coordinates, best in the norm of M
 *          of a held body T'(Mff Rf + Mfh Rh): what a motion of its supports, or gravity, asks of
 *          the free dofs
 *   (VE.2) ||K r|| / (||K||_1 ||r||)  and  ||Kr rr|| / (||Kr||_1 ||rr||), in 2-norms: rigid motion
 *          strains nothing
 *   (VE.3) R'M R  and  Rr'Mr Rr = P'Rr          mass, static moment, inertia about the origin; of a
 *          held body what its free dofs can answer of it
 *   (VE.4) Kr v = Mr v w^2, v'Mr v = 1:  gamma = v'P participation, gamma^2 effective mass
 *   (VE.5) dt = 2 / w_max                       stability of central differences
 *   (VE.6) lowest eigenvalue of S Mr S, S = diag(Mr)^-1/2: 1 is best, 0 singular
 *   (VE.7) Q'Mr Q = I spans the rigid motions that the supports leave, Z the modes of 0 Hz:  (Z'Mr
 *          Q)(Q'Mr Z) a = c a, c = 1 for a rigid motion, 0 for a mechanism Z a
 *   (VE.8) d = |w^2| / sum_i r_i x_i^2,  x = T v, r_i = sum_j |K_ij| sqrt(K_ii/K_jj)    what digits
 *          of K a root is made of
 * P(:,1..3) is the reduced vector of gravity, T' e_l the one of a unit load at dof l.
 * Source   Clough & Penzien, Dynamics of Structures (1993), sec. 13-2, 27-1; Hughes, The Finite
 *          Element Method (2000), sec. 9.1 (VE.5)
 */
#include "status.h"
#include "memory.h"
#include "verdict.h"
#include "full.h"
#include "linalg/far.h"
#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* More of the mass than this missing in the reduced body deserves a warning: round-off of (VE.1) is
 * far below. */
static const double mass_warned = 1e-6;
/* A motion that strains more than this share of the stiffness is none the body could be free in: it
 * stands on springs, or its labels are not those of space. */
static const double rigid_most = 1e-5;
/* Of a mode of 0 Hz, the least share that a rigid motion has of it, in the norm of M: coordinates
 * have 5 digits. */
static const double rigid_least = 0.999;
/* Of the mass, what bending modes move along a rod. */
static const double round_off = 1e-14;
/* A root below -this share of the largest is negative stiffness, not a rigid mode's round-off. */
static const double negative_share = 1e-9;

/* Digits of a text leave rigid motion less than this in (VE.8); 0 of 16 digits is eps. */
static const double text_most = 1e-8;

enum { SAID = 12 };
static double norm1(const double *A, int64_t n)
{
    double most = 0;
    for (int64_t j = 0; j < n; j++) {
        double sum = 0;
        for (int64_t i = 0; i < n; i++)
            sum += fabs(A[i + j * n]);
        most = fmax(most, sum);
    }
    return most;
}

static int held(const fb_model *b)
{
    for (int64_t d = 0; b->dof_class && d < b->ndof; d++)
        if (b->dof_class[d] == FB_DOF_FIXED)
            return 1;
    return 0;
}

/* (VE.8) of the lowest roots: *lost of them, at least all of the `negative` ones, are within twice
 * the largest d of a negative one, which is *share; 0 where that is more than digits make. */
static fb_status lost_digits(const fb_model *b, int64_t negative, int64_t *lost, double *share,
                             fb_err *e)
{
    const fb_mat K = {b->nr, b->nr, b->Kr}, M = {b->nr, b->nr, b->Mr}, T = {b->ndof, b->nr, b->T};
    double *lambda = NULL, *rowsum = NULL;
    fb_mat V = {0}, X = {0};
    fb_status s = FB_OK;
    FB_TRY(FB_NEW(&lambda, b->nr, e));
    FB_TRY(FB_NEW(&rowsum, b->ndof, e));
    FB_TRY(fb_eig_dense(&K, &M, lambda, &V, e));
    FB_TRY(fb_mat_product(0, 0, &T, &V, &X, e));
    FB_TRY(fb_csc_balanced_sums(&b->K, rowsum, e));
    *share = 0;
    *lost = 0;
    for (int64_t k = 0; k < b->nr; k++) {
        const double q = fb_strain_noise(rowsum, X.x + k * b->ndof, b->ndof),
                     d = q > 0 ? 64 * DBL_EPSILON * fabs(lambda[k]) / q : INFINITY;
        if (k < negative)
            *share = fmax(*share, d);
        *lost += *share <= text_most && d <= 2 * *share;
    }
out:
    FB_FREE_BY(fb_mat_free, &V, &X);
    FB_FREE(lambda, rowsum);
    return s;
}

/* Negative roots are a fact of the body, or what a stiffness written with few digits makes of rigid
 * motion: nothing but places of the nodes tells the two apart for sure. */
static fb_status say_negative(const fb_model *b, int64_t negative, fb_log *log, fb_err *e)
{
    const char *plural = negative > 1 ? "s" : "";
    int64_t lost = 0;
    double share = 0;
    if (b->T && b->K.p && b->K.upper && b->K.n == b->ndof)
        FB_PASS(lost_digits(b, negative, &lost, &share, e));
    if (lost)
        fb_warn(log,
                "lowest root %.4g Hz, %lld negative and %lld in all within %.1g of the stiffness "
                "strained: zeros of rigid motion, lost in the digits of a text; export K with more "
                "digits",
                b->frequency[0], (long long)negative, (long long)lost, share);
    else
        fb_warn(log,
                "the reduced stiffness has %lld negative direction%s, the lowest at %.4g Hz "
                "(minus: it grows), as a column beyond buckling",
                (long long)negative, plural, b->frequency[0]);
    return FB_OK;
}

/* (VE.6), the roots below zero, (VE.5). */
static fb_status definiteness(fb_model *b, fb_log *log, fb_err *e)
{
    int64_t n = b->nr, negative = 0;
    char step[64] = "any step";
    const double top = n ? b->frequency[n - 1] : 0, fastest = sqrt(fb_lambda(&b->units, top));
    for (int64_t k = 0; k < n; k++)
        negative +=
            b->frequency[k] < 0 && b->frequency[k] * b->frequency[k] > negative_share * top * top;
    FB_PASS(fb_new(&b->v_definite, 3, 8, "verdict", e));
    FB_PASS(fb_new(&b->v_step, 1, 8, "verdict", e));
    FB_PASS(fb_model_definite(b, b->v_definite, b->v_definite + 2, e));
    b->v_definite[1] = (double)negative;
    b->v_step[0] = top > 0 ? 2 / fastest : 0;
    if (top > 0)
        snprintf(step, sizeof step, "a step of %.4g %s", b->v_step[0], b->units.name[FB_TIME]);
    fb_note(log,
            "verdict: mass matrix scaled to a unit diagonal has the lowest eigenvalue %.3g; %lld "
            "negative roots; largest asymmetry %.2g; highest frequency %.6g Hz, central "
            "differences are stable up to %s",
            b->v_definite[0], (long long)negative, b->v_definite[2], top, step);
    return negative ? say_negative(b, negative, log, e) : FB_OK;
}

/* (VE.1): MR [ndof x k], P and Rr [nr x k] */
static fb_status project(const fb_model *b, const fb_mat *R, fb_mat *MR, fb_mat *P, fb_mat *Rr,
                         fb_err *e)
{
    const fb_mat T = {b->ndof, b->nr, b->T}, Mr = {b->nr, b->nr, b->Mr};
    FB_PASS(fb_mat_new(MR, b->ndof, R->n, e));
    FB_PASS(fb_csc_mul_many(&b->M, R, MR, e));
    FB_PASS(fb_mat_product(1, 0, &T, MR, P, e));
    FB_PASS(fb_mat_copy(Rr, P, e));
    return fb_solve_spd(&Mr, Rr, "the reduced mass matrix", e);
}

/* (VE.2); a motion that the model has no dofs for counts 0, as all do in a reduced body that is
 * rigid: its stiffness is round-off. */
static fb_status strain(fb_model *b, const fb_mat *R, const fb_mat *Rr, fb_log *log, fb_err *e)
{
    double knorm = 0, krnorm = norm1(b->Kr, b->nr), *yr = NULL, full = 0, reduced = 0;
    fb_mat KR = {0};
    fb_status s = FB_OK;
    FB_TRY(fb_csc_norm(&b->K, &knorm, e));
    FB_TRY(fb_mat_new(&KR, b->ndof, R->n, e));
    FB_TRY(fb_csc_mul_many(&b->K, R, &KR, e));
    FB_TRY(fb_new(&yr, b->nr, 8, "vector", e));
    FB_TRY(fb_new(&b->v_rigid_full, R->n, 8, "verdict", e));
    FB_TRY(fb_new(&b->v_rigid_reduced, R->n, 8, "verdict", e));
    for (int64_t c = 0; c < R->n; c++) {
        const double *r = R->x + c * b->ndof, *rr = Rr->x + c * b->nr;
        double nr = fb_norm(r, b->ndof), nrr = fb_norm(rr, b->nr);
        memset(yr, 0, sizeof *yr * (size_t)b->nr);
        for (int64_t j = 0; j < b->nr; j++)
            fb_axpy(rr[j], b->Kr + j * b->nr, yr, b->nr);
        b->v_rigid_full[c] =
            nr > 0 && knorm > 0 ? fb_norm(KR.x + c * b->ndof, b->ndof) / (knorm * nr) : 0;
        b->v_rigid_reduced[c] = nrr > 0 && krnorm > 0 && b->frequency[b->nr - 1] > 0
                                    ? fb_norm(yr, b->nr) / (krnorm * nrr)
                                    : 0;
        full = fmax(full, b->v_rigid_full[c]);
        reduced = fmax(reduced, b->v_rigid_reduced[c]);
    }
    fb_note(log,
            "verdict: %s strained by %.2g of the stiffness in the full body, by %.2g in the "
            "reduced one",
            R->n == 6 ? "rigid motion is" : "translations are", full, reduced);
out:
    fb_mat_free(&KR);
    free(yr);
    return s;
}

static void say_masses(const fb_model *b, const fb_mat *F, const fb_mat *Q, fb_log *log)
{
    const char *unit = b->units.name[FB_MASS];
    const int64_t k = F->n;
    double of[6] = {0};
    for (int64_t c = 0; c < k; c++)
        of[c] = fabs(Q->x[c + k * c]) > round_off * F->x[c + k * c] ? Q->x[c + k * c] : 0;
    fb_note(log,
            "verdict: %s along x y z: %.10g %.10g %.10g %s, in the reduced body %.10g %.10g %.10g",
            held(b) ? "mass, held dofs included," : "free to move", F->x[0], F->x[k + 1],
            F->x[2 * k + 2], unit, of[0], of[1], of[2]);
    if (k == 6)
        fb_note(
            log,
            "verdict: about the axes through the origin: %.6g %.6g %.6g %s %s^2, in the reduced "
            "body %.6g %.6g %.6g",
            F->x[21], F->x[28], F->x[35], unit, b->units.name[FB_LENGTH], of[3], of[4], of[5]);
}

/* (VE.3) */
static fb_status masses(fb_model *b, const fb_mat *R, const fb_mat *MR, const fb_mat *P,
                        const fb_mat *Rr, fb_log *log, fb_err *e)
{
    const int64_t k = R->n;
    fb_mat F = {k, k, NULL}, Q = {k, k, NULL};
    double worst = 0;
    int64_t at = 0;
    FB_PASS(fb_new(&b->v_mass_full, k * k, 8, "verdict", e));
    FB_PASS(fb_new(&b->v_mass_reduced, k * k, 8, "verdict", e));
    F.x = b->v_mass_full;
    Q.x = b->v_mass_reduced;
    FB_PASS(fb_gemm(1, 0, 1, R, MR, 0, &F, e));
    FB_PASS(fb_gemm(1, 0, 1, P, Rr, 0, &Q, e));
    fb_mat_symmetrise(&F);
    fb_mat_symmetrise(&Q);
    for (int64_t c = 0; c < k; c++) {
        double full = F.x[c + k * c], lost = full > 0 ? 1 - Q.x[c + k * c] / full : 0;
        if (lost > worst && b->v_rigid_full && b->v_rigid_full[c] < rigid_most) {
            worst = lost;
            at = c;
        }
    }
    say_masses(b, &F, &Q, log);
    if (worst > mass_warned)
        fb_warn(log,
                "the reduced body moves only %.6g of the %s %s %c: the boundary and the modes kept "
                "do not hold the rigid motion",
                1 - worst, at < 3 ? "mass in" : "inertia about", at < 3 ? "direction" : "axis",
                "xyzxyz"[at]);
    return FB_OK;
}

/* A line a mode, and one for each direction of gravity; k columns of rigid motion are known. */
static void say_participation(const fb_model *b, int64_t k, fb_log *log)
{
    for (int64_t q = 0; q < b->nr; q++) {
        const double *p = b->p_mass + k * q;
        fb_note(log, "mode %lld, %.6g Hz: effective mass x y z %.4g %.4g %.4g %s", (long long)q + 1,
                b->frequency[q], p[0], p[1], p[2], b->units.name[FB_MASS]);
        if (k == 6)
            fb_note(log,
                    "mode %lld: effective inertia about the axes through the origin %.4g %.4g %.4g "
                    "%s %s^2",
                    (long long)q + 1, p[3], p[4], p[5], b->units.name[FB_MASS],
                    b->units.name[FB_LENGTH]);
    }
    for (int c = 0; c < 3; c++) {
        char list[SAID * 12 + 8] = "";
        for (int64_t q = 0; q < b->nr && q < SAID; q++) {
            size_t at = strlen(list);
            snprintf(list + at, sizeof list - at, " %.4g", b->gravity[c * b->nr + q]);
        }
        fb_note(log, "gravity along %c [%s %s]:%s%s", "xyz"[c], b -> units.name[FB_MASS],
                b->units.name[FB_LENGTH], list,
                b->nr > SAID ? " ... (all in /reduced/gravity)" : "");
    }
}

/* (VE.4), gravity */
static fb_status participation(fb_model *b, const fb_mat *P, const fb_mat *V, fb_log *log,
                               fb_err *e)
{
    const int64_t n = b->nr, k = P->n;
    fb_mat G = {0};
    fb_status s = FB_OK;
    FB_TRY(fb_mat_product(1, 0, V, P, &G, e));
    FB_TRY(fb_new(&b->p_factor, k * n, 8, "participation", e));
    FB_TRY(fb_new(&b->p_mass, k * n, 8, "participation", e));
    FB_TRY(fb_copy(&b->gravity, P->x, 3 * n, 8, "gravity", e));
    for (int64_t q = 0; q < n; q++)
        for (int64_t c = 0; c < k; c++) {
            b->p_factor[k * q + c] = G.x[q + c * n];
            b->p_mass[k * q + c] = G.x[q + c * n] * G.x[q + c * n];
        }
    say_participation(b, k, log);
out:
    fb_mat_free(&G);
    return s;
}

/* Columns of Q made orthonormal in Mr; those that depend on the others become zero. */
static fb_status orthonormalise(const fb_model *b, fb_mat *Q, fb_err *e)
{
    const fb_mat Mr = {b->nr, b->nr, b->Mr};
    const int64_t n = b->nr;
    fb_mat MQ = {0};
    fb_status s = FB_OK;
    FB_TRY(fb_mat_new(&MQ, n, 1, e));
    for (int64_t c = 0; c < Q->n; c++) {
        double *q = Q->x + c * n, before = 0, after = 0;
        for (int pass = 0; pass < 3; pass++) {
            FB_TRY(fb_gemm(0, 0, 1, &Mr, &(fb_mat){n, 1, q}, 0, &MQ, e));
            after = fb_dot(q, MQ.x, n);
            before = pass ? before : after;
            for (int64_t k = 0; k < c && pass < 2; k++)
                fb_axpy(-fb_dot(Q->x + k * n, MQ.x, n), Q->x + k * n, q, n);
        }
        for (int64_t i = 0; i < n; i++)
            q[i] *= after > 1e-12 * before && after > 0 ? 1 / sqrt(after) : 0;
    }
out:
    fb_mat_free(&MQ);
    return s;
}

/* The dofs that take part with at least half of the largest motion in some of the mechanisms Z a.
 * */
static fb_status name_mechanism(const fb_model *b, const fb_mat *Z, const fb_mat *A, int64_t n,
                                fb_log *log, fb_err *e)
{
    const fb_mat T = {b->ndof, b->nr, b->T}, An = {A->m, n, A->x};
    fb_mat z = {0}, w = {0};
    char *in = NULL, list[256] = "";
    int64_t count = 0;
    fb_status s = FB_OK;
    FB_TRY(fb_new(&in, b->ndof, 1, "dofs of a mechanism", e));
    FB_TRY(fb_mat_product(0, 0, Z, &An, &z, e));
    FB_TRY(fb_mat_product(0, 0, &T, &z, &w, e));
    for (int64_t c = 0; c < n; c++) {
        double most = 0;
        for (int64_t d = 0; d < b->ndof; d++)
            most = fmax(most, fabs(w.x[d + c * b->ndof]));
        for (int64_t d = 0; d < b->ndof; d++)
            in[d] |= fabs(w.x[d + c * b->ndof]) >= 0.5 * most;
    }
    for (int64_t d = 0; d < b->ndof; d++) {
        char name[64];
        size_t at = strlen(list);
        if (!in[d])
            continue;
        snprintf(name, sizeof name, " %s ", fb_name_of(b->dof_node[d], b->dof_component[d]).s);
        if (strstr(list, name)) /* another row of an expanded node */
            continue;
        if (count++ < 8)
            snprintf(list + at - (at > 0), sizeof list - at, "%s", name);
    }
    fb_warn(log,
            "%lld motion%s without strain beyond the rigid ones that the places of the nodes "
            "allow: a mechanism, or a part that nothing joins; most of all move%.*s%s",
            (long long)n, n > 1 ? "s" : "", (int)strlen(list) - (count <= 8), list,
            count > 8 ? "..." : "");
out:
    FB_FREE_BY(fb_mat_free, &z, &w);
    free(in);
    return s;
}

/* (VE.7); R of all six motions, V the modes of /reduced/frequency */
static fb_status mechanism(const fb_model *b, const fb_mat *R, const fb_mat *V, fb_log *log,
                           fb_err *e)
{
    fb_mat Z = {b->nr, 0, V->x}, R0 = {0}, MR = {0}, P = {0}, Q = {0}, MZ = {0}, C = {0}, S = {0},
           A = {0};
    const fb_mat Mr = {b->nr, b->nr, b->Mr};
    double *c = NULL;
    int64_t first = 0, n = 0;
    fb_status s = FB_OK;
    while (first < b->nr && b->frequency[first] < 0)
        first++;
    while (first + Z.n < b->nr && b->frequency[first + Z.n] <= 0)
        Z.n++;
    Z.x = V->x + first * b->nr;
    if (!Z.n || R->n < 6)
        return FB_OK;
    FB_TRY(fb_mat_new(&R0, b->ndof, 6, e));
    for (int64_t k = 0; k < 6 * b->ndof; k++)
        R0.x[k] = b->dof_class[k % b->ndof] == FB_DOF_FIXED ? 0 : R->x[k];
    FB_TRY(project(b, &R0, &MR, &P, &Q, e));
    FB_TRY(orthonormalise(b, &Q, e));
    FB_TRY(fb_new(&c, Z.n, 8, "eigenvalues", e));
    FB_TRY(fb_mat_product(0, 0, &Mr, &Z, &MZ, e));
    FB_TRY(fb_mat_product(1, 0, &Q, &MZ, &C, e));
    FB_TRY(fb_mat_product(1, 0, &C, &C, &S, e));
    FB_TRY(fb_eig_dense(&S, NULL, c, &A, e));
    while (n < Z.n && c[n] < rigid_least)
        n++;
    if (n)
        s = name_mechanism(b, &Z, &A, n, log, e);
out:
    FB_FREE_BY(fb_mat_free, &R0, &MR, &P, &Q, &MZ, &C, &S, &A);
    free(c);
    return s;
}

/* Frequencies that the full model cannot have come from round-off taken for mass; those that it is
 * not likely to have (mass.c), from boundary dofs without mass whose interior cannot follow. */
static fb_status bounded(const fb_model *b, fb_log *log, fb_err *e)
{
    const double likely = 1e-5; /* c = 1e-3 for 1e-8 */
    double root = 0, top = 0;
    if (!b->K.p || !b->M.p)
        return FB_OK;
    fb_status s = fb_full_highest(b, &root, e);
    for (int64_t k = 0; k < b->nr; k++)
        top = fmax(top, fabs(b->frequency[k]));
    if (!s && root > 0 && top > fb_hertz(&b->units, root))
        s = fb_fail(e, FB_ESOLVE,
                    "the reduced body has a root at %.3g Hz, the full one has none above %.3g Hz: "
                    "coordinates without mass are among the boundary's; name a smaller "
                    "--interface, or use --method mdm",
                    top, fb_hertz(&b->units, root));
    else if (!s && root > 0 && top > fb_hertz(&b->units, likely * root))
        fb_warn(log,
                "the reduced body has a root at %.3g Hz, far above what its mass and stiffness let "
                "the full one have (about %.3g Hz): boundary dofs without mass, or nearly so; a "
                "simulator's step follows it: name a smaller --interface, keep more modes, or use "
                "--method mdm",
                top, fb_hertz(&b->units, likely * root));
    return s;
}

static fb_status count(fb_model *b, const fb_modecheck *c, fb_err *e)
{
    if (!c->n)
        return FB_OK;
    FB_PASS(fb_copy(&b->v_residual, c->residual, c->n, 8, "verdict", e));
    FB_PASS(fb_new(&b->v_sturm, 2, 8, "verdict", e));
    FB_PASS(fb_new(&b->v_shift, 1, 8, "verdict", e));
    b->nresidual = c->n;
    b->v_sturm[0] = c->sturm;
    b->v_sturm[1] = c->n;
    b->v_shift[0] = c->shift;
    return FB_OK;
}

/* Rigid motion, as far as it is known: k columns of R. */
static fb_status rigid(fb_model *b, const fb_mat *R, fb_log *log, fb_err *e)
{
    const fb_mat K = {b->nr, b->nr, b->Kr}, M = {b->nr, b->nr, b->Mr};
    fb_mat MR = {0}, P = {0}, Rr = {0}, V = {0};
    double *lambda = NULL;
    fb_status s = FB_OK;
    b->nrigid = R->n;
    FB_TRY(fb_new(&lambda, b->nr, 8, "eigenvalues", e));
    FB_TRY(fb_eig_dense(&K, &M, lambda, &V, e));
    FB_TRY(project(b, R, &MR, &P, &Rr, e));
    if (!held(b)) /* a held body has no rigid motion */
        FB_TRY(strain(b, R, &Rr, log, e));
    FB_TRY(masses(b, R, &MR, &P, &Rr, log, e));
    FB_TRY(participation(b, &P, &V, log, e));
    s = mechanism(b, R, &V, log, e);
out:
    FB_FREE_BY(fb_mat_free, &MR, &P, &Rr, &V);
    free(lambda);
    return s;
}

fb_status fb_verdict(fb_model *b, const fb_modecheck *check, const int64_t *load, int64_t nload,
                     fb_log *log, fb_err *e)
{
    fb_rigid_motion r = {0};
    fb_status s = FB_OK;
    FB_TRY(count(b, check, e));
    FB_TRY(bounded(b, log, e));
    FB_TRY(definiteness(b, log, e));
    FB_TRY(fb_model_loads(b, b->T, load, nload, e));
    if (!b->M.p || !b->K.p)
        goto out;
    FB_TRY(fb_rigid_motion_new(b, INT64_MAX, &r, e));
    const int moves = r.move == FB_RIGID_KNOWN, turns = moves && r.turn == FB_RIGID_KNOWN;
    if (!turns)
        fb_note(log,
                "verdict: %s of the rigid body is not known: there are dofs that nothing places "
                "(coordinates: mnfparse --nodes FILE)%s",
                moves ? "rotation" : "motion",
                moves ? "" : ", nor are masses, participation and gravity");
    if (moves)
        s = rigid(b, &(fb_mat){b->ndof, turns ? 6 : 3, r.R.x}, log, e);
out:
    fb_rigid_motion_free(&r);
    return s;
}

fb_status fb_verdict_compare(fb_model *b, const fb_reduceopt *o, fb_log *log, fb_err *e)
{
    fb_log quiet = {0};
    fb_eig q = {0};
    fb_full f = {0};
    double worst = 0;
    int64_t within = 0;
    fb_status s = FB_OK;
    FB_TRY(fb_full_new(&f, b, o, &quiet, e));
    FB_TRY(fb_full_modes(&f, &f.K, &f.M, NULL, f.nmult, b->nr, NULL, "--check", &q, e));
    b->ncheck = q.n < b->nr ? q.n : b->nr;
    FB_TRY(fb_new(&b->v_check, 2 * b->ncheck, 8, "verdict", e));
    for (int64_t k = 0; k < b->ncheck; k++) {
        double full = fb_hertz(&b->units, q.lambda[k]), reduced = b->frequency[k];
        const double error = fb_hertz_error(reduced, full);
        fb_note(log, "--check: mode %lld: %.8g Hz in the full body, %.8g Hz in the reduced one",
                (long long)k + 1, full, reduced);
        b->v_check[2 * k] = full;
        b->v_check[2 * k + 1] = reduced;
        if (within == k && error <= 0.01) {
            within = k + 1;
            worst = fmax(worst, error);
        }
    }
    fb_note(log,
            "--check: the first %lld of %lld frequencies of the reduced body are within 1 %% of "
            "the full one's (rigid ones counted), largest error %.3g",
            (long long)within, (long long)b->ncheck, worst);
out:
    fb_log_free(&quiet);
    fb_eig_free(&q);
    fb_full_free(&f);
    return s;
}
