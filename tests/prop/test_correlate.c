/* SPDX-License-Identifier: GPL-3.0-or-later */
/* test_correlate.c - laws of MAC, NCO, CO and of the pairing, on random modes. Seed = loop index.
 * */
#include "correlate/correlate.h"
#include "tests/model/reduced.h"
#include "tests/suites.h"
#include <math.h>
#include <unistd.h>

enum { ND = 40 };

static const fb_correlate_opts all = {.want = {1, 1, 1}},
                               published = {.want = {1, 1, 1}, .as_published = 1};

/* n random modes over ND dofs of 10 nodes, frequencies 1, 2, ... Hz, a positive diagonal mass. */
static void make_modes(fb_shapes *s, int64_t n, uint64_t seed, int unit_mass)
{
    fb_err e;
    uint64_t r = seed + 77;
    *s = (fb_shapes){.n = n, .nd = ND};
    snprintf(s->name, sizeof s->name, "random");
    ck_assert_int_eq(fb_mat_new(&s->X, ND, n, &e), FB_OK);
    ck_assert_int_eq(fb_csc_new(&s->M, ND, ND, ND, 1, &e), FB_OK);
    s->f = fb_alloc((size_t)n, 8);
    s->rigid = fb_alloc((size_t)n, 1);
    s->node = fb_alloc(ND, 8);
    s->component = fb_alloc(ND, 8);
    s->xyz = fb_alloc(3 * ND, 8);
    for (int64_t d = 0; d < ND; d++) {
        s->node[d] = 1 + d / 4;
        s->component[d] = 1 + d % 4;
        s->xyz[3 * d] = (double)(d / 4);
        s->M.p[d + 1] = d + 1;
        s->M.i[d] = d;
        s->M.x[d] = unit_mass ? 1 : 1.5 + random_real(&r);
    }
    for (int64_t k = 0; k < ND * n; k++)
        s->X.x[k] = random_real(&r);
    for (int64_t k = 0; k < n; k++)
        s->f[k] = (double)k + 1;
}

static void compare(const fb_shapes *a, fb_shapes *b, const fb_correlate_opts *o, fb_correlation *c)
{
    fb_err e = {0};
    ck_assert_msg(fb_correlate(a, b, o, c, &e) == FB_OK, "%s", e.msg);
}

/* phi'M phi / max phi^2 over translations, which are the first three of four dofs. */
static double modal_mass(const fb_shapes *s, int64_t k, const double *m)
{
    double sum = 0, most = 0;
    for (int64_t d = 0; d < ND; d++) {
        const double x = s->X.x[d + k * ND];
        sum += m[d] * x * x;
        if (d % 4 < 3)
            most = fmax(most, x * x);
    }
    return sum / most;
}

/* (phi'M psi)^2 / ..., in three loops of its own. */
static double nco(const fb_shapes *a, int64_t i, const fb_shapes *b, int64_t j)
{
    double xy = 0, xx = 0, yy = 0;
    for (int64_t d = 0; d < ND; d++) {
        double x = a->X.x[d + i * ND], y = b->X.x[d + j * ND], m = a->M.x[d];
        xy += m * x * y;
        xx += m * x * x;
        yy += m * y * y;
    }
    return xy * xy / (xx * yy);
}

START_TEST(by_definition)
{
    fb_shapes a, b;
    fb_correlation c;
    make_modes(&a, 5, (uint64_t)_i, 0);
    make_modes(&b, 7, (uint64_t)_i + 1000, 0);
    compare(&a, &b, &published, &c);
    for (int64_t i = 0; i < 5; i++)
        for (int64_t j = 0; j < 7; j++) {
            ck_assert_double_eq_tol(c.table[FB_NCO].C.x[i + 5 * j], nco(&a, i, &b, j), 1e-14);
            ck_assert_double_eq_tol(pow(c.table[FB_CO].C.x[i + 5 * j], 2), nco(&a, i, &b, j),
                                    1e-14);
            ck_assert_double_eq_tol(c.mass[i] / modal_mass(&a, i, a.M.x), 1, 1e-14);
            ck_assert_double_eq_tol(c.mass_b[j] / modal_mass(&b, j, a.M.x), 1, 1e-14);
        }
    fb_correlation_free(&c);
    fb_shapes_free(&a);
    fb_shapes_free(&b);
}
END_TEST

/* Complex modes of two numbers, dofs in no order, a mass that couples nodes (one triangle kept), no
 * multiple of eight dofs: MAC, NCO and CO by sums over full matrices, and what is said of them. */
enum { GD = 29, GA = 4, GB = 6 };

static void make_oblique(fb_shapes *s, int64_t n, uint64_t seed, double M[GD][GD])
{
    double G[GD][GD];
    int64_t i[GD * GD], j[GD * GD], nnz = 0;
    double x[GD * GD];
    uint64_t order = 3, r = seed;
    fb_err e;
    *s = (fb_shapes){.n = n, .nd = GD};
    ck_assert(!fb_mat_new(&s->X, GD, n, &e) && !fb_mat_new(&s->Xi, GD, n, &e));
    s->f = fb_alloc((size_t)n, 8);
    s->rigid = fb_alloc((size_t)n, 1);
    s->node = fb_alloc(GD, 8);
    s->component = fb_alloc(GD, 8);
    for (int d = 0; d < GD; d++) {
        s->node[d] = 1 + d * 7 % 31; /* no two alike */
        s->component[d] = 1 + d % 5;
        for (int c = 0; c < GD; c++)
            G[d][c] = (abs(d - c) < 4) * random_real(&order);
    }
    for (int d = 0; d < GD; d++)
        for (int c = 0; c < GD; c++) {
            M[d][c] = d == c;
            for (int k = 0; k < GD; k++)
                M[d][c] += G[d][k] * G[c][k];
            if (d > c || M[d][c] == 0)
                continue;
            i[nnz] = d;
            j[nnz] = c;
            x[nnz++] = M[d][c];
        }
    ck_assert_int_eq(fb_csc_from_triplets(&s->M, GD, GD, nnz, i, j, x, 1, &e), FB_OK);
    for (int64_t k = 0; k < GD * n; k++) {
        s->X.x[k] = random_real(&r);
        s->Xi.x[k] = random_real(&r);
    }
    for (int64_t k = 0; k < n; k++)
        s->f[k] = (double)(k + 1) * (k + 2);
}

/* |a_i^H W b_j|^2 */
static double share(const fb_shapes *a, int64_t i, const fb_shapes *b, int64_t j, int mass,
                    double M[GD][GD])
{
    double re = 0, im = 0;
    for (int d = 0; d < GD; d++)
        for (int c = 0; c < GD; c++) {
            const double w = mass ? M[d][c] : d == c, p = a->X.x[d + i * GD],
                         q = a->Xi.x[d + i * GD], u = b->X.x[c + j * GD], v = b->Xi.x[c + j * GD];
            re += w * (p * u + q * v);
            im += w * (p * v - q * u);
        }
    return re * re + im * im;
}

