/* SPDX-License-Identifier: GPL-3.0-or-later */
/* cut.c - some of the normal modes of a reduced body, by --keep or --drop.
 *
 * Symbols  k normal modes (kind normal or eigenvector) in the order of the coordinates, by
 *          frequency; r translations along x, y, z of the whole body
 * Equations
 *   (CU.1) L_k = T_k'M r                    participation of mode k (of nodal masses: sum m phi_k)
 *   (CU.2) mass    max over r of L_k^2 / (M_kk r'M r)          its share of the body's mass
 *   (CU.3) energy  max over r of (L_k^2 / K_kk) / sum of these  its share of the strain energy that
 *          gravity puts into the normal modes: 0.5 L_k^2 / K_kk each
 * The rows and columns of the others leave K, M and D: the boundary keeps its constraint modes, and
 * statics at the boundary stay exact.
 * Attachment vectors X (X'MX = 1, X'KX diagonal, orthogonal to the modes in both) take over what
 * the modes that go say of static answers to loads e_j, the boundary held:
 *   (CU.4) c_j = diag(1/K_ii) [Phi_gone X]'e_j
 *   (CU.5) X := [Phi_gone X] W,  W an orthonormal basis of the c_j that diagonalises K
 * Source   effective masses: J. Wijker, Mechanical Vibrations in Spacecraft Design, 2004, ch. 6
 */
#include "geometric.h"
#include "memory.h"
#include "number.h"
#include "linalg/far.h"
#include "method.h"
#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

fb_status fb_mode_numbers(const char *option, const char *list, int64_t most, int weighted,
                          double *weight, int64_t *count, fb_err *e)
{
    const char *p = list, *end = list + strlen(list);
    for (*count = 0; p < end; p++) {
        const char *start = p, *q;
        int64_t a = 0, z = 0;
        double w = 1;
        q = fb_scan_int(p, end, &a);
        z = a;
        if (q && q < end && *q == '-')
            q = fb_scan_int(q + 1, end, &z);
        if (q && q < end && *q == ':' && weighted)
            q = fb_scan_real(q + 1, end, &w);
        if (!q || (q < end && *q != ',') || a < 1 || z < a || z > most || !(w > 0))
            return fb_fail(e, FB_EUSAGE, "%s: '%.*s' is not %s; numbers go from 1 to %lld", option,
                           (int)strcspn(start, ","), start,
                           weighted ? "MODE, MODE-MODE or MODE:WEIGHT with a weight above 0"
                                    : "MODE or MODE-MODE",
                           (long long)most);
        for (int64_t k = a; k <= z; k++, ++*count) {
            if (weight[k - 1] > 0)
                return fb_fail(e, FB_EUSAGE, "%s: mode %lld is named twice", option, (long long)k);
            weight[k - 1] = w;
        }
        p = q;
    }
    return *count ? FB_OK : fb_fail(e, FB_EUSAGE, "%s: names no mode", option);
}

/* ---- items of a list ----------------------------------------------------------------------- */

typedef enum { BY_NUMBER, BY_HERTZ, BY_ENERGY, BY_MASS, BY_NONE } rule;

typedef struct {
    rule by;
    double a, z; /* numbers, Hz; the least share */
    int n;       /* length of its text */
    const char *text;
} item;

/* A-BHz, -BHz, A-Hz; the hyphen of an exponent (1e-3) is none. */
static int by_hertz(const char *p, const char *end, item *t)
{
    if (end - p < 3 || strncasecmp(end - 2, "Hz", 2))
        return 0;
    end -= 2;
    const char *dash = p;
    while (dash < end && (*dash != '-' || (dash > p && strchr("eEdD", dash[-1]))))
        dash++;
    t->by = BY_HERTZ;
    t->a = 0;
    t->z = INFINITY;
    if (dash == end || end - p == 1 || (dash > p && fb_scan_real(p, dash, &t->a) != dash))
        return 0;
    return dash + 1 == end || (fb_scan_real(dash + 1, end, &t->z) == end && t->z >= t->a);
}

static int by_number(const char *p, const char *end, item *t)
{
    int64_t a = 0, z = 0;
    const char *q = fb_scan_int(p, end, &a);
    z = a;
    if (q && q < end && *q == '-')
        q = fb_scan_int(q + 1, end, &z);
    t->by = BY_NUMBER;
    t->a = (double)a;
    t->z = (double)z;
    return q == end && a >= 1 && z >= a;
}

