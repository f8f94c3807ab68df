/* SPDX-License-Identifier: GPL-3.0-or-later */
/* accurate.c - the smallest order that is as accurate as the user wants: --accurate-to.
 *
 * Symbols  K, M of the body that is reduced (a full model, or one held by modes); Z its rigid
 *          motion, Z'MZ = I; K_k, M_k the reduced body with the first k normal modes; T its shapes
 * Equations
 *   (AC.1) K x = lambda M x, every lambda up to the frequency, counted by inertia
 *   (AC.2) K x_j = (1 - M Z Z') e_j,  Z'M x_j = 0,  C_j = e_j'x_j         a unit load at boundary
 *          dof j, balanced by inertia where the body is free
 *   (AC.3) K_k v_i = mu_i M_k v_i:  e_f = max |sqrt(mu_i/lambda_i) - 1|    elastic i of (AC.1)
 *   (AC.4) c_j = sum (e_j'T v_i)^2 / mu_i over elastic i:  e_s = max |1 - c_j/C_j|
 * The spaces are nested in k, so by Rayleigh and Ritz mu_i falls to lambda_i and c_j rises to C_j:
 * both errors fall, and the smallest k within the tolerance is found by bisection. Of imr the modes
 * stand by rank, else by frequency. Nothing but (AC.3) is solved for a try: modes are computed up
 * to a multiple of the frequency, and only where all of them do not suffice, up to twice as much.
 * Laws     tests/prop/test_accurate.c
 */
#include "memory.h"
#include "accurate.h"
#include "full.h"
#include "linalg/far.h"
#include "modal.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Modes computed at first: of the boundary-held body up to so many times the frequency. */
static const double first_reach = 2;
enum { MOST_TIMES = 10, MOST_BESIDE = 300 }; /* normal modes that are tried, of those up to it */

typedef struct {
    int64_t n, zero, rigid; /* modes of (AC.1); zero .. zero + rigid - 1 are rigid */
    double *lambda;
    int64_t ns, *dof; /* boundary dofs, positions in /dofs */
    double *C;        /* [ns] (AC.2) */
    fb_mat B;         /* modal: their rows of the modes, [ns x nm] */
} reference;

static void reference_free(reference *x)
{
    FB_FREE(x->lambda, x->dof, x->C);
    fb_mat_free(&x->B);
}

void fb_accuracy_free(fb_accuracy *a)
{
    FB_FREE(a->tries, a->compared);
    *a = (fb_accuracy){0};
}

/* ---- what is wanted ------------------------------------------------------------------------ */

/* (AC.2) of a full model. */
static fb_status full_statics(const fb_full *f, const fb_eig *q, reference *x, fb_err *e)
{
    const fb_mat Z = fb_mat_columns(&q->X, q->nnegative, q->nrigid);
    int64_t *eq = NULL;
    fb_mat X = {0};
    fb_statics st = {0};
    fb_status s = FB_OK;
    if (!fb_full_has_boundary(f))
        return FB_OK;
    FB_TRY(fb_full_boundary(f, &eq, &x->ns, e));
    FB_TRY(FB_NEW(&x->dof, x->ns, e));
    FB_TRY(FB_NEW(&x->C, x->ns, e));
    FB_TRY(fb_mat_new(&X, f->n, x->ns, e));
    for (int64_t k = 0; k < x->ns; k++)
        X.x[eq[k] + k * f->n] = 1;
    FB_TRY(fb_statics_new(&st, f, &f->K, &f->M, NULL, f->nmult, &Z, e));
    FB_TRY(fb_statics_solve(&st, &X, e));
    for (int64_t k = 0; k < x->ns; k++) {
        x->dof[k] = f->dof[eq[k]];
        x->C[k] = X.x[eq[k] + k * f->n];
    }
out:
    fb_statics_free(&st);
    fb_mat_free(&X);
    free(eq);
    return s;
}

static fb_status full_reference(const fb_full *f, double hz, reference *x, fb_err *e)
{
    fb_reduceopt o = *f->o;
    fb_full g = *f;
    fb_eig q = {0};
    fb_status s = FB_OK;
    o.order = o.modes = -1;
    o.fmax = hz;
    g.o = &o;
    FB_TRY(fb_full_modes(&g, &f->K, &f->M, NULL, f->nmult, -1, NULL, "modes of the full model", &q,
                         e)); /* (AC.1) */
    x->n = q.n;
    x->zero = q.nnegative;
    x->rigid = q.nrigid;
    FB_TRY(fb_copy(&x->lambda, q.lambda, q.n, 8, "eigenvalues", e));
    s = full_statics(f, &q, x, e);
out:
    fb_eig_free(&q);
    return s;
}

