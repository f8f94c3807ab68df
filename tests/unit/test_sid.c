/* SPDX-License-Identifier: GPL-3.0-or-later */
/* test_sid.c - SID files: a reader of its own, the identities between the blocks on files of the
 * project and on published ones of two dialects, the numbers against the body. */
#include "export/writer.h"
#include "tests/model/generic.h"
#include "tests/model/reduced.h"
#include "tests/suites.h"
#include <math.h>

enum { NQ = 16, MAXBLOCK = 64 };

typedef struct { /* m0(i,j), m1(i,k,j); 1-based as in the file */
    char name[20];
    int order, nrow, ncol, structure;
    double m0[NQ + 7][3 * NQ + 1], m1[NQ + 7][NQ + 1][3 * NQ + 1];
} block;

typedef struct {
    int nodes, nq, n, blocked_gr, blocked_ge;
    double mass;
    block *b;
} sid;

static double number(const char *p)
{
    char text[40];
    snprintf(text, sizeof text, "%.30s", p);
    for (char *q = text; *q; q++)
        if (*q == 'D')
            *q = 'E';
    return strtod(text, NULL);
}

static void read_sid(const char *text, sid *t)
{
    *t = (sid){0};
    t->b = calloc(MAXBLOCK, sizeof *t->b);
    block *at = NULL;
    ck_assert_int_eq(sscanf(text, "%d %d", &t->nodes, &t->nq), 2);
    for (const char *p = strchr(text, '\n'); p && p[1]; p = strchr(p + 1, '\n')) {
        char line[600], key[40] = "";
        size_t n = strcspn(p + 1, "\n");
        ck_assert_uint_lt(n, sizeof line);
        memcpy(line, p + 1, n);
        line[n] = 0;
        char *eq = strchr(line, '=');
        int i, j, k;
        sscanf(line, " %30[A-Za-z0-9]", key);
        ck_assert_int_lt((int)strlen(line), 512);
        if (!eq && strlen(key) && strcmp(key, "part") && strcmp(key, "end") &&
            strcmp(key, "refmod") && strcmp(key, "frame") && strcmp(key, "new")) {
            at = t->b + t->n++;
            ck_assert_int_lt(t->n, MAXBLOCK);
            snprintf(at->name, sizeof at->name, "%.19s", key);
        } else if (eq && !strcmp(key, "mass")) {
            t->mass = number(eq + 1);
        } else if (eq && at) {
            int *field = !strcmp(key, "order")       ? &at->order
                         : !strcmp(key, "nrow")      ? &at->nrow
                         : !strcmp(key, "ncol")      ? &at->ncol
                         : !strcmp(key, "structure") ? &at->structure
                                                     : NULL;
            if (field)
                *field = atoi(eq + 1);
            else if (sscanf(line, " m0( %d, %d)", &i, &j) == 2)
                at->m0[i][j] = number(eq + 1);
            else if (sscanf(line, " m1( %d, %d, %d)", &i, &k, &j) == 3)
                at->m1[i][k][j] = number(eq + 1);
        }
    }
    for (int q = 0; q < t->n; q++) /* the lower triangle stands for both */
        for (int i = 1; t->b[q].structure == 2 && i <= t->nq; i++)
            for (int j = 1; j < i; j++)
                t->b[q].m0[j][i] = t->b[q].m0[i][j];
}

static block *find(const sid *t, const char *a, const char *b)
{
    for (int q = 0; q < t->n; q++)
        if (!strcmp(t->b[q].name, a) || !strcmp(t->b[q].name, b))
            return t->b + q;
    ck_abort_msg("no block %s", a);
    return NULL;
}

static void near(double a, double b, double size, const char *what)
{
    ck_assert_msg(fabs(a - b) <= 5e-11 * (1 + size), "%s: %.12g, %.12g", what, a, b);
}

static int column(const sid *t, int blocked, int k, int a)
{
    return blocked ? (a - 1) * t->nq + k : 3 * (k - 1) + a;
}

/* The blocks repeat each other: diag(Gr_k) = J1 diag, Ge = 2 Cr1, Oe0 = -J1/2 and -J1, AP1 = psi~,
 * origin1 = phi, Ct = mdCM1'. */
