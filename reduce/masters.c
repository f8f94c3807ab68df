/* SPDX-License-Identifier: GPL-3.0-or-later */
/* masters.c - the master dofs of Guyan, IRS and LSMR on full models.
 *
 * Where fewer are named than the order asks for, dofs are eliminated one by one until as many are
 * left:
 *   (MA.1) v_j = K_jj / M_jj        the square of the frequency at which dof j would answer alone
 *   (MA.2) the dof with the highest v_j goes: its inertia matters least, so its static condensation
 *          K := K - k k'/K_jj,  M := M + t m' + m t' + M_jj t t',  t = -k/K_jj,  k, m columns j
 *          without row j
 * A large model is first condensed to the dofs of nodes at even distances in the numbering.
 * Source   Henshell & Ong, Earthquake Eng. Struct. Dyn. 3 (1975) 375-383
 * Cost     above CANDIDATES dofs one factor and CANDIDATES solves; CANDIDATES^3 flops
 */
#include "memory.h"
#include "full.h"
#include <math.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

enum { CANDIDATES = 400 }; /* dense elimination of so many takes a tenth of a second */

/* Ratios closer than this are equal: of a regular mesh, summed in another order. The later dof
 * goes. */
static const double same_ratio = 1e-9;
/* What elimination leaves of a diagonal entry below this share is round-off: rigid motion of what
 * is left. */
static const double lost = 1e-12;

/* Named masters, and physical dofs with mass: all, or those of evenly spaced nodes. */
static fb_status candidates(const fb_full *f, const int64_t *named, int64_t nm, int64_t want,
                            int64_t **out, int64_t *n, fb_err *e)
{
    const fb_model *b = f->b;
    int64_t most = 4 * want > CANDIDATES ? 4 * want : CANDIDATES, total = 0, *c = NULL, nodes = 0,
            seen = 0;
    double *md = NULL;
    char *is = NULL;
    fb_status s = FB_OK;
    FB_TRY(fb_new(&md, f->n, 8, "diagonal of M", e));
    FB_TRY(fb_new(&is, f->n, 1, "masters", e));
    FB_TRY(fb_new(&c, f->n, 8, "candidates", e));
    fb_csc_diagonal(&f->M, md);
    for (int64_t k = 0; k < nm; k++)
        is[named[k]] = 1;
    for (int64_t j = 0; j < f->n; j++) {
        total += !is[j] && md[j] > 0 && b->dof_class[f->dof[j]] == FB_DOF_PHYSICAL;
        nodes += j == 0 || b->dof_node[f->dof[j]] != b->dof_node[f->dof[j - 1]];
    }
    int64_t every = total > most ? (total + most - 1) / most : 1;
    if (nm)
        memcpy(c, named, sizeof *c * (size_t)nm);
    *n = nm;
    for (int64_t j = 0; j < f->n; j++) {
        seen += j > 0 && b->dof_node[f->dof[j]] != b->dof_node[f->dof[j - 1]];
        if (!is[j] && md[j] > 0 && b->dof_class[f->dof[j]] == FB_DOF_PHYSICAL &&
            (seen % every == 0 || seen == nodes - 1))
            c[(*n)++] = j;
    }
    *out = c;
    c = NULL;
out:
    FB_FREE(md, is, c);
    return s;
}

/* K and M condensed to the candidates c [n]. */
static fb_status condense(const fb_full *f, const int64_t *c, int64_t n, fb_mat *K, fb_mat *M,
                          fb_err *e)
{
    fb_log quiet = {0};
    fb_full g = *f;
    fb_split t = {0};
    fb_statics st = {0};
    fb_mat Psi = {0};
    int64_t *b = NULL;
    fb_status s = FB_OK;
    g.log = &quiet;
    FB_TRY(fb_copy(&b, c, n, sizeof *b, "candidates", e));
    FB_TRY(fb_split_new_take(&t, &g, &b, n, e));
    FB_TRY(fb_statics_new(&st, &g, &t.K.Aii, &t.M.Aii, t.i, t.nmult, NULL, e));
    FB_TRY(fb_split_constraint(&t, &st, &Psi, e));
    FB_TRY(fb_blocks_congruence(&t.K, &Psi, K, e));
    s = fb_blocks_congruence(&t.M, &Psi, M, e);
out:
    fb_log_free(&quiet);
    fb_mat_free(&Psi);
    fb_statics_free(&st);
    fb_split_free(&t);
    free(b);
    return s;
}

