/* SPDX-License-Identifier: GPL-3.0-or-later */
/* correlate.h - modes of two models against each other: MAC, NCO, CO. */
#ifndef CORRELATE_H
#define CORRELATE_H
#include "bytes.h"
#include "linalg/dense.h"
#include "linalg/sparse.h"
#include "model.h"
#include "publish.h"
#include "status.h"

/* Translations of slaves of frames, which have no dof of their own: x is G times a shape. */
typedef struct {
    int64_t n, *node, *component; /* [n] */
    double *xyz;                  /* [n,3] */
    fb_csc G;                     /* [n x nd] */
} fb_followers;

/* Modes over labelled dofs, mass-normalised where a mass matrix is known. */
typedef struct {
    char name[64];
    int64_t n, nd;             /* modes, dofs                                       */
    int64_t nrigid;            /* modes without stiffness                           */
    char *rigid;               /* [n] 1: one of them; negative roots stand before them */
    fb_mat X, Xi;              /* [nd x n] shapes and their imaginary parts (x NULL: real) */
    double *f;                 /* [n] Hz, ascending                                 */
    double *damping;           /* [n] viscous ratios that a test states, 0: none; NULL: no test  */
    int64_t *node, *component; /* [nd]                                              */
    double *xyz;               /* [nd,3] position of the node, or NULL: not known   */
    fb_csc M;                  /* [nd x nd]; p NULL: no mass                        */
    char mass[96];             /* where M comes from                                */
    int timeless;              /* 1: f is by a unit of time that is not known, said to be s */
    double length, weighs;     /* units of length in m, of mass in kg; 0: not known  */
    int64_t order, bytes;      /* of the reduced pair, 0: none; of the file, 0: not known */
    double seconds;            /* of the reduction, 0: not kept (reduce --time)           */
    int64_t nf1, *face_offset, *face_node; /* faces of the file, corners by node number */
    fb_followers follow; /* for pictures; none where a dof of the file is left out */
    int normalised;      /* X'MX = I over these dofs, as the eigensolver left it */
    int as_given;        /* shapes and frequencies as the file gives them       */
    int borrowed;        /* X, Xi and M are another's                         */
    int own_mass;        /* M is not, all the same                            */
} fb_shapes;

/* The n lowest modes of the file's model: T times the eigenvectors of a reduced pair, the modes of
 * a body held by modes, those of a full model by the sparse engine, or measured ones as they
 * stand, over the dofs that move in one of them. n < 0: as many as there are. */
fb_status fb_shapes_load(const char *path, int64_t n, fb_shapes *out, fb_log *log,
                         fb_err *e) FB_CHECKED;
void fb_shapes_free(fb_shapes *s);
/* Shapes and mass alone: what is reported of s stays. */
void fb_shapes_drop(fb_shapes *s);
/* The n lowest modes of s, without a copy of its shapes and mass: s must outlive them. */
fb_status fb_shapes_view(const fb_shapes *s, int64_t n, fb_shapes *out, fb_err *e) FB_CHECKED;
/* Labels, positions and mass of a file: of a body condensed to dofs of its own (Guyan) the reduced
 * mass over these, else the mass matrix, else the nodal masses. */
fb_status fb_mass_load(const char *path, fb_shapes *out, fb_err *e) FB_CHECKED;
/* For shapes.c and mass.c: labels, positions and mass of b. */
fb_status fb_shapes_labels(fb_model *b, fb_shapes *s, fb_err *e) FB_CHECKED;
/* The name of a file for pages and pictures: without folders, valid UTF-8. */
void fb_shapes_name(fb_shapes *s, const char *path);
/* Keeps the rows `row` [n] of s, in that order; ascending where s has a mass. */
fb_status fb_shapes_keep(fb_shapes *s, const int64_t *row, int64_t n, fb_err *e) FB_CHECKED;

typedef struct {       /* how the dofs of two models are matched */
    const char *dofs;  /* a list of the first model's dofs, or NULL: all        */
    double tolerance;  /* > 0: by nearest node within this distance; else by label */
    fb_shapes *weight; /* its mass takes the place of the first model's; NULL: none. It is
                             * brought to the first model's units */
} fb_matching;

/* Keeps the dofs that both have (and the weight), in one order; counts of those left out. M of `a`
 * shrinks along. By position a node has one partner at the most: the nearest, both ways. */
fb_status fb_shapes_match(fb_shapes *a, fb_shapes *b, const fb_matching *how, int64_t left_out[2],
                          fb_log *log, fb_err *e) FB_CHECKED;

typedef enum { FB_MAC, FB_NCO, FB_CO, FB_NCRITERION } fb_criterion;
extern const char *const fb_criterion_name[];

typedef struct { /* one criterion between na modes of one model and nb of another */
    fb_mat C;    /* [na x nb]; x NULL: not asked for */
    double diagonal_min, diagonal_mean, off_max, off_mean;
    int64_t first_below; /* 1-based number of the first diagonal below 0.9; 0: none */
} fb_table;

