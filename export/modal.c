/* SPDX-License-Identifier: GPL-3.0-or-later */
/* modal.c - the modes of the reduced pair: frequencies, damping, shapes.
 *
 *   (MO.1) Kr v = Mr v w^2,  v'Mr v = 1      (lib/roots.c)
 *   (MO.2) zeta = v'Dr v / (2 w)             share of critical damping; coupling is left out
 *   (MO.3) X = T V                           shapes over /dofs
 */
#include "body.h"
#include "memory.h"
#include <math.h>

static double damping(const fb_model *b, const double *v, double lambda)
{
    double sum = 0;
    for (int64_t i = 0; i < b->nr; i++)
        for (int64_t j = 0; j < b->nr; j++)
            sum += v[i] * b->Dr[i * b->nr + j] * v[j];
    return sum / (2 * sqrt(lambda)); /* (MO.2) */
}

fb_status fb_modal_new(const fb_model *b, fb_modal *out, fb_err *e)
{
    const double *T = fb_shapes(b);
    fb_roots r = {0};
    fb_modal m = {0};
    fb_status s = FB_OK;
    FB_TRY(fb_model_roots(b, &r, e)); /* (MO.1) */
    m.n = r.n;
    FB_TRY(FB_NEW(&m.hz, r.n, e));
    for (int64_t k = 0; k < r.n; k++)
        m.hz[k] = fb_hertz(&b->units, r.lambda[k]);
    if (b->Dr) {
        FB_TRY(FB_NEW(&m.zeta, r.n, e));
        for (int64_t k = 0; k < r.n; k++)
            m.zeta[k] = r.lambda[k] > 0 ? damping(b, r.V.x + k * b->nr, r.lambda[k]) : (double)NAN;
    }
    if (T) {
        const fb_mat Tm = {b->ndof, b->nr, (double *)T};
        FB_TRY(fb_mat_new(&m.X, b->ndof, r.n, e));
        FB_TRY(fb_gemm(0, 0, 1, &Tm, &r.V, 0, &m.X, e)); /* (MO.3) */
    }
    m.V = r.V;
    r.V = (fb_mat){0};
    *out = m;
    m = (fb_modal){0};
out:
    fb_modal_free(&m);
    fb_roots_free(&r);
    return s;
}

void fb_modal_free(fb_modal *m)
{
    FB_FREE(m->hz, m->zeta);
    FB_FREE_BY(fb_mat_free, &m->V, &m->X);
    *m = (fb_modal){0};
}
