/* SPDX-License-Identifier: GPL-3.0-or-later */
/* svg.c - heat maps: one row of panels per model, one panel per criterion; or one panel alone.
 * Values stand in the cells where they are few, rigid modes are marked and have no frequency.
 *
 * Cells are grouped by their colour into one path each, so that 100 x 100 cells stay small. The
 * colours are 20 steps of one hue whose lightness falls steadily from white: print, grey and every
 * kind of colour vision see the same order. */
#include "correlate.h"
#include <math.h>
#include <stdio.h>
#include <string.h>

/* VALUES: so many cells a side show their values, in cells of CELL pixels or more, SIDE or more in
 * all; more cells share LARGE. narrow: the least that names of axes have. */
enum { LEVELS = 20, VALUES = 24, CELL = 23, SIDE = 360, LARGE = 560 };
static const double narrow = 240, names = 20, gap = 26, caption = 34, foot = 34;

/* From white over blue to a dark blue, lightness about linear. */
static void colour(int level, char out[8])
{
    static const double stop[4][3] = {
        {255, 255, 255}, {158, 202, 225}, {49, 130, 189}, {8, 32, 80}};
    double t = 3.0 * level / (LEVELS - 1), c[3];
    int k = t >= 3 ? 2 : (int)t;
    for (int a = 0; a < 3; a++)
        c[a] = stop[k][a] + (t - k) * (stop[k + 1][a] - stop[k][a]);
    snprintf(out, 8, "#%02x%02x%02x", (unsigned)lround(c[0]) & 255u, (unsigned)lround(c[1]) & 255u,
             (unsigned)lround(c[2]) & 255u);
}

static int level_of(double v)
{
    int k = (int)floor(v * (double)LEVELS);
    return k < 0 ? 0 : k >= LEVELS ? LEVELS - 1 : k;
}

static void escaped(const char *s, fb_buf *o)
{
    for (; *s; s++) {
        if (*s == '<' || *s == '&' || *s == '>')
            fb_put_text(o, "&#%d;", *s);
        else
            fb_put_bytes(o, s, 1);
    }
}

void fb_svg_text(fb_buf *o, double x, double y, const char *anchor, double size, const char *extra,
                 const char *what)
{
    fb_put_text(o, "<text x=\"%.1f\" y=\"%.1f\" text-anchor=\"%s\" font-size=\"%.1f\"%s>", x, y,
                anchor, size, extra);
    escaped(what, o);
    fb_put_text(o, "</text>\n");
}

static void cells(const fb_table *t, double x0, double y0, double w, double h, fb_buf *o)
{
    fb_put_text(o, "<g transform=\"translate(%.1f %.1f) scale(%.4f %.4f)\">\n", x0, y0, w, h);
    for (int level = 1; level < LEVELS; level++) { /* level 0 is the white background */
        int any = 0;
        char fill[8];
        colour(level, fill);
        for (int64_t i = 0; i < t->C.m; i++)
            for (int64_t j = 0; j < t->C.n; j++) {
                int64_t run = 0;
                while (j + run < t->C.n && level_of(t->C.x[i + (j + run) * t->C.m]) == level)
                    run++;
                if (!run)
                    continue;
                if (!any++)
                    fb_put_text(o, "<path fill=\"%s\" d=\"", fill);
                fb_put_text(o, "M%lld %lldh%lldv1h-%lldz", (long long)j, (long long)i,
                            (long long)run, (long long)run);
                j += run - 1;
            }
        if (any)
            fb_put_text(o, "\"/>\n");
    }
    fb_put_text(o, "</g>\n");
}

/* ---- what stands around the cells --------------------------------------------------------- */

/* Widths of digits and letters of DejaVu Sans, in shares of the size: a label is never cut. */
static const double wide = 0.64;

typedef struct {          /* of one panel */
    double cell, w, h;    /* side of a cell; the cells in all */
    double size;          /* of the labels */
    double left, top;     /* room for labels and names of axes */
    double width, height; /* with everything */
} layout;

static void label(const double *f, const char *rigid, int64_t k, char out[64])
{
    const double magnitude = fabs(f[k]);
    if (rigid[k]) /* its frequency is noise */
        snprintf(out, 64, "%lld: rigid", (long long)k + 1);
    else
        snprintf(out, 64, magnitude >= 1e4 && magnitude < 1e7 ? "%lld: %.0f" : "%lld: %.4g",
                 (long long)k + 1, f[k]);
}

