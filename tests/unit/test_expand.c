/* SPDX-License-Identifier: GPL-3.0-or-later */
/* test_expand.c - beams and shells of which CalculiX makes solids: the places of the solid nodes
 * (worked out here by hand), and matrices led back to the nodes of the deck. */
#include "mnfparse/abaqus/expand.h"
#include "mnfparse/join/assemble.h"
#include "mnfparse/reader.h"
#include "tests/suites.h"
#include <math.h>

static fb_err e;
static fb_log hush;

static fb_status read_as(const fb_reader *r, const char *text, fb_parts *p)
{
    const size_t n = strlen(text);
    unsigned char *d = malloc(n + !n);
    char name[] = "job.sti";
    memcpy(d, text, n);
    fb_input in = {.data = d, .size = n, .name = name};
    fb_status s = r->read(&in, p, &hush, &e);
    free(d);
    return s;
}

/* ---- where the solid nodes are ----------------------------------------------------------- */

#define B32   "*NODE\n1,0,0,0\n2,1,0,0\n3,2,0,0\n*ELEMENT,TYPE=B32,ELSET=E\n1,1,2,3\n"
#define SQ    0.70710678118654752
#define PLATE "*NODE\n1,0,0,0\n2,2,0,0\n3,2,2,0\n4,0,2,0\n5,1,0,0\n6,2,1,0\n7,1,2,0\n8,0,1,0\n"
#define FOLD(y, z) \
    "*NODE\n1,0,0,0\n2,1,0,0\n3,1,1,0\n4,0,1,0\n5,1," y "," z "\n6," \
    "0," y "," z "\n*ELEMENT,TYPE=S4,ELSET=E\n1,1,2,3,4\n2,4,3,5,6\n*SHELL SECTION,ELSET=E\n.2\n"

static const struct {
    const char *deck;
    int64_t node, rot;
    int n;
    double r[8][3];
} stacks[] = {
    /* t along x, n1 = y, n2 = t x n1 = z; widths 0.2 and 0.4 */
    {B32 "*BEAM SECTION,ELSET=E,SECTION=RECT\n.2,.4\n0,1,0\n",
     1,
     0,
     8,
     {{0, -.1, .2},
      {0, -.1, -.2},
      {0, .1, -.2},
      {0, .1, .2},
      {0, -.1, 0},
      {0, 0, -.2},
      {0, .1, 0},
      {0, 0, .2}}},
    {B32 "*BEAM SECTION,ELSET=E,SECTION=RECT,OFFSET1=0.5,OFFSET2=-.25\n.2,.4\n0,3,0\n",
     2,
     0,
     4,
     {{0, -.2, .3}, {0, -.2, -.1}, {0, 0, -.1}, {0, 0, .3}}},
    /* without a direction n1 = -z, n2 = x x -z = y; corners of a circle of diameter 2 */
    {B32 "*BEAM SECTION,ELSET=E,SECTION=CIRC\n2\n",
     2,
     0,
     4,
     {{0, SQ, SQ}, {0, -SQ, SQ}, {0, -SQ, -SQ}, {0, SQ, -SQ}}},
    {B32 "*BEAM SECTION,ELSET=E,SECTION=PIPE\n1,.1\n0,1,0\n",
     2,
     0,
     4,
     {{0, -1, 1}, {0, -1, -1}, {0, 1, -1}, {0, 1, 1}}},
    {PLATE "*ELEMENT,TYPE=S8R,ELSET=E\n1,1,2,3,4,5,6,7,8\n*SHELL SECTION,ELSET=E\n.2\n",
     1,
     0,
     3,
     {{0, 0, -.1}, {0, 0, 0}, {0, 0, .1}}},
    {PLATE "*ELEMENT,TYPE=S8R,ELSET=E\n1,1,2,3,4,5,6,7,8\n*SHELL SECTION,ELSET=E,OFFSET=.5\n.2\n",
     6,
     0,
     2,
     {{0, 0, -.2}, {0, 0, 0}}},
    {PLATE "*ELEMENT,TYPE=S6,ELSET=E\n1,1,2,4,5,8,8\n*SHELL SECTION,ELSET=E\n.2\n", 0, 0, 0, {{0}}},
    {PLATE "*ELEMENT,TYPE=S3,ELSET=E\n1,1,4,2\n*SHELL SECTION,ELSET=E\n.2\n",
     2,
     0,
     2,
     {{0, 0, .1}, {0, 0, -.1}}},
    /* A fold by atan(3/4) = 36.9 degrees is a knot: above 6 come 3 nodes for each of 1 and 2, then
     * two stacks of node 3, and the rotations */
    {FOLD("1.8", ".6"), 3, 6 + 6 + 6 + 1, 0, {{0}}},
    {FOLD("1.8", ".6"), 4, 6 + 6 + 6 + 2 + 6 + 6 + 1, 0, {{0}}},
    /* 16.26 degrees, 0.96 and 0.28: the mean normal of (0,0,1) and (0,-.28,.96), halved angle */
    {FOLD("1.96", ".28"),
     3,
     0,
     2,
     {{0, .1 * 0.1414213562373095, -.1 * 0.9899494936611666},
      {0, -.1 * 0.1414213562373095, .1 * 0.9899494936611666}}},
    /* What is not understood has no stack, and knots after it no number */
    {"*NORMAL\n1,1,0,0,1\n" FOLD("1.8", ".6"), 3, 0, -1, {{0}}},
    {"*NODE\n9,3,3,3\n*ELEMENT,TYPE=T3D2,ELSET=T\n9,1,9\n" FOLD("1.8", ".6"), 3, 0, 0, {{0}}},
    {PLATE "*ELEMENT,TYPE=S4,ELSET=E\n1,1,2,3,4\n*SHELL SECTION,ELSET=E,COMPOSITE\n.2,,S\n",
     1,
     0,
     -1,
     {{0}}},
    {PLATE "*ELEMENT,TYPE=M3D4,ELSET=E\n1,1,2,3,4\n*SHELL SECTION,ELSET=E\n.2\n", 1, 0, -1, {{0}}},
};

