/* SPDX-License-Identifier: GPL-3.0-or-later */
/* expand.h - the solids that CalculiX makes of beams and shells, from their elements and
 * sections. */
#ifndef ABAQUS_EXPAND_H
#define ABAQUS_EXPAND_H
#include "parts.h"

enum { ABA_THIN = 8 };

typedef struct {                         /* a beam or shell, or what shares nodes with them */
    int64_t id, node[ABA_THIN], section; /* section -1: none */
    int n;                               /* nodes; 0: another type */
    char family;                         /* 'B', 'S'; else: not led back */
} aba_thin;

typedef struct { /* *BEAM SECTION, *SHELL SECTION */
    char set[80];
    char form;              /* R ectangle, C ircle, P ipe, B ox; S hell; 0: not understood */
    double t[2], offset[2]; /* thicknesses along the two normals; shares of them */
    double n1[3];           /* of a beam */
    int lines;
} aba_section;

typedef struct {
    aba_thin *thin;
    int64_t n, cap;
    aba_section *section;
    int64_t nsection, cap_section;
    int normals; /* *NORMAL: normals by hand */
} aba_thins;

/* An element of this type, of which CalculiX makes a solid. */
fb_status aba_thin_add(aba_thins *x, int64_t id, const char *type, const int64_t *node, int n,
                       fb_err *e) FB_CHECKED;
/* What *BEAM SECTION, *SHELL SECTION say, and the numbers of a data line below. */
fb_status aba_section_add(aba_thins *x, const char *set, const char *form, fb_err *e) FB_CHECKED;
void aba_section_line(aba_section *s, const double *v, int n);
/* The stacks of solid nodes of every node, from node numbers and places. */
fb_status aba_expand(const aba_thins *x, const int64_t *id, const double *xyz, int64_t nn,
                     fb_parts *p, fb_err *e) FB_CHECKED;
void aba_thins_free(aba_thins *x);
#endif
