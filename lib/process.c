/* SPDX-License-Identifier: GPL-3.0-or-later */
/* process.c - where standard output is; the temporary files of the program, known by name from the
 * moment they exist, so that a signal can remove them; jobs in a process of their own.
 *
 * A file exists before the call that makes it returns: a signal in between would find a file whose
 * name nobody knows. While the list changes signals are therefore noted, not acted upon. Only the
 * main thread makes files, and it alone acts on signals (cli.c). */
#define _GNU_SOURCE
#include "memory.h"
#include "process.h"
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>
#ifdef __linux__
#include <sys/prctl.h>
#endif

int fb_data_fd = -1;

int fb_is_standard_output(const char *path)
{
    static const char *const names[] = {"-", "/dev/stdout", "/dev/fd/1", "/proc/self/fd/1"};
    for (size_t n = 0; path && n < sizeof names / sizeof *names; n++)
        if (!strcmp(path, names[n]))
            return 1;
    return !path;
}

typedef struct temporary_name {
    struct temporary_name *next;
    char path[];
} temporary_name;

static temporary_name *volatile list; /* the latest first: files before their folder */
static volatile sig_atomic_t changing, noted;

static void begin_change(void)
{
    changing = 1;
    atomic_signal_fence(memory_order_seq_cst);
}

static void end_change(void)
{
    atomic_signal_fence(memory_order_seq_cst);
    changing = 0;
    const int sig = noted;
    noted = 0;
    if (sig)
        raise(sig);
}

static void remove_name(const char *path)
{
    if (unlink(path))
        rmdir(path);
}

static void enter(temporary_name *t, const char *path)
{
    memcpy(t->path, path, strlen(path) + 1);
    t->next = list;
    list = t;
}

int fb_temporaries_remove(int sig)
{
    if (changing && sig) {
        noted = sig;
        return 0;
    }
    for (const temporary_name *t = list; t; t = t->next)
        remove_name(t->path);
    return 1;
}

/* 1: a folder, 0: a file. */
static int make(char *path, int folder)
{
    temporary_name *t = fb_alloc(1, sizeof *t + strlen(path) + 1);
    if (!t)
        return -1;
    begin_change();
    const int made = !folder ? mkstemp(path) : mkdtemp(path) ? 0 : -1;
    if (made >= 0)
        enter(t, path);
    else
        free(t);
    end_change();
    return made;
}

int fb_temporary_file(char *path)
{
    return make(path, 0);
}

int fb_temporary_folder(char *path)
{
    return make(path, 1);
}

int fb_temporary_member(const char *path)
{
    temporary_name *t = fb_alloc(1, sizeof *t + strlen(path) + 1);
    if (!t)
        return -1;
    begin_change();
    enter(t, path);
    end_change();
    return 0;
}

void fb_temporary_remove(const char *path)
{
    remove_name(path);
    fb_temporary_forget(path);
}

void fb_temporary_forget(const char *path)
{
    temporary_name *before = NULL, *t = list;
    begin_change();
    for (; t && strcmp(t->path, path); t = t->next)
        before = t;
    if (t && before)
        before->next = t->next;
    else if (t)
        list = t->next;
    free(t);
    end_change();
}

/* ---- a job in a process of its own: for libraries that may crash on damaged input ------------ */

static void on_crash(int sig)
{
    (void)sig;
    _exit(errno == ENOMEM ? ENOMEM : FB_CRASHED);
}

/* Signals as they are by default, no text, an end to its time if it has one; the process ends with
 * its parent. */
static void settle(pid_t parent, int64_t seconds)
{
    const struct rlimit limit = {(rlim_t)seconds, (rlim_t)seconds};
    const int null = open("/dev/null", O_WRONLY);
    static const int sigs[] = {SIGXCPU, SIGTERM, SIGINT, SIGHUP, SIGPIPE},
                     crashes[] = {SIGSEGV, SIGBUS, SIGABRT, SIGFPE, SIGILL};
    const struct sigaction sa = {.sa_handler = on_crash, .sa_flags = SA_ONSTACK};
    for (size_t k = 0; k < sizeof sigs / sizeof *sigs; k++)
        signal(sigs[k], SIG_DFL);
    for (size_t k = 0; k < sizeof crashes / sizeof *crashes; k++)
        sigaction(crashes[k], &sa, NULL);
    dup2(null, 1);
    dup2(null, 2);
    if (null > 2)
        close(null);
    if (seconds > 0)
        setrlimit(RLIMIT_CPU, &limit);
#ifdef __linux__
    prctl(PR_SET_PDEATHSIG, SIGKILL);
#endif
    if (getppid() != parent)
        _exit(FB_CRASHED);
    errno = 0;
}

int64_t fb_child_start(int (*work)(void *arg), void *arg, int64_t seconds)
{
    const pid_t parent = getpid(), child = fork();
    if (child == 0) {
        settle(parent, seconds);
        _exit(work(arg));
    }
    return child;
}

int fb_child_end(int64_t child)
{
    int status = 0;
    while (child > 0 && waitpid((pid_t)child, &status, 0) < 0)
        if (errno != EINTR)
            return FB_NO_CHILD;
    if (child < 0)
        return FB_NO_CHILD;
    return WIFEXITED(status) ? WEXITSTATUS(status) : -WTERMSIG(status);
}

int fb_in_child(int (*work)(void *arg), void *arg, int64_t seconds)
{
    return fb_child_end(fb_child_start(work, arg, seconds));
}

void *fb_shared_new(size_t bytes)
{
    void *p = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    return p == MAP_FAILED ? NULL : p;
}

void fb_shared_free(void *p, size_t bytes)
{
    if (p)
        munmap(p, bytes);
}