START_TEST(places_of_solid_nodes)
{
    fb_parts p = {0};
    const fb_stack *s = NULL;
    ck_assert_msg(!read_as(&fb_reader_inp, stacks[_i].deck, &p), "%s", e.msg);
    for (int64_t k = 0; k < p.nstack; k++)
        s = p.stack[k].node == stacks[_i].node ? p.stack + k : s;
    if (stacks[_i].n < 0)
        ck_assert_ptr_null(s);
    else if (stacks[_i].node) {
        ck_assert_ptr_nonnull(s);
        ck_assert_int_eq(s->n, stacks[_i].n);
        ck_assert_int_eq(s->rot, stacks[_i].rot);
        for (int k = 0; k < s->n; k++)
            for (int c = 0; c < 3; c++)
                ck_assert_double_eq_tol(s->r[k][c], stacks[_i].r[k][c], 1e-15);
    }
    fb_parts_free(&p);
}
END_TEST

/* ---- led back ---------------------------------------------------------------------------- */

typedef struct {
    int64_t n;
    double x[64][3], *K, *M; /* [3n,3n] */
} solid;

/* Springs between all points and a mass at each: free to move, and as good a solid as any. */
static void springs(solid *s)
{
    const int64_t n = 3 * s->n;
    s->K = calloc((size_t)(n * n), sizeof *s->K);
    s->M = calloc((size_t)(n * n), sizeof *s->M);
    for (int64_t a = 0; a < s->n; a++)
        for (int64_t b = 0; b < a; b++) {
            double u[3], size = 0;
            for (int c = 0; c < 3; c++) {
                u[c] = s->x[a][c] - s->x[b][c];
                size += u[c] * u[c];
            }
            for (int c = 0; c < 3; c++)
                for (int d = 0; d < 3; d++) {
                    const double k = (1 + (double)(a + b) / 10) * u[c] * u[d] / size;
                    s->K[(3 * a + c) * n + 3 * a + d] += k;
                    s->K[(3 * b + c) * n + 3 * b + d] += k;
                    s->K[(3 * a + c) * n + 3 * b + d] -= k;
                    s->K[(3 * b + c) * n + 3 * a + d] -= k;
                }
        }
    for (int64_t k = 0; k < n; k++)
        s->M[k * n + k] = 1 + (double)(k / 3) / 8;
}

