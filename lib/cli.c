/* SPDX-License-Identifier: GPL-3.0-or-later */
/* cli.c - what every tool has in common: one option table gives the parser, --help and the man
 * page; messages; exit codes; signals. The only file of lib/ that prints, exits or reads argv. */
#define _GNU_SOURCE
#include "cli.h"
#include "h5.h"
#include "linalg/blas.h"
#include "linalg/factor.h"
#include "matfile.h"
#include "process.h"
#include "schema.h"
#include <errno.h>
#include <fcntl.h>
#include <getopt.h>
#include <math.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>
#ifndef FB_VERSION
#define FB_VERSION "unknown"
#endif

static const char *out_path;
static int quiet, strict, verbose;

/* Without a destination: asks for information, and ends the program; without help: for the makefile
 * alone, and no letter of the command line. */
enum { MANOPT = 1, MANDATA, COMPLETE };
static const fb_opt common[] = {
    {"output", 'o', FB_OUTPUT, &out_path, "FILE", 0, 0, "write to FILE instead of standard output"},
    {"quiet", 'q', FB_FLAG, &quiet, NULL, 0, 0,
     "print neither warnings (they stay in the file's /history) nor progress"},
    {"strict", 0, FB_FLAG, &strict, NULL, 0, 0,
     "exit with status 1 and without output if there was a warning"},
    {"verbose", 'v', FB_FLAG, &verbose, NULL, 0, 0,
     "say on standard error what is done, one line a step"},
    {"help", 'h', FB_FLAG, NULL, NULL, 0, 0, "show this text"},
    {"version", 'V', FB_FLAG, NULL, NULL, 0, 0,
     "show the versions of the program and its libraries"},
    {"man-options", MANOPT, FB_FLAG, NULL, NULL, 0, 0, NULL},
    {"man-datasets", MANDATA, FB_FLAG, NULL, NULL, 0, 0, NULL},
    {"complete-options", COMPLETE, FB_FLAG, NULL, NULL, 0, 0, NULL},
};

enum { NCOMMON = sizeof common / sizeof *common, NSHOWN = NCOMMON - 3, MAXOPT = 80, FIRST = 1000 };

/* The k-th row of the tool's table and the common one behind it; NULL: there are no more. */
static const fb_opt *row(const fb_tool *t, int k, int ncommon)
{
    int n = 0;
    while (n <= k && t->opts[n].name)
        n++;
    return k < n ? t->opts + k : k - n < ncommon ? common + k - n : NULL;
}

/* ---- signals --------------------------------------------------------------------------- */

static const char *tool_name = "flexbody";
static pid_t main_process;
static pthread_t main_thread;
static volatile sig_atomic_t finished;

/* From a signal or from exit(): no stdio. */
static void last_words(const char *text)
{
    const char *part[] = {tool_name, ": ", text, "\n"};
    for (int k = 0; k < 4; k++)
        if (write(2, part[k], strlen(part[k])) < 0)
            return;
}

/* While another thread removed the files, the main one could miss its own and fail on that. */
static void on_signal(int sig)
{
    if (!pthread_equal(pthread_self(), main_thread)) {
        pthread_kill(main_thread, sig);
        return;
    }
    if (!fb_temporaries_remove(sig))
        return;
    signal(sig, SIG_DFL);
    raise(sig);
}

/* A crash leaves no file behind either. A mapped input that is cut short while it is read is a
 * system error. */
static void on_crash(int sig)
{
    (void)fb_temporaries_remove(0);
    if (sig == SIGBUS) {
        last_words("an input file cannot be read any more: was it cut short meanwhile?");
        _exit(FB_ESYS);
    }
    if (errno == ENOMEM) {
        last_words("out of memory inside a library, which crashed; no output");
        _exit(FB_ESYS);
    }
    last_words("broken off by a failure inside the program or a library; no output");
    signal(sig, SIG_DFL);
    raise(sig);
}

/* HDF5 ends the program by exit() where it cannot get a few bytes of memory. */
static void on_exit_elsewhere(void)
{
    if (finished || getpid() != main_process)
        return;
    (void)fb_temporaries_remove(0);
    last_words("a library ended the program (out of memory?); no output");
    _exit(FB_ESYS);
}

