/* SPDX-License-Identifier: GPL-3.0-or-later */
/* mbdyn.c - the .fem file of MBDyn's modal joint.
 *
 * Layout   record groups, each after a line `** RECORD GROUP n` in column 1; numbers are free
 *            format. 1 header, 2 node labels, 5 6 7 coordinates, 8 mode shapes (one comment line a
 *            mode, then x y z and rotations of each node), 9 mass, 10 stiffness, 13 damping, and
 *            dialect 1.7:      11 nodal masses of all nodes; MBDyn sums the invariants itself;
 *                              12 too where a nodal inertia has off-diagonals, which 11 cannot hold
 *            dialect develop:  12 mass, centre, inertia about the centre, 14 I3, 15 I4, 16 -I8,
 *                              17 I5, 18 I9 about the origin; only the connectors are exported
 *          Loads stand in comments at the end, as the force elements of a deck that put them on.
 *          Never 11 together with 14..18: MBDyn adds both. Release 1.7.3 stops at 14 and above.
 *   (MBD.1) record 9 of dialect 1.7 = sum m phi'phi + phi*'J phi* over the masses of record 11:
 *           MBDyn sums the rest from them
 * Rows     16: row a: for mode j, for axis c: int r~ phi_j~' = -(I8_j)_ac;  17: row a: for j, for
 *          k:
 *          (I5_j)_ak;  18: row a: for j, for k, for c: (I9_jk)_ac
 * Assumed  no rigid motion within the modes (K positive definite); the modal node is the origin of
 *          the axes and moves with the body, so the finite elements are best clamped there; any
 *          normalisation; any consistent units; M and K symmetric to the last bit, damping of any
 *          form, row by row.
 * Source   MBDyn input manual, appendix "Modal Element Data"
 */
#include "memory.h"
#include "body.h"
#include "selftest.h"
#include "writer.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char who[] = "an MBDyn .fem file";

/* Of the generalized mass: less is round-off of the sums. */
static const double same_mass = 1e-9;
/* What lumping may make of any frequency unsaid, and of the lowest ones at all. */
static const double frequency_warned = 0.01, frequency_refused = 0.1;
enum { compared = 3 };

static void record(fb_buf *o, int n, const char *name)
{
    fb_put_text(o, "**\n** RECORD GROUP %d, %s\n", n, name);
}

static void row(fb_buf *o, const double *x, int64_t n)
{
    for (int64_t k = 0; k < n; k++)
        fb_put_text(o, "%s%.17e", k ? " " : "", x[k]);
    fb_put_text(o, "\n");
}

/* Rows that are the same to the last bit as the columns: MBDyn compares them so. */
static fb_status symmetric(fb_buf *o, const double *A, int64_t n, fb_err *e)
{
    fb_mat S = {0};
    FB_PASS(fb_mat_copy(&S, &(fb_mat){n, n, (double *)(uintptr_t)A}, e)); /* only read */
    fb_mat_symmetrise(&S);
    for (int64_t i = 0; i < n; i++)
        row(o, S.x + i * n, n);
    fb_mat_free(&S);
    return FB_OK;
}

static fb_status shapes(fb_buf *o, const fb_model *b, const fb_nodes *x, fb_err *e)
{
    double *y = NULL;
    FB_PASS(fb_node_shapes(b, x->node, x->n, &y, e));
    record(o, 8, "MODE SHAPES");
    for (int64_t k = 0; k < b->nr; k++) {
        fb_put_text(o, "**    NORMAL MODE SHAPE #  %lld\n", (long long)k + 1);
        for (int64_t p = 0; p < x->n; p++) {
            double v[6];
            for (int c = 0; c < 6; c++)
                v[c] = y[(6 * p + c) * b->nr + k];
            row(o, v, 6);
        }
    }
    free(y);
    return FB_OK;
}

