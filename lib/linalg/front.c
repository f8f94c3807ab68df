/* SPDX-License-Identifier: GPL-3.0-or-later */
/* front.c - multifrontal factorisation on the supernodes of a symbolic factor, on several threads.
 *
 * Sets     of a front: c its own columns, r the rows below, b the border; all dense
 * Equations
 *   (FR.1) F = [Fcc .; Frc Frr] = entries of S in the columns c + update matrices of the children
 *   (FR.2) Fcc = Lc Lc',  Lrc = Frc Lc^-T,  U = Frr - Lrc Lrc'             L L'
 *   (FR.3) X = Frc Fcc^-1,                  U = Frr - Frc X'               block L D L', D = Fcc
 *   (FR.4) inertia(S) = sum of inertia(Fcc), panel by panel, each by 1x1 and 2x2 pivots inside
 *   (FR.5) the border's rows are those of [S B; B' 0]: what is left of them is -B' S^-1 B
 * (FR.3) chooses pivots inside a panel only, so that the structure stays: it may lose digits where
 * a pivot of the whole front would not have. (FR.5) tells: with B = M X of modes X that are known,
 * B' S^-1 B must be diag(1/(lambda - sigma)).
 * Threads  take subtrees; in a front of the top they take strips of the products. Every sum has one
 *          order, whatever the number of threads. BLAS threads, which spin, are not used.
 * Source   Duff & Reid, ACM TOMS 9 (1983) 302-325; Liu, SIAM Review 34 (1992) 82-109; Parlett, The
 *          Symmetric Eigenvalue Problem (1998), sec. 3.3 (FR.4)
 * Cost     (FR.2) the flops of the factor, (FR.3) about a tenth more; the update matrices on a
 *          stack
 * Laws     tests/unit/test_front.c
 */
#include "blas.h"
#include "front.h"
#include "memory.h"
#include <cblas.h>
#include <math.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

void dpotrf_(const char *uplo, const int *n, double *a, const int *lda, int *info);
void dsytrf_rk_(const char *uplo, const int *n, double *a, const int *lda, double *e, int *ipiv,
                double *work, const int *lwork, int *info);
void dsytrs_3_(const char *uplo, const int *n, const int *nrhs, const double *a, const int *lda,
               const double *e, const int *ipiv, double *b, const int *ldb, int *info);

enum {
    STRIP = FB_FRONT_STRIP,
    SLICE = FB_FRONT_SLICE,
    PANEL = FB_FRONT_PANEL,
    WIDE = FB_FRONT_WIDE,
    SPAN = 1 << 18, /* values set to zero together                             */
    TOLD = 1000     /* times that a factorisation tells how far it is, at most */
};

typedef struct { /* what a thread works with; in the top of the tree, what all of them do */
    int threads;
    int64_t *place;    /* [n] row of the front at hand that a dof is             */
    double *stack;     /* update matrices, children below their parent           */
    int64_t room, top; /* doubles in all, and in use                             */
    double *front, *X; /* (FR.3): columns of the front, Frc Fcc^-1               */
    int64_t *map;      /* rows of a child in its parent                          */
    int64_t failed, negative, zero;
    int foreign; /* 1: an entry of S that the analysis did not see         */
} bench;

typedef struct
{ /* the entry A->x[A->p[column] + at], which the dof of its row is eliminated with */
    uint32_t column, at;
} guest;

typedef struct { /* a part of S */
    const fb_csc *A;
    double factor;
    int64_t *start; /* [n+1] guests of each column, in the order of elimination */
    guest *guest;
} entry_source;

typedef struct {
    fb_fronts *f;
    int64_t *parent, *first, *next; /* children of a supernode, ascending */
    int *owner;
    int64_t *place; /* [n] when a dof is eliminated */
    entry_source source[2];
    double **U; /* [nsuper] update matrices */
    bench *w;   /* [threads + 1], the last one for the top */
    double flops;
    atomic_llong done; /* of these, in parts of the whole */
} tree;

/* ---- update matrices: lower triangle of order m, strips of STRIP columns ---------------- */

/* Doubles before the strip of column j. */
static int64_t strip_at(int64_t m, int64_t j)
{
    int64_t b = j / STRIP;
    return STRIP * (m * b - STRIP * (b * (b - 1) / 2));
}