static int by_share(const char *p, const char *end, const char *word, rule by, item *t)
{
    const size_t n = strlen(word);
    t->by = by;
    return (size_t)(end - p) > n && !strncmp(p, word, n) &&
           fb_scan_real(p + n, end, &t->a) == end && t->a > 0 && t->a <= 1;
}

static fb_status next(const char *option, const char **list, item *t, fb_err *e)
{
    const char *p = *list, *end = p + strcspn(p, ",");
    *t = (item){.text = p, .n = (int)(end - p)};
    if (!by_hertz(p, end, t) && !by_share(p, end, "energy:", BY_ENERGY, t) &&
        !by_share(p, end, "mass:", BY_MASS, t) && !by_number(p, end, t))
        return fb_fail(e, FB_EUSAGE,
                       "%s: '%.*s' is not MODE, MODE-MODE, A-BHz (-BHz, A-Hz), energy:SHARE or "
                       "mass:SHARE with a share up to 1; modes count from 1",
                       option, t->n, p);
    *list = *end ? end + 1 : end;
    return FB_OK;
}

fb_status fb_cut_check(const fb_reduceopt *o, fb_err *e)
{
    item t;
    for (const char *list = o->keep; list && *list;)
        FB_PASS(next("--keep", &list, &t, e));
    for (const char *list = o->drop; list && *list;)
        FB_PASS(next("--drop", &list, &t, e));
    return FB_OK;
}

fb_status fb_cut_reach(fb_reduceopt *o, fb_err *e)
{
    const char *list = o->keep;
    int64_t modes = 0;
    double fmax = 0;
    while (list && *list) {
        item t;
        FB_PASS(next("--keep", &list, &t, e));
        if (t.by == BY_NUMBER)
            modes = t.z > (double)modes ? (int64_t)t.z : modes;
        else if (t.by == BY_HERTZ)
            fmax = fmax > t.z ? fmax : t.z;
        if (t.by > BY_HERTZ || isinf(fmax) || (modes && fmax > 0))
            return fb_fail(
                e, FB_EUSAGE,
                "--keep %.60s: of how many modes? One of --order N, --modes K and --fmax "
                "HZ is wanted",
                o->keep);
    }
    o->reach = 1;
    o->modes = modes ? modes : -1;
    o->fmax = fmax;
    return FB_OK;
}

/* ---- shares -------------------------------------------------------------------------------- */

/* (CU.1) L [nr x 3] and r'M r of each. */
static fb_status participation(const fb_model *b, const fb_reduction *r, fb_mat *L, double total[3],
                               fb_err *e)
{
    fb_mat T = {0}, R = {0}, MR = {0};
    fb_status s = FB_OK;
    const fb_mat Phi0 = {b->ndof, b->nm, b->shape};
    if (!b->M.p && !(b->node_mass && b->node_id))
        return fb_fail(
            e, FB_EUSAGE,
            "--keep, --drop: shares want a mass matrix or nodal masses, the body has none");
    if (!r->T.x)
        FB_TRY(fb_mat_product(0, 0, &Phi0, &r->V, &T, e));
    FB_TRY(fb_mat_new(&MR, b->ndof, 3, e));
    FB_TRY(fb_model_rigid(b, &R, e));
    if (b->M.p) {
        const fb_mat along = fb_mat_columns(&R, 0, 3);
        FB_TRY(fb_csc_mul_many(&b->M, &along, &MR, e));
    } else {
        int64_t *place = NULL;
        FB_TRY(fb_node_places(b, &place, e));
        for (int64_t k = 0; k < 3 * b->ndof; k++)
            MR.x[k] = place[k % b->ndof] < 0 ? 0 : b->node_mass[place[k % b->ndof]] * R.x[k];
        free(place);
    }
    for (int a = 0; a < 3; a++)
        total[a] = fb_dot(R.x + a * b->ndof, MR.x + a * b->ndof, b->ndof);
    s = fb_mat_product(1, 0, r->T.x ? &r->T : &T, &MR, L, e);
out:
    FB_FREE_BY(fb_mat_free, &T, &R, &MR);
    return s;
}

static int is_mode(const fb_reduction *r, int64_t k)
{
    return r->kind[k] == FB_KIND_NORMAL || r->kind[k] == FB_KIND_EIGEN;
}

