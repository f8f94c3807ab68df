/* SPDX-License-Identifier: GPL-3.0-or-later */
/* response.c - frequency responses of full and reduced models.
 *
 * Symbols    w = 2 pi f; e_k unit vector of dof k; S structural damping, G of unit speed, s speed,
 *            h loss factor
 * Equations
 *   (FR.1) Z(w) = K (1 + i h) + N + i S - w^2 M + i w (D + s G)
 *   (FR.2) H_oi(w) = e_o' Z^-1 e_i                     full: sparse LU, one analysis for all w
 *   (FR.3) H_oi(w) = t_o Zr^-1 t_i'                    reduced: dense; t_k row k of T, x = T z
 * A full model without damping is solved in real numbers. Frequencies are shared by the threads;
 * each is solved alone, so that the number of threads changes no bit.
 * Source     Ewins, Modal Testing (2000), ch. 2
 */
#include "response.h"
#include "linalg/blas.h"
#include "linalg/dense.h"
#include "linalg/lu.h"
#include "linalg/sparse_ops.h"
#include "memory.h"
#include "stream.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { NTERM = 6, THREADS = 8 }; /* K, M, N, D, S, G: damping from D on */

void fb_frf_free(fb_frf *f)
{
    free(f->H);
    *f = (fb_frf){0};
}

/* ---- dofs and units ------------------------------------------------------------------------ */

static fb_status dof_of(const fb_model *b, int64_t node, int64_t component, int64_t *dof, fb_err *e)
{
    for (int64_t d = 0; d < b->ndof; d++)
        if (b->dof_node[d] == node && b->dof_component[d] == component) {
            *dof = d;
            return FB_OK;
        }
    return fb_fail(e, FB_EUSAGE, "--frf: the model has no dof %s%s", fb_name_of(node, component).s,
                   component ? "" : ": NODE.COMPONENT is wanted, a node's number or name");
}

static const char *unit_of(int64_t component, const char *translation, const char *rotation)
{
    return component < 1 || component > 6 ? "1" : component <= 3 ? translation : rotation;
}

static void name_units(fb_frf_ask *a)
{
    const fb_units *u = &a->units;
    char moment[60];
    snprintf(moment, sizeof moment, "(%s %s)", u->name[FB_FORCE], u->name[FB_LENGTH]);
    for (int64_t k = 0; k < a->npath; k++) {
        fb_path *p = a->path + k;
        snprintf(p->unit, sizeof p->unit, "%s/%s",
                 unit_of(p->out_component, u->name[FB_LENGTH], "rad"),
                 unit_of(p->in_component, u->name[FB_FORCE], moment));
    }
}

static int known(const fb_units *u)
{
    for (int k = 0; k < FB_NUNIT; k++)
        if (!(u->factor[k] > 0))
            return 0;
    return 1;
}

/* Units that are not known are compared as they are. */
static void warn_units(const fb_frf_ask *a, const fb_units *u, const char *name, fb_log *log)
{
    const fb_unitlist mine = fb_units_list(u), first = fb_units_list(&a->units);
    if (strcmp(mine.s, first.s) != 0)
        fb_warn(log,
                "%s is in %s, the reference in %s: nothing converts them, and the numbers of both "
                "are compared as they are; mnfparse --input-units SYSTEM states units",
                name, mine.s, first.s);
}

/* ---- a system of equations ------------------------------------------------------------------ */

typedef struct {
    const fb_frf_ask *a;
    int64_t n;
    int damped, threads;
    double time, speed, scale; /* s and rad in the unit of time; of H */
    int64_t nin, *in;          /* [npath] which right-hand side a path has */
    fb_csc own[NTERM];         /* full: of the equations alone */
    fb_lu *L;
    int64_t *out_at, *in_at; /* full: [npath], [nin] equations */
    const double *A[NTERM];  /* reduced: [n,n] by rows, NULL: none */
    double *t_out, *t_in;    /* reduced: [npath][n], [nin][n] */
    double complex *H;       /* [npath][nf] */
    int64_t failed[THREADS]; /* number of the frequency; -1: none */
    fb_err e[THREADS];
} frf_system;