static char *triples(const double *A, int64_t n)
{
    char *text = malloc((size_t)(n * n * 40 + 1)), *q = text;
    for (int64_t c = 0; c < n; c++)
        for (int64_t r = 0; r <= c; r++)
            q += sprintf(q, "%lld %lld %.17g\n", (long long)r + 1, (long long)c + 1, A[r * n + c]);
    return text;
}

static void read_solid(const char *deck, const char *dof, const solid *s, int64_t n, fb_parts *p)
{
    char *K = triples(s->K, n), *M = triples(s->M, n);
    ck_assert_msg(!read_as(&fb_reader_inp, deck, p) && !read_as(&fb_reader_ccx_dof, dof, p) &&
                      !read_as(&fb_reader_coordinate, K, p) &&
                      !read_as(&fb_reader_coordinate, M, p),
                  "%s", e.msg);
    p->matrix[0].role = FB_ROLE_STIFFNESS;
    p->matrix[1].role = FB_ROLE_MASS;
    free(K);
    free(M);
}

static void dofs_of(char **q, int64_t node, int64_t n)
{
    for (int64_t k = 0; k < 3 * n; k++)
        *q += sprintf(*q, "%lld.%lld\n", (long long)node, (long long)(1 + k % 3));
}

static int64_t count(const fb_model *b, int64_t node, fb_dofclass class)
{
    int64_t n = 0;
    for (int64_t d = 0; d < b->ndof; d++)
        n += b->dof_node[d] == node && b->dof_class[d] == (int64_t)class;
    return n;
}

/* A solid at the places of the first four cases and of an oblique plate. */
static const struct {
    const char *deck;
    int64_t six, three; /* physical dofs of node 1; of all nodes of the plate */
} led[] = {
    {B32 "*BEAM SECTION,ELSET=E,SECTION=RECT,OFFSET1=.2\n.2,.4\n0,1,.3\n", 6, 0},
    {PLATE "*ELEMENT,TYPE=S8,ELSET=E\n1,1,2,3,4,5,6,7,8\n*SHELL SECTION,ELSET=E,OFFSET=.3\n.2\n", 5,
     0},
    {"*NODE\n1,0,0,0\n2,1,0,.5\n3,1,1,.7\n4,0,1,.2\n*ELEMENT,TYPE=S4,ELSET=E\n1,1,2,3,4\n"
     "*SHELL SECTION,ELSET=E\n.2\n",
     3, 1},
};

static void lead_back(const char *deck, fb_parts *p, solid *s, fb_model *b)
{
    static char dof[20000];
    char *q = dof;
    fb_parts place = {0};
    ck_assert_msg(!read_as(&fb_reader_inp, deck, &place), "%s", e.msg);
    for (int64_t k = 0; k < place.nstack; k++) {
        const fb_stack *t = place.stack + k;
        for (int i = 0; i < t->n; i++, s->n++)
            for (int c = 0; c < 3; c++)
                s->x[s->n][c] = place.xyz[3 * k + c] + t->r[i][c];
        dofs_of(&q, t->node, t->n);
    }
    fb_parts_free(&place);
    springs(s);
    read_solid(deck, dof, s, 3 * s->n, p);
    ck_assert_msg(!fb_parts_assemble(p, b, &hush, &e), "%s", e.msg);
}

