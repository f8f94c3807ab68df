/* SPDX-License-Identifier: GPL-3.0-or-later */
/* pool.c - bodies through programs that are forked from this process, where their libraries are
 * loaded already: a start costs a page table instead of 60 libraries and their symbols.
 *
 * Each program is a process as in the pipe of a shell, with its standard input and output, its
 * memory, its files and its end: what one leaves behind, or breaks, no other sees. Standard error
 * of a body's programs is a file in memory, which is told when the body's turn has come. Signals
 * that end this process are held back but while it waits: then all children are known. */
#define _GNU_SOURCE /* memfd_create, pipe2 */
#include "bytes.h"
#include "cli.h"
#include "memory.h"
#include "pool.h"
#include "stream.h"
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
#ifdef __linux__
#include <sys/prctl.h>
#endif

/* The children that run, for the signal handler: 0 where there is none. */
static pid_t *family;
static int family_size;

static const int ends[] = {SIGINT, SIGTERM, SIGHUP};
enum { NEND = sizeof ends / sizeof *ends };

static void end_family(void)
{
    for (int k = 0; k < family_size; k++)
        if (family[k] > 0)
            kill(family[k], SIGTERM);
    while (wait(NULL) > 0 || errno == EINTR)
        ;
}

static void on_end(int sig)
{
    end_family();
    signal(sig, SIG_DFL);
    raise(sig);
}

/* Those that the user has ignored stay so. */
static void handle_ends(void (*handler)(int), sigset_t *before)
{
    sigset_t set;
    struct sigaction sa = {.sa_handler = handler}, old;
    sigemptyset(&set);
    for (int k = 0; k < NEND; k++) {
        sigaddset(&set, ends[k]);
        if (!sigaction(ends[k], NULL, &old) && old.sa_handler != SIG_IGN)
            sigaction(ends[k], &sa, NULL);
    }
    if (before)
        sigprocmask(SIG_BLOCK, &set, before);
}

typedef struct { /* how a body ended */
    char *said;  /* lines of its programs */
    int done, stage, status, sig;
} fate;

typedef struct {  /* a body on its way */
    int64_t body; /* -1: none */
    int left;     /* programs that run */
    int said;     /* their standard error */
    int *status;  /* [stages], of wait */
    pid_t *pid;   /* [stages], of family */
    struct timespec start;
} lane;

typedef struct {
    const fb_batch *b;
    fb_log *log;
    fate *fate; /* [n] */
    lane *lane; /* [jobs] */
    int *status;
    sigset_t open; /* the signals that are blocked while it waits */
    int null;
    int64_t next, told, done, failed;
} run;

/* ---- a program in a process of its own ------------------------------------------------- */

static _Noreturn void become(fb_program *program, const fb_words_of *w, int in, int out, int said,
                             pid_t parent)
{
#ifdef __linux__
    prctl(PR_SET_PDEATHSIG, SIGTERM);
#endif
    if (getppid() != parent || dup2(in, 0) < 0 || dup2(out, 1) < 0 || dup2(said, 2) < 0)
        _exit(FB_ESYS);
    const int status = program(w->n, w->word);
    fflush(NULL);
    _exit(status); /* what the libraries tidy up is this process's alone */
}

/* The k-th program of a lane; *in is closed and becomes the end of the pipe that the next one
 * reads. */
static fb_status start_stage(run *r, lane *l, const fb_command *c, int k, int *in, fb_err *e)
{
    const int last = k == c->n - 1;
    const pid_t parent = getpid();
    int p[2] = {-1, r->null};
    pid_t child = -1;
    if (last || !pipe2(p, O_CLOEXEC)) {
        fflush(NULL);
        child = fork();
    }
    const int why = errno;
    if (child == 0) {
        handle_ends(SIG_DFL, NULL);
        sigprocmask(SIG_SETMASK, &r->open, NULL);
        if (p[0] >= 0)
            close(p[0]);
        fb_stream_sibling = k > 0;
        become(r->b->program[k], c->stage + k, *in, p[1], l->said, parent);
    }
    if (*in != r->null)
        close(*in);
    if (p[1] != r->null)
        close(p[1]);
    *in = p[0];
    if (child < 0)
        return fb_fail(e, FB_ESYS, "no process for %s: %s", c->stage[k].word[0], strerror(why));
    l->pid[k] = child;
    l->left++;
    return FB_OK;
}

