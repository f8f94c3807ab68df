/* SPDX-License-Identifier: GPL-3.0-or-later */
/* modelica.c - the constants of a flexible body as a Modelica record.
 *
 * Layout   record BodyData: M (modes), Nc (connectors), mass matrix I6 and I1..I11 in the index
 *          order of flexbody.5, Ke, De, and per connector S [3,M], Shat [3,M], u0 [3], A [3,3]
 *          (columns: axes of the connector frame), node numbers.
 *          Dialect literal: one text, numbers with 17 digits. Dialect matfile: a folder with
 *          BodyData.mo and BodyData.mat (level 4), which holds every array as a matrix whose rows
 *          run over all indices but the last; Modelica.Utilities.Streams.readRealMatrix brings them
 *          in.
 * Assumed  no rigid motion within the modes; the frame is the origin of the axes; SI units, since
 *          Modelica's are; any normalisation (Me = I6 is used).
 * Source   B. Scaglioni, PhD thesis, Politecnico di Milano 2016, ch. 3; Modelica Language
 *          Specification 3.4
 */
#include "memory.h"
#include "body.h"
#include "matfile.h"
#include "selftest.h"
#include "writer.h"
#include <stdlib.h>
#include <string.h>

static const char who[] = "a Modelica body record";

/* Above this many modes tools are slow with literals: I9 alone has 9 M^2 numbers. */
enum { MANY = 60, NARRAY = 20 };

typedef struct {
    fb_matvar v;
    const char *dims, *doc; /* "3,M" */
} entry;

typedef struct {
    entry e[NARRAY];
    int n;
    double *zero; /* De of a body without damping */
} record;

static void add(record *t, const char *name, const char *dims, const double *x, int rank,
                const int64_t dim[4], const char *doc)
{
    entry *y = t->e + t->n++;
    *y = (entry){{.name = name, .rank = rank, .x = x}, dims, doc};
    memcpy(y->v.dim, dim, sizeof y->v.dim);
}

static fb_status collect(const fb_model *b, record *t, fb_err *e)
{
    const int64_t m = b->nr, nc = b->nc;
    FB_PASS(fb_new(&t->zero, m * m, 8, "damping", e));
    add(t, "I1", "", b->I[1], 0, (const int64_t[4]){0}, "int rho: mass");
    add(t, "I2", "3", b->I[2], 1, (const int64_t[4]){3}, "int rho u0");
    add(t, "I3", "3,M", b->I[3], 2, (const int64_t[4]){3, m}, "int rho S");
    add(t, "I4", "3,M", b->I[4], 2, (const int64_t[4]){3, m}, "int rho u0~ S");
    add(t, "I5", "M,3,M", b->I[5], 3, (const int64_t[4]){m, 3, m}, "int rho s_i~ S");
    add(t, "I6", "M,M", b->I[6], 2, (const int64_t[4]){m, m}, "int rho S'S");
    add(t, "I7", "3,3", b->I[7], 2, (const int64_t[4]){3, 3}, "inertia about the origin");
    add(t, "I8", "M,3,3", b->I[8], 3, (const int64_t[4]){m, 3, 3}, "int rho u0~ s_i~");
    add(t, "I9", "M,M,3,3", b->I[9], 4, (const int64_t[4]){m, m, 3, 3}, "int rho s_i~ s_j~");
    add(t, "I10", "3,3,M", b->I[10], 3, (const int64_t[4]){3, 3, m}, "int rho u0_a S_b");
    add(t, "I11", "3,3,M,M", b->I[11], 4, (const int64_t[4]){3, 3, m, m}, "int rho S_a' S_b");
    add(t, "Me", "M,M", b->Mr, 2, (const int64_t[4]){m, m}, "generalized mass");
    add(t, "Ke", "M,M", b->Kr, 2, (const int64_t[4]){m, m}, "generalized stiffness");
    add(t, "De", "M,M", b->Dr ? b->Dr : t->zero, 2, (const int64_t[4]){m, m},
        "generalized damping");
    add(t, "S", "Nc,3,M", b->connector_S, 3, (const int64_t[4]){nc, 3, m},
        "translation of the connectors");
    add(t, "Shat", "Nc,3,M", b->connector_Shat, 3, (const int64_t[4]){nc, 3, m},
        "small rotation of the connectors");
    add(t, "u0", "Nc,3", b->connector_position, 2, (const int64_t[4]){nc, 3},
        "undeformed positions of the connectors");
    add(t, "A", "Nc,3,3", b->connector_rotation, 3, (const int64_t[4]){nc, 3, 3},
        "axes of the connector frames (columns)");
    return FB_OK;
}

