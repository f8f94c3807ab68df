/* SPDX-License-Identifier: GPL-3.0-or-later */
/* stress.c - stress of generalized coordinates from shapes whose stress is known.
 *
 * Symbols    S [ndof x n] shapes with their stress (and strain) s_j [6 ns]; T [ndof x nr] the
 *            coordinates; d the diagonal of K
 * Equations
 *   (ST.1) min (T_k - S w_k)' K (T_k - S w_k)      what is left of a coordinate is its error in
 *          strain energy, and so in stress; rigid motion has none and counts for nothing
 *   (ST.2) S~ = S diag(S_j' K S_j)^-1/2,  S~' K S~ = Q diag(g) Q',
 *          w~_k = Q diag(1/g) Q' S~' K T_k,        g > least g_max
 *   (ST.3) s_k = sum_j w_jk s_j
 *   (ST.4) r_k = |T_k - S w_k|_K / |T_k|_K,        |T_k|_K^2 = max(Kr_kk, noise sum d T_k^2), and
 *          |T_k - S w_k|_K^2 = Kr_kk - 2 w_k'(S'K T_k) + w_k'(S'K S) w_k: no product K T is stored;
 *          what Kr loses to |T|'|K||T| leaves 1e-5 of slender bodies where nothing is lacking
 *   (ST.5) von Mises: sqrt(((sx-sy)^2 + (sy-sz)^2 + (sz-sx)^2)/2 + 3 (txy^2 + txz^2 + tyz^2))
 * Shapes of text files have six digits: x' K x below the noise is nobody's strain.
 * Source     the projection of finite elements: C. Lanczos, Applied Analysis (1956), chapter 5, in
 *            the norm of K
 * Laws       tests/prop/test_stress.c
 */
#include "linalg/dense.h"
#include "linalg/far.h"
#include "linalg/sparse.h"
#include "linalg/sparse_ops.h"
#include "memory.h"
#include "model.h"
#include "status.h"
#include <math.h>
#include <stdio.h>

/* Six digits leave 3e-6 of a value, its square 1e-11. */
static const double noise = 1e-10;
/* Of the largest g: what is less is the difference of equal shapes, which their digits lose. */
static const double least = 1e-11;
const double fb_stress_most = 0.1;

double fb_von_mises(const double s[6]) /* (ST.5) */
{
    const double a = s[0] - s[1], b = s[1] - s[2], c = s[2] - s[0];
    return sqrt((a * a + b * b + c * c) / 2 + 3 * (s[3] * s[3] + s[4] * s[4] + s[5] * s[5]));
}

typedef struct {
    fb_mat S, T;                 /* borrowed */
    fb_mat KS, G, P, W;          /* K S; S'K S, S'K T, weights W [n x nr] */
    double *diagonal, *residual; /* [ndof], [nr] */
} fit;

static void fit_free(fit *f)
{
    FB_FREE_BY(fb_mat_free, &f->KS, &f->G, &f->P, &f->W);
    FB_FREE(f->diagonal, f->residual);
}

/* sum d x^2 */
static double weight(const fit *f, const double *x)
{
    double sum = 0;
    for (int64_t d = 0; d < f->S.m; d++)
        sum += fabs(f->diagonal[d]) * x[d] * x[d];
    return sum;
}

/* (ST.2): scale [n] of the shapes, 0 where they have no strain; Q, g [n] ascending. */
static fb_status gram(const fit *f, double *scale, fb_mat *Q, double *g, fb_err *e)
{
    const int64_t n = f->S.n;
    FB_PASS(fb_mat_copy(Q, &f->G, e));
    for (int64_t j = 0; j < n; j++) {
        const double energy = f->G.x[j * (n + 1)];
        scale[j] = energy > noise * weight(f, f->S.x + j * f->S.m) ? 1 / sqrt(energy) : 0;
    }
    for (int64_t j = 0; j < n; j++)
        for (int64_t i = 0; i < n; i++)
            Q->x[i + j * n] *= scale[i] * scale[j];
    return fb_eig_symmetric(Q, g, e);
}

/* (ST.2) W; independent: how many directions the shapes have. */
static fb_status weights(fit *f, int64_t *independent, fb_err *e)
{
    const int64_t n = f->S.n, nr = f->T.n;
    double *scale = NULL, *g = NULL;
    fb_mat Q = {0}, P = {0}, Y = {0};
    fb_status s = FB_OK;
    FB_TRY(FB_NEW(&scale, n, e));
    FB_TRY(FB_NEW(&g, n, e));
    FB_TRY(fb_mat_product(1, 0, &f->S, &f->KS, &f->G, e));
    (void)fb_mat_symmetrise(&f->G);
    FB_TRY(fb_mat_product(1, 0, &f->KS, &f->T, &f->P, e));
    FB_TRY(gram(f, scale, &Q, g, e));
    FB_TRY(fb_mat_copy(&P, &f->P, e));
    for (int64_t k = 0; k < n * nr; k++)
        P.x[k] *= scale[k % n];
    FB_TRY(fb_mat_product(1, 0, &Q, &P, &Y, e));
    *independent = 0;
    for (int64_t j = 0; j < n; j++) {
        const int is = g[j] > least * g[n - 1] && g[n - 1] > 0;
        *independent += is;
        for (int64_t k = 0; k < nr; k++)
            Y.x[j + k * n] = is ? Y.x[j + k * n] / g[j] : 0;
    }
    FB_TRY(fb_mat_product(0, 0, &Q, &Y, &f->W, e));
    for (int64_t k = 0; k < n * nr; k++)
        f->W.x[k] *= scale[k % n];
out:
    FB_FREE_BY(fb_mat_free, &Q, &P, &Y);
    FB_FREE(scale, g);
    return s;
}

