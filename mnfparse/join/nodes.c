/* SPDX-License-Identifier: GPL-3.0-or-later */
/* nodes.c - coordinates for the dofs, and matrices turned to the basic axes.
 *
 *   (ND.1) u_local = F' u      F's columns are the axes of the node's displacement frame
 *   (ND.2) K = F K_local F'    for translations and for rotations of the node, F block by block
 *   (ND.3) u = F u_local       mode shapes along the nodes' axes */
#include "memory.h"
#include "assemble.h"
#include "linalg/sparse_ops.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* The same node in two files (a deck and its punch, a deck and its results) differs by printing. */
#define SAME_PLACE 1e-4 /* of the extent of all nodes */

static double extent(const double *xyz, int64_t n)
{
    double lo[3], hi[3];
    fb_box(xyz, n, lo, hi);
    return fmax(hi[0] - lo[0], fmax(hi[1] - lo[1], hi[2] - lo[2]));
}

static double apart(const double *a, const double *b, int n)
{
    double d = 0;
    for (int k = 0; k < n; k++)
        d = fmax(d, fabs(a[k] - b[k]));
    return d;
}

/* drop[k]: a node that came before. The first takes its frame where it has none: lists of nodes and
 * results know no axes. */
static fb_status find_twice(fb_parts *p, char *drop, fb_log *log, fb_err *e)
{
    fb_ranked *t = NULL;
    int64_t frames = 0;
    const double tol = SAME_PLACE * extent(p->xyz, p->nn);
    char list[200] = "";
    fb_status s = FB_OK;
    FB_TRY(fb_ranked_new(&t, p->node_id, NULL, p->nn, e));
    for (int64_t first = 0, k = 1; k < p->nn; k++) {
        if (t[k].node != t[first].node) {
            first = k;
            continue;
        }
        int64_t a = t[first].at, b = t[k].at;
        double d = apart(p->xyz + 3 * a, p->xyz + 3 * b, 3);
        if (d > tol)
            FB_TRY(fb_fail(
                e, FB_EFORMAT,
                "node %lld has two places, %.7g apart: (%.9g, %.9g, %.9g) and (%.9g, %.9g, %.9g)",
                (long long)t[k].node, d, p->xyz[3 * a], p->xyz[3 * a + 1], p->xyz[3 * a + 2],
                p->xyz[3 * b], p->xyz[3 * b + 1], p->xyz[3 * b + 2]));
        if (p->frame && apart(p->frame + 9 * a, p->frame + 9 * b, 9) > 1e-9 &&
            !fb_frame_is_basic(p->frame + 9 * b)) {
            if (fb_frame_is_basic(p->frame + 9 * a))
                memcpy(p->frame + 9 * a, p->frame + 9 * b, 9 * sizeof *p->frame);
            else
                fb_name_list(list, sizeof list, frames++, t[k].node, 0);
        }
        drop[b] = 1;
    }
    if (frames)
        fb_warn(log, "the inputs disagree on the displacement frame of%s: the first one is used",
                list);
out:
    free(t);
    return s;
}

fb_status fb_unite_nodes(fb_parts *p, fb_log *log, fb_err *e)
{
    char *drop = NULL;
    int64_t n = 0;
    fb_status s = FB_OK;
    FB_TRY(fb_new(&drop, p->nn, 1, "node marks", e));
    FB_TRY(find_twice(p, drop, log, e));
    for (int64_t k = 0; k < p->nn; k++) {
        if (drop[k])
            continue;
        p->node_id[n] = p->node_id[k];
        memmove(p->xyz + 3 * n, p->xyz + 3 * k, 3 * sizeof *p->xyz);
        if (p->frame)
            memmove(p->frame + 9 * n, p->frame + 9 * k, 9 * sizeof *p->frame);
        n++;
    }
    p->nn = n;
out:
    free(drop);
    return s;
}