/* Of a body held by modes, which are its coordinates. */
static fb_status modal_reference(const fb_model *b, const fb_reduceopt *o, double hz, reference *x,
                                 fb_err *e)
{
    fb_log quiet = {0};
    const double top = fb_lambda(&b->units, hz);
    fb_status s = FB_OK;
    FB_TRY(fb_modal_eigenvalues(b, &x->lambda, e));
    while (x->n < b->nm && x->lambda[x->n] <= top)
        x->n++;
    while (x->zero < b->nm && x->lambda[x->zero] < 0)
        x->zero++;
    x->rigid = fb_modal_rigid(x->lambda, b->nm);
    if (o->interface || (b->connector_node && b->nc)) {
        FB_TRY(fb_modal_boundary(b, "--interface", o->interface, &x->dof, &x->ns, &quiet, e));
        FB_TRY(fb_modal_rows(b, x->dof, x->ns, &x->B, e));
        FB_TRY(FB_NEW(&x->C, x->ns, e));
        for (int64_t j = 0; j < x->ns; j++)
            for (int64_t k = 0; k < b->nm; k++)
                if (x->lambda[k] < 0 || x->lambda[k] > 0)
                    x->C[j] += x->B.x[j + k * x->ns] * x->B.x[j + k * x->ns] / x->lambda[k];
    }
out:
    fb_log_free(&quiet);
    return s;
}

/* ---- a try --------------------------------------------------------------------------------- */

typedef struct {
    const reference *x;
    const fb_reduction *r;
    int64_t *order; /* [nr] coordinates: what stays, then normal modes as they join */
    int64_t base;   /* how many stay */
    fb_mat Tb;      /* [ns x nr] rows of the shapes at the boundary dofs */
} search;

/* The coordinates in the order that they join. */
static fb_status arrange(search *q, fb_err *e)
{
    const fb_reduction *r = q->r;
    int64_t n = 0;
    FB_PASS(FB_NEW(&q->order, r->nr, e));
    for (int64_t k = 0; k < r->nr; k++)
        if (r->kind[k] == FB_KIND_BOUNDARY || r->kind[k] == FB_KIND_ATTACHMENT)
            q->order[n++] = k;
    q->base = n;
    for (int64_t k = 0, first = -1; k < r->nr; k++) {
        if (r->kind[k] == FB_KIND_BOUNDARY || r->kind[k] == FB_KIND_ATTACHMENT)
            continue;
        first = first < 0 ? k : first;
        q->order[n] = k;
        if (r->ranking) { /* by rank: the kept modes stand by their numbers */
            const double number = r->ranking[3 * (n - q->base)];
            int64_t before = 0;
            for (int64_t c = 0; c < r->nn; c++)
                before += r->ranking[3 * c] < number;
            q->order[n] = first + before;
        }
        n++;
    }
    return FB_OK;
}

static fb_status boundary_rows(search *q, fb_err *e)
{
    const reference *x = q->x;
    const fb_reduction *r = q->r;
    if (r->V.x && x->ns)
        return fb_mat_product(0, 0, &x->B, &r->V, &q->Tb, e);
    FB_PASS(fb_mat_new(&q->Tb, x->ns, r->nr, e));
    return fb_mat_rows(&r->T, x->dof, &q->Tb, e);
}

/* (AC.4) */
static double statics_error(const search *q, const double *mu, const fb_mat *V)
{
    const reference *x = q->x;
    double worst = 0;
    for (int64_t j = 0; j < x->ns; j++) {
        double c = 0;
        for (int64_t i = 0; i < V->n; i++) {
            double p = 0;
            if (i >= x->zero && i < x->zero + x->rigid)
                continue;
            for (int64_t k = 0; k < V->m; k++)
                p += q->Tb.x[j + q->order[k] * x->ns] * V->x[k + i * V->m];
            c += p * p / mu[i];
        }
        if (x->C[j] < 0 || x->C[j] > 0)
            worst = fmax(worst, fabs(1 - c / x->C[j]));
    }
    return worst;
}

