/* SPDX-License-Identifier: GPL-3.0-or-later */
/* test_cases.c - full models that users of other programs have reported trouble with, from their
 * files to the frequencies; values from the cases' own table. */
#include "mnfparse/reader.h"
#include "reduce/method.h"
#include "reduce/verdict.h"
#include "tests/suites.h"
#include <math.h>

static fb_err e;

typedef struct {
    const char *id, *nodes, *interface,
        *fix; /* interface and fix: lists for fb_dofset, %s the folder */
    int64_t dofs_per_node;
    const char *method;
    int64_t order, modes;
    double fmax;
    int64_t want;  /* order that comes out; 0: not told */
    int64_t skip;  /* rigid modes, below 0.01 Hz */
    double hz[24]; /* those after them; ends at 0 */
    const char *warning;
} row;

#define FIXED(id, dofs, face, n, ...) \
    { \
        id, \
        .dofs_per_node = dofs, \
        .interface = face, \
        .method = "cb", \
        .order = -1, \
        .modes = n, \
        __VA_ARGS__}
#define MODES(id, n, ...) {id, .method = "mdm", .order = n, .modes = -1, __VA_ARGS__}
#define BELOW(hz, n)      {"g15", .method = "mdm", .order = -1, .modes = -1, .fmax = hz, .want = n}

static const row rows[] = {
    MODES("g01", 8, .want = 8, .skip = 3,
          .hz = {106.3356042, 293.1810317, 575.1375743, 952.1399245, 1426.1256327}),
    MODES("g02", 5, .want = 6,
          .hz = {26.10991592, 26.10991592, 163.63332577, 163.63332577, 458.27953752, 458.27953752},
          .warning = "6 modes instead of 5"),
    MODES("g02", 12, .want = 12,
          .hz = {26.10991592, 26.10991592, 163.63332577, 163.63332577, 458.27953752, 458.27953752,
                 898.67196947, 898.67196947, 921.62203663, 1487.89604112, 1487.89604112,
                 1617.97288419}),
    MODES(
        "g03", 25, .want = 20,
        .hz = {16.63400983, 103.08356767, 285.74673720, 554.11521740, 905.80796850, 1291.71958596},
        .warning = "20 modes instead of 25"),
    MODES("g07", 7, .want = 7, .skip = 2,
          .hz = {21.09844341, 38.98484006, 50.93614822, 55.13288954, 100.65842421}),
    FIXED("g07", 0, "1,5", 5, .want = 7, .skip = 2,
          .hz = {21.09844341, 38.98484006, 50.93614822, 55.13288954, 100.65842421},
          .warning = "nothing ties to it the dofs 6 7"),
    FIXED("g08", 3, "@%s/cases/g08_interface_dup.txt", 4, .want = 10, .skip = 3,
          .hz = {106.3775148, 293.4260903, 577.4367329, 955.3316153},
          .warning = "3 dofs are named more than once"),
    MODES("g12", 8, .want = 8,
          .hz = {2272.26857, 3408.40286, 14256.19038, 21384.28558, 40179.98290, 60269.97435,
                 79266.43140, 112029.78031}),
    {"g14", .nodes = "g14_nodes.csv", .fix = "@%s/cases/g14_fixed_nodes.txt", .dofs_per_node = 3,
     .method = "mdm", .order = 36, .modes = -1, .want = 36,
     .hz = {576.5813853, 696.5939093, 2048.6149719, 3650.5658735, 3696.7587971, 3999.1101071}},
    BELOW(100, 1),
    BELOW(249.5, 4),
    BELOW(250.5, 15),
    BELOW(319.9, 17),
    BELOW(320.1, 22),
    BELOW(400, 24),
    BELOW(5000, 26),
};

static const char *root(void)
{
    static char folder[1000];
    const char *p = shared_file("cases");
    if (!p)
        return NULL;
    snprintf(folder, sizeof folder, "%.*s", (int)(strlen(p) - strlen("/cases")), p);
    return folder;
}

