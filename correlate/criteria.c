/* SPDX-License-Identifier: GPL-3.0-or-later */
/* criteria.c - MAC, NCO and CO of two sets of modes, their pairing and their statistics.
 *
 * phi_i modes of the first model, phi_rj those of the second over the same dofs, M of the first
 *   (COR.1) MAC_ij = (phi_i'phi_rj)^2 / ((phi_i'phi_i)(phi_rj'phi_rj))
 *   (COR.2) NCO_ij = (phi_i'M phi_rj)^2 / ((phi_i'M phi_i)(phi_rj'M phi_rj))
 *   (COR.3) CO_ij  = sqrt(NCO_ij), which is |phi_i'M phi_rj| of mass-normalised modes
 * of complex modes (phi_i^H W phi_rj) and its modulus: turning a mode's phase changes nothing
 *   (COR.4) repeated roots: C = Phi_g'M Phi_rg = U diag(s) W',  Phi_rg := Phi_rg W U'
 *   (COR.5) m_i = phi_i'M phi_i / max_d |phi_di|^2    d: translations
 * (COR.4) turns the second model's vectors of one repeated root, which are an arbitrary basis of
 * their space, as near to the first model's as the space allows (orthogonal Procrustes problem); of
 * complex modes C, U, W are complex, ' the conjugate transpose.
 * Source   L. Scalera, PhD thesis, University of Udine 2018, eq. 4.19; Schoenemann, Psychometrika
 *          31 (1966) 1-10
 */
#include "linalg/sparse_ops.h"
#include "memory.h"
#include "correlate.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

const char *const fb_criterion_name[] = {"MAC", "NCO", "CO"};
FB_ROWS(fb_criterion_name, FB_NCRITERION);

/* Frequencies nearer than this, relative, are one repeated root. */
static const double repeated = 1e-5;

void fb_correlation_free(fb_correlation *c)
{
    for (int k = 0; k < FB_NCRITERION; k++)
        fb_mat_free(&c->table[k].C);
    FB_FREE(c->pair, c->mass, c->mass_b);
    *c = (fb_correlation){0};
}

/* Eight sums side by side: one alone would wait for each of its additions. */
static double dot(const double *x, const double *y, int64_t n)
{
    double part[8] = {0}, sum = 0;
    int64_t k = 0;
    for (; k + 8 <= n; k += 8)
        for (int c = 0; c < 8; c++)
            part[c] += x[k + c] * y[k + c];
    for (; k < n; k++)
        sum += x[k] * y[k];
    for (int c = 0; c < 8; c++)
        sum += part[c];
    return sum;
}

/* A^H W B and the squared lengths a_i = A_i^H W A_i, b_j = B_j^H W B_j; W = 1 or M. */
typedef struct {
    fb_mat P, Pi; /* real and imaginary part; Pi.x NULL: real */
    double *a, *b;
} products;

static void products_free(products *p)
{
    FB_FREE_BY(fb_mat_free, &p->P, &p->Pi);
    FB_FREE(p->a, p->b);
    *p = (products){0};
}

/* Columns of W X that are in memory at a time: a small share of X, wide enough for the product. */
enum { WIDTH = 128 };

typedef struct { /* P += sign A'W X */
    const fb_mat *A;
    double sign;
    fb_mat *P;
} target;

/* The targets, and length_j += X_j'W X_j; M NULL: W = 1. */
static fb_status accumulate(const fb_mat *X, const fb_csc *M, const target *to, int nto,
                            double *length, fb_err *e)
{
    fb_mat W = {0};
    fb_status s = FB_OK;
    int64_t width = M ? WIDTH : X->n;
    for (int64_t j = 0; j < X->n; j += width) {
        int64_t n = X->n - j < width ? X->n - j : width;
        const fb_mat B = fb_mat_columns(X, j, n);
        if (M && W.n != n) {
            fb_mat_free(&W);
            FB_TRY(fb_mat_new(&W, X->m, n, e));
        }
        if (M)
            FB_TRY(fb_csc_mul_many(M, &B, &W, e));
        for (int k = 0; k < nto; k++) {
            fb_mat C = fb_mat_columns(to[k].P, j, n);
            FB_TRY(fb_gemm(1, 0, to[k].sign, to[k].A, M ? &W : &B, 1, &C, e));
        }
        for (int64_t k = 0; k < n; k++)
            length[j + k] += dot(B.x + k * X->m, (M ? W.x : B.x) + k * X->m, X->m);
    }
out:
    fb_mat_free(&W);
    return s;
}

