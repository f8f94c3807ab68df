/* SPDX-License-Identifier: GPL-3.0-or-later */
/* stress.c - stress and strain that files of results print of their shapes, modes and static
 * answers: of a modal body's own modes, or beside a full model (mnfparse --stress).
 *
 * Sets      k dofs of the model that the shapes name, u those that they do not: rotations of
 *           solids, frames, internal nodes
 * Equations
 *   (SX.1) Kuu s_u = -Kuk s_k      static extension: no load acts on them
 *   (SX.2) min |Gau s_u - (s_a - Gak s_k)|   where u is a frame: rows a of the input's dofs x = G x
 *          that follow it and that the shapes name. Taken before (SX.1), which a load on the frame
 *          makes wrong, where the rows tell s_u and fit: what follows did move as the frame
 *          makes it
 */
#include "stress.h"
#include "join/assemble.h"
#include "linalg/dense.h"
#include "linalg/factor.h"
#include "linalg/sparse_ops.h"
#include "memory.h"
#include "parts.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Places of one node in two files, in shares of the box: six digits, and some. */
static const double same_place = 1e-4;

fb_status fb_result_begin(fb_parts *p, int64_t number, int still, fb_err *e)
{
    for (int w = 0; w < FB_NRESULT; w++) {
        fb_modes *x = p->result + w;
        FB_PASS(fb_modes_begin(x, number, 0, 0, e));
        x->mode[x->n - 1].still = still;
    }
    return FB_OK;
}

fb_status fb_result_row(fb_parts *p, fb_result what, int64_t node, const double v[6], fb_err *e)
{
    fb_modes *x = p->result + what;
    const int wanted = p->stressed || (what == FB_STRESS && !x->mode[x->n - 1].still);
    return wanted ? fb_modes_row(x, node, v, e) : FB_OK;
}

static int64_t rows_of(const fb_modes *x, int64_t k)
{
    return (k + 1 < x->n ? x->mode[k + 1].first : x->nrow) - x->mode[k].first;
}

/* The shapes to keep of one result, [nn,6] each over the nodes of b, all of which every one has. */
static fb_status chosen(const fb_modes *x, const char *keep, const char *what, fb_model *b,
                        fb_err *e)
{
    fb_modes y = {0};
    fb_log quiet = {0};
    fb_status s = FB_OK;
    for (int64_t k = 0; k < x->n; k++) {
        const fb_mode_head *m = x->mode + k;
        if (!keep[k])
            continue;
        FB_TRY(fb_modes_begin(&y, m->number, 0, 0, e));
        for (int64_t r = m->first; r < m->first + rows_of(x, k); r++)
            FB_TRY(fb_modes_row(&y, x->node[r], x->v + 6 * r, e));
    }
    const int64_t n = y.n, all = y.nrow;
    FB_TRY(fb_modes_fill(&y, b, &quiet, e));
    if (all != n * b->nn)
        s = fb_fail(e, FB_EFORMAT,
                    "the %s of its shapes is not at the same nodes: print it of all of them", what);
out:
    fb_log_free(&quiet);
    fb_modes_free(&y);
    return s;
}

/* ---- of a body that is its modes ---------------------------------------------------------- */

fb_status fb_result_body(fb_parts *p, fb_model *b, fb_log *log, fb_err *e)
{
    const fb_modes *x = p->result + FB_STRESS;
    fb_model m = {0};
    char *keep = NULL;
    int64_t modes = 0, stressed = 0;
    fb_status s = FB_OK;
    FB_TRY(FB_NEW(&keep, x->n, e));
    for (int64_t k = 0; k < x->n; k++) {
        keep[k] = !x->mode[k].still;
        modes += keep[k];
        stressed += keep[k] && rows_of(x, k);
    }
    if (!stressed || b->stress || b->shape_imag)
        goto out;
    if (modes != b->nm || stressed < modes) {
        fb_note(log, "%lld of %lld modes come with their stress: it is left out",
                (long long)stressed, (long long)b->nm);
        goto out;
    }
    FB_TRY(chosen(x, keep, "stress", &m, e));
    b->ns = m.nn;
    b->stress_node = m.node_id;
    b->stress = m.shape;
    m.node_id = NULL;
    m.shape = NULL;
out:
    free(keep);
    fb_model_free(&m);
    return s;
}