/* Handlers that are there already (those of a sanitizer) stay. A stack that overflows needs another
 * one. */
static void catch_crashes(void)
{
    static char other_stack[65536];
    static const int sigs[] = {SIGSEGV, SIGBUS, SIGABRT, SIGFPE, SIGILL};
    const stack_t ss = {.ss_sp = other_stack, .ss_size = sizeof other_stack};
    struct sigaction sa = {.sa_handler = on_crash, .sa_flags = SA_ONSTACK}, old;
    sigaltstack(&ss, NULL);
    for (size_t k = 0; k < sizeof sigs / sizeof *sigs; k++)
        if (!sigaction(sigs[k], NULL, &old) && !(old.sa_flags & SA_SIGINFO) &&
            old.sa_handler == SIG_DFL)
            sigaction(sigs[k], &sa, NULL);
    main_process = getpid();
    atexit(on_exit_elsewhere);
}

static void catch_signals(void)
{
    signal(SIGXFSZ, SIG_IGN); /* a file that grows too large is an error of write */
    static const int sigs[] = {SIGINT, SIGTERM, SIGHUP, SIGPIPE, SIGXCPU};
    struct sigaction sa = {.sa_handler = on_signal, .sa_flags = SA_RESTART}, old;
    main_thread = pthread_self();
    for (size_t k = 0; k < sizeof sigs / sizeof *sigs; k++)
        if (!sigaction(sigs[k], NULL, &old) && old.sa_handler != SIG_IGN)
            sigaction(sigs[k], &sa, NULL);
    catch_crashes();
}

/* ---- help ------------------------------------------------------------------------------ */

enum { LEFT = 32 }; /* columns before the texts of options */

static void option_help(const fb_opt *o, fb_buf *out)
{
    char left[64];
    snprintf(left, sizeof left, "%c%c%s--%s%s%s", o->letter ? '-' : ' ',
             o->letter ? o->letter : ' ', o->letter ? ", " : "  ", o->name, o->arg ? " " : "",
             o->arg ? o->arg : "");
    fb_put_text(out, strlen(left) > LEFT - 4 ? "  %s\n%*s" : "  %s%*s", left,
                strlen(left) > LEFT - 4 ? LEFT : LEFT - 2 - (int)strlen(left), "");
    fb_put_wrapped(out, o->help, LEFT, LEFT);
    fb_put_text(out, "\n");
}

static fb_status help(const fb_tool *t, fb_err *e)
{
    fb_buf out = {0};
    const fb_opt *o;
    fb_put_text(&out, "%s - %s\nUsage: %s\n\nOptions:\n", t->name, t->summary, t->usage);
    for (int k = 0; (o = row(t, k, NSHOWN)); k++)
        option_help(o, &out);
    if (t->example)
        fb_put_text(&out, "\nExample:\n  %s\n", t->example);
    fb_put_text(&out, "\nExit status: 0 done, 1 a check said no, 2 usage, 3 bad input, 4 numerical "
                      "failure, 5 system.\n");
    const fb_status s = fb_buf_status(&out, e);
    if (!s)
        fwrite(out.data, 1, (size_t)out.size, stdout);
    fb_buf_free(&out);
    return s;
}

static void man_text(const char *p)
{
    for (; *p; p++) {
        if (*p == '-' || *p == '\\')
            putchar('\\');
        putchar(*p);
    }
}

static void man_options(const fb_tool *t)
{
    const fb_opt *o;
    for (int k = 0; (o = row(t, k, NSHOWN)); k++) {
        printf(".TP\n");
        if (o->letter)
            printf("\\fB\\-%c\\fR, ", o->letter);
        printf("\\fB\\-\\-");
        man_text(o->name);
        printf("\\fR");
        if (o->arg) {
            printf(" \\fI");
            man_text(o->arg);
            printf("\\fR");
        }
        putchar('\n');
        man_text(o->letter == 'h' ? "show a short help text" : o->help);
        printf(".\n");
    }
}

/* ---- completion ------------------------------------------------------------------------ */

static int is_file(const fb_opt *o)
{
    return o->kind == FB_FILE || o->kind == FB_OUTPUT || o->kind == FB_FILES;
}

