/* SPDX-License-Identifier: GPL-3.0-or-later */
/* parts.h - what readers hand over: the pieces of one model, from one file or many. assemble.c
 * joins them by label into an fb_model. */
#ifndef PARTS_H
#define PARTS_H
#include "bytes.h"
#include "cli.h"
#include "elements.h"
#include "geometric.h"
#include "linalg/dense.h"
#include "linalg/sparse.h"
#include "model.h"
#include "status.h"
#include "units.h"

typedef enum { /* what a matrix is for; readers deduce it from its name where the format says so */
               FB_ROLE_UNKNOWN,
               FB_ROLE_STIFFNESS,
               FB_ROLE_MASS,
               FB_ROLE_DAMPING,            /* viscous */
               FB_ROLE_STRUCTURAL_DAMPING, /* K4, imaginary stiffness */
               FB_ROLE_GYROSCOPIC,         /* of unit speed */
               FB_ROLE_CIRCULATORY,        /* skew part of the stiffness: no input names it */
               FB_ROLE_LOADED,             /* stiffness under a load: no input names it */
               FB_ROLE_OTHER               /* named, counted by --info, not used */
} fb_role;

typedef struct { /* one label per row (or column) of a matrix; NULL where the format has none */
    int64_t *node, *component, *class; /* [n]; class NULL: all physical */
} fb_labels;

/* n labels, all physical; with_class: of classes that can be set. */
fb_status fb_labels_new(fb_labels *l, int64_t n, int with_class, fb_err *e) FB_CHECKED;
fb_status fb_labels_copy(fb_labels *to, const fb_labels *from, int64_t n, fb_err *e) FB_CHECKED;
/* One more behind the *n there are; *cap is 0 at first. */
fb_status fb_labels_add(fb_labels *l, int64_t *n, int64_t *cap, int64_t node, int64_t component,
                        int64_t class, fb_err *e) FB_CHECKED;
void fb_labels_free(fb_labels *l);

typedef struct { /* a label and where it stands in its list */
    int64_t node, component, at;
} fb_ranked;

/* Labels in ascending order, equal ones as they stand; component NULL: nodes alone. */
fb_status fb_ranked_new(fb_ranked **out, const int64_t *node, const int64_t *component, int64_t n,
                        fb_err *e) FB_CHECKED;
/* Where the first of that label stands in its list, -1: nowhere. */
int64_t fb_ranked_find(const fb_ranked *r, int64_t n, int64_t node, int64_t component);

/* Of displacement frames F, whose columns are a node's axes: u = F u_local of three values. */
int fb_frame_is_basic(const double F[9]);
void fb_frame_turn(const double F[9], double *x, double *y, double *z);

typedef struct {      /* one matrix as a file holds it */
    char name[80];    /* KAAX, STIF1, ...; "" where the format has no names */
    char origin[256]; /* file, for messages */
    char date[24];    /* of that file, as it says; or "" */
    fb_role role;
    fb_role
        /* what the file's name suggests (.sti, _MASS1.mtx); counts only where role is unknown */
        hint;
    int by_rank; /* rows without labels that follow the sorted node numbers of the deck, with equal
                             dofs each: they fit a deck of N nodes if the order is 3 N or 6 N
                              (Abaqus) */
    int condensed;  /* a substructure's: K R = 0 for a free body, see fb_substructure_check */
    fb_csc A;       /* upper: the format says symmetric, one half kept */
    double *imag;   /* [nnz] imaginary parts, or NULL */
    int64_t stored; /* entries in the file, explicit zeros and both halves counted; 0: not told */
    fb_labels row, col; /* col.node NULL: as the rows (square matrices) */
    /* the format lists every row of its job: matrices of one job have the same dofs */
    int every_row;
    int nonzero; /* it has entries (set by the assembly, which takes A) */
    int used;    /* it is K, M or D of the model, or named to be (set by the assembly) */
    int input;   /* which of the inputs it came from, from 1 (set by main, not by readers) */
} fb_matrix;

typedef struct { /* a named node (or dof) set of the input */
    char name[80];
    int64_t n, *node, *component; /* component NULL: all dofs of the nodes; else 1..6, 0 scalar */
} fb_set;

typedef struct {      /* a matrix chosen by the user: FILE[:NAME] */
    const char *text; /* as given; NULL: not chosen */
    const char *name; /* NULL: the only one of the input, or the only one of its role */
    int input;        /* as in fb_matrix */
} fb_choice;