static void nodes(fb_buf *o, const fb_model *b, const fb_nodes *x)
{
    fb_put_text(o,
                "** MBDyn MODAL DATA FILE\n** RECORD GROUP 1, HEADER\n"
                "**   REVISION,  NODE,  NORMAL, ATTACHMENT, CONSTRAINT, REJECTED MODES.\n"
                "REV0 %lld %lld 0 0 0\n",
                (long long)x->n, (long long)b->nr);
    for (int64_t p = 0; p < x->n; p++)
        if (fb_node_name(b, x->node[p]))
            fb_put_text(o, "**   NODE %lld: %s\n", (long long)x->node[p],
                        fb_node_name(b, x->node[p]));
    record(o, 2, "FINITE ELEMENT NODE LIST");
    for (int64_t p = 0; p < x->n; p++)
        fb_put_text(o, "%lld%s", (long long)x->node[p], p + 1 == x->n || p % 10 == 9 ? "\n" : " ");
    for (int a = 0; a < 3; a++) {
        record(o, 5 + a,
               (const char *[]){"NODAL X COORDINATES", "NODAL Y COORDINATES",
                                "NODAL Z COORDINATES"}[a]);
        for (int64_t p = 0; p < x->n; p++)
            row(o, x->xyz + 3 * p + a, 1);
    }
}

static fb_status lumped(fb_buf *o, const fb_model *b, int *oblique, fb_err *e)
{
    if (!b->node_mass)
        return fb_fail(e, FB_EFORMAT,
                       "%s of release 1.7 wants nodal masses (record 11), the body has none: use "
                       "--dialect develop",
                       who);
    record(o, 11, "DIAGONAL OF LUMPED MASS MATRIX");
    for (int64_t p = 0; p < b->nn; p++) {
        double m = b->node_mass[p], v[6] = {m, m, m, 0, 0, 0};
        if (m < 0)
            return fb_fail(e, FB_EFORMAT,
                           "%s: node %lld has the negative mass %g (record 11), with which MBDyn "
                           "sums no inertia: use --dialect develop",
                           who, (long long)b->node_id[p], m);
        for (int c = 0; b->node_inertia && c < 9; c++) {
            double J = b->node_inertia[9 * p + c];
            if (c % 4 == 0)
                v[3 + c / 4] = J;
            else if (J != 0)
                *oblique = 1;
        }
        row(o, v, 6);
    }
    return FB_OK;
}

/* (MBD.1), where the nodal masses stand for a mass matrix. */
static fb_status lumped_mass(const fb_model *b, fb_mat *M9, fb_err *e)
{
    const int64_t m = b->nr, n = 6 * b->nn;
    fb_mat Y = {m, n, NULL}, W = {0};
    fb_status s = FB_OK;
    FB_TRY(fb_node_shapes(b, b->node_id, b->nn, &Y.x, e));
    FB_TRY(fb_mat_new(&W, m, n, e));
    for (int64_t p = 0; p < b->nn; p++)
        for (int a = 0; a < 6; a++)
            for (int c = 0; c < 6; c++) {
                const double w = a < 3 ? (a == c) * b->node_mass[p]
                                 : c >= 3 && b->node_inertia
                                     ? b->node_inertia[9 * p + 3 * (a - 3) + c - 3]
                                     : 0;
                for (int64_t k = 0; w != 0 && k < m; k++)
                    W.x[k + (6 * p + a) * m] += w * Y.x[k + (6 * p + c) * m];
            }
    FB_TRY(fb_mat_product(0, 1, &Y, &W, M9, e));
    fb_mat_symmetrise(M9);
out:
    free(Y.x);
    fb_mat_free(&W);
    return s;
}

/* What nodal masses make of all frequencies, for the highest go wrong first: w [2 m] the roots of K
 * with the mass matrix, then with theirs (0: they are no mass). The modal node is held; where it
 * moves, frequencies of that height are off by up to half as much again. */
static fb_status judge_lumping(const fb_model *b, const double *w, fb_log *log, fb_err *e)
{
    const int64_t m = b->nr;
    const double unit = b->units.factor[FB_TIME] > 0 ? b->units.factor[FB_TIME] : 1;
    double lowest = 0, worst = 0;
    int64_t first = m;
    for (int64_t k = 0; k < m; k++) {
        const double off = w[k] <= 0 ? 0 : fabs(sqrt(fmax(w[m + k], 0) / w[k]) - 1);
        worst = fmax(worst, off);
        if (k < compared)
            lowest = worst;
        if (off > frequency_warned && first == m)
            first = k;
    }
    if (lowest > frequency_refused)
        return fb_fail(
            e, FB_EFORMAT,
            "%s of release 1.7 holds nodal masses (record 11), which do not stand for this mass "
            "matrix: the first frequencies would be off by %.2g %%: use --dialect develop, or a "
            "finer mesh",
            who, 100 * lowest);
    if (first < m)
        fb_warn(log,
                "records 9 and 11 hold nodal masses instead of the mass matrix: with the modal "
                "node held, frequencies from number %lld of %lld on (%.5g Hz) are off by up to "
                "%.2g %%; --dialect develop keeps the mass matrix, a finer mesh comes closer",
                (long long)first + 1, (long long)m, sqrt(w[first]) / (2 * M_PI * unit),
                100 * worst);
    return FB_OK;
}