static int64_t update_size(int64_t m)
{
    int64_t j = (m - 1) / STRIP * STRIP;
    return m > 0 ? strip_at(m, j) + (m - j) * (m - j) : 0;
}

/* &U(0, j), of which the rows from j's strip on exist. */
static double *update_column(double *U, int64_t m, int64_t j)
{
    int64_t j0 = j / STRIP * STRIP;
    return U + strip_at(m, j) + (j - j0) * (m - j0) - j0;
}

/* A bench of one thread is in a part of work itself. */
static void pieces(int threads, int64_t n, void (*piece)(void *arg, int k), void *arg)
{
    if (threads > 1)
        fb_parallel((int)n, piece, arg);
    else
        for (int k = 0; k < (int)n; k++)
            piece(arg, k);
}

/* Doubles of the update matrix of a supernode. */
static int64_t size_of_update(const tree *z, int64_t s)
{
    return update_size(fb_snode_rows(z->f->L, s) - fb_snode_columns(z->f->L, s) + z->f->nb);
}

/* ---- one front ------------------------------------------------------------------------- */

typedef struct {
    double *x;
    int64_t n;
} span;

static void clear_piece(void *arg, int k)
{
    const span *z = arg;
    int64_t from = (int64_t)k * SPAN, n = z->n - from < SPAN ? z->n - from : SPAN;
    memset(z->x + from, 0, sizeof *z->x * (size_t)n);
}

static void clear(const bench *w, double *x, int64_t n)
{
    pieces(w->threads, (n + SPAN - 1) / SPAN, clear_piece, &(span){x, n});
}

/* A child's update matrix U on its way into the columns F and the update matrix V of its parent. */
typedef struct {
    const int64_t *map; /* [m] ascending: rows of U in the parent */
    double *U, *F, *V;
    int64_t m, ld, nc, mv; /* order of U; rows and columns of F, order of V */
} extension;

/* Rows that follow each other here and there are added together: a node's dofs always are. */
static void extend_columns(void *arg, int k)
{
    const extension *z = arg;
    const int64_t *map = z->map, m = z->m;
    for (int64_t j = (int64_t)k * STRIP; j < ((int64_t)k + 1) * STRIP && j < m; j++) {
        const double *from = update_column(z->U, m, j);
        int64_t to = map[j], shift = to < z->nc ? 0 : z->nc;
        double *column = to < z->nc ? z->F + to * z->ld : update_column(z->V, z->mv, to - z->nc);
        for (int64_t i = j, end; i < m; i = end) {
            for (end = i + 1; end < m && map[end] == map[end - 1] + 1;)
                end++;
            double *x = column + (map[i] - shift);
            for (int64_t q = i; q < end; q++)
                x[q - i] += from[q];
        }
    }
}

/* Adds the update matrix of child c to the front of s, whose columns are F (leading dimension ld)
 * and whose update matrix is V. */
static void extend_add(tree *z, bench *w, int64_t s, int64_t c, double *F, int64_t ld, double *V)
{
    const fb_snodes *L = z->f->L;
    const int64_t *r = L->s + L->pi[c] + fb_snode_columns(L, c);
    int64_t nc = fb_snode_columns(L, s), nr = fb_snode_rows(L, s),
            below = fb_snode_rows(L, c) - fb_snode_columns(L, c);
    int64_t m = below + z->f->nb;
    for (int64_t i = 0; i < below; i++)
        w->map[i] = w->place[r[i]];
    for (int64_t b = 0; b < z->f->nb; b++)
        w->map[below + b] = nr + b;
    pieces(w->threads, (m + STRIP - 1) / STRIP, extend_columns,
           &(extension){w->map, z->U[c], F, V, m, ld, nc, nr - nc + z->f->nb});
}

/* An entry of S in the column of a front; `row` is when its other dof is eliminated. */
static void add_entry(bench *w, const int64_t *r, int64_t nr, int64_t row, double x, double *column)
{
    const int64_t i = w->place[row];
    if (i < nr && r[i] == row)
        column[i] += x;
    else
        w->foreign = 1;
}

