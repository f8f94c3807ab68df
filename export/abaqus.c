/* SPDX-License-Identifier: GPL-3.0-or-later */
/* abaqus.c - matrices for Abaqus decks.
 *
 * Layout   a folder; body.inp is what the deck brings in by *INCLUDE: *NODE with the interface
 *          nodes and one node a modal coordinate, then
 *          dialect matrix:  *MATRIX INPUT, NAME=K, INPUT=K.mtx (M, C) and *MATRIX ASSEMBLE,
 *                           STIFFNESS=K, MASS=M, VISCOUS DAMPING=C; lines of the .mtx files: node,
 *                           dof, node, dof, value, lower triangle, of zeros the diagonal alone;
 *                           damping that is not symmetric: TYPE=UNSYMMETRIC, every entry
 *          dialect calculix: *MATRIX ASSEMBLE, NAME=BODY, STIFFNESSFILE=K.mtx, MASSFILE=M.mtx, a
 *                           keyword of the same name and another meaning; K.mtx holds the zeros of
 *                           K where M has an entry, for its pattern is that of the stiffness file;
 *                           a material that no element has, because frequency steps want a density.
 *                           No damping; at most 255 nodes, modal ones included.
 *          dialect element: *INCLUDE, INPUT=element.inp and *ELEMENT; element.inp holds *USER
 *                           ELEMENT, LINEAR with the active dofs of each node, *MATRIX,
 *                           TYPE=STIFFNESS and MASS: lower triangle row by row, four values a line,
 *                           each row on a new line. Its list of nodes, a comment, calls modal ones
 *                           -1, -2 ... as Abaqus does. It holds no damping.
 *          Modal coordinates are dof 1 of nodes of their own, placed at the origin. Loads are files
 *          of their own, load1.inp ..., with *CLOAD for a step.
 * Digits   17 (matrix, calculix), 14 (element): frequencies come back to round-off. Coordinates 14:
 *          both programs cut fields of a deck at 20 characters.
 * Assumed  coordinates that are displacements of interface dofs (constraint modes), then modal
 *          ones; any units; small rotations (Abaqus does not turn such matrices with the body).
 * Source   Abaqus Keywords Reference, *MATRIX INPUT, *MATRIX ASSEMBLE, *USER ELEMENT, *MATRIX;
 *          CalculiX 2.23, matrixassembles.f, mafillsm.f, nodes.f
 */
#include "memory.h"
#include "body.h"
#include "selftest.h"
#include "writer.h"
#include <math.h>
#include <stdio.h>
#include <string.h>

enum { MOST_NODE = 999999999, LIST = 4 * FB_COMPONENT_MAX + 4 };
static const char who[] = "an Abaqus matrix";

typedef struct {      /* the coordinates by node: nodes in order of appearance, dofs ascending */
    int64_t n, *node; /* [n] */
    int64_t *order;   /* [nr] coordinates, node by node */
    int64_t *first;   /* [n+1] */
} grouping;

static void grouping_free(grouping *g)
{
    FB_FREE(g->node, g->order, g->first);
}

static fb_status group(const fb_labelled *l, grouping *g, fb_err *e)
{
    int64_t nr = l->c.nr, at = 0;
    FB_PASS(fb_new(&g->node, nr, 8, "nodes", e));
    FB_PASS(fb_new(&g->order, nr, 8, "nodes", e));
    FB_PASS(fb_new(&g->first, nr + 1, 8, "nodes", e));
    for (int64_t k = 0; k < nr; k++) {
        int64_t q = 0;
        while (q < g->n && g->node[q] != l->node[k])
            q++;
        if (q < g->n)
            continue;
        g->node[g->n++] = l->node[k];
        for (int64_t j = k; j < nr; j++) {
            if (l->node[j] != l->node[k])
                continue;
            int64_t to = at++; /* by components */
            for (; to > g->first[g->n - 1] && l->component[g->order[to - 1]] > l->component[j];
                 to--)
                g->order[to] = g->order[to - 1];
            g->order[to] = j;
        }
        g->first[g->n] = at;
    }
    return FB_OK;
}

static fb_status nodes(const fb_model *b, const fb_labelled *l, const grouping *g, fb_buf *o,
                       fb_err *e)
{
    static const double origin[3] = {0, 0, 0};
    fb_index x = {0};
    fb_status s = fb_index_new(&x, b->node_id, b->nn, "/nodes/id", e);
    fb_put_text(o, "*NODE\n");
    for (int64_t q = 0; !s && q < g->n; q++) {
        const double *u = origin; /* of modal nodes */
        if (l->c.node[g->order[g->first[q]]])
            s = fb_need_position(b, &x, g->node[q], who, &u, e);
        if (!s)
            fb_put_text(o, "%lld, %.13e, %.13e, %.13e\n", (long long)g->node[q], u[0], u[1], u[2]);
    }
    fb_index_free(&x);
    return s;
}