/* (MA.2) of dof j; rows and columns of the dofs that are gone keep what they had. */
static void eliminate(fb_mat *K, fb_mat *M, int64_t j, const char *gone, double *t)
{
    int64_t n = K->n;
    double kj = K->x[j + j * n], mj = M->x[j + j * n];
    for (int64_t a = 0; a < n; a++)
        t[a] = gone[a] || a == j ? 0 : -K->x[a + j * n] / kj;
    for (int64_t c = 0; c < n; c++) {
        double tc = t[c], mc = gone[c] || c == j ? 0 : M->x[c + j * n];
        if (gone[c] || c == j)
            continue;
        for (int64_t a = 0; a < n; a++) {
            double ma = gone[a] || a == j ? 0 : M->x[a + j * n];
            K->x[a + c * n] += t[a] * K->x[c + j * n];
            M->x[a + c * n] += t[a] * mc + ma * tc + mj * t[a] * tc;
        }
    }
}

/* gone [K->n]: all but `want`; the first nm stay. */
static fb_status choose(fb_mat *K, fb_mat *M, int64_t nm, int64_t want, char *gone, fb_err *e)
{
    int64_t n = K->n;
    double *t = NULL, *first = NULL;
    fb_status s = FB_OK;
    FB_TRY(fb_new(&t, n, 8, "column", e));
    FB_TRY(fb_new(&first, n, 8, "diagonal", e));
    for (int64_t j = 0; j < n; j++)
        first[j] = K->x[j + j * n];
    for (int64_t left = n; left > want; left--) {
        int64_t top = -1;
        double most = 0;
        for (int64_t j = nm; j < n; j++) {
            double k = K->x[j + j * n], m = M->x[j + j * n];
            double v = k <= lost * first[j] ? 0 : m > 0 ? k / m : INFINITY; /* (MA.1) */
            if (!gone[j] && (top < 0 || v >= most * (1 - same_ratio))) {
                top = j;
                most = fmax(v, most);
            }
        }
        if (most > 0)
            eliminate(K, M, top, gone, t);
        gone[top] = 1;
    }
out:
    FB_FREE(t, first);
    return s;
}

/* m [want]: the named ones, and those that elimination leaves. */
static fb_status fill_up(const fb_full *f, int64_t *m, int64_t nm, int64_t want, fb_err *e)
{
    fb_mat K = {0}, M = {0};
    int64_t *c = NULL, n = 0, k = nm;
    char *gone = NULL, list[400];
    fb_status s = FB_OK;
    FB_TRY(candidates(f, m, nm, want, &c, &n, e));
    if (n < want)
        FB_TRY(fb_fail(e, FB_EUSAGE,
                       "order %lld, but the model has only %lld dofs that can be masters",
                       (long long)want, (long long)n));
    FB_TRY(fb_new(&gone, n, 1, "masters", e));
    FB_TRY(condense(f, c, n, &K, &M, e));
    FB_TRY(choose(&K, &M, nm, want, gone, e));
    for (int64_t j = nm; j < n; j++)
        if (!gone[j])
            m[k++] = c[j];
    fb_full_names(f, m + nm, want - nm, list, sizeof list);
    fb_note(f->log, "%lld masters chosen by the lowest K_jj/M_jj of %lld dofs:%s",
            (long long)(want - nm), (long long)n, list);
out:
    FB_FREE_BY(fb_mat_free, &K, &M);
    FB_FREE(c, gone);
    return s;
}

fb_status fb_full_masters(const fb_full *f, const char *method, int64_t **eq, int64_t *n,
                          int64_t *nnamed, fb_err *e)
{
    const fb_reduceopt *o = f->o;
    int64_t *m = NULL, *named = NULL, nm = 0;
    int free_choice = !o->masters && o->order >= 0;
    fb_status s = FB_OK;
    if (o->masters)
        FB_TRY(fb_full_named(f, "--masters", o->masters, &named, &nm, e));
    else if (fb_full_has_boundary(f) || !free_choice)
        FB_TRY(fb_full_boundary(f, &named, &nm, e));
    if (o->order < nm || !free_choice)
        FB_TRY(fb_order_of_masters(o, nm, method, e));
    int64_t want = o->order > nm ? o->order : nm;
    FB_TRY(fb_new(&m, want, 8, "masters", e));
    if (nm)
        memcpy(m, named, sizeof *m * (size_t)nm);
    if (want > nm)
        FB_TRY(fill_up(f, m, nm, want, e));
    *eq = m;
    *n = want;
    if (nnamed)
        *nnamed = nm;
    m = NULL;
out:
    FB_FREE(m, named);
    return s;
}

const fb_own fb_masters_options[] = {
    {"masters", FB_TEXT, offsetof(fb_reduceopt, masters), "LIST",
     "master dofs of Guyan, IRS and LSMR, written as --interface, which is the default", NULL},
    {0}};

fb_status fb_masters_alone(const fb_reduceopt *o, const char *method, fb_err *e)
{
    if (o->modes < 0 && !(o->fmax > 0))
        return FB_OK;
    return fb_fail(e, FB_EUSAGE,
                   "%s keeps no normal modes, %s has nothing to count; --cb N keeps some", method,
                   o->modes >= 0 ? "--modes" : "--fmax");
}
