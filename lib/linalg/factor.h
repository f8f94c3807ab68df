/* SPDX-License-Identifier: GPL-3.0-or-later */
/* factor.h - sparse factors (order.c, factor.c). */
#ifndef FB_FACTOR_H
#define FB_FACTOR_H
#include "dense.h"
#include "sparse.h"
#include "status.h"
#include <stddef.h>
#include <stdint.h>

/* Nested dissection of the graph of A (upper): perm[k] = the dof that is eliminated k-th. Dofs
 * with one label in node [n] are one vertex; NULL: dofs with equal patterns are. */
fb_status fb_order(const fb_csc *A, const int64_t *node, int64_t *perm, fb_err *e) FB_CHECKED;

typedef struct fb_factor fb_factor; /* of K - sigma M */

typedef struct {
    const int64_t *node;  /* [n] node of each dof, for the ordering; NULL: not known */
    const int64_t *order; /* [n] the dof that is eliminated k-th; NULL: one is sought */
    double memory;        /* GiB a factor may take; 0: what the machine has available */
    fb_log *log;          /* is told steps and how far they are; NULL: nobody is */
} fb_factor_opts;

typedef struct {          /* known before the numeric work */
    double nnz;           /* entries of the factor                          */
    double flops;         /* of the factorisation                           */
    double gib;           /* GiB that the factorisation will take           */
    double limit;         /* GiB it may take; 0: not known                  */
    int ranks;            /* that share the work, gib on the one that takes most; 0: one process */
    double efficiency[3]; /* on 4, 8 and 16 threads, counted: work over threads times the longest
                             path (schedule.c); 0: not known */
} fb_forecast;

/* Orders and analyses K - sigma M (upper; M may be NULL), for the phases one by one. Refuses, with
 * the GiB needed, what would not fit. */
fb_status fb_factor_analyse(fb_factor **F, const fb_csc *K, const fb_csc *M,
                            const fb_factor_opts *opts, fb_err *e) FB_CHECKED;
fb_forecast fb_factor_forecast(const fb_factor *F);
/* L L' of K - sigma M. Where it is not positive definite, or singular to working precision:
 * FB_ESOLVE and *column (may be NULL) = the dof where it failed; -1 after other errors. */
fb_status fb_factor_numeric(fb_factor *F, const fb_csc *K, const fb_csc *M, double sigma,
                            int64_t *column, fb_err *e) FB_CHECKED;
/* Both: analyse and factorise. */
fb_status fb_factor_spd(fb_factor **F, const fb_csc *K, const fb_csc *M, double sigma,
                        const fb_factor_opts *opts, int64_t *column, fb_err *e) FB_CHECKED;
/* L D L' with 2x2 pivots, for multipliers. */
fb_status fb_factor_indefinite(fb_factor **F, const fb_csc *K, const fb_csc *M, double sigma,
                               const fb_factor_opts *opts, fb_err *e) FB_CHECKED;
/* X := (K - sigma M) \ X. X is [n x k]. */
fb_status fb_factor_solve(fb_factor *F, fb_mat *X, fb_err *e) FB_CHECKED;
/* Half solves of a definite factor, P (K - sigma M) P' = L L':
 * X := L \ P X, and X := P' (L' \ X). One after the other they are fb_factor_solve. */
fb_status fb_factor_forward(fb_factor *F, fb_mat *X, fb_err *e) FB_CHECKED;
fb_status fb_factor_backward(fb_factor *F, fb_mat *X, fb_err *e) FB_CHECKED;
/* Without P, for k <= 16 right-hand sides that are rows: R [n x (k <= 8 ? 8 : 16)], in the order of
 * elimination, zero behind the k-th column. */
fb_status fb_factor_forward_rows(fb_factor *F, double *R, int64_t k, fb_err *e) FB_CHECKED;
fb_status fb_factor_backward_rows(fb_factor *F, double *R, int64_t k, fb_err *e) FB_CHECKED;
/* A symmetric matrix M (upper, order of the dofs) between half solves: Y := L^-1 P M P' L^-T X for
 * 8 right-hand sides that are rows; X becomes L^-T X. Faster than one after the other, as what fits
 * a cache is fetched once. *c stays NULL where M couples what the factor does not, or where the
 * factor has no such product. */
typedef struct fb_coupling fb_coupling;
fb_status fb_factor_couple(fb_factor *F, const fb_csc *M, fb_coupling **c, fb_err *e) FB_CHECKED;
void fb_factor_congruence_rows(fb_factor *F, const fb_coupling *c, double *X, double *Y);
void fb_coupling_free(fb_coupling *c);
/* [n] the dof that is eliminated k-th; NULL for a factor that is not L L'. */
const int64_t *fb_factor_order(const fb_factor *F);
/* Signs of the pivots; a definite factor has none that is negative. */
typedef struct {
    int64_t negative, zero;
} fb_inertia_count;
fb_inertia_count fb_factor_inertia(const fb_factor *F);
void fb_factor_free(fb_factor *F);
/* Signs of the eigenvalues of K - sigma M, by a factorisation that is not kept. */
fb_status fb_inertia(const fb_csc *K, const fb_csc *M, double sigma, const fb_factor_opts *opts,
                     fb_inertia_count *count, fb_err *e) FB_CHECKED;

/* The same on the analysis of F, whose values are dropped: as dear as a definite factor, without
 * pivoting beyond a block. X [n x k], lambda ascending: modes that are known, M-orthonormal; NULL:
 * none. *sure: the factorisation holds those nearest to sigma, on their side of it; else fb_inertia
 * must tell. */
fb_status fb_factor_count(fb_factor *F, const fb_csc *K, const fb_csc *M, double sigma,
                          const fb_mat *X, const double *lambda, fb_inertia_count *count, int *sure,
                          fb_err *e) FB_CHECKED;

/* Versions of the sparse libraries in one line, for --version. */
void fb_sparse_version(char *out, size_t n);
#endif
