/* SPDX-License-Identifier: GPL-3.0-or-later */
/* full.c - equations, boundary split, modes and reduced matrices of a body with K and M of its own.
 *
 * Sets     equations: the dofs that are not held; b boundary (or masters), i interior
 * Equations
 *   (FU.1) A = [Abb Abi; Aib Aii]
 *   (FU.2) T = [I 0; G],  G = [Psi Phi X]     Psi constraint modes, Phi normal modes, X attachment
 *          vectors
 *   (FU.3) Kr = diag(Kbb + Kib' Psi, w2)       as Kii Psi = -Kib, and [Phi X] is orthogonal in K
 *          and M
 *   (FU.4) Mr = T'MT from the parts, Dr = T'DT
 *   (FU.5) Mr U = 0:  U'Kr z = 0, by which some of the normal coordinates follow from the others
 * G and T share one array: the rows of G are moved to their places in /dofs when Mr is done.
 * Source   Craig & Bampton, AIAA J. 6 (1968) 1313-1319
 */
#include "dofset.h"
#include "memory.h"
#include "full.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>

/* An eigenvalue of the scaled reduced mass matrix that is round-off: that of a thin shell, whose
 * constraint modes hold to 1e-10, came to 1e-12; those of true motions of small mass to 1e-7 and
 * more. */
static const double deficient = 1e-11;
/* Below minus this it is no round-off: mass that pushes back. Constraint modes hold to 1e-10. */
static const double negative_mass = 1e-8;

enum {
    NODE_MOST = 12
}; /* dofs of one node number: above, it is no node (generalized dofs share number 0) */

fb_watch fb_watch_start(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (fb_watch){(double)t.tv_sec + 1e-9 * (double)t.tv_nsec};
}

void fb_watch_note(const fb_watch *w, fb_log *log, const char *what)
{
    struct rusage u;
    getrusage(RUSAGE_SELF, &u);
    fb_note(log, "%s: %.3g s, memory at most %.3g GiB so far", what,
            fb_watch_start().start - w->start, (double)u.ru_maxrss / (1024. * 1024));
}

/* ---- equations ------------------------------------------------------------------------- */

static void mark_rows(const fb_csc *A, char *has)
{
    for (int64_t j = 0; j < A->n; j++)
        for (int64_t q = A->p[j]; q < A->p[j + 1]; q++)
            if (A->x[q] < 0 || A->x[q] > 0)
                has[j] = has[A->i[q]] = 1;
}

/* The dofs that are equations; those without stiffness and mass are named. */
static fb_status choose_equations(fb_full *f, fb_err *e)
{
    const fb_model *b = f->b;
    char *has = NULL, list[400];
    int64_t *null = NULL, nnull = 0;
    fb_status s = FB_OK;
    FB_TRY(FB_NEW(&has, b->ndof, e));
    FB_TRY(FB_NEW(&null, b->ndof, e));
    FB_TRY(fb_new(&f->dof, b->ndof, 8, "equations", e));
    FB_TRY(fb_new(&f->at, b->ndof, 8, "equations", e));
    mark_rows(&b->K, has);
    mark_rows(&b->M, has);
    for (int64_t d = 0; d < b->ndof; d++) {
        f->at[d] = -1;
        if (b->dof_class && b->dof_class[d] == FB_DOF_FIXED)
            continue;
        if (!has[d]) {
            f->dof[nnull] = d; /* no equation lies before this place */
            null[nnull++] = d;
            continue;
        }
        f->at[d] = f->n++;
        f->nmult += b->dof_class && b->dof_class[d] == FB_DOF_MULTIPLIER;
    }
    if (nnull) {
        fb_full_names(f, NULL, 0, list, sizeof list);
        memcpy(f->dof, null, sizeof *null * (size_t)nnull);
        for (int64_t k = 0; k < nnull; k++)
            null[k] = k;
        fb_full_names(f, null, nnull, list, sizeof list);
        fb_warn(f->log, "%lld dof%s neither stiffness nor mass and stay%s at zero:%s",
                (long long)nnull, nnull > 1 ? "s have" : " has", nnull > 1 ? "" : "s", list);
    }
    for (int64_t d = 0; d < b->ndof; d++)
        if (f->at[d] >= 0)
            f->dof[f->at[d]] = d;
    if (f->n == 0)
        s = fb_fail(e, FB_EUSAGE,
                    "no dof is free to move: all are held, or have neither stiffness nor mass");
out:
    free(has);
    free(null);
    return s;
}

