/* SPDX-License-Identifier: GPL-3.0-or-later */
/* lu.h - sparse LU factors of sums of matrices of any form, real or complex (umfpack.c). */
#ifndef FB_LU_H
#define FB_LU_H
#include "factor.h"
#include "sparse.h"
#include "status.h"
#include <stddef.h>
#include <stdint.h>

/* A(c) = sum c_k A_k, the matrices A_k [n x n] on one pattern, ordered and analysed once. */
typedef struct fb_lu fb_lu;
/* LU of A(c) for one c; several may be made and used at a time, on several threads. */
typedef struct fb_lu_factor fb_lu_factor;

/* Orders and analyses the union of the patterns and their transposes; the matrices are copied.
 * FB_ESYS, with the GiB needed, where a factor would not fit. */
fb_status fb_lu_new(fb_lu **L, const fb_csc *const *A, int n, int is_complex,
                    const fb_factor_opts *opts, fb_err *e) FB_CHECKED;
/* How many factors at a time the memory has room for: 1 at the least. */
int fb_lu_room(const fb_lu *L);
/* c [n], of complex ones pairs of real and imaginary part. FB_ESOLVE where A(c) is singular. */
fb_status fb_lu_factor_new(fb_lu_factor **F, const fb_lu *L, const double *c, fb_err *e) FB_CHECKED;
/* x := A(c) \ b, refined; both [n], of complex ones pairs. */
fb_status fb_lu_solve(const fb_lu_factor *F, const double *b, double *x, fb_err *e) FB_CHECKED;
void fb_lu_factor_free(fb_lu_factor *F);
void fb_lu_free(fb_lu *L);
/* "UMFPACK 5.7.9" */
void fb_lu_version(char *out, size_t n);
#endif
