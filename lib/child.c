/* SPDX-License-Identifier: GPL-3.0-or-later */
/* child.c - a job in a process of its own: for libraries that may crash on damaged input. */
#define _GNU_SOURCE
#include "process.h"
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>
#ifdef __linux__
#include <sys/prctl.h>
#endif

static void on_crash(int sig)
{
    (void)sig;
    _exit(errno == ENOMEM ? ENOMEM : FB_CRASHED);
}

/* Signals as they are by default, no text, an end to its time; the process ends with its parent. */
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
    setrlimit(RLIMIT_CPU, &limit);
#ifdef __linux__
    prctl(PR_SET_PDEATHSIG, SIGKILL);
#endif
    if (getppid() != parent)
        _exit(FB_CRASHED);
    errno = 0;
}

int fb_in_child(int (*work)(void *arg), void *arg, int64_t seconds)
{
    const pid_t parent = getpid(), child = fork();
    int status = 0;
    if (child == 0) {
        settle(parent, seconds);
        _exit(work(arg));
    }
    while (child > 0 && waitpid(child, &status, 0) < 0)
        if (errno != EINTR)
            return FB_NO_CHILD;
    if (child < 0)
        return FB_NO_CHILD;
    return WIFEXITED(status) ? WEXITSTATUS(status) : -WTERMSIG(status);
}