static fb_status check_labels(fb_full *f, fb_err *e)
{
    int64_t *node = NULL, run = 0;
    fb_status s = fb_new(&node, f->n, 8, "nodes", e);
    if (s)
        return s;
    f->labelled = f->b->dof_node != NULL;
    for (int64_t k = 0; f->labelled && k < f->n; k++)
        node[k] = f->b->dof_node[f->dof[k]];
    if (f->labelled) {
        int64_t kinds = fb_unique(node, f->n), *count = NULL;
        fb_index x = {0};
        s = fb_index_new(&x, node, kinds, "/dofs/node", e);
        if (!s)
            s = fb_new(&count, kinds, 8, "nodes", e);
        for (int64_t k = 0; !s && k < f->n; k++) {
            int64_t at = fb_index_find(&x, f->b->dof_node[f->dof[k]]);
            run = ++count[at] > run ? count[at] : run;
        }
        free(count);
        fb_index_free(&x);
    }
    f->labelled = f->labelled && run <= NODE_MOST;
    free(node);
    return s;
}

fb_status fb_full_new(fb_full *out, const fb_model *b, const fb_reduceopt *o, fb_log *log,
                      fb_err *e)
{
    fb_full f = {.b = b, .o = o, .log = log};
    fb_status s = FB_OK;
    if (!b->K.upper || !b->M.upper) {
        s = fb_fail(e, FB_EFORMAT,
                    "/full/%s is not symmetric: reductions need symmetric stiffness and mass; "
                    "mnfparse says where the "
                    "halves differ, its --force-symmetric averages them",
                    b->K.upper ? "M" : "K");
        goto out;
    }
    FB_TRY(choose_equations(&f, e));
    FB_TRY(check_labels(&f, e));
    if (f.n == b->ndof) {
        f.K = b->K;
        f.M = b->M;
    } else {
        f.own = 1;
        FB_TRY(fb_csc_sub(&b->K, f.dof, f.n, f.dof, f.n, &f.K, e));
        FB_TRY(fb_csc_sub(&b->M, f.dof, f.n, f.dof, f.n, &f.M, e));
    }
    fb_note(log, "%lld equations of %lld dofs, %lld and %lld entries in K and M", (long long)f.n,
            (long long)b->ndof, (long long)f.K.p[f.n], (long long)f.M.p[f.n]);
    FB_TRY(fb_full_mass_check(&f, e));
    *out = f;
    f = (fb_full){0};
out:
    fb_full_free(&f);
    return s;
}

void fb_full_free(fb_full *f)
{
    if (f->own) {
        fb_csc_free(&f->K);
        fb_csc_free(&f->M);
    }
    free(f->dof);
    free(f->at);
    *f = (fb_full){0};
}

const char *fb_full_name(const fb_full *f, int64_t eq, char text[48])
{
    const fb_model *b = f->b;
    int64_t d = f->dof[eq];
    if (!b->dof_node)
        snprintf(text, 48, "row %lld", (long long)d + 1);
    else if (!b->dof_component || b->dof_component[d] == 0)
        snprintf(text, 48, "%lld", (long long)b->dof_node[d]);
    else
        snprintf(text, 48, "%lld.%lld", (long long)b->dof_node[d], (long long)b->dof_component[d]);
    return text;
}

void fb_full_names(const fb_full *f, const int64_t *eq, int64_t n, char *text, size_t size)
{
    char one[48];
    text[0] = 0;
    for (int64_t k = 0; k < n && k < 12; k++) {
        size_t at = strlen(text);
        snprintf(text + at, size - at, " %s", fb_full_name(f, eq[k], one));
    }
    size_t at = strlen(text);
    if (n > 12)
        snprintf(text + at, size - at, " ... (%lld in all)", (long long)n);
}

/* ---- boundary -------------------------------------------------------------------------- */

static fb_status names_of_connectors(const fb_model *b, fb_buf *names, fb_err *e)
{
    for (int64_t k = 0; k < b->nc; k++) {
        int any = 0;
        for (int64_t d = 0; d < b->ndof && !any; d++)
            any = b->dof_node[d] == b->connector_node[k] && b->dof_class[d] == FB_DOF_PHYSICAL;
        if (any) /* not a node that --fix holds */
            fb_put_text(names, "%lld,", (long long)b->connector_node[k]);
    }
    fb_put_bytes(names, "", 1);
    return fb_buf_status(names, e);
}

