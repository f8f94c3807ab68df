/* SPDX-License-Identifier: GPL-3.0-or-later */
/* ffr.c - Newton-Euler chain in the floating frame, in closed form, O(n^3 m^2).
 *
 * V_i = [v; w] of the hub of link i, V all of them; x = [theta; q] of the links in turn
 *   (14)-(16), (27) of chain.c: floating frames
 *   (17) P'V' = B x'' + V'',  P' unit lower block bidiagonal with the blocks -A_i of v, w;
 *        B_i = P_i, and the columns of q in A_i; V'' = c. No inverse is needed: N = P'^-1 B by rows
 *   (18) M = N'Ivv N + N'Ivq + Ivq'N + I6,  Ivv, Ivq the blocks of (6), is N'Mass N with the rows
 *        of q' in N
 * Source  B. Scaglioni, PhD thesis, Politecnico di Milano 2016, sect. 3.1, eq. (3.41)-(3.56), which
 *         has world axes, orders V as [w; v] and x as all theta, then all q
 */
#include "sim.h"

const formulation program = {"ffr", "closed form in the floating frame", 6, floating_link,
                             closed_form};
