/* SPDX-License-Identifier: GPL-3.0-or-later */
/* model.h - the model: everything that the stream can hold (model.c, schema.c, convert.c, rigid.c,
 * info.c). */
#ifndef FB_MODEL_H
#define FB_MODEL_H
#include "bytes.h"
#include "linalg/dense.h"
#include "linalg/sparse.h"
#include "status.h"
#include "units.h"
#include <stdint.h>

typedef enum { /* /dofs/class */
               FB_DOF_PHYSICAL,
               FB_DOF_GENERALIZED,
               FB_DOF_INTERNAL,
               FB_DOF_MULTIPLIER,
               FB_DOF_FIXED,
               FB_NDOFCLASS
} fb_dofclass;

typedef enum {                   /* /checks/kind: what is worth knowing about a dof of the input */
               FB_CHECK_NULL,    /* no stiffness, no mass: left out                              */
               FB_CHECK_SUPPORT, /* a huge diagonal that stands for a support: left out           */
               FB_CHECK_MASSLESS, /* stiffness, but no mass                                       */
               /* negative mass on the diagonal, or none on a row that has some */
               FB_CHECK_NEGATIVE,
               FB_CHECK_UNIT, /* 1 on the diagonal of K and M, nothing else: a constraint      */
               FB_CHECK_PART, /* in a part that nothing joins to the largest one               */
               /* a Lagrange multiplier */
               FB_CHECK_MULTIPLIER,
               FB_CHECK_HELD, /* held in the input, which has cut its stiffness: left out        */
               FB_NCHECK
} fb_checkkind;

enum { FB_COMPONENT_MAX = 99 }; /* of /dofs/component */
enum { FB_NAME = 80 };          /* bytes of a name, the zero at its end counted */

typedef enum {                     /* /reduced/kind: what each generalized coordinate is */
               FB_KIND_BOUNDARY,   /* constraint mode of one boundary dof        */
               FB_KIND_NORMAL,     /* interior (fixed-interface) normal mode     */
               FB_KIND_EIGEN,      /* eigenvector of the whole body              */
               FB_KIND_ATTACHMENT, /* residual or attachment vector              */
               FB_NKIND
} fb_kind;

typedef enum {                        /* /reduced/load_dof where it is no dof */
               FB_LOAD_VECTOR = -1,   /* a load vector of the full model */
               FB_LOAD_ATTACHED = -2, /* one that has its attachment vector */
               FB_LOAD_UNIT = -3      /* of a record: a unit load at the dof that its name says */
} fb_loadkind;

/* Everything the stream can hold; one field per row of schema.c. NULL = absent. Shapes in C
 * order, as in the file. x = T z recovers the rows of /dofs from generalized coordinates z. */