/* Positions in /dofs become equations; a held dof is an error where it was named, else left out. */
static fb_status to_equations(const fb_full *f, const char *named, int64_t *d, int64_t *n,
                              fb_err *e)
{
    char one[64];
    int64_t k = 0;
    for (int64_t q = 0; q < *n; q++) {
        int64_t dof = d[q], eq = f->at[dof];
        snprintf(one, sizeof one, "%lld.%lld", (long long)f->b->dof_node[dof],
                 (long long)f->b->dof_component[dof]);
        if (eq < 0 && named)
            return fb_fail(e, FB_EUSAGE, "%s: dof %s %s: leave it out", named, one,
                           f->b->dof_class[dof] == FB_DOF_FIXED ? "is held at zero"
                                                                : "has neither stiffness nor mass");
        if (eq >= 0 && f->b->dof_class[dof] == FB_DOF_MULTIPLIER)
            return fb_fail(e, FB_EUSAGE,
                           "%s: dof %s is a constraint multiplier, no place to join bodies at",
                           named ? named : "/interface/dof", one);
        if (eq >= 0)
            d[k++] = eq;
    }
    *n = k;
    return FB_OK;
}

fb_status fb_full_named(const fb_full *f, const char *option, const char *list, int64_t **eq,
                        int64_t *n, fb_err *e)
{
    int64_t *d = NULL, k = 0;
    fb_status s = fb_dofset(f->b, option, list, &d, &k, f->log, e);
    if (!s)
        s = to_equations(f, option, d, &k, e);
    if (s) {
        free(d);
        return s;
    }
    *eq = d;
    *n = k;
    return FB_OK;
}

int fb_full_has_boundary(const fb_full *f)
{
    const fb_model *b = f->b;
    return f->o->interface || (b->interface_dof && b->nb) || (b->connector_node && b->nc);
}

fb_status fb_full_boundary(const fb_full *f, int64_t **eq, int64_t *n, fb_err *e)
{
    const fb_model *b = f->b;
    fb_buf names = {0};
    int64_t *d = NULL, k = 0;
    fb_status s = FB_OK;
    if (f->o->interface)
        return fb_full_named(f, "--interface", f->o->interface, eq, n, e);
    if (b->interface_dof && b->nb) {
        k = b->nb;
        FB_TRY(fb_new(&d, k, 8, "boundary dofs", e));
        memcpy(d, b->interface_dof, sizeof *d * (size_t)k);
    } else if (b->connector_node && b->nc) {
        FB_TRY(names_of_connectors(b, &names, e));
        FB_TRY(fb_dofset(b, "/connectors/node", (const char *)names.data, &d, &k, f->log, e));
    } else {
        s = fb_fail(e, FB_EUSAGE,
                    "the model names no boundary dofs: give them by --interface LIST");
        goto out;
    }
    FB_TRY(to_equations(f, NULL, d, &k, e));
    if (k == 0) {
        s = fb_fail(e, FB_EUSAGE, "all boundary dofs are held: give others by --interface LIST");
        goto out;
    }
    *eq = d;
    *n = k;
    d = NULL;
out:
    fb_buf_free(&names);
    free(d);
    return s;
}

/* (FU.1) */
fb_status fb_split_new_take(fb_split *out, const fb_full *f, int64_t **b, int64_t nb, fb_err *e)
{
    fb_split t = {.f = f, .nb = nb, .ni = f->n - nb, .b = *b};
    fb_status s = FB_OK;
    *b = NULL;
    FB_TRY(fb_complement(f->n, t.b, nb, &t.i, e));
    FB_TRY(fb_csc_split(&f->K, t.b, nb, t.i, t.ni, &t.K, e));
    FB_TRY(fb_csc_split(&f->M, t.b, nb, t.i, t.ni, &t.M, e));
    t.nmult = f->nmult;
    *out = t;
    t = (fb_split){0};
out:
    fb_split_free(&t);
    return s;
}

void fb_split_free(fb_split *t)
{
    free(t->b);
    free(t->i);
    fb_blocks_free(&t->K);
    fb_blocks_free(&t->M);
    *t = (fb_split){0};
}

/* ---- modes ----------------------------------------------------------------------------- */

fb_status fb_full_wanted(const fb_full *f, int64_t nb, int64_t *k, fb_err *e)
{
    const fb_reduceopt *o = f->o;
    if (o->order >= 0 && o->order < nb)
        return fb_fail(
            e, FB_EUSAGE,
            "order %lld is below the %lld boundary dofs: ask for at least %lld, or name a "
            "smaller --interface",
            (long long)o->order, (long long)nb, (long long)nb);
    *k = o->order >= 0 ? o->order - nb : o->modes >= 0 ? o->modes : -1;
    return FB_OK;
}

static fb_status labels(const fb_full *f, const int64_t *eq, int64_t n, int64_t **node, fb_err *e)
{
    fb_status s = fb_new(node, n, 8, "nodes of the equations", e);
    for (int64_t k = 0; !s && k < n; k++)
        (*node)[k] = f->b->dof_node[f->dof[eq ? eq[k] : k]];
    return s;
}

static int has_mass(const fb_csc *M)
{
    for (int64_t q = 0; q < M->p[M->n]; q++)
        if (M->x[q] < 0 || M->x[q] > 0)
            return 1;
    return 0;
}