/* also: a matrix whose entries have a line here too; NULL: none */
static fb_status matrix_file(fb_files *f, const char *name, const double *A, const double *also,
                             const fb_labelled *l, fb_err *e)
{
    int64_t n = l->c.nr;
    const int half = fb_symmetric(A, n);
    fb_buf *o = NULL;
    fb_status s = fb_files_add(f, name, &o, e);
    for (int64_t i = 0; !s && i < n; i++)
        for (int64_t j = 0; j < (half ? i + 1 : n); j++)
            if (A[i + j * n] != 0 || (also && also[i + j * n] != 0) || i == j) /* every row */
                fb_put_text(o, "%lld, %lld, %lld, %lld, %.16e\n", (long long)l->node[i],
                            (long long)l->component[i], (long long)l->node[j],
                            (long long)l->component[j], A[i + j * n]);
    return s;
}

static fb_status files_matrix(const fb_labelled *l, fb_buf *deck, fb_files *f, fb_err *e)
{
    fb_put_text(deck,
                "*MATRIX INPUT, NAME=K, INPUT=K.mtx\n*MATRIX INPUT, NAME=M, INPUT=M.mtx\n%s*MATRIX "
                "ASSEMBLE, STIFFNESS=K, MASS=M%s\n",
                !l->D ? ""
                : fb_symmetric(l->D, l->c.nr)
                    ? "*MATRIX INPUT, NAME=C, INPUT=C.mtx\n"
                    : "*MATRIX INPUT, NAME=C, INPUT=C.mtx, TYPE=UNSYMMETRIC\n",
                l->D ? ", VISCOUS DAMPING=C" : "");
    FB_PASS(matrix_file(f, "K.mtx", l->K, NULL, l, e)); /* the deck may move in memory now */
    FB_PASS(matrix_file(f, "M.mtx", l->M, NULL, l, e));
    if (l->D)
        FB_PASS(matrix_file(f, "C.mtx", l->D, NULL, l, e));
    return FB_OK;
}

static fb_status files_calculix(const grouping *g, const fb_labelled *l, fb_buf *deck, fb_files *f,
                                fb_log *log, fb_err *e)
{
    enum { MOST = 255 }; /* it keeps their number in one byte */
    if (g->n > MOST)
        return fb_fail(e, FB_EFORMAT,
                       "CalculiX' *MATRIX ASSEMBLE holds %d nodes, the body has %lld with one for "
                       "each modal coordinate: reduce it further",
                       MOST, (long long)g->n);
    if (l->D)
        fb_warn(log, "CalculiX' *MATRIX ASSEMBLE holds no damping matrix: damping is left out");
    fb_put_text(deck, "*MATRIX ASSEMBLE, NAME=BODY, STIFFNESSFILE=K.mtx, MASSFILE=M.mtx\n"
                      "** of no element: frequency steps want a density\n"
                      "*MATERIAL, NAME=NONE\n*ELASTIC\n1., 0.\n*DENSITY\n1.\n");
    FB_PASS(matrix_file(f, "K.mtx", l->K, l->M, l, e)); /* the deck may move in memory now */
    FB_PASS(matrix_file(f, "M.mtx", l->M, NULL, l, e));
    return FB_OK;
}

