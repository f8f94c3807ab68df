/* SPDX-License-Identifier: GPL-3.0-or-later */
/* imr.c - interior mode ranking: Craig-Bampton whose interior modes are chosen by how much they take part
 * in the modes of interest of the whole body, not by lowest frequency.
 *
 * Symbols  Lambda modes of interest v_i of (Kq, Mq), mass-normalised; B boundary rows; Psi, Phi as in cb.c
 * Equations on a body held by modes, x = Phi0 q
 *   (IM.1) gamma_i = Phi' Mq (v_i - Psi B v_i)       entry z: the coefficient of interior mode z in v_i
 *   (IM.2) g_z = sum_i a_i |gamma_iz| / ||gamma_i||,  sum a_i = 1; v_i with ||gamma_i|| = 0 are left out
 * The interior modes with the largest g_z are kept; of equal ones, the lower.
 * Lambda   by default the N - n_rigid lowest elastic modes, N the order; numbers count rigid modes
 * Source   Palomba, Richiedei & Trevisani, in the form of L. Scalera, PhD thesis, Udine 2018, ch. 4
 * Laws     tests/prop/test_methods.c
 */
#include "modal.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* A rigid mode has no interior part but round-off; a mass-normalised elastic one has up to 1. */
static const double no_part = 1e-6;
/* Scores closer than this are equal: twins of a symmetric body differ by round-off. */
static const double tie = 1e-9;

/* "7:1,8:2", "1,21-27": weight[k - 1] of each number k named, 1 where none is given. */
static fb_status numbers(const char *option, const char *list, int64_t most, int weighted, double *weight, int64_t *count,
                         fb_err *e)
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
            return fb_fail(e, FB_EUSAGE, "%s: '%.*s' is not %s; numbers go from 1 to %lld", option, (int)strcspn(start, ","), start,
                           weighted ? "MODE, MODE-MODE or MODE:WEIGHT with a weight above 0" : "MODE or MODE-MODE", (long long)most);
        for (int64_t k = a; k <= z; k++, ++*count) {
            if (weight[k - 1] > 0)
                return fb_fail(e, FB_EUSAGE, "%s: mode %lld is named twice", option, (long long)k);
            weight[k - 1] = w;
        }
        p = q;
    }
    return *count ? FB_OK : fb_fail(e, FB_EUSAGE, "%s: names no mode", option);
}

/* Weights of the modes of interest; order is the one asked for. */
static fb_status interest(const fb_model *b, const fb_reduceopt *o, const double *w2, int64_t order, double *weight, fb_err *e)
{
    int64_t count = 0, rigid = fb_modal_rigid(w2, b->nm);
    if (o->weights)
        return numbers("--weights", o->weights, b->nm, 1, weight, &count, e);
    for (int64_t k = rigid; k < b->nm && k < order; k++)
        weight[k] = 1;
    return order > rigid ? FB_OK : fb_fail(e, FB_EUSAGE, "order %lld leaves no elastic mode of interest behind %lld rigid ones: "
                                           "name some by --weights", (long long)order, (long long)rigid);
}

/* (IM.1) for every mode of the body: G [ni x nm]. */
static fb_status participation(const fb_model *b, const fb_modalsplit *t, const int64_t *dof, const fb_mat *V, fb_mat *G,
                               fb_err *e)
{
    const fb_mat Mq = {b->nm, b->nm, b->Mr};
    fb_mat B = {0}, BV = {0}, R = {0}, MR = {0};
    fb_status s = FB_OK;
    FB_TRY(fb_modal_rows(b, dof, t->Psi.n, &B, e));
    FB_TRY(fb_mat_new(&BV, B.m, V->n, e));
    FB_TRY(fb_mat_new(&R, b->nm, V->n, e));
    FB_TRY(fb_mat_new(&MR, b->nm, V->n, e));
    FB_TRY(fb_mat_new(G, t->Phi.n, V->n, e));
    memcpy(R.x, V->x, sizeof(double) * (size_t)(R.m * R.n));
    FB_TRY(fb_gemm(0, 0, 1, &B, V, 0, &BV, e));
    FB_TRY(fb_gemm(0, 0, -1, &t->Psi, &BV, 1, &R, e));
    FB_TRY(fb_gemm(0, 0, 1, &Mq, &R, 0, &MR, e));
    s = fb_gemm(1, 0, 1, &t->Phi, &MR, 0, G, e);
out:
    fb_mat_free(&B);
    fb_mat_free(&BV);
    fb_mat_free(&R);
    fb_mat_free(&MR);
    return s;
}

/* (IM.2) */
static fb_status score(const fb_mat *G, const double *weight, double *g, fb_err *e)
{
    double sum = 0;
    int64_t used = 0;
    for (int64_t i = 0; i < G->n; i++)
        sum += weight[i];
    for (int64_t i = 0; i < G->n; i++) {
        const double *gamma = G->x + i * G->m;
        double norm = 0;
        for (int64_t z = 0; z < G->m; z++)
            norm += gamma[z] * gamma[z];
        norm = sqrt(norm);
        if (weight[i] == 0 || norm < no_part)
            continue;
        used++;
        for (int64_t z = 0; z < G->m; z++)
            g[z] += weight[i] / sum * fabs(gamma[z]) / norm;
    }
    return used ? FB_OK : fb_fail(e, FB_EUSAGE, "--weights: none of these modes moves the interior; name elastic ones");
}