static void say_modes(const fb_full *f, const char *what, int64_t asked, const fb_eig *r)
{
    for (int k = 0; k < r->ntext; k++)
        if (asked > 0 && r->n != asked && k == 0)
            fb_warn(f->log, "%s: %s", what, r->text[k]);
        else
            fb_note(f->log, "%s: %s", what, r->text[k]);
    if (r->nnegative)
        fb_note(f->log, "%s: %lld negative root%s, the lowest %.3g rad^2/s^2", what,
                (long long)r->nnegative, r->nnegative > 1 ? "s" : "", r->lambda[0]);
    double worst = 0;
    for (int64_t k = 0; k < r->n; k++)
        worst = fmax(worst, r->residual[k]);
    fb_note(f->log,
            "%s: %lld modes by %s, %lld rigid, largest residual %.2g, orthogonality %.2g; shift "
            "%.6g rad^2/s^2, "
            "%lld factorisations, %lld solves",
            what, (long long)r->n, r->engine, (long long)r->nrigid, worst, r->orthogonality,
            r->sigma, (long long)r->factors, (long long)r->solves);
    fb_note(f->log, "%s: factor %.3g s, iteration %.3g s, count %.3g s", what, r->seconds.factor,
            r->seconds.engine, r->seconds.count);
}

/* " 4.4 7.4" and, as --fix reads it, "4:4,7:4" */
static void both_lists(const fb_full *f, const int64_t *eq, int64_t n, char *list, char *fix,
                       size_t size)
{
    char one[48];
    fb_full_names(f, eq, n, list, size);
    *fix = 0;
    for (int64_t k = 0; k < n; k++) {
        size_t at = strlen(fix);
        fb_full_name(f, eq[k], one);
        char *point = strrchr(one, '.');
        if (point)
            *point = ':';
        snprintf(fix + at, size - at, "%s%s", k ? "," : "", one);
    }
}

/* Elimination failed at an equation. Motions with neither stiffness nor mass (rotations about a
 * straight bar without rotary inertia, an hourglass of elements integrated too coarsely for both)
 * have no frequency: held at as many dofs that they move, they are gone and nothing else has
 * changed. All of them are named together. */
static fb_status stuck(const fb_full *f, const fb_csc *K, const fb_csc *M, const int64_t *eq,
                       const char *what, int64_t at, fb_err *e)
{
    char one[48], list[400], fix[400];
    int64_t *p = NULL;
    double kd = 0, md = 0;
    fb_mat Z = {0};
    const fb_err why = *e;
    fb_err later = {0};
    fb_status s = FB_OK;
    FB_TRY(fb_csc_norm(K, &kd, e));
    FB_TRY(fb_csc_norm(M, &md, e));
    s = fb_full_massless(f, K, M, md > 0 ? -kd / md : -1, &Z, &later);
    if (s || Z.n == 0) {
        s = fb_fail(e, why.status, "%s, at dof %s: %.800s", what,
                    fb_full_name(f, eq ? eq[at] : at, one), why.msg);
        goto out;
    }
    FB_TRY(fb_new(&p, Z.n, 8, "dofs", e));
    FB_TRY(fb_full_pins(K, &Z, p, e));
    for (int64_t k = 0; eq && k < Z.n; k++)
        p[k] = eq[p[k]];
    both_lists(f, p, Z.n, list, fix, sizeof list);
    s = fb_fail(e, why.status,
                "%s: the model is singular: %lld motion%s neither stiffness nor mass, as at%s; "
                "--fix %s holds %s and changes "
                "nothing else",
                what, (long long)Z.n, Z.n > 1 ? "s have" : " has", list, fix,
                Z.n > 1 ? "them" : "it");
out:
    fb_mat_free(&Z);
    free(p);
    return s;
}

fb_status fb_full_modes(const fb_full *f, const fb_csc *K, const fb_csc *M, const int64_t *eq,
                        int64_t nmult, int64_t k, fb_factor **ready, const char *what, fb_eig *r,
                        fb_err *e)
{
    const double time = f->b->units.factor[FB_TIME] > 0 ? f->b->units.factor[FB_TIME] : 1;
    int64_t *node = NULL, column = -1;
    fb_eig_opts o = {.k = k > 0 ? k : 0,
                     .fmax = k < 0 ? f->o->fmax * time : 0,
                     .engine = f->o->eigensolver,
                     .no_sturm = f->o->no_sturm,
                     .multipliers = nmult,
                     .column = &column,
                     .ready = ready,
                     .factor = {.memory = f->o->memory}};
    fb_watch w = fb_watch_start();
    fb_status s = FB_OK;
    *r = (fb_eig){.sturm = -1};
    if (k == 0 || K->n == 0)
        return FB_OK;
    if (!has_mass(M)) {
        fb_warn(f->log, "%s: no mass, so there are no modes", what);
        return FB_OK;
    }
    if (f->labelled)
        FB_TRY(labels(f, eq, K->n, &node, e));
    o.factor.node = node;
    s = fb_eig_sparse(K, M, &o, r, e);
    if (s && column >= 0)
        s = stuck(f, K, M, eq, what, column, e);
    else if (s)
        s = fb_context(e, "%s", what);
    if (s)
        goto out;
    say_modes(f, what, k, r);
    fb_watch_note(&w, f->log, what);
out:
    free(node);
    return s;
}

