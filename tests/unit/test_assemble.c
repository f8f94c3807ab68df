/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Joining parts into a model: roles, labels, checks, frames, interface, rigid and average frames.
 * */
#include "mnfparse/join/assemble.h"
#include "mnfparse/reader.h"
#include "tests/model/model.h"
#include "tests/suites.h"
#include <math.h>
#include <unistd.h>

typedef struct {
    fb_parts p;
    fb_model b;
    fb_log log;
    fb_err e;
    fb_status s;
} job;

static job *t; /* of the running test */

static void setup(void)
{
    t = calloc(1, sizeof *t);
}

static void teardown(void)
{
    fb_parts_free(&t->p);
    fb_model_free(&t->b);
    fb_log_free(&t->log);
    free(t);
}

/* ---- small inputs ------------------------------------------------------------------------- */

/* A matrix from a dense one, row by row; upper: its upper half. */
static fb_matrix *add(const char *name, const char *origin, fb_role role, int64_t n,
                      const double *x, int upper)
{
    fb_matrix *m = NULL;
    ck_assert_int_eq(fb_parts_matrix(&t->p, name, origin, role, &m, &t->e), FB_OK);
    ck_assert_int_eq(fb_csc_new(&m->A, n, n, n * n, upper, &t->e), FB_OK);
    int64_t q = 0;
    for (int64_t j = 0; j < n; j++) {
        for (int64_t i = 0; i < (upper ? j + 1 : n); i++)
            if (x[i * n + j] != 0) {
                m->A.i[q] = i;
                m->A.x[q++] = x[i * n + j];
            }
        m->A.p[j + 1] = q;
    }
    return m;
}

/* Labels from decimals: 5.1 is node 5, component 1; 5.0 no component. */
static fb_matrix *label(fb_matrix *m, const double *l)
{
    int64_t n = m->A.m;
    ck_assert_int_eq(fb_new(&m->row.node, n, 8, "labels", &t->e), FB_OK);
    ck_assert_int_eq(fb_new(&m->row.component, n, 8, "labels", &t->e), FB_OK);
    for (int64_t k = 0; k < n; k++) {
        m->row.node[k] = (int64_t)floor(l[k] + 1e-9);
        m->row.component[k] = (int64_t)lround(10 * (l[k] - floor(l[k] + 1e-9)));
    }
    return m;
}

static void node(int64_t id, double x, double y, double z, const double *frame)
{
    const double u[3] = {x, y, z};
    ck_assert_int_eq(fb_parts_node(&t->p, id, u, frame, &t->e), FB_OK);
}

static void set_of(const char *name, int64_t first, int64_t n)
{
    fb_set *s = NULL;
    ck_assert_int_eq(fb_parts_set(&t->p, name, &s, &t->e), FB_OK);
    ck_assert_int_eq(fb_new(&s->node, n, 8, "set", &t->e), FB_OK);
    for (int64_t k = 0; k < n; k++)
        s->node[k] = first + k;
    s->n = n;
}

static void assemble(void)
{
    t->s = fb_parts_assemble(&t->p, &t->b, &t->log, &t->e);
}

static void must(void)
{
    assemble();
    ck_assert_msg(t->s == FB_OK, "%s", t->e.msg);
}

static void must_fail(fb_status s, const char *text)
{
    assemble();
    ck_assert_int_eq(t->s, s);
    ck_assert_msg(strstr(t->e.msg, text) != NULL, "'%s' is not in '%s'", text, t->e.msg);
}

static void warned(const char *text)
{
    for (int64_t k = 0; k < t->log.nwarning; k++)
        if (strstr(t->log.warning[k], text))
            return;
    for (int64_t k = 0; k < t->log.nwarning; k++)
        fprintf(stderr, "warning: %s\n", t->log.warning[k]);
    ck_abort_msg("no warning says '%s'", text);
}

static double at(const fb_csc *A, int64_t i, int64_t j)
{
    if (A->upper && i > j)
        return at(A, j, i);
    for (int64_t q = A->p[j]; q < A->p[j + 1]; q++)
        if (A->i[q] == i)
            return A->x[q];
    return 0;
}

static int64_t found(fb_checkkind kind)
{
    int64_t n = 0;
    for (int64_t k = 0; k < t->b.nk; k++)
        n += t->b.check_kind[k] == (int64_t)kind;
    return n;
}

/* Finite frequencies in Hz, ascending, of a model that may lack mass: M x = mu (K + s M) x. */
static int64_t frequencies(const fb_model *b, double *f)
{
    int64_t n = b->ndof, m = 0;
    fb_mat K = {0}, M = {0}, V = {0};
    double trace[2] = {0, 0}, *mu = calloc((size_t)n, sizeof *mu);
    ck_assert_int_eq(fb_mat_new(&K, n, n, &t->e), FB_OK);
    ck_assert_int_eq(fb_mat_new(&M, n, n, &t->e), FB_OK);
    for (int64_t d = 0; d < n; d++) {
        trace[0] += at(&b->K, d, d);
        trace[1] += at(&b->M, d, d);
    }
    const double s = 1e-6 * trace[0] / trace[1];
    for (int64_t j = 0; j < n; j++)
        for (int64_t i = 0; i < n; i++) {
            M.x[i + j * n] = at(&b->M, i, j);
            K.x[i + j * n] = at(&b->K, i, j) + s * M.x[i + j * n];
        }
    ck_assert_msg(fb_eig_dense(&M, &K, mu, &V, &t->e) == FB_OK, "%s", t->e.msg);
    for (int64_t k = n - 1; k >= 0 && mu[k] > 1e-12 * mu[n - 1]; k--) {
        double lambda = 1 / mu[k] - s;
        f[m++] = copysign(sqrt(fabs(lambda)), lambda) / (2 * M_PI);
    }
    fb_mat_free(&K);
    fb_mat_free(&M);
    fb_mat_free(&V);
    free(mu);
    return m;
}

static const double spring[4] = {2, -1, -1, 2}, unit2[4] = {1, 0, 0, 3};

/* ---- roles -------------------------------------------------------------------------------- */

/* Matrices of the g-set beside a deck that ties dof 2.1: they have its row, and nothing ties it. */
START_TEST(dofs_that_follow)
{
    static const double k[] = {1, -1, -1, 1}, l[] = {1.1, 2.1};
    int64_t cap = 0;
    label(add("K", "k", FB_ROLE_STIFFNESS, 2, k, 0), l);
    for (int64_t node = 2; node < 4; node++)
        ck_assert_int_eq(fb_labels_add(&t->p.tied, &t->p.ntied, &cap, node, 1, 0, &t->e), FB_OK);
    must();
    warned("1 dof follows others by MPC or rigid elements");
    warned("export KAA and MAA (EXTSEOUT), or KNN and MNN: 2.1");
}
END_TEST

START_TEST(roles_come_from_names_and_files)
{
    static const struct {
        const char *name, *file;
        int role; /* 0 K, 1 M, 2 D, 3 K4, -1 none */
    } row[] = {
        {"KAAX", "a.pch", 0},  {"MGG", "a.op4", 1},      {"BAA", "a.op4", 2},
        {"K4AAX", "a.pch", 3}, {"", "job_STIF1.mtx", 0}, {"", "dir/job_MASS12.mtx", 1},
        {"", "job.mas", 1},    {"", "job.sti", 0},       {"", "g13_mm_kg_M.mtx", 1},
        {"", "K.mtx", 0},      {"", "x_DMPV2.mtx", 2},   {"", "damping.mtx", 2},
        {"C", "model.mat", 2}, {"QHH", "a.op4", -1},     {"", "mass_k.mtx", -1},
        {"", "beam.mtx", -1},  {"", "b.mtx", -1},        {"", "job_DMPS1.mtx", 3},
    };
    for (size_t k = 0; k < sizeof row / sizeof *row; k++) {
        teardown();
        setup();
        add(row[k].name, row[k].file, FB_ROLE_UNKNOWN, 2, spring, 1);
        if (row[k].role != 0)
            add("KZ", "other", FB_ROLE_STIFFNESS, 2, spring, 1);
        assemble();
        ck_assert_msg(t->s == FB_OK, "%s %s: %s", row[k].name, row[k].file, t->e.msg);
        ck_assert_msg(!t->b.M.p == (row[k].role != 1) && !t->b.D.p == (row[k].role != 2) &&
                          !t->b.S.p == (row[k].role != 3),
                      "%s %s", row[k].name, row[k].file);
        ck_assert_int_eq(
            strstr(t->b.unused, row[k].name[0] ? row[k].name : strrchr(row[k].file, '.')) != NULL,
            row[k].role == -1);
    }
}
END_TEST

START_TEST(two_candidates_are_named)
{
    add("KAA", "a.op4", FB_ROLE_STIFFNESS, 2, spring, 1);
    add("KGG", "b.op4", FB_ROLE_STIFFNESS, 2, spring, 1);
    must_fail(FB_EUSAGE, "2 matrices could be the stiffness: KAA of a.op4, KGG of b.op4; choose "
                         "one with --stiffness FILE:NAME");
}
END_TEST

START_TEST(two_of_one_name_are_numbered)
{
    add("KAA", "a.op4", FB_ROLE_STIFFNESS, 2, spring, 1);
    add("kaa", "a.op4", FB_ROLE_STIFFNESS, 2, spring, 1);
    must_fail(FB_EUSAGE, "2 matrices could be the stiffness: KAA#1 of a.op4, kaa#2 of a.op4; "
                         "choose one with --stiffness FILE:NAME");
}
END_TEST

/* Nastran's scalar points have no component: beside grid points they are modal, whether or not a
 * set says so. */
START_TEST(scalar_points_beside_grids_are_modal)
{
    label(add("K", "y.pch", FB_ROLE_STIFFNESS, 2, spring, 1), (double[]){5.1, 7.0});
    label(add("M", "y.pch", FB_ROLE_MASS, 2, unit2, 1), (double[]){5.1, 7.0});
    must();
    ck_assert(t->b.dof_class[0] == FB_DOF_PHYSICAL && t->b.dof_class[1] == FB_DOF_GENERALIZED);
    ck_assert_str_eq(t->b.method, "component modes");
    teardown();
    setup();
    label(add("K", "y.pch", FB_ROLE_STIFFNESS, 2, spring, 1), (double[]){5.0, 7.0});
    label(add("M", "y.pch", FB_ROLE_MASS, 2, unit2, 1), (double[]){5.0, 7.0});
    must();
    ck_assert(t->b.dof_class[0] == FB_DOF_PHYSICAL && t->b.dof_class[1] == FB_DOF_PHYSICAL &&
              !t->b.Kr);
}
END_TEST

START_TEST(the_user_chooses)
{
    add("KAA", "a.op4", FB_ROLE_STIFFNESS, 2, spring, 1)->input = 1;
    add("KAA", "a.op4", FB_ROLE_STIFFNESS, 2, unit2, 1)->input = 1;
    add("X", "b.op4", FB_ROLE_UNKNOWN, 2, unit2, 1)->input = 2;
    t->p.how.stiffness = (fb_choice){"a.op4:kaa#2", "kaa#2", 1};
    t->p.how.mass = (fb_choice){"b.op4", NULL, 2};
    must();
    ck_assert_double_eq(at(&t->b.K, 1, 1), 3);
    ck_assert_str_eq(t->b.matrices, "stiffness: KAA#2 of a.op4; mass: X of b.op4");
    ck_assert_str_eq(t->b.unused, "KAA#1 of a.op4");
}
END_TEST

START_TEST(wrong_choices)
{
    static const struct {
        fb_choice k, m;
        const char *text;
    } row[] = {
        {{"a:KAA", "KAA", 1},
         {0},
         "--stiffness a:KAA: 2 matrices have that name; NAME#1 is the first"},
        {{"a:KBB", "KBB", 1},
         {0},
         "--stiffness a:KBB: no such matrix; the file holds KAA#1 of a, KAA#2 of a, MAA of a"},
        {{"a", NULL, 1}, {0}, "--stiffness a: choose one with FILE:NAME: KAA#1 of a, KAA#2 of a"},
        {{"b", NULL, 2}, {0}, "--stiffness b: the file holds no matrix"},
        {{"a:MAA", "MAA", 1},
         {"a:MAA", "MAA", 1},
         "MAA of a is named as the stiffness and as the mass"},
    };
    for (size_t k = 0; k < sizeof row / sizeof *row; k++) {
        teardown();
        setup();
        add("KAA", "a", FB_ROLE_STIFFNESS, 2, spring, 1)->input = 1;
        add("KAA", "a", FB_ROLE_STIFFNESS, 2, unit2, 1)->input = 1;
        add("MAA", "a", FB_ROLE_MASS, 2, unit2, 1)->input = 1;
        t->p.how.stiffness = row[k].k;
        t->p.how.mass = row[k].m;
        must_fail(FB_EUSAGE, row[k].text);
    }
}
END_TEST

