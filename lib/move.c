/* SPDX-License-Identifier: GPL-3.0-or-later */
/* move.c - a model at another place, from the rules of the schema.
 *
 * Symbols  u := Q u + t of places, Q orthogonal, det its determinant; B turns dofs, Z boundary
 *          coordinates, which are dofs (turning.c); r0 = -t, ~ the skew matrix, s_i column i of S
 * Equations
 *   (MOV.1) vectors v := Q v, axial ones v := det Q v, tensors index by index
 *   (MOV.2) x := B x, z := Z z:  K := B K B',  T := B T Z',  Kr := Z Kr Z',  G := B_all G B'
 *   (MOV.3) rigid motions about the new origin r_a := sum Y_ab r_b,  Y = [Q 0; W det Q],
 *           W_al = det sum_k Q_ak (e_k x Q't)_l
 *   (MOV.4) integrals over positions, after (MOV.1):
 *           I2 := I2 - r0 I1,  I4 := I4 - r0~ I3,
 *           I7 := I7 - 2 (r0.I2) 1 + r0 I2' + I2 r0' + I1 ((r0.r0) 1 - r0 r0')      I2 the old one
 *           I8_i := I8_i - r0~ (I3_i)~,  I10_ab := I10_ab - r0_a I3_b
 *           I1, I3, I5, I6, I9, I11 hold no position. Exact whatever mass they were taken with.
 *   (MOV.5) frames C := Q C F, F the product of the mirrors in Q: they stay right-handed
 * Generalized coordinates that are modes stay what they are.
 */
#include "geometric.h"
#include "linalg/sparse_ops.h"
#include "memory.h"
#include "move.h"
#include "schema.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- datasets ------------------------------------------------------------------------------ */

typedef struct {
    fb_model *b;
    const fb_move *m;
    int turns, shifts; /* Q is not 1; t is not 0 */
    fb_turning dofs, all, coordinates, loads, vector, shape;
    int64_t *component; /* [ndof] of /dofs, after the move */
    fb_csc B;           /* of dofs; none without /full and /recovery/G */
} moved;

static void *field(const fb_model *b, const fb_row *r)
{
    void *p;
    memcpy(&p, (const char *)b + r->offset, sizeof p);
    return p;
}

/* The row of the same group whose last word is another. */
static const fb_row *beside(const fb_row *r, const char *word)
{
    const char *end = strstr(r->path, "component");
    for (int q = 0; end && q < fb_nrows; q++)
        if (!strncmp(fb_rows[q].path, r->path, (size_t)(end - r->path)) &&
            !strcmp(fb_rows[q].path + (end - r->path), word))
            return fb_rows + q;
    return NULL;
}

static fb_status labels(moved *v, const fb_row *r, fb_err *e)
{
    fb_model *b = v->b;
    const fb_row *node = beside(r, "node"), *class = beside(r, "class");
    int64_t *component = field(b, r);
    fb_turning none = {0}, *t = component == b->dof_component          ? &v->dofs
                                : component == b->all_component        ? &v->all
                                : component == b->coordinate_component ? &v->coordinates
                                                                       : &none;
    const fb_status s = fb_turn_labels(t, b, v->m, r->path, field(b, node),
                                       component == b->dof_component ? v->component : component,
                                       class ? field(b, class) : NULL, fb_row_count(b, r), e);
    fb_turning_free(&none);
    return s;
}

/* What a finding says of one direction, it says of that which it has become. */
static void findings(const moved *v, int64_t *component, int64_t n)
{
    for (int64_t k = 0; k < n; k++) {
        const int64_t c = component[k], first = c > 3 ? 4 : 1;
        int rows = 0, row = 0;
        if (c < 1 || c > 6)
            continue;
        for (int i = 0; i < 3; i++)
            if (fabs(v->m->Q[3 * i + c - first]) > 0) {
                rows++;
                row = i;
            }
        component[k] = rows == 1 ? first + row : 0;
    }
}

/* Coordinates that are displacements of dofs turn with these; one that is another share of its
 * displacement than its neighbours does not mix with them. */
