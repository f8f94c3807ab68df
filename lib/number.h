/* SPDX-License-Identifier: GPL-3.0-or-later */
/* number.h - numbers in text (num.c). */
#ifndef FB_NUMBER_H
#define FB_NUMBER_H
#include <stdint.h>

/* Reads one real at p (no leading blanks), correctly rounded: 1 1. .5 1e5 1D+5 1.0+5, signs.
 * Returns the first byte behind it, or NULL where there is none. NaN and Inf are not numbers. */
const char *fb_scan_real(const char *p, const char *end, double *x);
/* Reads reals with commas between from p to the end, no blanks: how many, at most `most`; -1 where
 * there is anything else. */
int fb_scan_reals(const char *p, const char *end, double *x, int most);
/* Reads one integer at p (no leading blanks); NULL where there is none or it overflows. */
const char *fb_scan_int(const char *p, const char *end, int64_t *k);
/* "row column value" with one blank between and the value as tables have it,
 * [-]digits.digits[E+dd]: quick for the lines of a matrix. NULL for any other look, and near end:
 * the two calls above then have to look. i, j and x may be written anyway. */
const char *fb_scan_triple(const char *p, const char *end, int64_t *i, int64_t *j, double *x);
extern int fb_scan_plain; /* for tests: 1 uses no instruction that only some processors have */
#endif