/* K of dofs 1.1, 2.1 in one half, KG of 2.1, 3.1, 1.1 in both: by hand. */
START_TEST(a_sum_of_two)
{
    static const double kg[] = {5, 1, 2, 1, 6, 3, 2, 3, 7}, lk[] = {1.1, 2.1},
                        lg[] = {2.1, 3.1, 1.1};
    static fb_addend more[] = {{0, {"g.mtx", NULL, 2}, 0.5}};
    label(add("", "k.mtx", FB_ROLE_STIFFNESS, 2, spring, 1), lk)->input = 1;
    label(add("", "g.mtx", FB_ROLE_UNKNOWN, 3, kg, 0), lg)->input = 2;
    label(add("", "m.mtx", FB_ROLE_MASS, 2, unit2, 1), lk)->input = 3;
    t->p.how.stiffness = (fb_choice){"k.mtx", NULL, 1};
    t->p.how.more = more;
    t->p.how.nmore = 1;
    must();
    const double want[3][3] = {{spring[0] + 3.5, spring[1] + 1, 1.5},
                               {spring[1] + 1, spring[3] + 2.5, 0.5},
                               {1.5, 0.5, 3}};
    for (int i = 0; i < 3; i++)
        for (int k = 0; k < 3; k++)
            ck_assert_double_eq(at(&t->b.K, i, k), want[i][k]);
    ck_assert(t->b.dof_node[2] == 3 && t->b.K.upper);
    ck_assert_str_eq(t->b.matrices, "stiffness: k.mtx + 0.5 g.mtx; mass: m.mtx");
    ck_assert_str_eq(t->b.unused, "");
}
END_TEST

START_TEST(sums_that_are_none)
{
    static fb_addend more[] = {{0, {"g", NULL, 2}, 1}, {0, {"g", NULL, 2}, 1}};
    static const char *const says[] = {
        "k + g: one has dof labels, the other none", "k + g: 2 and 3 rows without labels",
        "k + g: complex matrices are not added", "--stiffness: g is added twice",
        "--stiffness: m is added to the stiffness, and is the mass itself"};
    static const double nine[] = {5, 1, 2, 1, 6, 3, 2, 3, 7}, l[] = {1.1, 2.1};
    for (int k = 0; k < 5; k++) {
        teardown();
        setup();
        add("", "k", FB_ROLE_STIFFNESS, 2, spring, 1);
        add("", "m", FB_ROLE_MASS, 2, unit2, 1);
        fb_matrix *g = add("", "g", FB_ROLE_UNKNOWN, k == 1 ? 3 : 2, k == 1 ? nine : spring, 1);
        t->p.matrix[0].input = 1;
        t->p.matrix[1].input = k == 4 ? 2 : 3;
        t->p.matrix[2].input = k == 4 ? 3 : 2;
        if (k == 0)
            label(g, l);
        if (k == 2)
            ck_assert_int_eq(fb_new(&g->imag, 3, 8, "imaginary", &t->e), FB_OK);
        t->p.how.stiffness = (fb_choice){"k", NULL, 1};
        t->p.how.more = more;
        t->p.how.nmore = k == 3 ? 2 : 1;
        must_fail(FB_EUSAGE, says[k]);
    }
}
END_TEST

/* Two bodies of nodes 1, 2 and 2, 3, each with one modal coordinate q: who may have which number.
 * Class and component 0 are what a reader of scalar points gives; component 1 is one that nothing
 * calls so, with no stiffness but its own. */
START_TEST(modal_coordinates_of_two_bodies)
{
    static const double k[] = {9, -9, 0, 0, -9, 9, 0, 0, 0, 0, 1, 0, 0, 0, 0, 5},
                        one[] = {1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1};
    static const struct {
        double a[4], b[4];
        int mass; /* is a sum, too */
        const char *text;
    } row[] = {
        {{1.1, 2.1, 2.2, 7.0}, {2.1, 3.1, 3.2, 8.0}, 1, NULL},
        {{1.1, 2.1, 2.2, 7.0},
         {2.1, 3.1, 3.2, 7.0},
         1,
         "number 7 is a modal coordinate (scalar "
         "point) of both: bodies are joined by"},
        {{1.1, 2.1, 2.2, 7.0}, {2.1, 3.1, 3.2, 7.0}, 0, "number 7 is a modal"},
        {{1.1, 2.1, 2.2, 3.0},
         {2.1, 3.1, 3.2, 8.0},
         1,
         "number 3 is a modal coordinate (scalar "
         "point) of the first and a node of the second"},
        {{1.1, 2.1, 2.2, 7.0}, {2.1, 3.1, 3.2, 1.0}, 1, "of the second and a node of the first"},
        {{1.1, 2.1, 2.2, 7.0}, {1.1, 2.1, 2.2, 7.0}, 0, NULL}, /* K + KG of one body */
        {{1.1, 2.1, 2.2, 7.0}, {1.1, 2.1, 2.2, 7.0}, 1, "number 7 is a modal"},
        {{1.0, 2.0, 5.0, 7.0}, {2.0, 3.0, 6.0, 7.0}, 1, NULL}, /* masses and springs */
        {{2.1, 2.2, 2.3, 7.1}, {2.1, 2.2, 2.3, 7.1}, 1, "number 7 is a modal"},
        {{2.1, 2.2, 2.3, 7.1}, {2.1, 2.2, 2.3, 8.1}, 1, NULL},
        {{2.1, 2.2, 7.1, 7.2}, {2.1, 2.2, 7.1, 7.2}, 1, NULL}, /* nodes all */
    };
    static fb_addend more[] = {{0, {"b", "KAA", 2}, 1}, {1, {"b", "MAA", 2}, 1}};
    for (size_t r = 0; r < sizeof row / sizeof *row; r++) {
        teardown();
        setup();
        for (int q = 0; q < 2; q++) {
            const double *l = q ? row[r].b : row[r].a;
            label(add("KAA", q ? "b" : "a", FB_ROLE_STIFFNESS, 4, k, 1), l)->input = q + 1;
            if (!q || row[r].mass)
                label(add("MAA", q ? "b" : "a", FB_ROLE_MASS, 4, one, 1), l)->input = q + 1;
        }
        t->p.how.stiffness = (fb_choice){"a", "KAA", 1};
        t->p.how.mass = (fb_choice){"a", "MAA", 1};
        t->p.how.more = more;
        t->p.how.nmore = 1 + row[r].mass;
        if (row[r].text)
            must_fail(FB_EUSAGE, row[r].text);
        else
            must();
    }
}
END_TEST

START_TEST(a_file_with_one_of_the_role_needs_no_name)
{
    add("KAA", "a", FB_ROLE_STIFFNESS, 2, spring, 1)->input = 1;
    add("MAA", "a", FB_ROLE_MASS, 2, unit2, 1)->input = 1;
    add("KAA", "b", FB_ROLE_STIFFNESS, 2, unit2, 1)->input = 2;
    t->p.how.stiffness = (fb_choice){"a", NULL, 1};
    must();
    ck_assert_double_eq(at(&t->b.K, 0, 1), -1);
}
END_TEST

START_TEST(nothing_is_dropped_in_silence)
{
    fb_matrix *k = add("KAA", "a", FB_ROLE_STIFFNESS, 2, spring, 1);
    add("K4AA", "a", FB_ROLE_STRUCTURAL_DAMPING, 2, spring, 1);
    add("QHH", "a", FB_ROLE_UNKNOWN, 2, spring, 1);
    ck_assert_int_eq(fb_new(&k->imag, 3, 8, "imaginary", &t->e), FB_OK);
    k->imag[2] = 0.5;
    must();
    warned("KAA of a has an imaginary part, and there is a structural damping beside it: it is not "
           "used");
    warned("the inputs have no mass matrix");
    ck_assert_str_eq(t->b.unused, "QHH of a");
    ck_assert_double_eq(at(&t->b.S, 0, 1), -1);
}
END_TEST

START_TEST(zero_matrices_stand_for_absent_ones)
{
    static const double zero[4] = {0};
    add("KAA", "a", FB_ROLE_STIFFNESS, 2, spring, 1);
    add("KXX", "a", FB_ROLE_STIFFNESS, 2, zero, 1);
    add("BXX", "a", FB_ROLE_DAMPING, 2, zero, 1);
    must();
    ck_assert(!t->b.D.p);
}
END_TEST

START_TEST(no_stiffness_or_nothing)
{
    must_fail(FB_EFORMAT, "the input holds neither matrices nor a modal body");
    add("QHH", "a.op4", FB_ROLE_UNKNOWN, 2, spring, 1);
    must_fail(FB_EUSAGE, "which matrix is the stiffness? The inputs hold QHH of a.op4; name it "
                         "with --stiffness FILE[:NAME]");
}
END_TEST

/* ---- labels ------------------------------------------------------------------------------- */

START_TEST(matrices_join_by_label)
{
    static const double k[9] = {4, -1, 0, -1, 5, -2, 0, -2, 6}, m[4] = {2, 0.5, 0.5, 3};
    label(add("K", "a", FB_ROLE_STIFFNESS, 3, k, 1), (double[]){7.1, 3.2, 3.1});
    label(add("M", "b", FB_ROLE_MASS, 2, m, 0), (double[]){3.1, 9.1});
    must();
    ck_assert_int_eq(t->b.ndof, 4); /* the order of K, then what M has more */
    ck_assert_int_eq(t->b.dof_node[0], 7);
    ck_assert_int_eq(t->b.dof_component[1], 2);
    ck_assert_int_eq(t->b.dof_node[3], 9);
    ck_assert_double_eq(at(&t->b.K, 1, 2), -2);
    ck_assert_double_eq(at(&t->b.M, 2, 2), 2);
    ck_assert_double_eq(at(&t->b.M, 2, 3), 0.5);
    ck_assert_double_eq(at(&t->b.M, 0, 0), 0);
    ck_assert_int_eq(found(FB_CHECK_MASSLESS), 2);
    ck_assert_int_eq(t->b.na, 0);
}
END_TEST

START_TEST(columns_may_have_their_own_order)
{
    static const double k[4] = {-1, 5, 4, -1}; /* columns 2.1, 1.1 of rows 1.1, 2.1 */
    fb_matrix *m = label(add("K", "a", FB_ROLE_STIFFNESS, 2, k, 0), (double[]){1.1, 2.1});
    ck_assert_int_eq(fb_new(&m->col.node, 2, 8, "labels", &t->e), FB_OK);
    ck_assert_int_eq(fb_new(&m->col.component, 2, 8, "labels", &t->e), FB_OK);
    m->col.node[0] = 2;
    m->col.node[1] = 1;
    m->col.component[0] = m->col.component[1] = 1;
    must();
    ck_assert_double_eq(at(&t->b.K, 0, 0), 5);
    ck_assert_double_eq(at(&t->b.K, 0, 1), -1);
    ck_assert_double_eq(at(&t->b.K, 1, 1), 4);
}
END_TEST

START_TEST(repeated_labels_stay_apart)
{
    static const double k[2][9] = {{1, -1, 0, -1, 2, -1, 0, -1, 1},
                                   {2, -1, 0, -1, 3, -1, 0, -1, 4}}; /* free; held at each */
    static const double m[9] = {1, 0, 0, 0, 2, 0, 0, 0, 3};
    label(add("K", "a", FB_ROLE_STIFFNESS, 3, k[_i], 1), (double[]){5.1, 5.1, 6.1});
    label(add("M", "b", FB_ROLE_MASS, 3, m, 1),
          (double[]){6.1, 5.1, 5.1}); /* k-th 5.1 of M is the k-th of K */
    must();
    ck_assert_int_eq(t->b.ndof, 3);
    ck_assert_double_eq(at(&t->b.M, 0, 0), 2);
    ck_assert_double_eq(at(&t->b.M, 1, 1), 3);
    ck_assert_double_eq(at(&t->b.M, 2, 2), 1);
    ck_assert_int_eq(t->b.dof_class[0], FB_DOF_INTERNAL);
    ck_assert_int_eq(t->b.dof_class[2], FB_DOF_PHYSICAL);
    if (_i == 0)
        ck_assert_double_eq(t->b.total_mass[0], 6);
    else /* that all rows resist is the word of none that they are translations */
        ck_assert(!t->b.total_mass && !t->b.rigid_residual);
    warned("1 label stands for several dofs");
}
END_TEST

START_TEST(labels_from_the_user)
{
    static const double k[16] = {2, -1, 0, 0, -1, 2, -1, 0, 0, -1, 2, -1, 0, 0, -1, 2};
    add("K", "K.mtx", FB_ROLE_UNKNOWN, 4, k, 1);
    t->p.how.dofs_per_node = 2;
    t->p.how.interface = "2";
    must();
    ck_assert_int_eq(t->b.dof_node[3], 2);
    ck_assert_int_eq(t->b.dof_component[3], 2);
    ck_assert_int_eq(t->b.nb, 2);
    ck_assert_int_eq(t->b.interface_dof[0], 2);
}
END_TEST

START_TEST(rows_follow_the_nodes_that_fit)
{
    static const double k[4] = {2, -1, -1, 2};
    add("K", "K.mtx", FB_ROLE_UNKNOWN, 2, k, 1);
    node(40, 1, 0, 0, NULL);
    node(20, 0, 0, 0, NULL);
    t->p.how.dofs_per_node = 1;
    must();
    ck_assert_int_eq(t->b.dof_node[0], 20);
    ck_assert_int_eq(t->b.dof_node[1], 40);
}
END_TEST