static fb_status coordinates(moved *v, fb_err *e)
{
    fb_model *b = v->b;
    const double *T = b->T ? b->T : b->nr == b->nm ? b->shape : NULL;
    int64_t *dof = NULL, *node = NULL, *component = NULL;
    fb_status s = FB_OK;
    if (!b->kind || !T || !b->dof_node || b->coordinate_node)
        return FB_OK;
    FB_TRY(FB_NEW(&dof, b->nr, e));
    FB_TRY(FB_NEW(&node, b->nr, e));
    FB_TRY(FB_NEW(&component, b->nr, e));
    FB_TRY(fb_coordinate_dofs(b, T, dof, e));
    for (int64_t k = 0; k < b->nr; k++) {
        node[k] = dof[k] < 0 ? 0 : b->dof_node[dof[k]];
        component[k] = dof[k] < 0 ? 0 : b->dof_component[dof[k]];
    }
    FB_TRY(fb_turn_labels(&v->coordinates, b, v->m, "boundary coordinates", node, component, NULL,
                          b->nr, e));
    for (int64_t k = 0; k < v->coordinates.n; k++)
        for (int r = 0; r < v->coordinates.block[k].n; r++) {
            const int64_t *at = v->coordinates.block[k].at;
            const double x = T[dof[at[0]] + at[0] * b->ndof], y = T[dof[at[r]] + at[r] * b->ndof];
            if (fabs(x - y) > 1e-9 * fabs(x))
                FB_TRY(fb_fail(e, FB_EUSAGE,
                               "boundary coordinates of node %lld are %g and %g of their "
                               "displacements: a move can't mix them",
                               (long long)node[at[0]], x, y));
        }
out:
    FB_FREE(dof, node, component);
    return s;
}

static fb_status add_vector(fb_turning *t, int64_t first, const double *Q, int sign, fb_err *e)
{
    FB_PASS(fb_grow(&t->block, &t->cap, t->n + 1, sizeof *t->block, e));
    fb_turnblock *k = t->block + t->n++;
    *k = (fb_turnblock){.n = 3, .at = {first, first + 1, first + 2}};
    for (int q = 0; q < 9; q++)
        k->A[q] = sign * Q[q];
    return FB_OK;
}

/* Unit loads of a record turn with the dofs that their names say. */
static fb_status record_loads(moved *v, fb_err *e)
{
    fb_model *b = v->b;
    int64_t *node = NULL, *component = NULL;
    fb_status s = FB_OK;
    if (b->dof_node || !b->load || !b->load_name)
        return FB_OK;
    FB_TRY(FB_NEW(&node, b->nload, e));
    FB_TRY(FB_NEW(&component, b->nload, e));
    for (int64_t k = 0; k < b->nload; k++)
        if (!fb_load_dof(b, k, node + k, component + k) || component[k] < 1)
            node[k] = component[k] = 0;
    FB_TRY(fb_turn_labels(&v->loads, b, v->m, "/reduced/load", node, component, NULL, b->nload, e));
    for (int64_t k = 0; k < b->nload; k++)
        if (component[k])
            fb_model_name_load(b, k, node[k], component[k]);
out:
    FB_FREE(node, component);
    return s;
}

static fb_status prepare(moved *v, fb_err *e)
{
    fb_model *b = v->b;
    FB_PASS(add_vector(&v->vector, 0, v->m->Q, 1, e));
    FB_PASS(add_vector(&v->shape, 0, v->m->Q, 1, e));
    FB_PASS(add_vector(&v->shape, 3, v->m->Q, v->m->det, e));
    FB_PASS(fb_copy(&v->component, b->dof_component, b->dof_component ? b->ndof : 0, 8, "dofs", e));
    FB_PASS(coordinates(v, e));
    FB_PASS(record_loads(v, e));
    for (int q = 0; q < fb_nrows; q++)
        if (fb_rows[q].move == FB_LABELS && field(b, fb_rows + q))
            FB_PASS(labels(v, fb_rows + q, e));
    for (int q = 0; q < fb_nrows; q++) {
        fb_turning none = {0};
        int64_t *at = fb_rows[q].move == FB_DOFS ? field(b, fb_rows + q) : NULL;
        if (!at || !b->dof_node)
            continue;
        const fb_status s =
            fb_turn_places(at == b->load_dof ? &v->loads : &none, b, v->m, fb_rows[q].path, at,
                           fb_row_count(b, fb_rows + q), v->component, e);
        fb_turning_free(&none);
        if (s)
            return s;
    }
    for (int q = 0; q < fb_nrows; q++) {
        const fb_csc *A = (const fb_csc *)(const void *)((const char *)b + fb_rows[q].offset);
        if (fb_rows[q].type == 'c' && fb_rows[q].move == FB_TURNS && A->p)
            return fb_turn_matrix(&v->dofs, b->ndof, &v->B, e);
    }
    return FB_OK;
}

