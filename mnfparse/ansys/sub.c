/* SPDX-License-Identifier: GPL-3.0-or-later */
/* sub.c - superelements of Ansys (.sub): stiffness, mass and damping over the dofs of its nodes and
 * its modes.
 *
 * Layout   a row of each matrix in turn, full square rows: row 1 of K, row 1 of M, row 2 of K, ...
 *          Labels are 64-bit integers, (node - 1) 32 + dof of row r, dof from 0; the last rows are
 *          modes, at nodes of their own above all others. Nodes: x, y, z, THXY, THYZ, THZX.
 * Modes    fixed-interface ones (CMSOPT, FIX): K_bq = 0, K_qq = diag(w^2), M_qq = 1. The body comes
 *          reduced.
 * Source   Ansys Programmer's Reference, Format of Binary Data Files, for the header */
#include "binary.h"
#include "element.h"
#include "memory.h"
#include "reader.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

enum { DOFS_OF_A_NODE = 32, MASS_ITEMS = 37 };

static const struct { /* in the order of the file; item of the header that says it is there */
    const char *name;
    fb_role role;
    int item;
} parts[] = {{"K", FB_ROLE_STIFFNESS, 11}, {"M", FB_ROLE_MASS, 12}, {"C", FB_ROLE_DAMPING, 13}};
enum { NPART = sizeof parts / sizeof *parts, STRESS = 14 };

typedef struct {
    const fb_input *in;
    ans_file f;
    fb_parts *p;
    int64_t n, modes;
    fb_labels row; /* [n] */
} super;

static int64_t head(const super *u, int k)
{
    return u->f.h[k - 1];
}

static fb_status refused(const super *u, fb_err *e)
{
    const int64_t matrices = (head(u, 11) > 0) + (head(u, 12) > 0) + (head(u, 13) > 0);
    const char *what = head(u, 1) != 8   ? "sparse matrices"
                       : head(u, 10)     ? "unsymmetric matrices"
                       : head(u, 21) > 0 ? "a transformed superelement (SETRAN, SESYMM)"
                       : head(u, STRESS) ? "a stress stiffness"
                       : head(u, 46) != 0 && u->modes
                           ? "modes of a free or residual-flexible interface"
                       : matrices != head(u, 3) || head(u, 11) <= 0
                           ? "matrices in another order than stiffness, mass, damping"
                           : NULL;
    return what ? fb_fail(e, FB_EFORMAT,
                          "the .sub file holds %s, a form that is not known: write it by SEOPT and "
                          "CMSOPT,FIX, symmetric, as full matrices",
                          what)
                : FB_OK;
}

/* ---- dofs and nodes ----------------------------------------------------------------------- */

static fb_status labels(super *u, fb_err *e)
{
    int64_t at = ans_pointer(u->f.h, 38, 0), *v = NULL;
    fb_status s = FB_OK;
    FB_TRY(ans_take_ints(&u->f, &at, "labels of the rows", 2 * u->n, &v, e));
    FB_TRY(fb_labels_new(&u->row, u->n, 1, e));
    for (int64_t r = 0; r < u->n; r++) {
        const int64_t x = (int64_t)((uint64_t)v[2 * r + 1] << 32 | (uint32_t)v[2 * r]);
        if (x < 1 || (x - 1) / DOFS_OF_A_NODE >= FB_NODE_MAX)
            FB_TRY(fb_fail(e, FB_EFORMAT, "row %lld has the label %lld", (long long)r + 1,
                           (long long)x));
        u->row.node[r] = (x - 1) / DOFS_OF_A_NODE + 1;
        u->row.component[r] = ans_component((x - 1) % DOFS_OF_A_NODE + 1);
        u->row.class[r] = r < u->n - u->modes ? FB_DOF_PHYSICAL : FB_DOF_GENERALIZED;
        if (r == u->n - u->modes && r && u->row.node[r] <= u->row.node[r - 1])
            FB_TRY(fb_fail(e, FB_EFORMAT,
                           "the first mode has node %lld, which is not above node %lld of the last "
                           "dof",
                           (long long)u->row.node[r], (long long)u->row.node[r - 1]));
    }
out:
    FB_FREE(v);
    return s;
}

/* Places of the nodes but for those of modes, whose coordinates mean nothing. */
static fb_status nodes(super *u, fb_err *e)
{
    const int64_t n = head(u, 9), physical = u->n - u->modes,
                  last = physical ? u->row.node[physical - 1] : 0;
    int64_t at = ans_pointer(u->f.h, 35, 0), *node = NULL;
    fb_status s = FB_OK;
    FB_TRY(ans_limit(&u->f, n, "nodes", e));
    FB_TRY(ans_take_ints(&u->f, &at, "numbers of the nodes", n, &node, e));
    at = ans_pointer(u->f.h, 36, 0);
    for (int64_t k = 0; k < n; k++) {
        ans_record r;
        double v[6], F[9];
        FB_TRY(ans_record_at(&u->f, at, "nodes", &r, e));
        FB_TRY(ans_reals(&r, "nodes", v, 6, e));
        at = r.next;
        if (node[k] > last && u->modes)
            continue;
        const int turned = v[3] != 0 || v[4] != 0 || v[5] != 0;
        if (!isfinite(v[0] + v[1] + v[2]) || !isfinite(v[3] + v[4] + v[5]))
            FB_TRY(fb_fail(e, FB_EFORMAT, "node %lld is at (%g, %g, %g)", (long long)node[k], v[0],
                           v[1], v[2]));
        if (turned)
            ans_axes(v + 3, F);
        FB_TRY(fb_parts_node(u->p, node[k], v, turned ? F : NULL, e));
    }
out:
    FB_FREE(node);
    return s;
}