typedef struct {
    fb_units units;
    char stage[24]; /* the tool that wrote the file */
    char title[132], date[36], source[132], producer[20], comment[3][84], format[24];
    char method[24];  /* of the reduction */
    char seconds[16]; /* that it took; "": nobody asked to keep them */

    int64_t nn;           /* nodes */
    int64_t *node_id;     /* [nn]      */
    double *xyz;          /* [nn,3]    */
    double *node_mass;    /* [nn]      */
    double *node_inertia; /* [nn,3,3]  */

    int64_t ndof;                                  /* dofs: rows of K, M, D, T */
    int64_t *dof_node, *dof_component, *dof_class; /* [ndof] */
    fb_csc K, M, D;                                /* /full */
    fb_csc S, gyroscopic; /* /full: structural damping, K + i S; skew, of unit speed */
    fb_csc N;             /* /full: skew part of the stiffness, which is K + N */

    int64_t nkg, nkgdof; /* loads of geometric stiffness, nkg ndof */
    fb_csc Kg;           /* /full: block diagonal */
    double *kg_acceleration, *kg_angular, *kg_centrifugal; /* [nkg,3], [nkg,3], [nkg,3,3] */
    int64_t *kg_node;                                      /* [nkg] 0: none */
    double *kg_force, *kg_moment;                          /* [nkg,3] */

    char matrices[256], unused[256]; /* what K, M, D are in the input, and what is left */

    int64_t na;                                    /* dofs of the input, those left out included */
    int64_t *all_node, *all_component, *all_class; /* [na] */
    fb_csc G; /* [na x ndof] x_all = G x; absent: nothing left out */

    fb_csc Ms; /* [nn x nn] isotropic part of M before frames; absent: no frames */

    int64_t nk;                                         /* findings about dofs of the input */
    int64_t *check_kind, *check_node, *check_component; /* [nk] */
    double *check_value;                                /* [nk] */
    double *asymmetry;                                  /* [3] of K, M, D, relative */
    int64_t nmotion;                                    /* 3 translations, or 6 with rotations */
    double *rigid_residual; /* [nmotion] of K times rigid motion, relative */
    double
        *stiffness_noise; /* [1] of K, where it is more than round-off of its entries, relative */
    double *total_mass, *mass_center, *mass_inertia; /* [3], [3], [3,3] from M */

    int64_t nb;                                    /* interface dofs */
    int64_t *interface_dof;                        /* [nb] positions in /dofs */
    int64_t *interface_node, *interface_component; /* [nb] of records, which have no /dofs */

    int64_t nset, nset1, nsetnode;  /* named sets of nodes, sets + 1, nodes in all */
    char (*set_name)[FB_NAME];      /* [nset] ends with a zero */
    int64_t *set_offset, *set_node; /* [nset1], [nsetnode] node numbers */

    int64_t nbasis; /* shapes of a basis of the user's own */
    double *basis;  /* [nbasis,ndof] */

    int64_t nvector;              /* load vectors of the full model */
    double *vector;               /* [nvector,ndof] */
    char (*vector_name)[FB_NAME]; /* [nvector] ends with a zero */

    int64_t nm;                 /* modes of the input */
    double *shape, *shape_imag; /* [nm,nn,6]; imaginary parts: absent where all are real */
    int64_t *mode_number;       /* [nm]      */
    double *eigen;              /* [nm,5]    */
    double *mode_damping;       /* [nm] viscous damping ratios; 0: not stated */
    double *mode_transform;     /* [nm,nm]   */

    int64_t nf1, nfi;                    /* faces + 1, face indices */
    int64_t *face_offset, *face_index;   /* [nf1], [nfi] positions in /nodes */
    int64_t nframe;                      /* of a motion of nodes */
    double *motion_time, *motion_place;  /* [nframe], [nframe,nn,3] */
    int64_t ns;                          /* nodes with stress */
    int64_t *stress_node;                /* [ns] node numbers */
    double *stress, *strain;             /* [nm,ns,6] xx yy zz xy xz yz */
    int64_t nstressed;                   /* shapes of a full model that bring their stress */
    double *stress_shape;                /* [nstressed,ndof] */
    double *shape_stress, *shape_strain; /* [nstressed,ns,6] */
    int64_t *stat_node;                  /* [nm,13] */
    double *stat_value;                  /* [nm,13] */

    double *ref_mass, *ref_com, *ref_inertia; /* scalar, [3], [3,3]: the input's own words */
    double *ref_I[10]; /* what the input prints, as I below; [0], [6] unused */

    int64_t nr;           /* order of the reduced model */
    double *Kr, *Mr, *Dr; /* [nr,nr] */
    double *Sr, *Gr, *Nr; /* [nr,nr] T'ST, T'GT, T'NT */
    double *Kgr;          /* [nkg,nr,nr] */
    double *T;            /* [nr,ndof] */
    double *V;            /* [nr,nm] columns in terms of the input's modes */
    double *frequency;    /* [nr] Hz, signed, ascending */
    int64_t *kind;        /* [nr] fb_kind */
    int64_t *coordinate_node, *coordinate_component; /* [nr] the dof that it is; 0 0: modal */
    int64_t nheld, *held_node, *held_component;      /* [nheld] dofs at zero, of records */
    double *origin;      /* [3] of the body's axes, in those of the input */
    double *axes;        /* [3,3] the body's axes in those of the input */
    char place[48];      /* what --frame made it: com, node:N */
    char damping[16];    /* none, matrix; of records */
    int64_t *rigid_left; /* scalar: rigid motions among the coordinates, of records */
    int64_t nranking;
    double *ranking;                               /* [nranking,3] of IMR */
    double *coordinate_stress, *coordinate_strain; /* [nr,ns,6] of a full model's coordinates */
    double *stress_residual;                       /* [nr] */

    int64_t npole; /* of the reduced body: reduce/poles.c */
    double *pole_frequency, *pole_damping, *pole_real, *pole_speed; /* [npole], scalar */

    double *gravity;            /* [3,nr] T'M r for unit acceleration along x, y, z */
    int64_t nload, *load_dof;   /* [nload] position in /dofs of a unit load, or an fb_loadkind */
    double *load;               /* [nload,nr] T'P of a load vector, T'e of a unit load */
    char (*load_name)[FB_NAME]; /* [nload] ends with a zero */

    int64_t nrigid;            /* 3 translations, or 6 with rotations */
    double *p_factor, *p_mass; /* [nr,nrigid] of the modes of /reduced/frequency */
    double *v_rigid_full,
        *v_rigid_reduced; /* [nrigid]        what can be said of the reduced body: */
    double *v_mass_full, *v_mass_reduced; /* [nrigid,nrigid] reduce/verdict.c */
    double *v_definite, *v_step;          /* [3], scalar */
    int64_t *v_sturm;                     /* [2] */
    double *v_shift;                      /* scalar */
    int64_t nresidual, ncheck;
    double *v_residual, *v_check; /* [nresidual], [ncheck,2] */
    int64_t ntry;
    double *v_tries;                    /* [ntry,3] */
    double *v_composite, *v_deflection; /* [4], scalar: invariants/composite.c */

    int64_t nc;                           /* connectors */
    int64_t *connector_node;              /* [nc] node numbers */
    double *connector_position;           /* [nc,3]   */
    double *connector_rotation;           /* [nc,3,3] */
    double *connector_S, *connector_Shat; /* [nc,3,nr] translation and rotation rows of T */

    char mass_treatment
        [16]; /* of /invariants: nodal, matrix (of old: consistent, rowsum, diagonal) */
    char invariants_rule[16]; /* version of the rule they are made by; "": 1 */
    double *lumping_error;    /* [3] of I4, I6, I7 */
    double *Is[8];            /* [2], [3], [7] of Ms alone; absent: as I */
    double *I[12];            /* inertia invariants I1..I11; [0] unused */
} fb_model;