/* (MOV.2) for the rows over all dofs of the input. */
static fb_status turn_recovery(moved *v, fb_csc *G, fb_err *e)
{
    fb_csc A = {0}, At = {0};
    fb_fill f = {0};
    fb_status s = FB_OK;
    FB_TRY(fb_turn_matrix(&v->all, G->m, &A, e));
    FB_TRY(fb_csc_transposed(&v->B, &At, e)); /* column j: of B' */
    FB_TRY(fb_fill_new(&f, G->m, G->n, 0, e));
    for (int pass = 0; pass < 2; pass++) {
        if (pass)
            FB_TRY(fb_fill_start(&f, 0, e));
        for (int64_t j = 0; j < G->n; j++)
            for (int64_t c = At.p[j]; c < At.p[j + 1]; c++)
                for (int64_t q = G->p[At.i[c]]; q < G->p[At.i[c] + 1]; q++)
                    for (int64_t r = A.p[G->i[q]]; r < A.p[G->i[q] + 1]; r++)
                        if (pass)
                            (void)fb_fill_place(&f, A.i[r], j, A.x[r] * G->x[q] * At.x[c]);
                        else
                            fb_fill_count(&f, j);
    }
    fb_csc_free(G);
    FB_TRY(fb_fill_finish(&f, G, NULL, NULL, e));
out:
    fb_fill_free(&f);
    FB_FREE_BY(fb_csc_free, &A, &At);
    return s;
}

/* (MOV.2) of each block of geometric stiffness. */
static fb_status turn_blocks(const moved *v, fb_csc *A, fb_err *e)
{
    const int64_t n = v->b->ndof, blocks = A->n / n;
    fb_csc *all = NULL, B = {0};
    fb_status s = FB_OK;
    FB_TRY(FB_NEW(&all, blocks, e));
    for (int64_t k = 0; k < blocks; k++) {
        FB_TRY(fb_geometric_block(A, k, n, &B, e));
        FB_TRY(fb_transform_take(&B, &v->B, all + k, e));
    }
    FB_TRY(fb_geometric_stack_take(all, blocks, &B, e));
    fb_csc_free(A);
    *A = B;
    B = (fb_csc){0};
out:
    for (int64_t k = 0; all && k < blocks; k++)
        fb_csc_free(all + k);
    fb_csc_free(&B);
    free(all);
    return s;
}

static fb_status turn_sparse(moved *v, const fb_row *r, fb_csc *A, fb_err *e)
{
    fb_csc C = {0};
    if (!A->p || r->move == FB_STAYS)
        return FB_OK;
    if (r->rule == FB_RECOVERY)
        return turn_recovery(v, A, e);
    if (r->dim[0] == FB_NKGDOF)
        return turn_blocks(v, A, e);
    FB_PASS(fb_transform_take(A, &v->B, &C, e)); /* T = B': T'AT */
    fb_csc_free(A);
    *A = C;
    return FB_OK;
}

static const fb_turning *turning_of(const moved *v, int dim)
{
    return dim == -3         ? &v->vector
           : dim == -6       ? &v->shape
           : dim == FB_NDOF  ? &v->dofs
           : dim == FB_NR    ? &v->coordinates
           : dim == FB_NLOAD ? &v->loads
                             : NULL;
}

/* Is block k of a row's last two indices symmetric, and what the turn makes of it? One that mixes
 * with others was so by chance, but those of equal outer indices: int s_i~ s_i~, int S_a'S_a. */
static int stays_symmetric(const moved *v, const fb_row *r, int rank, const fb_mat *A, int64_t k)
{
    int mixes = 0;
    for (int d = 0; d < rank - 2; d++)
        mixes = mixes || turning_of(v, r->dim[d]);
    if (mixes && rank == 4 && r->dim[0] == r->dim[1]) {
        const int64_t n = r->dim[1] < 0 ? -r->dim[1] : *fb_dim_of(v->b, r->dim[1]);
        mixes = k / n != k % n;
    }
    return !mixes && fb_mat_is_symmetric(A);
}

