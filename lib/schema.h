/* SPDX-License-Identifier: GPL-3.0-or-later */
/* schema.h - the table of everything the stream can hold: one row a dataset. */
#ifndef SCHEMA_H
#define SCHEMA_H
#include "model.h"
#include "units.h"
#include <stdio.h>

typedef enum { /* sizes that many datasets share: rows of fb_dims[] */
               FB_NN = 1,
               FB_NDOF,
               FB_NB,
               FB_NM,
               FB_NF1,
               FB_NFI,
               FB_NS,
               FB_NR,
               FB_NC,
               FB_NA,
               FB_NK,
               FB_NRANKING,
               FB_NLOAD,
               FB_NRESIDUAL,
               FB_NCOMPARED,
               FB_NTRY,
               FB_NRIGID,
               FB_NMOTION,
               FB_NHELD,
               FB_NSET,
               FB_NSET1,
               FB_NSETNODE,
               FB_NBASIS,
               FB_NVECTOR,
               FB_NPOLE,
               FB_NSTRESSED,
               FB_NKG,
               FB_NKGDOF,
               FB_NFRAME,
               FB_NDIM
} fb_dim;

typedef struct {
    const char *name; /* as flexbody.5 prints it */
    size_t offset;    /* of the int64_t in fb_model */
} fb_dimrow;

typedef enum {            /* what a change of the unit of length does beyond `unit` */
               FB_PLAIN,  /* nothing                                                             */
               FB_HERTZ,  /* nothing: Hz in every unit system                                    */
               FB_SHAPE6, /* last index runs over 3 translations [length] and 3 rotations [1]    */
               FB_BYDOF,  /* last index runs over /dofs: translations [length], rotations [1]    */
               /* /recovery/G: unit of the dof of the row over that of the column */
               FB_RECOVERY,
               FB_PAIRED, /* /full matrix: unit over (dof unit of the row x of the column)       */
               /* columns: time^-2, Hz, time^-1, mass length^2, mass length^2 time^-2 */
               FB_EIGENTABLE,
               /* columns: 3 sqrt(mass), or also 3 sqrt(mass) length */
               FB_SQRTMASS6,
               FB_MASS6,  /* columns: 3 mass, or also 3 mass length^2                            */
               FB_MASS66, /* [6,6] mass, mass length, mass length^2                              */
               /* last index runs over /dofs: unit over that of the dof (forces, moments) */
               FB_PERDOF,
               FB_BYLOAD,   /* row k: of a unit load the unit of its dof, else `unit` */
               FB_STATTABLE /* columns: length, rotation [1], force length^-2; others unknown */
} fb_unitrule;

typedef enum {            /* what a move of the body (move.c) does to a dataset */
               FB_UNSAID, /* a row without an answer, which no table has */
               FB_STAYS,  /* nothing: it holds no place and no direction */
               /* its indices over axes, dofs and coordinates turn; the same, of an axial vector */
               FB_TURNS,
               FB_TURNS_AXIAL,
               /* the same of integrals over positions, which know the origin, too */
               FB_INTEGRAL,
               FB_INTEGRAL_AXIAL,
               FB_STATED,   /* inertia about the origin as Adams signs it */
               FB_PLACE,    /* positions */
               FB_AXES,     /* columns are the axes of a frame */
               FB_LABELS,   /* components of dofs: where they point to now */
               FB_FINDINGS, /* the same where that is an axis, else 0: not known */
               FB_DOFS,     /* positions in /dofs, which follow their directions */
               FB_OUTWARD,  /* faces, seen from outside after a mirror, too */
               FB_STRESSES, /* last index: xx yy zz xy xz yz; coordinates as in FB_TURNS */
               FB_WORST,    /* of each coordinate: the largest of those it is made of */
               FB_SQUARES,  /* of the axes: weighed by the squares of the direction cosines */
               FB_MOTIONS,  /* indices over rigid motions: about the new origin */
               FB_PROGENY,  /* made again: the squares of /participation/factor */
               FB_BOUNDS,   /* of each rigid motion: the largest of those it is made of */
               FB_INPUT,    /* the body's axes in those of the input, which stay */
               FB_LARGEST   /* statistics: magnitudes stay, what belongs to an axis is not known */
} fb_moverule;

typedef struct {
    const char *path;
    /* 'i' int64, 'd' double, 's' bytes of texts (the last size is that of each), 'c' sparse matrix
     * in compressed columns */
    char type;
    size_t offset;              /* of the pointer, or the fb_csc, in fb_model */
    signed char dim[4];         /* an fb_dim, or minus a fixed size; ends at 0 */
    signed char unit[FB_NUNIT]; /* exponents of mass, length, time, force */
    fb_unitrule rule;
    fb_moverule move;
    const char *doc;
} fb_row;

typedef struct {
    const char *object, *name;
    size_t offset, size; /* text field of fb_model */
    const char *doc;
} fb_textrow;

extern const fb_dimrow fb_dims[];
extern const fb_row fb_rows[];
extern const fb_textrow fb_texts[];
extern const int fb_nrows, fb_ntexts;

int64_t *fb_dim_of(fb_model *b, int dim);
/* Bytes of the datasets whose paths begin with one of `what` (NULL: all). */
int64_t fb_model_bytes(const fb_model *b, const char *const *what);
/* How many numbers a row holds in this model. */
int64_t fb_row_count(const fb_model *b, const fb_row *r);
/* "kg m^2", "m; rad", ... as the attribute `units` says it. */
void fb_row_units(const fb_row *r, const fb_units *u, char *out, size_t n);
/* Does path begin with one of the prefixes (NULL: any)? */
int fb_path_in(const char *path, const char *const *prefix);
/* Datasets of the root that linkexport --mbsim makes of the others: who writes a stream anew leaves
 * those of its input behind. Ends with NULL. */
extern const char *const fb_derived[];
/* The first words of all paths of the table, "/nodes" and the like; ends with NULL. */
const char *const *fb_schema_groups(void);
/* The DATASETS section of flexbody.5. */
void fb_schema_man(FILE *f);
#endif
