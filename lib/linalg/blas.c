/* SPDX-License-Identifier: GPL-3.0-or-later */
/* blas.c - which BLAS there is, the processor core OpenBLAS believes in, and threads that do not
 * spin.
 *
 * Any BLAS and LAPACK will do. What OpenBLAS has beside the standard is looked up when the program
 * runs, for the one that is loaded is chosen on the user's machine. (Debian's BLIS and reference
 * BLAS have nothing; their calls take one thread unless the user says otherwise, and are spread by
 * threads of ours as well.)
 *
 * OpenBLAS picks its kernels when it is loaded. Version 0.3.21 does not know processors newer
 * than itself and falls back to kernels of 2004, five times slower than this machine. The remedy,
 * the variable OPENBLAS_CORETYPE, is read at the same moment: so the program starts itself again,
 * once. OMP_WAIT_POLICY is read at load time too; idle threads that spin on a busy machine take
 * the processor from those that work.
 *
 * Its threads, which are started when it is loaded, look for work for a seventh of a second before
 * they sleep: more than a small body takes from file to file. They are ended at once; products are
 * spread by threads of ours. So the main thread alone takes signals, too (order.c, cli.c): ours
 * block them (parallel.c).
 *
 * It tries for ever to start them where their memory is refused: under a limit of the address space
 * it is started with one. So it does for the buffer of a thread's products, which it takes when the
 * first one wants it: under a limit all are taken while there is room, and no more threads work
 * than have one.
 */
#define _GNU_SOURCE /* dladdr, RTLD_DEFAULT, sched_getaffinity */
#include "blas.h"
#include "memory.h"
#include "status.h"
#include <cblas.h>
#include <dlfcn.h>
#include <limits.h>
#include <math.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

enum { MOST = 8 }; /* threads; beyond, memory feeds no more of them */

/* Set in the environment of the second start, so that there is never a third, to the number of
 * threads the first one had, or to 0 where OpenBLAS may have as many as it likes. */
static const char AGAIN[] = "FLEXBODY_BLAS_SET";
static int confined; /* threads of ours under a limit of the address space; 0: there is none */
static int most = MOST;

/* OpenBLAS' own functions; NULL where the BLAS at hand is another. */
static struct {
    char *(*core)(void), *(*config)(void);
    int (*threads)(void);
    void (*set_threads)(int);
    int (*shutdown)(void); /* of a build with threads of its own */
    void *(*take)(int);    /* a buffer, which stays with the library when it is given back */
    void (*give)(void *);
} own;

static void look_up(void)
{
    static const struct {
        void *function;
        const char *name;
    } want[] = {{&own.core, "openblas_get_corename"},
                {&own.config, "openblas_get_config"},
                {&own.threads, "openblas_get_num_threads"},
                {&own.set_threads, "openblas_set_num_threads"},
                {&own.shutdown, "blas_thread_shutdown_"},
                {&own.take, "blas_memory_alloc"},
                {&own.give, "blas_memory_free"}};
    static int done;
    for (size_t k = 0; !done && k < sizeof want / sizeof *want; k++) {
        void *f = dlsym(RTLD_DEFAULT, want[k].name);
        memcpy(want[k].function, &f,
               sizeof f); /* C knows no conversion from void * to a function */
    }
    done = 1;
}

/* The threads that BLAS would use: what the user's environment says, or one a processor. */
static int blas_threads(void)
{
    look_up();
    if (own.threads)
        return own.threads();
    const char *set = getenv("OMP_NUM_THREADS");
    const long n = set ? strtol(set, NULL, 10) : 0;
    cpu_set_t mine;
    return n > 0                                           ? (int)(n < MOST ? n : MOST)
           : sched_getaffinity(0, sizeof mine, &mine) == 0 ? CPU_COUNT(&mine)
                                                           : 1;
}