/* What the file itself says of the mass: mass and centre. */
static fb_status mass_record(super *u, fb_err *e)
{
    int64_t at = ans_pointer(u->f.h, 27, 0);
    fb_model *b = &u->p->body;
    double *v = NULL;
    fb_status s = FB_OK;
    if (!at || b->ref_mass)
        return FB_OK;
    FB_TRY(ans_take_reals(&u->f, &at, "mass", MASS_ITEMS, &v, e));
    if (!(v[0] > 0) || !isfinite(v[0] + v[1] + v[2] + v[3]))
        goto out;
    FB_TRY(fb_copy(&b->ref_mass, v, 1, sizeof *v, "mass", e));
    FB_TRY(fb_copy(&b->ref_com, v + 1, 3, sizeof *v, "centre of mass", e));
out:
    FB_FREE(v);
    return s;
}

/* ---- matrices ----------------------------------------------------------------------------- */

static fb_status hand_over(super *u, int k, fb_mat *A, fb_log *log, fb_err *e)
{
    fb_matrix *out = NULL;
    int64_t entries = 0;
    FB_PASS(fb_dense_symmetric(A, parts[k].name, u->p->how.force_symmetric, log, e));
    for (int64_t c = 0; c < u->n; c++)
        for (int64_t r = 0; r <= c; r++)
            entries += A->x[r + c * u->n] != 0;
    FB_PASS(fb_parts_matrix(u->p, parts[k].name, u->in->name, parts[k].role, &out, e));
    FB_PASS(fb_csc_new(&out->A, u->n, u->n, entries, 1, e));
    for (int64_t c = 0, q = 0; c < u->n; c++) {
        for (int64_t r = 0; r <= c; r++)
            if (A->x[r + c * u->n] != 0) {
                out->A.i[q] = r;
                out->A.x[q++] = A->x[r + c * u->n];
            }
        out->A.p[c + 1] = q;
    }
    out->stored = u->n * u->n;
    out->every_row = out->condensed = 1;
    snprintf(out->date, sizeof out->date, "%s", u->f.date);
    return fb_labels_copy(&out->row, &u->row, u->n, e);
}

static fb_status matrices(super *u, fb_log *log, fb_err *e)
{
    fb_mat A[NPART] = {{0}};
    int64_t at = ans_pointer(u->f.h, 22, 0);
    fb_meter meter;
    fb_status s = FB_OK;
    fb_meter_start(&meter, log, u->in, 0, 1);
    for (int k = 0; k < NPART; k++)
        if (head(u, parts[k].item))
            FB_TRY(fb_mat_new(A + k, u->n, u->n, e));
    for (int64_t r = 0; r < u->n; r++)
        for (int k = 0; k < NPART; k++) {
            ans_record row;
            if (!A[k].x)
                continue;
            FB_TRY(ans_record_at(&u->f, at, parts[k].name, &row, e));
            FB_TRY(ans_reals(&row, parts[k].name, A[k].x + r * u->n, u->n, e));
            at = row.next;
            fb_meter_at(&meter, u->f.data + 4 * at);
            for (int64_t c = 0; c < u->n; c++)
                if (!isfinite(A[k].x[c + r * u->n]))
                    FB_TRY(fb_fail(e, FB_EFORMAT, "%s: the entry of dofs %s and %s is not finite",
                                   parts[k].name, fb_name_of(u->row.node[r], u->row.component[r]).s,
                                   fb_name_of(u->row.node[c], u->row.component[c]).s));
        }
    for (int k = 0; k < NPART; k++)
        if (A[k].x)
            FB_TRY(hand_over(u, k, A + k, log, e));
out:
    for (int k = 0; k < NPART; k++)
        fb_mat_free(A + k);
    return s;
}

/* ---- the file ----------------------------------------------------------------------------- */

static fb_status begin(super *u, fb_err *e)
{
    FB_PASS(ans_open(&u->f, u->in, e));
    u->n = head(u, 2);
    u->modes = head(u, 44);
    FB_PASS(refused(u, e));
    const int64_t matrices = head(u, 3);
    if (u->n < 1 || matrices < 1 || u->modes < 0 || u->modes > u->n ||
        u->n > u->f.words / (2 * u->n * matrices))
        return fb_fail(e, FB_EFORMAT,
                       "the header announces %lld matrices of %lld rows, %lld of them modes; the "
                       "file has %lld words",
                       (long long)matrices, (long long)u->n, (long long)u->modes,
                       (long long)u->f.words);
    return FB_OK;
}

static fb_status read_sub(const fb_input *in, fb_parts *p, fb_log *log, fb_err *e)
{
    super u = {.in = in, .p = p};
    fb_status s = FB_OK;
    FB_TRY(begin(&u, e));
    FB_TRY(labels(&u, e));
    FB_TRY(nodes(&u, e));
    FB_TRY(matrices(&u, log, e));
    FB_TRY(mass_record(&u, e));
    FB_TRY(ans_tell(&u.f, p, e));
    fb_note(log, "%s: Ansys %s of %s, %lld dofs of nodes and %lld modes", in->name, u.f.version,
            u.f.date[0] ? u.f.date : "an unknown date", (long long)(u.n - u.modes),
            (long long)u.modes);
out:
    fb_labels_free(&u.row);
    return s;
}

static int sniff(const fb_input *in)
{
    return ans_sniff(in, ANS_SUB);
}

const fb_reader fb_reader_ansys_sub = {
    .name = "ansys_sub",
    .doc = "Ansys superelement .sub",
    .sniff = sniff,
    .read = read_sub,
};
