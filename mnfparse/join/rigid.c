/* SPDX-License-Identifier: GPL-3.0-or-later */
/* rigid.c - frames of six dofs on nodes that have only translations, and the map to what is kept.
 *
 *   (RG.1) --rigid (RBE2):    u_s = R_s u_f            u_f six dofs of the frame, R_s rigid motion
 *                                                      of slave dof s about the frame's node
 *   (RG.2) --average (RBE3):  u_f = (R'R)^-1 R' u_s    least squares over the translations of the
 *          set; where they do not tell all six, of a line of nodes, over its rotations (times its
 *          size), too
 *   (RG.3)   solved for six of the u_s:  u_d = P^-1 (R'R u_f - R_r' u_r),   P = R_d'
 *   (RG.4) x_all = T x,  K := T'KT, M := T'MT, D := T'DT
 *   (RG.5) a frame without a place:  x_f = sum_p u_p / n   over the n nodes of the set
 * Both keep rigid motion exact: (RG.3) with u_s = R_s r, u_f = r holds for every r. P is taken by
 * pivoting, so that its columns are as independent as the set allows. Rotations are scaled by the
 * set's size: the choice does not depend on the unit of length. */
#include "dofset.h"
#include "memory.h"
#include "number.h"
#include "assemble.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#define INDEPENDENT 1e-6  /* of the best pivot; a line of nodes has one at round-off */
#define ROUND_OFF   1e-14 /* of the largest entry of a column of C */

typedef struct {
    char option[12], name[80];
    int average;
    int placed;      /* by the user */
    double x[3];     /* else (RG.5) */
    double distance; /* from the nearest node of the set */
    int64_t node;
    int64_t *dof, n; /* the set's dofs that take part */
    double *R;       /* [n,6] (RG.1) */
    int64_t six[6];  /* average: positions in dof that become dependent */
    fb_mat C;        /* average: [6 x (6 + n)] u_six = C [u_f; u_s], zero at the six */
} frame;

static void frames_free(frame *f, int64_t n)
{
    for (int64_t k = 0; f && k < n; k++) {
        FB_FREE(f[k].dof, f[k].R);
        fb_mat_free(&f[k].C);
    }
    free(f);
}

/* ---- the words of the user -------------------------------------------------------------- */

static fb_status bad_text(const frame *f, const char *text, fb_err *e)
{
    return fb_fail(e, FB_EUSAGE,
                   "%s '%.80s': NAME=SET@x,y,z is wanted, e.g. HUB=nset:LEFT@0,0,0, or NAME=SET, "
                   "which is at the centroid of the set",
                   f->option, text);
}

/* x,y,z to the end of the text. */
static int scan_place(const char *p, double x[3])
{
    return fb_scan_reals(p, p + strlen(p), x, 3) == 3;
}

/* The list of dofs between '=' and the last '@' goes to set, which the caller frees; an '@' at its
 * begin is that of @FILE. */
static fb_status split(frame *f, const char *text, char **set, fb_err *e)
{
    const char *eq = strchr(text, '='), *at = strrchr(text, '@'), *end = text + strlen(text);
    double x[3];
    if (!eq || eq == text || !eq[1] || (size_t)(eq - text) >= sizeof f->name)
        return bad_text(f, text, e);
    snprintf(f->name, sizeof f->name, "%.*s", (int)(eq - text), text);
    f->placed = at && at > eq + 1;
    if (at && (f->placed ? !scan_place(at + 1, f->x) : at < eq || scan_place(at + 1, x)))
        return bad_text(f, text, e);
    size_t n = (size_t)((f->placed ? at : end) - eq - 1);
    fb_status s = fb_new(set, (int64_t)n + 1, 1, "set of a frame", e);
    if (!s)
        memcpy(*set, eq + 1, n);
    return s;
}

