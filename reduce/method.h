/* SPDX-License-Identifier: GPL-3.0-or-later */
/* method.h - what a reduction method is. To add one: a file NAME.c that defines fb_method_NAME,
 * and one row in FB_METHODS; its option --NAME N follows from the row. */
#ifndef METHOD_H
#define METHOD_H
#include "cli.h"
#include "linalg/dense.h"
#include "model.h"
#include "status.h"

typedef struct {   /* what the user asked for; -1 or NULL: not given */
    int64_t order; /* of the reduced model */
    int64_t modes; /* normal modes */
    double fmax;   /* [Hz] */
    const char *interface, *masters;
    const char *weights;           /* of IMR: modes of interest */
    const char *keep, *drop;       /* normal modes, after the reduction */
    int reach;                     /* modes or fmax is not the user's: as far as `keep` reaches */
    double accurate_to, tolerance; /* the smallest order that is, up to this frequency [Hz] */
    const char *free_boundary;     /* of Craig-Bampton: boundary dofs that are free in the modes */
    int inertia_relief;            /* and answers to rigid acceleration beside them */
    const char *at;                /* of Krylov: shifts [Hz] */
    int orthonormalize;
    const char *loads;       /* of full models: dofs and load vectors of attachment vectors */
    const char *eigensolver; /* engine of fb_eig_sparse */
    double memory;           /* GiB a factor may take, 0: what the machine has */
    int no_sturm, check;
    /* Full: the model, where it can do without K and M of its own until the reduction is done (the
     * caller reads them again), so that they are not held beside their blocks; NULL: it cannot. */
    fb_model *lender;
} fb_reduceopt;

typedef struct {      /* how the sparse eigenproblem of a method ended */
    int64_t n;        /* modes found */
    double *residual; /* [n] */
    int64_t sturm;    /* roots below the shift by inertia; -1: not counted */
    double shift;     /* rad^2 over time^2 */
    int64_t nrigid;
} fb_modecheck;

/* A body reduced: q = V z of a modal body, x = T z of a full model (the other one is empty). */
typedef struct {
    fb_mat V;              /* [nm x nr]   */
    fb_mat T;              /* [ndof x nr] */
    fb_mat W;              /* of a body reduced before: z_before = W z; else empty */
    int64_t *kind;         /* [nr] fb_kind */
    double *K, *M;         /* [nr,nr] */
    double *D, *S, *G, *N; /* [nr,nr] by rows, of any form; NULL: the body has none */
    double *Kg;            /* [nkg,nr,nr]; NULL: the body has none */
    int64_t nkg;
    int64_t nr, nb, nn, ndropped; /* order, boundary, normal, modes of the body left out */
    int64_t *boundary;            /* full: [nb] boundary or master dofs, positions in /dofs */
    double *ranking;              /* of IMR: [nranking,3] interior mode, participation, Hz */
    int64_t nranking;
    fb_modecheck check; /* full: the modes that the method computed */
    /* full: the loads of --loads, positions in /dofs, or -1 - k of load vector k */
    int64_t nload, *load;
    const double *vector; /* of the model, [.,ndof] borrowed; NULL: */
    const double *before; /* /reduced/load of the body before, [.,W.m] borrowed */
} fb_reduction;

struct fb_work;                  /* full.h */
typedef enum {                   /* what joins the reduced body where the order is one higher */
               FB_GROWS_NOT,     /* something else, or all others change with it */
               FB_GROWS_NORMAL,  /* the next normal mode of the body whose boundary is held */
               FB_GROWS_BY_RANK, /* the next of those that it ranks */
               FB_GROWS_AS_EIGEN /* the next mode of the whole body */
} fb_grows;
typedef struct {
    const char *name, *doc;
    /* What was asked for that does not suit the method; NULL: it takes all that its options say. */
    fb_status (*check)(const fb_reduceopt *o, fb_err *e);
    /* A body held by modes. */
    fb_status (*modal)(const fb_model *b, const fb_reduceopt *o, fb_reduction *r, fb_log *log,
                       fb_err *e);
    /* One that has its own stiffness and mass matrix: finds w->f made, and leaves w->r. */
    fb_status (*full)(struct fb_work *w, fb_err *e);
    int far; /* 1: on matrices, too, that other processes hold (linalg/far.h) */
    fb_grows grows;
    int masters;           /* 1: the order is the number of masters, and may be left out */
    int any_order;         /* 1: it may be left out */
    const fb_own *options; /* that not all methods know; ends with a zero name; NULL: none */
} fb_method;

/* The reduction methods. */
#define FB_METHODS(X) \
    X(cb)     /* Craig-Bampton               */ \
    X(guyan)  /* static condensation         */ \
    X(imr)    /* interior mode ranking       */ \
    X(irs)    /* improved reduced system     */ \
    X(krylov) /* moments at shifts          */ \
    X(lsmr)   /* least-square model reduction */ \
    X(mdm)    /* mode displacement           */ \
    X(basis)  /* of one\'s own                */

