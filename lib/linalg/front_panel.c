/* SPDX-License-Identifier: GPL-3.0-or-later */
/* front_panel.c - the elimination of the columns of a dense front, WIDE of them at a time, packed
 * once for all that is multiplied by them.
 *
 * Equations  F the front, p the columns at hand (WIDE), a block of rows R below; J a tile's columns
 *   (FP.1) L_RJ = (F_RJ - L_R,<J L_J,<J') L_JJ^-T                 L L', tile by tile
 *   (FP.2) F_RJ := F_RJ - F_R,<q X_J,<q',  X_Rq = F_Rq F_qq^-1    block L D L'; q: PANEL of p
 *   (FP.3) F_RS := F_RS - L_Rp L_Sp',  or - F_Rp X_Sp'            all columns S behind
 * The rows of p itself are first, block by block; those below are independent of each other.
 * Threads  share the rows of (FP.1) and (FP.2), the tiles of (FP.3). Every sum has one order.
 * Source   Goto & van de Geijn, ACM TOMS 34 (2008) 12 (packing); Parlett, The Symmetric Eigenvalue
 *          Problem (1998), sec. 3.3 (signs of D)
 * Cost     the flops of a factor, (FP.2) about a tenth more
 * Laws     tests/unit/test_front.c
 */
#include "blas.h"
#include "front.h"
#include <math.h>
#include <string.h>

void dsytrf_rk_(const char *uplo, const int *n, double *a, const int *lda, double *e, int *ipiv,
                double *work, const int *lwork, int *info);
void dsytrs_3_(const char *uplo, const int *n, const int *nrhs, const double *a, const int *lda,
               const double *e, const int *ipiv, double *b, const int *ldb, int *info);

enum {
    TILE = FB_FRONT_TILE,
    GRAIN = FB_FRONT_GRAIN,
    SLICE = FB_FRONT_SLICE,
    PANEL = FB_FRONT_PANEL,
    WIDE = FB_FRONT_WIDE,
    NEAR = 384 /* rows whose packed values stay in the second cache */
};

typedef struct { /* WIDE columns of a front */
    fb_elimination *z;
    int64_t p, k, q; /* first column, columns, first column behind                      */
    double *L, *X;   /* packed: rows p..q-1, then the rows below; (FP.2): F and X       */
    int64_t below;   /* values before those of the rows below                           */
    double *T;       /* of a tile's columns their triangle; (FP.2): - F_qq^-1           */
    int64_t each;    /* rows below that are one piece of work                           */
    int64_t tall;    /* of a product                                                    */
} block;

void fb_front_pieces(int threads, int64_t n, void (*piece)(void *arg, int k), void *arg)
{
    if (threads > 1)
        fb_parallel((int)n, piece, arg);
    else
        for (int k = 0; k < (int)n; k++)
            piece(arg, k);
}

int64_t fb_front_packed(int64_t nc, int64_t rows, int definite)
{
    const int64_t k = nc < WIDE ? nc : WIDE;
    return definite ? (rows + 2 * GRAIN + TILE) * k : (2 * (rows + 2 * GRAIN) + PANEL) * k;
}

static int64_t least(int64_t a, int64_t b)
{
    return a < b ? a : b;
}

/* The rows `row`.. of the columns of p are packed. */
static double *packed_rows(const block *b, double *P, int64_t row)
{
    const int64_t from = row < b->q ? b->p : b->q;
    return P + (row < b->q ? 0 : b->below) + (row - from) * b->k;
}

static block columns_at(fb_elimination *z, int64_t p, int definite)
{
    const int64_t mr = z->kernels->rows, k = least(z->nc - p, WIDE);
    block b = {.z = z, .p = p, .k = k, .q = p + k, .L = z->packed};
    b.below = (k + mr - 1) / mr * mr * k;
    b.X = b.L + b.below + (z->rows - b.q + mr - 1) / mr * mr * k;
    b.T = definite ? b.X : b.X + (b.X - b.L);
    return b;
}