/* A frame called by a number is that node; by a name, the next free number. */
static fb_status number(fb_join *j, frame *f, int64_t *next, fb_err *e)
{
    const char *end = f->name + strlen(f->name);
    fb_set *set = NULL;
    if (fb_scan_int(f->name, end, &f->node) != end)
        f->node = (*next)++;
    for (int64_t k = 0; k < j->b->nn; k++)
        if (j->b->node_id[k] == f->node)
            return fb_fail(e, FB_EUSAGE, "%s %s: the model has a node %lld already", f->option,
                           f->name, (long long)f->node);
    for (int64_t k = 0; k < j->n; k++)
        if (j->node[k] == f->node)
            return fb_fail(e, FB_EUSAGE, "%s %s: the model has a node %lld already", f->option,
                           f->name, (long long)f->node);
    fb_status s = fb_parts_set(j->p, f->name, &set, e);
    if (!s && !(s = fb_new(&set->node, 1, 8, "set of a frame", e))) {
        set->node[0] = f->node;
        set->n = 1;
    }
    return s;
}

/* ---- the dofs of the set ---------------------------------------------------------------- */

/* Nodes of the set may have no dofs but those that can follow the frame. */
static fb_status check_nodes(const fb_join *j, const frame *f, fb_err *e)
{
    int64_t *id = NULL;
    fb_status s = fb_new(&id, f->n, 8, "nodes of a frame", e);
    if (s)
        return s;
    for (int64_t k = 0; k < f->n; k++)
        id[k] = j->node[f->dof[k]];
    int64_t n = fb_unique(id, f->n);
    for (int64_t d = 0; d < j->n; d++) {
        if ((j->class[d] == FB_DOF_PHYSICAL && j->place[d] >= 0) ||
            (j->class[d] == FB_DOF_INTERNAL && j->component[d] > 6) || /* warping stays free */
            fb_sorted_find(id, n, j->node[d]) < 0)
            continue;
        fb_dofname name = fb_name_of(j->node[d], j->component[d]);
        s = fb_fail(e, FB_EUSAGE, "%s %s: dof %s %s: it can't follow the frame", f->option, f->name,
                    name.s,
                    j->class[d] == FB_DOF_FIXED ? "is held by a support"
                    : j->class[d] != FB_DOF_PHYSICAL
                        ? "has no place of its own"
                        : "belongs to a node without coordinates (--nodes FILE)");
        break;
    }
    free(id);
    return s;
}

static const double *turn_of(const fb_join *j, int64_t d)
{
    const double *t = j->turn ? j->turn + 3 * d : NULL;
    return t && (t[0] != 0 || t[1] != 0 || t[2] != 0) ? t : NULL;
}

/* Rotations of the set's nodes that are no components. */
static fb_status add_turns(const fb_join *j, frame *f, fb_err *e)
{
    int64_t *id = NULL, cap = 0;
    fb_status s = FB_OK;
    if (!j->turn)
        return FB_OK;
    FB_TRY(fb_new(&id, f->n, 8, "nodes of a frame", e));
    for (int64_t k = 0; k < f->n; k++)
        id[k] = j->node[f->dof[k]];
    const int64_t n = fb_unique(id, f->n);
    for (int64_t d = 0; d < j->n; d++)
        if (turn_of(j, d) && !(f->average && j->leave[d]) &&
            fb_sorted_find(id, n, j->node[d]) >= 0) {
            FB_TRY(fb_grow(&f->dof, &cap, f->n + 1, sizeof *f->dof, e));
            f->dof[f->n++] = d;
        }
out:
    free(id);
    return s;
}

