/* SPDX-License-Identifier: GPL-3.0-or-later */
/* punch.c - eigenvectors in a punch file.
 *
 * Layout  $EIGENVECTOR, then $ lines: $REAL OUTPUT (or another form), $EIGENVALUE = x MODE = n;
 *         lines of fixed columns: point in 1-10, G or S in 18, three reals of 18 columns; -CONT-
 *         lines have the next three. Columns 73-80 count lines. A complex vector has four lines a
 *         point. The components are along the axes of the points (CD), with seven digits.
 * Beware  Within a deck a line that begins with blanks continues a card: these lines are taken
 *         before the walk over the cards sees them. */
#include "nastran.h"
#include <ctype.h>
#include <math.h>

enum { POINT = 10, KIND = 17, VALUES = 18, WIDTH = 18 }; /* columns */

/* The number behind the word and its '=' in the line: 0 where it is not there. */
static int behind(fb_span line, const char *word, double *v)
{
    const size_t n = strlen(word);
    for (const char *p = line.p; p + n <= line.end; p++) {
        if (memcmp(p, word, n))
            continue;
        p = fb_skip_blanks(p + n, line.end);
        if (p < line.end && *p == '=')
            return fb_scan_real(fb_skip_blanks(p + 1, line.end), line.end, v) != NULL;
        return 0;
    }
    return 0;
}

static int starts(fb_span line, const char *word)
{
    const size_t n = strlen(word);
    return (size_t)(line.end - line.p) >= n && !memcmp(line.p, word, n);
}

/* The next line, which the text keeps; 0 at its end. */
static int peek(const nas_text *t, fb_span *line)
{
    fb_lines l = t->t;
    return fb_take_line(&l, line);
}

static void step(nas_text *t)
{
    fb_span line;
    if (fb_take_line(&t->t, &line))
        t->line++;
}

/* The $ lines: mode and eigenvalue, of real vectors. */
static fb_status head(nas_deck *d, nas_text *t, int *real, fb_err *e)
{
    double lambda = 0, mode = 0;
    int known = 0;
    *real = 0;
    for (fb_span line; peek(t, &line) && starts(line, "$"); step(t)) {
        if (starts(line, "$REAL OUTPUT"))
            *real = 1;
        if (starts(line, "$EIGENVALUE"))
            known = behind(line, "$EIGENVALUE", &lambda) && behind(line, "MODE", &mode);
    }
    if (!*real)
        return FB_OK;
    if (!known || !isfinite(lambda) || !(mode >= 1 && mode <= FB_NODE_MAX))
        return fb_fail(e, FB_EFORMAT,
                       "line %lld: '$EIGENVALUE = number MODE = number' is wanted before the "
                       "points of an eigenvector",
                       (long long)t->line);
    return fb_modes_begin(&d->shapes, (int64_t)mode, fb_hertz(&(fb_units){0}, lambda), 0, e);
}

/* Three reals of a line; blank ones are 0. */
static int three(fb_span line, double *v)
{
    for (int k = 0; k < 3; k++) {
        const fb_span f = fb_columns(line, VALUES + WIDTH * k, WIDTH);
        v[k] = 0;
        if (!nas_blank(f) && (!fb_is_real(f, v + k) || !isfinite(v[k])))
            return 0;
    }
    return line.end - line.p >= VALUES + WIDTH;
}

static fb_status point(nas_deck *d, nas_text *t, fb_err *e)
{
    fb_span line;
    double v[6];
    int64_t id = 0;
    if (!peek(t, &line))
        return FB_OK;
    const char kind = line.end - line.p > KIND ? line.p[KIND] : ' ';
    int good = fb_is_int(fb_columns(line, 0, POINT), &id) && id >= 1 && id <= FB_NODE_MAX &&
               three(line, v);
    step(t);
    good = good && peek(t, &line) && starts(line, "-CONT-") && three(line, v + 3);
    if (!good)
        return fb_fail(e, FB_EFORMAT,
                       "line %lld: a point, its kind and three reals, and a -CONT- line with three "
                       "more are wanted: was the file cut?",
                       (long long)t->line);
    step(t);
    if (kind != 'G') {
        d->nscalar++;
        return FB_OK;
    }
    return fb_modes_row(&d->shapes, id, v, e);
}

fb_status nas_punch(nas_deck *d, nas_text *t, fb_err *e)
{
    const int64_t before = d->shapes.nrow;
    int real = 0;
    FB_PASS(head(d, t, &real, e));
    d->ncomplex += !real;
    for (fb_span line; peek(t, &line) && !starts(line, "$");) {
        const char *text = fb_skip_blanks(line.p, line.end);
        if (real && line.end - line.p > KIND && text < line.end && isdigit((unsigned char)*text))
            FB_PASS(point(d, t, e));
        else if (!real && (starts(line, "-CONT-") || starts(line, " ")))
            step(t);
        else
            break;
    }
    if (real && d->shapes.nrow == before)
        return fb_fail(e, FB_EFORMAT,
                       "line %lld: an eigenvector without grid points: was the file cut?",
                       (long long)t->line);
    return FB_OK;
}

fb_status nas_punch_finish(nas_deck *d, const char *origin, const char *format, fb_err *e)
{
    if (d->ncomplex)
        fb_warn(d->log, "%s: %lld complex eigenvectors are not read: real ones are", origin,
                (long long)d->ncomplex);
    if (d->nscalar)
        fb_note(d->log, "%s: %lld values of eigenvectors at scalar points are left out", origin,
                (long long)d->nscalar);
    if (d->shapes.n == 0)
        return FB_OK;
    fb_note(d->log, "%s: %lld modes, along the points' axes (CD)", origin, (long long)d->shapes.n);
    return fb_modes_results(&d->shapes, d->parts, format, origin, "", 1, d->log, e);
}