/* Errors of the reduced body with k normal modes; mode: the worst of (AC.3), mu [n] or NULL. */
static fb_status try(const search *q, int64_t k, double error[2], int64_t *mode, double *roots,
                     fb_err *e)
{
    const reference *x = q->x;
    const int64_t n = q->base + k, nr = q->r->nr;
    fb_mat K = {0}, M = {0}, V = {0};
    double *mu = NULL;
    fb_status s = FB_OK;
    error[0] = error[1] = INFINITY;
    *mode = x->n;
    if (n < x->n || n == 0)
        return FB_OK;
    FB_TRY(fb_mat_new(&K, n, n, e));
    FB_TRY(fb_mat_new(&M, n, n, e));
    FB_TRY(FB_NEW(&mu, n, e));
    for (int64_t j = 0; j < n; j++)
        for (int64_t i = 0; i < n; i++) {
            K.x[i + j * n] = q->r->K[q->order[i] + q->order[j] * nr];
            M.x[i + j * n] = q->r->M[q->order[i] + q->order[j] * nr];
        }
    FB_TRY(fb_eig_dense(&K, &M, mu, &V, e));
    error[0] = 0;
    for (int64_t i = 0; i < x->n; i++) { /* (AC.3) */
        const int rigid = i >= x->zero && i < x->zero + x->rigid;
        const double ratio = rigid ? 1 : mu[i] / x->lambda[i],
                     off = ratio > 0 ? fabs(sqrt(ratio) - 1) : INFINITY;
        if (off > error[0]) {
            error[0] = off;
            *mode = i + 1;
        }
        if (roots)
            roots[i] = rigid ? 0 : mu[i];
    }
    error[1] = statics_error(q, mu, &V);
out:
    FB_FREE_BY(fb_mat_free, &K, &M, &V);
    free(mu);
    return s;
}

static fb_status tried(const search *q, const fb_reduceopt *o, int64_t k, fb_accuracy *a, int *good,
                       fb_log *log, fb_err *e)
{
    double error[2];
    int64_t mode = 0;
    FB_PASS(try(q, k, error, &mode, NULL, e));
    FB_PASS(fb_grow(&a->tries, &a->cap, 3 * (a->n + 1), 8, e));
    double *t = a->tries + 3 * a->n++;
    t[0] = (double)(q->base + k);
    for (int c = 0; c < 2; c++) /* fewer coordinates than modes: none of it is right */
        t[1 + c] = isinf(error[c]) ? 1 : error[c];
    a->worst_mode = mode;
    *good = error[0] <= o->tolerance && error[1] <= o->tolerance;
    if (isinf(error[0]))
        fb_note(log, "--accurate-to: order %lld has fewer modes than are below the frequency",
                (long long)(q->base + k));
    else
        fb_note(log,
                "--accurate-to: order %lld: frequencies within %.3g (mode %lld is the worst), "
                "static answers within %.3g",
                (long long)(q->base + k), error[0], (long long)mode, error[1]);
    return FB_OK;
}

/* Modes of equal frequency stay together. */
static int64_t whole_group(const search *q, int64_t k)
{
    const fb_reduction *r = q->r;
    for (; k > 0 && q->base + k < r->nr; k++) {
        const int64_t a = q->order[q->base + k - 1], z = q->order[q->base + k];
        if (fabs(r->K[z * (r->nr + 1)] - r->K[a * (r->nr + 1)]) >
            1e-6 * fabs(r->K[z * (r->nr + 1)]))
            break;
    }
    return k;
}

static int ascending(const void *a, const void *b)
{
    const int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;
    return x < y ? -1 : x > y;
}

/* The frequencies of both bodies side by side. */
static fb_status compare(const fb_model *b, const search *q, int64_t k, fb_accuracy *a, fb_err *e)
{
    const reference *x = q->x;
    double error[2], *mu = NULL;
    int64_t mode = 0;
    fb_status s = FB_OK;
    FB_TRY(FB_NEW(&mu, x->n, e));
    FB_TRY(FB_NEW(&a->compared, 2 * x->n, e));
    FB_TRY(try(q, k, error, &mode, mu, e));
    a->ncompared = x->n;
    for (int64_t i = 0; i < x->n; i++) {
        a->compared[2 * i] = fb_hertz(&b->units, x->lambda[i]);
        a->compared[2 * i + 1] = fb_hertz(&b->units, mu[i]);
    }
out:
    free(mu);
    return s;
}

static const char skew[] =
    "the stiffness is not symmetric, so that boundary shapes answer the whole of it, which the "
    "symmetric part, whose modes and static answers are compared, does not";