/* Every index of a row turns; what was symmetric in its last two stays so to the last bit. */
static fb_status turn_array(const moved *v, const fb_row *r, double *x, fb_err *e)
{
    int64_t len[4] = {1, 1, 1, 1}, all = fb_row_count(v->b, r), outer = 1;
    int rank = 0;
    char *was = NULL;
    for (; rank < 4 && r->dim[rank]; rank++)
        len[rank] = r->dim[rank] < 0 ? -r->dim[rank] : *fb_dim_of(v->b, r->dim[rank]);
    const int square = rank >= 2 && r->dim[rank - 1] == r->dim[rank - 2];
    const int64_t n = square ? len[rank - 1] : 1, count = square && n ? all / (n * n) : 0;
    FB_PASS(FB_NEW(&was, count, e));
    for (int64_t k = 0; k < count; k++)
        was[k] = (char)stays_symmetric(v, r, rank, &(fb_mat){n, n, x + k * n * n}, k);
    for (int d = 0; d < rank; d++) {
        const fb_turning *t = turning_of(v, r->dim[d]);
        if (t && all)
            fb_turn_array(t, x, outer, len[d], all / (outer * len[d]));
        outer *= len[d];
    }
    for (int64_t k = 0; k < count; k++)
        if (was[k])
            (void)fb_mat_symmetrise(&(fb_mat){n, n, x + k * n * n});
    free(was);
    if (v->m->det < 0 && (r->move == FB_TURNS_AXIAL || r->move == FB_INTEGRAL_AXIAL))
        for (int64_t k = 0; k < all; k++)
            x[k] = -x[k];
    return FB_OK;
}

static void places(const moved *v, double *x, int64_t n)
{
    if (v->turns)
        fb_turn_array(&v->vector, x, n, 3, 1);
    for (int64_t k = 0; k < 3 * n; k++)
        x[k] += v->m->t[k % 3];
}

static void frames(const moved *v, double *C, int64_t n)
{
    fb_turn_array(&v->vector, C, n, 3, 3); /* (MOV.5) */
    for (int64_t k = 0; k < 9 * n; k++)
        C[k] *= v->m->flip[k % 3];
}

static void stresses(const moved *v, const fb_row *r, double *x)
{
    static const int at[9] = {0, 3, 4, 3, 1, 5, 4, 5, 2};
    const int64_t all = fb_row_count(v->b, r), n = all / 6;
    if (r->dim[0] == FB_NR && v->b->nr)
        fb_turn_array(&v->coordinates, x, 1, v->b->nr, all / v->b->nr); /* (MOV.2) */
    for (int64_t k = 0; k < n; k++) {
        double A[9];
        for (int q = 0; q < 9; q++)
            A[q] = x[6 * k + at[q]];
        fb_turn_array(&v->vector, A, 1, 3, 3);
        fb_turn_array(&v->vector, A, 3, 3, 1);
        for (int q = 0; q < 9; q++)
            x[6 * k + at[q]] = A[q];
    }
}

static void worst(const moved *v, double *x)
{
    for (int64_t k = 0; k < v->coordinates.n; k++) {
        const fb_turnblock *t = v->coordinates.block + k;
        double top = 0;
        for (int q = 0; q < t->n; q++)
            top = fmax(top, x[t->at[q]]);
        for (int q = 0; q < t->n; q++)
            x[t->at[q]] = top;
    }
}

static void squares(const moved *v, double *x)
{
    const double old[3] = {x[0], x[1], x[2]}, *Q = v->m->Q;
    for (int a = 0; a < 3; a++)
        x[a] = Q[3 * a] * Q[3 * a] * old[0] + Q[3 * a + 1] * Q[3 * a + 1] * old[1] +
               Q[3 * a + 2] * Q[3 * a + 2] * old[2];
}