typedef struct { /* one more term of a matrix that the user chose: A+B, A+0.5*B */
    int role;    /* 0 stiffness, 1 mass, 2 damping, 3 structural damping, 4 gyroscopic */
    fb_choice c;
    double factor;
} fb_addend;

typedef struct { /* the stiffness of the model under a load, which gives its geometric stiffness */
    fb_choice c;
    fb_geoload load;
    double unit; /* the value of its first number: Kg is (this stiffness - K)/unit */
} fb_loaded;
enum { FB_LOADS = 24 }; /* of them at the most */

typedef struct { /* the user's words on how parts become a model; zeroed: as the parts say */
    fb_choice stiffness, mass, damping, structural, gyroscopic;
    fb_addend *more; /* [nmore] borrowed */
    int nmore;
    fb_loaded *loaded; /* [nloaded] borrowed */
    int nloaded;
    int64_t dofs_per_node;  /* labels for matrices without: row r is node 1 + (r-1)/N */
    int force_symmetric;    /* average the halves of a matrix that is not symmetric */
    int unsymmetric;        /* keep the skew part of the stiffness beside its symmetric one */
    const char *interface;  /* list of dofs, see fb_dofset */
    fb_list rigid, average; /* NAME=SET@x,y,z */
    int far_frames;         /* their places may be farther from their sets than those are large */
} fb_how;

enum { FB_RANK_DECK = 6 }; /* orders of this rank and above are made of points, not stated */

typedef struct {      /* a dof order that a file gives for matrices without labels of their own */
    char name[80];    /* EXTRN, VAX, USET a-set, EQEXIN g-set, ... */
    char origin[256]; /* file */
    int rank;         /* of two orders of one length, the one of lower rank holds */
    int64_t n;
    fb_labels dof; /* [n] */
} fb_row_order;

typedef struct { /* u_slave = sum a u_term: the matrices are T'KT, with empty rows of the slaves */
    int64_t n, nterm, cap_n, cap_first, cap_term, cap_a;
    fb_labels slave, term; /* [n], [nterm] */
    int64_t *last;         /* [n] terms up to that equation */
    double *a;             /* [nterm] */
} fb_equations;

typedef struct { /* nodes, in any order, with repetitions */
    int64_t *node, n, cap;
} fb_nodelist;

typedef struct
{ /* an input that the user named: what it added (until all are read: what there was before it) */
    char name[256];
    int64_t matrices, tables, others; /* others: nodes, sets, orders of rows, bodies */
} fb_given;

typedef struct
{ /* CalculiX *RIGID BODY: components 1..3 of `rot` are the rotations 4..6 of `ref` */
    int64_t ref, rot;
} fb_rotnode;

typedef struct
{ /* solid nodes that CalculiX makes of one node of beams or shells (abaqus/expand.c) */
    int64_t node;
    int n;            /* 0: a knot, which moves as a rigid body */
    double r[8][3];   /* from the node, in the order of their numbers */
    double normal[3]; /* of a shell, about which nothing turns; 0: a beam */
    int64_t rot;      /* of a knot: components 1..3 of that node are its rotations */
} fb_stack;

typedef struct
{ /* nodes first .. last-1 of the parts come from a list that names its unit of length */
    int64_t first, last;
    char unit[24];
    double factor; /* to SI */
} fb_nodeunit;

/* Mode shapes as a file of results lists them (modes.c): begin a mode, then its nodes, translations
 * and rotations each; mass 0: not known. */
typedef struct {
    int64_t number, first; /* its first row */
    double hz, mass;
    int still; /* no mode: the answer to a static load */
} fb_mode_head;
typedef struct {
    int64_t n, nrow, cap_mode, cap_node, cap_v;
    fb_mode_head *mode; /* [n] */
    int64_t *node;      /* [nrow] */
    double *v;          /* [nrow,6] */
} fb_modes;

/* What a file of results says of a shape at its nodes. */
typedef enum { FB_MOVED, FB_STRESS, FB_STRAIN, FB_NRESULT } fb_result;

