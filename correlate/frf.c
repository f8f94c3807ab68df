/* SPDX-License-Identifier: GPL-3.0-or-later */
/* frf.c - what is asked of frequency responses, how near two of them are, and both as a text, CSV
 * and JSON.
 *
 * Symbols   H_r response of the reference, H_m of a model, k = 1..nf frequencies
 * Equations
 *   (FC.1) FRAC = |sum H_r' H_m|^2 / (sum |H_r|^2 sum |H_m|^2)      ' conjugate
 *   (FC.2) error = 20 log10(|H_m| / |H_r|) dB
 * Amplitudes below 1e-8 of the reference's largest on that path count as that in (FC.2): they are
 * round-off. Two responses that are zero everywhere agree; so do two that are below 1e-10 of the
 * reference's largest of that unit: they are zero by symmetry, and their shape is round-off.
 * Source    Heylen & Lammens, FRAC: a consistent way of comparing frequency response functions,
 *           Proc. Int. Conf. Identification in Engineering Systems, Swansea (1996) 48-57
 */
#include "response.h"
#include "memory.h"
#include "number.h"
#include "page.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST = 1000000 };          /* frequencies */
static const double FLOOR = 1e-8; /* of the largest amplitude: 160 dB */
static const double ZERO = 1e-10; /* of the largest of any path of the same unit */

/* ---- what is asked --------------------------------------------------------------------------- */

fb_status fb_frf_paths(fb_frf_ask *a, const char *list, fb_err *e)
{
    int64_t cap = 0;
    for (const char *p = list, *last = list + strlen(list), *end; *p; p = *end ? end + 1 : end) {
        fb_path one = {0};
        end = fb_scan_dofref(p, last, &one.out);
        const char *in = end && *end == ':' ? end + 1 : NULL;
        end = in ? fb_scan_dofref(in, last, &one.in) : NULL;
        if (!end || (*end && *end != ','))
            return fb_fail(e, FB_EUSAGE,
                           "--frf: '%.60s' is not OUT:IN, two dofs NODE.COMPONENT, as in 21.3:1.3 "
                           "or TIP.3:HUB.3",
                           p);
        one.out_component = one.out.component;
        one.in_component = one.in.component;
        snprintf(one.name, sizeof one.name, "%.*s", (int)(end - p), p);
        for (int64_t k = 0; k < a->npath; k++)
            if (!strcmp(a->path[k].name, one.name))
                return fb_fail(e, FB_EUSAGE, "--frf: %s stands twice", one.name);
        FB_PASS(fb_grow(&a->path, &cap, a->npath + 1, sizeof *a->path, e));
        a->path[a->npath++] = one;
    }
    return a->npath ? FB_OK : fb_fail(e, FB_EUSAGE, "--frf wants OUT:IN,...");
}

fb_status fb_frf_nodes(fb_frf_ask *a, const fb_model *b, fb_err *e)
{
    for (fb_path *p = a->path; p < a->path + a->npath; p++) {
        FB_PASS(fb_one_node(b, "--frf", p->out.name, p->out.end, &p->out_node, e));
        FB_PASS(fb_one_node(b, "--frf", p->in.name, p->in.end, &p->in_node, e));
    }
    return FB_OK;
}

fb_status fb_frf_frequencies(fb_frf_ask *a, const char *list, fb_err *e)
{
    double f[2] = {0};
    int64_t n = 0;
    const char *end = list + strlen(list), *p = fb_scan_real(list, end, f);
    p = p && p < end && *p == ',' ? fb_scan_real(p + 1, end, f + 1) : NULL;
    p = p && p < end && *p == ',' ? fb_scan_int(p + 1, end, &n) : NULL;
    if (p != end || f[0] < 0 || f[1] < f[0] || n < 1 || n > MOST || (n > 1 && !(f[1] > f[0])) ||
        (n == 1 && f[1] > f[0]))
        return fb_fail(e, FB_EUSAGE,
                       "--frequencies: '%.80s' is not F0,F1,N: from F0 to F1 in Hz, N of them, at "
                       "most %d (F0,F0,1 is one)",
                       list, MOST);
    FB_PASS(FB_NEW(&a->hz, n, e));
    a->nf = n;
    for (int64_t k = 0; k < n; k++)
        a->hz[k] = k ? f[0] + (f[1] - f[0]) * (double)k / (double)(n - 1) : f[0];
    return FB_OK;
}

