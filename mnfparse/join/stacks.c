/* SPDX-License-Identifier: GPL-3.0-or-later */
/* stacks.c - beams and shells, of which CalculiX made solids, led back to the nodes of the deck.
 *
 *   (SK.1) u = R q + N w    u [3n] the rows of the n nodes of a stack; R their rigid motion about
 *          the node of the deck, N an orthonormal basis of what is normal to it: N'R = 0, N'N = I
 *   (SK.2) q = (R'R)^-1 R'u   the mean motion of the stack: the node's translations and rotations
 *   (SK.3) K := T'KT, M := T'MT   with T of (SK.1) in the rows of each stack
 *   (SK.4) |dK| <= d |K| of the solids, d the digits of their text, is |T|' d |K| |T| of what is
 *          led back: stiffnesses across a thin section cancel. s = max_c sum_i n_i / sum_i r_i over
 *          the rows of component c bounds it in rigid motion, r the balanced sums of K
 *          (sparse_ops.h), n_i = sum_j |dK_ij| sqrt(a_i/a_j), a_k = sum_d T_dk^2 K_dd: free of
 *          units, too
 * An exchange of coordinates: nothing is lost, frequencies stay. Rigid motion has w = 0. q are the
 * node's components 1..6, w internal dofs with the components above. Of a shell's stack, a line,
 * rotation about the normal moves nothing: it has 2 rotations. They are components where the normal
 * is along an axis; else internal, for no two of three components tell them; frames know their
 * axes. A knot has its own rows already: 1..3 of its node, and 1..3 of a node that is no node of
 * the deck, its rotations; the number behind is its swelling. A stack of which rows are missing is
 * held or tied in the deck: its rows stay as they are.
 */
#include "assemble.h"
#include "linalg/sparse_ops.h"
#include "memory.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define NOISE  1e-12 /* of the largest diagonal of a stack: texts have 14 digits */
#define DIGITS 5e-14 /* (SK.4) */
enum { ROWS = 24, RIGID = 6 };
#define ALONG_AXIS 1e-9 /* of a normal, off the axis */
#define TAKEN      0.3  /* of a unit vector, left behind projection: one of 24 has more than 0.5 */

typedef struct {
    fb_join *j;
    fb_csc Tt;
    int64_t q;                               /* entries so far */
    int64_t six, five, oblique, knots, held; /* nodes */
    char list[200];
    int64_t *first; /* [n] of a coordinate of w: 1 + the first row of its stack */
} task;

/* ---- one stack ------------------------------------------------------------------------- */

/* Two directions normal to n, axes where it is one; 1: they are axes. */
static int across(const double n[3], double t[2][3], int axis[2])
{
    int top = 0;
    for (int c = 1; c < 3; c++)
        top = fabs(n[c]) > fabs(n[top]) ? c : top;
    memset(t, 0, 6 * sizeof(double));
    axis[0] = top == 0 ? 1 : 0;
    axis[1] = top == 2 ? 1 : 2;
    t[0][axis[0]] = 1;
    t[1][axis[1]] = 1;
    const double a = n[axis[0]], b = n[axis[1]];
    if (fabs(a) <= ALONG_AXIS && fabs(b) <= ALONG_AXIS)
        return 1;
    double size = sqrt(1 - a * a);
    for (int c = 0; c < 3; c++)
        t[0][c] = ((c == axis[0]) - a * n[c]) / size;
    for (int c = 0; c < 3; c++)
        t[1][c] = n[(c + 1) % 3] * t[0][(c + 2) % 3] - n[(c + 2) % 3] * t[0][(c + 1) % 3];
    return 0;
}

/* Columns of R [ROWS x nr] and what they are: components 1..6, 0 a rotation about t that is
 * none. */
static int rigid_columns(const fb_stack *s, double R[RIGID][ROWS], int component[RIGID],
                         double t[3][3])
{
    const int shell = s->normal[0] != 0 || s->normal[1] != 0 || s->normal[2] != 0;
    int axis[2] = {0, 0}, plain = 1, nr = 3;
    memset(R, 0, RIGID * sizeof *R);
    for (int k = 0; k < 9; k++)
        t[k / 3][k % 3] = k % 4 == 0;
    if (shell)
        plain = across(s->normal, t, axis);
    for (int k = 0; k < (shell ? 2 : 3); k++, nr++) {
        component[nr] = !plain ? 0 : 4 + (shell ? axis[k] : k);
        for (int p = 0; p < s->n; p++)
            for (int c = 0; c < 3; c++) /* t x r */
                R[nr][3 * p + c] = t[k][(c + 1) % 3] * s->r[p][(c + 2) % 3] -
                                   t[k][(c + 2) % 3] * s->r[p][(c + 1) % 3];
    }
    for (int c = 0; c < 3; c++) {
        component[c] = 1 + c;
        for (int p = 0; p < s->n; p++)
            R[c][3 * p + c] = 1;
    }
    return nr;
}

