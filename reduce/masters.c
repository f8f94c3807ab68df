/* SPDX-License-Identifier: GPL-3.0-or-later */
/* masters.c - the master dofs of Guyan and LSMR on full models.
 *
 * Where fewer are named than the order asks for, the rule of the lowest ratio fills up:
 *   (MA.1) v_j = K_jj / M_jj        the square of the frequency at which dof j would answer alone
 * A slave's inertia is neglected, which is the less wrong the higher v_j is. Among equal ratios, which a regular
 * mesh is full of, masters are taken at even distances.
 * Source   Henshell & Ong, Earthquake Eng. Struct. Dyn. 3 (1975) 375-383, without their elimination in between
 */
#include "full.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Ratios closer than this are equal: a regular mesh, summed in another order. */
static const double same_ratio = 1e-6;

typedef struct {
    double  v;
    int64_t eq;
} candidate;

static int by_ratio(const void *a, const void *b)
{
    const candidate *x = a, *y = b;
    if (x->v < y->v || x->v > y->v)
        return x->v < y->v ? -1 : 1;
    return (x->eq > y->eq) - (x->eq < y->eq);
}

static int by_equation(const void *a, const void *b)
{
    const candidate *x = a, *y = b;
    return (x->eq > y->eq) - (x->eq < y->eq);
}

/* (MA.1) of the physical dofs with mass that are no masters yet. */
static fb_status candidates(const fb_full *f, const int64_t *m, int64_t nm, candidate **out, int64_t *n, fb_err *e)
{
    candidate *c = NULL;
    double *kd = NULL, *md = NULL;
    fb_status s = FB_OK;
    FB_TRY(fb_new(&kd, f->n, 8, "diagonal of K", e));
    FB_TRY(fb_new(&md, f->n, 8, "diagonal of M", e));
    FB_TRY(fb_new(&c, f->n, sizeof *c, "candidates", e));
    fb_csc_diagonal(&f->K, kd);
    fb_csc_diagonal(&f->M, md);
    for (int64_t k = 0; k < nm; k++)
        md[m[k]] = 0;
    *n = 0;
    for (int64_t j = 0; j < f->n; j++)
        if (md[j] > 0 && f->b->dof_class[f->dof[j]] == FB_DOF_PHYSICAL)
            c[(*n)++] = (candidate){kd[j] / md[j], j};
    qsort(c, (size_t)*n, sizeof *c, by_ratio);
    *out = c;
    c = NULL;
out:
    free(kd);
    free(md);
    free(c);
    return s;
}

/* Appends the `want` best of n candidates to m [nm]. */
static int64_t pick(candidate *c, int64_t n, int64_t want, int64_t *m, int64_t nm)
{
    for (int64_t a = 0, z; a < n && want > 0; a = z) {
        for (z = a + 1; z < n && c[z].v - c[a].v <= same_ratio * fabs(c[a].v);)
            z++;
        int64_t k = z - a < want ? z - a : want;
        qsort(c + a, (size_t)(z - a), sizeof *c, by_equation);
        for (int64_t q = 0; q < k; q++) /* the middles of k equal shares */
            m[nm++] = c[a + (2 * q + 1) * (z - a) / (2 * k)].eq;
        want -= k;
    }
    return nm;
}

fb_status fb_full_masters(const fb_full *f, const char *method, int64_t **eq, int64_t *n, fb_err *e)
{
    const fb_reduceopt *o = f->o;
    int64_t *m = NULL, *named = NULL, nm = 0, nc = 0, free_choice = !o->masters && o->order >= 0;
    candidate *c = NULL;
    char list[400];
    fb_status s = FB_OK;
    if (o->masters)
        FB_TRY(fb_full_named(f, "--masters", o->masters, &named, &nm, e));
    else if (fb_full_has_boundary(f) || !free_choice)
        FB_TRY(fb_full_boundary(f, &named, &nm, e));
    if (o->order >= 0 && (o->order < nm || (!free_choice && o->order != nm))) {
        s = fb_fail(e, FB_EUSAGE, "order %lld, but %lld masters: the order of %s is the number of its masters; name %lld dofs "
                    "by --masters LIST, or leave the order out", (long long)o->order, (long long)nm, method, (long long)o->order);
        goto out;
    }
    int64_t want = o->order > nm ? o->order : nm;
    FB_TRY(fb_new(&m, want, 8, "masters", e));
    if (nm)
        memcpy(m, named, sizeof *m * (size_t)nm);
    if (want > nm) {
        FB_TRY(candidates(f, m, nm, &c, &nc, e));
        if (nc < want - nm) {
            s = fb_fail(e, FB_EUSAGE, "order %lld, but the model has only %lld dofs that can be masters", (long long)want,
                        (long long)(nm + nc));
            goto out;
        }
        int64_t first = nm;
        nm = pick(c, nc, want - nm, m, nm);
        fb_full_names(f, m + first, nm - first, list, sizeof list);
        fb_note(f->log, "%lld masters chosen by the lowest K_jj/M_jj:%s", (long long)(nm - first), list);
    }
    *eq = m;
    *n = nm;
    m = NULL;
out:
    free(m);
    free(named);
    free(c);
    return s;
}