void fb_frf_ask_free(fb_frf_ask *a)
{
    FB_FREE(a->path, a->hz);
    *a = (fb_frf_ask){0};
}

/* ---- how near ------------------------------------------------------------------------------ */

static double largest(const double complex *H, int64_t n)
{
    double most = 0;
    for (int64_t k = 0; k < n; k++)
        most = fmax(most, cabs(H[k]));
    return most;
}

double fb_frf_decibel(double complex of, double complex to, double floor)
{
    const double x = fmax(cabs(of), floor), y = fmax(cabs(to), floor);
    return x > 0 && y > 0 ? 20 * log10(x / y) : 0; /* (FC.2) */
}

/* The largest of all paths with the unit of this one. */
static double largest_alike(const fb_frf_ask *a, const fb_frf *f, int64_t path)
{
    double most = 0;
    for (int64_t p = 0; p < a->npath; p++)
        if (!strcmp(a->path[p].unit, a->path[path].unit))
            most = fmax(most, largest(f->H + p * a->nf, a->nf));
    return most;
}

fb_frf_match fb_frf_compare(const fb_frf_ask *a, const fb_frf *reference, const fb_frf *model,
                            int64_t path)
{
    const double complex *r = reference->H + path * a->nf, *m = model->H + path * a->nf;
    const double top[2] = {largest(r, a->nf), largest(m, a->nf)};
    const double alike = largest_alike(a, reference, path);
    fb_frf_match c = {.frac = 1, .at = a->hz[0], .zero = fmax(top[0], top[1]) <= ZERO * alike};
    double complex rm = 0;
    double rr = 0, mm = 0;
    if (c.zero)
        return c;
    for (int64_t k = 0; k < a->nf; k++) {
        const double d = fb_frf_decibel(m[k], r[k], FLOOR * top[0]);
        if (top[0] > 0 && top[1] > 0) { /* of size 1: squares of small numbers vanish */
            const double complex x = r[k] / top[0], y = m[k] / top[1];
            rm += conj(x) * y;
            rr += creal(conj(x) * x);
            mm += creal(conj(y) * y);
        }
        if (fabs(d) > fabs(c.error)) {
            c.error = d;
            c.at = a->hz[k];
        }
    }
    if (rr > 0 && mm > 0)
        c.frac = creal(conj(rm) * rm) / (rr * mm); /* (FC.1) */
    else
        c.frac = top[0] == 0 && top[1] == 0;
    return c;
}

fb_frf_match fb_frf_worst(const fb_frf_set *s, int64_t model)
{
    const fb_frf_match *m = s->match + model * s->ask->npath;
    fb_frf_match w = m[0];
    for (int64_t k = 1; k < s->ask->npath; k++) {
        w.frac = fmin(w.frac, m[k].frac);
        if (fabs(m[k].error) > fabs(w.error)) {
            w.error = m[k].error;
            w.at = m[k].at;
        }
    }
    return w;
}

/* ---- a text -------------------------------------------------------------------------------- */

static void put_padded(const char *s, int columns, fb_buf *o)
{
    const int width = fb_text_width(s);
    fb_put_text(o, "%s%*s", s, width < columns ? columns - width : 0, "");
}

static void summary(const fb_frf_set *s, fb_buf *o)
{
    fb_put_text(o, "summary: lowest FRAC, largest error of the amplitude\n");
    fb_put_text(o, "  %-24s  order    FRAC  error [dB]     at [Hz]\n", "model");
    for (int64_t m = 0; m < s->nmodel; m++) {
        const fb_frf_match w = fb_frf_worst(s, m);
        fb_put_text(o, "  ");
        put_padded(s->model[m].name, 24, o);
        if (s->model[m].order)
            fb_put_text(o, " %6lld", (long long)s->model[m].order);
        else
            fb_put_text(o, "   full");
        fb_put_text(o, "  %6.4f  %10.4f  %10.6g\n", w.frac, w.error, w.at);
    }
    fb_put_text(o, "\n");
}

