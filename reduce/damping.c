/* SPDX-License-Identifier: GPL-3.0-or-later */
/* damping.c - damping that the user states for the reduced body.
 *
 * Equations  V, w of (Kr, Mr): Kr V = Mr V diag(w^2), V'Mr V = I
 *   (DA.1) Dr := Dr + alpha Mr + beta Kr                      Rayleigh, alpha 1/time, beta time
 *   (DA.2) Dr := Dr + Mr V diag(2 zeta w) V' Mr               V'Dr V = diag(2 zeta w)
 * Source   Clough & Penzien, Dynamics of Structures (1993), sec. 12-5
 */
#include "memory.h"
#include "number.h"
#include "verdict.h"
#include <math.h>
#include <stdio.h>
#include <string.h>

/* alpha M r is a force against rigid motion r, as of a body in syrup; beta K r and (DA.2) are none.
 * */
static void tell_braked(const fb_model *b, double alpha, fb_log *log)
{
    int64_t rigid = 0;
    for (int64_t k = 0; b->frequency && k < b->nr; k++)
        rigid += !(b->frequency[k] < 0 || b->frequency[k] > 0);
    if (alpha > 0 && rigid)
        fb_warn(log,
                "--rayleigh: alpha %g brakes the %lld rigid mode%s of the body: its flight comes "
                "to rest within some %.3g %s; take 0,BETA or --modal-damping, which leave rigid "
                "motion alone",
                alpha, (long long)rigid, rigid > 1 ? "s" : "", 3 / alpha, b->units.name[FB_TIME]);
}

static fb_status alpha_beta(const char *list, double v[2], fb_err *e)
{
    if (fb_scan_reals(list, list + strlen(list), v, 2) != 2 || v[0] < 0 || v[1] < 0)
        return fb_fail(e, FB_EUSAGE, "--rayleigh: '%.80s' is not ALPHA,BETA, both at least 0",
                       list);
    return FB_OK;
}

/* (DA.1) */
static fb_status rayleigh(fb_model *b, const char *list, fb_log *log, fb_err *e)
{
    double v[2] = {0, 0};
    FB_PASS(alpha_beta(list, v, e));
    tell_braked(b, v[0], log);
    for (int64_t k = 0; k < b->nr * b->nr; k++)
        b->Dr[k] += v[0] * b->Mr[k] + v[1] * b->Kr[k];
    return FB_OK;
}

/* One item of the table: ZETA for all, MODE:ZETA or MODE-MODE:ZETA. zeta NULL: only its form is
 * judged, by no n. */
static fb_status item(const char *p, const char *end, int64_t n, double *zeta, fb_err *e)
{
    int64_t a = 1, z = n;
    double v = 0;
    char most[40] = "";
    if (zeta)
        snprintf(most, sizeof most, " to %lld", (long long)n);
    const char *start = p, *q = fb_scan_int(p, end, &a), *colon = memchr(p, ':', (size_t)(end - p));
    if (colon) {
        z = a;
        if (q && q < colon && *q == '-')
            q = fb_scan_int(q + 1, end, &z);
        p = q == colon ? colon + 1 : NULL;
    } else {
        a = 1;
    }
    p = p ? fb_scan_real(p, end, &v) : NULL;
    if (p != end || a < 1 || z < a || z > n || !(v >= 0 && v < 1))
        return fb_fail(e, FB_EUSAGE,
                       "--modal-damping: '%.*s' is not ZETA, MODE:ZETA or MODE-MODE:ZETA with "
                       "modes from 1%s and a damping ratio from 0 to 1",
                       (int)(end - start < 60 ? end - start : 60), start, most);
    for (int64_t k = a; zeta && k <= z; k++)
        zeta[k - 1] = v;
    return FB_OK;
}

static fb_status ratios(const char *list, int64_t n, double *zeta, fb_err *e)
{
    if (!*list)
        return fb_fail(e, FB_EUSAGE, "--modal-damping: names no damping ratio");
    for (const char *p = list; *p;) {
        const char *q = p + strcspn(p, ",");
        FB_PASS(item(p, q, n, zeta, e));
        p = *q ? q + 1 : q;
    }
    return FB_OK;
}

fb_status fb_damping_check(const char *by_rayleigh, const char *by_modes, fb_err *e)
{
    double v[2];
    if (by_rayleigh)
        FB_PASS(alpha_beta(by_rayleigh, v, e));
    return by_modes ? ratios(by_modes, INT64_MAX, NULL, e) : FB_OK;
}

/* (DA.2) */
static fb_status modal(fb_model *b, const char *list, fb_log *log, fb_err *e)
{
    int64_t n = b->nr;
    const fb_mat K = {n, n, b->Kr}, M = {n, n, b->Mr};
    fb_mat V = {0}, MV = {0}, W = {0}, D = {0};
    double *zeta = NULL, *lambda = NULL;
    fb_status s = FB_OK;
    FB_TRY(fb_new(&zeta, n, 8, "damping ratios", e));
    FB_TRY(fb_new(&lambda, n, 8, "eigenvalues", e));
    FB_TRY(ratios(list, n, zeta, e));
    FB_TRY(fb_eig_dense(&K, &M, lambda, &V, e));
    FB_TRY(fb_mat_product(0, 0, &M, &V, &MV, e));
    FB_TRY(fb_mat_new(&W, n, n, e));
    for (int64_t k = 0; k < n; k++)
        for (int64_t i = 0; i < n; i++)
            W.x[i + k * n] = MV.x[i + k * n] * 2 * zeta[k] * sqrt(fmax(lambda[k], 0));
    FB_TRY(fb_mat_product(0, 1, &W, &MV, &D, e));
    fb_mat_symmetrise(&D); /* what is added; Dr itself may have any form */
    fb_axpy(1, D.x, b->Dr, n * n);
    fb_note(log,
            "modal damping by the ratios of --modal-damping, on the modes of the reduced body");
out:
    FB_FREE_BY(fb_mat_free, &V, &MV, &W, &D);
    FB_FREE(zeta, lambda);
    return s;
}

fb_status fb_damping(fb_model *b, const char *by_rayleigh, const char *by_modes, fb_log *log,
                     fb_err *e)
{
    fb_status s = FB_OK;
    if (!by_rayleigh && !by_modes)
        return FB_OK;
    if (!b->Dr)
        FB_TRY(fb_new(&b->Dr, b->nr * b->nr, 8, "reduced damping", e));
    if (by_rayleigh)
        FB_TRY(rayleigh(b, by_rayleigh, log, e));
    if (by_modes)
        s = modal(b, by_modes, log, e);
out:
    return s;
}
