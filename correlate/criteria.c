/* SPDX-License-Identifier: GPL-3.0-or-later */
/* criteria.c - MAC, NCO and CO of two sets of modes, their pairing and their statistics.
 *
 * phi_i modes of the first model, phi_rj those of the second over the same dofs, M of the first
 *   (COR.1) MAC_ij = (phi_i'phi_rj)^2 / ((phi_i'phi_i)(phi_rj'phi_rj))
 *   (COR.2) NCO_ij = (phi_i'M phi_rj)^2 / ((phi_i'M phi_i)(phi_rj'M phi_rj))
 *   (COR.3) CO_ij  = sqrt(NCO_ij), which is |phi_i'M phi_rj| of mass-normalised modes
 *   (COR.4) repeated roots: C = Phi_g'M Phi_rg = U diag(s) W',  Phi_rg := Phi_rg W U'
 * (COR.4) turns the second model's vectors of one repeated root, which are an arbitrary basis of
 * their space, as near to the first model's as the space allows (orthogonal Procrustes problem).
 * Source   L. Scalera, PhD thesis, University of Udine 2018, eq. 4.19; Schoenemann, Psychometrika
 *          31 (1966) 1-10
 */
#include "correlate.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

const char *const fb_criterion_name[FB_NCRITERION] = {"MAC", "NCO", "CO"};

/* Frequencies nearer than this, relative, are one repeated root. */
static const double repeated = 1e-5;

void fb_correlation_free(fb_correlation *c)
{
    for (int k = 0; k < FB_NCRITERION; k++)
        fb_mat_free(&c->table[k].C);
    free(c->pair);
    *c = (fb_correlation){0};
}

static double dot(const double *x, const double *y, int64_t n)
{
    double sum = 0;
    for (int64_t k = 0; k < n; k++)
        sum += x[k] * y[k];
    return sum;
}

/* A' W B and the squared lengths a_i = A_i'W A_i, b_j = B_j'W B_j; W = 1 or M. */
typedef struct {
    fb_mat  P;
    double *a, *b;
} products;

static void products_free(products *p)
{
    fb_mat_free(&p->P);
    free(p->a);
    free(p->b);
    *p = (products){0};
}

static fb_status multiply(const fb_mat *A, const fb_mat *B, const fb_csc *M, products *out, fb_err *e)
{
    fb_mat WA = {0}, WB = {0};
    products p = {0};
    fb_status s = FB_OK;
    FB_TRY(fb_mat_new(&p.P, A->n, B->n, e));
    FB_TRY(FB_NEW(&p.a, A->n, e));
    FB_TRY(FB_NEW(&p.b, B->n, e));
    if (M) {
        FB_TRY(fb_mat_new(&WA, A->m, A->n, e));
        FB_TRY(fb_mat_new(&WB, B->m, B->n, e));
        fb_csc_mul(M, A->x, A->m, WA.x, A->m, A->n);
        fb_csc_mul(M, B->x, B->m, WB.x, B->m, B->n);
    }
    FB_TRY(fb_gemm(1, 0, 1, A, M ? &WB : B, 0, &p.P, e));
    for (int64_t i = 0; i < A->n; i++)
        p.a[i] = dot(A->x + i * A->m, (M ? WA.x : A->x) + i * A->m, A->m);
    for (int64_t j = 0; j < B->n; j++)
        p.b[j] = dot(B->x + j * B->m, (M ? WB.x : B->x) + j * B->m, B->m);
    *out = p;
    p = (products){0};
out:
    products_free(&p);
    fb_mat_free(&WA);
    fb_mat_free(&WB);
    return s;
}

/* (COR.1), (COR.2); power 1/2 gives (COR.3). A mode without length correlates with nothing. */
static fb_status normalised(const products *p, double power, fb_mat *C, fb_err *e)
{
    fb_status s = fb_mat_new(C, p->P.m, p->P.n, e);
    for (int64_t j = 0; !s && j < C->n; j++)
        for (int64_t i = 0; i < C->m; i++) {
            double q = p->P.x[i + j * C->m], d = p->a[i] * p->b[j];
            C->x[i + j * C->m] = d > 0 ? pow(fmin(q * q / d, 1), power) : 0;
        }
    return s;
}

static int same_root(const fb_shapes *s, int64_t i, int64_t j)
{
    if (i < s->nrigid || j < s->nrigid)
        return i < s->nrigid && j < s->nrigid;
    return fabs(s->f[i] - s->f[j]) <= repeated * fmax(fabs(s->f[i]), fabs(s->f[j]));
}

/* (COR.4) for the group of rows first..first+g-1 of a and columns col[0..g-1] of b. */
static fb_status turn(const products *p, fb_shapes *b, int64_t first, int64_t g, const int64_t *col, fb_err *e)
{
    fb_mat C = {0}, U = {0}, W = {0}, R = {0}, Y = {0}, Z = {0};
    double *sv = NULL;
    fb_status s = FB_OK;
    FB_TRY(fb_mat_new(&C, g, g, e));
    FB_TRY(fb_mat_new(&R, g, g, e));
    FB_TRY(fb_mat_new(&Y, b->nd, g, e));
    FB_TRY(fb_mat_new(&Z, b->nd, g, e));
    FB_TRY(FB_NEW(&sv, g, e));
    for (int64_t j = 0; j < g; j++) {
        double scale = p->b[col[j]] > 0 ? 1 / sqrt(p->b[col[j]]) : 0;
        for (int64_t i = 0; i < g; i++)
            C.x[i + j * g] = p->P.x[first + i + col[j] * p->P.m] / sqrt(p->a[first + i]) * scale;
        for (int64_t d = 0; d < b->nd; d++)
            Y.x[d + j * b->nd] = b->X.x[d + col[j] * b->nd] * scale;
    }
    FB_TRY(fb_svd(&C, &U, sv, &W, 0, e));
    FB_TRY(fb_gemm(0, 1, 1, &W, &U, 0, &R, e));
    FB_TRY(fb_gemm(0, 0, 1, &Y, &R, 0, &Z, e));
    for (int64_t j = 0; j < g; j++)
        memcpy(b->X.x + col[j] * b->nd, Z.x + j * b->nd, sizeof(double) * (size_t)b->nd);
out:
    fb_mat_free(&C);
    fb_mat_free(&U);
    fb_mat_free(&W);
    fb_mat_free(&R);
    fb_mat_free(&Y);
    fb_mat_free(&Z);
    free(sv);
    return s;
}