START_TEST(an_exchange_of_coordinates)
{
    fb_parts p = {0};
    fb_model b = {0};
    solid s = {0};
    double mass = 0, J = 0, c[3] = {0};
    lead_back(led[_i].deck, &p, &s, &b);
    ck_assert_int_eq(b.ndof, 3 * s.n);
    ck_assert_int_eq(count(&b, 1, FB_DOF_PHYSICAL), led[_i].six);
    ck_assert_int_eq(b.nmotion, 6);
    for (int k = 0; k < 6; k++) /* rounding of doubles over a few dozens of terms */
        ck_assert_double_lt(b.rigid_residual[k], 1e-13);
    for (int64_t k = 0; k < s.n; k++) {
        const double m = s.M[3 * k * 3 * s.n + 3 * k];
        mass += m;
        for (int a = 0; a < 3; a++)
            c[a] += m * s.x[k][a];
        J += m * (s.x[k][1] * s.x[k][1] + s.x[k][2] * s.x[k][2]);
    }
    J -= (c[1] * c[1] + c[2] * c[2]) / mass;
    for (int a = 0; a < 3; a++) {
        ck_assert_double_eq_tol(b.total_mass[a], mass, 1e-13 * mass);
        ck_assert_double_eq_tol(b.mass_center[a], c[a] / mass, 1e-13);
    }
    ck_assert_double_eq_tol(b.mass_inertia[0], J, 1e-12 * J);
    fb_eig f[2] = {{0}};
    fb_csc A[2] = {{0}};
    for (int k = 0; k < 2; k++) { /* the spectrum before and after */
        fb_eig_opts o = {.k = 3 * s.n};
        const double *from = k ? s.M : s.K;
        ck_assert_int_eq(fb_csc_new(A + k, 3 * s.n, 3 * s.n, 9 * s.n * s.n, 1, &e), FB_OK);
        int64_t q = 0;
        for (int64_t j = 0; j < 3 * s.n; j++) {
            for (int64_t i = 0; i <= j; i++)
                if (from[i * 3 * s.n + j] != 0) {
                    A[k].i[q] = i;
                    A[k].x[q++] = from[i * 3 * s.n + j];
                }
            A[k].p[j + 1] = q;
        }
        if (k)
            ck_assert_int_eq(fb_eig_sparse(A, A + 1, &o, f, &e), FB_OK);
        else
            ck_assert_int_eq(fb_eig_sparse(&b.K, &b.M, &o, f + 1, &e), FB_OK);
    }
    ck_assert_int_eq(f[0].n, f[1].n);
    for (int64_t k = 6; k < f[0].n; k++)
        ck_assert_double_eq_tol(f[0].lambda[k], f[1].lambda[k], 1e-9 * f[0].lambda[k] + 1e-12);
    for (int k = 0; k < 2; k++) {
        fb_eig_free(f + k);
        fb_csc_free(A + k);
    }
    free(s.K);
    free(s.M);
    fb_model_free(&b);
    fb_parts_free(&p);
}
END_TEST

/* How many rigid modes the body has, all its dofs for coordinates, with share times the balanced
 * sums of K on the diagonal: that much strain energy in rigid motion, as noise of K might make. */
static int64_t rigid_with(fb_model *b, double share)
{
    const int64_t n = b->ndof;
    double *sum = malloc((size_t)n * sizeof *sum);
    fb_roots r = {0};
    b->nr = n;
    FB_FREE(b->Kr, b->Mr, b->T);
    ck_assert_int_eq(fb_new(&b->Kr, n * n, 8, "K", &e) || fb_new(&b->Mr, n * n, 8, "M", &e) ||
                         fb_new(&b->T, n * n, 8, "T", &e),
                     0);
    ck_assert_int_eq(fb_csc_balanced_sums(&b->K, sum, &e), FB_OK);
    for (int64_t j = 0; j < n; j++) {
        for (int64_t q = b->K.p[j]; q < b->K.p[j + 1]; q++)
            b->Kr[b->K.i[q] + j * n] = b->Kr[j + b->K.i[q] * n] = b->K.x[q];
        for (int64_t q = b->M.p[j]; q < b->M.p[j + 1]; q++)
            b->Mr[b->M.i[q] + j * n] = b->Mr[j + b->M.i[q] * n] = b->M.x[q];
        b->Kr[j + j * n] += share * sum[j];
        b->T[j + j * n] = 1;
    }
    free(sum);
    ck_assert_msg(!fb_model_roots(b, &r, &e), "%s", e.msg);
    const int64_t rigid = r.nrigid;
    fb_roots_free(&r);
    return rigid;
}