START_TEST(criteria_of_oblique_models)
{
    static double M[GD][GD];
    fb_shapes a, b;
    fb_correlation c;
    make_oblique(&a, GA, (uint64_t)_i, M);
    make_oblique(&b, GB, (uint64_t)_i + 50, M);
    for (int d = 0; d < GD; d++) /* modes 2 and 5 of the second are near 3 and 1 of the first */
        for (int k = 0; k < 2; k++) {
            const int to = k ? 4 : 1, from = k ? 0 : 2;
            b.X.x[d + to * GD] = 0.3 * b.X.x[d + to * GD] + a.Xi.x[d + from * GD];
            b.Xi.x[d + to * GD] = 0.3 * b.Xi.x[d + to * GD] - a.X.x[d + from * GD];
        }
    const fb_correlate_opts o = {.want = {1, 1, 1}, .partner = 0.5};
    compare(&a, &b, &o, &c);
    for (int q = 0; q < FB_NCRITERION; q++) {
        double sum = 0, off = 0, most = 0, least = 1;
        for (int64_t i = 0; i < GA; i++) {
            const int64_t pair = i == 2 ? 1 : i == 0 ? 4 : -1;
            ck_assert_int_eq(c.pair[i], pair);
            for (int64_t j = 0; j < GB; j++) {
                const int mass = q != FB_MAC;
                double v = share(&a, i, &b, j, mass, M) /
                           sqrt(share(&a, i, &a, i, mass, M) * share(&b, j, &b, j, mass, M));
                v = q == FB_CO ? sqrt(v) : v;
                ck_assert_double_eq_tol(c.table[q].C.x[i + GA * j], v, 1e-13);
                if (pair < 0)
                    continue;
                sum += j == pair ? v : 0;
                least = j == pair ? fmin(least, v) : least;
                off += j == pair ? 0 : v;
                most = j == pair ? most : fmax(most, v);
            }
        }
        ck_assert_double_gt(least, 0.5);
        ck_assert_double_eq_tol(c.table[q].diagonal_mean, sum / GA, 1e-13); /* two are missing */
        ck_assert_double_eq(c.table[q].diagonal_min, 0);
        ck_assert_double_eq_tol(c.table[q].off_mean, off / (2 * (GB - 1)), 1e-13);
        ck_assert_double_eq_tol(c.table[q].off_max, most, 1e-13);
    }
    ck_assert_int_eq(c.nmissing, 2);
    ck_assert_int_eq(c.nswapped, 2);
    fb_correlation_free(&c);
    fb_shapes_free(&a);
    fb_shapes_free(&b);
}
END_TEST

/* As published: a mode and its namesake, rigid ones exact, means over n^2, n the smaller number. */
START_TEST(statistics_as_published)
{
    static double M[GD][GD];
    fb_shapes a, b;
    fb_correlation c;
    make_oblique(&a, GB, (uint64_t)_i, M);
    make_oblique(&b, GA, (uint64_t)_i + 50, M);
    a.rigid[1] = b.rigid[1] = 1;
    a.nrigid = b.nrigid = 1;
    for (int d = 0; d < 2 * GD; d++) { /* the first and the third are alike */
        const int k = d < GD ? d : d + GD;
        b.X.x[k] = a.X.x[k] + 0.05 * b.X.x[k];
        b.Xi.x[k] = a.Xi.x[k] + 0.05 * b.Xi.x[k];
    }
    compare(&a, &b, &published, &c);
    for (int q = 0; q < FB_NCRITERION; q++) {
        double sum = 1, off = 0, most = 0, least = 1;
        for (int64_t i = 0; i < GA; i++)
            for (int64_t j = 0; j < GA && i != 1; j++) {
                const double v = c.table[q].C.x[i + GB * j];
                if (i == j) {
                    sum += v;
                    least = fmin(least, v);
                } else if (j != 1) {
                    off += v;
                    most = fmax(most, v);
                }
            }
        ck_assert_double_eq_tol(c.table[q].diagonal_mean, sum / GA, 1e-14);
        ck_assert_double_eq_tol(c.table[q].diagonal_min, least, 1e-14);
        ck_assert_double_eq_tol(c.table[q].off_mean, off / (GA * GA), 1e-14);
        ck_assert_double_eq_tol(c.table[q].off_max, most, 1e-14);
        ck_assert_int_eq(c.table[q].first_below, 4);
    }
    fb_correlation_free(&c);
    fb_shapes_free(&a);
    fb_shapes_free(&b);
}
END_TEST

/* Modes 1 and 3 of four are paired with 5 and 2 of six. */
static void make_report(fb_shapes *a, fb_shapes *b, fb_correlation *c)
{
    static double M[GD][GD];
    const fb_correlate_opts o = {.want = {1, 1, 1}, .partner = 0.5};
    make_oblique(a, GA, 1, M);
    make_oblique(b, GB, 51, M);
    snprintf(a->name, sizeof a->name, "first");
    snprintf(b->name, sizeof b->name, "a \"second\", one");
    snprintf(a->mass, sizeof a->mass, "a mass");
    for (int d = 0; d < GD; d++)
        for (int k = 0; k < 2; k++) {
            const int to = k ? 4 : 1, from = k ? 0 : 2;
            b->X.x[d + to * GD] = 0.2 * b->X.x[d + to * GD] + a->X.x[d + from * GD];
            b->Xi.x[d + to * GD] = 0.2 * b->Xi.x[d + to * GD] + a->Xi.x[d + from * GD];
        }
    compare(a, b, &o, c);
}

/* The numbers behind `key` in text; returns what follows them. */
static const char *numbers(const char *text, const char *key, int n, const double *want, double tol)
{
    const char *p = strstr(text, key);
    ck_assert_msg(p != NULL, "no %s", key);
    p += strlen(key);
    for (int k = 0; k < n; k++) {
        char *end;
        p += strspn(p, ":{[], \n");
        const double v = strtod(p, &end);
        ck_assert_msg(end > p && fabs(v - want[k]) <= tol * fmax(1, fabs(want[k])),
                      "%s: number %d is %.15g, %.15g wanted", key, k, v, want[k]);
        p = end;
    }
    return p;
}

START_TEST(reports_for_programs)
{
    fb_shapes a, b;
    fb_correlation c;
    fb_buf csv = {0}, json = {0};
    make_report(&a, &b, &c);
    fb_report_csv(&a, &b, &c, &csv);
    fb_report_json(&a, &b, &c, 1, &json);
    fb_put_bytes(&csv, "", 1);
    fb_put_bytes(&json, "", 1);
    const char *p = strchr((char *)csv.data, '\n') + 1, *q = (char *)json.data;
    ck_assert_ptr_nonnull(
        strstr(q, "\"reference\": \"first\", \"model\": \"a \\\"second\\\", one\""));
    ck_assert_ptr_nonnull(strstr(q, "\"dofs\": 29, \"rigid\": 0,"));
    ck_assert_ptr_nonnull(strstr(q, "\"pair\": [5, null, 2, null],"));
    ck_assert_int_eq(*numbers(q, "\"frequency_hz\"", GA, a.f, 1e-16), ']');
    ck_assert_int_eq(*numbers(q, "\"model_frequency_hz\"", GB, b.f, 1e-16), ']');
    /* f = (k + 1)(k + 2) Hz: 30 for 2, 6 for 12. */
    ck_assert_ptr_nonnull(strstr(q, "\"error_percent\": [1400, null, -50, null],"));
    ck_assert_ptr_nonnull(strstr(q, "\"pairs\": 2, \"lost\": 2, \"swapped\": 2, "
                                    "\"largest_error_percent\": 1400, "
                                    "\"mean_error_percent\": 725"));
    ck_assert_int_eq(*numbers(q, "\"modal_mass\"", GA, c.mass, 1e-16), ']');
    ck_assert_int_eq(*numbers(q, "\"model_modal_mass\"", GB, c.mass_b, 1e-16), ']');
    for (int k = 0; k < FB_NCRITERION; k++) {
        const fb_table *t = c.table + k;
        char key[20];
        snprintf(key, sizeof key, "\"%s\"", fb_criterion_name[k]);
        const char *at = strstr(q, key);
        numbers(at, "\"diagonal_min\"", 1, &t->diagonal_min, 1e-16);
        numbers(at, "\"diagonal_mean\"", 1, &t->diagonal_mean, 1e-16);
        numbers(at, "\"first_below\"", 1, (double[]){(double)t->first_below}, 0);
        numbers(at, "\"off_max\"", 1, &t->off_max, 1e-16);
        numbers(at, "\"off_mean\"", 1, &t->off_mean, 1e-16);
        at = strstr(at, "\"matrix\": [") + strlen("\"matrix\": ");
        for (int i = 0; i < GA; i++)
            for (int j = 0; j < GB; j++) {
                const double v = t->C.x[i + j * GA], fi = (i + 1) * (i + 2), fj = (j + 1) * (j + 2);
                char line[200];
                at = numbers(at, "", 1, &v, 1e-8);
                int n =
                    snprintf(line, sizeof line, "\"a \"\"second\"\", one\",%s,%d,%g,%d,%g,%.9g,",
                             fb_criterion_name[k], i + 1, fi, j + 1, fj, v);
                n += (i == 0 && j == 4) || (i == 2 && j == 1)
                         ? snprintf(line + n, sizeof line - (size_t)n, "1,%.9g", i ? -50.0 : 1400.0)
                         : snprintf(line + n, sizeof line - (size_t)n, "0,");
                snprintf(line + n, sizeof line - (size_t)n, ",%.9g,%.9g\n", c.mass[i], c.mass_b[j]);
                ck_assert_msg(!strncmp(p, line, strlen(line)), "%.80s, %s wanted", p, line);
                p += strlen(line);
            }
    }
    ck_assert_str_eq(p, "");
    fb_buf_free(&csv);
    fb_buf_free(&json);
    fb_correlation_free(&c);
    fb_shapes_free(&a);
    fb_shapes_free(&b);
}
END_TEST

