/* SPDX-License-Identifier: GPL-3.0-or-later */
/* test_methods.c - Guyan, IMR, LSMR and MDM on bodies held by modes: laws on random bodies and on
 * real exports, and every way to ask for the wrong thing. */
#include "mnfparse/reader.h"
#include "reduce/modal.h"
#include "tests/model/body.h"
#include "tests/suites.h"
#include <math.h>

enum { MOST = 64 };

static fb_reduceopt order(int64_t n)
{
    return (fb_reduceopt){.order = n, .modes = -1};
}

static fb_log kept; /* of the last reduction */

static int said(const char *word)
{
    for (int64_t k = 0; k < kept.nwarning; k++)
        if (strstr(kept.warning[k], word))
            return 1;
    return 0;
}

static void reduce(const char *method, const fb_model *b, fb_reduceopt o, fb_reduction *r)
{
    fb_err e = {0};
    fb_log_free(&kept);
    ck_assert_msg(fb_method_modal(fb_method_find(method), b, &o, r, &kept, &e) == FB_OK, "%s: %s",
                  method, e.msg);
    ck_assert_int_eq(r->nr, r->nb + r->nn);
    ck_assert_int_eq(r->ndropped, b->nm - r->nr);
    ck_assert_int_eq(r->V.n, r->nr);
}

/* Angular frequencies of the reduced pair, ascending. */
static void spectrum(const fb_reduction *r, double *w)
{
    const fb_mat K = {r->nr, r->nr, r->K}, M = {r->nr, r->nr, r->M};
    fb_mat V = {0};
    fb_err e = {0};
    ck_assert_int_le(r->nr, MOST);
    ck_assert_msg(fb_eig_dense(&K, &M, w, &V, &e) == FB_OK, "%s", e.msg);
    for (int64_t k = 0; k < r->nr; k++)
        w[k] = sqrt(fabs(w[k]));
    fb_mat_free(&V);
}

static double own(const fb_model *b,
                  int64_t k) /* angular frequency of mode k of the body, Mr = 1 */
{
    return sqrt(b->Kr[k * b->nm + k]);
}

/* Elastic modes 7..n are the body's own, to tol. What round-off leaves of a rigid mode is eps
 * cond^2 lambda_max, cond that of the basis: its root, the frequency, is more. */
static void exact(const char *what, const fb_model *b, const fb_reduction *r, int64_t n, double tol,
                  double cond)
{
    double w[MOST];
    spectrum(r, w);
    for (int64_t k = 6; k < n; k++)
        ck_assert_msg(fabs(w[k] / own(b, k) - 1) < tol, "%s, mode %d: %.15g, wanted %.15g", what,
                      (int)k + 1, w[k], own(b, k));
    const double rigid = fmax(1e-4 * own(b, 6), sqrt(DBL_EPSILON) * cond * own(b, n - 1));
    for (int64_t k = 0; k < 6 && k < r->nr; k++)
        ck_assert_msg(w[k] < rigid, "%s, mode %d: %g, below %g wanted", what, (int)k + 1, w[k],
                      rigid);
}

/* Rayleigh: no reduced frequency is below the body's of the same number, but for round-off, to tol.
 * */
static void bounded(const char *what, const fb_model *b, const fb_reduction *r, double tol)
{
    double w[MOST];
    spectrum(r, w);
    for (int64_t k = 6; k < r->nr; k++)
        ck_assert_msg(w[k] >= own(b, k) * (1 - tol), "%s, order %d, mode %d: %.15g below %.15g",
                      what, (int)r->nr, (int)k + 1, w[k], own(b, k));
}