typedef struct {
    fb_model body; /* what modal formats fill directly: nodes, modes, units, ... */
    /* File (and date) of results whose modes are compared with matrices beside them; or "". */
    char results[280];
    int along_axes; /* shapes of the body are along the nodes' axes (frame) */
    /* What has no coordinates, and the remedy, where no input has any. */
    const char *no_places;
    fb_matrix *matrix;
    int64_t nmatrix, cap_matrix;
    fb_set *set;
    int64_t nset, cap_set;
    /* Node coordinates from decks (body.xyz is filled by the assembly). */
    int64_t nn, cap_node, cap_xyz, cap_frame;
    int64_t *node_id; /* [nn]   */
    double *xyz;      /* [nn,3] in the basic system */
    double *frame;    /* [nn,9] columns: axes of the node's displacement frame; NULL: basic */
    /* A dof table that comes in a file of its own (CalculiX .dof, Ansys .mapping, --dof-table). */
    fb_labels table;
    int64_t ntable;
    int table_used; /* it names rows of the model (set by the assembly) */
    fb_how how;
    fb_row_order *order; /* what fb_parts_label chooses from */
    int64_t norder, cap_order;
    fb_labels held; /* [nheld] dofs that a deck holds, component 0: all of the node */
    int64_t nheld, cap_held;
    fb_labels tied; /* [ntied] dofs that a deck lets follow others: matrices that a solver has
                     * condensed have no rows of them */
    int64_t ntied, cap_tied;
    int table_blocks; /* one row per node: a block of equal dofs 1.. each (Ansys node vector) */
    fb_rotnode *rot;
    int64_t nrot, cap_rot;
    fb_nodelist line,
        plane; /* of beams, trusses, shells and membranes; of plane and axisymmetric elements */
    fb_nodelist scalar; /* points of one dof: its component is 0, files write 1, too (Nastran) */
    fb_equations equations;
    fb_elements elements; /* for the faces */
    fb_stack *stack;      /* by ascending node */
    int64_t nstack, cap_stack;
    int expands; /* the table comes from a program that makes solids of these (CalculiX) */
    fb_given *given;
    int64_t ngiven, cap_given;
    fb_units input_units; /* --input-units; zeroed: not given */
    fb_nodeunit *list;    /* [nlist] */
    int64_t nlist, cap_list;
    /* Modes and static answers with their stress, in step: the shape, stress and strain of each. */
    fb_modes result[FB_NRESULT];
    int result_along_axes; /* their shapes are along the nodes' axes (frame); stress is basic */
    int stressed;        /* --stress: shapes are wanted as well (else stress of the body's modes) */
    int columns;         /* a file beside a model: 1: shapes without labels are columns of a matrix,
                          * 2: matrices are wanted by name, shapes among them */
    int modes_yield;     /* the modes of the body are results that stand back beside matrices */
    const char *part;    /* of the input, FILE:NAME; a reader that knows parts takes it: NULL */
    int include_outside; /* INCLUDE may leave the deck's folder (--include-outside) */
    int64_t nincluded;   /* files that decks have included so far */
} fb_parts;

void fb_parts_free(fb_parts *p);
/* The body of a modal format, empty but for the name of the format; its units have no names. */
fb_model *fb_parts_body(fb_parts *p, const char *format);
/* Its generalized stiffness and mass: columns 5 and 4 of the table of eigenvalues. */
fb_status fb_model_diagonal(fb_model *b, fb_err *e) FB_CHECKED;
fb_status fb_modes_begin(fb_modes *x, int64_t number, double hz, double mass, fb_err *e) FB_CHECKED;
fb_status fb_modes_row(fb_modes *x, int64_t node, const double v[6], fb_err *e) FB_CHECKED;
/* They become the body of p, which may empty x; its nodes take their places from the mesh. Beside
 * matrices they are left out with a note. */
fb_status fb_modes_body(fb_modes *x, fb_parts *p, const char *format, fb_log *log,
                        fb_err *e) FB_CHECKED;
/* The same of a file of results, whose modes are compared with matrices beside them: numbers that
 * do not ascend become 1, 2, ...; date: of the file, or ""; along_axes: of the nodes. */
fb_status fb_modes_results(fb_modes *x, fb_parts *p, const char *format, const char *file,
                           const char *date, int along_axes, fb_log *log, fb_err *e) FB_CHECKED;
