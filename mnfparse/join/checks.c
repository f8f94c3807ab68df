/* SPDX-License-Identifier: GPL-3.0-or-later */
/* checks.c - what is worth knowing about single dofs before anything is solved.
 *
 * Nothing is compared with an absolute size, but for the penalty 1e36 by which Abaqus writes
 * supports: in mm, t and s a mass of 1e-16 is as good as any. */
#include "memory.h"
#include "assemble.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define PENALTY       1e35 /* on a diagonal of K: a support, whatever the units */
#define PENALTY_RATIO 1e20 /* over the median diagonal: the same in other programs */

enum { ANY = 1, OFF = 2 }; /* entries in the row; entries off the diagonal */

typedef struct {
    unsigned char *in[FB_LOADED]; /* [n] */
    double *diag[FB_LOADED];      /* [n] */
    double median, mmax;
    int joined; /* some rows are joined: else all are modes, and w^2 = 1 may be one of them */
} rows;

static fb_status scan(const fb_join *j, rows *r, fb_err *e)
{
    for (int k = 0; k < FB_LOADED; k++) {
        const fb_csc *A = j->A + k;
        FB_PASS(fb_new(r->in + k, j->n, 1, "row marks", e));
        FB_PASS(fb_new(r->diag + k, j->n, 8, "diagonals", e));
        unsigned char *in = r->in[k];
        for (int64_t c = 0; A->p && c < j->n; c++) {
            int64_t off = A->p[c + 1] - A->p[c];
            for (int64_t q = A->p[c]; q < A->p[c + 1]; q++)
                if (A->i[q] == c) {
                    in[c] |= ANY;
                    r->diag[k][c] = A->x[q];
                    off--;
                } else {
                    in[A->i[q]] = ANY | OFF;
                }
            if (off)
                in[c] = ANY | OFF;
        }
    }
    return FB_OK;
}