/* (MOV.3), [n,n] of 6 x 6 by rows. */
static void rigid(const moved *v, double *Y)
{
    const double *Q = v->m->Q, *t = v->m->t;
    double s[3];
    for (int k = 0; k < 3; k++)
        s[k] = Q[k] * t[0] + Q[3 + k] * t[1] + Q[6 + k] * t[2];
    memset(Y, 0, 36 * sizeof *Y);
    for (int a = 0; a < 3; a++)
        for (int k = 0; k < 3; k++) {
            const int p = (k + 1) % 3, q = (k + 2) % 3; /* e_k x s = s_p e_q - s_q e_p */
            Y[6 * a + k] = Q[3 * a + k];
            Y[6 * (3 + a) + 3 + k] = v->m->det * Q[3 * a + k];
            Y[6 * (3 + a) + q] += v->m->det * Q[3 * a + k] * s[p];
            Y[6 * (3 + a) + p] -= v->m->det * Q[3 * a + k] * s[q];
        }
}

/* x [rows, n] := x Y' along its last index; n is 3 without rotations. */
static void combine(const double *Y, double *x, int64_t rows, int64_t n, int64_t stride_row,
                    int64_t stride)
{
    for (int64_t r = 0; r < rows; r++) {
        double old[6], *y = x + r * stride_row;
        for (int64_t k = 0; k < n; k++)
            old[k] = y[k * stride];
        for (int64_t a = 0; a < n; a++) {
            y[a * stride] = 0;
            for (int64_t k = 0; k < n; k++)
                y[a * stride] += Y[6 * a + k] * old[k];
        }
    }
}

static void motions(const moved *v, const fb_row *r, double *x)
{
    const int64_t n = v->b->nrigid, rows = n ? fb_row_count(v->b, r) / n : 0;
    double Y[36];
    rigid(v, Y);
    combine(Y, x, rows, n, n, 1);
    if (r->dim[0] == FB_NRIGID) {
        combine(Y, x, rows, n, 1, n);
        (void)fb_mat_symmetrise(&(fb_mat){n, n, x});
    }
}

static void bounds(const moved *v, double *x, int64_t n)
{
    double top[2] = {0, 0};
    for (int64_t k = 0; k < n; k++)
        top[k / 3] = fmax(top[k / 3], x[k]);
    for (int64_t k = 0; k < n; k++)
        if (k < 3 ? v->turns : v->turns || v->shifts)
            x[k] = k >= 3 && v->shifts ? fmax(top[0], top[1]) : top[k / 3];
}

static void corners(fb_model *b)
{
    for (int64_t f = 0; f + 1 < b->nf1; f++) {
        int64_t i = b->face_offset[f] + 1, k = b->face_offset[f + 1] - 1;
        if (k - i < 1) /* a line */
            continue;
        for (; i < k; i++, k--) {
            const int64_t swap = b->face_index[i];
            b->face_index[i] = b->face_index[k];
            b->face_index[k] = swap;
        }
    }
}

/* ---- inertia about the origin -------------------------------------------------------------- */

static void shift_I4(double *I4, const double *I3, int64_t m, const double r0[3])
{
    for (int64_t k = 0; k < m; k++)
        for (int a = 0; a < 3; a++) {
            int p = (a + 1) % 3, q = (a + 2) % 3;
            I4[a * m + k] -= r0[p] * I3[q * m + k] - r0[q] * I3[p * m + k];
        }
}

static void shift_I7(double *I7, const double *I2, double m, const double r0[3])
{
    double dot = 0, rr = 0;
    for (int a = 0; a < 3; a++) {
        dot += r0[a] * I2[a];
        rr += r0[a] * r0[a];
    }
    for (int a = 0; a < 3; a++)
        for (int c = 0; c < 3; c++)
            I7[3 * a + c] +=
                (a == c) * (m * rr - 2 * dot) + r0[a] * I2[c] + I2[a] * r0[c] - m * r0[a] * r0[c];
}

/* r0~ s~ = s r0' - (r0.s) 1 */
static void shift_I8(double *I8, const double *I3, int64_t m, const double r0[3])
{
    for (int64_t k = 0; k < m; k++) {
        double dot = 0;
        for (int a = 0; a < 3; a++)
            dot += r0[a] * I3[a * m + k];
        for (int a = 0; a < 3; a++)
            for (int c = 0; c < 3; c++)
                I8[9 * k + 3 * a + c] -= I3[a * m + k] * r0[c] - (a == c) * dot;
    }
}