/* Numbers of nodes are at most this, whatever their sign: counting on from one of them stays in
 * range, and MATLAB's doubles hold them. */
#define FB_NODE_MAX INT64_C(1000000000000000)

void fb_model_free(fb_model *b);
/* fb_plain_text for every text of the model; what an input brings passes here. */
void fb_model_plain_texts(fb_model *b);
/* Every quantity in the units of `to`; refused where the model's own are not named, and where a
 * number overflows. */
fb_status fb_model_convert(fb_model *b, const fb_units *to, fb_err *e) FB_CHECKED;
/* Names the units of a model whose input does not; one that names others is an error. */
fb_status fb_model_name_units(fb_model *b, const char *system, fb_err *e) FB_CHECKED;
/* Internal consistency: sizes, ranges, finite numbers, unique nodes. */
fb_status fb_model_check(const fb_model *b, fb_err *e) FB_CHECKED;
/* /dofs of a body held by its nodes alone: six dofs a node, node by node. */
fb_status fb_model_nodal_dofs(fb_model *b, fb_err *e) FB_CHECKED;
/* /reduced/frequency from Kr and Mr: Hz, ascending, negative where K has a negative direction,
 * exactly 0 where the mode is rigid (fb_rigid_find); what round-off made of those is noted. NULL
 * where coordinates are dependent: roots are fewer. */
fb_status fb_model_frequencies(fb_model *b, fb_log *log, fb_err *e) FB_CHECKED;
/* Which modes V [nr x m] of the pair b->Kr, b->Mr are rigid: motions whose strain energy lambda is
 * lost in round-off, zeros of a mechanism among them. V'Mr V = 1; lambda [m], all that the pair (or
 * its held part) has, for the largest is a scale; rigid [m] becomes 0 or 1, *n how many are 1.
 * Looks at round-off of Kr, at that of the full stiffness b->K through the shapes (b->T, else
 * b->shape), and where there is no b->K at the shapes themselves. Every tool asks this
 * (rigid_modes.c). */