/* A modal body with stress (.mnf) as results, in units of `to`. */
static fb_status of_body(fb_parts *p, const fb_units *to, fb_err *e)
{
    fb_model *b = &p->body;
    if (p->result->n || !b->stress || !b->shape || b->shape_imag)
        return FB_OK;
    if (b->units.name[0][0] && to->name[0][0])
        FB_PASS(fb_model_convert(b, to, e));
    for (int64_t k = 0; k < b->nm; k++) {
        FB_PASS(fb_result_begin(p, b->mode_number ? b->mode_number[k] : k + 1, 0, e));
        for (int64_t q = 0; q < b->nn; q++)
            FB_PASS(fb_result_row(p, FB_MOVED, b->node_id[q], b->shape + 6 * (k * b->nn + q), e));
        for (int64_t q = 0; q < b->ns; q++)
            FB_PASS(
                fb_result_row(p, FB_STRESS, b->stress_node[q], b->stress + 6 * (k * b->ns + q), e));
    }
    return FB_OK;
}

/* ---- beside a full model ------------------------------------------------------------------ */

/* What is kept: shapes with displacements and stress, or strain; 1 in has[w] where all have it. */
static fb_status keep_whole(const fb_parts *p, char *keep, int has[FB_NRESULT], fb_log *log,
                            fb_err *e)
{
    const fb_modes *x = p->result;
    int64_t n = 0;
    if (!x->n)
        return fb_fail(e, FB_EFORMAT,
                       "no stress in it that is read%s%s: CalculiX' .frd, universal files (55, "
                       "2414), Nastran OUTPUT2 (OES1X1 of solids) and .mnf files bring it; of a "
                       "file of matrices FILE:SHAPES,STRESS,LIST names them",
                       p->body.format[0] ? " from files of format " : "", p->body.format);
    for (int w = 0; w < FB_NRESULT; w++)
        has[w] = 1;
    for (int64_t k = 0; k < x->n; k++) {
        keep[k] = rows_of(x, k) && (rows_of(x + FB_STRESS, k) || rows_of(x + FB_STRAIN, k));
        n += keep[k];
        for (int w = 0; keep[k] && w < FB_NRESULT; w++)
            has[w] = has[w] && rows_of(x + w, k);
    }
    if (!n || !(has[FB_STRESS] || has[FB_STRAIN]))
        return fb_fail(e, FB_EFORMAT,
                       n ? "some of its shapes have stress alone, others strain: print one of both "
                           "of all of them"
                         : "no shape with its displacements and its stress at nodes: let the "
                           "program print both (CalculiX: *NODE FILE U, *EL FILE S)");
    if (n < x->n)
        fb_warn(log, "%lld of %lld shapes come without their stress: left out",
                (long long)(x->n - n), (long long)x->n);
    return FB_OK;
}

/* The nodes of the file are where the model has them. */
static fb_status same_places(const fb_parts *p, const fb_model *b, fb_err *e)
{
    fb_index x = {0};
    fb_status s = FB_OK;
    if (!b->xyz || !b->node_id)
        return FB_OK;
    const double most = same_place * fb_box_diagonal(b->xyz, b->nn);
    FB_TRY(fb_index_new(&x, b->node_id, b->nn, "/nodes/id", e));
    for (int64_t k = 0; !s && k < p->nn; k++) {
        const int64_t q = fb_index_find(&x, p->node_id[k]);
        const double *u = p->xyz + 3 * k, *v = b->xyz + 3 * q;
        if (q >= 0 && !(hypot(hypot(u[0] - v[0], u[1] - v[1]), u[2] - v[2]) <= most))
            s = fb_fail(e, FB_EFORMAT,
                        "node %lld is at %.6g %.6g %.6g, the model has it at %.6g %.6g %.6g: "
                        "results of another model, or in other units",
                        (long long)p->node_id[k], u[0], u[1], u[2], v[0], v[1], v[2]);
    }
out:
    fb_index_free(&x);
    return s;
}