/* The modes of the model itself with that, as the eigensolver finds them. */
static void modes_with(const fb_model *b, double share, fb_eig *r)
{
    double *sum = malloc((size_t)b->ndof * sizeof *sum);
    fb_csc K = {0};
    ck_assert_int_eq(fb_csc_balanced_sums(&b->K, sum, &e), FB_OK);
    for (int64_t j = 0; j < b->ndof; j++)
        sum[j] *= share;
    ck_assert_int_eq(fb_csc_add_diagonal(&b->K, 1, sum, NULL, b->ndof, &K, &e), FB_OK);
    ck_assert_int_eq(fb_eig_sparse(&K, &b->M, &(fb_eig_opts){.k = 12}, r, &e), FB_OK);
    ck_assert_int_eq(r->nrigid, 0);
    ck_assert_int_eq(r->nnegative, share < 0 ? 6 : 0);
    fb_csc_free(&K);
    free(sum);
}

static int64_t rigid_in_full(const fb_model *b, double share)
{
    fb_eig r = {0};
    modes_with(b, share, &r);
    const double first = r.lambda[6];
    ck_assert_int_eq(
        fb_rigid_full(b, NULL, &r.X, r.lambda, &r.nnegative, &r.nrigid, "modes", &hush, &e), FB_OK);
    for (int64_t k = r.nnegative; k < r.nnegative + r.nrigid; k++)
        ck_assert_double_eq(r.lambda[k], 0);
    ck_assert_double_eq(r.lambda[6], first);
    ck_assert_int_eq(r.nnegative, share < 0 && r.nrigid == 0 ? 6 : 0);
    const int64_t rigid = r.nrigid;
    fb_eig_free(&r);
    return rigid;
}

/* A soft part below rigid motion that noise strains: the order of roots has no place for it, and
 * it is no negative one. */
static void softer_than_rigid(const fb_model *b, double share)
{
    fb_eig r = {0};
    modes_with(b, share, &r);
    for (int64_t i = 0; i < b->ndof; i++) { /* an elastic shape for the softest */
        const double elastic = r.X.x[i + 6 * r.X.m];
        r.X.x[i + 6 * r.X.m] = r.X.x[i];
        r.X.x[i] = elastic;
    }
    const double least = r.lambda[0];
    ck_assert_int_eq(
        fb_rigid_full(b, NULL, &r.X, r.lambda, &r.nnegative, &r.nrigid, "modes", &hush, &e), FB_OK);
    ck_assert_int_eq(r.nnegative, 0);
    ck_assert_int_eq(r.nrigid, 0);
    ck_assert_double_eq(r.lambda[0], least);
    fb_eig_free(&r);
}

/* What is led back states its noise, at least that of its 14 digits: below it rigid motion is
 * rigid, above it is not, and no elastic mode ever is, whatever is stated. */
START_TEST(noise_of_what_is_led_back)
{
    fb_parts p = {0};
    fb_model b = {0};
    solid s = {0};
    lead_back(led[1].deck, &p, &s, &b);
    ck_assert_ptr_nonnull(b.stiffness_noise);
    const double stated = *b.stiffness_noise;
    ck_assert_double_ge(stated, 5e-14);
    ck_assert_double_lt(stated, 1e-10);
    ck_assert_int_eq(rigid_with(&b, 0.5 * stated), 6);
    ck_assert_int_eq(rigid_with(&b, 2 * stated), 0);
    ck_assert_int_eq(rigid_in_full(&b, 0.5 * stated), 6);
    ck_assert_int_eq(rigid_in_full(&b, -0.5 * stated), 6);
    ck_assert_int_eq(rigid_in_full(&b, 2 * stated), 0);
    softer_than_rigid(&b, 0.5 * stated);
    *b.stiffness_noise = 0;
    ck_assert_int_eq(rigid_with(&b, 0.5 * stated), 0);
    ck_assert_int_eq(rigid_in_full(&b, 0.5 * stated), 0);
    ck_assert_int_eq(rigid_in_full(&b, -0.5 * stated), 6); /* (RM.5) */
    *b.stiffness_noise = 1;
    ck_assert_int_eq(rigid_with(&b, 2 * stated), 6);
    free(s.K);
    free(s.M);
    fb_model_free(&b);
    fb_parts_free(&p);
}
END_TEST