fb_status fb_rigid_find(const fb_model *b, const double *lambda, const fb_mat *V, char *rigid,
                        int64_t *n, fb_err *e) FB_CHECKED;
/* The same of the lowest modes of the full model, as the eigensolver found them: X [n x m] with the
 * rows dof [n] of /dofs, lambda [m] ascending, of which nnegative are below zero, then nrigid lost
 * in round-off; both become what the model's own noise and the shapes say, lambda of those is 0,
 * and `what` names the modes where that is noted. Without K, or coordinates, nothing is changed
 * (rigid_full.c). */
fb_status fb_rigid_full(const fb_model *b, const int64_t *dof, const fb_mat *X, double *lambda,
                        int64_t *nnegative, int64_t *nrigid, const char *what, fb_log *log,
                        fb_err *e) FB_CHECKED;
/* The roots of Kr v = lambda Mr v: rigid motion is exactly zero, coordinates that depend on others
 * take no part (roots.c). An indefinite Mr, or a coordinate without mass, is an error. */
typedef struct {
    int64_t n, nrigid;
    int64_t *
        kept; /* [n] coordinates that take part, ascending; of Kr, all nr where none is dependent */
    double *lambda; /* [n] ascending, rad^2/time^2; 0: rigid */
    double *raw;    /* [n] as computed */
    fb_mat V;       /* [nr x n], V'Mr V = I; zero rows for coordinates left out */
} fb_roots;
fb_status fb_model_roots(const fb_model *b, fb_roots *r, fb_err *e) FB_CHECKED;
void fb_roots_free(fb_roots *r);
/* Makes these nodes the connectors, at their undeformed positions, axes parallel to the body's;
 * S and Shat are emptied. */
fb_status fb_model_set_connectors(fb_model *b, const int64_t *node, int64_t n,
                                  fb_err *e) FB_CHECKED;
/* One more set behind those there are; its name loses control characters, and is cut to FB_NAME. */
fb_status fb_model_add_set(fb_model *b, const char *name, const int64_t *node, int64_t n,
                           fb_err *e) FB_CHECKED;
/* What the node is called: the last set that has it alone, as frames have; NULL: it has no name. */
const char *fb_node_name(const fb_model *b, int64_t node);
/* S and Shat of every connector from T (rows by node and component), of dofs that are left out of
 * /dofs by /recovery. */
fb_status fb_model_connectors(fb_model *b, const double *T, fb_err *e) FB_CHECKED;
/* /reduced/load of T: T'P of every load vector (without /full/load those that /reduced/load holds
 * stay as they are), then T'e of unit loads; load [n]: those that have attachment vectors, a
 * position in /dofs, or -1 - k of load vector k (loads.c). */
fb_status fb_model_loads(fb_model *b, const double *T, const int64_t *load, int64_t n,
                         fb_err *e) FB_CHECKED;
/* Is row k of /reduced/load a unit load? Then its dof's label; of a record that of its name. */
int fb_load_dof(const fb_model *b, int64_t k, int64_t *node, int64_t *component);
/* Unit loads are called by the labels of their dofs, also where these have become others. */
void fb_model_name_loads(fb_model *b);
void fb_model_name_load(fb_model *b, int64_t k, int64_t node, int64_t component);
/* Which have attachment vectors by /reduced/load_dof, in these numbers; owned. */
fb_status fb_model_attached(const fb_model *b, int64_t **load, int64_t *n, fb_err *e) FB_CHECKED;
/* One more load vector x [ndof]; its name is made as that of a set, and unlike those before. */
fb_status fb_model_add_vector(fb_model *b, const char *name, const double *x, fb_err *e) FB_CHECKED;
/* dof[k] is the dof whose displacement alone coordinate k of kind "constraint mode" is by the
 * shapes T [ndof x nr], of several the best name; -1: there is none, or it is of another kind; dof
 * [nr] (coordinate.c). */
fb_status fb_coordinate_dofs(const fb_model *b, const double *T, int64_t *dof,
                             fb_err *e) FB_CHECKED;
