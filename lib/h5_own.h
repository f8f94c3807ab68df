/* SPDX-License-Identifier: GPL-3.0-or-later */
/* h5_own.h - what the files that know HDF5 share (h5.c). */
#ifndef FB_H5_OWN_H
#define FB_H5_OWN_H
#include "status.h"
#include <stdint.h>

/* No dimension is larger, not even that of an empty dataset, whose product says nothing. */
#define FB_H5_MOST (UINT64_C(1) << 56)
/* What HDF5 gave is no good: FB_EFORMAT, FB_ESYS where it lacks memory. */
fb_status fb_h5_refuse(fb_err *e, const char *fmt, ...) FB_PRINTF(2, 3);
#ifdef __clang_analyzer__ /* which then knows that what failed is not FB_OK */
#define fb_h5_refuse(e, ...) ((void)(fb_h5_refuse)((e), __VA_ARGS__), FB_EFORMAT)
#endif
/* FB_ESYS: what was not written, and why. */
fb_status fb_h5_failed(fb_err *e, const char *what, const char *path);
/* An attribute as it is in the file. value [points of space]; NULL: none, or not read, as
 * references, which point to nothing elsewhere, and lists of any length are not. */
typedef struct {
    int64_t type, space;
    int is_read;
    void *value, *large; /* large: owned, NULL: value is small */
    double small[512];
} fb_h5attr;
/* 0: it cannot be read. fb_h5_attr_free either way. */
int fb_h5_attr_read(int64_t obj, const char *name, fb_h5attr *v);
void fb_h5_attr_free(fb_h5attr *v);
/* Closes what an id stands for; one that was refused is negative. */
void fb_h5_drop(int64_t id);
#endif