/* Columns of the packed P from the j-th on, as those of a tile. */
static void tile_in(double *P, int64_t j, int64_t mr, double **C)
{
    for (int64_t c = 0; c < TILE; c++)
        C[c] = P + (j + c) * mr;
}

/* P(:, j..) := P(:, j..) - A B' of n columns, packed all of them; with `fresh` := - A B' */
static void multiply_packed(const fb_front_kernels *f, int64_t k, const double *A, const double *B,
                            int64_t sb, double *P, int64_t j, int64_t n, int fresh)
{
    const fb_edge some = {f->rows, n, -TILE, fresh ? 0 : TILE};
    double *C[TILE];
    tile_in(P, j, f->rows, C);
    f->multiply(k, A, B, sb, C, 0, fresh || n < f->columns ? &some : NULL);
}

/* ---- (FP.1) ------------------------------------------------------------------------------ */

/* The triangle of the columns j.. in the rows that P has packed; T row by row with reciprocals. 0:
 * a pivot is not positive, and *at is its column. */
static int triangle(const double *P, int64_t mr, int64_t nr, int64_t n, double *T, int64_t *at)
{
    for (int64_t c = 0; c < n; c++)
        for (int64_t r = c; r < n; r++) {
            double x = P[c * mr + r];
            for (int64_t d = 0; d < c; d++)
                x -= T[r * nr + d] * T[c * nr + d];
            if (r == c && !(x > 0)) {
                *at = c;
                return 0;
            }
            T[r * nr + c] = r == c ? 1 / sqrt(x) : x * T[c * nr + c];
        }
    return 1;
}

/* What the tile's columns from j on have to give to packed rows P. */
static void before_tile(const block *b, double *P, int64_t j, int64_t n)
{
    const fb_front_kernels *f = b->z->kernels;
    const int64_t mr = f->rows;
    if (j > 0)
        multiply_packed(f, j, P, b->L + j / mr * mr * b->k + j % mr, mr, P, j, n, 0);
}

/* The rows of p itself. 0: a pivot is not positive. */
static int triangles(const block *b)
{
    fb_elimination *z = b->z;
    const fb_front_kernels *f = z->kernels;
    const int64_t mr = f->rows, nr = f->columns;
    for (int64_t i = 0; i < b->k; i += mr) {
        const int64_t n = least(b->k - i, mr);
        double *P = b->L + i * b->k, *F = z->F + b->p + i + b->p * z->rows;
        int64_t at;
        f->pack(n, i + n, F, z->rows, P);
        for (int64_t j = 0; j < i + n; j += nr) {
            const int64_t w = least(b->k - j, nr);
            double *T = b->T + j * nr;
            before_tile(b, P, j, w);
            if (j >= i && !triangle(P + j * mr + j - i, mr, nr, w, T, &at)) {
                z->failed = b->p + j + at;
                return 0;
            }
            f->solve(w, T, P + j * mr);
        }
        f->unpack(n, i, P, F, z->rows);
        for (int64_t j = i; j < i + n; j++)
            memcpy(F + j - i + j * z->rows, P + j * mr + j - i, sizeof *F * (size_t)(n - j + i));
    }
    return 1;
}

static void rows_below(void *arg, int c)
{
    const block *b = arg;
    const fb_elimination *z = b->z;
    const fb_front_kernels *f = z->kernels;
    const int64_t mr = f->rows, nr = f->columns, from = b->q + c * b->each,
                  end = least(z->rows, from + b->each);
    for (int64_t i = from; i < end; i += mr) {
        double *P = packed_rows(b, b->L, i), *F = z->F + i + b->p * z->rows;
        f->pack(least(end - i, mr), b->k, F, z->rows, P);
        for (int64_t j = 0; j < b->k; j += nr) {
            const int64_t w = least(b->k - j, nr);
            before_tile(b, P, j, w);
            f->solve(w, b->T + j * nr, P + j * mr);
        }
        f->unpack(least(end - i, mr), b->k, P, F, z->rows);
    }
}