/* ---- the reduced body ------------------------------------------------------------------ */

fb_status fb_full_append(fb_mat *Psi, const fb_mat *Phi, int64_t k, const fb_mat *X, int64_t ndof,
                         fb_err *e)
{
    int64_t ni = Psi->m, n = Psi->n, na = X ? X->n : 0;
    if (n + k + na > 0 && ndof > INT64_MAX / 8 / (n + k + na))
        return fb_fail(e, FB_ESYS, "T of %lld by %lld is too large", (long long)ndof,
                       (long long)(n + k + na));
    double *x = fb_realloc(Psi->x, (size_t)(ndof * (n + k + na)), sizeof *x);
    if (!x)
        return fb_fail(
            e, FB_ESYS, "out of memory: %.3g GiB for T of %lld dofs and %lld coordinates",
            8e-9 * (double)ndof * (double)(n + k + na), (long long)ndof, (long long)(n + k + na));
    Psi->x = x;
    if (k)
        memcpy(x + n * ni, Phi->x, sizeof *x * (size_t)(ni * k));
    if (na)
        memcpy(x + (n + k) * ni, X->x, sizeof *x * (size_t)(ni * na));
    Psi->n = n + k + na;
    return FB_OK;
}

/* From the last column and the last row down, no value is overwritten before it has been moved. */
void fb_full_expand_take(const fb_full *f, fb_mat *X, const int64_t *eq, const int64_t *b,
                         int64_t nb, fb_mat *T)
{
    int64_t m = X->m, ndof = f->b->ndof;
    for (int64_t c = X->n - 1; c >= 0; c--) {
        double *to = X->x + c * ndof;
        const double *from = X->x + c * m;
        int64_t d = ndof - 1;
        for (int64_t r = m - 1; r >= 0; r--) {
            int64_t place = f->dof[eq ? eq[r] : r];
            for (; d > place; d--)
                to[d] = 0;
            to[d--] = from[r];
        }
        for (; d >= 0; d--)
            to[d] = 0;
        if (c < nb)
            to[f->dof[b[c]]] = 1;
    }
    X->m = ndof;
    *T = *X;
    *X = (fb_mat){0};
}

/* (FU.3) */
static fb_status stiffness(const fb_split *t, const fb_mat *G, const double *w2, fb_mat *K,
                           fb_err *e)
{
    int64_t nb = t->nb, nr = G->n;
    fb_mat B = {0};
    fb_status s = FB_OK;
    FB_TRY(fb_mat_new(K, nr, nr, e));
    FB_TRY(fb_mat_new(&B, nb, nb, e));
    memcpy(B.x, t->K.Abb.x, sizeof(double) * (size_t)(nb * nb));
    fb_csc_tmul(&t->K.Aib, G->x, G->m, B.x, nb, nb);
    fb_mat_symmetrise(&B);
    for (int64_t j = 0; j < nb; j++)
        memcpy(K->x + j * nr, B.x + j * nb, sizeof(double) * (size_t)nb);
    for (int64_t k = nb; k < nr; k++)
        K->x[k + k * nr] = w2[k - nb];
out:
    fb_mat_free(&B);
    return s;
}

/* What coordinate j must have of mass to count: its own, unless that is round-off beside the body,
 * as of a dof without mass that rigid motion of the interior carries: less than its stiffness over
 * the highest root, or next to nothing beside coordinates of its kind. */
static double least_mass(const fb_split *t, const fb_mat *K, const fb_mat *M, double root,
                         int64_t j)
{
    const fb_model *b = t->f->b;
    const int64_t n = M->n;
    double most = 0;
    for (int64_t k = 0; j < t->nb && b->dof_component && k < t->nb; k++)
        if ((b->dof_component[t->f->dof[t->b[k]]] > 3) ==
            (b->dof_component[t->f->dof[t->b[j]]] > 3))
            most = fmax(most, M->x[k + k * n]);
    return fmax(M->x[j + j * n],
                fmax(1e-16 * most, root > 0 && j < t->nb ? K->x[j + j * n] / root : 0));
}