static fb_status start_body(run *r, lane *l, fb_err *e)
{
    fb_command c = {0};
    int in = r->null;
    fb_status s = fb_command_fill(r->b->command, r->b->body[r->next], &c, e);
    l->body = r->next++;
    clock_gettime(CLOCK_MONOTONIC, &l->start);
    for (int k = 0; !s && k < c.n; k++)
        s = start_stage(r, l, &c, k, &in, e);
    if (in != r->null && in >= 0)
        close(in);
    fb_command_free(&c);
    return s;
}

/* ---- the end of a body ----------------------------------------------------------------- */

/* The first program that failed, but for those that only lost their reader. */
static void judge(const lane *l, int stages, fate *f)
{
    f->stage = -1;
    for (int k = stages; k-- > 0;)
        if (l->status[k] &&
            (f->stage < 0 || !(WIFSIGNALED(l->status[k]) && WTERMSIG(l->status[k]) == SIGPIPE)))
            f->stage = k;
    if (f->stage < 0)
        return;
    const int st = l->status[f->stage];
    f->sig = WIFSIGNALED(st) ? WTERMSIG(st) : 0;
    f->status = f->sig || WEXITSTATUS(st) > FB_ESYS ? FB_ESYS : WEXITSTATUS(st);
}

static fb_status take_lines(lane *l, fate *f, fb_err *e)
{
    const off_t size = lseek(l->said, 0, SEEK_END);
    if (size <= 0)
        return FB_OK;
    FB_PASS(fb_new(&f->said, size + 1, 1, "messages", e));
    if (pread(l->said, f->said, (size_t)size, 0) != size || ftruncate(l->said, 0) ||
        lseek(l->said, 0, SEEK_SET))
        return fb_fail(e, FB_ESYS, "messages of the programs: %s", strerror(errno));
    return FB_OK;
}

static void tell_line(const run *r, int64_t body, const char *line, size_t n)
{
    char text[1400];
    snprintf(text, sizeof text, "%.300s: %.*s", r->b->body[body], (int)(n < 1060 ? n : 1060), line);
    fb_plain_text(text);
    if (r->log->sink)
        r->log->sink(r->log->self, 0, text);
}

static void tell(const run *r, int64_t body)
{
    const fate *f = r->fate + body;
    char why[200];
    for (const char *p = f->said; p && *p;) {
        const size_t n = strcspn(p, "\n");
        tell_line(r, body, p, n);
        p += n + (p[n] != 0);
    }
    if (f->stage < 0)
        return;
    const char *name = r->b->command->stage[f->stage].word[0];
    if (f->sig)
        snprintf(why, sizeof why, "%s was ended by signal %d (%s)", name, f->sig,
                 strsignal(f->sig));
    else
        snprintf(why, sizeof why, "%s failed, exit status %d", name, f->status);
    tell_line(r, body, why, strlen(why));
}

static fb_status end_body(run *r, lane *l, fb_err *e)
{
    fate *f = r->fate + l->body;
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    judge(l, r->b->command->n, f);
    FB_PASS(take_lines(l, f, e));
    f->done = 1;
    r->failed += f->stage >= 0;
    fb_note(r->log, "%s: %s after %.3f s", r->b->body[l->body], f->stage < 0 ? "done" : "failed",
            (double)(now.tv_sec - l->start.tv_sec) +
                1e-9 * (double)(now.tv_nsec - l->start.tv_nsec));
    l->body = -1;
    r->done++;
    fb_progress(r->log, "bodies", (double)r->done / (double)r->b->n, (double)r->b->n, "bodies");
    for (; r->told < r->b->n && r->fate[r->told].done; r->told++) {
        tell(r, r->told);
        FB_FREE(r->fate[r->told].said);
    }
    return FB_OK;
}

/* Waits for the end of one program: the lane of a body that has ended by it, or NULL. */
static lane *wait_for_one(run *r)
{
    siginfo_t who;
    sigset_t held;
    int status = 0;
    sigprocmask(SIG_SETMASK, &r->open, &held);
    const int got = waitid(P_ALL, 0, &who, WEXITED | WNOWAIT);
    sigprocmask(SIG_SETMASK, &held, NULL);
    if (got || waitpid(who.si_pid, &status, 0) != who.si_pid)
        return NULL;
    for (int k = 0; k < family_size; k++)
        if (family[k] == who.si_pid) {
            lane *l = r->lane + k / r->b->command->n;
            l->status[k % r->b->command->n] = status;
            family[k] = 0;
            return --l->left ? NULL : l;
        }
    return NULL;
}

/* ---- all bodies ------------------------------------------------------------------------ */