START_TEST(report_for_people)
{
    const fb_correlate_opts how = {.want = {1, 1, 1}, .partner = 0.5};
    static const int pair[GA] = {5, 0, 2, 0};
    fb_shapes a, b;
    fb_correlation c;
    fb_buf o = {0};
    make_report(&a, &b, &c);
    fb_report_text(&a, &b, &c, (int64_t[]){3, 8}, &how, &o);
    fb_put_bytes(&o, "", 1);
    const char *text = (char *)o.data, *p = strstr(text, "  mode  frequency");
    ck_assert_ptr_eq(
        text, strstr(text, "a \"second\", one against first: 29 dofs take part, 3 of first and "
                           "8 of a \"second\", one are left out; a mass; complex modes\n"));
    for (int i = 0; i < GA; i++) {
        char line[200];
        const int j = pair[i] - 1;
        const double fi = (i + 1) * (i + 2), fj = (j + 1) * (j + 2);
        p = strchr(p, '\n') + 1;
        if (j < 0)
            snprintf(line, sizeof line, "%6d %15.6f    none\n", i + 1, fi);
        else
            snprintf(line, sizeof line, "%6d %15.6f  %6d %15.6f  %10.4f  %7.4f  %7.4f  %7.4f%s\n",
                     i + 1, fi, j + 1, fj, 100 * (fj - fi) / fi, c.table[0].C.x[i + j * GA],
                     c.table[1].C.x[i + j * GA], c.table[2].C.x[i + j * GA], "  swapped");
        ck_assert_msg(!strncmp(p, line, strlen(line)), "%.100s, %s wanted", p, line);
    }
    for (int k = 0; k < FB_NCRITERION; k++) {
        const fb_table *t = c.table + k;
        char name[20];
        snprintf(name, sizeof name, "\n  %-4s  ", fb_criterion_name[k]);
        numbers(text, name, 5,
                (double[]){t->diagonal_min, t->diagonal_mean, (double)t->first_below, t->off_max,
                           t->off_mean},
                5.1e-5);
    }
    ck_assert_ptr_nonnull(strstr(text, "no partner (NCO below 0.5) for modes of first: 2 4\n"
                                       "no partner (NCO below 0.5) for modes of a \"second\", one:"
                                       " 1 3 4 6\n2 modes are paired out of their order\n"));
    /* 30 for 2 Hz and 6 for 12 Hz: 1400 % and -50 %. */
    o.size = 0;
    fb_report_summary(&a, &b, &c, 1, &o);
    fb_put_bytes(&o, "", 1);
    const char *line = strstr((char *)o.data, "\n  a \"second\", one   ");
    ck_assert_ptr_nonnull(line);
    line = strstr(line, "full");
    ck_assert_ptr_nonnull(line);
    numbers(line, "full", 10,
            (double[]){2, 2, 1400, 725, c.table[0].diagonal_mean, c.table[0].off_max,
                       c.table[1].diagonal_mean, c.table[1].off_max, c.table[2].diagonal_mean,
                       c.table[2].off_max},
            5.1e-5);
    fb_buf_free(&o);
    fb_correlation_free(&c);
    fb_shapes_free(&a);
    fb_shapes_free(&b);
}
END_TEST

START_TEST(reports_as_datasets)
{
    static const char *const name[6] = {"frequency", "model_frequency", "pair", "MAC", "NCO", "CO"};
    fb_shapes a[2], b[2];
    fb_correlation c[2];
    fb_datasets d = {0};
    fb_err e = {0};
    for (int m = 0; m < 2; m++)
        make_report(a + m, b + m, c + m);
    ck_assert_int_eq(fb_report_h5(&d, a, b, c, 2, &e), FB_OK);
    ck_assert_int_eq(d.n, 12);
    for (int k = 0; k < 12; k++) {
        char path[64];
        snprintf(path, sizeof path, "/correlation/%d/%s", 1 + k / 6, name[k % 6]);
        ck_assert_str_eq(d.array[k].path, path);
        ck_assert_int_eq(d.array[k].rank, k % 6 < 3 ? 1 : 2);
        ck_assert_int_eq(d.array[k].dim[0], k % 6 == 1 ? GB : GA);
        ck_assert_int_eq(d.array[k].type, k % 6 == 2 ? 'i' : 'd');
        if (k % 6 == 2)
            ck_assert_mem_eq(d.array[k].data, ((int64_t[]){5, 0, 2, 0}), 32);
        else if (k % 6 < 3)
            ck_assert_ptr_eq(d.array[k].data, k % 6 ? b[k / 6].f : a[k / 6].f);
        for (int i = 0; k % 6 > 2 && i < GA; i++)
            for (int j = 0; j < GB; j++)
                ck_assert(((const double *)d.array[k].data)[i * GB + j] ==
                          c[k / 6].table[k % 6 - 3].C.x[i + j * GA]);
        ck_assert(k % 6 < 3 || d.array[k].dim[1] == GB);
    }
    fb_datasets_free(&d);
    for (int m = 0; m < 2; m++) {
        fb_correlation_free(c + m);
        fb_shapes_free(a + m);
        fb_shapes_free(b + m);
    }
}
END_TEST

START_TEST(nco_is_mac_where_the_mass_is_one)
{
    fb_shapes a, b;
    fb_correlation c;
    make_modes(&a, 5, (uint64_t)_i, 1);
    make_modes(&b, 5, (uint64_t)_i + 1000, 1);
    compare(&a, &b, &published, &c);
    for (int64_t k = 0; k < 25; k++)
        ck_assert_double_eq_tol(c.table[FB_NCO].C.x[k], c.table[FB_MAC].C.x[k], 1e-14);
    fb_correlation_free(&c);
    fb_shapes_free(&a);
    fb_shapes_free(&b);
}
END_TEST

/* Modes permuted, scaled and turned over are found again. */
START_TEST(order_sign_and_scale_do_not_matter)
{
    static const int64_t to[6] = {3, 0, 5, 1, 4, 2};
    fb_shapes a, b;
    fb_correlation c;
    make_modes(&a, 6, (uint64_t)_i, 0);
    make_modes(&b, 6, (uint64_t)_i, 0);
    for (int64_t k = 0; k < 6; k++)
        for (int64_t d = 0; d < ND; d++)
            b.X.x[d + to[k] * ND] = (k % 2 ? -1 : 1) * (double)(k + 2) * a.X.x[d + k * ND];
    compare(&a, &b, &all, &c);
    ck_assert_int_eq(c.nswapped, 5); /* mode 5 keeps its place */
    ck_assert_int_eq(c.nmissing, 0);
    for (int64_t k = 0; k < 6; k++) {
        ck_assert_int_eq(c.pair[k], to[k]);
        for (int q = 0; q < FB_NCRITERION; q++)
            ck_assert_double_eq_tol(c.table[q].C.x[k + 6 * to[k]], 1, 1e-14);
    }
    ck_assert_double_eq_tol(c.table[FB_MAC].diagonal_min, 1, 1e-14);
    fb_correlation_free(&c);
    fb_shapes_free(&a);
    fb_shapes_free(&b);
}
END_TEST

