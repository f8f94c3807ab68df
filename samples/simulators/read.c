/* SPDX-License-Identifier: GPL-3.0-or-later */
/* read.c - chain files and options: words and numbers, # to the end of a line is for people.
 * README.md lists the words. Options are such words behind --, and go before those of the file.
 */
#include "sim.h"
#include <errno.h>
#include <gsl/gsl_spline.h>
#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

typedef struct { /* a word, the numbers that follow it, and where they go in a chain or joint */
    const char *word;
    enum { OF_FILE, OF_LINK, OPTION } where;
    size_t to;
    int least, most;
    enum { PLAIN, WHOLE, DIRECTION, ROTATION } kind;
    double low, high;              /* of a number, where they differ */
    const char *(*then)(void *to); /* reads what else follows; NULL, or what is wanted */
} row;

/* The words of the command line, then of the chain file, each of them up to one that is empty, and
 * where they stand: file:line, or NULL. */
enum { MOST = 1 << 20 };
static struct {
    const char *text, *where;
} word[MOST + 1];
static int words, at; /* the next one to follow */

static void add(const char *text, const char *where)
{
    if (words == MOST)
        fail(INPUT, where, "more than %d words", MOST);
    word[words].text = text;
    word[words++].where = where;
}

static void add_file(const char *file)
{
    static const char blank[] = " \t\r\f\v";
    static int depth;
    FILE *f = fopen(file, "rb");
    if (!f)
        fail(SYSTEM, file, "%s", strerror(errno));
    char *text = array(1 << 17), *line = text, *more;
    const size_t size = fread(text, 1, (1 << 20) - 1, f);
    if (ferror(f) || !feof(f) || ++depth > 8)
        fail(INPUT, file, "cannot be read as a text below 1 MB, at most 8 files deep");
    fclose(f);
    if (strlen(text) != size)
        fail(INPUT, file, "this is no text");
    for (int k = 1, naming = 0; line < text + size; k++) {
        char *const end = line + strcspn(line, "\n"), *where = array((long)strlen(file) / 8 + 4);
        sprintf(where, "%s:%d", file, k);
        *end = 0;
        line[strcspn(line, "#")] = 0;
        for (char *w = strtok_r(line, blank, &more); w; w = strtok_r(NULL, blank, &more)) {
            if (naming)
                add_file(w);
            else if (strcmp(w, "file") != 0)
                add(w, where);
            naming = !naming && !strcmp(w, "file");
        }
        line = end + 1;
    }
    if (!--depth)
        add("", file);
}

/* Numbers of the next words into x, or nowhere, n at most; how many. */
static int take(double *x, int n)
{
    for (int k = 0; k < n; k++, at++) {
        char *end;
        const double value = strtod(word[at].text, &end);
        if (end == word[at].text || *end || !isfinite(value))
            return k;
        if (x)
            x[k] = value;
    }
    return n;
}

/* Pairs of time and value, for a spline three of times that differ. */
static const char *pairs(curve *l, int least)
{
    const int first = at, n = take(NULL, INT_MAX);
    double *x = array(n);
    if (n % 2)
        return "a number";
    if (n < 2 * least)
        return least > 2 ? "three times and angles at least" : "two times and values at least";
    at = first;
    take(x, n);
    l->n = n / 2;
    l->t = array(l->n);
    l->value = array(l->n);
    for (int k = 0; k < n; k++) {
        (k % 2 ? l->value : l->t)[k / 2] = x[k];
        if (k % 2 == 0 && k && (least > 2 ? x[k] <= x[k - 2] : x[k] < x[k - 2]))
            return at = first + k, "times that ascend";
    }
    return NULL;
}

static const char *table(void *to)
{
    ((curve *)to)->kind = TABLE;
    return pairs(to, 2);
}

static const char *drive(void *to)
{
    curve *l = to;
    const char *kind = word[at].text, *wants = NULL;
    double x[3] = {0, 0, 2};
    l->kind = !strcmp(kind, "spinup") ? SPINUP : !strcmp(kind, "ramp") ? RAMP : SPLINE;
    if (l->kind == SPLINE && !(wants = pairs(l, 3))) {
        gsl_spline *s = l->spline = gsl_spline_alloc(gsl_interp_cspline, (size_t)l->n);
        if (!s)
            fail(SYSTEM, NULL, "out of memory");
        gsl_spline_init(s, l->t, l->value, (size_t)l->n);
    } else if (l->kind != SPLINE) {
        const int n = 2 + (l->kind == RAMP);
        at++;
        wants = take(x, n) < n          ? "a number"
                : x[1] >= 0 && x[2] > 0 ? NULL
                                        : "a time, and turns above 0";
    }
    l->a = x[0];
    l->T = x[1];
    l->turns = x[2];
    return wants;
}

