/* SPDX-License-Identifier: GPL-3.0-or-later */
/* labelled.c - matrices whose entries name their dofs: DMIG, as text and in OUTPUT2 files.
 *
 * Labels   A dof is a key, node * 8 + component; keys are numbered as they come.
 * Order    Rows and columns of the finished matrix ascend by node and component. */
#include "status.h"
#include "memory.h"
#include "nastran.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static fb_status number_of(nas_dmig *d, int64_t node, int64_t component, int64_t *number, fb_err *e)
{
    if (node < 0 || node > FB_NODE_MAX || (uint64_t)component > 6)
        return fb_fail(
            e, FB_EFORMAT,
            "there is no dof %lld.%lld: nodes are 1 to %lld, components 1 to 6, or 0 of a "
            "scalar point",
            (long long)node, (long long)component, (long long)FB_NODE_MAX);
    FB_PASS(fb_keys_behind(&d->dofs, d->last, 8 * node + component, &d->last, e));
    *number = d->last;
    return FB_OK;
}

/* ---- collecting ------------------------------------------------------------------------- */

nas_matrix *nas_dmig_find(const nas_dmig *d, const char *name)
{
    for (int64_t k = d->n - 1; k >= 0; k--)
        if (!strcmp(d->m[k].name, name))
            return d->m + k;
    return NULL;
}

fb_status nas_dmig_header(nas_dmig *d, const char *name, const int64_t head[5], fb_err *e)
{
    int64_t form = head[0], type = head[1];
    if (nas_dmig_find(d, name))
        return fb_fail(e, FB_EFORMAT, "DMIG %s: a second header", name);
    if (form != 1 && form != 2 && form != 6 && form != 9)
        return fb_fail(e, FB_EFORMAT,
                       "DMIG %s: form %lld; known are 1 square, 2 rectangular, 6 symmetric, 9 "
                       "rectangular with numbered columns",
                       name, (long long)form);
    if (type < 1 || type > 4)
        return fb_fail(e, FB_EFORMAT, "DMIG %s: type %lld; known are 1, 2 real and 3, 4 complex",
                       name, (long long)type);
    FB_PASS(fb_grow(&d->m, &d->cap, d->n + 1, sizeof *d->m, e));
    nas_matrix *m = d->m + d->n++;
    *m = (nas_matrix){.form = (int)form,
                      .type = (int)type,
                      .polar = head[3] > 0,
                      .ncol = head[4],
                      .g.complex = type > 2};
    snprintf(m->name, sizeof m->name, "%s", name);
    return FB_OK;
}

fb_status nas_dmig_column(nas_dmig *d, nas_matrix *m, int64_t node, int64_t component, fb_err *e)
{
    int64_t j = 0;
    if (m->form != 9) {
        FB_PASS(number_of(d, node, component, &j, e));
    } else {
        if (node < 0 || node > FB_NODE_MAX || component < 0 || component > 7)
            return fb_fail(e, FB_EFORMAT,
                           "DMIG %s: column %lld.%lld of a form 9 matrix is no number", m->name,
                           (long long)node, (long long)component);
        j = 8 * node + component;
    }
    /* One column may be written as several cards. */
    if (m->g.nrun == 0 || m->g.col[m->g.nrun - 1] != j)
        FB_PASS(fb_gather_column(&m->g, j, e));
    return FB_OK;
}

fb_status nas_dmig_entry(nas_dmig *d, nas_matrix *m, int64_t node, int64_t component, double a,
                         double b, fb_err *e)
{
    int64_t i = 0;
    FB_PASS(number_of(d, node, component, &i, e));
    fb_gather *g = &m->g;
    if (g->n == g->cap_i || g->n == g->cap_x || (g->complex && g->n == g->cap_im))
        FB_PASS(fb_gather_room(g, 1, e));
    g->i[g->n] = i;
    if (m->polar) {
        double phase = b * 3.14159265358979323846 / 180;
        b = a * sin(phase);
        a *= cos(phase);
    }
    g->x[g->n] = a;
    if (g->complex)
        g->im[g->n] = b;
    g->n++;
    return FB_OK;
}

void nas_dmig_free(nas_dmig *d)
{
    for (int64_t k = 0; k < d->n; k++)
        fb_gather_free(&d->m[k].g);
    free(d->m);
    fb_keys_free(&d->dofs);
    *d = (nas_dmig){0};
}