/* (Ar - i Ai)' W (Br + i Bi) */
static fb_status multiply(const fb_shapes *a, const fb_shapes *b, const fb_csc *M, products *out,
                          fb_err *e)
{
    const int complex = a->Xi.x || b->Xi.x;
    products p = {0};
    fb_status s = FB_OK;
    FB_TRY(fb_mat_new(&p.P, a->n, b->n, e));
    if (complex)
        FB_TRY(fb_mat_new(&p.Pi, a->n, b->n, e));
    FB_TRY(FB_NEW(&p.a, a->n, e));
    FB_TRY(FB_NEW(&p.b, b->n, e));
    if (M && a->normalised)
        for (int64_t i = 0; i < a->n; i++)
            p.a[i] = 1;
    else
        FB_TRY(accumulate(&a->X, M, NULL, 0, p.a, e));
    FB_TRY(accumulate(&b->X, M, (target[]){{&a->X, 1, &p.P}, {&a->Xi, -1, &p.Pi}}, a->Xi.x ? 2 : 1,
                      p.b, e));
    if (a->Xi.x)
        FB_TRY(accumulate(&a->Xi, M, NULL, 0, p.a, e));
    if (b->Xi.x)
        FB_TRY(accumulate(&b->Xi, M, (target[]){{&a->X, 1, &p.Pi}, {&a->Xi, 1, &p.P}},
                          a->Xi.x ? 2 : 1, p.b, e));
    *out = p;
    p = (products){0};
out:
    products_free(&p);
    return s;
}

/* (COR.1), (COR.2); root gives (COR.3). A mode without length correlates with nothing. */
static fb_status normalised(const products *p, int root, fb_mat *C, fb_err *e)
{
    fb_status s = fb_mat_new(C, p->P.m, p->P.n, e);
    for (int64_t j = 0; !s && j < C->n; j++)
        for (int64_t i = 0; i < C->m; i++) {
            int64_t k = i + j * C->m;
            double q = p->P.x[k], r = p->Pi.x ? p->Pi.x[k] : 0, d = p->a[i] * p->b[j];
            double v = d > 0 ? fmin((q * q + r * r) / d, 1) : 0;
            C->x[k] = root ? sqrt(v) : v;
        }
    return s;
}

static int same_root(const fb_shapes *s, int64_t i, int64_t j)
{
    if (s->rigid[i] || s->rigid[j])
        return s->rigid[i] && s->rigid[j];
    return fabs(s->f[i] - s->f[j]) <= repeated * fmax(fabs(s->f[i]), fabs(s->f[j]));
}

/* W U' of the polar factor of C = Cr + i Ci [g x g]: R and Ri [g x g]; sure where C is regular. The
 * real matrix [ Cr -Ci ; Ci Cr ] has the polar factor of C in the same blocks. Ci NULL: real. */