fb_status fb_join_nodes(fb_join *j, fb_err *e)
{
    fb_parts *p = j->p;
    fb_index x = {0};
    fb_status s = FB_OK;
    FB_TRY(fb_new(&j->place, j->n, 8, "places of the dofs", e));
    FB_TRY(fb_index_new(&x, p->node_id, p->nn, "nodes", e));
    for (int64_t d = 0; d < j->n; d++)
        j->place[d] = fb_index_find(&x, j->node[d]);
    if (p->nn) {
        j->b->nn = p->nn;
        j->b->node_id = p->node_id;
        j->b->xyz = p->xyz;
        p->node_id = NULL;
        p->xyz = NULL;
        p->nn = p->cap_node = p->cap_xyz = 0;
    }
out:
    fb_index_free(&x);
    return s;
}

/* ---- displacement frames ---------------------------------------------------------------- */

int fb_frame_is_basic(const double F[9])
{
    static const double basic[9] = {1, 0, 0, 0, 1, 0, 0, 0, 1};
    return apart(F, basic, 9) <= 0;
}

static fb_status check_frame(const double F[9], int64_t node, fb_err *e)
{
    double off = 0;
    for (int a = 0; a < 3; a++)
        for (int c = 0; c < 3; c++) {
            double dot = 0;
            for (int r = 0; r < 3; r++)
                dot += F[3 * r + a] * F[3 * r + c];
            off = fmax(off, fabs(dot - (a == c)));
        }
    return off < 1e-6
               ? FB_OK
               : fb_fail(
                     e, FB_EFORMAT,
                     "node %lld: the axes of its displacement frame are not orthonormal (by %.3g)",
                     (long long)node, off);
}

/* dof[6 p + c - 1]: the dof c of node p, or -1; only where its node has a frame of its own. */
static fb_status find_triples(fb_join *j, int64_t **out, int64_t *turned, fb_err *e)
{
    int64_t *dof = NULL;
    fb_status s = fb_new(&dof, 6 * j->b->nn, 8, "dofs of the nodes", e);
    if (s)
        return s;
    for (int64_t k = 0; k < 6 * j->b->nn; k++)
        dof[k] = -1;
    for (int64_t d = 0; d < j->n; d++) {
        int64_t p = j->place[d], c = j->component[d];
        if (p < 0 || c < 1 || c > 6 || j->class[d] != FB_DOF_PHYSICAL ||
            fb_frame_is_basic(j->p->frame + 9 * p))
            continue;
        if ((s = check_frame(j->p->frame + 9 * p, j->node[d], e))) {
            free(dof);
            return s;
        }
        if (j->slave && j->slave[d]) { /* has no row to be turned */
            j->class[d] = FB_DOF_INTERNAL;
            continue;
        }
        dof[6 * p + c - 1] = d;
        (*turned)++;
    }
    *out = dof;
    return FB_OK;
}

/* One or two of three components can't be turned: they stay along their frame's axes, as internal
 * dofs. */
static void keep_incomplete(fb_join *j, int64_t *dof)
{
    char list[200] = "";
    int64_t count = 0;
    for (int64_t t = 0; t < 2 * j->b->nn; t++) {
        int64_t *d = dof + 3 * t;
        if ((d[0] < 0) + (d[1] < 0) + (d[2] < 0) == 0)
            continue;
        for (int c = 0; c < 3; c++) {
            if (d[c] < 0)
                continue;
            fb_name_list(list, sizeof list, count++, j->node[d[c]], j->component[d[c]]);
            j->class[d[c]] = FB_DOF_INTERNAL;
            d[c] = -1;
        }
    }
    if (count)
        fb_warn(j->log,
                "%lld dof%s stay in the displacement frame of the node, because its other "
                "directions are not in the matrices; they can't be interface:%s",
                (long long)count, count > 1 ? "s" : "", list);
}