#define X(name) extern const fb_method fb_method_##name;
FB_METHODS(X)
#undef X
#define X(name) +1
enum { FB_NMETHOD = 0 FB_METHODS(X) };
#undef X
extern const fb_own fb_masters_options[]; /* of methods with masters (masters.c) */
/* FB_EUSAGE where normal modes are asked for: methods of masters alone have none (masters.c). */
fb_status fb_masters_alone(const fb_reduceopt *o, const char *method, fb_err *e) FB_CHECKED;
extern const fb_method *const fb_methods[]; /* ends with NULL */
const fb_method *fb_method_find(const char *name);
/* m->check, then m->modal or m->full. */
fb_status fb_method_modal(const fb_method *m, const fb_model *b, const fb_reduceopt *o,
                          fb_reduction *r, fb_log *log, fb_err *e) FB_CHECKED;
fb_status fb_method_full(const fb_method *m, const fb_model *b, const fb_reduceopt *o,
                         fb_reduction *r, fb_log *log, fb_err *e) FB_CHECKED;

/* What bodies of both kinds say alike: the dofs of the connectors, but those of nodes that --fix
 * holds; an order below nb boundary dofs, or another than the number of masters, is refused. */
fb_status fb_connector_dofs(const fb_model *b, int64_t **dof, int64_t *n, fb_log *log,
                            fb_err *e) FB_CHECKED;
fb_status fb_order_holds(const fb_reduceopt *o, int64_t nb, fb_err *e) FB_CHECKED;
fb_status fb_order_of_masters(const fb_reduceopt *o, int64_t n, const char *method,
                              fb_err *e) FB_CHECKED;

/* "7:1,8:2", "1,21-27": weight[k - 1] of each number k named, 1 where none is given (cut.c). */
fb_status fb_mode_numbers(const char *option, const char *list, int64_t most, int weighted,
                          double *weight, int64_t *count, fb_err *e) FB_CHECKED;
/* The form of --keep and --drop alone. */
fb_status fb_cut_check(const fb_reduceopt *o, fb_err *e) FB_CHECKED;
/* Where no order is given: as many modes as --keep names. */
fb_status fb_cut_reach(fb_reduceopt *o, fb_err *e) FB_CHECKED;
/* What --keep or --drop leaves of the normal modes. */
fb_status fb_reduction_cut(const fb_model *b, const fb_reduceopt *o, fb_reduction *r, fb_log *log,
                           fb_err *e) FB_CHECKED;
/* Only the coordinates keep [n], ascending. */
fb_status fb_reduction_keep(fb_reduction *r, const int64_t *keep, int64_t n, fb_err *e) FB_CHECKED;
/* The same, where attachment vectors take over what the modes that go had of the answers to
 * --loads. */
fb_status fb_reduction_shorten(fb_reduction *r, const int64_t *keep, int64_t n, fb_log *log,
                               fb_err *e) FB_CHECKED;

/* The reduction that a stream holds, taken out of the model, as if a method had left it
 * (again.c). */
fb_status fb_reduction_of_take(fb_model *b, fb_reduction *r, fb_err *e) FB_CHECKED;
/* --fix of a reduced body: its boundary coordinates that are these dofs go; a dof that is none, and
 * that a coordinate moves, is refused. */
fb_status fb_reduction_hold(fb_model *b, const int64_t *dof, int64_t n, fb_reduction *r,
                            fb_err *e) FB_CHECKED;

/* Load vectors and stress that only the coordinates hold, z_before = W z (again.c). */
fb_status fb_reduction_carry(fb_model *b, const fb_mat *W, fb_err *e) FB_CHECKED;

/* Each := W'A W, by rows; NULL stays. */
fb_status fb_damping_turn(double **D, double **S, double **G, double **N, const fb_mat *W,
                          fb_err *e) FB_CHECKED;
/* K = diag(lambda), M = 1, D := W'D W (S, G and N alike) of the eigenvectors W, which are the
 * coordinates now. */
fb_status fb_reduction_diagonal(fb_reduction *r, const double *lambda, const fb_mat *W,
                                fb_err *e) FB_CHECKED;
/* The eigenvectors of the reduced pair become the coordinates: V := V W, T := T W, K = diag, M = 1.
 * */
fb_status fb_reduction_orthonormalize(const fb_model *b, fb_reduction *r, fb_err *e) FB_CHECKED;
void fb_reduction_free(fb_reduction *r);

/* Puts the reduction into the model, whose old one goes: /reduced, /connectors with their shapes,
 * and of a full model /interface. `name` is what /reduced says of the method. */
fb_status fb_reduction_apply_take(fb_model *b, fb_reduction *r, const fb_reduceopt *o,
                                  const char *name, fb_log *log, fb_err *e) FB_CHECKED;
#endif