/* Two modes of one root, turned by an angle: one space, no mismatch; as published they differ. */
START_TEST(repeated_roots_are_spaces)
{
    fb_shapes a, b;
    fb_correlation c;
    double angle = 0.3 + 0.2 * _i, cs = cos(angle), sn = sin(angle);
    make_modes(&a, 4, 5, 1);
    for (int64_t d = 0; d < ND; d++) { /* orthonormal pair in columns 1 and 2 */
        a.X.x[d + ND] = d % 2 ? 0 : a.X.x[d + ND];
        a.X.x[d + 2 * ND] = d % 2 ? a.X.x[d + 2 * ND] : 0;
    }
    for (int64_t k = 1; k <= 2; k++) {
        double norm = 0;
        for (int64_t d = 0; d < ND; d++)
            norm += a.X.x[d + k * ND] * a.X.x[d + k * ND];
        for (int64_t d = 0; d < ND; d++)
            a.X.x[d + k * ND] /= sqrt(norm);
    }
    a.f[2] = a.f[1] * (1 + 1e-9);
    for (int turn = 0; turn < 2; turn++) {
        make_modes(&b, 4, 5, 1);
        memcpy(b.X.x, a.X.x, sizeof(double) * 4 * ND);
        b.f[2] = b.f[1] = 2.1;
        for (int64_t d = 0; d < ND; d++) {
            b.X.x[d + ND] = cs * a.X.x[d + ND] + sn * a.X.x[d + 2 * ND];
            b.X.x[d + 2 * ND] = -sn * a.X.x[d + ND] + cs * a.X.x[d + 2 * ND];
        }
        compare(&a, &b, turn ? &all : &published, &c);
        ck_assert_int_eq(c.naligned, turn ? 2 : 0);
        ck_assert(!turn || (c.nswapped == 0 && c.pair[1] == 1 && c.pair[2] == 2));
        for (int64_t k = 1; k <= 2; k++)
            ck_assert_double_eq_tol(c.table[FB_NCO].C.x[k + 4 * c.pair[k]],
                                    turn ? 1 : fmax(cs * cs, sn * sn), 1e-12);
        fb_correlation_free(&c);
        fb_shapes_free(&b);
    }
    fb_shapes_free(&a);
}
END_TEST

/* The same of complex modes: two of one root on dofs of their own, mixed by a unitary matrix with
 * phases. `half`: the reference is real. */
START_TEST(complex_repeated_roots_are_spaces)
{
    const int half = _i % 2;
    const double angle = 0.3 + 0.2 * _i, cs = cos(angle), sn = sin(angle), c1 = cos(1.1 * _i),
                 s1 = sin(1.1 * _i);
    uint64_t seed = (uint64_t)_i + 5;
    fb_shapes a, b;
    fb_correlation c;
    fb_err e;
    make_modes(&a, 4, 5, 0);
    make_modes(&b, 4, 5, 0);
    ck_assert(half || fb_mat_new(&a.Xi, ND, 4, &e) == FB_OK);
    ck_assert_int_eq(fb_mat_new(&b.Xi, ND, 4, &e), FB_OK);
    a.f[2] = a.f[1];
    b.f[2] = b.f[1] = 2.1;
    for (int64_t d = 0; d < ND; d++) {
        a.X.x[d + ND] *= d % 2;
        a.X.x[d + 2 * ND] *= !(d % 2);
        for (int64_t k = 0; !half && k < 4; k++)
            a.Xi.x[d + k * ND] = k == 1   ? d % 2 * random_real(&seed)
                                 : k == 2 ? !(d % 2) * random_real(&seed)
                                          : 0;
    }
    double length[2] = {0};
    for (int64_t d = 0; d < 2 * ND; d++) {
        const double x = a.X.x[ND + d], y = half ? 0 : a.Xi.x[ND + d];
        length[d / ND] += a.M.x[d % ND] * (x * x + y * y);
    }
    for (int64_t d = 0; d < ND; d++) {
        const double p = sqrt(length[0]), q = sqrt(length[1]);
        const double x1 = a.X.x[d + ND] / p, y1 = half ? 0 : a.Xi.x[d + ND] / p;
        const double x2 = a.X.x[d + 2 * ND] / q, y2 = half ? 0 : a.Xi.x[d + 2 * ND] / q;
        b.X.x[d + ND] = cs * x1 + sn * (c1 * x2 - s1 * y2); /* b1 = cs a1 + sn e^it a2 */
        b.Xi.x[d + ND] = cs * y1 + sn * (c1 * y2 + s1 * x2);
        b.X.x[d + 2 * ND] = -sn * (c1 * x1 + s1 * y1) + cs * x2; /* b2 = -sn e^-it a1 + cs a2 */
        b.Xi.x[d + 2 * ND] = -sn * (c1 * y1 - s1 * x1) + cs * y2;
    }
    compare(&a, &b, &all, &c);
    ck_assert_int_eq(c.naligned, 2);
    for (int64_t k = 1; k <= 2; k++)
        for (int q = 0; q < 2; q++) {
            const double is = c.table[q ? FB_NCO : FB_MAC].C.x[k + 4 * c.pair[k]];
            ck_assert_msg(fabs(is - 1) < 1e-12, "%s of mode %d: %.15g", q ? "NCO" : "MAC",
                          (int)k + 1, is);
        }
    fb_correlation_free(&c);
    fb_shapes_free(&a);
    fb_shapes_free(&b);
}
END_TEST

static double best_sum(const fb_mat *S, int64_t row, unsigned used)
{
    double best = -INFINITY;
    if (row == S->m)
        return 0;
    for (int64_t j = 0; j < S->n; j++)
        if (!(used >> j & 1))
            best = fmax(best, S->x[row + j * S->m] + best_sum(S, row + 1, used | 1u << j));
    return best;
}

START_TEST(the_assignment_is_the_best_of_all)
{
    fb_mat S = {0};
    fb_err e = {0};
    uint64_t r = (uint64_t)_i;
    int64_t pair[6];
    ck_assert_int_eq(fb_mat_new(&S, 5, 6, &e), FB_OK);
    for (int k = 0; k < 30; k++)
        S.x[k] = fabs(random_real(&r));
    ck_assert_int_eq(fb_assign(&S, pair, &e), FB_OK);
    double sum = 0;
    unsigned used = 0;
    for (int i = 0; i < 5; i++) {
        ck_assert(!(used >> pair[i] & 1));
        used |= 1u << pair[i];
        sum += S.x[i + 5 * pair[i]];
    }
    ck_assert_double_eq_tol(sum, best_sum(&S, 0, 0), 1e-12); /* against all 720 of them */
    fb_mat_free(&S);
}
END_TEST

START_TEST(more_rows_than_columns_leave_some_without)
{
    fb_mat S = {0};
    fb_err e = {0};
    int64_t pair[3];
    ck_assert_int_eq(fb_mat_new(&S, 3, 2, &e), FB_OK);
    memcpy(S.x, (double[]){0.1, 0.9, 0.2, 0.8, 0.3, 0.1}, 6 * sizeof(double));
    ck_assert_int_eq(fb_assign(&S, pair, &e), FB_OK);
    ck_assert_int_eq(pair[0], 1);
    ck_assert_int_eq(pair[1], 0);
    ck_assert_int_eq(pair[2], -1);
    fb_mat_free(&S);
}
END_TEST