/* Rigid translations and rotations about the origin, R [ndof x 6], of the dofs whose place is
 * known; rows of the others are zero, and without coordinates the rotations lack their translations
 * (rigid.c). */
fb_status fb_model_rigid(const fb_model *b, fb_mat *R, fb_err *e) FB_CHECKED;
/* place[d] = position in /nodes of dof d, -1: none. */
fb_status fb_node_places(const fb_model *b, int64_t **place, fb_err *e) FB_CHECKED;
/* Its row for component 1..6 of a node at u (NULL: not known). */
void fb_rigid_row(const double *u, int64_t component, double r[6]);
/* The same at all dofs, those without a place of their own by static extension, as far as that can
 * be known. */
typedef enum {
    /* columns of zeros */
    FB_RIGID_UNKNOWN,
    /* the least strain of such a motion is that of R; where it moves what has no place is not known
     * */
    FB_RIGID_STRAIN,
    FB_RIGID_KNOWN
} fb_rigid_state;
typedef struct {
    fb_mat R;                  /* [ndof x 6] translations, rotations about the origin */
    fb_rigid_state move, turn; /* of columns 0..2 and 3..5                            */
} fb_rigid_motion;
/* most: dofs without a place for which K is factorised; INT64_MAX: any number. FB_ESYS where memory
 * fails; a K that does not tell is a state, no error (rigid_motion.c). */
fb_status fb_rigid_motion_new(const fb_model *b, int64_t most, fb_rigid_motion *r,
                              fb_err *e) FB_CHECKED;
void fb_rigid_motion_free(fb_rigid_motion *r);
/* Ms [nn x nn] upper: the mean of the translational blocks of M over the axes that both nodes have;
 * *axes [nn]: 1 x, 2 y, 4 z (rigid.c). */
fb_status fb_model_isotropic(const fb_model *b, fb_csc *Ms, int64_t **axes, fb_err *e) FB_CHECKED;
/* Has the model dofs whose rigid motion only K tells: generalized coordinates, scalars? */
int fb_model_condensed(const fb_model *b);
/* Entries [n] of Ms, nodes p <= q, along axes that both nodes, or one, lack (rigid.c). */
typedef struct {
    int64_t n, *p, *q;
    int *axis;
    double *x;
} fb_gaps;
/* The mass between the nodes: Ms [nn x nn] upper, of before the frames where there are any, and
 * what M lacks of it along the axes. */
typedef struct {
    const fb_csc *Ms; /* own, or the model's */
    fb_csc own;
    fb_gaps gaps;
} fb_node_mass;
fb_status fb_node_mass_new(const fb_model *b, fb_node_mass *x, fb_err *e) FB_CHECKED;
void fb_node_mass_free(fb_node_mass *x);
/* The rotary inertias of fb_model_lump, of M with the isotropic part Ms; NULL: M has none. As
 * mnfparse keeps Ms of before frames, it keeps them, in /nodes/inertia, where fb_model_lump finds
 * them. */
fb_status fb_model_rotary(const fb_model *b, const fb_csc *Ms, double **inertia,
                          fb_err *e) FB_CHECKED;
/* Nodal masses [nn], none negative, and rotary inertias [nn,3,3] from M: the scaled diagonal, with
 * the mass and the centre of M. FB_EFORMAT where there are none. */
fb_status fb_model_lump(const fb_model *b, double **mass, double **inertia, fb_err *e) FB_CHECKED;
/* Position of a node number in /nodes, or -1. Sorted look-up table by fb_index. */
typedef struct {
    int64_t *id, *pos, n;
} fb_index;
/* Fails where a number occurs twice, with the message of `what`. */
fb_status fb_index_new(fb_index *x, const int64_t *id, int64_t n, const char *what,
                       fb_err *e) FB_CHECKED;
int64_t fb_index_find(const fb_index *x, int64_t id);
void fb_index_free(fb_index *x);
/* Sorts v and drops repeated numbers; returns how many are left. */
int64_t fb_unique(int64_t *v, int64_t n);
/* Where x stands among the ascending v [n], or -1. */
int64_t fb_sorted_find(const int64_t *v, int64_t n, int64_t x);