static const char *words_of(const fb_tool *t, const char *option)
{
    for (const fb_words *w = t->words; w && w->option; w++)
        if (!strcmp(w->option, option))
            return w->words;
    return NULL;
}

/* The table of the shells' completions, a line an option: name, kind of its value, words to choose
 * from. */
static void complete_options(const fb_tool *t)
{
    const fb_opt *o;
    for (int k = 0; (o = row(t, k, NSHOWN)); k++) {
        const char *words = words_of(t, o->name);
        const char *kind = o->kind == FB_FLAG                  ? "flag"
                           : is_file(o)                        ? "file"
                           : words                             ? "words"
                           : o->arg && !strcmp(o->arg, "LIST") ? "list"
                                                               : "text";
        printf("--%s %s%s%s\n", o->name, kind, words ? " " : "", words ? words : "");
        if (o->letter)
            printf("-%c %s\n", o->letter, kind);
    }
    for (const fb_words *w = t->words; w && w->option; w++)
        if (strchr(w->option, '@'))
            printf("--%s words %s\n", w->option, w->words);
}

static void version(const fb_tool *t)
{
    void (*const part[])(char *, size_t) = {fb_h5_version, fb_matfile_version, fb_blas_version,
                                            fb_sparse_version};
    char line[512];
    printf("%s (flexbody) %s\n", t->name, FB_VERSION);
    for (size_t k = 0; k < sizeof part / sizeof *part; k++) {
        part[k](line, sizeof line);
        printf("%s\n", line);
    }
}

/* ---- values ---------------------------------------------------------------------------- */

static fb_status set(const fb_opt *o, const char *v, fb_err *e)
{
    char *end = NULL;
    errno = 0;
    switch (o->kind) {
    case FB_FLAG:
        *(int *)o->dest = 1;
        break;
    case FB_TEXT:
    case FB_FILE:
    case FB_OUTPUT:
        *(const char **)o->dest = v;
        break;
    case FB_LIST:
    case FB_FILES: {
        fb_list *l = o->dest;
        if (l->n == (int)(sizeof l->v / sizeof *l->v))
            return fb_fail(e, FB_EUSAGE, "--%s is given more than %d times", o->name, l->n);
        l->v[l->n++] = v;
        break;
    }
    case FB_INT: {
        long long k = strtoll(v, &end, 10);
        if (end == v || *end || errno || (double)k < o->min || (double)k > o->max)
            return fb_fail(e, FB_EUSAGE, "--%s wants an integer from %.0f to %.0f, not '%s'",
                           o->name, o->min, o->max, v);
        *(int64_t *)o->dest = k;
        break;
    }
    case FB_REAL: {
        double d = strtod(v, &end);
        if (end == v || *end || errno || !(d >= o->min && d <= o->max))
            return fb_fail(e, FB_EUSAGE, "--%s wants a number from %g to %g, not '%s'", o->name,
                           o->min, o->max, v);
        *(double *)o->dest = d;
        break;
    }
    }
    return FB_OK;
}

static const char *base(const char *path)
{
    const char *p = strrchr(path, '/');
    return p && p[1] ? p + 1 : path;
}

/* A line of /history is as wide as the widest: what is long is cut, and says so. */
enum { VALUE_MOST = 1000, LINE_MOST = 60000 };

/* n bytes of text, or fewer: not within a character of UTF-8. */
static size_t whole_characters(const char *text, size_t n)
{
    while (n > 0 && ((unsigned char)text[n] & 0xc0) == 0x80)
        n--;
    return n;
}

static void put_cut(fb_buf *line, const char *v)
{
    const size_t n = strlen(v);
    fb_put_bytes(line, v, n > VALUE_MOST ? whole_characters(v, VALUE_MOST) : n);
    if (n > VALUE_MOST)
        fb_put_text(line, "...");
}

/* Without folders: NAME=FOLDER/FILE is NAME=FILE. */
static void put_value(fb_buf *line, const fb_opt *o, const char *v)
{
    const int file = is_file(o);
    const char *b = file ? base(v) : v, *name = v + strcspn(v, "=/");
    fb_put_bytes(line, " ", 1);
    if (b > v && *name == '=')
        fb_put_bytes(line, v, (size_t)(name + 1 - v));
    put_cut(line, b);
}

