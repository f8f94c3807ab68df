/* SPDX-License-Identifier: GPL-3.0-or-later */
/* fault.c - a library for LD_PRELOAD that lets the system fail a tool (tests/cli/fault-*.sh).
 *
 *   FAULT=own:K     the K-th allocation that the program itself asks for fails
 *   FAULT=any:K     the K-th allocation of the program or of a library that it calls fails
 *   FAULT=disk:K    the K-th call that takes room on a disk (write, fallocate, open to create,
 *                   rename, ...) fails with ENOSPC
 *   FAULT=hangup:K  SIGHUP comes as soon as the K-th such call, or the K-th removal of a file, has
 *                   had its effect
 *   FAULT=order:K   SIGTERM comes as METIS asks for memory the K-th time
 *   FAULT=slow:SEED reads and writes are interrupted (EINTR) or do a part of their work, at random
 *   FAULT=late:MS   a clock that is MS milliseconds later each time it is asked
 *   FAULT_LOG=FILE  gets the number of calls that could have failed, when the program ends
 *
 * Counting begins at getopt_long: what the loader and the start of libraries do is not the tool's.
 * K = 0 never fails. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <getopt.h>
#include <link.h>
#include <signal.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/types.h>
#include <unistd.h>

/* The real allocator of glibc, without a look-up that would allocate. */
extern void *__libc_malloc(size_t), *__libc_calloc(size_t, size_t), *__libc_realloc(void *, size_t);
extern void *__libc_memalign(size_t, size_t);

enum { OFF, OWN, ANY, DISK, HANGUP, ORDER, SLOW, LATE };
static int kind = OFF;
static long at, count;
static uint64_t state;
static uintptr_t own_from, own_to, metis_from, metis_to;
static pid_t tool;

/* The code of the program, which comes first, and of METIS. */
static int look_at_object(struct dl_phdr_info *info, size_t size, void *data)
{
    int *first = data;
    (void)size;
    for (int k = 0; k < info->dlpi_phnum; k++) {
        uintptr_t from = info->dlpi_addr + info->dlpi_phdr[k].p_vaddr,
                  to = from + info->dlpi_phdr[k].p_memsz;
        if (info->dlpi_phdr[k].p_type != PT_LOAD || !(info->dlpi_phdr[k].p_flags & PF_X))
            continue;
        if (*first)
            own_from = from, own_to = to;
        if (strstr(info->dlpi_name, "libmetis"))
            metis_from = from, metis_to = to;
    }
    *first = 0;
    return 0;
}

static void begin(void)
{
    static const char *const names[] = {"",       "own",   "any",  "disk",
                                        "hangup", "order", "slow", "late"};
    const char *f = getenv("FAULT"), *colon = f ? strchr(f, ':') : NULL;
    if (kind != OFF || !colon)
        return;
    int first = 1;
    tool = getpid();
    dl_iterate_phdr(look_at_object, &first);
    at = atol(colon + 1);
    state = (uint64_t)at * 2654435761u + 1;
    for (int k = OWN; k <= LATE; k++)
        if (strlen(names[k]) == (size_t)(colon - f) && !strncmp(f, names[k], (size_t)(colon - f)))
            kind = k;
}

__attribute__((destructor)) static void finish(void)
{
    const char *path = getenv("FAULT_LOG");
    char line[32];
    int fd = path && kind != OFF
                 ? (int)syscall(SYS_openat, AT_FDCWD, path, O_WRONLY | O_CREAT | O_TRUNC, 0666)
                 : -1;
    if (fd >= 0) {
        int n = snprintf(line, sizeof line, "%ld\n", count);
        syscall(SYS_write, fd, line, (size_t)n);
        syscall(SYS_close, fd);
    }
}

static int struck(void)
{
    return __atomic_add_fetch(&count, 1, __ATOMIC_RELAXED) == at;
}

/* ---- memory ----------------------------------------------------------------------------- */

static int no_memory(const void *caller)
{
    if (kind == ORDER && (uintptr_t)caller >= metis_from && (uintptr_t)caller < metis_to &&
        struck())
        kill(tool, SIGTERM);
    if (kind != ANY &&
        !(kind == OWN && (uintptr_t)caller >= own_from && (uintptr_t)caller < own_to))
        return 0;
    if (!struck())
        return 0;
    errno = ENOMEM;
    return 1;
}

void *malloc(size_t n)
{
    return no_memory(__builtin_return_address(0)) ? NULL : __libc_malloc(n);
}

void *calloc(size_t n, size_t size)
{
    return no_memory(__builtin_return_address(0)) ? NULL : __libc_calloc(n, size);
}

void *realloc(void *p, size_t n)
{
    return no_memory(__builtin_return_address(0)) ? NULL : __libc_realloc(p, n);
}

void *aligned_alloc(size_t a, size_t n)
{
    return no_memory(__builtin_return_address(0)) ? NULL : __libc_memalign(a, n);
}

int posix_memalign(void **p, size_t a, size_t n)
{
    void *q = no_memory(__builtin_return_address(0)) ? NULL : __libc_memalign(a, n);
    if (!q)
        return ENOMEM;
    *p = q;
    return 0;
}

/* ---- room on disks ---------------------------------------------------------------------- */

static int no_room(void)
{
    if (kind != DISK || !struck())
        return 0;
    errno = ENOSPC;
    return 1;
}