/* Shapes T [ndof x m] coordinate by coordinate: translations and rotations of n nodes, those of
 * slaves of frames included; dofs that the input lacks are 0 (shapes.c). */
typedef struct {
    const fb_model *b; /* borrowed */
    const double *T;
    int64_t n, *place, *all; /* [ndof], [na] where a value goes; all NULL: no /recovery */
    double *x;               /* [na] */
    double *near;            /* [ndof] a column of T that is far */
} fb_shaper;
fb_status fb_shaper_new(fb_shaper *z, const fb_model *b, const double *T, const int64_t *node,
                        int64_t n, fb_err *e) FB_CHECKED;
void fb_shaper_column(const fb_shaper *z, int64_t k, double *y); /* [6 n] */
void fb_shaper_free(fb_shaper *z);
/* Is a displacement `most` nothing but round-off beside rotations `turn` of nodes of a body of this
 * size? Then the nodes turn about themselves, as those of a straight shaft do. */
int fb_only_turns(double most, double turn, double size);

/* Stress of the coordinates of a full model from that of the shapes beside it (b->stress_shape):
 * b->coordinate_stress, b->coordinate_strain, b->stress_residual; without shapes they are emptied.
 * FB_ESOLVE where a residual is above `most` (stress.c). */
fb_status fb_stress_fit(fb_model *b, double most, fb_log *log, fb_err *e) FB_CHECKED;
/* The residual that is let pass where nobody says another. */
extern const double fb_stress_most;
/* Stress (strain: strain) of the generalized coordinates [nr,ns,6] of a body of either kind; NULL
 * where it is not known. */
fb_status fb_coordinate_stress(const fb_model *b, int strain, double **out, fb_err *e) FB_CHECKED;
/* Of xx yy zz xy xz yz. */
double fb_von_mises(const double s[6]);

/* What the inertia of rigid and elastic motion is built from: I1, I2 [3], I3, I4 [3,m], I7 [3,3],
 * I8 [m,3,3], and the generalized mass M [m,m], m = b->nr; all about the origin, borrowed. */
typedef struct {
    const double *I1, *I2, *I3, *I4, *I7, *I8, *M;
} fb_inertia_set;
/* Its lowest eigenvalue at rest, scaled to a unit diagonal, the elastic part in the eigenvectors of
 * b->Kr and M; I8 is not looked at, and without I1 it is M's own (composite.c). */
fb_status fb_composite_rest(const fb_model *b, const fb_inertia_set *at, double *low,
                            fb_err *e) FB_CHECKED;
/* The same of b->I and b->Mr at rest and for unit loads, T [ndof x m] shapes: fills b->v_composite
 * [4] and b->v_deflection. */
fb_status fb_composite(fb_model *b, const double *T, fb_err *e) FB_CHECKED;
/* The lowest eigenvalue of b->Mr scaled to a unit diagonal, which depends on the axes of boundary
 * coordinates; the largest |K_ij - K_ji| + |M_ij - M_ji| of b->Kr, b->Mr. */
fb_status fb_model_definite(const fb_model *b, double *low, double *asymmetry,
                            fb_err *e) FB_CHECKED;
/* What is below zero by less is round-off. */
extern const double fb_composite_zero;

/* The box of n points [n,3]; of none it is the origin. Its diagonal. */
void fb_box(const double *xyz, int64_t n, double lo[3], double hi[3]);
double fb_box_diagonal(const double *xyz, int64_t n);

/* The mass that is known of the body: R'MR, the sum of nodal masses, or as stated; 0: none is. */
double fb_total_mass(const fb_model *b);
/* Volume of the smallest of two boxes that hold the nodes, in the model's unit; 0 where they lie in
 * a plane. */
fb_status fb_node_volume(const fb_model *b, double *V, fb_err *e) FB_CHECKED;
/* Warns where the units are known and the mass over that box is out of the range of materials
 * (density.c). */
fb_status fb_density_check(const fb_model *b, fb_log *log, fb_err *e) FB_CHECKED;

/* The mass of nodal masses and rotary inertias, its centre and inertia about it; of a body with
 * /nodes/mass and /nodes/xyz (info.c). */
double fb_node_inertia(const fb_model *b, double c[3], double J[9]);
#endif