static void end_line(fb_buf *line)
{
    if (line->size > LINE_MOST) {
        line->size = (int64_t)whole_characters((const char *)line->data, LINE_MOST);
        fb_put_text(line, "...");
    }
    fb_put_bytes(line, "", 1);
}

/* ---- parsing --------------------------------------------------------------------------- */

/* Of getopt: a long option is FIRST and its row, a short one its letter. */
static void getopt_rows(const fb_tool *t, struct option *lo, char *letters)
{
    const fb_opt *o;
    for (int k = 0; (o = row(t, k, NCOMMON)) && k < MAXOPT; k++) {
        lo[k] = (struct option){o->name, o->kind != FB_FLAG, NULL, FIRST + k};
        if (o->letter > ' ')
            letters += sprintf(letters, o->kind != FB_FLAG ? "%c:" : "%c", o->letter);
    }
}

static int row_of(const fb_tool *t, int c)
{
    const fb_opt *o;
    int k = c >= FIRST ? c - FIRST : 0;
    while (c < FIRST && (o = row(t, k, NCOMMON)) && o->letter != c)
        k++;
    return k;
}

/* The information options print on the real standard output and end the program. */
static fb_status inform(const fb_tool *t, int c, fb_err *e)
{
    if (c == 'h')
        FB_PASS(help(t, e));
    else if (c == 'V')
        version(t);
    else if (c == MANOPT)
        man_options(t);
    else if (c == COMPLETE)
        complete_options(t);
    else
        fb_schema_man(stdout);
    const int lost = ferror(stdout); /* of a text longer than the buffer, which fclose forgets */
    return (fclose(stdout) || lost)
               ? fb_fail(e, FB_ESYS, "writing standard output: %s", strerror(errno))
               : FB_OK;
}

/* ---- options that are not understood --------------------------------------------------- */

static fb_status name_nearest(const fb_tool *t, const char *what, fb_err *e)
{
    const char *name = what + strspn(what, "-");
    char word[64];
    fb_guess g = {0};
    snprintf(word, sizeof word, "%.*s", (int)strcspn(name, "="), name);
    const fb_opt *o;
    for (int k = 0; (o = row(t, k, NSHOWN)); k++)
        fb_nearest(word, o->name, &g);
    if (g.word)
        return fb_fail(e, FB_EUSAGE, "unknown option '%s': did you mean --%s? --help shows all",
                       what, g.word);
    return fb_fail(e, FB_EUSAGE, "unknown option '%s'; try --help%s", what,
                   t->not_mine ? t->not_mine : "");
}

/* -modes 3: getopt takes it for the letters m, o, d, ...; the first one stops it. */
static fb_status unknown_letter(const fb_tool *t, int argc, char **argv, fb_err *e)
{
    const char *now = optind < argc ? argv[optind] : "";
    const char letter[] = {'-', (char)optopt, 0};
    return name_nearest(t, now[0] == '-' && now[1] == optopt ? now : letter, e);
}

static fb_status unknown_name(const fb_tool *t, const char *what, fb_err *e)
{
    char list[512] = "";
    const char *word = what + 2;
    const size_t n = strcspn(word, "=");
    const fb_opt *o;
    int found = 0;
    if (optopt) /* getopt names the option that it knows */
        return fb_fail(e, FB_EUSAGE, "option '%.*s' takes no value", (int)n + 2, what);
    for (int k = 0; (o = row(t, k, NSHOWN)); k++)
        if (o->dest && !strncmp(o->name, word, n))
            snprintf(list + strlen(list), sizeof list - strlen(list), "%s--%s", found++ ? ", " : "",
                     o->name);
    return found > 1 ? fb_fail(e, FB_EUSAGE, "option '%s' is short for several: %s", what, list)
                     : name_nearest(t, what, e);
}

