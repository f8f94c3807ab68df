/* SPDX-License-Identifier: GPL-3.0-or-later */
/* blas.h - the BLAS and the threads (blas.c, parallel.c). */
#ifndef FB_BLAS_H
#define FB_BLAS_H
#include "status.h"
#include <stddef.h>
#include <stdint.h>

/* Before a loop of a few turns over an array that is to stay in registers. */
#if defined __clang__
#define FB_UNROLL _Pragma("clang loop unroll(full)")
#elif defined __GNUC__
#define FB_UNROLL _Pragma("GCC unroll 16")
#else
#define FB_UNROLL
#endif

/* To be called first in main: where OpenBLAS did not know the processor, or where the address space
 * is limited, sets OPENBLAS_CORETYPE, OPENBLAS_NUM_THREADS=1, OMP_WAIT_POLICY as needed and starts
 * the program again, once. The core that the user has set is not touched. Returns when there is
 * nothing (more) to do. */
void fb_blas_setup(char **argv);
/* The core OPENBLAS_CORETYPE should name for a library that runs `core` on a processor of these
 * features; NULL where it is good as it is. */
const char *fb_blas_better_core(const char *core, int avx2, int avx512);
/* 1: kernels of ours that are called "avx512", "avx2" or "portable" run on this processor. */
int fb_processor_runs(const char *kernels);
/* 0, 1 or 2: "portable", "avx2" or "avx512" is the best of them that runs; an index of
 * FB_BY_PROCESSOR. */
int fb_processor(void);
/* Three functions of a name, made by FUNCTION(name, attribute), and a table of them. */
#if defined __x86_64__
#define FB_AVX2   __attribute__((target("avx2,fma")))
#define FB_AVX512 __attribute__((target("avx512f")))
#define FB_FOR_PROCESSORS(FUNCTION, name) \
    FUNCTION(name, ) \
    FUNCTION(name##_avx2, FB_AVX2) \
    FUNCTION(name##_avx512, FB_AVX512)
#define FB_BY_PROCESSOR(name) {name, name##_avx2, name##_avx512}
#else
#define FB_FOR_PROCESSORS(FUNCTION, name) FUNCTION(name, )
#define FB_BY_PROCESSOR(name)             {name}
#endif
/* 1: the BLAS' product of two small matrices equals a plain loop's. */
int fb_blas_sound(void);
/* Threads that the solvers take: what the BLAS was to take (OPENBLAS_NUM_THREADS, the processors),
 * 8 at most. The BLAS itself has one from the first call on. */
int fb_threads(void);
/* At most n of them where the environment says nothing of threads (1 is returned); before the first
 * call of fb_threads. The BLAS has read its variables by then: to set them is too late. */
int fb_threads_unless_told(int n);
/* Runs work(arg, t) for t = 0 .. n-1 on the threads there are, the caller's among them; returns
 * when all are done. Where the system gives no thread, and inside such work, the caller's does all
 * (parallel.c). */
void fb_parallel(int n, void (*work)(void *arg, int t), void *arg);
/* The same again and again: next(arg), on one thread while no work is going on, does what cannot be
 * shared and returns how many t there are next, 65535 at most; 0: that was all. */
void fb_rounds(int (*next)(void *arg), void (*work)(void *arg, int t), void *arg);
/* fb_new of a large block that is used at once: all threads zero it, page by page, for a page that
 * the process never had takes long where the machine is a virtual one. */
fb_status fb_new_by_all(void *pp, int64_t n, size_t size, const char *what, fb_err *e) FB_CHECKED;
/* Sets the number of BLAS threads, returns what it was: for LAPACK and MUMPS on large problems. It
 * stays one under a limit of the address space. */
int fb_blas_threads(int n);
/* Versions of the libraries in one line, for --version. */
void fb_blas_version(char *out, size_t n);
#endif
