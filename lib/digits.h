/* SPDX-License-Identifier: GPL-3.0-or-later */
/* digits.h - eight bytes of text at a time, for num.c and readers whose files are long. */
#ifndef FB_DIGITS_H
#define FB_DIGITS_H
#include <stdint.h>

/* The byte eight times. */
#define FB_EACH(byte) (UINT64_C(0x0101010101010101) * (byte))

/* Eight bytes, the first in the lowest place; compilers make this one load. */
static inline __attribute__((always_inline)) uint64_t fb_load8(const char *s)
{
    const unsigned char *u = (const unsigned char *)s;
    return (uint64_t)u[0] | (uint64_t)u[1] << 8 | (uint64_t)u[2] << 16 | (uint64_t)u[3] << 24 |
           (uint64_t)u[4] << 32 | (uint64_t)u[5] << 40 | (uint64_t)u[6] << 48 |
           (uint64_t)u[7] << 56;
}

/* Bit 7 of each byte of t that is no digit value 0..9. A carry out of a byte that is none can only
 * spoil bytes behind it, and only the first matters. */
static inline __attribute__((always_inline)) uint64_t fb_no_digits(uint64_t t)
{
    return ((t + FB_EACH(0x76)) | t) & FB_EACH(0x80);
}

/* The number of eight digit values, the first in the lowest byte: pairs, then all four pairs by two
 * multiplications [Lemire]. */
static inline uint64_t fb_eight_digits(uint64_t t)
{
    const uint64_t pair = 0x000000ff000000ff;
    t = t * 10 + (t >> 8);
    t = (t & pair) * (100 + (UINT64_C(1000000) << 32)) +
        ((t >> 16) & pair) * (1 + (UINT64_C(10000) << 32));
    return t >> 32;
}

/* The number of 1 to 7 digits at p, of which 8 bytes can be read, and the byte behind them; else
 * NULL. */
static inline __attribute__((always_inline)) const char *fb_scan_few(const char *p, uint64_t *w)
{
    const uint64_t t = fb_load8(p) ^ FB_EACH('0'), other = fb_no_digits(t);
    const int n = other ? __builtin_ctzll(other) / 8 : 8;
    if (n == 0 || n == 8)
        return (const char *)0;
    *w = fb_eight_digits(t << (64 - 8 * n));
    return p + n;
}
#endif