/* Every repeated root of a that is paired with a repeated root of b of the same size. */
static fb_status align(const fb_shapes *a, fb_shapes *b, const products *p, const int64_t *pair, int64_t *turned, fb_err *e)
{
    for (int64_t i = 0, g; i < a->n; i += g) {
        for (g = 1; i + g < a->n && same_root(a, i, i + g);)
            g++;
        int one = g > 1;
        for (int64_t k = 0; k < g; k++)
            one = one && pair[i + k] >= 0 && p->a[i + k] > 0 && same_root(b, pair[i], pair[i + k]);
        if (!one)
            continue;
        fb_status s = turn(p, b, i, g, pair + i, e);
        if (s)
            return s;
        *turned += g;
    }
    return FB_OK;
}

/* Over the elastic modes; as published: the rigid ones count as exact and means divide by n^2. */
static void statistics(fb_correlation *c, fb_table *t, int as_published)
{
    int64_t n = c->na < c->nb ? c->na : c->nb, r = c->nrigid;
    double sum = 0, off = 0;
    int64_t noff = 0;
    t->diagonal_min = 1;
    for (int64_t i = r; i < n; i++) {
        int64_t j = as_published ? i : c->pair[i];
        double d = j < 0 ? 0 : t->C.x[i + j * c->na];
        sum += d;
        t->diagonal_min = fmin(t->diagonal_min, d);
        if (d < 0.9 && !t->first_below)
            t->first_below = i + 1;
        for (int64_t k = r; k < n; k++)
            if (k != j) {
                off += t->C.x[i + k * c->na];
                t->off_max = fmax(t->off_max, t->C.x[i + k * c->na]);
                noff++;
            }
    }
    double rows = (double)(n - r);
    t->diagonal_mean = as_published ? ((double)r + sum) / (double)n : rows > 0 ? sum / rows : 1;
    t->off_mean = as_published ? off / ((double)n * (double)n) : noff ? off / (double)noff : 0;
}

static void count_pairs(fb_correlation *c)
{
    int64_t n = c->na < c->nb ? c->na : c->nb;
    for (int64_t i = 0; i < c->na; i++) {
        c->nmissing += i < n && c->pair[i] < 0;
        c->nswapped += i >= c->nrigid && c->pair[i] >= 0 && c->pair[i] != i;
    }
}

fb_status fb_correlate(const fb_shapes *a, fb_shapes *b, const fb_correlate_opts *o, fb_correlation *out, fb_err *e)
{
    const fb_csc *M = a->M.p ? &a->M : NULL;
    fb_correlation c = {.na = a->n, .nb = b->n, .nrigid = a->nrigid};
    products plain = {0}, massy = {0};
    fb_mat score = {0};
    fb_status s = FB_OK;
    if (!M && (o->want[FB_NCO] || o->want[FB_CO])) {
        s = fb_fail(e, FB_EFORMAT, "%s has no mass matrix: NCO and CO cannot be formed, ask for --mac alone", a->name);
        goto out;
    }
    FB_TRY(FB_NEW(&c.pair, c.na, e));
    FB_TRY(multiply(&a->X, &b->X, M, M ? &massy : &plain, e));
    FB_TRY(normalised(M ? &massy : &plain, 1, &score, e));
    FB_TRY(fb_assign(&score, c.pair, e));
    if (!o->as_published) {
        FB_TRY(align(a, b, M ? &massy : &plain, c.pair, &c.naligned, e));
        products_free(&massy);
        products_free(&plain);
        fb_mat_free(&score);
        FB_TRY(multiply(&a->X, &b->X, M, M ? &massy : &plain, e));
        FB_TRY(normalised(M ? &massy : &plain, 1, &score, e));
        FB_TRY(fb_assign(&score, c.pair, e));
    }
    if (o->want[FB_MAC]) {
        if (M)
            FB_TRY(multiply(&a->X, &b->X, NULL, &plain, e));
        FB_TRY(normalised(&plain, 1, &c.table[FB_MAC].C, e));
    }
    if (o->want[FB_NCO])
        FB_TRY(normalised(&massy, 1, &c.table[FB_NCO].C, e));
    if (o->want[FB_CO])
        FB_TRY(normalised(&massy, 0.5, &c.table[FB_CO].C, e));
    for (int k = 0; k < FB_NCRITERION; k++)
        if (c.table[k].C.x)
            statistics(&c, c.table + k, o->as_published);
    count_pairs(&c);
    *out = c;
    c = (fb_correlation){0};
out:
    fb_correlation_free(&c);
    products_free(&plain);
    products_free(&massy);
    fb_mat_free(&score);
    return s;
}