/* U [n x k]: the directions of the reduced mass matrix, scaled to a unit diagonal (least_mass),
 * that have no mass. A direction that has less is refused: the mass is not semidefinite. */
static fb_status massless(const fb_split *t, const fb_mat *K, const fb_mat *M, fb_mat *U, fb_err *e)
{
    int64_t n = M->n, k = 0;
    fb_mat S = {0}, I = {0}, V = {0};
    double *mu = NULL, *d = NULL, root = 0;
    fb_status s = FB_OK;
    FB_TRY(fb_full_highest(t->f->b, &root, e));
    FB_TRY(fb_new(&d, n, 8, "masses", e));
    for (int64_t j = 0; j < n; j++)
        d[j] = least_mass(t, K, M, root, j);
    FB_TRY(fb_mat_new(&S, n, n, e));
    FB_TRY(fb_mat_new(&I, n, n, e));
    FB_TRY(fb_new(&mu, n, 8, "eigenvalues", e));
    for (int64_t j = 0; j < n; j++) {
        I.x[j + j * n] = 1;
        for (int64_t i = 0; i < n; i++) {
            const double p = d[i] * d[j];
            S.x[i + j * n] = p > 0 ? M->x[i + j * n] / sqrt(p) : 0;
        }
    }
    FB_TRY(fb_eig_dense(&S, &I, mu, &V, e));
    if (n && mu[0] < -negative_mass) {
        s = fb_fail(e, FB_ESOLVE,
                    "the reduced mass matrix is not semidefinite: with a unit diagonal its lowest "
                    "eigenvalue is %.3g",
                    mu[0]);
        goto out;
    }
    while (k < n && mu[k] < deficient)
        k++;
    for (int64_t j = 0; j < k; j++)
        for (int64_t i = 0; i < n; i++)
            V.x[i + j * n] /= d[i] > 0 ? sqrt(d[i]) : 1;
    V.n = k;
    *U = V;
    V = (fb_mat){0};
out:
    fb_mat_free(&S);
    fb_mat_free(&I);
    fb_mat_free(&V);
    free(mu);
    free(d);
    return s;
}

/* Gauss and Jordan on C [k x n] with pivots in the columns from..to-1, weighed by 1/sqrt(Kjj): then
 * z(pivot[s]) = -C(s,:) z of the others. 0 where a pivot is missing: the motion is one of the other
 * columns alone. */
static int eliminate(fb_mat *C, const fb_mat *K, int64_t from, int64_t to, int64_t *pivot)
{
    int64_t k = C->m, n = C->n;
    double whole = 0;
    for (int64_t j = 0; j < n; j++)
        for (int64_t i = 0; i < k && K->x[j + j * n] > 0; i++)
            whole = fmax(whole, fabs(C->x[i + j * k]) / sqrt(K->x[j + j * n]));
    for (int64_t s = 0; s < k; s++) {
        int64_t r = s, c = -1;
        double most = 0;
        for (int64_t j = from; j < to; j++)
            for (int64_t i = s; i < k; i++) {
                double x = fabs(C->x[i + j * k]) / sqrt(K->x[j + j * n]);
                if (x > most) { /* not the columns of pivots: they are zero below s */
                    most = x;
                    r = i;
                    c = j;
                }
            }
        if (c < 0 || most < 1e-8 * whole)
            return 0;
        pivot[s] = c;
        for (int64_t j = 0; j < n; j++) {
            double x = C->x[r + j * k];
            C->x[r + j * k] = C->x[s + j * k];
            C->x[s + j * k] = x;
        }
        double p = C->x[s + c * k];
        for (int64_t j = 0; j < n; j++)
            C->x[s + j * k] /= p;
        for (int64_t i = 0; i < k; i++) {
            double f = C->x[i + c * k];
            for (int64_t j = 0; i != s && j < n; j++)
                C->x[i + j * k] -= f * C->x[s + j * k];
        }
    }
    return 1;
}

static fb_status replace_by_congruence(fb_mat *A, const fb_mat *S, fb_err *e)
{
    fb_mat B = {0};
    fb_status s = fb_congruence(A, S, &B, e);
    if (!s) {
        fb_mat_free(A);
        *A = B;
    }
    return s;
}

/* (FU.5) with as many normal coordinates fewer as U has columns; 0 in *done where that cannot be.
 *        */