static void all_below(block *b, void (*piece)(void *arg, int k))
{
    const int64_t rows = b->z->rows - b->q;
    b->each = fb_front_rows(b->z->threads, rows, FB_FRONT_CHUNK);
    fb_front_pieces(b->z->threads, (rows + b->each - 1) / b->each, piece, b);
}

/* ---- (FP.3) ------------------------------------------------------------------------------ */

/* The tile of row i and column j, counted from q on, at the edge of what counts? */
static int at_edge(const block *b, int64_t i, int64_t j, fb_edge *edge)
{
    const fb_elimination *z = b->z;
    const int64_t rows = z->rows - b->q - i, columns = z->rows - b->q - j, mr = z->kernels->rows,
                  nr = z->kernels->columns;
    *edge = (fb_edge){least(rows, mr), least(columns, nr), j - i,
                      z->fresh && b->p == 0 ? z->nc - b->q - j : nr};
    return rows < mr || columns < nr || j + nr > i + 1 || edge->fresh < nr;
}

/* The rows i..i_end-1 of the columns j..j_end-1, counted from q on. */
static void tiles(const block *b, int64_t i, int64_t i_end, int64_t j, int64_t j_end)
{
    const fb_front_kernels *f = b->z->kernels;
    const int64_t mr = f->rows, nr = f->columns;
    fb_edge edge;
    for (; j < j_end && j < i_end; j += nr) {
        const double *B = packed_rows(b, b->X, b->q + j / mr * mr) + j % mr;
        for (int64_t r = i > j ? i : j / mr * mr; r < i_end; r += mr)
            f->multiply(b->k, packed_rows(b, b->L, b->q + r), B, mr, b->z->column + b->q + j,
                        b->q + r, at_edge(b, r, j, &edge) ? &edge : NULL);
    }
}

/* Pieces of the slice of column j: its rows from j on. */
static int64_t pieces_of(const block *b, int64_t j)
{
    return (b->z->rows - b->q - j + b->tall - 1) / b->tall;
}

static void piece_of_product(void *arg, int t)
{
    const block *b = arg;
    const int64_t rows = b->z->rows - b->q;
    int64_t j = 0, k = t;
    if (b->z->threads > 1)
        for (; k >= pieces_of(b, j); j += SLICE)
            k -= pieces_of(b, j);
    const int64_t j_end = b->z->threads > 1 ? least(rows, j + SLICE) : rows,
                  end = least(rows, j + (k + 1) * b->tall);
    for (int64_t i = j + k * b->tall; i < end; i += NEAR)
        tiles(b, i, least(end, i + NEAR), j, j_end);
}

static void product(block *b)
{
    int64_t n = 0;
    const int64_t rows = b->z->rows - b->q;
    b->tall = fb_front_rows(b->z->threads, rows, FB_FRONT_TALL);
    for (int64_t j = 0; j < rows; j += b->z->threads > 1 ? SLICE : rows)
        n += b->z->threads > 1 ? pieces_of(b, j) : 1;
    fb_front_pieces(b->z->threads, n, piece_of_product, b);
}

void fb_front_cholesky(fb_elimination *z)
{
    z->failed = -1;
    for (int64_t p = 0; p < z->nc; p += WIDE) {
        block b = columns_at(z, p, 1);
        if (!triangles(&b))
            return;
        all_below(&b, rows_below);
        b.X = b.L;
        product(&b);
    }
}

/* ---- (FP.2) ------------------------------------------------------------------------------ */

/* Signs of a panel's D: 1x1 by their sign, one negative root in a 2x2 block. */
static void signs(fb_elimination *z, const double *A, int k, const double *e, const int *pivot)
{
    for (int i = 0; i < k; i++)
        if (pivot[i] < 0 && i + 1 < k && (e[i] < 0 || e[i] > 0)) {
            z->negative++;
            i++;
        } else {
            z->negative += A[i * (k + 1)] < 0;
            z->zero += !(A[i * (k + 1)] < 0 || A[i * (k + 1)] > 0);
        }
}

/* Y [PANEL x k] := - F_qq^-1 of the k columns from j on. The inverse is as good as solutions with
 * the pivots are, whose error it has; with products the count takes a fifth less (measured). */
