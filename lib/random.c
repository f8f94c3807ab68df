/* SPDX-License-Identifier: GPL-3.0-or-later */
/* random.c - numbers that look random and are the same on every machine: splitmix64.
 *
 * Source   Steele, Lea, Flood, OOPSLA 2014, 453-472
 */
#include "random.h"

static const uint64_t GOLDEN = 0x9e3779b97f4a7c15u; /* 2^64 over the golden ratio, odd */

uint64_t fb_mix(uint64_t k)
{
    uint64_t z = k + GOLDEN;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return z ^ (z >> 31);
}

uint64_t fb_random_start(uint64_t seed)
{
    return seed * GOLDEN + 0x1234567u;
}

void fb_random_fill(uint64_t *state, double *x, int64_t n)
{
    for (int64_t k = 0; k < n; k++, *state += GOLDEN)
        x[k] =
            (double)(fb_mix(*state) >> 11) / 4503599627370496. - 1; /* 53 bits over 2^52, minus 1 */
}
