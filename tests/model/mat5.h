/* SPDX-License-Identifier: GPL-3.0-or-later */
/* mat5.h - parts of an uncompressed little-endian MATLAB 5 file, for tests of what writes it. */
#ifndef MAT5_H
#define MAT5_H
#include <stdint.h>

int32_t mat5_word(const unsigned char *p);
/* A tag: type, bytes, data; returns the next element. */
const unsigned char *mat5_element(const unsigned char *p, int *type, int *bytes,
                                  const unsigned char **data);
/* One variable: its name, dimensions, class, n values x; of a struct or a sparse matrix x is where
 * its own parts begin. Returns the next variable; aborts where the file is no such one. */
const unsigned char *mat5_variable(const unsigned char *p, char name[40], int dim[4], int *class,
                                   const double **x, int *n);
#endif