static const char *new_link(void *to)
{
    chain *c = to;
    body *j = c->body + c->n++;
    if (c->n > NLINK)
        return "at most 50 links";
    j->link.file = word[at].text;
    j->hub = j->end = j->modes = -1;
    j->stiffer = j->B[0] = j->B[4] = j->B[8] = 1;
    at += *word[at].text != 0;
    return NULL;
}

static const row ROW[] = {
    {"time", OPTION, offsetof(chain, time), 1, 1, PLAIN, 0, 1e9, NULL},
    {"step", OPTION, offsetof(chain, step), 1, 1, PLAIN, 1e-9, 1e9, NULL},
    {"rtol", OPTION, offsetof(chain, rtol), 1, 1, PLAIN, 1e-14, 0.1, NULL},
    {"frames", OPTION, offsetof(chain, frames), 1, 1, PLAIN, 1, 1e5, NULL},
    {"evaluate", OPTION, offsetof(chain, evaluate), 1, 1, PLAIN, 1, 1e9, NULL},
    {"implicit", OPTION, offsetof(chain, implicit), 0, 0, PLAIN, 0, 0, NULL},
    {"frequencies", OPTION, offsetof(chain, frequencies), 0, 0, PLAIN, 0, 0, NULL},
    {"printed", OPTION, offsetof(chain, printed), 0, 0, PLAIN, 0, 0, NULL},
    {"bend", OF_FILE, offsetof(chain, bend), 0, 0, PLAIN, 0, 0, NULL},
    {"gravity", OF_FILE, offsetof(chain, gravity), 3, 3, PLAIN, 0, 0, NULL},
    {"link", OF_FILE, 0, 0, 0, PLAIN, 0, 0, new_link},
    {"hub", OF_LINK, offsetof(body, hub), 1, 1, WHOLE, 0, 0, NULL},
    {"tip", OF_LINK, offsetof(body, end), 1, 1, WHOLE, 0, 0, NULL},
    {"modes", OF_LINK, offsetof(body, modes), 1, 1, WHOLE, 0, NMODE, NULL},
    {"axis", OF_LINK, offsetof(body, axis), 3, 3, DIRECTION, 0, 0, NULL},
    {"turn", OF_LINK, offsetof(body, B), 3, 3, ROTATION, 0, 0, NULL},
    {"start", OF_LINK, offsetof(body, start), 1, 2, PLAIN, 0, 0, NULL},
    {"stiffer", OF_LINK, offsetof(body, stiffer), 1, 1, PLAIN, 0, 0, NULL},
    {"drive", OF_LINK, offsetof(body, drive), 0, 0, PLAIN, 0, 0, drive},
    {"torque", OF_LINK, offsetof(body, torque), 0, 0, PLAIN, 0, 0, table},
    {"force", OF_LINK, offsetof(body, force), 3, 3, PLAIN, 0, 0, NULL},
    {"spring", OF_LINK, offsetof(body, spring), 5, 5, DIRECTION, 0, 0, NULL},
};
enum { NROWS = sizeof ROW / sizeof *ROW };

static const char HELP[] =
    "  --time T         end (the chain file's)\n"
    "  --step DT        between rows of the output (the chain file's)\n"
    "  --rtol R         relative error of a step (1e-9)\n"
    "  --implicit       Radau IIA of order 5, for stiff links (explicit, order 8)\n"
    "  --frames N       keep N moments with all points, for linkexport --to html and play.sh\n"
    "  --frequencies    those of small motion about the start, for --time 0 of free joints\n"
    "  --printed        rotations E + phi~ as the theses print them (exp(phi~))\n"
    "  --evaluate N     compute the accelerations at the start N times, for benchmarks\n";