/* Components 1..most of the set take part in an average, all in a rigid frame. */
static fb_status select_dofs(fb_join *j, frame *f, const char *set, const fb_dofgroup *g,
                             int64_t ng, int most, fb_err *e)
{
    const fb_model view = fb_join_view(j, j->b);
    char option[120];
    int64_t n = 0;
    snprintf(option, sizeof option, "%s %s", f->option, f->name);
    FB_PASS(fb_dofset_groups(&view, g, ng, option, set, &f->dof, &f->n, j->log, e));
    FB_PASS(check_nodes(j, f, e));
    for (int64_t k = 0; k < f->n; k++) {
        int64_t d = f->dof[k], c = j->component[d];
        if (c >= 1 && c <= 6 && (!f->average || (c <= most && !j->leave[d])))
            f->dof[n++] = d;
    }
    f->n = n;
    return most > 3 || !f->average ? add_turns(j, f, e) : FB_OK;
}

/* (RG.5): every node of the set counts once. */
static fb_status centroid(const fb_join *j, frame *f, fb_err *e)
{
    int64_t *place = NULL;
    fb_status s = fb_new(&place, f->n, 8, "nodes of a frame", e);
    if (s)
        return s;
    for (int64_t k = 0; k < f->n; k++)
        place[k] = j->place[f->dof[k]];
    const int64_t n = fb_unique(place, f->n);
    for (int a = 0; a < 3; a++) {
        double sum = 0;
        for (int64_t k = 0; k < n; k++)
            sum += j->b->xyz[3 * place[k] + a];
        f->x[a] = n ? sum / (double)n : 0;
    }
    free(place);
    return FB_OK;
}

static fb_status motion(const fb_join *j, frame *f, fb_err *e)
{
    fb_status s = fb_new(&f->R, 6 * f->n, 8, "rigid motion of a frame", e);
    for (int64_t k = 0; !s && k < f->n; k++) {
        const double *u = j->b->xyz + 3 * j->place[f->dof[k]];
        const double from[3] = {u[0] - f->x[0], u[1] - f->x[1], u[2] - f->x[2]},
                     *turn = turn_of(j, f->dof[k]);
        if (turn)
            memcpy(f->R + 6 * k + 3, turn, 3 * sizeof *turn);
        else
            fb_rigid_row(from, j->component[f->dof[k]],
                         f->R + 6 * k); /* (RG.1) theta x (u - x_f) */
    }
    return s;
}

/* A place in other units than the input's is far from everything; so is one of a wrong sign. A set
 * of one point is as large as the body. */
static fb_status is_near(const fb_join *j, frame *f, fb_err *e)
{
    double nearest = HUGE_VAL, *u = NULL;
    fb_status s = fb_new(&u, 3 * f->n, 8, "nodes of a frame", e);
    for (int64_t k = 0; !s && k < f->n; k++) {
        memcpy(u + 3 * k, j->b->xyz + 3 * j->place[f->dof[k]], 3 * sizeof *u);
        nearest = fmin(nearest, hypot(hypot(u[3 * k] - f->x[0], u[3 * k + 1] - f->x[1]),
                                      u[3 * k + 2] - f->x[2]));
    }
    double size = s ? 0 : fb_box_diagonal(u, f->n);
    size = size > 0 ? size : fb_box_diagonal(j->b->xyz, j->b->nn);
    free(u);
    f->distance = nearest;
    if (!s && f->n && nearest > size && !j->p->how.far_frames)
        s = fb_fail(e, FB_EUSAGE,
                    "%s %s: %g,%g,%g lies %.3g from the nearest node of its set, which is %.3g in "
                    "size: is the place in the unit of the input? --far-frames takes it as it is",
                    f->option, f->name, f->x[0], f->x[1], f->x[2], nearest, size);
    return s;
}

/* ---- independence ----------------------------------------------------------------------- */

static double size_of(const frame *f)
{
    double sum = 0;
    for (int64_t k = 0; k < f->n; k++)
        for (int a = 3; a < 6; a++)
            sum += f->R[6 * k] + f->R[6 * k + 1] + f->R[6 * k + 2] > 0
                       ? f->R[6 * k + a] * f->R[6 * k + a]
                       : 0;
    return sum > 0 ? sqrt(sum / (double)f->n) : 1;
}