/* The methods at full order (18 modes; masters makes 18 dofs) and at every order below. */
static void all_methods(const fb_model *b, const char *masters)
{
    fb_reduction r = {0};
    fb_reduceopt o = order(b->nm);
    char at[40];
    snprintf(at, sizeof at, "%.17g", fb_hertz(&b->units, 0.4 * b->Kr[6 * (b->nm + 1)]));
    o.masters = masters;
    o.at = at;
    for (const fb_method *const *m = fb_methods; *m; m++) {
        if ((*m)->any_order) /* a basis of one's own is for matrices */
            continue;
        reduce((*m)->name, b, o, &r);
        ck_assert_int_eq(r.nr, b->nm);
        exact((*m)->name, b, &r, b->nm, 1e-9, 1);
        fb_reduction_free(&r);
    }
    for (int64_t n = 12; n < b->nm; n++) {
        static const char *const counted[] = {"cb", "imr", "krylov", "mdm"};
        for (int k = 0; k < 4; k++) {
            o = order(n);
            o.at = at;
            reduce(counted[k], b, o, &r);
            bounded(counted[k], b, &r, 1e-9);
            fb_reduction_free(&r);
        }
    }
    reduce("guyan", b, order(12), &r);
    bounded("guyan", b, &r, 1e-9);
    fb_reduction_free(&r);
    for (int64_t p = 7; p < b->nm;
         p++) { /* p modes fitted to the masters: those p are exact, whatever lies above */
        o = (fb_reduceopt){.order = -1, .modes = p, .masters = masters};
        reduce("lsmr", b, o, &r);
        bounded("lsmr", b, &r, 1e-7); /* condition of the masters, squared */
        exact("lsmr", b, &r, p, 1e-9, 1);
        ck_assert_msg(said("spurious"), "%d warnings, none of spurious modes", (int)kept.nwarning);
        fb_reduction_free(&r);
    }
}

START_TEST(random_bodies)
{
    fb_model b;
    make_body(&b, 8, 18, (uint64_t)_i);
    all_methods(&b, "10,13,16");
    fb_model_free(&b);
}
END_TEST

static const struct {
    const char *file, *masters;
} real[] = {{"mnf/siso_beam.mnf", "1,2,25:23,50:23,75:23"},
            {"mnf/siso_block.mnf", "190,191,28:123,42:123"}};

START_TEST(real_bodies)
{
    const char *path = shared_file(real[_i].file);
    fb_input in = {0};
    fb_parts p = {0};
    fb_log log = {0};
    fb_err e = {0};
    if (!path)
        return;
    ck_assert_int_eq(fb_input_open(&in, path, &e), FB_OK);
    ck_assert_msg(fb_reader_mnf.read(&in, &p, &log, &e) == FB_OK, "%s", e.msg);
    fb_mat N = {0};
    ck_assert_msg(fb_modal_own(&p.body, &N, &log, &e) == FB_OK, "%s", e.msg);
    fb_mat_free(&N);
    all_methods(&p.body, real[_i].masters);
    fb_parts_free(&p);
    fb_input_close(&in);
}
END_TEST

START_TEST(guyan_is_craig_bampton_without_modes)
{
    fb_model b;
    fb_reduction r = {0}, q = {0};
    make_body(&b, 8, 20, (uint64_t)_i);
    reduce("cb", &b, (fb_reduceopt){.order = -1, .modes = 0}, &r);
    reduce("guyan", &b, order(-1), &q); /* the order follows from the interface */
    ck_assert_int_eq(q.nr, 12);
    ck_assert_mem_eq(q.V.x, r.V.x, sizeof(double) * 12 * 20);
    ck_assert_mem_eq(q.K, r.K, sizeof(double) * 144);
    ck_assert_mem_eq(q.M, r.M, sizeof(double) * 144);
    fb_reduction_free(&r);
    fb_reduction_free(&q);
    fb_model_free(&b);
}
END_TEST

START_TEST(imr_of_all_modes_is_craig_bampton)
{
    fb_model b;
    fb_reduction r = {0}, q = {0};
    make_body(&b, 8, 20, (uint64_t)_i);
    reduce("cb", &b, order(20), &r);
    for (int way = 0; way < 2; way++) {
        fb_reduceopt o = order(20);
        o.weights = way == 1 ? "9:3,7" : NULL;
        reduce("imr", &b, o, &q);
        ck_assert_mem_eq(q.V.x, r.V.x, sizeof(double) * 400);
        ck_assert_mem_eq(q.K, r.K, sizeof(double) * 400);
        ck_assert_mem_eq(q.M, r.M, sizeof(double) * 400);
        fb_reduction_free(&q);
    }
    fb_reduction_free(&r);
    fb_model_free(&b);
}
END_TEST

static char note[1024]; /* the ranking, as -v prints it */

static void listen(void *self, int is_warning, const char *line)
{
    (void)self;
    (void)is_warning;
    if (!strncmp(line, "interior modes by", 17))
        snprintf(note, sizeof note, "%s", line);
}