/* What a call returned that had its effect. */
static long told(long r)
{
    const int why = errno;
    if (kind == HANGUP && struck())
        kill(getpid(), SIGHUP);
    errno = why;
    return r;
}

/* 0..n-1 */
static unsigned chance(unsigned n)
{
    state = state * 6364136223846793005u + 1442695040888963407u;
    return (unsigned)(state >> 33) % n;
}

/* How much of n is done this time; 0: interrupted. */
static size_t share(size_t n)
{
    if (kind != SLOW || n == 0)
        return n;
    struck();
    if (chance(4) == 0) {
        errno = EINTR;
        return 0;
    }
    return chance(2) ? n : 1 + (size_t)chance((unsigned)(n < 1u << 20 ? n : 1u << 20));
}

ssize_t write(int fd, const void *p, size_t n)
{
    size_t k = share(n);
    return (n && !k) || (fd > 2 && no_room()) || (fd == 1 && no_room())
               ? -1
               : told(syscall(SYS_write, fd, p, k));
}

ssize_t pwrite(int fd, const void *p, size_t n, off_t where)
{
    size_t k = share(n);
    return (n && !k) || no_room() ? -1 : told(syscall(SYS_pwrite64, fd, p, k, where));
}

ssize_t pwrite64(int fd, const void *p, size_t n, off64_t where)
{
    return pwrite(fd, p, n, where);
}

ssize_t read(int fd, void *p, size_t n)
{
    size_t k = share(n);
    return n && !k ? -1 : syscall(SYS_read, fd, p, k);
}

ssize_t pread(int fd, void *p, size_t n, off_t where)
{
    size_t k = share(n);
    return n && !k ? -1 : syscall(SYS_pread64, fd, p, k, where);
}

ssize_t pread64(int fd, void *p, size_t n, off64_t where)
{
    return pread(fd, p, n, where);
}

ssize_t splice(int in, off64_t *from, int out, off64_t *to, size_t n, unsigned flags)
{
    size_t k = share(n);
    return (n && !k) || no_room() ? -1 : told(syscall(SYS_splice, in, from, out, to, k, flags));
}

int fallocate(int fd, int mode, off_t where, off_t n)
{
    return no_room() ? -1 : (int)told(syscall(SYS_fallocate, fd, mode, where, n));
}

int ftruncate(int fd, off_t n)
{
    return no_room() ? -1 : (int)told(syscall(SYS_ftruncate, fd, n));
}

int ftruncate64(int fd, off64_t n)
{
    return ftruncate(fd, n);
}

int fchmod(int fd, mode_t mode)
{
    return no_room() ? -1 : (int)told(syscall(SYS_fchmod, fd, mode));
}

int rename(const char *a, const char *b)
{
    return no_room() ? -1 : (int)told(syscall(SYS_renameat2, AT_FDCWD, a, AT_FDCWD, b, 0));
}

int unlink(const char *path)
{
    return (int)told(syscall(SYS_unlink, path));
}

static int open_it(const char *path, int flags, mode_t mode)
{
    if (!(flags & O_CREAT))
        return (int)syscall(SYS_openat, AT_FDCWD, path, flags, mode);
    return no_room() ? -1 : (int)told(syscall(SYS_openat, AT_FDCWD, path, flags, mode));
}

int open(const char *path, int flags, ...)
{
    va_list ap;
    va_start(ap, flags);
    mode_t mode = flags & (O_CREAT | O_TMPFILE) ? va_arg(ap, mode_t) : 0;
    va_end(ap);
    return open_it(path, flags, mode);
}

int open64(const char *path, int flags, ...)
{
    va_list ap;
    va_start(ap, flags);
    mode_t mode = flags & (O_CREAT | O_TMPFILE) ? va_arg(ap, mode_t) : 0;
    va_end(ap);
    return open_it(path, flags | O_LARGEFILE, mode);
}

/* Closing may be where a file system says that there was no room; the descriptor is gone all the
 * same. */
int close(int fd)
{
    int r = (int)syscall(SYS_close, fd);
    return r == 0 && fd > 2 && no_room() ? -1 : fd > 2 ? (int)told(r) : r;
}

int mkstemp(char *path)
{
    int (*real)(char *);
    void *f = dlsym(RTLD_NEXT, "mkstemp");
    memcpy(&real, &f, sizeof real);
    return no_room() ? -1 : (int)told(real(path));
}

char *mkdtemp(char *path)
{
    char *(*real)(char *);
    void *f = dlsym(RTLD_NEXT, "mkdtemp");
    memcpy(&real, &f, sizeof real);
    if (no_room())
        return NULL;
    char *made = real(path);
    told(0);
    return made;
}

int clock_gettime(clockid_t clock, struct timespec *t)
{
    const int r = (int)syscall(SYS_clock_gettime, clock, t);
    if (kind == LATE && r == 0) {
        const long ms = at * __atomic_add_fetch(&count, 1, __ATOMIC_RELAXED) + t->tv_nsec / 1000000;
        t->tv_sec += ms / 1000;
        t->tv_nsec = ms % 1000 * 1000000;
    }
    return r;
}

int getopt_long(int argc, char *const *argv, const char *so, const struct option *lo, int *index)
{
    static int (*real)(int, char *const *, const char *, const struct option *, int *);
    if (!real) {
        void *f = dlsym(RTLD_NEXT, "getopt_long");
        memcpy(&real, &f, sizeof real);
        begin();
    }
    return real(argc, argv, so, lo, index);
}