typedef struct {
    int64_t na, nb, nrigid, nrigid_b; /* modes and rigid modes of both */
    const char *rigid, *rigid_b;      /* [na], [nb] of the shapes, which are to outlive this */
    fb_table table[FB_NCRITERION];
    int64_t *pair;         /* [na] position in b, or -1: missing */
    int64_t nswapped;      /* elastic pairs out of order                         */
    int64_t nmissing;      /* elastic modes of the smaller model without a pair  */
    int64_t naligned;      /* modes of repeated roots, compared as spaces                */
    int64_t nstill[2];     /* modes of both that do not move at these dofs               */
    double *mass, *mass_b; /* [na], [nb] modal masses by the first model's mass, of shapes whose
                            * largest translation is 1 (0: none moves); NULL: no mass */
} fb_correlation;

typedef struct {
    int want[FB_NCRITERION];
    int as_published; /* rigid modes exact, means over n^2, repeated modes not turned */
    double partner;   /* modes that share less than this (NCO, without a mass MAC) are no pair */
} fb_correlate_opts;

fb_status fb_correlate(const fb_shapes *a, fb_shapes *b, const fb_correlate_opts *o,
                       fb_correlation *out, fb_err *e) FB_CHECKED;
/* Is the pair of elastic mode i not the next in the second model, counted among those with a
 * partner? */
int fb_out_of_order(const fb_correlation *c, int64_t i);
void fb_correlation_free(fb_correlation *c);

/* pair[i] = column assigned to row i of the score [n x m], the sum largest; -1 where n > m. */
fb_status fb_assign(const fb_mat *score, int64_t *pair, fb_err *e) FB_CHECKED;

/* The frequencies of the elastic pairs against the reference, in percent. */
typedef struct {
    int64_t n;            /* pairs */
    double largest, mean; /* of the absolute errors */
} fb_pair_errors;
fb_pair_errors fb_correlation_errors(const fb_shapes *a, const fb_shapes *b,
                                     const fb_correlation *c);
/* What is written: a text for people, CSV, JSON, an SVG of one panel per criterion and model. */
void fb_report_text(const fb_shapes *a, const fb_shapes *b, const fb_correlation *c,
                    const int64_t left_out[2], const fb_correlate_opts *how, fb_buf *o);
/* A line a model. */
void fb_report_summary(const fb_shapes *a, const fb_shapes *b, const fb_correlation *c,
                       int64_t nmodel, fb_buf *o);
void fb_report_csv(const fb_shapes *a, const fb_shapes *b, const fb_correlation *c, fb_buf *o);
void fb_report_json(const fb_shapes *a, const fb_shapes *b, const fb_correlation *c, int first,
                    fb_buf *o);
/* A page for a browser: a call for each of nmodel models while the shapes are there, then the end.
 * mesh is what the first model's file has of faces. */
typedef struct {
    const char *behind; /* the template behind the data */
    int64_t nmodel, n;  /* models in all, written */
    int64_t na;         /* modes of the reference whose shapes are written */
    int64_t nn, *node;  /* [nn] nodes of the mesh that is written last */
} fb_page_state;
fb_status fb_page_model(fb_page_state *p, const fb_shapes *mesh, const fb_shapes *a,
                        const fb_shapes *b, const fb_correlation *c, const int64_t left_out[2],
                        fb_buf *o, fb_err *e) FB_CHECKED;
void fb_page_end(fb_page_state *p, const char *reference, fb_buf *o);
void fb_report_svg(const fb_shapes *a, const fb_shapes *b, const fb_correlation *c, int64_t nmodel,
                   fb_buf *o);
/* For pictures: a text, its words escaped; `extra` are attributes. The beginning of a picture. */
void fb_svg_text(fb_buf *o, double x, double y, const char *anchor, double size, const char *extra,
                 const char *what);
void fb_svg_begin(double width, double height, fb_buf *o);
/* A string of CSV, in quotes. */
void fb_put_csv(fb_buf *o, const char *s);
/* One panel of it. */
void fb_report_panel(const fb_shapes *a, const fb_shapes *b, const fb_correlation *c, int criterion,
                     fb_buf *o);
/* The same as datasets. */
typedef struct {
    char path[64], text[400];
} fb_label;
typedef struct {
    struct fb_group *own; /* [ngroup] what the datasets point to */
    fb_label *label;      /* of responses */
    int64_t ngroup, n;
    fb_array *array; /* [n] */
} fb_datasets;
fb_status fb_report_h5(fb_datasets *d, const fb_shapes *a, const fb_shapes *b,
                       const fb_correlation *c, int64_t nmodel, fb_err *e) FB_CHECKED;
void fb_datasets_free(fb_datasets *d);
#endif