/* Of the k-th dof in the least squares: L for a rotation. */
static double weight(const frame *f, int64_t k, double L)
{
    return f->R[6 * k] + f->R[6 * k + 1] + f->R[6 * k + 2] <= 0 ? L : 1;
}

/* R := R diag(1, 1, 1, 1/L, 1/L, 1/L), rows times their weights: all entries are of size one. */
static void scaled(const frame *f, double L, double *W)
{
    for (int64_t k = 0; k < f->n; k++)
        for (int a = 0; a < 6; a++)
            W[6 * k + a] = f->R[6 * k + a] * (a < 3 ? 1 : 1 / L) * weight(f, k, L);
}

/* Six rows of W (destroyed) as independent as can be, of equal ones the first; how many are. */
static int pick(frame *f, double *W)
{
    fb_mat rows = {6, f->n, W};
    return (int)fb_pick_columns(&rows, 1e-9, INDEPENDENT, 0, 6, f->six);
}

static fb_status constrain(frame *f, fb_err *e)
{
    const double L = size_of(f);
    double *W = NULL, p[36];
    fb_mat P = {6, 6, p};
    fb_status s = FB_OK;
    FB_TRY(fb_new(&W, 6 * f->n, 8, "rigid motion of a frame", e));
    scaled(f, L, W);
    if (pick(f, W) < 6)
        FB_TRY(fb_fail(e, FB_EUSAGE,
                       "%s %s: the nodes of the set are one point or lie on a line: they do not "
                       "hold all six motions of a frame",
                       f->option, f->name));
    if (!f->average)
        goto out;
    FB_TRY(fb_mat_new(&f->C, 6, 6 + f->n, e));
    scaled(f, L, W);
    for (int64_t k = 0; k < f->n; k++) /* (RG.3) right-hand sides */
        for (int a = 0; a < 6; a++) {
            f->C.x[a + 6 * (6 + k)] = -W[6 * k + a] * weight(f, k, L);
            for (int c = 0; c < 6; c++)
                f->C.x[a + 6 * c] += W[6 * k + a] * W[6 * k + c] * (c < 3 ? 1 : L);
        }
    for (int t = 0; t < 6; t++)
        for (int a = 0; a < 6; a++) {
            p[a + 6 * t] = W[6 * f->six[t] + a] * weight(f, f->six[t], L);
            f->C.x[a + 6 * (6 + f->six[t])] = 0;
        }
    s = fb_solve(&P, &f->C, "the motion of six dofs of a frame", e);
    for (int64_t k = 0; !s && k < f->C.n; k++) { /* round-off would be entries of T */
        const fb_mat column = fb_mat_columns(&f->C, k, 1);
        const double least = ROUND_OFF * fb_mat_max(&column);
        for (int a = 0; a < 6; a++)
            column.x[a] = fabs(column.x[a]) < least ? 0 : column.x[a];
    }
out:
    free(W);
    return s;
}

/* ---- the map ---------------------------------------------------------------------------- */

typedef struct {
    int64_t *owner; /* [n] 1 + the frame that has the dof in its set, 0: none */
    int64_t *at;    /* [n] its position there */
    int64_t *keep;  /* [n] its number among the kept, or -1 */
    int64_t n;      /* kept */
} plan;

static int dependent(const frame *f, int64_t at)
{
    for (int t = 0; f->average && t < 6; t++)
        if (f->six[t] == at)
            return t + 1;
    return !f->average;
}