/* Column j of S, of which one of the two parts. */
static void entries_of(const tree *z, const entry_source *o, bench *w, const int64_t *r, int64_t nr,
                       int64_t j, double *column)
{
    const fb_csc *A = o->A;
    const int64_t d = z->f->perm[j];
    for (int64_t q = A->p[d]; q < A->p[d + 1]; q++)
        if (z->place[A->i[q]] >= j)
            add_entry(w, r, nr, z->place[A->i[q]], o->factor * A->x[q], column);
    for (int64_t k = o->start[j]; k < o->start[j + 1]; k++) {
        const int64_t c = o->guest[k].column;
        add_entry(w, r, nr, z->place[c], o->factor * A->x[A->p[c] + o->guest[k].at], column);
    }
}

/* (FR.1) but for the children. */
static void entries(const tree *z, bench *w, int64_t s, double *F, int64_t ld)
{
    const fb_snodes *L = z->f->L;
    const int64_t *r = L->s + L->pi[s];
    int64_t first = L->super[s], nr = fb_snode_rows(L, s), n = L->n;
    for (int64_t i = 0; i < nr; i++)
        w->place[r[i]] = i;
    for (int64_t j = first; j < L->super[s + 1]; j++) {
        double *column = F + (j - first) * ld;
        for (int k = 0; k < 2 && z->source[k].A; k++)
            entries_of(z, &z->source[k], w, r, nr, j, column);
        for (int64_t b = 0; b < z->f->nb; b++)
            column[nr + b] = z->f->B[b * n + z->f->perm[j]];
    }
}

/* ---- products ---------------------------------------------------------------------------- */

/* C := C - A B', of which the lower triangle counts; C [m x n], n <= m, by strips of columns. C
 * is part of a front, or an update matrix. */
typedef struct {
    int64_t m, n, k;
    const double *A, *B;
    int64_t lda, ldb;
    double *C;
    int64_t ldc;  /* 0: an update matrix */
    int64_t tall; /* rows of a strip that are one piece of work */
} product;

static void multiply(const product *p, int64_t i, int64_t m, int64_t j, int64_t n, double *C,
                     int64_t ldc)
{
    if (m > 0 && n > 0)
        cblas_dgemm(CblasColMajor, CblasNoTrans, CblasTrans, (int)m, (int)n, (int)p->k, -1,
                    p->A + i, (int)p->lda, p->B + j, (int)p->ldb, 1, C, (int)ldc);
}

/* Pieces of the strip of column j: its rows from j on. */
static int64_t tiles(const product *p, int64_t j)
{
    return (p->m - j + p->tall - 1) / p->tall;
}

static void tile_of_product(void *arg, int t)
{
    const product *p = arg;
    int64_t j = 0, k = t;
    for (; k >= tiles(p, j); j += STRIP)
        k -= tiles(p, j);
    int64_t n = p->n - j < STRIP ? p->n - j : STRIP, ldc = p->ldc ? p->ldc : p->m - j;
    double *C = p->ldc ? p->C + j + j * ldc : p->C + strip_at(p->m, j);
    int64_t from = k * p->tall, end = p->m - j < from + p->tall ? p->m - j : from + p->tall;
    for (int64_t c = 0; k == 0 && c < n; c += SLICE)
        multiply(p, j + c, n - c, j + c, n - c < SLICE ? n - c : SLICE, C + c + c * ldc, ldc);
    from = k == 0 ? n : from;
    multiply(p, j + from, end - from, j, n, C + from, ldc);
}

static void lower_product(const bench *w, product *p)
{
    int64_t n = 0;
    p->tall = fb_front_rows(w->threads, p->m, FB_FRONT_TALL);
    for (int64_t j = 0; j < p->n; j += STRIP)
        n += tiles(p, j);
    pieces(w->threads, n, tile_of_product, p);
}

/* ---- elimination ----------------------------------------------------------------------- */

typedef struct {
    const double *T;    /* triangle, or the inverse of the panel */
    const double *from; /* what is multiplied by it              */
    double *X;
    int64_t k, rows, ld;
    int64_t each; /* rows that are one piece of work */
} below;

static void all_below(const bench *w, void (*piece)(void *arg, int k), below *b)
{
    b->each = fb_front_rows(w->threads, b->rows, FB_FRONT_CHUNK);
    pieces(w->threads, (b->rows + b->each - 1) / b->each, piece, b);
}

static void triangle_below(void *arg, int c)
{
    const below *b = arg;
    int64_t i = c * b->each, m = b->rows - i < b->each ? b->rows - i : b->each;
    cblas_dtrsm(CblasColMajor, CblasRight, CblasLower, CblasTrans, CblasNonUnit, (int)m, (int)b->k,
                1, b->T, (int)b->ld, b->X + i, (int)b->ld);
}

