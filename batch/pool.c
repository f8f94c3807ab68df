/* SPDX-License-Identifier: GPL-3.0-or-later */
/* pool.c - bodies through programs that are forked from this process, where their libraries are
 * loaded already: a start costs a page table instead of 60 libraries and their symbols.
 *
 * A body has a process of its own, in which its programs run one after another, from file to file:
 * HDF5 and the memory are those of the program before. What one body leaves behind, or breaks, no
 * other sees. A program rests on values of its own that were never set before (its options): one
 * that stands in the command again begins another process. Standard error of a body is a file in
 * memory, which is told when the body's turn has come. Signals that end this process are held back
 * but while it waits: then all children are known. */
#define _GNU_SOURCE /* memfd_create, pipe2 */
#include "bytes.h"
#include "cli.h"
#include "memory.h"
#include "pool.h"
#include "process.h"
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

typedef struct {                    /* how a body ended */
    char *said;                     /* lines of its programs */
    int done, program, status, sig; /* program: the one that failed, -1: none */
} fate;

typedef struct {  /* a body on its way */
    int64_t body; /* -1: none */
    fb_command command;
    int first, end; /* the programs of the process that runs */
    int in;         /* its standard input, and its output where other programs follow */
    fb_stream out;
    int said; /* standard error */
    struct timespec start;
} lane;

typedef struct {       /* what the process of a lane lets this one know, in memory of both */
    int program;       /* which runs */
    char file[2][256]; /* what it reads and what it writes for the next; empty: none */
} shared;

typedef struct {
    const fb_batch *b;
    fb_log *log;
    fate *fate;    /* [n] */
    lane *lane;    /* [jobs] */
    shared *now;   /* [jobs] */
    sigset_t open; /* the signals that are blocked while it does not wait */
    int null;
    int64_t next, told, done, failed;
} run;

/* ---- the process of a body ------------------------------------------------------------- */

/* Until its first program hears signals itself: a file between programs may be there already. */
static void on_early_end(int sig)
{
    if (!fb_temporaries_remove(sig))
        return;
    signal(sig, SIG_DFL);
    raise(sig);
}

static void settle(pid_t parent, int in, int out, int said)
{
#ifdef __linux__
    prctl(PR_SET_PDEATHSIG, SIGTERM);
#endif
    if (getppid() != parent || dup2(in, 0) < 0 || dup2(out, 1) < 0 || dup2(said, 2) < 0)
        _exit(FB_ESYS);
}

/* Standard input and output of the next program; paths are NULL where they stay. */
static fb_status connect(const char *from, int out, fb_err *e)
{
    const int in = from ? open(from, O_RDONLY | O_CLOEXEC) : 0;
    if (in < 0 || dup2(in, 0) < 0 || dup2(out, 1) < 0)
        return fb_fail(e, FB_ESYS, "files between the programs: %s", strerror(errno));
    if (in > 0)
        close(in);
    return FB_OK;
}

/* Known to the parent: a killed process cannot remove it. */
static void tell_file(const run *r, const lane *l, int k, const char *path)
{
    char *to = r->now[l - r->lane].file[k % 2];
    snprintf(to, sizeof r->now->file[0], "%s",
             path && strlen(path) < sizeof r->now->file[0] ? path : "");
}

/* The k-th program reads the file `between`, if there is one, and leaves there what the next one
 * reads. */
static fb_status run_program(const run *r, const lane *l, int k, fb_stream *between, fb_err *e)
{
    const fb_words_of *w = l->command.stage + k;
    fb_stream after = FB_STREAM_NONE;
    fb_status s = FB_OK;
    if (k + 1 < l->end)
        FB_TRY(fb_stream_spool(&after, e));
    tell_file(r, l, k, after.path);
    const int out = after.fd >= 0 ? after.fd : l->out.fd >= 0 ? l->out.fd : r->null;
    FB_TRY(connect(between->path, out, e));
    fb_stream_sibling = between->path;
    const int status = r->b->program[k](w->n, w->word);
    fflush(NULL);
    s = status < 0 || status > FB_ESYS ? FB_ESYS : (fb_status)status;
out:
    fb_stream_abandon(between);
    tell_file(r, l, k + 1, NULL);
    *between = after;
    return s;
}

/* The first one that fails is the last: those behind it have nothing to read. What the libraries
 * would tidy up in the end is this process's alone. */
static _Noreturn void run_programs(const run *r, const lane *l)
{
    fb_stream between = FB_STREAM_NONE;
    fb_status s = FB_OK;
    for (int k = l->first; !s && k < l->end; k++) {
        fb_err e = {0};
        r->now[l - r->lane].program = k;
        s = run_program(r, l, k, &between, &e);
        if (e.msg[0] && r->log->sink)
            r->log->sink(r->log->self, 0, e.msg);
    }
    fb_stream_abandon(&between);
    _exit((int)s);
}