/* Shapes along the nodes' axes become basic ones, by the mesh of their own file. */
static fb_status turn(fb_parts *p, fb_model *m, fb_log *log, fb_err *e)
{
    if (!p->result_along_axes)
        return FB_OK;
    if (!p->nn)
        return fb_fail(e, FB_EFORMAT,
                       "its displacements are along the points' axes (CD), and it has no points: "
                       "write the geometry too (PARAM,POST,-1 does)");
    p->along_axes = 1;
    return fb_place_shapes(p, m, log, e);
}

/* The shapes m [nm,nn,6], with labels of their rows; rotations that are nowhere are not there. */
static fb_status label_take(fb_model *m, fb_basis *t, fb_err *e)
{
    int turns = 0;
    t->m = 6 * m->nn;
    t->n = m->nm;
    t->x = m->shape;
    m->shape = NULL;
    for (int64_t k = 0; k < t->m * t->n; k++)
        turns = turns || (k % 6 >= 3 && fabs(t->x[k]) > 0);
    FB_PASS(FB_NEW(&t->node, t->m, e));
    FB_PASS(FB_NEW(&t->component, t->m, e));
    for (int64_t r = 0; r < t->m; r++) {
        t->node[r] = m->node_id[r / 6];
        t->component[r] = r % 6 < 3 || turns ? 1 + r % 6 : -1;
    }
    return FB_OK;
}

/* (SX.1) */
static fb_status extend(const fb_model *b, const int64_t *u, int64_t nu, fb_mat *S, fb_err *e)
{
    fb_csc Kuu = {0};
    fb_factor *F = NULL;
    fb_mat Y = {0}, X = {0};
    fb_status s = FB_OK;
    FB_TRY(fb_mat_new(&Y, S->m, S->n, e));
    FB_TRY(fb_mat_new(&X, nu, S->n, e));
    FB_TRY(fb_csc_mul_many(&b->K, S, &Y, e));
    for (int64_t c = 0; c < S->n; c++)
        for (int64_t k = 0; k < nu; k++)
            X.x[k + c * nu] = -Y.x[u[k] + c * S->m];
    FB_TRY(fb_csc_sub(&b->K, u, nu, u, nu, &Kuu, e));
    s = fb_factor_spd(&F, &Kuu, NULL, 0, &(fb_factor_opts){0}, NULL, e);
    if (s == FB_ESOLVE)
        fb_context(e,
                   "%lld dofs that the shapes say nothing of (the first is %s) are not held by "
                   "those that they name",
                   (long long)nu, fb_name_of(b->dof_node[u[0]], b->dof_component[u[0]]).s);
    if (s)
        goto out;
    FB_TRY(fb_factor_solve(F, &X, e));
    for (int64_t c = 0; c < S->n; c++)
        for (int64_t k = 0; k < nu; k++)
            S->x[u[k] + c * S->m] = X.x[k + c * nu];
out:
    fb_factor_free(F);
    fb_csc_free(&Kuu);
    FB_FREE_BY(fb_mat_free, &Y, &X);
    return s;
}

/* Rows of the input's dofs that the shapes name, and which dofs of the model are still open. */
typedef struct {
    const fb_basis *t; /* the shapes */
    const fb_model *b;
    int64_t *row;  /* [na] of the shapes, -1: not named */
    fb_csc rows;   /* G' */
    char *open;    /* [ndof] */
    int64_t *rank; /* [ndof] of the node in hand: 1, 2, ..., else 0 */
} fb_following;

/* Rows of G that move with the dofs u [n] of one node and no other open dof; a: NULL counts. */
static int64_t followers(const fb_following *f, const int64_t *u, int64_t n, int64_t *a)
{
    const fb_csc *G = &f->b->G, *R = &f->rows;
    int64_t count = 0;
    for (int64_t k = 0; k < n; k++)
        for (int64_t q = G->p[u[k]]; q < G->p[u[k] + 1]; q++) {
            const int64_t r = G->i[q];
            int alone = f->row[r] >= 0;
            for (int64_t z = R->p[r]; alone && z < R->p[r + 1]; z++) {
                const int64_t rank = f->rank[R->i[z]];
                alone = rank ? rank > k : !f->open[R->i[z]]; /* each row once, by its first */
            }
            if (alone && a)
                a[count] = r;
            count += alone;
        }
    return count;
}