/* (FR.2), panel by panel; the update matrix at the end */
static void cholesky(const tree *z, bench *w, int64_t s, double *F, double *V)
{
    const fb_snodes *L = z->f->L;
    int64_t nc = fb_snode_columns(L, s), ld = fb_snode_rows(L, s), m = ld - nc;
    for (int64_t p = 0; p < nc; p += WIDE) {
        int64_t q = nc - p < WIDE ? nc : p + WIDE;
        int k = (int)(q - p), lda = (int)ld, info = 0;
        double *T = F + p + p * ld, *A = F + q + p * ld;
        dpotrf_("L", &k, T, &lda, &info);
        if (info > 0) {
            w->failed = L->super[s] + p + info - 1;
            return;
        }
        all_below(w, triangle_below, &(below){.T = T, .X = A, .k = k, .rows = ld - q, .ld = ld});
        lower_product(w, &(product){ld - q, nc - q, k, A, A, ld, ld, F + q + q * ld, ld, 0});
    }
    lower_product(w, &(product){m, m, nc, F + nc, F + nc, ld, ld, V, 0, 0});
}

/* Signs of a panel's D: 1x1 by their sign, one negative root in a 2x2 block. */
static void signs(bench *w, const double *A, int k, const double *e, const int *pivot)
{
    for (int i = 0; i < k; i++)
        if (pivot[i] < 0 && i + 1 < k && (e[i] < 0 || e[i] > 0)) {
            w->negative++;
            i++;
        } else {
            w->negative += A[i * (k + 1)] < 0;
            w->zero += !(A[i * (k + 1)] < 0 || A[i * (k + 1)] > 0);
        }
}

static void inverse_below(void *arg, int c)
{
    const below *b = arg;
    int64_t i = c * b->each, m = b->rows - i < b->each ? b->rows - i : b->each;
    cblas_dgemm(CblasColMajor, CblasNoTrans, CblasNoTrans, (int)m, (int)b->k, (int)b->k, 1,
                b->from + i, (int)b->ld, b->T, (int)b->k, 0, b->X + i, (int)b->ld);
}

/* X(p+k.., p..p+k-1) := F(p+k.., p..p+k-1) Fpp^-1. The inverse is as good as solutions with the
 * pivots are, whose error it has, and the product takes a fifth of the count less (measured). */
static void panel(bench *w, const double *F, int64_t ld, int64_t p, int k, int64_t rest)
{
    double A[PANEL * PANEL], Y[PANEL * PANEL], e[PANEL];
    int pivot[PANEL], lwork = PANEL * PANEL, info = 0;
    for (int j = 0; j < k; j++)
        for (int i = 0; i < k; i++)
            A[i + j * k] = i >= j ? F[p + i + (p + j) * ld] : 0;
    dsytrf_rk_("L", &k, A, &k, e, pivot, Y, &lwork, &info);
    signs(w, A, k, e, pivot);
    if (info != 0) {
        w->zero++;
        return;
    }
    for (int j = 0; j < k; j++)
        for (int i = 0; i < k; i++)
            Y[i + j * k] = i == j;
    dsytrs_3_("L", &k, &k, A, &k, e, pivot, Y, &k, &info);
    all_below(w, inverse_below,
              &(below){.T = Y,
                       .from = F + p + k + p * ld,
                       .X = w->X + p + k + p * ld,
                       .k = k,
                       .rows = rest,
                       .ld = ld});
}

/* (FR.3) in blocks of WIDE columns, each panel by panel; once more for the update matrix. */
static void block_ldl(const tree *z, bench *w, int64_t s, double *F, double *V)
{
    const fb_snodes *L = z->f->L;
    int64_t nc = fb_snode_columns(L, s), ld = fb_snode_rows(L, s) + z->f->nb, m = ld - nc;
    const double *X = w->X;
    for (int64_t b = 0; b < nc; b += WIDE) {
        int64_t end = nc - b < WIDE ? nc : b + WIDE;
        for (int64_t p = b; p < end; p += PANEL) {
            int64_t k = end - p < PANEL ? end - p : PANEL, q = p + k;
            panel(w, F, ld, p, (int)k, ld - q);
            if (w->zero)
                return;
            lower_product(w, &(product){ld - q, end - q, k, F + q + p * ld, X + q + p * ld, ld, ld,
                                        F + q + q * ld, ld, 0});
        }
        lower_product(w, &(product){ld - end, nc - end, end - b, F + end + b * ld, X + end + b * ld,
                                    ld, ld, F + end + end * ld, ld, 0});
    }
    lower_product(w, &(product){m, m, nc, F + nc, X + nc, ld, ld, V, 0, 0});
}

