/* SPDX-License-Identifier: GPL-3.0-or-later */
/* h5.h - HDF5; only the files h5*.c include hdf5.h, ids are int64_t. */
#ifndef FB_H5_H
#define FB_H5_H
#include "status.h"
#include <stddef.h>
#include <stdint.h>

enum { FB_H5_MAXRANK = 4 };

typedef struct {
    char type; /* 'i' int64, 'd' double, 's' text of `width` bytes; written too: 'w' int64 in
                   * memory, int32 in the file, 'u' uint64 */
    int rank;
    int64_t dim[FB_H5_MAXRANK];
    size_t width;
} fb_h5shape;

/* HDF5 at work, for processes that are forked later; else the first file starts it. */
fb_status fb_h5_start(fb_err *e) FB_CHECKED;
/* Do the bytes begin as an HDF5 file does? */
int fb_is_hdf5(const void *data, size_t n);
/* Opens for reading; soft and external links are refused. A stream has exactly `size` bytes; -1:
 * the file of another program, which may have bytes before and behind its HDF5 data. */
fb_status fb_h5_open(int64_t *file, const char *path, int64_t size, const char *name,
                     fb_err *e) FB_CHECKED;
/* The same for what a program of ours has written in this run: no child process looks first. */
fb_status fb_h5_open_own(int64_t *file, const char *path, int64_t size, const char *name,
                         fb_err *e) FB_CHECKED;
/* A file that fb_h5_open has looked at already, in this run. */
fb_status fb_h5_reopen(int64_t *file, const char *path, fb_err *e) FB_CHECKED;
fb_status fb_h5_close(int64_t *file, fb_err *e) FB_CHECKED;
int fb_h5_exists(int64_t file, const char *path);
/* Attributes of an object; *v is left alone where there is none. */
fb_status fb_h5_get_text(int64_t file, const char *obj, const char *attr, char *v, size_t n,
                         fb_err *e) FB_CHECKED;
fb_status fb_h5_get_real(int64_t file, const char *obj, const char *attr, double *v, int64_t n,
                         fb_err *e) FB_CHECKED;
/* Calls fn for each member of a group, in the order of the names, until it fails. */
fb_status fb_h5_members(int64_t file, const char *group,
                        fb_status (*fn)(void *self, const char *name, int is_group, fb_err *e),
                        void *self, fb_err *e) FB_CHECKED;
/* Type 'i' or 'd', 'z' for complex numbers (a compound of real and imag), 0 for what is no number.
 * Data that cannot be in a file of file_size bytes are an error. */
fb_status fb_h5_foreign_shape(int64_t file, const char *path, int64_t file_size, fb_h5shape *sh,
                              fb_err *e) FB_CHECKED;
/* As fb_h5_read, to int64 ('i') or double ('d'), converted; 'z': part 0 real, 1 imaginary, as
 * double. */
fb_status fb_h5_foreign_read(int64_t file, const char *path, char type, int part, void *data,
                             fb_err *e) FB_CHECKED;
/* Versions of the libraries in one line, for --version. */
void fb_h5_version(char *out, size_t n);

/* ---- for stream.c and model.c ---- */

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
/* data NULL: room for it alone, which fb_h5_write_part fills. */
fb_status fb_h5_write(int64_t file, const char *path, const fb_h5shape *sh, const void *data,
                      fb_err *e) FB_CHECKED;
/* n elements from the at-th on, of type 'i' or 'd': whole rows of the first dimension. */
fb_status fb_h5_read_part(int64_t file, const char *path, char type, int64_t at, int64_t n,
                          void *data, fb_err *e) FB_CHECKED;
fb_status fb_h5_write_part(int64_t file, const char *path, char type, int64_t at, int64_t n,
                           const void *data, fb_err *e) FB_CHECKED;
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
/* Copies each object and each attribute of `in` that `out` has not yet, except those whose paths
 * `but` names; groups that both have are joined. Of a group that both have, attributes stay behind
 * that are references, lists of any length, or more texts than so small a file should hold. */
fb_status fb_h5_pass(int64_t in, int64_t out, const char *const *but, fb_err *e) FB_CHECKED;
#endif
