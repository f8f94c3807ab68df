/* SPDX-License-Identifier: GPL-3.0-or-later */
/* report.c - a correlation as a text for people, as CSV, as JSON and as datasets of HDF5. */
#include "correlate.h"
#include "memory.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

static double error_percent(double fa, double fb)
{
    double x = fa != 0 ? 100 * (fb / fa - 1) : 0;
    return fabs(x) < 5e-5 ? 0 : x; /* no -0.0000 in a table of four digits */
}

static void pairs(const fb_shapes *a, const fb_shapes *b, const fb_correlation *c, fb_buf *o)
{
    fb_put_text(o, "  mode  frequency [Hz]    pair  frequency [Hz]   error [%%]");
    for (int k = 0; k < FB_NCRITERION; k++)
        if (c->table[k].C.x)
            fb_put_text(o, "  %7s", fb_criterion_name[k]);
    if (a->damping)
        fb_put_text(o, "  damping [%%]");
    if (b->damping)
        fb_put_text(o, "  pair's [%%]");
    fb_put_text(o, "\n");
    for (int64_t i = 0; i < c->na; i++) {
        int64_t j = c->pair[i];
        fb_put_text(o, "%6lld %15.6f", (long long)i + 1, a->f[i]);
        if (j < 0) {
            fb_put_text(o, "    none\n");
            continue;
        }
        fb_put_text(o, "  %6lld %15.6f", (long long)j + 1, b->f[j]);
        if (c->rigid[i])
            fb_put_text(o, "       rigid");
        else
            fb_put_text(o, "  %10.4f", error_percent(a->f[i], b->f[j]));
        for (int k = 0; k < FB_NCRITERION; k++)
            if (c->table[k].C.x)
                fb_put_text(o, "  %7.4f", c->table[k].C.x[i + j * c->na]);
        if (a->damping)
            fb_put_text(o, "  %11.4f", 100 * a->damping[i]);
        if (b->damping)
            fb_put_text(o, "  %10.4f", 100 * b->damping[j]);
        fb_put_text(o, "%s\n", !c->rigid[i] && fb_out_of_order(c, i) ? "  swapped" : "");
    }
}

/* Of mode i of the reference, in percent; 0: it has none. */
static int has_error(const fb_shapes *a, const fb_shapes *b, const fb_correlation *c, int64_t i,
                     double *percent)
{
    if (c->rigid[i] || c->pair[i] < 0 || a->f[i] == 0)
        return 0;
    *percent = 100 * (b->f[c->pair[i]] / a->f[i] - 1);
    return 1;
}

fb_pair_errors fb_correlation_errors(const fb_shapes *a, const fb_shapes *b,
                                     const fb_correlation *c)
{
    fb_pair_errors p = {0};
    double sum = 0, x;
    for (int64_t i = 0; i < c->na; i++) {
        if (!has_error(a, b, c, i, &x))
            continue;
        p.largest = fmax(p.largest, fabs(x));
        sum += fabs(x);
        p.n++;
    }
    p.mean = p.n ? sum / (double)p.n : 0;
    return p;
}

static int has_partner(const fb_correlation *c, int64_t j)
{
    for (int64_t i = 0; i < c->na; i++)
        if (c->pair[i] == j)
            return 1;
    return 0;
}

/* The elastic modes of both models without a partner, where it is not for want of modes on the
 * other side. */
static void alone(const fb_shapes *a, const fb_shapes *b, const fb_correlation *c, double partner,
                  fb_buf *o)
{
    enum { MOST = 20 };
    for (int side = 0; c->nmissing && side < 2; side++) {
        int64_t n = 0;
        for (int64_t k = 0; k < (side ? c->nb : c->na); k++)
            if (!(side ? c->rigid_b : c->rigid)[k] &&
                (side ? !has_partner(c, k) : c->pair[k] < 0)) {
                if (n++ == 0)
                    fb_put_text(o,
                                "no partner (%s below %g) for modes of %s:", a->M.p ? "NCO" : "MAC",
                                partner, side ? b->name : a->name);
                if (n <= MOST)
                    fb_put_text(o, " %lld", (long long)k + 1);
            }
        if (n)
            fb_put_text(o, "%s\n", n > MOST ? " ..." : "");
    }
}