/* (CU.2), (CU.3): mass [nr], energy [nr] */
static fb_status shares(const fb_model *b, const fb_reduction *r, double *mass, double *energy,
                        fb_err *e)
{
    fb_mat L = {0};
    double total[3], sum[3] = {0, 0, 0};
    const int64_t n = r->nr;
    FB_PASS(participation(b, r, &L, total, e));
    for (int turn = 0; turn < 2; turn++)
        for (int64_t k = 0; k < n; k++)
            for (int a = 0; is_mode(r, k) && a < 3; a++) {
                const double p = L.x[k + a * n], K = r->K[k + k * n], M = r->M[k + k * n],
                             U = K > 0 ? p * p / K : 0;
                if (!turn) {
                    sum[a] += U;
                    continue;
                }
                if (total[a] > 0)
                    mass[k] = fmax(mass[k], p * p / (M * total[a]));
                if (!(K > 0)) /* rigid: not bounded */
                    energy[k] = 1;
                else if (sum[a] > 0)
                    energy[k] = fmax(energy[k], U / sum[a]);
            }
    fb_mat_free(&L);
    return FB_OK;
}

/* ---- the cut ------------------------------------------------------------------------------- */

static int within(const item *t, int64_t number, double hz, double energy, double mass)
{
    switch (t->by) {
    case BY_NUMBER:
        return (double)number >= t->a && (double)number <= t->z;
    case BY_HERTZ:
        return hz >= t->a && hz <= t->z;
    case BY_ENERGY:
        return energy >= t->a;
    case BY_MASS:
        return mass >= t->a;
    case BY_NONE:
        break;
    }
    return 0;
}

/* named[k] = 1 for the modes that the list says; nmodes are there. */
static fb_status named(const fb_model *b, const fb_reduction *r, const char *option,
                       const char *list, char *name, int64_t nmodes, fb_err *e)
{
    double *mass = NULL, *energy = NULL;
    const char *p = list;
    fb_status s = FB_OK;
    FB_TRY(FB_NEW(&mass, r->nr, e));
    FB_TRY(FB_NEW(&energy, r->nr, e));
    if (strstr(list, "energy:") || strstr(list, "mass:"))
        FB_TRY(shares(b, r, mass, energy, e));
    if (!*p)
        FB_TRY(fb_fail(e, FB_EUSAGE, "%s: names no mode", option));
    while (*p) {
        item t;
        FB_TRY(next(option, &p, &t, e));
        if (t.by == BY_NUMBER && t.z > (double)nmodes)
            FB_TRY(fb_fail(e, FB_EUSAGE, "%s: '%.*s': the reduced body has %lld normal modes",
                           option, t.n, t.text, (long long)nmodes));
        for (int64_t k = 0, number = 0; k < r->nr; k++) {
            if (!is_mode(r, k))
                continue;
            const double w2 = r->K[k + k * r->nr] / r->M[k + k * r->nr];
            if (within(&t, ++number, fb_hertz(&b->units, fmax(w2, 0)), energy[k], mass[k]))
                name[k] = 1;
        }
    }
out:
    FB_FREE(mass, energy);
    return s;
}

/* Rows and columns keep [n] of A [nr,nr], in place. */
static void square(double *A, int64_t nr, const int64_t *keep, int64_t n)
{
    for (int64_t i = 0; A && i < n; i++)
        for (int64_t j = 0; j < n; j++)
            A[i * n + j] = A[keep[i] * nr + keep[j]];
}

fb_status fb_reduction_keep(fb_reduction *r, const int64_t *keep, int64_t n, fb_err *e)
{
    int64_t nb = 0, nn = 0, boundary = 0;
    fb_mat *const shapes[] = {&r->T, &r->V, &r->W};
    for (int k = 0; k < 3; k++)
        if (shapes[k]->x)
            FB_PASS(fb_mat_pick(shapes[k], keep, n, e));
    square(r->K, r->nr, keep, n);
    square(r->M, r->nr, keep, n);
    square(r->D, r->nr, keep, n);
    square(r->S, r->nr, keep, n);
    square(r->G, r->nr, keep, n);
    square(r->N, r->nr, keep, n);
    for (int64_t q = 0; r->Kg && q < r->nkg; q++) {
        double *A = r->Kg + q * r->nr * r->nr;
        square(A, r->nr, keep, n);
        memmove(r->Kg + q * n * n, A, sizeof *A * (size_t)(n * n));
    }
    for (int64_t k = 0; k < n; k++) {
        const int64_t kind = r->kind[keep[k]];
        nb += kind == FB_KIND_BOUNDARY;
        nn += kind == FB_KIND_NORMAL || kind == FB_KIND_EIGEN;
        if (r->boundary && kind == FB_KIND_BOUNDARY && keep[k] < r->nb)
            r->boundary[boundary++] = r->boundary[keep[k]];
        r->kind[k] = kind;
    }
    r->ndropped += r->nr - n;
    r->nr = n;
    r->nb = nb;
    r->nn = nn;
    return FB_OK;
}