static void set_blas_threads(int n)
{
    look_up();
    if (own.set_threads)
        own.set_threads(n);
    if (n == 1 && own.shutdown)
        own.shutdown();
}

const char *fb_blas_better_core(const char *core, int avx2, int avx512)
{
    /* Cores whose kernels use at most 128-bit, or 256-bit vectors. */
    static const char *const sse[] = {"Katmai",        "Coppermine",  "Northwood",   "Prescott",
                                      "Banias",        "Core2",       "Penryn",      "Dunnington",
                                      "Nehalem",       "Atom",        "Athlon",      "Opteron",
                                      "Opteron(SSE3)", "Barcelona",   "Bobcat",      "Nano",
                                      "Generic",       "Sandybridge", "SANDYBRIDGE", NULL};
    if (avx512 && strcmp(core, "Haswell") == 0)
        return "SkylakeX";
    for (int k = 0; sse[k]; k++)
        if (strcmp(core, sse[k]) == 0)
            return avx512 ? "SkylakeX" : avx2 ? "Haswell" : NULL;
    return NULL;
}

int fb_processor_runs(const char *kernels)
{
#if defined __x86_64__ && defined __GNUC__
    if (kernels[0] == 'a') /* avx512 or avx2 */
        return kernels[3] == '5' ? __builtin_cpu_supports("avx512f")
                                 : __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma");
#endif
    return kernels[0] == 'p';
}

int fb_processor(void)
{
    return fb_processor_runs("avx512") ? 2 : fb_processor_runs("avx2");
}

static const char *better_core_here(void)
{
#if defined __x86_64__ && defined __GNUC__
    int avx2 = __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma");
    int avx512 = avx2 && __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512dq") &&
                 __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512vl");
    look_up();
    const char *core = own.core ? own.core() : NULL;
    return core ? fb_blas_better_core(core, avx2, avx512) : NULL;
#else
    return NULL;
#endif
}

#if defined __GLIBC__ && defined __x86_64__
/* Below some 0.3 GB OpenBLAS tries for ever to get its buffers, while it is loaded (0.3.29 under a
 * limit of the data, too): this is said before, for what stands in .preinit_array runs before the
 * libraries start. */
enum { LEAST_MEMORY = 512 << 20 };

__attribute__((no_sanitize("address", "undefined"))) static void before_libraries(void)
{
    static const char why[] =
        "out of memory: the limit is less than the 512 MB that the BLAS takes "
        "(ulimit -v, ulimit -d)\n";
    struct rlimit space, data;
    if ((getrlimit(RLIMIT_AS, &space) != 0 || space.rlim_cur >= LEAST_MEMORY) &&
        (getrlimit(RLIMIT_DATA, &data) != 0 || data.rlim_cur >= LEAST_MEMORY))
        return;
    ssize_t told = write(STDERR_FILENO, why, sizeof why - 1);
    (void)told;
    _exit(FB_ESYS);
}

__attribute__((section(".preinit_array"),
               used)) static void (*const before)(void) = before_libraries;
#endif

static int address_space_is_limited(void)
{
    struct rlimit space,
        data; /* either: its threads may not start, and their end is waited for in vain */
    return (getrlimit(RLIMIT_AS, &space) == 0 && space.rlim_cur != RLIM_INFINITY) ||
           (getrlimit(RLIMIT_DATA, &data) == 0 && data.rlim_cur != RLIM_INFINITY);
}

/* Of so many threads those that have a buffer; the one that is here has it since the start. */
static int threads_with_buffers(int threads)
{
    static const double room = 0.5; /* GiB: a buffer takes 0.125 of them */
    void *buffer[MOST];
    int n = 0;
    look_up();
    if (!own.take || !own.give)
        return threads;
    while (n < threads && n < MOST && (n == 0 || fb_memory_available() > room))
        buffer[n++] = own.take(0);
    for (int k = 0; k < n; k++)
        own.give(buffer[k]);
    return n;
}