static void identities(const sid *t)
{
    const block *J = find(t, "J", "mmi"), *Gr = find(t, "Gr", "Gr"), *Ge = find(t, "Ge", "Ge"),
                *Cr = find(t, "Cr", "Cr"), *Oe = find(t, "Oe", "Oe"),
                *mdCM = find(t, "mdCM", "mCM"), *Ct = find(t, "Ct", "Ct"),
                *Me = find(t, "Me", "Me");
    static const int same[7] = {0, 1, 2, 3,
                                4, 6, 5}; /* J xx yy zz xy xz yz, Oe xx yy zz xy yz xz */
    for (int k = 1; k <= t->nq; k++) {
        for (int a = 1; a <= 3; a++) {
            near(Gr->m0[a][column(t, t->blocked_gr, k, a)], J->m1[a][k][1], fabs(J->m1[a][k][1]),
                 "Gr");
            near(Ct->m0[k][a], mdCM->m1[a][k][1], fabs(Ct->m0[k][a]), "Ct");
        }
        for (int c = 1; c <= 6; c++)
            near(Oe->m0[k][same[c]], (c <= 3 ? -0.5 : -1) * J->m1[c][k][1], fabs(J->m1[c][k][1]),
                 "Oe");
        for (int j = 1; j <= t->nq; j++) {
            for (int a = 1; a <= 3; a++)
                near(Ge->m0[j][column(t, t->blocked_ge, k, a)], 2 * Cr->m1[j][k][a],
                     fabs(Cr->m1[j][k][a]), "Ge");
            near(Me->m0[j][k], Me->m0[k][j], fabs(Me->m0[j][k]), "Me");
        }
    }
    int nodes = 0;
    for (int q = 0; q + 3 < t->n; q++) {
        const block *o = t->b + q, *phi = o + 1, *psi = o + 2, *AP = o + 3;
        if (strcmp(o->name, "origin"))
            continue;
        nodes++;
        for (int k = 1; k <= t->nq; k++)
            for (int i = 1; i <= 3; i++) {
                int p = i % 3 + 1, r = p % 3 + 1;
                near(o->m1[i][k][1], phi->m0[i][k], fabs(phi->m0[i][k]), "origin");
                near(AP->m1[r][k][p], psi->m0[i][k], fabs(psi->m0[i][k]), "AP");
                near(AP->m1[p][k][r], -psi->m0[i][k], fabs(psi->m0[i][k]), "AP");
                if (AP->structure != 4) /* unit */
                    near(AP->m0[i][i], 1, 1, "AP");
            }
    }
    ck_assert_int_eq(nodes, t->nodes);
}

static fb_status write(const fb_model *b, const char *dialect, const char *layout, fb_buf *o,
                       fb_err *e)
{
    fb_log log = {0};
    const fb_export ask = {.dialect = dialect, .layout = layout};
    return fb_writer_sid.write(b, &ask, o, &log, e);
}

static void parsed(const fb_model *b, const char *dialect, const char *layout, sid *t)
{
    fb_buf o = {0};
    fb_err e = {0};
    ck_assert_msg(write(b, dialect, layout, &o, &e) == FB_OK, "%s", e.msg);
    fb_put_bytes(&o, "", 1);
    for (const char *p = (char *)o.data, *eq; (eq = strchr(p, '=')) != NULL;
         p = eq + 1) { /* values end in D+01, E+01 */
        size_t n = strcspn(eq, "\n");
        if (n > 4 && (eq[n - 3] == '+' || eq[n - 3] == '-'))
            ck_assert_int_eq(eq[n - 4], strcmp(dialect, "morembs") ? 'D' : 'E');
    }
    read_sid((char *)o.data, t);
    fb_buf_free(&o);
}

START_TEST(identities_hold_in_every_dialect)
{
    static const struct {
        const char *dialect, *layout;
        int gr, ge;
    } way[] = {{"embslib", NULL, 0, 0},
               {"morembs", NULL, 1, 1},
               {"embslib", "mixed", 0, 1},
               {"morembs", "interleaved", 0, 0},
               {"embslib", "blocked", 1, 1}};
    fb_model b;
    sid t;
    make_held(&b, 7, 4, (uint64_t)_i);
    parsed(&b, way[_i].dialect, way[_i].layout, &t);
    t.blocked_gr = way[_i].gr;
    t.blocked_ge = way[_i].ge;
    identities(&t);
    free(t.b);
    fb_model_free(&b);
}
END_TEST