/* Record 9: the generalized mass, or of a body with a mass matrix what the masses of record 11 make
 * of it, so that MBDyn's sums are one inertia. *M9 stays empty where the two are the same. */
static fb_status fitting_mass(const fb_model *b, fb_mat *M9, fb_log *log, fb_err *e)
{
    const int64_t m = b->nr;
    const fb_mat K = {m, m, b->Kr}, M = {m, m, b->Mr};
    double *w = NULL, off = 0;
    fb_mat V = {0};
    fb_status s = FB_OK;
    if ((!b->M.p && !b->Ms.p && !fb_mass_left_behind(b)) || !b->node_mass)
        return FB_OK;
    FB_TRY(lumped_mass(b, M9, e));
    for (int64_t k = 0; k < m * m; k++)
        off = fmax(off, fabs(M9->x[k] - b->Mr[k]));
    if (off <= same_mass * fb_mat_max(&M)) {
        fb_mat_free(M9);
        goto out;
    }
    FB_TRY(fb_new(&w, 2 * m, 8, "frequencies", e));
    FB_TRY(fb_eig_dense(&K, &M, w, &V, e));
    fb_mat_free(&V);
    s = fb_eig_dense(&K, M9, w + m, &V, e);
    if (s == FB_ESOLVE)
        memset(w + m, 0, sizeof *w * (size_t)m);
    else
        FB_TRY(s);
    FB_TRY(judge_lumping(b, w, log, e));
out:
    free(w);
    fb_mat_free(&V);
    return s;
}

static void rigid_body(fb_buf *o, const fb_model *b)
{
    double c[3], J[9];
    fb_central_inertia(b, c, J);
    record(o, 12, "GLOBAL INERTIA");
    row(o, b->I[1], 1);
    row(o, c, 3);
    for (int a = 0; a < 3; a++)
        row(o, J + 3 * a, 3);
}

/* Record 12 of the masses of record 11, which holds no off-diagonals of nodal inertias. */
static void rigid_lumps(fb_buf *o, const fb_model *b)
{
    double m = 0, c[3] = {0}, J[9] = {0};
    for (int64_t p = 0; p < b->nn; p++) {
        m += b->node_mass[p];
        for (int a = 0; a < 3; a++)
            c[a] += b->node_mass[p] * b->xyz[3 * p + a];
    }
    for (int a = 0; a < 3; a++)
        c[a] = m > 0 ? c[a] / m : 0;
    for (int64_t p = 0; p < b->nn; p++) {
        const double *u = b->xyz + 3 * p, r[3] = {u[0] - c[0], u[1] - c[1], u[2] - c[2]},
                     rr = r[0] * r[0] + r[1] * r[1] + r[2] * r[2];
        for (int a = 0; a < 9; a++)
            J[a] += b->node_mass[p] * ((a % 4 == 0) * rr - r[a / 3] * r[a % 3]) +
                    b->node_inertia[9 * p + a];
    }
    record(o, 12, "GLOBAL INERTIA");
    row(o, &m, 1);
    row(o, c, 3);
    for (int a = 0; a < 3; a++)
        row(o, J + 3 * a, 3);
}

/* Row a of records 16, 17, 18. */
static void coupling_row(fb_buf *o, const fb_model *b, int number, int a)
{
    int64_t m = b->nr;
    const char *gap = "";
    for (int64_t j = 0; j < m; j++)
        for (int64_t k = 0; k < (number == 16 ? 1 : m); k++)
            for (int c = 0; c < (number == 17 ? 1 : 3); c++) {
                double v = number == 16   ? 0 - b->I[8][9 * j + 3 * a + c]
                           : number == 17 ? b->I[5][(3 * j + a) * m + k]
                                          : b->I[9][9 * (j * m + k) + 3 * a + c];
                fb_put_text(o, "%s%.17e", gap, v);
                gap = " ";
            }
    fb_put_text(o, "\n");
}

