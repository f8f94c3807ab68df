/* SPDX-License-Identifier: GPL-3.0-or-later */
/* h5.h - what stream.c and model.c want of HDF5. Only h5.c and h5_driver.c include hdf5.h; ids are
 * int64_t. */
#ifndef H5_H
#define H5_H
#include "foreign.h"
#include "status.h"

int64_t fb_h5_size(int64_t file);
/* Fails once HDF5 has lacked memory: an object may then seem to be absent. */
fb_status fb_h5_sound(fb_err *e) FB_CHECKED;
/* Makes the empty file fd (which stays the caller's) an HDF5 file; one at a time. before: bytes in
 * front of the HDF5 data, which the caller fills (0, 512, 1024, ...). */
fb_status fb_h5_create(int64_t *file, int fd, int64_t before, fb_err *e) FB_CHECKED;
/* h5_driver.c: makes fapl write to fd; errno of the first write that failed since, or 0. */
int fb_h5_drive(int64_t fapl, int fd);
int fb_h5_failure(void);
/* One more name for an object of the file. */
fb_status fb_h5_link(int64_t file, const char *path, const char *name, fb_err *e) FB_CHECKED;
fb_status fb_h5_shape_of(int64_t file, const char *path, fb_h5shape *sh, fb_err *e) FB_CHECKED;
/* Reads all of a dataset into memory of the caller's, sized after fb_h5_shape_of. */
fb_status fb_h5_read(int64_t file, const char *path, const fb_h5shape *sh, void *data,
                     fb_err *e) FB_CHECKED;
fb_status fb_h5_write(int64_t file, const char *path, const fb_h5shape *sh, const void *data,
                      fb_err *e) FB_CHECKED;
fb_status fb_h5_group(int64_t file, const char *path, fb_err *e) FB_CHECKED;
/* Attributes of an object. */
fb_status fb_h5_put_text(int64_t file, const char *obj, const char *attr, const char *v,
                         fb_err *e) FB_CHECKED;
fb_status fb_h5_put_ascii(int64_t file, const char *obj, const char *attr, const char *v,
                          fb_err *e) FB_CHECKED;
fb_status fb_h5_put_string(int64_t file, const char *obj, const char *attr, const char *v,
                           fb_err *e) FB_CHECKED;
fb_status fb_h5_put_count(int64_t file, const char *obj, const char *attr, int64_t v,
                          fb_err *e) FB_CHECKED;
fb_status fb_h5_put_real(int64_t file, const char *obj, const char *attr, const double *v,
                         int64_t n, fb_err *e) FB_CHECKED;
/* Copies each object and each attribute of `in` that `out` has not yet, except those of the root
 * that `but` names; groups that both have are joined. */
fb_status fb_h5_pass(int64_t in, int64_t out, const char *const *but, fb_err *e) FB_CHECKED;
#endif