static void add(fb_parts *p, const char *folder, const char *name, int number)
{
    char path[1200];
    fb_input in = {0};
    fb_log log = {0};
    const fb_reader *r = NULL;
    int64_t first = p->nmatrix;
    snprintf(path, sizeof path, "%s/cases/%s", folder, name);
    ck_assert_msg(fb_input_open(&in, path, &e) == FB_OK, "%s", e.msg);
    ck_assert_msg(fb_reader_find(&in, NULL, &r, &e) == FB_OK, "%s", e.msg);
    ck_assert_msg(r->read(&in, p, &log, &e) == FB_OK, "%s", e.msg);
    for (int64_t k = first; k < p->nmatrix; k++)
        p->matrix[k].input = number;
    fb_input_close(&in);
    fb_log_free(&log);
}

static void load(const row *c, const char *folder, fb_model *b)
{
    char name[64];
    fb_parts p = {0};
    fb_log log = {0};
    snprintf(name, sizeof name, "%s_K.mtx", c->id);
    add(&p, folder, name, 1);
    snprintf(name, sizeof name, "%s_M.mtx", c->id);
    add(&p, folder, name, 2);
    if (c->nodes)
        add(&p, folder, c->nodes, 3);
    p.how.dofs_per_node = c->dofs_per_node;
    p.how.stiffness = (fb_choice){"K", NULL, 1};
    p.how.mass = (fb_choice){"M", NULL, 2};
    ck_assert_msg(fb_parts_assemble(&p, b, &log, &e) == FB_OK, "%s", e.msg);
    fb_log_free(&log);
    fb_parts_free(&p);
}

static const char *list(const char *text, const char *folder, char *out, size_t n)
{
    const char *at = text ? strstr(text, "%s") : NULL;
    if (!text)
        return NULL;
    snprintf(out, n, "%.*s%s%s", at ? (int)(at - text) : (int)strlen(text), text, at ? folder : "",
             at ? at + 2 : "");
    return out;
}

static void judge(const row *c, const fb_model *b, const fb_log *log)
{
    int found = !c->warning;
    ck_assert_msg(!c->want || b->nr == c->want, "%s: order %d, %d wanted", c->id, (int)b->nr,
                  (int)c->want);
    for (int64_t k = 0; k < c->skip; k++)
        ck_assert_msg(fabs(b->frequency[k]) < 0.01, "%s: %.6g Hz is not rigid", c->id,
                      b->frequency[k]);
    for (int64_t k = 0; c->hz[k] > 0; k++)
        ck_assert_msg(fabs(b->frequency[c->skip + k] / c->hz[k] - 1) < 1e-6,
                      "%s, mode %d: %.10g, %.10g wanted", c->id, (int)(c->skip + k) + 1,
                      b->frequency[c->skip + k], c->hz[k]);
    for (int64_t k = 0; k < log->nwarning; k++)
        found |= c->warning && strstr(log->warning[k], c->warning);
    ck_assert_msg(found, "%s: no warning '%s'; %d warnings, the first: %s", c->id, c->warning,
                  (int)log->nwarning, log->nwarning ? log->warning[0] : "-");
}

START_TEST(case_as_listed)
{
    const row *c = rows + _i;
    const char *folder = root();
    char face[1200], held[1200];
    fb_model b = {0};
    fb_reduction r = {0};
    fb_log log = {0};
    int64_t *dof = NULL, n = 0;
    if (!folder)
        return;
    load(c, folder, &b);
    fb_reduceopt o = {.order = c->order,
                      .modes = c->modes,
                      .fmax = c->fmax,
                      .interface = list(c->interface, folder, face, sizeof face)};
    if (c->fix)
        ck_assert_msg(fb_dofset(&b, "--fix", list(c->fix, folder, held, sizeof held), &dof, &n,
                                &log, &e) == FB_OK,
                      "%s", e.msg);
    for (int64_t k = 0; k < n; k++)
        b.dof_class[dof[k]] = FB_DOF_FIXED;
    ck_assert_msg(fb_method_full(fb_method_find(c->method), &b, &o, &r, &log, &e) == FB_OK,
                  "%s: %s", c->id, e.msg);
    ck_assert_int_eq(r.check.sturm, r.check.n); /* the count by inertia */
    ck_assert_msg(fb_reduction_apply_take(&b, &r, &o, c->method, NULL, &e) == FB_OK, "%s: %s",
                  c->id, e.msg);
    judge(c, &b, &log);
    free(dof);
    fb_log_free(&log);
    fb_reduction_free(&r);
    fb_model_free(&b);
}
END_TEST

