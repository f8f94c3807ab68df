/* SPDX-License-Identifier: GPL-3.0-or-later */
/* lump.c - sums over the entries of a mass matrix by the nodes of their dofs (lib/rigid.c, RI.3 and
 * RI.4). */
#include "team.h"
#include <stdlib.h>
#include <string.h>

/* a[0] M, upper, a[1] nodes; in [2 n]: of each dof its node, -1: none, and its component, 0: not
 * one of 1 to 6; in2 [a[1]]: how many axes each node has as bits. out [10 a[1] + 1] on rank 0: of
 * each node the diagonal of the translations, mean over its axes, and the rotary block; then the
 * sum of all translations. */
fb_status team_lump(team_work *w, fb_err *e)
{
    static const int ones[] = {0, 1, 1, 2, 1, 2, 2, 3};
    const team_object *o = team_get(w->a[0]);
    const int64_t n = o->rows.n, nn = w->a[1], own = o->rows.own;
    const int64_t *place = team_all(w->in, 2 * n, 8), *component = place + n,
                  *axes = team_all(w->in2, nn, 8);
    double *y = team_room(10 * nn + 1, sizeof *y);
    (void)e;
    for (int64_t j = 0; j < own; j++)
        for (int64_t q = o->A.p[j]; q < o->A.p[j + 1]; q++) {
            const int64_t r = team_row_number(o, o->A.i[q]), d = o->rows.first + j, u = place[r],
                          v = place[d];
            if (u < 0 || v < 0 || !component[d] || !component[r])
                continue;
            if (component[d] <= 3 && component[d] == component[r]) {
                const double x = o->A.x[q] / ones[axes[u] & axes[v]];
                y[10 * u] += u == v ? x : 0;
                y[10 * nn] += u == v ? x : 2 * x;
            } else if (u == v && component[d] > 3 && component[r] > 3) {
                const int64_t a = component[r] - 4, c = component[d] - 4;
                y[10 * u + 1 + 3 * a + c] = o->A.x[q];
                y[10 * u + 1 + 3 * c + a] = o->A.x[q];
            }
        }
    team_sum(y, 10 * nn + 1, 0);
    if (!team_rank)
        memcpy(w->out, y, sizeof *y * (size_t)(10 * nn + 1));
    free(y);
    team_done(axes);
    team_done(place);
    return FB_OK;
}