static void shift_I10(double *I10, const double *I3, int64_t m, const double r0[3])
{
    for (int64_t k = 0; k < m; k++)
        for (int a = 0; a < 3; a++)
            for (int c = 0; c < 3; c++)
                I10[(3 * a + c) * m + k] -= r0[a] * I3[c * m + k];
}

static void drop(double **x)
{
    free(*x);
    *x = NULL;
}

/* (MOV.4) of a set I over m modes; what lacks its parts cannot be carried, and goes. */
static void carry(double *I1, double **I2, const double *I3, double **I4, double **I7, double **I8,
                  double **I10, int64_t m, const double r0[3])
{
    if (*I4 && I3)
        shift_I4(*I4, I3, m, r0);
    else
        drop(I4);
    if (*I7 && *I2 && I1)
        shift_I7(*I7, *I2, *I1, r0);
    else
        drop(I7);
    if (*I8 && I3)
        shift_I8(*I8, I3, m, r0);
    else
        drop(I8);
    if (*I10 && I3)
        shift_I10(*I10, I3, m, r0);
    else
        drop(I10);
    for (int a = 0; *I2 && I1 && a < 3; a++)
        (*I2)[a] -= r0[a] * *I1;
    if (!I1)
        drop(I2);
}

static void carry_all(fb_model *b, const double t[3])
{
    const double r0[3] = {-t[0], -t[1], -t[2]};
    double *none = NULL;
    carry(b->I[1], &b->I[2], b->I[3], &b->I[4], &b->I[7], &b->I[8], &b->I[10], b->nr, r0);
    fb_geoload_carry(b, t);
    carry(b->I[1], &b->Is[2], NULL, &none, &b->Is[7], &none, &none, b->nr, r0);
    carry(b->ref_I[1] ? b->ref_I[1] : b->ref_mass, &b->ref_I[2], b->ref_I[3], &b->ref_I[4],
          &b->ref_I[7], &b->ref_I[8], &none, b->nm, r0);
}

/* /reference/inertia, before /reference/center_of_mass moves. */
static void stated(const moved *v)
{
    fb_model *b = v->b;
    double *J = b->ref_inertia, I2[3];
    if (!J)
        return;
    if (!b->ref_mass || !b->ref_com) {
        if (v->shifts)
            drop(&b->ref_inertia);
        return;
    }
    for (int k = 0; k < 9; k++)
        J[k] = k % 4 ? -J[k] : J[k];
    for (int a = 0; a < 3; a++)
        I2[a] = *b->ref_mass * b->ref_com[a];
    fb_turn_array(&v->vector, J, 1, 3, 3);
    fb_turn_array(&v->vector, J, 3, 3, 1);
    fb_turn_array(&v->vector, I2, 1, 3, 1);
    shift_I7(J, I2, *b->ref_mass, (double[3]){-v->m->t[0], -v->m->t[1], -v->m->t[2]});
    for (int k = 0; k < 9; k++)
        J[k] = k % 4 ? -J[k] : J[k];
}

/* The input's axes stay where they are: o := o - A Q't, A := A Q'. */
static fb_status input_axes(const moved *v, fb_err *e)
{
    fb_model *b = v->b;
    if (!b->origin && !b->axes)
        return FB_OK;
    if (!b->axes && v->turns) {
        FB_PASS(FB_NEW(&b->axes, 9, e));
        b->axes[0] = b->axes[4] = b->axes[8] = 1;
    }
    if (v->turns)
        fb_turn_array(&v->vector, b->axes, 3, 3, 1);
    for (int a = 0; b->origin && a < 3; a++)
        for (int k = 0; k < 3; k++)
            b->origin[a] -= (b->axes ? b->axes[3 * a + k] : a == k) * v->m->t[k];
    return FB_OK;
}

/* ---- all datasets -------------------------------------------------------------------------- */

