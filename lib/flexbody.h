/* SPDX-License-Identifier: GPL-3.0-or-later */
/* flexbody.h - all headers of the library, for tools and tests that want them all.
 *
 * Laws
 *   - A call that can fail returns fb_status and takes an fb_err * last.
 *   - A const pointer is borrowed; an out-parameter is the caller's to free;
 *     a name ending in _take consumes its argument.
 *   - Outputs are written only on success; *_free accepts zeroed structs and zeroes them.
 *   - Nothing in lib/ prints, exits or reads argv, except cli.c.
 *   - Matrices are column-major in memory (fb_mat, LAPACK's order); an [m x n] fb_mat is an
 *     HDF5 dataset of shape [n, m].
 *   - Counts and indices are int64_t and 0-based; node numbers and components (1..6) are the
 *     input's own.
 */
#ifndef FLEXBODY_H
#define FLEXBODY_H
#include "bytes.h"
#include "cli.h"
#include "dofset.h"
#include "geometric.h"
#include "h5.h"
#include "info.h"
#include "memory.h"
#include "model.h"
#include "move.h"
#include "number.h"
#include "process.h"
#include "publish.h"
#include "status.h"
#include "stream.h"
#include "units.h"
#include "linalg/blas.h"
#include "linalg/dense.h"
#include "linalg/factor.h"
#include "linalg/lu.h"
#include "linalg/modes.h"
#include "linalg/sparse.h"
#include "linalg/sparse_ops.h"
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#endif
