/* SPDX-License-Identifier: GPL-3.0-or-later */
/* frame.c - moves the origin of the body's axes; the axes keep their directions and the shapes
 * stay.
 *
 * Symbols  r0 the new origin, u = u_old - r0, s_i column i of S, ~ the skew matrix
 * Equations (I1, I3, I5, I6, I9, I11 hold no position)
 *   (MOV.1) I2  := I2 - r0 I1
 *   (MOV.2) I4  := I4 - r0~ I3
 *   (MOV.3) I7  := I7 - 2 (r0.I2) 1 + r0 I2' + I2 r0' + I1 ((r0.r0) 1 - r0 r0')      I2 the old one
 *   (MOV.4) I8_i := I8_i - r0~ (I3_i)~
 *   (MOV.5) I10_ab := I10_ab - r0_a I3_b
 * Linear in the integrals: exact whatever mass matrix they were taken with.
 */
#include "memory.h"
#include "number.h"
#include "body.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void moved_I4(fb_model *b, const double r0[3])
{
    int64_t m = b->nr;
    for (int64_t k = 0; k < m; k++)
        for (int a = 0; a < 3; a++) { /* (MOV.2) */
            int p = (a + 1) % 3, q = (a + 2) % 3;
            b->I[4][a * m + k] -= r0[p] * b->I[3][q * m + k] - r0[q] * b->I[3][p * m + k];
        }
}

static void moved_I7(double *I7, const double *I2, double m, const double r0[3])
{
    double dot = 0, rr = 0;
    for (int a = 0; a < 3; a++) {
        dot += r0[a] * I2[a];
        rr += r0[a] * r0[a];
    }
    for (int a = 0; a < 3; a++)
        for (int c = 0; c < 3; c++) /* (MOV.3) */
            I7[3 * a + c] +=
                (a == c) * (m * rr - 2 * dot) + r0[a] * I2[c] + I2[a] * r0[c] - m * r0[a] * r0[c];
}

/* (MOV.4) by r0~ s~ = s r0' - (r0.s) 1, and (MOV.5) */
static void moved_I8_I10(fb_model *b, const double r0[3])
{
    int64_t m = b->nr;
    for (int64_t k = 0; k < m; k++) {
        double dot = 0;
        for (int a = 0; a < 3; a++)
            dot += r0[a] * b->I[3][a * m + k];
        for (int a = 0; a < 3; a++)
            for (int c = 0; c < 3; c++) {
                b->I[8][9 * k + 3 * a + c] -= b->I[3][a * m + k] * r0[c] - (a == c) * dot;
                b->I[10][(3 * a + c) * m + k] -= r0[a] * b->I[3][c * m + k];
            }
    }
}

static void move(fb_model *b, const double r0[3])
{
    for (int a = 0; a < 3; a++)
        b->origin[a] += r0[a];
    for (int64_t k = 0; b->xyz && k < 3 * b->nn; k++)
        b->xyz[k] -= r0[k % 3];
    for (int64_t k = 0; b->connector_position && k < 3 * b->nc; k++)
        b->connector_position[k] -= r0[k % 3];
    if (b->I[1] && b->I[2] && b->I[3] && b->I[4] && b->I[7] && b->I[8] && b->I[10]) {
        moved_I4(b, r0);
        moved_I7(b->I[7], b->I[2], b->I[1][0], r0);
        if (b->Is[2] && b->Is[7]) {
            moved_I7(b->Is[7], b->Is[2], b->I[1][0], r0);
            for (int a = 0; a < 3; a++)
                b->Is[2][a] -= r0[a] * b->I[1][0];
        }
        moved_I8_I10(b, r0);
        for (int a = 0; a < 3; a++)
            b->I[2][a] -= r0[a] * b->I[1][0]; /* (MOV.1) */
    }
    /* The input's own words speak of the old axes. */
    FB_FREE(b->ref_com, b->ref_inertia);
    b->ref_com = b->ref_inertia = NULL;
    for (int k = 0; k < 10; k++) {
        free(b->ref_I[k]);
        b->ref_I[k] = NULL;
    }
}

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

static fb_status node(const fb_model *b, const char *text, double r0[3], fb_err *e)
{
    int64_t id = 0;
    const char *end = text + strlen(text);
    if (fb_scan_int(text, end, &id) != end || end == text)
        return fb_fail(e, FB_EUSAGE, "--frame node:N wants a node number, not '%.40s'", text);
    for (int64_t p = 0; b->node_id && b->xyz && p < b->nn; p++)
        if (b->node_id[p] == id) {
            memcpy(r0, b->xyz + 3 * p, 3 * sizeof *r0);
            return FB_OK;
        }
    for (int64_t k = 0; b->connector_node && b->connector_position && k < b->nc; k++)
        if (b->connector_node[k] == id) {
            memcpy(r0, b->connector_position + 3 * k, 3 * sizeof *r0);
            return FB_OK;
        }
    return fb_fail(e, FB_EUSAGE, "--frame node:%lld: the body has no such node", (long long)id);
}

fb_status fb_frame_move(fb_model *b, const char *to, fb_err *e)
{
    double r0[3] = {0, 0, 0};
    fb_status s = FB_OK;
    if (!strcmp(to, "origin"))
        return FB_OK;
    if (!strcmp(to, "com"))
        s = centre(b, r0, e);
    else if (!strncmp(to, "node:", 5))
        s = node(b, to + 5, r0, e);
    else
        s = fb_fail(e, FB_EUSAGE, "--frame is origin, com or node:N, not '%.40s'", to);
    if (!s && !b->origin)
        s = fb_new(&b->origin, 3, 8, "origin", e);
    if (s)
        return s;
    move(b, r0);
    snprintf(b->place, sizeof b->place, "%s", to);
    return FB_OK;
}
