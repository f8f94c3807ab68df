/* SPDX-License-Identifier: GPL-3.0-or-later */
/* exact.h - small dense algebra in long double (64 bits and more of mantissa), to judge the
 * library's doubles by. Nothing of it is shared with the library. Matrices are column-major with as
 * many rows as they have; memory that is short aborts. */
#ifndef EXACT_H
#define EXACT_H
#include <stdint.h>

typedef long double real;

real *real_new(int64_t n);                 /* zeros */
real *real_of(const double *x, int64_t n); /* a copy */
/* C [m x n] = A [m x k] B [k x n], or A' B with A [k x m]. */
void real_product(int transA, int64_t m, int64_t n, int64_t k, const real *A, const real *B,
                  real *C);
/* T'AT [m x m] of A [n x n], T [n x m]. */
real *real_congruence(const real *A, int64_t n, const real *T, int64_t m);
/* A X = B by LU with partial pivoting; A [n x n] is destroyed, B [n x k] becomes X. 0: A is
 * singular. */
int real_solve(int64_t n, real *A, int64_t k, real *B);
/* Eigenvalues ascending and orthonormal vectors of a symmetric A [n x n], which becomes the
 * vectors: Householder's tridiagonal form and implicit QL (Golub & Van Loan, Matrix Computations,
 * 2013, sec. 8.3). */
void real_eigen(int64_t n, real *A, real *w);
/* K x = w M x, M positive semidefinite with its zero rows as its only null space (dofs without
 * mass, which are condensed): the finite roots, ascending, and x'Mx = 1 in the columns of X [n x
 * count]. Returns their number; -1: M is not semidefinite; -2: dofs without mass and stiffness. K,
 * M [n x n] are kept. */
int64_t real_pencil(int64_t n, const real *K, const real *M, real **w, real **X);
#endif