/* A stack without all its rows is held in the deck: it stays as it is. */
START_TEST(what_is_held_stays)
{
    fb_parts p = {0};
    fb_model b = {0};
    solid s = {.n = 4, .K = calloc(144, 8), .M = calloc(144, 8)};
    for (int k = 0; k < 12; k++)
        s.K[13 * k] = s.M[13 * k] = 2;
    read_solid(led[2].deck, "1.1\n1.2\n1.3\n1.1\n1.2\n1.3\n2.1\n2.3\n2.1\n2.2\n2.3\n3.3\n", &s, 12,
               &p);
    ck_assert_msg(!fb_parts_assemble(&p, &b, &hush, &e), "%s", e.msg);
    ck_assert_int_eq(count(&b, 1, FB_DOF_PHYSICAL), 3);
    ck_assert_int_eq(count(&b, 2, FB_DOF_PHYSICAL), 0);
    ck_assert_int_eq(count(&b, 3, FB_DOF_PHYSICAL), 0);
    free(s.K);
    free(s.M);
    fb_model_free(&b);
    fb_parts_free(&p);
}
END_TEST

/* The rows of a knot, as CalculiX lists them: its node's before all, rotations and swelling where
 * the number belongs. */
START_TEST(knots_have_six_dofs)
{
    fb_parts p = {0};
    fb_model b = {0};
    solid s = {.n = 8, .K = calloc(600, 8), .M = calloc(600, 8)};
    for (int k = 0; k < 24; k++)
        s.K[25 * k] = s.M[25 * k] = 2;
    read_solid(FOLD("1.8", ".6"),
               "3.1\n3.2\n3.3\n4.1\n4.2\n4.3\n1.1\n1.2\n1.3\n1.1\n1.2\n1.3\n"
               "19.1\n19.2\n19.3\n20.1\n33.1\n33.3\n34.1\n5.1\n5.2\n40.1\n40.2\n40.3\n",
               &s, 24, &p);
    ck_assert_msg(!fb_parts_assemble(&p, &b, &hush, &e), "%s", e.msg);
    ck_assert_int_eq(count(&b, 3, FB_DOF_PHYSICAL), 6);
    ck_assert_int_eq(count(&b, 3, FB_DOF_INTERNAL), 1);
    ck_assert_int_eq(count(&b, 4, FB_DOF_PHYSICAL), 5); /* one rotation is held */
    ck_assert_int_eq(count(&b, 1, FB_DOF_PHYSICAL), 5);
    ck_assert_int_eq(count(&b, 40, FB_DOF_INTERNAL), 3); /* incompatible modes */
    free(s.K);
    free(s.M);
    fb_model_free(&b);
    fb_parts_free(&p);
}
END_TEST

/* ---- frames on shells -------------------------------------------------------------------- */

/* An edge of a plate is a line: its rotations make it hold a frame, averaged or rigid; frequencies
 * of the averaged one are those of the body. */