static double longest(const double *f, const char *rigid, int64_t n, double size)
{
    size_t most = 0;
    for (int64_t k = 0; k < n; k++) {
        char text[64];
        label(f, rigid, k, text);
        most = strlen(text) > most ? strlen(text) : most;
    }
    return wide * size * (double)most;
}

static layout lay(const fb_shapes *a, const fb_shapes *b, const fb_correlation *c)
{
    const int64_t n = c->na > c->nb ? c->na : c->nb;
    layout l = {.cell =
                    n > VALUES ? (double)LARGE / (double)n : fmax(CELL, (double)SIDE / (double)n)};
    l.w = l.cell * (double)c->nb;
    l.h = l.cell * (double)c->na;
    l.size = fmin(10, fmax(7, l.cell * 0.75));
    l.left = names + longest(a->f, c->rigid, c->na, l.size) + 6;
    l.top = names + longest(b->f, c->rigid_b, c->nb, l.size) + 6;
    l.width = l.left + fmax(l.w, narrow) + gap;
    l.height = l.top + fmax(l.h, narrow) + caption;
    return l;
}

/* Numbers and frequencies along one side; every label that has 9 pixels of room. */
static void axis(const layout *l, const double *f, const char *rigid, int64_t n, double x0,
                 double y0, int vertical, fb_buf *o)
{
    const int64_t every = (int64_t)ceil(9 / l->cell);
    for (int64_t k = 0; k < n; k++) {
        char what[64], turn[96] = "";
        if ((k + 1) % every && !(every > 1 && k == 0))
            continue;
        label(f, rigid, k, what);
        const double at = ((double)k + 0.5) * l->cell + l->size * 0.35;
        const double x = vertical ? x0 - 5 : x0 + at, y = vertical ? y0 + at : y0 - 5;
        if (!vertical)
            snprintf(turn, sizeof turn, " transform=\"rotate(-90 %.1f %.1f)\"", x, y);
        fb_svg_text(o, x, y, vertical ? "end" : "start", l->size, turn, what);
    }
}

/* The name of an axis, squeezed where it is longer than its side and the margins. */
static void name_axis(const char *name, double x, double y, double room, int vertical, fb_buf *o)
{
    char line[200], extra[160] = "";
    snprintf(line, sizeof line, "mode of %s: frequency in Hz", name);
    if (vertical)
        snprintf(extra, sizeof extra, " transform=\"rotate(-90 %.1f %.1f)\"", x, y);
    if (wide * 11 * (double)strlen(line) > room)
        snprintf(extra + strlen(extra), sizeof extra - strlen(extra),
                 " textLength=\"%.0f\" lengthAdjust=\"spacingAndGlyphs\"", room);
    fb_svg_text(o, x, y, "middle", 11, extra, line);
}

/* Where rigid modes end, or begin. */
static void borders(const layout *l, const fb_correlation *c, double x0, double y0, fb_buf *o)
{
    for (int side = 0; side < 2; side++) {
        const char *rigid = side ? c->rigid_b : c->rigid;
        for (int64_t k = 1; k < (side ? c->nb : c->na); k++) {
            const double at = (double)k * l->cell;
            if (rigid[k] == rigid[k - 1])
                continue;
            fb_put_text(
                o, "<path d=\"M%.1f %.1f%s%.1f\" stroke=\"#c2410c\" stroke-dasharray=\"4 3\"/>\n",
                side ? x0 + at : x0, side ? y0 : y0 + at, side ? "v" : "h", side ? l->h : l->w);
        }
    }
}

/* Two digits a cell, where there are few; what would be .00 is left out. */
static void values(const layout *l, const fb_table *t, double x0, double y0, fb_buf *o)
{
    if (t->C.m > VALUES || t->C.n > VALUES)
        return;
    const double size = fmin(10, l->cell * 0.42);
    for (int64_t i = 0; i < t->C.m; i++)
        for (int64_t j = 0; j < t->C.n; j++) {
            const double v = t->C.x[i + j * t->C.m];
            char digits[16];
            if (v < 0.005)
                continue;
            snprintf(digits, sizeof digits, "%.2f", v);
            fb_svg_text(o, x0 + ((double)j + 0.5) * l->cell,
                        y0 + ((double)i + 0.5) * l->cell + 0.36 * size, "middle", size,
                        level_of(v) >= LEVELS / 2 ? " fill=\"#fff\"" : "",
                        v < 0.995 ? digits + 1 : "1");
        }
}

