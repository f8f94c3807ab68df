/* SPDX-License-Identifier: GPL-3.0-or-later */
/* flexbatch - many bodies through a pipe of these programs, which are started once. */
#define _GNU_SOURCE /* sched_getaffinity */
#include "bytes.h"
#include "cli.h"
#include "h5.h"
#include "memory.h"
#include "pool.h"
#include "process.h"
#include "programs.h"
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static int64_t jobs;

static const fb_opt opts[] = {
    {"jobs", 'j', FB_INT, &jobs, "N", 1, 1024,
     "bodies at a time; default: one more than processors"},
    {0},
};

static const struct {
    const char *name;
    fb_program *program;
} programs[] = {
#define ROW(name) {#name, fb_program_##name},
    FB_PROGRAMS(ROW)
#undef ROW
};
enum { NPROGRAM = sizeof programs / sizeof *programs };

static fb_status find(const char *name, fb_program **out, fb_err *e)
{
    char known[200] = "";
    fb_guess g = {0};
    for (int k = 0; k < NPROGRAM; k++) {
        const size_t at = strlen(known);
        if (!strcmp(programs[k].name, name)) {
            *out = programs[k].program;
            return FB_OK;
        }
        fb_nearest(name, programs[k].name, &g);
        snprintf(known + at, sizeof known - at, "%s%s", at ? ", " : "", programs[k].name);
    }
    return fb_unknown_word("program", name, &g, known, e);
}

/* The files that one program writes, with places for the body, join those of all. */
static fb_status take_outputs(const fb_asked *a, fb_words_of *all, fb_err *e)
{
    for (int k = 0; k < FB_OUTPUTS; k++) {
        const char *name = a->output[k];
        if (!*name)
            continue;
        if (fb_is_standard_output(name))
            return fb_fail(e, FB_EUSAGE,
                           "%s: a body has no standard output: each wants a file of its own, as "
                           "-o {.}.h5",
                           name);
        FB_PASS(fb_copy(all->word + all->n, name, (int64_t)strlen(name) + 1, 1, "names", e));
        all->n++;
    }
    return FB_OK;
}

/* Behind a refusal that a command without quotes meets. */
static const char in_quotes[] =
    "; the whole command stands in quotes: flexbatch 'mnfparse {} | reduce --cb 18 -o {.}.h5' "
    "FILE...";

/* Programs that exist, options that they understand, one output a body; `all` has room for those of
 * the programs. */
static fb_status ask_all(const fb_command *c, fb_batch *b, fb_words_of *all, fb_err *e)
{
    int vary = 0;
    fb_asked last;
    const int before = all->n;
    for (int k = 0; k < c->n; k++)
        FB_PASS(find(c->stage[k].word[0], b->program + k, e));
    for (int k = 0; k < c->n; k++) {
        const char *name = c->stage[k].word[0];
        const fb_status s = fb_batch_ask(b->program[k], c->stage + k, &last, e);
        if (s)
            return fb_fail(e, s, "%s refuses the command; no body was touched", name);
        if (!last.told)
            return fb_fail(e, FB_EUSAGE, "%s is asked for information alone: run it by itself",
                           name);
        if (k < c->n - 1 && last.output[0][0])
            return fb_fail(e, FB_EUSAGE, "%s writes to %s by -o: nothing is left for %s behind it",
                           name, last.output[0], c->stage[k + 1].word[0]);
        FB_PASS(take_outputs(&last, all, e));
        vary += fb_words_vary(c->stage + k);
    }
    const fb_words_of written = {.n = all->n - before, .word = all->word + before};
    if (vary == fb_words_vary(&written))
        return fb_fail(e, FB_EUSAGE,
                       "no place for the bodies in the command%s: write {} where the name of the "
                       "file belongs%s",
                       vary ? " but in what it writes" : "",
                       c->n == 1 && c->stage[0].n == 1 ? in_quotes : "");
    if (!last.output[0][0])
        return fb_fail(e, FB_EUSAGE,
                       "the last program wants -o with a place for the body's name: -o {.}.h5");
    return FB_OK;
}

typedef struct {       /* a file: one that a body writes, or its own */
    char *name, *path; /* as it is written, and where that leads */
    const char *body;
    int own;
} touched;

/* The first n bytes of `to`, and name. */
static fb_status join(const char *to, size_t n, const char *name, char **out, fb_err *e)
{
    fb_buf path = {0};
    fb_put_bytes(&path, to, n);
    fb_put_bytes(&path, name, strlen(name) + 1);
    fb_status s = fb_buf_status(&path, e);
    s = s ? s : fb_copy(out, path.data, path.size, 1, "a path", e);
    fb_buf_free(&path);
    return s;
}

/* A link to what is not there: *at becomes what it names; 0: it is none. */
static fb_status follow_link(char **at, int *is, fb_err *e)
{
    char to[4097], *next = NULL;
    const char *slash = strrchr(*at, '/');
    const ssize_t n = readlink(*at, to, sizeof to - 1);
    *is = n > 0;
    if (!*is)
        return FB_OK;
    to[n] = 0;
    FB_PASS(join(*at, *to == '/' || !slash ? 0 : (size_t)(slash + 1 - *at), to, &next, e));
    free(*at);
    *at = next;
    return FB_OK;
}