/* The active dofs of the first node, and of each node from which they change. */
static void active_dofs(fb_buf *o, const grouping *g, const fb_labelled *l)
{
    char before[LIST] = "";
    for (int64_t q = 0; q < g->n; q++) {
        char now[LIST] = "";
        for (int64_t k = g->first[q]; k < g->first[q + 1]; k++) {
            size_t at = strlen(now);
            snprintf(now + at, sizeof now - at, "%s%lld", at ? ", " : "",
                     (long long)l->component[g->order[k]]);
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
            fb_put_text(o, "%.13e%s", A[g->order[i] + g->order[j] * n],
                        j % 4 == 3 ? "\n"
                        : j == i   ? ",\n"
                                   : ", ");
}

static void user_element(fb_buf *o, const grouping *g, const fb_labelled *l)
{
    fb_put_text(o, "*USER ELEMENT, NODES=%lld, TYPE=U1, LINEAR\n** ELEMENT NODES\n",
                (long long)g->n);
    for (int64_t q = 0; q < g->n; q += 10) {
        fb_put_text(o, "**");
        for (int64_t k = q; k < q + 10 && k < g->n; k++) {
            const int64_t c = g->order[g->first[k]]; /* for people and for mnfparse alone */
            fb_put_text(o, " %lld%s", (long long)(l->c.node[c] ? l->c.node[c] : -l->c.component[c]),
                        k + 1 < g->n ? "," : "");
        }
        fb_put_text(o, "\n");
    }
    active_dofs(o, g, l);
    triangle(o, "STIFFNESS", l->K, g, l->c.nr);
    triangle(o, "MASS", l->M, g, l->c.nr);
}

static fb_status files_element(const grouping *g, const fb_labelled *l, fb_buf *deck, fb_files *f,
                               fb_log *log, fb_err *e)
{
    fb_buf *o = NULL;
    if (l->D)
        fb_warn(log, "a linear user element holds no damping matrix: damping is left out");
    fb_put_text(deck, "*INCLUDE, INPUT=element.inp\n*ELEMENT, TYPE=U1, ELSET=BODY\n1");
    for (int64_t q = 0; q < g->n; q++) /* 16 entries a line */
        fb_put_text(deck, "%s%lld", (q + 1) % 16 ? ", " : ",\n", (long long)g->node[q]);
    fb_put_text(deck, "\n*UEL PROPERTY, ELSET=BODY\n");
    fb_status s = fb_files_add(f, "element.inp", &o, e); /* the deck may move in memory now */
    if (!s)
        user_element(o, g, l);
    return s;
}

/* A file for *STEP a load: load1.inp, ... */
static fb_status loads(const fb_model *b, const fb_labelled *l, fb_files *f, fb_err *e)
{
    char name[FB_NAME];
    for (int64_t k = 0; l->P && k < b->nload; k++) {
        fb_buf *o = NULL;
        char file[32];
        snprintf(file, sizeof file, "load%lld.inp", (long long)k + 1);
        FB_PASS(fb_files_add(f, file, &o, e));
        fb_put_text(o, "** load %s\n*CLOAD\n", fb_load_name(b, k, name));
        for (int64_t i = 0; i < b->nr; i++)
            if (fabs(l->P[k * b->nr + i]) > 0)
                fb_put_text(o, "%lld, %lld, %.13e\n", (long long)l->node[i],
                            (long long)l->component[i], l->P[k * b->nr + i]);
    }
    return FB_OK;
}

static fb_status files_abaqus(const fb_model *b, const fb_export *ask, fb_files *f, fb_log *log,
                              fb_err *e)
{
    fb_labelled l = {0};
    grouping g = {0};
    fb_buf *deck = NULL;
    fb_status s = FB_OK;
    FB_TRY(fb_labelled_new(b, who, 1, MOST_NODE, ask->base, &l, log, e));
    FB_TRY(group(&l, &g, e));
    FB_TRY(fb_files_add(f, "body.inp", &deck, e));
    fb_labelled_head(b, &l, "**", deck);
    FB_TRY(nodes(b, &l, &g, deck, e));
    if (!strcmp(ask->dialect, "element"))
        FB_TRY(files_element(&g, &l, deck, f, log, e));
    else if (!strcmp(ask->dialect, "calculix"))
        FB_TRY(files_calculix(&g, &l, deck, f, log, e));
    else
        FB_TRY(files_matrix(&l, deck, f, e));
    s = loads(b, &l, f, e);
out:
    grouping_free(&g);
    fb_labelled_free(&l);
    return s;
}

/* A frequency step, and of a held body a static one. Matrices are found from the folder. */
static fb_status test(const fb_model *b, const fb_export *ask, const char *file, fb_buf *o,
                      fb_err *e)
{
    const int calculix = !strcmp(ask->dialect, "calculix");
    fb_probe p;
    FB_PASS(fb_probe_new(b, who, &p, e));
    fb_put_text(o, "** run it in the folder %s: %s../%s.test\n", file,
                calculix ? "ccx " : "abaqus job=test input=", file);
    fb_probe_says(b, &p, "**", file, o);
    fb_put_text(o,
                "*INCLUDE, INPUT=body.inp\n*NSET, NSET=SEEN\n%lld\n"
                "*STEP%s\n*FREQUENCY%s\n%lld\n*END STEP\n",
                (long long)p.node, calculix ? "" : ", PERTURBATION",
                calculix ? "" : ", EIGENSOLVER=LANCZOS", (long long)p.nrigid + 1);
    if (p.nrigid)
        fb_put_text(o, "** the body is free: a static step wants supports\n");
    else
        fb_put_text(o,
                    "*STEP%s\n*STATIC\n*CLOAD\n%lld, %lld, 1.\n*NODE PRINT, NSET=SEEN\nU\n*END "
                    "STEP\n",
                    calculix ? "" : ", PERTURBATION", (long long)p.node, (long long)p.component);
    return FB_OK;
}

static const fb_dialect dialects[] = {
    {"matrix", "a folder: *MATRIX INPUT and *MATRIX ASSEMBLE", 1},
    {"element", "a folder: *USER ELEMENT, LINEAR with *MATRIX", 1},
    {"calculix", "a folder: CalculiX' own *MATRIX ASSEMBLE", 1},
    {0},
};

static const fb_own own_options[] = {FB_LABELLED_OPTION, {0}};

const fb_writer fb_writer_abaqus = {
    .name = "abaqus",
    .doc = "Abaqus matrices in a folder",
    .loads = 1,
    .options = own_options,
    .dialects = dialects,
    .files = files_abaqus,
    .test = test,
    .test_ending = "inp",
};
