/* SPDX-License-Identifier: GPL-3.0-or-later */
/* test_generic.c - the generic body in .mnf, MATLAB and Simscape files, each read by a few lines of
 * the test's own, and the .mnf by the project's reader as well. Values: those of the body, and sums
 * over its nodes. */
#include "export/writer.h"
#include "lib/schema.h"
#include "mnfparse/join/assemble.h"
#include "mnfparse/reader.h"
#include "tests/model/generic.h"
#include "tests/model/mat5.h"
#include "tests/suites.h"
#include <math.h>
#include <stdio.h>
#include <unistd.h>

enum { NN = GENERIC_NODES, NM = GENERIC_MODES, NR = GENERIC_ORDER, NS = GENERIC_STRESS };

/* ---- Adams ----------------------------------------------------------------------------------- */

static int64_t int_at(const unsigned char **p)
{
    uint32_t v = 0;
    for (int k = 0; k < 4; k++)
        v = v << 8 | *(*p)++;
    return (int32_t)v;
}

static double real_at(const unsigned char **p)
{
    uint64_t v = 0;
    double x;
    for (int k = 0; k < 8; k++)
        v = v << 8 | *(*p)++;
    memcpy(&x, &v, 8);
    return x;
}

static void ints(const unsigned char **p, int n, const int64_t *want, const char *what)
{
    for (int k = 0; k < n; k++) {
        const int64_t v = int_at(p);
        ck_assert_msg(v == want[k], "%s[%d] is %lld, %lld wanted", what, k, (long long)v,
                      (long long)want[k]);
    }
}

static void reals(const unsigned char **p, int64_t n, const double *want, double tol,
                  const char *what)
{
    double top = 0;
    for (int64_t k = 0; k < n; k++)
        top = fmax(top, fabs(want[k]));
    for (int64_t k = 0; k < n; k++) {
        const double v = real_at(p);
        ck_assert_msg(fabs(v - want[k]) <= tol * top, "%s[%d] is %.17g, %.17g wanted", what, (int)k,
                      v, want[k]);
    }
}

static void words(const unsigned char **p, int n, const char *want)
{
    for (int k = 0; k < n; k++)
        ck_assert_int_eq(int_at(p), k < (int)strlen(want) ? want[k] : 0);
}

/* Coordinate k is of[k] times mode which[k]: K and M diagonal, M not one, modes in another order;
 * nodes without products of inertia, one without any. Milliseconds: rad/ms are not rad/s. */
static const int which[NR] = {6, 2, 0, 8, 4};
static const double of[NR] = {1, -2, 0.5, 3, -1.5};

static void make_diagonal(fb_model *b, uint64_t seed)
{
    fb_err e;
    make_generic(b, "mm-kg-ms", seed);
    snprintf(b->producer, sizeof b->producer, "a producer");
    snprintf(b->comment[1], sizeof b->comment[1], "the second comment");
    for (int p = 0; p < NN; p++)
        for (int k = 0; k < 9; k++)
            b->node_inertia[9 * p + k] *= k % 4 == 0 && p != 3;
    memset(b->Kr, 0, sizeof(double) * NR * NR);
    memset(b->Mr, 0, sizeof(double) * NR * NR);
    memset(b->V, 0, sizeof(double) * NR * NM);
    for (int k = 0; k < NR; k++) {
        b->V[k * NM + which[k]] = of[k];
        b->Mr[k * NR + k] = of[k] * of[k];
        b->Kr[k * NR + k] = b->Mr[k * NR + k] * b->eigen[5 * which[k]];
        for (int64_t d = 0; d < b->ndof; d++)
            b->T[k * b->ndof + d] = of[k] * b->shape[which[k] * b->ndof + d];
    }
    ck_assert_int_eq(fb_model_connectors(b, b->T, &e), FB_OK);
}

/* The node where the vectors of a mode are longest, and how long: by hypot. */
static void longest(const fb_model *b, int k, int first, int64_t *node, double *value)
{
    for (int p = 0; p < NN; p++) {
        const double *u = b->T + k * b->ndof + 6 * p + first, v = hypot(u[0], hypot(u[1], u[2]));
        if (v > *value) {
            *value = v;
            *node = b->node_id[p];
        }
    }
}

/* The same of the von Mises stress, by the second invariant of the deviator. */
static void stressed(const fb_model *b, int k, int64_t *node, double *value)
{
    for (int p = 0; p < NS; p++) {
        double t[6], J2 = 0;
        for (int c = 0; c < 6; c++)
            t[c] = of[k] * b->stress[(which[k] * NS + p) * 6 + c];
        const double h = (t[0] + t[1] + t[2]) / 3;
        for (int c = 0; c < 3; c++)
            J2 += pow(t[c] - h, 2) / 2 + t[3 + c] * t[3 + c];
        if (sqrt(3 * J2) > *value) {
            *value = sqrt(3 * J2);
            *node = b->stress_node[p];
        }
    }
}

/* Mass, centre of mass, inertia about the origin with +sum m x y beside the diagonal. */
static void whole(const fb_model *b, double out[13])
{
    memset(out, 0, sizeof(double) * 13);
    for (int p = 0; p < NN; p++) {
        const double m = b->node_mass[p], *u = b->xyz + 3 * p, *J = b->node_inertia + 9 * p;
        out[0] += m;
        for (int a = 0; a < 3; a++) {
            out[1 + a] += m * u[a];
            out[4 + 4 * a] += J[4 * a];
            for (int c = 0; c < 3; c++)
                out[4 + 3 * a + c] += a == c ? m * (pow(u[(a + 1) % 3], 2) + pow(u[(a + 2) % 3], 2))
                                             : m * u[a] * u[c];
        }
    }
    for (int a = 0; a < 3; a++)
        out[1 + a] /= out[0];
}

static void modes_of(const fb_model *b, const unsigned char **p)
{
    ints(p, 1, (int64_t[]){NR}, "modes");
    for (int k = 0; k < NR; k++) { /* rad/s, Hz: a radian per ms is 1000 of them */
        const double w2 = b->eigen[5 * which[k]] * 1e6, m = of[k] * of[k];
        ints(p, 1, (int64_t[]){k + 1}, "mode number");
        reals(p, 1, &w2, 1e-14, "eigenvalue");
        reals(p, 1, (double[]){sqrt(w2) / (2 * M_PI)}, 1e-14, "Hz");
        reals(p, 1, (double[]){sqrt(w2)}, 1e-14, "rad/s");
        reals(p, 1, &m, 1e-14, "generalized mass");
        reals(p, 1, (double[]){w2 * m}, 1e-14, "generalized stiffness");
    }
    ints(p, 2, (int64_t[]){NR, NN}, "shapes");
    ints(p, NN, b->node_id, "nodes of shapes");
    for (int k = 0; k < NR; k++) {
        ints(p, 1, (int64_t[]){k + 1}, "mode number");
        reals(p, 6 * NN, b->T + k * b->ndof, 0, "shape");
    }
}

