/* SPDX-License-Identifier: GPL-3.0-or-later */
/* ansys.h - a writer of Ansys binary files, record by record, and of whole .full, .rst, .mode and
 * .sub files (ansys.c). */
#ifndef FB_TEST_ANSYS_H
#define FB_TEST_ANSYS_H
#include "flexbody.h"

enum { TEST_INTS = 0x80, TEST_SHORTS = 0xc0, TEST_REALS = 0, TEST_FLOATS = 0x40 };

/* Both headers of a file of this kind; the second has `header` items, zeros but for the kind. */
void test_ans_begin(fb_buf *b, int kind, int header);
/* The mark of the end, its place in the first header, and padding. */
void test_ans_end(fb_buf *b);
/* A record with this body; the word it begins at. */
int64_t test_ans_record(fb_buf *b, unsigned flags, const fb_buf *body);
int64_t test_ans_ints(fb_buf *b, const int64_t *v, int64_t n);
int64_t test_ans_shorts(fb_buf *b, const int64_t *v, int64_t n);
int64_t test_ans_reals(fb_buf *b, const double *v, int64_t n);
/* Word where the next record will begin. */
int64_t test_ans_here(const fb_buf *b);
/* Item (from 1) of the header of the file; of the standard header; a word anywhere. */
void test_ans_item(fb_buf *b, int item, int64_t v);
void test_ans_standard(fb_buf *b, int item, int64_t v);
void test_ans_word(fb_buf *b, int64_t at, int64_t v);
/* Low and high halves of a pointer; hi 0: none. */
void test_ans_pointer(fb_buf *b, int lo, int hi, int64_t at);

typedef struct { /* an equation u_slave = constant + sum a u_row, rows from 1 */
    int64_t slave, n, row[4];
    double constant, a[4];
} test_ans_equation;

typedef struct { /* a .full; K, M, C [n,n] as they go to the file (only halves are looked at) */
    int64_t nodes, n, nlist, free; /* free: rows left in the solution */
    const int64_t *node, *each;    /* [nodes] numbers, dofs of each */
    const int64_t *list, *index;   /* [nlist], [n] signed */
    const double *imposed;         /* [n] or NULL: values of rows */
    const double *K, *M, *C;       /* M, C may be NULL */
    int64_t nequation;
    const test_ans_equation *equation;
    int kan, zeros; /* zeros: store them */
} test_ans_matrices;

void test_ans_full(fb_buf *b, const test_ans_matrices *m);

typedef struct {            /* an .rst */
    int64_t nodes;          /* of the geometry and of the results */
    const int64_t *node;    /* [nodes] order of the results */
    const double *place;    /* [nodes,6] x y z and angles, in that order */
    int64_t nelm, per;      /* elements of type 1, name `type`, nodes `per` each */
    const int64_t *element; /* [nelm,per] */
    int64_t type, nlist;
    const int64_t *list; /* dofs */
    int64_t nsets;
    const double *hz, *shape; /* [nsets], [nsets,nodes,nlist] */
    int kan, old, mapped;     /* old: headers of 40 items; mapped: numbers before the types */
    int64_t rows;             /* of each shape, 0: all nodes */
    const int64_t *where;     /* [rows] from 1: the nodes of the rows */
    const char *component;    /* of nodes: the first two; NULL: none */
} test_ans_results;

void test_ans_rst(fb_buf *b, const test_ans_results *m);
void test_ans_mode(fb_buf *b, const test_ans_results *m);

typedef struct {                   /* a .sub; K, M, C [n,n], of which M and C may be NULL */
    int64_t n, modes, nodes, each; /* nodes: with those of the modes; each: rows of a node */
    const int64_t *node;           /* [nodes] */
    const double *place;           /* [nodes,6] */
    const double *K, *M, *C;
    double mass, centre[3];
} test_ans_super;

void test_ans_sub(fb_buf *b, const test_ans_super *m);
#endif
