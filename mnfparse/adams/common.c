/* SPDX-License-Identifier: GPL-3.0-or-later */
/* common.c - what the binary .mnf and its ASCII dump share. */
#include "memory.h"
#include "common.h"
#include <math.h>
#include <stdio.h>

fb_status fb_mnf_begin(fb_parts *p, fb_model **b, const char *format, fb_err *e)
{
    if (p->body.nn)
        return fb_fail(e, FB_EUSAGE, "a second body: one .mnf (or dump of one) at a time");
    *b = fb_parts_body(p, format);
    return FB_OK;
}

fb_status fb_mnf_reference(fb_model *b, fb_err *e)
{
    FB_PASS(fb_new(&b->ref_mass, 1, 8, "mass", e));
    FB_PASS(fb_new(&b->ref_com, 3, 8, "centre of mass", e));
    return fb_new(&b->ref_inertia, 9, 8, "inertia", e);
}

void fb_mnf_unit(fb_model *b, fb_unitkind k, const char *name, fb_log *log)
{
    static const char *const what[] = {"mass", "length", "time", "force"};
    FB_ROWS(what, FB_NUNIT);
    if (!fb_units_set(&b->units, k, name))
        fb_warn(log, "unit of %s '%s' is not known: kept as a name, converting will be refused",
                what[k], name);
}

/* Block 7 gives w in rad/s, or perhaps in rad per unit of time: w = 2 pi f tells which, f being in
 * Hz always. The model keeps rad per unit of time, so that stiffness is mass length^2 / time^2. */
static void table_in_units(fb_model *b)
{
    double top = 0, ratio = 0, t = b->units.factor[FB_TIME];
    for (int64_t k = 0; k < b->nm; k++)
        if (b->eigen[5 * k + 1] > top) {
            top = b->eigen[5 * k + 1];
            ratio = sqrt(fabs(b->eigen[5 * k])) / (6.283185307179586 * top);
        }
    if (!(t > 0) || t == 1 || fabs(ratio - 1) > 1e-3)
        return;
    for (int64_t k = 0; k < b->nm; k++) {
        b->eigen[5 * k] *= t * t;
        b->eigen[5 * k + 2] *= t;
        b->eigen[5 * k + 4] *= t * t;
    }
}

fb_status fb_mnf_finish(fb_model *b, fb_err *e)
{
    table_in_units(b);
    FB_PASS(fb_model_diagonal(b, e));
    for (int64_t k = 0; k < b->nm; k++)
        if (!(b->eigen[5 * k + 3] > 0))
            return fb_fail(e, FB_EFORMAT, "mode %lld: generalized mass %g is not positive",
                           (long long)b->mode_number[k], b->eigen[5 * k + 3]);
    FB_PASS(fb_model_frequencies(b, NULL, e));
    FB_PASS(fb_model_nodal_dofs(b, e));
    return fb_model_connectors(b, b->shape, e);
}