/* Where a name leads: through links, also those among its folders and to files that are not there
 * yet. One whose folder is not there stays: who writes says so. */
static fb_status real_path(const char *name, char **out, fb_err *e)
{
    enum { LINKS = 40 };
    char *at = NULL, *full = NULL, *folder = NULL, *there = NULL, *path = NULL;
    int more = 1;
    fb_status s = FB_OK;
    FB_TRY(join(name, strlen(name), "", &at, e));
    for (int k = 0; k < LINKS && more && !(full = realpath(at, NULL)); k++)
        FB_TRY(follow_link(&at, &more, e));
    if (!full) { /* not there yet */
        const char *slash = strrchr(at, '/'), *base = slash ? slash + 1 : at;
        FB_TRY(join(at, (size_t)(base - at), ".", &folder, e));
        there = realpath(folder, NULL);
        FB_TRY(join(there ? there : folder, strlen(there ? there : folder), "/", &path, e));
        FB_TRY(join(path, strlen(path), base, &full, e));
    }
    *out = full;
    full = NULL;
out:
    FB_FREE(at, full, there, folder, path);
    return s;
}

/* Files that are written come first. */
static int by_path(const void *a, const void *b)
{
    const touched *p = a, *q = b;
    const int d = strcmp(p->path, q->path);
    return d ? d : p->own - q->own;
}

/* A file that two bodies write, or that one writes and another is: one would be lost. */
static fb_status check_outputs(const fb_words_of *all, const fb_batch *b, fb_err *e)
{
    touched *w = NULL;
    const int64_t each = all->n + 1, n = b->n * each;
    fb_status s = FB_OK;
    FB_TRY(FB_NEW(&w, n, e));
    for (int64_t k = 0; k < n; k++) {
        const int q = (int)(k % each);
        w[k].body = b->body[k / each];
        w[k].own = q == all->n;
        FB_TRY(fb_word_fill(w[k].own ? "{}" : all->word[q], w[k].body, &w[k].name, e));
        FB_TRY(real_path(w[k].name, &w[k].path, e));
    }
    qsort(w, (size_t)n, sizeof *w, by_path);
    for (int64_t k = 1, first = 0; k < n; k++) {
        first = strcmp(w[k].path, w[first].path) ? k : first;
        if (!w[first].own && w[k].body != w[first].body)
            FB_TRY(w[k].own ? fb_fail(e, FB_EUSAGE, "%s would be written over %s, another body",
                                      w[first].body, w[k].body)
                            : fb_fail(e, FB_EUSAGE, "%s and %s would both be written to %s",
                                      w[first].body, w[k].body, w[first].name));
    }
out:
    for (int64_t k = 0; w && k < n; k++)
        FB_FREE(w[k].name, w[k].path);
    FB_FREE(w);
    return s;
}

static int processors(void)
{
    cpu_set_t mine;
    return sched_getaffinity(0, sizeof mine, &mine) ? 1 : CPU_COUNT(&mine);
}

static fb_status run(fb_run *r, fb_err *e)
{
    fb_command c = {0};
    char *name[FB_STAGES * FB_OUTPUTS] = {NULL};
    fb_words_of outputs = {.word = name};
    fb_batch b = {.command = &c, .body = r->file + 1, .n = r->nfile - 1};
    fb_status s = FB_OK;
    if (r->out)
        return fb_fail(e, FB_EUSAGE, "-o belongs into the command, to its last program");
    if (b.n < 1)
        return fb_fail(e, FB_EUSAGE, "a command and the files of bodies are wanted; try --help");
    b.jobs = jobs ? (int)jobs : processors() + 1; /* a seventh faster: one starts, one writes */
    b.jobs = b.jobs < b.n ? b.jobs : (int)b.n;
    FB_TRY(fb_command_parse(r->file[0], &c, e));
    FB_TRY(ask_all(&c, &b, &outputs, e));
    FB_TRY(check_outputs(&outputs, &b, e));
    FB_TRY(fb_h5_start(e)); /* once for all that are forked from here */
    s = fb_batch_run(&b, &r->log, e);
out:
    for (int k = 0; k < outputs.n; k++)
        FB_FREE(outputs.word[k]);
    fb_command_free(&c);
    return s;
}

static const fb_tool tool = {
    .name = "flexbatch",
    .summary = "send many bodies through a pipe of these programs, which start once",
    .usage = "flexbatch [OPTION]... COMMAND FILE...",
    .example = "flexbatch 'mnfparse {} | reduce --cb 18 | invariants | linkexport -o {.}.h5' *.mnf",
    .opts = opts,
    .not_mine = in_quotes,
    .max_files = 1 << 30,
    .run = run,
};

/* Two variables are read when the program is loaded: all symbols are looked up here once, not by
 * each process of each body, and a body has one thread unless the user says otherwise. */
static void load_for_many(char **argv)
{
    const int threads = getenv("OPENBLAS_NUM_THREADS") || getenv("OMP_NUM_THREADS");
    if (getenv("LD_BIND_NOW") && threads)
        return;
    if (!setenv("LD_BIND_NOW", "1", 0) && (threads || !setenv("OMP_NUM_THREADS", "1", 0)))
        execv("/proc/self/exe", argv);
}

int main(int argc, char **argv)
{
    load_for_many(argv);
    return fb_main(&tool, argc, argv);
}