static fb_status make_plan(const fb_join *j, const frame *f, int64_t nf, plan *p, fb_err *e)
{
    FB_PASS(fb_new(&p->owner, j->n, 8, "frames of the dofs", e));
    FB_PASS(fb_new(&p->at, j->n, 8, "frames of the dofs", e));
    FB_PASS(fb_new(&p->keep, j->n, 8, "kept dofs", e));
    for (int64_t k = 0; k < nf; k++)
        for (int64_t q = 0; q < f[k].n; q++) {
            int64_t d = f[k].dof[q];
            if (p->owner[d]) {
                fb_dofname name = fb_name_of(j->node[d], j->component[d]);
                return fb_fail(e, FB_EUSAGE,
                               "dof %s belongs to two frames, %s and %s: it can follow one only",
                               name.s, f[p->owner[d] - 1].name, f[k].name);
            }
            p->owner[d] = k + 1;
            p->at[d] = q;
        }
    for (int64_t d = 0; d < j->n; d++) {
        const frame *o = p->owner[d] ? f + p->owner[d] - 1 : NULL;
        p->keep[d] = o ? dependent(o, p->at[d]) ? -1 : p->n++ : j->leave[d] ? -1 : p->n++;
    }
    return FB_OK;
}

static void put(fb_csc *T, int64_t *q, int64_t row, double x)
{
    if (x != 0) {
        T->i[*q] = row;
        T->x[(*q)++] = x;
    }
}

static fb_status build(fb_join *j, const frame *f, int64_t nf, const plan *p, fb_err *e)
{
    int64_t room = j->n, q = 0;
    for (int64_t k = 0; k < nf; k++)
        room += f[k].average ? 6 * (6 + f[k].n) : 6 * f[k].n;
    fb_status s = fb_csc_new(&j->Tt, p->n + 6 * nf, j->n, room, 0, e);
    for (int64_t d = 0; !s && d < j->n; d++) { /* (RG.4) row d of T */
        const frame *o = p->owner[d] ? f + p->owner[d] - 1 : NULL;
        const int64_t first = p->n + 6 * (p->owner[d] - 1), t = o ? dependent(o, p->at[d]) - 1 : -1;
        if (p->keep[d] >= 0) {
            put(&j->Tt, &q, p->keep[d], 1);
        } else if (o && o->average) {
            for (int64_t k = 0; k < o->n; k++)
                if (p->keep[o->dof[k]] >= 0)
                    put(&j->Tt, &q, p->keep[o->dof[k]], o->C.x[t + 6 * (6 + k)]);
            for (int a = 0; a < 6; a++)
                put(&j->Tt, &q, first + a, o->C.x[t + 6 * a]);
        } else if (o) {
            for (int a = 0; a < 6; a++)
                put(&j->Tt, &q, first + a, o->R[6 * p->at[d] + a]);
        }
        j->Tt.p[d + 1] = q;
    }
    return s;
}

/* ---- all of it -------------------------------------------------------------------------- */

fb_status fb_join_groups(const fb_parts *p, fb_dofgroup **g, fb_err *e)
{
    FB_PASS(fb_new(g, p->nset, sizeof **g, "named sets", e));
    for (int64_t k = 0; k < p->nset; k++)
        (*g)[k] = (fb_dofgroup){p->set[k].name, p->set[k].n, p->set[k].node, p->set[k].component};
    return FB_OK;
}