static void inverse(const block *b, int64_t j, int k, double *Y)
{
    double A[PANEL * PANEL], B[PANEL * PANEL], e[PANEL];
    int pivot[PANEL], lwork = PANEL * PANEL, info = 0;
    const int64_t mr = b->z->kernels->rows;
    for (int64_t c = 0; c < k; c++)
        for (int64_t r = 0; r < k; r++) {
            const double *P = b->L + (j + r) / mr * mr * b->k;
            A[r + c * k] = r >= c ? P[(j + c) * mr + (j + r) % mr] : 0;
            B[r + c * k] = r == c;
        }
    dsytrf_rk_("L", &k, A, &k, e, pivot, Y, &lwork, &info);
    signs(b->z, A, k, e, pivot);
    if (info != 0) {
        b->z->zero++;
        return;
    }
    dsytrs_3_("L", &k, &k, A, &k, e, pivot, B, &k, &info);
    for (int64_t c = 0; c < k; c++)
        for (int64_t r = 0; r < PANEL; r++)
            Y[r + c * PANEL] = r < k ? -B[r + c * k] : 0;
}

/* The columns j..j+k-1 of packed rows F: what the panels before give to them. */
static void before_panel(const block *b, double *F, int64_t j, int64_t k)
{
    const fb_front_kernels *f = b->z->kernels;
    const int64_t mr = f->rows;
    for (int64_t c = j; j > 0 && c < j + k; c += f->columns)
        multiply_packed(f, j, F, b->X + c / mr * mr * b->k + c % mr, mr, F, c,
                        least(j + k - c, f->columns), 0);
}

/* X := F F_qq^-1 of the columns j..j+k-1 of packed rows */
static void behind_panel(const block *b, const double *F, double *X, int64_t j, int64_t k)
{
    const fb_front_kernels *f = b->z->kernels;
    const int64_t mr = f->rows;
    for (int64_t c = 0; c < k; c += f->columns)
        multiply_packed(f, k, F + j * mr, b->T + j * PANEL + c, PANEL, X, j + c,
                        least(k - c, f->columns), 1);
}

/* The rows of p itself. 0: a panel is singular. */
static int panels(const block *b)
{
    const fb_elimination *z = b->z;
    const int64_t mr = z->kernels->rows;
    for (int64_t i = 0; i < b->k; i += mr)
        z->kernels->pack(least(b->k - i, mr), b->k, z->F + b->p + i + b->p * z->rows, z->rows,
                         b->L + i * b->k);
    for (int64_t j = 0; j < b->k; j += PANEL) {
        const int64_t k = least(b->k - j, PANEL);
        for (int64_t i = j; i < b->k; i += mr)
            before_panel(b, b->L + i * b->k, j, k);
        inverse(b, j, (int)k, b->T + j * PANEL);
        if (z->zero)
            return 0;
        for (int64_t i = j + PANEL; i < b->k; i += mr)
            behind_panel(b, b->L + i * b->k, b->X + i * b->k, j, k);
    }
    return 1;
}

static void panel_rows_below(void *arg, int c)
{
    const block *b = arg;
    const fb_elimination *z = b->z;
    const int64_t mr = z->kernels->rows, from = b->q + c * b->each,
                  end = least(z->rows, from + b->each);
    for (int64_t i = from; i < end; i += mr) {
        double *F = packed_rows(b, b->L, i), *X = packed_rows(b, b->X, i);
        z->kernels->pack(least(end - i, mr), b->k, z->F + i + b->p * z->rows, z->rows, F);
        for (int64_t j = 0; j < b->k; j += PANEL) {
            const int64_t k = least(b->k - j, PANEL);
            before_panel(b, F, j, k);
            behind_panel(b, F, X, j, k);
        }
    }
}

void fb_front_block_ldl(fb_elimination *z)
{
    z->negative = z->zero = 0;
    for (int64_t p = 0; p < z->nc; p += WIDE) {
        block b = columns_at(z, p, 0);
        if (!panels(&b))
            return;
        all_below(&b, panel_rows_below);
        product(&b);
    }
}
