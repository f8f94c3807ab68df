/* SPDX-License-Identifier: GPL-3.0-or-later */
/* svg.c - heat maps: one row of panels per model, one panel per criterion.
 *
 * Cells are grouped by their colour into one path each, so that 100 x 100 cells stay small. The
 * colours are 20 steps of one hue whose lightness falls steadily from white: print, grey and every
 * kind of colour vision see the same order. */
#include "correlate.h"
#include <math.h>
#include <stdio.h>

enum { LEVELS = 20, SIDE = 360, LEFT = 92, TOP = 78, GAP = 40, CAPTION = 54, FOOT = 30 };

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

static void text(fb_buf *o, double x, double y, const char *anchor, double size, const char *extra,
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

/* Mode numbers and frequencies along one side; every label that has 9 pixels of room. */
static void axis(const double *f, int64_t n, double x0, double y0, int vertical, fb_buf *o)
{
    double step = (double)SIDE / (double)n, size = fmin(10, fmax(7, step * 0.75));
    int64_t every = (int64_t)ceil(9 / step);
    for (int64_t k = 0; k < n; k++) {
        char label[64], turn[96] = "";
        if ((k + 1) % every && !(every > 1 && k == 0))
            continue;
        const double magnitude = fabs(f[k]);
        snprintf(label, sizeof label,
                 magnitude < 1e-2                      ? "%lld"
                 : magnitude >= 1e4 && magnitude < 1e7 ? "%lld: %.0f Hz"
                                                       : "%lld: %.4g Hz",
                 (long long)k + 1, f[k]);
        double at = (double)k * step + step / 2 + size * 0.35;
        double x = vertical ? x0 - 5 : x0 + at, y = vertical ? y0 + at : y0 - 5;
        if (!vertical)
            snprintf(turn, sizeof turn, " transform=\"rotate(-90 %.1f %.1f)\"", x, y);
        text(o, x, y, vertical ? "end" : "start", size, turn, label);
    }
}

/* A line below a panel; one that could reach the next panel is squeezed. */
static void caption(const char *what, const char *name, double x, double y, fb_buf *o)
{
    enum { LONG = 62, ROOM = SIDE + 2 * GAP };
    char line[200], extra[64] = "";
    const int n = snprintf(line, sizeof line, "%s %s", what, name);
    if (n > LONG)
        snprintf(extra, sizeof extra, " textLength=\"%d\" lengthAdjust=\"spacingAndGlyphs\"", ROOM);
    text(o, x, y, "middle", 11, extra, line);
}

static void panel(const fb_shapes *a, const fb_shapes *b, const fb_table *t, const char *name,
                  double x0, double y0, fb_buf *o)
{
    const double middle = x0 + (double)SIDE / 2, below = y0 + (double)SIDE;
    fb_put_text(o, "<rect x=\"%.1f\" y=\"%.1f\" width=\"%d\" height=\"%d\" fill=\"#fff\"/>\n", x0,
                y0, SIDE, SIDE);
    cells(t, x0, y0, (double)SIDE / (double)t->C.n, (double)SIDE / (double)t->C.m, o);
    fb_put_text(
        o,
        "<rect x=\"%.1f\" y=\"%.1f\" width=\"%d\" height=\"%d\" fill=\"none\" stroke=\"#444\"/>\n",
        x0, y0, SIDE, SIDE);
    axis(a->f, t->C.m, x0, y0, 1, o);
    axis(b->f, t->C.n, x0, y0, 0, o);
    text(o, middle, below + 16, "middle", 13, " font-weight=\"bold\"", name);
    caption("rows:", a->name, middle, below + 30, o);
    caption("columns:", b->name, middle, below + 43, o);
}

static void legend(double x, double y, fb_buf *o)
{
    for (int k = 0; k < LEVELS; k++) {
        char fill[8];
        colour(k, fill);
        fb_put_text(o, "<rect x=\"%.1f\" y=\"%.1f\" width=\"12\" height=\"10\" fill=\"%s\"/>\n",
                    x + 12 * k, y, fill);
    }
    fb_put_text(
        o,
        "<rect x=\"%.1f\" y=\"%.1f\" width=\"%d\" height=\"10\" fill=\"none\" stroke=\"#444\"/>\n",
        x, y, 12 * LEVELS);
    text(o, x - 6, y + 9, "end", 11, "", "0");
    text(o, x + 12 * LEVELS + 6, y + 9, "start", 11, "", "1");
}

void fb_report_svg(const fb_shapes *a, const fb_shapes *b, const fb_correlation *c, int64_t nmodel,
                   fb_buf *o)
{
    int columns = 0;
    for (int k = 0; k < FB_NCRITERION; k++)
        columns += c->table[k].C.x != NULL;
    int width = columns * (LEFT + SIDE + GAP), row = TOP + SIDE + CAPTION,
        height = (int)nmodel * row + FOOT;
    fb_put_text(o,
                "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%d\" height=\"%d\" viewBox=\"0 "
                "0 %d %d\" font-family=\"DejaVu Sans, Arial, sans-serif\">\n<rect width=\"100%%\" "
                "height=\"100%%\" fill=\"#fff\"/>\n",
                width, height, width, height);
    for (int64_t q = 0; q < nmodel; q++) {
        int column = 0;
        for (int k = 0; k < FB_NCRITERION; k++)
            if (c[q].table[k].C.x)
                panel(a + q, b + q, c[q].table + k, fb_criterion_name[k],
                      LEFT + column++ * (LEFT + SIDE + GAP), (double)(TOP + q * row), o);
    }
    legend(LEFT, height - FOOT + 8, o);
    fb_put_text(o, "</svg>\n");
}
