/* SPDX-License-Identifier: GPL-3.0-or-later */
/* any.h - bodies of any kind, one a seed, with what is known of each. */
#ifndef ANY_H
#define ANY_H
#include "tests/model/exact.h"
#include "flexbody.h"

typedef enum {
    ANY_FRAME,
    ANY_SOLID,
    ANY_PLANE_FRAME,
    ANY_PLANE_SOLID,
    ANY_CHAIN,
    ANY_NKIND
} any_kind;

typedef struct {
    fb_model b; /* as the stream holds a full model */
    any_kind kind;
    char what[160];     /* in words, for messages */
    char boundary[400]; /* of --interface */
    int64_t nb;         /* boundary dofs that are free */
    int held, massless, massless_boundary, negative, indefinite_mass, parts, repeated, weak;
    real *K, *M, *D; /* [ndof,ndof], the same numbers; D NULL: none */
} any_body;

/* 5 to about 250 dofs. Elements strain nothing by rigid motion, and carry mass at points between
 * their nodes, which rigid motion moves rigidly: K R = 0 and R'MR is the inertia of the points, to
 * round-off of the doubles. */
void any_make(any_body *a, uint64_t seed);
void any_free(any_body *a);
/* The dofs that are free: returns their number, at [ndof]. */
int64_t any_free_dofs(const any_body *a, int64_t *at);
#endif
