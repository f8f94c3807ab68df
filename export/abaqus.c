/* SPDX-License-Identifier: GPL-3.0-or-later */
/* abaqus.c - matrices for Abaqus decks, to be brought in by *INCLUDE.
 *
 * Layout   *NODE with the interface nodes and one node a modal coordinate, then
 *          dialect matrix:  *MATRIX INPUT, NAME=K (M, C): node, dof, node, dof, value; lower triangle
 *                           without zeros; *MATRIX ASSEMBLE, STIFFNESS=K, MASS=M, VISCOUS DAMPING=C
 *          dialect element: *USER ELEMENT, LINEAR with the active dofs of each node, *MATRIX,
 *                           TYPE=STIFFNESS and MASS: lower triangle row by row, four values a line,
 *                           each row on a new line; *ELEMENT that uses it. It holds no damping.
 *          Modal coordinates are dof 1 of nodes of their own, placed at the origin.
 * Digits   17 (matrix), 14 (element): frequencies come back to round-off.
 * Assumed  coordinates that are displacements of interface dofs (constraint modes), then modal ones;
 *          any units; small rotations (Abaqus does not turn such matrices with the body).
 * Source   Abaqus Keywords Reference, *MATRIX INPUT, *MATRIX ASSEMBLE, *USER ELEMENT, *MATRIX
 */
#include "body.h"
#include "writer.h"
#include <stdlib.h>
#include <string.h>

static const char who[] = "an Abaqus matrix";

typedef struct { /* the coordinates by node: nodes in order of appearance, dofs ascending */
    int64_t  n, *node; /* [n] */
    int64_t *order;    /* [nr] coordinates, node by node */
    int64_t *first;    /* [n+1] */
} grouping;

static void grouping_free(grouping *g)
{
    free(g->node);
    free(g->order);
    free(g->first);
}

static fb_status group(const fb_labelled *l, grouping *g, fb_err *e)
{
    int64_t nr = l->c.nr, at = 0;
    fb_status s = FB_OK;
    FB_TRY(fb_new(&g->node, nr, 8, "nodes", e));
    FB_TRY(fb_new(&g->order, nr, 8, "nodes", e));
    FB_TRY(fb_new(&g->first, nr + 1, 8, "nodes", e));
    for (int64_t k = 0; k < nr; k++) {
        int64_t q = 0;
        while (q < g->n && g->node[q] != l->node[k])
            q++;
        if (q < g->n)
            continue;
        g->node[g->n++] = l->node[k];
        for (int64_t c = 1; c <= 6; c++)
            for (int64_t j = k; j < nr; j++)
                if (l->node[j] == l->node[k] && l->component[j] == c)
                    g->order[at++] = j;
        g->first[g->n] = at;
    }
out:
    return s;
}

static fb_status nodes(const fb_model *b, const grouping *g, fb_buf *o, fb_err *e)
{
    static const double origin[3] = {0, 0, 0};
    fb_index x = {0};
    fb_status s = fb_index_new(&x, b->node_id, b->nn, "/nodes/id", e);
    if (s)
        return s;
    fb_put_text(o, "*NODE\n");
    for (int64_t q = 0; q < g->n; q++) {
        const double *u = fb_position(b, &x, g->node[q]);
        u = u ? u : origin;
        fb_put_text(o, "%lld, %.16e, %.16e, %.16e\n", (long long)g->node[q], u[0], u[1], u[2]);
    }
    fb_index_free(&x);
    return FB_OK;
}

static void matrix_input(fb_buf *o, const char *name, const double *A, const fb_labelled *l)
{
    int64_t n = l->c.nr;
    fb_put_text(o, "*MATRIX INPUT, NAME=%s\n", name);
    for (int64_t i = 0; i < n; i++)
        for (int64_t j = 0; j <= i; j++)
            if (A[i + j * n] != 0)
                fb_put_text(o, "%lld, %lld, %lld, %lld, %.16e\n", (long long)l->node[i], (long long)l->component[i],
                            (long long)l->node[j], (long long)l->component[j], A[i + j * n]);
}

