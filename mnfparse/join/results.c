/* SPDX-License-Identifier: GPL-3.0-or-later */
/* results.c - modes that a solver wrote beside its matrices: are they modes of these?
 *
 *   (RM.1) r = K u - w^2 M u    on the dofs that are free here and move in some of the modes; where
 *                               none moves they were held there
 *   (RM.2) of another run:      max |r| > SHARE max |K u|  and  max |r| > NOISE max (|K| |u|)
 * The second one spares rigid modes, and shapes in single precision. */
#include "assemble.h"
#include "linalg/sparse_ops.h"
#include "memory.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#define SHARE 1e-3
#define NOISE 1e-6

typedef struct {
    int64_t *at;     /* [n] place of the dof among the values of a mode, or -1 */
    char *row;       /* [n] (RM.1) */
    double *u;       /* [n] */
    double *Ku, *Mu; /* [n] */
    double *big;     /* [n] |K| |u| */
} work;

static void work_free(work *w)
{
    FB_FREE(w->at, w->row, w->u, w->Ku, w->Mu, w->big);
}

/* A node of the matrices that the modes do not have, or 0. */
static fb_status locate(const fb_join *j, work *w, int64_t *stranger, fb_err *e)
{
    const fb_model *m = j->modes;
    fb_index x = {0};
    fb_status s = FB_OK;
    FB_TRY(fb_new(&w->at, j->n, 8, "results", e));
    FB_TRY(fb_new(&w->row, j->n, 1, "results", e));
    FB_TRY(fb_new(&w->u, j->n, 8, "results", e));
    FB_TRY(fb_new(&w->Ku, j->n, 8, "results", e));
    FB_TRY(fb_new(&w->Mu, j->n, 8, "results", e));
    FB_TRY(fb_new(&w->big, j->n, 8, "results", e));
    FB_TRY(fb_index_new(&x, m->node_id, m->nn, "nodes of the results", e));
    for (int64_t d = 0; d < j->n; d++) {
        const int64_t node = fb_index_find(&x, j->node[d]), c = j->component[d];
        const int physical =
            j->class[d] == FB_DOF_PHYSICAL && c >= 1 && c <= 6 && !(j->slave && j->slave[d]);
        if (node < 0 && physical && !*stranger)
            *stranger = j->node[d];
        w->at[d] = node >= 0 && c >= 1 && c <= 6 ? 6 * node + c - 1 : -1;
        for (int64_t k = 0; physical && w->at[d] >= 0 && k < m->nm && !w->row[d]; k++)
            w->row[d] = m->shape[6 * k * m->nn + w->at[d]] != 0;
    }
out:
    fb_index_free(&x);
    return s;
}

static void products(const fb_join *j, work *w, int64_t k)
{
    const fb_csc *K = j->A + FB_K;
    for (int64_t d = 0; d < j->n; d++) {
        w->u[d] = w->at[d] < 0 ? 0 : j->modes->shape[6 * k * j->modes->nn + w->at[d]];
        w->Ku[d] = w->Mu[d] = w->big[d] = 0;
    }
    fb_csc_mul(K, w->u, j->n, w->Ku, j->n, 1);
    fb_csc_mul(j->A + FB_M, w->u, j->n, w->Mu, j->n, 1);
    for (int64_t c = 0; c < j->n; c++)
        for (int64_t q = K->p[c]; q < K->p[c + 1]; q++) {
            w->big[K->i[q]] += fabs(K->x[q] * w->u[c]);
            if (K->i[q] != c)
                w->big[c] += fabs(K->x[q] * w->u[K->i[q]]);
        }
}

/* The largest residual of mode k over max |K u|; 0 where (RM.2) calls it noise. *worst: its dof. */
static double residual(const fb_join *j, work *w, int64_t k, int64_t *worst)
{
    const double lambda = j->modes->eigen[5 * k];
    double r = 0, top = 0, big = 0;
    products(j, w, k);
    for (int64_t d = 0; d < j->n; d++) {
        if (!w->row[d])
            continue;
        const double x = fabs(w->Ku[d] - lambda * w->Mu[d]); /* (RM.1) */
        if (x > r) {
            r = x;
            *worst = d;
        }
        top = fmax(top, fmax(fabs(w->Ku[d]), fabs(lambda * w->Mu[d])));
        big = fmax(big, w->big[d]);
    }
    return r > NOISE * big ? r / top : 0; /* (RM.2) */
}

/* Dofs that are free here and rest in every mode. */
static int64_t resting(const fb_join *j, const work *w, char *list, size_t n)
{
    int64_t count = 0;
    for (int64_t d = 0; d < j->n; d++)
        if (j->class[d] == FB_DOF_PHYSICAL && w->at[d] >= 0 && !w->row[d] &&
            !(j->slave && j->slave[d]))
            fb_name_list(list, n, count++, j->node[d], j->component[d]);
    return count;
}

static void foreign(const fb_join *j, const char *why)
{
    char name[400];
    const fb_matrix *K = j->role[FB_K];
    fb_matrix_name(j->p, K, name, sizeof name);
    fb_warn(j->log,
            "%s is of another run than %s%s%s: %s; its nodes and elements are taken, its modes are "
            "not those of the body",
            j->p->results, name, K->date[0] ? " of " : "", K->date, why);
}

fb_status fb_join_results(const fb_join *j, fb_err *e)
{
    char why[200], list[200] = "";
    work w = {0};
    int64_t stranger = 0, worst = 0, first = -1;
    double most = 0;
    fb_status s = FB_OK;
    FB_TRY(locate(j, &w, &stranger, e));
    if (stranger) {
        snprintf(why, sizeof why, "it has no node %lld", (long long)stranger);
        foreign(j, why);
        goto out;
    }
    if (!j->A[FB_M].p)
        goto out;
    for (int64_t k = 0; k < j->modes->nm && first < 0; k++) {
        const double r = residual(j, &w, k, &worst);
        most = fmax(most, r);
        first = r > SHARE ? k : -1;
    }
    if (first >= 0) {
        snprintf(why, sizeof why,
                 "its mode %lld of %.6g Hz is none of these matrices (at dof %s K u and w^2 M u "
                 "differ by %.2g of the largest)",
                 (long long)j->modes->mode_number[first], j->modes->eigen[5 * first + 1],
                 fb_name_of(j->node[worst], j->component[worst]).s, most);
        foreign(j, why);
        goto out;
    }
    const int64_t held = resting(j, &w, list, sizeof list);
    fb_note(j->log, "%s: its %lld modes are modes of the matrices, to %.1e%s%s", j->p->results,
            (long long)j->modes->nm, most, held ? "; it had dofs held that are free here:" : "",
            list);
out:
    work_free(&w);
    return s;
}