/* What follows the word of a row; 1 where it takes nothing. */
static void follow_row(const row *r, void *to, const char *me)
{
    double *x = to;
    char range[80] = "";
    const int first = at, n = take(x, r->most), bounded = r->low < r->high;
    const char *wants = n < r->least ? "a number" : r->then ? r->then(to) : NULL;
    for (int k = 0; k < n && !wants; k++)
        if ((bounded && !(x[k] >= r->low && x[k] <= r->high)) ||
            (r->kind == WHOLE && x[k] != floor(x[k]))) {
            wants = r->kind == WHOLE ? "a whole number" : "a number";
            at = first + k;
        }
    if (r->kind == DIRECTION && !wants) { /* a unit vector, and what else there is */
        const double size = sqrt(dot(x, x));
        wants = size > 0 ? NULL : "a direction";
        at = wants ? first : at;
        for (int a = 0; a < 3; a++)
            x[a] /= size;
    } else if (r->kind == ROTATION) {
        rotation(x, x);
    } else if (!r->most && !r->then) {
        *x = 1;
    }
    if (bounded)
        snprintf(range, sizeof range, " from %g to %g", r->low, r->high);
    const char *where = word[at].where;
    if (wants)
        fail(where ? INPUT : USAGE, where ? where : me, "%s%s wants %s%s, not '%s'",
             where ? "" : "--", r->word, wants, range, word[at].text);
}

/* All words from the next one on, by ROW. */
static void follow(chain *c)
{
    const char *me = program.name;
    for (int now = at++, k; *word[now].text; now = at++) {
        const char *text = word[now].text, *where = word[now].where;
        const char *name = where ? text : strncmp(text, "--", 2) ? "" : text + 2;
        for (k = 0; k < NROWS; k++)
            if (!strcmp(name, ROW[k].word) &&
                (where ? ROW[k].where != OF_LINK || c->n : ROW[k].where == OPTION))
                break;
        if (k < NROWS) {
            char *to = ROW[k].where == OF_LINK ? (char *)(c->body + c->n - 1) : (char *)c;
            follow_row(ROW + k, to + ROW[k].to, me);
        } else if (where) {
            fail(INPUT, where, "'%s' is not known %s", text,
                 c->n ? "here" : "before the first link");
        } else if (!strcmp(name, "help")) {
            printf("%s CHAIN.txt > run.h5 - a chain of link records in motion: %s\n%s", me,
                   program.what, HELP);
            exit(0);
        } else if (*text == '-' || (c->file && strcmp(c->file, text) != 0)) {
            fail(USAGE, me, "'%s' is not understood; %s --help", text, me);
        } else {
            c->file = text;
        }
    }
}

/* Joints and units that do not go together. */
static void check(const chain *c, int i)
{
    const double *si = c->body[i].link.si, own = si[0] * si[1], force = si[3] * si[2] * si[2];
    if (own > 0 && force > 0 && fabs(force / own - 1) > 1e-9)
        fail(INPUT, c->body[i].link.file,
             "the units are not consistent: K is in them, and forces are in %s, %.9g of that: "
             "mnfparse --units SI",
             c->body[i].link.unit[3], force / own);
    const body *j = c->body + i;
    const flex *b = &j->link, *first = &c->body[0].link;
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
    const int rigid = program.lead - 6;
    c->time = 1;
    c->step = 0.01;
    c->rtol = 1e-9;
    c->body = array(NLINK * sizeof *c->body / 8);
    while (*++argv)
        if (**argv)
            add(*argv, NULL);
    add("", NULL);
    follow(c);
    if (!c->file)
        fail(USAGE, NULL, "%s CHAIN.txt > run.h5; %s --help", program.name, program.name);
    if (isatty(1))
        fail(USAGE, program.name, "run.h5 is binary: send it to a file by >");
    add_file(c->file);
    follow(c);
    at = 0;
    follow(c); /* options go before words of the file */
    if (!c->n)
        fail(INPUT, c->file, "no link");
    if (c->time / c->step > 1e7)
        fail(INPUT, c->file, "time %g in steps of %g", c->time, c->step);
    for (int i = 0; i < c->n; i++) {
        body *j = c->body + i;
        if (j->hub < 0 || j->end < 0)
            fail(INPUT, c->file, "link %d has no %s", i + 1, j->hub < 0 ? "hub" : "tip");
        read_link(j, rigid);
        j->revolute = dot(j->axis, j->axis) > 0;
        check(c, i);
        j->at = c->nx;
        j->nx = j->revolute + j->link.m - rigid;
        c->nx += j->nx;
    }
}