/* The participations by the identity gamma = w_i^2/(w_z^2 - w_i^2) phi_z' Mq Psi B v_i, which the
 * program does not use; the body's own modes are the unit vectors. */
static void identity(const fb_model *b, const fb_modalsplit *t, const int64_t *dof,
                     const double *weight, double *g)
{
    int64_t m = b->nm, nb = t->Psi.n, ni = t->Phi.n;
    double sum = 0, gamma[MOST];
    memset(g, 0, sizeof *g * (size_t)ni);
    for (int64_t i = 0; i < m; i++)
        sum += weight[i];
    for (int64_t i = 0; i < m; i++) {
        double norm = 0, w2 = b->Kr[i * m + i];
        for (int64_t z = 0; z < ni; z++) {
            double c = 0;
            for (int64_t j = 0; j < nb; j++)
                for (int64_t q = 0; q < m; q++)
                    c += t->Phi.x[q + z * m] * t->Psi.x[q + j * m] * b->shape[dof[j] + i * b->ndof];
            gamma[z] = w2 / (t->w2[z] - w2) * c;
            norm += gamma[z] * gamma[z];
        }
        for (int64_t z = 0; z < ni && weight[i] > 0; z++)
            g[z] += weight[i] / sum * fabs(gamma[z]) / sqrt(norm);
    }
}

START_TEST(imr_ranks_by_participation)
{
    static const char *const weights[] = {NULL, "7:1,8:2,12:0.5", "9-14:2"};
    const double given[3][20] = {{[6] = 1, 1, 1, 1, 1, 1, 1, 1, 1},
                                 {[6] = 1, [7] = 2, [11] = 0.5},
                                 {[8] = 2, 2, 2, 2, 2, 2}};
    fb_model b;
    fb_reduction r = {0};
    fb_modalsplit t = {0};
    fb_log log = {.verbose = 1, .sink = listen};
    fb_err e = {0};
    int64_t *dof = NULL, nb = 0;
    double g[MOST];
    make_body(&b, 8, 20, (uint64_t)_i);
    ck_assert_int_eq(fb_modal_boundary(&b, "", NULL, &dof, &nb, &log, &e), FB_OK);
    ck_assert_int_eq(fb_modal_split(&b, dof, nb, &t, &log, &e), FB_OK);
    identity(&b, &t, dof, given[_i % 3], g);
    fb_reduceopt o = order(15);
    o.weights = weights[_i % 3];
    ck_assert_msg(fb_method_imr.modal(&b, &o, &r, &log, &e) == FB_OK, "%s", e.msg);
    const char *p = strchr(note, ':');
    int in[3];
    for (int c = 0; c < 3; c++) {
        double got = 0, top = -1;
        int best = 0, used = 0;
        ck_assert_int_eq(sscanf(p + 1, " %d (%lf)%n", &in[c], &got, &used), 2);
        p += used;
        for (int z = 0; z < 8; z++)
            if (g[z] > top) {
                top = g[z];
                best = z;
            }
        ck_assert_int_eq(in[c], best + 1);
        ck_assert_double_eq_tol(got, top, 0.5001e-4);
        g[best] = -2;
    }
    for (int c = 12; c < 15; c++) { /* kept by frequency */
        int z = 0;
        while (z < 8 && memcmp(t.Phi.x + z * 20, r.V.x + c * 20, 160))
            z++;
        ck_assert(z < 8 && (in[0] == z + 1 || in[1] == z + 1 || in[2] == z + 1));
        ck_assert(c == 12 || r.K[c * 15 + c] > r.K[(c - 1) * 15 + c - 1]);
    }
    free(dof);
    fb_modal_split_free(&t);
    fb_reduction_free(&r);
    fb_log_free(&log);
    fb_model_free(&b);
}
END_TEST

/* p = m: the reduced model spans the m lowest modes and no other: V = V_m C^-1, rows of higher
 * modes zero. */