START_TEST(an_edge_holds_a_frame)
{
    fb_parts p = {0};
    fb_model b = {0}, free_body = {0};
    solid s = {0}, t = {0};
    char text[] = "99=1,4@0,0.5,0";
    fb_list *list = _i % 2 ? &p.how.rigid : &p.how.average;
    list->v[list->n++] = text;
    lead_back(led[_i < 2 ? 1 : 2].deck, &p, &s, &b);
    if (_i < 2) { /* every rotation is a component: R is known */
        fb_mat R = {0}, KR = {0};
        ck_assert_int_eq(fb_model_rigid(&b, &R, &e), FB_OK);
        ck_assert_int_eq(fb_mat_new(&KR, b.ndof, 6, &e), FB_OK);
        fb_csc_mul(&b.K, R.x, R.m, KR.x, KR.m, 6);
        ck_assert_double_lt(fb_mat_max(&KR), 1e-11); /* K is of size 100 */
        fb_mat_free(&R);
        fb_mat_free(&KR);
    }
    ck_assert_int_eq(count(&b, 99, FB_DOF_PHYSICAL), 6);
    if (_i % 2 == 0) {
        fb_eig f[2] = {{0}};
        fb_eig_opts o = {.k = 9};
        fb_parts q = {0};
        lead_back(led[_i < 2 ? 1 : 2].deck, &q, &t, &free_body);
        ck_assert_int_eq(b.ndof, free_body.ndof);
        ck_assert_int_eq(fb_eig_sparse(&b.K, &b.M, &o, f, &e), FB_OK);
        ck_assert_int_eq(fb_eig_sparse(&free_body.K, &free_body.M, &o, f + 1, &e), FB_OK);
        for (int k = 6; k < 9; k++)
            ck_assert_double_eq_tol(f[0].lambda[k] / f[1].lambda[k], 1, 1e-9);
        for (int k = 0; k < 2; k++)
            fb_eig_free(f + k);
        free(t.K);
        free(t.M);
        fb_parts_free(&q);
    }
    free(s.K);
    free(s.M);
    fb_model_free(&b);
    fb_model_free(&free_body);
    fb_parts_free(&p);
}
END_TEST

/* Every allocation of reading a deck with sections and of leading back fails once. */
START_TEST(without_memory)
{
    char *text = NULL;
    solid s = {.n = 8, .K = calloc(576, 8), .M = calloc(576, 8)};
    fb_status last = FB_ESYS;
    for (int k = 0; k < 24; k++)
        s.K[25 * k] = s.M[25 * k] = 2;
    text = triples(s.K, 24);
    for (long k = 0; last && k < 2000; k++) {
        fb_parts p = {0};
        fb_model b = {0};
        const fb_reader *const r[] = {&fb_reader_inp, &fb_reader_ccx_dof, &fb_reader_coordinate};
        const char *const t[] = {led[2].deck,
                                 "1.1\n1.2\n1.3\n1.1\n1.2\n1.3\n2.1\n2.2\n2.3\n2.1\n"
                                 "2.2\n2.3\n3.1\n3.2\n3.3\n3.1\n3.2\n3.3\n4.1\n4.2\n"
                                 "4.3\n4.1\n4.2\n4.3\n",
                                 text};
        fb_alloc_fail_after = k;
        last = FB_OK;
        for (int q = 0; !last && q < 3; q++)
            last = read_as(r[q], t[q], &p);
        if (!last) {
            p.matrix[0].role = FB_ROLE_STIFFNESS;
            last = fb_parts_assemble(&p, &b, &hush, &e);
        }
        fb_alloc_fail_after = -1;
        ck_assert_msg(!last || last == FB_ESYS, "%ld: %s", k, e.msg);
        fb_model_free(&b);
        fb_parts_free(&p);
    }
    ck_assert_int_eq(last, FB_OK);
    free(text);
    free(s.K);
    free(s.M);
}
END_TEST

static void prepare(void)
{
    hush = (fb_log){0};
}

static void done(void)
{
    fb_log_free(&hush);
}

Suite *suite_expand(void)
{
    Suite *s = suite_create("expand");
    TCase *c = tcase_create("expand");
    tcase_add_checked_fixture(c, prepare, done);
    tcase_add_loop_test(c, places_of_solid_nodes, 0, sizeof stacks / sizeof *stacks);
    tcase_add_loop_test(c, an_exchange_of_coordinates, 0, sizeof led / sizeof *led);
    tcase_add_test(c, noise_of_what_is_led_back);
    tcase_add_test(c, what_is_held_stays);
    tcase_add_test(c, knots_have_six_dofs);
    tcase_add_loop_test(c, an_edge_holds_a_frame, 0, 4);
    tcase_add_test(c, without_memory);
    suite_add_tcase(s, c);
    return s;
}
