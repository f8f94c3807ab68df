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
 * A front is assembled in its own columns (S by front_entries.c), eliminated (front_panel.c), which
 * writes U, and what the children give to U is added last: nothing that is written over is read or
 * zeroed before. Update matrices lie at both ends of a stack, a front's at the end where its
 * children's are not, so that none is moved; that of a subtree has a place of its own.
 * Threads  take subtrees, the heaviest first; in a front of the top they take pieces of it, and the
 *          stack of that is what the subtrees had. Every sum has one order, whatever the number of
 *          threads and whoever is first.
 * Source   Duff & Reid, ACM TOMS 9 (1983) 302-325; Liu, SIAM Review 34 (1992) 82-109; Parlett, The
 *          Symmetric Eigenvalue Problem (1998), sec. 3.3 (FR.4)
 * Cost     (FR.2) the flops of the factor, (FR.3) about a tenth more; the update matrices on a
 *          stack
 * Laws     tests/unit/test_front.c
 */
#include "blas.h"
#include "front.h"
#include "memory.h"
#include <math.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

enum {
    STRIP = FB_FRONT_STRIP,
    SPAN = 1 << 18, /* values set to zero together                             */
    MUCH = 1 << 20, /* values whose memory is worth giving back: pages come back zeroed */
    TOLD = 1000     /* times that a factorisation tells how far it is, at most */
};

typedef struct { /* what the elimination of some fronts found */
    int64_t failed, negative, zero;
    int foreign; /* 1: an entry of S that the analysis did not see */
} outcome;

typedef struct { /* what a thread works with; the first one's is that of the top, too */
    int threads;
    int64_t *place;       /* [n] row of the front at hand that a dof is             */
    double *stack;        /* update matrices, from both ends of it                  */
    int64_t each;         /* doubles of it, at most                                 */
    int64_t room, top[2]; /* for the fronts at hand, and in use from either end     */
    double *front;        /* (FR.3): columns of the front                           */
    double *packed;       /* of the elimination                                     */
    double **column;      /* row 0 of the columns of the front and of its update matrix */
    int64_t *map;         /* rows of a child in its parent                          */
    fb_rows_run *run;     /* of them                                                */
    atomic_int foreign;
    outcome found;
    atomic_flag taken;
} bench;

/* What fronts want: the stack, the columns of a front, its rows, packed ones. */
typedef struct {
    int64_t stack, area, longest, packed;
} wanted;

typedef struct {
    int64_t first, root; /* the supernodes of it are some of these       */
    int64_t now, left;   /* doubles of update matrices: while they are counted, the root's */
    wanted want;
    outcome found;
} subtree;

