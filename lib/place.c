/* SPDX-License-Identifier: GPL-3.0-or-later */
/* place.c - nodes chosen by where they are.
 *
 *   place = axis '=' end | axis '=' [end] '..' [end] | axis '>' number | axis '<' number
 *         | 'near:' X,Y,Z | 'box:' X,Y,Z,X,Y,Z | 'sphere:' X,Y,Z,R | 'cylinder:' X,Y,Z,X,Y,Z,R
 *   axis  = 'x' | 'y' | 'z',   end = number | 'min' | 'max'
 *
 * What is equal or within may be off by the digits that text formats lose, 1e-5 of the diagonal of
 * the body; what is greater or less is so by more than that: a node is in one of x<1, x=1, x>1.
 *
 *   (PL.1) cylinder: the axis a b and a radius r; a point p is within where
 *          0 <= t <= |b - a|,  t = (p - a).(b - a) / |b - a|, and |p - a - t (b - a)/|b - a|| <= r
 */
#include "place.h"
#include "model.h"
#include "number.h"
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

static const struct {
    const char *word;
    int count;
} form[] = {
    [FB_PLACE_NEAR] = {"near:", 3},
    [FB_PLACE_BOX] = {"box:", 6},
    [FB_PLACE_SPHERE] = {"sphere:", 4},
    [FB_PLACE_CYLINDER] = {"cylinder:", 7},
};
enum { NFORM = sizeof form / sizeof *form };

/* ---- words ------------------------------------------------------------------------------ */

static int axis_of(const char *p, const char *end)
{
    static const char axes[] = "xyzXYZ";
    const char *a = end - p > 1 && strchr("=<>", p[1]) && p[1] ? strchr(axes, *p) : NULL;
    return a && *a ? (int)(a - axes) % 3 : -1;
}

static fb_place_kind form_of(const char *p, const char *end)
{
    for (int k = FB_PLACE_NEAR; k < NFORM; k++) {
        const size_t n = strlen(form[k].word);
        if ((size_t)(end - p) >= n && !strncasecmp(p, form[k].word, n))
            return (fb_place_kind)k;
    }
    return FB_PLACE_RANGE;
}

int fb_place_meant(const char *p, const char *end)
{
    return axis_of(p, end) >= 0 || form_of(p, end) != FB_PLACE_RANGE;
}

/* The end of a range that fills p..end: 0, min, max (in *extreme), or a number. */
static int one_end(const char *p, const char *end, double *x, int *extreme)
{
    *extreme = end - p == 3 ? !strncasecmp(p, "max", 3) - !strncasecmp(p, "min", 3) : 0;
    return *extreme || (p < end && fb_scan_real(p, end, x) == end);
}

static const char *range(const char *p, const char *end, fb_place *t)
{
    const char sign = p[1], *dots = NULL, *q = p += 2;
    for (; q < end && !strchr(":, \t\r\n", *q); q++)
        if (!dots && q + 1 < end && q[0] == '.' && q[1] == '.')
            dots = q;
    t->without = sign != '=';
    t->x[0] = -HUGE_VAL;
    t->x[1] = HUGE_VAL;
    if (t->without)
        return one_end(p, q, t->x + (sign == '<'), t->extreme) && !t->extreme[0] ? q : NULL;
    if (!dots) {
        const int ok = one_end(p, q, t->x, t->extreme);
        t->x[1] = t->x[0];
        t->extreme[1] = t->extreme[0];
        return ok ? q : NULL;
    }
    if ((dots > p && !one_end(p, dots, t->x, t->extreme)) ||
        (dots + 2 < q && !one_end(dots + 2, q, t->x + 1, t->extreme + 1)) || q - p == 2)
        return NULL;
    return q;
}

static const char *numbers(const char *p, const char *end, int n, double *x)
{
    for (int k = 0; k < n; k++) {
        if (k && (p == end || *p++ != ','))
            return NULL;
        p = p < end ? fb_scan_real(p, end, x + k) : NULL;
        if (!p)
            return NULL;
    }
    return p;
}

const char *fb_place_scan(const char *p, const char *end, fb_place *place)
{
    const int axis = axis_of(p, end), k = (int)form_of(p, end);
    *place = (fb_place){.kind = (fb_place_kind)k, .axis = axis, .text = p};
    const char *q = axis >= 0 ? range(p, end, place)
                    : k != FB_PLACE_RANGE
                        ? numbers(p + strlen(form[k].word), end, form[k].count, place->x)
                        : NULL;
    if (!q || (q < end && !strchr(":, \t\r\n", *q)))
        return NULL;
    place->length = (int)(q - p < 80 ? q - p : 80);
    return q;
}

/* ---- geometry --------------------------------------------------------------------------- */

static double distance(const double *u, const double *v)
{
    return hypot(hypot(u[0] - v[0], u[1] - v[1]), u[2] - v[2]);
}

