/* SPDX-License-Identifier: GPL-3.0-or-later */
/* read.c - chain files: words and numbers in any lines, # to the end of a line is for people.
 *
 *   gravity X Y Z    time T    step DT (of the output)    bend (start as gravity bends it, hinges held)
 *   link RECORD.h5   begins a link; what follows, up to the next link, is of it and its joint:
 *     hub NODE  tip NODE  modes N (lowest; all)  axis X Y Z (revolute; else rigid)
 *     turn X Y Z     rotation vector from the tip of the link before to this hub at angle 0
 *     start ANGLE [RATE]           stiffer FACTOR (of K)
 *     drive spinup RATE T | drive ramp ANGLE T TURNS | drive T ANGLE T ANGLE ...
 *     torque T VALUE T VALUE ...   straight lines between; or torque file NAME, drive file NAME
 *     force X Y Z (tip, world)     spring X Y Z STIFFNESS DAMPING (tip, along a line of the world)
 */
#include "sim.h"
#include <gsl/gsl_spline.h>
#include <ctype.h>
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct { /* a file of words and the place in it */
    const char *file;
    char *text, *p, word[256];
    int line;
} words;

static void open_words(words *w, const char *file)
{
    FILE *f = fopen(file, "rb");
    size_t n = 0;
    if (!f)
        fail(SYSTEM, "%s: %s", file, strerror(errno));
    *w = (words){.file = file, .text = array(1 << 20, 1), .line = 1};
    n = fread(w->text, 1, (1 << 20) - 1, f);
    if (ferror(f) || !feof(f))
        fail(INPUT, "%s: cannot be read as a text below 1 MB", file);
    fclose(f);
    if (memchr(w->text, 0, n))
        fail(INPUT, "%s: this is no text", file);
    w->p = w->text;
}

/* The next word, or "" at the end. */
static const char *next(words *w)
{
    size_t n = 0;
    while (*w->p == '#' || isspace((unsigned char)*w->p))
        if (*w->p == '#')
            w->p += strcspn(w->p, "\n");
        else
            w->line += *w->p++ == '\n';
    n = strcspn(w->p, " \t\r\n#");
    if (n >= sizeof w->word)
        fail(INPUT, "%s:%d: a word of %zu characters", w->file, w->line, n);
    memcpy(w->word, w->p, n);
    w->word[n] = 0;
    w->p += n;
    return w->word;
}

/* A number if the next word is one. */
static int maybe(words *w, double *x)
{
    const words before = *w;
    char *end;
    next(w);
    *x = strtod(w->word, &end);
    if (w->word[0] && !*end && isfinite(*x))
        return 1;
    *w = before;
    return 0;
}

static double number(words *w, const char *what)
{
    double x;
    if (!maybe(w, &x))
        fail(INPUT, "%s:%d: %s wants a number, not '%s'", w->file, w->line, what, next(w));
    return x;
}

static void numbers(words *w, const char *what, double *x, int n)
{
    for (int k = 0; k < n; k++)
        x[k] = number(w, what);
}

static long whole(words *w, const char *what)
{
    const double x = number(w, what);
    if (!(fabs(x) < 1e15) || x != floor(x))
        fail(INPUT, "%s:%d: %s wants a whole number, not %g", w->file, w->line, what, x);
    return (long)x;
}

static char *keep(const char *s)
{
    return strcpy(array(strlen(s) + 1, 1), s);
}

/* Pairs of time and value, here or in a file. */
static void table(words *w, const char *what, curve *l)
{
    words other;
    double t;
    const words before = *w;
    if (!strcmp(next(w), "file")) {
        char name[sizeof w->word];
        memcpy(name, next(w), sizeof name);
        open_words(&other, name);
        table(&other, what, l);
        if (next(&other)[0])
            fail(INPUT, "%s:%d: a number is wanted, not '%s'", other.file, other.line, other.word);
        free(other.text);
        return;
    }
    *w = before;
    while (maybe(w, &t)) {
        l->t = realloc(l->t, sizeof *l->t * (size_t)(l->n + 1));
        l->value = realloc(l->value, sizeof *l->value * (size_t)(l->n + 1));
        if (!l->t || !l->value)
            fail(SYSTEM, "out of memory");
        l->t[l->n] = t;
        l->value[l->n++] = number(w, what);
        if (l->n > 1 && t < l->t[l->n - 2])
            fail(INPUT, "%s:%d: the times of a table must ascend", w->file, w->line);
    }
    if (l->n < 2)
        fail(INPUT, "%s:%d: %s wants two times and values at least", w->file, w->line, what);
    l->kind = TABLE;
}

static void drive(words *w, curve *l)
{
    const words before = *w;
    const char *kind = next(w);
    if (!strcmp(kind, "spinup") || !strcmp(kind, "ramp")) {
        l->kind = strcmp(kind, "ramp") ? SPINUP : RAMP;
        l->a = number(w, "drive");
        l->T = number(w, "drive");
        l->turns = l->kind == RAMP ? number(w, "drive") : 2;
        if (!(l->T >= 0 && l->turns > 0))
            fail(INPUT, "%s:%d: drive wants a time, and turns above 0", w->file, w->line);
        return;
    }
    *w = before;
    table(w, "drive", l);
    l->kind = SPLINE;
    for (int k = 1; k < l->n; k++)
        if (!(l->t[k] > l->t[k - 1]) || l->n < 3)
            fail(INPUT, "%s:%d: drive wants three times at least, all different", w->file, w->line);
    gsl_spline *s = gsl_spline_alloc(gsl_interp_cspline, (size_t)l->n);
    if (!s)
        fail(SYSTEM, "out of memory");
    gsl_spline_init(s, l->t, l->value, (size_t)l->n);
    l->spline = s;
}