void fb_frf_text(const fb_frf_set *s, fb_buf *o)
{
    const fb_frf_ask *a = s->ask;
    for (int64_t m = 0; m < s->nmodel; m++) {
        const int own = !s->reference.order && !strcmp(s->model[m].name, s->reference.name);
        fb_put_text(o, "%s against %s: %lld frequencies from %.6g to %.6g Hz; %s against %s\n",
                    s->model[m].name, own ? "its full model" : s->reference.name, (long long)a->nf,
                    a->hz[0], a->hz[a->nf - 1], s->model[m].terms, s->reference.terms);
        fb_put_text(o, "  %-24s  %-12s    FRAC  error [dB]     at [Hz]\n", "response", "unit");
        for (int64_t p = 0; p < a->npath; p++) {
            const fb_frf_match *c = s->match + m * a->npath + p;
            fb_put_text(o, "  ");
            put_padded(a->path[p].name, 24, o);
            fb_put_text(o, "  ");
            put_padded(a->path[p].unit, 12, o);
            if (c->zero)
                fb_put_text(o, "  zero by symmetry\n");
            else
                fb_put_text(o, "  %6.4f  %10.4f  %10.6g\n", c->frac, c->error, c->at);
        }
        fb_put_text(o, "\n");
    }
    summary(s, o);
}

/* ---- CSV ----------------------------------------------------------------------------------- */

static double degrees(double complex h)
{
    return carg(h) * 180 / acos(-1);
}

/* Names of nodes may be quoted, for what stands in them. */
static void put_path(const char *name, fb_buf *o)
{
    if (strpbrk(name, ",\""))
        fb_put_csv(o, name);
    else
        fb_put_text(o, "%s", name);
}

static void rows(const fb_frf_set *s, const fb_frf *f, int reference, fb_buf *o)
{
    const fb_frf_ask *a = s->ask;
    for (int64_t p = 0; p < a->npath; p++) {
        const double complex *r = s->reference.H + p * a->nf, *h = f->H + p * a->nf;
        const double floor = FLOOR * largest(r, a->nf);
        for (int64_t k = 0; k < a->nf; k++) {
            fb_put_csv(o, f->name);
            fb_put_text(o, ",");
            put_path(a->path[p].name, o);
            fb_put_text(o, ",%s,%.12g,%.12g,%.12g,%.12g,%.9g,", a->path[p].unit, a->hz[k],
                        creal(h[k]), cimag(h[k]), cabs(h[k]), degrees(h[k]));
            if (!reference)
                fb_put_text(o, "%.9g", fb_frf_decibel(h[k], r[k], floor));
            fb_put_text(o, "\n");
        }
    }
}

void fb_frf_csv(const fb_frf_set *s, fb_buf *o)
{
    fb_put_text(o,
                "model,response,unit,frequency_hz,real,imaginary,amplitude,phase_deg,error_db\n");
    rows(s, &s->reference, 1, o);
    for (int64_t m = 0; m < s->nmodel; m++)
        rows(s, s->model + m, 0, o);
}

/* ---- JSON ---------------------------------------------------------------------------------- */

static void reals(const char *name, const double complex *h, int64_t n,
                  double (*of)(double complex), fb_buf *o)
{
    fb_put_text(o, ", \"%s\": [", name);
    for (int64_t k = 0; k < n; k++) {
        fb_put_text(o, "%s", k ? ", " : "");
        fb_put_json_real(o, of(h[k]));
    }
    fb_put_text(o, "]");
}