static void system_free(frf_system *z)
{
    for (int k = 0; k < NTERM; k++)
        fb_csc_free(&z->own[k]);
    fb_lu_free(z->L);
    FB_FREE(z->in, z->out_at, z->in_at, z->t_out, z->t_in, z->H);
}

/* c [NTERM] of (FR.1) */
static void coefficients(const frf_system *z, double hz, double complex c[NTERM])
{
    const double w = 2 * acos(-1) * hz * z->time;
    c[0] = 1 + I * z->a->loss;
    c[1] = -w * w;
    c[2] = 1;
    c[3] = I * w;
    c[4] = I;
    c[5] = I * w * z->speed;
}

static fb_status solve_full(const frf_system *z, int64_t k, double *x, fb_err *e)
{
    const int64_t words = (z->damped ? 2 : 1) * z->n;
    double complex c[NTERM];
    double packed[2 * NTERM], *b = x + words;
    fb_lu_factor *F = NULL;
    fb_status s = FB_OK;
    int n = 0;
    coefficients(z, z->a->hz[k], c);
    for (int t = 0; t < NTERM; t++)
        if (z->own[t].p) {
            packed[n++] = creal(c[t]);
            if (z->damped)
                packed[n++] = cimag(c[t]);
        }
    FB_TRY(fb_lu_factor_new(&F, z->L, packed, e));
    for (int64_t i = 0; i < z->nin; i++) { /* (FR.2) */
        memset(b, 0, sizeof *b * (size_t)words);
        b[z->in_at[i] * (z->damped ? 2 : 1)] = 1;
        FB_TRY(fb_lu_solve(F, b, x, e));
        for (int64_t p = 0; p < z->a->npath; p++) {
            const int64_t at = z->out_at[p];
            if (z->in[p] == i)
                z->H[p * z->a->nf + k] =
                    z->scale * (z->damped ? x[2 * at] + I * x[2 * at + 1] : x[at]);
        }
    }
out:
    fb_lu_factor_free(F);
    return s;
}

static fb_status solve_reduced(const frf_system *z, int64_t k, double *work, fb_err *e)
{
    const int64_t n = z->n;
    double complex c[NTERM], *Z = (double complex *)(void *)work, *B = Z + n * n;
    coefficients(z, z->a->hz[k], c);
    for (int64_t j = 0; j < n; j++)
        for (int64_t i = 0; i < n; i++) {
            double complex sum = 0;
            for (int t = 0; t < NTERM; t++)
                if (z->A[t])
                    sum += c[t] * z->A[t][i * n + j];
            Z[i + j * n] = sum;
        }
    for (int64_t q = 0; q < z->nin * n; q++)
        B[q] = z->t_in[q];
    FB_PASS(fb_solve_complex(n, work, z->nin, (double *)B, "the reduced body", e)); /* (FR.3) */
    for (int64_t p = 0; p < z->a->npath; p++) {
        double complex sum = 0;
        for (int64_t q = 0; q < n; q++)
            sum += z->t_out[p * n + q] * B[z->in[p] * n + q];
        if (!isfinite(creal(sum)) || !isfinite(cimag(sum)))
            return fb_fail(e, FB_ESOLVE,
                           "the reduced body is singular: it is free at rest, or in resonance "
                           "without damping");
        z->H[p * z->a->nf + k] = z->scale * sum;
    }
    return FB_OK;
}

/* Frequencies t, t + threads, ...; a thread ends at the first that fails. */
static void work(void *arg, int t)
{
    frf_system *z = arg;
    const int64_t full = 2 * (z->damped ? 2 : 1) * z->n, dense = 2 * z->n * (z->n + z->nin);
    double *x = NULL;
    fb_status s = fb_new(&x, z->L ? full : dense, sizeof *x, "equations", z->e + t);
    z->failed[t] = s ? t : -1;
    for (int64_t k = t; !s && k < z->a->nf; k += z->threads) {
        s = z->L ? solve_full(z, k, x, z->e + t) : solve_reduced(z, k, x, z->e + t);
        if (s)
            z->failed[t] = k;
    }
    free(x);
}