fb_status fb_options(const fb_tool *t, int argc, char **argv, fb_buf *line, int *asked, fb_err *e)
{
    struct option lo[MAXOPT + 1] = {{0}};
    char letters[2 * MAXOPT] = ":", seen[MAXOPT] = {0};
    int outputs = 0;
    getopt_rows(t, lo, letters + 1);
    fb_put_text(line, "%s %s", t->name, FB_VERSION);
    opterr = 0;
    optind = 0; /* GNU: forget an earlier argv whole */
    for (int c; (c = getopt_long(argc, argv, letters, lo, NULL)) != -1;) {
        if (c == '?') /* optopt: the letter; of a name 0, or the row of one that takes no value */
            return optopt > ' ' && optopt < FIRST ? unknown_letter(t, argc, argv, e)
                                                  : unknown_name(t, argv[optind - 1], e);
        if (c == ':')
            return fb_fail(e, FB_EUSAGE, "option '%s' wants a value", argv[optind - 1]);
        const int k = row_of(t, c);
        const fb_opt *o = row(t, k, NCOMMON);
        if (!o) /* getopt returns no other letters; said for whoever reads this without it */
            return fb_fail(e, FB_EUSAGE, "unknown option; try --help");
        if (!o->dest) {
            *asked = o->letter;
            return FB_OK;
        }
        if (o->dest == &out_path && outputs++)
            return fb_fail(e, FB_EUSAGE, "--output is given twice; give it once");
        FB_PASS(set(o, optarg, e));
        /* The common options say how a run reports, not what it computes. */
        if (o >= common && o < common + NCOMMON)
            continue;
        if (o->kind != FB_FLAG && o->kind != FB_LIST && o->kind != FB_FILES && seen[k]++)
            return fb_fail(e, FB_EUSAGE, "--%s is given twice; give it once", o->name);
        fb_put_text(line, " --%s", o->name);
        if (o->kind != FB_FLAG)
            put_value(line, o, optarg);
    }
    return FB_OK;
}

/* A descriptor below 3 that the caller left closed would be given to the next file opened, and
 * messages would go into data. Each becomes the null device; a closed standard output stays an
 * error for data. */
static int stdout_closed;

static void hold_descriptors(void)
{
    for (int fd = 0; fd < 3; fd++)
        if (fcntl(fd, F_GETFD) < 0 && errno == EBADF) {
            stdout_closed |= fd == 1;
            if (open("/dev/null", O_RDWR) != fd)
                _exit(FB_ESYS);
        }
}

enum { HIGH = 100 };

/* CHOLMOD's errors, XERBLA and ARPACK's traces go to fd 1: from here on that is stderr, and data
 * leave by fb_data_fd alone. */
static fb_status turn_stdout(fb_err *e)
{
    fflush(stdout);
    if (stdout_closed && fb_is_standard_output(out_path))
        return fb_fail(e, FB_ESYS, "standard output is closed");
    fb_data_fd =
        fcntl(1, F_DUPFD_CLOEXEC, HIGH); /* out of the way of /dev/fd/3, which may be the user's */
    if (fb_data_fd < 0)
        fb_data_fd = dup(1);
    if (fb_data_fd < 0 || dup2(2, 1) < 0)
        return fb_fail(e, FB_ESYS, "standard output: %s", strerror(errno));
    return FB_OK;
}

/* One line of the terminal, written over and over. */
static struct {
    char what[80];
    double start, last; /* seconds, of the first call for `what` and of the line shown */
    double from;        /* what was done by then */
    int shown;
    atomic_flag busy; /* threads that meet here: the second has nothing newer to say */
} bar = {.busy = ATOMIC_FLAG_INIT};

static void wipe(void)
{
    if (bar.shown)
        fputs("\r\033[K", stderr);
    bar.shown = 0;
}

/* ", 2 min 5 s left" at the speed so far; nothing where nothing is done. */
static void time_left(double passed, double done, char *text, size_t size)
{
    const double left = done > bar.from ? passed * (1 - done) / (done - bar.from) : 0;
    *text = 0;
    if (left >= 5940 && left < 1e7)
        snprintf(text, size, ", %.1f h left", left / 3600);
    else if (left >= 60 && left < 5940)
        snprintf(text, size, ", %.0f min %.0f s left", floor(left / 60), floor(fmod(left, 60)));
    else if (done > bar.from && left < 60)
        snprintf(text, size, ", %.0f s left", ceil(left));
}

