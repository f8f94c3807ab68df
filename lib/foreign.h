/* SPDX-License-Identifier: GPL-3.0-or-later */
/* foreign.h - HDF5 files of other programs (h5.c). */
#ifndef FB_FOREIGN_H
#define FB_FOREIGN_H
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

/* Do the bytes begin as an HDF5 file does? */
int fb_is_hdf5(const void *data, size_t n);
/* Opens for reading; soft and external links are refused. A stream has exactly `size` bytes; -1:
 * the file of another program, which may have bytes before and behind its HDF5 data. */
fb_status fb_h5_open(int64_t *file, const char *path, int64_t size, const char *name,
                     fb_err *e) FB_CHECKED;
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
#endif