static int by_value(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static fb_status scales(const fb_join *j, rows *r, fb_err *e)
{
    double *d = NULL;
    int64_t m = 0;
    FB_PASS(fb_new(&d, j->n, 8, "diagonal of K", e));
    for (int64_t k = 0; k < j->n; k++) {
        if (r->diag[FB_K][k] > 0 && r->diag[FB_K][k] < PENALTY)
            d[m++] = r->diag[FB_K][k];
        r->mmax = fmax(r->mmax, fabs(r->diag[FB_M][k]));
        r->joined |= (r->in[FB_K][k] & OFF) != 0;
    }
    qsort(d, (size_t)m, sizeof *d, by_value);
    r->median = m ? d[m / 2] : 1;
    free(d);
    return FB_OK;
}

static fb_status find(fb_join *j, fb_checkkind kind, int64_t d, double value, fb_err *e)
{
    fb_model *b = j->b;
    FB_PASS(fb_grow(&b->check_kind, &j->cap_check[0], b->nk + 1, 8, e));
    FB_PASS(fb_grow(&b->check_node, &j->cap_check[1], b->nk + 1, 8, e));
    FB_PASS(fb_grow(&b->check_component, &j->cap_check[2], b->nk + 1, 8, e));
    FB_PASS(fb_grow(&b->check_value, &j->cap_check[3], b->nk + 1, 8, e));
    b->check_kind[b->nk] = kind;
    b->check_node[b->nk] = j->node[d];
    b->check_component[b->nk] = j->component[d];
    b->check_value[b->nk++] = value;
    return FB_OK;
}

/* A row by itself with ones in K and M: a constraint where others are joined. */
static int is_unit(const fb_join *j, const rows *r, int64_t d)
{
    return r->joined && r->in[FB_K][d] == ANY && r->in[FB_M][d] == ANY && !r->in[FB_D][d] &&
           fabs(r->diag[FB_K][d] - 1) <= 0 && fabs(r->diag[FB_M][d] - 1) <= 0 &&
           j->class[d] == FB_DOF_PHYSICAL;
}

/* The kind of dof d, or -1. */
static int kind_of(fb_join *j, const rows *r, int64_t d, double *value)
{
    const double k = r->diag[FB_K][d], m = r->diag[FB_M][d];
    const int in_k = r->in[FB_K][d], in_m = r->in[FB_M][d], in_d = r->in[FB_D][d];
    const int has_m = j->A[FB_M].p != NULL;
    *value = 0;
    if (j->class[d] == FB_DOF_FIXED && !(in_k & OFF) && k < PENALTY) /* as its reader says */
        return FB_CHECK_HELD;
    if (!in_k && !in_m && !in_d)
        return FB_CHECK_NULL;
    if (j->class[d] != FB_DOF_GENERALIZED && (k >= PENALTY || k > PENALTY_RATIO * r->median)) {
        *value = k / r->median;
        return FB_CHECK_SUPPORT;
    }
    if (m < 0 || (m <= 0 && in_m)) {
        *value = r->mmax > 0 ? m / r->mmax : 0;
        return FB_CHECK_NEGATIVE;
    }
    if (is_unit(j, r, d))
        return FB_CHECK_UNIT;
    if (has_m && !in_m && in_k)
        return (in_k & OFF) && k <= 0 && j->class[d] != FB_DOF_GENERALIZED ? FB_CHECK_MULTIPLIER
                                                                           : FB_CHECK_MASSLESS;
    return -1;
}

static const struct {
    const char *one, *many; /* behind the number */
    int warn;
} says[FB_NCHECK] = {
    [FB_CHECK_NULL] = {"dof has neither stiffness nor mass and is left out",
                       "dofs have neither stiffness nor mass and are left out", 1},
    [FB_CHECK_SUPPORT] = {"dof is held by a huge diagonal: left out of all matrices",
                          "dofs are held by huge diagonals: left out of all matrices", 1},
    [FB_CHECK_MASSLESS] = {"dof has no mass", "dofs have no mass", 0},
    [FB_CHECK_NEGATIVE] = {"dof has a negative mass", "dofs have a negative mass", 1},
    [FB_CHECK_UNIT] = {"dof has a one on both diagonals and nothing else: held (it would show as a "
                       "mode of 0.159 Hz), left out of all matrices",
                       "dofs have a one on both diagonals and nothing else: held (they would show "
                       "as modes of 0.159 Hz), left out of all matrices",
                       1},
    [FB_CHECK_PART] = {"dof is in a part that nothing joins to the rest",
                       "dofs are in parts that nothing joins to the rest", 1},
    [FB_CHECK_HELD] = {"dof is held in the input: left out of all matrices",
                       "dofs are held in the input: left out of all matrices", 0},
    [FB_CHECK_MULTIPLIER] = {"dof is a constraint multiplier", "dofs are constraint multipliers",
                             0},
};

static void say(fb_join *j, int kind, int64_t count, const char *list)
{
    const char *text = count == 1 ? says[kind].one : says[kind].many;
    if (!count)
        return;
    if (says[kind].warn)
        fb_warn(j->log, "%lld %s:%s", (long long)count, text, list);
    else
        fb_note(j->log, "%lld %s:%s", (long long)count, text, list);
}

static void clear_diagonals(fb_join *j, int64_t d)
{
    for (int k = 0; k < FB_NROLE; k++)
        for (int64_t q = j->A[k].p ? j->A[k].p[d] : 0; j->A[k].p && q < j->A[k].p[d + 1]; q++)
            j->A[k].x[q] = 0;
}

static fb_status dofs(fb_join *j, const rows *r, fb_err *e)
{
    int64_t count[FB_NCHECK] = {0};
    char list[FB_NCHECK][200] = {""};
    for (int64_t d = 0; d < j->n; d++) {
        double value = 0;
        if (j->slave && j->slave[d]) {
            j->leave[d] = 1;
            continue;
        }
        int kind = kind_of(j, r, d, &value);
        if (kind < 0)
            continue;
        FB_PASS(find(j, (fb_checkkind)kind, d, value, e));
        fb_name_list(list[kind], sizeof list[kind], count[kind]++, j->node[d], j->component[d]);
        if (kind == FB_CHECK_MULTIPLIER)
            j->class[d] = FB_DOF_MULTIPLIER;
        if (kind == FB_CHECK_SUPPORT || kind == FB_CHECK_UNIT)
            j->class[d] = FB_DOF_FIXED;
        if (kind == FB_CHECK_UNIT) /* neither stiffness nor weight of the body */
            clear_diagonals(j, d);
        j->leave[d] = kind == FB_CHECK_NULL || kind == FB_CHECK_SUPPORT || kind == FB_CHECK_UNIT ||
                      kind == FB_CHECK_HELD;
    }
    for (int kind = 0; kind < FB_NCHECK; kind++)
        say(j, kind, count[kind], list[kind]);
    return FB_OK;
}

/* Dofs that follow others have no rows in what a solver condensed. */
static fb_status ties(const fb_join *j, const rows *r, fb_err *e)
{
    const fb_labels *t = &j->p->tied;
    fb_ranked *have = NULL;
    char list[200] = "", *seen = NULL;
    int64_t count = 0;
    fb_status s = FB_OK;
    if (!j->p->ntied)
        return FB_OK;
    FB_TRY(fb_ranked_new(&have, j->node, j->component, j->n, e));
    FB_TRY(fb_new(&seen, j->n, 1, "dof marks", e));
    for (int64_t k = 0; k < j->p->ntied; k++) {
        const int64_t d = fb_ranked_find(have, j->n, t->node[k], t->component[k]);
        if (d < 0 || seen[d]++ || !(r->in[FB_K][d] || r->in[FB_M][d]))
            continue;
        fb_name_list(list, sizeof list, count++, j->node[d], j->component[d]);
    }
    if (count)
        fb_warn(j->log,
                "%lld dof%s by MPC or rigid elements, and the matrices have rows of %s all the "
                "same: they are of the g-set, before the solver applied these, and nothing ties "
                "the body's dofs by them; export KAA and MAA (EXTSEOUT), or KNN and MNN:%s",
                (long long)count, count > 1 ? "s follow others" : " follows others",
                count > 1 ? "them" : "it", list);
out:
    FB_FREE(have, seen);
    return s;
}

/* ---- parts that nothing joins ----------------------------------------------------------- */

/* Union-find over nodes: the dofs of a node are one vertex, for a straight beam's bending does not
 * touch its stretching. Dofs whose label is not their own are vertices of their own. */
typedef struct {
    int64_t *vertex;   /* [n] of a dof */
    int64_t *up;       /* [n] parent of a vertex */
    int64_t *size;     /* [n] dofs in the tree of a root */
    int64_t *number;   /* [n] of the part of a root, 0: none yet */
    double *sum, *abs; /* [n] K e and |K| e, e = 1 everywhere; of a root: the largest of its part */
} forest;

static int64_t root(forest *f, int64_t v)
{
    while (f->up[v] != v) {
        f->up[v] = f->up[f->up[v]];
        v = f->up[v];
    }
    return v;
}

static void join(forest *f, int64_t a, int64_t b)
{
    if (f->up[a] == f->up[b]) /* nearly always, once a few are joined */
        return;
    a = root(f, a);
    b = root(f, b);
    if (a < b)
        f->up[b] = a;
    else
        f->up[a] = b;
}

static fb_status plant(const fb_join *j, forest *f, fb_err *e)
{
    fb_ranked *t = NULL;
    fb_status s = FB_OK;
    FB_TRY(fb_new(&f->vertex, j->n, 8, "parts", e));
    FB_TRY(fb_new(&f->up, j->n, 8, "parts", e));
    FB_TRY(fb_new(&f->size, j->n, 8, "parts", e));
    FB_TRY(fb_new(&f->number, j->n, 8, "parts", e));
    FB_TRY(fb_ranked_new(&t, j->node, NULL, j->n, e));
    for (int64_t k = 0; k < j->n; k++) {
        int64_t d = t[k].at, before = k ? t[k - 1].at : -1;
        int one = before >= 0 && j->node[before] == j->node[d] && !j->repeated[d] &&
                  !j->repeated[before] && j->component[d] != 0 && j->component[before] != 0;
        f->vertex[d] = one ? f->vertex[before] : d;
        f->up[d] = d;
    }
    for (int k = 0; k < FB_NROLE; k++)
        for (int64_t c = 0; j->A[k].p && c < j->n; c++) {
            int64_t last = -1; /* the dofs of a node stand together */
            for (int64_t q = j->A[k].p[c]; q < j->A[k].p[c + 1]; q++) {
                const int64_t v = f->vertex[j->A[k].i[q]];
                if (v != last)
                    join(f, f->vertex[c], v);
                last = v;
            }
        }
out:
    free(t);
    return s;
}

/* (K e)_d and (|K| e)_d, then their largest in each part: a part that K e = 0 is free to float. */
static fb_status sums(const fb_join *j, forest *f, fb_err *e)
{
    const fb_csc *K = &j->A[FB_K];
    FB_PASS(fb_new(&f->sum, j->n, 8, "parts", e));
    FB_PASS(fb_new(&f->abs, j->n, 8, "parts", e));
    for (int64_t c = 0; c < j->n; c++) {
        double sum = f->sum[c], size = f->abs[c];
        for (int64_t q = K->p[c]; q < K->p[c + 1]; q++) {
            const double x = K->x[q];
            sum += x;
            size += fabs(x);
            if (K->i[q] == c)
                continue;
            f->sum[K->i[q]] += x;
            f->abs[K->i[q]] += fabs(x);
        }
        f->sum[c] = sum;
        f->abs[c] = size;
    }
    for (int64_t d = 0; d < j->n; d++) {
        int64_t t = root(f, f->vertex[d]);
        f->sum[t] = t == d ? fabs(f->sum[d]) : fmax(fabs(f->sum[t]), fabs(f->sum[d]));
        f->abs[t] = fmax(f->abs[t], f->abs[d]);
    }
    return FB_OK;
}

/* A lone modal coordinate is no part of a structure. */
static int counts(const fb_join *j, int64_t d)
{
    return !j->leave[d] && j->class[d] != FB_DOF_GENERALIZED;
}

/* Rows without component may belong to one node, so that bending and stretching of a beam are two
 * parts: they are worth a warning where a part floats. */
static int suspect(const fb_join *j, const forest *f, int64_t d, int64_t t)
{
    return j->component[d] != 0 || f->sum[t] <= 1e-9 * f->abs[t];
}

static fb_status parts(fb_join *j, fb_err *e)
{
    forest f = {0};
    int64_t largest = -1, count = 0, n = 1;
    char list[200] = "";
    fb_status s = FB_OK;
    FB_TRY(plant(j, &f, e));
    FB_TRY(sums(j, &f, e));
    for (int64_t d = 0; d < j->n; d++)
        f.size[root(&f, f.vertex[d])] += counts(j, d);
    for (int64_t d = 0; d < j->n; d++)
        if (f.size[d] && (largest < 0 || f.size[d] > f.size[largest]))
            largest = d;
    for (int64_t d = 0; d < j->n; d++) {
        int64_t t = root(&f, f.vertex[d]);
        if (t == largest || !counts(j, d))
            continue;
        if (!f.number[t])
            f.number[t] = ++n;
        FB_TRY(find(j, FB_CHECK_PART, d, (double)f.number[t], e));
        if (suspect(j, &f, d, t))
            fb_name_list(list, sizeof list, count++, j->node[d], j->component[d]);
    }
    say(j, FB_CHECK_PART, count, list);
out:
    FB_FREE(f.vertex, f.up, f.size, f.number, f.sum, f.abs);
    return s;
}

fb_status fb_join_checks(fb_join *j, fb_err *e)
{
    rows r = {0};
    fb_status s = FB_OK;
    FB_TRY(fb_new(&j->leave, j->n, 1, "dof marks", e));
    FB_TRY(scan(j, &r, e));
    FB_TRY(scales(j, &r, e));
    FB_TRY(dofs(j, &r, e));
    FB_TRY(ties(j, &r, e));
    FB_TRY(parts(j, e));
    if (!j->b->nk) { /* present and empty: checked, nothing found */
        FB_TRY(fb_new(&j->b->check_kind, 0, 8, "checks", e));
        FB_TRY(fb_new(&j->b->check_node, 0, 8, "checks", e));
        FB_TRY(fb_new(&j->b->check_component, 0, 8, "checks", e));
        FB_TRY(fb_new(&j->b->check_value, 0, 8, "checks", e));
    }
out:
    for (int k = 0; k < FB_LOADED; k++)
        FB_FREE(r.in[k], r.diag[k]);
    return s;
}
