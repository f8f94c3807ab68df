/* SPDX-License-Identifier: GPL-3.0-or-later */
/* numpy.h - arrays of NumPy, and what Python pickles of them (numpy.c, pickle.c, exudyn.c). */
#ifndef NUMPY_H
#define NUMPY_H
#include "mat.h"
#include "status.h"
#include <stdint.h>

typedef struct {
    char name[64];
    char kind; /* f i u b c; S U text; O objects; 0: another */
    int bytes, little, fortran, rank;
    int64_t m, n; /* a vector is a column */
    const unsigned char *data;
    int64_t left; /* bytes there are */
} fb_np_array;

/* Kind and bytes of "<f8", or of "f8" in the order of this machine; unknown ones leave kind 0. */
void fb_np_type(fb_np_array *a, const char *type, int64_t n);
int fb_np_is_numeric(const fb_np_array *a);
/* The numbers, column by column; *im NULL where they are real. */
fb_status fb_np_numbers(const fb_np_array *a, double **re, double **im, fb_err *e) FB_CHECKED;

/* The variable of that name is this array. */
fb_status fb_np_give(fb_mat_file *r, const fb_np_array *a, fb_err *e) FB_CHECKED;

/* ---- pickles ---------------------------------------------------------------------------- */

typedef enum {
    FB_PY_NONE,
    FB_PY_INT,
    FB_PY_REAL,
    FB_PY_TEXT,    /* text and bytes */
    FB_PY_LIST,    /* lists and tuples */
    FB_PY_DICT,    /* items: key, value, ... */
    FB_PY_GLOBAL,  /* a name of Python that is allowed */
    FB_PY_TYPE,    /* a dtype of NumPy */
    FB_PY_ARRAY,   /* an array of numbers */
    FB_PY_OBJECTS, /* an array of objects: value i is a list of them */
    FB_PY_SPARSE,  /* a csr matrix of SciPy; its one item is the dict of its parts */
    FB_PY_OPAQUE   /* something of Exudyn's own, of which nothing is used */
} fb_py_kind;

typedef struct {
    fb_py_kind kind;
    int64_t i; /* INT; which GLOBAL; TYPE and ARRAY: number of the array */
    double x;  /* REAL */
    const unsigned char *p;
    int64_t n; /* TEXT: bytes at p, borrowed; members: how many items */
    int32_t *item;
    int64_t cap;
} fb_py_value;

typedef struct { /* all values of a file; a value is a number into them */
    fb_py_value *v;
    int64_t n, cap;
    fb_np_array *array;
    int64_t narray, cap_array;
} fb_py;

/* Reads one pickle from *p on, and moves *p behind it. What calls anything but what makes arrays
 * and sparse matrices is refused by name: nothing of a pickle is ever run. Values may hold each
 * other in circles: walk them to a known depth. */
fb_status fb_py_load(fb_py *t, const unsigned char **p, const unsigned char *end, int32_t *root,
                     fb_err *e) FB_CHECKED;
fb_status fb_py_array(fb_py *t, const fb_np_array *a, int32_t *out, fb_err *e) FB_CHECKED;
/* A list, tuple or array of objects as a list; NULL: it is none. */
const fb_py_value *fb_py_list(const fb_py *t, int32_t k);
/* The value of a key of a dict, or -1; of large dicts, which many values may share, always. */
int32_t fb_py_get(const fb_py *t, int32_t dict, const char *key);
void fb_py_free(fb_py *t);

/* Matrices and arrays under `name`, of a dict under their keys. */
fb_status fb_py_give(fb_mat_file *r, const fb_py *t, const char *name, int32_t k,
                     fb_err *e) FB_CHECKED;

/* ---- Exudyn ----------------------------------------------------------------------------- */

enum {
    FB_EXU_NODES,
    FB_EXU_ELEMENTS,
    FB_EXU_MASS,
    FB_EXU_STIFFNESS,
    FB_EXU_NODE_SETS,
    FB_EXU_MODE_BASIS,
    FB_EXU_FIELDS
};
extern const char *const fb_exu_name[FB_EXU_FIELDS];
/* A model of Exudyn's FEMinterface; field -1: the file has none. */
fb_status fb_exu_give(fb_mat_file *r, const fb_py *t, const int32_t field[FB_EXU_FIELDS],
                      fb_err *e) FB_CHECKED;
/* Arrays of a .npy one after the other, as FEMinterface.SaveToFile writes them, or one object. */
fb_status fb_exu_sequence(fb_mat_file *r, const fb_input *in, fb_err *e) FB_CHECKED;
/* The head of an array at d: its bytes are at a->data; of objects a pickle stands there. */
fb_status fb_np_parse(const unsigned char *d, int64_t size, fb_np_array *a, fb_err *e) FB_CHECKED;
/* Row, column (from 0) and value of each entry become a matrix; those of one place are added up. */
typedef struct {
    int64_t m, n, nnz, *row, *column;
    double *re, *im;
} fb_np_entries;
fb_status fb_np_give_entries(fb_mat_file *r, const char *name, const fb_np_entries *t,
                             fb_err *e) FB_CHECKED;
/* Of compressed rows: indptr, indices, data, shape, whose sizes are not to be trusted. */
fb_status fb_np_compressed(fb_mat_file *r, const char *name, const fb_np_array *ptr,
                           const fb_np_array *index, const fb_np_array *data, const int64_t size[2],
                           int by_row, fb_err *e) FB_CHECKED;
#endif