/* Behind the first-th program, the first one that has run since. */
static int again(const fb_batch *b, int first)
{
    for (int k = first; k < b->command->n; k++)
        for (int q = first; q < k; q++)
            if (b->program[q] == b->program[k])
                return k;
    return b->command->n;
}

static fb_status start_process(run *r, lane *l, fb_err *e)
{
    const pid_t parent = getpid();
    l->end = again(r->b, l->first);
    if (l->end < l->command.n) {
        FB_PASS(fb_stream_spool(&l->out, e));
        fb_temporary_remove(l->out.path); /* who is forked removes the files known by name, too */
        l->out.path[0] = 0;
    }
    fflush(NULL);
    const pid_t child = fork();
    if (child < 0)
        return fb_fail(e, FB_ESYS, "no process for another body: %s", strerror(errno));
    if (child == 0) {
        handle_ends(on_early_end, NULL);
        sigprocmask(SIG_SETMASK, &r->open, NULL);
        settle(parent, l->in, r->null, l->said);
        run_programs(r, l);
    }
    family[l - r->lane] = child;
    return FB_OK;
}

static fb_status start_body(run *r, lane *l, fb_err *e)
{
    l->body = r->next++;
    l->first = 0;
    l->in = r->null;
    clock_gettime(CLOCK_MONOTONIC, &l->start);
    FB_PASS(fb_command_fill(r->b->command, r->b->body[l->body], &l->command, e));
    return start_process(r, l, e);
}

/* ---- the end of a body ----------------------------------------------------------------- */

static void judge(int program, int status, fate *f)
{
    f->program = status ? program : -1;
    f->sig = WIFSIGNALED(status) ? WTERMSIG(status) : 0;
    f->status = f->sig || WEXITSTATUS(status) > FB_ESYS ? FB_ESYS : WEXITSTATUS(status);
}

/* What a process wrote, if anything, is the input of the next. */
static void pass_on(const run *r, lane *l)
{
    if (l->in >= 0 && l->in != r->null)
        close(l->in);
    l->in = l->out.fd;
    l->out.fd = -1;
    fb_stream_abandon(&l->out);
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
    if (f->program < 0)
        return;
    const char *name = r->b->command->stage[f->program].word[0];
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
    const double took =
        (double)(now.tv_sec - l->start.tv_sec) + 1e-9 * (double)(now.tv_nsec - l->start.tv_nsec);
    FB_PASS(take_lines(l, f, e));
    f->done = 1;
    r->done++;
    r->failed += f->program >= 0;
    fb_note(r->log, "%s: %s after %.3f s", r->b->body[l->body], f->program < 0 ? "done" : "failed",
            took);
    fb_progress(r->log, "bodies", (double)r->done / (double)r->b->n, (double)r->b->n, "bodies");
    fb_command_free(&l->command);
    pass_on(r, l); /* which no program reads any more */
    l->body = -1;
    for (; r->told < r->b->n && r->fate[r->told].done; r->told++) {
        tell(r, r->told);
        FB_FREE(r->fate[r->told].said);
    }
    return FB_OK;
}

/* The end of one process: the number of its lane, or -1: none of ours; *status of wait. */
static fb_status wait_for_one(const run *r, int *of, int *status, fb_err *e)
{
    siginfo_t who = {0};
    sigset_t held;
    sigprocmask(SIG_SETMASK, &r->open, &held);
    const int got = waitid(P_ALL, 0, &who, WEXITED | WNOWAIT), why = errno;
    sigprocmask(SIG_SETMASK, &held, NULL);
    *of = -1;
    if (got)
        return why == EINTR ? FB_OK
                            : fb_fail(e, FB_ESYS, "waiting for the programs: %s", strerror(why));
    if (waitpid(who.si_pid, status, 0) == who.si_pid)
        for (int k = 0; k < family_size; k++)
            if (family[k] == who.si_pid)
                family[ *of = k] = 0;
    return FB_OK;
}

/* Behind it comes the next one of its body, or the end of that. */
static fb_status end_process(run *r, fb_err *e)
{
    int k, status = 0;
    FB_PASS(wait_for_one(r, &k, &status, e));
    if (k < 0)
        return FB_OK;
    lane *l = r->lane + k;
    judge(r->now[k].program, status, r->fate + l->body);
    for (int q = 0; q < 2; q++) {
        char *left = r->now[k].file[q];
        if (WIFSIGNALED(status) && *left)
            unlink(left);
        *left = 0;
    }
    pass_on(r, l);
    l->first = l->end;
    if (status || l->end == l->command.n)
        return end_body(r, l, e);
    if (lseek(l->in, 0, SEEK_SET) < 0)
        return fb_fail(e, FB_ESYS, "files between the programs: %s", strerror(errno));
    return start_process(r, l, e);
}

