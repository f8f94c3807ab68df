/* SPDX-License-Identifier: GPL-3.0-or-later */
/* erls.c - equivalent rigid link system with component modes.
 *
 * The rigid chain moves by theta alone; a link's coordinates are [rho; z]: six rigid ones (small
 * displacement and rotation of its hub off the rigid chain) and elastic ones, in the basis of (4),
 * (5): link.c. x = [theta; z] of the links in turn.
 *   (20) compatibility: rho_1 = 0;  rho_o = [rho_t + rho_r~ u_o + S_o z; rho_r + Shat_o z]
 *        = [S; Shat] [rho; z] at the tip;  rho of the next link = diag(C', C') rho_o,
 *        C = B exp(a~ theta);  rates with O = diag(a~, a~)
 *        rho'  = C' rho_o' - theta' O rho,
 *        rho'' = C' rho_o'' - 2 theta' O C' rho_o' + theta'^2 O O rho - theta'' O rho
 *   (21) (27) with eta = [v, w of the rigid link; rho'; z']: A has C' [E, -r~; 0, E] and
 *        C' [S; Shat],  P = [0; a; -O rho],  c the terms of rates, with
 *        C' rho_o' = rho' + theta' O rho
 *   (22) the sum (18) over all links
 * Displacements add in undeformed directions: chains agree with ffr to first order in deformation,
 * one link exactly.
 * Source  R. Vidoni et al., eq. (3), (4), (9)-(24), with all six components of each joint; L.
 *         Scalera, PhD thesis, University of Udine 2018, ch. 2. Their X, Y, Z, W are the same
 *         integrals as I1..I9
 */
#include "sim.h"
#include <string.h>

static void rigid_link(chain *c, int i)
{
    static const double none[3];
    body *s = c->body + i, *o = s - 1;
    const double *a = s->axis, *r = none;
    double bias[6] = {0}, y[6] = {0}, X[12 * NROW] = {0}, *rho = s->q;
    if (i) {
        const flex *b = &o->link;
        const double *S = b->rows + OF_F * b->m;
        r = b->tip;
        for (int d = 0; d < 6; d++)
            copy(X + (6 + d) * (6 + b->m) + 6, S + d * b->m, b->m);
        times_add(6, b->m, 1, S, o->q, y); /* (20) */
        turn(s->C, 1, y, rho);
        turn(s->C, 1, y + 3, rho + 3);
        memset(y, 0, sizeof y);
        cross_add(1, o->eta + 3, r, y);
        cross_add(1, o->eta + 3, y, bias);
    }
    for (int part = 0; part < 6; part += 3)
        cross_add(-1, a, rho + part, s->P + 6 + part);
    joined(c, i, r, bias, X);
    for (int part = 6; part < 12; part += 3) { /* -2 theta' O rho' - theta'^2 O O rho */
        cross_add(-2 * s->rate, a, s->eta + part, s->c + part);
        cross_add(s->rate * s->rate, a, s->P + part, s->c + part);
    }
}

const formulation program = {"erls", "equivalent rigid link system with component modes", 12,
                             rigid_link, closed_form};