/* v := v minus its part in the first n columns of Q, twice; its length. */
static double project(double v[ROWS], double Q[ROWS][ROWS], int n)
{
    double size = 0;
    for (int pass = 0; pass < 2; pass++)
        for (int k = 0; k < n; k++) {
            double d = 0;
            for (int i = 0; i < ROWS; i++)
                d += Q[k][i] * v[i];
            for (int i = 0; i < ROWS; i++)
                v[i] -= d * Q[k][i];
        }
    for (int i = 0; i < ROWS; i++)
        size += v[i] * v[i];
    return sqrt(size);
}

static void append(double Q[ROWS][ROWS], int *n, const double v[ROWS], double size)
{
    for (int i = 0; i < ROWS; i++)
        Q[*n][i] = v[i] / size;
    ++*n;
}

/* The columns of T [m x m], R and then N; 0 where R's are dependent. */
static int complete(double R[RIGID][ROWS], int nr, int m, double T[ROWS][ROWS])
{
    double Q[ROWS][ROWS] = {{0}}, v[ROWS];
    int n = 0;
    for (int k = 0; k < nr; k++) {
        double all = 0;
        memcpy(v, R[k], sizeof v);
        memcpy(T[k], v, sizeof v);
        for (int i = 0; i < ROWS; i++)
            all += v[i] * v[i];
        const double size = project(v, Q, n);
        if (!(size > 1e-6 * sqrt(all)))
            return 0;
        append(Q, &n, v, size);
    }
    for (int pass = 0; pass < ROWS && n < m; pass++)
        for (int i = 0; i < m && n < m; i++) {
            memset(v, 0, sizeof v);
            v[i] = 1;
            const double size = project(v, Q, n);
            if (size <= (pass ? 1e-3 : TAKEN))
                continue;
            append(Q, &n, v, size);
            memcpy(T[n - 1], Q[n - 1], sizeof v);
        }
    return n == m;
}

static void put(task *t, int64_t d, double x)
{
    if (x != 0) {
        t->Tt.i[t->q] = d;
        t->Tt.x[t->q++] = x;
    }
}

static void name(fb_join *j, int64_t d, int64_t node, int64_t component, int internal)
{
    j->node[d] = node;
    j->component[d] = component;
    j->class[d] = internal ? FB_DOF_INTERNAL : FB_DOF_PHYSICAL;
    j->repeated[d] = 0;
}

/* Rows d .. d + 3n - 1; 0: they are no stack. */
static int lead(task *t, const fb_stack *s, int64_t d)
{
    double R[RIGID][ROWS], T[ROWS][ROWS], axis[3][3];
    int component[RIGID], above = RIGID;
    const int m = 3 * s->n, nr = rigid_columns(s, R, component, axis);
    if (m < nr || !complete(R, nr, m, T))
        return 0;
    for (int i = 0; i < m; i++) { /* (SK.1) */
        for (int k = 0; k < m; k++)
            put(t, d + k, T[k][i]);
        t->Tt.p[d + i + 1] = t->q;
    }
    for (int k = 0; k < m; k++) {
        const int own = k < nr && component[k];
        name(t->j, d + k, s->node, own ? component[k] : ++above, !own);
        t->first[d + k] = k < nr ? 0 : d + 1;
        if (k < nr && !own)
            memcpy(t->j->turn + 3 * (d + k), axis[k - 3], sizeof *axis);
    }
    t->six += nr == RIGID;
    t->five += nr < RIGID && component[nr - 1];
    t->oblique += nr < RIGID && !component[nr - 1];
    return 1;
}

/* ---- rows and stacks ------------------------------------------------------------------- */

static int by_node(const void *a, const void *b)
{
    const fb_stack *s = a, *t = b;
    return (s->node > t->node) - (s->node < t->node);
}

static int by_rotation(const void *a, const void *b)
{
    const fb_stack *const *s = a, *const *t = b;
    return ((*s)->rot > (*t)->rot) - ((*s)->rot < (*t)->rot);
}

static const fb_stack *stack_of(const fb_parts *p, int64_t node)
{
    const fb_stack want = {.node = node};
    return bsearch(&want, p->stack, (size_t)p->nstack, sizeof want, by_node);
}