static fb_status polar(const fb_mat *C, const fb_mat *Ci, fb_mat *R, fb_mat *Ri, int *sure,
                       fb_err *e)
{
    const int64_t g = C->n, n = Ci ? 2 * g : g;
    fb_mat B = {0}, U = {0}, W = {0}, Z = {0};
    double *sv = NULL;
    fb_status s = FB_OK;
    FB_TRY(FB_NEW(&sv, n, e));
    FB_TRY(fb_mat_new(&B, n, n, e));
    for (int64_t j = 0; j < g; j++)
        for (int64_t i = 0; i < g; i++) {
            B.x[i + j * n] = C->x[i + j * g];
            if (!Ci)
                continue;
            B.x[g + i + (g + j) * n] = C->x[i + j * g];
            B.x[g + i + j * n] = Ci->x[i + j * g];
            B.x[i + (g + j) * n] = -Ci->x[i + j * g];
        }
    FB_TRY(fb_svd(&B, &U, sv, &W, 0, e));
    FB_TRY(fb_mat_product(0, 1, &W, &U, &Z, e));
    *sure = !Ci || sv[n - 1] > 1e-6 * sv[0];
    for (int64_t j = 0; j < g; j++)
        for (int64_t i = 0; i < g; i++) {
            R->x[i + j * g] = Z.x[i + j * n];
            if (Ci)
                Ri->x[i + j * g] = Z.x[g + i + j * n];
        }
out:
    FB_FREE_BY(fb_mat_free, &B, &U, &W, &Z);
    free(sv);
    return s;
}

/* The columns col[0..g-1] of X := X S R, of X + i Xi := (X + i Xi) S (R + i Ri); S the scales. */
static fb_status combine(fb_mat *X, fb_mat *Xi, const double *scale, const int64_t *col,
                         const fb_mat *R, const fb_mat *Ri, fb_err *e)
{
    const int64_t m = X->m, g = R->n;
    fb_mat Y[2] = {{0}, {0}}, Z[2] = {{0}, {0}};
    fb_status s = FB_OK;
    for (int c = 0; c < (Xi ? 2 : 1); c++) {
        FB_TRY(fb_mat_new(&Y[c], m, g, e));
        for (int64_t j = 0; j < g; j++)
            for (int64_t d = 0; d < m; d++)
                Y[c].x[d + j * m] = (c ? Xi : X)->x[d + col[j] * m] * scale[j];
    }
    FB_TRY(fb_mat_product(0, 0, &Y[0], R, &Z[0], e));
    if (Xi) {
        FB_TRY(fb_gemm(0, 0, -1, &Y[1], Ri, 1, &Z[0], e));
        FB_TRY(fb_mat_product(0, 0, &Y[1], R, &Z[1], e));
        FB_TRY(fb_gemm(0, 0, 1, &Y[0], Ri, 1, &Z[1], e));
    }
    for (int c = 0; c < (Xi ? 2 : 1); c++)
        for (int64_t j = 0; j < g; j++)
            memcpy((c ? Xi : X)->x + col[j] * m, Z[c].x + j * m, sizeof(double) * (size_t)m);
out:
    for (int c = 0; c < 2; c++)
        FB_FREE_BY(fb_mat_free, &Y[c], &Z[c]);
    return s;
}

/* The squared lengths of the columns col[0..g-1] of b. */
static fb_status new_lengths(products *p, const fb_shapes *b, const fb_csc *M, int64_t g,
                             const int64_t *col, fb_err *e)
{
    fb_status s = FB_OK;
    for (int64_t j = 0; !s && j < g; j++) {
        const fb_mat X = fb_mat_columns(&b->X, col[j], 1);
        p->b[col[j]] = 0;
        s = accumulate(&X, M, NULL, 0, p->b + col[j], e);
        if (!s && b->Xi.x) {
            const fb_mat Xi = fb_mat_columns(&b->Xi, col[j], 1);
            s = accumulate(&Xi, M, NULL, 0, p->b + col[j], e);
        }
    }
    return s;
}

/* (COR.4) for the group of rows first..first+g-1 of a and columns col[0..g-1] of b: X := X S R
 * with the scales S to unit length, and with it P := P S R and the new lengths. */
