/* SPDX-License-Identifier: GPL-3.0-or-later */
/* ties.c - cards that let dofs follow others: the solver takes these dofs (its m-set) out of the
 * matrices, but only behind those of the g-set. What follows them is not read, for matrices without
 * them say it; that they follow is.
 *
 * Cards    MPC   SID G C A ...                       the first dof
 *          RBE1  EID GN CN ... UM GM CM ...          all behind UM
 *          RBE2  EID GN CM GM GM ... [ALPHA]         CM of each GM; with THRU
 *          RBE3  EID - REFGRID REFC ... [UM GM CM ...]   REFC, or what stands behind UM
 *          RBAR  EID GA GB CNA CNB CMA CMB           CMA and CMB; both blank: what CNA and CNB lack
 *          RROD  EID GA GB CMA CMB
 * Source   MSC and NX Nastran Quick Reference Guides
 */
#include "nastran.h"
#include <string.h>

/* Components c of the point at token k; a field that is no point has none. */
static fb_status tie(nas_deck *d, int64_t k, const char *c, fb_err *e)
{
    int64_t id;
    if (!c[0] || !nas_int(nas_field_at(d, k), &id) || id < 1)
        return FB_OK;
    return nas_points_row(&d->points.tied, id, c, e);
}

/* Of the point at token k the components at token k + 1. */
static fb_status tie_pair(nas_deck *d, int64_t k, fb_err *e)
{
    char c[7];
    FB_PASS(nas_components(d, k + 1, c, e));
    return tie(d, k, c[0] ? c : "0", e);
}

/* The pairs behind the word UM, four fields of a line with three of them; *is: there are some. */
static fb_status behind_um(nas_deck *d, int *is, fb_err *e)
{
    int64_t k = 0;
    double alpha;
    while (k < d->ntoken && !nas_is(nas_field_at(d, k), "UM"))
        k++;
    *is = k < d->ntoken;
    for (k++; k + 1 < d->ntoken; k++) {
        const fb_span f = nas_field_at(d, k);
        int64_t id;
        if (nas_blank(f))
            continue;
        if (!nas_int(f, &id)) /* ALPHA, by its word or as a real */
            return nas_is(f, "ALPHA") || fb_is_real(f, &alpha)
                       ? FB_OK
                       : fb_fail(e, FB_EFORMAT, "field %lld is '%.*s', a point is wanted",
                                 (long long)k + 2, (int)(f.end - f.p), f.p);
        FB_PASS(tie_pair(d, k++, e));
    }
    return FB_OK;
}

static fb_status rbe2(nas_deck *d, fb_err *e)
{
    char c[7];
    FB_PASS(nas_components(d, 2, c, e));
    for (int64_t k = 3; k < d->ntoken; k++) {
        int64_t first = 0, last = 0;
        if (nas_is(nas_field_at(d, k), "THRU") && nas_int(nas_field_at(d, k - 1), &first) &&
            nas_int(nas_field_at(d, k + 1), &last) && last - first < 100000)
            for (first++; first > 1 && first < last; first++)
                FB_PASS(nas_points_row(&d->points.tied, first, c, e));
        else
            FB_PASS(tie(d, k, c, e));
    }
    return FB_OK;
}

static fb_status rbe3(nas_deck *d, fb_err *e)
{
    int um = 0;
    FB_PASS(behind_um(d, &um, e));
    return um ? FB_OK : tie_pair(d, 2, e);
}

/* The six components without those of c. */
static void others(const char *c, char out[7])
{
    int n = 0;
    for (char q = '1'; q <= '6'; q++)
        if (!strchr(c, q))
            out[n++] = q;
    out[n] = 0;
}

/* at: token of CMA; where it is not the third, CNA and CNB stand before it. */
static fb_status bar(nas_deck *d, int64_t at, fb_err *e)
{
    char m[2][7], n[7];
    for (int q = 0; q < 2; q++)
        FB_PASS(nas_components(d, at + q, m[q], e));
    const int rest = at > 3 && !strpbrk(m[0], "123456") && !strpbrk(m[1], "123456");
    for (int q = 0; q < 2; q++) {
        if (rest) {
            FB_PASS(nas_components(d, 3 + q, n, e));
            others(n, m[q]);
        }
        if (strpbrk(m[q], "123456"))
            FB_PASS(tie(d, 1 + q, m[q], e));
    }
    return FB_OK;
}

fb_status nas_ties(nas_deck *d, fb_err *e)
{
    int um = 0;
    if (!strcmp(d->name, "MPC"))
        return tie_pair(d, 1, e);
    FB_PASS(nas_element(d, e));
    if (!strcmp(d->name, "RBE1"))
        return behind_um(d, &um, e);
    if (!strcmp(d->name, "RBE2"))
        return rbe2(d, e);
    if (!strcmp(d->name, "RBE3"))
        return rbe3(d, e);
    return bar(d, strcmp(d->name, "RROD") ? 5 : 3, e);
}