static void unit(words *w, const char *what, double x[3])
{
    numbers(w, what, x, 3);
    const double size = sqrt(dot(x, x));
    if (!(size > 0))
        fail(INPUT, "%s:%d: %s wants a direction", w->file, w->line, what);
    for (int a = 0; a < 3; a++)
        x[a] /= size;
}

static void word_of_link(words *w, joint *j)
{
    const char *k = w->word;
    double x[3];
    if (!strcmp(k, "hub")) {
        j->hub = whole(w, "hub");
    } else if (!strcmp(k, "tip")) {
        j->tip = whole(w, "tip");
    } else if (!strcmp(k, "modes")) {
        const long n = whole(w, "modes");
        if (n < 0 || n > NMODE)
            fail(INPUT, "%s:%d: modes 0 to %d", w->file, w->line, NMODE);
        j->modes = (int)n;
    } else if (!strcmp(k, "axis")) {
        unit(w, "axis", j->axis);
        j->revolute = 1;
    } else if (!strcmp(k, "turn")) {
        numbers(w, "turn", x, 3);
        rotation(x, j->B);
    } else if (!strcmp(k, "start")) {
        j->angle = number(w, "start");
        maybe(w, &j->rate);
    } else if (!strcmp(k, "stiffer")) {
        j->stiffer = number(w, "stiffer");
    } else if (!strcmp(k, "drive")) {
        drive(w, &j->drive);
    } else if (!strcmp(k, "torque")) {
        table(w, "torque", &j->torque);
    } else if (!strcmp(k, "force")) {
        numbers(w, "force", j->force, 3);
    } else if (!strcmp(k, "spring")) {
        unit(w, "spring", j->along);
        numbers(w, "spring", j->spring, 2);
    } else {
        fail(INPUT, "%s:%d: '%s' is not known here", w->file, w->line, k);
    }
}

static void new_link(words *w, chain *c)
{
    if (c->n == NLINK)
        fail(INPUT, "%s:%d: more than %d links", w->file, w->line, NLINK);
    joint *j = c->joint + c->n++;
    *j = (joint){.hub = -1, .tip = -1, .modes = -1, .stiffer = 1, .B = {1, 0, 0, 0, 1, 0, 0, 0, 1}};
    j->link.file = keep(next(w));
}

/* Joints and units that do not go together. */
static void check(const chain *c, int i)
{
    const joint *j = c->joint + i;
    const flex *b = &j->link, *first = &c->joint[0].link;
    static const char *const kind[] = {"mass", "length", "time", "force"};
    if (!j->revolute && (j->drive.kind || j->torque.kind || j->angle != 0 || j->rate != 0))
        fail(INPUT, "%s: the joint of link %d has no axis: it is rigid", c->file, i + 1);
    if (j->drive.kind && j->torque.kind)
        fail(INPUT, "%s: the joint of link %d is driven: its torque follows", c->file, i + 1);
    for (int k = 0; k < 4; k++)
        if (b->si[k] != first->si[k] || (b->si[k] == 0 && strcmp(b->unit[k], first->unit[k])))
            fail(INPUT, "%s has %s in %s, %s in %s: mnfparse --units makes them equal", first->file,
                 kind[k], first->unit[k], b->file, b->unit[k]);
}

void read_chain(chain *c, const char *file, int rigid)
{
    words w;
    c->file = file;
    c->time = 1;
    c->step = 0.01;
    c->joint = array(NLINK, sizeof *c->joint);
    c->pose = array(NLINK, sizeof *c->pose);
    open_words(&w, file);
    while (next(&w)[0]) {
        if (!strcmp(w.word, "gravity"))
            numbers(&w, "gravity", c->gravity, 3);
        else if (!strcmp(w.word, "time"))
            c->time = number(&w, "time");
        else if (!strcmp(w.word, "step"))
            c->step = number(&w, "step");
        else if (!strcmp(w.word, "bend"))
            c->bend = 1;
        else if (!strcmp(w.word, "link"))
            new_link(&w, c);
        else if (c->n)
            word_of_link(&w, c->joint + c->n - 1);
        else
            fail(INPUT, "%s:%d: '%s' is not known before the first link", file, w.line, w.word);
    }
    if (!c->n)
        fail(INPUT, "%s: no link", file);
    for (int i = 0; i < c->n; i++) {
        joint *j = c->joint + i;
        if (j->hub < 0 || j->tip < 0)
            fail(INPUT, "%s: link %d has no %s", file, i + 1, j->hub < 0 ? "hub" : "tip");
        read_link(&j->link, j->link.file, j->hub, j->tip, j->modes, j->stiffer, rigid);
        check(c, i);
        j->at = c->nx;
        j->nx = j->revolute + j->link.m - (rigid ? 6 : 0);
        c->nx += j->nx;
    }
    free(w.text);
}
