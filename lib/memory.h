/* SPDX-License-Identifier: GPL-3.0-or-later */
/* memory.h - the allocator (mem.c). */
#ifndef FB_MEMORY_H
#define FB_MEMORY_H
#include "status.h"
#include <stddef.h>
#include <stdint.h>

/* Zeroed memory for n elements of size bytes; NULL on overflow or lack of memory. */
void *fb_alloc(size_t n, size_t size);
/* Grows or shrinks p to n elements; the old block stays valid when NULL is returned. */
void *fb_realloc(void *p, size_t n, size_t size);
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

extern long fb_alloc_fail_after; /* tests: < 0 never fail, k: k more succeed, then fail */

/* GiB of memory that the machine has available now; 0 where it does not say. */
double fb_memory_available(void);
/* GiB that the process has in memory now; 0 where the system does not say. */
double fb_memory_used(void);
#endif