/* The k interior modes with the largest scores, best first; g is spent. */
static void rank(double *g, int64_t ni, int64_t *best, int64_t k, fb_log *log)
{
    char text[900] = "";
    for (int64_t c = 0; c < k; c++) {
        int64_t top = 0;
        for (int64_t z = 1; z < ni; z++)
            if (g[z] > g[top] + tie)
                top = z;
        size_t at = strlen(text);
        snprintf(text + at, sizeof text - at, " %lld (%.4f)", (long long)top + 1, g[top]);
        best[c] = top;
        g[top] = -1;
    }
    fb_note(log, "interior modes by participation:%s", text);
}

static int ascending(const void *a, const void *b)
{
    int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;
    return (x > y) - (x < y);
}

static fb_status by_rank(const fb_model *b, const fb_reduceopt *o, const fb_modalsplit *t, const int64_t *dof, int64_t *keep,
                         int64_t k, fb_log *log, fb_err *e)
{
    int64_t ni = t->Phi.n;
    double *w2 = NULL, *weight = NULL, *g = NULL;
    fb_mat V = {0}, G = {0};
    fb_status s = FB_OK;
    FB_TRY(fb_modal_eigen(b, &w2, &V, e));
    FB_TRY(fb_new(&weight, b->nm, 8, "weights", e));
    FB_TRY(interest(b, o, w2, t->Psi.n + k, weight, e));
    FB_TRY(participation(b, t, dof, &V, &G, e));
    FB_TRY(fb_new(&g, ni, 8, "participations", e));
    FB_TRY(score(&G, weight, g, e));
    rank(g, ni, keep, k, log);
out:
    fb_mat_free(&V);
    fb_mat_free(&G);
    free(w2);
    free(weight);
    free(g);
    return s;
}

/* --select: *keep and their number, which --order or --modes may repeat. */
static fb_status by_number(const fb_reduceopt *o, int64_t ni, int64_t nb, int64_t **keep, int64_t *k, fb_err *e)
{
    double *chosen = NULL;
    int64_t n = 0, *list = NULL;
    fb_status s = FB_OK;
    FB_TRY(fb_new(&chosen, ni, 8, "modes kept", e));
    FB_TRY(fb_new(&list, ni, 8, "modes kept", e));
    FB_TRY(numbers("--select", o->select, ni, 0, chosen, &n, e));
    if ((o->order >= 0 && o->order != nb + n) || (o->modes >= 0 && o->modes != n)) {
        s = fb_fail(e, FB_EUSAGE, "%lld interior modes are selected, which with %lld boundary dofs makes order %lld, not %lld: "
                    "leave the order out", (long long)n, (long long)nb, (long long)(nb + n),
                    (long long)(o->order >= 0 ? o->order : nb + o->modes));
        goto out;
    }
    for (int64_t z = 0, c = 0; z < ni; z++)
        if (chosen[z] > 0)
            list[c++] = z;
    *keep = list;
    *k = n;
    list = NULL;
out:
    free(chosen);
    free(list);
    return s;
}

static fb_status modal(const fb_model *b, const fb_reduceopt *o, fb_reduction *r, fb_log *log, fb_err *e)
{
    static const char interior[] = " interior ones";
    int64_t *dof = NULL, *keep = NULL, nb = 0, k = 0;
    fb_modalsplit t = {0};
    fb_status s = FB_OK;
    if (o->fmax > 0 || (o->select && o->weights)) {
        s = o->fmax > 0 ? fb_fail(e, FB_EUSAGE, "--fmax chooses by frequency, IMR by participation: give --order or --modes")
                        : fb_fail(e, FB_EUSAGE, "--select names the interior modes, --weights ranks them: give one of the two");
        goto out;
    }
    FB_TRY(fb_modal_boundary(b, "--interface", o->interface, &dof, &nb, log, e));
    if (o->order >= 0 && o->order < nb)
        FB_TRY(fb_modal_wanted(b, o, NULL, 0, nb, interior, &k, log, e));
    FB_TRY(fb_modal_split(b, dof, nb, &t, log, e));
    if (o->select) {
        FB_TRY(by_number(o, t.Phi.n, nb, &keep, &k, e));
    } else {
        FB_TRY(fb_modal_wanted(b, o, NULL, t.Phi.n, nb, interior, &k, log, e));
        FB_TRY(fb_new(&keep, k, 8, "modes kept", e));
        if (k > 0)
            FB_TRY(by_rank(b, o, &t, dof, keep, k, log, e));
        qsort(keep, (size_t)k, sizeof *keep, ascending); /* as coordinates they stand by frequency */
    }
    s = fb_modal_hybrid(b, &t, keep, k, r, log, e);
out:
    fb_modal_split_free(&t);
    free(keep);
    free(dof);
    return s;
}

const fb_method fb_method_imr = {
    .name = "imr", .doc = "interior mode ranking", .modal = modal, .uses = FB_USES_WEIGHTS | FB_USES_SELECT};