typedef struct {
    fb_fronts *f;
    const fb_front_kernels *kernels;
    int64_t *parent, *first, *next; /* children of a supernode, ascending */
    int *number, *side; /* of the subtree; side of the stack, the children's is the other one */
    int64_t *skip;      /* columns before the update matrix in its place, which is a child's */
    fb_entries entries;
    double **U; /* [nsuper] update matrices */
    subtree *sub, top;
    int subtrees;
    double *left, *stacks; /* update matrices of the subtrees; all stacks */
    bench *w;              /* [threads] */
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

/* Order of the update matrix of a supernode. */
static int64_t order_of_update(const tree *z, int64_t s)
{
    return fb_snode_rows(z->f->L, s) - fb_snode_columns(z->f->L, s) + z->f->nb;
}

/* Doubles that it takes. */
static int64_t size_of_update(const tree *z, int64_t s)
{
    return update_size(order_of_update(z, s) + z->skip[s]);
}

/* &U(0, j) of a supernode. */
static double *column_of_update(const tree *z, int64_t s, int64_t j)
{
    const int64_t skip = z->skip[s];
    return update_column(z->U[s], order_of_update(z, s) + skip, skip + j) + skip;
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
    fb_front_pieces(w->threads, (n + SPAN - 1) / SPAN, clear_piece, &(span){x, n});
}

/* A child's update matrix U on its way into the columns of its parent. */
typedef struct {
    const tree *z;
    int64_t child;
    const int64_t *map;      /* [m] ascending: rows of U in the parent */
    const fb_rows_run *run;  /* of the map                             */
    int64_t runs, from, end; /* columns of U that are added */
    double **column;
} extension;

/* Rows that follow each other here and there are added together: a node's dofs always are. */
static void extend_columns(void *arg, int k)
{
    const extension *z = arg;
    const fb_front_kernels *f = z->z->kernels;
    const int64_t from = z->from + (int64_t)k * STRIP,
                  end = z->end < from + STRIP ? z->end : from + STRIP;
    int64_t a = 0;
    for (int64_t j = from; j < end; j++) {
        const double *U = column_of_update(z->z, z->child, j);
        double *to = z->column[z->map[j]];
        while (z->run[a].from + z->run[a].n <= j)
            a++;
        const int64_t skip = j - z->run[a].from;
        const fb_rows_run first = {j, z->run[a].to + skip, z->run[a].n - skip};
        f->extend(1, &first, U, to);
        f->extend(z->runs - a - 1, z->run + a + 1, U, to);
    }
}

/* Rows of a child in its parent, in runs; their number. */
static int64_t runs_of(const int64_t *map, int64_t m, fb_rows_run *run)
{
    int64_t n = 0;
    for (int64_t i = 0; i < m; i++)
        if (i > 0 && map[i] == map[i - 1] + 1)
            run[n - 1].n++;
        else
            run[n++] = (fb_rows_run){i, map[i], 1};
    return n;
}

/* Adds the update matrix of child c to the columns of the front of s, or, with `above`, to its
 * update matrix. */
static void extend_add(const tree *z, bench *w, int64_t s, int64_t c, int above)
{
    const fb_snodes *L = z->f->L;
    const int64_t *r = L->s + L->pi[c] + fb_snode_columns(L, c);
    const int64_t nc = fb_snode_columns(L, s), nr = fb_snode_rows(L, s),
                  below = fb_snode_rows(L, c) - fb_snode_columns(L, c), m = below + z->f->nb;
    int64_t own = 0;
    for (int64_t i = 0; i < below; i++) {
        w->map[i] = w->place[r[i]];
        own += w->map[i] < nc;
    }
    for (int64_t b = 0; b < z->f->nb; b++)
        w->map[below + b] = nr + b;
    extension x = {.z = z,
                   .child = c,
                   .map = w->map,
                   .run = w->run,
                   .runs = runs_of(w->map, m, w->run),
                   .from = above ? own : 0,
                   .end = above ? m : own,
                   .column = w->column};
    fb_front_pieces(w->threads, (x.end - x.from + STRIP - 1) / STRIP, extend_columns, &x);
}

typedef struct {
    const tree *z;
    bench *w;
    int64_t end; /* of its columns, in L's order */
    fb_entry_front f;
} arrival;

static void entries_of_columns(void *arg, int k)
{
    const arrival *x = arg;
    const fb_entries *y = &x->z->entries;
    const int64_t from = x->f.first + (int64_t)k * STRIP, next = from + STRIP;
    if (!fb_entries_add(y, &x->f, fb_entries_cut(y, from),
                        next < x->end ? fb_entries_cut(y, next) : x->end))
        x->w->foreign = 1;
}

/* (FR.1) but for the children. */
static void entries(const tree *z, bench *w, int64_t s, double *F, int64_t ld)
{
    const fb_snodes *L = z->f->L;
    const int64_t *r = L->s + L->pi[s], nc = fb_snode_columns(L, s);
    arrival x = {z, w, L->super[s + 1], {r, w->place, fb_snode_rows(L, s), L->super[s], ld, F}};
    for (int64_t i = 0; i < x.f.nr; i++)
        w->place[r[i]] = i;
    fb_front_pieces(w->threads, (nc + STRIP - 1) / STRIP, entries_of_columns, &x);
    for (int64_t j = 0; j < nc; j++)
        for (int64_t b = 0; b < z->f->nb; b++)
            F[j * ld + x.f.nr + b] = z->f->B[b * L->n + z->f->perm[x.f.first + j]];
}

/* (FR.2) or (FR.3) */
static void eliminate(const tree *z, bench *w, int64_t s, double *F)
{
    const fb_fronts *f = z->f;
    const int64_t nc = fb_snode_columns(f->L, s), ld = fb_snode_rows(f->L, s) + f->nb;
    fb_elimination el = {.kernels = z->kernels,
                         .threads = w->threads,
                         .nc = nc,
                         .rows = ld,
                         .F = F,
                         .column = w->column,
                         .fresh = z->skip[s] == 0,
                         .packed = w->packed};
    if (f->values)
        fb_front_cholesky(&el);
    else
        fb_front_block_ldl(&el);
    if (f->values && el.failed >= 0)
        w->found.failed = f->L->super[s] + el.failed;
    w->found.negative += el.negative;
    w->found.zero += el.zero;
}

/* Fronts are done by all threads, in an order of theirs. */
static void tell(tree *z, int64_t s)
{
    enum { FINE = 1000000 }; /* most fronts are small */
    if (!z->f->log || !z->f->log->progress || !(z->flops > 0))
        return;
    const double all = (double)TOLD * (double)FINE;
    const long long mine = (long long)(fb_snode_flops(z->f->L, s) / z->flops * all);
    const long long before = atomic_fetch_add(&z->done, mine);
    if ((before + mine) / FINE > before / FINE)
        fb_progress(z->f->log, z->f->what, (double)(before + mine) / all, z->flops * 1e-9, "Gflop");
}

/* 1: the root of a subtree below the top. */
static int is_left(const tree *z, int64_t s)
{
    return z->number[s] != FB_TOP && z->sub[z->number[s]].root == s;
}

/* Where the update matrix of s is: at the end of its side of the stack, or, with a child that has
 * the rows of the front and no other, where that child's is, or in its own place. */
static void push(tree *z, bench *w, int64_t s)
{
    if (is_left(z, s))
        return;
    const int64_t size = size_of_update(z, s);
    int64_t *top = &w->top[z->side[s]];
    if (z->skip[s]) {
        z->U[s] = z->U[z->first[s]];
        return;
    }
    z->U[s] = z->side[s] ? w->stack + w->room - *top - size : w->stack + *top;
    *top += size;
}

/* Adds what child c has to give to the update matrix of s, and drops it: it is at the end of the
 * other side of the stack, or the memory of its place is for the rest of the factor. */
static void consume(tree *z, bench *w, int64_t s, int64_t c)
{
    const int64_t size = size_of_update(z, c);
    extend_add(z, w, s, c, 1);
    if (is_left(z, c) && size >= MUCH)
        fb_memory_release(z->U[c], sizeof(double) * (size_t)size);
    else if (!is_left(z, c))
        w->top[z->side[c]] -= size;
}

/* A front from its children to its update matrix. */
static void front(tree *z, bench *w, int64_t s)
{
    fb_fronts *f = z->f;
    const fb_snodes *L = f->L;
    const int64_t nc = fb_snode_columns(L, s), ld = fb_snode_rows(L, s) + f->nb;
    double *F = f->values ? f->x + L->px[s] : w->front;
    push(z, w, s);
    for (int64_t j = 0; j < ld; j++)
        w->column[j] = j < nc ? F + j * ld : column_of_update(z, s, j - nc) - nc;
    for (int64_t j = ld; j < ld + FB_FRONT_TILE; j++)
        w->column[j] = w->column[ld - 1];
    clear(w, F, ld * nc);
    entries(z, w, s, F, ld);
    for (int64_t c = z->first[s]; c >= 0; c = z->next[c])
        extend_add(z, w, s, c, 0);
    eliminate(z, w, s, F);
    for (int64_t c = z->skip[s] ? -1 : z->first[s]; c >= 0; c = z->next[c])
        consume(z, w, s, c);
    tell(z, s);
}

/* ---- the tree -------------------------------------------------------------------------- */

static int stopped(const bench *w)
{
    return w->found.failed >= 0 || w->found.zero > 0 || w->foreign;
}

/* A bench that nobody works at: there is one for each thread. */
static bench *free_bench(const tree *z)
{
    for (int t = 0;; t = (t + 1) % z->f->threads)
        if (!atomic_flag_test_and_set(&z->w[t].taken))
            return &z->w[t];
}

static outcome work_at(tree *z, bench *w, int64_t first, int64_t last, int number)
{
    w->found = (outcome){.failed = -1};
    w->foreign = 0;
    for (int64_t s = first; s <= last && !stopped(w); s++)
        if (z->number[s] == number)
            front(z, w, s);
    w->found.foreign = w->foreign;
    w->top[0] = w->top[1] = 0;
    return w->found;
}

static void one_subtree(void *arg, int k)
{
    tree *z = arg;
    subtree *t = &z->sub[k];
    bench *w = free_bench(z);
    fb_memory_release(w->stack + t->want.stack, sizeof(double) * (size_t)(w->each - t->want.stack));
    w->room = t->want.stack;
    t->found = work_at(z, w, t->first, t->root, k);
    atomic_flag_clear(&w->taken);
}

/* 1: the rows below the one child of s are those of s. */
static int follows(const tree *z, int64_t s)
{
    const fb_snodes *L = z->f->L;
    const int64_t c = s < 0 ? -1 : z->first[s];
    return c >= 0 && z->next[c] < 0 && z->number[c] == z->number[s] &&
           fb_snode_rows(L, c) - fb_snode_columns(L, c) == fb_snode_rows(L, s);
}

/* How the update matrices lie: in a child's place, but for the last in a row of such, which shall
 * not keep what those before it do not want any more; or on the other side than the children's. */
static void places(tree *z)
{
    const fb_snodes *L = z->f->L;
    for (int64_t s = 0; s < L->nsuper; s++)
        if (follows(z, s) && follows(z, z->parent[s]))
            z->skip[s] = z->skip[z->first[s]] + fb_snode_columns(L, s);
    for (int64_t s = L->nsuper - 1; s >= 0; s--)
        if (z->parent[s] >= 0)
            z->side[s] = z->side[z->parent[s]] ^ (z->skip[z->parent[s]] == 0);
}

/* Adds front s to what those of its subtree, or of the top, want. */
static void want_front(const tree *z, int64_t s, subtree *t)
{
    const fb_snodes *L = z->f->L;
    const int64_t nc = fb_snode_columns(L, s), ld = fb_snode_rows(L, s) + z->f->nb,
                  packed = fb_front_packed(nc, ld, z->f->values);
    wanted *want = &t->want;
    t->now += z->skip[s] || t->root == s ? 0 : size_of_update(z, s);
    want->stack = t->now > want->stack ? t->now : want->stack;
    want->area = nc * ld > want->area ? nc * ld : want->area;
    want->longest = ld > want->longest ? ld : want->longest;
    want->packed = packed > want->packed ? packed : want->packed;
    for (int64_t c = z->skip[s] ? -1 : z->first[s]; c >= 0; c = z->next[c])
        if (z->number[c] == z->number[s])
            t->now -= size_of_update(z, c);
}

static fb_status count_subtrees(tree *z, fb_err *e)
{
    const fb_snodes *L = z->f->L;
    for (int64_t s = 0; s < L->nsuper; s++)
        z->subtrees = z->number[s] < z->subtrees ? z->subtrees : z->number[s] + 1;
    FB_PASS(FB_NEW(&z->sub, z->subtrees, e));
    z->top = (subtree){.root = -1};
    for (int64_t s = L->nsuper - 1; s >= 0; s--) {
        if (z->number[s] == FB_TOP)
            continue;
        subtree *t = &z->sub[z->number[s]];
        if (z->parent[s] < 0 || z->number[z->parent[s]] == FB_TOP) {
            t->root = s;
            t->left = size_of_update(z, s);
        }
        t->first = s;
    }
    for (int64_t s = 0; s < L->nsuper; s++)
        want_front(z, s, z->number[s] == FB_TOP ? &z->top : &z->sub[z->number[s]]);
    return FB_OK;
}

/* The most of the subtrees, each of them. */
static wanted most_of_subtrees(const tree *z)
{
    wanted most = {0};
    for (int k = 0; k < z->subtrees; k++) {
        const wanted *want = &z->sub[k].want;
        most.stack = want->stack > most.stack ? want->stack : most.stack;
        most.area = want->area > most.area ? want->area : most.area;
        most.longest = want->longest > most.longest ? want->longest : most.longest;
        most.packed = want->packed > most.packed ? want->packed : most.packed;
    }
    return most;
}

static fb_status children(tree *z, fb_err *e)
{
    const fb_snodes *L = z->f->L;
    FB_PASS(FB_NEW(&z->parent, L->nsuper, e));
    FB_PASS(FB_NEW(&z->first, L->nsuper, e));
    FB_PASS(FB_NEW(&z->next, L->nsuper, e));
    FB_PASS(FB_NEW(&z->number, L->nsuper, e));
    FB_PASS(FB_NEW(&z->side, L->nsuper, e));
    FB_PASS(FB_NEW(&z->skip, L->nsuper, e));
    FB_PASS(FB_NEW(&z->U, L->nsuper, e));
    FB_PASS(fb_snode_parents(L, z->parent, e));
    FB_PASS(fb_snode_subtrees(L, z->parent, z->f->threads, 1, z->number, e));
    for (int64_t k = 0; k < L->nsuper; k++)
        z->first[k] = -1;
    for (int64_t k = L->nsuper - 1; k >= 0; k--)
        if (z->parent[k] >= 0) {
            z->next[k] = z->first[z->parent[k]];
            z->first[z->parent[k]] = k;
        }
    places(z);
    return count_subtrees(z, e);
}

/* Doubles that the top of the tree takes beside its stack, at most: those of its fronts that are
 * begun, and the update matrices of the subtrees until they are added. `begun`: of the factor. */
static double most_in_top(const tree *z, double *begun)
{
    const fb_snodes *L = z->f->L;
    double now = 0, most = 0;
    *begun = 0;
    for (int k = 0; k < z->subtrees; k++)
        now += (double)z->sub[k].left;
    for (int64_t s = 0; s < L->nsuper; s++) {
        if (z->number[s] != FB_TOP)
            continue;
        const double area = (double)fb_snode_columns(L, s) * (double)fb_snode_rows(L, s);
        *begun += area;
        now += area;
        most = now > most ? now : most;
        for (int64_t c = z->first[s]; c >= 0; c = z->next[c])
            if (z->number[c] != FB_TOP && size_of_update(z, c) >= MUCH)
                now -= (double)size_of_update(z, c);
    }
    return most;
}

/* Not zeroed: each page is touched first by the thread that works in it. */
static fb_status raw(double **p, int64_t n, fb_err *e)
{
    *p = fb_realloc(NULL, (size_t)(n > 0 ? n : 1), sizeof **p);
    return *p ? FB_OK : fb_fail(e, FB_ESYS, "out of memory: fronts want %.3g MB", 8e-6 * (double)n);
}

/* Doubles of the stacks and of what subtrees left, at most: those that run are some that follow
 * each other. */
static double most_in_subtrees(const tree *z)
{
    double now = 0, most = 0;
    for (int k = 0; k < z->subtrees; k++) {
        now += (double)z->sub[k].left + (double)z->sub[k].want.stack;
        now -= k < z->f->threads ? 0 : (double)z->sub[k - z->f->threads].want.stack;
        most = now > most ? now : most;
    }
    return most;
}

static int64_t larger(int64_t a, int64_t b)
{
    return a > b ? a : b;
}

/* All stacks: as many as there are threads, or that of the top. */
static int64_t all_stacks(const tree *z)
{
    return larger(z->f->threads * most_of_subtrees(z).stack, z->top.want.stack);
}

static fb_status benches(tree *z, fb_err *e)
{
    const int64_t n = z->f->L->n;
    const wanted each = most_of_subtrees(z), *top = &z->top.want;
    int64_t left = 0;
    for (int k = 0; k < z->subtrees; k++)
        left += z->sub[k].left;
    FB_PASS(FB_NEW(&z->w, z->f->threads, e));
    FB_PASS(raw(&z->left, left, e));
    FB_PASS(raw(&z->stacks, all_stacks(z), e));
    for (int k = 0; k < z->subtrees; k++) {
        left -= z->sub[k].left;
        z->U[z->sub[k].root] = z->left + left;
    }
    for (int t = 0; t < z->f->threads; t++) {
        bench *w = &z->w[t];
        wanted want = each;
        if (t == 0)
            want = (wanted){each.stack, larger(each.area, top->area),
                            larger(each.longest, top->longest), larger(each.packed, top->packed)};
        w->threads = 1;
        w->each = want.stack;
        w->stack = z->stacks + t * want.stack;
        atomic_flag_clear(&w->taken);
        FB_PASS(FB_NEW(&w->place, n, e));
        FB_PASS(raw(&w->packed, want.packed, e));
        FB_PASS(FB_NEW(&w->map, want.longest, e));
        FB_PASS(FB_NEW(&w->run, want.longest, e));
        FB_PASS(FB_NEW(&w->column, want.longest + FB_FRONT_TILE, e));
        if (!z->f->values)
            FB_PASS(raw(&w->front, want.area, e));
    }
    return FB_OK;
}

/* (FR.4), (FR.5): the roots' update matrices hold what is left of the border. */
static void collect(const tree *z)
{
    fb_fronts *f = z->f;
    int64_t nb = f->nb;
    f->failed = -1;
    f->negative = f->zero = 0;
    for (int k = 0; k <= z->subtrees; k++) {
        const outcome *o = k < z->subtrees ? &z->sub[k].found : &z->top.found;
        f->negative += o->negative;
        f->zero += o->zero;
        if (o->failed >= 0 && (f->failed < 0 || o->failed < f->failed))
            f->failed = o->failed;
    }
    f->failed = f->failed >= 0 ? f->perm[f->failed] : -1;
    for (int64_t s = 0; f->G && f->zero == 0 && s < f->L->nsuper; s++)
        if (z->parent[s] < 0)
            for (int64_t j = 0; j < nb; j++)
                for (int64_t i = j; i < nb; i++)
                    f->G[i + j * nb] -= column_of_update(z, s, j)[i];
    for (int64_t j = 0; f->G && j < nb; j++)
        for (int64_t i = 0; i < j; i++)
            f->G[i + j * nb] = f->G[j + i * nb];
}

static void tree_free(tree *z)
{
    for (int t = 0; z->w && t < z->f->threads; t++)
        FB_FREE(z->w[t].place, z->w[t].front, z->w[t].packed, z->w[t].map, z->w[t].run,
                z->w[t].column);
    fb_entries_free(&z->entries);
    FB_FREE(z->w, z->parent, z->first, z->next, z->number);
    FB_FREE(z->side, z->skip, z->U, z->sub, z->left, z->stacks);
}

fb_status fb_fronts_words(const fb_fronts *f, double *words, fb_err *e)
{
    fb_fronts g = *f;
    tree z = {.f = &g};
    int64_t n = f->L->n;
    double begun = 0;
    fb_status s = children(&z, e);
    *words = fb_entries_words(f->K) + (f->M ? fb_entries_words(f->M) : 0) +
             (double)n * (f->threads + 2) + 7.5 * (double)f->L->nsuper;
    if (!s) {
        const wanted each = most_of_subtrees(&z), *first = &z.top.want;
        const int more = f->threads - 1;
        const double top = most_in_top(&z, &begun), stacks = most_in_subtrees(&z);
        *words += more * (double)each.packed + (double)larger(each.packed, first->packed);
        *words += f->values ? fmax(stacks, top + (double)first->stack) - begun
                            : fmax(stacks, top) + more * (double)each.area +
                                  (double)larger(each.area, first->area);
    }
    tree_free(&z);
    return s;
}

/* The top has what it wants of all stacks, the rest is for its part of the factor. */
static void the_top(tree *z)
{
    bench *w = &z->w[0];
    w->threads = z->f->threads;
    w->room = z->top.want.stack;
    fb_memory_release(z->stacks + w->room, sizeof(double) * (size_t)(all_stacks(z) - w->room));
    z->top.found = work_at(z, w, 0, z->f->L->nsuper - 1, FB_TOP);
}

fb_status fb_fronts_run(fb_fronts *f, fb_err *e)
{
    tree z = {.f = f, .kernels = fb_front_kernels_for(0)};
    fb_status s = FB_OK;
    FB_TRY(fb_entries_new(&z.entries, f, e));
    FB_TRY(children(&z, e));
    FB_TRY(benches(&z, e));
    int bad = 0, foreign = 0;
    for (int64_t k = 0; k < f->L->nsuper; k++)
        z.flops += fb_snode_flops(f->L, k);
    fb_parallel(z.subtrees, one_subtree, &z);
    for (int k = 0; k < z.subtrees; k++) {
        const outcome *o = &z.sub[k].found;
        foreign |= o->foreign;
        bad |= o->failed >= 0 || o->zero > 0 || o->foreign;
    }
    z.top.found = (outcome){.failed = -1};
    if (!bad)
        the_top(&z);
    if (foreign || z.top.found.foreign)
        s = fb_fail(e, FB_ESOLVE,
                    "a matrix of %lld equations has entries that its analysis did not see",
                    (long long)f->L->n);
    collect(&z);
out:
    tree_free(&z);
    return s;
}
