/* SPDX-License-Identifier: GPL-3.0-or-later */
/* snode.h - supernodes of a sparse factor: what factor.c, front.c and the kernels share.
 *
 * Layout: supernode s has the columns super[s] .. super[s+1]-1 and the rows s[pi[s]] ..
 * s[pi[s+1]-1], ascending, its own columns first; its values are a dense block of that many rows,
 * column-major, from x[px[s]]. This is CHOLMOD's, so a factor is never copied.
 * Right-hand sides are row-major in the order of elimination: a row of 8 or 16 values is one or
 * two cache lines, and every entry of L that is fetched serves all of them.
 */
#ifndef FB_SNODE_H
#define FB_SNODE_H
#include "factor.h"
#include "sparse.h"
#include "status.h"

typedef struct {
    int64_t n, nsuper;
    const int64_t *super; /* [nsuper+1] */
    const int64_t *pi;    /* [nsuper+1] */
    const int64_t *px;    /* [nsuper+1] */
    const int64_t *s;     /* [pi[nsuper]] */
    const double *x;      /* [px[nsuper]] */
} fb_snodes;

static inline int64_t fb_snode_columns(const fb_snodes *L, int64_t s)
{
    return L->super[s + 1] - L->super[s];
}

static inline int64_t fb_snode_rows(const fb_snodes *L, int64_t s)
{
    return L->pi[s + 1] - L->pi[s];
}

/* Of its part of a factorisation. */
static inline double fb_snode_flops(const fb_snodes *L, int64_t s)
{
    const double c = (double)fb_snode_columns(L, s), r = (double)fb_snode_rows(L, s);
    return c * (r * r - c * r + c * c / 3);
}

enum { FB_WIDE = 16, FB_NARROW = 8 }; /* right-hand sides a kernel takes at once */

/* Values of a row of k right-hand sides, k <= FB_WIDE. */
static inline int64_t fb_row_width(int64_t k)
{
    return k > FB_NARROW ? FB_WIDE : FB_NARROW;
}

/* parent[s] [nsuper]: the supernode of the first row below s, of pieces of one the first behind s;
 * -1 for a root. */
fb_status fb_snode_parents(const fb_snodes *L, int64_t *parent, fb_err *e) FB_CHECKED;
/* number[s] [nsuper]: of the subtree that s is in, or FB_TOP for the rest of the tree. They are the
 * largest that so many threads can share evenly, the heaviest is 0. What is shared: entries
 * (solves), or with `flops` those of a factorisation. */
enum { FB_TOP = -1 };
fb_status fb_snode_subtrees(const fb_snodes *L, const int64_t *parent, int threads, int flops,
                            int *number, fb_err *e) FB_CHECKED;

/* One instruction set. Blocks: L [m x k] column-major, leading dimension ld; X [k] and C rows of
 * `wide` values, w apart; row i of C is C + r[i] w. T [k x k] lower triangle, leading dimension ld.
 * */
typedef struct {
    const char *name;
    int wide;
    void (*down)(int64_t m, int64_t k, const double *L, int64_t ld, const int64_t *r,
                 const double *X, double *C, int64_t w); /* C := C - L X  */
    void (*up)(int64_t m, int64_t k, const double *L, int64_t ld, const int64_t *r, double *X,
               const double *C, int64_t w);                                      /* X := X - L'C  */
    void (*lower)(int64_t k, const double *T, int64_t ld, double *X, int64_t w); /* X := T \ X  */
    void (*upper)(int64_t k, const double *T, int64_t ld, double *X, int64_t w); /* X := T' \ X */
    /* k entries a of a column of a symmetric matrix, their rows r of X and at[r], or r, of S; the
     * column's rows x and s: S := S + a x,  s := s + d x + a' X */
    void (*couple)(int64_t k, const double *a, const int32_t *r, const int64_t *at, double d,
                   const double *x, double *s, const double *X, double *S, int64_t w);
} fb_kernels;

/* The fastest kernels of this width that the processor runs; with `nth` > 0 a slower set, NULL when
 * there are no more (the tests try them all). */
const fb_kernels *fb_kernels_for(int wide, int nth);

/* A plan of the solves: which subtrees a thread takes, and its workspace. */
typedef struct fb_plan fb_plan;
fb_status fb_plan_new(fb_plan **p, const fb_snodes *L, int threads, fb_err *e) FB_CHECKED;
void fb_plan_free(fb_plan *p);
/* X := L \ X and X := L' \ X for k right-hand sides, k <= FB_WIDE; X row-major, fb_row_width(k)
 * values a row, in the order of elimination. */
void fb_plan_forward(const fb_plan *p, const fb_snodes *L, double *X, int64_t k);
void fb_plan_backward(const fb_plan *p, const fb_snodes *L, double *X, int64_t k);

/* A symmetric matrix M (upper) in the order of elimination, perm[k] the dof that is eliminated
 * k-th, for products between the halves of a solve (fb_coupling_free). *c NULL: M couples what L
 * keeps apart. */
fb_status fb_plan_couple(fb_coupling **c, const fb_plan *p, const fb_snodes *L, const fb_csc *M,
                         const int64_t *perm, fb_err *e) FB_CHECKED;
/* Y := L \ (M (L' \ X)),  X := L' \ X, for FB_NARROW right-hand sides. */
void fb_plan_congruence(const fb_plan *p, const fb_snodes *L, const fb_coupling *c, double *X,
                        double *Y);

/* A factorisation front by front (front.c). */
typedef struct {
    const fb_snodes *L;  /* structure of the factor; its values are not looked at */
    const int64_t *perm; /* [n] the dof that is eliminated k-th                   */
    const fb_csc *K, *M; /* S = K - sigma M, upper triangles, M may be NULL       */
    double sigma;
    int values;      /* 1: L L', into x; 0: block L D L', no value is kept    */
    double *x;       /* out: [px[nsuper]]                                     */
    int64_t nb;      /* columns of B, with L D L' only                        */
    const double *B; /* [n x nb], order of the dofs                           */
    int threads;
    fb_log *log; /* is told how far `what` is; NULL: nobody is              */
    const char *what;
    int64_t failed;         /* out: dof whose pivot is not positive, L L'; -1: none  */
    int64_t negative, zero; /* out: signs of D; nothing else holds with zero */
    double *G;              /* out: [nb x nb] B' S^-1 B; zero before                 */
} fb_fronts;
fb_status fb_fronts_run(fb_fronts *f, fb_err *e) FB_CHECKED;
/* Doubles of workspace that it will take, x apart. */
fb_status fb_fronts_words(const fb_fronts *f, double *words, fb_err *e) FB_CHECKED;

#endif