static fb_status condense(const fb_split *t, const fb_mat *U, fb_mat *G, fb_mat *K, fb_mat *M,
                          int64_t nn, int *done, fb_err *e)
{
    int64_t n = K->n, k = U->n, col = 0, *pivot = NULL;
    fb_mat C = {0}, S = {0};
    fb_status s = FB_OK;
    *done = 0;
    FB_TRY(fb_new(&pivot, k, 8, "pivots", e));
    FB_TRY(fb_mat_new(&C, k, n, e));
    FB_TRY(fb_mat_new(&S, n, n - k, e));
    FB_TRY(fb_gemm(1, 0, 1, U, K, 0, &C, e));
    if (!eliminate(&C, K, t->nb, t->nb + nn, pivot))
        goto out;
    for (int64_t j = 0; j < n; j++) {
        int gone = 0;
        for (int64_t q = 0; q < k; q++)
            gone |= pivot[q] == j;
        if (gone)
            continue;
        S.x[j + col * n] = 1;
        for (int64_t q = 0; q < k; q++)
            S.x[pivot[q] + col * n] = -C.x[q + j * k];
        col++;
    }
    FB_TRY(fb_mat_times(G, &S, e));
    FB_TRY(replace_by_congruence(K, &S, e));
    FB_TRY(replace_by_congruence(M, &S, e));
    *done = 1;
out:
    free(pivot);
    fb_mat_free(&C);
    fb_mat_free(&S);
    return s;
}

/* As many boundary dofs as there are columns of U, by which each of them moves: pivots in rows
 * weighed by stiffness, so that metres and radians compare. A dof without mass is itself the
 * direction. */
static void pick_dofs(const fb_split *t, const fb_mat *K, fb_mat *U, int64_t *eq)
{
    const int64_t m = U->m;
    for (int64_t s = 0; s < U->n; s++) {
        int64_t r = 0, c = s;
        double most = -1;
        for (int64_t j = s; j < U->n; j++)
            for (int64_t i = 0; i < t->nb; i++) {
                const double x = fabs(U->x[i + j * m]) * sqrt(fmax(K->x[i + i * m], 0));
                if (x > most * (1 + 1e-6)) {
                    most = x;
                    r = i;
                    c = j;
                }
            }
        for (int64_t i = 0; i < m; i++) {
            const double x = U->x[i + c * m];
            U->x[i + c * m] = U->x[i + s * m];
            U->x[i + s * m] = x;
        }
        for (int64_t j = s + 1; j < U->n; j++) {
            const double by = U->x[r + j * m] / U->x[r + s * m];
            for (int64_t i = 0; i < m; i++)
                U->x[i + j * m] -= by * U->x[i + s * m];
            U->x[r + j * m] = 0;
        }
        eq[s] = t->b[r];
    }
}

/* No interior mode is left to drop: the boundary itself has motions without mass. */
static fb_status massless_boundary(const fb_split *t, const fb_mat *K, fb_mat *U, fb_err *e)
{
    char list[400];
    int64_t n = U->n, *eq = NULL;
    fb_status s = fb_new(&eq, n, 8, "boundary dofs", e);
    if (s)
        return s;
    pick_dofs(t, K, U, eq);
    fb_full_names(t->f, eq, n, list, sizeof list);
    free(eq);
    return fb_fail(
        e, FB_ESOLVE,
        "the reduced mass matrix is singular in %lld direction%s: the boundary moves without mass "
        "at%s, and a simulator "
        "would find infinite frequencies or a singular matrix there; leave %s out of --interface "
        "(the interior "
        "follows statically), or keep the finite modes alone by --method mdm%s",
        (long long)n, n > 1 ? "s" : "", list, n > 1 ? "them" : "it",
        strcmp(t->f->b->method, "component modes")
            ? ""
            : " (this body is reduced already: invariants and linkexport take it as it is)");
}

/* Where M is singular not by massless dofs alone, boundary and all modes together may hold more
 * directions than have mass: these follow the others statically. */
static fb_status independent(const fb_split *t, fb_mat *G, fb_mat *K, fb_mat *M, int64_t *nn,
                             fb_err *e)
{
    int64_t condensed = 0;
    int done = 1;
    fb_mat U = {0};
    fb_status s = FB_OK;
    FB_TRY(massless(t, K, M, &U, e));
    while (U.n > 0 && done) {
        FB_TRY(condense(t, &U, G, K, M, *nn, &done, e));
        if (!done)
            break;
        *nn -= U.n;
        condensed += U.n;
        fb_mat_free(&U);
        FB_TRY(massless(t, K, M, &U, e));
    }
    if (U.n > 0)
        s = massless_boundary(t, K, &U, e);
    else if (condensed)
        fb_warn(t->f->log,
                "the mass matrix is singular: boundary and modes hold %lld motions without mass, "
                "which follow the others "
                "statically: %lld normal modes fewer",
                (long long)condensed, (long long)condensed);
out:
    fb_mat_free(&U);
    return s;
}