/* g14: effective masses about the origin, and their sums over all modes. */
START_TEST(effective_mass)
{
    static const row c = {"g14", .nodes = "g14_nodes.csv", .dofs_per_node = 3};
    static const struct {
        int mode, axis;
        double want;
    } v[] = {{0, 0, 2.485527708966}, {0, 4, 0.1650397970492}, {0, 5, 0.003976844334343},
             {1, 1, 2.478527333645}, {1, 3, 0.1663086156774}, {4, 2, 3.095632080972}};
    static const double total[6] = {3.514153846154,  3.514153846154,  3.514153846154,
                                    0.1754584615385, 0.1708900615385, 0.01042532307692};
    static const double whole[6] = {3.888, 3.888, 3.888, 0.176256, 0.1712016, 0.0115344};
    const char *folder = root();
    fb_model b = {0};
    fb_reduction r = {0};
    fb_log log = {0};
    fb_reduceopt o = {.order = 36, .modes = -1};
    double sum[6] = {0};
    if (!folder)
        return;
    load(&c, folder, &b);
    for (int64_t d = 0; d < b.ndof; d++)
        if (b.dof_node[d] <= 4)
            b.dof_class[d] = FB_DOF_FIXED;
    ck_assert_msg(fb_method_full(&fb_method_mdm, &b, &o, &r, &log, &e) == FB_OK, "%s", e.msg);
    ck_assert_msg(fb_reduction_apply_take(&b, &r, &o, "mdm", NULL, &e) == FB_OK, "%s", e.msg);
    ck_assert_msg(fb_verdict(&b, &r.check, NULL, 0, &log, &e) == FB_OK, "%s", e.msg);
    for (size_t k = 0; k < sizeof v / sizeof *v; k++)
        ck_assert_double_eq_tol(b.p_mass[6 * v[k].mode + v[k].axis] / v[k].want, 1, 1e-6);
    for (int64_t k = 0; k < b.nr; k++)
        for (int a = 0; a < 6; a++)
            sum[a] += b.p_mass[6 * k + a];
    for (int a = 0; a < 6; a++)
        ck_assert_double_eq_tol(sum[a] / total[a], 1, 1e-6);
    for (int a = 0; a < 6; a++)
        ck_assert_double_eq_tol(b.v_mass_full[7 * a] / whole[a], 1, 1e-6);
    fb_log_free(&log);
    fb_reduction_free(&r);
    fb_model_free(&b);
}
END_TEST

START_TEST(unknown_node_is_named)
{
    static const row c = {"g08", .dofs_per_node = 3};
    const char *folder = root();
    char face[1200];
    fb_model b = {0};
    fb_reduction r = {0};
    fb_log log = {0};
    if (!folder)
        return;
    load(&c, folder, &b);
    fb_reduceopt o = {.order = 10,
                      .modes = -1,
                      .interface =
                          list("@%s/cases/g08_interface_unknown.txt", folder, face, sizeof face)};
    ck_assert_int_eq(fb_method_full(&fb_method_cb, &b, &o, &r, &log, &e), FB_EUSAGE);
    ck_assert_msg(strstr(e.msg, "99") != NULL, "%s", e.msg);
    fb_log_free(&log);
    fb_model_free(&b);
}
END_TEST

Suite *suite_cases(void)
{
    Suite *s = suite_create("cases");
    TCase *t = tcase_create("files");
    tcase_set_timeout(t, 60);
    tcase_add_loop_test(t, case_as_listed, 0, (int)(sizeof rows / sizeof *rows));
    tcase_add_test(t, effective_mass);
    tcase_add_test(t, unknown_node_is_named);
    suite_add_tcase(s, t);
    return s;
}