void fb_report_text(const fb_shapes *a, const fb_shapes *b, const fb_correlation *c,
                    const int64_t left_out[2], const fb_correlate_opts *how, fb_buf *o)
{
    fb_put_text(o, "%s against %s: %lld dofs take part", b->name, a->name, (long long)a->nd);
    if (left_out[0] || left_out[1])
        fb_put_text(o, ", %lld of %s and %lld of %s are left out", (long long)left_out[0], a->name,
                    (long long)left_out[1], b->name);
    fb_put_text(o, "; %s%s\n", a->M.p ? a->mass : "no mass",
                a->Xi.x || b->Xi.x ? "; complex modes" : "");
    if (c->naligned)
        fb_put_text(o, "%lld modes of repeated roots are compared as spaces\n",
                    (long long)c->naligned);
    pairs(a, b, c, o);
    fb_put_text(o, "\n%s\n",
                how->as_published ? "rigid modes count as exact, means over n^2" : "elastic modes");
    fb_put_text(o, "        diagonal min      mean   first < 0.9   off-diagonal max      mean\n");
    for (int k = 0; k < FB_NCRITERION; k++) {
        const fb_table *t = c->table + k;
        if (!t->C.x)
            continue;
        fb_put_text(o, "  %-4s  %12.4f  %8.4f  ", fb_criterion_name[k], t->diagonal_min,
                    t->diagonal_mean);
        if (t->first_below)
            fb_put_text(o, "%12lld", (long long)t->first_below);
        else
            fb_put_text(o, "%12s", "-");
        fb_put_text(o, "  %17.4f  %8.4f\n", t->off_max, t->off_mean);
    }
    alone(a, b, c, how->partner, o);
    if (c->nswapped)
        fb_put_text(o, "%lld modes are paired out of their order\n", (long long)c->nswapped);
    fb_put_text(o, "\n");
}

enum { NAME = 16 }; /* columns of a name in the summary */

void fb_report_summary(const fb_shapes *a, const fb_shapes *b, const fb_correlation *c,
                       int64_t nmodel, fb_buf *o)
{
    int timed = 0;
    fb_put_text(o,
                "summary: frequency errors of elastic pairs, diagonals (mean), beside (largest)\n");
    fb_put_text(o, "  %-*s  order pairs lost error [%%]     mean", NAME, "model");
    for (int k = 0; k < FB_NCRITERION; k++)
        if (c->table[k].C.x)
            fb_put_text(o, "  %6s beside", fb_criterion_name[k]);
    for (int64_t m = 0; m < nmodel; m++)
        timed |= b[m].seconds > 0;
    fb_put_text(o, "%s\n", timed ? "  seconds" : "");
    for (int64_t m = 0; m < nmodel; m++) {
        const fb_pair_errors p = fb_correlation_errors(a + m, b + m, c + m);
        const int columns = fb_text_width(b[m].name);
        if (columns > NAME) /* a long name has a line of its own */
            fb_put_text(o, "  %s\n  %*s", b[m].name, NAME, "");
        else
            fb_put_text(o, "  %s%*s", b[m].name, NAME - columns, "");
        if (b[m].order)
            fb_put_text(o, " %6lld", (long long)b[m].order);
        else
            fb_put_text(o, "   full");
        fb_put_text(o, " %5lld %4lld", (long long)p.n, (long long)c[m].nmissing);
        if (p.n)
            fb_put_text(o, " %9.4f %8.4f", p.largest, p.mean);
        else
            fb_put_text(o, " %9s %8s", "-", "-");
        for (int k = 0; k < FB_NCRITERION; k++)
            if (c[m].table[k].C.x)
                fb_put_text(o, "  %6.4f %6.4f", c[m].table[k].diagonal_mean, c[m].table[k].off_max);
        if (timed && b[m].seconds > 0)
            fb_put_text(o, " %8.3g", b[m].seconds);
        else if (timed)
            fb_put_text(o, " %8s", "-");
        fb_put_text(o, "\n");
    }
    fb_put_text(o, "\n");
}

/* RFC 4180: a quote within quotes is written twice. */
void fb_put_csv(fb_buf *o, const char *s)
{
    fb_put_text(o, "\"");
    for (; *s; s++)
        fb_put_text(o, "%s%c", *s == '"' ? "\"" : "", *s);
    fb_put_text(o, "\"");
}

static void csv_mass(const double *mass, int64_t k, fb_buf *o)
{
    fb_put_text(o, ",");
    if (mass && mass[k] > 0)
        fb_put_text(o, "%.9g", mass[k]);
}