START_TEST(dofs_are_matched)
{
    fb_shapes a, b;
    fb_err e = {0};
    fb_matching how = {0};
    fb_log log = {0};
    int64_t left[2];
    make_modes(&a, 3, 1, 0);
    make_modes(&b, 3, 1, 0);
    for (int64_t d = 0; d < ND; d++)
        b.node[d] += 4; /* nodes 5..14: six of ten in common */
    ck_assert_int_eq(fb_shapes_match(&a, &b, &how, left, &log, &e), FB_OK);
    ck_assert_int_eq(a.nd, 24);
    ck_assert_int_eq(left[0], 16);
    ck_assert_int_eq(left[1], 16);
    ck_assert_int_eq(a.node[0], 5);
    ck_assert_int_eq(b.node[0], 5);
    ck_assert_int_eq(a.M.n, 24);
    fb_shapes_free(&a);
    fb_shapes_free(&b);
    make_modes(&a, 3, 1, 0);
    make_modes(&b, 3, 1, 0);
    for (int64_t d = 0; d < ND;
         d++) { /* renumbered from behind and moved a little: found by position */
        b.node[d] = 1000 - b.node[d];
        b.xyz[3 * d + 1] = 0.01;
    }
    ck_assert_int_eq(fb_shapes_match(&a, &b, &how, left, &log, &e), FB_EFORMAT);
    ck_assert_ptr_nonnull(strstr(e.msg, "no dof in common"));
    how.tolerance = 0.02;
    ck_assert_int_eq(fb_shapes_match(&a, &b, &how, left, &log, &e), FB_OK);
    ck_assert_int_eq(a.nd, ND);
    for (int64_t d = 0; d < ND; d++)
        ck_assert_int_eq(b.node[d], 1000 - a.node[d]);
    fb_shapes_free(&a);
    fb_shapes_free(&b);
    make_modes(&a, 3, 1, 0);
    make_modes(&b, 3, 1, 0);
    ck_assert_int_eq(log.nwarning, 1); /* the first pair: one number, four nodes apart */
    ck_assert_ptr_nonnull(strstr(log.warning[0], "lie up to"));
    fb_log_free(&log);
    how = (fb_matching){.dofs = "2-3:12"};
    ck_assert_int_eq(fb_shapes_match(&a, &b, &how, left, &log, &e), FB_OK);
    ck_assert_int_eq(a.nd, 4);
    fb_shapes_free(&a);
    fb_shapes_free(&b);
}
END_TEST

/* Labels that stand for several dofs each, as those of expanded beams: the k-th is the k-th of a
 * second model with its dofs in another order of labels; where one has more of them they are left
 * out. */
START_TEST(labels_of_several_dofs)
{
    fb_shapes a, b;
    fb_err e = {0};
    fb_matching how = {0};
    fb_log log = {0};
    int64_t left[2];
    make_modes(&a, 3, 1, 0);
    make_modes(&b, 3, 2, 0);
    for (int64_t d = 0; d < ND; d++) { /* node 1 has four of each component, node 2 the rest */
        a.node[d] = d < 16 ? 1 : 2;
        b.node[d] = d < 24 - 4 * _i ? 2 : 1;
    }
    ck_assert_int_eq(fb_shapes_match(&a, &b, &how, left, &log, &e), _i ? FB_EFORMAT : FB_OK);
    if (!_i) {
        ck_assert(a.nd == ND && !left[0] && !left[1]);
        for (int64_t d = 0; d < ND; d++) {
            const int64_t from = d < 16 ? d + 24 : d - 16;
            fb_shapes was;
            make_modes(&was, 3, 2, 0);
            for (int64_t k = 0; k < 3; k++)
                ck_assert(b.X.x[d + k * ND] == was.X.x[from + k * ND]);
            fb_shapes_free(&was);
        }
    }
    fb_shapes_free(&a);
    fb_shapes_free(&b);
    fb_log_free(&log);
}
END_TEST

/* Nodes at 0, 1, ..., 9; of the second model at 0.1, 0.3, 2.2, 2.2, ... : a node has one partner,
 * the nearest. */
START_TEST(a_node_has_one_partner_at_the_most)
{
    fb_shapes a, b;
    fb_err e = {0};
    fb_matching how = {.tolerance = 0.5};
    fb_log log = {0};
    int64_t left[2];
    make_modes(&a, 3, 1, 0);
    make_modes(&b, 3, 2, 0);
    for (int64_t d = 0; d < ND; d++) {
        static const double at[10] = {0.3, 0.1, 2.2, 2.2, 3.6, 40, 41, 42, 43, NAN};
        b.xyz[3 * d] = at[d / 4];
        b.node[d] = d / 4 == 2 ? 33 : d / 4 == 3 ? 3 : 20 + d / 4;
    }
    ck_assert_int_eq(fb_shapes_match(&a, &b, &how, left, &log, &e), FB_OK);
    ck_assert_int_eq(a.nd, 12);
    ck_assert_int_eq(left[0], ND - 12);
    ck_assert_int_eq(left[1], ND - 12);
    static const int64_t first[3] = {1, 3, 5},
                         second[3] = {21, 3, 24}; /* of two at 2.2 the one of the same number */
    for (int64_t d = 0; d < 12; d++) {
        ck_assert_int_eq(a.node[d], first[d / 4]);
        ck_assert_int_eq(b.node[d], second[d / 4]);
        ck_assert_int_eq(b.component[d], a.component[d]);
    }
    fb_shapes_free(&a);
    fb_shapes_free(&b);
    make_modes(&a, 3, 1, 0); /* two nodes of the first model near one of the second */
    make_modes(&b, 3, 2, 0);
    for (int64_t d = 0; d < ND; d++)
        b.xyz[3 * d] = 10.0 * (double)(d / 4) + 0.4;
    how.tolerance = 1;
    ck_assert_int_eq(fb_shapes_match(&a, &b, &how, left, &log, &e), FB_OK);
    ck_assert_int_eq(a.nd, 4);
    for (int d = 0; d < 4; d++)
        ck_assert_int_eq(a.node[d], 1);
    ck_assert_int_eq(left[1], ND - 4);
    fb_shapes_free(&a);
    fb_shapes_free(&b);
    fb_log_free(&log);
}
END_TEST

/* The mass of another file, in t and mm where the shapes are in kg and m, its dofs in another
 * order, node 1 not among them: 1 t is 1e3 kg and 1 t mm^2 is 1e-3 kg m^2, so that translations
 * 1..3 count 1e6 times beside rotations, and modal masses are in kg. By label, and by position. */
START_TEST(a_mass_of_its_own)
{
    fb_shapes a, b, w;
    fb_err e = {0};
    fb_matching how = {.weight = &w};
    fb_log log = {0};
    fb_correlation c;
    int64_t left[2];
    double mass[ND];
    make_modes(&a, 4, 1, 0);
    make_modes(&b, 5, 2, 0);
    make_modes(&w, 1, 3, 0);
    a.length = b.length = a.weighs = b.weighs = 1;
    w.length = 1e-3;
    w.weighs = 1e3;
    for (int64_t d = 0; d < ND; d++) {
        w.node[d] = d < 4 ? 99 : 11 - d / 4; /* 10, 9, ..., 2 */
        w.M.x[d] = 1 + (double)d;
    }
    for (int64_t d = 0; d < ND; d++) { /* node k at k - 1, in mm */
        w.xyz[3 * d] = 1000 * (double)(w.node[d] - 1);
        w.node[d] += _i ? 500 : 0;
    }
    how.tolerance = _i ? 1e-9 : 0;
    for (int64_t d = 4; d < ND; d++) {
        const int64_t from = 4 * (10 - d / 4) + d % 4; /* its place in w: 1 + d/4 = 11 - from/4 */
        ck_assert_int_eq(w.node[from], a.node[d] + (_i ? 500 : 0));
        mass[d] = (1 + (double)from) * (a.component[d] <= 3 ? 1e3 : 1e-3);
    }
    ck_assert_int_eq(fb_shapes_match(&a, &b, &how, left, &log, &e), FB_OK);
    ck_assert_int_eq(a.nd, ND - 4);
    ck_assert_int_eq(left[0], 4);
    compare(&a, &b, &published, &c);
    for (int64_t i = 0; i < 4; i++)
        for (int64_t j = 0; j < 5; j++) {
            double xy = 0, xx = 0, yy = 0, most = 0;
            for (int64_t k = 0; k < a.nd; k++) {
                most = fmax(most, a.component[k] <= 3 ? pow(a.X.x[k + i * a.nd], 2) : 0);
                const double m = mass[4 * (a.node[k] - 1) + a.component[k] - 1];
                xy += m * a.X.x[k + i * a.nd] * b.X.x[k + j * a.nd];
                xx += m * pow(a.X.x[k + i * a.nd], 2);
                yy += m * pow(b.X.x[k + j * a.nd], 2);
            }
            ck_assert_double_eq_tol(c.table[FB_NCO].C.x[i + 4 * j], xy * xy / (xx * yy), 1e-13);
            ck_assert_double_eq_tol(c.mass[i] / (xx / most), 1, 1e-13);
        }
    fb_correlation_free(&c);
    fb_shapes_free(&a);
    fb_shapes_free(&b);
    fb_shapes_free(&w);
    fb_log_free(&log);
}
END_TEST