/* Fronts are done by all threads, in an order of theirs. */
static void tell(tree *z, int64_t s)
{
    enum { FINE = 1000000 }; /* most fronts are small */
    if (!z->f->log || !z->f->log->progress || !(z->flops > 0))
        return;
    const long long mine = (long long)(fb_snode_flops(z->f->L, s) / z->flops * TOLD * FINE);
    const long long before = atomic_fetch_add(&z->done, mine);
    if ((before + mine) / FINE > before / FINE)
        fb_progress(z->f->log, z->f->what, (double)(before + mine) / ((double)TOLD * FINE),
                    z->flops * 1e-9, "Gflop");
}

/* A front from its children to its update matrix, which takes the place of theirs on the stack; on
 * another stack nothing follows them, and their memory is for the rest of the factor. */
static void front(tree *z, bench *w, int64_t s)
{
    fb_fronts *f = z->f;
    const fb_snodes *L = f->L;
    int64_t nc = fb_snode_columns(L, s), ld = fb_snode_rows(L, s) + f->nb;
    int64_t size = update_size(ld - nc), bottom = w->top;
    double *V = w->stack + w->top, *F = f->values ? f->x + L->px[s] : w->front;
    clear(w, F, ld * nc);
    clear(w, V, size);
    entries(z, w, s, F, ld);
    for (int64_t c = z->first[s]; c >= 0; c = z->next[c]) {
        extend_add(z, w, s, c, F, ld, V);
        if (z->owner[c] != z->owner[s])
            fb_memory_release(z->U[c], sizeof *V * (size_t)size_of_update(z, c));
        else if (z->U[c] < w->stack + bottom)
            bottom = z->U[c] - w->stack;
    }
    if (f->values)
        cholesky(z, w, s, F, V);
    else
        block_ldl(z, w, s, F, V);
    z->U[s] = w->stack + bottom;
    if (bottom < w->top)
        memmove(z->U[s], V, sizeof *V * (size_t)size);
    w->top = bottom + size;
    tell(z, s);
}

/* ---- the tree -------------------------------------------------------------------------- */

static int stopped(const bench *w)
{
    return w->failed >= 0 || w->zero > 0 || w->foreign;
}

static void subtrees(void *arg, int t)
{
    tree *z = arg;
    bench *w = &z->w[t];
    for (int64_t s = 0; s < z->f->L->nsuper; s++)
        if (z->owner[s] == t && !stopped(w))
            front(z, w, s);
    fb_memory_release(w->stack + w->top, sizeof *w->stack * (size_t)(w->room - w->top));
}

static fb_status children(tree *z, fb_err *e)
{
    const fb_snodes *L = z->f->L;
    FB_PASS(FB_NEW(&z->parent, L->nsuper, e));
    FB_PASS(FB_NEW(&z->first, L->nsuper, e));
    FB_PASS(FB_NEW(&z->next, L->nsuper, e));
    FB_PASS(FB_NEW(&z->owner, L->nsuper, e));
    FB_PASS(FB_NEW(&z->U, L->nsuper, e));
    FB_PASS(fb_snode_parents(L, z->parent, e));
    FB_PASS(fb_snode_owners(L, z->parent, z->f->threads, 1, z->owner, e));
    for (int64_t k = 0; k < L->nsuper; k++)
        z->first[k] = -1;
    for (int64_t k = L->nsuper - 1; k >= 0; k--)
        if (z->parent[k] >= 0) {
            z->next[k] = z->first[z->parent[k]];
            z->first[z->parent[k]] = k;
        }
    return FB_OK;
}

/* What the fronts of one owner want: the stack, the columns of a front, its rows. */
typedef struct {
    int64_t stack, area, longest;
} wanted;

