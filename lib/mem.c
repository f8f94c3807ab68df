/* SPDX-License-Identifier: GPL-3.0-or-later */
/* mem.c - the only allocator; counts down to a failure for the out-of-memory tests.
 *
 * Memory is given at its first touch, page by page: at 4 kB a page that takes as long as the
 * arithmetic of a factor where the machine is a virtual one. Large blocks ask for pages of 2 MB,
 * which Linux gives on demand. What is freed can stay with the process (fb_memory_keep): a factor,
 * its count and the vectors between them then have the same pages.
 */
#define _DEFAULT_SOURCE /* madvise */
#include "memory.h"
#include "status.h"
#include <malloc.h>
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>

enum {
    PAGE = 2 << 20,   /* bytes of a large page                                      */
    LARGE = 2 * PAGE, /* bytes that ask for them: two pages, or one in the middle */
    RESERVE = 32      /* times its size that a long list may grow to in its place */
};

long fb_alloc_fail_after = -1;

static int told_to_fail(void)
{
    return fb_alloc_fail_after >= 0 && fb_alloc_fail_after-- == 0;
}

/* The advice is for all of the block's own mapping, where it has one: realloc moves what is of one
 * kind only. Where it is not taken nothing is lost but time. */
static void *large_pages(void *p, size_t bytes)
{
#ifdef MADV_HUGEPAGE
    uintptr_t page = (uintptr_t)sysconf(_SC_PAGESIZE), from = (uintptr_t)p / page * page;
    if (p && bytes >= LARGE)
        (void)madvise((void *)from, (uintptr_t)p + malloc_usable_size(p) - from, MADV_HUGEPAGE);
#endif
    return p;
}

void fb_memory_release(void *p, size_t bytes)
{
#ifdef MADV_DONTNEED
    const uintptr_t from = ((uintptr_t)p + PAGE - 1) / PAGE * PAGE,
                    end = ((uintptr_t)p + bytes) / PAGE * PAGE;
    if (p && end > from)
        (void)madvise((void *)from, end - from, MADV_DONTNEED);
#else
    (void)p;
    (void)bytes;
#endif
}

#if defined __GLIBC__ && __GLIBC_PREREQ(2, 33)
void fb_memory_keep(void)
{
    mallopt(M_MMAP_MAX, 0); /* a mapping of its own is given back when it is freed */
    mallopt(M_TRIM_THRESHOLD, -1);
}

void fb_memory_trim(void)
{
    (void)malloc_trim(0);
}

/* GiB that were freed and stayed: the next to be given. */
static double kept(void)
{
    const struct mallinfo2 m = mallinfo2();
    return (double)m.fordblks / (1024. * 1024 * 1024);
}
#else
void fb_memory_keep(void)
{
}

void fb_memory_trim(void)
{
}

static double kept(void)
{
    return 0;
}
#endif

void *fb_alloc(size_t n, size_t size)
{
    if (told_to_fail())
        return NULL;
    return large_pages(calloc(n ? n : 1, size ? size : 1), n * size); /* calloc checks n*size */
}

void *fb_realloc(void *p, size_t n, size_t size)
{
    if (told_to_fail() || (size && n > SIZE_MAX / size))
        return NULL;
    return large_pages(realloc(p, n > 0 && size > 0 ? n * size : 1), n * size);
}

void *fb_shorter(void *p, size_t n, size_t size)
{
    void *q = realloc(p, n > 0 && size > 0 ? n * size : 1);
    return q ? q : p;
}

#undef fb_new /* a macro where an analyzer reads this */
fb_status fb_new(void *pp, int64_t n, size_t size, const char *what, fb_err *e)
{
    void *p = n < 0 ? NULL : fb_alloc((size_t)n, size);
    if (!p)
        return fb_fail(e, FB_ESYS, "out of memory: %s wants %.3g MB",
                       what[0] == '&' ? what + 1 : what, (double)n * (double)size / 1e6);
    memcpy(pp, &p, sizeof p);
    return FB_OK;
}