/* Orthogonal shapes: modes 1 and 3 are there, 2 is another one. Below the threshold there is no
 * pair. */
START_TEST(what_shares_nothing_is_no_pair)
{
    const fb_correlate_opts o = {.want = {1, 1, 1}, .partner = 0.1};
    fb_shapes a, b;
    fb_correlation c;
    make_modes(&a, 3, 1, 1);
    make_modes(&b, 3, 1, 1);
    memset(a.X.x, 0, sizeof(double) * 3 * ND);
    memset(b.X.x, 0, sizeof(double) * 3 * ND);
    for (int64_t k = 0; k < 3; k++) {
        a.X.x[k + k * ND] = 1;
        b.X.x[(k == 1 ? 7 : k) + k * ND] = 1;
    }
    b.X.x[1 + ND] = 0.25; /* NCO with mode 2: 1/17 */
    compare(&a, &b, &o, &c);
    ck_assert_int_eq(c.pair[0], 0);
    ck_assert_int_eq(c.pair[1], -1);
    ck_assert_int_eq(c.pair[2], 2);
    ck_assert_int_eq(c.nmissing, 1);
    ck_assert_int_eq(c.nswapped, 0);
    ck_assert_double_eq(c.table[FB_MAC].diagonal_min, 0);
    ck_assert_double_eq_tol(c.table[FB_MAC].diagonal_mean, 2.0 / 3, 1e-15);
    ck_assert_int_eq(c.table[FB_MAC].first_below, 2);
    fb_correlation_free(&c);
    b.X.x[1 + ND] = 0.5; /* 1/5 */
    compare(&a, &b, &o, &c);
    ck_assert_int_eq(c.pair[1], 1);
    ck_assert_double_eq_tol(c.table[FB_NCO].diagonal_min, 0.2, 1e-15);
    fb_correlation_free(&c);
    fb_shapes_free(&a);
    fb_shapes_free(&b);
}
END_TEST

START_TEST(modes_without_motion_and_masses_below_zero)
{
    fb_shapes a, b;
    fb_correlation c;
    fb_err e = {0};
    make_modes(&a, 3, 1, 0);
    make_modes(&b, 3, 1, 0);
    memset(b.X.x + ND, 0, sizeof(double) * ND);
    compare(&a, &b, &all, &c);
    ck_assert_int_eq(c.nstill[0], 0);
    ck_assert_int_eq(c.nstill[1], 1);
    ck_assert_int_eq(c.pair[1], -1);
    for (int64_t i = 0; i < 3; i++)
        ck_assert_double_eq(c.table[FB_MAC].C.x[i + 3], 0);
    fb_correlation_free(&c);
    for (int64_t d = 0; d < ND; d++)
        a.M.x[d] = -a.M.x[d];
    ck_assert_int_eq(fb_correlate(&a, &b, &all, &c, &e), FB_EFORMAT);
    ck_assert_ptr_nonnull(strstr(e.msg, "phi'M phi is -"));
    fb_shapes_free(&a);
    fb_shapes_free(&b);
}
END_TEST

/* Modes that are all imaginary, as tests give them: the page draws them as their real twins. */
START_TEST(imaginary_shapes_are_drawn)
{
    char *drawn[2];
    for (int imaginary = 0; imaginary < 2; imaginary++) {
        fb_shapes a, b, mesh = {0};
        fb_correlation c;
        fb_page_state p = {.nmodel = 1};
        fb_buf o = {0};
        fb_err e = {0};
        make_modes(&a, 3, 1, 0);
        make_modes(&b, 3, 1, 0);
        if (imaginary) {
            b.Xi = b.X;
            ck_assert_int_eq(fb_mat_new(&b.X, ND, 3, &e), FB_OK);
        }
        compare(&a, &b, &all, &c);
        ck_assert_int_eq(fb_page_model(&p, &mesh, &a, &b, &c, (const int64_t[2]){0, 0}, &o, &e),
                         FB_OK);
        fb_put_bytes(&o, "", 1);
        drawn[imaginary] = strdup(strstr((char *)o.data, "\"model_shapes\""));
        free(p.node);
        fb_buf_free(&o);
        fb_correlation_free(&c);
        fb_shapes_free(&a);
        fb_shapes_free(&b);
    }
    ck_assert_ptr_nonnull(strstr(drawn[0], "\"most\":"));
    ck_assert_str_eq(drawn[0], drawn[1]);
    free(drawn[0]);
    free(drawn[1]);
}
END_TEST

/* A slave of a frame, which has no dof, follows what moves it: it moves along z by 1000 times what
 * node 1 does along x; where a dof is left out, nothing tells how it would move. */
START_TEST(slaves_of_frames_are_drawn)
{
    for (int left_out = 0; left_out < 2; left_out++) {
        fb_shapes a, b, mesh;
        fb_correlation c;
        fb_page_state p = {.nmodel = 1};
        fb_buf o = {0};
        fb_err e = {0};
        make_modes(&a, 3, 1, 0);
        make_modes(&b, 3, 1, 0);
        make_modes(&mesh, 3, 1, 0);
        fb_followers *f = &mesh.follow;
        const int64_t slave = 1 + a.node[ND - 1];
        const double place[3] = {7, 7, 7};
        ck_assert_int_eq(fb_csc_new(&f->G, 1, ND, 1, 0, &e), FB_OK);
        f->G.x[0] = 1000;
        for (int64_t k = 1; k <= ND; k++)
            f->G.p[k] = 1;
        f->n = 1;
        ck_assert_int_eq(fb_copy(&f->node, &slave, 1, 8, "node", &e), FB_OK);
        ck_assert_int_eq(fb_copy(&f->component, &(int64_t){3}, 1, 8, "component", &e), FB_OK);
        ck_assert_int_eq(fb_copy(&f->xyz, place, 3, 8, "place", &e), FB_OK);
        mesh.component[0] += left_out;
        compare(&a, &b, &all, &c);
        ck_assert_int_eq(fb_page_model(&p, &mesh, &a, &b, &c, (const int64_t[2]){0, 0}, &o, &e),
                         FB_OK);
        fb_put_bytes(&o, "", 1);
        ck_assert_int_eq(p.node[p.nn - 1] == slave, !left_out);
        const char *most = strstr(strstr((char *)o.data, "\"shapes\""), "\"most\":");
        ck_assert_ptr_nonnull(most);
        if (!left_out) /* the page has single precision */
            ck_assert_double_eq_tol(atof(most + 7) / (1000 * fabs(a.X.x[0])), 1, 1e-5);
        else
            ck_assert_double_lt(atof(most + 7), 10);
        free(p.node);
        fb_buf_free(&o);
        fb_correlation_free(&c);
        fb_shapes_free(&a);
        fb_shapes_free(&b);
        fb_shapes_free(&mesh);
    }
}
END_TEST

/* A shaft along x that turns: its translations are round-off, and no modal mass comes of them. With
 * a translation that a picture would show there is one. */
