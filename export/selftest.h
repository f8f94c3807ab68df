/* SPDX-License-Identifier: GPL-3.0-or-later */
/* selftest.h - linkexport --self-test: the smallest model that loads an export, with a unit force
 * on the body, and what is to be seen (selftest.c). */
#ifndef SELFTEST_H
#define SELFTEST_H
#include "bytes.h"
#include "model.h"
#include "status.h"

typedef struct {
    int64_t connector, axis; /* of the force: position in /connectors, 0 x, 1 y, 2 z */
    int64_t node, component; /* its dof */
    int64_t nrigid;          /* rigid motions among the coordinates */
    double shift;            /* of the eigenvalues, positive */
    double displacement;     /* there, static, rigid motion left out */
    double hz;               /* first elastic frequency */
    double period;           /* of it, in the unit of time */
} fb_probe;

/* The connector translation that a unit force there moves most, of boundary dofs where the body has
 * such coordinates; from Kr, Mr and S. */
fb_status fb_probe_new(const fb_model *b, const char *who, fb_probe *p, fb_err *e) FB_CHECKED;
/* What a comment says of it. */
void fb_probe_says(const fb_model *b, const fb_probe *p, const char *mark, const char *file,
                   fb_buf *o);
/* A script of Python: `load` are its lines that leave K, M and p, the unit force in the coordinates
 * of K, read from `name`; imports numpy as np, and what else `import` names. */
fb_status fb_test_python(const fb_model *b, const char *who, const char *file, const char *import,
                         const char *load, double tolerance, fb_buf *o, fb_err *e) FB_CHECKED;
/* The same where `load` has to know the probe. */
void fb_probe_python(const fb_model *b, const fb_probe *p, const char *file, const char *import,
                     const char *load, double tolerance, fb_buf *o);
/* The same of Octave and MATLAB. */
fb_status fb_test_octave(const fb_model *b, const char *who, const char *file, const char *load,
                         fb_buf *o, fb_err *e) FB_CHECKED;
#endif