/* Where all modes of r suffice, r keeps as few as do: *found. */
static fb_status fewest(const fb_model *b, const fb_reduceopt *o, const reference *x,
                        fb_reduction *r, fb_accuracy *a, int *found, fb_log *log, fb_err *e)
{
    search q = {.x = x, .r = r};
    int64_t lo = -1, hi = 0;
    fb_status s = FB_OK;
    FB_TRY(arrange(&q, e));
    FB_TRY(boundary_rows(&q, e));
    hi = r->nr - q.base;
    FB_TRY(tried(&q, o, hi, a, found, log, e));
    while (*found && hi - lo > 1) {
        const int64_t k = lo + (hi - lo) / 2;
        int good = 0;
        FB_TRY(tried(&q, o, k, a, &good, log, e));
        if (good)
            hi = k;
        else
            lo = k;
    }
    if (!*found)
        goto out;
    const int64_t k = whole_group(&q, hi), n = q.base + k;
    for (int64_t t = 0; b->N.p && n == r->nr && t < a->n; t++)
        if (a->tries[3 * t] < (double)n && a->tries[3 * t + 2] > o->tolerance) {
            fb_warn(log, "--accurate-to: no static answer below the full order is within %g: %s",
                    o->tolerance, skew);
            break;
        }
    FB_TRY(compare(b, &q, k, a, e));
    qsort(q.order, (size_t)n, sizeof *q.order, ascending);
    if (n < r->nr)
        FB_TRY(fb_reduction_shorten(r, q.order, n, log, e));
    fb_note(
        log,
        "--accurate-to %g Hz: order %lld with %lld normal modes is the smallest within %g (%lld "
        "orders tried, %lld modes of the full body compared)",
        o->accurate_to, (long long)n, (long long)k, o->tolerance, (long long)a->n, (long long)x->n);
out:
    fb_mat_free(&q.Tb);
    free(q.order);
    return s;
}

static fb_status not_reached(const fb_model *b, const fb_reduceopt *o, const fb_reduction *r,
                             const fb_accuracy *a, const char *all, fb_err *e)
{
    const double *t = a->tries + 3 * (a->n - 1);
    return fb_fail(
        e, FB_NO,
        "--accurate-to %g: with %s%lld normal modes (order %lld) frequencies hold to %.3g "
        "at mode %lld, static answers to %.3g; %g is wanted: name more boundary dofs, or "
        "a larger --tolerance%s%s",
        o->accurate_to, all, (long long)r->nn, (long long)t[0], t[1], (long long)a->worst_mode,
        t[2], o->tolerance, b->N.p ? "; " : "", b->N.p ? skew : "");
}

/* imr ranks by the elastic modes up to the frequency. */
static void interest(const reference *x, const fb_method *m, fb_reduceopt *p, char *text, size_t n)
{
    if (m->grows != FB_GROWS_BY_RANK || p->weights)
        return;
    snprintf(text, n, "%lld-%lld", (long long)(x->zero + x->rigid + 1), (long long)x->n);
    if (x->n > x->zero + x->rigid)
        p->weights = text;
}

fb_status fb_accurate_full(const fb_method *m, const fb_model *b, const fb_reduceopt *o,
                           fb_reduction *r, fb_accuracy *a, fb_log *log, fb_err *e)
{
    reference x = {0};
    fb_full f = {0};
    char text[60];
    int64_t before = -1;
    int found = 0;
    fb_status s = FB_OK;
    FB_TRY(fb_full_new(&f, b, o, log, e));
    FB_TRY(full_reference(&f, o->accurate_to, &x, e));
    for (double reach = m->grows == FB_GROWS_AS_EIGEN ? 1 : first_reach;; reach *= 2) {
        fb_reduceopt p = *o;
        p.reach = 1;
        interest(&x, m, &p, text, sizeof text);
        if (m->grows == FB_GROWS_BY_RANK)
            p.modes = (int64_t)(reach * (double)x.n) + 4;
        else
            p.fmax = reach * o->accurate_to;
        fb_reduction_free(r);
        FB_TRY(fb_method_full(m, b, &p, r, log, e));
        if (r->nr > 0)
            FB_TRY(fewest(b, o, &x, r, a, &found, log, e));
        const int all = r->ndropped == 0 || (r->nn == before && reach > 1024);
        if (!found && (all || r->nn > MOST_TIMES * x.n + MOST_BESIDE))
            FB_TRY(not_reached(b, o, r, a, all ? "all " : "", e));
        if (found)
            break;
        before = r->nn;
    }
out:
    reference_free(&x);
    fb_full_free(&f);
    return s;
}

fb_status fb_accurate_modal(const fb_method *m, const fb_model *b, const fb_reduceopt *o,
                            fb_reduction *r, fb_accuracy *a, fb_log *log, fb_err *e)
{
    reference x = {0};
    fb_reduceopt p = *o;
    char text[60];
    int found = 0;
    fb_status s = FB_OK;
    FB_TRY(modal_reference(b, o, o->accurate_to, &x, e));
    p.reach = 1;
    p.modes = b->nm;
    interest(&x, m, &p, text, sizeof text);
    FB_TRY(fb_method_modal(m, b, &p, r, log, e));
    FB_TRY(fewest(b, o, &x, r, a, &found, log, e));
    if (!found)
        s = not_reached(b, o, r, a, "all ", e);
out:
    reference_free(&x);
    return s;
}
