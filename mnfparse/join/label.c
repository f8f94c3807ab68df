/* SPDX-License-Identifier: GPL-3.0-or-later */
/* label.c - which dof each row of an unlabelled matrix is. OUTPUT4 and OUTPUT2 matrices carry no
 * labels; the order of their rows stands in another table of the same file (USET with EQEXIN) or
 * in another file (EXTRN in the punch file of an external superelement). */
#include "memory.h"
#include "assemble.h"
#include <stdlib.h>
#include <string.h>

static int same(const fb_row_order *a, const fb_row_order *b)
{
    size_t bytes = (size_t)a->n * sizeof(int64_t);
    return a->n == b->n && !memcmp(a->dof.node, b->dof.node, bytes) &&
           !memcmp(a->dof.component, b->dof.component, bytes);
}

/* The order for a matrix of n rows from file `origin`; NULL with *rival set where two differ. */
static const fb_row_order *choose(const fb_parts *p, int64_t n, const char *origin,
                                  const fb_row_order **rival)
{
    const fb_row_order *best = NULL;
    *rival = NULL;
    for (int64_t k = 0; k < p->norder; k++) {
        const fb_row_order *t = p->order + k;
        if (t->n != n || (t->rank >= FB_RANK_DECK && (p->ntable || p->how.dofs_per_node)))
            continue; /* what the user says goes before what is made of points */
        int rank = strcmp(t->origin, origin) ? t->rank : -1;
        int held = best && strcmp(best->origin, origin) ? best->rank : -1;
        if (!best || rank < held) {
            best = t;
            *rival = NULL;
        } else if (rank == held && !same(best, t)) {
            *rival = t;
        }
    }
    return best;
}

static int by_dof(const void *a, const void *b)
{
    const int64_t *x = a, *y = b;
    return x[0] != y[0] ? (x[0] > y[0]) - (x[0] < y[0]) : (x[1] > y[1]) - (x[1] < y[1]);
}

typedef struct {
    int64_t *dof; /* [n,2] node, component; ascending */
    int64_t n;
} dofs;

/* The dofs of every set called QSET. */
static fb_status modal_dofs(const fb_parts *p, dofs *q, fb_err *e)
{
    int64_t n = 0;
    for (int64_t k = 0; k < p->nset; k++)
        if (!strcmp(p->set[k].name, "QSET") && p->set[k].component)
            n += p->set[k].n;
    FB_PASS(fb_new(&q->dof, n, 2 * sizeof *q->dof, "q-set", e));
    for (int64_t k = 0; k < p->nset; k++) {
        const fb_set *t = p->set + k;
        for (int64_t r = 0; !strcmp(t->name, "QSET") && t->component && r < t->n; r++) {
            q->dof[2 * q->n] = t->node[r];
            q->dof[2 * q->n++ + 1] = t->component[r];
        }
    }
    if (q->n)
        qsort(q->dof, (size_t)q->n, 2 * sizeof *q->dof, by_dof);
    return FB_OK;
}

static fb_status classify(fb_labels *l, int64_t n, const dofs *q, fb_err *e)
{
    fb_status s = FB_OK;
    if (!l->node || !l->component)
        return FB_OK;
    for (int64_t k = 0; k < n; k++) {
        int64_t dof[2] = {l->node[k], l->component[k]};
        int modal = dof[1] == 0 || (q->n && bsearch(dof, q->dof, (size_t)q->n, 2 * sizeof *q->dof,
                                                    by_dof) != NULL);
        if (!modal)
            continue;
        if (!l->class && (s = fb_new(&l->class, n, sizeof *l->class, "dof classes", e)) != FB_OK)
            return s;
        if (l->class[k] == FB_DOF_PHYSICAL)
            l->class[k] = FB_DOF_GENERALIZED;
    }
    return s;
}

/* Component 1 of a scalar point, whose list may stand in another file, is 0. */
static void scalar_points(const fb_nodelist *u, fb_labels *l, int64_t n)
{
    if (!l->node || !l->component)
        return;
    for (int64_t k = 0; u->n && k < n; k++)
        if (l->component[k] == 1 && fb_sorted_find(u->node, u->n, l->node[k]) >= 0)
            l->component[k] = 0;
}

/* Scalar points beside grid points are modal coordinates; a model of nothing but scalar points is
 * one of masses and springs. */
static int has_grids(const fb_labels *l, int64_t n)
{
    for (int64_t k = 0; l->component && k < n; k++)
        if (l->component[k] > 0)
            return 1;
    return 0;
}

fb_status fb_parts_label(fb_parts *p, fb_log *log, fb_err *e)
{
    dofs q = {0};
    fb_status s = FB_OK;
    int sets = p->nset > 0;
    for (int64_t k = 0; k < p->norder; k++)
        sets = sets || p->order[k].rank < FB_RANK_DECK;
    for (int64_t k = 0; p->norder && k < p->nmatrix; k++) {
        fb_matrix *m = p->matrix + k;
        const fb_row_order *rival, *t = choose(p, m->A.m, m->origin, &rival);
        if (m->A.m != m->A.n || m->row.node || !t)
            continue;
        if (rival) {
            if (m->role != FB_ROLE_UNKNOWN && m->role != FB_ROLE_OTHER)
                fb_warn(log,
                        "%s: %s of order %lld: %s of %s and %s of %s name its rows differently; "
                        "give one of them",
                        m->origin, m->name, (long long)m->A.m, t->name, t->origin, rival->name,
                        rival->origin);
            continue;
        }
        FB_TRY(fb_labels_copy(&m->row, &t->dof, t->n, e));
        fb_note(log, "%s: rows of %s named by %s of %s", m->origin, m->name, t->name, t->origin);
    }
    if (p->scalar.n)
        p->scalar.n = fb_unique(p->scalar.node, p->scalar.n);
    for (int64_t k = 0; k < p->nmatrix; k++) {
        scalar_points(&p->scalar, &p->matrix[k].row, p->matrix[k].A.m);
        scalar_points(&p->scalar, &p->matrix[k].col, p->matrix[k].A.n);
    }
    FB_TRY(modal_dofs(p, &q, e));
    for (int64_t k = 0; k < p->nmatrix; k++) {
        fb_matrix *m = p->matrix + k;
        if (sets || has_grids(&m->row, m->A.m))
            FB_TRY(classify(&m->row, m->A.m, &q, e));
        if (sets || has_grids(&m->col, m->A.n))
            FB_TRY(classify(&m->col, m->A.n, &q, e));
    }
    for (int64_t k = 0; k < p->norder; k++)
        FB_TRY(classify(&p->order[k].dof, p->order[k].n, &q, e));
out:
    free(q.dof);
    return s;
}