START_TEST(label_faults)
{
    int64_t vector[] = {1, 2, 3, 4, 5};
    fb_matrix *m = add("K", "K.mtx", FB_ROLE_STIFFNESS, 2, spring, 1);
    t->p.how.dofs_per_node = 3;
    must_fail(FB_EUSAGE, "--dofs-per-node 3: the matrices have 2 rows, which is no multiple");
    teardown();
    setup();
    add("K", "K.mtx", FB_ROLE_STIFFNESS, 2, spring, 1);
    add("M", "M.mtx", FB_ROLE_MASS, 1, spring, 1);
    must_fail(FB_EFORMAT,
              "the mass matrix has 1 rows, another 2: without dof labels they must have the same");
    teardown();
    setup();
    label(add("K", "K.mtx", FB_ROLE_STIFFNESS, 2, spring, 1), (double[]){1.1, 2.1});
    add("M", "M.mtx", FB_ROLE_MASS, 1, spring, 1);
    must_fail(FB_EFORMAT, "M.mtx has 1 rows without dof labels, the labelled stiffness has 2");
    teardown();
    setup();
    m = label(add("K", "K.mtx", FB_ROLE_STIFFNESS, 2, spring, 1), (double[]){1.1, 2.1});
    m->row.component[1] = 100;
    must_fail(FB_EFORMAT, "node 2 has a dof of component 100: 0..99 is wanted");
    teardown();
    setup();
    add("", "K.txt", FB_ROLE_STIFFNESS, 2, spring,
        1); /* Matrix Market has no names: the file's stands for it */
    ck_assert_int_eq(fb_new(&t->p.table.node, 5, 8, "dof table", &t->e), FB_OK);
    ck_assert_int_eq(fb_new(&t->p.table.component, 5, 8, "dof table", &t->e), FB_OK);
    memcpy(t->p.table.node, vector, sizeof vector);
    t->p.ntable = 5;
    t->p.table_blocks = 1;
    must_fail(FB_EFORMAT, "K.txt has 2 rows, the node vector 5 nodes");
    t->p.table_blocks = 0;
    must_fail(FB_EFORMAT, "K.txt has 2 rows, the dof table 5: are they of the same job?");
    teardown();
    setup();
    m = add("K", "K.mtx", FB_ROLE_STIFFNESS, 2, spring, 0);
    m->A.m = 3;
    must_fail(FB_EFORMAT, "the stiffness matrix is 3 by 2: a square one is wanted");
}
END_TEST

/* Another job's mass: another number of rows without labels; with them, where the format lists
 * every row, other rows. */
START_TEST(another_jobs_mass)
{
    static const double k[9] = {2, -1, 0, -1, 2, -1, 0, -1, 2}, m[9] = {1, 0, 0, 0, 1, 0, 0, 0, 1};
    add("K", "K.sti", FB_ROLE_STIFFNESS, 2, spring, 1);
    add("M", "M.mas", FB_ROLE_MASS, 1, unit2, 1);
    must_fail(FB_EFORMAT, "the mass matrix has 1 rows, another 2: without dof labels they must "
                          "have the same; are they of the same job?");
    for (int every = 0; every < 3; every++) {
        teardown();
        setup();
        fb_matrix *K =
            label(add("K", "K.mtx", FB_ROLE_STIFFNESS, 3, k, 1), (double[]){1.1, 2.1, 3.1});
        fb_matrix *M = label(add("M", "M.mtx", FB_ROLE_MASS, every == 2 ? 2 : 3, m, 1),
                             (double[]){1.1, 2.1, 7.1});
        K->every_row = M->every_row = every > 0;
        if (every == 1)
            must_fail(FB_EFORMAT, "stiffness and mass are not of the same job: 1 of the 3 rows of "
                                  "the stiffness are not in the mass, 1 "
                                  "rows of the mass not in the stiffness (first: 3.1)");
        else if (every == 2)
            must_fail(FB_EFORMAT, "1 of the 3 rows of the stiffness are not in the mass, 0 rows");
        else
            must();
    }
    /* Rows of the solver's own (multipliers) need no mass; rows that are left out, as DMIG does,
     * are worth a word where they are many: 1 of 3 here. */
    teardown();
    setup();
    fb_matrix *K = label(add("K", "K.mtx", FB_ROLE_STIFFNESS, 3, k, 1), (double[]){1.1, 2.1, 3.1});
    fb_matrix *M = label(add("M", "M.mtx", FB_ROLE_MASS, 2, unit2, 1), (double[]){1.1, 2.1});
    K->every_row = M->every_row = 1;
    ck_assert_int_eq(fb_new(&K->row.class, 3, 8, "classes", &t->e), FB_OK);
    K->row.class[2] = FB_DOF_INTERNAL;
    must();
    teardown();
    setup();
    label(add("K", "K.pch", FB_ROLE_STIFFNESS, 3, k, 1), (double[]){1.1, 2.1, 3.1});
    label(add("M", "M.pch", FB_ROLE_MASS, 2, unit2, 1), (double[]){1.1, 2.1});
    must();
    warned("1 of 3 translations of the stiffness have no row in the mass matrix (first: 3.1), 0 "
           "rows of the mass none in the stiffness: "
           "are they of the same job?");
}
END_TEST

/* ---- symmetry ----------------------------------------------------------------------------- */

START_TEST(halves_are_averaged_when_they_agree)
{
    const double k[9] = {4, -1, 0.25, -1 - 2e-9, 5, -2, 0.25, -2, 6};
    add("K", "K.mtx", FB_ROLE_STIFFNESS, 3, k, 0);
    must();
    ck_assert_double_eq_tol(t->b.asymmetry[0], 2e-9 / 6, 1e-15);
    ck_assert_double_eq_tol(at(&t->b.K, 0, 1), -1 - 1e-9, 1e-15);
    ck_assert_int_eq(t->b.K.upper, 1);
    ck_assert_int_eq(t->b.K.p[3], 6);
    warned("the stiffness matrix is not symmetric by 3.33e-10 of its largest entry: the halves are "
           "averaged");
}
END_TEST

/* Equal halves are one of them, also where a zero that is stored has no partner. */
START_TEST(equal_halves_are_one)
{
    const double k[9] = {4, -1, 0, -1, 5, -2, 1, -2, 6}; /* (2,0) is made a zero */
    fb_matrix *m = add("K", "K.mtx", FB_ROLE_STIFFNESS, 3, k, 0);
    m->A.x[2] = _i ? 0 : -0.0;
    must();
    ck_assert_double_eq(t->b.asymmetry[0], 0);
    ck_assert_int_eq(t->b.K.upper, 1);
    ck_assert_int_eq(t->b.K.p[3], 5);
    for (int64_t i = 0; i < 3; i++)
        for (int64_t j = i; j < 3; j++)
            ck_assert_double_eq(at(&t->b.K, i, j), k[3 * i + j]);
}
END_TEST

START_TEST(gross_asymmetry_is_refused)
{
    const double k[9] = {4, -1, 0, -1, 5, -2, 0.5, -2, 6}; /* (2,0) has no partner */
    label(add("K", "K.mtx", FB_ROLE_STIFFNESS, 3, k, 0), (double[]){1.1, 1.2, 2.1});
    must_fail(FB_EFORMAT, "the stiffness matrix is not symmetric: at dofs 2.1, 1.1 the halves "
                          "differ by 0.0833 of the largest");
    teardown();
    setup();
    label(add("K", "K.mtx", FB_ROLE_STIFFNESS, 3, k, 0), (double[]){1.1, 1.2, 2.1});
    t->p.how.force_symmetric = 1;
    must();
    ck_assert_double_eq(at(&t->b.K, 0, 2), 0.25);
    ck_assert_double_eq(at(&t->b.K, 0, 1), -1);
    warned("by 0.0833 of its largest entry");
}
END_TEST

START_TEST(one_half_in_a_general_matrix)
{
    static const double up[4] = {4, -1, 0, 5}, low[4] = {4, 0, -1, 5};
    for (int k = 0; k < 2; k++) {
        teardown();
        setup();
        add("K", "K.mtx", FB_ROLE_STIFFNESS, 2, k ? up : low, 0);
        must_fail(FB_EFORMAT, "the stiffness matrix has entries on one side of its diagonal only; "
                              "--force-symmetric mirrors them");
        teardown();
        setup();
        add("K", "K.mtx", FB_ROLE_STIFFNESS, 2, k ? up : low, 0);
        t->p.how.force_symmetric = 1;
        must();
        ck_assert_double_eq(at(&t->b.K, 0, 1), -1);
        ck_assert_double_eq(at(&t->b.K, 1, 1), 5);
    }
}
END_TEST

/* ---- checks ------------------------------------------------------------------------------- */

START_TEST(findings_by_dof)
{
    /*                        1.1 1.2 2.1  2.2 3.1  4.1 5.1 6.1 */
    static const double k[64] = {
        4,  0, -1, 0, 0,  0, 0, 0,  0, 0, 0, 0,    0, 0, 0, 0, /* null                       */
        -1, 0, 5,  0, -1, 0, 0, -2, 0, 0, 0, 1e36, 0, 0, 0, 0, /* held                       */
        0,  0, -1, 0, 3,  0, 0, 0,                             /* massless                   */
        0,  0, 0,  0, 0,  1, 0, 0,                             /* a one on both diagonals    */
        0,  0, 0,  0, 0,  0, 7, 0,                             /* loose, of negative mass    */
        0,  0, -2, 0, 0,  0, 0, 0};                            /* multiplier                 */
    static const double m[64] = {[0] = 2, [18] = 3, [27] = 1, [45] = 1, [54] = -1};
    const double l[8] = {1.1, 1.2, 2.1, 2.2, 3.1, 4.1, 5.1, 6.1};
    label(add("K", "K.mtx", FB_ROLE_STIFFNESS, 8, k, 1), l);
    label(add("M", "M.mtx", FB_ROLE_MASS, 8, m, 1), l);
    must();
    static const int64_t want[FB_NCHECK] = {1, 1, 1, 1, 1, 1, 1};
    for (int kind = 0; kind < FB_NCHECK; kind++)
        ck_assert_msg(found((fb_checkkind)kind) == want[kind], "kind %d: %lld", kind,
                      (long long)found((fb_checkkind)kind));
    warned("1 dof has neither stiffness nor mass and is left out: 1.2");
    warned("1 dof is held by a huge diagonal: left out of all matrices: 2.2");
    warned("1 dof has a negative mass: 5.1");
    warned("1 dof has a one on both diagonals and nothing else: held (it would show as a mode of "
           "0.159 Hz), left out of all matrices: "
           "4.1");
    warned("1 dof is in a part that nothing joins to the rest: 5.1");
    ck_assert_int_eq(t->b.ndof, 5);
    ck_assert_int_eq(t->b.dof_class[4], FB_DOF_MULTIPLIER);
    ck_assert_int_eq(t->b.na, 8);
    ck_assert_int_eq(t->b.all_class[3], FB_DOF_FIXED);
    ck_assert_int_eq(t->b.all_class[5], FB_DOF_FIXED);
    ck_assert_ptr_null(
        t->b.total_mass); /* nothing places the nodes, and K resists the motion of most rows */
    ck_assert_int_eq(t->b.G.m, 8);
    ck_assert_int_eq(t->b.G.n, 5);
    ck_assert_int_eq(t->b.G.p[5], 5);
    ck_assert_double_eq(at(&t->b.G, 2, 1), 1); /* 2.1 is the second that is kept */
    ck_assert_double_eq(at(&t->b.K, 1, 2), -1);
    ck_assert_double_eq(at(&t->b.M, 1, 1), 3);
}
END_TEST

/* Modes as a diagonal pair: w^2 = 1 is one of them, not a constraint. */
START_TEST(a_diagonal_pair_has_no_unit_rows)
{
    static const double k[9] = {1, 0, 0, 0, 4, 0, 0, 0, 9}, m[9] = {1, 0, 0, 0, 1, 0, 0, 0, 1};
    label(add("K", "K.mtx", FB_ROLE_STIFFNESS, 3, k, 1), (double[]){1.1, 2.1, 3.1});
    label(add("M", "M.mtx", FB_ROLE_MASS, 3, m, 1), (double[]){1.1, 2.1, 3.1});
    must();
    ck_assert_int_eq(t->b.ndof, 3);
    ck_assert_int_eq(found(FB_CHECK_UNIT), 0);
}
END_TEST

/* K = [2 a; a' 2] with a = -1 -+ i h: hermitian; two sectors of a ring. With a = -1 + i h in both
 * halves: structural damping. */
START_TEST(hermitian_is_not_structural_damping)
{
    static const double k[4] = {2, -1, -1, 2};
    static const struct {
        double imag[4]; /* by columns */
        const char *fault;
    } row[] = {
        {{0, -.5, .5, 0},
         "K.mtx is hermitian: a sector of a cyclic structure, not structural damping, and its real "
         "part has other modes"},
        {{.1, -.5, .4, 0},
         "the imaginary part of K.mtx is not symmetric: it is no structural damping"},
        {{.1, .5, .5, 0}, NULL},
    };
    for (size_t q = 0; q < sizeof row / sizeof *row; q++) {
        teardown();
        setup();
        fb_matrix *K = add("", "K.mtx", FB_ROLE_STIFFNESS, 2, k, 0);
        ck_assert_int_eq(fb_new(&K->imag, 4, 8, "imaginary", &t->e), FB_OK);
        memcpy(K->imag, row[q].imag, sizeof row[q].imag);
        if (row[q].fault) {
            must_fail(FB_EFORMAT, row[q].fault);
        } else {
            must();
            ck_assert_double_eq(at(&t->b.S, 0, 0), .1);
            ck_assert_double_eq(at(&t->b.S, 0, 1), .5);
        }
    }
}
END_TEST