static fb_status turn(products *p, fb_shapes *b, const fb_csc *M, int64_t first, int64_t g,
                      const int64_t *col, int64_t *turned, fb_err *e)
{
    const int complex = p->Pi.x != NULL;
    const int64_t na = p->P.m;
    fb_mat C[2] = {{0}, {0}}, R[2] = {{0}, {0}};
    double *scale = NULL;
    int sure = 1;
    fb_status s = FB_OK;
    FB_TRY(FB_NEW(&scale, g, e));
    for (int c = 0; c <= complex; c++) {
        FB_TRY(fb_mat_new(&C[c], g, g, e));
        FB_TRY(fb_mat_new(&R[c], g, g, e));
    }
    for (int64_t j = 0; j < g; j++)
        scale[j] = p->b[col[j]] > 0 ? 1 / sqrt(p->b[col[j]]) : 0;
    for (int c = 0; c <= complex; c++)
        for (int64_t j = 0; j < g; j++)
            for (int64_t i = 0; i < g; i++)
                C[c].x[i + j * g] = (c ? p->Pi : p->P).x[first + i + col[j] * na] /
                                    sqrt(p->a[first + i]) * scale[j];
    FB_TRY(polar(&C[0], complex ? &C[1] : NULL, &R[0], &R[1], &sure, e));
    if (!sure) /* the spaces are not the same */
        goto out;
    FB_TRY(combine(&p->P, complex ? &p->Pi : NULL, scale, col, &R[0], &R[1], e));
    if (complex && !b->Xi.x) /* a complex model turns a real one's vectors */
        FB_TRY(fb_mat_new(&b->Xi, b->X.m, b->X.n, e));
    FB_TRY(combine(&b->X, complex ? &b->Xi : NULL, scale, col, &R[0], &R[1], e));
    FB_TRY(new_lengths(p, b, M, g, col, e));
    *turned += g;
out:
    for (int c = 0; c < 2; c++)
        FB_FREE_BY(fb_mat_free, &C[c], &R[c]);
    free(scale);
    return s;
}

/* Every repeated root of a that is paired with a repeated root of b of the same size. Which vector
 * of a space stands first is chance: they are turned into those of a in the order they have. */
static fb_status align(const fb_shapes *a, fb_shapes *b, const fb_csc *M, products *p,
                       int64_t *pair, int64_t *turned, fb_err *e)
{
    for (int64_t i = 0, g; i < a->n; i += g) {
        for (g = 1; i + g < a->n && same_root(a, i, i + g);)
            g++;
        int one = g > 1;
        for (int64_t k = 0; k < g; k++)
            one = one && pair[i + k] >= 0 && p->a[i + k] > 0 && same_root(b, pair[i], pair[i + k]);
        if (!one)
            continue;
        (void)fb_unique(pair + i, g); /* ascending: partners are all different */
        FB_PASS(turn(p, b, M, i, g, pair + i, turned, e));
    }
    return FB_OK;
}

/* As published: modes in their order, the rigid ones exact, means over n^2. */
static void published_statistics(const fb_correlation *c, fb_table *t)
{
    int64_t n = c->na < c->nb ? c->na : c->nb;
    double sum = 0, off = 0;
    t->diagonal_min = 1;
    for (int64_t i = 0; i < n; i++) {
        double d = c->rigid[i] ? 1 : t->C.x[i + i * c->na];
        sum += d;
        if (c->rigid[i])
            continue;
        t->diagonal_min = fmin(t->diagonal_min, d);
        if (d < 0.9 && !t->first_below)
            t->first_below = i + 1;
        for (int64_t k = 0; k < n; k++)
            if (k != i && !c->rigid[k]) {
                off += t->C.x[i + k * c->na];
                t->off_max = fmax(t->off_max, t->C.x[i + k * c->na]);
            }
    }
    t->diagonal_mean = sum / (double)n;
    t->off_mean = off / ((double)n * (double)n);
}

/* Over the elastic modes: the pairs, 0 for each that is missing, and what stands beside them in
 * their rows. */
