/* SPDX-License-Identifier: GPL-3.0-or-later */
/* substructure.c - is a matrix that claims to be condensed free to move as a rigid body? */
#include "linalg/sparse_ops.h"
#include "memory.h"
#include "assemble.h"
#include <math.h>

/* max |K R| / max |K| with R in lengths of the body; -1 where a node has no coordinates. */
static double rigid_residual(const fb_matrix *m, const fb_parts *p, const fb_index *x, double *R,
                             double *KR)
{
    int64_t n = m->A.n;
    double size = 0, top = 0, worst = 0;
    for (int64_t k = 0; k < 3 * p->nn; k++)
        size = fabs(p->xyz[k]) > size ? fabs(p->xyz[k]) : size;
    for (int64_t k = 0; k < n; k++) {
        double r[6] = {0};
        if (m->row.class[k] == FB_DOF_PHYSICAL) {
            int64_t at = fb_index_find(x, m->row.node[k]);
            if (at < 0 || m->row.component[k] < 1 || m->row.component[k] > 6)
                return -1;
            fb_rigid_row(p->xyz + 3 * at, m->row.component[k], r);
        }
        for (int c = 0; c < 6; c++)
            R[c * n + k] = c < 3 || size == 0 ? r[c] : r[c] / size;
    }
    fb_csc_mul(&m->A, R, n, KR, n, 6);
    for (int64_t q = 0; q < m->A.p[n]; q++)
        top = fabs(m->A.x[q]) > top ? fabs(m->A.x[q]) : top;
    for (int64_t q = 0; q < 6 * n; q++)
        worst = fabs(KR[q]) > worst ? fabs(KR[q]) : worst;
    return top > 0 ? worst / top : 0;
}

fb_status fb_substructure_check(const fb_parts *p, fb_log *log, fb_err *e)
{
    fb_index x = {0};
    double *R = NULL, *KR = NULL;
    fb_status s = FB_OK;
    for (int64_t k = 0; k < p->nmatrix && p->nn; k++) {
        const fb_matrix *m = p->matrix + k;
        if (!m->condensed || m->role != FB_ROLE_STIFFNESS)
            continue;
        if (!x.n)
            FB_TRY(fb_index_new(&x, p->node_id, p->nn, "the deck", e));
        FB_TRY(fb_new(&R, 6 * m->A.n, sizeof *R, "rigid-body motions", e));
        FB_TRY(fb_new(&KR, 6 * m->A.n, sizeof *KR, "rigid-body motions", e));
        double worst = rigid_residual(m, p, &x, R, KR);
        if (worst > 1e-5)
            fb_warn(
                log,
                "%s: the stiffness resists rigid-body motion (%.2g of its largest entry): either "
                "the body is supported, or the matrix is not condensed: CalculiX 2.20 writes the "
                "plain block of the full stiffness, export .sti and .mas and reduce here",
                m->origin, worst);
        FB_FREE(R, KR);
        R = KR = NULL;
    }
out:
    FB_FREE(R, KR);
    fb_index_free(&x);
    return s;
}