fb_status fb_copy(void *pp, const void *from, int64_t n, size_t size, const char *what, fb_err *e)
{
    void *p = NULL;
    fb_status s = fb_new(&p, n, size, what, e);
    if (!s && n && p)
        memcpy(p, from, (size_t)n * size);
    if (!s)
        memcpy(pp, &p, sizeof p);
    return s;
}

/* A long list that grows is moved, and its large pages fall apart. What is reserved takes no memory
 * until it is used: there is plenty of it, unless the address space has a limit. */
static int64_t reserved(int64_t n, size_t size)
{
    struct rlimit limit;
    int scarce = getrlimit(RLIMIT_AS, &limit) != 0 || limit.rlim_cur != RLIM_INFINITY;
    return !scarce && n >= (int64_t)(LARGE / size) && n <= INT64_MAX / RESERVE ? RESERVE * n : n;
}

fb_status fb_grow(void *pp, int64_t *cap, int64_t want, size_t size, fb_err *e)
{
    if (want <= *cap)
        return FB_OK;
    int64_t n = *cap < 16 ? 16 : *cap;
    while (n < want && n <= INT64_MAX / 2)
        n *= 2;
    void *p, *q = NULL;
    int64_t most = n < want ? n : reserved(n, size);
    memcpy(&p, pp, sizeof p);
    if (most > n && (q = fb_realloc(p, (size_t)most, size)) != NULL)
        n = most;
    else
        q = n < want ? NULL : fb_realloc(p, (size_t)n, size);
    if (!q)
        return fb_fail(e, FB_ESYS, "out of memory: wants %.3g MB", (double)n * (double)size / 1e6);
    memcpy(pp, &q, sizeof q);
    *cap = n;
    return FB_OK;
}

/* The number behind key in a file of the kernel; -1 where there is none. */
static double kernel_number(const char *path, const char *key)
{
    char line[256];
    double x = -1;
    FILE *f = fopen(path, "r");
    if (!f)
        return -1;
    while (x < 0 && fgets(line, sizeof line, f)) {
        char *end;
        if (strncmp(line, key, strlen(key)) != 0)
            continue;
        double v = strtod(line + strlen(key), &end);
        x = end > line + strlen(key) ? v : -1; /* "max": no number, no limit */
    }
    fclose(f);
    return x;
}

/* GiB that a limit of the process (ulimit) leaves; infinite where it has none. */
static double left_of(int which, const char *used)
{
    struct rlimit limit;
    if (getrlimit(which, &limit) || limit.rlim_cur == RLIM_INFINITY)
        return HUGE_VAL;
    double kib = kernel_number("/proc/self/status", used),
           left = (double)limit.rlim_cur - 1024 * fmax(kib, 0);
    return fmax(left, 1) / (1024. * 1024 * 1024);
}

double fb_memory_used(void)
{
    double kib = kernel_number("/proc/self/status", "VmRSS:");
    return kib > 0 ? fmax(kib / (1024. * 1024) - kept(), 0) : 0;
}

double fb_memory_available(void)
{
    const double gib = 1024. * 1024 * 1024;
    const double address_space = left_of(RLIMIT_AS, "VmSize:"),
                 data = left_of(RLIMIT_DATA, "VmData:");
    double free_now = kernel_number("/proc/meminfo", "MemAvailable:") * 1024 / gib;
    double most = kernel_number("/sys/fs/cgroup/memory.max", "") / gib;
    double used = kernel_number("/sys/fs/cgroup/memory.current", "") / gib;
    if (most > 0 && used >= 0 && (free_now <= 0 || most - used < free_now))
        free_now = most > used ? most - used : 0;
    free_now = fmin(free_now > 0 ? free_now : HUGE_VAL, fmin(address_space, data));
    return isfinite(free_now) ? free_now + kept() : 0;
}