static fb_status prepare(run *r, fb_err *e)
{
    const int stages = r->b->command->n;
    FB_PASS(FB_NEW(&r->fate, r->b->n, e));
    FB_PASS(FB_NEW(&r->lane, r->b->jobs, e));
    for (int k = 0; k < r->b->jobs; k++)
        r->lane[k].said = -1;
    FB_PASS(FB_NEW(&family, (int64_t)r->b->jobs * stages, e));
    FB_PASS(FB_NEW(&r->status, (int64_t)r->b->jobs * stages, e));
    family_size = r->b->jobs * stages;
    r->null = open("/dev/null", O_RDWR | O_CLOEXEC);
    for (int k = 0; k < r->b->jobs; k++) {
        lane *l = r->lane + k;
        *l = (lane){.body = -1,
                    .pid = family + (size_t)k * (size_t)stages,
                    .status = r->status + (size_t)k * (size_t)stages};
        l->said = memfd_create("messages", MFD_CLOEXEC);
        if (l->said < 0 || r->null < 0)
            return fb_fail(e, FB_ESYS, "files for %d bodies at a time: %s", r->b->jobs,
                           strerror(errno));
    }
    return FB_OK;
}

static void release(run *r)
{
    for (int k = 0; r->lane && k < r->b->jobs; k++)
        if (r->lane[k].said >= 0)
            close(r->lane[k].said);
    for (int64_t k = 0; r->fate && k < r->b->n; k++)
        FB_FREE(r->fate[k].said);
    if (r->null >= 0)
        close(r->null);
    family_size = 0;
    FB_FREE(r->fate, r->lane, r->status, family);
}

static fb_status verdict(const run *r, fb_err *e)
{
    int64_t first = 0;
    if (!r->failed)
        return FB_OK;
    while (r->fate[first].stage < 0)
        first++;
    return fb_fail(e, (fb_status)r->fate[first].status, "%lld of %lld bodies failed, first %.300s",
                   (long long)r->failed, (long long)r->b->n, r->b->body[first]);
}

fb_status fb_batch_run(const fb_batch *b, fb_log *log, fb_err *e)
{
    run r = {.b = b, .log = log, .null = -1};
    fb_status s = FB_OK;
    handle_ends(on_end, &r.open);
    FB_TRY(prepare(&r, e));
    while (r.done < b->n) {
        for (int k = 0; k < b->jobs && r.next < b->n; k++)
            if (r.lane[k].body < 0)
                FB_TRY(start_body(&r, r.lane + k, e));
        lane *l = wait_for_one(&r);
        if (l)
            FB_TRY(end_body(&r, l, e));
    }
    s = verdict(&r, e);
out:
    if (r.done < b->n)
        end_family();
    release(&r);
    sigprocmask(SIG_SETMASK, &r.open, NULL);
    return s;
}

/* ---- what the options of a program ask for --------------------------------------------- */

static int ask_fd;

static fb_status answer(const fb_run *r, fb_err *e)
{
    fb_asked a = {.told = 1};
    if (r->out && strlen(r->out) >= sizeof a.output)
        return fb_fail(e, FB_EUSAGE, "the name of the output is too long");
    snprintf(a.output, sizeof a.output, "%s", r->out ? r->out : "");
    return write(ask_fd, &a, sizeof a) == sizeof a ? FB_OK
                                                   : fb_fail(e, FB_ESYS, "%s", strerror(errno));
}

fb_status fb_batch_ask(fb_program *program, const fb_words_of *w, fb_asked *a, fb_err *e)
{
    int p[2], status = 0;
    const pid_t parent = getpid();
    *a = (fb_asked){0};
    if (pipe2(p, O_CLOEXEC))
        return fb_fail(e, FB_ESYS, "a pipe: %s", strerror(errno));
    fflush(NULL);
    const pid_t child = fork();
    if (child == 0) {
        const int null = open("/dev/null", O_RDWR);
        close(p[0]);
        ask_fd = p[1];
        fb_run_instead = answer;
        become(program, w, null, null, 2, parent);
    }
    const int why = errno;
    close(p[1]);
    const ssize_t n = child < 0 ? -1 : read(p[0], a, sizeof *a);
    close(p[0]);
    if (child < 0 || waitpid(child, &status, 0) != child)
        return fb_fail(e, FB_ESYS, "no process for %s: %s", w->word[0], strerror(why));
    if (n != sizeof *a)
        *a = (fb_asked){0};
    return WIFEXITED(status) && WEXITSTATUS(status) <= FB_ESYS ? (fb_status)WEXITSTATUS(status)
                                                               : FB_ESYS;
}