/* ---- attachment vectors -------------------------------------------------------------------- */

/* work [nr]: the product of each coordinate with load j, a row of T or P'T, or of a body without P
 * its own /reduced/load. */
static fb_status work_of(const fb_reduction *r, int64_t j, double *work, fb_err *e)
{
    const int64_t vector = -1 - r->load[j];
    fb_mat w = {r->nr, 1, work};
    if (r->load[j] >= 0 && fb_is_far(r->T.x))
        fb_far->row(&r->T, r->load[j], work);
    else if (r->load[j] >= 0)
        for (int64_t c = 0; c < r->nr; c++)
            work[c] = r->T.x[r->load[j] + c * r->T.m];
    else if (r->vector)
        return fb_gemm(1, 0, 1, &r->T,
                       &(fb_mat){r->T.m, 1, (double *)(uintptr_t)r->vector + vector * r->T.m}, 0,
                       &w, e);
    else
        return fb_gemm(1, 0, 1, &r->W,
                       &(fb_mat){r->W.m, 1, (double *)(uintptr_t)r->before + vector * r->W.m}, 0,
                       &w, e);
    return FB_OK;
}

/* (CU.4) the columns c_j over the coordinates at [n], [n x nload]; of loads on the boundary,
 * zero. */
static fb_status answers(const fb_reduction *r, const int64_t *at, int64_t n, fb_mat *C, fb_err *e)
{
    double *work = NULL;
    fb_status s = FB_OK;
    FB_TRY(FB_NEW(&work, r->nr, e));
    FB_TRY(fb_mat_new(C, n, r->nload, e));
    for (int64_t j = 0; j < r->nload; j++) {
        FB_TRY(work_of(r, j, work, e));
        for (int64_t k = 0; k < n; k++) {
            const double K = r->K[at[k] * (r->nr + 1)];
            C->x[k + j * n] = K > 0 ? work[at[k]] / K : 0;
        }
    }
out:
    free(work);
    return s;
}

/* (CU.5) W [n x *na], W'W = I, W'KW diagonal, of the independent columns of C. */
static fb_status attachment(const fb_reduction *r, const int64_t *at, fb_mat *C, fb_mat *W,
                            fb_err *e)
{
    const int64_t n = C->m;
    fb_mat U = {0}, Z = {0};
    double *sv = NULL;
    int64_t rank = 0;
    fb_status s = FB_OK;
    for (int64_t j = 0; j < C->n; j++)
        fb_to_unit(C->x + j * n, n);
    FB_TRY(FB_NEW(&sv, n < C->n ? n : C->n, e));
    FB_TRY(fb_svd(C, &U, sv, &Z, 0, e));
    while (rank < U.n && sv[rank] > 1e-8 * sv[0])
        rank++;
    fb_mat_free(&Z);
    FB_TRY(fb_mat_new(&Z, rank, rank, e));
    for (int64_t i = 0; i < rank; i++)
        for (int64_t j = 0; j < rank; j++)
            for (int64_t k = 0; k < n; k++)
                Z.x[i + j * rank] += U.x[k + i * n] * r->K[at[k] * (r->nr + 1)] * U.x[k + j * n];
    FB_TRY(fb_eig_symmetric(&Z, sv, e));
    const fb_mat Q = fb_mat_columns(&U, 0, rank);
    FB_TRY(fb_mat_product(0, 0, &Q, &Z, W, e));
    fb_fix_signs(W);
out:
    FB_FREE_BY(fb_mat_free, &U, &Z);
    free(sv);
    return s;
}