static void draw(const char *tool, const char *what, double done, double total, const char *unit)
{
    struct timespec t;
    char left[40];
    clock_gettime(CLOCK_MONOTONIC, &t);
    const double now = (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
    if (strncmp(bar.what, what, sizeof bar.what - 1)) {
        snprintf(bar.what, sizeof bar.what, "%s", what);
        bar.start = bar.last = now;
        bar.from = done;
    }
    if (now - bar.start < 1 || now - bar.last < 0.2) /* short steps need none, eyes no more */
        return;
    bar.last = now;
    bar.shown = 1;
    time_left(now - bar.start, done, left, sizeof left);
    fprintf(stderr, "\r%s: %s: %.0f %% of %.3g %s%s\033[K", tool, bar.what, floor(100 * done),
            total, unit, left);
    fflush(stderr);
}

static void show_progress(void *self, const char *what, double done, double total, const char *unit)
{
    if (atomic_flag_test_and_set(&bar.busy))
        return;
    if (what)
        draw(self, what, done, total, unit);
    else
        bar.what[0] = 0;
    atomic_flag_clear(&bar.busy);
}

static void print_line(void *self, int is_warning, const char *text)
{
    wipe();
    if (!is_warning || !quiet)
        fprintf(stderr, "%s: %s%s\n", (const char *)self, is_warning ? "warning: " : "", text);
}

static int report(const fb_tool *t, fb_status s, const fb_err *e)
{
    wipe();
    if (s)
        fprintf(stderr, "%s: %s\n", t->name, e->msg);
    return (int)s;
}

fb_status (*fb_run_instead)(const fb_run *r, fb_err *e);

/* What an earlier command line has left in this process, which was forked from the one that read
 * it. */
static void forget_earlier(void)
{
    out_path = NULL;
    quiet = strict = verbose = 0;
    stdout_closed = 0;
    finished = 0;
    bar.shown = 0;
    bar.what[0] = 0;
}

int fb_data_always(void)
{
    return 1;
}

int fb_main(const fb_tool *t, int argc, char **argv)
{
    static const char *dash[] = {"-"};
    fb_err e = {0};
    fb_buf line = {0};
    fb_run r = {.file = dash, .nfile = 1, .opts = t->opts};
    forget_earlier();
    fb_blas_setup(argv);
    (void)fb_threads(); /* ends OpenBLAS' own */
    tool_name = t->name;
    hold_descriptors();
    catch_signals();
    int asked = 0;
    fb_status s = fb_options(t, argc, argv, &line, &asked, &e);
    if (!s && asked) {
        s = inform(t, asked, &e);
        fb_buf_free(&line);
        finished = 1;
        return report(t, s, &e);
    }
    if (!s && argc - optind > t->max_files)
        s = fb_fail(&e, FB_EUSAGE, "%d files are named, at most %d is wanted; try --help",
                    argc - optind, t->max_files);
    if (!s && optind < argc) {
        r.file = (const char **)(argv + optind);
        r.nfile = argc - optind;
        for (int k = 0; k < r.nfile && t->names_inputs; k++) {
            fb_put_bytes(&line, " ", 1);
            put_cut(&line, base(r.file[k]));
        }
    }
    end_line(&line);
    if (!s)
        s = fb_buf_status(&line, &e);
    r.out = out_path;
    if (!s && fb_run_instead) {
        s = fb_run_instead(&r, &e);
        goto end;
    }
    if (!s && t->data_out && t->data_out() && fb_is_standard_output(out_path) && isatty(1))
        s = fb_fail(&e, FB_EUSAGE,
                    "binary data will not be written to a terminal; use -o FILE or a pipe");
    if (!s)
        s = turn_stdout(&e);
    if (!s) {
        r.line = (const char *)line.data;
        r.log =
            (fb_log){.verbose = verbose, .sink = print_line, .self = (void *)(uintptr_t)t->name};
        if (!quiet && isatty(2))
            r.log.progress = show_progress;
        r.strict = strict;
        s = t->run(&r, &e);
    }
end:;
    int code = report(t, s, &e);
    if (!code && strict && r.log.nwarning)
        code = FB_NO;
    fb_log_free(&r.log);
    fb_buf_free(&line);
    finished = 1;
    return code;
}