/* Are rows d .. e-1 components 1 2 3 1 2 3 ... of as many nodes? */
static int is_whole(const fb_join *j, int64_t d, int64_t e, int nodes)
{
    if (e - d != 3 * nodes)
        return 0;
    for (int64_t k = d; k < e; k++)
        if (j->component[k] != 1 + (k - d) % 3)
            return 0;
    return 1;
}

static int64_t run_end(const fb_join *j, int64_t d)
{
    int64_t e = d + 1;
    while (e < j->n && j->node[e] == j->node[d])
        e++;
    return e;
}

/* Rows d .. e-1 are those of a knot's rotations where one or more of the components 1..3 and then
 * one of the swelling follow; their knot, or NULL. */
static const fb_stack *rotation_of(const fb_join *j, const fb_stack *const *knot, int64_t n,
                                   int64_t d, int64_t e)
{
    const fb_stack want = {.rot = j->node[d]}, *key = &want;
    const fb_stack *const *found =
        n ? bsearch(&key, knot, (size_t)n, sizeof(const fb_stack *), by_rotation) : NULL;
    if (!found || e >= j->n || j->node[e] != j->node[d] + 1 || run_end(j, e) != e + 1 ||
        j->component[e] != 1 || e - d > 3)
        return NULL;
    return *found;
}

static fb_status knots_by_rotation(const fb_parts *p, const fb_stack ***knot, int64_t *n, fb_err *e)
{
    FB_PASS(fb_new(knot, p->nstack, sizeof **knot, "knots", e));
    for (int64_t k = 0; k < p->nstack; k++)
        if (!p->stack[k].n && p->stack[k].rot)
            (*knot)[(*n)++] = p->stack + k;
    return FB_OK;
}

static void unit_rows(task *t, int64_t d, int64_t e)
{
    for (; d < e; d++) {
        put(t, d, 1);
        t->Tt.p[d + 1] = t->q;
    }
}

/* Rows d .. e-1 have one label; where the next to look at begin. */
static int64_t one_run(task *t, const fb_stack *const *knot, int64_t nknot, int64_t d, int64_t e)
{
    fb_join *j = t->j;
    const int64_t node = j->node[d];
    const fb_stack *s = stack_of(j->p, node), *turned = rotation_of(j, knot, nknot, d, e);
    if (s && s->n && is_whole(j, d, e, s->n) && lead(t, s, d))
        return e;
    unit_rows(t, d, e + (turned != NULL));
    if (turned) {
        for (int64_t k = d; k < e; k++)
            name(j, k, turned->node, j->component[k] + 3, 0);
        name(j, e, turned->node, 7, 1); /* the swelling */
        return e + 1;
    }
    if (s && !s->n && is_whole(j, d, e, 1)) {
        for (int64_t k = d; k < e; k++)
            name(j, k, node, j->component[k], 0);
        t->knots++;
    } else if (s) {
        fb_name_list(t->list, sizeof t->list, t->held++, node, 0);
    }
    return e;
}

/* n of (SK.4), of the stiffness before and its diagonal. */
static fb_status noise_before(const task *t, const fb_csc *A, const double *diagonal,
                              double **noise, fb_err *e)
{
    const int64_t n = t->j->n;
    double *y = NULL, *w = NULL, *root = NULL;
    fb_status s = FB_OK;
    FB_TRY(fb_new(noise, n, 8, "noise of the stiffness", e));
    FB_TRY(fb_new(&y, n, 8, "noise of the stiffness", e));
    FB_TRY(fb_new(&w, n, 8, "noise of the stiffness", e));
    FB_TRY(fb_new(&root, n, 8, "noise of the stiffness", e));
    for (int64_t d = 0; d < n; d++)
        for (int64_t q = t->Tt.p[d]; q < t->Tt.p[d + 1]; q++)
            root[t->Tt.i[q]] += t->Tt.x[q] * t->Tt.x[q] * fabs(diagonal[d]);
    for (int64_t k = 0; k < n; k++)
        root[k] = root[k] > 0 ? sqrt(root[k]) : 1;
    for (int64_t d = 0; d < n; d++)
        for (int64_t q = t->Tt.p[d]; q < t->Tt.p[d + 1]; q++)
            y[d] += fabs(t->Tt.x[q]) / root[t->Tt.i[q]];
    for (int64_t c = 0; c < n; c++)
        for (int64_t q = A->p[c]; q < A->p[c + 1]; q++) {
            w[A->i[q]] += fabs(A->x[q]) * y[c];
            w[c] += A->i[q] == c ? 0 : fabs(A->x[q]) * y[A->i[q]];
        }
    for (int64_t d = 0; d < n; d++)
        for (int64_t q = t->Tt.p[d]; q < t->Tt.p[d + 1]; q++)
            (*noise)[t->Tt.i[q]] += DIGITS * fabs(t->Tt.x[q]) * root[t->Tt.i[q]] * w[d];
out:
    FB_FREE(y, w, root);
    return s;
}

