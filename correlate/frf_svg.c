/* SPDX-License-Identifier: GPL-3.0-or-later */
/* frf_svg.c - frequency responses as pictures: a panel a path, amplitude in decades above phase,
 * the reference as a broad grey line under the models.
 *
 * Of many frequencies a bucket keeps its smallest and its largest amplitude, so that no resonance
 * is lost. */
#include "response.h"
#include <math.h>
#include <stdio.h>

/* W, H, PHASE: sides of a panel's plots; DECADES: the most below the largest amplitude. */
static const double W = 860, H = 300, PHASE = 110, LEFT = 86, TOP = 34, GAP = 16, FOOT = 46;
static const double RIGHT = 24, ROW = 20, DECADES = 8;
enum { BUCKETS = 1500, NCOLOUR = 6 };
static const char *const colour[NCOLOUR] = {"#c2410c", "#0b6e8f", "#7c3aed",
                                            "#23863a", "#be185d", "#92660a"};
static const char *const dash[2] = {"", " stroke-dasharray=\"7 4\""};

typedef struct {
    const fb_frf_set *s;
    int64_t path;
    double y0;        /* top of the amplitude's plot */
    double low, high; /* decades */
} panel;

static double x_of(const panel *p, double hz)
{
    const fb_frf_ask *a = p->s->ask;
    const double span = a->hz[a->nf - 1] - a->hz[0];
    return LEFT + (span > 0 ? W * (hz - a->hz[0]) / span : W / 2);
}

static double amplitude_at(const panel *p, double complex h)
{
    const double d = cabs(h) > 0 ? log10(cabs(h)) : p->low;
    return p->y0 + H * (p->high - fmax(p->low, fmin(p->high, d))) / (p->high - p->low);
}

static double phase_at(const panel *p, double complex h)
{
    return p->y0 + H + GAP + PHASE * (0.5 - carg(h) / (2 * acos(-1)));
}

/* The decades that the reference and the models of this path have. */
static void range(panel *p)
{
    const fb_frf_ask *a = p->s->ask;
    double most = 0, least = INFINITY;
    for (int64_t m = -1; m < p->s->nmodel; m++) {
        const fb_frf *f = m < 0 ? &p->s->reference : p->s->model + m;
        for (int64_t k = 0; k < a->nf; k++) {
            const double v = cabs(f->H[p->path * a->nf + k]);
            most = fmax(most, v);
            least = v > 0 ? fmin(least, v) : least;
        }
    }
    p->high = most > 0 ? floor(log10(most)) + 1 : 0;
    p->low = most > 0 ? fmax(floor(log10(least)), p->high - DECADES) : -1;
}

static void line(const panel *p, const fb_frf *f, double (*y)(const panel *, double complex),
                 const char *style, fb_buf *o)
{
    const fb_frf_ask *a = p->s->ask;
    const double complex *h = f->H + p->path * a->nf;
    const int64_t size = (a->nf + BUCKETS - 1) / BUCKETS;
    fb_put_text(o, "<polyline fill=\"none\" %s points=\"", style);
    for (int64_t k = 0; k < a->nf; k += size) {
        int64_t least = k, most = k;
        for (int64_t q = k; q < a->nf && q < k + size; q++) {
            least = cabs(h[q]) < cabs(h[least]) ? q : least;
            most = cabs(h[q]) > cabs(h[most]) ? q : most;
        }
        const int64_t first = least < most ? least : most, last = least < most ? most : least;
        fb_put_text(o, "%.1f,%.1f ", x_of(p, a->hz[first]), y(p, h[first]));
        if (last != first)
            fb_put_text(o, "%.1f,%.1f ", x_of(p, a->hz[last]), y(p, h[last]));
    }
    fb_put_text(o, "\"/>\n");
}

static void style_of(int64_t model, char *out, size_t n)
{
    if (model < 0)
        snprintf(out, n, "stroke=\"#9aa5b1\" stroke-width=\"4\" stroke-linejoin=\"round\"");
    else
        snprintf(out, n, "stroke=\"%s\" stroke-width=\"1.5\"%s", colour[model % NCOLOUR],
                 dash[model / NCOLOUR % 2]);
}

static void frame(double y, double height, fb_buf *o)
{
    fb_put_text(o,
                "<rect x=\"%.0f\" y=\"%.1f\" width=\"%.0f\" height=\"%.1f\" fill=\"none\" "
                "stroke=\"#444\" pointer-events=\"all\"/>\n",
                LEFT, y, W, height);
}

static void rule(double x1, double y1, double x2, double y2, fb_buf *o)
{
    fb_put_text(o, "<path d=\"M%.1f %.1fL%.1f %.1f\" stroke=\"#e3e7ec\"/>\n", x1, y1, x2, y2);
}