START_TEST(lsmr_spans_the_lowest_modes)
{
    fb_model b;
    fb_reduction r = {0};
    make_body(&b, 8, 24, (uint64_t)_i);
    reduce("lsmr", &b, order(12), &r);
    ck_assert_int_eq(kept.nwarning, 0);
    exact("lsmr", &b, &r, 12, 1e-7, 1e4); /* random masters: their condition, squared in V' K V */
    for (int64_t j = 0; j < 12; j++) {
        for (int64_t k = 12; k < 24; k++)
            ck_assert_double_eq(r.V.x[k + j * 24], 0); /* the body's modes are unit vectors */
        for (int64_t d = 0; d < 12; d++) {             /* unit displacement at its own master */
            double x = 0;
            for (int64_t k = 0; k < 24; k++)
                x += b.shape[(d < 6 ? d : b.ndof - 12 + d) + k * b.ndof] * r.V.x[k + j * 24];
            ck_assert_double_eq_tol(x, j == d, 1e-9);
        }
        ck_assert_int_eq(r.kind[j], FB_KIND_BOUNDARY);
    }
    fb_reduction_free(&r);
    /* p > m: still one vector a master, in the span of p modes. */
    reduce("lsmr", &b, (fb_reduceopt){.order = -1, .modes = 15}, &r);
    ck_assert_int_eq(r.nr, 12);
    bounded("lsmr", &b, &r, 1e-7); /* condition of the masters, squared */
    for (int64_t j = 0; j < 12; j++)
        for (int64_t k = 15; k < 24; k++)
            ck_assert_double_eq(r.V.x[k + j * 24], 0);
    fb_reduction_free(&r);
    fb_model_free(&b);
}
END_TEST

/* Any damping follows the modes; that of alpha M + beta K becomes alpha + beta lambda. */
START_TEST(orthonormalize_takes_the_damping_along)
{
    fb_model b;
    fb_reduction r = {0};
    fb_err e = {0};
    make_body(&b, 8, 18, (uint64_t)_i);
    reduce("cb", &b, order(15), &r);
    r.D = fb_alloc(15 * 15, sizeof *r.D);
    ck_assert_ptr_nonnull(r.D);
    for (int k = 0; k < 15 * 15; k++)
        r.D[k] = 0.3 * r.M[k] + 2e-5 * r.K[k];
    ck_assert_msg(fb_reduction_orthonormalize(&b, &r, &e) == FB_OK, "%s", e.msg);
    const double top = 0.3 + 2e-5 * r.K[14 * 15 + 14];
    for (int k = 0; k < 15; k++)
        for (int l = 0; l < 15; l++)
            ck_assert_double_eq_tol(r.D[k * 15 + l], k == l ? 0.3 + 2e-5 * r.K[k * 15 + k] : 0,
                                    1e-10 * top);
    fb_reduction_free(&r);
    fb_model_free(&b);
}
END_TEST

START_TEST(mdm_keeps_the_lowest)
{
    fb_model b;
    fb_reduction r = {0};
    make_body(&b, 8, 20, (uint64_t)_i);
    reduce("mdm", &b, order(11), &r);
    ck_assert_int_eq(r.nr, 11);
    exact("mdm", &b, &r, 11, 1e-12, 1);
    ck_assert_int_eq(r.kind[7], FB_KIND_EIGEN);
    fb_reduction_free(&r);
    reduce("mdm", &b,
           (fb_reduceopt){.order = -1, .modes = -1, .fmax = own(&b, 8) / (2 * M_PI) * 1.0001}, &r);
    ck_assert_int_eq(r.nr, 9);
    fb_reduction_free(&r);
    reduce("mdm", &b, order(25), &r);
    ck_assert_int_eq(r.nr, 20);
    ck_assert_str_eq(kept.warning[0], "25 normal modes are asked for, the body has 20: order 20");
    fb_reduction_free(&r);
    fb_model_free(&b);
}
END_TEST

START_TEST(masters_that_hardly_tell_modes_apart)
{
    fb_model b;
    fb_reduction r = {0};
    fb_log log = {0};
    fb_err e = {0};
    make_body(&b, 8, 20, 3);
    for (int64_t k = 0; k < b.nm; k++) /* 31.2 moves nearly as 10.1 does */
        b.shape[b.ndof - 5 + k * b.ndof] =
            b.shape[k * b.ndof] + 1e-7 * b.shape[b.ndof - 5 + k * b.ndof];
    reduce("lsmr", &b, order(12), &r);
    ck_assert_int_eq(kept.nwarning, 0); /* what it costs is measured: test_modal.c */
    fb_reduction_free(&r);
    for (int64_t k = 0; k < b.nm; k++)
        b.shape[b.ndof - 5 + k * b.ndof] = b.shape[k * b.ndof];
    fb_reduceopt o = order(12);
    ck_assert_int_eq(fb_method_lsmr.modal(&b, &o, &r, &log, &e), FB_ESOLVE);
    ck_assert_msg(strstr(e.msg, "at the 12 masters the 12 lowest modes cannot be told apart") !=
                      NULL,
                  "%s", e.msg);
    fb_model_free(&b);
}
END_TEST