/* Skew at unit speed; symmetric, of one half and of any form: refused by name and dofs. */
START_TEST(gyroscopic_is_skew)
{
    static const double skew[4] = {0, -3, 3, 0}, half[4] = {0, 0, 3, 0}, any[4] = {0, -2, 3, 0};
    static const struct {
        const double *g;
        int upper;
        const char *fault;
    } row[] = {{skew, 0, NULL},
               {spring, 1, "the gyroscopic matrix G.mtx is symmetric: one of unit speed is skew"},
               {spring, 0, "the gyroscopic matrix G.mtx is symmetric: at dofs"},
               {half, 0, "the gyroscopic matrix G.mtx is not skew: at dofs 2, 1"},
               {any, 0, "it differs from -G' by 0.333 of the largest entry"}};
    for (size_t q = 0; q < sizeof row / sizeof *row; q++) {
        teardown();
        setup();
        add("", "K.mtx", FB_ROLE_STIFFNESS, 2, spring, 1)->input = 1;
        add("", "G.mtx", FB_ROLE_UNKNOWN, 2, row[q].g, row[q].upper)->input = 2;
        t->p.how.gyroscopic = (fb_choice){"G.mtx", NULL, 2};
        if (row[q].fault) {
            must_fail(FB_EFORMAT, row[q].fault);
        } else {
            must();
            ck_assert_double_eq(at(&t->b.gyroscopic, 0, 1), -3);
            ck_assert_double_eq(at(&t->b.gyroscopic, 1, 0), 3);
        }
    }
}
END_TEST

/* Two that could be it: none is taken, and a word says so. */
START_TEST(structural_damping_in_doubt)
{
    add("KAA", "a", FB_ROLE_STIFFNESS, 2, spring, 1);
    add("K4AA", "a", FB_ROLE_UNKNOWN, 2, spring, 1);
    add("K4GG", "a", FB_ROLE_UNKNOWN, 2, spring, 1);
    must();
    ck_assert(!t->b.S.p);
    warned("2 matrices could be the structural-damping: K4AA of a, K4GG of a; none is taken");
}
END_TEST

static void given(const char *name)
{
    ck_assert_int_eq(fb_parts_given(&t->p, name, &t->e), FB_OK);
}

/* Five inputs: K and M of the model, a matrix that no one knows, a dof table that no one needs, and
 * a file of nothing. */
START_TEST(inputs_that_are_not_used)
{
    static const double free_spring[4] = {1, -1, -1, 1};
    given("f/K.mtx");
    label(add("K", "f/K.mtx", FB_ROLE_STIFFNESS, 2, free_spring, 1), (double[]){1.1, 2.1})->input =
        1;
    given("f/M.mtx");
    label(add("M", "f/M.mtx", FB_ROLE_MASS, 2, unit2, 1), (double[]){1.1, 2.1})->input = 2;
    given("f/x.mtx");
    label(add("QHH", "f/x.mtx", FB_ROLE_OTHER, 2, unit2, 1), (double[]){1.1, 2.1})->input = 3;
    given("f/job.dof");
    ck_assert_int_eq(fb_new(&t->p.table.node, 2, 8, "dof table", &t->e), FB_OK);
    ck_assert_int_eq(fb_new(&t->p.table.component, 2, 8, "dof table", &t->e), FB_OK);
    t->p.ntable = 2;
    given("f/empty.inp");
    given("f/nodes.txt");
    node(1, 0, 0, 0, NULL);
    node(2, 1, 0, 0, NULL);
    must();
    warned("x.mtx is not used: its matrix (QHH) is not known as stiffness, mass or damping; "
           "--stiffness, --mass, --damping, --structural-damping or --gyroscopic FILE[:NAME] "
           "names it");
    warned("job.dof is not used: the matrices name their dofs themselves");
    warned("empty.inp is not used: nothing in it belongs to a model");
    ck_assert_int_eq(t->log.nwarning, 3);
}
END_TEST

START_TEST(a_node_joins_its_dofs)
{
    static const double k[16] = {2,  0, -1, 0, 0, 2,  0, -1,
                                 -1, 0, 2,  0, 0, -1, 0, 2}; /* x and y apart */
    label(add("K", "K.mtx", FB_ROLE_STIFFNESS, 4, k, 1), (double[]){1.1, 1.2, 2.1, 2.2});
    must();
    ck_assert_int_eq(found(FB_CHECK_PART), 0);
    ck_assert(t->b.check_kind != NULL);
}
END_TEST

START_TEST(parts_without_labels_warn_where_they_float)
{
    static const double k[16] = {2, 0, -1, 0, 0, 2, 0, -2, -1, 0, 2, 0, 0, -2, 0, 2};
    add("K", "K.mtx", FB_ROLE_STIFFNESS, 4, k, 1);
    must();
    ck_assert_int_eq(found(FB_CHECK_PART), 2); /* rows 2 and 4 */
    warned("2 dofs are in parts that nothing joins to the rest: 2 4");
}
END_TEST

START_TEST(everything_held)
{
    static const double k[4] = {1e36, 0, 0, 1e36};
    add("K", "K.mtx", FB_ROLE_STIFFNESS, 2, k, 1);
    must_fail(FB_EFORMAT, "no dof is left: the matrices are zero, or all dofs are held");
}
END_TEST

START_TEST(not_a_number)
{
    const double k[4] = {1, NAN, NAN, 1};
    add("K", "K.mtx", FB_ROLE_STIFFNESS, 2, k, 1);
    must_fail(FB_EFORMAT, "K of K.mtx(0,1) is not finite");
}
END_TEST

/* ---- a body: bars between the corners of a box -------------------------------------------- */

enum { CORNERS = 8, NDOF = 24 };
static double corner[CORNERS][3];

static void box_matrices(double *K, double *M)
{
    memset(K, 0, NDOF * NDOF * sizeof *K);
    memset(M, 0, NDOF * NDOF * sizeof *M);
    for (int a = 0; a < CORNERS; a++) {
        const double u[3] = {a & 1 ? 1.3 : 0, a & 2 ? 0.7 : 0, a & 4 ? 2.1 : 0};
        memcpy(corner[a], u, sizeof u);
        for (int c = 0; c < 3; c++)
            M[(3 * a + c) * NDOF + 3 * a + c] = 1 + 0.1 * a;
    }
    for (int a = 0; a < CORNERS; a++)
        for (int b = 0; b < a; b++) {
            double n[3], l = 0;
            for (int c = 0; c < 3; c++) {
                n[c] = corner[a][c] - corner[b][c];
                l += n[c] * n[c];
            }
            for (int c = 0; c < 3; c++)
                for (int d = 0; d < 3; d++) {
                    double k = (100 + 7 * a + 3 * b) * n[c] * n[d] / l;
                    K[(3 * a + c) * NDOF + 3 * a + d] += k;
                    K[(3 * b + c) * NDOF + 3 * b + d] += k;
                    K[(3 * a + c) * NDOF + 3 * b + d] -= k;
                    K[(3 * b + c) * NDOF + 3 * a + d] -= k;
                }
        }
}

/* The box with nodes 11..18; frames [8][9] may turn the matrices into local axes. */
static void box(const double (*frame)[9])
{
    static double K[NDOF * NDOF], M[NDOF * NDOF], L[NDOF * NDOF];
    double l[NDOF];
    box_matrices(K, M);
    for (int k = 0; k < NDOF; k++)
        l[k] = 11 + k / 3 + 0.1 * (1 + k % 3);
    if (frame) { /* L = F' K F */
        memset(L, 0, sizeof L);
        for (int i = 0; i < NDOF; i++)
            for (int j = 0; j < NDOF; j++)
                for (int a = 0; a < 3; a++)
                    for (int b = 0; b < 3; b++)
                        L[i * NDOF + j] += frame[i / 3][3 * a + i % 3] *
                                           K[(i / 3 * 3 + a) * NDOF + j / 3 * 3 + b] *
                                           frame[j / 3][3 * b + j % 3];
        memcpy(K, L, sizeof L);
    }
    label(add("K", "box", FB_ROLE_STIFFNESS, NDOF, K, 1), l);
    label(add("M", "box", FB_ROLE_MASS, NDOF, M, 1), l);
    for (int a = 0; a < CORNERS; a++)
        node(11 + a, corner[a][0], corner[a][1], corner[a][2], frame ? frame[a] : NULL);
    set_of("FACE", 11, 4);
    set_of("Far", 15, 4);
}

START_TEST(a_free_body_weighs_what_it_weighs)
{
    box(NULL);
    must();
    double m = 0, c[3] = {0}, J[3][3] = {{0}};
    for (int a = 0; a < CORNERS; a++)
        m += 1 + 0.1 * a;
    for (int a = 0; a < CORNERS; a++)
        for (int k = 0; k < 3; k++)
            c[k] += (1 + 0.1 * a) * corner[a][k] / m;
    for (int a = 0; a < CORNERS; a++) {
        double r[3], rr = 0;
        for (int k = 0; k < 3; k++) {
            r[k] = corner[a][k] - c[k];
            rr += r[k] * r[k];
        }
        for (int k = 0; k < 3; k++)
            for (int q = 0; q < 3; q++)
                J[k][q] += (1 + 0.1 * a) * ((k == q) * rr - r[k] * r[q]);
    }
    for (int k = 0; k < 3; k++) {
        ck_assert_double_eq_tol(t->b.total_mass[k], m, 1e-12);
        ck_assert_double_eq_tol(t->b.mass_center[k], c[k], 1e-12);
        for (int q = 0; q < 3; q++)
            ck_assert_double_eq_tol(t->b.mass_inertia[3 * k + q], J[k][q], 1e-11);
    }
    for (int k = 0; k < 6; k++)
        ck_assert_double_lt(t->b.rigid_residual[k], 1e-14);
    ck_assert_int_eq(t->log.nwarning, 0);
}
END_TEST

START_TEST(wrong_coordinates_show)
{
    box(NULL);
    t->p.xyz[5] += 0.1;
    must();
    ck_assert_double_gt(t->b.rigid_residual[3], 1e-3);
    warned("K resists rigid motion by");
}
END_TEST

/* Rows of x, y removed at the nodes of one or two planes: symmetry, no alarm, though a direction
 * has half of the mass of another. Removed at two nodes that are in no plane normal to x: supports,
 * which the page must tell. */
static void cut_box(int planes)
{
    static double K[NDOF * NDOF], M[NDOF * NDOF], k[NDOF * NDOF], m[NDOF * NDOF];
    double l[NDOF];
    int kept[NDOF], n = 0;
    box_matrices(K, M);
    for (int d = 0; d < NDOF; d++) {
        int a = d / 3, c = d % 3,
            gone = planes ? c < planes && !(a >> c & 1) : c == 0 && (a == 0 || a == 7);
        if (gone)
            continue;
        l[n] = 11 + a + 0.1 * (1 + c);
        kept[n++] = d;
    }
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++) {
            k[i * n + j] = K[kept[i] * NDOF + kept[j]];
            m[i * n + j] = M[kept[i] * NDOF + kept[j]];
        }
    label(add("K", "box", FB_ROLE_STIFFNESS, n, k, 1), l);
    label(add("M", "box", FB_ROLE_MASS, n, m, 1), l);
    for (int a = 0; a < CORNERS; a++)
        node(11 + a, corner[a][0], corner[a][1], corner[a][2], NULL);
}

START_TEST(planes_of_symmetry)
{
    cut_box(_i);
    must();
    ck_assert_double_gt(t->b.rigid_residual[0], 1e-3);
    for (int c = _i ? _i : 1; c < 3; c++)
        ck_assert_double_lt(t->b.rigid_residual[c], 1e-14);
    ck_assert_msg(t->log.nwarning == !_i, "%s", t->log.nwarning ? t->log.warning[0] : "silent");
    if (!_i)
        warned("K resists rigid motion by");
}
END_TEST

/* Of what the deck holds 11.1 and 18.1 are cut out of the matrices; 12.1 is in them, and rotations
 * no solid has. */
START_TEST(supports_of_the_deck)
{
    static const int64_t node[] = {18, 11, 11, 12, 18}, component[] = {1, 4, 1, 1, 1};
    cut_box(0);
    for (int k = 0; k < 5; k++)
        ck_assert_int_eq(
            fb_labels_add(&t->p.held, &t->p.nheld, &t->p.cap_held, node[k], component[k], 0, &t->e),
            FB_OK);
    must();
    ck_assert_int_eq(t->log.nwarning, 1);
    warned(
        "the body is fixed to ground: 2 dofs that the deck holds are not in the matrices, so that "
        "it cannot be freed again; for a body that moves solve without supports. Held: 11.1 18.1");
}
END_TEST

/* The box with two coordinates 101.1 and 102.1 of mass 1, stiffness 5 and 9, the first joined to
 * corners 11 and 12 by the mass; one entry of K or M is changed. A seventh: 101 has a place. */
static void modal_box(int stiffness, int64_t r, int64_t c, double x)
{
    enum { ALL = NDOF + 2 };
    static double K[NDOF * NDOF], M[NDOF * NDOF], k[ALL * ALL], m[ALL * ALL];
    double l[ALL];
    box_matrices(K, M);
    memset(k, 0, sizeof k);
    memset(m, 0, sizeof m);
    for (int i = 0; i < NDOF; i++)
        for (int j = 0; j < NDOF; j++) {
            k[i * ALL + j] = K[i * NDOF + j];
            m[i * ALL + j] = M[i * NDOF + j];
        }
    for (int i = 0; i < ALL; i++)
        l[i] = i < NDOF ? 11 + i / 3 + 0.1 * (1 + i % 3) : 101.1 + i - NDOF;
    k[NDOF * ALL + NDOF] = 5;
    k[(NDOF + 1) * ALL + NDOF + 1] = 9;
    m[NDOF * ALL + NDOF] = m[(NDOF + 1) * ALL + NDOF + 1] = 1;
    m[NDOF * ALL] = m[NDOF] = 0.3;
    m[NDOF * ALL + 4] = m[4 * ALL + NDOF] = -0.2;
    double *a = stiffness ? k : m;
    if (r >= 0)
        a[r * ALL + c] = a[c * ALL + r] = x;
    label(add("K", "box", FB_ROLE_STIFFNESS, ALL, k, 1), l);
    label(add("M", "box", FB_ROLE_MASS, ALL, m, 1), l);
    for (int q = 0; q < CORNERS; q++)
        node(11 + q, corner[q][0], corner[q][1], corner[q][2], NULL);
}