/* One entry of m0, or of m1; `size` of the block. */
static void entry(const block *b, int i, int k, int j, double want, double size)
{
    char what[60];
    snprintf(what, sizeof what, "%s(%d,%d,%d)", b->name, i, k, j);
    near(k ? b->m1[i][k][j] : b->m0[i][j], want, size, what);
}

/* The nodes of connectors 1310, 12, 6: places 4, 1, 6 in /nodes. */
static void nodes_of(const fb_model *b, const sid *t)
{
    static const int at[GENERIC_CONNECTORS] = {4, 1, 6};
    int node = 0;
    for (int q = 0; q + 3 < t->n; q++) {
        const block *o = t->b + q, *phi = o + 1, *psi = o + 2, *AP = o + 3;
        if (strcmp(o->name, "origin"))
            continue;
        for (int i = 1; i <= 3; i++) {
            const int p = i % 3 + 1, r = p % 3 + 1;
            entry(o, i, 0, 1, b->xyz[3 * at[node] + i - 1], 1);
            for (int k = 1; k <= t->nq; k++) {
                const double f = b->T[(k - 1) * b->ndof + 6 * at[node] + i - 1],
                             g = b->T[(k - 1) * b->ndof + 6 * at[node] + i + 2];
                entry(o, i, k, 1, f, 1);
                entry(phi, i, 0, k, f, 1);
                entry(psi, i, 0, k, g, 1);
                entry(AP, r, k, p, g, 1);
                entry(AP, p, k, r, -g, 1);
                entry(AP, i, k, i, 0, 1);
            }
        }
        node++;
    }
    ck_assert_int_eq(node, GENERIC_CONNECTORS);
}

/* Against sums over the nodal masses, by the formulas of the page, written out by axes; every
 * entry. */
START_TEST(numbers_are_the_bodys)
{
    enum { M = GENERIC_ORDER };
    static const int pair[7][2] = {{0}, {0, 0}, {1, 1}, {2, 2}, {0, 1}, {0, 2}, {1, 2}}, /* of J */
        other[7][2] = {{0}, {0, 0}, {1, 1}, {2, 2}, {0, 1}, {1, 2}, {0, 2}};             /* of Oe */
    fb_model b;
    double *I[12];
    sid t;
    make_generic(&b, "mm-t-s", (uint64_t)_i);
    generic_invariants(&b, I);
    generic_invariants(&b, b.I);
    parsed(&b, "embslib", NULL, &t);
    ck_assert_int_eq(t.nodes, GENERIC_CONNECTORS);
    ck_assert_int_eq(t.nq, M);
    near(t.mass, I[1][0], t.mass, "mass");
    nodes_of(&b, &t);
    const block *J = find(&t, "J", ""), *Oe = find(&t, "Oe", ""), *Ke = find(&t, "Ke", ""),
                *De = find(&t, "De", ""), *Me = find(&t, "Me", ""), *Cr = find(&t, "Cr", ""),
                *Ct = find(&t, "Ct", ""), *ks = find(&t, "ksigma", ""),
                *mdCM = find(&t, "mdCM", ""), *Gr = find(&t, "Gr", ""), *Ge = find(&t, "Ge", "");
    ck_assert(J->nrow == 6 && J->ncol == 1 && Oe->ncol == 6 && ks->structure == 0 &&
              Me->structure == 3);
    const double *N = I[10], *W = I[11];
#define Nk(a, c, k)     N[(3 * (a) + (c)) * M + (k)]
#define Wij(a, c, i, j) W[((3 * (a) + (c)) * M + (i)) * M + (j)]
    for (int a = 1; a <= 3; a++)
        entry(mdCM, a, 0, 1, I[2][a - 1], fabs(I[2][a - 1]));
    for (int q = 1; q <= 6; q++)
        entry(J, q, 0, 1, I[7][3 * pair[q][0] + pair[q][1]], I[7][0]);
    for (int k = 0; k < M; k++) {
        const double trace = Nk(0, 0, k) + Nk(1, 1, k) + Nk(2, 2, k);
        for (int q = 1; q <= 6; q++) { /* dJ of mode k: 2 tr N 1 - N - N' */
            const int a = pair[q][0], c = pair[q][1], d = other[q][0], f = other[q][1];
            entry(J, q, k + 1, 1, 2 * (a == c) * trace - Nk(a, c, k) - Nk(c, a, k), 10);
            entry(Oe, k + 1, 0, q,
                  (q <= 3 ? -0.5 : -1) * (2 * (d == f) * trace - Nk(d, f, k) - Nk(f, d, k)), 10);
        }
        for (int a = 0; a < 3; a++) {
            entry(mdCM, a + 1, k + 1, 1, I[3][a * M + k], 1);
            entry(Ct, k + 1, 0, a + 1, I[3][a * M + k], 1);
            entry(Cr, k + 1, 0, a + 1, I[4][a * M + k], 10);
            for (int c = 0; c < 3; c++) /* Gr: -2 int u~ phi~ = -2 (N' - tr N 1) */
                entry(Gr, a + 1, 0, column(&t, 0, k + 1, c + 1),
                      -2 * (Nk(c, a, k) - (a == c) * trace), 10);
        }
        for (int j = 0; j < M; j++) {
            for (int q = 1; q <= 6; q++) {
                const int a = other[q][0], c = other[q][1], n = (q + 0) % 3, r = (q + 1) % 3;
                entry(Oe, j + 1, k + 1, q,
                      q <= 3 ? -(Wij(n, n, j, k) + Wij(r, r, j, k))
                             : Wij(a, c, j, k) + Wij(c, a, j, k),
                      10);
            }
            for (int a = 0; a < 3; a++) { /* Cr1 of mode k: (I5_k)_aj = W_bc - W_cb */
                const int n = (a + 1) % 3, r = (a + 2) % 3;
                const double I5 = Wij(n, r, k, j) - Wij(r, n, k, j);
                entry(Cr, j + 1, k + 1, a + 1, I5, 1);
                entry(Ge, j + 1, 0, column(&t, 0, k + 1, a + 1), 2 * I5, 1);
            }
            entry(Ke, j + 1, 0, k + 1, b.Kr[j * M + k], b.Kr[0]);
            entry(Me, j + 1, 0, k + 1, b.Mr[j * M + k], 1);
            entry(De, j + 1, 0, k + 1, b.Dr[j * M + k], 3);
        }
    }
    for (int k = 1; k < 12; k++)
        free(I[k]);
    free(t.b);
    fb_model_free(&b);
}
END_TEST

