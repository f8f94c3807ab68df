/* SPDX-License-Identifier: GPL-3.0-or-later */
/* read.c - chain files and options: words and numbers, # to the end of a line is for people.
 * README.md lists the words. Options are such words behind --, and go before those of the file.
 */
#include "sim.h"
#include <errno.h>
#include <gsl/gsl_spline.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

typedef struct word word;
typedef struct words words;

typedef struct { /* a word, what reads what follows it, and where that goes in a chain or joint */
    const char *word;
    void (*read)(words *, void *, int);
    size_t at;
    int n;
    enum { OF_FILE, OF_LINK, OPTION } where;
    double low, high; /* of a number, where they differ */
} row;

struct word {           /* the last is "" */
    char *text, *where; /* file:line; NULL: the command line */
    word *next;
};

struct words {
    word *at, **end;
    const row *row; /* of the word before `at` */
};

static void add_word(words *w, const char *text, size_t n, const char *file, int line)
{
    word *new = *w->end = array(sizeof *new / 8);
    new->text = memcpy(array((long)n / 8 + 1), text, n);
    if (file)
        sprintf(new->where = array((long)strlen(file) / 8 + 4), "%s:%d", file, line);
    w->end = &new->next;
}

static void add_file(words *w, const char *file)
{
    static int depth;
    FILE *f = fopen(file, "rb");
    if (!f)
        fail(SYSTEM, file, "%s", strerror(errno));
    char *p = array(1 << 17);
    const size_t size = fread(p, 1, (1 << 20) - 1, f);
    if (ferror(f) || !feof(f) || depth > 8)
        fail(INPUT, file, "cannot be read as a text below 1 MB, at most 8 files deep");
    fclose(f);
    if (memchr(p, 0, size))
        fail(INPUT, file, "this is no text");
    int line = 1, name = 0;
    depth++;
    while (*p) {
        const size_t n = strcspn(p, " \t\r\n\f\v#"), skip = *p == '#' ? strcspn(p, "\n") : 1;
        const int some = n > 0, naming = n == 4 && !memcmp(p, "file", n);
        if (name && some)
            add_file(w, memcpy(array((long)n / 8 + 1), p, n));
        else if (some && !naming)
            add_word(w, p, n, file, line);
        name = some ? naming && !name : name;
        line += *p == '\n';
        p += some ? n : skip;
    }
    if (!--depth)
        add_word(w, "", 0, file, line);
}

static void wants(const words *w, const char *what) __attribute__((noreturn));

static void wants(const words *w, const char *what)
{
    char range[80] = "";
    if (w->row->low < w->row->high)
        snprintf(range, sizeof range, " from %g to %g", w->row->low, w->row->high);
    fail(w->at->where ? INPUT : USAGE, w->at->where, "%s%s wants %s%s, not '%s'",
         w->at->where ? "" : "--", w->row->word, what, range, w->at->text);
}

static int is(words *w, const char *text)
{
    const int yes = !strcmp(w->at->text, text);
    w->at = yes ? w->at->next : w->at;
    return yes;
}

/* A number if the next word is one. */
static int maybe(words *w, double *x)
{
    char *end;
    const double value = strtod(w->at->text, &end);
    if (end == w->at->text || *end || !isfinite(value))
        return 0;
    *x = value;
    w->at = w->at->next;
    return 1;
}

static void numbers(words *w, void *to, int n)
{
    double *x = to;
    for (int k = 0; k < n; k++) {
        const words before = *w;
        if (!maybe(w, x + k))
            wants(w, "a number");
        if (w->row->low < w->row->high && !(x[k] >= w->row->low && x[k] <= w->row->high))
            wants(&before, "a number");
    }
}

static void whole(words *w, void *to, int n)
{
    const words before = *w;
    const double *x = to;
    numbers(w, to, n);
    if (*x != floor(*x))
        wants(&before, "a whole number");
}

/* A rate may follow. */
static void start(words *w, void *to, int n)
{
    numbers(w, to, n);
    maybe(w, (double *)to + n);
}

/* A unit vector, and what else there is of n. */
static void direction(words *w, void *to, int n)
{
    const words before = *w;
    double *x = to;
    numbers(w, x, n);
    const double size = sqrt(dot(x, x));
    if (!(size > 0))
        wants(&before, "a direction");
    for (int a = 0; a < 3; a++)
        x[a] /= size;
}

static void turned(words *w, void *to, int n)
{
    double x[3];
    numbers(w, x, n);
    rotation(x, to);
}