/* The failure of the lowest frequency is told, whatever the number of threads. */
static fb_status run(frf_system *z, fb_err *e)
{
    int first = -1;
    z->threads = fb_threads() < THREADS ? fb_threads() : THREADS;
    if (z->L && fb_lu_room(z->L) < z->threads)
        z->threads = fb_lu_room(z->L);
    if (z->a->nf < z->threads)
        z->threads = (int)z->a->nf;
    fb_parallel(z->threads, work, z);
    for (int t = 0; t < z->threads; t++)
        if (z->failed[t] >= 0 && (first < 0 || z->failed[t] < z->failed[first]))
            first = t;
    if (first < 0)
        return FB_OK;
    const double hz = z->a->hz[z->failed[first]];
    *e = z->e[first];
    return fb_context(e, "at %.6g Hz%s", hz,
                      hz > 0 ? "" : " (begin above 0, or hold the body by reduce --fix)");
}

/* Paths with one input share a solution. */
static fb_status inputs(const fb_frf_ask *a, frf_system *z, fb_err *e)
{
    FB_PASS(FB_NEW(&z->in, a->npath, e));
    FB_PASS(fb_new(&z->H, a->npath * a->nf, sizeof *z->H, "frequency responses", e));
    for (int64_t k = 0; k < a->npath; k++) {
        int64_t q = 0;
        while (q < k && (a->path[q].in_node != a->path[k].in_node ||
                         a->path[q].in_component != a->path[k].in_component))
            q++;
        z->in[k] = q < k ? z->in[q] : z->nin++;
    }
    return FB_OK;
}

/* ---- full ------------------------------------------------------------------------------------ */

static int64_t key_of(int64_t node, int64_t component)
{
    return (FB_COMPONENT_MAX + 1) * node + component;
}

/* Keys of the dofs that are held, ascending. */
static fb_status held_keys(const fb_model *b, int64_t **key, int64_t *n, fb_err *e)
{
    FB_PASS(fb_new(key, b->nheld, sizeof **key, "held dofs", e));
    for (int64_t k = 0; k < b->nheld; k++)
        (*key)[k] = key_of(b->held_node[k], b->held_component[k]);
    *n = fb_unique(*key, b->nheld);
    return FB_OK;
}

static int is_held(const fb_model *b, const int64_t *key, int64_t n, int64_t d)
{
    return (b->dof_class && b->dof_class[d] == FB_DOF_FIXED) ||
           fb_sorted_find(key, n, key_of(b->dof_node[d], b->dof_component[d])) >= 0;
}

/* equation[d] of the dofs that are not held and have stiffness or mass, else -1; the dofs of them.
 */
static fb_status equations(const fb_model *b, int64_t *equation, int64_t *dof, int64_t *n,
                           fb_err *e)
{
    char *used = NULL;
    int64_t *key = NULL, nkey = 0;
    fb_status s = FB_OK;
    FB_TRY(FB_NEW(&used, b->ndof, e));
    FB_TRY(held_keys(b, &key, &nkey, e));
    for (int k = 0; k < 2; k++) {
        const fb_csc *A = k ? &b->M : &b->K;
        for (int64_t j = 0; j < A->n; j++)
            for (int64_t q = A->p[j]; q < A->p[j + 1]; q++)
                if (A->x[q] != 0)
                    used[j] = used[A->i[q]] = 1;
    }
    *n = 0;
    for (int64_t d = 0; d < b->ndof; d++) {
        equation[d] = used[d] && !is_held(b, key, nkey, d) ? *n : -1;
        if (equation[d] >= 0)
            dof[(*n)++] = d;
    }
out:
    FB_FREE(used, key);
    return s;
}