static void response(const fb_frf_set *s, const fb_frf *f, const fb_frf_match *match, fb_buf *o)
{
    const fb_frf_ask *a = s->ask;
    fb_put_text(o, "{\"name\": ");
    fb_put_json(o, f->name);
    fb_put_text(o, ", \"order\": %lld, \"terms\": ", (long long)f->order);
    fb_put_json(o, f->terms);
    fb_put_text(o, ", \"responses\": [");
    for (int64_t p = 0; p < a->npath; p++) {
        const double complex *h = f->H + p * a->nf;
        fb_put_text(o, "%s\n {\"response\": ", p ? "," : "");
        fb_put_json(o, a->path[p].name);
        fb_put_text(o, ", \"unit\": ");
        fb_put_json(o, a->path[p].unit);
        if (match)
            fb_put_text(o, ", \"frac\": %.17g, \"largest_error_db\": %.17g, \"at_hz\": %.17g",
                        match[p].frac, match[p].error, match[p].at);
        if (match && match[p].zero)
            fb_put_text(o, ", \"zero_by_symmetry\": true");
        reals("real", h, a->nf, creal, o);
        reals("imaginary", h, a->nf, cimag, o);
        reals("amplitude", h, a->nf, cabs, o);
        reals("phase_deg", h, a->nf, degrees, o);
        fb_put_text(o, "}");
    }
    fb_put_text(o, "]");
    if (match) {
        const fb_frf_match w = fb_frf_worst(s, (match - s->match) / a->npath);
        fb_put_text(o, ", \"frac\": %.17g, \"largest_error_db\": %.17g, \"at_hz\": %.17g", w.frac,
                    w.error, w.at);
    }
    fb_put_text(o, "}");
}

void fb_frf_json(const fb_frf_set *s, fb_buf *o)
{
    const fb_frf_ask *a = s->ask;
    fb_put_text(o, "{\"frequency_hz\": [");
    for (int64_t k = 0; k < a->nf; k++)
        fb_put_text(o, "%s%.17g", k ? ", " : "", a->hz[k]);
    fb_put_text(o, "],\n\"reference\": ");
    response(s, &s->reference, NULL, o);
    fb_put_text(o, ",\n\"models\": [");
    for (int64_t m = 0; m < s->nmodel; m++) {
        fb_put_text(o, "%s\n", m ? "," : "");
        response(s, s->model + m, s->match + m * a->npath, o);
    }
    fb_put_text(o, "]}\n");
}

/* ---- HDF5 ---------------------------------------------------------------------------------- */

/* "cb.h5: rows 21.3:1.3, 21.1:1.1; frequencies; real and imaginary part" */
static void describe(const fb_frf_ask *a, const char *model, char *out, size_t n)
{
    snprintf(out, n, "%s: rows", model);
    for (int64_t p = 0; p < a->npath; p++) {
        const size_t at = strlen(out), more = strlen(a->path[p].name) + 60;
        if (at + more > n) {
            snprintf(out + at, n - at, ", ...");
            break;
        }
        snprintf(out + at, n - at, "%s %s", p ? "," : "", a->path[p].name);
    }
    const size_t at = strlen(out);
    snprintf(out + at, n - at, "; frequencies; real and imaginary part");
}

static const char *common_unit(const fb_frf_ask *a)
{
    for (int64_t p = 1; p < a->npath; p++)
        if (strcmp(a->path[p].unit, a->path[0].unit))
            return "displacement or rotation over force or moment";
    return a->path[0].unit;
}

fb_status fb_frf_h5(const fb_frf_set *s, fb_datasets *d, fb_err *e)
{
    const fb_frf_ask *a = s->ask;
    FB_PASS(fb_new(&d->label, s->nmodel + 1, sizeof *d->label, "names of datasets", e));
    FB_PASS(fb_new(&d->array, s->nmodel + 2, sizeof *d->array, "datasets", e));
    d->array[d->n++] = (fb_array){.path = "/response/frequency",
                                  .type = 'd',
                                  .rank = 1,
                                  .dim = {a->nf},
                                  .data = a->hz,
                                  .attr = {{"units", "Hz"}, {"description", "frequencies"}}};
    for (int64_t m = -1; m < s->nmodel; m++) {
        const fb_frf *f = m < 0 ? &s->reference : s->model + m;
        fb_label *l = d->label + m + 1;
        if (m < 0)
            snprintf(l->path, sizeof l->path, "/response/reference");
        else
            snprintf(l->path, sizeof l->path, "/response/%lld", (long long)m + 1);
        describe(a, f->name, l->text, sizeof l->text);
        d->array[d->n++] =
            (fb_array){.path = l->path,
                       .type = 'd',
                       .rank = 3,
                       .dim = {a->npath, a->nf, 2},
                       .data = f->H,
                       .attr = {{"units", common_unit(a)}, {"description", l->text}}};
    }
    return FB_OK;
}