/* Gau with columns of length 1, their length before, and s_a - Gak s_k. */
static void fit_of(const fb_following *f, const fb_mat *S, const int64_t *a, fb_mat *A,
                   double *length, fb_mat *y)
{
    for (int64_t k = 0; k < A->m; k++) {
        for (int64_t c = 0; c < S->n; c++)
            y->x[k + c * A->m] = f->t->x[f->row[a[k]] + c * f->t->m];
        for (int64_t q = f->rows.p[a[k]]; q < f->rows.p[a[k] + 1]; q++) {
            const int64_t d = f->rows.i[q];
            if (f->rank[d])
                A->x[k + (f->rank[d] - 1) * A->m] = f->rows.x[q];
            for (int64_t c = 0; !f->rank[d] && c < S->n; c++)
                y->x[k + c * A->m] -= f->rows.x[q] * S->x[d + c * S->m];
        }
    }
    for (int64_t k = 0; k < A->n; k++) {
        double *x = A->x + k * A->m;
        length[k] = sqrt(fb_dot(x, x, A->m));
        for (int64_t r = 0; length[k] > 0 && r < A->m; r++)
            x[r] /= length[k];
    }
}

/* (SX.2) for the dofs u [n] of one node; they are not open any more where it holds. */
static fb_status follow(const fb_following *f, const int64_t *u, int64_t n, fb_mat *S, fb_err *e)
{
    static const double fits = 1e-3, told = 1e-10; /* of what moves; least pivot */
    const int64_t na = followers(f, u, n, NULL), ns = S->n;
    fb_mat A = {0}, y = {0}, N = {0}, L = {0}, x = {0}, z = {0};
    int64_t *a = NULL;
    double *length = NULL;
    int good = na >= n;
    fb_status s = FB_OK;
    if (!good)
        return FB_OK;
    FB_TRY(FB_NEW(&a, na, e));
    FB_TRY(FB_NEW(&length, n, e));
    FB_TRY(fb_mat_new(&A, na, n, e));
    FB_TRY(fb_mat_new(&y, na, ns, e));
    (void)followers(f, u, n, a);
    fit_of(f, S, a, &A, length, &y);
    FB_TRY(fb_mat_product(1, 0, &A, &A, &N, e));
    FB_TRY(fb_mat_product(1, 0, &A, &A, &L, e));
    if (!fb_cholesky_scaled(L.x, n, n, told))
        goto out;
    FB_TRY(fb_mat_product(1, 0, &A, &y, &x, e));
    FB_TRY(fb_solve_spd(&N, &x, "the rows that follow a frame", e));
    FB_TRY(fb_mat_product(0, 0, &A, &x, &z, e));
    for (int64_t c = 0; c < ns; c++) {
        double left = 0, all = 0;
        for (int64_t k = 0; k < na; k++) {
            const double v = f->t->x[f->row[a[k]] + c * f->t->m];
            left += pow(z.x[k + c * na] - y.x[k + c * na], 2);
            all += v * v;
        }
        good = good && left <= fits * fits * all;
    }
    for (int64_t k = 0; good && k < n; k++) {
        f->open[u[k]] = 0;
        for (int64_t c = 0; c < ns; c++)
            S->x[u[k] + c * S->m] = x.x[k + c * n] / length[k];
    }
out:
    FB_FREE_BY(fb_mat_free, &A, &y, &N, &L, &x, &z);
    FB_FREE(a, length);
    return s;
}