void fb_blas_setup(char **argv)
{
    static int done; /* in this process, or before it was forked */
    const char *again = getenv(AGAIN);
    if (done++)
        return;
    if (again) {
        confined = again[0] >= '0' && again[0] <= '9' && !again[1] ? again[0] - '0' : 0;
        confined = confined > 1 ? threads_with_buffers(confined) : confined;
        unsetenv(AGAIN); /* programs that this one may start decide for themselves */
        return;
    }
    const char *core = getenv("OPENBLAS_CORETYPE") ? NULL : better_core_here();
    int threads = blas_threads(), confine = threads > 1 && address_space_is_limited();
    char was[2] = {0};
    if (!core && !confine)
        return;
    /* When any of this fails the program is slower, not wrong. */
    was[0] = (char)('0' + (confine ? threads < MOST ? threads : MOST : 0));
    if ((!core || setenv("OPENBLAS_CORETYPE", core, 1) == 0) &&
        (!confine || setenv("OPENBLAS_NUM_THREADS", "1", 1) == 0) &&
        setenv("OMP_WAIT_POLICY", "passive", 0) == 0 && setenv(AGAIN, was, 1) == 0)
        execv("/proc/self/exe", argv);
    unsetenv(AGAIN);
}

int fb_blas_sound(void)
{
    enum { N = 37 }; /* no multiple of a kernel's width: its edges are tried too */
    double A[N * N], B[N * N], C[N * N];
    for (int k = 0; k < N * N; k++) {
        A[k] = (k * 7 % 13) - 6;
        B[k] = (k * 11 % 17) - 8;
        C[k] = 0;
    }
    cblas_dgemm(CblasColMajor, CblasNoTrans, CblasNoTrans, N, N, N, 1, A, N, B, N, 0, C, N);
    for (int j = 0; j < N; j++)
        for (int i = 0; i < N; i++) {
            double sum = 0;
            for (int k = 0; k < N; k++)
                sum += A[i + k * N] * B[k + j * N];
            if (!(fabs(sum - C[i + j * N]) <= 0)) /* small integers: exact in any order */
                return 0;
        }
    return 1;
}

int fb_threads_unless_told(int n)
{
    static const char *const names[] = {"OPENBLAS_NUM_THREADS", "GOTO_NUM_THREADS",
                                        "OMP_NUM_THREADS"};
    for (size_t k = 0; k < sizeof names / sizeof *names; k++)
        if (getenv(names[k]))
            return 0;
    most = n;
    return 1;
}

int fb_threads(void)
{
    static int threads;
    if (threads == 0) {
        int n = confined ? confined : blas_threads();
        threads = n < 1 ? 1 : n > most ? most : n;
        set_blas_threads(1); /* from here on its calls are ours to spread */
    }
    return threads;
}

int fb_blas_threads(int n)
{
    static int now = 1;
    fb_threads();
    const int old = now;
    if (n < 1 || n == old || confined)
        return old;
    set_blas_threads(n);
    now = n;
    return old;
}

/* Folder and name of the library that a function comes from: the alternatives of Debian differ in
 * the folder. */
static const char *origin(const char *function, char path[PATH_MAX])
{
    Dl_info at;
    void *f = dlsym(RTLD_DEFAULT, function);
    if (!f || !dladdr(f, &at) || !at.dli_fname || !realpath(at.dli_fname, path))
        return "unknown";
    char *name = strrchr(path, '/');
    while (name > path && name[-1] != '/')
        name--;
    return name;
}

void fb_blas_version(char *out, size_t n)
{
    char blas[PATH_MAX], lapack[PATH_MAX];
    look_up();
    const int k = snprintf(out, n, "BLAS %.80s, LAPACK %.80s", origin("cblas_dgemm", blas),
                           origin("dgesdd_", lapack));
    if (own.core && own.config)
        snprintf(out + k, n - (size_t)k, "; %.120s, core %s", own.config(), own.core());
}