static fb_status move_array(const moved *v, const fb_row *r, double *x, fb_err *e)
{
    const int64_t n = fb_row_count(v->b, r);
    switch (r->move) {
    case FB_TURNS:
    case FB_TURNS_AXIAL:
    case FB_INTEGRAL:
    case FB_INTEGRAL_AXIAL:
        return v->turns ? turn_array(v, r, x, e) : FB_OK;
    case FB_PLACE:
        places(v, x, n / 3);
        break;
    case FB_AXES:
        frames(v, x, n / 9);
        break;
    case FB_STRESSES:
        stresses(v, r, x);
        break;
    case FB_WORST:
        worst(v, x);
        break;
    case FB_SQUARES:
        squares(v, x);
        break;
    case FB_MOTIONS:
        motions(v, r, x);
        break;
    case FB_PROGENY:
        for (int64_t k = 0; v->b->p_factor && k < n; k++)
            x[k] = v->b->p_factor[k] * v->b->p_factor[k];
        break;
    case FB_BOUNDS:
        bounds(v, x, n);
        break;
    case FB_LARGEST:
        for (int64_t k = 0; v->turns && k < n; k++)
            x[k] = k % 13 < 3 ? x[k] : 0;
        break;
    case FB_UNSAID:
    case FB_STAYS:
    case FB_STATED:
    case FB_LABELS:
    case FB_FINDINGS:
    case FB_DOFS:
    case FB_OUTWARD:
    case FB_INPUT:
        break;
    }
    return FB_OK;
}

static fb_status move_rows(moved *v, fb_err *e)
{
    fb_model *b = v->b;
    stated(v);
    FB_PASS(input_axes(v, e));
    for (int q = 0; q < fb_nrows; q++) {
        const fb_row *r = fb_rows + q;
        if (r->type == 'c') {
            if (v->turns)
                FB_PASS(turn_sparse(v, r, (fb_csc *)(void *)((char *)b + r->offset), e));
        } else if (field(b, r) && r->type == 'd') {
            FB_PASS(move_array(v, r, field(b, r), e));
        } else if (field(b, r) && r->move == FB_FINDINGS && v->turns) {
            findings(v, field(b, r), fb_row_count(b, r));
        } else if (field(b, r) && r->move == FB_LARGEST && v->turns) {
            int64_t *node = field(b, r);
            for (int64_t k = 0; k < fb_row_count(b, r); k++)
                node[k] = k % 13 < 3 ? node[k] : 0;
        } else if (field(b, r) && r->move == FB_OUTWARD && v->m->det < 0) {
            corners(b);
        }
    }
    if (v->shifts)
        carry_all(b, v->m->t);
    if (v->turns && b->dof_component) {
        free(b->dof_component);
        b->dof_component = v->component;
        v->component = NULL;
        fb_model_name_loads(b);
    }
    return FB_OK;
}

/* What a verdict measures by diagonals, which a turn mixes, is measured anew; where what it is made
 * of is gone, it goes. */
static fb_status measure_again(fb_model *b, fb_err *e)
{
    const double *T = b->T ? b->T : b->shape;
    const int whole = b->I[1] && b->I[2] && b->I[3] && b->I[4] && b->I[7] && b->I[8];
    const int pair = b->Kr && b->Mr;
    if (b->v_composite && whole && pair && T && b->node_id && b->dof_node) {
        FB_PASS(fb_composite(b, T, e));
    } else if (b->v_composite) {
        FB_FREE(b->v_composite, b->v_deflection);
        b->v_composite = b->v_deflection = NULL;
    }
    if (b->v_definite && pair)
        return fb_model_definite(b, b->v_definite, b->v_definite + 2, e);
    free(b->v_definite);
    b->v_definite = NULL;
    return FB_OK;
}

fb_status fb_model_move(fb_model *b, const fb_move *m, fb_err *e)
{
    moved v = {.b = b, .m = m, .turns = fb_move_turns(m)};
    fb_status s = FB_OK;
    for (int a = 0; a < 3; a++)
        v.shifts = v.shifts || fabs(m->t[a]) > 0;
    if (v.turns)
        FB_TRY(prepare(&v, e));
    else
        FB_TRY(add_vector(&v.vector, 0, m->Q, 1, e));
    FB_TRY(move_rows(&v, e));
    s = fb_model_check(b, e);
    if (!s && v.turns)
        FB_TRY(measure_again(b, e));
    if (s)
        fb_context(e, "where the body is moved to, numbers leave the range of double");
out:
    FB_FREE_BY(fb_turning_free, &v.dofs, &v.all, &v.coordinates, &v.loads, &v.vector, &v.shape);
    fb_csc_free(&v.B);
    free(v.component);
    return s;
}