static void invariants(fb_buf *o, const fb_model *b)
{
    static const char *const name[] = {"INVARIANT 8", "INVARIANT 5", "INVARIANT 9"};
    for (int q = 0; q < 2; q++) {
        record(o, 14 + q, q ? "INVARIANT 4" : "INVARIANT 3");
        for (int a = 0; a < 3; a++)
            row(o, b->I[3 + q] + a * b->nr, b->nr);
    }
    for (int n = 16; n <= 18; n++) {
        record(o, n, name[n - 16]);
        for (int a = 0; a < 3; a++)
            coupling_row(o, b, n, a);
    }
}

/* MBDyn's modal node is the origin of the axes: of the nodes that no mode moves one should lie
 * there. */
static fb_status check_origin(const fb_model *b, fb_log *log, fb_err *e)
{
    double *x = NULL, most = 0, size = 0, nearest = INFINITY;
    int64_t held = -1;
    FB_PASS(fb_node_shapes(b, b->node_id, b->nn, &x, e));
    for (int64_t k = 0; k < 6 * b->nn * b->nr; k++)
        most = fmax(most, fabs(x[k]));
    for (int64_t p = 0; p < b->nn; p++) {
        const double *u = b->xyz + 3 * p, r = sqrt(u[0] * u[0] + u[1] * u[1] + u[2] * u[2]);
        double move = 0;
        size = fmax(size, r);
        for (int64_t k = 0; k < 6 * b->nr; k++)
            move = fmax(move, fabs(x[6 * p * b->nr + k]));
        if (move <= 1e-9 * most && r < nearest) {
            nearest = r;
            held = p;
        }
    }
    if (held >= 0 && nearest > 1e-9 * size)
        fb_warn(log,
                "node %lld, which is held, lies at %g %g %g, but MBDyn's modal node is the origin "
                "of the axes: linkexport --frame node:%lld moves them there",
                (long long)b->node_id[held], b->xyz[3 * held], b->xyz[3 * held + 1],
                b->xyz[3 * held + 2], (long long)b->node_id[held]);
    free(x);
    return FB_OK;
}

/* Comments: the force elements that put the loads on the modal joint. */
static void loads(fb_buf *o, const fb_model *b)
{
    char name[FB_NAME];
    for (int64_t k = 0; b->load && k < b->nload; k++) {
        fb_put_text(o, "** LOAD %s, as an element of the deck:\n", fb_load_name(b, k, name));
        fb_put_text(o, "**   force: FORCE, modal, JOINT");
        for (int64_t j = 0; j < b->nr; j++)
            fb_put_text(o, ",\n**     const, %.17e", b->load[k * b->nr + j]);
        fb_put_text(o, ";\n");
    }
}

static fb_status write_mbdyn(const fb_model *b, const fb_export *ask, fb_buf *o, fb_log *log,
                             fb_err *e)
{
    int develop = !strcmp(ask->dialect, "develop"), oblique = 0;
    fb_nodes x = {0};
    fb_mat M9 = {0};
    fb_status s = FB_OK;
    FB_TRY(fb_need_modes(b, who, e));
    FB_TRY(fb_need_held(b, who, e));
    FB_TRY(check_origin(b, log, e));
    if (develop) {
        const fb_inertia_set at = fb_inertia_of(b);
        FB_TRY(fb_need_invariants(b, who, e));
        FB_TRY(fb_need_inertia(b, &at, who, 1, log, e));
    } else if (b->node_mass) {
        FB_TRY(fitting_mass(b, &M9, log, e));
        FB_TRY(fb_need_lumps(b, M9.x ? M9.x : b->Mr, who, 1, log, e)); /* records 9 and 11 */
    }
    FB_TRY(fb_exposed_nodes(b, !develop, &x, e));
    nodes(o, b, &x);
    FB_TRY(shapes(o, b, &x, e));
    record(o, 9, "MODAL MASS MATRIX");
    FB_TRY(symmetric(o, M9.x ? M9.x : b->Mr, b->nr, e));
    record(o, 10, "MODAL STIFFNESS MATRIX");
    FB_TRY(symmetric(o, b->Kr, b->nr, e));
    if (!develop)
        FB_TRY(lumped(o, b, &oblique, e));
    if (develop)
        rigid_body(o, b);
    else if (oblique)
        rigid_lumps(o, b);
    if (b->Dr) {
        record(o, 13, "MODAL DAMPING MATRIX");
        for (int64_t i = 0; i < b->nr; i++)
            row(o, b->Dr + i * b->nr, b->nr);
    }
    if (develop)
        invariants(o, b);
    loads(o, b);
    fb_put_text(o, "** END OF FILE\n");
    s = fb_buf_status(o, e);
out:
    fb_nodes_free(&x);
    fb_mat_free(&M9);
    return s;
}