static fb_status one_frame(fb_join *j, frame *f, const char *text, int64_t *next, fb_err *e)
{
    char *set = NULL;
    double *W = NULL;
    fb_dofgroup *g = NULL;
    fb_status s = FB_OK;
    FB_TRY(split(f, text, &set, e));
    FB_TRY(fb_join_groups(j->p, &g, e));
    for (int most = 3, six = 0; most <= 6 && !six; most += 3) {
        FB_FREE(f->dof, f->R);
        f->dof = NULL;
        f->R = NULL;
        FB_TRY(select_dofs(j, f, set, g, j->p->nset, most, e));
        if (!f->placed)
            FB_TRY(centroid(j, f, e));
        FB_TRY(motion(j, f, e));
        FB_TRY(FB_NEW(&W, 6 * f->n, e));
        scaled(f, size_of(f), W);
        six = !f->average || pick(f, W) == 6;
        free(W);
        W = NULL;
    }
    FB_TRY(is_near(j, f, e));
    FB_TRY(constrain(f, e));
    for (int64_t k = 0; k < j->p->nset; k++)
        if (!strcasecmp(g[k].name, f->name))
            fb_warn(j->log,
                    "frame %s: the input has a set of this name, and lists that name it take both: "
                    "call the frame by another name, or by a number",
                    f->name);
    FB_TRY(number(j, f, next, e));
    fb_note(j->log,
            "frame %s: node %lld at %.6g,%.6g,%.6g%s, %.3g from the nearest node of its set, %s of "
            "%lld dofs",
            f->name, (long long)f->node, f->x[0], f->x[1], f->x[2], f->placed ? "" : " (centroid)",
            f->distance, f->average ? "average (RBE3)" : "rigid (RBE2)", (long long)f->n);
out:
    FB_FREE(W, g, set);
    return s;
}

static int64_t next_number(const fb_join *j)
{
    int64_t top = 0;
    for (int64_t k = 0; k < j->b->nn; k++)
        top = j->b->node_id[k] > top ? j->b->node_id[k] : top;
    for (int64_t k = 0; k < j->n; k++)
        top = j->node[k] > top ? j->node[k] : top;
    return top + 1;
}

static fb_status add_nodes(fb_join *j, const frame *f, int64_t nf, fb_err *e)
{
    fb_model *b = j->b;
    int64_t *id = fb_realloc(b->node_id, (size_t)(b->nn + nf), sizeof *id);
    if (!id)
        return fb_fail(e, FB_ESYS, "out of memory: nodes of the frames");
    b->node_id = id;
    double *xyz = fb_realloc(b->xyz, 3 * (size_t)(b->nn + nf), sizeof *xyz);
    if (!xyz)
        return fb_fail(e, FB_ESYS, "out of memory: nodes of the frames");
    b->xyz = xyz;
    FB_PASS(fb_new(&j->frame, nf, 8, "frames", e));
    for (int64_t k = 0; k < nf; k++) {
        id[b->nn] = j->frame[k] = f[k].node;
        memcpy(xyz + 3 * b->nn++, f[k].x, sizeof f[k].x);
    }
    j->nframe = nf;
    return FB_OK;
}

fb_status fb_join_constraints(fb_join *j, fb_err *e)
{
    const fb_how *h = &j->p->how;
    int64_t nf = h->rigid.n + h->average.n, next = next_number(j), left = 0;
    frame *f = NULL;
    plan p = {0};
    fb_status s = FB_OK;
    for (int64_t d = 0; d < j->n; d++)
        left += j->leave[d];
    if (!left && !nf)
        return FB_OK;
    FB_TRY(fb_new(&f, nf, sizeof *f, "frames", e));
    for (int64_t k = 0; k < nf; k++) {
        f[k].average = k >= h->rigid.n;
        snprintf(f[k].option, sizeof f[k].option, "--%s", f[k].average ? "average" : "rigid");
        FB_TRY(one_frame(j, f + k, f[k].average ? h->average.v[k - h->rigid.n] : h->rigid.v[k],
                         &next, e));
        for (int64_t q = 0; q < k; q++)
            if (f[q].node == f[k].node)
                FB_TRY(fb_fail(e, FB_EUSAGE, "%s %s: node %lld is the frame %s already",
                               f[k].option, f[k].name, (long long)f[k].node, f[q].name));
    }
    FB_TRY(make_plan(j, f, nf, &p, e));
    FB_TRY(build(j, f, nf, &p, e));
    FB_TRY(fb_follow_equations(j, e));
    if (nf)
        FB_TRY(add_nodes(j, f, nf, e));
    j->keep = p.keep;
    p.keep = NULL;
out:
    frames_free(f, nf);
    FB_FREE(p.owner, p.at, p.keep);
    return s;
}