fb_status fb_full_hybrid_take(const fb_split *t, fb_mat *G, const double *w2, int64_t nn,
                              fb_reduction *out, fb_err *e)
{
    fb_reduction r = {.nb = t->nb};
    fb_mat K = {0}, M = {0};
    fb_status s = FB_OK;
    FB_TRY(stiffness(t, G, w2, &K, e));
    FB_TRY(fb_blocks_congruence(&t->M, G, &M, e)); /* (FU.4) */
    FB_TRY(independent(t, G, &K, &M, &nn, e));
    r.nr = G->n;
    r.nn = nn;
    r.ndropped = t->f->n - G->n;
    FB_TRY(fb_new(&r.kind, r.nr, 8, "kinds", e));
    for (int64_t c = 0; c < r.nr; c++)
        r.kind[c] = c < r.nb        ? FB_KIND_BOUNDARY
                    : c < r.nb + nn ? FB_KIND_NORMAL
                                    : FB_KIND_ATTACHMENT;
    fb_full_expand_take(t->f, G, t->i, t->b, t->nb, &r.T);
    r.K = K.x;
    r.M = M.x;
    K = M = (fb_mat){0};
    FB_TRY(fb_full_damping(t->f, &r, e));
    *out = r;
    r = (fb_reduction){0};
out:
    fb_mat_free(G);
    fb_mat_free(&K);
    fb_mat_free(&M);
    fb_reduction_free(&r);
    return s;
}

/* Phi := Phi(:, keep), w2 with it; keep ascends. */
static void choose_modes(const fb_eig *m, const int64_t *keep, int64_t k, int64_t ni, fb_mat *Phi,
                         double *w2)
{
    for (int64_t c = 0; c < k; c++)
        w2[c] = m->lambda[keep ? keep[c] : c];
    *Phi = (fb_mat){ni, k, m->X.x};
    for (int64_t c = 0; keep && c < k; c++)
        if (keep[c] != c)
            memcpy(m->X.x + c * ni, m->X.x + keep[c] * ni, sizeof(double) * (size_t)ni);
}

fb_status fb_full_finish_take(const fb_split *t, fb_mat *Psi, fb_eig *m, const int64_t *keep,
                              int64_t k, fb_attach *a, fb_reduction *r, fb_err *e)
{
    fb_mat Phi = {0};
    fb_reduction q = {0};
    double *w2 = NULL;
    fb_watch w = fb_watch_start();
    fb_status s = FB_OK;
    FB_TRY(fb_new(&w2, k + a->n, 8, "eigenvalues", e));
    choose_modes(m, keep, k, t->ni, &Phi, w2);
    FB_TRY(fb_attach_residual(a, t->f, &t->K.Aii, &t->M.Aii, &Phi, w2, e));
    for (int64_t c = 0; c < a->na; c++)
        w2[k + c] = a->w2[c];
    FB_TRY(fb_full_append(Psi, &Phi, k, &a->X, t->f->b->ndof, e));
    fb_mat_free(&m->X);
    FB_TRY(fb_full_hybrid_take(t, Psi, w2, k, &q, e));
    FB_TRY(fb_full_record(t->f, m, t->b, t->nb, a, &q, e));
    fb_watch_note(&w, t->f->log, "reduced matrices");
    *r = q;
    q = (fb_reduction){0};
out:
    fb_reduction_free(&q);
    free(w2);
    return s;
}

fb_status fb_full_damping(const fb_full *f, fb_reduction *r, fb_err *e)
{
    fb_mat D = {0};
    if (!f->b->D.p)
        return FB_OK;
    fb_status s = fb_csc_bilinear(&r->T, &f->b->D, &r->T, &D, e);
    if (s)
        return s;
    if (f->b->D.upper)
        fb_mat_symmetrise(&D);
    else
        fb_mat_transpose(&D); /* r->D is kept by rows */
    r->D = D.x;
    return FB_OK;
}

fb_status fb_full_record(const fb_full *f, const fb_eig *modes, const int64_t *b, int64_t nb,
                         fb_attach *a, fb_reduction *r, fb_err *e)
{
    fb_status s = FB_OK;
    r->check = (fb_modecheck){.sturm = -1};
    if (modes && modes->n) {
        FB_TRY(fb_new(&r->check.residual, modes->n, 8, "residuals", e));
        memcpy(r->check.residual, modes->residual, sizeof(double) * (size_t)modes->n);
        r->check.n = modes->n;
        r->check.sturm = modes->sturm;
        r->check.shift = modes->sturm_shift;
        r->check.nrigid = modes->nrigid;
    }
    FB_TRY(fb_new(&r->boundary, nb, 8, "boundary dofs", e));
    for (int64_t k = 0; k < nb; k++)
        r->boundary[k] = f->dof[b[k]];
    if (a) {
        r->nload = a->n;
        r->load = a->dof;
        a->dof = NULL;
    }
out:
    return s;
}
