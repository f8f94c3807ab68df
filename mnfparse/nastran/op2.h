/* SPDX-License-Identifier: GPL-3.0-or-later */
/* op2.h - what the two halves of the OUTPUT2 reader share: framing (op2.c), contents of tables
 * (op2_tables.c). */
#ifndef OP2_H
#define OP2_H
#include "nastran.h"
#include <string.h>

typedef struct {           /* tables of one superelement, or of the model */
    int64_t *eqexin, *sil; /* [npoint,2] id and internal number; id and 10 SIL + type */
    int64_t npoint, nsil;
    int64_t *bgpdt; /* [nbg,3] CD, SIL, id (0, 0 in the old layout) */
    double *xyz;    /* [nbg,3] basic */
    int64_t nbg;
    int64_t *cstm; /* [ncstm,2] id, type */
    double *axes;  /* [ncstm,12] origin, T by rows */
    int64_t ncstm;
    int64_t *uset, nuset; /* [nuset] bit masks in SIL order */
} op2_group;

typedef struct {
    char name[17], inner[17]; /* of the block; of its header record */
    int64_t trailer[7];
} op2_block;

typedef struct {
    const unsigned char *data;
    size_t size; /* bytes */
} op2_record;

typedef struct { /* eigenvectors (op2_modes.c) */
    fb_modes x;
    char block[17]; /* that they come from */
    int kind;       /* of the record at hand */
    int open;       /* the block at hand is the first with eigenvectors */
    double *mass;   /* [nmass,3] LAMA: mode, eigenvalue, generalized mass */
    int64_t nmass, cap_mass;
    int64_t scalar, complex, buckling, left; /* values and shapes that are not taken */
    fb_modes still;                          /* static answers, by subcase */
    fb_modes *to;                            /* where the rows at hand go */
} op2_shapes;

typedef struct { /* stress of solids (op2_stress.c), corner by corner */
    fb_modes x;
    int corners;   /* of the elements at hand; 0: they are not taken */
    int64_t other; /* heads that are not taken */
} op2_stresses;

typedef struct {
    fb_cursor c;
    int w;     /* bytes of a word: 4 or 8 */
    size_t at; /* of the record last read */
    nas_sink sink;
    nas_points bulk;  /* from GEOM1, GEOM2, GEOM4: cards */
    nas_points basic; /* from BGPDT and CSTM */
    nas_dmig dmig;
    op2_shapes shapes;
    op2_stresses stress;
    op2_group g;
    int64_t ngroup;
    char (*directory)[17]; /* XSOP2DIR: names of the blocks that are all called EXTDB */
    int64_t ndirectory, cap_directory, next;
} op2_file;

/* n bytes; word k of a record; a real number of 4 or 8 bytes in it. */
static inline uint64_t op2_word(const unsigned char *p, int n, int little)
{
    uint64_t v = 0;
    for (int k = 0; k < n; k++)
        v = v << 8 | p[little ? n - 1 - k : k];
    return v;
}

static inline int64_t op2_int(const op2_file *f, op2_record r, size_t k)
{
    uint64_t v = op2_word(r.data + k * (size_t)f->w, f->w, f->c.little);
    return f->w == 4 ? (int32_t)(uint32_t)v : (int64_t)v;
}

static inline double op2_real(const op2_file *f, op2_record r, size_t byte, int bytes)
{
    uint64_t v = op2_word(r.data + byte, bytes, f->c.little);
    uint32_t v4 = (uint32_t)v;
    float single;
    double x;
    memcpy(&single, &v4, 4);
    memcpy(&x, &v, 8);
    return bytes == 4 ? (double)single : x;
}

/* Is the block a table that is read? */
int op2_wanted(const char *name);
/* Record number k (0, 1, ...) of the block. */
fb_status op2_table(op2_file *f, const op2_block *b, int64_t k, op2_record r, fb_err *e) FB_CHECKED;
/* A record of GEOM2 behind its codes: elements (op2_elements.c); others are passed over. */
fb_status op2_elements(op2_file *f, int64_t a, int64_t b, op2_record r, fb_err *e) FB_CHECKED;
/* Eigenvectors and the eigenvalues with their masses (op2_modes.c): is the block one of theirs? */
int op2_has_modes(const char *name);
/* Its record number k: heads and data in turn. */
fb_status op2_modes(op2_file *f, const op2_block *b, int64_t k, op2_record r, fb_err *e) FB_CHECKED;
/* The same of the stress of solids; hands it over with the shapes, before these are. */
int op2_has_stress(const char *name);
fb_status op2_stress(op2_file *f, int64_t k, op2_record r, fb_err *e) FB_CHECKED;
fb_status op2_stress_finish(op2_file *f, fb_err *e) FB_CHECKED;
void op2_stress_free(op2_file *f);
/* Hands them to the parts. */
fb_status op2_modes_finish(op2_file *f, fb_err *e) FB_CHECKED;
void op2_modes_free(op2_file *f);
/* Hands the last group, the points and the DMIG matrices to the parts. */
fb_status op2_tables_finish(op2_file *f, fb_err *e) FB_CHECKED;
void op2_tables_free(op2_file *f);
#endif