static void flag(words *w, void *to, int on)
{
    (void)w;
    *(int *)to = on;
}

/* Pairs of time and value. */
static void table(words *w, void *to, int least)
{
    curve *l = to;
    int all = 0;
    l->n = 0;
    for (const word *k = w->at; k; k = k->next)
        all++;
    l->kind = TABLE;
    l->t = array(all);
    l->value = array(all);
    for (words before = *w; maybe(w, l->t + l->n); l->n++, before = *w) {
        numbers(w, l->value + l->n, 1);
        if (l->n && l->t[l->n] < l->t[l->n - 1])
            wants(&before, "times that ascend");
    }
    if (l->n < least)
        wants(w, least > 2 ? "three times and angles at least" : "two times and values at least");
}

static void drive(words *w, void *to, int least)
{
    curve *l = to;
    l->kind = is(w, "spinup") ? SPINUP : is(w, "ramp") ? RAMP : SPLINE;
    l->turns = 2;
    if (l->kind != SPLINE) {
        numbers(w, &l->a, 1);
        numbers(w, &l->T, 1);
        numbers(w, &l->turns, l->kind == RAMP);
        if (!(l->T >= 0 && l->turns > 0))
            wants(w, "a time, and turns above 0");
        return;
    }
    table(w, l, least);
    l->kind = SPLINE;
    for (int k = 1; k < l->n; k++)
        if (!(l->t[k] > l->t[k - 1]))
            wants(w, "times that are all different");
    gsl_spline *s = l->spline = gsl_spline_alloc(gsl_interp_cspline, (size_t)l->n);
    if (!s)
        fail(SYSTEM, NULL, "out of memory");
    gsl_spline_init(s, l->t, l->value, (size_t)l->n);
}

static void new_link(words *w, void *to, int most)
{
    chain *c = to;
    if (c->n == most)
        wants(w, "at most 50 links");
    c->joint[c->n++] = (joint){.link.file = w->at->text,
                               .hub = -1,
                               .tip = -1,
                               .modes = -1,
                               .stiffer = 1,
                               .B = {1, 0, 0, 0, 1, 0, 0, 0, 1}};
    w->at = w->at->next ? w->at->next : w->at;
}

static const row ROW[] = {
    {"time", numbers, offsetof(chain, time), 1, OPTION, 0, 1e9},
    {"step", numbers, offsetof(chain, step), 1, OPTION, 1e-9, 1e9},
    {"rtol", numbers, offsetof(chain, rtol), 1, OPTION, 1e-14, 0.1},
    {"frames", numbers, offsetof(chain, frames), 1, OPTION, 1, 1e5},
    {"evaluate", numbers, offsetof(chain, evaluate), 1, OPTION, 1, 1e9},
    {"implicit", flag, offsetof(chain, implicit), 1, OPTION, 0, 0},
    {"frequencies", flag, offsetof(chain, frequencies), 1, OPTION, 0, 0},
    {"printed", flag, offsetof(chain, printed), 1, OPTION, 0, 0},
    {"bend", flag, offsetof(chain, bend), 1, OF_FILE, 0, 0},
    {"gravity", numbers, offsetof(chain, gravity), 3, OF_FILE, 0, 0},
    {"link", new_link, 0, NLINK, OF_FILE, 0, 0},
    {"hub", whole, offsetof(joint, hub), 1, OF_LINK, 0, 0},
    {"tip", whole, offsetof(joint, tip), 1, OF_LINK, 0, 0},
    {"modes", whole, offsetof(joint, modes), 1, OF_LINK, 0, NMODE},
    {"axis", direction, offsetof(joint, axis), 3, OF_LINK, 0, 0},
    {"turn", turned, offsetof(joint, B), 3, OF_LINK, 0, 0},
    {"start", start, offsetof(joint, start), 1, OF_LINK, 0, 0},
    {"stiffer", numbers, offsetof(joint, stiffer), 1, OF_LINK, 0, 0},
    {"drive", drive, offsetof(joint, drive), 3, OF_LINK, 0, 0},
    {"torque", table, offsetof(joint, torque), 2, OF_LINK, 0, 0},
    {"force", numbers, offsetof(joint, force), 3, OF_LINK, 0, 0},
    {"spring", direction, offsetof(joint, spring), 5, OF_LINK, 0, 0},
};
enum { NWORD = sizeof ROW / sizeof *ROW };