static fb_status frame_map(const fb_join *j, const int64_t *dof, fb_csc *Tt, fb_err *e)
{
    FB_PASS(fb_csc_new(Tt, j->n, j->n, 3 * j->n, 0, e));
    for (int64_t d = 0, k = 0; d < j->n; d++) {
        int64_t p = j->place[d], c = (j->component[d] - 1) % 3;
        const int64_t *t = p >= 0 && j->component[d] >= 1 && j->component[d] <= 6
                               ? dof + 6 * p + (j->component[d] - 1) / 3 * 3
                               : NULL;
        if (!t || t[c] != d) {
            Tt->i[k] = d;
            Tt->x[k++] = 1;
        }
        for (int a = 0; t && t[c] == d && a < 3; a++) { /* (ND.1) */
            Tt->i[k] = t[a];
            Tt->x[k++] = j->p->frame[9 * p + 3 * a + c];
        }
        Tt->p[d + 1] = k;
    }
    return FB_OK;
}

fb_status fb_join_frames(fb_join *j, fb_err *e)
{
    int64_t *dof = NULL, turned = 0;
    fb_csc Tt = {0};
    fb_status s = FB_OK;
    if (!j->p->frame)
        return FB_OK;
    FB_TRY(find_triples(j, &dof, &turned, e));
    if (!turned)
        goto out;
    keep_incomplete(j, dof);
    FB_TRY(frame_map(j, dof, &Tt, e));
    FB_TRY(fb_turn_equations(j, &Tt, e));
    for (int k = 0; k < FB_NROLE; k++) {
        fb_csc C = {0};
        if (!j->A[k].p)
            continue;
        FB_TRY(fb_transform_take(&j->A[k], &Tt, &C, e)); /* (ND.2) */
        j->A[k] = C;
    }
    fb_note(j->log, "%lld dofs turned from displacement frames to the basic axes",
            (long long)turned);
out:
    fb_csc_free(&Tt);
    free(dof);
    return s;
}

/* ---- mode shapes of one file, the mesh in another ---------------------------------------- */

void fb_frame_turn(const double F[9], double *x, double *y, double *z)
{
    const double u = *x, v = *y, w = *z;
    *x = F[0] * u + F[1] * v + F[2] * w; /* (ND.3) */
    *y = F[3] * u + F[4] * v + F[5] * w;
    *z = F[6] * u + F[7] * v + F[8] * w;
}

/* Translations and rotations of a node. */
static void turn_shapes(fb_model *b, int64_t at, const double F[9])
{
    for (int64_t k = 0; k < 2 * b->nm; k++) {
        double *u = b->shape + 6 * (k / 2 * b->nn + at) + k % 2 * 3;
        fb_frame_turn(F, u, u + 1, u + 2);
    }
}

fb_status fb_place_shapes(fb_parts *p, fb_model *b, fb_log *log, fb_err *e)
{
    fb_index x = {0};
    double *xyz = NULL;
    fb_status s = FB_OK;
    if (b->xyz)
        return FB_OK;
    if (!p->nn) {
        fb_warn(log,
                "mode shapes of %lld nodes without coordinates: name the file of the mesh too, or "
                "give --nodes",
                (long long)b->nn);
        return FB_OK;
    }
    FB_TRY(fb_unite_nodes(p, log, e));
    FB_TRY(fb_index_new(&x, p->node_id, p->nn, "nodes", e));
    FB_TRY(fb_new(&xyz, 3 * b->nn, 8, "coordinates", e));
    for (int64_t k = 0; k < b->nn; k++) {
        int64_t q = fb_index_find(&x, b->node_id[k]);
        if (q < 0)
            FB_TRY(fb_fail(
                e, FB_EFORMAT,
                "the mode shapes move node %lld, which is not among the %lld nodes of the mesh",
                (long long)b->node_id[k], (long long)p->nn));
        memcpy(xyz + 3 * k, p->xyz + 3 * q, 3 * sizeof *xyz);
        if (p->frame && p->along_axes && !fb_frame_is_basic(p->frame + 9 * q))
            turn_shapes(b, k, p->frame + 9 * q);
    }
    if (p->nn > b->nn)
        fb_note(log, "%lld nodes of the mesh are not in the mode shapes: left out",
                (long long)(p->nn - b->nn));
    b->xyz = xyz;
    xyz = NULL;
out:
    fb_index_free(&x);
    free(xyz);
    return s;
}