/* A clamped modal joint and a static node on it. Undamped steps of a hundred periods by the
 * implicit Euler method end in the static answer; eigenvalues are L = (alphar + i alphai) / beta,
 * p = (L - 1) / (L + 1) / dCoef. */
static void deck(const fb_model *b, const fb_probe *p, const char *file, fb_buf *o)
{
    const double *u = b->connector_position + 3 * p->connector, h = 100 * p->period;
    fb_put_text(o, "# mbdyn -f THIS -o out: the last line of out.mov has the place, out_0.m the "
                   "eigenvalues\n");
    fb_put_text(o,
                "begin: data; problem: initial value; end: data;\nbegin: initial value;\n"
                "  initial time: 0.; final time: %.9e; time step: %.9e;\n"
                "  method: implicit euler; max iterations: 20; tolerance: 1.e-6;\n"
                "  derivatives tolerance: 1.e15;\n  linear solver: naive;\n"
                "  eigenanalysis: 0., parameter, %.9e, output eigenvectors, use lapack;\n"
                "end: initial value;\n",
                20 * h, h, p->period / (2 * M_PI));
    fb_put_text(o, "begin: control data;\n  structural nodes: 1; joints: 1; forces: 1;\n"
                   "  default output: structural nodes, joints;\nend: control data;\n");
    fb_put_text(o,
                "begin: nodes;\n  structural: 1, static, %.17e, %.17e, %.17e, eye, null, null;\n"
                "end: nodes;\n",
                u[0], u[1], u[2]);
    fb_put_text(o,
                "begin: elements;\n  joint: 10, modal, clamped,\n    %lld, from file, no damping, "
                "\"%s\",\n    1, \"%lld\", 1, null;\n",
                (long long)b->nr, file, (long long)p->node);
    fb_put_text(o,
                "  force: 1, absolute, 1, position, null, %d., %d., %d., const, 1.;\n"
                "end: elements;\n",
                p->axis == 0, p->axis == 1, p->axis == 2);
}

/* Of the mass that the file has. */
static fb_status test(const fb_model *b, const fb_export *ask, const char *file, fb_buf *o,
                      fb_err *e)
{
    fb_log quiet = {0};
    fb_model view = *b;
    fb_mat M9 = {0};
    fb_probe p;
    fb_status s = FB_OK;
    FB_TRY(fb_need_modes(b, who, e));
    if (strcmp(ask->dialect, "develop"))
        FB_TRY(fitting_mass(b, &M9, &quiet, e));
    view.Mr = M9.x ? M9.x : b->Mr;
    FB_TRY(fb_probe_new(&view, who, &p, e));
    fb_probe_says(b, &p, "#", file, o);
    deck(b, &p, file, o);
out:
    fb_log_free(&quiet);
    fb_mat_free(&M9);
    return s;
}

static const fb_dialect dialects[] = {
    {"1.7", "nodal masses of all nodes (record 11); every release reads it", 0},
    {"develop",
     "invariants (records 12, 14-18), connectors alone; the development version reads it", 0},
    {0},
};

const fb_writer fb_writer_mbdyn = {
    .name = "mbdyn",
    .doc = "MBDyn modal joint (.fem)",
    .loads = 1,
    .dialects = dialects,
    .write = write_mbdyn,
    .test = test,
    .test_ending = "mbd",
};
