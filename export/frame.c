/* SPDX-License-Identifier: GPL-3.0-or-later */
/* frame.c - other axes for the body: another origin, and other directions.
 *
 * Symbols  r0 the new origin, columns of A the new axes, both in the old ones
 * Equation
 *   (FR.1) u := A'(u - r0), and everything with it (lib/move.c)
 */
#include "dofset.h"
#include "linalg/dense.h"
#include "memory.h"
#include "move.h"
#include "number.h"
#include "body.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static fb_status centre(const fb_model *b, double r0[3], fb_err *e)
{
    double m = 0, c[3] = {0, 0, 0};
    if (b->I[1] && b->I[2]) {
        m = b->I[1][0];
        memcpy(c, b->I[2], sizeof c);
    } else {
        for (int64_t p = 0; b->node_mass && b->xyz && p < b->nn; p++) {
            m += b->node_mass[p];
            for (int a = 0; a < 3; a++)
                c[a] += b->node_mass[p] * b->xyz[3 * p + a];
        }
    }
    if (!(m > 0))
        return fb_fail(
            e, FB_EFORMAT,
            "--frame com: the body has no mass to find the centre of; run invariants first");
    for (int a = 0; a < 3; a++)
        r0[a] = c[a] / m;
    return FB_OK;
}

/* The place of a node, or of a connector where there are no nodes, that text names. */
static fb_status place_of(const fb_model *b, const char *text, const char *end, double u[3],
                          fb_err *e)
{
    int64_t id = 0;
    FB_PASS(fb_one_node(b, "--frame node:N", text, end, &id, e));
    for (int64_t p = 0; b->node_id && b->xyz && p < b->nn; p++)
        if (b->node_id[p] == id) {
            memcpy(u, b->xyz + 3 * p, 3 * sizeof *u);
            return FB_OK;
        }
    for (int64_t k = 0; b->connector_node && b->connector_position && k < b->nc; k++)
        if (b->connector_node[k] == id) {
            memcpy(u, b->connector_position + 3 * k, 3 * sizeof *u);
            return FB_OK;
        }
    return fb_fail(e, FB_EUSAGE, "--frame node:%lld: the body has no such node", (long long)id);
}

/* nodes:P,Q: x from r0 to P, y towards Q. */
static fb_status through(const fb_model *b, const char *text, const double r0[3], double *A,
                         fb_err *e)
{
    const char *comma = strchr(text, ',');
    double x[3], q[3], y[3], z[3];
    if (!comma)
        return fb_fail(e, FB_EUSAGE,
                       "--frame axes:nodes:P,Q wants two nodes, one on the axis x and one beside "
                       "it, not '%.40s'",
                       text);
    FB_PASS(place_of(b, text, comma, x, e));
    FB_PASS(place_of(b, comma + 1, comma + strlen(comma), q, e));
    for (int k = 0; k < 3; k++) {
        x[k] -= r0[k];
        q[k] -= r0[k];
    }
    fb_cross(x, q, z);
    if (!(fb_norm(z, 3) > 1e-9 * fb_norm(x, 3) * fb_norm(q, 3)))
        return fb_fail(e, FB_EUSAGE,
                       "--frame axes:nodes:%.40s: both nodes lie on one line with the origin",
                       text);
    fb_to_unit(x, 3);
    fb_to_unit(z, 3);
    fb_cross(z, x, y);
    for (int k = 0; k < 3; k++) {
        A[3 * k] = x[k];
        A[3 * k + 1] = y[k];
        A[3 * k + 2] = z[k];
    }
    return FB_OK;
}

/* The principal axes of the inertia about the centre of mass, the least moment first. */
static fb_status principal(const fb_model *b, double *A, fb_err *e)
{
    double c[3], J[9], moment[3];
    fb_mat V = {3, 3, J};
    if (b->I[1] && b->I[2] && b->I[7])
        fb_central_inertia(b, c, J);
    else if (!b->node_mass || !b->xyz || !(fb_node_inertia(b, c, J) > 0))
        return fb_fail(e, FB_EFORMAT,
                       "--frame axes:principal: the body has no inertia; run invariants first");
    FB_PASS(fb_eig_symmetric(&V, moment, e));
    fb_fix_signs(&V);
    for (int k = 0; k < 3; k++) {
        A[3 * k] = J[k];
        A[3 * k + 1] = J[3 + k];
    }
    fb_cross(J, J + 3, moment); /* right-handed */
    for (int k = 0; k < 3; k++)
        A[3 * k + 2] = moment[k];
    return FB_OK;
}

static fb_status axes(const fb_model *b, const char *how, const double r0[3], double *A, fb_err *e)
{
    fb_move turn = fb_move_none();
    if (!strcmp(how, "principal"))
        return principal(b, A, e);
    if (!strncmp(how, "nodes:", 6))
        return through(b, how + 6, r0, A, e);
    FB_PASS(fb_move_rotate(&turn, "--frame axes", how, e));
    memcpy(A, turn.Q, sizeof turn.Q);
    return FB_OK;
}

static fb_status origin(const fb_model *b, const char *where, double r0[3], fb_err *e)
{
    if (!*where || !strcmp(where, "origin"))
        return FB_OK;
    if (!strcmp(where, "com"))
        return centre(b, r0, e);
    if (!strncmp(where, "node:", 5))
        return place_of(b, where + 5, where + strlen(where), r0, e);
    return fb_fail(e, FB_EUSAGE, "--frame is origin, com or node:N, not '%.40s'", where);
}

fb_status fb_frame_move(fb_model *b, const char *to, fb_err *e)
{
    char where[FB_NAME + 8];
    double r0[3] = {0, 0, 0}, A[9] = {1, 0, 0, 0, 1, 0, 0, 0, 1};
    const char *how = strncmp(to, "axes:", 5) ? strstr(to, ",axes:") : to;
    const size_t n = how ? (size_t)(how - to) : strlen(to);
    fb_move m = fb_move_none();
    if (!strcmp(to, "origin"))
        return FB_OK;
    snprintf(where, sizeof where, "%.*s", (int)(n < sizeof where ? n : sizeof where - 1), to);
    FB_PASS(origin(b, where, r0, e));
    if (how)
        FB_PASS(axes(b, how + (how == to ? 5 : 6), r0, A, e));
    for (int i = 0; i < 3; i++) /* (FR.1) */
        for (int k = 0; k < 3; k++) {
            m.Q[3 * i + k] = A[3 * k + i];
            m.t[i] -= A[3 * k + i] * r0[k];
        }
    if (!b->origin)
        FB_PASS(fb_new(&b->origin, 3, 8, "origin", e));
    FB_PASS(fb_model_move(b, &m, e));
    snprintf(b->place, sizeof b->place, "%s", to);
    return FB_OK;
}