static const struct {
    const char *method;
    fb_reduceopt o;
    const char *says;
} wrong[] = {
    {"guyan",
     {.order = 14, .modes = -1},
     "order 14, but 12 masters: the order of Guyan is the number of its masters"},
    {"guyan", {.order = 12, .modes = -1, .masters = "10,13,16:123"}, "order 12, but 15 masters"},
    {"guyan",
     {.order = -1, .modes = 2},
     "Guyan keeps no normal modes, --modes has nothing to count"},
    {"guyan",
     {.order = -1, .modes = -1, .fmax = 9},
     "Guyan keeps no normal modes, --fmax has nothing to count"},
    {"guyan", {.order = -1, .modes = -1, .masters = "11"}, "--masters: the model has no node 11"},
    {"lsmr",
     {.order = 13, .modes = -1},
     "order 13, but 12 masters: the order of LSMR is the number of its masters"},
    {"lsmr", {.order = -1, .modes = 0}, "no mode is left to fit to the masters"},
    {"lsmr",
     {.order = -1, .modes = -1, .masters = "10,13,16,19"},
     "24 masters, but the body has 20 modes"},
    {"imr", {.order = 11, .modes = -1}, "order 11 is below the 12 boundary dofs"},
    {"imr",
     {.order = -1, .modes = -1, .fmax = 9},
     "--fmax chooses by frequency, IMR by participation"},
    {"imr",
     {.order = -1, .modes = 1, .weights = "7", .keep = "1", .reach = 1},
     "--weights ranks them: how many of these?"},
    {"imr",
     {.order = 14, .modes = -1, .weights = "7:0"},
     "--weights: '7:0' is not MODE, MODE-MODE or MODE:WEIGHT with a weight above 0"},
    {"imr", {.order = 14, .modes = -1, .weights = "7:1,x"}, "--weights: 'x' is not"},
    {"imr", {.order = 14, .modes = -1, .weights = "0"}, "--weights: '0' is not"},
    {"imr", {.order = 14, .modes = -1, .weights = "8-21"}, "--weights: '8-21' is not"},
    {"imr", {.order = 14, .modes = -1, .weights = "9-8"}, "--weights: '9-8' is not"},
    {"imr", {.order = 14, .modes = -1, .weights = "8;9"}, "--weights: '8;9' is not"},
    {"imr", {.order = 14, .modes = -1, .weights = "8,7-9"}, "--weights: mode 8 is named twice"},
    {"imr", {.order = 14, .modes = -1, .weights = ""}, "--weights: names no mode"},
    {"imr",
     {.order = 14, .modes = -1, .weights = "1-6"},
     "--weights: none of these modes moves the interior"},
    {"imr",
     {.order = 4, .modes = -1, .interface = "10:12"},
     "order 4 leaves no elastic mode of interest behind 6 rigid ones"},
};

static double coupling_said;

static void find_coupling(void *self, int is_warning, const char *line)
{
    const char *p = strstr(line, "before it is set to zero: ");
    (void)self;
    (void)is_warning;
    if (p)
        coupling_said = atof(p + strlen("before it is set to zero: "));
}

/* What Craig-Bampton leaves of the coupling is round-off of the strain energies, and is said so. */
START_TEST(the_coupling_is_round_off)
{
    fb_model b;
    fb_reduction r = {0};
    fb_err e = {0};
    fb_log log = {.verbose = 1, .sink = find_coupling};
    fb_reduceopt o = order(16);
    make_body(&b, 9, 24, (uint64_t)_i);
    coupling_said = -1;
    ck_assert_msg(fb_method_find("cb")->modal(&b, &o, &r, &log, &e) == FB_OK, "%s", e.msg);
    ck_assert_msg(coupling_said >= 0 && coupling_said < 1e-12, "%g", coupling_said);
    fb_log_free(&log);
    fb_reduction_free(&r);
    fb_model_free(&b);
}
END_TEST