void fb_report_csv(const fb_shapes *a, const fb_shapes *b, const fb_correlation *c, fb_buf *o)
{
    double error;
    if (!o->size)
        fb_put_text(o, "model,criterion,mode,frequency_hz,model_mode,model_frequency_hz,value,"
                       "pair,error_percent,modal_mass,model_modal_mass\n");
    for (int k = 0; k < FB_NCRITERION; k++)
        for (int64_t i = 0; c->table[k].C.x && i < c->na; i++)
            for (int64_t j = 0; j < c->nb; j++) {
                fb_put_csv(o, b->name);
                const int paired = c->pair[i] == j;
                fb_put_text(o, ",%s,%lld,%.12g,%lld,%.12g,%.9g,%d,", fb_criterion_name[k],
                            (long long)i + 1, a->f[i], (long long)j + 1, b->f[j],
                            c->table[k].C.x[i + j * c->na], paired);
                if (paired && has_error(a, b, c, i, &error))
                    fb_put_text(o, "%.9g", error);
                csv_mass(c->mass, i, o);
                csv_mass(c->mass_b, j, o);
                fb_put_text(o, "\n");
            }
}

/* Names come from file names: quotes, backslashes and control characters are escaped. */
static void json_string(const char *s, fb_buf *o)
{
    fb_put_text(o, "\"");
    for (; *s; s++) {
        if (*s == '"' || *s == '\\')
            fb_put_text(o, "\\%c", *s);
        else if ((unsigned char)*s < 0x20)
            fb_put_text(o, "\\u%04x", (unsigned)*s);
        else
            fb_put_bytes(o, s, 1);
    }
    fb_put_text(o, "\"");
}

static void json_reals(const char *name, const double *x, int64_t n, fb_buf *o)
{
    fb_put_text(o, "\"%s\": [", name);
    for (int64_t k = 0; k < n; k++)
        fb_put_text(o, "%s%.17g", k ? ", " : "", x[k]);
    fb_put_text(o, "]");
}

static void json_optional(const char *name, const double *x, int64_t n, fb_buf *o)
{
    if (!x)
        return;
    fb_put_text(o, ",\n ");
    json_reals(name, x, n, o);
}

/* What the summary says of a model. */
static void json_summary(const fb_shapes *a, const fb_shapes *b, const fb_correlation *c, fb_buf *o)
{
    const fb_pair_errors p = fb_correlation_errors(a, b, c);
    fb_put_text(o,
                ",\n \"order\": %lld, \"pairs\": %lld, \"lost\": %lld, \"swapped\": %lld, "
                "\"largest_error_percent\": %.17g, \"mean_error_percent\": %.17g",
                (long long)b->order, (long long)p.n, (long long)c->nmissing, (long long)c->nswapped,
                p.largest, p.mean);
    if (b->seconds > 0)
        fb_put_text(o, ", \"seconds\": %.17g", b->seconds);
}

void fb_report_json(const fb_shapes *a, const fb_shapes *b, const fb_correlation *c, int first,
                    fb_buf *o)
{
    fb_put_text(o, "%s{\"reference\": ", first ? "[\n" : ",\n");
    json_string(a->name, o);
    fb_put_text(o, ", \"model\": ");
    json_string(b->name, o);
    fb_put_text(o, ", \"dofs\": %lld, \"rigid\": %lld,\n ", (long long)a->nd, (long long)c->nrigid);
    json_reals("frequency_hz", a->f, c->na, o);
    fb_put_text(o, ",\n ");
    json_reals("model_frequency_hz", b->f, c->nb, o);
    fb_put_text(o, ",\n \"pair\": [");
    for (int64_t i = 0; i < c->na; i++)
        fb_put_text(o, c->pair[i] < 0 ? "%snull" : "%s%lld", i ? ", " : "",
                    (long long)c->pair[i] + 1);
    fb_put_text(o, "],\n \"error_percent\": [");
    for (int64_t i = 0; i < c->na; i++) {
        double error;
        if (has_error(a, b, c, i, &error))
            fb_put_text(o, "%s%.17g", i ? ", " : "", error);
        else
            fb_put_text(o, "%snull", i ? ", " : "");
    }
    fb_put_text(o, "]");
    json_optional("damping", a->damping, c->na, o);
    json_optional("model_damping", b->damping, c->nb, o);
    json_optional("modal_mass", c->mass, c->na, o);
    json_optional("model_modal_mass", c->mass_b, c->nb, o);
    json_summary(a, b, c, o);
    for (int k = 0; k < FB_NCRITERION; k++) {
        const fb_table *t = c->table + k;
        if (!t->C.x)
            continue;
        fb_put_text(o,
                    ",\n \"%s\": {\"diagonal_min\": %.17g, \"diagonal_mean\": %.17g, "
                    "\"first_below\": %lld, \"off_max\": %.17g, \"off_mean\": %.17g, \"matrix\": [",
                    fb_criterion_name[k], t->diagonal_min, t->diagonal_mean,
                    (long long)t->first_below, t->off_max, t->off_mean);
        for (int64_t i = 0; i < c->na; i++) {
            fb_put_text(o, "%s[", i ? ",\n  " : "\n  ");
            for (int64_t j = 0; j < c->nb; j++)
                fb_put_text(o, "%s%.9g", j ? ", " : "", t->C.x[i + j * c->na]);
            fb_put_text(o, "]");
        }
        fb_put_text(o, "]}");
    }
    fb_put_text(o, "}");
}