/* The coordinates become z_new, z = W z_new; the kinds are kind [W->n]. */
static fb_status change_basis(fb_reduction *r, const fb_mat *W, fb_err *e)
{
    const fb_mat K = {r->nr, r->nr, r->K}, M = {r->nr, r->nr, r->M};
    fb_mat Kw = {0}, Mw = {0};
    fb_status s = FB_OK;
    FB_TRY(fb_congruence(&K, W, &Kw, e));
    FB_TRY(fb_congruence(&M, W, &Mw, e));
    FB_TRY(fb_damping_turn(&r->D, &r->S, &r->G, &r->N, W, e));
    FB_TRY(fb_geometric_turn(&r->Kg, r->nkg, W, e));
    if (r->T.x)
        FB_TRY(fb_mat_times(&r->T, W, e));
    if (r->V.x)
        FB_TRY(fb_mat_times(&r->V, W, e));
    if (r->W.x)
        FB_TRY(fb_mat_times(&r->W, W, e));
    FB_FREE(r->K, r->M);
    r->K = Kw.x;
    r->M = Mw.x;
    Kw = Mw = (fb_mat){0};
out:
    FB_FREE_BY(fb_mat_free, &Kw, &Mw);
    return s;
}

fb_status fb_reduction_shorten(fb_reduction *r, const int64_t *keep, int64_t n, fb_log *log,
                               fb_err *e)
{
    int64_t *at = NULL, *stay = NULL, nat = 0, nstay = 0, attached = 0;
    fb_mat C = {0}, W = {0}, all = {0};
    fb_status s = FB_OK;
    for (int64_t k = 0; k < r->nr; k++)
        attached += r->kind[k] == FB_KIND_ATTACHMENT;
    if (!attached || !r->load || !r->T.x)
        return fb_reduction_keep(r, keep, n, e);
    FB_TRY(FB_NEW(&at, r->nr, e));
    FB_TRY(FB_NEW(&stay, r->nr, e));
    for (int64_t k = 0, q = 0; k < r->nr; k++) {
        const int kept = q < n && keep[q] == k;
        q += kept;
        if (kept && r->kind[k] != FB_KIND_ATTACHMENT)
            stay[nstay++] = k;
        else
            at[nat++] = k;
    }
    FB_TRY(answers(r, at, nat, &C, e));
    FB_TRY(attachment(r, at, &C, &W, e));
    FB_TRY(fb_mat_new(&all, r->nr, nstay + W.n, e));
    for (int64_t k = 0; k < nstay; k++)
        all.x[stay[k] + k * r->nr] = 1;
    for (int64_t c = 0; c < W.n; c++)
        for (int64_t k = 0; k < nat; k++)
            all.x[at[k] + (nstay + c) * r->nr] = W.x[k + c * nat];
    FB_TRY(change_basis(r, &all, e));
    for (int64_t k = 0; k < nstay; k++)
        r->kind[k] = r->kind[stay[k]];
    for (int64_t c = 0; c < W.n; c++)
        r->kind[nstay + c] = FB_KIND_ATTACHMENT;
    r->ndropped += r->nr - nstay - W.n;
    r->nr = nstay + W.n;
    r->nn = nstay - r->nb;
    fb_note(log, "%lld attachment vectors take over the static answers of the modes that are cut",
            (long long)W.n);
out:
    FB_FREE_BY(fb_mat_free, &C, &W, &all);
    FB_FREE(at, stay);
    return s;
}

fb_status fb_reduction_cut(const fb_model *b, const fb_reduceopt *o, fb_reduction *r, fb_log *log,
                           fb_err *e)
{
    const char *option = o->keep ? "--keep" : "--drop", *list = o->keep ? o->keep : o->drop;
    char *name = NULL, text[400] = "";
    int64_t *keep = NULL, n = 0, nmodes = 0, gone = 0;
    fb_status s = FB_OK;
    if (!list)
        return FB_OK;
    FB_TRY(FB_NEW(&name, r->nr, e));
    FB_TRY(FB_NEW(&keep, r->nr, e));
    for (int64_t k = 0; k < r->nr; k++)
        nmodes += is_mode(r, k);
    FB_TRY(named(b, r, option, list, name, nmodes, e));
    for (int64_t k = 0, number = 0; k < r->nr; k++) {
        const int mode = is_mode(r, k);
        number += mode;
        if (!mode || (name[k] != 0) == (o->keep != NULL)) {
            keep[n++] = k;
            continue;
        }
        const size_t at = strlen(text);
        if (at + 24 < sizeof text)
            snprintf(text + at, sizeof text - at, " %lld", (long long)number);
        gone++;
    }
    fb_note(log, "%s: %lld of %lld normal modes are cut:%s", option, (long long)gone,
            (long long)nmodes, gone ? text : " none");
    if (gone)
        FB_TRY(fb_reduction_shorten(r, keep, n, log, e));
out:
    FB_FREE(name, keep);
    return s;
}