void fb_modes_free(fb_modes *x);
/* The rows as they stand, or put in one order, become b->node_id and b->shape [n,nn,6]. */
fb_status fb_modes_fill(fb_modes *x, fb_model *b, fb_log *log, fb_err *e) FB_CHECKED;
/* stress.c: a shape of results begins, a mode or the answer to a static load (still); what is said
 * of it at a node: six values, stress and strain (of the tensor) xx yy zz xy xz yz. */
fb_status fb_result_begin(fb_parts *p, int64_t number, int still, fb_err *e) FB_CHECKED;
fb_status fb_result_row(fb_parts *p, fb_result what, int64_t node, const double v[6],
                        fb_err *e) FB_CHECKED;
/* The stress of the modes of a modal body b becomes its own, where all of its modes have it. */
fb_status fb_result_body(fb_parts *p, fb_model *b, fb_log *log, fb_err *e) FB_CHECKED;
/* The shapes with stress of p, results of the file `name`, stand beside the full model b. */
fb_status fb_result_join(fb_parts *p, const char *name, fb_model *b, fb_log *log,
                         fb_err *e) FB_CHECKED;
/* Does NAME, or NAME#2 for the second of that name, call this matrix? *seen, from 0, counts. */
int fb_matrix_called(const fb_matrix *m, const char *name, int64_t *seen);
/* A zeroed entry at the end of the list, owned by p. */
fb_status fb_parts_matrix(fb_parts *p, const char *name, const char *origin, fb_role role,
                          fb_matrix **out, fb_err *e) FB_CHECKED;
fb_status fb_parts_set(fb_parts *p, const char *name, fb_set **out, fb_err *e) FB_CHECKED;
/* Adds a node; frame [9] may be NULL. The same number twice is found by the assembly. */
fb_status fb_parts_node(fb_parts *p, int64_t id, const double xyz[3], const double *frame,
                        fb_err *e) FB_CHECKED;
/* What the title of a node list says about its unit of length, "X Location (mm)" or "x [m]", holds
 * for the nodes from `first` on; a title that names none says nothing. */
fb_status fb_parts_title(fb_parts *p, int64_t first, const char *title, const char *end,
                         fb_err *e) FB_CHECKED;
/* The input names these units; others than an input before it are an error. */
fb_status fb_parts_set_units(fb_parts *p, const fb_units *u, fb_err *e) FB_CHECKED;
/* The units that our text exports name in a comment of their first lines, "units kg, m, s, N";
 * other units than an input before has are an error. */
fb_status fb_parts_own_units(fb_parts *p, const fb_input *in, fb_err *e) FB_CHECKED;
/* Coordinates of lists that name another unit than the model's become the model's: that of
 * --input-units, else the one that the inputs name, else that of the first list, which then is the
 * model's. Call it once all files are read. */
void fb_parts_units(fb_parts *p, fb_log *log);
/* One more equation of n terms; labels are along the nodes' axes. */
fb_status fb_parts_equation(fb_parts *p, int64_t node, int64_t component, const int64_t *term_node,
                            const int64_t *term_component, const double *a, int64_t n,
                            fb_err *e) FB_CHECKED;
/* An empty order at the end of the list; the caller fills n and dof. */
fb_status fb_parts_order(fb_parts *p, const char *name, const char *origin, int rank,
                         fb_row_order **out, fb_err *e) FB_CHECKED;
/* The next input is this file; its matrices bear the number p->ngiven. */
fb_status fb_parts_given(fb_parts *p, const char *name, fb_err *e) FB_CHECKED;
/* What the name of a file suggests about the matrix in it. */
fb_role fb_role_of_file(const char *path);
/* The part of a path behind the last '/'. */
const char *fb_base_name(const char *path);
/* "KGG of job.op4", "KGG#2 of job.op4" where the input has several of that name, or the file's name
 * alone. */
void fb_matrix_name(const fb_parts *p, const fb_matrix *m, char *out, size_t n);
/* A := (A + A')/2 for a dense stiffness or mass: a warning beyond round-off; beyond what text
 * formats lose it is refused, unless `force`. name: record and meaning, for messages. */
fb_status fb_dense_symmetric(fb_mat *A, const char *name, int force, fb_log *log,
                             fb_err *e) FB_CHECKED;
/* Joins everything into one model; p is emptied of what the model takes. */
fb_status fb_parts_assemble(fb_parts *p, fb_model *b, fb_log *log, fb_err *e) FB_CHECKED;
#endif