/* (SX.2) for all nodes; of the open dofs u [*nu] those that are left stay. */
static fb_status follow_all(const fb_basis *t, const fb_model *b, int64_t *u, int64_t *nu,
                            fb_mat *S, fb_err *e)
{
    const fb_model all = {
        .dof_node = b->all_node, .dof_component = b->all_component, .ndof = b->na};
    fb_following f = {.t = t, .b = b};
    int64_t n = 0, left = 0;
    fb_status s = FB_OK;
    if (!b->G.p)
        return FB_OK;
    FB_TRY(FB_NEW(&f.row, b->na, e));
    FB_TRY(FB_NEW(&f.open, b->ndof, e));
    FB_TRY(FB_NEW(&f.rank, b->ndof, e));
    FB_TRY(fb_basis_rows(t, &all, f.row, e));
    FB_TRY(fb_csc_transposed(&b->G, &f.rows, e));
    for (int64_t k = 0; k < *nu; k++)
        f.open[u[k]] = 1;
    for (int64_t k = 0; k < *nu; k += n) {
        for (n = 0; k + n < *nu && b->dof_node[u[k + n]] == b->dof_node[u[k]]; n++)
            f.rank[u[k + n]] = n + 1;
        FB_TRY(follow(&f, u + k, n, S, e));
        for (int64_t q = k; q < k + n; q++)
            f.rank[u[q]] = 0;
    }
    for (int64_t k = 0; k < *nu; k++)
        if (f.open[u[k]])
            u[left++] = u[k];
    *nu = left;
out:
    fb_csc_free(&f.rows);
    FB_FREE(f.row, f.open, f.rank);
    return s;
}

/* The shapes over the dofs of b, [ndof x n]. */
static fb_status over_dofs(const fb_basis *t, const fb_model *b, fb_mat *S, fb_log *log, fb_err *e)
{
    int64_t *row = NULL, *u = NULL, nu = 0, known = 0;
    double *diagonal = NULL;
    fb_status s = FB_OK;
    FB_TRY(FB_NEW(&row, b->ndof, e));
    FB_TRY(FB_NEW(&u, b->ndof, e));
    FB_TRY(FB_NEW(&diagonal, b->ndof, e));
    FB_TRY(fb_basis_rows(t, b, row, e));
    FB_TRY(fb_mat_new(S, b->ndof, t->n, e));
    fb_csc_diagonal(&b->K, diagonal);
    for (int64_t d = 0; d < b->ndof; d++) {
        known += row[d] >= 0;
        for (int64_t c = 0; row[d] >= 0 && c < t->n; c++)
            S->x[d + c * S->m] = t->x[row[d] + c * t->m];
        if (row[d] < 0 && diagonal[d] > 0 && b->dof_class[d] != FB_DOF_MULTIPLIER)
            u[nu++] = d;
    }
    if (!known)
        FB_TRY(fb_fail(e, FB_EFORMAT,
                       "none of its nodes has dofs in the model: is it of another "
                       "one?"));
    known = nu;
    FB_TRY(follow_all(t, b, u, &nu, S, e));
    if (nu < known)
        fb_note(log, "%lld dofs of frames move as what follows them does in the shapes",
                (long long)(known - nu));
    if (nu) {
        fb_note(log, "%lld dofs that the shapes do not name follow by their stiffness",
                (long long)nu);
        FB_TRY(extend(b, u, nu, S, e));
    }
out:
    FB_FREE(row, u, diagonal);
    return s;
}

/* x [had + n, ns, 6]: those of m, whose nodes are b's in any order, behind those there are. */
static fb_status append(double **x, int64_t had, const fb_model *m, const fb_model *b, fb_err *e)
{
    fb_index at = {0};
    double *y = NULL;
    const int64_t size = 6 * b->ns;
    fb_status s = FB_OK;
    FB_TRY(fb_index_new(&at, m->node_id, m->nn, "nodes with stress", e));
    FB_TRY(FB_NEW(&y, (had + m->nm) * size, e));
    if (had)
        memcpy(y, *x, sizeof *y * (size_t)(had * size));
    for (int64_t q = 0; q < b->ns; q++) {
        const int64_t r = fb_index_find(&at, b->stress_node[q]);
        if (r < 0 || m->nn != b->ns)
            FB_TRY(fb_fail(e, FB_EFORMAT,
                           "stress or strain at %lld nodes where %lld are wanted%s%.0lld: print "
                           "both at the nodes of all elements, for all shapes",
                           (long long)m->nn, (long long)b->ns, r < 0 ? ", not at node " : "",
                           r < 0 ? (long long)b->stress_node[q] : 0));
        for (int64_t k = 0; k < m->nm; k++)
            memcpy(y + (had + k) * size + 6 * q, m->shape + 6 * (k * m->nn + r), 6 * sizeof *y);
    }
    free(*x);
    *x = y;
    y = NULL;
out:
    fb_index_free(&at);
    free(y);
    return s;
}