/* ---- finishing -------------------------------------------------------------------------- */

typedef struct {
    int64_t *key;    /* [n] ascending: all dofs of the file */
    int64_t *rank;   /* [dofs.n] place of dof number d in key */
    int64_t n, ndof; /* ndof: dofs.n */
    int64_t *local;  /* [n] work: place in one matrix + 1 */
} numbering;

/* A scalar point is component 0; files write 1 for it, too, and both in one file. */
static fb_status number(const fb_keys *d, const int64_t *spoint, int64_t ns, numbering *u,
                        fb_err *e)
{
    int64_t *zero = NULL, nzero = 0;
    fb_status s = FB_OK;
    FB_TRY(fb_new(&u->key, d->n, sizeof *u->key, "dofs", e));
    FB_TRY(fb_new(&u->rank, d->n, sizeof *u->rank, "dofs", e));
    FB_TRY(fb_new(&zero, d->n, sizeof *zero, "dofs", e));
    for (int64_t k = 0; k < d->n; k++)
        if (d->key[k] % 8 == 0)
            zero[nzero++] = d->key[k] / 8;
    nzero = fb_unique(zero, nzero);
    for (int64_t k = 0; k < d->n; k++) {
        int64_t node = d->key[k] / 8;
        int scalar = d->key[k] % 8 == 1 && (fb_sorted_find(zero, nzero, node) >= 0 ||
                                            fb_sorted_find(spoint, ns, node) >= 0);
        u->key[k] = d->key[k] - scalar;
        u->rank[k] = u->key[k];
    }
    u->ndof = d->n;
    u->n = fb_unique(u->key, d->n);
    for (int64_t k = 0; k < d->n; k++)
        u->rank[k] = fb_sorted_find(u->key, u->n, u->rank[k]);
    FB_TRY(fb_new(&u->local, u->n, sizeof *u->local, "dofs", e));
out:
    free(zero);
    return s;
}

/* Labels of the dofs marked in u->local, which becomes their places. */
static fb_status label(numbering *u, fb_labels *l, int64_t *n, fb_err *e)
{
    int64_t k = 0, q = 0;
    for (int64_t r = 0; r < u->n; r++)
        k += u->local[r] != 0;
    FB_PASS(fb_labels_new(l, k, 0, e));
    for (int64_t r = 0; r < u->n; r++)
        if (u->local[r]) {
            l->node[q] = u->key[r] / 8;
            l->component[q] = u->key[r] % 8;
            u->local[r] = q++;
        }
    *n = k;
    return FB_OK;
}

static fb_status mark_rows(numbering *u, const fb_gather *g, fb_err *e)
{
    char *seen = NULL;
    FB_PASS(fb_new(&seen, u->ndof, 1, "dofs", e));
    for (int64_t q = 0; q < g->n; q++)
        seen[g->i[q]] = 1;
    memset(u->local, 0, (size_t)u->n * sizeof *u->local);
    for (int64_t d = 0; d < u->ndof; d++)
        if (seen[d])
            u->local[u->rank[d]] = 1;
    free(seen);
    return FB_OK;
}

static void mark_columns(numbering *u, const fb_gather *g)
{
    for (int64_t r = 0; r < g->nrun; r++)
        u->local[u->rank[g->col[r]]] = 1;
}

/* Form 9: columns have numbers (or keys that only order them); the empty ones are not written. */
static fb_status numbered_columns(fb_gather *g, fb_labels *l, int64_t *n, fb_err *e)
{
    int64_t *key = NULL, k = g->nrun;
    fb_status s = FB_OK;
    FB_TRY(fb_new(&key, g->nrun, sizeof *key, "columns", e));
    for (int64_t r = 0; r < g->nrun; r++)
        key[r] = g->col[r];
    k = fb_unique(key, k);
    FB_TRY(fb_labels_new(l, k, 0, e));
    for (int64_t c = 0; c < k; c++) {
        l->node[c] = key[c] / 8;
        l->component[c] = key[c] % 8;
    }
    for (int64_t r = 0; r < g->nrun; r++)
        g->col[r] = fb_sorted_find(key, k, g->col[r]);
    *n = k;
out:
    free(key);
    return s;
}