START_TEST(what_turns_alone_has_no_modal_mass)
{
    fb_shapes a, b;
    fb_correlation c;
    make_modes(&a, 2, 1, 0);
    make_modes(&b, 2, 1, 0);
    for (int64_t d = 0; d < ND; d++) /* 9 long, turned by up to 1 rad */
        a.X.x[d] = a.component[d] <= 3 ? 1e-16 * a.X.x[d] : (double)d / ND;
    for (int64_t d = 0; d < ND; d++)
        a.X.x[d + ND] = a.component[d] == 3 ? 1e-4 : a.X.x[d];
    compare(&a, &b, &all, &c);
    ck_assert(c.mass[0] == 0);
    ck_assert_double_eq_tol(c.mass[1] / modal_mass(&a, 1, a.M.x), 1, 1e-14);
    fb_correlation_free(&c);
    fb_shapes_free(&a);
    fb_shapes_free(&b);
}
END_TEST

/* A coordinate that is no displacement of a dof: the masses are those of the nodes. One that is:
 * the reduced mass over it. */
START_TEST(masses_of_a_reduced_body)
{
    static const char *const mine[] = {"/nodes", "/dofs", "/reduced", NULL};
    char path[] = "/tmp/flexbody-test-XXXXXX";
    fb_model b;
    fb_shapes s = {0};
    fb_err e = {0};
    fb_run r = {.out = path, .line = "test"};
    close(mkstemp(path));
    make_held(&b, 5, 1, 3);
    b.node_inertia[9 + 1] = b.node_inertia[9 + 3] = 0.25; /* of node 2, about x and y */
    if (_i)
        for (int64_t d = 0; d < b.ndof; d++)
            b.T[d] = d == 8 ? 1 : b.T[d] / 2;
    ck_assert_msg(fb_publish(&r, NULL, &b, mine, NULL, &e) == FB_OK, "%s", e.msg);
    ck_assert_msg(fb_mass_load(path, &s, &e) == FB_OK, "%s", e.msg);
    unlink(path);
    ck_assert_int_eq(s.nd, _i ? 1 : b.ndof);
    if (_i) {
        ck_assert(s.node[0] == b.dof_node[8] && s.component[0] == 3);
        ck_assert_double_eq_tol(s.M.x[0], b.Mr[0], 1e-14);
    }
    for (int64_t d = 0; !_i && d < b.ndof; d++)
        for (int64_t q = s.M.p[d]; q < s.M.p[d + 1]; q++) {
            const int64_t p = d / 6, row = s.M.i[q];
            ck_assert_int_eq(row / 6, p);
            ck_assert_double_eq_tol(
                s.M.x[q],
                d % 6 < 3 ? b.node_mass[p] : b.node_inertia[9 * p + 3 * (row % 6 - 3) + d % 6 - 3],
                1e-14);
        }
    ck_assert_int_eq(_i ? b.ndof : s.M.p[b.ndof] - 1, b.ndof); /* the one beside the diagonal */
    fb_shapes_free(&s);
    fb_log_free(&r.log);
    fb_model_free(&b);
}
END_TEST

START_TEST(names_are_text)
{
    static const char *const name[][2] = {
        {"/tmp/a.h5", "a.h5"},
        {"r\xc3\xa4hm \xff\x01.h5", "r\xc3\xa4hm ??.h5"},
        {"\xed\xa0\x80\xc0\xaf", "?????"}, /* a surrogate, an overlong slash */
        {"123456789012345678901234567890123456789012345678901234567890123",
         "123456789012345678901234567890123456789012345678901234567890123"},
        {"1234567890123456789012345678901234567890123456789012345678901234",
         "12345678901234567890123456789012345678901234567890123456789012~"},
        {"1234567890123456789012345678901234567890123456789012345678901\xc3\xa4\xc3\xa4",
         "1234567890123456789012345678901234567890123456789012345678901~"},
    };
    for (size_t k = 0; k < sizeof name / sizeof name[0]; k++) {
        fb_shapes s = {0};
        fb_shapes_name(&s, name[k][0]);
        ck_assert_str_eq(s.name, name[k][1]);
    }
}
END_TEST

/* Negative roots stand before the rigid modes of a free body: mode 1 is elastic, and counts. By the
 * definitions of the means: of 4 modes the elastic 1 and 4; only mode 4 has a partner, of share 1,
 * so that the mean is 1/2, and mode 1 is the first below 0.9. */
START_TEST(rigid_modes_need_not_be_the_first)
{
    fb_shapes a, b;
    fb_correlation c;
    make_modes(&a, 4, 1, 1);
    make_modes(&b, 4, 1, 1);
    const double f[] = {-8, 0, 0, 30};
    for (int64_t k = 0; k < 4 * ND; k++)
        a.X.x[k] = b.X.x[k] = k % ND == k / ND;
    b.X.x[0] = 0;
    b.X.x[7] = 1;
    for (int64_t k = 0; k < 4; k++) {
        a.f[k] = b.f[k] = f[k];
        a.rigid[k] = b.rigid[k] = k == 1 || k == 2;
    }
    a.nrigid = b.nrigid = 2;
    compare(&a, &b, &all, &c);
    ck_assert_int_eq(c.pair[0], -1);
    ck_assert_int_eq(c.pair[3], 3);
    ck_assert_int_eq(c.nmissing, 1);
    ck_assert_int_eq(c.table[FB_MAC].first_below, 1);
    ck_assert_double_eq_tol(c.table[FB_MAC].diagonal_mean, 0.5, 1e-15);
    fb_correlation_free(&c);
    fb_shapes_free(&a);
    fb_shapes_free(&b);
}
END_TEST

START_TEST(without_a_mass_there_is_only_mac)
{
    fb_shapes a, b;
    fb_correlation c;
    fb_err e = {0};
    const fb_correlate_opts mac = {.want = {1}};
    make_modes(&a, 3, 1, 0);
    make_modes(&b, 3, 2, 0);
    fb_csc_free(&a.M);
    ck_assert_int_eq(fb_correlate(&a, &b, &all, &c, &e), FB_EFORMAT);
    ck_assert_ptr_nonnull(strstr(e.msg, "has no mass matrix"));
    ck_assert_int_eq(fb_correlate(&a, &b, &mac, &c, &e), FB_OK);
    fb_correlation_free(&c);
    fb_shapes_free(&a);
    fb_shapes_free(&b);
}
END_TEST

START_TEST(every_allocation_may_fail)
{
    fb_shapes a, b;
    fb_correlation c = {0};
    fb_err e = {0};
    fb_status s;
    long fails;
    make_modes(&a, 4, 1, 0);
    make_modes(&b, 4, 2, 0);
    a.f[1] = a.f[0];
    b.f[1] = b.f[0];
    EVERY_ALLOCATION_FAILS_ONCE(s, fails, s = fb_correlate(&a, &b, &all, &c, &e));
    ck_assert_int_gt(fails, 20);
    fb_correlation_free(&c);
    fb_shapes_free(&a);
    fb_shapes_free(&b);
}
END_TEST

/* 100 x 100 entries: below a megabyte, one path a colour, text escaped. */
START_TEST(the_picture_is_small)
{
    fb_shapes a, b;
    fb_correlation c;
    fb_buf o = {0};
    make_modes(&a, 100, 1, 0);
    make_modes(&b, 100, 2, 0);
    snprintf(b.name, sizeof b.name, "<b & c>");
    compare(&a, &b, &published, &c);
    fb_report_svg(&a, &b, &c, 1, &o);
    fb_put_bytes(&o, "", 1);
    ck_assert_int_lt(o.size, 1000000);
    ck_assert_ptr_null(strstr((char *)o.data, "<b &"));
    ck_assert_ptr_nonnull(strstr((char *)o.data, "&#60;b &#38; c&#62;"));
    fb_buf_free(&o);
    fb_correlation_free(&c);
    fb_shapes_free(&a);
    fb_shapes_free(&b);
}
END_TEST

static int64_t count(const char *p, const char *word)
{
    int64_t n = 0;
    for (; (p = strstr(p, word)) != NULL; p++)
        n++;
    return n;
}