static wanted measure(const tree *z, int owner)
{
    const fb_snodes *L = z->f->L;
    wanted want = {0, 0, 0};
    int64_t now = 0;
    for (int64_t s = 0; s < L->nsuper; s++) {
        if (z->owner[s] != owner)
            continue;
        int64_t nc = fb_snode_columns(L, s), ld = fb_snode_rows(L, s) + z->f->nb;
        now += size_of_update(z, s);
        want.stack = now > want.stack ? now : want.stack;
        want.area = nc * ld > want.area ? nc * ld : want.area;
        want.longest = ld > want.longest ? ld : want.longest;
        for (int64_t c = z->first[s]; c >= 0; c = z->next[c])
            if (z->owner[c] == owner)
                now -= size_of_update(z, c);
    }
    return want;
}

/* Doubles that the top of the tree takes beside its stack, at most: those of its fronts that are
 * begun, and the update matrices of the subtrees until they are added. `begun`: of the factor. */
static double most_in_top(const tree *z, double *begun)
{
    const fb_snodes *L = z->f->L;
    double now = 0, most = 0;
    *begun = 0;
    for (int64_t s = 0; s < L->nsuper; s++)
        if (z->owner[s] != FB_TOP && (z->parent[s] < 0 || z->owner[z->parent[s]] == FB_TOP))
            now += (double)size_of_update(z, s);
    for (int64_t s = 0; s < L->nsuper; s++) {
        if (z->owner[s] != FB_TOP)
            continue;
        const double area = (double)fb_snode_columns(L, s) * (double)fb_snode_rows(L, s);
        *begun += area;
        now += area;
        most = now > most ? now : most;
        for (int64_t c = z->first[s]; c >= 0; c = z->next[c])
            if (z->owner[c] != FB_TOP)
                now -= (double)size_of_update(z, c);
    }
    return most;
}

static int owner_of(const tree *z, int t)
{
    return t < z->f->threads ? t : FB_TOP;
}

/* Not zeroed: each page is touched first by the thread that works in it. */
static fb_status raw(double **p, int64_t n, fb_err *e)
{
    *p = fb_realloc(NULL, (size_t)(n > 0 ? n : 1), sizeof **p);
    return *p ? FB_OK : fb_fail(e, FB_ESYS, "out of memory: fronts want %.3g MB", 8e-6 * (double)n);
}

static fb_status benches(tree *z, fb_err *e)
{
    int64_t n = z->f->L->n;
    FB_PASS(FB_NEW(&z->w, z->f->threads + 1, e));
    for (int t = 0; t <= z->f->threads; t++) {
        bench *w = &z->w[t];
        wanted want = measure(z, owner_of(z, t));
        w->failed = -1;
        w->threads = t < z->f->threads ? 1 : t;
        w->room = want.stack;
        FB_PASS(raw(&w->stack, want.stack, e));
        FB_PASS(FB_NEW(&w->place, n, e));
        FB_PASS(FB_NEW(&w->map, want.longest, e));
        if (!z->f->values) {
            FB_PASS(raw(&w->front, want.area, e));
            FB_PASS(raw(&w->X, want.area, e));
        }
    }
    return FB_OK;
}

/* The upper triangle of A by its columns has half of the entries where P A P' (lower) wants them:
 * those of a column d whose row is eliminated after d. The others are guests of another column.
 * Counts, then places them. */
static void invite(const entry_source *o, const int64_t *place, int64_t *at, guest *g)
{
    const fb_csc *A = o->A;
    for (int64_t c = 0; c < A->n; c++)
        for (int64_t q = A->p[c]; q < A->p[c + 1]; q++) {
            const int64_t host = place[A->i[q]];
            if (host >= place[c])
                continue;
            if (g)
                g[at[host]] = (guest){(uint32_t)c, (uint32_t)(q - A->p[c])};
            at[host]++;
        }
}

static fb_status open_source(entry_source *o, const fb_csc *A, double factor, const int64_t *place,
                             fb_err *e)
{
    const int64_t n = A->n;
    *o = (entry_source){.A = A, .factor = factor};
    if (n > UINT32_MAX)
        return fb_fail(e, FB_ESOLVE, "a factor of %lld equations is too large", (long long)n);
    FB_PASS(fb_new(&o->start, n + 2, sizeof *o->start, "entries by column", e));
    invite(o, place, o->start + 2, NULL);
    for (int64_t k = 0; k < n; k++)
        o->start[k + 2] += o->start[k + 1];
    FB_PASS(fb_new(&o->guest, o->start[n + 1], sizeof *o->guest, "entries by column", e));
    invite(o, place, o->start + 1, o->guest); /* the starts end where they belong */
    return FB_OK;
}