START_TEST(modal_coordinates_without_a_sign)
{
    static const struct {
        int stiffness;
        int64_t r, c;
        double x;
        int64_t modal;
    } row[] = {{0, -1, -1, 0, 2},
               {0, NDOF, NDOF, 1 + 1e-7, 2},
               {0, NDOF, NDOF, 1.01, 0}, /* then the other one is joined to nothing */
               {0, NDOF + 1, NDOF + 1, 1.01, 1},
               {1, NDOF + 1, 0, -0.1, 1},
               {1, NDOF + 1, NDOF + 1, -9, 1},
               {0, NDOF + 1, NDOF, 0.1, 0},
               {0, -1, -1, 0, 1}};
    for (size_t k = 0; k < sizeof row / sizeof *row; k++) {
        int64_t n = 0;
        teardown();
        setup();
        modal_box(row[k].stiffness, row[k].r, row[k].c, row[k].x);
        if (k == 7)
            node(102, 0, 0, 5, NULL);
        must();
        for (int64_t d = 0; d < t->b.ndof; d++)
            if (t->b.dof_class[d] == FB_DOF_GENERALIZED) {
                ck_assert_int_ge(t->b.dof_node[d], 101);
                ck_assert_int_eq(t->b.dof_component[d], 0);
                n++;
            }
        ck_assert_msg(n == row[k].modal, "row %zu: %lld", k, (long long)n);
    }
    teardown();
    setup();
    modal_box(0, -1, -1, 0);
    must();
    warned(
        "2 dofs, each alone at a node without a place, have the mass 1 and no stiffness but their "
        "own, as modal coordinates of a superelement have them: taken for these: 101.1 102.1");
    ck_assert_int_eq(t->b.nr, NDOF + 2);
    ck_assert_int_eq(t->b.nb, NDOF);
}
END_TEST

static void turn(double angle, int axis, double F[9])
{
    int y = (axis + 1) % 3, z = (axis + 2) % 3;
    memset(F, 0, 9 * sizeof *F);
    F[3 * axis + axis] = 1;
    F[3 * y + y] = F[3 * z + z] = cos(angle);
    F[3 * z + y] = sin(angle);
    F[3 * y + z] = -sin(angle);
}

START_TEST(displacement_frames_are_undone)
{
    static double K[NDOF * NDOF], M[NDOF * NDOF];
    double F[CORNERS][9];
    for (int a = 0; a < CORNERS; a++)
        turn(a == 3 ? 0 : 0.3 + 0.4 * a, a % 3, F[a]);
    box((const double(*)[9])F);
    must();
    box_matrices(K, M);
    for (int i = 0; i < NDOF; i++)
        for (int j = 0; j < NDOF; j++) {
            ck_assert_double_eq_tol(at(&t->b.K, i, j), K[i * NDOF + j], 1e-12 * 1000);
            ck_assert_double_eq_tol(at(&t->b.M, i, j), M[i * NDOF + j], 1e-14);
        }
    for (int k = 0; k < 6; k++)
        ck_assert_double_lt(t->b.rigid_residual[k], 1e-14);
}
END_TEST

START_TEST(frames_of_incomplete_nodes_are_kept)
{
    double F[9];
    turn(0.5, 2, F);
    label(add("K", "K", FB_ROLE_STIFFNESS, 2, spring, 1), (double[]){1.1, 2.2});
    node(1, 0, 0, 0, NULL);
    node(2, 1, 0, 0, F);
    must();
    warned("1 dof stay in the displacement frame of the node, because its other directions are not "
           "in the matrices");
    ck_assert_int_eq(t->b.dof_class[1], FB_DOF_INTERNAL);
    ck_assert_double_eq(at(&t->b.K, 0, 1), -1);
}
END_TEST

START_TEST(frames_must_be_orthonormal)
{
    const double F[9] = {1, 0, 0, 0, 2, 0, 0, 0, 1};
    label(add("K", "K", FB_ROLE_STIFFNESS, 2, spring, 1), (double[]){1.1, 1.2});
    node(1, 0, 0, 0, F);
    must_fail(FB_EFORMAT, "node 1: the axes of its displacement frame are not orthonormal (by 3)");
}
END_TEST

START_TEST(nodes_that_come_twice)
{
    box(NULL);
    node(11, 0, 0, 1e-7, NULL);
    must();
    ck_assert_int_eq(t->b.nn, 8);
    teardown();
    setup();
    box(NULL);
    node(12, 1.3, 0.1, 0, NULL);
    must_fail(FB_EFORMAT, "node 12 has two places, 0.1 apart: (1.3, 0, 0) and (1.3, 0.1, 0)");
}
END_TEST

/* ---- interface ---------------------------------------------------------------------------- */

static void interface_is(const char *list, const char *dofs)
{
    char got[400] = "";
    teardown();
    setup();
    box(NULL);
    t->p.how.interface = list;
    must();
    for (int64_t k = 0; k < t->b.nb; k++)
        snprintf(got + strlen(got), sizeof got - strlen(got), "%s%lld.%lld", k ? " " : "",
                 (long long)t->b.dof_node[t->b.interface_dof[k]],
                 (long long)t->b.dof_component[t->b.interface_dof[k]]);
    ck_assert_str_eq(got, dofs);
}

static void interface_fails(const char *list, const char *text)
{
    teardown();
    setup();
    box(NULL);
    t->p.how.interface = list;
    must_fail(FB_EUSAGE, text);
}

START_TEST(interface_lists)
{
    interface_is("12:31", "12.3 12.1");
    interface_is("nodes:13-14:2,11", "13.2 14.2 11.1 11.2 11.3");
    ck_assert_int_eq(t->b.nc, 3);
    ck_assert_int_eq(t->b.connector_node[0], 13);
    ck_assert_double_eq(t->b.connector_position[6], 0);
    interface_is("nset:face:1", "11.1 12.1 13.1 14.1");
    interface_is("FAR:2 16", "15.2 16.2 17.2 18.2 16.1 16.3");
    warned("--interface: 1 dof is named more than once, counted once: 16.2");
    interface_is("\"far\":3", "15.3 16.3 17.3 18.3");
}
END_TEST

/* The box has corners 11 .. 18 at x 0 or 1.3, y 0 or 0.7, z 0 (FACE) or 2.1 (Far); 1e-5 of its
 * diagonal is 2.6e-5. */
START_TEST(places)
{
    interface_is("x=max:1", "12.1 14.1 16.1 18.1");
    interface_is("x=MIN:y=max:3", "13.3 17.3");
    interface_is("Y=0.7:z=0:2 11:1", "13.2 14.2 11.1");
    interface_is("z=0.00002:y=0:1", "11.1 12.1");
    interface_is("z=0..:x=..0.5:y=0.2..1:1", "13.1 17.1");
    interface_is("z=.5...3e1:x=0:1", "15.1 17.1"); /* from .5 to .3e1 */
    interface_is("z>0:z<2.2:x>1.2:1", "16.1 18.1");
    interface_is("near:1.2,0.6,2:23,11:1", "18.2 18.3 11.1");
    interface_is("near:0,0,1.05:z<1:1", "11.1"); /* 11 and 15 are equally near */
    interface_is("FAR:x=min:1,FACE:near:1,1,2:1", "15.1 17.1 14.1");
    interface_is("11-14:y=max:1", "13.1 14.1");
    interface_is("box:1.3,0.7,1,1,0,3:1", "16.1 18.1");
    interface_is("sphere:0,0,2.1,0.7:1", "15.1 17.1");
    interface_is("cylinder:0,0,-1,0,0,5,0.7:1", "11.1 13.1 15.1 17.1");
    interface_is("cylinder:0,0,-1,0,0,2,0.71:1", "11.1 13.1");
    interface_is("x=0:y=0,\"far\":x=0:2", "11.1 11.2 11.3 15.1 15.2 15.3 17.2");
    warned("--interface: 1 dof is named more than once, counted once: 15.2");
}
END_TEST

START_TEST(places_without_nodes)
{
    static const char *const row[][2] = {
        {"x=0.6",
         "--interface: no node is at 'x=0.6' among 8, at x 0 to 1.3, y 0 to 0.7, z 0 to 2.1; "
         "the nearest has x=0"},
        {"z=0.00003:y=0", "no node is at 'z=0.00003' among 8"},
        {"z>2.09999:x=0", "no node is at 'z>2.09999' among 8"},
        {"FACE:z=2.1", "no node is at 'z=2.1' among 4, at x 0 to 1.3, y 0 to 0.7, z 0 to 0"},
        {"sphere:9,9,9,1", "no node is at 'sphere:9,9,9,1' among 8"},
        {"near:3,3,3", "'near:3,3,3' lies 3 from the nearest node of a body of size 2.57: is the "
                       "place in the unit of its coordinates?"},
        {"near:0,0,1.05", "'near:0,0,1.05': 2 nodes are equally near: 11 15: name one"},
        {"cylinder:1,1,1,1,1,1,5", "both ends of the axis are one point"},
        {"z=3..1", "'z=3..1' runs backwards"},
        {"x=..", "'x=..' is no place, nor a part of one; places are x=A"},
        {"x=max:7", "'x=max:7' is no place"},
        {"x>max", "'x>max' is no place"},
        {"z=1..2..3", "'z=1..2..3' is no place"},
        {"box:1,2,3,11", "'box:1,2,3,11' is no place"},
        {"near:0,0,nan", "'near:0,0,nan' is no place"},
        {"11:x=", "'11:x=' is no place"},
        {"99:x=0", "the model has no node 99"},
        {"ENDS:x=0", "the input has no set 'ENDS'; it has FACE, Far"},
        {"x", "the input has no set 'x'; it has FACE, Far; the shell wants 'x>1' in quotes"},
    };
    for (size_t k = 0; k < sizeof row / sizeof *row; k++)
        interface_fails(row[k][0], row[k][1]);
}
END_TEST

/* A list in a file ends where the file does, in a place as elsewhere. */
START_TEST(places_in_a_file)
{
    char path[] = "/tmp/places-XXXXXX", option[40];
    const int fd = mkstemp(path);
    static const char *const row[][2] = {
        {"# two places\nx=max:z=0:1 # of the face\nnear:0,0,0:2", NULL},
        {"11\nbox:1,2", "line 2: --interface: 'box:1,2' is no place"},
        {"near:0,0,", "'near:0,0,' is no place"},
        {"x=", "'x=' is no place"}};
    ck_assert_int_ge(fd, 0);
    snprintf(option, sizeof option, "@%s", path);
    for (size_t k = 0; k < sizeof row / sizeof *row; k++) {
        teardown();
        setup();
        box(NULL);
        ck_assert_int_eq(ftruncate(fd, 0), 0);
        ck_assert_int_eq(pwrite(fd, row[k][0], strlen(row[k][0]), 0), (int)strlen(row[k][0]));
        t->p.how.interface = option;
        if (row[k][1]) {
            must_fail(FB_EUSAGE, row[k][1]);
            continue;
        }
        must();
        ck_assert_int_eq(t->b.nb, 3);
    }
    close(fd);
    remove(path);
}
END_TEST

START_TEST(places_of_a_model_without_them)
{
    static const double K[] = {2, -1, -1, 2}, l[] = {1.1, 2.1};
    label(add("K", "x", FB_ROLE_STIFFNESS, 2, K, 1), l);
    t->p.how.interface = "x=0";
    must_fail(FB_EUSAGE,
              "--interface: 'x=0' chooses nodes by place, but the model has no coordinates");
}
END_TEST

static void hold_corner(void)
{
    fb_csc *A = &t->p.matrix[0].A;
    for (int64_t c = 0; c < 3; c++)
        for (int64_t q = A->p[c]; q < A->p[c + 1]; q++)
            A->x[q] = A->i[q] == c ? 1e36 : A->x[q];
}

/* Corner 11 is held by the deck: it is at the least x, and not in the model. */
START_TEST(places_of_held_nodes)
{
    box(NULL);
    hold_corner();
    t->p.how.interface = "y=0:z=0:1";
    must();
    ck_assert_int_eq(t->b.nb, 1);
    warned("--interface: 1 entry of 'y=0:z=0:1' is not in the model: left out");
    teardown();
    setup();
    box(NULL);
    hold_corner();
    t->p.how.interface = "near:0,0,0";
    must_fail(FB_EUSAGE, "'near:0,0,0' has no dof in the model: its nodes are held in the deck");
}
END_TEST

START_TEST(interface_faults)
{
    interface_fails("99", "--interface: the model has no node 99");
    interface_fails("11:4", "--interface: the model has no dof 11.4");
    interface_fails("nset:ENDS", "--interface: the input has no set 'ENDS'; it has FACE, Far");
    interface_fails("11-10", "the range 11-10 runs backwards");
    interface_fails("11-100000", "names more nodes than the model's 8");
    interface_fails("11:", "'11:' is not NODE, NODE-NODE or nset:NAME");
    interface_fails("face:7", "'face:7' is not NODE, NODE-NODE or nset:NAME");
    interface_fails("\"face", "'\"face' is not NODE");
    interface_fails("nset:", "'nset:' is not NODE");
    interface_fails("-5", "'-5' is not NODE");
    interface_fails(",", "',' names no dof");
    teardown();
    setup();
    box(NULL);
    t->p.how.interface = "@/nonexistent/file";
    must_fail(FB_ESYS, "--interface: /nonexistent/file: No such file");
}
END_TEST

