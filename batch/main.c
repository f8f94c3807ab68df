/* SPDX-License-Identifier: GPL-3.0-or-later */
/* flexbatch - many bodies through a pipe of these programs, which are started once. */
#define _GNU_SOURCE /* sched_getaffinity */
#include "cli.h"
#include "h5.h"
#include "memory.h"
#include "pool.h"
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

/* Programs that exist, options that they understand, one output a body. */
static fb_status ask_all(const fb_command *c, fb_batch *b, fb_asked *last, fb_err *e)
{
    int vary = 0;
    for (int k = 0; k < c->n; k++)
        FB_PASS(find(c->stage[k].word[0], b->program + k, e));
    for (int k = 0; k < c->n; k++) {
        const char *name = c->stage[k].word[0];
        const fb_status s = fb_batch_ask(b->program[k], c->stage + k, last, e);
        if (s)
            return fb_fail(e, s, "%s refuses the command; no body was touched", name);
        if (!last->told)
            return fb_fail(e, FB_EUSAGE, "%s is asked for information alone: run it by itself",
                           name);
        if (k < c->n - 1 && last->output[0])
            return fb_fail(e, FB_EUSAGE, "%s writes to %s by -o: nothing is left for %s behind it",
                           name, last->output, c->stage[k + 1].word[0]);
        vary |= fb_words_vary(c->stage + k);
    }
    if (!vary)
        return fb_fail(e, FB_EUSAGE,
                       "no place for the bodies in the command: write {} where the name of the "
                       "file belongs");
    if (!last->output[0])
        return fb_fail(e, FB_EUSAGE,
                       "the last program wants -o with a place for the body's name: -o {.}.h5");
    return FB_OK;
}

typedef struct {
    char *output;
    const char *body;
} written;

static int by_output(const void *a, const void *b)
{
    return strcmp(((const written *)a)->output, ((const written *)b)->output);
}

/* Two bodies that are written to one file: one would be lost. */
static fb_status check_outputs(const char *output, const fb_batch *b, fb_err *e)
{
    written *w = NULL;
    fb_status s = FB_OK;
    FB_TRY(FB_NEW(&w, b->n, e));
    for (int64_t k = 0; k < b->n; k++) {
        w[k].body = b->body[k];
        FB_TRY(fb_word_fill(output, b->body[k], &w[k].output, e));
    }
    qsort(w, (size_t)b->n, sizeof *w, by_output);
    for (int64_t k = 1; k < b->n; k++)
        if (!by_output(w + k - 1, w + k))
            FB_TRY(fb_fail(e, FB_EUSAGE, "%s and %s would both be written to %s", w[k - 1].body,
                           w[k].body, w[k].output));
out:
    for (int64_t k = 0; w && k < b->n; k++)
        FB_FREE(w[k].output);
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
    fb_asked last;
    fb_batch b = {.command = &c, .body = r->file + 1, .n = r->nfile - 1};
    fb_status s = FB_OK;
    if (r->out)
        return fb_fail(e, FB_EUSAGE, "-o belongs into the command, to its last program");
    if (b.n < 1)
        return fb_fail(e, FB_EUSAGE, "a command and the files of bodies are wanted; try --help");
    b.jobs = jobs ? (int)jobs : processors() + 1; /* a seventh faster: one starts, one writes */
    b.jobs = b.jobs < b.n ? b.jobs : (int)b.n;
    FB_TRY(fb_command_parse(r->file[0], &c, e));
    FB_TRY(ask_all(&c, &b, &last, e));
    FB_TRY(check_outputs(last.output, &b, e));
    FB_TRY(fb_h5_start(e)); /* once for all that are forked from here */
    s = fb_batch_run(&b, &r->log, e);
out:
    fb_command_free(&c);
    return s;
}

static const fb_tool tool = {
    .name = "flexbatch",
    .summary = "send many bodies through a pipe of these programs, which start once",
    .usage = "flexbatch [OPTION]... COMMAND FILE...",
    .example = "flexbatch 'mnfparse {} | reduce --cb 18 | invariants | linkexport -o {.}.h5' *.mnf",
    .opts = opts,
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