static void statistics(const fb_correlation *c, fb_table *t)
{
    double sum = 0, off = 0;
    int64_t noff = 0, npair = 0;
    t->diagonal_min = 1;
    for (int64_t i = 0; i < c->na; i++) {
        int64_t j = c->pair[i];
        if (c->rigid[i])
            continue;
        if (j < 0 && c->nmissing && !t->first_below)
            t->first_below = i + 1;
        if (j < 0)
            continue;
        double d = t->C.x[i + j * c->na];
        npair++;
        sum += d;
        t->diagonal_min = fmin(t->diagonal_min, d);
        if (d < 0.9 && !t->first_below)
            t->first_below = i + 1;
        for (int64_t k = 0; k < c->nb; k++)
            if (k != j && !c->rigid_b[k]) {
                off += t->C.x[i + k * c->na];
                t->off_max = fmax(t->off_max, t->C.x[i + k * c->na]);
                noff++;
            }
    }
    if (c->nmissing)
        t->diagonal_min = 0;
    npair += c->nmissing;
    t->diagonal_mean = npair ? sum / (double)npair : 1;
    t->off_mean = noff ? off / (double)noff : 0;
}

int fb_out_of_order(const fb_correlation *c, int64_t i)
{
    int64_t before = 0, below = 0;
    for (int64_t k = 0; k < c->na; k++) {
        const int counts = !c->rigid[k] && c->pair[k] >= 0;
        before += counts && k < i;
        below += counts && c->pair[k] < c->pair[i];
    }
    return before != below;
}

/* Where one model has no rigid modes, those of the other have no partner. */
static int rigid_alone(const fb_correlation *c, int64_t i, int64_t j)
{
    return (c->rigid[i] && c->nrigid_b == 0) || (c->rigid_b[j] && c->nrigid == 0);
}

/* The best assignment of modes that share enough. Rigid modes are only told apart from elastic
 * ones: which of them is which is a matter of their basis. */
static fb_status assign(const fb_correlation *c, const products *p, double partner, fb_err *e)
{
    fb_mat score = {0};
    fb_status s = normalised(p, 0, &score, e);
    for (int64_t k = 0; !s && k < c->na * c->nb; k++) {
        const int64_t i = k % c->na, j = k / c->na;
        const int rigid = c->rigid[i] && c->rigid_b[j];
        if (rigid_alone(c, i, j) || (!rigid && score.x[k] < partner))
            score.x[k] = 0;
    }
    if (!s)
        s = fb_assign(&score, c->pair, e);
    for (int64_t i = 0; !s && i < c->na; i++)
        if (c->pair[i] >= 0 && score.x[i + c->pair[i] * c->na] <= 0)
            c->pair[i] = -1;
    fb_mat_free(&score);
    return s;
}

/* Of the elastic modes as many may be paired as the smaller of the models has; one less is one
 * missing. */
static void judge_pairs(fb_correlation *c)
{
    int64_t paired = 0, ea = c->na - c->nrigid, eb = c->nb - c->nrigid_b;
    for (int64_t i = 0; i < c->na; i++)
        paired += !c->rigid[i] && c->pair[i] >= 0;
    int64_t most = ea < eb ? ea : eb;
    c->nmissing = most > paired ? most - paired : 0;
    for (int64_t i = 0; i < c->na; i++)
        c->nswapped += !c->rigid[i] && c->pair[i] >= 0 && fb_out_of_order(c, i);
}

/* phi'M phi of every mode has to be positive; zero is told, for no dof of such a mode moves. */
static fb_status lengths(const fb_shapes *s, double *length, int64_t *nstill, fb_err *e)
{
    double most = 0;
    for (int64_t k = 0; k < s->n; k++)
        most = fmax(most, fabs(length[k]));
    for (int64_t k = 0; k < s->n; k++) {
        if (!isfinite(length[k]) || length[k] < -1e-12 * most)
            return fb_fail(
                e, FB_EFORMAT,
                "%s, mode %lld: phi'M phi is %g: the mass is not one of a body over these dofs",
                s->name, (long long)k + 1, length[k]);
        if (length[k] <= 0) {
            length[k] = 0;
            ++*nstill;
        }
    }
    return FB_OK;
}