static void write_list(const char *path, const char *text)
{
    FILE *f = fopen(path, "w");
    ck_assert(f && fputs(text, f) >= 0 && !fclose(f));
}

START_TEST(interface_files)
{
    char path[] = "/tmp/fb_list_XXXXXX", arg[64], msg[200];
    int fd = mkstemp(path);
    ck_assert_int_ge(fd, 0);
    close(fd);
    snprintf(arg, sizeof arg, "@%s", path);
    write_list(path, "# node dof\n11 2\r\n 12\t3 # the tip\n\n13:1,14\n");
    interface_is(arg, "11.2 12.3 13.1 14.1 14.2 14.3");
    write_list(path, "11 1\n11 12\n");
    snprintf(msg, sizeof msg,
             "%s: line 2: --interface: two numbers on a line are a node and a component (1..6), "
             "not '11 12'",
             path);
    interface_fails(arg, msg);
    write_list(path, "11 1\n77 1\n");
    snprintf(msg, sizeof msg, "%s: line 2: --interface: the model has no node 77", path);
    interface_fails(arg, msg);
    remove(path);
}
END_TEST

START_TEST(sets_beyond_the_model)
{
    box(NULL);
    set_of("MORE", 17, 5);
    t->p.how.interface = "more";
    must();
    ck_assert_int_eq(t->b.nb, 6);
    warned("--interface: 3 entries of set 'more' are not in the model: left out");
    teardown();
    setup();
    box(NULL);
    set_of("ELSEWHERE", 70, 5);
    t->p.how.interface = "elsewhere";
    must_fail(FB_EUSAGE, "--interface: set 'elsewhere' has no dof in the model");
}
END_TEST

START_TEST(only_physical_dofs_are_interface)
{
    static const double k[9] = {4, -1, -1, -1, 5, 0, -1, 0, 1e36};
    fb_matrix *m = label(add("K", "K", FB_ROLE_STIFFNESS, 3, k, 1), (double[]){1.1, 2.1, 3.1});
    ck_assert_int_eq(fb_new(&m->row.class, 3, 8, "classes", &t->e), FB_OK);
    m->row.class[1] = FB_DOF_INTERNAL;
    t->p.how.interface = "2:1";
    must_fail(FB_EUSAGE, "--interface: dof 2.1 is internal, a physical one is wanted");
    teardown();
    setup();
    label(add("K", "K", FB_ROLE_STIFFNESS, 3, k, 1), (double[]){1.1, 2.1, 3.1});
    t->p.how.interface = "3:1";
    must_fail(FB_EUSAGE, "--interface: the model has no node 3 any more: it is held by a support");
}
END_TEST

/* ---- rigid and average frames ------------------------------------------------------------- */

static void rigid_motion(const double u[3], int64_t component, double r[6])
{
    memset(r, 0, 6 * sizeof *r);
    int c = (int)(component - 1) % 3, y = (c + 1) % 3, z = (c + 2) % 3;
    if (component > 3) {
        r[3 + c] = 1;
        return;
    }
    r[c] = 1;
    r[3 + y] = u[z];
    r[3 + z] = -u[y];
}

/* K R = 0 in the new dofs, R'MR as of the whole body, and G R = R in all dofs of the input. */
static void rigid_laws(double tol)
{
    const fb_model *b = &t->b;
    int64_t n = b->ndof;
    double *R = calloc((size_t)n * 6, 8), *Y = calloc((size_t)(n > b->na ? n : b->na) * 6, 8),
           B = 0, kmax = 0;
    fb_index x = {0};
    ck_assert_int_eq(fb_index_new(&x, b->node_id, b->nn, "nodes", &t->e), FB_OK);
    for (int64_t d = 0; d < n; d++) {
        double r[6];
        rigid_motion(b->xyz + 3 * fb_index_find(&x, b->dof_node[d]), b->dof_component[d], r);
        for (int k = 0; k < 6; k++)
            R[d + k * n] = r[k];
    }
    for (int64_t q = 0; q < b->K.p[n]; q++)
        kmax = fmax(kmax, fabs(b->K.x[q]));
    fb_csc_mul(&b->K, R, n, Y, n, 6);
    for (int64_t k = 0; k < 6 * n; k++)
        ck_assert_double_lt(fabs(Y[k]), tol * kmax);
    memset(Y, 0, (size_t)n * 48);
    fb_csc_mul(&b->M, R, n, Y, n, 6);
    for (int k = 0; k < 3; k++) {
        B = 0;
        for (int64_t d = 0; d < n; d++)
            B += R[d + k * n] * Y[d + k * n];
        ck_assert_double_eq_tol(B, b->total_mass[k], tol * B);
    }
    memset(Y, 0, (size_t)b->na * 48);
    fb_csc_mul(&b->G, R, n, Y, b->na, 6);
    for (int64_t d = 0; d < b->na; d++) {
        double r[6];
        rigid_motion(b->xyz + 3 * fb_index_find(&x, b->all_node[d]), b->all_component[d], r);
        for (int k = 0; k < 6; k++)
            ck_assert_double_eq_tol(Y[d + k * b->na], r[k], tol * 3);
    }
    fb_index_free(&x);
    free(R);
    free(Y);
}

START_TEST(rigid_frames)
{
    box(NULL);
    t->p.how.rigid = (fb_list){{"HUB=nset:FACE@0.5,0.2,-0.1"}, 1};
    must();
    ck_assert_int_eq(t->b.ndof, 24 - 12 + 6);
    ck_assert_int_eq(t->b.na, 24);
    ck_assert_int_eq(t->b.nb, 6);
    ck_assert_int_eq(t->b.nc, 1);
    ck_assert_int_eq(t->b.connector_node[0], 19);
    ck_assert_int_eq(t->b.dof_component[17], 6);
    ck_assert_double_eq(t->b.connector_position[2], -0.1);
    rigid_laws(1e-12);
}
END_TEST

START_TEST(average_frames)
{
    box(NULL);
    t->p.how.rigid = (fb_list){{"HUB=nset:FACE@0.5,0.2,-0.1"}, 1};
    t->p.how.average = (fb_list){{"700=nset:FAR@100.65,0.35,2.1"}, 1};
    t->p.how.interface = "HUB,700:135";
    t->p.how.far_frames = 1;
    must();
    ck_assert_int_eq(t->b.ndof, 24 - 12 + 6 - 6 + 6);
    ck_assert_int_eq(t->b.nb, 9);
    ck_assert_int_eq(t->b.connector_node[1], 700);
    rigid_laws(1e-12);
    /* A far node in the middle of the set's plane moves by the mean of the set, as the formula
     * says. */
    ck_assert_int_eq(t->log.nwarning, 0);
}
END_TEST

/* By hand: the face is the rectangle x 0..1.3, y 0..0.7 at z = 2.1, its diagonal sqrt(1.3^2 +
 * 0.7^2) = 1.476; the nearest corner is (1.3, 0 or 0.7, 2.1), sqrt(99.35^2 + 0.35^2) = 99.35 away.
 * A set of one node is as large as the body, sqrt(1.3^2 + 0.7^2 + 2.1^2) = 2.567. */
START_TEST(far_frames)
{
    static const struct {
        const char *frame, *refused;
    } row[] = {
        {"A=nset:FAR@100.65,0.35,2.1", "--rigid A: 100.65,0.35,2.1 lies 99.4 from the nearest node "
                                       "of its set, which is 1.48 in size"},
        {"A=nset:FAR@0,0,3.5", NULL},
        {"A=nset:FAR@0,0,3.6", "lies 1.5 from the nearest node of its set, which is 1.48 in size: "
                               "is the place in the unit of the input? "
                               "--far-frames takes it as it is"},
        {"A=11@0,0,-2.5",
         "the nodes of the set are one point or lie on a line"}, /* near enough, but too few */
        {"A=11@0,0,-2.6", "lies 2.6 from the nearest node of its set, which is 2.57 in size"},
    };
    for (size_t k = 0; k < sizeof row / sizeof *row; k++) {
        teardown();
        setup();
        box(NULL);
        t->p.how.rigid = (fb_list){{row[k].frame}, 1};
        if (row[k].refused)
            must_fail(FB_EUSAGE, row[k].refused);
        else
            must();
    }
}
END_TEST

/* u_f = (R'R)^-1 R' u_s holds for any motion, not only a rigid one. */
START_TEST(an_average_is_one)
{
    box(NULL);
    t->p.how.average = (fb_list){{"700=nset:FAR@0.65,0.35,2.1"}, 1};
    must();
    int64_t n = t->b.ndof, f = -1;
    double x[24] = {0}, all[24] = {0}, mean[3] = {0};
    for (int64_t d = 0; d < n; d++) {
        x[d] = sin(3.0 * (double)d);
        if (t->b.dof_node[d] == 700 && t->b.dof_component[d] == 1)
            f = d;
    }
    fb_csc_mul(&t->b.G, x, n, all, 24, 1);
    for (int64_t d = 0; d < 24; d++)
        if (t->b.all_node[d] >= 15)
            mean[t->b.all_component[d] - 1] += all[d] / 4;
    for (int k = 0; k < 3; k++) /* at the centre of the set the translations are plain means */
        ck_assert_double_eq_tol(x[f + k], mean[k], 1e-12);
}
END_TEST

/* By hand: FAR is the rectangle x 0..1.3, y 0..0.7 at z = 2.1; of three of its nodes each counts
 * once, however many of its dofs take part. */
START_TEST(frames_at_the_centroid)
{
    double sum[3] = {0};
    box(NULL);
    t->p.how.rigid = (fb_list){{"HUB=x=0..:z=2.1"}, 1}; /* which is FAR */
    must();
    ck_assert_int_eq(t->b.connector_node[0], 19);
    ck_assert_double_eq_tol(t->b.connector_position[0], 0.65, 1e-15);
    ck_assert_double_eq_tol(t->b.connector_position[1], 0.35, 1e-15);
    ck_assert_double_eq_tol(t->b.connector_position[2], 2.1, 1e-15);
    rigid_laws(1e-12);
    teardown();
    setup();
    box(NULL);
    t->p.how.average = (fb_list){{"HUB=15:123,16:123,17:3"}, 1};
    t->p.how.interface = "HUB";
    must();
    for (int64_t p = 0; p < t->b.nn; p++)
        for (int a = 0; a < 3 && t->b.node_id[p] >= 15 && t->b.node_id[p] <= 17; a++)
            sum[a] += t->b.xyz[3 * p + a] / 3;
    for (int a = 0; a < 3; a++)
        ck_assert_double_eq_tol(t->b.connector_position[a], sum[a], 1e-15);
}
END_TEST

static void frame_fails(int average, const char *text, const char *message)
{
    teardown();
    setup();
    box(NULL);
    *(average ? &t->p.how.average : &t->p.how.rigid) = (fb_list){{text}, 1};
    must_fail(FB_EUSAGE, message);
}

START_TEST(frame_faults)
{
    frame_fails(0, "HUB", "--rigid 'HUB': NAME=SET@x,y,z is wanted");
    frame_fails(0, "=face@0,0,0", "NAME=SET@x,y,z is wanted");
    frame_fails(0, "HUB=face@0,0", "NAME=SET@x,y,z is wanted");
    frame_fails(0, "HUB=face@0,0,0,0", "NAME=SET@x,y,z is wanted");
    frame_fails(0, "HUB=", "NAME=SET@x,y,z is wanted");
    frame_fails(1, "HUB=@0,0,0", "--average 'HUB=@0,0,0': NAME=SET@x,y,z is wanted");
    frame_fails(0, "HUB=faces@0,0,0", "--rigid HUB: the input has no set 'faces'");
    frame_fails(0, "12=face@0,0,0", "--rigid 12: the model has a node 12 already");
    frame_fails(0, "HUB=11,12@0,0,0",
                "--rigid HUB: the nodes of the set are one point or lie on a line");
    frame_fails(1, "HUB=11@0,0,0",
                "--average HUB: the nodes of the set are one point or lie on a line");
    teardown();
    setup();
    box(NULL);
    t->p.how.rigid = (fb_list){{"A=face@0,0,0", "B=11-15@0,0,0"}, 2};
    must_fail(FB_EUSAGE, "dof 11.1 belongs to two frames, A and B: it can follow one only");
    teardown();
    setup();
    box(NULL);
    t->p.how.rigid = (fb_list){{"77=face@0,0,0", "77=far@0,0,1"}, 2};
    must_fail(FB_EUSAGE, "--rigid 77: node 77 is the frame 77 already");
}
END_TEST

START_TEST(frames_want_free_and_placed_dofs)
{
    box(NULL);
    t->p.matrix[0].A.x[0] = 1e36; /* 11.1 */
    t->p.how.rigid = (fb_list){{"HUB=face@0,0,0"}, 1};
    must_fail(FB_EUSAGE, "--rigid HUB: dof 11.1 is held by a support: it can't follow the frame");
    teardown();
    setup();
    box(NULL);
    t->p.nn--;
    t->p.how.rigid = (fb_list){{"HUB=far@0,0,0"}, 1};
    must_fail(FB_EUSAGE,
              "--rigid HUB: dof 18.1 belongs to a node without coordinates (--nodes FILE)");
}
END_TEST