/* Rows and columns of g become places; the labels go to M. */
static fb_status place(numbering *u, nas_matrix *m, fb_matrix *M, int64_t *nr, int64_t *nc,
                       fb_err *e)
{
    fb_gather *g = &m->g;
    int square = m->form == 1 || m->form == 6;
    int32_t *row = NULL;
    fb_status s = FB_OK;
    FB_TRY(mark_rows(u, g, e));
    if (square)
        mark_columns(u, g);
    FB_TRY(label(u, &M->row, nr, e));
    /* Two look-ups in one, for the entries are many more than the dofs. */
    FB_TRY(fb_new(&row, u->ndof, sizeof *row, "dofs", e));
    for (int64_t d = 0; d < u->ndof; d++)
        row[d] = (int32_t)u->local[u->rank[d]];
    for (int64_t q = 0; q < g->n; q++)
        g->i[q] = row[g->i[q]];
    if (m->form == 9) {
        FB_TRY(numbered_columns(g, &M->col, nc, e));
    } else {
        if (!square) {
            memset(u->local, 0, (size_t)u->n * sizeof *u->local);
            mark_columns(u, g);
            FB_TRY(label(u, &M->col, nc, e));
        }
        for (int64_t r = 0; r < g->nrun; r++)
            g->col[r] = u->local[u->rank[g->col[r]]];
    }
    if (square)
        *nc = *nr;
out:
    free(row);
    return s;
}

/* VAX (and MATV of an OUTPUT2 directory): one column of ones over the a-set. */
static fb_status a_set(const fb_matrix *M, int form, const char *origin, fb_parts *p, fb_err *e)
{
    fb_row_order *t = NULL;
    if (form != 9 || M->A.n != 1 || (strcmp(M->name, "VAX") && strcmp(M->name, "MATV")))
        return FB_OK;
    for (int64_t q = 0; q < M->A.p[1]; q++)
        if (M->A.x[q] != 1)
            return FB_OK;
    FB_PASS(fb_parts_order(p, M->name, origin, 1, &t, e));
    t->n = M->A.m;
    return fb_labels_copy(&t->dof, &M->row, t->n, e);
}

static fb_status finish_one(numbering *u, nas_matrix *m, const char *origin, fb_parts *p,
                            fb_log *log, fb_err *e)
{
    const int square = m->form == 1 || m->form == 6;
    fb_matrix *M = NULL;
    int64_t nr = 0, nc = 0, stored = m->g.n;
    FB_PASS(fb_parts_matrix(p, m->name, origin, nas_role(m->name, square), &M, e));
    FB_PASS(place(u, m, M, &nr, &nc, e));
    fb_status s = fb_gather_finish(&m->g, nr, nc, m->form == 6, &M->A, &M->imag, e);
    if (s == FB_EFORMAT) {
        fb_clash c = m->g.clash;
        const fb_labels *l = square ? &M->row : &M->col;
        return fb_fail(e, FB_EFORMAT,
                       "DMIG %s: row %s, column %s is given twice, %.10g and %.10g%s", m->name,
                       fb_name_of(M->row.node[c.i], M->row.component[c.i]).s,
                       fb_name_of(l->node[c.j], l->component[c.j]).s, c.a, c.b,
                       m->form == 6 ? ": the halves of a symmetric matrix must agree" : "");
    }
    if (s)
        return s;
    M->stored = stored;
    if (m->g.united)
        fb_warn(
            log,
            "%s: DMIG %s: %lld entries are given twice and differ by rounding; the mean is taken",
            origin, m->name, (long long)m->g.united);
    FB_PASS(a_set(M, m->form, origin, p, e));
    fb_note(log, "%s: DMIG %s form %d, %lld by %lld, %lld entries", origin, m->name, m->form,
            (long long)nr, (long long)nc, (long long)stored);
    return FB_OK;
}

fb_status nas_dmig_finish(nas_dmig *d, const int64_t *spoint, int64_t n, const char *origin,
                          fb_parts *p, fb_log *log, fb_err *e)
{
    numbering u = {0};
    fb_status s = FB_OK;
    if (d->n == 0)
        return FB_OK;
    FB_TRY(number(&d->dofs, spoint, n, &u, e));
    for (int64_t k = 0; k < d->n; k++) {
        FB_TRY(finish_one(&u, d->m + k, origin, p, log, e));
        fb_gather_free(&d->m[k].g);
    }
out:
    FB_FREE(u.key, u.rank, u.local);
    return s;
}