/* The diagonal of the box of the nodes that have places. */
static double extent(const fb_shapes *s)
{
    double sum = 0;
    for (int c = 0; s->xyz && c < 3; c++) {
        double lo = INFINITY, hi = -INFINITY;
        for (int64_t d = 0; d < s->nd; d++)
            if (isfinite(s->xyz[3 * d + c])) {
                lo = fmin(lo, s->xyz[3 * d + c]);
                hi = fmax(hi, s->xyz[3 * d + c]);
            }
        sum += hi > lo ? (hi - lo) * (hi - lo) : 0;
    }
    return sqrt(sum);
}

/* (COR.5) from the lengths phi'M phi; 0 where the translations are round-off of a shape that turns
 * its nodes. */
static fb_status modal_masses(const fb_shapes *s, const double *length, double **mass, fb_err *e)
{
    const double size = extent(s);
    fb_status r = FB_NEW(mass, s->n, e);
    for (int64_t k = 0; !r && k < s->n; k++) {
        const double *x = s->X.x + k * s->nd, *y = s->Xi.x ? s->Xi.x + k * s->nd : NULL;
        double most[2] = {0, 0}; /* of translations and of rotations */
        for (int64_t d = 0; d < s->nd; d++)
            if (s->component[d] >= 1 && s->component[d] <= 6) {
                double *of = most + (s->component[d] > 3);
                *of = fmax(*of, x[d] * x[d] + (y ? y[d] * y[d] : 0));
            }
        (*mass)[k] = most[0] > 0 && !fb_only_turns(sqrt(most[0]), sqrt(most[1]), size)
                         ? length[k] / most[0]
                         : 0;
    }
    return r;
}

fb_status fb_correlate(const fb_shapes *a, fb_shapes *b, const fb_correlate_opts *o,
                       fb_correlation *out, fb_err *e)
{
    const fb_csc *M = a->M.p ? &a->M : NULL;
    fb_correlation c = {.na = a->n,
                        .nb = b->n,
                        .nrigid = a->nrigid,
                        .nrigid_b = b->nrigid,
                        .rigid = a->rigid,
                        .rigid_b = b->rigid};
    products plain = {0}, massy = {0}, *used = M ? &massy : &plain;
    fb_status s = FB_OK;
    if (!M && (o->want[FB_NCO] || o->want[FB_CO]))
        FB_TRY(fb_fail(e, FB_EFORMAT,
                       "%s has no mass matrix: NCO and CO cannot be formed, ask for --mac alone",
                       a->name));
    FB_TRY(FB_NEW(&c.pair, c.na, e));
    FB_TRY(multiply(a, b, M, used, e));
    FB_TRY(lengths(a, used->a, &c.nstill[0], e));
    FB_TRY(lengths(b, used->b, &c.nstill[1], e));
    FB_TRY(assign(&c, used, o->partner, e));
    if (!o->as_published) {
        FB_TRY(align(a, b, M, used, c.pair, &c.naligned, e));
        FB_TRY(assign(&c, used, o->partner, e));
    }
    judge_pairs(&c);
    if (M) {
        FB_TRY(modal_masses(a, massy.a, &c.mass, e));
        FB_TRY(modal_masses(b, massy.b, &c.mass_b, e));
    }
    if (o->want[FB_MAC]) {
        if (M)
            FB_TRY(multiply(a, b, NULL, &plain, e));
        FB_TRY(normalised(&plain, 0, &c.table[FB_MAC].C, e));
    }
    if (o->want[FB_NCO])
        FB_TRY(normalised(&massy, 0, &c.table[FB_NCO].C, e));
    if (o->want[FB_CO])
        FB_TRY(normalised(&massy, 1, &c.table[FB_CO].C, e));
    for (int k = 0; k < FB_NCRITERION; k++)
        if (c.table[k].C.x && o->as_published)
            published_statistics(&c, c.table + k);
        else if (c.table[k].C.x)
            statistics(&c, c.table + k);
    *out = c;
    c = (fb_correlation){0};
out:
    fb_correlation_free(&c);
    products_free(&plain);
    products_free(&massy);
    return s;
}
