/* SPDX-License-Identifier: GPL-3.0-or-later */
/* density.c - the mass of a body over the box of its nodes, which shows wrong units.
 *
 *   (DE.1) C = sum (u - o)(u - o)',  C A = A diag            axes A of the cloud of nodes, o its
 *          mean
 *   (DE.2) V = min( V of the box along x, y, z ; V of the box along A )
 *   (DE.3) m / V  <=  mass over the volume of the material   the box holds the nodes, and mostly
 *          air besides
 * So a value above that of any material is an error, for whatever body whose nodes span its volume;
 * one that is low says something of solids alone. Bodies whose nodes lie in a plane or on a line
 * have none.
 */
#include "linalg/dense.h"
#include "model.h"
#include "status.h"
#include "units.h"
#include <math.h>

#define FLAT           1e-6 /* of the longest side: no volume */
#define HEAVIEST       3e4  /* kg/m^3, osmium has 22,600 */
#define LIGHTEST       10.  /* kg/m^3, of a solid; foams have more */
#define LIGHTEST_FRAME 0.01 /* of beams and shells, which are air for the most part */

double fb_total_mass(const fb_model *b)
{
    double m = 0;
    if (b->total_mass)
        return fmax(b->total_mass[0], fmax(b->total_mass[1], b->total_mass[2]));
    for (int64_t p = 0; b->node_mass && p < b->nn; p++)
        m += b->node_mass[p];
    return b->node_mass ? m : b->ref_mass ? b->ref_mass[0] : 0;
}

/* Sides of the box of the nodes along the columns of A. */
static double volume(const fb_model *b, const double A[9])
{
    double side[3], longest = 0;
    for (int a = 0; a < 3; a++) {
        double lo = HUGE_VAL, hi = -HUGE_VAL;
        for (int64_t p = 0; p < b->nn; p++) {
            const double *u = b->xyz + 3 * p,
                         x = u[0] * A[3 * a] + u[1] * A[3 * a + 1] + u[2] * A[3 * a + 2];
            lo = fmin(lo, x);
            hi = fmax(hi, x);
        }
        side[a] = hi - lo;
        longest = fmax(longest, side[a]);
    }
    for (int a = 0; a < 3; a++)
        if (!(side[a] > FLAT * longest))
            return 0;
    return side[0] * side[1] * side[2];
}

fb_status fb_node_volume(const fb_model *b, double *V, fb_err *e)
{
    static const double basic[9] = {1, 0, 0, 0, 1, 0, 0, 0, 1};
    double o[3] = {0}, C[9] = {0}, diagonal[3];
    fb_mat A = {3, 3, C};
    *V = 0;
    if (!b->xyz || b->nn < 4)
        return FB_OK;
    for (int64_t k = 0; k < 3 * b->nn; k++)
        o[k % 3] += b->xyz[k] / (double)b->nn;
    for (int64_t p = 0; p < b->nn; p++) /* (DE.1) */
        for (int a = 0; a < 3; a++)
            for (int c = 0; c < 3; c++)
                C[3 * a + c] += (b->xyz[3 * p + a] - o[a]) * (b->xyz[3 * p + c] - o[c]);
    fb_status s = fb_eig_symmetric(&A, diagonal, e);
    if (!s)
        *V = fmin(volume(b, basic), volume(b, C)); /* (DE.2) */
    return s;
}

/* Nodes of solids have translations alone. */
static int solid(const fb_model *b)
{
    for (int64_t d = 0; d < b->ndof; d++)
        if (b->dof_component && b->dof_component[d] > 3)
            return 0;
    return b->ndof > 0 && b->dof_component;
}

fb_status fb_density_check(const fb_model *b, fb_log *log, fb_err *e)
{
    const double m = b->units.factor[FB_MASS], l = b->units.factor[FB_LENGTH];
    double V = 0;
    if (!(m > 0) || !(l > 0) || !(fb_total_mass(b) > 0))
        return FB_OK;
    fb_status s = fb_node_volume(b, &V, e);
    if (s || !(V > 0))
        return s;
    const double rho = fb_total_mass(b) * m / (V * l * l * l); /* (DE.3) */
    const int is_solid = solid(b);
    if (rho > HEAVIEST || rho < (is_solid ? LIGHTEST : LIGHTEST_FRAME))
        fb_warn(log,
                "the mass over the box of the nodes is %.3g kg/m^3, %s: are the units of mass and "
                "length right (--input-units)?",
                rho,
                rho > HEAVIEST ? "more than any material has"
                : is_solid     ? "less than solids have"
                               : "less than any structure has");
    return FB_OK;
}