static void panel(const fb_shapes *a, const fb_shapes *b, const fb_correlation *c, int criterion,
                  double x, double y, fb_buf *o)
{
    const fb_table *t = c->table + criterion;
    const layout l = lay(a, b, c);
    const double x0 = x + l.left, y0 = y + l.top;
    fb_put_text(o, "<rect x=\"%.1f\" y=\"%.1f\" width=\"%.1f\" height=\"%.1f\" fill=\"#fff\"/>\n",
                x0, y0, l.w, l.h);
    cells(t, x0, y0, l.cell, l.cell, o);
    values(&l, t, x0, y0, o);
    borders(&l, c, x0, y0, o);
    fb_put_text(o,
                "<rect x=\"%.1f\" y=\"%.1f\" width=\"%.1f\" height=\"%.1f\" fill=\"none\" "
                "stroke=\"#444\"/>\n",
                x0, y0, l.w, l.h);
    axis(&l, a->f, c->rigid, c->na, x0, y0, 1, o);
    axis(&l, b->f, c->rigid_b, c->nb, x0, y0, 0, o);
    name_axis(a->name, x + names - 6, y0 + l.h / 2, l.height - 4, 1, o);
    name_axis(b->name, x0 + l.w / 2, y + names - 6, l.width - 4, 0, o);
    fb_svg_text(o, x0 + l.w / 2, y0 + l.h + 18, "middle", 13, " font-weight=\"bold\"",
                fb_criterion_name[criterion]);
}

static void legend(double x, double y, fb_buf *o)
{
    for (int k = 0; k < LEVELS; k++) {
        char fill[8];
        colour(k, fill);
        fb_put_text(o, "<rect x=\"%.1f\" y=\"%.1f\" width=\"12\" height=\"10\" fill=\"%s\"/>\n",
                    x + 12 * k, y, fill);
    }
    fb_put_text(o,
                "<rect x=\"%.1f\" y=\"%.1f\" width=\"%d\" height=\"10\" fill=\"none\" "
                "stroke=\"#444\"/>\n",
                x, y, 12 * LEVELS);
    for (int k = 0; k <= 5; k++) {
        char tick[16];
        snprintf(tick, sizeof tick, "%g", k / 5.0);
        fb_svg_text(o, x + 12 * LEVELS * k / 5.0, y + 21, "middle", 10, "", tick);
    }
}

void fb_svg_begin(double width, double height, fb_buf *o)
{
    fb_put_text(o,
                "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%.0f\" height=\"%.0f\" "
                "viewBox=\"0 0 %.0f %.0f\" font-family=\"DejaVu Sans, Arial, sans-serif\">\n"
                "<rect width=\"100%%\" height=\"100%%\" fill=\"#fff\"/>\n",
                width, height, width, height);
}

static void end(double x, double height, fb_buf *o)
{
    legend(x, height - foot + 6, o);
    fb_put_text(o, "</svg>\n");
}

void fb_report_panel(const fb_shapes *a, const fb_shapes *b, const fb_correlation *c, int criterion,
                     fb_buf *o)
{
    const layout l = lay(a, b, c);
    fb_svg_begin(l.width, l.height + foot, o);
    panel(a, b, c, criterion, 0, 0, o);
    end(l.left, l.height + foot, o);
}

void fb_report_svg(const fb_shapes *a, const fb_shapes *b, const fb_correlation *c, int64_t nmodel,
                   fb_buf *o)
{
    double width = 0, height = 0, y = 0;
    int columns = 0;
    for (int k = 0; k < FB_NCRITERION; k++)
        columns += c->table[k].C.x != NULL;
    for (int64_t q = 0; q < nmodel; q++) {
        const layout l = lay(a + q, b + q, c + q);
        width = fmax(width, l.width);
        height += l.height;
    }
    fb_svg_begin(columns * width, height + foot, o);
    for (int64_t q = 0; q < nmodel; q++) {
        int column = 0;
        for (int k = 0; k < FB_NCRITERION; k++)
            if (c[q].table[k].C.x)
                panel(a + q, b + q, c + q, k, width * column++, y, o);
        y += lay(a + q, b + q, c + q).height;
    }
    end(lay(a, b, c).left, height + foot, o);
}
