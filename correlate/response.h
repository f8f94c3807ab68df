/* SPDX-License-Identifier: GPL-3.0-or-later */
/* response.h - frequency responses of models to harmonic forces, and how near they come to those of
 * a reference. */
#ifndef RESPONSE_H
#define RESPONSE_H
#include "bytes.h"
#include "correlate.h"
#include "dofset.h"
#include "publish.h"
#include "status.h"
#include "units.h"
#include <complex.h>
#include <stdint.h>

typedef struct { /* the motion of one dof under a unit force at another */
    int64_t out_node, out_component, in_node, in_component;
    fb_dofref out, in; /* of the list; by name the nodes are those of the reference */
    char name[100];    /* "21.3:1.3" */
    char unit[96];     /* "m/N", of the reference  */
} fb_path;

typedef struct { /* what is asked of every model */
    int64_t npath, nf;
    fb_path *path;  /* [npath] */
    double *hz;     /* [nf] ascending */
    double loss;    /* stiffness K (1 + i loss) */
    double speed;   /* rad/s: damping D + speed G */
    fb_units units; /* of the reference, once it is loaded */
} fb_frf_ask;

typedef struct {
    char name[64];
    int64_t order;     /* of the reduced body; 0: full model */
    int64_t nheld;     /* dofs that reduce --fix holds */
    char terms[64];    /* "K, M, D, S" */
    double complex *H; /* [npath][nf] */
} fb_frf;

typedef struct {      /* a response beside the reference's */
    double frac;      /* 0..1 */
    double error, at; /* dB, Hz: the largest difference of amplitudes */
    int zero;         /* both are nothing beside other responses of that unit */
} fb_frf_match;

typedef struct { /* a reference, the models, and their matches [nmodel][npath] */
    const fb_frf_ask *ask;
    fb_frf reference, *model;
    int64_t nmodel;
    fb_frf_match *match;
} fb_frf_set;

/* "OUT:IN,...", which is kept, and "F0,F1,N": N frequencies in Hz from F0 to F1. */
fb_status fb_frf_paths(fb_frf_ask *a, const char *list, fb_err *e) FB_CHECKED;
fb_status fb_frf_frequencies(fb_frf_ask *a, const char *list, fb_err *e) FB_CHECKED;
/* The nodes of the paths, whose names may be those of sets of b. */
fb_status fb_frf_nodes(fb_frf_ask *a, const fb_model *b, fb_err *e) FB_CHECKED;
void fb_frf_ask_free(fb_frf_ask *a);

/* The responses of the file's model (response.c): of its full matrices where `full` and it has
 * them, else of its reduced ones. The first call, of the reference, sets a->units and the units of
 * the paths; the models after it are brought to them. */
fb_status fb_frf_load(const char *path, int full, int reference, fb_frf_ask *a, fb_frf *out,
                      fb_log *log, fb_err *e) FB_CHECKED;
void fb_frf_free(fb_frf *f);

/* Of one path: FRAC and the largest error (frf.c). */
fb_frf_match fb_frf_compare(const fb_frf_ask *a, const fb_frf *reference, const fb_frf *model,
                            int64_t path);
/* The worst of all paths. */
fb_frf_match fb_frf_worst(const fb_frf_set *s, int64_t model);
double fb_frf_decibel(double complex of, double complex to, double floor);

void fb_frf_text(const fb_frf_set *s, fb_buf *o);
void fb_frf_csv(const fb_frf_set *s, fb_buf *o);
void fb_frf_json(const fb_frf_set *s, fb_buf *o);
/* Amplitude in decades above phase, a panel a path (frf_svg.c). */
void fb_frf_svg(const fb_frf_set *s, fb_buf *o);
/* A page for a browser (frf_html.c). */
void fb_frf_html(const fb_frf_set *s, fb_buf *o);
/* The same as datasets: /response/frequency, /response/reference, /response/1, ... */
fb_status fb_frf_h5(const fb_frf_set *s, fb_datasets *d, fb_err *e) FB_CHECKED;
#endif