/* ---- the page and the stream -------------------------------------------------------------- */

START_TEST(the_page_tells_it_all)
{
    static const char *const want[] = {
        "Matrices         stiffness: K of box; mass: M of box\n",
        "Dofs             18\n                 18 physical; 24 in the input\n",
        "Stiffness        18 by 18",
        "asymmetry 0\n",
        "Mass x, y, z     10.8 10.8 10.8 mass\n",
        "Centre           ",
        "Inertia, centre  ",
        "Box of the nodes 0 .. 1.3, 0 .. 0.7, -0.1 .. 2.1 length\n",
        "K r, relative    ",
        "Checks of dofs   nothing found\n",
        "Interface dofs   6\n"};
    fb_buf page = {0};
    box(NULL);
    t->p.how.rigid = (fb_list){{"HUB=nset:FACE@0.5,0.2,-0.1"}, 1};
    must();
    ck_assert_int_eq(fb_info_page(&t->b, NULL, NULL, &page, &t->e), FB_OK);
    fb_put_bytes(&page, "", 1);
    for (size_t k = 0; k < sizeof want / sizeof *want; k++)
        ck_assert_msg(strstr((char *)page.data, want[k]) != NULL, "'%s' is not in\n%s", want[k],
                      (char *)page.data);
    fb_buf_free(&page);
}
END_TEST

START_TEST(the_stream_keeps_it)
{
    char path[] = "/tmp/fb_asm_XXXXXX";
    fb_stream st = FB_STREAM_NONE;
    fb_model c = {0};
    int fd = mkstemp(path);
    close(fd);
    box(NULL);
    t->p.how.rigid = (fb_list){{"HUB=nset:FACE@0.5,0.2,-0.1"}, 1};
    must();
    ck_assert_int_eq(fb_stream_create(&st, path, &t->e), FB_OK);
    ck_assert_msg(fb_model_write(&st, &t->b, NULL, &t->e) == FB_OK, "%s", t->e.msg);
    ck_assert_int_eq(fb_stream_commit(&st, &t->e), FB_OK);
    ck_assert_int_eq(fb_stream_open(&st, path, &t->e), FB_OK);
    ck_assert_msg(fb_model_read(&st, &c, NULL, &t->e) == FB_OK, "%s", t->e.msg);
    fb_stream_abandon(&st);
    ck_assert_int_eq(c.na, 24);
    ck_assert_int_eq(c.G.m, 24);
    ck_assert_int_eq(c.G.n, 18);
    ck_assert_int_eq(c.nk, 0);
    ck_assert(c.check_kind != NULL);
    for (int64_t q = 0; q < c.G.p[18]; q++)
        ck_assert_double_eq(c.G.x[q], t->b.G.x[q]);
    ck_assert_str_eq(c.matrices, "stiffness: K of box; mass: M of box");
    ck_assert_double_eq(c.total_mass[0], t->b.total_mass[0]);
    fb_model_free(&c);
    remove(path);
}
END_TEST

START_TEST(allocations)
{
    fb_status s = FB_OK;
    long fails = 0;
    double F[CORNERS][9];
    for (int a = 0; a < CORNERS; a++)
        turn(0.2 * a, a % 3, F[a]);
#define ONCE \
    do { \
        long armed = fb_alloc_fail_after; \
        fb_alloc_fail_after = -1; \
        teardown(); \
        setup(); \
        box((const double(*)[9])F); \
        t->p.how.rigid = (fb_list){{"HUB=nset:FACE@0.5,0.2,-0.1"}, 1}; \
        t->p.how.average = (fb_list){{"700=nset:FAR@0.65,0.35,2.1"}, 1}; \
        t->p.how.interface = "HUB,700"; \
        fb_alloc_fail_after = armed; \
        assemble(); \
        s = t->s; \
    } while (0)
    EVERY_ALLOCATION_FAILS_ONCE(s, fails, ONCE);
    ck_assert_int_gt(fails, 60);
}
END_TEST

/* Inputs that warn: a warning that finds no memory is printed all the same, so that the status may
 * be good after a failure; the model then is whole. */
static void warning_input(int which)
{
    static const double k[16] = {4, -1, 0, 0, -1, 5, 0, -1, 0, 0, 0, 0, 0, -1, 0, 2},
                        m[9] = {1, 0, 0, 0, 2, 0, 0, 0, 3};
    const double tilted[16] = {4, -1, 0, 0, -1 - 2e-9, 5, 0, -1, 0, 0, 0, 0, 0, -1, 0, 2};
    fb_matrix *K = NULL;
    teardown();
    setup();
    K = add("K", "K.mtx", FB_ROLE_STIFFNESS, 4, which == 2 ? tilted : k, which != 2);
    if (which) {
        t->p.how.dofs_per_node = 2;
        node(7, 0, 0, 0, NULL);
        node(9, 1, 0, 0, NULL);
    } else {
        label(K, (double[]){1.1, 2.1, 2.2, 8.0});
        label(add("M", "M.mtx", FB_ROLE_MASS, 3, m, 1), (double[]){8.0, 2.1, 1.1});
        ck_assert_int_eq(fb_new(&K->row.class, 4, 8, "classes", &t->e), FB_OK);
        K->row.class[3] = FB_DOF_GENERALIZED;
        node(1, 0, 0, 0, NULL);
    }
}

START_TEST(allocations_of_inputs_that_warn)
{
    for (int which = 0; which < 3; which++) {
        long fails = 0;
        for (long k = 0, left = -1; left < 0; k++, fails++) {
            warning_input(which);
            fb_alloc_fail_after = k;
            assemble();
            left = fb_alloc_fail_after;
            fb_alloc_fail_after = -1;
            ck_assert(t->s == FB_ESYS || t->s == FB_OK);
            if (t->s == FB_OK)
                ck_assert_int_eq(t->b.ndof, 3);
        }
        ck_assert_int_gt(fails, 30);
        ck_assert_int_eq(t->s, FB_OK);
        if (!which) { /* a superelement: one boundary dof with a place, one without, one mode */
            ck_assert_int_eq(t->b.nr, 3);
            ck_assert_int_eq(t->b.nb, 2);
            ck_assert_int_eq(t->b.nc, 1);
            ck_assert_int_eq(t->b.kind[2], FB_KIND_NORMAL);
            ck_assert_double_eq(t->b.T[4], 1);
            ck_assert_double_eq(t->b.Kr[1], -1);
            ck_assert(t->b.frequency != NULL);
        }
    }
}
END_TEST

/* ---- real inputs -------------------------------------------------------------------------- */

static int read_shared(const char *path)
{
    const char *full = shared_file(path);
    fb_input in = {0};
    const fb_reader *rd = NULL;
    if (!full)
        return 0;
    ck_assert_msg(fb_input_open(&in, full, &t->e) == FB_OK, "%s", t->e.msg);
    fb_status s = fb_reader_find(&in, NULL, &rd, &t->e);
    s = s ? s : rd->read(&in, &t->p, &t->log, &t->e);
    ck_assert_msg(s == FB_OK, "%s: %s", path, t->e.msg);
    fb_input_close(&in);
    return 1;
}

static int read_case(const char *a, const char *b, const char *c)
{
    const char *file[3] = {a, b, c};
    teardown();
    setup();
    for (int k = 0; k < 3 && file[k]; k++)
        if (!read_shared(file[k]))
            return 0;
    return 1;
}

static void have(const double *want, int64_t n, int64_t from, double tol)
{
    static double f[400];
    int64_t m = frequencies(&t->b, f);
    ck_assert_int_ge(m, from + n);
    for (int64_t k = 0; k < n; k++)
        ck_assert_msg(fabs(f[from + k] - want[k]) <= tol * want[k] + (want[k] == 0) * 0.02,
                      "mode %lld: %.10g, %.10g wanted", (long long)(from + k), f[from + k],
                      want[k]);
}

START_TEST(fault_cases)
{
    if (!read_case("cases/g04_k6_m3.pch", NULL, NULL))
        return;
    must();
    ck_assert_int_eq(t->b.ndof, 18);
    ck_assert_int_eq(found(FB_CHECK_MASSLESS), 9);
    have((double[]){19.63062481791, 27.7618958948, 110.812138681, 156.7120296633, 275.9365186721,
                    390.233167166, 1420.364869438, 3880.508988591, 5300.87385803},
         9, 0, 1e-6);
    ck_assert(read_case("cases/g05_STIF.mtx", "cases/g05_MASS.mtx", NULL));
    must();
    warned("5 dofs have neither stiffness nor mass and are left out: 1.2 2.2 3.2 7.2 9.2");
    ck_assert_int_eq(t->b.ndof, 5);
    have((double[]){0, 1.967263286167, 3.741957135155, 5.150362148005, 6.054613829125}, 5, 0, 1e-6);
    ck_assert(read_case("cases/g06_STIF.mtx", "cases/g06_MASS.mtx", NULL));
    must();
    ck_assert_int_eq(t->b.ndof, 8);
    ck_assert_int_eq(found(FB_CHECK_MULTIPLIER), 2);
    ck_assert(read_case("cases/g06_STIF.mtx", "cases/g06_MASS.mtx", NULL));
    t->p.how.interface = "-1:1";
    must_fail(FB_EUSAGE, "'-1:1' is not NODE");
    ck_assert(read_case("cases/g07_K.mtx", "cases/g07_M.mtx", NULL));
    t->p.how.interface = "1,5";
    must();
    warned("2 dofs are in parts that nothing joins to the rest: 6 7");
    ck_assert_int_eq(t->b.nb, 2);
    have((double[]){0, 0, 21.09844340621, 38.98484006168, 50.93614821622, 55.13288954218,
                    100.658424209},
         7, 0, 1e-6);
}
END_TEST

START_TEST(interface_cases)
{
    if (!read_case("cases/g08_K.mtx", "cases/g08_M.mtx", NULL))
        return;
    char arg[1100];
    snprintf(arg, sizeof arg, "@%s", shared_file("cases/g08_interface_dup.txt"));
    t->p.how.dofs_per_node = 3;
    t->p.how.interface = arg;
    must();
    ck_assert_int_eq(t->b.nb, 6);
    warned("3 dofs are named more than once, counted once: 11.1 11.2 11.3");
    ck_assert(read_case("cases/g08_K.mtx", "cases/g08_M.mtx", NULL));
    snprintf(arg, sizeof arg, "@%s", shared_file("cases/g08_interface_unknown.txt"));
    t->p.how.dofs_per_node = 3;
    t->p.how.interface = arg;
    must_fail(FB_EUSAGE, "the model has no node 99");
}
END_TEST

START_TEST(symmetry_and_scale_cases)
{
    if (!read_case("cases/g11_K_tiny_asym.mtx", "cases/g11_M.mtx", NULL))
        return;
    must();
    ck_assert_double_eq_tol(t->b.asymmetry[0], 1e-9, 1e-15);
    have((double[]){16.70997449186, 104.8432891822, 295.4945624088, 582.9458842606, 1084.251233899},
         5, 0, 1e-6);
    ck_assert(read_case("cases/g11_K_gross_asym.mtx", "cases/g11_M.mtx", NULL));
    must_fail(FB_EFORMAT, "the halves differ by 0.01 of the largest entry");
    ck_assert(read_case("cases/g12_K.mtx", "cases/g12_M.mtx", NULL));
    must();
    ck_assert_int_eq(t->b.ndof, 24);
    ck_assert_int_eq(found(FB_CHECK_MASSLESS), 0);
    have((double[]){2272.26857019, 3408.402855299, 14256.19038465, 21384.28557698}, 4, 0, 1e-6);
}
END_TEST

START_TEST(mass_cases)
{
    static const double want[3] = {0.002669, 0.5024, 0.5024};
    if (!read_case("cases/g13_SI_K.mtx", "cases/g13_SI_M.mtx", "cases/g13_nodes_m.csv"))
        return;
    t->p.how.dofs_per_node = 6;
    must();
    for (int a = 0; a < 3; a++) {
        ck_assert_double_eq_tol(t->b.total_mass[a], 9.42, 1e-9);
        ck_assert_double_eq_tol(t->b.mass_center[a], ((double[]){0.4, 0.1, -0.05})[a], 1e-9);
        ck_assert_double_eq_tol(t->b.mass_inertia[4 * a], want[a], 1e-9);
        ck_assert_double_lt(t->b.rigid_residual[3 + a], 1e-12);
    }
    have((double[]){249.4866508613, 415.8110847689, 691.2502149748, 1152.083691625}, 4, 6, 1e-6);
    ck_assert(read_case("cases/g13_mm_t_K.mtx", "cases/g13_mm_kg_M.mtx", "cases/g13_nodes_mm.csv"));
    t->p.how.dofs_per_node = 6;
    must();
    have((double[]){7.889460625289}, 1, 6, 1e-6);
}
END_TEST