/* (SK.4) */
static fb_status state_noise(const task *t, const fb_csc *A, const double *noise, fb_err *e)
{
    const fb_join *j = t->j;
    double *r = NULL, n[6] = {0}, sum[6] = {0};
    fb_status s = FB_OK;
    FB_TRY(fb_new(&r, j->n, 8, "row sums", e));
    FB_TRY(fb_new(&j->b->stiffness_noise, 1, sizeof(double), "noise of the stiffness", e));
    FB_TRY(fb_csc_balanced_sums(A, r, e));
    for (int64_t d = 0; d < j->n; d++)
        if (j->class[d] == FB_DOF_PHYSICAL && j->component[d] >= 1 && j->component[d] <= 6) {
            n[j->component[d] - 1] += noise[d];
            sum[j->component[d] - 1] += r[d];
        }
    for (int c = 0; c < 6; c++)
        *j->b->stiffness_noise = fmax(*j->b->stiffness_noise, sum[c] > 0 ? n[c] / sum[c] : 0);
out:
    free(r);
    return s;
}

/* (SK.3). Solids with one point of integration have neither stiffness nor mass in some directions
 * of w: what round-off makes of zero there is cleared. */
static fb_status transform(const task *t, int role, fb_err *e)
{
    fb_csc C = {0}, *A = t->j->A + role;
    double *before = NULL, *after = NULL, *noise = NULL;
    char *dead = NULL;
    const int64_t n = t->j->n;
    fb_status s = FB_OK;
    if (!A->p)
        return FB_OK;
    FB_TRY(fb_new(&before, n, 8, "a diagonal", e));
    FB_TRY(fb_new(&after, n, 8, "a diagonal", e));
    FB_TRY(fb_new(&dead, n, 1, "dof marks", e));
    fb_csc_diagonal(A, before);
    if (role == FB_K)
        FB_TRY(noise_before(t, A, before, &noise, e));
    FB_TRY(fb_transform_take(A, &t->Tt, &C, e));
    *A = C;
    fb_csc_diagonal(A, after);
    for (int64_t d = 0; d < n; d++) {
        double top = 0;
        for (int64_t k = t->first[d] - 1; t->first[d] && k <= d; k++)
            top = fmax(top, before[k]);
        dead[d] = t->first[d] && fabs(after[d]) <= NOISE * top;
    }
    for (int64_t c = 0; c < n; c++)
        for (int64_t q = A->p[c]; q < A->p[c + 1]; q++)
            A->x[q] = dead[c] || dead[A->i[q]] ? 0 : A->x[q];
    fb_csc_compact(A, 1);
    if (role == FB_K)
        s = state_noise(t, A, noise, e);
out:
    FB_FREE(before, after, noise, dead);
    return s;
}

static void tell(const task *t)
{
    fb_log *log = t->j->log;
    if (t->six + t->five + t->oblique + t->knots)
        fb_note(log,
                "beams and shells led back to the nodes of the deck: %lld with six dofs (%lld "
                "knots), %lld of shells with five, %lld of shells oblique to the axes with three",
                (long long)(t->six + t->knots), (long long)t->knots, (long long)t->five,
                (long long)t->oblique);
    if (t->held)
        fb_note(log,
                "%lld nodes of beams and shells are held or tied in the deck: what moves there "
                "stays internal:%s",
                (long long)t->held, t->list);
}

fb_status fb_join_stacks(fb_join *j, fb_err *e)
{
    task t = {.j = j};
    const fb_stack **knot = NULL;
    int64_t nknot = 0;
    fb_status s = FB_OK;
    if (!j->p->nstack || !j->p->expands || !j->p->table_used)
        return FB_OK;
    FB_TRY(knots_by_rotation(j->p, &knot, &nknot, e));
    FB_TRY(fb_new(&j->turn, 3 * j->n, 8, "axes of rotations", e));
    FB_TRY(fb_new(&t.first, j->n, 8, "rows of stacks", e));
    FB_TRY(fb_csc_new(&t.Tt, j->n, j->n, ROWS * j->n, 0, e));
    for (int64_t d = 0; d < j->n;)
        d = one_run(&t, knot, nknot, d, run_end(j, d));
    tell(&t);
    for (int k = 0; k < FB_NROLE && t.six + t.five + t.oblique; k++)
        FB_TRY(transform(&t, k, e));
out:
    fb_csc_free(&t.Tt);
    FB_FREE(t.first, knot);
    return s;
}