/* ---- all bodies ------------------------------------------------------------------------ */

static fb_status prepare(run *r, fb_err *e)
{
    const int jobs = r->b->jobs;
    FB_PASS(FB_NEW(&r->fate, r->b->n, e));
    FB_PASS(FB_NEW(&r->lane, jobs, e));
    for (int k = 0; k < jobs; k++)
        r->lane[k] = (lane){.body = -1, .in = -1, .said = -1, .out = FB_STREAM_NONE};
    FB_PASS(FB_NEW(&family, jobs, e));
    family_size = jobs;
    void *now = mmap(NULL, (size_t)jobs * sizeof *r->now, PROT_READ | PROT_WRITE,
                     MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (now == MAP_FAILED)
        return fb_fail(e, FB_ESYS, "memory for %d bodies at a time: %s", jobs, strerror(errno));
    r->now = now;
    r->null = open("/dev/null", O_RDWR | O_CLOEXEC);
    for (int k = 0; k < jobs; k++) {
        r->lane[k].said = memfd_create("messages", MFD_CLOEXEC);
        if (r->lane[k].said < 0 || r->null < 0)
            return fb_fail(e, FB_ESYS, "files for %d bodies at a time: %s", jobs, strerror(errno));
    }
    return FB_OK;
}

static void release(run *r)
{
    for (int k = 0; r->lane && k < r->b->jobs; k++) {
        lane *l = r->lane + k;
        pass_on(r, l);
        pass_on(r, l);
        fb_command_free(&l->command);
        if (l->said >= 0)
            close(l->said);
    }
    for (int64_t k = 0; r->fate && k < r->b->n; k++)
        FB_FREE(r->fate[k].said);
    if (r->null >= 0)
        close(r->null);
    if (r->now)
        munmap(r->now, (size_t)r->b->jobs * sizeof *r->now);
    family_size = 0;
    FB_FREE(r->fate, r->lane, family);
}

static fb_status verdict(const run *r, fb_err *e)
{
    int64_t first = 0;
    if (!r->failed)
        return FB_OK;
    while (r->fate[first].program < 0)
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
        FB_TRY(end_process(&r, e));
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

static fb_status take_name(fb_asked *a, int k, const char *name, fb_err *e)
{
    if (k == FB_OUTPUTS || (name && strlen(name) >= sizeof a->output[k]))
        return fb_fail(e, FB_EUSAGE, "%s",
                       k == FB_OUTPUTS ? "too many outputs" : "the name of the output is too long");
    snprintf(a->output[k], sizeof a->output[k], "%s", name ? name : "");
    return FB_OK;
}

static fb_status answer(const fb_run *r, fb_err *e)
{
    fb_asked a = {.told = 1};
    int n = 0;
    FB_PASS(take_name(&a, n++, r->out, e));
    for (const fb_opt *o = r->opts; o->name; o++)
        if (o->kind == FB_OUTPUT && *(const char **)o->dest)
            FB_PASS(take_name(&a, n++, *(const char **)o->dest, e));
    return write(ask_fd, &a, sizeof a) == sizeof a ? FB_OK
                                                   : fb_fail(e, FB_ESYS, "%s", strerror(errno));
}

/* All of it, as a pipe hands on long ones in parts. */
static int read_answer(int fd, fb_asked *a)
{
    size_t have = 0;
    while (have < sizeof *a) {
        const ssize_t n = read(fd, (char *)a + have, sizeof *a - have);
        if (n <= 0 && !(n < 0 && errno == EINTR))
            return 0;
        have += n > 0 ? (size_t)n : 0;
    }
    return 1;
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
        settle(parent, null, null, 2);
        const int code = program(w->n, w->word);
        fflush(NULL);
        _exit(code);
    }
    const int why = errno;
    close(p[1]);
    if (child < 0 || !read_answer(p[0], a))
        *a = (fb_asked){0};
    close(p[0]);
    if (child < 0 || waitpid(child, &status, 0) != child)
        return fb_fail(e, FB_ESYS, "no process for %s: %s", w->word[0], strerror(why));
    return WIFEXITED(status) && WEXITSTATUS(status) <= FB_ESYS ? (fb_status)WEXITSTATUS(status)
                                                               : FB_ESYS;
}