/* { { .. }, .. } along the indices from `level` on; a line a row of the last index. */
static const double *literal(fb_buf *o, const fb_matvar *v, int level, const double *x)
{
    if (level == v->rank) {
        fb_put_text(o, "%.16e", *x);
        return x + 1;
    }
    fb_put_text(o, "{");
    for (int64_t k = 0; k < v->dim[level]; k++) {
        fb_put_text(o, "%s", k ? level + 1 == v->rank ? ", " : ",\n    " : "");
        x = literal(o, v, level + 1, x);
    }
    fb_put_text(o, "}");
    return x;
}

/* The rows of the matrix in the file run over all indices but the last. */
static void from_file(fb_buf *o, const entry *y)
{
    static const char *const index = "ijkl";
    const fb_matvar *v = &y->v;
    int64_t rows = 1, cols = v->rank ? v->dim[v->rank - 1] : 1;
    for (int k = 0; k + 1 < v->rank; k++)
        rows *= v->dim[k];
    if (v->rank == 2) {
        fb_put_text(
            o, "  final parameter Real %s[%s] = readRealMatrix(file, \"%s\", %lld, %lld) \"%s\";\n",
            v->name, y->dims, v->name, (long long)rows, (long long)cols, y->doc);
        return;
    }
    fb_put_text(
        o,
        "  final parameter Real %s_rows[%lld,%lld] = readRealMatrix(file, \"%s\", %lld, %lld);\n",
        v->name, (long long)rows, (long long)cols, v->name, (long long)rows, (long long)cols);
    fb_put_text(o, "  final parameter Real %s%s%s%s = ", v->name, *y->dims ? "[" : "", y->dims,
                *y->dims ? "]" : "");
    for (int k = 0; k < v->rank; k++)
        fb_put_text(o, "{");
    fb_put_text(o, "%s_rows[", v->name);
    for (int k = 0; k + 1 < v->rank; k++) { /* ((i-1)*dim_j + j-1)*dim_k + k */
        int64_t below = 1;
        for (int q = k + 1; q + 1 < v->rank; q++)
            below *= v->dim[q];
        fb_put_text(o, k + 2 == v->rank ? "%s%c" : "%s(%c-1)*%lld", k ? "+" : "", index[k],
                    (long long)below);
    }
    fb_put_text(o, "%s%s", v->rank > 1 ? "" : "1", ",");
    fb_put_text(o, v->rank ? "%c]" : "1]", v->rank ? index[v->rank - 1] : 0);
    for (int k = v->rank - 1; k >= 0; k--)
        fb_put_text(o, " for %c in 1:%lld}", index[k], (long long)v->dim[k]);
    fb_put_text(o, " \"%s\";\n", y->doc);
}

/* Where a connector has one: what it is called. */
static void names(fb_buf *o, const fb_model *b)
{
    int any = 0;
    for (int64_t k = 0; k < b->nc; k++)
        any |= fb_node_name(b, b->connector_node[k]) != NULL;
    if (!any)
        return;
    fb_put_text(o, "  final parameter String name[Nc] = {");
    for (int64_t k = 0; k < b->nc; k++) {
        const char *name = fb_node_name(b, b->connector_node[k]);
        fb_put_text(o, "%s\"", k ? ", " : "");
        for (; name && *name; name++)
            fb_put_text(o, "%s%c", *name == '"' || *name == '\\' ? "\\" : "", *name);
        fb_put_text(o, "\"");
    }
    fb_put_text(o, "} \"names of the connectors\";\n");
}

static void text(fb_buf *o, const fb_model *b, const record *t, int matfile)
{
    fb_put_text(o,
                "record BodyData \"flexible body, %lld modes, %lld connectors\"\n  extends "
                "Modelica.Icons.Record;\n",
                (long long)b->nr, (long long)b->nc);
    if (matfile)
        fb_put_text(o, "  import Modelica.Utilities.Streams.readRealMatrix;\n"
                       "  parameter String file = \"BodyData.mat\" \"file of the arrays\";\n");
    fb_put_text(o,
                "  final parameter Integer M = %lld \"number of modes\";\n"
                "  final parameter Integer Nc = %lld \"number of connectors\";\n  final parameter "
                "Integer node[Nc] = {",
                (long long)b->nr, (long long)b->nc);
    for (int64_t k = 0; k < b->nc; k++)
        fb_put_text(o, "%s%lld", k ? ", " : "", (long long)b->connector_node[k]);
    fb_put_text(o, "} \"node numbers of the connectors\";\n");
    names(o, b);
    for (int k = 0; k < t->n; k++) {
        const entry *y = t->e + k;
        if (matfile) {
            from_file(o, y);
            continue;
        }
        fb_put_text(o, "  final parameter Real %s%s%s%s = ", y->v.name, *y->dims ? "[" : "",
                    y->dims, *y->dims ? "]" : "");
        literal(o, &y->v, 0, y->v.x);
        fb_put_text(o, " \"%s\";\n", y->doc);
    }
    fb_put_text(o, "end BodyData;\n");
}