/* Of a body with connectors of its own, the first and the last node: the nodes of --interface, in
 * its order, take their place; without it they stay. S and Shat are the rows of T. */
START_TEST(the_interface_makes_the_connectors)
{
    static const int own_place[2] = {0, 7}, asked[2] = {4, 2};
    fb_model b;
    fb_reduction r = {0};
    fb_log log = {0};
    fb_err e = {0};
    char list[40];
    fb_reduceopt o = order(14);
    make_body(&b, 8, 20, 3);
    const int *place = _i ? asked : own_place;
    snprintf(list, sizeof list, "%d,%d", (int)b.node_id[asked[0]], (int)b.node_id[asked[1]]);
    o.interface = _i ? list : NULL;
    reduce("cb", &b, o, &r);
    ck_assert_msg(fb_reduction_apply_take(&b, &r, &o, "cb", &log, &e) == FB_OK, "%s", e.msg);
    ck_assert_int_eq(b.nc, 2);
    for (int q = 0; q < 2; q++) {
        ck_assert_int_eq(b.connector_node[q], b.node_id[place[q]]);
        for (int a = 0; a < 3; a++)
            for (int64_t k = 0; k < b.nr; k++) {
                const double *u = b.T + k * b.ndof + 6 * place[q];
                ck_assert(b.connector_S[(3 * q + a) * b.nr + k] == u[a]);
                ck_assert(b.connector_Shat[(3 * q + a) * b.nr + k] == u[3 + a]);
            }
    }
    fb_log_free(&log);
    fb_reduction_free(&r);
    fb_model_free(&b);
}
END_TEST

START_TEST(wrong_questions)
{
    fb_model b;
    fb_reduction r = {0};
    fb_log log = {0};
    fb_err e = {0};
    make_body(&b, 8, 20, 5);
    ck_assert_int_eq(
        fb_method_modal(fb_method_find(wrong[_i].method), &b, &wrong[_i].o, &r, &log, &e),
        FB_EUSAGE);
    ck_assert_msg(strstr(e.msg, wrong[_i].says) != NULL, "%s", e.msg);
    fb_log_free(&log);
    fb_model_free(&b);
}
END_TEST

START_TEST(every_allocation_may_fail)
{
    const struct {
        const char *method;
        fb_reduceopt o;
    } c[] = {{"cb", order(15)},
             {"guyan", order(12)},
             {"imr", order(15)},
             {"lsmr", {.order = -1, .modes = 12}},
             {"mdm", order(12)}};
    fb_model b;
    fb_reduction r = {0};
    fb_log log = {0};
    fb_err e = {0};
    fb_status s;
    long fails;
    make_body(&b, 8, 20, 5);
    EVERY_ALLOCATION_FAILS_ONCE(
        s, fails, s = fb_method_find(c[_i].method)->modal(&b, &c[_i].o, &r, &log, &e));
    ck_assert_int_ge(fails, 6);
    fb_reduction_free(&r);
    fb_log_free(&log);
    fb_model_free(&b);
}
END_TEST

Suite *suite_methods(void)
{
    Suite *s = suite_create("methods");
    TCase *t = tcase_create("modal");
    tcase_set_timeout(t, 120);
    tcase_add_loop_test(t, random_bodies, 0, 6);
    tcase_add_loop_test(t, real_bodies, 0, 2);
    tcase_add_loop_test(t, guyan_is_craig_bampton_without_modes, 0, 3);
    tcase_add_loop_test(t, imr_of_all_modes_is_craig_bampton, 0, 3);
    tcase_add_loop_test(t, imr_ranks_by_participation, 0, 6);
    tcase_add_loop_test(t, lsmr_spans_the_lowest_modes, 0, 4);
    tcase_add_loop_test(t, mdm_keeps_the_lowest, 0, 3);
    tcase_add_loop_test(t, orthonormalize_takes_the_damping_along, 0, 4);
    tcase_add_test(t, masters_that_hardly_tell_modes_apart);
    tcase_add_loop_test(t, the_interface_makes_the_connectors, 0, 2);
    tcase_add_loop_test(t, the_coupling_is_round_off, 0, 4);
    tcase_add_loop_test(t, wrong_questions, 0, sizeof wrong / sizeof *wrong);
    tcase_add_loop_test(t, every_allocation_may_fail, 0, 5);
    suite_add_tcase(s, t);
    return s;
}