static fb_status no_response(int64_t node, int64_t component, fb_err *e)
{
    return fb_fail(e, FB_EUSAGE,
                   "--frf: dof %s is held, or has neither stiffness nor mass: it has no response",
                   fb_name_of(node, component).s);
}

static fb_status free_dof(const fb_model *b, const int64_t *equation, int64_t node,
                          int64_t component, int64_t *at, fb_err *e)
{
    int64_t d = 0;
    FB_PASS(dof_of(b, node, component, &d, e));
    *at = equation[d];
    return *at >= 0 ? FB_OK : no_response(node, component, e);
}

static fb_status full_system(const fb_model *b, frf_system *z, fb_log *log, fb_err *e)
{
    const fb_frf_ask *a = z->a;
    const fb_csc none = {0};
    const fb_csc *const all[NTERM] = {&b->K, &b->M, &b->N,
                                      &b->D, &b->S, z->speed != 0 ? &b->gyroscopic : &none};
    const fb_csc *term[NTERM];
    int64_t *equation = NULL, *dof = NULL, *node = NULL;
    int n = 0;
    fb_status s = FB_OK;
    FB_TRY(FB_NEW(&equation, b->ndof, e));
    FB_TRY(FB_NEW(&dof, b->ndof, e));
    FB_TRY(FB_NEW(&node, b->ndof, e));
    FB_TRY(FB_NEW(&z->out_at, a->npath, e));
    FB_TRY(FB_NEW(&z->in_at, z->nin, e));
    FB_TRY(equations(b, equation, dof, &z->n, e));
    for (int64_t k = 0; k < a->npath; k++) {
        const fb_path *p = a->path + k;
        FB_TRY(free_dof(b, equation, p->out_node, p->out_component, z->out_at + k, e));
        FB_TRY(free_dof(b, equation, p->in_node, p->in_component, z->in_at + z->in[k], e));
    }
    for (int64_t k = 0; k < z->n; k++)
        node[k] = b->dof_node[dof[k]];
    for (int k = 0; k < NTERM; k++)
        if (all[k]->p) {
            FB_TRY(fb_csc_sub(all[k], dof, z->n, dof, z->n, &z->own[k], e));
            term[n++] = &z->own[k];
            z->damped = z->damped || k > 2;
        }
    z->damped = z->damped || a->loss > 0;
    FB_TRY(fb_lu_new(&z->L, term, n, z->damped, &(fb_factor_opts){.node = node}, e));
    fb_note(log, "the full model: %lld equations, %s LU, %d at a time", (long long)z->n,
            z->damped ? "complex" : "real",
            fb_lu_room(z->L) < fb_threads() ? fb_lu_room(z->L) : fb_threads());
out:
    FB_FREE(equation, dof, node);
    return s;
}

/* ---- reduced --------------------------------------------------------------------------------- */

static fb_status row_of(const fb_model *b, const double *T, int64_t node, int64_t component,
                        double *t, fb_err *e)
{
    int64_t d = 0, *key = NULL, nkey = 0;
    FB_PASS(dof_of(b, node, component, &d, e));
    FB_PASS(held_keys(b, &key, &nkey, e));
    const int held = is_held(b, key, nkey, d);
    free(key);
    if (held)
        return no_response(node, component, e);
    for (int64_t k = 0; k < b->nr; k++)
        t[k] = T[k * b->ndof + d];
    return FB_OK;
}

static fb_status reduced_system(const fb_model *b, frf_system *z, fb_err *e)
{
    const fb_frf_ask *a = z->a;
    const double *T = b->T ? b->T : b->shape;
    const double *const A[NTERM] = {b->Kr, b->Mr, b->Nr,
                                    b->Dr, b->Sr, z->speed != 0 ? b->Gr : NULL};
    memcpy(z->A, A, sizeof A);
    z->n = b->nr;
    for (int64_t k = 0; a->hz[0] == 0 && b->frequency && k < b->nr; k++)
        if (b->frequency[k] == 0)
            return fb_fail(e, FB_ESOLVE,
                           "at 0 Hz the body is free: begin above 0, or hold it by reduce --fix");
    FB_PASS(fb_new(&z->t_out, a->npath * z->n, sizeof *z->t_out, "rows of T", e));
    FB_PASS(fb_new(&z->t_in, z->nin * z->n, sizeof *z->t_in, "rows of T", e));
    for (int64_t k = 0; k < a->npath; k++) {
        const fb_path *p = a->path + k;
        FB_PASS(row_of(b, T, p->out_node, p->out_component, z->t_out + k * z->n, e));
        FB_PASS(row_of(b, T, p->in_node, p->in_component, z->t_in + z->in[k] * z->n, e));
    }
    return FB_OK;
}