/* Up to 24 modes a side each entry that is not 0.00 has its value; a mode against itself 1, once a
 * row. Rigid modes are called so, on both sides, and have no frequency. */
START_TEST(few_cells_show_their_values)
{
    for (int64_t n = 24; n <= 25; n++) {
        fb_shapes a, b;
        fb_correlation c;
        fb_buf o = {0};
        int64_t shown = 0;
        make_modes(&a, n, 1, 0);
        make_modes(&b, n, 1, 0);
        a.rigid[0] = b.rigid[0] = 1;
        a.nrigid = b.nrigid = 1;
        a.f[0] = b.f[0] = 1.25e-5;
        compare(&a, &b, &all, &c);
        for (int64_t k = 0; k < n * n; k++)
            shown += c.table[FB_MAC].C.x[k] >= 0.005;
        fb_report_panel(&a, &b, &c, FB_MAC, &o);
        fb_put_bytes(&o, "", 1);
        const char *t = (char *)o.data;
        ck_assert_int_eq(count(t, ">1: rigid<"), 2);
        ck_assert_int_eq(count(t, "e-05"), 0);
        /* a label a mode of each side, two names, the criterion, six ticks of the legend */
        ck_assert_int_eq(count(t, "<text"), (n == 24 ? shown : 0) + 2 * n + 9);
        ck_assert_int_eq(count(t, ">1</text>"), (n == 24 ? n : 0) + 1);
        fb_buf_free(&o);
        fb_correlation_free(&c);
        fb_shapes_free(&a);
        fb_shapes_free(&b);
    }
}
END_TEST

/* What is written in the picture stands in it, and below or left of the panel that it is of. */
START_TEST(the_picture_has_its_words_in_place)
{
    fb_shapes a, b;
    fb_correlation c;
    fb_buf o = {0};
    double x, y, w, h, width, height, panel[4] = {0};
    int bold = 0;
    make_modes(&a, 6, 1, 0);
    make_modes(&b, 9, 2, 0);
    compare(&a, &b, &all, &c);
    fb_report_svg(&a, &b, &c, 1, &o);
    fb_put_bytes(&o, "", 1);
    ck_assert_int_eq(
        sscanf(strstr((char *)o.data, " width="), " width=\"%lf\" height=\"%lf\"", &width, &height),
        2);
    for (const char *p = (char *)o.data; (p = strchr(p, '<')) != NULL; p++) {
        if (sscanf(p, "<rect x=\"%lf\" y=\"%lf\" width=\"%lf\" height=\"%lf\" fill=\"#fff\"", &x,
                   &y, &w, &h) == 4)
            memcpy(panel, (double[4]){x, y, w, h}, sizeof panel);
        if (sscanf(p, "<text x=\"%lf\" y=\"%lf\"", &x, &y) != 2)
            continue;
        ck_assert_msg(x > 0 && x < width && y > 0 && y < height, "%.60s", p);
        if (strncmp(strchr(p, '>') - 6, "\"bold\"", 6))
            continue;
        ck_assert_double_eq_tol(x, panel[0] + panel[2] / 2, 0.1);
        ck_assert_msg(y > panel[1] + panel[3] && y < panel[1] + panel[3] + 30, "%.60s", p);
        bold++;
    }
    ck_assert_int_eq(bold, 3); /* MAC, NCO, CO */
    double first = 0;          /* the colours stand side by side in their frame */
    int colours = 0;
    for (const char *p = (char *)o.data; (p = strstr(p, "<rect x=")) != NULL; p++) {
        int end = -1;
        sscanf(p, "<rect x=\"%lf\" y=\"%lf\" width=\"%lf\" height=\"10\"%n", &x, &y, &w, &end);
        if (end < 0)
            continue;
        first = colours ? first : x;
        ck_assert_double_eq_tol(x, colours < 20 ? first + 12 * colours : first, 1e-9);
        ck_assert_double_eq(w, colours < 20 ? 12 : 240);
        colours++;
    }
    ck_assert_int_eq(colours, 21);
    fb_buf_free(&o);
    fb_correlation_free(&c);
    fb_shapes_free(&a);
    fb_shapes_free(&b);
}
END_TEST

/* Shapes whose squares leave the range of double come at size 1; the others as they are. */
START_TEST(shapes_of_any_size_are_read)
{
    static const double size[4] = {1e150, 1e-150, 1e90, 3};
    static const char *const mine[] = {"/nodes", "/dofs", "/modes", NULL};
    char path[] = "/tmp/flexbody-test-XXXXXX";
    fb_model b;
    fb_shapes s = {0};
    fb_log log = {0};
    fb_err e = {0};
    fb_run r = {.out = path, .line = "test"};
    close(mkstemp(path));
    make_body(&b, 5, 10, 3);
    for (int64_t k = 0; k < b.nm * b.ndof; k++)
        b.shape[k] *= size[k / b.ndof % 4];
    ck_assert_msg(fb_publish(&r, NULL, &b, mine, NULL, &e) == FB_OK, "%s", e.msg);
    ck_assert_msg(fb_shapes_load(path, 10, &s, &log, &e) == FB_OK, "%s", e.msg);
    unlink(path);
    ck_assert_int_eq(s.nd, b.ndof);
    for (int64_t k = 0; k < 10; k++) {
        double most = 0, was = 0;
        for (int64_t d = 0; d < s.nd; d++) {
            most = fmax(most, fabs(s.X.x[d + k * s.nd]));
            was = fmax(was, fabs(b.shape[d + k * b.ndof]));
        }
        ck_assert_double_eq_tol(most / (k % 4 < 2 ? 1 : was), 1, 1e-14);
    }
    fb_log_free(&log);
    fb_shapes_free(&s);
    fb_model_free(&b);
}
END_TEST

Suite *suite_correlate(void)
{
    Suite *s = suite_create("correlate");
    TCase *t = tcase_create("laws");
    tcase_add_loop_test(t, by_definition, 0, 4);
    tcase_add_loop_test(t, criteria_of_oblique_models, 0, 3);
    tcase_add_loop_test(t, statistics_as_published, 0, 3);
    tcase_add_test(t, reports_for_programs);
    tcase_add_test(t, report_for_people);
    tcase_add_test(t, reports_as_datasets);
    tcase_add_loop_test(t, nco_is_mac_where_the_mass_is_one, 0, 4);
    tcase_add_loop_test(t, order_sign_and_scale_do_not_matter, 0, 4);
    tcase_add_loop_test(t, repeated_roots_are_spaces, 0, 6);
    tcase_add_loop_test(t, complex_repeated_roots_are_spaces, 0, 6);
    tcase_add_loop_test(t, the_assignment_is_the_best_of_all, 0, 20);
    tcase_add_test(t, more_rows_than_columns_leave_some_without);
    tcase_add_test(t, dofs_are_matched);
    tcase_add_loop_test(t, labels_of_several_dofs, 0, 2);
    tcase_add_test(t, a_node_has_one_partner_at_the_most);
    tcase_add_loop_test(t, a_mass_of_its_own, 0, 2);
    tcase_add_test(t, what_shares_nothing_is_no_pair);
    tcase_add_test(t, modes_without_motion_and_masses_below_zero);
    tcase_add_test(t, imaginary_shapes_are_drawn);
    tcase_add_test(t, slaves_of_frames_are_drawn);
    tcase_add_test(t, what_turns_alone_has_no_modal_mass);
    tcase_add_loop_test(t, masses_of_a_reduced_body, 0, 2);
    tcase_add_test(t, names_are_text);
    tcase_add_test(t, rigid_modes_need_not_be_the_first);
    tcase_add_test(t, without_a_mass_there_is_only_mac);
    tcase_add_test(t, every_allocation_may_fail);
    tcase_add_test(t, the_picture_is_small);
    tcase_add_test(t, few_cells_show_their_values);
    tcase_add_test(t, the_picture_has_its_words_in_place);
    tcase_add_test(t, shapes_of_any_size_are_read);
    suite_add_tcase(s, t);
    return s;
}
