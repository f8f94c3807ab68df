/* SPDX-License-Identifier: GPL-3.0-or-later */
/* stress.h - shapes with their stress beside a full model: mnfparse --stress. */
#ifndef STRESS_H
#define STRESS_H
#include "basis.h"
#include "model.h"
#include "parts.h"

/* FB_EUSAGE where b has no stiffness matrix, beside which stress goes (stress.c). */
fb_status fb_stress_beside(const fb_model *b, fb_err *e) FB_CHECKED;
/* Shapes t and the stress and strain of each at nodes, shape [t->n,nn,6] of a model each (NULL: not
 * known), stand beside b behind those there are (stress.c). */
fb_status fb_stress_add(const fb_basis *t, const fb_model *stress, const fb_model *strain,
                        fb_model *b, fb_log *log, fb_err *e) FB_CHECKED;

typedef struct { /* FILE:SHAPES,STRESS[,LIST] */
    char *file;  /* owned, with the others in it; NULL: no matrices are named */
    const char *shapes, *stress;
    const char *list; /* NULL: the rows have labels */
} fb_stress_names;

/* The file is what stands before the first colon, if it is one (stresstable.c). */
fb_status fb_stress_split(fb_stress_names *n, const char *text, fb_err *e) FB_CHECKED;
/* Matrices of a file stand beside b: shapes as for --basis, and the stress of each, six rows xx yy
 * zz xy xz yz of basic axes for each node of the list in its order; without a list rows have
 * labels, node and component 1 to 6 (stresstable.c). */
fb_status fb_stress_table(const fb_basis *shapes, const fb_basis *stress, const char *list,
                          fb_model *b, fb_log *log, fb_err *e) FB_CHECKED;
#endif