/* ---- a file ---------------------------------------------------------------------------------- */

static void terms_of(const fb_frf_ask *a, const int has[NTERM], char *out, size_t n)
{
    static const char *const name[NTERM] = {"K", "M", "N", "D", "S", "speed G"};
    out[0] = 0;
    for (int k = 0; k < NTERM; k++)
        if (has[k])
            snprintf(out + strlen(out), n - strlen(out), "%s%s", k ? ", " : "", name[k]);
    if (a->loss > 0)
        snprintf(out + strlen(out), n - strlen(out), ", loss factor %.4g", a->loss);
}

static fb_status respond(const fb_model *b, int full, fb_frf_ask *a, fb_frf *out, fb_log *log,
                         fb_err *e)
{
    frf_system z = {.a = a, .time = fb_units_time(&b->units), .scale = fb_units_force(&b->units)};
    fb_status s = FB_OK;
    z.speed = a->speed * z.time;
    FB_TRY(inputs(a, &z, e));
    FB_TRY(full ? full_system(b, &z, log, e) : reduced_system(b, &z, e));
    FB_TRY(run(&z, e));
    int has[NTERM];
    for (int k = 0; k < NTERM; k++)
        has[k] = full ? z.own[k].p != NULL : z.A[k] != NULL;
    if (z.speed != 0 && !has[NTERM - 1])
        fb_warn(log,
                "%s has no gyroscopic matrix: --speed changes nothing there (mnfparse --gyroscopic "
                "FILE gives one)",
                out->name);
    terms_of(a, has, out->terms, sizeof out->terms);
    out->order = full ? 0 : b->nr;
    out->nheld = b->nheld;
    out->H = z.H;
    z.H = NULL;
out:
    system_free(&z);
    return s;
}

fb_status fb_frf_load(const char *path, int full, int reference, fb_frf_ask *a, fb_frf *out,
                      fb_log *log, fb_err *e)
{
    static const char *const want[] = {"/dofs", "/full", "/modes", "/reduced", "/sets", NULL};
    fb_stream in = FB_STREAM_NONE;
    fb_shapes label = {0};
    fb_model b = {0};
    fb_status s = FB_OK;
    fb_shapes_name(&label, path);
    memcpy(out->name, label.name, sizeof out->name);
    FB_TRY(fb_stream_open(&in, path, e));
    FB_TRY(fb_model_read(&in, &b, want, e));
    const int matrices = b.K.p && b.M.p && b.dof_class,
              pair = b.Kr && b.Mr && (b.T || (b.shape && b.nr == b.nm));
    if ((!matrices && !pair) || !b.dof_node || !b.dof_component)
        FB_TRY(fb_fail(e, FB_EFORMAT,
                       "%s: no responses without K and M, or a reduced body with /reduced/T, and "
                       "the labels of dofs (/dofs)",
                       in.name));
    if (reference) {
        a->units = b.units;
        name_units(a);
        s = fb_frf_nodes(a, &b, e);
    } else if (known(&a->units) && known(&b.units)) {
        s = fb_model_convert(&b, &a->units, e);
    } else {
        warn_units(a, &b.units, in.name, log);
    }
    s = s ? s : respond(&b, matrices && (full || !pair), a, out, log, e);
    if (s)
        fb_context(e, "%s", in.name);
out:
    fb_model_free(&b);
    fb_stream_abandon(&in);
    return s;
}