static fb_status demands(const fb_model *b, fb_log *log, fb_err *e)
{
    const fb_inertia_set at = fb_inertia_of(b);
    FB_PASS(fb_need_modes(b, who, e));
    FB_PASS(fb_need_invariants(b, who, e));
    FB_PASS(fb_need_held(b, who, e));
    if (!b->nc || !b->connector_S || !b->connector_Shat)
        return fb_fail(e, FB_EFORMAT, "%s wants connectors: name their nodes by --connectors LIST",
                       who);
    FB_PASS(fb_need_si(b, who, e));
    FB_PASS(fb_need_inertia(b, &at, who, 1, log, e));
    return FB_OK;
}

static fb_status write_modelica(const fb_model *b, const fb_export *ask, fb_buf *o, fb_log *log,
                                fb_err *e)
{
    record t = {.n = 0};
    fb_status s = FB_OK;
    (void)ask;
    FB_TRY(demands(b, log, e));
    FB_TRY(collect(b, &t, e));
    if (b->nr > MANY)
        fb_warn(
            log,
            "%lld modes make long literals (I9 has %lld numbers): --dialect matfile loads faster",
            (long long)b->nr, (long long)(9 * b->nr * b->nr));
    text(o, b, &t, 0);
    s = fb_buf_status(o, e);
out:
    free(t.zero);
    return s;
}

/* An array as a matrix: rows run over all indices but the last. */
static fb_matvar rows_of(const fb_matvar *v)
{
    fb_matvar flat = {.name = v->name, .rank = 2, .dim = {1, 1}, .x = v->x};
    for (int k = 0; k + 1 < v->rank; k++)
        flat.dim[0] *= v->dim[k];
    if (v->rank)
        flat.dim[1] = v->dim[v->rank - 1];
    return flat;
}

static fb_status files_modelica(const fb_model *b, const fb_export *ask, fb_files *f, fb_log *log,
                                fb_err *e)
{
    record t = {.n = 0};
    fb_matvar rows[NARRAY];
    fb_buf *o = NULL;
    fb_status s = FB_OK;
    (void)ask;
    FB_TRY(demands(b, log, e));
    FB_TRY(collect(b, &t, e));
    FB_TRY(fb_files_add(f, "BodyData.mo", &o, e));
    text(o, b, &t, 1);
    FB_TRY(fb_files_add(f, "BodyData.mat", &o, e));
    for (int k = 0; k < t.n; k++)
        rows[k] = rows_of(&t.e[k].v);
    s = fb_matfile_write(o, 4, NULL, rows, t.n, e);
out:
    free(t.zero);
    return s;
}

static fb_status test(const fb_model *b, const fb_export *ask, const char *file, fb_buf *o,
                      fb_err *e)
{
    const int folder = !strcmp(ask->dialect, "matfile");
    fb_probe p;
    FB_PASS(fb_probe_new(b, who, &p, e));
    fb_put_text(o, "// load %s%s first; simulate\n", file, folder ? "/BodyData.mo" : "");
    fb_probe_says(b, &p, "//", file, o);
    fb_put_text(o,
                "model BodyDataTest\n  import Modelica.Math.Matrices;\n  BodyData body%s%s%s;\n"
                "  Real z[body.M] \"modal coordinates under the force\";\n"
                "  Real u \"displacement\";\n  parameter Real lambda[body.M,2] = "
                "Matrices.eigenValues(Matrices.solve2(body.I6, body.Ke));\n"
                "  parameter Real hz = sqrt(min(lambda[:,1])) / (2 * Modelica.Constants.pi);\n",
                folder ? "(file=\"" : "", folder ? file : "", folder ? "/BodyData.mat\")" : "");
    fb_put_text(o,
                "equation\n  body.Ke * z = body.S[%lld,%lld,:];\n  u = body.S[%lld,%lld,:] * z;\n"
                "  assert(abs(u / %.17g - 1) < 1e-6, \"displacement is WRONG\");\n"
                "  assert(abs(hz / %.17g - 1) < 1e-6, \"first frequency is WRONG\");\n"
                "end BodyDataTest;\n",
                (long long)p.connector + 1, (long long)p.axis + 1, (long long)p.connector + 1,
                (long long)p.axis + 1, p.displacement, p.hz);
    return FB_OK;
}

static const fb_dialect dialects[] = {
    {"literal", "one text with every number", 0},
    {"matfile", "a folder: BodyData.mo reads BodyData.mat", 1},
    {0},
};

const fb_writer fb_writer_modelica = {
    .name = "modelica",
    .doc = "Modelica record of the constants",
    .dialects = dialects,
    .write = write_modelica,
    .files = files_modelica,
    .test = test,
    .test_ending = "mo",
};
