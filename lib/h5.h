/* SPDX-License-Identifier: GPL-3.0-or-later */
/* h5.h - what stream.c and model.c want of HDF5. Only h5.c includes hdf5.h; ids are int64_t. */
#ifndef H5_H
#define H5_H
#include "flexbody.h"

enum { FB_H5_MAXRANK = 4 };

typedef struct {
    char    type; /* 'i' int64, 'd' double, 's' text of `width` bytes */
    int     rank;
    int64_t dim[FB_H5_MAXRANK];
    size_t  width;
} fb_h5shape;

/* Opens a file of `size` bytes for reading; only hard links and plain (contiguous or compact)
 * datasets are accepted. */
fb_status fb_h5_open(int64_t *file, const char *path, int64_t size, const char *name,
                     fb_err *e) FB_CHECKED;
fb_status fb_h5_create(int64_t *file, const char *path, fb_err *e) FB_CHECKED;
fb_status fb_h5_close(int64_t *file, fb_err *e) FB_CHECKED;
int       fb_h5_exists(int64_t file, const char *path);
fb_status fb_h5_shape_of(int64_t file, const char *path, fb_h5shape *sh, fb_err *e) FB_CHECKED;
/* Reads all of a dataset into memory of the caller's, sized after fb_h5_shape_of. */
fb_status fb_h5_read(int64_t file, const char *path, const fb_h5shape *sh, void *data, fb_err *e) FB_CHECKED;
fb_status fb_h5_write(int64_t file, const char *path, const fb_h5shape *sh, const void *data,
                      fb_err *e) FB_CHECKED;
fb_status fb_h5_group(int64_t file, const char *path, fb_err *e) FB_CHECKED;
/* Attributes of an object. The readers leave *v alone where there is none. */
fb_status fb_h5_put_text(int64_t file, const char *obj, const char *attr, const char *v, fb_err *e) FB_CHECKED;
fb_status fb_h5_put_real(int64_t file, const char *obj, const char *attr, const double *v, int64_t n,
                         fb_err *e) FB_CHECKED;
fb_status fb_h5_get_text(int64_t file, const char *obj, const char *attr, char *v, size_t n, fb_err *e) FB_CHECKED;
fb_status fb_h5_get_real(int64_t file, const char *obj, const char *attr, double *v, int64_t n,
                         fb_err *e) FB_CHECKED;
/* Copies each object of the root of `in`, and each root attribute, that `out` has not yet and
 * that `but` does not name. */
fb_status fb_h5_pass(int64_t in, int64_t out, const char *const *but, fb_err *e) FB_CHECKED;
#endif