static void masses_of(const fb_model *b, const unsigned char **p)
{
    ints(p, 2, (int64_t[]){NN, 1}, "nodal masses");
    for (int q = 0; q < NN; q++) {
        ints(p, 1, b->node_id + q, "node of a mass");
        reals(p, 1, b->node_mass + q, 0, "mass");
    }
    ints(p, 1, (int64_t[]){3 * (NN - 1)}, "nodal inertias"); /* the fourth node has none */
    for (int q = 0; q < NN; q++)
        for (int a = 4; q != 3 && a <= 6; a++) {
            ints(p, 3, (int64_t[]){b->node_id[q], a, a}, "place of an inertia");
            reals(p, 1, b->node_inertia + 9 * q + 4 * (a - 4), 0, "inertia");
        }
}

static void extras_of(const fb_model *b, const unsigned char **p)
{
    static const int64_t sizes[] = {3, 4, 3, 2, 5};
    int64_t want[64] = {16 + 4 * 22, 0, 5, 22}, n = 4, at = 0;
    for (int f = 0; f < 5; f++) {
        want[n++] = sizes[f];
        for (int q = 0; q < sizes[f]; q++)
            want[n++] = b->face_index[at++];
    }
    ints(p, (int)n, want, "faces");
    ints(p, 1, (int64_t[]){NR}, "transformation");
    ints(p, NR, (int64_t[]){1, 2, 3, 4, 5}, "modes of the transformation");
    for (int k = 0; k < NR * NR; k++)
        reals(p, 1, (double[]){k % (NR + 1) == 0}, 0, "transformation");
    ints(p, 4, (int64_t[]){3, 4, 1, 6}, "interface nodes"); /* 1310, 12, 6 */
    ints(p, 2, (int64_t[]){NR, NS}, "stress");
    ints(p, NS, b->stress_node, "nodes of stress");
    for (int k = 0; k < NR; k++) {
        ints(p, 1, (int64_t[]){k + 1}, "mode number");
        for (int q = 0; q < NS * 6; q++)
            reals(p, 1, (double[]){of[k] * b->stress[which[k] * NS * 6 + q]}, 1e-14, "stress");
    }
    ints(p, 1, (int64_t[]){NR}, "statistics");
    for (int k = 0; k < NR; k++) {
        int64_t node[13] = {0};
        double value[13] = {0};
        longest(b, k, 0, node, value);
        longest(b, k, 3, node + 1, value + 1);
        stressed(b, k, node + 2, value + 2);
        ints(p, 13, node, "nodes of statistics");
        for (int q = 0; q < 13; q++)
            reals(p, 1, value + q, 1e-14, "statistics");
    }
}

START_TEST(adams_file_holds_the_body)
{
    static const int present[] = {0, 2, 3, 4, 5, 6, 8, 12, 14, 15, 16, 28};
    int64_t summary[100] = {0};
    double all[13];
    fb_model b;
    fb_buf o = {0};
    fb_log log = {0};
    fb_err e = {0};
    make_diagonal(&b, (uint64_t)_i);
    ck_assert_msg(fb_writer_mnf.write(&b, NULL, &o, &log, &e) == FB_OK, "%s", e.msg);
    for (size_t k = 0; k < sizeof present / sizeof *present; k++)
        summary[present[k]] = 1;
    const unsigned char *p = o.data;
    ints(&p, 1, (int64_t[]){0x13c}, "version");
    words(&p, 128, b.title);
    words(&p, 32, "");
    words(&p, 128, "");
    words(&p, 16, "a producer");
    words(&p, 80, "");
    words(&p, 80, "the second comment");
    words(&p, 80, "");
    ints(&p, 100, summary, "summary");
    ints(&p, 2, (int64_t[]){NN, 3}, "nodes");
    for (int q = 0; q < NN; q++) {
        ints(&p, 1, b.node_id + q, "node");
        reals(&p, 3, b.xyz + 3 * q, 0, "position");
    }
    whole(&b, all);
    for (int k = 0; k < 13; k++)
        reals(&p, 1, all + k, 1e-14, "the whole body");
    modes_of(&b, &p);
    masses_of(&b, &p);
    words(&p, 16, "KILOGRAM");
    words(&p, 16, "MILLIMETER");
    words(&p, 16, "MILLISECOND");
    words(&p, 16, "KNEWTON");
    extras_of(&b, &p);
    ck_assert_ptr_eq(p, o.data + o.size);
    fb_buf_free(&o);
    fb_log_free(&log);
    fb_model_free(&b);
}
END_TEST