/* (ST.4) */
static fb_status residuals(fit *f, const double *Kr, fb_err *e)
{
    const int64_t m = f->S.m, n = f->S.n, nr = f->T.n;
    fb_mat GW = {0};
    FB_PASS(fb_mat_product(0, 0, &f->G, &f->W, &GW, e));
    const fb_status s = FB_NEW(&f->residual, nr, e);
    for (int64_t k = 0; !s && k < nr; k++) {
        const double *w = f->W.x + k * n, own = Kr[k * (nr + 1)],
                     all = fmax(own, noise * weight(f, f->T.x + k * m)),
                     left = own - 2 * fb_dot(w, f->P.x + k * n, n) + fb_dot(w, GW.x + k * n, n);
        f->residual[k] = all > 0 && left > 0 ? fmin(sqrt(left / all), 1) : 0;
    }
    fb_mat_free(&GW);
    return s;
}

/* (ST.3) of what the shapes have, [n,ns,6], or NULL. */
static fb_status combine(const fb_model *b, const fit *f, const double *of, double **to, fb_err *e)
{
    const fb_mat A = {6 * b->ns, b->nstressed, (double *)(uintptr_t)of};
    fb_mat C = {0};
    if (!of)
        return FB_OK;
    FB_PASS(fb_mat_product(0, 0, &A, &f->W, &C, e));
    *to = C.x;
    return FB_OK;
}

/* "constraint mode of 21.3", "coordinate 7" */
static void name_coordinate(const fb_model *b, int64_t k, char *out, size_t n)
{
    if (b->kind && b->kind[k] == FB_KIND_BOUNDARY && b->interface_dof && k < b->nb)
        snprintf(
            out, n, "coordinate %lld (%s)", (long long)k + 1,
            fb_name_of(b->dof_node[b->interface_dof[k]], b->dof_component[b->interface_dof[k]]).s);
    else
        snprintf(out, n, "coordinate %lld", (long long)k + 1);
}

static fb_status judge(const fb_model *b, const fit *f, int64_t independent, double most,
                       fb_log *log, fb_err *e)
{
    int64_t worst = 0, above = 0;
    char name[100];
    for (int64_t k = 0; k < b->nr; k++) {
        above += f->residual[k] > most;
        worst = f->residual[k] > f->residual[worst] ? k : worst;
    }
    name_coordinate(b, worst, name, sizeof name);
    if (above)
        return fb_fail(
            e, FB_ESOLVE,
            "the stress of %lld of %lld coordinates is not that of the shapes read by --stress: "
            "these lack %.2g of the strain of %s, %.2g is allowed (--stress-tolerance). Give the "
            "static answer to a force or displacement at each boundary dof, and modes up to those "
            "that are kept",
            (long long)above, (long long)b->nr, f->residual[worst], name, most);
    fb_note(log,
            "stress: %lld shapes, %lld of them independent, lack at most %.2g of the strain of "
            "a coordinate (%s)",
            (long long)b->nstressed, (long long)independent, f->residual[worst], name);
    return FB_OK;
}

fb_status fb_stress_fit(fb_model *b, double most, fb_log *log, fb_err *e)
{
    fit f = {.S = {b->ndof, b->nstressed, b->stress_shape}, .T = {b->ndof, b->nr, b->T}};
    int64_t independent = 0;
    double *stress = NULL, *strain = NULL;
    fb_status s = FB_OK;
    FB_FREE(b->coordinate_stress, b->coordinate_strain, b->stress_residual);
    if (!b->stress_shape || !b->T || !b->Kr || !b->K.p)
        return FB_OK;
    if (fb_is_far(b->T))
        return fb_fail(e, FB_EUSAGE,
                       "stress of shapes (mnfparse --stress) goes with a body that one machine "
                       "reduces: use reduce");
    FB_TRY(FB_NEW(&f.diagonal, b->ndof, e));
    fb_csc_diagonal(&b->K, f.diagonal);
    FB_TRY(fb_mat_new(&f.KS, b->ndof, b->nstressed, e));
    FB_TRY(fb_csc_mul_many(&b->K, &f.S, &f.KS, e));
    FB_TRY(weights(&f, &independent, e));
    FB_TRY(residuals(&f, b->Kr, e));
    FB_TRY(judge(b, &f, independent, most, log, e));
    FB_TRY(combine(b, &f, b->shape_stress, &stress, e));
    FB_TRY(combine(b, &f, b->shape_strain, &strain, e));
    b->coordinate_stress = stress;
    b->coordinate_strain = strain;
    b->stress_residual = f.residual;
    stress = strain = f.residual = NULL;
out:
    fit_free(&f);
    FB_FREE(stress, strain);
    return s;
}

fb_status fb_coordinate_stress(const fb_model *b, int strain, double **out, fb_err *e)
{
    const double *own = strain ? b->coordinate_strain : b->coordinate_stress;
    double *modal = strain ? b->strain : b->stress;
    const fb_mat A = {6 * b->ns, b->nm, modal}, V = {b->nm, b->nr, b->V};
    fb_mat C = {0};
    *out = NULL;
    if (own)
        return fb_copy(out, own, 6 * b->ns * b->nr, sizeof *own, "stress of coordinates", e);
    if (!modal || !b->nr || (!b->V && b->nm != b->nr))
        return FB_OK;
    FB_PASS(b->V ? fb_mat_product(0, 0, &A, &V, &C, e) : fb_mat_copy(&C, &A, e));
    *out = C.x;
    return FB_OK;
}
