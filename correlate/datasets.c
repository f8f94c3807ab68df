/* SPDX-License-Identifier: GPL-3.0-or-later */
/* datasets.c - correlations as HDF5: a group a model, /correlation/1, /correlation/2, ...
 *
 * frequency [na], model_frequency [nb] Hz; pair [na] number of the model's mode, 0: none;
 * MAC, NCO, CO [na,nb], a row for each mode of the reference. */
#include "memory.h"
#include "correlate.h"
#include <stdio.h>
#include <stdlib.h>

enum { EACH = 3 + FB_NCRITERION };

typedef struct fb_group {
    char path[EACH][64];
    double *table[FB_NCRITERION];
    int64_t *pair;
} group;

static fb_array *add(group *g, fb_array *a, int k, int64_t model, const char *name,
                     const void *data, const char *unit, const char *doc)
{
    snprintf(g->path[k], sizeof g->path[k], "/correlation/%lld/%s", (long long)model, name);
    *a = (fb_array){.path = g->path[k],
                    .type = 'd',
                    .rank = 1,
                    .data = data,
                    .attr = {{"units", unit}, {"description", doc}}};
    return a;
}

static fb_status fill(group *g, int64_t model, const fb_shapes *a, const fb_shapes *b,
                      const fb_correlation *c, fb_array *to, int64_t *n, fb_err *e)
{
    fb_status s = fb_new(&g->pair, c->na, 8, "pairs", e);
    if (s)
        return s;
    for (int64_t i = 0; i < c->na; i++)
        g->pair[i] = c->pair[i] + 1;
    add(g, to + (*n)++, 0, model, "frequency", a->f, "Hz", a->name)->dim[0] = c->na;
    add(g, to + (*n)++, 1, model, "model_frequency", b->f, "Hz", b->name)->dim[0] = c->nb;
    fb_array *p = add(g, to + (*n)++, 2, model, "pair", g->pair, "1",
                      "mode of the model, from 1, for each of the reference; 0: none");
    p->type = 'i';
    p->dim[0] = c->na;
    for (int k = 0; k < FB_NCRITERION; k++) {
        const fb_mat *C = &c->table[k].C;
        if (!C->x)
            continue;
        if ((s = fb_new(&g->table[k], c->na * c->nb, 8, "a table in rows", e)))
            return s;
        for (int64_t i = 0; i < c->na; i++)
            for (int64_t j = 0; j < c->nb; j++)
                g->table[k][i * c->nb + j] = C->x[i + j * c->na];
        fb_array *t = add(g, to + (*n)++, 3 + k, model, fb_criterion_name[k], g->table[k], "1",
                          "rows: modes of the reference, columns: of the model");
        t->rank = 2;
        t->dim[0] = c->na;
        t->dim[1] = c->nb;
    }
    return FB_OK;
}

fb_status fb_report_h5(fb_datasets *d, const fb_shapes *a, const fb_shapes *b,
                       const fb_correlation *c, int64_t nmodel, fb_err *e)
{
    FB_PASS(fb_new(&d->own, nmodel, sizeof *d->own, "groups of datasets", e));
    d->ngroup = nmodel;
    FB_PASS(fb_new(&d->array, nmodel * EACH, sizeof *d->array, "datasets", e));
    for (int64_t k = 0; k < nmodel; k++)
        FB_PASS(fill(d->own + k, k + 1, a + k, b + k, c + k, d->array, &d->n, e));
    return FB_OK;
}

void fb_datasets_free(fb_datasets *d)
{
    for (int64_t k = 0; d->own && k < d->ngroup; k++) {
        for (int q = 0; q < FB_NCRITERION; q++)
            free(d->own[k].table[q]);
        free(d->own[k].pair);
    }
    free(d->own);
    free(d->array);
    *d = (fb_datasets){0};
}