/* ---- HDF5: a group a model, /correlation/1, /correlation/2, ... ------------------------------ */

enum { EACH = 3 + FB_NCRITERION };

typedef struct fb_group {
    char path[EACH][64];
    double *table[FB_NCRITERION];
    int64_t *pair;
} group;

static fb_array *add(group *g, fb_array *a, int k, int64_t model, const char *name,
                     const void *data, const char *unit, const char *doc)
{
    snprintf(g->path[k], sizeof g->path[k], "/correlation/%lld/%s", (long long)model, name);
    *a = (fb_array){.path = g->path[k],
                    .type = 'd',
                    .rank = 1,
                    .data = data,
                    .attr = {{"units", unit}, {"description", doc}}};
    return a;
}

static fb_status fill(group *g, int64_t model, const fb_shapes *a, const fb_shapes *b,
                      const fb_correlation *c, fb_array *to, int64_t *n, fb_err *e)
{
    fb_status s = fb_new(&g->pair, c->na, 8, "pairs", e);
    if (s)
        return s;
    for (int64_t i = 0; i < c->na; i++)
        g->pair[i] = c->pair[i] + 1;
    add(g, to + (*n)++, 0, model, "frequency", a->f, "Hz", a->name)->dim[0] = c->na;
    add(g, to + (*n)++, 1, model, "model_frequency", b->f, "Hz", b->name)->dim[0] = c->nb;
    fb_array *p = add(g, to + (*n)++, 2, model, "pair", g->pair, "1",
                      "mode of the model, from 1, for each of the reference; 0: none");
    p->type = 'i';
    p->dim[0] = c->na;
    for (int k = 0; k < FB_NCRITERION; k++) {
        const fb_mat *C = &c->table[k].C;
        if (!C->x)
            continue;
        if ((s = fb_new(&g->table[k], c->na * c->nb, 8, "a table in rows", e)))
            return s;
        for (int64_t i = 0; i < c->na; i++)
            for (int64_t j = 0; j < c->nb; j++)
                g->table[k][i * c->nb + j] = C->x[i + j * c->na];
        fb_array *t = add(g, to + (*n)++, 3 + k, model, fb_criterion_name[k], g->table[k], "1",
                          "rows: modes of the reference, columns: of the model");
        t->rank = 2;
        t->dim[0] = c->na;
        t->dim[1] = c->nb;
    }
    return FB_OK;
}

fb_status fb_report_h5(fb_datasets *d, const fb_shapes *a, const fb_shapes *b,
                       const fb_correlation *c, int64_t nmodel, fb_err *e)
{
    FB_PASS(fb_new(&d->own, nmodel, sizeof *d->own, "groups of datasets", e));
    d->ngroup = nmodel;
    FB_PASS(fb_new(&d->array, nmodel * EACH, sizeof *d->array, "datasets", e));
    for (int64_t k = 0; k < nmodel; k++)
        FB_PASS(fill(d->own + k, k + 1, a + k, b + k, c + k, d->array, &d->n, e));
    return FB_OK;
}

void fb_datasets_free(fb_datasets *d)
{
    for (int64_t k = 0; d->own && k < d->ngroup; k++) {
        for (int q = 0; q < FB_NCRITERION; q++)
            free(d->own[k].table[q]);
        free(d->own[k].pair);
    }
    FB_FREE(d->own, d->label, d->array);
    *d = (fb_datasets){0};
}