#define SAME(got, want, n, tol) \
    for (int64_t fb_k = 0; fb_k < (n); fb_k++) \
    ck_assert_msg( \
        fabs((double)((got)[fb_k] - (want)[fb_k])) <= (tol) * fabs((double)(want)[fb_k]), \
        #got "[%d] is %.17g, %.17g wanted", (int)fb_k, (double)(got)[fb_k], (double)(want)[fb_k])

/* The file above, which the test before holds to the layout, through the reader. */
START_TEST(adams_file_is_read)
{
    fb_model b, *c;
    fb_buf o = {0};
    fb_log log = {0};
    fb_parts parts = {0};
    fb_err e = {0};
    char name[] = "generic.mnf";
    double all[13];
    make_diagonal(&b, (uint64_t)_i);
    ck_assert_msg(fb_writer_mnf.write(&b, NULL, &o, &log, &e) == FB_OK, "%s", e.msg);
    fb_input in = {.data = o.data, .size = (size_t)o.size, .name = name};
    ck_assert_msg(fb_reader_mnf.read(&in, &parts, &log, &e) == FB_OK, "%s", e.msg);
    c = &parts.body;
    ck_assert(c->nn == NN && c->nm == NR && c->nr == NR && c->ns == NS && c->nc == 3);
    SAME(c->node_id, b.node_id, NN, 0);
    SAME(c->xyz, b.xyz, 3 * NN, 0);
    SAME(c->node_mass, b.node_mass, NN, 0);
    SAME(c->node_inertia, b.node_inertia, 9 * NN, 0);
    SAME(c->shape, b.T, NR * 6 * NN, 0);
    SAME(c->face_offset, b.face_offset, 6, 0);
    SAME(c->face_index, b.face_index, 17, 0);
    SAME(c->stress_node, b.stress_node, NS, 0);
    SAME(c->connector_node, ((int64_t[]){1310, 12, 6}), 3, 0);
    whole(&b, all);
    SAME(c->ref_mass, all, 1, 1e-14);
    SAME(c->ref_com, all + 1, 3, 1e-14);
    SAME(c->ref_inertia, all + 4, 9, 1e-13);
    for (int k = 0; k < FB_NUNIT; k++)
        ck_assert_str_eq(c->units.name[k], b.units.name[k]);
    for (int k = 0; k < NR; k++) { /* rad/ms again */
        const double w2 = b.eigen[5 * which[k]], m = of[k] * of[k];
        ck_assert_int_eq(c->mode_number[k], k + 1);
        SAME(c->eigen + 5 * k, ((double[]){w2, 1000 * sqrt(w2) / (2 * M_PI), sqrt(w2), m, w2 * m}),
             5, 1e-14);
        for (int j = 0; j < NR; j++) {
            ck_assert_double_eq_tol(c->Kr[k * NR + j], j == k ? w2 * m : 0, 1e-14 * w2 * m);
            ck_assert_double_eq_tol(c->Mr[k * NR + j], j == k ? m : 0, 1e-14 * m);
        }
        for (int q = 0; q < NS * 6; q++)
            ck_assert_double_eq_tol(c->stress[k * NS * 6 + q],
                                    of[k] * b.stress[which[k] * NS * 6 + q], 1e-8);
        for (int q = 0; q < 3; q++) /* nodes 1310, 12, 6 stand at 4, 1, 6 */
            for (int a = 0; a < 3; a++) {
                const int at = (const int[]){4, 1, 6}[q];
                const double *u = b.T + k * b.ndof + 6 * at;
                ck_assert(c->connector_position[3 * q + a] == b.xyz[3 * at + a]);
                ck_assert(c->connector_S[(3 * q + a) * NR + k] == u[a]);
                ck_assert(c->connector_Shat[(3 * q + a) * NR + k] == u[3 + a]);
            }
    }
    fb_parts_free(&parts);
    fb_buf_free(&o);
    fb_log_free(&log);
    fb_model_free(&b);
}
END_TEST

/* Nodal masses a hundred times as large as those of the generalized mass: |I3|^2 grows by 1e4, the
 * mass by 1e2, and what Adams builds of both is negative. */
START_TEST(adams_masses_that_do_not_fit)
{
    fb_model b;
    fb_buf o = {0};
    fb_log log = {0};
    fb_err e = {0};
    make_diagonal(&b, 1);
    ck_assert_int_eq(fb_writer_mnf.write(&b, NULL, &o, &log, &e), FB_OK);
    const int64_t before = log.nwarning;
    for (int64_t k = 0; k < b.nn; k++)
        b.node_mass[k] *= 100;
    fb_buf_free(&o);
    ck_assert_int_eq(fb_writer_mnf.write(&b, NULL, &o, &log, &e), FB_OK);
    ck_assert_ptr_nonnull(strstr(log.warning[log.nwarning - 1], "negative at rest"));
    ck_assert_int_le(2 * before + 1, log.nwarning);
    fb_buf_free(&o);
    fb_log_free(&log);
    fb_model_free(&b);
}
END_TEST

/* A unit of time nobody knows in a file whose block 7 is in rad/s: the table stays as it is. */
START_TEST(adams_time_without_a_known_unit)
{
    static const char unit_of_time[] = "MILLISECOND";
    fb_model b;
    fb_buf o = {0};
    fb_log log = {0};
    fb_parts parts = {0};
    fb_err e = {0};
    char name[] = "generic.mnf";
    int changed = 0;
    make_diagonal(&b, 1);
    ck_assert_int_eq(fb_writer_mnf.write(&b, NULL, &o, &log, &e), FB_OK);
    for (int64_t at = 3; at + 44 < o.size && !changed; at += 4) {
        int k = 0;
        while (unit_of_time[k] && o.data[at + 4 * k] == unit_of_time[k])
            k++;
        if (!unit_of_time[k]) {
            o.data[at] = 'X';
            changed = 1;
        }
    }
    ck_assert_int_eq(changed, 1);
    fb_input in = {.data = o.data, .size = (size_t)o.size, .name = name};
    ck_assert_msg(fb_reader_mnf.read(&in, &parts, &log, &e) == FB_OK, "%s", e.msg);
    ck_assert_str_eq(parts.body.units.name[FB_TIME], "XILLISECOND");
    for (int k = 0; k < NR; k++) {
        const double w2 = b.eigen[5 * which[k]] * 1e6, m = of[k] * of[k];
        SAME(parts.body.eigen + 5 * k, ((double[]){w2, sqrt(w2) / (2 * M_PI), sqrt(w2), m, w2 * m}),
             5, 1e-14);
    }
    fb_parts_free(&parts);
    fb_buf_free(&o);
    fb_log_free(&log);
    fb_model_free(&b);
}
END_TEST

/* ---- MATLAB: all arrays ---------------------------------------------------------------------- */

typedef struct { /* values in C order, of integers as they shall be */
    const char *name;
    int rank;
    int64_t dim[4];
    const double *x;
    const int64_t *i;
    int base;
} array;

/* What stands in a variable at the place of C-order index k, by columns. */
static int64_t by_column(const array *v, int64_t k)
{
    int64_t at = 0, stride = 1, index[4];
    for (int q = v->rank; q-- > 0; k /= v->dim[q])
        index[q] = k % v->dim[q];
    for (int q = 0; q < v->rank; q++) {
        at += stride * index[q];
        stride *= v->dim[q];
    }
    return at;
}

static void same_array(const array *v, const double *x)
{
    int64_t n = 1;
    for (int q = 0; q < v->rank; q++)
        n *= v->dim[q];
    for (int64_t k = 0; k < n; k++) {
        const double want = v->x ? v->x[k] : (double)(v->i[k] + v->base), is = x[by_column(v, k)];
        ck_assert_msg(is == want, "%s[%d] is %.17g, %.17g wanted", v->name, (int)k, is, want);
    }
}

/* T'P by its definition, T of the body and the vectors as they stand; the unit forces are rows 6 to
 * 8 of T. */
static double generalized(const fb_model *b, int64_t load, int64_t k)
{
    double sum = 0;
    for (int64_t d = 0; d < b->ndof; d++)
        sum += b->T[d + k * b->ndof] * (load < 2 ? b->vector[d + load * b->ndof] : d == load + 4);
    return sum;
}

/* T and V as MATLAB shall index them, rows first. */
static double *turned(const double *x, int64_t rows, int64_t columns)
{
    double *y = malloc(sizeof(double) * (size_t)(rows * columns));
    for (int64_t i = 0; i < rows; i++)
        for (int64_t j = 0; j < columns; j++)
            y[i * columns + j] = x[j * rows + i];
    return y;
}

enum { NDOF = 6 * NN, NV = 64, NPORT = 18 };

static int arrays_of(const fb_model *b, const double *T, const double *V, array v[NV])
{
    static const int64_t none[NR]; /* random shapes: no coordinate is one dof's displacement */
    static int64_t port_node[NPORT], port_component[NPORT];
    static double B[NR * NPORT], C[NPORT * NR]; /* the connectors' rows of T, three by three dofs */
    static double P[NR * 5], P_full[NDOF * 2];  /* a load a column */
    const int64_t m = NR;
    for (int q = 0; q < NPORT; q++) {
        port_node[q] = (const int[]){1310, 12, 6}[q / 6];
        port_component[q] = q % 6 + 1;
        for (int k = 0; k < NR; k++)
            B[k * NPORT + q] = C[q * NR + k] =
                T[(6 * (const int[]){4, 1, 6}[q / 6] + q % 6) * NR + k];
    }
    for (int k = 0; k < NR * 5; k++)
        P[k] = generalized(b, k % 5, k / 5);
    for (int k = 0; k < NDOF * 2; k++)
        P_full[k] = b->vector[k / 2 + k % 2 * NDOF];
    const array all[] = {
        {.name = "P", .rank = 2, .dim = {NR, 5}, .x = P},
        {.name = "P_full", .rank = 2, .dim = {NDOF, 2}, .x = P_full},
        {.name = "units_to_SI", .rank = 2, .dim = {1, 4}, .x = b->units.factor},
        {.name = "node_id", .rank = 1, .dim = {NN}, .i = b->node_id},
        {.name = "node_xyz", .rank = 2, .dim = {NN, 3}, .x = b->xyz},
        {.name = "node_mass", .rank = 1, .dim = {NN}, .x = b->node_mass},
        {.name = "node_inertia", .rank = 3, .dim = {NN, 3, 3}, .x = b->node_inertia},
        {.name = "dof_node", .rank = 1, .dim = {NDOF}, .i = b->dof_node},
        {.name = "dof_component", .rank = 1, .dim = {NDOF}, .i = b->dof_component},
        {.name = "dof_class", .rank = 1, .dim = {NDOF}, .i = b->dof_class},
        {.name = "interface_dof", .rank = 1, .dim = {3}, .i = b->interface_dof, .base = 1},
        {.name = "mode_number", .rank = 1, .dim = {NM}, .i = b->mode_number},
        {.name = "mode_eigen", .rank = 2, .dim = {NM, 5}, .x = b->eigen},
        {.name = "mode_shape", .rank = 3, .dim = {NM, NN, 6}, .x = b->shape},
        {.name = "mode_shape_imag", .rank = 3, .dim = {NM, NN, 6}, .x = b->shape_imag},
        {.name = "mode_damping", .rank = 1, .dim = {NM}, .x = b->mode_damping},
        {.name = "strain", .rank = 3, .dim = {NM, NS, 6}, .x = b->strain},
        {.name = "gravity", .rank = 2, .dim = {3, m}, .x = b->gravity},
        {.name = "face_offset", .rank = 1, .dim = {6}, .i = b->face_offset, .base = 1},
        {.name = "face_index", .rank = 1, .dim = {17}, .i = b->face_index, .base = 1},
        {.name = "stress_node", .rank = 1, .dim = {NS}, .i = b->stress_node},
        {.name = "stress", .rank = 3, .dim = {NM, NS, 6}, .x = b->stress},
        {.name = "K", .rank = 2, .dim = {m, m}, .x = b->Kr},
        {.name = "M", .rank = 2, .dim = {m, m}, .x = b->Mr},
        {.name = "D", .rank = 2, .dim = {m, m}, .x = b->Dr},
        {.name = "T", .rank = 2, .dim = {NDOF, m}, .x = T},
        {.name = "V", .rank = 2, .dim = {NM, m}, .x = V},
        {.name = "frequency", .rank = 1, .dim = {m}, .x = b->frequency},
        {.name = "kind", .rank = 1, .dim = {m}, .i = b->kind},
        {.name = "coordinate_node", .rank = 1, .dim = {m}, .i = none},
        {.name = "coordinate_component", .rank = 1, .dim = {m}, .i = none},
        {.name = "connector_node", .rank = 1, .dim = {3}, .i = b->connector_node},
        {.name = "connector_position", .rank = 2, .dim = {3, 3}, .x = b->connector_position},
        {.name = "connector_rotation", .rank = 3, .dim = {3, 3, 3}, .x = b->connector_rotation},
        {.name = "S", .rank = 3, .dim = {3, 3, m}, .x = b->connector_S},
        {.name = "Shat", .rank = 3, .dim = {3, 3, m}, .x = b->connector_Shat},
        {.name = "port_node", .rank = 1, .dim = {NPORT}, .i = port_node},
        {.name = "port_component", .rank = 1, .dim = {NPORT}, .i = port_component},
        {.name = "B", .rank = 2, .dim = {m, NPORT}, .x = B},
        {.name = "C", .rank = 2, .dim = {NPORT, m}, .x = C},
        {.name = "Kg", .rank = 3, .dim = {2, m, m}, .x = b->Kgr},
        {.name = "kg_acceleration", .rank = 2, .dim = {2, 3}, .x = b->kg_acceleration},
        {.name = "kg_angular", .rank = 2, .dim = {2, 3}, .x = b->kg_angular},
        {.name = "kg_centrifugal", .rank = 3, .dim = {2, 3, 3}, .x = b->kg_centrifugal},
        {.name = "kg_node", .rank = 1, .dim = {2}, .i = b->kg_node},
        {.name = "kg_force", .rank = 2, .dim = {2, 3}, .x = b->kg_force},
        {.name = "kg_moment", .rank = 2, .dim = {2, 3}, .x = b->kg_moment},
        {.name = "I1", .rank = 0, .dim = {0}, .x = b->I[1]},
        {.name = "I2", .rank = 1, .dim = {3}, .x = b->I[2]},
        {.name = "I3", .rank = 2, .dim = {3, m}, .x = b->I[3]},
        {.name = "I4", .rank = 2, .dim = {3, m}, .x = b->I[4]},
        {.name = "I5", .rank = 3, .dim = {m, 3, m}, .x = b->I[5]},
        {.name = "I6", .rank = 2, .dim = {m, m}, .x = b->I[6]},
        {.name = "I7", .rank = 2, .dim = {3, 3}, .x = b->I[7]},
        {.name = "I8", .rank = 3, .dim = {m, 3, 3}, .x = b->I[8]},
        {.name = "I9", .rank = 4, .dim = {m, m, 3, 3}, .x = b->I[9]},
        {.name = "I10", .rank = 3, .dim = {3, 3, m}, .x = b->I[10]},
        {.name = "I11", .rank = 4, .dim = {3, 3, m, m}, .x = b->I[11]},
    };
    memcpy(v, all, sizeof all);
    return (int)(sizeof all / sizeof *all);
}

/* K symmetric, of which one triangle is kept, D of any form; A and B the same, full. */
static void add_matrices(fb_model *b, double A[2][NDOF][NDOF], uint64_t seed)
{
    enum { N = 200 };
    int64_t i[N], j[N];
    double x[N];
    fb_err e;
    memset(A, 0, sizeof(double) * 2 * NDOF * NDOF);
    for (int which_one = 0; which_one < 2; which_one++) {
        for (int k = 0; k < N; k++) {
            i[k] = (int64_t)(fabs(random_real(&seed)) * NDOF);
            j[k] = (int64_t)(fabs(random_real(&seed)) * NDOF);
            if (!which_one && i[k] > j[k]) {
                const int64_t swap = i[k];
                i[k] = j[k];
                j[k] = swap;
            }
            x[k] = random_real(&seed);
            A[which_one][i[k]][j[k]] += x[k];
            if (!which_one && i[k] != j[k])
                A[which_one][j[k]][i[k]] += x[k];
        }
        ck_assert_int_eq(
            fb_csc_from_triplets(which_one ? &b->D : &b->K, NDOF, NDOF, N, i, j, x, !which_one, &e),
            FB_OK);
    }
}

static double *of_random(int64_t n, uint64_t *seed)
{
    double *x = fb_alloc((size_t)n, 8);
    for (int64_t k = 0; k < n; k++)
        x[k] = random_real(seed);
    return x;
}

/* Complex modes with damping and strain, and gravity. */
static void add_others(fb_model *b, uint64_t seed)
{
    double **const x[] = {&b->shape_imag, &b->mode_damping, &b->strain, &b->gravity};
    const int64_t n[] = {6 * NM * NN, NM, 6 * NM * NS, 3 * NR};
    for (int k = 0; k < 4; k++) {
        free(*x[k]);
        *x[k] = of_random(n[k], &seed);
    }
}

/* Two loads, one of them at a node. */
static void add_geometric(fb_model *b, uint64_t seed)
{
    fb_geoload l[2] = {{.node = 0}, {.node = 6}};
    fb_err e;
    b->Kgr = fb_alloc(2 * NR * NR, 8);
    for (int k = 0; k < 2 * NR * NR; k++)
        b->Kgr[k] = random_real(&seed);
    for (int k = 0; k < 2; k++)
        for (int q = 0; q < 9; q++) {
            l[k].W[q] = random_real(&seed);
            l[k].a[q % 3] = random_real(&seed);
            l[k].r[q % 3] = random_real(&seed);
            l[1].f[q % 3] = random_real(&seed);
            l[1].t[q % 3] = random_real(&seed);
        }
    ck_assert_int_eq(fb_geoload_set(b, l, 2, &e), FB_OK);
}

static void make_whole(fb_model *b, double A[2][NDOF][NDOF], uint64_t seed)
{
    make_generic(b, "mm-t-s", seed);
    generic_invariants(b, b->I);
    b->nb = 3;
    b->interface_dof = fb_alloc(3, 8);
    memcpy(b->interface_dof, (int64_t[]){24, 8, 41}, 24);
    add_matrices(b, A, seed + 5);
    add_geometric(b, seed + 6);
    add_others(b, seed + 7);
}

/* What a stream of it takes: 8 bytes a number; of a sparse matrix column starts, rows, values. */
START_TEST(bytes_are_counted)
{
    static double A[2][NDOF][NDOF];
    static const char *const what[4][3] = {
        {"/full/K", NULL}, {"/reduced/D", NULL}, {"/nodes", NULL}, {"/modes", "/full/D", NULL}};
    fb_model b;
    make_whole(&b, A, 1);
    const int64_t want[4] = {NDOF + 1 + 2 * b.K.p[NDOF], NR * NR, NN * (1 + 3 + 1 + 9),
                             NM * (1 + 5 + 12 * NN + NM + 1) + NDOF + 1 + 2 * b.D.p[NDOF]};
    for (int k = 0; k < 4; k++)
        ck_assert_int_eq(fb_model_bytes(&b, what[k]), 8 * want[k]);
    fb_model_free(&b);
}
END_TEST

/* A file of the writer; to be freed. */
static unsigned char *published(const fb_writer *w, fb_model *b, const fb_export *ask, char *path)
{
    fb_run r = {.out = path, .line = "test"};
    fb_err e = {0};
    struct {
        unsigned char *data;
        long n;
    } f;
    close(mkstemp(path));
    ck_assert_msg(w->publish(&r, NULL, b, ask, &e) == FB_OK, "%s", e.msg);
    fb_log_free(&r.log);
    FILE *in = fopen(path, "rb");
    fseek(in, 0, SEEK_END);
    f.n = ftell(in);
    rewind(in);
    f.data = calloc(1, (size_t)f.n + 128); /* zeros behind: no more variables */
    ck_assert_uint_eq(fread(f.data, 1, (size_t)f.n, in), (size_t)f.n);
    fclose(in);
    return f.data;
}

static void same_sparse(const unsigned char *p, const double A[NDOF][NDOF])
{
    const unsigned char *row, *start, *value;
    double x;
    int type, bytes, entries = 0;
    p = mat5_element(p, &type, &bytes, &row);
    p = mat5_element(p, &type, &bytes, &start);
    ck_assert_int_eq(bytes, 4 * (NDOF + 1));
    mat5_element(p, &type, &bytes, &value);
    for (int j = 0; j < NDOF; j++) {
        for (int q = mat5_word(start + 4 * j); q < mat5_word(start + 4 * j + 4); q++, entries++) {
            memcpy(&x, value + 8 * q, 8);
            const int i = mat5_word(row + 4 * q);
            ck_assert_msg(fabs(x - A[i][j]) < 1e-15, "(%d,%d) is %g, %g wanted", i, j, x, A[i][j]);
        }
    }
    for (int k = 0; k < NDOF * NDOF; k++)
        entries -= A[k / NDOF][k % NDOF] != 0;
    ck_assert_int_eq(entries, 0);
}

START_TEST(matlab_5_holds_all_arrays)
{
    static double A[2][NDOF][NDOF];
    char path[] = "/tmp/flexbody-test-XXXXXX", name[40];
    fb_model b;
    array v[NV];
    int dim[4], class, n = 0, seen = 0, sparse = 0;
    const double *x = NULL;
    make_whole(&b, A, (uint64_t)_i);
    double *T = turned(b.T, NDOF, NR), *V = turned(b.V, NM, NR);
    const int nv = arrays_of(&b, T, V, v);
    unsigned char *file = published(&fb_writer_mat, &b, &(fb_export){.dialect = "5"}, path);
    for (const unsigned char *p = file + 128; mat5_word(p);) {
        p = mat5_variable(p, name, dim, &class, &x, &n);
        if (class == 5) {
            ck_assert(!strcmp(name, "K_full") || !strcmp(name, "D_full"));
            ck_assert(dim[0] == NDOF && dim[1] == NDOF);
            same_sparse((const unsigned char *)x, A[*name == 'D']);
            sparse++;
            continue;
        }
        int k = 0;
        while (k < nv && strcmp(v[k].name, name))
            k++;
        ck_assert_msg(k < nv, "%s is not of this body", name);
        for (int q = 0; q < 4; q++)
            ck_assert_msg(dim[q] == (q < v[k].rank ? v[k].dim[q] : 1), "%s: dimension %d is %d",
                          name, q, dim[q]);
        same_array(v + k, x);
        seen++;
    }
    ck_assert_int_eq(seen, nv);
    ck_assert_int_eq(sparse, 2);
    free(file);
    free(T);
    free(V);
    unlink(path);
    fb_model_free(&b);
}
END_TEST

/* HDF5 with the dimensions reversed is by columns too. */
START_TEST(matlab_73_holds_all_arrays)
{
    static double A[2][NDOF][NDOF];
    static int64_t row[2 * 200], start[NDOF + 1];
    static double x[NDOF * NDOF * 2];
    char path[] = "/tmp/flexbody-test-XXXXXX", name[40];
    fb_model b;
    array v[NV];
    fb_h5shape sh;
    fb_err e = {0};
    int64_t f = -1;
    make_whole(&b, A, (uint64_t)_i);
    double *T = turned(b.T, NDOF, NR), *V = turned(b.V, NM, NR);
    const int nv = arrays_of(&b, T, V, v);
    free(published(&fb_writer_mat, &b, &(fb_export){.dialect = "7.3"}, path));
    ck_assert_int_eq(fb_h5_open(&f, path, -1, path, &e), FB_OK);
    for (int k = 0; k < nv; k++) {
        const int rank = v[k].rank < 2 ? 2 : v[k].rank;
        snprintf(name, sizeof name, "/%s", v[k].name);
        ck_assert_msg(fb_h5_foreign_shape(f, name, 1 << 20, &sh, &e) == FB_OK, "%s", e.msg);
        ck_assert_int_eq(sh.rank, rank);
        for (int q = 0; q < rank; q++)
            ck_assert_int_eq(sh.dim[rank - 1 - q], q < v[k].rank ? v[k].dim[q] : 1);
        ck_assert_int_eq(fb_h5_foreign_read(f, name, 'd', 0, x, &e), FB_OK);
        same_array(v + k, x);
    }
    for (int which_one = 0; which_one < 2; which_one++) {
        int64_t entries = 0;
        snprintf(name, sizeof name, "/%c_full/jc", which_one ? 'D' : 'K');
        ck_assert_int_eq(fb_h5_foreign_read(f, name, 'i', 0, start, &e), FB_OK);
        memcpy(strrchr(name, '/'), "/ir", 4);
        ck_assert_int_eq(fb_h5_foreign_read(f, name, 'i', 0, row, &e), FB_OK);
        memcpy(strrchr(name, '/'), "/data", 6);
        ck_assert_int_eq(fb_h5_foreign_read(f, name, 'd', 0, x, &e), FB_OK);
        for (int j = 0; j < NDOF; j++)
            for (int64_t q = start[j]; q < start[j + 1]; q++)
                ck_assert(fabs(x[q] - A[which_one][row[q]][j]) < 1e-15);
        for (int k = 0; k < NDOF * NDOF; k++)
            entries += A[which_one][k / NDOF][k % NDOF] != 0;
        ck_assert_int_eq(entries, start[NDOF]);
    }
    ck_assert_int_eq(fb_h5_close(&f, &e), FB_OK);
    free(T);
    free(V);
    unlink(path);
    fb_model_free(&b);
}
END_TEST

/* ---- Simscape -------------------------------------------------------------------------------- */

enum { NQ = 15 };
/* Coordinates in no order: node and component, or 0 and the number of a modal one; unit of it. */
static const int label[NQ][2] = {{1310, 4}, {0, 1},  {12, 6},   {12, 2},   {1310, 1},
                                 {1310, 6}, {12, 1}, {1310, 3}, {0, 2},    {12, 5},
                                 {12, 3},   {0, 3},  {1310, 5}, {1310, 2}, {12, 4}};
static const double unit[NQ] = {1, 1, 2, 1000, 1, 5, 0.25, 1, 1, 3, 1, 1, 1, 8, 1};

static int row_of(int k) /* node 1310 at place 4, node 12 at 1 */
{
    return label[k][0] ? 6 * (label[k][0] == 1310 ? 4 : 1) + label[k][1] - 1 : -1;
}

/* Columns 0..5 of R [NDOF,6]: rigid motions about the origin; then of Z [NQ,6], the same in the
 * coordinates, made orthonormal, and R with it, so that T Z = R. */
static void rigid(const fb_model *b, double R[6][NDOF], double Z[6][NQ])
{
    memset(R, 0, sizeof(double) * 6 * NDOF);
    memset(Z, 0, sizeof(double) * 6 * NQ);
    for (int a = 0; a < 3; a++)
        for (int p = 0; p < NN; p++) {
            const int c = (a + 1) % 3, d = (a + 2) % 3;
            R[a][6 * p + a] = R[3 + a][6 * p + 3 + a] = 1;
            R[3 + a][6 * p + d] = b->xyz[3 * p + c]; /* e_a x u */
            R[3 + a][6 * p + c] = -b->xyz[3 * p + d];
        }
    for (int a = 0; a < 6; a++)
        for (int k = 0; k < NQ; k++)
            Z[a][k] = label[k][0] ? R[a][row_of(k)] / unit[k] : 0;
    for (int turn = 0; turn < 2; turn++)
        for (int a = 0; a < 6; a++)
            for (int c = 0; c <= a; c++) {
                double dot = 0;
                for (int k = 0; k < NQ; k++)
                    dot += Z[a][k] * Z[c][k];
                for (int k = 0; k < NQ; k++)
                    Z[a][k] = c < a ? Z[a][k] - dot * Z[c][k] : Z[a][k] / sqrt(dot);
                for (int k = 0; k < NDOF; k++)
                    R[a][k] = c < a ? R[a][k] - dot * R[c][k] : R[a][k] / sqrt(dot);
            }
}

/* x[.] := x (1 - Z Z'): without the rigid motions. */
static void without(double *x, double Z[6][NQ])
{
    for (int a = 0; a < 6; a++) {
        double dot = 0;
        for (int k = 0; k < NQ; k++)
            dot += x[k] * Z[a][k];
        for (int k = 0; k < NQ; k++)
            x[k] -= dot * Z[a][k];
    }
}

/* A free body: T holds the rigid motions, K = G'G without them, M = T'mT of the nodal masses. */
static void make_free(fb_model *b, uint64_t seed)
{
    static double R[6][NDOF], Z[6][NQ], T[NDOF][NQ];
    double G[NQ];
    fb_err e;
    make_generic(b, "mm-t-s", seed);
    double **const old[] = {&b->T, &b->Kr, &b->Mr, &b->Dr, &b->V, &b->frequency, &b->load};
    for (int k = 0; k < 7; k++) {
        free(*old[k]);
        *old[k] = k == 4 ? NULL : fb_alloc(NQ * NDOF, 8);
    }
    free(b->kind);
    b->kind = fb_alloc(NQ, 8);
    b->nr = NQ;
    rigid(b, R, Z);
    for (int d = 0; d < NDOF; d++) {
        for (int k = 0; k < NQ; k++)
            T[d][k] = random_real(&seed);
        without(T[d], Z);
        for (int a = 0; a < 6; a++)
            for (int k = 0; k < NQ; k++)
                T[d][k] += R[a][d] * Z[a][k];
    }
    for (int k = 0; k < NQ; k++)
        for (int j = 0; label[k][0] && j < NQ; j++)
            T[row_of(k)][j] = j == k ? unit[k] : 0;
    for (int i = 0; i < NQ; i++) {
        b->kind[i] = label[i][0] ? FB_KIND_BOUNDARY : FB_KIND_NORMAL;
        for (int k = 0; k < NQ; k++)
            G[k] = random_real(&seed);
        without(G, Z);
        for (int k = 0; k < NQ; k++)
            for (int j = 0; j < NQ; j++)
                b->Kr[k * NQ + j] += 1e5 * (G[k] * G[j]);
        for (int j = 0; j < NQ; j++) {
            b->Dr[i * NQ + j] = random_real(&seed);
            for (int d = 0; d < NDOF; d++) {
                const int p = d / 6, a = d % 6;
                if (a < 3)
                    b->Mr[i * NQ + j] += b->node_mass[p] * (T[d][i] * T[d][j]);
                for (int c = 0; a >= 3 && c < 3; c++)
                    b->Mr[i * NQ + j] +=
                        b->node_inertia[9 * p + 3 * (a - 3) + c] * (T[d][i] * T[6 * p + 3 + c][j]);
            }
        }
    }
    for (int i = 0; i < NQ; i++)
        for (int j = 0; j < i; j++)
            b->Mr[i * NQ + j] = b->Mr[j * NQ + i];
    for (int d = 0; d < NDOF; d++)
        for (int k = 0; k < NQ; k++)
            b->T[k * NDOF + d] = T[d][k];
    free(b->frequency);
    b->frequency = NULL;
    ck_assert_msg(fb_model_connectors(b, b->T, &e) == FB_OK &&
                      fb_model_frequencies(b, NULL, &e) == FB_OK && fb_model_check(b, &e) == FB_OK,
                  "%s", e.msg);
}

/* Frames in the order of their first coordinate, node by node, in the displacements themselves. */
START_TEST(simscape_holds_the_body)
{
    static const char *const field[8] = {"P", "Q", "K", "M", "C", "dof", "nodes", "frequency"};
    fb_model b;
    fb_buf o = {.little = 1};
    fb_log log = {0};
    fb_err e = {0};
    char name[40];
    int dim[4], class, n = 0, type, bytes, order[NQ], at = 0;
    const unsigned char *p, *d;
    const double *x = NULL, *value[8];
    make_free(&b, (uint64_t)_i);
    ck_assert_msg(fb_writer_simscape.write(&b, &(fb_export){0}, &o, &log, &e) == FB_OK, "%s",
                  e.msg);
    (void)mat5_variable(o.data + 128, name, dim, &class, &x, &n);
    p = mat5_element((const unsigned char *)x, &type, &bytes, &d);
    const int wide = mat5_word(d); /* of a field's name */
    p = mat5_element(p, &type, &bytes, &d);
    for (int k = 0; k < 8; k++) {
        ck_assert_str_eq((const char *)d + wide * k, field[k]);
        p = mat5_variable(p, name, dim, &class, value + k, &n);
        const int rows[8] = {2, 2, NQ, NQ, NQ, NQ, 2, NQ}, columns[8] = {3, 4, NQ, NQ, NQ, 2, 1, 1};
        ck_assert(dim[0] == rows[k] && dim[1] == columns[k]);
    }
    for (int node = 0; node < 3; node++) /* 1310, 12, modal */
        for (int c = 1; c <= 6; c++)
            for (int k = 0; k < NQ; k++)
                if (label[k][0] == (const int[]){1310, 12, 0}[node] && label[k][1] == c)
                    order[at++] = k;
    ck_assert_int_eq(at, NQ);
    for (int q = 0; q < 2; q++) {
        ck_assert(value[6][q] == (q ? 12 : 1310));
        for (int a = 0; a < 4; a++) {
            ck_assert(a == 3 || value[0][q + 2 * a] == b.xyz[3 * (q ? 1 : 4) + a]);
            ck_assert(value[1][q + 2 * a] == (a == 0));
        }
    }
    for (int i = 0; i < NQ; i++) {
        ck_assert(value[5][i] == label[order[i]][0] && value[5][NQ + i] == label[order[i]][1]);
        ck_assert(value[7][i] == b.frequency[i]);
        for (int j = 0; j < NQ; j++)
            for (int which_one = 0; which_one < 3; which_one++) {
                const double *A = which_one == 0 ? b.Kr : which_one == 1 ? b.Mr : b.Dr;
                const double want = A[order[i] * NQ + order[j]] / (unit[order[i]] * unit[order[j]]);
                ck_assert_double_eq_tol(value[2 + which_one][i + NQ * j], want,
                                        1e-12 * (1 + fabs(want)));
            }
    }
    fb_buf_free(&o);
    fb_log_free(&log);
    fb_model_free(&b);
}
END_TEST

/* The same pair as a user element: K holds no strain of the six rigid motions of its two nodes; one
 * spring more on a rotation, and it does. */
START_TEST(a_free_substructure_is_seen)
{
    fb_model b;
    fb_files f = {0};
    fb_log log = {0};
    fb_err e = {0};
    char name[] = "element.inp";
    make_free(&b, (uint64_t)_i);
    ck_assert_int_eq(fb_writer_abaqus.files(&b, &(fb_export){.dialect = "element"}, &f, &log, &e),
                     FB_OK);
    fb_log_free(&log);
    for (int held = 0; held < 2; held++) {
        fb_parts p = {0};
        int64_t k = 0;
        while (strcmp(f.file[k].name, name))
            k++;
        fb_input in = {
            .data = f.file[k].bytes.data, .size = (size_t)f.file[k].bytes.size, .name = name};
        ck_assert_msg(fb_reader_user_element.read(&in, &p, &log, &e) == FB_OK, "%s", e.msg);
        for (int q = 0; q < NN; q++)
            ck_assert_int_eq(fb_parts_node(&p, b.node_id[q], b.xyz + 3 * q, NULL, &e), FB_OK);
        fb_csc *K = &p.matrix->A;
        double spring = 0;
        for (int64_t q = K->p[4]; q < K->p[5]; q++)
            if (held && K->i[q] == 4) {
                spring = K->x[q];
                K->x[q] *= 2;
            }
        ck_assert_int_eq(fb_substructure_check(&p, &log, &e), FB_OK);
        ck_assert_int_eq(log.nwarning, held);
        double top = 0, size = 0, said = 0;
        for (int64_t q = 0; q < K->p[NQ]; q++)
            top = fmax(top, fabs(K->x[q]));
        for (int q = 0; q < 3 * NN; q++)
            size = fmax(size, fabs(b.xyz[q]));
        if (held) { /* the spring against a rotation that moves the body's size by one */
            const char *at = strstr(log.warning[0], "the stiffness resists rigid-body motion (");
            ck_assert_ptr_nonnull(at);
            ck_assert_int_eq(sscanf(strchr(at, '('), "(%lf of its", &said), 1);
            ck_assert_double_eq_tol(said, spring / size / top, 0.05 * spring / size / top);
        }
        fb_parts_free(&p);
    }
    fb_files_free(&f);
    fb_log_free(&log);
    fb_model_free(&b);
}
END_TEST

/* ---- text for people ------------------------------------------------------------------------- */

/* An array of it: blocks of columns of 25 characters under their names, behind those of the rows;
 * rows of zeros are left out. */
static const char *table(const char *p, const char *title, const double *x, int rows, int columns)
{
    enum { WIDTH = 25 };
    char head[100];
    snprintf(head, sizeof head, "\n%s\n", title);
    p = strstr(p, head);
    ck_assert_msg(p != NULL, "no%s", head);
    p += strlen(head);
    for (int j = 0, wide = 0; j < columns; j += wide) {
        wide = (int)(strchr(p, '\n') - p - 2) / WIDTH;
        ck_assert_int_gt(wide, 0);
        p = columns > 1 ? strchr(p, '\n') + 1 : p;
        for (int i = 0; i < rows; i++) {
            const double *want = x + i * columns + j;
            const char *end = strchr(p, '\n');
            int zeros = 0;
            for (int k = 0; k < wide; k++)
                zeros += want[k] == 0;
            for (int k = 0; zeros < wide && k < wide; k++) {
                const double v = strtod(end - WIDTH * (wide - k), NULL);
                ck_assert_msg(v == want[k], "%s (%d,%d) is %.17g, %.17g wanted", title, i, j + k, v,
                              want[k]);
            }
            p = zeros < wide ? end + 1 : p;
        }
    }
    return p - 1;
}

START_TEST(text_holds_the_numbers)
{
    static const struct {
        const char *name;
        int rows, columns;
    } I[12] = {{NULL, 0, 0},
               {"I1 = int rho, mass", 1, 1},
               {"I2 = int rho u0", 1, 3},
               {"I3 = int rho S", 3, NR},
               {"I4 = int rho u0~ S", 3, NR},
               {"I5 = int rho s_i~ S", 3 * NR, NR},
               {"I6 = int rho S'S", NR, NR},
               {"I7 = int rho u0~'u0~, inertia about the origin", 3, 3},
               {"I8 = int rho u0~ s_i~", 3 * NR, 3},
               {"I9 = int rho s_i~ s_j~", NR * NR, 9},
               {"I10 = int rho u0_a S_b", 9, NR},
               {"I11 = int rho S_a' S_b", 9 * NR, NR}};
    fb_model b;
    char name[60], path[] = "/tmp/flexbody-test-XXXXXX";
    make_generic(&b, "mm-t-s", (uint64_t)_i);
    generic_invariants(&b, b.I);
    unsigned char *text = published(&fb_writer_text, &b, &(fb_export){.exact = 1}, path);
    const char *p = table((char *)text, "Reduced stiffness K", b.Kr, NR, NR);
    p = table(p, "Reduced mass M", b.Mr, NR, NR);
    p = table(p, "Reduced damping D", b.Dr, NR, NR);
    for (int q = 0; q < 3; q++) {
        double S[2][3 * NR];
        const int at = (const int[]){4, 1, 6}[q];
        for (int k = 0; k < NR; k++)
            for (int a = 0; a < 6; a++)
                S[a / 3][a % 3 * NR + k] = b.T[k * NDOF + 6 * at + a];
        for (int turn = 0; turn < 2; turn++) {
            snprintf(name, sizeof name, "%s of connector %d, %s", turn ? "Rotation" : "Translation",
                     (const int[]){1310, 12, 6}[q], turn ? "Shat" : "S");
            p = table(p, name, S[turn], 3, NR);
        }
    }
    for (int k = 1; k <= 11; k++)
        p = table(p, I[k].name, b.I[k], I[k].rows, I[k].columns);
    ck_assert_str_eq(p, "\n");
    free(text);
    unlink(path);
    fb_model_free(&b);
}
END_TEST

/* ---- loads ----------------------------------------------------------------------------------- */

/* PAX of a punch: a load of each displacement, p_k over the displacement that a unit of coordinate
 * k is; 1e-9: the cards hold ten digits. */
START_TEST(loads_of_a_punch)
{
    fb_model b;
    fb_buf o = {0};
    fb_log log = {0};
    fb_err e;
    const fb_export ask = {.dialect = "nastran"};
    long long column = 0, node = 0, component = 0, seen = 0, there = 0, modal = 0;
    double top = 0;
    make_generic_boundary(&b, "mm-t-s", 3);
    ck_assert_msg(fb_writer_dmig.write(&b, &ask, &o, &log, &e) == FB_OK, "%s", e.msg);
    fb_put_bytes(&o, "", 1);
    for (int64_t k = 0; k < 5 * b.nr; k++) {
        const double x = fabs(generalized(&b, k / b.nr, k % b.nr));
        top = fmax(top, x);
        there += x > 0;
    }
    const char *p = strstr((char *)o.data, "DMIG    PAX            0       9       2       0     "
                                           "                  5\n");
    ck_assert_ptr_nonnull(p);
    for (p = strchr(p, '\n') + 1; *p; p = strchr(p, '\n') + 1) {
        char field[3][17] = {"", "", ""};
        if (sscanf(p, "DMIG* PAX %lld", &column) == 1)
            continue;
        for (int q = 0; q < 3; q++)
            memcpy(field[q], p + 8 + 16 * q, 16);
        node = atoll(field[0]);
        component = atoll(field[1]);
        *strchr(field[2], 'D') = 'E';
        int64_t k = 0;
        for (modal = 0; k < b.nr; k++) {
            modal += !generic_label[k][0];
            if (component ? generic_label[k][0] == node && generic_label[k][1] == component
                          : !generic_label[k][0] && modal == node - 1310)
                break;
        }
        ck_assert_int_lt(k, b.nr);
        ck_assert_double_eq_tol(atof(field[2]) * generic_scale[k], generalized(&b, column - 1, k),
                                1e-9 * top);
        seen++;
    }
    ck_assert_int_eq(seen, there);
    fb_buf_free(&o);
    fb_log_free(&log);
    fb_model_free(&b);
}
END_TEST

Suite *suite_generic(void)
{
    Suite *s = suite_create("generic");
    TCase *t = tcase_create("files");
    tcase_add_loop_test(t, adams_file_holds_the_body, 0, 2);
    tcase_add_loop_test(t, adams_file_is_read, 0, 2);
    tcase_add_test(t, adams_masses_that_do_not_fit);
    tcase_add_test(t, adams_time_without_a_known_unit);
    tcase_add_test(t, bytes_are_counted);
    tcase_add_loop_test(t, matlab_5_holds_all_arrays, 0, 2);
    tcase_add_loop_test(t, matlab_73_holds_all_arrays, 0, 2);
    tcase_add_loop_test(t, simscape_holds_the_body, 0, 2);
    tcase_add_loop_test(t, a_free_substructure_is_seen, 0, 2);
    tcase_add_loop_test(t, text_holds_the_numbers, 0, 2);
    tcase_add_test(t, loads_of_a_punch);
    suite_add_tcase(s, t);
    return s;
}
