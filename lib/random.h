/* SPDX-License-Identifier: GPL-3.0-or-later */
/* random.h - numbers that look random (random.c). */
#ifndef FB_RANDOM_H
#define FB_RANDOM_H
#include <stdint.h>

uint64_t fb_mix(uint64_t k); /* spreads an index over 64 bits */
uint64_t fb_random_start(uint64_t seed);
/* Entries in (-1, 1), the same on every machine; the state goes on. */
void fb_random_fill(uint64_t *state, double *x, int64_t n);
#endif