static const char HELP[] =
    "  --time T         end (the chain file's)\n"
    "  --step DT        between rows of the output (the chain file's)\n"
    "  --rtol R         relative error of a step (1e-9)\n"
    "  --implicit       Radau IIA of order 5, for stiff links (explicit, order 8)\n"
    "  --frames N       keep N moments with all points, for linkexport --to html and play.sh\n"
    "  --frequencies    those of small motion about the start, for --time 0 of free joints\n"
    "  --printed        rotations E + phi~ as the theses print them (exp(phi~))\n"
    "  --evaluate N     compute the accelerations at the start N times, for benchmarks\n";

/* All words, by ROW. */
static void follow(words *w, chain *c)
{
    const char *me = c->f->name;
    while (w->at->next) {
        const word *now = w->at;
        const char *text = now->where                    ? now->text
                           : strncmp(now->text, "--", 2) ? ""
                                                         : now->text + 2;
        int k = 0;
        while (k < NWORD && (strcmp(text, ROW[k].word) || (ROW[k].where == OF_LINK && !c->n) ||
                             (ROW[k].where != OPTION && !now->where)))
            k++;
        w->at = now->next;
        if (k < NWORD) {
            void *to = ROW[k].where == OF_LINK ? (void *)(c->joint + c->n - 1) : (void *)c;
            w->row = ROW + k;
            w->row->read(w, (char *)to + w->row->at, w->row->n);
        } else if (now->where) {
            fail(INPUT, now->where, "'%s' is not known %s", now->text,
                 c->n ? "here" : "before the first link");
        } else if (!strcmp(text, "help")) {
            printf("%s CHAIN.txt > run.h5 - a chain of link records in motion: %s\n%s", me,
                   c->f->what, HELP);
            exit(0);
        } else if (now->text[0] == '-' || (c->file && strcmp(c->file, now->text))) {
            fail(USAGE, me, "'%s' is not understood; %s --help", now->text, me);
        } else {
            c->file = now->text;
        }
    }
}

/* Joints and units that do not go together. */
static void check(const chain *c, int i)
{
    const joint *j = c->joint + i;
    const flex *b = &j->link, *first = &c->joint[0].link;
    static const char *const kind[] = {"mass", "length", "time", "force"};
    if (!j->revolute && (j->drive.kind || j->torque.kind || j->start[0] != 0 || j->start[1] != 0))
        fail(INPUT, c->file, "the joint of link %d has no axis: it is rigid", i + 1);
    if (j->drive.kind && j->torque.kind)
        fail(INPUT, c->file, "the joint of link %d is driven: its torque follows", i + 1);
    for (int k = 0; k < 4; k++)
        if (b->si[k] != first->si[k] || (b->si[k] == 0 && strcmp(b->unit[k], first->unit[k])))
            fail(INPUT, NULL, "%s has %s in %s, %s in %s: mnfparse --units makes them equal",
                 first->file, kind[k], first->unit[k], b->file, b->unit[k]);
}

void read_chain(chain *c, char **argv)
{
    const int rigid = c->f->lead - 6;
    words option = {.end = &option.at}, file = {.end = &file.at}, again;
    c->time = 1;
    c->step = 0.01;
    c->rtol = 1e-9;
    c->joint = array(NLINK * sizeof *c->joint / 8);
    c->pose = array(NLINK * sizeof *c->pose / 8);
    while (*++argv)
        add_word(&option, *argv, strlen(*argv), NULL, 0);
    add_word(&option, "", 0, NULL, 0);
    again = option;
    follow(&option, c);
    if (!c->file)
        fail(USAGE, NULL, "%s CHAIN.txt > run.h5; %s --help", c->f->name, c->f->name);
    if (isatty(1))
        fail(USAGE, c->f->name, "run.h5 is binary: send it to a file by >");
    add_file(&file, c->file);
    follow(&file, c);
    follow(&again, c); /* options go before words of the file */
    if (!c->n)
        fail(INPUT, c->file, "no link");
    if (c->time / c->step > 1e7)
        fail(INPUT, c->file, "time %g in steps of %g", c->time, c->step);
    for (int i = 0; i < c->n; i++) {
        joint *j = c->joint + i;
        if (j->hub < 0 || j->tip < 0)
            fail(INPUT, c->file, "link %d has no %s", i + 1, j->hub < 0 ? "hub" : "tip");
        read_link(&j->link, j->link.file, j->hub, j->tip, (int)j->modes, j->stiffer, rigid);
        j->revolute = dot(j->axis, j->axis) > 0;
        check(c, i);
        j->at = c->nx;
        j->nx = j->revolute + j->link.m - rigid;
        c->nx += j->nx;
    }
}