/* Loads p = sum y_k p_k of accelerations, speeds and a force at a node: what the elastic equation
 * of the file has more than that of the same body without geometric stiffness is sum y_k Kg_k. */
START_TEST(geometric_stiffness_is_of_first_order)
{
    enum { M = 4, LOADS = 5 };
    static const int pair[6][2] = {{0, 0}, {1, 1}, {2, 2}, {0, 1}, {1, 2}, {0, 2}};
    uint64_t s = (uint64_t)_i + 5;
    fb_err e = {0};
    fb_geoload l[LOADS], p = {.node = 0};
    double y[LOADS], *kp = (double *)(void *)&p;
    fb_model b;
    sid t[2];
    make_held(&b, 7, M, (uint64_t)_i);
    parsed(&b, _i % 2 ? "morembs" : "embslib", NULL, t);
    b.Kgr = fb_alloc(LOADS * M * M, 8);
    for (int k = 0; k < LOADS; k++) {
        double *x = (double *)(void *)(l + k), *K = b.Kgr + k * M * M;
        for (int q = 0; q < M * M; q++)
            K[q] = random_real(&s);
        for (int q = 0; q < 21; q++)
            x[q] = q < 15 || k == 4 ? random_real(&s) : 0;
        for (int q = 0; q < 3; q++)
            l[k].W[3 * pair[3 + q][1] + pair[3 + q][0]] =
                l[k].W[3 * pair[3 + q][0] + pair[3 + q][1]];
        l[k].node = k == 4 ? b.connector_node[1] : 0;
        y[k] = random_real(&s);
        for (int q = 0; q < 21; q++)
            kp[q] += y[k] * x[q];
    }
    ck_assert_int_eq(fb_geoload_set(&b, l, LOADS, &e), FB_OK);
    parsed(&b, _i % 2 ? "morembs" : "embslib", NULL, t + 1);
    const block *phi = t[1].b + 5, *psi = t[1].b + 6; /* of the second node */
    ck_assert_str_eq(phi->name, "phi");
    for (int j = 1; j <= M; j++)
        for (int k = 1; k <= M; k++) {
            double want = 0, got = 0;
            for (int q = 0; q < LOADS; q++)
                want += y[q] * b.Kgr[(q * M + j - 1) * M + k - 1];
            for (int sign = -1, q = 0; q < 2; q++, sign = 1) {
                const block *Ct = find(t + q, "Ct", ""), *Cr = find(t + q, "Cr", ""),
                            *Oe = find(t + q, "Oe", "");
                for (int a = 1; a <= 3; a++) /* the frame accelerates the other way */
                    got -= sign * (Ct->m1[j][k][a] * p.a[a - 1] + Cr->m1[j][k][a] * p.r[a - 1]);
                for (int c = 1; c <= 6; c++)
                    got += sign * Oe->m1[j][k][c] * p.W[3 * pair[c - 1][0] + pair[c - 1][1]];
            }
            for (int i = 1; i <= 3; i++) /* forces stand on the other side */
                got -= phi->m1[i][k][j] * p.f[i - 1] + psi->m1[i][k][j] * p.t[i - 1];
            near(got, want, 20, "geometric stiffness");
        }
    free(t[0].b);
    free(t[1].b);
    fb_model_free(&b);
}
END_TEST