static void assemble(fb_buf *o, const fb_labelled *l)
{
    matrix_input(o, "K", l->K, l);
    matrix_input(o, "M", l->M, l);
    if (l->D)
        matrix_input(o, "C", l->D, l);
    fb_put_text(o, "*MATRIX ASSEMBLE, STIFFNESS=K, MASS=M%s\n", l->D ? ", VISCOUS DAMPING=C" : "");
}

/* The active dofs of the first node, and of each node from which they change. */
static void active_dofs(fb_buf *o, const grouping *g, const fb_labelled *l)
{
    char before[32] = "";
    for (int64_t q = 0; q < g->n; q++) {
        char now[32] = "";
        for (int64_t k = g->first[q]; k < g->first[q + 1]; k++) {
            size_t at = strlen(now);
            snprintf(now + at, sizeof now - at, "%s%lld", at ? ", " : "", (long long)l->component[g->order[k]]);
        }
        if (q == 0)
            fb_put_text(o, "%s\n", now);
        else if (strcmp(now, before))
            fb_put_text(o, "%lld, %s\n", (long long)q + 1, now);
        memcpy(before, now, sizeof before);
    }
}

static void triangle(fb_buf *o, const char *type, const double *A, const grouping *g, int64_t n)
{
    fb_put_text(o, "*MATRIX, TYPE=%s\n", type);
    for (int64_t i = 0; i < n; i++)
        for (int64_t j = 0; j <= i; j++)
            fb_put_text(o, "%.13e%s", A[g->order[i] + g->order[j] * n], j % 4 == 3 ? "\n" : j == i ? ",\n" : ", ");
}

static void user_element(fb_buf *o, const grouping *g, const fb_labelled *l)
{
    fb_put_text(o, "*USER ELEMENT, NODES=%lld, TYPE=U1, LINEAR\n** ELEMENT NODES\n", (long long)g->n);
    for (int64_t q = 0; q < g->n; q += 10) {
        fb_put_text(o, "**");
        for (int64_t k = q; k < q + 10 && k < g->n; k++)
            fb_put_text(o, " %lld%s", (long long)g->node[k], k + 1 < g->n ? "," : "");
        fb_put_text(o, "\n");
    }
    active_dofs(o, g, l);
    triangle(o, "STIFFNESS", l->K, g, l->c.nr);
    triangle(o, "MASS", l->M, g, l->c.nr);
    fb_put_text(o, "*ELEMENT, TYPE=U1, ELSET=BODY\n1");
    for (int64_t q = 0; q < g->n; q++) /* 16 entries a line */
        fb_put_text(o, "%s%lld", (q + 1) % 16 ? ", " : ",\n", (long long)g->node[q]);
    fb_put_text(o, "\n*UEL PROPERTY, ELSET=BODY\n");
}

static fb_status write_abaqus(const fb_model *b, const fb_export *ask, fb_buf *o, fb_log *log, fb_err *e)
{
    int element = !strcmp(ask->dialect, "element");
    fb_labelled l = {0};
    grouping g = {0};
    fb_status s = FB_OK;
    FB_TRY(fb_labelled_new(b, who, 1, &l, e));
    FB_TRY(group(&l, &g, e));
    fb_put_text(o, "** flexbody: %lld coordinates, %lld of them interface dofs; %s, %s, %s, %s\n", (long long)b->nr,
                (long long)l.c.nb, b->units.name[FB_MASS], b->units.name[FB_LENGTH], b->units.name[FB_TIME],
                b->units.name[FB_FORCE]);
    FB_TRY(nodes(b, &g, o, e));
    if (element) {
        if (l.D)
            fb_warn(log, "a linear user element holds no damping matrix: damping is left out");
        user_element(o, &g, &l);
    } else {
        assemble(o, &l);
    }
    s = fb_buf_status(o, e);
out:
    grouping_free(&g);
    fb_labelled_free(&l);
    return s;
}

static const fb_dialect dialects[] = {
    {"matrix", "*MATRIX INPUT and *MATRIX ASSEMBLE", 0},
    {"element", "*USER ELEMENT, LINEAR with *MATRIX", 0},
    {0},
};

const fb_writer fb_writer_abaqus = {"abaqus", "Abaqus matrices", 0, dialects, write_abaqus, NULL, NULL};