static fb_status add_shapes(fb_model *b, const fb_mat *S, fb_err *e)
{
    const int64_t had = b->nstressed * b->ndof;
    double *x = NULL;
    FB_PASS(FB_NEW(&x, had + S->m * S->n, e));
    if (had)
        memcpy(x, b->stress_shape, sizeof *x * (size_t)had);
    memcpy(x + had, S->x, sizeof *x * (size_t)(S->m * S->n));
    free(b->stress_shape);
    b->stress_shape = x;
    b->nstressed += S->n;
    return FB_OK;
}

/* The same is known of all shapes. */
static fb_status as_before(const fb_model *b, int stress, int strain, fb_err *e)
{
    if (!b->nstressed ||
        (stress == (b->shape_stress != NULL) && strain == (b->shape_strain != NULL)))
        return FB_OK;
    return fb_fail(e, FB_EFORMAT,
                   "its shapes come with%s stress and with%s strain, those before with%s and "
                   "with%s: print the same of all of them",
                   stress ? "" : "out", strain ? "" : "out", b->shape_stress ? "" : "out",
                   b->shape_strain ? "" : "out");
}

fb_status fb_stress_add(const fb_basis *t, const fb_model *stress, const fb_model *strain,
                        fb_model *b, fb_log *log, fb_err *e)
{
    const fb_model *any = stress ? stress : strain;
    fb_mat S = {0};
    fb_status s = FB_OK;
    FB_TRY(as_before(b, stress != NULL, strain != NULL, e));
    FB_TRY(over_dofs(t, b, &S, log, e));
    if (!b->stress_node && any) {
        FB_TRY(fb_copy(&b->stress_node, any->node_id, any->nn, 8, "nodes with stress", e));
        b->ns = any->nn;
    }
    if (stress)
        FB_TRY(append(&b->shape_stress, b->nstressed, stress, b, e));
    if (strain)
        FB_TRY(append(&b->shape_strain, b->nstressed, strain, b, e));
    FB_TRY(add_shapes(b, &S, e));
    fb_note(log, "%s: %lld shapes with stress at %lld nodes", t->name, (long long)t->n,
            (long long)b->ns);
out:
    fb_mat_free(&S);
    return s;
}

fb_status fb_stress_beside(const fb_model *b, fb_err *e)
{
    return b->K.p ? FB_OK
                  : fb_fail(e, FB_EUSAGE,
                            "--stress goes beside a stiffness matrix; a body that is held by modes "
                            "takes the stress of these from its own file");
}

fb_status fb_result_join(fb_parts *p, const char *name, fb_model *b, fb_log *log, fb_err *e)
{
    static const char *const what[] = {"displacement", "stress", "strain"};
    fb_model m[FB_NRESULT] = {0};
    fb_basis t = {0};
    char *keep = NULL;
    int has[FB_NRESULT];
    fb_status s = FB_OK;
    FB_ROWS(what, FB_NRESULT);
    snprintf(t.name, sizeof t.name, "%.255s", name);
    FB_PASS(fb_stress_beside(b, e));
    FB_TRY(of_body(p, &b->units, e));
    FB_TRY(FB_NEW(&keep, p->result->n, e));
    FB_TRY(keep_whole(p, keep, has, log, e));
    FB_TRY(same_places(p, b, e));
    for (int w = 0; w < FB_NRESULT; w++) {
        if (has[w])
            FB_TRY(chosen(p->result + w, keep, what[w], m + w, e));
        for (int64_t k = 0; has[w] && k < p->result->n; k++)
            m[w].nm += keep[k];
    }
    FB_TRY(turn(p, m, log, e));
    FB_TRY(label_take(m, &t, e));
    s = fb_stress_add(&t, has[FB_STRESS] ? m + FB_STRESS : NULL,
                      has[FB_STRAIN] ? m + FB_STRAIN : NULL, b, log, e);
out:
    if (s)
        fb_context(e, "%s", name);
    FB_FREE_BY(fb_model_free, m, m + FB_STRESS, m + FB_STRAIN);
    fb_basis_free(&t);
    free(keep);
    return s;
}
