/* SPDX-License-Identifier: GPL-3.0-or-later */
/* component.h - what the matrices of component modes say of themselves: boundary coordinates that
 * are displacements beside modal ones (component.c, component_page.c). */
#ifndef FB_COMPONENT_H
#define FB_COMPONENT_H
#include "bytes.h"
#include "linalg/dense.h"
#include "model.h"
#include "status.h"

typedef enum { FB_BY_STIFFNESS, FB_BY_GEOMETRY, FB_BY_MODES, FB_NBY } fb_rigid_by;

typedef struct { /* mass properties of one set of rigid motions */
    double mass[3], center[3];
    double about[6]; /* the centre: xx yy zz, xy xz yz (minus the product integrals) */
    double gyration[3], principal[3], principal_gyration[3];
} fb_mass_properties;

typedef struct {
    int64_t n, nb, nq;         /* coordinates: boundary first, then modal */
    int64_t *node, *component; /* [nb] */
    double *u;                 /* [nb,3] places */
    int64_t nnode, *name;      /* [nnode] boundary nodes */
    int64_t *first; /* [nnode+1] their coordinates, of which those of a node stand together */
    double center[3], size; /* mean and extent of the boundary nodes; motions are about it */
    fb_mat K, M;            /* [n x n] */
    int64_t reference[6];   /* the boundary coordinates that hold the body */
    fb_mat R[FB_NBY];       /* [n x 6] rigid motions; x NULL: not known */
    char why[FB_NBY][256];  /* and why */
    fb_mass_properties of[FB_NBY];
    double *place; /* [nnode,3] by stiffness; NaN: not all translations */
    double *hz;    /* [nq] modes of the modal coordinates alone */
    double *share; /* [nq,6] of mass and inertia that each moves */
    double raw[6]; /* Hz of the six lowest free modes as computed; negative: below zero */
    double lowest; /* eigenvalue of M, scaled to a unit diagonal */
} fb_component;

/* FB_EFORMAT where the body has no boundary coordinates with places, or too few to hold it. */
fb_status fb_component_new(const fb_model *b, fb_component *c, fb_err *e) FB_CHECKED;
void fb_component_free(fb_component *c);
/* A page of it; *no becomes the number of checks that said no. */
fb_status fb_component_page(const fb_model *b, fb_buf *o, int *no, fb_err *e) FB_CHECKED;
#endif