static void refused(const fb_model *b, const char *dialect, const char *layout, fb_status status,
                    const char *part)
{
    fb_buf o = {0};
    fb_err e = {0};
    ck_assert_int_eq(write(b, dialect, layout, &o, &e), status);
    ck_assert_msg(strstr(e.msg, part) != NULL, "'%s' lacks '%s'", e.msg, part);
    fb_buf_free(&o);
}

START_TEST(what_breaks_the_assumptions_is_refused)
{
    fb_model b;
    make_held(&b, 4, 2, 1);
    refused(&b, "embslib", "columns", FB_EUSAGE, "--layout is interleaved, blocked or mixed");
    b.node_id[3] = b.connector_node[1] = 123456;
    for (int64_t d = 18; d < 24; d++)
        b.dof_node[d] = 123456;
    refused(&b, "embslib", NULL, FB_EFORMAT, "at most 5 digits, not 123456");
    b.Mr[0] = 2;
    refused(&b, "embslib", NULL, FB_EFORMAT, "M(1,1) is 2: run reduce with --orthonormalize");
    fb_model_free(&b);
    make_constrained(&b, 5, 2, 1);
    refused(&b, "morembs", NULL, FB_EFORMAT, "the body has 6: fix the node");
    fb_model_free(&b);
}
END_TEST

START_TEST(memory_runs_out)
{
    fb_model b;
    fb_buf o = {0};
    fb_err e = {0};
    fb_status s = FB_OK;
    int fails = 0;
    make_held(&b, 4, 2, 1);
    EVERY_ALLOCATION_FAILS_ONCE(s, fails, {
        fb_buf_free(&o);
        s = write(&b, "embslib", NULL, &o, &e);
    });
    ck_assert_int_gt(fails, 5);
    fb_buf_free(&o);
    fb_model_free(&b);
}
END_TEST

START_TEST(published_files_keep_the_identities)
{
    static const struct {
        const char *name;
        int gr, ge, nodes, nq;
    } file[] = {{"consumers/sid/balken1m.SID_FEM", 0, 1, 3, 1},
                {"consumers/sid/morembs_straight_beam.SID_FEM", 1, 1, 2, 8}};
    const char *path = shared_file(file[_i].name);
    fb_input in = {0};
    fb_err e = {0};
    sid t;
    if (!path)
        return;
    ck_assert_int_eq(fb_input_open(&in, path, &e), FB_OK);
    char *text = strndup((const char *)in.data, in.size);
    read_sid(text, &t);
    ck_assert_int_eq(t.nodes, file[_i].nodes);
    ck_assert_int_eq(t.nq, file[_i].nq);
    t.blocked_gr = file[_i].gr;
    t.blocked_ge = file[_i].ge;
    identities(&t);
    free(text);
    free(t.b);
    fb_input_close(&in);
}
END_TEST

Suite *suite_sid(void)
{
    Suite *s = suite_create("sid");
    TCase *t = tcase_create("sid");
    tcase_add_loop_test(t, geometric_stiffness_is_of_first_order, 0, 4);
    tcase_add_loop_test(t, identities_hold_in_every_dialect, 0, 5);
    tcase_add_loop_test(t, numbers_are_the_bodys, 0, 3);
    tcase_add_test(t, what_breaks_the_assumptions_is_refused);
    tcase_add_test(t, memory_runs_out);
    tcase_add_loop_test(t, published_files_keep_the_identities, 0, 2);
    suite_add_tcase(s, t);
    return s;
}