/* (PL.1) */
static int in_cylinder(const double *u, const double *x, double tol)
{
    const double length = distance(x, x + 3);
    double t = 0, foot[3];
    for (int a = 0; a < 3; a++)
        t += (u[a] - x[a]) * (x[3 + a] - x[a]) / length;
    for (int a = 0; a < 3; a++)
        foot[a] = x[a] + t * (x[3 + a] - x[a]) / length;
    return t >= -tol && t <= length + tol && distance(u, foot) <= x[6] + tol;
}

static int in_box(const double *u, const double *x, double tol)
{
    int in = 1;
    for (int a = 0; a < 3; a++)
        in = in && u[a] >= fmin(x[a], x[3 + a]) - tol && u[a] <= fmax(x[a], x[3 + a]) + tol;
    return in;
}

static int is_in(const fb_place *t, const double *u, double tol)
{
    const double *x = t->x;
    switch (t->kind) {
    case FB_PLACE_RANGE:
        return t->without ? u[t->axis] > x[0] + tol && u[t->axis] < x[1] - tol
                          : u[t->axis] >= x[0] - tol && u[t->axis] <= x[1] + tol;
    case FB_PLACE_NEAR: /* x[3]: the least distance */
        return distance(u, x) <= x[3] + tol;
    case FB_PLACE_BOX:
        return in_box(u, x, tol);
    case FB_PLACE_SPHERE:
        return distance(u, x) <= x[3] + tol;
    case FB_PLACE_CYLINDER:
        return in_cylinder(u, x, tol);
    }
    return 0;
}

/* What asks all nodes first: min, max and the nearest. */
static fb_status measure(fb_place *t, const char *option, const fb_crowd *c, fb_err *e)
{
    double lo[3], hi[3];
    fb_box(c->xyz, c->n, lo, hi);
    for (int k = 0; t->kind == FB_PLACE_RANGE && k < 2; k++)
        if (t->extreme[k])
            t->x[k] = t->extreme[k] < 0 ? lo[t->axis] : hi[t->axis];
    if (t->kind == FB_PLACE_RANGE && t->x[0] > t->x[1])
        return fb_fail(e, FB_EUSAGE, "%s: '%.*s' runs backwards", option, t->length, t->text);
    if (t->kind == FB_PLACE_CYLINDER && !(distance(t->x, t->x + 3) > 0))
        return fb_fail(e, FB_EUSAGE, "%s: '%.*s': both ends of the axis are one point", option,
                       t->length, t->text);
    if (t->kind != FB_PLACE_NEAR)
        return FB_OK;
    t->x[3] = HUGE_VAL;
    for (int64_t k = 0; k < c->n; k++)
        t->x[3] = fmin(t->x[3], distance(t->x, c->xyz + 3 * k));
    if (c->size > 0 && t->x[3] > c->size)
        return fb_fail(e, FB_EUSAGE,
                       "%s: '%.*s' lies %.3g from the nearest node of a body of size %.3g: is the "
                       "place in the unit of its coordinates%s%s?",
                       option, t->length, t->text, t->x[3], c->size, *c->unit ? ", " : "", c->unit);
    return FB_OK;
}

static fb_status nobody(const fb_place *t, const char *option, const fb_crowd *c, fb_err *e)
{
    double lo[3], hi[3], best = HUGE_VAL, *x = c->xyz;
    fb_box(c->xyz, c->n, lo, hi);
    fb_fail(e, FB_EUSAGE,
            "%s: no node is at '%.*s' among %lld, at x %.6g to %.6g, y %.6g to %.6g, z %.6g to "
            "%.6g%s%s",
            option, t->length, t->text, (long long)c->n, lo[0], hi[0], lo[1], hi[1], lo[2], hi[2],
            *c->unit ? " " : "", c->unit);
    if (t->kind != FB_PLACE_RANGE || t->without || t->x[0] < t->x[1])
        return FB_EUSAGE;
    for (int64_t k = 0; k < c->n; k++)
        if (fabs(x[3 * k + t->axis] - t->x[0]) < fabs(best - t->x[0]))
            best = x[3 * k + t->axis];
    const size_t at = strlen(e->msg);
    snprintf(e->msg + at, sizeof e->msg - at, "; the nearest has %c=%.9g", "xyz"[t->axis], best);
    return FB_EUSAGE;
}

fb_status fb_place_narrow(const fb_place *place, const char *option, fb_crowd *c, fb_err *e)
{
    const double tol = c->size * pow(10, -FB_PLACE_DIGITS);
    fb_place t = *place;
    int64_t n = 0;
    FB_PASS(measure(&t, option, c, e));
    for (int64_t k = 0; k < c->n; k++)
        n += is_in(&t, c->xyz + 3 * k, tol);
    if (!n)
        return nobody(&t, option, c, e);
    n = 0;
    for (int64_t k = 0; k < c->n; k++) {
        if (!is_in(&t, c->xyz + 3 * k, tol))
            continue;
        memmove(c->xyz + 3 * n, c->xyz + 3 * k, 3 * sizeof *c->xyz);
        c->node[n++] = c->node[k];
    }
    c->n = n;
    return FB_OK;
}