START_TEST(units_of_both_systems_agree)
{
    if (!read_case("cases/g13_SI_K.mtx", "cases/g13_SI_M.mtx", "cases/g13_nodes_m.csv"))
        return;
    t->p.how.dofs_per_node = 6;
    t->p.how.rigid = (fb_list){{"9=3@0.4,0.2,0"}, 1};
    must();
    fb_units mm;
    fb_model a = t->b;
    t->b = (fb_model){0};
    ck_assert_int_eq(fb_units_system(&mm, "mm-t-s", &t->e), FB_OK);
    ck_assert_int_eq(fb_model_name_units(&a, "SI", &t->e), FB_OK);
    ck_assert_int_eq(fb_model_convert(&a, &mm, &t->e), FB_OK);
    ck_assert(read_case("cases/g13_mm_t_K.mtx", "cases/g13_mm_t_M.mtx", "cases/g13_nodes_mm.csv"));
    t->p.how.dofs_per_node = 6;
    t->p.how.rigid = (fb_list){{"9=3@400,200,0"}, 1};
    must();
    const fb_csc *A[3] = {&a.K, &a.M, &a.G}, *B[3] = {&t->b.K, &t->b.M, &t->b.G};
    for (int k = 0; k < 3; k++)
        for (int64_t c = 0; c < 30; c++)
            for (int64_t q = B[k]->p[c]; q < B[k]->p[c + 1]; q++) {
                int64_t i = B[k]->i[q];
                double size = k < 2 ? sqrt(fabs(at(B[k], i, i) * at(B[k], c, c))) : 1;
                ck_assert_double_eq_tol(at(A[k], i, c), B[k]->x[q],
                                        1e-12 * fmax(size, fabs(B[k]->x[q])));
            }
    ck_assert_double_eq_tol(a.total_mass[0], t->b.total_mass[0], 1e-15);
    ck_assert_double_eq_tol(a.mass_center[0], 400, 1e-9);
    fb_model_free(&a);
}
END_TEST

START_TEST(calculix_rigid_bodies)
{
    if (!read_case("abaqus/14_ccx_rigid_ends/rigid_ends_sto.sti",
                   "abaqus/14_ccx_rigid_ends/rigid_ends_sto.mas",
                   "abaqus/14_ccx_rigid_ends/rigid_ends_sto.dof") ||
        !read_shared("abaqus/14_ccx_rigid_ends/rigid_ends_sto.inp"))
        return;
    must();
    ck_assert_double_eq_tol(t->b.total_mass[0], 2.355, 1e-8);
    have((double[]){427.1877, 634.3164, 1199.129, 1744.181}, 4, 6, 1e-6);
}
END_TEST

/* The same beam as plain solids, its end faces made rigid here: CalculiX' own rigid bodies give the
 * same frequencies. */
static void beam_with_ends(int average)
{
    test_model beam = {0};
    const int64_t cells[3] = {6, 1, 1};
    const double size[3] = {0.5, 0.02, 0.03};
    teardown();
    setup();
    ck_assert_int_eq(test_solid(&beam, cells, size, 20, &t->e), FB_OK);
    int64_t n = beam.K.n, at_end[2] = {0, 0};
    fb_set *end[2] = {NULL, NULL};
    for (int k = 0; k < 2; k++) {
        fb_matrix *m = NULL;
        ck_assert_int_eq(fb_parts_matrix(&t->p, k ? "M" : "K", "beam",
                                         k ? FB_ROLE_MASS : FB_ROLE_STIFFNESS, &m, &t->e),
                         FB_OK);
        m->A = k ? beam.M : beam.K;
        ck_assert_int_eq(fb_new(&m->row.node, n, 8, "labels", &t->e), FB_OK);
        ck_assert_int_eq(fb_new(&m->row.component, n, 8, "labels", &t->e), FB_OK);
        for (int64_t d = 0; d < n; d++) {
            m->row.node[d] = 1 + d / 3;
            m->row.component[d] = 1 + d % 3;
        }
    }
    beam.K = beam.M = (fb_csc){0};
    for (int k = 0; k < 2; k++) {
        ck_assert_int_eq(fb_parts_set(&t->p, k ? "ENDB" : "ENDA", &end[0], &t->e), FB_OK);
        ck_assert_int_eq(fb_new(&end[0]->node, beam.nn, 8, "set", &t->e), FB_OK);
        for (int64_t p = 0; p < beam.nn; p++)
            if (fabs(beam.xyz[3 * p] - k * size[0]) < 1e-9)
                end[0]->node[end[0]->n++] = 1 + p;
        at_end[k] = end[0]->n;
    }
    for (int64_t p = 0; p < beam.nn; p++)
        node(1 + p, beam.xyz[3 * p], beam.xyz[3 * p + 1], beam.xyz[3 * p + 2], NULL);
    ck_assert_int_eq(at_end[0], 8);
    ck_assert_int_eq(at_end[1], 8);
    *(average ? &t->p.how.average : &t->p.how.rigid) =
        (fb_list){{"1001=ENDA@0,0.01,0.015", "2001=ENDB@0.5,0.01,0.015"}, 2};
    test_model_free(&beam);
}

START_TEST(rigid_ends_as_calculix_makes_them)
{
    static double want[400];
    if (!read_case("abaqus/14_ccx_rigid_ends/rigid_ends_sto.sti",
                   "abaqus/14_ccx_rigid_ends/rigid_ends_sto.mas",
                   "abaqus/14_ccx_rigid_ends/rigid_ends_sto.dof") ||
        !read_shared("abaqus/14_ccx_rigid_ends/rigid_ends_sto.inp"))
        return;
    must();
    ck_assert_int_eq(frequencies(&t->b, want), 204);
    beam_with_ends(0);
    must();
    ck_assert_int_eq(t->b.ndof, 204);
    have(want + 6, 40, 6, 1e-6);
    rigid_laws(1e-12);
}
END_TEST

START_TEST(average_ends_leave_the_body_free)
{
    static double stiff[400], soft[400];
    beam_with_ends(0);
    must();
    frequencies(&t->b, stiff);
    beam_with_ends(1);
    must();
    ck_assert_int_eq(t->b.ndof, 240);
    ck_assert_int_eq(frequencies(&t->b, soft), 240);
    rigid_laws(1e-12);
    for (int k = 6; k < 30; k++) /* a frame that averages does not stiffen */
        ck_assert_double_lt(soft[k], stiff[k]);
}
END_TEST

/* Node 1 is a beam's, 2 a plane element's, 9 is above the deck's three; what is no physical dof
 * stays what it is. */
static char said_of_expansion[400];

static void keep_note(void *self, int is_warning, const char *line)
{
    const size_t at = strlen(said_of_expansion);
    (void)self;
    ck_assert_int_eq(is_warning, 0);
    snprintf(said_of_expansion + at, sizeof said_of_expansion - at, "%s\n", line);
}

START_TEST(dofs_of_made_solids_become_internal)
{
    enum { N = 8 };
    static int64_t node[N] = {1, 2, 2, 3, 9, 1, 1, 9}, component[N] = {1, 1, 3, 3, 2, 2, 3, 1},
                   deck[3] = {1, 2, 3}, line[2] = {1, 1}, plane[2] = {2, 1};
    static const int64_t internal[4][N] = {
        {0}, {1, 0, 1, 0, 1, 0, 1, 0}, {1, 0, 1, 0, 0, 0, 1, 0}, {0, 0, 0, 0, 1, 0, 0, 0}};
    static const char *const says[4] = {
        "",
        "3 dofs of beams, shells or plane elements stand for nodes "
        "of the solids made of them: internal\n1 dofs are above "
        "the deck's nodes, incompatible modes of elements: internal\n",
        "3 dofs of beams, shells or plane elements stand for nodes "
        "of the solids made of them: internal\n",
        "1 dofs are above the deck's nodes, incompatible modes of "
        "elements: internal\n"};
    int64_t class[N] = {0};
    class[5] = FB_DOF_GENERALIZED;
    class[7] = FB_DOF_MULTIPLIER;
    fb_parts p = {.expands = _i > 0,
                  .table = {node, component, class},
                  .ntable = N,
                  .node_id = deck,
                  .nn = _i == 2 ? 0 : 3,
                  .line = {.node = line, .n = _i == 3 ? 0 : 2},
                  .plane = {.node = plane, .n = _i == 3 ? 0 : 2}};
    fb_log log = {.verbose = 1, .sink = keep_note};
    fb_expanded_classes(&p, &log);
    for (int k = 0; k < N; k++)
        ck_assert_int_eq(class[k], internal[_i][k] ? FB_DOF_INTERNAL
                                   : k == 5        ? FB_DOF_GENERALIZED
                                   : k == 7        ? FB_DOF_MULTIPLIER
                                                   : FB_DOF_PHYSICAL);
    ck_assert_str_eq(said_of_expansion, says[_i]);
}
END_TEST

static void add_whole(Suite *s)
{
    TCase *c = tcase_create("whole");
    tcase_add_checked_fixture(c, setup, teardown);
    tcase_set_timeout(c, 60);
    tcase_add_test(c, the_page_tells_it_all);
    tcase_add_test(c, the_stream_keeps_it);
    tcase_add_test(c, allocations);
    tcase_add_test(c, allocations_of_inputs_that_warn);
    tcase_add_test(c, units_of_both_systems_agree);
    tcase_add_test(c, fault_cases);
    tcase_add_test(c, interface_cases);
    tcase_add_test(c, symmetry_and_scale_cases);
    tcase_add_test(c, mass_cases);
    tcase_add_test(c, dofs_that_follow);
    tcase_add_test(c, calculix_rigid_bodies);
    tcase_add_test(c, rigid_ends_as_calculix_makes_them);
    tcase_add_test(c, average_ends_leave_the_body_free);
    tcase_add_test(c, modal_coordinates_of_two_bodies);
    suite_add_tcase(s, c);
}

Suite *suite_assemble(void)
{
    Suite *s = suite_create("assemble");
    TCase *c = tcase_create("roles");
    tcase_add_checked_fixture(c, setup, teardown);
    tcase_add_test(c, roles_come_from_names_and_files);
    tcase_add_test(c, two_candidates_are_named);
    tcase_add_test(c, two_of_one_name_are_numbered);
    tcase_add_test(c, scalar_points_beside_grids_are_modal);
    tcase_add_test(c, the_user_chooses);
    tcase_add_test(c, wrong_choices);
    tcase_add_test(c, a_sum_of_two);
    tcase_add_test(c, sums_that_are_none);
    tcase_add_test(c, a_file_with_one_of_the_role_needs_no_name);
    tcase_add_test(c, nothing_is_dropped_in_silence);
    tcase_add_test(c, zero_matrices_stand_for_absent_ones);
    tcase_add_test(c, no_stiffness_or_nothing);
    suite_add_tcase(s, c);
    c = tcase_create("labels");
    tcase_add_loop_test(c, dofs_of_made_solids_become_internal, 0, 4);
    tcase_add_checked_fixture(c, setup, teardown);
    tcase_add_test(c, matrices_join_by_label);
    tcase_add_test(c, columns_may_have_their_own_order);
    tcase_add_loop_test(c, repeated_labels_stay_apart, 0, 2);
    tcase_add_test(c, labels_from_the_user);
    tcase_add_test(c, rows_follow_the_nodes_that_fit);
    tcase_add_test(c, label_faults);
    tcase_add_test(c, another_jobs_mass);
    suite_add_tcase(s, c);
    c = tcase_create("checks");
    tcase_add_checked_fixture(c, setup, teardown);
    tcase_add_test(c, halves_are_averaged_when_they_agree);
    tcase_add_loop_test(c, equal_halves_are_one, 0, 2);
    tcase_add_test(c, gross_asymmetry_is_refused);
    tcase_add_test(c, one_half_in_a_general_matrix);
    tcase_add_test(c, findings_by_dof);
    tcase_add_test(c, a_diagonal_pair_has_no_unit_rows);
    tcase_add_test(c, hermitian_is_not_structural_damping);
    tcase_add_test(c, gyroscopic_is_skew);
    tcase_add_test(c, structural_damping_in_doubt);
    tcase_add_test(c, inputs_that_are_not_used);
    tcase_add_test(c, a_node_joins_its_dofs);
    tcase_add_test(c, parts_without_labels_warn_where_they_float);
    tcase_add_test(c, everything_held);
    tcase_add_test(c, not_a_number);
    tcase_add_test(c, a_free_body_weighs_what_it_weighs);
    tcase_add_test(c, wrong_coordinates_show);
    tcase_add_loop_test(c, planes_of_symmetry, 0, 3);
    tcase_add_test(c, supports_of_the_deck);
    tcase_add_test(c, modal_coordinates_without_a_sign);
    suite_add_tcase(s, c);
    c = tcase_create("frames");
    tcase_add_checked_fixture(c, setup, teardown);
    tcase_add_test(c, displacement_frames_are_undone);
    tcase_add_test(c, frames_of_incomplete_nodes_are_kept);
    tcase_add_test(c, frames_must_be_orthonormal);
    tcase_add_test(c, nodes_that_come_twice);
    tcase_add_test(c, rigid_frames);
    tcase_add_test(c, average_frames);
    tcase_add_test(c, far_frames);
    tcase_add_test(c, an_average_is_one);
    tcase_add_test(c, frames_at_the_centroid);
    tcase_add_test(c, frame_faults);
    tcase_add_test(c, frames_want_free_and_placed_dofs);
    suite_add_tcase(s, c);
    c = tcase_create("interface");
    tcase_add_checked_fixture(c, setup, teardown);
    tcase_add_test(c, interface_lists);
    tcase_add_test(c, places);
    tcase_add_test(c, places_without_nodes);
    tcase_add_test(c, places_in_a_file);
    tcase_add_test(c, places_of_a_model_without_them);
    tcase_add_test(c, places_of_held_nodes);
    tcase_add_test(c, interface_faults);
    tcase_add_test(c, interface_files);
    tcase_add_test(c, sets_beyond_the_model);
    tcase_add_test(c, only_physical_dofs_are_interface);
    suite_add_tcase(s, c);
    add_whole(s);
    return s;
}
