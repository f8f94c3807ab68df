/* SPDX-License-Identifier: GPL-3.0-or-later */
/* memory.h - the allocator (mem.c). */
#ifndef FB_MEMORY_H
#define FB_MEMORY_H
#include "status.h"
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

/* Zeroed memory for n elements of size bytes; NULL on overflow or lack of memory. */
void *fb_alloc(size_t n, size_t size);
/* Grows or shrinks p to n elements; the old block stays valid when NULL is returned. */
void *fb_realloc(void *p, size_t n, size_t size);
/* p with its first n elements; the rest is given back, where the system takes it. Never fails. */
void *fb_shorter(void *p, size_t n, size_t size);
/* *(void **)pp = fb_alloc(n, size), or a message that names what and the size wanted. */
fb_status fb_new(void *pp, int64_t n, size_t size, const char *what, fb_err *e) FB_CHECKED;
#define FB_NEW(pp, n, e) fb_new((pp), (n), sizeof **(pp), #pp, (e))
#ifdef __clang_analyzer__ /* which does not see a pointer that is written through memcpy */
#define fb_new(pp, n, size, what, e) \
    ((*(pp) = fb_alloc((size_t)(n), (size))) ? FB_OK : fb_fail((e), FB_ESYS, "%s", (what)))
#endif
/* The same, with a copy of the n elements at `from` (NULL where n is 0). */
fb_status fb_copy(void *pp, const void *from, int64_t n, size_t size, const char *what,
                  fb_err *e) FB_CHECKED;
/* Makes room for at least want elements in *(void **)pp, doubling *cap. */
fb_status fb_grow(void *pp, int64_t *cap, int64_t want, size_t size, fb_err *e) FB_CHECKED;

/* FB_FREE(p, q): frees one to eight pointers and makes each NULL: nothing is freed twice.
 * FB_FREE_BY(fb_mat_free, &A, &B): what has a function of its own for it, in this order. */
#define FB_FREE(...)   FB_FREE_BY(FB_FREE_ONE, __VA_ARGS__)
#define FB_FREE_ONE(p) (free(p), (p) = NULL)
#define FB_FREE_BY(f, ...) \
    FB_NINTH(__VA_ARGS__, FB_BY8, FB_BY7, FB_BY6, FB_BY5, FB_BY4, FB_BY3, FB_BY2, \
             FB_BY1, )(f, __VA_ARGS__)
#define FB_NINTH(a1, a2, a3, a4, a5, a6, a7, a8, ninth, ...) ninth
#define FB_BY1(f, p)                                         f(p)
#define FB_BY2(f, p, ...)                                    (f(p), FB_BY1(f, __VA_ARGS__))
#define FB_BY3(f, p, ...)                                    (f(p), FB_BY2(f, __VA_ARGS__))
#define FB_BY4(f, p, ...)                                    (f(p), FB_BY3(f, __VA_ARGS__))
#define FB_BY5(f, p, ...)                                    (f(p), FB_BY4(f, __VA_ARGS__))
#define FB_BY6(f, p, ...)                                    (f(p), FB_BY5(f, __VA_ARGS__))
#define FB_BY7(f, p, ...)                                    (f(p), FB_BY6(f, __VA_ARGS__))
#define FB_BY8(f, p, ...)                                    (f(p), FB_BY7(f, __VA_ARGS__))

extern long fb_alloc_fail_after; /* tests: < 0 never fail, k: k more succeed, then fail */

/* GiB of memory that the machine has available now, or the process has kept; 0 where it does not
 * say. */
double fb_memory_available(void);
/* GiB that the process uses now, without what it keeps; 0 where the system does not say. */
double fb_memory_used(void);
/* From here on memory that is freed is kept for the next that asks: pages are given, and zeroed,
 * once. For a program that needs most memory late. */
void fb_memory_keep(void);
/* The pages of a part of a block are given back, large ones whole: its values are lost. */
void fb_memory_release(void *p, size_t bytes);
/* What was freed and stayed is given back: before a block that no gap of it is wide enough for. */
void fb_memory_trim(void);
#endif