static fb_status permuted(tree *z, fb_err *e)
{
    const fb_fronts *f = z->f;
    FB_PASS(FB_NEW(&z->place, f->L->n, e));
    for (int64_t k = 0; k < f->L->n; k++)
        z->place[f->perm[k]] = k;
    FB_PASS(open_source(&z->source[0], f->K, 1, z->place, e));
    return f->M ? open_source(&z->source[1], f->M, -f->sigma, z->place, e) : FB_OK;
}

/* (FR.4), (FR.5): the roots' update matrices hold what is left of the border. */
static void collect(const tree *z)
{
    fb_fronts *f = z->f;
    int64_t nb = f->nb;
    f->failed = -1;
    f->negative = f->zero = 0;
    for (int t = 0; t <= f->threads; t++) {
        const bench *w = &z->w[t];
        f->negative += w->negative;
        f->zero += w->zero;
        if (w->failed >= 0 && (f->failed < 0 || w->failed < f->failed))
            f->failed = w->failed;
    }
    f->failed = f->failed >= 0 ? f->perm[f->failed] : -1;
    for (int64_t s = 0; f->G && f->zero == 0 && s < f->L->nsuper; s++)
        if (z->parent[s] < 0)
            for (int64_t j = 0; j < nb; j++)
                for (int64_t i = j; i < nb; i++)
                    f->G[i + j * nb] -= update_column(z->U[s], nb, j)[i];
    for (int64_t j = 0; f->G && j < nb; j++)
        for (int64_t i = 0; i < j; i++)
            f->G[i + j * nb] = f->G[j + i * nb];
}

static void tree_free(tree *z)
{
    for (int t = 0; z->w && t <= z->f->threads; t++)
        FB_FREE(z->w[t].place, z->w[t].stack, z->w[t].front, z->w[t].X, z->w[t].map);
    for (int k = 0; k < 2; k++)
        FB_FREE(z->source[k].start, z->source[k].guest);
    FB_FREE(z->w, z->parent, z->first, z->next, z->owner, z->place, z->U);
}

fb_status fb_fronts_words(const fb_fronts *f, double *words, fb_err *e)
{
    fb_fronts g = *f;
    tree z = {.f = &g};
    int64_t n = f->L->n, nnz = f->K->p[n] + (f->M ? f->M->p[n] : 0);
    double stacks = 0, fronts = 0, begun = 0;
    fb_status s = children(&z, e);
    /* about half of the entries are guests */
    *words = (double)nnz / 2 + (double)n * (f->threads + 5) + 6 * (double)f->L->nsuper;
    for (int t = 0; !s && t < f->threads; t++) {
        wanted want = measure(&z, t);
        stacks += (double)want.stack;
        fronts += 2 * (double)want.area;
    }
    if (!s) {
        wanted want = measure(&z, FB_TOP);
        const double top = most_in_top(&z, &begun);
        fronts += 2 * (double)want.area;
        *words += f->values ? fmax(stacks, top + (double)want.stack) - begun
                            : stacks + (double)want.stack + fronts;
    }
    tree_free(&z);
    return s;
}

fb_status fb_fronts_run(fb_fronts *f, fb_err *e)
{
    tree z = {.f = f};
    fb_status s = FB_OK;
    FB_TRY(permuted(&z, e));
    FB_TRY(children(&z, e));
    FB_TRY(benches(&z, e));
    int bad = 0;
    for (int64_t k = 0; k < f->L->nsuper; k++)
        z.flops += fb_snode_flops(f->L, k);
    fb_parallel(f->threads, subtrees, &z);
    for (int t = 0; t < f->threads; t++)
        bad |= stopped(&z.w[t]);
    for (int64_t k = 0; !bad && k < f->L->nsuper; k++)
        if (z.owner[k] == FB_TOP) {
            front(&z, &z.w[f->threads], k);
            bad = stopped(&z.w[f->threads]);
        }
    for (int t = 0; t <= f->threads; t++)
        if (z.w[t].foreign)
            s = fb_fail(e, FB_ESOLVE,
                        "a matrix of %lld equations has entries that its analysis did not see",
                        (long long)f->L->n);
    collect(&z);
out:
    tree_free(&z);
    return s;
}