/* 1, 2 or 5 times a power of ten, so that six to twelve of them fit. */
static double step_of(double span)
{
    const double decade = pow(10, floor(log10(span / 6))), t = span / 6 / decade;
    return decade * (t >= 5 ? 5 : t >= 2 ? 2 : 1);
}

static void axes(const panel *p, fb_buf *o)
{
    const fb_frf_ask *a = p->s->ask;
    const double bottom = p->y0 + H + GAP + PHASE, span = a->hz[a->nf - 1] - a->hz[0];
    char text[128], turn[64];
    for (int q = 0; q <= (int)(p->high - p->low); q++) {
        const double d = p->low + q;
        const double y = p->y0 + H * (p->high - d) / (p->high - p->low);
        rule(LEFT, y, LEFT + W, y, o);
        snprintf(text, sizeof text, "1e%.0f", d);
        fb_svg_text(o, LEFT - 6, y + 4, "end", 10, "", text);
    }
    for (int q = -1; q <= 1; q++) {
        const double y = bottom - PHASE * (0.5 + q / 2.);
        snprintf(text, sizeof text, "%d", 180 * q);
        fb_svg_text(o, LEFT - 6, y + 4, "end", 10, "", text);
    }
    rule(LEFT, bottom - PHASE / 2, LEFT + W, bottom - PHASE / 2, o);
    const double step = span > 0 ? step_of(span) : 1, first = ceil(a->hz[0] / step - 1e-9);
    const int marks = (int)floor(a->hz[a->nf - 1] * (1 + 1e-12) / step - first) + 1;
    for (int q = 0; q < marks; q++) {
        const double f = (first + q) * step;
        rule(x_of(p, f), p->y0, x_of(p, f), p->y0 + H, o);
        snprintf(text, sizeof text, "%.6g", fabs(f) < step / 1e6 ? 0 : f);
        fb_svg_text(o, x_of(p, f), bottom + 16, "middle", 10, "", text);
    }
    fb_svg_text(o, LEFT + W / 2, bottom + 34, "middle", 11, "", "frequency in Hz");
    for (int side = 0; side < 2; side++) {
        const double y = side ? bottom - PHASE / 2 : p->y0 + H / 2;
        snprintf(turn, sizeof turn, " transform=\"rotate(-90 24 %.1f)\"", y);
        snprintf(text, sizeof text, side ? "phase in deg" : "amplitude in %s",
                 a->path[p->path].unit);
        fb_svg_text(o, 24, y, "middle", 11, turn, text);
    }
}

static void draw(const panel *p, fb_buf *o)
{
    char style[120];
    fb_put_text(o, "<g data-path=\"%lld\">\n", (long long)p->path);
    fb_svg_text(o, LEFT, p->y0 - 10, "start", 13, " font-weight=\"bold\"",
                p->s->ask->path[p->path].name);
    axes(p, o);
    for (int64_t m = -1; m < p->s->nmodel; m++) {
        const fb_frf *f = m < 0 ? &p->s->reference : p->s->model + m;
        style_of(m, style, sizeof style);
        line(p, f, amplitude_at, style, o);
        line(p, f, phase_at, style, o);
    }
    frame(p->y0, H, o);
    frame(p->y0 + H + GAP, PHASE, o);
    fb_put_text(o, "</g>\n");
}

static void legend(const fb_frf_set *s, double y, fb_buf *o)
{
    for (int64_t m = -1; m < s->nmodel; m++, y += ROW) {
        char style[120], text[160];
        style_of(m, style, sizeof style);
        fb_put_text(o, "<path d=\"M%.0f %.1fh44\" fill=\"none\" %s/>\n", LEFT, y, style);
        if (m < 0) {
            snprintf(text, sizeof text, "%s (reference)", s->reference.name);
        } else {
            const fb_frf_match w = fb_frf_worst(s, m);
            snprintf(text, sizeof text, "%s: FRAC %.4f, %.3g dB at %.6g Hz", s->model[m].name,
                     w.frac, w.error, w.at);
        }
        fb_svg_text(o, LEFT + 54, y + 4, "start", 12, "", text);
    }
}

void fb_frf_svg(const fb_frf_set *s, fb_buf *o)
{
    const double each = TOP + H + GAP + PHASE + FOOT;
    const double height = each * (double)s->ask->npath + ROW * (double)(s->nmodel + 2);
    fb_svg_begin(LEFT + W + RIGHT, height, o);
    for (int64_t k = 0; k < s->ask->npath; k++) {
        panel p = {.s = s, .path = k, .y0 = TOP + each * (double)k};
        range(&p);
        draw(&p, o);
    }
    legend(s, each * (double)s->ask->npath + ROW, o);
    fb_put_text(o, "</svg>\n");
}
